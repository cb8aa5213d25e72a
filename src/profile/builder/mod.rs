//! Sums the blocks and calls from a reader into the tables of a [`Profile`].

mod options;
mod own;
mod range;
mod run;

use thiserror::Error;

use super::events::{Definition, Event, EventError, Events};
use super::headers::HeaderReader;
use super::parts::{Part, PartHeader};
use super::sums::Sums;
use super::{BlockKind, Profile, ProfileData, ProfileKind};
use crate::tables::{
    ANY_WIDTH, CallEdge, ColumnMap, Cost, Costs, EdgeId, Function, FunctionId, LineKey, LineRule,
    LineSource, LineTable, NameId, NameTable, first_cost,
};
use crate::trace::{Switch, note_proxy};
pub use options::ProfileOptions;
use run::Run;

/// The reason why an input cannot become a profile.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ModelError {
    /// A requested event is missing, or its formula is wrong.
    #[error(transparent)]
    Event(#[from] EventError),
    /// More than 2³² − 1 names, functions, call edges or invocations.
    #[error("more than 4294967295 {what}, which webgrind's formats cannot number")]
    TooMany {
        /// The kind of entries.
        what: &'static str,
    },
}

impl ModelError {
    /// Checks that all entries of a table can be numbered.
    pub(super) fn check_count(what: &'static str, count: usize) -> Result<(), ModelError> {
        match u32::try_from(count) {
            Ok(_) => Ok(()),
            Err(_) => Err(ModelError::TooMany { what }),
        }
    }
}

/// A call, or several equal ones, from a reader, without inclusive cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    /// The called function.
    pub callee: FunctionId,
    /// The first line of the callee according to the call; 0 if not stated.
    pub target_line: u64,
    /// The file of the call; empty if it is the caller's.
    pub file: NameId,
    /// Line of the call.
    pub line: u64,
    /// The number of calls.
    pub calls: u64,
}

/// The current block.
#[derive(Debug)]
struct OpenBlock {
    function: FunctionId,
    /// Self cost in the first column, if single invocations are needed.
    matching: Cost,
    /// Whether the function's line is known. Then cost lines need not offer theirs.
    has_line: bool,
}

/// Builds a [`Profile`] from one input, or from several in succession.
///
/// [`callgrind::read`](crate::callgrind::read) and [`webgrind::read`](crate::webgrind::read) add
/// inputs; [`begin`](Self::begin) begins one of your own data.
// A reader calls `begin_input`. For every block it calls `open_block`, then `add_cost` and
// `add_call` in the order of the file, then `close_block`.
#[derive(Debug)]
pub struct ProfileBuilder {
    options: ProfileOptions,
    names: NameTable,
    /// The previous inputs.
    inputs: Option<ProfileData>,
    /// The finished runs of the current input.
    input: ProfileData,
    /// Its headers, which `input` gets at its end.
    headers: HeaderReader,
    run: Run,
    /// Whether single invocations of traces are needed, for proxies or links.
    follows_invocations: bool,
    /// The columns of data that [`begin`](Self::begin) announces.
    own_columns: ColumnMap,
}

impl ProfileBuilder {
    /// Begins a profile.
    pub fn new(options: ProfileOptions) -> Self {
        let run = Run::new(BlockKind::default(), &options, 1);
        ProfileBuilder {
            names: NameTable::default(),
            inputs: None,
            input: ProfileData {
                events: Events::new(options.events.clone()),
                ..ProfileData::default()
            },
            headers: HeaderReader::default(),
            follows_invocations: run.trace.links() || !options.proxies.is_empty(),
            run,
            options,
            own_columns: ColumnMap::default(),
        }
    }

    /// Begins an input. [`set_kind`](Self::set_kind) can change its kind at any time. From here on,
    /// the requested events are fixed if the previous inputs determine them.
    ///
    /// If reading the input fails, the builder contains a part of it and should be dropped.
    pub(crate) fn begin_input(&mut self, kind: BlockKind) {
        self.end_input();
        let inputs = self.inputs.as_ref();
        let choice = inputs.and_then(|inputs| inputs.events.resolved_choice());
        self.input.events = Events::new(choice.unwrap_or_else(|| self.options.events.clone()));
        // Those of an input without blocks.
        self.headers = HeaderReader::default();
        // The requested columns, and so the width of rows, are not known yet.
        self.run = Run::new(kind, &self.options, 1);
    }

