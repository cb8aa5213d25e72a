//! Finds the files of the base that are in another root directory in the new profile, such as that of
//! another release.
//!
//! `/srv/41/src/a.php` has become `/srv/42/src/a.php` if most files below `/srv/41` have become files below
//! `/srv/42`. That two files have the same last component says nothing: a program has many files called
//! `autoload.php`. So it must not be possible that a directory was replaced in a root that stayed the same, and if
//! several directories come into question, none is it.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::{Side, Sides};
use crate::maps::{HashMap, HashSet};
use crate::names::{last_component, with_paths};

/// The new path of each such file of the base.
#[derive(Debug, Default)]
pub(crate) struct MovedFiles<'a>(HashMap<&'a [u8], &'a [u8]>);

/// What is compared: the files, or their directories without the end that they have in common.
type Paths<'a> = Sides<&'a [u8]>;

/// Deeper files are not compared, so that long paths do not take long.
const MAX_DEPTH: usize = 64;

/// If there are more pairs of files with the same last component, they are not compared.
const MAX_PAIRS: usize = 1 << 12;

impl<'a> MovedFiles<'a> {
    /// Compares the files of both sides.
    pub fn new(files: &Sides<HashSet<&'a [u8]>>) -> Self {
        let alone = Alone::of(files);
        if alone.named.is_empty() {
            return MovedFiles::default();
        }
        let mut candidates: BTreeMap<Paths<'_>, Vec<Paths<'_>>> = BTreeMap::new();
        for alike in alone.named.values() {
            for &base in &alike.base {
                for &new in &alike.new {
                    let files = Sides { base, new };
                    candidates.entry(roots(files)).or_default().push(files);
                }
            }
        }
        let mut by_count: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (roots, files) in candidates {
            let of_count = by_count.entry(Reverse(files.len())).or_default();
            of_count.push((roots, files));
        }
        let mut moved = MovedFiles::default();
        let mut known: Sides<HashSet<&[u8]>> = Sides::default();
        for mut candidates in by_count.into_values() {
            candidates.retain(|(roots, files)| {
                let is_below = |side: Side| {
                    let mut above = directories(roots[side]).chain([roots[side]]);
                    above.any(|root| known[side].contains(root))
                };
                let are_below = is_below(Side::Base) || is_below(Side::New);
                !are_below && alone.has_changed(*roots, files.len())
            });
            let mut claims: Sides<HashMap<&[u8], usize>> = Sides::default();
            for files in candidates.iter().flat_map(|(_, files)| files) {
                for side in Sides::EACH {
                    *claims[side].entry(files[side]).or_default() += 1;
                }
            }
            let is_unique = |files: &Paths<'_>| {
                let counts = Sides::EACH.map(|side| claims[side].get(files[side]));
                counts.into_iter().all(|count| count == Some(&1))
            };
            candidates.retain(|(_, files)| files.iter().all(is_unique));
            for (roots, files) in candidates {
                for side in Sides::EACH {
                    known[side].insert(roots[side]);
                }
                moved.0.extend(files.iter().map(|one| (one.base, one.new)));
            }
        }
        moved
    }

    /// The path of a file in the new profile.
    pub fn in_new<'f>(&self, side: Side, file: &'f [u8]) -> &'f [u8]
    where
        'a: 'f,
    {
        match side {
            Side::Base => self.0.get(file).copied().unwrap_or(file),
            Side::New => file,
        }
    }

    /// A name with the paths in it as in the new profile.
    pub fn name_in_new<'f>(&self, side: Side, name: &'f [u8]) -> Cow<'f, [u8]>
    where
        'a: 'f,
    {
        if self.0.is_empty() || side == Side::New {
            name.into()
        } else {
            with_paths(name, |path| self.in_new(side, path)).into()
        }
    }
}

