//! The tree of calling contexts: every stack of a trace, with its sums.
//!
//! A node is a function below its caller's node, or, if requested, a function and the call site
//! that called it.
//!
//! It is built while a trace is read. An invocation that has ended is added below its caller, or is a
//! node without a parent, until it is known who called it. Then this is merged with the nodes there,
//! and so is everything below it. Each merge of two nodes removes one, so all merging together takes
//! no longer than adding the nodes. The search for a node among its siblings begins after the one
//! that was found before, since a function mostly makes the same calls in the same order. Few
//! siblings are all compared; many are in a hash table. Nothing here is recursive, because calls may
//! be nested to any depth.

use std::borrow::Cow;

use crate::maps::{HashMap, IndexSet};
use crate::tables::{ANY_WIDTH, Cost, CostTable, FunctionId, NameId, next_index};

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
    /// The next sibling; the last one is followed by the first.
    next: ContextId,
}

const _: () = assert!(size_of::<Context>() == 24, "a trace has many at a time");

/// The nodes below a node: no two have the same key.
#[derive(Clone, Copy, Debug)]
struct Children {
    /// The one that was found or added last.
    latest: ContextId,
    count: u32,
}

impl Children {
    const NONE: Children = Children {
        latest: ContextId::NONE,
        count: 0,
    };

    /// Up to this many, a linear search is faster than an index.
    const MAX_LISTED: u32 = 8;

    #[inline]
    fn have_index(self) -> bool {
        self.count > Self::MAX_LISTED
    }
}

/// The place of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct CallSite {
    /// The file in force; empty if unknown.
    pub file: NameId,
    /// The line; 0 if unknown.
    pub line: u64,
}

/// Functions, and the call sites that called them; `None` for roots.
pub(super) type CalledFunctions = IndexSet<(FunctionId, Option<CallSite>)>;

/// The key of a node among its siblings: the number of its function, or, in a tree with call sites,
/// of one of its [`CalledFunctions`]; and whether it is stepped over.
///
/// Invocations of proxies that are replaced by their calls are separate from those without calls:
/// their numbers count down from the largest one. No machine has room for enough functions that the
/// two could meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ContextKey(u32);

impl ContextKey {
    pub fn new(number: u32, is_stepped_over: bool) -> Self {
        ContextKey(if is_stepped_over { !number } else { number })
    }

    /// The same with another number.
    pub fn with_number(self, number: u32) -> Self {
        ContextKey::new(number, self.is_stepped_over())
    }

    fn is_stepped_over(self) -> bool {
        self.0 > u32::MAX / 2
    }

