//! webgrind files: tables of functions and call edges, with sums instead of blocks.

use super::{ProfileBuilder, Run};
use crate::maps::HashMap;
use crate::profile::sums::Sums;
use crate::profile::{BlockKind, Cost, ProfileKind};
use crate::tables::{CallEdge, ColumnMap, Function, FunctionId, LineSource, NameId};

/// The current table, in addition to the sums that it states.
#[derive(Debug)]
pub(super) struct Table {
    /// The map from its costs, which are those of one event, to the requested ones.
    pub map: ColumnMap,
}

impl Table {
    /// Completes the sums of the table, in the requested events.
    pub fn finish(self, sums: &mut Sums) {
        sums.kind = Some(ProfileKind::Aggregate);
        // A table stores no objects, so it can contain several functions with the same file and
        // name. Their order distinguishes them.
        let mut seen: HashMap<(NameId, NameId), u32> = HashMap::default();
        for function in sums.functions.as_mut_slice() {
            let seen = seen.entry((function.file, function.name)).or_default();
            function.before = *seen;
            *seen = seen.saturating_add(1);
        }
        sums.add_own_lines();
        sums.map_events(&self.map);
    }
}

impl ProfileBuilder {
    /// Marks the current input as a table.
    ///
    /// `map` computes the requested costs from the only column of the table. Instead of blocks, add
    /// functions with [`add_table_function`](Self::add_table_function) and edges with
    /// [`add_table_edge`](Self::add_table_edge).
    pub(crate) fn begin_table(&mut self, map: ColumnMap) {
        self.run = Run::new(BlockKind::Aggregate, &self.options, 1);
        self.run.table = Some(Table { map });
    }

    /// Adds a function with the sums that a table states: its file and name, its line, which is 0 if
    /// it is unknown, its invocations, and its self and inclusive cost.
    ///
    /// Functions of a table are always distinct. Their numbers count from 0.
    pub(crate) fn add_table_function(
        &mut self,
        [file, name]: &[Vec<u8>; 2],
        line: u64,
        invocations: u64,
        [self_cost, inclusive]: [Cost; 2],
    ) {
        let (file, name) = (self.intern(file), self.intern(name));
        let functions = &mut self.run.sums.functions;
        let row = functions.as_slice().len();
        functions.push(Function {
            line,
            line_source: LineSource::OwnCost,
            invocations,
            ..Function::new(NameId::EMPTY, file, name)
        });
        functions.self_costs.add::<1>(row, &[self_cost]);
        functions.inclusive_costs.add::<1>(row, &[inclusive]);
    }

    /// Adds a call record of a table, between the functions of these numbers. It does not change the
    /// sums of functions.
    pub(crate) fn add_table_edge(&mut self, ends: [u32; 2], line: u64, calls: u64, cost: Cost) {
        let [caller, callee] = ends.map(FunctionId);
        let edge = CallEdge {
            caller,
            callee,
            file: NameId::EMPTY,
            line,
            calls,
        };
        let sums = &mut self.run.sums;
        sums.counts_calls |= edge.calls > 0;
        sums.calls.add::<1>(edge, &[cost]);
    }
}
