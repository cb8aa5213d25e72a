//! What Valgrind's Callgrind adds to the names of functions: recursion levels and callers.
//!
//! With `--separate-callers=N` it writes a function once for each chain of up to N callers:
//! `f'g'h` is `f` as called by `g` as called by `h`. With `--separate-recs` (2, unless told
//! otherwise) `f'2` are the deeper levels of recursion; together that is `f'2'g'h`.
//!
//! `'` can also stand in a name: `<Foo<'a> as Bar>::run`. So a name is read in this way only if a
//! `creator:` line says that the profile may come from Callgrind, and if each of its parts is the
//! beginning of a name of the profile: whoever called something has a name of its own. The
//! beginning ends at the first `'` outside of brackets or, if brackets do not pair, at the first.

use std::collections::HashSet;

use foldhash::fast::RandomState;

use crate::profile::Profile;

/// A name in its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Name<'a> {
    /// The name of the function.
    pub frame: &'a [u8],
    /// Its callers, the nearest first, with `'` between them; empty if it has none.
    pub chain: &'a [u8],
    /// The recursion level; 0 where none is given.
    pub level: u32,
}

/// The names of functions that others may be called by.
#[derive(Debug)]
pub(super) struct Chains<'a> {
    /// Empty if no name is read in this way.
    known: HashSet<&'a [u8], RandomState>,
}

impl<'a> Chains<'a> {
    /// Collects what the names of a profile begin with.
    pub fn new(profile: &Profile, names: impl Iterator<Item = &'a [u8]>) -> Self {
        let may_have_chains = profile.headers().any(|header| {
            let creators = [&b"callgrind-"[..], b"cg-preprocess "];
            let is_one = |creator: &[u8]| header.value().starts_with(creator);
            header.key() == b"creator" && creators.into_iter().any(is_one)
        });
        let mut known = HashSet::default();
        if may_have_chains {
            known.extend(names.map(|name| &name[..beginning(name)]));
        }
        Chains { known }
    }

    /// Takes a name apart.
    pub fn split(&self, name: &'a [u8]) -> Name<'a> {
        let whole = Name {
            frame: name,
            chain: b"",
            level: 0,
        };
        let end = beginning(name);
        let Some((b'\'', mut chain)) = name[end..].split_first().map(|(&at, rest)| (at, rest))
        else {
            return whole;
        };
        if !self.known.contains(&name[..end]) {
            return whole;
        }
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
        if has_callers && self.callers(chain).is_none() {
            return whole;
        }
        Name {
            frame: &name[..end],
            chain,
            level,
        }
    }

    /// The callers in a chain, the nearest first and at most [`MAX_CALLERS`]; none if one of these
    /// is no known name.
    pub fn callers(&self, chain: &'a [u8]) -> Option<Vec<&'a [u8]>> {
        let mut callers = Vec::new();
        let mut rest = chain;
        loop {
            let ends = memchr::memchr_iter(b'\'', rest).chain([rest.len()]);
            let end = ends
                .take(MAX_QUOTES)
                .find(|&end| self.known.contains(&rest[..end]))?;
            callers.push(&rest[..end]);
            match rest.get(end + 1..) {
                Some(next) if callers.len() < MAX_CALLERS => rest = next,
                _ => return Some(callers),
            }
        }
    }
}

/// A stack is cut where a name has more callers: with the function itself, it has 1,024 frames.
const MAX_CALLERS: usize = 1_023;

/// So many `'` are sought in the name of one caller: a name of many must not take long.
const MAX_QUOTES: usize = 16;

/// Where the name of the function itself ends.
fn beginning(name: &[u8]) -> usize {
    let Some(first) = memchr::memchr(b'\'', name) else {
        return name.len();
    };
    let mut depth = 0;
    for (at, byte) in name.iter().enumerate() {
        match byte {
            b'<' | b'(' | b'[' | b'{' => depth += 1,
            b'>' | b')' | b']' | b'}' => depth -= 1,
            b'\'' if depth == 0 => return at,
            _ => {}
        }
    }
    if depth == 0 { name.len() } else { first }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{ProfileBuilder, ProfileOptions};

    fn split<'a>(names: &[&'a str], name: &'a str) -> (&'a str, u32, Vec<&'a str>) {
        let text = |bytes: &'a [u8]| str::from_utf8(bytes).unwrap();
        let mut builder = ProfileBuilder::new(ProfileOptions::default());
        builder.add_header(b"creator: callgrind-3.19.0");
        let profile = builder.finish().unwrap();
        let all = names.iter().chain([&name]).map(|name| name.as_bytes());
        let chains = Chains::new(&profile, all);
        let Name {
            frame,
            chain,
            level,
        } = chains.split(name.as_bytes());
        let callers = match chain {
            b"" => Vec::new(),
            chain => chains.callers(chain).unwrap(),
        };
        (text(frame), level, callers.into_iter().map(text).collect())
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
            // What is no name of the profile is no caller.
            ("f'absent", ("f'absent", 0, vec![])),
            ("f'main'absent", ("f'main'absent", 0, vec![])),
            ("foldl'", ("foldl'", 0, vec![])),
            ("f'2'", ("f'2'", 0, vec![])),
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
}
