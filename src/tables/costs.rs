//! Costs: a row of numbers for each function, call edge and context, one number for each event.

/// A cost, in the unit of its event.
///
/// Signed, because Xdebug 2.6 to 2.9 write memory differences. Numbers and sums outside the range
/// are clamped; see [`Profile::has_saturated`](crate::profile::Profile::has_saturated).
pub type Cost = i64;

/// The costs of one line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Costs<'a> {
    /// One cost for each summed column, in order.
    pub row: &'a [Cost],
    /// The cost in the first column of the profile, used to match calls with invocations.
    pub matching: Cost,
}

impl<'a> Costs<'a> {
    /// The costs of a row whose first column is also the profile's first column.
    #[inline]
    pub fn of(row: &'a [Cost]) -> Self {
        Costs {
            row,
            matching: first_cost(row),
        }
    }
}

/// The cost of the first event in a row.
pub(crate) fn first_cost(row: &[Cost]) -> Cost {
    row.first().copied().unwrap_or(0)
}

/// Stands for a row width that is only known at run time.
///
/// Code that runs for every line is also compiled for widths 1 and 2.
pub(crate) const ANY_WIDTH: usize = 0;

/// Sums of costs: a row for each function, call edge or context.
///
/// Sums are clamped to 64 bits.
#[derive(Clone, Debug)]
pub(crate) struct CostTable {
    /// The number of costs in a row.
    width: usize,
    /// The costs, row by row.
    costs: Vec<Cost>,
}

impl Default for CostTable {
    fn default() -> Self {
        CostTable::new(1)
    }
}

impl CostTable {
    /// An empty table with `width` costs in a row: at least one, so that rows can be counted.
    pub fn new(width: usize) -> Self {
        CostTable {
            width: width.max(1),
            costs: Vec::new(),
        }
    }

    /// A table of zeros.
    pub fn zeros(width: usize, rows: usize) -> Self {
        let mut table = CostTable::new(width);
        table.costs.resize(rows * table.width, 0);
        table
    }

    /// An empty table with room for this number of rows.
    pub fn with_capacity(width: usize, rows: usize) -> Self {
        let mut table = CostTable::new(width);
        table.costs.reserve(rows * table.width);
        table
    }

