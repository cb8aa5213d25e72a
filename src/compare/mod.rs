//! Comparison of two profiles, and limits on one or on both.

mod check;
mod column;
mod limits;
mod moved_files;
mod pairing;
mod sides;

pub(crate) use check::{Checked, check_all};
pub(crate) use column::calls_within;
pub use column::{CallCount, FunctionSums};
pub use limits::{Limit, LimitError, LimitSyntaxError, Outcome, Verdict};
pub use pairing::Transition;
pub use sides::{Side, Sides};

use std::cmp::Reverse;

use thiserror::Error;

use crate::display::text::printable;
use crate::maps::IndexMap;
use crate::profile::{FunctionId, Profile, split_scale};
use column::Column;
use pairing::{JoinedFunctions, paired};

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
    pub(crate) functions: JoinedFunctions,
}

impl FunctionChange<'_> {
    /// The growth of its self cost.
    pub fn self_cost(&self) -> i128 {
        self.growth(|sums| sums.self_cost)
    }

    /// Its function in the new profile; the last, if several are one here.
    pub fn new_function(&self) -> Option<FunctionId> {
        self.functions.new.last().copied()
    }

    /// The growth of a value.
    fn growth(&self, value: impl Fn(FunctionSums) -> i128) -> i128 {
        let Sides { base, new } = self.sums.map(|sums| sums.map_or(0, &value));
        new - base
    }
}

/// The parts with the same name on both sides of a comparison. A benchmark names a part with
/// `CALLGRIND_DUMP_STATS_AT("name")`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartChange<'a> {
    /// The name.
    pub name: &'a [u8],
    /// The sums of their self costs, without a scale; per run, if that is compared. `None` where there
    /// is no such part.
    pub costs: Sides<Option<i128>>,
}

impl<'a> PartChange<'a> {
    fn between(columns: Sides<Column<'a>>) -> Vec<Self> {
        let mut sums: IndexMap<&[u8], Sides<Option<i128>>> = IndexMap::default();
        for side in [Side::New, Side::Base] {
            let parts = columns[side].profile.parts();
            for (name, part) in parts.filter_map(|part| Some((part.header.name()?, part))) {
                let sum = sums.entry(name).or_default()[side].get_or_insert(0);
                *sum = sum.saturating_add(columns[side].cost(part.totals));
            }
        }
        let changes = sums.into_iter().map(|(name, sums)| PartChange {
            name,
            costs: sums
                .zip(columns)
                .map(|(sum, column)| Some(column.per_run(sum?))),
        });
        changes.collect()
    }
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
    pub(crate) columns: Sides<Column<'a>>,
}

impl<'a> ComparedEvent<'a> {
    /// The events that both sides have, in the order of the new profile.
    fn common(profiles: Sides<&'a Profile>, runs: Sides<u64>) -> Vec<Self> {
        let columns = profiles.zip(runs).map(|(profile, runs)| {
            let events = 0..profile.events().len();
            events.map(move |at| Column::new(profile, at, runs))
        });
        let totals = profiles.map(Profile::totals);
        let both = columns.new.filter_map(|new| {
            // If two names differ only in a scale, the first one counts.
            let base = columns.base.clone().find(|base| base.name == new.name)?;
            let columns = Sides { base, new };
            let units = columns.map(|column| column.unit);
            let is_same = units.base == units.new;
            let totals = columns.zip(totals.as_ref());
            Some(ComparedEvent {
                name: new.name,
                long_name: new.long_name(),
                unit: if is_same { units.new } else { "" },
                unequal_units: (!is_same).then_some(units),
                totals: totals.map(|(column, totals)| column.per_run(column.cost(totals))),
                columns,
            })
        });
        both.collect()
    }

    /// The growth of the total.
    pub fn change(&self) -> i128 {
        self.totals.new.saturating_sub(self.totals.base)
    }

    /// The costs of a function on both sides; `None` where it is missing.
    pub fn sums(&self, function: &FunctionChange<'_>) -> Sides<Option<FunctionSums>> {
        self.sums_of(&function.functions)
    }

    fn sums_of(&self, functions: &JoinedFunctions) -> Sides<Option<FunctionSums>> {
        let sides = self.columns.zip(functions.as_ref());
        sides.map(|(column, functions)| column.sums(functions))
    }

    /// The scales of both sides: a webgrind file may contain costs in thousands, for example.
    pub fn scales(&self) -> Sides<u64> {
        self.columns.map(|column| column.scale)
    }
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
        let runs = match is_per_run {
            true => profiles.map(Profile::runs),
            false => Sides { base: 1, new: 1 },
        };
        let events = ComparedEvent::common(profiles, runs);
        let functions = paired(profiles).into_iter();
        let mut functions: Vec<_> = functions
            .map(|functions| FunctionChange::new(functions, &events[0]))
            .collect();
        sort(&mut functions);
        let has_changed = |function: &FunctionChange<'_>| {
            let mut sums = events.iter().map(|event| event.sums(function));
            sums.any(|sums| sums.base != sums.new)
        };
        let (changes, same) = functions.into_iter().partition(has_changed);
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

    /// The numbers that costs and calls are divided by.
    pub fn divisors(&self) -> Sides<u64> {
        self.first().columns.map(|column| column.runs)
    }

    /// The parts that the profiled programs have named, in one of the [`events`](Self::events): in
    /// the order of the new profile, then those that are gone. Several of one name are one.
    ///
    /// # Panics
    ///
    /// If there is no such event.
    pub fn parts(&self, event: usize) -> Vec<PartChange<'a>> {
        PartChange::between(self.events[event].columns)
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
            size(change.growth(|sums| sums.inclusive)),
            (change.name, change.file, change.object),
            size(change.growth(|sums| sums.invocations.tenths)),
        )
    };
    changes.sort_by(|one, other| order(one).cmp(&order(other)));
}
