//! The calls of the report: the costliest that fit, and the sums of the others by caller and by callee.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::costs::SideSums;
use super::data::Data;
use super::table::{Budget, DataColumn, DataRow, DataTable};
use crate::compare::moved_files;
use crate::maps::IndexMap;

/// The last column marks calls as part of a recursion: 1 for that of the callee, 2 for that of the
/// caller, 3 for both.
const COLUMNS: [DataColumn; 7] = [
    DataColumn::Value("caller"),
    DataColumn::Value("callee"),
    DataColumn::Count("calls"),
    DataColumn::Cost("cost"),
    DataColumn::Value("file"),
    DataColumn::Value("line"),
    DataColumn::Digit("recursive"),
];

/// A call site: caller and callee as indices of functions, file and line.
type Site<'a> = ([usize; 2], &'a [u8], u64);

impl<'a> Data<'a, '_> {
    /// The calls, with the sums of those that were omitted, for which bytes are reserved.
    pub fn calls(&mut self, budget: &mut Budget) -> DataTable {
        let mut sites: Vec<_> = self.sites().into_iter().collect();
        let is_shown = |&([caller, callee], ..): &Site<'_>| {
            let places = [caller, callee].map(|end| self.functions.place(end));
            places.iter().all(Option::is_some)
        };
        sites.sort_by_cached_key(|(site, (sums, _))| {
            Reverse(is_shown(site).then(|| self.report.share_of_sums(sums)))
        });
        let mut table = self.report.data_table(&COLUMNS);
        let mut omitted: BTreeMap<[Option<usize>; 2], SideSums> = BTreeMap::new();
        let mut is_full = false;
        for ((ends, file, line), (sums, recursive)) in sites {
            let [caller, callee] = ends.map(|end| self.functions.place(end));
            if let (Some(at), Some(_), false) = (caller, callee, is_full) {
                let file = budget.file(file);
                let row = self.call_row(table.row(), [caller, callee], &sums);
                let row = row.file(file).number(line).number(recursive);
                if row.end_within(budget) {
                    self.lines_of[at].push((file.at, line));
                    continue;
                }
                is_full = true;
            }
            for ends in [[caller, None], [None, callee]] {
                if ends != [None, None] {
                    omitted.entry(ends).or_default().add_all(&sums);
                }
            }
        }
        for (ends, sums) in omitted {
            let row = self.call_row(table.row(), ends, &sums);
            let size = row.position(None).number(0).number(0).end();
            self.reserved = self.reserved.saturating_sub(size);
        }
        table
    }

    /// Adds the first values of a row.
    fn call_row<'t>(
        &self,
        row: DataRow<'t>,
        [caller, callee]: [Option<usize>; 2],
        sums: &SideSums,
    ) -> DataRow<'t> {
        let costs = self.report.per_run(&sums.costs);
        let row = row.position(caller).position(callee);
        row.counts(sums.counts).costs(&costs)
    }

    /// The sums of all call sites of both sides, and their digits in the last column.
    fn sites(&self) -> IndexMap<Site<'a>, (SideSums, u8)> {
        let mut sites: IndexMap<Site<'a>, (SideSums, u8)> = IndexMap::default();
        let comparison = self.report.comparison;
        let moved = comparison.map(|comparison| moved_files(comparison.views.as_ref()));
        for (side, profile) in self.report.sides().rev() {
            for edge in profile.edges() {
                let ends = [edge.caller, edge.callee].map(|id| self.rank(side, id));
                let file = profile.call_file(&edge);
                let file = moved
                    .as_ref()
                    .map_or(file, |moved| moved.in_new(side, file));
                let site = (ends, file, edge.line);
                let recurs = |of| u8::from(ends[0] == ends[1] || profile.is_recursive(&edge, of));
                let recursive = || recurs(edge.callee) + 2 * recurs(edge.caller);
                let (sums, _) = sites
                    .entry(site)
                    .or_insert_with(|| (SideSums::default(), recursive()));
                sums.add(
                    side,
                    edge.calls.into(),
                    self.report.scaled(side, &profile.edge_costs(&edge)),
                );
            }
        }
        sites
    }
}
