//! Long names: how they are shortened, and how they are found by what was shown of them.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::Range;

use thiserror::Error;
use unicode_width::UnicodeWidthChar;

use super::text::printable;

use crate::maps::HashSet;

/// The most columns of a short name where there is no terminal.
pub(crate) const SHORT: usize = 80;

/// Stands for what was cut.
const ELLIPSIS: &str = "…";

/// The columns that a character takes.
fn columns(c: char) -> usize {
    c.width().unwrap_or(0)
}

/// The columns that a text takes.
pub(crate) fn width_of(text: &str) -> usize {
    text.chars().map(columns).sum()
}

/// Fills a text up with spaces.
pub(crate) fn pad(mut text: String, width: usize) -> String {
    let missing = width.saturating_sub(width_of(&text));
    text.extend(std::iter::repeat_n(' ', missing));
    text
}

/// The longest beginning that fits.
fn head(text: &str, width: usize) -> &str {
    let mut taken = 0;
    let end = text.char_indices().find(|&(_, c)| {
        taken += columns(c);
        taken > width
    });
    end.map_or(text, |(at, _)| &text[..at])
}

/// The longest end that fits.
fn tail(text: &str, width: usize) -> &str {
    let mut taken = 0;
    let fitting = text.char_indices().rev().take_while(|&(_, c)| {
        taken += columns(c);
        taken <= width
    });
    // A mark without the character that it belongs to would go to the one before.
    let first = fitting.filter(|&(_, c)| columns(c) > 0).last();
    first.map_or("", |(at, _)| &text[at..])
}

/// A text that fits, or what `cut` leaves of it in one column less, which the ellipsis takes.
fn fitted(text: &str, width: usize, cut: impl Fn(usize) -> String) -> String {
    if width_of(text) <= width {
        return text.to_owned();
    }
    width.checked_sub(1).map_or_else(String::new, cut)
}

/// Keeps the beginning, if there is a width to keep to.
pub(crate) fn cut_end(text: &str, width: Option<usize>) -> String {
    let cut = |left| head(text, left).to_owned() + ELLIPSIS;
    width.map_or_else(|| text.to_owned(), |width| fitted(text, width, cut))
}

/// Keeps the end, from the beginning of a folder or file if there is one.
pub(crate) fn shorten_path(path: &str, width: usize) -> String {
    fitted(path, width, |left| {
        let end = tail(path, left);
        let whole = end.find('/').map_or(end, |at| &end[at..]);
        ELLIPSIS.to_owned() + whole
    })
}

