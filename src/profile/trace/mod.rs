//! The calls of a trace: which invocation called which.
//!
//! Each block of a trace is one invocation. [`matching`] finds out which one a call made and, where
//! a program has several stacks, [`fibers`]. This is the basis of the [`InvocationTree`], the
//! [`ContextTree`], inclusive costs in which nothing counts twice, and call lists in which
//! [`proxies`] are stepped over. Invocations that nothing called (`{main}`, shutdown functions,
//! destructors, fibers) are the roots.
//!
//! A reader passes the blocks and their calls to a [`Trace`]. They are linked on another thread
//! while the reader goes on.

mod batch;
mod contexts;
mod fibers;
mod invocations;
mod linker;
mod matching;
mod proxies;
mod roles;

use std::panic::resume_unwind;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle, available_parallelism};

use super::calls::EdgeKey;
use super::costs::{Cost, Costs};
use super::ids::FunctionId;
pub use contexts::{Context, ContextId, ContextTree, Step};
pub use invocations::{Invocation, InvocationCall, InvocationTree};
pub(super) use linker::{Links, Wanted};
pub(super) use proxies::{ListedCalls, WaitingCall, note_proxy};
pub(super) use roles::Role;

use batch::{Batch, Block};
use linker::Linker;
use proxies::ProxyCalls;

/// A run of a trace that is being read; see the [module](self)'s documentation.
#[derive(Debug)]
pub(super) struct Trace {
    wanted: Wanted,
    lists: ProxyCalls,
    /// Functions that have to do with stacks.
    roles: Vec<(FunctionId, Role)>,
    linking: Option<Linking>,
    /// The same calls once more for each event after the first, where inclusive costs are to be
    /// found out of all of them: the links are the same, since they do not depend on the event.
    more: Vec<Linking>,
}

impl Trace {
    /// Begins a run.
    pub fn new(wanted: Wanted) -> Self {
        let links = wanted.invocations || wanted.any_contexts();
        Trace {
            wanted,
            lists: ProxyCalls::default(),
            roles: Vec::new(),
            linking: links.then(|| Linking::new(wanted, &[])),
            more: Vec::new(),
        }
    }

    /// Whether calls are linked. Without links and proxies, blocks and calls need not be passed on.
    pub fn links(&self) -> bool {
        self.linking.is_some()
    }

    /// Says that a function is a proxy.
    pub fn step_over(&mut self, function: FunctionId) {
        self.lists.step_over(function);
    }

    /// Says what a function has to do with stacks.
    pub fn set_role(&mut self, function: FunctionId, role: Role) {
        self.roles.push((function, role));
        for linking in self.linking.iter_mut().chain(&mut self.more) {
            linking.batch.roles.push((function, role));
        }
    }

    /// Takes note of a call of the open block, and says whether it waits for the end of the block:
    /// [`end_block`](Self::end_block) will then tell what to list in its place.
    #[inline]
    pub fn add_call(&mut self, call: EdgeKey, calls: u64, costs: Costs<'_>) -> bool {
        if let Some(linking) = &mut self.linking {
            linking.add_call(call, costs.first, costs.matching);
        }
        if self.wanted.outermost {
            for (linking, cost) in self.further(costs.more) {
                linking.add_call(call, cost, costs.matching);
            }
        }
        let waits = self.lists.has_to_wait(call.caller, call.callee);
        if waits {
            self.lists.wait(WaitingCall::new(call, calls, costs));
        }
        waits
    }

    /// Ends the open block, whose own costs are these.
    #[inline]
    pub fn end_block(
        &mut self,
        function: FunctionId,
        self_costs: Costs<'_>,
    ) -> Option<ListedCalls> {
        let is_proxy = self.lists.is_proxy(function);
        let matching = self_costs.matching;
        let block = |self_cost| Block {
            function,
            self_cost,
            matching,
            is_proxy,
        };
        if let Some(linking) = &mut self.linking {
            linking.end_block(block(self_costs.first));
        }
        if self.wanted.outermost {
            for (linking, self_cost) in self.further(self_costs.more) {
                linking.end_block(block(self_cost));
            }
        }
        self.lists.end_block(function, matching)
    }

