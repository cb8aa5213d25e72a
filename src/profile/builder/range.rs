//! Ranges of a run of a trace, which separate builders have summed.

use super::{ProfileBuilder, ProfileOptions, Run};
use crate::maps::{HashMap, HashSet};
use crate::tables::{ANY_WIDTH, CallEdge, NameId};

impl ProfileBuilder {
    /// The options for a range of the current run, if there can be any: which calls replace those of
    /// proxies depends on the ranges before.
    pub(crate) fn range_options(&self) -> Option<ProfileOptions> {
        self.options
            .proxies
            .is_empty()
            .then(|| self.options.clone())
    }

    /// Begins a range, with rows of this many costs.
    pub(crate) fn begin_range(&mut self, width: usize) {
        self.widen(width);
        if let Run::Invocations(trace) = &mut self.run {
            trace.link_later();
        }
    }

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
            let caller = numbers[edge.caller.index()];
            // The first block of the caller here may be in another file.
            let file = match edge.file {
                _ if !self.options.call_files => NameId::EMPTY,
                NameId::EMPTY => functions[edge.caller.index()].file,
                file => file,
            };
            let edge_here = CallEdge {
                caller,
                callee: numbers[edge.callee.index()],
                file: self.call_file(caller, name(file)),
                ..*edge
            };
            self.sums.calls.add::<ANY_WIDTH>(edge_here, edge.costs());
        }
        if let (Run::Invocations(trace), Run::Invocations(range)) = (&mut self.run, range.run) {
            trace.join(*range, &numbers, name);
        }
        Some(names)
    }
}
