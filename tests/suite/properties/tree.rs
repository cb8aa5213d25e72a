//! A trace before it is written: runs of invocation trees, and what follows from walking them.

use std::collections::{BTreeMap, HashSet};

use super::document::{Block, Costs, Document, Edge, Item, Wanted, list};
use crate::common::preprocessed::{NOBODY, V4Call, V4Invocation};
use crate::common::tables::{Tables, narrow, spelled};

/// One invocation with all it called.
#[derive(Clone, Debug)]
pub struct Node {
    pub function: usize,
    pub line: u64,
    pub costs: Costs,
    pub steps: Vec<Step>,
}

/// What happened within an invocation.
#[derive(Clone, Debug)]
pub enum Step {
    /// A call. Its cost is rounded apart from the invocation's.
    Call {
        line: u64,
        rounding: i64,
        node: Node,
    },
    /// An invocation that nobody called: a destructor, a fiber.
    Orphan(Node),
    /// A call whose invocation was never written.
    Missing {
        function: usize,
        line: u64,
        costs: Costs,
    },
}

/// A trace as it is written, with who called whom.
#[derive(Clone, Debug)]
pub struct Trace {
    pub document: Document,
    /// For every block, in order: the block that each of its calls runs.
    links: Vec<Vec<Option<usize>>>,
}

/// A call as it is listed.
#[derive(Clone, Debug)]
struct Listed {
    callee: usize,
    line: u64,
    calls: u64,
    cost: i64,
    block: Option<usize>,
}

/// What a run becomes on its way into a document.
#[derive(Default)]
struct PostOrder {
    blocks: Vec<Block>,
    links: Vec<Vec<Option<usize>>>,
    before: usize,
}

impl PostOrder {
    /// Writes a node after all that happened within it; returns its place and inclusive costs.
    fn write(&mut self, node: &Node) -> (usize, Costs) {
        let mut items = vec![Item::Own {
            line: node.line,
            costs: node.costs,
        }];
        let mut inclusive = node.costs;
        let mut links = Vec::new();
        for step in &node.steps {
            let (callee, line, costs, link) = match step {
                Step::Orphan(orphan) => {
                    self.write(orphan);
                    continue;
                }
                Step::Missing {
                    function,
                    line,
                    costs,
                } => (*function, *line, *costs, None),
                Step::Call {
                    line,
                    rounding,
                    node,
                } => {
                    let (place, mut costs) = self.write(node);
                    costs[0] += rounding;
                    (node.function, *line, costs, Some(place))
                }
            };
            links.push(link);
            let calls = 1;
            let target = None;
            items.push(Item::Call {
                callee,
                calls,
                target,
                line,
                costs,
            });
            inclusive
                .iter_mut()
                .zip(costs)
                .for_each(|(sum, cost)| *sum += cost);
        }
        self.blocks.push(Block {
            function: node.function,
            items,
        });
        self.links.push(links);
        (self.before + self.blocks.len() - 1, inclusive)
    }
}

impl Trace {
    /// Puts runs, each a list of roots, into the parts of a document.
    pub fn new(mut document: Document, runs: &[Vec<Node>]) -> Self {
        let mut all_links = Vec::new();
        for (part, roots) in document.parts.iter_mut().zip(runs) {
            let mut order = PostOrder {
                before: all_links.len(),
                ..PostOrder::default()
            };
            for root in roots {
                order.write(root);
            }
            part.blocks = order.blocks;
            all_links.append(&mut order.links);
        }
        Trace {
            document,
            links: all_links,
        }
    }

    /// The tables with these functions stepped over.
    pub fn tables(&self, wanted: &Wanted, outermost: bool, proxies: &[&str]) -> Tables {
        let mut tables = self.document.tables(wanted);
        let walk = Walk::new(self, wanted, proxies);
        list(&mut tables, walk.edges());
        if outermost {
            walk.outermost(&mut tables);
        }
        tables
    }

