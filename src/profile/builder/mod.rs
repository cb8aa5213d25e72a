//! Sums the blocks and calls from a reader into the tables of a [`Profile`].

mod options;
mod own;
mod range;
mod run;

use std::mem::{replace, take};

use super::events::{Definition, Event, Events};
use super::graphs::{GraphName, Graphs};
use super::headers::HeaderReader;
use super::parts::{Part, PartHeader};
use super::sums::Sums;
use super::{EventError, Kind, ModelError, Profile, ProfileData};
use crate::tables::{
    ANY_WIDTH, CallEdge, ColumnMap, Cost, Costs, EdgeId, Function, FunctionId, Kinds, LineKey,
    LineRule, LineSource, LineTable, NameId, NameTable, first_cost,
};
use crate::trace::{ListedCalls, Switch, note_proxy};
pub use options::ProfileOptions;
use run::Run;

/// A call, or several equal ones, from a reader, without inclusive cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    /// The called function.
    pub callee: FunctionId,
    /// The first line of the callee according to the call; 0 if not stated.
    pub target_line: u64,
    /// The file of the call.
    pub file: NameId,
    /// Line of the call.
    pub line: u64,
    /// The number of calls.
    pub calls: u64,
}

/// What a reader passes on besides the costs of functions and calls.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Needs {
    /// The line of each self cost. Otherwise, those of several lines may come as one.
    pub lines: bool,
    /// The costs in the first column, to match calls with invocations.
    pub first_column: bool,
}

/// The current block.
#[derive(Debug)]
struct OpenBlock {
    function: FunctionId,
    file: NameId,
    /// Whether the function's line is known. Then cost lines need not offer theirs.
    has_line: bool,
    /// Whether it is in another file than the first block of its function.
    is_elsewhere: bool,
}

impl OpenBlock {
    /// A file, or the empty name if it is the file of the block.
    #[inline]
    fn other_file(&self, file: NameId) -> NameId {
        if file == self.file {
            NameId::EMPTY
        } else {
            file
        }
    }
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
    /// The current run of a trace, or the current aggregate, with its sums.
    run: Run,
    sums: Sums,
    block: Option<OpenBlock>,
    /// What tells the call graph of the current input apart, after its first part.
    graph: Option<GraphName>,
    /// The columns of data that [`begin`](Self::begin) announces.
    own_columns: ColumnMap,
    /// The position of the requested event that is the first column of the costs.
    first_column: Option<usize>,
}

impl ProfileBuilder {
    /// Begins a profile.
    pub fn new(options: ProfileOptions) -> Self {
        ProfileBuilder {
            names: NameTable::default(),
            inputs: None,
            input: ProfileData {
                events: Events::new(options.events.clone()),
                ..ProfileData::default()
            },
            headers: HeaderReader::default(),
            run: Run::new(Kind::Aggregate, &options, 1),
            sums: Sums::default(),
            block: None,
            graph: None,
            options,
            own_columns: ColumnMap::default(),
            first_column: None,
        }
    }

    /// Begins an input. [`set_kind`](Self::set_kind) can change its kind at any time. From here on,
    /// the requested events are fixed if the previous inputs determine them.
    ///
    /// If reading the input fails, the builder contains a part of it and should be dropped.
    pub(crate) fn begin_input(&mut self, kind: Kind) -> Needs {
        self.end_input();
        let inputs = self.inputs.as_ref();
        let choice = inputs.and_then(|inputs| inputs.events.resolved_choice());
        self.input.events = Events::new(choice.unwrap_or_else(|| self.options.events.clone()));
        // Those of an input without blocks.
        self.headers = HeaderReader::default();
        self.graph = None;
        // The requested columns, and so the width of rows, are not known yet.
        self.begin_run_of(kind, 1);
        self.needs()
    }

    /// Begins a run, whose rows have this many costs.
    fn begin_run_of(&mut self, kind: Kind, width: usize) -> (Run, Sums) {
        let mut sums = Sums {
            lines: self.keeps_lines(kind).then(LineTable::default),
            ..Sums::default()
        };
        sums.widen(width);
        let run = Run::new(kind, &self.options, width);
        (replace(&mut self.run, run), replace(&mut self.sums, sums))
    }

    /// Traces have only one line for each function, which is known at the end.
    fn keeps_lines(&self, kind: Kind) -> bool {
        self.options.lines && kind == Kind::Aggregate
    }

    fn needs(&self) -> Needs {
        Needs {
            lines: self.keeps_lines(self.run.kind()),
            first_column: self.options.follows_invocations(),
        }
    }

