//! Which costs a profile has, and which one of them is read.

use std::collections::HashMap;

use thiserror::Error;

use super::Cost;
use crate::printable::printable;

/// Why an event cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EventError {
    /// No part of any input has the event that was asked for.
    #[error("no event {name:?}; the profile has {}", list(.available))]
    Unknown {
        /// What was asked for.
        name: String,
        /// The events there are, derived ones last.
        available: Vec<String>,
    },
    /// The formula of a derived event names an event that nobody has.
    #[error("the formula of event {event:?} names {name:?}, which is no event; the profile has {}", list(.available))]
    UnknownInFormula {
        /// The derived event.
        event: String,
        /// The name in its formula.
        name: String,
        /// The events there are, derived ones last.
        available: Vec<String>,
    },
    /// The formula of a derived event is no sum of products.
    #[error(
        "the formula of event {event:?} cannot be read at {term:?}: expected terms such as Ir, 2 Ir or 2 * Ir, joined by +"
    )]
    BadFormula {
        /// The derived event.
        event: String,
        /// The term that cannot be read.
        term: String,
    },
    /// A derived event is defined by itself.
    #[error("event {event:?} is defined by itself")]
    Cycle {
        /// An event of the circle.
        event: String,
    },
}

fn list(names: &[String]) -> String {
    if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    }
}

/// How the cost of the selected event comes out of the numbers of a cost line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    /// This part of the profile does not have the event: its cost is 0.
    Absent,
    /// The number in this column, counted from 0.
    Column(usize),
    /// The sum of all columns, each times its weight.
    Weighted(Vec<Cost>),
}

impl Selection {
    /// The selected cost among the numbers of one line; missing columns are 0.
    pub fn cost(&self, numbers: &[Cost]) -> Cost {
        match self {
            Selection::Absent => 0,
            Selection::Column(column) => numbers.get(*column).copied().unwrap_or(0),
            Selection::Weighted(weights) => numbers
                .iter()
                .zip(weights)
                .fold(0, |sum: Cost, (number, weight)| {
                    sum.saturating_add(number.saturating_mul(*weight))
                }),
        }
    }
}

/// A derived event: `event: Sum = Ir + 2 Dr`.
#[derive(Clone, Debug)]
struct Formula {
    name: Vec<u8>,
    /// The terms, or the one that cannot be read.
    terms: Result<Vec<(Cost, Vec<u8>)>, Vec<u8>>,
}

/// All events of the inputs read so far, and the one that is wanted.
#[derive(Clone, Debug, Default)]
pub struct Events {
    wanted: Option<Vec<u8>>,
    columns: Vec<Vec<u8>>,
    by_name: HashMap<Vec<u8>, usize>,
    formulas: Vec<Formula>,
    formula_by_name: HashMap<Vec<u8>, usize>,
}

/// What a walk through the formulas knows of one of them.
#[derive(Clone, Copy, PartialEq)]
enum Visit {
    Open,
    Done,
}

impl Events {
    /// Wants the event of this name; none: the first column of the first `events:` line.
    pub fn wanting(name: Option<Vec<u8>>) -> Self {
        Events {
            wanted: name,
            ..Events::default()
        }
    }

    /// Name of the event that is read, as soon as it is known.
    pub fn selected(&self) -> Option<&[u8]> {
        self.wanted.as_deref()
    }

    /// Names of all events: the columns in order of appearance, then the derived ones.
    pub fn names(&self) -> impl Iterator<Item = &[u8]> {
        let derived = self
            .formulas
            .iter()
            .map(|formula| &formula.name)
            .filter(|name| !self.by_name.contains_key(*name));
        self.columns.iter().chain(derived).map(Vec::as_slice)
    }

    /// Takes in the value of an `event:` header (callgrind format, section 3.1.7.2).
    ///
    /// Without a formula it only gives a long name, which nothing here needs.
    pub fn define(&mut self, value: &[u8]) {
        let value = value.trim_ascii();
        let end = value
            .iter()
            .position(|&b| b == b'=' || b == b':' || b.is_ascii_whitespace())
            .unwrap_or(value.len());
        let (name, rest) = value.split_at(end);
        let Some(expression) = rest.trim_ascii_start().strip_prefix(b"=") else {
            return;
        };
        let end = memchr::memchr(b':', expression).unwrap_or(expression.len());
        let formula = Formula {
            name: name.to_vec(),
            terms: parse_sum(&expression[..end]),
        };
        match self.formula_by_name.get(name) {
            Some(&at) => self.formulas[at] = formula,
            None => {
                self.formula_by_name
                    .insert(name.to_vec(), self.formulas.len());
                self.formulas.push(formula);
            }
        }
    }

