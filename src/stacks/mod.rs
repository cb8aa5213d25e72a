//! The call stacks of a profile as one tree. Those of traces are exact; those of aggregates are
//! estimated where several are possible.
//!
//! Outputs use:
//!
//! - [`Stacks::new`] builds the tree of any profile: of traces that were read with
//!   [`ProfileOptions::contexts`](crate::profile::ProfileOptions::contexts), of aggregates, or of
//!   both.
//! - [`Stacks::nodes`] lists the nodes: each parent before its children, siblings by frame. A node
//!   is followed by all nodes below it. The order does not depend on that of the inputs.
//! - A node has a [`frame`](Stacks::frame), which is never longer than the name of its
//!   [`function`](Stacks::function); a few have no function. It also has
//!   [`calls`](Stacks::calls), and a row of [`self_costs`](Stacks::self_costs) and of
//!   [`inclusive_costs`](Stacks::inclusive_costs), one for each of [`Profile::events`]. Self costs
//!   of all nodes add up to the totals. [`Stacks::is_estimated`] and
//!   [`Stacks::is_inclusive_estimated`] say whether other stacks are possible.
//! - [`Stacks::exact_share`] is the share of the first event's cost that has one possible stack.

mod estimate;
mod made;

use std::ops::Range;
use std::sync::OnceLock;

use estimate::Estimate;
pub(crate) use made::HIDDEN;

use crate::profile::{Cost, FunctionId, Profile};
use crate::tables::{ANY_WIDTH, CostTable, first_cost, next_index};
use crate::trace::{ContextId, ContextTree};

/// Number of a node in [`Stacks`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StackId(u32);

impl StackId {
    /// The parent of the roots.
    const TOP: StackId = StackId(u32::MAX);

    /// The number as an index: nodes are numbered in their order, from 0.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    pub(crate) fn new(index: usize) -> Self {
        StackId(next_index(index))
    }
}

/// The call stacks of a profile: a tree in which each path from a root is a stack.
#[derive(Debug)]
pub struct Stacks<'a> {
    profile: &'a Profile,
    frames: Vec<Frame<'a>>,
    /// Those of traces come first.
    nodes: Vec<Node>,
    /// A row for each node.
    self_costs: CostTable,
    /// Likewise, computed when first needed.
    inclusive: OnceLock<CostTable>,
    /// From which these are joined, if there are several call graphs.
    separate: Option<Box<SeparateStacks<'a>>>,
}

/// The stacks of several call graphs, those of each after one another.
#[derive(Debug)]
struct SeparateStacks<'a> {
    stacks: Stacks<'a>,
    /// The first node of each call graph.
    starts: Vec<StackId>,
}

/// A function, or a caller that is known only by its name.
#[derive(Clone, Copy, Debug, Default)]
struct Frame<'a> {
    function: Option<FunctionId>,
    name: &'a [u8],
}

#[derive(Clone, Copy, Debug)]
struct Node {
    parent: StackId,
    /// The node after all those below this one.
    end: StackId,
    /// The position of its frame.
    frame: u32,
    calls: u64,
    estimated: Estimated,
}

impl Node {
    /// An exact root.
    fn new(frame: u32, calls: u64) -> Self {
        Node {
            parent: StackId::TOP,
            end: StackId::TOP,
            frame,
            calls,
            estimated: Estimated::Nothing,
        }
    }
}

/// Which costs of a node are estimated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Estimated {
    Nothing,
    /// The inclusive costs only.
    Inclusive,
    SelfAndInclusive,
}

/// Finds the nodes that are not below another one of the same group, from nodes in their order.
pub(crate) struct Outermost {
    /// By group: the end of what is below its last such node.
    ends: Vec<StackId>,
}

impl Outermost {
    pub fn of(groups: usize) -> Self {
        Outermost {
            ends: vec![StackId(0); groups],
        }
    }

    /// Whether the next node of a group is one.
    pub fn has(&mut self, stacks: &Stacks<'_>, node: StackId, group: usize) -> bool {
        let is_outermost = node >= self.ends[group];
        if is_outermost {
            self.ends[group] = stacks.node(node).end;
        }
        is_outermost
    }
}

