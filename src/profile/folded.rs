//! Profiles with other names for functions. Functions that get the same name become one.

use std::cmp::Reverse;

use super::{Kind, ModelError, Producer, Profile, ProfileData, id};
use crate::maps::HashMap;
use crate::names::{Chains, is_unique};
use crate::tables::{
    ByFunction, CallTable, Function, FunctionId, FunctionTable, LineRule, LineTable, NameId,
    NameTable, first_cost,
};

/// A profile in which functions are joined.
#[derive(Clone, Debug)]
pub(crate) struct Joined {
    pub profile: Profile,
    /// The number of each function there.
    pub of_functions: Vec<FunctionId>,
}

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
    fn join(
        &self,
        known_as: impl FnMut(&Function) -> Function,
        name: impl Fn(NameId) -> NameId,
    ) -> (ProfileData, Vec<FunctionId>) {
        let mut joined = self.without_functions();
        let sums = &self.contents.sums;
        let of_functions = joined.sums.join(sums, known_as, name, LineRule::Least);
        (joined, of_functions)
    }

    /// This profile in which the functions for which `known_as` returns the same key are one, with
    /// names of its own. Files of calls and lines are forgotten.
    pub(crate) fn grouped(
        &self,
        mut known_as: impl FnMut(&mut NameTable, &Function) -> Function,
    ) -> Result<Joined, ModelError> {
        let mut names = NameTable::default();
        let known_as = |function: &Function| Function {
            object: NameId::EMPTY,
            is_listed: false,
            before: 0,
            ..known_as(&mut names, function)
        };
        let (mut contents, of_functions) = self.join(known_as, |_| NameId::EMPTY);
        contents.sums.lines = None;
        let profile = Profile::new(names, contents)?;
        Ok(Joined {
            profile,
            of_functions,
        })
    }

    /// This profile with other functions, without calls.
    pub(crate) fn with_functions(
        &self,
        names: NameTable,
        functions: FunctionTable,
    ) -> Result<Profile, ModelError> {
        let mut contents = self.without_functions();
        contents.sums.kinds = self.contents.sums.kinds;
        contents.sums.functions = functions;
        Profile::new(names, contents)
    }

    /// This profile with other functions, calls and lines.
    pub(crate) fn with_tables(
        &self,
        names: NameTable,
        functions: FunctionTable,
        calls: CallTable,
        lines: Option<LineTable>,
    ) -> Result<Profile, ModelError> {
        let mut profile = self.with_functions(names, functions)?;
        let sums = &mut profile.contents.sums;
        sums.counts_calls = self.contents.sums.counts_calls;
        (sums.calls, sums.lines) = (calls, lines);
        sums.check_counts()?;
        Ok(profile)
    }

    /// The names of functions and files.
    pub(crate) fn names(&self) -> &NameTable {
        &self.names
    }

    /// Whether self costs by line were read.
    pub(crate) fn has_lines(&self) -> bool {
        self.contents.sums.lines.is_some()
    }

    /// The contents of this profile, except functions and calls.
    fn without_functions(&self) -> ProfileData {
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
    /// once for each chain of callers (`f'g`), and once for deeper levels of recursion (`f'2`), and Cachegrind
    /// once for each file of inlined code.
    ///
    /// Costs and calls are summed. Calls from one level to the next become calls of the function to
    /// itself.
    pub(crate) fn folded(&self) -> &Profile {
        let folded = self
            .derived
            .folded
            .get_or_init(|| self.fold().map(Box::new));
        folded.as_ref().map_or(self, |folded| &folded.profile)
    }

    /// The number of a function in the [`folded`](Self::folded) profile.
    pub(crate) fn folded_function(&self, id: FunctionId) -> FunctionId {
        self.folded();
        let folded = self.derived.folded.get().and_then(Option::as_ref);
        folded.map_or(id, |folded| folded.of_functions[id.index()])
    }

    /// Whether it has functions of both traces and aggregates. They are separate, because only the
    /// stacks of traces are known.
    fn has_both_kinds(&self) -> bool {
        let are_listed = |listed| self.functions().any(|(_, one)| one.is_listed == listed);
        self.kind().is_none() && are_listed(true) && are_listed(false)
    }

    /// This profile in which functions of traces and of aggregates are one if their object, file and
    /// name are the same.
    pub(crate) fn with_kinds_joined(&self) -> Option<Joined> {
        if !self.has_both_kinds() {
            return None;
        }
        let known_as = |function: &Function| Function {
            is_listed: false,
            ..function.clone()
        };
        let (contents, of_functions) = self.join(known_as, |name| name);
        let profile = Profile::new(self.names.clone(), contents).ok()?;
        Some(Joined {
            profile,
            of_functions,
        })
    }

    fn fold(&self) -> Option<Joined> {
        let chains = self.chains();
        let own = |function: &Function| chains.split(self.name(function.name)).own;
        let has_callers = |function| own(function) != self.name(function.name);
        let files = self.files_of_inlined();
        if files.is_empty() && !self.functions().any(|(_, function)| has_callers(function)) {
            return self.with_kinds_joined();
        }
        let mut names = self.names.clone();
        let own_name = |function: &Function| {
            let file = files.get(&(function.object, function.name));
            let file = file.copied().unwrap_or(function.file);
            Function {
                name: names.intern(own(function)),
                line: if file == function.file {
                    function.line
                } else {
                    0
                },
                file,
                is_listed: false,
                ..function.clone()
            }
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
                profile.set_invocations(joined, invocations);
            }
        }
        Some(Joined {
            profile,
            of_functions,
        })
    }

    /// By object and name: the files of functions that a profile contains once for each file of the
    /// code that was inlined into them, as Cachegrind's do. It is the file with the largest part of
    /// the cost.
    ///
    /// Only names with parameters or a namespace are those of one function. In C, several files can
    /// have functions of the same name.
    fn files_of_inlined(&self) -> HashMap<(NameId, NameId), NameId> {
        let mut files = HashMap::default();
        if self.edges().len() > 0 || self.kind() == Some(Kind::Trace) {
            return files;
        }
        let mut named: HashMap<_, Vec<FunctionId>> = HashMap::default();
        for (id, function) in self.functions() {
            if is_unique(self.name(function.name)) {
                let key = (function.object, function.name);
                named.entry(key).or_default().push(id);
            }
        }
        named.retain(|_, functions| functions.len() > 1);
        for (key, functions) in named {
            let rank = |&id: &FunctionId| {
                let file = self.function(id).file;
                (first_cost(self.self_costs(id)), Reverse(self.name(file)))
            };
            let costliest = functions.into_iter().max_by_key(rank);
            files.extend(costliest.map(|id| (key, self.function(id).file)));
        }
        files
    }

    /// Sets the number of invocations of a joined function, which is not just a sum.
    pub(crate) fn set_invocations(&mut self, function: FunctionId, invocations: u64) {
        let functions = self.contents.sums.functions.as_mut_slice();
        functions[function.index()].invocations = invocations;
    }

    /// The rules for splitting names of functions into own names and callers. Empty unless
    /// Callgrind may have written the names.
    pub(crate) fn chains(&self) -> Chains<'_> {
        let producers = self.producers();
        let is_of_callgrind = |producer: &Producer| *producer == Producer::Callgrind;
        let may_be = |producer: &Producer| is_of_callgrind(producer) || producer.is_own();
        if !producers.iter().any(may_be) || self.kind() == Some(Kind::Trace) {
            return Chains::default();
        }
        let names = self
            .functions()
            .map(|(_, function)| self.name(function.name));
        Chains::new(names, producers.iter().all(is_of_callgrind))
    }
}
