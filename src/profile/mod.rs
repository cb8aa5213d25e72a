//! The model: functions, call edges and headers, and for traces invocations and calling contexts.
//!
//! It does not depend on any file format. A reader feeds a [`ProfileBuilder`], which sums in 64
//! bits. Writers and reports use the finished [`Profile`], and [`Profile::merge`] combines several.

mod builder;
mod cycles;
mod error;
mod events;
mod folded;
mod graphs;
mod headers;
mod parts;
mod producer;
mod runs;
mod stated;
mod sums;

use std::sync::OnceLock;

pub(crate) use crate::tables::{ANY_WIDTH, ColumnMap, Costs, EdgeId, Kinds};
pub use crate::tables::{CallEdge, Cost, EdgeRef, Function, FunctionId, Kind, NameId};
pub use crate::trace::{Invocation, InvocationCall, InvocationTree};
pub(crate) use builder::{Call, Needs};
pub use builder::{ProfileBuilder, ProfileOptions};
pub(crate) use cycles::Cycles;
pub use error::ModelError;
pub(crate) use events::split_scale;
pub(crate) use events::{Definition, MAX_COLUMNS, MAX_EVENT_NAME, is_overlong, unit_of_event};
pub use events::{Event, EventChoice, EventError, MAX_EVENTS};
pub use headers::Header;
pub(crate) use headers::INCOMPLETE;
pub use parts::{Part, PartHeader};
pub(crate) use producer::Producer;
pub(crate) use runs::RUNS;
pub(crate) use stated::{summary_costs, words};

use crate::tables::{ByFunction, CostTable, LineRule, LineTable, NameTable, first_cost, saturated};
use crate::trace::{ContextTree, Timeline};
use events::Events;
pub(crate) use folded::Joined;
pub(crate) use graphs::{CallGraph, GraphFunction};
use headers::Headers;
pub(crate) use sums::Sums;

/// The longest name of an object, a file or a function that is read, in bytes.
///
/// Compilers write some of tens of KiB, and Valgrind joins up to hundreds of them
/// (`--separate-callers`). Outputs repeat a name wherever it is called.
pub(crate) const MAX_NAME: usize = 256 << 10;

/// How inclusive costs treat recursion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum InclusiveCost {
    /// Self cost plus the cost of all calls, as in webgrind; recursion counts twice.
    Summed,
    /// The self costs of all stacks that contain the function; nothing counts twice.
    #[default]
    #[cfg_attr(feature = "cli", value(alias = "outermost"))]
    Once,
}

/// A profile of one or more merged inputs.
///
/// Rows of costs contain one for each of the requested [`events`](Self::events).
#[derive(Clone, Debug)]
pub struct Profile {
    names: NameTable,
    contents: ProfileData,
    /// The requested events of `contents`.
    wanted: Vec<Event>,
    derived: Derived,
}

/// What follows from the sums of a profile, computed at the first use.
#[derive(Clone, Debug, Default)]
struct Derived {
    /// The positions of the calls to each function, and of those that it makes.
    called_from: OnceLock<ByFunction>,
    sub_calls: OnceLock<ByFunction>,
    /// The sorted rows of the lines.
    line_order: OnceLock<ByFunction>,
    /// `None` inside if folding changes nothing.
    folded: OnceLock<Option<Box<Joined>>>,
    cycles: OnceLock<Cycles>,
}

/// The self costs of a function on one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// The file, if it is not the function's own; the line is then in inlined code.
    pub file: Option<NameId>,
    /// The line; 0 if unknown.
    pub line: u64,
    /// Self costs, as in [`Profile::self_costs`].
    pub costs: &'a [Cost],
}

/// The contents of a profile, except its names.
#[derive(Clone, Debug, Default)]
struct ProfileData {
    events: Events,
    headers: Headers,
    sums: Sums,
}

