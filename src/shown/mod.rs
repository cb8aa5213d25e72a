//! What people are shown: text from an input, its length, and numbers.

pub(crate) mod names;
pub(crate) mod numbers;
pub(crate) mod text;
