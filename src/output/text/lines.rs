//! The lines of a function with what they cost, and with their source where it can be read.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::cost_of;
use crate::display::numbers::{counted, grouped};
use crate::display::text::printable;
use crate::io::SourceFiles;
use crate::maps::HashMap;
use crate::output::figures::summary::ProfileSummary;
use crate::output::figures::table::{self, SourceLocation, TextTable};
use crate::profile::{FunctionId, ProfileKind};
use crate::tables::first_cost;

/// Stands before what is below a row.
pub(super) const INDENT: &str = "    ";

/// Blanks that stand for a tab.
const TAB: &str = "    ";

/// What a line costs of itself, in each event, and what the calls made there cost.
#[derive(Default)]
struct LineCosts {
    own: Vec<i128>,
    calls: i128,
    count: u64,
}

/// Lines by their files and numbers. Those of the function's own file have no name of it, and come
/// first.
type LineSums<'a> = BTreeMap<(Option<&'a [u8]>, u64), LineCosts>;

/// A row of the table.
enum LineRow {
    /// The lines from here on are in this file.
    File(String),
    /// Lines are left out.
    Gap,
    Line {
        number: u64,
        costs: LineCosts,
        source: String,
    },
}

/// The costliest lines of a function.
pub(super) struct CostliestLines<'a> {
    own_file: &'a [u8],
    is_trace: bool,
    lines: LineSums<'a>,
    /// What the others cost: of themselves, or by their calls in a trace.
    rest: Vec<i128>,
}

impl<'a> CostliestLines<'a> {
    /// The files and numbers of the lines.
    pub fn places(&self) -> impl Iterator<Item = (&'a [u8], u64)> {
        let lines = self.lines.keys();
        lines.map(|&(file, number)| (file.unwrap_or(self.own_file), number))
    }
}

const TRACE_NOTE: &str = "A trace records no self costs of lines, only what they call.";

/// How many bytes of source a report has.
const MAX_SOURCE: usize = 16 << 20;

/// The source of lines.
#[derive(Default)]
pub(super) struct SourceText<'a> {
    lines: HashMap<(&'a [u8], u64), String>,
    /// How many lines there is no room for.
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

    /// The source of a line, as a line of a table that is below another one.
    pub fn of(&self, file: &'a [u8], number: u64) -> Option<String> {
        let text = self.lines.get(&(file, number))?;
        Some(format!("{INDENT}{}", text.trim_start()))
    }

    /// What to say of the lines that there is no room for.
    pub fn left_out(&self) -> Vec<String> {
        match self.left_out {
            0 => Vec::new(),
            count => vec![
                String::new(),
                format!("source of {} omitted", counted(count, "line")),
            ],
        }
    }
}

