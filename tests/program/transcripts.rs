//! Commands with what they write and say, as the pages in `pages/` and the documentation show them.
//!
//! In `pages/`, a block `file NAME` is a file, or with `xdebug` the trace of a tree of calls
//! (`common/trace.rs`), and the commands of a block `console` run in a directory
//! of their heading's own, with those files, the `fixtures` and webgrind's `preprocessor` in it. What
//! a command says stands before what it writes, after `! `, and its exit status, if it is not 0, last,
//! after `? `. `BLESS=1 cargo test --test program transcripts` writes all of it anew; review the
//! difference.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Output;

use tempfile::TempDir;

use crate::common::pages::{self, Block};
use crate::common::{self, fixtures};
use crate::runner;

/// Whether commands have the options of GNU.
const IS_GNU: bool = cfg!(target_os = "linux");

/// Runs a command in a directory.
pub fn shell(command: &str, directory: &Path) -> Output {
    let mut shell = runner::command(if IS_GNU { "timeout" } else { "sh" });
    if IS_GNU {
        // One that hangs fails, and does not outlive the test.
        shell.arg(format!("{}m", common::PATIENCE)).arg("sh");
    }
    shell.args(["-c", command]).current_dir(directory);
    shell
        .env(
            "PATH",
            common::search_path(env!("CARGO_BIN_EXE_cg-preprocess")),
        )
        .output()
        .unwrap()
}

/// The commands of a block with what they write and say; what they say is marked, and statuses are
/// shown, if there is a mark.
pub fn run(block: &Block<'_>, directory: &Path, mark: Option<&str>) -> String {
    let mut shown = String::new();
    let mut lines = block.text.lines().peekable();
    while let Some(line) = lines.next() {
        let Some(first) = line.strip_prefix("$ ") else {
            continue;
        };
        let (mut command, mut typed) = (first.to_owned(), format!("{line}\n"));
        while let Some(line) = lines.next_if(|line| line.starts_with("> ")) {
            command += &format!("\n{}", &line[2..]);
            typed += &format!("{line}\n");
        }
        let output = shell(&command, directory);
        shown += &typed;
        let said = String::from_utf8_lossy(&output.stderr);
        let marked = said
            .lines()
            .map(|line| format!("{}{line}", mark.unwrap_or_default()));
        shown.extend(marked.map(|line| line.trim_end().to_owned() + "\n"));
        shown += &String::from_utf8_lossy(&output.stdout);
        if !shown.ends_with('\n') {
            shown.push('\n');
        }
        match output.status.code() {
            Some(0) => {}
            _ if mark.is_none() => {}
            code => shown += &format!("? {}\n", code.unwrap_or(-1)),
        }
    }
    shown
}

/// The top of the sources.
pub fn top() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn pages_directory() -> PathBuf {
    top().join("tests/program/pages")
}

/// A directory with what commands use.
fn directory() -> TempDir {
    let directory = TempDir::new().unwrap();
    symlink(fixtures::directory(), directory.path().join("fixtures")).unwrap();
    let program = env!("CARGO_BIN_EXE_cg-preprocess");
    symlink(program, directory.path().join("preprocessor")).unwrap();
    directory
}

/// Whether there is on this system what a page needs.
fn is_possible(page: &str) -> bool {
    let is_root = rustix::process::geteuid().is_root();
    let has_more = match page {
        "root.md" => is_root,
        "user.md" => !is_root,
        "terminal.md" => Path::new("/usr/bin/script").exists(),
        _ => true,
    };
    has_more && IS_GNU
}

fn check(page: &str) {
    if !is_possible(page) {
        eprintln!("skipped: {page}");
        return;
    }
    let pages = pages_directory();
    let mut title = String::new();
    let mut place = directory();
    pages::check(&pages.join(page), |block| {
        if block.title != title {
            block.title.clone_into(&mut title);
            place = directory();
        }
        match block.kind {
            "file" => {
                fs::write(place.path().join(block.options[0]), &*block.text).unwrap();
                None
            }
            "console" => Some(run(block, place.path(), Some("! "))),
            kind => panic!("unknown kind of block {kind:?}"),
        }
    });
}

macro_rules! pages {
    ($directory:literal $($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                check(concat!($directory, stringify!($name), ".md"));
            }
        )*

        #[test]
        fn every_page_is_checked() {
            let pages = pages::pages(&pages_directory().join($directory));
            assert_eq!(pages.len(), [$(stringify!($name)),*].len());
        }
    };
}

pages! {
    ""
    bounds callbacks changed_tree comparison compressed corners dot events formats hide inclusive inlined inputs looked_for messages names
    output page parts per_call
    preprocessor recursion repeated root source terminal threads timeline
    usage user webgrind
}

/// Rows that are no functions, and lines of functions.
mod by {
    use super::*;

    pages! { "by/" costs_of_lines groups line part }
}

/// Hostile sizes, below a limit on the address space.
mod memory {
    use super::*;

    pages! { "memory/" claims functions lines repeats }
}

/// Limits of CI.
mod limits {
    use super::*;

    pages! { "limits/" cost_and_calls each_part groups growth incomplete script }
}
