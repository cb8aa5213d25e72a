//! Costs in units: times and memory.

use crate::display::numbers::{grouped, rounded};

/// A cost and, if its unit is known, its size: `58,434 (584 µs)`.
pub(crate) fn in_units(cost: impl Into<i128>, unit: Unit) -> String {
    let cost = cost.into();
    match unit.converted(cost) {
        Some(converted) => format!("{} ({converted})", grouped(cost)),
        None => grouped(cost),
    }
}

/// The quantity that an event measures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Quantity {
    Time,
    Memory,
    /// A plain number, or something unknown.
    #[default]
    Count,
}

/// A unit by one of its names.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NamedUnit {
    pub name: &'static str,
    pub quantity: Quantity,
    /// Its size in the quantity's smallest unit.
    pub count: i128,
    /// The places that use this name: [`EVENT`], [`LIMIT`] and [`REPORT`].
    uses: u8,
}

/// In names of events.
const EVENT: u8 = 1;
/// In limits.
const LIMIT: u8 = 2;
/// In reports.
const REPORT: u8 = 4;

const fn unit(name: &'static str, quantity: Quantity, count: i128, uses: u8) -> NamedUnit {
    NamedUnit {
        name,
        quantity,
        count,
        uses,
    }
}

/// All units, the largest of a quantity first.
///
/// `s` is not one of events: `Object(s)` counts objects.
static UNITS: [NamedUnit; 15] = [
    unit("s", Quantity::Time, 1_000_000_000, LIMIT | REPORT),
    unit("ms", Quantity::Time, 1_000_000, EVENT | LIMIT | REPORT),
    unit("µs", Quantity::Time, 1_000, EVENT | LIMIT | REPORT),
    unit("us", Quantity::Time, 1_000, EVENT | LIMIT),
    unit("10ns", Quantity::Time, 10, EVENT),
    unit("ns", Quantity::Time, 1, EVENT | LIMIT | REPORT),
    unit("GiB", Quantity::Memory, 1 << 30, LIMIT | REPORT),
    unit("MiB", Quantity::Memory, 1 << 20, LIMIT | REPORT),
    unit("KiB", Quantity::Memory, 1 << 10, LIMIT | REPORT),
    unit("bytes", Quantity::Memory, 1, EVENT | REPORT),
    unit("B", Quantity::Memory, 1, LIMIT),
    unit("G", Quantity::Count, 1_000_000_000, LIMIT),
    unit("M", Quantity::Count, 1_000_000, LIMIT),
    unit("K", Quantity::Count, 1_000, LIMIT),
    unit("k", Quantity::Count, 1_000, LIMIT),
];

fn used(uses: u8) -> impl Iterator<Item = &'static NamedUnit> {
    UNITS.iter().filter(move |unit| unit.uses & uses != 0)
}

impl NamedUnit {
    /// The unit with this name in names of events.
    pub fn of_event(name: &[u8]) -> Option<&'static Self> {
        used(EVENT).find(|unit| unit.name.as_bytes() == name)
    }

    /// The unit that a limit ends with.
    pub fn at_end_of_limit(limit: &str) -> Option<&'static Self> {
        let units = used(LIMIT).filter(|unit| limit.ends_with(unit.name));
        // Other units end with `s` and `B`, too.
        units.max_by_key(|unit| unit.name.len())
    }
}

/// The unit of costs, as a number of the smallest unit of a quantity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Unit {
    pub count: u32,
    pub quantity: Quantity,
}

impl Unit {
    /// The unit of costs, from the name that [`Profile::unit`](crate::profile::Profile::unit) returns
    /// and the scale.
    ///
    /// It is unknown if the name is, or if the product exceeds 32 bits.
    pub fn of(name: &str, scale: u64) -> Self {
        let find = || {
            let unit = NamedUnit::of_event(name.as_bytes())?;
            let count = u32::try_from(unit.count.checked_mul(scale.into())?).ok()?;
            let quantity = unit.quantity;
            (count > 0).then_some(Unit { count, quantity })
        };
        find().unwrap_or_default()
    }

