//! Functions as a table, for a terminal or a log.

mod calls;
mod lines;

use std::io::Write;
use std::slice;

use self::calls::CallEnd;
use self::lines::{CostliestLines, INDENT, SourceText};
use super::ReportOptions;
use super::figures::line::{TextLine, write_lines};
use super::figures::report::{Columns, Report};
use super::figures::row::Row;
use super::figures::table::TextTable;
use super::figures::{absence, fact};
use crate::compare::Subject;
use crate::compare::{Side, Transition};
use crate::display::numbers::{counted, grouped};
use crate::display::text::printable;
use crate::io::SourceFiles;
use crate::maps::HashSet;
use crate::names::{SHORT, width_of};
pub use crate::output::figures::ReportError;
use crate::output::options::Wanted;
use crate::view::GroupBy;

/// The width to which details are wrapped without a terminal.
const DETAILS_WIDTH: usize = 80;

/// The most calls that are listed because one line repeats them.
const MAX_REPEATED: usize = 5;

/// Writes the command, the totals, and tables of functions, in lines of UTF-8; of a comparison, the
/// totals of both sides and the functions that changed.
///
/// A [requested](ReportOptions::function) function is shown with its callers, its callees and its lines
/// (in a comparison: those in the new profile), and with the source code that `sources` contains.
///
/// Percentages are relative to the total of all self costs. Functions with equal costs are in the
/// order of their numbers. Only printable characters are written, whatever names contain.
///
/// # Errors
///
/// When the output fails, or if no function has the requested name; nothing is written then.
pub fn write<'a>(
    subject: impl Into<Subject<'a>>,
    options: &'a ReportOptions,
    sources: &mut SourceFiles,
    output: impl Write,
) -> Result<(), ReportError> {
    let report = Report::new(subject, options);
    let lines = match &options.function {
        Some(_) => [report.heading(), report.found(sources)?].concat(),
        None => report.top_rows(sources)?,
    };
    Ok(write_lines(lines, options, output)?)
}

impl<'a> Report<'a> {
    /// The costliest rows, or those that changed most.
    fn top_rows(&self, sources: &mut SourceFiles) -> Result<Vec<TextLine>, ReportError> {
        let mut lines = self.heading();
        let found = self.options.wanted(self.names())?;
        let found = found.as_ref().map(Wanted::shown);
        let most = self.options.most(self.len());
        let listed = match found {
            None => self.listed(0..self.len(), most),
            Some(found) => self.listed(found.iter().copied(), most),
        };
        if let Some(words) = &self.options.filter {
            let what = [self.either("", "changed "), self.kind.by.name()].concat();
            let found = self.together(listed.all, &what, &self.columns());
            lines.push(fact(
                "filter",
                &format!("\"{}\" matches {found}", printable(words)),
            ));
        }
        lines.extend(self.top_parts());
        if !listed.rows.is_empty() {
            let source = SourceText::read(sources, self.places(&listed.rows));
            lines.extend(self.detailed_table(&listed.rows, &source));
        }
        let rest = self.rest(&listed, listed.rows.len());
        lines.extend(rest.first().map(|_| TextLine::empty()));
        lines.extend(rest.into_iter().map(TextLine::Plain));
        lines.extend(self.repeated_table(found));
        Ok(lines)
    }

    /// The first calls that lines make repeatedly, after an empty line.
    fn repeated_table(&self, wanted: Option<&[usize]>) -> Vec<TextLine> {
        let calls = self.repeated_calls(wanted);
        let (top, rest) = calls.split_at(self.options.most(calls.len()).min(MAX_REPEATED));
        if top.is_empty() {
            return Vec::new();
        }
        let about = self.about_repeated();
        let headings = ["call", self.either("called at", "")];
        let table = TextTable::new(headings, true, self.kind);
        let table = table.with_headings(self.repeated_headings());
        let table = top.iter().fold(table, |table, calls| {
            let [callee, caller] =
                [&calls.callee, &calls.caller].map(|end| self.short(end, SHORT / 2 - 4));
            let name = format!("{callee}, by {caller}");
            let name = [Some(name.as_str()), calls.absence(self)];
            let name: Vec<&str> = name.into_iter().flatten().collect();
            table.with_line(self.repeated_figures(calls), name.join(", "), &calls.place)
        });
        let mut lines = vec![TextLine::empty(), TextLine::Plain(about.to_owned())];
        lines.extend(self.lines(table).into_iter().skip(1));
        let more = counted(rest.len() as u64, "more repeated call");
        lines.extend((!rest.is_empty()).then_some(TextLine::Plain(more)));
        lines
    }

    /// The table of named parts, if there are any.
    fn top_parts(&self) -> Vec<TextLine> {
        self.top_of(
            ["part", ""],
            &self.parts(),
            "more part",
            &self.part_columns(),
        )
    }