/// Shortens a name to a width by leaving out what says least, in time linear in the name.
///
/// Template arguments, parameter lists and the folders of paths become `…` from the inside out, the
/// widest of a level first. Where that does not suffice, the outer namespaces go: a row is told by
/// the method, and namespaces are what most rows have in common. What still does not fit loses its
/// middle.
pub(crate) fn short_name(name: &str, width: usize) -> String {
    let short = without_parts(name, width);
    if width_of(&short) <= width {
        return short;
    }
    let Some(left) = width.checked_sub(1) else {
        return String::new();
    };
    let end = tail(&short, left);
    let is_plain = !short.contains('{') && !short.contains("\\x00") && parts(&short).is_empty();
    let namespace = [r"\", "::"].into_iter().filter_map(|mark| end.find(mark));
    let (begin, end) = match namespace.min().filter(|at| is_plain && 2 * at <= end.len()) {
        Some(at) => ("", &end[at..]),
        None => {
            // The beginning, and twice as much of the end: `include::/sr…/src/App.php`.
            let begin = head(&short, left / 3);
            (begin, tail(&short, left - width_of(begin)))
        }
    };
    let begin = begin.trim_end_matches(ELLIPSIS);
    [begin, ELLIPSIS, end.trim_start_matches(ELLIPSIS)].concat()
}

/// A part of a name that can be left out: what stands between brackets, or the folders of a path.
struct Segment {
    /// How many brackets are open around it.
    depth: usize,
    range: Range<usize>,
    /// How wide it is without the parts within it: at least 2 columns, as one stands for it.
    width: usize,
    is_path: bool,
}

/// The parts of a name. Those of one depth do not overlap.
fn parts(name: &str) -> Vec<Segment> {
    /// Brackets that are nested more deeply are no more readable in part.
    const MAX_DEPTH: usize = 64;
    let mut parts = Vec::new();
    let mut add = |depth, range, width, is_path| {
        let part = Segment {
            depth,
            range,
            width,
            is_path,
        };
        parts.extend((width > 1).then_some(part));
        width.min(1)
    };
    // The brackets that are open, where their contents begin, and how wide these are.
    let mut open: Vec<(char, usize, usize)> = Vec::new();
    let (mut folders_end, mut path_end) = (0, 0);
    let mut before = ' ';
    for (at, c) in name.char_indices() {
        let width = match c {
            _ if at < folders_end => 0,
            // Not that of `->`.
            '>' | ')' if at >= path_end && before != '-' => {
                let opening = if c == '>' { '<' } else { '(' };
                // What was opened after it is no bracket, but an operator.
                let depth = open.iter().rposition(|&(open, ..)| open == opening);
                let closed = depth.map(|depth| {
                    let start = open[depth].1;
                    let width = open.drain(depth..).map(|(.., width)| width).sum();
                    add(depth, start..at, width, false)
                });
                closed.unwrap_or(0) + 1
            }
            '/' if at >= path_end && (before == ':' || name[..at].ends_with("\\x00")) => {
                let rest = &name[at..];
                let end = rest.find([':', '}', '<', '>', '(', ')']);
                let path = &rest[..end.unwrap_or(rest.len())];
                path_end = at + path.len();
                folders_end = at + path.rfind('/').unwrap_or(0);
                let folders = at..folders_end;
                add(open.len(), folders.clone(), width_of(&name[folders]), true);
                1
            }
            _ => columns(c),
        };
        if let Some((.., content)) = open.last_mut() {
            *content += width;
        }
        // At the beginning it is no parameter list: `(below main)`.
        if open.len() < MAX_DEPTH && at >= path_end && (c == '<' || c == '(' && at > 0) {
            open.push((c, at + 1, 0));
        }
        before = c;
    }
    parts
}

/// A name without as many of its parts as it takes to make it fit, or without all.
fn without_parts(name: &str, width: usize) -> String {
    let mut excess = width_of(name).saturating_sub(width);
    if excess == 0 {
        return name.to_owned();
    }
    let mut parts = parts(name);
    parts.sort_by_key(|part| Reverse((part.depth, part.width)));
    let mut is_kept = vec![true; name.len()];
    for mut part in parts {
        if excess == 0 {
            break;
        }
        if part.is_path {
            let (end, width) = outer_folders(&name[part.range.clone()], excess);
            part.range.end = part.range.start + end;
            part.width = width;
        }
        excess = excess.saturating_sub(part.width - 1);
        is_kept[part.range].fill(false);
    }
    let mut short = String::new();
    for (at, c) in name.char_indices() {
        match is_kept[at] {
            true => short.push(c),
            false if at == 0 || is_kept[at - 1] => short += ELLIPSIS,
            false => {}
        }
    }
    short
}

/// The end of the fewest outer folders of a path that are wider than this, and their width; all, if
/// it takes these.
fn outer_folders(path: &str, width: usize) -> (usize, usize) {
    let mut taken = 0;
    for (at, c) in path.char_indices() {
        if c == '/' && taken > width {
            return (at, taken);
        }
        taken += columns(c);
    }
    (path.len(), taken)
}

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
    fn wide_characters_take_two_columns_and_marks_none() {
        assert_eq!(width_of("漢字"), 4);
        assert_eq!(width_of("e\u{301}"), 1);
        assert_eq!(pad("漢".to_owned(), 4), "漢  ");
        assert_eq!(cut_end("漢字漢字", Some(6)), "漢字…");
        assert_eq!(cut_end("漢字漢字", Some(5)), "漢字…");
        assert_eq!(cut_end("漢字漢字", Some(4)), "漢…");
        assert_eq!(cut_end("abc", Some(3)), "abc");
        assert_eq!(cut_end("abc", Some(0)), "");
    }

    #[test]
    fn a_cut_leaves_no_mark_behind() {
        assert_eq!(tail("abe\u{301}", 1), "e\u{301}");
        assert_eq!(tail("abe\u{301}", 0), "");
        assert_eq!(head("e\u{301}b", 1), "e\u{301}");
    }

    #[test]
    fn paths_keep_their_end() {
        assert_eq!(shorten_path("/srv/app/src/a.php", 18), "/srv/app/src/a.php");
        assert_eq!(shorten_path("/srv/app/src/a.php", 13), "…/src/a.php");
        assert_eq!(shorten_path("/srv/a_long_name.php", 8), "…ame.php");
        assert_eq!(shorten_path("/srv/a.php", 1), "…");
        assert_eq!(shorten_path("/srv/a.php", 0), "");
    }

    #[test]
    fn namespaces_are_left_out_first() {
        let name = "Acme\\Standards\\Util\\Standards::getInstalledStandardPaths";
        assert_eq!(
            short_name(name, 45),
            "…\\Util\\Standards::getInstalledStandardPaths"
        );
        assert_eq!(
            short_name(name, 40),
            "…\\Standards::getInstalledStandardPaths"
        );
        assert_eq!(short_name(name, 30), "…::getInstalledStandardPaths");
        assert_eq!(short_name(name, 20), "Acme\\S…StandardPaths");
    }

    #[test]
    fn parts_are_left_out_from_the_inside() {
        let name = "hash_table<map<int, pair<int, long>>::entry, false>::find(char const&) const";
        for (width, short) in [
            (
                70,
                "hash_table<map<int, pair<…>>::entry, false>::find(char const&) const",
            ),
            (
                60,
                "hash_table<map<…>::entry, false>::find(char const&) const",
            ),
            (45, "hash_table<…>::find(char const&) const"),
            (30, "hash_table<…>::find(…) const"),
            (20, "…::find(…) const"),
            (10, "has… const"),
        ] {
            assert_eq!(short_name(name, width), short);
            assert_eq!(short_name(name, width_of(short)), short);
        }
        for (name, short) in [
            (
                "std::operator<(std::string const&, int)",
                "std::operator<(…)",
            ),
            ("A::operator->(std::string const&)", "A::operator->(…)"),
            ("map<decltype(a->b), unsigned long>::find", "map<…>::find"),
            (
                "operator>> <char, traits<char>>(istream&)",
                "operator>> <…>(…)",
            ),
            ("(anonymous namespace)::run(std::string)", "…::run(…)"),
            ("<alloc::vec::Vec<T> as Iter>::extend", "<…>::extend"),
        ] {
            assert_eq!(short_name(name, 18), short);
        }
    }

    #[test]
    fn brackets_within_64_others_are_left_as_they_are() {
        let nested =
            |text: &str, depth| format!("{}{text}{}", "f<".repeat(depth), ">".repeat(depth));
        let shown = nested("…", 64);
        assert_eq!(short_name(&nested("xyz", 64), 194), shown);
        assert_eq!(short_name(&nested("xyz", 65), 197), format!("{shown}>"));
    }

    #[test]
    fn long_names_are_shortened_like_others() {
        for (unit, short) in [
            ("/", "include::…//"),
            ("/a", "include::…/a"),
            (":/", "inc…:/:/:/:/"),
            ("f<", "inc…f<f<f<f<"),
            ("<>", "inc…<><><><>"),
            ("<ab>", "inc…><…><…>"),
            (")", "inc…))))))))"),
            ("((>", "inc…(>((>((>"),
        ] {
            let name = format!("include::{}", unit.repeat((1 << 13) / unit.len()));
            assert_eq!(short_name(&name, 12), short, "{unit}");
        }
    }

    #[test]
    fn paths_lose_their_outer_folders() {
        let closure = r"App\Models\{closure:/srv/app/src/features.php:15-15}";
        for (width, short) in [
            (45, r"App\Models\{closure:…/src/features.php:15-15}"),
            (50, r"App\Models\{closure:…/app/src/features.php:15-15}"),
            (30, r"App\Model…/features.php:15-15}"),
        ] {
            assert_eq!(short_name(closure, width), short);
        }
        let class = r"class@anonymous\x00/srv/app/a.php:3$0->run";
        assert_eq!(
            short_name(class, 36),
            r"class@anonymous\x00…/a.php:3$0->run"
        );
        let file = "include::/srv/app/vendor/acme/standards/src/Sniff.php";
        assert_eq!(short_name(file, 30), "include::…/src/Sniff.php");
    }

    proptest::proptest! {
        #[test]
        fn short_names_fit(name in "[ab:<>()/{}\\\\ …漢,-]{0,60}", width in 0usize..50) {
            proptest::prop_assert!(width_of(&short_name(&name, width)) <= width);
        }
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

    #[test]
    fn the_middle_goes_when_nothing_else_helps() {
        let name = "App::a_function_of_a_long_name{closure}";
        assert_eq!(short_name(name, 28), "App::a_fu…long_name{closure}");
        assert_eq!(width_of(&short_name("漢字漢字漢字漢字", 8)), 7);
        // What is left of a namespace has to be the most of it.
        let class = "a_function_of_a_class::go";
        assert_eq!(short_name(class, 14), "a_fu…class::go");
        assert_eq!(short_name(name, 2), "…}");
        assert_eq!(short_name(name, 1), "…");
        assert_eq!(short_name(name, 0), "");
    }
}
