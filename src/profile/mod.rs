//! The model: functions, call edges, headers, and for traces invocations and calling contexts.
//!
//! It does not depend on any file format. A reader feeds a [`ProfileBuilder`], which sums in 64
//! bits; the finished [`Profile`] is what writers and reports take, and what [`Profile::merge`]
//! joins.

mod builder;
mod calls;
mod column_map;
mod compare;
mod costs;
mod events;
mod functions;
mod growth;
mod headers;
mod ids;
mod names;
mod numbering;
mod scale;
mod stacks;
mod sums;
mod trace;

use std::hint::black_box;
use std::sync::OnceLock;

pub(crate) use builder::TableFunction;
pub use builder::{Call, Kind, ModelError, ProfileBuilder, ProfileOptions};
pub use calls::{CallEdge, EdgeRef};
pub use column_map::ColumnMap;
pub use compare::{CompareError, ComparedEvent, Comparison, FunctionChange, FunctionSums};
pub use costs::{ANY_WIDTH, Cost, Costs};
pub(crate) use costs::{first_cost, padded};
pub use events::{Event, EventChoice, EventError, MOST_EVENTS};
pub use functions::Function;
pub use growth::{Gate, GrowthFailure, MaxGrowth, MaxGrowthError};
pub use headers::Header;
pub(crate) use headers::{INCOMPLETE, OWN_NAME, RUNS, summary_costs};
pub use ids::{EdgeId, FunctionId, NameId};
pub use scale::split_scale;
pub use stacks::{StackId, Stacks};
pub use trace::{Invocation, InvocationCall, InvocationTree};

use calls::CallLists;
use costs::{CostTable, saturated};
use events::Events;
pub(crate) use events::{LONGEST_NAME, is_overlong};
use functions::LineRule;
use headers::Headers;
use names::NameTable;
use sums::Sums;

/// What follows our own name in a `creator:` line if everything came from Xdebug 2, whose units only
/// the creator tells.
pub(crate) const OF_XDEBUG_2: &[u8] = b" (from Xdebug 2)";

/// How inclusive costs treat recursion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum InclusiveCost {
    /// Self cost plus the cost of all calls, as in webgrind; recursion counts twice.
    #[default]
    Summed,
    /// No cost counts twice; in an aggregate, calls of a function to itself are left out.
    ///
    /// In a trace, it is the cost of those invocations that have no invocation of the same function
    /// above them.
    Outermost,
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
    contents: Contents,
    /// The wanted events, as `contents` has them.
    wanted: Vec<Event>,
    /// How the last of them follow from those before, where no row holds their costs.
    derived: ColumnMap,
    /// Whether a sum does not fit into 64 bits.
    has_saturated: bool,
    /// Computed when the calls of a function are first asked for.
    lists: OnceLock<CallLists>,
}

/// What a profile holds, but for its names.
#[derive(Debug, Default)]
struct Contents {
    events: Events,
    headers: Headers,
    sums: Sums,
    /// Whether a cost that was read is at the limits of 64 bits.
    has_saturated: bool,
}

impl Contents {
    /// Adds what another profile holds. `name` maps the number of a name there to its number here.
    fn merge(&mut self, other: Contents, name: impl Fn(NameId) -> NameId) {
        self.has_saturated |= other.has_saturated;
        let [own, others] = self.events.merge(&other.events);
        self.headers.append(other.headers);
        let mut sums = other.sums;
        sums.map_events(&others);
        self.sums.map_events(&own);
        self.sums.merge(sums, name, LineRule::Least);
    }
}

impl Profile {
    fn new(names: NameTable, contents: Contents) -> Result<Self, ModelError> {
        let mut profile = Profile {
            names,
            contents,
            wanted: Vec::new(),
            derived: ColumnMap::default(),
            has_saturated: false,
            lists: OnceLock::new(),
        };
        profile.complete()?;
        Ok(profile)
    }

    /// Checks that everything in it has a number, and makes the sums ones that can be read.
    fn complete(&mut self) -> Result<(), ModelError> {
        ModelError::check_count("names", self.names.iter().len())?;
        self.contents.sums.check_counts()?;
        self.seal();
        Ok(())
    }

