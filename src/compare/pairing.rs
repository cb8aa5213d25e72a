//! Finds the functions that are the same in two profiles.
//!
//! Functions are the same if their names and the last components of their files are equal. Those of
//! one side that share both are one. In addition:
//!
//! - A function and its clones (`f.part.0`) are one.
//! - If only one side has a name, folders in it are ignored (`include::/srv/app/a.php`).
//! - Names with line numbers (PHP's closures) are paired in the order of these, because other changes of
//!   the file move them.
//! - Of the rest, functions whose name and object occur once on each side have another file, as after
//!   inlining.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::hash::BuildHasher;
use std::mem;

use foldhash::fast::FixedState;

use super::{FunctionChange, Side, Sides};
use crate::display::numbers::grouped;
use crate::display::text::printable;
use crate::maps::HashMap;
use crate::names::{FunctionName, last_component};
use crate::profile::{FunctionId, Profile};

/// How a function was paired whose name, lines or file differ between the sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    /// `now`, `was` or `was in`.
    pub word: &'static str,
    /// Its names in the new profile, or its name or file in the base; printable.
    pub what: String,
}

impl fmt::Display for Transition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.word, self.what)
    }
}

/// The functions of both sides, whose costs are not yet known.
pub(super) fn paired<'a>(profiles: Sides<&'a Profile>) -> Vec<FunctionChange<'a>> {
    let mut exact: HashMap<_, Family> = HashMap::default();
    for side in Sides::EACH {
        let profile = profiles[side];
        for (id, function) in profile.functions() {
            let file = last_component(profile.name(function.file));
            let (name, lines) = name_of(profile, id).without_lines();
            let original = match name {
                Cow::Borrowed(name) => FunctionName::of(name).original().into(),
                name => name,
            };
            exact.entry((original, file)).or_default()[side].push((lines, id));
        }
    }
    let mut rows = Vec::new();
    let mut alone: HashMap<_, Vec<Family>> = HashMap::default();
    for ((name, file), family) in exact {
        if is_on_both(&family) {
            add_rows(profiles, family, &mut rows);
        } else {
            let key = (FunctionName::of(&name).without_folders(), file);
            alone.entry(key).or_default().push(family);
        }
    }
    for alike in alone.into_values() {
        let joined = Sides::EACH.map(|side| {
            let families = alike.iter().map(|family| family[side].as_slice());
            families.collect::<Vec<_>>().concat()
        });
        let families = match is_on_both(&joined) {
            true => vec![joined],
            false => alike,
        };
        for family in families {
            add_rows(profiles, family, &mut rows);
        }
    }
    let rows = join_moved(profiles, rows).into_iter();
    rows.map(|row| change(profiles, row)).collect()
}

/// The functions of both sides that share a name without lines, with their lines.
type Family = Sides<Vec<(Vec<u64>, FunctionId)>>;

/// The functions of both sides that are one, sorted.
type Row = Sides<Vec<FunctionId>>;

fn is_on_both<T>(sides: &Sides<Vec<T>>) -> bool {
    !sides.base.is_empty() && !sides.new.is_empty()
}

/// A row that only one side has.
fn row_of(side: Side, functions: Vec<FunctionId>) -> Row {
    let mut row = Row::default();
    row[side] = functions;
    row
}

/// The most pairs that are compared to find the functions of a family that belong together.
const MAX_PAIRS: usize = 1 << 22;

fn name_of(profile: &Profile, id: FunctionId) -> FunctionName<'_> {
    FunctionName::of(profile.name(profile.function(id).name))
}

/// Adds the rows of a family: one, if there are no lines in its name.
fn add_rows(profiles: Sides<&Profile>, family: Family, rows: &mut Vec<Row>) {
    let Sides { mut base, mut new } = profiles.zip(family).map(|(profile, mut members)| {
        members.sort_unstable();
        members
            .chunk_by(|(one, _), (other, _)| one == other)
            .map(|unit| Unit::of(profile, unit))
            .collect::<Vec<_>>()
    });
    let pairs = match (base.len(), new.len()) {
        (0, _) | (_, 0) => Vec::new(),
        (of_base, of_new) if of_base == of_new || of_base * of_new > MAX_PAIRS => {
            (0..of_base.min(of_new)).map(|at| (at, at)).collect()
        }
        _ => aligned(&base, &new),
    };
    for (of_base, of_new) in pairs {
        rows.push(Sides {
            base: mem::take(&mut base[of_base].functions),
            new: mem::take(&mut new[of_new].functions),
        });
    }
    // The rows without a partner.
    for (side, units) in Sides::EACH.zip(Sides { base, new }) {
        let functions = units.into_iter().map(|unit| unit.functions);
        let alone = functions.filter(|functions| !functions.is_empty());
        rows.extend(alone.map(|functions| row_of(side, functions)));
    }
}

/// Joins rows of one side whose name and object only one such row of each side has.
fn join_moved(profiles: Sides<&Profile>, rows: Vec<Row>) -> Vec<Row> {
    let (mut joined, alone): (Vec<Row>, Vec<Row>) = rows.into_iter().partition(is_on_both);
    let mut named: HashMap<_, Sides<Vec<Vec<FunctionId>>>> = HashMap::default();
    for row in alone {
        for (side, functions) in Sides::EACH.zip(row) {
            if let Some(&id) = functions.first() {
                let profile = profiles[side];
                let object = last_component(profile.name(profile.function(id).object));
                let name = name_of(profile, id).original();
                named.entry((name, object)).or_default()[side].push(functions);
            }
        }
    }
    for alike in named.into_values() {
        if let (1, 1) = (alike.base.len(), alike.new.len()) {
            joined.push(alike.map(|rows| rows.concat()));
            continue;
        }
        for (side, rows) in Sides::EACH.zip(alike) {
            joined.extend(rows.into_iter().map(|functions| row_of(side, functions)));
        }
    }
    joined
}

