//! A comparison of two profiles as a table, with two lines per function.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::Write;

use super::lines::{CostliestLines, INDENT, SourceText};
use super::{CALL_ENDS, CallsOf, omitted};
use crate::compare::{CallCount, Comparison, FunctionChange, FunctionSums, Sides, Transition};
use crate::display::numbers::{counted, divided, grouped};
use crate::display::text::printable;
use crate::display::units::in_units;
use crate::io::SourceFiles;
use crate::names::{NameQuery, Named, width_of};
use crate::output::figures::summary::{ComparisonSummary, ProfileSummary, fact};
use crate::output::figures::table::TextTable;
use crate::output::figures::{
    ViewError, absence, both_sides, either, marked, sides_and_change, signed, write_lines,
};
use crate::output::{ReportOptions, Sort};
use crate::profile::GroupBy;

/// The width to which details are wrapped without a terminal.
const LOG_WIDTH: usize = 80;

/// Without a terminal, longer names push their files aside.
const ALIGNED_NAME: usize = 30;

/// Writes the totals of both sides and the functions that changed, in lines of UTF-8.
///
/// A [requested](ReportOptions::function) function is shown with its callers, its callees, and its lines
/// in the new profile with the source code that `sources` contains.
///
/// # Errors
///
/// When the output fails, or if neither side has a function of the requested name; nothing is
/// written then.
pub fn write_comparison(
    comparison: &Comparison<'_>,
    options: &ReportOptions,
    sources: &mut SourceFiles,
    output: impl Write,
) -> Result<(), ViewError> {
    let report = ComparisonSummary::new(comparison, options);
    let lines = match &options.function {
        Some(name) => report.views(name, sources)?,
        None => report.changed(sources)?,
    };
    Ok(write_lines(lines, options, output)?)
}

/// The calls between a function and another one, on both sides.
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

