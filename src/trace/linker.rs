//! Links the calls of a trace to the invocations that they made, and builds what depends on these
//! links.
//!
//! Most invocations are claimed in their own batch. They have no node of their own before a caller
//! has one: then all that it called within the batch is entered below it, from the callers to the
//! callees. Only what a batch leaves unclaimed is kept: a leaf as its costs, anything else as a
//! node with those of its callees below it, which is merged into its caller's callees later.

use std::ops::Range;

use super::batch::Batch;
use super::contexts::{ContextId, ContextKey, ContextTree};
use super::invocations::{CallsOfProxies, InvocationCall, InvocationTree, NONE};
use super::matching::{CallCounts, UnmatchedInvocation, claim};
use super::stretches::Stretches;
use super::timeline::{Timed, Timeline, TimelineBuilder};
use crate::tables::{ANY_WIDTH, Cost, CostTable, FunctionId, first_cost, next_index, slot};

/// The requested results for a trace; by default none.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LinkOptions {
    /// Every invocation, for v4.
    pub invocations: bool,
    /// The calling contexts, for stacks.
    pub contexts: bool,
    /// Whether the contexts know their call sites.
    pub call_sites: bool,
    /// When invocations ran.
    pub timeline: bool,
}

impl LinkOptions {
    pub(super) fn any_sites(self) -> bool {
        self.invocations || self.call_sites || self.timeline
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
}

/// What an unclaimed invocation is.
#[derive(Clone, Copy, Debug)]
enum Ended {
    /// A block of the current batch that made calls.
    Block(u32),
    /// A block of the current batch that made none.
    LeafBlock(u32),
    /// A leaf, with the row of its self costs; [`COST_ALONE`] if they are only its cost in the first
    /// column, which is also the first event.
    Leaf(u32),
    /// An invocation with a number among those that are kept.
    Kept(u32),
}

/// Stands for a row of self costs that need not be stored.
const COST_ALONE: u32 = u32::MAX >> 2;

/// The same in 32 bits. Two of them say what the others count: no machine has room for so many.
#[derive(Clone, Copy, Debug)]
struct PackedEnded(u32);

const _: () = assert!(
    size_of::<UnmatchedInvocation<PackedEnded>>() == 16,
    "a trace has many at a time"
);

impl PackedEnded {
    #[inline]
    fn new(ended: Ended) -> Self {
        let (kind, number) = match ended {
            Ended::Block(block) => (0, block),
            Ended::LeafBlock(block) => (1, block),
            Ended::Leaf(row) => (2, row),
            Ended::Kept(number) => (3, number),
        };
        debug_assert!(number <= u32::MAX >> 2);
        PackedEnded(number << 2 | kind)
    }

    #[inline]
    fn get(self) -> Ended {
        let number = self.0 >> 2;
        match self.0 & 3 {
            0 => Ended::Block(number),
            1 => Ended::LeafBlock(number),
            2 => Ended::Leaf(number),
            _ => Ended::Kept(number),
        }
    }
}

/// An invocation that its batch left unclaimed.
#[derive(Clone, Copy, Debug)]
struct Kept {
    /// Its node in the [`ContextTree`], or [`ContextId::NONE`].
    node: ContextId,
    /// Its position in the [`InvocationTree`], or [`NONE`].
    invocation: u32,
    /// The number of calls that it made.
    calls: u32,
    /// Its place in the timeline, if requested.
    timed: Option<Timed>,
}

/// The links within the current batch.
#[derive(Debug, Default)]
struct BatchLinks {
    /// The blocks that were called, or `None` if the invocation is missing: by block, the last call
    /// first. A block that has a node already has none here.
    called: Vec<Option<PackedEnded>>,
    /// By block: the end of what it called.
    ends: Vec<usize>,
    /// By block: its node, if any of its callees had one.
    nodes: Vec<ContextId>,
    /// By block, if the timeline is requested.
    timed: Vec<Timed>,
    /// Blocks with a new node, whose calls are still to be entered; stored here to keep the
    /// capacity.
    to_fill: Vec<(usize, ContextId)>,
}

impl BatchLinks {
    /// The positions of what a block called; of the current block, those so far.
    #[inline]
    fn called_by(&self, block: usize) -> Range<usize> {
        let start = block.checked_sub(1).map_or(0, |before| self.ends[before]);
        start..self.ends.get(block).copied().unwrap_or(self.called.len())
    }

