//! Xdebug's function traces: every call and return of a run, in order.
//!
//! They are written by other code of Xdebug than profiles, and say who called whom.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use crate::invocations::Links;
use crate::profile::sums;

/// A block of a profile: an invocation, as a function trace of the same run knows it.
pub struct Block {
    pub name: String,
    /// The blocks of the invocations that it called, in order.
    pub calls: Vec<usize>,
    /// Whether Xdebug itself has called it, to show an argument in the trace.
    pub is_of_tracer: bool,
}

/// The blocks of a profile, in the order in which they stand there: that in which invocations ended.
pub fn blocks(trace: &Path, profile: &Path) -> Vec<Block> {
    let trace = Calls::read(trace);
    let mut ends = trace.ends.iter().peekable();
    let mut blocks: Vec<Block> = Vec::new();
    // The blocks by the numbers that the trace gives their invocations.
    let mut numbers = HashMap::new();
    let text = read(profile);
    let mut names = Names::default();
    for line in text.lines() {
        let Some((true, name)) = names.read(line) else {
            continue;
        };
        let ended = ends.peek().map(|id| (**id, &trace.calls[id]));
        let is_of_tracer = name.ends_with("->__debugInfo")
            && ended.is_none_or(|(_, call)| !call.name.ends_with("->__debugInfo"));
        if let (false, Some((id, call))) = (is_of_tracer, ended) {
            assert!(call.is_of(name), "{} is not {name}", call.name);
            numbers.insert(id, blocks.len());
            ends.next();
        }
        blocks.push(Block {
            name: name.to_owned(),
            calls: Vec::new(),
            is_of_tracer,
        });
    }
    assert_eq!(ends.next(), None, "a return without a block");
    for id in &trace.ends {
        if let Some(caller) = trace.calls[id].caller {
            blocks[numbers[&caller]].calls.push(numbers[id]);
        }
    }
    blocks
}

/// Who called whom, by the trace.
pub fn links(blocks: &[Block]) -> Links {
    let mut counts = HashMap::new();
    let numbered = blocks.iter().map(|block| {
        let count = counts.entry(&block.name).or_insert(0);
        *count += 1;
        (block.name.clone(), *count - 1)
    });
    let numbered: Vec<_> = numbered.collect();
    let callers = blocks.iter().zip(&numbered);
    let callers = callers.filter(|(block, _)| !block.calls.is_empty());
    let links = callers.map(|(block, caller)| {
        let calls = block.calls.iter().map(|&called| numbered[called].clone());
        (caller.clone(), calls.collect())
    });
    links.collect()
}

/// What stacks cost where blocks take such times by themselves.
pub fn stacks(blocks: &[Block], own: impl Fn(usize) -> u64) -> BTreeMap<String, i64> {
    let mut stacks: Vec<String> = Vec::new();
    // Backwards, from callers to what they called.
    let mut above = HashMap::new();
    for (at, block) in blocks.iter().enumerate().rev() {
        let stack = match above.get(&at) {
            Some(above) => format!("{above};{}", block.name),
            None => block.name.clone(),
        };
        above.extend(block.calls.iter().map(|&called| (called, stack.clone())));
        stacks.push(stack);
    }
    let costs = (0..blocks.len()).map(|at| own(at).cast_signed());
    sums(stacks.into_iter().rev().zip(costs))
}

