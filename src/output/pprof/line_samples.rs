//! Which line of its function each stack's own cost stands on.
//!
//! What a function cost on each of its lines is known, and what it cost in each of its stacks, but
//! not what a stack cost on a line. So both are gone through by cost, the largest first, and each
//! pair takes what is left of the stack and of the line. In every event, all sums by stack and by
//! line are exact, and there are no more pairs than stacks and lines together.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::maps::HashMap;
use crate::profile::{Cost, FunctionId, Line, NameId, Profile};
use crate::stacks::{StackId, Stacks};

/// A line in the file of a function (none), or in another one.
pub(super) type LinePlace = (Option<NameId>, u64);

/// What a stack cost on a line.
#[derive(Debug)]
struct Pair {
    stack: StackId,
    place: LinePlace,
    costs: Vec<Cost>,
}

/// The costs of stacks by line, for functions whose costs do not all stand on their own line.
#[derive(Debug, Default)]
pub(super) struct LineSamples {
    /// By stack.
    pairs: Vec<Pair>,
    /// How many functions have several stacks and several lines.
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
        samples.pairs.sort_by_key(|pair| pair.stack);
        samples
    }

    /// Divides the costs of stacks of one function among its lines.
    fn pair(&mut self, stacks: &Stacks<'_>, nodes: &[(FunctionId, StackId)], lines: &[Line<'_>]) {
        let events = stacks.profile().events().len();
        let mut pairs: BTreeMap<(usize, usize), Vec<Cost>> = BTreeMap::new();
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
                    pairs
                        .entry((stack, line))
                        .or_insert_with(|| vec![0; events])[event] = part;
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
        self.pairs
            .extend(pairs.into_iter().map(|((stack, line), costs)| {
                let Line { file, line, .. } = lines[line];
                Pair {
                    stack: nodes[stack].1,
                    place: (file, line),
                    costs,
                }
            }));
    }

    /// The lines on which a stack cost anything, and what; none if all stands on its function's own.
    pub fn of(&self, stack: StackId) -> impl Iterator<Item = (LinePlace, &[Cost])> {
        let start = self.pairs.partition_point(|pair| pair.stack < stack);
        self.pairs[start..]
            .iter()
            .take_while(move |pair| pair.stack == stack)
            .map(|pair| (pair.place, pair.costs.as_slice()))
    }
}

/// The least line of each function that has a cost or a call in a file, its own (none) or another.
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
