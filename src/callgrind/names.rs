//! Name compression: `(id) name` defines, `(id)` refers (section 3.1.5).

use std::collections::HashMap;

use super::lexer::NumberError;
use crate::profile::NameId;

/// What stands after the `=` of a position line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameSpec<'a> {
    /// A name that is not compressed.
    Plain(&'a [u8]),
    /// `(id) name`
    Definition(u64, &'a [u8]),
    /// `(id)`
    Reference(u64),
}

impl<'a> NameSpec<'a> {
    /// Reads the value of a position line.
    ///
    /// `(` with anything but a digit after it begins a plain name, such as `(below main)`.
    pub fn parse(value: &'a [u8]) -> Result<Self, NumberError> {
        let value = trim_blanks(value);
        let Some(rest) = value.strip_prefix(b"(") else {
            return Ok(NameSpec::Plain(value));
        };
        let Some((id, digits)) = parse_id(rest)? else {
            return Ok(NameSpec::Plain(value));
        };
        match rest[digits..].strip_prefix(b")") {
            None => Ok(NameSpec::Plain(value)),
            Some(name) => Ok(match trim_blanks(name) {
                [] => NameSpec::Reference(id),
                name => NameSpec::Definition(id, name),
            }),
        }
    }
}

/// An id and how many bytes it takes, if one stands there.
fn parse_id(text: &[u8]) -> Result<Option<(u64, usize)>, NumberError> {
    let (radix, start) = match text {
        [b'0', b'x' | b'X', digit, ..] if digit.is_ascii_hexdigit() => (16, 2),
        _ => (10, 0),
    };
    let mut id: u64 = 0;
    let mut end = start;
    while let Some(digit) = text.get(end).and_then(|&b| char::from(b).to_digit(radix)) {
        id = id
            .checked_mul(u64::from(radix))
            .and_then(|id| id.checked_add(u64::from(digit)))
            .ok_or(NumberError::TooLarge)?;
        end += 1;
    }
    Ok((end > start).then_some((id, end)))
}

fn trim_blanks(mut text: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] = text {
        text = rest;
    }
    text
}

/// The names behind the ids of one kind: objects, files or functions.
///
/// Ids are mostly small, so that a page of names that is found by index does; but no number in a
/// file may size a table, so far ones go to a map.
#[derive(Debug, Default)]
pub(super) struct IdTable {
    /// Names of the ids from 0 on, where any id of a page is defined.
    pages: Vec<Option<Box<Page>>>,
    far: HashMap<u64, NameId, foldhash::fast::RandomState>,
}

/// The names of ids that follow one another.
type Page = [Option<NameId>; IdTable::PAGE];

impl IdTable {
    /// Ids on a page: few, for a file may define but one of each.
    const PAGE: usize = 64;

    /// The first id that is far. Valgrind numbers all functions that it knows of, and writes those
    /// that were called.
    const FAR: usize = 4 << 20;

    #[inline]
    pub fn get(&self, id: u64) -> Option<NameId> {
        let near = usize::try_from(id).ok()?;
        match self.pages.get(near / Self::PAGE) {
            Some(page) => page.as_ref()?[near % Self::PAGE],
            None => self.get_far(id),
        }
    }

    #[cold]
    fn get_far(&self, id: u64) -> Option<NameId> {
        self.far.get(&id).copied()
    }

    /// Defines an id; a later definition wins. True if it had another name before.
    pub fn define(&mut self, id: u64, name: NameId) -> bool {
        let old = match usize::try_from(id).ok().filter(|&id| id < Self::FAR) {
            Some(id) => self.near(id).replace(name),
            None => self.far.insert(id, name),
        };
        old.is_some_and(|old| old != name)
    }

    fn near(&mut self, id: usize) -> &mut Option<NameId> {
        let page = id / Self::PAGE;
        if self.pages.len() <= page {
            self.pages.resize_with(page + 1, || None);
        }
        let page = self.pages[page].get_or_insert_with(|| Box::new([None; Self::PAGE]));
        &mut page[id % Self::PAGE]
    }
}

/// The three id tables of an input.
///
/// The specification speaks of a mapping for each kind of line, but its own example, and every
/// writer, has one each for objects, files and functions.
#[derive(Debug, Default)]
pub(super) struct IdTables {
    /// `ob` `cob`
    pub objects: IdTable,
    /// `fl` `fi` `fe` `cfi` `cfl` `jfi`
    pub files: IdTable,
    /// `fn` `cfn` `jfn`
    pub functions: IdTable,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::NameTable;

    #[test]
    fn names_and_ids_are_told_apart() {
        let parse = |text: &'static str| NameSpec::parse(text.as_bytes()).unwrap();
        assert_eq!(parse("main"), NameSpec::Plain(b"main"));
        assert_eq!(parse(" main"), NameSpec::Plain(b"main"));
        assert_eq!(parse(""), NameSpec::Plain(b""));
        assert_eq!(parse("(below main)"), NameSpec::Plain(b"(below main)"));
        assert_eq!(parse("(12 main"), NameSpec::Plain(b"(12 main"));
        assert_eq!(parse("(12)"), NameSpec::Reference(12));
        assert_eq!(parse("(12) "), NameSpec::Reference(12));
        assert_eq!(parse("(0x1f)"), NameSpec::Reference(31));
        assert_eq!(parse("(12) f(int)"), NameSpec::Definition(12, b"f(int)"));
        assert_eq!(parse("(8)name"), NameSpec::Definition(8, b"name"));
        assert_eq!(
            NameSpec::parse(b"(18446744073709551616) f"),
            Err(NumberError::TooLarge)
        );
    }

    #[test]
    fn far_ids_cost_nothing_and_later_definitions_win() {
        let mut names = NameTable::default();
        let mut intern = |name: &str| names.intern(name.as_bytes()).unwrap();
        let (a, b) = (intern("a"), intern("b"));
        let mut ids = IdTable::default();
        let last_near = IdTable::FAR as u64 - 1;
        for id in [u64::MAX, last_near + 1, 312_566, 3] {
            assert_eq!(ids.get(id), None);
            assert!(!ids.define(id, a));
            assert!(!ids.define(id, a));
            assert_eq!(ids.get(id), Some(a));
            assert!(ids.define(id, b));
            assert_eq!(ids.get(id), Some(b));
        }
        assert_eq!(ids.pages.len(), 312_566 / IdTable::PAGE + 1);
        assert_eq!(ids.pages.iter().flatten().count(), 2);
        assert_eq!(ids.get(4), None);
        assert_eq!(ids.get(last_near), None);
    }
}
