//! Shortens long names.

use std::cmp::Reverse;
use std::ops::Range;

use unicode_width::UnicodeWidthChar;

use super::chains::beginning;
use super::closure::readable;
use super::pieces::{Piece, PieceKind, Pieces};

/// The most columns of a short name without a terminal.
pub(crate) const SHORT: usize = 80;

/// The mark of a cut.
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

/// Whether a text fits, in columns and in bytes: characters without a width must not make it longer than any other.
fn fits(text: &str, width: usize) -> bool {
    text.len() <= bytes(width) && width_of(text) <= width
}

/// The most bytes of a text of this width: twice as many as a character has.
const fn bytes(width: usize) -> usize {
    width.saturating_mul(8)
}

/// The longest beginning that fits.
fn head(text: &str, width: usize) -> &str {
    let mut taken = 0;
    let end = text.char_indices().find(|&(at, c)| {
        taken += columns(c);
        taken > width || at + c.len_utf8() > bytes(width)
    });
    end.map_or(text, |(at, _)| &text[..at])
}

/// The longest end that fits.
fn tail(text: &str, width: usize) -> &str {
    let mut taken = 0;
    let fitting = text.char_indices().rev().take_while(|&(at, c)| {
        taken += columns(c);
        taken <= width && text.len() - at <= bytes(width)
    });
    // A combining mark without its character would join the previous one.
    let first = fitting.filter(|&(_, c)| columns(c) > 0).last();
    first.map_or("", |(at, _)| &text[at..])
}

/// A text that fits, or a text cut by `cut` to one column less, with an ellipsis.
fn fitted(text: &str, width: usize, cut: impl Fn(usize) -> String) -> String {
    if fits(text, width) {
        return text.to_owned();
    }
    width.checked_sub(1).map_or_else(String::new, cut)
}

/// Cuts the end off a text that is wider than `width`, if there is one.
pub(crate) fn cut_end(text: &str, width: Option<usize>) -> String {
    let cut = |left| head(text, left).to_owned() + ELLIPSIS;
    width.map_or_else(|| text.to_owned(), |width| fitted(text, width, cut))
}

/// Keeps the end, from the beginning of a directory or file if there is one.
pub(crate) fn shorten_path(path: &str, width: usize) -> String {
    fitted(path, width, |left| {
        let end = tail(path, left);
        let whole = end.find('/').map_or(end, |at| &end[at..]);
        ELLIPSIS.to_owned() + whole
    })
}

/// Shortens a name to a width by omitting the least important parts, in time linear in the name.
///
/// Template arguments, parameter lists and the directories of paths become `…` from the inside out, the
/// widest of a level first. If that does not suffice, the outer namespaces are omitted: methods
/// distinguish rows, while namespaces are common to most. A name that still does not fit loses its
/// middle.
///
/// Possible callers, after a `'`, are omitted first. Closures are named by the last component of their file.
pub(crate) fn short_name(name: &str, width: usize) -> String {
    let name = &*readable(name);
    let (own, callers) = name.split_at(beginning(name.as_bytes()));
    if !callers.is_empty() && !fits(name, width) {
        // They are omitted first: a function must not look like another one.
        return match width.checked_sub(2) {
            Some(left @ 1..) => short_name(own, left) + "'" + ELLIPSIS,
            _ => cut_end(own, Some(width)),
        };
    }
    let short = without_parts(name, width);
    if fits(&short, width) {
        return short;
    }
    let Some(left) = width.checked_sub(1) else {
        return String::new();
    };
    let closure = short.rfind("{closure} ").map(|at| &short[at..]);
    if let Some(closure) = closure.filter(|closure| fits(closure, left)) {
        return ELLIPSIS.to_owned() + closure;
    }
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

/// A part of a name that can be omitted: text in brackets, or the directories of a path.
struct Segment {
    /// The number of brackets around it.
    depth: usize,
    range: Range<usize>,
    /// Its width without the parts within it: at least 2 columns, because the ellipsis takes one.
    width: usize,
    is_path: bool,
}

/// The parts of a name. Those of one depth do not overlap.
fn parts(name: &str) -> Vec<Segment> {
    // The columns before each position.
    let mut widths = vec![0; name.len() + 1];
    let mut taken = 0;
    for (at, c) in name.char_indices() {
        widths[at] = taken;
        taken += columns(c);
    }
    widths[name.len()] = taken;
    let mut parts = Vec::new();
    // The starts of parts, and the columns that omitting each of them saves.
    let mut saved: Vec<(usize, usize)> = Vec::new();
    for Piece { kind, range, depth } in Pieces::of(name.as_bytes()) {
        let (range, can_be_omitted) = match (kind, name.as_bytes()[range.start]) {
            (PieceKind::Path, _) => {
                let directories = name[range.clone()].rfind(['/', '\\']);
                (range.start..range.start + directories.unwrap_or(0), true)
            }
            (PieceKind::Brackets, bracket) => {
                // At the beginning it is no parameter list: `(below main)`.
                let can_be_omitted = bracket == b'<' || bracket == b'(' && range.start > 0;
                (range.start + 1..range.end - 1, can_be_omitted)
            }
            _ => continue,
        };
        let mut within = 0;
        while let Some((_, columns)) = saved.pop_if(|(start, _)| *start > range.start) {
            within += columns;
        }
        let all = widths[range.end] - widths[range.start];
        let width = all - within;
        let is_part = can_be_omitted && width > 1;
        saved.push((range.start, if is_part { all - 1 } else { within }));
        parts.extend(is_part.then_some(Segment {
            depth,
            range,
            width,
            is_path: kind == PieceKind::Path,
        }));
    }
    parts
}

/// A name without the parts that have to be omitted to make it fit, or without all.
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
            let (end, width) = outer_directories(&name[part.range.clone()], excess);
            part.range.end = part.range.start + end;
            part.width = width;
        }
        excess = excess.saturating_sub(part.width - 1);
        is_kept[part.range].fill(false);
    }
    let mut short = String::new();
    for (at, c) in name.char_indices() {
        if is_kept[at] {
            short.push(c);
        } else if at == 0 || is_kept[at - 1] {
            short += ELLIPSIS;
        }
    }
    short
}

