//! Joins the events of several inputs, and of both sides of a comparison.

use std::mem;

use super::names::{conventional, split_scale};
use super::{Event, EventChoice, Events, NameSet};
use crate::maps::IndexSet;
use crate::tables::ColumnMap;

impl Events {
    /// Adds the events of another input. Returns two maps to the requested costs: from the costs of
    /// this one, and from those of the other.
    pub fn merge(&mut self, other: &Events) -> [ColumnMap; 2] {
        let (before, others) = (self.wanted.clone(), other.wanted.clone());
        let have_columns = !self.columns.is_empty() && !other.columns.is_empty();
        self.are_mixed |= other.are_mixed || have_columns && self.columns.iter().ne(&other.columns);
        self.columns.extend(other.columns.iter().cloned());
        self.formulas.merge(&other.formulas);
        self.selected.clear();
        for (name, long_name) in &other.long_names {
            // The smaller one, so that the order of inputs does not matter.
            let own = self.long_names.entry(name.clone());
            let own = own.or_insert_with(|| long_name.clone());
            if long_name < own {
                own.clone_from(long_name);
            }
        }
        if let EventChoice::Matching(_) = self.choice {
            // What one of them has taken for the requested event may be another one.
            self.complete_names();
        } else {
            let all: NameSet = before.iter().chain(&others).cloned().collect();
            self.wanted = all.into_iter().collect();
        }
        if self.are_mixed && self.choice == EventChoice::All {
            self.wanted
                .sort_by(|one, other| conventional(one).cmp(&conventional(other)));
        }
        [&before, &others].map(|from| positions(from, &self.wanted))
    }

    /// Joins requests that turned out to be for the same event. Returns the map from the previous
    /// requests, or `None` if there are no equal ones.
    pub fn join_equal(&mut self) -> Option<ColumnMap> {
        let distinct: NameSet = self.wanted.iter().cloned().collect();
        if distinct.len() == self.wanted.len() {
            return None;
        }
        let before = mem::replace(&mut self.wanted, distinct.into_iter().collect());
        Some(positions(&before, &self.wanted))
    }

    /// Reduces the requested events to those among other events, in their order, and returns their
    /// former positions. Scales make no difference.
    pub fn keep(&mut self, others: &[Event]) -> ColumnMap {
        let plain = |name| split_scale(name).0;
        let kept = others.iter().filter_map(|other| {
            let mut own = self.wanted.iter();
            own.position(|name| plain(name) == plain(other.name()))
        });
        let kept: IndexSet<usize> = kept.collect();
        self.wanted = kept.iter().map(|&at| self.wanted[at].clone()).collect();
        ColumnMap::new(kept.into_iter().map(|at| vec![(at, 1)]).collect())
    }
}

/// The map from events to others, whose names are distinct.
fn positions(from: &[Vec<u8>], to: &[Vec<u8>]) -> ColumnMap {
    let events = to.iter().map(|name| {
        let at = from.iter().position(|known| known == name);
        at.map(|at| (at, 1)).into_iter().collect()
    });
    ColumnMap::new(events.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(wanted: [&[u8]; 2], columns: &[&[u8]]) -> Events {
        let wanted = wanted.map(<[u8]>::to_vec).into();
        let mut events = Events::new(EventChoice::Matching(wanted));
        let columns: Vec<Vec<u8>> = columns.iter().map(|name| name.to_vec()).collect();
        events.select(&columns);
        events
    }

    #[test]
    fn names_that_one_input_lacks_are_completed_by_the_other() {
        let mut one = events([b"Dx", b"D"], &[b"Dxx", b"Dy"]);
        one.merge(&events([b"Dx", b"D"], &[b"Da"]));
        // Three events begin with the other one.
        assert_eq!(one.wanted, [&b"Dxx"[..], b"D"]);
        let mut one = events([b"Dx", b"E"], &[b"Dxx"]);
        one.merge(&events([b"Dx", b"E"], &[b"Ex"]));
        assert_eq!(one.wanted, [&b"Dxx"[..], b"Ex"]);
    }

    /// Whichever comes first, the whole name wins, and the other cost does not count.
    #[test]
    fn an_exact_name_in_any_input_wins() {
        for swaps in [false, true] {
            let wanting = |columns: &[&[u8]]| events([b"Ir", b"Ir"], columns);
            let (mut one, mut other) = (wanting(&[b"Ir2"]), wanting(&[b"Ir"]));
            if swaps {
                std::mem::swap(&mut one, &mut other);
            }
            let maps = one.merge(&other);
            assert_eq!(one.wanted, [b"Ir"]);
            let expected = if swaps { [7, 0] } else { [0, 7] };
            assert_eq!(maps.map(|map| map.row(&[7])[0]), expected);
        }
    }

    #[test]
    fn whole_names_are_not_completed() {
        let mut one = events([b"Irx", b"Ir"], &[b"Irx", b"Iry"]);
        let [_, map] = one.merge(&events([b"Irx", b"Ir"], &[b"Ir"]));
        assert_eq!(one.wanted, [&b"Irx"[..], b"Ir"]);
        assert_eq!(map.row(&[0, 5]), [0, 5]);
    }
}
