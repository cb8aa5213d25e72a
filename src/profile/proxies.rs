//! Functions that are stepped over: what they call stands in place of the calls to them.

use std::collections::{HashMap, VecDeque};

use foldhash::fast::RandomState;

use super::Cost;
use super::ids::FunctionId;
use super::trace::claimed;

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

    /// Its inclusive cost.
    fn cost(&self) -> Cost;
}

/// What an invocation of a proxy called.
#[derive(Debug)]
struct Unclaimed<C> {
    inclusive: Cost,
    calls: VecDeque<C>,
}

/// What the invocations of proxies called, for as long as nobody has claimed them.
///
/// Which call made which invocation follows the rule of [`Linker`](super::trace::Linker).
#[derive(Debug)]
pub(super) struct ProxyCalls<C> {
    /// For every proxy its invocations, the latest last, with their calls.
    unclaimed: HashMap<FunctionId, Vec<Unclaimed<C>>, RandomState>,
}

impl<C> Default for ProxyCalls<C> {
    fn default() -> Self {
        ProxyCalls {
            unclaimed: HashMap::default(),
        }
    }
}

impl<C: ListedCall> ProxyCalls<C> {
    /// Replaces calls to proxies by what these called, in the list of an invocation that ends.
    ///
    /// Calls to proxies that called nothing, or that the profile does not hold, stay.
    pub fn replace(&mut self, calls: &mut Vec<C>) {
        let is_proxy = |call: &C| self.unclaimed.contains_key(&call.callee());
        if self.unclaimed.is_empty() || !calls.iter().any(is_proxy) {
            return;
        }
        let lists = self.claim(calls);
        calls.extend(lists.into_iter().rev().flatten());
    }

    /// Ends an invocation of a proxy, and takes its calls away.
    pub fn end_invocation(&mut self, proxy: FunctionId, inclusive: Cost, calls: &mut Vec<C>) {
        let mut after = self.claim(calls);
        // Proxies may call each other to any depth. The longest list stays where it is, so that
        // no call is moved more often than the length of its list doubles.
        let longest = (0..after.len()).max_by_key(|&list| after[list].len());
        let mut before = after.split_off(longest.map_or(0, |list| list + 1));
        let mut joined = after.pop().unwrap_or_default();
        for call in before.drain(..).flat_map(|list| list.into_iter().rev()) {
            joined.push_front(call);
        }
        joined.extend(after.into_iter().rev().flatten());
        self.unclaimed.entry(proxy).or_default().push(Unclaimed {
            inclusive,
            calls: joined,
        });
    }

    /// Ends a run: nobody will claim what is left of it.
    pub fn end_run(&mut self) {
        self.unclaimed.clear();
    }

    /// Takes calls away, and gives the lists that stand in place of them, the last one first.
    fn claim(&mut self, calls: &mut Vec<C>) -> Vec<VecDeque<C>> {
        let lists = calls.drain(..).rev().map(|call| {
            let stack = self.unclaimed.get_mut(&call.callee());
            match stack.and_then(|stack| claim(stack, call.cost())) {
                Some(instead) if !instead.is_empty() => instead,
                _ => VecDeque::from([call]),
            }
        });
        lists.collect()
    }
}

fn claim<C>(stack: &mut Vec<Unclaimed<C>>, cost: Cost) -> Option<VecDeque<C>> {
    let back = claimed(stack.iter().rev().map(|one| one.inclusive), cost)?;
    Some(stack.remove(stack.len() - 1 - back).calls)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A call by its callee; the lower numbers are proxies.
    impl ListedCall for u32 {
        fn callee(&self) -> FunctionId {
            FunctionId(*self)
        }

        fn cost(&self) -> Cost {
            0
        }
    }

    fn replaced(proxies: &mut ProxyCalls<u32>, calls: &[u32]) -> Vec<u32> {
        let mut calls = calls.to_vec();
        proxies.replace(&mut calls);
        calls
    }

    #[test]
    fn calls_of_proxies_stand_where_the_calls_to_them_stood() {
        let mut proxies = ProxyCalls::default();
        let mut end = |proxy, calls: &[u32]| {
            proxies.end_invocation(FunctionId(proxy), 0, &mut calls.to_vec());
        };
        end(1, &[10, 11, 12]);
        end(2, &[20]);
        end(3, &[]);
        end(4, &[30, 2, 31, 1, 32, 3, 33]);
        end(1, &[13]);
        assert_eq!(
            replaced(&mut proxies, &[50, 1, 4, 2, 51]),
            [50, 13, 30, 20, 31, 10, 11, 12, 32, 3, 33, 2, 51]
        );
        assert_eq!(replaced(&mut proxies, &[4, 1]), [4, 1]);
    }

    #[test]
    fn the_latest_invocation_is_claimed_by_the_last_call() {
        let mut proxies = ProxyCalls::default();
        for callee in [10, 11, 12] {
            proxies.end_invocation(FunctionId(1), 0, &mut vec![callee]);
        }
        assert_eq!(replaced(&mut proxies, &[1, 1]), [11, 12]);
        assert_eq!(replaced(&mut proxies, &[1, 1]), [1, 10]);
        proxies.end_invocation(FunctionId(1), 0, &mut vec![13]);
        proxies.end_run();
        assert_eq!(replaced(&mut proxies, &[1]), [1]);
    }
}