    /// Says how to find the wanted event's cost in lines that have these columns.
    pub fn select(&mut self, columns: &[Vec<u8>]) -> Selection {
        for name in columns {
            if !self.by_name.contains_key(name) {
                self.by_name.insert(name.clone(), self.columns.len());
                self.columns.push(name.clone());
            }
        }
        if self.wanted.is_none() {
            self.wanted = columns.first().cloned();
        }
        let Some(wanted) = &self.wanted else {
            return Selection::Absent;
        };
        if let Some(column) = columns.iter().position(|name| name == wanted) {
            return Selection::Column(column);
        }
        // What is wrong with a formula may be mended by a later part; `check` speaks in the end.
        let Ok(weights) = self.weights(wanted) else {
            return Selection::Absent;
        };
        let weights: Vec<Cost> = columns
            .iter()
            .map(|name| weights.get(name.as_slice()).copied().unwrap_or(0))
            .collect();
        if weights.iter().all(|&weight| weight == 0) {
            Selection::Absent
        } else {
            Selection::Weighted(weights)
        }
    }

    /// Checks, after all inputs, that the wanted event exists.
    ///
    /// # Errors
    ///
    /// When no input had it, or when its formula cannot be worked out.
    pub fn check(&self) -> Result<(), EventError> {
        match &self.wanted {
            Some(wanted) if !self.by_name.contains_key(wanted) => self.check_formula(wanted),
            _ => Ok(()),
        }
    }

    fn check_formula(&self, wanted: &[u8]) -> Result<(), EventError> {
        for at in self.dependencies_first(self.formula(wanted)?)? {
            let mut names = self.terms(at)?.iter().map(|(_, name)| name);
            let is_known = |name: &[u8]| {
                self.by_name.contains_key(name) || self.formula_by_name.contains_key(name)
            };
            if let Some(name) = names.find(|name| !is_known(name)) {
                return Err(EventError::UnknownInFormula {
                    event: text(&self.formulas[at].name),
                    name: text(name),
                    available: self.available(),
                });
            }
        }
        Ok(())
    }

    /// Weight of every column in the derived event `wanted`.
    ///
    /// Formulas are worked out from the wanted one downwards, each once and without recursion, so
    /// neither long chains nor sums that double at every step cost more than their text. A name
    /// that nobody has yet may be a column of a later part.
    fn weights(&self, wanted: &[u8]) -> Result<HashMap<&[u8], Cost>, EventError> {
        let root = self.formula(wanted)?;
        let order = self.dependencies_first(root)?;
        let mut of_formula = vec![0; self.formulas.len()];
        let mut of_column: HashMap<&[u8], Cost> = HashMap::new();
        of_formula[root] = 1;
        for &at in order.iter().rev() {
            let weight: Cost = of_formula[at];
            for (factor, name) in self.terms(at)? {
                let share = weight.saturating_mul(*factor);
                let sum = match self.derived(name) {
                    Some(other) => &mut of_formula[other],
                    None => of_column.entry(name).or_insert(0),
                };
                *sum = sum.saturating_add(share);
            }
        }
        Ok(of_column)
    }

    /// The formulas that `root` needs, itself last, each after those that it needs.
    fn dependencies_first(&self, root: usize) -> Result<Vec<usize>, EventError> {
        let mut visits: HashMap<usize, Visit> = HashMap::from([(root, Visit::Open)]);
        let mut order = Vec::new();
        let mut path = vec![(root, 0)];
        while let Some((at, next)) = path.pop() {
            let Some((_, name)) = self.terms(at)?.get(next) else {
                visits.insert(at, Visit::Done);
                order.push(at);
                continue;
            };
            path.push((at, next + 1));
            let Some(other) = self.derived(name) else {
                continue;
            };
            match visits.get(&other) {
                Some(Visit::Done) => {}
                Some(Visit::Open) => {
                    return Err(EventError::Cycle {
                        event: text(&self.formulas[other].name),
                    });
                }
                None => {
                    visits.insert(other, Visit::Open);
                    path.push((other, 0));
                }
            }
        }
        Ok(order)
    }

    /// The formula of an event.
    fn formula(&self, event: &[u8]) -> Result<usize, EventError> {
        let found = self.formula_by_name.get(event).copied();
        found.ok_or_else(|| EventError::Unknown {
            name: text(event),
            available: self.available(),
        })
    }

    /// The formula behind a name, unless a column has that name.
    fn derived(&self, name: &[u8]) -> Option<usize> {
        if self.by_name.contains_key(name) {
            return None;
        }
        self.formula_by_name.get(name).copied()
    }

    fn terms(&self, at: usize) -> Result<&[(Cost, Vec<u8>)], EventError> {
        let formula = &self.formulas[at];
        match &formula.terms {
            Ok(terms) => Ok(terms),
            Err(term) => Err(EventError::BadFormula {
                event: text(&formula.name),
                term: text(term),
            }),
        }
    }

    fn available(&self) -> Vec<String> {
        self.names().map(printable).collect()
    }
}

/// Reads `Ir + 2 Dr + 3 * Dw`; the error is the term that cannot be read.
fn parse_sum(expression: &[u8]) -> Result<Vec<(Cost, Vec<u8>)>, Vec<u8>> {
    expression
        .split(|&b| b == b'+')
        .map(|term| {
            let term = term.trim_ascii();
            parse_term(term).ok_or_else(|| term.to_vec())
        })
        .collect()
}

