//! The events of a profile, and the requested ones.

mod error;
mod formula;
mod merge;
mod names;

use std::collections::BTreeMap;

use crate::display::text::excerpt;
use crate::maps::{HashMap, IndexSet};
use crate::tables::ColumnMap;
pub use error::EventError;
pub(crate) use formula::Definition;
use formula::{Expansion, Formulas};
pub(crate) use names::split_scale;
pub(crate) use names::{MAX_EVENT_NAME, is_overlong};
use names::{conventional, factor_between, unit_of};

/// The most events of a profile.
///
/// Every function and call edge has a sum for each event. Without this limit, a small file with a
/// long line of event names could take much memory. Valgrind's simulations have about 20 events.
pub const MAX_EVENTS: usize = 64;

/// The most terms that a formula may have. KCachegrind's longest has six.
const MAX_TERMS: usize = 64;

/// The most derived events that a profile may define. It is equal to the most events that can be
/// requested.
const MAX_FORMULAS: usize = 64;

/// The most columns in an `events:` line.
pub(crate) const MAX_COLUMNS: usize = 1024;

/// The most lists of columns whose maps are stored.
const MAX_SELECTED: usize = 16;

/// Whether a name begins with this text, in upper or lower case.
fn begins(name: &[u8], beginning: &[u8]) -> bool {
    let begin = name.get(..beginning.len());
    begin.is_some_and(|begin| begin.eq_ignore_ascii_case(beginning))
}

/// The requested events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum EventChoice {
    /// The first event of the first `events:` line.
    #[default]
    First,
    /// These, in this order.
    Named(Vec<Vec<u8>>),
    /// These. If no event of any input has a requested name, the only event that begins with it, in
    /// upper or lower case.
    Matching(Vec<Vec<u8>>),
    /// All columns of the input, in the order of their appearance.
    All,
}

/// An event of a profile.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Event {
    name: Vec<u8>,
    long_name: Vec<u8>,
}

impl Event {
    /// Its name in the profile.
    pub fn name(&self) -> &[u8] {
        &self.name
    }

    /// Its long name, from an `event:` line; empty if there is none.
    pub fn long_name(&self) -> &[u8] {
        &self.long_name
    }
}

/// The unit of an event: the part of its name in brackets at the end, as in `Time_(10ns)`, or the
/// whole name if that is a unit. Empty if unknown.
///
/// Xdebug 2 measured in microseconds and bytes, but named its events just `Time` and `Memory`.
pub(crate) fn unit_of_event(event: &[u8], is_of_xdebug_2: bool) -> &'static str {
    match event {
        b"Time" if is_of_xdebug_2 => "us",
        b"Memory" if is_of_xdebug_2 => "bytes",
        _ => unit_of(event),
    }
}

type NameSet = IndexSet<Vec<u8>>;

/// All events of the inputs so far, and the requested ones.
#[derive(Clone, Debug, Default)]
pub(super) struct Events {
    choice: EventChoice,
    /// The requested events, as far as they are known. While an input is read, some may be equal.
    wanted: Vec<Vec<u8>>,
    columns: NameSet,
    formulas: Formulas,
    long_names: BTreeMap<Vec<u8>, Vec<u8>>,
    /// The maps for lists of columns, because parts and runs repeat these.
    selected: HashMap<Vec<Vec<u8>>, ColumnMap>,
    /// Whether inputs have different columns, or the same ones in another order.
    are_mixed: bool,
}

impl Events {
    pub fn new(choice: EventChoice) -> Self {
        let wanted = match &choice {
            EventChoice::Named(names) | EventChoice::Matching(names) => names.iter().collect(),
            EventChoice::First | EventChoice::All => IndexSet::default(),
        };
        Events {
            wanted: wanted.into_iter().cloned().collect(),
            choice,
            ..Events::default()
        }
    }

