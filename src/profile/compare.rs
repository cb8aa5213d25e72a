//! Comparison of two profiles.

use std::cmp::Reverse;
use std::collections::HashMap;

use foldhash::fast::RandomState;
use thiserror::Error;

use super::{Profile, first_cost, split_scale};
use crate::shown::numbers::divided;
use crate::shown::text::printable;

/// What a function costs on one side of a comparison, in the unit of
/// [`Comparison::event`].
///
/// Functions with the same name and file count as one here, so the sums of a side may need more
/// than 64 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FunctionSums {
    /// Sum of the self costs.
    pub self_cost: i128,
    /// Sum of the inclusive costs.
    pub inclusive: i128,
    /// How often it was invoked.
    pub invocations: i128,
}

impl FunctionSums {
    fn per(self, runs: i128) -> Self {
        FunctionSums {
            self_cost: divided(self.self_cost, runs),
            inclusive: divided(self.inclusive, runs),
            invocations: divided(self.invocations, runs),
        }
    }
}

/// A function that has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionChange {
    /// Its object file: that of the new side if the function is there; if there are several, the
    /// least.
    pub object: Vec<u8>,
    /// Its source file, likewise.
    pub file: Vec<u8>,
    /// Its name, likewise.
    pub name: Vec<u8>,
    /// Its cost in the base; none, if it is new.
    pub base: Option<FunctionSums>,
    /// Its cost in the new profile; none, if it is gone.
    pub new: Option<FunctionSums>,
}

impl FunctionChange {
    /// By how much its self cost has grown.
    pub fn self_cost(&self) -> i128 {
        self.change(|sums| sums.self_cost)
    }

    /// By how much its inclusive cost has grown.
    pub fn inclusive(&self) -> i128 {
        self.change(|sums| sums.inclusive)
    }

    /// By how much its invocations have grown.
    pub fn invocations(&self) -> i128 {
        self.change(|sums| sums.invocations)
    }

    fn change(&self, figure: impl Fn(&FunctionSums) -> i128) -> i128 {
        let figure = |side: &Option<FunctionSums>| side.as_ref().map_or(0, &figure);
        figure(&self.new).saturating_sub(figure(&self.base))
    }
}

/// One side of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Side {
    /// Sum of all self costs.
    pub total: i128,
    /// How many functions there are.
    pub functions: usize,
    /// The scale of this side: a preprocessed file may hold costs in thousands, for example.
    pub scale: u64,
    /// How many runs of the profiled programs it sums.
    pub runs: u64,
}

impl Side {
    fn of(profile: &Profile) -> Self {
        let (_, scale) = split_scale(profile.event());
        Side {
            total: i128::from(profile.total()) * i128::from(scale),
            functions: profile.functions().len(),
            scale,
            runs: profile.runs(),
        }
    }
}

/// What all functions cost on both sides, in another event than the one that is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherTotal {
    /// The event.
    pub event: Vec<u8>,
    /// Sum of all self costs of the base.
    pub base: i128,
    /// Sum of all self costs of the new profile.
    pub new: i128,
}

/// The totals of the events after the first, as far as both have them.
fn other_totals(base: &Profile, new: &Profile) -> Vec<OtherTotal> {
    let totals = |profile: &Profile| {
        let names = profile.events().iter().map(|event| event.name().to_vec());
        let totals = profile.totals().into_iter().map(i128::from);
        names.zip(totals).skip(1).collect::<Vec<_>>()
    };
    let base: HashMap<_, _, RandomState> = totals(base).into_iter().collect();
    let both = totals(new).into_iter().filter_map(|(event, new)| {
        let base = *base.get(&event)?;
        Some(OtherTotal { event, base, new })
    });
    both.collect()
}

/// Why two profiles cannot be compared: they hold the costs of different events.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "the base has costs of \"{base}\", the new profile of \"{new}\"; select an event that both have"
)]
pub struct CompareError {
    base: String,
    new: String,
}

