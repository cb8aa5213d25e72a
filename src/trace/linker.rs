//! Links the calls of a trace to the invocations that they made, and builds what depends on these
//! links.
//!
//! Mostly, the invocations that a block called are the latest ones that nobody has claimed. So those
//! of the current batch are on a stack, with all that they called below them: these are the blocks
//! before theirs. They have no node of their own. Only where that does not hold, and at the end of
//! the batch, what is on the stack moves to lists by function: a leaf as its costs, anything else
//! with all that it called, which [waits](WaitingSubtrees) for its caller.

use std::mem::take;
use std::ops::Range;

use super::batch::{Batch, BatchCall, Block};
use super::contexts::{CallSite, CalledFunctions, ContextId, ContextKey, ContextTree};
use super::invocations::{CallsOfProxies, InvocationCall, InvocationTree, NONE};
use super::matching::{Unclaimed, claim, fits};
use super::small_rows::SmallRows;
use super::stretches::Stretches;
use super::timeline::{Timed, Timeline, TimelineBuilder};
use super::waiting::{Claim, WaitingSubtrees};
use crate::tables::{ANY_WIDTH, Cost, FunctionId, first_cost, next_index, slot};

/// The requested results for a trace; by default none.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LinkOptions {
    /// Every invocation, for v4.
    pub invocations: bool,
    /// The calling contexts, for stacks.
    pub contexts: bool,
    /// Whether the contexts know their call sites.
    pub call_sites: bool,
    /// When the longest invocations ran, up to this number of them.
    pub timeline: usize,
}

impl LinkOptions {
    pub(super) fn any_sites(self) -> bool {
        self.invocations || self.call_sites || self.has_timeline()
    }

    /// Whether it is requested when invocations ran.
    pub fn has_timeline(self) -> bool {
        self.timeline > 0
    }
}

/// The results for a run of a trace.
#[derive(Debug, Default)]
pub(crate) struct TraceLinks {
    /// Every invocation, if requested.
    pub invocations: Option<InvocationTree>,
    /// The calling contexts, if requested.
    pub contexts: Option<ContextTree>,
    /// When invocations ran, if requested.
    pub timeline: Option<Timeline>,
    /// By function: the inclusive cost of its costliest invocation in the first column; 0 if no invocation
    /// costs more.
    pub costliest: Vec<Cost>,
}

/// What an invocation in the lists of unclaimed ones is.
#[derive(Clone, Copy, Debug)]
enum Ended {
    /// A leaf of this cost in the first column, which is also the first event; all other costs are 0.
    Leaf(u32),
    /// A leaf, with its cost in the first column and all others in a row.
    LeafRow(u32),
    /// An invocation with a number among those that are kept.
    Kept(u32),
}

/// An invocation in the lists: what it is, and the stretch in which it ended.
#[derive(Clone, Copy, Debug)]
struct Listed {
    /// Two bits say what the others mean: no machine has room for more.
    what: u32,
    stretch: u32,
}

const _: () = assert!(size_of::<Listed>() == 8, "a trace has many at a time");

impl Listed {
    /// Everything in it is below this.
    const LIMIT: u32 = 1 << 30;

    fn new(ended: Ended, stretch: u32) -> Self {
        let (kind, number) = match ended {
            Ended::Leaf(cost) => (0, cost),
            Ended::LeafRow(row) => (1, row),
            Ended::Kept(number) => (2, number),
        };
        debug_assert!(number < Listed::LIMIT);
        let what = number << 2 | kind;
        Listed { what, stretch }
    }

    #[inline]
    fn ended(self) -> Ended {
        let number = self.what >> 2;
        match self.what & 3 {
            0 => Ended::Leaf(number),
            1 => Ended::LeafRow(number),
            _ => Ended::Kept(number),
        }
    }
}

/// An invocation in the lists that is not only its costs.
#[derive(Clone, Copy, Debug)]
struct Kept {
    /// Its inclusive cost in the first column.
    cost: Cost,
    contexts: Contexts,
    /// Its position in the [`InvocationTree`], or [`NONE`].
    invocation: u32,
    /// The number of calls that it made.
    calls: u32,
    /// Its place in the timeline, if requested.
    timed: Option<Timed>,
}

