//! The tree of calling contexts: every path of calls in a trace, with its sums.
//!
//! It is built while a trace is read. An invocation that has ended has a *subtree*: its own node
//! and, below it, the nodes of its callees, merged by function. Each merge of two nodes removes
//! one, so all merging together takes no longer than adding the nodes. A node is found among few
//! siblings by a linear search, and among many in a hash table. Nothing here is recursive, because
//! calls may be nested to any depth.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use super::invocations::InvocationTree;
use crate::profile::Cost;
use crate::profile::ids::{FunctionId, next_index, slot};

/// Number of a node in a [`ContextTree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContextId(u32);

impl ContextId {
    /// Stands where there is no node.
    pub(super) const NONE: ContextId = ContextId(u32::MAX);

    /// Stands above the roots.
    pub(in crate::profile) const TOP: ContextId = ContextId(0);

    /// The number as an index: of [`ContextTree::inclusive_costs`], for example.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// All invocations with one path of functions from a root: from an invocation that nothing called.
#[derive(Clone, Debug)]
pub struct Context {
    /// What was invoked.
    pub function: FunctionId,
    /// How many invocations.
    pub calls: u64,
    /// The sum of their self costs.
    pub self_cost: Cost,
    children: Children,
    /// The next node below the same one.
    next: ContextId,
}

const _: () = assert!(size_of::<Context>() == 32, "a trace has many at a time");

/// The nodes below a node: no two have the same key.
#[derive(Clone, Copy, Debug)]
struct Children {
    first: ContextId,
    /// How many there are, up to [`FEW`]. A larger value is `FEW + 1` plus the number of the index
    /// in which they are found.
    width: u32,
}

/// Up to this many nodes, a linear search is faster than an index.
const FEW: u32 = 8;

impl Children {
    const NONE: Children = Children {
        first: ContextId::NONE,
        width: 0,
    };

    /// Which index finds them, if they are more than a few.
    #[inline]
    fn index(self) -> Option<usize> {
        let index = self.width.checked_sub(FEW + 1)?;
        Some(index as usize)
    }
}

/// What distinguishes a node from its siblings: its function, and whether it is stepped over.
///
/// Invocations of proxies that made calls, which are to stand in their place, are apart from those
/// that made none.
type Key = (FunctionId, bool);

impl Context {
    fn new(function: FunctionId) -> Self {
        Context {
            function,
            calls: 0,
            self_cost: 0,
            children: Children::NONE,
            next: ContextId::NONE,
        }
    }

    fn add(&mut self, calls: u64, self_cost: Cost) {
        self.calls = self.calls.saturating_add(calls);
        self.self_cost = self.self_cost.saturating_add(self_cost);
    }
}

/// The calling contexts of a trace: every path of calls, with its sums.
///
/// Invocations that nothing called (`{main}`, shutdown functions, fibers) are the roots. A call
/// whose invocation is missing is a context of its own, with the cost of the call.
#[derive(Debug)]
pub struct ContextTree {
    /// The nodes; the first one is the parent of the roots.
    nodes: Vec<Context>,
    /// Nodes that were merged into others; new ones take their places.
    free: Vec<ContextId>,
    /// For nodes with many below them: these by their keys.
    indices: Vec<HashTable<ContextId>>,
    free_indices: Vec<usize>,
    hasher: RandomState,
    /// Which of the nodes are stepped over, as far as any are.
    stepped_over: Vec<bool>,
    is_full: bool,
}

impl Default for ContextTree {
    fn default() -> Self {
        ContextTree {
            nodes: vec![Context::new(FunctionId(u32::MAX))],
            free: Vec::new(),
            indices: Vec::new(),
            free_indices: Vec::new(),
            hasher: RandomState::default(),
            stepped_over: Vec::new(),
            is_full: false,
        }
    }
}

/// One step of a walk through a [`ContextTree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Down, to a node.
    Enter(ContextId),
    /// Up again, away from it: all nodes below it have been visited.
    Leave(ContextId),
}

/// What is read of a tree.
impl ContextTree {
    /// A node.
    ///
    /// # Panics
    ///
    /// If it is not of this tree.
    pub fn context(&self, id: ContextId) -> &Context {
        &self.nodes[id.index()]
    }

    /// The nodes of invocations that nothing called, in no particular order.
    pub fn roots(&self) -> impl Iterator<Item = ContextId> {
        self.children(ContextId::TOP)
    }