    /// Adds the current input to the previous ones, unless it has no block. Returns the kinds of its
    /// blocks.
    pub(crate) fn end_input(&mut self) -> Kinds {
        self.begin_section();
        self.end_run();
        let kinds = self.input.sums.kinds;
        if kinds == Kinds::None {
            return kinds;
        }
        self.headers.end_run();
        let mut input = take(&mut self.input);
        let graph = self.graph.take();
        if self.options.contexts && kinds != Kinds::Only(Kind::Trace) {
            let graph = graph.unwrap_or_else(|| GraphName::new(self.headers.command(), None));
            input.sums.graphs = Graphs::One(graph);
        }
        input.headers = take(&mut self.headers).found;
        match &mut self.inputs {
            None => self.inputs = Some(input),
            Some(inputs) => inputs.merge(input, |id| id),
        }
        kinds
    }

    /// Begins a run or part within an input. Each has its own `summary:` line.
    ///
    /// In a trace it is a separate run of a program: previous results of
    /// [`function`](Self::function) and [`add_call`](Self::add_call) become invalid, but names stay
    /// valid.
    pub(crate) fn begin_section(&mut self) {
        self.close_block();
        self.headers.end_section(&self.section_totals());
        match &mut self.run {
            Run::Trace | Run::Invocations(_) => self.end_run(),
            Run::Aggregate(part) => part.end(),
        }
    }

    /// Sets whether the current section begins a run of the program, or continues one. A function of
    /// an aggregate without callers is invoked once in each run.
    pub(crate) fn set_begins_run(&mut self, begins_run: bool) {
        if let Run::Aggregate(part) = &mut self.run {
            part.continues_run = !begins_run;
        }
    }

    /// Records additional invocations of the open block's function, beyond its calls. Those of a trace
    /// are its blocks.
    pub(crate) fn state_more_invocations(&mut self, more: i128) {
        match (&self.block, &mut self.run) {
            (Some(block), Run::Aggregate(part)) => {
                part.state_more_invocations(block.function, more)
            }
            (Some(_), Run::Trace | Run::Invocations(_)) => {}
            (None, _) => debug_assert!(false, "invocations outside of a block"),
        }
    }

    /// Ends a part, and lists it if requested. Call [`begin_section`](Self::begin_section) next, or end
    /// the input.
    pub(crate) fn end_part(&mut self, input: &str, header: &PartHeader) {
        let command = self.headers.command();
        if self.options.contexts && self.graph.is_none() {
            self.graph = Some(GraphName::new(command, header.thread));
        }
        if !self.options.parts {
            return;
        }
        match &self.run {
            // A run of a trace has sums of its own.
            Run::Trace | Run::Invocations(_) => self.sums.add_as_part(input, header, command),
            Run::Aggregate(part) => {
                let totals = part.totals(&self.sums.functions.self_costs);
                self.sums.parts.push(Part {
                    input,
                    header,
                    command,
                    calls: part.calls,
                    totals: &totals,
                });
            }
        }
    }

    /// Sets the sums of the current input, which has no blocks: those of a webgrind file, in its only
    /// column. `map`, a result of [`select_columns`](Self::select_columns), computes the requested
    /// events from it.
    pub(crate) fn set_sums(&mut self, mut sums: Sums, map: &ColumnMap, input: &str) {
        debug_assert!(self.sums.functions.as_slice().is_empty(), "blocks, too");
        let totals = sums.functions.self_costs.totals();
        self.headers.end_section(&map.row(&totals));
        if self.options.parts {
            sums.add_as_part(input, &PartHeader::default(), self.headers.command());
        }
        if self.options.lines {
            sums.set_own_lines();
        }
        sums.map_events(map);
        self.input.sums = sums;
    }

