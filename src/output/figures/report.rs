//! What text, Markdown, the tree and the call graph have in common: a profile or a comparison with its
//! facts, its rows, and the columns of tables.

use std::cell::OnceCell;
use std::cmp::Reverse;

use super::line::TextLine;
use super::row::{Row, RowKind};
use super::table::TextTable;
use super::{
    EventFormat, MISSING, both_sides, either, fact, marked, part_rows, share_of_base, signed,
    signed_percent,
};
use crate::compare::{CallCount, Comparison, FunctionChange, FunctionSums, Side, Sides, Subject};
use crate::display::numbers::{counted, percent};
use crate::display::text::printable;
use crate::display::units::Quantity;
use crate::names::{Named, UnknownFunction};
use crate::output::options::Wanted;
use crate::output::{ReportOptions, Sort};
use crate::profile::{Cost, FunctionId};
use crate::view::{GroupBy, View};

/// A profile or a comparison as reports show it.
pub(crate) struct Report<'a> {
    /// The profile, or the new one of a comparison.
    pub view: &'a View<'a>,
    pub comparison: Option<&'a Comparison<'a>>,
    pub options: &'a ReportOptions,
    pub kind: RowKind,
    /// The events that are shown; never empty.
    pub events: Vec<EventFormat<'a>>,
    /// In a comparison, the positions of the functions of both sides among the rows.
    positions: OnceCell<Sides<Vec<usize>>>,
}

/// The functions or groups that a table lists, sorted. Only those that are shown are rows.
pub(crate) struct ListedRows<'a> {
    /// The first ones.
    pub rows: Vec<Row<'a>>,
    /// All of them.
    pub all: Tally,
    /// The number of others, which did not change.
    pub unchanged: u64,
}

/// The number of some rows, and the sum of their first value or of its changes.
#[derive(Clone, Copy, Default)]
pub(crate) struct Tally {
    pub count: u64,
    sum: i128,
}

impl Tally {
    fn add(&mut self, value: i128) {
        self.count += 1;
        self.sum = self.sum.saturating_add(value);
    }

