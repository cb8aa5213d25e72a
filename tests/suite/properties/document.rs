//! A profile before it is written: parts, blocks, costs and calls, and the tables that follow.

use std::collections::HashMap;
use std::fmt;

use cg_preprocess::profile::Kind;

use crate::common::tables::{Call, Row, Tables, spelled};

/// The events that parts may have.
pub const EVENTS: [&str; 4] = ["Ir", "Dr", "Time_(10ns)", "cpu(ms)"];

/// One cost for every event, whether or not a part has it.
pub type Costs = [i64; EVENTS.len()];

/// What identifies a function.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Key {
    pub object: Vec<u8>,
    pub file: Vec<u8>,
    pub name: Vec<u8>,
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Key { object, file, name } = self;
        let [object, file, name] = [object, file, name].map(|name| name.escape_ascii());
        write!(f, "{object} | {file} | {name}")
    }
}

/// `event: Sum = ...`: factors and names of events or of formulas before it.
#[derive(Clone, Debug)]
pub struct Formula {
    pub name: &'static str,
    pub terms: Vec<(i64, &'static str)>,
}

/// Which event is read.
#[derive(Clone, Debug)]
pub enum Wanted {
    /// Nobody said: the first column of the first part.
    First,
    /// The one of this name.
    Named(&'static str),
}

/// Own costs, or a call.
#[derive(Clone, Debug)]
pub enum Item {
    Own {
        line: u64,
        costs: Costs,
    },
    Call {
        callee: usize,
        calls: u64,
        /// Line of the callee, as the call says.
        target: Option<u64>,
        line: u64,
        costs: Costs,
    },
}

/// What stands below one `fn=`.
#[derive(Clone, Debug)]
pub struct Block {
    pub function: usize,
    pub items: Vec<Item>,
}

/// What has columns of its own.
#[derive(Clone, Debug)]
pub struct Part {
    /// Positions in [`EVENTS`], in the order of the columns.
    pub columns: Vec<usize>,
    pub blocks: Vec<Block>,
}

impl Part {
    /// Whether any function has a block in it.
    pub fn holds_something(&self) -> bool {
        self.blocks.iter().any(|block| !block.items.is_empty())
    }

    /// Sum of own costs, by event.
    pub fn summary(&self) -> Costs {
        let mut sum = Costs::default();
        for item in self.blocks.iter().flat_map(|block| &block.items) {
            if let Item::Own { costs, .. } = item {
                sum.iter_mut()
                    .zip(costs)
                    .for_each(|(sum, cost)| *sum += cost);
            }
        }
        sum
    }
}

/// A whole profile.
#[derive(Clone, Debug)]
pub struct Document {
    pub kind: Kind,
    pub functions: Vec<Key>,
    pub formulas: Vec<Formula>,
    /// Whether positions have a line at all.
    pub has_lines: bool,
    pub parts: Vec<Part>,
}

/// A call edge between rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    pub caller: usize,
    pub callee: usize,
    pub line: u64,
    pub calls: u64,
    pub cost: i64,
}

/// Replaces the call lists by those that follow from single calls, in order.
pub fn list(tables: &mut Tables, calls: impl IntoIterator<Item = Edge>) {
    let mut edges: Vec<Edge> = Vec::new();
    let mut places = HashMap::new();
    for call in calls {
        let place = (call.caller, call.callee, call.line);
        let place = *places.entry(place).or_insert(edges.len());
        match edges.get_mut(place) {
            None => edges.push(call),
            Some(edge) => {
                edge.calls += call.calls;
                edge.cost += call.cost;
            }
        }
    }
    for row in &mut tables.functions {
        row.called_from.clear();
        row.sub_calls.clear();
    }
    for edge in edges {
        let row = |function| Call {
            function,
            file: None,
            line: edge.line,
            calls: edge.calls,
            costs: vec![edge.cost],
        };
        tables.functions[edge.callee]
            .called_from
            .push(row(edge.caller));
        tables.functions[edge.caller]
            .sub_calls
            .push(row(edge.callee));
    }
}

impl Document {
    /// What each event counts in the wanted one.
    pub fn weights(&self, wanted: &Wanted) -> Costs {
        match wanted {
            Wanted::First => self.weights_of(EVENTS[self.parts[0].columns[0]]),
            Wanted::Named(name) => self.weights_of(name),
        }
    }

