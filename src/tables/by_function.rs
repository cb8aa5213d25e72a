//! The rows of a table by function.

use std::cmp::Ordering;

use super::ids::FunctionId;

/// For each function, the positions of its rows in a table.
///
/// The positions for function `f` are `positions[starts[f]..starts[f + 1]]`.
#[derive(Clone, Debug)]
pub(crate) struct ByFunction {
    starts: Vec<u32>,
    positions: Vec<u32>,
}

impl ByFunction {
    /// Groups rows by function, with a stable counting sort in linear time.
    pub fn new(rows: impl ExactSizeIterator<Item = FunctionId> + Clone, functions: usize) -> Self {
        // While rows are placed, `starts[f + 1]` is the next free position of function `f`. In the
        // end it is the start of function `f + 1`.
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

    /// Sorts the rows within each function.
    pub fn sort_by(mut self, compare: impl Fn(&u32, &u32) -> Ordering) -> Self {
        for bounds in self.starts.windows(2) {
            let rows = &mut self.positions[bounds[0] as usize..bounds[1] as usize];
            rows.sort_unstable_by(&compare);
        }
        self
    }

    /// The positions of a function's rows.
    pub fn of(&self, function: FunctionId) -> &[u32] {
        let function = function.index();
        &self.positions[self.starts[function] as usize..self.starts[function + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_listed_by_their_functions() {
        let rows = [2, 0, 2, 0, 1].map(FunctionId);
        let list = ByFunction::new(rows.into_iter(), 4);
        let of = [0, 1, 2, 3].map(|function| list.of(FunctionId(function)));
        assert_eq!(of, [&[1, 3][..], &[4], &[0, 2], &[]]);
        let list = list.sort_by(|a, b| b.cmp(a));
        assert_eq!(list.of(FunctionId(2)), [2, 0]);
    }
}
