//! The events of rows of costs: a linear map from one row to another.

use super::costs::{Cost, CostTable, saturated};

/// How the events of a row are computed from the columns of another one: each is a weighted sum of
/// columns.
///
/// It selects and orders the columns of a cost line, computes scaled and derived events, and
/// reorders the sums of one profile like another's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ColumnMap {
    /// For each event, its columns from 0 and their weights; without any, the event is absent.
    events: Vec<Vec<(usize, Cost)>>,
}

impl ColumnMap {
    /// A map to these events.
    pub(crate) fn new(events: Vec<Vec<(usize, Cost)>>) -> Self {
        ColumnMap { events }
    }

    /// A map to events each of which is one column.
    pub(crate) fn of_columns(columns: &[usize]) -> Self {
        let events = columns.iter().map(|&column| vec![(column, 1)]);
        ColumnMap::new(events.collect())
    }

    /// The number of events.
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// The positions of the events that these columns do not have, ascending.
    pub fn absent(&self) -> impl Iterator<Item = usize> {
        let events = self.events.iter().enumerate();
        events.filter_map(|(at, columns)| columns.is_empty().then_some(at))
    }

    /// Whether a column counts for any event.
    pub fn uses(&self, column: usize) -> bool {
        let mut columns = self.events.iter().flatten();
        columns.any(|&(used, _)| used == column)
    }

    /// The column of each event, if each is one unchanged column, and all differ.
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

    /// Whether it leaves rows of this width unchanged.
    pub(crate) fn is_identity(&self, width: usize) -> bool {
        self.columns()
            .is_some_and(|columns| columns.into_iter().eq(0..width))
    }

    /// The cost of an event. `cost` returns that of a column.
    pub(crate) fn exact(&self, event: usize, cost: impl Fn(usize) -> i128) -> i128 {
        let columns = self.events.get(event).into_iter().flatten();
        columns.fold(0, |sum: i128, &(column, weight)| {
            sum.saturating_add(cost(column).saturating_mul(weight.into()))
        })
    }

    /// The rows computed from those of a table.
    pub(crate) fn apply(&self, table: &CostTable) -> CostTable {
        table.mapped(self.len(), |row, event| self.exact_cost(event, row))
    }

    /// The cost of an event among the numbers of a line, however large; missing columns are 0.
    pub(crate) fn exact_cost(&self, event: usize, numbers: &[Cost]) -> i128 {
        self.exact(event, |column| {
            numbers.get(column).copied().unwrap_or(0).into()
        })
    }

    /// The same within the limits of 64 bits.
    pub fn cost(&self, event: usize, numbers: &[Cost]) -> Cost {
        saturated(self.exact_cost(event, numbers))
    }
}
