//! Tables as columns of JSON, and the bytes that they may use.

use std::io;

use serde_core::{Serialize, Serializer};

use crate::compare::Sides;
use crate::display::text::printable;
use crate::maps::IndexSet;
use crate::output::json::{Document, write_value};

/// The longest name in bytes.
const MAX_TEXT_LENGTH: usize = 12_000;

/// The position of a row that is not in the report.
const NONE: i128 = -1;

/// The bytes that may be used, and the names of files, to which tables refer by position.
pub(super) struct Budget {
    pub left: usize,
    pub files: IndexSet<Vec<u8>>,
}

/// The position of a file, and the bytes that its name takes if it is new.
#[derive(Clone, Copy)]
pub(super) struct FilePlace {
    pub at: usize,
    bytes: usize,
}

impl Budget {
    /// Uses a number of bytes, if they are left.
    pub fn take(&mut self, bytes: usize) -> bool {
        let left = self.left.checked_sub(bytes);
        self.left = left.unwrap_or(self.left);
        left.is_some()
    }

    /// Lets `user` take up to a percentage of the bytes that are left.
    pub fn lend<T>(&mut self, percent: usize, user: impl FnOnce(&mut Budget) -> T) -> T {
        let lent = self.left / 100 * percent;
        let rest = self.left - lent;
        self.left = lent;
        let result = user(self);
        self.left += rest;
        result
    }

    /// The position of a file, whose name is added if it is new.
    pub fn file(&mut self, name: &[u8]) -> FilePlace {
        if let Some(at) = self.files.get_index_of(name) {
            return FilePlace { at, bytes: 0 };
        }
        // Six more for its position, in case that it is outside of the source root.
        let bytes = text_size(&shown(name)) + 6;
        let (at, _) = self.files.insert_full(name.to_vec());
        FilePlace { at, bytes }
    }
}