    /// The number of costs in a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.costs.len() / self.width
    }

    /// Whether any sum is at a 64-bit limit, and so was probably clamped.
    pub fn has_saturated(&self) -> bool {
        self.costs.contains(&Cost::MAX) || self.costs.contains(&Cost::MIN)
    }

    /// The total of each column.
    pub fn totals(&self) -> Vec<Cost> {
        let mut totals = vec![0i128; self.width];
        for row in self.costs.chunks(self.width) {
            for (total, &cost) in totals.iter_mut().zip(row) {
                *total += i128::from(cost);
            }
        }
        totals.into_iter().map(saturated).collect()
    }

    /// Appends zeros to all rows until they have `width` costs.
    pub fn widen(&mut self, width: usize) {
        let (before, rows) = (self.width, self.rows());
        if width <= before {
            return;
        }
        self.costs.resize(rows * width, 0);
        // Rows move towards the end, so the last row moves first.
        for row in (1..rows).rev() {
            self.costs
                .copy_within(row * before..(row + 1) * before, row * width);
        }
        for row in 0..rows {
            self.costs[row * width + before..(row + 1) * width].fill(0);
        }
        self.width = width;
    }

    /// Removes all rows from this one on.
    pub fn truncate(&mut self, rows: usize) {
        self.costs.truncate(rows * self.width);
    }

    /// Adds rows of which only the first cost is not 0.
    #[inline]
    pub fn extend_firsts(&mut self, costs: impl ExactSizeIterator<Item = Cost>) {
        if self.width == 1 {
            self.costs.extend(costs);
        } else {
            costs.for_each(|cost| self.push_padded(&[cost]));
        }
    }

    /// Adds a row of zeros.
    #[inline(always)]
    pub fn push_zeros(&mut self) {
        self.push::<ANY_WIDTH>(&[]);
    }

    /// Adds a row of `WIDTH` costs. Missing costs at its end are 0.
    #[inline(always)]
    pub fn push<const WIDTH: usize>(&mut self, costs: &[Cost]) {
        if WIDTH == 1 || WIDTH == ANY_WIDTH && self.width == 1 {
            return self.costs.push(first_cost(costs));
        }
        if WIDTH != ANY_WIDTH
            && let Some(row) = costs.first_chunk::<WIDTH>()
        {
            return self.costs.extend_from_slice(row);
        }
        self.push_padded(costs);
    }

    #[inline(never)]
    fn push_padded(&mut self, costs: &[Cost]) {
        let end = self.costs.len() + self.width;
        self.costs
            .extend_from_slice(&costs[..costs.len().min(self.width)]);
        self.costs.resize(end, 0);
    }

    /// Adds `costs` to a row of `WIDTH` costs.
    #[inline(always)]
    pub fn add<const WIDTH: usize>(&mut self, row: usize, costs: &[Cost]) {
        debug_assert!(row < self.rows(), "no row {row} of {}", self.rows());
        if WIDTH == 1 || WIDTH == ANY_WIDTH && self.width == 1 {
            if let (Some(sum), Some(cost)) = (self.costs.get_mut(row), costs.first()) {
                add_to(sum, *cost);
            }
            return;
        }
        // A known number of costs needs no loop.
        if WIDTH != ANY_WIDTH
            && let Some(costs) = costs.first_chunk::<WIDTH>()
        {
            let sums = self.costs.get_mut(row * WIDTH..(row + 1) * WIDTH);
            if let Some(sums) = sums.and_then(<[Cost]>::first_chunk_mut::<WIDTH>) {
                for (sum, cost) in sums.iter_mut().zip(costs) {
                    add_to(sum, *cost);
                }
            }
            return;
        }
        let sums = self.costs.get_mut(row * self.width..(row + 1) * self.width);
        for (sum, cost) in sums.unwrap_or_default().iter_mut().zip(costs) {
            add_to(sum, *cost);
        }
    }

    /// Adds costs to a row, which may be one after the last.
    #[inline(always)]
    pub fn add_or_push<const WIDTH: usize>(&mut self, row: usize, costs: &[Cost]) {
        let width = if WIDTH == ANY_WIDTH {
            self.width
        } else {
            WIDTH
        };
        if self.costs.len() == row * width {
            self.push::<WIDTH>(costs);
        } else {
            self.add_after_end(row, costs);
        }
    }

    #[inline(never)]
    fn add_after_end(&mut self, row: usize, costs: &[Cost]) {
        let rows = self.rows().max(row + 1);
        self.costs.resize(rows * self.width, 0);
        self.add::<ANY_WIDTH>(row, costs);
    }

    /// Adds row `from` of another table of the same width to a row.
    #[inline]
    pub fn add_row<const WIDTH: usize>(&mut self, row: usize, other: &CostTable, from: usize) {
        self.add::<WIDTH>(row, other.row_of::<WIDTH>(from));
    }

    /// Adds row `from` of this table to another row.
    #[inline]
    pub fn add_within(&mut self, row: usize, from: usize) {
        for column in 0..self.width {
            let cost = self.costs[from * self.width + column];
            let sum = &mut self.costs[row * self.width + column];
            add_to(sum, cost);
        }
    }

    /// Raises the costs of a row to these. Without such a row, the costs so far are 0.
    pub fn raise(&mut self, row: usize, costs: &[Cost]) {
        if costs.is_empty() {
            return;
        }
        let rows = self.rows().max(row + 1);
        self.costs.resize(rows * self.width, 0);
        let costs = costs.iter().take(self.width);
        for (sum, &cost) in self.costs[row * self.width..].iter_mut().zip(costs) {
            *sum = cost.max(*sum);
        }
    }

    /// The rows of `WIDTH` costs from this one on.
    #[inline(always)]
    pub fn rows_from<const WIDTH: usize>(&self, row: usize) -> impl Iterator<Item = &[Cost]> {
        let width = if WIDTH == ANY_WIDTH {
            self.width
        } else {
            WIDTH
        };
        self.costs[row * width..].chunks_exact(width)
    }

    /// The costs of a row.
    #[inline]
    pub fn row(&self, row: usize) -> &[Cost] {
        let costs = self.costs.get(row * self.width..(row + 1) * self.width);
        costs.unwrap_or_default()
    }

    /// The costs of a row of `WIDTH` costs.
    #[inline(always)]
    pub fn row_of<const WIDTH: usize>(&self, row: usize) -> &[Cost] {
        if WIDTH == ANY_WIDTH {
            return self.row(row);
        }
        let row = self.costs.get(row * WIDTH..(row + 1) * WIDTH);
        row.unwrap_or_default()
    }

    /// Replaces the `WIDTH` costs of a row.
    #[inline(always)]
    pub fn set<const WIDTH: usize>(&mut self, row: usize, costs: &[Cost]) {
        let before = self.costs.get_mut(row * self.width..(row + 1) * self.width);
        before.unwrap_or_default().fill(0);
        self.add::<WIDTH>(row, costs);
    }
}

