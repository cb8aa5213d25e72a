//! What several crates of tests share.

#![allow(dead_code, unused_imports, reason = "each crate uses a part")]

pub mod fixtures;
pub mod lines;
pub mod pages;
pub mod preprocessed;
mod random;
pub mod tables;

use std::env;
use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::process::Command;

pub use random::Random;

/// A search path on which this program is found first.
pub fn search_path(program: &str) -> OsString {
    let folder = Path::new(program).parent().expect("a folder").to_owned();
    let others = env::var_os("PATH").unwrap_or_default();
    let folders = [folder].into_iter().chain(env::split_paths(&others));
    env::join_paths(folders).expect("folders")
}

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