    /// The sums of the self costs of all invocations with the same functions above them, those that
    /// cost something, with proxies stepped over.
    pub fn stacks(&self, wanted: &Wanted, proxies: &[&str]) -> BTreeMap<String, i64> {
        let mut stacks = BTreeMap::new();
        let walk = Walk::new(self, wanted, proxies);
        for root in walk.roots() {
            walk.sum_stacks(root, &mut Vec::new(), &mut stacks);
        }
        stacks.retain(|_, cost| *cost != 0);
        stacks
    }

    /// The invocations as v4 stores them, by number of their function.
    pub fn invocations(&self, wanted: &Wanted, proxies: &[&str]) -> Vec<Vec<V4Invocation>> {
        Walk::new(self, wanted, proxies).invocations()
    }
}

/// All blocks of a trace with their figures for one event.
struct Walk<'a> {
    trace: &'a Trace,
    /// Of the functions, by their numbers.
    names: Vec<String>,
    /// Number of each block's function.
    functions: Vec<usize>,
    self_costs: Vec<i64>,
    inclusive: Vec<i64>,
    calls: Vec<Vec<Listed>>,
    is_proxy: Vec<bool>,
}

impl<'a> Walk<'a> {
    fn new(trace: &'a Trace, wanted: &Wanted, proxies: &[&str]) -> Self {
        let document = &trace.document;
        let numbers = document.numbers();
        let weights = document.weights(wanted);
        let mut names = vec![String::new(); numbers.len()];
        for (&function, &number) in &numbers {
            names[number] = spelled(&document.functions[function].name);
        }
        let mut walk = Walk {
            trace,
            names,
            functions: Vec::new(),
            self_costs: Vec::new(),
            inclusive: Vec::new(),
            calls: Vec::new(),
            is_proxy: Vec::new(),
        };
        for part in &document.parts {
            for block in &part.blocks {
                let mut links = trace.links[walk.functions.len()].iter();
                let (mut self_cost, mut inclusive) = (0, 0);
                let mut calls = Vec::new();
                for item in &block.items {
                    let (Item::Own { costs, .. } | Item::Call { costs, .. }) = item;
                    let cost = Document::cost(part, &weights, costs);
                    inclusive += cost;
                    match item {
                        Item::Own { .. } => self_cost += cost,
                        Item::Call { callee, line, .. } => calls.push(Listed {
                            callee: numbers[callee],
                            line: document.line(*line),
                            calls: 1,
                            cost,
                            block: *links.next().expect("one link for each call"),
                        }),
                    }
                }
                let name = &document.functions[block.function].name;
                walk.functions.push(numbers[&block.function]);
                walk.self_costs.push(self_cost);
                walk.inclusive.push(inclusive);
                walk.calls.push(calls);
                walk.is_proxy.push(proxies.iter().any(|proxy| {
                    let rest = name.strip_prefix(proxy.as_bytes());
                    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b":{"))
                }));
            }
        }
        walk
    }

    /// The calls of a block, those of proxies in place of the calls to them.
    fn replaced(&self, block: usize) -> Vec<Listed> {
        let mut listed = Vec::new();
        for call in &self.calls[block] {
            let proxy = call.block.filter(|&block| self.is_proxy[block]);
            let made = proxy.map(|proxy| self.replaced(proxy)).unwrap_or_default();
            if made.is_empty() {
                listed.push(call.clone());
            } else {
                listed.extend(made);
            }
        }
        listed
    }

    /// The calls that are listed for a block.
    fn listed(&self, block: usize) -> Vec<Listed> {
        if self.is_proxy[block] {
            Vec::new()
        } else {
            self.replaced(block)
        }
    }

    fn edges(&self) -> Vec<Edge> {
        let blocks = 0..self.functions.len();
        let edges = blocks.flat_map(|block| {
            let calls = self.listed(block).into_iter();
            calls.map(move |call| Edge {
                caller: self.functions[block],
                callee: call.callee,
                line: call.line,
                calls: call.calls,
                cost: call.cost,
            })
        });
        edges.collect()
    }

    /// The blocks that nobody called.
    fn roots(&self) -> impl Iterator<Item = usize> + use<> {
        let links = self.trace.links.iter().flatten();
        let called: HashSet<usize> = links.flatten().copied().collect();
        (0..self.functions.len()).filter(move |block| !called.contains(block))
    }

    fn sum_stacks(&self, block: usize, path: &mut Vec<usize>, stacks: &mut BTreeMap<String, i64>) {
        let is_stepped_over =
            self.is_proxy[block] && !self.calls[block].is_empty() && !path.is_empty();
        if !is_stepped_over {
            path.push(self.functions[block]);
        }
        *stacks.entry(self.stack(path)).or_default() += self.self_costs[block];
        for call in &self.calls[block] {
            match call.block {
                Some(block) => self.sum_stacks(block, path, stacks),
                None => {
                    path.push(call.callee);
                    *stacks.entry(self.stack(path)).or_default() += call.cost;
                    path.pop();
                }
            }
        }
        if !is_stepped_over {
            path.pop();
        }
    }

    fn stack(&self, path: &[usize]) -> String {
        let names = path.iter().map(|&function| &*self.names[function]);
        names.collect::<Vec<_>>().join(";")
    }

    /// Walks down from every root and counts what has nothing of its function above it.
    fn outermost(&self, tables: &mut Tables) {
        tables
            .functions
            .iter_mut()
            .for_each(|row| row.inclusive = vec![0]);
        for root in self.roots() {
            self.walk_down(root, &mut Vec::new(), tables);
        }
    }

    /// Returns the self costs of a block and of all that it called.
    fn walk_down(&self, block: usize, above: &mut Vec<usize>, tables: &mut Tables) -> i64 {
        let function = self.functions[block];
        above.push(function);
        let mut sum = self.self_costs[block];
        for call in &self.calls[block] {
            sum += match call.block {
                Some(block) => self.walk_down(block, above, tables),
                None => {
                    if !above.contains(&call.callee) {
                        tables.functions[call.callee].inclusive[0] += call.cost;
                    }
                    call.cost
                }
            };
        }
        above.pop();
        if !above.contains(&function) {
            tables.functions[function].inclusive[0] += sum;
        }
        sum
    }

    fn invocations(&self) -> Vec<Vec<V4Invocation>> {
        let numbers = self.trace.document.numbers();
        let mut counts = vec![0u32; numbers.len()];
        let mut number_of = Vec::new();
        for &function in &self.functions {
            number_of.push(counts[function]);
            counts[function] += 1;
        }
        let mut invocations = Vec::new();
        for block in 0..self.functions.len() {
            let sub_calls = self.listed(block).into_iter().map(|call| V4Call {
                function: narrow(call.callee as i64),
                invocation: call.block.map_or(NOBODY, |block| number_of[block]),
                line: narrow(call.line as i64),
                cost: narrow(call.cost),
            });
            invocations.push(V4Invocation {
                self_cost: narrow(self.self_costs[block]),
                inclusive: narrow(self.inclusive[block]),
                call_cost: 0,
                caller: NOBODY,
                caller_invocation: 0,
                line: 0,
                sub_calls: sub_calls.collect(),
            });
        }
        for (caller, &caller_number) in number_of.iter().enumerate() {
            for call in self.listed(caller) {
                let Some(callee) = call.block else { continue };
                invocations[callee].call_cost = narrow(call.cost);
                invocations[callee].caller = narrow(self.functions[caller] as i64);
                invocations[callee].caller_invocation = caller_number;
                invocations[callee].line = narrow(call.line as i64);
            }
        }
        let mut lists = vec![Vec::new(); numbers.len()];
        for (invocation, &function) in invocations.into_iter().zip(&self.functions) {
            lists[function].push(invocation);
        }
        lists
    }
}
