//! Narrows numbers from 64 bits to 32. No other code does.

use super::error::{WebgrindWriteError, WebgrindWriteWarning};
use crate::display::text::excerpt;
use crate::profile::{Cost, split_scale};

/// The policy for numbers that exceed 32 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum OnOverflow {
    /// Divide all costs by a power of ten and rename the event.
    ///
    /// It is the smallest power that makes them fit. Counts and lines become 4,294,967,295.
    #[default]
    Scale,
    /// Write 4294967295.
    Saturate,
    /// Write nothing.
    Error,
}

/// Xdebug's event in units of 10 ns: the one that webgrind converts (by dividing by 100).
const TEN_NANOSECONDS: &[u8] = b"Time_(10ns)";

/// Collects the numbers to write, to find those that do not fit.
#[derive(Debug, Default)]
pub(super) struct RangeStats {
    largest_cost: u64,
    largest_count: u64,
    too_large_costs: u64,
    too_large_counts: u64,
    negative_costs: u64,
}

impl RangeStats {
    #[inline]
    pub fn cost(&mut self, cost: Cost) {
        match u64::try_from(cost) {
            Ok(cost) => {
                self.largest_cost = self.largest_cost.max(cost);
                self.too_large_costs += u64::from(u32::try_from(cost).is_err());
            }
            Err(_) => self.negative_costs += 1,
        }
    }

    /// Adds a count or a line.
    #[inline]
    pub fn count(&mut self, count: u64) {
        self.largest_count = self.largest_count.max(count);
        self.too_large_counts += u64::from(u32::try_from(count).is_err());
    }

    /// Decides how to narrow the costs of `event` under a policy.
    pub fn decide(
        &self,
        policy: OnOverflow,
        event: &[u8],
    ) -> Result<Narrowing, WebgrindWriteError> {
        let costs_fit = self.too_large_costs == 0;
        if policy == OnOverflow::Error {
            let refuse = |what, value| Err(WebgrindWriteError::DoesNotFit { what, value });
            if !costs_fit {
                return refuse("cost", self.largest_cost);
            }
            if self.too_large_counts > 0 {
                return refuse("count or line", self.largest_count);
            }
        }
        let mut divisor = Narrowing::EXACT.divisor;
        if policy == OnOverflow::Scale && !costs_fit {
            divisor = if event == TEN_NANOSECONDS { 100 } else { 10 };
            while u32::try_from(divided(self.largest_cost, divisor)).is_err() {
                divisor *= 10;
            }
        }
        Ok(Narrowing { divisor })
    }

    /// Warnings about numbers that are changed.
    pub fn warnings(&self, narrowing: &Narrowing, event: &[u8]) -> Vec<WebgrindWriteWarning> {
        let mut warnings = Vec::new();
        let divisor = narrowing.divisor();
        if divisor > 1 {
            warnings.push(WebgrindWriteWarning::Scaled {
                event: excerpt(event),
                divisor,
                renamed: excerpt(&narrowing.scaled_name(event)),
            });
        } else if self.too_large_costs > 0 {
            warnings.push(WebgrindWriteWarning::SaturatedCosts(self.too_large_costs));
        }
        if self.too_large_counts > 0 {
            warnings.push(WebgrindWriteWarning::SaturatedCounts(self.too_large_counts));
        }
        if self.negative_costs > 0 {
            warnings.push(WebgrindWriteWarning::NegativeCosts(self.negative_costs));
        }
        warnings
    }
}

/// Makes numbers narrow, as [`RangeStats::decide`] decided.
#[derive(Clone, Copy, Debug)]
pub(super) struct Narrowing {
    divisor: u64,
}

impl Narrowing {
    /// Scales nothing.
    pub const EXACT: Narrowing = Narrowing { divisor: 1 };

    /// The divisor of costs; 1 if nothing is scaled.
    pub fn divisor(&self) -> u64 {
        self.divisor
    }

    /// A cost in the unit that is written; negative costs become 0.
    pub fn scaled(&self, cost: Cost) -> u64 {
        divided(u64::try_from(cost).unwrap_or(0), self.divisor)
    }

    /// A cost as it is written.
    pub fn cost(&self, cost: Cost) -> u32 {
        self.count(self.scaled(cost))
    }

    /// A count or a line as it is written.
    pub fn count(&self, count: u64) -> u32 {
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    /// Name of the event in the unit that is written.
    ///
    /// `Ir` at 1000 becomes `Ir_(x1000)`. `Time_(10ns)` at 100 becomes `Time_(us)`: webgrind
    /// divides by 100 only if it sees the former, so its figures stay correct.
    pub fn scaled_name(&self, name: &[u8]) -> Vec<u8> {
        if self.divisor == 1 {
            return name.to_vec();
        }
        let (base, factor) = if name == TEN_NANOSECONDS {
            (&b"Time_(us)"[..], self.divisor / 100)
        } else {
            let (base, factor) = split_scale(name);
            (base, factor.saturating_mul(self.divisor))
        };
        let factor = match factor {
            1 => String::new(),
            factor => format!("_(x{factor})"),
        };
        [base, factor.as_bytes()].concat()
    }
}

/// Divides, rounding to nearest, halves up.
fn divided(value: u64, divisor: u64) -> u64 {
    // Nearly always 1, and a division is slow.
    if divisor == 1 {
        return value;
    }
    value / divisor + u64::from(value % divisor >= divisor.div_ceil(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_power_of_ten_is_taken_and_named() {
        let cases: [(Cost, &str, u32, &str); 8] = [
            (4_294_967_295, "Ir", u32::MAX, "Ir"),
            (42_949_672_945, "Ir", u32::MAX, "Ir_(x10)"),
            (42_949_672_954, "Ir", u32::MAX, "Ir_(x10)"),
            // Rounding would pass 32 bits at 10.
            (42_949_672_955, "Ir", 429_496_730, "Ir_(x100)"),
            (4_000_000_000_000, "Ir_(x10)", 4_000_000_000, "Ir_(x10000)"),
            // Ten minutes, and two hours.
            (60_000_000_000, "Time_(10ns)", 600_000_000, "Time_(us)"),
            (
                720_000_000_000,
                "Time_(10ns)",
                720_000_000,
                "Time_(us)_(x10)",
            ),
            (Cost::MAX, "Ir", 922_337_204, "Ir_(x10000000000)"),
        ];
        for (largest, event, written, renamed) in cases {
            let mut ranges = RangeStats::default();
            ranges.cost(largest);
            let narrowing = ranges.decide(OnOverflow::Scale, event.as_bytes()).unwrap();
            assert_eq!(narrowing.cost(largest), written);
            assert_eq!(narrowing.scaled_name(event.as_bytes()), renamed.as_bytes());
        }
    }
}
