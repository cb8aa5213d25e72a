//! The functions of a profile.

use super::costs::{ANY_WIDTH, Cost, CostTable};
use super::ids::{FunctionId, NameId};
use super::kind::Kind;
use super::numbering::Numbering;
use crate::prefetch::prefetch;

/// A function of a profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Object file (ELF object) that contains it; empty if unknown.
    pub object: NameId,
    /// Source file.
    pub file: NameId,
    /// Name.
    pub name: NameId,
    /// The line of its first self cost in its own file; otherwise the line that the first call to
    /// it gives; 0 if unknown.
    pub line: u64,
    /// The number of its invocations.
    pub invocations: u64,
    /// Whether its only invocation is assumed, because none is recorded.
    pub(crate) is_assumed: bool,
    /// Whether all its invocations are in the [`InvocationTree`](crate::profile::InvocationTree)
    /// and in the stacks of traces, if these are kept.
    pub is_listed: bool,
    /// The number of earlier functions with the same object, file and name. A webgrind file may
    /// contain several, because it does not store objects.
    pub(crate) before: u32,
    /// Where its line comes from.
    pub(crate) line_source: LineSource,
}

/// Which line a function gets if several runs or inputs contain it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LineRule {
    /// For the runs of one input: the line of the first self cost, as within a run.
    OwnCost,
    /// For several inputs: the smallest line, so that their order does not matter.
    Least,
}

/// The key of a function: object, file, name, and a number from [`Function::before`] and
/// [`Function::is_listed`].
type FunctionKey = (NameId, NameId, NameId, u32);

/// The functions of a profile by their numbers, with their costs.
#[derive(Clone, Debug, Default)]
pub(crate) struct FunctionTable {
    functions: Vec<Function>,
    pub self_costs: CostTable,
    pub inclusive_costs: CostTable,
    /// The numbers by their keys: those of [`find`](Self::find) while a run is read, otherwise
    /// [`Function::key`]. Filled by the first look-up.
    numbers: Numbering,
}

impl FunctionTable {
    pub fn as_slice(&self) -> &[Function] {
        &self.functions
    }

    pub fn as_mut_slice(&mut self) -> &mut [Function] {
        &mut self.functions
    }

    #[inline]
    pub fn get_mut(&mut self, id: FunctionId) -> Option<&mut Function> {
        self.functions.get_mut(id.index())
    }

    /// Prefetches the row of a function, and its self costs.
    #[inline]
    pub fn prefetch(&self, id: FunctionId) {
        prefetch(self.functions.get(id.index()));
        prefetch(self.self_costs.row(id.index()).first());
    }

    /// Adds a function without costs.
    pub fn push(&mut self, function: Function) {
        self.functions.push(function);
        self.self_costs.push_zeros();
        self.inclusive_costs.push_zeros();
    }

    /// Finds a function by its object, file and name, or adds it without costs.
    ///
    /// In a run of a trace, the name alone identifies a function; the object and file only count if
    /// it has no block.
    pub fn find(&mut self, kind: Kind, function: &Function) -> FunctionId {
        match kind {
            Kind::Trace => self.number(function, |one| (NameId::EMPTY, NameId::EMPTY, one.name, 0)),
            Kind::Aggregate => self.number(function, Function::key),
        }
    }

    /// Forgets by what functions were found, because a finished run of a trace is merged by other
    /// keys.
    pub fn forget_keys(&mut self) {
        self.numbers = Numbering::default();
    }

    fn number(&mut self, new: &Function, key: impl Fn(&Function) -> FunctionKey) -> FunctionId {
        let functions = &self.functions;
        let key_of = |number: usize| key(&functions[number]);
        let number = self.numbers.number(key(new), functions.len(), key_of);
        if number as usize == functions.len() {
            self.push(new.clone());
        }
        FunctionId(number)
    }

    /// Adds a function of another table that uses the same names, with its self and inclusive costs,
    /// to the one with the same key.
    pub fn merge(&mut self, other: &Function, costs: [&[Cost]; 2], rule: LineRule) -> FunctionId {
        let known = self.functions.len();
        if self.numbers.is_empty() {
            let key_of = |number: usize| self.functions[number].key();
            for row in 0..known {
                self.numbers.number(key_of(row), row, key_of);
            }
        }
        let id = self.number(other, Function::key);
        if id.index() < known {
            self.functions[id.index()].merge(other, rule);
        }
        let [own, inclusive] = costs;
        self.self_costs.add::<ANY_WIDTH>(id.index(), own);
        self.inclusive_costs.add::<ANY_WIDTH>(id.index(), inclusive);
        id
    }
}

impl Function {
    /// A function without a line and without invocations.
    pub(crate) fn new(object: NameId, file: NameId, name: NameId) -> Self {
        Function {
            object,
            file,
            name,
            line: 0,
            invocations: 0,
            is_assumed: false,
            is_listed: false,
            before: 0,
            line_source: LineSource::Nothing,
        }
    }

    /// Sets the line if `source` is better than that of the current line.
    #[inline]
    pub(crate) fn offer_line(&mut self, source: LineSource, line: u64) {
        if self.line_source < source {
            self.line_source = source;
            self.line = line;
        }
    }

    /// Adds invocations in a trace. The first ones determine the object and file.
    #[inline]
    pub(crate) fn add_invocations(&mut self, count: u64, object: NameId, file: NameId) {
        if self.invocations == 0 {
            (self.object, self.file) = (object, file);
        }
        self.invocations += count;
    }

    /// Its key across runs and inputs.
    #[inline]
    fn key(&self) -> FunctionKey {
        let rest = self.before << 1 | u32::from(self.is_listed);
        (self.object, self.file, self.name, rest)
    }

    /// The same function, with its names mapped by `name`.
    pub(crate) fn renamed(&self, name: impl Fn(NameId) -> NameId) -> Function {
        Function {
            object: name(self.object),
            file: name(self.file),
            name: name(self.name),
            ..self.clone()
        }
    }

    /// The number of recorded invocations.
    pub(crate) fn counted_invocations(&self) -> u64 {
        if self.is_assumed { 0 } else { self.invocations }
    }

    /// Sets the number of recorded invocations. If there is `evidence` of any, the number is at
    /// least 1.
    pub(crate) fn set_invocations(&mut self, counted: u64, evidence: bool) {
        self.is_assumed = counted == 0 && evidence;
        self.invocations = counted.max(self.is_assumed.into());
    }

    /// Adds another function, without its costs.
    fn merge(&mut self, other: &Function, rule: LineRule) {
        let counted = self.counted_invocations();
        let counted = counted.saturating_add(other.counted_invocations());
        self.set_invocations(counted, self.is_assumed || other.is_assumed);
        match rule {
            LineRule::OwnCost => self.offer_line(other.line_source, other.line),
            LineRule::Least if self.line == 0 => self.line = other.line,
            LineRule::Least if other.line == 0 => {}
            LineRule::Least => self.line = self.line.min(other.line),
        }
    }
}

/// The source of a function's line; later ones are better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LineSource {
    Nothing,
    Call,
    OwnCost,
}
