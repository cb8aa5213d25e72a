//! Functions as a table, for a terminal or a log.

mod comparison;
pub(super) mod figures;
pub(super) mod table;

use std::cmp::Reverse;
use std::io::{self, Write};

use thiserror::Error;

pub(super) use self::comparison::per_run;
pub use self::comparison::write_comparison;
use self::figures::{Notation, Unit, counted, in_units};
use self::table::{ALIGNED_NAME, Place, Row, Table};
use crate::profile::{
    Cost, EdgeRef, Event, Function, FunctionId, Profile, ProfileKind, first_cost, padded,
    split_scale,
};
use crate::shown::names::{SHORT, Wanted, cut_end, short_names};
use crate::shown::numbers::{grouped, percent};
use crate::shown::text::printable;

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

impl Sort {
    /// What a function is sorted by.
    pub(super) fn rank(self, profile: &Profile, id: FunctionId) -> i128 {
        match self {
            Sort::SelfCost => first_cost(profile.self_costs(id)).into(),
            Sort::Inclusive => first_cost(profile.inclusive_costs(id)).into(),
            Sort::Calls => profile.function(id).invocations.into(),
        }
    }
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
    first: EventFigures,
    /// The events after the first, each with columns of its own after those of the first.
    further: Vec<EventFigures>,
}

/// How the costs of an event are written.
#[derive(Default)]
pub(super) struct EventFigures {
    pub name: String,
    pub total: Cost,
    pub unit: Unit,
    notation: Notation,
}

impl EventFigures {
    fn new(profile: &Profile, event: &Event, total: Cost) -> Self {
        let (_, scale) = split_scale(event.name());
        let unit = Unit::of(profile.unit(event), scale);
        EventFigures {
            name: printable(event.name()),
            total,
            unit,
            notation: unit.notation(total),
        }
    }

    /// Headings of its self and inclusive costs.
    fn headings(&self) -> [String; 2] {
        ["self", "incl"].map(|kind| format!("{kind} {}", self.cost_heading()))
    }

    /// Its name; the unit of the column stands instead of the one in the name.
    fn cost_heading(&self) -> String {
        match (self.notation.unit(), self.name.split_once('(')) {
            ("", _) => self.name.clone(),
            (unit, Some((name, _))) if !name.is_empty() => {
                format!("{} {unit}", name.trim_end_matches('_'))
            }
            (unit, _) => format!("{} {unit}", self.name),
        }
    }
}

impl<'a> Report<'a> {
    pub fn new(profile: &'a Profile, options: &'a Options) -> Self {
        let events = profile.events().iter().zip(profile.totals());
        let mut events = events.map(|(event, total)| EventFigures::new(profile, event, total));
        Report {
            profile,
            options,
            first: events.next().unwrap_or_default(),
            further: events.collect(),
        }
    }

