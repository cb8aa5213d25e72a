//! Stacks that are made of others.

use std::iter;

use super::{Estimated, Frame, Node, StackId, Stacks};
use crate::maps::HashMap;
use crate::tables::{ANY_WIDTH, CostTable, next_index};

/// The frame of what hidden functions cost that no shown function calls.
pub(crate) const HIDDEN: &[u8] = b"(hidden)";

/// The parent of the roots.
const TOP: u32 = 0;

impl<'a> Stacks<'a> {
    /// These stacks, in which those of several call graphs with the same frames are one.
    pub(super) fn joined(&self) -> Stacks<'a> {
        let mut made = MadeStacks::new(self);
        let mut places: Vec<u32> = Vec::with_capacity(self.nodes.len());
        for id in self.nodes() {
            let above = self.parent(id).map_or(TOP, |parent| places[parent.index()]);
            let node = self.node(id);
            let place = made.step(above, node.frame);
            made.add(place, node.calls, node.estimated, self.self_costs(id));
            places.push(place);
        }
        made.finish()
    }

    /// These stacks without hidden frames. The costs and the callees of these are their callers'; costs
    /// without a caller are those of a root, [`HIDDEN`].
    pub(crate) fn without(&self, is_hidden: impl Fn(StackId) -> bool) -> Stacks<'a> {
        let mut made = MadeStacks::new(self);
        // The new node of each node.
        let mut places: Vec<u32> = Vec::with_capacity(self.nodes.len());
        for id in self.nodes() {
            let above = self.parent(id).map_or(TOP, |parent| places[parent.index()]);
            let node = self.node(id);
            let hides = is_hidden(id);
            let place = if hides {
                above
            } else {
                made.step(above, node.frame)
            };
            places.push(place);
            let calls = if hides { 0 } else { node.calls };
            // Without a cost, there is nothing to be estimated.
            let costs = self.self_costs(id);
            let estimated = if costs.iter().all(|&cost| cost == 0) {
                node.estimated.min(Estimated::Inclusive)
            } else {
                node.estimated
            };
            made.add(place, calls, estimated, costs);
        }
        made.finish()
    }

    /// Those of these stacks that contain a frame that is wanted. Callers have the costs of these.
    pub(crate) fn containing(&self, is_wanted: impl Fn(StackId) -> bool) -> Stacks<'a> {
        let wanted: Vec<bool> = self.nodes().map(is_wanted).collect();
        let mut leads = wanted.clone();
        for id in self.nodes().rev().filter(|id| wanted[id.index()]) {
            let mut above = self.parent(id);
            while let Some(parent) = above.filter(|parent| !leads[parent.index()]) {
                leads[parent.index()] = true;
                above = self.parent(parent);
            }
        }
        let none = vec![0; self.self_costs.width()];
        let mut made = MadeStacks::new(self);
        // The new node of each node, and whether a frame up to it is wanted.
        let mut places: Vec<(u32, bool)> = Vec::with_capacity(self.nodes.len());
        for id in self.nodes() {
            let above = self.parent(id).map(|parent| places[parent.index()]);
            let (above, is_below) = above.unwrap_or((TOP, false));
            let is_within = is_below || wanted[id.index()];
            if !is_within && !leads[id.index()] {
                places.push((TOP, false));
                continue;
            }
            let node = self.node(id);
            let place = made.step(above, node.frame);
            places.push((place, is_within));
            if is_within {
                made.add(place, node.calls, node.estimated, self.self_costs(id));
            } else {
                made.add(place, node.calls, Estimated::Nothing, &none);
            }
        }
        made.finish()
    }

    /// The stacks below all frames that are wanted, as one tree; each begins with such a frame.
    pub(crate) fn below(&self, is_wanted: impl Fn(StackId) -> bool) -> Stacks<'a> {
        let mut made = MadeStacks::new(self);
        let mut places: Vec<Option<u32>> = Vec::with_capacity(self.nodes.len());
        for id in self.nodes() {
            let above = self.parent(id).and_then(|parent| places[parent.index()]);
            let above = above.or_else(|| is_wanted(id).then_some(TOP));
            let node = self.node(id);
            let place = above.map(|above| made.step(above, node.frame));
            places.push(place);
            if let Some(place) = place {
                made.add(place, node.calls, node.estimated, self.self_costs(id));
            }
        }
        made.finish()
    }

    /// The callers of all frames that are wanted, as one tree: each caller is below what it calls. A
    /// stack has the costs that the frame causes in it; recursive calls are part of the first one.
    pub(crate) fn above(&self, is_wanted: impl Fn(StackId) -> bool, depth: usize) -> Stacks<'a> {
        let none = vec![0; self.self_costs.width()];
        let mut made = MadeStacks::new(self);
        // The end of the stacks that begin with the last wanted frame.
        let mut end = StackId(0);
        for id in self.nodes() {
            if id < end || !is_wanted(id) {
                continue;
            }
            let first = self.node(id);
            end = first.end;
            let way = iter::successors(Some(id), |&id| self.parent(id)).take(depth);
            let mut place = TOP;
            for caller in way {
                place = made.step(place, self.node(caller).frame);
                made.add(place, first.calls, Estimated::Nothing, &none);
            }
            let estimated = match first.estimated {
                Estimated::Nothing => Estimated::Nothing,
                _ => Estimated::SelfAndInclusive,
            };
            made.add(place, 0, estimated, self.inclusive_costs(id));
        }
        made.finish()
    }
}

