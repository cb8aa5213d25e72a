//! Batches of blocks and calls of a trace, which are linked together.

use std::ops::Range;

use super::contexts::CallSite;
use super::stretches::Switch;
use crate::tables::{Cost, CostTable, Costs, FunctionId, first_cost};

/// A block that has ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    pub function: FunctionId,
    /// Self cost in the first column.
    pub matching: Cost,
    /// Whether its calls replace the call to it.
    pub is_proxy: bool,
    /// Whether its function leaves one stack for another.
    pub switch: Option<Switch>,
    /// The end of its calls, which begin where those of the previous block end.
    pub end: usize,
}

/// Consecutive blocks and their calls.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub blocks: Vec<Block>,
    /// The self costs of the blocks.
    pub self_costs: CostTable,
    /// The callees of the calls of its blocks, one after the other.
    pub callees: Vec<FunctionId>,
    /// The inclusive costs of the calls.
    pub call_costs: CostTable,
    /// Their costs in the first column; empty as long as these are the first in each row.
    matching: Vec<Cost>,
    /// Their call sites; empty unless these are needed.
    sites: Vec<CallSite>,
}

impl Batch {
    /// A batch of rows of this many costs.
    pub fn new(width: usize) -> Self {
        Batch {
            self_costs: CostTable::new(width),
            call_costs: CostTable::new(width),
            ..Batch::default()
        }
    }

    /// An empty batch with the capacity of another one. Growing again costs 5% of a trace's
    /// instructions.
    pub fn like(other: &Batch) -> Self {
        Batch {
            blocks: Vec::with_capacity(other.blocks.len()),
            self_costs: other.self_costs.like(),
            callees: Vec::with_capacity(other.callees.len()),
            call_costs: other.call_costs.like(),
            matching: Vec::new(),
            sites: Vec::with_capacity(other.sites.len()),
        }
    }

    /// Makes all rows longer.
    pub fn widen(&mut self, width: usize) {
        self.self_costs.widen(width);
        self.call_costs.widen(width);
    }

    /// The number of blocks and calls.
    pub fn len(&self) -> usize {
        self.blocks.len() + self.callees.len()
    }

    /// Adds a call of the open block.
    #[inline(always)]
    pub fn push_call<const WIDTH: usize>(
        &mut self,
        callee: FunctionId,
        costs: Costs<'_>,
        site: Option<CallSite>,
    ) {
        if costs.matching != first_cost(costs.row) || !self.matching.is_empty() {
            self.push_matching(costs.matching);
        }
        self.callees.push(callee);
        self.call_costs.push::<WIDTH>(costs.row);
        self.sites.extend(site);
    }

    #[inline(never)]
    fn push_matching(&mut self, cost: Cost) {
        if self.matching.is_empty() {
            let rows = (0..self.callees.len()).map(|call| self.call_costs.row(call));
            self.matching.extend(rows.map(first_cost));
        }
        self.matching.push(cost);
    }

    /// The cost of a call in the first column.
    #[inline]
    pub fn matching<const WIDTH: usize>(&self, call: usize) -> Cost {
        if self.matching.is_empty() {
            return first_cost(self.call_costs.row_of::<WIDTH>(call));
        }
        self.matching[call]
    }

    /// The call site of a call, if it is needed.
    #[inline]
    pub fn site(&self, call: usize) -> Option<CallSite> {
        self.sites.get(call).copied()
    }

    /// The positions of the calls of a block.
    #[inline]
    pub fn calls_of(&self, block: usize) -> Range<usize> {
        let start = block
            .checked_sub(1)
            .map_or(0, |before| self.blocks[before].end);
        start..self.blocks[block].end
    }
}
