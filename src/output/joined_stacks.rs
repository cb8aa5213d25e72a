//! The stacks of a profile, and of the base that it is compared with, as one tree.

use crate::compare::{Comparison, Side, Sides};
use crate::maps::IndexMap;
use crate::names::without_directories;
use crate::stacks::{Estimated, StackId, Stacks};

/// A tree of stacks. Each node is followed by all nodes below it.
///
/// In a comparison, functions that are one there are one frame. So a node may stand for several
/// stacks of both sides.
pub(super) struct JoinedStacks<'t, 'a> {
    /// Without a base, no node has stacks on its side.
    pub sides: Sides<&'t Stacks<'a>>,
    nodes: Vec<JoinedNode>,
    /// The stacks of all nodes; of each node, those of the base come first.
    ids: Vec<StackId>,
}

struct JoinedNode {
    parent: Option<u32>,
    depth: u32,
    /// The positions of its first stack on each side.
    starts: Sides<u32>,
}

/// What distinguishes the frames below a node: the function in the comparison, and the name of the
/// frame, if it is not that of the function.
type FrameKey = (Option<usize>, Vec<u8>);

impl<'t, 'a> JoinedStacks<'t, 'a> {
    /// The stacks of a profile, or of both sides of a comparison by function.
    pub fn new(new: &'t Stacks<'a>, base: Option<(&'t Stacks<'a>, &Comparison<'_>)>) -> Self {
        let sides = Sides {
            base: base.map_or(new, |(base, _)| base),
            new,
        };
        let least = new.nodes().len();
        let mut tree = JoinedStacks {
            sides,
            nodes: Vec::with_capacity(least),
            ids: Vec::with_capacity(least),
        };
        if let Some((_, comparison)) = base {
            tree.join(comparison);
            return tree;
        }
        for id in new.nodes() {
            let ids = Sides {
                base: &[][..],
                new: &[id],
            };
            tree.push(new.parent(id).map(StackId::index), ids);
        }
        tree
    }

    /// Adds the nodes of both sides.
    fn join(&mut self, comparison: &Comparison<'_>) {
        let sides = self.sides;
        let positions = comparison.positions();
        let key = |side: Side, id: StackId| -> FrameKey {
            let stacks: &'t Stacks<'a> = sides[side];
            let frame: &'t [u8] = stacks.frame(id);
            let view = &comparison.views[side];
            let function = view.node_row(stacks, id);
            let name = function.map(|id| view.names_of(id)[2]);
            let frame = if name == Some(frame) { &b""[..] } else { frame };
            let function = function.map(|id| positions[side][id.index()]);
            (function, without_directories(frame))
        };
        let group = |of: Sides<Vec<StackId>>| {
            let mut groups: IndexMap<FrameKey, Sides<Vec<StackId>>> = IndexMap::default();
            for side in [Side::New, Side::Base] {
                for &id in &of[side] {
                    groups.entry(key(side, id)).or_default()[side].push(id);
                }
            }
            groups.into_values().rev()
        };
        let roots = Sides::EACH.map(|side| sides[side].roots().collect());
        // The next node is the last one.
        let mut pending: Vec<(Option<usize>, Sides<Vec<StackId>>)> =
            group(roots).map(|ids| (None, ids)).collect();
        while let Some((parent, ids)) = pending.pop() {
            let at = self.nodes.len();
            self.push(parent, ids.as_ref().map(Vec::as_slice));
            let children = Sides::EACH.map(|side| {
                let below = ids[side].iter().flat_map(|&id| sides[side].children(id));
                below.collect()
            });
            pending.extend(group(children).map(|ids| (Some(at), ids)));
        }
    }

    /// Adds a node with these stacks.
    fn push(&mut self, parent: Option<usize>, ids: Sides<&[StackId]>) {
        let number = |index: usize| u32::try_from(index).unwrap_or(u32::MAX);
        let starts = ids.map(|ids| {
            let start = number(self.ids.len());
            self.ids.extend(ids);
            start
        });
        self.nodes.push(JoinedNode {
            parent: parent.map(number),
            depth: parent.map_or(0, |parent| self.nodes[parent].depth + 1),
            starts,
        });
    }

    fn ids(&self, side: Side, at: usize) -> &[StackId] {
        let Sides { base, new } = self.nodes[at].starts.map(|start| start as usize);
        let next = self.nodes.get(at + 1);
        let end = next.map_or(self.ids.len(), |next| next.starts.base as usize);
        match side {
            Side::Base => &self.ids[base..new],
            Side::New => &self.ids[new..end],
        }
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn parent(&self, at: usize) -> Option<usize> {
        self.nodes[at].parent.map(|parent| parent as usize)
    }

    /// The number of nodes above a node.
    pub fn depth(&self, at: usize) -> u32 {
        self.nodes[at].depth
    }

    /// The stacks of a node on a side.
    pub fn stacks(&self, side: Side, at: usize) -> impl Iterator<Item = (&'t Stacks<'a>, StackId)> {
        let stacks = self.sides[side];
        self.ids(side, at).iter().map(move |&id| (stacks, id))
    }

    /// One stack of a node, on the new side if there is one.
    pub fn one(&self, at: usize) -> (Side, &'t Stacks<'a>, StackId) {
        let side = match self.ids(Side::New, at) {
            [] => Side::Base,
            _ => Side::New,
        };
        (side, self.sides[side], self.ids(side, at)[0])
    }

    /// The number of calls of a node on the new side.
    pub fn calls(&self, at: usize) -> u64 {
        let calls = self.stacks(Side::New, at).map(|(of, id)| of.calls(id));
        calls.fold(0, u64::saturating_add)
    }

    /// 1 if the self costs are estimated on either side, 2 if only the inclusive costs are, else 0.
    pub fn estimated(&self, at: usize) -> u8 {
        let sides = Sides::EACH.into_iter();
        let stacks = sides.flat_map(|side| self.stacks(side, at));
        match stacks.map(|(of, id)| of.estimated(id)).max() {
            Some(Estimated::SelfAndInclusive) => 1,
            Some(Estimated::Inclusive) => 2,
            Some(Estimated::Nothing) | None => 0,
        }
    }
}
