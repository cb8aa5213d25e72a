//! Which line of its caller each call stands on.
//!
//! What calls from one function to another cost on each line is known, but not which of their stacks
//! were entered from which line. So the costliest line takes the stacks as they come, until these
//! cost as much as its calls do, then the next one.

use std::cmp::Reverse;

use super::line_samples::LinePlace;
use crate::maps::IndexMap;
use crate::profile::{Cost, FunctionId, Profile};
use crate::tables::first_cost;

/// The lines of the calls from one function to another, the next one last, each with what may still
/// be put there.
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
            // What cost nothing has no stacks.
            let costly = sites.partition_point(|&(_, cost)| cost <= 0);
            sites.drain(..costly.min(sites.len() - 1));
        }
        CallSites(calls)
    }

    /// How many callers call a function on several lines.
    pub fn divided(&self) -> u64 {
        let divided = self.0.values().filter(|sites| sites.len() > 1);
        divided.count() as u64
    }

    /// The number of the calls from one function to another.
    pub fn find(&self, caller: Option<FunctionId>, callee: Option<FunctionId>) -> Option<usize> {
        self.0.get_index_of(&(caller?, callee?))
    }

    /// Where the next stack is called.
    pub fn place(&self, call: usize) -> Option<LinePlace> {
        self.0[call].last().map(|&(place, _)| place)
    }

    /// What may still be put there, unless there is no other line.
    pub fn room(&self, call: usize) -> Option<Cost> {
        match self.0[call][..] {
            [.., _, (_, room)] => Some(room),
            _ => None,
        }
    }

    /// Puts a cost there. Tells whether the line is full, and another one is next.
    pub fn take(&mut self, call: usize, cost: Cost) -> bool {
        let sites = &mut self.0[call];
        let Some((_, room)) = sites.last_mut().filter(|_| cost > 0) else {
            return false;
        };
        *room = room.saturating_sub(cost);
        *room <= 0 && sites.len() > 1 && sites.pop().is_some()
    }
}