/// The columns that a table has for a value of its rows.
#[derive(Clone, Copy)]
pub(super) enum DataColumn {
    /// One of numbers, positions or texts.
    Value(&'static str),
    /// A text of digits, mostly 0, without the zeros at its end.
    Digit(&'static str),
    /// One of numbers for each side that exists. That of the base is `base_…`.
    Count(&'static str),
    /// One of costs for each event, likewise.
    Cost(&'static str),
}

/// A table whose columns become fields of an object.
pub(super) struct DataTable {
    fields: Vec<Field>,
    rows: usize,
    /// Fields of the object that are no columns, as JSON.
    others: Vec<(&'static str, Vec<u8>)>,
}

/// Where the rows of a table ended once.
#[derive(Default)]
pub(super) struct TableEnd {
    rows: usize,
    /// The length of each list.
    lengths: Vec<usize>,
}

/// The values of a column as JSON, for each event if it has them.
struct Field {
    name: String,
    column: DataColumn,
    lists: Vec<Vec<u8>>,
}

impl DataTable {
    pub fn new(columns: &[DataColumn], events: usize, has_base: bool) -> Self {
        let fields = columns.iter().flat_map(|&column| {
            let (name, has_sides, lists) = match column {
                DataColumn::Value(name) | DataColumn::Digit(name) => (name, false, 1),
                DataColumn::Count(name) => (name, true, 1),
                DataColumn::Cost(name) => (name, true, events),
            };
            let base = (has_sides && has_base).then_some("base_");
            [""].into_iter().chain(base).map(move |prefix| Field {
                name: format!("{prefix}{name}"),
                column,
                lists: vec![Vec::new(); lists],
            })
        });
        DataTable {
            fields: fields.collect(),
            rows: 0,
            others: Vec::new(),
        }
    }

    /// Adds a row, if there is room for it.
    pub fn add(&mut self, row: &DataRow, budget: &mut Budget) -> bool {
        let has_room = budget.take(row.size());
        if has_room {
            self.push(row);
        }
        has_room
    }

    pub fn push(&mut self, row: &DataRow) {
        let (mut from, mut ends) = (0, row.ends.iter());
        for field in &mut self.fields {
            for (list, &end) in field.lists.iter_mut().zip(&mut ends) {
                if !matches!(field.column, DataColumn::Digit(_)) && self.rows > 0 {
                    list.push(b',');
                }
                list.extend_from_slice(&row.json[from..end]);
                from = end;
            }
        }
        self.rows += 1;
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Replaces an earlier end by the present one.
    pub fn save_end(&self, end: &mut TableEnd) {
        let lists = self.fields.iter().flat_map(|field| &field.lists);
        end.rows = self.rows;
        end.lengths.clear();
        end.lengths.extend(lists.map(Vec::len));
    }

    /// Drops the rows after an end.
    pub fn cut(&mut self, end: &TableEnd) {
        let lists = self.fields.iter_mut().flat_map(|field| &mut field.lists);
        for (at, list) in lists.enumerate() {
            list.truncate(end.lengths.get(at).copied().unwrap_or(0));
        }
        self.rows = end.rows;
    }

    /// Adds a field that is no column.
    pub fn set(&mut self, name: &'static str, value: &impl Serialize) {
        self.others.push((name, to_json(value)));
    }

    /// Writes the columns and the other fields as an object.
    pub fn write(&self, name: &str, document: &mut Document<'_>) -> io::Result<()> {
        document.record(name, |record| {
            for field in &self.fields {
                record.json_field(&field.name, &field.json())?;
            }
            let mut others = self.others.iter();
            others.try_for_each(|(name, json)| record.json_field(name, json))
        })
    }
}

impl Field {
    fn json(&self) -> Vec<u8> {
        let mut lists = self.lists.join(&b"],["[..]);
        let [start, end] = match self.column {
            DataColumn::Digit(_) => {
                while lists.pop_if(|digit| *digit == b'0').is_some() {}
                ["\"", "\""]
            }
            DataColumn::Value(_) | DataColumn::Count(_) => ["[", "]"],
            DataColumn::Cost(_) => ["[[", "]]"],
        };
        [start.as_bytes(), &lists, end.as_bytes()].concat()
    }
}

/// A row of a table, with the values in the order of its columns.
pub(super) struct DataRow {
    events: usize,
    has_base: bool,
    json: Vec<u8>,
    /// The end of each value.
    ends: Vec<usize>,
    /// The bytes that it takes in other tables.
    elsewhere: usize,
}

impl DataRow {
    pub fn new(events: usize, has_base: bool) -> Self {
        DataRow {
            events,
            has_base,
            // Enough for most rows.
            json: Vec::with_capacity(64),
            ends: Vec::with_capacity(8),
            elsewhere: 0,
        }
    }

    /// The bytes that it takes, with commas.
    pub fn size(&self) -> usize {
        self.json.len() + self.ends.len() + self.elsewhere
    }

    fn value(mut self, value: &(impl Serialize + ?Sized)) -> Self {
        self.json.extend(to_json(value));
        self.ends.push(self.json.len());
        self
    }

    pub fn text(self, text: &str) -> Self {
        self.value(text)
    }

    pub fn number(mut self, number: impl Into<i128>) -> Self {
        let number = WholeNumber(number.into());
        // Nearly all values are such numbers, so they do not take the way of other values.
        match i64::try_from(number.0) {
            Ok(small) if number.is_exact() => {
                push_digits(&mut self.json, small);
                self.ends.push(self.json.len());
                self
            }
            _ => self.value(&number),
        }
    }

    /// Adds a position in a table, or -1.
    pub fn position(self, place: impl Into<Option<usize>>) -> Self {
        self.number(position(place).0)
    }

    /// Adds the position of a file.
    pub fn file(mut self, file: FilePlace) -> Self {
        self.elsewhere += file.bytes;
        self.position(file.at)
    }

    pub fn counts(self, counts: Sides<i128>) -> Self {
        let row = self.number(counts.new);
        if row.has_base {
            row.number(counts.base)
        } else {
            row
        }
    }

    /// Adds costs. Missing ones are 0.
    pub fn costs(self, costs: &Sides<Vec<i128>>) -> Self {
        let (events, base) = (0..self.events, self.has_base);
        let sides = [&costs.new].into_iter().chain(base.then_some(&costs.base));
        let costs = sides.flat_map(|costs| {
            let cost = |event: usize| costs.get(event).copied().unwrap_or(0);
            events.clone().map(cost)
        });
        costs.fold(self, DataRow::number)
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

/// Appends a number in decimal digits.
fn push_digits(json: &mut Vec<u8>, number: i64) {
    if number < 0 {
        json.push(b'-');
    }
    let mut digits = [b'0'; 20];
    let (mut rest, mut start) = (number.unsigned_abs(), digits.len());
    for (at, digit) in digits.iter_mut().enumerate().rev() {
        *digit = b"0123456789"[(rest % 10) as usize];
        (rest, start) = (rest / 10, at);
        if rest == 0 {
            break;
        }
    }
    json.extend_from_slice(&digits[start..]);
}

/// A position in a table, or -1.
pub(super) fn position(place: impl Into<Option<usize>>) -> WholeNumber {
    WholeNumber(place.into().map_or(NONE, |place| place as i128))
}

/// Whether a character could end the element of the data, or a line of a script.
pub(super) fn ends_data(character: char) -> bool {
    matches!(character, '<' | '\u{2028}' | '\u{2029}')
}

fn to_json(value: &(impl Serialize + ?Sized)) -> Vec<u8> {
    let mut json = Vec::new();
    // Writing to memory does not fail.
    let _ = write_value(value, ends_data, &mut json);
    json
}

/// The bytes that a text takes in a list.
pub(super) fn text_size(text: &str) -> usize {
    to_json(text).len() + 1
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
