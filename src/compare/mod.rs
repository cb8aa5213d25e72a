//! Comparison of two profiles, and limits on one or on both.

mod amounts;
mod limit_error;
mod limits;
mod pairing;
mod parts;

pub use limit_error::LimitError;
pub(crate) use limits::{Checked, check_all};
pub use limits::{Limit, LimitSyntaxError, Outcome, Verdict};
pub use pairing::Transition;
pub use parts::PartChange;

use std::cmp::Reverse;
use std::fmt;
use std::ops::Sub;

use serde_core::{Serialize, Serializer};
use thiserror::Error;

use crate::display::numbers::{divided, estimate_mark, grouped, rounded};
use crate::display::text::printable;
use crate::display::units::{Unit, in_units};
use crate::profile::{Cost, EdgeRef, FunctionId, Profile, split_scale};
use pairing::paired;

/// The two sides of a comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sides<T> {
    /// The base.
    pub base: T,
    /// The new side.
    pub new: T,
}

impl<T> Sides<T> {
    /// The same of both sides.
    pub fn map<U>(self, mut of: impl FnMut(T) -> U) -> Sides<U> {
        Sides {
            base: of(self.base),
            new: of(self.new),
        }
    }
}

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
    /// How often it was invoked.
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

/// By how much one is higher than the other.
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
    /// Its object file: that of the new side if the function is there; if there are several, the
    /// least.
    pub object: &'a [u8],
    /// Its source file, likewise.
    pub file: &'a [u8],
    /// Its name, likewise.
    pub name: &'a [u8],
    /// Its cost in the base, in the first event; `None` if it is new.
    pub base: Option<FunctionSums>,
    /// Its cost in the new profile; `None` if it is gone.
    pub new: Option<FunctionSums>,
    /// Its change, if it has another name or file in the new profile.
    pub transition: Option<Transition>,
    /// Its functions in the base and in the new profile, sorted: several may be one here.
    functions: [Vec<FunctionId>; 2],
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
        self.functions[1].last().copied()
    }

    /// Its functions in the base and in the new profile.
    pub(crate) fn functions(&self) -> [&[FunctionId]; 2] {
        self.functions.each_ref().map(Vec::as_slice)
    }

    /// The growth of a value.
    fn change<T: Default + Sub>(&self, figure: impl Fn(&FunctionSums) -> T) -> T::Output {
        let figure = |side: &Option<FunctionSums>| side.as_ref().map(&figure).unwrap_or_default();
        figure(&self.new) - figure(&self.base)
    }
}

/// An event of one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Column {
    /// Its position among the events of the profile.
    at: usize,
    scale: u64,
    /// The divisor of costs and calls.
    divisor: u64,
}

impl Column {
    /// The costs of functions that are one here; `None` if there is none.
    fn sums(&self, profile: &Profile, functions: &[FunctionId]) -> Option<FunctionSums> {
        functions.first()?;
        let costs = functions
            .iter()
            .map(|&id| self.cost(profile.self_costs(id)));
        let calls = functions.iter().map(|&id| profile.function(id).invocations);
        let within = calls_within(profile, functions).map(|edge| i128::from(edge.calls));
        let calls = calls.map(i128::from).sum::<i128>() - within.sum::<i128>();
        Some(FunctionSums {
            self_cost: self.per_run(costs.fold(0, i128::saturating_add)),
            inclusive: self.per_run(self.inclusive(profile, functions)),
            is_inclusive_estimated: are_estimated(profile, functions),
            invocations: CallCount::per_run(calls, self.divisor),
        })
    }

