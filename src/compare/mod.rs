//! Comparison of two profiles, and limits on one or on both.

mod check;
mod limits;
mod moved_files;
mod pairing;
mod quotient;
mod sides;
mod sums;
mod verdict;
mod views;

pub(crate) use check::{CheckError, check_all};
pub use limits::{Limit, LimitError, LimitSyntaxError};
pub use pairing::Transition;
pub(crate) use pairing::moved_files;
pub use quotient::Quotient;
pub use sides::{Side, Sides};
pub use sums::{CallCount, FunctionSums};
pub use verdict::{LimitTarget, Outcome, Verdict};
pub(crate) use views::OneOrTwo;
pub use views::{Subject, Views, ViewsError};

use std::cmp::Reverse;
use std::iter;

use thiserror::Error;

use crate::display::text::printable;
use crate::maps::IndexMap;
use crate::names::original;
use crate::profile::{FunctionId, Profile, split_scale};
use crate::view::View;
use pairing::{JoinedFunctions, paired};
pub(crate) use sums::SideEvent;
use sums::calls_of;

/// A function that has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionChange {
    /// The function that gives it its names: one of the new profile, or else of the base. If several
    /// functions are one here, the first by object, file and name counts.
    pub(crate) named: (Side, FunctionId),
    /// Whether its functions have several names.
    has_several_names: bool,
    /// Its costs in the first event; `None` where it is missing.
    pub sums: Sides<Option<FunctionSums>>,
    /// Its change, if it has another name or file in the new profile.
    pub transition: Option<Transition>,
    /// Its functions, sorted: several may be one here.
    pub(crate) functions: JoinedFunctions,
}

impl FunctionChange {
    /// The growth of its self cost.
    pub fn self_cost(&self) -> i128 {
        self.growth(|sums| sums.self_cost)
    }

    /// Its function in the new profile; the last, if several are one here.
    pub fn new_function(&self) -> Option<FunctionId> {
        self.functions.new.last().copied()
    }

