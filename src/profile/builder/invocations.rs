//! Traces whose invocations matter beyond their sums: their calls are linked, or proxies stepped
//! over.

use super::{Block, ProfileBuilder};
use crate::profile::calls::{Added, CallEdge, EdgeKey};
use crate::profile::costs::{Cost, Costs};
use crate::profile::ids::{EdgeId, FunctionId};
use crate::profile::proxies::ListedCall;
use crate::profile::trace::EndedBlock;

impl ListedCall for CallEdge {
    fn callee(&self) -> FunctionId {
        self.callee
    }

    fn cost(&self) -> Cost {
        self.cost
    }
}

impl ProfileBuilder {
    /// [`add_call_again`](Self::add_call_again) where invocations matter.
    ///
    /// Nobody was told the edge of a call from or to a proxy, so this is none.
    #[inline(never)]
    pub(super) fn follow_call_again(&mut self, edge: EdgeId, costs: Costs<'_>) -> bool {
        let caller = self.run.block.as_ref().map(|block| block.function);
        let key = self.run.calls.key(edge);
        let Some(key) = key.filter(|key| Some(key.caller) == caller) else {
            return false;
        };
        if let Some(linking) = &mut self.linking {
            linking.add_call(key.callee, key.line, costs.first);
        }
        if self.waiting.is_empty() {
            self.run.calls.add_again(edge, key.caller, costs);
        } else {
            self.waiting.push(CallEdge {
                caller: key.caller,
                callee: key.callee,
                line: key.line,
                calls: 1,
                cost: costs.first,
            });
        }
        true
    }

    /// Notes a call for the links, and says whether it waits for the end of its block.
    pub(super) fn follow_call(&mut self, call: &CallEdge) -> bool {
        if let Some(linking) = &mut self.linking {
            linking.add_call(call.callee, call.line, call.cost);
        }
        let functions = &self.run.functions;
        let waits = !self.waiting.is_empty()
            || functions.is_proxy(call.caller)
            || functions.is_proxy(call.callee);
        if waits {
            self.waiting.push(*call);
        }
        waits
    }

    /// Ends the invocation that a block of a trace is.
    #[inline(never)]
    pub(super) fn end_invocation(&mut self, block: &Block) {
        let is_proxy = self.run.functions.is_proxy(block.function);
        if let Some(linking) = &mut self.linking {
            linking.end_block(EndedBlock {
                function: block.function,
                self_cost: block.self_cost,
                is_proxy,
            });
        }
        if is_proxy || !self.waiting.is_empty() {
            self.list_waiting_calls(block);
        }
    }

    /// Replaces the calls to proxies among those that wait, and lists them for the function; those
    /// of a proxy go on waiting, for whoever called it.
    fn list_waiting_calls(&mut self, block: &Block) {
        let function = block.function;
        let made = total_cost(&self.waiting);
        if self.run.functions.is_proxy(function) {
            let inclusive = block.self_cost.saturating_add(made);
            self.proxies
                .end_invocation(function, inclusive, &mut self.waiting);
        } else {
            self.proxies.replace(&mut self.waiting);
        }
        let adjustment = made.saturating_sub(total_cost(&self.waiting));
        if let Some(draft) = self.run.functions.get_mut(function) {
            draft.inclusive_adjustment = draft.inclusive_adjustment.saturating_add(adjustment);
        }
        let mut waiting = std::mem::take(&mut self.waiting);
        for call in waiting.drain(..) {
            let key = EdgeKey {
                caller: function,
                callee: call.callee,
                line: call.line,
            };
            if self
                .run
                .calls
                .add(key, call.calls, Costs::single(call.cost))
                == Added::Full
            {
                self.overflow = Some("call edges");
            }
        }
        self.waiting = waiting;
    }
}

fn total_cost(calls: &[CallEdge]) -> Cost {
    let costs = calls.iter().map(|call| call.cost);
    costs.fold(0, Cost::saturating_add)
}
