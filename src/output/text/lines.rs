//! The lines of a function with their costs and, if it can be read, their source.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::cost_of;
use crate::display::numbers::{counted, grouped};
use crate::display::text::printable;
use crate::io::SourceFiles;
use crate::maps::HashMap;
use crate::output::figures::summary::ProfileSummary;
use crate::output::figures::table::TextTable;
use crate::profile::{FunctionId, ProfileKind};
use crate::tables::first_cost;

/// The indentation of lines that belong to the row above.
pub(super) const INDENT: &str = "    ";

/// The blanks that replace a tab.
const TAB: &str = "    ";

/// The costs of a line.
#[derive(Default)]
struct LineCosts {
    /// The self cost in each event.
    own: Vec<i128>,
    /// The cost of the calls made there, in the first event.
    calls: i128,
    /// The number of these calls.
    count: u64,
}

impl LineCosts {
    fn own(&self, event: usize) -> i128 {
        self.own.get(event).copied().unwrap_or(0)
    }
}

/// Lines by their files and numbers. Lines in the function's own file come first; their file is `None`.
type LineSums<'a> = BTreeMap<(Option<&'a [u8]>, u64), LineCosts>;

/// A row of the table: a line; without costs, a gap or the file of the following lines.
struct LineRow {
    number: String,
    text: String,
    costs: Option<LineCosts>,
}

impl LineRow {
    fn figure(&self, figure: impl Fn(&LineCosts) -> String) -> String {
        self.costs.as_ref().map(figure).unwrap_or_default()
    }
}

/// The costliest lines of a function.
pub(super) struct CostliestLines<'a> {
    own_file: &'a [u8],
    lines: LineSums<'a>,
    /// The self costs of the other lines; in a trace, the costs of their calls.
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
    pub fn of(&self, file: &'a [u8], number: u64) -> Option<String> {
        let text = self.lines.get(&(file, number))?;
        Some(format!("{INDENT}{}", text.trim_start()))
    }

    /// The note about omitted lines, if there are any.
    pub fn left_out(&self) -> Option<String> {
        let lines = counted(self.left_out, "line");
        (self.left_out > 0).then(|| format!("source of {lines} omitted"))
    }
}

impl<'a> ProfileSummary<'a> {
    fn is_trace(&self) -> bool {
        self.profile.kind() == ProfileKind::Trace
    }

    /// The costliest lines of a function.
    pub(super) fn costliest_lines(&self, id: FunctionId) -> CostliestLines<'a> {
        let (function, is_trace) = (self.profile.function(id), self.is_trace());
        let mut lines: Vec<_> = self.line_costs(id).into_iter().collect();
        lines.sort_by_key(|(_, line)| Reverse(line.own(0) + line.calls));
        let rest = lines.split_off(self.options.most(lines.len()));
        let cost = |line: LineCosts| if is_trace { line.calls } else { line.own(0) };
        let mut lines = LineSums::from_iter(lines);
        if is_trace {
            lines.entry((None, function.line)).or_default();
        }
        CostliestLines {
            own_file: self.profile.name(function.file),
            lines,
            rest: rest.into_iter().map(|(_, line)| cost(line)).collect(),
        }
    }

    /// The costs of all lines of a function.
    fn line_costs(&self, id: FunctionId) -> LineSums<'a> {
        let profile = self.profile;
        let mut all = LineSums::new();
        for line in profile.lines(id).filter(|_| !self.is_trace()) {
            let file = line.file.map(|file| profile.name(file));
            let events = 0..self.events.len();
            all.entry((file, line.line)).or_default().own =
                events.map(|event| cost_of(line.costs, event)).collect();
        }
        for call in profile.sub_calls(id) {
            let file = call.file().map(|file| profile.name(file));
            let costs = all.entry((file, call.line)).or_default();
            costs.calls += i128::from(first_cost(call.costs()));
            costs.count = costs.count.saturating_add(call.calls);
        }
        all
    }

    /// A table of the costliest lines of a function, sorted by number, after an empty line. There is no
    /// table if all costs are on one line without source. In a trace, only calls have lines.
    pub(super) fn line_table(
        &self,
        mut costs: CostliestLines<'a>,
        source: &SourceText<'a>,
    ) -> Vec<String> {
        let (own_file, is_trace) = (costs.own_file, self.is_trace());
        let source = |(file, number): (Option<&'a [u8]>, u64)| {
            let place = (file.unwrap_or(own_file), number);
            source.lines.get(&place)
        };
        // In a trace, the line of the function itself is only shown with its source.
        costs
            .lines
            .retain(|&place, line| !is_trace || line.count > 0 || source(place).is_some());
        let has_source = costs.lines.keys().any(|&place| source(place).is_some());
        if costs.lines.len() + costs.rest.len() < 2 && !has_source {
            return Vec::new();
        }
        let mut rows = Vec::new();
        let mut before = (None, None);
        for ((file, number), line) in costs.lines {
            let heading = match before {
                (last, _) if last != file => Some(("", printable(file.unwrap_or(own_file)))),
                (_, Some(last)) if last + 1 != number => Some(("…", String::new())),
                _ => None,
            };
            rows.extend(heading.map(|(number, text)| LineRow {
                number: number.to_owned(),
                text,
                costs: None,
            }));
            before = (file, Some(number));
            rows.push(LineRow {
                number: number.to_string(),
                text: source((file, number)).cloned().unwrap_or_default(),
                costs: Some(line),
            });
        }
        let mut lines = vec![String::new()];
        lines.extend(self.line_rows(&printable(own_file), &rows));
        if !costs.rest.is_empty() {
            let cost = self.first().with_share(costs.rest.iter().sum::<i128>());
            let count = counted(costs.rest.len() as u64, "more line");
            let what = if is_trace {
                "calls"
            } else {
                "a total self cost"
            };
            lines.push(format!("{count} with {what} of {cost}"));
        }
        lines.extend(is_trace.then(|| TRACE_NOTE.to_owned()));
        lines
    }

    fn line_rows(&self, file: &str, rows: &[LineRow]) -> Vec<String> {
        let (first, has_own) = (self.first(), !self.is_trace());
        let mut table = TextTable::named(file, rows, |row| row.text.clone())
            .with_known(has_own, "self %", |row| {
                row.figure(|line| first.share(line.own(0)))
            })
            .with_known(has_own, &first.notation.heading("self", "self"), |row| {
                row.figure(|line| first.notation.cost(line.own(0)))
            })
            .with(first.notation.heading("calls", "calls cost"), |row| {
                row.figure(|line| first.notation.cost(line.calls))
            })
            .with_known(self.profile.has_invocations(), "calls", |row| {
                row.figure(|line| grouped(line.count))
            });
        for (at, event) in self.further() {
            let heading = format!("self {}", event.heading());
            table = table.with_known(has_own, &heading, |row| {
                row.figure(|line| event.notation.cost(line.own(at)))
            });
        }
        let table = table.with("line", |row| row.number.clone());
        let (figures, _) = table.figures(self.options);
        figures
            .into_iter()
            .zip(table.all())
            .map(|(figures, row)| (figures + &row.name).trim_end().to_owned())
            .collect()
    }
}
