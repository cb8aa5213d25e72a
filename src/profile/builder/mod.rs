//! Sums what a reader reports into the tables of a [`Profile`].

mod invocations;
mod table;

use thiserror::Error;

use super::calls::{CallTable, EdgeKey};
use super::costs::{Cost, CostTable, Costs, add_all};
use super::events::{Event, EventChoice, EventError, Events, Selection};
use super::functions::{Draft, Drafts, Function, FunctionTable, LineRule, LineSource};
use super::headers::Headers;
use super::ids::{EdgeId, FunctionId, NameId};
use super::names::NameTable;
use super::numbering::Numbered;
use super::sums::Sums;
use super::trace::{Role, Trace, Wanted, note_proxy};
use super::{Contents, InclusiveCost, Profile, ProfileKind};
use table::Table;
pub(crate) use table::TableFunction;

/// What the blocks of an input are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// Each block is one invocation, callees before callers. A function is known by its name.
    Trace,
    /// Blocks hold sums. A function is known by its object, file and name.
    #[default]
    Aggregate,
}

/// Why the input does not make a profile.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ModelError {
    /// A wanted event is not there, or its formula is wrong.
    #[error(transparent)]
    Event(#[from] EventError),
    /// More than 2³² − 1 names, functions, call edges, invocations or header lines.
    #[error("more than 4294967295 {what}, which no preprocessed format can number")]
    TooMany {
        /// What there are too many of.
        what: &'static str,
    },
}

/// What is wanted of a profile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProfileOptions {
    /// The events whose costs are read.
    pub events: EventChoice,
    /// How inclusive costs treat recursion.
    pub inclusive: InclusiveCost,
    /// Functions of traces that are stepped over in the call lists.
    pub proxies: Vec<Vec<u8>>,
    /// Whether to keep every invocation of traces, which v4 stores.
    pub invocations: bool,
    /// Whether to keep the calling contexts of traces, which reports of stacks show.
    pub contexts: bool,
}

/// One call as a reader reports it, without its inclusive cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// Who is called.
    pub callee: FunctionId,
    /// Where the callee begins, as the call says; 0 where it does not.
    pub target_line: u64,
    /// Line of the call.
    pub line: u64,
    /// How many calls.
    pub calls: u64,
}

/// The block that is being read.
#[derive(Debug)]
struct Block {
    function: FunctionId,
    self_cost: Cost,
    /// The same in the first column, where invocations matter.
    matching: Cost,
    /// Whether the function's line is settled, so that cost lines need not offer theirs.
    has_line: bool,
}

/// What is being read: an aggregate, or one run of a trace.
#[derive(Debug, Default)]
struct Run {
    kind: Kind,
    functions: Drafts,
    more_self: CostTable,
    /// What [`Draft::inclusive_adjustment`] is for the events after the first.
    more_adjustment: CostTable,
    calls: CallTable,
    block: Option<Block>,
    /// Costs of the open block, of the events after the first.
    more_in_block: Vec<Cost>,
    proxies: Vec<usize>,
}

/// Builds a [`Profile`] of one input, or of several that are read one after the other.
///
/// A reader calls [`begin_input`](Self::begin_input), then for every block
/// [`open_block`](Self::open_block), [`add_cost`](Self::add_cost) and
/// [`add_call`](Self::add_call) in the order of the file, and
/// [`close_block`](Self::close_block).
#[derive(Debug)]
pub struct ProfileBuilder {
    options: ProfileOptions,
    names: NameTable,
    /// The inputs before this one.
    inputs: Option<Contents>,
    /// This input; of its runs, those that have ended.
    input: Contents,
    run: Run,
    /// Sum of the self costs of the section that is being read, but for the open block.
    section_total: Cost,
    /// The input, where it was summed before.
    table: Option<Table>,
    /// Whether single invocations of traces are needed, for proxies or links.
    follows_invocations: bool,
    /// The run, if it is one of a trace and its invocations matter.
    trace: Trace,
    /// What there was too much of, if anything.
    overflow: Option<&'static str>,
}

impl ProfileBuilder {
    /// Begins a profile.
    pub fn new(options: ProfileOptions) -> Self {
        let trace = Trace::new(Wanted::of(&options));
        ProfileBuilder {
            names: NameTable::default(),
            inputs: None,
            input: Contents {
                events: Events::new(options.events.clone()),
                ..Contents::default()
            },
            run: Run::default(),
            section_total: 0,
            table: None,
            follows_invocations: trace.links() || !options.proxies.is_empty(),
            trace,
            overflow: None,
            options,
        }
    }

    /// Begins an input. [`set_kind`](Self::set_kind) can change its kind at any time.
    ///
    /// If it fails, the builder has a part of it and should be dropped.
    pub fn begin_input(&mut self, kind: Kind) {
        self.end_input();
        self.reset_input();
        self.run.kind = kind;
    }

