//! The invocation tree of a trace, as v4 stores it.

use std::collections::{HashMap, VecDeque};

use foldhash::fast::RandomState;

use super::proxies::replaced;
use crate::profile::Cost;
use crate::profile::ids::{FunctionId, next_index};

/// Number of an invocation in the order in which blocks end, over all functions.
pub(super) type InvocationId = u32;

/// Stands where there is no invocation, or no call.
pub(super) const NONE: u32 = u32::MAX;

/// One invocation: 32 bytes, since a trace has millions.
#[derive(Clone, Copy, Debug)]
pub struct Invocation {
    /// Self cost.
    pub self_cost: Cost,
    /// Self cost and the cost of all calls made.
    pub inclusive: Cost,
    /// What was invoked.
    pub function: FunctionId,
    /// The invocation that made the call, or [`NONE`].
    caller: InvocationId,
    /// The call record in which the caller says so, or [`NONE`].
    claimed_by: u32,
    /// The first of its call records; they end where those of the next invocation begin.
    first_call: u32,
}

/// One call made by an invocation: 24 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvocationCall {
    /// Inclusive cost of the call.
    pub cost: Cost,
    /// Line of the call.
    pub line: u64,
    /// Who is called.
    pub callee: FunctionId,
    /// Which invocation of it, or [`NONE`].
    pub(super) invocation: InvocationId,
}

impl InvocationCall {
    /// A call to an invocation at a position of the tree; none: the profile does not hold it.
    pub(crate) fn new(
        callee: FunctionId,
        invocation: Option<InvocationId>,
        line: u64,
        cost: Cost,
    ) -> Self {
        InvocationCall {
            cost,
            line,
            callee,
            invocation: invocation.unwrap_or(NONE),
        }
    }

    /// Position of the called invocation in [`InvocationTree::invocations`].
    ///
    /// None where the profile does not hold it: it was cut off.
    pub fn invocation(&self) -> Option<usize> {
        (self.invocation != NONE).then_some(self.invocation as usize)
    }
}

/// What the invocations of proxies called, until it replaces the calls to them.
#[derive(Debug, Default)]
pub(super) struct SteppingOver {
    instead: HashMap<InvocationId, VecDeque<InvocationCall>, RandomState>,
}

impl SteppingOver {
    /// Enters an invocation that just ended, with its self and inclusive costs, into a tree. Of its
    /// calls those are listed that are left: none, if it is a proxy's.
    ///
    /// None when the 2³² − 1 invocations or calls are used up.
    // Out of line, it costs v4 2 % more instructions.
    #[inline(always)]
    pub fn push(
        &mut self,
        tree: &mut InvocationTree,
        function: FunctionId,
        costs: [Cost; 2],
        is_proxy: bool,
        calls: &[InvocationCall],
    ) -> Option<InvocationId> {
        if !is_proxy && self.instead.is_empty() {
            return tree.push(function, costs, calls);
        }
        let mut calls = replaced(calls.iter().copied(), |call| {
            self.instead.remove(&call.invocation)
        });
        if !is_proxy {
            return tree.push(function, costs, calls.make_contiguous());
        }
        let id = tree.push(function, costs, &[])?;
        if !calls.is_empty() {
            self.instead.insert(id, calls);
        }
        Some(id)
    }
}

/// Every invocation of every function, with its calls, in the order in which blocks end.
#[derive(Debug, Default)]
pub struct InvocationTree {
    invocations: Vec<Invocation>,
    calls: Vec<InvocationCall>,
}

