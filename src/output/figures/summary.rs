//! What text, Markdown and the tree have in common: headings with commands and totals, and the
//! columns of functions.

use std::cmp::Reverse;
use std::fmt::Display;

use super::row::RowKind;
use super::table::TextTable;
use crate::compare::{Comparison, FunctionChange, Sides};
use crate::display::numbers::{counted, grouped};
use crate::display::text::printable;
use crate::display::units::in_units;
use crate::names::Named;
use crate::output::figures::{
    EventFormat, command, marked, part_count, per_run, share_of_base, sides_and_change, signed,
    signed_percent,
};
use crate::output::{ReportOptions, Sort};
use crate::profile::{Cost, FunctionId, GroupBy, Profile};
use crate::tables::first_cost;

/// A profile as reports show it.
pub(crate) struct ProfileSummary<'a> {
    /// The profile, with the calling contexts of a function as one function.
    pub profile: &'a Profile,
    pub options: &'a ReportOptions,
    pub row: RowKind,
    /// The events that are shown; never empty.
    pub events: Vec<EventFormat<'a>>,
}

impl<'a> ProfileSummary<'a> {
    pub fn new(profile: &'a Profile, options: &'a ReportOptions) -> Self {
        let profile = profile.folded();
        let mut events = EventFormat::of(profile);
        if events.is_empty() {
            events.push(EventFormat::default());
        }
        ProfileSummary {
            profile,
            options,
            row: RowKind::of(profile),
            events,
        }
    }

    /// The event that functions are sorted by.
    pub fn first(&self) -> &EventFormat<'a> {
        &self.events[0]
    }

    /// The line for functions without a row, if there are any.
    pub fn rest(&self, functions: &[FunctionId]) -> Option<String> {
        let what = format!("more {}", self.row.by.name());
        (!functions.is_empty()).then(|| self.together(functions, &what))
    }

    /// The number of functions and the sum of their self costs. Rows of call sites have no sum, because
    /// calls can contain each other.
    pub fn together(&self, functions: &[FunctionId], what: &str) -> String {
        let count = counted(functions.len() as u64, what);
        if self.row.is_call_site {
            return count;
        }
        let costs = functions.iter().map(|&id| self.self_cost(id));
        let cost = costs.fold(0, Cost::saturating_add);
        format!(
            "{count} with a total self cost of {}",
            self.first().with_share(cost)
        )
    }

    /// All functions, sorted as requested.
    pub fn all_functions(&self) -> Vec<FunctionId> {
        let functions = self.profile.functions();
        let mut functions: Vec<_> = functions.map(|(id, _)| id).collect();
        functions.sort_by_key(|&id| Reverse(self.rank(id)));
        functions
    }

    /// The functions at these positions, likewise. `positions` must be sorted.
    pub fn functions_at(&self, positions: &[usize]) -> Vec<FunctionId> {
        let is_wanted = |id: &FunctionId| positions.binary_search(&id.index()).is_ok();
        self.all_functions().into_iter().filter(is_wanted).collect()
    }

    /// The names for searching functions, in the order of their numbers.
    pub fn names(&self) -> Vec<Named<'a>> {
        let functions = self.profile.functions();
        functions.map(|(id, _)| self.named(id)).collect()
    }

    /// The value that functions are sorted by.
    fn rank(&self, id: FunctionId) -> i128 {
        match self.options.sort {
            Sort::SelfCost => self.self_cost(id).into(),
            Sort::Inclusive => first_cost(self.profile.inclusive_costs(id)).into(),
            Sort::Calls => self.profile.function(id).invocations.into(),
        }
    }

    /// What a row is about.
    pub fn named(&self, id: FunctionId) -> Named<'a> {
        Named::of(self.profile, id)
    }

    fn self_cost(&self, id: FunctionId) -> Cost {
        first_cost(self.profile.self_costs(id))
    }

    /// A table of functions with their costs in the first event.
    pub fn table<'t>(&self, functions: &'t [FunctionId]) -> TextTable<'t, FunctionId> {
        let (profile, first, row) = (self.profile, self.first(), self.row);
        let share = |id, cost| marked(profile.is_inclusive_estimated(id), first.share(cost));
        TextTable::new(row.headings("file:line"), functions, |&id| self.named(id))
            .with(format!("{} %", row.cost()), |&id| match row.is_call_site {
                true => share(id, self.self_cost(id)),
                false => first.share(self.self_cost(id)),
            })
            .with(first.notation.heading(row.cost(), row.cost()), |&id| {
                first.shown(profile.self_costs(id))
            })
            .with_known(row.has_inclusive(), "incl %", |&id| {
                share(id, first_cost(profile.inclusive_costs(id)))
            })
            .with_known(
                row.has_inclusive(),
                &first.notation.heading("incl", "inclusive"),
                |&id| first.shown(profile.inclusive_costs(id)),
            )
            .with_known(profile.has_invocations(), "calls", |&id| {
                grouped(profile.function(id).invocations)
            })
    }

    /// The events after the first.
    pub fn further(&self) -> &[EventFormat<'a>] {
        &self.events[1..]
    }

    /// The command, the totals, and the numbers of functions and calls.
    pub fn heading(&self) -> Vec<String> {
        let profile = self.profile;
        let mut lines = vec![fact("command", command(profile))];
        if profile.runs() > 1 {
            lines.push(fact("runs", grouped(profile.runs())));
        }
        lines.push(fact("event", printable(self.first().name)));
        lines.push(fact("total", self.first().total()));
        lines.extend(self.summary());
        lines.extend(self.further().iter().map(|event| {
            let name = printable(event.name);
            let peak = match event.peak() {
                Some(peak) => format!(", peak {peak}"),
                None => String::new(),
            };
            fact("also", format!("{name}, total {}{peak}", event.total()))
        }));
        if part_count(profile) > 1 {
            lines.push(fact("parts", grouped(part_count(profile))));
        }
        let count = profile.functions().len() as u64;
        lines.push(fact(self.row.by.names(), grouped(count)));
        let edges = profile.edges().len() as u64;
        if self.row.by == GroupBy::Line {
            return lines;
        }
        lines.push(match profile.has_invocations() || edges == 0 {
            true => {
                let calls = grouped(profile.calls());
                fact(
                    "calls",
                    format!("{calls} on {}", counted(edges, "call edge")),
                )
            }
            false => fact("call edges", grouped(edges)),
        });
        lines
    }

    /// The total that the profile states, if it differs from the sum of all self costs.
    fn summary(&self) -> Option<String> {
        if let Some(peak) = self.first().peak() {
            return Some(fact("summary", format!("{peak}, a peak, not a sum")));
        }
        let summary = i128::from(self.profile.stated_total()?);
        let explanation = match summary - self.first().totals.new {
            0 => return None,
            missing @ 1.. => format!("{} not attributed to any function", grouped(missing)),
            missing => format!("{} counted twice", grouped(-missing)),
        };
        let summary = in_units(summary, self.first().unit);
        Some(fact("summary", format!("{summary}, {explanation}")))
    }
}

