//! The callers and the callees of a function.

use crate::compare::Side;
use crate::names::Named;
use crate::output::Sort;
use crate::output::figures::report::{Column, Columns, Report};
use crate::output::figures::row::Row;
use crate::profile::EdgeRef;
use crate::view::CallsBy;

const COST: Column = Column::new(Sort::Inclusive, ["cost", "% of incl", "cost"]);

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
    pub(super) fn call_table(&self, function: &Row<'a>, end: CallEnd) -> Vec<String> {
        let mut calls = match self.comparison {
            None => self.calls_by_line(function, end),
            Some(_) => self.calls_by_function(function, end),
        };
        if calls.is_empty() {
            return vec![String::new(), format!("no {}", end.name())];
        }
        self.sort(
            &mut calls,
            match self.options.sort {
                Sort::Calls => Sort::Calls,
                _ => Sort::Inclusive,
            },
        );
        let plain = calls.iter().filter(|call| !call.is_recursive);
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

    /// The calls on each line.
    fn calls_by_line(&self, function: &Row<'a>, end: CallEnd) -> Vec<Row<'a>> {
        let (view, id) = (self.view, function.id);
        let rows = self.calls_at(function, end).map(|(_, call)| {
            let named = Named {
                name: view.named(end.of(call.caller, call.callee)).name,
                file: view.call_file(&call),
                line: call.line,
                ..Named::default()
            };
            Row {
                is_recursive: id.is_some_and(|id| view.is_recursive(&call, id)),
                ..Row::new(
                    named,
                    [&[], view.call_costs(CallsBy::Edge, &call)],
                    view.is_call_estimated(&call),
                    call.calls,
                )
            }
        });
        rows.collect()
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
