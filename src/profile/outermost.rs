//! Inclusive costs in which no cost counts twice.

use super::Cost;
use super::ids::FunctionId;

/// For one invocation: the outermost inclusive cost of every function in its subtree.
///
/// *Outermost* are the invocations that have no invocation of the same function above them, up
/// to and including the root of the subtree.
#[derive(Debug)]
pub(super) struct Subtree {
    /// The root's function and its inclusive cost.
    root: (FunctionId, Cost),
    /// The other functions.
    below: Vec<(FunctionId, Cost)>,
}

/// Works the outermost inclusive costs out in one pass over a trace.
///
/// Only the subtrees that nobody has claimed yet are held, each as one sum per function in it.
/// When an invocation ends, the sums of what it called are added up, and its own cost takes the
/// place of whatever its function had below it.
#[derive(Debug, Default)]
pub(super) struct Outermost {
    /// Sums over all subtrees that nobody can claim any more.
    totals: Vec<Cost>,
    /// Scratch: sum per function while subtrees are joined, valid where `joined` lists it.
    sums: Vec<Option<Cost>>,
    joined: Vec<FunctionId>,
}

impl Outermost {
    /// Joins the subtrees below an invocation of `function` with the inclusive cost `cost`.
    pub fn join(
        &mut self,
        function: FunctionId,
        cost: Cost,
        mut children: impl Iterator<Item = Subtree>,
    ) -> Subtree {
        let root = (function, cost);
        let Some(first) = children.next() else {
            let below = Vec::new();
            return Subtree { root, below };
        };
        let Some(second) = children.next() else {
            return first.under(root);
        };
        self.add(&first);
        self.add(&second);
        children.for_each(|subtree| self.add(&subtree));
        // Whatever this function had below is inside the root's cost.
        if let Some(sum) = self.sums.get_mut(function.index()) {
            *sum = None;
        }
        let mut below = first.below;
        below.clear();
        for f in self.joined.drain(..) {
            if let Some(sum) = self.sums[f.index()].take() {
                below.push((f, sum));
            }
        }
        Subtree { root, below }
    }

    /// Counts a subtree whose root nobody will claim.
    pub fn root(&mut self, subtree: &Subtree) {
        for &(function, cost) in subtree.all() {
            let total = slot(&mut self.totals, function);
            *total = total.saturating_add(cost);
        }
    }

    /// The outermost inclusive cost of a function, over all roots counted so far.
    pub fn total(&self, function: FunctionId) -> Cost {
        self.totals.get(function.index()).copied().unwrap_or(0)
    }

    fn add(&mut self, subtree: &Subtree) {
        for &(function, cost) in subtree.all() {
            let sum = slot(&mut self.sums, function);
            if sum.is_none() {
                self.joined.push(function);
            }
            *sum = Some(sum.unwrap_or(0).saturating_add(cost));
        }
    }
}

impl Subtree {
    fn all(&self) -> impl Iterator<Item = &(FunctionId, Cost)> {
        std::iter::once(&self.root).chain(&self.below)
    }

    /// The subtree of a root that has this one alone below it; nothing is copied.
    fn under(mut self, root: (FunctionId, Cost)) -> Subtree {
        let below_root = self.below.iter().position(|(f, _)| *f == root.0);
        match below_root {
            // A function that has an outermost entry below is not the old root.
            Some(at) => self.below[at] = self.root,
            None if self.root.0 == root.0 => {}
            None => self.below.push(self.root),
        }
        self.root = root;
        self
    }
}

/// The entry of a function in a table that grows with the functions seen.
fn slot<T: Clone + Default>(table: &mut Vec<T>, function: FunctionId) -> &mut T {
    if table.len() <= function.index() {
        table.resize(function.index() + 1, T::default());
    }
    &mut table[function.index()]
}
