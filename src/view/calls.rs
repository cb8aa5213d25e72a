//! The costs of calls: the self costs of all stacks that go through them. Nothing counts twice.

use std::borrow::Cow;

use super::{GroupBy, Hidden, View};
use crate::maps::{HashMap, IndexSet};
use crate::profile::{Cost, EdgeRef, FunctionId, Kind, NameId};
use crate::stacks::Outermost;
use crate::tables::{ANY_WIDTH, CostTable};
use crate::trace::{CallSite, ContextId};

/// Which calls are one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallsBy {
    /// Those from one row to another.
    Pair,
    /// The same, on one line.
    Edge,
    /// Those that a row makes on one line.
    Line,
}

/// The caller, the callee, and the line of calls, as far as they are known.
type CallKey = (FunctionId, Option<FunctionId>, Option<(NameId, u64)>);

/// The costs of calls.
#[derive(Clone, Debug)]
pub(crate) struct CallCosts {
    by: CallsBy,
    keys: IndexSet<CallKey>,
    costs: CostTable,
}

impl CallsBy {
    fn key(self, caller: FunctionId, callee: FunctionId, line: (NameId, u64)) -> CallKey {
        let callee = (self != CallsBy::Line).then_some(callee);
        (caller, callee, (self != CallsBy::Pair).then_some(line))
    }
}

impl CallCosts {
    /// The costs of the calls between the rows of a view. Those of traces are exact, if lines are not
    /// asked for, the stacks know them, or there is only one. In aggregates, they are what the file says,
    /// but recursive calls cost no more than either of their rows.
    pub fn new(view: &View<'_>, by: CallsBy) -> Self {
        let mut calls = CallCosts {
            by,
            keys: IndexSet::default(),
            costs: CostTable::new(view.profile.events().len()),
        };
        // The calls of groups have no files.
        let has_files = view.by == GroupBy::Function;
        for edge in view.edges() {
            let (position, is_new) = calls.keys.insert_full(calls.key(view, &edge));
            if is_new {
                calls.costs.push_zeros();
            }
            let costs = limited(view, &edge, edge.costs());
            calls.costs.add::<ANY_WIDTH>(position, &costs);
        }
        let contexts = view.profile.contexts();
        let contexts = contexts.filter(|contexts| {
            let knows_lines = by != CallsBy::Line || contexts.has_call_sites();
            knows_lines && view.profile.kind() == Some(Kind::Trace)
        });
        if let Some(contexts) = contexts {
            let all_are_exact = by == CallsBy::Pair || contexts.has_call_sites();
            let only_lines = if all_are_exact {
                HashMap::default()
            } else {
                calls.only_lines()
            };
            let hidden = view.hidden().and_then(Hidden::callers);
            let contexts = match hidden {
                None => contexts.without_proxies(),
                Some(hidden) => Cow::Borrowed(&*hidden.tree),
            };
            let (costs, _) = contexts.costs_of(calls.keys.len(), |caller, callee| {
                let caller = hidden.map_or(caller, |hidden| hidden.caller(callee));
                if caller == ContextId::TOP {
                    return None;
                }
                let [caller, row] = [caller, callee].map(|id| view.row(contexts.function(id)));
                let (caller, row) = (caller?, row?);
                if !all_are_exact {
                    return only_lines.get(&(caller, row)).copied();
                }
                let site = match hidden {
                    None => contexts.call_site(callee),
                    Some(hidden) => hidden.call_site(callee),
                };
                let line = site.map_or((NameId::EMPTY, 0), |CallSite { file, line }| {
                    (if has_files { file } else { NameId::EMPTY }, line)
                });
                calls.keys.get_index_of(&by.key(caller, row, line))
            });
            if all_are_exact {
                calls.costs = costs;
            } else {
                for position in only_lines.into_values() {
                    calls.costs.set::<ANY_WIDTH>(position, costs.row(position));
                }
            }
        } else if by == CallsBy::Pair {
            for edge in view.edges() {
                if let Some(position) = calls.keys.get_index_of(&calls.key(view, &edge)) {
                    let costs = limited(view, &edge, calls.costs.row(position)).into_owned();
                    calls.costs.set::<ANY_WIDTH>(position, &costs);
                }
            }
        }
        calls
    }

