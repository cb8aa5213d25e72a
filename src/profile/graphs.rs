//! The call graphs in a profile of several inputs.
//!
//! Each thread of a program has its own: `main` and the first function of another thread do not call
//! each other, even if both call the same functions. Inputs of the same program and thread, such as
//! its dumps or other runs, have one call graph, and so has a single input.

use std::collections::BTreeMap;

use super::Profile;
use crate::maps::HashMap;
use crate::tables::{
    ANY_WIDTH, CallEdge, CallTable, Cost, CostTable, EdgeRef, Function, FunctionId, FunctionTable,
    NameId, next_index,
};

/// The most functions and calls of call graphs that are kept apart. If there are more, all inputs
/// have one call graph, so that the memory for many inputs is limited.
const MAX_ROWS: usize = 1 << 20;

/// The most call graphs that are kept apart.
const MAX_GRAPHS: usize = 1000;

/// What tells the call graph of an input apart: the program, according to its `cmd:` line, and the
/// number of its first `thread:` line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct GraphName {
    program: Box<[u8]>,
    thread: Option<u64>,
}

impl GraphName {
    pub fn new(command: &[u8], thread: Option<u64>) -> Self {
        let command = command.trim_ascii_start();
        let program = command.split(u8::is_ascii_whitespace).next();
        GraphName {
            program: program.unwrap_or_default().into(),
            thread,
        }
    }
}

/// The call graphs of some inputs. The order of merges does not matter.
#[derive(Clone, Debug, Default)]
pub(super) enum Graphs {
    /// There are no aggregates, or it is not asked for their stacks.
    #[default]
    None,
    /// The functions and calls of all aggregates.
    One(GraphName),
    Several(BTreeMap<GraphName, Graph>),
    /// There are too many.
    Joined,
}

/// The functions and calls of one of several call graphs.
#[derive(Clone, Debug, Default)]
pub(super) struct Graph {
    functions: Vec<FunctionId>,
    /// The positions of these.
    numbers: HashMap<FunctionId, u32>,
    invocations: Vec<u64>,
    self_costs: CostTable,
    inclusive_costs: CostTable,
    calls: CallTable,
}

impl Graphs {
    /// Whether merging these must keep them apart.
    pub fn differ(&self, other: &Graphs) -> bool {
        match (self, other) {
            (Graphs::One(name), Graphs::One(other)) => name != other,
            (Graphs::One(_) | Graphs::Several(_), Graphs::One(_) | Graphs::Several(_)) => true,
            _ => false,
        }
    }

    /// Copies the functions and calls of the only one, so that others can be added.
    pub fn split(&mut self, functions: &FunctionTable, calls: &CallTable) {
        if let Graphs::One(name) = self {
            let graph = Graph::of(functions, calls);
            *self = Graphs::Several(BTreeMap::from([(name.clone(), graph)]));
        }
    }

    /// Adds others. If they [`differ`](Self::differ), both are split. `function` maps the other
    /// numbers of functions to those here, whose rows have this `width`.
    pub fn append(
        &mut self,
        others: Graphs,
        function: impl Fn(FunctionId) -> FunctionId,
        width: usize,
    ) {
        if let Graphs::None = self {
            match others {
                Graphs::Several(_) => *self = Graphs::Several(BTreeMap::new()),
                others => return *self = others,
            }
        }
        match (&mut *self, others) {
            (Graphs::Several(graphs), Graphs::Several(others)) => {
                for (name, other) in others {
                    let graph = graphs.entry(name).or_default();
                    graph.tables().for_each(|table| table.widen(width));
                    graph.add(&other, &function);
                }
                let rows: usize = graphs.values().map(Graph::rows).sum();
                if rows > MAX_ROWS || graphs.len() > MAX_GRAPHS {
                    *self = Graphs::Joined;
                }
            }
            (_, Graphs::Joined) => *self = Graphs::Joined,
            // They are the same one.
            _ => {}
        }
    }

    /// All rows of costs.
    pub fn tables(&mut self) -> impl Iterator<Item = &mut CostTable> {
        let graphs = match self {
            Graphs::Several(graphs) => Some(graphs),
            _ => None,
        };
        let graphs = graphs.into_iter().flat_map(BTreeMap::values_mut);
        graphs.flat_map(Graph::tables)
    }
}

impl Graph {
    /// That of all functions except those of traces.
    fn of(functions: &FunctionTable, calls: &CallTable) -> Self {
        let mut graph = Graph::default();
        let width = functions.self_costs.width();
        graph.tables().for_each(|table| table.widen(width));
        let all = functions.as_slice();
        for (row, function) in all.iter().enumerate().filter(|(_, one)| !one.is_listed) {
            let costs = [&functions.self_costs, &functions.inclusive_costs];
            let costs = costs.map(|table| table.row(row));
            graph.add_function(FunctionId::at(row), function.counted_invocations(), costs);
        }
        for edge in calls.iter() {
            let ends = [edge.caller, edge.callee];
            if ends.iter().all(|id| !all[id.index()].is_listed) {
                graph.add_calls(&edge, ends);
            }
        }
        graph
    }

    /// Adds another one, whose functions have these numbers here.
    fn add(&mut self, other: &Graph, function: impl Fn(FunctionId) -> FunctionId) {
        for (row, &id) in other.functions.iter().enumerate() {
            let costs = [&other.self_costs, &other.inclusive_costs].map(|table| table.row(row));
            self.add_function(function(id), other.invocations[row], costs);
        }
        for edge in other.calls.iter() {
            self.add_calls(&edge, [edge.caller, edge.callee].map(&function));
        }
    }

