//! The call edges of a profile.

use std::ops::Deref;

use super::costs::{Cost, CostTable};
use super::ids::{EdgeId, FunctionId, NameId, next_index, slot};
use super::numbering::Numbering;
use crate::prefetch::prefetch;

/// All calls from one line of one function to another function, summed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallEdge {
    /// The calling function.
    pub caller: FunctionId,
    /// The called function.
    pub callee: FunctionId,
    /// The file of the calls; empty if it is the caller's, as in most profiles.
    pub(crate) file: NameId,
    /// Line of the call; 0 if unknown.
    pub line: u64,
    /// Number of calls.
    pub calls: u64,
}

impl CallEdge {
    /// The file of the calls if it is not the caller's, as for calls in inlined code.
    ///
    /// Only known if [`ProfileOptions::call_files`](crate::profile::ProfileOptions::call_files) was
    /// set.
    pub fn file(&self) -> Option<NameId> {
        Some(self.file).filter(|&file| file != NameId::EMPTY)
    }

    /// The key of an edge: all but the number of calls.
    #[inline]
    fn key(&self) -> (FunctionId, FunctionId, NameId, u64) {
        (self.caller, self.callee, self.file, self.line)
    }
}

/// A call edge of a profile with its costs.
#[derive(Clone, Copy, Debug)]
pub struct EdgeRef<'a> {
    edge: &'a CallEdge,
    costs: &'a [Cost],
}

impl<'a> EdgeRef<'a> {
    /// Inclusive costs of these calls, one for each requested event.
    pub fn costs(&self) -> &'a [Cost] {
        self.costs
    }
}

impl Deref for EdgeRef<'_> {
    type Target = CallEdge;

    fn deref(&self) -> &CallEdge {
        self.edge
    }
}

/// Call edges in order of first appearance, with look-up by key.
#[derive(Clone, Debug, Default)]
pub(crate) struct CallTable {
    edges: Vec<CallEdge>,
    /// Inclusive costs of the edges.
    pub costs: CostTable,
    /// For each caller, the position of its first run of adjacent edges: see
    /// [`number`](Self::number).
    runs: Vec<u32>,
    /// The numbers of all other edges.
    numbers: Numbering,
}

impl CallTable {
    /// Prefetches the position of a caller's edges.
    #[inline]
    pub fn prefetch(&self, caller: FunctionId) {
        prefetch(self.runs.get(caller.index()));
    }

    /// Adds calls and their costs to an edge, and creates the edge if necessary.
    #[inline]
    pub fn add<const WIDTH: usize>(&mut self, edge: CallEdge, costs: &[Cost]) -> EdgeId {
        let id = EdgeId(self.number(&edge));
        if id.index() == self.edges.len() {
            self.edges.push(edge);
            self.costs.push::<WIDTH>(costs);
            return id;
        }
        let known = &mut self.edges[id.index()];
        known.calls = known.calls.saturating_add(edge.calls);
        self.costs.add::<WIDTH>(id.index(), costs);
        id
    }

    /// The maximum number of a caller's edges to compare one by one.
    const RUN: u32 = 16;

    /// Finds the number of an edge, or assigns the next one.
    ///
    /// Profilers write the calls of a function together, so its edges are adjacent in this table.
    /// Comparing a few of them is much faster than a look-up in a hash table that exceeds the
    /// processor's caches. Only the remaining edges use the hash table: those of callers with many
    /// edges, and those from later blocks.
    #[inline(always)]
    fn number(&mut self, edge: &CallEdge) -> u32 {
        let edges = &self.edges;
        let start = slot(&mut self.runs, edge.caller.index());
        let run = edges.get(*start as usize..).unwrap_or_default();
        let mut end = *start;
        for known in run.iter().take(Self::RUN as usize) {
            if known.caller != edge.caller {
                break;
            }
            if known.key() == edge.key() {
                return end;
            }
            end += 1;
        }
        let has_run = end > *start;
        let is_full = (end as usize) < edges.len() || end - *start == Self::RUN;
        if has_run && is_full {
            let key_of = |number: usize| edges[number].key();
            return self.numbers.number(edge.key(), edges.len(), key_of);
        }
        let next = next_index(edges.len());
        if !has_run {
            *start = next;
        }
        next
    }

    /// An edge, if it belongs to `caller`.
    #[inline]
    pub fn of_caller(&self, edge: EdgeId, caller: FunctionId) -> Option<&CallEdge> {
        let edge = self.edges.get(edge.index())?;
        (edge.caller == caller).then_some(edge)
    }

    /// Adds another call to an edge, and returns it; `None` if the edge does not belong to `caller`.
    #[inline(always)]
    pub fn add_again<const WIDTH: usize>(
        &mut self,
        edge: EdgeId,
        caller: FunctionId,
        costs: &[Cost],
    ) -> Option<&CallEdge> {
        let known = self.edges.get_mut(edge.index())?;
        if known.caller != caller {
            return None;
        }
        known.calls = known.calls.saturating_add(1);
        self.costs.add::<WIDTH>(edge.index(), costs);
        Some(known)
    }

    /// The edge at a position, which must exist.
    pub fn at(&self, position: usize) -> EdgeRef<'_> {
        EdgeRef {
            edge: &self.edges[position],
            costs: self.costs.row(position),
        }
    }

    /// All edges in order.
    pub fn edges(&self) -> &[CallEdge] {
        &self.edges
    }

    /// All edges in order, with their costs.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = EdgeRef<'_>> {
        (0..self.edges.len()).map(|position| self.at(position))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An edge with one call.
    fn edge(caller: u32, callee: u32, line: u64) -> CallEdge {
        CallEdge {
            caller: FunctionId(caller),
            callee: FunctionId(callee),
            file: NameId::EMPTY,
            line,
            calls: 1,
        }
    }

    #[test]
    fn edges_differ_in_all_64_bits_of_their_lines() {
        let mut calls = CallTable::default();
        let edge = |line| edge(0, 1, line);
        for line in [1, 4_294_967_297, 1, 1 << 63] {
            calls.add::<1>(edge(line), &[]);
        }
        let edges = calls.edges().iter();
        let lines: Vec<_> = edges.map(|edge| (edge.line, edge.calls)).collect();
        assert_eq!(lines, [(1, 2), (4_294_967_297, 1), (1 << 63, 1)]);
    }

    #[test]
    fn edges_are_found_wherever_the_others_of_their_callers_stand() {
        let mut calls = CallTable::default();
        let mut keys = Vec::new();
        // Callers with few and with many edges, some adjacent and some scattered.
        for at in 0..4000 {
            let caller = [at / 20, at % 3, 5, at / 1000][at as usize / 7 % 4];
            let edge = CallEdge {
                file: NameId::of(u32::from(at % 11 == 0)),
                ..edge(caller, at % 7, u64::from(at % 13))
            };
            let key = edge.key();
            let known = keys.iter().position(|known| *known == key);
            let position = calls.add::<1>(edge, &[]).index();
            assert_eq!(position, known.unwrap_or(keys.len()));
            if known.is_none() {
                keys.push(key);
            }
        }
        assert!((500..3500).contains(&keys.len()), "{}", keys.len());
    }

    #[test]
    fn edges_keep_their_order_however_many_there_are() {
        let mut calls = CallTable::default();
        let edge = |line| edge(3, 2, line);
        for line in (0..5000).chain(0..5000) {
            calls.add::<1>(edge(line), &[]);
        }
        assert!(calls.edges().is_sorted_by_key(|edge| edge.line));
        assert_eq!(calls.edges().len(), 5000);
        assert!(calls.iter().all(|edge| edge.calls == 2));
    }
}
