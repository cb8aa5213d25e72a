//! The events of a profile, and those that are wanted.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use foldhash::fast::RandomState;
use indexmap::{IndexMap, IndexSet};
use thiserror::Error;

use super::scale::split_scale;
use super::stated::split_number;
use crate::display::text::excerpt;
use crate::display::units::NamedUnit;
use crate::tables::{ColumnMap, Cost};

/// The most events that one profile can hold sums of.
///
/// Every function and call edge has a sum for each event. Without this limit, a small file with a
/// long line of event names could take much memory. Valgrind's simulations have about 20 events.
pub const MAX_EVENTS: usize = 64;

/// The longest name of a column that is read, in bytes.
///
/// What an `events:` line costs grows with the names of the wanted events, even if the line itself
/// names none of them. In the wild, names have at most some dozens of bytes.
pub(crate) const MAX_NAME_LENGTH: usize = 256;

/// The most columns that an `events:` line may name.
pub(crate) const MAX_COLUMNS: usize = 1024;

/// The most terms that a formula may have. KCachegrind's longest has six.
pub(crate) const MAX_TERMS: usize = 64;

/// How often the formulas of a wanted event can change before that is an error.
///
/// After each change they are evaluated again, so this keeps the time linear. Writers that repeat
/// the same formulas in each part do not change them.
const MAX_CHANGES: usize = 64;

/// Why an event cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "the messages show what the fields are")]
#[non_exhaustive]
pub enum EventError {
    /// No part of any input has the event that was asked for.
    #[error("no event \"{name}\"; the profile has {available}")]
    Unknown { name: String, available: String },
    /// The formula of a derived event names an event that no input has.
    #[error(
        "the formula of event \"{event}\" names \"{name}\", which is not an event; the profile has {available}"
    )]
    UnknownInFormula {
        event: String,
        name: String,
        available: String,
    },
    /// The formula of a derived event is not a sum of products.
    #[error(
        "the formula of event \"{event}\" cannot be read at \"{term}\": expected terms such as Ir, 2 Ir or 2 * Ir, joined by +"
    )]
    BadFormula { event: String, term: String },
    /// The formula of a derived event is longer than any that a profiler writes.
    #[error("the formula of event \"{0}\" has more than {MAX_TERMS} terms")]
    TooManyTerms(String),
    /// Several events begin like the one that was asked for, and none has its name.
    #[error("no event \"{name}\", but several begin with it: {matches}")]
    Ambiguous { name: String, matches: String },
    /// A derived event is defined by itself.
    #[error("event \"{0}\" is defined in terms of itself")]
    Cycle(String),
    /// The formulas of a derived event change too often.
    #[error("the formulas of event \"{0}\" change more than {MAX_CHANGES} times")]
    Unstable(String),
    /// All events are wanted, and there are too many.
    #[error("the profile has more than {MAX_EVENTS} events; choose some of them with --event")]
    TooMany,
}

/// Whether a name begins like this, in any case of letters.
fn begins(name: &[u8], beginning: &[u8]) -> bool {
    let begin = name.get(..beginning.len());
    begin.is_some_and(|begin| begin.eq_ignore_ascii_case(beginning))
}

/// Whether the name of a column is too long to be read; its scale does not count.
pub(crate) fn is_overlong(name: &[u8]) -> bool {
    split_scale(name).0.len() > MAX_NAME_LENGTH
}

/// Which events are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum EventChoice {
    /// The first of the first `events:` line.
    #[default]
    First,
    /// These, in this order.
    Named(Vec<Vec<u8>>),
    /// Likewise, but where no event has a name, the only one that begins with it will do, in any case
    /// of letters.
    Matching(Vec<Vec<u8>>),
    /// All that are columns of the input, in the order in which they appear.
    All,
}

/// An event whose costs a profile holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    name: Vec<u8>,
    long_name: Vec<u8>,
}

impl Event {
    /// Its name, as the profile spells it.
    pub fn name(&self) -> &[u8] {
        &self.name
    }

    /// Its long name, from an `event:` line; empty if there is none.
    pub fn long_name(&self) -> &[u8] {
        &self.long_name
    }

