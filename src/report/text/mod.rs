//! Functions as a table, for a terminal or a log.

mod comparison;

use std::cmp::Reverse;
use std::fmt::Display;
use std::io::{self, Write};

use thiserror::Error;

pub use self::comparison::write_comparison;
pub(super) use self::comparison::{ComparisonReport, per_run};
use super::figures::{EventFigures, counted, in_units};
use super::table::{Place, Table};
use crate::profile::{Cost, EdgeRef, Function, FunctionId, Profile, ProfileKind, first_cost};
use crate::shown::names::{SHORT, Wanted, cut_end, short_names};
use crate::shown::numbers::grouped;
use crate::shown::text::printable;

/// Longer names push their places aside where there is no width to keep to.
const ALIGNED_NAME: usize = 60;

/// Options of the text report and the tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// How many rows are shown at most; the rest is summed up in one line.
    pub top: Option<usize>,
    /// What functions are sorted by, highest first.
    pub sort: Sort,
    /// Only functions whose names contain this are shown, ignoring case. `…` stands for anything.
    pub filter: Option<Vec<u8>>,
    /// Only the functions of this name are shown, each with its callers and callees: of the whole
    /// name, or else of one that is shown like this, or else of names that contain it.
    pub function: Option<Vec<u8>>,
    /// The columns of a terminal, to which lines are cut.
    pub width: Option<usize>,
    /// How long names are shown.
    pub names: Names,
    /// Whether changes are coloured.
    pub color: bool,
}

impl Options {
    /// The columns that lines are cut to.
    pub(super) fn room(&self) -> Option<usize> {
        self.width.filter(|_| self.names != Names::Full)
    }

    /// The columns that names are shortened to where there is no terminal.
    pub(super) fn name_width(&self) -> Option<usize> {
        (self.width.is_none() && self.names == Names::Short).then_some(SHORT)
    }

    /// The rows that are shown, and those that are only counted.
    fn split<'a, T>(&self, rows: &'a [T]) -> (&'a [T], &'a [T]) {
        rows.split_at_checked(self.top.unwrap_or(usize::MAX))
            .unwrap_or((rows, &[]))
    }
}

/// How long names are shown.
///
/// Short names leave out template arguments, parameter lists, the folders of paths and outer
/// namespaces, as far as they have to. In one table, names that differ are shown differently.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[non_exhaustive]
pub enum Names {
    /// What a terminal has room for; in full where there is none.
    #[default]
    Auto,
    /// What a terminal has room for, or 80 columns.
    Short,
    /// Every name in full.
    Full,
}

/// How a table is sorted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[non_exhaustive]
pub enum Sort {
    /// By self cost, without calls.
    #[default]
    #[cfg_attr(feature = "cli", value(name = "self"))]
    SelfCost,
    /// By inclusive cost, with calls.
    Inclusive,
    /// By number of calls.
    Calls,
}

/// Why there is no report.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The output fails.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The profile has no function of the name that was asked for.
    #[error("no function's name contains \"{name}\"{}", advice(.closest))]
    UnknownFunction {
        /// The name that was asked for.
        name: String,
        /// The names that have most in common with it.
        closest: Vec<String>,
    },
}

fn advice(names: &[String]) -> String {
    match names {
        [] => String::new(),
        names => format!("; closest: {}", names.join(", ")),
    }
}

/// Writes what was profiled, its sums, and tables of its functions, in lines of UTF-8.
///
/// Percentages are relative to the total of all self costs. Functions with equal costs are in the
/// order of their numbers. Only printable characters are written, whatever names contain.
///
/// # Errors
///
/// When the output fails, or, before anything is written, when there is no function of the name
/// that was asked for.
pub fn write(profile: &Profile, options: &Options, mut output: impl Write) -> Result<(), Error> {
    let report = Report::new(profile, options);
    let lines = match &options.function {
        Some(name) => report.views(name)?,
        None => report.top_functions()?,
    };
    for line in lines {
        writeln!(output, "{}", cut_end(&line, options.room()))?;
    }
    Ok(output.flush()?)
}

/// What is shown of a profile.
pub(super) struct Report<'a> {
    profile: &'a Profile,
    options: &'a Options,
    /// The events that are shown, which is one at least.
    pub events: Vec<EventFigures<'a>>,
}

impl<'a> Report<'a> {
    pub fn new(profile: &'a Profile, options: &'a Options) -> Self {
        let mut events = EventFigures::of(profile);
        if events.is_empty() {
            events.push(EventFigures::default());
        }
        Report {
            profile,
            options,
            events,
        }
    }

