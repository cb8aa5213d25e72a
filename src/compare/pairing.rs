//! Finds the functions, or groups of functions, that are the same in two profiles.
//!
//! Functions are the same if their names and the last components of their files are equal; those of one side
//! that share both are one. Paths in names may begin with another root: see
//! [`moved_files`](super::moved_files). In addition:
//!
//! - A function and its clones (`f.part.0`) are one.
//! - Names with line numbers (PHP's closures) are paired in the order of these, because other changes of
//!   the file move them. If all that a name says is that it is a closure, its whole file counts.
//! - Of the rest, functions whose name and object occur once on each side have another file, as after
//!   inlining.
//!
//! Groups are the same if their names are, or, with another root, the paths in these. Parts have names
//! that the profiled program gave them, or are those of the same input.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::hash::{BuildHasher, Hash};
use std::iter;

use foldhash::fast::FixedState;

use super::moved_files::MovedFiles;
use super::{ComparedEvent, FunctionChange, Side, Sides};
use crate::display::numbers::grouped;
use crate::display::text::printable;
use crate::maps::{HashMap, HashSet};
use crate::names::{is_known, last_component, original, paths, without_directories, without_lines};
use crate::profile::{FunctionId, PartHeader};
use crate::view::{GroupBy, View};

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

/// The functions of both sides that are one. Those of a side are sorted.
pub(super) type JoinedFunctions = Sides<Vec<FunctionId>>;

/// The functions of both sides. Each is in one result.
pub(super) fn paired(profiles: Sides<&View<'_>>) -> Vec<JoinedFunctions> {
    let moved = moved_files(profiles);
    let names = |side: Side, id| profiles[side].names_of(id);
    match profiles.new.by() {
        GroupBy::Function => paired_functions(profiles, &moved),
        GroupBy::Part => paired_parts(profiles),
        GroupBy::Line => alike(profiles, |side, id| {
            let file = moved.in_new(side, names(side, id)[1]);
            (file, profiles[side].function(id).line)
        }),
        GroupBy::File | GroupBy::Object => {
            alike(profiles, |side, id| moved.in_new(side, names(side, id)[2]))
        }
        GroupBy::Class | GroupBy::Package => alike(profiles, |side, id| {
            moved.name_in_new(side, names(side, id)[2])
        }),
    }
}

/// Parts are the same if the profiled program gave them the same name in the same thread. Those without a
/// name are the same if their inputs are, and either are the only ones of these or have the same number and
/// thread.
fn paired_parts(profiles: Sides<&View<'_>>) -> Vec<JoinedFunctions> {
    let parts = profiles.map(|view| view.profile().parts());
    let inputs = parts.map(|parts| parts.map(|part| part.input).collect());
    let same = paired_inputs(&inputs);
    let in_new = |side: Side, input| match side {
        Side::Base => same.get(input).copied().unwrap_or(input),
        Side::New => input,
    };
    let mut counts: HashMap<&str, Sides<usize>> = HashMap::default();
    for (side, view) in Sides::EACH.zip(profiles) {
        for part in view.profile().parts() {
            counts.entry(in_new(side, part.input)).or_default()[side] += 1;
        }
    }
    alike(profiles, |side, id| {
        let part = profiles[side].part(id)?;
        let PartHeader { number, thread, .. } = *part.header;
        let input = in_new(side, part.input);
        Some(match part.header.name() {
            Some(name) => (Some(name), "", None, thread),
            None if counts[input] == (Sides { base: 1, new: 1 }) => (None, input, None, None),
            None => (None, input, number, thread),
        })
    })
}

/// The inputs of the base that are the same as one of the new profile: that one.
///
/// They are the same if each side has one; if their paths are equal, perhaps below another root; or if
/// their last components are, and occur once on each side. Benchmarks keep their previous profile `X` as
/// `X.old`, which is the same as `X`.
fn paired_inputs<'a>(inputs: &Sides<HashSet<&'a str>>) -> HashMap<&'a str, &'a str> {
    let only = |side: Side| {
        inputs[side]
            .iter()
            .next()
            .filter(|_| inputs[side].len() == 1)
    };
    if let (Some(&base), Some(&new)) = (only(Side::Base), only(Side::New)) {
        return [(base, new)].into_iter().collect();
    }
    // By their paths without `.old`.
    let inputs = inputs.as_ref().map(|inputs| -> HashMap<&[u8], &str> {
        let inputs = inputs.iter().map(|&input| {
            let before = input.strip_suffix(".old");
            let path = before.filter(|&before| !inputs.contains(before));
            (path.unwrap_or(input).as_bytes(), input)
        });
        inputs.collect()
    });
    let moved = MovedFiles::new(&inputs.as_ref().map(|all| all.keys().copied().collect()));
    let by_path = inputs.base.iter().filter_map(|(path, &base)| {
        let new = inputs.new.get(moved.in_new(Side::Base, path))?;
        Some((base, *new))
    });
    let mut same: HashMap<&str, &str> = by_path.collect();
    let mut named: HashMap<&[u8], Sides<Vec<&str>>> = HashMap::default();
    for side in Sides::EACH {
        for (path, input) in &inputs[side] {
            named.entry(last_component(path)).or_default()[side].push(input);
        }
    }
    for alike in named.values() {
        if let ([base], [new]) = (&alike.base[..], &alike.new[..]) {
            same.entry(base).or_insert(new);
        }
    }
    same
}