    /// The unit according to its name: the part in brackets at the end, as in `Time_(10ns)`, or the
    /// whole name if that is a unit. Empty if unknown.
    pub(super) fn unit(&self) -> &'static str {
        unit_of(&self.name)
    }
}

/// The unit of an event according to its name.
fn unit_of(name: &[u8]) -> &'static str {
    let (name, _) = split_scale(name);
    let inner = name.strip_suffix(b")").and_then(|name| {
        let open = memchr::memrchr(b'(', name)?;
        Some(&name[open + 1..])
    });
    NamedUnit::of_event(inner.unwrap_or(name)).map_or("", |unit| unit.name)
}

/// The value of an `event:` line with a formula: `Sum = Ir + 2 Dr : long name`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Formula {
    /// The text between `=` and `:`.
    text: Vec<u8>,
    /// The terms, or which of them cannot be read.
    terms: Result<Terms, EventError>,
}

type Names = IndexSet<Vec<u8>, RandomState>;
type NameMap<T> = HashMap<Vec<u8>, T, RandomState>;
type NameSet<'a> = HashSet<&'a [u8], RandomState>;
type Terms = Vec<(Cost, Vec<u8>)>;

/// The derived events that KCachegrind knows by itself (`globalconfig.cpp` of its libcore), as sums of
/// columns. Without the first one, the profile does not have the event; others may be missing.
const BUILT_IN: [(&[u8], &[u8]); 5] = [
    (b"Bm", b"Bcm + Bim"),
    (b"L1m", b"I1mr + D1mr + D1mw"),
    (b"L2m", b"I2mr + D2mr + D2mw"),
    (b"LLm", b"ILmr + DLmr + DLmw"),
    (
        b"CEst",
        b"Ir + 10 Bcm + 10 Bim + 10 I1mr + 10 D1mr + 10 D1mw + 20 Ge \
          + 100 I2mr + 100 D2mr + 100 D2mw + 100 ILmr + 100 DLmr + 100 DLmw",
    ),
];

static BUILT_IN_FORMULAS: LazyLock<Vec<(&[u8], Formula)>> = LazyLock::new(|| {
    let formulas = BUILT_IN.iter().map(|&(name, text)| {
        let terms = parse_sum(name, text);
        let text = Vec::new();
        (name, Formula { text, terms })
    });
    formulas.collect()
});

/// A column that a derived event is made of.
#[derive(Clone, Debug)]
struct Term {
    weight: Cost,
    column: Vec<u8>,
    /// Whether costs without this column have the event all the same.
    is_optional: bool,
}

/// All events of the inputs read so far, and those that are wanted.
#[derive(Clone, Debug, Default)]
pub(super) struct Events {
    choice: EventChoice,
    /// The wanted ones, as far as they are known.
    wanted: Names,
    columns: Names,
    formulas: IndexMap<Vec<u8>, Formula, RandomState>,
    long_names: NameMap<Vec<u8>>,
    /// The columns that wanted events are made of which have formulas; none while no event had to
    /// be worked out, and after a change.
    resolved: Option<NameMap<Vec<Term>>>,
    /// How often they had to be forgotten.
    changes: usize,
    /// Whether inputs have different columns, or have them in another order.
    are_mixed: bool,
}

impl Events {
    pub fn new(choice: EventChoice) -> Self {
        let wanted = match &choice {
            EventChoice::Named(names) | EventChoice::Matching(names) => {
                names.iter().cloned().collect()
            }
            EventChoice::First | EventChoice::All => Names::default(),
        };
        Events {
            choice,
            wanted,
            ..Events::default()
        }
    }

    /// What is wanted of inputs that follow; none as long as these have a say in it.
    pub fn resolved_choice(&self) -> Option<EventChoice> {
        let is_resolved = match self.choice {
            EventChoice::First => !self.wanted.is_empty(),
            EventChoice::Matching(_) => self.wanted.iter().all(|name| self.is_known(name)),
            EventChoice::Named(_) => true,
            EventChoice::All => return Some(EventChoice::All),
        };
        let names = || self.wanted.iter().cloned().collect();
        is_resolved.then(|| EventChoice::Named(names()))
    }

