//! Text from inputs, numbers and units, as people see them.

pub(crate) mod numbers;
pub(crate) mod text;
pub(crate) mod units;

/// The most things of one kind that a message lists. The others are counted.
pub(crate) const MAX_LISTED: usize = 10;