    /// Adds the input that was being read to those before it, and says what kind of data it held.
    ///
    /// None if it had no block: [`take_headers`](Self::take_headers) returns what there is of it.
    pub(crate) fn end_input(&mut self) -> Option<ProfileKind> {
        self.begin_section();
        self.end_run();
        let kind = self.input.sums.kind?;
        let input = std::mem::take(&mut self.input);
        match &mut self.inputs {
            None => self.inputs = Some(input),
            Some(inputs) => {
                if let Err(ModelError::TooMany { what }) = inputs.merge(input, |id| id) {
                    self.overflow = Some(what);
                }
            }
        }
        Some(kind)
    }

    /// Takes the headers of an input away that had no block, as a profile of their own.
    pub(crate) fn take_headers(&mut self) -> Profile {
        Profile::new(NameTable::default(), std::mem::take(&mut self.input))
    }

    /// Forgets the headers of the input before, and settles which event is wanted once an input has
    /// chosen it.
    fn reset_input(&mut self) {
        let choice = match (&self.options.events, &self.inputs) {
            (EventChoice::First, Some(Contents { events, .. })) if !events.first().is_empty() => {
                EventChoice::Named(vec![events.first().to_vec()])
            }
            (choice, _) => choice.clone(),
        };
        self.input.events = Events::new(choice);
        self.input.headers = Headers::default();
    }

    /// Begins a run or part within an input: it has a `summary:` of its own.
    ///
    /// In a trace it is a program of its own: what [`function`](Self::function),
    /// [`add_call`](Self::add_call) and [`intern`](Self::intern) returned before is of no use any
    /// more, but for names.
    pub fn begin_section(&mut self) {
        self.close_block();
        self.input
            .headers
            .end_section(std::mem::take(&mut self.section_total));
        if self.run.kind == Kind::Trace {
            self.end_run();
        }
    }

    /// Says what the blocks from here on are.
    pub fn set_kind(&mut self, kind: Kind) {
        self.close_block();
        if kind != self.run.kind {
            self.end_run();
        }
        self.run.kind = kind;
    }

    /// Enters a name and returns its number.
    pub fn intern(&mut self, name: &[u8]) -> NameId {
        self.names.intern(name).unwrap_or_else(|| {
            self.overflow = Some("names");
            NameId::EMPTY
        })
    }

    /// The bytes of a name.
    pub fn name(&self, id: NameId) -> &[u8] {
        self.names.get(id)
    }

    /// Takes in a header line, without its end.
    pub fn add_header(&mut self, line: &[u8]) {
        self.input.headers.push(line);
    }

    /// Takes in the value of an `event:` header: a derived event, or only a long name.
    ///
    /// Says whether the wanted costs may be found elsewhere now, so that
    /// [`select_columns`](Self::select_columns) has to tell it again.
    pub fn define_event(&mut self, value: &[u8]) -> bool {
        self.input.events.define(value)
    }

    /// Says which columns the costs from here on have, and learns how to find the wanted ones.
    ///
    /// Header lines handed over before are understood to speak of these columns.
    pub fn select_columns(&mut self, columns: &[Vec<u8>]) -> Selection {
        let selection = self.input.events.select(columns, self.follows_invocations);
        self.settle_headers(&selection);
        selection
    }

    /// Says that the header lines handed over since then speak of the same columns, of which
    /// [`select_columns`](Self::select_columns) returned `selection`.
    pub fn settle_headers(&mut self, selection: &Selection) {
        let has_more =
            self.options.events == EventChoice::All || self.input.events.wanted().len() > 1;
        self.input
            .headers
            .settle(selection, self.input.events.first(), has_more);
    }

    /// Sum of the self costs of the section that is being read.
    pub fn section_self_total(&self) -> Cost {
        let open = self.run.block.as_ref().map_or(0, |block| block.self_cost);
        self.section_total.saturating_add(open)
    }

    /// The wanted events of the input that is being read, as far as they are known.
    pub(crate) fn events(&self) -> impl Iterator<Item = Event> {
        self.input.events.wanted()
    }

    /// Name of the wanted event at a position; empty if there is none.
    pub fn wanted_event(&self, at: usize) -> &[u8] {
        self.input.events.name(at)
    }

    /// Finds a function by its key, or numbers it as a new one.
    ///
    /// In a trace the name alone is the key; the rest is kept for a function that gets no block.
    #[inline]
    pub fn function(&mut self, object: NameId, file: NameId, name: NameId) -> FunctionId {
        match self.run.functions.find(self.run.kind, object, file, name) {
            Numbered::Known(id) => id,
            Numbered::New(id) => {
                self.mark(id, name);
                id
            }
            Numbered::Full => {
                self.overflow = Some("functions");
                FunctionId(0)
            }
        }
    }

