//! The results of checking limits: data, and the sentences about them.

use std::fmt;

use super::limits::{Limit, Measure};
use super::quotient::Quotient;
use super::sums::FunctionSums;
use super::{Side, Sides};
use crate::display::numbers::{counted, grouped, marked, rounded};
use crate::display::text::{MAX_EXCERPT, excerpt, printable};
use crate::display::units::{Unit, in_units};
use crate::names::shorten_path;
use crate::view::GroupBy;

/// The result of checking a limit. It is displayed as a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verdict {
    /// Whether the limit passed.
    pub outcome: Outcome,
    /// The limit.
    pub limit: Limit,
    /// What it is on.
    pub target: LimitTarget,
    /// The event of costs and of growth, without a scale.
    pub event: Vec<u8>,
    /// What `measured` and `allowed` count: `%`, `calls`, or the unit of the event, which is empty if
    /// it is unknown.
    pub unit: &'static str,
    /// The growth, the cost or the number of calls, per run if that is compared; `None` if the target
    /// is not found.
    pub measured: Option<Quotient>,
    /// The most that is allowed.
    pub allowed: Quotient,
    /// Both sides of the target; without a base, both are the profile.
    pub(super) sums: Sides<Option<FunctionSums>>,
    /// The numbers of runs of both sides that costs and calls are divided by.
    pub(super) runs: Sides<u64>,
    /// The unit in which costs are shown.
    pub(super) shown_unit: Unit,
    pub(super) has_base: bool,
    /// The side of which data are missing.
    pub(super) incomplete: Option<Side>,
    /// The functions whose self costs grew most, if the growth of the total failed.
    pub(super) increases: Vec<(Vec<u8>, i128)>,
    /// Similar names, as the end of a sentence, if the target is not found.
    pub(super) closest: String,
}

/// Whether a limit passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It passed.
    Passed,
    /// It passed because a profile lacks the function or part: it was not called, was renamed, or its
    /// name is misspelled.
    NotFound,
    /// It passed, or the function or part was not found, but data are missing from a profile. With them,
    /// it might have failed.
    Incomplete,
    /// It failed.
    Failed,
}

/// What a limit is on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LimitTarget {
    /// The total.
    Total,
    /// The parts with this name.
    Part(Vec<u8>),
    /// The functions, or the group of functions, with this name.
    Named(GroupBy, Vec<u8>),
}

impl Outcome {
    /// All outcomes, those that need attention first.
    pub(crate) const ALL: [Outcome; 4] = [
        Outcome::Failed,
        Outcome::Incomplete,
        Outcome::NotFound,
        Outcome::Passed,
    ];

    /// What documents call it.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Passed => "passed",
            Outcome::NotFound => "not found",
            Outcome::Incomplete => "incomplete",
            Outcome::Failed => "failed",
        }
    }
}

impl LimitTarget {
    /// What kind of thing it is: `total`, `part`, `function`, or a group.
    pub fn kind(&self) -> &'static str {
        match self {
            LimitTarget::Total => "total",
            LimitTarget::Part(_) => "part",
            LimitTarget::Named(by, _) => by.name(),
        }
    }

    /// Its name; `None` for the total.
    pub fn name(&self) -> Option<&[u8]> {
        match self {
            LimitTarget::Total => None,
            LimitTarget::Part(name) | LimitTarget::Named(_, name) => Some(name),
        }
    }

    /// Its name within a sentence.
    fn label(&self) -> String {
        match self {
            LimitTarget::Named(GroupBy::Function, name) => shown(name),
            LimitTarget::Named(by, name) => format!("{} {}", by.name(), shown(name)),
            LimitTarget::Total | LimitTarget::Part(_) => self.quoted(),
        }
    }

    /// Its name at the beginning of a message.
    pub(super) fn quoted(&self) -> String {
        match self {
            LimitTarget::Total => "the total".to_owned(),
            // Most are inputs: what tells these apart is at the end.
            LimitTarget::Part(name) if !name.is_empty() => {
                format!("part \"{}\"", shorten_path(&printable(name), MAX_EXCERPT))
            }
            LimitTarget::Part(name) | LimitTarget::Named(_, name) => {
                format!("{} \"{}\"", self.kind(), shown(name))
            }
        }
    }

    /// What is limited of it, unless that is its calls.
    pub(super) fn cost(&self, event: &[u8]) -> String {
        let event = excerpt(event);
        let inclusive = match self {
            LimitTarget::Total => return format!("the total of {event}"),
            LimitTarget::Part(_) | LimitTarget::Named(GroupBy::Line, _) => "",
            LimitTarget::Named(..) => "inclusive ",
        };
        format!("the {inclusive}{event} of {}", self.label())
    }

    fn calls(&self, count: i128) -> String {
        let label = self.label();
        match self {
            LimitTarget::Named(GroupBy::Line, _) => {
                format!("{label} has {}", counted(count, "call"))
            }
            _ => format!("{label} was called {}", counted(count, "time")),
        }
    }
}

