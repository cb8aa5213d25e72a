//! The parts of sums: what a profiler wrote at each of its dumps, or for each thread.

use crate::maps::IndexSet;
use crate::tables::{ANY_WIDTH, Cost, CostTable, FunctionId, saturated};

/// The most parts of an input that are listed whatever they are; after these, only those whose trigger
/// is new. A file of a few compressed bytes can have any number of parts.
const MAX_LISTED: usize = 1000;

/// How the trigger of a part begins that the program has named by a client request, such as
/// `CALLGRIND_DUMP_STATS_AT("name")`.
const CLIENT_REQUEST: &[u8] = b"Client Request: ";

/// What the header of a part says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PartHeader<'a> {
    /// The number of its `part:` line.
    pub number: Option<u64>,
    /// The number of its `thread:` line.
    pub thread: Option<u64>,
    /// The value of its `desc: Trigger:` line: why it was written. Empty without one.
    pub trigger: &'a [u8],
}

impl<'a> PartHeader<'a> {
    /// The name that the profiled program has given to it by a client request, if it has.
    pub fn name(&self) -> Option<&'a [u8]> {
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
    pub header: PartHeader<'a>,
    /// The sums of its self costs: as [`Profile::self_costs`](super::Profile::self_costs).
    pub totals: &'a [Cost],
}

/// The parts of some inputs.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    inputs: IndexSet<Box<str>>,
    triggers: IndexSet<Box<[u8]>>,
    rows: Vec<Row>,
    /// A row of costs for each.
    pub totals: CostTable,
    /// How many are not listed.
    pub unlisted: u64,
}

/// A part, with its input and trigger as positions in their lists.
#[derive(Clone, Copy, Debug)]
struct Row {
    input: usize,
    trigger: usize,
    number: Option<u64>,
    thread: Option<u64>,
}

impl Parts {
    /// Adds a part of the only input.
    pub fn push(&mut self, input: &str, header: PartHeader<'_>, totals: &[Cost]) {
        let is_new = !self.triggers.contains(header.trigger);
        if self.rows.len() >= MAX_LISTED && !is_new {
            self.unlisted = self.unlisted.saturating_add(1);
            return;
        }
        self.rows.push(Row {
            input: self.inputs.insert_full(input.into()).0,
            trigger: self.triggers.insert_full(header.trigger.into()).0,
            number: header.number,
            thread: header.thread,
        });
        self.totals.widen(totals.len());
        self.totals.push::<ANY_WIDTH>(totals);
    }

    /// Adds those of other inputs, which have the same events.
    pub fn append(&mut self, other: &Parts) {
        self.totals.widen(other.totals.width());
        self.unlisted = self.unlisted.saturating_add(other.unlisted);
        for (row, part) in other.rows.iter().enumerate() {
            self.rows.push(Row {
                input: self.inputs.insert_full(other.inputs[part.input].clone()).0,
                trigger: self
                    .triggers
                    .insert_full(other.triggers[part.trigger].clone())
                    .0,
                ..*part
            });
            self.totals.push::<ANY_WIDTH>(other.totals.row(row));
        }
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = Part<'_>> {
        self.rows.iter().enumerate().map(|(row, part)| Part {
            input: &self.inputs[part.input],
            header: PartHeader {
                number: part.number,
                thread: part.thread,
                trigger: &self.triggers[part.trigger],
            },
            totals: self.totals.row(row),
        })
    }
}

/// What the part that is being read has added to the sums: the difference between the self costs of
/// its functions now and before their first blocks in it.
///
/// So no line costs more for it, and a part no more than its blocks.
#[derive(Debug, Default)]
pub(super) struct OpenPart {
    /// Counts the parts, from 1.
    number: usize,
    /// In which part each function last had a block.
    seen: Vec<usize>,
    functions: Vec<FunctionId>,
    /// The sums of their costs before.
    before: Vec<i128>,
}

impl OpenPart {
    /// Takes in a block.
    #[inline(always)]
    pub fn open_block(&mut self, function: FunctionId, costs: &CostTable) {
        if self.seen.get(function.index()) != Some(&(self.number + 1)) {
            self.add(function, costs);
        }
    }

    #[inline(never)]
    fn add(&mut self, function: FunctionId, costs: &CostTable) {
        if self.seen.len() <= function.index() {
            self.seen.resize(function.index() + 1, 0);
        }
        self.seen[function.index()] = self.number + 1;
        self.functions.push(function);
        let costs = costs.row(function.index());
        if self.before.len() < costs.len() {
            self.before.resize(costs.len(), 0);
        }
        for (sum, &cost) in self.before.iter_mut().zip(costs) {
            *sum += i128::from(cost);
        }
    }

    /// Ends the part, and returns the sums of its costs.
    pub fn end(&mut self, costs: &CostTable) -> Vec<Cost> {
        let mut totals = vec![0i128; costs.width()];
        for function in &self.functions {
            for (total, &cost) in totals.iter_mut().zip(costs.row(function.index())) {
                *total += i128::from(cost);
            }
        }
        for (total, before) in totals.iter_mut().zip(&self.before) {
            *total -= before;
        }
        self.number += 1;
        self.functions.clear();
        self.before.fill(0);
        totals.into_iter().map(saturated).collect()
    }
}