    /// Makes the sums ones that can be read.
    fn seal(&mut self) {
        self.has_saturated = self.contents.sums.seal();
        self.wanted = self.contents.events.wanted().collect();
        self.lists = OnceLock::new();
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
    pub fn merge(&mut self, mut other: Profile) -> Result<(), ModelError> {
        let names = other.names.iter().map(|name| self.names.intern(name));
        let names: Vec<NameId> = names.collect();
        self.sum_derived();
        other.sum_derived();
        let number = |name: NameId| names[name.index()];
        self.contents.merge(other.contents, number);
        self.complete()
    }

    /// The functions and calls of this profile with other names, for those that `rename` has another
    /// one for. Functions whose object, file and name are the same then are one.
    ///
    /// # Errors
    ///
    /// As [`merge`](Self::merge).
    pub(crate) fn renamed(
        &self,
        rename: impl Fn(&[u8]) -> Option<Vec<u8>>,
    ) -> Result<Profile, ModelError> {
        let mut names = NameTable::default();
        let numbers = self.names.iter().map(|name| match rename(name) {
            Some(name) => names.intern(&name),
            None => names.intern(name),
        });
        let numbers: Vec<NameId> = numbers.collect();
        let name = |name: NameId| numbers[name.index()];
        let mut contents = Contents {
            events: self.contents.events.clone(),
            ..Contents::default()
        };
        let (own, sums) = (&self.contents.sums, &mut contents.sums);
        sums.widen(own.functions.self_costs.width());
        let renamed = |function: &Function| Function {
            is_listed: false,
            before: 0,
            ..function.renamed(name)
        };
        let functions = sums.merge_functions(&own.functions, renamed, LineRule::Least);
        let files = sums.functions.as_slice().iter();
        let files: Vec<NameId> = files.map(|function| function.file).collect();
        // Two names may have become one.
        let call_file = |caller: FunctionId, file| match name(file) {
            file if files[caller.index()] == file => NameId::EMPTY,
            file => file,
        };
        sums.calls.merge(&own.calls, &functions, call_file);
        Profile::new(names, contents)
    }

    /// Adds the derived events of the inputs to the wanted ones, in the order of their definitions:
    /// those whose formulas can be worked out from the events there are.
    ///
    /// Their costs are in no row: [`with_derived`](Self::with_derived) works them out.
    pub fn derive_events(&mut self) {
        self.sum_derived();
        self.derived = self.contents.events.want_derived();
        self.wanted = self.contents.events.wanted().collect();
    }

    /// Sums of the derived events, as of those that are columns.
    fn sum_derived(&mut self) {
        let derived = std::mem::take(&mut self.derived);
        if !derived.is_empty() {
            let stored = self.wanted.len() - derived.len();
            self.map_events(&ColumnMap::identity(stored).followed_by(derived));
        }
    }

    /// Keeps of this profile and of another one the events that both have, in the order of the other
    /// one, for a [`Comparison`].
    ///
    /// # Errors
    ///
    /// When their first events are different.
    pub fn keep_common_events(&mut self, other: &mut Profile) -> Result<(), CompareError> {
        CompareError::check(self, other)?;
        self.sum_derived();
        other.sum_derived();
        let map = self.contents.events.keep(&other.wanted);
        self.map_events(&map);
        let map = other.contents.events.keep(&self.wanted);
        other.map_events(&map);
        Ok(())
    }

    fn map_events(&mut self, map: &ColumnMap) {
        self.contents.sums.map_events(map);
        self.seal();
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

    /// The self costs of a function: one for each wanted event. Where there are many events, zeros at
    /// the end may be missing; so are the events of [`derive_events`](Self::derive_events).
    pub fn self_costs(&self, id: FunctionId) -> &[Cost] {
        self.row(&self.contents.sums.functions.self_costs, id)
    }

    /// The inclusive costs of a function, likewise: its self costs and the costs of all calls it
    /// made; see [`InclusiveCost`].
    pub fn inclusive_costs(&self, id: FunctionId) -> &[Cost] {
        self.row(&self.contents.sums.functions.inclusive_costs, id)
    }

    /// All of a row of costs: one for each of the [`events`](Self::events).
    pub fn with_derived(&self, row: &[Cost]) -> impl Iterator<Item = Cost> {
        let derived = (0..self.derived.len()).map(|event| self.derived.cost(event, row));
        padded(row, self.summed_events().len()).chain(derived)
    }

    /// The events whose costs are in rows.
    fn summed_events(&self) -> &[Event] {
        &self.wanted[..self.wanted.len() - self.derived.len()]
    }

    fn row<'a>(&self, costs: &'a CostTable, id: FunctionId) -> &'a [Cost] {
        let row = costs.row(id.index());
        &row[..self.wanted.len().min(row.len())]
    }

    /// The cost of all calls to a function, in the first wanted event.
    pub(crate) fn call_cost(&self, id: FunctionId) -> Cost {
        let costs = self.called_from(id).map(|edge| first_cost(edge.costs()));
        let all = costs.chain([self.function(id).call_cost_excess]);
        saturated(all.map(i128::from).sum())
    }

    /// The bytes of a name.
    pub fn name(&self, id: NameId) -> &[u8] {
        self.names.get(id)
    }

