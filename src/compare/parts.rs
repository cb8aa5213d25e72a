//! What parts that the profiled program has named cost on both sides of a comparison.

use super::Comparison;
use crate::display::numbers::divided;
use crate::maps::IndexMap;
use crate::profile::{Profile, split_scale};

/// The parts of one name, as a benchmark writes one with `CALLGRIND_DUMP_STATS_AT("name")`, on both
/// sides of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartChange<'a> {
    /// The name that the program gave them.
    pub name: &'a [u8],
    /// The sum of their self costs in the base, without a scale; per run, if that is compared. None
    /// if the base has no such part.
    pub base: Option<i128>,
    /// The same in the new profile; none if the part is gone.
    pub new: Option<i128>,
    /// These sums, not divided by the numbers of runs.
    pub(super) exact: [Option<i128>; 2],
}

impl<'a> PartChange<'a> {
    /// The parts of sides that are there, in an event of each, in the order of the last side, with
    /// those that are only in the first at the end.
    pub(super) fn between(sides: [Option<(&'a Profile, usize)>; 2], runs: [u64; 2]) -> Vec<Self> {
        let mut sums: IndexMap<&[u8], [Option<i128>; 2]> = IndexMap::default();
        for (side, profile) in sides.into_iter().enumerate().rev() {
            let Some((profile, event)) = profile else {
                continue;
            };
            let events = profile.events().get(event);
            let (_, scale) = events.map_or((&b""[..], 1), |event| split_scale(event.name()));
            for part in profile.parts() {
                let Some(name) = part.header.name() else {
                    continue;
                };
                let cost = part.totals.get(event).copied().unwrap_or(0);
                let cost = i128::from(cost).saturating_mul(scale.into());
                let sum = sums.entry(name).or_default()[side].get_or_insert(0);
                *sum = sum.saturating_add(cost);
            }
        }
        let changes = sums.into_iter().map(|(name, exact)| {
            let per_run = |side: usize| exact[side].map(|cost| divided(cost, runs[side].into()));
            PartChange {
                name,
                base: per_run(0),
                new: per_run(1),
                exact,
            }
        });
        changes.collect()
    }
}

impl<'a> Comparison<'a> {
    /// The parts that the profiled programs have named, in one of the [`events`](Self::events): in
    /// the order of the new profile, then those that are gone. Several of one name are one.
    pub fn parts(&self, event: usize) -> Vec<PartChange<'a>> {
        let Some(event) = self.events.get(event) else {
            return Vec::new();
        };
        let [base, new] = event.columns;
        let sides = [Some((self.base, base.at)), Some((self.new, new.at))];
        PartChange::between(sides, self.divisors())
    }
}
