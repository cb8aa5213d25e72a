//! The stacks of sums: exact where only one is possible, otherwise estimated.
//!
//! Functions whose names say who called them (see [`names`](crate::names)) and that differ in
//! nothing but the recursion level stand at the same places. They are one *group*; any other
//! function is a group of its own. Groups and the calls between them form a graph.
//!
//! What nothing calls has one stack. So has what only one group calls that has one stack. All other
//! stacks are estimated: weights flow down the calls, from exact nodes and from groups that cost
//! more than the calls to them. A node's weight goes to its callees in proportion to the costs of
//! its calls, without those to groups that are on its path already: so recursion ends. The heaviest
//! node comes first, and there are limits to their number and depth. Then the self cost of each
//! function is divided among its nodes in proportion to their weights, in whole numbers that add
//! up to it.
//!
//! Nothing here is recursive, and all arithmetic is in whole numbers. Groups are numbered by their
//! names, so that the result does not depend on the order of functions or calls.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::ops::Range;

use foldhash::fast::RandomState;

use super::Frame;
use crate::names::{Chains, FunctionName};
use crate::profile::{Cost, FunctionId, Profile};
use crate::tables::{ANY_WIDTH, CostTable};

/// So many nodes are estimated at most.
const MAX_NODES: usize = 200_000;

/// A node is estimated only if its weight is at least the total divided by this.
const MIN_WEIGHT: u64 = 1_000_000;

/// No estimated node has more nodes above it.
const MAX_LEVELS: u32 = 1023;

/// So many nodes are known by their frames alone: names can say more than there is room for.
const MAX_UNNAMED: usize = 500_000;

/// Above the functions for whose cost the estimate has no place.
const OTHER_CALLERS: &[u8] = b"(other callers)";

/// More callers than one.
const SEVERAL: u32 = 2;

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
    pub frame: Frame<'a>,
}

/// The functions of a group.
type FunctionGroup<'a> = [(FunctionId, FunctionName<'a>)];

impl<'a> SumStacks<'a> {
    /// The stacks of those functions that `is_summed` selects.
    pub fn new(profile: &'a Profile, is_summed: impl Fn(FunctionId) -> bool) -> Self {
        let named = || {
            let functions = profile.functions().filter(|&(id, _)| is_summed(id));
            functions.map(|(id, function)| (id, profile.name(function.name)))
        };
        let chains = profile.chains();
        let functions = named().map(|(id, name)| (id, chains.split(name)));
        let mut functions: Vec<_> = functions.collect();
        let name = |name: &FunctionName<'a>| (name.own, name.chain);
        let place = |id: FunctionId| {
            let function = profile.function(id);
            [function.file, function.object].map(|name| profile.name(name))
        };
        functions.sort_unstable_by(|(a, a_name), (b, b_name)| {
            let by_name = name(a_name).cmp(&name(b_name));
            by_name
                .then_with(|| place(*a).cmp(&place(*b)))
                .then_with(|| (a_name.level, a).cmp(&(b_name.level, b)))
        });
        let groups = functions.chunk_by(|(a, a_name), (b, b_name)| {
            !a_name.chain.is_empty() && name(a_name) == name(b_name) && place(*a) == place(*b)
        });
        let groups: Vec<&FunctionGroup<'_>> = groups.collect();
        let mut tree = Tree {
            profile,
            chains: &chains,
            groups: &groups,
            graph: &Graph::new(profile, &groups),
            nodes: Vec::new(),
            unnamed: HashMap::default(),
            places: vec![Vec::new(); groups.len()],
        };
        let calls = tree.add_exact();
        tree.add_estimated(calls);
        tree.add_others();
        tree.finish()
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
    /// Its self cost.
    own: u64,
    /// The costs of its calls, and of those to it.
    out: u64,
    into: u64,
    /// How many calls of and to it there are.
    count: u64,
    /// How many groups call it.
    callers: u32,
}

/// Groups and calls, by the costs of one event.
struct Graph {
    groups: Vec<GroupSums>,
    /// The self cost of all groups.
    total: u64,
    /// The calls of each group by callee, one group after the other. Those of a group to itself are
    /// left out.
    calls: Vec<Calls>,
    /// Where they begin; at the end, their number.
    starts: Vec<u32>,
    /// The positions of the calls of each group, the most expensive first.
    heaviest: Vec<u32>,
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
        let mut events = profile.events().iter().skip(event);
        let mut graph = Graph {
            groups: vec![GroupSums::default(); groups.len()],
            total: 0,
            calls: Vec::new(),
            starts: vec![0],
            heaviest: Vec::new(),
            are_rounded: events
                .next()
                .is_some_and(|event| !profile.unit(event).is_empty()),
        };
        let mut calls = Vec::new();
        for (at, functions) in groups.iter().enumerate() {
            let sums = &mut graph.groups;
            for (id, name) in *functions {
                add(&mut sums[at].own, positive(profile.self_costs(*id)));
                for edge in profile.sub_calls(*id) {
                    let callee = group_of[edge.callee.index()];
                    if callee != number(at) {
                        let cost = positive(edge.costs());
                        let are_free = edge.costs().iter().all(|&cost| cost == 0);
                        calls.push(Calls {
                            callee,
                            are_free,
                            cost,
                        });
                        add(&mut sums[at].count, edge.calls);
                        add(&mut sums[callee as usize].count, edge.calls);
                    } else if name.chain.is_empty() {
                        // Recursion of unknown depth.
                        sums[at].callers = SEVERAL;
                    }
                }
            }
            add(&mut graph.total, sums[at].own);
            graph.add_calls(at, &mut calls);
        }
        graph
    }