    fn number(self) -> u32 {
        if self.is_stepped_over() {
            !self.0
        } else {
            self.0
        }
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
#[derive(Clone, Debug)]
pub struct ContextTree {
    /// The nodes; the first one is the parent of the roots.
    nodes: Vec<Context>,
    /// The sums of their self costs: a row for each.
    pub(crate) self_costs: CostTable,
    /// The functions and their call sites by number, if the nodes know their sites.
    called: Option<CalledFunctions>,
    /// Nodes that were merged into others, to be reused.
    free: Vec<ContextId>,
    /// The pairs of nodes that are still to be merged; stored here to keep the capacity.
    to_merge: Vec<(ContextId, ContextId)>,
    /// The children of nodes with many of them, by their keys.
    indices: HashMap<ContextId, HashMap<ContextKey, ContextId>>,
}

impl Default for ContextTree {
    fn default() -> Self {
        ContextTree::new(false)
    }
}

impl ContextTree {
    /// An empty tree, in which nodes differ by call site, too, if this is set.
    fn new(has_call_sites: bool) -> Self {
        ContextTree {
            called: has_call_sites.then(CalledFunctions::default),
            nodes: vec![Context::new(ContextKey(0), 0)],
            self_costs: CostTable::zeros(1, 1),
            free: Vec::new(),
            to_merge: Vec::new(),
            indices: HashMap::default(),
        }
    }
}

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

    /// The function of a node.
    pub fn function(&self, id: ContextId) -> FunctionId {
        let number = self.key(id).number();
        match &self.called {
            Some(called) => called[number as usize].0,
            None => FunctionId(number),
        }
    }

    /// The call site that called the function of a node. `None` for roots, or without
    /// [`LinkOptions::call_sites`](super::LinkOptions::call_sites).
    pub(crate) fn call_site(&self, id: ContextId) -> Option<CallSite> {
        let called = self.called.as_ref()?;
        called[self.key(id).number() as usize].1
    }

    /// The nodes below a node, in no particular order.
    pub fn children(&self, id: ContextId) -> impl Iterator<Item = ContextId> {
        let Children { latest, count } = self.context(id).children;
        let siblings = std::iter::successors(Some(latest), |&id| Some(self.context(id).next));
        siblings.take(count as usize)
    }

    /// The costs of groups of nodes: for each of this many `groups`, the self costs of all stacks
    /// that contain a node of it, and whether any of its nodes is below another.
    ///
    /// `group` returns the group of a node, if any, from the parent of the node and the node.
    pub(crate) fn costs_of(
        &self,
        groups: usize,
        group: impl Fn(ContextId, ContextId) -> Option<usize>,
    ) -> (CostTable, Vec<bool>) {
        let mut inclusive = self.self_costs.clone();
        let mut costs = CostTable::zeros(inclusive.width(), groups);
        let mut nested = vec![false; groups];
        // By group: how many of its nodes are open.
        let mut open = vec![0u32; groups];
        let begins = |parent| {
            self.children(parent)
                .map(move |child| (child, parent, false))
        };
        let mut pending: Vec<_> = begins(ContextId::TOP).collect();
        while let Some((id, parent, ends)) = pending.pop() {
            let group = group(parent, id);
            if !ends {
                if let Some(group) = group {
                    nested[group] |= open[group] > 0;
                    open[group] += 1;
                }
                pending.push((id, parent, true));
                pending.extend(begins(id));
                continue;
            }
            if let Some(group) = group {
                open[group] -= 1;
                if open[group] == 0 {
                    costs.add_row::<ANY_WIDTH>(group, &inclusive, id.index());
                }
            }
            inclusive.add_within(parent.index(), id.index());
        }
        (costs, nested)
    }

    /// Whether nodes differ by call site, too.
    pub(crate) fn has_call_sites(&self) -> bool {
        self.called.is_some()
    }

    /// The same stacks, without call sites and proxies.
    pub(crate) fn stacks(&self) -> Cow<'_, ContextTree> {
        let tree = self.without_proxies();
        if !self.has_call_sites() {
            return tree;
        }
        let mut stacks = ContextTree::new(false);
        stacks.self_costs.widen(tree.self_costs.width());
        stacks.merge(&tree, |id| id, |name| name);
        Cow::Owned(stacks)
    }

    /// The tree in which the invocations of proxies are replaced by their callees; see
    /// [`step_over_proxies`](Self::step_over_proxies).
    pub(crate) fn without_proxies(&self) -> Cow<'_, ContextTree> {
        let mut tree = Cow::Borrowed(self);
        if self.nodes.iter().any(|node| node.key.is_stepped_over()) {
            tree.to_mut().step_over_proxies();
        }
        tree
    }
}

/// Building a tree while a trace is read.
impl ContextTree {
    /// How many nodes there are.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// An empty tree whose nodes differ by the same.
    pub(crate) fn empty(&self) -> Self {
        ContextTree::new(self.called.is_some())
    }

    /// Replaces the invocations of proxies by their callees. Their callers get their self costs.
    /// Proxies without a caller stay.
    ///
    /// PHP calls back from the line that called the proxy, so the file of a callee's call site is
    /// that of the call to the proxy.
    fn step_over_proxies(&mut self) {
        let mut todo = vec![ContextId::TOP];
        while let Some(id) = todo.pop() {
            let mut children: Vec<_> = self.children(id).collect();
            self.take_children(id);
            while let Some(child) = children.pop() {
                let key = &mut self.nodes[child.index()].key;
                let is_stepped_over = key.is_stepped_over();
                *key = ContextKey::new(key.number(), false);
                if is_stepped_over && id != ContextId::TOP {
                    self.self_costs.add_within(id.index(), child.index());
                    let first = children.len();
                    children.extend(self.children(child));
                    self.take_children(child);
                    if let Some(CallSite { file, .. }) = self.call_site(child) {
                        for &callee in &children[first..] {
                            self.move_call_site(callee, file);
                        }
                    }
                    self.free.push(child);
                } else {
                    self.attach(id, child);
                }
            }
            todo.extend(self.children(id));
        }
    }

