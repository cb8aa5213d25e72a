//! Numbers that may be fractions.

use serde_core::{Serialize, Serializer};

/// A number that may be a fraction.
#[derive(Clone, Copy, Debug)]
pub struct Quotient {
    pub(super) number: i128,
    /// At least 1.
    pub(super) divisor: i128,
}

impl Quotient {
    /// Whether it is at most as large as another; `None` if a number exceeds 128 bits.
    pub(super) fn is_within(self, most: Quotient) -> Option<bool> {
        let one = self.number.checked_mul(most.divisor)?;
        Some(one <= most.number.checked_mul(self.divisor)?)
    }

    /// The nearest number with a floating point.
    pub fn as_f64(self) -> f64 {
        self.number as f64 / self.divisor as f64
    }

    fn whole(self) -> Option<i128> {
        (self.number % self.divisor == 0).then_some(self.number / self.divisor)
    }
}

impl PartialEq for Quotient {
    fn eq(&self, other: &Self) -> bool {
        self.is_within(*other) == Some(true) && other.is_within(*self) == Some(true)
    }
}

impl Eq for Quotient {}

impl Serialize for Quotient {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.whole() {
            Some(whole) => serializer.serialize_i128(whole),
            None => serializer.serialize_f64(self.as_f64()),
        }
    }
}