    /// A table of the first rows, if there are any, with a line about the others.
    fn top_of(
        &self,
        headings: [&str; 2],
        rows: &[Row<'_>],
        more: &str,
        columns: &Columns,
    ) -> Vec<TextLine> {
        self.top_of_table(self.table(headings, columns), rows, more, columns)
    }

    fn top_of_table(
        &self,
        table: TextTable<'_>,
        rows: &[Row<'_>],
        more: &str,
        columns: &Columns,
    ) -> Vec<TextLine> {
        let (top, rest) = self.options.split(rows);
        if top.is_empty() {
            return Vec::new();
        }
        let mut lines = self.lines(table.with_rows(top));
        let rest = self.tally(rest, columns);
        let more = (rest.count > 0).then(|| self.together(rest, more, columns));
        lines.extend(more.map(TextLine::Plain));
        lines
    }

    /// The lines of a table. In a log of 80 columns, the figures of a comparison leave less room for
    /// names.
    fn lines(&self, table: TextTable<'_>) -> Vec<TextLine> {
        let aligned = self.comparison.map_or(60, |_| 30);
        table.lines(self.options, aligned)
    }

    /// The functions of a name, each with its callers, callees and lines, after an empty line.
    pub(in crate::output) fn found(
        &self,
        sources: &mut SourceFiles,
    ) -> Result<Vec<TextLine>, ReportError> {
        let Some(Wanted { found, most }) = self.options.wanted(self.names())? else {
            return Ok(Vec::new());
        };
        let most = self.options.most(found.len()).min(most);
        let rest = found.len() - most;
        let top = &self.first_rows(found.into_iter(), most);
        let by_line = |row: &Row<'_>| match self.kind.by {
            GroupBy::Function => row.functions(Side::New),
            _ => Vec::new(),
        };
        let new = &Report::new(self.view, self.options);
        let costs = top.iter().map(|row| {
            let functions = by_line(row).into_iter();
            functions.map(|id| CostliestLines::of(new, id)).collect()
        });
        let costs: Vec<Vec<CostliestLines<'_>>> = costs.collect();
        let places = costs.iter().flatten().flat_map(CostliestLines::places);
        let source = SourceText::read(sources, places.chain(self.places(top)));
        let mut lines = Vec::new();
        if !self.kind.by.groups_functions() {
            lines.extend(self.detailed_table(top, &source));
        } else {
            let mut in_cycles = HashSet::default();
            for (row, costs) in top.iter().zip(costs) {
                lines.extend(self.detailed_table(slice::from_ref(row), &source));
                lines.extend(self.per_call(row).map(TextLine::Plain));
                lines.extend(CallEnd::BOTH.map(|end| self.call_table(row, end)).concat());
                lines.extend(self.cycle(row, &mut in_cycles));
                let above = self.above_lines();
                let tables = costs.into_iter();
                lines.extend(tables.flat_map(|costs| costs.table(new, &source, &above)));
            }
        }
        let more = counted(rest as u64, &format!("more {}", self.kind.by.name()));
        let more = (rest > 0).then(|| format!("{more} found"));
        for line in source.left_out().into_iter().chain(more) {
            lines.extend([TextLine::empty(), TextLine::Plain(line)]);
        }
        Ok(lines)
    }

    /// What is above a table of lines.
    fn above_lines(&self) -> Vec<TextLine> {
        let title = self
            .comparison
            .map(|comparison| match comparison.divisors().new {
                1 => "Lines in the new profile:".to_owned(),
                runs => format!("Lines in the new profile, in {} runs:", grouped(runs)),
            });
        let title = title.map(TextLine::Plain);
        [TextLine::empty()].into_iter().chain(title).collect()
    }

    /// The files and numbers of rows, if rows are lines.
    fn places(&self, rows: &[Row<'a>]) -> impl Iterator<Item = (&'a [u8], u64)> {
        rows.iter().filter_map(|row| self.kind.place(row))
    }

    /// A table of rows with their details, after an empty line. If rows are lines, their source is below
    /// them, as far as it is known.
    fn detailed_table(&self, rows: &[Row<'a>], source: &SourceText<'_>) -> Vec<TextLine> {
        let table = self.function_table().with_below(|row| {
            let place = self.kind.place(row);
            let source = place.and_then(|place| source.below(place));
            self.details(row).into_iter().chain(source).collect()
        });
        self.lines(table.with_rows(rows))
    }

    /// The values of a row of a comparison on both sides, wrapped to the width.
    fn details(&self, row: &Row<'_>) -> Vec<String> {
        let Some(change) = row.change else {
            return Vec::new();
        };
        let values = self.values().into_iter();
        let values = values.map(|of| format!("{} {}", of.name, self.on_sides(row, of.value)));
        let mut items: Vec<String> = values.collect();
        if let Some(word) = absence(change.sums) {
            items[0].insert_str(0, &format!("{word}: "));
        }
        items.extend(change.transition.as_ref().map(Transition::to_string));
        self.wrapped(items)
    }

    /// Items in lines of the width.
    fn wrapped(&self, items: Vec<String>) -> Vec<String> {
        let width = self.options.width.unwrap_or(DETAILS_WIDTH);
        let mut lines: Vec<String> = Vec::new();
        for item in items {
            match lines.last_mut() {
                Some(line) if width_of(line) + width_of(&item) + 2 <= width => {
                    *line += ", ";
                    *line += &item;
                }
                _ => lines.push(INDENT.to_owned() + &item),
            }
        }
        lines
    }
}
