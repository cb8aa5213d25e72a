//! Closures and classes without a name, which PHP and Xdebug name by their files.
//!
//! Xdebug calls a closure `A\B->A\{closure:/srv/app/src/B.php:24-26}`, PHP 8.4 and later `{closure:A\B::f():24}`. In
//! short names, that is `A\B->{closure} B.php:24` and `{closure} A\B::f():24`.

use std::borrow::Cow;

use super::last_component;

/// A name in which closures and classes without a name have the last component of their file, and their first
/// line.
pub(super) fn readable(name: &str) -> Cow<'_, str> {
    const CLASS: &str = "{anonymous-class:";
    let mut readable = Cow::from(name);
    let class = || {
        let (inner, member) = closed(name.strip_prefix(CLASS)?)?;
        Some(format!("{{anonymous-class {}}}{member}", place(inner)?))
    };
    if let Some(class) = class() {
        readable = class.into();
    }
    let of_closure = closure(&readable);
    of_closure.map_or(readable, Cow::from)
}

fn closure(name: &str) -> Option<String> {
    let at = name.find("{closure")?;
    let (before, closure) = (&name[..at], &name[at + "{closure".len()..]);
    let (inner, after) = match closure.strip_prefix(':') {
        Some(rest) => closed(rest)?,
        // As other profilers write it: `A\B::{closure}(/srv/app/src/B.php:24-26)`.
        None => (closure.strip_prefix("}(")?.strip_suffix(')')?, ""),
    };
    // Its namespace follows its class.
    let member = ["->", "::"]
        .into_iter()
        .filter_map(|mark| Some(before.rfind(mark)? + 2));
    let class = member.max().map_or(before, |end| &before[..end]);
    let mut place = place(inner)?;
    if let Some(method) = member_of(&place, class) {
        place = method.to_owned();
    }
    Some(format!("{class}{{closure}} {place}{after}"))
}

/// `f():24` of `A\B::f():24`, if a name has the class already.
fn member_of<'a>(place: &'a str, class: &str) -> Option<&'a str> {
    let class = class.strip_suffix("->").or(class.strip_suffix("::"))?;
    place.strip_prefix(class)?.strip_prefix("::")
}

/// The text before the bracket that closes, and the text after it.
fn closed(text: &str) -> Option<(&str, &str)> {
    let mut depth = 0usize;
    let end = text.find(|c| {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => return true,
            '}' => depth -= 1,
            _ => {}
        }
        false
    })?;
    Some((&text[..end], &text[end + 1..]))
}

/// `B.php:24` of `/srv/app/src/B.php:24-26`. The function of a closure stays as it is.
fn place(text: &str) -> Option<String> {
    let (path, lines) = text.rsplit_once(':')?;
    let (first, _) = lines.split_once('-').unwrap_or((lines, ""));
    let is_number = !first.is_empty() && first.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number {
        return None;
    }
    // In a closure: `{closure:{closure:/srv/app/a.php:3}:5}`.
    let mut path = path;
    while let Some((inner, "")) = path.strip_prefix("{closure:").and_then(closed) {
        path = inner.rsplit_once(':')?.0;
    }
    let is_path = path.starts_with('/')
        || path
            .get(1..3)
            .is_some_and(|drive| matches!(drive, ":\\" | ":/"));
    let file = if is_path {
        &path[path.len() - last_component(path.as_bytes()).len()..]
    } else {
        path
    };
    Some(format!("{file}:{first}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closures_have_a_class_a_file_and_a_line() {
        for (name, expected) in [
            (r"{closure:/srv/app/src/B.php:24-26}", "{closure} B.php:24"),
            (
                r"A\{closure:/srv/app/src/B.php:24-24}",
                r"A\{closure} B.php:24",
            ),
            (
                r"A\B->A\{closure:/srv/app/src/B.php:24-26}",
                r"A\B->{closure} B.php:24",
            ),
            (
                r"A\B::A\{closure:C:\srv\B.php:2-3}",
                r"A\B::{closure} B.php:2",
            ),
            (
                r"B->{closure:/srv/app/src/B.php:24}",
                "B->{closure} B.php:24",
            ),
            (
                r"A\P::{closure}(/srv/app/src/P.php:46-48)",
                r"A\P::{closure} P.php:46",
            ),
            (r"A\B->{closure:A\B::f():24}", r"A\B->{closure} f():24"),
            (r"A\B->{closure:A\C::f():24}", r"A\B->{closure} A\C::f():24"),
            (r"{closure:A\B::f():24}", r"{closure} A\B::f():24"),
            (r"{closure:f():24}", r"{closure} f():24"),
            (
                r"{closure:{closure:/srv/app/a.php:3}:5}",
                "{closure} a.php:5",
            ),
            (
                r"{closure:{closure:{closure:/srv/app/a.php:3}:5}:7}",
                "{closure} a.php:7",
            ),
            (
                "{closure:/srv/a (copy)/b.php(2) : eval()'d code:1-1}",
                "{closure} b.php(2) : eval()'d code:1",
            ),
            (
                "{anonymous-class:/srv/a.php:6-9}->run",
                "{anonymous-class a.php:6}->run",
            ),
            (
                r"{anonymous-class:/srv/a.php:6-9}->A\{closure:/srv/a.php:7-7}",
                "{anonymous-class a.php:6}->{closure} a.php:7",
            ),
            ("{closure:/srv/a.php:1-2}'main", "{closure} a.php:1'main"),
        ] {
            assert_eq!(readable(name), expected, "{name}");
            // What is readable stays so.
            assert_eq!(readable(expected), expected);
        }
        for whole in [
            "",
            "{closure}",
            r"A\B->{closure}",
            "app::run::{closure#0}",
            "app::run::{{closure}}",
            "{closure:",
            "{closure:}",
            "{closure:/srv/a.php}",
            "{closure:/srv/a.php:x-5}",
            "{closure}(int)",
            "{anonymous-class:}",
            "{anonymous-class:/srv/a.php",
            "include::/srv/a.php",
        ] {
            assert_eq!(readable(whole), whole);
        }
    }
}