/// What changed from one profile, the base, to a new one, for the first event of both.
///
/// Functions are the same if their names and the last components of their files are. Functions of
/// one side that share both are summed. The names of PHP's `include` and of closures contain a
/// folder; they match the same names in another folder, unless the other side has exactly the same
/// name. The order of the functions in a profile does not matter.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Comparison {
    /// The event whose costs are compared, without a scale.
    pub event: Vec<u8>,
    /// The unit of its costs, such as `10ns`; empty where it is unknown, or not the same on both
    /// sides.
    pub unit: &'static str,
    /// The units of the base and of the new profile, if only one of them is known.
    pub unequal_units: Option<[&'static str; 2]>,
    /// Whether costs and calls are those per run; see [`per_run`](Self::per_run).
    pub is_per_run: bool,
    /// The base.
    pub base: Side,
    /// The new profile, which is compared with the base.
    pub new: Side,
    /// The functions that differ. Those whose self costs have changed most, up or down, come first.
    pub changes: Vec<FunctionChange>,
    /// How many functions do not differ.
    pub unchanged: usize,
    /// The totals of the other events that both sides hold.
    pub other_totals: Vec<OtherTotal>,
    same: Vec<FunctionChange>,
    /// Whether a sum of either side has reached the limits of 64 bits and is therefore wrong.
    pub has_saturated: bool,
}

impl Comparison {
    /// Compares two profiles.
    ///
    /// # Errors
    ///
    /// When they hold the costs of different events.
    pub fn new(base: &Profile, new: &Profile) -> Result<Self, CompareError> {
        Self::of(base, new, false)
    }

    /// Compares what two profiles cost per run of the profiled programs: all costs and calls of a
    /// side are divided by its [number of runs](Profile::runs), and rounded to the nearest.
    ///
    /// # Errors
    ///
    /// When they hold the costs of different events.
    pub fn per_run(base: &Profile, new: &Profile) -> Result<Self, CompareError> {
        Self::of(base, new, true)
    }

    fn of(base: &Profile, new: &Profile, is_per_run: bool) -> Result<Self, CompareError> {
        let [(event, _), (other, _)] = [base, new].map(|profile| split_scale(profile.event()));
        if event != other {
            return Err(CompareError {
                base: printable(base.event()),
                new: printable(new.event()),
            });
        }
        let [mut base_side, mut new_side] = [base, new].map(Side::of);
        let mut functions = matched(
            functions(base, base_side.scale),
            functions(new, new_side.scale),
        );
        let mut other_totals = other_totals(base, new);
        if is_per_run {
            let [base_runs, new_runs] = [base_side.runs, new_side.runs].map(i128::from);
            base_side.total = divided(base_side.total, base_runs);
            new_side.total = divided(new_side.total, new_runs);
            for function in &mut functions {
                function.base = function.base.map(|sums| sums.per(base_runs));
                function.new = function.new.map(|sums| sums.per(new_runs));
            }
            for other in &mut other_totals {
                other.base = divided(other.base, base_runs);
                other.new = divided(other.new, new_runs);
            }
        }
        let (mut changes, same): (Vec<_>, Vec<_>) = functions
            .into_iter()
            .partition(|function| function.base != function.new);
        changes.sort_by(|one, other| order(one).cmp(&order(other)));
        let [base_unit, new_unit] = [base, new].map(|profile| {
            let event = profile.events().first();
            event.map_or("", |event| profile.unit(event))
        });
        Ok(Comparison {
            event: event.to_vec(),
            unit: if base_unit == new_unit { base_unit } else { "" },
            unequal_units: (base_unit != new_unit).then_some([base_unit, new_unit]),
            is_per_run,
            base: base_side,
            new: new_side,
            changes,
            unchanged: same.len(),
            other_totals,
            same,
            has_saturated: base.has_saturated() || new.has_saturated(),
        })
    }

    /// All functions, those that have changed first.
    pub(super) fn functions(&self) -> impl Iterator<Item = &FunctionChange> {
        self.changes.iter().chain(&self.same)
    }

    /// By how much the total has grown.
    pub fn total_change(&self) -> i128 {
        self.new.total.saturating_sub(self.base.total)
    }
}

/// The sort order: by size of the change, then growth before decline, then by names.
fn order(change: &FunctionChange) -> impl Ord + '_ {
    let size = |change: i128| Reverse((change.unsigned_abs(), change));
    (
        size(change.self_cost()),
        size(change.inclusive()),
        (&change.name, &change.file, &change.object),
        size(change.invocations()),
    )
}

/// A function of one side.
#[derive(Clone, Copy)]
struct Found<'a> {
    /// Its object, file and name.
    place: [&'a [u8]; 3],
    sums: FunctionSums,
}

impl<'a> Found<'a> {
    /// The sum of both, at the least of their places.
    fn joined(self, other: Self) -> Self {
        let sums = FunctionSums {
            self_cost: self.sums.self_cost.saturating_add(other.sums.self_cost),
            inclusive: self.sums.inclusive.saturating_add(other.sums.inclusive),
            invocations: self.sums.invocations + other.sums.invocations,
        };
        Found {
            place: self.place.min(other.place),
            sums,
        }
    }
}

