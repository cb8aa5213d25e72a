//! The names of functions. Only this module takes them apart.
//!
//! A name can contain more than the function's own name: its callers (see [`chains`]), its location
//! (Xdebug's `php::usort:{/srv/a.php:17}`, PHP's closures), and additions of compilers
//! (`f.part.0`).

mod chains;
mod closure;
mod outline;
mod package;
mod pieces;
mod query;
mod short;

use std::borrow::Cow;
use std::ops::Range;

pub(crate) use chains::Chains;
pub(crate) use outline::{class, parted};
pub(crate) use package::{Packages, is_internal, is_known};
use pieces::{PieceKind, Pieces};
pub use query::UnknownFunction;
pub(crate) use query::{Fit, HiddenNames, NameQuery, Named};
pub(crate) use short::{SHORT, cut_end, pad, short_name, shorten_path, width_of};

/// Whether a function has this name, with or without the location that Xdebug 2.3 and later append to
/// some: `php::call_user_func:{FILE:LINE}`.
pub(crate) fn is_called(name: &[u8], wanted: &[u8]) -> bool {
    name == wanted || without_place(name) == wanted
}

/// A name without the location that Xdebug appends.
pub(crate) fn without_place(name: &[u8]) -> &[u8] {
    let is_place = |&at: &usize| at == 0 || name[at - 1] != b':';
    let mut places = memchr::memmem::find_iter(name, b":{").filter(is_place);
    match (places.next(), name.ends_with(b"}")) {
        (Some(at), true) => &name[..at],
        _ => name,
    }
}

/// Whether a program has at most one function of this name: it has parameters or a namespace, or is
/// `main`.
pub(crate) fn is_unique(name: &[u8]) -> bool {
    let has_parameters = memchr::memchr(b'(', name).is_some_and(|at| at > 0);
    has_parameters || memchr::memmem::find(name, b"::").is_some() || name == b"main"
}

/// A name without the suffix of a clone, or of a part that compilers move elsewhere: `f` of
/// `f.isra.0.cold` and of `f [clone .part.0]`.
pub(crate) fn original(mut name: &[u8]) -> &[u8] {
    while let Some(shorter @ [_, ..]) = without_clone(name) {
        name = shorter;
    }
    name
}

/// A name without the lines that PHP and Xdebug put into it, and these lines:
/// `{closure:/srv/app/a.php}` of `{closure:/srv/app/a.php:24-26}`.
pub(crate) fn without_lines(whole: &[u8]) -> (Cow<'_, [u8]>, Vec<u64>) {
    let (mut name, mut lines) = (Vec::new(), Vec::new());
    let mut start = 0;
    for colon in memchr::memchr_iter(b':', whole) {
        let after = &whole[colon + 1..];
        let is_number = |byte: &&u8| byte.is_ascii_digit() || **byte == b'-';
        let (number, rest) = after.split_at(after.iter().take_while(is_number).count());
        if let ([_, ..], [b'}' | b'$', ..]) = (number, rest) {
            let numbers = number.split(|&byte| byte == b'-');
            lines.extend(
                numbers.filter_map(|digits| str::from_utf8(digits).ok()?.parse::<u64>().ok()),
            );
            name.extend_from_slice(&whole[start..colon]);
            start = colon + 1 + number.len();
        }
    }
    match start {
        0 => (whole.into(), lines),
        _ => ([&name, &whole[start..]].concat().into(), lines),
    }
}

/// A name without the directories of absolute paths: `include::a.php` of `include::/srv/app/a.php`.
pub(crate) fn without_directories(name: &[u8]) -> Vec<u8> {
    with_paths(name, last_component)
}

/// A name with other absolute paths in it.
pub(crate) fn with_paths<'a>(name: &'a [u8], path: impl Fn(&'a [u8]) -> &'a [u8]) -> Vec<u8> {
    let mut changed = Vec::with_capacity(name.len());
    let mut end = 0;
    for range in paths(name) {
        changed.extend_from_slice(&name[end..range.start]);
        changed.extend_from_slice(path(&name[range.clone()]));
        end = range.end;
    }
    changed.extend_from_slice(&name[end..]);
    changed
}

