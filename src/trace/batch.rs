//! Batches of blocks and calls of a trace, which are linked together.

use std::mem::{replace, take};
use std::ops::Range;
use std::slice::from_ref;

use super::contexts::CallSite;
use super::small_rows::{LARGE, SmallRows};
use super::stretches::Switch;
use crate::maps::HashMap;
use crate::tables::{ANY_WIDTH, Cost, CostTable, Costs, FunctionId};

/// A block that has ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    pub function: FunctionId,
    /// The end of its calls, which begin where those of the block before it end.
    end: usize,
    /// Self cost in the first column.
    pub matching: Cost,
    /// Whether its calls replace the call to it. A proxy without calls stays.
    pub is_proxy: bool,
    /// Whether its function leaves one stack for another.
    pub switch: Option<Switch>,
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
    /// The calls of its blocks, one after the other.
    pub calls: Vec<BatchCall>,
    /// Those costs in the first column that are large, by position.
    large: HashMap<usize, Cost>,
    /// Whether costs are stored as rows: not as long as each is only the cost in the first column.
    has_rows: bool,
    /// The self costs of the blocks. Missing rows at its end are 0.
    self_costs: CostTable,
    /// The inclusive costs of the calls.
    call_costs: SmallRows,
    /// The self cost of the open block in the first column so far.
    pub matching: Cost,
    /// The callees and call sites that have the next numbers.
    pub new_sites: Vec<(FunctionId, CallSite)>,
}

impl Batch {
    /// A batch of rows of this many costs, with room for `capacity` blocks and calls.
    pub fn new(width: usize, capacity: usize) -> Self {
        let rows = if width > 1 { capacity } else { 0 };
        Batch {
            blocks: Vec::with_capacity(capacity),
            calls: Vec::with_capacity(capacity),
            self_costs: CostTable::with_capacity(width, rows),
            call_costs: SmallRows::new(width, rows),
            ..Batch::default()
        }
    }

    /// Makes all rows longer.
    pub fn widen(&mut self, width: usize) {
        self.self_costs.widen(width);
        self.call_costs.widen(width);
    }

    /// The number of costs in a row.
    pub fn width(&self) -> usize {
        self.self_costs.width()
    }

    /// The number of blocks and calls.
    pub fn len(&self) -> usize {
        self.blocks.len() + self.calls.len()
    }

    /// Whether costs have to be stored as a row.
    #[inline(always)]
    fn needs_row(&self, costs: Costs<'_>) -> bool {
        self.has_rows || !matches!(costs.row, [cost] if *cost == costs.matching)
    }

    /// Stores all costs so far as rows.
    #[cold]
    #[inline(never)]
    fn begin_rows(&mut self) {
        let blocks = self.blocks.iter().map(|block| block.matching);
        for cost in blocks.chain([self.matching]) {
            self.self_costs.push::<ANY_WIDTH>(&[cost]);
        }
        for call in 0..self.calls.len() {
            let cost = self.matching(call);
            self.call_costs.push::<ANY_WIDTH>(&[cost]);
        }
        self.has_rows = true;
    }

    /// Adds to the self costs of the open block.
    #[inline(always)]
    pub fn add_self_costs<const WIDTH: usize>(&mut self, costs: Costs<'_>) {
        if self.needs_row(costs) {
            if !self.has_rows {
                self.begin_rows();
            }
            let block = self.blocks.len();
            self.self_costs.add_or_push::<WIDTH>(block, costs.row);
        }
        match self.matching.checked_add(costs.matching) {
            Some(sum) => self.matching = sum,
            None => self.saturate(costs.matching),
        }
    }

    #[cold]
    #[inline(never)]
    fn saturate(&mut self, cost: Cost) {
        self.matching = self.matching.saturating_add(cost);
    }

    /// Adds a call of the open block.
    #[inline(always)]
    pub fn push_call<const WIDTH: usize>(&mut self, called: u32, costs: Costs<'_>) {
        if self.needs_row(costs) {
            if !self.has_rows {
                self.begin_rows();
            }
            self.call_costs.push::<WIDTH>(costs.row);
        }
        match i32::try_from(costs.matching) {
            Ok(cost) if cost != LARGE => self.calls.push(BatchCall { called, cost }),
            _ => self.push_large(called, costs.matching),
        }
    }

    #[cold]
    #[inline(never)]
    fn push_large(&mut self, called: u32, cost: Cost) {
        self.large.insert(self.calls.len(), cost);
        let cost = LARGE;
        self.calls.push(BatchCall { called, cost });
    }

    /// Ends the open block.
    #[inline(always)]
    pub fn end_block(&mut self, function: FunctionId) {
        self.blocks.push(Block {
            function,
            end: self.calls.len(),
            matching: take(&mut self.matching),
            is_proxy: false,
            switch: None,
        });
    }

    /// Marks the latest block.
    pub fn mark(&mut self, is_proxy: bool, switch: Option<Switch>) {
        let calls = self.calls_of(self.blocks.len() - 1);
        if let Some(block) = self.blocks.last_mut() {
            block.is_proxy = is_proxy && !calls.is_empty();
            block.switch = switch;
        }
    }

    /// The positions of the calls of a block.
    #[inline]
    pub fn calls_of(&self, block: usize) -> Range<usize> {
        let before = block.checked_sub(1).map(|before| &self.blocks[before]);
        before.map_or(0, |before| before.end)..self.blocks[block].end
    }

    /// The blocks and the positions of their calls.
    #[inline(always)]
    pub fn blocks_with_calls(&self) -> impl Iterator<Item = (&Block, Range<usize>)> {
        self.blocks.iter().scan(0, |end, block| {
            let first = replace(end, block.end);
            Some((block, first..block.end))
        })
    }

    /// The self costs of the blocks, unless each is only that in the first column.
    pub fn rows(&self) -> Option<&CostTable> {
        self.has_rows.then_some(&self.self_costs)
    }

    /// The self costs of a block. Missing costs at their end are 0.
    #[inline]
    pub fn self_costs<const WIDTH: usize>(&self, block: usize) -> &[Cost] {
        match self.rows() {
            Some(rows) => rows.row_of::<WIDTH>(block),
            None => from_ref(&self.blocks[block].matching),
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
        if self.has_rows {
            self.call_costs.first(call)
        } else {
            self.matching(call)
        }
    }

    /// The costs of a call, for which there is room in `buffer`. Missing costs at its end are 0.
    pub fn call_costs<'r>(&'r self, call: usize, buffer: &'r mut Vec<Cost>) -> &'r [Cost] {
        if self.has_rows {
            return self.call_costs.row(call, buffer);
        }
        buffer.clear();
        buffer.push(self.matching(call));
        buffer
    }
}