/// The functions of a side by name and last component of the file. Those that share both are summed.
type Functions<'a> = HashMap<(&'a [u8], &'a [u8]), Found<'a>, RandomState>;

fn functions(profile: &Profile, scale: u64) -> Functions<'_> {
    let mut functions = Functions::default();
    let scale = i128::from(scale);
    for (id, function) in profile.functions() {
        let place = [function.object, function.file, function.name].map(|name| profile.name(name));
        let found = Found {
            place,
            sums: FunctionSums {
                self_cost: i128::from(first_cost(profile.self_costs(id))) * scale,
                inclusive: i128::from(first_cost(profile.inclusive_costs(id))) * scale,
                invocations: function.invocations.into(),
            },
        };
        let [_, file, name] = place;
        let key = (name, last_component(file));
        functions
            .entry(key)
            .and_modify(|other| *other = other.joined(found))
            .or_insert(found);
    }
    functions
}

/// The functions of both sides. Those whose exact names only one side has are matched without
/// folders.
fn matched<'a>(base: Functions<'a>, mut new: Functions<'a>) -> Vec<FunctionChange> {
    let mut changes = Vec::new();
    // Those of the base and of the new side, by name without folders and last component of the file.
    let mut alone: HashMap<_, [Vec<Found<'_>>; 2], RandomState> = HashMap::default();
    let without_folders = |(name, file)| (without_folders(name), file);
    for (key, base) in base {
        match new.remove(&key) {
            Some(new) => changes.push(change(Some(base), Some(new))),
            None => alone.entry(without_folders(key)).or_default()[0].push(base),
        }
    }
    for (key, new) in new {
        alone.entry(without_folders(key)).or_default()[1].push(new);
    }
    for [base, new] in alone.into_values() {
        if base.is_empty() || new.is_empty() {
            changes.extend(base.into_iter().map(|base| change(Some(base), None)));
            changes.extend(new.into_iter().map(|new| change(None, Some(new))));
        } else {
            let all = |found: Vec<_>| found.into_iter().reduce(Found::joined);
            changes.push(change(all(base), all(new)));
        }
    }
    changes
}

fn change(base: Option<Found<'_>>, new: Option<Found<'_>>) -> FunctionChange {
    let place = new.or(base).map(|found| found.place).unwrap_or_default();
    let [object, file, name] = place.map(<[u8]>::to_vec);
    FunctionChange {
        object,
        file,
        name,
        base: base.map(|found| found.sums),
        new: new.map(|found| found.sums),
    }
}

/// The part after the last separator of Unix or Windows.
fn last_component(path: &[u8]) -> &[u8] {
    let separator = memchr::memrchr2(b'/', b'\\', path);
    separator.map_or(path, |at| &path[at + 1..])
}

/// A name without the folders of absolute paths: `include::a.php` of
/// `include::/srv/app/a.php`.
///
/// A path begins with `/`, at the beginning of the name or of what Xdebug and PHP put together.
fn without_folders(name: &[u8]) -> Vec<u8> {
    let mut short = Vec::with_capacity(name.len());
    for part in name.split_inclusive(|byte| matches!(byte, b':' | b'{' | b'}' | 0)) {
        let part = match part {
            [b'/', ..] => last_component(part),
            _ => part,
        };
        short.extend_from_slice(part);
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_in_names_lose_their_folders() {
        let short = |name: &str| String::from_utf8(without_folders(name.as_bytes())).unwrap();
        assert_eq!(short("include::/srv/app/a.php"), "include::a.php");
        assert_eq!(short("{closure:/srv/a.php:5-9}"), "{closure:a.php:5-9}");
        assert_eq!(
            short("class@anonymous\0/srv/a.php:12$0->run"),
            "class@anonymous\0a.php:12$0->run"
        );
        assert_eq!(
            short("php::usort:{/srv/app/f.php:17}"),
            "php::usort:{f.php:17}"
        );
        for whole in [
            "App\\Models\\ack",
            "a::operator/(int)",
            "operator/",
            "{main}",
            "",
            "a/b",
            "std::x",
        ] {
            assert_eq!(short(whole), whole);
        }
    }

    #[test]
    fn the_last_component_is_that_of_any_system() {
        assert_eq!(last_component(b"/srv/app/a.php"), b"a.php");
        assert_eq!(last_component(b"C:\\app\\a.php"), b"a.php");
        assert_eq!(last_component(b"a.php"), b"a.php");
        assert_eq!(last_component(b"/srv/app/"), b"");
        assert_eq!(last_component(b"php:internal"), b"php:internal");
    }
}