    /// Adds the current input to the previous ones, and returns the kind of its data.
    ///
    /// Returns `None` if it has no block.
    pub(crate) fn end_input(&mut self) -> Option<ProfileKind> {
        self.begin_section();
        self.end_run();
        let kind = self.input.sums.kind?;
        self.headers.end_run();
        let mut input = std::mem::take(&mut self.input);
        input.headers = std::mem::take(&mut self.headers).found;
        match &mut self.inputs {
            None => self.inputs = Some(input),
            Some(inputs) => inputs.merge(input, |id| id),
        }
        Some(kind)
    }

    /// Begins a run or part within an input. Each has its own `summary:` line.
    ///
    /// In a trace it is a separate run of a program: previous results of
    /// [`function`](Self::function) and [`add_call`](Self::add_call) become invalid, but names stay
    /// valid.
    pub(crate) fn begin_section(&mut self) {
        self.close_block();
        self.headers.end_section(&self.section_totals());
        match self.run.kind {
            BlockKind::Trace => self.end_run(),
            BlockKind::Aggregate => self.run.part.end(),
        }
    }

    /// Sets whether the current section begins a run of the program, or continues one. A function
    /// without callers is invoked once in each run.
    pub(crate) fn set_begins_run(&mut self, begins_run: bool) {
        self.run.part.continues_run = !begins_run;
    }

    /// Records additional invocations of the open block's function, beyond its calls.
    pub(crate) fn state_more_invocations(&mut self, more: i128) {
        if let Some(block) = &self.run.block
            && self.run.kind == BlockKind::Aggregate
        {
            self.run.part.state_more_invocations(block.function, more);
        }
    }

    /// Ends a part, and lists it if requested. Call [`begin_section`](Self::begin_section) next, or end
    /// the input.
    pub(crate) fn end_part(&mut self, input: &str, header: &PartHeader) {
        if !self.options.parts {
            return;
        }
        let command = self.headers.command();
        match self.run.kind {
            // A run of a trace has sums of its own.
            BlockKind::Trace => self.run.sums.add_as_part(input, header, command),
            BlockKind::Aggregate => {
                let (calls, totals) = (self.run.part.calls, self.section_totals());
                self.run.sums.parts.push(Part {
                    input,
                    header,
                    command,
                    calls,
                    totals: &totals,
                });
            }
        }
    }

    /// Sets the sums of the current input, which has no blocks: those of a webgrind file, in its only
    /// column. `map`, a result of [`select_columns`](Self::select_columns), computes the requested
    /// events from it.
    pub(crate) fn set_sums(&mut self, mut sums: Sums, map: &ColumnMap, input: &str) {
        debug_assert!(self.run.sums.functions.as_slice().is_empty(), "blocks, too");
        let totals = sums.functions.self_costs.totals();
        self.headers.end_section(&map.row(&totals));
        if self.options.parts {
            sums.add_as_part(input, &PartHeader::default(), self.headers.command());
        }
        if self.options.lines {
            sums.lines = Some(LineTable::default());
            sums.add_own_lines();
        }
        sums.map_events(map);
        self.input.sums = sums;
    }

    /// Drops the header lines of the current section, which is not requested. In an aggregate, lines
    /// that describe all sections stay.
    pub(crate) fn leave_out_section(&mut self) {
        match self.run.kind {
            BlockKind::Trace => self.headers.leave_out_run(),
            BlockKind::Aggregate => self.headers.leave_out_section(),
        }
    }

    /// Begins a section that is another run, of the same or of another program.
    pub(crate) fn begin_run(&mut self) {
        self.begin_section();
        self.headers.end_run();
    }

    /// Whether the current input is a merged profile.
    pub(crate) fn is_sum(&self) -> bool {
        self.headers.found.are_of_sum()
    }

    /// Whether a header of the current input states that data are missing.
    pub(crate) fn is_incomplete(&self) -> bool {
        self.headers.found.is_incomplete
    }

    /// Sets the kind of the following blocks.
    pub(crate) fn set_kind(&mut self, kind: BlockKind) {
        self.close_block();
        if kind != self.run.kind {
            self.end_run();
        }
        self.run.kind = kind;
    }

    /// Stores a name and returns its number.
    pub(crate) fn intern(&mut self, name: &[u8]) -> NameId {
        self.names.intern(name)
    }

    /// A number for a name that is not known yet. [`join`](Self::join) replaces it.
    pub(crate) fn reserve_name(&mut self) -> NameId {
        self.names.reserve()
    }

