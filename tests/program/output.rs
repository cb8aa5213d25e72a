//! What the program leaves on disk: whole files or nothing, whatever happens.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use tempfile::TempDir;

use crate::common::Random;
use crate::runner::program;

/// What was there before.
const OLD: &[u8] = b"what was there before";

/// The names in a directory, in order.
fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name());
    let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

/// Whether a program has begun its output.
fn is_writing(directory: &Path) -> bool {
    names(directory).iter().any(|name| name.ends_with(".tmp"))
}

/// Starts a conversion, and waits until it writes or has ended.
fn start_writing(directory: &Path) -> Child {
    let mut command = program();
    command
        .current_dir(directory)
        .args(["-f", "v7", "-o", "out", "a.cg"]);
    let mut child = command.spawn().unwrap();
    while !is_writing(directory) && child.try_wait().unwrap().is_none() {
        thread::sleep(Duration::from_micros(100));
    }
    child
}

/// Ends a program that writes, again and again at another time: the old file or the new one is
/// there, and nothing else, unless the program could not clean up.
#[test]
fn a_program_that_is_ended_leaves_the_old_file_or_the_new_one() {
    const SIGNALS: [i32; 4] = [1, 2, 9, 15];
    let directory = TempDir::new().unwrap();
    let functions = (0..20_000).map(|number| format!("fn=f{number}\n1 1\n"));
    let profile = format!("events: Ir\n{}", functions.collect::<String>());
    fs::write(directory.path().join("a.cg"), profile).unwrap();
    let target = directory.path().join("out");
    assert!(start_writing(directory.path()).wait().unwrap().success());
    let new = fs::read(&target).unwrap();
    let mut random = Random(12345);
    let mut caught = 0;
    for round in 0..12 {
        let signal = SIGNALS[round % SIGNALS.len()];
        fs::write(&target, OLD).unwrap();
        let mut child = start_writing(directory.path());
        thread::sleep(Duration::from_micros(random.small(20_000)));
        let mut kill = Command::new("kill");
        kill.args([format!("-{signal}"), child.id().to_string()]);
        assert!(kill.stderr(Stdio::null()).status().is_ok());
        let status = child.wait().unwrap();
        let found = fs::read(&target).unwrap();
        assert!(found == OLD || found == new, "{} bytes", found.len());
        if !status.success() {
            assert_eq!(status.signal(), Some(signal));
            caught += 1;
        }
        let names = names(directory.path());
        for unfinished in names.iter().filter(|name| name.ends_with(".tmp")) {
            assert_eq!(signal, 9);
            fs::remove_file(directory.path().join(unfinished)).unwrap();
        }
    }
    assert!(caught > 0, "all were faster than the signal");
}
