//! The costs of both sides as the report shows them, and what share they have.

use std::iter;

use crate::compare::{Comparison, Side, Sides, calls_within};
use crate::display::numbers::divided;
use crate::profile::{Cost, FunctionId, Profile};

/// The functions of a profile, or groups of them, and those of the base if there is one.
pub(super) struct Costs<'a> {
    pub new: &'a Profile,
    pub comparison: Option<&'a Comparison<'a>>,
    /// What one unit of cost stands for, for each side and event: in a comparison, scales differ.
    scales: Sides<Vec<i128>>,
    /// What costs and calls of the sides are divided by.
    pub runs: Sides<i128>,
    /// The larger totals of both sides, before they are divided.
    pub totals: Vec<i128>,
}

impl<'a> Costs<'a> {
    pub fn new(new: &'a Profile, comparison: Option<&'a Comparison<'a>>) -> Self {
        let scales = Sides::EACH.map(|side| match comparison {
            None => vec![1; new.totals().len()],
            Some(comparison) => {
                let scales = comparison.events.iter().map(|event| event.scales()[side]);
                scales.map(i128::from).collect()
            }
        });
        let runs = comparison.map_or(Sides { base: 1, new: 1 }, Comparison::divisors);
        let mut costs = Costs {
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

    /// The sides that there are.
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

    /// Costs of a side as they are shown.
    pub fn per_run(&self, side: Side, costs: Vec<i128>) -> Vec<i128> {
        let costs = costs.into_iter();
        costs.map(|cost| divided(cost, self.runs[side])).collect()
    }

    /// The largest share that costs have of the total of their event.
    pub fn share(&self, costs: &[i128]) -> f64 {
        let shares = costs.iter().zip(&self.totals).map(|(cost, total)| {
            let [cost, total] = [cost, total].map(|cost| cost.unsigned_abs() as f64);
            cost / total.max(1.0)
        });
        shares.fold(0.0, f64::max)
    }

    /// What functions of a side that are one cost by themselves, not divided.
    pub fn own(&self, side: Side, ids: &[FunctionId]) -> Vec<i128> {
        let costs = ids.iter().map(|&id| self.profile(side).self_costs(id));
        self.sum(side, costs)
    }

    /// Likewise with all that they call, in which their calls of each other do not count twice.
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

    /// How often functions of a side that are one were called, not by each other.
    pub fn invocations(&self, side: Side, ids: &[FunctionId]) -> i128 {
        let profile = self.profile(side);
        let calls = ids.iter().map(|&id| profile.function(id).invocations);
        let within = calls_within(profile, ids).map(|edge| i128::from(edge.calls));
        calls.map(i128::from).sum::<i128>() - within.sum::<i128>()
    }
}
