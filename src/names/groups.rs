//! The groups of a function, from its name and its files.

use super::last_component;
use super::query::without_arguments;

/// The class of a function, or else its namespace: `A\B` of `A\B->m`, `ns::C` of
/// `ns::C<int>::m(…)`; `None` for a function without either. Template arguments are omitted.
pub(crate) fn class(name: &str) -> Option<String> {
    let name = name.strip_prefix("php::").unwrap_or(name);
    let (mut path, scopes) = scopes(without_arguments(name));
    let mut last = scopes.len();
    // A function without a name belongs to the function around it, except PHP's closures.
    let start = |scope: usize| path[scopes[scope].1..].starts_with('{');
    let is_of_php = path.contains("{closure:");
    while last > 0 && !is_of_php && (start(last - 1) || last > 1 && start(last - 2)) {
        last -= 1;
    }
    let (end, _) = *scopes.get(last.checked_sub(1)?)?;
    path.truncate(end);
    Some(path).filter(|path| !path.is_empty())
}

/// A name without text in `<>`, with the starts and ends of its separators.
fn scopes(name: &str) -> (String, Vec<(usize, usize)>) {
    let mut path = String::new();
    let mut scopes = Vec::new();
    let mut rest = name;
    // `<app::Foo as app::Bar>::run` is of `app::Foo`.
    if let Some(inner) = name.strip_prefix('<') {
        let end = bracket_end(inner).unwrap_or(inner.len());
        let (of, after) = inner.split_at(end);
        let (own, own_scopes) = self::scopes_of_type(of);
        (path, scopes, rest) = (own, own_scopes, after.strip_prefix('>').unwrap_or(after));
    }
    // The symbols of an operator are no brackets or separators, and blanks are part of its name.
    const SYMBOLS: [&str; 11] = [
        "<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "<", ">",
    ];
    let operator = rest.find("operator").map(|at| at + "operator".len());
    let operator = operator.unwrap_or(rest.len());
    let (mut depth, mut braces, mut skip) = (0usize, 0usize, 0);
    for (at, c) in rest.char_indices() {
        if at < skip {
            continue;
        }
        let here = &rest[at..];
        let symbols = SYMBOLS.iter().find(|symbols| here.starts_with(**symbols));
        if let Some(symbols) = symbols.filter(|_| at == operator && depth == 0) {
            path += symbols;
            skip = at + symbols.len();
            continue;
        }
        let separator = ["::", "->", "\\"]
            .into_iter()
            .find(|mark| here.starts_with(mark));
        match (c, separator) {
            (_, Some(mark)) if depth == 0 && braces == 0 => {
                scopes.push((path.len(), path.len() + mark.len()));
                path += mark;
                skip = at + mark.len();
                continue;
            }
            ('<', _) => depth += 1,
            ('>', _) if depth > 0 => {
                depth -= 1;
                continue;
            }
            // The type that a function returns.
            (' ', _) if depth == 0 && braces == 0 && at < operator && !path.contains('(') => {
                (path, scopes) = (String::new(), Vec::new());
                continue;
            }
            ('{', _) => braces += 1,
            ('}', _) => braces = braces.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            path.push(c);
        }
    }
    (path, scopes)
}

/// The same of a type, which may be that of a trait: `Foo as Bar`.
fn scopes_of_type(name: &str) -> (String, Vec<(usize, usize)>) {
    let mut depth = 0usize;
    let end = name.char_indices().find(|&(at, c)| {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && name[at..].starts_with(" as ")
    });
    let name = end.map_or(name, |(at, _)| &name[..at]);
    scopes(name.trim_start_matches(['<', '&', '*']))
}

/// The end of the bracket that was opened before a text.
fn bracket_end(text: &str) -> Option<usize> {
    let mut depth = 1usize;
    let mut before = ' ';
    let end = text.char_indices().find(|&(_, c)| {
        match c {
            '<' => depth += 1,
            '>' if before != '-' => depth -= 1,
            _ => {}
        }
        before = c;
        depth == 0
    });
    end.map(|(at, _)| at)
}

