//! Call edges out of called-from and sub-call lists.

use foldhash::fast::RandomState;
use indexmap::IndexMap;

use crate::profile::{CallEdge, Cost, FunctionId};

/// Which list a record stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ListKind {
    CalledFrom,
    SubCalls,
}

impl ListKind {
    /// What its records are called in messages.
    pub fn name(self) -> &'static str {
        match self {
            ListKind::CalledFrom => "called-from",
            ListKind::SubCalls => "sub-call",
        }
    }
}

/// The figures of an edge, and its place in the lists.
#[derive(Debug, Default)]
struct Entry {
    calls: u64,
    cost: Cost,
    /// Whether a called-from list, and whether a sub-call list, has it.
    listed: [bool; 2],
    /// The edges that come next in these lists.
    next: [Option<u32>; 2],
    /// How many lists have an edge before it.
    waits_for: u8,
}

/// All edges that the lists of a file speak of, each once.
///
/// Every edge stands in two lists, the called-from list of its callee and the sub-call list of its
/// caller, or only in one: v5 has no sub-calls. All lists are sequences out of one order, in which
/// the edges appeared first in the profile. That order cannot be known, but one like it can:
/// [`in_order`](Self::in_order) finds one out of which all lists come in their own order again.
#[derive(Debug, Default)]
pub(super) struct EdgeUnion {
    /// By caller, callee and line.
    entries: IndexMap<(u32, u32, u32), Entry, RandomState>,
    /// The edge before, in the list that is being read.
    previous: Option<usize>,
}

impl EdgeUnion {
    pub fn begin_list(&mut self) {
        self.previous = None;
    }

    /// Takes in a record of the list of `function`: the other function, line, calls and cost.
    ///
    /// Several of one edge in a list are added up. Where both lists have the edge, the figures of
    /// the called-from list count.
    pub fn add(&mut self, kind: ListKind, function: u32, [other, line, calls, cost]: [u32; 4]) {
        let (caller, callee) = match kind {
            ListKind::CalledFrom => (other, function),
            ListKind::SubCalls => (function, other),
        };
        let entry = self.entries.entry((caller, callee, line));
        let at = entry.index();
        let entry = entry.or_default();
        let [counts_already, _] = entry.listed;
        let counts = kind == ListKind::CalledFrom;
        if counts && !counts_already {
            (entry.calls, entry.cost) = (0, 0);
        }
        if counts || !counts_already {
            entry.calls += u64::from(calls);
            entry.cost += Cost::from(cost);
        }
        if std::mem::replace(&mut entry.listed[kind as usize], true) {
            return;
        }
        if let Some(previous) = self.previous.replace(at) {
            entry.waits_for += 1;
            // A file of 4 GiB cannot hold more edges than that.
            self.entries[previous].next[kind as usize] = u32::try_from(at).ok();
        }
    }

    /// All edges, in an order that is that of every list.
    ///
    /// If lists contradict each other, there is no such order. Then the edges that are part of the
    /// contradiction, or depend on it, come last, in the order of the file.
    pub fn in_order(mut self) -> Vec<(CallEdge, Cost)> {
        let all = 0..self.entries.len();
        let is_first = |&at: &usize| self.entries[at].waits_for == 0;
        let mut order: Vec<usize> = all.clone().filter(is_first).collect();
        let mut done = 0;
        while let Some(&at) = order.get(done) {
            done += 1;
            for at in self.entries[at].next.into_iter().flatten() {
                let entry = &mut self.entries[at as usize];
                entry.waits_for -= 1;
                if entry.waits_for == 0 {
                    order.push(at as usize);
                }
            }
        }
        order.extend(all.filter(|&at| self.entries[at].waits_for > 0));
        let edges = order.into_iter().filter_map(|at| {
            let (&(caller, callee, line), entry) = self.entries.get_index(at)?;
            let edge = CallEdge {
                caller: FunctionId(caller),
                callee: FunctionId(callee),
                line: u64::from(line),
                calls: entry.calls,
            };
            Some((edge, entry.cost))
        });
        edges.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::ListKind::{CalledFrom, SubCalls};
    use super::*;

    /// Edges out of lists: kind, function, and (other function, line, calls, cost) of each record.
    fn edges(lists: &[(ListKind, u32, &[[u32; 4]])]) -> Vec<[u64; 5]> {
        let mut union = EdgeUnion::default();
        for &(kind, function, records) in lists {
            union.begin_list();
            for &record in records {
                union.add(kind, function, record);
            }
        }
        let as_numbers = |(edge, cost): (CallEdge, Cost)| {
            let [caller, callee] = [edge.caller, edge.callee].map(|id| u64::from(id.number()));
            let cost = u64::try_from(cost).unwrap();
            [caller, callee, edge.line, edge.calls, cost]
        };
        union.in_order().into_iter().map(as_numbers).collect()
    }

    #[test]
    fn one_order_serves_all_lists() {
        // 2 calls 1 and then 0, although the list of 0 comes first in the file.
        let order = edges(&[
            (CalledFrom, 0, &[[2, 8, 1, 5]]),
            (CalledFrom, 1, &[[2, 7, 1, 6]]),
            (SubCalls, 2, &[[1, 7, 1, 6], [0, 8, 1, 5]]),
        ]);
        assert_eq!(order, [[2, 1, 7, 1, 6], [2, 0, 8, 1, 5]]);
    }

    #[test]
    fn called_from_figures_win_and_duplicates_add_up() {
        let order = edges(&[
            (SubCalls, 0, &[[1, 3, 9, 90], [1, 3, 1, 10], [2, 4, 1, 11]]),
            (CalledFrom, 1, &[[0, 3, 2, 20], [0, 3, 2, 21]]),
            (SubCalls, 0, &[[1, 3, 7, 70]]),
        ]);
        assert_eq!(order, [[0, 1, 3, 4, 41], [0, 2, 4, 1, 11]]);
    }

    #[test]
    fn lists_that_contradict_each_other_lose_no_edge() {
        let order = edges(&[
            (SubCalls, 0, &[[0, 1, 1, 1], [0, 2, 1, 2], [0, 3, 1, 3]]),
            (CalledFrom, 0, &[[0, 2, 1, 2], [0, 1, 1, 1]]),
        ]);
        assert_eq!(order, [[0, 0, 1, 1, 1], [0, 0, 2, 1, 2], [0, 0, 3, 1, 3]]);
    }
}
