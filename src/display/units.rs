//! Costs in the units of their events: times and memory.

use crate::display::numbers::{grouped, rounded};

/// A cost and, where its unit is known, how much that is: `58,434 (584 µs)`.
pub(crate) fn in_units(cost: impl Into<i128>, unit: Unit) -> String {
    let cost = cost.into();
    match unit.converted(cost) {
        Some(converted) => format!("{} ({converted})", grouped(cost)),
        None => grouped(cost),
    }
}

/// What one unit of cost is: so many of the smallest of some sizes. There are none where it is
/// unknown, or a plain number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Unit {
    pub count: u32,
    /// The largest first.
    sizes: &'static [(i128, &'static str)],
}

impl Unit {
    /// The unit of a name that [`Profile::unit`](crate::profile::Profile::unit) gives, and how many
    /// of it the costs of an event count.
    ///
    /// It is unknown if they are none or do not fit.
    pub fn of(unit: &str, scale: u64) -> Self {
        let (count, sizes): (u64, _) = match unit {
            "ns" => (1, &TIMES),
            "10ns" => (10, &TIMES),
            "us" | "µs" => (1_000, &TIMES),
            "ms" => (1_000_000, &TIMES),
            "bytes" => (1, &MEMORIES),
            _ => return Unit::default(),
        };
        let count = count.checked_mul(scale).map(u32::try_from);
        match count {
            Some(Ok(count @ 1..)) => Unit { count, sizes },
            _ => Unit::default(),
        }
    }

    /// The sizes that costs are shown in, the largest first.
    pub fn sizes(self) -> &'static [(i128, &'static str)] {
        self.sizes
    }

    /// The name of the smallest size: `ns` or `bytes`; empty if the unit is unknown.
    pub fn smallest(self) -> &'static str {
        self.sizes.last().map_or("", |(_, name)| name)
    }

    /// A cost with three digits, in a size that suits it: `33.0 ms`; none where nothing is known.
    pub fn converted(self, cost: impl Into<i128>) -> Option<String> {
        let amount = cost.into().saturating_mul(self.count.into());
        let &(size, name) = largest_within(self.sizes, amount)?;
        let decimals = match amount.saturating_abs() / size {
            _ if size == 1 => 0,
            0..=9 => 2,
            10..=99 => 1,
            _ => 0,
        };
        Some(format!("{} {name}", rounded(amount, size, decimals)))
    }

    /// How to write costs of about this size, so that they can be compared at a glance.
    pub fn notation(self, about: impl Into<i128>) -> Notation {
        const DECIMALS: u32 = 3;
        let count = i128::from(self.count);
        let amount = about.into().saturating_mul(count);
        let Some(&(size, name)) = largest_within(self.sizes, amount / 10) else {
            return Notation::default();
        };
        let is_exact = |&decimals: &u32| count * 10i128.pow(decimals) % size == 0;
        Notation {
            count,
            size,
            name,
            decimals: (0..DECIMALS).find(is_exact).unwrap_or(DECIMALS),
        }
    }
}

const TIMES: [(i128, &str); 4] = [
    (1_000_000_000, "s"),
    (1_000_000, "ms"),
    (1_000, "µs"),
    (1, "ns"),
];

const MEMORIES: [(i128, &str); 4] = [
    (1 << 30, "GiB"),
    (1 << 20, "MiB"),
    (1 << 10, "KiB"),
    (1, "bytes"),
];

