//! The invocation tree of a trace, as v4 stores it.

use std::collections::{HashMap, VecDeque};

use foldhash::fast::RandomState;

use super::proxies::replaced;
use crate::profile::costs::{ANY_WIDTH, Cost, CostTable};
use crate::profile::ids::{FunctionId, next_index};

/// Number of an invocation in the order in which blocks end, over all functions.
pub(super) type InvocationId = u32;

/// Stands where there is no invocation, or no call.
pub(super) const NONE: u32 = u32::MAX;

/// One invocation: 16 bytes, since a trace has millions.
#[derive(Clone, Copy, Debug)]
pub struct Invocation {
    /// What was invoked.
    pub function: FunctionId,
    /// The invocation that made the call, or [`NONE`].
    caller: InvocationId,
    /// The call record in which the caller says so, or [`NONE`].
    claimed_by: u32,
    /// The first of its call records; they end where those of the next invocation begin.
    first_call: u32,
}

/// One call made by an invocation: 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvocationCall {
    /// Line of the call.
    pub line: u64,
    /// Who is called.
    pub callee: FunctionId,
    /// Which invocation of it, or [`NONE`].
    pub(super) invocation: InvocationId,
}

impl InvocationCall {
    /// A call to an invocation at a position of the tree; none: the profile does not hold it.
    pub(crate) fn new(callee: FunctionId, invocation: Option<InvocationId>, line: u64) -> Self {
        InvocationCall {
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

/// A call with its costs.
type CallWithCosts = (InvocationCall, Box<[Cost]>);

/// What the invocations of proxies called, until it replaces the calls to them.
#[derive(Debug, Default)]
pub(super) struct SteppingOver {
    instead: HashMap<InvocationId, VecDeque<CallWithCosts>, RandomState>,
}

impl SteppingOver {
    /// Enters an invocation that just ended into a tree, with its self costs. Of its calls, those are
    /// listed that are left: none, if it is a proxy's.
    // Out of line, it costs v4 2 % more instructions.
    #[inline(always)]
    pub fn push<'c, const WIDTH: usize>(
        &mut self,
        tree: &mut InvocationTree,
        function: FunctionId,
        self_costs: &[Cost],
        is_proxy: bool,
        calls: impl Iterator<Item = (InvocationCall, &'c [Cost])>,
    ) -> InvocationId {
        let id = tree.push::<WIDTH>(function, self_costs);
        if !is_proxy && self.instead.is_empty() {
            for (call, costs) in calls {
                tree.add_to_inclusive::<WIDTH>(id, costs);
                tree.push_call::<WIDTH>(id, call, costs);
            }
            return id;
        }
        let calls: Vec<CallWithCosts> = calls.map(|(call, costs)| (call, costs.into())).collect();
        for (_, costs) in &calls {
            tree.add_to_inclusive::<WIDTH>(id, costs);
        }
        let calls = replaced(calls.into_iter(), |(call, _)| {
            self.instead.remove(&call.invocation)
        });
        if is_proxy {
            if !calls.is_empty() {
                self.instead.insert(id, calls);
            }
            return id;
        }
        for (call, costs) in &calls {
            tree.push_call::<WIDTH>(id, *call, costs);
        }
        id
    }
}

/// Every invocation of every function, with its calls, in the order in which blocks end.
#[derive(Debug, Default)]
pub struct InvocationTree {
    invocations: Vec<Invocation>,
    self_costs: CostTable,
    inclusive_costs: CostTable,
    calls: Vec<InvocationCall>,
    call_costs: CostTable,
}

impl InvocationTree {
    /// All invocations, callees before their callers.
    pub fn invocations(&self) -> &[Invocation] {
        &self.invocations
    }

    /// The larger number of invocations and of calls.
    pub(in crate::profile) fn len(&self) -> usize {
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

    /// The self costs of an invocation: one for each wanted event.
    pub fn self_costs(&self, invocation: usize) -> &[Cost] {
        self.self_costs.row(invocation)
    }

    /// The self cost of an invocation in the first event.
    #[inline]
    pub(crate) fn self_cost(&self, invocation: usize) -> Cost {
        self.self_costs.first(invocation)
    }

    /// The inclusive cost of an invocation in the first event.
    #[inline]
    pub(crate) fn inclusive_cost(&self, invocation: usize) -> Cost {
        self.inclusive_costs.first(invocation)
    }

    /// The cost of a call in the first event.
    #[inline]
    pub(crate) fn call_cost(&self, call: usize) -> Cost {
        self.call_costs.first(call)
    }

    /// The self costs of an invocation and the costs of all calls made.
    pub fn inclusive_costs(&self, invocation: usize) -> &[Cost] {
        self.inclusive_costs.row(invocation)
    }

    /// The inclusive costs of a call.
    pub fn call_costs(&self, call: usize) -> &[Cost] {
        self.call_costs.row(call)
    }

    /// How many costs a row has.
    pub(super) fn width(&self) -> usize {
        self.self_costs.width()
    }

    /// Makes all rows longer.
    pub(super) fn widen(&mut self, width: usize) {
        self.tables().for_each(|table| table.widen(width));
    }

    /// All rows of costs.
    pub(in crate::profile) fn tables(&mut self) -> impl Iterator<Item = &mut CostTable> {
        let tables = [
            &mut self.self_costs,
            &mut self.inclusive_costs,
            &mut self.call_costs,
        ];
        tables.into_iter()
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

    /// The positions of the caller of an invocation and of that call, if they are known.
    pub fn caller_of(&self, invocation: usize) -> Option<(usize, usize)> {
        let invocation = &self.invocations[invocation];
        let call = invocation.claimed_by as usize;
        (call < self.calls.len()).then_some((invocation.caller as usize, call))
    }

    /// The same invocations with the calls that proxies made in place of the calls to them.
    pub(super) fn stepped_over(self, is_proxy: impl Fn(FunctionId) -> bool) -> Self {
        if !self.invocations.iter().any(|one| is_proxy(one.function)) {
            return self;
        }
        let mut tree = InvocationTree::default();
        tree.widen(self.width());
        let mut stepping = SteppingOver::default();
        for (at, invocation) in self.invocations.iter().enumerate() {
            let (function, self_costs) = (invocation.function, self.self_costs(at));
            let calls = self.calls_of(at);
            let calls = calls.map(|call| (self.calls[call], self.call_costs(call)));
            let is_proxy = is_proxy(function);
            stepping.push::<ANY_WIDTH>(&mut tree, function, self_costs, is_proxy, calls);
        }
        tree.inclusive_costs = self.inclusive_costs;
        tree
    }

    /// Begins a tree that is read from a table, with room for this many invocations and calls.
    pub(crate) fn with_capacity(invocations: usize, calls: usize) -> Self {
        InvocationTree {
            invocations: Vec::with_capacity(invocations),
            calls: Vec::with_capacity(calls),
            ..InvocationTree::default()
        }
    }

    /// Enters the next invocation in block order, whose calls begin at position `first_call`.
    ///
    /// [`add_call`](Self::add_call) has to add them, after those of the invocations before it.
    #[inline(always)]
    pub(crate) fn add_invocation<const WIDTH: usize>(
        &mut self,
        function: FunctionId,
        self_costs: &[Cost],
        inclusive_costs: &[Cost],
        first_call: u32,
    ) {
        self.self_costs.push::<WIDTH>(self_costs);
        self.inclusive_costs.push::<WIDTH>(inclusive_costs);
        self.invocations.push(Invocation {
            function,
            caller: NONE,
            claimed_by: NONE,
            first_call,
        });
    }

    /// Adds the next call in block order.
    #[inline(always)]
    pub(crate) fn add_call<const WIDTH: usize>(&mut self, call: InvocationCall, costs: &[Cost]) {
        self.calls.push(call);
        self.call_costs.push::<WIDTH>(costs);
    }

    /// Says that an invocation was made by the call that was added last, of the one at `caller`.
    pub(crate) fn claim(&mut self, invocation: u32, caller: u32) {
        let last = next_index(self.calls.len().saturating_sub(1));
        if let Some(invocation) = self.invocations.get_mut(invocation as usize) {
            invocation.caller = caller;
            invocation.claimed_by = last;
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

    /// Appends all of another tree.
    pub(in crate::profile) fn append(&mut self, mut other: InvocationTree) {
        if self.invocations.is_empty() {
            *self = other;
            return;
        }
        let invocations = next_index(self.invocations.len());
        let calls = next_index(self.calls.len());
        // `NONE` stays what it is.
        let move_up = |number: &mut u32, by: u32| *number = number.saturating_add(by);
        for invocation in &mut other.invocations {
            move_up(&mut invocation.caller, invocations);
            move_up(&mut invocation.claimed_by, calls);
            move_up(&mut invocation.first_call, calls);
        }
        for call in &mut other.calls {
            move_up(&mut call.invocation, invocations);
        }
        self.invocations.append(&mut other.invocations);
        self.self_costs.append(other.self_costs);
        self.inclusive_costs.append(other.inclusive_costs);
        self.calls.append(&mut other.calls);
        self.call_costs.append(other.call_costs);
    }

    /// Enters an invocation that just ended, without its calls.
    #[inline]
    fn push<const WIDTH: usize>(
        &mut self,
        function: FunctionId,
        self_costs: &[Cost],
    ) -> InvocationId {
        let id = next_index(self.invocations.len());
        let first_call = next_index(self.calls.len());
        self.add_invocation::<WIDTH>(function, self_costs, self_costs, first_call);
        id
    }

    /// Adds what a call cost to the inclusive costs of the invocation that made it.
    #[inline]
    fn add_to_inclusive<const WIDTH: usize>(&mut self, caller: InvocationId, costs: &[Cost]) {
        self.inclusive_costs.add::<WIDTH>(caller as usize, costs);
    }

    /// Adds the next call of the invocation that was entered last, which claims the one it called.
    #[inline]
    fn push_call<const WIDTH: usize>(
        &mut self,
        caller: InvocationId,
        call: InvocationCall,
        costs: &[Cost],
    ) {
        let position = next_index(self.calls.len());
        self.add_call::<WIDTH>(call, costs);
        let called = call.invocation();
        // A preprocessed file may name one that ended later, which nothing called then.
        if let Some(called) = called.and_then(|at| self.invocations.get_mut(at)) {
            called.caller = caller;
            called.claimed_by = position;
        }
    }
}
