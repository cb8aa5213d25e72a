//! Xdebug's function traces: every call and return of a run, in order.
//!
//! They are written by other code of Xdebug than profiles, and say who called whom.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use crate::invocations::Links;

/// Who called whom, by what a function trace says of the same run as a profile.
///
/// Invocations end in the order in which their blocks stand in the profile.
pub fn links(trace: &Path, profile: &Path) -> Links {
    let calls = Calls::read(trace);
    let blocks = blocks(profile);
    let mut blocks = blocks.iter();
    let mut counts = BTreeMap::new();
    // The invocations by the numbers that the trace gives them.
    let mut invocations = HashMap::new();
    let mut links = Links::new();
    for id in &calls.ends {
        let call = &calls.calls[id];
        // Xdebug itself calls this one to show an argument in the trace.
        let block = blocks
            .by_ref()
            .inspect(|name| *counts.entry((*name).clone()).or_insert(0) += 1)
            .find(|name| !name.ends_with("->__debugInfo") || call.name.ends_with("->__debugInfo"))
            .expect("a block for every return");
        assert!(call.is_of(block), "{} is not {block}", call.name);
        let invocation = (block.clone(), counts[block] - 1);
        invocations.insert(*id, invocation);
    }
    for id in &calls.ends {
        if let Some(caller) = calls.calls[id].caller {
            let called = invocations[id].clone();
            links
                .entry(invocations[&caller].clone())
                .or_default()
                .push(called);
        }
    }
    links
}

/// Names of the functions of all blocks of a profile.
fn blocks(profile: &Path) -> Vec<String> {
    let text = std::fs::read(profile).expect("a profile");
    let text = String::from_utf8_lossy(&text);
    let mut names: HashMap<&str, &str> = HashMap::new();
    let mut blocks = Vec::new();
    for line in text.lines() {
        let block = line.strip_prefix("fn=");
        let Some(name) = block.or_else(|| line.strip_prefix("cfn=")) else {
            continue;
        };
        let name = match name.split_once(' ') {
            Some((id, name)) => {
                names.insert(id, name);
                name
            }
            None => names[name],
        };
        if block.is_some() {
            blocks.push(name.to_owned());
        }
    }
    blocks
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
        let text = std::fs::read(trace).expect("a function trace");
        let text = String::from_utf8_lossy(&text);
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
