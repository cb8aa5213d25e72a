//! Costs in all events of a report: of its rows, and of sums of calls, lines and stacks.

use super::table::{DataColumn, DataTable};
use crate::compare::{Side, Sides};
use crate::output::Sort;
use crate::output::figures::report::Report;
use crate::profile::Cost;

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
        for (event, cost) in costs.into_iter().enumerate() {
            match sums.get_mut(event) {
                Some(sum) => *sum = sum.saturating_add(cost),
                None => sums.push(cost),
            }
        }
    }

    pub fn add_all(&mut self, other: &SideSums) {
        for side in Sides::EACH {
            self.add(side, other.counts[side], other.costs[side].iter().copied());
        }
    }
}

/// A share of a total, in parts of this.
pub(super) type Share = u128;
const WHOLE: Share = 1 << 40;

impl Report<'_> {
    pub(super) fn data_table(&self, columns: &[DataColumn]) -> DataTable {
        DataTable::new(
            columns,
            self.known_events().len(),
            self.comparison.is_some(),
        )
    }

    /// Costs on a side in all events, not divided by runs.
    pub(super) fn scaled(&self, side: Side, costs: &[Cost]) -> impl Iterator<Item = i128> {
        let events = self.known_events().iter();
        events.map(move |event| event.cost(side, costs))
    }

    /// Divides costs by the runs of their side.
    pub(super) fn per_run(&self, costs: &Sides<Vec<i128>>) -> Sides<Vec<i128>> {
        Sides::EACH.map(|side| {
            let costs = self.known_events().iter().zip(&costs[side]);
            costs
                .map(|(event, &cost)| event.per_run(side, cost))
                .collect()
        })
    }

    /// The largest share of the total of an event that sums have, on either side.
    pub(super) fn share_of_sums(&self, sums: &SideSums) -> Share {
        let shares = Sides::EACH.into_iter().flat_map(|side| {
            let costs = self.known_events().iter().zip(&sums.costs[side]);
            let costs = costs.map(move |(event, &cost)| event.per_run(side, cost));
            (0..).zip(costs).map(|(at, cost)| self.share(at, cost))
        });
        shares.max().unwrap_or(0)
    }

    /// The largest one that the self cost or the inclusive cost of a row has.
    pub(super) fn share_of_row(&self, position: usize) -> Share {
        let shares = (0..self.known_events().len()).flat_map(|event| {
            let sides = self.sums_in(event, position).into_iter().flatten();
            let costs =
                sides.flat_map(|sums| [Sort::SelfCost, Sort::Inclusive].map(|of| of.of(sums)));
            costs.map(move |cost| self.share(event, cost))
        });
        shares.max().unwrap_or(0)
    }

    fn share(&self, event: usize, cost: i128) -> Share {
        let totals = self.events[event].totals.map(i128::unsigned_abs);
        cost.unsigned_abs().saturating_mul(WHOLE) / totals.base.max(totals.new).max(1)
    }
}
