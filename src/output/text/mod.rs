//! Functions as a table, for a terminal or a log.

mod comparison;
mod lines;

use std::cmp::Reverse;
use std::io::Write;

pub use self::comparison::write_comparison;
use self::lines::{CostliestLines, SourceText};
use super::figures::summary::{ProfileSummary, RowKind, fact};
use super::figures::table::{SourceLocation, TextTable};
use super::{ReportOptions, Sort};
use crate::display::numbers::{counted, grouped, percent};
use crate::io::SourceFiles;
use crate::names::{NameQuery, cut_end};
pub use crate::output::figures::ViewError as Error;
use crate::output::figures::part_rows;
use crate::profile::{Cost, EdgeRef, FunctionId, GroupBy, Profile};

/// Without a terminal, longer names push their locations aside.
const ALIGNED_NAME: usize = 60;

/// Writes the command, the totals, and tables of functions, in lines of UTF-8.
///
/// A [requested](ReportOptions::function) function is shown with its callers, its callees and its lines,
/// and with the source code that `sources` contains.
///
/// Percentages are relative to the total of all self costs. Functions with equal costs are in the
/// order of their numbers. Only printable characters are written, whatever names contain.
///
/// # Errors
///
/// When the output fails, or if no function has the requested name; nothing is written then.
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

