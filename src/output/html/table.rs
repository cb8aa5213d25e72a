//! Tables as columns of JSON, and the bytes that they may use.

use std::io;
use std::ops::Range;

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
    /// The position of the one that was asked for last.
    last_file: usize,
}

/// The position of a file, and the bytes that its name takes if it is new.
#[derive(Clone, Copy)]
pub(super) struct FilePlace {
    pub at: usize,
    bytes: usize,
}

impl Budget {
    pub fn new(left: usize) -> Self {
        Budget {
            left,
            files: IndexSet::default(),
            last_file: 0,
        }
    }

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
        let last = self.files.get_index(self.last_file);
        if last.is_none_or(|last| last != name) {
            self.last_file = match self.files.get_index_of(name) {
                Some(known) => known,
                None => return self.new_file(name),
            };
        }
        FilePlace {
            at: self.last_file,
            bytes: 0,
        }
    }

    fn new_file(&mut self, name: &[u8]) -> FilePlace {
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
    /// The values of the columns, one column after the other.
    lists: Vec<List>,
    rows: usize,
    events: usize,
    has_base: bool,
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

/// A column as a field.
struct Field {
    name: String,
    column: DataColumn,
    /// Its lists: one, or one for each event.
    lists: Range<usize>,
}

/// The values of a column, or of one event of it.
struct List {
    json: Vec<u8>,
    /// Where its last value begins, with its comma.
    last: usize,
    has_commas: bool,
}

impl DataTable {
    pub fn new(columns: &[DataColumn], events: usize, has_base: bool) -> Self {
        let mut table = DataTable {
            fields: Vec::new(),
            lists: Vec::new(),
            rows: 0,
            events,
            has_base,
            others: Vec::new(),
        };
        for &column in columns {
            let (name, has_sides, lists) = match column {
                DataColumn::Value(name) | DataColumn::Digit(name) => (name, false, 1),
                DataColumn::Count(name) => (name, true, 1),
                DataColumn::Cost(name) => (name, true, events),
            };
            let base = (has_sides && has_base).then_some("base_");
            for prefix in [""].into_iter().chain(base) {
                let first = table.lists.len();
                table.lists.extend((0..lists).map(|_| List {
                    json: Vec::new(),
                    last: 0,
                    has_commas: !matches!(column, DataColumn::Digit(_)),
                }));
                table.fields.push(Field {
                    name: format!("{prefix}{name}"),
                    column,
                    lists: first..table.lists.len(),
                });
            }
        }
        table
    }

    /// Begins a row.
    pub fn row(&mut self) -> DataRow<'_> {
        DataRow {
            table: self,
            values: 0,
            size: 0,
            is_ended: false,
        }
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The bytes that costs take in a row.
    pub fn size_of(&self, costs: &Sides<Vec<i128>>) -> usize {
        let values = self.values_of(costs);
        values.map(|cost| WholeNumber(cost).size()).sum()
    }

    /// The values of a row for costs. Missing ones are 0.
    fn values_of<'c>(&self, costs: &'c Sides<Vec<i128>>) -> impl Iterator<Item = i128> + use<'c> {
        let events = self.events;
        let base = self.has_base.then_some(&costs.base);
        let sides = [&costs.new].into_iter().chain(base);
        sides.flat_map(move |costs| {
            let cost = |event: usize| costs.get(event).copied().unwrap_or(0);
            (0..events).map(cost)
        })
    }

    /// Replaces an earlier end by the present one.
    pub fn save_end(&self, end: &mut TableEnd) {
        end.rows = self.rows;
        end.lengths.clear();
        end.lengths
            .extend(self.lists.iter().map(|list| list.json.len()));
    }

    /// Drops the rows after an end.
    pub fn cut(&mut self, end: &TableEnd) {
        for (at, list) in self.lists.iter_mut().enumerate() {
            list.json
                .truncate(end.lengths.get(at).copied().unwrap_or(0));
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
                record.json_field(&field.name, &self.json(field))?;
            }
            let mut others = self.others.iter();
            others.try_for_each(|(name, json)| record.json_field(name, json))
        })
    }

    /// The lists of a field as one value.
    fn json(&self, field: &Field) -> Vec<u8> {
        let lists = self.lists[field.lists.clone()].iter();
        let lists: Vec<&[u8]> = lists.map(|list| &list.json[..]).collect();
        let mut lists = lists.join(&b"],["[..]);
        let [start, end] = match field.column {
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

/// A new row of a table, which gets its values in the order of the columns. It stays only if it is ended.
pub(super) struct DataRow<'t> {
    table: &'t mut DataTable,
    /// The number of values so far.
    values: usize,
    /// The bytes that they take, with commas, also in other tables.
    size: usize,
    is_ended: bool,
}

impl Drop for DataRow<'_> {
    fn drop(&mut self) {
        if !self.is_ended {
            for list in &mut self.table.lists[..self.values] {
                list.json.truncate(list.last);
            }
        }
    }
}