    /// Puts the call site of a node without a parent into another file.
    fn move_call_site(&mut self, id: ContextId, file: NameId) {
        let (key, function) = (self.key(id), self.function(id));
        let site = self.call_site(id).map(|site| CallSite { file, ..site });
        self.nodes[id.index()].key = self.called_key(function, key.is_stepped_over(), site);
    }

    /// The key of a function that was called there.
    #[inline]
    fn called_key(
        &mut self,
        function: FunctionId,
        is_stepped_over: bool,
        site: Option<CallSite>,
    ) -> ContextKey {
        match &mut self.called {
            Some(called) => {
                let (number, _) = called.insert_full((function, site));
                ContextKey::new(next_index(number), is_stepped_over)
            }
            None => ContextKey::new(function.number(), is_stepped_over),
        }
    }

    /// Adds all of another tree, whose functions and files have these numbers here.
    ///
    /// Functions that get the same number become one.
    pub(crate) fn merge(
        &mut self,
        other: &ContextTree,
        function: impl Fn(FunctionId) -> FunctionId,
        name: impl Fn(NameId) -> NameId,
    ) {
        let mut todo = vec![(ContextId::TOP, ContextId::TOP)];
        while let Some((into, from)) = todo.pop() {
            for child in other.children(from) {
                let site = other.call_site(child).map(|site| CallSite {
                    file: name(site.file),
                    ..site
                });
                let is_stepped_over = other.key(child).is_stepped_over();
                let key = self.called_key(function(other.function(child)), is_stepped_over, site);
                let costs = other.self_costs.row(child.index());
                let node = self.enter::<ANY_WIDTH>(key, other.context(child).calls, costs);
                todo.push((self.attach(into, node), child));
            }
        }
    }

    /// Adds an invocation below its caller, or below [`ContextId::TOP`].
    #[inline(always)]
    pub(super) fn add_called<const WIDTH: usize>(
        &mut self,
        parent: ContextId,
        key: ContextKey,
        self_costs: &[Cost],
    ) -> ContextId {
        if let Some(next) = self.step(parent, key) {
            self.self_costs.add::<WIDTH>(next.index(), self_costs);
            return next;
        }
        self.add_elsewhere::<WIDTH>(parent, key, self_costs)
    }

    /// If the child after the latest one has this key, counts a call of it.
    #[inline(always)]
    fn step(&mut self, parent: ContextId, key: ContextKey) -> Option<ContextId> {
        // In one slice, whose length is known.
        let nodes = &mut self.nodes[..];
        let latest = nodes[parent.index()].children.latest;
        let next = nodes.get(latest.index())?.next;
        let node = nodes.get_mut(next.index())?;
        if node.key != key {
            return None;
        }
        // No input has enough calls that this could overflow.
        node.calls += 1;
        nodes[parent.index()].children.latest = next;
        Some(next)
    }

    /// The same if it is not the child after the latest one.
    #[inline(never)]
    fn add_elsewhere<const WIDTH: usize>(
        &mut self,
        parent: ContextId,
        key: ContextKey,
        self_costs: &[Cost],
    ) -> ContextId {
        if let Some(found) = self.find_elsewhere(parent, key) {
            self.nodes[found.index()].calls += 1;
            self.self_costs.add::<WIDTH>(found.index(), self_costs);
            return found;
        }
        let child = self.enter::<WIDTH>(key, 1, self_costs);
        self.link(parent, child);
        child
    }

    /// Puts the node of an invocation below that of its caller, or below [`ContextId::TOP`], where
    /// its key has this number.
    pub(super) fn attach_as(&mut self, parent: ContextId, child: ContextId, number: u32) {
        let key = &mut self.nodes[child.index()].key;
        *key = key.with_number(number);
        self.attach(parent, child);
    }

    /// Sets what the numbers in the keys stand for; without it, they are those of functions.
    pub(super) fn set_called(&mut self, called: CalledFunctions) {
        self.called = Some(called);
    }

    /// Puts a subtree below a node, or below [`ContextId::TOP`], and merges it with the one there
    /// that has the same key. Returns the node.
    #[inline]
    fn attach(&mut self, parent: ContextId, child: ContextId) -> ContextId {
        if let Some(found) = self.find(parent, self.key(child)) {
            self.merge_nodes(found, child);
            return found;
        }
        self.link(parent, child);
        child
    }

