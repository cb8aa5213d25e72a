//! The invocation tree of a trace, as v4 stores it.

use super::Cost;
use super::ids::{FunctionId, next_index};

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
    invocation: InvocationId,
}

impl InvocationCall {
    pub(super) fn new(
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

    /// Who called an invocation, and the record of that call; none: nobody, or nobody known.
    pub fn caller_of(&self, invocation: usize) -> Option<(usize, &InvocationCall)> {
        let invocation = &self.invocations[invocation];
        let call = self.calls.get(invocation.claimed_by as usize)?;
        Some((invocation.caller as usize, call))
    }

    /// Enters an invocation that just ended with its calls, claiming those it called.
    ///
    /// None when the 2³² − 1 invocations or calls are used up.
    pub(super) fn push(
        &mut self,
        function: FunctionId,
        self_cost: Cost,
        inclusive: Cost,
        calls: impl Iterator<Item = InvocationCall>,
    ) -> Option<InvocationId> {
        let id = next_index(self.invocations.len())?;
        let first_call = next_index(self.calls.len())?;
        self.invocations.push(Invocation {
            self_cost,
            inclusive,
            function,
            caller: NONE,
            claimed_by: NONE,
            first_call,
        });
        for call in calls {
            let position = next_index(self.calls.len())?;
            if let Some(claimed) = call.invocation() {
                self.invocations[claimed].caller = id;
                self.invocations[claimed].claimed_by = position;
            }
            self.calls.push(call);
        }
        Some(id)
    }
}
