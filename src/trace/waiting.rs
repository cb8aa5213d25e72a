//! Invocations that nobody has claimed yet, and all that they called.
//!
//! With nodes of their own, they would have to be merged into those of their caller's other callees
//! later. Here they wait for their caller, and are added below its node at once.

use std::cell::Cell;
use std::ops::Range;

use super::batch::Batch;
use super::contexts::{ContextId, ContextKey, ContextTree};
use crate::tables::{Cost, CostTable, next_index};

/// The call that claimed a block of a batch.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Claim {
    /// The caller's block.
    pub caller: u32,
    /// The number of the called function or of the call site in the [`ContextTree`].
    pub called: u32,
}

/// The subtrees of invocations that nobody has claimed, one after the other.
#[derive(Debug, Default)]
pub(super) struct WaitingSubtrees {
    /// Those of a subtree are before all that they called.
    invocations: Vec<Waiting>,
    /// A row for each.
    self_costs: CostTable,
    subtrees: Vec<Subtree>,
    /// The most invocations in all of them.
    most: usize,
    /// The nodes of one subtree; stored here to keep the capacity.
    nodes: Vec<ContextId>,
}

/// An invocation in a subtree.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    key: ContextKey,
    /// The position of its caller in the subtree; 0 for the first one.
    caller: u32,
}

#[derive(Clone, Copy, Debug)]
struct Subtree {
    /// Where it begins.
    first: u32,
    /// Whether it is in the tree of contexts now, and only waits for those after it.
    is_entered: bool,
}

impl WaitingSubtrees {
    /// No subtrees, and room for this number of invocations.
    pub fn new(most: usize) -> Self {
        WaitingSubtrees {
            most,
            ..WaitingSubtrees::default()
        }
    }

    /// Makes all rows longer.
    pub fn widen(&mut self, width: usize) {
        self.self_costs.widen(width);
    }

    /// Whether there is room for this number of invocations.
    pub fn have_room(&self, invocations: usize) -> bool {
        self.invocations.len() + invocations <= self.most
    }

    /// Adds the last of these blocks and all that it called: the others. Returns the number of the
    /// subtree.
    // Inlined, it would cost nearly all blocks some instructions.
    #[inline(never)]
    pub fn push<const WIDTH: usize>(
        &mut self,
        batch: &Batch,
        claims: &[Claim],
        blocks: Range<usize>,
    ) -> u32 {
        let number = next_index(self.subtrees.len());
        self.subtrees.push(Subtree {
            first: next_index(self.invocations.len()),
            is_entered: false,
        });
        let Some(last) = blocks.clone().next_back() else {
            return number;
        };
        let called = blocks.start..last;
        let root = &batch.blocks[last];
        self.invocations.push(Waiting {
            key: ContextKey::new(root.function.number(), root.is_proxy),
            caller: 0,
        });
        let claims = &claims[called.clone()];
        let called = batch.blocks[called].iter().zip(claims).rev();
        let last = next_index(last);
        self.invocations
            .extend(called.map(|(block, claim)| Waiting {
                key: ContextKey::new(claim.called, block.is_proxy),
                caller: last - claim.caller,
            }));
        match batch.rows() {
            Some(rows) => {
                for block in blocks.rev() {
                    self.self_costs.push::<WIDTH>(rows.row_of::<WIDTH>(block));
                }
            }
            None => {
                let costs = batch.blocks[blocks].iter().map(|block| block.matching);
                self.self_costs.extend_firsts(costs.rev());
            }
        }
        number
    }

    /// Enters a subtree: its first invocation without a parent. Returns the node of that.
    pub fn enter<const WIDTH: usize>(
        &mut self,
        subtree: u32,
        contexts: &mut ContextTree,
    ) -> ContextId {
        self.add::<WIDTH>(subtree, contexts, |contexts, key, self_costs| {
            contexts.enter::<WIDTH>(key, 1, self_costs)
        })
    }

    /// Adds a subtree below a node. The key of its first invocation has this number there.
    pub fn add_below<const WIDTH: usize>(
        &mut self,
        subtree: u32,
        contexts: &mut ContextTree,
        parent: ContextId,
        number: u32,
    ) {
        self.add::<WIDTH>(subtree, contexts, |contexts, key, self_costs| {
            contexts.add_called::<WIDTH>(parent, key.with_number(number), self_costs)
        });
    }

    /// Adds a subtree, whose first invocation `add_first` adds.
    fn add<const WIDTH: usize>(
        &mut self,
        subtree: u32,
        contexts: &mut ContextTree,
        add_first: impl FnOnce(&mut ContextTree, ContextKey, &[Cost]) -> ContextId,
    ) -> ContextId {
        let Range { start, end } = self.invocations_of(subtree);
        let self_costs = self.self_costs.row_of::<WIDTH>(start);
        let node = add_first(contexts, self.invocations[start].key, self_costs);
        self.add_called::<WIDTH>(start + 1..end, contexts, node);
        self.remove(subtree);
        node
    }

    fn invocations_of(&self, subtree: u32) -> Range<usize> {
        let subtree = subtree as usize;
        let next = self.subtrees.get(subtree + 1);
        let end = next.map_or(self.invocations.len(), |next| next.first as usize);
        self.subtrees[subtree].first as usize..end
    }

    /// Adds all that an invocation called, below its node.
    // Inlined, its loop would not stay in registers.
    #[inline(never)]
    fn add_called<const WIDTH: usize>(
        &mut self,
        called: Range<usize>,
        contexts: &mut ContextTree,
        node: ContextId,
    ) {
        let count = 1 + called.len();
        if self.nodes.len() < count {
            self.nodes.resize(count, ContextId::NONE);
        }
        let nodes = Cell::from_mut(&mut self.nodes[..count]).as_slice_of_cells();
        nodes[0].set(node);
        let self_costs = self.self_costs.rows_from::<WIDTH>(called.start);
        let called = self.invocations[called].iter().zip(&nodes[1..]);
        for ((waiting, node), self_costs) in called.zip(self_costs) {
            let caller = nodes[waiting.caller as usize].get();
            node.set(contexts.add_called::<WIDTH>(caller, waiting.key, self_costs));
        }
    }

    /// Removes a subtree, as soon as all after it are removed.
    fn remove(&mut self, subtree: u32) {
        self.subtrees[subtree as usize].is_entered = true;
        while let Some(&Subtree {
            first,
            is_entered: true,
        }) = self.subtrees.last()
        {
            self.subtrees.pop();
            self.invocations.truncate(first as usize);
            self.self_costs.truncate(first as usize);
        }
    }
}
