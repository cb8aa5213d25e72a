//! Ranges of a run of a trace, which builders of their own have summed up.

use super::ProfileBuilder;
use crate::maps::{HashMap, HashSet};
use crate::tables::{ANY_WIDTH, NameId};

impl ProfileBuilder {
    /// Takes in the range of the run that comes next, and returns what the names of that range are
    /// here.
    ///
    /// `known` are names of the range that stand for others. None, and nothing is added, if several
    /// functions of the range are one here: then it is not known what came first.
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
        let functions = range.run.functions.as_slice();
        let distinct: HashSet<NameId> = functions.iter().map(|own| name(own.name)).collect();
        if distinct.len() < functions.len() {
            return None;
        }
        self.close_block();
        let mut numbers = Vec::with_capacity(functions.len());
        for (row, function) in functions.iter().enumerate() {
            let [object, file] = [function.object, function.file].map(name);
            let id = self.function(object, file, name(function.name));
            let own = &mut self.run.functions;
            if let Some(own) = own.get_mut(id) {
                own.add_blocks(function.blocks, object, file);
                own.offer_line(function.line_source, function.line);
            }
            let costs = &range.run.functions.self_costs;
            own.self_costs.add_row::<ANY_WIDTH>(id.index(), costs, row);
            numbers.push(id);
        }
        let calls = &mut self.run.calls;
        calls.merge(&range.run.calls, &numbers, |_, file| name(file));
        self.run.may_lack_line |= range.run.may_lack_line;
        Some(names)
    }
}
