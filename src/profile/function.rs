//! What a profile knows of one function.

use super::Cost;
use super::ids::NameId;

/// A function of a finished profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Object file (ELF object) that holds it; empty where unknown.
    pub object: NameId,
    /// Source file.
    pub file: NameId,
    /// Name.
    pub name: NameId,
    /// Line of its first own cost, or else where its first caller says it is; 0 where unknown.
    pub line: u64,
    /// Sum of its own cost lines.
    pub self_cost: Cost,
    /// Its self cost and the cost of all calls it made; see
    /// [`InclusiveCost`](super::InclusiveCost).
    pub inclusive: Cost,
    /// How often it was invoked.
    pub invocations: u64,
    /// Cost of all calls to it.
    pub call_cost: Cost,
    /// Whether it comes from a trace, where every block is an invocation.
    pub in_trace: bool,
    /// Whether the [`InvocationTree`](super::InvocationTree), where one is kept, holds all its
    /// invocations.
    pub is_listed: bool,
}

/// Where a function's line comes from; later ones are better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum LineSource {
    Nothing,
    Call,
    OwnCost,
}

/// A function while its profile is being read.
#[derive(Debug)]
pub(super) struct Draft {
    pub object: NameId,
    pub file: NameId,
    pub name: NameId,
    pub line_source: LineSource,
    pub in_trace: bool,
    pub is_proxy: bool,
    /// Whether a table lists its invocations one by one.
    pub is_listed: bool,
    pub line: u64,
    pub self_cost: Cost,
    /// Blocks seen.
    pub blocks: u64,
    /// What the inclusive cost has beyond self cost and listed calls.
    pub inclusive_beyond: Cost,
    /// What the calls to it cost beyond the edges; of listed ones only.
    pub call_cost_beyond: Cost,
    /// What the invocations have beyond the calls into the function; of aggregates only.
    pub invocations_beyond: i64,
}

impl Draft {
    pub fn new(object: NameId, file: NameId, name: NameId) -> Self {
        Draft {
            object,
            file,
            name,
            line_source: LineSource::Nothing,
            in_trace: false,
            is_proxy: false,
            is_listed: false,
            line: 0,
            self_cost: 0,
            blocks: 0,
            inclusive_beyond: 0,
            call_cost_beyond: 0,
            invocations_beyond: 0,
        }
    }

    /// Takes a line unless one from as good a source is there already.
    #[inline]
    pub fn offer_line(&mut self, source: LineSource, line: u64) {
        if self.line_source < source {
            self.line_source = source;
            self.line = line;
        }
    }

    /// What identifies it beside its name; see [`ProfileBuilder::function`](super::ProfileBuilder::function).
    pub fn key(&self) -> (NameId, NameId) {
        if self.in_trace {
            (NameId::ANY, NameId::ANY)
        } else {
            (self.object, self.file)
        }
    }

    /// The finished function, given the calls into it and what its own calls cost.
    ///
    /// What the calls into it cost is still to be added to its call cost.
    pub fn finish(self, calls_in: u64, calls_cost: Cost) -> Function {
        let invocations = if self.in_trace {
            self.blocks
        } else {
            let counted = calls_in.saturating_add_signed(self.invocations_beyond);
            counted.max(self.blocks.min(1))
        };
        let inclusive = self.self_cost.saturating_add(calls_cost);
        Function {
            object: self.object,
            file: self.file,
            name: self.name,
            line: self.line,
            self_cost: self.self_cost,
            inclusive: inclusive.saturating_add(self.inclusive_beyond),
            invocations,
            call_cost: self.call_cost_beyond,
            in_trace: self.in_trace,
            is_listed: self.in_trace || self.is_listed,
        }
    }
}
