//! A profile, looked at in one way: what its rows are, and what these cost.
//!
//! Only this room groups functions and counts recursion once. A [`View`] is one profile by one kind
//! of row. [`Views`](crate::compare::Views) makes those that a conversion needs, each once, in pairs
//! if there is a base.

mod calls;
mod cycles;
mod groups;
mod hidden;
mod inclusive;
mod repeated;

use std::borrow::Cow;
use std::cell::OnceCell;

pub(crate) use calls::{CallsBy, PassedCall};
pub use groups::GroupBy;
pub use hidden::Hidden;
pub(crate) use repeated::{MIN_PERCENT, MIN_TIMES};

use crate::display::text::printable;
use crate::maps::{HashMap, HashSet};
use crate::names::{Named, is_internal};
use crate::profile::{
    CallEdge, Cost, EdgeRef, Function, FunctionId, InclusiveCost, Kind, Line, ModelError, NameId,
    Part, Profile,
};
use crate::stacks::{StackId, Stacks};
use crate::tables::CostTable;
use calls::{CallCosts, OutermostCalls, PassedCalls};
use groups::{Functions, GroupNames, RowNumbers, Rows};
use inclusive::InclusiveCosts;

/// A profile by functions or groups of functions, with what they cost.
///
/// Rows have numbers of their own, which no other view shares.
#[derive(Clone, Debug)]
pub struct View<'a> {
    profile: &'a Profile,
    by: GroupBy,
    rows: Rows<'a>,
    inclusive: InclusiveCosts,
    /// By row: whether its self costs are estimated, because of what hidden functions cost; empty if no
    /// row's are.
    estimated: Vec<bool>,
    /// The callers and callees whose calls are estimated.
    estimated_calls: HashSet<(FunctionId, FunctionId)>,
    /// The costs of calls by pair, edge and line, made when they are first needed.
    call_costs: [OnceCell<CallCosts>; 3],
    /// Likewise.
    outermost_calls: OnceCell<OutermostCalls>,
    passed_calls: OnceCell<PassedCalls>,
    costliest_calls: OnceCell<CostTable>,
    /// The rows of functions by the own names of these, for callers that are known only by name.
    by_name: OnceCell<HashMap<Vec<u8>, (FunctionId, FunctionId)>>,
}

impl<'a> View<'a> {
    /// A profile by function; recursion counts once.
    pub fn of(profile: &'a Profile) -> Self {
        View::by_function(profile, InclusiveCost::Once)
    }

    /// A profile by function.
    ///
    /// Inclusive costs that count once are the self costs of all stacks that contain the function.
    /// They are exact for traces that were read with
    /// [`ProfileOptions::contexts`](crate::profile::ProfileOptions::contexts), and for functions of
    /// aggregates that are in no cycle of calls. Others are estimated from stacks; see
    /// [`is_inclusive_estimated`](Self::is_inclusive_estimated).
    pub fn by_function(profile: &'a Profile, inclusive: InclusiveCost) -> Self {
        let rows = Rows::folded(Functions::all(profile));
        View::with_rows(
            GroupBy::Function,
            rows,
            inclusive,
            &LazyStacks::new(profile),
        )
    }

    /// The same, with functions as the inputs contain them: Valgrind writes a function once for each
    /// chain of callers (`f'g`), and once for deeper levels of recursion (`f'2`).
    pub fn as_recorded(profile: &'a Profile, inclusive: InclusiveCost) -> Self {
        let rows = Rows::recorded(profile);
        View::with_rows(
            GroupBy::Function,
            rows,
            inclusive,
            &LazyStacks::new(profile),
        )
    }

    /// A profile by any kind of row. Lines of traces have exact costs with
    /// [`ProfileOptions::call_sites`](crate::profile::ProfileOptions::call_sites).
    ///
    /// # Errors
    ///
    /// If there are more groups than can be numbered.
    pub fn new(
        profile: &'a Profile,
        by: GroupBy,
        inclusive: InclusiveCost,
    ) -> Result<Self, ModelError> {
        let by_call_site = profile.kind() == Some(Kind::Trace);
        View::with_stacks(&LazyStacks::new(profile), by, by_call_site, inclusive)
    }