/// A tree of stacks of the frames of others. Stacks that begin with the same frames share nodes.
struct MadeStacks<'s, 'a> {
    of: &'s Stacks<'a>,
    /// The first one is the parent of the roots.
    nodes: Vec<Node>,
    children: Vec<Vec<u32>>,
    /// The nodes by their parents and frames.
    numbers: HashMap<(u32, u32), u32>,
    costs: CostTable,
}

impl<'s, 'a> MadeStacks<'s, 'a> {
    fn new(of: &'s Stacks<'a>) -> Self {
        MadeStacks {
            of,
            nodes: vec![Node::new(0, 0)],
            children: vec![Vec::new()],
            numbers: HashMap::default(),
            costs: CostTable::zeros(of.self_costs.width(), 1),
        }
    }

    /// The child of a node for a frame, which is added if it is new.
    fn step(&mut self, parent: u32, frame: u32) -> u32 {
        let next = next_index(self.nodes.len());
        let number = *self.numbers.entry((parent, frame)).or_insert(next);
        if number == next {
            self.nodes.push(Node::new(frame, 0));
            self.children.push(Vec::new());
            self.children[parent as usize].push(number);
            self.costs.push_zeros();
        }
        number
    }

    /// Adds calls and self costs to a node.
    fn add(&mut self, number: u32, calls: u64, estimated: Estimated, costs: &[i64]) {
        let node = &mut self.nodes[number as usize];
        node.calls = node.calls.saturating_add(calls);
        node.estimated = node.estimated.max(estimated);
        self.costs.add::<ANY_WIDTH>(number as usize, costs);
    }

    fn finish(mut self) -> Stacks<'a> {
        let mut frames = self.of.frames.clone();
        let rest = self.costs.row(TOP as usize).to_vec();
        if rest.iter().any(|&cost| cost != 0) {
            frames.push(Frame {
                function: None,
                name: HIDDEN,
            });
            let root = self.step(TOP, next_index(frames.len() - 1));
            let estimated = self.nodes[TOP as usize].estimated;
            self.add(root, 0, estimated, &rest);
        }
        let profile = self.of.profile;
        // Frames of equal names differ in their places.
        let order = |number: u32| {
            let frame = self.nodes[number as usize].frame;
            let Frame { function, name } = frames[frame as usize];
            (name, function.map(|id| profile.names_of(id)), frame)
        };
        let list_children = |number: u32, children: &mut Vec<u32>| {
            children.extend(&self.children[number as usize]);
            children.sort_unstable_by(|&one, &other| order(one).cmp(&order(other)));
        };
        let mut stacks = Stacks::empty(profile);
        stacks.add_in_order(list_children, |number| {
            let number = number as usize;
            (self.nodes[number], self.costs.row(number))
        });
        stacks.frames = frames;
        stacks.complete();
        stacks
    }
}