    /// The bytes of a name.
    pub(crate) fn name(&self, id: NameId) -> &[u8] {
        self.names.get(id)
    }

    /// Adds a header line, without its line end.
    pub(crate) fn add_header(&mut self, line: &[u8]) {
        self.headers.push(line);
    }

    /// Adds the value of an `event:` header: a derived event, or only a long name.
    ///
    /// After a new formula, call [`select_columns`](Self::select_columns) again, because the
    /// requested costs may be in other columns.
    ///
    /// # Errors
    ///
    /// If the input defines more than 64 derived events, or if the formula has more than 64 terms.
    pub(crate) fn define_event(&mut self, value: &[u8]) -> Result<Definition, EventError> {
        self.input.events.define(value)
    }

    /// Sets the columns of the following costs, and returns the map to the requested events.
    ///
    /// The columns also apply to the header lines since the last call.
    pub(crate) fn select_columns(&mut self, columns: &[Vec<u8>]) -> ColumnMap {
        let map = self.input.events.select(columns);
        self.widen(map.len());
        self.bind_columns(&map);
        map
    }

    /// Whether the first column is needed in addition to the requested ones, to match calls with
    /// invocations.
    pub(crate) fn matches_calls(&self) -> bool {
        self.follows_invocations
    }

    /// Whether the files of calls are kept.
    #[inline]
    pub(crate) fn keeps_call_files(&self) -> bool {
        self.options.call_files
    }

    /// Whether self costs of the current input are kept by line. Readers then call
    /// [`add_line_cost`](Self::add_line_cost) instead of [`add_cost`](Self::add_cost).
    #[inline]
    pub(crate) fn keeps_lines(&self) -> bool {
        self.options.lines && self.run.kind == BlockKind::Aggregate
    }

    /// Makes all rows longer.
    pub(crate) fn widen(&mut self, width: usize) {
        self.run.sums.widen(width);
        self.run.trace.widen(width);
    }

    /// Applies `map`, a result of [`select_columns`](Self::select_columns), to the header lines
    /// since the last call.
    pub(crate) fn bind_columns(&mut self, map: &ColumnMap) {
        self.headers.bind_columns(map);
    }

    /// Sums of the self costs of the current section.
    fn section_totals(&self) -> Vec<Cost> {
        let self_costs = &self.run.sums.functions.self_costs;
        match self.run.kind {
            BlockKind::Trace => self_costs.totals(),
            BlockKind::Aggregate => self.run.part.totals(self_costs),
        }
    }

    /// The sum of the self costs of the current section in the first event.
    pub(crate) fn section_self_total(&self) -> Cost {
        first_cost(&self.section_totals())
    }

    /// The requested events of the current input, as far as they are known.
    pub(crate) fn events(&self) -> impl Iterator<Item = Event> {
        self.input.events.wanted()
    }

    /// The columns of the current input so far.
    pub(crate) fn columns(&self) -> impl Iterator<Item = &[u8]> {
        self.input.events.columns()
    }

    /// Name of the requested event at a position; empty if there is none.
    pub(crate) fn wanted_event(&self, at: usize) -> &[u8] {
        self.input.events.name(at)
    }

    /// Finds a function by its key, or numbers it as a new one.
    ///
    /// In a trace, the name alone is the key. The object and file are used if the function has no
    /// block.
    #[inline(never)]
    pub(crate) fn function(&mut self, object: NameId, file: NameId, name: NameId) -> FunctionId {
        let known = self.run.sums.functions.as_slice().len();
        let new = Function::new(object, file, name);
        let id = self.run.sums.functions.find(self.run.kind, &new);
        if id.index() == known {
            self.mark(id, name);
        }
        id
    }

    /// Marks a new function of a trace whose name is special: a proxy, or a switch of stacks.
    #[cold]
    fn mark(&mut self, id: FunctionId, name: NameId) {
        if self.run.kind == BlockKind::Aggregate || !self.follows_invocations {
            return;
        }
        let name = self.names.get(name);
        if let Some(switch) = Switch::of(name) {
            self.run.trace.set_switch(id, switch);
        }
        if note_proxy(&self.options.proxies, name, &mut self.run.sums.proxies) {
            self.run.trace.step_over(id);
        }
    }

    /// Prefetches the data that a block of a function changes.
    #[inline]
    pub(crate) fn prefetch_block(&self, function: FunctionId) {
        self.run.sums.functions.prefetch(function);
        self.run.sums.calls.prefetch(function);
    }

