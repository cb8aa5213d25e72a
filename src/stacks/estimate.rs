//! The stacks of sums: exact where only one is possible, otherwise estimated.
//!
//! Functions whose names say who called them (see [`names`](crate::names)) and that differ in
//! nothing but the recursion level stand at the same places. They are one *group*; any other
//! function is a group of its own. Groups and the calls between them form a graph, and a node of the
//! tree is of a group.
//!
//! What nothing calls has one stack. So has what only one group calls that has one stack. All other
//! stacks are estimated: weights flow down the calls, from exact nodes and from groups that cost
//! more than the calls to them. A node's weight goes to its callees in proportion to the costs of
//! its calls, without those to groups that are on its path already: so recursion ends. The heaviest
//! node comes first, and there are limits to their number and depth. Then the self cost of each
//! group is divided among its nodes in proportion to their weights.
//!
//! Nothing here is recursive, and all arithmetic is in whole numbers. Groups are numbered by their
//! names, so that the result does not depend on the order of functions or calls.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::Frame;
use crate::maps::HashMap;
use crate::names::{Chains, FunctionName};
use crate::profile::{Cost, FunctionId, Profile};
use crate::tables::{ANY_WIDTH, CostTable, saturated};

/// So many nodes are estimated at most.
const MAX_NODES: usize = 200_000;

/// What the total weighs.
const TOTAL: u64 = 1 << 44;

/// A node is estimated only if it weighs at least this much.
const MIN_WEIGHT: u64 = TOTAL / 1_000_000;

/// No estimated node has more nodes above it.
const MAX_LEVELS: u32 = 1023;

/// So many nodes are known by their frames alone: names can say more than there is room for.
const MAX_UNNAMED: usize = 500_000;

/// Above the functions for whose cost the estimate has no place.
const OTHER_CALLERS: &[u8] = b"(other callers)";

/// Stands where there is no number.
pub(super) const NONE: u32 = u32::MAX;

/// The stacks of sums: nodes, each after its parent and all nodes below one after it without a gap.
#[derive(Debug, Default)]
pub(super) struct SumStacks<'a> {
    pub nodes: Vec<SumNode<'a>>,
    /// A row of self costs for each node.
    pub costs: CostTable,
}

/// A node of the stacks of sums.
#[derive(Clone, Copy, Debug)]
pub(super) struct SumNode<'a> {
    /// The node above; [`NONE`] for a root.
    pub parent: u32,
    /// Its group, by which siblings are ordered; of a frame without a function, the group before which
    /// it stands.
    group: u32,
    /// How many nodes are above.
    level: u32,
    /// Its part of the costs of its group; 0 without a function.
    weight: u64,
    pub frame: Frame<'a>,
}

/// The functions of a group.
type FunctionGroup<'a> = [(FunctionId, FunctionName<'a>)];

impl<'a> SumStacks<'a> {
    /// The stacks of those functions that `is_summed` selects.
    pub fn new(profile: &'a Profile, is_summed: impl Fn(FunctionId) -> bool) -> Self {
        let chains = profile.chains();
        let functions = profile.functions().filter(|&(id, _)| is_summed(id));
        let functions =
            functions.map(|(id, function)| (id, chains.split(profile.name(function.name))));
        let mut functions: Vec<_> = functions.collect();
        let place = |id: FunctionId| {
            let function = profile.function(id);
            [function.file, function.object].map(|name| profile.name(name))
        };
        functions.sort_unstable_by(|(a, a_name), (b, b_name)| {
            let by_name = (a_name.own, a_name.chain).cmp(&(b_name.own, b_name.chain));
            by_name
                .then_with(|| place(*a).cmp(&place(*b)))
                .then_with(|| (a_name.level, a).cmp(&(b_name.level, b)))
        });
        let groups = functions.chunk_by(|(a, a_name), (b, b_name)| {
            let is_same = (a_name.own, a_name.chain) == (b_name.own, b_name.chain);
            !a_name.chain.is_empty() && is_same && place(*a) == place(*b)
        });
        let groups: Vec<&FunctionGroup<'_>> = groups.collect();
        let graph = Graph::new(profile, &groups);
        let mut tree = Tree {
            tells_callers: functions.iter().any(|(_, name)| !name.chain.is_empty()),
            chains: &chains,
            groups: &groups,
            nodes: Vec::new(),
            by_frame: HashMap::default(),
            unnamed: 0,
            weights: vec![0; groups.len()],
        };
        tree.grow(&graph);
        for group in 0..number(groups.len()) {
            let costs = graph.self_costs.row(group as usize);
            if tree.weights[group as usize] == 0 && costs.iter().any(|&cost| cost != 0) {
                let others = tree.add_unnamed(NONE, OTHER_CALLERS, true);
                let parent = tree.add_chain(others, group, true);
                tree.add_group(parent, group, 1, true);
            }
        }
        tree.finish(&graph)
    }
}

