//! Numbers keys by their first appearance.

use std::hash::{BuildHasher, Hash};

use foldhash::fast::RandomState;
use hashbrown::hash_table::{Entry, HashTable};

use super::ids::next_index;

/// The numbers of the keys of a table, which holds the keys in the order of their numbers.
///
/// An `IndexMap` holds them itself, each with its hash, and with an index of 64 bits. For millions of
/// call edges, of 32 bytes each, that is half as much memory again.
#[derive(Debug, Default)]
pub(super) struct Numbering {
    numbers: HashTable<u32>,
    hasher: RandomState,
}

/// What a table knows of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Numbered<Id> {
    /// It was there before.
    Known(Id),
    /// It is the first of its kind, and has the next number.
    New(Id),
    /// It is not there, and there are no more numbers.
    Full,
}

impl<Id> Numbered<Id> {
    pub fn map<T>(self, of: impl FnOnce(Id) -> T) -> Numbered<T> {
        match self {
            Numbered::Known(id) => Numbered::Known(of(id)),
            Numbered::New(id) => Numbered::New(of(id)),
            Numbered::Full => Numbered::Full,
        }
    }
}

impl Numbering {
    /// Whether nothing is numbered.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// Finds the number of a key, or gives it the next one: the table then has to take it in.
    ///
    /// `key_of` is the key with a number.
    #[inline]
    pub fn number<K: Eq + Hash>(&mut self, key: K, key_of: impl Fn(usize) -> K) -> Numbered<u32> {
        let hasher = &self.hasher;
        let next = next_index(self.numbers.len());
        let entry = self.numbers.entry(
            hasher.hash_one(&key),
            |&number| key_of(number as usize) == key,
            |&number| hasher.hash_one(key_of(number as usize)),
        );
        match (entry, next) {
            (Entry::Occupied(known), _) => Numbered::Known(*known.get()),
            (Entry::Vacant(new), Some(next)) => {
                new.insert(next);
                Numbered::New(next)
            }
            (Entry::Vacant(_), None) => Numbered::Full,
        }
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
            let expected = match u32::try_from(known.unwrap_or(keys.len())).unwrap() {
                number if known.is_some() => Numbered::Known(number),
                number => Numbered::New(number),
            };
            assert_eq!(numbering.number(key, |number| keys[number]), expected);
            if known.is_none() {
                keys.push(key);
            }
        }
    }
}