/// The end of the fewest outer directories of a path that are together wider than `width`, and their width;
/// if there are not enough, of all directories.
fn outer_directories(path: &str, width: usize) -> (usize, usize) {
    let mut taken = 0;
    for (at, c) in path.char_indices() {
        if c == '/' && taken > width {
            return (at, taken);
        }
        taken += columns(c);
    }
    (path.len(), taken)
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
    fn characters_without_a_width_are_not_without_a_limit() {
        let marks = "\u{301}".repeat(60_000);
        for name in [
            marks.clone(),
            format!("f{marks}"),
            format!("{marks}f"),
            format!("a::f<{marks}>(int)'{marks}"),
            format!("{marks}'main"),
        ] {
            for width in [0, 1, 2, 80] {
                let texts = [
                    short_name(&name, width),
                    shorten_path(&name, width),
                    cut_end(&name, Some(width)),
                ];
                for text in texts {
                    assert!(fits(&text, width), "{} bytes at {width}", text.len());
                }
            }
        }
        // As many as people write.
        let name = "e\u{301}\u{302}a\u{301}".repeat(5);
        assert_eq!(short_name(&name, 10), name);
        let full = ["e", &"\u{301}".repeat(39), "a"].concat();
        assert_eq!(short_name(&full, 10), full);
        assert_ne!(short_name(&(full + "b"), 10), "");
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
    fn brackets_of_any_depth_are_parts() {
        let nested =
            |text: &str, depth| format!("{}{text}{}", "f<".repeat(depth), ">".repeat(depth));
        assert_eq!(short_name(&nested("xyz", 900), 2701), nested("…", 900));
        assert_eq!(short_name(&nested("xyz", 900), 2700), nested("…", 899));
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
    fn paths_lose_their_outer_directories() {
        let place = r"App\Models\load:{/srv/app/src/features.php:15}";
        for (width, short) in [
            (39, r"App\Models\load:{…/src/features.php:15}"),
            (43, r"App\Models\load:{…/app/src/features.php:15}"),
            (30, r"App\Model…:{…/features.php:15}"),
        ] {
            assert_eq!(short_name(place, width), short);
        }
        let class = r"class@anonymous\x00/srv/app/a.php:3$0->run";
        assert_eq!(
            short_name(class, 36),
            r"class@anonymous\x00…/a.php:3$0->run"
        );
        let place = "php::call_user_func:{/srv/app/vendor/acme/a.php:13}";
        assert_eq!(
            short_name(place, 40),
            "php::call_user_func:{…/acme/a.php:13}"
        );
        let file = "include::/srv/app/vendor/acme/standards/src/Sniff.php";
        assert_eq!(short_name(file, 30), "include::…/src/Sniff.php");
    }

    #[test]
    fn closures_have_their_class_and_file() {
        let closure = r"App\Models\User->App\Models\{closure:/srv/app/src/features.php:15-15}";
        for (width, short) in [
            (80, r"App\Models\User->{closure} features.php:15"),
            (42, r"App\Models\User->{closure} features.php:15"),
            (30, r"…{closure} features.php:15"),
            (20, r"App\Mo…atures.php:15"),
        ] {
            assert_eq!(short_name(closure, width), short);
        }
    }

    #[test]
    fn callers_go_first() {
        let name = "core::ptr::drop_in_place<T>'alloc::vec::drop'main";
        assert_eq!(short_name(name, 49), name);
        assert_eq!(short_name(name, 48), "core::ptr::drop_in_place<T>'…");
        assert_eq!(short_name(name, 20), "core:…_in_place<T>'…");
        assert_eq!(short_name("f'main", 3), "f'…");
        assert_eq!(short_name("f'main", 2), "f");
        let path = "include::/srv/o'brien/src/App.php";
        assert_eq!(short_name(path, 25), "include::…/src/App.php");
    }

    proptest::proptest! {
        #[test]
        fn short_names_fit(name in "[ab:<>()/{}\\\\ …漢\u{301},-]{0,60}", width in 0usize..50) {
            proptest::prop_assert!(fits(&short_name(&name, width), width));
        }
    }

    #[test]
    fn the_middle_goes_when_nothing_else_helps() {
        let name = "App::a_function_of_a_long_name{closure}";
        assert_eq!(short_name(name, 28), "App::a_fu…long_name{closure}");
        assert_eq!(width_of(&short_name("漢字漢字漢字漢字", 8)), 7);
        // Most of a namespace has to remain.
        let class = "a_function_of_a_class::go";
        assert_eq!(short_name(class, 14), "a_fu…class::go");
        assert_eq!(short_name(name, 2), "…}");
        assert_eq!(short_name(name, 1), "…");
        assert_eq!(short_name(name, 0), "");
    }
}
