//! A comparison of two profiles as a table, with two lines per function.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

use crate::compare::{Comparison, FunctionChange, Transition};
use crate::display::numbers::{counted, grouped};
use crate::display::text::printable;
use crate::display::units::in_units;
use crate::names::{cut_end, width_of};
use crate::output::Options;
use crate::output::figures::summary::{ComparisonSummary, fact};
use crate::output::figures::table::SourceLocation;
use crate::output::figures::{per_run, signed, signed_percent};
use crate::profile::Profile;

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
    let report = ComparisonSummary::new(comparison);
    let mut lines: Vec<_> = report.heading().into_iter().map(cut).collect();
    lines.extend(report.parts(options).into_iter().map(cut));
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

impl<'a> ComparisonSummary<'a> {
    fn heading(&self) -> Vec<String> {
        let (comparison, first) = (self.comparison, self.comparison.first());
        let unit = self.first.unit;
        let side = |side: &Profile, total: i128, scale: u64| {
            let functions = counted(side.functions().len() as u64, "function");
            let runs = match side.runs() {
                1 => String::new(),
                runs => format!(" of {} runs", grouped(runs)),
            };
            let rounding = match scale {
                1 => String::new(),
                scale => format!(", in units of {}", grouped(scale)),
            };
            format!("{} in {functions}{runs}{rounding}", in_units(total, unit))
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

    /// The parts that the profiled programs have named.
    fn parts(&self, options: &Options) -> Vec<String> {
        let parts = self.comparison.parts(0);
        let (top, rest) = options.split(&parts);
        let cost = |cost| in_units(cost, self.first.unit);
        let rows = top.iter().map(|part| {
            let change = match (part.base, part.new) {
                (Some(base), Some(new)) => {
                    let change = new.saturating_sub(base);
                    let by = signed(change, grouped(change));
                    format!(
                        "{} → {}, {by}, {}",
                        cost(base),
                        cost(new),
                        share(change, base)
                    )
                }
                (base, new) => {
                    let word = if base.is_none() { "new" } else { "gone" };
                    format!("{word}, {}", cost(base.or(new).unwrap_or(0)))
                }
            };
            fact("part", format!("{}: {change}", printable(part.name)))
        });
        let more = grouped(rest.len() as u64);
        let rest = (!rest.is_empty()).then(|| fact("", format!("… {more} more parts")));
        rows.chain(rest).collect()
    }

    fn lines(&self, changes: &[FunctionChange<'a>], options: &Options) -> Vec<String> {
        let table = self.table(changes, |of| SourceLocation::of(of.object, of.file, 0));
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
        let both = |base, new| match base == new {
            true => cost(base),
            false => format!("{} → {}", cost(base), cost(new)),
        };
        let word = match (change.base, change.new) {
            (Some(_), Some(_)) => "",
            (None, _) => "new: ",
            _ => "gone: ",
        };
        let new = change.new.or(change.base).unwrap_or_default();
        let base = change.base.unwrap_or(new);
        let calls = match [base.invocations, new.invocations] {
            [base, new] if base == new => new.to_string(),
            [base, new] => {
                let more = new - base;
                let sign = if new > base { "+" } else { "" };
                format!("{base} → {new} ({sign}{more})")
            }
        };
        let mut items = vec![
            format!("{word}self {}", both(base.self_cost, new.self_cost)),
            format!("inclusive {}", both(base.inclusive, new.inclusive)),
        ];
        if self.comparison.has_invocations() {
            items.push(format!("calls {calls}"));
        }
        items.extend(change.transition.as_ref().map(Transition::to_string));
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
