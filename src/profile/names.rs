//! Interned names: objects, files and functions in one table.

use foldhash::fast::RandomState;
use indexmap::IndexMap;
use indexmap::map::raw_entry_v1::{RawEntryApiV1, RawEntryMut};

use super::ids::{NameId, next_index};

/// Every distinct name of a profile once, as the bytes that were read.
///
/// Names are not UTF-8: anonymous PHP classes may contain NUL bytes, and C++ symbols anything.
#[derive(Debug)]
pub(super) struct NameTable {
    names: IndexMap<Box<[u8]>, (), RandomState>,
}

impl Default for NameTable {
    fn default() -> Self {
        let mut names = IndexMap::default();
        // `NameId::EMPTY` and `NameId::MAIN` are always there.
        names.insert(Box::default(), ());
        names.insert((*b"{main}").into(), ());
        NameTable { names }
    }
}

impl NameTable {
    /// Returns the number of `name`, entering it if it is new; none when 2³² − 1 names are taken.
    pub fn intern(&mut self, name: &[u8]) -> Option<NameId> {
        let next = next_index(self.names.len());
        match self.names.raw_entry_mut_v1().from_key(name) {
            RawEntryMut::Occupied(known) => next_index(known.index()).map(NameId),
            RawEntryMut::Vacant(new) => {
                let id = next.map(NameId)?;
                new.insert(name.into(), ());
                Some(id)
            }
        }
    }

    /// The bytes of a name; empty for a number that is not from this table.
    #[inline]
    pub fn get(&self, id: NameId) -> &[u8] {
        match self.names.get_index(id.index()) {
            Some((name, ())) => name,
            None => b"",
        }
    }

    /// All names in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.names.keys().map(|name| &**name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_kept_once_and_as_bytes() {
        let mut table = NameTable::default();
        let a = table.intern(b"class@anonymous\0/srv/app/a.php").unwrap();
        let b = table.intern(b"\xff\xfe").unwrap();
        assert_eq!(table.intern(b"class@anonymous\0/srv/app/a.php"), Some(a));
        assert_eq!(table.intern(b""), Some(NameId::EMPTY));
        assert_eq!(table.intern(b"{main}"), Some(NameId::MAIN));
        assert_ne!(a, b);
        assert_eq!(table.get(b), b"\xff\xfe");
        assert_eq!(table.iter().count(), 4);
    }
}