    /// Where the costs of each event after the first are added up.
    #[inline]
    fn further<'a>(
        &'a mut self,
        costs: &'a [Cost],
    ) -> impl Iterator<Item = (&'a mut Linking, Cost)> {
        if self.more.len() < costs.len() {
            self.begin_further(costs.len());
        }
        let costs = costs.iter().copied().chain(std::iter::repeat(0));
        self.more.iter_mut().zip(costs)
    }

    #[cold]
    fn begin_further(&mut self, events: usize) {
        let wanted = Wanted {
            outermost: true,
            ..Wanted::default()
        };
        let further = || Linking::new(wanted, &self.roles);
        self.more.resize_with(events, further);
    }

    /// Ends the run, and waits until everything is linked.
    pub fn finish(self) -> Links {
        let mut links = self.linking.map(Linking::finish).unwrap_or_default();
        for linking in self.more {
            let further = linking.finish();
            links.outermost.extend(further.outermost);
            links.is_full |= further.is_full;
        }
        links
    }
}

/// Blocks and calls that are handed over at once: with fewer the threads wake each other too often.
const BATCH: usize = 8 << 10;

/// How many batches may wait to be linked.
const BATCHES: usize = 4;

/// Collects blocks and their calls, and passes them on in batches to be linked.
#[derive(Debug)]
struct Linking {
    wanted: Wanted,
    batch: Batch,
    /// None as long as starting a thread would not pay off.
    worker: Option<Worker>,
}

impl Linking {
    fn new(wanted: Wanted, roles: &[(FunctionId, Role)]) -> Self {
        Linking {
            wanted,
            batch: Batch {
                roles: roles.to_vec(),
                ..Batch::default()
            },
            worker: None,
        }
    }

    #[inline]
    fn add_call(&mut self, call: EdgeKey, cost: Cost, matching: Cost) {
        if matching != cost {
            let position = self.batch.calls.len();
            self.batch.matching.push((position, matching));
        }
        let call = InvocationCall::new(call.callee, None, call.line, cost);
        self.batch.calls.push(call);
    }

    fn end_block(&mut self, block: Block) {
        self.batch.blocks.push((block, self.batch.calls.len()));
        // Only here are all calls those of blocks in the batch.
        if self.batch.len() >= BATCH {
            self.hand_over();
        }
    }

    fn finish(self) -> Links {
        let mut worker = self.worker.unwrap_or_else(|| Worker::here(self.wanted));
        worker.link(self.batch);
        worker.finish()
    }

    #[inline(never)]
    fn hand_over(&mut self) {
        let batch = std::mem::take(&mut self.batch);
        let wanted = self.wanted;
        let worker = self.worker.get_or_insert_with(|| {
            Worker::on_thread(wanted).unwrap_or_else(|| Worker::here(wanted))
        });
        worker.link(batch);
    }
}

/// Where the links are made.
#[derive(Debug)]
enum Worker {
    /// On a thread of its own, while the input is read on.
    Thread(SyncSender<Batch>, JoinHandle<Links>),
    /// On the same thread.
    Here(Box<Linker>),
}

impl Worker {
    /// None, if there is only one core, or if no thread can be started.
    fn on_thread(wanted: Wanted) -> Option<Self> {
        if available_parallelism().map_or(1, usize::from) < 2 {
            return None;
        }
        let (sender, batches) = sync_channel(BATCHES);
        let thread = Builder::new().name("linker".to_owned()).spawn(move || {
            let mut linker = Linker::new(wanted);
            batches.iter().for_each(|batch| linker.link(batch));
            linker.finish()
        });
        Some(Worker::Thread(sender, thread.ok()?))
    }

    fn here(wanted: Wanted) -> Self {
        Worker::Here(Box::new(Linker::new(wanted)))
    }

    fn link(&mut self, batch: Batch) {
        match self {
            Worker::Here(linker) => linker.link(batch),
            // It fails only if the thread has panicked, which is reported at the end.
            Worker::Thread(sender, _) => _ = sender.send(batch),
        }
    }

