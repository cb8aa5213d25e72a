//! The lines of a function with their costs and, if it can be read, their source.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::display::numbers::{counted, grouped};
use crate::display::text::printable;
use crate::io::SourceFiles;
use crate::maps::HashMap;
use crate::output::figures::summary::ProfileSummary;
use crate::output::figures::table::TextTable;
use crate::profile::{Cost, FunctionId, NameId, ProfileKind};
use crate::tables::first_cost;

/// The indentation of lines that belong to the row above.
pub(super) const INDENT: &str = "    ";

/// The blanks that replace a tab.
const TAB: &str = "    ";

/// The costs of a line.
#[derive(Default)]
struct LineCosts<'a> {
    /// The self cost in each event.
    own: &'a [Cost],
    /// The cost of the calls made there, in the first event.
    calls: i128,
    /// The number of these calls.
    count: u64,
}

/// Lines by their files and numbers. Lines in the function's own file come first: the flag says whether
/// it is another one.
type LinesByPlace<'a> = BTreeMap<(bool, &'a [u8], u64), LineCosts<'a>>;

/// A row of the table: a line; without costs, a gap or the file of the following lines.
struct LineRow<'a> {
    number: String,
    text: String,
    costs: Option<LineCosts<'a>>,
}

impl LineRow<'_> {
    fn figure(&self, figure: impl Fn(&LineCosts<'_>) -> String) -> String {
        self.costs.as_ref().map(figure).unwrap_or_default()
    }
}

/// The costliest lines of a function.
pub(super) struct CostliestLines<'a> {
    own_file: &'a [u8],
    lines: LinesByPlace<'a>,
    /// The self costs of the other lines; in a trace, the costs of their calls.
    rest: Vec<i128>,
}

impl<'a> CostliestLines<'a> {
    /// The files and numbers of the lines.
    pub fn places(&self) -> impl Iterator<Item = (&'a [u8], u64)> {
        self.lines.keys().map(|&(_, file, number)| (file, number))
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

impl<'a> ProfileSummary<'a> {
    fn is_trace(&self) -> bool {
        self.profile.kind() == ProfileKind::Trace
    }

    /// The costliest lines of a function.
    pub(super) fn costliest_lines(&self, id: FunctionId) -> CostliestLines<'a> {
        let (function, is_trace) = (self.named(id), self.is_trace());
        let mut lines: Vec<_> = self.line_costs(id).into_iter().collect();
        let own = |line: &LineCosts<'_>| self.first().cost(line.own);
        lines.sort_by_key(|(_, line)| Reverse(own(line) + line.calls));
        let rest = lines.split_off(self.options.most(lines.len()));
        let cost = |line: LineCosts<'_>| if is_trace { line.calls } else { own(&line) };
        let mut lines = LinesByPlace::from_iter(lines);
        if is_trace {
            let own = (false, function.file, function.line);
            lines.entry(own).or_default();
        }
        CostliestLines {
            own_file: function.file,
            lines,
            rest: rest.into_iter().map(|(_, line)| cost(line)).collect(),
        }
    }

    /// The costs of all lines of a function.
    fn line_costs(&self, id: FunctionId) -> LinesByPlace<'a> {
        let profile = self.profile;
        let own_file = profile.function(id).file;
        let key = |file: Option<NameId>, line| {
            let name = profile.name(file.unwrap_or(own_file));
            (file.is_some(), name, line)
        };
        let mut all = LinesByPlace::new();
        for line in profile.lines(id).filter(|_| !self.is_trace()) {
            all.entry(key(line.file, line.line)).or_default().own = line.costs;
        }
        for call in profile.sub_calls(id) {
            let costs = all.entry(key(call.file(), call.line)).or_default();
            costs.calls += i128::from(first_cost(call.costs()));
            costs.count = costs.count.saturating_add(call.calls);
        }
        all
    }

    /// A table of the costliest lines of a function, sorted by number, after the lines `above`. There is
    /// no table if all costs are on one line without source. In a trace, only calls have lines.
    pub(super) fn line_table(
        &self,
        mut costs: CostliestLines<'a>,
        source: &SourceText<'a>,
        above: &[String],
    ) -> Vec<String> {
        let (own_file, is_trace) = (costs.own_file, self.is_trace());
        let source = |&(_, file, number): &(_, _, _)| source.lines.get(&(file, number));
        // In a trace, the line of the function itself is only shown with its source.
        costs
            .lines
            .retain(|key, line| !is_trace || line.count > 0 || source(key).is_some());
        let has_source = costs.lines.keys().any(|key| source(key).is_some());
        if costs.lines.len() + costs.rest.len() < 2 && !has_source {
            return Vec::new();
        }
        let mut rows = Vec::new();
        let mut add = |number, text, costs| {
            rows.push(LineRow {
                number,
                text,
                costs,
            })
        };
        let (mut last, mut next) = ((false, own_file), None);
        for (key, line) in costs.lines {
            let (is_other, file, number) = key;
            if last != (is_other, file) {
                add(String::new(), printable(file), None);
            } else if next.is_some_and(|next| next != number) {
                add("…".to_owned(), String::new(), None);
            }
            let text = source(&key).cloned().unwrap_or_default();
            add(number.to_string(), text, Some(line));
            (last, next) = ((is_other, file), number.checked_add(1));
        }
        let mut lines = above.to_vec();
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

    fn line_rows(&self, file: &str, rows: &[LineRow<'_>]) -> Vec<String> {
        let (first, has_own) = (self.first(), !self.is_trace());
        let mut table = TextTable::named(file, rows, |row| row.text.clone())
            .with_known(has_own, "self %", |row| {
                row.figure(|line| first.share(first.cost(line.own)))
            })
            .with_known(has_own, &first.notation.heading("self", "self"), |row| {
                row.figure(|line| first.shown(line.own))
            })
            .with(first.notation.heading("calls", "calls cost"), |row| {
                row.figure(|line| first.notation.cost(line.calls))
            })
            .with_known(self.profile.has_invocations(), "calls", |row| {
                row.figure(|line| grouped(line.count))
            });
        for event in self.further() {
            let heading = format!("self {}", event.heading());
            table = table.with_known(has_own, &heading, |row| {
                row.figure(|line| event.shown(line.own))
            });
        }
        let table = table.with("line", |row| row.number.clone());
        table.joined(self.options)
    }
}