    /// The nodes below a node, in no particular order.
    pub fn children(&self, id: ContextId) -> impl Iterator<Item = ContextId> {
        let first = self.context(id).children.first;
        let existing = |id: ContextId| (id != ContextId::NONE).then_some(id);
        std::iter::successors(existing(first), move |&id| existing(self.context(id).next))
    }

    /// Goes through all nodes from the roots down, the nodes below one in no particular order.
    pub fn walk(&self) -> impl Iterator<Item = Step> {
        self.walk_below(ContextId::TOP)
    }

    /// Goes in the same way through the nodes below a node.
    pub fn walk_below(&self, id: ContextId) -> impl Iterator<Item = Step> {
        // Where to go next, if there is anything left on this level.
        let mut next = self.context(id).children.first;
        let mut path = Vec::new();
        std::iter::from_fn(move || {
            if next == ContextId::NONE {
                let id = path.pop()?;
                next = self.context(id).next;
                return Some(Step::Leave(id));
            }
            let id = next;
            path.push(id);
            next = self.context(id).children.first;
            Some(Step::Enter(id))
        })
    }

    /// The tree with functions merged into groups: each becomes the function that `group` returns.
    pub fn regrouped(&self, group: impl FnMut(FunctionId) -> FunctionId) -> Self {
        let mut tree = ContextTree::default();
        tree.merge(self, group);
        tree
    }

    /// For every node its self cost and that of all nodes below it, by [`ContextId::index`].
    pub fn inclusive_costs(&self) -> Vec<Cost> {
        let mut inclusive = vec![0; self.nodes.len()];
        self.sum_up(|id, _, cost| inclusive[id.index()] = cost);
        inclusive
    }

    /// For every function the inclusive costs of those nodes that have no node of the same function
    /// above them; functions that are missing at the end have no node.
    pub fn outermost_costs(&self) -> Vec<Cost> {
        let mut outermost = Vec::new();
        self.sum_up(|id, is_outermost, cost| {
            if is_outermost {
                let function = self.context(id).function.index();
                let sum = slot(&mut outermost, function);
                *sum = Cost::saturating_add(*sum, cost);
            }
        });
        outermost
    }

    /// Reports every node's inclusive cost, after those below it, and whether no node above it
    /// has its function.
    fn sum_up(&self, mut report: impl FnMut(ContextId, bool, Cost)) {
        // How many nodes of a function the path has.
        let mut on_path: Vec<u32> = Vec::new();
        let mut sums: Vec<Cost> = Vec::new();
        for step in self.walk() {
            match step {
                Step::Enter(id) => {
                    let context = self.context(id);
                    sums.push(context.self_cost);
                    *slot(&mut on_path, context.function.index()) += 1;
                }
                Step::Leave(id) => {
                    let cost = sums.pop().unwrap_or(0);
                    if let Some(above) = sums.last_mut() {
                        *above = above.saturating_add(cost);
                    }
                    let count = &mut on_path[self.context(id).function.index()];
                    *count -= 1;
                    report(id, *count == 0, cost);
                }
            }
        }
    }
}

/// How a tree grows while a trace is read.
impl ContextTree {
    /// Begins the subtree of an invocation that ended and called something; none if there is no
    /// number left for it.
    ///
    /// `is_proxy`: whether its calls are to stand in its place, if that is wanted at all.
    pub(super) fn begin(
        &mut self,
        function: FunctionId,
        self_cost: Cost,
        is_proxy: bool,
    ) -> Option<ContextId> {
        let node = Context {
            calls: 1,
            self_cost,
            ..Context::new(function)
        };
        self.enter(node, is_proxy)
    }

    /// Puts an invocation below the node of its caller, or below [`ContextId::TOP`] if it has none.
    ///
    /// `node` is its own node. It is [`ContextId::NONE`], and `self_cost` counts, if the invocation
    /// called nothing, or if no more is known of it than its cost.
    pub(super) fn add_call(
        &mut self,
        caller: ContextId,
        callee: FunctionId,
        node: ContextId,
        self_cost: Cost,
    ) {
        if node == ContextId::NONE {
            self.add_below(caller, (callee, false), 1, self_cost);
        } else {
            self.attach(caller, node);
        }
    }

    /// Multiplies all costs.
    pub(in crate::profile) fn multiply(&mut self, factor: Cost) {
        for node in &mut self.nodes {
            node.self_cost = node.self_cost.saturating_mul(factor);
        }
    }

