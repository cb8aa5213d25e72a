//! The parts of the inputs: what can be told apart in them. A profiler writes a part of an aggregate at
//! each dump, or for each thread; each run of a trace is one; and so is an input without any of these.

use std::iter::repeat;
use std::sync::Arc;

use crate::maps::{HashMap, HashSet, IndexSet};
use crate::tables::{
    ANY_WIDTH, CallTable, Cost, CostTable, FunctionId, FunctionTable, next_index, saturated, slot,
};

/// The most parts of an input that are all listed; further parts are listed only if their trigger
/// is new. A compressed file of a few bytes can contain any number of parts.
const MAX_PARTS: usize = 1000;

/// The beginning of a trigger if the program named the part by a client request, such as
/// `CALLGRIND_DUMP_STATS_AT("name")`.
const CLIENT_REQUEST: &[u8] = b"Client Request: ";

/// The header of a part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PartHeader {
    /// The number of its `part:` line; of a run of a trace, its position in the input, from 1.
    pub number: Option<u64>,
    /// The number of its `thread:` line.
    pub thread: Option<u64>,
    /// The value of its `desc: Trigger:` line, which is the reason for the dump; empty if there is
    /// none.
    pub trigger: Arc<[u8]>,
}

impl PartHeader {
    /// Its name, if the profiled program gave it one by a client request.
    pub fn name(&self) -> Option<&[u8]> {
        self.trigger.strip_prefix(CLIENT_REQUEST)
    }

    /// Whether its header tells it apart from other sections of its input.
    fn is_distinct(&self) -> bool {
        self.number.is_some() || self.thread.is_some() || !self.trigger.is_empty()
    }
}

/// A part of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Part<'a> {
    /// The name of the input in messages.
    pub input: &'a str,
    /// Its header.
    pub header: &'a PartHeader,
    /// The profiled command, according to a `cmd:` line; empty if there is none.
    pub command: &'a [u8],
    /// The number of calls in it.
    pub calls: u64,
    /// The sums of its self costs, as in [`Profile::self_costs`](super::Profile::self_costs).
    pub totals: &'a [Cost],
}

/// The parts of some inputs.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    inputs: IndexSet<Box<str>>,
    /// The triggers and commands.
    texts: HashSet<Arc<[u8]>>,
    rows: Vec<ListedPart>,
    /// One row of costs for each part.
    pub totals: CostTable,
    /// The number of parts that are not listed.
    pub unlisted: u64,
}

/// A listed part. `input` is a position in the list of inputs. Equal triggers and commands share
/// memory.
#[derive(Clone, Debug)]
struct ListedPart {
    input: usize,
    header: PartHeader,
    command: Arc<[u8]>,
    calls: u64,
}

impl Parts {
    /// Adds a part of the only input. Sections without anything that tells them apart are one.
    pub fn push(&mut self, part: Part<'_>) {
        let is_same = |row: &ListedPart| row.header == *part.header;
        if !part.header.is_distinct()
            && let Some(row) = self.rows.iter().position(is_same)
        {
            let calls = &mut self.rows[row].calls;
            *calls = calls.saturating_add(part.calls);
            self.totals.widen(part.totals.len());
            return self.totals.add::<ANY_WIDTH>(row, part.totals);
        }
        if self.rows.len() >= MAX_PARTS && self.texts.contains(&part.header.trigger) {
            self.unlisted = self.unlisted.saturating_add(1);
            return;
        }
        self.add(part);
    }

    /// Adds the parts of another run of the only input.
    pub fn extend(&mut self, run: &Parts) {
        self.unlisted = self.unlisted.saturating_add(run.unlisted);
        run.iter().for_each(|part| self.push(part));
    }

    /// Adds the parts of other inputs, which have the same events.
    pub fn append(&mut self, other: &Parts) {
        self.unlisted = self.unlisted.saturating_add(other.unlisted);
        other.iter().for_each(|part| self.add(part));
    }

    fn add(&mut self, part: Part<'_>) {
        let trigger = self.text(&part.header.trigger);
        let command = self.text(part.command);
        let input = self.inputs.insert_full(part.input.into()).0;
        self.rows.push(ListedPart {
            input,
            header: PartHeader {
                trigger,
                ..*part.header
            },
            command,
            calls: part.calls,
        });
        self.totals.widen(part.totals.len());
        self.totals.push::<ANY_WIDTH>(part.totals);
    }