    /// Their inclusive cost, with all runs.
    fn inclusive(&self, profile: &Profile, functions: &[FunctionId]) -> i128 {
        let costs = functions.iter().map(|&id| profile.inclusive_costs(id));
        let within = calls_within(profile, functions).map(|edge| -self.cost(edge.costs()));
        let costs = costs.map(|costs| self.cost(costs)).chain(within);
        costs.fold(0, i128::saturating_add)
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

/// Whether the inclusive cost of any function is estimated.
fn are_estimated(profile: &Profile, functions: &[FunctionId]) -> bool {
    let mut functions = functions.iter();
    functions.any(|&id| profile.is_inclusive_estimated(id))
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

    fn add(&mut self, cost: i128, is_estimated: bool) {
        self.cost = self.cost.saturating_add(cost);
        self.is_estimated |= is_estimated;
    }

    fn shown(self, unit: Unit) -> String {
        estimate_mark(self.is_estimated).to_owned() + &in_units(self.cost, unit)
    }
}

/// The calls between a function and its clones, which are not calls if these are one.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ComparedEvent<'a> {
    /// Its name, without a scale.
    pub name: &'a [u8],
    /// The long name; empty if unknown.
    pub long_name: &'a [u8],
    /// The unit of its costs, such as `10ns`; empty where it is unknown, or not the same on both
    /// sides.
    pub unit: &'static str,
    /// The units of the base and of the new profile, if these differ.
    pub unequal_units: Option<[&'static str; 2]>,
    /// Sum of all self costs of the base.
    pub base: i128,
    /// Sum of all self costs of the new profile.
    pub new: i128,
    /// These sums, not divided by the numbers of runs.
    exact: Sides<i128>,
    columns: [Column; 2],
}

impl ComparedEvent<'_> {
    /// The growth of the total.
    pub fn change(&self) -> i128 {
        self.new.saturating_sub(self.base)
    }

    /// A cost of the base (0) or of the new profile (1) without its scale, not divided by runs.
    pub(crate) fn cost(&self, side: usize, costs: &[Cost]) -> i128 {
        self.columns[side].cost(costs)
    }

    /// Such a cost as it is shown: per run, if that is compared.
    pub(crate) fn per_run(&self, side: usize, cost: i128) -> i128 {
        self.columns[side].per_run(cost)
    }

    /// The scales of the base and of the new profile: a webgrind file may contain costs in
    /// thousands, for example.
    pub fn scales(&self) -> [u64; 2] {
        self.columns.map(|column| column.scale)
    }
}

/// The events that both sides have, in the order of the new profile.
fn events<'a>(sides: [&'a Profile; 2], divisors: [u64; 2]) -> Vec<ComparedEvent<'a>> {
    let totals = sides.map(Profile::totals);
    let events = |side: usize| {
        let events = sides[side].events().iter().enumerate();
        events.map(move |(at, event)| {
            let (name, scale) = split_scale(event.name());
            let divisor = divisors[side];
            (name, Column { at, scale, divisor }, event)
        })
    };
    let both = events(1).filter_map(|(name, column, event)| {
        // If two names differ only in a scale, the first one counts.
        let (_, base_column, base_event) = events(0).find(|&(base, ..)| base == name)?;
        let units = [sides[0].unit(base_event), sides[1].unit(event)];
        let is_same = units[0] == units[1];
        let columns = [base_column, column];
        let exact = Sides {
            base: base_column.cost(&totals[0]),
            new: column.cost(&totals[1]),
        };
        Some(ComparedEvent {
            name,
            long_name: event.long_name(),
            unit: if is_same { units[0] } else { "" },
            unequal_units: (!is_same).then_some(units),
            base: base_column.per_run(exact.base),
            new: column.per_run(exact.new),
            exact,
            columns,
        })
    });
    both.collect()
}

/// Why two profiles cannot be compared: they contain different events.
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
/// When their first events are different.
pub fn keep_common_events(base: &mut Profile, new: &mut Profile) -> Result<(), CompareError> {
    CompareError::check(base, new)?;
    base.keep_events(new);
    new.keep_events(base);
    Ok(())
}

