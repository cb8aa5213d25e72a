//! Comparison of two profiles, and limits on one or on both.

mod amounts;
mod check;
mod limit_error;
mod limits;
mod pairing;
mod parts;
mod sides;

pub(crate) use check::{Checked, check_all};
pub use limit_error::LimitError;
pub use limits::{Limit, LimitSyntaxError, Outcome, Verdict};
pub use pairing::Transition;
pub use parts::PartChange;
pub use sides::{Side, Sides};

use std::cmp::Reverse;
use std::fmt;
use std::ops::Sub;

use serde_core::{Serialize, Serializer};
use thiserror::Error;

use crate::display::numbers::{divided, grouped, marked, rounded};
use crate::display::text::printable;
use crate::display::units::{Unit, in_units};
use crate::profile::{Cost, EdgeRef, FunctionId, Profile, split_scale};
use pairing::paired;

/// The costs of a function on one side of a comparison, in one event without its scale.
///
/// Functions with the same name and file count as one here, so the sums of a side may need more
/// than 64 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FunctionSums {
    /// Sum of the self costs.
    pub self_cost: i128,
    /// Sum of the inclusive costs.
    pub inclusive: i128,
    /// Whether they contain an estimate; see [`Profile::is_inclusive_estimated`].
    pub is_inclusive_estimated: bool,
    /// The number of its invocations.
    pub invocations: CallCount,
}

/// A number of calls, per run of the profiled program where that is compared: below ten rounded to
/// one decimal, else to a whole number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct CallCount {
    pub(crate) tenths: i128,
}

impl CallCount {
    pub(crate) fn per_run(calls: i128, runs: u64) -> Self {
        let tenths = divided(calls.saturating_mul(10), runs.into());
        CallCount {
            tenths: match tenths {
                ..100 => tenths,
                _ => divided(calls, runs.into()).saturating_mul(10),
            },
        }
    }

    /// The nearest whole number.
    pub fn rounded(self) -> i128 {
        divided(self.tenths, 10)
    }

    fn is_whole(self) -> bool {
        self.tenths % 10 == 0
    }
}

impl Sub for CallCount {
    type Output = CallCount;

    fn sub(self, other: CallCount) -> CallCount {
        CallCount {
            tenths: self.tenths - other.tenths,
        }
    }
}

impl fmt::Display for CallCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&match self.is_whole() {
            true => grouped(self.rounded()),
            false => rounded(self.tenths, 10, 1),
        })
    }
}

impl Serialize for CallCount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.is_whole() {
            true => serializer.serialize_i128(self.rounded()),
            false => serializer.serialize_f64(self.tenths as f64 / 10.0),
        }
    }
}

/// A function that has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionChange<'a> {
    /// Its object file in the new profile, or else in the base. If several functions are one here, the
    /// first by object, file and name counts.
    pub object: &'a [u8],
    /// Its source file there.
    pub file: &'a [u8],
    /// Its name there.
    pub name: &'a [u8],
    /// Its costs in the first event; `None` where it is missing.
    pub sums: Sides<Option<FunctionSums>>,
    /// Its change, if it has another name or file in the new profile.
    pub transition: Option<Transition>,
    /// Its functions, sorted: several may be one here.
    pub(crate) functions: Sides<Vec<FunctionId>>,
}

impl FunctionChange<'_> {
    /// The growth of its self cost.
    pub fn self_cost(&self) -> i128 {
        self.change(|sums| sums.self_cost)
    }

    /// The growth of its inclusive cost.
    pub(crate) fn inclusive(&self) -> i128 {
        self.change(|sums| sums.inclusive)
    }

    /// The growth of its number of invocations.
    pub(crate) fn calls(&self) -> CallCount {
        self.change(|sums| sums.invocations)
    }

    /// Its function in the new profile; the last, if several are one here.
    pub fn new_function(&self) -> Option<FunctionId> {
        self.functions.new.last().copied()
    }

    /// The growth of a value.
    fn change<T: Default + Sub>(&self, figure: impl Fn(&FunctionSums) -> T) -> T::Output {
        let figure = |side: Option<&FunctionSums>| side.map(&figure).unwrap_or_default();
        figure(self.sums.new.as_ref()) - figure(self.sums.base.as_ref())
    }
}

