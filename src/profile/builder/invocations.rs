//! Traces whose invocations matter beyond their sums: their calls are linked, or proxies stepped
//! over.

use super::ProfileBuilder;
use crate::profile::calls::EdgeKey;
use crate::profile::costs::Costs;
use crate::profile::ids::EdgeId;
use crate::profile::numbering::Numbered;

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
        if !self.trace.add_call(key, 1, costs) {
            self.run.calls.add_again(edge, key.caller, costs);
        }
        true
    }

    /// Ends the invocation that a block of a trace is.
    #[inline(never)]
    pub(super) fn end_invocation(&mut self) {
        let Some(block) = &self.run.block else {
            return;
        };
        let caller = block.function;
        let self_costs = Costs {
            first: block.self_cost,
            more: &self.run.more_in_block,
            matching: block.matching,
        };
        let Some(listed) = self.trace.end_block(caller, self_costs) else {
            return;
        };
        let (adjustment, more) = listed.adjustment;
        if let Some(draft) = self.run.functions.get_mut(caller) {
            draft.inclusive_adjustment = draft.inclusive_adjustment.saturating_add(adjustment);
        }
        self.run.more_adjustment.add(caller.index(), &more);
        for call in listed.calls {
            let key = EdgeKey {
                caller,
                callee: call.callee,
                line: call.line,
            };
            if self.run.calls.add(key, call.calls, call.costs()) == Numbered::Full {
                self.overflow = Some("call edges");
            }
        }
    }
}
