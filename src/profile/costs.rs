//! Costs: a row of numbers for each function, call edge and context, one number for each event.

use std::collections::HashMap;
use std::iter;
use std::ops::Range;

use foldhash::fast::RandomState;

use super::column_map::ColumnMap;
use super::ids::next_index;

/// A cost, in the unit of its event.
///
/// Signed, since Xdebug 2.6 to 2.9 write memory differences. Numbers and sums outside the range
/// stay at its limits; see [`Profile::has_saturated`](super::Profile::has_saturated).
pub type Cost = i64;

/// The costs of one line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Costs<'a> {
    /// One for each column that is summed, in their order.
    pub row: &'a [Cost],
    /// The cost in the first column of the profile, by which calls are matched with invocations.
    pub matching: Cost,
}

impl<'a> Costs<'a> {
    /// The costs of a row whose first column is the profile's first column, too.
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

/// The width of rows, where it is known only when the program runs.
///
/// Code for every line of a profile is compiled for rows of one and of two costs besides.
pub const ANY_WIDTH: usize = 0;

/// The most costs in a row that is kept in full: those of Valgrind's cache simulation.
///
/// A longer one is kept up to its last cost that is not 0, so that memory follows the numbers that
/// were read, and not the number of events times that of functions.
const FULL: usize = 9;

/// Sums of costs: a row for each function or call edge.
///
/// A sum that passes the end of 64 bits on its way is not lost: what it has beyond that is kept apart.
/// So sums are exact, whatever the order in which costs come.
#[derive(Clone, Debug)]
pub(super) struct CostTable {
    /// Costs per row.
    width: usize,
    /// Row by row.
    costs: Vec<Cost>,
    /// Where the rows are, if they are not kept in full.
    places: Vec<Place>,
    /// What sums have besides their `costs`, by the positions that these would have if all rows were
    /// kept in full: nearly always empty.
    beyond: HashMap<usize, i128, RandomState>,
}

/// The part of a row that is kept.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    start: usize,
    length: usize,
}

impl Default for CostTable {
    fn default() -> Self {
        CostTable::new(1)
    }
}

impl CostTable {
    /// A table of rows of this many costs: one at least, so that rows can be counted.
    pub fn new(width: usize) -> Self {
        CostTable {
            width: width.max(1),
            costs: Vec::new(),
            places: Vec::new(),
            beyond: HashMap::default(),
        }
    }

    /// A table of one row.
    pub fn one_row(width: usize) -> Self {
        let mut table = CostTable::new(width);
        table.push_zeros();
        table
    }

    /// How many costs a row has.
    pub fn width(&self) -> usize {
        self.width
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        if self.width > FULL {
            return self.places.len();
        }
        self.costs.len() / self.width
    }

    /// Makes all rows longer, by zeros at their ends.
    pub fn widen(&mut self, width: usize) {
        if width <= self.width {
            return;
        }
        let mapped = self.mapped(&ColumnMap::identity(width));
        *self = mapped;
    }

    /// An empty table of such rows, with room for as many.
    pub fn like(&self) -> Self {
        CostTable {
            costs: Vec::with_capacity(self.costs.len()),
            places: Vec::with_capacity(self.places.len()),
            ..CostTable::new(self.width)
        }
    }

    /// Adds a row of zeros.
    #[inline(always)]
    pub fn push_zeros(&mut self) {
        self.push::<ANY_WIDTH>(&[]);
    }

