//! The stacks of aggregates: exact if only one is possible, otherwise estimated.
//!
//! Functions whose names contain their callers (see [`names`](crate::names)), and which differ only
//! in the recursion level, have the same stacks. They are one *group*; every other function is a
//! group of its own. Groups and the calls between them form a graph. Each node of the tree belongs
//! to a group.
//!
//! A group without callers has one stack. So does a group with one caller that has one stack. All
//! other stacks are estimated: weights flow down the calls, from exact nodes and from groups that
//! cost more than the calls to them. A node's weight is divided among its callees in proportion to
//! the costs of its calls. Groups that are on the path already are skipped, so recursion ends. The
//! heaviest nodes come first; their number and depth are limited. Then the self cost of each group
//! is divided among its nodes in proportion to their weights.
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

/// The most estimated nodes.
const MAX_NODES: usize = 200_000;

/// The weight of the total.
const TOTAL: u64 = 1 << 44;

/// The least weight of an estimated node.
const MIN_WEIGHT: u64 = TOTAL / 1_000_000;

/// The greatest depth of an estimated node.
const MAX_LEVELS: u32 = 1023;

/// The most nodes that are only known by their frames. Names could contain more.
const MAX_UNNAMED: usize = 500_000;

/// The parent of functions whose cost has no estimated stack.
const OTHER_CALLERS: &[u8] = b"(other callers)";

/// No number.
pub(super) const NONE: u32 = u32::MAX;

/// The stacks of aggregates. Each node follows its parent, and is followed by all nodes below it.
#[derive(Debug, Default)]
pub(super) struct SumStacks<'a> {
    pub nodes: Vec<SumNode<'a>>,
    /// A row of self costs for each node.
    pub costs: CostTable,
}

/// A node of the stacks of aggregates.
#[derive(Clone, Copy, Debug)]
pub(super) struct SumNode<'a> {
    /// The parent; [`NONE`] for a root.
    pub parent: u32,
    /// Its group, by which siblings are ordered. A frame without a function precedes this group.
    group: u32,
    /// Its depth.
    level: u32,
    /// Its share of the costs of its group; 0 without a function.
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
        let mut tree = EstimatedTree {
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

/// The sums of a group, which are together because groups are visited in the order of calls.
#[derive(Clone, Default)]
struct GroupSums {
    /// The costs of its calls and itself, and of the calls to it.
    out: u64,
    into: u64,
    /// The numbers of calls by it and to it.
    count: u64,
    /// The number of invocations of its functions.
    invocations: u64,
    /// The number of groups that call it, plus one if it calls itself.
    callers: u32,
    /// The end of its calls, which begin where those of the previous group end.
    end: usize,
}

/// Groups and calls, with the costs of one event.
struct Graph {
    groups: Vec<GroupSums>,
    /// Of all events.
    self_costs: CostTable,
    /// The self cost of all groups.
    total: u64,
    /// The calls of each group, the most expensive first, without calls of a group to itself.
    calls: Vec<Calls>,
    /// Whether costs may be off by one. Times and sizes may, counts may not.
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

    /// How much more a group and its calls cost than the calls to it, if that is not just rounding.
    fn excess(&self, group: u32) -> u64 {
        let sums = &self.groups[group as usize];
        let excess = sums.out.saturating_sub(sums.into);
        let is_rounding = self.are_rounded && excess <= sums.count.saturating_add(1);
        if is_rounding { 0 } else { excess }
    }

    /// The weight of a cost.
    fn weight(&self, cost: u64) -> u64 {
        fraction(TOTAL, cost.min(self.total), self.total)
    }
}

/// A candidate for a node: those with one possible stack first, then the heaviest, then those with
/// the smallest numbers of parent and group.
type Candidate = (bool, u64, Reverse<u32>, Reverse<u32>);

/// The nodes during the estimate.
struct EstimatedTree<'a, 'b> {
    chains: &'b Chains<'a>,
    groups: &'b [&'b FunctionGroup<'a>],
    nodes: Vec<SumNode<'a>>,
    /// Whether names contain callers.
    tells_callers: bool,
    /// If so, the first node of each parent and frame.
    by_frame: HashMap<(u32, &'a [u8]), u32>,
    /// The number of nodes that are only known by their frames.
    unnamed: usize,
    /// The weight of all nodes of a group.
    weights: Vec<u64>,
}

impl<'a> EstimatedTree<'a, '_> {
    /// Creates the nodes with one possible stack, and others as far as they matter.
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
        // The node on whose path a group was found last.
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
                    // Even if they are not estimated below this node.
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
            // Calls of little weight do not affect others.
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

    /// Creates nodes for the callers in a group's name, below another node.
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

    /// Finds or creates a node that is only known by its frame.
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

    /// Creates a node for a group.
    fn add_group(&mut self, parent: u32, group: u32, weight: u64, is_estimated: bool) -> u32 {
        let (id, name) = self.groups[group as usize][0];
        self.weights[group as usize] += weight;
        self.add(parent, group, weight, Some(id), name.own, is_estimated)
    }
}
impl<'a> EstimatedTree<'a, '_> {
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
            // An existing node that is only known by its frame becomes the function's.
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

    /// Sorts the nodes, and divides the costs among them, in whole numbers that add up.
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
        // By group: the weight of its nodes so far.
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
