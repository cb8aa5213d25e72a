//! Finds functions by their names, or by names as shown.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeSet;

use memchr::memmem::Finder;
use thiserror::Error;

use super::closure::readable;
use super::outline::{components, without_arguments};
use super::short::{SHORT, short_name};
use super::without_place;
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
        shown(self.name)
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
    /// Finds the text in names that it can fit, unless some may not contain it as it is.
    finder: Option<Finder<'static>>,
}

/// How a text fits a name, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fit {
    /// It is the whole name, except perhaps for the location at its end.
    Whole,
    /// It is the name as a report shows it.
    Shown,
    /// It is the name of a function of PHP itself, without `php::`.
    WithoutPhp,
    /// It is the end of the name, as `fib` of `Shop\fib`, or of a path.
    LastComponents,
}

impl NameQuery {
    /// What was typed.
    pub fn new(typed: &[u8]) -> Self {
        let text = printable(typed);
        let is_plain = text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
        // Short names of closures are not parts of whole ones.
        let has_pieces = text.contains(WILDCARDS) || text.starts_with('?') || text.contains('{');
        NameQuery {
            lowercase: text.to_lowercase(),
            finder: (is_plain && !has_pieces).then(|| Finder::new(&text).into_owned()),
            text,
        }
    }

    /// The positions of the functions that match best, and the most of them to show.
    ///
    /// Names that it fits come first, then names with its words, then files and objects with them.
    pub fn find<'n>(
        &self,
        all: impl Iterator<Item = Named<'n>> + Clone,
    ) -> Result<(Vec<usize>, usize), UnknownFunction> {
        let (mut best, mut found) = (None, Vec::new());
        for (at, one) in all.clone().enumerate() {
            let Some(fit) = self.fit(one.name) else {
                continue;
            };
            if best.is_none_or(|best| fit < best) {
                best = Some(fit);
                found.clear();
            }
            found.extend((best == Some(fit)).then_some(at));
        }
        if best.is_some() {
            return Ok((found, usize::MAX));
        }
        let has_words = |one: &Named<'_>| self.is_in(&one.shown(), &[]);
        let found = positions(all.clone(), has_words);
        match &found[..] {
            [] => Ok((self.containing(all)?, MAX_MATCHES)),
            _ => Ok((found, MAX_MATCHES)),
        }
    }

    /// How it fits the name of a function or group, if it does.
    pub fn fit(&self, name: &[u8]) -> Option<Fit> {
        if !self.may_fit(name) {
            return None;
        }
        let shown = shown(name);
        let place = shown.len() - without_place(shown.as_bytes()).len();
        let bare = &shown[..shown.len() - place];
        let own = bare.strip_prefix("php::");
        let readable = readable(&shown);
        match &self.text {
            text if *text == shown || text == bare => Some(Fit::Whole),
            _ if self.is(&shown) || self.is(&readable) => Some(Fit::Shown),
            text if own == Some(text) => Some(Fit::WithoutPhp),
            _ if self.is_last_of(bare) || self.is_last_of(&readable) => Some(Fit::LastComponents),
            _ => None,
        }
    }

    /// Whether it may fit a name: a fast check for most of those that it does not fit.
    fn may_fit(&self, name: &[u8]) -> bool {
        self.finder
            .as_ref()
            .is_none_or(|text| text.find(name).is_some())
    }

    /// The positions of the functions that have its words in their names, files or objects.
    pub fn containing<'n>(
        &self,
        all: impl Iterator<Item = Named<'n>> + Clone,
    ) -> Result<Vec<usize>, UnknownFunction> {
        let found = positions(all.clone(), |one| self.fits(one));
        if found.is_empty() {
            return Err(UnknownFunction {
                name: self.text.clone(),
                closest: self.closest(all.map(|one| one.shown())),
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

    /// Whether it is one or more components at the end of a name or path, with or without parameters.
    fn is_last_of(&self, name: &str) -> bool {
        let is_end = |name: &str| {
            let before = name.strip_suffix(&self.text);
            before.is_some_and(|before| {
                let at = before.len();
                before.ends_with(['/', '\\']) || components(name).any(|start| start == at)
            })
        };
        !self.text.is_empty() && (is_end(name) || is_end(without_arguments(name)))
    }

    /// Whether each of its words is in a name or in one of these places, in upper or lower case.
    fn is_in(&self, name: &str, places: &[&[u8]]) -> bool {
        let texts = searched(name, places);
        let mut words = self.lowercase.split_whitespace();
        words.all(|word| texts.iter().any(|text| contains(text, word)))
    }

    /// Whether a function or group has all its words in its name, file or object.
    pub fn fits(&self, named: &Named<'_>) -> bool {
        self.is_in(&named.shown(), &named.places())
    }

    /// The names that are most similar, as the end of a sentence.
    pub fn closest(&self, names: impl Iterator<Item = String>) -> String {
        /// The most names.
        const CLOSEST: usize = 3;
        /// The most components at the end of a name that are compared.
        const COMPONENTS: usize = 4;
        let wanted = pairs(&self.text);
        let similar = names.filter_map(|name| {
            let plain = without_arguments(&name);
            let starts: Vec<_> = components(plain).collect();
            let ends = starts.iter().rev().take(COMPONENTS);
            let texts = ends.map(|&start| &plain[start..]).chain([&name[..]]);
            let likeness = texts.map(|text| likeness(&pairs(text), &wanted)).max()?;
            let shown = short_name(&name, SHORT);
            let is_new = shown != self.text && likeness >= SIMILAR;
            is_new.then_some((Reverse(likeness), shown.len(), shown))
        });
        let similar: BTreeSet<_> = similar.collect();
        let similar = similar.into_iter().take(CLOSEST);
        match &similar.map(|(.., name)| name).collect::<Vec<_>>()[..] {
            [] => String::new(),
            names => format!("; closest: {}", names.join(", ")),
        }
    }
}

/// The words of functions to hide.
#[derive(Clone, Debug)]
pub(crate) struct HiddenNames {
    /// As typed, and in lower case.
    words: Vec<[String; 2]>,
}

impl HiddenNames {
    /// The words in all these texts.
    pub fn new<T: AsRef<[u8]>>(texts: &[T]) -> Self {
        let texts = texts.iter().map(|text| printable(text.as_ref()));
        let words = texts.flat_map(|text| {
            let words = text.split_whitespace();
            let words = words.map(|word| [word.to_owned(), word.to_lowercase()]);
            words.collect::<Vec<_>>()
        });
        HiddenNames {
            words: words.collect(),
        }
    }

    /// The words as they were typed.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(|[word, _]| word.as_str())
    }

    /// Whether a function has one of the words in its name, file or object. A word with `::` must begin
    /// a component of the name, so `php::` is not in `App\PHP::run`.
    pub fn hide(&self, named: &Named<'_>) -> bool {
        let texts = HideTexts::of(named);
        self.words.iter().any(|[_, word]| texts.have(word))
    }

    /// The words, as they were typed, that none of these functions has.
    pub fn unmatched<'n>(&self, all: impl Iterator<Item = Named<'n>>) -> Vec<&str> {
        let mut unmatched: Vec<_> = self.words.iter().collect();
        for named in all {
            if unmatched.is_empty() {
                break;
            }
            let texts = HideTexts::of(&named);
            unmatched.retain(|[_, word]| !texts.have(word));
        }
        unmatched.iter().map(|[typed, _]| typed.as_str()).collect()
    }
}

/// What words to hide are looked for in, in lower case.
struct HideTexts {
    name: String,
    all: Vec<String>,
}

impl HideTexts {
    fn of(named: &Named<'_>) -> Self {
        let name = named.shown();
        HideTexts {
            all: searched(&name, &named.places()),
            name: name.to_lowercase(),
        }
    }

    fn have(&self, word: &str) -> bool {
        match word.contains("::") {
            true => begins_component(&self.name, word),
            false => self.all.iter().any(|text| contains(text, word)),
        }
    }
}

/// Whether a word begins a component of a name before the arguments of a function or template. Of Rust's
/// `<core::str::Chars as Iterator>::next`, the type that it is about has components, too.
fn begins_component(name: &str, word: &str) -> bool {
    let begins = |name: &str, end: Option<usize>| {
        let end = end.unwrap_or(name.len());
        let end = name[..end].find(['<', '(']).unwrap_or(end);
        let first = word.split(WILDCARDS).next().unwrap_or(word);
        let mut starts = name.match_indices(first).map(|(at, _)| at);
        let is_start = |at: usize| {
            let before = name[..at].chars().next_back();
            at <= end
                && before.is_none_or(|before| {
                    !matches!(before, '_' | '\\' | '<' | '(') && !before.is_ascii_alphanumeric()
                })
        };
        starts.any(|at| is_start(at) && contains(&name[at..], word))
    };
    let of_type = name.strip_prefix('<');
    begins(name, None) || of_type.is_some_and(|name| begins(name, name.find(" as ")))
}

/// What words are looked for in, in lower case: a name as it is and as people read it, and places.
fn searched(name: &str, places: &[&[u8]]) -> Vec<String> {
    let readable = match readable(name) {
        Cow::Owned(readable) => Some(readable),
        Cow::Borrowed(_) => None,
    };
    let texts = [name.to_owned()].into_iter().chain(readable);
    let places = places.iter().map(|place| printable(place));
    texts
        .chain(places)
        .map(|text| text.to_lowercase())
        .collect()
}

/// The positions of the functions that a condition holds for.
fn positions<'n>(
    all: impl Iterator<Item = Named<'n>>,
    holds: impl Fn(&Named<'n>) -> bool,
) -> Vec<usize> {
    let found = all.enumerate().filter(|(_, one)| holds(one));
    found.map(|(at, _)| at).collect()
}

/// The likeness, in percent, of names that may be meant.
const SIMILAR: usize = 40;

/// The pairs of neighbouring characters, in lower case.
fn pairs(text: &str) -> HashSet<(char, char)> {
    let lowercase = text.to_lowercase();
    let chars = || lowercase.chars();
    chars().zip(chars().skip(1)).collect()
}

/// The likeness of two texts, in percent: how many of their pairs they share.
fn likeness(one: &HashSet<(char, char)>, other: &HashSet<(char, char)>) -> usize {
    let common = one.intersection(other).count();
    200 * common / (one.len() + other.len()).max(1)
}

/// A name, printable; `???` if it is empty.
fn shown(name: &[u8]) -> String {
    match name {
        b"" => "???".to_owned(),
        name => printable(name),
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

    /// The report's script has the same table.
    #[test]
    fn the_report_finds_and_hides_the_same() {
        let path = format!("{}/tests/script/names.json", env!("CARGO_MANIFEST_DIR"));
        let table: serde_json::Value =
            serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        for (file, is_internal) in table["internal"].as_object().unwrap() {
            assert_eq!(crate::names::is_internal(file), *is_internal, "{file}");
        }
        let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        let functions = table["functions"].as_array().unwrap();
        let check = |kind: &str, fits: &dyn Fn(&str, &Named<'_>) -> bool| {
            for case in table[kind].as_array().unwrap() {
                let words = text(&case["words"]);
                let found = functions.iter().filter(|function| {
                    let [name, file, object] =
                        ["name", "file", "object"].map(|what| text(&function[what]));
                    fits(
                        &words,
                        &Named {
                            name: name.as_bytes(),
                            file: file.as_bytes(),
                            object: object.as_bytes(),
                            ..Named::default()
                        },
                    )
                });
                let found: Vec<String> = found.map(|function| text(&function["name"])).collect();
                let expected = case["found"].as_array().unwrap().iter().map(text);
                assert_eq!(found, expected.collect::<Vec<_>>(), "{kind} {words}");
            }
        };
        check("hide", &|words, named| {
            HiddenNames::new(&[words]).hide(named)
        });
        check("filter", &|words, named| {
            NameQuery::new(words.as_bytes()).fits(named)
        });
    }

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
        for (typed, name, fit) in [
            ("y.c", "/c/y.c", Some(Fit::LastComponents)),
            ("c/y.c", "/b/c/y.c", Some(Fit::LastComponents)),
            ("y.c", r"C:\c\y.c", Some(Fit::LastComponents)),
            ("y.c", "/c/xy.c", None),
            ("y.c", "/c/x.y.c", None),
            ("y.c", "/y.c/x", None),
        ] {
            assert_eq!(wanted(typed).fit(name.as_bytes()), fit, "{typed} {name}");
        }
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
            "; closest: strlen, mb_strlen, strpos"
        );
    }
}