/// The calls from one group to another.
#[derive(Clone, Copy)]
struct Calls {
    callee: u32,
    /// Whether they cost nothing in any event.
    are_free: bool,
    cost: u64,
}

/// What is summed of a group, in one place: groups are met in the order of the calls to them.
#[derive(Clone, Default)]
struct GroupSums {
    /// The costs of its calls and its own, and of the calls to it.
    out: u64,
    into: u64,
    /// How many calls of and to it there are.
    count: u64,
    /// How often its functions were invoked.
    invocations: u64,
    /// How many groups call it; if it calls itself, that is one more and so several.
    callers: u32,
    /// Where its calls end; they begin where those of the group before it end.
    end: usize,
}

/// Groups and calls, by the costs of one event.
struct Graph {
    groups: Vec<GroupSums>,
    /// Of all events.
    self_costs: CostTable,
    /// The self cost of all groups.
    total: u64,
    /// The calls of each group, the most expensive first, one group after the other. Those of a group
    /// to itself are left out.
    calls: Vec<Calls>,
    /// Whether each cost may be off by one: times and sizes are, what is counted is not.
    are_rounded: bool,
}

impl Graph {
    fn new(profile: &Profile, groups: &[&FunctionGroup<'_>]) -> Self {
        let mut group_of = vec![NONE; profile.functions().len()];
        for (group, functions) in (0..).zip(groups) {
            for (id, _) in *functions {
                group_of[id.index()] = group;
            }
        }
        // The first event that costs anything.
        let totals = profile.totals();
        let event = totals.iter().position(|&total| total > 0).unwrap_or(0);
        let positive = |costs: &[Cost]| {
            let cost = costs.get(event).copied().unwrap_or(0);
            u64::try_from(cost).unwrap_or(0)
        };
        let unit = profile.events().get(event).map(|event| profile.unit(event));
        let mut graph = Graph {
            groups: vec![GroupSums::default(); groups.len()],
            self_costs: CostTable::zeros(profile.events().len(), groups.len()),
            total: 0,
            calls: Vec::new(),
            are_rounded: unit.is_some_and(|unit| !unit.is_empty()),
        };
        let mut calls = Vec::new();
        for (at, functions) in groups.iter().enumerate() {
            let sums = &mut graph.groups;
            for (id, name) in *functions {
                let own = profile.self_costs(*id);
                graph.self_costs.add::<ANY_WIDTH>(at, own);
                add(&mut graph.total, positive(own));
                add(&mut sums[at].out, positive(own));
                add(&mut sums[at].invocations, profile.function(*id).invocations);
                for edge in profile.sub_calls(*id) {
                    let callee = group_of[edge.callee.index()];
                    if callee != number(at) {
                        add(&mut sums[at].count, edge.calls);
                        add(&mut sums[callee as usize].count, edge.calls);
                        calls.push(Calls {
                            callee,
                            are_free: edge.costs().iter().all(|&cost| cost == 0),
                            cost: positive(edge.costs()),
                        });
                    } else if name.chain.is_empty() {
                        // Recursion of unknown depth.
                        sums[at].callers += 1;
                    }
                }
            }
            calls.sort_unstable_by_key(|calls| calls.callee);
            calls.dedup_by(|next, calls| {
                let is_same = next.callee == calls.callee;
                if is_same {
                    calls.are_free &= next.are_free;
                    add(&mut calls.cost, next.cost);
                }
                is_same
            });
            for calls in &calls {
                let callee = &mut sums[calls.callee as usize];
                callee.callers = callee.callers.saturating_add(1);
                add(&mut callee.into, calls.cost);
                add(&mut sums[at].out, calls.cost);
            }
            calls.sort_unstable_by_key(|calls| (Reverse(calls.cost), calls.callee));
            graph.calls.append(&mut calls);
            graph.groups[at].end = graph.calls.len();
        }
        graph
    }

    /// The calls of a group, the most expensive first.
    fn calls_of(&self, group: u32) -> &[Calls] {
        let at = group as usize;
        let before = at
            .checked_sub(1)
            .map_or(0, |before| self.groups[before].end);
        &self.calls[before..self.groups[at].end]
    }

    /// What a group and its calls cost more than the calls to it say, if that is not just rounding.
    fn excess(&self, group: u32) -> u64 {
        let sums = &self.groups[group as usize];
        let excess = sums.out.saturating_sub(sums.into);
        let is_rounding = self.are_rounded && excess <= sums.count.saturating_add(1);
        if is_rounding { 0 } else { excess }
    }

    /// What a cost weighs.
    fn weight(&self, cost: u64) -> u64 {
        fraction(TOTAL, cost.min(self.total), self.total)
    }
}

/// A node that may be made: those with one possible stack first, then the heaviest, and of equals
/// that with the smaller numbers of its parent and group.
type Candidate = (bool, u64, Reverse<u32>, Reverse<u32>);

/// The nodes while they are made.
struct Tree<'a, 'b> {
    chains: &'b Chains<'a>,
    groups: &'b [&'b FunctionGroup<'a>],
    nodes: Vec<SumNode<'a>>,
    /// Whether names tell callers.
    tells_callers: bool,
    /// If so, the first node of each parent and frame.
    by_frame: HashMap<(u32, &'a [u8]), u32>,
    /// How many nodes are known by their frames alone.
    unnamed: usize,
    /// What all nodes of a group weigh.
    weights: Vec<u64>,
}

impl<'a> Tree<'a, '_> {
    /// Makes the nodes that have one possible stack, and others as far as they matter.
    fn grow(&mut self, graph: &Graph) {
        let mut candidates: BinaryHeap<Candidate> = BinaryHeap::new();
        for group in 0..number(self.groups.len()) {
            let is_exact = graph.groups[group as usize].callers == 0;
            let weight = graph.weight(graph.excess(group));
            if is_exact || weight >= MIN_WEIGHT {
                candidates.push((is_exact, weight, Reverse(NONE), Reverse(group)));
            }
        }
        let mut exact = 0;
        // The node on whose path a group was last found.
        let mut on_path_of = vec![NONE; self.groups.len()];
        while let Some((is_exact, weight, Reverse(mut parent), Reverse(group))) = candidates.pop() {
            if !is_exact && self.nodes.len() - exact >= MAX_NODES {
                break;
            }
            if parent == NONE {
                parent = self.add_chain(NONE, group, !is_exact);
            }
            let node = self.add_group(parent, group, weight.max(1), !is_exact);
            let calls = graph.calls_of(group);
            if is_exact {
                exact = self.nodes.len();
                for calls in calls {
                    let callee = &graph.groups[calls.callee as usize];
                    let is_exact = callee.callers == 1 && graph.excess(calls.callee) == 0;
                    // Even where the estimate has no place for them below this node.
                    let frame = &mut self.nodes[node as usize].frame;
                    frame.is_inclusive_estimated |= !is_exact && !calls.are_free;
                    let weight = graph.weight(calls.cost);
                    if is_exact || weight >= MIN_WEIGHT {
                        candidates.push((is_exact, weight, Reverse(node), Reverse(calls.callee)));
                    }
                }
                continue;
            }
            if self.nodes[node as usize].level >= MAX_LEVELS {
                continue;
            }
            let mut above = self.nodes.get(node as usize);
            while let Some(node_above) = above.filter(|above| above.frame.is_estimated) {
                if node_above.weight > 0 {
                    on_path_of[node_above.group as usize] = node;
                }
                above = self.nodes.get(node_above.parent as usize);
            }
            // Of calls that weigh little, none matters for the others.
            let mut all = graph.groups[group as usize].out;
            let is_heavy = |calls: &Calls| fraction(weight, calls.cost, all) >= MIN_WEIGHT;
            let heavy = &calls[..calls.partition_point(is_heavy)];
            let is_above = |calls: &&Calls| on_path_of[calls.callee as usize] == node;
            for calls in heavy.iter().filter(is_above) {
                all = all.saturating_sub(calls.cost);
            }
            for calls in heavy.iter().filter(|calls| !is_above(calls)) {
                let weight = fraction(weight, calls.cost, all);
                candidates.push((false, weight, Reverse(node), Reverse(calls.callee)));
            }
        }
    }

