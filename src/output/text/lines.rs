//! The lines of a function with their costs and, if it can be read, their source.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::display::numbers::counted;
use crate::display::text::printable;
use crate::io::SourceFiles;
use crate::maps::HashMap;
use crate::names::Named;
use crate::output::Sort;
use crate::output::figures::line::TextLine;
use crate::output::figures::report::{Column, Columns, Report};
use crate::output::figures::row::Row;
use crate::profile::{FunctionId, Kind, NameId};
use crate::tables::first_cost;
use crate::view::CallsBy;

/// The indentation of lines that belong to the row above.
pub(super) const INDENT: &str = "    ";

/// The blanks that replace a tab.
const TAB: &str = "    ";

/// The cost of the calls on a line.
const CALLS_COST: Column = Column::new(Sort::Inclusive, ["calls cost", "", "cost of calls"]);

const TRACE_NOTE: &str = "A trace records no self costs of lines, only what they call.";

/// The most bytes of source in a report.
const MAX_SOURCE: usize = 16 << 20;

/// The source of lines.
#[derive(Default)]
pub(super) struct SourceText<'a> {
    lines: HashMap<(&'a [u8], u64), String>,
    /// The number of omitted lines, because there is no room for them.
    left_out: u64,
}

impl<'a> SourceText<'a> {
    /// Reads the source of all lines of a report at once, so that each file is read once.
    pub fn read(files: &mut SourceFiles, places: impl Iterator<Item = (&'a [u8], u64)>) -> Self {
        let mut wanted: BTreeMap<&[u8], BTreeSet<u64>> = BTreeMap::new();
        for (file, number) in places {
            wanted.entry(file).or_default().insert(number);
        }
        let mut source = SourceText::default();
        let mut room = MAX_SOURCE;
        for (file, numbers) in wanted {
            let (mut found, mut left, mut left_out) = (Vec::new(), room, 0);
            let outcome = files.read(file, &numbers, |number, text| {
                match left.checked_sub(text.len()) {
                    Some(rest) => left = rest,
                    None => return left_out += 1,
                }
                let text = printable(text.replace('\t', TAB).as_bytes());
                found.push(((file, number), text));
            });
            if outcome.is_ok() {
                source.lines.extend(found);
                source.left_out += left_out;
                room = left;
            }
        }
        source
    }

    /// The source of a line, as a line below its row.
    pub fn below(&self, place: (&[u8], u64)) -> Option<String> {
        let text = self.lines.get(&place)?;
        Some(format!("{INDENT}{}", text.trim_start()))
    }

    /// The note about omitted lines, if there are any.
    pub fn left_out(&self) -> Option<String> {
        let lines = counted(self.left_out, "line");
        (self.left_out > 0).then(|| format!("source of {lines} omitted"))
    }
}

/// The file and number of a line. Lines in the function's own file come first: the flag says whether
/// it is another one.
type LineOrder<'a> = (bool, &'a [u8], u64);

/// The costliest lines of a function.
pub(super) struct CostliestLines<'a> {
    own_file: &'a [u8],
    /// The lines; their inclusive costs are those of their calls.
    lines: BTreeMap<LineOrder<'a>, Row<'a>>,
    rest: Vec<Row<'a>>,
}

impl<'a> CostliestLines<'a> {
    pub fn of(report: &Report<'a>, id: FunctionId) -> Self {
        let own = report.view.named(id);
        let mut lines: Vec<_> = all_lines(report, id).into_iter().collect();
        lines.sort_by_key(|(_, row)| {
            Reverse(row.change(Sort::SelfCost) + row.change(Sort::Inclusive))
        });
        let rest = lines.split_off(report.options.most(lines.len()));
        let mut lines = BTreeMap::from_iter(lines);
        if is_trace(report) {
            // The line of the function itself, which is only shown with its source.
            lines.entry((false, own.file, own.line)).or_default();
        }
        CostliestLines {
            own_file: own.file,
            lines,
            rest: rest.into_iter().map(|(_, row)| row).collect(),
        }
    }

    /// The files and numbers of the lines.
    pub fn places(&self) -> impl Iterator<Item = (&'a [u8], u64)> {
        self.lines.keys().map(|&(_, file, number)| (file, number))
    }

    /// A table of the lines, sorted by number, after the lines `above`. There is no table if all costs
    /// are on one line without source. In a trace, only calls have lines.
    pub fn table(
        mut self,
        report: &Report<'a>,
        source: &SourceText<'_>,
        above: &[TextLine],
    ) -> Vec<TextLine> {
        let source = |key: &LineOrder<'_>| source.lines.get(&(key.1, key.2)).cloned();
        self.lines
            .retain(|key, row| row.sums.new.is_some() || source(key).is_some());
        let has_source = self.lines.keys().any(|key| source(key).is_some());
        if self.lines.len() + self.rest.len() < 2 && !has_source {
            return Vec::new();
        }
        let (is_trace, columns) = (is_trace(report), columns(report));
        let headings = [&*printable(self.own_file), ""];
        let table = report.table(headings, &columns);
        let mut table = table.with("line", |row| row.named.line.to_string());
        let (mut last, mut next) = ((false, self.own_file), None);
        for (key, row) in self.lines {
            let (is_other, file, number) = key;
            if last != (is_other, file) {
                table.add_text(printable(file), "");
            } else if next.is_some_and(|next| next != number) {
                table.add_text(String::new(), "…");
            }
            let text = source(&key).unwrap_or_default();
            if row.sums.new.is_none() {
                table.add_text(text, &number.to_string());
            } else {
                let named = Named {
                    line: number,
                    ..Named::default()
                };
                table.add(&Row {
                    named,
                    text: Some(text),
                    ..row
                });
            }
            (last, next) = ((is_other, file), number.checked_add(1));
        }
        let mut lines = above.to_vec();
        lines.extend(table.joined());
        if !self.rest.is_empty() {
            let rest = report.tally(&self.rest, &columns);
            let rest = report.together(rest, "more line", &columns);
            lines.push(TextLine::Plain(rest));
        }
        lines.extend(is_trace.then(|| TextLine::Plain(TRACE_NOTE.to_owned())));
        lines
    }
}

fn is_trace(report: &Report<'_>) -> bool {
    report.view.profile().kind() == Some(Kind::Trace)
}

fn columns(report: &Report<'_>) -> Columns {
    let costs: &[Column] = if is_trace(report) {
        &[CALLS_COST]
    } else {
        &[Column::SELF, CALLS_COST]
    };
    Columns {
        values: report.with_calls(costs),
        whole: Some(report.first().whole),
        has_sides: false,
    }
}

/// All lines of a function.
fn all_lines<'a>(report: &Report<'a>, id: FunctionId) -> BTreeMap<LineOrder<'a>, Row<'a>> {
    let profile = report.view;
    let own_file = profile.function(id).file;
    let key = |file: Option<NameId>, line| {
        let name = profile.name(file.unwrap_or(own_file));
        (file.is_some(), name, line)
    };
    let mut all: BTreeMap<_, Row<'_>> = BTreeMap::new();
    for line in profile.lines(id).filter(|_| !is_trace(report)) {
        let row = all.entry(key(line.file, line.line)).or_default();
        *row = report.row_of(Named::default(), line.costs, false);
    }
    for call in profile.sub_calls(id) {
        let row = all.entry(key(call.file(), call.line)).or_default();
        let sums = row.sums.new.get_or_insert_default();
        sums.inclusive = first_cost(profile.call_costs(CallsBy::Line, &call)).into();
        sums.invocations.tenths += 10 * i128::from(call.calls);
    }
    all
}
