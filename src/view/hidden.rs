//! A profile without hidden functions: what they cost is their callers', by the stacks.
//!
//! The nearest caller that is shown has the self costs of hidden functions, and makes their calls. In
//! traces, all of this is exact. In aggregates, calls between shown functions stay as they are; which
//! shown function is behind the calls of a hidden one is as exact as the stacks are.

use std::borrow::Cow;

use crate::maps::{HashMap, HashSet, IndexMap};
use crate::names::{HiddenNames, Named};
use crate::profile::{Cost, EdgeRef, Function, FunctionId, Kind, ModelError, NameId, Profile};
use crate::stacks::{HIDDEN, StackId, Stacks};
use crate::tables::{
    ANY_WIDTH, CallEdge, CallTable, CostTable, FunctionTable, LineKey, LineTable, NameTable,
    next_index, saturated,
};
use crate::trace::{CallSite, ContextId, ContextTree};

/// A profile without hidden functions.
#[derive(Debug)]
pub struct Hidden<'a> {
    choice: Choice<'a>,
    /// The functions that are shown, with what is charged to them. The last one can be [`HIDDEN`], for
    /// costs that no shown function causes.
    table: Profile,
    /// Its number, if there are such costs.
    rest: Option<FunctionId>,
    /// By shown function: whether its self costs are estimated.
    estimated: Vec<bool>,
    /// The callers and callees whose calls are estimated.
    estimated_calls: HashSet<(FunctionId, FunctionId)>,
    callers: Option<ShownCallers<'a>>,
    /// All stacks, if there are aggregates.
    all_stacks: Option<Stacks<'a>>,
}

impl<'a> Hidden<'a> {
    /// Hides the functions that have any of these words in their names, files or objects. A word with
    /// `::` must begin a component of the name.
    ///
    /// # Errors
    ///
    /// If there is more than can be numbered.
    pub fn new<T: AsRef<[u8]>>(profile: &'a Profile, words: &[T]) -> Result<Self, ModelError> {
        let choice = Choice::new(profile, HiddenNames::new(words));
        let callers = profile.contexts().map(|contexts| {
            let is_hidden = |function| choice.number(function).is_none();
            ShownCallers::new(contexts.without_proxies(), is_hidden)
        });
        let is_aggregate = profile.functions().any(|(id, _)| !profile.has_stacks(id));
        let all_stacks = is_aggregate.then(|| Stacks::new(profile));
        let mut charges = Charges::new(&choice);
        if let Some(callers) = &callers {
            charges.add_contexts(callers);
        }
        if let Some(stacks) = &all_stacks {
            charges.add_stacks(stacks);
        }
        let rest = charges.finish();
        let Charges {
            names,
            functions,
            calls,
            lines,
            estimated,
            estimated_calls,
            ..
        } = charges;
        Ok(Hidden {
            table: profile.with_tables(names, functions, calls, lines)?,
            choice,
            rest,
            estimated,
            estimated_calls,
            callers,
            all_stacks,
        })
    }

    /// The number of hidden functions.
    pub fn count(&self) -> usize {
        self.choice.hidden.len()
    }

    /// The words by which functions are hidden.
    pub(crate) fn words(&self) -> impl Iterator<Item = &str> {
        self.choice.words.words()
    }

    /// The words by which no function is hidden.
    pub(crate) fn unmatched_words(&self) -> Vec<&str> {
        let folded = self.choice.profile.folded();
        let functions = folded.functions();
        let functions = functions.map(|(id, function)| named(folded, id, function));
        self.choice.words.unmatched(functions)
    }