fn change<'a>(profiles: Sides<&'a Profile>, functions: Row) -> FunctionChange<'a> {
    let side = match functions.new.is_empty() {
        true => Side::Base,
        false => Side::New,
    };
    let profile = profiles[side];
    let names = functions[side].iter().map(|&id| {
        let function = profile.function(id);
        [function.object, function.file, function.name].map(|name| profile.name(name))
    });
    let [object, file, name] = names.min().unwrap_or_default();
    let sides = profiles.zip(functions.as_ref());
    let names = sides.map(|(profile, functions)| -> BTreeSet<_> {
        let names = functions.iter().map(|&id| name_of(profile, id));
        names.map(|name| name.without_folders()).collect()
    });
    let has_several = names.base.union(&names.new).nth(1).is_some();
    FunctionChange {
        object,
        file,
        name: match has_several {
            true => FunctionName::of(name).original(),
            false => name,
        },
        sums: Sides::default(),
        transition: is_on_both(&functions)
            .then(|| Transition::of(sides, names))
            .flatten(),
        functions,
    }
}

impl Transition {
    /// The change of functions that both sides have, with their names without folders.
    fn of(
        functions: Sides<(&Profile, &Vec<FunctionId>)>,
        names: Sides<BTreeSet<Vec<u8>>>,
    ) -> Option<Self> {
        /// The most names that are listed.
        const MAX_NAMES: usize = 3;
        let list = |names: BTreeSet<Vec<u8>>| {
            let mut shown: Vec<String> = names.iter().map(|name| printable(name)).collect();
            let more = shown.len().saturating_sub(MAX_NAMES);
            shown.truncate(MAX_NAMES);
            shown.extend((more > 0).then(|| format!("{} more", grouped(more as u64))));
            shown.join(", ")
        };
        if names.base != names.new {
            let has_lines = |name: &Vec<u8>| !FunctionName::of(name).without_lines().1.is_empty();
            let (word, what) = match names.base.iter().any(has_lines) {
                true => ("was", list(names.base)),
                false => ("now", list(names.new)),
            };
            return Some(Transition { word, what });
        }
        let files = functions.map(|(profile, functions)| -> BTreeSet<_> {
            let files = functions.iter().map(|&id| profile.function(id).file);
            files.map(|file| profile.name(file)).collect()
        });
        let last_components = files.as_ref().map(|files| -> BTreeSet<_> {
            files.iter().map(|file| last_component(file)).collect()
        });
        (last_components.base != last_components.new).then(|| Transition {
            word: "was in",
            what: list(files.base.into_iter().map(<[u8]>::to_vec).collect()),
        })
    }
}

/// Functions of one side that are one.
struct Unit {
    /// The line numbers in its name: none, or those of its beginning and end.
    lines: Vec<u64>,
    functions: Vec<FunctionId>,
    /// A hash of the names of its callers.
    callers: u64,
}

impl Unit {
    fn of(profile: &Profile, members: &[(Vec<u64>, FunctionId)]) -> Self {
        let lines = members[0].0.clone();
        let functions: Vec<FunctionId> = members.iter().map(|(_, id)| *id).collect();
        let mut callers = 0;
        if !lines.is_empty() {
            let edges = functions.iter().flat_map(|&id| profile.called_from(id));
            let names: BTreeSet<Vec<u8>> = edges
                .map(|edge| {
                    let (name, _) = name_of(profile, edge.caller).without_lines();
                    FunctionName::of(&name).without_folders()
                })
                .collect();
            callers = FixedState::default().hash_one(&names);
        }
        Unit {
            lines,
            functions,
            callers,
        }
    }

    /// The likeness of two of them: at least 1.
    fn likeness(&self, other: &Unit) -> u32 {
        let length = |unit: &Unit| Some(unit.lines.last()?.wrapping_sub(*unit.lines.first()?));
        1 + 2 * u32::from(length(self) == length(other))
            + 2 * u32::from(self.callers == other.callers)
            + u32::from(self.lines == other.lines)
    }
}

/// Pairs the elements of two lists without changing their order: as many as possible, and the most
/// similar ones.
fn aligned(base: &[Unit], new: &[Unit]) -> Vec<(usize, usize)> {
    /// One more pair counts more than any likeness.
    const PAIR: u32 = 1 << 12;
    let width = new.len() + 1;
    let mut best = vec![0u32; (base.len() + 1) * width];
    for of_base in (0..base.len()).rev() {
        for of_new in (0..new.len()).rev() {
            let pair = PAIR.saturating_add(base[of_base].likeness(&new[of_new]));
            let at = |base: usize, new: usize| best[base * width + new];
            best[of_base * width + of_new] = at(of_base + 1, of_new + 1)
                .saturating_add(pair)
                .max(at(of_base + 1, of_new))
                .max(at(of_base, of_new + 1));
        }
    }
    let (mut of_base, mut of_new) = (0, 0);
    let mut pairs = Vec::new();
    while of_base < base.len() && of_new < new.len() {
        let here = best[of_base * width + of_new];
        if here == best[(of_base + 1) * width + of_new] {
            of_base += 1;
        } else if here == best[of_base * width + of_new + 1] {
            of_new += 1;
        } else {
            pairs.push((of_base, of_new));
            (of_base, of_new) = (of_base + 1, of_new + 1);
        }
    }
    pairs
}