impl DataRow<'_> {
    /// The bytes that it takes, with commas.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Ends it. Returns the bytes that it takes.
    pub fn end(mut self) -> usize {
        debug_assert_eq!(self.values, self.table.lists.len());
        self.table.rows += 1;
        self.is_ended = true;
        self.size
    }

    /// Ends it, if there is room for it.
    pub fn end_within(self, budget: &mut Budget) -> bool {
        let has_room = budget.take(self.size);
        if has_room {
            self.end();
        }
        has_room
    }

    #[inline(always)]
    fn push(&mut self, json: &[u8]) {
        let list = &mut self.table.lists[self.values];
        list.last = list.json.len();
        if list.has_commas && self.table.rows > 0 {
            list.json.push(b',');
        }
        list.json.extend_from_slice(json);
        self.values += 1;
        self.size += json.len() + 1;
    }

    fn push_number(&mut self, number: WholeNumber) {
        // Nearly all values are such numbers, so they do not take the way of other values.
        match u64::try_from(number.0) {
            Ok(exact @ ..=WholeNumber::MAX_EXACT) => {
                self.push(itoa::Buffer::new().format(exact).as_bytes())
            }
            _ => self.push(&to_json(&number)),
        }
    }

    pub fn text(mut self, text: &str) -> Self {
        self.push(&to_json(text));
        self
    }

    #[inline]
    pub fn number(mut self, number: impl Into<i128>) -> Self {
        self.push_number(WholeNumber(number.into()));
        self
    }

    /// Adds a position in a table, or -1.
    pub fn position(self, place: impl Into<Option<usize>>) -> Self {
        self.number(position(place).0)
    }

    /// Adds the position of a file.
    pub fn file(mut self, file: FilePlace) -> Self {
        self.size += file.bytes;
        self.position(file.at)
    }

    pub fn counts(self, counts: Sides<i128>) -> Self {
        let row = self.number(counts.new);
        if row.table.has_base {
            row.number(counts.base)
        } else {
            row
        }
    }

    /// Adds costs. Missing ones are 0.
    pub fn costs(self, costs: &Sides<Vec<i128>>) -> Self {
        self.table.values_of(costs).fold(self, DataRow::number)
    }
}

/// A whole number. Those over 2⁵³, which scripts cannot represent, are written as strings.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WholeNumber(pub i128);

impl WholeNumber {
    const MAX_EXACT: u64 = (1 << 53) - 1;

    /// The number, if scripts can represent it.
    fn exact(self) -> Option<i64> {
        let number = i64::try_from(self.0).ok();
        number.filter(|number| number.unsigned_abs() <= Self::MAX_EXACT)
    }

    /// The bytes that it takes in a list.
    pub fn size(self) -> usize {
        let exact = self.exact();
        let size = exact.map(|exact| itoa::Buffer::new().format(exact).len());
        size.unwrap_or_else(|| to_json(&self).len()) + 1
    }
}

impl<T: Into<i128>> From<T> for WholeNumber {
    fn from(number: T) -> Self {
        WholeNumber(number.into())
    }
}

impl Serialize for WholeNumber {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.exact() {
            Some(number) => serializer.serialize_i64(number),
            None => serializer.collect_str(&self.0),
        }
    }
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
