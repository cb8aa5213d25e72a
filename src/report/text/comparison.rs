//! A comparison of two profiles as a table, with two lines per function.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

use super::{Options, fact};
use crate::profile::{Comparison, FunctionChange, Profile};
use crate::report::figures::{EventFigures, counted, in_units, signed, signed_percent};
use crate::report::table::{Place, Table};
use crate::shown::names::{cut_end, width_of};
use crate::shown::numbers::grouped;
use crate::shown::text::printable;

/// What a line of details is wrapped to where there is no terminal: that of a log.
const LOG_WIDTH: usize = 80;

/// Longer names push their files aside there.
const ALIGNED_NAME: usize = 30;

const DETAILS_INDENT: &str = "    ";

/// Writes the totals of both sides and the functions that have changed, in lines of UTF-8.
///
/// Of the options, those that choose functions or sort them have no effect.
///
/// # Errors
///
/// When the output fails.
pub fn write_comparison(
    comparison: &Comparison<'_>,
    options: &Options,
    mut output: impl Write,
) -> io::Result<()> {
    let cut = |line: String| cut_end(&line, options.room());
    let report = ComparisonReport::new(comparison);
    let mut lines: Vec<_> = report.heading().into_iter().map(cut).collect();
    let (top, rest) = options.split(&comparison.changes);
    if !top.is_empty() {
        lines.push(String::new());
        lines.extend(report.lines(top, options));
    }
    let rest = report.rest(rest).map(|(rest, change)| {
        let share = share(change, comparison.first().base);
        format!("{rest}, {share}")
    });
    let rest: Vec<_> = rest.into_iter().chain(report.unchanged()).collect();
    if !rest.is_empty() {
        lines.push(String::new());
        lines.extend(rest.into_iter().map(cut));
    }
    for line in lines {
        writeln!(output, "{line}")?;
    }
    output.flush()
}

/// What costs and calls per run are divided by: the runs of the base and of the new profile.
pub(in crate::report) fn per_run(runs: [u64; 2]) -> String {
    let [base, new] = runs.map(|runs| counted(runs, "run"));
    format!("costs and calls are divided: by {base} in the base, {new} in the new profile")
}

/// What is shown of a comparison.
pub(in crate::report) struct ComparisonReport<'a> {
    comparison: &'a Comparison<'a>,
    /// The event that changes are sorted by.
    pub first: EventFigures<'a>,
}

impl<'a> ComparisonReport<'a> {
    pub fn new(comparison: &'a Comparison<'a>) -> Self {
        ComparisonReport {
            comparison,
            first: EventFigures::compared(comparison).swap_remove(0),
        }
    }

