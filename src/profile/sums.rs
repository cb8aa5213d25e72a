//! The sums of a profile, and how those of two profiles are merged.

use std::mem::take;

use super::ModelError;
use super::graphs::Graphs;
use super::parts::{Part, PartHeader, Parts};
use crate::tables::{
    ANY_WIDTH, CallEdge, CallTable, ColumnMap, CostTable, Function, FunctionId, FunctionTable,
    Kind, Kinds, LineKey, LineRule, LineTable, NameId, next_index,
};
use crate::trace::{ContextTree, InvocationTree, Timeline};

/// The functions and calls of a run, of an input, or of several inputs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sums {
    pub kinds: Kinds,
    /// Whether the inputs count calls.
    pub counts_calls: bool,
    pub functions: FunctionTable,
    pub calls: CallTable,
    /// The self costs by line, if requested.
    pub lines: Option<LineTable>,
    pub invocations: Option<InvocationTree>,
    pub contexts: Option<ContextTree>,
    pub timeline: Option<Timeline>,
    /// By function of traces with contexts: the inclusive costs of the call that costs most, in the event
    /// that is the first column of its input. 0 in other events, or if that is not known.
    pub costliest_calls: CostTable,
    /// The requested proxies that exist, by position.
    pub proxies: Vec<usize>,
    pub(super) parts: Parts,
    pub(super) graphs: Graphs,
}

impl Sums {
    /// No sums of this kind.
    pub fn of_kind(kind: Kind) -> Self {
        Sums {
            kinds: Kinds::Only(kind),
            ..Sums::default()
        }
    }

    /// Adds other sums. They have the same events as these, or only the first of them.
    ///
    /// `name` maps the other numbers of names to those here.
    pub fn merge(&mut self, mut other: Sums, name: impl Fn(NameId) -> NameId, lines: LineRule) {
        if self.graphs.differ(&other.graphs) {
            self.graphs.split(&self.functions, &self.calls);
            other.graphs.split(&other.functions, &other.calls);
        }
        let renamed = |function: &Function| function.renamed(&name);
        let functions = self.join(&other, renamed, &name, lines);
        self.proxies.extend(other.proxies);
        self.proxies.sort_unstable();
        self.proxies.dedup();
        self.parts.append(&other.parts);
        // The other sums may have fewer events.
        let width = self.functions.self_costs.width();
        let graphs = take(&mut other.graphs);
        self.graphs
            .append(graphs, |id| functions[id.index()], width);
        self.costliest_calls.widen(width);
        for (row, &function) in functions.iter().enumerate() {
            let costs = other.costliest_calls.row(row);
            self.costliest_calls.raise(function.index(), costs);
        }
        if let Some(tree) = other.contexts {
            let own = self.contexts.get_or_insert_with(|| tree.empty());
            own.self_costs.widen(width);
            own.merge(&tree, |id| functions[id.index()], &name);
        }
        if let Some(timeline) = other.timeline {
            let own = self.timeline.get_or_insert_with(|| timeline.empty());
            own.append(timeline, |id| functions[id.index()], &name);
        }
        if let Some(tree) = other.invocations {
            let own = self.invocations.get_or_insert_default();
            own.append(tree, |id| functions[id.index()]);
        }
    }

    /// Lists all of it as one part of an input, in its events.
    pub(super) fn add_as_part(&mut self, input: &str, header: &PartHeader, command: &[u8]) {
        let calls = self.calls.edges().iter().map(|edge| edge.calls);
        self.parts.push(Part {
            input,
            header,
            command,
            calls: calls.fold(0, u64::saturating_add),
            totals: &self.functions.self_costs.totals(),
        });
    }

    /// Checks that everything can be numbered.
    pub fn check_counts(&self) -> Result<(), ModelError> {
        let invocations = self.invocations.as_ref().map_or(0, InvocationTree::len);
        let contexts = self.contexts.as_ref().map_or(0, ContextTree::len);
        ModelError::check_count("functions", self.functions.as_slice().len())?;
        ModelError::check_count("call sites", self.calls.edges().len())?;
        let lines = self.lines.as_ref().map_or(0, LineTable::len);
        ModelError::check_count("lines with costs", lines)?;
        ModelError::check_count("invocations", invocations.max(contexts))
    }

