//! Sums what readers report into the tables of a [`Profile`].

mod invocations;
mod table;

use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use thiserror::Error;

use super::calls::{Added, CallEdge, CallTable, EdgeLists};
use super::events::{EventError, Events, Selection};
use super::function::{Draft, Function, LineSource};
use super::headers::{Headers, Mark, RawHeader};
use super::ids::{EdgeId, FunctionId, NameId, next_index};
use super::linking::Linking;
use super::names::NameTable;
use super::proxies::{ProxyCalls, is_proxy};
use super::trace::Wanted;
use super::{Cost, InclusiveCost, Profile};
pub(crate) use table::TableFunction;
use table::TableFunctions;

/// What the blocks of an input are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Each block is one invocation, callees before callers. A function is known by its name.
    Trace,
    /// Blocks hold sums. A function is known by its object, file and name.
    Aggregate,
}

/// Why what was read makes no profile.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ModelError {
    /// The wanted event is not there, or its formula is wrong.
    #[error(transparent)]
    Event(#[from] EventError),
    /// More than 2³² − 1 names, functions, call edges or invocations.
    #[error("more than 4294967295 {what}, which no preprocessed format can number")]
    TooMany {
        /// What there is too much of.
        what: &'static str,
    },
}

/// What is wanted of a profile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProfileOptions {
    /// The event whose costs are read; none: the first of the first `events:` line.
    pub event: Option<Vec<u8>>,
    /// How inclusive costs treat recursion.
    pub inclusive: InclusiveCost,
    /// Functions of traces that are stepped over in the call lists.
    pub proxies: Vec<Vec<u8>>,
    /// Whether to keep every invocation of traces, which v4 stores.
    pub invocations: bool,
}

/// One call as a reader reports it.
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
    /// Their inclusive cost.
    pub cost: Cost,
}

/// The block that is being read.
#[derive(Debug)]
struct Block {
    function: FunctionId,
    self_cost: Cost,
    /// Whether the function's line is settled, so that cost lines need not offer theirs.
    has_line: bool,
}

/// The function last found under a name: most names belong to one function.
#[derive(Clone, Copy, Debug)]
struct Recent {
    object: NameId,
    file: NameId,
    function: FunctionId,
}

impl Recent {
    const NONE: Recent = Recent {
        object: NameId::ANY,
        file: NameId::EMPTY,
        function: FunctionId(u32::MAX),
    };
}

/// Builds a [`Profile`]; see the module's documentation.
///
/// A reader calls [`begin_input`](Self::begin_input), then for every block
/// [`open_block`](Self::open_block), [`add_cost`](Self::add_cost) and
/// [`add_call`](Self::add_call) in the order of the file, and
/// [`close_block`](Self::close_block).
#[derive(Debug)]
pub struct ProfileBuilder {
    names: NameTable,
    drafts: Vec<Draft>,
    by_key: HashTable<FunctionId>,
    hasher: RandomState,
    recent: Vec<Recent>,
    tables: TableFunctions,
    calls: CallTable,
    block: Option<Block>,
    kind: Kind,
    /// Sum of the self costs of all closed blocks and tables.
    self_total: Cost,
    headers: Headers,
    events: Events,
    /// Headers and events as they were before the input that is being read.
    before_input: (Mark, Events),
    options: ProfileOptions,
    /// Whether the invocations of traces matter beyond their sums: for proxies or links.
    follows_invocations: bool,
    /// The calls of the open block from the first one to a proxy on, or all, if it is a proxy's:
    /// what they will be replaced by, and whether they are listed here, is known at its end.
    waiting: Vec<CallEdge>,
    proxies: ProxyCalls<CallEdge>,
    linking: Option<Linking>,
    /// What there was too much of, if anything.
    overflow: Option<&'static str>,
}