    fn top_functions(&self) -> Result<Vec<String>, Error> {
        let functions = match &self.options.filter {
            Some(text) => {
                let wanted = Wanted::new(text);
                self.found(&wanted, self.functions(|id| wanted.is_in(&self.name(id))))?
            }
            None => self.functions(|_| true),
        };
        let mut lines = self.heading();
        if let Some(text) = &self.options.filter {
            let cost = self.self_costs(&functions);
            let count = counted(functions.len() as u64, "function");
            lines.push(format!(
                "filter     \"{}\" is in the names of {count} with a self cost of {cost}",
                printable(text)
            ));
        }
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
        let mut functions = self.functions(|id| self.name(id) == wanted.text());
        if functions.is_empty() {
            functions = self.functions(|id| wanted.is(&self.name(id)));
        }
        if functions.is_empty() {
            functions = self.functions(|id| wanted.is_in(&self.name(id)));
        }
        let functions = self.found(&wanted, functions)?;
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
            lines.push(String::new());
            let count = counted(rest.len() as u64, "more function");
            lines.push(format!("{count} whose names contain it"));
        }
        Ok(lines)
    }

    /// The functions that were found, or an error that lists others.
    fn found(&self, wanted: &Wanted, functions: Vec<FunctionId>) -> Result<Vec<FunctionId>, Error> {
        if !functions.is_empty() {
            return Ok(functions);
        }
        let names = self.profile.functions().map(|(id, _)| self.name(id));
        let names: Vec<_> = names.collect();
        let closest = wanted.closest(names.iter().map(String::as_str));
        Err(Error::UnknownFunction {
            name: wanted.text().to_owned(),
            closest: short_names(&closest, SHORT),
        })
    }

    /// Some functions, in the order in which they are shown.
    pub fn functions(&self, is_wanted: impl Fn(FunctionId) -> bool) -> Vec<FunctionId> {
        let functions = self.profile.functions().map(|(id, _)| id);
        let mut wanted: Vec<_> = functions.filter(|&id| is_wanted(id)).collect();
        wanted.sort_by_key(|&id| Reverse(self.options.sort.rank(self.profile, id)));
        wanted
    }

    /// The costs of all events.
    fn padded(&self, costs: &'a [Cost]) -> impl Iterator<Item = Cost> + use<'a> {
        padded(costs, self.profile.events().len())
    }

    pub fn name(&self, id: FunctionId) -> String {
        printable(self.profile.name(self.profile.function(id).name))
    }

    fn place(&self, function: &Function) -> Place {
        let [object, file] = [function.object, function.file].map(|name| self.profile.name(name));
        Place::of(object, file, function.line)
    }

    /// The events that are shown.
    pub fn events(&self) -> impl Iterator<Item = &EventFigures> {
        std::iter::once(&self.first).chain(&self.further)
    }

    /// Headings of the figures of a function in the first event.
    pub fn first_headings(&self) -> [String; 5] {
        [
            "self %".to_owned(),
            self.first.notation.heading("self", "self"),
            "incl %".to_owned(),
            self.first.notation.heading("incl", "inclusive"),
            "calls".to_owned(),
        ]
    }

    /// The figures of a function in the first event.
    pub fn first_figures(&self, id: FunctionId) -> [String; 5] {
        let self_cost = first_cost(self.profile.self_costs(id));
        let inclusive = first_cost(self.profile.inclusive_costs(id));
        [
            percent(self_cost, self.first.total),
            self.first.notation.cost(self_cost),
            percent(inclusive, self.first.total),
            self.first.notation.cost(inclusive),
            grouped(self.profile.function(id).invocations),
        ]
    }

    fn function_table(&self, functions: &[FunctionId]) -> Vec<String> {
        let headings = self.first_headings();
        let further = self.further.iter().flat_map(EventFigures::headings);
        let rows = functions.iter().map(|&id| {
            let function = self.profile.function(id);
            let costs = [
                self.profile.self_costs(id),
                self.profile.inclusive_costs(id),
            ];
            let mut figures = Vec::from(self.first_figures(id));
            let [self_costs, inclusive] = costs.map(|costs| self.padded(costs));
            let costs = self_costs.zip(inclusive).skip(1);
            for (event, (self_cost, inclusive)) in self.further.iter().zip(costs) {
                figures.push(event.notation.cost(self_cost));
                figures.push(event.notation.cost(inclusive));
            }
            Row {
                figures,
                name: self.name(id),
                place: self.place(function),
            }
        });
        let table = Table {
            figures: headings.into_iter().chain(further).collect(),
            names: ["function", "file:line"],
            rows: rows.collect(),
            aligned_name: ALIGNED_NAME,
        };
        table.lines(self.options)
    }

    /// The calls into a function or out of it, after an empty line; `function` is the one at their
    /// other end.
    fn call_table(
        &self,
        other: &'static str,
        mut calls: Vec<EdgeRef<'_>>,
        function: impl Fn(&EdgeRef<'_>) -> FunctionId,
    ) -> Vec<String> {
        let mut lines = vec![String::new()];
        if calls.is_empty() {
            lines.push(format!("no {other}"));
            return lines;
        }
        calls.sort_by_key(|call| {
            Reverse(match self.options.sort {
                Sort::Calls => i128::from(call.calls),
                _ => i128::from(first_cost(call.costs())),
            })
        });
        let headings = [
            "cost %".to_owned(),
            self.first.notation.heading("cost", "cost"),
            "calls".to_owned(),
        ];
        let further = self.further.iter().map(EventFigures::cost_heading);
        let (top, rest) = self.options.split(&calls);
        let rows = top.iter().map(|call| {
            let mut figures = vec![
                percent(first_cost(call.costs()), self.first.total),
                self.first.notation.cost(first_cost(call.costs())),
                grouped(call.calls),
            ];
            let costs = self.further.iter().zip(self.padded(call.costs()).skip(1));
            figures.extend(costs.map(|(event, cost)| event.notation.cost(cost)));
            Row {
                figures,
                name: self.name(function(call)),
                place: Place::in_file(self.profile.call_file(call), call.line),
            }
        });
        let table = Table {
            figures: headings.into_iter().chain(further).collect(),
            names: [other, "called at"],
            rows: rows.collect(),
            aligned_name: ALIGNED_NAME,
        };
        lines.extend(table.lines(self.options));
        if !rest.is_empty() {
            let costs = rest.iter().map(|call| first_cost(call.costs()));
            let cost = self.cost_and_share(costs.fold(0, Cost::saturating_add));
            let count = counted(rest.len() as u64, &format!("more {other}"));
            lines.push(format!("{count} with a cost of {cost}"));
        }
        lines
    }

    /// The sum of the costs of functions, and its share of the total.
    fn self_costs(&self, functions: &[FunctionId]) -> String {
        let costs = functions.iter();
        let costs = costs.map(|&id| first_cost(self.profile.self_costs(id)));
        self.cost_and_share(costs.fold(0, Cost::saturating_add))
    }

    fn cost_and_share(&self, cost: Cost) -> String {
        let share = percent(cost, self.first.total);
        let cost = self.first.notation.with_unit(cost);
        format!("{cost} ({share} %)")
    }

    /// How the costs of the first event are written.
    pub fn notation(&self) -> Notation {
        self.first.notation
    }

    /// What was profiled, and its sums.
    pub fn heading(&self) -> Vec<String> {
        let profile = self.profile;
        let calls = grouped(profile.calls());
        let edges = counted(profile.edges().len() as u64, "call edge");
        let mut lines = vec![
            format!("command    {}", command(profile)),
            format!("event      {}", self.first.name),
            format!("total      {}", in_units(self.first.total, self.first.unit)),
        ];
        lines.extend(self.summary());
        for event in &self.further {
            let total = in_units(event.total, event.unit);
            lines.push(format!("also       {}, total {total}", event.name));
        }
        lines.push(format!(
            "functions  {}",
            grouped(profile.functions().len() as u64)
        ));
        lines.push(format!("calls      {calls} on {edges}"));
        lines
    }

    /// The total that the profile itself states, if it is a different one.
    fn summary(&self) -> Option<String> {
        let summary = self.profile.stated_total()?;
        let missing = summary.checked_sub(self.first.total)?;
        let is_memory = matches!(self.first.unit, Unit::Bytes(_));
        let is_xdebug = self.profile.kind() == ProfileKind::Trace;
        let explanation = match missing {
            0 => return None,
            _ if is_memory && is_xdebug => "a peak, not a sum".to_owned(),
            1.. => format!("{} outside of all functions", grouped(missing)),
            _ => format!("{} counted twice", grouped(missing.unsigned_abs())),
        };
        let summary = in_units(summary, self.first.unit);
        Some(format!("summary    {summary}, {explanation}"))
    }
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
