//! How functions are found by their names, or by what was shown of these.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use thiserror::Error;

use super::short::{ELLIPSIS, SHORT, short_name};
use crate::display::text::printable;
use crate::maps::HashSet;

/// No function has a name like the one that was asked for.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("no function's name contains \"{name}\"{}", advice(.closest))]
#[non_exhaustive]
pub struct UnknownFunction {
    /// The name that was asked for.
    pub name: String,
    /// The names that have most in common with it.
    pub closest: Vec<String>,
}

fn advice(names: &[String]) -> String {
    match names {
        [] => String::new(),
        names => format!("; closest: {}", names.join(", ")),
    }
}

/// How many functions are shown of those whose names only contain what was asked for.
const MAX_MATCHES: usize = 10;

/// The name of a function that somebody looks for, or a part of one. `…` stands for anything, so that
/// a short name from a report will do.
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

    /// What was typed, printable.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The positions of the names that it is or, if there are none, of those that contain it. Also how
    /// many of them are worth showing.
    pub fn find(&self, names: &[String]) -> Result<(Vec<usize>, usize), UnknownFunction> {
        let is_one = |&at: &usize| self.is(&names[at]);
        let found: Vec<usize> = (0..names.len()).filter(is_one).collect();
        match found.is_empty() {
            true => Ok((self.containing(names)?, MAX_MATCHES)),
            false => Ok((found, usize::MAX)),
        }
    }

    /// The positions of the names that contain it.
    pub fn containing(&self, names: &[String]) -> Result<Vec<usize>, UnknownFunction> {
        let contains = |&at: &usize| self.is_in(&names[at]);
        let found: Vec<usize> = (0..names.len()).filter(contains).collect();
        if found.is_empty() {
            let closest = self.closest(names.iter().map(String::as_str)).into_iter();
            return Err(UnknownFunction {
                name: self.text.clone(),
                closest: closest.map(|name| short_name(name, SHORT)).collect(),
            });
        }
        Ok(found)
    }

    /// Whether it is a whole name.
    fn is(&self, name: &str) -> bool {
        let Some((begin, rest)) = self.text.split_once(ELLIPSIS) else {
            return name == self.text;
        };
        let (middle, end) = rest.rsplit_once(ELLIPSIS).unwrap_or(("", rest));
        let left = name.strip_prefix(begin);
        let left = left.and_then(|left| left.strip_suffix(end));
        left.is_some_and(|left| contains(left, middle))
    }

    /// Whether a name contains it, in upper or lower case.
    fn is_in(&self, name: &str) -> bool {
        contains(&name.to_lowercase(), &self.lowercase)
    }

    /// The names that have most in common with it.
    pub fn closest<'a>(&self, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
        const CLOSEST: usize = 5;
        let pairs = |text: &str| -> HashSet<(char, char)> {
            text.chars().zip(text.chars().skip(1)).collect()
        };
        let wanted = pairs(&self.lowercase);
        let rank = |name: &'a str| {
            let pairs = pairs(&name.to_lowercase());
            let common = pairs.intersection(&wanted).count();
            (Reverse(common), pairs.len(), name)
        };
        let ranked = names.map(rank).filter(|(common, ..)| common.0 > 0);
        let ranked: BTreeSet<_> = ranked.collect();
        let closest = ranked.into_iter().take(CLOSEST);
        closest.map(|(.., name)| name).collect()
    }
}

/// Whether a text contains another one, in which an ellipsis stands for anything.
fn contains(text: &str, wanted: &str) -> bool {
    let mut pieces = wanted.split(ELLIPSIS);
    let rest = pieces.try_fold(text, |rest, piece| Some(rest.split_once(piece)?.1));
    rest.is_some()
}

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
        assert!(wanted("TABLE<…>::Find").is_in(name));
        assert!(!wanted("find…table").is_in(name));
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
            wanted("strln").closest(names.into_iter()),
            ["strlen", "mb_strlen", "strpos", "strrev", "substr"]
        );
    }
}