    /// Name of the wanted event at a position; empty if there is none.
    pub fn name(&self, at: usize) -> &[u8] {
        self.wanted.get_index(at).map_or(b"", Vec::as_slice)
    }

    /// The wanted events, in order.
    pub fn wanted(&self) -> impl ExactSizeIterator<Item = Event> {
        self.wanted.iter().map(|name| Event {
            name: name.clone(),
            long_name: self.long_names.get(name).cloned().unwrap_or_default(),
        })
    }

    /// Names of the events that can be chosen: all but those whose formulas are wrong.
    pub fn usable_names(&self) -> impl Iterator<Item = &[u8]> {
        let usable = self.usable();
        self.names().filter(move |name| usable.contains(name))
    }

    /// Names of all events: the columns, then those that formulas define, in the order of their
    /// definitions.
    fn names(&self) -> impl Iterator<Item = &[u8]> {
        let formulas = self.formulas.keys();
        let derived = formulas.filter(|name| !self.columns.contains(*name));
        self.columns.iter().chain(derived).map(Vec::as_slice)
    }

    /// The values of the `event:` lines that define derived events or give long names, sorted.
    ///
    /// Those of events that are not wanted themselves are left out where not all columns are
    /// wanted that they may be made of.
    pub fn definitions(&self) -> Vec<Vec<u8>> {
        let has_all = self.columns.iter().all(|name| self.wanted.contains(name));
        let derived = self.formulas.iter().filter(|(name, _)| {
            has_all && !self.columns.contains(*name) && !self.wanted.contains(*name)
        });
        let derived = derived.map(|(name, formula)| {
            let value = [name, &b" = "[..], formula.text.trim_ascii()].concat();
            (value, self.long_names.get(name))
        });
        let wanted = self.wanted.iter();
        let named =
            wanted.filter_map(|name| Some((name.clone(), Some(self.long_names.get(name)?))));
        let values = derived
            .chain(named)
            .map(|(value, long_name)| match long_name {
                Some(long_name) => [&value, &b" : "[..], long_name].concat(),
                None => value,
            });
        let mut values: Vec<Vec<u8>> = values.collect();
        values.sort();
        values
    }

    /// Takes in the value of an `event:` header (callgrind format, section 3.1.7.2), and says
    /// whether wanted costs may be found elsewhere now.
    pub fn define(&mut self, value: &[u8]) -> Result<bool, EventError> {
        let value = value.trim_ascii();
        let is_end = |b: &u8| matches!(b, b'=' | b':') || b.is_ascii_whitespace();
        let end = value.iter().position(is_end).unwrap_or(value.len());
        let (name, rest) = value.split_at(end);
        if name.is_empty() {
            return Ok(false);
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
            return Ok(false);
        };
        if memchr::memchr_iter(b'+', text).count() >= MAX_TERMS {
            return Err(EventError::TooManyTerms(excerpt(name)));
        }
        let known = self.formulas.get(name);
        if known.is_some_and(|known| known.text == text) {
            return Ok(false);
        }
        let formula = Formula {
            text: text.to_vec(),
            terms: parse_sum(name, text),
        };
        self.formulas.insert(name.to_vec(), formula);
        // A column takes precedence over a formula of the same name.
        Ok(!self.columns.contains(name) && self.forget())
    }

    /// The formulas of derived events; those that KCachegrind knows come last, unless the profile has
    /// an event of the name. True: one of the profile's own.
    fn all_formulas(&self) -> impl Iterator<Item = (&[u8], &Formula, bool)> {
        let own = self.formulas.iter();
        let own = own.map(|(name, formula)| (name.as_slice(), formula, true));
        let built_in = BUILT_IN_FORMULAS.iter();
        let built_in = built_in.filter(|(name, _)| {
            !self.columns.contains(*name) && !self.formulas.contains_key(*name)
        });
        own.chain(built_in.map(|(name, formula)| (*name, formula, false)))
    }

    fn formula(&self, name: &[u8]) -> Option<(&Formula, bool)> {
        match self.formulas.get(name) {
            Some(own) => Some((own, true)),
            None if self.columns.contains(name) => None,
            None => {
                let mut built_in = BUILT_IN_FORMULAS.iter();
                let found = built_in.find(|(known, _)| *known == name);
                found.map(|(_, formula)| (formula, false))
            }
        }
    }

