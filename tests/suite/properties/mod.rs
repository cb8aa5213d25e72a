//! Profiles generated from a model that knows their tables, written in any spelling: what comes out
//! is what the model says, in every format. And no input, however broken, does harm.

mod dice;
mod document;
mod reading;
mod small;
mod special_names;
pub mod spelling;
pub mod strategies;
mod tree;

mod aggregates;
mod agreement;
mod findings;
pub mod hostile;
mod merging;
mod traces;

use proptest::prelude::ProptestConfig;
use proptest::test_runner::RngSeed;

/// So many cases, the same in every run: a test that begins to fail does so because of a change.
///
/// The environment variable `SOAK` asks for so many times as many, other ones in every run:
/// `SOAK=30 cargo test --release --test suite properties` looks for what seldom happens.
pub fn config(cases: u32) -> ProptestConfig {
    let soak = std::env::var("SOAK").ok();
    let times = soak
        .as_ref()
        .map_or(1, |times| times.parse().expect("a number"));
    ProptestConfig {
        cases: cases.saturating_mul(times),
        rng_seed: soak.map_or(RngSeed::Fixed(1), |_| RngSeed::Random),
        // No files next to the sources.
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}
