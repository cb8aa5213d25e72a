//! What changed since a base, as a page shows it.

use std::io;

use super::Compared;
use super::data::{Number, Table, Tables, position, shown, within};
use crate::compare::{Comparison, FunctionChange};
use crate::display::numbers::{grouped, percent};
use crate::display::units::{Unit, in_units};
use crate::maps::IndexMap;
use crate::output::figures::per_run;
use crate::output::json::Document;

/// How many numbers the columns of changes have, for all events together, and how long the names of
/// functions are.
const MAX_CHANGE_NUMBERS: usize = 100_000;
const MAX_CHANGE_TEXT: usize = 400_000;

/// What changed since a base, as far as there is room.
pub(super) struct Changes {
    /// The functions that have changed.
    functions: Table,
    /// What has changed in each event.
    events: Vec<ChangedEvent>,
}

struct ChangedEvent {
    /// Each figure has a column for the base, and one for the new profile.
    changes: Table,
    unchanged: usize,
    /// How many changes there is no room for, and what they add up to.
    rest: (usize, Number),
}

impl Changes {
    pub fn write(&self, compared: &Compared<'_>, record: &mut Document<'_>) -> io::Result<()> {
        let comparison = compared.comparison;
        let per_run = comparison.is_per_run.then(|| per_run(comparison.runs()));
        record.field("per_run", &per_run)?;
        // Stacks and calls have yet to be divided by these.
        record.field("runs", &comparison.divisors())?;
        let sides = [comparison.base, comparison.new];
        record.records("sides", sides, |record, side| {
            record.field("functions", &side.functions().len())?;
            record.field("complete", &side.is_complete())
        })?;
        record.record("functions", |record| self.functions.write(record))?;
        let events = comparison.events.iter().zip(&self.events);
        record.records("events", events, |record, (event, changed)| {
            let unit = Unit::of(event.unit, 1);
            let totals = [event.base, event.new];
            record.field("verdict", &verdict(event.change(), event.base, unit))?;
            record.field("totals", &totals.map(Number))?;
            record.field("shown", &totals.map(|total| in_units(total, unit)))?;
            record.record("changes", |record| changed.changes.write(record))?;
            record.field("unchanged", &changed.unchanged)?;
            record.record("rest", |record| {
                record.field("functions", &changed.rest.0)?;
                record.field("change", &changed.rest.1)
            })
        })
    }
}

impl<'a> Tables<'a, '_> {
    pub fn changes(&mut self, comparison: &Comparison<'a>) -> Changes {
        let mut changed = IndexMap::default();
        let count = comparison.events.len();
        let rows = MAX_CHANGE_NUMBERS / 7 / count.max(1);
        let events = (0..count).map(|at| changed_event(comparison, at, rows, &mut changed));
        let events = events.collect();
        let mut functions = Table::new(&["object", "file", "function"], &[], 0);
        let (mut names, mut is) = (Vec::new(), Vec::new());
        for ([object, file, name], change) in changed {
            let function = change.new_function().and_then(|id| self.places[id.index()]);
            let [object, file] = [object, file].map(|name| position(self.file(name)));
            functions.push([object, file, position(function)], &[]);
            names.push(shown(name));
            let word = match (change.base, change.new) {
                (None, _) => "new",
                (_, None) => "gone",
                _ => "",
            };
            is.push(word.to_owned());
        }
        functions.name(within(names, MAX_CHANGE_TEXT), self.options.names);
        functions.texts.insert("is", is);
        Changes { functions, events }
    }
}

/// The functions that have changed in any event, by object, file and name.
type Changed<'a> = IndexMap<[&'a [u8]; 3], FunctionChange<'a>>;

/// What has changed most in an event, in so many rows.
fn changed_event<'a>(
    comparison: &Comparison<'a>,
    at: usize,
    rows: usize,
    changed: &mut Changed<'a>,
) -> ChangedEvent {
    let mut changes = Table::new(&["row"], &["self", "inclusive", "invocations"], 2);
    let mut rest = (0, Number::default());
    let all = comparison.changes_in(at);
    let unchanged = comparison.changes.len() + comparison.unchanged() - all.len();
    for (at, change) in all.into_iter().enumerate() {
        if at >= rows {
            rest.0 += 1;
            rest.1.0 += change.self_cost();
            continue;
        }
        let sides = [change.base, change.new].map(Option::unwrap_or_default);
        let figures = [
            sides.map(|side| side.self_cost),
            sides.map(|side| side.inclusive),
            sides.map(|side| side.invocations.tenths),
        ];
        let entry = changed.entry([change.object, change.file, change.name]);
        changes.push([position(entry.index())], &figures.map(Vec::from));
        entry.or_insert(change);
    }
    ChangedEvent {
        changes,
        unchanged,
        rest,
    }
}

/// By how much a total has changed.
fn verdict(change: i128, base: i128, unit: Unit) -> String {
    let size = change.abs();
    let share = match base {
        1.. => format!("{} %", percent(size, base)),
        _ => "it cost nothing before".to_owned(),
    };
    let size = unit.converted(size).unwrap_or_else(|| grouped(size));
    match change {
        1.. => format!("grew by {size} ({share})"),
        0 => "did not change".to_owned(),
        _ => format!("shrank by {size} ({share})"),
    }
}
