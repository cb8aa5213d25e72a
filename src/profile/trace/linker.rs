//! Links the calls of a trace to the invocations that they made, and works out what follows from that.

use super::batch::{Batch, Block};
use super::contexts::{ContextId, ContextTree};
use super::fibers::KnownLinks;
use super::invocations::{InvocationCall, InvocationTree, NONE, SteppingOver};
use super::matching::Unclaimed;
use super::roles::Roles;
use crate::profile::costs::Cost;
use crate::profile::ids::{FunctionId, slot};
use crate::profile::{InclusiveCost, ProfileOptions};

/// How many blocks and calls of a trace with fibers are linked at once. The more, the fewer calls
/// stand in another part than what they made; so many take up to 230 MB.
const PART: usize = 1 << 21;

/// What to find out about a trace; by default, nothing.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::profile) struct Wanted {
    /// Every invocation, for v4.
    pub invocations: bool,
    /// The calling contexts, for reports of stacks.
    pub contexts: bool,
    /// Inclusive costs in which nothing counts twice.
    pub outermost: bool,
}

impl Wanted {
    /// What these options ask for.
    pub fn of(options: &ProfileOptions) -> Self {
        Wanted {
            invocations: options.invocations,
            contexts: options.contexts,
            outermost: options.inclusive == InclusiveCost::Outermost,
        }
    }

    pub(super) fn any_contexts(self) -> bool {
        self.contexts || self.outermost
    }
}

/// What was found out about a run of a trace.
#[derive(Debug, Default)]
pub(in crate::profile) struct Links {
    /// Every invocation, if that was wanted.
    pub invocations: Option<InvocationTree>,
    /// The calling contexts without proxies, if they were wanted.
    pub contexts: Option<ContextTree>,
    /// For each event, if that was wanted, the inclusive cost of every function in which nothing
    /// counts twice; functions that are missing at the end have none.
    pub outermost: Vec<Vec<Cost>>,
    /// Whether there were more invocations, calls or contexts than can be numbered.
    pub is_full: bool,
}

impl Links {
    /// The results for a trace whose links are known, from a preprocessed file.
    ///
    /// The invocations come back with the calls of proxies in place of the calls to them.
    pub fn of(invocations: InvocationTree, wanted: Wanted, is_proxy: &[bool]) -> Self {
        let is_proxy = |function: FunctionId| is_proxy.get(function.index()) == Some(&true);
        let contexts = if wanted.any_contexts() {
            ContextTree::of(&invocations, is_proxy)
        } else {
            ContextTree::default()
        };
        let mut links = Links::of_contexts(contexts, wanted);
        links.invocations = invocations.stepped_over(is_proxy);
        links.is_full |= links.invocations.is_none();
        links
    }

    fn of_contexts(mut contexts: ContextTree, wanted: Wanted) -> Self {
        let outermost = wanted.outermost.then(|| contexts.outermost_costs());
        if wanted.contexts {
            contexts.step_over_proxies();
        }
        Links {
            invocations: None,
            outermost: outermost.into_iter().collect(),
            is_full: contexts.is_full(),
            contexts: wanted.contexts.then_some(contexts),
        }
    }
}

/// The data of an invocation that no call has claimed yet.
#[derive(Clone, Copy, Debug)]
struct Ended {
    self_cost: Cost,
    /// Its node, or [`ContextId::NONE`], if it called nothing.
    node: ContextId,
    /// Its position in the [`InvocationTree`], or [`NONE`].
    invocation: u32,
}

/// Links calls to the invocations that they made.
#[derive(Debug, Default)]
pub(super) struct Linker {
    wanted: Wanted,
    /// By function.
    unclaimed: Vec<Unclaimed<Ended>>,
    pub(super) roles: Roles,
    /// From the first fiber on: what waits to be linked.
    held: Option<Batch>,
    /// What is known of the links of the batch that is being linked, if it was held.
    known: Option<KnownLinks<Ended>>,
    invocations: InvocationTree,
    stepping_over: SteppingOver,
    contexts: ContextTree,
    is_full: bool,
}

impl Linker {
    pub fn new(wanted: Wanted) -> Self {
        Linker {
            wanted,
            ..Linker::default()
        }
    }

    /// Links the blocks and calls of the batch that comes next, or keeps them until that can be done.
    pub fn link(&mut self, batch: Batch) {
        self.roles.extend(&batch.roles);
        if !self.roles.have_fibers() {
            return self.link_blocks::<false>(batch);
        }
        self.held.get_or_insert_default().append(batch);
        if let Some(held) = self.held.take_if(|held| held.len() >= PART) {
            self.link_held(held);
        }
    }