/// Where the contexts of an invocation and of all that it called are.
#[derive(Clone, Copy, Debug)]
enum Contexts {
    /// Nowhere: they are not requested.
    None,
    /// At this node of the [`ContextTree`] and below it.
    Node(ContextId),
    /// Not in that yet, but in the subtree of this number.
    Waiting(u32),
}

/// The most invocations that wait for their callers outside of the [`ContextTree`]: memory is limited,
/// and with one event, these take 4 MiB.
const MOST_WAITING: usize = 256 << 10;

/// An invocation of the current batch that nobody has claimed, and that is not in the lists.
#[derive(Clone, Copy, Debug)]
struct Latest {
    /// Its inclusive cost in the first column.
    cost: Cost,
    function: FunctionId,
    block: u32,
}

/// Links calls to the invocations that they made.
#[derive(Debug, Default)]
pub(super) struct Linker {
    wanted: LinkOptions,
    /// The latest invocations of the batch, all in the current stretch. Their blocks follow each
    /// other, each after those of all that it called.
    latest: Vec<Latest>,
    /// Their places in the timeline, if requested.
    latest_timed: Vec<Timed>,
    /// The first block of the first of them.
    first_block: usize,
    /// By block of the batch, if it was one of them.
    claims: Vec<Claim>,
    /// All others, by function.
    unclaimed: Vec<Vec<Listed>>,
    kept: Vec<Kept>,
    /// The numbers of those that were claimed.
    free: Vec<u32>,
    /// The costs of leaves: that in the first column, and the self costs.
    leaf_costs: SmallRows,
    /// The rows of those that were claimed, except the last ones.
    free_rows: Vec<u32>,
    /// One of these rows; stored here to keep the capacity.
    leaf: Vec<Cost>,
    waiting: WaitingSubtrees,
    stretches: Stretches,
    invocations: InvocationTree,
    /// The position of the batch's first block among them.
    first_invocation: usize,
    /// The calls of the current block.
    linked: Vec<InvocationCall>,
    /// Their places in the timeline.
    timed: Vec<Timed>,
    of_proxies: CallsOfProxies,
    /// The called functions by the numbers of call sites, if these are needed.
    called: CalledFunctions,
    contexts: ContextTree,
    timeline: TimelineBuilder,
    /// By function: the cost of its costliest invocation so far.
    costliest: Vec<Cost>,
}

impl Linker {
    pub fn new(wanted: LinkOptions) -> Self {
        Linker {
            wanted,
            waiting: WaitingSubtrees::new(MOST_WAITING),
            timeline: TimelineBuilder::new(wanted.timeline),
            ..Linker::default()
        }
    }

    /// Links the blocks and calls of the next batch.
    pub fn link(&mut self, batch: &Batch) {
        let width = batch.width();
        self.contexts.self_costs.widen(width);
        self.waiting.widen(width);
        debug_assert_eq!(width, self.contexts.self_costs.width());
        self.leaf_costs.widen(1 + width);
        let new_sites = batch.new_sites.iter();
        let called = new_sites.map(|&(function, site)| (function, Some(site)));
        self.called.extend(called);
        self.first_invocation = self.invocations.invocations().len();
        match (self.contexts.self_costs.width(), self.wanted.any_sites()) {
            (1, false) => self.link_blocks::<1, false>(batch),
            (1, true) => self.link_blocks::<1, true>(batch),
            (2, false) => self.link_blocks::<2, false>(batch),
            (2, true) => self.link_blocks::<2, true>(batch),
            (_, false) => self.link_blocks::<ANY_WIDTH, false>(batch),
            (_, true) => self.link_blocks::<ANY_WIDTH, true>(batch),
        }
    }