    pub(super) fn profile(&self) -> &'a Profile {
        self.choice.profile
    }

    /// The hidden functions, by their numbers in the folded profile, sorted.
    pub(super) fn hidden(&self) -> &[FunctionId] {
        &self.choice.hidden
    }

    /// The functions that are shown.
    pub(super) fn table(&self) -> &Profile {
        &self.table
    }

    /// The number of [`HIDDEN`] among those that are shown.
    pub(super) fn rest(&self) -> Option<FunctionId> {
        self.rest
    }

    /// The number of a function of the profile among those that are shown.
    pub(super) fn number(&self, id: FunctionId) -> Option<FunctionId> {
        self.choice.number(id)
    }

    /// Whether the self costs of a shown function are estimated.
    pub(super) fn is_estimated(&self, shown: FunctionId) -> bool {
        self.estimated[shown.index()]
    }

    /// The callers and callees whose calls are estimated.
    pub(super) fn estimated_calls(&self) -> impl Iterator<Item = [FunctionId; 2]> {
        let calls = self.estimated_calls.iter();
        calls.map(|&(caller, callee)| [caller, callee])
    }

    /// The contexts of traces.
    pub(super) fn callers(&self) -> Option<&ShownCallers<'a>> {
        self.callers.as_ref()
    }

    /// All stacks, if they are known already.
    pub(super) fn all_stacks(&self) -> Option<&Stacks<'a>> {
        self.all_stacks.as_ref()
    }

    /// The stacks without hidden functions, from all stacks of the profile.
    pub fn stacks(&self, all: &Stacks<'a>) -> Stacks<'a> {
        all.without(|node| self.choice.frame(all, node) == Frame::Hidden)
    }
}

/// Which functions are shown.
#[derive(Clone, Debug)]
struct Choice<'a> {
    profile: &'a Profile,
    words: HiddenNames,
    /// By function of the profile: the number among those that are shown.
    numbers: Vec<Option<FunctionId>>,
    /// The hidden functions, by their numbers in the folded profile.
    hidden: Vec<FunctionId>,
    /// The functions of aggregates by name, for frames that are known only by name.
    by_name: HashMap<Vec<u8>, Frame>,
}

fn named<'p>(table: &'p Profile, id: FunctionId, function: &Function) -> Named<'p> {
    let [object, file, name] = table.names_of(id);
    Named {
        name,
        object,
        file,
        line: function.line,
        costliest: None,
    }
}

/// A frame of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Frame {
    Hidden,
    Shown(FunctionId),
    /// It is shown, but which function it is is unknown.
    Unknown,
}

impl<'a> Choice<'a> {
    fn new(profile: &'a Profile, words: HiddenNames) -> Self {
        let folded = profile.folded();
        let (mut shown, mut hidden) = (0, Vec::new());
        let is_aggregate = profile.kind() != Some(Kind::Trace);
        let mut by_name = HashMap::default();
        let numbers = folded.functions().map(|(id, function)| {
            let named = named(folded, id, function);
            let hides = words.hide(&named);
            let number = FunctionId(next_index(shown));
            if hides {
                hidden.push(id);
            } else {
                shown += 1;
            }
            let number = (!hides).then_some(number);
            if is_aggregate {
                by_name.insert(
                    named.name.to_vec(),
                    number.map_or(Frame::Hidden, Frame::Shown),
                );
            }
            number
        });
        let numbers: Vec<_> = numbers.collect();
        let of_recorded = profile.functions();
        let of_recorded = of_recorded.map(|(id, _)| numbers[profile.folded_function(id).index()]);
        Choice {
            numbers: of_recorded.collect(),
            profile,
            words,
            hidden,
            by_name,
        }
    }

    /// The number of a function of the profile among those that are shown.
    fn number(&self, id: FunctionId) -> Option<FunctionId> {
        self.numbers[id.index()]
    }

    fn frame(&self, stacks: &Stacks<'_>, node: StackId) -> Frame {
        if let Some(function) = stacks.function(node) {
            return self.number(function).map_or(Frame::Hidden, Frame::Shown);
        }
        let name = stacks.frame(node);
        let named = Named {
            name,
            ..Named::default()
        };
        match self.by_name.get(name) {
            Some(&frame) => frame,
            None if self.words.hide(&named) => Frame::Hidden,
            None => Frame::Unknown,
        }
    }
}

/// The contexts of traces, and the nearest caller of each that is shown.
#[derive(Clone, Debug)]
pub(super) struct ShownCallers<'a> {
    pub tree: Cow<'a, ContextTree>,
    /// By context: its nearest shown caller, and the context that this calls on the way to it.
    above: Vec<(ContextId, ContextId)>,
    /// The contexts, each after its callers.
    order: Vec<ContextId>,
}

