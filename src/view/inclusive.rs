//! Inclusive costs: the self costs of all stacks that contain a row. Nothing counts twice.
//!
//! Traces know their stacks, so everything follows from one walk over the tree of contexts. In
//! aggregates, a row that is in no cycle of calls costs itself and its calls. In a cycle, stacks say
//! what a row costs; where they are estimated, so is the cost, within what is possible. If there are
//! several call graphs, a row costs what it costs in each of them.

use std::borrow::Cow;
use std::ops::Range;

use super::View;
use super::cycles::GraphCycles;
use super::groups::{RowNumbers, Rows};
use crate::maps::{HashMap, IndexMap, IndexSet};
use crate::profile::{CallGraph, Cost, Cycles, EdgeRef, FunctionId, GraphFunction, Profile};
use crate::stacks::{StackId, Stacks};
use crate::tables::{ANY_WIDTH, ByFunction, CostTable, saturated};
use crate::trace::CallSite;

/// The inclusive costs of rows.
#[derive(Clone, Debug, Default)]
pub(super) struct InclusiveCosts {
    pub costs: CostTable,
    /// By row: whether they are estimated.
    pub estimated: Vec<bool>,
    /// By row: whether it may have been called while it was already running.
    pub nested: Vec<bool>,
    /// The cycles of aggregates, if there are several call graphs. Otherwise these are those of the rows.
    pub cycles: Option<GraphCycles>,
}

impl InclusiveCosts {
    /// Self costs and the costs of all calls, as webgrind defines it. Recursion counts twice, except
    /// between functions that are one row.
    pub fn summed(rows: &Rows<'_>) -> Self {
        let table = &*rows.table;
        // Those of traces and those of aggregates: the calls of one kind are not among those of the other.
        let mut members = vec![[0u32; 2]; table.functions().len()];
        if let RowNumbers::OfFunctions(numbers) = &rows.numbers {
            for ((_, function), row) in rows.functions.profile.functions().zip(numbers) {
                if let Some(row) = row {
                    members[row.index()][usize::from(function.is_listed)] += 1;
                }
            }
        }
        let mut costs = CostTable::new(table.events().len());
        for (id, _) in table.functions() {
            if members[id.index()].iter().all(|&count| count < 2) && rows.have_functions() {
                costs.push::<ANY_WIDTH>(table.inclusive_costs(id));
                continue;
            }
            costs.push::<ANY_WIDTH>(table.self_costs(id));
            let calls = table.sub_calls(id).filter(|edge| edge.callee != id);
            calls.for_each(|edge| costs.add::<ANY_WIDTH>(id.index(), edge.costs()));
        }
        InclusiveCosts {
            nested: vec![true; costs.rows()],
            ..InclusiveCosts::exact(costs)
        }
    }

    /// Costs that are no estimates, without nested calls.
    fn exact(costs: CostTable) -> Self {
        InclusiveCosts {
            estimated: vec![false; costs.rows()],
            nested: vec![false; costs.rows()],
            cycles: None,
            costs,
        }
    }

    /// The costs of all stacks that contain a row. `node_row` returns the row of a node.
    pub fn once<'s, 'a: 's>(
        profile: &Profile,
        rows: &Rows<'_>,
        stacks: impl Fn() -> &'s Stacks<'a>,
        node_row: impl Fn(&Stacks<'_>, StackId) -> Option<FunctionId>,
    ) -> Self {
        let (count, contexts) = (rows.table.functions().len(), profile.contexts());
        if let RowNumbers::OfCallSites(lines) = &rows.numbers
            && let Some(contexts) = contexts.filter(|contexts| contexts.has_call_sites())
        {
            let contexts = contexts.without_proxies();
            let (costs, nested) = contexts.costs_of(count, |caller, id| {
                let CallSite { file, line } = contexts.call_site(id)?;
                // A line can also have calls of hidden functions.
                rows.functions.number(contexts.function(caller))?;
                Some(lines.get(&(file, line))?.index())
            });
            return InclusiveCosts {
                nested,
                ..InclusiveCosts::exact(costs)
            };
        }
        if !rows.have_functions() {
            return InclusiveCosts::summed(rows);
        }
        let mut inclusive = match contexts {
            None => InclusiveCosts::exact(CostTable::zeros(profile.events().len(), count)),
            Some(contexts) => {
                let row = |_, id| Some(rows.of_function(contexts.function(id))?.index());
                let (costs, nested) = contexts.costs_of(count, row);
                InclusiveCosts {
                    nested,
                    ..InclusiveCosts::exact(costs)
                }
            }
        };
        if profile.functions().all(|(id, _)| profile.has_stacks(id)) {
            return inclusive;
        }
        let graphs = profile.call_graphs();
        let are_several = graphs.len() > 1;
        inclusive.cycles = are_several.then(GraphCycles::default);
        for (at, graph) in graphs.into_iter().enumerate() {
            let sums = Sums::new(profile, rows, graph, are_several);
            sums.add_to(&mut inclusive, || stacks().of_graph(at), &node_row);
        }
        inclusive
    }
}

