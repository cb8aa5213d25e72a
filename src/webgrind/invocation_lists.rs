//! The invocations of v4, listed by function.

use super::error::WriteError;
use super::layout::{NOBODY, SUB_CALL_RECORD, UNCALLED};
use super::narrow::{Narrowing, Survey};
use crate::profile::{FunctionId, InvocationCall, InvocationTree, Profile, first_cost};

/// All invocations of a profile, by function.
///
/// Those of a trace, and of a v4 file, are in its invocation tree. The functions of an aggregate
/// have sums only; each is taken as one invocation, called by the edge with the highest cost.
pub(super) struct InvocationLists<'a> {
    profile: &'a Profile,
    tree: Option<&'a InvocationTree>,
    /// Positions in the tree, those of one function together, in block order.
    order: Vec<u32>,
    /// Where the list of each function begins in `order`, and where the last one ends.
    starts: Vec<u32>,
    /// Number of each invocation of the tree among those of its function.
    numbers: Vec<u32>,
    /// Where the sub-calls of each function of an aggregate begin, after those of the tree.
    sum_sub_calls: Vec<u64>,
}

impl<'a> InvocationLists<'a> {
    /// Lists the invocations of a profile.
    pub fn new(profile: &'a Profile) -> Self {
        let tree = profile.invocations();
        let invocations = tree.map_or(&[][..], InvocationTree::invocations);
        let mut starts = vec![0u32; profile.functions().len() + 1];
        let mut numbers = Vec::with_capacity(invocations.len());
        for invocation in invocations {
            let count = &mut starts[invocation.function.index() + 1];
            numbers.push(*count);
            *count += 1;
        }
        for f in 1..starts.len() {
            starts[f] += starts[f - 1];
        }
        let mut order = vec![0; invocations.len()];
        for (position, (invocation, number)) in (0u32..).zip(invocations.iter().zip(&numbers)) {
            let start = starts[invocation.function.index()];
            order[(start + number) as usize] = position;
        }
        let mut lists = InvocationLists {
            profile,
            tree,
            order,
            starts,
            numbers,
            sum_sub_calls: Vec::new(),
        };
        let mut sub_calls = lists.calls().len() as u64;
        for (id, _) in profile.functions() {
            lists.sum_sub_calls.push(sub_calls);
            if lists.is_sum(id) {
                sub_calls += profile.sub_calls(id).len() as u64;
            }
        }
        lists
    }

    /// How many invocations a function has.
    pub fn count_of(&self, id: FunctionId) -> u64 {
        if self.is_sum(id) {
            1
        } else {
            self.in_tree(id).len() as u64
        }
    }

    /// The functions that have sums only; their sub-call records follow those of the tree.
    pub fn sums(&self) -> impl Iterator<Item = FunctionId> {
        let ids = self.profile.functions().map(|(id, _)| id);
        ids.filter(|&id| self.is_sum(id))
    }

    /// Takes in the costs of all invocations of the tree.
    pub fn survey(&self, survey: &mut Survey) {
        let Some(tree) = self.tree else { return };
        for invocation in tree.invocations() {
            survey.cost(invocation.self_cost);
            survey.cost(invocation.inclusive);
        }
    }

    /// Gives the records of a function's invocations in order.
    ///
    /// `sub_calls_at` is where the sub-call records of the file begin.
    pub fn of(
        &self,
        id: FunctionId,
        narrowing: &Narrowing,
        sub_calls_at: u64,
        mut record: impl FnMut([u32; 8]) -> Result<(), WriteError>,
    ) -> Result<(), WriteError> {
        let address = |first: u64| narrowing.count(sub_calls_at + first * SUB_CALL_RECORD);
        if self.is_sum(id) {
            return record(self.sum_record(id, narrowing, address(self.sum_sub_calls[id.index()])));
        }
        let Some(tree) = self.tree else { return Ok(()) };
        // What belongs to an invocation lies far apart in memory. One step at a time for many of
        // them lets a processor wait for all of it at once.
        let mut batch = Vec::with_capacity(BATCH);
        for positions in self.in_tree(id).chunks(BATCH) {
            batch.extend(positions.iter().map(|&position| {
                let position = position as usize;
                let invocation = &tree.invocations()[position];
                let costs = [invocation.self_cost, invocation.inclusive];
                (costs, tree.calls_of(position), tree.caller_of(position))
            }));
            for (costs, calls, caller) in batch.drain(..) {
                let [self_cost, inclusive] = costs.map(|cost| narrowing.cost(cost));
                let [call_cost, caller, invocation, line] =
                    caller.map_or(UNCALLED, |(caller, call)| {
                        let call = &tree.calls()[call];
                        [
                            narrowing.cost(call.cost),
                            tree.invocations()[caller].function.number(),
                            self.numbers[caller],
                            narrowing.count(call.line),
                        ]
                    });
                let (count, at) = (
                    narrowing.count(calls.len() as u64),
                    address(calls.start as u64),
                );
                record([
                    self_cost, inclusive, call_cost, caller, invocation, line, count, at,
                ])?;
            }
        }
        Ok(())
    }

    /// The calls of all invocations of the tree, whose sub-call records come first.
    pub fn calls(&self) -> &'a [InvocationCall] {
        self.tree.map_or(&[], InvocationTree::calls)
    }

    /// Which invocation of its function a call made.
    pub fn number_of_called(&self, call: &InvocationCall) -> u32 {
        let invocation = call.invocation();
        invocation.map_or(NOBODY, |position| self.numbers[position])
    }

    fn sum_record(&self, id: FunctionId, narrowing: &Narrowing, sub_calls_at: u32) -> [u32; 8] {
        let self_cost = narrowing.cost(first_cost(self.profile.self_costs(id)));
        let inclusive = narrowing.cost(first_cost(self.profile.inclusive_costs(id)));
        let count = narrowing.count(self.profile.sub_calls(id).len() as u64);
        // The first of those with the highest cost: `max_by_key` takes the last of equals.
        let edges = self.profile.called_from(id).rev();
        let edge = edges.max_by_key(|edge| first_cost(edge.costs()));
        let [call_cost, caller, invocation, line] = edge.map_or(UNCALLED, |edge| {
            let cost = narrowing.cost(first_cost(edge.costs()));
            [cost, edge.caller.number(), 0, narrowing.count(edge.line)]
        });
        [
            self_cost,
            inclusive,
            call_cost,
            caller,
            invocation,
            line,
            count,
            sub_calls_at,
        ]
    }

    fn is_sum(&self, id: FunctionId) -> bool {
        !(self.tree.is_some() && self.profile.function(id).is_listed)
    }

    fn in_tree(&self, id: FunctionId) -> &[u32] {
        let f = id.index();
        &self.order[self.starts[f] as usize..self.starts[f + 1] as usize]
    }
}

/// How many invocations are looked up together.
const BATCH: usize = 64;