impl<'a> ShownCallers<'a> {
    fn new(tree: Cow<'a, ContextTree>, is_hidden: impl Fn(FunctionId) -> bool) -> Self {
        let mut above = vec![(ContextId::TOP, ContextId::TOP); tree.len()];
        let mut order = Vec::with_capacity(tree.len());
        let below = |id: ContextId, caller: ContextId, entry: Option<ContextId>| {
            let children = tree.children(id);
            children.map(move |child| (child, caller, entry.unwrap_or(child)))
        };
        let mut pending: Vec<_> = below(ContextId::TOP, ContextId::TOP, None).collect();
        while let Some((id, caller, entry)) = pending.pop() {
            above[id.index()] = (caller, entry);
            order.push(id);
            if is_hidden(tree.function(id)) {
                pending.extend(below(id, caller, Some(entry)));
            } else {
                pending.extend(below(id, id, None));
            }
        }
        ShownCallers { tree, above, order }
    }

    /// The nearest shown caller of a context.
    pub fn caller(&self, id: ContextId) -> ContextId {
        self.above[id.index()].0
    }

    /// The context that this calls on the way to it.
    fn entry(&self, id: ContextId) -> ContextId {
        self.above[id.index()].1
    }

    /// Where the nearest shown caller calls it, directly or not.
    pub fn call_site(&self, id: ContextId) -> Option<CallSite> {
        self.tree.call_site(self.entry(id))
    }
}

/// A line with calls: the file, which is empty if it is the caller's, and the number.
type Site = (NameId, u64);

/// The calls that a shown function makes through hidden ones: the caller, the callee, and the line
/// where the caller calls.
type CallBySite = (FunctionId, FunctionId, Site);

/// A hidden function called by a shown one: the number of the caller among those that are shown, and
/// that of the callee in the folded profile.
type Entry = (FunctionId, FunctionId);

/// The tables of shown functions, while costs and calls are charged to them.
struct Charges<'c, 'a> {
    choice: &'c Choice<'a>,
    names: NameTable,
    functions: FunctionTable,
    calls: CallTable,
    lines: Option<LineTable>,
    estimated: Vec<bool>,
    estimated_calls: HashSet<(FunctionId, FunctionId)>,
    entries: HashMap<Entry, Vec<EdgeRef<'a>>>,
    /// What nobody who is shown causes, and whether that is estimated.
    rest: (Vec<Cost>, bool),
}

impl<'c, 'a> Charges<'c, 'a> {
    /// What shown functions cost without any charges.
    fn new(choice: &'c Choice<'a>) -> Self {
        let profile = choice.profile;
        let folded = profile.folded();
        let width = profile.events().len();
        let (mut functions, mut calls) = (FunctionTable::default(), CallTable::default());
        functions.self_costs.widen(width);
        functions.inclusive_costs.widen(width);
        calls.costs.widen(width);
        let has_lines = folded.has_lines() && profile.kind() != Some(Kind::Trace);
        let mut lines = has_lines.then(|| LineTable::new(width));
        let mut hidden = choice.hidden.iter().peekable();
        let shown = folded.functions().map(|(id, function)| {
            if hidden.next_if_eq(&&id).is_some() {
                return None;
            }
            let number = FunctionId(next_index(functions.as_slice().len()));
            functions.push(function.clone());
            let (own, inclusive) = (folded.self_costs(id), folded.inclusive_costs(id));
            functions.self_costs.set::<ANY_WIDTH>(number.index(), own);
            functions
                .inclusive_costs
                .set::<ANY_WIDTH>(number.index(), inclusive);
            if let Some(lines) = &mut lines {
                for line in folded.lines(id) {
                    let site = (line.file.unwrap_or(NameId::EMPTY), line.line);
                    lines.add::<ANY_WIDTH>(line_key(number, site), line.costs);
                }
            }
            Some(number)
        });
        let shown: Vec<_> = shown.collect();
        let mut entries: HashMap<Entry, Vec<EdgeRef<'a>>> = HashMap::default();
        for edge in folded.edges() {
            let Some(caller) = shown[edge.caller.index()] else {
                continue;
            };
            let Some(callee) = shown[edge.callee.index()] else {
                entries.entry((caller, edge.callee)).or_default().push(edge);
                continue;
            };
            let call = CallEdge {
                caller,
                callee,
                ..*edge
            };
            calls.add::<ANY_WIDTH>(call, edge.costs());
        }
        Charges {
            choice,
            names: folded.names().clone(),
            estimated: vec![false; functions.as_slice().len()],
            functions,
            calls,
            lines,
            estimated_calls: HashSet::default(),
            entries,
            rest: (vec![0; width], false),
        }
    }

