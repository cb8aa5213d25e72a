//! What several crates of tests share.

#![allow(dead_code, unused_imports, reason = "each crate uses a part")]

pub mod fixtures;
pub mod lines;
pub mod pages;
pub mod preprocessed;
mod random;
pub mod tables;

use std::io::Write;
use std::path::Path;
use std::process::Command;

pub use random::Random;

/// Makes a pipe with a name.
#[cfg(unix)]
pub fn make_pipe(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status();
    assert!(made.expect("there is mkfifo").success());
}

/// Compresses data with gzip.
pub fn gzip(data: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(data).expect("memory takes it");
    encoder.finish().expect("memory takes it")
}