    /// Opens a block of this function. The following costs and calls belong to it.
    #[inline(always)]
    pub(crate) fn open_block(&mut self, function: FunctionId, object: NameId, file: NameId) {
        self.close_block();
        let Some(found) = self.run.sums.functions.get_mut(function) else {
            debug_assert!(false, "{function:?} is of another run");
            return;
        };
        self.run.block = Some(OpenBlock {
            function,
            matching: 0,
            has_line: found.line_source == LineSource::OwnCost,
        });
        match self.run.kind {
            BlockKind::Trace => found.add_invocations(1, object, file),
            BlockKind::Aggregate => {
                let self_costs = &self.run.sums.functions.self_costs;
                self.run.part.open_block(function, self_costs);
            }
        }
        if self.is_followed() {
            self.run.trace.open_block(file);
        }
    }

    /// Whether single invocations of the current run are needed, in addition to sums.
    #[inline]
    fn is_followed(&self) -> bool {
        self.follows_invocations && self.run.kind == BlockKind::Trace
    }

    /// Whether the open block's function still lacks a line: that of its first self cost in its own
    /// file.
    #[inline]
    pub(crate) fn lacks_line(&self) -> bool {
        self.run.block.as_ref().is_some_and(|block| !block.has_line)
    }

    /// Adds a cost line of the open block. `line` is `None` if the cost is in a file other than the
    /// function's own.
    #[inline(always)]
    pub(crate) fn add_cost<const WIDTH: usize>(&mut self, line: Option<u64>, costs: Costs<'_>) {
        let is_followed = self.is_followed();
        let Some(block) = &mut self.run.block else {
            debug_assert!(false, "a cost outside of a block");
            return;
        };
        let self_costs = &mut self.run.sums.functions.self_costs;
        self_costs.add::<WIDTH>(block.function.index(), costs.row);
        if is_followed {
            block.matching = block.matching.saturating_add(costs.matching);
            self.run.trace.add_self_costs::<WIDTH>(costs.row);
        }
        if let Some(line) = line
            && !std::mem::replace(&mut block.has_line, true)
            && let Some(function) = self.run.sums.functions.get_mut(block.function)
        {
            function.offer_line(LineSource::OwnCost, line);
        }
    }

    /// Adds a cost line of the open block in this file, which is empty if it is the function's own.
    #[inline]
    pub(crate) fn add_line_cost<const WIDTH: usize>(
        &mut self,
        file: NameId,
        line: u64,
        costs: Costs<'_>,
    ) {
        let Run { sums, block, .. } = &mut self.run;
        if let (Some(block), Some(lines)) = (block, &mut sums.lines) {
            let key = LineKey {
                function: block.function,
                file,
                line,
            };
            lines.add::<WIDTH>(key, costs.row);
        }
        self.add_cost::<WIDTH>((file == NameId::EMPTY).then_some(line), costs);
    }

    /// Adds calls of the open block.
    ///
    /// Returns their edge if it is known already. If proxies are stepped over, it may be known only
    /// at the end of the block.
    #[inline]
    pub(crate) fn add_call<const WIDTH: usize>(
        &mut self,
        call: Call,
        costs: Costs<'_>,
    ) -> Option<EdgeId> {
        let Some(block) = &self.run.block else {
            debug_assert!(false, "a call outside of a block");
            return None;
        };
        let caller = block.function;
        let (callee, target_line) = (call.callee, call.target_line);
        let edge = CallEdge {
            caller,
            callee,
            file: self.call_file(caller, call.file),
            line: call.line,
            calls: call.calls,
        };
        if self.is_followed() {
            let (trace, site) = (&mut self.run.trace, (call.file, call.line));
            trace.add_call::<WIDTH>(callee, site, costs);
            if trace.has_to_wait(caller, callee) {
                trace.wait(edge, costs);
                self.offer_line(callee, target_line);
                return None;
            }
        }
        self.run.part.calls = self.run.part.calls.saturating_add(call.calls);
        let known = self.run.sums.calls.edges().len();
        let edge = self.run.sums.calls.add::<WIDTH>(edge, costs.row);
        // The first call to a function is also the first of an edge.
        if edge.index() == known {
            self.offer_line(callee, target_line);
        }
        Some(edge)
    }

