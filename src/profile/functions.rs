//! The functions of a profile.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::costs::{Cost, CostTable};
use super::ids::{FunctionId, NameId, next_index, room_like};
use super::numbering::{Numbered, Numbering};
use super::{Kind, ModelError};

/// A function of a finished profile.
///
/// Its costs are those of the first wanted event; [`Profile`](super::Profile) has the further ones.
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
    /// Sum of its own cost lines.
    pub self_cost: Cost,
    /// Its self cost and the cost of all calls it made; see
    /// [`InclusiveCost`](super::InclusiveCost).
    pub inclusive: Cost,
    /// How often it was invoked.
    pub invocations: u64,
    /// Cost of all calls to it.
    pub call_cost: Cost,
    /// Whether the [`InvocationTree`](super::InvocationTree) or the
    /// [`ContextTree`](super::ContextTree), where one is kept, holds all its invocations.
    pub is_listed: bool,
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

/// What identifies a function across runs and inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct FunctionKey {
    object: NameId,
    file: NameId,
    name: NameId,
    before: u32,
    is_listed: bool,
}

impl FunctionKey {
    fn of(function: &Function) -> Self {
        FunctionKey {
            object: function.object,
            file: function.file,
            name: function.name,
            before: function.before,
            is_listed: function.is_listed,
        }
    }
}

/// The functions of a finished profile by their numbers, with their costs.
#[derive(Debug, Default)]
pub(super) struct FunctionTable {
    functions: Vec<Function>,
    /// Self costs of the events after the first.
    pub more_self: CostTable,
    /// Inclusive costs of the events after the first.
    pub more_inclusive: CostTable,
    /// Built when something is merged into the table for the first time.
    by_key: HashMap<FunctionKey, FunctionId, RandomState>,
}

impl FunctionTable {
    pub fn with_capacity(functions: usize) -> Self {
        FunctionTable {
            functions: Vec::with_capacity(functions),
            ..FunctionTable::default()
        }
    }

    pub fn as_slice(&self) -> &[Function] {
        &self.functions
    }

    pub fn as_mut_slice(&mut self) -> &mut [Function] {
        &mut self.functions
    }

    /// Sets the inclusive costs of the functions, event by event; functions missing at the end
    /// have none. Without any event nothing changes.
    pub fn set_inclusive(&mut self, costs: &[Vec<Cost>]) {
        let cost = |event: &Vec<Cost>, row: usize| event.get(row).copied().unwrap_or(0);
        let Some((first, more)) = costs.split_first() else {
            return;
        };
        self.more_inclusive = CostTable::default();
        for (row, function) in self.functions.iter_mut().enumerate() {
            function.inclusive = cost(first, row);
            let more: Vec<Cost> = more.iter().map(|event| cost(event, row)).collect();
            self.more_inclusive.add(row, &more);
        }
    }

    pub fn push(&mut self, function: Function) {
        self.functions.push(function);
    }

    /// Adds a function of another table, whose names are already those of this one.
    pub fn merge(&mut self, function: &Function, rule: LineRule) -> Result<FunctionId, ModelError> {
        if self.by_key.is_empty() {
            let numbers = (0u32..).map(FunctionId);
            let keys = self.functions.iter().map(FunctionKey::of);
            self.by_key = keys.zip(numbers).collect();
        }
        let key = FunctionKey::of(function);
        if let Some(&id) = self.by_key.get(&key) {
            let own = &mut self.functions[id.index()];
            own.merge_line(function, rule);
            own.self_cost = own.self_cost.saturating_add(function.self_cost);
            own.inclusive = own.inclusive.saturating_add(function.inclusive);
            own.invocations = own.invocations.saturating_add(function.invocations);
            own.call_cost = own.call_cost.saturating_add(function.call_cost);
            return Ok(id);
        }
        let id = next_index(self.functions.len()).map(FunctionId);
        let id = id.ok_or(ModelError::TooMany { what: "functions" })?;
        self.functions.push(function.clone());
        self.by_key.insert(key, id);
        Ok(id)
    }
}