/// What changed from one profile, the base, to a new one, in the events that both have.
///
/// The first event of both is the same. It is what functions are sorted by, and what limits are on.
///
/// Functions are the same if their names and the last components of their files are. Functions of
/// one side that share both are added up; so are clones that compilers make of a function
/// (`f.part.0`). The names of PHP's `include` and of closures contain a folder; they match the same
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
    /// The base, with the calling contexts and recursion levels of a function as one function.
    pub base: &'a Profile,
    /// The new profile, which is compared with the base, likewise.
    pub new: &'a Profile,
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
    /// When they hold the costs of different events.
    pub fn new(base: &'a Profile, new: &'a Profile) -> Result<Self, CompareError> {
        Self::of(base, new, false)
    }

    /// Compares what two profiles cost per run of the profiled programs: all costs and calls of a
    /// side are divided by its [number of runs](Profile::runs), and rounded to the nearest.
    ///
    /// # Errors
    ///
    /// When they hold the costs of different events.
    pub fn per_run(base: &'a Profile, new: &'a Profile) -> Result<Self, CompareError> {
        Self::of(base, new, true)
    }

    fn of(base: &'a Profile, new: &'a Profile, is_per_run: bool) -> Result<Self, CompareError> {
        CompareError::check(base, new)?;
        let [base, new] = [base, new].map(Profile::folded);
        let mut functions = paired(base, new);
        let mut comparison = Comparison {
            events: Vec::new(),
            changes: Vec::new(),
            is_per_run,
            base,
            new,
            same: Vec::new(),
            has_saturated: base.has_saturated() || new.has_saturated(),
        };
        comparison.events = events([base, new], comparison.divisors());
        for function in &mut functions {
            [function.base, function.new] = comparison.sums(function, 0);
        }
        let has_changed = |function: &FunctionChange<'_>| {
            let mut events = 0..comparison.events.len();
            events.any(|event| {
                let [base, new] = comparison.sums(function, event);
                base != new
            })
        };
        let (changes, same) = functions.into_iter().partition(has_changed);
        (comparison.changes, comparison.same) = (sorted(changes), same);
        Ok(comparison)
    }

    /// What a function costs on both sides, in one of the [`events`](Self::events); none where it is
    /// not there.
    pub fn sums(&self, function: &FunctionChange<'_>, event: usize) -> [Option<FunctionSums>; 2] {
        let Some(event) = self.events.get(event) else {
            return [None; 2];
        };
        let [base, new] = &function.functions;
        let [of_base, of_new] = event.columns;
        [of_base.sums(self.base, base), of_new.sums(self.new, new)]
    }

    /// What [`changes`](Self::changes) would be if there were only one of the
    /// [`events`](Self::events).
    pub fn changes_in(&self, event: usize) -> Vec<FunctionChange<'a>> {
        let changes = self.changes.iter().map(|change| {
            let [base, new] = self.sums(change, event);
            FunctionChange {
                base,
                new,
                ..change.clone()
            }
        });
        sorted(changes.filter(|change| change.base != change.new).collect())
    }

    /// The event that functions are sorted by.
    pub fn first(&self) -> &ComparedEvent<'a> {
        &self.events[0]
    }

    /// The inclusive costs in the first event of all functions that have such a name on either side,
    /// not divided by the numbers of runs; none where there is none. Also how many functions there are.
    fn inclusive_sums(
        &self,
        is_wanted: &dyn Fn(&[u8]) -> bool,
    ) -> (Sides<Option<InclusiveSum>>, usize) {
        let (sides, columns) = ([self.base, self.new], self.first().columns);
        let (mut sums, mut count) = ([None; 2], 0);
        for FunctionChange { functions, .. } in self.functions() {
            let is_named = |side: usize| {
                let names = functions[side].iter();
                let mut names = names.map(|&id| sides[side].function(id).name);
                names.any(|name| is_wanted(sides[side].name(name)))
            };
            if !is_named(0) && !is_named(1) {
                continue;
            }
            count += 1;
            for side in [0, 1] {
                if !functions[side].is_empty() {
                    let sum: &mut InclusiveSum = sums[side].get_or_insert_default();
                    let cost = columns[side].inclusive(sides[side], &functions[side]);
                    sum.add(cost, are_estimated(sides[side], &functions[side]));
                }
            }
        }
        let [base, new] = sums;
        (Sides { base, new }, count)
    }

    /// All functions, those that have changed first.
    pub(crate) fn functions(&self) -> impl Iterator<Item = &FunctionChange<'a>> {
        self.changes.iter().chain(&self.same)
    }

    /// Where the functions of the base, and those of the new profile, are among all.
    pub(crate) fn positions(&self) -> [Vec<usize>; 2] {
        let sides = [self.base, self.new];
        let mut positions = sides.map(|profile| vec![0; profile.functions().len()]);
        for (at, function) in self.functions().enumerate() {
            for (positions, ids) in positions.iter_mut().zip(function.functions()) {
                ids.iter().for_each(|id| positions[id.index()] = at);
            }
        }
        positions
    }

    /// How many runs of the profiled programs the base and the new profile sum.
    pub fn runs(&self) -> [u64; 2] {
        [self.base, self.new].map(Profile::runs)
    }

    /// What costs and calls of the base and of the new profile are divided by.
    pub fn divisors(&self) -> [u64; 2] {
        match self.is_per_run {
            true => self.runs(),
            false => [1; 2],
        }
    }

    /// Whether it is known on both sides how often functions were invoked.
    pub fn has_invocations(&self) -> bool {
        self.base.has_invocations() && self.new.has_invocations()
    }

    /// How many functions do not differ.
    pub fn unchanged(&self) -> usize {
        self.same.len()
    }
}

/// Sorts by size of the change, then growth before decline, then by names.
fn sorted<'a>(mut changes: Vec<FunctionChange<'a>>) -> Vec<FunctionChange<'a>> {
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
    changes
}