    /// Forgets what the current block called.
    fn forget(&mut self, block: usize) {
        self.called.truncate(self.called_by(block).start);
    }
}

/// Links calls to the invocations that they made.
#[derive(Debug, Default)]
pub(super) struct Linker {
    wanted: LinkOptions,
    /// By function.
    unclaimed: Vec<Vec<UnmatchedInvocation<PackedEnded>>>,
    kept: Vec<Kept>,
    /// The numbers of those that were claimed.
    free: Vec<u32>,
    /// The self costs of leaves.
    leaf_costs: CostTable,
    /// The rows of those that were claimed, except the last ones.
    free_rows: Vec<u32>,
    /// The most calls that an invocation has made.
    most_calls: u32,
    links: BatchLinks,
    stretches: Stretches,
    invocations: InvocationTree,
    /// The calls of the current block.
    linked: Vec<InvocationCall>,
    of_proxies: CallsOfProxies,
    contexts: ContextTree,
    timeline: TimelineBuilder,
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
    pub fn link(&mut self, batch: &Batch) {
        let width = batch.self_costs.width();
        self.contexts.self_costs.widen(width);
        self.leaf_costs.widen(width);
        match self.contexts.self_costs.width() {
            1 => self.link_blocks::<1>(batch),
            2 => self.link_blocks::<2>(batch),
            _ => self.link_blocks::<ANY_WIDTH>(batch),
        }
    }

    /// Rows have `WIDTH` costs.
    fn link_blocks<const WIDTH: usize>(&mut self, batch: &Batch) {
        let first_invocation = self.invocations.invocations().len();
        for block in 0..batch.blocks.len() {
            self.end_block::<WIDTH>(batch, block, first_invocation);
        }
        for block in &batch.blocks {
            self.keep_unclaimed::<WIDTH>(batch, block.function.index(), first_invocation);
        }
        self.links.called.clear();
        self.links.ends.clear();
        self.links.nodes.clear();
        self.links.timed.clear();
    }

    /// Ends a block of a batch, whose first invocation has this position.
    fn end_block<const WIDTH: usize>(
        &mut self,
        batch: &Batch,
        number: usize,
        first_invocation: usize,
    ) {
        let (block, calls) = (&batch.blocks[number], batch.calls_of(number));
        if let Some(switch) = block.switch {
            self.stretches.follow(switch);
        }
        let stretch = self.stretches.current;
        let mut cost = block.matching;
        // Its node, once one of its callees has one.
        let mut node = ContextId::NONE;
        // Backwards, because the last call made the latest invocation.
        for call in calls.clone().rev() {
            let matching = batch.matching::<WIDTH>(call);
            cost = cost.saturating_add(matching);
            let unclaimed = self.unclaimed.get_mut(batch.callees[call].index());
            let calls_of = |ended: &PackedEnded| match ended.get() {
                Ended::Block(number) => count(batch.calls_of(number as usize).len()),
                Ended::LeafBlock(_) | Ended::Leaf(_) => 0,
                Ended::Kept(number) => self.kept[number as usize].calls,
            };
            let calls_of = CallCounts {
                of: calls_of,
                most: self.most_calls,
            };
            let claimed = unclaimed.and_then(|all| claim(all, matching, stretch, calls_of));
            if self.wanted.invocations {
                let ended = claimed.map(|claimed| claimed.what.get());
                self.link_call::<WIDTH>(batch, call, ended, first_invocation);
            }
            if self.wanted.contexts {
                let has_node = claimed.is_some_and(|claimed| self.has_node(claimed.what));
                if node == ContextId::NONE && !has_node {
                    let called = claimed.map(|claimed| claimed.what);
                    self.links.called.push(called);
                } else {
                    if node == ContextId::NONE {
                        node = self.node_of::<WIDTH>(batch, number);
                        self.links.forget(number);
                    }
                    self.add_claimed::<WIDTH>(batch, call, node, claimed);
                }
            }
            if self.wanted.timeline {
                let timed = claimed.map(|claimed| self.timed(claimed));
                let callee = batch.callees[call];
                self.timeline
                    .add_call(callee, timed.ok_or(matching), batch.site(call));
            }
            if let Some(Ended::Kept(number)) = claimed.map(|claimed| claimed.what.get()) {
                self.free.push(number);
            }
        }
        self.most_calls = self.most_calls.max(count(calls.len()));
        self.links.ends.push(self.links.called.len());
        self.links.nodes.push(node);
        if self.wanted.timeline {
            let timed = self.timeline.end(block.function, block.matching);
            self.links.timed.push(timed);
        }
        if self.wanted.invocations {
            self.push_invocation::<WIDTH>(batch, number);
        }
        let ended = if calls.is_empty() {
            Ended::LeafBlock(next_index(number))
        } else {
            Ended::Block(next_index(number))
        };
        let unclaimed = slot(&mut self.unclaimed, block.function.index());
        unclaimed.push(UnmatchedInvocation {
            cost,
            stretch,
            what: PackedEnded::new(ended),
        });
    }

