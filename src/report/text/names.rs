//! Names made fit for a terminal: no wider than there is room.

use std::ops::Range;

use unicode_width::UnicodeWidthChar;

/// Stands for what was cut.
const ELLIPSIS: &str = "…";

/// The columns that a character takes.
fn columns(c: char) -> usize {
    c.width().unwrap_or(0)
}

/// The columns that a text takes.
pub(in crate::report) fn width_of(text: &str) -> usize {
    text.chars().map(columns).sum()
}

/// Fills a text up with spaces.
pub(in crate::report) fn pad(mut text: String, width: usize) -> String {
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
    let mut start = text.len();
    for (at, c) in text.char_indices().rev() {
        taken += columns(c);
        if taken > width {
            break;
        }
        // A mark without the character that it belongs to would go to the one before.
        if columns(c) > 0 {
            start = at;
        }
    }
    &text[start..]
}

/// Keeps the beginning.
pub(in crate::report) fn cut_end(text: &str, width: usize) -> String {
    if width_of(text) <= width {
        return text.to_owned();
    }
    match width.checked_sub(1) {
        Some(left) => head(text, left).to_owned() + ELLIPSIS,
        None => String::new(),
    }
}

/// Keeps the end, from the beginning of a folder or file if there is one.
pub(in crate::report) fn shorten_path(path: &str, width: usize) -> String {
    if width_of(path) <= width {
        return path.to_owned();
    }
    let Some(left) = width.checked_sub(1) else {
        return String::new();
    };
    let end = tail(path, left);
    let whole = end.find('/').map_or(end, |at| &end[at..]);
    ELLIPSIS.to_owned() + whole
}

/// Leaves out arguments, then the outer namespaces, and what is too long even so in its middle.
///
/// A row is told by the method; namespaces are what most rows have in common.
pub(in crate::report) fn shorten_name(name: &str, width: usize) -> String {
    if width_of(name) <= width {
        return name.to_owned();
    }
    let name = without_arguments(name);
    if width_of(&name) <= width {
        return name;
    }
    let Some(left) = width.checked_sub(1) else {
        return String::new();
    };
    let end = tail(&name, left);
    let namespace = [r"\", "::"].into_iter().filter_map(|mark| end.find(mark));
    match namespace.min() {
        Some(at) => ELLIPSIS.to_owned() + &end[at..],
        None => without_middle(&name, left),
    }
}

/// Keeps the beginning and twice as much of the end: `include::/sr…/src/App.php`.
fn without_middle(name: &str, left: usize) -> String {
    let begin = head(name, left / 3);
    let end = tail(name, left - width_of(begin));
    [begin, ELLIPSIS, end].concat()
}

/// Arguments shorter than this are left alone.
const SHORT: usize = 4;

/// Puts an ellipsis in place of the arguments of C++ and Rust functions and templates.
fn without_arguments(name: &str) -> String {
    let mut short = String::new();
    let mut done = 0;
    for list in argument_lists(name) {
        short += &name[done..list.start];
        short += ELLIPSIS;
        done = list.end;
    }
    short + &name[done..]
}

/// What stands in brackets that hold arguments, without the brackets; none within another.
///
/// The operators `<`, `>` and `->` look like brackets that are not paired.
fn argument_lists(name: &str) -> Vec<Range<usize>> {
    let mut open: Vec<(char, usize)> = Vec::new();
    let mut lists: Vec<Range<usize>> = Vec::new();
    for (at, c) in name.char_indices() {
        let opened = match c {
            '<' | '(' => {
                open.push((c, at));
                continue;
            }
            '>' if name[..at].ends_with('-') => continue,
            '>' => open.pop_if(|(bracket, _)| *bracket == '<'),
            ')' => std::iter::from_fn(|| open.pop()).find(|(bracket, _)| *bracket == '('),
            _ => continue,
        };
        let Some((_, bracket)) = opened else { continue };
        let list = bracket + 1..at;
        if list.len() >= SHORT && follows_function(&name[..bracket]) {
            while lists.pop_if(|inner| inner.start > list.start).is_some() {}
            lists.push(list);
        }
    }
    lists
}

/// Whether a bracket behind this may hold arguments: that of `(anonymous namespace)` does not.
fn follows_function(before: &str) -> bool {
    before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '>' | ')'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_take_two_columns_and_marks_none() {
        assert_eq!(width_of("漢字"), 4);
        assert_eq!(width_of("e\u{301}"), 1);
        assert_eq!(pad("漢".to_owned(), 4), "漢  ");
        assert_eq!(cut_end("漢字漢字", 6), "漢字…");
        assert_eq!(cut_end("漢字漢字", 5), "漢字…");
        assert_eq!(cut_end("漢字漢字", 4), "漢…");
        assert_eq!(cut_end("abc", 3), "abc");
        assert_eq!(cut_end("abc", 0), "");
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
    fn arguments_are_left_out_first() {
        let short = |name| shorten_name(name, width_of(name) - 1);
        assert_eq!(
            short("grokfield(cp_declarator const*, tree*)"),
            "grokfield(…)"
        );
        assert_eq!(short("encode(tree_node const*, int)'2"), "encode(…)'2");
        assert_eq!(
            short("hash_table<map<int, int>::entry, false>::find(char const&) const"),
            "hash_table<…>::find(…) const"
        );
        assert_eq!(
            short("<alloc::Vec<Symbol> as core::Drop>::drop"),
            "<alloc::Vec<…> as core::Drop>::drop"
        );
        assert_eq!(
            short("(anonymous namespace)::run(std::string&)"),
            "(anonymous namespace)::run(…)"
        );
        assert_eq!(
            short("A::operator()(unsigned) const"),
            "A::operator()(…) const"
        );
        assert_eq!(short("A::operator->(unsigned)"), "A::operator->(…)");
        assert_eq!(short("f(bool (*)(char const*), int)"), "f(…)");
    }

    #[test]
    fn operators_are_not_brackets() {
        assert_eq!(
            without_arguments("operator<(Foo<int> const&)"),
            "operator<(Foo<int> const&)"
        );
        assert_eq!(
            without_arguments("operator<< <char>(std::ostream&)"),
            "operator<< <char>(…)"
        );
        assert_eq!(without_arguments("a)))b(((c>>>d<<<e"), "a)))b(((c>>>d<<<e");
    }

    #[test]
    fn namespaces_are_left_out_next() {
        let name = "Acme\\Standards\\Util\\Standards::getInstalledStandardPaths";
        assert_eq!(
            shorten_name(name, 45),
            "…\\Util\\Standards::getInstalledStandardPaths"
        );
        assert_eq!(
            shorten_name(name, 40),
            "…\\Standards::getInstalledStandardPaths"
        );
        assert_eq!(shorten_name(name, 30), "…::getInstalledStandardPaths");
        assert_eq!(shorten_name(name, 20), "Acme\\S…StandardPaths");
    }

    #[test]
    fn the_middle_goes_when_nothing_else_helps() {
        let name = "include::/srv/app/vendor/acme/standards/src/Sniff.php";
        assert_eq!(shorten_name(name, 28), "include::…ards/src/Sniff.php");
        assert_eq!(width_of(&shorten_name("漢字漢字漢字漢字", 8)), 7);
        assert_eq!(shorten_name(name, 2), "…p");
        assert_eq!(shorten_name(name, 1), "…");
        assert_eq!(shorten_name(name, 0), "");
    }
}
