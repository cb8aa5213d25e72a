//! Proxy functions: calls to them are replaced by the calls that they made.

use std::collections::VecDeque;

use super::matching::{Unclaimed, claim};
use crate::maps::HashMap;
use crate::names::is_called;
use crate::tables::{CallEdge, Cost, FunctionId, saturated, slot};

/// Whether a function of a trace is one of the proxies. Marks its position in `found`.
pub(crate) fn note_proxy(proxies: &[Vec<u8>], name: &[u8], found: &mut Vec<usize>) -> bool {
    let before = found.len();
    let proxies = proxies.iter().enumerate();
    let proxies = proxies.filter(|(_, proxy)| is_called(name, proxy));
    found.extend(proxies.map(|(position, _)| position));
    found.len() > before
}

/// Replaces calls to proxies by the calls of these.
///
/// `claim` returns the calls that replace a call; it is called from the last call to the first.
/// Calls to other functions stay, and so do calls to proxies without calls, or missing from the
/// profile.
pub(super) fn replaced<C>(
    calls: impl DoubleEndedIterator<Item = C>,
    mut claim: impl FnMut(&C) -> Option<VecDeque<C>>,
) -> VecDeque<C> {
    // The calls after the longest list so far, that list, and the calls before it; each with the
    // last call first. Proxies may call each other to any depth. The longest list stays in place,
    // so a call moves only when the length of its list at least doubles.
    let mut lists: Vec<VecDeque<C>> = Vec::new();
    for call in calls.rev() {
        match claim(&call) {
            Some(instead) if !instead.is_empty() => lists.push(instead),
            _ => lists.push(VecDeque::from([call])),
        }
    }
    let longest = (0..lists.len()).max_by_key(|&list| lists[list].len());
    let before = lists.split_off(longest.map_or(0, |list| list + 1));
    let mut joined = lists.pop().unwrap_or_default();
    for call in before.into_iter().flat_map(|list| list.into_iter().rev()) {
        joined.push_front(call);
    }
    joined.extend(lists.into_iter().rev().flatten());
    joined
}

/// A call that waits until its replacement is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DeferredCall {
    /// The call, whose caller may be a proxy.
    pub edge: CallEdge,
    /// Its inclusive costs.
    pub row: Box<[Cost]>,
    /// Its cost in the first column.
    pub matching: Cost,
}

/// What to list instead of the calls of a block.
#[derive(Debug)]
pub(crate) struct ListedCalls {
    /// The calls, in order. Those of a proxy are only in the lists of its callers.
    pub calls: VecDeque<DeferredCall>,
    /// How much more the calls of the block cost than these.
    pub unlisted: Vec<Cost>,
}

/// An invocation of a proxy.
#[derive(Debug)]
struct ProxyInvocation {
    ended: Unclaimed,
    /// The calls that replace the call to it.
    calls: VecDeque<DeferredCall>,
}

/// The call lists of functions that call proxies.
///
/// From the first call to a proxy on, calls wait for the end of their block; in the block of a
/// proxy, all calls wait. Only then are their replacements and their caller known.
#[derive(Debug, Default)]
pub(super) struct ProxyCalls {
    is_proxy: Vec<bool>,
    /// Calls of the open block.
    waiting: Vec<DeferredCall>,
    /// The calls of proxies, until these are claimed.
    unclaimed: HashMap<FunctionId, Vec<ProxyInvocation>>,
}

impl ProxyCalls {
    /// Marks a function as a proxy.
    pub fn step_over(&mut self, function: FunctionId) {
        *slot(&mut self.is_proxy, function.index()) = true;
    }

    /// Whether any function is a proxy.
    #[inline]
    pub fn has_proxies(&self) -> bool {
        !self.is_proxy.is_empty()
    }

    #[inline]
    pub fn is_proxy(&self, function: FunctionId) -> bool {
        self.is_proxy.get(function.index()).is_some_and(|&is| is)
    }

    /// Whether a call has to wait for the end of its block.
    #[inline]
    pub fn has_to_wait(&self, caller: FunctionId, callee: FunctionId) -> bool {
        // Without proxies, no call waits.
        self.has_proxies()
            && (!self.waiting.is_empty() || self.is_proxy(caller) || self.is_proxy(callee))
    }

    /// Stores a call until the end of its block.
    #[inline(never)]
    pub fn wait(&mut self, call: DeferredCall) {
        self.waiting.push(call);
    }

    /// Ends a block, whose self cost in the first column is `self_cost`; `None` if none of its calls
    /// waited.
    #[inline]
    pub fn end_block(&mut self, function: FunctionId, self_cost: Cost) -> Option<ListedCalls> {
        if !self.has_proxies() || self.waiting.is_empty() && !self.is_proxy(function) {
            return None;
        }
        Some(self.list(function, self_cost))
    }

    #[inline(never)]
    fn list(&mut self, function: FunctionId, self_cost: Cost) -> ListedCalls {
        let (made, is_proxy) = (self.waiting.len(), self.is_proxy(function));
        let costs = self.waiting.iter().map(|call| call.matching);
        let sum = costs.fold(self_cost, Cost::saturating_add);
        let mut unlisted = Vec::new();
        add_costs(&mut unlisted, 1, &self.waiting);
        let unclaimed = &mut self.unclaimed;
        let mut calls = replaced(self.waiting.drain(..), |call| {
            let unclaimed = unclaimed.get_mut(&call.edge.callee)?;
            let claimed = claim(unclaimed, call.matching, 0, |proxy| proxy.ended);
            claimed.map(|claimed| claimed.calls)
        });
        if is_proxy {
            let calls = std::mem::take(&mut calls);
            let unclaimed = self.unclaimed.entry(function).or_default();
            let ended = Unclaimed {
                cost: sum,
                stretch: 0,
                calls: u32::try_from(made).unwrap_or(u32::MAX),
            };
            unclaimed.push(ProxyInvocation { ended, calls });
        }
        add_costs(&mut unlisted, -1, &calls);
        ListedCalls {
            calls,
            unlisted: unlisted.into_iter().map(saturated).collect(),
        }
    }
}

/// Adds the costs of calls this number of times.
fn add_costs<'a>(
    sums: &mut Vec<i128>,
    times: i128,
    calls: impl IntoIterator<Item = &'a DeferredCall>,
) {
    for (column, &cost) in calls
        .into_iter()
        .flat_map(|call| call.row.iter().enumerate())
    {
        *slot(sums, column) += times * i128::from(cost);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::NameId;

    #[test]
    fn invocations_of_proxies_are_told_apart_by_the_first_column() {
        let mut lists = ProxyCalls::default();
        lists.step_over(FunctionId(1));
        let call = |callee, row, matching| {
            let row = Box::from(row);
            let edge = CallEdge {
                caller: FunctionId(60),
                callee: FunctionId(callee),
                file: NameId::EMPTY,
                line: 7,
                calls: 1,
            };
            DeferredCall {
                edge,
                row,
                matching,
            }
        };
        for (callee, matching) in [(10, 100), (11, 500)] {
            lists.wait(call(callee, [0, 5], matching));
            assert!(lists.end_block(FunctionId(1), 40).is_some());
        }
        // By the wanted event the call would be the latest one.
        lists.wait(call(1, [540, 5], 141));
        let listed = lists.end_block(FunctionId(60), 0).unwrap();
        assert_eq!(listed.calls, [call(10, [0, 5], 100)]);
        assert_eq!(listed.unlisted, [540, 0]);
    }
}