/// The other end of the calls of a function: its callers, or its callees.
struct CallEnd {
    name: &'static str,
    calls: fn(&Profile, FunctionId) -> Vec<EdgeRef<'_>>,
    function: fn(&EdgeRef<'_>) -> FunctionId,
}

const CALL_ENDS: [CallEnd; 2] = [
    CallEnd {
        name: "caller",
        calls: |profile, id| profile.called_from(id).collect(),
        function: |call| call.caller,
    },
    CallEnd {
        name: "callee",
        calls: |profile, id| profile.sub_calls(id).collect(),
        function: |call| call.callee,
    },
];

/// A table of the first rows after an empty line, and a line for the others.
fn table_of<'t, T>(
    rows: &'t [T],
    (options, aligned): (&ReportOptions, usize),
    table: impl FnOnce(&'t [T]) -> TextTable<'t, T>,
    together: impl FnOnce(&[T]) -> String,
) -> Vec<String> {
    let (top, rest) = options.split(rows);
    let mut lines = vec![String::new()];
    lines.extend(table(top).lines(options, aligned));
    lines.extend((!rest.is_empty()).then(|| together(rest)));
    lines
}

/// Lines about omitted source lines and functions, each after an empty line.
fn omitted(source: &SourceText<'_>, row: RowKind, rest: usize) -> impl Iterator<Item = String> {
    let more = counted(rest as u64, &format!("more {}", row.by.name()));
    let found = (rest > 0).then(|| format!("{more} found"));
    let lines = source.left_out().into_iter().chain(found);
    lines.flat_map(|line| [String::new(), line])
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
                let text = query.text();
                lines.push(fact("filter", format!("\"{text}\" matches {found}")));
                functions
            }
        };
        lines.extend(self.part_table());
        let (top, rest) = self.options.split(&functions);
        if !top.is_empty() {
            let source = self.source_of_rows(top, sources);
            lines.extend(self.function_table(top, &source));
        }
        if let Some(rest) = self.rest(rest) {
            lines.extend([String::new(), rest]);
        }
        Ok(lines)
    }

    /// The table of named parts, if there are any.
    fn part_table(&self) -> Vec<String> {
        let (first, parts) = (self.first(), part_rows(self.profile));
        if parts.is_empty() {
            return Vec::new();
        }
        let total = |(_, totals): &(_, Vec<i128>), at: usize| totals.get(at).copied().unwrap_or(0);
        let table = |top| {
            let table = TextTable::named("part", top, |(name, _): &(String, _)| name.clone())
                .with("total %", |part| first.share(total(part, 0)))
                .with(first.notation.heading("total", "total"), |part| {
                    first.notation.cost(total(part, 0))
                });
            self.further().fold(table, |table, (at, event)| {
                table.with(event.heading(), |part| event.notation.cost(total(part, at)))
            })
        };
        table_of(&parts, (self.options, ALIGNED_NAME), table, |rest| {
            let cost = rest.iter().map(|part| total(part, 0)).sum::<i128>();
            let count = counted(rest.len() as u64, "more part");
            format!("{count} with a total cost of {}", first.with_share(cost))
        })
    }

    /// The functions of a name, each with its callers, callees and lines.
    fn views(&self, name: &[u8], sources: &mut SourceFiles) -> Result<Vec<String>, Error> {
        let (found, most) = NameQuery::new(name).find(&self.names())?;
        let functions = self.functions_at(&found);
        let (top, rest) = functions.split_at(self.options.most(functions.len()).min(most));
        let mut lines = self.heading();
        if self.row.by == GroupBy::Line {
            let source = self.source_of_rows(top, sources);
            lines.extend(self.function_table(top, &source));
            lines.extend(omitted(&source, self.row, rest.len()));
            return Ok(lines);
        }
        let costs: Vec<_> = top.iter().map(|&id| self.costliest_lines(id)).collect();
        let source = SourceText::read(sources, costs.iter().flat_map(CostliestLines::places));
        for (&id, costs) in top.iter().zip(costs) {
            lines.extend(self.function_table(&[id], &SourceText::default()));
            for end in &CALL_ENDS {
                lines.extend(self.call_table(id, end));
            }
            if self.row.by == GroupBy::Function {
                lines.extend(self.line_table(costs, &source));
            }
        }
        lines.extend(omitted(&source, self.row, rest.len()));
        Ok(lines)
    }

    /// The source of rows, if they are lines.
    fn source_of_rows(&self, rows: &[FunctionId], sources: &mut SourceFiles) -> SourceText<'_> {
        let rows = rows.iter().filter(|_| self.row.by == GroupBy::Line);
        let places = rows.map(|&id| {
            let row = self.profile.function(id);
            (self.profile.name(row.file), row.line)
        });
        SourceText::read(sources, places)
    }

    /// A table of functions after an empty line. If rows are lines, their source is below them, as far
    /// as it is known.
    fn function_table(&self, functions: &[FunctionId], source: &SourceText<'_>) -> Vec<String> {
        let profile = self.profile;
        let table = self
            .further()
            .fold(self.table(functions), |table, (at, event)| {
                let cost = move |costs| event.notation.cost(cost_of(costs, at));
                let inclusive = format!("incl {}", event.heading());
                table
                    .with(format!("{} {}", self.row.cost(), event.heading()), |&id| {
                        cost(profile.self_costs(id))
                    })
                    .with_known(self.row.has_inclusive(), &inclusive, |&id| {
                        cost(profile.inclusive_costs(id))
                    })
            });
        let mut rows = table.lines(self.options, ALIGNED_NAME).into_iter();
        let mut lines = vec![String::new()];
        lines.extend(rows.next());
        for (row, &id) in rows.zip(functions) {
            let function = profile.function(id);
            lines.push(row);
            lines.extend(source.of(profile.name(function.file), function.line));
        }
        lines
    }

    /// The calls into a function or out of it, after an empty line.
    ///
    /// Percentages are relative to the inclusive cost of the function, or to the sum of these calls if
    /// that is larger: recursion counts twice there, and Xdebug rounds costs of calls separately.
    fn call_table(&self, id: FunctionId, end: &CallEnd) -> Vec<String> {
        let (profile, first) = (self.profile, self.first());
        let mut calls = (end.calls)(profile, id);
        if calls.is_empty() {
            return vec![String::new(), format!("no {}", end.name)];
        }
        let cost = |call: &EdgeRef<'_>| cost_of(call.costs(), 0);
        calls.sort_by_key(|call| {
            Reverse(match self.options.sort {
                Sort::Calls => call.calls.into(),
                _ => cost(call),
            })
        });
        let plain = calls.iter().filter(|call| !profile.is_recursive(call, id));
        let inclusive = cost_of(profile.inclusive_costs(id), 0);
        let whole = inclusive.max(plain.map(cost).sum());
        let table = |top| {
            let table = TextTable::new([end.name, "called at"], top, |call| {
                let place = SourceLocation::in_file(profile.call_file(call), call.line);
                (self.name((end.function)(call)), place)
            })
            .with("% of incl", |call| match profile.is_recursive(call, id) {
                true => "recursive".to_owned(),
                false => percent(cost(call), whole),
            })
            .with(first.notation.heading("cost", "cost"), |call| {
                first.notation.cost(cost(call))
            })
            .with_known(profile.has_invocations(), "calls", |call| {
                grouped(call.calls)
            });
            self.further().fold(table, |table, (at, event)| {
                table.with(event.heading(), |call| {
                    event.notation.cost(cost_of(call.costs(), at))
                })
            })
        };
        table_of(&calls, (self.options, ALIGNED_NAME), table, |rest| {
            let sum: i128 = rest.iter().map(cost).sum();
            let cost = first.with_share_of(sum, whole);
            let count = counted(rest.len() as u64, &format!("more {}", end.name));
            format!("{count} with a total cost of {cost}")
        })
    }
}

/// The cost of an event in a row. Zeros at the end of a row may be missing.
fn cost_of(costs: &[Cost], event: usize) -> i128 {
    costs.get(event).copied().unwrap_or(0).into()
}
