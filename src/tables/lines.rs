//! The self costs of functions by line.

use super::by_function::ByFunction;
use super::costs::{Cost, CostTable};
use super::ids::{FunctionId, NameId};
use super::numbering::Numbering;

/// A line with self costs of a function. The file is empty for the function's own file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct LineKey {
    pub function: FunctionId,
    pub file: NameId,
    pub line: u64,
}

impl LineKey {
    /// A line in the function's own file.
    pub fn own(function: FunctionId, line: u64) -> Self {
        LineKey {
            function,
            file: NameId::EMPTY,
            line,
        }
    }
}

/// The self costs of functions by line, in order of first appearance.
#[derive(Clone, Debug, Default)]
pub(crate) struct LineTable {
    keys: Vec<LineKey>,
    pub costs: CostTable,
    numbers: Numbering,
    /// The row that was added to last. Without debug information, a function has only one.
    latest: usize,
}

impl LineTable {
    /// An empty table with `width` costs in a row.
    pub fn new(width: usize) -> Self {
        LineTable {
            costs: CostTable::new(width),
            ..LineTable::default()
        }
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Adds the costs of a line, unless all are 0.
    #[inline]
    pub fn add<const WIDTH: usize>(&mut self, key: LineKey, costs: &[Cost]) {
        if costs.iter().all(|&cost| cost == 0) {
            return;
        }
        let keys = &self.keys;
        if keys.get(self.latest) != Some(&key) {
            let row = self.numbers.number(key, keys.len(), |row| keys[row]);
            self.latest = row as usize;
            if self.latest == keys.len() {
                self.keys.push(key);
                return self.costs.push::<WIDTH>(costs);
            }
        }
        self.costs.add::<WIDTH>(self.latest, costs);
    }

    /// The line and costs of a row.
    pub fn at(&self, row: usize) -> (LineKey, &[Cost]) {
        (self.keys[row], self.costs.row(row))
    }

    /// The files in the table, each at least once; empty for the functions' own files.
    pub fn files(&self) -> impl Iterator<Item = NameId> {
        let files = self.keys.chunk_by(|a, b| a.file == b.file);
        files.map(|keys| keys[0].file)
    }

    /// The rows, sorted by function, file (the function's own first) and line.
    pub fn sorted<'a>(&self, functions: usize, name: impl Fn(NameId) -> &'a [u8]) -> ByFunction {
        let rows = self.keys.iter().map(|key| key.function);
        ByFunction::new(rows, functions).sort_by(|&a, &b| {
            let [a, b] = [a, b].map(|row| &self.keys[row as usize]);
            if a.file == b.file {
                a.line.cmp(&b.line)
            } else {
                name(a.file).cmp(name(b.file))
            }
        })
    }
}