impl ProfileData {
    /// Adds the contents of another profile. `name` maps its numbers of names to those of this one.
    fn merge(&mut self, mut other: ProfileData, name: impl Fn(NameId) -> NameId) {
        let [own, others] = self.events.merge(&other.events);
        self.headers.stated.map_events(&own);
        other.headers.stated.map_events(&others);
        self.headers.append(other.headers);
        let mut sums = other.sums;
        sums.map_events(&others);
        self.sums.map_events(&own);
        self.sums.merge(sums, name, LineRule::Least);
    }
}

impl Profile {
    fn new(names: NameTable, contents: ProfileData) -> Result<Self, ModelError> {
        let mut profile = Profile {
            names,
            contents,
            wanted: Vec::new(),
            derived: Derived::default(),
        };
        profile.complete()?;
        Ok(profile)
    }

    /// Checks that everything can be numbered, and computes the data that depend on the sums.
    fn complete(&mut self) -> Result<(), ModelError> {
        ModelError::check_count("names", self.names.iter().len())?;
        self.contents.sums.check_counts()?;
        self.update();
        if let Some(map) = self.contents.events.join_equal() {
            self.map_events(&map);
        }
        Ok(())
    }

    /// Recomputes the data that depend on the sums.
    fn update(&mut self) {
        self.wanted = self.contents.events.wanted().collect();
        // The last part may name more events without any data.
        self.contents.sums.widen(self.wanted.len());
        self.derived = Derived::default();
    }

    /// Adds another profile to this one.
    ///
    /// Functions with the same object, file and name are the same function. Costs and calls are
    /// added up, headers are appended, and a function gets the lower of its known lines. The order
    /// and grouping of merges only affect the numbers of functions and the order of edges, headers
    /// and events.
    ///
    /// # Errors
    ///
    /// If there are more functions, names or calls than can be numbered. This profile is incomplete
    /// then and should be dropped.
    pub fn merge(&mut self, other: Profile) -> Result<(), ModelError> {
        let names = other.names.iter().map(|name| self.names.intern(name));
        let names: Vec<NameId> = names.collect();
        let number = |name: NameId| names[name.index()];
        self.contents.merge(other.contents, number);
        self.complete()
    }

    /// Requests the derived events of the inputs, too, in the order of their definitions.
    ///
    /// Events are omitted if they cannot be computed from the requested ones, or if inputs define
    /// them differently.
    pub fn derive_events(&mut self) {
        let map = self.contents.events.want_derived(&[]);
        self.map_events(&map);
    }

    /// The same, with what readers of Valgrind's profiles look at first: mispredicted branches, and the
    /// estimated cycles, if the profile has the columns of a simulation.
    pub fn derive_known_events(&mut self) {
        let map = self.contents.events.want_derived(&[b"Bm", b"CEst"]);
        self.map_events(&map);
    }

    /// Keeps only the events that the other profile also has, in the order of that profile.
    pub(crate) fn keep_events(&mut self, other: &Profile) {
        let map = self.contents.events.keep(&other.wanted);
        self.map_events(&map);
    }

    fn map_events(&mut self, map: &ColumnMap) {
        self.contents.sums.map_events(map);
        self.contents.headers.stated.map_events(map);
        self.update();
    }

    /// The events to read from further inputs; `None` while those can still determine them.
    pub(crate) fn resolved_choice(&self) -> Option<EventChoice> {
        self.contents.events.resolved_choice()
    }

    /// Checks that the requested events exist.
    ///
    /// # Errors
    ///
    /// When no input has one of them, when its formula is wrong, or when all events are requested
    /// and there are too many.
    pub fn check_events(&self) -> Result<(), EventError> {
        self.contents.events.check()
    }

    /// The kind of data in the inputs; `None` if there are both.
    pub fn kind(&self) -> Option<Kind> {
        match self.contents.sums.kinds {
            Kinds::None => Some(Kind::Aggregate),
            Kinds::Only(kind) => Some(kind),
            Kinds::Both => None,
        }
    }

