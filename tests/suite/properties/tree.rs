//! A trace before it is written: runs of invocation trees, and what follows from walking them.

use std::collections::{BTreeMap, HashSet};

use super::document::{Block, Costs, Document, Item, Wanted, add, call, list};
use crate::common::tables::{Call, Tables, spelled};

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

/// A call as it is listed, and the block that it runs.
type Listed = (Call, Option<usize>);

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
            items.push(Item::Call {
                callee,
                calls: 1,
                target: None,
                line,
                costs,
            });
            add(&mut inclusive, &costs, 1);
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
        walk.visit(true, &mut |path, cost| {
            let names = path.iter().map(|&function| &*walk.names[function]);
            *stacks
                .entry(names.collect::<Vec<_>>().join(";"))
                .or_default() += cost;
        });
        stacks.retain(|_, cost| *cost != 0);
        stacks
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
                        Item::Call { callee, line, .. } => {
                            let call = call(numbers[callee], document.line(*line), 1, cost);
                            calls.push((call, *links.next().expect("one link for each call")));
                        }
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
        let calls = self.calls[block].iter().flat_map(|call| {
            let proxy = call.1.filter(|&block| self.is_proxy[block]);
            let made = proxy.map(|proxy| self.replaced(proxy)).unwrap_or_default();
            if made.is_empty() {
                vec![call.clone()]
            } else {
                made
            }
        });
        calls.collect()
    }

    /// The calls that are listed for a block.
    fn listed(&self, block: usize) -> Vec<Listed> {
        if self.is_proxy[block] {
            Vec::new()
        } else {
            self.replaced(block)
        }
    }

    fn edges(&self) -> impl Iterator<Item = (usize, Call)> {
        self.functions
            .iter()
            .enumerate()
            .flat_map(|(block, &caller)| {
                let calls = self.listed(block).into_iter();
                calls.map(move |(call, _)| (caller, call))
            })
    }

    /// The blocks that nobody called.
    fn roots(&self) -> impl Iterator<Item = usize> + use<> {
        let links = self.trace.links.iter().flatten();
        let called: HashSet<usize> = links.flatten().copied().collect();
        (0..self.functions.len()).filter(move |block| !called.contains(block))
    }

    /// Tells the cost of each block and of each call without one, with the functions from the root
    /// down to it; those of proxies are left out if these are stepped over.
    fn visit(&self, steps_over: bool, found: &mut dyn FnMut(&[usize], i64)) {
        for root in self.roots() {
            self.visit_below(root, &mut Vec::new(), steps_over, found);
        }
    }

    fn visit_below(
        &self,
        block: usize,
        path: &mut Vec<usize>,
        steps_over: bool,
        found: &mut dyn FnMut(&[usize], i64),
    ) {
        let made_calls = self.is_proxy[block] && !self.calls[block].is_empty();
        let is_left_out = steps_over && made_calls && !path.is_empty();
        if !is_left_out {
            path.push(self.functions[block]);
        }
        found(path, self.self_costs[block]);
        for (call, block) in &self.calls[block] {
            match block {
                Some(block) => self.visit_below(*block, path, steps_over, found),
                None => found(&[path, &[call.function][..]].concat(), call.costs[0]),
            }
        }
        if !is_left_out {
            path.pop();
        }
    }

    /// Counts every cost once for each function on the way to it.
    fn outermost(&self, tables: &mut Tables) {
        let rows = &mut tables.functions;
        rows.iter_mut().for_each(|row| row.inclusive = vec![0]);
        self.visit(false, &mut |path, cost| {
            for &function in &HashSet::<_>::from_iter(path) {
                rows[*function].inclusive[0] += cost;
            }
        });
    }
}
