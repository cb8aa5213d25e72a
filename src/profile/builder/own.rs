//! Profiles of data that no file contains.

use super::{Call, ProfileBuilder};
use crate::profile::{Cost, Kind};
use crate::tables::{ANY_WIDTH, Costs, FunctionId, NameId};

/// Data of your own: sums of functions and calls, as a profiler writes them.
impl ProfileBuilder {
    /// Begins an input with costs of these events. Functions of earlier inputs have to be added again.
    ///
    /// # Examples
    ///
    /// ```
    /// use cg_preprocess::profile::{ProfileBuilder, ProfileOptions};
    /// use cg_preprocess::webgrind::{self, WriteOptions};
    ///
    /// let samples = [("main", "parse", 30), ("main", "print", 12)];
    /// let mut builder = ProfileBuilder::new(ProfileOptions::default());
    /// builder.begin(["ms"]);
    /// let main = builder.add_function("", "app.rs", "main");
    /// for (_, name, cost) in samples {
    ///     let callee = builder.add_function("", "lib.rs", name);
    ///     builder.add_self_costs(callee, 10, &[cost]);
    ///     builder.add_calls(main, callee, 3, 1, &[cost]);
    /// }
    /// let profile = builder.finish()?;
    /// assert_eq!((profile.total(), profile.inclusive_costs(main)), (42, &[42][..]));
    /// let mut file = Vec::new();
    /// webgrind::write(&profile, &WriteOptions::default(), &mut file)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn begin<E: AsRef<[u8]>>(&mut self, events: impl IntoIterator<Item = E>) {
        self.begin_input(Kind::Aggregate);
        let events = events.into_iter().map(|event| event.as_ref().to_vec());
        self.own_columns = self.select_columns(&events.collect::<Vec<_>>());
    }

    /// Finds the function of an object (empty if there is none), file and name, or adds it.
    pub fn add_function(
        &mut self,
        object: impl AsRef<[u8]>,
        file: impl AsRef<[u8]>,
        name: impl AsRef<[u8]>,
    ) -> FunctionId {
        let object = self.intern(object.as_ref());
        let (file, name) = (self.intern(file.as_ref()), self.intern(name.as_ref()));
        self.function(object, file, name)
    }

    /// Adds self costs of a function on a line of its file, one for each event. Missing ones are 0.
    ///
    /// # Panics
    ///
    /// If the function is not from this input.
    pub fn add_self_costs(&mut self, function: FunctionId, line: u64, costs: &[Cost]) {
        self.open_own_block(function);
        let row = self.own_columns.row(costs);
        self.add_cost::<ANY_WIDTH>(NameId::EMPTY, line, Costs::of(&row));
    }

    /// Adds this number of calls on a line of the caller's file, with their inclusive costs.
    ///
    /// # Panics
    ///
    /// If a function is not from this input.
    pub fn add_calls(
        &mut self,
        caller: FunctionId,
        callee: FunctionId,
        line: u64,
        calls: u64,
        costs: &[Cost],
    ) {
        self.check_own(callee);
        self.open_own_block(caller);
        let call = Call {
            callee,
            target_line: 0,
            file: NameId::EMPTY,
            line,
            calls,
        };
        let row = self.own_columns.row(costs);
        self.add_call::<ANY_WIDTH>(call, Costs::of(&row));
    }

    fn open_own_block(&mut self, function: FunctionId) {
        self.check_own(function);
        self.open_block(function, NameId::EMPTY, NameId::EMPTY);
    }

    fn check_own(&self, function: FunctionId) {
        let known = self.sums.functions.as_slice().len();
        assert!(function.index() < known, "{function:?} is of another input");
    }
}
