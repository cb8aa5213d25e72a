//! Profiles generated from a model that knows their tables, written in any spelling: what comes out
//! is what the model says, in every format. And no input, however broken, does harm.

mod dice;
mod document;
mod reading;
pub mod spelling;
pub mod strategies;
mod tree;

mod aggregates;
mod findings;
pub mod hostile;
mod merging;
mod overflow;
mod traces;

use proptest::prelude::ProptestConfig;

/// So many cases, and no files next to the sources.
///
/// The environment variable `SOAK` multiplies them: `SOAK=100 cargo test --release --test suite
/// properties` looks for what seldom happens.
pub fn config(cases: u32) -> ProptestConfig {
    let times = std::env::var("SOAK").map_or(1, |times| times.parse().expect("a number"));
    ProptestConfig {
        cases: cases.saturating_mul(times),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}