    /// Forgets what derived events are made of, and returns whether that was known.
    fn forget(&mut self) -> bool {
        let is_changed = self.resolved.take().is_some();
        self.changes += usize::from(is_changed);
        is_changed
    }

    /// Says how to find the wanted costs in lines that have these columns.
    pub fn select(&mut self, columns: &[Vec<u8>]) -> ColumnMap {
        for name in columns {
            if self.columns.contains(name) {
                continue;
            }
            self.columns.insert(name.clone());
            if self.formulas.contains_key(name) {
                self.forget();
            }
            let is_wanted = match self.choice {
                EventChoice::First => self.wanted.is_empty(),
                EventChoice::Named(_) | EventChoice::Matching(_) => false,
                EventChoice::All => true,
            };
            if is_wanted && self.wanted.len() < MAX_EVENTS {
                self.wanted.insert(name.clone());
            }
        }
        self.complete_names();
        let at: HashMap<&[u8], usize, RandomState> =
            // The first of equal names counts.
            columns.iter().enumerate().rev().map(|(at, name)| (name.as_slice(), at)).collect();
        let is_elsewhere = |name: &Vec<u8>| !at.contains_key(&name[..]);
        if self.resolved.is_none() && self.wanted.iter().any(is_elsewhere) {
            self.resolved = Some(self.resolve());
        }
        let events = self.wanted.iter();
        let events = events.map(|name| self.source(name, columns, &at));
        ColumnMap::new(events.collect())
    }

    fn source(
        &self,
        name: &[u8],
        columns: &[Vec<u8>],
        at: &HashMap<&[u8], usize, RandomState>,
    ) -> Vec<(usize, Cost)> {
        if let Some(&column) = at.get(name) {
            return vec![(column, 1)];
        }
        let mut columns_at = columns.iter().enumerate();
        let scaled = columns_at.find_map(|(at, other)| Some((at, factor_between(name, other)?)));
        if let Some(scaled) = scaled {
            return vec![scaled];
        }
        let terms = self.resolved.iter().find_map(|resolved| resolved.get(name));
        // Without one of its columns, the event is absent here: a part of it would look like all.
        let terms = terms.into_iter().flatten();
        let terms = terms.filter_map(|term| match at.get(&term.column[..]) {
            None if term.is_optional => None,
            column => Some(column.map(|&column| (column, term.weight))),
        });
        let mut terms: Vec<_> = terms.collect::<Option<_>>().unwrap_or_default();
        terms.sort_unstable();
        terms
    }

    /// Checks, after all inputs, that the wanted events exist.
    ///
    /// # Errors
    ///
    /// When no input had one, or when its formula cannot be worked out.
    pub fn check(&self) -> Result<(), EventError> {
        if self.choice == EventChoice::All && self.columns.len() > MAX_EVENTS {
            return Err(EventError::TooMany);
        }
        let is_column = |name: &Vec<u8>| self.columns.contains(name) || self.is_scaled_column(name);
        let usable = self.usable();
        let mut derived = self.wanted.iter().filter(|name| !is_column(name));
        derived.try_for_each(|name| self.check_formula(name, &usable))
    }

    /// What is wrong with the formulas of derived events that cannot be worked out.
    pub fn unusable(&self) -> impl Iterator<Item = EventError> {
        let usable = self.usable();
        self.names()
            .filter_map(move |name| self.check_formula(name, &usable).err())
    }

    /// Finds out what is wrong with a wanted event that is no column.
    fn check_formula(&self, wanted: &[u8], usable: &NameSet<'_>) -> Result<(), EventError> {
        if self.changes > MAX_CHANGES {
            return Err(EventError::Unstable(excerpt(wanted)));
        }
        if usable.contains(wanted) {
            return Ok(());
        }
        let mut formula = self.formulas.get_key_value(wanted);
        if formula.is_none() {
            let name = excerpt(wanted);
            let matches: Vec<_> = self.beginning_with(wanted).map(excerpt).collect();
            let (matches, available) = (matches.join(", "), self.available());
            return Err(match matches.is_empty() {
                true => EventError::Unknown { name, available },
                false => EventError::Ambiguous { name, matches },
            });
        }
        let mut path = NameSet::default();
        while let Some((event, terms)) = formula.map(|(event, formula)| (event, &formula.terms)) {
            if !path.insert(event) {
                return Err(EventError::Cycle(excerpt(event)));
            }
            let mut names = terms.as_ref().map_err(Clone::clone)?.iter();
            let Some((_, name)) = names.find(|(_, name)| !usable.contains(&name[..])) else {
                break;
            };
            formula = self.formulas.get_key_value(name);
            if formula.is_none() {
                return Err(EventError::UnknownInFormula {
                    event: excerpt(event),
                    name: excerpt(name),
                    available: self.available(),
                });
            }
        }
        Ok(())
    }