    /// Merges `from`, which no longer has a parent, and all below it into `into`.
    fn merge_nodes(&mut self, into: ContextId, from: ContextId) {
        if self.merge_sums(into, from) {
            return;
        }
        self.to_merge.push((into, from));
        while let Some((into, from)) = self.to_merge.pop() {
            let from_children = self.nodes[from.index()].children;
            // The smaller set of nodes moves, so no node moves often.
            let into_children = self.nodes[into.index()].children;
            if into_children.count < from_children.count {
                self.nodes[into.index()].children = from_children;
                self.nodes[from.index()].children = into_children;
                if from_children.have_index() {
                    let [of_into, of_from] = [into, from].map(|node| self.indices.remove(&node));
                    self.indices.extend(of_from.map(|index| (into, index)));
                    self.indices.extend(of_into.map(|index| (from, index)));
                }
            }
            let children = self.take_children(from);
            let mut child = children.latest;
            for _ in 0..children.count {
                let next = self.nodes[child.index()].next;
                match self.find(into, self.key(child)) {
                    Some(found) => {
                        if !self.merge_sums(found, child) {
                            self.to_merge.push((found, child));
                        }
                    }
                    None => self.link(into, child),
                }
                child = next;
            }
        }
    }

    /// Adds the sums of `from` to those of `into`. Returns whether nothing is below it: most nodes are
    /// leaves.
    #[inline]
    fn merge_sums(&mut self, into: ContextId, from: ContextId) -> bool {
        let Context {
            calls, children, ..
        } = self.nodes[from.index()];
        let node = &mut self.nodes[into.index()];
        node.calls = node.calls.saturating_add(calls);
        self.self_costs.add_within(into.index(), from.index());
        self.free.push(from);
        children.count == 0
    }

    /// The child with this key. The one after the latest is compared first: a function mostly makes the
    /// same calls in the same order.
    #[inline]
    fn find(&mut self, parent: ContextId, key: ContextKey) -> Option<ContextId> {
        let latest = self.nodes[parent.index()].children.latest;
        let next = self.nodes.get(latest.index())?.next;
        if self.key(next) == key {
            self.nodes[parent.index()].children.latest = next;
            return Some(next);
        }
        self.find_elsewhere(parent, key)
    }

