//! Interned names: objects, files and functions in one table.

use super::ids::{NameId, next_index};
use super::numbering::Numbering;

/// Stores every distinct name of a profile once, as the bytes that were read.
///
/// Names need not be UTF-8. Those of anonymous PHP classes may contain NUL bytes, and C++ symbols
/// may contain any byte.
#[derive(Clone, Debug)]
pub(crate) struct NameTable {
    /// All names, one after the other.
    bytes: Vec<u8>,
    /// The end of each name.
    ends: Vec<usize>,
    numbers: Numbering,
}

impl Default for NameTable {
    fn default() -> Self {
        let mut table = NameTable {
            bytes: Vec::new(),
            ends: Vec::new(),
            numbers: Numbering::default(),
        };
        // Every table contains `NameId::EMPTY` and `NameId::MAIN`.
        table.intern(b"");
        table.intern(b"{main}");
        table
    }
}

impl NameTable {
    /// Returns the number of `name`, and adds it if it is new.
    pub fn intern(&mut self, name: &[u8]) -> NameId {
        let (bytes, ends) = (&self.bytes, &self.ends);
        let name_of = |number| nth(bytes, ends, number);
        let number = self.numbers.number(name, ends.len(), name_of);
        if number as usize == self.ends.len() {
            self.bytes.extend_from_slice(name);
            self.ends.push(self.bytes.len());
        }
        NameId::of(number)
    }

    /// A number for a name that is not known yet, whose bytes are empty until then.
    pub fn reserve(&mut self) -> NameId {
        self.ends.push(self.bytes.len());
        NameId::of(next_index(self.ends.len() - 1))
    }

    /// The bytes of a name; empty for a number that is not from this table.
    #[inline]
    pub fn get(&self, id: NameId) -> &[u8] {
        nth(&self.bytes, &self.ends, id.index())
    }

    /// All names in the order of their numbers.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        (0..self.ends.len()).map(|number| nth(&self.bytes, &self.ends, number))
    }
}

/// The name with this number; empty if there is none.
#[inline]
fn nth<'a>(bytes: &'a [u8], ends: &[usize], number: usize) -> &'a [u8] {
    let Some(&end) = ends.get(number) else {
        return b"";
    };
    let start = number.checked_sub(1).map_or(0, |before| ends[before]);
    &bytes[start..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_kept_once_and_as_bytes() {
        let mut table = NameTable::default();
        let a = table.intern(b"class@anonymous\0/srv/app/a.php");
        let b = table.intern(b"\xff\xfe");
        assert_eq!(table.intern(b"class@anonymous\0/srv/app/a.php"), a);
        assert_eq!(table.intern(b""), NameId::EMPTY);
        assert_eq!(table.intern(b"{main}"), NameId::MAIN);
        assert_ne!(a, b);
        assert_eq!(table.get(b), b"\xff\xfe");
        assert_eq!(table.iter().count(), 4);
        let [reserved, other] = [table.reserve(), table.reserve()];
        assert!(reserved != other && reserved != NameId::EMPTY && table.get(other).is_empty());
        assert_eq!(table.intern(b""), NameId::EMPTY);
        let c = table.intern(b"c");
        assert_eq!(table.intern(b"c"), c);
        assert_eq!((table.get(c), table.iter().count()), (&b"c"[..], 7));
    }
}
