//! Limits on the growth of a profile's total, and of the costs of functions.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::{Comparison, FunctionChange, FunctionSums};
use crate::shown::numbers::{divided, grouped};
use crate::shown::text::excerpt;

/// How much a cost may grow, in percent. If negative, it has to shrink by that much.
///
/// ```
/// use cg_preprocess::profile::MaxGrowth;
///
/// let limit: MaxGrowth = "2.5 %".parse()?;
/// assert_eq!(limit.to_string(), "2.5 %");
/// # Ok::<(), cg_preprocess::profile::MaxGrowthError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MaxGrowth {
    /// Millionths of a percent.
    millionths: i128,
}

/// The error for text that is not a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected a number of percent with up to 12 digits and 6 decimals, such as 5, 2.5 or 2.5%")]
pub struct MaxGrowthError;

/// The decimals of a limit.
const DECIMALS: usize = 6;

/// How many millionths one percent is.
const MILLIONTHS: i128 = 1_000_000;

/// More digits than any percentage needs.
const MOST_DIGITS: usize = 12;

impl FromStr for MaxGrowth {
    type Err = MaxGrowthError;

    fn from_str(text: &str) -> Result<Self, MaxGrowthError> {
        let number = text.strip_suffix('%').unwrap_or(text).trim_end();
        let (sign, size) = match number.strip_prefix('-') {
            Some(size) => (-1, size),
            None => (1, number),
        };
        let (whole, fraction) = size.split_once('.').unwrap_or((size, "0"));
        let is_number = |digits: &str, most| {
            (1..=most).contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_digit())
        };
        if !is_number(whole, MOST_DIGITS) || !is_number(fraction, DECIMALS) {
            return Err(MaxGrowthError);
        }
        let size: i128 = format!("{whole}{fraction:0<DECIMALS$}")
            .parse()
            .map_err(|_| MaxGrowthError)?;
        Ok(MaxGrowth {
            millionths: sign * size,
        })
    }
}

impl MaxGrowth {
    /// A change in percent of the base, if it is more than is allowed. Rounded to two decimals, or
    /// where these do not show that it is more, up to the next millionth.
    fn exceeded(self, change: i128, base: i128) -> Option<String> {
        let in_millionths = change.saturating_mul(100 * MILLIONTHS);
        if in_millionths <= base.saturating_mul(self.millionths) {
            return None;
        }
        let nearest = divided(change.saturating_mul(10_000), base) * (MILLIONTHS / 100);
        let shown = if nearest > self.millionths {
            nearest
        } else {
            in_millionths.div_euclid(base) + i128::from(in_millionths.rem_euclid(base) > 0)
        };
        Some(in_percent(shown, 2))
    }
}

/// Millionths as a decimal number without zeros at its end, but with at least so many decimals.
fn in_percent(millionths: i128, decimals: usize) -> String {
    let sign = if millionths < 0 { "-" } else { "" };
    let size = millionths.abs();
    let fraction = format!("{:0DECIMALS$}", size % MILLIONTHS);
    let fraction = format!("{:0<decimals$}", fraction.trim_end_matches('0'));
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{sign}{}{point}{fraction}", grouped(size / MILLIONTHS))
}

impl fmt::Display for MaxGrowth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} %", in_percent(self.millionths, 0))
    }
}

/// A limit on the growth of a cost: of the total, or of one function's inclusive cost.
///
/// ```
/// use cg_preprocess::profile::Gate;
///
/// let gate = Gate::parse(r"App\Kernel->boot=5%".as_bytes())?;
/// assert_eq!(gate.function.as_deref(), Some(r"App\Kernel->boot".as_bytes()));
/// assert_eq!(gate.limit.to_string(), "5 %");
/// # Ok::<(), cg_preprocess::profile::MaxGrowthError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gate {
    /// The name of the function; none for the total.
    pub function: Option<Vec<u8>>,
    /// By how much the cost may grow.
    pub limit: MaxGrowth,
}