impl InclusiveCosts {
    /// The costs of rows without hidden functions. `all` has a row for each hidden function, and is
    /// otherwise of the same kind, so its rows cost the same.
    pub fn of_shown(rows: &Rows<'_>, all: &View<'_>) -> Self {
        // What hidden functions cost that nobody who is shown calls is a row of its own.
        let table = &*rows.table;
        let mut costs = CostTable::new(table.events().len());
        for (row, _) in table.functions() {
            costs.push::<ANY_WIDTH>(table.self_costs(row));
        }
        let mut shown = InclusiveCosts::exact(costs);
        let mut shown_rows = HashMap::default();
        for (function, _) in all.profile().functions() {
            if let (Some(row), Some(from)) = (rows.of_function(function), all.row(function)) {
                let (row, costs) = (row.index(), all.inclusive_costs(from));
                shown.costs.set::<ANY_WIDTH>(row, costs);
                shown.estimated[row] = all.inclusive.estimated[from.index()];
                shown.nested[row] = all.inclusive.nested[from.index()];
                shown_rows.insert(from, FunctionId::at(row));
            }
        }
        let cycles = all.inclusive.cycles.as_ref();
        shown.cycles = cycles.map(|cycles| cycles.renumbered(|row| shown_rows.get(&row).copied()));
        if let Some(hidden) = rows.functions.hidden
            && let Some((function, row)) = rows.of_rest(hidden)
        {
            shown.estimated[row.index()] = hidden.is_estimated(function);
        }
        shown
    }
}

/// The costs of rows in a call graph.
struct Sums<'p> {
    profile: &'p Profile,
    rows: &'p Rows<'p>,
    graph: CallGraph<'p>,
    numbers: GraphRows,
    cycles: Cow<'p, Cycles>,
    /// Its self costs and those of its calls to other rows, by number.
    costs: CostTable,
    /// Likewise, the costs of its calls of itself.
    recursive: HashMap<usize, Vec<Cost>>,
}

/// The numbers that rows have in a call graph.
enum GraphRows {
    /// It has all of them, with the same numbers.
    All,
    Some(IndexSet<FunctionId>),
}

impl GraphRows {
    fn of(&self, row: FunctionId) -> usize {
        match self {
            GraphRows::All => row.index(),
            GraphRows::Some(rows) => rows.get_index_of(&row).unwrap_or(rows.len()),
        }
    }

    fn row(&self, number: usize) -> FunctionId {
        match self {
            GraphRows::All => FunctionId::at(number),
            GraphRows::Some(rows) => rows[number],
        }
    }
}

/// A row that is in a cycle with others.
#[derive(Default)]
struct Member {
    /// Its self costs and those of its calls out of the cycle: it costs at least as much.
    least: Vec<Cost>,
    /// The costs of the calls to it from outside of the cycle.
    called: Vec<Cost>,
    /// The number of calls from other rows, and the costs of these.
    calls: u64,
    call_costs: Vec<Cost>,
    /// Whether it calls itself directly.
    calls_itself: bool,
}