    /// Adds the events of another input to these, and says where the costs of the wanted ones are
    /// among those from before and among those of the other.
    pub fn merge(&mut self, other: &Events) -> [ColumnMap; 2] {
        let before = self.completed_by(other);
        let others = other.completed_by(self);
        let have_columns = !self.columns.is_empty() && !other.columns.is_empty();
        self.are_mixed |= other.are_mixed || have_columns && self.columns.iter().ne(&other.columns);
        self.columns.extend(other.columns.iter().cloned());
        // Of what differs the least, whatever the order of the inputs.
        for (name, formula) in &other.formulas {
            let own = self.formulas.get(name);
            if own.is_none_or(|own| formula.text < own.text) {
                self.formulas.insert(name.clone(), formula.clone());
            }
        }
        for (name, long_name) in &other.long_names {
            let own = self.long_names.get(name);
            if own.is_none_or(|own| long_name < own) {
                self.long_names.insert(name.clone(), long_name.clone());
            }
        }
        self.resolved = None;
        self.changes = self.changes.max(other.changes);
        self.wanted = before.iter().chain(&others).cloned().collect();
        if self.are_mixed && self.choice == EventChoice::All {
            self.wanted
                .sort_by(|one, other| conventional(one).cmp(&conventional(other)));
        }
        [&before, &others].map(|from| {
            let at = |name| Some((from.get_index_of(name)?, 1));
            let events = self.wanted.iter();
            ColumnMap::new(events.map(|name| at(name).into_iter().collect()).collect())
        })
    }

    /// The wanted events, of which some that are not known here may be known there.
    fn completed_by(&self, other: &Events) -> Names {
        let is_open = matches!(self.choice, EventChoice::Matching(_));
        let wanted = self.wanted.iter().enumerate().map(|(at, name)| {
            let others = other.wanted.get_index(at).filter(|known| {
                is_open && begins(known, name) && !self.is_known(name) && other.is_known(known)
            });
            others.unwrap_or(name).clone()
        });
        wanted.collect()
    }

    /// Wants only what is also among other events, in their order, and says where it was. Scales
    /// make no difference.
    pub fn keep(&mut self, others: &[Event]) -> ColumnMap {
        let plain = |name| split_scale(name).0;
        let kept = others.iter().filter_map(|other| {
            let mut own = self.wanted.iter();
            own.position(|name| plain(name) == plain(other.name()))
        });
        let kept: IndexSet<usize> = kept.collect();
        let kept = Vec::from_iter(kept);
        self.wanted = kept.iter().map(|&at| self.wanted[at].clone()).collect();
        ColumnMap::of_columns(&kept)
    }

    /// Wants the derived events too, but for those that cannot be worked out, and says how they
    /// follow from those before.
    pub fn want_derived(&mut self) -> ColumnMap {
        let (mut events, mut wanted) = (Vec::new(), self.wanted.clone());
        let order = self.order(false);
        for name in self.usable_names().skip(self.columns.len()) {
            if wanted.len() == MAX_EVENTS || wanted.contains(name) {
                continue;
            }
            let terms = self.terms(name, &order).into_iter();
            let parts = terms.filter_map(|term| {
                let at = self.wanted.get_index_of(&term.column)?;
                Some((at, term.weight))
            });
            let mut parts: Vec<_> = parts.collect();
            parts.sort_unstable();
            events.push(parts);
            wanted.insert(name.to_vec());
        }
        self.wanted = wanted;
        ColumnMap::new(events)
    }