    /// The same without hidden functions.
    ///
    /// # Errors
    ///
    /// If there are more groups than can be numbered.
    pub fn without(
        hidden: &'a Hidden<'a>,
        by: GroupBy,
        inclusive: InclusiveCost,
    ) -> Result<Self, ModelError> {
        let by_call_site = hidden.profile().kind() == Some(Kind::Trace);
        View::with_stacks(&LazyStacks::without(hidden), by, by_call_site, inclusive)
    }

    /// A profile by any kind of row, with the stacks that several views share. `by_call_site`: lines
    /// are those of calls, as traces have them.
    pub(crate) fn with_stacks(
        stacks: &LazyStacks<'a>,
        by: GroupBy,
        by_call_site: bool,
        inclusive: InclusiveCost,
    ) -> Result<Self, ModelError> {
        let rows = Rows::new(stacks.functions(), by, by_call_site)?;
        let Some(hidden) = stacks.hidden else {
            return Ok(View::with_rows(by, rows, inclusive, stacks));
        };
        if inclusive == InclusiveCost::Summed || !rows.have_functions() {
            return Ok(View::with_rows(by, rows, inclusive, stacks));
        }
        let all = Rows::with_hidden_apart(hidden, by)?;
        let all = View::with_rows(by, all, inclusive, stacks);
        let costs = InclusiveCosts::of_shown(&rows, &all);
        Ok(View::with_costs(by, rows, costs))
    }

    /// A profile by function as recorded, with the calls of one function joined; see
    /// [`with_stacks`](Self::with_stacks).
    pub(crate) fn joined(stacks: &LazyStacks<'a>, inclusive: InclusiveCost) -> Self {
        let rows = Rows::joined(stacks.profile);
        View::with_rows(GroupBy::Function, rows, inclusive, stacks)
    }

    fn with_rows(
        by: GroupBy,
        rows: Rows<'a>,
        inclusive: InclusiveCost,
        stacks: &LazyStacks<'a>,
    ) -> Self {
        let mut view = View::with_costs(by, rows, InclusiveCosts::default());
        let node_row = |stacks: &Stacks<'_>, node| view.node_row(stacks, node);
        view.inclusive = match inclusive {
            InclusiveCost::Summed => InclusiveCosts::summed(&view.rows),
            InclusiveCost::Once => {
                InclusiveCosts::once(view.profile, &view.rows, || stacks.all(), node_row)
            }
        };
        view
    }

    fn with_costs(by: GroupBy, rows: Rows<'a>, inclusive: InclusiveCosts) -> Self {
        let (mut estimated, mut estimated_calls) = (Vec::new(), HashSet::default());
        if let Some(hidden) = rows.functions.hidden {
            let of_shown = rows.of_shown(hidden);
            let row = |shown: FunctionId| of_shown[shown.index()];
            estimated.resize(rows.table.functions().len(), false);
            for (shown, _) in hidden.table().functions() {
                if let Some(row) = row(shown) {
                    estimated[row.index()] |= hidden.is_estimated(shown);
                }
            }
            let calls = hidden.estimated_calls();
            estimated_calls.extend(calls.filter_map(|ends| row(ends[0]).zip(row(ends[1]))));
        }
        View {
            profile: rows.functions.profile,
            by,
            rows,
            inclusive,
            estimated,
            estimated_calls,
            call_costs: Default::default(),
            outermost_calls: OnceCell::new(),
            passed_calls: OnceCell::new(),
            costliest_calls: OnceCell::new(),
            by_name: OnceCell::new(),
        }
    }