impl Gate {
    /// Reads `PERCENT` or `NAME=PERCENT`. A name may contain `=`.
    ///
    /// # Errors
    ///
    /// If there is no limit at the end.
    pub fn parse(text: &[u8]) -> Result<Self, MaxGrowthError> {
        let split = memchr::memrchr(b'=', text).map(|at| (&text[..at], &text[at + 1..]));
        let (function, limit) = match split {
            Some((name, limit)) => (Some(name.to_vec()), limit),
            None => (None, text),
        };
        let limit = str::from_utf8(limit).map_err(|_| MaxGrowthError)?;
        let limit = limit.parse()?;
        Ok(Gate { function, limit })
    }
}

impl fmt::Display for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.function {
            None => f.write_str("the total")?,
            Some(name) => write!(f, "the inclusive cost of {}", excerpt(name))?,
        }
        write!(f, " may grow by {}", self.limit)
    }
}

/// Why a comparison does not pass a limit.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "the messages show what the fields are")]
#[non_exhaustive]
pub enum GrowthFailure {
    /// The cost has grown by more.
    #[error(
        "{subject} grew by {percent} %, from {} to {}: more than the {limit} that are allowed{most}",
        grouped(*.base),
        grouped(*.new)
    )]
    TooMuch {
        subject: String,
        percent: String,
        base: i128,
        new: i128,
        limit: MaxGrowth,
        /// The functions that grew most.
        most: String,
    },
    /// The base is 0 or negative, so growth cannot be expressed as a percentage.
    #[error(
        "by how many percent {subject} grew cannot be told: it was {}, and is {}",
        grouped(*.base),
        grouped(*.new)
    )]
    Unknown {
        subject: String,
        base: i128,
        new: i128,
    },
    /// Some sums are wrong, because they do not fit.
    #[error("by how much {0} grew cannot be told: some sums do not fit into 64 bits")]
    Saturated(String),
    /// The base has no such function.
    #[error("the base has no function \"{0}\"")]
    NoFunction(String),
}

/// How many functions a failure names.
const MOST_NAMES: usize = 3;

impl Comparison<'_> {
    /// Checks a limit, exactly.
    ///
    /// Functions of one name in several files are summed. One that the new profile lacks costs
    /// nothing there.
    ///
    /// # Errors
    ///
    /// If the cost has grown by more, or if that cannot be decided: because the cost in the base is
    /// not above 0, the base has no function of the name, or a sum of either side has overflowed.
    pub fn check(&self, gate: &Gate) -> Result<(), GrowthFailure> {
        let (limit, first) = (gate.limit, self.first());
        let event = excerpt(first.name);
        let (subject, base, new) = match &gate.function {
            None => (format!("the total of {event}"), first.base, first.new),
            Some(name) => {
                let shown = excerpt(name);
                let sum = |side: fn(&FunctionChange<'_>) -> Option<FunctionSums>| {
                    let named = self.functions().filter(|change| change.name == name);
                    let costs = named.filter_map(side).map(|sums| sums.inclusive);
                    costs.reduce(i128::saturating_add)
                };
                let Some(base) = sum(|change| change.base) else {
                    return Err(GrowthFailure::NoFunction(shown));
                };
                let new = sum(|change| change.new).unwrap_or(0);
                (format!("the inclusive {event} of {shown}"), base, new)
            }
        };
        if self.has_saturated {
            return Err(GrowthFailure::Saturated(subject));
        }
        if base <= 0 {
            return Err(GrowthFailure::Unknown { subject, base, new });
        }
        let Some(percent) = limit.exceeded(new.saturating_sub(base), base) else {
            return Ok(());
        };
        let most = match gate.function {
            None => self.grown_most(),
            Some(_) => String::new(),
        };
        Err(GrowthFailure::TooMuch {
            subject,
            percent,
            base,
            new,
            limit,
            most,
        })
    }

    /// The functions whose self costs grew most, as the end of a sentence.
    fn grown_most(&self) -> String {
        let grown = self
            .changes
            .iter()
            .map(|change| (change, change.self_cost()));
        let grown = grown.filter(|&(_, cost)| cost > 0).take(MOST_NAMES);
        let named =
            grown.map(|(change, cost)| format!("{} by {}", excerpt(change.name), grouped(cost)));
        let named: Vec<_> = named.collect();
        match &named[..] {
            [] => String::new(),
            named => format!("; most grew {}", named.join(", ")),
        }
    }
}