impl ProfileBuilder {
    /// Begins a profile.
    pub fn new(options: ProfileOptions) -> Self {
        let wanted = Wanted {
            tree: options.invocations,
            outermost: options.inclusive == InclusiveCost::Outermost,
        };
        let linking = (wanted.tree || wanted.outermost).then(|| Linking::new(wanted));
        ProfileBuilder {
            names: NameTable::default(),
            drafts: Vec::new(),
            by_key: HashTable::new(),
            hasher: RandomState::default(),
            recent: Vec::new(),
            tables: TableFunctions::default(),
            calls: CallTable::default(),
            block: None,
            kind: Kind::Aggregate,
            self_total: 0,
            headers: Headers::default(),
            events: Events::wanting(options.event.clone()),
            before_input: Default::default(),
            follows_invocations: linking.is_some() || !options.proxies.is_empty(),
            options,
            waiting: Vec::new(),
            proxies: ProxyCalls::default(),
            linking,
            overflow: None,
        }
    }

    /// Begins an input; its kind can still change until its first block opens.
    pub fn begin_input(&mut self, kind: Kind) {
        self.before_input = (self.headers.mark(), self.events.clone());
        self.begin_section();
        self.kind = kind;
    }

    /// Drops the headers of an input that turned out to have no block.
    pub fn forget_input(&mut self) {
        let (headers, events) = std::mem::take(&mut self.before_input);
        self.headers.go_back(headers);
        self.events = events;
    }

    /// Begins a run or part within an input: it has a `summary:` of its own.
    pub fn begin_section(&mut self) {
        self.close_block();
        self.proxies.end_run();
        if let Some(linking) = &mut self.linking {
            linking.end_run();
        }
        self.headers.begin_section(self.self_total);
    }

    /// Says what the blocks from here on are.
    pub fn set_kind(&mut self, kind: Kind) {
        self.close_block();
        self.kind = kind;
    }

