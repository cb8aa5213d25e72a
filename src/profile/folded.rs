//! Profiles with other names for functions. Functions that get the same name become one.

use super::groups::Groups;
use super::{ModelError, Producer, Profile, ProfileData, ProfileKind, id};
use crate::names::Chains;
use crate::tables::{
    ANY_WIDTH, ByFunction, CostTable, Function, FunctionId, LineRule, NameId, NameTable,
};

impl Profile {
    /// This profile with other names. If `rename` returns `None`, the name stays. Functions that then
    /// have the same object, file and name become one.
    ///
    /// # Errors
    ///
    /// As for [`merge`](Self::merge).
    pub(crate) fn renamed(
        &self,
        rename: impl Fn(&[u8]) -> Option<Vec<u8>>,
    ) -> Result<Profile, ModelError> {
        let mut names = NameTable::default();
        let numbers = self.names.iter();
        let numbers = numbers.map(|name| names.intern(rename(name).as_deref().unwrap_or(name)));
        let numbers: Vec<NameId> = numbers.collect();
        let name = |name: NameId| numbers[name.index()];
        let known_as = |function: &Function| Function {
            is_listed: false,
            before: 0,
            ..function.renamed(name)
        };
        let (contents, _) = self.join(known_as, name);
        Profile::new(names, contents)
    }

    /// The contents of this profile in which the functions for which `known_as` returns the same key
    /// are one, and the number of each function there. `name` returns the new number of a file's
    /// name.
    pub(super) fn join(
        &self,
        known_as: impl FnMut(&Function) -> Function,
        name: impl Fn(NameId) -> NameId,
    ) -> (ProfileData, Vec<FunctionId>) {
        let mut joined = self.without_functions();
        let sums = &self.contents.sums;
        let of_functions = joined.sums.join(sums, known_as, name, LineRule::Least);
        (joined, of_functions)
    }

    /// The contents of this profile, except functions and calls.
    pub(super) fn without_functions(&self) -> ProfileData {
        let mut contents = ProfileData {
            events: self.contents.events.clone(),
            headers: self.contents.headers.clone(),
            ..ProfileData::default()
        };
        contents.sums.parts = self.contents.sums.parts.clone();
        contents.sums.widen(self.wanted.len());
        contents
    }

    /// This profile with one function for each function of the program. Valgrind writes a function
    /// once for each chain of callers (`f'g`), and once for deeper levels of recursion (`f'2`).
    ///
    /// Self costs and calls are summed. Calls from one level to the next become calls of the
    /// function to itself. Their costs are not part of its inclusive cost.
    pub(crate) fn folded(&self) -> &Profile {
        let folded = self.views.folded.get_or_init(|| self.fold().map(Box::new));
        folded.as_ref().map_or(self, |folded| &folded.profile)
    }

    /// The number of a function in the [`folded`](Self::folded) profile.
    pub(crate) fn folded_function(&self, id: FunctionId) -> FunctionId {
        self.folded();
        let folded = self.views.folded.get().and_then(Option::as_ref);
        folded.map_or(id, |folded| folded.of_functions[id.index()])
    }

    fn fold(&self) -> Option<Groups> {
        let chains = self.chains();
        let own = |function: &Function| chains.split(self.name(function.name)).own;
        let has_callers = |function| own(function) != self.name(function.name);
        if !self.functions().any(|(_, function)| has_callers(function)) {
            return None;
        }
        let mut names = self.names.clone();
        let own_name = |function: &Function| Function {
            name: names.intern(own(function)),
            ..function.clone()
        };
        let (contents, of_functions) = self.join(own_name, |name| name);
        let mut profile = Profile::new(names, contents).ok()?;
        let count = profile.functions().len();
        let members = ByFunction::new(of_functions.iter().copied(), count);
        for joined in (0..count).map(id) {
            let members = members.of(joined).iter();
            if members.len() > 1 {
                // A function without callers ran once in each run, even if it is several functions
                // in the file.
                let invocations = members.map(|&at| self.function(FunctionId(at)).invocations);
                let invocations = invocations.fold(profile.calls_to(joined), u64::max);
                profile.count_once(joined, invocations);
            }
        }
        Some(Groups {
            profile,
            of_functions,
            of_calls: Vec::new(),
        })
    }

    /// Sets the data of a joined function that are not just sums: its invocations, and its inclusive
    /// costs, which are its self costs and those of its calls to others.
    pub(super) fn count_once(&mut self, function: FunctionId, invocations: u64) {
        let at = function.index();
        let mut costs = CostTable::new(self.wanted.len());
        costs.push::<ANY_WIDTH>(self.self_costs(function));
        for edge in self.sub_calls(function) {
            if edge.callee != function {
                costs.add::<ANY_WIDTH>(0, edge.costs());
            }
        }
        let functions = &mut self.contents.sums.functions;
        functions.inclusive_costs.set::<ANY_WIDTH>(at, costs.row(0));
        functions.as_mut_slice()[at].invocations = invocations;
    }

    /// The rules for splitting names of functions into own names and callers. Empty unless
    /// Callgrind may have written the names.
    pub(crate) fn chains(&self) -> Chains<'_> {
        let producers = self.producers();
        let is_of_callgrind = |producer: &Producer| *producer == Producer::Callgrind;
        let may_be = |producer: &Producer| is_of_callgrind(producer) || producer.is_own();
        if !producers.iter().any(may_be) || self.kind() == ProfileKind::Trace {
            return Chains::default();
        }
        let names = self
            .functions()
            .map(|(_, function)| self.name(function.name));
        Chains::new(names, producers.iter().all(is_of_callgrind))
    }
}
