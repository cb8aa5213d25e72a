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
/// Ids are mostly dense, so that an index does; but no number in a file may size a table, so
/// far ones go to a map.
#[derive(Debug, Default)]
pub(super) struct IdTable {
    dense: Vec<Option<NameId>>,
    /// How many entries of `dense` are defined.
    defined: usize,
    sparse: HashMap<u64, NameId, foldhash::fast::RandomState>,
}

impl IdTable {
    /// How far beyond twice the ids that are defined an id may lie and still be dense.
    const REACH: usize = 16 << 10;

    #[inline]
    pub fn get(&self, id: u64) -> Option<NameId> {
        match usize::try_from(id).ok().and_then(|id| self.dense.get(id)) {
            Some(&Some(name)) => Some(name),
            _ => self.get_sparse(id),
        }
    }

    #[cold]
    fn get_sparse(&self, id: u64) -> Option<NameId> {
        self.sparse.get(&id).copied()
    }

    /// Defines an id; a later definition wins. True if it had another name before.
    pub fn define(&mut self, id: u64, name: NameId) -> bool {
        let is_other = self.get(id).is_some_and(|old| old != name);
        // Not the length, which every id at the end of its reach would double.
        let reach = 2 * self.defined + Self::REACH;
        match usize::try_from(id).ok().filter(|&id| id < reach) {
            Some(id) => {
                if self.dense.len() <= id {
                    self.dense.resize(id + 1, None);
                }
                self.defined += usize::from(self.dense[id].is_none());
                self.dense[id] = Some(name);
            }
            None => {
                self.sparse.insert(id, name);
            }
        }
        is_other
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
        ids.define(u64::MAX, a);
        ids.define(50_000, a);
        ids.define(3, a);
        ids.define(3, b);
        assert_eq!(ids.dense.len(), 4);
        assert_eq!(ids.get(u64::MAX), Some(a));
        assert_eq!(ids.get(50_000), Some(a));
        assert_eq!(ids.get(3), Some(b));
        assert_eq!(ids.get(4), None);
        // Ids that each lie at the end of what is near do not double the table.
        for _ in 0..100 {
            ids.define((2 * ids.dense.len() + IdTable::REACH - 1) as u64, a);
        }
        assert!(ids.dense.len() <= 2 * IdTable::REACH);
        // An id that was far becomes near as the table grows; the newest definition wins.
        (0..40_000).for_each(|id| _ = ids.define(id, a));
        ids.define(50_000, b);
        assert_eq!(ids.get(50_000), Some(b));
    }
}
