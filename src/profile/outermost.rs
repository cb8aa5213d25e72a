//! Inclusive costs in which no cost counts twice.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::Cost;
use super::ids::FunctionId;

type Sums = HashMap<FunctionId, Cost, RandomState>;

/// For one invocation: the outermost inclusive cost of every function in its subtree.
///
/// *Outermost* are the invocations that have no invocation of the same function above them, up
/// to and including the root of the subtree.
#[derive(Debug)]
pub(super) struct Subtree {
    /// The root's function and its inclusive cost.
    root: (FunctionId, Cost),
    /// The other functions.
    below: Sums,
}

/// Works the outermost inclusive costs out in one pass over a trace.
///
/// Only the subtrees that nobody has claimed yet are held, each as one sum per function in it.
/// When an invocation ends, the sums of what it called are added up, and its own cost takes the
/// place of whatever its function had below it.
#[derive(Debug, Default)]
pub(super) struct Outermost {
    /// Sums over all subtrees that nobody can claim any more.
    totals: Sums,
    hasher: RandomState,
}

impl Outermost {
    /// Joins the subtrees below an invocation of `function` with the inclusive cost `cost`.
    pub fn join(
        &mut self,
        function: FunctionId,
        cost: Cost,
        children: impl Iterator<Item = Subtree>,
    ) -> Subtree {
        let mut below = Sums::with_hasher(self.hasher.clone());
        for child in children {
            // The larger sums stay where they are, so that no sum is moved more often than the
            // number of those around it doubles, however deep the calls are.
            let Subtree {
                root,
                below: mut sums,
            } = child;
            if sums.len() > below.len() {
                std::mem::swap(&mut sums, &mut below);
            }
            sums.into_iter().for_each(|sum| add(&mut below, sum));
            add(&mut below, root);
        }
        // Whatever this function had below is inside the root's cost.
        below.remove(&function);
        Subtree {
            root: (function, cost),
            below,
        }
    }

    /// Counts a subtree whose root nobody will claim.
    pub fn root(&mut self, subtree: &Subtree) {
        add(&mut self.totals, subtree.root);
        for (&function, &cost) in &subtree.below {
            add(&mut self.totals, (function, cost));
        }
    }

    /// The outermost inclusive cost of a function, over all roots counted so far.
    pub fn total(&self, function: FunctionId) -> Cost {
        self.totals.get(&function).copied().unwrap_or(0)
    }
}

fn add(sums: &mut Sums, (function, cost): (FunctionId, Cost)) {
    let sum = sums.entry(function).or_default();
    *sum = sum.saturating_add(cost);
}
