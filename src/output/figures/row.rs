//! The rows of tables: functions or groups, calls, parts, stacks, lines.

use super::change;
use crate::compare::{CallCount, Comparison, FunctionChange, FunctionSums, Side, Sides};
use crate::names::{Named, short_name, shorten_path};
use crate::output::Sort;
use crate::profile::FunctionId;
use crate::view::{GroupBy, View};

/// A row of a table.
#[derive(Clone, Debug, Default)]
pub(crate) struct Row<'a> {
    pub named: Named<'a>,
    /// What is shown instead of its name.
    pub text: Option<String>,
    /// Its costs in the first event, and its calls; `None` on a side that lacks it. Rows without any
    /// cost separate others.
    pub sums: Sides<Option<FunctionSums>>,
    /// The same in the other events of tables.
    pub other_sums: Vec<Sides<Option<FunctionSums>>>,
    /// Whether its costs contain each other, so that they are no share of anything.
    pub is_recursive: bool,
    /// Its function in the profile; the last, if several are one in a comparison.
    pub id: Option<FunctionId>,
    /// Its function in a comparison.
    pub change: Option<&'a FunctionChange>,
}

impl<'a> Row<'a> {
    /// A row with sums in each event of tables.
    pub fn with(sums: impl Iterator<Item = Sides<Option<FunctionSums>>>) -> Self {
        let mut sums = sums;
        Row {
            sums: sums.next().unwrap_or_default(),
            other_sums: sums.collect(),
            ..Row::default()
        }
    }

    /// What is shown as its name.
    pub fn shown(&self) -> String {
        self.text.clone().unwrap_or_else(|| self.named.shown())
    }

    /// Its functions on a side.
    pub fn functions(&self, side: Side) -> Vec<FunctionId> {
        match self.change {
            Some(change) => change.functions[side].clone(),
            None => self.id.into_iter().collect(),
        }
    }

    /// Its value on the new side, or by how much it has changed. Calls are in tenths.
    pub fn change(&self, value: Sort) -> i128 {
        value.change(self.sums)
    }

    /// Whether a value is an estimate on either side.
    pub fn is_estimated(&self, value: Sort) -> bool {
        let mut sides = self.sums.into_iter().flatten();
        sides.any(|sums| sums.is_estimated(value))
    }

    /// Its calls on both sides.
    pub fn calls(&self) -> Sides<CallCount> {
        self.sums.map(|sums| sums.unwrap_or_default().invocations)
    }
}

impl FunctionSums {
    /// Whether a value is an estimate.
    pub(crate) fn is_estimated(self, value: Sort) -> bool {
        match value {
            Sort::SelfCost => self.is_self_estimated,
            Sort::Inclusive => self.is_inclusive_estimated,
            Sort::Calls => false,
        }
    }
}

impl Sort {
    /// The value on the new side, or by how much it has changed.
    pub(crate) fn change(self, sums: Sides<Option<FunctionSums>>) -> i128 {
        change(sums.map(|sums| Some(self.of(sums?))))
    }

    /// The heading of its changes. That of self costs needs no word.
    pub(crate) fn change_heading(self) -> &'static str {
        match self {
            Sort::SelfCost => "change",
            Sort::Inclusive => "incl change",
            Sort::Calls => "calls change",
        }
    }

    /// The value that rows are sorted by. Calls are in tenths.
    pub(crate) fn of(self, sums: FunctionSums) -> i128 {
        match self {
            Sort::SelfCost => sums.self_cost,
            Sort::Inclusive => sums.inclusive,
            Sort::Calls => sums.invocations.tenths,
        }
    }
}

/// The kind of rows of a report.
#[derive(Clone, Copy)]
pub(crate) struct RowKind {
    pub by: GroupBy,
    /// Whether rows are lines of a trace. Their costs are those of the calls made there.
    pub is_call_site: bool,
}

impl RowKind {
    pub fn of(view: &View<'_>) -> Self {
        RowKind {
            by: view.by(),
            is_call_site: view.is_call_site(),
        }
    }

    /// Whether they also have inclusive costs.
    pub fn has_inclusive(self) -> bool {
        self.by.groups_functions()
    }

    /// The file and number of a row in the new profile, if rows are lines.
    pub fn place<'a>(self, row: &Row<'a>) -> Option<(&'a [u8], u64)> {
        row.id.filter(|_| self.by == GroupBy::Line)?;
        Some((row.named.file, row.named.line))
    }

    /// A name that fits a width. Parts are mostly inputs: what tells these apart is at the end.
    pub fn short_name(self, name: &str, width: usize) -> String {
        match self.by {
            GroupBy::Part => shorten_path(name, width),
            _ => short_name(name, width),
        }
    }

    /// The headings of names and locations. Instead of a location, a group has its costliest function.
    pub fn headings(self, location: &str) -> [&str; 2] {
        let last = match self.by {
            GroupBy::Function => location,
            GroupBy::Part => "command",
            _ if self.is_call_site => "costliest callee",
            _ => "costliest function",
        };
        [self.by.name(), last]
    }
}

impl<'a> Named<'a> {
    /// A row of a comparison.
    pub fn changed(comparison: &'a Comparison<'_>, change: &FunctionChange) -> Self {
        let (side, id) = change.named;
        let [object, file, name] = comparison.names_of(change);
        Named {
            name,
            object,
            file,
            ..comparison.views[side].named(id)
        }
    }
}