    fn without(self, others: Tally) -> Self {
        Tally {
            count: self.count - others.count,
            sum: self.sum.saturating_sub(others.sum),
        }
    }
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
    /// The heading of its change.
    pub change: &'static str,
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
            change: "change",
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
        Report {
            view,
            comparison: None,
            options,
            kind: RowKind::of(view),
            events,
            positions: OnceCell::new(),
        }
    }

    fn compared(comparison: &'a Comparison<'a>, options: &'a ReportOptions) -> Self {
        Report {
            view: &comparison.views.new,
            comparison: Some(comparison),
            options,
            kind: RowKind::of(&comparison.views.new),
            events: EventFormat::compared(comparison),
            positions: OnceCell::new(),
        }
    }

    /// The event that rows are sorted by.
    pub fn first(&self) -> &EventFormat<'a> {
        &self.events[0]
    }

    /// The events of the profile, which may have none.
    pub fn known_events(&self) -> &[EventFormat<'a>] {
        match self.view.profile().events() {
            [] => &[],
            _ => &self.events,
        }
    }

    /// The sides that there are.
    pub fn sides(&self) -> impl DoubleEndedIterator<Item = (Side, &'a View<'a>)> {
        let base = self.comparison.map(|comparison| &comparison.views.base);
        let base = base.map(|view| (Side::Base, view));
        base.into_iter().chain([(Side::New, self.view)])
    }

    /// The view of a side; without a base, both are that of the profile.
    pub fn on(&self, side: Side) -> &'a View<'a> {
        match self.comparison {
            None => self.view,
            Some(comparison) => &comparison.views[side],
        }
    }

    pub fn has_invocations(&self) -> bool {
        self.sides().all(|(_, view)| view.has_invocations())
    }

    /// The number of functions or groups. In a comparison, those that changed come first.
    pub fn len(&self) -> usize {
        match self.comparison {
            None => self.view.functions().len(),
            Some(comparison) => comparison.changes.len() + comparison.unchanged(),
        }
    }

    /// A function or group.
    pub fn row(&self, position: usize) -> Row<'a> {
        let change = self
            .comparison
            .map(|comparison| comparison.function(position));
        let others = 1..self.table_events().len();
        Row {
            named: self.named(position),
            sums: self.sums(position),
            other_sums: others.map(|event| self.sums_in(event, position)).collect(),
            id: change.map_or(Some(FunctionId::at(position)), FunctionChange::new_function),
            change,
            ..Row::default()
        }
    }

    /// A row of a profile alone that is no function, with its self costs.
    pub fn row_of(
        &self,
        named: Named<'a>,
        self_costs: &[Cost],
        is_self_estimated: bool,
    ) -> Row<'a> {
        let sums = self.events.iter().map(|event| Sides {
            base: None,
            new: Some(FunctionSums {
                self_cost: event.cost(Side::New, self_costs),
                is_self_estimated,
                ..FunctionSums::default()
            }),
        });
        Row {
            named,
            ..Row::with(sums)
        }
    }

    /// The events of tables: a comparison has room for the change of one.
    pub fn table_events(&self) -> &[EventFormat<'a>] {
        match self.comparison {
            None => &self.events,
            Some(_) => &self.events[..1],
        }
    }

    /// The costs of a function or group in the first event, and its calls.
    pub fn sums(&self, position: usize) -> Sides<Option<FunctionSums>> {
        match self.comparison {
            None => self.sums_in(0, position),
            Some(comparison) => comparison.function(position).sums,
        }
    }

    /// The same in one of the events.
    pub fn sums_in(&self, event: usize, position: usize) -> Sides<Option<FunctionSums>> {
        if let Some(comparison) = self.comparison {
            return comparison.sums(event, comparison.function(position));
        }
        let column = self.events[event].columns.new;
        Sides {
            base: None,
            new: column.sums(self.view, &[FunctionId::at(position)]),
        }
    }

    /// A value of a function or group in all events; empty on a side that lacks it.
    pub fn costs(&self, position: usize, value: Sort) -> Sides<Vec<i128>> {
        let mut costs: Sides<Vec<i128>> = Sides::default();
        for event in 0..self.known_events().len() {
            for (side, sums) in Sides::EACH.zip(self.sums_in(event, position)) {
                costs[side].extend(sums.map(|sums| value.of(sums)));
            }
        }
        costs
    }

    /// The calls of a function or group, not divided by runs.
    pub fn calls(&self, position: usize) -> Sides<i128> {
        match self.comparison {
            None => Sides {
                base: 0,
                new: self
                    .view
                    .function(FunctionId::at(position))
                    .invocations
                    .into(),
            },
            Some(comparison) => comparison.calls(comparison.function(position)),
        }
    }

    /// What the costliest call of functions of a side costs in an event, if every call is known.
    pub fn costliest_call(
        &self,
        event: &EventFormat<'_>,
        side: Side,
        functions: &[FunctionId],
    ) -> Option<i128> {
        let calls = self.on(side).costliest_calls();
        let costs = functions.iter();
        let costs = costs.map(|id| event.cost(side, calls.row(id.index())));
        costs.max().filter(|&cost| cost > 0)
    }

    /// The same in all events, with 0 for what is not known.
    pub fn costliest_calls(&self, side: Side, functions: &[FunctionId]) -> Vec<i128> {
        let costs = self.known_events().iter();
        let costs = costs.map(|event| self.costliest_call(event, side, functions));
        costs.map(Option::unwrap_or_default).collect()
    }

    /// What one call of a function costs on average and at most, in the first event. Nothing if there is
    /// only one, or if not every call is known.
    pub fn per_call(&self, row: &Row<'_>) -> Option<String> {
        let event = self.first();
        let (mut means, mut most, mut has_several) = (Vec::new(), Vec::new(), false);
        for (side, _) in self.sides() {
            let functions = row.functions(side);
            let sums = match self.comparison {
                // What the row has is rounded per run.
                Some(comparison) => comparison.undivided(side, &functions),
                None => row.sums[side],
            };
            let Some(sums) = sums else { continue };
            let calls = sums.invocations.rounded();
            let costliest = self.costliest_call(event, side, &functions)?;
            means.push(event.unit.quotient(sums.inclusive, calls));
            most.push(event.unit.quotient(costliest, 1));
            has_several |= calls > 1;
        }
        let [means, most] = [means, most].map(|mut texts| {
            texts.dedup();
            texts.join(" → ")
        });
        has_several.then(|| format!("per call: {means} on average, {most} at most"))
    }

    /// What to know about the change of an event: each side has one run, and its time may be noise.
    pub fn caution(&self, event: &EventFormat<'_>) -> Option<&'static str> {
        let mut runs = self.sides().map(|(_, view)| view.profile().runs());
        let is_of_single_runs = event.unit.quantity == Quantity::Time && runs.all(|runs| runs == 1);
        let caution = if self.has_invocations() {
            "times of single runs vary; calls do not"
        } else {
            "times of single runs vary"
        };
        (self.comparison.is_some() && is_of_single_runs).then_some(caution)
    }

    /// The functions of both sides that are one row.
    pub fn functions(&self, position: usize) -> Sides<Vec<FunctionId>> {
        match self.comparison {
            None => Sides {
                base: Vec::new(),
                new: vec![FunctionId::at(position)],
            },
            Some(comparison) => comparison.function(position).functions.clone(),
        }
    }

    /// The one of these that a row has its names of.
    pub fn named_function(&self, position: usize) -> (Side, FunctionId) {
        match self.comparison {
            None => (Side::New, FunctionId::at(position)),
            Some(comparison) => comparison.function(position).named,
        }
    }

    /// The name and location of a function or group.
    pub fn named(&self, position: usize) -> Named<'a> {
        match self.comparison {
            None => self.view.named(FunctionId::at(position)),
            Some(comparison) => Named::changed(comparison, comparison.function(position)),
        }
    }

    /// The position of a function of one side among the rows.
    pub fn position(&self, side: Side, id: FunctionId) -> usize {
        match self.comparison {
            None => id.index(),
            Some(comparison) => {
                let positions = self.positions.get_or_init(|| comparison.positions());
                positions[side][id.index()]
            }
        }
    }

    /// The names for searching rows, in their order.
    pub fn names(&self) -> impl Iterator<Item = Named<'a>> + Clone {
        (0..self.len()).map(|position| self.named(position))
    }

    /// The rows that are looked for by name or by words, the costliest first; `None` if all are.
    pub fn wanted(&self) -> Result<Option<Wanted>, UnknownFunction> {
        let mut wanted = self.options.wanted(self.names())?;
        let cost = |at: usize| self.rank(Sort::Inclusive.change(self.sums(at)));
        if let Some(wanted) = &mut wanted {
            wanted.found.sort_by_key(|&at| Reverse(cost(at)));
        }
        Ok(wanted)
    }

    /// What is looked for, as a line of the heading.
    pub fn filtered(&self, wanted: &Wanted) -> Option<TextLine> {
        let count = counted(wanted.found.len() as u64, self.kind.by.name());
        let shown = wanted.shown().len();
        let only = if shown < wanted.found.len() {
            let first = self.either("costliest", "most changed");
            format!("; the {shown} {first} are shown")
        } else {
            String::new()
        };
        let (what, text) = match (&self.options.function, &self.options.filter) {
            (Some(name), _) => ("function", name),
            (None, words) => ("filter", words.as_ref()?),
        };
        Some(fact(
            what,
            &format!("\"{}\" matches {count}{only}", printable(text)),
        ))
    }

    /// What tables list of the rows at these positions: up to `most` rows, and the others as sums.
    pub fn listed(
        &self,
        positions: impl IntoIterator<Item = usize>,
        most: usize,
    ) -> ListedRows<'a> {
        let changed = self.comparison.map(|comparison| comparison.changes.len());
        let summed = self.columns().values[0].value;
        let (mut all, mut unchanged) = (Tally::default(), 0);
        let positions = positions.into_iter().filter(|&position| {
            let is_listed = changed.is_none_or(|changed| position < changed);
            if is_listed {
                all.add(summed.change(self.sums(position)))
            } else {
                unchanged += 1
            }
            is_listed
        });
        let rows = self.first_rows(positions, most);
        ListedRows {
            rows,
            all,
            unchanged,
        }
    }

    /// The first of the rows at these positions in the requested order.
    pub fn first_rows(&self, positions: impl Iterator<Item = usize>, most: usize) -> Vec<Row<'a>> {
        /// Sorting is not worth it for fewer.
        const FEW: usize = 1_000;
        let value = self.options.sort;
        let mut first = Vec::new();
        for position in positions {
            let rank = self.rank(value.change(self.sums(position)));
            first.push((Reverse(rank), position));
            if first.len() >= most.saturating_mul(2).max(FEW) {
                first.select_nth_unstable(most);
                first.truncate(most);
            }
        }
        first.sort_unstable();
        first.truncate(most);
        let rows = first.into_iter().map(|(_, position)| self.row(position));
        rows.collect()
    }

    /// Sorts rows by a value or by the size of its change, the highest first.
    pub fn sort(&self, rows: &mut [Row<'_>], value: Sort) {
        rows.sort_by_cached_key(|row| Reverse(self.rank(row.change(value))));
    }

    /// What a value or a change is sorted by.
    pub fn rank(&self, value: i128) -> i128 {
        match self.comparison {
            None => value,
            Some(_) => value.saturating_abs(),
        }
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

    /// The columns of functions or groups. The costs of both sides have no room there: a comparison
    /// shows how what the rows are sorted by has changed.
    pub fn columns(&self) -> Columns {
        let mut values = self.values();
        let is_sorted = |of: &Column| of.value == self.options.sort;
        let sorted = values.iter().position(is_sorted).unwrap_or(0);
        if self.comparison.is_some() && sorted > 0 {
            values.swap(0, sorted);
            values[0].change = self.options.sort.change_heading();
        }
        let has_share = values[0].value != Sort::Calls;
        Columns {
            whole: has_share.then(|| self.first().whole),
            values,
            has_sides: false,
        }
    }

    /// The headings of names and locations. Lines differ between the sides of a comparison. The command of
    /// parts is shown if they do not all have the same.
    pub fn headings(&self) -> [&str; 2] {
        let [name, place] = self.kind.headings(self.either("file:line", "file"));
        let have_one_command = || {
            let mut commands = self.names().map(|named| named.costliest);
            let first = commands.next();
            commands.all(|command| Some(command) == first)
        };
        match self.kind.by == GroupBy::Part && have_one_command() {
            true => [name, ""],
            false => [name, place],
        }
    }

    /// A table of functions or groups.
    pub fn function_table(&self) -> TextTable<'_> {
        self.table(self.headings(), &self.columns())
    }

    /// A table for rows with their values in all events, or with their changes in the first.
    pub fn table(&self, headings: [&str; 2], columns: &Columns) -> TextTable<'_> {
        let table = TextTable::new(headings, self.comparison.is_none(), self.kind);
        match self.comparison {
            None => self.with_values(table, columns),
            Some(_) => self.with_changes(table, columns),
        }
    }

    fn with_values<'t>(&'t self, mut table: TextTable<'t>, columns: &Columns) -> TextTable<'t> {
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
                table = table.with(share, move |row| {
                    if row.is_recursive {
                        "recursive".to_owned()
                    } else {
                        marked(row.is_estimated(value), percent(row.change(value), whole))
                    }
                });
            }
            table = table.with(notation.heading(name), move |row| {
                notation.cost(row.change(value))
            });
        }
        for (at, event) in self.events[1..].iter().enumerate() {
            for column in columns.values.iter().filter(|of| !of.share.is_empty()) {
                let value = column.value;
                let heading = format!("{} {}", column.name, event.heading());
                table = table.with(heading, move |row| {
                    let sums = row.other_sums.get(at).copied().unwrap_or_default();
                    event.notation.cost(value.change(sums))
                });
            }
        }
        table
    }

    fn with_changes<'t>(&'t self, table: TextTable<'t>, columns: &Columns) -> TextTable<'t> {
        let (event, notation) = (self.first(), self.first().notation);
        let (shown, whole) = (columns.values[0], columns.whole);
        let value = shown.value;
        let heading = match value {
            Sort::Calls => shown.change.to_owned(),
            _ => notation.heading(shown.change),
        };
        let on = move |row: &Row<'_>, side: Side| row.sums[side].map(|sums| value.of(sums));
        let share = whole.map_or("change %", |_| "base %");
        let table = table
            .with(heading, move |row| {
                let by = row.change(value);
                let by = match value {
                    Sort::Calls => signed(by, CallCount { tenths: by }.to_string()),
                    _ => event.change(by),
                };
                marked(row.is_estimated(value), by)
            })
            .with(share, move |row| {
                let base = on(row, Side::Base).unwrap_or_default();
                signed_percent(row.change(value), whole.unwrap_or(base))
            })
            .with_growth(move |row| row.change(value));
        if !columns.has_sides {
            return table;
        }
        let table = Sides::EACH.into_iter().fold(table, |table, side| {
            table.with(notation.heading(side.name()), move |row| {
                match on(row, side) {
                    Some(cost) => notation.cost(cost),
                    None => MISSING[side].to_owned(),
                }
            })
        });
        let mut values = columns.values.iter();
        match values.find(|column| column.value == Sort::Calls) {
            Some(column) => table.with(column.name, |row| {
                both_sides(row.calls(), |calls| calls.to_string())
            }),
            None => table,
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

    /// The number of some rows, and the sum of their first value or of its changes.
    pub fn tally(&self, rows: &[Row<'_>], columns: &Columns) -> Tally {
        let mut tally = Tally::default();
        let value = columns.values[0].value;
        rows.iter().for_each(|row| tally.add(row.change(value)));
        tally
    }

    /// The same as a text.
    pub fn together(&self, tally: Tally, what: &str, columns: &Columns) -> String {
        let (first, count) = (self.first(), counted(tally.count, what));
        let (name, sum) = (columns.values[0].sum, tally.sum);
        if name.is_empty() {
            return count;
        }
        let whole = columns.whole.unwrap_or(first.whole);
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

    /// The lines for what is not among the first `shown` rows, if there is anything.
    pub fn rest(&self, listed: &ListedRows<'_>, shown: usize) -> Vec<String> {
        let (name, columns) = (self.kind.by.name(), self.columns());
        let what = format!("more {}{name}", self.either("", "changed "));
        let rest = listed
            .all
            .without(self.tally(&listed.rows[..shown], &columns));
        let more = (rest.count > 0).then(|| self.together(rest, &what, &columns));
        let same = format!("{} did not change", counted(listed.unchanged, name));
        more.into_iter()
            .chain((listed.unchanged > 0).then_some(same))
            .collect()
    }

    /// The named parts, unless they are the rows: the costliest first, or in the order of the new
    /// profile.
    pub fn parts(&self) -> Vec<Row<'a>> {
        if self.kind.by == GroupBy::Part {
            return Vec::new();
        }
        let Some(comparison) = self.comparison else {
            let parts = part_rows(self.view.profile()).into_iter();
            let parts = parts.map(|(name, totals)| Row {
                text: Some(name),
                ..self.row_of(Named::default(), &totals, false)
            });
            return parts.collect();
        };
        let parts = comparison.parts(0).into_iter();
        let parts = parts.map(|part| Row {
            text: Some(printable(part.name)),
            sums: part.costs.map(|cost| {
                Some(FunctionSums {
                    self_cost: cost?,
                    ..FunctionSums::default()
                })
            }),
            ..Row::default()
        });
        parts.collect()
    }

    /// The columns of parts.
    pub fn part_columns(&self) -> Columns {
        Columns {
            values: vec![Column::TOTAL],
            whole: self.comparison.is_none().then(|| self.first().whole),
            has_sides: true,
        }
    }
}
