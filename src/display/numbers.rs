//! Numbers formatted for people.

/// A number with separated thousands: `-1,234,567`.
pub(crate) fn grouped(number: impl Into<i128>) -> String {
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

/// A count with its noun: `1 function`, `2 functions`.
pub(crate) fn counted(count: impl Into<i128>, what: &str) -> String {
    let count = count.into();
    let plural = match count {
        1 => "",
        _ if what.ends_with("ss") => "es",
        _ => "s",
    };
    format!("{} {what}{plural}", grouped(count))
}

/// A share of a total, in percent with two decimals.
///
/// If the total is 0 or negative, there is no percentage: the result is `-`.
pub(crate) fn percent(part: impl Into<i128>, total: impl Into<i128>) -> String {
    match total.into() {
        ..=0 => "-".to_owned(),
        total => rounded(part.into().saturating_mul(100), total, 2),
    }
}

/// A quotient with separated thousands and this number of decimals.
pub(crate) fn rounded(number: i128, divisor: i128, decimals: u32) -> String {
    let steps = 10i128.pow(decimals);
    let quotient = divided(number.saturating_mul(steps), divisor);
    if decimals == 0 {
        return grouped(quotient);
    }
    let sign = if quotient < 0 { "-" } else { "" };
    let [whole, fraction] = [quotient / steps, quotient % steps].map(i128::abs);
    format!(
        "{sign}{}.{fraction:0digits$}",
        grouped(whole),
        digits = decimals as usize
    )
}

/// Divides, rounding to nearest, halves away from 0.
pub(crate) fn divided(number: i128, divisor: i128) -> i128 {
    let half = divisor / 2 * number.signum();
    number.saturating_add(half) / divisor
}

/// A figure with the mark of estimates if it is one. A missing figure has no mark.
pub(crate) fn marked(is_estimated: bool, figure: String) -> String {
    match figure.as_str() {
        "-" => figure,
        _ if is_estimated => format!("~{figure}"),
        _ => figure,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Cost;

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
        assert_eq!(percent(Cost::MAX, 1), "922,337,203,685,477,580,700.00");
    }
}
