//! Interned names: objects, files and functions in one table.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use super::ids::{NameId, next_index};

/// Every distinct name of a profile once, as the bytes that were read.
///
/// Names are not UTF-8: anonymous PHP classes may contain NUL bytes, and C++ symbols anything.
#[derive(Debug)]
pub struct NameTable {
    /// All names back to back.
    bytes: Vec<u8>,
    /// Where each name ends in `bytes`; it starts where the one before it ends.
    ends: Vec<usize>,
    index: HashTable<NameId>,
    hasher: RandomState,
}

impl Default for NameTable {
    fn default() -> Self {
        let mut table = NameTable {
            bytes: Vec::new(),
            ends: Vec::new(),
            index: HashTable::new(),
            hasher: RandomState::default(),
        };
        table.intern(b"");
        table
    }
}

impl NameTable {
    /// Returns the number of `name`, entering it if it is new; none when 2³² − 1 names are taken.
    pub fn intern(&mut self, name: &[u8]) -> Option<NameId> {
        let hash = self.hasher.hash_one(name);
        let (bytes, ends) = (&self.bytes, &self.ends);
        if let Some(&id) = self
            .index
            .find(hash, |&id| slice(bytes, ends, id.index()) == name)
        {
            return Some(id);
        }
        let id = NameId(next_index(self.ends.len())?);
        self.bytes.extend_from_slice(name);
        self.ends.push(self.bytes.len());
        let (bytes, ends, hasher) = (&self.bytes, &self.ends, &self.hasher);
        self.index.insert_unique(hash, id, |&id| {
            hasher.hash_one(slice(bytes, ends, id.index()))
        });
        Some(id)
    }

    /// The number of `name`, if the table has it.
    pub fn find(&self, name: &[u8]) -> Option<NameId> {
        self.index
            .find(self.hasher.hash_one(name), |&id| self.get(id) == name)
            .copied()
    }

    /// The bytes of a name; empty for a number that is not of this table.
    pub fn get(&self, id: NameId) -> &[u8] {
        if id.index() < self.ends.len() {
            slice(&self.bytes, &self.ends, id.index())
        } else {
            b""
        }
    }

    /// How many names there are, the empty one included.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Never true: the empty name is always there.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

fn slice<'a>(bytes: &'a [u8], ends: &[usize], index: usize) -> &'a [u8] {
    let start = if index == 0 { 0 } else { ends[index - 1] };
    &bytes[start..ends[index]]
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
        assert_ne!(a, b);
        assert_eq!(table.get(b), b"\xff\xfe");
        assert_eq!(table.find(b"\xff\xfe"), Some(b));
        assert_eq!(table.find(b"missing"), None);
        assert_eq!(table.len(), 3);
    }
}