/// A comparison as reports show it.
pub(crate) struct ComparisonSummary<'a> {
    pub comparison: &'a Comparison<'a>,
    pub options: &'a ReportOptions,
    pub row: RowKind,
    /// The event that changes are sorted by.
    pub first: EventFormat<'a>,
}

impl<'a> ComparisonSummary<'a> {
    pub fn new(comparison: &'a Comparison<'a>, options: &'a ReportOptions) -> Self {
        ComparisonSummary {
            comparison,
            options,
            row: RowKind::of(comparison.profiles.new),
            first: EventFormat::first_compared(comparison),
        }
    }

    /// The event, and the totals of both sides.
    pub fn heading(&self) -> Vec<String> {
        let (comparison, first) = (self.comparison, self.comparison.first());
        let unit = self.first.unit;
        let side = |side: &Profile, total: i128, scale: u64| {
            let functions = counted(side.functions().len() as u64, self.row.by.name());
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
        let sides = Sides::EACH.map(|at| {
            let profile = comparison.profiles[at];
            side(profile, first.totals[at], first.scales()[at])
        });
        let change = signed(first.change(), in_units(first.change(), unit));
        let share = share_of_base(first.change(), first.totals.base);
        let mut lines = vec![
            fact("event", printable(first.name)),
            fact("base", sides.base),
            fact("new", sides.new),
            fact("change", format!("{change}, {share}")),
        ];
        if comparison.is_per_run {
            lines.push(fact("per run", per_run(comparison.runs())));
        }
        lines.extend(comparison.events.iter().skip(1).map(|other| {
            let name = printable(other.name);
            let change = sides_and_change(other.totals, grouped);
            fact("also", format!("{name}: {change}"))
        }));
        lines
    }

    /// A table of functions with the changes of their self costs.
    pub fn table<'t, 'c>(
        &self,
        changes: &'t [&'c FunctionChange<'a>],
    ) -> TextTable<'t, &'c FunctionChange<'a>> {
        let first = &self.first;
        TextTable::new(self.row.headings("file"), changes, |change| Named {
            line: 0,
            ..self.named(change)
        })
        .with(first.notation.heading("change", "change"), |change| {
            first.change(change.self_cost())
        })
        .with("base %", |change| {
            signed_percent(change.self_cost(), first.totals.base)
        })
    }

    /// The sum of the changes of self costs.
    pub fn sum(&self, changes: &[&FunctionChange<'a>]) -> i128 {
        let changes = changes.iter().map(|change| change.self_cost());
        changes.fold(0, i128::saturating_add)
    }

    /// The line for changes without a row, if there are any.
    pub fn rest(&self, changes: &[&FunctionChange<'a>]) -> Option<String> {
        let (count, sum) = (grouped(changes.len() as u64), self.sum(changes));
        let share = share_of_base(sum, self.first.totals.base);
        let cost = self.first.change_in_unit(sum);
        (!changes.is_empty()).then(|| match self.row.is_call_site {
            true => format!("{count} more changed"),
            false => format!("{count} more changed by {cost} in total, {share}"),
        })
    }

    /// What a row is about.
    pub fn named(&self, change: &FunctionChange<'a>) -> Named<'a> {
        Named::changed(self.comparison, change)
    }

    /// The line for functions that did not change, if there are any.
    pub fn unchanged(&self) -> Option<String> {
        let count = self.comparison.unchanged() as u64;
        (count > 0).then(|| format!("{} did not change", counted(count, self.row.by.name())))
    }
}

/// A line of a heading.
pub(crate) fn fact(what: &str, text: impl Display) -> String {
    format!("{what:<11}{text}")
}
