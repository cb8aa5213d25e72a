//! Batches of blocks and calls of a trace, which are linked together.

use std::ops::Range;

use super::contexts::CallSite;
use super::small_rows::{LARGE, SmallRows, small};
use super::stretches::Switch;
use crate::maps::HashMap;
use crate::tables::{ANY_WIDTH, Cost, CostTable, Costs, FunctionId};

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

/// A call of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct BatchCall {
    /// The number of its call site if these are needed, else of its callee.
    pub called: u32,
    /// Its cost in the first column, or [`LARGE`].
    cost: i32,
}

impl BatchCall {
    /// Its cost in the first column, if that is small.
    #[inline]
    pub fn small_cost(self) -> Option<Cost> {
        (self.cost != LARGE).then_some(self.cost.into())
    }
}

/// Consecutive blocks and their calls.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub blocks: Vec<Block>,
    /// The self costs of the blocks.
    pub self_costs: CostTable,
    /// The calls of its blocks, one after the other.
    pub calls: Vec<BatchCall>,
    /// Those costs in the first column that are large, by position.
    large: HashMap<usize, Cost>,
    /// The inclusive costs of the calls; empty as long as each is only the cost in the first column.
    call_costs: SmallRows,
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
            call_costs: SmallRows::new(width, if width > 1 { capacity } else { 0 }),
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
        let is_row = matches!(costs.row, [cost] if *cost == costs.matching);
        if !is_row || !self.call_costs.is_empty() {
            self.push_costs::<WIDTH>(costs.row);
        }
        let cost = small(costs.matching);
        if cost == LARGE {
            self.large.insert(self.calls.len(), costs.matching);
        }
        self.calls.push(BatchCall { called, cost });
    }

    #[inline(always)]
    fn push_costs<const WIDTH: usize>(&mut self, row: &[Cost]) {
        if self.call_costs.is_empty() {
            self.push_earlier();
        }
        self.call_costs.push::<WIDTH>(row);
    }

    /// Adds the costs of the calls so far.
    #[cold]
    fn push_earlier(&mut self) {
        for call in 0..self.calls.len() {
            let cost = self.matching(call);
            self.call_costs.push::<ANY_WIDTH>(&[cost]);
        }
    }

    /// The cost of a call in the first column.
    #[inline]
    pub fn matching(&self, call: usize) -> Cost {
        let small = self.calls[call].small_cost();
        small.unwrap_or_else(|| self.large.get(&call).copied().unwrap_or_default())
    }

    /// The first of the costs of a call.
    #[inline]
    pub fn first_cost(&self, call: usize) -> Cost {
        if self.call_costs.is_empty() {
            return self.matching(call);
        }
        self.call_costs.first(call)
    }

    /// The costs of a call, for which there is room in `buffer`. Missing costs at its end are 0.
    pub fn call_costs<'r>(&'r self, call: usize, buffer: &'r mut Vec<Cost>) -> &'r [Cost] {
        if !self.call_costs.is_empty() {
            return self.call_costs.row(call, buffer);
        }
        buffer.clear();
        buffer.push(self.matching(call));
        buffer
    }
}