    /// Whether there were more nodes than can be numbered.
    pub(in crate::profile) fn is_full(&self) -> bool {
        self.is_full
    }

    /// Puts what the invocations of proxies called in their place: it is called by their callers,
    /// who take over their self costs. Proxies that nothing called stay.
    pub(super) fn step_over_proxies(&mut self) {
        if self.stepped_over.is_empty() {
            return;
        }
        let mut todo = vec![ContextId::TOP];
        while let Some(id) = todo.pop() {
            let mut children: Vec<_> = self.children(id).collect();
            self.take_children(id);
            while let Some(child) = children.pop() {
                if self.set_stepped_over(child, false) && id != ContextId::TOP {
                    let self_cost = self.context(child).self_cost;
                    self.nodes[id.index()].add(0, self_cost);
                    children.extend(self.children(child));
                    self.take_children(child);
                    self.free.push(child);
                } else {
                    self.attach(id, child);
                }
            }
            todo.extend(self.children(id));
        }
        self.stepped_over = Vec::new();
    }

    /// Adds all of another tree, whose functions have these numbers here.
    ///
    /// Functions that get the same number become one.
    pub(in crate::profile) fn merge(
        &mut self,
        other: &ContextTree,
        mut map: impl FnMut(FunctionId) -> FunctionId,
    ) {
        let mut path = vec![ContextId::TOP];
        for step in other.walk() {
            match step {
                Step::Enter(id) => {
                    let context = other.context(id);
                    let key = (map(context.function), other.is_stepped_over(id));
                    let above = path.last().copied().unwrap_or(ContextId::TOP);
                    path.push(self.add_below(above, key, context.calls, context.self_cost));
                }
                Step::Leave(_) => _ = path.pop(),
            }
        }
        self.is_full |= other.is_full;
    }

    /// Merges a node into those below another.
    fn attach(&mut self, parent: ContextId, child: ContextId) {
        match self.find(parent, self.key(child)) {
            Some(found) => self.merge_nodes(found, child),
            None => self.link(parent, child),
        }
    }

    /// Merges `from`, which stands below nothing any more, and all below it into `into`.
    fn merge_nodes(&mut self, into: ContextId, from: ContextId) {
        let mut todo = vec![(into, from)];
        while let Some((into, from)) = todo.pop() {
            let node = &mut self.nodes[from.index()];
            let (calls, self_cost) = (node.calls, node.self_cost);
            let from_children = node.children;
            let node = &mut self.nodes[into.index()];
            node.add(calls, self_cost);
            // The smaller set of nodes moves, so that no node moves often.
            let into_children = node.children;
            if self.count(into_children) < self.count(from_children) {
                self.nodes[into.index()].children = from_children;
                self.nodes[from.index()].children = into_children;
            }
            let mut child = self.take_children(from);
            while child != ContextId::NONE {
                let next = self.nodes[child.index()].next;
                match self.find(into, self.key(child)) {
                    Some(found) => todo.push((found, child)),
                    None => self.link(into, child),
                }
                child = next;
            }
            self.free.push(from);
        }
    }

    /// Adds to the node below another with this key, which is new if there is none.
    fn add_below(&mut self, parent: ContextId, key: Key, calls: u64, self_cost: Cost) -> ContextId {
        let child = self.find(parent, key).unwrap_or_else(|| {
            // If the table is full, the whole reading ends with an error.
            let Some(child) = self.enter(Context::new(key.0), key.1) else {
                return parent;
            };
            self.link(parent, child);
            child
        });
        self.nodes[child.index()].add(calls, self_cost);
        child
    }

    #[inline]
    fn find(&self, parent: ContextId, key: Key) -> Option<ContextId> {
        let children = self.nodes[parent.index()].children;
        if let Some(index) = children.index() {
            let hash = self.hasher.hash_one(key);
            let found = self.indices[index].find(hash, |&id| self.key(id) == key);
            return found.copied();
        }
        let mut child = children.first;
        while child != ContextId::NONE {
            if self.key(child) == key {
                return Some(child);
            }
            child = self.nodes[child.index()].next;
        }
        None
    }

    #[inline]
    fn key(&self, id: ContextId) -> Key {
        (self.nodes[id.index()].function, self.is_stepped_over(id))
    }

    #[inline]
    fn is_stepped_over(&self, id: ContextId) -> bool {
        self.stepped_over.get(id.index()).is_some_and(|&is| is)
    }

