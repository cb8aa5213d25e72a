//! The callers and the callees of a function.

use std::cell::RefCell;
use std::cmp::Reverse;

use super::lines::INDENT;
use crate::compare::Side;
use crate::display::numbers::{counted, grouped};
use crate::maps::{HashMap, HashSet, IndexMap};
use crate::names::{Named, SHORT};
use crate::output::Sort;
use crate::output::figures::calls::CallSums;
use crate::output::figures::line::TextLine;
use crate::output::figures::report::{Column, Columns, Report};
use crate::output::figures::row::Row;
use crate::output::figures::{absence, both_sides, either, marked};
use crate::profile::{Cost, EdgeRef, FunctionId};
use crate::tables::first_cost;

/// The most functions of a cycle that are named.
const MAX_NAMES: usize = 8;

/// The most functions that are named to which another passes calls on.
const MAX_PASSED: usize = 3;

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
        let mut calls = self.calls_at(function, end);
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
        let table = self.table(headings, &columns);
        let table = match end {
            CallEnd::Callee => {
                // Several lines can call the same.
                let shown = RefCell::new(HashSet::default());
                table.with_below(move |row| match row.id {
                    Some(callee) if !shown.borrow_mut().insert(callee) => Vec::new(),
                    _ => self.passed_on(function, row),
                })
            }
            CallEnd::Caller => table,
        };
        self.top_of_table(table, &calls, &format!("more {}", end.name()), &columns)
    }

    /// The calls at one end of a function: those on each line, or in a comparison those from or to each
    /// other function.
    fn calls_at(&self, function: &Row<'a>, end: CallEnd) -> Vec<Row<'a>> {
        let (known, passed) = match end {
            CallEnd::Caller => self.passed_to(function),
            CallEnd::Callee => Default::default(),
        };
        let calls = self.sides().flat_map(|(side, view)| {
            let functions = function.functions(side).into_iter();
            let calls = functions.flat_map(move |id| -> Vec<EdgeRef<'a>> {
                match end {
                    CallEnd::Caller => view.called_from(id).collect(),
                    CallEnd::Callee => view.sub_calls(id).collect(),
                }
            });
            calls.map(move |call| (side, call))
        });
        let calls = calls.filter(|(side, call)| !known.contains(&(*side, call.caller)));
        let mut rows = match self.comparison {
            None => self.calls_by_line(function, end, calls.map(|(_, call)| call).collect()),
            Some(comparison) => {
                let calls = self.joined_calls(calls).into_iter();
                let calls = calls.map(|((caller, callee), row)| {
                    let position = end.of(caller, callee);
                    Row {
                        named: self.named(position),
                        change: Some(comparison.function(position)),
                        ..row
                    }
                });
                calls.collect()
            }
        };
        rows.extend(passed);
        rows
    }

    /// The calls on each line. Those of callers in a cycle with the function cost what is not part of
    /// other calls of it, if that is known.
    fn calls_by_line(
        &self,
        function: &Row<'a>,
        end: CallEnd,
        calls: Vec<EdgeRef<'a>>,
    ) -> Vec<Row<'a>> {
        let (view, id) = (self.view, function.id);
        let is_recursive = |call: &EdgeRef<'_>| id.is_some_and(|id| view.is_recursive(call, id));
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
            if !is_recursive(call) {
                return self.call_row(call, end);
            }
            match outermost(call) {
                Some(costs) => self.call_row_of(call, end, costs),
                None => Row {
                    is_recursive: true,
                    ..self.call_row(call, end)
                },
            }
        });
        rows.collect()
    }

    /// The callers of a function through those that only pass calls on; and these, by side.
    fn passed_to(&self, function: &Row<'a>) -> (HashSet<(Side, FunctionId)>, Vec<Row<'a>>) {
        let (mut passing, mut passed) = (HashSet::default(), IndexMap::default());
        for (side, view) in self.sides() {
            let functions = function.functions(side).into_iter();
            for call in functions.flat_map(|id| view.passed_to(id)) {
                passing.insert((side, call.through));
                let caller = call.caller.map(|caller| self.position(side, caller));
                let through = self.position(side, call.through);
                // A profile alone shows where each is called.
                let entry = self.comparison.is_none().then_some(call.entry);
                let (_, sums) = passed
                    .entry((caller, through, entry))
                    .or_insert_with(|| (call, CallSums::default()));
                sums.add_passed(self, side, call);
            }
        }
        let rows = passed.into_iter();
        let rows = rows.map(|((caller, through, entry), (call, sums))| {
            let caller = caller.map(|caller| self.named(caller));
            let through = self.short(&self.named(through), SHORT / 2);
            let file = caller.as_ref().map_or(&[][..], |caller| caller.file);
            let place = Named {
                file,
                ..Named::default()
            };
            Row {
                text: Some(match &caller {
                    None => through,
                    Some(caller) => {
                        format!("{}, through {through}", self.short(caller, SHORT / 2))
                    }
                }),
                named: entry.map_or(place, |_| self.entry_of(call)),
                ..sums.row(self)
            }
        });
        (passing, rows.collect())
    }

    /// What a callee passes the calls of a caller on to, in lines below its row, the costliest first, or
    /// that which has changed most.
    fn passed_on(&self, caller: &Row<'a>, callee: &Row<'a>) -> Vec<String> {
        let mut sums: IndexMap<usize, CallSums> = IndexMap::default();
        let mut lines = 0;
        for (side, view) in self.sides() {
            let entries = callee.functions(side);
            for id in caller.functions(side) {
                let sites = view.sub_calls(id);
                let sites = sites.filter(|site| entries.contains(&site.callee));
                lines = lines.max(sites.count());
                let calls = view.passed_from(id);
                let calls = calls.filter(|call| entries.contains(&call.entry));
                for call in calls.filter(|call| !view.is_passing(call.callee)) {
                    let callee = self.position(side, call.callee);
                    sums.entry(callee).or_default().add_passed(self, side, call);
                }
            }
        }
        let from = match lines {
            0 | 1 => String::new(),
            several => format!(", from {several} lines"),
        };
        let calls = sums.into_iter();
        let calls = calls.map(|(callee, sums)| (callee, sums.row(self)));
        let mut calls: Vec<(usize, Row<'a>)> = calls.collect();
        calls.sort_by_key(|(_, row)| {
            let rank = self.rank(row.change(Sort::Inclusive));
            Reverse((!row.is_recursive).then_some(rank))
        });
        let more = calls.len().saturating_sub(MAX_PASSED);
        let notation = self.first().notation;
        let lines = calls.iter().take(MAX_PASSED).map(|(callee, row)| {
            let name = self.short(&self.named(*callee), SHORT);
            let sums = either(row.sums);
            let count = both_sides(sums.map(|sums| sums.invocations), |calls| calls.to_string());
            let count = format!("{count} call{}", if count == "1" { "" } else { "s" });
            if row.is_recursive {
                return format!("{INDENT}{count} of {name}{from}, recursive");
            }
            let cost = both_sides(sums.map(|sums| sums.inclusive), |cost| {
                notation.with_unit(cost)
            });
            let cost = marked(row.is_estimated(Sort::Inclusive), cost);
            let absence = self.comparison.and_then(|_| absence(row.sums));
            let absence = absence.map_or(String::new(), |word| format!(", {word}"));
            format!("{INDENT}{cost} in {count} of {name}{from}{absence}")
        });
        let more =
            (more > 0).then(|| format!("{INDENT}and {}", counted(more as u64, "more callee")));
        lines.chain(more).collect()
    }

    /// A call on a line, with the function at its other end.
    fn call_row(&self, call: &EdgeRef<'a>, end: CallEnd) -> Row<'a> {
        let costs = self.view.edge_costs(call);
        self.call_row_of(call, end, (&costs, self.view.is_call_estimated(call)))
    }

    /// The same with other costs, and whether they are estimated.
    fn call_row_of(
        &self,
        call: &EdgeRef<'a>,
        end: CallEnd,
        (costs, is_estimated): (&[Cost], bool),
    ) -> Row<'a> {
        let (view, other) = (self.view, end.of(call.caller, call.callee));
        let mut sums = CallSums::default();
        sums.add(self, Side::New, call.calls, Some(costs), is_estimated);
        Row {
            id: Some(other),
            named: Named {
                name: view.named(other).name,
                file: view.call_file(call),
                line: call.line,
                ..Named::default()
            },
            ..sums.row(self)
        }
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
        self.options.names.of(&named.shown(), width)
    }
}
