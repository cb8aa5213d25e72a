//! Limits on costs, calls and growth.

use std::fmt;

use thiserror::Error;

use super::Sides;
use super::quotient::Quotient;
use super::sums::SideEvent;
use crate::display::numbers::grouped;
use crate::display::text::excerpt;
use crate::display::units::{NamedUnit, Quantity};
use crate::view::GroupBy;

/// A limit on a profile or a comparison.
///
/// The function has the given name; if there is none, a report shows this name for it (`…` stands for
/// any text); or it is PHP's own function of that name: `PDO->query` is what Xdebug calls
/// `php::PDO->query`; or its name ends with it, as `Shop\fib` with `fib`. Functions of one name in
/// several files are added up, and so are the copies of a function that Xdebug distinguishes
/// (`NAME:{file:line}`). If a name fits functions with several names, that is an error.
///
/// `class:`, `package:`, `file:`, `object:` and `line:` before a name select a group of functions,
/// unless there is a function of the whole name. The first components of their names can be omitted.
///
/// ```
/// use cg_preprocess::compare::Limit;
///
/// let growth = Limit::growth(r"App\Kernel->boot=5%".as_bytes())?;
/// let cost = Limit::cost(b"250ms")?;
/// let calls = Limit::calls(b"PDO->query=10")?;
/// # Ok::<(), cg_preprocess::compare::LimitSyntaxError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    /// The name of a function or group; `None` for the total.
    pub(super) name: Option<Vec<u8>>,
    pub(super) measure: Measure,
    /// The most that is allowed, in millionths.
    number: i128,
    /// The unit of a cost, unless it is that of the event.
    unit: Option<&'static NamedUnit>,
}

/// What a limit is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Measure {
    /// The growth of a total, or of an inclusive cost, in percent of the base.
    Growth,
    /// A total, or an inclusive cost.
    Cost,
    /// The calls of a function.
    Calls,
}

const DECIMALS: usize = 6;
const MILLION: i128 = 1_000_000;

/// Reads a number without a sign, with at most `max_digits` digits before the point. The result is in
/// millionths.
fn millionths(text: &str, max_digits: usize) -> Option<i128> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let is_number = |digits: &str, max| {
        (1..=max).contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_digit())
    };
    if !is_number(whole, max_digits) || !is_number(fraction, DECIMALS) {
        return None;
    }
    format!("{whole}{fraction:0<DECIMALS$}").parse().ok()
}

impl fmt::Display for Limit {
    /// Writes the number and its unit, without the name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sign, size) = (if self.number < 0 { "-" } else { "" }, self.number.abs());
        let whole = grouped(size / MILLION);
        let number = format!("{sign}{whole}.{:0DECIMALS$}", size % MILLION);
        f.write_str(number.trim_end_matches('0').trim_end_matches('.'))?;
        match (self.measure, self.unit) {
            (Measure::Growth, _) => f.write_str(" %"),
            (Measure::Calls, _) if self.number == MILLION => f.write_str(" call"),
            (Measure::Calls, _) => f.write_str(" calls"),
            (Measure::Cost, Some(unit)) => write!(f, " {}", unit.name),
            (Measure::Cost, None) => Ok(()),
        }
    }
}

/// The error for text that is not a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "the messages show what is expected")]
#[non_exhaustive]
pub enum LimitSyntaxError {
    #[error(
        "expected a number of percent with up to 12 digits and 6 decimals, such as 5, 2.5 or 2.5%"
    )]
    Growth,
    #[error(
        "expected a cost with up to 18 digits and 6 decimals, such as 20000, 20M, 250ms or 64MiB (k, M, G; ns, us, ms, s; B, KiB, MiB, GiB)"
    )]
    Cost,
    #[error("expected the name of a function and a whole number of calls, such as PDO->query=10")]
    Calls,
}

/// How people find out names.
const SEE_NAMES: &str = "--names full shows whole names";

