//! The costs of both sides in the units of the report, and their shares.

use std::iter;

use super::table::{Table, TableRow, WholeNumber};
use crate::compare::{Comparison, Side, Sides, calls_within};
use crate::display::numbers::divided;
use crate::profile::{Cost, FunctionId, Profile};

/// Numbers of calls and costs of both sides, not yet divided by runs.
#[derive(Clone, Default)]
pub(super) struct SideSums {
    pub counts: Sides<i128>,
    pub costs: Sides<Vec<i128>>,
}

impl SideSums {
    pub fn add(&mut self, side: Side, count: i128, costs: impl IntoIterator<Item = i128>) {
        self.counts[side] = self.counts[side].saturating_add(count);
        let sums = &mut self.costs[side];
        for (at, cost) in costs.into_iter().enumerate() {
            sums.resize(sums.len().max(at + 1), 0);
            sums[at] = sums[at].saturating_add(cost);
        }
    }

    pub fn add_all(&mut self, other: &SideSums) {
        for side in Sides::EACH {
            self.add(side, other.counts[side], other.costs[side].iter().copied());
        }
    }
}

/// A profile of functions or of groups, and its comparison if there is a base.
pub(super) struct SideCosts<'a> {
    pub new: &'a Profile,
    pub comparison: Option<&'a Comparison<'a>>,
    /// A factor for each side and event: the sides of a comparison can have different units.
    scales: Sides<Vec<i128>>,
    /// The number of runs by which the costs and calls of each side are divided.
    pub runs: Sides<i128>,
    /// For each event the larger total of both sides, not yet divided by runs.
    pub totals: Vec<i128>,
}

impl<'a> SideCosts<'a> {
    pub fn new(new: &'a Profile, comparison: Option<&'a Comparison<'a>>) -> Self {
        let scales = Sides::EACH.map(|side| match comparison {
            None => vec![1; new.totals().len()],
            Some(comparison) => {
                let scales = comparison.events.iter().map(|event| event.scales()[side]);
                scales.map(i128::from).collect()
            }
        });
        let runs = comparison.map_or(Sides { base: 1, new: 1 }, Comparison::divisors);
        let mut costs = SideCosts {
            new,
            comparison,
            scales,
            runs: runs.map(i128::from),
            totals: Vec::new(),
        };
        let totals = costs.sides().iter().map(|&side| costs.side_totals(side));
        costs.totals = totals.fold(Vec::new(), |sums, totals| {
            let sums = sums.into_iter().chain(iter::repeat(0));
            let larger = totals.into_iter().zip(sums).map(|(a, b)| a.abs().max(b));
            larger.collect()
        });
        costs
    }

    /// The sides that exist.
    pub fn sides(&self) -> &'static [Side] {
        match self.comparison {
            Some(_) => &[Side::Base, Side::New],
            None => &[Side::New],
        }
    }

    /// The profile of a side.
    pub fn profile(&self, side: Side) -> &'a Profile {
        match self.comparison {
            Some(comparison) if side == Side::Base => comparison.profiles.base,
            _ => self.new,
        }
    }

    pub fn scaled(&self, side: Side, costs: &[Cost]) -> impl Iterator<Item = i128> {
        let scales = &self.scales[side];
        let costs = costs.iter().zip(scales);
        costs.map(|(&cost, scale)| i128::from(cost).saturating_mul(*scale))
    }

    pub fn side_totals(&self, side: Side) -> Vec<i128> {
        self.scaled(side, &self.profile(side).totals()).collect()
    }

    /// Divides costs of a side by its runs.
    pub fn per_run(&self, side: Side, costs: Vec<i128>) -> Vec<i128> {
        let costs = costs.into_iter();
        costs.map(|cost| divided(cost, self.runs[side])).collect()
    }

    /// An empty table. A half of `costs` are columns of the base, which come last.
    pub fn table(&self, numbers: &[&'static str], costs: &[&'static str]) -> Table {
        let costs = &costs[..costs.len() / 2 * self.sides().len()];
        Table::new(numbers, costs, self.totals.len())
    }

    /// A row with sums of both sides, divided by their runs.
    pub fn row(&self, numbers: Vec<WholeNumber>, sums: &SideSums, digit: u8) -> TableRow {
        let costs = Sides::EACH.map(|side| self.per_run(side, sums.costs[side].clone()));
        TableRow::of_sides(numbers, costs, digit)
    }

    /// The largest share of the total of an event.
    pub fn share(&self, costs: &[i128]) -> f64 {
        let shares = costs.iter().zip(&self.totals).map(|(cost, total)| {
            let [cost, total] = [cost, total].map(|cost| cost.unsigned_abs() as f64);
            cost / total.max(1.0)
        });
        shares.fold(0.0, f64::max)
    }

    /// The largest share on either side.
    pub fn share_of_sides(&self, costs: &Sides<Vec<i128>>) -> f64 {
        self.share(&costs.base).max(self.share(&costs.new))
    }

    /// The self costs of functions that are one row, not yet divided by runs.
    pub fn own(&self, side: Side, ids: &[FunctionId]) -> Vec<i128> {
        let costs = ids.iter().map(|&id| self.profile(side).self_costs(id));
        self.sum(side, costs)
    }

    /// Their inclusive costs, without those of calls among each other, which would count twice.
    pub fn inclusive(&self, side: Side, ids: &[FunctionId]) -> Vec<i128> {
        let profile = self.profile(side);
        let costs = ids.iter().map(|&id| profile.inclusive_costs(id));
        let within = calls_within(profile, ids);
        let within = self.sum(side, within.map(|edge| edge.costs()));
        let costs = self.sum(side, costs).into_iter().zip(within);
        costs
            .map(|(all, within)| all.saturating_sub(within))
            .collect()
    }

    fn sum<'r>(&self, side: Side, rows: impl Iterator<Item = &'r [Cost]>) -> Vec<i128> {
        let mut sums = vec![0_i128; self.totals.len()];
        for row in rows {
            for (sum, cost) in sums.iter_mut().zip(self.scaled(side, row)) {
                *sum = sum.saturating_add(cost);
            }
        }
        sums
    }

    /// The number of calls of functions that are one row, without calls among each other.
    pub fn invocations(&self, side: Side, ids: &[FunctionId]) -> i128 {
        let profile = self.profile(side);
        let calls = ids.iter().map(|&id| profile.function(id).invocations);
        let within = calls_within(profile, ids).map(|edge| i128::from(edge.calls));
        calls.map(i128::from).sum::<i128>() - within.sum::<i128>()
    }
}