    /// Charges what the hidden functions of traces cost, and adds what they call.
    fn add_contexts(&mut self, callers: &ShownCallers<'a>) {
        let (tree, choice) = (&*callers.tree, self.choice);
        let number = |id| choice.number(tree.function(id));
        let mut indirect: IndexMap<CallBySite, u64> = IndexMap::default();
        let mut keys: Vec<Option<usize>> = vec![None; tree.len()];
        for &id in &callers.order {
            let above = callers.caller(id);
            let caller = (above != ContextId::TOP).then(|| number(above)).flatten();
            let entry = callers.entry(id);
            let place = Place {
                caller,
                entry: Some(choice.profile.folded_function(tree.function(entry))),
                site: tree.call_site(entry).map(|site| (site.file, site.line)),
            };
            match (caller, number(id)) {
                (_, None) => self.charge(place, tree.self_costs.row(id.index()), false),
                (Some(caller), Some(callee)) if entry != id => {
                    let calls = indirect.entry((caller, callee, self.site(place)));
                    keys[id.index()] = Some(calls.index());
                    let calls = calls.or_default();
                    *calls = calls.saturating_add(tree.context(id).calls);
                }
                _ => {}
            }
        }
        let (costs, _) = tree.costs_of(indirect.len(), |_, id| keys[id.index()]);
        self.add_calls(&indirect, &costs);
    }

    /// Charges what the hidden functions of aggregates cost, and adds what they call.
    fn add_stacks(&mut self, stacks: &Stacks<'a>) {
        let choice = self.choice;
        let profile = choice.profile;
        let count = stacks.nodes().len();
        // Where the nearest shown caller of a node calls it, or the node itself.
        let mut places: Vec<(Place, bool)> = Vec::with_capacity(count);
        let mut indirect: IndexMap<CallBySite, u64> = IndexMap::default();
        let mut keys: Vec<Option<usize>> = vec![None; count];
        for node in stacks.nodes() {
            let parent = stacks.parent(node).map(|parent| places[parent.index()]);
            let (above, is_through) = parent.unwrap_or_default();
            let function = stacks.function(node);
            let entry = function.map(|id| profile.folded_function(id));
            let frame = choice.frame(stacks, node);
            if frame == Frame::Hidden {
                let entry = if is_through { above.entry } else { entry };
                let place = Place { entry, ..above };
                places.push((place, true));
                if !function.is_some_and(|id| profile.has_stacks(id)) {
                    let is_estimated = stacks.is_estimated(node);
                    self.charge(place, stacks.self_costs(node), is_estimated);
                }
                continue;
            }
            let shown = match frame {
                Frame::Shown(number) => Some(number),
                _ => None,
            };
            let place = Place {
                caller: shown,
                ..Place::default()
            };
            places.push((place, false));
            let ends = above.caller.zip(shown).filter(|_| is_through);
            // The stacks of traces are contexts.
            let ends = ends.filter(|_| !function.is_some_and(|id| profile.has_stacks(id)));
            if let Some((caller, callee)) = ends {
                let calls = indirect.entry((caller, callee, self.site(above)));
                keys[node.index()] = Some(calls.index());
                let calls = calls.or_default();
                *calls = calls.saturating_add(stacks.calls(node));
                if stacks.is_inclusive_estimated(node) {
                    self.estimated_calls.insert((caller, callee));
                }
            }
        }
        let (costs, _) =
            stacks.inclusive_of_groups(0..count, indirect.len(), |node| keys[node.index()]);
        self.add_calls(&indirect, &costs);
    }

    /// The line of a place: that of the calls of its entry, if there is only one.
    fn site(&self, place: Place) -> Site {
        let Some(caller) = place.caller else {
            return UNKNOWN_SITE;
        };
        if let Some((file, line)) = place.site {
            let is_own = self.functions.as_slice()[caller.index()].file == file;
            return (if is_own { NameId::EMPTY } else { file }, line);
        }
        let edges = place
            .entry
            .and_then(|entry| self.entries.get(&(caller, entry)));
        match edges.map(Vec::as_slice) {
            Some([edge]) => (edge.file, edge.line),
            _ => UNKNOWN_SITE,
        }
    }

