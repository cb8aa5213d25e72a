//! Ranges of a run of a trace, which separate builders have summed.

use super::ProfileBuilder;
use crate::maps::{HashMap, HashSet};
use crate::tables::{ANY_WIDTH, CallEdge, NameId};

impl ProfileBuilder {
    /// Appends the next range of the run. Returns the numbers that its names have here.
    ///
    /// `known` maps names of the range that are placeholders to names here. Returns `None` and adds
    /// no costs if several functions of the range are the same function here, because their order
    /// is lost.
    pub(crate) fn join(
        &mut self,
        range: ProfileBuilder,
        known: &HashMap<NameId, NameId>,
    ) -> Option<Vec<NameId>> {
        let names = range.names.iter().zip(0..).map(|(text, number)| {
            let known = known.get(&NameId::of(number)).copied();
            known.unwrap_or_else(|| self.intern(text))
        });
        let names: Vec<NameId> = names.collect();
        let name = |name: NameId| names[name.index()];
        let functions = range.sums.functions.as_slice();
        let distinct: HashSet<NameId> = functions.iter().map(|own| name(own.name)).collect();
        if distinct.len() < functions.len() {
            return None;
        }
        self.close_block();
        let mut numbers = Vec::with_capacity(functions.len());
        for (row, function) in functions.iter().enumerate() {
            let [object, file] = [function.object, function.file].map(name);
            let id = self.function(object, file, name(function.name));
            let own = &mut self.sums.functions;
            if let Some(own) = own.get_mut(id) {
                own.add_invocations(function.invocations, object, file);
                own.offer_line(function.line_source, function.line);
            }
            let costs = &range.sums.functions.self_costs;
            own.self_costs.add_row::<ANY_WIDTH>(id.index(), costs, row);
            numbers.push(id);
        }
        for edge in range.sums.calls.iter() {
            let edge_here = CallEdge {
                caller: numbers[edge.caller.index()],
                callee: numbers[edge.callee.index()],
                file: name(edge.file),
                ..*edge
            };
            self.sums.calls.add::<ANY_WIDTH>(edge_here, edge.costs());
        }
        Some(names)
    }
}
