//! Functions as a table, for a terminal or a log.

mod comparison;
mod lines;

use std::cmp::Reverse;
use std::io::Write;

pub use self::comparison::write_comparison;
use self::lines::{CostliestLines, SourceText};
use super::figures::row::RowKind;
use super::figures::summary::{ProfileSummary, fact};
use super::figures::table::TextTable;
use super::figures::{part_rows, write_lines};
use super::{ReportOptions, Sort};
use crate::display::numbers::{counted, grouped, percent};
use crate::io::SourceFiles;
use crate::names::{NameQuery, Named};
pub use crate::output::figures::ViewError as Error;
use crate::profile::{EdgeRef, FunctionId, GroupBy, Profile};

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
    output: impl Write,
) -> Result<(), Error> {
    let report = ProfileSummary::new(profile, options);
    let lines = match &options.function {
        Some(name) => report.views(name, sources)?,
        None => report.top_functions(sources)?,
    };
    Ok(write_lines(lines, options, output)?)
}

/// Returns the calls of a function, each with the function at its other end.
type CallsOf = fn(&Profile, FunctionId) -> Vec<(FunctionId, EdgeRef<'_>)>;

/// The calls into a function and those out of it, by the name of their other end.
const CALL_ENDS: [(&str, CallsOf); 2] = [
    ("caller", |profile, id| {
        let calls = profile.called_from(id);
        calls.map(|call| (call.caller, call)).collect()
    }),
    ("callee", |profile, id| {
        let calls = profile.sub_calls(id);
        calls.map(|call| (call.callee, call)).collect()
    }),
];

/// Lines about omitted source lines and functions, each after an empty line.
fn omitted(source: &SourceText<'_>, row: RowKind, rest: usize) -> impl Iterator<Item = String> {
    let more = counted(rest as u64, &format!("more {}", row.by.name()));
    let found = (rest > 0).then(|| format!("{more} found"));
    let lines = source.left_out().into_iter().chain(found);
    lines.flat_map(|line| [String::new(), line])
}

impl<'a> ProfileSummary<'a> {
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
            let source = SourceText::read(sources, self.places(top));
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
        let (top, rest) = self.options.split(&parts);
        let mut lines = TextTable::named("part", top, |(name, _)| name.clone())
            .with("total %", |(_, totals)| first.share(first.cost(totals)))
            .with(first.notation.heading("total", "total"), |(_, totals)| {
                first.shown(totals)
            })
            .with_events(self.further(), |(_, totals)| totals)
            .lines(self.options, ALIGNED_NAME);
        if !rest.is_empty() {
            let cost: i128 = rest.iter().map(|(_, totals)| first.cost(totals)).sum();
            let (count, cost) = (rest.len() as u64, first.with_share(cost));
            let count = counted(count, "more part");
            lines.push(format!("{count} with a total cost of {cost}"));
        }
        lines
    }

    /// The functions of a name, each with its callers, callees and lines.
    fn views(&self, name: &[u8], sources: &mut SourceFiles) -> Result<Vec<String>, Error> {
        let (found, most) = NameQuery::new(name).find(&self.names())?;
        let functions = self.functions_at(&found);
        let (top, rest) = functions.split_at(self.options.most(functions.len()).min(most));
        let costs: Vec<_> = top.iter().map(|&id| self.costliest_lines(id)).collect();
        let places = costs.iter().flat_map(CostliestLines::places);
        let source = SourceText::read(sources, places.chain(self.places(top)));
        let mut lines = self.heading();
        if self.row.by == GroupBy::Line {
            lines.extend(self.function_table(top, &source));
            lines.extend(omitted(&source, self.row, rest.len()));
            return Ok(lines);
        }
        for (&id, costs) in top.iter().zip(costs) {
            lines.extend(self.function_table(&[id], &source));
            for (end, calls) in CALL_ENDS {
                lines.extend(self.call_table(id, end, calls(self.profile, id)));
            }
            if self.row.by == GroupBy::Function {
                lines.extend(self.line_table(costs, &source, &[String::new()]));
            }
        }
        lines.extend(omitted(&source, self.row, rest.len()));
        Ok(lines)
    }

    /// The files and numbers of rows, if rows are lines.
    fn places(&self, rows: &[FunctionId]) -> impl Iterator<Item = (&'a [u8], u64)> {
        rows.iter().filter_map(|&id| self.row.place(self.named(id)))
    }

    /// A table of functions after an empty line. If rows are lines, their source is below them, as far
    /// as it is known.
    fn function_table(&self, functions: &[FunctionId], source: &SourceText<'_>) -> Vec<String> {
        let profile = self.profile;
        let table = self.table(functions).with_below(|&id| {
            let place = self.row.place(self.named(id));
            Vec::from_iter(place.and_then(|place| source.below(place)))
        });
        let further = self.further().iter();
        let table = further.fold(table, |table, event| {
            let inclusive = format!("incl {}", event.heading());
            table
                .with(format!("{} {}", self.row.cost(), event.heading()), |&id| {
                    event.shown(profile.self_costs(id))
                })
                .with_known(self.row.has_inclusive(), &inclusive, |&id| {
                    event.shown(profile.inclusive_costs(id))
                })
        });
        table.lines(self.options, ALIGNED_NAME)
    }

    /// The calls into a function or out of it, after an empty line.
    ///
    /// Percentages are relative to the inclusive cost of the function, or to the sum of these calls if
    /// that is larger: recursion counts twice there, and Xdebug rounds costs of calls separately.
    fn call_table(
        &self,
        id: FunctionId,
        end: &str,
        mut calls: Vec<(FunctionId, EdgeRef<'_>)>,
    ) -> Vec<String> {
        let (profile, first) = (self.profile, self.first());
        if calls.is_empty() {
            return vec![String::new(), format!("no {end}")];
        }
        let cost = |(_, call): &(_, EdgeRef<'_>)| first.cost(call.costs());
        let is_recursive = |(_, call): &(_, EdgeRef<'_>)| profile.is_recursive(call, id);
        calls.sort_by_key(|call| {
            Reverse(match self.options.sort {
                Sort::Calls => call.1.calls.into(),
                _ => cost(call),
            })
        });
        let plain = calls.iter().filter(|call| !is_recursive(call));
        let inclusive = first.cost(profile.inclusive_costs(id));
        let whole = inclusive.max(plain.map(cost).sum());
        let (top, rest) = self.options.split(&calls);
        let mut lines = TextTable::new([end, "called at"], top, |(other, call)| Named {
            name: self.named(*other).name,
            file: profile.call_file(call),
            line: call.line,
            ..Named::default()
        })
        .with("% of incl", |call| match is_recursive(call) {
            true => "recursive".to_owned(),
            false => percent(cost(call), whole),
        })
        .with(first.notation.heading("cost", "cost"), |(_, call)| {
            first.shown(call.costs())
        })
        .with_known(profile.has_invocations(), "calls", |(_, call)| {
            grouped(call.calls)
        })
        .with_events(self.further(), |(_, call)| call.costs())
        .lines(self.options, ALIGNED_NAME);
        if !rest.is_empty() {
            let cost = first.with_share_of(rest.iter().map(cost).sum::<i128>(), whole);
            let count = counted(rest.len() as u64, &format!("more {end}"));
            lines.push(format!("{count} with a total cost of {cost}"));
        }
        lines
    }
}