/// The package of a file or object: `NAME/PACKAGE` below `vendor`, a crate, or a shared library;
/// `None` if it is in none of these.
pub(crate) fn package(file: &str, object: &str) -> Option<String> {
    if file == "php:internal" {
        return Some("php".to_owned());
    }
    let folders: Vec<&str> = file.split(['/', '\\']).collect();
    let (_, folders) = folders.split_last()?;
    let below = |folder: &str| {
        let at = folders.iter().rposition(|&name| name == folder)?;
        folders.get(at + 1..).filter(|rest| !rest.is_empty())
    };
    if let Some(rest) = below("vendor") {
        return Some(rest[..rest.len().min(2)].join("/"));
    }
    for folder in ["node_modules", "site-packages"] {
        if let Some(rest) = below(folder) {
            let is_scope = rest[0].starts_with('@');
            return Some(rest[..rest.len().min(1 + usize::from(is_scope))].join("/"));
        }
    }
    // As Cargo names folders: registry/src/INDEX/NAME-VERSION, and rustc those of its library.
    if let Some([_, crate_folder, ..]) =
        below("registry").and_then(|rest| rest.strip_prefix(&["src"]))
    {
        let name = crate_folder
            .rsplit_once('-')
            .map_or(*crate_folder, |(name, _)| name);
        return Some(name.to_owned());
    }
    if let (Some(_), Some([name, ..])) = (below("rustc"), below("library")) {
        return Some((*name).to_owned());
    }
    let library = last_component(object.as_bytes());
    let is_library = library.ends_with(b".so") || memchr::memmem::find(library, b".so.").is_some();
    is_library.then(|| object[object.len() - library.len()..].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_have_classes_or_namespaces() {
        for (name, expected) in [
            (r"A\B->m", r"A\B"),
            (r"A\B::m", r"A\B"),
            (r"A\helper", "A"),
            (r"A\B->{closure:/srv/a::b.php:2-3}", r"A\B"),
            (r"A\{closure:/srv/a.php:2-3}", "A"),
            ("php::PDO->query", "PDO"),
            ("ns::C<int, a::b>::m(x::y, int)", "ns::C"),
            ("void std::vector<int>::push<int>(int) const", "std::vector"),
            ("A::operator<(int)", "A"),
            ("A::operator->()", "A"),
            ("A::operator<=>(b::C)", "A"),
            ("A::operator->*<int>(b::C)", "A"),
            (
                "std::basic_ostream<char, std::char_traits<char> >& std::operator<< <std::char_traits<char> >(std::basic_ostream<char, std::char_traits<char> >&, char const*)",
                "std",
            ),
            ("bool ns::operator< <a::b>(a::b)", "ns"),
            ("std::vector<int>::operator[](unsigned long)", "std::vector"),
            ("bool ns::operator==<int>(ns::A, ns::A)", "ns"),
            ("(anonymous namespace)::run(int)", "(anonymous namespace)"),
            ("<app::Foo<'a> as core::Iter<u8>>::next", "app::Foo"),
            ("app::Foo::run::{closure#0}", "app::Foo"),
            ("app::Foo::run::{closure#0}::inner", "app::Foo"),
            ("<fn() -> app::Out as Bar>::f", "fn() -> app::Out"),
            ("core::ptr::drop_in_place<alloc::vec::Vec<u8>>", "core::ptr"),
            ("<&app::Foo as Bar>::f", "app::Foo"),
            ("<dyn assets::Foo as Bar>::f", "assets::Foo"),
        ] {
            assert_eq!(class(name).as_deref(), Some(expected), "{name}");
        }
        for name in [
            "main",
            "php::strlen",
            "{main}",
            "{closure:/srv/a.php:2-3}",
            "",
            "f(a::b)",
            "f(int)::{lambda(int)#1}::operator()(int) const",
            "(below main)",
            "::f",
        ] {
            assert_eq!(class(name), None, "{name}");
        }
    }

    #[test]
    fn files_are_of_packages() {
        for (file, object, expected) in [
            ("/srv/app/vendor/acme/http/src/A.php", "", Some("acme/http")),
            ("/srv/vendor/a/vendor/b/c/d.php", "", Some("b/c")),
            ("/srv/vendor/autoload.php", "", None),
            ("/srv/node_modules/@a/b/c.js", "", Some("@a/b")),
            ("/srv/node_modules/b/lib/c.js", "", Some("b")),
            ("/py/site-packages/yaml/nodes.py", "", Some("yaml")),
            ("phpunit.php", "", None),
            (
                "/home/me/.cargo/registry/src/index-1/serde-json-1.0.2/src/de.rs",
                "/app",
                Some("serde-json"),
            ),
            (
                "/rustc/0a1b/library/core/src/ptr/mod.rs",
                "/app",
                Some("core"),
            ),
            ("php:internal", "", Some("php")),
            ("./malloc/malloc.c", "/usr/lib/libc.so.6", Some("libc.so.6")),
            ("???", "/usr/lib/libm.so", Some("libm.so")),
            ("/srv/app/src/a.c", "/srv/app/prog", None),
            ("", "", None),
        ] {
            assert_eq!(package(file, object).as_deref(), expected, "{file}");
        }
    }
}
