//! The stacks of a profile, and of the base that it is compared with, as one tree.

use std::borrow::Cow;

use crate::compare::{Side, Sides};
use crate::maps::IndexMap;
use crate::names::FunctionName;
use crate::profile::FunctionId;
use crate::stacks::{StackId, Stacks};

/// A tree of stacks, each node before those below it. With a base, functions that are one in the changes
/// are one frame: its nodes stand for several of both sides.
pub(super) struct JoinedStacks<'t, 'a> {
    pub sides: Sides<Option<&'t Stacks<'a>>>,
    new: &'t Stacks<'a>,
    joined: Option<Joined>,
}

/// Nodes of both sides as one.
#[derive(Default)]
struct Joined {
    nodes: Vec<JoinedNode>,
    /// What the nodes stand for: those of the base, then those of the new profile.
    ids: Vec<StackId>,
}

#[derive(Clone, Copy)]
struct JoinedNode {
    parent: Option<u32>,
    /// Where those of each side begin.
    starts: Sides<u32>,
}

/// What tells the frames below one node from each other: a function of the changes and the name of the
/// frame, if that is another one.
type Key<'t> = (Option<usize>, Cow<'t, [u8]>);

impl<'t, 'a> JoinedStacks<'t, 'a> {
    /// `position` says which function of the changes one of the folded profile of a side is.
    pub fn new(
        new: &'t Stacks<'a>,
        base: Option<&'t Stacks<'a>>,
        position: impl Fn(Side, FunctionId) -> usize,
    ) -> Self {
        let mut tree = JoinedStacks {
            sides: Sides {
                base,
                new: Some(new),
            },
            new,
            joined: None,
        };
        tree.joined = base.map(|base| tree.join(Sides { base, new }, position));
        tree
    }

    fn join(
        &self,
        sides: Sides<&'t Stacks<'a>>,
        position: impl Fn(Side, FunctionId) -> usize,
    ) -> Joined {
        let key = |side: Side, id: StackId| -> Key<'t> {
            let stacks: &'t Stacks<'a> = sides[side];
            let frame: &'t [u8] = stacks.frame(id);
            let function = stacks.named_function(id);
            let profile = stacks.profile().folded();
            let name = function.map(|id| profile.name(profile.function(id).name));
            let frame = if name == Some(frame) { &b""[..] } else { frame };
            let function = function.map(|id| position(side, id));
            (function, FunctionName::of(frame).without_folders().into())
        };
        let group = |of: Sides<Vec<StackId>>| {
            let mut groups: IndexMap<Key<'t>, Sides<Vec<StackId>>> = IndexMap::default();
            for side in [Side::New, Side::Base] {
                for &id in &of[side] {
                    groups.entry(key(side, id)).or_default()[side].push(id);
                }
            }
            groups.into_values().rev()
        };
        let mut joined = Joined::default();
        // What has yet to be added, the next one last.
        let roots = Sides::EACH.map(|side| sides[side].roots().collect());
        let mut waiting: Vec<(Option<u32>, Sides<Vec<StackId>>)> =
            group(roots).map(|of| (None, of)).collect();
        let number = |index: usize| u32::try_from(index).unwrap_or(u32::MAX);
        while let Some((parent, of)) = waiting.pop() {
            let at = Some(number(joined.nodes.len()));
            let first = joined.ids.len();
            let starts = Sides {
                base: first,
                new: first + of.base.len(),
            };
            let starts = starts.map(number);
            joined.nodes.push(JoinedNode { parent, starts });
            joined.ids.extend(of.as_ref().into_iter().flatten());
            let children = Sides::EACH.map(|side| {
                let below = of[side].iter().flat_map(|&id| sides[side].children(id));
                below.collect()
            });
            waiting.extend(group(children).map(|of| (at, of)));
        }
        joined
    }

    pub fn len(&self) -> usize {
        let joined = self.joined.as_ref().map(|joined| joined.nodes.len());
        joined.unwrap_or(self.new.nodes().len())
    }

    pub fn parent(&self, at: usize) -> Option<usize> {
        match &self.joined {
            Some(joined) => joined.nodes[at].parent.map(|parent| parent as usize),
            None => self.new.parent(StackId::new(at)).map(StackId::index),
        }
    }

    /// What a node stands for on a side.
    pub fn ids(&self, side: Side, at: usize) -> impl Iterator<Item = StackId> {
        let own = match &self.joined {
            Some(_) => None,
            None => Some(StackId::new(at)).filter(|_| side == Side::New),
        };
        let joined = self.joined.as_ref().map_or(&[][..], |joined| {
            let Sides { base, new } = joined.nodes[at].starts.map(|start| start as usize);
            let next = joined.nodes.get(at + 1);
            let end = next.map_or(joined.ids.len(), |next| next.starts.base as usize);
            if side == Side::Base {
                &joined.ids[base..new]
            } else {
                &joined.ids[new..end]
            }
        });
        own.into_iter().chain(joined.iter().copied())
    }

    /// One of what a node stands for, on the new side if it is there.
    pub fn one(&self, at: usize) -> (Side, &'t Stacks<'a>, StackId) {
        let found = [Side::New, Side::Base].into_iter().find_map(|side| {
            let id = self.ids(side, at).next()?;
            Some((side, self.sides[side]?, id))
        });
        found.unwrap_or((Side::New, self.new, StackId::new(0)))
    }

    /// How often a node was called on the new side.
    pub fn calls(&self, at: usize) -> u64 {
        let calls = self.ids(Side::New, at).map(|id| self.new.calls(id));
        calls.fold(0, u64::saturating_add)
    }

    /// 1 if the self costs are estimated on either side, 2 if only the inclusive costs are, else 0.
    pub fn estimated(&self, at: usize) -> u8 {
        let either = |what: fn(&Stacks<'a>, StackId) -> bool| {
            let sides = Sides::EACH
                .into_iter()
                .filter_map(|side| Some((side, self.sides[side]?)));
            sides
                .into_iter()
                .any(|(side, stacks)| self.ids(side, at).any(|id| what(stacks, id)))
        };
        if either(Stacks::is_estimated) {
            1
        } else if either(Stacks::is_inclusive_estimated) {
            2
        } else {
            0
        }
    }
}
