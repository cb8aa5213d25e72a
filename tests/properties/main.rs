//! Profiles generated from a model that knows their tables, written in any spelling: what comes out
//! is what the model says, in every format. And no input, however broken, does harm.

mod decode;
mod dice;
mod document;
mod reading;
mod spelling;
mod strategies;
mod tree;

mod aggregates;
mod findings;
mod hostile;
mod merging;
mod overflow;
mod splits;
mod traces;

use proptest::prelude::ProptestConfig;

/// So many cases, and no files beside the sources.
fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}
