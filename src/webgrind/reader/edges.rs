//! Call edges out of called-from and sub-call lists.

use std::collections::{HashMap, VecDeque};

use foldhash::fast::RandomState;

use super::super::layout::CallRecord;

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

/// A call edge between functions, by their numbers in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Edge {
    pub caller: u32,
    pub callee: u32,
    pub line: u32,
    pub calls: u64,
    pub cost: u64,
}

/// An edge with its place in the lists.
#[derive(Debug)]
struct Entry {
    edge: Edge,
    /// The list whose figures the edge has.
    figures: ListKind,
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
    entries: Vec<Entry>,
    by_key: HashMap<(u32, u32, u32), u32, RandomState>,
    /// The edge before, in the list that is being read.
    previous: Option<u32>,
}

impl EdgeUnion {
    pub fn begin_list(&mut self) {
        self.previous = None;
    }

    /// Takes in a record of the list of `function`.
    ///
    /// Several of one edge in a list are added up. Where both lists have the edge, the figures of
    /// the called-from list count.
    pub fn add(&mut self, kind: ListKind, function: u32, record: CallRecord) {
        let (caller, callee) = match kind {
            ListKind::CalledFrom => (record.function.get(), function),
            ListKind::SubCalls => (function, record.function.get()),
        };
        let edge = Edge {
            caller,
            callee,
            line: record.line.get(),
            calls: u64::from(record.calls.get()),
            cost: u64::from(record.cost.get()),
        };
        let Some(at) = self.find_or_insert(kind, edge) else {
            return;
        };
        let entry = &mut self.entries[at as usize];
        let is_listed = &mut entry.listed[kind as usize];
        if *is_listed {
            return;
        }
        *is_listed = true;
        if let Some(previous) = self.previous.replace(at) {
            entry.waits_for += 1;
            self.entries[previous as usize].next[kind as usize] = Some(at);
        }
    }

    /// Finds the edge and adds the figures where they count; none when there are too many edges
    /// to be numbered, which a file of 4 GiB cannot hold.
    fn find_or_insert(&mut self, kind: ListKind, edge: Edge) -> Option<u32> {
        let next = u32::try_from(self.entries.len()).ok()?;
        let key = (edge.caller, edge.callee, edge.line);
        let at = *self.by_key.entry(key).or_insert(next);
        if at == next {
            self.entries.push(Entry {
                edge,
                figures: kind,
                listed: [false; 2],
                next: [None; 2],
                waits_for: 0,
            });
            return Some(at);
        }
        let entry = &mut self.entries[at as usize];
        if entry.figures == kind {
            entry.edge.calls += edge.calls;
            entry.edge.cost += edge.cost;
        } else if kind == ListKind::CalledFrom {
            entry.edge = edge;
            entry.figures = kind;
        }
        Some(at)
    }

    /// All edges, in an order that is that of every list.
    ///
    /// If lists contradict each other, there is no such order. Then the edges that are part of the
    /// contradiction, or depend on it, come last, in the order of the file.
    pub fn in_order(mut self) -> Vec<Edge> {
        let mut order = Vec::with_capacity(self.entries.len());
        let numbered = (0u32..).zip(&self.entries);
        let mut ready: VecDeque<u32> = numbered
            .filter(|(_, entry)| entry.waits_for == 0)
            .map(|(at, _)| at)
            .collect();
        while let Some(at) = ready.pop_front() {
            let Entry { edge, next, .. } = self.entries[at as usize];
            order.push(edge);
            for at in next.into_iter().flatten() {
                let entry = &mut self.entries[at as usize];
                entry.waits_for -= 1;
                if entry.waits_for == 0 {
                    ready.push_back(at);
                }
            }
        }
        let left = self.entries.iter().filter(|entry| entry.waits_for > 0);
        order.extend(left.map(|entry| entry.edge));
        order
    }
}

#[cfg(test)]
mod tests {
    use zerocopy::little_endian::U32;

    use super::ListKind::{CalledFrom, SubCalls};
    use super::*;

    /// Edges out of lists: kind, function, and (other function, line, calls, cost) of each record.
    fn edges(lists: &[(ListKind, u32, &[[u32; 4]])]) -> Vec<[u64; 5]> {
        let mut union = EdgeUnion::default();
        for &(kind, function, records) in lists {
            union.begin_list();
            for numbers in records {
                let [function_called, line, calls, cost] = numbers.map(U32::new);
                let record = CallRecord {
                    function: function_called,
                    line,
                    calls,
                    cost,
                };
                union.add(kind, function, record);
            }
        }
        let as_numbers = |edge: Edge| {
            let key = [edge.caller, edge.callee, edge.line].map(u64::from);
            [key[0], key[1], key[2], edge.calls, edge.cost]
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
