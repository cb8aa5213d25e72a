//! Blocks of a trace and their calls, as they are handed over to be linked.

use super::invocations::InvocationCall;
use super::roles::Role;
use crate::profile::Cost;
use crate::profile::ids::FunctionId;

/// A block that has ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    pub function: FunctionId,
    /// Self cost in the wanted event.
    pub self_cost: Cost,
    /// The same in the first column.
    pub matching: Cost,
    /// Whether its calls stand in place of the call to it.
    pub is_proxy: bool,
}

/// Blocks that follow one another, and their calls.
#[derive(Debug, Default)]
pub(super) struct Batch {
    /// Blocks in their order, each with where its calls end.
    pub blocks: Vec<(Block, usize)>,
    /// The calls of its blocks, one after the other.
    pub calls: Vec<InvocationCall>,
    /// Costs of calls in the first column, with their positions, where they are not the cost in the
    /// wanted event: which mostly is the first column.
    pub matching: Vec<(usize, Cost)>,
    /// Functions that first appear in it, and have to do with stacks.
    pub roles: Vec<(FunctionId, Role)>,
}

impl Batch {
    /// How many blocks and calls there are.
    pub fn len(&self) -> usize {
        self.blocks.len() + self.calls.len()
    }

    /// The costs of its calls in the first column.
    pub fn first_column(&self) -> Vec<Cost> {
        let mut costs: Vec<Cost> = self.calls.iter().map(|call| call.cost).collect();
        for &(position, cost) in &self.matching {
            costs[position] = cost;
        }
        costs
    }

    /// Appends all of the batch that follows.
    pub fn append(&mut self, mut next: Batch) {
        let before = self.calls.len();
        let moved = |&(block, end): &(Block, usize)| (block, before + end);
        self.blocks.extend(next.blocks.iter().map(moved));
        self.calls.append(&mut next.calls);
        let moved = |&(position, cost): &(usize, Cost)| (before + position, cost);
        self.matching.extend(next.matching.iter().map(moved));
    }
}