    /// The positions of the calls that a row makes to another on one line alone.
    fn only_lines(&self) -> HashMap<(FunctionId, FunctionId), usize> {
        let mut found: HashMap<_, Option<usize>> = HashMap::default();
        for (position, &(caller, callee, _)) in self.keys.iter().enumerate() {
            let Some(callee) = callee else { continue };
            let only = found.entry((caller, callee)).or_insert(Some(position));
            *only = only.filter(|&first| first == position);
        }
        let only = found.into_iter();
        only.filter_map(|(ends, only)| Some((ends, only?)))
            .collect()
    }

    fn key(&self, view: &View<'_>, edge: &EdgeRef<'_>) -> CallKey {
        let file = view.function(edge.caller).file;
        let line = (edge.file().unwrap_or(file), edge.line);
        self.by.key(edge.caller, edge.callee, line)
    }

    /// The costs of the calls to which an edge belongs.
    pub fn of(&self, view: &View<'_>, edge: &EdgeRef<'_>) -> &[Cost] {
        let position = self.keys.get_index_of(&self.key(view, edge));
        position.map_or(&[], |position| self.costs.row(position))
    }
}

/// The costs of calls that are not part of other calls of the same callee, by the stacks.
#[derive(Clone, Debug, Default)]
pub(super) struct OutermostCalls {
    /// By caller and callee: a row of costs, and whether they are estimated.
    rows: HashMap<(FunctionId, FunctionId), (usize, bool)>,
    costs: CostTable,
}

impl OutermostCalls {
    pub fn new(view: &View<'_>) -> Self {
        let stacks = view.shown_stacks();
        let mut calls = OutermostCalls {
            rows: HashMap::default(),
            costs: CostTable::new(view.profile.events().len()),
        };
        let mut outermost = Outermost::of(view.functions().len());
        for node in stacks.nodes() {
            let Some(callee) = view.node_row(&stacks, node) else {
                continue;
            };
            if !outermost.has(&stacks, node, callee.index()) {
                continue;
            }
            let caller = stacks.parent(node);
            let Some(caller) = caller.and_then(|caller| view.node_row(&stacks, caller)) else {
                continue;
            };
            let next = (calls.costs.rows(), false);
            let (row, is_estimated) = calls.rows.entry((caller, callee)).or_insert(next);
            if *row == next.0 {
                calls.costs.push_zeros();
            }
            let costs = stacks.inclusive_costs(node);
            calls.costs.add::<ANY_WIDTH>(*row, costs);
            *is_estimated |= stacks.is_inclusive_estimated(node);
        }
        calls
    }

    pub fn of(&self, caller: FunctionId, callee: FunctionId) -> Option<(&[Cost], bool)> {
        let &(row, is_estimated) = self.rows.get(&(caller, callee))?;
        Some((self.costs.row(row), is_estimated))
    }
}

/// The calls of functions through others that only pass calls on, as `array_map` does, by the stacks.
#[derive(Clone, Debug, Default)]
pub(super) struct PassedCalls {
    calls: Vec<PassedCall>,
    /// The positions of the calls of each callee.
    of_callees: HashMap<FunctionId, Vec<usize>>,
    /// Likewise by caller.
    of_callers: HashMap<FunctionId, Vec<usize>>,
}

/// The calls of a function through another.
#[derive(Clone, Debug)]
pub(crate) struct PassedCall {
    /// None if everything above only passes calls on.
    pub caller: Option<FunctionId>,
    /// What the caller calls, and what calls the callee: mostly the same.
    pub entry: FunctionId,
    pub through: FunctionId,
    pub callee: FunctionId,
    pub calls: u64,
    /// The costs of those that are not part of other calls of the callee, if there are such.
    pub costs: Option<Vec<Cost>>,
    pub is_estimated: bool,
}

