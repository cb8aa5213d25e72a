//! A linear map from one row of costs to another.

use super::costs::{ANY_WIDTH, Cost, CostTable, saturated};

/// Maps a row of columns to a row of events. Each event is a weighted sum of columns.
///
/// Selects and orders the columns of a cost line, computes scaled and derived events, and puts the
/// sums of one profile into the order of another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ColumnMap {
    /// For each event, its columns, counted from 0, and their weights. An event without columns is
    /// absent.
    events: Vec<Vec<(usize, Cost)>>,
}

impl ColumnMap {
    /// A map to the given events.
    pub(crate) fn new(events: Vec<Vec<(usize, Cost)>>) -> Self {
        ColumnMap { events }
    }

    /// The number of events.
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// The positions of the absent events, ascending.
    pub fn absent(&self) -> impl Iterator<Item = usize> {
        let events = self.events.iter().enumerate();
        events.filter_map(|(at, columns)| columns.is_empty().then_some(at))
    }

    /// Whether any event uses a column.
    pub fn uses(&self, column: usize) -> bool {
        let mut columns = self.events.iter().flatten();
        columns.any(|&(used, _)| used == column)
    }

    /// The column of each event, if each event is a single unscaled column and no two share one.
    pub fn columns(&self) -> Option<Vec<usize>> {
        let mut columns = Vec::with_capacity(self.events.len());
        for event in &self.events {
            match event[..] {
                [(column, 1)] if !columns.contains(&column) => columns.push(column),
                _ => return None,
            }
        }
        Some(columns)
    }

    /// The same map without the events that are sums of several columns, which are absent.
    pub fn single_columns(&self) -> ColumnMap {
        let events = self.events.iter().map(|columns| match columns[..] {
            [column] => vec![column],
            _ => Vec::new(),
        });
        ColumnMap::new(events.collect())
    }

    /// Whether it leaves rows of this width unchanged.
    pub(crate) fn is_identity(&self, width: usize) -> bool {
        self.columns()
            .is_some_and(|columns| columns.into_iter().eq(0..width))
    }

    /// The cost of an event. `cost` returns the cost of a column.
    pub(crate) fn exact(&self, event: usize, cost: impl Fn(usize) -> i128) -> i128 {
        let columns = self.events.get(event).into_iter().flatten();
        columns.fold(0, |sum: i128, &(column, weight)| {
            sum.saturating_add(cost(column).saturating_mul(weight.into()))
        })
    }

    /// Maps every row of a table.
    pub(crate) fn apply(&self, table: &CostTable) -> CostTable {
        let mut mapped = CostTable::new(self.len());
        for row in 0..table.rows() {
            mapped.push::<ANY_WIDTH>(&self.row(table.row(row)));
        }
        mapped
    }

    /// Maps a row.
    pub fn row(&self, numbers: &[Cost]) -> Vec<Cost> {
        let events = 0..self.len();
        events.map(|event| self.cost(event, numbers)).collect()
    }

    /// The cost of an event in a row, clamped to 64 bits. Missing columns count as 0.
    pub fn cost(&self, event: usize, numbers: &[Cost]) -> Cost {
        saturated(self.exact(event, |column| {
            numbers.get(column).copied().unwrap_or(0).into()
        }))
    }
}