    /// Adds a row, which has `WIDTH` costs.
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
        self.push_more(costs);
    }

    #[inline(never)]
    fn push_more(&mut self, costs: &[Cost]) {
        let costs = &costs[..costs.len().min(self.width)];
        if self.width > FULL {
            let costs = without_end(costs);
            self.places.push(Place {
                start: self.costs.len(),
                length: costs.len(),
            });
            return self.costs.extend_from_slice(costs);
        }
        let end = self.costs.len() + self.width;
        self.costs.extend_from_slice(costs);
        self.costs.resize(end, 0);
    }

    /// Appends all rows of a table of the same width.
    pub fn append(&mut self, mut other: CostTable) {
        let (before, start) = (self.rows() * self.width, self.costs.len());
        self.costs.append(&mut other.costs);
        let places = other.places.into_iter();
        self.places.extend(places.map(|place| Place {
            start: start + place.start,
            ..place
        }));
        let beyond = other.beyond.into_iter();
        let beyond = beyond.map(|(at, more)| (before + at, more));
        self.beyond.extend(beyond);
    }

    /// Adds to a row, which has `WIDTH` costs.
    #[inline(always)]
    pub fn add<const WIDTH: usize>(&mut self, row: usize, costs: &[Cost]) {
        if WIDTH == 1 || WIDTH == ANY_WIDTH && self.width == 1 {
            let (Some(sum), Some(cost)) = (self.costs.get_mut(row), costs.first()) else {
                return;
            };
            let (added, has_passed) = sum.overflowing_add(*cost);
            *sum = added;
            if has_passed {
                pass(&mut self.beyond, row, *cost);
            }
            return;
        }
        let width = if WIDTH == ANY_WIDTH {
            self.width
        } else {
            WIDTH
        };
        let start = row * width;
        let kept = if WIDTH == ANY_WIDTH && width > FULL {
            self.with_room(row, without_end(costs).len())
        } else {
            start..start + width
        };
        let Some(sums) = self.costs.get_mut(kept) else {
            return;
        };
        for (at, (sum, cost)) in sums.iter_mut().zip(costs).enumerate() {
            let (added, has_passed) = sum.overflowing_add(*cost);
            *sum = added;
            if has_passed {
                pass(&mut self.beyond, start + at, *cost);
            }
        }
    }

    /// Where a row is kept, of which at least so many costs are to be.
    #[inline(never)]
    fn with_room(&mut self, row: usize, length: usize) -> Range<usize> {
        if self.width > FULL
            && let Some(place) = self.places.get_mut(row)
            && place.length < length
        {
            let kept = place.start..place.start + place.length;
            if kept.end < self.costs.len() {
                place.start = self.costs.len();
                self.costs.extend_from_within(kept);
            }
            place.length = length;
            self.costs.resize(place.start + length, 0);
        }
        self.kept(row)
    }

    /// Where a row is kept.
    #[inline]
    fn kept(&self, row: usize) -> Range<usize> {
        if self.width > FULL {
            let place = self.places.get(row).copied().unwrap_or_default();
            return place.start..place.start + place.length;
        }
        let start = row * self.width;
        start..start + self.width
    }

    /// Adds a row of another table of the same width.
    #[inline]
    pub fn add_row<const WIDTH: usize>(&mut self, row: usize, other: &CostTable, from: usize) {
        self.add::<WIDTH>(row, other.row_of::<WIDTH>(from));
        if !other.beyond.is_empty() {
            let more = (0..other.width).map(|column| other.beyond(from, column));
            self.add_exact(row, more);
        }
    }

    /// Adds a row to another one of this table.
    #[inline]
    pub fn add_within(&mut self, row: usize, from: usize) {
        if self.width == 1 && self.beyond.is_empty() {
            let cost = first_cost(self.row_of::<1>(from));
            return self.add::<1>(row, &[cost]);
        }
        self.add_more_within(row, from);
    }

    #[inline(never)]
    fn add_more_within(&mut self, row: usize, from: usize) {
        let from_costs = self.kept(from);
        let costs = self.with_room(row, from_costs.len());
        for (at, (from, to)) in from_costs.zip(costs).enumerate() {
            let cost = self.costs[from];
            let (added, has_passed) = self.costs[to].overflowing_add(cost);
            self.costs[to] = added;
            if has_passed {
                pass(&mut self.beyond, row * self.width + at, cost);
            }
        }
        if !self.beyond.is_empty() {
            let more = (0..self.width).map(|column| self.beyond(from, column));
            self.add_exact(row, Vec::from_iter(more));
        }
    }

    /// Adds to a row what may have more than 64 bits.
    #[cold]
    pub fn add_exact(&mut self, row: usize, costs: impl IntoIterator<Item = i128>) {
        for (column, cost) in (0..self.width).zip(costs).filter(|&(_, cost)| cost != 0) {
            self.set_exact(row, column, self.exact(row, column).saturating_add(cost));
        }
    }

    fn set_exact(&mut self, row: usize, column: usize, sum: i128) {
        let (at, cost) = (row * self.width + column, saturated(sum));
        let position = self.with_room(row, column + 1).start + column;
        self.costs[position] = cost;
        match sum - i128::from(cost) {
            0 => _ = self.beyond.remove(&at),
            more => _ = self.beyond.insert(at, more),
        }
    }

    /// A sum, with what it has beyond 64 bits.
    fn exact(&self, row: usize, column: usize) -> i128 {
        let cost = self.row(row).get(column).copied().unwrap_or(0);
        self.beyond(row, column).saturating_add(cost.into())
    }

    fn beyond(&self, row: usize, column: usize) -> i128 {
        let beyond = self.beyond.get(&(row * self.width + column));
        beyond.copied().unwrap_or(0)
    }

    /// The costs of a row. Of a long one, zeros at its end may be missing.
    #[inline]
    pub fn row(&self, row: usize) -> &[Cost] {
        self.costs.get(self.kept(row)).unwrap_or(&[])
    }

    /// The costs of a row, which has `WIDTH`.
    #[inline(always)]
    pub fn row_of<const WIDTH: usize>(&self, row: usize) -> &[Cost] {
        if WIDTH == ANY_WIDTH {
            return self.row(row);
        }
        let row = self.costs.get(row * WIDTH..(row + 1) * WIDTH);
        row.unwrap_or_default()
    }

    /// Puts other costs, `WIDTH` of them, in the place of a row.
    #[inline(always)]
    pub fn set<const WIDTH: usize>(&mut self, row: usize, costs: &[Cost]) {
        self.clear_row(row);
        self.add::<WIDTH>(row, costs);
    }

    /// Makes a row zeros again.
    #[inline]
    pub fn clear_row(&mut self, row: usize) {
        let kept = self.kept(row);
        if let Some(costs) = self.costs.get_mut(kept) {
            costs.fill(0);
        }
        if !self.beyond.is_empty() {
            let row = row * self.width..(row + 1) * self.width;
            row.for_each(|at| _ = self.beyond.remove(&at));
        }
    }

    /// The rows that follow from these.
    pub fn mapped(&self, map: &ColumnMap) -> CostTable {
        let mut table = CostTable::new(map.len());
        for row in 0..self.rows() {
            let column = |column: usize| {
                let is_there = column < self.width;
                if is_there { self.exact(row, column) } else { 0 }
            };
            table.push_zeros();
            table.add_exact(row, (0..map.len()).map(|event| map.exact(event, column)));
        }
        table
    }

    /// Puts the sums that do not fit into 64 bits at their limits, so that rows can be read, and says
    /// whether there are any.
    pub fn seal(&mut self) -> bool {
        for at in Vec::from_iter(self.beyond.keys().copied()) {
            let (row, column) = (at / self.width, at % self.width);
            self.set_exact(row, column, self.exact(row, column));
        }
        !self.beyond.is_empty()
    }
}