impl Function {
    fn merge_line(&mut self, other: &Function, rule: LineRule) {
        match rule {
            LineRule::First if self.line_source < other.line_source => {
                self.line_source = other.line_source;
                self.line = other.line;
            }
            LineRule::First => {}
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

/// A function while its blocks are being read.
#[derive(Debug)]
pub(super) struct Draft {
    pub object: NameId,
    pub file: NameId,
    pub name: NameId,
    pub line_source: LineSource,
    pub line: u64,
    pub self_cost: Cost,
    /// Blocks seen.
    pub blocks: u64,
    /// What to add to self cost and listed calls for the inclusive cost: the cost of calls that the
    /// function made, but that are listed for another one because a proxy is stepped over.
    pub inclusive_adjustment: Cost,
}

impl Draft {
    /// Takes a line unless one from as good a source is there already.
    #[inline]
    pub fn offer_line(&mut self, source: LineSource, line: u64) {
        if self.line_source < source {
            self.line_source = source;
            self.line = line;
        }
    }
}

/// What identifies a function while its blocks are being read: its object, file and name.
type DraftKey = (NameId, NameId, NameId);

impl Draft {
    /// What identifies it. In a trace that is the name alone.
    fn key(&self, kind: Kind) -> DraftKey {
        key(kind, self.object, self.file, self.name)
    }
}

#[inline]
fn key(kind: Kind, object: NameId, file: NameId, name: NameId) -> DraftKey {
    match kind {
        Kind::Trace => (NameId::ANY, NameId::ANY, name),
        Kind::Aggregate => (object, file, name),
    }
}

/// The functions of an input, or of one run of a trace, while their blocks are being read.
#[derive(Debug, Default)]
pub(super) struct Drafts {
    drafts: Vec<Draft>,
    numbers: Numbering,
    /// By number of a name, the function last found for it: most names belong to a single one. It
    /// may be one of an earlier run.
    recent: Vec<FunctionId>,
}

/// Stands for a name without a function.
const NO_FUNCTION: FunctionId = FunctionId(u32::MAX);

impl Drafts {
    pub fn is_empty(&self) -> bool {
        self.drafts.is_empty()
    }

    #[inline]
    pub fn get_mut(&mut self, id: FunctionId) -> Option<&mut Draft> {
        self.drafts.get_mut(id.index())
    }

    /// Finds a function, or numbers it as a new one. All functions of a run are of the same kind.
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
        let recent = self.recent.get(name.index()).copied();
        let draft = recent.and_then(|function| self.drafts.get(function.index()));
        match (recent, draft) {
            (Some(function), Some(draft)) if draft.key(kind) == key(kind, object, file, name) => {
                Numbered::Known(function)
            }
            _ => self.find_in_table(kind, [object, file, name]),
        }
    }

    #[cold]
    fn find_in_table(&mut self, kind: Kind, place: [NameId; 3]) -> Numbered<FunctionId> {
        let [object, file, name] = place;
        let key = key(kind, object, file, name);
        let drafts = &self.drafts;
        let found = self
            .numbers
            .number(key, |number| drafts[number].key(kind))
            .map(FunctionId);
        let (Numbered::Known(function) | Numbered::New(function)) = found else {
            return Numbered::Full;
        };
        if self.recent.len() <= name.index() {
            self.recent.resize(name.index() + 1, NO_FUNCTION);
        }
        self.recent[name.index()] = function;
        if found == Numbered::New(function) {
            self.drafts.push(Draft {
                object,
                file,
                name,
                line_source: LineSource::Nothing,
                line: 0,
                self_cost: 0,
                blocks: 0,
                inclusive_adjustment: 0,
            });
        }
        found
    }

    /// Takes all functions away, and begins another run.
    pub fn take(&mut self) -> Vec<Draft> {
        self.numbers = Numbering::default();
        let next = room_like(&self.drafts);
        std::mem::replace(&mut self.drafts, next)
    }
}
