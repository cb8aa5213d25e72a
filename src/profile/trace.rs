//! Who called whom in a trace: links calls to the invocations they made.
//!
//! A trace is written in post-order: a block stands after those of all the invocations it called.
//! When a block ends, its calls are walked backwards, and each claims the latest invocation of its
//! callee that nobody has claimed yet. What nobody claims (`{main}`, shutdown functions,
//! destructors, fibers) are the roots.
//!
//! Fibers have a stack each, and their blocks stand between each other's. So a call whose cost is
//! not that of the latest invocation claims the latest one that has its cost, if there is one.

use super::Cost;
use super::ids::FunctionId;
use super::outermost::{Outermost, Subtree};
use super::proxies::ProxyCalls;
use super::tree::{InvocationCall, InvocationTree, NONE};

/// What is to be worked out with the links of a trace.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    /// Every invocation, for v4.
    pub tree: bool,
    /// Inclusive costs in which nothing counts twice.
    pub outermost: bool,
}

/// By how much the cost of a call and that of the invocation which it made differ at most: Xdebug
/// takes the time of both, one after the other, and rounds them apart.
const ROUNDING: u64 = 60;

/// How many unclaimed invocations of a function are looked at for one of the right cost.
const SEARCHED: usize = 256;

/// Which of the unclaimed invocations of its callee a call of this cost made.
///
/// They are given by their inclusive costs, the latest first; none if there are none.
pub(super) fn claimed(latest_first: impl Iterator<Item = Cost>, cost: Cost) -> Option<usize> {
    let mut costs = latest_first.take(SEARCHED).enumerate().peekable();
    costs.peek()?;
    let fits = |inclusive: Cost| inclusive.abs_diff(cost) <= ROUNDING;
    let found = costs.find(|&(_, inclusive)| fits(inclusive));
    Some(found.map_or(0, |(back, _)| back))
}

/// A block that has ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct EndedBlock {
    pub function: FunctionId,
    pub self_cost: Cost,
    /// Whether its calls stand in place of the call to it.
    pub is_proxy: bool,
}

/// An invocation that nobody has claimed yet.
#[derive(Debug)]
struct Unclaimed {
    inclusive: Cost,
    /// Its position in the tree, or [`NONE`].
    invocation: u32,
    /// Boxed, so that those who do not want it do not pay for it.
    subtree: Option<Box<Subtree>>,
}

/// The unclaimed invocations of one function, the latest last.
#[derive(Debug, Default)]
struct Stack {
    invocations: Vec<Unclaimed>,
    /// Whether `Linker::used` lists the function.
    used: bool,
}

impl Stack {
    #[inline]
    fn claim(&mut self, cost: Cost) -> Option<Unclaimed> {
        let costs = self.invocations.iter().rev().map(|one| one.inclusive);
        let back = claimed(costs, cost)?;
        Some(self.invocations.remove(self.invocations.len() - 1 - back))
    }
}

/// Links the blocks of traces; see the module's documentation.
#[derive(Debug)]
pub(super) struct Linker {
    unclaimed: Vec<Stack>,
    /// The functions that had invocations in this run.
    used: Vec<FunctionId>,
    /// Calls of the block that ends.
    calls: Vec<InvocationCall>,
    /// Subtrees of the invocations that it called, the last one first.
    subtrees: Vec<Subtree>,
    proxies: ProxyCalls<InvocationCall>,
    tree: Option<InvocationTree>,
    outermost: Option<Outermost>,
    is_full: bool,
}

/// What came out of linking.
#[derive(Debug, Default)]
pub(super) struct Links {
    /// If it was wanted.
    pub tree: Option<InvocationTree>,
    /// If it was wanted.
    pub outermost: Option<Outermost>,
    /// Whether there were more invocations or calls than can be numbered.
    pub is_full: bool,
}

impl Linker {
    pub fn new(wanted: Wanted) -> Self {
        Linker {
            unclaimed: Vec::new(),
            used: Vec::new(),
            calls: Vec::new(),
            subtrees: Vec::new(),
            proxies: ProxyCalls::default(),
            tree: wanted.tree.then(InvocationTree::default),
            outermost: wanted.outermost.then(Outermost::default),
            is_full: false,
        }
    }

    /// Ends a block that made `calls`.
    pub fn end_block(&mut self, block: EndedBlock, calls: &[InvocationCall]) {
        let EndedBlock {
            function,
            self_cost,
            is_proxy,
        } = block;
        let costs = calls.iter().map(|call| call.cost);
        let inclusive = self_cost.saturating_add(costs.fold(0, Cost::saturating_add));
        self.claim(calls);
        let subtree = self.outermost.as_mut().map(|outermost| {
            Box::new(outermost.join(function, inclusive, self.subtrees.drain(..).rev()))
        });
        if is_proxy {
            self.proxies
                .end_invocation(function, inclusive, &mut self.calls);
        } else {
            self.proxies.replace(&mut self.calls);
        }
        let mut invocation = NONE;
        if let Some(tree) = &mut self.tree {
            match tree.push(function, self_cost, inclusive, &self.calls) {
                Some(id) => invocation = id,
                None => self.is_full = true,
            }
        }
        self.stack(function).push(Unclaimed {
            inclusive,
            invocation,
            subtree,
        });
    }

    /// Ends a run: nobody will claim what is left of it.
    pub fn end_run(&mut self) {
        self.proxies.end_run();
        for function in self.used.drain(..) {
            let stack = &mut self.unclaimed[function.index()];
            stack.used = false;
            for unclaimed in stack.invocations.drain(..) {
                if let (Some(outermost), Some(subtree)) = (&mut self.outermost, unclaimed.subtree) {
                    outermost.root(&subtree);
                }
            }
        }
    }

    pub fn finish(mut self) -> Links {
        self.end_run();
        Links {
            tree: self.tree,
            outermost: self.outermost,
            is_full: self.is_full,
        }
    }

    /// Finds the invocation of every call, walking backwards.
    fn claim(&mut self, calls: &[InvocationCall]) {
        self.calls.clear();
        self.calls.extend_from_slice(calls);
        for call in self.calls.iter_mut().rev() {
            let stack = self.unclaimed.get_mut(call.callee.index());
            if let Some(claimed) = stack.and_then(|stack| stack.claim(call.cost)) {
                call.invocation = claimed.invocation;
                self.subtrees
                    .extend(claimed.subtree.map(|subtree| *subtree));
            }
        }
    }

    fn stack(&mut self, function: FunctionId) -> &mut Vec<Unclaimed> {
        if self.unclaimed.len() <= function.index() {
            self.unclaimed
                .resize_with(function.index() + 1, Stack::default);
        }
        let stack = &mut self.unclaimed[function.index()];
        if !stack.used {
            stack.used = true;
            self.used.push(function);
        }
        &mut stack.invocations
    }
}
