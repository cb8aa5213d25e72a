//! Functions as a table, for a terminal or a log.

mod comparison;
mod lines;

use std::cmp::Reverse;
use std::io::Write;

pub use self::comparison::write_comparison;
use self::lines::{CostliestLines, SourceText};
use super::figures::summary::{ProfileSummary, fact};
use super::figures::table::{SourceLocation, TextTable};
use super::{ReportOptions, Sort};
use crate::display::numbers::{counted, grouped, percent};
use crate::io::SourceFiles;
use crate::names::{NameQuery, cut_end};
pub use crate::output::figures::ViewError as Error;
use crate::profile::{Cost, EdgeRef, FunctionId, GroupBy, Profile};
use crate::tables::first_cost;

/// Longer names push their places aside where there is no width to keep to.
const ALIGNED_NAME: usize = 60;

/// Writes what was profiled, its sums, and tables of its functions, in lines of UTF-8.
///
/// A function that is asked for is shown with its callers, its callees and its lines, whose source is
/// shown as far as `sources` has it.
///
/// Percentages are relative to the total of all self costs. Functions with equal costs are in the
/// order of their numbers. Only printable characters are written, whatever names contain.
///
/// # Errors
///
/// When the output fails, or, before anything is written, when there is no function of the name
/// that was asked for.
pub fn write(
    profile: &Profile,
    options: &ReportOptions,
    sources: &mut SourceFiles,
    mut output: impl Write,
) -> Result<(), Error> {
    let report = ProfileSummary::new(profile, options);
    let lines = match &options.function {
        Some(name) => report.views(name, sources)?,
        None => report.top_functions(sources)?,
    };
    for line in lines {
        writeln!(output, "{}", cut_end(&line, options.room()))?;
    }
    Ok(output.flush()?)
}

