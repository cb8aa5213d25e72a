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

/// A block with its figures for one event.
struct Ran {
    /// The number of its function.
    function: usize,
    self_cost: i64,
    calls: Vec<Listed>,
    is_proxy: bool,
}

/// All blocks of a trace.
struct Walk<'a> {
    trace: &'a Trace,
    /// Of the functions, by their numbers.
    names: Vec<String>,
    blocks: Vec<Ran>,
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
        let mut blocks = Vec::new();
        for part in &document.parts {
            for block in &part.blocks {
                let mut links = trace.links[blocks.len()].iter();
                let (mut self_cost, mut calls) = (0, Vec::new());
                for item in &block.items {
                    let (Item::Own { costs, .. } | Item::Call { costs, .. }) = item;
                    let cost = Document::cost(part, &weights, costs);
                    match item {
                        Item::Own { .. } => self_cost += cost,
                        Item::Call { callee, line, .. } => {
                            let call = call(numbers[callee], document.line(*line), 1, cost);
                            calls.push((call, *links.next().expect("one link for each call")));
                        }
                    }
                }
                let name = &document.functions[block.function].name;
                blocks.push(Ran {
                    function: numbers[&block.function],
                    self_cost,
                    calls,
                    is_proxy: proxies.iter().any(|proxy| {
                        let rest = name.strip_prefix(proxy.as_bytes());
                        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b":{"))
                    }),
                });
            }
        }
        Walk {
            trace,
            names,
            blocks,
        }
    }

    /// The calls of a block, those of proxies in place of the calls to them.
    fn replaced(&self, block: &Ran) -> Vec<Listed> {
        let calls = block.calls.iter().flat_map(|call| {
            let called = call.1.map(|block| &self.blocks[block]);
            let proxy = called.filter(|block| block.is_proxy);
            match proxy.map(|proxy| self.replaced(proxy)).unwrap_or_default() {
                made if made.is_empty() => vec![call.clone()],
                made => made,
            }
        });
        calls.collect()
    }

    fn edges(&self) -> impl Iterator<Item = (usize, Call)> {
        let callers = self.blocks.iter().filter(|block| !block.is_proxy);
        callers.flat_map(|block| {
            let calls = self.replaced(block).into_iter();
            calls.map(|(call, _)| (block.function, call))
        })
    }

    /// The blocks that nobody called.
    fn roots(&self) -> impl Iterator<Item = usize> + use<> {
        let links = self.trace.links.iter().flatten();
        let called: HashSet<usize> = links.flatten().copied().collect();
        (0..self.blocks.len()).filter(move |block| !called.contains(block))
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
        let block = &self.blocks[block];
        let made_calls = block.is_proxy && !block.calls.is_empty();
        let is_left_out = steps_over && made_calls && !path.is_empty();
        if !is_left_out {
            path.push(block.function);
        }
        found(path, block.self_cost);
        for (call, block) in &block.calls {
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
