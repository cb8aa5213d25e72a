//! The callers and the callees of a function.

use std::cmp::Reverse;

use crate::compare::Side;
use crate::display::numbers::{counted, grouped};
use crate::maps::{HashMap, HashSet};
use crate::names::{Named, SHORT, short_name};
use crate::output::figures::line::TextLine;
use crate::output::figures::report::{Column, Columns, Report};
use crate::output::figures::row::Row;
use crate::output::{Names, Sort};
use crate::profile::{EdgeRef, FunctionId};
use crate::tables::first_cost;
use crate::view::CallsBy;

/// The most functions of a cycle that are named.
const MAX_NAMES: usize = 8;

const COST: Column = Column::new(Sort::Inclusive, ["cost", "% of incl", "cost"]);

const ENTRY: Column = Column::new(Sort::Inclusive, ["cost", "% of cycle", "cost"]);

/// The calls into a function or out of it, by their other end.
#[derive(Clone, Copy)]
pub(super) enum CallEnd {
    Caller,
    Callee,
}

impl CallEnd {
    pub const BOTH: [Self; 2] = [CallEnd::Caller, CallEnd::Callee];

    fn name(self) -> &'static str {
        match self {
            CallEnd::Caller => "caller",
            CallEnd::Callee => "callee",
        }
    }

    /// The caller or the callee.
    fn of<T>(self, caller: T, callee: T) -> T {
        match self {
            CallEnd::Caller => caller,
            CallEnd::Callee => callee,
        }
    }
}

impl<'a> Report<'a> {
    /// The calls into a function or out of it, after an empty line.
    ///
    /// Percentages are relative to the inclusive cost of the function, or to the sum of these calls if
    /// that is larger: recursion counts twice there, and Xdebug rounds costs of calls separately.
    pub(super) fn call_table(&self, function: &Row<'a>, end: CallEnd) -> Vec<TextLine> {
        let mut calls = match self.comparison {
            None => self.calls_by_line(function, end),
            Some(_) => self.calls_by_function(function, end),
        };
        if calls.is_empty() {
            return vec![
                TextLine::empty(),
                TextLine::Plain(format!("no {}", end.name())),
            ];
        }
        self.sort(
            &mut calls,
            match self.options.sort {
                Sort::Calls => Sort::Calls,
                Sort::SelfCost | Sort::Inclusive => Sort::Inclusive,
            },
        );
        let is_plain = |call: &&Row<'_>| !call.is_recursive && !call.is_estimated(Sort::Inclusive);
        let plain = calls.iter().filter(is_plain);
        let plain = plain.map(|call| call.change(Sort::Inclusive));
        let plain = plain.fold(0, i128::saturating_add);
        let whole = function.change(Sort::Inclusive).max(plain);
        let columns = Columns {
            values: self.with_calls(&[COST]),
            whole: self.comparison.is_none().then_some(whole),
            has_sides: true,
        };
        let [_, location] = self.headings();
        let headings = [end.name(), self.either("called at", location)];
        self.top_of(headings, &calls, &format!("more {}", end.name()), &columns)
    }

    /// The calls at one end of a function, on the sides that there are.
    fn calls_at(
        &self,
        function: &Row<'a>,
        end: CallEnd,
    ) -> impl Iterator<Item = (Side, EdgeRef<'a>)> {
        self.sides().flat_map(move |(side, profile)| {
            let functions = function.functions(side).into_iter();
            functions.flat_map(move |id| {
                let calls: Vec<_> = match end {
                    CallEnd::Caller => profile.called_from(id).collect(),
                    CallEnd::Callee => profile.sub_calls(id).collect(),
                };
                calls.into_iter().map(move |call| (side, call))
            })
        })
    }