/// What names of groups begin with.
fn kinds() -> String {
    let kinds = GroupBy::groups().map(|by| format!("{}:", by.name()));
    kinds.collect::<Vec<_>>().join(", ")
}

/// The error for a limit that cannot be checked.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "the messages show what the fields are")]
#[non_exhaustive]
pub enum LimitError {
    /// A limit on growth without a comparison.
    #[error("a limit on growth needs a base to compare with")]
    NoBase,
    /// The base is 0 and the new profile is not, or the base is negative: growth cannot be expressed as a
    /// percentage.
    #[error("the growth of {subject} cannot be expressed in percent: from {} to {}",
        grouped(*.base), grouped(*.new))]
    NotPositive {
        subject: String,
        base: i128,
        new: i128,
    },
    /// Some sums exceed 64 bits.
    #[error("{0} cannot be checked: some sums exceed 64 bits")]
    Saturated(String),
    /// The base has no such function or group.
    #[error("the base has no {name}, so its growth cannot be checked{closest}; {SEE_NAMES}")]
    NoFunction { name: String, closest: String },
    /// The name fits functions or groups of several names.
    #[error("\"{name}\" fits {count} {kind}: {names}; use more of the name of one ({SEE_NAMES})")]
    Ambiguous {
        kind: &'static str,
        name: String,
        count: usize,
        names: String,
    },
    /// The function or group is hidden.
    #[error("{0} is hidden, so there is nothing to check: remove the limit, or hide less")]
    Hidden(String),
    /// The name begins like that of a group, but there is no such kind of groups, and no such function.
    #[error(
        "there is no function \"{name}\" ({SEE_NAMES}), and no kind of groups \"{kind}\": use {}",
        kinds()
    )]
    UnknownKind { kind: String, name: String },
    /// The limit is on a group of functions of this kind, which a single profile does not contain.
    #[error("a limit on a {0} can only be checked in a conversion")]
    Group(&'static str),
    /// The growth of each part is to be checked, but no part is on both sides. These are the first.
    #[error("no part is in both profiles, so no growth can be checked: new: {}; base: {}", .0.new, .0.base)]
    NoParts(Sides<String>),
    /// Each part is to be checked, but there are more than are known.
    #[error("too many parts to check each of them: choose some with --part")]
    TooManyParts,
    /// A limit on calls, but the profile contains none.
    #[error("the profile contains no calls, so limits on calls cannot be checked")]
    NoCalls,
    /// A limit on the calls of a line, but the profile only contains those of functions.
    #[error("the profile contains no calls by line: limit those of a function, file or class")]
    NoCallsByLine,
    /// The unit of a limit on costs is not one of the event.
    #[error("the limit of {limit} has a unit that {event} does not have: use {expected}")]
    WrongUnit {
        limit: String,
        event: String,
        expected: &'static str,
    },
}

impl Limit {
    /// Reads a limit on growth: `PERCENT` of the total, or `NAME=PERCENT` of a function's inclusive
    /// cost. Below 0, the cost has to shrink.
    ///
    /// # Errors
    ///
    /// If there is no number of percent at the end.
    pub fn growth(text: &[u8]) -> Result<Self, LimitSyntaxError> {
        Limit::parse(text, Measure::Growth).ok_or(LimitSyntaxError::Growth)
    }

    /// Reads a limit on costs: `AMOUNT` for the total, or `NAME=AMOUNT` for a function's inclusive
    /// cost, in the unit of the first event or in another one: `250ms`, `64MiB`, `20M`.
    ///
    /// # Errors
    ///
    /// If there is no such amount at the end.
    pub fn cost(text: &[u8]) -> Result<Self, LimitSyntaxError> {
        Limit::parse(text, Measure::Cost).ok_or(LimitSyntaxError::Cost)
    }

    /// Reads a limit on the calls of a function: `NAME=N`.
    ///
    /// # Errors
    ///
    /// If there is no name, or no whole number at the end.
    pub fn calls(text: &[u8]) -> Result<Self, LimitSyntaxError> {
        Limit::parse(text, Measure::Calls).ok_or(LimitSyntaxError::Calls)
    }