    /// Its object, file and name.
    fn names<'v>(&self, views: Sides<&'v View<'_>>) -> [&'v [u8]; 3] {
        let (side, id) = self.named;
        let [object, file, name] = views[side].names_of(id);
        let name = if self.has_several_names {
            original(name)
        } else {
            name
        };
        [object, file, name]
    }

    /// The growth of a value.
    fn growth(&self, value: impl Fn(FunctionSums) -> i128) -> i128 {
        let Sides { base, new } = self.sums.map(|sums| sums.map_or(0, &value));
        new.saturating_sub(base)
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
    fn between(views: Sides<&View<'a>>, columns: Sides<SideEvent<'a>>) -> Vec<Self> {
        let mut sums: IndexMap<&[u8], Sides<Option<i128>>> = IndexMap::default();
        for side in [Side::New, Side::Base] {
            let parts = views[side].profile().parts();
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
    pub(crate) columns: Sides<SideEvent<'a>>,
}

impl<'a> ComparedEvent<'a> {
    /// The events that both sides have, in the order of the new profile.
    fn common(profiles: Sides<&'a Profile>, runs: Sides<u64>) -> Vec<Self> {
        let columns = profiles.zip(runs).map(|(profile, runs)| {
            let events = 0..profile.events().len();
            events.map(move |at| SideEvent::new(profile, at, runs))
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
                long_name: new.long_name,
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

    fn sums_of(
        &self,
        views: Sides<&View<'_>>,
        functions: &JoinedFunctions,
    ) -> Sides<Option<FunctionSums>> {
        let sides = self.columns.zip(views).zip(functions.as_ref());
        sides.map(|((column, view), functions)| column.sums(view, functions))
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
/// of it (`f.part.0`). The names of PHP's `include` and of closures contain a directory; they match the same
/// names in another directory, unless the other side has exactly the same name. Closures are paired by
/// their order in the file. Of the rest, functions whose name and object are unique on each side
/// have moved to another file. The order of the functions in a profile does not matter.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Comparison<'a> {
    /// The events; never empty.
    pub events: Vec<ComparedEvent<'a>>,
    /// Whether costs and calls are those per run; see
    /// [`Views::new`].
    pub is_per_run: bool,
    /// Both sides.
    pub views: Sides<View<'a>>,
    /// The functions that differ in the calls or in an event. Those with the largest change of self
    /// cost come first.
    pub changes: Vec<FunctionChange>,
    same: Vec<FunctionChange>,
}

impl<'a> Comparison<'a> {
    /// Compares two profiles by function. Recursion counts once.
    ///
    /// # Errors
    ///
    /// If their first events differ.
    pub fn new(base: &'a Profile, new: &'a Profile) -> Result<Self, CompareError> {
        Self::of(View::of(base), View::of(new), false)
    }

    /// Compares two profiles by the same kind of row. If `per_run` is set, compares what they cost
    /// per run of the profiled programs: all costs and calls of a side are divided by its
    /// [number of runs](Profile::runs), and rounded to the nearest.
    ///
    /// # Errors
    ///
    /// If their first events differ.
    pub fn of(base: View<'a>, new: View<'a>, per_run: bool) -> Result<Self, CompareError> {
        let owned = Sides { base, new };
        let views = owned.as_ref();
        let profiles = views.map(View::profile);
        CompareError::check(profiles.base, profiles.new)?;
        let runs = if per_run {
            profiles.map(Profile::runs)
        } else {
            Sides { base: 1, new: 1 }
        };
        let events = ComparedEvent::common(profiles, runs);
        let functions = paired(views).into_iter();
        let mut functions: Vec<_> = functions
            .map(|functions| FunctionChange::new(functions, views, &events[0]))
            .collect();
        sort(&mut functions, views);
        let has_changed = |function: &FunctionChange| {
            let others = events[1..].iter();
            let others = others.map(|event| event.sums_of(views, &function.functions));
            let mut sums = iter::once(function.sums).chain(others);
            sums.any(|sums| sums.base != sums.new)
        };
        let (changes, same) = functions.into_iter().partition(has_changed);
        Ok(Comparison {
            is_per_run: per_run,
            changes,
            same,
            events,
            views: owned,
        })
    }

    /// The profiles.
    pub fn profiles(&self) -> Sides<&'a Profile> {
        self.views.as_ref().map(View::profile)
    }

    /// The object, file and name of a function: those in the new profile, or else in the base. If
    /// several functions are one here, the first by object, file and name counts.
    pub fn names_of(&self, function: &FunctionChange) -> [&[u8]; 3] {
        function.names(self.views.as_ref())
    }

    /// The costs of a function on both sides, in one of the [`events`](Self::events); `None` where
    /// it is missing.
    ///
    /// # Panics
    ///
    /// If there is no such event.
    pub fn sums(&self, event: usize, function: &FunctionChange) -> Sides<Option<FunctionSums>> {
        self.events[event].sums_of(self.views.as_ref(), &function.functions)
    }

    /// The calls of a function on both sides, not divided by runs.
    pub(crate) fn calls(&self, function: &FunctionChange) -> Sides<i128> {
        let sides = self.views.as_ref().zip(function.functions.as_ref());
        sides.map(|(view, functions)| calls_of(view, functions))
    }

    /// The sums of functions that are one on a side, in the first event and not divided by runs.
    pub(crate) fn undivided(&self, side: Side, functions: &[FunctionId]) -> Option<FunctionSums> {
        let column = self.first().columns[side];
        SideEvent { runs: 1, ..column }.sums(&self.views[side], functions)
    }

    /// The event that functions are sorted by.
    pub fn first(&self) -> &ComparedEvent<'a> {
        &self.events[0]
    }

    /// All functions, those that have changed first.
    pub(crate) fn functions(&self) -> impl Iterator<Item = &FunctionChange> {
        self.changes.iter().chain(&self.same)
    }

    /// One of all functions.
    pub(crate) fn function(&self, position: usize) -> &FunctionChange {
        let unchanged = position.checked_sub(self.changes.len());
        unchanged.map_or_else(|| &self.changes[position], |at| &self.same[at])
    }

    /// The positions of the functions of both profiles among all.
    pub(crate) fn positions(&self) -> Sides<Vec<usize>> {
        let functions = self.views.as_ref().map(|view| view.functions().len());
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
        self.profiles().map(Profile::runs)
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
        PartChange::between(self.views.as_ref(), self.events[event].columns)
    }

    /// The number of functions that do not differ.
    pub fn unchanged(&self) -> usize {
        self.same.len()
    }
}

/// Sorts by size of the change, then growth before decline, then by names.
fn sort(changes: &mut [FunctionChange], views: Sides<&View<'_>>) {
    let size = |change: i128| Reverse((change.unsigned_abs(), change));
    let order = |change: &FunctionChange| {
        let [object, file, name] = change.names(views);
        (
            size(change.self_cost()),
            size(change.growth(|sums| sums.inclusive)),
            (name, file, object),
            size(change.growth(|sums| sums.invocations.tenths)),
        )
    };
    changes.sort_by(|one, other| order(one).cmp(&order(other)));
}
