//! The cycles of calls within several call graphs, which rows can share.

use crate::maps::HashMap;
use crate::profile::FunctionId;

/// The cycles of calls in each of several call graphs. There, a row that calls itself is one, too.
#[derive(Clone, Debug, Default)]
pub(super) struct GraphCycles {
    members: Vec<Vec<FunctionId>>,
    /// By row: its cycles, sorted, and whether it may have been called there while it was already
    /// running.
    of: HashMap<FunctionId, Vec<(usize, bool)>>,
}

impl GraphCycles {
    /// Adds a cycle: its rows, and whether these may have been called while they were running.
    pub fn push(&mut self, rows: impl Iterator<Item = (FunctionId, bool)>) {
        let cycle = self.members.len();
        let mut members = Vec::new();
        for (row, is_nested) in rows {
            members.push(row);
            self.of.entry(row).or_default().push((cycle, is_nested));
        }
        self.members.push(members);
    }

    /// Whether calls between two rows are part of the recursion of `row`, which is one of them.
    pub fn are_recursive(&self, [caller, callee]: [FunctionId; 2], row: FunctionId) -> bool {
        let cycles = |row| self.of.get(&row).map_or(&[][..], Vec::as_slice);
        let other = cycles(if row == caller { callee } else { caller });
        let has = |cycle| {
            other
                .binary_search_by_key(&cycle, |&(cycle, _)| cycle)
                .is_ok()
        };
        let mut own = cycles(row).iter();
        own.any(|&(cycle, is_nested)| is_nested && has(cycle))
    }

    /// The rows in a cycle with a row, sorted. None if these are not several.
    pub fn with(&self, row: FunctionId) -> Vec<FunctionId> {
        let cycles = self.of.get(&row).into_iter().flatten();
        let cycles = cycles.map(|&(cycle, _)| &self.members[cycle]);
        let several = cycles.filter(|members| members.len() > 1);
        let mut members: Vec<FunctionId> = several.flatten().copied().collect();
        members.sort_unstable();
        members.dedup();
        members
    }

    /// The cycles of several rows.
    pub fn of_several(&self) -> Vec<Vec<FunctionId>> {
        let cycles = self.members.iter();
        cycles.filter(|cycle| cycle.len() > 1).cloned().collect()
    }

    /// The same with other numbers of rows, and without rows that have none.
    pub fn renumbered(&self, number: impl Fn(FunctionId) -> Option<FunctionId>) -> Self {
        let mut renumbered = GraphCycles::default();
        for (cycle, members) in self.members.iter().enumerate() {
            let is_nested = |row: FunctionId| self.of[&row].contains(&(cycle, true));
            let rows = members.iter();
            renumbered.push(rows.filter_map(|&row| Some((number(row)?, is_nested(row)))));
        }
        renumbered
    }
}
