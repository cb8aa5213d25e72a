//! The lines of the last frames in stacks.
//!
//! The costs of a function on each of its lines are known, and so are its costs in each stack, but
//! not those of a stack on a line. So stacks and lines are paired, the largest costs first: each pair
//! takes what is left of the stack or of the line, until one of them is used up. In every event, all
//! sums by stack and by line are exact, and there are at most as many pairs as stacks and lines
//! together.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::maps::HashMap;
use crate::profile::{Cost, FunctionId, Line, NameId, Profile};
use crate::stacks::{StackId, Stacks};

/// A file and a line. `None` is the file of the function.
pub(super) type LinePlace = (Option<NameId>, u64);

/// The costs of stacks by line, for functions with costs on other lines than their own.
#[derive(Debug, Default)]
pub(super) struct LineSamples {
    /// The costs of a stack on a line, by the stack and the rank of the line.
    pairs: BTreeMap<(StackId, usize), (LinePlace, Vec<Cost>)>,
    /// The number of functions with several stacks and several lines.
    pub paired: u64,
}

impl LineSamples {
    pub fn new(stacks: &Stacks<'_>) -> Self {
        let profile = stacks.profile().folded();
        let mut samples = LineSamples::default();
        let mut nodes: Vec<(FunctionId, StackId)> = Vec::new();
        for node in stacks.nodes() {
            let function = stacks.folded_function(node);
            let is_empty = stacks.self_costs(node).iter().all(|&cost| cost == 0);
            nodes.extend(function.filter(|_| !is_empty).map(|id| (id, node)));
        }
        nodes.sort_unstable();
        let size = |costs: &[Cost]| Reverse(costs.first().map_or(0, |cost| cost.unsigned_abs()));
        for nodes in nodes.chunk_by_mut(|(one, _), (other, _)| one == other) {
            let function = nodes[0].0;
            let mut lines: Vec<Line<'_>> = profile.lines(function).collect();
            let own = profile.function(function).line;
            if lines
                .iter()
                .all(|line| (line.file, line.line) == (None, own))
            {
                continue;
            }
            samples.paired += u64::from(nodes.len() > 1 && lines.len() > 1);
            lines.sort_by_key(|line| size(line.costs));
            nodes.sort_by_key(|&(_, node)| size(stacks.self_costs(node)));
            samples.pair(stacks, nodes, &lines);
        }
        samples
    }

    /// Divides the costs of the stacks of one function among its lines.
    fn pair(&mut self, stacks: &Stacks<'_>, nodes: &[(FunctionId, StackId)], lines: &[Line<'_>]) {
        let events = stacks.profile().events().len();
        for event in 0..events {
            let of_stack = |at: usize| stacks.self_costs(nodes[at].1)[event];
            let (mut stack, mut line) = (0, 0);
            let (mut left_of_stack, mut left_of_line) = (of_stack(0), lines[0].costs[event]);
            loop {
                let is_last = [stack + 1 == nodes.len(), line + 1 == lines.len()];
                let ends_stack = match is_last {
                    [false, false] => left_of_stack.unsigned_abs() <= left_of_line.unsigned_abs(),
                    [_, is_last_line] => is_last_line,
                };
                let part = if ends_stack {
                    left_of_stack
                } else {
                    left_of_line
                };
                if part != 0 {
                    let pair = self.pairs.entry((nodes[stack].1, line));
                    let Line { file, line, .. } = lines[line];
                    pair.or_insert_with(|| ((file, line), vec![0; events])).1[event] = part;
                }
                if is_last == [true, true] {
                    break;
                }
                left_of_stack = left_of_stack.saturating_sub(part);
                left_of_line = left_of_line.saturating_sub(part);
                if ends_stack {
                    stack += 1;
                    left_of_stack = of_stack(stack);
                } else {
                    line += 1;
                    left_of_line = lines[line].costs[event];
                }
            }
        }
    }

    /// The lines of a stack and its costs there; empty if all its costs are on its function's line.
    pub fn of(&self, stack: StackId) -> impl Iterator<Item = (LinePlace, &[Cost])> {
        self.pairs
            .range((stack, 0)..)
            .take_while(move |&(&(of, _), _)| of == stack)
            .map(|(_, (place, costs))| (*place, costs.as_slice()))
    }
}

/// The first line of each function with a cost or a call, in each file. `None` is its own file.
pub(super) fn first_lines(profile: &Profile) -> HashMap<(FunctionId, Option<NameId>), u64> {
    let mut first: HashMap<_, u64> = HashMap::default();
    let mut add = |function, file, line: u64| {
        if line > 0 {
            let least = first.entry((function, file)).or_insert(line);
            *least = line.min(*least);
        }
    };
    for (id, _) in profile.functions() {
        profile
            .lines(id)
            .for_each(|line| add(id, line.file, line.line));
    }
    for edge in profile.edges() {
        add(edge.caller, edge.file(), edge.line);
    }
    first
}
