//! Functions that are stepped over: what they call stands in place of the calls to them.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::ids::FunctionId;

/// Whether a function of a trace is one of those to step over.
///
/// Xdebug 2.3 and later append the place to some names: `php::call_user_func:{FILE:LINE}`.
pub(super) fn is_proxy(proxies: &[Vec<u8>], name: &[u8]) -> bool {
    proxies.iter().any(|proxy| {
        name.strip_prefix(proxy.as_slice())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(b":{") && rest.ends_with(b"}"))
    })
}

/// A call in a list of calls.
pub(super) trait ListedCall: Copy {
    /// Who is called.
    fn callee(&self) -> FunctionId;
}

/// What the invocations of proxies called, for as long as nobody has claimed them.
///
/// Which call made which invocation follows the rule of [`Linker`](super::trace::Linker).
#[derive(Debug)]
pub(super) struct ProxyCalls<C> {
    /// For every proxy its invocations, the latest last, with their calls.
    unclaimed: HashMap<FunctionId, Vec<Vec<C>>, RandomState>,
    /// Scratch: a list that is being made.
    listed: Vec<C>,
}

impl<C> Default for ProxyCalls<C> {
    fn default() -> Self {
        ProxyCalls {
            unclaimed: HashMap::default(),
            listed: Vec::new(),
        }
    }
}

impl<C: ListedCall> ProxyCalls<C> {
    /// Ends an invocation of a proxy, and takes its calls away.
    pub fn end_invocation(&mut self, proxy: FunctionId, calls: &mut Vec<C>) {
        let calls = std::mem::take(calls);
        self.unclaimed.entry(proxy).or_default().push(calls);
    }

    /// Replaces calls to proxies by what these called, in the list of an invocation that ends.
    ///
    /// Calls to proxies that called nothing, or that the profile does not hold, stay.
    pub fn replace(&mut self, calls: &mut Vec<C>) {
        if self.unclaimed.is_empty() {
            return;
        }
        self.listed.clear();
        for &call in calls.iter().rev() {
            let stack = self.unclaimed.get_mut(&call.callee());
            match stack.and_then(Vec::pop) {
                Some(instead) if !instead.is_empty() => {
                    self.listed.extend(instead.into_iter().rev());
                }
                _ => self.listed.push(call),
            }
        }
        self.listed.reverse();
        std::mem::swap(calls, &mut self.listed);
    }

    /// Ends a run: nobody will claim what is left of it.
    pub fn end_run(&mut self) {
        self.unclaimed.clear();
    }
}
