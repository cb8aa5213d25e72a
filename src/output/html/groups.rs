//! Groups of functions: the costliest classes, files, objects, packages and lines that fit.

use super::costs::AllCosts;
use super::data::Data;
use super::functions::{COSTS, Functions, NAMES};
use super::table::{Room, Table, position};
use crate::view::{GroupBy, View};

/// The percentage of the bytes that each kind of groups may use.
const PERCENT: usize = 25;

/// The most bytes of a position in a table.
pub(super) const POSITION: usize = 6;

impl<'a> Data<'a, '_> {
    /// The groups of each kind; without those of objects if no object is known. Only comparisons have
    /// parts, if there are several: the header lists those of a profile.
    pub fn groups(&self, room: &mut Room) -> Vec<(GroupBy, Table)> {
        let kinds = GroupBy::GROUPS.into_iter();
        let kinds = kinds.filter(|by| match by {
            // Functions have their own view, and so have the lines of each.
            GroupBy::Function | GroupBy::Line => false,
            GroupBy::Class | GroupBy::File | GroupBy::Package => true,
            GroupBy::Object => self.has_objects(),
            GroupBy::Part => self.costs.comparison.is_some() && self.has_parts(),
        });
        let groups = kinds.filter_map(|by| {
            let table = room.lend(PERCENT, |room| self.groups_by(by, room));
            table.map(|table| (by, table))
        });
        groups.collect()
    }

    fn has_objects(&self) -> bool {
        self.costs.sides().any(|(_, profile)| {
            let mut functions = profile.functions();
            functions.any(|(_, function)| !profile.name(function.object).is_empty())
        })
    }

    fn has_parts(&self) -> bool {
        let mut sides = self.costs.sides();
        sides.any(|(_, view)| view.profile().parts().len() > 1)
    }

    /// The costliest groups that fit, and for each function of the report the position of its group.
    fn groups_by(&self, by: GroupBy, room: &mut Room) -> Option<Table> {
        let mut table = self.costs.table(&[&COSTS[..], &NAMES].concat());
        // Parts have no functions of their own.
        let functions = match by {
            GroupBy::Part => &[],
            _ => self.functions.shown(),
        };
        if !room.take(POSITION * functions.len()) {
            return None;
        }
        self.grouped(by, |costs, mut all| {
            for group in &mut all.all {
                group.name = match self.options.within_root(group.name) {
                    None if group.name.is_empty() => b"???",
                    name => name.unwrap_or(group.name),
                };
            }
            all.choose(usize::MAX, |group| {
                let row = group.add_inclusive(group.row(costs), costs);
                table.add(&group.add_names(row, self.options.names), room)
            });
            let members = self.costs.views.map(View::functions_of_rows);
            let groups = functions.iter().map(|function| {
                let group = function.first.and_then(|(side, id)| {
                    let member = members[side].get(id.index())?;
                    let group = costs.views[side].row(*member)?;
                    all.place(all.index(side, group))
                });
                position(group)
            });
            table.set("of", &groups.collect::<Vec<_>>());
            table.set("omitted", &all.omitted().len());
        })?;
        Some(table)
    }

    /// Calls `use_groups` with the costs of groups and the groups.
    pub fn grouped<T>(
        &self,
        by: GroupBy,
        use_groups: impl FnOnce(&AllCosts<'_>, Functions<'_>) -> T,
    ) -> Option<T> {
        let groups = self.views.by(by).ok()?;
        let costs = AllCosts::new(groups.subject());
        Some(use_groups(&costs, Functions::new(&costs)))
    }
}
