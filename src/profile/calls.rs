//! The call edges of a profile.

use std::ops::{Deref, RangeInclusive};

use super::costs::{Cost, CostTable, Costs};
use super::ids::{EdgeId, FunctionId, room_like};
use super::numbering::{Numbered, Numbering};

/// All calls from one line of one function to another function, summed.
///
/// The cost is that of the first wanted event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallEdge {
    /// Who calls.
    pub caller: FunctionId,
    /// Who is called.
    pub callee: FunctionId,
    /// Line of the call, in the caller's file; 0 where unknown.
    pub line: u64,
    /// Number of calls.
    pub calls: u64,
    /// Inclusive cost of these calls.
    pub cost: Cost,
}

/// A call edge of a profile with its costs of all wanted events.
#[derive(Clone, Copy, Debug)]
pub struct EdgeRef<'a> {
    edge: CallEdge,
    more: &'a [Cost],
    events: usize,
}

impl<'a> EdgeRef<'a> {
    /// Inclusive costs of these calls: one for each wanted event.
    pub fn costs(&self) -> impl Iterator<Item = Cost> + use<'a> {
        padded(self.edge.cost, self.more, self.events)
    }
}

impl Deref for EdgeRef<'_> {
    type Target = CallEdge;

    fn deref(&self) -> &CallEdge {
        &self.edge
    }
}

/// The costs of this many events. Costs that are missing at the end are 0.
pub(super) fn padded<'a>(
    first: Cost,
    more: &'a [Cost],
    events: usize,
) -> impl Iterator<Item = Cost> + use<'a> {
    let more = more.iter().copied().chain(std::iter::repeat(0));
    std::iter::once(first).chain(more).take(events)
}

/// What identifies a call edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct EdgeKey {
    pub caller: FunctionId,
    pub callee: FunctionId,
    pub line: u64,
}

impl CallEdge {
    #[inline]
    pub(super) fn key(&self) -> EdgeKey {
        EdgeKey {
            caller: self.caller,
            callee: self.callee,
            line: self.line,
        }
    }

    #[inline]
    fn add(&mut self, calls: u64, cost: Cost) {
        self.calls = self.calls.saturating_add(calls);
        self.cost = self.cost.saturating_add(cost);
    }
}

/// The edges in order of their first appearance, found by (caller, callee, line).
#[derive(Debug, Default)]
pub(super) struct CallTable {
    edges: Vec<CallEdge>,
    numbers: Numbering,
    /// Costs of the events after the first.
    more: CostTable,
    /// A cache: positions of recently called edges, each at a place that follows from its key.
    ///
    /// A trace returns to few edges millions of times, and this is much cheaper than hashing. The
    /// number of places is a power of two.
    recent: Vec<u32>,
}

/// The fewest and the most places for recently called edges. More would not stay in the cache of
/// a core.
const RECENT: RangeInclusive<usize> = 1 << 8..=1 << 15;

/// Marks a place without an edge.
const NO_EDGE: u32 = u32::MAX;

impl CallTable {
    /// Takes all edges away.
    pub fn take(&mut self) -> CallTable {
        let next = CallTable {
            edges: room_like(&self.edges),
            ..CallTable::default()
        };
        std::mem::replace(self, next)
    }

    /// Adds to the edge of a key, entering it if it is new.
    #[inline]
    pub fn add(&mut self, key: EdgeKey, calls: u64, costs: Costs<'_>) -> Numbered<EdgeId> {
        let place = place(&key, self.recent.len());
        let position = self.recent.get(place).copied().unwrap_or(NO_EDGE);
        if let Some(edge) = self.edges.get_mut(position as usize)
            && edge.key() == key
        {
            edge.add(calls, costs.first);
            self.more.add(position as usize, costs.more);
            return Numbered::Known(EdgeId(position));
        }
        self.find_and_add(place, key, calls, costs)
    }

    /// Adds one more call to an edge, if it belongs to `caller`.
    #[inline]
    pub fn add_again(&mut self, edge: EdgeId, caller: FunctionId, costs: Costs<'_>) -> bool {
        match self.edges.get_mut(edge.index()) {
            Some(known) if known.caller == caller => {
                known.add(1, costs.first);
                self.more.add(edge.index(), costs.more);
                true
            }
            _ => false,
        }
    }

    /// The functions and the line of an edge.
    pub fn key(&self, edge: EdgeId) -> Option<EdgeKey> {
        self.edges.get(edge.index()).map(CallEdge::key)
    }

    #[inline(never)]
    fn find_and_add(
        &mut self,
        place: usize,
        key: EdgeKey,
        calls: u64,
        costs: Costs<'_>,
    ) -> Numbered<EdgeId> {
        let edges = &self.edges;
        let found = self.numbers.number(key, |number| edges[number].key());
        let (Numbered::Known(position) | Numbered::New(position)) = found else {
            return Numbered::Full;
        };
        if found == Numbered::New(position) {
            self.edges.push(CallEdge {
                caller: key.caller,
                callee: key.callee,
                line: key.line,
                calls: 0,
                cost: 0,
            });
        }
        self.edges[position as usize].add(calls, costs.first);
        self.more.add(position as usize, costs.more);
        let places = self.edges.len().next_power_of_two();
        let places = places.clamp(*RECENT.start(), *RECENT.end());
        if places > self.recent.len() {
            // What was there is found again soon.
            self.recent = vec![NO_EDGE; places];
        }
        if let Some(recent) = self.recent.get_mut(place) {
            *recent = position;
        }
        found.map(EdgeId)
    }