impl<'p> Sums<'p> {
    /// Those of the only call graph, or of one of several.
    fn new(
        profile: &'p Profile,
        rows: &'p Rows<'_>,
        graph: CallGraph<'p>,
        is_one_of_several: bool,
    ) -> Self {
        let row = |id| row_of(rows, id);
        let numbers = if is_one_of_several {
            let functions = graph.functions().map(|function| row(function.id));
            GraphRows::Some(functions.collect())
        } else {
            GraphRows::All
        };
        let count = match &numbers {
            GraphRows::All => rows.table.functions().len(),
            GraphRows::Some(rows) => rows.len(),
        };
        let number = |id| numbers.of(row(id));
        let mut costs = CostTable::zeros(profile.events().len(), count);
        let mut members = vec![0u32; count];
        for GraphFunction { id, self_costs, .. } in graph.functions() {
            let at = number(id);
            members[at] = members[at].saturating_add(1);
            costs.add::<ANY_WIDTH>(at, self_costs);
        }
        let mut recursive: HashMap<usize, Vec<Cost>> = HashMap::default();
        for edge in graph.edges() {
            let [caller, callee] = [edge.caller, edge.callee].map(number);
            if caller == callee {
                add(recursive.entry(caller).or_default(), edge.costs())
            } else {
                costs.add::<ANY_WIDTH>(caller, edge.costs())
            }
        }
        for function in graph.functions() {
            let at = number(function.id);
            if members[at] == 1 {
                let recursive = recursive.get(&at).map_or(&[][..], Vec::as_slice);
                if let Some(stated) = stated(profile, &function, costs.row(at), recursive) {
                    costs.set::<ANY_WIDTH>(at, &stated);
                }
            }
        }
        let cycles = if is_one_of_several {
            let ends = |edge: EdgeRef<'_>| [edge.caller, edge.callee].map(number);
            let calls: Vec<[usize; 2]> = graph.edges().map(ends).collect();
            let callers = calls.iter().map(|&[caller, _]| FunctionId::at(caller));
            let of_callers = ByFunction::new(callers, count);
            let callees = |caller| {
                let calls_of = of_callers.of(FunctionId::at(caller)).iter();
                calls_of.map(|&at| calls[at as usize][1])
            };
            Cow::Owned(Cycles::new(count, callees))
        } else {
            Cow::Borrowed(rows.table.cycles())
        };
        Sums {
            profile,
            rows,
            graph,
            numbers,
            cycles,
            costs,
            recursive,
        }
    }

    /// The row of a function.
    fn row(&self, id: FunctionId) -> FunctionId {
        row_of(self.rows, id)
    }

    /// Adds the costs of all rows.
    fn add_to<'s, 'a: 's>(
        &self,
        inclusive: &mut InclusiveCosts,
        stacks: impl FnOnce() -> (&'s Stacks<'a>, Range<usize>),
        node_row: impl Fn(&Stacks<'_>, StackId) -> Option<FunctionId>,
    ) {
        let is_in_cycle = |&at: &usize| self.cycles.has(at);
        for at in (0..self.costs.rows()).filter(|at| !is_in_cycle(at)) {
            let row = self.numbers.row(at);
            inclusive
                .costs
                .add_row::<ANY_WIDTH>(row.index(), &self.costs, at);
        }
        let members = self.members();
        if !members.is_empty() {
            self.add_members(&members, inclusive, stacks(), node_row);
        }
        let Some(cycles) = &mut inclusive.cycles else {
            for function in self.graph.functions() {
                let row = self.row(function.id);
                inclusive.nested[row.index()] |= members.get(&row).is_none_or(Member::is_nested);
            }
            return;
        };
        let all = self.cycles.all();
        for numbers in all.filter(|all| all.len() > 1) {
            let rows = numbers.iter().map(|&at| self.numbers.row(at as usize));
            cycles.push(rows.map(|row| (row, members[&row].is_nested())));
        }
        for &at in self.recursive.keys().filter(|at| !is_in_cycle(at)) {
            cycles.push([(self.numbers.row(at), true)].into_iter());
        }
    }