    /// The events to read from further inputs; `None` while those can still determine them.
    pub fn resolved_choice(&self) -> Option<EventChoice> {
        let is_resolved = match &self.choice {
            EventChoice::First => !self.wanted.is_empty(),
            // What a beginning stands for is known after all inputs.
            EventChoice::Matching(names) => names.iter().all(|name| self.is_known(name)),
            EventChoice::Named(_) => true,
            EventChoice::All => return Some(EventChoice::All),
        };
        is_resolved.then(|| EventChoice::Named(self.wanted.clone()))
    }

    /// The name of the requested event at a position; empty if there is none.
    pub fn name(&self, at: usize) -> &[u8] {
        self.wanted.get(at).map_or(b"", Vec::as_slice)
    }

    /// The requested events, in order.
    pub fn wanted(&self) -> impl ExactSizeIterator<Item = Event> {
        self.wanted.iter().map(|name| Event {
            name: name.clone(),
            long_name: self.long_names.get(name).cloned().unwrap_or_default(),
        })
    }

    /// The names of the available events: all events except those with wrong formulas.
    pub fn usable_names(&self) -> impl Iterator<Item = &[u8]> {
        let mut expansion = self.expansion(self.columns.iter());
        self.names()
            .filter(move |name| expansion.parts(name).is_ok())
    }

    /// Names of the columns, in the order of their appearance.
    pub fn columns(&self) -> impl Iterator<Item = &[u8]> {
        self.columns.iter().map(Vec::as_slice)
    }

    /// The first column, and the one that is the first if all are requested, if these differ.
    pub fn different_firsts(&self) -> Option<[&[u8]; 2]> {
        let first = self.columns().next().filter(|_| self.are_mixed)?;
        let firsts = [
            first,
            self.columns()
                .min_by(|one, other| conventional(one).cmp(&conventional(other)))?,
        ];
        (firsts[0] != firsts[1]).then_some(firsts)
    }

    /// Whether the requested event at a position may be the first one after others are merged: it is
    /// here, or by the conventional order.
    pub fn may_be_first(&self, at: usize) -> bool {
        let own = conventional(self.name(at));
        at == 0 || self.wanted.iter().all(|other| own <= conventional(other))
    }

    /// Names of all events: the columns, then those that formulas define, in the order of their
    /// definitions.
    fn names(&self) -> impl Iterator<Item = &[u8]> {
        self.columns().chain(self.derived())
    }

    /// Names of the events that formulas define. A column takes precedence over them.
    fn derived(&self) -> impl Iterator<Item = &[u8]> {
        let events = self.formulas.events();
        events.filter(|&name| !self.columns.contains(name))
    }

    /// The map from these columns to events.
    fn expansion<'a>(&'a self, columns: impl Iterator<Item = &'a Vec<u8>>) -> Expansion<'a> {
        Expansion::new(&self.formulas, columns, None)
    }

