//! What text, Markdown, the tree and the call graph have in common: a profile or a comparison with its
//! facts, its rows, and the columns of tables.

use std::borrow::{Borrow, Cow};
use std::cmp::Reverse;

use super::row::{Row, RowKind};
use super::table::TextTable;
use super::{
    EventFormat, MISSING, both_sides, either, marked, part_rows, share_of_base, signed,
    signed_percent,
};
use crate::compare::Subject;
use crate::compare::{CallCount, Comparison, FunctionSums, Side, Sides};
use crate::display::numbers::{counted, percent};
use crate::display::text::printable;
use crate::maps::{HashSet, IndexMap};
use crate::names::Named;
use crate::output::{ReportOptions, Sort};
use crate::profile::{EdgeRef, FunctionId};
use crate::view::{CallsBy, GroupBy, View};

/// A profile or a comparison as reports show it.
pub(crate) struct Report<'a> {
    /// The profile, or the new one of a comparison.
    pub view: &'a View<'a>,
    pub comparison: Option<&'a Comparison<'a>>,
    pub options: &'a ReportOptions,
    pub kind: RowKind,
    /// The events that are shown; never empty.
    pub events: Vec<EventFormat<'a>>,
    /// The functions or groups. In a comparison, those that changed come first.
    pub rows: Vec<Row<'a>>,
    /// In a comparison, the positions of the functions of both sides among the rows.
    positions: Sides<Vec<usize>>,
}

/// The sums of calls on one side, not divided by runs.
#[derive(Clone, Copy, Default)]
struct CallSums {
    cost: i128,
    calls: i128,
    is_estimated: bool,
}

/// The columns of a table.
pub(crate) struct Columns {
    /// A comparison has only the first value and the calls.
    pub values: Vec<Column>,
    /// What shares are relative to. In a comparison: the cost in the base, if there is nothing else.
    pub whole: Option<i128>,
    /// Whether a comparison shows both sides.
    pub has_sides: bool,
}

/// A value with its headings.
#[derive(Clone, Copy)]
pub(crate) struct Column {
    pub value: Sort,
    pub name: &'static str,
    /// The heading of its share; empty if it has none.
    pub share: &'static str,
    /// What the sum of several rows is called; empty if there is none.
    pub sum: &'static str,
}

impl Column {
    pub const SELF: Self = Column::new(Sort::SelfCost, ["self", "self %", "self cost"]);
    pub const INCLUSIVE: Self = Column::new(Sort::Inclusive, ["incl", "incl %", ""]);
    /// The cost of calls, which can contain each other.
    pub const CALL_COST: Self = Column::new(Sort::Inclusive, ["cost", "cost %", ""]);
    pub const TOTAL: Self = Column::new(Sort::SelfCost, ["total", "total %", "cost"]);
    pub const CALLS: Self = Column::new(Sort::Calls, ["calls", "", ""]);

    pub const fn new(value: Sort, [name, share, sum]: [&'static str; 3]) -> Self {
        Column {
            value,
            name,
            share,
            sum,
        }
    }
}

impl<'a> Report<'a> {
    pub fn new(subject: impl Into<Subject<'a>>, options: &'a ReportOptions) -> Self {
        match subject.into() {
            Subject::View(view) => Report::of(view, options),
            Subject::Comparison(comparison) => Report::compared(comparison, options),
        }
    }

    fn of(view: &'a View<'a>, options: &'a ReportOptions) -> Self {
        let mut events = EventFormat::of(view.profile());
        if events.is_empty() {
            events.push(EventFormat::default());
        }
        let rows = view.functions().map(|(id, function)| {
            let costs = [view.self_costs(id), view.inclusive_costs(id)];
            let is_estimated = view.is_inclusive_estimated(id);
            let mut row = Row {
                id: Some(id),
                ..Row::new(view.named(id), costs, is_estimated, function.invocations)
            };
            if let Some(sums) = &mut row.sums.new {
                sums.is_self_estimated = view.is_self_estimated(id);
            }
            row
        });
        Report {
            view,
            comparison: None,
            options,
            kind: RowKind::of(view),
            events,
            rows: rows.collect(),
            positions: Sides::default(),
        }
    }

