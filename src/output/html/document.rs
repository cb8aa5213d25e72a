//! The data of the report as one line of JSON, limited to a number of bytes.

use std::io::{self, Write};

use super::costs::SideSums;
use super::data::Data;
use super::functions::{COSTS, NAMES};
use super::groups::POSITION;
use super::start::InitialState;
use super::table::{Budget, DataColumn, DataTable, ends_data, shown};
use super::{PAGE, SCRIPT, STYLE};
use crate::compare::{Side, Sides};
use crate::io::SourceFiles;
use crate::maps::IndexSet;
use crate::output::json::Document;
use crate::output::{Notes, Sort};

/// The version of the JSON layout.
const SCHEMA: u32 = 7;

/// The most bytes of the data, and the part of these that is reserved for the names of columns.
const MAX_BYTES: usize = 8_000_000 - PAGE.len() - STYLE.len() - SCRIPT.len();
const RESERVED: usize = 20_000;

/// The most functions in a report: the browser has to sort and search them at once.
const MAX_FUNCTIONS: usize = 20_000;

impl Data<'_, '_> {
    /// Writes the data as one line of JSON. Each table may use a share of the bytes that are left.
    pub fn write(
        mut self,
        notes: &Notes<'_>,
        start: &InitialState,
        sources: &mut SourceFiles,
        output: &mut dyn Write,
    ) -> io::Result<()> {
        let mut header = Vec::new();
        let mut counted = Document::begin(SCHEMA, false, ends_data, &mut header)?;
        self.write_header(notes, &mut counted)?;
        counted.end()?;
        let mut budget = Budget::new(MAX_BYTES.saturating_sub(RESERVED + header.len()));
        let functions = budget.lend(60, |budget| self.function_table(budget));
        let groups = budget.lend(20, |budget| self.groups(budget));
        let calls = budget.lend(35, |budget| self.calls(budget));
        budget.left += self.reserved;
        let lines = budget.lend(20, |budget| self.lines(sources, budget));
        let places = budget.lend(10, |budget| self.places(budget));
        let source = budget.lend(40, |budget| self.source(sources, budget));
        let optional = |tables: Option<[DataTable; 2]>| match tables {
            Some(tables) => tables.map(Some),
            None => [None, None],
        };
        let [sites, timeline] = optional(budget.lend(30, |budget| self.timeline(budget)));
        let [frames, stacks] = optional(self.stacks(budget.left));
        let mut data = Document::begin(SCHEMA, false, ends_data, output)?;
        self.write_header(notes, &mut data)?;
        start.write(&self, &mut data)?;
        self.write_files(&budget.files, &mut data)?;
        functions.write("functions", &mut data)?;
        data.record("groups", |record| {
            let mut groups = groups.iter();
            groups.try_for_each(|(by, table)| table.write(by.name(), record))
        })?;
        for (name, table) in [
            ("rest", Some(self.rest())),
            ("calls", Some(calls)),
            ("lines", Some(lines)),
            ("places", Some(places)),
            ("source", source),
            ("sites", sites),
            ("timeline", timeline),
            ("frames", frames),
            ("stacks", stacks),
        ] {
            match table {
                Some(table) => table.write(name, &mut data)?,
                None => data.field(name, &())?,
            }
        }
        data.end()
    }

    /// Chooses the costliest functions that fit. Two rows are reserved for the sums of the omitted calls
    /// to and from each, neither of which costs more than the function.
    fn function_table(&mut self, budget: &mut Budget) -> DataTable {
        let places = ["object", "file", "line"].map(DataColumn::Value);
        let report = &self.report;
        let knows_calls = report
            .sides()
            .any(|(_, view)| view.costliest_calls().rows() > 0);
        let costliest = [DataColumn::Cost("costliest_call")];
        let costliest = if knows_calls { &costliest[..] } else { &[] };
        let mut table = report.data_table(&[&COSTS[..], &NAMES, &places, costliest].concat());
        self.functions.choose(MAX_FUNCTIONS, |function| {
            let named = report.named(function);
            let row = table.row().with_costs(report, function);
            let row = row.with_inclusive(report, function);
            let sums = 2 * (row.size() + 20);
            let [object, file] = [named.object, named.file].map(|name| budget.file(name));
            let row = row.with_names(report, function, named.name);
            let mut row = row.file(object).file(file).number(named.line);
            if knows_calls {
                let functions = report.functions(function);
                row = row
                    .costs(&Sides::EACH.map(|side| report.costliest_calls(side, &functions[side])));
            }
            let has_room = budget.take(sums) && row.end_within(budget);
            if has_room {
                self.reserved += sums;
                self.lines_of.push(vec![(file.at, named.line)]);
            }
            has_room
        });
        let cycles = self.cycles();
        let members = cycles.iter().map(Vec::len).sum::<usize>();
        let has_room = budget.take(POSITION * members);
        table.set("cycles", &if has_room { cycles } else { Vec::new() });
        table
    }

    /// The functions in the report that call each other, directly or through others; in a comparison,
    /// none.
    fn cycles(&self) -> Vec<Vec<usize>> {
        if self.report.comparison.is_some() {
            return Vec::new();
        }
        let cycles = self.report.view.cycles().into_iter().map(|cycle| {
            let ranks = cycle.into_iter().map(|id| self.rank(Side::New, id));
            let mut shown: Vec<_> = ranks.filter_map(|of| self.functions.place(of)).collect();
            shown.sort_unstable();
            shown
        });
        cycles.filter(|shown| shown.len() > 1).collect()
    }

    /// Writes the names of files without the source root, and the positions of those outside of it,
    /// which are not linked.
    fn write_files(&self, files: &IndexSet<Vec<u8>>, data: &mut Document<'_>) -> io::Result<()> {
        let options = self.options;
        let names = files.iter();
        let names = names.map(|file| shown(options.within_root(file).unwrap_or(file)));
        data.field("files", &names.collect::<Vec<_>>())?;
        let is_outside = |file: &[u8]| {
            options.source_root.is_some()
                && is_absolute(file)
                && options.within_root(file).is_none()
        };
        let outside = (0..).zip(files).filter(|(_, file)| is_outside(file));
        data.field("outside", &outside.map(|(at, _)| at).collect::<Vec<u32>>())
    }

    /// The sums of the functions that were omitted, and for each event how many of these changed.
    fn rest(&self) -> DataTable {
        let mut sums = SideSums::default();
        let mut changed = vec![0_u64; self.report.known_events().len()];
        for &function in self.functions.omitted() {
            let own = self.report.costs(function, Sort::SelfCost);
            for (event, changed) in changed.iter_mut().enumerate() {
                let Sides { base, new } = own.as_ref().map(|own| own.get(event).unwrap_or(&0));
                *changed += u64::from(self.report.comparison.is_some() && base != new);
            }
            for side in Sides::EACH {
                sums.add(side, 0, own[side].iter().copied());
            }
        }
        let mut table = self.report.data_table(&[DataColumn::Cost("self")]);
        table.row().costs(&sums.costs).end();
        table.set("functions", &self.functions.omitted().len());
        table.set("changed", &changed);
        table
    }
}

/// Whether the path of a file is absolute, on Unix or on Windows.
fn is_absolute(file: &[u8]) -> bool {
    file.starts_with(b"/") || matches!(file, [b'A'..=b'Z' | b'a'..=b'z', b':', ..])
}