impl PassedCalls {
    pub fn new(view: &View<'_>) -> Self {
        if !view.functions().any(|(row, _)| view.is_passing(row)) {
            return PassedCalls::default();
        }
        let stacks = view.shown_stacks();
        let mut passed = PassedCalls::default();
        let mut positions: HashMap<_, usize> = HashMap::default();
        // By node: the nearest function that does not pass calls on, and what that calls on the way.
        let mut above: Vec<(Option<FunctionId>, Option<FunctionId>)> =
            Vec::with_capacity(stacks.nodes().len());
        let mut outermost = Outermost::of(view.functions().len());
        for node in stacks.nodes() {
            let row = view.node_row(&stacks, node);
            let parent = stacks.parent(node);
            let (caller, entry) = parent.map_or((None, None), |parent| above[parent.index()]);
            let is_passing = row.is_some_and(|row| view.is_passing(row));
            above.push(if is_passing {
                (caller, entry.or(row))
            } else {
                (row, None)
            });
            let Some(callee) = row else { continue };
            let is_outermost = outermost.has(&stacks, node, callee.index());
            let through = parent.and_then(|parent| view.node_row(&stacks, parent));
            let Some(through) = through.filter(|&row| view.is_passing(row)) else {
                continue;
            };
            let entry = entry.unwrap_or(through);
            let position = *positions
                .entry((caller, entry, through, callee))
                .or_insert_with(|| passed.add(caller, entry, through, callee));
            let call = &mut passed.calls[position];
            call.calls = call.calls.saturating_add(stacks.calls(node));
            if is_outermost {
                let costs = stacks.inclusive_costs(node);
                let sums = call.costs.get_or_insert_with(|| vec![0; costs.len()]);
                for (sum, &cost) in sums.iter_mut().zip(costs) {
                    *sum = sum.saturating_add(cost);
                }
                call.is_estimated |= stacks.is_inclusive_estimated(node);
            }
        }
        passed
    }

    fn add(
        &mut self,
        caller: Option<FunctionId>,
        entry: FunctionId,
        through: FunctionId,
        callee: FunctionId,
    ) -> usize {
        let position = self.calls.len();
        self.of_callees.entry(callee).or_default().push(position);
        if let Some(caller) = caller {
            self.of_callers.entry(caller).or_default().push(position);
        }
        self.calls.push(PassedCall {
            caller,
            entry,
            through,
            callee,
            calls: 0,
            costs: None,
            is_estimated: false,
        });
        position
    }

    pub fn to(&self, callee: FunctionId) -> impl Iterator<Item = &PassedCall> {
        self.at(self.of_callees.get(&callee))
    }

    pub fn from(&self, caller: FunctionId) -> impl Iterator<Item = &PassedCall> {
        self.at(self.of_callers.get(&caller))
    }

    fn at(&self, positions: Option<&Vec<usize>>) -> impl Iterator<Item = &PassedCall> {
        let positions = positions.into_iter().flatten();
        positions.map(|&position| &self.calls[position])
    }
}

/// The costs of calls; of recursive ones, at most what their caller or their callee costs.
pub(super) fn limited<'c>(
    view: &View<'_>,
    edge: &EdgeRef<'_>,
    costs: &'c [Cost],
) -> Cow<'c, [Cost]> {
    if !view.is_recursive(edge, edge.callee) {
        return costs.into();
    }
    let [caller, callee] = [edge.caller, edge.callee].map(|id| view.inclusive_costs(id));
    let rows = costs.iter().zip(caller.iter().zip(callee));
    rows.map(|(&cost, (&caller, &callee))| cost.min(caller).min(callee))
        .collect()
}