    /// Rows have `WIDTH` costs. `SITES`: calls have the numbers of call sites.
    #[inline(never)]
    fn link_blocks<const WIDTH: usize, const SITES: bool>(&mut self, batch: &Batch) {
        self.claims.resize(batch.blocks.len(), Claim::default());
        for (number, (block, calls)) in (0..).zip(batch.blocks_with_calls()) {
            if let Some(switch) = block.switch {
                self.list_latest::<WIDTH>(batch, number as usize);
                self.stretches.follow(switch);
            }
            let mut cost = block.matching;
            let mut first = self.latest.len();
            if !calls.is_empty() {
                let made = &batch.calls[calls.clone()];
                let Some(called) = self.latest_called::<SITES>(batch, number, cost, made) else {
                    self.link_by_lists::<WIDTH>(batch, number as usize);
                    continue;
                };
                (first, cost) = called;
                if !SITES {
                    self.latest.truncate(first);
                }
            }
            if SITES {
                if self.wanted.invocations {
                    self.link_latest::<WIDTH>(batch, number as usize, first);
                }
                if self.wanted.has_timeline() {
                    self.time_latest(batch, block, calls.start, first);
                }
                self.latest.truncate(first);
            }
            self.note_cost(block.function, cost);
            self.latest.push(Latest {
                cost,
                function: block.function,
                block: number,
            });
        }
        self.list_latest::<WIDTH>(batch, 0);
    }

    /// Keeps the cost of an invocation if it is the costliest of its function so far.
    #[inline(always)]
    fn note_cost(&mut self, function: FunctionId, cost: Cost) {
        let known = self.costliest.get(function.index());
        if known.is_none_or(|&known| cost > known) {
            self.raise_cost(function, cost);
        }
    }

    #[cold]
    #[inline(never)]
    fn raise_cost(&mut self, function: FunctionId, cost: Cost) {
        *slot(&mut self.costliest, function.index()) = cost.max(0);
    }

    /// If the calls of a block of this self cost made the latest invocations, the position of the first
    /// of these, and the inclusive cost of the block.
    #[inline(always)]
    fn latest_called<const SITES: bool>(
        &mut self,
        batch: &Batch,
        caller: u32,
        mut cost: Cost,
        calls: &[BatchCall],
    ) -> Option<(usize, Cost)> {
        let mut latest = self.latest.iter();
        // Backwards, because the last call made the latest invocation.
        for call in calls.iter().rev() {
            let latest = latest.next_back()?;
            // Larger ones are rare enough for the lists.
            let matching = call.small_cost()?;
            let (callee, called) = if SITES {
                let callee = self.callee(call.called);
                (callee, self.number(call.called, callee))
            } else {
                (FunctionId(call.called), call.called)
            };
            let block = latest.block as usize;
            let made = || count(batch, block);
            if latest.function != callee || !fits(latest.cost, matching, made) {
                return None;
            }
            cost = cost.checked_add(matching)?;
            // If it is not claimed after all, this is not used.
            self.claims[block] = Claim { caller, called };
        }
        Some((latest.len(), cost))
    }

    /// Adds the invocation of a block whose calls made the latest ones, from this position on.
    #[inline(never)]
    fn link_latest<const WIDTH: usize>(&mut self, batch: &Batch, number: usize, first: usize) {
        let calls = batch.calls_of(number);
        for (position, call) in (first..self.latest.len()).zip(calls).rev() {
            let block = self.latest[position].block as usize;
            self.link_call(batch, call, next_index(self.first_invocation + block));
        }
        self.push_invocation::<WIDTH>(batch, number);
    }

    /// Adds the same to the timeline.
    #[inline(always)]
    fn time_latest(&mut self, batch: &Batch, block: &Block, first_call: usize, first: usize) {
        let called = &self.latest_timed[first..];
        let site = sites_from(batch, first_call);
        let timeline = &mut self.timeline;
        let timed = timeline.end(block.function, block.matching, called, site);
        self.latest_timed.truncate(first);
        self.latest_timed.push(timed);
    }