impl Verdict {
    /// Whether the limit did not fail, and would not with data that are missing.
    pub fn passed(&self) -> bool {
        matches!(self.outcome, Outcome::Passed | Outcome::NotFound)
    }

    /// An inclusive cost with its number of runs.
    fn cost(&self, side: Side, sums: FunctionSums) -> String {
        let cost = in_units(sums.inclusive, self.shown_unit);
        in_runs(marked(sums.is_inclusive_estimated, cost), self.runs[side])
    }

    /// The sentence about a value that was measured.
    fn about_value(&self, measured: Quotient, [base, new]: [FunctionSums; 2]) -> String {
        let name = || self.target.cost(&self.event);
        let is_within = measured.is_within(self.allowed) == Some(true);
        let value = match self.limit.measure {
            Measure::Cost => format!("{} is {}", name(), self.cost(Side::New, new)),
            Measure::Calls => in_runs(self.target.calls(new.invocations.rounded()), self.runs.new),
            Measure::Growth => {
                let percent = rounded(measured.number, measured.divisor, 2);
                // If it had to shrink by more, it "grew by -5 %".
                let growth = match percent.strip_prefix('-') {
                    Some(percent) if is_within => format!("shrank by {percent}"),
                    _ => format!("grew by {percent}"),
                };
                let [base, new] = [(Side::Base, base), (Side::New, new)]
                    .map(|(side, sums)| self.cost(side, sums));
                format!("{} {growth} %, from {base} to {new}", name())
            }
        };
        let within = if is_within { "within" } else { "more than" };
        let per_run = match self.limit.measure {
            Measure::Cost | Measure::Calls if self.runs.new != 1 => " per run",
            _ => "",
        };
        format!("{value}: {within} the limit of {}{per_run}", self.limit)
    }

    /// The sentence about something that a side lacks.
    fn about_nothing(&self) -> String {
        let missing = match (self.has_base, self.sums.new) {
            (false, _) => " not found".to_owned(),
            (true, None) => " not found in the new profile".to_owned(),
            (true, Some(new)) => {
                format!(", at {}, not found in the base", self.cost(Side::New, new))
            }
        };
        let name = self.target.quoted();
        format!(
            "{name}{missing}, so its limit of {} was not checked",
            self.limit
        )
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (text, conjunction) = match (self.measured, self.sums.base, self.sums.new) {
            (Some(measured), Some(base), Some(new)) => {
                (self.about_value(measured, [base, new]), "but")
            }
            _ => (self.about_nothing(), "and"),
        };
        f.write_str(&text)?;
        if let (Outcome::Incomplete, Some(side)) = (self.outcome, self.incomplete) {
            let what = match side {
                Side::Base => "base",
                Side::New => "profile",
            };
            write!(f, ", {conjunction} the {what} is incomplete")?;
        }
        let increases = self.increases.iter().map(|(name, cost)| {
            let cost = in_units(*cost, self.shown_unit);
            format!("{} +{cost}", shown(name))
        });
        match &increases.collect::<Vec<_>>()[..] {
            [] => {}
            named => write!(f, "; largest increases: {}", named.join(", "))?,
        }
        f.write_str(&self.closest)
    }
}

/// A printable name, with the blanks at its end.
pub(super) fn shown(name: &[u8]) -> String {
    match name {
        [] => "???".to_owned(),
        [.., last] if last.is_ascii_whitespace() => printable(name),
        _ => excerpt(name),
    }
}

/// A cost or a number of calls, with its number of runs.
fn in_runs(sum: String, runs: u64) -> String {
    match runs {
        1 => sum,
        _ => format!("{sum} in {} runs", grouped(runs)),
    }
}
