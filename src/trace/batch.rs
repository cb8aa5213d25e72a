//! Batches of blocks and calls of a trace, which are linked together.

use super::stretches::Switch;
use crate::tables::{Cost, CostTable, FunctionId, NameId};

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

/// A call of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockCall {
    pub callee: FunctionId,
    /// The file in force.
    pub file: NameId,
    pub line: u64,
    /// Cost in the first column.
    pub matching: Cost,
}

/// Consecutive blocks and their calls.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub blocks: Vec<Block>,
    /// The self costs of the blocks.
    pub self_costs: CostTable,
    /// The calls of its blocks, one after the other.
    pub calls: Vec<BlockCall>,
    /// The inclusive costs of the calls.
    pub call_costs: CostTable,
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
            calls: Vec::with_capacity(other.calls.len()),
            call_costs: other.call_costs.like(),
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
}
