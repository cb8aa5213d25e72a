//! Profiles that real producers write while the tests run.
//!
//! What becomes of them is compared with figures that the producers themselves report: callgrind's
//! and cachegrind's totals and the tables of their annotating tools, the calls that PHP programs
//! count as they make them, the statistics of Python's profilers, google-pprof's own report.
//!
//! ```text
//! cargo test --features live --test live
//! ```
//!
//! needs the producers; a missing one fails with the name of the Debian or Python package that has
//! it. The programs that are profiled stand in `tests/live/programs`.

mod annotate;
mod browser;
mod cachegrind;
mod callgrind;
#[path = "../common/mod.rs"]
mod common;
mod comparison;
mod documents;
mod go_pprof;
mod graphviz;
mod invocations;
mod page;
mod pprof;
mod producer;
mod profile;
mod python;
mod speedscope;
mod xdebug;
