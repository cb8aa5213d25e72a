//! The invocations of v4, listed by function.

use std::ops::Range;

use super::layout::{NO_CALLER, NO_INDEX, SUB_CALL_RECORD};
use super::narrow::{Narrowing, RangeStats};
use crate::profile::{Cost, FunctionId, InvocationCall, InvocationTree, Profile};
use crate::tables::{ByFunction, first_cost};

/// All invocations of a profile, by function.
///
/// Those of a trace, and of a v4 file, are in its invocation tree. Each function of an aggregate
/// counts as one invocation, called by the edge with the highest cost.
pub(super) struct InvocationLists<'a> {
    profile: &'a Profile,
    tree: Option<&'a InvocationTree>,
    /// Positions in the tree by function, in block order.
    order: ByFunction,
    /// Number of each invocation of the tree among those of its function.
    numbers: Vec<u32>,
    /// The start of the sub-calls of each function of an aggregate, after those of the tree.
    sum_sub_calls: Vec<u64>,
}

impl<'a> InvocationLists<'a> {
    /// Lists the invocations of a profile.
    pub fn new(profile: &'a Profile) -> Self {
        let tree = profile.invocations();
        let invocations = tree.map_or(&[][..], InvocationTree::invocations);
        let mut counts = vec![0u32; profile.functions().len()];
        let mut numbers = Vec::with_capacity(invocations.len());
        for invocation in invocations {
            let count = &mut counts[invocation.function.index()];
            numbers.push(*count);
            *count += 1;
        }
        let functions = invocations.iter().map(|invocation| invocation.function);
        let mut lists = InvocationLists {
            profile,
            tree,
            order: ByFunction::new(functions, counts.len()),
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

    /// The number of invocations of a function.
    pub fn count_of(&self, id: FunctionId) -> u64 {
        if self.is_sum(id) {
            1
        } else {
            self.order.of(id).len() as u64
        }
    }

    /// The functions that have only sums. Their sub-call records follow those of the tree.
    pub fn sums(&self) -> impl Iterator<Item = FunctionId> {
        let ids = self.profile.functions().map(|(id, _)| id);
        ids.filter(|&id| self.is_sum(id))
    }

    /// Adds the costs of all invocations of the tree.
    pub fn add_to(&self, ranges: &mut RangeStats) {
        let Some(tree) = self.tree else { return };
        for invocation in tree.invocations() {
            ranges.cost(invocation.self_cost);
            ranges.cost(invocation.inclusive);
        }
    }

    /// The invocations of a function in order.
    pub fn of(&self, id: FunctionId) -> impl Iterator<Item = StoredInvocation> {
        let sum = self.is_sum(id).then(|| self.sum(id));
        let tree = self.tree.filter(|_| sum.is_none());
        let single = tree.into_iter().flat_map(move |tree| {
            // The data of an invocation are far apart in memory. Reading those of many before any
            // is written lets the processor wait for all at once.
            let batches = self.order.of(id).chunks(BATCH);
            batches.flat_map(|positions| {
                let single = |&position: &u32| self.single(tree, position as usize);
                positions.iter().map(single).collect::<Vec<_>>()
            })
        });
        sum.into_iter().chain(single)
    }

    /// A function as one invocation.
    fn sum(&self, id: FunctionId) -> StoredInvocation {
        // The first one with the highest cost: `max_by_key` returns the last of equals.
        let edges = self.profile.called_from(id).rev();
        let call = edges.max_by_key(|edge| first_cost(edge.costs()));
        let first = self.sum_sub_calls[id.index()];
        StoredInvocation {
            self_cost: first_cost(self.profile.self_costs(id)),
            inclusive: first_cost(self.profile.inclusive_costs(id)),
            call: call.map(|edge| (first_cost(edge.costs()), edge.caller, 0, edge.line)),
            sub_calls: first..first + self.profile.sub_calls(id).len() as u64,
        }
    }

    /// An invocation of the tree.
    fn single(&self, tree: &InvocationTree, position: usize) -> StoredInvocation {
        let invocation = &tree.invocations()[position];
        let calls = tree.calls_of(position);
        StoredInvocation {
            self_cost: invocation.self_cost,
            inclusive: invocation.inclusive,
            call: tree.caller_of(position).map(|(caller, call)| {
                let call = &tree.calls()[call];
                let function = tree.invocations()[caller].function;
                (call.cost, function, self.numbers[caller], call.line)
            }),
            sub_calls: calls.start as u64..calls.end as u64,
        }
    }

    /// The calls of all invocations of the tree, whose sub-call records come first.
    pub fn calls(&self) -> &'a [InvocationCall] {
        self.tree.map_or(&[], InvocationTree::calls)
    }

    /// The number of the invocation that a call made, among those of its function.
    pub fn number_of_called(&self, call: &InvocationCall) -> u32 {
        let invocation = call.invocation();
        invocation.map_or(NO_INDEX, |position| self.numbers[position])
    }

    fn is_sum(&self, id: FunctionId) -> bool {
        !(self.tree.is_some() && self.profile.function(id).is_listed)
    }
}

/// The number of invocations that are looked up together.
const BATCH: usize = 64;

/// An invocation as it is stored.
#[derive(Default)]
pub(super) struct StoredInvocation {
    self_cost: Cost,
    inclusive: Cost,
    /// The cost, function, invocation and line of the call that made it.
    call: Option<(Cost, FunctionId, u32, u64)>,
    /// The positions of its sub-calls among those of the file.
    sub_calls: Range<u64>,
}

impl StoredInvocation {
    /// Its record. `sub_calls_at` is the address of the sub-call records of the file.
    pub fn record(&self, narrowing: &Narrowing, sub_calls_at: u64) -> [u32; 8] {
        let [own, inclusive] = [self.self_cost, self.inclusive].map(|cost| narrowing.cost(cost));
        let [cost, caller, number, line] =
            self.call.map_or(NO_CALLER, |(cost, caller, number, line)| {
                let (cost, line) = (narrowing.cost(cost), narrowing.count(line));
                [cost, caller.number(), number, line]
            });
        let Range { start, end } = self.sub_calls;
        let sub_calls = [end - start, sub_calls_at + start * SUB_CALL_RECORD];
        let [count, at] = sub_calls.map(|number| narrowing.count(number));
        [own, inclusive, cost, caller, number, line, count, at]
    }
}
