//! What changed since a base, as a page shows it.

use std::collections::HashMap;

use serde::Serialize;

use super::Compared;
use super::data::{
    NO_COSTS, Number, ROW_FIGURES, Table, Tables, number_bytes, position, shown, text_bytes,
};
use crate::profile::ComparedEvent;
use crate::report::markdown::Verdict;
use crate::report::text::figures::{Unit, in_units};
use crate::report::text::per_run;
use crate::shown::numbers::{grouped, percent};

/// How many bytes changes may take.
const CHANGE_BYTES: usize = 700_000;

/// What changed since a base.
#[derive(Serialize)]
pub(super) struct Comparison<'a> {
    /// What costs and calls are divided by, in words, if by anything; and the numbers, which the
    /// stacks have yet to be divided by.
    per_run: Option<String>,
    runs: [u64; 2],
    limits: &'a [Verdict],
    /// The base and the new profile.
    sides: [Side; 2],
    /// The functions that have changed.
    functions: Table,
    /// What has changed in each event.
    events: Vec<ChangedEvent>,
}

#[derive(Serialize)]
struct Side {
    functions: usize,
    complete: bool,
}

#[derive(Serialize)]
struct ChangedEvent {
    /// What came of it, in a few words.
    verdict: String,
    /// The totals of the base and of the new profile, also as people read them.
    totals: [Number; 2],
    shown: [String; 2],
    /// Each figure has a column for the base, and one for the new profile.
    changes: Table,
    unchanged: usize,
    rest: RestOfChanges,
}

/// The changes for which there is no room.
#[derive(Default, Serialize)]
struct RestOfChanges {
    functions: usize,
    change: Number,
}

impl<'a> Tables<'a, '_> {
    pub fn comparison(&mut self, compared: &Compared<'a>) -> Comparison<'a> {
        let comparison = compared.comparison;
        let mut changed = Changed {
            places: HashMap::new(),
            names: Vec::new(),
            is: Vec::new(),
            table: Table::new(&["object", "file", "function"], &[], 0),
        };
        let mut room = CHANGE_BYTES;
        let mut events = Vec::new();
        for (at, event) in comparison.events.iter().enumerate() {
            let share = room / (comparison.events.len() - at);
            let (event, left) = self.changed_event(compared, at, event, share, &mut changed);
            room = room - share + left;
            events.push(event);
        }
        let Changed {
            names,
            is,
            mut table,
            ..
        } = changed;
        table.name(names, self.options.names);
        table.texts.push(("is", is));
        let side = |side: &crate::profile::Side<'_>, complete| Side {
            functions: side.functions(),
            complete,
        };
        Comparison {
            per_run: comparison.is_per_run.then(|| per_run(comparison.runs())),
            runs: comparison.divisors(),
            limits: compared.limits,
            sides: [
                side(&comparison.base, compared.complete.base),
                side(&comparison.new, compared.complete.new),
            ],
            functions: table,
            events,
        }
    }

    /// What has changed in an event, as far as there is room; also what is left of that.
    fn changed_event(
        &mut self,
        compared: &Compared<'a>,
        at: usize,
        event: &ComparedEvent<'_>,
        mut room: usize,
        changed: &mut Changed<'a>,
    ) -> (ChangedEvent, usize) {
        let comparison = compared.comparison;
        let mut changes = Table::new(&["row"], &["self", "inclusive", "invocations"], 2);
        let mut rest = RestOfChanges::default();
        let all = comparison.changes_in(at);
        for change in &all {
            let sides = [change.base, change.new].map(Option::unwrap_or_default);
            let figures = [
                sides.map(|side| side.self_cost),
                sides.map(|side| side.inclusive),
                sides.map(|side| side.invocations),
            ];
            let place = [change.object, change.file, change.name];
            let mut bytes = number_bytes(figures.into_iter().flatten()) + ROW_FIGURES;
            if room > 0 && !changed.places.contains_key(&place) {
                let texts = place.map(|text| text_bytes(&shown(text)));
                bytes += texts.iter().sum::<usize>() + texts[2] + ROW_FIGURES;
            }
            let Some(left) = room.checked_sub(bytes) else {
                room = 0;
                rest.functions += 1;
                rest.change.0 += change.self_cost();
                continue;
            };
            room = left;
            let row = match changed.places.get(&place) {
                Some(&row) => row,
                None => {
                    let function = change.new_function().and_then(|id| self.places[id.index()]);
                    let [object, file] = [change.object, change.file].map(|name| self.file(name));
                    changed
                        .table
                        .push([object, file, position(function)], NO_COSTS);
                    changed.names.push(shown(change.name));
                    let is = match (change.base, change.new) {
                        (None, _) => "new",
                        (_, None) => "gone",
                        _ => "",
                    };
                    changed.is.push(is.to_owned());
                    changed.places.insert(place, changed.places.len());
                    changed.places.len() - 1
                }
            };
            changes.push([position(Some(row))], figures);
        }
        let unit = Unit::of(event.unit, 1);
        let totals = [event.base, event.new];
        let event = ChangedEvent {
            verdict: verdict(event.change(), event.base, unit),
            totals: totals.map(Number),
            shown: totals.map(|total| in_units(total, unit)),
            changes,
            unchanged: comparison.changes.len() + comparison.unchanged() - all.len(),
            rest,
        };
        (event, room)
    }
}

/// The functions that have changed in any event.
struct Changed<'a> {
    /// Their rows, by object, file and name.
    places: HashMap<[&'a [u8]; 3], usize>,
    names: Vec<String>,
    /// `new`, `gone` or empty.
    is: Vec<String>,
    table: Table,
}

/// By how much a total has changed.
fn verdict(change: i128, base: i128, unit: Unit) -> String {
    let size = change.abs();
    let share = match base {
        1.. => format!("{} %", percent(size, base)),
        _ => "it cost nothing before".to_owned(),
    };
    let size = unit.told(size).unwrap_or_else(|| grouped(size));
    match change {
        1.. => format!("grew by {size} ({share})"),
        0 => "did not change".to_owned(),
        _ => format!("shrank by {size} ({share})"),
    }
}
