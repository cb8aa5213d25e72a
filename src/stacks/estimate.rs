//! The stacks of aggregates: exact if only one is possible, otherwise estimated.
//!
//! Functions whose names contain their callers (see [`names`](crate::names)), and which differ only
//! in the recursion level, have the same stacks. They are one *group*; every other function is a
//! group of its own. If a group costs more than the calls to it, and its name contains a caller,
//! that caller made the missing calls. It is another group, which may have no function. Groups and
//! the calls between them form a graph. Each node of the tree belongs to a group.
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
use std::iter;
use std::mem::{replace, take};

use indexmap::map::Entry;

use super::{Estimated, Frame};
use crate::maps::{HashMap, IndexMap};
use crate::names::Chains;
use crate::profile::{CallGraph, Cost, Profile};
use crate::tables::{ANY_WIDTH, CostTable, next_index, saturated};

/// The most estimated nodes.
const MAX_NODES: usize = 200_000;

/// The weight of the total.
const TOTAL: u64 = 1 << 44;

/// The least weight of an estimated node.
const MIN_WEIGHT: u64 = TOTAL / 1_000_000;

/// The most estimated nodes below one another.
const MAX_LEVELS: u32 = 1023;

/// The number of groups at which callers in names are no longer added. Names could contain more.
const MAX_GROUPS: usize = 500_000;

/// The parent of functions whose cost has no estimated stack.
const OTHER_CALLERS: &[u8] = b"(other callers)";

/// The parent of the roots.
const TOP: u32 = 0;

/// The stacks of aggregates: the tree that grows from the graph of groups and calls. Each call graph
/// of the profile has groups and nodes of its own.
pub(super) struct Estimate<'a> {
    /// The number of call graphs.
    graphs: usize,
    pub names: Vec<GroupName<'a>>,
    groups: Vec<Group>,
    /// The first one is the parent of the roots.
    pub nodes: Vec<EstimatedNode>,
    /// A row of self costs for each node.
    pub costs: CostTable,
    /// Those of the groups.
    group_costs: CostTable,
    /// The cost of everything, in the event that decides.
    total: u64,
    /// That event, and whether its costs are rounded: times and sizes are, counts are not.
    event: usize,
    are_rounded: bool,
}

/// What a group is called. Groups of several call graphs can have the same name.
#[derive(Clone, Copy, Default)]
pub(super) struct GroupName<'a> {
    /// One of its functions, if any, and its name without callers.
    pub frame: Frame<'a>,
    /// The callers in its name.
    chain: &'a [u8],
}

/// A group, with the costs of one event.
#[derive(Default)]
struct Group {
    /// The position of its name.
    name: u32,
    /// The position of its call graph.
    graph: u32,
    /// The number of groups that call it, plus one if it calls itself.
    callers: u32,
    invocations: u64,
    /// The costs of its calls, by the group that is called; the costliest first.
    calls: Vec<(u32, u64)>,
    /// The costs of its calls and itself, and of the calls to it.
    out: u64,
    into: u64,
    /// How much these may differ because they were rounded.
    rounding: u64,
    /// The weight of its nodes, and of those that have got their part of its costs.
    weight: u64,
    divided: u64,
}

/// The names of groups, while these are made.
struct NodeNames<'c, 'a> {
    chains: &'c Chains<'a>,
    /// The number of those of functions, which come first, and are sorted.
    count: usize,
    of_functions: Vec<u32>,
    /// Those of callers that are no functions.
    of_callers: HashMap<(&'a [u8], &'a [u8]), u32>,
    /// The groups of functions in the call graph that was added last.
    groups: Vec<u32>,
}

/// Stands for no group, and for no name of one.
const NO_GROUP: u32 = u32::MAX;

impl<'a> GroupName<'a> {
    fn key(&self) -> (&'a [u8], &'a [u8]) {
        (self.frame.name, self.chain)
    }
}