impl<'a> Stacks<'a> {
    /// Builds the tree of a profile.
    ///
    /// Traces without contexts are treated as aggregates.
    pub fn new(profile: &'a Profile) -> Self {
        let mut stacks = Stacks::empty(profile);
        let contexts = profile.contexts();
        if let Some(contexts) = contexts {
            stacks.add_contexts(&contexts.stacks());
        }
        let estimate = Estimate::new(profile);
        let counts = estimate.nodes_by_graph();
        let mut start = stacks.nodes.len();
        stacks.add_estimate(&estimate);
        drop(estimate);
        stacks.complete();
        if counts.len() < 2 {
            return stacks;
        }
        let starts = counts.into_iter().map(|count| {
            start += count;
            StackId::new(start - count)
        });
        let starts = starts.collect();
        let joined = stacks.joined();
        let separate = Box::new(SeparateStacks { stacks, starts });
        Stacks {
            separate: Some(separate),
            ..joined
        }
    }

    /// The stacks that contain those of a [call graph](Profile::call_graphs), and its nodes there.
    pub(crate) fn of_graph(&self, graph: usize) -> (&Stacks<'a>, Range<usize>) {
        let Some(SeparateStacks { stacks, starts }) = self.separate.as_deref() else {
            return (self, 0..self.nodes.len());
        };
        let start = |graph: usize| {
            starts
                .get(graph)
                .map_or(stacks.nodes.len(), |id| id.index())
        };
        (stacks, start(graph)..start(graph + 1))
    }

    fn empty(profile: &'a Profile) -> Self {
        Stacks {
            profile,
            frames: Vec::new(),
            nodes: Vec::new(),
            self_costs: CostTable::new(profile.events().len()),
            inclusive: OnceLock::new(),
            separate: None,
        }
    }

    /// Sets what nodes know about those below them.
    fn complete(&mut self) {
        for index in (0..self.nodes.len()).rev() {
            let node = self.nodes[index];
            if let Some(parent) = self.nodes.get_mut(node.parent.index()) {
                parent.end = parent.end.max(node.end);
                let estimated = node.estimated.min(Estimated::Inclusive);
                parent.estimated = parent.estimated.max(estimated);
            }
        }
    }

    /// Adds the stacks of traces.
    fn add_contexts(&mut self, contexts: &ContextTree) {
        let profile = self.profile;
        let frames = profile.functions().map(|(id, function)| Frame {
            function: Some(id),
            name: profile.name(function.name),
        });
        self.frames.extend(frames);
        let ranks = ranks(profile);
        let function = |number| contexts.function(ContextId(number));
        let list_children = |number, children: &mut Vec<u32>| {
            children.extend(contexts.children(ContextId(number)).map(|id| id.0));
            children.sort_unstable_by_key(|&child| ranks[function(child).index()]);
        };
        self.add_in_order(list_children, |number| {
            let id = ContextId(number);
            let node = Node::new(function(number).number(), contexts.context(id).calls);
            (node, contexts.self_costs.row(id.index()))
        });
    }

    /// Adds the stacks of aggregates.
    fn add_estimate(&mut self, estimate: &Estimate<'a>) {
        let first = next_index(self.frames.len());
        self.frames
            .extend(estimate.names.iter().map(|name| name.frame));
        let list_children = |number, children: &mut Vec<u32>| {
            children.extend(estimate.children(number));
            children.sort_unstable_by_key(|&child| {
                let group = estimate.nodes[child as usize].group;
                (estimate.graph(group), estimate.frame(group).name, group)
            });
        };
        self.add_in_order(list_children, |number| {
            let node = &estimate.nodes[number as usize];
            let node = Node {
                estimated: node.estimated,
                ..Node::new(first + estimate.name(node.group), node.calls)
            };
            (node, estimate.costs.row(number as usize))
        });
    }

    /// Adds the nodes of a tree: each parent before its children.
    ///
    /// `list_children` lists those of a node by its number, in their order; the parent of the roots
    /// has the number 0. `find` returns the node with a number, and its self costs.
    fn add_in_order<'t>(
        &mut self,
        list_children: impl Fn(u32, &mut Vec<u32>),
        find: impl Fn(u32) -> (Node, &'t [Cost]),
    ) {
        let (mut number, mut above) = (0, StackId::TOP);
        let (mut children, mut pending) = (Vec::new(), Vec::new());
        loop {
            list_children(number, &mut children);
            pending.extend(children.drain(..).rev().map(|child| (child, above)));
            let Some((next, parent)) = pending.pop() else {
                return;
            };
            (number, above) = (next, StackId::new(self.nodes.len()));
            let (node, self_costs) = find(number);
            let end = StackId::new(self.nodes.len() + 1);
            self.nodes.push(Node {
                parent,
                end,
                ..node
            });
            self.self_costs.push::<ANY_WIDTH>(self_costs);
        }
    }