    /// The place of an invocation in the timeline.
    fn timed(&self, ended: UnmatchedInvocation<PackedEnded>) -> Timed {
        let timed = match ended.what.get() {
            Ended::Block(block) | Ended::LeafBlock(block) => Some(self.links.timed[block as usize]),
            Ended::Kept(number) => self.kept[number as usize].timed,
            Ended::Leaf(_) => None,
        };
        timed.unwrap_or(Timed::dropped(ended.cost))
    }

    /// Whether an invocation has a node, or was left unclaimed by an earlier batch.
    #[inline]
    fn has_node(&self, ended: PackedEnded) -> bool {
        match ended.get() {
            Ended::LeafBlock(_) => false,
            Ended::Block(number) => self.links.nodes[number as usize] != ContextId::NONE,
            Ended::Leaf(_) | Ended::Kept(_) => true,
        }
    }

    /// Enters a node for a block and all that it called in this batch, as far as that is linked.
    fn node_of<const WIDTH: usize>(&mut self, batch: &Batch, number: usize) -> ContextId {
        let block = &batch.blocks[number];
        // A proxy without calls stays.
        let makes_calls = !batch.calls_of(number).is_empty();
        let key = ContextKey::of_function(block.function, makes_calls && block.is_proxy);
        let self_costs = batch.self_costs.row_of::<WIDTH>(number);
        let node = self.contexts.enter::<WIDTH>(key, 1, self_costs);
        self.fill::<WIDTH>(batch, number, node);
        node
    }

    /// Enters all that a block called in this batch below its node.
    fn fill<const WIDTH: usize>(&mut self, batch: &Batch, number: usize, node: ContextId) {
        self.links.to_fill.push((number, node));
        while let Some((number, node)) = self.links.to_fill.pop() {
            let calls = batch.calls_of(number).rev();
            for (call, position) in calls.zip(self.links.called_by(number)) {
                let called = self.links.called[position];
                self.add_linked::<WIDTH>(batch, call, node, called);
            }
        }
    }

    /// Enters a call below the node of its caller: of a block of this batch, or of an invocation
    /// that is missing.
    #[inline(always)]
    fn add_linked<const WIDTH: usize>(
        &mut self,
        batch: &Batch,
        call: usize,
        caller: ContextId,
        called: Option<PackedEnded>,
    ) {
        let (costs, made_calls) = match called.map(PackedEnded::get) {
            Some(Ended::LeafBlock(block)) => {
                (batch.self_costs.row_of::<WIDTH>(block as usize), None)
            }
            Some(Ended::Block(block)) => {
                let block = block as usize;
                (batch.self_costs.row_of::<WIDTH>(block), Some(block))
            }
            _ => (batch.call_costs.row_of::<WIDTH>(call), None),
        };
        let is_stepped_over = made_calls.is_some_and(|block| batch.blocks[block].is_proxy);
        let (callee, site) = (batch.callees[call], batch.site(call));
        let contexts = &mut self.contexts;
        let node = contexts.add_called::<WIDTH>(caller, callee, is_stepped_over, site, costs);
        if let Some(block) = made_calls {
            self.links.to_fill.push((block, node));
        }
    }

