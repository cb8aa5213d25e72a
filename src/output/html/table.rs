//! Tables as columns of JSON, and the bytes that they may use.

use std::io;

use indexmap::IndexMap;
use serde_core::{Serialize, Serializer};

use crate::compare::Sides;
use crate::display::text::printable;
use crate::output::json::Document;

/// The longest name in bytes.
const MAX_TEXT_LENGTH: usize = 12_000;

/// The position of a row that is not in the report.
const NONE: i64 = -1;

/// A number of bytes that may be used.
pub(super) struct Room(usize);

impl Room {
    pub fn new(bytes: usize) -> Self {
        Room(bytes)
    }

    pub fn left(&self) -> usize {
        self.0
    }

    /// Uses a number of bytes, if they are left.
    pub fn take(&mut self, bytes: usize) -> bool {
        let left = self.0.checked_sub(bytes);
        self.0 = left.unwrap_or(self.0);
        left.is_some()
    }

    /// Returns bytes that were taken in reserve.
    pub fn give_back(&mut self, bytes: usize) {
        self.0 += bytes;
    }

    /// Lets `user` take up to a percentage of the bytes that are left.
    pub fn lend<T>(&mut self, percent: usize, user: impl FnOnce(&mut Room) -> T) -> T {
        let lent = self.0 / 100 * percent;
        let mut part = Room(lent);
        let result = user(&mut part);
        self.0 -= lent - part.0;
        result
    }
}

/// A table as columns; costs have a column for each event.
pub(super) struct Table {
    pub texts: IndexMap<&'static str, Vec<String>>,
    /// A column of one digit for each row, written as an empty text if all digits are 0.
    digits: Option<(&'static str, String)>,
    numbers: IndexMap<&'static str, Vec<WholeNumber>>,
    costs: IndexMap<&'static str, Vec<Vec<WholeNumber>>>,
}

impl Table {
    pub fn new(numbers: &[&'static str], costs: &[&'static str], width: usize) -> Self {
        let numbers = numbers.iter().map(|&name| (name, Vec::new()));
        let costs = costs.iter().map(|&name| (name, vec![Vec::new(); width]));
        Table {
            texts: IndexMap::new(),
            digits: None,
            numbers: numbers.collect(),
            costs: costs.collect(),
        }
    }

    /// Adds a column for the digits of rows.
    pub fn with_digits(mut self, name: &'static str) -> Self {
        self.digits = Some((name, String::new()));
        self
    }

    /// Adds a row. Missing costs are 0.
    pub fn push(&mut self, row: &TableRow) {
        if let Some((_, digits)) = &mut self.digits {
            digits.push(char::from(b'0' + row.digit));
        }
        for (column, number) in self.numbers.values_mut().zip(&row.numbers) {
            column.push(*number);
        }
        for (columns, row) in self.costs.values_mut().zip(&row.costs) {
            for (at, column) in columns.iter_mut().enumerate() {
                column.push(WholeNumber(row.get(at).copied().unwrap_or(0)));
            }
        }
    }

    /// The most bytes that a row takes.
    pub fn size(&self, row: &TableRow) -> usize {
        let numbers = self.numbers.values().zip(&row.numbers);
        let numbers = numbers.map(|(_, number)| number.size());
        let costs = self.costs.values().zip(&row.costs).map(|(columns, costs)| {
            let missing = 2 * columns.len().saturating_sub(costs.len());
            let costs = costs.iter().map(|&cost| WholeNumber(cost).size());
            costs.sum::<usize>() + missing
        });
        numbers.sum::<usize>() + costs.sum::<usize>() + usize::from(self.digits.is_some())
    }

    pub fn rows(&self) -> usize {
        self.numbers.values().next().map_or(0, Vec::len)
    }

    /// Writes the columns as fields of an object.
    pub fn write(&self, record: &mut Document<'_>) -> io::Result<()> {
        (self.texts.iter()).try_for_each(|(name, column)| record.field(name, column))?;
        (self.numbers.iter()).try_for_each(|(name, column)| record.field(name, column))?;
        (self.costs.iter()).try_for_each(|(name, columns)| record.field(name, columns))?;
        (self.digits.iter()).try_for_each(|(name, digits)| {
            let is_plain = digits.bytes().all(|digit| digit == b'0');
            record.field(name, if is_plain { "" } else { digits })
        })
    }
}

/// A row of a table. `costs` has a list for each kind of cost, with one cost per event.
pub(super) struct TableRow {
    pub numbers: Vec<WholeNumber>,
    pub costs: Vec<Vec<i128>>,
    pub digit: u8,
}

impl TableRow {
    /// A row whose costs are those of both sides; tables without a base ignore the second ones.
    pub fn of_sides(numbers: Vec<WholeNumber>, costs: Sides<Vec<i128>>, digit: u8) -> Self {
        let costs = vec![costs.new, costs.base];
        TableRow {
            numbers,
            costs,
            digit,
        }
    }
}

/// A whole number. Those over 2⁵³, which scripts cannot represent, are written as strings.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WholeNumber(pub i128);

impl WholeNumber {
    const MAX_EXACT: u64 = (1 << 53) - 1;

    fn is_exact(self) -> bool {
        self.0.unsigned_abs() <= Self::MAX_EXACT.into()
    }

    /// The bytes that the number takes in a list, with a comma.
    pub fn size(self) -> usize {
        let digits = self.0.unsigned_abs().checked_ilog10().unwrap_or(0) as usize + 1;
        let quotes = if self.is_exact() { 0 } else { 2 };
        digits + quotes + usize::from(self.0 < 0) + 1
    }
}

impl<T: Into<i128>> From<T> for WholeNumber {
    fn from(number: T) -> Self {
        WholeNumber(number.into())
    }
}

impl Serialize for WholeNumber {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match i64::try_from(self.0) {
            Ok(number) if self.is_exact() => serializer.serialize_i64(number),
            _ => serializer.collect_str(&self.0),
        }
    }
}

/// A position in a table, or -1.
pub(super) fn position(place: impl Into<Option<usize>>) -> WholeNumber {
    let place = place.into().and_then(|place| i64::try_from(place).ok());
    WholeNumber(place.unwrap_or(NONE).into())
}

/// Whether a character could end the element of the data, or a line of a script.
pub(super) fn ends_data(character: char) -> bool {
    matches!(character, '<' | '\u{2028}' | '\u{2029}')
}

/// The bytes that a text takes in a list, with quotes and a comma.
pub(super) fn text_size(text: &str) -> usize {
    let sizes = text.bytes().map(|byte| match byte {
        b'<' | ..=0x1f => 6,
        b'"' | b'\\' => 2,
        _ => 1,
    });
    sizes.sum::<usize>() + 3
}

/// A name as it is shown; cut if it is too long.
pub(super) fn shown(text: &[u8]) -> String {
    cut(printable(text), MAX_TEXT_LENGTH)
}

pub(super) fn cut(mut text: String, longest: usize) -> String {
    if text.len() > longest {
        let end = (0..=longest).rev().find(|&at| text.is_char_boundary(at));
        text.truncate(end.unwrap_or(0));
        text.push('…');
    }
    text
}

/// The indices of shares, the largest share first.
pub(super) fn by_share(shares: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..shares.len()).collect();
    order.sort_by(|&a, &b| shares[b].total_cmp(&shares[a]));
    order
}