    /// Takes note of what the name of a new function says about its role in a trace.
    #[cold]
    fn mark(&mut self, id: FunctionId, name: NameId) {
        if self.run.kind == Kind::Aggregate || !self.follows_invocations {
            return;
        }
        let name = self.names.get(name);
        if let Some(role) = Role::of(name) {
            self.trace.set_role(id, role);
        }
        if note_proxy(&self.options.proxies, name, &mut self.run.proxies) {
            self.trace.step_over(id);
        }
    }

    /// Opens a block: what follows are costs and calls of this function.
    #[inline]
    pub fn open_block(&mut self, object: NameId, file: NameId, name: NameId) {
        let function = self.function(object, file, name);
        self.open_block_of(function, object, file);
    }

    /// Opens a block of a function that was found before.
    #[inline]
    pub fn open_block_of(&mut self, function: FunctionId, object: NameId, file: NameId) {
        self.close_block();
        let Some(draft) = self.run.functions.get_mut(function) else {
            return;
        };
        if draft.blocks == 0 {
            draft.object = object;
            draft.file = file;
        }
        draft.blocks += 1;
        self.run.block = Some(Block {
            function,
            self_cost: 0,
            matching: 0,
            has_line: draft.line_source == LineSource::OwnCost,
        });
    }

    /// Adds a cost line of the open block.
    #[inline]
    pub fn add_cost(&mut self, line: u64, costs: Costs<'_>) {
        let Some(block) = &mut self.run.block else {
            return;
        };
        block.self_cost = block.self_cost.saturating_add(costs.first);
        if self.follows_invocations {
            block.matching = block.matching.saturating_add(costs.matching);
        }
        if !costs.more.is_empty() {
            add_all(&mut self.run.more_in_block, costs.more);
        }
        if !block.has_line {
            block.has_line = true;
            if let Some(draft) = self.run.functions.get_mut(block.function) {
                draft.offer_line(LineSource::OwnCost, line);
            }
        }
    }

    /// Adds calls that the open block made.
    ///
    /// Returns the edge that they were added to, if they have one already: where proxies are
    /// stepped over, that may be known at the end of the block only.
    #[inline]
    pub fn add_call(&mut self, call: Call, costs: Costs<'_>) -> Option<EdgeId> {
        let caller = self.run.block.as_ref()?.function;
        let Call {
            callee,
            target_line,
            line,
            calls,
        } = call;
        let key = EdgeKey {
            caller,
            callee,
            line,
        };
        let is_followed = self.follows_invocations && self.run.kind == Kind::Trace;
        if is_followed && self.trace.add_call(key, calls, costs) {
            self.offer_line(callee, target_line);
            return None;
        }
        match self.run.calls.add(key, calls, costs) {
            // The first call that names a function is the first of its edge as well.
            Numbered::New(edge) => {
                self.offer_line(callee, target_line);
                Some(edge)
            }
            Numbered::Known(edge) => Some(edge),
            Numbered::Full => {
                self.overflow = Some("call edges");
                None
            }
        }
    }

    fn offer_line(&mut self, callee: FunctionId, line: u64) {
        if let Some(draft) = self.run.functions.get_mut(callee) {
            draft.offer_line(LineSource::Call, line);
        }
    }

    /// Adds one more call of the open block of a trace, like one that
    /// [`add_call`](Self::add_call) has added to `edge` before.
    ///
    /// False, and nothing is done, if that one was not of this function.
    #[inline]
    pub fn add_call_again(&mut self, edge: EdgeId, costs: Costs<'_>) -> bool {
        match &self.run.block {
            Some(_) if self.follows_invocations => self.follow_call_again(edge, costs),
            Some(block) => self.run.calls.add_again(edge, block.function, costs),
            None => false,
        }
    }

    /// Closes the open block, if there is one.
    #[inline]
    pub fn close_block(&mut self) {
        let Some(Block {
            function,
            self_cost,
            ..
        }) = self.run.block
        else {
            return;
        };
        self.section_total = self.section_total.saturating_add(self_cost);
        if let Some(draft) = self.run.functions.get_mut(function) {
            draft.self_cost = draft.self_cost.saturating_add(self_cost);
        }
        if !self.run.more_in_block.is_empty() {
            let costs = &self.run.more_in_block;
            self.run.more_self.add(function.index(), costs);
        }
        if self.follows_invocations && self.run.kind == Kind::Trace {
            self.end_invocation();
        }
        self.run.more_in_block.clear();
        self.run.block = None;
    }

