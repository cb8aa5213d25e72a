//! The records of a trace that were read before, by their bytes:
//!
//! ```text
//! fl=(2)                cfl=(1)
//! fn=(3)                cfn=(1)
//! 9 222 432             calls=1 0 0
//!                       5 1707 0
//! ```
//!
//! The *key* of a record is the text up to the blank before its first cost. A trace repeats few
//! keys millions of times. Comparing one with those that were read before is much cheaper than
//! reading it again.

use crate::callgrind::digits::{equal, mask, same, word};
use crate::profile::{EdgeId, FunctionId, NameId};

/// The smallest and the largest number of places, powers of two. Many small inputs may be read in
/// one go, and any line may make the memo forget its records.
const MIN_ENTRIES: usize = 1 << 8;
const MAX_ENTRIES: usize = 1 << 12;

/// The largest length of a key.
const MAX_RECORD_LENGTH: usize = 48;

/// The same in parts of 16 bytes.
const PARTS: usize = MAX_RECORD_LENGTH / 16;

/// The bytes that must follow the start of a key.
const SPAN: usize = 64;

/// The distance from a byte of the function's id to the end of the key of a call.
const CALLS: usize = 24;

/// The number of the blank after a key.
pub(in crate::callgrind) const BLOCK: u32 = 1;
pub(in crate::callgrind) const CALL: u32 = 3;

/// The bytes at the beginning of a record.
#[derive(Clone, Copy)]
pub(in crate::callgrind) struct RecordKey<'a> {
    bytes: &'a [u8; SPAN],
    length: usize,
}

/// The numbers in a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::callgrind) struct RecordIds {
    /// Id of the file.
    pub file: u32,
    /// Id of the function.
    pub function: u32,
    /// Line of the cost.
    pub line: u32,
}

impl<'a> RecordKey<'a> {
    /// The text at `pos` up to the blank with this number, which may be the key of a record.
    #[inline(always)]
    pub fn up_to_blank<const NTH: u32>(data: &'a [u8], pos: usize) -> Option<Self> {
        let bytes: &[u8; SPAN] = data.get(pos..)?.first_chunk()?;
        let mut blanks = mask(bytes, PARTS, |part| equal(part, b' '));
        for _ in 1..NTH {
            blanks &= blanks.wrapping_sub(1);
        }
        if blanks == 0 {
            return None;
        }
        let length = blanks.trailing_zeros() as usize;
        Some(RecordKey { bytes, length })
    }

    /// Its length in bytes.
    #[inline(always)]
    pub fn length(self) -> usize {
        self.length
    }

    /// The hash that determines its place in the memo.
    #[inline(always)]
    fn hash(self) -> u64 {
        // Keys differ in the id of the function and the line.
        let id = word(self.bytes, self.length.saturating_sub(CALLS));
        let line = word(self.bytes, self.length.saturating_sub(8));
        (id.rotate_left(20) ^ line).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    /// Reads it, if it is the key of a record of ids and plain numbers.
    pub fn ids(self) -> Option<RecordIds> {
        let text = self.bytes.get(..self.length)?;
        let (file, function, rest) = if let Some(block) = text.strip_prefix(b"fl=(") {
            let (file, rest) = number_before(block, b")\nfn=(")?;
            let (function, rest) = number_before(rest, b")\n")?;
            (file, function, rest)
        } else {
            let (file, rest) = number_before(text.strip_prefix(b"cfl=(")?, b")\ncfn=(")?;
            let (function, rest) = number_before(rest, b")\ncalls=1 0 0\n")?;
            (file, function, rest)
        };
        let (line, rest) = number_before(rest, b"")?;
        rest.is_empty().then_some(RecordIds {
            file,
            function,
            line,
        })
    }
}

/// The meaning of a key.
#[derive(Clone, Copy, Debug)]
pub(in crate::callgrind) struct Record {
    /// The file of the function.
    pub file: NameId,
    /// The function's name.
    pub name: NameId,
    /// The function.
    pub function: FunctionId,
    /// The edge to which the last call with this key was added.
    pub edge: Option<EdgeId>,
    /// Line of the cost.
    pub line: u32,
}

/// A key and its meaning.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// The key, the blank after it, and any other bytes. No key begins with a zero byte.
    text: [u8; MAX_RECORD_LENGTH],
    record: Record,
}