    /// Links a block whose calls made others than the latest invocations: each claims one from the
    /// lists.
    #[inline(never)]
    fn link_by_lists<const WIDTH: usize>(&mut self, batch: &Batch, number: usize) {
        self.list_latest::<WIDTH>(batch, number + 1);
        let block = &batch.blocks[number];
        let stretch = self.stretches.current;
        let node = self.wanted.contexts.then(|| {
            let key = ContextKey::new(block.function.number(), block.is_proxy);
            let self_costs = batch.self_costs::<WIDTH>(number);
            self.contexts.enter::<WIDTH>(key, 1, self_costs)
        });
        let mut cost = block.matching;
        // Backwards, because the last call made the latest invocation.
        let calls = batch.calls_of(number);
        for call in calls.clone().rev() {
            let matching = batch.matching(call);
            cost = cost.saturating_add(matching);
            let callee = self.callee(batch.calls[call].called);
            let look = |listed: &Listed| {
                let (cost, calls) = match listed.ended() {
                    Ended::Leaf(cost) => (cost.into(), 0),
                    Ended::LeafRow(row) => (self.leaf_costs.first(row as usize), 0),
                    Ended::Kept(number) => {
                        let kept = &self.kept[number as usize];
                        (kept.cost, kept.calls)
                    }
                };
                Unclaimed {
                    cost,
                    stretch: listed.stretch,
                    calls,
                }
            };
            let listed = self.unclaimed.get_mut(callee.index());
            let claimed = listed.and_then(|all| claim(all, matching, stretch, look));
            let claimed_cost = claimed.as_ref().map(|listed| look(listed).cost);
            let kept = match claimed.map(Listed::ended) {
                Some(Ended::Kept(number)) => {
                    self.free.push(number);
                    Some(number as usize)
                }
                Some(Ended::Leaf(_) | Ended::LeafRow(_)) | None => None,
            };
            if self.wanted.invocations {
                // Leaves are kept with their positions.
                let invocation = kept.map_or(NONE, |kept| self.kept[kept].invocation);
                self.link_call(batch, call, invocation);
            }
            if self.wanted.has_timeline() {
                let leaf = claimed_cost.map(Timed::dropped);
                let timed = kept.and_then(|kept| self.kept[kept].timed).or(leaf);
                let timeline = &mut self.timeline;
                let timed = timed.unwrap_or_else(|| timeline.add_missing(callee, matching));
                self.timed.push(timed);
            }
            if let Some(node) = node {
                self.add_claimed::<WIDTH>(batch, call, node, claimed.map(Listed::ended));
            }
        }
        if self.wanted.invocations {
            self.push_invocation::<WIDTH>(batch, number);
        }
        let timed = self.wanted.has_timeline().then(|| {
            self.timed.reverse();
            let site = sites_from(batch, calls.start);
            let timeline = &mut self.timeline;
            timeline.end(block.function, block.matching, &self.timed, site)
        });
        self.timed.clear();
        self.note_cost(block.function, cost);
        let what = self.keep(Kept {
            cost,
            contexts: node.map_or(Contexts::None, Contexts::Node),
            invocation: next_index(self.first_invocation + number),
            calls: next_index(calls.len()),
            timed,
        });
        self.list(block.function, what);
    }

    /// Puts what a call claimed below the node of its caller.
    fn add_claimed<const WIDTH: usize>(
        &mut self,
        batch: &Batch,
        call: usize,
        caller: ContextId,
        claimed: Option<Ended>,
    ) {
        let called = batch.calls[call].called;
        let number = self.number(called, self.callee(called));
        let key = ContextKey::new(number, false);
        let contexts = &mut self.contexts;
        match claimed {
            Some(Ended::Leaf(cost)) => {
                contexts.add_called::<ANY_WIDTH>(caller, key, &[cost.into()]);
            }
            Some(Ended::LeafRow(row)) => {
                let costs = self.leaf_costs.row(row as usize, &mut self.leaf);
                contexts.add_called::<WIDTH>(caller, key, costs.get(1..).unwrap_or_default());
                self.free_row(row);
            }
            Some(Ended::Kept(kept)) => self.add_kept::<WIDTH>(kept, caller, number),
            None => {
                let costs = batch.call_costs(call, &mut self.leaf);
                contexts.add_called::<WIDTH>(caller, key, costs);
            }
        }
    }

    /// Puts an invocation and all that it called below a node, with this number in its key.
    fn add_kept<const WIDTH: usize>(&mut self, kept: u32, parent: ContextId, number: u32) {
        let contexts = &mut self.contexts;
        match self.kept[kept as usize].contexts {
            Contexts::None => {}
            Contexts::Node(node) => contexts.attach_as(parent, node, number),
            Contexts::Waiting(subtree) => {
                let waiting = &mut self.waiting;
                waiting.add_below::<WIDTH>(subtree, contexts, parent, number);
            }
        }
    }

