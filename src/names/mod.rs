//! What a function is called: its name is taken apart here, and nowhere else.
//!
//! A name can say more than what the function is called: who called it (see [`chains`]), where it
//! is (Xdebug's `php::usort:{/srv/a.php:17}`, PHP's closures), and what a compiler made of it
//! (`f.part.0`).

mod chains;
mod query;
mod short;

pub(crate) use chains::Chains;
pub use query::UnknownFunction;
pub(crate) use query::{NameQuery, Named};
pub(crate) use short::{SHORT, cut_end, pad, short_name, shorten_path, width_of};

/// A name in its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FunctionName<'a> {
    /// What the function is called, without its callers and its recursion level.
    pub own: &'a [u8],
    /// Its callers, the nearest first, with `'` between them; empty if none are given.
    pub chain: &'a [u8],
    /// The recursion level; 0 where none is given.
    pub level: u32,
}

impl<'a> FunctionName<'a> {
    /// A name that says nothing of callers or levels.
    pub fn of(own: &'a [u8]) -> Self {
        FunctionName {
            own,
            chain: b"",
            level: 0,
        }
    }

    /// The name without the place that Xdebug 2.3 and later append to some:
    /// `php::call_user_func:{FILE:LINE}`.
    pub fn without_place(&self) -> &'a [u8] {
        let is_place = |&at: &usize| at == 0 || self.own[at - 1] != b':';
        let mut places = memchr::memmem::find_iter(self.own, b":{").filter(is_place);
        match (places.next(), self.own.ends_with(b"}")) {
            (Some(at), true) => &self.own[..at],
            _ => self.own,
        }
    }

    /// Whether somebody who writes this name means the function: PHP's own go without their prefix.
    pub fn is(&self, wanted: &[u8]) -> bool {
        self.own == wanted || self.without_place() == wanted
    }

    /// What PHP's own functions are called in PHP: `strlen` is Xdebug's `php::strlen`.
    pub fn in_php(&self) -> Option<FunctionName<'a>> {
        self.own.strip_prefix(b"php::").map(FunctionName::of)
    }

    /// The name without the folders of absolute paths: `include::a.php` of
    /// `include::/srv/app/a.php`.
    ///
    /// A path begins with `/`, at the beginning of the name or of what Xdebug and PHP put together.
    pub fn without_folders(&self) -> Vec<u8> {
        let mut short = Vec::with_capacity(self.own.len());
        let ends_part = |byte: &u8| matches!(byte, b':' | b'{' | b'}' | 0);
        for part in self.own.split_inclusive(ends_part) {
            let part = match part {
                [b'/', ..] => last_component(part),
                _ => part,
            };
            short.extend_from_slice(part);
        }
        short
    }
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
    fn paths_in_names_lose_their_folders() {
        let short = |name: &str| {
            let name = FunctionName::of(name.as_bytes());
            String::from_utf8(name.without_folders()).unwrap()
        };
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
    fn places_at_the_end_are_no_part_of_what_is_called() {
        let without = |name: &'static str| FunctionName::of(name.as_bytes()).without_place();
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
