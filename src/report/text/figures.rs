//! Numbers as people read them.

use crate::profile::{Cost, split_scale};

/// A number with its thousands apart: `-1,234,567`.
pub(in crate::report) fn grouped(number: impl Into<i128>) -> String {
    let number = number.into();
    let digits = number.unsigned_abs().to_string();
    let mut text = String::from(if number < 0 { "-" } else { "" });
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// How much of a total something is, in percent with two decimals.
///
/// Of nothing, and of less than nothing, there are no percentages: that is `-`.
pub(in crate::report) fn percent(part: Cost, total: Cost) -> String {
    if total <= 0 {
        return "-".to_owned();
    }
    let hundredths = divided(i128::from(part) * 10_000, i128::from(total));
    decimal(hundredths, 2)
}

/// The nanoseconds in one unit of an event whose name tells it, as `Time_(10ns)` does.
pub(in crate::report) fn nanoseconds(event: &[u8]) -> Option<i128> {
    let (name, scale) = split_scale(event);
    let name = std::str::from_utf8(name).ok()?.strip_suffix(')')?;
    let (_, unit) = name.rsplit_once('(')?;
    let letters = unit.trim_start_matches(|c: char| c.is_ascii_digit());
    let count = match &unit[..unit.len() - letters.len()] {
        "" => 1,
        digits => digits.parse::<i128>().ok()?,
    };
    let unit = match letters {
        "ns" => 1,
        "us" | "µs" => 1_000,
        "ms" => 1_000_000,
        _ => return None,
    };
    count.checked_mul(unit)?.checked_mul(i128::from(scale))
}

/// A time with three digits, in a unit that suits it: `33.0 ms`.
pub(in crate::report) fn time(nanoseconds: i128) -> String {
    const UNITS: [(i128, &str); 4] = [
        (1_000_000_000, "s"),
        (1_000_000, "ms"),
        (1_000, "µs"),
        (1, "ns"),
    ];
    let size = nanoseconds.saturating_abs();
    let fits = |(unit, _): &&(i128, &str)| size >= *unit;
    let &(unit, name) = UNITS.iter().find(fits).unwrap_or(&UNITS[3]);
    let decimals = match size / unit {
        _ if unit == 1 => 0,
        0..=9 => 2,
        10..=99 => 1,
        _ => 0,
    };
    let steps = 10i128.pow(decimals);
    let number = match decimals {
        0 => grouped(divided(nanoseconds, unit)),
        _ => decimal(divided(nanoseconds * steps, unit), decimals),
    };
    format!("{number} {name}")
}

/// Divides, rounding to nearest, halves away from 0.
fn divided(number: i128, divisor: i128) -> i128 {
    let half = if number < 0 {
        -divisor / 2
    } else {
        divisor / 2
    };
    number.saturating_add(half) / divisor
}

/// A number given in its last decimals: 3420 with 2 of them is `34.20`.
fn decimal(number: i128, decimals: u32) -> String {
    let steps = 10u128.pow(decimals);
    let sign = if number < 0 { "-" } else { "" };
    let size = number.unsigned_abs();
    let digits = decimals as usize;
    format!("{sign}{}.{:0digits$}", size / steps, size % steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_stand_apart() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(-1000), "-1,000");
        assert_eq!(grouped(123_456), "123,456");
        assert_eq!(grouped(Cost::MIN), "-9,223,372,036,854,775,808");
        assert_eq!(grouped(u64::MAX), "18,446,744,073,709,551,615");
    }

    #[test]
    fn percentages_are_rounded_and_never_divide_by_nothing() {
        assert_eq!(percent(1, 3), "33.33");
        assert_eq!(percent(2, 3), "66.67");
        assert_eq!(percent(3, 3), "100.00");
        assert_eq!(percent(7, 2), "350.00");
        assert_eq!(percent(-1, 8), "-12.50");
        assert_eq!(percent(-1, 1_000_000), "0.00");
        assert_eq!(percent(5, 0), "-");
        assert_eq!(percent(5, -10), "-");
        assert_eq!(percent(Cost::MAX, 1), "922337203685477580700.00");
    }

    #[test]
    fn units_are_read_from_names_that_tell_them() {
        assert_eq!(nanoseconds(b"Time_(10ns)"), Some(10));
        assert_eq!(nanoseconds(b"Time_(us)"), Some(1_000));
        assert_eq!(nanoseconds(b"Time_(us)_(x10)"), Some(10_000));
        assert_eq!(nanoseconds(b"cpu(ms)"), Some(1_000_000));
        assert_eq!(nanoseconds(b"Memory_(bytes)"), None);
        assert_eq!(nanoseconds(b"Object(s)"), None);
        assert_eq!(nanoseconds(b"Time"), None);
        assert_eq!(nanoseconds(b"Ir_(x1000)"), None);
        assert_eq!(nanoseconds(b"Time_(-5ns)"), None);
        let huge = b"T(99999999999999999999999999999999999999us)_(x18446744073709551615)";
        assert_eq!(nanoseconds(huge), None);
    }

    #[test]
    fn times_have_three_digits() {
        assert_eq!(time(0), "0 ns");
        assert_eq!(time(999), "999 ns");
        assert_eq!(time(1_234), "1.23 µs");
        assert_eq!(time(33_001_230), "33.0 ms");
        assert_eq!(time(-250_400_000), "-250 ms");
        assert_eq!(time(1_500_000_000), "1.50 s");
        assert_eq!(time(43_210_000_000_000), "43,210 s");
        assert_eq!(time(i128::MIN + 1).len(), time(i128::MAX).len() + 1);
    }
}