/// The files that only one side has.
struct Alone<'a> {
    /// By last component.
    named: BTreeMap<&'a [u8], Sides<Vec<&'a [u8]>>>,
    /// Their number below each directory.
    counts: Sides<HashMap<&'a [u8], usize>>,
    /// The directories of files that both sides have.
    shared: HashSet<&'a [u8]>,
}

impl<'a> Alone<'a> {
    fn of(files: &Sides<HashSet<&'a [u8]>>) -> Self {
        let mut alone = Alone {
            named: BTreeMap::new(),
            counts: Sides::default(),
            shared: HashSet::default(),
        };
        for side in Sides::EACH {
            for &file in &files[side] {
                if directories(file).count() > MAX_DEPTH {
                    continue;
                }
                if Sides::EACH
                    .into_iter()
                    .all(|side| files[side].contains(file))
                {
                    alone.shared.extend(directories(file));
                } else {
                    alone.named.entry(last_component(file)).or_default()[side].push(file);
                }
            }
        }
        let pairs = |alike: &Sides<Vec<_>>| alike.base.len().saturating_mul(alike.new.len());
        alone.named.retain(|_, alike| pairs(alike) <= MAX_PAIRS);
        for alike in alone.named.values() {
            for side in Sides::EACH {
                for directory in alike[side].iter().flat_map(|file| directories(file)) {
                    *alone.counts[side].entry(directory).or_default() += 1;
                }
            }
        }
        alone
    }

    /// Whether these are the old and the new root directory of a program, where `pairs` is the number of
    /// files with a counterpart.
    fn has_changed(&self, roots: Paths<'_>, pairs: usize) -> bool {
        let common = common_directory(roots);
        let is_in_use = !common.is_empty() && self.shared.contains(common);
        let counted = if is_in_use || pairs == 1 {
            Sides {
                base: &b""[..],
                new: b"",
            }
        } else {
            roots
        };
        let all = Sides::EACH.map(|side| self.counts[side].get(counted[side]).copied());
        let fewest = all.into_iter().flatten().min().unwrap_or(0);
        (pairs > 1 || !is_in_use) && 2 * pairs > fewest
    }
}

fn is_separator(byte: u8) -> bool {
    matches!(byte, b'/' | b'\\')
}

/// All directories that a file is in, without separators at their ends; first the empty one.
fn directories(file: &[u8]) -> impl Iterator<Item = &[u8]> {
    let ends = memchr::memchr2_iter(b'/', b'\\', file).filter(|&end| end > 0);
    [0].into_iter().chain(ends).map(|end| &file[..end])
}