    /// The calls on each line. Those of callers in a cycle with the function cost what is not part of
    /// other calls of it, if that is known.
    fn calls_by_line(&self, function: &Row<'a>, end: CallEnd) -> Vec<Row<'a>> {
        let (view, id) = (self.view, function.id);
        let is_recursive = |call: &EdgeRef<'_>| id.is_some_and(|id| view.is_recursive(call, id));
        let calls: Vec<EdgeRef<'a>> = self.calls_at(function, end).map(|(_, call)| call).collect();
        // Stacks do not tell the lines of calls.
        let mut sites: HashMap<FunctionId, u32> = HashMap::default();
        for call in &calls {
            *sites.entry(call.caller).or_default() += 1;
        }
        let outermost = |call: &EdgeRef<'_>| match end {
            CallEnd::Caller if sites[&call.caller] == 1 => {
                let calls = view.outermost_calls(call.caller, call.callee);
                calls.filter(|(costs, _)| costs.iter().any(|&cost| cost != 0))
            }
            _ => None,
        };
        let rows = calls.iter().map(|call| {
            let row = self.call_row(call, end);
            if !is_recursive(call) {
                return row;
            }
            match outermost(call) {
                Some((costs, is_estimated)) => {
                    Row::new(row.named, [&[][..], costs], is_estimated, call.calls)
                }
                None => Row {
                    is_recursive: true,
                    ..row
                },
            }
        });
        rows.collect()
    }

    /// A call on a line, with the function at its other end.
    fn call_row(&self, call: &EdgeRef<'a>, end: CallEnd) -> Row<'a> {
        let view = self.view;
        let named = Named {
            name: view.named(end.of(call.caller, call.callee)).name,
            file: view.call_file(call),
            line: call.line,
            ..Named::default()
        };
        Row::new(
            named,
            [&[][..], view.call_costs(CallsBy::Edge, call)],
            view.is_call_estimated(call),
            call.calls,
        )
    }

    /// Which functions call each other together with a function, and who calls these from outside,
    /// after an empty line. Nothing if it calls at most itself. `listed` are the functions whose
    /// cycles are above.
    pub(super) fn cycle(
        &self,
        function: &Row<'a>,
        listed: &mut HashSet<FunctionId>,
    ) -> Vec<TextLine> {
        let view = self.view;
        let Some(id) = function.id.filter(|_| self.comparison.is_none()) else {
            return Vec::new();
        };
        if listed.contains(&id) {
            let note = "in a cycle that is listed above".to_owned();
            return vec![TextLine::empty(), TextLine::Plain(note)];
        }
        let mut cycle = view.cycle(id);
        if cycle.is_empty() {
            return Vec::new();
        }
        listed.extend(&cycle);
        let mut calls: Vec<Row<'a>> = Vec::new();
        let members: HashSet<FunctionId> = cycle.iter().copied().collect();
        for &callee in &cycle {
            let from_outside = view.called_from(callee);
            let from_outside = from_outside.filter(|call| !members.contains(&call.caller));
            calls.extend(from_outside.map(|call| self.call_row(&call, CallEnd::Caller)));
        }
        self.sort(&mut calls, Sort::Inclusive);
        cycle.sort_by_key(|&id| Reverse(first_cost(view.self_costs(id))));
        let names = cycle.iter().take(MAX_NAMES);
        let mut names: Vec<String> = names
            .map(|&id| self.short(&view.named(id), SHORT))
            .collect();
        let more = cycle.len() - names.len();
        names.extend((more > 0).then(|| format!("{} more", grouped(more as u64))));
        let count = counted(cycle.len() as u64, self.kind.by.name());
        let heading = format!("in a cycle of {count} that call each other:");
        let mut lines = vec![TextLine::empty(), TextLine::Plain(heading)];
        lines.extend(self.wrapped(names).into_iter().map(TextLine::Plain));
        let columns = Columns {
            values: self.with_calls(&[ENTRY]),
            whole: Some(calls.iter().fold(0, |sum, call| {
                sum.saturating_add(call.change(Sort::Inclusive))
            })),
            has_sides: false,
        };
        let headings = ["caller from outside", "called at"];
        lines.extend(self.top_of(headings, &calls, "more caller", &columns));
        lines
    }

    /// A name as tables show it, in this width if it is short.
    pub(super) fn short(&self, named: &Named<'_>, width: usize) -> String {
        match self.options.names {
            Names::Full => named.shown(),
            Names::Short => short_name(&named.shown(), width),
        }
    }

    /// The calls from and to each other function of a comparison.
    fn calls_by_function(&self, function: &Row<'a>, end: CallEnd) -> Vec<Row<'a>> {
        let calls = self.joined_calls(self.calls_at(function, end)).into_iter();
        let rows = calls.map(|((caller, callee), row)| Row {
            named: self.named(end.of(caller, callee)),
            ..row
        });
        rows.collect()
    }
}