    /// Takes in the calls of a group.
    fn add_calls(&mut self, group: usize, calls: &mut Vec<Calls>) {
        calls.sort_unstable_by_key(|calls| calls.callee);
        calls.dedup_by(|next, calls| {
            let is_same = next.callee == calls.callee;
            if is_same {
                calls.are_free &= next.are_free;
                add(&mut calls.cost, next.cost);
            }
            is_same
        });
        for calls in &*calls {
            let callee = &mut self.groups[calls.callee as usize];
            callee.callers = callee.callers.saturating_add(1);
            add(&mut callee.into, calls.cost);
            add(&mut self.groups[group].out, calls.cost);
        }
        let start = self.calls.len();
        self.calls.append(calls);
        let end = number(self.calls.len());
        self.starts.push(end);
        self.heaviest.extend(number(start)..end);
        self.heaviest[start..].sort_unstable_by_key(|&at| {
            let calls = self.calls[at as usize];
            (Reverse(calls.cost), calls.callee)
        });
    }

    fn range(&self, group: u32) -> Range<usize> {
        let at = group as usize;
        self.starts[at] as usize..self.starts[at + 1] as usize
    }

    /// The calls of a group by callee.
    fn calls_of(&self, group: u32) -> &[Calls] {
        &self.calls[self.range(group)]
    }

    /// The calls of a group, the most expensive first.
    fn heaviest_of(&self, group: u32) -> impl Iterator<Item = Calls> {
        let positions = &self.heaviest[self.range(group)];
        positions.iter().map(|&at| self.calls[at as usize])
    }

    /// What a group and its calls cost more than the calls to it say, if that is not just rounding.
    fn excess(&self, group: u32) -> u64 {
        let sums = &self.groups[group as usize];
        let excess = sums.own.saturating_add(sums.out).saturating_sub(sums.into);
        let is_rounding = self.are_rounded && excess <= sums.count.saturating_add(1);
        if is_rounding { 0 } else { excess }
    }

    /// What a group calls with these on its path costs: their calls are left out.
    fn cost_of_calls(&self, group: u32, path: &[u32]) -> u64 {
        let calls = self.calls_of(group);
        let on_path = path.iter().filter_map(|other| {
            let found = calls.binary_search_by_key(other, |calls| calls.callee);
            found.ok().map(|at| calls[at].cost)
        });
        let left_out = on_path.fold(0, u64::saturating_add);
        self.groups[group as usize].out.saturating_sub(left_out)
    }
}

