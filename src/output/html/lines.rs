//! The costs of lines: of each function, and of the whole program.

use std::collections::{BTreeSet, HashMap};
use std::io;

use indexmap::IndexMap;

use super::costs::SideSums;
use super::data::Data;
use super::table::{Room, Table, TableRow, WholeNumber, by_share, position};
use crate::compare::Side;
use crate::io::SourceFiles;
use crate::output::json::Document;
use crate::profile::{Cost, ProfileKind};

/// A line of a file.
type FileLine<'a> = (&'a [u8], u64);

/// The self costs of functions by line.
pub(super) struct FunctionLines {
    table: Table,
    /// The functions whose lines are compared, and the files whose text is the same on both sides:
    /// only lines of these are compared.
    compared: Vec<usize>,
    same: BTreeSet<usize>,
    /// The number of functions whose lines were omitted.
    omitted: usize,
}

impl FunctionLines {
    pub fn write(&self, record: &mut Document<'_>) -> io::Result<()> {
        self.table.write(record)?;
        record.field("compared", &self.compared)?;
        record.field("same", &self.same)?;
        record.field("omitted", &self.omitted)
    }
}

/// The most lines in the list of the whole program.
const MAX_PLACES: usize = 2_000;

/// The costliest lines of the whole program; for traces, the lines with the costliest calls.
pub(super) struct ProgramLines {
    table: Table,
    omitted: usize,
}

impl ProgramLines {
    pub fn write(&self, record: &mut Document<'_>) -> io::Result<()> {
        self.table.write(record)?;
        record.field("omitted", &self.omitted)
    }
}

/// The costs of a line, and for each event the largest part with its function.
#[derive(Default)]
struct LineSums {
    sums: SideSums,
    largest: Vec<(i128, usize)>,
}

impl<'a> Data<'a, '_> {
    fn is_trace(&self) -> bool {
        self.costs.profile(Side::New).kind() == ProfileKind::Trace
    }

    /// The self costs by line of the costliest functions that fit. Traces have none.
    pub fn lines(&mut self, sources: &mut SourceFiles, room: &mut Room) -> FunctionLines {
        let mut lines = FunctionLines {
            table: (self.costs).table(&["function", "file", "line"], &["self", "base"]),
            compared: Vec::new(),
            same: BTreeSet::new(),
            omitted: 0,
        };
        if self.is_trace() {
            return lines;
        }
        // Only lines of files with the same text can be compared.
        let mut texts = HashMap::new();
        let mut is_same = |file| {
            *texts.entry(file).or_insert_with(|| {
                let read = sources.read(file, &BTreeSet::new(), |_, _| {});
                read.is_ok_and(|file| file.is_same_for_base)
            })
        };
        let shown: Vec<usize> = (0..self.functions.all.len())
            .filter(|&index| self.functions.place(index).is_some())
            .collect();
        for at in self.functions.order.clone() {
            let mut rows = self.line_sums(Side::New, shown[at]);
            let mut same = BTreeSet::new();
            if self.compared.is_some() {
                let base = self.line_sums(Side::Base, shown[at]);
                let is_both = !rows.is_empty() && !base.is_empty();
                let files = rows.keys().chain(base.keys()).map(|&(file, _)| file);
                same = files.filter(|&file| is_both && is_same(file)).collect();
                for (place, sums) in base {
                    if same.contains(place.0) || !is_both {
                        rows.entry(place).or_default().costs.base = sums.costs.base.clone();
                    }
                }
            }
            let files: BTreeSet<&[u8]> = rows.keys().map(|&(file, _)| file).collect();
            let new_files: usize = files.into_iter().map(|file| self.files.size(file)).sum();
            let rows: Vec<(FileLine<'a>, TableRow)> = rows
                .into_iter()
                .map(|(place, sums)| {
                    // No position has more digits.
                    let numbers = vec![position(at), position(99_999), place.1.into()];
                    (place, self.costs.row(numbers, &sums, 0))
                })
                .collect();
            let size: usize = rows.iter().map(|(_, row)| lines.table.size(row)).sum();
            if !room.take(size + new_files) {
                lines.omitted += 1;
                continue;
            }
            lines.compared.extend((!same.is_empty()).then_some(at));
            lines
                .same
                .extend(same.into_iter().map(|file| self.files.place(file)));
            for ((file, line), mut row) in rows {
                let file = self.files.place(file);
                self.lines_of[at].push((file, line));
                row.numbers[1] = position(file);
                lines.table.push(&row);
            }
        }
        lines
    }

    /// The costs of a function on one side by file and line. Line 0 means that the line is unknown.
    fn line_sums(&self, side: Side, function: usize) -> IndexMap<FileLine<'a>, SideSums> {
        let profile = self.costs.profile(side);
        let mut rows: IndexMap<FileLine<'a>, SideSums> = IndexMap::new();
        for &id in &self.functions.all[function].ids[side] {
            let file = profile.function(id).file;
            for line in profile.lines(id) {
                let file = profile.name(line.file.unwrap_or(file));
                let sums = rows.entry((file, line.line)).or_default();
                sums.add(side, 0, self.costs.scaled(side, line.costs));
            }
        }
        rows
    }

    /// The costliest lines of the whole program that fit, by self cost or, in traces, by the cost of
    /// their calls.
    pub fn places(&mut self, room: &mut Room) -> ProgramLines {
        let mut places: IndexMap<FileLine<'a>, LineSums> = IndexMap::new();
        let mut add = |place, function, count: i128, costs: &[Cost]| {
            let costs: Vec<i128> = self.costs.scaled(Side::New, costs).collect();
            let of: &mut LineSums = places.entry(place).or_default();
            of.largest.resize(costs.len(), (0, function));
            for (largest, cost) in of.largest.iter_mut().zip(&costs) {
                if cost.abs() > largest.0 {
                    *largest = (cost.abs(), function);
                }
            }
            of.sums.add(Side::New, count, costs);
        };
        let profile = self.costs.profile(Side::New);
        if self.is_trace() {
            for edge in profile.edges() {
                let callee = self.functions.index(Side::New, edge.callee);
                let place = (profile.call_file(&edge), edge.line);
                add(place, callee, edge.calls.into(), edge.costs());
            }
        } else {
            for (function, of) in self.functions.all.iter().enumerate() {
                for &id in &of.ids.new {
                    for line in profile.lines(id) {
                        let file = profile.name(line.file.unwrap_or(profile.function(id).file));
                        add((file, line.line), function, 0, line.costs);
                    }
                }
            }
        }
        let shares = places
            .values()
            .map(|of| self.costs.share(&of.sums.costs.new));
        let shares: Vec<f64> = shares.collect();
        let mut table = Table::new(
            &["file", "line", "calls"],
            &["cost", "function"],
            self.costs.totals.len(),
        );
        for index in by_share(&shares).into_iter().take(MAX_PLACES) {
            let Some((&(file, line), of)) = places.get_index(index) else {
                continue;
            };
            let size = self.files.size(file);
            let functions = of.largest.iter();
            let functions = functions.map(|&(_, of)| position(self.functions.place(of)).0);
            let calls = WholeNumber(of.sums.counts.new);
            let costs = self.costs.per_run(Side::New, of.sums.costs.new.clone());
            let row = TableRow {
                numbers: vec![position(self.files.place(file)), line.into(), calls],
                costs: vec![costs, functions.collect()],
                digit: 0,
            };
            if !room.take(table.size(&row) + size) {
                break;
            }
            table.push(&row);
        }
        ProgramLines {
            omitted: places.len() - table.rows(),
            table,
        }
    }
}