    /// Its name in JSON.
    pub(crate) fn kind_name(&self) -> &'static str {
        self.kind().map_or("mixed", Kind::name)
    }

    /// All functions in number order.
    pub fn functions(&self) -> impl ExactSizeIterator<Item = (FunctionId, &Function)> {
        let numbered = self.contents.sums.functions.as_slice().iter().enumerate();
        numbered.map(|(index, function)| (id(index), function))
    }

    /// One function.
    ///
    /// # Panics
    ///
    /// If the number is not from this profile.
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.contents.sums.functions.as_slice()[id.index()]
    }

    /// The self costs of a function, one for each requested event.
    pub fn self_costs(&self, id: FunctionId) -> &[Cost] {
        self.row(&self.contents.sums.functions.self_costs, id)
    }

    /// The inclusive costs of a function, one for each requested event: its self costs and the
    /// costs of all its calls, as webgrind defines it. A [`View`](crate::view::View) has those that
    /// count recursion once.
    pub fn inclusive_costs(&self, id: FunctionId) -> &[Cost] {
        self.row(&self.contents.sums.functions.inclusive_costs, id)
    }

    /// What the costliest call of a function costs, if its [stacks](Self::has_stacks) are known; 0 in events
    /// for which this is not.
    pub(crate) fn costliest_call(&self, id: FunctionId) -> &[Cost] {
        self.contents.sums.costliest_calls.row(id.index())
    }

    /// This profile with other inclusive costs, a row for each function.
    pub(crate) fn with_inclusive_costs(mut self, costs: CostTable) -> Profile {
        self.contents.sums.functions.inclusive_costs = costs;
        self
    }

    /// The cycles of functions that call each other.
    pub(crate) fn cycles(&self) -> &Cycles {
        self.derived.cycles.get_or_init(|| {
            let callees = |caller| {
                let calls = self.sub_calls(id(caller));
                calls.map(|edge| edge.callee.index())
            };
            Cycles::new(self.functions().len(), callees)
        })
    }

    /// The self costs of a function by line, which add up to its [`self_costs`](Self::self_costs).
    /// Lines of its own file come first, then those of other files, sorted by file and line. Lines
    /// without costs are omitted.
    ///
    /// If lines are unknown, all self costs are on the function's own line: in traces and webgrind
    /// files, in code without debug information, and without [`ProfileOptions::lines`].
    pub fn lines(&self, id: FunctionId) -> impl Iterator<Item = Line<'_>> {
        self.lines_of(id, self.kind() != Some(Kind::Trace))
    }

    /// The same, but for traces, too, in whose runs a function can have different lines.
    pub(crate) fn all_lines(&self, id: FunctionId) -> impl Iterator<Item = Line<'_>> {
        self.lines_of(id, true)
    }

    /// The files of lines with self costs, each at least once. The empty name stands for the
    /// function's own file.
    pub(crate) fn line_files(&self) -> impl Iterator<Item = NameId> {
        let lines = self.contents.sums.lines.iter();
        lines.flat_map(LineTable::files)
    }

    fn lines_of(&self, id: FunctionId, are_known: bool) -> impl Iterator<Item = Line<'_>> {
        let rows = self.contents.sums.lines.as_ref().filter(|_| are_known);
        let own = rows.is_none().then(|| Line {
            file: None,
            line: self.function(id).line,
            costs: self.self_costs(id),
        });
        let listed = rows.into_iter().flat_map(move |rows| {
            let functions = self.functions().len();
            let order = &self.derived.line_order;
            let order = order.get_or_init(|| rows.sorted(functions, |file| self.name(file)));
            let lines = order.of(id).iter().map(|&row| rows.at(row as usize));
            lines.map(|(key, costs)| Line {
                file: Some(key.file).filter(|&file| file != NameId::EMPTY),
                line: key.line,
                costs: &costs[..self.wanted.len()],
            })
        });
        let lines = own.into_iter().chain(listed);
        lines.filter(|line| line.costs.iter().any(|&cost| cost != 0))
    }

    fn row<'a>(&self, costs: &'a CostTable, id: FunctionId) -> &'a [Cost] {
        &costs.row(id.index())[..self.wanted.len()]
    }

    /// The bytes of a name.
    pub fn name(&self, id: NameId) -> &[u8] {
        self.names.get(id)
    }

    /// The object, file and name of a function.
    pub(crate) fn names_of(&self, id: FunctionId) -> [&[u8]; 3] {
        let function = self.function(id);
        [function.object, function.file, function.name].map(|name| self.name(name))
    }

    /// All call edges in order of their first appearance.
    pub fn edges(&self) -> impl ExactSizeIterator<Item = EdgeRef<'_>> {
        self.contents.sums.calls.iter()
    }

    /// Whether the numbers of invocations are known. Aggregates without call counts do not state
    /// them: Cachegrind's contain no calls, and all counts in Memcheck's are 0.
    pub fn has_invocations(&self) -> bool {
        self.kind() != Some(Kind::Aggregate) || self.contents.sums.counts_calls
    }

    /// The number of calls.
    pub fn calls(&self) -> u64 {
        let calls = self.edges().map(|edge| edge.calls);
        calls.fold(0, u64::saturating_add)
    }

    /// The calls to a function, in order of first appearance.
    #[inline]
    pub fn called_from(
        &self,
        id: FunctionId,
    ) -> impl DoubleEndedIterator<Item = EdgeRef<'_>> + ExactSizeIterator {
        self.edges_of(id, &self.derived.called_from, |edge| edge.callee)
    }

    /// The number of calls to a function.
    pub(crate) fn calls_to(&self, id: FunctionId) -> u64 {
        let calls = self.called_from(id).map(|edge| edge.calls);
        calls.fold(0, u64::saturating_add)
    }

    /// The cost of all calls to a function, in the first requested event.
    pub(crate) fn call_cost(&self, id: FunctionId) -> Cost {
        let costs = self.called_from(id).map(|edge| first_cost(edge.costs()));
        saturated(costs.map(i128::from).sum())
    }

    /// The calls that a function makes, in order of first appearance.
    #[inline]
    pub fn sub_calls(
        &self,
        id: FunctionId,
    ) -> impl DoubleEndedIterator<Item = EdgeRef<'_>> + ExactSizeIterator {
        self.edges_of(id, &self.derived.sub_calls, |edge| edge.caller)
    }

    /// The file that contains calls: the caller's, unless they are in inlined code.
    pub fn call_file(&self, edge: &EdgeRef<'_>) -> &[u8] {
        let callers = self.function(edge.caller).file;
        self.name(edge.file().unwrap_or(callers))
    }

    /// The edges in the list of a function. `end` returns the function whose list contains an edge.
    fn edges_of<'a>(
        &'a self,
        id: FunctionId,
        list: &'a OnceLock<ByFunction>,
        end: impl Fn(&CallEdge) -> FunctionId + Clone,
    ) -> impl DoubleEndedIterator<Item = EdgeRef<'a>> + ExactSizeIterator {
        let calls = &self.contents.sums.calls;
        let list = list.get_or_init(|| {
            let functions = self.contents.sums.functions.as_slice().len();
            ByFunction::new(calls.edges().iter().map(end), functions)
        });
        let positions = list.of(id).iter();
        positions.map(|&position| calls.at(position as usize))
    }

    /// The header lines of a single run, in order; missing summaries and those of 0 are corrected.
    /// For several runs, lines with their common facts.
    pub fn headers(&self) -> impl Iterator<Item = Header<'_>> {
        let headers = &self.contents.headers;
        let event = (self.wanted.len() == 1).then(|| self.event());
        let lines = headers.lines(event, || self.total());
        let lines = lines.unwrap_or_else(|| {
            let total = self.stated_total().filter(|&total| total != 0);
            self.common_headers(&[total.unwrap_or_else(|| self.total())])
        });
        lines.into_iter()
    }

    /// The header lines of several merged runs, with this summary. They do not depend on the order
    /// of the runs.
    pub(crate) fn common_headers(&self, summary: &[Cost]) -> Vec<Header<'_>> {
        let definitions = self.event_definitions().into_iter();
        let definitions = definitions.map(|text| [b"event: ", &text[..]].concat());
        let names: Vec<&[u8]> = self.wanted.iter().map(Event::name).collect();
        let events = [b"events: ", &names.join(&b' ')[..]].concat();
        let columns = [b"positions: line".to_vec()].into_iter();
        let columns = columns.chain(definitions).chain([events]).map(Header::new);
        let lines = self.contents.headers.common_lines().chain(columns);
        lines.chain([Header::summary(summary)]).collect()
    }

    /// The programs that wrote it, each once; empty if unknown.
    pub(crate) fn producers(&self) -> &[Producer] {
        &self.contents.headers.producers
    }

    /// The value of the first `creator:` line.
    pub(crate) fn creator(&self) -> Option<&[u8]> {
        self.contents.headers.creator.as_deref()
    }

    /// The number of runs of the profiled programs: inputs, and runs within these.
    ///
    /// A merged profile counts as the number of runs in its header.
    pub fn runs(&self) -> u64 {
        self.contents.headers.runs.count()
    }

    /// The parts of the inputs, in their order and that of their lines: what can be told apart in
    /// them. Valgrind writes a part for each dump, and for each thread; in a trace, each run is a part.
    /// An input without any of these is one part. There are none without [`ProfileOptions::parts`].
    ///
    /// The first 1,000 parts of each input are listed; of the others, only those with a new
    /// trigger.
    pub fn parts(&self) -> impl ExactSizeIterator<Item = Part<'_>> {
        self.contents.sums.parts.iter()
    }

    /// One of the [`parts`](Self::parts).
    pub(crate) fn part(&self, at: usize) -> Part<'_> {
        self.contents.sums.parts.at(at)
    }

    /// The number of parts that [`parts`](Self::parts) does not list.
    pub fn unlisted_parts(&self) -> u64 {
        self.contents.sums.parts.unlisted
    }

    /// Whether no data are known to be missing.
    pub fn is_complete(&self) -> bool {
        !self.contents.headers.is_incomplete
    }

    /// Marks the profile as incomplete. All output then contains a header `desc: Incomplete: ...`.
    ///
    /// Readers emit a warning if data are missing, or if an input is marked as incomplete.
    pub fn set_incomplete(&mut self) {
        self.contents.headers.is_incomplete = true;
    }

    /// The profiled commands, each once, sorted by their bytes.
    pub(crate) fn commands(&self) -> impl Iterator<Item = &[u8]> {
        self.contents.headers.runs.commands()
    }

    /// Name of the first requested event; empty if no input has any event.
    pub fn event(&self) -> &[u8] {
        self.wanted.first().map_or(b"", Event::name)
    }

    /// The requested events, in the order of the costs in a row.
    pub fn events(&self) -> &[Event] {
        &self.wanted
    }

    /// The unit of an event's costs, such as `10ns` or `bytes`, according to the event's name;
    /// empty if unknown.
    ///
    pub fn unit(&self, event: &Event) -> &'static str {
        unit_of_event(event.name(), self.contents.headers.is_of_xdebug_2())
    }

    /// The reasons why derived events of the inputs are unavailable.
    pub(crate) fn unavailable_events(&self) -> Vec<EventError> {
        self.contents.events.unusable()
    }

    /// The first event of the first input, and that of all events of all inputs, if these differ.
    pub(crate) fn different_first_events(&self) -> Option<[&[u8]; 2]> {
        self.contents.events.different_firsts()
    }

    /// Names of the derived events that inputs define differently.
    pub(crate) fn conflicting_events(&self) -> impl Iterator<Item = &[u8]> {
        self.contents.events.conflicting()
    }

    /// Names of all events of the inputs, derived ones last, except those with wrong formulas.
    pub fn available_events(&self) -> impl Iterator<Item = &[u8]> {
        self.contents.events.usable_names()
    }

    /// The sorted values of the `event:` lines for the requested events: their long names, and the
    /// derived events that can be computed from them.
    pub fn event_definitions(&self) -> Vec<Vec<u8>> {
        self.contents.events.definitions()
    }

    /// Sum of all self costs of the first event.
    pub fn total(&self) -> Cost {
        first_cost(&self.totals())
    }

    /// Sums of all self costs, one for each requested event.
    pub fn totals(&self) -> Vec<Cost> {
        let mut totals = self.contents.sums.functions.self_costs.totals();
        totals.truncate(self.wanted.len());
        totals
    }

    /// The total of the first event according to the `summary:` lines of the inputs, if there are
    /// any.
    ///
    /// It may differ from the sum of all self costs: profilers also count costs outside of
    /// functions, and Xdebug states the peak of memory.
    pub fn stated_total(&self) -> Option<Cost> {
        let stated = &self.contents.headers.stated;
        (stated.lines > 0).then(|| stated.total())
    }

    /// The calling contexts of the traces, if requested by [`ProfileOptions::contexts`].
    pub(crate) fn contexts(&self) -> Option<&ContextTree> {
        self.contents.sums.contexts.as_ref()
    }

    /// Whether all stacks with a function are among the [`contexts`](Self::contexts).
    pub(crate) fn has_stacks(&self, id: FunctionId) -> bool {
        self.contexts().is_some() && self.function(id).is_listed
    }

    /// The timeline of the traces, if requested by [`ProfileOptions::timeline`].
    pub(crate) fn timeline(&self) -> Option<&Timeline> {
        self.contents.sums.timeline.as_ref()
    }

    /// The values of the `summary:` lines of the inputs, for each of the [`events`](Self::events).
    /// If they [state the peak](Self::states_peak), this is the highest one. Otherwise it is their
    /// sum, or `None` if some runs or parts do not state it. A value of 0 becomes `None`.
    pub fn summaries(&self) -> Vec<Option<Cost>> {
        let stated = &self.contents.headers.stated;
        let value = |row: &[Cost], at: usize| row.get(at).copied().unwrap_or(0);
        let events = self.wanted.iter().enumerate();
        let values = events.map(|(at, event)| {
            if self.states_peak(event) {
                value(&stated.highest, at)
            } else if value(&stated.unstated, at) == 0 {
                value(&stated.sums, at)
            } else {
                0
            }
        });
        let values = values.map(|value| Some(value).filter(|&value| value != 0));
        values.collect()
    }

    /// Whether the `summary:` lines state the peak of an event, as Xdebug does for memory. The
    /// costs of functions are the memory that they allocated, which exceeds the peak if some of it
    /// was freed.
    pub fn states_peak(&self, event: &Event) -> bool {
        self.kind() == Some(Kind::Trace) && self.unit(event) == "bytes"
    }

    /// Every invocation of the traces, if requested by [`ProfileOptions::invocations`].
    pub fn invocations(&self) -> Option<&InvocationTree> {
        self.contents.sums.invocations.as_ref()
    }

    /// Whether a trace contains a requested proxy, given by its position in
    /// [`ProfileOptions::proxies`].
    pub fn has_proxy(&self, proxy: usize) -> bool {
        self.contents.sums.proxies.contains(&proxy)
    }

    /// Whether a cost or a sum did not fit into 64 bits: it stays at the limit and is wrong.
    pub fn has_saturated(&self) -> bool {
        let is_limit = |cost: Cost| matches!(cost, Cost::MIN | Cost::MAX);
        let sums = &self.contents.sums;
        let functions = &sums.functions;
        let tables = [
            &functions.self_costs,
            &functions.inclusive_costs,
            &sums.calls.costs,
        ];
        self.stated_total().is_some_and(is_limit)
            || self.totals().into_iter().any(is_limit)
            || tables.into_iter().any(CostTable::has_saturated)
    }
}

fn id(index: usize) -> FunctionId {
    FunctionId(u32::try_from(index).unwrap_or(u32::MAX))
}
