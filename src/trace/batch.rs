//! Batches of blocks and calls of a trace, which are linked together.

use std::ops::Range;

use super::contexts::CallSite;
use super::small_rows::SmallRows;
use super::stretches::Switch;
use crate::tables::{ANY_WIDTH, Cost, CostTable, Costs, FunctionId, first_cost};

/// A block that has ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    pub function: FunctionId,
    /// The position of its first call, and the end of its calls.
    pub calls: (u32, u32),
    /// Self cost in the first column.
    pub matching: Cost,
    /// Whether its calls replace the call to it. A proxy without calls stays.
    pub is_proxy: bool,
    /// Whether its function leaves one stack for another.
    pub switch: Option<Switch>,
}

impl Block {
    /// The positions of its calls.
    #[inline]
    pub fn calls(&self) -> Range<usize> {
        self.calls.0 as usize..self.calls.1 as usize
    }
}

/// Consecutive blocks and their calls.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub blocks: Vec<Block>,
    /// The self costs of the blocks.
    pub self_costs: CostTable,
    /// The calls of its blocks, one after the other: the numbers of their call sites if these are
    /// needed, else of their callees.
    pub calls: Vec<u32>,
    /// The inclusive costs of the calls.
    pub call_costs: SmallRows,
    /// Their costs in the first column; empty as long as these are the first in each row.
    matching: SmallRows,
    /// The callees and call sites that have the next numbers.
    pub new_sites: Vec<(FunctionId, CallSite)>,
}

impl Batch {
    /// A batch of rows of this many costs, with room for `capacity` blocks and calls.
    pub fn new(width: usize, capacity: usize) -> Self {
        Batch {
            blocks: Vec::with_capacity(capacity),
            self_costs: CostTable::with_capacity(width, capacity),
            calls: Vec::with_capacity(capacity),
            call_costs: SmallRows::new(width, capacity),
            ..Batch::default()
        }
    }

    /// Makes all rows longer.
    pub fn widen(&mut self, width: usize) {
        self.self_costs.widen(width);
        self.call_costs.widen(width);
    }

    /// The number of blocks and calls.
    pub fn len(&self) -> usize {
        self.blocks.len() + self.calls.len()
    }

    /// Adds a call of the open block.
    #[inline(always)]
    pub fn push_call<const WIDTH: usize>(&mut self, called: u32, costs: Costs<'_>) {
        if costs.matching != first_cost(costs.row) || !self.matching.is_empty() {
            self.push_matching(costs.matching);
        }
        self.calls.push(called);
        self.call_costs.push::<WIDTH>(costs.row);
    }

    #[inline(never)]
    fn push_matching(&mut self, cost: Cost) {
        if self.matching.is_empty() {
            for call in 0..self.calls.len() {
                let first = self.call_costs.first::<ANY_WIDTH>(call);
                self.matching.push::<1>(&[first]);
            }
        }
        self.matching.push::<1>(&[cost]);
    }

    /// The cost of a call in the first column.
    #[inline]
    pub fn matching<const WIDTH: usize>(&self, call: usize) -> Cost {
        if self.matching.is_empty() {
            return self.call_costs.first::<WIDTH>(call);
        }
        self.matching.first::<1>(call)
    }
}