    /// Moves the latest invocations to the lists. The next one begins with this block.
    fn list_latest<const WIDTH: usize>(&mut self, batch: &Batch, next: usize) {
        let mut first = std::mem::replace(&mut self.first_block, next);
        for position in 0..self.latest.len() {
            let Latest {
                cost,
                function,
                block,
            } = self.latest[position];
            let block = block as usize;
            let calls = count(batch, block);
            let timed = self.latest_timed.get(position).copied();
            let has_box = timed.is_some_and(|timed| self.timeline.has_box(timed));
            let what = if calls == 0 && !self.wanted.invocations && !has_box {
                self.keep_leaf(batch.self_costs::<WIDTH>(block), cost)
            } else {
                let contexts = self.contexts_of::<WIDTH>(batch, first..block + 1);
                self.keep(Kept {
                    cost,
                    contexts,
                    invocation: next_index(self.first_invocation + block),
                    calls,
                    timed,
                })
            };
            self.list(function, what);
            first = block + 1;
        }
        self.latest.clear();
        self.latest_timed.clear();
    }

    /// Adds an invocation of the current stretch to the lists.
    fn list(&mut self, function: FunctionId, what: Ended) {
        let listed = Listed::new(what, self.stretches.current);
        slot(&mut self.unclaimed, function.index()).push(listed);
    }

    /// The contexts of the last of these blocks and of all that it called: the others.
    fn contexts_of<const WIDTH: usize>(&mut self, batch: &Batch, blocks: Range<usize>) -> Contexts {
        if !self.wanted.contexts {
            return Contexts::None;
        }
        let may_wait = self.waiting.have_room(blocks.len());
        let subtree = self.waiting.push::<WIDTH>(batch, &self.claims, blocks);
        if may_wait {
            Contexts::Waiting(subtree)
        } else {
            Contexts::Node(self.waiting.enter::<WIDTH>(subtree, &mut self.contexts))
        }
    }

    /// Keeps a leaf of this cost in the first column.
    fn keep_leaf(&mut self, self_costs: &[Cost], cost: Cost) -> Ended {
        let others = self_costs.iter().skip(1);
        if first_cost(self_costs) == cost
            && others.copied().all(|other| other == 0)
            && let Ok(cost) = u32::try_from(cost)
            && cost < Listed::LIMIT
        {
            return Ended::Leaf(cost);
        }
        self.leaf.clear();
        self.leaf.push(cost);
        self.leaf.extend_from_slice(self_costs);
        if let Some(row) = self.free_rows.pop() {
            self.leaf_costs.set(row as usize, &self.leaf);
            return Ended::LeafRow(row);
        }
        let row = next_index(self.leaf_costs.rows());
        self.leaf_costs.push::<ANY_WIDTH>(&self.leaf);
        Ended::LeafRow(row)
    }

    fn free_row(&mut self, row: u32) {
        if row as usize + 1 == self.leaf_costs.rows() {
            self.leaf_costs.pop();
        } else {
            self.free_rows.push(row);
        }
    }

    fn keep(&mut self, kept: Kept) -> Ended {
        if let Some(number) = self.free.pop() {
            self.kept[number as usize] = kept;
            return Ended::Kept(number);
        }
        let number = next_index(self.kept.len());
        self.kept.push(kept);
        Ended::Kept(number)
    }

    /// The call site of a call.
    fn site(&self, batch: &Batch, call: usize) -> Option<CallSite> {
        let called = self.called.get_index(batch.calls[call].called as usize)?;
        called.1
    }

    /// The function of a call in a batch.
    #[inline]
    fn callee(&self, call: u32) -> FunctionId {
        // There are no call sites unless they are needed.
        let called = self.called.get_index(call as usize);
        called.map_or(FunctionId(call), |called| called.0)
    }

    /// The number of a called function in the [`ContextTree`].
    #[inline]
    fn number(&self, call: u32, callee: FunctionId) -> u32 {
        if self.wanted.call_sites {
            call
        } else {
            callee.number()
        }
    }