    /// Charges costs to the caller of a place.
    fn charge(&mut self, place: Place, costs: &[Cost], is_estimated: bool) {
        if costs.iter().all(|&cost| cost == 0) {
            return;
        }
        let Some(caller) = place.caller else {
            for (sum, &cost) in self.rest.0.iter_mut().zip(costs) {
                *sum = sum.saturating_add(cost);
            }
            self.rest.1 |= is_estimated;
            return;
        };
        self.functions
            .self_costs
            .add::<ANY_WIDTH>(caller.index(), costs);
        self.estimated[caller.index()] |= is_estimated;
        let site = self.site(place);
        let Some(lines) = &mut self.lines else {
            return;
        };
        let edges = place
            .entry
            .and_then(|entry| self.entries.get(&(caller, entry)));
        let edges = edges.map_or(&[][..], Vec::as_slice);
        if edges.len() < 2 || place.site.is_some() {
            return lines.add::<ANY_WIDTH>(line_key(caller, site), costs);
        }
        for (edge, part) in edges.iter().zip(divided(costs, edges)) {
            lines.add::<ANY_WIDTH>(line_key(caller, (edge.file, edge.line)), &part);
        }
    }

    /// Adds calls through hidden functions.
    fn add_calls(&mut self, indirect: &IndexMap<CallBySite, u64>, costs: &CostTable) {
        let mut order: Vec<_> = indirect.iter().zip(0..).collect();
        order.sort_unstable();
        for ((&(caller, callee, (file, line)), &calls), row) in order {
            let call = CallEdge {
                caller,
                callee,
                file,
                line,
                calls,
            };
            self.calls.add::<ANY_WIDTH>(call, costs.row(row));
        }
    }

    /// Adds a function for the costs that nobody who is shown causes, if there are any.
    fn finish(&mut self) -> Option<FunctionId> {
        let (rest, is_estimated) = &self.rest;
        if rest.iter().all(|&cost| cost == 0) {
            return None;
        }
        let row = self.functions.as_slice().len();
        let name = self.names.intern(HIDDEN);
        let function = Function::new(NameId::EMPTY, NameId::EMPTY, name);
        self.functions.push(function);
        self.functions.self_costs.set::<ANY_WIDTH>(row, rest);
        self.functions.inclusive_costs.set::<ANY_WIDTH>(row, rest);
        self.estimated.push(*is_estimated);
        let id = FunctionId(next_index(row));
        if let Some(lines) = &mut self.lines {
            lines.add::<ANY_WIDTH>(line_key(id, UNKNOWN_SITE), rest);
        }
        Some(id)
    }
}

/// Where a shown function calls a hidden one.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    caller: Option<FunctionId>,
    /// The hidden function, by its number in the folded profile.
    entry: Option<FunctionId>,
    /// The line, if stacks know it.
    site: Option<Site>,
}

const UNKNOWN_SITE: Site = (NameId::EMPTY, 0);

fn line_key(function: FunctionId, (file, line): Site) -> LineKey {
    LineKey {
        function,
        file,
        line,
    }
}

/// Divides costs among calls in proportion to what these cost, in whole numbers that add up.
fn divided(costs: &[Cost], edges: &[EdgeRef<'_>]) -> Vec<Vec<Cost>> {
    let mut parts = vec![Vec::with_capacity(costs.len()); edges.len()];
    for (event, &cost) in costs.iter().enumerate() {
        let weight = |edge: &EdgeRef<'_>| i128::from(edge.costs()[event].max(0));
        let all: i128 = edges.iter().map(weight).sum();
        let (mut sum, mut before) = (0, 0);
        for (part, edge) in parts.iter_mut().zip(edges) {
            sum += weight(edge);
            // Calls without costs have equal weights: the first has it all.
            let up_to = match all {
                0 => cost.into(),
                _ => (i128::from(cost) * sum).div_euclid(all),
            };
            part.push(saturated(up_to - before));
            before = up_to;
        }
    }
    parts
}