    fn add_function(&mut self, id: FunctionId, invocations: u64, costs: [&[Cost]; 2]) {
        let next = next_index(self.functions.len());
        let number = *self.numbers.entry(id).or_insert(next);
        if number == next {
            self.functions.push(id);
            self.invocations.push(0);
            self.self_costs.push_zeros();
            self.inclusive_costs.push_zeros();
        }
        let row = number as usize;
        self.invocations[row] = self.invocations[row].saturating_add(invocations);
        self.self_costs.add::<ANY_WIDTH>(row, costs[0]);
        self.inclusive_costs.add::<ANY_WIDTH>(row, costs[1]);
    }

    /// Adds calls, wherever they are made.
    fn add_calls(&mut self, edge: &EdgeRef<'_>, [caller, callee]: [FunctionId; 2]) {
        let call = CallEdge {
            caller,
            callee,
            file: NameId::EMPTY,
            line: 0,
            ..**edge
        };
        self.calls.add::<ANY_WIDTH>(call, edge.costs());
    }

    fn rows(&self) -> usize {
        self.functions.len() + self.calls.edges().len()
    }

    fn tables(&mut self) -> impl Iterator<Item = &mut CostTable> {
        let calls = &mut self.calls.costs;
        [&mut self.self_costs, &mut self.inclusive_costs, calls].into_iter()
    }
}

/// A call graph of a profile: the functions that are no parts of known stacks, and their calls.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallGraph<'a> {
    profile: &'a Profile,
    /// `None` if it is the only one.
    part: Option<&'a Graph>,
}

/// A function of a call graph.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GraphFunction<'a> {
    pub id: FunctionId,
    pub invocations: u64,
    /// These are as in [`Profile::self_costs`] and [`Profile::inclusive_costs`].
    pub self_costs: &'a [Cost],
    pub inclusive_costs: &'a [Cost],
}

impl Profile {
    /// The call graphs of the aggregates: one of each thread of each program, if there are several.
    /// They do not depend on the order of merges.
    pub(crate) fn call_graphs(&self) -> Vec<CallGraph<'_>> {
        let graph = |part| CallGraph {
            profile: self,
            part,
        };
        match &self.contents.sums.graphs {
            Graphs::Several(graphs) => graphs.values().map(|part| graph(Some(part))).collect(),
            Graphs::None | Graphs::One(_) | Graphs::Joined => vec![graph(None)],
        }
    }
}

impl<'a> CallGraph<'a> {
    /// Its functions.
    pub fn functions(self) -> impl Iterator<Item = GraphFunction<'a>> {
        let profile = self.profile;
        let table = &profile.contents.sums.functions;
        let count = self
            .part
            .map_or(table.as_slice().len(), |part| part.functions.len());
        let functions = (0..count).map(move |row| match self.part {
            None => {
                let id = FunctionId::at(row);
                GraphFunction {
                    id,
                    invocations: table.as_slice()[row].invocations,
                    self_costs: profile.self_costs(id),
                    inclusive_costs: profile.inclusive_costs(id),
                }
            }
            Some(part) => {
                let id = part.functions[row];
                let width = profile.wanted.len();
                let function: &Function = profile.function(id);
                GraphFunction {
                    id,
                    // It may be assumed.
                    invocations: part.invocations[row].max(function.is_assumed.into()),
                    self_costs: &part.self_costs.row(row)[..width],
                    inclusive_costs: &part.inclusive_costs.row(row)[..width],
                }
            }
        });
        functions.filter(move |function| !profile.has_stacks(function.id))
    }

    /// The calls between these. Those of one of several call graphs are summed for all lines.
    pub fn edges(self) -> impl Iterator<Item = EdgeRef<'a>> {
        let profile = self.profile;
        let calls = self
            .part
            .map_or(&profile.contents.sums.calls, |part| &part.calls);
        let edges = calls.iter();
        edges.filter(move |edge| !profile.has_stacks(edge.caller))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graphs(thread: u64, functions: u32) -> Graphs {
        let mut graph = Graph::default();
        for number in 0..functions {
            graph.add_function(FunctionId(number), 1, [&[2], &[3]]);
        }
        let name = GraphName::new(b"./a.out --fast", Some(thread));
        Graphs::Several(BTreeMap::from([(name, graph)]))
    }

    fn append(merged: &mut Graphs, others: Graphs) -> Option<usize> {
        merged.append(others, |id| id, 1);
        match merged {
            Graphs::Several(graphs) => Some(graphs.len()),
            Graphs::Joined => None,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn too_many_are_one() {
        let mut merged = Graphs::None;
        for thread in 0..1000 {
            append(&mut merged, graphs(thread, 1));
        }
        assert_eq!(append(&mut merged, graphs(0, 2)), Some(1000));
        assert_eq!(append(&mut merged, graphs(1000, 1)), None);
        assert_eq!(append(&mut merged, graphs(0, 1)), None);
        assert_eq!(append(&mut graphs(0, 1), Graphs::Joined), None);
    }

    #[test]
    fn too_large_ones_are_one() {
        let mut merged = graphs(1, (1 << 20) - 1);
        assert_eq!(append(&mut merged, graphs(2, 1)), Some(2));
        assert_eq!(append(&mut merged, graphs(2, 1)), Some(2));
        assert_eq!(append(&mut merged, graphs(2, 2)), None);
    }
}
