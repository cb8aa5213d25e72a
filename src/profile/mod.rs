//! The model: functions, call edges, headers, and for traces invocations and calling contexts.
//!
//! It does not depend on any file format. A reader feeds a [`ProfileBuilder`], which sums in 64
//! bits; the finished [`Profile`] is what writers and reports take, and what [`Profile::merge`]
//! joins.

mod builder;
mod cycles;
mod events;
mod folded;
mod groups;
mod headers;
mod parts;
mod producer;
mod runs;
mod scale;
mod stated;
mod sums;

use std::sync::OnceLock;

pub(crate) use crate::tables::{ANY_WIDTH, ColumnMap, Costs, EdgeId};
pub use crate::tables::{BlockKind, CallEdge, Cost, EdgeRef, Function, FunctionId, NameId};
pub use crate::trace::{Invocation, InvocationCall, InvocationTree};
pub(crate) use builder::{Call, TableFunction};
pub use builder::{ModelError, ProfileBuilder, ProfileOptions};
pub(crate) use cycles::Cycles;
pub(crate) use events::{Definition, MAX_COLUMNS, MAX_NAME_LENGTH, is_overlong};
pub use events::{Event, EventChoice, EventError, MAX_EVENTS};
pub use groups::GroupBy;
use groups::GroupFacts;
pub(crate) use groups::Groups;
pub use headers::Header;
pub(crate) use headers::INCOMPLETE;
pub use parts::{Part, PartHeader};
pub(crate) use producer::Producer;
pub(crate) use runs::RUNS;
pub use scale::split_scale;
pub(crate) use stated::summary_costs;

use crate::tables::{
    ByFunction, CallLists, CostTable, LineRule, LineTable, NameTable, first_cost, saturated,
};
use crate::trace::ContextTree;
use events::Events;
use folded::Folded;
use headers::Headers;
use sums::Sums;

/// How inclusive costs treat recursion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum InclusiveCost {
    /// Self cost plus the cost of all calls, as in webgrind; recursion counts twice.
    #[default]
    Summed,
    /// The cost of all stacks that contain the function; nothing counts twice.
    ///
    /// In a trace, recursion counts by those invocations that have no invocation of the same function
    /// above them. In an aggregate, calls of a function to itself are left out; for functions that
    /// call each other, [`count_once`](crate::stacks::count_once) has to work it out.
    #[cfg_attr(feature = "cli", value(alias = "outermost"))]
    Once,
}

/// What kind of data the inputs of a profile held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProfileKind {
    /// Every single invocation.
    Trace,
    /// Sums.
    Aggregate,
    /// Some inputs held single invocations, some sums.
    Mixed,
}

impl ProfileKind {
    /// What JSON calls it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            ProfileKind::Trace => "trace",
            ProfileKind::Aggregate => "aggregate",
            ProfileKind::Mixed => "mixed",
        }
    }
}

/// A profile: one or more inputs, read to their ends and summed.
///
/// Costs come in rows: one for each of the [`events`](Self::events) that were wanted.
#[derive(Debug)]
pub struct Profile {
    names: NameTable,
    contents: ProfileData,
    /// The wanted events, as `contents` has them.
    wanted: Vec<Event>,
    /// Computed when the calls of a function are first asked for.
    lists: OnceLock<CallLists>,
    /// The rows of the lines in their order, computed when they are first asked for.
    line_order: OnceLock<ByFunction>,
    /// Computed when it is first asked for; none if it is the same.
    folded: OnceLock<Option<Box<Folded>>>,
    /// Likewise.
    cycles: OnceLock<Cycles>,
    /// Inclusive costs that the sums do not tell, if they were worked out; and which are estimated.
    once: OnceLock<(CostTable, Vec<bool>)>,
    /// What there is to say of groups, if its functions are groups.
    groups: GroupFacts,
}

/// What a function itself cost on one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// The file, if it is another one than the function's: the line is in inlined code.
    pub file: Option<NameId>,
    /// The line; 0 where unknown.
    pub line: u64,
    /// Self costs: as [`Profile::self_costs`].
    pub costs: &'a [Cost],
}

/// What a profile holds, but for its names.
#[derive(Debug, Default)]
struct ProfileData {
    events: Events,
    headers: Headers,
    sums: Sums,
}

