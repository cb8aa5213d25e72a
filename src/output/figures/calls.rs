//! The sums of calls, as tables and call graphs show them.

use super::report::Report;
use super::row::Row;
use crate::compare::{CallCount, FunctionSums, Side, Sides};
use crate::maps::{HashSet, IndexMap};
use crate::names::Named;
use crate::profile::{Cost, EdgeRef};
use crate::view::{CallsBy, PassedCall};

/// The sums of calls, not divided by runs.
#[derive(Clone, Default)]
pub(crate) struct CallSums {
    sides: Sides<Option<SideCalls>>,
    /// Whether some cost what is not part of others.
    has_costs: bool,
}

/// The sums of a side.
#[derive(Clone, Default)]
struct SideCalls {
    /// In the events of tables; empty if all are part of others.
    costs: Vec<i128>,
    calls: i128,
    is_estimated: bool,
}

impl CallSums {
    /// Adds calls of a side. They have no costs if they are part of others.
    pub fn add(
        &mut self,
        report: &Report<'_>,
        side: Side,
        calls: u64,
        costs: Option<&[Cost]>,
        is_estimated: bool,
    ) {
        let sums = self.sides[side].get_or_insert_default();
        sums.calls = sums.calls.saturating_add(calls.into());
        sums.is_estimated |= is_estimated;
        let Some(costs) = costs else { return };
        self.has_costs = true;
        let events = report.table_events();
        sums.costs.resize(events.len(), 0);
        for (sum, event) in sums.costs.iter_mut().zip(events) {
            *sum = sum.saturating_add(event.cost(side, costs));
        }
    }

    /// Adds calls that a function passes on.
    pub fn add_passed(&mut self, report: &Report<'_>, side: Side, call: &PassedCall) {
        let costs = call.costs.as_deref();
        self.add(report, side, call.calls, costs, call.is_estimated);
    }

    pub fn row<'a>(&self, report: &Report<'a>) -> Row<'a> {
        let events = report.table_events().iter().enumerate();
        let sums = events.map(|(at, event)| {
            self.sides.as_ref().zip(Sides::EACH).map(|(sums, side)| {
                let sums = sums.as_ref()?;
                let cost = sums.costs.get(at).copied().unwrap_or_default();
                Some(FunctionSums {
                    inclusive: event.per_run(side, cost),
                    is_inclusive_estimated: sums.is_estimated,
                    invocations: CallCount::per_run(sums.calls, event.columns[side].runs),
                    ..FunctionSums::default()
                })
            })
        });
        Row {
            is_recursive: !self.has_costs,
            ..Row::with(sums)
        }
    }
}

impl<'a> Report<'a> {
    /// The sums of calls, by the positions of the caller and the callee.
    pub fn joined_calls<'e>(
        &self,
        calls: impl Iterator<Item = (Side, EdgeRef<'e>)>,
    ) -> IndexMap<(usize, usize), Row<'a>> {
        let mut joined: IndexMap<_, CallSums> = IndexMap::default();
        let mut pairs = HashSet::default();
        for (side, call) in calls {
            let view = self.on(side);
            let [caller, callee] = [call.caller, call.callee].map(|id| self.position(side, id));
            let is_new = pairs.insert((side, call.caller, call.callee));
            let costs = is_new.then(|| view.call_costs(CallsBy::Pair, &call));
            let is_estimated = view.is_call_estimated(&call);
            let sums = joined.entry((caller, callee)).or_default();
            sums.add(self, side, call.calls, costs, is_estimated);
        }
        let joined = joined.into_iter();
        joined.map(|(ends, sums)| (ends, sums.row(self))).collect()
    }

    /// Where the caller calls what passes its calls on: the line is known if there is only one.
    pub fn entry_of(&self, call: &PassedCall) -> Named<'a> {
        let view = self.view;
        let Some(caller) = call.caller else {
            return Named::default();
        };
        let sites = view.sub_calls(caller);
        let sites = sites.filter(|site| site.callee == call.entry);
        let sites: Vec<EdgeRef<'a>> = sites.take(2).collect();
        match &sites[..] {
            [site] => Named {
                file: view.call_file(site),
                line: site.line,
                ..Named::default()
            },
            _ => Named {
                file: view.named(caller).file,
                ..Named::default()
            },
        }
    }
}
