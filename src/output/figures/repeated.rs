//! The calls that one line makes repeatedly, as text and Markdown list them.

use std::cmp::Reverse;

use super::report::Report;
use super::{absence, both_sides, change, either, marked};
use crate::compare::{CallCount, Side, Sides};
use crate::display::numbers::percent;
use crate::maps::{HashSet, IndexMap};
use crate::names::Named;
use crate::profile::{EdgeRef, NameId};
use crate::view::{GroupBy, MIN_PERCENT, View};

/// Calls of one line, or in a comparison of the line that makes most of them on each side.
pub(crate) struct RepeatedCalls<'a> {
    pub caller: Named<'a>,
    pub callee: Named<'a>,
    /// Their file and line; unknown in a comparison, where they can be on other lines.
    pub place: Named<'a>,
    sides: Sides<Option<SideCalls>>,
}

/// Calls on one side.
#[derive(Clone, Copy, Default)]
struct SideCalls {
    /// Their number for each call of the caller.
    times: CallCount,
    count: CallCount,
    cost: i128,
    is_estimated: bool,
    /// Whether their costs contain each other.
    is_recursive: bool,
}

/// The positions of the caller and of the callee; without a comparison, also the line.
type Key = ([usize; 2], Option<(NameId, u64)>);

impl<'a> Report<'a> {
    /// The calls that lines make repeatedly and that cost enough to matter, most often for each call of
    /// the caller first; in a comparison, those that are made more or less often than in the base.
    /// With `wanted`, only those of functions at these positions, or to them.
    pub fn repeated_calls(&self, wanted: Option<&[usize]>) -> Vec<RepeatedCalls<'a>> {
        if self.kind.by != GroupBy::Function || !self.has_invocations() {
            return Vec::new();
        }
        let wanted = wanted.map(|wanted| wanted.iter().copied().collect::<HashSet<usize>>());
        let is_wanted = |((ends, _), ..): &(Key, Side, &View<'_>, EdgeRef<'_>)| match &wanted {
            None => true,
            Some(wanted) => ends.iter().any(|end| wanted.contains(end)),
        };
        let matters = |(_, side, view, call): &(Key, Side, &View<'_>, EdgeRef<'_>)| {
            let least = self.first().totals[*side].saturating_mul(MIN_PERCENT.into());
            view.is_repeated(call) && {
                let cost = self.cost_of(*side, view, call);
                cost > 0 && cost.saturating_mul(100) >= least
            }
        };
        let repeated = self.keyed_calls().filter(matters).filter(is_wanted);
        let mut found: IndexMap<Key, RepeatedCalls<'a>> = IndexMap::default();
        for (key, _, view, call) in repeated {
            found.entry(key).or_insert_with(|| RepeatedCalls {
                caller: self.named(key.0[0]),
                callee: self.named(key.0[1]),
                place: key
                    .1
                    .map_or_else(Named::default, |_| self.place_of(view, &call)),
                sides: Sides::default(),
            });
        }
        for (key, side, view, call) in self.keyed_calls() {
            let Some(row) = found.get_mut(&key) else {
                continue;
            };
            let calls = self.calls_of(side, view, &call);
            let known = row.sides[side].get_or_insert(calls);
            if calls.times > known.times {
                *known = calls;
            }
        }
        let mut rows: Vec<_> = found.into_values().collect();
        rows.retain(|row| self.comparison.is_none() || row.change() != 0);
        let cost = |row: &RepeatedCalls<'_>| change(row.sides.map(|calls| Some(calls?.cost)));
        rows.sort_by_key(|row| {
            [row.change(), cost(row)].map(|value| Reverse(value.saturating_abs()))
        });
        rows
    }

    /// All calls of each side.
    fn keyed_calls(&self) -> impl Iterator<Item = (Key, Side, &'a View<'a>, EdgeRef<'a>)> {
        self.sides().flat_map(move |(side, view)| {
            view.edges().map(move |call| {
                let ends = [call.caller, call.callee].map(|id| self.position(side, id));
                let line = (call.file().unwrap_or(NameId::EMPTY), call.line);
                (
                    (ends, self.comparison.is_none().then_some(line)),
                    side,
                    view,
                    call,
                )
            })
        })
    }

    /// Where a call is made. A function that only passes calls on has no lines: then where that is
    /// called, if this is one place.
    fn place_of(&self, view: &'a View<'a>, call: &EdgeRef<'a>) -> Named<'a> {
        if !view.is_passing(call.caller) {
            return Named {
                file: view.call_file(call),
                line: call.line,
                ..Named::default()
            };
        }
        let passed = view.passed_to(call.callee);
        let mut passed = passed.filter(|passed| passed.through == call.caller);
        match (passed.next(), passed.next()) {
            (Some(one), None) => self.entry_of(one),
            _ => Named::default(),
        }
    }

    fn cost_of(&self, side: Side, view: &View<'_>, call: &EdgeRef<'_>) -> i128 {
        let first = self.first();
        first.per_run(side, first.cost(side, &view.edge_costs(call)))
    }

    fn calls_of(&self, side: Side, view: &View<'_>, call: &EdgeRef<'_>) -> SideCalls {
        let runs = self.first().columns[side].runs;
        let count = i128::from(call.calls);
        SideCalls {
            times: CallCount::per_run(count, view.caller_runs(call)),
            count: CallCount::per_run(count, runs),
            cost: self.cost_of(side, view, call),
            is_estimated: view.is_call_estimated(call),
            is_recursive: view.is_recursive(call, call.callee),
        }
    }

    /// What is above repeated calls.
    pub fn about_repeated(&self) -> &'static str {
        self.either(
            "Calls that one line repeats, by their number for each call of the caller:",
            "Calls that one line repeats, by the change of their number for each call of the caller:",
        )
    }

    /// The headings of the figures of repeated calls.
    pub fn repeated_headings(&self) -> Vec<String> {
        let cost = self.first().notation.heading("cost");
        let share = self.comparison.is_none().then(|| "cost %".to_owned());
        let headings = ["times", "calls"].map(str::to_owned).into_iter();
        headings.chain(share).chain([cost]).collect()
    }

    /// The figures of repeated calls.
    pub fn repeated_figures(&self, calls: &RepeatedCalls<'_>) -> Vec<String> {
        let cost = |calls: SideCalls| {
            let cost = self.first().notation.cost(calls.cost);
            marked(calls.is_estimated, cost)
        };
        let share = |calls: SideCalls| {
            if calls.is_recursive {
                return "recursive".to_owned();
            }
            let share = percent(calls.cost, self.first().whole);
            marked(calls.is_estimated, share)
        };
        let times = calls.shown(|calls| calls.times.to_string());
        let count = calls.shown(|calls| calls.count.to_string());
        let share = self.comparison.is_none().then(|| calls.shown(share));
        let figures = [times, count].into_iter().chain(share);
        figures.chain([calls.shown(cost)]).collect()
    }
}

impl RepeatedCalls<'_> {
    /// The word for calls that only one side of a comparison makes.
    pub fn absence(&self, report: &Report<'_>) -> Option<&'static str> {
        report.comparison.and_then(|_| absence(self.sides))
    }

    /// By how much the number for each call of the caller has changed, in tenths; without a base,
    /// that number.
    fn change(&self) -> i128 {
        change(self.sides.map(|calls| Some(calls?.times.tenths)))
    }

    /// A figure on both sides, or on the one that has the calls.
    fn shown(&self, figure: impl Fn(SideCalls) -> String) -> String {
        both_sides(either(self.sides).map(figure), |figure| figure)
    }
}
