//! Inclusive costs: the self costs of all stacks that contain a row. Nothing counts twice.
//!
//! Traces know their stacks, so everything follows from one walk over the tree of contexts. In
//! aggregates, a row that is in no cycle of calls costs itself and its calls. In a cycle, stacks say
//! what a row costs; where they are estimated, so is the cost, within what is possible.

use super::View;
use super::groups::{RowNumbers, Rows};
use crate::maps::{HashMap, IndexMap};
use crate::profile::{Cost, EdgeRef, Function, FunctionId, Profile};
use crate::stacks::{StackId, Stacks};
use crate::tables::{ANY_WIDTH, CostTable, saturated};
use crate::trace::CallSite;

/// The inclusive costs of rows.
#[derive(Clone, Debug, Default)]
pub(super) struct InclusiveCosts {
    pub costs: CostTable,
    /// By row: whether they are estimated.
    pub estimated: Vec<bool>,
    /// By row: whether it may have been called while it was already running.
    pub nested: Vec<bool>,
}

impl InclusiveCosts {
    /// Self costs and the costs of all calls, as webgrind defines it. Recursion counts twice, except
    /// between functions that are one row.
    pub fn summed(rows: &Rows<'_>) -> Self {
        let table = &*rows.table;
        let mut members = vec![0u32; table.functions().len()];
        if let RowNumbers::OfFunctions(rows) = &rows.numbers {
            let rows = rows.iter().flatten();
            rows.for_each(|row| members[row.index()] += 1);
        }
        let mut costs = CostTable::new(table.events().len());
        for (id, _) in table.functions() {
            if members[id.index()] < 2 && rows.have_functions() {
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
            costs,
        }
    }

    /// The costs of all stacks that contain a row. `node_row` returns the row of a node.
    pub fn once<'s, 'a: 's>(
        profile: &Profile,
        rows: &Rows<'_>,
        stacks: impl FnOnce() -> &'s Stacks<'a>,
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
        if profile.functions().any(|(id, _)| !profile.has_stacks(id)) {
            let sums = Sums::new(profile, rows);
            sums.add_to(&mut inclusive, stacks, node_row);
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
        for (function, _) in all.profile().functions() {
            if let (Some(row), Some(from)) = (rows.of_function(function), all.row(function)) {
                let (row, costs) = (row.index(), all.inclusive_costs(from));
                shown.costs.set::<ANY_WIDTH>(row, costs);
                shown.estimated[row] = all.inclusive.estimated[from.index()];
                shown.nested[row] = all.inclusive.nested[from.index()];
            }
        }
        shown
    }
}

/// The costs of rows without the traces whose stacks are known.
struct Sums<'p> {
    profile: &'p Profile,
    rows: &'p Rows<'p>,
    /// By row: its self costs and those of its calls to other rows.
    costs: CostTable,
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
    fn new(profile: &'p Profile, rows: &'p Rows<'_>) -> Self {
        let count = rows.table.functions().len();
        let mut costs = CostTable::zeros(profile.events().len(), count);
        let mut sums = Sums {
            profile,
            rows,
            costs: CostTable::default(),
        };
        let mut members = vec![0u32; count];
        for (id, _) in sums.functions() {
            let row = sums.row(id).index();
            members[row] = members[row].saturating_add(1);
            costs.add::<ANY_WIDTH>(row, profile.self_costs(id));
        }
        let mut recursive: HashMap<usize, Vec<Cost>> = HashMap::default();
        for edge in sums.edges() {
            let [caller, callee] = [edge.caller, edge.callee].map(|id| sums.row(id));
            if caller == callee {
                add(recursive.entry(caller.index()).or_default(), edge.costs())
            } else {
                costs.add::<ANY_WIDTH>(caller.index(), edge.costs())
            }
        }
        for (id, _) in sums.functions() {
            let row = sums.row(id).index();
            if members[row] == 1 {
                let recursive = recursive.get(&row).map_or(&[][..], Vec::as_slice);
                if let Some(stated) = sums.stated(id, costs.row(row), recursive) {
                    costs.set::<ANY_WIDTH>(row, &stated);
                }
            }
        }
        sums.costs = costs;
        sums
    }

