//! Derived events: sums of other events (callgrind format, section 3.1.7.2).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use super::super::stated::split_number;
use super::names::factor_between;
use super::{EventError, Events, MAX_FORMULAS, MAX_TERMS};
use crate::display::text::excerpt;
use crate::maps::{HashMap, IndexMap};
use crate::tables::Cost;

/// A sum of products: `Ir + 2 Dr`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Formula {
    /// The text between `=` and `:`.
    text: Vec<u8>,
    /// The terms, or the error for an unreadable one.
    terms: Result<Vec<(Cost, Vec<u8>)>, EventError>,
    /// Whether it is built into KCachegrind. Then a profile may lack any of its events except the
    /// first.
    is_built_in: bool,
}

impl Formula {
    fn parse(event: &[u8], text: &[u8], is_built_in: bool) -> Self {
        let terms = text.split(|&byte| byte == b'+').map(<[u8]>::trim_ascii);
        let terms = terms.map(|term| {
            parse_term(term).ok_or_else(|| EventError::BadFormula {
                event: excerpt(event),
                term: excerpt(term),
            })
        });
        Formula {
            text: text.to_vec(),
            terms: terms.collect(),
            is_built_in,
        }
    }
}

/// Reads a term with its factor. Like all numbers of the format, the factor may be hexadecimal.
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

/// The built-in derived events of KCachegrind (`globalconfig.cpp` of its libcore), as sums of
/// columns.
static BUILT_IN: LazyLock<IndexMap<&[u8], Formula>> = LazyLock::new(|| {
    let formulas: [(&[u8], &[u8]); 5] = [
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
    let formulas = formulas.map(|(name, text)| (name, Formula::parse(name, text, true)));
    formulas.into_iter().collect()
});

/// The names of the built-in derived events.
pub(super) fn built_in() -> impl Iterator<Item = &'static [u8]> {
    BUILT_IN.keys().copied()
}

/// The option of Valgrind that makes it record what a built-in event is about.
fn simulation(event: &[u8]) -> &'static str {
    match event {
        b"Bm" => "--branch-sim=yes",
        _ => "--cache-sim=yes",
    }
}

/// Whether a column counts cache misses, without which `CEst` would be little more than `Ir`.
fn is_of_caches(column: &[u8]) -> bool {
    !matches!(column, b"Ir" | b"Bcm" | b"Bim" | b"Ge")
}

/// The formulas of one or more inputs.
#[derive(Clone, Debug, Default)]
pub(super) struct Formulas {
    own: IndexMap<Vec<u8>, Formula>,
    /// The events that inputs define differently.
    pub conflicting: BTreeSet<Vec<u8>>,
    /// Whether all inputs together define too many events.
    pub are_too_many: bool,
}

/// The effect of a formula on the events of a profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Definition {
    /// There is no formula, or it is known already.
    Known,
    /// It defines an event.
    New,
    /// It is ignored, because it differs from the first formula of this event. Contains its name.
    Ignored(String),
}

impl Formulas {
    /// Defines an event, unless it is defined already.
    pub fn define(&mut self, event: &[u8], text: &[u8]) -> Result<Definition, EventError> {
        if memchr::memchr_iter(b'+', text).count() >= MAX_TERMS {
            return Err(EventError::TooManyTerms);
        }
        match self.own.get(event) {
            Some(known) if known.text == text => return Ok(Definition::Known),
            Some(_) => return Ok(Definition::Ignored(excerpt(event))),
            None if self.own.len() == MAX_FORMULAS => return Err(EventError::TooManyFormulas),
            None => {}
        }
        let formula = Formula::parse(event, text, false);
        self.own.insert(event.to_vec(), formula);
        Ok(Definition::New)
    }

    /// Adds the formulas of other inputs.
    pub fn merge(&mut self, others: &Formulas) {
        for (event, formula) in &others.own {
            match self.own.get(event) {
                Some(own) if own.text == formula.text => {}
                Some(_) => drop(self.conflicting.insert(event.clone())),
                None if self.own.len() == MAX_FORMULAS => self.are_too_many = true,
                None => drop(self.own.insert(event.clone(), formula.clone())),
            }
        }
        self.conflicting.extend(others.conflicting.iter().cloned());
        self.are_too_many |= others.are_too_many;
    }

    /// The events with formulas, in the order of their definitions.
    pub fn events(&self) -> impl Iterator<Item = &[u8]> {
        self.own.keys().map(Vec::as_slice)
    }