    /// Works out the wanted events that have formulas.
    fn resolve(&self) -> NameMap<Vec<Term>> {
        // A name that nobody has yet may be a column of a later part.
        let order = self.order(true);
        let names = self.wanted.iter();
        names
            .map(|name| (name.clone(), self.terms(name, &order)))
            .collect()
    }

    /// The columns of a derived event and their weights; none if it cannot be worked out.
    ///
    /// `order` is what [`order`](Self::order) returned: formulas are looked at from the last one
    /// upwards, each once and without recursion, so neither long chains nor sums that double at
    /// every step cost more than their text.
    fn terms(&self, event: &[u8], order: &[&[u8]]) -> Vec<Term> {
        // The weight of each, and whether it may be missing.
        let mut weights: HashMap<&[u8], (Cost, bool), RandomState> = HashMap::default();
        for &name in order.iter().rev() {
            let (weight, is_optional) = match weights.get_mut(name) {
                _ if name == event => (1, false),
                Some(weight) if !self.columns.contains(name) => std::mem::take(weight),
                _ => continue,
            };
            let Some((formula, is_own)) = self.formula(name) else {
                continue;
            };
            let terms = formula.terms.iter().flatten().enumerate();
            for (nth, (factor, name)) in terms.filter(|_| weight != 0) {
                let is_optional = is_optional || !is_own && nth > 0;
                let (sum, may_be_missing) = weights.entry(name).or_insert((0, is_optional));
                *sum = sum.saturating_add(weight.saturating_mul(*factor));
                *may_be_missing &= is_optional;
            }
        }
        let terms = weights.into_iter().filter(|(_, (weight, _))| *weight != 0);
        let terms = terms.map(|(name, (weight, is_optional))| Term {
            weight,
            column: name.to_vec(),
            is_optional,
        });
        terms.collect()
    }

    /// The columns, and the events whose formulas can be worked out.
    fn usable(&self) -> NameSet<'_> {
        let columns = self.columns.iter().map(Vec::as_slice);
        columns.chain(self.order(false)).collect()
    }

    /// The events whose formulas can be worked out, each after those that its formula names.
    ///
    /// `with_unknown`: also those that name what is no event.
    fn order(&self, with_unknown: bool) -> Vec<&[u8]> {
        let mut users: HashMap<&[u8], Vec<&[u8]>, RandomState> = HashMap::default();
        // Of each formula, how many of its names are not worked out.
        let mut open: IndexMap<&[u8], usize, RandomState> = IndexMap::default();
        for (event, formula, is_own) in self.all_formulas() {
            let names = formula.terms.iter().flatten().map(|(_, name)| &name[..]);
            // What KCachegrind knows is made of columns, of which the first is needed.
            let names = names.take(if is_own { usize::MAX } else { 1 });
            let derived = names.filter(|&name| {
                !self.columns.contains(name)
                    && (!with_unknown || is_own && self.formula(name).is_some())
            });
            if formula.terms.is_ok() {
                open.insert(event, derived.clone().count());
            }
            derived.for_each(|name| users.entry(name).or_default().push(event));
        }
        let ready = open.iter().filter(|&(_, &open)| open == 0);
        let mut order: Vec<&[u8]> = ready.map(|(&event, _)| event).collect();
        let mut next = 0;
        while let Some(name) = order.get(next) {
            for user in users.get(name).into_iter().flatten() {
                open[user] -= 1;
                if open[user] == 0 {
                    order.push(user);
                }
            }
            next += 1;
        }
        order
    }

    /// The events whose names begin with this, in any case of letters.
    fn beginning_with<'a>(&'a self, name: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
        self.names()
            .filter(move |known| !name.is_empty() && begins(known, name))
    }

    /// Whether there is an event of this name, also if its formula is wrong.
    fn is_known(&self, name: &Vec<u8>) -> bool {
        self.columns.contains(name) || self.formula(name).is_some() || self.is_scaled_column(name)
    }

    /// Wants the only events whose names begin with those that were asked for, where no event has
    /// such a name.
    fn complete_names(&mut self) {
        if !matches!(self.choice, EventChoice::Matching(_)) {
            return;
        }
        let complete = |name: &Vec<u8>| {
            if self.is_known(name) {
                return name.clone();
            }
            let begin: Vec<_> = self.beginning_with(name).collect();
            let mut whole = begin.iter().filter(|known| known.len() == name.len());
            match (&begin[..], whole.next(), whole.next()) {
                ([only], ..) | (_, Some(only), None) => only.to_vec(),
                _ => name.clone(),
            }
        };
        self.wanted = self.wanted.iter().map(complete).collect();
    }

    /// Whether a column is this event in larger units.
    fn is_scaled_column(&self, name: &[u8]) -> bool {
        let mut columns = self.columns.iter();
        columns.any(|other| factor_between(name, other).is_some())
    }

    /// The names of all events, to be read.
    fn available(&self) -> String {
        let names: Vec<_> = self.names().map(excerpt).collect();
        match names[..] {
            [] => "none".to_owned(),
            _ => names.join(", "),
        }
    }
}

