//! Inclusive costs that count recursion once.

use std::cell::OnceCell;

use super::{StackId, Stacks};
use crate::maps::IndexMap;
use crate::profile::{Cost, Cycles, EdgeRef, FunctionId, Groups, Profile, ProfileKind};
use crate::tables::{ANY_WIDTH, CostTable, saturated};

impl Stacks<'_> {
    /// The inclusive costs of groups of functions: for each group, the cost of all stacks that
    /// contain any of its members, and whether that contains an estimate.
    ///
    /// `group_of` returns the group of a node, if any; there are this number of `groups`. A stack
    /// counts once for each group in it, however many of its frames belong to the group. So nothing
    /// exceeds the total.
    ///
    /// The work is linear in the nodes, for any groups: functions, classes, files.
    pub(crate) fn inclusive_of_groups(
        &self,
        groups: usize,
        group_of: impl Fn(StackId) -> Option<usize>,
    ) -> (CostTable, Vec<bool>) {
        let mut costs = CostTable::zeros(self.profile.events().len(), groups);
        let mut are_estimated = vec![false; groups];
        // The end of the stacks that the last node of each group has counted.
        let mut counted_up_to = vec![StackId(0); groups];
        for node in self.nodes() {
            let Some(group) = group_of(node) else {
                continue;
            };
            if node >= counted_up_to[group] {
                counted_up_to[group] = self.node(node).end;
                costs.add::<ANY_WIDTH>(group, self.inclusive_costs(node));
                are_estimated[group] |= self.is_inclusive_estimated(node);
            }
        }
        (costs, are_estimated)
    }
}

/// Computes the inclusive costs of functions that call each other, for a profile that was read with
/// [`InclusiveCost::Once`](crate::profile::InclusiveCost::Once). [`Profile::inclusive_costs`] then
/// returns them.
///
/// They are exact for traces, for functions that only call themselves, and if only one stack is
/// possible. Others are estimated from stacks: see [`Profile::is_inclusive_estimated`]. The least
/// estimate is the cost of a function and its calls out of the cycle, or of the calls into the
/// cycle; the largest is the cost of all functions of the cycle with such calls. So a function that
/// is the only way into its cycle has an exact cost.
pub fn count_once(profile: &Profile) {
    let stacks = OnceCell::new();
    count_once_by(profile, || stacks.get_or_init(|| Stacks::new(profile)));
}

/// The same; `stacks` are those of the profile, which only cycles need.
pub(crate) fn count_once_by<'s, 'a: 's>(profile: &Profile, stacks: impl Fn() -> &'s Stacks<'a>) {
    if profile.kind() == ProfileKind::Trace {
        return;
    }
    count_cycles(profile, &stacks, |stacks, node| stacks.function(node));
    let folded = profile.folded();
    if !std::ptr::eq(folded, profile) {
        count_cycles(folded, &stacks, |stacks, node| stacks.named_function(node));
    }
}

/// Likewise for groups of a profile's functions.
pub(crate) fn count_groups_once<'s, 'a: 's>(
    groups: &mut Groups,
    profile: &Profile,
    stacks: impl FnOnce() -> &'s Stacks<'a>,
) {
    if !groups.of_calls.is_empty() {
        return count_lines_once(groups, profile, stacks());
    }
    count_cycles(&groups.profile, stacks, |stacks, node| {
        let function = stacks.named_function(node)?;
        Some(groups.of_functions[function.index()])
    });
}