    /// Makes nodes for the callers that a group's name gives, below another node.
    fn add_chain(&mut self, above: u32, group: u32, is_estimated: bool) -> u32 {
        let (_, name) = self.groups[group as usize][0];
        let callers = match name.chain {
            b"" => None,
            chain => self.chains.callers(chain),
        };
        let callers = callers.unwrap_or_default();
        if self.unnamed.saturating_add(callers.len()) > MAX_UNNAMED {
            return self.add_unnamed(NONE, OTHER_CALLERS, true);
        }
        callers.into_iter().rev().fold(above, |parent, frame| {
            self.add_unnamed(parent, frame, is_estimated)
        })
    }

    /// Finds or makes a node that is known by its frame alone.
    fn add_unnamed(&mut self, parent: u32, name: &'a [u8], is_estimated: bool) -> u32 {
        if let Some(&node) = self.by_frame.get(&(parent, name)) {
            let SumNode { weight, frame, .. } = &mut self.nodes[node as usize];
            frame.is_estimated &= is_estimated || *weight > 0;
            return node;
        }
        self.unnamed += 1;
        let group = self.groups.partition_point(|group| group[0].1.own < name);
        self.add(parent, number(group), 0, None, name, is_estimated)
    }

    /// Makes a node for a group.
    fn add_group(&mut self, parent: u32, group: u32, weight: u64, is_estimated: bool) -> u32 {
        let (id, name) = self.groups[group as usize][0];
        self.weights[group as usize] += weight;
        self.add(parent, group, weight, Some(id), name.own, is_estimated)
    }
}
impl<'a> Tree<'a, '_> {
    fn add(
        &mut self,
        parent: u32,
        group: u32,
        weight: u64,
        function: Option<FunctionId>,
        name: &'a [u8],
        is_estimated: bool,
    ) -> u32 {
        let above = self.nodes.get(parent as usize);
        let node = SumNode {
            parent,
            group,
            level: above.map_or(0, |above| above.level.saturating_add(1)),
            weight,
            frame: Frame {
                function,
                name,
                calls: 0,
                is_estimated,
                is_inclusive_estimated: false,
            },
        };
        let new = number(self.nodes.len());
        if self.tells_callers {
            let at = *self.by_frame.entry((parent, name)).or_insert(new);
            // A frame alone that stands there becomes the function's.
            if let Some(found) = self
                .nodes
                .get_mut(at as usize)
                .filter(|found| found.weight == 0)
            {
                *found = node;
                return at;
            }
        }
        self.nodes.push(node);
        new
    }