    /// Changes, with by how much self costs have changed.
    pub fn table<'t>(
        &self,
        changes: &'t [FunctionChange<'a>],
        place: impl Fn(&FunctionChange<'a>) -> Place,
    ) -> Table<'t, FunctionChange<'a>> {
        let (notation, base) = (self.first.notation, self.comparison.first().base);
        let about = |change: &FunctionChange<'a>| (printable(change.name), place(change));
        Table::new(["function", "file"], changes, about)
            .with(notation.heading("change", "change"), |change| {
                signed(change.self_cost(), notation.cost(change.self_cost()))
            })
            .with("base %", |change| signed_percent(change.self_cost(), base))
    }

    /// What changes are summed up as that are not shown, and their sum; none if there is none.
    pub fn rest(&self, changes: &[FunctionChange<'_>]) -> Option<(String, i128)> {
        let sum = changes.iter().map(FunctionChange::self_cost);
        let sum = sum.fold(0, i128::saturating_add);
        let cost = signed(sum, self.first.notation.with_unit(sum));
        let count = grouped(changes.len() as u64);
        (!changes.is_empty()).then(|| (format!("{count} more changed by {cost} together"), sum))
    }

    /// How many functions are the same, if any.
    pub fn unchanged(&self) -> Option<String> {
        let count = self.comparison.unchanged() as u64;
        (count > 0).then(|| format!("{} did not change", counted(count, "function")))
    }

    fn heading(&self) -> Vec<String> {
        let (comparison, first) = (self.comparison, self.comparison.first());
        let unit = self.first.unit;
        let side = |side: &Profile, total: i128, scale: u64| {
            let functions = counted(side.functions().len() as u64, "function");
            let rounding = match scale {
                1 => String::new(),
                scale => format!(", in units of {}", grouped(scale)),
            };
            format!("{} in {functions}{rounding}", in_units(total, unit))
        };
        let [base_scale, new_scale] = first.scales();
        let change = signed(first.change(), in_units(first.change(), unit));
        let share_of_base = share(first.change(), first.base);
        let mut lines = vec![
            fact("event", printable(first.name)),
            fact("base", side(comparison.base, first.base, base_scale)),
            fact("new", side(comparison.new, first.new, new_scale)),
            fact("change", format!("{change}, {share_of_base}")),
        ];
        if comparison.is_per_run {
            lines.push(fact("per run", per_run(comparison.runs())));
        }
        lines.extend(comparison.events.iter().skip(1).map(|other| {
            let [base, new, by] = [other.base, other.new, other.change()].map(grouped);
            let (by, share) = (
                signed(other.change(), by),
                share(other.change(), other.base),
            );
            let name = printable(other.name);
            fact("also", format!("{name}: {base} → {new}, {by}, {share}"))
        }));
        lines
    }

    fn lines(&self, changes: &[FunctionChange<'a>], options: &Options) -> Vec<String> {
        let table = self.table(changes, |of| Place::of(of.object, of.file, 0));
        let first_column = table.figure_width(0);
        let rows = table.lines(options, ALIGNED_NAME).into_iter();
        let mut rows = rows.map(|row| cut_end(&row, options.room()));
        let mut lines: Vec<String> = rows.next().into_iter().collect();
        for (row, change) in rows.zip(changes) {
            lines.push(match options.color {
                true => coloured(row, first_column, change),
                false => row,
            });
            lines.extend(self.details(change, options.room()));
        }
        lines
    }

    /// The figures before and after, in as many lines as they need.
    fn details(&self, change: &FunctionChange<'_>, room: Option<usize>) -> Vec<String> {
        let cost = |cost| self.first.notation.cost(cost);
        let both = |base, new, text: &dyn Fn(i128) -> String| match base == new {
            true => text(base),
            false => format!("{} → {}", text(base), text(new)),
        };
        let word = match (change.base, change.new) {
            (Some(_), Some(_)) => "",
            (None, _) => "new: ",
            _ => "gone: ",
        };
        let new = change.new.or(change.base).unwrap_or_default();
        let base = change.base.unwrap_or(new);
        let calls = both(base.invocations, new.invocations, &|count| grouped(count));
        let more = match new.invocations - base.invocations {
            0 => String::new(),
            more => format!(" ({})", signed(more, grouped(more))),
        };
        let items = [
            format!("{word}self {}", both(base.self_cost, new.self_cost, &cost)),
            format!("inclusive {}", both(base.inclusive, new.inclusive, &cost)),
            format!("calls {calls}{more}"),
        ];
        let width = room.unwrap_or(LOG_WIDTH);
        let mut lines: Vec<String> = Vec::new();
        for item in items {
            match lines.last_mut() {
                Some(line) if width_of(line) + width_of(&item) + 2 <= width => {
                    *line += ", ";
                    *line += &item;
                }
                _ => lines.push(DETAILS_INDENT.to_owned() + &item),
            }
        }
        lines.iter().map(|line| cut_end(line, room)).collect()
    }
}

/// A row in whose first column growth is red, and what has become less green.
fn coloured(row: String, column: usize, change: &FunctionChange<'_>) -> String {
    let colour = match change.self_cost() {
        1.. => AnsiColor::Red,
        0 => return row,
        _ => AnsiColor::Green,
    };
    let Some((figure, rest)) = row.split_at_checked(column) else {
        return row;
    };
    let style = Style::new().fg_color(Some(colour.into()));
    format!("{style}{figure}{style:#}{rest}")
}

/// A change, in percent of what the base costs.
fn share(change: i128, base: i128) -> String {
    match base {
        1.. => signed_percent(change, base) + " %",
        _ => "of no cost in the base".to_owned(),
    }
}