/// The weight, the parent and the group of a node that may be made. The heaviest comes first, and of
/// equals the one with the smaller numbers.
type Candidate = (u64, Reverse<u32>, Reverse<u32>);

/// The nodes while they are made.
struct Tree<'a, 'b> {
    profile: &'a Profile,
    chains: &'b Chains<'a>,
    groups: &'b [&'b FunctionGroup<'a>],
    graph: &'b Graph,
    nodes: Vec<SumNode<'a>>,
    /// Nodes that are known by their frames alone, by parent and frame.
    unnamed: HashMap<(u32, &'a [u8]), u32, RandomState>,
    /// For each group the first of its nodes at each place, with its weight.
    places: Vec<Vec<(u32, u64)>>,
}

impl<'a> Tree<'a, '_> {
    /// All groups.
    fn all(&self) -> impl Iterator<Item = u32> + use<> {
        0..number(self.groups.len())
    }

    /// Makes the nodes of all groups that have one possible stack, and returns the calls that they
    /// make to others: their costs, nodes and callees.
    fn add_exact(&mut self) -> Vec<(u64, u32, u32)> {
        let (mut pending, mut others) = (Vec::new(), Vec::new());
        for group in self.all() {
            if self.graph.groups[group as usize].callers == 0 {
                let parent = self.add_chain(NONE, group, false);
                pending.push((group, parent));
            }
        }
        while let Some((group, parent)) = pending.pop() {
            let node = self.add_group(parent, group, 1, false);
            for calls in self.graph.calls_of(group) {
                let callee = &self.graph.groups[calls.callee as usize];
                if callee.callers == 1 && self.graph.excess(calls.callee) == 0 {
                    pending.push((calls.callee, node));
                } else {
                    // Even where the estimate has no place for them below this node.
                    let frame = &mut self.nodes[node as usize].frame;
                    frame.is_inclusive_estimated |= !calls.are_free;
                    others.push((calls.cost, node, calls.callee));
                }
            }
        }
        others
    }

    /// Makes the nodes of groups that have several possible stacks, as far as they matter: from the
    /// calls that groups with one stack make.
    fn add_estimated(&mut self, mut roots: Vec<(u64, u32, u32)>) {
        for group in self.all() {
            if self.places[group as usize].is_empty() {
                roots.push((self.graph.excess(group), NONE, group));
            }
        }
        // The flow begins with no more than the total, and in the smallest units that fit.
        let sum: u128 = roots.iter().map(|&(cost, ..)| u128::from(cost)).sum();
        let total = self.graph.total;
        let most = u128::from(total);
        let shift = total.leading_zeros().saturating_sub(1);
        let least = ((total << shift) / MIN_WEIGHT).max(1);
        let candidates = roots.into_iter().map(|(cost, parent, group)| {
            let weight = fraction(cost.min(total) << shift, most, sum.max(most));
            (weight, Reverse(parent), Reverse(group))
        });
        let mut candidates: BinaryHeap<Candidate> =
            candidates.filter(|&(weight, ..)| weight >= least).collect();
        let exact = self.nodes.len();
        let mut path = Vec::new();
        while self.nodes.len() - exact < MAX_NODES
            && let Some((weight, Reverse(mut parent), Reverse(group))) = candidates.pop()
        {
            if parent == NONE {
                parent = self.add_chain(NONE, group, true);
            }
            let node = self.add_group(parent, group, weight, true);
            if self.nodes[node as usize].level >= MAX_LEVELS {
                continue;
            }
            self.set_path(node, &mut path);
            let calls = self.graph.cost_of_calls(group, &path);
            let all = u128::from(self.graph.groups[group as usize].own) + u128::from(calls);
            for calls in self.graph.heaviest_of(group) {
                let weight = fraction(weight, calls.cost.into(), all);
                if weight < least {
                    break;
                }
                if path.binary_search(&calls.callee).is_err() {
                    candidates.push((weight, Reverse(node), Reverse(calls.callee)));
                }
            }
        }
    }

