//! Runs the program, and finds the profiles to run it on.

use std::env;
use std::ffi::OsStr;
use std::io::Write;
use std::process::{Command, Output, Stdio};
use std::thread;

pub use crate::common::fixtures::path as fixture;

/// A command with nothing on standard input, and with nothing in its environment that changes what
/// it shows, such as `CI`, `COLUMNS` or `CLICOLOR_FORCE`.
pub fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    let kept = ["PATH", "HOME", "TMPDIR"];
    command.env_clear().env("LC_ALL", "C");
    command.envs(
        kept.into_iter()
            .filter_map(|name| Some((name, env::var_os(name)?))),
    );
    command.stdin(Stdio::null());
    command
}

/// The program, without arguments.
pub fn program() -> Command {
    command(env!("CARGO_BIN_EXE_cg-preprocess"))
}

/// Runs the program with `input` on standard input.
pub fn run<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>, input: &[u8]) -> Output {
    let mut command = program();
    command.args(arguments).stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    thread::scope(|scope| {
        // The program may end before it has read everything.
        scope.spawn(move || stdin.write_all(input));
        child.wait_with_output().unwrap()
    })
}

/// What the program said.
pub fn messages(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}
