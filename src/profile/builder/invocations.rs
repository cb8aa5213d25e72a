//! Traces whose single invocations are needed, to link calls or to step over proxies.

use super::ProfileBuilder;
use crate::tables::{ANY_WIDTH, CallEdge, Costs, EdgeId, FunctionId};

impl ProfileBuilder {
    /// [`add_call_again`](Self::add_call_again), if single invocations are needed.
    ///
    /// `edge` is never a call to or from a proxy, because [`add_call`](Self::add_call) does not
    /// return those.
    #[inline(never)]
    pub(super) fn follow_call_again<const WIDTH: usize>(
        &mut self,
        edge: EdgeId,
        caller: FunctionId,
        costs: Costs<'_>,
    ) -> bool {
        let calls = &mut self.run.sums.calls;
        let Some(known) = calls.edges().get(edge.index()) else {
            return false;
        };
        if known.caller != caller {
            return false;
        }
        let call = CallEdge { calls: 1, ..*known };
        if !self.trace.add_call::<WIDTH>(call, costs) {
            calls.add_again::<WIDTH>(edge, caller, costs.row);
        }
        true
    }

    /// Ends the invocation of the open block of a trace.
    #[inline(never)]
    pub(super) fn end_invocation(&mut self) {
        let Some(block) = &self.run.block else {
            return;
        };
        let caller = block.function;
        let inclusive = &mut self.run.sums.functions.inclusive_costs;
        let listed = self.trace.end_block(caller, block.matching, inclusive);
        let Some(listed) = listed else { return };
        for call in listed {
            let edge = CallEdge {
                caller,
                file: self.call_file(caller, call.edge.file),
                ..call.edge
            };
            self.run.sums.calls.add::<ANY_WIDTH>(edge, &call.row);
        }
    }
}
