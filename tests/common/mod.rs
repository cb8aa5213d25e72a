//! What several crates of tests share.

#![allow(dead_code, unused_imports, reason = "each crate uses a part")]

pub mod digests;
pub mod fixtures;
pub mod lines;
pub mod pages;
pub mod preprocessed;
pub mod profiles;
mod random;
pub mod tables;
mod trace;

use std::env;
use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::process::{self, Command};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

pub use random::Random;
pub use trace::trace;

/// The minutes after which no test is expected to go on, even on a busy machine.
pub const PATIENCE: u64 = 10;

/// Says that a test gets on. If none does for so long, the tests end: one that loops would not.
pub fn get_on() {
    static STEPS: AtomicU64 = AtomicU64::new(0);
    if STEPS.fetch_add(1, Relaxed) == 0 {
        thread::spawn(|| {
            let mut before = 0;
            while before != STEPS.load(Relaxed) {
                before = STEPS.load(Relaxed);
                thread::sleep(Duration::from_secs(60 * PATIENCE));
            }
            eprintln!("no test gets on for {PATIENCE} minutes: those that still run hang");
            process::exit(1);
        });
    }
}

/// A search path on which this program is found first.
pub fn search_path(program: &str) -> OsString {
    let directory = Path::new(program).parent().expect("a directory").to_owned();
    let others = env::var_os("PATH").unwrap_or_default();
    let directories = [directory].into_iter().chain(env::split_paths(&others));
    env::join_paths(directories).expect("directories")
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
