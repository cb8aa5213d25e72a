//! The tree of calling contexts: every stack of a trace, with its sums.
//!
//! It is built while a trace is read. An invocation that has ended has a *subtree*: its own node
//! and, below it, the nodes of its callees, merged by function. Each merge of two nodes removes
//! one, so all merging together takes no longer than adding the nodes. A node is found among few
//! siblings by a linear search, and among many in a hash table. Nothing here is recursive, because
//! calls may be nested to any depth.

use crate::maps::HashMap;
use crate::tables::{ANY_WIDTH, Cost, CostTable, FunctionId, next_index, slot};

/// Number of a node in a [`ContextTree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContextId(pub(crate) u32);

impl ContextId {
    /// No node.
    pub(super) const NONE: ContextId = ContextId(u32::MAX);

    /// The parent of the roots.
    pub(crate) const TOP: ContextId = ContextId(0);

    /// The number as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// All invocations with the same functions from a root on. A root is an invocation without a
/// caller.
#[derive(Clone, Debug)]
pub struct Context {
    key: ContextKey,
    /// The number of invocations.
    pub calls: u64,
    children: Children,
    /// The next sibling.
    next: ContextId,
}

const _: () = assert!(size_of::<Context>() == 24, "a trace has many at a time");

/// The nodes below a node: no two have the same key.
#[derive(Clone, Copy, Debug)]
struct Children {
    first: ContextId,
    count: u32,
}

impl Children {
    const NONE: Children = Children {
        first: ContextId::NONE,
        count: 0,
    };

    /// Up to this many, a linear search is faster than an index.
    const MAX_LISTED: u32 = 8;

    #[inline]
    fn have_index(self) -> bool {
        self.count > Self::MAX_LISTED
    }
}

/// The key of a node among its siblings: its function, and whether it is stepped over.
///
/// Invocations of proxies that are replaced by their calls are separate from those without calls:
/// their numbers count down from the largest one. No machine has room for enough functions that the
/// two could meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ContextKey(u32);

impl ContextKey {
    pub fn new(function: FunctionId, is_stepped_over: bool) -> Self {
        let number = function.number();
        ContextKey(if is_stepped_over { !number } else { number })
    }

    fn is_stepped_over(self) -> bool {
        self.0 > u32::MAX / 2
    }

    fn function(self) -> FunctionId {
        let is_stepped_over = self.is_stepped_over();
        FunctionId(if is_stepped_over { !self.0 } else { self.0 })
    }
}

impl Context {
    fn new(key: ContextKey, calls: u64) -> Self {
        Context {
            key,
            calls,
            children: Children::NONE,
            next: ContextId::NONE,
        }
    }
}

/// The calling contexts of a trace: every stack, with its sums.
///
/// Invocations without a caller (`{main}`, shutdown functions, fibers) are the roots. A call whose
/// invocation is missing has a context with the cost of the call.
#[derive(Debug)]
pub struct ContextTree {
    /// The nodes; the first one is the parent of the roots.
    nodes: Vec<Context>,
    /// The sums of their self costs: a row for each.
    pub(crate) self_costs: CostTable,
    /// Nodes that were merged into others, to be reused.
    free: Vec<ContextId>,
    /// The pairs of nodes that are still to be merged; stored here to keep the capacity.
    to_merge: Vec<(ContextId, ContextId)>,
    /// The children of nodes with many of them, by their keys.
    indices: HashMap<ContextId, HashMap<ContextKey, ContextId>>,
}

impl Default for ContextTree {
    fn default() -> Self {
        ContextTree {
            nodes: vec![Context::new(ContextKey(0), 0)],
            self_costs: CostTable::zeros(1, 1),
            free: Vec::new(),
            to_merge: Vec::new(),
            indices: HashMap::default(),
        }
    }
}

/// The recursive functions: the inclusive costs of their outermost nodes, and whether any of them
/// calls itself through others.
pub(crate) type OutermostCosts = Vec<(FunctionId, Vec<Cost>, bool)>;

/// Reading a tree.
impl ContextTree {
    /// A node.
    ///
    /// # Panics
    ///
    /// If it does not belong to this tree.
    pub fn context(&self, id: ContextId) -> &Context {
        &self.nodes[id.index()]
    }

