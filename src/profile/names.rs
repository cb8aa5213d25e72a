//! Interned names: objects, files and functions in one table.

use std::hash::BuildHasher;
use std::ops::Range;

use foldhash::fast::RandomState;
use indexmap::IndexMap;
use indexmap::map::raw_entry_v1::{RawEntryApiV1, RawEntryMut};

use super::ids::{NameId, next_index};

/// Every distinct name of a profile once, as the bytes that were read.
///
/// Names are not UTF-8: anonymous PHP classes may contain NUL bytes, and C++ symbols anything.
#[derive(Debug)]
pub(super) struct NameTable {
    /// All names, one after the other.
    bytes: Vec<u8>,
    /// Where each of them is, by the hash of its bytes.
    names: IndexMap<Range<usize>, (), RandomState>,
}

impl Default for NameTable {
    fn default() -> Self {
        let mut table = NameTable {
            bytes: Vec::new(),
            names: IndexMap::default(),
        };
        // `NameId::EMPTY` and `NameId::MAIN` are always there.
        table.intern(b"");
        table.intern(b"{main}");
        table
    }
}

impl NameTable {
    /// Returns the number of `name`, entering it if it is new; none when 2³² − 1 names are taken.
    pub fn intern(&mut self, name: &[u8]) -> Option<NameId> {
        let next = next_index(self.names.len());
        let hash = self.names.hasher().hash_one(name);
        let entry = self.names.raw_entry_mut_v1();
        match entry.from_hash(hash, |known| self.bytes[known.clone()] == *name) {
            RawEntryMut::Occupied(known) => next_index(known.index()).map(NameId),
            RawEntryMut::Vacant(new) => {
                let id = next.map(NameId)?;
                let start = self.bytes.len();
                self.bytes.extend_from_slice(name);
                new.insert_hashed_nocheck(hash, start..self.bytes.len(), ());
                Some(id)
            }
        }
    }

    /// The bytes of a name; empty for a number that is not from this table.
    #[inline]
    pub fn get(&self, id: NameId) -> &[u8] {
        match self.names.get_index(id.index()) {
            Some((name, ())) => &self.bytes[name.clone()],
            None => b"",
        }
    }

    /// All names in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.names.keys().map(|name| &self.bytes[name.clone()])
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
