//! Inputs that were summed before: tables of functions and call edges.

use std::collections::HashMap;

use super::ProfileBuilder;
use crate::profile::calls::CallEdge;
use crate::profile::function::{Draft, LineSource};
use crate::profile::ids::{FunctionId, NameId, next_index};
use crate::profile::tree::InvocationTree;
use crate::profile::{Cost, Kind};

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
    /// Such a function stays apart from those that have sums only, and
    /// [`ProfileBuilder::add_invocations`] has to follow.
    pub call_cost: Option<Cost>,
}

/// What identifies the functions of tables.
///
/// A table holds no objects, and so it can have several functions of one file and name. These are
/// told apart by their order: the second of one table is that of another table too.
#[derive(Debug, Default)]
pub(super) struct TableFunctions {
    by_key: HashMap<TableKey, FunctionId>,
    /// How often each file and name came in the table that is being read.
    seen: HashMap<(NameId, NameId), u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct TableKey {
    file: NameId,
    name: NameId,
    /// How many of that file and name came before in the table.
    before: u32,
    is_listed: bool,
}

impl TableFunctions {
    /// Begins a table.
    pub fn begin(&mut self) {
        self.seen.clear();
    }

    fn next_key(&mut self, file: NameId, name: NameId, is_listed: bool) -> TableKey {
        let seen = self.seen.entry((file, name)).or_default();
        let before = *seen;
        *seen = before.saturating_add(1);
        TableKey {
            file,
            name,
            before,
            is_listed,
        }
    }
}

impl ProfileBuilder {
    /// Begins an input that is a table.
    ///
    /// [`add_table_function`](Self::add_table_function),
    /// [`add_table_edge`](Self::add_table_edge) and
    /// [`add_invocations`](Self::add_invocations) follow instead of blocks.
    pub(crate) fn begin_table(&mut self) {
        self.begin_input(Kind::Aggregate);
        self.tables.begin();
    }

    /// Adds the sums of a function that a table states.
    ///
    /// Functions of one table are never taken for the same.
    pub(crate) fn add_table_function(&mut self, function: &TableFunction<'_>) -> FunctionId {
        let (file, name) = (self.intern(function.file), self.intern(function.name));
        let key = self
            .tables
            .next_key(file, name, function.call_cost.is_some());
        let id = self.table_function(key);
        let draft = &mut self.drafts[id.index()];
        if function.line > 0 {
            draft.offer_line(LineSource::OwnCost, function.line);
        }
        draft.self_cost = draft.self_cost.saturating_add(function.self_cost);
        let calls_cost = function.inclusive.saturating_sub(function.self_cost);
        draft.inclusive_beyond = draft.inclusive_beyond.saturating_add(calls_cost);
        let call_cost = function.call_cost.unwrap_or(0);
        draft.call_cost_beyond = draft.call_cost_beyond.saturating_add(call_cost);
        draft.invocations_beyond = draft
            .invocations_beyond
            .saturating_add_unsigned(function.invocations);
        self.self_total = self.self_total.saturating_add(function.self_cost);
        id
    }

    fn table_function(&mut self, key: TableKey) -> FunctionId {
        if key.before == 0 && !key.is_listed {
            return self.function(NameId::EMPTY, key.file, key.name);
        }
        if let Some(&id) = self.tables.by_key.get(&key) {
            return id;
        }
        let Some(number) = next_index(self.drafts.len()) else {
            self.overflow = Some("functions");
            return FunctionId(0);
        };
        self.drafts.push(Draft {
            is_listed: key.is_listed,
            ..Draft::new(NameId::EMPTY, key.file, key.name)
        });
        self.tables.by_key.insert(key, FunctionId(number));
        FunctionId(number)
    }

    /// Adds an edge that a table states, beside the figures of its functions.
    pub(crate) fn add_table_edge(&mut self, edge: CallEdge) {
        let caller = &mut self.drafts[edge.caller.index()];
        caller.inclusive_beyond = caller.inclusive_beyond.saturating_sub(edge.cost);
        let callee = &mut self.drafts[edge.callee.index()];
        callee.invocations_beyond = callee
            .invocations_beyond
            .saturating_sub_unsigned(edge.calls);
        if callee.is_listed {
            callee.call_cost_beyond = callee.call_cost_beyond.saturating_sub(edge.cost);
        }
        self.add_edge(edge);
    }

    /// Whether single invocations are wanted; see
    /// [`ProfileOptions::invocations`](super::ProfileOptions::invocations).
    pub(crate) fn keeps_invocations(&self) -> bool {
        self.options.invocations
    }

    /// Adds all invocations that a table lists, if they are wanted.
    pub(crate) fn add_invocations(&mut self, tree: InvocationTree) {
        if let Some(linking) = &mut self.linking {
            linking.add_tree(tree);
        }
    }
}