    /// The text, in memory that equal ones share.
    fn text(&mut self, text: &[u8]) -> Arc<[u8]> {
        if let Some(known) = self.texts.get(text) {
            return Arc::clone(known);
        }
        let text: Arc<[u8]> = text.into();
        self.texts.insert(Arc::clone(&text));
        text
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = Part<'_>> {
        (0..self.rows.len()).map(|row| self.at(row))
    }

    pub fn at(&self, row: usize) -> Part<'_> {
        let part = &self.rows[row];
        Part {
            input: &self.inputs[part.input],
            header: &part.header,
            command: &part.command,
            calls: part.calls,
            totals: self.totals.row(row),
        }
    }
}

/// The costs of the current part. They are the difference between the self costs of its functions
/// now and before their first blocks in the part. Across all parts, it also counts the invocations
/// of functions without callers.
///
/// So cost lines take no extra time, and a part takes time only for its blocks.
#[derive(Debug, Default)]
pub(super) struct OpenPart {
    /// The number of parts before it.
    ended: u32,
    /// Whether it is a later part of a run of the program, which began with another part.
    pub continues_run: bool,
    /// The blocks of each function.
    seen: Vec<Seen>,
    functions: Vec<FunctionId>,
    /// The sums of the functions' self costs before the part.
    before: Vec<i128>,
    /// The stated numbers of invocations minus calls, by function.
    stated: HashMap<FunctionId, i128>,
    /// The number of calls in the part.
    pub calls: u64,
}

/// The blocks of a function.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    /// The number of the last part with a block of it, from 1; 0 if there is none.
    part: u32,
    /// The number of parts that begin a run and have a block of it, except parts that state its
    /// invocations.
    runs: u32,
}

impl OpenPart {
    /// Opens a block of a function with these self costs.
    #[inline(always)]
    pub fn open_block(&mut self, function: FunctionId, costs: &CostTable) {
        let seen = self.seen.get(function.index());
        if seen.is_none_or(|seen| seen.part <= self.ended) {
            self.add(function, costs);
        }
    }

    #[inline(never)]
    fn add(&mut self, function: FunctionId, costs: &CostTable) {
        let seen = slot(&mut self.seen, function.index());
        seen.part = self.ended + 1;
        seen.runs += u32::from(!self.continues_run);
        self.functions.push(function);
        let costs = costs.row(function.index());
        if self.before.len() < costs.len() {
            self.before.resize(costs.len(), 0);
        }
        for (sum, &cost) in self.before.iter_mut().zip(costs) {
            *sum += i128::from(cost);
        }
    }

    /// Records the stated invocations of a function minus its calls. They replace the invocation
    /// that its first block implies, so the open block must be the first one in the part.
    pub fn state_more_invocations(&mut self, function: FunctionId, more: i128) {
        let seen = slot(&mut self.seen, function.index());
        seen.runs -= u32::from(!self.continues_run).min(seen.runs);
        let stated = self.stated.entry(function).or_default();
        *stated = stated.saturating_add(more);
    }

    /// Sets the invocations of an aggregate's functions: the number of calls to a function, or if
    /// there are none, the number of runs with a block of it. Returns whether any call is counted.
    /// If none is, each function is assumed to be invoked once.
    pub fn count_invocations(&self, functions: &mut FunctionTable, calls: &CallTable) -> bool {
        let mut called = vec![0u64; functions.as_slice().len()];
        for edge in calls.edges() {
            let count = &mut called[edge.callee.index()];
            *count = count.saturating_add(edge.calls);
        }
        let counts_calls =
            called.iter().any(|&calls| calls > 0) || self.stated.values().any(|&more| more != 0);
        for (row, (function, calls)) in functions.as_mut_slice().iter_mut().zip(called).enumerate()
        {
            if !counts_calls {
                function.set_invocations(0, true);
                continue;
            }
            let stated = self.stated.get(&FunctionId(next_index(row)));
            let seen = self.seen.get(row).copied().unwrap_or_default();
            let runs = if calls == 0 { seen.runs } else { 0 };
            let counted = i128::from(calls) + i128::from(runs) + stated.unwrap_or(&0);
            let counted = u64::try_from(counted.max(0)).unwrap_or(u64::MAX);
            let is_invoked = seen.part > 0 && stated.is_none_or(|&more| more >= 0);
            function.set_invocations(counted, is_invoked);
        }
        counts_calls
    }

    /// The sums of the self costs of the part. `costs` are those of all functions.
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
        self.ended += 1;
        self.calls = 0;
        self.functions.clear();
        self.before.fill(0);
    }
}