    /// The function of a node, and whether it is stepped over.
    pub fn function(&self, id: ContextId) -> FunctionId {
        self.key(id).function()
    }

    /// The nodes below a node, in no particular order.
    pub fn children(&self, id: ContextId) -> impl Iterator<Item = ContextId> {
        let first = self.context(id).children.first;
        let existing = |id: ContextId| (id != ContextId::NONE).then_some(id);
        std::iter::successors(existing(first), move |&id| existing(self.context(id).next))
    }

    /// The recursive functions, with the inclusive costs of their outermost nodes.
    pub(super) fn outermost_costs(&self) -> OutermostCosts {
        let mut inclusive = self.self_costs.clone();
        let mut costs = CostTable::new(inclusive.width());
        // By function: how many of its nodes are open, whether any is below another, and whether
        // that is in another function.
        let mut recursions: Vec<(u32, bool, bool)> = Vec::new();
        let begins = |parent| {
            self.children(parent)
                .map(move |child| (child, parent, false))
        };
        let mut pending: Vec<_> = begins(ContextId::TOP).collect();
        while let Some((id, parent, ends)) = pending.pop() {
            let function = self.function(id).index();
            let (open, is_nested, is_in_others) = slot(&mut recursions, function);
            if !ends {
                *open += 1;
                pending.push((id, parent, true));
                pending.extend(begins(id));
                continue;
            }
            *open -= 1;
            if *open > 0 {
                *is_nested = true;
                *is_in_others |= self.function(parent).index() != function;
            } else {
                while costs.rows() <= function {
                    costs.push_zeros();
                }
                costs.add_row::<ANY_WIDTH>(function, &inclusive, id.index());
            }
            inclusive.add_within(parent.index(), id.index());
        }
        let functions = (0..).map(FunctionId).zip(recursions);
        let recursive = functions.filter(|&(_, (_, is_nested, _))| is_nested);
        let costs = recursive
            .map(|(id, (.., is_in_others))| (id, costs.row(id.index()).to_vec(), is_in_others));
        costs.collect()
    }
}

/// Building a tree while a trace is read.
impl ContextTree {
    /// How many nodes there are.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Replaces the invocations of proxies by their callees. Their callers get their self costs.
    /// Proxies without a caller stay.
    pub(super) fn step_over_proxies(&mut self) {
        if !self.nodes.iter().any(|node| node.key.is_stepped_over()) {
            return;
        }
        let mut todo = vec![ContextId::TOP];
        while let Some(id) = todo.pop() {
            let mut children: Vec<_> = self.children(id).collect();
            self.take_children(id);
            while let Some(child) = children.pop() {
                let key = &mut self.nodes[child.index()].key;
                let is_stepped_over = key.is_stepped_over();
                *key = ContextKey::new(key.function(), false);
                if is_stepped_over && id != ContextId::TOP {
                    self.self_costs.add_within(id.index(), child.index());
                    children.extend(self.children(child));
                    self.take_children(child);
                    self.free.push(child);
                } else {
                    self.attach(id, child);
                }
            }
            todo.extend(self.children(id));
        }
    }

    /// Adds all of another tree, whose functions have these numbers here.
    ///
    /// Functions that get the same number become one.
    pub(crate) fn merge(
        &mut self,
        other: &ContextTree,
        mut map: impl FnMut(FunctionId) -> FunctionId,
    ) {
        let mut todo = vec![(ContextId::TOP, ContextId::TOP)];
        while let Some((into, from)) = todo.pop() {
            for child in other.children(from) {
                let key = ContextKey::new(map(other.function(child)), false);
                let costs = other.self_costs.row(child.index());
                let node = self.enter::<ANY_WIDTH>(key, other.context(child).calls, costs);
                todo.push((self.attach(into, node), child));
            }
        }
    }