    /// The text of an event's formula.
    pub fn text(&self, event: &[u8]) -> Option<&[u8]> {
        self.own.get(event).map(|formula| formula.text.as_slice())
    }

    /// Whether an event has a formula, which may be a built-in one.
    pub fn has(&self, event: &[u8]) -> bool {
        self.get(event).is_some()
    }

    fn get(&self, event: &[u8]) -> Option<&Formula> {
        self.own.get(event).or_else(|| BUILT_IN.get(event))
    }
}

/// The columns of an event, and their weights.
pub(super) type Parts = Vec<(usize, Cost)>;

/// Computes events from columns.
pub(super) struct Expansion<'a> {
    formulas: &'a Formulas,
    /// The positions of the columns. If names are equal, the first position counts.
    columns: IndexMap<&'a [u8], usize>,
    /// The events that errors list.
    events: Option<&'a Events>,
    /// The columns of the events so far; `None` for those whose formula is being computed.
    known: HashMap<&'a [u8], Option<Result<Parts, EventError>>>,
}

impl<'a> Expansion<'a> {
    pub fn new(
        formulas: &'a Formulas,
        columns: impl Iterator<Item = &'a Vec<u8>>,
        events: Option<&'a Events>,
    ) -> Self {
        let mut at = IndexMap::default();
        for (column, name) in columns.enumerate() {
            at.entry(name.as_slice()).or_insert(column);
        }
        Expansion {
            formulas,
            columns: at,
            events,
            known: HashMap::default(),
        }
    }

    /// The columns of an event. It can be a column, also in larger units, or derived.
    ///
    /// The recursion is shallow, because there are few formulas.
    ///
    /// # Errors
    ///
    /// If there is no such event, or if its formula cannot be computed.
    pub fn parts(&mut self, event: &'a [u8]) -> Result<Parts, EventError> {
        if let Some(&column) = self.columns.get(event) {
            return Ok(vec![(column, 1)]);
        }
        if let Some(known) = self.known.get(event) {
            let cycle = || Err(EventError::Cycle(excerpt(event)));
            return known.clone().unwrap_or_else(cycle);
        }
        let mut columns = self.columns.iter();
        let scaled = columns.find_map(|(name, &at)| Some((at, factor_between(event, name)?)));
        self.known.insert(event, None);
        let parts = match scaled {
            Some(scaled) => Ok(vec![scaled]),
            None => self.sum(event),
        };
        self.known.insert(event, Some(parts.clone()));
        parts
    }

    fn available(&self) -> String {
        self.events.map_or_else(String::new, Events::available)
    }

    /// The columns of a derived event.
    fn sum(&mut self, event: &'a [u8]) -> Result<Parts, EventError> {
        let unknown = |expansion: &Self| EventError::Unknown {
            name: excerpt(event),
            available: expansion.available(),
        };
        let formulas = self.formulas;
        let Some(formula) = formulas.get(event) else {
            return Err(unknown(self));
        };
        let mut sum: BTreeMap<usize, Cost> = BTreeMap::new();
        let terms = formula.terms.as_ref().map_err(EventError::clone)?;
        let mut has_misses = !formula.is_built_in || event != b"CEst";
        // The user did not write that formula, so the error does not mention it.
        let not_simulated = |expansion: &Self| {
            if expansion.columns.contains_key(&b"Ir"[..]) {
                EventError::NotSimulated {
                    event: excerpt(event),
                    option: simulation(event),
                }
            } else {
                unknown(expansion)
            }
        };
        for (nth, (factor, name)) in terms.iter().enumerate() {
            let parts = match self.parts(name) {
                Ok(parts) => parts,
                Err(_) if formula.is_built_in && nth > 0 => continue,
                Err(_) if formula.is_built_in => return Err(not_simulated(self)),
                Err(EventError::Unknown { .. } | EventError::NotSimulated { .. }) => {
                    return Err(EventError::UnknownInFormula {
                        event: excerpt(event),
                        name: excerpt(name),
                        available: self.available(),
                    });
                }
                Err(error) => return Err(error),
            };
            has_misses |= is_of_caches(name);
            for (column, weight) in parts {
                let sum = sum.entry(column).or_default();
                *sum = sum.saturating_add(weight.saturating_mul(*factor));
            }
        }
        if !has_misses {
            return Err(not_simulated(self));
        }
        Ok(sum.into_iter().filter(|&(_, weight)| weight != 0).collect())
    }
}