impl<'a> ComparisonSummary<'a> {
    /// The table of changed functions.
    fn changed(&self, sources: &mut SourceFiles) -> Result<Vec<String>, ViewError> {
        let all = &self.comparison.changes;
        let mut chosen: Vec<&FunctionChange<'a>> = all.iter().collect();
        let mut lines = self.heading();
        lines.extend(self.parts());
        if let Some(text) = &self.options.filter {
            let query = NameQuery::new(text);
            let found = query.containing(&self.names())?;
            chosen = found.iter().filter_map(|&at| all.get(at)).collect();
            let by = match self.row.is_call_site {
                true => String::new(),
                false => {
                    let sum = self.first.change_in_unit(self.sum(&chosen));
                    format!(", by {sum} in total")
                }
            };
            let count = counted(found.len() as u64, self.row.by.name());
            let changed = grouped(chosen.len() as u64);
            let found = format!(
                "\"{}\" matches {count}: {changed} changed{by}",
                query.text()
            );
            lines.push(fact("filter", found));
        }
        let size = |change: &FunctionChange<'_>| match self.options.sort {
            Sort::SelfCost => change.self_cost(),
            Sort::Inclusive => change.inclusive(),
            Sort::Calls => change.calls().tenths,
        };
        // They are already sorted by self cost.
        if self.options.sort != Sort::SelfCost {
            chosen.sort_by_key(|change| Reverse(size(change).unsigned_abs()));
        }
        let (top, rest) = self.options.split(&chosen);
        if !top.is_empty() {
            let places = top.iter().filter_map(|row| self.new_place(row));
            lines.extend(self.function_table(top, &SourceText::read(sources, places)));
        }
        let unchanged = self.unchanged().filter(|_| self.options.filter.is_none());
        let mut rest = self.rest(rest).into_iter().chain(unchanged).peekable();
        lines.extend(rest.peek().map(|_| String::new()));
        lines.extend(rest);
        Ok(lines)
    }

    /// The names for searching functions. Functions that changed come first.
    fn names(&self) -> Vec<Named<'a>> {
        let functions = self.comparison.functions();
        functions.map(|row| self.named(row)).collect()
    }

    /// The functions of a name, each with its callers, callees and lines.
    fn views(&self, name: &[u8], sources: &mut SourceFiles) -> Result<Vec<String>, ViewError> {
        let (found, most) = NameQuery::new(name).find(&self.names())?;
        let (top, rest) = found.split_at(self.options.most(found.len()).min(most));
        let all: Vec<_> = self.comparison.functions().collect();
        let top: Vec<_> = top.iter().map(|&at| all[at]).collect();
        let positions = self.comparison.positions();
        let new = ProfileSummary::new(self.comparison.profiles.new, self.options);
        let costs = top.iter().flat_map(|row| &row.functions.new);
        let mut costs: Vec<_> = costs.map(|&id| new.costliest_lines(id)).collect();
        let places = costs.iter().flat_map(CostliestLines::places);
        let rows = top.iter().filter_map(|row| self.new_place(row));
        let source = SourceText::read(sources, places.chain(rows));
        let runs = match self.comparison.divisors().new {
            1 => String::new(),
            runs => format!(", in {} runs", grouped(runs)),
        };
        let above_lines = [String::new(), format!("Lines in the new profile{runs}:")];
        let mut lines = self.heading();
        for function in top {
            lines.extend(self.function_table(&[function], &source));
            let costs = costs.drain(..function.functions.new.len());
            if self.row.by == GroupBy::Line {
                continue;
            }
            for end in CALL_ENDS {
                lines.extend(self.call_table(function, end, &all, &positions));
            }
            lines.extend(costs.flat_map(|costs| new.line_table(costs, &source, &above_lines)));
        }
        lines.extend(omitted(&source, self.row, rest.len()));
        Ok(lines)
    }

    /// The calls into a function or out of it, after an empty line. `positions` are those of the
    /// functions of each profile among `all`.
    fn call_table(
        &self,
        function: &FunctionChange<'a>,
        (end, calls_of): (&str, CallsOf),
        all: &[&FunctionChange<'a>],
        positions: &Sides<Vec<usize>>,
    ) -> Vec<String> {
        let (comparison, first) = (self.comparison, &self.first);
        let mut sums: BTreeMap<usize, Sides<(i128, i128)>> = BTreeMap::new();
        for (side, profile) in Sides::EACH.zip(comparison.profiles) {
            for &id in &function.functions[side] {
                for (other, call) in calls_of(profile, id) {
                    let other = positions[side][other.index()];
                    let (cost, calls) = &mut sums.entry(other).or_default()[side];
                    *cost = cost.saturating_add(first.cost_on(side, call.costs()));
                    *calls = calls.saturating_add(call.calls.into());
                }
            }
        }
        let changes = sums.into_iter().map(|(other, sums)| {
            let sums = sums.zip(comparison.divisors());
            CallChange {
                other: all[other],
                costs: sums.map(|((cost, _), runs)| divided(cost, runs.into())),
                calls: sums.map(|((_, calls), runs)| CallCount::per_run(calls, runs)),
            }
        });
        let mut changes: Vec<_> = changes.collect();
        if changes.is_empty() {
            return vec![String::new(), format!("no {end}")];
        }
        let size = |call: &CallChange<'_, '_>| match self.options.sort {
            Sort::Calls => (call.calls.new - call.calls.base).tenths,
            _ => call.change(),
        };
        changes.sort_by_key(|call| Reverse((size(call).unsigned_abs(), call.costs.new)));
        let notation = first.notation;
        let (top, rest) = self.options.split(&changes);
        let mut lines = TextTable::new([end, "file"], top, |call| Named {
            name: call.other.name,
            object: call.other.object,
            file: call.other.file,
            ..Named::default()
        })
        .with(notation.heading("change", "change"), |call| {
            first.change(call.change())
        })
        .with(notation.heading("base", "base"), |call| {
            notation.cost(call.costs.base)
        })
        .with(notation.heading("new", "new"), |call| {
            notation.cost(call.costs.new)
        })
        .with_known(comparison.has_invocations(), "calls", |call| {
            both_sides(call.calls, |calls| calls.to_string())
        })
        .lines(self.options, ALIGNED_NAME);
        if !rest.is_empty() {
            let changes = rest.iter().map(CallChange::change);
            let change = first.change_in_unit(changes.fold(0, i128::saturating_add));
            let count = counted(rest.len() as u64, &format!("more {end}"));
            lines.push(format!("{count} with a total change of {change}"));
        }
        lines
    }

    /// Lines about named parts.
    fn parts(&self) -> Vec<String> {
        let parts = self.comparison.parts(0);
        let (top, rest) = self.options.split(&parts);
        let cost = |cost| in_units(cost, self.first.unit);
        let rows = top.iter().map(|part| {
            let costs = either(part.costs);
            let change = match absence(part.costs) {
                Some(word) => format!("{word}, {}", cost(costs.new)),
                None => sides_and_change(costs, cost),
            };
            fact("part", format!("{}: {change}", printable(part.name)))
        });
        let more = counted(rest.len() as u64, "more part");
        let rest = (!rest.is_empty()).then(|| fact("", format!("… {more}")));
        rows.chain(rest).collect()
    }

    /// The file and number of a row in the new profile, if rows are lines.
    fn new_place(&self, row: &FunctionChange<'a>) -> Option<(&'a [u8], u64)> {
        row.new_function()?;
        self.row.place(self.named(row))
    }

    /// A table of functions with their details, after an empty line.
    fn function_table(
        &self,
        changes: &[&FunctionChange<'a>],
        source: &SourceText<'_>,
    ) -> Vec<String> {
        self.table(changes)
            .with_growth(|change| change.self_cost())
            .with_below(|change| {
                let source = self.new_place(change).and_then(|line| source.below(line));
                self.details(change).into_iter().chain(source).collect()
            })
            .lines(self.options, ALIGNED_NAME)
    }

    /// The figures of both sides, wrapped to the width.
    fn details(&self, change: &FunctionChange<'_>) -> Vec<String> {
        let word = absence(change.sums).map_or_else(String::new, |word| format!("{word}: "));
        let sides = either(change.sums);
        let cost = |of: fn(FunctionSums) -> i128| {
            both_sides(sides.map(of), |cost| self.first.notation.cost(cost))
        };
        let mut each = sides.into_iter();
        let is_estimated = each.any(|sums| sums.is_inclusive_estimated);
        let own = cost(|sums| sums.self_cost);
        let mut items = vec![match self.row.is_call_site {
            true => format!("{word}cost {}", marked(is_estimated, own)),
            false => format!("{word}self {own}"),
        }];
        if self.row.has_inclusive() {
            let inclusive = marked(is_estimated, cost(|sums| sums.inclusive));
            items.push(format!("inclusive {inclusive}"));
        }
        if self.comparison.has_invocations() {
            let calls = sides.map(|sums| sums.invocations);
            let more = calls.new - calls.base;
            let by = match more.tenths {
                0 => String::new(),
                tenths => format!(" ({})", signed(tenths, more.to_string())),
            };
            let calls = both_sides(calls, |calls| calls.to_string());
            items.push(format!("calls {calls}{by}"));
        }
        items.extend(change.transition.as_ref().map(Transition::to_string));
        let width = self.options.room().unwrap_or(LOG_WIDTH);
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