/// The absolute paths in a name.
pub(crate) fn paths(name: &[u8]) -> impl Iterator<Item = Range<usize>> {
    // Most names have none.
    let may_have =
        memchr::memchr(b'/', name).is_some() || memchr::memmem::find(name, br":\").is_some();
    let pieces = may_have.then(|| Pieces::of(name)).into_iter().flatten();
    pieces.filter_map(|piece| (piece.kind == PieceKind::Path).then_some(piece.range))
}

/// The endings of the names of clones, before one or more numbers.
const CLONES: [&[u8]; 9] = [
    b"cold",
    b"constprop",
    b"hot",
    b"isra",
    b"llvm",
    b"localalias",
    b"lto_priv",
    b"part",
    b"unlikely",
];

/// A name without the last suffix of a compiler, if any.
fn without_clone(name: &[u8]) -> Option<&[u8]> {
    // As demanglers write them.
    for (mark, end) in [(&b" [clone ."[..], b"]"), (b" (.", b")")] {
        if name.ends_with(end) {
            return memchr::memmem::rfind(name, mark).map(|at| &name[..at]);
        }
    }
    let (rest, last) = name.split_at(memchr::memrchr(b'.', name)?);
    let is_number = last.len() > 1 && last[1..].iter().all(u8::is_ascii_digit);
    let (rest, word) = if is_number {
        rest.split_at(memchr::memrchr(b'.', rest)?)
    } else {
        (rest, last)
    };
    CLONES.contains(&&word[1..]).then_some(rest)
}

/// The part after the last separator of Unix or Windows.
pub(crate) fn last_component(path: &[u8]) -> &[u8] {
    let separator = memchr::memrchr2(b'/', b'\\', path);
    separator.map_or(path, |at| &path[at + 1..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_in_names_lose_their_directories() {
        let short = |name: &str| String::from_utf8(without_directories(name.as_bytes())).unwrap();
        assert_eq!(short("include::/srv/app/a.php"), "include::a.php");
        assert_eq!(short("{closure:/srv/a.php:5-9}"), "{closure:a.php:5-9}");
        assert_eq!(
            short("class@anonymous\0/srv/a.php:12$0->run"),
            "class@anonymous\0a.php:12$0->run"
        );
        assert_eq!(
            short("php::usort:{/srv/app/f.php:17}"),
            "php::usort:{f.php:17}"
        );
        assert_eq!(short(r"{closure:C:\srv\a.php:5-9}"), "{closure:a.php:5-9}");
        assert_eq!(short("Table.f /srv/my app/a.py:3"), "Table.f a.py:3");
        assert_eq!(
            short("{closure:/srv/a (copy)/b.php(2) : eval()'d code:1-1}"),
            "{closure:b.php(2) : eval()'d code:1-1}"
        );
        for whole in [
            "App\\Models\\ack",
            "a::operator/(int)",
            "operator/",
            "{main}",
            "",
            "a/b",
            "std::x",
        ] {
            assert_eq!(short(whole), whole);
        }
    }

    #[test]
    fn clones_have_the_name_of_their_function() {
        for (name, expected) in [
            ("f.part.0", "f"),
            ("f.isra.1.cold", "f"),
            ("f.constprop.0", "f"),
            ("f.cold", "f"),
            ("f.cold.12", "f"),
            ("f.llvm.1234567890", "f"),
            ("f.lto_priv.0.part.3", "f"),
            ("f(int) [clone .constprop.0]", "f(int)"),
            ("f(int) [clone .isra.0] [clone .cold]", "f(int)"),
            ("f(int) (.llvm.12)", "f(int)"),
            ("f (.llvm.1) x (.llvm.2)", "f (.llvm.1) x"),
            ("_GLOBAL__sub_I_main.cold", "_GLOBAL__sub_I_main"),
        ] {
            assert_eq!(original(name.as_bytes()), expected.as_bytes());
        }
        for whole in [
            "f",
            "f.0",
            "f.other.0",
            "f.part.0x",
            "operator[]",
            "f(int)",
            ".cold",
            "a.php",
            "",
            ".",
            "f.",
        ] {
            assert_eq!(original(whole.as_bytes()), whole.as_bytes());
        }
    }

    #[test]
    fn lines_are_taken_out_of_names() {
        let without = |name: &'static str| {
            let (name, lines) = without_lines(name.as_bytes());
            (String::from_utf8(name.into_owned()).unwrap(), lines)
        };
        for (name, expected, lines) in [
            (
                r"A\{closure:/srv/a.php:24-26}",
                r"A\{closure:/srv/a.php}",
                &[24, 26][..],
            ),
            (r"{closure:A\f():12}", r"{closure:A\f()}", &[12]),
            (
                "php::usort:{/srv/a.php:17}",
                "php::usort:{/srv/a.php}",
                &[17],
            ),
            (
                "class@anonymous\0/srv/a.php:12$0->run",
                "class@anonymous\0/srv/a.php$0->run",
                &[12],
            ),
            (
                "{closure:{closure:/a.php:2-9}:3-4}",
                "{closure:{closure:/a.php}}",
                &[2, 9, 3, 4],
            ),
            ("std::f:12", "std::f:12", &[]),
            ("A::{main}", "A::{main}", &[]),
            ("a:}", "a:}", &[]),
        ] {
            assert_eq!(without(name), (expected.to_owned(), lines.to_vec()));
        }
    }

    #[test]
    fn places_at_the_end_are_no_part_of_what_is_called() {
        let without = |name: &'static str| without_place(name.as_bytes());
        assert_eq!(without("php::usort:{/srv/f.php:17}"), b"php::usort");
        assert_eq!(without("f:{/a.php:2}"), b"f");
        for whole in [
            "A::{closure:/a.php:2-3}",
            "f:{/a.php:2}x",
            "{main}",
            "Foo::bar",
            "",
        ] {
            assert_eq!(without(whole), whole.as_bytes());
        }
    }

    #[test]
    fn the_last_component_is_that_of_any_system() {
        assert_eq!(last_component(b"/srv/app/a.php"), b"a.php");
        assert_eq!(last_component(b"C:\\app\\a.php"), b"a.php");
        assert_eq!(last_component(b"a.php"), b"a.php");
        assert_eq!(last_component(b"/srv/app/"), b"");
        assert_eq!(last_component(b"php:internal"), b"php:internal");
    }
}