impl<'a> ProfileSummary<'a> {
    /// The costliest lines of a function.
    pub(super) fn costliest_lines(&self, id: FunctionId) -> CostliestLines<'a> {
        let is_trace = self.profile.kind() == ProfileKind::Trace;
        let function = self.profile.function(id);
        let mut lines = self.line_costs(id, is_trace);
        let own = |costs: &LineCosts| costs.own.first().copied().unwrap_or(0);
        let mut keys: Vec<_> = lines.keys().copied().collect();
        keys.sort_by_key(|key| Reverse(own(&lines[key]) + lines[key].calls));
        let (_, rest) = self.options.split(&keys);
        let cost = |costs: LineCosts| if is_trace { costs.calls } else { own(&costs) };
        let rest = rest.iter().filter_map(|key| lines.remove(key)).map(cost);
        let rest = rest.collect();
        if is_trace {
            lines.entry((None, function.line)).or_default();
        }
        CostliestLines {
            own_file: self.profile.name(function.file),
            is_trace,
            rest,
            lines,
        }
    }

    /// The costliest lines of a function in their order, after an empty line. There is nothing to
    /// show where all is on one line without source. Of a trace, only the calls have lines.
    pub(super) fn line_table(
        &self,
        mut costs: CostliestLines<'a>,
        source: &SourceText<'a>,
    ) -> Vec<String> {
        // The line of a trace's function itself is shown for its source only.
        let own_file = costs.own_file;
        costs.lines.retain(|&(file, number), line| {
            let place = (file.unwrap_or(own_file), number);
            !costs.is_trace || line.count > 0 || source.lines.contains_key(&place)
        });
        let has_source = costs
            .places()
            .any(|place| source.lines.contains_key(&place));
        if costs.lines.len() + costs.rest.len() < 2 && !has_source {
            return Vec::new();
        }
        let mut rows = Vec::new();
        let mut before = (None, None);
        for ((file, number), line) in costs.lines {
            let name = file.unwrap_or(costs.own_file);
            if file != before.0 {
                rows.push(LineRow::File(printable(name)));
            } else if before.1.is_some_and(|before| before + 1 != number) {
                rows.push(LineRow::Gap);
            }
            before = (file, Some(number));
            rows.push(LineRow::Line {
                number,
                costs: line,
                source: source
                    .lines
                    .get(&(name, number))
                    .cloned()
                    .unwrap_or_default(),
            });
        }
        let mut lines = vec![String::new()];
        lines.extend(self.line_rows(&printable(costs.own_file), &rows, costs.is_trace));
        if !costs.rest.is_empty() {
            let cost = self.first().with_share(costs.rest.iter().sum::<i128>());
            let count = counted(costs.rest.len() as u64, "more line");
            let what = if costs.is_trace {
                "calls"
            } else {
                "a self cost"
            };
            lines.push(format!("{count} with {what} of {cost}"));
        }
        if costs.is_trace {
            lines.push(TRACE_NOTE.to_owned());
        }
        lines
    }

    /// What the lines of a function cost.
    fn line_costs(&self, id: FunctionId, is_trace: bool) -> LineSums<'a> {
        let profile = self.profile;
        let mut all = LineSums::new();
        for line in profile.lines(id).filter(|_| !is_trace) {
            let file = line.file.map(|file| profile.name(file));
            let costs = all.entry((file, line.line)).or_default();
            let own = (0..self.events.len()).map(|event| cost_of(line.costs, event).into());
            costs.own = own.collect();
        }
        for call in profile.sub_calls(id) {
            let file = call.file().map(|file| profile.name(file));
            let costs = all.entry((file, call.line)).or_default();
            costs.calls += i128::from(first_cost(call.costs()));
            costs.count = costs.count.saturating_add(call.calls);
        }
        all
    }

    fn line_rows(&self, file: &str, rows: &[LineRow], is_trace: bool) -> Vec<String> {
        let first = self.first();
        let of_line = |row: &LineRow, figure: &dyn Fn(&LineCosts) -> String| match row {
            LineRow::Line { costs, .. } => figure(costs),
            LineRow::File(_) | LineRow::Gap => String::new(),
        };
        let own = |costs: &LineCosts, event| costs.own.get(event).copied().unwrap_or(0);
        let about = |row: &LineRow| match row {
            LineRow::File(text) | LineRow::Line { source: text, .. } => {
                (text.clone(), SourceLocation::default())
            }
            LineRow::Gap => (String::new(), SourceLocation::default()),
        };
        let has_own = !is_trace;
        let mut table = TextTable::new([file, ""], rows, about)
            .with_known(has_own, "self %", |row| {
                of_line(row, &|costs| first.share(own(costs, 0)))
            })
            .with_known(has_own, &first.notation.heading("self", "self"), |row| {
                of_line(row, &|costs| first.notation.cost(own(costs, 0)))
            })
            .with(first.notation.heading("calls", "calls cost"), |row| {
                of_line(row, &|costs| first.notation.cost(costs.calls))
            })
            .with_known(self.profile.has_invocations(), "calls", |row| {
                of_line(row, &|costs| grouped(costs.count))
            });
        for (at, event) in self.further() {
            let heading = format!("self {}", event.heading());
            table = table.with_known(has_own, &heading, |row| {
                of_line(row, &|costs| event.notation.cost(own(costs, at)))
            });
        }
        let table = table.with("line", |row| match row {
            LineRow::Line { number, .. } => number.to_string(),
            LineRow::File(_) => String::new(),
            LineRow::Gap => "…".to_owned(),
        });
        let (figures, _) = table.figures(self.options);
        let names = std::iter::once(&table.headings).chain(&table.rows);
        let line =
            |(figures, row): (String, &table::TextRow)| (figures + &row.name).trim_end().to_owned();
        figures.into_iter().zip(names).map(line).collect()
    }
}