    pub(super) fn link_held(&mut self, held: Batch) {
        self.known = Some(KnownLinks::of(&held, &self.roles));
        self.link_blocks::<true>(held);
    }

    /// `KNOWN`: whether some links are known.
    fn link_blocks<const KNOWN: bool>(&mut self, batch: Batch) {
        let Batch {
            blocks,
            mut calls,
            matching,
            ..
        } = batch;
        let (mut start, mut matching) = (0, &matching[..]);
        for (block, end) in blocks {
            let own = matching.partition_point(|&(position, _)| position < end);
            let (own, later) = matching.split_at(own);
            self.end_block::<KNOWN>(block, &mut calls[start..end], start, own);
            (start, matching) = (end, later);
        }
    }

    /// Ends a block that made `calls`, whose positions begin at `start`; `matching` has the costs
    /// in the first column of those that have another one in the wanted event.
    fn end_block<const KNOWN: bool>(
        &mut self,
        block: Block,
        calls: &mut [InvocationCall],
        start: usize,
        matching: &[(usize, Cost)],
    ) {
        let is_proxy = block.is_proxy && !calls.is_empty();
        let node = if !calls.is_empty() && self.wanted.any_contexts() {
            self.contexts
                .begin(block.function, block.self_cost, is_proxy)
        } else {
            None
        };
        let mut others = matching;
        let mut cost = block.matching;
        // They are walked backwards, since the latest invocation is the last call's.
        for (position, call) in calls.iter_mut().enumerate().rev() {
            let mut matching = call.cost;
            if let [before @ .., (other, cost)] = others
                && *other == start + position
            {
                (others, matching) = (before, *cost);
            }
            cost = cost.saturating_add(matching);
            let claimed = self.claim::<KNOWN>(start + position, call.callee, matching);
            let called = claimed.unwrap_or(Ended {
                self_cost: call.cost,
                node: ContextId::NONE,
                invocation: NONE,
            });
            call.invocation = called.invocation;
            if let Some(node) = node {
                self.contexts
                    .add_call(node, call.callee, called.node, called.self_cost);
            }
        }
        let invocation = if self.wanted.invocations {
            self.add_invocation(block, calls)
        } else {
            NONE
        };
        let ended = Ended {
            self_cost: block.self_cost,
            node: node.unwrap_or(ContextId::NONE),
            invocation,
        };
        let known = self.known.as_mut().filter(|_| KNOWN);
        if !known.is_some_and(|known| known.end_block(ended)) {
            let unclaimed = slot(&mut self.unclaimed, block.function.index());
            unclaimed.push(cost, calls.len(), ended);
        }
    }

    /// Takes the invocation that the call at a position made.
    #[inline]
    fn claim<const KNOWN: bool>(
        &mut self,
        position: usize,
        callee: FunctionId,
        cost: Cost,
    ) -> Option<Ended> {
        let known = self.known.as_ref().filter(|_| KNOWN);
        known
            .and_then(|known| known.made_by(position))
            .or_else(|| self.unclaimed.get_mut(callee.index())?.claim(cost))
    }

    /// Enters an invocation into the tree of them.
    // Out of line, it costs v4 2 % more instructions.
    #[inline(always)]
    fn add_invocation(&mut self, block: Block, calls: &[InvocationCall]) -> u32 {
        let costs = calls.iter().map(|call| call.cost);
        let inclusive = costs.fold(block.self_cost, Cost::saturating_add);
        let pushed = self.stepping_over.push(
            &mut self.invocations,
            block.function,
            [block.self_cost, inclusive],
            block.is_proxy,
            calls,
        );
        self.is_full |= pushed.is_none();
        pushed.unwrap_or(NONE)
    }

    /// Ends the run.
    pub fn finish(mut self) -> Links {
        if let Some(held) = self.held.take() {
            self.link_held(held);
        }
        if self.wanted.any_contexts() {
            // Nobody will claim what is left.
            for (number, unclaimed) in (0u32..).zip(&mut self.unclaimed) {
                for Ended {
                    self_cost, node, ..
                } in unclaimed.drain()
                {
                    self.contexts
                        .add_call(ContextId::TOP, FunctionId(number), node, self_cost);
                }
            }
        }
        let mut links = Links::of_contexts(self.contexts, self.wanted);
        links.invocations = self.wanted.invocations.then_some(self.invocations);
        links.is_full |= self.is_full;
        links
    }
}
