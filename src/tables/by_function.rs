//! The rows of a table by function.

use std::cmp::Ordering;

use super::ids::FunctionId;

/// The positions of every function's rows in a table, in their order.
///
/// Positions of function `f` are `positions[starts[f]..starts[f + 1]]`.
#[derive(Debug)]
pub(crate) struct ByFunction {
    starts: Vec<u32>,
    positions: Vec<u32>,
}

impl ByFunction {
    /// Sorts rows by function, by counting: linear and stable.
    pub fn new(rows: impl ExactSizeIterator<Item = FunctionId> + Clone, functions: usize) -> Self {
        // While rows are placed, the start of a function is stored one index further. At the end it
        // has become the start of the next one.
        let mut starts = vec![0u32; functions + 2];
        for function in rows.clone() {
            starts[function.index() + 2] += 1;
        }
        for f in 0..functions {
            starts[f + 2] += starts[f + 1];
        }
        let mut positions = vec![0u32; rows.len()];
        for (position, function) in (0u32..).zip(rows) {
            let start = &mut starts[function.index() + 1];
            positions[*start as usize] = position;
            *start += 1;
        }
        ByFunction { starts, positions }
    }

    /// Sorts the rows of each function further.
    pub fn sort_by(mut self, compare: impl Fn(&u32, &u32) -> Ordering) -> Self {
        for bounds in self.starts.windows(2) {
            let rows = &mut self.positions[bounds[0] as usize..bounds[1] as usize];
            rows.sort_unstable_by(&compare);
        }
        self
    }

    /// Positions of the rows of one function.
    pub fn of(&self, function: FunctionId) -> &[u32] {
        let function = function.index();
        &self.positions[self.starts[function] as usize..self.starts[function + 1] as usize]
    }
}