    /// The map from all columns to events, for errors that say which events there are.
    fn explained_expansion(&self) -> Expansion<'_> {
        Expansion::new(&self.formulas, self.columns.iter(), Some(self))
    }

    /// The derived events that inputs define differently, sorted.
    pub fn conflicting(&self) -> impl Iterator<Item = &[u8]> {
        self.formulas.conflicting.iter().map(Vec::as_slice)
    }

    /// The sorted values of the `event:` lines that define derived events or give long names.
    ///
    /// Long names are those of requested events. Derived events are omitted if they are requested,
    /// if not all columns are requested, or if inputs define them differently.
    pub fn definitions(&self) -> Vec<Vec<u8>> {
        let has_all = self.columns.iter().all(|name| self.wanted.contains(name));
        let is_wanted = |name: &[u8]| self.wanted.iter().any(|wanted| wanted == name);
        let derived = self.derived().filter(|&name| {
            has_all && !is_wanted(name) && !self.formulas.conflicting.contains(name)
        });
        let derived = derived.map(|name| {
            let text = self.formulas.text(name).unwrap_or_default();
            (name, [name, b" = ", text.trim_ascii()].concat())
        });
        let named = self.wanted.iter();
        let named = named.filter(|name| self.long_names.contains_key(*name));
        let named = named.map(|name| (name.as_slice(), name.clone()));
        let values = derived.chain(named).map(|(name, mut value)| {
            if let Some(long_name) = self.long_names.get(name) {
                value.extend([b" : ", &long_name[..]].concat());
            }
            value
        });
        let mut values: Vec<Vec<u8>> = values.collect();
        values.sort();
        values
    }

    /// Reads the value of an `event:` header (callgrind format, section 3.1.7.2), and returns its
    /// effect. If an event has several formulas, the first one counts.
    pub fn define(&mut self, value: &[u8]) -> Result<Definition, EventError> {
        let value = value.trim_ascii();
        let is_end = |b: &u8| matches!(b, b'=' | b':') || b.is_ascii_whitespace();
        let end = value.iter().position(is_end).unwrap_or(value.len());
        let (name, rest) = value.split_at(end);
        if name.is_empty() {
            return Ok(Definition::Known);
        }
        let rest = rest.trim_ascii_start();
        let (formula, long_name) = match memchr::memchr(b':', rest) {
            Some(colon) => (&rest[..colon], rest[colon + 1..].trim_ascii()),
            None => (rest, &b""[..]),
        };
        if !long_name.is_empty() && !self.long_names.contains_key(name) {
            self.long_names.insert(name.to_vec(), long_name.to_vec());
        }
        let Some(text) = formula.strip_prefix(b"=") else {
            return Ok(Definition::Known);
        };
        self.selected.clear();
        self.formulas.define(name, text)
    }

    /// Returns the map to the requested costs in lines with these columns.
    pub fn select(&mut self, columns: &[Vec<u8>]) -> ColumnMap {
        for name in columns {
            let is_wanted = match self.choice {
                EventChoice::First => self.wanted.is_empty(),
                EventChoice::Named(_) | EventChoice::Matching(_) => false,
                EventChoice::All => true,
            };
            if !self.columns.insert(name.clone()) {
                continue;
            }
            self.selected.clear();
            if is_wanted && self.wanted.len() < MAX_EVENTS {
                self.wanted.push(name.clone());
            }
        }
        if let Some(known) = self.selected.get(columns) {
            return known.clone();
        }
        self.complete_names();
        let mut expansion = self.expansion(columns.iter());
        // If a column is missing, so is the event. A sum of the other columns would look complete.
        let events = self.wanted.iter();
        let events = events.map(|name| expansion.parts(name).unwrap_or_default());
        let map = ColumnMap::new(events.collect());
        if self.selected.len() == MAX_SELECTED {
            self.selected.clear();
        }
        self.selected.insert(columns.to_vec(), map.clone());
        map
    }

    /// Checks, after all inputs, that the requested events exist.
    ///
    /// # Errors
    ///
    /// When no input has one of them, or when its formula cannot be computed.
    pub fn check(&self) -> Result<(), EventError> {
        if self.choice == EventChoice::All && self.columns.len() > MAX_EVENTS {
            return Err(EventError::TooMany);
        }
        if self.formulas.are_too_many {
            return Err(EventError::TooManyFormulas);
        }
        let mut expansion = self.explained_expansion();
        for name in &self.wanted {
            expansion.parts(name).map_err(|error| {
                let begin: Vec<_> = self.beginning_with(name).map(excerpt).collect();
                match error {
                    EventError::Unknown { name, .. } if !begin.is_empty() => {
                        let matches = begin.join(", ");
                        EventError::Ambiguous { name, matches }
                    }
                    error => error,
                }
            })?;
        }
        Ok(())
    }

    /// The errors of formulas that cannot be computed.
    pub fn unusable(&self) -> Vec<EventError> {
        let mut expansion = self.explained_expansion();
        let errors = self.derived().map(|name| expansion.parts(name).err());
        errors.flatten().collect()
    }

    /// Requests the derived events, too, except those that cannot be computed. Returns the map from
    /// the previous requests. Of those in `known`, which no input has to define, only those that are
    /// computed from several columns.
    pub fn want_derived(&mut self, known: &[&'static [u8]]) -> ColumnMap {
        let mut wanted = self.wanted.clone();
        let mut expansion = self.expansion(self.wanted.iter());
        let mut events: Vec<_> = (0..wanted.len()).map(|at| vec![(at, 1)]).collect();
        let own = self.derived().map(|name| (name, 1));
        let known = known.iter().map(|&name| (name, 2));
        for (name, least) in own
            .chain(known)
            .filter(|&(name, _)| !self.formulas.conflicting.contains(name))
        {
            if let Ok(parts) = expansion.parts(name)
                && parts.len() >= least
                && wanted.len() < MAX_EVENTS
                && !wanted.iter().any(|wanted| wanted == name)
            {
                wanted.push(name.to_vec());
                events.push(parts);
            }
        }
        self.wanted = wanted;
        ColumnMap::new(events)
    }

    /// The events whose names begin with this text, in upper or lower case.
    fn beginning_with<'a>(&'a self, name: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
        self.names()
            .filter(move |known| !name.is_empty() && begins(known, name))
    }

    /// Whether there is an event of this name, even with a wrong formula.
    fn is_known(&self, name: &Vec<u8>) -> bool {
        let mut columns = self.columns.iter();
        self.columns.contains(name)
            || self.formulas.has(name)
            || columns.any(|other| factor_between(name, other).is_some())
    }

    /// Completes requested names that no event has, if only one event begins with such a name.
    fn complete_names(&mut self) {
        if let EventChoice::Matching(names) = &self.choice {
            let names: NameSet = names.iter().cloned().collect();
            self.wanted = names.iter().map(|name| self.completed(name)).collect();
        }
    }

    /// The name of the event that a requested name stands for; the same if there is none, or several.
    fn completed(&self, name: &Vec<u8>) -> Vec<u8> {
        if self.is_known(name) {
            return name.clone();
        }
        let mut begin: Vec<&[u8]> = self.beginning_with(name).collect();
        let mut built_in = formula::built_in();
        if let Some(known) = built_in.find(|known| known.eq_ignore_ascii_case(name)) {
            begin.push(known);
        }
        let mut whole = begin.iter().filter(|known| known.len() == name.len());
        match (&begin[..], whole.next(), whole.next()) {
            ([only], ..) | (_, Some(only), None) => only.to_vec(),
            _ => name.clone(),
        }
    }

    /// The names of all events, printable; then those that can be derived from them.
    fn available(&self) -> String {
        let names: Vec<_> = self.names().map(excerpt).collect();
        let mut expansion = self.expansion(self.columns.iter());
        let built_in = formula::built_in()
            .filter(|name| self.names().all(|known| known != *name))
            .filter(|name| expansion.parts(name).is_ok());
        let built_in: Vec<_> = built_in.map(excerpt).collect();
        match (&names[..], &built_in[..]) {
            ([], _) => "none".to_owned(),
            (names, []) => names.join(", "),
            (names, built_in) => {
                format!("{} (derived: {})", names.join(", "), built_in.join(", "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(names: &str) -> Vec<Vec<u8>> {
        names.split(' ').map(|n| n.as_bytes().to_vec()).collect()
    }

    fn wanting(name: &str, definitions: &[&str]) -> Events {
        let mut events = Events::new(EventChoice::Named(vec![name.as_bytes().to_vec()]));
        for definition in definitions {
            events.define(definition.as_bytes()).unwrap();
        }
        events
    }

    fn select(events: &mut Events, names: &str) {
        events.select(&columns(names));
    }

    #[test]
    fn any_grouping_has_the_conventional_order() {
        let [mut first, mut second, third] = ["Dr Ir", "Dr", "Ir"].map(|names| {
            let mut events = Events::new(EventChoice::All);
            select(&mut events, names);
            events
        });
        second.merge(&third);
        first.merge(&second);
        assert_eq!(first.name(0), b"Ir");
    }

    #[test]
    fn derived_events_are_requested_once_and_up_to_the_limit() {
        let names = |events: &mut Events| -> Vec<Vec<u8>> {
            events.want_derived(&[]);
            events.wanted().map(|event| event.name).collect()
        };
        let mut events = wanting("Sum", &["Sum = Ir", "Twice = 2 Sum"]);
        select(&mut events, "Ir");
        assert_eq!(names(&mut events), columns("Sum Twice"));
        let mut events = Events::new(EventChoice::All);
        for definition in ["First = e0", "Second = e0"] {
            events.define(definition.as_bytes()).unwrap();
        }
        let all: Vec<String> = (1..MAX_EVENTS).map(|at| format!("e{at}")).collect();
        let all = all.join(" ").replace("e1 ", "e0 ");
        select(&mut events, &all);
        assert_eq!(names(&mut events), columns(&(all + " First")));
    }

    #[test]
    fn known_events_are_requested_if_their_columns_are_there() {
        let names = |available: &str, definitions: &[&str]| -> Vec<Vec<u8>> {
            let mut events = Events::new(EventChoice::All);
            for definition in definitions {
                events.define(definition.as_bytes()).unwrap();
            }
            select(&mut events, available);
            events.want_derived(&[b"Bm", b"CEst"]);
            events.wanted().map(|event| event.name).collect()
        };
        // CEst needs the columns of caches.
        assert_eq!(names("Ir Bcm Bim", &[]), columns("Ir Bcm Bim Bm"));
        assert_eq!(names("Ir I1mr", &[]), columns("Ir I1mr CEst"));
        assert_eq!(names("Ir", &[]), columns("Ir"));
        assert_eq!(names("Ir Bcm", &[]), columns("Ir Bcm"));
        assert_eq!(names("Bcm Bim", &[]), columns("Bcm Bim Bm"));
        assert_eq!(names("Time", &[]), columns("Time"));
        // The file's own formula counts, once.
        let own = ["CEst = Ir"];
        assert_eq!(names("Ir Bcm Bim", &own), columns("Ir Bcm Bim CEst Bm"));
    }

    #[test]
    fn an_event_without_a_name_is_none() {
        let mut events = Events::default();
        assert_eq!(events.define(b" = Ir"), Ok(Definition::Known));
        assert_eq!(events.define(b": instructions"), Ok(Definition::Known));
        assert_eq!(events.usable_names().count(), 0);
        assert_eq!(events.definitions(), Vec::<Vec<u8>>::new());
    }

    #[test]
    fn what_is_wrong_with_a_formula_is_said() {
        let check = |name: &str, definitions: &[&str]| {
            let mut events = wanting(name, definitions);
            select(&mut events, "Ir Dr");
            events.check().unwrap_err().to_string()
        };
        assert_eq!(
            check("Sum", &["Cyc = Ir"]),
            "no event \"Sum\"; the profile has Ir, Dr, Cyc"
        );
        assert_eq!(
            check("Sum", &["Sum = Ir + Dx"]),
            "the formula of event \"Sum\" names \"Dx\", which is not an event; the profile has Ir, Dr, Sum"
        );
        assert_eq!(
            check("a", &["a = b", "b = 2 a"]),
            "event \"a\" is defined in terms of itself"
        );
        assert_eq!(
            check("Sum", &["Sum = Ir + 2 : twice"]),
            "the formula of event \"Sum\" cannot be read at \"2\": \
             expected terms such as Ir, 2 Ir or 2 * Ir, joined by +"
        );
        // The event with the wrong formula is not requested.
        let mut events = wanting("Ir", &["Sum = Ir +"]);
        select(&mut events, "Ir Dr");
        assert_eq!(events.check(), Ok(()));
    }
}
