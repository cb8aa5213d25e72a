//! The invocation tree of a trace, as v4 stores it.

use std::collections::VecDeque;

use super::proxies::replaced;
use crate::maps::HashMap;
use crate::tables::{ColumnMap, Cost, FunctionId, next_index};

/// The number of an invocation, in the order in which blocks end.
pub(super) type InvocationId = u32;

/// No invocation, or no call.
pub(super) const NONE: u32 = u32::MAX;

/// The callees of proxies, until they replace the calls to these.
pub(super) type CallsOfProxies = HashMap<InvocationId, VecDeque<InvocationCall>>;

/// One invocation, with its costs in the first event: 32 bytes, since a trace has millions.
#[derive(Clone, Copy, Debug)]
pub struct Invocation {
    /// Self cost.
    pub self_cost: Cost,
    /// Self cost and the cost of all calls made.
    pub inclusive: Cost,
    /// The function that was invoked.
    pub function: FunctionId,
    /// The invocation that made the call, or [`NONE`].
    caller: InvocationId,
    /// The record of that call, or [`NONE`].
    claimed_by: u32,
    /// The first of its call records; they end where those of the next invocation begin.
    first_call: u32,
}

/// One call made by an invocation: 24 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvocationCall {
    /// Inclusive cost of the call in the first event.
    pub cost: Cost,
    /// Line of the call.
    pub line: u64,
    /// The function that is called.
    pub callee: FunctionId,
    /// Which invocation of it, or [`NONE`].
    pub(super) invocation: InvocationId,
}

impl InvocationCall {
    /// Position of the called invocation in [`InvocationTree::invocations`].
    ///
    /// `None` if the profile was truncated before it.
    pub fn invocation(&self) -> Option<usize> {
        (self.invocation != NONE).then_some(self.invocation as usize)
    }
}

/// Every invocation of every function, with its calls, in the order in which blocks end.
#[derive(Clone, Debug, Default)]
pub struct InvocationTree {
    invocations: Vec<Invocation>,
    calls: Vec<InvocationCall>,
}

impl InvocationTree {
    /// All invocations, callees before their callers.
    pub fn invocations(&self) -> &[Invocation] {
        &self.invocations
    }

    /// The larger number of invocations and of calls.
    pub(crate) fn len(&self) -> usize {
        self.invocations.len().max(self.calls.len())
    }

    /// All calls, those of one invocation together, in the order of the invocations.
    pub fn calls(&self) -> &[InvocationCall] {
        &self.calls
    }

    /// Positions in [`calls`](Self::calls) of the calls that one invocation made.
    pub fn calls_of(&self, invocation: usize) -> std::ops::Range<usize> {
        let end = match self.invocations.get(invocation + 1) {
            Some(next) => next.first_call as usize,
            None => self.calls.len(),
        };
        self.invocations[invocation].first_call as usize..end
    }

    /// Replaces the costs by those of another first event.
    pub(crate) fn map_costs(&mut self, map: &ColumnMap) {
        let map = |cost: &mut Cost| *cost = map.cost(0, &[*cost]);
        for invocation in &mut self.invocations {
            map(&mut invocation.self_cost);
            map(&mut invocation.inclusive);
        }
        self.calls.iter_mut().for_each(|call| map(&mut call.cost));
    }

    /// The positions of the caller of an invocation and of that call, if they are known.
    pub fn caller_of(&self, invocation: usize) -> Option<(usize, usize)> {
        let invocation = &self.invocations[invocation];
        let call = invocation.claimed_by as usize;
        (call < self.calls.len()).then_some((invocation.caller as usize, call))
    }

    /// Appends all of another tree, whose functions have the numbers that `number` returns.
    pub(crate) fn append(
        &mut self,
        mut other: InvocationTree,
        number: impl Fn(FunctionId) -> FunctionId,
    ) {
        let invocations = next_index(self.invocations.len());
        let calls = next_index(self.calls.len());
        // `NONE` stays.
        let move_up = |number: &mut u32, by: u32| *number = number.saturating_add(by);
        for invocation in &mut other.invocations {
            invocation.function = number(invocation.function);
            move_up(&mut invocation.caller, invocations);
            move_up(&mut invocation.claimed_by, calls);
            move_up(&mut invocation.first_call, calls);
        }
        for call in &mut other.calls {
            call.callee = number(call.callee);
            move_up(&mut call.invocation, invocations);
        }
        if self.invocations.is_empty() {
            *self = other;
            return;
        }
        self.invocations.append(&mut other.invocations);
        self.calls.append(&mut other.calls);
    }

    /// Adds an invocation that just ended, with its self and inclusive costs. Only its remaining
    /// calls are listed; a proxy has none.
    // Out of line, it costs v4 2 % more instructions.
    #[inline(always)]
    pub(super) fn push(
        &mut self,
        function: FunctionId,
        costs: [Cost; 2],
        calls: &[InvocationCall],
        is_proxy: bool,
        of_proxies: &mut CallsOfProxies,
    ) {
        let id = next_index(self.invocations.len());
        let [self_cost, inclusive] = costs;
        self.invocations.push(Invocation {
            self_cost,
            inclusive,
            function,
            caller: NONE,
            claimed_by: NONE,
            first_call: next_index(self.calls.len()),
        });
        if !is_proxy && of_proxies.is_empty() {
            self.push_calls(id, calls);
            return;
        }
        let instead = |call: &InvocationCall| of_proxies.remove(&call.invocation);
        let mut calls = replaced(calls.iter().copied(), instead);
        if !is_proxy {
            self.push_calls(id, calls.make_contiguous());
        } else if !calls.is_empty() {
            of_proxies.insert(id, calls);
        }
    }

    /// Adds the calls of the latest invocation, which claim the invocations that they made.
    #[inline]
    fn push_calls(&mut self, caller: InvocationId, calls: &[InvocationCall]) {
        for (position, call) in (self.calls.len()..).zip(calls) {
            let called = call.invocation();
            if let Some(called) = called.and_then(|at| self.invocations.get_mut(at)) {
                called.caller = caller;
                called.claimed_by = next_index(position);
            }
        }
        self.calls.extend_from_slice(calls);
    }
}