/// The directories of two files without the components at their ends that are the same.
fn roots(files: Paths<'_>) -> Paths<'_> {
    let Sides { base, new } = files;
    let both = base.iter().rev().zip(new.iter().rev());
    let common = both.take_while(|(base, new)| base == new).count();
    let begins = |file: &[u8], length: usize| {
        let before = file.len() - length;
        before == 0 || is_separator(file[before - 1])
    };
    let mut lengths = (1..=common).rev();
    let length = lengths.find(|&length| begins(base, length) && begins(new, length));
    files.map(|file| &file[..(file.len() - length.unwrap_or(0)).saturating_sub(1)])
}

/// The directory that both are in, or that one of them is.
fn common_directory(roots: Paths<'_>) -> &[u8] {
    let Sides { base, new } = roots;
    let both = base.iter().zip(new);
    let common = both.take_while(|(base, new)| base == new).count();
    let is_end = |path: &[u8], end: usize| path.get(end).is_none_or(|&byte| is_separator(byte));
    let mut ends = (0..=common).rev();
    let end = ends.find(|&end| is_end(base, end) && is_end(new, end));
    &base[..end.unwrap_or(0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moved(base: &[&str], new: &[&str]) -> String {
        let files = Sides { base, new };
        let files = files.map(|files| files.iter().map(|file| file.as_bytes()).collect());
        let moved = MovedFiles::new(&files);
        let mut shown: Vec<String> = base
            .iter()
            .map(|file| String::from_utf8_lossy(moved.in_new(Side::Base, file.as_bytes())).into())
            .collect();
        for (shown, file) in shown.iter_mut().zip(base) {
            if shown == file {
                *shown = "-".to_owned();
            }
        }
        shown.join(" ")
    }

    #[test]
    fn files_are_paired_below_a_root_that_changed() {
        for (base, new, expected) in [
            (
                &["/srv/41/a.c", "/srv/41/lib/b.c"][..],
                &["/srv/42/a.c", "/srv/42/lib/b.c"][..],
                "/srv/42/a.c /srv/42/lib/b.c",
            ),
            // The only file of a program.
            (
                &["/old/a.c", "/lib/x.c"],
                &["/new/a.c", "/lib/x.c"],
                "/new/a.c -",
            ),
            (&["src/a.c"], &["/srv/src/a.c"], "/srv/src/a.c"),
            (&["a.c"], &["/srv/a.c"], "/srv/a.c"),
            (&[r"C:\old\a.c"], &[r"C:\new\a.c"], r"C:\new\a.c"),
            (&["/srv/141/a.c"], &["/srv/41/a.c"], "/srv/41/a.c"),
            // Packages of the same root.
            (
                &["/s/y/autoload.php", "/s/main.php"],
                &["/s/z/autoload.php", "/s/main.php"],
                "- -",
            ),
            (
                &[
                    "/s/main.php",
                    "/s/y/autoload.php",
                    "/s/y/src/a.php",
                    "/s/x.php",
                ],
                &[
                    "/s/main.php",
                    "/s/z/autoload.php",
                    "/s/z/src/a.php",
                    "/s/y.php",
                    "/s/w.php",
                    "/s/v.php",
                    "/s/u.php",
                    "/s/t.php",
                ],
                "- /s/z/autoload.php /s/z/src/a.php -",
            ),
            (
                &["/s/41/v/y/src/a.php", "/s/41/main.php", "/s/41/index.php"],
                &["/s/42/v/z/src/a.php", "/s/42/main.php", "/s/42/index.php"],
                "- /s/42/main.php /s/42/index.php",
            ),
            // Several directories come into question.
            (&["/y/a.c"], &["/z/a.c", "/w/a.c"], "-"),
            (&["/y/a.c", "/w/a.c"], &["/z/a.c"], "- -"),
            // Nothing else has moved there.
            (&["/y/a.c", "/y/b.c"], &["/z/a.c", "/z/c.c"], "- -"),
            // A file that both have stays where it is.
            (
                &["/srv/41/a.c", "/srv/41/b.c", "/srv/41/c.c"],
                &["/srv/42/a.c", "/srv/42/b.c", "/srv/41/c.c"],
                "/srv/42/a.c /srv/42/b.c -",
            ),
            // Below a root that has changed, nothing else has, on either side.
            (
                &[
                    "/s/41/a.c",
                    "/s/41/b.c",
                    "/s/41/e.c",
                    "/old/c.c",
                    "/old/d.c",
                ],
                &[
                    "/s/42/a.c",
                    "/s/42/b.c",
                    "/s/42/e.c",
                    "/s/42/v/c.c",
                    "/s/42/v/d.c",
                ],
                "/s/42/a.c /s/42/b.c /s/42/e.c - -",
            ),
            (
                &[
                    "/s/41/a.c",
                    "/s/41/b.c",
                    "/s/41/e.c",
                    "/s/41/v/c.c",
                    "/s/41/v/d.c",
                ],
                &[
                    "/s/42/a.c",
                    "/s/42/b.c",
                    "/s/42/e.c",
                    "/new/c.c",
                    "/new/d.c",
                ],
                "/s/42/a.c /s/42/b.c /s/42/e.c - -",
            ),
            (&[], &["/srv/a.c"], ""),
        ] {
            assert_eq!(moved(base, new), expected, "{base:?} {new:?}");
        }
    }
}
