//! The call edges of a profile.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use super::Cost;
use super::ids::{EdgeId, FunctionId, next_index};

/// All calls from one line of one function to another function, summed.
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

/// What became of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Added {
    /// It was added to an edge.
    ToEdge(EdgeId),
    /// It is the first of its edge.
    NewEdge(EdgeId),
    /// There can be no more edges.
    Full,
}

impl CallEdge {
    #[inline]
    pub(super) fn add(&mut self, calls: u64, cost: Cost) {
        self.calls = self.calls.saturating_add(calls);
        self.cost = self.cost.saturating_add(cost);
    }

    #[inline]
    fn has_key_of(&self, other: &CallEdge) -> bool {
        self.caller == other.caller && self.callee == other.callee && self.line == other.line
    }
}

/// The edges in order of their first appearance, found by (caller, callee, line).
#[derive(Debug)]
pub(super) struct CallTable {
    edges: Vec<CallEdge>,
    index: HashTable<u32>,
    hasher: RandomState,
    /// Positions of edges that were called lately, at a place that follows from their key.
    ///
    /// A trace comes back to few edges millions of times, and this is much cheaper than `index`.
    ///
    /// It has at least as many places as there are edges, and a power of two of them.
    recent: Vec<u32>,
}

/// How many places there are for edges called lately to begin with.
const RECENT: usize = 1 << 12;

/// Stands where there is no edge.
const NO_EDGE: u32 = u32::MAX;

impl Default for CallTable {
    fn default() -> Self {
        CallTable {
            edges: Vec::new(),
            index: HashTable::new(),
            hasher: RandomState::default(),
            recent: vec![NO_EDGE; RECENT],
        }
    }
}

impl CallTable {
    /// Adds to the edge of `call`, entering it if it is new.
    #[inline]
    pub fn add(&mut self, call: CallEdge) -> Added {
        let place = place(&call, self.recent.len());
        let position = self.recent.get(place).copied().unwrap_or(NO_EDGE);
        if let Some(edge) = self.edges.get_mut(position as usize)
            && edge.has_key_of(&call)
        {
            edge.add(call.calls, call.cost);
            return Added::ToEdge(EdgeId(position));
        }
        self.find_and_add(place, call)
    }

    /// Adds one more call to an edge, if it is one of `caller`.
    #[inline]
    pub fn add_again(&mut self, edge: EdgeId, caller: FunctionId, cost: Cost) -> bool {
        match self.edges.get_mut(edge.0 as usize) {
            Some(edge) if edge.caller == caller => {
                edge.add(1, cost);
                true
            }
            _ => false,
        }
    }

    pub fn get_mut(&mut self, edge: EdgeId) -> Option<&mut CallEdge> {
        self.edges.get_mut(edge.0 as usize)
    }

    fn find_and_add(&mut self, place: usize, call: CallEdge) -> Added {
        let hash = hash(&self.hasher, &call);
        let edges = &self.edges;
        let found = self
            .index
            .find(hash, |&position| edges[position as usize].has_key_of(&call));
        let (position, added) = match found {
            Some(&position) => {
                self.edges[position as usize].add(call.calls, call.cost);
                (position, Added::ToEdge(EdgeId(position)))
            }
            None => match self.insert(hash, call) {
                Some(position) => (position, Added::NewEdge(EdgeId(position))),
                None => return Added::Full,
            },
        };
        if let Some(recent) = self.recent.get_mut(place) {
            *recent = position;
        }
        added
    }

    fn insert(&mut self, hash: u64, call: CallEdge) -> Option<u32> {
        let position = next_index(self.edges.len())?;
        self.edges.push(call);
        let (edges, hasher) = (&self.edges, &self.hasher);
        self.index.insert_unique(hash, position, |&position| {
            self::hash(hasher, &edges[position as usize])
        });
        if self.edges.len() > self.recent.len() {
            // What was there is found again soon.
            self.recent = vec![NO_EDGE; 2 * self.recent.len()];
        }
        Some(position)
    }

    pub fn into_edges(self) -> Vec<CallEdge> {
        self.edges
    }
}

fn hash(hasher: &RandomState, edge: &CallEdge) -> u64 {
    let functions = u64::from(edge.caller.number()) << 32 | u64::from(edge.callee.number());
    hasher.hash_one((functions, edge.line))
}

/// Which of so many places of [`CallTable::recent`] has an edge, if one does.
///
/// Anybody can make edges that share a place; they are then found no faster than without it.
#[inline]
fn place(edge: &CallEdge, places: usize) -> usize {
    let functions = u64::from(edge.caller.number()) << 32 | u64::from(edge.callee.number());
    let mixed = (functions ^ edge.line.rotate_left(16)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    // The upper half is mixed best.
    (mixed >> 32) as usize & places.wrapping_sub(1)
}

/// For every function the positions of its edges, in order of first appearance.
///
/// Positions of function `f` are `positions[starts[f]..starts[f + 1]]`.
#[derive(Debug, Default)]
pub(super) struct EdgeLists {
    starts: Vec<u32>,
    positions: Vec<u32>,
}

impl EdgeLists {
    /// Sorts the edges by the function that `of` names, by counting: linear and stable.
    pub fn new(edges: &[CallEdge], functions: usize, of: impl Fn(&CallEdge) -> FunctionId) -> Self {
        let mut starts = vec![0u32; functions + 1];
        for edge in edges {
            starts[of(edge).index() + 1] += 1;
        }
        for f in 0..functions {
            starts[f + 1] += starts[f];
        }
        let mut next = starts.clone();
        let mut positions = vec![0u32; edges.len()];
        for (position, edge) in (0u32..).zip(edges) {
            let slot = &mut next[of(edge).index()];
            positions[*slot as usize] = position;
            *slot += 1;
        }
        EdgeLists { starts, positions }
    }

    /// Positions of the edges of one function.
    pub fn of(&self, function: FunctionId) -> &[u32] {
        let f = function.index();
        &self.positions[self.starts[f] as usize..self.starts[f + 1] as usize]
    }
}