    /// What the blocks read now are.
    pub fn kind(&self) -> Kind {
        self.kind
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
    pub fn add_header(&mut self, line: &[u8], header: RawHeader) {
        self.headers.push(line, header);
    }

    /// Whether the section that is being read has a `summary:` line.
    pub fn section_has_summary(&self) -> bool {
        self.headers.section_has_summary()
    }

    /// Sum of the self costs of the section that is being read, without the open block.
    pub fn section_self_total(&self) -> Cost {
        self.self_total
            .saturating_sub(self.headers.self_before_section())
    }

    /// Takes in the value of an `event:` header: a derived event, or only a long name.
    pub fn define_event(&mut self, value: &[u8]) {
        self.events.define(value);
    }

    /// Says which columns the costs from here on have, and learns how to find the selected one.
    ///
    /// Header lines handed over before are understood to speak of these columns.
    pub fn select_columns(&mut self, columns: &[Vec<u8>]) -> Selection {
        let selection = self.events.select(columns);
        self.settle_headers(&selection);
        selection
    }

    /// Says that the header lines handed over since then speak of the same columns, of which
    /// [`select_columns`](Self::select_columns) returned `selection`.
    pub fn settle_headers(&mut self, selection: &Selection) {
        let event = self.events.selected().unwrap_or_default();
        self.headers.settle(selection, event);
    }

    /// Name of the event whose costs are read; empty until the first columns are known.
    pub fn selected_event(&self) -> &[u8] {
        self.events.selected().unwrap_or_default()
    }

    /// Finds a function by its key, or numbers it as a new one.
    ///
    /// In a trace the name alone is the key; the rest is kept for a function that gets no block.
    #[inline]
    pub fn function(&mut self, object: NameId, file: NameId, name: NameId) -> FunctionId {
        let key = match self.kind {
            Kind::Trace => (NameId::ANY, NameId::ANY),
            Kind::Aggregate => (object, file),
        };
        if let Some(recent) = self.recent.get(name.index())
            && (recent.object, recent.file) == key
        {
            return recent.function;
        }
        self.find_function(key, object, file, name)
    }

    #[cold]
    fn find_function(
        &mut self,
        key: (NameId, NameId),
        object: NameId,
        file: NameId,
        name: NameId,
    ) -> FunctionId {
        let hash = self.hasher.hash_one((key, name));
        let function = match self.known_function(hash, key, name) {
            Some(function) => function,
            None => self.new_function(hash, object, file, name),
        };
        if self.recent.len() <= name.index() {
            self.recent.resize(self.names.len(), Recent::NONE);
        }
        self.recent[name.index()] = Recent {
            object: key.0,
            file: key.1,
            function,
        };
        function
    }

    fn known_function(&self, hash: u64, key: (NameId, NameId), name: NameId) -> Option<FunctionId> {
        let found = self.by_key.find(hash, |&id| {
            let draft = &self.drafts[id.index()];
            draft.name == name && draft.key() == key
        });
        found.copied()
    }

    fn new_function(
        &mut self,
        hash: u64,
        object: NameId,
        file: NameId,
        name: NameId,
    ) -> FunctionId {
        let Some(number) = next_index(self.drafts.len()) else {
            self.overflow = Some("functions");
            return FunctionId(0);
        };
        let in_trace = self.kind == Kind::Trace;
        self.drafts.push(Draft {
            in_trace,
            is_proxy: in_trace && is_proxy(&self.options.proxies, self.names.get(name)),
            ..Draft::new(object, file, name)
        });
        let (drafts, hasher) = (&self.drafts, &self.hasher);
        self.by_key.insert_unique(hash, FunctionId(number), |&id| {
            let draft = &drafts[id.index()];
            hasher.hash_one((draft.key(), draft.name))
        });
        FunctionId(number)
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
        let draft = &mut self.drafts[function.index()];
        if draft.blocks == 0 {
            draft.object = object;
            draft.file = file;
        }
        draft.blocks += 1;
        self.block = Some(Block {
            function,
            self_cost: 0,
            has_line: draft.line_source == LineSource::OwnCost,
        });
    }

    /// Adds a cost line of the open block.
    #[inline]
    pub fn add_cost(&mut self, line: u64, cost: Cost) {
        let Some(block) = &mut self.block else { return };
        block.self_cost = block.self_cost.saturating_add(cost);
        if !block.has_line {
            block.has_line = true;
            self.drafts[block.function.index()].offer_line(LineSource::OwnCost, line);
        }
    }

    /// Adds calls that the open block made.
    ///
    /// Returns the edge that they were added to, if they have one already: where proxies are
    /// stepped over, that may be known at the end of the block only.
    #[inline]
    pub fn add_call(&mut self, call: Call) -> Option<EdgeId> {
        let caller = self.block.as_ref()?.function;
        let Call {
            callee,
            target_line,
            line,
            calls,
            cost,
        } = call;
        let edge = CallEdge {
            caller,
            callee,
            line,
            calls,
            cost,
        };
        if self.follows_invocations && self.kind == Kind::Trace && self.follow_call(&edge) {
            self.drafts[callee.index()].offer_line(LineSource::Call, target_line);
            return None;
        }
        match self.add_edge(edge) {
            // The first call that names a function is the first of its edge as well.
            Added::NewEdge(edge) => {
                self.drafts[callee.index()].offer_line(LineSource::Call, target_line);
                Some(edge)
            }
            Added::ToEdge(edge) => Some(edge),
            Added::Full => None,
        }
    }

    /// Adds one more call of the open block of a trace, like one that
    /// [`add_call`](Self::add_call) has added to `edge` before.
    ///
    /// False, and nothing is done, if that one was not of this function.
    #[inline]
    pub fn add_call_again(&mut self, edge: EdgeId, cost: Cost) -> bool {
        match &self.block {
            Some(_) if self.follows_invocations => self.follow_call_again(edge, cost),
            Some(block) => self.calls.add_again(edge, block.function, cost),
            None => false,
        }
    }

    /// Closes the open block, if there is one.
    #[inline]
    pub fn close_block(&mut self) {
        let Some(block) = self.block.take() else {
            return;
        };
        let draft = &mut self.drafts[block.function.index()];
        draft.self_cost = draft.self_cost.saturating_add(block.self_cost);
        self.self_total = self.self_total.saturating_add(block.self_cost);
        if self.follows_invocations && draft.in_trace {
            self.end_invocation(&block);
        }
    }

    /// Names of proxies that no function of the traces has; none without a trace.
    pub fn unknown_proxies(&self) -> Vec<&[u8]> {
        let in_traces = self.drafts.iter().filter(|draft| draft.in_trace);
        if in_traces.clone().next().is_none() {
            return Vec::new();
        }
        let found: Vec<_> = in_traces.filter(|draft| draft.is_proxy).collect();
        let is_unknown = |proxy: &&Vec<u8>| {
            let proxy = std::slice::from_ref(*proxy);
            !found
                .iter()
                .any(|draft| is_proxy(proxy, self.names.get(draft.name)))
        };
        let proxies = self.options.proxies.iter().filter(is_unknown);
        proxies.map(Vec::as_slice).collect()
    }

    /// Blocks of the function named `name` seen in traces so far.
    pub fn trace_blocks(&self, name: &[u8]) -> u64 {
        let Some(name) = self.names.find(name) else {
            return 0;
        };
        let key = (NameId::ANY, NameId::ANY);
        let found = self.known_function(self.hasher.hash_one((key, name)), key, name);
        found.map_or(0, |id| self.drafts[id.index()].blocks)
    }

    #[inline]
    fn add_edge(&mut self, edge: CallEdge) -> Added {
        let added = self.calls.add(edge);
        if added == Added::Full {
            self.overflow = Some("call edges");
        }
        added
    }

    /// Ends reading and works out what follows from the sums.
    ///
    /// # Errors
    ///
    /// When no input has the wanted event, or when there is more than can be numbered.
    pub fn finish(mut self) -> Result<Profile, ModelError> {
        self.close_block();
        self.events.check()?;
        let links = self.linking.take().map(Linking::finish).unwrap_or_default();
        if links.is_full {
            self.overflow.get_or_insert("invocations");
        }
        if let Some(what) = self.overflow {
            return Err(ModelError::TooMany { what });
        }
        let edges = self.calls.into_edges();
        let count = self.drafts.len();
        let self_calls = self.options.inclusive == InclusiveCost::Summed;
        let mut functions = finish_functions(self.drafts, &edges, self_calls);
        if let Some(outermost) = links.outermost {
            for (number, function) in (0u32..).zip(&mut functions) {
                if function.in_trace {
                    function.inclusive = outermost.total(FunctionId(number));
                }
            }
        }
        Ok(Profile {
            sub_calls: EdgeLists::new(&edges, count, |edge| edge.caller),
            called_from: EdgeLists::new(&edges, count, |edge| edge.callee),
            headers: self.headers.finish(self.self_total),
            event: self.events.selected().unwrap_or_default().to_vec(),
            events: self.events.names().map(<[u8]>::to_vec).collect(),
            names: self.names,
            functions,
            edges,
            invocations: links.tree,
        })
    }
}

/// Gives all functions what the edges say of them.
///
/// `self_calls`: whether what a function's calls to itself cost is part of its inclusive cost.
fn finish_functions(drafts: Vec<Draft>, edges: &[CallEdge], self_calls: bool) -> Vec<Function> {
    let mut calls_cost = vec![0; drafts.len()];
    let mut calls_in = vec![0u64; drafts.len()];
    for edge in edges {
        if self_calls || edge.caller != edge.callee {
            let cost: &mut Cost = &mut calls_cost[edge.caller.index()];
            *cost = cost.saturating_add(edge.cost);
        }
        let calls = &mut calls_in[edge.callee.index()];
        *calls = calls.saturating_add(edge.calls);
    }
    let sums = calls_in.into_iter().zip(calls_cost);
    let mut functions: Vec<Function> = drafts
        .into_iter()
        .zip(sums)
        .map(|(draft, (calls_in, calls_cost))| draft.finish(calls_in, calls_cost))
        .collect();
    for edge in edges {
        let call_cost = &mut functions[edge.callee.index()].call_cost;
        *call_cost = call_cost.saturating_add(edge.cost);
    }
    functions
}
