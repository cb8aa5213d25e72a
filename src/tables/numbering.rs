//! Numbers keys by their first appearance.

use std::hash::{BuildHasher, Hash};

use hashbrown::HashTable;

use super::ids::next_index;
use crate::maps::RandomState;

/// Finds the numbers of a table's keys. The table stores the keys, and may find some numbers
/// itself.
///
/// An `IndexMap` would also store the keys, and 64-bit indices. For millions of call edges of 32
/// bytes, it would take half as much memory again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Numbering {
    numbers: HashTable<Number>,
    hasher: RandomState,
}

/// A number, and part of its key's hash. With the hash, a table can grow without reading the keys,
/// which may exceed the processor's caches.
#[derive(Clone, Debug)]
struct Number {
    number: u32,
    hash: u32,
}

impl Number {
    /// The hash, extended to 64 bits: hash tables use its lowest and highest bits.
    #[inline]
    fn hash(&self) -> u64 {
        u64::from(self.hash) << 32 | u64::from(self.hash)
    }
}

impl Numbering {
    /// Whether no key has a number yet.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// Finds the number of a key, or assigns `len`, the number of keys in the table. The table must
    /// then store the key.
    ///
    /// `key_of` returns the key with a number.
    #[inline]
    pub fn number<K: Eq + Hash>(&mut self, key: K, len: usize, key_of: impl Fn(usize) -> K) -> u32 {
        let [_, _, _, _, hash @ ..] = self.hasher.hash_one(&key).to_be_bytes();
        let hash = u32::from_be_bytes(hash);
        let is_key = |known: &Number| known.hash == hash && key_of(known.number as usize) == key;
        let new = Number {
            number: next_index(len),
            hash,
        };
        if let Some(known) = self.numbers.find(new.hash(), is_key) {
            return known.number;
        }
        let entry = self.numbers.insert_unique(new.hash(), new, Number::hash);
        entry.get().number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_numbered_in_order_however_many_there_are() {
        let mut numbering = Numbering::default();
        let mut keys = Vec::new();
        for key in (0..5000).map(|key| key * 7 % 3001) {
            let known = keys.iter().position(|&known| known == key);
            let found = numbering.number(key, keys.len(), |number| keys[number]);
            assert_eq!(found as usize, known.unwrap_or(keys.len()));
            if known.is_none() {
                keys.push(key);
            }
        }
    }
}