    /// The row of a function.
    fn row(&self, id: FunctionId) -> FunctionId {
        self.rows.of_function(id).unwrap_or(id)
    }

    /// The functions without known stacks.
    fn functions(&self) -> impl Iterator<Item = (FunctionId, &'p Function)> {
        let profile = self.profile;
        let functions = profile.functions();
        functions.filter(move |&(id, _)| !profile.has_stacks(id))
    }

    /// The calls between these.
    fn edges(&self) -> impl Iterator<Item = EdgeRef<'p>> {
        let profile = self.profile;
        let edges = profile.edges();
        edges.filter(move |edge| !profile.has_stacks(edge.caller))
    }

    /// The inclusive costs of a function according to its input, if they are not `costs`. webgrind
    /// files state them, and round the costs of calls. `recursive` are its calls of itself, which
    /// are no part of the result, unless the file counts recursion once already.
    fn stated(&self, id: FunctionId, costs: &[Cost], recursive: &[Cost]) -> Option<Vec<Cost>> {
        let stated = self.profile.inclusive_costs(id);
        let cost = |row: &[Cost], event: usize| i128::from(row.get(event).copied().unwrap_or(0));
        let events = 0..stated.len();
        let difference = |event| cost(stated, event) - cost(costs, event) - cost(recursive, event);
        if events.clone().all(|event| difference(event) == 0) {
            return None;
        }
        let records = self.profile.sub_calls(id).len() as u64 + 1;
        let rounding = i128::from(records.saturating_mul(self.profile.runs()));
        let stated = events.map(|event| {
            if difference(event).abs() <= rounding {
                saturated(cost(stated, event) - cost(recursive, event))
            } else {
                stated[event]
            }
        });
        Some(stated.collect())
    }

    /// Adds the costs of all rows.
    fn add_to<'s, 'a: 's>(
        &self,
        inclusive: &mut InclusiveCosts,
        stacks: impl FnOnce() -> &'s Stacks<'a>,
        node_row: impl Fn(&Stacks<'_>, StackId) -> Option<FunctionId>,
    ) {
        let cycles = self.rows.table.cycles();
        for (id, _) in self.functions() {
            inclusive.nested[self.row(id).index()] = true;
        }
        for row in (0..self.costs.rows()).filter(|&row| !cycles.has(row)) {
            inclusive.costs.add_row::<ANY_WIDTH>(row, &self.costs, row);
        }
        if !cycles.are_any() {
            return;
        }
        let members = self.members();
        let stacks = stacks();
        let (estimates, estimated) = stacks.inclusive_of_groups(members.len(), |node| {
            let is_known = |id| self.profile.has_stacks(id);
            if stacks.function(node).is_some_and(is_known) {
                return None;
            }
            members.get_index_of(&node_row(stacks, node)?)
        });
        let mut most: HashMap<u32, Vec<Cost>> = HashMap::default();
        for (row, member) in &members {
            add(
                most.entry(cycles.of[row.index()]).or_default(),
                &member.least,
            );
        }
        for (at, (row, member)) in members.iter().enumerate() {
            let most = &most[&cycles.of[row.index()]];
            let estimate = (estimates.row(at), estimated[at]);
            let (costs, estimated) = member.costs(estimate, self.costs.row(row.index()), most);
            inclusive.costs.add::<ANY_WIDTH>(row.index(), &costs);
            inclusive.estimated[row.index()] |= estimated;
            // What is called once is never running already.
            inclusive.nested[row.index()] = member.calls != 1 || member.calls_itself;
        }
    }

    /// The rows in cycles.
    fn members(&self) -> IndexMap<FunctionId, Member> {
        let cycles = self.rows.table.cycles();
        let mut members: IndexMap<FunctionId, Member> = IndexMap::default();
        for (id, _) in self.functions() {
            let row = self.row(id);
            if cycles.has(row.index()) {
                let member = members.entry(row).or_default();
                add(&mut member.least, self.profile.self_costs(id));
            }
        }
        for edge in self.edges() {
            let [caller, callee] = [edge.caller, edge.callee].map(|id| self.row(id));
            let is_within = cycles.of[caller.index()] == cycles.of[callee.index()];
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

impl Member {
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
