//! The sums of a profile, and how those of two profiles are merged.

use super::parts::Parts;
use super::{ModelError, ProfileKind};
use crate::tables::{
    ANY_WIDTH, CallTable, ColumnMap, Cost, CostTable, Function, FunctionId, FunctionTable, LineKey,
    LineRule, LineTable, NameId,
};
use crate::trace::{ContextTree, InvocationTree};

/// The functions and calls of a run, of an input, or of several inputs.
#[derive(Debug, Default)]
pub(super) struct Sums {
    /// `None` if there are no functions.
    pub kind: Option<ProfileKind>,
    /// Whether the inputs count calls.
    pub counts_calls: bool,
    pub functions: FunctionTable,
    pub calls: CallTable,
    /// The self costs by line, if requested.
    pub lines: Option<LineTable>,
    pub invocations: Option<InvocationTree>,
    pub contexts: Option<ContextTree>,
    /// The requested proxies that exist, by position.
    pub proxies: Vec<usize>,
    pub parts: Parts,
}

impl Sums {
    /// Adds other sums. They have the same events as these, or only the first of them.
    ///
    /// `name` maps the other numbers of names to those here.
    pub fn merge(&mut self, other: Sums, name: impl Fn(NameId) -> NameId, lines: LineRule) {
        self.kind = match (self.kind, other.kind) {
            (None, kind) | (kind, None) => kind,
            (Some(own), Some(other)) if own == other => Some(own),
            _ => Some(ProfileKind::Mixed),
        };
        self.counts_calls |= other.counts_calls;
        self.proxies.extend(other.proxies);
        self.proxies.sort_unstable();
        self.proxies.dedup();
        self.parts.append(&other.parts);
        // The other sums may have fewer events.
        let width = self.functions.self_costs.width();
        if other.lines.is_some() {
            self.lines.get_or_insert_with(|| LineTable::new(width));
        }
        let renamed = |function: &Function| function.renamed(&name);
        let functions = self.merge_functions(&other.functions, renamed, lines);
        self.calls
            .merge(&other.calls, &functions, |_, file| name(file));
        if let (Some(own), Some(other)) = (&mut self.lines, &other.lines) {
            own.merge(other, &functions, |_, file| name(file));
        }
        if let Some(tree) = other.contexts {
            let own = self.contexts.get_or_insert_default();
            own.self_costs.widen(width);
            own.merge(&tree, |id| functions[id.index()]);
        }
        if let Some(tree) = other.invocations {
            let own = self.invocations.get_or_insert_default();
            own.append(tree, |id| functions[id.index()]);
        }
    }

    /// Checks that everything can be numbered.
    pub fn check_counts(&self) -> Result<(), ModelError> {
        let invocations = self.invocations.as_ref().map_or(0, InvocationTree::len);
        let contexts = self.contexts.as_ref().map_or(0, ContextTree::len);
        ModelError::check_count("functions", self.functions.as_slice().len())?;
        ModelError::check_count("call edges", self.calls.edges().len())?;
        let lines = self.lines.as_ref().map_or(0, LineTable::len);
        ModelError::check_count("lines with costs", lines)?;
        ModelError::check_count("invocations", invocations.max(contexts))
    }

    /// Adds functions and their costs under the keys that `known_as` returns. Returns their
    /// numbers.
    pub fn merge_functions(
        &mut self,
        other: &FunctionTable,
        mut known_as: impl FnMut(&Function) -> Function,
        lines: LineRule,
    ) -> Vec<FunctionId> {
        let mut numbers = Vec::with_capacity(other.as_slice().len());
        for (row, function) in other.as_slice().iter().enumerate() {
            let function = known_as(function);
            let id = self.functions.number(&function);
            self.spell_out_lines(id, &function, other.self_costs.row(row));
            self.functions.merge(id, &function, lines);
            let functions = &mut self.functions;
            for (own, other) in [
                (&mut functions.self_costs, &other.self_costs),
                (&mut functions.inclusive_costs, &other.inclusive_costs),
            ] {
                own.add_row::<ANY_WIDTH>(id.index(), other, row);
            }
            numbers.push(id);
        }
        numbers
    }

    /// Adds rows for the implied lines of a function and of one that is merged into it, unless
    /// these are the same line.
    fn spell_out_lines(&mut self, id: FunctionId, other: &Function, others_costs: &[Cost]) {
        let (Some(lines), Some(own)) = (&mut self.lines, self.functions.get_mut(id)) else {
            return;
        };
        let own_line = own.line;
        let have_lines = [own.has_lines, other.has_lines];
        if have_lines == [false, false] && own_line == other.line {
            return;
        }
        own.has_lines = true;
        let own_costs = self.functions.self_costs.row(id.index());
        let both = [(own_line, own_costs), (other.line, others_costs)];
        for ((line, costs), has_lines) in both.into_iter().zip(have_lines) {
            if !has_lines {
                lines.add::<ANY_WIDTH>(LineKey::own(id, line), costs);
            }
        }
    }

    /// All rows of costs.
    fn tables(&mut self) -> impl Iterator<Item = &mut CostTable> {
        let own = [
            &mut self.functions.self_costs,
            &mut self.functions.inclusive_costs,
            &mut self.calls.costs,
            &mut self.parts.totals,
        ];
        let contexts = self.contexts.iter_mut();
        let lines = self.lines.iter_mut();
        own.into_iter()
            .chain(contexts.map(|contexts| &mut contexts.self_costs))
            .chain(lines.map(|lines| &mut lines.costs))
    }

    /// Resets all tables, which are empty, to rows of one cost.
    pub fn narrow(&mut self) {
        self.tables().for_each(|table| *table = CostTable::new(1));
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
        self.tables().for_each(|table| *table = map.apply(table));
        if let Some(tree) = &mut self.invocations {
            tree.map_costs(map);
        }
    }
}
