//! The costs of lines: of each function, and of the whole program.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::costs::SideSums;
use super::data::Data;
use super::functions::{COSTS, RankedRows};
use super::groups::POSITION;
use super::table::{Budget, DataColumn, DataTable, TableEnd, WholeNumber, position};
use crate::compare::{Side, Sides};
use crate::io::SourceFiles;
use crate::maps::{HashMap, HashSet, IndexMap};
use crate::names::Named;
use crate::output::figures::report::Report;
use crate::profile::{Cost, FunctionId, Kind};
use crate::view::GroupBy;

/// A line of a file.
type FileLine<'a> = (&'a [u8], u64);

/// The most lines in the list of the whole program.
const MAX_PLACES: usize = 2_000;

impl<'a> Data<'a, '_> {
    /// The self costs by line of the costliest functions that fit. Traces have none. Beside them, there
    /// are the functions whose lines are compared, the files whose text is the same on both sides (only
    /// lines of these are compared), and the number of functions that were omitted.
    pub fn lines(&mut self, sources: &mut SourceFiles, budget: &mut Budget) -> DataTable {
        let columns = ["function", "file", "line"].map(DataColumn::Value);
        let columns = [&columns[..], &[DataColumn::Cost("self")]].concat();
        let mut table = self.report.data_table(&columns);
        let (mut compared, mut same_files, mut omitted) = (Vec::new(), BTreeSet::new(), 0);
        let is_trace = self.report.view.profile().kind() == Some(Kind::Trace);
        // Only lines of files with the same text can be compared. What is read is the new file, which tells
        // nothing of one that the base has elsewhere.
        let of_base = self.files_of_base();
        let mut texts = HashMap::default();
        let mut is_same = |file| {
            *texts.entry(file).or_insert_with(|| {
                if !of_base.contains(file) {
                    return false;
                }
                let read = sources.read(file, &BTreeSet::new(), |_, _| {});
                read.is_ok_and(|file| file.is_same_for_base)
            })
        };
        let mut before = TableEnd::default();
        for at in (0..self.functions.shown().len()).filter(|_| !is_trace) {
            let (sums, same) = self.line_sums(at, &mut is_same);
            let known_files = budget.files.len();
            table.save_end(&mut before);
            let (mut places, mut size) = (Vec::new(), 0);
            for ((file, line), sums) in sums {
                let file = budget.file(file);
                places.push((file.at, line));
                let row = table.row().position(at).file(file).number(line);
                size += row.costs(&self.report.per_run(&sums.costs)).end();
            }
            if !budget.take(size) {
                table.cut(&before);
                budget.files.truncate(known_files);
                omitted += 1;
                continue;
            }
            self.lines_of[at].extend(places);
            compared.extend((!same.is_empty()).then_some(at));
            same_files.extend(same.into_iter().map(|file| budget.file(file).at));
        }
        table.set("compared", &compared);
        table.set("same", &same_files);
        table.set("omitted", &omitted);
        table
    }

    /// The files of the lines of the base.
    fn files_of_base(&self) -> HashSet<&'a [u8]> {
        let mut sides = self.report.sides();
        let base = sides.find_map(|(side, view)| (side == Side::Base).then_some(view));
        let functions = base.into_iter().flat_map(|base| {
            let functions = base.functions();
            functions.map(move |(id, function)| (base, id, function.file))
        });
        let files = functions.flat_map(|(base, id, file)| {
            let lines = base.lines(id);
            lines.map(move |line| base.name(line.file.unwrap_or(file)))
        });
        files.collect()
    }

    /// The costs of a function by file and line, where line 0 means that the line is unknown, and the
    /// files whose lines are compared.
    fn line_sums(
        &self,
        function: usize,
        mut is_same: impl FnMut(&'a [u8]) -> bool,
    ) -> (IndexMap<FileLine<'a>, SideSums>, BTreeSet<&'a [u8]>) {
        let mut rows: Sides<IndexMap<FileLine<'a>, SideSums>> = Sides::default();
        for (side, profile) in self.report.sides().rev() {
            for id in self.report.functions(self.functions.all[function])[side]
                .iter()
                .copied()
            {
                let file = profile.function(id).file;
                for line in profile.lines(id) {
                    let file = profile.name(line.file.unwrap_or(file));
                    let sums = rows[side].entry((file, line.line)).or_default();
                    sums.add(side, 0, self.report.scaled(side, line.costs));
                }
            }
        }
        let Sides { base, mut new } = rows;
        if base.is_empty() || new.is_empty() {
            new.extend(base);
            return (new, BTreeSet::new());
        }
        let files = new.keys().chain(base.keys()).map(|&(file, _)| file);
        let files: BTreeSet<&[u8]> = files.collect();
        let same: BTreeSet<&[u8]> = files.into_iter().filter(|&file| is_same(file)).collect();
        for (line, sums) in base
            .into_iter()
            .filter(|((file, _), _)| same.contains(file))
        {
            new.entry(line).or_default().add_all(&sums);
        }
        (new, same)
    }

    /// The costliest lines of the whole program that fit, by self cost or, if all sides are traces, by
    /// the cost of their calls.
    pub fn places(&self, budget: &mut Budget) -> DataTable {
        let mut kinds = self
            .report
            .sides()
            .rev()
            .map(|(_, view)| view.profile().kind());
        let are_calls = kinds.all(|kind| kind == Some(Kind::Trace));
        let columns = [&COSTS[..], &["file", "line"].map(DataColumn::Value)].concat();
        let mut table = self.report.data_table(&columns);
        table.set("are_calls", &are_calls);
        let Ok(groups) = self.views.by(GroupBy::Line) else {
            return table;
        };
        let report = &Report::new(groups.subject(), &self.options.report);
        let mut lines = RankedRows::new(report);
        let functions = POSITION * report.known_events().len();
        lines.choose(MAX_PLACES, |line| {
            let Named {
                file, line: number, ..
            } = report.named(line);
            let row = table.row().with_costs(report, line);
            let row = row.file(budget.file(file)).number(number);
            budget.take(functions) && row.end_within(budget)
        });
        let mut rows = HashMap::default();
        for (at, &line) in lines.shown().iter().enumerate() {
            for (side, ids) in Sides::EACH.zip(report.functions(line)) {
                for id in ids {
                    let Named { file, line, .. } = report.on(side).named(id);
                    rows.insert((file, line), at);
                }
            }
        }
        table.set("function", &self.costliest_functions(are_calls, &rows));
        table.set("omitted", &lines.omitted().len());
        table
    }

    /// For each event, and each of the `rows` with these lines, the function with the largest part of
    /// its self cost, or the callee with the largest part of the calls made there.
    fn costliest_functions(
        &self,
        are_calls: bool,
        rows: &HashMap<FileLine<'_>, usize>,
    ) -> Vec<Vec<WholeNumber>> {
        // By row and function.
        let mut parts: HashMap<(usize, usize), SideSums> = HashMap::default();
        for (side, profile) in self.report.sides() {
            let mut add = |line: FileLine<'_>, id: FunctionId, costs: &[Cost]| {
                let Some(&row) = rows.get(&line) else { return };
                let part = parts.entry((row, self.rank(side, id))).or_default();
                part.add(side, 0, self.report.scaled(side, costs));
            };
            if are_calls {
                for edge in profile.edges() {
                    let line = (profile.call_file(&edge), edge.line);
                    add(line, edge.callee, edge.costs());
                }
                continue;
            }
            for (id, function) in profile.functions() {
                for line in profile.lines(id) {
                    let file = profile.name(line.file.unwrap_or(function.file));
                    add((file, line.line), id, line.costs);
                }
            }
        }
        let count = rows.values().max().map_or(0, |last| last + 1);
        let mut largest = vec![vec![None; count]; self.report.known_events().len()];
        for ((row, function), sums) in &parts {
            let name = self.report.named(self.functions.all[*function]).name;
            for side in Sides::EACH {
                for (largest, cost) in largest.iter_mut().zip(&sums.costs[side]) {
                    // Parts of the new side are larger; of equal ones, that of the first by name is.
                    let part = (side == Side::New, cost.unsigned_abs());
                    let part = Some((part, Reverse((name, *function))));
                    largest[*row] = largest[*row].max(part);
                }
            }
        }
        let place = |part: Option<(_, Reverse<(_, usize)>)>| {
            let function = part.map(|(_, Reverse((_, function)))| function);
            position(function.and_then(|function| self.functions.place(function)))
        };
        let events = largest.into_iter();
        events
            .map(|parts| parts.into_iter().map(place).collect())
            .collect()
    }
}