impl ProfileSummary<'_> {
    fn top_functions(&self, sources: &mut SourceFiles) -> Result<Vec<String>, Error> {
        let mut lines = self.heading();
        let functions = match &self.options.filter {
            None => self.all_functions(),
            Some(text) => {
                let query = NameQuery::new(text);
                let functions = self.functions_at(&query.containing(&self.names())?);
                let found = self.together(&functions, self.row.by.name());
                lines.push(fact(
                    "filter",
                    format!("\"{}\" matches {found}", query.text()),
                ));
                functions
            }
        };
        lines.extend(self.part_table());
        let (top, rest) = self.options.split(&functions);
        if !top.is_empty() {
            lines.push(String::new());
            let source = self.source_of_rows(top, sources);
            lines.extend(self.function_table(top, &source));
        }
        if let Some(rest) = self.rest(rest) {
            lines.extend([String::new(), rest]);
        }
        Ok(lines)
    }

    /// The named parts after an empty line, if there are any.
    fn part_table(&self) -> Vec<String> {
        let parts = self.parts();
        let (top, rest) = self.options.split(&parts);
        if top.is_empty() {
            return Vec::new();
        }
        let first = self.first();
        let total = |part: &(String, Vec<i128>), at: usize| part.1.get(at).copied().unwrap_or(0);
        let mut table = TextTable::new(["part", ""], top, |part| {
            (part.0.clone(), SourceLocation::default())
        })
        .with("total %", |part| first.share(total(part, 0)))
        .with(first.notation.heading("total", "total"), |part| {
            first.notation.cost(total(part, 0))
        });
        for (at, event) in self.further() {
            table = table.with(event.heading(), |part| event.notation.cost(total(part, at)));
        }
        let mut lines = vec![String::new()];
        lines.extend(table.lines(self.options, ALIGNED_NAME));
        if !rest.is_empty() {
            let cost = rest.iter().map(|part| total(part, 0)).sum::<i128>();
            let count = counted(rest.len() as u64, "more part");
            lines.push(format!("{count} with a cost of {}", first.with_share(cost)));
        }
        lines
    }

    /// Functions of a name, each with its callers, callees and lines.
    fn views(&self, name: &[u8], sources: &mut SourceFiles) -> Result<Vec<String>, Error> {
        let query = NameQuery::new(name);
        let (found, most) = query.find(&self.names())?;
        let functions = self.functions_at(&found);
        let count = self.options.top.unwrap_or(usize::MAX).min(most);
        let (top, rest) = functions.split_at(count.min(functions.len()));
        let mut lines = self.heading();
        if self.row.by == GroupBy::Line {
            lines.push(String::new());
            let source = self.source_of_rows(top, sources);
            lines.extend(self.function_table(top, &source));
            return Ok(lines);
        }
        let costs: Vec<_> = top.iter().map(|&id| self.costliest_lines(id)).collect();
        let source = SourceText::read(sources, costs.iter().flat_map(CostliestLines::places));
        for (&id, costs) in top.iter().zip(costs) {
            lines.push(String::new());
            lines.extend(self.function_table(&[id], &SourceText::default()));
            let callers = self.profile.called_from(id).collect();
            lines.extend(self.call_table(id, "caller", callers, |edge| edge.caller));
            let callees = self.profile.sub_calls(id).collect();
            lines.extend(self.call_table(id, "callee", callees, |edge| edge.callee));
            if self.row.by == GroupBy::Function {
                lines.extend(self.line_table(costs, &source));
            }
        }
        lines.extend(source.left_out());
        if !rest.is_empty() {
            let count = counted(rest.len() as u64, "more function");
            lines.extend([String::new(), format!("{count} found")]);
        }
        Ok(lines)
    }

    /// The source of the rows that are lines.
    fn source_of_rows(&self, rows: &[FunctionId], sources: &mut SourceFiles) -> SourceText<'_> {
        let rows = rows.iter().filter(|_| self.row.by == GroupBy::Line);
        let rows = rows.map(|&id| self.profile.function(id));
        let places = rows.map(|row| (self.profile.name(row.file), row.line));
        SourceText::read(sources, places)
    }

    /// Functions with their figures; lines with their source below, where there is any.
    fn function_table(&self, functions: &[FunctionId], source: &SourceText<'_>) -> Vec<String> {
        let profile = self.profile;
        let mut table = self.table(functions, |function| {
            let [object, file] = [function.object, function.file].map(|name| profile.name(name));
            SourceLocation::of(object, file, function.line)
        });
        for (at, event) in self.further() {
            let cost = |costs| event.notation.cost(cost_of(costs, at));
            table = table
                .with(format!("{} {}", self.row.cost(), event.heading()), |&id| {
                    cost(profile.self_costs(id))
                })
                .with_known(
                    self.row.has_inclusive(),
                    &format!("incl {}", event.heading()),
                    |&id| cost(profile.inclusive_costs(id)),
                );
        }
        let mut rows = table.lines(self.options, ALIGNED_NAME).into_iter();
        let mut lines: Vec<String> = rows.next().into_iter().collect();
        for (row, &id) in rows.zip(functions) {
            let function = profile.function(id);
            lines.push(row);
            lines.extend(source.of(profile.name(function.file), function.line));
        }
        lines
    }

    /// The calls into a function or out of it, after an empty line; `function` is the one at their
    /// other end.
    ///
    /// Shares are those of the function's cost or, where it is more, of all these calls: recursion
    /// counts twice there, and Xdebug rounds calls and what is in them apart.
    fn call_table(
        &self,
        id: FunctionId,
        other: &'static str,
        mut calls: Vec<EdgeRef<'_>>,
        function: fn(&EdgeRef<'_>) -> FunctionId,
    ) -> Vec<String> {
        let mut lines = vec![String::new()];
        if calls.is_empty() {
            lines.push(format!("no {other}"));
            return lines;
        }
        let cost = |call: &EdgeRef<'_>| first_cost(call.costs());
        calls.sort_by_key(|call| {
            Reverse(match self.options.sort {
                Sort::Calls => i128::from(call.calls),
                _ => cost(call).into(),
            })
        });
        let first = self.first();
        let plain = calls.iter().filter(|call| !self.profile.is_recursive(call));
        let paid: i128 = plain.map(|call| i128::from(cost(call))).sum();
        let whole = paid.max(first_cost(self.profile.inclusive_costs(id)).into());
        let (top, rest) = self.options.split(&calls);
        let mut table = TextTable::new([other, "called at"], top, |call| {
            let place = SourceLocation::in_file(self.profile.call_file(call), call.line);
            (self.name(function(call)), place)
        })
        .with("% of incl", |call| match self.profile.is_recursive(call) {
            true => "recursive".to_owned(),
            false => percent(cost(call), whole),
        })
        .with(first.notation.heading("cost", "cost"), |call| {
            first.notation.cost(cost(call))
        })
        .with_known(self.profile.has_invocations(), "calls", |call| {
            grouped(call.calls)
        });
        for (at, event) in self.further() {
            table = table.with(event.heading(), |call| {
                event.notation.cost(cost_of(call.costs(), at))
            });
        }
        lines.extend(table.lines(self.options, ALIGNED_NAME));
        if !rest.is_empty() {
            let sum: i128 = rest.iter().map(|call| i128::from(cost(call))).sum();
            let (cost, share) = (first.notation.with_unit(sum), percent(sum, whole));
            let count = counted(rest.len() as u64, &format!("more {other}"));
            lines.push(format!("{count} with a cost of {cost} ({share} %)"));
        }
        lines
    }
}

/// The cost of an event in a row, of which zeros at the end may be missing.
fn cost_of(costs: &[Cost], event: usize) -> Cost {
    costs.get(event).copied().unwrap_or(0)
}