fn parse_term(term: &[u8]) -> Option<(Cost, Vec<u8>)> {
    let digits = term.iter().take_while(|b| b.is_ascii_digit()).count();
    let (factor, name) = term.split_at(digits);
    let (factor, name) = match factor {
        [] => (1, name),
        _ => {
            let factor = std::str::from_utf8(factor).ok()?.parse().ok()?;
            let name = name.trim_ascii_start();
            (factor, name.strip_prefix(b"*").unwrap_or(name))
        }
    };
    let name = name.trim_ascii();
    let sound = !name.is_empty() && !name.iter().any(|b| b.is_ascii_whitespace() || *b == b'*');
    sound.then(|| (factor, name.to_vec()))
}

fn text(name: impl AsRef<[u8]>) -> String {
    String::from_utf8_lossy(name.as_ref()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(names: &str) -> Vec<Vec<u8>> {
        names.split(' ').map(|n| n.as_bytes().to_vec()).collect()
    }

    fn wanting(name: &str, definitions: &[&str]) -> Events {
        let mut events = Events::wanting(Some(name.as_bytes().to_vec()));
        for definition in definitions {
            events.define(definition.as_bytes());
        }
        events
    }

    #[test]
    fn the_first_column_is_the_default_for_all_parts() {
        let mut events = Events::wanting(None);
        assert_eq!(events.select(&columns("Ir Dr")), Selection::Column(0));
        assert_eq!(events.select(&columns("Dr Ir")), Selection::Column(1));
        assert_eq!(events.select(&columns("Dr")), Selection::Absent);
        assert_eq!(events.check(), Ok(()));
    }

    #[test]
    fn names_break_the_grammar() {
        let mut events = wanting("cpu(ms)", &[]);
        let selection = events.select(&columns("Time_(10ns) cpu(ms)"));
        assert_eq!(selection, Selection::Column(1));
    }

    #[test]
    fn sums_of_sums_with_and_without_star() {
        let mut events = wanting(
            "All",
            &["All = 2 Sum + 3*Dw : everything", "Sum=Ir + 2 * Dr"],
        );
        let selection = events.select(&columns("Ir Dr Dw"));
        assert_eq!(selection, Selection::Weighted(vec![2, 4, 3]));
        assert_eq!(selection.cost(&[10, 1]), 24);
        assert_eq!(selection.cost(&[Cost::MAX, 1, 1]), Cost::MAX);
    }

    #[test]
    fn a_column_missing_in_one_part_counts_as_zero_there() {
        let mut events = wanting("Sum", &["Sum = Ir + Dr"]);
        events.select(&columns("Ir Dr"));
        assert_eq!(
            events.select(&columns("Dr Dw")),
            Selection::Weighted(vec![1, 0])
        );
    }

    #[test]
    fn a_column_that_only_a_later_part_has_takes_nothing_from_the_first() {
        let mut events = wanting("Sum", &["Sum = Ir + 2 Dr"]);
        assert_eq!(events.select(&columns("Ir")), Selection::Weighted(vec![1]));
        assert_eq!(events.select(&columns("Dr")), Selection::Weighted(vec![2]));
        assert_eq!(events.check(), Ok(()));
    }

    #[test]
    fn doubling_sums_cost_no_more_than_their_text() {
        let definitions: Vec<String> = (0..200_000)
            .map(|i| format!("e{} = e{i} + e{i}", i + 1))
            .collect();
        let definitions: Vec<&str> = definitions.iter().map(String::as_str).collect();
        let mut events = wanting("e200000", &definitions);
        assert_eq!(
            events.select(&columns("e0")),
            Selection::Weighted(vec![Cost::MAX])
        );
    }

    #[test]
    fn what_is_wrong_with_a_formula_is_said() {
        let check = |name: &str, definitions: &[&str]| {
            let mut events = wanting(name, definitions);
            events.select(&columns("Ir Dr"));
            events.check().unwrap_err().to_string()
        };
        assert_eq!(
            check("Sum", &["Cyc = Ir"]),
            "no event \"Sum\"; the profile has Ir, Dr, Cyc"
        );
        assert_eq!(
            check("Sum", &["Sum = Ir + Dx"]),
            "the formula of event \"Sum\" names \"Dx\", which is no event; the profile has Ir, Dr, Sum"
        );
        assert_eq!(
            check("a", &["a = b", "b = 2 a"]),
            "event \"a\" is defined by itself"
        );
        assert_eq!(
            check("Sum", &["Sum = Ir + 2 : twice"]),
            "the formula of event \"Sum\" cannot be read at \"2\": \
             expected terms such as Ir, 2 Ir or 2 * Ir, joined by +"
        );
        // Nobody asked for the broken one.
        let mut events = wanting("Ir", &["Sum = Ir +"]);
        events.select(&columns("Ir Dr"));
        assert_eq!(events.check(), Ok(()));
    }
}
