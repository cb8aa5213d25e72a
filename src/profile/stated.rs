//! The values of `summary:` lines.

use crate::tables::{ColumnMap, Cost, first_cost};

/// The sums of `summary:` lines, by event.
#[derive(Clone, Debug, Default)]
pub(super) struct Stated {
    /// The number of lines.
    pub lines: usize,
    pub sums: Vec<Cost>,
    /// The highest values of any line.
    pub highest: Vec<Cost>,
    /// The self costs of runs and parts whose lines state no cost.
    pub unstated: Vec<Cost>,
}

impl Stated {
    /// Adds a line with these numbers.
    pub fn add(&mut self, numbers: &[Cost]) {
        self.merge(&Stated {
            lines: 1,
            sums: numbers.to_vec(),
            highest: numbers.to_vec(),
            unstated: Vec::new(),
        });
    }

    /// Ends a run or part with these sums of self costs.
    pub fn end_section(&mut self, own: &[Cost]) {
        let stated = self.sums.iter().copied().chain(std::iter::repeat(0));
        let unstated = own.iter().zip(stated);
        let unstated = unstated.map(|(&own, stated)| if stated == 0 { own } else { 0 });
        self.unstated = unstated.collect();
    }

    pub fn merge(&mut self, other: &Stated) {
        self.lines = self.lines.saturating_add(other.lines);
        combine(&mut self.sums, &other.sums, Cost::saturating_add);
        combine(&mut self.highest, &other.highest, Cost::max);
        combine(&mut self.unstated, &other.unstated, Cost::saturating_add);
    }

    /// Replaces the numbers by those of other events, which are computed from these.
    pub fn map_events(&mut self, map: &ColumnMap) {
        for row in [&mut self.sums, &mut self.highest, &mut self.unstated] {
            *row = map.row(row);
        }
    }

    /// The sum of the lines for the first event, plus the self costs of runs and parts that state
    /// none.
    pub fn total(&self) -> Cost {
        first_cost(&self.sums).saturating_add(first_cost(&self.unstated))
    }
}

fn combine(own: &mut Vec<Cost>, other: &[Cost], combined: fn(Cost, Cost) -> Cost) {
    own.resize(own.len().max(other.len()), 0);
    for (own, other) in own.iter_mut().zip(other) {
        *own = combined(*own, *other);
    }
}

/// The costs in the value of a `summary:` line, up to the first word that is not a number.
///
/// As in cost lines, numbers may be hexadecimal, and those outside the range of a signed 64-bit
/// number become its limits. Digits that exceed 64 bits do not count as a number.
pub(crate) fn summary_costs(value: &[u8]) -> Vec<Cost> {
    words(value).map_while(summary_cost).collect()
}

fn summary_cost(word: &[u8]) -> Option<Cost> {
    let digits = word.strip_prefix(b"-");
    let (number, rest) = split_number(digits.unwrap_or(word))?;
    rest.is_empty().then(|| match digits {
        Some(_) => Cost::saturating_sub_unsigned(0, number),
        None => Cost::saturating_add_unsigned(0, number),
    })
}

/// The words in the value of a header line.
pub(crate) fn words(value: &[u8]) -> impl Iterator<Item = &[u8]> + Clone {
    let words = value.split(u8::is_ascii_whitespace);
    words.filter(|word| !word.is_empty())
}

/// Splits off the number at the beginning of a text, which may be hexadecimal; `None` if it has no
/// digits or more than 64 bits.
pub(super) fn split_number(text: &[u8]) -> Option<(u64, &[u8])> {
    let (radix, text) = match text {
        [b'0', b'x' | b'X', digits @ ..] => (16, digits),
        _ => (10, text),
    };
    let is_digit = |byte: &&u8| char::from(**byte).is_digit(radix);
    let (digits, rest) = text.split_at(text.iter().take_while(is_digit).count());
    let number = u64::from_str_radix(str::from_utf8(digits).ok()?, radix).ok()?;
    Some((number, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_are_read_as_far_as_they_are_numbers() {
        assert_eq!(summary_costs(b" 36163 -433456"), [36163, -433_456]);
        assert_eq!(summary_costs(b" 0x10\t7 x 8"), [16, 7]);
        assert_eq!(summary_costs(b"1 +2"), [1]);
        assert_eq!(summary_costs(b"1 -"), [1]);
        assert_eq!(summary_costs(b""), [0; 0]);
        let ends = b"18446744073709551615 -18446744073709551615 18446744073709551616 1";
        assert_eq!(summary_costs(ends), [Cost::MAX, Cost::MIN]);
    }
}