    /// The event that functions are sorted by.
    pub fn first(&self) -> &EventFigures<'a> {
        &self.events[0]
    }

    fn top_functions(&self) -> Result<Vec<String>, Error> {
        let mut lines = self.heading();
        let functions = match &self.options.filter {
            None => self.functions(&|_| true),
            Some(text) => {
                let wanted = Wanted::new(text);
                let functions = self.found(&wanted, &[&|name| wanted.is_in(name)])?;
                let cost = self.self_costs(&functions);
                let count = counted(functions.len() as u64, "function");
                let found = format!("is in the names of {count} with a self cost of {cost}");
                lines.push(fact("filter", format!("\"{}\" {found}", wanted.text())));
                functions
            }
        };
        let (top, rest) = self.options.split(&functions);
        if !top.is_empty() {
            lines.push(String::new());
            lines.extend(self.function_table(top));
        }
        if let Some(rest) = self.rest(rest) {
            lines.extend([String::new(), rest]);
        }
        Ok(lines)
    }

    /// What functions are summed up as that are not shown; none if there is none.
    pub fn rest(&self, functions: &[FunctionId]) -> Option<String> {
        let count = counted(functions.len() as u64, "more function");
        let cost = || self.self_costs(functions);
        (!functions.is_empty()).then(|| format!("{count} with a self cost of {}", cost()))
    }

    /// Functions of a name, each with its callers and callees.
    fn views(&self, name: &[u8]) -> Result<Vec<String>, Error> {
        let wanted = Wanted::new(name);
        let functions = self.found(
            &wanted,
            &[
                &|name| name == wanted.text(),
                &|name| wanted.is(name),
                &|name| wanted.is_in(name),
            ],
        )?;
        let (top, rest) = self.options.split(&functions);
        let mut lines = self.heading();
        for &id in top {
            lines.push(String::new());
            lines.extend(self.function_table(&[id]));
            let callers = self.profile.called_from(id).collect();
            lines.extend(self.call_table("caller", callers, |edge| edge.caller));
            let callees = self.profile.sub_calls(id).collect();
            lines.extend(self.call_table("callee", callees, |edge| edge.callee));
        }
        if !rest.is_empty() {
            let count = counted(rest.len() as u64, "more function");
            lines.extend([String::new(), format!("{count} whose names contain it")]);
        }
        Ok(lines)
    }

    /// The functions that the first test finds which finds any, or an error that lists others.
    fn found(
        &self,
        wanted: &Wanted,
        tests: &[&dyn Fn(&str) -> bool],
    ) -> Result<Vec<FunctionId>, Error> {
        let found = tests
            .iter()
            .map(|test| self.functions(&|id| test(&self.name(id))));
        let mut found = found.filter(|functions| !functions.is_empty());
        found.next().ok_or_else(|| {
            let names = self.profile.functions().map(|(id, _)| self.name(id));
            let names: Vec<_> = names.collect();
            let closest = wanted.closest(names.iter().map(String::as_str));
            Error::UnknownFunction {
                name: wanted.text().to_owned(),
                closest: short_names(&closest, SHORT),
            }
        })
    }

    /// Some functions, in the order in which they are shown.
    pub fn functions(&self, is_wanted: &dyn Fn(FunctionId) -> bool) -> Vec<FunctionId> {
        let functions = self.profile.functions().map(|(id, _)| id);
        let mut wanted: Vec<_> = functions.filter(|&id| is_wanted(id)).collect();
        wanted.sort_by_key(|&id| Reverse(self.rank(id)));
        wanted
    }

    /// What a function is sorted by.
    fn rank(&self, id: FunctionId) -> i128 {
        match self.options.sort {
            Sort::SelfCost => self.self_cost(id).into(),
            Sort::Inclusive => first_cost(self.profile.inclusive_costs(id)).into(),
            Sort::Calls => self.profile.function(id).invocations.into(),
        }
    }

    pub fn name(&self, id: FunctionId) -> String {
        printable(self.profile.name(self.profile.function(id).name))
    }

    fn self_cost(&self, id: FunctionId) -> Cost {
        first_cost(self.profile.self_costs(id))
    }

    /// Functions with their figures in the first event.
    pub fn table<'t>(
        &self,
        functions: &'t [FunctionId],
        place: impl Fn(&Function) -> Place,
    ) -> Table<'t, FunctionId> {
        let (profile, first) = (self.profile, self.first());
        let inclusive = |id| first_cost(profile.inclusive_costs(id));
        let about = |&id: &FunctionId| (self.name(id), place(profile.function(id)));
        Table::new(["function", "file:line"], functions, about)
            .with("self %", |&id| first.share(self.self_cost(id)))
            .with(first.notation.heading("self", "self"), |&id| {
                first.notation.cost(self.self_cost(id))
            })
            .with("incl %", |&id| first.share(inclusive(id)))
            .with(first.notation.heading("incl", "inclusive"), |&id| {
                first.notation.cost(inclusive(id))
            })
            .with("calls", |&id| grouped(profile.function(id).invocations))
    }

    /// The events after the first, each with its place.
    fn further(&self) -> impl Iterator<Item = (usize, &EventFigures<'a>)> {
        self.events.iter().enumerate().skip(1)
    }

    fn function_table(&self, functions: &[FunctionId]) -> Vec<String> {
        let profile = self.profile;
        let mut table = self.table(functions, |function| {
            let [object, file] = [function.object, function.file].map(|name| profile.name(name));
            Place::of(object, file, function.line)
        });
        for (at, event) in self.further() {
            let cost = |costs| event.notation.cost(cost_of(costs, at));
            table = table
                .with(format!("self {}", event.heading()), |&id| {
                    cost(profile.self_costs(id))
                })
                .with(format!("incl {}", event.heading()), |&id| {
                    cost(profile.inclusive_costs(id))
                });
        }
        table.lines(self.options, ALIGNED_NAME)
    }

    /// The calls into a function or out of it, after an empty line; `function` is the one at their
    /// other end.
    fn call_table(
        &self,
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
        let (top, rest) = self.options.split(&calls);
        let mut table = Table::new([other, "called at"], top, |call| {
            let place = Place::in_file(self.profile.call_file(call), call.line);
            (self.name(function(call)), place)
        })
        .with("cost %", |call| first.share(cost(call)))
        .with(first.notation.heading("cost", "cost"), |call| {
            first.notation.cost(cost(call))
        })
        .with("calls", |call| grouped(call.calls));
        for (at, event) in self.further() {
            table = table.with(event.heading(), |call| {
                event.notation.cost(cost_of(call.costs(), at))
            });
        }
        lines.extend(table.lines(self.options, ALIGNED_NAME));
        if !rest.is_empty() {
            let cost = first.with_share(rest.iter().map(cost).fold(0, Cost::saturating_add));
            let count = counted(rest.len() as u64, &format!("more {other}"));
            lines.push(format!("{count} with a cost of {cost}"));
        }
        lines
    }

    /// The sum of the costs of functions, and its share of the total.
    fn self_costs(&self, functions: &[FunctionId]) -> String {
        let costs = functions.iter().map(|&id| self.self_cost(id));
        self.first().with_share(costs.fold(0, Cost::saturating_add))
    }

    /// What was profiled, and its sums.
    pub fn heading(&self) -> Vec<String> {
        let profile = self.profile;
        let calls = grouped(profile.calls());
        let edges = counted(profile.edges().len() as u64, "call edge");
        let mut lines = vec![
            fact("command", command(profile)),
            fact("event", printable(self.first().name)),
            fact("total", self.first().total()),
        ];
        lines.extend(self.summary());
        lines.extend(self.further().map(|(_, event)| {
            let name = printable(event.name);
            fact("also", format!("{name}, total {}", event.total()))
        }));
        lines.push(fact("functions", grouped(profile.functions().len() as u64)));
        lines.push(fact("calls", format!("{calls} on {edges}")));
        lines
    }

    /// The total that the profile itself states, if it is a different one.
    fn summary(&self) -> Option<String> {
        let summary = i128::from(self.profile.stated_total()?);
        let is_memory = self.first().unit.smallest() == "bytes";
        let is_xdebug = self.profile.kind() == ProfileKind::Trace;
        let explanation = match summary - self.first().total {
            0 => return None,
            _ if is_memory && is_xdebug => "a peak, not a sum".to_owned(),
            missing @ 1.. => format!("{} outside of all functions", grouped(missing)),
            missing => format!("{} counted twice", grouped(-missing)),
        };
        let summary = in_units(summary, self.first().unit);
        Some(fact("summary", format!("{summary}, {explanation}")))
    }
}

/// The cost of an event in a row, of which zeros at the end may be missing.
fn cost_of(costs: &[Cost], event: usize) -> Cost {
    costs.get(event).copied().unwrap_or(0)
}

/// A line of a heading.
fn fact(what: &str, text: impl Display) -> String {
    format!("{what:<11}{text}")
}

/// The command that was profiled, or the least of several.
pub(super) fn command(profile: &Profile) -> String {
    let mut commands = profile.commands();
    let Some(first) = commands.next() else {
        return "unknown".to_owned();
    };
    match commands.count() {
        0 => printable(first),
        count => format!("{} and {count} more", printable(first)),
    }
}
