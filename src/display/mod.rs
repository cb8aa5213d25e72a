//! What people are shown: text from an input, its length, and numbers.

pub(crate) mod numbers;
pub(crate) mod text;
pub(crate) mod units;

/// How many warnings of one kind are listed; the others are counted.
pub(crate) const MAX_LISTED: usize = 10;