    /// The profile whose stacks these are.
    pub fn profile(&self) -> &'a Profile {
        self.profile
    }

    /// All nodes: each parent before its children, siblings by frame.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = StackId> + ExactSizeIterator + use<> {
        (0..self.nodes.len()).map(StackId::new)
    }

    /// The nodes that have no parent, by frame.
    pub fn roots(&self) -> impl Iterator<Item = StackId> {
        self.siblings(StackId(0), StackId::new(self.nodes.len()))
    }

    /// The children of a node, by frame.
    ///
    /// # Panics
    ///
    /// If the node does not belong to this tree. The other methods do the same.
    pub fn children(&self, node: StackId) -> impl Iterator<Item = StackId> {
        self.siblings(StackId(node.0 + 1), self.node(node).end)
    }

    /// The siblings from one node to another.
    fn siblings(&self, first: StackId, end: StackId) -> impl Iterator<Item = StackId> {
        let existing = move |id: StackId| (id < end).then_some(id);
        std::iter::successors(existing(first), move |&id| existing(self.node(id).end))
    }

    fn node(&self, node: StackId) -> Node {
        self.nodes[node.index()]
    }

    /// The parent; `None` for a root.
    pub fn parent(&self, node: StackId) -> Option<StackId> {
        Some(self.node(node).parent).filter(|&parent| parent != StackId::TOP)
    }

    /// The function. A frame may be known only by its name.
    pub fn function(&self, node: StackId) -> Option<FunctionId> {
        self.frame_of(node).function
    }

    /// The same, by its number in the [`folded`](Profile::folded) profile.
    // Only pprof needs it, which is compressed.
    #[cfg(feature = "compression")]
    pub(crate) fn folded_function(&self, node: StackId) -> Option<FunctionId> {
        let function = self.function(node);
        function.map(|id| self.profile.folded_function(id))
    }

    /// The name of the frame: that of the function without what Valgrind adds to it; may be empty.
    pub fn frame(&self, node: StackId) -> &'a [u8] {
        self.frame_of(node).name
    }

    fn frame_of(&self, node: StackId) -> Frame<'a> {
        self.frames[self.node(node).frame as usize]
    }

    /// The number of calls of the function in this stack.
    pub fn calls(&self, node: StackId) -> u64 {
        self.node(node).calls
    }

    /// The costs of exactly this stack, one for each requested event.
    pub fn self_costs(&self, node: StackId) -> &[Cost] {
        self.self_costs.row(node.index())
    }

    /// The costs of this stack and of all that begin with it, likewise.
    pub fn inclusive_costs(&self, node: StackId) -> &[Cost] {
        let inclusive = self.inclusive.get_or_init(|| {
            let mut inclusive = self.self_costs.clone();
            for node in self.nodes().rev() {
                if let Some(parent) = self.parent(node) {
                    inclusive.add_within(parent.index(), node.index());
                }
            }
            inclusive
        });
        inclusive.row(node.index())
    }

    /// The inclusive costs of groups of functions: for each group, the cost of all stacks that
    /// contain any of its members, and whether that contains an estimate.
    ///
    /// Only these `nodes` count: all of them, or those of a [call graph](Self::of_graph).
    /// `group_of` returns the group of a node, if any; there are this number of `groups`. A stack
    /// counts once for each group in it, however many of its frames belong to the group. So nothing
    /// exceeds the total.
    ///
    /// The work is linear in the nodes, for any groups: functions, classes, files.
    pub(crate) fn inclusive_of_groups(
        &self,
        nodes: Range<usize>,
        groups: usize,
        group_of: impl Fn(StackId) -> Option<usize>,
    ) -> (CostTable, Vec<bool>) {
        let mut costs = CostTable::zeros(self.profile.events().len(), groups);
        let mut estimated = vec![false; groups];
        let mut outermost = Outermost::of(groups);
        for node in nodes.map(StackId::new) {
            let Some(group) = group_of(node) else {
                continue;
            };
            if outermost.has(self, node, group) {
                costs.add::<ANY_WIDTH>(group, self.inclusive_costs(node));
                estimated[group] |= self.is_inclusive_estimated(node);
            }
        }
        (costs, estimated)
    }

    /// Which costs are estimated.
    pub(crate) fn estimated(&self, node: StackId) -> Estimated {
        self.node(node).estimated
    }

    /// Whether the self costs are estimated, because other stacks are possible.
    pub fn is_estimated(&self, node: StackId) -> bool {
        self.estimated(node) == Estimated::SelfAndInclusive
    }

    /// Whether the inclusive costs contain an estimate: if the self costs are estimated, or those
    /// of a node below, or if a call's cost is not below it.
    pub fn is_inclusive_estimated(&self, node: StackId) -> bool {
        self.estimated(node) != Estimated::Nothing
    }

    /// The share of the first event's cost that has one possible stack: from 0 to 1. Negative costs
    /// count as much as positive ones.
    pub fn exact_share(&self) -> f64 {
        let (mut exact, mut all) = (0.0, 0.0);
        for node in self.nodes() {
            let cost = first_cost(self.self_costs(node)).unsigned_abs() as f64;
            all += cost;
            if !self.is_estimated(node) {
                exact += cost;
            }
        }
        if all > 0.0 { exact / all } else { 1.0 }
    }
}

