//! A comparison of two profiles as a table, with two lines per function.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

use super::Options;
use super::figures::{Notation, Unit, counted, in_units, signed, signed_percent};
use super::table::{Place, Row, Table};
use crate::profile::{ComparedEvent, Comparison, FunctionChange, Side};
use crate::shown::names::{Wanted, cut_end, width_of};
use crate::shown::numbers::{grouped, percent};
use crate::shown::text::printable;

/// What a line of details is wrapped to where there is no terminal: that of a log.
const LOG_WIDTH: usize = 80;

/// Longer names push their files aside there.
const ALIGNED_NAME: usize = 30;

const DETAILS_INDENT: &str = "    ";

/// Writes the totals of both sides and the functions that have changed, in lines of UTF-8.
///
/// The options [`sort`](Options::sort) and [`function`](Options::function) have no effect here.
///
/// # Errors
///
/// When the output fails.
pub fn write_comparison(
    comparison: &Comparison<'_>,
    options: &Options,
    mut output: impl Write,
) -> io::Result<()> {
    for line in ComparisonReport::new(comparison, options).lines() {
        writeln!(output, "{line}")?;
    }
    output.flush()
}

/// What costs and calls per run are divided by: the runs of the base and of the new profile.
pub(in crate::report) fn per_run(runs: [u64; 2]) -> String {
    let [base, new] = runs.map(|runs| counted(runs, "run"));
    format!("costs and calls are divided: by {base} in the base, {new} in the new profile")
}

struct ComparisonReport<'a> {
    comparison: &'a Comparison<'a>,
    first: &'a ComparedEvent<'a>,
    options: &'a Options,
    notation: Notation,
}

impl<'a> ComparisonReport<'a> {
    fn new(comparison: &'a Comparison<'a>, options: &'a Options) -> Self {
        let first = comparison.first();
        let totals = [first.base, first.new];
        let largest = totals.into_iter().max_by_key(|total| total.unsigned_abs());
        ComparisonReport {
            comparison,
            first,
            options,
            notation: Unit::of(first.unit, 1).notation(largest.unwrap_or(0)),
        }
    }

    fn lines(&self) -> Vec<String> {
        let mut lines = self.heading();
        let mut changes: Vec<_> = self.comparison.changes.iter().collect();
        if let Some(text) = &self.options.filter {
            let wanted = Wanted::new(text);
            changes.retain(|change| wanted.is_in(&printable(change.name)));
            let count = counted(changes.len() as u64, "changed function");
            let text = wanted.text();
            lines.push(format!("filter     \"{text}\" is in the names of {count}"));
        }
        let (top, rest) = self.options.split(&changes);
        if !top.is_empty() {
            lines.push(String::new());
        }
        let mut lines: Vec<String> = lines.iter().map(|line| self.cut(line)).collect();
        lines.extend(self.table(top));
        lines.push(String::new());
        lines.extend(self.remainder(rest).iter().map(|line| self.cut(line)));
        lines
    }

    fn cut(&self, line: &str) -> String {
        cut_end(line, self.options.room())
    }