impl Entry {
    /// Whether it has this key. With its blank, no key is the beginning of another.
    #[inline(always)]
    fn is_of(&self, key: RecordKey<'_>) -> bool {
        let mut others = self.text.as_chunks().0.iter();
        let same = mask(key.bytes, PARTS, |part| {
            others.next().map_or(0, |other| same(part, other))
        });
        !same << (u64::BITS as usize - 1 - key.length) == 0
    }
}

/// Records that were read, at places determined by their keys.
#[derive(Debug, Default)]
pub(in crate::callgrind) struct RecordMemo {
    /// Empty before the first record.
    entries: Vec<Entry>,
    /// The number of records entered since the number of places changed.
    entered: usize,
}

impl RecordMemo {
    /// Forgets all records, because an id has another name now.
    pub fn forget(&mut self) {
        self.entries.clear();
    }

    /// The record with this key, if it was read before.
    #[inline(always)]
    pub fn find(&self, key: RecordKey<'_>) -> Option<&Record> {
        let entry = self.entries.get(self.place(key))?;
        if entry.is_of(key) {
            return Some(&entry.record);
        }
        self.find_displaced(key)
    }

    /// The record with this key, if another one took its place.
    #[inline(never)]
    fn find_displaced(&self, key: RecordKey<'_>) -> Option<&Record> {
        let entry = self.entries.get(self.place(key) ^ 1)?;
        entry.is_of(key).then_some(&entry.record)
    }

    /// The place of a key. The neighbour is for the record that was there before.
    #[inline(always)]
    fn place(&self, key: RecordKey<'_>) -> usize {
        // The upper bits are mixed best.
        let place = usize::try_from(key.hash() >> (u64::BITS - MAX_ENTRIES.ilog2()));
        place.unwrap_or(0) & self.entries.len().wrapping_sub(1)
    }

    /// Stores the edge to which a call was added.
    pub fn set_edge(&mut self, key: RecordKey<'_>, edge: Option<EdgeId>) {
        let place = self.place(key);
        for place in [place, place ^ 1] {
            match self.entries.get_mut(place) {
                Some(entry) if entry.is_of(key) => return entry.record.edge = edge,
                _ => {}
            }
        }
    }

    /// Stores a record, and moves the one in its place to the neighbour.
    pub fn enter(&mut self, key: RecordKey<'_>, record: Record) {
        let mut text = [0; MAX_RECORD_LENGTH];
        text.copy_from_slice(&key.bytes[..MAX_RECORD_LENGTH]);
        if self.entered >= self.entries.len() / 4 {
            self.grow(record);
        }
        self.entered += 1;
        let place = self.place(key);
        self.entries.swap(place, place ^ 1);
        self.entries[place] = Entry { text, record };
    }

    /// Makes more places, up to the limit, and forgets all records, which will soon be read again.
    fn grow(&mut self, record: Record) {
        let places = match self.entries.len() {
            0 => MIN_ENTRIES,
            MAX_ENTRIES => return,
            places => 4 * places,
        };
        let none = Entry {
            text: [0; MAX_RECORD_LENGTH],
            record,
        };
        self.entries.clear();
        self.entries.resize(places, none);
        self.entered = 0;
    }
}

