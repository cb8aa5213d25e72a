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
mod once;

use std::sync::OnceLock;

use estimate::SumStacks;
pub use once::count_once;
pub(crate) use once::{count_groups_once, count_once_by};

use crate::maps::HashMap;
use crate::profile::{Cost, FunctionId, Profile};
use crate::tables::{ANY_WIDTH, CostTable, first_cost};
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
        StackId(u32::try_from(index).unwrap_or(u32::MAX))
    }
}

/// The call stacks of a profile: a tree in which each path from a root is a stack.
#[derive(Debug)]
pub struct Stacks<'a> {
    profile: &'a Profile,
    contexts: Option<&'a ContextTree>,
    sums: SumStacks<'a>,
    /// Those of `contexts` precede those of `sums`.
    nodes: Vec<StackNode>,
    /// How many are of `contexts`.
    traced: usize,
    /// A row for each node, computed when first needed.
    inclusive: OnceLock<CostTable>,
    /// Likewise: the functions of the folded profile by their names.
    by_name: OnceLock<HashMap<Vec<u8>, FunctionId>>,
}

/// The position of a node.
#[derive(Clone, Copy, Debug)]
struct StackNode {
    parent: StackId,
    /// The node after all those below this one.
    end: StackId,
    /// Its number in the tree that it comes from.
    number: u32,
}

/// The data of a node besides its costs.
#[derive(Clone, Copy, Debug)]
struct Frame<'a> {
    function: Option<FunctionId>,
    name: &'a [u8],
    calls: u64,
    /// Whether its own cost is estimated.
    is_estimated: bool,
    /// Whether its inclusive cost contains an estimate.
    is_inclusive_estimated: bool,
}

