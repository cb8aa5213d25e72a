//! A limit on the growth of a profile's total.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::Comparison;
use crate::shown::numbers::{decimal, divided, grouped, rounded};

/// How much a total may grow, in percent. If negative, the total has to shrink by that much.
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
    /// The percentage without its decimal point.
    digits: i64,
    /// How many of the digits are after the decimal point.
    decimals: u32,
}

/// The error for text that is not a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected a number of percent with up to 9 digits, such as 5, 2.5 or 2.5%")]
pub struct MaxGrowthError;

/// More digits than any percentage needs; with them, no product is over 128 bits.
const MOST_DIGITS: usize = 9;

impl FromStr for MaxGrowth {
    type Err = MaxGrowthError;

    fn from_str(text: &str) -> Result<Self, MaxGrowthError> {
        let number = text.strip_suffix('%').unwrap_or(text).trim_end();
        let (sign, size) = match number.strip_prefix('-') {
            Some(size) => (-1, size),
            None => (1, number),
        };
        let (whole, fraction) = size.split_once('.').unwrap_or((size, "0"));
        let is_number =
            |digits: &str| !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
        let digits = [whole, fraction].concat();
        if !is_number(whole) || !is_number(fraction) || digits.len() > MOST_DIGITS {
            return Err(MaxGrowthError);
        }
        let size: i64 = digits.parse().map_err(|_| MaxGrowthError)?;
        Ok(MaxGrowth {
            digits: sign * size,
            decimals: u32::try_from(fraction.len()).map_err(|_| MaxGrowthError)?,
        })
    }
}

impl MaxGrowth {
    /// A change in percent of the base, with as many decimals as it takes to see that it is more.
    fn exceeding(self, change: i128, base: i128) -> String {
        /// Of the sums of 64 bits, none are so close to each other that it takes more.
        const MOST: u32 = 20;
        // Two, as in reports, or one more than the limit has.
        let least = self.decimals.max(1) + 1;
        let is_seen = |&decimals: &u32| {
            let shown = change.checked_mul(100 * 10i128.pow(decimals));
            let limit = i128::from(self.digits) * 10i128.pow(decimals - self.decimals);
            shown.is_some_and(|shown| divided(shown, base) > limit)
        };
        let decimals = (least..=MOST).find(is_seen).unwrap_or(least);
        rounded(change.saturating_mul(100), base, decimals)
    }
}

impl fmt::Display for MaxGrowth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = decimal(self.digits.into(), self.decimals);
        let text = match text.split_once('.') {
            Some((whole, "0")) => whole,
            _ => &text,
        };
        write!(f, "{text} %")
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
        let scale = 10i128.pow(limit.decimals);
        let change = self.total_change();
        let change_in_percent = change.checked_mul(100 * scale);
        let allowed = base.checked_mul(limit.digits.into());
        match (change_in_percent, allowed) {
            (Some(grown), Some(allowed)) if base > 0 => {
                if grown <= allowed {
                    return Ok(());
                }
                Err(GrowthFailure::TooMuch {
                    event,
                    percent: limit.exceeding(change, base),
                    base,
                    new,
                    limit,
                })
            }
            _ => Err(GrowthFailure::Unknown { event, base, new }),
        }
    }
}
