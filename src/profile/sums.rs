//! The sums of a profile, and how those of two profiles are merged.

use super::calls::CallTable;
use super::column_map::ColumnMap;
use super::costs::{ANY_WIDTH, CostTable};
use super::functions::{Function, FunctionTable, LineRule};
use super::ids::{FunctionId, NameId};
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
    /// Takes everything away, for another run.
    pub fn take(&mut self) -> Sums {
        let next = Sums {
            functions: self.functions.next(),
            calls: self.calls.next(),
            ..Sums::default()
        };
        std::mem::replace(self, next)
    }

    /// Has rows of one cost again, if there is none.
    pub fn narrow(&mut self) {
        self.tables().for_each(|table| *table = CostTable::new(1));
    }

    /// Adds other sums of the same events to these, or of the first of them.
    ///
    /// `name` maps the number of a name there to its number here.
    pub fn merge(&mut self, other: Sums, name: impl Fn(NameId) -> NameId, lines: LineRule) {
        self.kind = match (self.kind, other.kind) {
            (None, kind) | (kind, None) => kind,
            (Some(own), Some(other)) if own == other => Some(own),
            _ => Some(ProfileKind::Mixed),
        };
        self.proxies.extend(other.proxies);
        self.proxies.sort_unstable();
        self.proxies.dedup();
        let renamed = |function: &Function| function.renamed(&name);
        let functions = self.merge_functions(&other.functions, renamed, lines);
        self.calls
            .merge(&other.calls, &functions, |_, file| name(file));
        if let Some(tree) = other.contexts {
            let own = self.contexts.get_or_insert_default();
            own.self_costs.widen(tree.self_costs.width());
            own.merge(&tree, |id| functions[id.index()]);
        }
        if let Some(tree) = other.invocations {
            let own = self.invocations.get_or_insert_default();
            own.append(tree.renumbered(|id| functions[id.index()]));
        }
    }

    /// Checks that everything has a number.
    pub fn check_counts(&self) -> Result<(), ModelError> {
        let invocations = self.invocations.as_ref().map_or(0, InvocationTree::len);
        let contexts = self.contexts.as_ref().map_or(0, ContextTree::len);
        ModelError::check_count("functions", self.functions.as_slice().len())?;
        ModelError::check_count("call edges", self.calls.edges().len())?;
        ModelError::check_count("invocations", invocations.max(contexts))
    }

    /// Adds functions with their costs, as `known_as` says, and returns their numbers.
    pub fn merge_functions(
        &mut self,
        other: &FunctionTable,
        known_as: impl Fn(&Function) -> Function,
        lines: LineRule,
    ) -> Vec<FunctionId> {
        let mut numbers = Vec::with_capacity(other.as_slice().len());
        for (row, function) in other.as_slice().iter().enumerate() {
            let id = self.functions.merge(&known_as(function), lines);
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

    /// All rows of costs.
    fn tables(&mut self) -> impl Iterator<Item = &mut CostTable> {
        let own = [
            &mut self.functions.self_costs,
            &mut self.functions.inclusive_costs,
            &mut self.calls.costs,
        ];
        let contexts = self.contexts.iter_mut();
        own.into_iter()
            .chain(contexts.map(|contexts| &mut contexts.self_costs))
    }

    /// Has costs of so many events, of which those at the end are 0.
    pub fn widen(&mut self, events: usize) {
        self.tables().for_each(|table| table.widen(events));
    }

    /// Puts the costs of other events, which follow from those there are, in their place.
    pub fn map_events(&mut self, map: &ColumnMap) {
        if map.is_identity(self.functions.self_costs.width()) {
            return;
        }
        self.tables().for_each(|table| *table = table.mapped(map));
        if let Some(tree) = &mut self.invocations {
            tree.map_costs(map);
        }
        for function in self.functions.as_mut_slice() {
            let excess = function.call_cost_excess;
            function.call_cost_excess = map.cost(0, &[excess]);
        }
    }

    /// Makes sums readable that do not fit into 64 bits, and says whether there are any.
    pub fn seal(&mut self) -> bool {
        let mut are_any = false;
        for table in self.tables() {
            are_any |= table.seal();
        }
        are_any
    }
}
