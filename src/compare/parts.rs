//! What parts that the profiled program has named cost on both sides of a comparison.

use super::amounts::unit_of;
use super::limit_error::LimitError;
use super::limits::{Bound, Check, Verdict, in_runs, judge_growth, shown};
use super::{Comparison, InclusiveSum, Sides};
use crate::display::numbers::divided;
use crate::display::text::excerpt;
use crate::display::units::in_units;
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
    pub(super) exact: Sides<Option<i128>>,
}

impl<'a> PartChange<'a> {
    /// The parts of sides that are there, in an event of each, in the order of the last side, with
    /// those that are only in the first at the end.
    pub(super) fn between(
        sides: Sides<Option<(&'a Profile, usize)>>,
        runs: Sides<u64>,
    ) -> Vec<Self> {
        let mut sums: IndexMap<&[u8], Sides<Option<i128>>> = IndexMap::default();
        let mut add = |side: Option<(&'a Profile, usize)>, is_base: bool| {
            let Some((profile, event)) = side else {
                return;
            };
            let events = profile.events().get(event);
            let (_, scale) = events.map_or((&b""[..], 1), |event| split_scale(event.name()));
            for part in profile.parts() {
                let Some(name) = part.header.name() else {
                    continue;
                };
                let cost = part.totals.get(event).copied().unwrap_or(0);
                let cost = i128::from(cost).saturating_mul(scale.into());
                let Sides { base, new } = sums.entry(name).or_default();
                let sum = if is_base { base } else { new }.get_or_insert(0);
                *sum = sum.saturating_add(cost);
            }
        };
        add(sides.new, false);
        add(sides.base, true);
        let changes = sums.into_iter().map(|(name, exact)| PartChange {
            name,
            base: exact.base.map(|cost| divided(cost, runs.base.into())),
            new: exact.new.map(|cost| divided(cost, runs.new.into())),
            exact,
        });
        changes.collect()
    }
}

impl Check<'_, '_> {
    /// Checks each part that the profiled program has named.
    pub fn parts(&self) -> Result<Vec<Verdict>, LimitError> {
        let base = self.comparison.map(|comparison| comparison.base);
        let mut sides = base.into_iter().chain([self.profile]);
        if sides.any(|side| side.unlisted_parts() > 0) {
            return Err(LimitError::TooManyParts);
        }
        let parts = match self.comparison {
            Some(comparison) => comparison.parts(0),
            None => {
                let new = Some((self.profile, 0));
                PartChange::between(Sides { base: None, new }, Sides { base: 1, new: 1 })
            }
        };
        let is_checked = |part: &PartChange<'_>| match self.bound {
            Bound::Growth(_) => part.exact.base.and(part.exact.new).is_some(),
            _ => part.exact.new.is_some(),
        };
        if !parts.iter().any(is_checked) {
            return Err(LimitError::NoParts);
        }
        let event = excerpt(split_scale(self.profile.event()).0);
        let verdicts = parts.iter().filter_map(|part| {
            let part_name = format!("part \"{}\"", shown(part.name));
            let subject = format!("the {event} of {part_name}");
            let Sides { base, new } = part.exact;
            Some(match (self.bound, base, new) {
                (Bound::Growth(limit), _, None) => Ok(Verdict::not_found(format!(
                    "{part_name} not found in the new profile, so its limit of {limit} % was not checked"
                ))),
                (Bound::Growth(limit), None, Some(new)) => {
                    let new = in_runs(in_units(new, unit_of(self.profile)), self.runs);
                    Ok(Verdict::not_found(format!(
                        "{part_name}, at {new}, not found in the base, so its limit of {limit} % was not checked"
                    )))
                }
                (Bound::Growth(limit), Some(base), Some(new)) => {
                    let sides = Sides { base, new }.map(InclusiveSum::exact);
                    judge_growth(limit, self.comparison?, &subject, sides)
                }
                (Bound::Cost(limit), _, new) => {
                    self.judge_cost(limit, &subject, InclusiveSum::exact(new?))
                }
                (Bound::Calls(_), ..) => return None,
            })
        });
        verdicts.collect()
    }
}

impl<'a> Comparison<'a> {
    /// The parts that the profiled programs have named, in one of the [`events`](Self::events): in
    /// the order of the new profile, then those that are gone. Several of one name are one.
    pub fn parts(&self, event: usize) -> Vec<PartChange<'a>> {
        let Some(event) = self.events.get(event) else {
            return Vec::new();
        };
        let [of_base, of_new] = event.columns;
        let sides = Sides {
            base: Some((self.base, of_base.at)),
            new: Some((self.new, of_new.at)),
        };
        let [base, new] = self.divisors();
        PartChange::between(sides, Sides { base, new })
    }
}