/// Adds to a sum, clamped to 64 bits.
#[inline(always)]
fn add_to(sum: &mut Cost, cost: Cost) {
    let (added, overflows) = sum.overflowing_add(cost);
    *sum = added;
    if overflows {
        *sum = limit(cost);
    }
}

/// The limit to which a sum is clamped if adding `cost` made it overflow.
#[cold]
#[inline(never)]
fn limit(cost: Cost) -> Cost {
    if cost > 0 { Cost::MAX } else { Cost::MIN }
}

/// Clamps a cost to 64 bits.
pub(crate) fn saturated(cost: i128) -> Cost {
    Cost::try_from(cost).unwrap_or(if cost > 0 { Cost::MAX } else { Cost::MIN })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_get_longer() {
        let mut table = CostTable::new(1);
        table.push::<1>(&[5]);
        table.push_zeros();
        table.push::<1>(&[4]);
        table.widen(3);
        table.add::<ANY_WIDTH>(1, &[1, 2, 3]);
        table.push::<3>(&[7]);
        table.add::<3>(0, &[1, 1]);
        let rows: Vec<_> = (0..5).map(|row| table.row(row)).collect();
        let expected: [&[Cost]; 5] = [&[6, 1, 0], &[1, 2, 3], &[4, 0, 0], &[7, 0, 0], &[]];
        assert_eq!(rows, expected);
        table.widen(4);
        table.add_within(0, 1);
        assert_eq!(table.row(0), [7, 3, 3, 0]);
        assert_eq!(CostTable::zeros(2, 3).rows(), 3);
    }

    #[test]
    fn rows_are_raised() {
        let mut table = CostTable::new(2);
        table.raise(1, &[5, -1]);
        table.raise(1, &[4, 1, 9]);
        table.raise(0, &[3]);
        table.raise(2, &[]);
        let rows: Vec<_> = (0..3).map(|row| table.row(row)).collect();
        let expected: [&[Cost]; 3] = [&[3, 0], &[5, 1], &[]];
        assert_eq!(rows, expected);
    }

    #[test]
    fn sums_stay_at_the_limits_and_that_is_known() {
        for (limit, cost) in [(Cost::MAX, 1), (Cost::MIN, -1)] {
            let mut table = CostTable::zeros(2, 2);
            table.add::<2>(0, &[limit - 2 * cost, 0]);
            table.add::<ANY_WIDTH>(0, &[cost, 0]);
            assert_eq!(table.row(0), [limit - cost, 0]);
            assert!(!table.has_saturated());
            for _ in 0..2 {
                table.add::<2>(0, &[cost, cost]);
                assert!(table.has_saturated());
            }
            assert_eq!(table.row(0), [limit, 2 * cost]);
            table.add_within(1, 0);
            table.add_within(1, 0);
            assert_eq!(table.row(1), [limit, 4 * cost]);
        }
    }
}