    /// The profile.
    pub fn profile(&self) -> &'a Profile {
        self.profile
    }

    /// The profile with the inclusive costs of this view, whose rows are functions as recorded.
    pub fn counted(self) -> Profile {
        let profile = self.profile.clone();
        profile.with_inclusive_costs(self.inclusive.costs)
    }

    /// What the rows are.
    pub fn by(&self) -> GroupBy {
        self.by
    }

    /// Whether rows are lines with the calls made there. Other lines have self costs.
    pub(crate) fn is_call_site(&self) -> bool {
        matches!(self.rows.numbers, RowNumbers::OfCallSites(_))
    }

    /// All rows in number order. Groups have names as functions do.
    pub fn functions(&self) -> impl ExactSizeIterator<Item = (FunctionId, &Function)> {
        self.rows.table.functions()
    }

    /// One row.
    ///
    /// # Panics
    ///
    /// If the number is not from this view.
    pub fn function(&self, row: FunctionId) -> &Function {
        self.rows.table.function(row)
    }

    /// The part that a row is, if rows are parts.
    pub(crate) fn part(&self, row: FunctionId) -> Option<Part<'_>> {
        matches!(self.rows.numbers, RowNumbers::Parts).then(|| self.profile.part(row.index()))
    }

    /// The row of a function of the profile; none if rows are lines or parts.
    pub(crate) fn row(&self, function: FunctionId) -> Option<FunctionId> {
        self.rows.of_function(function)
    }

    /// A function of the profile for each row; none if rows are lines or parts.
    pub(crate) fn functions_of_rows(&self) -> Vec<FunctionId> {
        let mut functions = Vec::new();
        if self.rows.have_functions() {
            functions.extend(self.functions().map(|(row, _)| row));
            for (function, _) in self.profile.functions() {
                if let Some(row) = self.row(function) {
                    functions[row.index()] = function;
                }
            }
        }
        functions
    }

    /// The row of a stack's last frame.
    pub(crate) fn node_row(&self, stacks: &Stacks<'_>, node: StackId) -> Option<FunctionId> {
        if let Some(function) = stacks.function(node) {
            return self.row(function);
        }
        let by_name = self.by_name.get_or_init(|| {
            let folded = self.profile.folded();
            let mut rows: HashMap<Vec<u8>, (FunctionId, FunctionId)> = HashMap::default();
            for (id, _) in self.profile.functions() {
                let own = self.profile.folded_function(id);
                let Some(row) = self.row(id) else { continue };
                let name = folded.name(folded.function(own).name);
                let known = rows.entry(name.to_vec()).or_insert((own, row));
                *known = (own, row).max(*known);
            }
            rows
        });
        by_name.get(stacks.frame(node)).map(|&(_, row)| row)
    }

    /// The bytes of a name of a row.
    pub fn name(&self, name: NameId) -> &[u8] {
        self.rows.table.name(name)
    }

    /// The object, file and name of a row.
    pub(crate) fn names_of(&self, row: FunctionId) -> [&[u8]; 3] {
        self.rows.table.names_of(row)
    }

    /// The names of a row, and its line.
    pub(crate) fn named(&self, row: FunctionId) -> Named<'_> {
        let [object, file, name] = self.names_of(row);
        let costliest = self.rows.costliest.get(row.index());
        let costliest = costliest.map(|&name| self.rows.functions.table().name(name));
        Named {
            name,
            object,
            file,
            line: self.function(row).line,
            costliest: costliest.or_else(|| Some(self.part(row)?.command)),
        }
    }

    /// The self costs of a row, one for each event of the profile. Those of a call site are what its calls
    /// cost.
    pub fn self_costs(&self, row: FunctionId) -> &[Cost] {
        if self.is_call_site() {
            self.inclusive_costs(row)
        } else {
            self.rows.table.self_costs(row)
        }
    }

    /// The inclusive costs of a row, one for each event of the profile.
    pub fn inclusive_costs(&self, row: FunctionId) -> &[Cost] {
        &self.inclusive.costs.row(row.index())[..self.profile.events().len()]
    }

    /// Whether the [`inclusive_costs`](Self::inclusive_costs) of a row are estimated. They are if it
    /// is part of a cycle of calls, and the profile does not record the stacks.
    pub fn is_inclusive_estimated(&self, row: FunctionId) -> bool {
        self.inclusive.estimated[row.index()]
    }

    /// What the costliest call of each row costs, if rows are functions and every call is known; 0 in
    /// events for which it is not.
    pub(crate) fn costliest_calls(&self) -> &CostTable {
        self.costliest_calls.get_or_init(|| {
            let mut costs = CostTable::new(self.profile.events().len());
            let mut functions = self.profile.functions();
            let is_known = self.by == GroupBy::Function
                && self.profile.kind() == Some(Kind::Trace)
                && functions.all(|(id, _)| self.profile.has_stacks(id));
            if is_known {
                for (id, _) in self.profile.functions() {
                    if let Some(row) = self.row(id) {
                        costs.raise(row.index(), self.profile.costliest_call(id));
                    }
                }
            }
            costs
        })
    }

    /// Whether the [`self_costs`](Self::self_costs) of a row are estimated: if functions are hidden, and
    /// the profile does not record by whom these were called.
    pub fn is_self_estimated(&self, row: FunctionId) -> bool {
        self.estimated.get(row.index()).is_some_and(|&one| one)
    }

    /// Whether the number and the costs of calls are estimated, likewise.
    pub(crate) fn is_call_estimated(&self, call: &CallEdge) -> bool {
        let ends = (call.caller, call.callee);
        self.estimated_calls.contains(&ends)
    }

    /// The names of the functions that are hidden, or of their groups.
    pub(crate) fn hidden_names(&self) -> Vec<String> {
        let folded = self.profile.folded();
        let hidden = self.hidden().map_or(&[][..], Hidden::hidden).iter();
        let functions = hidden.map(|&id| folded.function(id));
        match GroupNames::new(self.profile, self.by) {
            Some(groups) => functions
                .map(|function| groups.of(folded, function))
                .collect(),
            None if self.by == GroupBy::Function => functions
                .map(|function| printable(folded.name(function.name)))
                .collect(),
            None => Vec::new(),
        }
    }

    /// The functions that are hidden.
    pub(crate) fn hidden(&self) -> Option<&'a Hidden<'a>> {
        self.rows.functions.hidden
    }

    /// Whether a call is part of the recursion of `row`, which is its caller or its callee: the callee
    /// is the caller, or calls it directly or through others, and `row` may have run while it was
    /// running already. Then the cost of the call can be part of that of other calls of `row`, or
    /// contain costs of `row` itself.
    pub fn is_recursive(&self, call: &CallEdge, row: FunctionId) -> bool {
        let cycles = self.rows.table.cycles();
        let cycle = |id: FunctionId| cycles.of[id.index()];
        let of_graphs = self.inclusive.cycles.as_ref();
        self.inclusive.nested[row.index()] && cycle(call.caller) == cycle(call.callee)
            || of_graphs.is_some_and(|all| all.are_recursive([call.caller, call.callee], row))
    }

    /// The rows that call each other, directly or through others, together with a row. None if these
    /// are not several.
    pub(crate) fn cycle(&self, row: FunctionId) -> Vec<FunctionId> {
        if let Some(of_graphs) = &self.inclusive.cycles {
            return of_graphs.with(row);
        }
        let cycles = self.rows.table.cycles();
        let others = Some(cycles.members_with(row.index())).filter(|all| all.len() > 1);
        others
            .into_iter()
            .flatten()
            .copied()
            .map(FunctionId)
            .collect()
    }

    /// The cycles of several rows that call each other.
    pub(crate) fn cycles(&self) -> Vec<Vec<FunctionId>> {
        if let Some(of_graphs) = &self.inclusive.cycles {
            return of_graphs.of_several();
        }
        let cycles = self.rows.table.cycles().all();
        let of_several = cycles.filter(|members| members.len() > 1);
        let of_several = of_several.map(|members| members.iter().copied().map(FunctionId));
        of_several.map(Iterator::collect).collect()
    }

    /// The costs of the calls from a row to another that are not part of other calls of that, by the
    /// stacks, and whether they are estimated. Not known if something is hidden.
    pub(crate) fn outermost_calls(
        &self,
        caller: FunctionId,
        callee: FunctionId,
    ) -> Option<(&[Cost], bool)> {
        let calls = self.outermost_calls.get_or_init(|| {
            if self.hidden().is_some() {
                return OutermostCalls::default();
            }
            OutermostCalls::new(self)
        });
        calls.of(caller, callee)
    }

    /// Whether a row only passes calls on, as `array_map` does: PHP's own functions have no calls of
    /// their own.
    pub(crate) fn is_passing(&self, row: FunctionId) -> bool {
        let [_, file, _] = self.names_of(row);
        is_internal(file)
    }

    /// The calls of a row through those that only pass calls on.
    pub(crate) fn passed_to(&self, callee: FunctionId) -> impl Iterator<Item = &PassedCall> {
        self.passed_calls().to(callee)
    }

    /// The calls that a row makes through those that only pass calls on.
    pub(crate) fn passed_from(&self, caller: FunctionId) -> impl Iterator<Item = &PassedCall> {
        self.passed_calls().from(caller)
    }

    fn passed_calls(&self) -> &PassedCalls {
        let calls = &self.passed_calls;
        calls.get_or_init(|| PassedCalls::new(self))
    }

    /// The stacks without hidden functions.
    fn shown_stacks(&self) -> Stacks<'a> {
        match self.hidden() {
            None => Stacks::new(self.profile),
            Some(hidden) => match hidden.all_stacks() {
                Some(all) => hidden.stacks(all),
                None => hidden.stacks(&Stacks::new(self.profile)),
            },
        }
    }

    /// Whether the numbers of invocations are known.
    pub fn has_invocations(&self) -> bool {
        match self.by {
            GroupBy::Line => self.is_call_site(),
            _ => self.profile.has_invocations(),
        }
    }

    /// All calls between rows.
    pub fn edges(&self) -> impl ExactSizeIterator<Item = EdgeRef<'_>> {
        self.rows.table.edges()
    }

    /// The number of calls between rows.
    pub fn calls(&self) -> u64 {
        self.rows.table.calls()
    }

    /// The calls to a row, in order of first appearance.
    pub fn called_from(&self, row: FunctionId) -> impl ExactSizeIterator<Item = EdgeRef<'_>> {
        self.rows.table.called_from(row)
    }

    /// The calls that a row makes, in order of first appearance.
    pub fn sub_calls(&self, row: FunctionId) -> impl ExactSizeIterator<Item = EdgeRef<'_>> {
        self.rows.table.sub_calls(row)
    }

    /// The costs of all stacks that go through calls like this one, one for each event.
    pub(crate) fn call_costs(&self, by: CallsBy, edge: &EdgeRef<'_>) -> &[Cost] {
        let costs = self.call_costs[by as usize].get_or_init(|| CallCosts::new(self, by));
        costs.of(self, edge)
    }

    /// The costs of calls between functions on one line. In an aggregate these are the file's, which need no
    /// table.
    pub(crate) fn edge_costs<'e>(&'e self, edge: &EdgeRef<'e>) -> Cow<'e, [Cost]> {
        match self.profile.contexts() {
            Some(_) => self.call_costs(CallsBy::Edge, edge).into(),
            None => calls::limited(self, edge, edge.costs()),
        }
    }

    /// The file that contains calls: the caller's, unless they are in inlined code.
    pub(crate) fn call_file(&self, edge: &EdgeRef<'_>) -> &[u8] {
        self.rows.table.call_file(edge)
    }

    /// The self costs of a function by line; see [`Profile::lines`].
    pub fn lines(&self, row: FunctionId) -> impl Iterator<Item = Line<'_>> {
        self.rows.table.lines(row)
    }
}

