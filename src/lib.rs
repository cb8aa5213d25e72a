//! callgrind profiles into webgrind's preprocessed format.

pub mod callgrind;
pub mod convert;
pub mod input;
pub mod output;
pub mod profile;
pub mod webgrind;