    /// Adds a call to the current block's invocation.
    #[inline(always)]
    fn link_call(&mut self, batch: &Batch, call: usize, invocation: u32) {
        self.linked.push(InvocationCall {
            cost: batch.first_cost(call),
            line: self.site(batch, call).map_or(0, |site| site.line),
            callee: self.callee(batch.calls[call].called),
            invocation,
        });
    }

    /// Adds the invocation of a block, whose calls are linked.
    #[inline(always)]
    fn push_invocation<const WIDTH: usize>(&mut self, batch: &Batch, number: usize) {
        let block = &batch.blocks[number];
        let self_cost = first_cost(batch.self_costs::<WIDTH>(number));
        self.linked.reverse();
        let costs = self.linked.iter().map(|call| call.cost);
        let inclusive = costs.fold(self_cost, Cost::saturating_add);
        self.invocations.push(
            block.function,
            [self_cost, inclusive],
            &self.linked,
            block.is_proxy,
            &mut self.of_proxies,
        );
        self.linked.clear();
    }

    /// Ends the run.
    pub fn finish(mut self) -> TraceLinks {
        let wanted = self.wanted;
        let timeline = wanted.has_timeline().then(|| {
            let site = |number| self.called.get_index(number as usize)?.1;
            take(&mut self.timeline).finish(site)
        });
        if self.wanted.contexts {
            self.add_roots();
        }
        TraceLinks {
            invocations: wanted.invocations.then_some(self.invocations),
            contexts: wanted.contexts.then_some(self.contexts),
            timeline,
            costliest: self.costliest,
        }
    }

    /// Enters the remaining invocations, which have no caller.
    fn add_roots(&mut self) {
        for (function, all) in (0..).map(FunctionId).zip(take(&mut self.unclaimed)) {
            let number = if self.wanted.call_sites && !all.is_empty() {
                next_index(self.called.insert_full((function, None)).0)
            } else {
                function.number()
            };
            let key = ContextKey::new(number, false);
            for listed in all {
                let contexts = &mut self.contexts;
                match listed.ended() {
                    Ended::Leaf(cost) => {
                        contexts.add_called::<ANY_WIDTH>(ContextId::TOP, key, &[cost.into()]);
                    }
                    Ended::LeafRow(row) => {
                        let costs = self.leaf_costs.row(row as usize, &mut self.leaf);
                        let costs = costs.get(1..).unwrap_or_default();
                        contexts.add_called::<ANY_WIDTH>(ContextId::TOP, key, costs);
                    }
                    Ended::Kept(kept) => {
                        self.add_kept::<ANY_WIDTH>(kept, ContextId::TOP, number);
                    }
                }
            }
        }
        if self.wanted.call_sites {
            self.contexts.set_called(take(&mut self.called));
        }
    }
}

/// The numbers of the call sites of a block, by position of the call.
fn sites_from(batch: &Batch, first_call: usize) -> impl Fn(usize) -> u32 + use<'_> {
    move |at| batch.calls[first_call + at].called
}

/// The number of calls of a block.
#[inline]
fn count(batch: &Batch, block: usize) -> u32 {
    next_index(batch.calls_of(block).len())
}

#[cfg(test)]
mod tests {
    use super::super::CallSites;
    use super::super::stretches::Switch;
    use super::*;
    use crate::tables::{Costs, NameId};

    /// A block with its self costs and its calls; the first cost is not one of the requested ones.
    struct TestBlock {
        function: u32,
        self_costs: [Cost; 3],
        /// Function, line and costs.
        calls: Vec<(u32, u64, [Cost; 3])>,
    }

