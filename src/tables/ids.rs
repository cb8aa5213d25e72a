//! Indices into the tables of a profile.

use std::num::NonZeroU32;

/// Number of a name in a profile; see [`Profile::name`](crate::profile::Profile::name).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NameId(NonZeroU32);

impl NameId {
    /// The empty name, which every table contains.
    pub const EMPTY: NameId = NameId::of(0);

    /// `{main}`, the function that spans a run in Xdebug's traces. Every table contains it.
    pub const MAIN: NameId = NameId::of(1);

    /// The name with this number, which must be below 2³² − 1. Stores `number + 1`, so that an
    /// `Option` needs no extra space.
    pub(crate) const fn of(number: u32) -> Self {
        NameId(NonZeroU32::MIN.saturating_add(number))
    }

    /// The number as an index.
    #[inline]
    pub fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// Number of a function in a profile, by first appearance, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FunctionId(pub(crate) u32);

impl FunctionId {
    /// The function at an index.
    pub(crate) fn at(index: usize) -> Self {
        FunctionId(next_index(index))
    }

    /// The number as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The number in webgrind's formats.
    pub fn number(self) -> u32 {
        self.0
    }
}

/// Number of a call edge in a profile, by first appearance, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EdgeId(pub(crate) u32);

impl EdgeId {
    /// The number as an index.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The number of the next entry of a table with `len` entries.
///
/// The last value is reserved for sentinels. A table that large causes an error when the profile is
/// complete: see [`check_count`](crate::profile::ModelError::check_count).
#[inline]
pub(crate) fn next_index(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}

/// The value at an index. Extends the table if necessary.
#[inline]
pub(crate) fn slot<T: Default>(table: &mut Vec<T>, index: usize) -> &mut T {
    if table.len() <= index {
        table.resize_with(index + 1, T::default);
    }
    &mut table[index]
}