impl Group {
    /// How much more it and its calls cost than the calls to it, if that is not just rounding.
    fn excess(&self) -> u64 {
        let excess = self.out.saturating_sub(self.into);
        let is_rounding = self.callers > 0 && excess <= self.rounding;
        if is_rounding { 0 } else { excess }
    }

    fn lacks_callers(&self) -> bool {
        self.callers == 0 || self.excess() > 0
    }
}

/// A node of the tree.
pub(super) struct EstimatedNode {
    parent: u32,
    pub group: u32,
    /// Its last child, and the sibling before it; `TOP` if there is none.
    last_child: u32,
    sibling: u32,
    pub calls: u64,
    pub estimated: Estimated,
    /// Its share of the costs of its group.
    weight: u64,
}

/// The costs of calls, by caller and callee.
type Calls = IndexMap<(u32, u32), u64>;

/// A candidate for a node: those with one possible stack first, then the heaviest, then those with
/// the smallest numbers of parent and group.
type Candidate = (bool, u64, Reverse<u32>, Reverse<u32>);

impl<'a> Estimate<'a> {
    /// The stacks of the aggregates of a profile. The first event that costs anything decides.
    pub fn new(profile: &'a Profile) -> Self {
        let totals = profile.totals();
        let event = totals.iter().position(|&total| total > 0).unwrap_or(0);
        let unit = profile.events().get(event).map(|event| profile.unit(event));
        let width = profile.events().len();
        let graphs = profile.call_graphs();
        let mut estimate = Estimate {
            graphs: graphs.len(),
            names: Vec::new(),
            groups: Vec::new(),
            nodes: Vec::new(),
            costs: CostTable::new(width),
            group_costs: CostTable::new(width),
            total: positive(&totals, event),
            event,
            are_rounded: unit.is_some_and(|unit| !unit.is_empty()),
        };
        let chains = profile.chains();
        let mut names = estimate.add_names(profile, &chains);
        for (number, graph) in (0..).zip(graphs) {
            estimate.add_graph(number, graph, &mut names);
        }
        drop(names);
        estimate.grow();
        estimate.divide_costs();
        estimate
    }