    /// Drops the header lines of the current section, which is not requested. In an aggregate, lines
    /// that describe all sections stay.
    pub(crate) fn leave_out_section(&mut self) {
        match self.run {
            Run::Trace | Run::Invocations(_) => self.headers.leave_out_run(),
            Run::Aggregate(_) => self.headers.leave_out_section(),
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
    pub(crate) fn set_kind(&mut self, kind: Kind) -> Needs {
        self.close_block();
        if kind != self.run.kind() {
            self.end_run();
            let width = self.sums.functions.self_costs.width();
            let (_, before) = self.begin_run_of(kind, width);
            // Those of sections without blocks.
            self.sums.parts = before.parts;
        }
        self.needs()
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
        let columns = map.columns().unwrap_or_default();
        self.first_column = columns.iter().position(|&column| column == 0);
        self.widen(map.len());
        self.bind_columns(&map);
        map
    }

    /// Makes all rows longer.
    pub(crate) fn widen(&mut self, width: usize) {
        self.sums.widen(width);
        if let Run::Invocations(trace) = &mut self.run {
            trace.widen(width);
        }
    }

    /// Applies `map`, a result of [`select_columns`](Self::select_columns), to the header lines
    /// since the last call.
    pub(crate) fn bind_columns(&mut self, map: &ColumnMap) {
        self.headers.bind_columns(map);
    }

    /// Sums of the self costs of the current section.
    fn section_totals(&self) -> Vec<Cost> {
        let self_costs = &self.sums.functions.self_costs;
        match &self.run {
            Run::Trace | Run::Invocations(_) => self_costs.totals(),
            Run::Aggregate(part) => part.totals(self_costs),
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

    /// Whether the requested event at a position may be the first one of the output.
    pub(crate) fn may_be_first(&self, at: usize) -> bool {
        self.input.events.may_be_first(at)
    }

    /// Finds a function by its key, or numbers it as a new one.
    ///
    /// In a trace, the name alone is the key. The object and file are used if the function has no
    /// block.
    #[inline(never)]
    pub(crate) fn function(&mut self, object: NameId, file: NameId, name: NameId) -> FunctionId {
        let known = self.sums.functions.as_slice().len();
        let new = Function::new(object, file, name);
        let id = self.sums.functions.find(self.run.kind(), &new);
        if id.index() == known {
            self.mark(id, name);
        }
        id
    }

    /// Marks a new function of a trace whose name is special: a proxy, or a switch of stacks.
    #[cold]
    fn mark(&mut self, id: FunctionId, name: NameId) {
        let Run::Invocations(trace) = &mut self.run else {
            return;
        };
        let name = self.names.get(name);
        if let Some(switch) = Switch::of(name) {
            trace.set_switch(id, switch);
        }
        if note_proxy(&self.options.proxies, name, &mut self.sums.proxies) {
            trace.step_over(id);
        }
    }

    /// Prefetches the data that a block of a function changes.
    #[inline]
    pub(crate) fn prefetch_block(&self, function: FunctionId) {
        self.sums.functions.prefetch(function);
        self.sums.calls.prefetch(function);
    }

    /// Opens a block of this function. The following costs and calls belong to it.
    #[inline(always)]
    pub(crate) fn open_block(&mut self, function: FunctionId, object: NameId, file: NameId) {
        self.close_block();
        let Some(found) = self.sums.functions.get_mut(function) else {
            debug_assert!(false, "{function:?} is of another run");
            return;
        };
        self.block = Some(OpenBlock {
            function,
            file,
            has_line: found.line_source == LineSource::OwnCost,
            is_elsewhere: found.file != file && found.invocations > 0,
        });
        match &mut self.run {
            Run::Trace => found.add_invocations(1, object, file),
            Run::Invocations(trace) => {
                found.add_invocations(1, object, file);
                trace.open_block(function, file);
            }
            Run::Aggregate(part) => part.open_block(function, &self.sums.functions.self_costs),
        }
    }

    /// The file of the open block, if there is one.
    #[inline]
    pub(crate) fn open_file(&self) -> Option<NameId> {
        self.block.as_ref().map(|block| block.file)
    }

    /// Adds self costs of the open block, on a line of this file.
    #[inline(always)]
    pub(crate) fn add_cost<const WIDTH: usize>(
        &mut self,
        file: NameId,
        line: u64,
        costs: Costs<'_>,
    ) {
        let Some(block) = &mut self.block else {
            debug_assert!(false, "a cost outside of a block");
            return;
        };
        let (function, sums) = (block.function, &mut self.sums);
        // Only a line of its own file can become the line of the function.
        if !block.has_line
            && file == block.file
            && let Some(function) = sums.functions.get_mut(function)
        {
            block.has_line = true;
            function.offer_line(LineSource::OwnCost, line);
        }
        sums.functions
            .self_costs
            .add::<WIDTH>(function.index(), costs.row);
        match &mut self.run {
            Run::Trace => {}
            Run::Invocations(trace) => trace.add_self_costs::<WIDTH>(costs),
            Run::Aggregate(_) => {
                if let Some(lines) = &mut sums.lines {
                    let file = block.other_file(file);
                    let key = LineKey {
                        function,
                        file,
                        line,
                    };
                    lines.add::<WIDTH>(key, costs.row);
                }
            }
        }
    }

    /// Adds calls of the open block.
    ///
    /// Returns their edge, if all calls of its caller with this text are on it: not in a block in another
    /// file than its function, and, if proxies are stepped over, not if it is known only at the end of
    /// the block.
    #[inline]
    pub(crate) fn add_call<const WIDTH: usize>(
        &mut self,
        call: Call,
        costs: Costs<'_>,
    ) -> Option<EdgeId> {
        let Some(block) = &self.block else {
            debug_assert!(false, "a call outside of a block");
            return None;
        };
        let caller = block.function;
        let (callee, target_line) = (call.callee, call.target_line);
        let is_elsewhere = block.is_elsewhere && self.run.kind() == Kind::Trace;
        let file = match self.options.call_files {
            false => NameId::EMPTY,
            true if is_elsewhere => call.file,
            true => block.other_file(call.file),
        };
        let edge = CallEdge {
            caller,
            callee,
            file: self.call_file(caller, file),
            line: call.line,
            calls: call.calls,
        };
        match &mut self.run {
            Run::Trace => {}
            Run::Invocations(trace) => {
                trace.add_call::<WIDTH>(callee, (file, call.line), costs);
                if trace.has_to_wait(caller, callee) {
                    trace.wait(edge, costs);
                    self.offer_line(callee, target_line);
                    return None;
                }
            }
            Run::Aggregate(part) => part.calls = part.calls.saturating_add(call.calls),
        }
        let known = self.sums.calls.edges().len();
        let edge = self.sums.calls.add::<WIDTH>(edge, costs.row);
        // The first call to a function is also the first of an edge.
        if edge.index() == known {
            self.offer_line(callee, target_line);
        }
        (!is_elsewhere).then_some(edge)
    }

    /// The file of a call; empty if it is the caller's. In a trace, a function may have blocks in
    /// several files.
    #[inline]
    fn call_file(&self, caller: FunctionId, file: NameId) -> NameId {
        let functions = self.sums.functions.as_slice();
        if file != NameId::EMPTY && functions[caller.index()].file == file {
            return NameId::EMPTY;
        }
        file
    }

    fn offer_line(&mut self, callee: FunctionId, line: u64) {
        match self.sums.functions.get_mut(callee) {
            Some(function) => function.offer_line(LineSource::Call, line),
            None => debug_assert!(false, "{callee:?} is of another run"),
        }
    }

    /// Adds one more call of the open block of a trace, in the block's file, on an `edge` that
    /// [`add_call`](Self::add_call) has returned.
    ///
    /// Returns false and does nothing if the edge belongs to another caller, or if the block is in another
    /// file than its function.
    #[inline]
    pub(crate) fn add_call_again<const WIDTH: usize>(
        &mut self,
        edge: EdgeId,
        costs: Costs<'_>,
    ) -> bool {
        let Some(block) = &self.block else {
            debug_assert!(false, "a call outside of a block");
            return false;
        };
        if block.is_elsewhere {
            return false;
        }
        let (caller, calls) = (block.function, &mut self.sums.calls);
        let Run::Invocations(trace) = &mut self.run else {
            return calls.add_again::<WIDTH>(edge, caller, costs.row).is_some();
        };
        if trace.has_proxies()
            && let Some(known) = calls.of_caller(edge, caller)
            && trace.has_to_wait(caller, known.callee)
        {
            trace.add_call_again::<WIDTH>(edge, known, costs);
            trace.wait(CallEdge { calls: 1, ..*known }, costs);
            return true;
        }
        let Some(known) = calls.add_again::<WIDTH>(edge, caller, costs.row) else {
            return false;
        };
        trace.add_call_again::<WIDTH>(edge, known, costs);
        true
    }

    /// Closes the open block, if there is one.
    #[inline(always)]
    pub(crate) fn close_block(&mut self) {
        if let (Run::Invocations(trace), Some(block)) = (&mut self.run, &self.block)
            && let Some(listed) = trace.listed_calls(block.function)
        {
            let caller = block.function;
            self.list_calls(caller, &listed);
        }
        self.block = None;
    }

    /// Lists what replaces the calls of a block that has ended, some of which waited.
    #[inline(never)]
    fn list_calls(&mut self, caller: FunctionId, listed: &ListedCalls) {
        let inclusive = &mut self.sums.functions.inclusive_costs;
        inclusive.add::<ANY_WIDTH>(caller.index(), &listed.unlisted);
        for call in &listed.calls {
            let edge = CallEdge {
                caller,
                file: self.call_file(caller, call.edge.file),
                ..call.edge
            };
            self.sums.calls.add::<ANY_WIDTH>(edge, &call.row);
        }
    }

    /// Adds the current run or aggregate to the previous ones of this input.
    fn end_run(&mut self) {
        self.close_block();
        if self.sums.functions.as_slice().is_empty() {
            return;
        }
        let (kind, width) = (self.run.kind(), self.sums.functions.self_costs.width());
        let (run, sums) = self.begin_run_of(kind, width);
        let mut sums = run.finish(sums, self.first_column);
        if self.options.lines && kind == Kind::Trace {
            sums.set_own_lines();
        }
        let parts = take(&mut sums.parts);
        if self.input.sums.kinds == Kinds::None {
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