    /// The file of a call; empty if it is the caller's. In a trace, a function may have blocks in
    /// several files.
    #[inline]
    fn call_file(&self, caller: FunctionId, file: NameId) -> NameId {
        let functions = self.run.sums.functions.as_slice();
        if file != NameId::EMPTY && functions[caller.index()].file == file {
            return NameId::EMPTY;
        }
        file
    }

    fn offer_line(&mut self, callee: FunctionId, line: u64) {
        match self.run.sums.functions.get_mut(callee) {
            Some(function) => function.offer_line(LineSource::Call, line),
            None => debug_assert!(false, "{callee:?} is of another run"),
        }
    }

    /// Adds one more call of the open block of a trace, in the block's file, on an `edge` that
    /// [`add_call`](Self::add_call) has returned.
    ///
    /// Returns false and does nothing if the edge belongs to another caller.
    #[inline]
    pub(crate) fn add_call_again<const WIDTH: usize>(
        &mut self,
        edge: EdgeId,
        costs: Costs<'_>,
    ) -> bool {
        let Some(block) = &self.run.block else {
            return false;
        };
        let (caller, calls) = (block.function, &mut self.run.sums.calls);
        if self.follows_invocations {
            let known = calls.edges().get(edge.index());
            let Some(known) = known.filter(|known| known.caller == caller) else {
                return false;
            };
            let (callee, trace) = (known.callee, &mut self.run.trace);
            trace.add_call::<WIDTH>(callee, (NameId::EMPTY, known.line), costs);
            if trace.has_to_wait(caller, callee) {
                trace.wait(CallEdge { calls: 1, ..*known }, costs);
                return true;
            }
        }
        calls.add_again::<WIDTH>(edge, caller, costs.row)
    }

    /// Closes the open block, if there is one.
    #[inline(always)]
    pub(crate) fn close_block(&mut self) {
        if self.is_followed() {
            self.end_invocation();
        }
        self.run.block = None;
    }

    /// Ends the invocation of the open block of a trace. Inlined, it would slow down outputs that
    /// need no invocations.
    #[inline(never)]
    fn end_invocation(&mut self) {
        if let Some(block) = &self.run.block {
            let (function, matching) = (block.function, block.matching);
            self.run.trace.end_block(function, matching);
            if !self.options.proxies.is_empty() {
                self.list_calls(function, matching);
            }
        }
    }

    /// Lists what replaces the calls of a block that has ended, if any of them waited.
    #[inline(never)]
    fn list_calls(&mut self, caller: FunctionId, matching: Cost) {
        let Some(listed) = self.run.trace.listed_calls(caller, matching) else {
            return;
        };
        let inclusive = &mut self.run.sums.functions.inclusive_costs;
        inclusive.add::<ANY_WIDTH>(caller.index(), &listed.unlisted);
        for call in listed.calls {
            let edge = CallEdge {
                caller,
                file: self.call_file(caller, call.edge.file),
                ..call.edge
            };
            self.run.sums.calls.add::<ANY_WIDTH>(edge, &call.row);
        }
    }

    /// Adds the current run or aggregate to the previous ones of this input.
    fn end_run(&mut self) {
        self.close_block();
        if self.run.sums.functions.as_slice().is_empty() {
            return;
        }
        let width = self.run.sums.functions.self_costs.width();
        let next = Run::new(self.run.kind, &self.options, width);
        let mut sums = std::mem::replace(&mut self.run, next).finish();
        let parts = std::mem::take(&mut sums.parts);
        if self.input.sums.kind.is_none() {
            self.input.sums = sums;
        } else {
            self.input.sums.widen(sums.functions.self_costs.width());
            self.input.sums.merge(sums, |id| id, LineRule::OwnCost);
        }
        self.input.sums.parts.extend(&parts);
    }

    /// Ends reading, and computes the data that depend on the sums.
    ///
    /// A single input without any block results in a profile with headers only.
    ///
    /// # Errors
    ///
    /// When no input has a requested event, or when there are more entries than can be numbered.
    pub fn finish(self) -> Result<Profile, ModelError> {
        let profile = self.finish_batch()?;
        profile.check_events()?;
        Ok(profile)
    }

    /// The same as [`finish`](Self::finish), but does not check the requested events: inputs that
    /// are merged later may have those that are missing here.
    pub(crate) fn finish_batch(mut self) -> Result<Profile, ModelError> {
        self.end_input();
        self.input.headers = self.headers.found;
        Profile::new(self.names, self.inputs.unwrap_or(self.input))
    }
}