    /// Puts what a call claimed below the node of its caller.
    #[inline(never)]
    fn add_claimed<const WIDTH: usize>(
        &mut self,
        batch: &Batch,
        call: usize,
        caller: ContextId,
        claimed: Option<UnmatchedInvocation<PackedEnded>>,
    ) {
        let (callee, site) = (batch.callees[call], batch.site(call));
        let contexts = &mut self.contexts;
        let node = match claimed.map(|claimed| (claimed.what.get(), claimed.cost)) {
            Some((Ended::Leaf(COST_ALONE), cost)) => {
                contexts.add_called::<ANY_WIDTH>(caller, callee, false, site, &[cost]);
                return;
            }
            Some((Ended::Leaf(row), _)) => {
                let costs = self.leaf_costs.row_of::<WIDTH>(row as usize);
                contexts.add_called::<WIDTH>(caller, callee, false, site, costs);
                return self.free_row(row);
            }
            Some((Ended::Kept(number), _)) => self.kept[number as usize].node,
            Some((Ended::Block(number), _)) => self.links.nodes[number as usize],
            Some((Ended::LeafBlock(_), _)) | None => ContextId::NONE,
        };
        if node != ContextId::NONE {
            return contexts.attach_called(caller, node, site);
        }
        self.add_linked::<WIDTH>(batch, call, caller, claimed.map(|claimed| claimed.what));
        if let Some((called, node)) = self.links.to_fill.pop() {
            self.fill::<WIDTH>(batch, called, node);
        }
    }

    /// Keeps what the current batch leaves unclaimed of a function.
    #[inline]
    fn keep_unclaimed<const WIDTH: usize>(
        &mut self,
        batch: &Batch,
        function: usize,
        first_invocation: usize,
    ) {
        let mut position = self.unclaimed[function].len();
        while let Some(before) = position.checked_sub(1) {
            position = before;
            let ended = &self.unclaimed[function][position];
            // Those of earlier batches come first.
            let (what, cost) = (ended.what.get(), ended.cost);
            let (Ended::Block(number) | Ended::LeafBlock(number)) = what else {
                return;
            };
            let number = number as usize;
            let calls = batch.calls_of(number).len();
            let timed = self.links.timed.get(number).copied();
            let has_box = timed.is_some_and(|timed| self.timeline.has_box(timed));
            let what = if calls == 0 && !self.wanted.invocations && !has_box {
                self.keep_leaf(batch.self_costs.row_of::<WIDTH>(number), cost)
            } else {
                let mut node = self.links.nodes[number];
                if node == ContextId::NONE && self.wanted.contexts {
                    node = self.node_of::<WIDTH>(batch, number);
                }
                let invocation = first_invocation + number;
                self.keep(node, next_index(invocation), calls, timed)
            };
            self.unclaimed[function][position].what = PackedEnded::new(what);
        }
    }

    /// Keeps a leaf of this cost in the first column.
    fn keep_leaf(&mut self, self_costs: &[Cost], cost: Cost) -> Ended {
        let others = self_costs.iter().skip(1);
        if first_cost(self_costs) == cost && others.copied().all(|other| other == 0) {
            return Ended::Leaf(COST_ALONE);
        }
        if let Some(row) = self.free_rows.pop() {
            self.leaf_costs.set::<ANY_WIDTH>(row as usize, self_costs);
            return Ended::Leaf(row);
        }
        let row = next_index(self.leaf_costs.rows());
        self.leaf_costs.push::<ANY_WIDTH>(self_costs);
        Ended::Leaf(row)
    }

    fn free_row(&mut self, row: u32) {
        if row as usize + 1 == self.leaf_costs.rows() {
            self.leaf_costs.pop();
        } else {
            self.free_rows.push(row);
        }
    }

    /// Keeps an invocation with its node.
    fn keep(
        &mut self,
        node: ContextId,
        invocation: u32,
        calls: usize,
        timed: Option<Timed>,
    ) -> Ended {
        let kept = Kept {
            node,
            invocation,
            calls: count(calls),
            timed,
        };
        if let Some(number) = self.free.pop() {
            self.kept[number as usize] = kept;
            return Ended::Kept(number);
        }
        let number = next_index(self.kept.len());
        self.kept.push(kept);
        Ended::Kept(number)
    }