    /// Splits `NAME=NUMBER`. A name may contain `=`, and blanks are part of it.
    fn parse(text: &[u8], measure: Measure) -> Option<Self> {
        let (name, number) = match memchr::memrchr(b'=', text) {
            Some(at) => (Some(text[..at].to_vec()), &text[at + 1..]),
            None => (None, text),
        };
        let text = str::from_utf8(number).ok()?;
        let mut unit = None;
        let number = match measure {
            Measure::Growth => {
                let number = text.strip_suffix('%').unwrap_or(text).trim_end();
                match number.strip_prefix('-') {
                    Some(number) => -millionths(number, 12)?,
                    None => millionths(number, 12)?,
                }
            }
            Measure::Cost => {
                unit = NamedUnit::at_end_of_limit(text);
                let number = text.strip_suffix(unit.map_or("", |unit| unit.name))?;
                millionths(number.trim_end(), 18)?
            }
            Measure::Calls if name.is_none() || !text.bytes().all(|c| c.is_ascii_digit()) => {
                return None;
            }
            Measure::Calls => i128::from(text.parse::<u64>().ok()?) * MILLION,
        };
        Some(Limit {
            name,
            measure,
            number,
            unit,
        })
    }

    /// The most that is allowed, in the unit of an event, in calls, or in percent.
    ///
    /// # Errors
    ///
    /// If its unit is not one of the event.
    pub(super) fn allowed(&self, event: &SideEvent<'_>) -> Result<Quotient, LimitError> {
        let unit = event.unit();
        match self.unit {
            None => Ok(Quotient {
                number: self.number,
                divisor: MILLION,
            }),
            Some(own) if own.quantity == unit.quantity => Ok(Quotient {
                number: self.number * own.count,
                divisor: MILLION * i128::from(unit.count.max(1)),
            }),
            Some(_) => Err(LimitError::WrongUnit {
                limit: self.to_string(),
                event: excerpt(event.name),
                expected: match unit.quantity {
                    Quantity::Time => "ns, us, ms or s",
                    Quantity::Memory => "B, KiB, MiB or GiB",
                    Quantity::Count => "a plain number, or one with k, M or G",
                },
            }),
        }
    }

    /// What it limits: `growth`, `cost` or `calls`.
    pub fn measure(&self) -> &'static str {
        match self.measure {
            Measure::Growth => "growth",
            Measure::Cost => "cost",
            Measure::Calls => "calls",
        }
    }

    /// Whether it limits growth, which needs a base.
    pub fn needs_base(&self) -> bool {
        self.measure == Measure::Growth
    }

    /// The kind of its name: `class:A` is a class, unless there is a function of that name.
    pub(crate) fn group_by(&self) -> GroupBy {
        self.group().map_or(GroupBy::Function, |(by, _)| by)
    }

    /// What its name begins with, if that looks like a kind of groups and is none.
    pub(super) fn unknown_kind(&self) -> Option<&str> {
        let name = self.name.as_deref()?;
        let (kind, rest) = name.split_at(memchr::memchr(b':', name)?);
        let is_kind = !kind.is_empty() && kind.iter().all(u8::is_ascii_lowercase);
        let has_name = matches!(rest, [_, first, ..] if *first != b':');
        let kind = str::from_utf8(kind).ok()?;
        (is_kind && has_name && self.group().is_none()).then_some(kind)
    }

    /// The kind and the name of a group.
    pub(super) fn group(&self) -> Option<(GroupBy, &[u8])> {
        let name = self.name.as_deref()?;
        GroupBy::groups().find_map(|by| {
            let kind = by.name().as_bytes();
            let name = name.strip_prefix(kind)?.strip_prefix(b":")?;
            (!name.starts_with(b":")).then_some((by, name))
        })
    }
}
