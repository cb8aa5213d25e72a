//! The costs of named parts on both sides of a comparison.

use super::check::{Check, shown};
use super::limit_error::LimitError;
use super::limits::{Bound, Verdict};
use super::{Column, Comparison, InclusiveSum, Side, Sides};
use crate::maps::IndexMap;

/// The parts with the same name on both sides of a comparison. A benchmark names a part with
/// `CALLGRIND_DUMP_STATS_AT("name")`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartChange<'a> {
    /// The name.
    pub name: &'a [u8],
    /// The sums of their self costs, without a scale; per run, if that is compared. `None` where there
    /// is no such part.
    pub costs: Sides<Option<i128>>,
    /// These sums, not divided by the numbers of runs.
    pub(super) exact: Sides<Option<i128>>,
}

impl<'a> PartChange<'a> {
    /// The parts of the sides that there are, in an event of each, in the order of the new side, with
    /// those that are only in the base at the end.
    fn between(columns: Sides<Option<Column<'a>>>) -> Vec<Self> {
        let mut sums: IndexMap<&[u8], Sides<Option<i128>>> = IndexMap::default();
        for side in [Side::New, Side::Base] {
            let Some(column) = columns[side] else {
                continue;
            };
            for part in column.profile.parts() {
                let Some(name) = part.header.name() else {
                    continue;
                };
                let sum = sums.entry(name).or_default()[side].get_or_insert(0);
                *sum = sum.saturating_add(column.cost(part.totals));
            }
        }
        let changes = sums.into_iter().map(|(name, exact)| PartChange {
            name,
            costs: exact
                .zip(columns)
                .map(|(cost, column)| Some(column?.per_run(cost?))),
            exact,
        });
        changes.collect()
    }
}

impl Check<'_, '_> {
    /// Checks each part that the profiled program has named.
    pub fn parts(&self) -> Result<Vec<Verdict>, LimitError> {
        if self.profiles().any(|profile| profile.unlisted_parts() > 0) {
            return Err(LimitError::TooManyParts);
        }
        let parts = match self.comparison {
            Some(comparison) => comparison.parts(0),
            None => PartChange::between(Sides {
                base: None,
                new: Some(Column::first(self.profile)),
            }),
        };
        let is_checked = |part: &PartChange<'_>| match self.bound {
            Bound::Growth(_) => part.exact.base.and(part.exact.new).is_some(),
            _ => part.exact.new.is_some(),
        };
        if !parts.iter().any(is_checked) {
            return Err(LimitError::NoParts);
        }
        let judge = |part: &PartChange<'_>| {
            let name = format!("part \"{}\"", shown(part.name));
            let subject = format!("the {} of {name}", self.event());
            self.judge(
                &subject,
                &name,
                part.exact.map(|sum| sum.map(InclusiveSum::exact)),
            )
        };
        // For growth, parts that only one side has get a verdict, too.
        let has_verdict = |part: &&PartChange<'_>| match self.bound {
            Bound::Growth(_) => true,
            _ => part.exact.new.is_some(),
        };
        parts.iter().filter(has_verdict).map(judge).collect()
    }
}

impl<'a> Comparison<'a> {
    /// The parts that the profiled programs have named, in one of the [`events`](Self::events): in
    /// the order of the new profile, then those that are gone. Several of one name are one.
    ///
    /// # Panics
    ///
    /// If there is no such event.
    pub fn parts(&self, event: usize) -> Vec<PartChange<'a>> {
        PartChange::between(self.events[event].columns.map(Some))
    }
}
