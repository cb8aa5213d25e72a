//! Links the calls of a trace to the invocations that they made, and builds what depends on these
//! links.

use super::batch::{Batch, Block, BlockCall};
use super::contexts::{CallSite, ContextId, ContextKey, ContextTree, OutermostCosts};
use super::invocations::{CallsOfProxies, InvocationCall, InvocationTree, NONE};
use super::matching::{UnmatchedInvocation, claim};
use super::stretches::Stretches;
use crate::tables::{ANY_WIDTH, Cost, CostTable, first_cost, slot};

/// The requested results for a trace; by default none.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LinkOptions {
    /// Every invocation, for v4.
    pub invocations: bool,
    /// The calling contexts, for stacks.
    pub contexts: bool,
    /// Whether the contexts know their call sites.
    pub call_sites: bool,
    /// Inclusive costs that count recursion once.
    pub outermost: bool,
}

impl LinkOptions {
    pub(super) fn any_contexts(self) -> bool {
        self.contexts || self.outermost
    }
}

/// The results for a run of a trace.
#[derive(Debug, Default)]
pub(crate) struct TraceLinks {
    /// Every invocation, if requested.
    pub invocations: Option<InvocationTree>,
    /// The calling contexts without proxies, if requested.
    pub contexts: Option<ContextTree>,
    /// Inclusive costs that count recursion once, if requested.
    pub outermost: Option<OutermostCosts>,
}

/// The data of an invocation that no call has claimed yet.
#[derive(Clone, Copy, Debug)]
struct FinishedInvocation {
    /// Its node in the [`ContextTree`], or [`ContextId::NONE`].
    node: ContextId,
    /// Its position in the [`InvocationTree`], or [`NONE`].
    invocation: u32,
}

const _: () = assert!(
    size_of::<FinishedInvocation>() == 8,
    "a trace has many at a time"
);

impl FinishedInvocation {
    const MISSING: Self = FinishedInvocation {
        node: ContextId::NONE,
        invocation: NONE,
    };
}

/// Links calls to the invocations that they made.
#[derive(Debug, Default)]
pub(super) struct Linker {
    wanted: LinkOptions,
    /// By function.
    unclaimed: Vec<Vec<UnmatchedInvocation<FinishedInvocation>>>,
    stretches: Stretches,
    invocations: InvocationTree,
    /// The calls of the current block.
    linked: Vec<InvocationCall>,
    of_proxies: CallsOfProxies,
    contexts: ContextTree,
}

impl Linker {
    pub fn new(wanted: LinkOptions) -> Self {
        Linker {
            wanted,
            contexts: ContextTree::new(wanted.call_sites),
            ..Linker::default()
        }
    }

    /// Links the blocks and calls of the next batch.
    pub fn link(&mut self, batch: Batch) {
        self.contexts.self_costs.widen(batch.self_costs.width());
        match self.contexts.self_costs.width() {
            1 => self.link_blocks::<1>(batch),
            2 => self.link_blocks::<2>(batch),
            _ => self.link_blocks::<ANY_WIDTH>(batch),
        }
    }

    /// Rows have `WIDTH` costs.
    fn link_blocks<const WIDTH: usize>(&mut self, batch: Batch) {
        let mut start = 0;
        for (row, block) in batch.blocks.into_iter().enumerate() {
            let self_costs = batch.self_costs.row_of::<WIDTH>(row);
            let calls = &batch.calls[start..block.end];
            self.end_block::<WIDTH>(block, self_costs, calls, start, &batch.call_costs);
            start = block.end;
        }
    }

    /// Ends a block that made `calls`, whose rows of costs begin at `start`.
    fn end_block<const WIDTH: usize>(
        &mut self,
        block: Block,
        self_costs: &[Cost],
        calls: &[BlockCall],
        start: usize,
        call_costs: &CostTable,
    ) {
        if let Some(switch) = block.switch {
            self.stretches.follow(switch);
        }
        let node = if self.wanted.any_contexts() {
            // A proxy without calls stays.
            let key = ContextKey::of_function(block.function, block.is_proxy && !calls.is_empty());
            self.contexts.enter::<WIDTH>(key, 1, self_costs)
        } else {
            ContextId::NONE
        };
        let stretch = self.stretches.current;
        let mut cost = block.matching;
        // Backwards, because the last call made the latest invocation.
        for (at, call) in calls.iter().enumerate().rev() {
            let costs = call_costs.row_of::<WIDTH>(start + at);
            cost = cost.saturating_add(call.matching);
            let unclaimed = self.unclaimed.get_mut(call.callee.index());
            let claimed = unclaimed.and_then(|all| claim(all, call.matching, stretch));
            let called = claimed.map_or(FinishedInvocation::MISSING, |claimed| claimed.what);
            if self.wanted.invocations {
                self.linked.push(InvocationCall {
                    cost: first_cost(costs),
                    line: call.line,
                    callee: call.callee,
                    invocation: called.invocation,
                });
            }
            if node != ContextId::NONE {
                let called = match called.node {
                    // The invocation is missing.
                    ContextId::NONE => {
                        let key = ContextKey::of_function(call.callee, false);
                        self.contexts.enter::<WIDTH>(key, 1, costs)
                    }
                    called => called,
                };
                let (file, line) = (call.file, call.line);
                let site = Some(CallSite { file, line });
                self.contexts.attach_called(node, called, site);
            }
        }
        let invocation = if self.wanted.invocations {
            let self_cost = first_cost(self_costs);
            self.linked.reverse();
            let costs = self.linked.iter().map(|call| call.cost);
            let inclusive = costs.fold(self_cost, Cost::saturating_add);
            let invocation = self.invocations.push(
                block.function,
                [self_cost, inclusive],
                &self.linked,
                block.is_proxy,
                &mut self.of_proxies,
            );
            self.linked.clear();
            invocation
        } else {
            NONE
        };
        let ended = FinishedInvocation { node, invocation };
        let unclaimed = slot(&mut self.unclaimed, block.function.index());
        let ended = UnmatchedInvocation::new(cost, calls.len(), stretch, ended);
        unclaimed.push(ended);
    }

    /// Ends the run.
    pub fn finish(mut self) -> TraceLinks {
        if self.wanted.any_contexts() {
            // The remaining invocations have no caller.
            for ended in self.unclaimed.iter().flatten() {
                let node = ended.what.node;
                self.contexts.attach_called(ContextId::TOP, node, None);
            }
        }
        let wanted = self.wanted;
        let outermost = wanted.outermost.then(|| self.contexts.outermost_costs());
        if wanted.contexts {
            self.contexts.step_over_proxies();
        }
        TraceLinks {
            invocations: wanted.invocations.then_some(self.invocations),
            contexts: wanted.contexts.then_some(self.contexts),
            outermost,
        }
    }
}