    fn compared(comparison: &'a Comparison<'a>, options: &'a ReportOptions) -> Self {
        let rows = comparison.functions().map(|change| Row {
            named: Named::changed(comparison, change),
            sums: change.sums,
            id: change.new_function(),
            change: Some(change),
            ..Row::default()
        });
        Report {
            view: &comparison.views.new,
            comparison: Some(comparison),
            options,
            kind: RowKind::of(&comparison.views.new),
            events: EventFormat::compared(comparison),
            rows: rows.collect(),
            positions: comparison.positions(),
        }
    }

    /// The event that rows are sorted by.
    pub fn first(&self) -> &EventFormat<'a> {
        &self.events[0]
    }

    /// The sides that there are.
    pub fn sides(&self) -> impl Iterator<Item = (Side, &'a View<'a>)> {
        let base = self.comparison.map(|comparison| &comparison.views.base);
        let base = base.map(|view| (Side::Base, view));
        base.into_iter().chain([(Side::New, self.view)])
    }

    pub fn has_invocations(&self) -> bool {
        self.sides().all(|(_, view)| view.has_invocations())
    }

    /// The position of a function of one side among the rows.
    pub fn position(&self, side: Side, id: FunctionId) -> usize {
        match self.comparison {
            None => id.index(),
            Some(_) => self.positions[side][id.index()],
        }
    }