    /// The units for showing costs, the largest first; empty if the unit is unknown.
    pub fn sizes(self) -> impl Iterator<Item = &'static NamedUnit> {
        used(REPORT).filter(move |unit| unit.quantity == self.quantity)
    }

    /// The largest unit that is not larger than an amount, or else the smallest.
    fn largest_within(self, amount: i128) -> Option<&'static NamedUnit> {
        let fits = |size: &&NamedUnit| amount.saturating_abs() >= size.count;
        self.sizes().find(fits).or(self.sizes().last())
    }

    /// A cost with three digits, in a unit of its size: `33.0 ms`; `None` if the unit is unknown.
    pub fn converted(self, cost: impl Into<i128>) -> Option<String> {
        let amount = cost.into().saturating_mul(self.count.into());
        let size = self.largest_within(amount)?;
        let decimals = match amount.saturating_abs() / size.count {
            _ if size.count == 1 => 0,
            0..=9 => 2,
            10..=99 => 1,
            _ => 0,
        };
        let number = rounded(amount, size.count, decimals);
        Some(format!("{number} {}", size.name))
    }

    /// A cost divided by a number of calls, likewise; plain if the unit is unknown.
    pub fn quotient(self, cost: i128, calls: i128) -> String {
        let calls = calls.max(1);
        let amount = cost.saturating_mul(self.count.max(1).into());
        let (size, name) = match self.largest_within(amount / calls) {
            Some(size) => (size.count, format!(" {}", size.name)),
            None => (1, String::new()),
        };
        let whole = calls.saturating_mul(size);
        let decimals = match amount.saturating_abs() / whole {
            _ if size == 1 && amount % whole == 0 => 0,
            0..=9 => 2,
            10..=99 => 1,
            _ => 0,
        };
        rounded(amount, whole, decimals) + &name
    }

    /// The notation for a column with costs of about this size.
    pub fn notation(self, about: impl Into<i128>) -> Notation {
        const DECIMALS: u32 = 3;
        let count = i128::from(self.count);
        let amount = about.into().saturating_mul(count);
        let Some(size) = self.largest_within(amount / 10) else {
            return Notation::default();
        };
        let is_exact = |&decimals: &u32| count * 10i128.pow(decimals) % size.count == 0;
        Notation {
            count,
            size: size.count,
            name: size.name,
            decimals: (0..DECIMALS).find(is_exact).unwrap_or(DECIMALS),
        }
    }
}

/// The notation of the costs in a column: all with the same unit and number of decimals.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Notation {
    /// The unit of cost, in the smallest unit of its quantity.
    pub count: i128,
    /// The unit of the column, likewise.
    pub size: i128,
    /// The name of that unit.
    pub name: &'static str,
    pub decimals: u32,
}

impl Default for Notation {
    /// Costs without a unit, in full.
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
    /// A cost without its unit, which is in the heading.
    pub fn cost(&self, cost: impl Into<i128>) -> String {
        rounded(
            cost.into().saturating_mul(self.count),
            self.size,
            self.decimals,
        )
    }

    /// The heading of a column, with the unit if it is known.
    pub fn heading(&self, name: &str) -> String {
        match self.name {
            "" => name.to_owned(),
            unit => format!("{name} {unit}"),
        }
    }

    /// A cost with the unit of its column: `2.37 µs`, or `1,536` if it is unknown.
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
            (unit.count, unit.quantity)
        };
        assert_eq!(unit("10ns", 1), (10, Quantity::Time));
        assert_eq!(unit("us", 10), (10_000, Quantity::Time));
        assert_eq!(unit("bytes", 10), (10, Quantity::Memory));
        for (name, scale) in [("", 10), ("s", 1), ("us", u64::MAX), ("us", 0)] {
            assert_eq!(unit(name, scale), (0, Quantity::Count));
        }
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
    fn quotients_have_three_digits() {
        let time = |cost, calls| Unit::of("10ns", 1).quotient(cost, calls);
        assert_eq!(time(48_000_000, 1), "480 ms");
        assert_eq!(time(48_000_000, 400), "1.20 ms");
        assert_eq!(time(100, 3), "333 ns");
        assert_eq!(time(10, 3), "33.3 ns");
        assert_eq!(time(6, 3), "20 ns");
        assert_eq!(time(0, 3), "0 ns");
        assert_eq!(time(-5, 0), "-50 ns");
        assert_eq!(Unit::default().quotient(1_000, 3), "333");
        assert_eq!(Unit::default().quotient(10, 4), "2.50");
        for cost in [i128::MIN, i128::MAX] {
            time(cost, i128::MAX);
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