/// Subtracts the costs of nested calls from the lines of a trace. A call is nested if another call on
/// the same line was still running: the cost of the other call contains its cost.
///
/// Stacks do not contain lines. If a function calls another one on several lines, the nested costs
/// are divided among the lines in proportion to the costs of their calls, which is an estimate.
fn count_lines_once(groups: &mut Groups, profile: &Profile, stacks: &Stacks<'_>) {
    let mut pairs: IndexMap<_, Vec<(usize, EdgeRef<'_>)>> = IndexMap::default();
    for (edge, line) in profile.edges().zip(&groups.of_calls) {
        let calls = pairs.entry((edge.caller, edge.callee)).or_default();
        calls.push((line.index(), edge));
    }
    let lines = &groups.profile;
    let (width, count) = (lines.events().len(), lines.functions().len());
    let mut nested = CostTable::zeros(width, pairs.len());
    // For each place, the end of the stacks that contain the last call there. A pair of caller and
    // callee has the place of its line, or a place of its own if it has several lines.
    let mut runs_up_to = vec![StackId(0); count + pairs.len()];
    for node in stacks.nodes() {
        let caller = stacks.parent(node).and_then(|above| stacks.function(above));
        let ends = caller.zip(stacks.function(node));
        let Some((pair, _, calls)) = ends.and_then(|ends| pairs.get_full(&ends)) else {
            continue;
        };
        let place = match calls[..] {
            [(line, _)] => line,
            _ => count + pair,
        };
        if node >= runs_up_to[place] {
            runs_up_to[place] = stacks.node(node).end;
        } else {
            nested.add::<ANY_WIDTH>(pair, stacks.inclusive_costs(node));
        }
    }
    let mut costs = CostTable::new(width);
    for (id, _) in lines.functions() {
        costs.push::<ANY_WIDTH>(lines.self_costs(id));
    }
    let mut are_estimated = vec![false; count];
    for (pair, calls) in pairs.values().enumerate() {
        let nested = nested.row(pair);
        if nested.iter().all(|&cost| cost == 0) {
            continue;
        }
        let cost = |edge: &EdgeRef<'_>, event: usize| i128::from(edge.costs()[event]);
        let all = |event| calls.iter().map(|(_, edge)| cost(edge, event)).sum();
        let all: Vec<i128> = (0..width).map(all).collect();
        for (line, edge) in calls {
            let part = |event| match calls.len() {
                1 => nested[event],
                _ => {
                    let part = i128::from(nested[event]) * cost(edge, event);
                    saturated(part.checked_div(all[event]).unwrap_or(0))
                }
            };
            let less: Vec<Cost> = (0..width)
                .map(|event| part(event).saturating_neg())
                .collect();
            costs.add::<ANY_WIDTH>(*line, &less);
            are_estimated[*line] |= calls.len() > 1;
        }
    }
    groups.profile.set_costs(costs, are_estimated);
}

/// Sets the inclusive costs of functions that are in cycles. `function` returns the function of a
/// node.
fn count_cycles<'s, 'a: 's>(
    profile: &Profile,
    stacks: impl FnOnce() -> &'s Stacks<'a>,
    function: impl Fn(&Stacks<'_>, StackId) -> Option<FunctionId>,
) {
    let cycles = profile.cycles();
    if !cycles.are_any() {
        return;
    }
    let stacks = stacks();
    let count = profile.functions().len();
    let in_cycle = |id: &FunctionId| cycles.has(id.index());
    let group_of = |node| {
        function(stacks, node)
            .filter(in_cycle)
            .map(FunctionId::index)
    };
    let (mut costs, mut are_estimated) = stacks.inclusive_of_groups(count, group_of);
    let (least, most) = bounds(profile, cycles);
    let is_trace = stacks.profile.kind() == ProfileKind::Trace;
    for (id, _) in profile.functions() {
        let at = id.index();
        if !cycles.has(at) {
            costs.set::<ANY_WIDTH>(at, profile.inclusive_costs(id));
            continue;
        }
        let (least, most) = (least.row(at), most.row(cycles.of[at] as usize));
        let bounds = least.iter().zip(most);
        let row = costs.row(at).iter().zip(bounds);
        let row: Vec<_> = row
            .map(|(&cost, (&least, &most))| cost.min(most).max(least))
            .collect();
        // In a trace, only what Xdebug rounds sets them apart.
        let is_changed = !is_trace && row != costs.row(at);
        are_estimated[at] = (are_estimated[at] || is_changed) && least != most;
        costs.set::<ANY_WIDTH>(at, &row);
    }
    profile.set_once(costs, are_estimated);
}

/// The limits of inclusive costs. A function costs at least as much as itself and its calls out of its
/// cycle, and as the calls to it from outside of the cycle: a row for each function. It costs at most
/// as much as all functions of its cycle: a row for each cycle.
fn bounds(profile: &Profile, cycles: &Cycles) -> (CostTable, CostTable) {
    let width = profile.events().len();
    let [mut least, mut called] =
        [0; 2].map(|_| CostTable::zeros(width, profile.functions().len()));
    let mut most = CostTable::zeros(width, cycles.len());
    for (id, _) in profile.functions() {
        least.add::<ANY_WIDTH>(id.index(), profile.self_costs(id));
    }
    for edge in profile.edges() {
        let [caller, callee] = [edge.caller, edge.callee].map(FunctionId::index);
        if cycles.of[caller] != cycles.of[callee] {
            least.add::<ANY_WIDTH>(caller, edge.costs());
            called.add::<ANY_WIDTH>(callee, edge.costs());
        }
    }
    for (member, &cycle) in cycles.of.iter().enumerate() {
        most.add_row::<ANY_WIDTH>(cycle as usize, &least, member);
    }
    for (member, &cycle) in cycles.of.iter().enumerate() {
        let most = most.row(cycle as usize).iter().zip(called.row(member));
        let bounds = least.row(member).iter().zip(most);
        let row: Vec<_> = bounds
            .map(|(&own, (&most, &called))| own.max(called.min(most)))
            .collect();
        least.set::<ANY_WIDTH>(member, &row);
    }
    (least, most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::callgrind;
    use crate::profile::{ProfileBuilder, ProfileOptions};

    /// A trace of `{main}`, which calls `f` twice: it calls `g` and `h`, and `g` calls `f` again.
    const TRACE: &str = "creator: xdebug 3.4.0\nevents: Time Memory\n\
        \nfl=a.php\nfn=f\n1 4 1\n\nfl=a.php\nfn=g\n1 10 0\ncfn=f\ncalls=1 0 0\n2 4 1\n\
        \nfl=a.php\nfn=h\n1 20 0\n\
        \nfl=a.php\nfn=f\n1 40 0\ncfn=g\ncalls=1 0 0\n2 14 1\ncfn=h\ncalls=1 0 0\n3 20 0\n\
        \nfl=a.php\nfn=f\n1 100 0\n\
        \nfl=a.php\nfn={main}\n1 1 0\ncfn=f\ncalls=1 0 0\n2 74 1\ncfn=f\ncalls=1 0 0\n3 100 0\n";

    #[test]
    fn a_stack_counts_once_for_each_group_in_it() {
        let mut builder = ProfileBuilder::new(ProfileOptions {
            contexts: true,
            events: crate::profile::EventChoice::All,
            ..ProfileOptions::default()
        });
        let options = callgrind::ReadOptions::default();
        callgrind::read(TRACE.as_bytes(), "a.cg", &options, &mut builder).unwrap();
        let profile = builder.finish().unwrap();
        let stacks = Stacks::new(&profile);
        let sums = |groups: [&[u8]; 3]| {
            let group_of = |node| {
                groups
                    .iter()
                    .position(|group| group.contains(&stacks.frame(node)[0]))
            };
            let (costs, are_estimated) = stacks.inclusive_of_groups(3, group_of);
            assert_eq!(are_estimated, [false; 3]);
            [0, 1, 2].map(|group| [costs.row(group)[0], costs.row(group)[1]])
        };
        assert_eq!(sums([b"f", b"g", b"{"]), [[174, 1], [14, 1], [175, 1]]);
        assert_eq!(sums([b"fg", b"h", b"x"]), [[174, 1], [20, 0], [0, 0]]);
        assert_eq!(sums([b"gh", b"{f", b""]), [[34, 1], [175, 1], [0, 0]]);
    }
}