    /// Adds the run, or aggregate, that was being read to those before it in this input.
    fn end_run(&mut self) {
        self.close_block();
        let sums = match self.table.take() {
            Some(table) => Some(table.finish()),
            None => (!self.run.functions.is_empty()).then(|| self.finish_run()),
        };
        if let Some(sums) = sums {
            if self.input.sums.kind.is_none() {
                self.input.sums = sums;
                return;
            }
            let order: Vec<usize> = (0..self.input.events.wanted().len()).collect();
            if let Err(ModelError::TooMany { what }) =
                self.input
                    .sums
                    .merge(sums, |id| id, &order, LineRule::First)
            {
                self.overflow = Some(what);
            }
        }
    }

    /// Works out what follows from the sums of a run.
    fn finish_run(&mut self) -> Sums {
        let calls = self.run.calls.take();
        let more_self = std::mem::take(&mut self.run.more_self);
        let more_adjustment = std::mem::take(&mut self.run.more_adjustment);
        let with_self_calls = self.options.inclusive == InclusiveCost::Summed;
        let drafts = self.run.functions.take();
        let mut functions =
            finish_functions(drafts, more_self, &calls, self.run.kind, with_self_calls);
        for row in 0..functions.as_slice().len() {
            functions.more_inclusive.add(row, more_adjustment.row(row));
        }
        let mut sums = Sums {
            kind: Some(match self.run.kind {
                Kind::Trace => ProfileKind::Trace,
                Kind::Aggregate => ProfileKind::Aggregate,
            }),
            proxies: std::mem::take(&mut self.run.proxies),
            ..Sums::default()
        };
        if self.run.kind == Kind::Trace {
            let next = Trace::new(Wanted::of(&self.options));
            let links = std::mem::replace(&mut self.trace, next).finish();
            if links.is_full {
                self.overflow.get_or_insert("invocations");
            }
            for function in functions.as_mut_slice() {
                function.is_listed = links.invocations.is_some() || links.contexts.is_some();
            }
            functions.set_inclusive(&links.outermost);
            sums.invocations = links.invocations;
            sums.contexts = links.contexts;
        }
        sums.functions = functions;
        sums.calls = calls;
        sums
    }

    /// Ends reading and works out what follows from the sums.
    ///
    /// A single input without any block makes a profile of its headers alone.
    ///
    /// # Errors
    ///
    /// When no input has a wanted event, or when there is more than can be numbered.
    pub fn finish(self) -> Result<Profile, ModelError> {
        let profile = self.finish_part()?;
        profile.check_events()?;
        Ok(profile)
    }

    /// Does what [`finish`](Self::finish) does for an input that is to be merged with others, which
    /// may have the events that it lacks.
    pub(crate) fn finish_part(mut self) -> Result<Profile, ModelError> {
        self.end_input();
        let contents = self.inputs.take().unwrap_or(self.input);
        contents.headers.check()?;
        if let Some(what) = self.overflow {
            return Err(ModelError::TooMany { what });
        }
        Ok(Profile::new(self.names, contents))
    }
}

/// Sets the figures of all functions that follow from the edges.
///
/// `with_self_calls`: whether what a function's calls to itself cost is part of its inclusive cost.
fn finish_functions(
    drafts: Vec<Draft>,
    more_self: CostTable,
    calls: &CallTable,
    kind: Kind,
    with_self_calls: bool,
) -> FunctionTable {
    let mut table = FunctionTable::with_capacity(drafts.len());
    for (row, draft) in drafts.iter().enumerate() {
        table.more_inclusive.add(row, more_self.row(row));
        table.push(Function {
            object: draft.object,
            file: draft.file,
            name: draft.name,
            line: draft.line,
            self_cost: draft.self_cost,
            inclusive: draft.self_cost.saturating_add(draft.inclusive_adjustment),
            invocations: if kind == Kind::Trace { draft.blocks } else { 0 },
            call_cost: 0,
            is_listed: false,
            before: 0,
            line_source: draft.line_source,
        });
    }
    table.more_self = more_self;
    for (position, edge) in calls.iter().enumerate() {
        if with_self_calls || edge.caller != edge.callee {
            let caller = &mut table.as_mut_slice()[edge.caller.index()];
            caller.inclusive = caller.inclusive.saturating_add(edge.cost);
            let more = calls.more(position);
            table.more_inclusive.add(edge.caller.index(), more);
        }
        let callee = &mut table.as_mut_slice()[edge.callee.index()];
        callee.call_cost = callee.call_cost.saturating_add(edge.cost);
        if kind == Kind::Aggregate {
            callee.invocations = callee.invocations.saturating_add(edge.calls);
        }
    }
    if kind == Kind::Aggregate {
        for (function, draft) in table.as_mut_slice().iter_mut().zip(&drafts) {
            function.invocations = function.invocations.max(draft.blocks.min(1));
        }
    }
    table
}