    /// The names for searching rows, in their order.
    pub fn names(&self) -> Vec<Named<'a>> {
        self.rows.iter().map(|row| row.named).collect()
    }

    /// The rows at these positions that tables list, sorted, and the number of those that did not change.
    pub fn listed(&self, positions: impl IntoIterator<Item = usize>) -> (Vec<&Row<'a>>, usize) {
        let changed = self.comparison.map(|comparison| comparison.changes.len());
        let (listed, unchanged): (Vec<usize>, Vec<usize>) = positions
            .into_iter()
            .partition(|&at| changed.is_none_or(|changed| at < changed));
        let mut rows: Vec<_> = listed.into_iter().map(|at| &self.rows[at]).collect();
        self.sort(&mut rows, self.options.sort);
        (rows, unchanged.len())
    }

    /// Sorts rows by a value or by the size of its change, the highest first.
    pub fn sort<'r, T: Borrow<Row<'r>>>(&self, rows: &mut [T], value: Sort) {
        rows.sort_by_cached_key(|row| Reverse(self.rank(row.borrow().change(value))));
    }

    /// What a value or a change is sorted by.
    pub fn rank(&self, value: i128) -> i128 {
        match self.comparison {
            None => value,
            Some(_) => value.saturating_abs(),
        }
    }

    /// The sums of calls, by the positions of the caller and the callee.
    pub fn joined_calls<'e>(
        &self,
        calls: impl Iterator<Item = (Side, EdgeRef<'e>)>,
    ) -> IndexMap<(usize, usize), Row<'a>> {
        let runs = self.comparison.map(Comparison::divisors);
        let runs = runs.unwrap_or(Sides { base: 1, new: 1 });
        let views = self.comparison.map(|comparison| comparison.views.as_ref());
        let views = views.unwrap_or(Sides {
            base: self.view,
            new: self.view,
        });
        let mut sums: IndexMap<_, Sides<Option<CallSums>>> = IndexMap::default();
        let mut pairs = HashSet::default();
        for (side, call) in calls {
            let ends = [call.caller, call.callee].map(|id| self.position(side, id));
            let sums = sums.entry(ends.into()).or_default();
            let sums = sums[side].get_or_insert_default();
            sums.is_estimated |= views[side].is_call_estimated(&call);
            if pairs.insert((side, call.caller, call.callee)) {
                let costs = views[side].call_costs(CallsBy::Pair, &call);
                let cost = self.first().cost(side, costs);
                sums.cost = sums.cost.saturating_add(cost);
            }
            sums.calls = sums.calls.saturating_add(call.calls.into());
        }
        let row = |sums: Sides<Option<CallSums>>| Row {
            sums: sums.zip(Sides::EACH).map(|(sums, side)| {
                let sums = sums?;
                Some(FunctionSums {
                    inclusive: self.first().per_run(side, sums.cost),
                    is_inclusive_estimated: sums.is_estimated,
                    invocations: CallCount::per_run(sums.calls, runs[side]),
                    ..FunctionSums::default()
                })
            }),
            ..Row::default()
        };
        let sums = sums.into_iter();
        sums.map(|(ends, sums)| (ends, row(sums))).collect()
    }

    /// A text for a profile alone, or for a comparison.
    pub fn either<'t>(&self, alone: &'t str, compared: &'t str) -> &'t str {
        match self.comparison {
            None => alone,
            Some(_) => compared,
        }
    }

    /// The known values of functions or groups. Call sites have no self costs, and other lines no
    /// inclusive costs.
    pub fn values(&self) -> Vec<Column> {
        let costs: &[Column] = match self.kind {
            kind if kind.is_call_site => &[Column::CALL_COST],
            kind if !kind.has_inclusive() => &[Column::SELF],
            _ => &[Column::SELF, Column::INCLUSIVE],
        };
        self.with_calls(costs)
    }

    /// Adds the number of calls, if it is known.
    pub fn with_calls(&self, columns: &[Column]) -> Vec<Column> {
        let calls = self.has_invocations().then_some(Column::CALLS);
        columns.iter().copied().chain(calls).collect()
    }

    /// The columns of functions or groups. The costs of both sides have no room there.
    pub fn columns(&self) -> Columns {
        Columns {
            values: self.values(),
            whole: Some(self.first().whole()),
            has_sides: false,
        }
    }

    /// The headings of names and locations. Lines differ between the sides of a comparison.
    pub fn headings(&self) -> [&str; 2] {
        self.kind.headings(self.either("file:line", "file"))
    }

    /// A table of functions or groups.
    pub fn function_table<'t>(&self, rows: &[&'t Row<'t>]) -> TextTable<'t> {
        self.table(self.headings(), rows.iter().copied(), &self.columns())
    }

    /// A table of rows with their values in all events, or with their changes in the first.
    pub fn table<'t>(
        &self,
        headings: [&str; 2],
        rows: impl IntoIterator<Item = &'t Row<'t>>,
        columns: &Columns,
    ) -> TextTable<'t> {
        let table = TextTable::new(headings, rows, self.comparison.is_none());
        let table = match self.comparison {
            None => self.with_values(table, columns),
            Some(_) => self.with_changes(table, columns),
        };
        table.with_gaps()
    }

    fn with_values<'t>(&self, mut table: TextTable<'t>, columns: &Columns) -> TextTable<'t> {
        let (notation, whole) = (self.first().notation, columns.whole.unwrap_or_default());
        for &Column {
            value, name, share, ..
        } in &columns.values
        {
            if value == Sort::Calls {
                table = table.with(name, |row| row.calls().new.to_string());
                continue;
            }
            if !share.is_empty() {
                table = table.with(share, |row| match row.is_recursive {
                    true => "recursive".to_owned(),
                    false => marked(row.is_estimated(value), percent(row.change(value), whole)),
                });
            }
            table = table.with(notation.heading(name), |row| {
                notation.cost(row.change(value))
            });
        }
        for event in &self.events[1..] {
            for column in columns.values.iter().filter(|of| !of.share.is_empty()) {
                let costs = usize::from(column.value != Sort::SelfCost);
                let heading = format!("{} {}", column.name, event.heading());
                table = table.with(heading, |row| {
                    let cost = event.cost(Side::New, &row.costs[costs]);
                    event.notation.cost(cost)
                });
            }
        }
        table
    }

    fn with_changes<'t>(&self, table: TextTable<'t>, columns: &Columns) -> TextTable<'t> {
        let (event, notation) = (self.first(), self.first().notation);
        let value = columns.values[0].value;
        let on = |row: &Row<'_>, side: Side| row.sums[side].map(|sums| value.of(sums));
        let share = columns.whole.map_or("change %", |_| "base %");
        let table = table
            .with(notation.heading("change"), |row| {
                marked(row.is_estimated(value), event.change(row.change(value)))
            })
            .with(share, |row| {
                let base = on(row, Side::Base).unwrap_or_default();
                signed_percent(row.change(value), columns.whole.unwrap_or(base))
            })
            .with_growth(|row| row.change(value));
        if !columns.has_sides {
            return table;
        }
        let table = Sides::EACH.into_iter().fold(table, |table, side| {
            table.with(notation.heading(side.name()), |row| match on(row, side) {
                Some(cost) => notation.cost(cost),
                None => MISSING[side].to_owned(),
            })
        });
        match columns.values.last() {
            Some(last) if last.value == Sort::Calls => table.with(last.name, |row| {
                both_sides(row.calls(), |calls| calls.to_string())
            }),
            _ => table,
        }
    }

    /// A value of a row on both sides, or on the one that has it: `5 → 6`.
    pub fn on_sides(&self, row: &Row<'_>, value: Sort) -> String {
        let sums = either(row.sums);
        if value == Sort::Calls {
            let calls = sums.map(|sums| sums.invocations);
            let more = calls.new - calls.base;
            let by = match more.tenths {
                0 => String::new(),
                tenths => format!(" ({})", signed(tenths, more.to_string())),
            };
            return both_sides(calls, |calls| calls.to_string()) + &by;
        }
        let costs = sums.map(|sums| (sums.is_estimated(value), value.of(sums)));
        both_sides(costs, |(is_estimated, cost)| {
            marked(is_estimated, self.first().notation.cost(cost))
        })
    }

    /// The number of some rows and the sum of their first value, or of its changes.
    pub fn together<'r, T: Borrow<Row<'r>>>(
        &self,
        rows: &[T],
        what: &str,
        columns: &Columns,
    ) -> String {
        let (first, count) = (self.first(), counted(rows.len() as u64, what));
        let Column {
            value, sum: name, ..
        } = columns.values[0];
        if name.is_empty() {
            return count;
        }
        let sum = rows.iter().map(|row| row.borrow().change(value));
        let sum = sum.fold(0, i128::saturating_add);
        let whole = columns.whole.unwrap_or(first.whole());
        match self.comparison {
            None => format!(
                "{count} with a total {name} of {}",
                first.with_share_of(sum, whole)
            ),
            Some(_) => {
                let (sum, share) = (first.change_in_unit(sum), share_of_base(sum, whole));
                format!("{count} with a total change of {sum}, {share}")
            }
        }
    }

    /// The lines for rows that are not shown, if there are any.
    pub fn rest(&self, rows: &[&Row<'_>], unchanged: usize) -> Vec<String> {
        let name = self.kind.by.name();
        let what = format!("more {}{name}", self.either("", "changed "));
        let more = (!rows.is_empty()).then(|| self.together(rows, &what, &self.columns()));
        let same = format!("{} did not change", counted(unchanged as u64, name));
        more.into_iter()
            .chain((unchanged > 0).then_some(same))
            .collect()
    }

    /// The named parts, unless they are the rows: the costliest first, or in the order of the new
    /// profile.
    pub fn parts(&self) -> Vec<Row<'a>> {
        if self.kind.by == GroupBy::Part {
            return Vec::new();
        }
        let row = |name, costs: Sides<Option<i128>>| Row {
            text: Some(name),
            sums: costs.map(|cost| {
                Some(FunctionSums {
                    self_cost: cost?,
                    ..FunctionSums::default()
                })
            }),
            ..Row::default()
        };
        let Some(comparison) = self.comparison else {
            let parts = part_rows(self.view.profile()).into_iter();
            let parts = parts.map(|(name, totals)| {
                let cost = self.first().cost(Side::New, &totals);
                let costs = Sides {
                    base: None,
                    new: Some(cost),
                };
                Row {
                    costs: [totals.into(), Cow::default()],
                    ..row(name, costs)
                }
            });
            return parts.collect();
        };
        let parts = comparison.parts(0).into_iter();
        parts
            .map(|part| row(printable(part.name), part.costs))
            .collect()
    }

    /// The columns of parts.
    pub fn part_columns(&self) -> Columns {
        Columns {
            values: vec![Column::TOTAL],
            whole: self.comparison.is_none().then(|| self.first().whole()),
            has_sides: true,
        }
    }
}