    /// Blocks of random calls: some are missing, some cost more than their invocations, some are
    /// made before others have ended, and some invocations have no caller.
    fn random_blocks(seed: u64) -> Vec<TestBlock> {
        let mut state = seed;
        let mut below = |limit: u32| {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            u32::try_from((state >> 33) % u64::from(limit)).unwrap()
        };
        let mut open: Vec<(u32, [Cost; 3])> = Vec::new();
        let mut blocks = Vec::new();
        for _ in 0..300 {
            let mut calls = Vec::new();
            let mut sums: [Cost; 3] = [0; 3].map(|_| below(3).into());
            sums[2] = below(2).into();
            let self_costs = sums;
            for _ in 0..open.len().min(below(4) as usize) {
                let back = 1 + below(10) as usize / 8;
                let (function, mut costs) = open.remove(open.len().saturating_sub(back));
                costs[0] += Cost::from(below(9) / 8 * 100);
                calls.push((function, below(2).into(), costs));
                for (sum, cost) in sums.iter_mut().zip(costs) {
                    *sum += cost;
                }
            }
            calls.reverse();
            if below(20) == 0 {
                calls.push((9, 1, [5, 6, 7]));
            }
            let function = below(8);
            if below(20) > 0 {
                open.push((function, sums));
            }
            blocks.push(TestBlock {
                function,
                self_costs,
                calls,
            });
        }
        blocks
    }

    /// The results for the blocks, this number in a batch; the requested costs are `columns`. At most
    /// `most_waiting` invocations wait for their callers.
    fn linked(
        blocks: &[TestBlock],
        (batch, most_waiting): (usize, usize),
        columns: Range<usize>,
        wanted: LinkOptions,
    ) -> (Vec<String>, String, Timeline) {
        let (mut linker, mut sites) = (Linker::new(wanted), CallSites::default());
        linker.waiting = WaitingSubtrees::new(most_waiting);
        for blocks in blocks.chunks(batch) {
            let mut batch = Batch::new(columns.len(), 0);
            for block in blocks {
                batch.add_self_costs::<ANY_WIDTH>(Costs {
                    row: &block.self_costs[columns.clone()],
                    matching: block.self_costs[0],
                });
                for (callee, line, costs) in &block.calls {
                    let callee = FunctionId(*callee);
                    let site = CallSite {
                        file: NameId::EMPTY,
                        line: *line,
                    };
                    let costs = Costs {
                        row: &costs[columns.clone()],
                        matching: costs[0],
                    };
                    let new = &mut batch.new_sites;
                    let called = if wanted.any_sites() {
                        sites.number(callee, site, new)
                    } else {
                        callee.number()
                    };
                    batch.push_call::<ANY_WIDTH>(called, costs);
                }
                let switch = match block.function {
                    6 => Some(Switch::Suspend),
                    7 => Some(Switch::Resume),
                    _ => None,
                };
                batch.end_block(FunctionId(block.function));
                batch.mark(block.function == 1, switch);
            }
            linker.link(&batch);
        }
        let links = linker.finish();
        let contexts = links.contexts.unwrap();
        let mut stacks = Vec::new();
        let mut pending = vec![(ContextId::TOP, String::new())];
        while let Some((parent, above)) = pending.pop() {
            for id in contexts.children(parent) {
                let line = contexts.call_site(id).map(|site| site.line);
                let stack = format!("{above};{} {line:?}", contexts.function(id).0);
                let (calls, costs) = (contexts.context(id).calls, &contexts.self_costs);
                stacks.push(format!("{stack} {calls} {:?}", costs.row(id.index())));
                pending.push((id, stack));
            }
        }
        stacks.sort();
        let timeline = links.timeline.unwrap();
        (stacks, format!("{:?}", links.invocations), timeline)
    }

    #[test]
    fn the_size_of_batches_and_what_waits_do_not_matter() {
        for seed in 0..8 {
            let blocks = random_blocks(seed);
            for columns in [0..1, 0..2, 0..3, 1..2, 1..3] {
                for (invocations, call_sites) in
                    [(false, false), (false, true), (true, false), (true, true)]
                {
                    let wanted = LinkOptions {
                        invocations,
                        contexts: true,
                        call_sites,
                        timeline: 200_000,
                    };
                    let linked = |limits| linked(&blocks, limits, columns.clone(), wanted);
                    // One block after the other keeps every invocation.
                    let single = linked((1, 0));
                    assert!(single.0.len() > 50);
                    for batch in [1, 2, 7, 100, 1000] {
                        for most_waiting in [0, 3, 20, 1000] {
                            let limits = (batch, most_waiting);
                            let is_same = linked(limits) == single;
                            assert!(is_same, "{seed} {limits:?} {columns:?} {wanted:?}");
                        }
                    }
                }
            }
        }
    }
}