impl<'a> Stacks<'a> {
    /// Builds the tree of a profile.
    ///
    /// Traces without contexts are treated as aggregates.
    pub fn new(profile: &'a Profile) -> Self {
        let contexts = profile.contexts();
        let mut sums = SumStacks::new(profile, |id| {
            contexts.is_none() || !profile.function(id).is_listed
        });
        let mut nodes = Vec::new();
        if let Some(contexts) = contexts {
            let ranks = ranks(profile);
            add_in_order(&mut nodes, |number, children| {
                children.extend(contexts.children(ContextId(number)).map(|id| id.0));
                let rank = |&id: &u32| ranks[contexts.function(ContextId(id)).index()];
                children.sort_unstable_by_key(rank);
            });
        }
        let traced = nodes.len();
        add_in_order(&mut nodes, |number, children| {
            children.extend(sums.children(number));
        });
        for index in (0..nodes.len()).rev() {
            let StackNode {
                parent,
                end,
                number,
            } = nodes[index];
            let end = end.max(StackId::new(index + 1));
            nodes[index].end = end;
            if let Some(parent) = nodes.get_mut(parent.index()) {
                parent.end = parent.end.max(end);
                if index >= traced && sums.frames[number as usize].is_inclusive_estimated {
                    sums.frames[parent.number as usize].is_inclusive_estimated = true;
                }
            }
        }
        Stacks {
            profile,
            contexts,
            sums,
            nodes,
            traced,
            inclusive: OnceLock::new(),
            by_name: OnceLock::new(),
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

    fn node(&self, node: StackId) -> StackNode {
        self.nodes[node.index()]
    }

    /// The parent; `None` for a root.
    pub fn parent(&self, node: StackId) -> Option<StackId> {
        Some(self.node(node).parent).filter(|&parent| parent != StackId::TOP)
    }

    /// The data of a node, and its self costs.
    fn find(&self, node: StackId) -> (Frame<'a>, &[Cost]) {
        let number = self.node(node).number;
        match self.contexts.filter(|_| node.index() < self.traced) {
            Some(contexts) => {
                let id = ContextId(number);
                let function = contexts.function(id);
                let frame = Frame {
                    function: Some(function),
                    name: self.profile.name(self.profile.function(function).name),
                    calls: contexts.context(id).calls,
                    is_estimated: false,
                    is_inclusive_estimated: false,
                };
                (frame, contexts.self_costs.row(id.index()))
            }
            None => {
                let row = number as usize;
                (self.sums.frames[row], self.sums.costs.row(row))
            }
        }
    }

    /// The function. A frame may be known only by its name.
    pub fn function(&self, node: StackId) -> Option<FunctionId> {
        self.find(node).0.function
    }

    /// The same, by its number in the [`folded`](Profile::folded) profile.
    pub(crate) fn folded_function(&self, node: StackId) -> Option<FunctionId> {
        let function = self.function(node);
        function.map(|id| self.profile.folded_function(id))
    }

    /// The same, or the function with the name of the frame.
    pub(crate) fn named_function(&self, node: StackId) -> Option<FunctionId> {
        self.folded_function(node).or_else(|| {
            let by_name = self.by_name.get_or_init(|| {
                let folded = self.profile.folded();
                let functions = folded.functions();
                functions
                    .map(|(id, function)| (folded.name(function.name).to_vec(), id))
                    .collect()
            });
            by_name.get(self.frame(node)).copied()
        })
    }

    /// The name of the frame: that of the function without what Valgrind adds to it; may be empty.
    pub fn frame(&self, node: StackId) -> &'a [u8] {
        self.find(node).0.name
    }

    /// The number of calls of the function in this stack.
    pub fn calls(&self, node: StackId) -> u64 {
        self.find(node).0.calls
    }

    /// The costs of exactly this stack, one for each requested event.
    pub fn self_costs(&self, node: StackId) -> &[Cost] {
        self.find(node).1
    }

    /// The costs of this stack and of all that begin with it, likewise.
    pub fn inclusive_costs(&self, node: StackId) -> &[Cost] {
        self.inclusive
            .get_or_init(|| self.sum_up())
            .row(node.index())
    }

    fn sum_up(&self) -> CostTable {
        let mut inclusive = CostTable::new(self.profile.events().len());
        for node in self.nodes() {
            inclusive.push::<ANY_WIDTH>(self.self_costs(node));
        }
        for node in self.nodes().rev() {
            if let Some(parent) = self.parent(node) {
                inclusive.add_within(parent.index(), node.index());
            }
        }
        inclusive
    }

    /// Whether the self costs are estimated, because other stacks are possible.
    pub fn is_estimated(&self, node: StackId) -> bool {
        self.find(node).0.is_estimated
    }

    /// Whether the inclusive costs contain an estimate: if the self costs are estimated, or those
    /// of a node below, or if a call's cost is not below it.
    pub fn is_inclusive_estimated(&self, node: StackId) -> bool {
        self.find(node).0.is_inclusive_estimated
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

/// Adds the nodes of a tree: each parent before its children. `list_children` lists those of a node
/// by its number, in their order; the parent of the roots has the number 0.
fn add_in_order(nodes: &mut Vec<StackNode>, list_children: impl Fn(u32, &mut Vec<u32>)) {
    let (mut number, mut above) = (0, StackId::TOP);
    let (mut children, mut pending) = (Vec::new(), Vec::new());
    loop {
        list_children(number, &mut children);
        pending.extend(children.drain(..).rev().map(|child| (child, above)));
        let Some((next, parent)) = pending.pop() else {
            return;
        };
        (number, above) = (next, StackId::new(nodes.len()));
        nodes.push(StackNode {
            parent,
            end: StackId(0),
            number,
        });
    }
}

/// The rank of each function in an order that depends only on names.
fn ranks(profile: &Profile) -> Vec<u32> {
    let place = |id: FunctionId| {
        let function = profile.function(id);
        [function.name, function.file, function.object].map(|name| profile.name(name))
    };
    let mut order: Vec<FunctionId> = profile.functions().map(|(id, _)| id).collect();
    order.sort_unstable_by(|&a, &b| (place(a), a).cmp(&(place(b), b)));
    let mut ranks = vec![0; order.len()];
    for (rank, id) in (0..).zip(order) {
        ranks[id.index()] = rank;
    }
    ranks
}
