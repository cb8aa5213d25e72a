//! Groups of functions (classes, files, objects and packages): the costliest that fit.

use std::io;

use super::costs::SideCosts;
use super::data::Data;
use super::functions::Functions;
use super::table::{Room, Table, WholeNumber, position};
use crate::compare::{Comparison, Side, Sides};
use crate::output::json::Document;
use crate::profile::{GroupBy, InclusiveCost};
use crate::stacks::{Stacks, count_groups_once};

/// The kinds of groups, and the percentage of the bytes that each may use.
const KINDS: [GroupBy; 4] = [
    GroupBy::Class,
    GroupBy::File,
    GroupBy::Object,
    GroupBy::Package,
];
const PERCENT: usize = 25;

/// Groups of one kind.
pub(super) struct GroupTable {
    by: GroupBy,
    rows: Table,
    /// For each function of the report, the position of its group.
    of: Vec<WholeNumber>,
    omitted: usize,
}

impl Data<'_, '_> {
    /// The groups of each kind; without those of objects if no object is known.
    pub fn groups(&self, room: &mut Room) -> Vec<GroupTable> {
        let mut share = Room::new(room.left());
        let kinds = KINDS.into_iter();
        let groups = kinds.filter_map(|by| share.lend(PERCENT, |room| self.groups_by(by, room)));
        let groups = groups.collect();
        room.take(room.left() - share.left());
        groups
    }

    fn groups_by(&self, by: GroupBy, room: &mut Room) -> Option<GroupTable> {
        let has_object = |&side: &Side| {
            let profile = self.costs.profile(side);
            let mut functions = profile.functions();
            functions.any(|(_, function)| !profile.name(function.object).is_empty())
        };
        if by == GroupBy::Object && !self.costs.sides().iter().any(has_object) {
            return None;
        }
        let grouped = |stacks: &Stacks<'_>| {
            let mut groups = stacks.profile().by(by, false)?;
            if self.options.inclusive == InclusiveCost::Once {
                count_groups_once(&mut groups, stacks.profile(), || stacks);
            }
            Some((groups.profile, groups.of_functions))
        };
        let (new, of_new) = grouped(self.stacks)?;
        let (base, of_base) = match self.compared {
            Some(compared) => grouped(compared.base).map(|(base, of)| (Some(base), of))?,
            None => (None, Vec::new()),
        };
        let of = Sides {
            base: of_base,
            new: of_new,
        };
        let comparison = match (&base, self.compared) {
            (Some(base), Some(compared)) => match compared.comparison.is_per_run {
                true => Some(Comparison::per_run(base, &new).ok()?),
                false => Some(Comparison::new(base, &new).ok()?),
            },
            _ => None,
        };
        let costs = SideCosts::new(&new, comparison.as_ref());
        let mut groups = Functions::new(&costs);
        for group in &mut groups.all {
            group.name = match self.options.within_root(group.name) {
                None if group.name.is_empty() => b"???",
                name => name.unwrap_or(group.name),
            };
        }
        // Six bytes for the position of each function's group.
        let most = 6 * self.functions.order.len();
        if !room.take(most) {
            return None;
        }
        let rows = groups.table(&costs, self.options.names, room, None, &mut 0);
        let of = self.functions.are_shown(true).map(|function| {
            let group = function
                .first
                .map(|(side, id)| groups.index(side, of[side][id.index()]));
            position(group.and_then(|group| groups.place(group)))
        });
        let of: Vec<WholeNumber> = of.collect();
        let size: usize = of.iter().map(|position| position.size()).sum();
        room.give_back(most.saturating_sub(size));
        Some(GroupTable {
            by,
            of,
            omitted: groups.are_shown(false).count(),
            rows,
        })
    }
}

impl GroupTable {
    pub fn write(&self, record: &mut Document<'_>) -> io::Result<()> {
        record.record(self.by.name(), |record| {
            self.rows.write(record)?;
            record.field("of", &self.of)?;
            record.field("omitted", &self.omitted)
        })
    }
}