    /// Says whether a node is one to step over, and returns whether it was.
    fn set_stepped_over(&mut self, id: ContextId, is: bool) -> bool {
        if is && self.stepped_over.len() <= id.index() {
            self.stepped_over.resize(id.index() + 1, false);
        }
        let was = self.stepped_over.get_mut(id.index());
        was.is_some_and(|was| std::mem::replace(was, is))
    }

    fn count(&self, children: Children) -> usize {
        match children.index() {
            Some(index) => self.indices[index].len(),
            None => children.width as usize,
        }
    }

    /// Puts a node below another that has none like it.
    fn link(&mut self, parent: ContextId, child: ContextId) {
        let children = &mut self.nodes[parent.index()].children;
        let before = *children;
        children.first = child;
        self.nodes[child.index()].next = before.first;
        if let Some(index) = before.index() {
            self.enter_into_index(index, child);
        } else if before.width == FEW {
            self.make_index(parent);
        } else {
            self.nodes[parent.index()].children.width += 1;
        }
    }

    /// Makes an index of the nodes below a node.
    #[cold]
    fn make_index(&mut self, parent: ContextId) {
        let index = self.free_indices.pop().unwrap_or_else(|| {
            self.indices.push(HashTable::new());
            self.indices.len() - 1
        });
        // There are fewer indices than nodes.
        let number = next_index(index).unwrap_or(0);
        let children = &mut self.nodes[parent.index()].children;
        children.width = number.saturating_add(FEW + 1);
        let mut child = children.first;
        while child != ContextId::NONE {
            self.enter_into_index(index, child);
            child = self.nodes[child.index()].next;
        }
    }

    fn enter_into_index(&mut self, index: usize, child: ContextId) {
        let mut indices = std::mem::take(&mut self.indices);
        let hash = |id: &ContextId| self.hasher.hash_one(self.key(*id));
        indices[index].insert_unique(hash(&child), child, hash);
        self.indices = indices;
    }

    /// Takes all nodes below a node away, and gives the first of them.
    fn take_children(&mut self, parent: ContextId) -> ContextId {
        let node = &mut self.nodes[parent.index()];
        let children = std::mem::replace(&mut node.children, Children::NONE);
        if let Some(index) = children.index() {
            // One that is kept is for few nodes again, and must not cost as much as for many.
            self.indices[index] = HashTable::new();
            self.free_indices.push(index);
        }
        children.first
    }

    fn enter(&mut self, node: Context, is_stepped_over: bool) -> Option<ContextId> {
        let id = if let Some(id) = self.free.pop() {
            self.nodes[id.index()] = node;
            id
        } else if let Some(number) = next_index(self.nodes.len()) {
            self.nodes.push(node);
            ContextId(number)
        } else {
            self.is_full = true;
            return None;
        };
        self.set_stepped_over(id, is_stepped_over);
        Some(id)
    }
}

/// A plain walk from the roots down, where the links are known.
impl ContextTree {
    /// The contexts of all invocations of a tree.
    ///
    /// Invocations that call each other in a circle, as no program's do, are left out.
    pub(in crate::profile) fn of(
        invocations: &InvocationTree,
        is_proxy: impl Fn(FunctionId) -> bool,
    ) -> Self {
        let mut tree = ContextTree::default();
        // The calls that are still to be followed, the next one last, and below which nodes.
        let mut path = Vec::new();
        for (root, _) in invocations.roots() {
            let node = tree.add_invocation(ContextId::TOP, invocations, root, &is_proxy);
            path.push((node, invocations.calls_of(root)));
            while let Some((node, calls)) = path.last_mut() {
                let Some(position) = calls.next() else {
                    path.pop();
                    continue;
                };
                let (node, call) = (*node, &invocations.calls()[position]);
                match invocations.called_by(position) {
                    Some(called) => {
                        let child = tree.add_invocation(node, invocations, called, &is_proxy);
                        path.push((child, invocations.calls_of(called)));
                    }
                    None => tree.add_call(node, call.callee, ContextId::NONE, call.cost),
                }
            }
        }
        tree
    }

    fn add_invocation(
        &mut self,
        caller: ContextId,
        invocations: &InvocationTree,
        at: usize,
        is_proxy: impl Fn(FunctionId) -> bool,
    ) -> ContextId {
        let invocation = &invocations.invocations()[at];
        let is_proxy = is_proxy(invocation.function) && !invocations.calls_of(at).is_empty();
        let key = (invocation.function, is_proxy);
        self.add_below(caller, key, 1, invocation.self_cost)
    }
}