/// Reads a number of up to 8 digits and the text that must follow it; returns the number and the
/// rest.
fn number_before<'t>(text: &'t [u8], end: &[u8]) -> Option<(u32, &'t [u8])> {
    let mut number = 0;
    for (digits, byte) in text.iter().enumerate() {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 || digits == 8 {
            let rest = text[digits..].strip_prefix(end)?;
            return (digits > 0 && digit > 9).then_some((number, rest));
        }
        number = 10 * number + u32::from(digit);
    }
    (!text.is_empty() && end.is_empty()).then_some((number, &[]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{ProfileBuilder, ProfileOptions};

    fn padded(text: &str) -> Vec<u8> {
        let mut data = text.as_bytes().to_vec();
        data.resize(data.len() + SPAN, b'#');
        data
    }

    fn read_block(text: &str) -> Option<RecordIds> {
        RecordKey::up_to_blank::<BLOCK>(&padded(text), 0)?.ids()
    }

    fn read_call(text: &str) -> Option<RecordIds> {
        RecordKey::up_to_blank::<CALL>(&padded(text), 0)?.ids()
    }

    #[test]
    fn keys_are_read() {
        let ids = |file, function, line| {
            Some(RecordIds {
                file,
                function,
                line,
            })
        };
        assert_eq!(read_block("fl=(2)\nfn=(13)\n9 222 432\n"), ids(2, 13, 9));
        let text = "cfl=(12345)\ncfn=(123)\ncalls=1 0 0\n1707 5 0\n";
        assert_eq!(read_call(text), ids(12345, 123, 1707));
        let text = "cfl=(99999999)\ncfn=(1)\ncalls=1 0 0\n99999999 5 0\n";
        assert_eq!(read_call(text), ids(99_999_999, 1, 99_999_999));
    }

    #[test]
    fn whatever_differs_is_left_to_the_general_path() {
        for text in [
            "cfl=(1) x\ncfn=(1)\ncalls=1 0 0\n5 17\n",
            "cfl=(1)\ncfn=(1)\ncalls=2 0 0\n5 17\n",
            "cfl=(1)\ncfn=(1)\ncalls=1 0 0\n+5 17\n",
            "cfl=(1)\ncfn=(1)\ncalls=1 0 0\n0x5 17\n",
            "cfl=(1)\ncfn=(1)\ncalls=1 0 0\n5\n",
            "cfl=(1)\r\ncfn=(1)\r\ncalls=1 0 0\r\n5 17\r\n",
            "cfl=()\ncfn=(1)\ncalls=1 0 0\n5 17\n",
            "cfl=(123456789)\ncfn=(1)\ncalls=1 0 0\n5 17\n",
        ] {
            assert_eq!(read_call(text), None, "{text:?}");
        }
        for text in ["fl=(1)\nfn=(1) f\n5 17\n", "fi=(1)\nfn=(1)\n5 17\n"] {
            assert_eq!(read_block(text), None, "{text:?}");
        }
        assert!(RecordKey::up_to_blank::<BLOCK>(b"fl=(1)\nfn=(1)\n5 17\n", 0).is_none());
    }

    #[test]
    fn keys_are_compared_as_far_as_they_go() {
        let data = padded("cfl=(12345)\ncfn=(123)\ncalls=1 0 0\n1707 5 0\n");
        let key = RecordKey::up_to_blank::<CALL>(&data, 0).unwrap();
        let mut text = [b'#'; MAX_RECORD_LENGTH];
        text.copy_from_slice(&data[..MAX_RECORD_LENGTH]);
        let record = Record {
            file: NameId::EMPTY,
            name: NameId::EMPTY,
            function: function(),
            edge: None,
            line: 0,
        };
        assert!(Entry { text, record }.is_of(key));
        for at in 0..MAX_RECORD_LENGTH {
            let mut text = text;
            text[at] ^= 1;
            // The blank after the key is part of it.
            assert_eq!(Entry { text, record }.is_of(key), at > key.length);
        }
    }

    fn function() -> FunctionId {
        ProfileBuilder::new(ProfileOptions::default()).function(
            NameId::EMPTY,
            NameId::EMPTY,
            NameId::EMPTY,
        )
    }

    #[test]
    fn what_is_forgotten_is_forgotten_and_two_of_one_place_are_both_found() {
        let keys: Vec<_> = (0..20_000)
            .map(|line| padded(&format!("fl=(1)\nfn=(1)\n{line} 1\n")))
            .collect();
        let mut memo = RecordMemo::default();
        let mut found = 0;
        for (line, data) in (0..).zip(&keys) {
            let key = RecordKey::up_to_blank::<BLOCK>(data, 0).unwrap();
            assert!(memo.find(key).is_none());
            let record = Record {
                file: NameId::EMPTY,
                name: NameId::EMPTY,
                function: function(),
                edge: None,
                line,
            };
            memo.enter(key, record);
            assert_eq!(memo.find(key).unwrap().line, line);
        }
        for (line, data) in (0..).zip(&keys) {
            let record = memo.find(RecordKey::up_to_blank::<BLOCK>(data, 0).unwrap());
            assert!(record.is_none_or(|record| record.line == line));
            found += usize::from(record.is_some());
        }
        assert!(found > memo.entries.len() / 2);
        assert_eq!(memo.entries.len(), MAX_ENTRIES);
        memo.forget();
        assert!(
            memo.find(RecordKey::up_to_blank::<BLOCK>(&keys[19_999], 0).unwrap())
                .is_none()
        );
    }
}