impl ProfileData {
    /// Adds what another profile holds. `name` maps the number of a name there to its number here.
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
            lists: OnceLock::new(),
            line_order: OnceLock::new(),
            folded: OnceLock::new(),
            cycles: OnceLock::new(),
            once: OnceLock::new(),
            groups: GroupFacts::default(),
        };
        profile.complete()?;
        Ok(profile)
    }

    /// Checks that everything in it has a number, and works out what follows from the sums.
    fn complete(&mut self) -> Result<(), ModelError> {
        ModelError::check_count("names", self.names.iter().len())?;
        self.contents.sums.check_counts()?;
        self.update();
        if let Some(map) = self.contents.events.join_equal() {
            self.map_events(&map);
        }
        Ok(())
    }

    /// Works out what follows from the sums, which have changed.
    fn update(&mut self) {
        self.wanted = self.contents.events.wanted().collect();
        // A last part without data may have named more events.
        self.contents.sums.widen(self.wanted.len());
        self.lists = OnceLock::new();
        self.line_order = OnceLock::new();
        self.folded = OnceLock::new();
        self.cycles = OnceLock::new();
        self.once = OnceLock::new();
    }

    /// Adds another profile to this one.
    ///
    /// Functions are the same if object, file and name are. Sums are added up, the line of a
    /// function is the lower one, and headers are appended. Apart from the numbers of functions and
    /// the order of edges, headers and events, the order and grouping of merges do not matter.
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

    /// Adds the derived events of the inputs to the wanted ones, in the order of their definitions:
    /// those whose formulas can be worked out from the events there are.
    ///
    /// Those that inputs define differently are not among them.
    pub fn derive_events(&mut self) {
        let map = self.contents.events.want_derived();
        if !map.is_identity(self.wanted.len()) {
            self.map_events(&map);
        }
    }

    /// Keeps the events that another profile has, too, in the order of that one.
    pub(crate) fn keep_events(&mut self, other: &Profile) {
        let map = self.contents.events.keep(&other.wanted);
        self.map_events(&map);
    }

    fn map_events(&mut self, map: &ColumnMap) {
        self.contents.sums.map_events(map);
        self.contents.headers.stated.map_events(map);
        self.update();
    }

    /// What is wanted of inputs that follow; none as long as these have a say in it.
    pub(crate) fn resolved_choice(&self) -> Option<EventChoice> {
        self.contents.events.resolved_choice()
    }

    /// Checks that the wanted events exist.
    ///
    /// # Errors
    ///
    /// When no input has one of them, when its formula is wrong, or when all are wanted and there
    /// are too many.
    pub fn check_events(&self) -> Result<(), EventError> {
        self.contents.events.check()
    }

    /// What kind of data the inputs held.
    pub fn kind(&self) -> ProfileKind {
        self.contents.sums.kind.unwrap_or(ProfileKind::Aggregate)
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

    /// The self costs of a function: one for each wanted event.
    pub fn self_costs(&self, id: FunctionId) -> &[Cost] {
        self.row(&self.contents.sums.functions.self_costs, id)
    }

    /// The inclusive costs of a function, likewise: its self costs and the costs of all calls it
    /// made; see [`InclusiveCost`].
    pub fn inclusive_costs(&self, id: FunctionId) -> &[Cost] {
        let once = self.once.get().map(|(costs, _)| costs);
        let costs = once.unwrap_or(&self.contents.sums.functions.inclusive_costs);
        self.row(costs, id)
    }

    /// Whether the [`inclusive_costs`](Self::inclusive_costs) of a function are estimated: it and
    /// others call each other, and the profile does not say in which stacks.
    pub fn is_inclusive_estimated(&self, id: FunctionId) -> bool {
        self.once.get().is_some_and(|(_, are)| are[id.index()])
    }

    /// Sets the inclusive costs, and which of them are estimated.
    pub(crate) fn set_once(&self, costs: CostTable, are_estimated: Vec<bool>) {
        // There is nothing else that they could be.
        _ = self.once.set((costs, are_estimated));
    }

    /// Sets what functions cost, of themselves and inclusive, and where that is estimated.
    pub(crate) fn set_costs(&mut self, costs: CostTable, are_estimated: Vec<bool>) {
        self.contents.sums.functions.self_costs = costs.clone();
        self.once = OnceLock::from((costs, are_estimated));
    }

    /// Which functions call each other.
    pub(crate) fn cycles(&self) -> &Cycles {
        self.cycles.get_or_init(|| {
            let calls = self.contents.sums.calls.edges().iter();
            let calls = calls.map(|edge| (edge.caller.index(), edge.callee.index()));
            Cycles::new(self.functions().len(), calls)
        })
    }

    /// Whether a call is part of recursion: the callee is its caller, or calls that in turn. In a trace
    /// that was read with [`InclusiveCost::Once`], the callee must also have run while it was running.
    pub fn is_recursive(&self, call: &CallEdge) -> bool {
        let of = |id: FunctionId| self.cycles().of[id.index()];
        self.function(call.callee).may_nest && of(call.caller) == of(call.callee)
    }

    /// The self costs of a function by line, which add up to its [`self_costs`](Self::self_costs):
    /// those of its own file first, then those of others by their names, each by line. Lines without
    /// costs are left out.
    ///
    /// Where nothing else is known, all stands on the function's own line: of functions of traces
    /// and of preprocessed files, of code without debug information, and of all functions unless
    /// [`ProfileOptions::lines`] was set.
    pub fn lines(&self, id: FunctionId) -> impl Iterator<Item = Line<'_>> {
        self.lines_of(id, self.kind() != ProfileKind::Trace)
    }

    /// The same, also where runs of traces give a function several lines.
    pub(crate) fn all_lines(&self, id: FunctionId) -> impl Iterator<Item = Line<'_>> {
        self.lines_of(id, true)
    }

    /// The files of lines that are in inlined code, each at least once.
    pub(crate) fn line_files(&self) -> impl Iterator<Item = NameId> {
        let lines = self.contents.sums.lines.iter();
        lines.flat_map(LineTable::files)
    }

    fn lines_of(&self, id: FunctionId, are_known: bool) -> impl Iterator<Item = Line<'_>> {
        let function = self.function(id);
        let rows = self.contents.sums.lines.as_ref();
        let rows = rows.filter(|_| are_known && function.has_lines);
        let own = Line {
            file: None,
            line: function.line,
            costs: self.self_costs(id),
        };
        let listed = rows.into_iter().flat_map(move |rows| {
            let functions = self.functions().len();
            let order = self
                .line_order
                .get_or_init(|| rows.sorted(functions, |file| self.name(file)));
            let lines = order.of(id).iter().map(|&row| rows.at(row));
            lines.map(|(key, costs)| Line {
                file: Some(key.file).filter(|&file| file != NameId::EMPTY),
                line: key.line,
                costs: &costs[..self.wanted.len()],
            })
        });
        let lines = rows.is_none().then_some(own).into_iter().chain(listed);
        lines.filter(|line| line.costs.iter().any(|&cost| cost != 0))
    }

    fn row<'a>(&self, costs: &'a CostTable, id: FunctionId) -> &'a [Cost] {
        &costs.row(id.index())[..self.wanted.len()]
    }

    /// The cost of all calls to a function, in the first wanted event.
    pub(crate) fn call_cost(&self, id: FunctionId) -> Cost {
        let costs = self.called_from(id).map(|edge| first_cost(edge.costs()));
        saturated(costs.map(i128::from).sum())
    }

    /// The bytes of a name.
    pub fn name(&self, id: NameId) -> &[u8] {
        self.names.get(id)
    }

    /// All call edges in order of their first appearance.
    pub fn edges(&self) -> impl ExactSizeIterator<Item = EdgeRef<'_>> {
        self.contents.sums.calls.iter()
    }

    /// Whether it is known how often functions were invoked. Sums do not say it which count no call:
    /// those of Cachegrind have none, and in Memcheck's every count is 0.
    pub fn has_invocations(&self) -> bool {
        self.kind() != ProfileKind::Aggregate || self.contents.sums.counts_calls
    }

    /// How many calls there are.
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
        self.edges_at(self.lists().called_from.of(id))
    }

    /// The calls that a function makes, in order of first appearance.
    #[inline]
    pub fn sub_calls(
        &self,
        id: FunctionId,
    ) -> impl DoubleEndedIterator<Item = EdgeRef<'_>> + ExactSizeIterator {
        self.edges_at(self.lists().sub_calls.of(id))
    }

    /// The file in which calls stand: the caller's, unless they are in inlined code.
    pub fn call_file(&self, edge: &EdgeRef<'_>) -> &[u8] {
        let callers = self.function(edge.caller).file;
        self.name(edge.file().unwrap_or(callers))
    }

    fn lists(&self) -> &CallLists {
        let functions = self.contents.sums.functions.as_slice().len();
        self.lists
            .get_or_init(|| CallLists::new(&self.contents.sums.calls, functions))
    }

    fn edges_at<'a>(
        &'a self,
        positions: &'a [u32],
    ) -> impl DoubleEndedIterator<Item = EdgeRef<'a>> + ExactSizeIterator {
        let positions = positions.iter();
        positions.map(|&position| self.contents.sums.calls.at(position as usize))
    }

    /// The header lines of the only run, in order, with correct summaries where they were missing or
    /// 0; of several, lines that say what these have in common.
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

    /// The header lines of a sum of several runs, with this summary: they do not depend on the order
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

    /// Which programs made it, each once; none where nothing says so.
    pub(crate) fn producers(&self) -> &[Producer] {
        &self.contents.headers.producers
    }

    /// The value of the first `creator:` line.
    pub(crate) fn creator(&self) -> Option<&[u8]> {
        self.contents.headers.creator.as_deref()
    }

    /// How many runs of the profiled programs were summed up: inputs, and runs within these.
    ///
    /// An input that this program has summed up says how many it stands for.
    pub fn runs(&self) -> u64 {
        self.contents.headers.runs.count().max(1)
    }

    /// The parts of sums, in the order of the inputs and of their lines: Valgrind writes one for each
    /// dump, and for each thread. Traces and preprocessed files have none, nor has any profile without
    /// [`ProfileOptions::parts`].
    ///
    /// Of each input, the first 1,000 are listed, and after these the ones whose trigger is new.
    pub fn parts(&self) -> impl ExactSizeIterator<Item = Part<'_>> {
        self.contents.sums.parts.iter()
    }

    /// How many parts there are that [`parts`](Self::parts) does not list.
    pub fn unlisted_parts(&self) -> u64 {
        self.contents.sums.parts.unlisted
    }

    /// Whether no data are missing, as far as that was noted.
    pub fn is_complete(&self) -> bool {
        !self.contents.headers.is_incomplete
    }

    /// Notes that data are missing which the profile should hold. All that is written of it says so
    /// in a header, `desc: Incomplete: ...`.
    ///
    /// Readers give a warning if data are missing, or if an input says so.
    pub fn set_incomplete(&mut self) {
        self.contents.headers.is_incomplete = true;
    }

    /// The commands that were profiled, each once, sorted by their bytes.
    pub(crate) fn commands(&self) -> impl Iterator<Item = &[u8]> {
        self.contents.headers.runs.commands()
    }

    /// Name of the first wanted event; empty if no input has any event.
    pub fn event(&self) -> &[u8] {
        self.wanted.first().map_or(b"", Event::name)
    }

    /// The events whose costs these are, in order.
    pub fn events(&self) -> &[Event] {
        &self.wanted
    }

    /// The unit of an event's costs, such as `10ns` or `bytes`, where the event's name tells it;
    /// empty where unknown.
    ///
    /// Xdebug 2 measured in microseconds and bytes, and called the events just `Time` and `Memory`.
    pub fn unit(&self, event: &Event) -> &'static str {
        let is_of_xdebug_2 = self.contents.headers.is_of_xdebug_2();
        match event.name() {
            b"Time" if is_of_xdebug_2 => "us",
            b"Memory" if is_of_xdebug_2 => "bytes",
            _ => event.unit(),
        }
    }

    /// Why derived events of the inputs are not among the available ones.
    pub(crate) fn unavailable_events(&self) -> Vec<EventError> {
        self.contents.events.unusable()
    }

    /// Names of the derived events that inputs define differently.
    pub(crate) fn conflicting_events(&self) -> impl Iterator<Item = &[u8]> {
        self.contents.events.conflicting()
    }

    /// Names of all events of the inputs, derived ones last, but for those whose formulas are wrong.
    pub fn available_events(&self) -> impl Iterator<Item = &[u8]> {
        self.contents.events.usable_names()
    }

    /// The values of the `event:` lines that belong to the wanted events, sorted: their long names,
    /// and the derived events that can be computed from them.
    pub fn event_definitions(&self) -> Vec<Vec<u8>> {
        self.contents.events.definitions()
    }

    /// Sum of all self costs of the first event.
    pub fn total(&self) -> Cost {
        first_cost(&self.totals())
    }

    /// Sums of all self costs: one for each wanted event.
    pub fn totals(&self) -> Vec<Cost> {
        self.exact_totals().into_iter().map(saturated).collect()
    }

    fn exact_totals(&self) -> Vec<i128> {
        if !self.groups.totals.is_empty() {
            return self.groups.totals.clone();
        }
        let mut totals = vec![0; self.wanted.len()];
        for (id, _) in self.functions() {
            for (total, &cost) in totals.iter_mut().zip(self.self_costs(id)) {
                *total += i128::from(cost);
            }
        }
        totals
    }

    /// The total for the first event according to the `summary:` lines of the inputs, if there are
    /// any.
    ///
    /// It may differ from the total of the functions: profilers also count costs outside of
    /// functions, and Xdebug states the peak of memory.
    pub fn stated_total(&self) -> Option<Cost> {
        let stated = &self.contents.headers.stated;
        (stated.lines > 0).then(|| stated.total())
    }

    /// The calling contexts of the traces, if [`ProfileOptions::contexts`] wanted them.
    pub(crate) fn contexts(&self) -> Option<&ContextTree> {
        self.contents.sums.contexts.as_ref()
    }

    /// What the `summary:` lines of the inputs say of each of the [`events`](Self::events): their
    /// sum or, where [`states_peak`](Self::states_peak), the highest. None where some of them say
    /// nothing.
    pub fn summaries(&self) -> Vec<Option<Cost>> {
        let stated = &self.contents.headers.stated;
        let [sums, highest, unstated] =
            [&stated.sums, &stated.highest, &stated.unstated].map(|row| {
                let costs = (0..self.wanted.len()).map(|at| row.get(at).copied().unwrap_or(0));
                costs.collect::<Vec<_>>()
            });
        let events = self.wanted.iter().enumerate();
        let stated = events.map(|(at, event)| match self.states_peak(event) {
            true => highest[at],
            false if unstated[at] == 0 => sums[at],
            false => 0,
        });
        stated
            .map(|stated| Some(stated).filter(|&stated| stated != 0))
            .collect()
    }

    /// Whether the `summary:` lines of an event say how much was in use at most: Xdebug's of memory.
    /// The costs of functions are what they took, which is more if any of it was given back.
    pub fn states_peak(&self, event: &Event) -> bool {
        self.kind() == ProfileKind::Trace && self.unit(event) == "bytes"
    }

    /// Every invocation of the traces, if [`ProfileOptions::invocations`] wanted them.
    pub fn invocations(&self) -> Option<&InvocationTree> {
        self.contents.sums.invocations.as_ref()
    }

    /// Whether a trace has a function that is one of the proxies asked for, by its position in
    /// [`ProfileOptions::proxies`].
    pub fn has_proxy(&self, proxy: usize) -> bool {
        self.contents.sums.proxies.contains(&proxy)
    }

    /// Whether a cost or a sum did not fit into 64 bits: it stays at the limit and is wrong.
    pub fn has_saturated(&self) -> bool {
        let overflows = |cost: i128| Cost::try_from(cost).is_err();
        let sums = &self.contents.sums;
        let functions = &sums.functions;
        let tables = [
            &functions.self_costs,
            &functions.inclusive_costs,
            &sums.calls.costs,
        ];
        let stated = self.stated_total();
        stated.is_some_and(|total| matches!(total, Cost::MIN | Cost::MAX))
            || self.exact_totals().into_iter().any(overflows)
            || tables.into_iter().any(CostTable::has_saturated)
    }
}

fn id(index: usize) -> FunctionId {
    FunctionId(u32::try_from(index).unwrap_or(u32::MAX))
}