fn paired_functions(profiles: Sides<&View<'_>>, moved: &MovedFiles<'_>) -> Vec<JoinedFunctions> {
    // Families share a name, except for lines, and a file.
    let families = alike(profiles, |side, id| {
        let [_, file, name] = profiles[side].names_of(id);
        let name = match original_name(name).0 {
            Cow::Borrowed(name) => moved.name_in_new(side, name),
            Cow::Owned(name) => moved.name_in_new(side, &name).into_owned().into(),
        };
        let file = if name.ends_with(b"{closure}") {
            moved.in_new(side, file)
        } else {
            last_component(file)
        };
        (name, file)
    });
    let rows = families
        .into_iter()
        .flat_map(|family| rows(profiles, family));
    // The others have moved if they are the only ones of a name and object on each side.
    join(rows, 2, |side, id| {
        let [object, _, name] = profiles[side].names_of(id);
        (original(name), last_component(object))
    })
}

/// The files whose root has changed from one side to the other.
pub(crate) fn moved_files<'v>(profiles: Sides<&'v View<'_>>) -> MovedFiles<'v> {
    MovedFiles::new(&profiles.map(|view| files(view)))
}

/// The paths of files in a profile: those of functions, in their names, or the names of groups.
fn files<'v>(profile: &'v View<'_>) -> HashSet<&'v [u8]> {
    let mut files = HashSet::default();
    for (id, _) in profile.functions() {
        let [_, file, name] = profile.names_of(id);
        match profile.by() {
            GroupBy::File | GroupBy::Object => files.extend([name]),
            GroupBy::Line => files.extend([file]),
            GroupBy::Function | GroupBy::Class | GroupBy::Package | GroupBy::Part => {
                files.extend(is_known(file).then_some(file));
                files.extend(paths(name).map(|path| &name[path]));
            }
        }
    }
    files
}

/// The functions that have the same key.
fn alike<Key: Eq + Hash>(
    profiles: Sides<&View<'_>>,
    key: impl Fn(Side, FunctionId) -> Key,
) -> Vec<JoinedFunctions> {
    let mut alike: HashMap<Key, JoinedFunctions> = HashMap::default();
    for side in Sides::EACH {
        for (id, _) in profiles[side].functions() {
            alike.entry(key(side, id)).or_default()[side].push(id);
        }
    }
    alike.into_values().collect()
}

/// Joins functions that only one side has with those that have the same key on the other side, if no
/// more than `most` have it.
fn join<Key: Eq + Hash>(
    all: impl IntoIterator<Item = JoinedFunctions>,
    most: usize,
    key: impl Fn(Side, FunctionId) -> Key,
) -> Vec<JoinedFunctions> {
    let (mut joined, alone): (Vec<_>, Vec<_>) = all.into_iter().partition(is_on_both);
    let mut named: HashMap<Key, Vec<JoinedFunctions>> = HashMap::default();
    for one in alone {
        let (side, id) = first(&one);
        named.entry(key(side, id)).or_default().push(one);
    }
    for alike in named.into_values() {
        let all = Sides::EACH.map(|side| {
            let mut all: Vec<_> = alike.iter().flat_map(|one| &one[side]).copied().collect();
            all.sort_unstable();
            all
        });
        if is_on_both(&all) && alike.len() <= most {
            joined.push(all);
        } else {
            joined.extend(alike);
        }
    }
    joined
}

fn is_on_both(functions: &JoinedFunctions) -> bool {
    !functions.base.is_empty() && !functions.new.is_empty()
}

/// The first function of the new side, unless only the base has one.
fn first(functions: &JoinedFunctions) -> (Side, FunctionId) {
    match functions.new.first() {
        Some(&id) => (Side::New, id),
        None => (Side::Base, functions.base[0]),
    }
}

/// The most pairs that are compared to find the functions of a family that belong together.
const MAX_PAIRS: usize = 1 << 22;

/// A name without clones and lines, and the lines.
fn original_name(name: &[u8]) -> (Cow<'_, [u8]>, Vec<u64>) {
    match without_lines(name) {
        (Cow::Borrowed(name), lines) => (original(name).into(), lines),
        with_lines => with_lines,
    }
}

