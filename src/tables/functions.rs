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
    /// The line of its first own cost in its own file, or else the one that its first caller states; 0 if
    /// unknown.
    pub line: u64,
    /// How often it was invoked.
    pub invocations: u64,
    /// Whether its only invocation is assumed, since nothing counts any.
    pub(crate) is_assumed: bool,
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

/// A function of a run that is being read.
#[derive(Debug)]
pub(crate) struct OpenFunction {
    pub object: NameId,
    pub file: NameId,
    pub name: NameId,
    pub line: u64,
    pub line_source: LineSource,
    /// How many blocks it has.
    pub blocks: u64,
    /// As in a [`Function`].
    pub has_lines: bool,
}

impl OpenFunction {
    /// Takes a line unless one from as good a source is there already.
    #[inline]
    pub fn offer_line(&mut self, source: LineSource, line: u64) {
        if self.line_source < source {
            self.line_source = source;
            self.line = line;
        }
    }

    /// Adds blocks, whose object and file count if they are the first.
    #[inline]
    pub fn add_blocks(&mut self, blocks: u64, object: NameId, file: NameId) {
        if self.blocks == 0 {
            (self.object, self.file) = (object, file);
        }
        self.blocks += blocks;
    }
}

/// The functions of a run that is being read, with their costs. All are of the same kind.
#[derive(Debug, Default)]
pub(crate) struct OpenFunctions {
    functions: Vec<OpenFunction>,
    pub self_costs: CostTable,
    /// What inclusive costs hold besides self costs and the calls that are listed.
    pub unlisted_costs: CostTable,
    /// By name, the first function of that name.
    first: Vec<Option<FirstOfName>>,
    /// By object, file and name, those that are not the first of their names.
    others: Numbering,
}

/// All that a look-up needs to know of a function: of many functions, no cache of a processor holds
/// all that there is.
#[derive(Clone, Copy, Debug)]
struct FirstOfName {
    object: NameId,
    file: NameId,
    id: FunctionId,
}

impl OpenFunctions {
    pub fn as_slice(&self) -> &[OpenFunction] {
        &self.functions
    }

    #[inline]
    pub fn get_mut(&mut self, id: FunctionId) -> Option<&mut OpenFunction> {
        self.functions.get_mut(id.index())
    }

    /// Asks for the row of a function, and for its self costs.
    #[inline]
    pub fn prefetch(&self, id: FunctionId) {
        prefetch(self.functions.get(id.index()));
        prefetch(self.self_costs.row(id.index()).first());
    }

    /// Those of another run. In this one, functions are not found by their names any more.
    pub fn next(&mut self) -> OpenFunctions {
        // One by one: all names there are may be far more.
        for function in &self.functions {
            *slot(&mut self.first, function.name.index()) = None;
        }
        OpenFunctions {
            functions: room_like(&self.functions),
            self_costs: CostTable::new(self.self_costs.width()),
            unlisted_costs: CostTable::new(self.unlisted_costs.width()),
            first: std::mem::take(&mut self.first),
            others: Numbering::default(),
        }
    }

    /// Finds a function, or numbers it as a new one.
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
        let first = slot(&mut self.first, name.index());
        let id = FunctionId(match first {
            Some(first)
                if kind == BlockKind::Trace || first.object == object && first.file == file =>
            {
                return first.id;
            }
            Some(_) => self
                .others
                .number((object, file, name), functions.len(), |number| {
                    let known = &functions[number];
                    (known.object, known.file, known.name)
                }),
            None => next_index(functions.len()),
        });
        if id.index() == self.functions.len() {
            first.get_or_insert(FirstOfName { object, file, id });
            self.functions.push(OpenFunction {
                object,
                file,
                name,
                line: 0,
                line_source: LineSource::Nothing,
                blocks: 0,
                has_lines: false,
            });
            self.self_costs.push_zeros();
            self.unlisted_costs.push_zeros();
        }
        id
    }

    /// Ends the run. Functions have inclusive costs then, but for what these hold anyway.
    ///
    /// `invocations` says how many are counted of a function, and whether there is evidence of any.
    pub fn finish(
        self,
        is_listed: bool,
        invocations: impl Fn(usize, &OpenFunction) -> (u64, bool),
    ) -> FunctionTable {
        let functions = self.functions.iter().enumerate().map(|(row, open)| {
            let mut function = Function {
                object: open.object,
                file: open.file,
                name: open.name,
                line: open.line,
                invocations: 0,
                is_assumed: false,
                is_listed,
                has_lines: open.has_lines,
                before: 0,
                line_source: open.line_source,
            };
            let (counted, evidence) = invocations(row, open);
            function.set_invocations(counted, evidence);
            function
        });
        FunctionTable {
            functions: functions.collect(),
            self_costs: self.self_costs,
            inclusive_costs: self.unlisted_costs,
            numbers: Numbering::default(),
        }
    }
}

/// The functions of a profile by their numbers, with their costs.
#[derive(Debug, Default)]
pub(crate) struct FunctionTable {
    functions: Vec<Function>,
    pub self_costs: CostTable,
    pub inclusive_costs: CostTable,
    /// By [`Function::key`], from when one is first looked for.
    numbers: Numbering,
}

impl FunctionTable {
    pub fn as_slice(&self) -> &[Function] {
        &self.functions
    }

    pub fn as_mut_slice(&mut self) -> &mut [Function] {
        &mut self.functions
    }

    pub fn get_mut(&mut self, id: FunctionId) -> Option<&mut Function> {
        self.functions.get_mut(id.index())
    }

    /// Adds a function without costs.
    pub fn push(&mut self, function: Function) {
        self.functions.push(function);
        self.self_costs.push_zeros();
        self.inclusive_costs.push_zeros();
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
        let counted = own.counted_invocations();
        let counted = counted.saturating_add(function.counted_invocations());
        own.set_invocations(counted, own.is_assumed || function.is_assumed);
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

    /// How often it was invoked as far as that is counted.
    pub(crate) fn counted_invocations(&self) -> u64 {
        match self.is_assumed {
            true => 0,
            false => self.invocations,
        }
    }

    /// Sets how often it was invoked as far as that is counted. If there is `evidence` that it was
    /// invoked at all, it was so once at least.
    pub(crate) fn set_invocations(&mut self, counted: u64, evidence: bool) {
        self.is_assumed = counted == 0 && evidence;
        self.invocations = counted.max(self.is_assumed.into());
    }

    fn merge_line(&mut self, other: &Function, rule: LineRule) {
        match rule {
            LineRule::OwnCost if self.line_source >= other.line_source => {}
            LineRule::OwnCost => {
                (self.line_source, self.line) = (other.line_source, other.line);
            }
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