/// A row without the zeros at its end.
fn without_end(costs: &[Cost]) -> &[Cost] {
    let last = costs.iter().rposition(|&cost| cost != 0);
    &costs[..last.map_or(0, |last| last + 1)]
}

/// A row with the zeros that may be missing at its end: so many costs.
pub(crate) fn padded(costs: &[Cost], width: usize) -> impl Iterator<Item = Cost> {
    costs.iter().copied().chain(iter::repeat(0)).take(width)
}

/// Says that a sum has passed the end of 64 bits when this cost was added.
#[cold]
#[inline(never)]
fn pass(beyond: &mut HashMap<usize, i128, RandomState>, at: usize, cost: Cost) {
    let more = beyond.entry(at).or_insert(0);
    *more = more.saturating_add(i128::from(cost.signum()) << 64);
    if *more == 0 {
        beyond.remove(&at);
    }
}

/// The cost of 64 bits that is nearest.
pub(super) fn saturated(cost: i128) -> Cost {
    Cost::try_from(cost).unwrap_or(if cost > 0 { Cost::MAX } else { Cost::MIN })
}

/// Rows that come and go.
#[derive(Debug, Default)]
pub(super) struct CostPool {
    rows: CostTable,
    free: Vec<u32>,
}

impl CostPool {
    /// Makes all rows longer.
    pub fn widen(&mut self, width: usize) {
        self.rows.widen(width);
    }

    /// Keeps a row, which has `WIDTH` costs, and returns its number.
    pub fn keep<const WIDTH: usize>(&mut self, costs: &[Cost]) -> u32 {
        if let Some(row) = self.free.pop() {
            self.rows.set::<WIDTH>(row as usize, costs);
            return row;
        }
        let row = next_index(self.rows.rows());
        self.rows.push::<WIDTH>(costs);
        row
    }

