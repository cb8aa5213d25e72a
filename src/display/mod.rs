//! Text from inputs, numbers and units, as people see them.

pub(crate) mod numbers;
pub(crate) mod text;
pub(crate) mod units;

/// The most warnings of one kind that are listed. The others are counted.
pub(crate) const MAX_LISTED: usize = 10;
