//! Inputs that were summed before: tables of functions and call edges.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::ProfileBuilder;
use crate::profile::calls::{Added, CallEdge, CallTable, EdgeKey};
use crate::profile::costs::Costs;
use crate::profile::functions::{Function, FunctionTable, LineSource};
use crate::profile::ids::{FunctionId, NameId, next_index};
use crate::profile::sums::Sums;
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
    /// [`ProfileBuilder::add_invocations`] has to follow then.
    pub call_cost: Option<Cost>,
}

/// A table while it is being read.
#[derive(Debug)]
pub(super) struct Table {
    functions: FunctionTable,
    /// How often each file and name came: a table holds no objects, and so it can have several
    /// functions of one file and name. These are told apart by their order.
    seen: HashMap<(NameId, NameId), u32, RandomState>,
    calls: CallTable,
    invocations: Option<InvocationTree>,
    kind: ProfileKind,
}

impl Table {
    /// The functions and calls, each with the figures that the table states.
    pub fn finish(self) -> Sums {
        Sums {
            kind: Some(self.kind),
            functions: self.functions,
            calls: self.calls,
            invocations: self.invocations,
            ..Sums::default()
        }
    }
}

impl ProfileBuilder {
    /// Says that the input which was begun is a table.
    ///
    /// `kind` is what it was summed up from, if it lists all invocations, and else an aggregate.
    /// [`add_table_function`](Self::add_table_function),
    /// [`add_table_edge`](Self::add_table_edge) and
    /// [`add_invocations`](Self::add_invocations) follow instead of blocks.
    pub(crate) fn begin_table(&mut self, kind: ProfileKind) {
        self.table = Some(Table {
            functions: FunctionTable::default(),
            seen: HashMap::default(),
            calls: CallTable::default(),
            invocations: None,
            kind,
        });
    }

    /// Adds a function with the figures that a table states.
    ///
    /// Functions of one table are never taken for the same.
    pub(crate) fn add_table_function(&mut self, function: &TableFunction<'_>) -> FunctionId {
        let (file, name) = (self.intern(function.file), self.intern(function.name));
        let Some(table) = &mut self.table else {
            return FunctionId(0);
        };
        let Some(number) = next_index(table.functions.as_slice().len()) else {
            self.overflow = Some("functions");
            return FunctionId(0);
        };
        let seen = table.seen.entry((file, name)).or_default();
        table.functions.push(Function {
            object: NameId::EMPTY,
            file,
            name,
            line: function.line,
            self_cost: function.self_cost,
            inclusive: function.inclusive,
            invocations: function.invocations,
            call_cost: function.call_cost.unwrap_or(0),
            is_listed: function.call_cost.is_some(),
            before: *seen,
            line_source: LineSource::OwnCost,
        });
        *seen = seen.saturating_add(1);
        self.section_total = self.section_total.saturating_add(function.self_cost);
        FunctionId(number)
    }

    /// Adds an edge that a table states, beside the figures of its functions.
    pub(crate) fn add_table_edge(&mut self, edge: CallEdge) {
        let Some(table) = &mut self.table else { return };
        let functions = table.functions.as_mut_slice();
        let callee = &mut functions[edge.callee.index()];
        if !callee.is_listed {
            callee.call_cost = callee.call_cost.saturating_add(edge.cost);
        }
        let is_self_call = edge.caller == edge.callee;
        if is_self_call && self.options.inclusive == InclusiveCost::Outermost {
            callee.inclusive = callee.inclusive.saturating_sub(edge.cost);
        }
        let key = EdgeKey {
            caller: edge.caller,
            callee: edge.callee,
            line: edge.line,
        };
        let costs = Costs::single(edge.cost);
        if table.calls.add(key, edge.calls, costs) == Added::Full {
            self.overflow = Some("call edges");
        }
    }

    /// Whether single invocations are wanted; see
    /// [`ProfileOptions::invocations`](super::ProfileOptions::invocations).
    pub(crate) fn keeps_invocations(&self) -> bool {
        self.options.invocations
    }

    /// Adds all invocations that a table lists, if they are wanted.
    pub(crate) fn add_invocations(&mut self, tree: InvocationTree) {
        if let Some(table) = self.table.as_mut().filter(|_| self.options.invocations) {
            table.invocations = Some(tree);
        }
    }
}