    fn weights_of(&self, name: &str) -> Costs {
        let mut weights = Costs::default();
        if let Some(event) = EVENTS.iter().position(|event| *event == name) {
            weights[event] = 1;
            return weights;
        }
        let formula = self.formulas.iter().find(|formula| formula.name == name);
        for (factor, name) in &formula.expect("a formula of this name").terms {
            let inner = self.weights_of(name);
            weights
                .iter_mut()
                .zip(inner)
                .for_each(|(weight, inner)| *weight += factor * inner);
        }
        weights
    }

    /// Whether some part has each of the events that the wanted one is made of.
    pub fn offers(&self, wanted: &Wanted) -> bool {
        let weights = self.weights(wanted);
        (0..EVENTS.len()).all(|event| {
            let mut parts = self.parts.iter();
            weights[event] == 0 || parts.any(|part| part.columns.contains(&event))
        })
    }

    /// The wanted cost among those of one line; 0 where the part lacks any column of it.
    pub fn cost(part: &Part, weights: &Costs, costs: &Costs) -> i64 {
        let mut needed = (0..EVENTS.len()).filter(|&event| weights[event] != 0);
        if !needed.all(|event| part.columns.contains(&event)) {
            return 0;
        }
        let columns = part.columns.iter();
        columns.map(|&event| weights[event] * costs[event]).sum()
    }

    /// A line as it can be read: 0 without such a column.
    pub fn line(&self, line: u64) -> u64 {
        if self.has_lines { line } else { 0 }
    }

    /// Numbers of the functions in order of appearance.
    pub fn numbers(&self) -> HashMap<usize, usize> {
        let mut numbers = HashMap::new();
        let mut number = |function| {
            let next = numbers.len();
            numbers.entry(function).or_insert(next);
        };
        for block in self.blocks().filter(|block| !block.items.is_empty()) {
            number(block.function);
            for item in &block.items {
                if let Item::Call { callee, .. } = item {
                    number(*callee);
                }
            }
        }
        numbers
    }

    /// The tables, inclusive costs summed.
    pub fn tables(&self, wanted: &Wanted) -> Tables {
        let numbers = self.numbers();
        let weights = self.weights(wanted);
        let mut rows = self.empty_rows(&numbers);
        let mut own_lines = vec![None; rows.len()];
        let mut target_lines = vec![None; rows.len()];
        let mut calls_in = vec![0; rows.len()];
        let mut blocks = vec![0; rows.len()];
        let mut edges = Vec::new();
        for part in &self.parts {
            for block in part.blocks.iter().filter(|block| !block.items.is_empty()) {
                let caller = numbers[&block.function];
                blocks[caller] += 1;
                for item in &block.items {
                    let (Item::Own { costs, .. } | Item::Call { costs, .. }) = item;
                    let cost = Self::cost(part, &weights, costs);
                    rows[caller].inclusive[0] += cost;
                    match *item {
                        Item::Own { line, .. } => {
                            rows[caller].self_costs[0] += cost;
                            own_lines[caller].get_or_insert(self.line(line));
                        }
                        Item::Call {
                            callee,
                            calls,
                            target,
                            line,
                            ..
                        } => {
                            let callee = numbers[&callee];
                            let target = self.line(target.unwrap_or(0));
                            target_lines[callee].get_or_insert(target);
                            calls_in[callee] += calls;
                            edges.push(Edge {
                                caller,
                                callee,
                                line: self.line(line),
                                calls,
                                cost,
                            });
                        }
                    }
                }
            }
        }
        for (number, row) in rows.iter_mut().enumerate() {
            row.line = own_lines[number].or(target_lines[number]).unwrap_or(0);
            row.invocations = match self.kind {
                Kind::Trace => blocks[number],
                Kind::Aggregate => calls_in[number].max(blocks[number].min(1)),
            };
        }
        let headers = Vec::new();
        let functions = rows;
        let mut tables = Tables { headers, functions };
        list(&mut tables, edges);
        tables
    }

    fn empty_rows(&self, numbers: &HashMap<usize, usize>) -> Vec<Row> {
        let mut rows = vec![Row::default(); numbers.len()];
        for (&function, &number) in numbers {
            let Key { object, file, name } = &self.functions[function];
            let row = &mut rows[number];
            [row.object, row.file, row.name] = [object, file, name].map(|name| spelled(name));
            [row.self_costs, row.inclusive] = [vec![0], vec![0]];
        }
        rows
    }

    /// All blocks in order.
    pub fn blocks(&self) -> impl Iterator<Item = &Block> {
        self.parts.iter().flat_map(|part| &part.blocks)
    }
}
