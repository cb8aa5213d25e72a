//! The calls of the report: the costliest that fit, and the sums of the others by caller and by callee.

use std::collections::BTreeMap;

use indexmap::IndexMap;

use super::costs::SideSums;
use super::data::Data;
use super::table::{Room, Table, WholeNumber, by_share, position};
use crate::compare::Sides;

/// The column that marks calls as part of a recursion: 1 for that of the callee, 2 for that of the
/// caller, 3 for both.
const RECURSIVE: &str = "recursive";

/// A call site: caller and callee as indices of functions, file and line.
type Site<'a> = ([usize; 2], &'a [u8], u64);

impl<'a> Data<'a, '_> {
    pub fn calls(&mut self, room: &mut Room) -> Table {
        let sites = self.sites();
        let places = |site: &Site<'_>| site.0.map(|index| self.functions.place(index));
        let shares: Vec<f64> = sites
            .iter()
            .map(|(site, (sums, _))| match places(site) {
                [Some(_), Some(_)] => self.costs.share_of_sides(&sums.costs),
                _ => f64::NEG_INFINITY,
            })
            .collect();
        let numbers = ["caller", "callee", "file", "line", "calls", "base_calls"];
        let numbers = &numbers[..4 + self.costs.sides().len()];
        let table = self.costs.table(numbers, &["cost", "base_cost"]);
        let mut table = table.with_digits(RECURSIVE);
        let mut rest: BTreeMap<[Option<usize>; 2], SideSums> = BTreeMap::new();
        let mut is_full = false;
        for index in by_share(&shares) {
            let Some((&(ends, file, line), (sums, recursive))) = sites.get_index(index) else {
                continue;
            };
            let [caller, callee] = ends.map(|end| self.functions.place(end));
            if let (Some(caller), Some(callee), false) = (caller, callee, is_full) {
                let size = self.files.size(file);
                let at = self.files.place(file);
                let numbers = call_numbers([Some(caller), Some(callee)], Some(at), line, sums);
                let row = self.costs.row(numbers, sums, *recursive);
                if room.take(table.size(&row) + size) {
                    self.lines_of[caller].push((at, line));
                    table.push(&row);
                    continue;
                }
                is_full = true;
            }
            for ends in [[caller, None], [None, callee]] {
                if ends != [None, None] {
                    rest.entry(ends).or_default().add_all(sums);
                }
            }
        }
        for (ends, sums) in rest {
            let row = self.costs.row(call_numbers(ends, None, 0, &sums), &sums, 0);
            self.reserved = self.reserved.saturating_sub(table.size(&row));
            table.push(&row);
        }
        table
    }

    /// The sums of all call sites of both sides, and their digits in the column [`RECURSIVE`].
    fn sites(&self) -> IndexMap<Site<'a>, (SideSums, u8)> {
        let mut sites: IndexMap<Site<'a>, (SideSums, u8)> = IndexMap::new();
        for &side in self.costs.sides().iter().rev() {
            let profile = self.costs.profile(side);
            for edge in profile.edges() {
                let ends = [edge.caller, edge.callee].map(|id| self.functions.index(side, id));
                let site = (ends, profile.call_file(&edge), edge.line);
                let recurs = |of| u8::from(ends[0] == ends[1] || profile.is_recursive(&edge, of));
                let recursive = || recurs(edge.callee) + 2 * recurs(edge.caller);
                let (sums, _) = sites
                    .entry(site)
                    .or_insert_with(|| (SideSums::default(), recursive()));
                sums.add(
                    side,
                    edge.calls.into(),
                    self.costs.scaled(side, edge.costs()),
                );
            }
        }
        sites
    }
}

fn call_numbers(
    ends: [Option<usize>; 2],
    file: Option<usize>,
    line: u64,
    sums: &SideSums,
) -> Vec<WholeNumber> {
    let [caller, callee] = ends.map(position);
    let Sides { base, new } = sums.counts.map(WholeNumber);
    vec![caller, callee, position(file), line.into(), new, base]
}
