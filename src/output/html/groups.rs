//! Groups of functions: the costliest classes, files, objects, packages and lines that fit.

use super::data::Data;
use super::functions::{COSTS, NAMES, RankedRows};
use super::table::{Budget, DataTable, position};
use crate::compare::Sides;
use crate::output::figures::report::Report;
use crate::view::GroupBy;

/// The percentage of the bytes that each kind of groups may use.
const PERCENT: usize = 25;

/// The most bytes of a position in a table.
pub(super) const POSITION: usize = 6;

impl<'a> Data<'a, '_> {
    /// The groups of each kind; without those of objects if no object is known. Only comparisons have
    /// parts, if there are several: the header lists those of a profile.
    pub fn groups(&self, budget: &mut Budget) -> Vec<(GroupBy, DataTable)> {
        let kinds = GroupBy::groups().filter(|by| match by {
            // Functions have their own view, and so have the lines of each.
            GroupBy::Function | GroupBy::Line => false,
            GroupBy::Class | GroupBy::File | GroupBy::Package => true,
            GroupBy::Object => self.has_objects(),
            GroupBy::Part => self.report.comparison.is_some() && self.has_parts(),
        });
        let groups = kinds.filter_map(|by| {
            let table = budget.lend(PERCENT, |budget| self.groups_by(by, budget));
            table.map(|table| (by, table))
        });
        groups.collect()
    }

    fn has_objects(&self) -> bool {
        self.report.sides().any(|(_, profile)| {
            let mut functions = profile.functions();
            functions.any(|(_, function)| !profile.name(function.object).is_empty())
        })
    }

    fn has_parts(&self) -> bool {
        let mut sides = self.report.sides();
        sides.any(|(_, view)| view.profile().parts().len() > 1)
    }

    /// The costliest groups that fit, and for each function of the report the position of its group.
    fn groups_by(&self, by: GroupBy, budget: &mut Budget) -> Option<DataTable> {
        let mut table = self.report.data_table(&[&COSTS[..], &NAMES].concat());
        // Parts have no functions of their own.
        let functions = match by {
            GroupBy::Part => &[],
            _ => self.functions.shown(),
        };
        if !budget.take(POSITION * functions.len()) {
            return None;
        }
        let groups = self.views.by(by).ok()?;
        let report = &Report::new(groups.subject(), &self.options.report);
        let mut all = RankedRows::new(report);
        all.choose(usize::MAX, |group| {
            let name = report.named(group).name;
            let name = self.options.within_root(name).unwrap_or(name);
            let row = table.row().with_costs(report, group);
            let row = row.with_inclusive(report, group);
            row.with_names(report, group, name).end_within(budget)
        });
        let members = Sides::EACH.map(|side| self.report.on(side).functions_of_rows());
        let places = functions.iter().map(|&function| {
            let (side, id) = self.report.named_function(function);
            let member = members[side].get(id.index());
            let group = member.and_then(|member| report.on(side).row(*member));
            position(group.and_then(|group| all.place(all.ranks[report.position(side, group)])))
        });
        table.set("of", &places.collect::<Vec<_>>());
        table.set("omitted", &all.omitted().len());
        Some(table)
    }
}
