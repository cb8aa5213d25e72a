//! Traces whose invocations matter beyond their sums: their calls are linked, or proxies stepped
//! over.

use super::{Block, ProfileBuilder};
use crate::profile::Cost;
use crate::profile::calls::CallEdge;
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
    pub(super) fn follow_call_again(&mut self, edge: EdgeId, cost: Cost) -> bool {
        let caller = self.block.as_ref().map(|block| block.function);
        let edge = self.calls.get_mut(edge);
        let Some(edge) = edge.filter(|edge| Some(edge.caller) == caller) else {
            return false;
        };
        if let Some(linking) = &mut self.linking {
            linking.add_call(edge.callee, edge.line, cost);
        }
        if self.waiting.is_empty() {
            edge.add(1, cost);
        } else {
            self.waiting.push(CallEdge {
                calls: 1,
                cost,
                ..*edge
            });
        }
        true
    }

    /// Notes a call for the links, and says whether it waits for the end of its block.
    pub(super) fn follow_call(&mut self, call: &CallEdge) -> bool {
        if let Some(linking) = &mut self.linking {
            linking.add_call(call.callee, call.line, call.cost);
        }
        let is_proxy = |function: FunctionId| self.drafts[function.index()].is_proxy;
        let waits = !self.waiting.is_empty() || is_proxy(call.caller) || is_proxy(call.callee);
        if waits {
            self.waiting.push(*call);
        }
        waits
    }

    /// Ends the invocation that a block of a trace is.
    #[inline(never)]
    pub(super) fn end_invocation(&mut self, block: &Block) {
        let is_proxy = self.drafts[block.function.index()].is_proxy;
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
        if self.drafts[function.index()].is_proxy {
            let inclusive = block.self_cost.saturating_add(made);
            self.proxies
                .end_invocation(function, inclusive, &mut self.waiting);
        } else {
            self.proxies.replace(&mut self.waiting);
        }
        let beyond = made.saturating_sub(total_cost(&self.waiting));
        let draft = &mut self.drafts[function.index()];
        draft.inclusive_beyond = draft.inclusive_beyond.saturating_add(beyond);
        let mut waiting = std::mem::take(&mut self.waiting);
        for call in waiting.drain(..) {
            self.add_edge(CallEdge {
                caller: function,
                ..call
            });
        }
        self.waiting = waiting;
    }
}

fn total_cost(calls: &[CallEdge]) -> Cost {
    let costs = calls.iter().map(|call| call.cost);
    costs.fold(0, Cost::saturating_add)
}
