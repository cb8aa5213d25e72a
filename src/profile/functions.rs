//! The functions of a profile.

use super::costs::{Cost, CostTable};
use super::ids::{FunctionId, NameId, room_like, slot};
use super::numbering::{Numbered, Numbering};
use super::{Kind, ModelError};

/// A function of a profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Object file (ELF object) that holds it; empty where unknown.
    pub object: NameId,
    /// Source file.
    pub file: NameId,
    /// Name.
    pub name: NameId,
    /// The line of its first own cost, or else the one that its first caller states; 0 if unknown.
    pub line: u64,
    /// How often it was invoked. While a run is being read: how many blocks it has.
    pub invocations: u64,
    /// Whether the [`InvocationTree`](super::InvocationTree) or the
    /// [`ContextTree`](super::ContextTree), where one is kept, holds all its invocations.
    pub is_listed: bool,
    /// By how much the cost of all calls to it, as a v4 file states it, exceeds that of its edges.
    pub(super) call_cost_excess: Cost,
    /// How many functions with the same object, file and name come before it in its input. There
    /// can be some in a preprocessed file, which stores no objects.
    pub(super) before: u32,
    /// Where its line comes from.
    pub(super) line_source: LineSource,
}

/// Which line is kept for a function that several runs or inputs have.
#[derive(Clone, Copy, Debug)]
pub(super) enum LineRule {
    /// For the runs of one input: the line of the first own cost, as within a run.
    First,
    /// For several inputs: the least, so that their order does not matter.
    Least,
}

/// What identifies a function: packed, since it is hashed for each block of an aggregate.
type FunctionKey = (u64, u64);

#[inline]
fn key(object: NameId, file: NameId, name: NameId, rest: u32) -> FunctionKey {
    let pair = |[high, low]: [u32; 2]| u64::from(high) << 32 | u64::from(low);
    (pair([object.0, file.0]), pair([name.0, rest]))
}

/// The functions of a profile by their numbers, with their costs.
#[derive(Debug, Default)]
pub(super) struct FunctionTable {
    functions: Vec<Function>,
    pub self_costs: CostTable,
    /// Inclusive costs. While a run is being read: what they hold besides self costs and calls.
    pub inclusive_costs: CostTable,
    /// By [`Function::key`]; in a trace that is being read, by the name alone. None are numbered as
    /// long as nobody asks for them.
    numbers: Numbering,
    /// By name, the number of the function of this name that was found last, if it is still that:
    /// of many functions, few are looked up in a table that no cache of a processor holds.
    latest: Vec<u32>,
}

impl FunctionTable {
    pub fn is_empty(&self) -> bool {
        self.functions.is_empty()
    }

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

    /// Takes all functions away, for another run.
    pub fn take(&mut self) -> FunctionTable {
        let next = FunctionTable {
            functions: room_like(&self.functions),
            self_costs: CostTable::new(self.self_costs.width()),
            inclusive_costs: CostTable::new(self.inclusive_costs.width()),
            numbers: Numbering::default(),
            latest: std::mem::take(&mut self.latest),
        };
        let mut taken = std::mem::replace(self, next);
        taken.numbers = Numbering::default();
        taken
    }

    /// Sets the inclusive costs of the functions; those missing at the end have none. Without any
    /// costs nothing changes.
    pub fn set_inclusive(&mut self, costs: Option<CostTable>) {
        let Some(mut costs) = costs else { return };
        while costs.rows() < self.functions.len() {
            costs.push_zeros();
        }
        costs.widen(self.self_costs.width());
        self.inclusive_costs = costs;
    }

    /// Adds a function without costs.
    pub fn push(&mut self, function: Function) {
        self.functions.push(function);
        self.self_costs.push_zeros();
        self.inclusive_costs.push_zeros();
    }

    /// Finds a function of a run that is being read, or numbers it as a new one. All functions of a
    /// run are of the same kind.
    ///
    /// In a trace the name alone identifies it. The rest is used if the function has no block.
    #[inline]
    pub fn find(
        &mut self,
        kind: Kind,
        object: NameId,
        file: NameId,
        name: NameId,
    ) -> Numbered<FunctionId> {
        let wanted = match kind {
            Kind::Trace => key(NameId::EMPTY, NameId::EMPTY, name, 0),
            Kind::Aggregate => key(object, file, name, 0),
        };
        let functions = &self.functions;
        let key_of = |function: &Function| match kind {
            Kind::Trace => key(NameId::EMPTY, NameId::EMPTY, function.name, 0),
            Kind::Aggregate => function.key(),
        };
        let latest = slot(&mut self.latest, name.index());
        if let Some(function) = functions.get(*latest as usize)
            && key_of(function) == wanted
        {
            return Numbered::Known(FunctionId(*latest));
        }
        let numbers = &mut self.numbers;
        let found = numbers.number(wanted, |number| key_of(&functions[number]));
        if let Numbered::Known(number) | Numbered::New(number) = found {
            *latest = number;
        }
        if let Numbered::New(_) = found {
            self.push(Function {
                object,
                file,
                name,
                line: 0,
                invocations: 0,
                is_listed: false,
                call_cost_excess: 0,
                before: 0,
                line_source: LineSource::Nothing,
            });
        }
        found.map(FunctionId)
    }

    /// Adds what another table says of a function, but for its costs. Its names are those of this
    /// table.
    pub fn merge(&mut self, function: &Function, rule: LineRule) -> Result<FunctionId, ModelError> {
        if self.numbers.is_empty() {
            for row in 0..self.functions.len() {
                let functions = &self.functions;
                self.numbers
                    .number(functions[row].key(), |number| functions[number].key());
            }
        }
        let functions = &self.functions;
        let found = self
            .numbers
            .number(function.key(), |number| functions[number].key());
        match found.map(FunctionId) {
            Numbered::Known(id) => {
                let own = &mut self.functions[id.index()];
                own.merge_line(function, rule);
                own.invocations = own.invocations.saturating_add(function.invocations);
                let excess = own.call_cost_excess;
                own.call_cost_excess = excess.saturating_add(function.call_cost_excess);
                Ok(id)
            }
            Numbered::New(id) => {
                self.push(function.clone());
                Ok(id)
            }
            Numbered::Full => Err(ModelError::TooMany { what: "functions" }),
        }
    }
}

impl Function {
    /// What identifies it across runs and inputs.
    #[inline]
    fn key(&self) -> FunctionKey {
        let rest = self.before << 1 | u32::from(self.is_listed);
        key(self.object, self.file, self.name, rest)
    }

    /// Takes a line unless one from as good a source is there already.
    #[inline]
    pub(super) fn offer_line(&mut self, source: LineSource, line: u64) {
        if self.line_source < source {
            self.line_source = source;
            self.line = line;
        }
    }

    fn merge_line(&mut self, other: &Function, rule: LineRule) {
        match rule {
            LineRule::First => self.offer_line(other.line_source, other.line),
            LineRule::Least if self.line == 0 => self.line = other.line,
            LineRule::Least if other.line == 0 => {}
            LineRule::Least => self.line = self.line.min(other.line),
        }
    }
}

/// Where a function's line comes from; later ones are better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum LineSource {
    Nothing,
    Call,
    OwnCost,
}
