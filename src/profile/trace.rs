//! Who called whom in a trace: links calls to the invocations they made.
//!
//! A trace is written in post-order: a block stands after those of all the invocations it called.
//! When a block ends, its calls are walked backwards, and each claims the latest invocation of its
//! callee that nobody has claimed yet. What nobody claims (`{main}`, shutdown functions,
//! destructors, fibers) are the roots.

use super::Cost;
use super::ids::FunctionId;
use super::outermost::{Outermost, Subtree};
use super::tree::{InvocationCall, InvocationId, InvocationTree};

/// What is wanted of a trace beyond its sums.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceOptions {
    /// Keep every invocation, for v4.
    pub invocations: bool,
    /// Work out inclusive costs in which nothing counts twice.
    pub outermost: bool,
    /// Names of functions to step over in the call lists.
    pub proxies: Vec<Vec<u8>>,
}

impl TraceOptions {
    /// Whether any of it needs to know which call made which invocation.
    pub fn need_links(&self) -> bool {
        self.invocations || self.outermost || !self.proxies.is_empty()
    }

    /// Whether a function of this name is stepped over.
    ///
    /// Xdebug 2.3 and later append the place to some names: `php::call_user_func:{FILE:LINE}`.
    pub fn is_proxy(&self, name: &[u8]) -> bool {
        self.proxies.iter().any(|proxy| {
            name.strip_prefix(proxy.as_slice()).is_some_and(|rest| {
                rest.is_empty() || rest.starts_with(b":{") && rest.ends_with(b"}")
            })
        })
    }
}

/// A call of the block that is being read.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockCall {
    pub callee: FunctionId,
    pub line: u64,
    pub calls: u64,
    pub cost: Cost,
}

/// A call as it is listed: those of a proxy stand in place of the call to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct ListedCall {
    pub call: BlockCall,
    invocation: Option<InvocationId>,
}

/// An invocation that nobody has claimed yet.
#[derive(Debug)]
struct Unclaimed {
    invocation: Option<InvocationId>,
    /// What only some options need; boxed so that the others do not pay for it.
    extra: Option<Box<Extra>>,
}

#[derive(Debug, Default)]
struct Extra {
    subtree: Option<Subtree>,
    /// Of a proxy: the calls that will stand in place of the call to it.
    calls: Option<Vec<ListedCall>>,
}

/// The unclaimed invocations of one function, the latest last.
#[derive(Debug, Default)]
struct Stack {
    invocations: Vec<Unclaimed>,
    /// Whether `Linker::used` lists the function.
    used: bool,
}

/// Links the blocks of traces; see the module's documentation.
#[derive(Debug)]
pub(super) struct Linker {
    unclaimed: Vec<Stack>,
    /// The functions that had invocations in this run.
    used: Vec<FunctionId>,
    /// Calls of the block that is being read.
    calls: Vec<BlockCall>,
    /// The same with their invocations, once the block has ended.
    listed: Vec<ListedCall>,
    claimed: Vec<Option<Unclaimed>>,
    tree: Option<InvocationTree>,
    outermost: Option<Outermost>,
    full: bool,
}

impl Linker {
    pub fn new(options: &TraceOptions) -> Self {
        Linker {
            unclaimed: Vec::new(),
            used: Vec::new(),
            calls: Vec::new(),
            listed: Vec::new(),
            claimed: Vec::new(),
            tree: options.invocations.then(InvocationTree::default),
            outermost: options.outermost.then(Outermost::default),
            full: false,
        }
    }

    /// Notes a call of the block that is being read.
    pub fn add_call(&mut self, call: BlockCall) {
        self.calls.push(call);
    }

    /// Cost of all calls of the block that is being read.
    pub fn block_calls_cost(&self) -> Cost {
        let costs = self.calls.iter().map(|call| call.cost);
        costs.fold(0, Cost::saturating_add)
    }

    /// Ends a block and returns the calls to list for its function.
    ///
    /// None are listed for a proxy: they wait for whoever called it.
    pub fn close_block(
        &mut self,
        function: FunctionId,
        self_cost: Cost,
        is_proxy: bool,
    ) -> &[ListedCall] {
        let inclusive = self_cost.saturating_add(self.block_calls_cost());
        self.claim();
        self.list();
        let mut extra = self.outermost.as_mut().map(|outermost| {
            let children = self.claimed.iter_mut().flatten();
            let children = children.filter_map(|child| child.extra.as_mut()?.subtree.take());
            let subtree = Some(outermost.join(function, inclusive, children));
            Box::new(Extra {
                subtree,
                calls: None,
            })
        });
        if is_proxy && !self.listed.is_empty() {
            let calls = std::mem::take(&mut self.listed);
            extra.get_or_insert_default().calls = Some(calls);
        }
        let invocation = self.tree.as_mut().and_then(|tree| {
            let calls = self.listed.iter().map(|listed| {
                let BlockCall {
                    callee, line, cost, ..
                } = listed.call;
                InvocationCall::new(callee, listed.invocation, line, cost)
            });
            let id = tree.push(function, self_cost, inclusive, calls);
            self.full |= id.is_none();
            id
        });
        self.calls.clear();
        self.claimed.clear();
        self.stack(function).push(Unclaimed { invocation, extra });
        &self.listed
    }

    /// Adds invocations that a table lists with their links, if the tree is wanted.
    pub fn add_tree(&mut self, tree: InvocationTree) {
        if let Some(own) = &mut self.tree {
            self.full |= own.append(tree).is_none();
        }
    }

    /// Ends a run: nobody will claim what is left of it.
    pub fn end_run(&mut self) {
        for function in self.used.drain(..) {
            let stack = &mut self.unclaimed[function.index()];
            stack.used = false;
            for unclaimed in stack.invocations.drain(..) {
                let subtree = unclaimed.extra.and_then(|extra| extra.subtree);
                if let (Some(outermost), Some(subtree)) = (&mut self.outermost, subtree) {
                    outermost.root(&subtree);
                }
            }
        }
    }

    /// The tree, if it was wanted, and the outermost costs.
    pub fn finish(mut self) -> (Option<InvocationTree>, Option<Outermost>) {
        self.end_run();
        (self.tree, self.outermost)
    }

    /// Whether there were more invocations than can be numbered.
    pub fn is_full(&self) -> bool {
        self.full
    }

    /// Finds the invocation of every call, walking backwards.
    fn claim(&mut self) {
        for call in self.calls.iter().rev() {
            let stack = self.unclaimed.get_mut(call.callee.index());
            self.claimed
                .push(stack.and_then(|stack| stack.invocations.pop()));
        }
        self.claimed.reverse();
    }

    /// Lists the calls, those of proxies replaced.
    fn list(&mut self) {
        self.listed.clear();
        for (&call, claimed) in self.calls.iter().zip(&mut self.claimed) {
            let extra = claimed.as_mut().and_then(|claimed| claimed.extra.as_mut());
            match extra.and_then(|extra| extra.calls.take()) {
                Some(mut calls) => self.listed.append(&mut calls),
                None => self.listed.push(ListedCall {
                    call,
                    invocation: claimed.as_ref().and_then(|claimed| claimed.invocation),
                }),
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
