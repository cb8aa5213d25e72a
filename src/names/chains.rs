//! What Valgrind's Callgrind adds to the names of functions: recursion levels and callers.
//!
//! With `--separate-callers=N` it writes a function once for each chain of up to N callers:
//! `f'g'h` is `f` as called by `g` as called by `h`. With `--separate-recs` (2, unless told
//! otherwise) `f'2` are the deeper levels of recursion; together that is `f'2'g'h`.
//!
//! Names can contain `'` themselves: `<Foo<'a> as Bar>::run`. So a caller must be the name of a
//! function in the profile. The name of a function ends at the first `'` outside of brackets or, if
//! brackets do not pair, at the first. If everything is Callgrind's, callers need not be in the
//! profile: they may have run only while nothing was recorded, or in another part.

use super::pieces::{PieceKind, Pieces};
use crate::maps::HashSet;

/// A name in its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ChainedName<'a> {
    /// The name of the function, without its callers and its recursion level.
    pub own: &'a [u8],
    /// Its callers, the nearest first, with `'` between them; empty if none are given.
    pub chain: &'a [u8],
    /// The recursion level; 0 if there is none.
    pub level: u32,
}

/// The names of functions that others may be called by.
#[derive(Debug, Default)]
pub(crate) struct Chains<'a> {
    /// Empty if no name is read in this way.
    known: HashSet<&'a [u8]>,
    /// Whether all names are Callgrind's.
    are_of_callgrind: bool,
}

impl<'a> Chains<'a> {
    /// Collects the beginnings of names. `are_of_callgrind`: whether all names are Callgrind's.
    pub fn new(names: impl Iterator<Item = &'a [u8]>, are_of_callgrind: bool) -> Self {
        Chains {
            known: names.map(|name| &name[..beginning(name)]).collect(),
            are_of_callgrind,
        }
    }

