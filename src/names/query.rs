//! Finds functions by their names, or by names as shown.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use thiserror::Error;

use super::outline::without_arguments;
use super::short::{SHORT, short_name};
use crate::display::text::printable;
use crate::maps::HashSet;

/// No function, or no group of functions, matches the requested name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("nothing has \"{name}\" in its name, file or object{closest}")]
pub struct UnknownFunction {
    name: String,
    closest: String,
}

/// The most functions that are shown of those whose names only contain the words.
const MAX_MATCHES: usize = 10;

/// A function, or a group of functions.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Named<'a> {
    pub name: &'a [u8],
    pub object: &'a [u8],
    pub file: &'a [u8],
    /// 0 if it is unknown.
    pub line: u64,
    /// The costliest function of a group.
    pub costliest: Option<&'a [u8]>,
}

impl<'a> Named<'a> {
    /// Its name, printable; `???` if it is empty.
    pub fn shown(&self) -> String {
        match self.name {
            b"" => "???".to_owned(),
            name => printable(name),
        }
    }

    /// The texts by which it can be found, besides its name.
    fn places(&self) -> [&'a [u8]; 2] {
        match self.costliest {
            None => [self.file, self.object],
            Some(function) => [function, b""],
        }
    }
}

/// A requested name, or words. `…` and `*` match any text, so short names from a table work.
pub(crate) struct NameQuery {
    text: String,
    lowercase: String,
}

impl NameQuery {
    /// What was typed.
    pub fn new(typed: &[u8]) -> Self {
        let text = printable(typed);
        let lowercase = text.to_lowercase();
        NameQuery { text, lowercase }
    }

    /// The typed text, printable.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The positions of the functions that match best, and the most of them to show.
    ///
    /// Whole names come first; then names that end with it, as `Shop\fib` with `fib`; then names
    /// with its words; then files and objects with them.
    pub fn find(&self, all: &[Named<'_>]) -> Result<(Vec<usize>, usize), UnknownFunction> {
        let ranks: Vec<u8> = all.iter().map(|one| self.rank(&one.shown())).collect();
        match ranks.iter().min() {
            Some(&best) if best < 4 => {
                let found = (0..all.len()).filter(|&at| ranks[at] == best).collect();
                let most = if best < 3 { usize::MAX } else { MAX_MATCHES };
                Ok((found, most))
            }
            _ => Ok((self.containing(all)?, MAX_MATCHES)),
        }
    }

    /// The quality of a match: 0 is best.
    fn rank(&self, name: &str) -> u8 {
        match name {
            _ if name == self.text => 0,
            _ if self.is(name) => 1,
            _ if self.is_last_of(name) => 2,
            _ if self.is_in(name, &[]) => 3,
            _ => 4,
        }
    }

    /// The positions of the functions that have its words in their names, files or objects.
    pub fn containing(&self, all: &[Named<'_>]) -> Result<Vec<usize>, UnknownFunction> {
        let contains = |&at: &usize| self.is_in(&all[at].shown(), &all[at].places());
        let found: Vec<usize> = (0..all.len()).filter(contains).collect();
        if found.is_empty() {
            return Err(UnknownFunction {
                name: self.text.clone(),
                closest: self.closest(all.iter().map(Named::shown)),
            });
        }
        Ok(found)
    }

    /// Whether it is a whole name.
    fn is(&self, name: &str) -> bool {
        let Some((begin, rest)) = self.text.split_once(WILDCARDS) else {
            return name == self.text;
        };
        let end = rest.rsplit(WILDCARDS).next().unwrap_or(rest);
        let middle = &rest[..rest.len() - end.len()];
        name.strip_prefix(begin)
            .and_then(|rest| rest.strip_suffix(end))
            .is_some_and(|rest| contains(rest, middle))
    }

    /// Whether it is the end of a name, after a namespace or a class and before parameters.
    fn is_last_of(&self, name: &str) -> bool {
        let before = without_arguments(name).strip_suffix(&self.text);
        before.is_some_and(|before| {
            before.is_empty() || ["\\", "::", "->"].iter().any(|mark| before.ends_with(mark))
        })
    }

    /// Whether each of its words is in a name or in one of these places, in upper or lower case.
    fn is_in(&self, name: &str, places: &[&[u8]]) -> bool {
        let lowercase = |text: &str| text.to_lowercase();
        let name = lowercase(name);
        let is_there = |place: &&[u8], word: &str| contains(&lowercase(&printable(place)), word);
        let mut words = self.lowercase.split_whitespace();
        words.all(|word| contains(&name, word) || places.iter().any(|place| is_there(place, word)))
    }

    /// The names that are most similar, as the end of a sentence.
    pub fn closest(&self, names: impl Iterator<Item = String>) -> String {
        const CLOSEST: usize = 5;
        let pairs = |text: &str| -> HashSet<(char, char)> {
            text.chars().zip(text.chars().skip(1)).collect()
        };
        let wanted = pairs(&self.lowercase);
        let ranked = names.map(|name| {
            let pairs = pairs(&name.to_lowercase());
            let common = pairs.intersection(&wanted).count();
            (Reverse(common), pairs.len(), name)
        });
        let similar: BTreeSet<_> = ranked.filter(|(common, ..)| common.0 > 0).collect();
        let similar = similar.into_iter().take(CLOSEST);
        let names: Vec<String> = similar.map(|(.., name)| short_name(&name, SHORT)).collect();
        match &names[..] {
            [] => String::new(),
            names => format!("; closest: {}", names.join(", ")),
        }
    }
}

/// Whether a text contains another one, in which some characters match any text.
fn contains(text: &str, wanted: &str) -> bool {
    let mut pieces = wanted.split(WILDCARDS);
    let rest = pieces.try_fold(text, |rest, piece| Some(rest.split_once(piece)?.1));
    rest.is_some()
}

/// These match any text. In C++ names, the second one also matches itself.
const WILDCARDS: [char; 2] = ['…', '*'];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_by_what_is_shown_of_them() {
        let wanted = |typed: &str| NameQuery::new(typed.as_bytes());
        let name = "hash_table<map<int>>::find(char const&) const";
        for typed in [
            name,
            "hash_table<…>::find(…) const",
            "…::find(…) const",
            "hash…t",
            "hash*::find*",
            "*",
        ] {
            assert!(wanted(typed).is(name), "{typed}");
        }
        for typed in [
            "hash_table",
            "find(…) const",
            "hash_table<…>",
            "…::find(…)const",
            "hash…x…t",
        ] {
            assert!(!wanted(typed).is(name), "{typed}");
        }
        assert!(wanted("TABLE<*>::Find").is_in(name, &[]));
        assert!(!wanted("find…table").is_in(name, &[]));
        let names = [
            "mb_strlen",
            "strrev",
            "main",
            "str_replace",
            "strlen",
            "substr",
            "strpos",
        ];
        assert_eq!(
            wanted("strln").closest(names.into_iter().map(str::to_owned)),
            "; closest: strlen, mb_strlen, strpos, strrev, substr"
        );
    }
}
