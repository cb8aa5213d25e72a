//! A limit on the growth of a profile's total.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::Comparison;
use crate::shown::numbers::{divided, grouped};

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

/// Why a comparison does not pass a limit.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "the messages show what the fields are")]
#[non_exhaustive]
pub enum GrowthFailure {
    /// The total has grown by more.
    #[error(
        "the total of {event} grew by {percent} %, from {} to {}: more than the {limit} that are allowed",
        grouped(*.base),
        grouped(*.new)
    )]
    TooMuch {
        event: String,
        percent: String,
        base: i128,
        new: i128,
        limit: MaxGrowth,
    },
    /// The base is 0 or negative, so growth cannot be expressed as a percentage.
    #[error(
        "by how many percent the total of {event} grew cannot be told: it was {}, and is {}",
        grouped(*.base),
        grouped(*.new)
    )]
    Unknown {
        event: String,
        base: i128,
        new: i128,
    },
    /// Some sums are wrong, because they do not fit.
    #[error("by how much the total of {0} grew cannot be told: some sums do not fit into 64 bits")]
    Saturated(String),
}

impl Comparison {
    /// Checks that the total has not grown by more than the limit. The check is exact.
    ///
    /// # Errors
    ///
    /// If it has, or if that cannot be decided: because the total of the base is not above 0, or a
    /// sum of either side has overflowed.
    pub fn check_growth(&self, limit: MaxGrowth) -> Result<(), GrowthFailure> {
        let (base, new) = (self.base.total, self.new.total);
        let event = crate::shown::text::printable(&self.event);
        if self.has_saturated {
            return Err(GrowthFailure::Saturated(event));
        }
        if base <= 0 {
            return Err(GrowthFailure::Unknown { event, base, new });
        }
        match limit.exceeded(self.total_change(), base) {
            None => Ok(()),
            Some(percent) => Err(GrowthFailure::TooMuch {
                event,
                percent,
                base,
                new,
                limit,
            }),
        }
    }
}
