//! The invocations of v4, listed by function.

use std::ops::Range;

use super::layout::{NO_CALLER, NO_INDEX, SUB_CALL_RECORD};
use super::narrow::{Narrowing, RangeStats};
use crate::profile::{Cost, FunctionId, InvocationTree, Profile};
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
    /// The number of all sub-calls.
    pub sub_call_count: u64,
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
            sub_call_count: tree.map_or(0, |tree| tree.calls().len() as u64),
        };
        for (id, _) in profile.functions() {
            lists.sum_sub_calls.push(lists.sub_call_count);
            if lists.is_sum(id) {
                lists.sub_call_count += profile.sub_calls(id).len() as u64;
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

    /// The functions that have only sums.
    pub fn sums(&self) -> impl Iterator<Item = FunctionId> {
        let ids = self.profile.functions().map(|(id, _)| id);
        ids.filter(|&id| self.is_sum(id))
    }

    /// Adds the costs of all invocations of the tree, and the numbers of all sub-calls.
    pub fn add_to(&self, ranges: &mut RangeStats) {
        for invocation in self.tree.iter().flat_map(|tree| tree.invocations()) {
            ranges.cost(invocation.self_cost);
            ranges.cost(invocation.inclusive);
        }
        for call in self.sub_calls() {
            ranges.count(call.line);
            ranges.cost(call.cost);
        }
    }

    /// The sub-calls of all invocations: those of the tree, then those of functions that have only sums.
    pub fn sub_calls(&self) -> impl Iterator<Item = SubCall> {
        let calls = self.tree.map_or(&[][..], InvocationTree::calls).iter();
        let single = calls.map(|call| SubCall {
            callee: call.callee,
            invocation: (call.invocation()).map_or(NO_INDEX, |position| self.numbers[position]),
            line: call.line,
            cost: call.cost,
        });
        let edges = self.sums().flat_map(|id| self.profile.sub_calls(id));
        single.chain(edges.map(|edge| SubCall {
            callee: edge.callee,
            invocation: 0,
            line: edge.line,
            cost: first_cost(edge.costs()),
        }))
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

    fn is_sum(&self, id: FunctionId) -> bool {
        !(self.tree.is_some() && self.profile.function(id).is_listed)
    }
}

/// The number of invocations that are looked up together.
const BATCH: usize = 64;

/// A call that an invocation made.
pub(super) struct SubCall {
    pub callee: FunctionId,
    /// The number of the invocation that it made, among those of the callee.
    pub invocation: u32,
    pub line: u64,
    pub cost: Cost,
}

/// An invocation as it is stored.
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