/// The stacks of a profile, made when they are first needed.
#[derive(Debug)]
pub(crate) struct LazyStacks<'a> {
    pub profile: &'a Profile,
    hidden: Option<&'a Hidden<'a>>,
    all: OnceCell<Stacks<'a>>,
    shown: OnceCell<Stacks<'a>>,
}

impl<'a> LazyStacks<'a> {
    pub fn new(profile: &'a Profile) -> Self {
        LazyStacks {
            profile,
            hidden: None,
            all: OnceCell::new(),
            shown: OnceCell::new(),
        }
    }

    /// Those without hidden functions.
    pub fn without(hidden: &'a Hidden<'a>) -> Self {
        LazyStacks {
            hidden: Some(hidden),
            ..LazyStacks::new(hidden.profile())
        }
    }

    fn functions(&self) -> Functions<'a> {
        Functions {
            profile: self.profile,
            hidden: self.hidden,
        }
    }

    /// All stacks, with hidden functions.
    fn all(&self) -> &Stacks<'a> {
        let known = self.hidden.and_then(Hidden::all_stacks);
        known.unwrap_or_else(|| self.all.get_or_init(|| Stacks::new(self.profile)))
    }

    /// The stacks that are shown.
    pub fn get(&self) -> &Stacks<'a> {
        match self.hidden {
            None => self.all(),
            Some(hidden) => self.shown.get_or_init(|| hidden.stacks(self.all())),
        }
    }
}
