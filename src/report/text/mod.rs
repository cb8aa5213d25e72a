//! The top functions as a table, for a terminal or a log.

pub(super) mod figures;
pub(super) mod names;
mod table;

use std::io::{self, Write};

use self::figures::{grouped, nanoseconds, percent, time};
use self::names::cut_end;
use self::table::Table;
use crate::profile::{Cost, FunctionId, Profile};
use crate::text::printable;

/// What of a profile the text report shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// How many functions; none: all.
    pub top: Option<usize>,
    /// Columns of the terminal to cut lines to; none: lines are not cut.
    pub width: Option<usize>,
}

/// Writes what was profiled, its sums, and the top functions by self cost, in lines of UTF-8.
///
/// Percentages are of the total of all self costs. Functions of the same self cost stand in the
/// order of their numbers. Whatever names hold, nothing but printable characters is written.
///
/// # Errors
///
/// When the output fails.
pub fn write(profile: &Profile, options: Options, mut output: impl Write) -> io::Result<()> {
    let total = profile.total();
    let functions = by_self_cost(profile);
    let shown = options.top.unwrap_or(usize::MAX).min(functions.len());
    let (top, rest) = functions.split_at(shown);
    let mut lines = heading(profile, total);
    lines.push(String::new());
    lines.extend(Table::new(profile, total, top).lines(options.width));
    if !rest.is_empty() {
        lines.push(String::new());
        lines.push(remainder(profile, total, rest));
    }
    for line in lines {
        let line = match options.width {
            Some(width) => cut_end(&line, width),
            None => line,
        };
        writeln!(output, "{line}")?;
    }
    output.flush()
}

/// All functions, the most expensive one first.
fn by_self_cost(profile: &Profile) -> Vec<FunctionId> {
    let mut functions: Vec<FunctionId> = profile.functions().map(|(id, _)| id).collect();
    functions.sort_by_key(|&id| std::cmp::Reverse(profile.function(id).self_cost));
    functions
}

pub(super) fn heading(profile: &Profile, total: Cost) -> Vec<String> {
    let calls = profile.edges().map(|edge| edge.calls);
    let calls = calls.fold(0, u64::saturating_add);
    let edges = profile.edges().len() as u64;
    let mut total_text = grouped(total);
    if let Some(unit) = unit(profile) {
        let nanoseconds = i128::from(total).saturating_mul(unit);
        total_text = format!("{total_text} ({})", time(nanoseconds));
    }
    vec![
        format!("command    {}", command(profile)),
        format!("event      {}", printable(profile.event())),
        format!("total      {total_text}"),
        format!("functions  {}", grouped(profile.functions().len() as u64)),
        format!(
            "calls      {} on {} call edges",
            grouped(calls),
            grouped(edges)
        ),
    ]
}

/// The command that was profiled, or the first of several.
fn command(profile: &Profile) -> String {
    let mut commands: Vec<Vec<u8>> = Vec::new();
    for header in profile.headers() {
        let value = header.value().trim_ascii().to_vec();
        if header.key() == b"cmd" && !commands.contains(&value) {
            commands.push(value);
        }
    }
    match commands.as_slice() {
        [] => "unknown".to_owned(),
        [only] => printable(only),
        [first, others @ ..] => format!("{} and {} more", printable(first), others.len()),
    }
}

/// The nanoseconds in one unit of cost, where that is sure.
///
/// Xdebug 2 measured in microseconds, and called the event just `Time`.
fn unit(profile: &Profile) -> Option<i128> {
    let creators = || {
        let headers = profile.headers();
        headers.filter(|header| header.key() == b"creator")
    };
    let is_xdebug_2 = creators().all(|header| header.value().starts_with(b"xdebug 2."));
    if profile.event() == b"Time" && is_xdebug_2 && creators().next().is_some() {
        return Some(1_000);
    }
    nanoseconds(profile.event())
}

fn remainder(profile: &Profile, total: Cost, functions: &[FunctionId]) -> String {
    let costs = functions.iter().map(|&id| profile.function(id).self_cost);
    let cost = costs.fold(0, Cost::saturating_add);
    let count = grouped(functions.len() as u64);
    let cost_text = grouped(cost);
    let share = percent(cost, total);
    format!("{count} more functions with a self cost of {cost_text} ({share} %)")
}