    /// Puts the nodes into their order, and divides the costs among them: in whole numbers that add up.
    fn finish(self, graph: &Graph) -> SumStacks<'a> {
        let node = |at: u32| &self.nodes[at as usize];
        let mut order: Vec<u32> = (0..number(self.nodes.len())).collect();
        order.sort_unstable_by_key(|&at| (node(at).parent, node(at).group, at));
        let children = |parent: u32| {
            let start = order.partition_point(|&at| node(at).parent < parent);
            let children = order[start..].iter().copied();
            let mut children: Vec<u32> = children
                .take_while(|&at| node(at).parent == parent)
                .collect();
            children.reverse();
            children
        };
        let mut stacks = SumStacks {
            nodes: Vec::with_capacity(order.len()),
            costs: CostTable::new(graph.self_costs.width()),
        };
        let mut positions = vec![NONE; order.len()];
        // By group: what its nodes weigh up to here.
        let mut weights = vec![0; self.groups.len()];
        let mut pending = children(NONE);
        while let Some(at) = pending.pop() {
            positions[at as usize] = number(stacks.nodes.len());
            let mut node = *node(at);
            node.parent = positions.get(node.parent as usize).copied().unwrap_or(NONE);
            let mut costs = Vec::new();
            if node.weight > 0 {
                let group = node.group as usize;
                let before = weights[group];
                weights[group] += node.weight;
                let up_to = |whole: i128, weight: u64| {
                    whole * i128::from(weight) / i128::from(self.weights[group])
                };
                let part = |whole: i128| up_to(whole, weights[group]) - up_to(whole, before);
                let own = graph.self_costs.row(group).iter();
                costs.extend(own.map(|&cost| saturated(part(cost.into()))));
                let calls = part(graph.groups[group].invocations.into());
                node.frame.calls = u64::try_from(calls).unwrap_or(u64::MAX);
            }
            stacks.costs.push::<ANY_WIDTH>(&costs);
            stacks.nodes.push(node);
            pending.extend(children(at));
        }
        for at in (0..stacks.nodes.len()).rev() {
            let SumNode { parent, frame, .. } = &mut stacks.nodes[at];
            frame.is_inclusive_estimated |= frame.is_estimated;
            let (parent, is_estimated) = (*parent as usize, frame.is_inclusive_estimated);
            if let Some(above) = stacks.nodes.get_mut(parent) {
                above.frame.is_inclusive_estimated |= is_estimated;
            }
        }
        stacks
    }
}

/// A part of a weight: `part` of `whole`, rounded down.
fn fraction(weight: u64, part: u64, whole: u64) -> u64 {
    let share = (u128::from(weight) * u128::from(part)).checked_div(whole.into());
    u64::try_from(share.unwrap_or(0)).unwrap_or(u64::MAX)
}

fn add(sum: &mut u64, more: u64) {
    *sum = sum.saturating_add(more);
}

fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(NONE)
}
