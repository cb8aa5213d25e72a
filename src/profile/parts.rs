//! The parts of sums: what a profiler wrote at each of its dumps, or for each thread.

use std::iter::repeat;
use std::sync::Arc;

use crate::maps::{HashMap, HashSet, IndexSet};
use crate::tables::{ANY_WIDTH, Cost, CostTable, FunctionId, saturated, slot};

/// The most parts of an input that are listed whatever they are; after these, only those whose trigger
/// is new. A file of a few compressed bytes can have any number of parts.
const MAX_LISTED: usize = 1000;

/// How the trigger of a part begins that the program has named by a client request, such as
/// `CALLGRIND_DUMP_STATS_AT("name")`.
const CLIENT_REQUEST: &[u8] = b"Client Request: ";

/// What the header of a part says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PartHeader {
    /// The number of its `part:` line.
    pub number: Option<u64>,
    /// The number of its `thread:` line.
    pub thread: Option<u64>,
    /// The value of its `desc: Trigger:` line: why it was written. Empty without one.
    pub trigger: Arc<[u8]>,
}

impl PartHeader {
    /// The name that the profiled program has given to it by a client request, if it has.
    pub fn name(&self) -> Option<&[u8]> {
        self.trigger.strip_prefix(CLIENT_REQUEST)
    }
}

/// A part of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Part<'a> {
    /// The input, as messages call it.
    pub input: &'a str,
    /// What its header says.
    pub header: &'a PartHeader,
    /// The sums of its self costs: as [`Profile::self_costs`](super::Profile::self_costs).
    pub totals: &'a [Cost],
}

/// The parts of some inputs.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    inputs: IndexSet<Box<str>>,
    triggers: HashSet<Arc<[u8]>>,
    rows: Vec<Row>,
    /// A row of costs for each.
    pub totals: CostTable,
    /// How many are not listed.
    pub unlisted: u64,
}

/// A part, with its input as a position in their list. Equal triggers are shared.
#[derive(Clone, Debug)]
struct Row {
    input: usize,
    header: PartHeader,
}

impl Parts {
    /// Adds a part of the only input.
    pub fn push(&mut self, input: &str, header: &PartHeader, totals: &[Cost]) {
        if self.rows.len() >= MAX_LISTED && self.triggers.contains(&header.trigger) {
            self.unlisted = self.unlisted.saturating_add(1);
            return;
        }
        self.push_row(input, header);
        self.totals.widen(totals.len());
        self.totals.push::<ANY_WIDTH>(totals);
    }

    /// Adds those of other inputs, which have the same events.
    pub fn append(&mut self, other: &Parts) {
        self.unlisted = self.unlisted.saturating_add(other.unlisted);
        self.totals.widen(other.totals.width());
        for part in other.iter() {
            self.push_row(part.input, part.header);
            self.totals.push::<ANY_WIDTH>(part.totals);
        }
    }

    fn push_row(&mut self, input: &str, header: &PartHeader) {
        let mut header = header.clone();
        match self.triggers.get(&header.trigger) {
            Some(trigger) => header.trigger = Arc::clone(trigger),
            None => drop(self.triggers.insert(Arc::clone(&header.trigger))),
        }
        let input = self.inputs.insert_full(input.into()).0;
        self.rows.push(Row { input, header });
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = Part<'_>> {
        self.rows.iter().enumerate().map(|(row, part)| Part {
            input: &self.inputs[part.input],
            header: &part.header,
            totals: self.totals.row(row),
        })
    }
}

/// What the part that is being read has added to the sums: the difference between the self costs of
/// its functions now and before their first blocks in it. And how often functions were invoked that
/// nothing calls, in all parts.
///
/// So no line costs more for it, and a part no more than its blocks.
#[derive(Debug)]
pub(super) struct OpenPart {
    /// Counts the parts, from 1.
    number: u32,
    /// Whether a run of the program begins with it: it is no later part of one.
    pub begins_run: bool,
    /// By their numbers, what is known of the functions.
    seen: Vec<Seen>,
    functions: Vec<FunctionId>,
    /// The sums of their costs before.
    before: Vec<i128>,
    /// How many more invocations functions have than calls, where that is stated.
    stated: HashMap<FunctionId, i128>,
}

/// What is known of the blocks of a function.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    /// The part in which it last had one.
    part: u32,
    /// How many of the parts with which runs begin have one.
    runs: u32,
}

impl Default for OpenPart {
    fn default() -> Self {
        OpenPart {
            number: 1,
            begins_run: true,
            seen: Vec::new(),
            functions: Vec::new(),
            before: Vec::new(),
            stated: HashMap::default(),
        }
    }
}

impl OpenPart {
    /// Takes in a block.
    #[inline(always)]
    pub fn open_block(&mut self, function: FunctionId, costs: &CostTable) {
        let seen = self.seen.get(function.index());
        if seen.is_none_or(|seen| seen.part != self.number) {
            self.add(function, costs);
        }
    }

    #[inline(never)]
    fn add(&mut self, function: FunctionId, costs: &CostTable) {
        let seen = slot(&mut self.seen, function.index());
        seen.part = self.number;
        seen.runs += u32::from(self.begins_run);
        self.functions.push(function);
        let costs = costs.row(function.index());
        if self.before.len() < costs.len() {
            self.before.resize(costs.len(), 0);
        }
        for (sum, &cost) in self.before.iter_mut().zip(costs) {
            *sum += i128::from(cost);
        }
    }

    /// Takes in how many more invocations than calls a function has, whose first block this is.
    pub fn state_more_invocations(&mut self, function: FunctionId, more: i128) {
        let seen = slot(&mut self.seen, function.index());
        seen.runs = seen.runs.saturating_sub(self.begins_run.into());
        let stated = self.stated.entry(function).or_default();
        *stated = stated.saturating_add(more);
    }

    /// Whether it is stated of any function that it was invoked without a call.
    pub fn states_invocations(&self) -> bool {
        self.stated.values().any(|&more| more != 0)
    }

    /// How often a function was invoked, to which there are so many calls; and whether there is
    /// evidence of it, however often. `has_block`: it is in some part.
    pub fn invocations(&self, id: FunctionId, calls: u64, has_block: bool) -> (u64, bool) {
        let seen = self.seen.get(id.index()).copied().unwrap_or_default();
        let stated = self.stated.get(&id);
        let runs = if calls == 0 { seen.runs } else { 0 };
        let counted = i128::from(calls) + i128::from(runs) + stated.unwrap_or(&0);
        let counted = u64::try_from(counted.max(0)).unwrap_or(u64::MAX);
        (counted, has_block && stated.is_none_or(|&more| more >= 0))
    }

    /// The sums of its costs.
    pub fn totals(&self, costs: &CostTable) -> Vec<Cost> {
        let before = self.before.iter().copied().chain(repeat(0));
        let mut totals: Vec<i128> = before.take(costs.width()).map(|cost| -cost).collect();
        for function in &self.functions {
            for (total, &cost) in totals.iter_mut().zip(costs.row(function.index())) {
                *total += i128::from(cost);
            }
        }
        totals.into_iter().map(saturated).collect()
    }

    /// Ends the part.
    pub fn end(&mut self) {
        self.number += 1;
        self.functions.clear();
        self.before.fill(0);
    }
}