/// An event of one side.
#[derive(Clone, Copy, Debug)]
struct Column<'a> {
    profile: &'a Profile,
    /// Its position among the events of the profile.
    at: usize,
    scale: u64,
    /// The divisor of costs and calls.
    divisor: u64,
}

impl<'a> Column<'a> {
    /// The first event of a profile that is not compared.
    fn first(profile: &'a Profile) -> Self {
        Column {
            profile,
            at: 0,
            scale: split_scale(profile.event()).1,
            divisor: 1,
        }
    }

    /// The sums of functions that are one here; `None` if there are no functions.
    fn sums(&self, functions: &[FunctionId]) -> Option<FunctionSums> {
        functions.first()?;
        let profile = self.profile;
        let costs = functions
            .iter()
            .map(|&id| self.cost(profile.self_costs(id)));
        let calls = functions.iter().map(|&id| profile.function(id).invocations);
        let within = calls_within(profile, functions).map(|edge| i128::from(edge.calls));
        let calls = calls.map(i128::from).sum::<i128>() - within.sum::<i128>();
        let inclusive = self.inclusive(functions);
        Some(FunctionSums {
            self_cost: self.per_run(costs.fold(0, i128::saturating_add)),
            inclusive: self.per_run(inclusive.cost),
            is_inclusive_estimated: inclusive.is_estimated,
            invocations: CallCount::per_run(calls, self.divisor),
        })
    }

    /// Their inclusive cost, not divided by runs.
    fn inclusive(&self, functions: &[FunctionId]) -> InclusiveSum {
        let profile = self.profile;
        let costs = functions.iter().map(|&id| profile.inclusive_costs(id));
        let within = calls_within(profile, functions).map(|edge| -self.cost(edge.costs()));
        let costs = costs.map(|costs| self.cost(costs)).chain(within);
        InclusiveSum {
            cost: costs.fold(0, i128::saturating_add),
            is_estimated: functions
                .iter()
                .any(|&id| profile.is_inclusive_estimated(id)),
        }
    }

    /// The sum of all self costs, not divided by runs.
    fn total(&self) -> i128 {
        self.cost(&self.profile.totals())
    }

    /// The cost in a row, without its scale.
    fn cost(&self, costs: &[Cost]) -> i128 {
        let cost = costs.get(self.at).copied().unwrap_or(0);
        i128::from(cost).saturating_mul(self.scale.into())
    }

    /// A cost as it is shown.
    fn per_run(&self, cost: i128) -> i128 {
        divided(cost, self.divisor.into())
    }
}

/// The inclusive cost of functions, which may contain an estimate.
#[derive(Clone, Copy, Debug, Default)]
struct InclusiveSum {
    cost: i128,
    is_estimated: bool,
}

impl InclusiveSum {
    fn exact(cost: i128) -> Self {
        InclusiveSum {
            cost,
            is_estimated: false,
        }
    }

    fn add(&mut self, other: InclusiveSum) {
        self.cost = self.cost.saturating_add(other.cost);
        self.is_estimated |= other.is_estimated;
    }

    fn shown(self, unit: Unit) -> String {
        marked(self.is_estimated, in_units(self.cost, unit))
    }
}

/// The calls between a function and its clones. If these are one function, such calls do not count.
pub(crate) fn calls_within<'a>(
    profile: &'a Profile,
    functions: &'a [FunctionId],
) -> impl Iterator<Item = EdgeRef<'a>> {
    let callers = functions.iter().filter(|_| functions.len() > 1);
    let calls = callers.flat_map(|&id| profile.sub_calls(id));
    let name = |id: FunctionId| profile.function(id).name;
    calls.filter(move |edge| {
        functions.binary_search(&edge.callee).is_ok() && name(edge.caller) != name(edge.callee)
    })
}

/// An event that both sides of a comparison have.
#[derive(Clone, Copy, Debug)]
pub struct ComparedEvent<'a> {
    /// Its name, without a scale.
    pub name: &'a [u8],
    /// The long name; empty if unknown.
    pub long_name: &'a [u8],
    /// The unit of its costs, such as `10ns`; empty where it is unknown, or not the same on both
    /// sides.
    pub unit: &'static str,
    /// The units of both sides, if these differ.
    pub unequal_units: Option<Sides<&'static str>>,
    /// The sums of all self costs.
    pub totals: Sides<i128>,
    columns: Sides<Column<'a>>,
}