    /// Adds the costs of the rows in cycles.
    fn add_members(
        &self,
        members: &IndexMap<FunctionId, Member>,
        inclusive: &mut InclusiveCosts,
        (stacks, nodes): (&Stacks<'_>, Range<usize>),
        node_row: impl Fn(&Stacks<'_>, StackId) -> Option<FunctionId>,
    ) {
        let (estimates, estimated) = stacks.inclusive_of_groups(nodes, members.len(), |node| {
            let is_known = |id| self.profile.has_stacks(id);
            if stacks.function(node).is_some_and(is_known) {
                return None;
            }
            members.get_index_of(&node_row(stacks, node)?)
        });
        let cycle = |row| self.cycles.of[self.numbers.of(row)];
        let mut most: HashMap<u32, Vec<Cost>> = HashMap::default();
        for (&row, member) in members {
            add(most.entry(cycle(row)).or_default(), &member.least);
        }
        for (at, (&row, member)) in members.iter().enumerate() {
            let summed = self.costs.row(self.numbers.of(row));
            let estimate = (estimates.row(at), estimated[at]);
            let (costs, estimated) = member.costs(estimate, summed, &most[&cycle(row)]);
            inclusive.costs.add::<ANY_WIDTH>(row.index(), &costs);
            inclusive.estimated[row.index()] |= estimated;
        }
    }

    /// The rows in cycles.
    fn members(&self) -> IndexMap<FunctionId, Member> {
        let mut members: IndexMap<FunctionId, Member> = IndexMap::default();
        if !self.cycles.are_any() {
            return members;
        }
        for function in self.graph.functions() {
            let row = self.row(function.id);
            if self.cycles.has(self.numbers.of(row)) {
                let member = members.entry(row).or_default();
                add(&mut member.least, function.self_costs);
            }
        }
        for edge in self.graph.edges() {
            let [caller, callee] = [edge.caller, edge.callee].map(|id| self.row(id));
            let [from, to] = [caller, callee].map(|row| self.cycles.of[self.numbers.of(row)]);
            let is_within = from == to;
            if !is_within && let Some(member) = members.get_mut(&caller) {
                add(&mut member.least, edge.costs());
            }
            let Some(member) = members.get_mut(&callee) else {
                continue;
            };
            if caller == callee {
                member.calls_itself = true;
            } else {
                member.calls = member.calls.saturating_add(edge.calls);
                add(&mut member.call_costs, edge.costs());
                if !is_within {
                    add(&mut member.called, edge.costs());
                }
            }
        }
        members
    }
}

fn row_of(rows: &Rows<'_>, id: FunctionId) -> FunctionId {
    rows.of_function(id).unwrap_or(id)
}

/// The inclusive costs of a function according to its input, if they are not `costs`. webgrind
/// files state them, and round the costs of calls. `recursive` are its calls of itself, which
/// are no part of the result, unless the file counts recursion once already.
fn stated(
    profile: &Profile,
    function: &GraphFunction<'_>,
    costs: &[Cost],
    recursive: &[Cost],
) -> Option<Vec<Cost>> {
    let stated = function.inclusive_costs;
    let cost = |row: &[Cost], event: usize| i128::from(row.get(event).copied().unwrap_or(0));
    let events = 0..stated.len();
    let difference = |event| cost(stated, event) - cost(costs, event) - cost(recursive, event);
    if events.clone().all(|event| difference(event) == 0) {
        return None;
    }
    let records = profile.sub_calls(function.id).len() as u64 + 1;
    let rounding = i128::from(records.saturating_mul(profile.runs()));
    let stated = events.map(|event| {
        if difference(event).abs() <= rounding {
            saturated(cost(stated, event) - cost(recursive, event))
        } else {
            stated[event]
        }
    });
    Some(stated.collect())
}

impl Member {
    /// Whether it may have been called while it was already running. What is called once is not.
    fn is_nested(&self) -> bool {
        self.calls != 1 || self.calls_itself
    }

    /// Its inclusive costs, and whether they are estimated, from an estimate by stacks. It costs no
    /// more than itself and its calls, which are `summed`, and no more than its cycle.
    fn costs(
        &self,
        (estimate, is_estimated): (&[Cost], bool),
        summed: &[Cost],
        cycle: &[Cost],
    ) -> (Vec<Cost>, bool) {
        let at = |row: &[Cost], event: usize| row.get(event).copied().unwrap_or(0);
        let events = 0..summed.len();
        let bounds = events.map(|event| {
            let most = summed[event].min(at(cycle, event));
            // The calls into the cycle can be nested in each other only if they go through it.
            let least = at(&self.least, event).max(at(&self.called, event).min(most));
            (least, most.max(least))
        });
        let bounds: Vec<(Cost, Cost)> = bounds.collect();
        let is_possible = |(event, &(least, most)): (usize, &(Cost, Cost))| {
            (least..=most).contains(&at(&self.call_costs, event))
        };
        if self.calls == 1 && bounds.iter().enumerate().all(is_possible) {
            // What a single call reached has the cost of this call.
            let costs = bounds.iter().enumerate();
            let costs = costs.map(|(event, _)| at(&self.call_costs, event));
            return (costs.collect(), false);
        }
        let costs = bounds.iter().enumerate();
        let costs = costs.map(|(event, &(least, most))| at(estimate, event).clamp(least, most));
        let costs: Vec<Cost> = costs.collect();
        let is_exact = bounds.iter().all(|(least, most)| least == most);
        let is_changed = (0..costs.len()).any(|event| costs[event] != at(estimate, event));
        (costs, (is_estimated || is_changed) && !is_exact)
    }
}

/// Adds a row of costs to another, which may be shorter.
fn add(sums: &mut Vec<Cost>, costs: &[Cost]) {
    sums.resize(sums.len().max(costs.len()), 0);
    for (sum, &cost) in sums.iter_mut().zip(costs) {
        *sum = sum.saturating_add(cost);
    }
}