/// The rows of a family: one, if there are no lines in its name.
fn rows(profiles: Sides<&View<'_>>, family: JoinedFunctions) -> Vec<JoinedFunctions> {
    let units = profiles.zip(family).map(|(profile, functions)| {
        let mut units: BTreeMap<Vec<u64>, Vec<FunctionId>> = BTreeMap::new();
        for id in functions {
            let [.., name] = profile.names_of(id);
            units.entry(without_lines(name).1).or_default().push(id);
        }
        let units = units.into_iter();
        units
            .map(|(lines, functions)| AlikeFunctions::of(profile, lines, functions))
            .collect::<Vec<_>>()
    });
    let counts = units.as_ref().map(Vec::len);
    let steps = match counts.base * counts.new {
        1..=MAX_PAIRS if counts.base != counts.new => aligned(&units.base, &units.new),
        _ => Vec::new(),
    };
    // The others are paired in their order.
    let both = Sides {
        base: true,
        new: true,
    };
    let steps = steps.into_iter().chain(iter::repeat(both));
    let mut units = units.map(Vec::into_iter);
    let rows = steps.map(|is_taken| {
        Sides::EACH.map(|side| {
            let unit = is_taken[side].then(|| units[side].next()).flatten();
            unit.map_or_else(Vec::new, |unit| unit.functions)
        })
    });
    rows.take_while(|row| *row != JoinedFunctions::default())
        .collect()
}

impl FunctionChange {
    /// The change of functions in an event.
    pub(super) fn new(
        functions: JoinedFunctions,
        profiles: Sides<&View<'_>>,
        event: &ComparedEvent<'_>,
    ) -> Self {
        let (side, id) = first(&functions);
        let named = functions[side].iter().copied();
        let named = named.min_by_key(|&id| profiles[side].names_of(id));
        let sides = profiles.zip(functions.as_ref());
        let names = sides.map(|(profile, functions)| -> BTreeSet<_> {
            let names = functions.iter().map(|&id| profile.names_of(id));
            names.map(|[.., name]| without_directories(name)).collect()
        });
        let are_functions = profiles.new.by() == GroupBy::Function;
        let has_several = are_functions && names.base.union(&names.new).nth(1).is_some();
        FunctionChange {
            named: (side, named.unwrap_or(id)),
            has_several_names: has_several,
            sums: event.sums_of(profiles, &functions),
            transition: (are_functions && is_on_both(&functions))
                .then(|| Transition::of(sides, names))
                .flatten(),
            functions,
        }
    }
}

impl Transition {
    /// The change of functions that both sides have, with their names without directories.
    fn of(
        functions: Sides<(&View<'_>, &Vec<FunctionId>)>,
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
            let has_lines = |name: &Vec<u8>| !without_lines(name).1.is_empty();
            let (word, what) = if names.base.iter().any(has_lines) {
                ("was", list(names.base))
            } else {
                ("now", list(names.new))
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
struct AlikeFunctions {
    /// The line numbers in its name: none, or those of its beginning and end.
    lines: Vec<u64>,
    functions: Vec<FunctionId>,
    /// A hash of the names of its callers.
    callers: u64,
}

impl AlikeFunctions {
    fn of(profile: &View<'_>, lines: Vec<u64>, functions: Vec<FunctionId>) -> Self {
        let mut callers = BTreeSet::new();
        if !lines.is_empty() {
            let edges = functions.iter().flat_map(|&id| profile.called_from(id));
            callers.extend(edges.map(|edge| {
                let [.., name] = profile.names_of(edge.caller);
                without_directories(&without_lines(name).0)
            }));
        }
        AlikeFunctions {
            lines,
            functions,
            callers: FixedState::default().hash_one(&callers),
        }
    }

    /// The likeness of two of them: at least 1.
    fn likeness(&self, other: &AlikeFunctions) -> u32 {
        let length =
            |unit: &AlikeFunctions| Some(unit.lines.last()?.wrapping_sub(*unit.lines.first()?));
        1 + 2 * u32::from(length(self) == length(other))
            + 2 * u32::from(self.callers == other.callers)
            + u32::from(self.lines == other.lines)
    }
}

/// Pairs the elements of two lists without changing their order: as many as possible, and the most
/// similar ones. Each step takes the next element of one list or of both, until a list ends.
fn aligned(base: &[AlikeFunctions], new: &[AlikeFunctions]) -> Vec<Sides<bool>> {
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
    let mut steps = Vec::new();
    while of_base < base.len() && of_new < new.len() {
        let here = best[of_base * width + of_new];
        let skips_base = here == best[(of_base + 1) * width + of_new];
        let skips_new = !skips_base && here == best[of_base * width + of_new + 1];
        let step = Sides {
            base: !skips_new,
            new: !skips_base,
        };
        of_base += usize::from(step.base);
        of_new += usize::from(step.new);
        steps.push(step);
    }
    steps
}