impl ComparedEvent<'_> {
    /// The growth of the total.
    pub fn change(&self) -> i128 {
        self.totals.new.saturating_sub(self.totals.base)
    }

    /// The costs of a function on both sides; `None` where it is missing.
    pub fn sums(&self, function: &FunctionChange<'_>) -> Sides<Option<FunctionSums>> {
        let sides = self.columns.zip(function.functions.as_ref());
        sides.map(|(column, functions)| column.sums(functions))
    }

    /// A cost on one side without its scale, not divided by runs.
    pub(crate) fn cost(&self, side: Side, costs: &[Cost]) -> i128 {
        self.columns[side].cost(costs)
    }

    /// Such a cost as it is shown: per run, if that is compared.
    pub(crate) fn per_run(&self, side: Side, cost: i128) -> i128 {
        self.columns[side].per_run(cost)
    }

    /// The scales of both sides: a webgrind file may contain costs in thousands, for example.
    pub fn scales(&self) -> Sides<u64> {
        self.columns.map(|column| column.scale)
    }
}

/// The events that both sides have, in the order of the new profile.
fn events<'a>(profiles: Sides<&'a Profile>, divisors: Sides<u64>) -> Vec<ComparedEvent<'a>> {
    let events = profiles.zip(divisors).map(|(profile, divisor)| {
        let events = profile.events().iter().enumerate();
        events.map(move |(at, event)| {
            let (name, scale) = split_scale(event.name());
            let column = Column {
                profile,
                at,
                scale,
                divisor,
            };
            (name, column, event)
        })
    });
    let totals = profiles.map(Profile::totals);
    let both = events.new.filter_map(|new| {
        // If two names differ only in a scale, the first one counts.
        let base = events.base.clone().find(|base| base.0 == new.0)?;
        let (name, _, event) = new;
        let both = Sides { base, new };
        let columns = both.map(|(_, column, _)| column);
        let units = both.map(|(_, column, event)| column.profile.unit(event));
        let is_same = units.base == units.new;
        Some(ComparedEvent {
            name,
            long_name: event.long_name(),
            unit: if is_same { units.new } else { "" },
            unequal_units: (!is_same).then_some(units),
            totals: columns
                .zip(totals.as_ref())
                .map(|(column, totals)| column.per_run(column.cost(totals))),
            columns,
        })
    });
    both.collect()
}

/// The error for two profiles that cannot be compared, because they contain different events.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "the base has costs of \"{base}\", the new profile of \"{new}\"; select an event that both have"
)]
pub struct CompareError {
    base: String,
    new: String,
}

impl CompareError {
    /// Checks that two profiles can be compared.
    fn check(base: &Profile, new: &Profile) -> Result<(), CompareError> {
        let [base, new] = [base, new].map(Profile::event);
        if split_scale(base).0 == split_scale(new).0 && !new.is_empty() {
            return Ok(());
        }
        Err(CompareError {
            base: printable(base),
            new: printable(new),
        })
    }
}

/// Reduces two profiles to their common events, in the order of the new one, for a [`Comparison`].
///
/// # Errors
///
/// If their first events differ.
pub fn keep_common_events(base: &mut Profile, new: &mut Profile) -> Result<(), CompareError> {
    CompareError::check(base, new)?;
    base.keep_events(new);
    new.keep_events(base);
    Ok(())
}

/// What changed from one profile, the base, to a new one, in the events that both have.
///
/// Both have the same first event, which functions are sorted by and limits apply to.
///
/// Functions are the same if their names and the last components of their files are equal. Functions
/// of one side that share both are added up, and so are a function and the clones that compilers make
/// of it (`f.part.0`). The names of PHP's `include` and of closures contain a folder; they match the same
/// names in another folder, unless the other side has exactly the same name. Closures are paired by
/// their order in the file. Of the rest, functions whose name and object are unique on each side
/// have moved to another file. The order of the functions in a profile does not matter.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Comparison<'a> {
    /// The events; never empty.
    pub events: Vec<ComparedEvent<'a>>,
    /// Whether costs and calls are those per run; see [`per_run`](Self::per_run).
    pub is_per_run: bool,
    /// The profiles, with the calling contexts and recursion levels of a function as one function.
    pub profiles: Sides<&'a Profile>,
    /// The functions that differ in the calls or in an event. Those with the largest change of self
    /// cost come first.
    pub changes: Vec<FunctionChange<'a>>,
    same: Vec<FunctionChange<'a>>,
    /// Whether a sum of either side has reached the limits of 64 bits and is therefore wrong.
    pub has_saturated: bool,
}