    /// An edge, which is there, with its costs of so many events.
    pub fn at(&self, position: usize, events: usize) -> EdgeRef<'_> {
        EdgeRef {
            edge: self.edges[position],
            more: self.more.row(position),
            events,
        }
    }

    /// All edges in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = CallEdge> {
        self.edges.iter().copied()
    }

    /// Costs of an edge of the events after the first.
    pub fn more(&self, position: usize) -> &[Cost] {
        self.more.row(position)
    }

    /// Costs of all edges of the events after the first.
    pub fn all_more(&self) -> &[Cost] {
        self.more.all()
    }

    /// Adds to each edge, for the events after the first, what `derived` makes of its cost of the
    /// first event and of its costs of those.
    pub fn add_derived(&mut self, derived: impl Fn(Cost, &[Cost]) -> Vec<Cost>) {
        for (position, edge) in self.edges.iter().enumerate() {
            let costs = derived(edge.cost, self.more.row(position));
            self.more.add(position, &costs);
        }
    }
}

/// The place of an edge among this many in [`CallTable::recent`].
///
/// A file can be made so that edges share a place. They are then found no faster than by hashing.
#[inline]
fn place(key: &EdgeKey, places: usize) -> usize {
    let functions = u64::from(key.caller.number()) << 32 | u64::from(key.callee.number());
    let mixed = (functions ^ key.line.rotate_left(16)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    // The upper half is mixed best.
    (mixed >> 32) as usize & places.wrapping_sub(1)
}

/// The positions of every function's edges, in order of first appearance.
///
/// Positions of function `f` are `positions[starts[f]..starts[f + 1]]`.
#[derive(Debug, Default)]
struct EdgeList {
    starts: Vec<u32>,
    positions: Vec<u32>,
}

impl EdgeList {
    /// Sorts the edges by the function that `of` names, by counting: linear and stable.
    fn new(calls: &CallTable, functions: usize, of: impl Fn(&CallEdge) -> FunctionId) -> Self {
        let mut starts = vec![0u32; functions + 1];
        for edge in calls.iter() {
            starts[of(&edge).index() + 1] += 1;
        }
        for f in 0..functions {
            starts[f + 1] += starts[f];
        }
        let mut next = starts.clone();
        let mut positions = vec![0u32; calls.edges.len()];
        for (position, edge) in (0u32..).zip(calls.iter()) {
            let slot = &mut next[of(&edge).index()];
            positions[*slot as usize] = position;
            *slot += 1;
        }
        EdgeList { starts, positions }
    }

    /// Positions of the edges of one function.
    fn of(&self, function: FunctionId) -> &[u32] {
        let f = function.index();
        &self.positions[self.starts[f] as usize..self.starts[f + 1] as usize]
    }
}

/// The callers and callees of each function.
#[derive(Debug)]
pub(super) struct CallLists {
    called_from: EdgeList,
    sub_calls: EdgeList,
}

impl CallLists {
    pub fn new(calls: &CallTable, functions: usize) -> Self {
        CallLists {
            called_from: EdgeList::new(calls, functions, |edge| edge.callee),
            sub_calls: EdgeList::new(calls, functions, |edge| edge.caller),
        }
    }

    /// Positions of the edges to a function.
    pub fn called_from(&self, function: FunctionId) -> &[u32] {
        self.called_from.of(function)
    }

    /// Positions of the edges from a function.
    pub fn sub_calls(&self, function: FunctionId) -> &[u32] {
        self.sub_calls.of(function)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_differ_in_all_64_bits_of_their_lines() {
        let mut calls = CallTable::default();
        let key = |line| EdgeKey {
            caller: FunctionId(0),
            callee: FunctionId(1),
            line,
        };
        for line in [1, 4_294_967_297, 1, 1 << 63] {
            calls.add(key(line), 1, Costs::single(10));
        }
        let lines: Vec<_> = calls
            .iter()
            .map(|edge| (edge.line, edge.calls, edge.cost))
            .collect();
        assert_eq!(
            lines,
            [(1, 2, 20), (4_294_967_297, 1, 10), (1 << 63, 1, 10)]
        );
    }

    #[test]
    fn edges_keep_their_order_however_many_there_are() {
        let mut calls = CallTable::default();
        let key = |line| EdgeKey {
            caller: FunctionId(3),
            callee: FunctionId(2),
            line,
        };
        for line in (0..5000).chain(0..5000) {
            calls.add(key(line), 1, Costs::single(1));
        }
        let lists = CallLists::new(&calls, 4);
        assert_eq!(lists.called_from(FunctionId(2)).len(), 5000);
        assert!(lists.sub_calls(FunctionId(3)).is_sorted());
        assert!(lists.sub_calls(FunctionId(2)).is_empty());
        assert!(calls.iter().all(|edge| edge.calls == 2));
    }
}
