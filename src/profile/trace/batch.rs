//! Blocks of a trace and their calls, as they are handed over to be linked.

use super::invocations::InvocationCall;
use super::roles::Role;
use crate::profile::costs::{Cost, CostTable};
use crate::profile::ids::FunctionId;

/// A block that has ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    pub function: FunctionId,
    /// Self cost in the first column.
    pub matching: Cost,
    /// Whether its calls stand in place of the call to it.
    pub is_proxy: bool,
}

/// Blocks that follow one another, and their calls.
#[derive(Debug, Default)]
pub(super) struct Batch {
    /// Blocks in their order, each with where its calls end.
    pub blocks: Vec<(Block, usize)>,
    /// The self costs of the blocks.
    pub self_costs: CostTable,
    /// The calls of its blocks, one after the other.
    pub calls: Vec<InvocationCall>,
    /// The inclusive costs of the calls.
    pub call_costs: CostTable,
    /// Costs of calls in the first column, with their positions, where they are not that of the
    /// first event: which mostly is the first column.
    pub matching: Vec<(usize, Cost)>,
    /// Functions that first appear in it, and have to do with stacks.
    pub roles: Vec<(FunctionId, Role)>,
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

    /// An empty batch with room for as much as another one holds.
    pub fn like(other: &Batch) -> Self {
        Batch {
            blocks: Vec::with_capacity(other.blocks.len()),
            self_costs: other.self_costs.like(),
            calls: Vec::with_capacity(other.calls.len()),
            call_costs: other.call_costs.like(),
            ..Batch::default()
        }
    }

    /// Makes all rows longer.
    pub fn widen(&mut self, width: usize) {
        self.self_costs.widen(width);
        self.call_costs.widen(width);
    }

    /// How many blocks and calls there are.
    pub fn len(&self) -> usize {
        self.blocks.len() + self.calls.len()
    }

    /// The costs of its calls in the first column.
    pub fn first_column(&self) -> Vec<Cost> {
        let calls = 0..self.calls.len();
        let mut costs: Vec<Cost> = calls.map(|call| self.call_costs.first(call)).collect();
        for &(position, cost) in &self.matching {
            costs[position] = cost;
        }
        costs
    }

    /// Appends all of the batch that follows.
    pub fn append(&mut self, mut next: Batch) {
        let before = self.calls.len();
        self.widen(next.self_costs.width());
        next.widen(self.self_costs.width());
        self.self_costs.append(next.self_costs);
        self.call_costs.append(next.call_costs);
        let moved = |&(block, end): &(Block, usize)| (block, before + end);
        self.blocks.extend(next.blocks.iter().map(moved));
        self.calls.append(&mut next.calls);
        let moved = |&(position, cost): &(usize, Cost)| (before + position, cost);
        self.matching.extend(next.matching.iter().map(moved));
    }
}