impl<'a> Comparison<'a> {
    /// Compares two profiles.
    ///
    /// # Errors
    ///
    /// If their first events differ.
    pub fn new(base: &'a Profile, new: &'a Profile) -> Result<Self, CompareError> {
        Self::of(base, new, false)
    }

    /// Compares what two profiles cost per run of the profiled programs: all costs and calls of a
    /// side are divided by its [number of runs](Profile::runs), and rounded to the nearest.
    ///
    /// # Errors
    ///
    /// If their first events differ.
    pub fn per_run(base: &'a Profile, new: &'a Profile) -> Result<Self, CompareError> {
        Self::of(base, new, true)
    }

    pub(crate) fn of(
        base: &'a Profile,
        new: &'a Profile,
        is_per_run: bool,
    ) -> Result<Self, CompareError> {
        CompareError::check(base, new)?;
        let profiles = Sides { base, new }.map(Profile::folded);
        let divisors = match is_per_run {
            true => profiles.map(Profile::runs),
            false => Sides { base: 1, new: 1 },
        };
        let events = events(profiles, divisors);
        let mut functions = paired(profiles);
        for function in &mut functions {
            function.sums = events[0].sums(function);
        }
        let has_changed = |function: &FunctionChange<'_>| {
            let mut sums = events.iter().map(|event| event.sums(function));
            sums.any(|sums| sums.base != sums.new)
        };
        let (mut changes, mut same): (Vec<_>, Vec<_>) =
            functions.into_iter().partition(has_changed);
        sort(&mut changes);
        sort(&mut same);
        Ok(Comparison {
            is_per_run,
            profiles,
            changes,
            same,
            has_saturated: profiles.into_iter().any(Profile::has_saturated),
            events,
        })
    }

    /// The event that functions are sorted by.
    pub fn first(&self) -> &ComparedEvent<'a> {
        &self.events[0]
    }

    /// All functions, those that have changed first.
    pub(crate) fn functions(&self) -> impl Iterator<Item = &FunctionChange<'a>> {
        self.changes.iter().chain(&self.same)
    }

    /// The positions of the functions of both profiles among all.
    pub(crate) fn positions(&self) -> Sides<Vec<usize>> {
        let functions = self.profiles.map(|profile| profile.functions().len());
        let mut positions = functions.map(|count| vec![0; count]);
        for (at, function) in self.functions().enumerate() {
            for side in Sides::EACH {
                for id in &function.functions[side] {
                    positions[side][id.index()] = at;
                }
            }
        }
        positions
    }

    /// The numbers of runs of the profiled programs that the profiles contain.
    pub fn runs(&self) -> Sides<u64> {
        self.profiles.map(Profile::runs)
    }

    /// The divisors of costs and calls.
    pub fn divisors(&self) -> Sides<u64> {
        self.first().columns.map(|column| column.divisor)
    }

    /// Whether both sides contain numbers of invocations.
    pub fn has_invocations(&self) -> bool {
        self.profiles.into_iter().all(Profile::has_invocations)
    }

    /// The number of functions that do not differ.
    pub fn unchanged(&self) -> usize {
        self.same.len()
    }
}

/// Sorts by size of the change, then growth before decline, then by names.
fn sort<'a>(changes: &mut [FunctionChange<'a>]) {
    let size = |change: i128| Reverse((change.unsigned_abs(), change));
    let order = |change: &FunctionChange<'a>| {
        (
            size(change.self_cost()),
            size(change.inclusive()),
            (change.name, change.file, change.object),
            size(change.calls().tenths),
        )
    };
    changes.sort_by(|one, other| order(one).cmp(&order(other)));
}