/// The order of events whose inputs do not agree on one.
///
/// Those of Valgrind come first, as it writes them; then times, memory, and the others by name.
fn conventional(name: &[u8]) -> impl Ord + '_ {
    const VALGRIND: &str =
        "Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw Bc Bcm Bi Bim Ge sysCount sysTime sysCpuTime";
    let (base, _) = split_scale(name);
    let mut known = VALGRIND.split(' ');
    let rank = match known.position(|known| known.as_bytes() == base) {
        Some(at) => (0, at),
        None if is_time(name) => (1, 0),
        None if base.starts_with(b"Memory") => (2, 0),
        None => (3, 0),
    };
    (rank, name)
}

fn is_time(name: &[u8]) -> bool {
    name.starts_with(b"Time") || !matches!(unit_of(name), "" | "bytes")
}

/// How many units of `wanted` one unit of `other` is, if `other` is the same event in larger units.
/// Preprocessed files hold costs of more than 32 bits like this.
fn factor_between(wanted: &[u8], other: &[u8]) -> Option<Cost> {
    let (base, scale) = split_scale(other);
    let in_ten_nanoseconds = base == b"Time_(us)" && wanted == b"Time_(10ns)";
    let scale = if in_ten_nanoseconds {
        scale.checked_mul(100)?
    } else if base == wanted && scale > 1 {
        scale
    } else {
        return None;
    };
    Cost::try_from(scale).ok()
}

/// Reads the formula of an event: `Ir + 2 Dr + 3 * Dw`.
fn parse_sum(event: &[u8], expression: &[u8]) -> Result<Terms, EventError> {
    let terms = expression.split(|&b| b == b'+').map(<[u8]>::trim_ascii);
    let terms = terms.map(|term| {
        parse_term(term).ok_or_else(|| EventError::BadFormula {
            event: excerpt(event),
            term: excerpt(term),
        })
    });
    let mut sum = Terms::new();
    for term in terms {
        let (factor, name) = term?;
        match sum.iter_mut().find(|(_, known)| *known == name) {
            Some((known, _)) => *known = known.saturating_add(factor),
            None => sum.push((factor, name)),
        }
    }
    Ok(sum)
}

/// Reads a term with its factor, which may be hexadecimal as all numbers of the format may.
fn parse_term(term: &[u8]) -> Option<(Cost, Vec<u8>)> {
    let (mut factor, mut name) = (1, term);
    if term.first().is_some_and(u8::is_ascii_digit) {
        let (number, rest) = split_number(term)?;
        factor = Cost::try_from(number).ok()?;
        let rest = rest.trim_ascii_start();
        name = rest.strip_prefix(b"*").unwrap_or(rest);
    }
    let name = name.trim_ascii();
    let sound = !name.is_empty() && !name.iter().any(|b| b.is_ascii_whitespace() || *b == b'*');
    sound.then(|| (factor, name.to_vec()))
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
    fn an_event_without_a_name_is_none() {
        let mut events = Events::default();
        assert_eq!(events.define(b" = Ir"), Ok(false));
        assert_eq!(events.define(b": instructions"), Ok(false));
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
        // Nobody asked for the broken one.
        let mut events = wanting("Ir", &["Sum = Ir +"]);
        select(&mut events, "Ir Dr");
        assert_eq!(events.check(), Ok(()));
    }
}