    /// Adds a call to the current block's invocation.
    #[inline(always)]
    fn link_call<const WIDTH: usize>(
        &mut self,
        batch: &Batch,
        call: usize,
        claimed: Option<Ended>,
        first_invocation: usize,
    ) {
        let invocation = match claimed {
            Some(Ended::Block(number) | Ended::LeafBlock(number)) => {
                next_index(first_invocation + number as usize)
            }
            Some(Ended::Kept(number)) => self.kept[number as usize].invocation,
            // Leaves are kept with their positions.
            Some(Ended::Leaf(_)) | None => NONE,
        };
        self.linked.push(InvocationCall {
            cost: first_cost(batch.call_costs.row_of::<WIDTH>(call)),
            line: batch.site(call).map_or(0, |site| site.line),
            callee: batch.callees[call],
            invocation,
        });
    }

    /// Adds the invocation of a block, whose calls are linked.
    #[inline(always)]
    fn push_invocation<const WIDTH: usize>(&mut self, batch: &Batch, number: usize) {
        let block = &batch.blocks[number];
        let self_cost = first_cost(batch.self_costs.row_of::<WIDTH>(number));
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
        if self.wanted.contexts {
            self.add_roots();
        }
        let wanted = self.wanted;
        TraceLinks {
            invocations: wanted.invocations.then_some(self.invocations),
            contexts: wanted.contexts.then_some(self.contexts),
            timeline: wanted.timeline.then(|| self.timeline.finish()),
        }
    }

    /// Enters the remaining invocations, which have no caller.
    fn add_roots(&mut self) {
        let contexts = &mut self.contexts;
        for (function, all) in (0..).map(FunctionId).zip(&self.unclaimed) {
            for ended in all {
                let row = match ended.what.get() {
                    Ended::Leaf(COST_ALONE) => &[ended.cost][..],
                    Ended::Leaf(row) => self.leaf_costs.row(row as usize),
                    Ended::Kept(number) => {
                        let node = self.kept[number as usize].node;
                        contexts.attach_called(ContextId::TOP, node, None);
                        continue;
                    }
                    // All batches have ended.
                    Ended::Block(_) | Ended::LeafBlock(_) => continue,
                };
                contexts.add_called::<ANY_WIDTH>(ContextId::TOP, function, false, None, row);
            }
        }
    }
}

/// A number of calls.
#[inline]
fn count(calls: usize) -> u32 {
    u32::try_from(calls).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::super::batch::Block;
    use super::super::contexts::CallSite;
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

    /// The results for the blocks, this number in a batch; the requested costs are `columns`.
    fn linked(
        blocks: &[TestBlock],
        batch: usize,
        columns: Range<usize>,
        wanted: LinkOptions,
    ) -> (Vec<String>, String, Timeline) {
        let mut linker = Linker::new(wanted);
        for blocks in blocks.chunks(batch) {
            let mut batch = Batch::new(columns.len());
            for block in blocks {
                let row = &block.self_costs[columns.clone()];
                batch.self_costs.push::<ANY_WIDTH>(row);
                for (callee, line, costs) in &block.calls {
                    let site = CallSite {
                        file: NameId::EMPTY,
                        line: *line,
                    };
                    let costs = Costs {
                        row: &costs[columns.clone()],
                        matching: costs[0],
                    };
                    let site = wanted.any_sites().then_some(site);
                    batch.push_call::<ANY_WIDTH>(FunctionId(*callee), costs, site);
                }
                batch.blocks.push(Block {
                    function: FunctionId(block.function),
                    matching: block.self_costs[0],
                    is_proxy: block.function == 1,
                    switch: match block.function {
                        6 => Some(Switch::Suspend),
                        7 => Some(Switch::Resume),
                        _ => None,
                    },
                    end: batch.callees.len(),
                });
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
    fn the_size_of_batches_does_not_matter() {
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
                        timeline: true,
                    };
                    let linked = |batch| linked(&blocks, batch, columns.clone(), wanted);
                    // One block after the other keeps every invocation.
                    let single = linked(1);
                    assert!(single.0.len() > 50);
                    for batch in [2, 7, 100, 1000] {
                        let is_same = linked(batch) == single;
                        assert!(is_same, "{seed} {batch} {columns:?} {wanted:?}");
                    }
                }
            }
        }
    }
}
