//! Inputs that were summed before: tables of functions and call edges.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::ProfileBuilder;
use crate::profile::calls::{CallEdge, CallTable, EdgeKey};
use crate::profile::costs::Costs;
use crate::profile::events::Selection;
use crate::profile::functions::{Function, LineSource};
use crate::profile::ids::{NameId, next_index};
use crate::profile::numbering::Numbered;
use crate::profile::sums::Sums;
use crate::profile::trace::{Links, Wanted, note_proxy};
use crate::profile::{Cost, InclusiveCost, InvocationTree, ProfileKind};

/// A function of a table that was summed before: of a preprocessed file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TableFunction<'a> {
    /// Source file.
    pub file: &'a [u8],
    /// Name.
    pub name: &'a [u8],
    /// Line; 0 where unknown.
    pub line: u64,
    /// Sum of self costs.
    pub self_cost: Cost,
    /// Inclusive cost.
    pub inclusive: Cost,
    /// Invocations.
    pub invocations: u64,
    /// Cost of all calls to it, if the table lists its invocations one by one.
    ///
    /// [`ProfileBuilder::add_invocations`] has to follow then, if the builder keeps any.
    pub call_cost: Option<Cost>,
}

/// A table while it is being read.
#[derive(Debug)]
pub(super) struct Table {
    /// Its functions and calls, each with the figures that it states.
    sums: Sums,
    /// How often each file and name came: a table holds no objects, and so it can have several
    /// functions of one file and name. These are told apart by their order.
    seen: HashMap<(NameId, NameId), u32, RandomState>,
    /// How much its costs, which are those of one event, count for each of the wanted events.
    weights: Vec<Cost>,
}

impl Table {
    /// What it adds up to.
    pub fn finish(self) -> Sums {
        self.sums.weighted(&self.weights)
    }

    /// Lists the calls that the invocations made, in place of those that the table states.
    ///
    /// False if there are too many.
    fn list_calls_of(&mut self, invocations: &InvocationTree) -> bool {
        self.sums.calls = CallTable::default();
        let functions = self.sums.functions.as_mut_slice();
        for function in &mut *functions {
            function.call_cost = 0;
        }
        for (at, invocation) in invocations.invocations().iter().enumerate() {
            for call in invocations.calls_of(at) {
                let call = &invocations.calls()[call];
                let callee = &mut functions[call.callee.index()];
                callee.call_cost = callee.call_cost.saturating_add(call.cost);
                let key = EdgeKey {
                    caller: invocation.function,
                    callee: call.callee,
                    line: call.line,
                };
                if self.sums.calls.add(key, 1, Costs::single(call.cost)) == Numbered::Full {
                    return false;
                }
            }
        }
        true
    }
}

impl ProfileBuilder {
    /// Says that the input which was begun is a table.
    ///
    /// `kind` is what it was summed up from, if it lists all invocations, and else an aggregate.
    /// `selection` is where the wanted costs are among the costs of the table, its only column.
    /// [`add_table_function`](Self::add_table_function),
    /// [`add_table_edge`](Self::add_table_edge) and
    /// [`add_invocations`](Self::add_invocations) follow instead of blocks.
    pub(crate) fn begin_table(&mut self, kind: ProfileKind, selection: &Selection) {
        self.table = Some(Table {
            sums: Sums {
                kind: Some(kind),
                ..Sums::default()
            },
            seen: HashMap::default(),
            weights: selection.weights(),
        });
    }

    /// Adds a function with the figures that a table states.
    ///
    /// Functions of one table are never taken for the same; their numbers count from 0.
    pub(crate) fn add_table_function(&mut self, function: &TableFunction<'_>) {
        let (file, name) = (self.intern(function.file), self.intern(function.name));
        let Some(table) = &mut self.table else { return };
        if next_index(table.sums.functions.as_slice().len()).is_none() {
            self.overflow = Some("functions");
            return;
        }
        let call_cost = function.call_cost.filter(|_| self.options.invocations);
        let seen = table.seen.entry((file, name)).or_default();
        table.sums.functions.push(Function {
            object: NameId::EMPTY,
            file,
            name,
            line: function.line,
            self_cost: function.self_cost,
            inclusive: function.inclusive,
            invocations: function.invocations,
            call_cost: call_cost.unwrap_or(0),
            is_listed: call_cost.is_some(),
            before: *seen,
            line_source: LineSource::OwnCost,
        });
        *seen = seen.saturating_add(1);
        // The section has costs of the first wanted event.
        let weight = table.weights.first().copied().unwrap_or(1);
        let self_cost = function.self_cost.saturating_mul(weight);
        self.section_total = self.section_total.saturating_add(self_cost);
    }

    /// Adds an edge that a table states, in addition to the figures of its functions.
    pub(crate) fn add_table_edge(&mut self, edge: CallEdge) {
        let Some(table) = &mut self.table else { return };
        let functions = table.sums.functions.as_mut_slice();
        let callee = &mut functions[edge.callee.index()];
        if !callee.is_listed {
            callee.call_cost = callee.call_cost.saturating_add(edge.cost);
        }
        let is_self_call = edge.caller == edge.callee;
        if is_self_call && self.options.inclusive == InclusiveCost::Outermost {
            callee.inclusive = callee.inclusive.saturating_sub(edge.cost);
        }
        let costs = Costs::single(edge.cost);
        if table.sums.calls.add(edge.key(), edge.calls, costs) == Numbered::Full {
            self.overflow = Some("call edges");
        }
    }

    /// Whether single invocations are of any use: to keep them, or to find out about the trace that
    /// the table was summed up from.
    pub(crate) fn keeps_invocations(&self) -> bool {
        let kind = self.table.as_ref().and_then(|table| table.sums.kind);
        self.options.invocations || kind == Some(ProfileKind::Trace) && self.follows_invocations
    }

    /// Adds all invocations that a table lists, once its functions and edges have been added.
    pub(crate) fn add_invocations(&mut self, invocations: InvocationTree) {
        let Some(table) = &mut self.table else { return };
        if table.sums.kind != Some(ProfileKind::Trace) {
            table.sums.invocations = Some(invocations).filter(|_| self.options.invocations);
            return;
        }
        let mut are_proxies = Vec::new();
        for function in table.sums.functions.as_slice() {
            let name = self.names.get(function.name);
            let found = &mut table.sums.proxies;
            are_proxies.push(note_proxy(&self.options.proxies, name, found));
        }
        let links = Links::of(invocations, Wanted::of(&self.options), &are_proxies);
        if links.is_full {
            self.overflow = Some("invocations");
        }
        if let Some(invocations) = links.invocations {
            if are_proxies.contains(&true) && !table.list_calls_of(&invocations) {
                self.overflow = Some("call edges");
            }
            table.sums.invocations = Some(invocations).filter(|_| self.options.invocations);
        }
        table.sums.functions.set_inclusive(&links.outermost);
        for function in table.sums.functions.as_mut_slice() {
            function.is_listed |= links.contexts.is_some();
        }
        table.sums.contexts = links.contexts;
    }
}