    /// Collects the groups above a node that it could call, sorted: none of those that have one
    /// stack.
    fn set_path(&self, node: u32, path: &mut Vec<u32>) {
        path.clear();
        let mut at = self.nodes.get(node as usize);
        while let Some(node) = at.filter(|node| node.frame.is_estimated) {
            path.extend(node.frame.function.map(|_| node.group));
            at = self.nodes.get(node.parent as usize);
        }
        path.sort_unstable();
    }

    /// Makes nodes for the costs that have none.
    fn add_others(&mut self) {
        for group in self.all() {
            let functions = self.groups[group as usize].iter();
            let mut costs = functions.flat_map(|(id, _)| self.profile.self_costs(*id));
            if self.places[group as usize].is_empty() && costs.any(|&cost| cost != 0) {
                let others = self.add_unnamed(NONE, OTHER_CALLERS, true);
                let parent = self.add_chain(others, group, true);
                self.add_group(parent, group, 1, true);
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
        if self.unnamed.len().saturating_add(callers.len()) > MAX_UNNAMED {
            return self.add_unnamed(NONE, OTHER_CALLERS, true);
        }
        callers.into_iter().rev().fold(above, |parent, frame| {
            self.add_unnamed(parent, frame, is_estimated)
        })
    }

    /// Finds or makes a node that is known by its frame alone.
    fn add_unnamed(&mut self, parent: u32, name: &'a [u8], is_estimated: bool) -> u32 {
        if let Some(&node) = self.unnamed.get(&(parent, name)) {
            self.nodes[node as usize].frame.is_estimated &= is_estimated;
            return node;
        }
        let group = self.groups.partition_point(|group| group[0].1.own < name);
        let node = self.add(parent, number(group), None, name, is_estimated);
        self.unnamed.insert((parent, name), node);
        node
    }

    /// Makes a node for each function of a group, and returns the first of them.
    fn add_group(&mut self, parent: u32, group: u32, weight: u64, is_estimated: bool) -> u32 {
        let first = number(self.nodes.len());
        for (id, name) in self.groups[group as usize] {
            self.add(parent, group, Some(*id), name.own, is_estimated);
        }
        self.places[group as usize].push((first, weight));
        first
    }

    fn add(
        &mut self,
        parent: u32,
        group: u32,
        function: Option<FunctionId>,
        name: &'a [u8],
        is_estimated: bool,
    ) -> u32 {
        let above = self.nodes.get(parent as usize);
        let level = above.map_or(0, |above| above.level.saturating_add(1));
        self.nodes.push(SumNode {
            parent,
            group,
            level,
            frame: Frame {
                function,
                name,
                calls: 0,
                is_estimated,
                is_inclusive_estimated: false,
            },
        });
        number(self.nodes.len() - 1)
    }

    /// Puts the nodes into their order, and divides the costs among them.
    fn finish(mut self) -> SumStacks<'a> {
        let sequence = self.sequence();
        let mut positions = vec![NONE; self.nodes.len()];
        for (position, &node) in (0..).zip(&sequence) {
            positions[node as usize] = position;
        }
        let in_order = sequence.iter().map(|&at| {
            let node = self.nodes[at as usize];
            let parent = positions.get(node.parent as usize).copied();
            let parent = parent.unwrap_or(NONE);
            SumNode { parent, ..node }
        });
        let mut nodes: Vec<SumNode<'a>> = in_order.collect();
        for at in (0..nodes.len()).rev() {
            let SumNode { parent, frame, .. } = &mut nodes[at];
            frame.is_inclusive_estimated |= frame.is_estimated;
            let (parent, is_estimated) = (*parent, frame.is_inclusive_estimated);
            if let Some(parent) = nodes.get_mut(parent as usize) {
                parent.frame.is_inclusive_estimated |= is_estimated;
            }
        }
        let mut costs = CostTable::new(self.profile.events().len());
        nodes.iter().for_each(|_| costs.push_zeros());
        let mut shares = Shares::default();
        // The costs of the nodes of a function, one row after the other.
        let mut rows = Vec::new();
        for (functions, places) in self.groups.iter().zip(&mut self.places) {
            places.sort_unstable_by_key(|&(first, _)| positions[first as usize]);
            for (nth, (id, _)) in functions.iter().enumerate() {
                let firsts = places.iter().map(|&(first, _)| first as usize);
                let at = firsts.map(|first| positions[first + nth] as usize);
                let calls = shares.divide(self.profile.function(*id).invocations, places);
                for (at, &calls) in at.clone().zip(calls) {
                    nodes[at].frame.calls = calls;
                }
                let row = self.profile.self_costs(*id);
                rows.clear();
                rows.resize(places.len() * row.len(), 0);
                for (event, &cost) in row.iter().enumerate() {
                    let shares = shares.divide(cost.unsigned_abs(), places);
                    let costs = rows.iter_mut().skip(event).step_by(row.len());
                    for (to, &share) in costs.zip(shares) {
                        *to = match cost < 0 {
                            true => Cost::saturating_sub_unsigned(0, share),
                            false => Cost::saturating_add_unsigned(0, share),
                        };
                    }
                }
                for (at, row) in at.zip(rows.chunks(row.len().max(1))) {
                    costs.add::<ANY_WIDTH>(at, row);
                }
            }
        }
        SumStacks { nodes, costs }
    }

    /// The numbers of the nodes from the roots down, siblings in their order.
    fn sequence(&self) -> Vec<u32> {
        let key = |(at, node): (u32, &SumNode<'_>)| {
            (node.parent, node.group, node.frame.function.is_some(), at)
        };
        let mut siblings: Vec<_> = (0..).zip(&self.nodes).map(key).collect();
        siblings.sort_unstable();
        // Where the children of each node end; at the end, those of none, the roots.
        let mut ends = vec![0; self.nodes.len() + 1];
        for (end, &(parent, ..)) in (1..).zip(&siblings) {
            ends[(parent as usize).min(self.nodes.len())] = end;
        }
        let children = |parent: usize| {
            let siblings = siblings[..ends[parent]].iter().rev();
            let above = siblings.clone().next().map(|&(above, ..)| above);
            siblings.take_while(move |&&(parent, ..)| Some(parent) == above)
        };
        let mut sequence = Vec::with_capacity(self.nodes.len());
        let mut pending: Vec<_> = children(self.nodes.len()).collect();
        while let Some(&(.., at)) = pending.pop() {
            sequence.push(at);
            pending.extend(children(at as usize));
        }
        sequence
    }
}

/// How a number is divided among places.
#[derive(Default)]
struct Shares {
    shares: Vec<u64>,
    /// What is left of each share after rounding down, and its place.
    rests: Vec<(Reverse<u128>, usize)>,
}

impl Shares {
    /// Divides a number in proportion to the weights of places: in whole numbers that add up to it.
    ///
    /// What rounding down leaves goes to the largest rests, and of equal ones to the first.
    fn divide(&mut self, whole: u64, places: &[(u32, u64)]) -> &[u64] {
        self.shares.clear();
        self.rests.clear();
        let sum: u128 = places.iter().map(|&(_, weight)| u128::from(weight)).sum();
        let mut left = whole;
        for (place, &(_, weight)) in places.iter().enumerate() {
            let product = u128::from(whole) * u128::from(weight);
            let share = u64::try_from(product / sum.max(1)).unwrap_or(whole);
            self.shares.push(share);
            self.rests.push((Reverse(product % sum.max(1)), place));
            left -= share.min(left);
        }
        if left > 0 {
            self.rests.sort_unstable();
        }
        let lucky = usize::try_from(left).unwrap_or(usize::MAX);
        for &(_, place) in self.rests.iter().take(lucky) {
            self.shares[place] += 1;
        }
        &self.shares
    }
}

/// A part of a weight: `part` of `whole`, rounded down.
fn fraction(weight: u64, part: u128, whole: u128) -> u64 {
    let share = (u128::from(weight) * part).checked_div(whole);
    u64::try_from(share.unwrap_or(0)).unwrap_or(u64::MAX)
}

fn add(sum: &mut u64, more: u64) {
    *sum = sum.saturating_add(more);
}

fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(NONE)
}