/// The rank of each function in an order that depends only on names.
fn ranks(profile: &Profile) -> Vec<u32> {
    let place = |id: FunctionId| {
        let [object, file, name] = profile.names_of(id);
        [name, file, object]
    };
    let mut order: Vec<FunctionId> = profile.functions().map(|(id, _)| id).collect();
    order.sort_unstable_by(|&a, &b| (place(a), a).cmp(&(place(b), b)));
    let mut ranks = vec![0; order.len()];
    for (rank, id) in (0..).zip(order) {
        ranks[id.index()] = rank;
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::callgrind;
    use crate::profile::{ProfileBuilder, ProfileOptions};

    /// A trace of `{main}`, which calls `f` twice: it calls `g` and `h`, and `g` calls `f` again.
    const TRACE: &str = "creator: xdebug 3.4.0\nevents: Time Memory\n\
        \nfl=a.php\nfn=f\n1 4 1\n\nfl=a.php\nfn=g\n1 10 0\ncfn=f\ncalls=1 0 0\n2 4 1\n\
        \nfl=a.php\nfn=h\n1 20 0\n\
        \nfl=a.php\nfn=f\n1 40 0\ncfn=g\ncalls=1 0 0\n2 14 1\ncfn=h\ncalls=1 0 0\n3 20 0\n\
        \nfl=a.php\nfn=f\n1 100 0\n\
        \nfl=a.php\nfn={main}\n1 1 0\ncfn=f\ncalls=1 0 0\n2 74 1\ncfn=f\ncalls=1 0 0\n3 100 0\n";

    #[test]
    fn a_stack_counts_once_for_each_group_in_it() {
        let mut builder = ProfileBuilder::new(ProfileOptions {
            contexts: true,
            events: crate::profile::EventChoice::All,
            ..ProfileOptions::default()
        });
        let options = callgrind::ReadOptions::default();
        callgrind::read(TRACE.as_bytes(), "a.cg", &options, &mut builder).unwrap();
        let profile = builder.finish().unwrap();
        let stacks = Stacks::new(&profile);
        let sums = |groups: [&[u8]; 3]| {
            let group_of = |node| {
                groups
                    .iter()
                    .position(|group| group.contains(&stacks.frame(node)[0]))
            };
            let nodes = 0..stacks.nodes().len();
            let (costs, estimated) = stacks.inclusive_of_groups(nodes, 3, group_of);
            assert_eq!(estimated, [false; 3]);
            [0, 1, 2].map(|group| [costs.row(group)[0], costs.row(group)[1]])
        };
        assert_eq!(sums([b"f", b"g", b"{"]), [[174, 1], [14, 1], [175, 1]]);
        assert_eq!(sums([b"fg", b"h", b"x"]), [[174, 1], [20, 0], [0, 0]]);
        assert_eq!(sums([b"gh", b"{f", b""]), [[34, 1], [175, 1], [0, 0]]);
    }
}
