//! Rows of costs in half the memory: nearly all costs of single calls fit into 32 bits.

use crate::maps::HashMap;
use crate::tables::{ANY_WIDTH, Cost, first_cost};

/// Rows of costs that are not summed.
#[derive(Debug)]
pub(super) struct SmallRows {
    width: usize,
    /// The costs, row by row; [`LARGE`] in those that do not fit.
    costs: Vec<i32>,
    /// The rows that do not fit, by their numbers.
    large: HashMap<usize, Box<[Cost]>>,
}

/// Stands for the costs of a row that does not fit.
pub(super) const LARGE: i32 = i32::MIN;

/// A cost in 32 bits, or [`LARGE`].
fn small(cost: Cost) -> i32 {
    i32::try_from(cost).unwrap_or(LARGE)
}

impl Default for SmallRows {
    fn default() -> Self {
        SmallRows::new(1, 0)
    }
}

impl SmallRows {
    /// An empty table with `width` costs in each row, at least one, and with room for `rows` rows.
    pub fn new(width: usize, rows: usize) -> Self {
        let width = width.max(1);
        SmallRows {
            width,
            costs: Vec::with_capacity(width * rows),
            large: HashMap::default(),
        }
    }

    /// Appends zeros to all rows until they have `width` costs.
    pub fn widen(&mut self, width: usize) {
        if width > self.width {
            let mut wide = SmallRows::new(width, self.rows());
            let mut row = Vec::new();
            for number in 0..self.rows() {
                wide.push::<ANY_WIDTH>(self.row(number, &mut row));
            }
            *self = wide;
        }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.costs.len() / self.width
    }

    /// Adds a row of `WIDTH` costs. Missing costs at its end are 0.
    #[inline(always)]
    pub fn push<const WIDTH: usize>(&mut self, costs: &[Cost]) {
        if WIDTH != ANY_WIDTH
            && let Some(costs) = costs.first_chunk::<WIDTH>()
        {
            // `map` is slower.
            let mut row = [0; WIDTH];
            for (column, cost) in costs.iter().enumerate() {
                row[column] = small(*cost);
            }
            if !row.contains(&LARGE) {
                return self.costs.extend_from_slice(&row);
            }
        }
        self.push_any(costs);
    }

    #[inline(never)]
    fn push_any(&mut self, costs: &[Cost]) {
        let (row, start) = (self.rows(), self.costs.len());
        self.costs.resize(start + self.width, 0);
        self.set(row, costs);
    }

    /// Replaces a row.
    pub fn set(&mut self, row: usize, costs: &[Cost]) {
        let all = &mut self.costs[row * self.width..(row + 1) * self.width];
        all.fill(0);
        for (known, &cost) in all.iter_mut().zip(costs) {
            *known = small(cost);
        }
        if all.contains(&LARGE) {
            all.fill(LARGE);
            self.large.insert(row, costs.into());
        }
    }

    /// Removes the last row.
    pub fn pop(&mut self) {
        let start = self.costs.len().saturating_sub(self.width);
        self.costs.truncate(start);
    }

    /// The first cost in a row.
    #[inline]
    pub fn first(&self, row: usize) -> Cost {
        match self.costs[row * self.width] {
            LARGE => first_cost(self.large_row(row)),
            cost => cost.into(),
        }
    }

    #[cold]
    fn large_row(&self, row: usize) -> &[Cost] {
        self.large.get(&row).map_or(&[], |costs| costs)
    }

    /// The costs of a row, for which there is room in `buffer`. Missing costs at its end are 0.
    pub fn row<'r>(&'r self, row: usize, buffer: &'r mut Vec<Cost>) -> &'r [Cost] {
        let costs = &self.costs[row * self.width..(row + 1) * self.width];
        if costs.contains(&LARGE) {
            return self.large_row(row);
        }
        buffer.clear();
        buffer.extend(costs.iter().copied().map(Cost::from));
        buffer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_of_any_size_come_back() {
        let (most, least) = (Cost::from(i32::MAX), Cost::from(i32::MIN));
        let rows: [&[Cost]; 8] = [
            &[0, 7],
            &[most, least + 1],
            &[most + 1, 2],
            &[3, least],
            &[Cost::MIN, Cost::MAX],
            &[-5],
            &[],
            &[most + 1],
        ];
        let padded = |row: &[Cost], width| {
            let mut row = row.to_vec();
            row.resize(width, 0);
            row
        };
        let check = |table: &SmallRows, rows: &[&[Cost]]| {
            assert_eq!(table.rows(), rows.len());
            let mut buffer = Vec::new();
            for (number, row) in rows.iter().enumerate() {
                let found = table.row(number, &mut buffer).to_vec();
                assert_eq!(padded(&found, 3), padded(row, 3));
                assert_eq!(table.first(number), first_cost(row));
            }
        };
        let (mut two, mut any) = (SmallRows::new(2, 0), SmallRows::new(2, 9));
        for row in rows {
            two.push::<2>(row);
            any.push::<ANY_WIDTH>(row);
        }
        for mut table in [two, any] {
            check(&table, &rows);
            assert_eq!(table.first(2), most + 1);
            table.widen(3);
            check(&table, &rows);
            // A row that was large is small afterwards.
            table.set(4, rows[0]);
            table.set(0, rows[4]);
            table.pop();
            let changed = [4, 1, 2, 3, 0, 5, 6].map(|row| rows[row]);
            check(&table, &changed);
            table.push::<ANY_WIDTH>(&[1]);
            assert_eq!(table.first(7), 1);
        }
    }
}
