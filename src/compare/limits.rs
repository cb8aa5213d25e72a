//! Limits on costs, calls and growth, and the verdicts on them.

use std::fmt;

use thiserror::Error;

use super::amounts::{Amount, Decimal};
use crate::display::numbers::counted;
use crate::profile::GroupBy;

/// A limit on a profile or a comparison.
///
/// The function has the given name; if there is none, it is PHP's own function of that name:
/// `PDO->query` is what Xdebug calls `php::PDO->query`. Functions of one name in several files are
/// added up, and so are the copies of a function that Xdebug distinguishes (`NAME:{file:line}`).
///
/// `class:`, `package:`, `file:`, `object:` and `line:` before a name select a group of functions,
/// unless there is a function of the whole name. The first folders of files and objects can be
/// omitted.
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
    pub(super) bound: Bound,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    /// The largest growth of a total, or of an inclusive cost, in percent of the base.
    Growth(Decimal),
    /// The largest total, or inclusive cost.
    Cost(Amount),
    /// The most calls of a function.
    Calls(u64),
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bound::Growth(percent) => write!(f, "{percent} %"),
            Bound::Cost(amount) => amount.fmt(f),
            Bound::Calls(calls) => f.write_str(&counted(*calls, "call")),
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

/// The result of checking a limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Whether it passed.
    pub outcome: Outcome,
    /// The actual value, and the limit.
    pub text: String,
}

/// Whether a limit passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It passed.
    Passed,
    /// It passed because a profile lacks the function or part: it was not called, was renamed, or its
    /// name is misspelled.
    NotFound,
    /// It failed.
    Failed,
}

impl Limit {
    /// Reads a limit on growth: `PERCENT` of the total, or `NAME=PERCENT` of a function's inclusive
    /// cost. Below 0, the cost has to shrink.
    ///
    /// # Errors
    ///
    /// If there is no number of percent at the end.
    pub fn growth(text: &[u8]) -> Result<Self, LimitSyntaxError> {
        let bound = |number: &str| {
            let number = number.strip_suffix('%').unwrap_or(number).trim_end();
            let Decimal(size) = Decimal::parse(number.strip_prefix('-').unwrap_or(number), 12)?;
            let sign = if number.starts_with('-') { -1 } else { 1 };
            Some(Bound::Growth(Decimal(sign * size)))
        };
        Limit::parse(text, bound).ok_or(LimitSyntaxError::Growth)
    }

    /// Reads a limit on costs: `AMOUNT` for the total, or `NAME=AMOUNT` for a function's inclusive
    /// cost, in the unit of the first event or in another one: `250ms`, `64MiB`, `20M`.
    ///
    /// # Errors
    ///
    /// If there is no such amount at the end.
    pub fn cost(text: &[u8]) -> Result<Self, LimitSyntaxError> {
        let bound = |amount: &str| Some(Bound::Cost(Amount::parse(amount)?));
        Limit::parse(text, bound).ok_or(LimitSyntaxError::Cost)
    }

    /// Reads a limit on the calls of a function: `NAME=N`.
    ///
    /// # Errors
    ///
    /// If there is no name, or no whole number at the end.
    pub fn calls(text: &[u8]) -> Result<Self, LimitSyntaxError> {
        let bound = |number: &str| {
            let is_number = number.bytes().all(|digit| digit.is_ascii_digit());
            Some(Bound::Calls(is_number.then(|| number.parse())?.ok()?))
        };
        let limit = Limit::parse(text, bound).filter(|limit| limit.name.is_some());
        limit.ok_or(LimitSyntaxError::Calls)
    }

    /// Splits `NAME=NUMBER`. A name may contain `=`, and blanks are part of it.
    fn parse(text: &[u8], bound: impl FnOnce(&str) -> Option<Bound>) -> Option<Self> {
        let (name, number) = match memchr::memrchr(b'=', text) {
            Some(at) => (Some(text[..at].to_vec()), &text[at + 1..]),
            None => (None, text),
        };
        let bound = bound(str::from_utf8(number).ok()?)?;
        Some(Limit { name, bound })
    }

    /// Whether it limits growth, which needs a base.
    pub fn needs_base(&self) -> bool {
        matches!(self.bound, Bound::Growth(_))
    }

    /// The kind of its name: `class:A` is a class, unless there is a function of that name.
    pub(crate) fn group_by(&self) -> GroupBy {
        self.group().map_or(GroupBy::Function, |(by, _)| by)
    }

    /// The kind and the name of a group.
    pub(super) fn group(&self) -> Option<(GroupBy, &[u8])> {
        let name = self.name.as_deref()?;
        GroupBy::GROUPS.into_iter().find_map(|by| {
            let kind = by.name().as_bytes();
            let name = name.strip_prefix(kind)?.strip_prefix(b":")?;
            (!name.starts_with(b":")).then_some((by, name))
        })
    }
}

impl Verdict {
    pub(super) fn new(passed: bool, text: String) -> Self {
        let outcome = if passed {
            Outcome::Passed
        } else {
            Outcome::Failed
        };
        Verdict { outcome, text }
    }

    /// Whether the limit did not fail.
    pub fn passed(&self) -> bool {
        self.outcome != Outcome::Failed
    }
}
