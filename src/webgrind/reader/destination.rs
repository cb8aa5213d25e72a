//! Where the figures of a preprocessed file go, and as what.

use super::edges::Edge;
use crate::profile::{CallEdge, Cost, FunctionId, InvocationTree, ProfileBuilder, TableFunction};

/// The builder that gets the figures of a file.
pub(super) struct Destination<'a> {
    builder: &'a mut ProfileBuilder,
    /// The functions of the file, by their numbers in it.
    ids: Vec<FunctionId>,
}

impl<'a> Destination<'a> {
    /// For a file whose table was begun.
    pub fn new(builder: &'a mut ProfileBuilder) -> Self {
        Destination {
            builder,
            ids: Vec::new(),
        }
    }

    /// Whether the invocations of v4 go there too.
    pub fn keeps_invocations(&self) -> bool {
        self.builder.keeps_invocations()
    }

    pub fn add_function(&mut self, function: &TableFunction<'_>) {
        let id = self.builder.add_table_function(function);
        self.ids.push(id);
    }

    /// Adds all invocations of the file, once its functions and edges have been added.
    pub fn add_invocations(&mut self, invocations: InvocationTree) {
        self.builder.add_invocations(invocations);
    }

    /// The function with a number that was checked.
    pub fn function(&self, number: u32) -> FunctionId {
        self.ids[number as usize]
    }

    /// Adds a call edge between functions that have been added.
    pub fn add_edge(&mut self, edge: &Edge) {
        self.builder.add_table_edge(CallEdge {
            caller: self.function(edge.caller),
            callee: self.function(edge.callee),
            line: u64::from(edge.line),
            calls: edge.calls,
            cost: Cost::try_from(edge.cost).unwrap_or(Cost::MAX),
        });
    }
}
