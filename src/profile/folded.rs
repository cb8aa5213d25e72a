//! Profiles with other names for functions. Functions that get the same name become one.

use super::groups::{FunctionParts, GroupBy, Groups};
use super::{ModelError, Producer, Profile, ProfileData, ProfileKind, id};
use crate::names::Chains;
use crate::tables::{
    ANY_WIDTH, ByFunction, Function, FunctionId, LineRule, LineTable, NameId, NameTable,
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
        let mut contents = self.without_sums();
        self.join(&mut contents, known_as, name);
        Profile::new(names, contents)
    }

    /// All data except the functions and calls.
    pub(super) fn without_sums(&self) -> ProfileData {
        let mut contents = ProfileData {
            events: self.contents.events.clone(),
            headers: self.contents.headers.clone(),
            ..ProfileData::default()
        };
        contents.sums.kind = self.contents.sums.kind;
        contents.sums.parts = self.contents.sums.parts.clone();
        contents
    }

    /// Adds the functions and calls of this profile to `joined`, and returns the new numbers of the
    /// functions. Those for which `known_as` returns the same key become one. `name` returns the new
    /// number of a file's name.
    fn join(
        &self,
        joined: &mut ProfileData,
        known_as: impl FnMut(&Function) -> Function,
        name: impl Fn(NameId) -> NameId,
    ) -> Vec<FunctionId> {
        let (own, sums) = (&self.contents.sums, &mut joined.sums);
        sums.lines = own.lines.as_ref().map(|_| LineTable::default());
        sums.counts_calls = own.counts_calls;
        sums.widen(own.functions.self_costs.width());
        let functions = sums.merge_functions(&own.functions, known_as, LineRule::Least);
        let files = sums.functions.as_slice().iter();
        let files: Vec<NameId> = files.map(|function| function.file).collect();
        // Different names of files may have become one.
        let file_in = |function: FunctionId, file| match name(file) {
            file if files[function.index()] == file => NameId::EMPTY,
            file => file,
        };
        sums.calls.merge(&own.calls, &functions, file_in);
        if let (Some(lines), Some(own)) = (&mut sums.lines, &own.lines) {
            lines.merge(own, &functions, file_in);
        }
        functions
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
        let mut names = NameTable::default();
        let mut numbers: Vec<NameId> = (self.names.iter()).map(|name| names.intern(name)).collect();
        let mut is_same = true;
        for (_, function) in self.functions() {
            let name = self.name(function.name);
            let own = chains.split(name).own;
            if own.len() < name.len() {
                is_same = false;
                numbers[function.name.index()] = names.intern(own);
            }
        }
        if is_same {
            return None;
        }
        let own_name = |function: &Function| Function {
            name: numbers[function.name.index()],
            ..function.clone()
        };
        let mut contents = self.without_sums();
        let of_functions = self.join(&mut contents, own_name, |name| name);
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

    /// The [`folded`](Self::folded) profile with groups instead of functions. A group has a name,
    /// but no file. Only calls from outside count as its invocations.
    pub(super) fn grouped(
        &self,
        by: GroupBy,
        name_of: impl Fn(&Function) -> Vec<u8>,
    ) -> Option<Groups> {
        let folded = self.folded();
        let mut names = NameTable::default();
        let group = |function: &Function| Function {
            object: NameId::EMPTY,
            file: NameId::EMPTY,
            name: names.intern(&name_of(function)),
            line: 0,
            may_nest: true,
            has_lines: false,
            is_listed: false,
            before: 0,
            ..function.clone()
        };
        let mut contents = folded.without_sums();
        let of_functions = folded.join(&mut contents, group, |_| NameId::EMPTY);
        contents.sums.lines = None;
        let count = contents.sums.functions.as_slice().len();
        let mut parts = FunctionParts::default();
        for (&group, (id, function)) in of_functions.iter().zip(folded.functions()) {
            parts.add(group, function.name, folded.self_costs(id));
        }
        let facts = parts.facts(by, folded, count, &mut names);
        let mut profile = Profile::new(names, contents).ok()?;
        profile.groups = facts;
        let runs = profile.runs();
        for group in (0..count).map(id) {
            let within = profile.sub_calls(group).filter(|edge| edge.callee == group);
            let within = within.map(|edge| edge.calls).fold(0, u64::saturating_add);
            let invocations = profile.function(group).invocations;
            // A group without callers ran once in each run, like a function without callers.
            let invocations = match invocations.saturating_sub(within) {
                0 => runs.min(invocations),
                from_others => from_others,
            };
            profile.count_once(group, invocations);
        }
        Some(Groups {
            profile,
            of_functions,
            of_calls: Vec::new(),
        })
    }

    /// Sets the data of a joined function that are not just sums: its invocations, and its inclusive
    /// costs, which are its self costs and those of its calls to others.
    fn count_once(&mut self, function: FunctionId, invocations: u64) {
        let at = function.index();
        let functions = &self.contents.sums.functions;
        let mut row = functions.self_costs.row(at).to_vec();
        for edge in self
            .sub_calls(function)
            .filter(|edge| edge.callee != function)
        {
            for (sum, cost) in row.iter_mut().zip(edge.costs()) {
                *sum = sum.saturating_add(*cost);
            }
        }
        let functions = &mut self.contents.sums.functions;
        functions.inclusive_costs.set::<ANY_WIDTH>(at, &row);
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
