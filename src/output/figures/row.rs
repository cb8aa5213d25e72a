//! The rows of reports: functions, or groups of functions.

use crate::compare::{Comparison, FunctionChange, Side};
use crate::names::Named;
use crate::profile::{FunctionId, GroupBy, Profile, ProfileKind};

/// The kind of rows of a report.
#[derive(Clone, Copy)]
pub(crate) struct RowKind {
    pub by: GroupBy,
    /// Whether rows are lines of a trace. Their costs are those of the calls made there.
    pub is_call_site: bool,
}

impl RowKind {
    pub fn of(profile: &Profile) -> Self {
        let by = profile.grouped_by();
        let is_trace = profile.kind() == ProfileKind::Trace;
        RowKind {
            by,
            is_call_site: by == GroupBy::Line && is_trace,
        }
    }

    /// The name of their costs.
    pub fn cost(self) -> &'static str {
        if self.is_call_site { "cost" } else { "self" }
    }

    /// Whether they also have inclusive costs.
    pub fn has_inclusive(self) -> bool {
        self.by != GroupBy::Line
    }

    /// The file and number of a row, if rows are lines.
    pub fn place<'a>(self, row: Named<'a>) -> Option<(&'a [u8], u64)> {
        (self.by == GroupBy::Line).then_some((row.file, row.line))
    }

    /// The headings of names and locations. Instead of a location, a group has its costliest function.
    pub fn headings(self, location: &str) -> [&str; 2] {
        let last = match self.by {
            GroupBy::Function => location,
            _ if self.is_call_site => "costliest callee",
            _ => "costliest function",
        };
        [self.by.name(), last]
    }
}

impl<'a> Named<'a> {
    pub fn of(profile: &'a Profile, id: FunctionId) -> Self {
        let function = profile.function(id);
        let is_group = profile.grouped_by() != GroupBy::Function;
        Named {
            name: profile.name(function.name),
            object: profile.name(function.object),
            file: profile.name(function.file),
            line: function.line,
            costliest: is_group.then(|| profile.costliest(id)),
        }
    }

    /// A row of a comparison. It has a line if it is in the new profile.
    pub fn changed(comparison: &Comparison<'a>, change: &FunctionChange<'a>) -> Self {
        let one = one_function(comparison, change);
        let own = one.map_or_else(Named::default, |(profile, id)| Named::of(profile, id));
        Named {
            name: change.name,
            object: change.object,
            file: change.file,
            line: change.new_function().map_or(0, |_| own.line),
            costliest: own.costliest,
        }
    }
}

/// One of the functions that are one in a comparison, of the new profile if it has any.
pub(crate) fn one_function<'a>(
    comparison: &Comparison<'a>,
    change: &FunctionChange<'a>,
) -> Option<(&'a Profile, FunctionId)> {
    let mut sides = [Side::New, Side::Base].into_iter();
    sides.find_map(|side| {
        let id = *change.functions[side].last()?;
        Some((comparison.profiles[side], id))
    })
}
