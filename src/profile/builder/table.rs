//! Inputs that were summed before: tables of functions and call edges.

use super::ProfileBuilder;
use crate::maps::HashMap;
use crate::profile::sums::Sums;
use crate::profile::{Cost, InclusiveCost, ProfileKind};
use crate::tables::{CallEdge, ColumnMap, Function, LineSource, LineTable, NameId};

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
}

/// What is known of a table that is being read, besides the sums that it states.
#[derive(Debug)]
pub(super) struct SummedTable {
    /// How often each file and name came: a table holds no objects, and so it can have several
    /// functions of one file and name. These are told apart by their order.
    seen: HashMap<(NameId, NameId), u32>,
    /// How the wanted costs follow from its costs, which are those of one event.
    map: ColumnMap,
    /// By function, if costs of recursion are to count once.
    calls: Option<Vec<Calls>>,
    sums: Sums,
}

/// What the calls of a function cost.
#[derive(Clone, Copy, Debug, Default)]
struct Calls {
    all: i128,
    to_itself: Cost,
    edges: i128,
}

impl SummedTable {
    /// Sums of the self costs in the wanted events.
    pub fn totals(&self) -> Vec<Cost> {
        let total = self.sums.functions.self_costs.totals();
        let events = 0..self.map.len();
        events.map(|event| self.map.cost(event, &total)).collect()
    }

    /// Ends the table: its sums in the wanted events.
    pub fn finish(mut self) -> Sums {
        let functions = &mut self.sums.functions;
        for (at, calls) in self.calls.into_iter().flatten().enumerate() {
            // A table in which recursion counts once already states less than all calls cost, by more
            // than what was rounded.
            let stated = i128::from(functions.inclusive_costs.row(at)[0]);
            let summed = i128::from(functions.self_costs.row(at)[0]) + calls.all;
            if (stated - summed).abs() <= calls.edges + 1 {
                let once = [calls.to_itself.saturating_neg()];
                functions.inclusive_costs.add::<1>(at, &once);
            }
        }
        self.sums.map_events(&self.map);
        self.sums
    }
}

impl ProfileBuilder {
    /// Says that the input which was begun is a table.
    ///
    /// `map` says how the wanted costs follow from the costs of the table, its only column.
    /// [`add_table_function`](Self::add_table_function) and
    /// [`add_table_edge`](Self::add_table_edge) follow instead of blocks.
    pub(crate) fn begin_table(&mut self, map: ColumnMap) {
        self.table = Some(SummedTable {
            seen: HashMap::default(),
            map,
            calls: (self.options.inclusive == InclusiveCost::Once).then(Vec::new),
            sums: Sums {
                kind: Some(ProfileKind::Aggregate),
                lines: self.options.lines.then(LineTable::default),
                ..Sums::default()
            },
        });
    }

    /// Adds a function with the figures that a table states.
    ///
    /// Functions of one table are never taken for the same; their numbers count from 0.
    pub(crate) fn add_table_function(&mut self, function: &TableFunction<'_>) {
        let (file, name) = (self.intern(function.file), self.intern(function.name));
        let Some(table) = &mut self.table else { return };
        let seen = table.seen.entry((file, name)).or_default();
        let functions = &mut table.sums.functions;
        let row = functions.as_slice().len();
        functions.push(Function {
            object: NameId::EMPTY,
            file,
            name,
            line: function.line,
            invocations: function.invocations,
            may_nest: true,
            is_assumed: false,
            is_listed: false,
            has_lines: false,
            before: *seen,
            line_source: LineSource::OwnCost,
        });
        functions.self_costs.add::<1>(row, &[function.self_cost]);
        let inclusive = &mut functions.inclusive_costs;
        inclusive.add::<1>(row, &[function.inclusive]);
        if let Some(calls) = &mut table.calls {
            calls.push(Calls::default());
        }
        *seen = seen.saturating_add(1);
    }

    /// Adds an edge that a table states, in addition to the figures of its functions.
    pub(crate) fn add_table_edge(&mut self, edge: CallEdge, cost: Cost) {
        let Some(table) = &mut self.table else { return };
        table.sums.counts_calls |= edge.calls > 0;
        let calls = table.calls.as_mut();
        if let Some(calls) = calls.and_then(|calls| calls.get_mut(edge.caller.index())) {
            calls.all += i128::from(cost);
            calls.edges += 1;
            if edge.caller == edge.callee {
                calls.to_itself = calls.to_itself.saturating_add(cost);
            }
        }
        table.sums.calls.add::<1>(edge, NameId::EMPTY, &[cost]);
    }
}