    /// All call edges in order of their first appearance.
    pub fn edges(&self) -> impl ExactSizeIterator<Item = EdgeRef<'_>> {
        self.contents.sums.calls.iter()
    }

    /// How many calls there are.
    pub fn calls(&self) -> u64 {
        let calls = self.edges().map(|edge| edge.calls);
        calls.fold(0, u64::saturating_add)
    }

    /// The calls to a function, in order of first appearance.
    pub fn called_from(
        &self,
        id: FunctionId,
    ) -> impl DoubleEndedIterator<Item = EdgeRef<'_>> + ExactSizeIterator {
        self.edges_at(self.lists().called_from.of(id))
    }

    /// Reads the names and calls of some functions, from this one on, so that a cache has them.
    pub(crate) fn fetch(&self, from: FunctionId, count: usize) {
        let functions = &self.contents.sums.functions.as_slice()[from.index()..];
        black_box(functions.iter().take(count).fold(0, |sum, function| {
            let names = [function.file, function.name].map(|name| self.name(name).first());
            names
                .into_iter()
                .flatten()
                .fold(sum, |sum, byte| sum ^ byte)
        }));
        let lists = self.lists();
        for list in [&lists.called_from, &lists.sub_calls] {
            // The first and the last of what an edge has, which may be in two lines of a cache.
            let edges = self.edges_at(list.of_some(from, count));
            black_box(edges.fold(0, |sum, edge| {
                let cost = first_cost(edge.costs()).cast_unsigned();
                sum ^ edge.line ^ u64::from(edge.callee.0) ^ cost
            }));
        }
    }

    /// The calls that a function makes, in order of first appearance.
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

    /// The header lines, in order, with correct summaries where they were missing or 0.
    pub fn headers(&self) -> impl Iterator<Item = Header<'_>> {
        self.contents.headers.lines(self.event())
    }

    /// How many runs of the profiled programs were summed up: inputs, and runs within these.
    ///
    /// An input that this program has summed up says how many it stands for.
    pub fn runs(&self) -> u64 {
        self.contents.headers.runs().max(1)
    }

    /// Whether no data are missing, as far as that was noted.
    pub fn is_complete(&self) -> bool {
        !self.contents.headers.is_incomplete()
    }

    /// Notes that data are missing which the profile should hold. All that is written of it says so
    /// in a header, `desc: Incomplete: ...`.
    ///
    /// Readers give a warning if data are missing, or if an input says so.
    pub fn set_incomplete(&mut self) {
        self.contents.headers.set_incomplete();
    }

    /// The `desc:` lines that say whether the profile is incomplete, how many runs there are, and of
    /// which commands besides the least.
    pub(crate) fn notes(&self) -> Vec<Vec<u8>> {
        self.contents.headers.notes()
    }

    /// The commands that were profiled, each once, sorted by their bytes.
    pub(crate) fn commands(&self) -> impl Iterator<Item = &[u8]> {
        self.contents.headers.commands().into_iter()
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
        match event.name() {
            b"Time" if self.is_of_xdebug_2() => "us",
            b"Memory" if self.is_of_xdebug_2() => "bytes",
            _ => event.unit(),
        }
    }

    /// Whether everything comes from Xdebug 2, which did not name itself before 2.1.1.
    pub(crate) fn is_of_xdebug_2(&self) -> bool {
        let is_of_2 = |creator: &[u8]| {
            creator.starts_with(b"xdebug 2.")
                || creator.starts_with(OWN_NAME) && creator.ends_with(OF_XDEBUG_2)
        };
        let mut writers = self.headers().filter_map(|header| match header.key() {
            b"creator" => Some(is_of_2(header.value())),
            b"version" => (header.value() == b"0.9.6").then_some(true),
            _ => None,
        });
        writers.next() == Some(true) && writers.all(|is_of_2| is_of_2)
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
        let mut totals = vec![0; self.summed_events().len()];
        for (id, _) in self.functions() {
            for (total, &cost) in totals.iter_mut().zip(self.self_costs(id)) {
                *total += i128::from(cost);
            }
        }
        let derived = (0..self.derived.len()).map(|at| self.derived.exact(at, |of| totals[of]));
        let derived: Vec<i128> = derived.collect();
        totals.extend(derived);
        totals
    }

    /// The total for the first event according to the `summary:` lines of the inputs, if there are
    /// any.
    ///
    /// It may differ from the total of the functions: profilers also count costs outside of
    /// functions, and Xdebug states the peak of memory.
    pub fn stated_total(&self) -> Option<Cost> {
        self.contents.headers.stated()
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

    /// Whether a sum has reached the limits of 64 bits and is therefore wrong.
    pub fn has_saturated(&self) -> bool {
        let at_end = |cost: i128| cost >= Cost::MAX.into() || cost <= Cost::MIN.into();
        let mut summaries = self.contents.headers.summaries();
        let mut derived = self.rows().flat_map(|row| self.with_derived(row));
        self.contents.has_saturated
            || self.has_saturated
            || summaries.any(|cost| at_end(cost.into()))
            || self.exact_totals().into_iter().any(at_end)
            || !self.derived.is_empty() && derived.any(|cost| at_end(cost.into()))
    }

    /// The rows of costs of all functions and calls.
    fn rows(&self) -> impl Iterator<Item = &[Cost]> {
        let ids = self.functions().map(|(id, _)| id);
        let functions = ids.flat_map(|id| [self.self_costs(id), self.inclusive_costs(id)]);
        functions.chain(self.edges().map(|edge| edge.costs()))
    }
}

fn id(index: usize) -> FunctionId {
    FunctionId(u32::try_from(index).unwrap_or(u32::MAX))
}