    /// Puts a subtree below a node, or below [`ContextId::TOP`], and merges it with the one there
    /// that has the same key. Returns the node.
    #[inline]
    pub(super) fn attach(&mut self, parent: ContextId, child: ContextId) -> ContextId {
        if let Some(found) = self.find(parent, self.key(child)) {
            self.merge_nodes(found, child);
            return found;
        }
        self.link(parent, child);
        child
    }

    /// Merges `from`, which no longer has a parent, and all below it into `into`.
    fn merge_nodes(&mut self, into: ContextId, from: ContextId) {
        self.to_merge.push((into, from));
        while let Some((into, from)) = self.to_merge.pop() {
            let Context {
                calls,
                children: from_children,
                ..
            } = self.nodes[from.index()];
            self.self_costs.add_within(into.index(), from.index());
            let node = &mut self.nodes[into.index()];
            node.calls = node.calls.saturating_add(calls);
            // The smaller set of nodes moves, so no node moves often.
            let into_children = node.children;
            if into_children.count < from_children.count {
                node.children = from_children;
                self.nodes[from.index()].children = into_children;
                if from_children.have_index() {
                    let [of_into, of_from] = [into, from].map(|node| self.indices.remove(&node));
                    self.indices.extend(of_from.map(|index| (into, index)));
                    self.indices.extend(of_into.map(|index| (from, index)));
                }
            }
            let mut child = self.take_children(from);
            while child != ContextId::NONE {
                let next = self.nodes[child.index()].next;
                match self.find(into, self.key(child)) {
                    Some(found) => self.to_merge.push((found, child)),
                    None => self.link(into, child),
                }
                child = next;
            }
            self.free.push(from);
        }
    }

    #[inline]
    fn find(&self, parent: ContextId, key: ContextKey) -> Option<ContextId> {
        if self.nodes[parent.index()].children.have_index() {
            return self.find_in_index(parent, key);
        }
        self.children(parent).find(|&child| self.key(child) == key)
    }

    #[inline(never)]
    fn find_in_index(&self, parent: ContextId, key: ContextKey) -> Option<ContextId> {
        self.indices.get(&parent)?.get(&key).copied()
    }

    #[inline]
    fn key(&self, id: ContextId) -> ContextKey {
        self.nodes[id.index()].key
    }

    /// Adds a child with a new key.
    fn link(&mut self, parent: ContextId, child: ContextId) {
        let children = &mut self.nodes[parent.index()].children;
        let next = std::mem::replace(&mut children.first, child);
        children.count += 1;
        let has_index = children.have_index();
        self.nodes[child.index()].next = next;
        if has_index {
            self.enter_into_index(parent, child);
        }
    }

    /// Adds the latest child of a node to its index, which is created with all children.
    fn enter_into_index(&mut self, parent: ContextId, latest: ContextId) {
        if let Some(index) = self.indices.get_mut(&parent) {
            index.insert(self.nodes[latest.index()].key, latest);
        } else {
            let index = self.children(parent).map(|child| (self.key(child), child));
            let index = index.collect();
            self.indices.insert(parent, index);
        }
    }

    /// Removes all children of a node, and returns the first.
    fn take_children(&mut self, parent: ContextId) -> ContextId {
        let node = &mut self.nodes[parent.index()];
        let children = std::mem::replace(&mut node.children, Children::NONE);
        if children.have_index() {
            self.indices.remove(&parent);
        }
        children.first
    }

    /// Adds a node without a parent.
    #[inline(always)]
    pub(super) fn enter<const WIDTH: usize>(
        &mut self,
        key: ContextKey,
        calls: u64,
        self_costs: &[Cost],
    ) -> ContextId {
        let node = Context::new(key, calls);
        if let Some(id) = self.free.pop() {
            self.nodes[id.index()] = node;
            self.self_costs.set::<WIDTH>(id.index(), self_costs);
            return id;
        }
        let number = next_index(self.nodes.len());
        self.nodes.push(node);
        self.self_costs.push::<WIDTH>(self_costs);
        ContextId(number)
    }
}
