//! Numbers and costs in limits.

use std::fmt;

use super::limit_error::LimitError;
use crate::display::numbers::grouped;
use crate::display::text::excerpt;
use crate::display::units::{NamedUnit, Quantity, Unit};
use crate::profile::{Profile, split_scale};

/// A number in millionths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Decimal(pub i128);

const DECIMALS: usize = 6;
pub(super) const MILLION: i128 = 1_000_000;

impl Decimal {
    /// Reads a number without a sign, with at most `max_digits` digits before the point.
    pub fn parse(text: &str, max_digits: usize) -> Option<Self> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let is_number = |digits: &str, max| {
            (1..=max).contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_digit())
        };
        if !is_number(whole, max_digits) || !is_number(fraction, DECIMALS) {
            return None;
        }
        format!("{whole}{fraction:0<DECIMALS$}")
            .parse()
            .ok()
            .map(Decimal)
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sign, size) = (if self.0 < 0 { "-" } else { "" }, self.0.abs());
        let whole = grouped(size / MILLION);
        let text = format!("{sign}{whole}.{:0DECIMALS$}", size % MILLION);
        f.write_str(text.trim_end_matches('0').trim_end_matches('.'))
    }
}

/// A cost in the units of an event, or in a unit of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Amount {
    number: Decimal,
    unit: Option<&'static NamedUnit>,
}

impl Amount {
    pub fn parse(text: &str) -> Option<Self> {
        let unit = NamedUnit::at_end_of_limit(text);
        let number = text.strip_suffix(unit.map_or("", |unit| unit.name))?;
        let number = Decimal::parse(number.trim_end(), 18)?;
        Some(Amount { number, unit })
    }

    /// The factor for costs of the first event, and the limit in millionths that their product must not
    /// exceed.
    pub fn in_units_of(&self, profile: &Profile) -> Result<[i128; 2], LimitError> {
        let event = unit_of(profile);
        let expected = match (self.unit, event.quantity) {
            (None, _) => return Ok([1, self.number.0]),
            (Some(unit), quantity) if unit.quantity == quantity => {
                return Ok([event.count.max(1).into(), self.number.0 * unit.count]);
            }
            (_, Quantity::Time) => "ns, us, ms or s",
            (_, Quantity::Memory) => "B, KiB, MiB or GiB",
            (_, Quantity::Count) => "a plain number, or one with k, M or G",
        };
        Err(LimitError::WrongUnit {
            limit: self.to_string(),
            event: excerpt(split_scale(profile.event()).0),
            expected,
        })
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.unit {
            Some(unit) => write!(f, "{} {}", self.number, unit.name),
            None => self.number.fmt(f),
        }
    }
}

/// The unit of the first event's costs, without their scale.
pub(super) fn unit_of(profile: &Profile) -> Unit {
    let unit = profile.events().first().map(|event| profile.unit(event));
    Unit::of(unit.unwrap_or_default(), 1)
}
