//! A profile before it is written: parts, blocks, costs and calls, and the tables that follow.

use std::collections::HashMap;

use cg_preprocess::profile::Kind;

use crate::common::tables::{Call, Row, Tables, spelled};

/// The events that parts may have.
pub const EVENTS: [&str; 4] = ["Ir", "Dr", "Time_(10ns)", "cpu(ms)"];

/// One cost for every event, whether or not a part has it.
pub type Costs = [i64; EVENTS.len()];

/// What identifies a function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    pub object: Vec<u8>,
    pub file: Vec<u8>,
    pub name: Vec<u8>,
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
                add(&mut sum, costs, 1);
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

/// Adds costs so many times.
pub fn add(sum: &mut Costs, costs: &Costs, times: i64) {
    let pairs = sum.iter_mut().zip(costs);
    pairs.for_each(|(sum, cost)| *sum += times * cost);
}

/// A call of a function.
pub fn call(function: usize, line: u64, calls: u64, cost: i64) -> Call {
    let (file, costs) = (None, vec![cost]);
    Call {
        function,
        line,
        calls,
        costs,
        file,
    }
}

/// Replaces the call lists by those that follow from single calls, each with its caller, in order.
pub fn list(tables: &mut Tables, calls: impl IntoIterator<Item = (usize, Call)>) {
    let mut edges: Vec<(usize, Call)> = Vec::new();
    let mut places = HashMap::new();
    for (caller, call) in calls {
        let place = (caller, call.function, call.line);
        let place = *places.entry(place).or_insert(edges.len());
        match edges.get_mut(place) {
            None => edges.push((caller, call)),
            Some((_, edge)) => {
                edge.calls += call.calls;
                edge.costs[0] += call.costs[0];
            }
        }
    }
    for row in &mut tables.functions {
        row.called_from.clear();
        row.sub_calls.clear();
    }
    for (caller, call) in edges {
        let mut from = call.clone();
        from.function = caller;
        tables.functions[call.function].called_from.push(from);
        tables.functions[caller].sub_calls.push(call);
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
            add(&mut weights, &self.weights_of(name), *factor);
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
                            edges.push((caller, call(callee, self.line(line), calls, cost)));
                        }
                    }
                }
            }
        }
        let counts_calls = calls_in.iter().any(|&calls| calls > 0);
        for (number, row) in rows.iter_mut().enumerate() {
            row.line = own_lines[number].or(target_lines[number]).unwrap_or(0);
            row.invocations = match self.kind {
                Kind::Trace => blocks[number],
                Kind::Aggregate if !counts_calls => 1,
                Kind::Aggregate => calls_in[number].max(blocks[number].min(1)),
            };
        }
        let mut tables = Tables {
            functions: rows,
            ..Tables::default()
        };
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