impl InvocationTree {
    /// All invocations, callees before their callers.
    pub fn invocations(&self) -> &[Invocation] {
        &self.invocations
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

    /// Multiplies all costs.
    pub(in crate::profile) fn multiply(&mut self, factor: Cost) {
        for invocation in &mut self.invocations {
            invocation.self_cost = invocation.self_cost.saturating_mul(factor);
            invocation.inclusive = invocation.inclusive.saturating_mul(factor);
        }
        for call in &mut self.calls {
            call.cost = call.cost.saturating_mul(factor);
        }
    }

    /// The invocations that nothing called, with their positions.
    pub(super) fn roots(&self) -> impl Iterator<Item = (usize, &Invocation)> {
        let invocations = self.invocations.iter().enumerate();
        invocations.filter(|(_, invocation)| invocation.claimed_by == NONE)
    }

    /// Position of the invocation that the call at a position made, if both sides say so.
    pub(super) fn called_by(&self, call: usize) -> Option<usize> {
        let called = self.calls.get(call)?.invocation()?;
        let claimed_by = self.invocations.get(called)?.claimed_by;
        (claimed_by as usize == call).then_some(called)
    }

    /// The caller of an invocation and the record of that call, if they are known.
    pub fn caller_of(&self, invocation: usize) -> Option<(usize, &InvocationCall)> {
        let invocation = &self.invocations[invocation];
        let call = self.calls.get(invocation.claimed_by as usize)?;
        Some((invocation.caller as usize, call))
    }

    /// The same invocations with the calls that proxies made in place of the calls to them.
    ///
    /// None when the 2³² − 1 invocations or calls are used up.
    pub(super) fn stepped_over(self, is_proxy: impl Fn(FunctionId) -> bool) -> Option<Self> {
        if !self.invocations.iter().any(|one| is_proxy(one.function)) {
            return Some(self);
        }
        let mut tree = InvocationTree::default();
        let mut stepping = SteppingOver::default();
        for (at, invocation) in self.invocations.iter().enumerate() {
            let (function, calls) = (invocation.function, &self.calls[self.calls_of(at)]);
            let costs = [invocation.self_cost, invocation.inclusive];
            stepping.push(&mut tree, function, costs, is_proxy(function), calls)?;
        }
        Some(tree)
    }

    /// Begins a tree that is read from a table, with room for this many invocations and calls.
    pub(crate) fn with_capacity(invocations: usize, calls: usize) -> Self {
        InvocationTree {
            invocations: Vec::with_capacity(invocations),
            calls: Vec::with_capacity(calls),
        }
    }

    /// Enters the next invocation in block order, whose calls begin at position `first_call`.
    ///
    /// [`add_call`](Self::add_call) has to add them, after those of the invocations before it.
    pub(crate) fn add_invocation(
        &mut self,
        function: FunctionId,
        self_cost: Cost,
        inclusive: Cost,
        first_call: u32,
    ) {
        self.invocations.push(Invocation {
            self_cost,
            inclusive,
            function,
            caller: NONE,
            claimed_by: NONE,
            first_call,
        });
    }

    /// Adds the next call in block order.
    pub(crate) fn add_call(&mut self, call: InvocationCall) {
        self.calls.push(call);
    }

    /// Says that an invocation was made by the call that was added last, of the one at `caller`.
    pub(crate) fn claim(&mut self, invocation: u32, caller: u32) {
        let last = next_index(self.calls.len().saturating_sub(1));
        if let Some(invocation) = self.invocations.get_mut(invocation as usize) {
            invocation.caller = caller;
            invocation.claimed_by = last.unwrap_or(NONE);
        }
    }

    /// Gives every function the number that `number` says.
    pub(in crate::profile) fn renumbered(
        mut self,
        number: impl Fn(FunctionId) -> FunctionId,
    ) -> Self {
        for invocation in &mut self.invocations {
            invocation.function = number(invocation.function);
        }
        for call in &mut self.calls {
            call.callee = number(call.callee);
        }
        self
    }

    /// Appends all of another tree; none when the 2³² − 1 invocations or calls are used up.
    pub(in crate::profile) fn append(&mut self, mut other: InvocationTree) -> Option<()> {
        if self.invocations.is_empty() {
            *self = other;
            return Some(());
        }
        let invocations = next_index(self.invocations.len())?;
        let calls = next_index(self.calls.len())?;
        next_index(self.invocations.len() + other.invocations.len())?;
        next_index(self.calls.len() + other.calls.len())?;
        let move_up = |number: &mut u32, by: u32| {
            if *number != NONE {
                *number += by;
            }
        };
        for invocation in &mut other.invocations {
            move_up(&mut invocation.caller, invocations);
            move_up(&mut invocation.claimed_by, calls);
            invocation.first_call += calls;
        }
        for call in &mut other.calls {
            move_up(&mut call.invocation, invocations);
        }
        self.invocations.append(&mut other.invocations);
        self.calls.append(&mut other.calls);
        Some(())
    }

    /// Enters an invocation that just ended with its calls, claiming those it called.
    ///
    /// None when the 2³² − 1 invocations or calls are used up.
    fn push(
        &mut self,
        function: FunctionId,
        [self_cost, inclusive]: [Cost; 2],
        calls: &[InvocationCall],
    ) -> Option<InvocationId> {
        let id = next_index(self.invocations.len())?;
        let first_call = next_index(self.calls.len())?;
        self.add_invocation(function, self_cost, inclusive, first_call);
        next_index(self.calls.len() + calls.len())?;
        self.calls.extend_from_slice(calls);
        for (position, call) in (first_call..).zip(calls) {
            // A preprocessed file may name one that ended later, which nothing called then.
            let claimed = call
                .invocation()
                .and_then(|at| self.invocations.get_mut(at));
            if let Some(claimed) = claimed {
                claimed.caller = id;
                claimed.claimed_by = position;
            }
        }
        Some(id)
    }
}