    /// Waits until everything is linked.
    fn finish(self) -> Links {
        match self {
            Worker::Here(linker) => linker.finish(),
            Worker::Thread(sender, thread) => {
                // The thread ends when its sender is gone.
                drop(sender);
                let links = thread.join();
                links.unwrap_or_else(|panic| resume_unwind(panic))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    const EVERYTHING: Wanted = Wanted {
        invocations: true,
        contexts: true,
        outermost: true,
    };

    /// The functions that are stepped over.
    const PROXIES: u32 = 2;

    /// An invocation and what it called; none: that was cut off.
    #[derive(Clone, Debug)]
    struct Node {
        function: u32,
        self_cost: Cost,
        calls: Vec<Called>,
    }

    #[derive(Clone, Debug)]
    enum Called {
        Node(Node),
        Missing(Cost),
    }

    /// Of functions that nothing else calls, so that nobody else claims what is theirs.
    const MISSING: u32 = 9;

    fn node() -> impl Strategy<Value = Node> {
        let leaf = (0u32..6, -50i64..1000).prop_map(|(function, self_cost)| Node {
            function,
            self_cost,
            calls: Vec::new(),
        });
        leaf.prop_recursive(6, 60, 14, |inner| {
            let call = prop_oneof![
                9 => inner.prop_map(Called::Node),
                1 => (0i64..100).prop_map(Called::Missing),
            ];
            let calls = proptest::collection::vec(call, 0..14);
            (0u32..6, 0i64..1000, calls).prop_map(|(function, self_cost, calls)| Node {
                function,
                self_cost,
                calls,
            })
        })
    }

    fn costs(first: Cost, matching: Cost) -> Costs<'static> {
        Costs {
            first,
            more: &[],
            matching,
        }
    }

    /// In the first column every cost is another one than in the wanted event.
    fn first_column(cost: Cost) -> Cost {
        cost.saturating_mul(3) + 1000
    }

    /// Tells a trace of an invocation, and returns its inclusive costs.
    fn tell(trace: &mut Trace, node: &Node) -> (Cost, Cost) {
        let mut inclusive = (node.self_cost, first_column(node.self_cost));
        let calls: Vec<_> = node
            .calls
            .iter()
            .map(|call| match call {
                Called::Node(node) => (node.function, tell(trace, node)),
                Called::Missing(cost) => (MISSING, (*cost, first_column(*cost))),
            })
            .collect();
        let caller = FunctionId(node.function);
        for (line, (callee, (cost, matching))) in (1u64..).zip(calls) {
            // Rounded apart.
            let matching = matching + 1;
            let callee = FunctionId(callee);
            let call = EdgeKey {
                caller,
                callee,
                line,
            };
            trace.add_call(call, 1, costs(cost, matching));
            inclusive = (inclusive.0 + cost, inclusive.1 + matching);
        }
        trace.end_block(caller, costs(node.self_cost, first_column(node.self_cost)));
        inclusive
    }

    type Stacks = BTreeMap<Vec<u32>, (u64, Cost)>;

    /// Walks down from a root, and counts.
    fn walk(node: &Node, path: &mut Vec<u32>, proxies: bool, stacks: &mut Stacks) {
        let is_stepped_over =
            proxies && node.function < PROXIES && !node.calls.is_empty() && !path.is_empty();
        if !is_stepped_over {
            path.push(node.function);
            stacks.entry(path.clone()).or_default().0 += 1;
        }
        stacks.entry(path.clone()).or_default().1 += node.self_cost;
        for call in &node.calls {
            match call {
                Called::Node(node) => walk(node, path, proxies, stacks),
                Called::Missing(cost) => {
                    path.push(MISSING);
                    let sums = stacks.entry(path.clone()).or_default();
                    *sums = (sums.0 + 1, sums.1 + cost);
                    path.pop();
                }
            }
        }
        if !is_stepped_over {
            path.pop();
        }
    }

    fn walked(roots: &[Node], proxies: bool) -> Stacks {
        let mut stacks = Stacks::new();
        for root in roots {
            walk(root, &mut Vec::new(), proxies, &mut stacks);
        }
        stacks
    }

    fn stacks(tree: &ContextTree) -> Stacks {
        let mut stacks = Stacks::new();
        let mut path = Vec::new();
        for step in tree.walk() {
            match step {
                Step::Enter(id) => {
                    let context = tree.context(id);
                    path.push(context.function.0);
                    let sums = (context.calls, context.self_cost);
                    assert_eq!(stacks.insert(path.clone(), sums), None, "{path:?} twice");
                }
                Step::Leave(_) => _ = path.pop(),
            }
        }
        stacks
    }

    /// What is left of the sums where no function counts twice.
    fn outermost(stacks: &Stacks) -> Vec<Cost> {
        let mut sums = vec![0; 10];
        for (path, (_, self_cost)) in stacks {
            let functions: std::collections::BTreeSet<_> = path.iter().collect();
            for &function in functions {
                sums[function as usize] += self_cost;
            }
        }
        sums
    }

    fn linked(wanted: Wanted, roots: &[Node], proxies: bool) -> Links {
        let mut trace = Trace::new(wanted);
        if proxies {
            (0..PROXIES).for_each(|proxy| trace.step_over(FunctionId(proxy)));
        }
        for root in roots {
            tell(&mut trace, root);
        }
        trace.finish()
    }

    fn roots() -> impl Strategy<Value = Vec<Node>> {
        proptest::collection::vec(node(), 1..4)
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

        #[test]
        fn contexts_are_those_of_a_plain_walk(roots in roots(), proxies: bool) {
            let links = linked(EVERYTHING, &roots, proxies);
            let contexts = links.contexts.unwrap();
            let expected = walked(&roots, proxies);
            prop_assert_eq!(stacks(&contexts), expected);
            let mut found = links.outermost[0].clone();
            found.resize(10, 0);
            // A function that is stepped over keeps its figures.
            prop_assert_eq!(found, outermost(&walked(&roots, false)));
        }

        #[test]
        fn known_links_give_the_same_contexts(roots in roots(), proxies: bool) {
            let tree = linked(EVERYTHING, &roots, false).invocations.unwrap();
            let is_proxy = |function: FunctionId| proxies && function.0 < PROXIES;
            let mut contexts = ContextTree::of(&tree, is_proxy);
            contexts.step_over_proxies();
            prop_assert_eq!(stacks(&contexts), walked(&roots, proxies));
        }

        #[test]
        fn merged_trees_are_one(roots in roots(), others in roots(), shift in 0u32..3) {
            let mut contexts = linked(EVERYTHING, &roots, false).contexts.unwrap();
            let other = linked(EVERYTHING, &others, false).contexts.unwrap();
            contexts.merge(&other, |function| FunctionId(function.0 / 2 + shift));
            let mut expected = walked(&roots, false);
            for (path, (calls, cost)) in walked(&others, false) {
                let path = path.iter().map(|function| function / 2 + shift).collect();
                let sums = expected.entry(path).or_default();
                *sums = (sums.0 + calls, sums.1 + cost);
            }
            prop_assert_eq!(stacks(&contexts), expected);
        }
    }

    fn leaf(function: u32, self_cost: Cost) -> Node {
        Node {
            function,
            self_cost,
            calls: Vec::new(),
        }
    }

    fn calling(function: u32, calls: impl Iterator<Item = Node>) -> Node {
        Node {
            function,
            self_cost: 1,
            calls: calls.map(Called::Node).collect(),
        }
    }

    #[test]
    fn inclusive_costs_are_sums_from_below() {
        let loops = (0..3).map(|_| calling(1, (0..3).map(|cost| leaf(cost + 2, 10))));
        let links = linked(EVERYTHING, &[calling(7, loops)], false);
        let contexts = links.contexts.unwrap();
        let inclusive = contexts.inclusive_costs();
        let [root] = contexts.roots().collect::<Vec<_>>()[..] else {
            panic!("not one root");
        };
        assert_eq!(inclusive[root.index()], 94);
        let [below] = contexts.children(root).collect::<Vec<_>>()[..] else {
            panic!("not one node below");
        };
        assert_eq!(inclusive[below.index()], 93);
        assert_eq!(contexts.context(below).calls, 3);
        assert_eq!(contexts.children(below).count(), 3);
        assert_eq!(links.outermost[0][7], 94);
    }

    /// Nothing here calls itself, and wide nodes are merged with small ones as fast as small ones.
    #[test]
    fn depth_and_width_cost_nothing_extra() {
        let wanted = Wanted {
            contexts: true,
            outermost: true,
            ..Wanted::default()
        };
        const DEPTH: u32 = 300_000;
        const WIDTH: u32 = 20_000;
        let mut trace = Trace::new(wanted);
        let end = |trace: &mut Trace, function, calls: &mut dyn Iterator<Item = (u32, Cost)>| {
            for (callee, cost) in calls {
                let call = EdgeKey {
                    caller: FunctionId(function),
                    callee: FunctionId(callee),
                    line: 1,
                };
                trace.add_call(call, 1, Costs::single(cost));
            }
            trace.end_block(FunctionId(function), Costs::single(1));
        };
        // Two chains, and then a caller of both.
        for _ in 0..2 {
            end(&mut trace, 0, &mut std::iter::empty());
            for depth in 1..DEPTH {
                end(&mut trace, 0, &mut std::iter::once((0, depth.into())));
            }
        }
        let deep = [(0, DEPTH.into()); 2];
        end(&mut trace, 1, &mut deep.into_iter());
        // A function that has once called many others, and often one of them.
        for function in 0..WIDTH {
            end(&mut trace, 10 + function, &mut std::iter::empty());
        }
        end(&mut trace, 2, &mut (0..WIDTH).map(|other| (10 + other, 1)));
        for function in 0..WIDTH {
            end(&mut trace, 10 + function, &mut std::iter::empty());
            end(&mut trace, 2, &mut std::iter::once((10 + function, 1)));
        }
        let wide = (0..WIDTH)
            .map(|_| (2, 2))
            .chain([(2, Cost::from(WIDTH) + 1)]);
        end(&mut trace, 3, &mut wide.rev());
        let links = trace.finish();
        let (contexts, outermost) = (links.contexts.unwrap(), &links.outermost[0]);
        assert_eq!(contexts.walk().count(), 2 * (DEPTH + WIDTH + 3) as usize);
        assert_eq!(outermost[0], Cost::from(2 * DEPTH));
        assert_eq!(outermost[2], Cost::from(3 * WIDTH + 1));
        assert_eq!(outermost[10], 2);
    }

    #[test]
    fn batches_are_linked_as_one_block_after_the_other() {
        // More calls than go into a batch, and many blocks of few calls.
        let wide = || calling(7, (0..20_000).map(|cost| leaf(3, cost)));
        let small = |cost: Cost| calling(4, (0..3).map(move |other| leaf(5, cost + other)));
        let roots: Vec<_> = (0..9_000)
            .map(small)
            .chain([wide(), calling(6, (0..9_000).map(small)), wide()])
            .collect();
        let links = linked(EVERYTHING, &roots, false);
        let invocations = links.invocations.unwrap();
        assert!(invocations.calls().len() > 5 * BATCH);
        for (position, call) in invocations.calls().iter().enumerate() {
            let called = invocations.called_by(position).unwrap();
            let called = &invocations.invocations()[called];
            assert_eq!(
                (called.function, called.inclusive),
                (call.callee, call.cost)
            );
        }
        assert_eq!(stacks(&links.contexts.unwrap()), walked(&roots, false));
    }

    /// A batch linked on the same thread gives what the worker gives.
    #[test]
    fn links_are_the_same_without_a_thread() {
        let roots: Vec<_> = (0..9_000)
            .map(|cost: Cost| calling(4, (0..3).map(move |other| leaf(5, cost + other))))
            .collect();
        let worker = linked(EVERYTHING, &roots, false);
        let mut trace = Trace::new(EVERYTHING);
        let linking = trace.linking.as_mut().unwrap();
        linking.worker = Some(Worker::Here(Box::new(Linker::new(EVERYTHING))));
        for root in &roots {
            tell(&mut trace, root);
        }
        let here = trace.finish();
        let trees = [&worker, &here].map(|links| format!("{:?}", links.invocations));
        assert!(trees[0] == trees[1]);
        assert_eq!(worker.outermost, here.outermost);
    }
}
