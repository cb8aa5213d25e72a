//! The sums of a profile, and how those of two profiles are merged.

use super::calls::{CallTable, EdgeKey};
use super::costs::{Cost, Costs};
use super::functions::{Function, FunctionTable, LineRule};
use super::ids::{FunctionId, NameId};
use super::numbering::Numbered;
use super::trace::{ContextTree, InvocationTree};
use super::{ModelError, ProfileKind};

/// The functions and calls of a run, of an input, or of several inputs.
#[derive(Debug, Default)]
pub(super) struct Sums {
    /// None as long as there is no function.
    pub kind: Option<ProfileKind>,
    pub functions: FunctionTable,
    pub calls: CallTable,
    pub invocations: Option<InvocationTree>,
    pub contexts: Option<ContextTree>,
    /// Which of the wanted proxies exist, by their positions.
    pub proxies: Vec<usize>,
}

impl Sums {
    /// Adds other sums to these.
    ///
    /// `name` maps the number of a name there to its number here, and `events` does the same for
    /// events.
    pub fn merge(
        &mut self,
        other: Sums,
        name: impl Fn(NameId) -> NameId,
        events: &[usize],
        lines: LineRule,
    ) -> Result<(), ModelError> {
        self.kind = match (self.kind, other.kind) {
            (None, kind) | (kind, None) => kind,
            (Some(own), Some(other)) if own == other => Some(own),
            _ => Some(ProfileKind::Mixed),
        };
        self.proxies.extend(other.proxies);
        self.proxies.sort_unstable();
        self.proxies.dedup();
        let mut order = EventOrder::new(events);
        let functions = self.merge_functions(&other.functions, name, &mut order, lines)?;
        self.merge_calls(&other.calls, &functions, &mut order)?;
        if let Some(tree) = other.contexts {
            let own = self.contexts.get_or_insert_default();
            own.merge(&tree, |id| functions[id.index()]);
            if own.is_full() {
                return Err(ModelError::TooMany { what: "contexts" });
            }
        }
        if let Some(tree) = other.invocations {
            let own = self.invocations.get_or_insert_default();
            let tree = tree.renumbered(|id| functions[id.index()]);
            own.append(tree).ok_or(ModelError::TooMany {
                what: "invocations",
            })?;
        }
        Ok(())
    }

    fn merge_functions(
        &mut self,
        other: &FunctionTable,
        name: impl Fn(NameId) -> NameId,
        order: &mut EventOrder<'_>,
        lines: LineRule,
    ) -> Result<Vec<FunctionId>, ModelError> {
        let mut numbers = Vec::with_capacity(other.as_slice().len());
        for (row, function) in other.as_slice().iter().enumerate() {
            let own = order.put(function.self_cost, other.more_self.row(row));
            let (self_cost, more_self) = (own.first, own.more.to_vec());
            let inclusive = order.put(function.inclusive, other.more_inclusive.row(row));
            let function = Function {
                object: name(function.object),
                file: name(function.file),
                name: name(function.name),
                self_cost,
                inclusive: inclusive.first,
                ..function.clone()
            };
            let id = self.functions.merge(&function, lines)?;
            self.functions.more_self.add(id.index(), &more_self);
            self.functions
                .more_inclusive
                .add(id.index(), inclusive.more);
            numbers.push(id);
        }
        Ok(numbers)
    }

    fn merge_calls(
        &mut self,
        other: &CallTable,
        functions: &[FunctionId],
        order: &mut EventOrder<'_>,
    ) -> Result<(), ModelError> {
        for (position, edge) in other.iter().enumerate() {
            let key = EdgeKey {
                caller: functions[edge.caller.index()],
                callee: functions[edge.callee.index()],
                line: edge.line,
            };
            let costs = order.put(edge.cost, other.more(position));
            if self.calls.add(key, edge.calls, costs) == Numbered::Full {
                return Err(ModelError::TooMany { what: "call edges" });
            }
        }
        Ok(())
    }

    /// Makes costs of several events out of those of one: of each event so many times as much.
    ///
    /// Invocations and contexts have costs of the first event only.
    pub fn weighted(mut self, weights: &[Cost]) -> Sums {
        let Some((&first, more)) = weights.split_first() else {
            return self;
        };
        if first == 1 && more.is_empty() {
            return self;
        }
        let times = |cost: Cost| -> Vec<Cost> {
            let costs = more.iter().map(|weight| cost.saturating_mul(*weight));
            costs.collect()
        };
        for row in 0..self.functions.as_slice().len() {
            let function = &mut self.functions.as_mut_slice()[row];
            let (self_costs, inclusive) = (times(function.self_cost), times(function.inclusive));
            function.self_cost = function.self_cost.saturating_mul(first);
            function.inclusive = function.inclusive.saturating_mul(first);
            function.call_cost = function.call_cost.saturating_mul(first);
            self.functions.more_self.add(row, &self_costs);
            self.functions.more_inclusive.add(row, &inclusive);
        }
        let calls = std::mem::take(&mut self.calls);
        for edge in calls.iter() {
            let costs = Costs {
                more: &times(edge.cost),
                ..Costs::single(edge.cost.saturating_mul(first))
            };
            // There is room for as many as there were.
            self.calls.add(edge.key(), edge.calls, costs);
        }
        if let Some(tree) = &mut self.invocations {
            tree.multiply(first);
        }
        if let Some(tree) = &mut self.contexts {
            tree.multiply(first);
        }
        self
    }

    /// Adds events that are weighted sums of the `present` ones: for each, its parts and their
    /// weights.
    pub fn derive(&mut self, present: usize, derived: &[Vec<(usize, Cost)>]) {
        let added = |first: Cost, more: &[Cost]| {
            let sums = derived.iter().map(|parts| {
                let shares = parts.iter().map(|&(event, weight)| {
                    let cost = event.checked_sub(1).map_or(Some(&first), |at| more.get(at));
                    cost.map_or(0, |cost| cost.saturating_mul(weight))
                });
                shares.fold(0, Cost::saturating_add)
            });
            // Nothing for the events after the first that are there already.
            let present = std::iter::repeat_n(0, present.saturating_sub(1));
            present.chain(sums).collect::<Vec<Cost>>()
        };
        let functions = &mut self.functions;
        for row in 0..functions.as_slice().len() {
            let function = &functions.as_slice()[row];
            let self_costs = added(function.self_cost, functions.more_self.row(row));
            let inclusive = added(function.inclusive, functions.more_inclusive.row(row));
            functions.more_self.add(row, &self_costs);
            functions.more_inclusive.add(row, &inclusive);
        }
        self.calls.add_derived(added);
    }
}

/// Puts costs of another profile into the order of the events here.
struct EventOrder<'a> {
    events: &'a [usize],
    is_same: bool,
    /// The costs of a row, in that order.
    row: Vec<Cost>,
}

impl<'a> EventOrder<'a> {
    fn new(events: &'a [usize]) -> Self {
        EventOrder {
            events,
            is_same: events.iter().enumerate().all(|(at, &event)| at == event),
            row: vec![0; events.iter().max().map_or(1, |last| last + 1)],
        }
    }

    fn put<'b>(&'b mut self, first: Cost, more: &'b [Cost]) -> Costs<'b> {
        if self.is_same {
            return Costs {
                first,
                more,
                matching: first,
            };
        }
        self.row.fill(0);
        let costs = std::iter::once(&first).chain(more);
        for (&event, cost) in self.events.iter().zip(costs) {
            self.row[event] = *cost;
        }
        Costs {
            first: self.row[0],
            more: &self.row[1..],
            matching: first,
        }
    }
}