    /// Adds functions, calls and lines. Functions for which `known_as` returns the same key become
    /// one. `name` maps the names of files. Returns the numbers that the functions have here.
    pub fn join(
        &mut self,
        other: &Sums,
        mut known_as: impl FnMut(&Function) -> Function,
        name: impl Fn(NameId) -> NameId,
        rule: LineRule,
    ) -> Vec<FunctionId> {
        self.kinds = self.kinds.and(other.kinds);
        self.counts_calls |= other.counts_calls;
        let from = &other.functions;
        let functions = from.as_slice().iter().enumerate().map(|(row, function)| {
            let costs = [from.self_costs.row(row), from.inclusive_costs.row(row)];
            self.functions.merge(&known_as(function), costs, rule)
        });
        let functions: Vec<FunctionId> = functions.collect();
        let own = self.functions.as_slice();
        // Functions of several files, or names of files, may have become one.
        let file_in = |before: FunctionId, function: FunctionId, file: NameId| {
            let file = match file {
                NameId::EMPTY => from.as_slice()[before.index()].file,
                file => file,
            };
            match name(file) {
                file if own[function.index()].file == file => NameId::EMPTY,
                file => file,
            }
        };
        for edge in other.calls.iter() {
            let caller = functions[edge.caller.index()];
            let edge_here = CallEdge {
                caller,
                callee: functions[edge.callee.index()],
                file: file_in(edge.caller, caller, edge.file),
                ..*edge
            };
            self.calls.add::<ANY_WIDTH>(edge_here, edge.costs());
        }
        if let Some(other) = &other.lines {
            let width = self.functions.self_costs.width();
            let lines = self.lines.get_or_insert_with(|| LineTable::new(width));
            for (key, costs) in (0..other.len()).map(|row| other.at(row)) {
                let function = functions[key.function.index()];
                let file = file_in(key.function, function, key.file);
                let line = key.line;
                lines.add::<ANY_WIDTH>(
                    LineKey {
                        function,
                        file,
                        line,
                    },
                    costs,
                );
            }
        }
        functions
    }

    /// Puts all self costs on the functions' own lines.
    pub fn set_own_lines(&mut self) {
        let mut lines = LineTable::new(self.functions.self_costs.width());
        for (row, function) in self.functions.as_slice().iter().enumerate() {
            let key = LineKey::own(FunctionId(next_index(row)), function.line);
            lines.add::<ANY_WIDTH>(key, self.functions.self_costs.row(row));
        }
        self.lines = Some(lines);
    }

    /// All rows of costs.
    fn tables(&mut self) -> impl Iterator<Item = &mut CostTable> {
        let own = [
            &mut self.functions.self_costs,
            &mut self.functions.inclusive_costs,
            &mut self.calls.costs,
            &mut self.parts.totals,
            &mut self.costliest_calls,
        ];
        let contexts = self.contexts.iter_mut();
        let lines = self.lines.iter_mut();
        own.into_iter()
            .chain(contexts.map(|contexts| &mut contexts.self_costs))
            .chain(lines.map(|lines| &mut lines.costs))
            .chain(self.graphs.tables())
    }

    /// Extends rows to this number of events, with 0 at the end.
    pub fn widen(&mut self, events: usize) {
        self.tables().for_each(|table| table.widen(events));
    }

    /// Replaces the costs by those of other events, which are computed from these.
    pub fn map_events(&mut self, map: &ColumnMap) {
        if map.is_identity(self.functions.self_costs.width()) {
            return;
        }
        // A sum of events need not have its highest cost where one of them has.
        let costliest_calls = map.single_columns().apply(&self.costliest_calls);
        self.tables().for_each(|table| *table = map.apply(table));
        self.costliest_calls = costliest_calls;
        if let Some(tree) = &mut self.invocations {
            tree.map_costs(map);
        }
    }
}