fn largest_within<'a>(sizes: &'a [(i128, &'a str)], amount: i128) -> Option<&'a (i128, &'a str)> {
    let fits = |(size, _): &&(i128, &str)| amount.saturating_abs() >= *size;
    sizes.iter().find(fits).or(sizes.last())
}

/// How the costs of a column are written: all in the same unit, with as many decimals.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Notation {
    /// What a unit of cost is, in the smallest size.
    pub count: i128,
    /// What a unit of the column is.
    pub size: i128,
    pub name: &'static str,
    pub decimals: u32,
}

impl Default for Notation {
    /// Costs as they are.
    fn default() -> Self {
        Notation {
            count: 1,
            size: 1,
            name: "",
            decimals: 0,
        }
    }
}

impl Notation {
    /// A cost in it; the unit is for the heading.
    pub fn cost(&self, cost: impl Into<i128>) -> String {
        rounded(
            cost.into().saturating_mul(self.count),
            self.size,
            self.decimals,
        )
    }

    /// The heading of a column: a short one with the unit, if it is known.
    pub fn heading(&self, short: &str, long: &str) -> String {
        match self.name {
            "" => long.to_owned(),
            unit => format!("{short} {unit}"),
        }
    }

    /// A cost with the unit of its column: `2.37 µs`, or `1,536` where none is known.
    pub fn with_unit(&self, cost: impl Into<i128>) -> String {
        let cost = self.cost(cost);
        match self.name {
            "" => cost,
            unit => format!("{cost} {unit}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Cost;

    #[test]
    fn units_are_times_their_scale() {
        let unit = |name: &str, scale: u64| {
            let unit = Unit::of(name, scale);
            (unit.count, unit.smallest())
        };
        assert_eq!(unit("10ns", 1), (10, "ns"));
        assert_eq!(unit("us", 10), (10_000, "ns"));
        assert_eq!(unit("bytes", 10), (10, "bytes"));
        assert_eq!(unit("", 10), (0, ""));
        assert_eq!(unit("us", u64::MAX), (0, ""));
        assert_eq!(unit("us", 0), (0, ""));
    }

    #[test]
    fn costs_are_converted_with_three_digits() {
        let time = |cost: i128| Unit::of("ns", 1).converted(cost).unwrap();
        assert_eq!(time(0), "0 ns");
        assert_eq!(time(999), "999 ns");
        assert_eq!(time(1_234), "1.23 µs");
        assert_eq!(time(33_001_230), "33.0 ms");
        assert_eq!(time(-250_400_000), "-250 ms");
        assert_eq!(time(1_500_000_000), "1.50 s");
        assert_eq!(time(43_210_000_000_000), "43,210 s");
        assert_eq!(
            Unit::of("bytes", 1).converted(3_300_123).unwrap(),
            "3.15 MiB"
        );
        assert_eq!(
            Unit::of("bytes", 1).converted(-1023).unwrap(),
            "-1,023 bytes"
        );
        assert_eq!(Unit::default().converted(5), None);
        for cost in [Cost::MIN, Cost::MAX] {
            assert!(Unit::of("ns", u32::MAX.into()).converted(cost).is_some());
        }
    }

    #[test]
    fn a_column_has_one_unit_and_as_many_decimals_as_say_something() {
        let column = |unit: Unit, about, cost: Cost| unit.notation(about).with_unit(cost);
        let xdebug = Unit::of("10ns", 1);
        assert_eq!(column(xdebug, 58_434, 237), "2.37 µs");
        assert_eq!(column(xdebug, 990, 237), "2,370 ns");
        assert_eq!(column(xdebug, 8_031_469, 237), "0.002 ms");
        assert_eq!(column(xdebug, -8_031_469, -4_321_012_345), "-43,210.123 ms");
        assert_eq!(column(xdebug, 4_300_000_000, 1_234_567_890), "12.346 s");
        assert_eq!(column(Unit::of("ms", 1), 770, 30), "30 ms");
        assert_eq!(column(Unit::of("us", 1), 10_000, 30), "0.030 ms");
        assert_eq!(column(Unit::of("bytes", 1), 20_480, 1_536), "1.500 KiB");
        assert_eq!(column(Unit::default(), 20_480, 1_536), "1,536");
        for cost in [Cost::MIN, Cost::MAX] {
            column(Unit::of("ns", u32::MAX.into()), cost, cost);
        }
    }
}
