//! Costs of one event, and of several.
//!
//! Nearly all users want a single event, so its costs are fields of functions and calls. The costs
//! of further events are in separate [`CostTable`]s. These are empty if there is one event only,
//! and then take no time or memory.

/// A cost, in the unit of its event.
///
/// Signed, since Xdebug 2.6 to 2.9 write memory differences. Numbers and sums outside the range
/// stay at its limits; see [`Profile::has_saturated`](super::Profile::has_saturated).
pub type Cost = i64;

/// The costs of one line: one for each wanted event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Costs<'a> {
    /// The cost of the first wanted event.
    pub first: Cost,
    /// The costs of the further ones, in their order; those that are missing at the end are 0.
    pub more: &'a [Cost],
    /// The cost in the first column of the profile, by which calls are matched with invocations.
    pub matching: Cost,
}

impl Costs<'_> {
    /// The cost of a single event, which is the first column of the profile.
    #[inline]
    pub fn single(cost: Cost) -> Self {
        Costs {
            first: cost,
            more: &[],
            matching: cost,
        }
    }
}

/// Adds costs to sums of the same events, which may be fewer.
pub(super) fn add_all(sums: &mut Vec<Cost>, costs: &[Cost]) {
    if sums.len() < costs.len() {
        sums.resize(costs.len(), 0);
    }
    for (sum, cost) in sums.iter_mut().zip(costs) {
        *sum = sum.saturating_add(*cost);
    }
}

/// Sums of the events after the first: a row for each function or call edge.
#[derive(Clone, Debug, Default)]
pub(super) struct CostTable {
    /// Costs per row.
    width: usize,
    /// Row by row; rows at the end that were never added to are missing.
    costs: Vec<Cost>,
}

impl CostTable {
    /// Adds to a row.
    #[inline]
    pub fn add(&mut self, row: usize, costs: &[Cost]) {
        if !costs.is_empty() {
            self.add_some(row, costs);
        }
    }

    fn add_some(&mut self, row: usize, costs: &[Cost]) {
        if costs.len() > self.width {
            self.widen(costs.len());
        }
        let start = row * self.width;
        if self.costs.len() < start + self.width {
            self.costs.resize(start + self.width, 0);
        }
        for (sum, cost) in self.costs[start..].iter_mut().zip(costs) {
            *sum = sum.saturating_add(*cost);
        }
    }

    /// Makes room for further events, of which there are few.
    fn widen(&mut self, width: usize) {
        let mut costs = Vec::new();
        if self.width > 0 {
            for row in self.costs.chunks(self.width) {
                costs.extend_from_slice(row);
                costs.extend(std::iter::repeat_n(0, width - row.len()));
            }
        }
        *self = CostTable { width, costs };
    }

    /// The costs of a row; those that are missing at its end are 0.
    #[inline]
    pub fn row(&self, row: usize) -> &[Cost] {
        let start = row * self.width;
        self.costs.get(start..start + self.width).unwrap_or(&[])
    }

    /// All costs there are.
    pub fn all(&self) -> &[Cost] {
        &self.costs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_events_come_in_any_order() {
        let mut table = CostTable::default();
        table.add(2, &[5]);
        table.add(0, &[1, 2, 3]);
        table.add(2, &[1, 1]);
        assert_eq!(table.row(0), [1, 2, 3]);
        assert_eq!(table.row(1), [0, 0, 0]);
        assert_eq!(table.row(2), [6, 1, 0]);
        assert_eq!(table.row(3), [0; 0]);
        table.add(0, &[Cost::MAX]);
        assert_eq!(table.row(0), [Cost::MAX, 2, 3]);
    }
}