/// The profile as if its times had been others: those that blocks take by themselves, in nanoseconds.
///
/// As Xdebug does, each cost is rounded by itself, here to this unit: what a call costs differs from
/// what the invocation does.
pub fn with_times(
    blocks: &[Block],
    profile: &Path,
    unit: u64,
    own: impl Fn(usize) -> u64,
) -> String {
    let own = |at: usize| if blocks[at].is_of_tracer { 0 } else { own(at) };
    let rounded = |time: u64| (time + unit / 2) / unit;
    let mut times = Vec::new();
    for (at, block) in blocks.iter().enumerate() {
        let calls: u64 = block.calls.iter().map(|&called| times[called]).sum();
        times.push(own(at) + calls);
    }
    let text = read(profile);
    let mut names = Names::default();
    let mut begun = 0..;
    let mut calls = [].iter().peekable();
    // What the next costs are.
    let mut time = 0;
    let mut changed = String::new();
    for line in text.lines() {
        match names.read(line) {
            Some((true, _)) => {
                let at = begun.next().expect("a number");
                calls = blocks[at].calls.iter().peekable();
                time = own(at);
            }
            Some((false, name)) => {
                let called = calls.next_if(|&&called| blocks[called].name == name);
                time = called.map_or(0, |&called| times[called]);
            }
            None => {}
        }
        let costs: Result<Vec<u64>, _> = line.split(' ').map(str::parse).collect();
        if let Ok([place, _, memory]) = costs.as_deref() {
            changed += &format!("{place} {} {memory}\n", rounded(time));
        } else if line.starts_with("summary: ") {
            let sum: u64 = (0..blocks.len()).map(|at| rounded(own(at))).sum();
            changed += &format!("summary: {sum} 0\n");
        } else {
            changed += &format!("{line}\n");
        }
    }
    changed
}

fn read(file: &Path) -> String {
    let bytes = std::fs::read(file).expect("a file");
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The names of functions by their ids.
#[derive(Default)]
struct Names<'a>(HashMap<&'a str, &'a str>);

impl<'a> Names<'a> {
    /// The function that a line names, and whether it begins the block of it.
    fn read(&mut self, line: &'a str) -> Option<(bool, &'a str)> {
        let block = line.strip_prefix("fn=");
        let name = block.or_else(|| line.strip_prefix("cfn="))?;
        let name = match name.split_once(' ') {
            Some((id, name)) => {
                self.0.insert(id, name);
                name
            }
            None => self.0[name],
        };
        Some((block.is_some(), name))
    }
}

struct Call {
    name: String,
    caller: Option<u64>,
}

impl Call {
    /// Whether a block is one of the function that was called: a profile says more of some.
    fn is_of(&self, block: &str) -> bool {
        let (name, block) = (&self.name, block.strip_prefix("php::").unwrap_or(block));
        let rest = block.strip_prefix(name.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("::") || rest.starts_with(":{"))
    }
}

/// The calls of a trace in Xdebug's format for computers, by their numbers.
#[derive(Default)]
struct Calls {
    calls: HashMap<u64, Call>,
    /// In the order in which they ended.
    ends: Vec<u64>,
}

impl Calls {
    fn read(trace: &Path) -> Self {
        let text = read(trace);
        let mut calls = Calls::default();
        // Each fiber has a stack. Its first call has no caller.
        let mut stacks: Vec<Vec<u64>> = vec![Vec::new()];
        let mut fiber_of = HashMap::new();
        let mut fiber = 0;
        // Which fiber goes on when one ends: a destroyed one does so without another return.
        let mut resumed_by = HashMap::new();
        let mut starts_fiber = false;
        for line in text.lines() {
            let fields: Vec<&str> = line.split('\t').collect();
            let [_, id, what, ..] = fields[..] else {
                continue;
            };
            let Ok(id) = id.parse() else { continue };
            if what == "0" {
                if starts_fiber {
                    resumed_by.insert(stacks.len(), fiber);
                    fiber = stacks.len();
                    stacks.push(Vec::new());
                }
                let name = fields[5].to_owned();
                starts_fiber = name == "Fiber->start";
                let caller = stacks[fiber].last().copied();
                calls.calls.insert(id, Call { name, caller });
                stacks[fiber].push(id);
                fiber_of.insert(id, fiber);
            } else if what == "1" {
                starts_fiber = false;
                let before = std::mem::replace(&mut fiber, fiber_of[&id]);
                if fiber != before {
                    resumed_by.insert(fiber, before);
                }
                assert_eq!(stacks[fiber].pop(), Some(id), "calls end in order");
                calls.ends.push(id);
                if stacks[fiber].is_empty() {
                    fiber = resumed_by.get(&fiber).copied().unwrap_or(0);
                }
            }
        }
        calls
    }
}
