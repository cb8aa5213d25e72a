//! A comparison of two profiles as a table, with two lines per function.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::Write;

use anstyle::{AnsiColor, Style};

use super::lines::{CostliestLines, INDENT, SourceText};
use crate::compare::{CallCount, Comparison, FunctionChange, Sides, Transition};
use crate::display::numbers::{counted, divided, grouped};
use crate::display::text::printable;
use crate::display::units::in_units;
use crate::io::SourceFiles;
use crate::names::{NameQuery, Named, cut_end, width_of};
use crate::output::figures::summary::{ComparisonSummary, ProfileSummary, fact};
use crate::output::figures::table::{SourceLocation, TextTable};
use crate::output::figures::{ViewError, estimate_mark, share_of_base, signed};
use crate::output::{ReportOptions, Sort};
use crate::profile::{EdgeRef, FunctionId, GroupBy, Profile};

/// What a line of details is wrapped to where there is no terminal: that of a log.
const LOG_WIDTH: usize = 80;

/// Longer names push their files aside there.
const ALIGNED_NAME: usize = 30;

/// Writes the totals of both sides and the functions that have changed, in lines of UTF-8.
///
/// A function that is asked for is shown with its callers, its callees and its lines in the new
/// profile, whose source is shown as far as `sources` has it.
///
/// # Errors
///
/// When the output fails, or, before anything is written, when neither side has a function of the
/// name that was asked for.
pub fn write_comparison(
    comparison: &Comparison<'_>,
    options: &ReportOptions,
    sources: &mut SourceFiles,
    mut output: impl Write,
) -> Result<(), ViewError> {
    let cut = |line: String| cut_end(&line, options.room());
    let report = ComparisonSummary::new(comparison);
    let mut lines: Vec<_> = report.heading().into_iter().map(cut).collect();
    match &options.function {
        Some(name) => lines.extend(report.views(name, options, sources)?),
        None => {
            lines.extend(report.parts(options).into_iter().map(cut));
            lines.extend(report.changed(options, sources)?);
        }
    }
    for line in lines {
        writeln!(output, "{line}")?;
    }
    Ok(output.flush()?)
}

/// The calls between a function and another one, in the base and in the new profile.
struct CallChange<'c, 'a> {
    other: &'c FunctionChange<'a>,
    costs: Sides<i128>,
    calls: Sides<CallCount>,
}

impl CallChange<'_, '_> {
    fn change(&self) -> i128 {
        self.costs.new.saturating_sub(self.costs.base)
    }
}