    /// Adds the names of the groups of functions, sorted.
    fn add_names<'c>(&mut self, profile: &'a Profile, chains: &'c Chains<'a>) -> NodeNames<'c, 'a> {
        let functions = profile
            .functions()
            .filter(|&(id, _)| !profile.has_stacks(id));
        let mut functions: Vec<_> = functions
            .map(|(id, function)| {
                let name = chains.split(profile.name(function.name));
                let place = [function.file, function.object].map(|name| profile.name(name));
                ((name.own, name.chain, place), name.level, id)
            })
            .collect();
        functions.sort_unstable();
        let mut of_functions = vec![NO_GROUP; profile.functions().len()];
        for members in functions.chunk_by(|(a, ..), (b, ..)| a == b && !a.1.is_empty()) {
            let ((name, chain, _), _, first) = members[0];
            let number = next_index(self.names.len());
            self.names.push(GroupName {
                frame: Frame {
                    function: Some(first),
                    name,
                },
                chain,
            });
            for &(.., id) in members {
                of_functions[id.index()] = number;
            }
        }
        NodeNames {
            chains,
            count: self.names.len(),
            groups: vec![NO_GROUP; of_functions.len()],
            of_functions,
            of_callers: HashMap::default(),
        }
    }

    /// Adds the groups of a call graph and the calls between them.
    fn add_graph(&mut self, number: u32, graph: CallGraph<'a>, names: &mut NodeNames<'_, 'a>) {
        let first = self.groups.len();
        let functions = graph.functions();
        let functions =
            functions.map(|function| (names.of_functions[function.id.index()], function));
        let mut functions: Vec<_> = functions.collect();
        functions.sort_unstable_by_key(|&(name, function)| (name, function.id));
        for members in functions.chunk_by(|(a, _), (b, _)| a == b) {
            let at = self.push_group(number, members[0].0);
            let group = &mut self.groups[at as usize];
            group.rounding = self.are_rounded.into();
            for (_, function) in members {
                names.groups[function.id.index()] = at;
                let costs = function.self_costs;
                self.group_costs.add::<ANY_WIDTH>(at as usize, costs);
                add(&mut group.out, positive(costs, self.event));
                add(&mut group.invocations, function.invocations);
            }
        }
        drop(functions);
        let mut calls = Calls::default();
        for edge in graph.edges() {
            let [caller, callee] = [edge.caller, edge.callee].map(|id| names.groups[id.index()]);
            if [caller, callee].contains(&NO_GROUP) {
                continue;
            }
            if caller == callee {
                // A name with callers tells how deep the recursion is.
                let group = &mut self.groups[caller as usize];
                let has_chain = !self.names[group.name as usize].chain.is_empty();
                group.callers += u32::from(!has_chain);
                continue;
            }
            for group in [caller, callee].into_iter().filter(|_| self.are_rounded) {
                add(&mut self.groups[group as usize].rounding, edge.calls);
            }
            let cost = positive(edge.costs(), self.event);
            self.add_calls(&mut calls, caller, callee, cost);
        }
        self.add_callers_in_names(number, first, &mut calls, names);
        calls.sort_unstable_by(|a, a_cost, b, b_cost| (b_cost, a).cmp(&(a_cost, b)));
        for ((caller, callee), cost) in calls {
            self.groups[caller as usize].calls.push((callee, cost));
        }
    }

    fn push_group(&mut self, graph: u32, name: u32) -> u32 {
        self.group_costs.push_zeros();
        self.groups.push(Group {
            name,
            graph,
            ..Group::default()
        });
        next_index(self.groups.len() - 1)
    }

    fn push_name(&mut self, name: &'a [u8], chain: &'a [u8]) -> u32 {
        let function = None;
        let frame = Frame { function, name };
        self.names.push(GroupName { frame, chain });
        next_index(self.names.len() - 1)
    }

    fn add_calls(&mut self, calls: &mut Calls, caller: u32, callee: u32, cost: u64) {
        add(&mut self.groups[caller as usize].out, cost);
        let called = &mut self.groups[callee as usize];
        add(&mut called.into, cost);
        let calls = calls.entry((caller, callee));
        called.callers += u32::from(matches!(calls, Entry::Vacant(_)));
        add(calls.or_default(), cost);
    }

    /// Lets callers in names make the calls that none of the functions made. `first` is the first
    /// group of the call graph.
    fn add_callers_in_names(
        &mut self,
        graph: u32,
        first: usize,
        calls: &mut Calls,
        names: &mut NodeNames<'_, 'a>,
    ) {
        let known = self.groups.len();
        let mut added: HashMap<_, u32> = HashMap::default();
        for start in first..known {
            let group = &self.groups[start];
            let mut chain = self.names[group.name as usize].chain;
            if !group.lacks_callers() || chain.is_empty() || self.groups.len() > MAX_GROUPS {
                continue;
            }
            let mut callee = next_index(start);
            for name in names.chains.callers(chain).unwrap_or_default() {
                let group = &self.groups[callee as usize];
                if !group.lacks_callers() {
                    break;
                }
                let cost = group.excess();
                chain = chain.get(name.len() + 1..).unwrap_or_default();
                let key = (name, chain);
                let groups = &self.groups[first..known];
                let key_of = |group: &Group| self.names[group.name as usize].key();
                let caller = match groups.binary_search_by_key(&key, key_of) {
                    Ok(at) => next_index(first + at),
                    Err(_) => *added.entry(key).or_insert_with(|| {
                        let name = self.name_of_caller(key, names);
                        self.push_group(graph, name)
                    }),
                };
                self.add_calls(calls, caller, callee, cost);
                callee = caller;
            }
        }
    }

    /// The name of a caller that is no function of its call graph.
    fn name_of_caller(&mut self, key: (&'a [u8], &'a [u8]), names: &mut NodeNames<'_, 'a>) -> u32 {
        let of_functions = &self.names[..names.count];
        match of_functions.binary_search_by_key(&key, GroupName::key) {
            Ok(at) => next_index(at),
            Err(_) => {
                let added = names.of_callers.entry(key);
                *added.or_insert_with(|| self.push_name(key.0, key.1))
            }
        }
    }

    /// Creates the nodes with one possible stack, and others as far as they matter.
    fn grow(&mut self) {
        let starts = (0..).zip(&self.groups).map(|(at, group)| {
            let weight = fraction(TOTAL, group.excess(), self.total);
            (group.callers == 0, weight, Reverse(TOP), Reverse(at))
        });
        let starts = starts.filter(|&(is_exact, weight, ..)| is_exact || weight >= MIN_WEIGHT);
        let mut candidates: BinaryHeap<Candidate> = starts.collect();
        let most = 2 * MAX_NODES + self.groups.len();
        let mut estimated = 0;
        // The node on whose path a group was found last.
        let mut on_path_of = vec![TOP; self.groups.len()];
        let name = self.push_name(b"", b"");
        let top = self.push_group(0, name);
        self.add_node(TOP, top, 0, Estimated::Nothing);
        while let Some((is_exact, weight, Reverse(parent), Reverse(group))) = candidates.pop() {
            if is_exact {
                self.add_node(parent, group, weight, Estimated::Nothing);
            } else if weight < MIN_WEIGHT || estimated == MAX_NODES {
                break;
            } else {
                self.add_node(parent, group, weight, Estimated::SelfAndInclusive);
                estimated += 1;
            }
            let at = next_index(self.nodes.len() - 1);
            let (mut above, mut levels) = (at, 0);
            while self.nodes[above as usize].estimated == Estimated::SelfAndInclusive {
                let node = &self.nodes[above as usize];
                on_path_of[node.group as usize] = at;
                (above, levels) = (node.parent, levels + 1);
            }
            if levels == MAX_LEVELS {
                continue;
            }
            let group = &self.groups[group as usize];
            // Calls of little weight do not affect others.
            let matters = |&&(_, cost): &&(u32, u64)| {
                is_exact || fraction(weight, cost, group.out) >= MIN_WEIGHT
            };
            let last = group.calls.iter().take_while(matters).count();
            let calls = group.calls[..last].iter();
            let is_recursive = |&&(callee, _): &&(u32, u64)| on_path_of[callee as usize] == at;
            let recursive = calls.clone().filter(is_recursive).map(|(_, cost)| cost);
            let all = recursive.fold(group.out, |all, &cost| all.saturating_sub(cost));
            for &(callee, cost) in calls.filter(|call| !is_recursive(call)) {
                let callees = &self.groups[callee as usize];
                let is_exact = is_exact && callees.callers == 1 && callees.excess() == 0;
                let is_free = cost == 0 && self.costs.width() == 1;
                if !is_exact && !is_free {
                    // Even if they are not estimated below this node.
                    let node = &mut self.nodes[at as usize];
                    node.estimated = node.estimated.max(Estimated::Inclusive);
                }
                let weight = fraction(weight, cost, all);
                candidates.push((is_exact, weight, Reverse(at), Reverse(callee)));
            }
            if candidates.len() > most {
                prune(&mut candidates, MAX_NODES - estimated);
            }
        }
        let has_no_node = |&at: &u32| {
            let costs = self.group_costs.row(at as usize);
            self.groups[at as usize].weight == 0 && costs.iter().any(|&cost| cost != 0)
        };
        let without_node: Vec<u32> = (0..top).filter(has_no_node).collect();
        if without_node.is_empty() {
            return;
        }
        let name = self.push_name(OTHER_CALLERS, b"");
        let mut others = None;
        for group in without_node {
            let graph = self.graph(group);
            let parent = match others {
                Some((parent, of)) if of == graph => parent,
                _ => {
                    let parent = next_index(self.nodes.len());
                    let group = self.push_group(graph, name);
                    self.add_node(TOP, group, 0, Estimated::SelfAndInclusive);
                    others = Some((parent, graph));
                    parent
                }
            };
            self.add_node(parent, group, 0, Estimated::SelfAndInclusive);
        }
    }

    fn add_node(&mut self, parent: u32, group: u32, weight: u64, estimated: Estimated) {
        let at = next_index(self.nodes.len());
        let weight = weight.max(1);
        self.groups[group as usize].weight += weight;
        let above = self.nodes.get_mut(parent as usize);
        let sibling = above.map_or(TOP, |above| replace(&mut above.last_child, at));
        self.nodes.push(EstimatedNode {
            parent,
            group,
            last_child: TOP,
            sibling,
            calls: 0,
            estimated,
            weight,
        });
    }

    /// The children of a node, the last one first.
    pub fn children(&self, node: u32) -> impl Iterator<Item = u32> {
        let existing = |at: u32| (at != TOP).then_some(at);
        let last = existing(self.nodes[node as usize].last_child);
        iter::successors(last, move |&at| existing(self.nodes[at as usize].sibling))
    }

    /// The number of nodes of each call graph, except the parent of the roots.
    pub fn nodes_by_graph(&self) -> Vec<usize> {
        let mut counts = vec![0; self.graphs];
        for node in &self.nodes[1..] {
            counts[self.graph(node.group) as usize] += 1;
        }
        counts
    }

    /// The position of the call graph of a group.
    pub fn graph(&self, group: u32) -> u32 {
        self.groups[group as usize].graph
    }

    /// The position of its name.
    pub fn name(&self, group: u32) -> u32 {
        self.groups[group as usize].name
    }

    pub fn frame(&self, group: u32) -> Frame<'a> {
        self.names[self.name(group) as usize].frame
    }

    /// Divides the costs among the nodes, in whole numbers that add up.
    fn divide_costs(&mut self) {
        let mut own = Vec::new();
        for node in &mut self.nodes {
            let group = &mut self.groups[node.group as usize];
            let before = group.divided;
            group.divided += node.weight;
            let [before, after, all] = [before, group.divided, group.weight].map(i128::from);
            // Rounded: the first nodes are the heaviest.
            let up_to = |whole: i128, weight: i128| (whole * weight + all / 2).div_euclid(all);
            let part = |whole: i128| up_to(whole, after) - up_to(whole, before);
            let costs = self.group_costs.row(node.group as usize).iter();
            own.clear();
            own.extend(costs.map(|&cost| saturated(part(cost.into()))));
            self.costs.push::<ANY_WIDTH>(&own);
            let calls = part(group.invocations.into());
            node.calls = u64::try_from(calls).unwrap_or(u64::MAX);
        }
    }
}

/// Drops the candidates that would find no room: all exact ones stay, and the best `room` others.
fn prune(candidates: &mut BinaryHeap<Candidate>, room: usize) {
    let mut kept = take(candidates).into_vec();
    let exact = kept.iter().filter(|(is_exact, ..)| *is_exact).count();
    if exact + room < kept.len() {
        kept.select_nth_unstable_by(exact + room, |one, other| other.cmp(one));
        kept.truncate(exact + room);
    }
    *candidates = kept.into();
}

/// A cost of an event, if it is not negative.
fn positive(costs: &[Cost], event: usize) -> u64 {
    let cost = costs.get(event).copied().unwrap_or(0);
    u64::try_from(cost).unwrap_or(0)
}

/// A part of a weight: `part` of `whole`, rounded down.
fn fraction(weight: u64, part: u64, whole: u64) -> u64 {
    let share = (u128::from(weight) * u128::from(part.min(whole))).checked_div(whole.into());
    u64::try_from(share.unwrap_or(0)).unwrap_or(u64::MAX)
}

fn add(sum: &mut u64, more: u64) {
    *sum = sum.saturating_add(more);
}
