//! The library: what becomes of profiles, whoever wrote them and however they are spelled.
//!
//! `properties` generates profiles from a model that knows their tables; all other files hold
//! examples, most of them from `fixtures/`.

// What the tests share.
#[path = "../common/mod.rs"]
mod common;
mod library;
mod schema;

mod bad_input;
mod bad_preprocessed;
mod body;
mod callgrind_format;
mod cases;
mod comparison;
mod cut_off;
mod golden;
mod hiding;
mod names;
mod options;
#[cfg(feature = "compression")]
// Inputs have other names elsewhere.
#[cfg(unix)]
mod outputs;
mod page;
mod parts;
#[cfg(feature = "compression")]
mod pprof;
mod properties;
mod reader;
mod reading;
mod report;
mod round_trip;
mod shortcuts;
mod source_files;
mod stacks;
mod sum_stacks;
mod tables;
mod trace_links;