    fn heading(&self) -> Vec<String> {
        let (comparison, first) = (self.comparison, self.first);
        let unit = Unit::of(first.unit, 1);
        let side = |side: &Side<'_>, total: i128, scale: u64| {
            let functions = counted(side.functions() as u64, "function");
            let rounding = match scale {
                1 => String::new(),
                scale => format!(", in units of {}", grouped(scale)),
            };
            format!("{} in {functions}{rounding}", in_units(total, unit))
        };
        let [base_scale, new_scale] = first.scales();
        let change = first.change();
        let mut lines = vec![
            format!("event      {}", printable(first.name)),
            format!(
                "base       {}",
                side(&comparison.base, first.base, base_scale)
            ),
            format!("new        {}", side(&comparison.new, first.new, new_scale)),
            format!(
                "change     {}, {}",
                signed(change, in_units(change, unit)),
                share(change, first.base)
            ),
        ];
        if comparison.is_per_run {
            lines.push(format!("per run    {}", per_run(comparison.runs())));
        }
        lines.extend(comparison.events.iter().skip(1).map(|other| {
            let change = other.change();
            let [base, new, by] = [other.base, other.new, change].map(grouped);
            let (by, share) = (signed(change, by), share(change, other.base));
            format!(
                "also       {}: {base} → {new}, {by}, {share}",
                printable(other.name)
            )
        }));
        lines
    }

    fn table(&self, changes: &[&FunctionChange<'_>]) -> Vec<String> {
        if changes.is_empty() {
            return Vec::new();
        }
        let rows = changes.iter().map(|change| {
            let cost = change.self_cost();
            Row {
                figures: vec![
                    signed(cost, self.notation.cost(cost)),
                    signed_percent(cost, self.first.base),
                ],
                name: printable(change.name),
                place: Place::of(change.object, change.file, 0),
            }
        });
        let table = Table {
            figures: vec![
                self.notation.heading("change", "change"),
                "base %".to_owned(),
            ],
            names: ["function", "file"],
            rows: rows.collect(),
            aligned_name: ALIGNED_NAME,
        };
        let first_column = table.first_figure_width();
        let rows = table.lines(self.options);
        let mut rows = rows.iter().map(|row| self.cut(row));
        let mut lines: Vec<String> = rows.next().into_iter().collect();
        for (row, change) in rows.zip(changes) {
            lines.push(self.coloured(row, first_column, change));
            lines.extend(self.details(change));
        }
        lines
    }

    /// Growth is red, and what has become less green, where colours are wanted.
    fn coloured(&self, row: String, column: usize, change: &FunctionChange<'_>) -> String {
        let colour = match change.self_cost() {
            1.. => AnsiColor::Red,
            0 => return row,
            _ => AnsiColor::Green,
        };
        match row.split_at_checked(column) {
            Some((figure, rest)) if self.options.color => {
                let style = Style::new().fg_color(Some(colour.into()));
                format!("{style}{figure}{style:#}{rest}")
            }
            _ => row,
        }
    }

    /// The figures before and after, in as many lines as they need.
    fn details(&self, change: &FunctionChange<'_>) -> Vec<String> {
        let cost = |cost: i128| self.notation.cost(cost);
        let both = |base, new| {
            if base == new {
                cost(base)
            } else {
                format!("{} → {}", cost(base), cost(new))
            }
        };
        let (word, base, new) = match (change.base, change.new) {
            (Some(base), Some(new)) => ("", base, new),
            (None, Some(new)) => ("new: ", new, new),
            (base, None) => {
                let base = base.unwrap_or_default();
                ("gone: ", base, base)
            }
        };
        let items = [
            format!("{word}self {}", both(base.self_cost, new.self_cost)),
            format!("inclusive {}", both(base.inclusive, new.inclusive)),
            calls(base.invocations, new.invocations),
        ];
        let width = self.options.room().unwrap_or(LOG_WIDTH);
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
        lines.iter().map(|line| self.cut(line)).collect()
    }

    fn remainder(&self, rest: &[&FunctionChange<'_>]) -> Vec<String> {
        let mut lines = Vec::new();
        if !rest.is_empty() {
            let changes = rest.iter().map(|change| change.self_cost());
            let change = changes.fold(0, i128::saturating_add);
            let count = grouped(rest.len() as u64);
            let cost = signed(change, self.notation.with_unit(change));
            let share = share(change, self.first.base);
            lines.push(format!("{count} more changed by {cost} together, {share}"));
        }
        let unchanged = counted(self.comparison.unchanged() as u64, "function");
        lines.push(format!("{unchanged} did not change"));
        lines
    }
}

/// A change, in percent of what the base costs.
fn share(change: i128, base: i128) -> String {
    match base {
        1.. => signed(change, percent(change, base)) + " %",
        _ => "of no cost in the base".to_owned(),
    }
}

fn calls(base: i128, new: i128) -> String {
    let change = new - base;
    match change {
        0 => format!("calls {}", grouped(new)),
        _ => format!(
            "calls {} → {} ({})",
            grouped(base),
            grouped(new),
            signed(change, grouped(change))
        ),
    }
}