/// Which function stands at the other end of a call, and which calls there are.
type CallEnd = (
    &'static str,
    fn(&Profile, FunctionId) -> Vec<EdgeRef<'_>>,
    fn(&EdgeRef<'_>) -> FunctionId,
);

const ENDS: [CallEnd; 2] = [
    (
        "caller",
        |profile, id| profile.called_from(id).collect(),
        |edge| edge.caller,
    ),
    (
        "callee",
        |profile, id| profile.sub_calls(id).collect(),
        |edge| edge.callee,
    ),
];

impl<'a> ComparisonSummary<'a> {
    /// The functions that have changed, as far as they are wanted.
    fn changed(
        &self,
        options: &ReportOptions,
        sources: &mut SourceFiles,
    ) -> Result<Vec<String>, ViewError> {
        let cut = |line: String| cut_end(&line, options.room());
        let all = &self.comparison.changes;
        let mut chosen: Vec<&FunctionChange<'a>> = all.iter().collect();
        let mut lines = Vec::new();
        if let Some(text) = &options.filter {
            let query = NameQuery::new(text);
            let found = query.containing(&self.names())?;
            chosen = found.iter().filter_map(|&at| all.get(at)).collect();
            let changes = chosen.iter().map(|change| change.self_cost());
            let by = changes.fold(0, i128::saturating_add);
            let by = signed(by, self.first.notation.with_unit(by));
            let by = match self.row.is_call_site {
                true => String::new(),
                false => format!(", by {by} in total"),
            };
            let count = counted(found.len() as u64, self.row.by.name());
            let changed = grouped(chosen.len() as u64);
            let found = format!(
                "\"{}\" matches {count}: {changed} changed{by}",
                query.text()
            );
            lines.push(fact("filter", found));
        }
        let size = |change: &FunctionChange<'_>| match options.sort {
            Sort::SelfCost => change.self_cost(),
            Sort::Inclusive => change.inclusive(),
            Sort::Calls => change.calls().tenths,
        };
        // They are in the order of their self costs.
        if options.sort != Sort::SelfCost {
            chosen.sort_by_key(|change| Reverse(size(change).unsigned_abs()));
        }
        let (top, rest) = options.split(&chosen);
        let top: Vec<_> = top.iter().map(|&change| change.clone()).collect();
        if !top.is_empty() {
            lines.push(String::new());
            let source = self.source_of_rows(&top, sources);
            lines.extend(self.lines(&top, options, &source));
        }
        let rest = self.rest(rest.iter().copied());
        let unchanged = self.unchanged().filter(|_| options.filter.is_none());
        let rest: Vec<_> = rest.into_iter().chain(unchanged).collect();
        if !rest.is_empty() {
            lines.push(String::new());
            lines.extend(rest.into_iter().map(cut));
        }
        Ok(lines)
    }

    /// What functions can be found by, those that have changed first.
    fn names(&self) -> Vec<Named<'a>> {
        let functions = self.comparison.functions();
        let names = functions.map(|function| Named {
            name: printable(function.name),
            places: match self.row.by {
                GroupBy::Function => [function.file, function.object],
                _ => [self.costliest(function), b""],
            },
        });
        names.collect()
    }

    /// Functions of a name, each with its callers, callees and lines.
    fn views(
        &self,
        name: &[u8],
        options: &ReportOptions,
        sources: &mut SourceFiles,
    ) -> Result<Vec<String>, ViewError> {
        let (found, most) = NameQuery::new(name).find(&self.names())?;
        let all: Vec<_> = self.comparison.functions().collect();
        let owners = self.comparison.positions();
        let count = options.top.unwrap_or(usize::MAX).min(most);
        let (top, rest) = found.split_at(count.min(found.len()));
        let new = ProfileSummary::new(self.comparison.profiles.new, options);
        let costs = top.iter().map(|&at| {
            let functions = all[at].functions.new.iter();
            functions.map(|&id| new.costliest_lines(id)).collect()
        });
        let costs: Vec<Vec<_>> = costs.collect();
        let places = costs.iter().flatten().flat_map(CostliestLines::places);
        let rows = top.iter().filter_map(|&at| self.new_line(all[at]));
        let source = SourceText::read(sources, places.chain(rows));
        let mut lines = Vec::new();
        for (&at, costs) in top.iter().zip(costs) {
            lines.push(String::new());
            lines.extend(self.lines(&[all[at].clone()], options, &source));
            if self.row.by == GroupBy::Line {
                continue;
            }
            for end in &ENDS {
                lines.extend(self.call_table(end, all[at], &all, &owners, options));
            }
            for costs in costs {
                let mut table = new.line_table(costs, &source);
                if let Some(gap) = table.first_mut() {
                    let runs = match self.comparison.divisors().new {
                        1 => String::new(),
                        runs => format!(", in {} runs", grouped(runs)),
                    };
                    *gap = format!("Lines in the new profile{runs}:");
                    lines.push(String::new());
                }
                lines.extend(table);
            }
        }
        lines.extend(source.left_out());
        if !rest.is_empty() {
            let count = counted(rest.len() as u64, "more function");
            lines.extend([String::new(), format!("{count} found")]);
        }
        let cut = |line: String| cut_end(&line, options.room());
        Ok(lines.into_iter().map(cut).collect())
    }

    /// The calls into a function or out of it, after an empty line.
    fn call_table(
        &self,
        &(what, calls_of, other): &CallEnd,
        function: &FunctionChange<'a>,
        all: &[&FunctionChange<'a>],
        owners: &Sides<Vec<usize>>,
        options: &ReportOptions,
    ) -> Vec<String> {
        let (comparison, first) = (self.comparison, self.comparison.first());
        let mut sums: BTreeMap<usize, Sides<(i128, i128)>> = BTreeMap::new();
        for (side, profile) in Sides::EACH.zip(comparison.profiles) {
            for &id in &function.functions[side] {
                for edge in calls_of(profile, id) {
                    let sums = sums.entry(owners[side][other(&edge).index()]).or_default();
                    let (cost, calls) = &mut sums[side];
                    *cost = cost.saturating_add(first.cost(side, edge.costs()));
                    *calls = calls.saturating_add(edge.calls.into());
                }
            }
        }
        let runs = comparison.divisors();
        let mut changes: Vec<_> = sums
            .into_iter()
            .map(|(at, sums)| CallChange {
                other: all[at],
                costs: sums
                    .zip(runs)
                    .map(|((cost, _), runs)| divided(cost, runs.into())),
                calls: sums
                    .zip(runs)
                    .map(|((_, calls), runs)| CallCount::per_run(calls, runs)),
            })
            .collect();
        let size = |call: &CallChange<'_, '_>| match options.sort {
            Sort::Calls => (call.calls.new - call.calls.base).tenths,
            _ => call.change(),
        };
        changes.sort_by_key(|call| Reverse((size(call).unsigned_abs(), call.costs.new)));
        let mut lines = vec![String::new()];
        if changes.is_empty() {
            lines.push(format!("no {what}"));
            return lines;
        }
        let (top, rest) = options.split(&changes);
        let notation = self.first.notation;
        let table = TextTable::new([what, "file"], top, |call| {
            let place = SourceLocation::of(call.other.object, call.other.file, 0);
            (printable(call.other.name), place)
        })
        .with(notation.heading("change", "change"), |call| {
            signed(call.change(), notation.cost(call.change()))
        })
        .with(notation.heading("base", "base"), |call| {
            notation.cost(call.costs.base)
        })
        .with(notation.heading("new", "new"), |call| {
            notation.cost(call.costs.new)
        })
        .with_known(comparison.has_invocations(), "calls", |call| {
            let Sides { base, new } = call.calls;
            match base == new {
                true => new.to_string(),
                false => format!("{base} → {new}"),
            }
        });
        lines.extend(table.lines(options, ALIGNED_NAME));
        if !rest.is_empty() {
            let sum = rest.iter().map(CallChange::change);
            let sum = sum.fold(0, i128::saturating_add);
            let count = counted(rest.len() as u64, &format!("more {what}"));
            let sum = signed(sum, notation.with_unit(sum));
            lines.push(format!("{count} with a change of {sum}"));
        }
        lines
    }

    /// The parts that the profiled programs have named.
    fn parts(&self, options: &ReportOptions) -> Vec<String> {
        let parts = self.comparison.parts(0);
        let (top, rest) = options.split(&parts);
        let cost = |cost| in_units(cost, self.first.unit);
        let rows = top.iter().map(|part| {
            let change = match part.costs.into() {
                (Some(base), Some(new)) => {
                    let change = new.saturating_sub(base);
                    let by = signed(change, grouped(change));
                    format!(
                        "{} → {}, {by}, {}",
                        cost(base),
                        cost(new),
                        share_of_base(change, base)
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

    /// The source of the rows that are lines.
    fn source_of_rows(
        &self,
        rows: &[FunctionChange<'a>],
        sources: &mut SourceFiles,
    ) -> SourceText<'a> {
        SourceText::read(sources, rows.iter().filter_map(|row| self.new_line(row)))
    }

    /// The line of the new profile that a row is, if rows are lines.
    fn new_line(&self, row: &FunctionChange<'a>) -> Option<(&'a [u8], u64)> {
        let new = self.comparison.profiles.new;
        let function = row
            .new_function()
            .filter(|_| self.row.by == GroupBy::Line)?;
        let function = new.function(function);
        Some((new.name(function.file), function.line))
    }

    fn lines(
        &self,
        changes: &[FunctionChange<'a>],
        options: &ReportOptions,
        source: &SourceText<'_>,
    ) -> Vec<String> {
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
            let line = self
                .new_line(change)
                .and_then(|(file, line)| source.of(file, line));
            lines.extend(line);
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
        let (base, new) = change.sums.into();
        let word = match (base, new) {
            (Some(_), Some(_)) => "",
            (None, _) => "new: ",
            _ => "gone: ",
        };
        let new = new.or(base).unwrap_or_default();
        let base = base.unwrap_or(new);
        let calls = match [base.invocations, new.invocations] {
            [base, new] if base == new => new.to_string(),
            [base, new] => {
                let more = new - base;
                let sign = if new > base { "+" } else { "" };
                format!("{base} → {new} ({sign}{more})")
            }
        };
        let mark = estimate_mark(base.is_inclusive_estimated || new.is_inclusive_estimated);
        let own = both(base.self_cost, new.self_cost);
        let mut items = match self.row.is_call_site {
            true => vec![format!("{word}cost {mark}{own}")],
            false => vec![format!("{word}self {own}")],
        };
        if self.row.has_inclusive() {
            items.push(format!(
                "inclusive {mark}{}",
                both(base.inclusive, new.inclusive)
            ));
        }
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
                _ => lines.push(INDENT.to_owned() + &item),
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
