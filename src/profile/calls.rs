//! The call edges of a profile.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use super::Cost;
use super::ids::{FunctionId, next_index};

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

/// The edges in order of their first appearance, found by (caller, callee, line).
#[derive(Debug, Default)]
pub(super) struct CallTable {
    edges: Vec<CallEdge>,
    index: HashTable<u32>,
    hasher: RandomState,
}

impl CallTable {
    /// Adds to the edge of `call`, entering it if it is new; false when the table is full.
    #[inline]
    pub fn add(&mut self, call: CallEdge) -> bool {
        match self.position(call.caller, call.callee, call.line) {
            Some(position) => {
                let edge = &mut self.edges[position];
                edge.calls = edge.calls.saturating_add(call.calls);
                edge.cost = edge.cost.saturating_add(call.cost);
                true
            }
            None => self.insert(call),
        }
    }

    #[inline]
    fn position(&self, caller: FunctionId, callee: FunctionId, line: u64) -> Option<usize> {
        let hash = hash(&self.hasher, caller, callee, line);
        let edges = &self.edges;
        self.index
            .find(hash, |&position| {
                let edge = &edges[position as usize];
                edge.caller == caller && edge.callee == callee && edge.line == line
            })
            .map(|&position| position as usize)
    }

    #[cold]
    fn insert(&mut self, call: CallEdge) -> bool {
        let Some(position) = next_index(self.edges.len()) else {
            return false;
        };
        self.edges.push(call);
        let (edges, hasher) = (&self.edges, &self.hasher);
        self.index.insert_unique(
            hash(hasher, call.caller, call.callee, call.line),
            position,
            |&position| {
                let edge = &edges[position as usize];
                hash(hasher, edge.caller, edge.callee, edge.line)
            },
        );
        true
    }

    pub fn into_edges(self) -> Vec<CallEdge> {
        self.edges
    }
}

#[inline]
fn hash(hasher: &RandomState, caller: FunctionId, callee: FunctionId, line: u64) -> u64 {
    let functions = u64::from(caller.number()) << 32 | u64::from(callee.number());
    hasher.hash_one((functions, line))
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