    /// The costs of a row, which has `WIDTH`. Its number may be given to the next one that is kept.
    pub fn release<const WIDTH: usize>(&mut self, row: u32) -> &[Cost] {
        self.free.push(row);
        self.rows.row_of::<WIDTH>(row as usize)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn rows_get_longer() {
        let mut table = CostTable::new(1);
        table.push::<1>(&[5]);
        table.push_zeros();
        table.widen(3);
        table.add::<ANY_WIDTH>(1, &[1, 2, 3]);
        table.push::<3>(&[7]);
        table.add::<3>(0, &[1, 1]);
        assert_eq!(table.row(0), [6, 1, 0]);
        assert_eq!(table.row(1), [1, 2, 3]);
        assert_eq!(table.row(2), [7, 0, 0]);
        assert_eq!(table.row(3), [0; 0]);
        table.clear_row(1);
        assert_eq!(table.row(1), [0, 0, 0]);
    }

    /// What a long row has, with zeros at its end.
    fn long(table: &CostTable, row: usize) -> Vec<Cost> {
        padded(table.row(row), table.width()).collect()
    }

    #[test]
    fn long_rows_hold_what_is_not_zero() {
        const WIDTH: usize = FULL + 4;
        let at = |column: usize, cost| {
            let mut row = vec![0; WIDTH];
            row[column] = cost;
            row
        };
        let mut table = CostTable::new(WIDTH);
        table.push::<ANY_WIDTH>(&at(2, 5));
        table.push_zeros();
        assert_eq!(table.costs.len(), 3);
        // One that moves, one at the end, and one that grows in its place.
        table.add::<ANY_WIDTH>(0, &at(5, 7));
        table.add::<ANY_WIDTH>(1, &at(1, 1));
        table.add::<ANY_WIDTH>(1, &at(3, Cost::MAX));
        table.add::<ANY_WIDTH>(2, &at(3, 1));
        assert_eq!(table.row(0), [0, 0, 5, 0, 0, 7]);
        assert_eq!(table.row(1), [0, 1, 0, Cost::MAX]);
        table.add_within(1, 0);
        assert_eq!(table.row(1), [0, 1, 5, Cost::MAX, 0, 7]);

        let mut other = table.like();
        other.push::<ANY_WIDTH>(&at(WIDTH - 1, 1));
        other.append(table.clone());
        assert_eq!(other.rows(), 3);
        assert_eq!(long(&other, 1), long(&table, 0));
        other.clear_row(1);
        assert_eq!(long(&other, 1), vec![0; WIDTH]);

        // Sums come back from beyond 64 bits, also where nothing else is left of them.
        for _ in 0..2 {
            other.add::<ANY_WIDTH>(2, &at(9, Cost::MIN));
        }
        let mut copy = CostTable::one_row(WIDTH);
        copy.add_row::<ANY_WIDTH>(0, &other, 2);
        for table in [&mut copy, &mut other] {
            table.seal();
        }
        assert_eq!(long(&copy, 0)[9], Cost::MIN);
        assert_eq!(long(&copy, 0), long(&other, 2));
        let back = |column| if column == 9 { 1 << 64 } else { 0 };
        copy.add_exact(0, (0..WIDTH).map(back));
        assert_eq!(long(&copy, 0)[9], 0);
        assert!(!copy.seal());

        let mut short = CostTable::new(2);
        short.push::<ANY_WIDTH>(&[0, 3]);
        short.widen(WIDTH);
        assert_eq!(short.row(0), [0, 3]);
        short.add::<ANY_WIDTH>(0, &at(WIDTH - 1, 4));
        assert_eq!(long(&short, 0)[WIDTH - 1], 4);
        assert_eq!(
            short.mapped(&ColumnMap::of_columns(&[WIDTH - 1, 1])).row(0),
            [4, 3]
        );
    }

    #[test]
    fn sums_are_exact_in_any_order() {
        let (most, least) = (Cost::MAX - 7, -(Cost::MAX - 7));
        for costs in [
            [most, most, least],
            [most, least, most],
            [least, most, most],
        ] {
            let (mut table, mut others) = (CostTable::one_row(2), CostTable::one_row(2));
            for cost in costs {
                table.add::<2>(0, &[cost, cost]);
                others.add_row::<ANY_WIDTH>(0, &table, 0);
            }
            assert!(!table.seal());
            assert_eq!(table.row(0), [most, most]);
            let [first, second, third] = costs.map(i128::from);
            assert_eq!(others.exact(0, 1), 3 * first + 2 * second + third);
        }
        let mut table = CostTable::one_row(1);
        for _ in 0..5 {
            table.add::<1>(0, &[Cost::MIN]);
        }
        assert!(table.seal());
        assert_eq!(table.row(0), [Cost::MIN]);
        let mut rows = CostTable::new(2);
        rows.push::<2>(&[0, Cost::MAX]);
        rows.push_zeros();
        rows.add::<2>(0, &[0, Cost::MAX]);
        rows.add_within(1, 0);
        rows.clear_row(0);
        rows.seal();
        assert_eq!(rows.row(0), [0, 0]);
        assert_eq!(rows.row(1), [0, Cost::MAX]);
        let mut doubled = table.mapped(&ColumnMap::new(vec![vec![(0, 2)]]));
        assert_eq!(doubled.exact(0, 0), 10 * i128::from(Cost::MIN));
        doubled.add_exact(0, [-10 * i128::from(Cost::MIN) + 5]);
        assert_eq!(doubled.row(0), [5]);
        assert!(!doubled.seal());
    }

    /// A cost that is likely to matter.
    fn cost() -> impl Strategy<Value = Cost> {
        let ends = [Cost::MIN, Cost::MIN + 1, -1, 0, 0, 1, Cost::MAX];
        prop_oneof![prop::sample::select(ends.to_vec()), any::<Cost>()]
    }

    proptest! {
        /// Whatever is done to rows of any width, they are what exact numbers are.
        #[test]
        fn rows_are_what_exact_numbers_are(
            mut width in prop_oneof![1..4usize, FULL - 1..FULL + 4],
            steps in prop::collection::vec(
                (0..12u8, any::<bool>(), 0..8usize, 0..8usize, prop::collection::vec(cost(), 14)),
                1..40,
            ),
        ) {
            let mut table = CostTable::new(width);
            let mut rows: Vec<Vec<i128>> = Vec::new();
            for (step, is_known, to, from, costs) in steps {
                let costs = &costs[..width];
                let exact = || costs.iter().map(|&cost| i128::from(cost));
                let add = |row: &mut Vec<i128>, costs: Vec<i128>| {
                    row.iter_mut().zip(costs).for_each(|(sum, cost)| *sum += cost);
                };
                if rows.len() < 4 || step == 0 {
                    match width {
                        1 if is_known => table.push::<1>(costs),
                        2 if is_known => table.push::<2>(costs),
                        _ => table.push::<ANY_WIDTH>(costs),
                    }
                    rows.push(exact().collect());
                    continue;
                }
                let (to, from) = (to % rows.len(), from % rows.len());
                match step {
                    1 => {
                        table.push_zeros();
                        rows.push(vec![0; width]);
                    }
                    2..=4 => {
                        match width {
                            1 if is_known => table.add::<1>(to, costs),
                            2 if is_known => table.add::<2>(to, costs),
                            _ => table.add::<ANY_WIDTH>(to, costs),
                        }
                        add(&mut rows[to], exact().collect());
                    }
                    5 | 6 if to != from => {
                        table.add_within(to, from);
                        let costs = rows[from].clone();
                        add(&mut rows[to], costs);
                    }
                    7 => {
                        let other = table.clone();
                        table.add_row::<ANY_WIDTH>(to, &other, from);
                        let costs = rows[from].clone();
                        add(&mut rows[to], costs);
                    }
                    8 => {
                        match width {
                            1 if is_known => table.set::<1>(to, costs),
                            2 if is_known => table.set::<2>(to, costs),
                            _ => table.set::<ANY_WIDTH>(to, costs),
                        }
                        rows[to] = exact().collect();
                    }
                    9 if rows.len() < 30 => {
                        let mut whole = table.like();
                        whole.push::<ANY_WIDTH>(costs);
                        whole.append(table);
                        table = whole;
                        rows.insert(0, exact().collect());
                    }
                    10 => {
                        let more: Vec<i128> = exact().map(|cost| 3 * cost).collect();
                        table.add_exact(to, more.clone());
                        add(&mut rows[to], more);
                    }
                    11 if width < 14 => {
                        width += usize::from(is_known);
                        table.widen(width);
                        rows.iter_mut().for_each(|row| row.resize(width, 0));
                    }
                    _ => {
                        table.seal();
                    }
                }
                prop_assert_eq!((table.width(), table.rows()), (width, rows.len()));
            }
            let fits = |&cost: &i128| Cost::try_from(cost).is_ok();
            for (at, row) in rows.iter().enumerate() {
                let found = (0..width).map(|column| table.exact(at, column));
                prop_assert_eq!(&found.collect::<Vec<_>>(), row);
            }
            prop_assert_eq!(table.seal(), !rows.iter().flatten().all(fits));
            for (at, row) in rows.iter().enumerate() {
                let sealed: Vec<Cost> = row.iter().map(|&cost| saturated(cost)).collect();
                prop_assert_eq!(&long(&table, at), &sealed);
            }
        }
    }
}
