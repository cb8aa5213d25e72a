//! Inputs that were summed before: tables of functions and call edges.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::ProfileBuilder;
use crate::profile::calls::{CallEdge, CallTable};
use crate::profile::column_map::ColumnMap;
use crate::profile::functions::{Function, LineSource};
use crate::profile::ids::NameId;
use crate::profile::sums::Sums;
use crate::profile::trace::{TraceLinks, Wanted, note_proxy};
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

/// What is known of a table that is being read, besides the sums that it states.
#[derive(Debug)]
pub(super) struct Table {
    /// How often each file and name came: a table holds no objects, and so it can have several
    /// functions of one file and name. These are told apart by their order.
    seen: HashMap<(NameId, NameId), u32, RandomState>,
    /// How the wanted costs follow from its costs, which are those of one event.
    pub map: ColumnMap,
}

/// Lists the calls that the invocations made, in place of those that the table states.
fn list_calls_of(invocations: &InvocationTree, sums: &mut Sums) {
    sums.calls = CallTable::default();
    for function in sums.functions.as_mut_slice() {
        function.call_cost_excess = 0;
    }
    for (at, invocation) in invocations.invocations().iter().enumerate() {
        for position in invocations.calls_of(at) {
            let call = &invocations.calls()[position];
            let edge = CallEdge {
                caller: invocation.function,
                callee: call.callee,
                line: call.line,
                calls: 1,
            };
            sums.calls.add::<1>(edge, NameId::EMPTY, &[call.cost]);
        }
    }
}

impl ProfileBuilder {
    /// Says that the input which was begun is a table.
    ///
    /// `kind` is what it was summed up from, if it lists all invocations, and else an aggregate.
    /// `map` says how the wanted costs follow from the costs of the table, its only column.
    /// [`add_table_function`](Self::add_table_function),
    /// [`add_table_edge`](Self::add_table_edge) and
    /// [`add_invocations`](Self::add_invocations) follow instead of blocks.
    pub(crate) fn begin_table(&mut self, kind: ProfileKind, map: ColumnMap) {
        self.run.sums.narrow();
        self.run.sums.kind = Some(kind);
        self.table = Some(Table {
            seen: HashMap::default(),
            map,
        });
    }

    /// Adds a function with the figures that a table states.
    ///
    /// Functions of one table are never taken for the same; their numbers count from 0.
    pub(crate) fn add_table_function(&mut self, function: &TableFunction<'_>) {
        let (file, name) = (self.intern(function.file), self.intern(function.name));
        let Some(table) = &mut self.table else { return };
        let call_cost = function.call_cost.filter(|_| self.options.invocations);
        let seen = table.seen.entry((file, name)).or_default();
        let functions = &mut self.run.sums.functions;
        let row = functions.as_slice().len();
        functions.push(Function {
            object: NameId::EMPTY,
            file,
            name,
            line: function.line,
            invocations: function.invocations,
            is_listed: call_cost.is_some(),
            call_cost_excess: call_cost.unwrap_or(0),
            before: *seen,
            line_source: LineSource::OwnCost,
        });
        functions.self_costs.add::<1>(row, &[function.self_cost]);
        let inclusive = &mut functions.inclusive_costs;
        inclusive.add::<1>(row, &[function.inclusive]);
        *seen = seen.saturating_add(1);
        self.section_total += table.map.exact(0, |_| function.self_cost.into());
    }

    /// Adds an edge that a table states, in addition to the figures of its functions.
    pub(crate) fn add_table_edge(&mut self, edge: CallEdge, cost: Cost) {
        let Sums {
            functions, calls, ..
        } = &mut self.run.sums;
        let callee = &mut functions.as_mut_slice()[edge.callee.index()];
        if callee.is_listed {
            callee.call_cost_excess = callee.call_cost_excess.saturating_sub(cost);
        }
        if edge.caller == edge.callee && self.options.inclusive == InclusiveCost::Outermost {
            let inclusive = &mut functions.inclusive_costs;
            inclusive.add_exact(edge.callee.index(), [-i128::from(cost)]);
        }
        calls.add::<1>(edge, NameId::EMPTY, &[cost]);
    }

    /// Whether single invocations are of any use: to keep them, or to find out about the trace that
    /// the table was summed up from.
    pub(crate) fn keeps_invocations(&self) -> bool {
        let is_of_trace = self.run.sums.kind == Some(ProfileKind::Trace);
        self.options.invocations || is_of_trace && self.follows_invocations
    }

    /// Adds all invocations that a table lists, once its functions and edges have been added.
    pub(crate) fn add_invocations(&mut self, invocations: InvocationTree) {
        let sums = &mut self.run.sums;
        if sums.kind != Some(ProfileKind::Trace) {
            sums.invocations = Some(invocations).filter(|_| self.options.invocations);
            return;
        }
        let mut are_proxies = Vec::new();
        for function in sums.functions.as_slice() {
            let name = self.names.get(function.name);
            let found = &mut sums.proxies;
            are_proxies.push(note_proxy(&self.options.proxies, name, found));
        }
        let links = TraceLinks::of(invocations, Wanted::of(&self.options), &are_proxies);
        if let Some(invocations) = links.invocations {
            if are_proxies.contains(&true) {
                list_calls_of(&invocations, sums);
            }
            sums.invocations = Some(invocations).filter(|_| self.options.invocations);
        }
        sums.functions.set_inclusive(links.outermost);
        for function in sums.functions.as_mut_slice() {
            function.is_listed |= links.contexts.is_some();
        }
        sums.contexts = links.contexts;
    }
}
