//! The lines of callers in stacks.
//!
//! If a function calls another one on several lines, the cost of the calls on each line is known, but
//! not the stacks that they belong to. So the costliest line takes stacks in their order until they
//! cost as much as its calls, then the next line does.

use std::cmp::Reverse;

use super::line_samples::LinePlace;
use crate::maps::IndexMap;
use crate::profile::{Cost, FunctionId, Profile};
use crate::tables::first_cost;

/// The lines of the calls from one function to another, each with the cost that it can still take. The
/// current line is the last one.
type Sites = Vec<(LinePlace, Cost)>;

/// All calls, by caller and callee.
pub(super) struct CallSites(IndexMap<(FunctionId, FunctionId), Sites>);

impl CallSites {
    pub fn new(profile: &Profile) -> Self {
        let mut calls: IndexMap<_, Sites> = IndexMap::default();
        for edge in profile.edges() {
            let sites = calls.entry((edge.caller, edge.callee)).or_default();
            sites.push(((edge.file(), edge.line), first_cost(edge.costs())));
        }
        let name = |file: Option<_>| file.map(|file| profile.name(file));
        for sites in calls.values_mut() {
            sites.sort_by_key(|&((file, line), cost)| (cost, Reverse((name(file), line))));
            // Calls without cost have no stacks. One line must remain.
            let costly = sites.partition_point(|&(_, cost)| cost <= 0);
            sites.drain(..costly.min(sites.len() - 1));
        }
        CallSites(calls)
    }

    /// The number of pairs of functions with calls on several lines.
    pub fn divided(&self) -> u64 {
        let divided = self.0.values().filter(|sites| sites.len() > 1);
        divided.count() as u64
    }

    /// The position of the calls from one function to another.
    pub fn find(&self, caller: Option<FunctionId>, callee: Option<FunctionId>) -> Option<usize> {
        self.0.get_index_of(&(caller?, callee?))
    }

    /// The current line of calls.
    pub fn place(&self, call: usize) -> Option<LinePlace> {
        self.0[call].last().map(|&(place, _)| place)
    }

    /// The cost that the current line can still take; `None` if there is no other line.
    pub fn room(&self, call: usize) -> Option<Cost> {
        match self.0[call][..] {
            [.., _, (_, room)] => Some(room),
            _ => None,
        }
    }

    /// Adds a cost to the current line. If the line is full, goes to the next one and returns true.
    pub fn take(&mut self, call: usize, cost: Cost) -> bool {
        let sites = &mut self.0[call];
        let Some((_, room)) = sites.last_mut().filter(|_| cost > 0) else {
            return false;
        };
        *room = room.saturating_sub(cost);
        *room <= 0 && sites.len() > 1 && sites.pop().is_some()
    }
}
