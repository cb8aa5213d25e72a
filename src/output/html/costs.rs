//! The costs of both sides in the units of the report, and their shares.

use super::table::{Column, Costs, Row, Table};
use crate::compare::Subject;
use crate::compare::{Comparison, Side, Sides, calls_within};
use crate::output::figures::EventFormat;
use crate::profile::{Cost, FunctionId};
use crate::view::View;

/// Numbers of calls and costs of both sides, not yet divided by runs.
#[derive(Clone, Default)]
pub(super) struct SideSums {
    pub counts: Sides<i128>,
    pub costs: Sides<Costs>,
}

impl SideSums {
    pub fn add(&mut self, side: Side, count: i128, costs: impl IntoIterator<Item = i128>) {
        self.counts[side] = self.counts[side].saturating_add(count);
        let sums = &mut self.costs[side];
        for (event, cost) in costs.into_iter().enumerate() {
            sums.resize(sums.len().max(event + 1), 0);
            sums[event] = sums[event].saturating_add(cost);
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

/// A profile of functions or of groups, and its comparison if there is a base.
pub(super) struct AllCosts<'a> {
    pub comparison: Option<&'a Comparison<'a>>,
    /// Without a base, both are the new one.
    pub views: Sides<&'a View<'a>>,
    pub events: Vec<EventFormat<'a>>,
}

impl<'a> AllCosts<'a> {
    pub fn new(subject: Subject<'a>) -> Self {
        let (new, comparison) = (subject.view(), subject.comparison());
        let one = Sides { base: new, new };
        AllCosts {
            comparison,
            views: comparison.map_or(one, |comparison| comparison.views.as_ref()),
            events: match comparison {
                None => EventFormat::of(new.profile()),
                Some(comparison) => EventFormat::compared(comparison),
            },
        }
    }

    pub fn table(&self, columns: &[Column]) -> Table {
        Table::new(columns, self.events.len(), self.comparison.is_some())
    }

    pub fn row(&self) -> Row {
        Row::new(self.events.len(), self.comparison.is_some())
    }

    /// The sides that exist, the new one first.
    pub fn sides(&self) -> impl Iterator<Item = (Side, &'a View<'a>)> {
        let base = self.comparison.map(|_| Side::Base);
        let sides = [Side::New].into_iter().chain(base);
        sides.map(|side| (side, self.views[side]))
    }

    /// A row of costs on a side in the units of the report.
    pub fn scaled(&self, side: Side, costs: &[Cost]) -> impl Iterator<Item = i128> {
        self.events.iter().map(move |event| event.cost(side, costs))
    }

    /// Divides costs by the runs of their side.
    pub fn per_run(&self, costs: &Sides<Costs>) -> Sides<Costs> {
        Sides::EACH.map(|side| {
            let costs = self.events.iter().zip(&costs[side]);
            costs
                .map(|(event, &cost)| event.per_run(side, cost))
                .collect()
        })
    }

    /// The sums of functions that are one row: of their calls and self costs, and of their inclusive
    /// costs. Calls among each other, which would count twice, are left out.
    pub fn sums(&self, ids: &Sides<Vec<FunctionId>>) -> [SideSums; 2] {
        let mut sums = [SideSums::default(), SideSums::default()];
        for (side, profile) in self.sides() {
            let [own, inclusive] = &mut sums;
            for &id in &ids[side] {
                let calls = profile.function(id).invocations;
                own.add(
                    side,
                    calls.into(),
                    self.scaled(side, profile.self_costs(id)),
                );
                inclusive.add(side, 0, self.scaled(side, profile.inclusive_costs(id)));
            }
            for edge in calls_within(profile, &ids[side]) {
                own.add(side, -i128::from(edge.calls), []);
                let costs = self.scaled(side, edge.costs());
                inclusive.add(side, 0, costs.map(i128::saturating_neg));
            }
        }
        sums
    }

    /// The largest share of the total of an event, on either side.
    pub fn share(&self, costs: &Sides<Costs>) -> Share {
        let shares = self.per_run(costs).into_iter().flat_map(|costs| {
            self.events.iter().zip(costs).map(|(event, cost)| {
                let [base, new] = [event.totals.base, event.totals.new].map(i128::unsigned_abs);
                cost.unsigned_abs().saturating_mul(WHOLE) / base.max(new).max(1)
            })
        });
        shares.max().unwrap_or(0)
    }
}
