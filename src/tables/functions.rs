//! The functions of a profile.

use super::costs::CostTable;
use super::ids::{FunctionId, NameId, next_index, room_like, slot};
use super::numbering::Numbering;
use crate::prefetch::prefetch;

/// What the blocks of an input are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BlockKind {
    /// Each block is one invocation, callees before callers. A function is known by its name.
    Trace,
    /// Blocks hold sums. A function is known by its object, file and name.
    #[default]
    Aggregate,
}

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
    /// Whether the [`InvocationTree`](crate::profile::InvocationTree) or the stacks of traces, where these are
    /// kept, hold all its invocations.
    pub is_listed: bool,
    /// Whether its self costs stand on several lines, or in another file. If not, they all stand on
    /// its own line in its own file.
    pub(crate) has_lines: bool,
    /// How many functions with the same object, file and name come before it in its input. There
    /// can be some in a preprocessed file, which stores no objects.
    pub(crate) before: u32,
    /// Where its line comes from.
    pub(crate) line_source: LineSource,
}

/// Which line is kept for a function that several runs or inputs have.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LineRule {
    /// For the runs of one input: the line of the first own cost, as within a run.
    OwnCost,
    /// For several inputs: the least, so that their order does not matter.
    Least,
}

/// What identifies a function: its object, file and name, and what else tells it from others.
type FunctionKey = (NameId, NameId, NameId, u32);

/// The functions of a profile by their numbers, with their costs.
#[derive(Debug, Default)]
pub(crate) struct FunctionTable {
    functions: Vec<Function>,
    pub self_costs: CostTable,
    /// Inclusive costs. While a run is being read: what they hold besides self costs and calls.
    pub inclusive_costs: CostTable,
    /// While a run is being read: by name, the first function of that name.
    by_name: Vec<Option<FirstOfName>>,
    /// By [`Function::key`]. While a run is being read: those that are not the first of their names.
    /// After that none are numbered as long as nobody asks for them.
    numbers: Numbering,
}

/// All that a look-up needs to know of a function: of many functions, no cache of a processor holds
/// all that there is.
#[derive(Clone, Copy, Debug)]
struct FirstOfName {
    object: NameId,
    file: NameId,
    id: FunctionId,
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

    /// Asks for the row of a function, and for its self costs.
    #[inline]
    pub fn prefetch(&self, id: FunctionId) {
        prefetch(self.functions.get(id.index()));
        prefetch(self.self_costs.row(id.index()).first());
    }

    /// A table for another run. In this one, functions are not found by their names any more.
    pub fn next(&mut self) -> FunctionTable {
        // One by one: all names there are may be far more.
        for function in &self.functions {
            *slot(&mut self.by_name, function.name.index()) = None;
        }
        self.numbers = Numbering::default();
        FunctionTable {
            functions: room_like(&self.functions),
            self_costs: CostTable::new(self.self_costs.width()),
            inclusive_costs: CostTable::new(self.inclusive_costs.width()),
            by_name: std::mem::take(&mut self.by_name),
            numbers: Numbering::default(),
        }
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
        kind: BlockKind,
        object: NameId,
        file: NameId,
        name: NameId,
    ) -> FunctionId {
        let functions = &self.functions;
        let first = slot(&mut self.by_name, name.index());
        let id = FunctionId(match first {
            Some(first)
                if kind == BlockKind::Trace || first.object == object && first.file == file =>
            {
                return first.id;
            }
            Some(_) => {
                let key_of = |number: usize| functions[number].key();
                let key = (object, file, name, 0);
                self.numbers.number(key, functions.len(), key_of)
            }
            None => next_index(functions.len()),
        });
        if id.index() == self.functions.len() {
            first.get_or_insert(FirstOfName { object, file, id });
            self.push(Function {
                object,
                file,
                name,
                line: 0,
                invocations: 0,
                is_listed: false,
                has_lines: false,
                before: 0,
                line_source: LineSource::Nothing,
            });
        }
        id
    }

    /// Finds the number of a function of another table, whose names are those of this one: if it is
    /// new, the next one.
    pub fn number(&mut self, function: &Function) -> FunctionId {
        let functions = &self.functions;
        let key_of = |number: usize| functions[number].key();
        if self.numbers.is_empty() {
            for (row, own) in functions.iter().enumerate() {
                self.numbers.number(own.key(), row, key_of);
            }
        }
        FunctionId(self.numbers.number(function.key(), functions.len(), key_of))
    }

    /// Adds what another table says of the function with this [`number`](Self::number), but for its
    /// costs.
    pub fn merge(&mut self, id: FunctionId, function: &Function, rule: LineRule) {
        let Some(own) = self.functions.get_mut(id.index()) else {
            return self.push(function.clone());
        };
        own.merge_line(function, rule);
        own.invocations = own.invocations.saturating_add(function.invocations);
    }
}

impl Function {
    /// What identifies it across runs and inputs.
    #[inline]
    fn key(&self) -> FunctionKey {
        let rest = self.before << 1 | u32::from(self.is_listed);
        (self.object, self.file, self.name, rest)
    }

    /// The same with other numbers of its names.
    pub(crate) fn renamed(&self, name: impl Fn(NameId) -> NameId) -> Function {
        Function {
            object: name(self.object),
            file: name(self.file),
            name: name(self.name),
            ..self.clone()
        }
    }

    /// Takes a line unless one from as good a source is there already.
    #[inline]
    pub(crate) fn offer_line(&mut self, source: LineSource, line: u64) {
        if self.line_source < source {
            self.line_source = source;
            self.line = line;
        }
    }

    /// Adds the blocks of a later part of the same run, which are of this object and file.
    pub(crate) fn add_blocks(&mut self, later: &Function, object: NameId, file: NameId) {
        if self.invocations == 0 {
            (self.object, self.file) = (object, file);
        }
        self.invocations = self.invocations.saturating_add(later.invocations);
        self.merge_line(later, LineRule::OwnCost);
    }

    fn merge_line(&mut self, other: &Function, rule: LineRule) {
        match rule {
            LineRule::OwnCost => self.offer_line(other.line_source, other.line),
            LineRule::Least if self.line == 0 => self.line = other.line,
            LineRule::Least if other.line == 0 => {}
            LineRule::Least => self.line = self.line.min(other.line),
        }
    }
}

/// Where a function's line comes from; later ones are better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LineSource {
    Nothing,
    Call,
    OwnCost,
}