    /// The child with this key, if it is not the one after the latest.
    #[inline(always)]
    fn find_elsewhere(&mut self, parent: ContextId, key: ContextKey) -> Option<ContextId> {
        let children = self.nodes[parent.index()].children;
        let latest = children.latest;
        if self.nodes.get(latest.index())?.key == key {
            return Some(latest);
        }
        let mut found = None;
        if children.have_index() {
            found = self.find_in_index(parent, key);
        } else {
            let mut child = self.nodes[latest.index()].next;
            for _ in 2..children.count {
                child = self.nodes[child.index()].next;
                if self.key(child) == key {
                    found = Some(child);
                    break;
                }
            }
        }
        self.nodes[parent.index()].children.latest = found?;
        found
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
        let latest = std::mem::replace(&mut children.latest, child);
        children.count += 1;
        let has_index = children.have_index();
        let next = match self.nodes.get_mut(latest.index()) {
            Some(latest) => std::mem::replace(&mut latest.next, child),
            None => child,
        };
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

    /// Removes all children of a node.
    fn take_children(&mut self, parent: ContextId) -> Children {
        let node = &mut self.nodes[parent.index()];
        let children = std::mem::replace(&mut node.children, Children::NONE);
        if children.have_index() {
            self.indices.remove(&parent);
        }
        children
    }

    /// Adds a node without a parent.
    #[inline]
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::callgrind;
    use crate::profile::{Profile, ProfileBuilder, ProfileOptions};

    fn read(inputs: &[&str], call_sites: bool) -> Profile {
        let mut builder = ProfileBuilder::new(ProfileOptions {
            contexts: true,
            call_sites,
            call_files: true,
            proxies: vec![b"php::call_user_func".to_vec()],
            ..ProfileOptions::default()
        });
        let options = callgrind::ReadOptions::default();
        for input in inputs {
            let input = format!("creator: xdebug 3.4.0\nevents: Time\n{input}");
            callgrind::read(input.as_bytes(), "a.cg", &options, &mut builder).unwrap();
        }
        builder.finish().unwrap()
    }

    /// A block in file `a.php`: its self cost, and the calls with their lines and costs.
    fn block(name: &str, self_cost: u64, calls: &[(&str, u64, u64)]) -> String {
        let mut text = format!("\nfl=a.php\nfn={name}\n1 {self_cost}\n");
        for (callee, line, cost) in calls {
            text += &format!("cfl=b.php\ncfn={callee}\ncalls=1 0 0\n{line} {cost}\n");
        }
        text
    }

    /// The stacks with their calls and self costs, sorted.
    fn stacks(profile: &Profile) -> Vec<String> {
        let contexts = profile.contexts().unwrap().without_proxies();
        let name = |name| String::from_utf8_lossy(profile.name(name));
        let mut all = Vec::new();
        let mut pending = vec![(ContextId::TOP, String::new())];
        while let Some((parent, above)) = pending.pop() {
            for id in contexts.children(parent) {
                let function = name(profile.function(contexts.function(id)).name);
                let site = contexts.call_site(id);
                let site = site.map(|site| format!("{}:{} ", name(site.file), site.line));
                let stack = format!("{above}/{}{function}", site.unwrap_or_default());
                let calls = contexts.context(id).calls;
                let cost = contexts.self_costs.row(id.index())[0];
                all.push(format!("{stack} {calls} {cost}"));
                pending.push((id, stack));
            }
        }
        all.sort();
        all
    }

    #[track_caller]
    fn check(inputs: &[&str], with_sites: &[&str], without: &[&str]) {
        assert_eq!(stacks(&read(inputs, true)), with_sites);
        assert_eq!(stacks(&read(inputs, false)), without);
    }

    #[test]
    fn call_sites_separate_calls_from_different_lines() {
        let trace = block("f", 5, &[])
            + &block("f", 7, &[])
            + &block("f", 9, &[])
            + &block("{main}", 1, &[("f", 2, 5), ("f", 3, 7), ("f", 2, 9)]);
        check(
            &[&trace],
            &[
                "/{main} 1 1",
                "/{main}/a.php:2 f 2 14",
                "/{main}/a.php:3 f 1 7",
            ],
            &["/{main} 1 1", "/{main}/f 3 21"],
        );
    }

    #[test]
    fn call_sites_are_in_the_file_in_force() {
        // The second block of f is in another file, and one of its calls in a third.
        let trace = block("g", 1, &[])
            + &block("f", 2, &[("g", 4, 1)])
            + &block("g", 1, &[])
            + &block("g", 1, &[])
            + &block("f", 2, &[("g", 4, 1)]).replace("a.php", "c.php")
            + "fi=d.php\ncfn=g\ncalls=1 0 0\n4 1\n"
            + &block("{main}", 1, &[("f", 2, 3), ("f", 2, 4)]);
        check(
            &[&trace],
            &[
                "/{main} 1 1",
                "/{main}/a.php:2 f 2 4",
                "/{main}/a.php:2 f/a.php:4 g 1 1",
                "/{main}/a.php:2 f/c.php:4 g 1 1",
                "/{main}/a.php:2 f/d.php:4 g 1 1",
            ],
            &["/{main} 1 1", "/{main}/f 2 4", "/{main}/f/g 3 3"],
        );
    }

    #[test]
    fn call_sites_separate_recursion_through_two_lines() {
        // fib(2) calls fib(1) on line 7 and fib(0) on line 8; fib(3) calls fib(2) and fib(1).
        let trace = block("fib", 1, &[])
            + &block("fib", 1, &[])
            + &block("fib", 1, &[("fib", 7, 1), ("fib", 8, 1)])
            + &block("fib", 1, &[])
            + &block("fib", 1, &[("fib", 7, 3), ("fib", 8, 1)])
            + &block("{main}", 1, &[("fib", 3, 5)]);
        check(
            &[&trace],
            &[
                "/{main} 1 1",
                "/{main}/a.php:3 fib 1 1",
                "/{main}/a.php:3 fib/a.php:7 fib 1 1",
                "/{main}/a.php:3 fib/a.php:7 fib/a.php:7 fib 1 1",
                "/{main}/a.php:3 fib/a.php:7 fib/a.php:8 fib 1 1",
                "/{main}/a.php:3 fib/a.php:8 fib 1 1",
            ],
            &[
                "/{main} 1 1",
                "/{main}/fib 1 1",
                "/{main}/fib/fib 2 2",
                "/{main}/fib/fib/fib 2 2",
            ],
        );
    }

    #[test]
    fn merging_keeps_call_sites() {
        let run = |line| block("f", 5, &[]) + &block("{main}", 1, &[("f", line, 5)]);
        let (one, other) = (run(2), run(3));
        // Names have other numbers in the second input.
        let renamed = block("g", 2, &[]).replace("a.php", "e.php") + &other;
        let appended = format!("{one}\n==== NEW PROFILING FILE ====\nevents: Time\n{other}");
        for inputs in [[&one[..], &renamed], [&appended, &renamed]] {
            let appended = usize::from(inputs[0] != one);
            check(
                &inputs,
                &[
                    "/g 1 2",
                    &format!("/{{main}} {0} {0}", 2 + appended),
                    "/{main}/a.php:2 f 1 5",
                    &format!("/{{main}}/a.php:3 f {} {}", 1 + appended, 5 + 5 * appended),
                ],
                &[
                    "/g 1 2",
                    &format!("/{{main}} {0} {0}", 2 + appended),
                    &format!("/{{main}}/f {} {}", 2 + appended, 10 + 5 * appended),
                ],
            );
        }
    }

    #[test]
    fn calls_of_proxies_keep_their_lines() {
        let proxy = "php::call_user_func";
        let internal = |block: String| block.replace("fl=a.php", "fl=php:internal");
        // A proxy that calls a proxy, one that calls nothing, and one without a caller.
        let trace = block("f", 5, &[])
            + &internal(block(proxy, 2, &[("f", 4, 5)]))
            + &internal(block(proxy, 3, &[(proxy, 4, 7)]))
            + &internal(block(proxy, 9, &[]))
            + &block("f", 6, &[])
            + &block("{main}", 1, &[(proxy, 4, 10), (proxy, 8, 9), ("f", 4, 6)])
            + &block("f", 5, &[])
            + &internal(block(proxy, 2, &[("f", 4, 5)]));
        check(
            &[&trace],
            &[
                "/php::call_user_func 1 2",
                "/php::call_user_func/php:internal:4 f 1 5",
                "/{main} 1 6",
                "/{main}/a.php:4 f 2 11",
                "/{main}/a.php:8 php::call_user_func 1 9",
            ],
            &[
                "/php::call_user_func 1 2",
                "/php::call_user_func/f 1 5",
                "/{main} 1 6",
                "/{main}/f 2 11",
                "/{main}/php::call_user_func 1 9",
            ],
        );
    }

    #[test]
    fn calls_in_fibers_have_their_sites() {
        // Two fibers call f, from different lines, and are suspended in it.
        let suspend = block("php::Fiber::suspend", 1, &[]);
        let resume = block("php::Fiber->resume", 1, &[]);
        let ended = |cost, line| {
            block("f", cost, &[("php::Fiber::suspend", 3, 1)])
                + &block("{closure}", 1, &[("f", line, cost + 1)])
        };
        let trace = format!(
            "{suspend}{suspend}{}{resume}{}{resume}",
            ended(5, 7),
            ended(9, 8)
        ) + &block(
            "{main}",
            1,
            &[("php::Fiber->resume", 11, 1), ("php::Fiber->resume", 12, 1)],
        );
        check(
            &[&trace],
            &[
                "/{closure} 2 2",
                "/{closure}/a.php:7 f 1 5",
                "/{closure}/a.php:7 f/a.php:3 php::Fiber::suspend 1 1",
                "/{closure}/a.php:8 f 1 9",
                "/{closure}/a.php:8 f/a.php:3 php::Fiber::suspend 1 1",
                "/{main} 1 1",
                "/{main}/a.php:11 php::Fiber->resume 1 1",
                "/{main}/a.php:12 php::Fiber->resume 1 1",
            ],
            &[
                "/{closure} 2 2",
                "/{closure}/f 2 14",
                "/{closure}/f/php::Fiber::suspend 2 2",
                "/{main} 1 1",
                "/{main}/php::Fiber->resume 2 2",
            ],
        );
    }
}