    /// Takes a name apart.
    pub fn split(&self, name: &'a [u8]) -> ChainedName<'a> {
        self.try_split(name).unwrap_or(ChainedName {
            own: name,
            chain: b"",
            level: 0,
        })
    }

    fn try_split(&self, name: &'a [u8]) -> Option<ChainedName<'a>> {
        let end = Some(beginning(name)).filter(|&end| end > 0)?;
        let own = self.known.get(&name[..end])?;
        let mut chain = name[end..].strip_prefix(b"'")?;
        let digits = chain
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let number = str::from_utf8(&chain[..digits]).unwrap_or("").parse();
        let (mut level, mut has_callers) = (0, true);
        if let (Ok(number), None | Some(b'\'')) = (number, chain.get(digits)) {
            level = number;
            has_callers = digits < chain.len();
            chain = chain.get(digits + 1..).unwrap_or(b"");
        }
        if has_callers {
            self.callers(chain)?;
        }
        Some(ChainedName { own, chain, level })
    }

    /// The callers in a chain, the nearest first and at most [`MAX_CALLERS`]; `None` if one of
    /// these cannot be the name of a function.
    pub fn callers(&self, chain: &'a [u8]) -> Option<Vec<&'a [u8]>> {
        let mut callers = Vec::new();
        let mut rest = chain;
        loop {
            let quotes = memchr::memchr_iter(b'\'', rest).chain([rest.len()]);
            let ends = quotes.take(MAX_QUOTES);
            if let None | Some(b'\'') = rest.first() {
                return None;
            }
            let mut known = ends.clone();
            let end = match known.find(|&end| self.known.contains(&rest[..end])) {
                None if self.are_of_callgrind => {
                    let is_whole = |&at: &usize| end(&rest[..at]) == Some(at);
                    ends.clone().find(is_whole).or(ends.clone().next())?
                }
                end => end?,
            };
            callers.push(&rest[..end]);
            match rest.get(end + 1..) {
                Some(next) if callers.len() < MAX_CALLERS => rest = next,
                _ => return Some(callers),
            }
        }
    }
}

/// The most callers of a name: with the function itself, a stack has 1,024 frames.
const MAX_CALLERS: usize = 1_023;

/// The most `'` that are searched in the name of one caller, so that names with many do not take
/// long.
const MAX_QUOTES: usize = 16;

/// The end of the name of the function itself, if callers follow.
pub(super) fn beginning(name: &[u8]) -> usize {
    match memchr::memchr(b'\'', name) {
        None => name.len(),
        Some(first) => end(name).unwrap_or(first),
    }
}

/// The first `'` outside of brackets, or the end; `None` if brackets do not pair.
fn end(name: &[u8]) -> Option<usize> {
    let mut pieces = Pieces::of(name);
    match pieces.find(|piece| piece.kind == PieceKind::Quote && piece.depth == 0) {
        Some(quote) => Some(quote.range.start),
        None => pieces.is_paired().then_some(name.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split<'a>(names: &[&'a str], name: &'a str) -> (&'a str, u32, Vec<&'a str>) {
        split_of(false, names, name)
    }

    fn split_of<'a>(
        are_of_callgrind: bool,
        names: &[&'a str],
        name: &'a str,
    ) -> (&'a str, u32, Vec<&'a str>) {
        let text = |bytes: &'a [u8]| str::from_utf8(bytes).unwrap();
        let all = names.iter().chain([&name]).map(|name| name.as_bytes());
        let chains = Chains::new(all, are_of_callgrind);
        let ChainedName { own, chain, level } = chains.split(name.as_bytes());
        let callers = match chain {
            b"" => Vec::new(),
            chain => chains.callers(chain).unwrap(),
        };
        (text(own), level, callers.into_iter().map(text).collect())
    }

    #[test]
    fn names_are_taken_apart_where_every_part_is_a_name() {
        let names = ["main'(below main)", "(below main)", "operator<'main"];
        for (name, expected) in [
            ("f", ("f", 0, vec![])),
            ("f'2", ("f", 2, vec![])),
            ("f'main", ("f", 0, vec!["main"])),
            (
                "f'3'main'(below main)",
                ("f", 3, vec!["main", "(below main)"]),
            ),
            ("operator<'2'main", ("operator<", 2, vec!["main"])),
            ("f'operator<'main", ("f", 0, vec!["operator<", "main"])),
            // A text that is not a name in the profile is not a caller.
            ("f'absent", ("f'absent", 0, vec![])),
            ("f'main'absent", ("f'main'absent", 0, vec![])),
            ("foldl'", ("foldl'", 0, vec![])),
            ("f'2'", ("f'2'", 0, vec![])),
            ("operator->'2'main", ("operator->", 2, vec!["main"])),
            (
                "operator<=><a<'b>>'main",
                ("operator<=><a<'b>>", 0, vec!["main"]),
            ),
            ("f<(2>1), 'x'>'main", ("f<(2>1), 'x'>", 0, vec!["main"])),
        ] {
            assert_eq!(split(&names, name), expected, "{name}");
        }
    }

    #[test]
    fn lifetimes_and_separators_of_digits_are_parts_of_names() {
        let run = "<app::Foo<'a> as Bar>::run";
        let names = ["main", "run<1'000>'main", "<app::Foo<'a> as Bar>::run'main"];
        for (name, expected) in [
            (run, (run, 0, vec![])),
            ("run<1'000>", ("run<1'000>", 0, vec![])),
            ("<fn(&'a T) -> U>::f'2", ("<fn(&'a T) -> U>::f", 2, vec![])),
            ("<app::Foo<'a> as Bar>::run'2", (run, 2, vec![])),
            (
                "f'<app::Foo<'a> as Bar>::run'main",
                ("f", 0, vec![run, "main"]),
            ),
            ("f'run<1'000>'main", ("f", 0, vec!["run<1'000>", "main"])),
        ] {
            assert_eq!(split(&names, name), expected, "{name}");
        }
    }

    #[test]
    fn a_caller_may_have_fifteen_quotes() {
        let callers = |quotes| {
            let caller = format!("g<{}>", "'a".repeat(quotes));
            let name = format!("f'{caller}");
            let (_, _, callers) = split(&[&caller], &name);
            callers.len()
        };
        assert_eq!([15, 16].map(callers), [1, 0]);
    }

    #[test]
    fn callers_without_a_name_are_callers_where_all_is_of_callgrind() {
        for (name, expected) in [
            ("f'absent", ("f", 0, vec!["absent"])),
            ("f'2'g<'a>'main", ("f", 2, vec!["g<'a>", "main"])),
            ("f'operator<'main", ("f", 0, vec!["operator<", "main"])),
            // Every function has a name.
            ("foldl'", ("foldl'", 0, vec![])),
            ("f'2'", ("f'2'", 0, vec![])),
            ("'main", ("'main", 0, vec![])),
            ("f''main", ("f''main", 0, vec![])),
            ("Map<'a, char>::get", ("Map<'a, char>::get", 0, vec![])),
        ] {
            assert_eq!(split_of(true, &[], name), expected, "{name}");
        }
    }
}
