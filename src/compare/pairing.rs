//! Which functions of two profiles are the same.
//!
//! Functions are, if their names and the last components of their files are the same. Those of one
//! side that share both are one. Beyond that:
//!
//! - A function and its clones (`f.part.0`) are one.
//! - Where only one side has a name, folders in it do not count (`include::/srv/app/a.php`).
//! - Names that say lines (PHP's closures) are paired in the order of these, as lines above move them.
//! - What is left and has its name and object once on each side has changed its file, as inlining
//!   does it.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::fmt;
use std::hash::BuildHasher;

use foldhash::fast::FixedState;

use super::FunctionChange;
use crate::display::numbers::grouped;
use crate::display::text::printable;
use crate::maps::HashMap;
use crate::names::{FunctionName, last_component};
use crate::profile::{FunctionId, Profile};

/// What has become of a function whose name, lines or file are not the same on both sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    /// How what follows is meant: `now`, `was` or `was in`.
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
pub(super) fn paired<'a>(base: &'a Profile, new: &'a Profile) -> Vec<FunctionChange<'a>> {
    let pairing = Pairing {
        profiles: [base, new],
    };
    let mut exact: HashMap<_, Family> = HashMap::default();
    for side in [0, 1] {
        for (id, function) in pairing.profiles[side].functions() {
            let file = last_component(pairing.profiles[side].name(function.file));
            let (name, lines) = pairing.name(side, id).without_lines();
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
        if family.iter().any(Vec::is_empty) {
            let key = (FunctionName::of(&name).without_folders(), file);
            alone.entry(key).or_default().push(family);
        } else {
            pairing.add_rows(family, &mut rows);
        }
    }
    for alike in alone.into_values() {
        let of_side = |side: usize| alike.iter().flat_map(move |family| family[side].clone());
        let joined: Family = [0, 1].map(|side| of_side(side).collect());
        if joined.iter().any(Vec::is_empty) {
            for family in alike {
                pairing.add_rows(family, &mut rows);
            }
        } else {
            pairing.add_rows(joined, &mut rows);
        }
    }
    pairing.join_moved(&mut rows);
    rows.into_iter().map(|row| pairing.change(row)).collect()
}

/// The functions of both sides that share a name without lines, with their lines.
type Family = [Vec<(Vec<u64>, FunctionId)>; 2];

/// What is one function in the base and in the new profile, sorted.
type Row = [Vec<FunctionId>; 2];

/// So many pairs are looked at to find out which functions of a family belong together.
const MAX_PAIRS: usize = 1 << 22;

struct Pairing<'a> {
    profiles: [&'a Profile; 2],
}

impl<'a> Pairing<'a> {
    fn name(&self, side: usize, id: FunctionId) -> FunctionName<'a> {
        let profile = self.profiles[side];
        FunctionName::of(profile.name(profile.function(id).name))
    }

    /// Makes rows of a family: one, if there are no lines in its name.
    fn add_rows(&self, family: Family, rows: &mut Vec<Row>) {
        let [base, new] = family;
        let [base, new] = [(0, base), (1, new)].map(|(side, mut members)| {
            members.sort_unstable();
            let units = members.chunk_by(|(one, _), (other, _)| one == other);
            let units = units.map(|unit| self.unit(side, unit));
            units.collect::<Vec<_>>()
        });
        let pairs = match (base.len(), new.len()) {
            (0, _) | (_, 0) => Vec::new(),
            (of_base, of_new) if of_base == of_new || of_base * of_new > MAX_PAIRS => {
                (0..of_base.min(of_new)).map(|at| (at, at)).collect()
            }
            _ => aligned(&base, &new),
        };
        let mut partners = vec![None; base.len()];
        let mut is_paired = vec![false; new.len()];
        for (of_base, of_new) in pairs {
            partners[of_base] = Some(of_new);
            is_paired[of_new] = true;
        }
        let functions = |partner: Option<usize>| partner.map(|at: usize| new[at].functions.clone());
        for (unit, partner) in base.iter().zip(partners) {
            let of_new = functions(partner).unwrap_or_default();
            rows.push([unit.functions.clone(), of_new]);
        }
        let others = new.into_iter().zip(is_paired);
        let others = others.filter(|(_, is_paired)| !is_paired);
        rows.extend(others.map(|(unit, _)| [Vec::new(), unit.functions]));
    }

    fn unit(&self, side: usize, members: &[(Vec<u64>, FunctionId)]) -> Unit {
        let lines = members[0].0.clone();
        let functions: Vec<FunctionId> = members.iter().map(|(_, id)| *id).collect();
        let mut callers = 0;
        if !lines.is_empty() {
            let edges = functions.iter();
            let edges = edges.flat_map(|&id| self.profiles[side].called_from(id));
            let names: BTreeSet<Vec<u8>> = edges
                .map(|edge| {
                    let (name, _) = self.name(side, edge.caller).without_lines();
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

    /// Joins those of one side whose names and objects only one function of each side has.
    fn join_moved(&self, rows: &mut Vec<Row>) {
        let (alone, mut joined): (Vec<Row>, Vec<Row>) = std::mem::take(rows)
            .into_iter()
            .partition(|row| row.iter().any(Vec::is_empty));
        let mut named: HashMap<_, Vec<Row>> = HashMap::default();
        for row in alone {
            let side = usize::from(row[0].is_empty());
            let id = row[side][0];
            let profile = self.profiles[side];
            let object = last_component(profile.name(profile.function(id).object));
            let name = self.name(side, id).original();
            named.entry((name, object)).or_default().push(row);
        }
        for mut alike in named.into_values() {
            alike.sort_unstable_by_key(|row| Reverse(row[0].len()));
            match &mut alike[..] {
                [base, new] if new[0].is_empty() && base[1].is_empty() => {
                    base[1].append(&mut new[1]);
                    joined.extend(alike.into_iter().next());
                }
                _ => joined.append(&mut alike),
            }
        }
        *rows = joined;
    }

    fn change(&self, functions: Row) -> FunctionChange<'a> {
        let side = usize::from(!functions[1].is_empty());
        let profile = self.profiles[side];
        let places = functions[side].iter().map(|&id| {
            let function = profile.function(id);
            [function.object, function.file, function.name].map(|name| profile.name(name))
        });
        let [object, file, mut name] = places.min().unwrap_or_default();
        let names = [0, 1].map(|side| self.names(side, &functions));
        if names.iter().flatten().collect::<BTreeSet<_>>().len() > 1 {
            name = FunctionName::of(name).original();
        }
        FunctionChange {
            object,
            file,
            name,
            base: None,
            new: None,
            transition: self.transition(&functions, names),
            functions,
        }
    }

    /// The names of a side of a row, without folders.
    fn names(&self, side: usize, row: &Row) -> BTreeSet<Vec<u8>> {
        let names = row[side].iter().map(|&id| self.name(side, id));
        names.map(|name| name.without_folders()).collect()
    }

    /// What has become of a row that both sides have.
    fn transition(&self, row: &Row, [base, new]: [BTreeSet<Vec<u8>>; 2]) -> Option<Transition> {
        /// So many names are said.
        const MAX_NAMES: usize = 3;
        if row.iter().any(Vec::is_empty) {
            return None;
        }
        let list = |names: &BTreeSet<Vec<u8>>| {
            let mut shown: Vec<String> = names.iter().map(|name| printable(name)).collect();
            let more = shown.len().saturating_sub(MAX_NAMES);
            shown.truncate(MAX_NAMES);
            shown.extend((more > 0).then(|| format!("{} more", grouped(more as u64))));
            shown.join(", ")
        };
        if base != new {
            let has_lines = |name: &Vec<u8>| !FunctionName::of(name).without_lines().1.is_empty();
            let (word, what) = match base.iter().any(has_lines) {
                true => ("was", list(&base)),
                false => ("now", list(&new)),
            };
            return Some(Transition { word, what });
        }
        let files = [0, 1].map(|side| {
            let profile = self.profiles[side];
            let files = row[side]
                .iter()
                .map(|&id| profile.name(profile.function(id).file));
            files.collect::<BTreeSet<_>>()
        });
        let [before, after] = files.each_ref().map(|files| {
            let files = files.iter().map(|file| last_component(file));
            files.collect::<BTreeSet<_>>()
        });
        (before != after).then(|| Transition {
            word: "was in",
            what: list(&files[0].iter().map(|file| file.to_vec()).collect()),
        })
    }
}

/// What is one function on one side.
struct Unit {
    /// Those in its name; none, or where it begins and ends.
    lines: Vec<u64>,
    functions: Vec<FunctionId>,
    /// Who calls it.
    callers: u64,
}

impl Unit {
    /// How much two of them have in common: at least 1.
    fn likeness(&self, other: &Unit) -> u32 {
        let length = |unit: &Unit| Some(unit.lines.last()?.wrapping_sub(*unit.lines.first()?));
        1 + 2 * u32::from(length(self) == length(other))
            + 2 * u32::from(self.callers == other.callers)
            + u32::from(self.lines == other.lines)
    }
}

/// Pairs as many of two lists as there can be, in their order, such that they have most in common.
fn aligned(base: &[Unit], new: &[Unit]) -> Vec<(usize, usize)> {
    /// Each pair is worth more than all that others can have in common.
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
