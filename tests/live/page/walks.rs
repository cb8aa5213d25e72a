//! Walks through reports at random, with one digest for all that a walk sees. Like the matrix of
//! `tests/program/matrix.rs`, they notice every change; what is right, transcripts say.
//!
//! `BLESS=1 cargo test --features live --test live walks` writes `walks.txt` anew.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, UNIX_EPOCH};

use tempfile::TempDir;

use super::make;
use crate::browser::Browser;
use crate::common::digests::{Digests, number};
use crate::common::{fixtures, profiles};

/// What becomes a report: inputs and options.
const REPORTS: &[&str] = &[
    "shop.cg",
    "shop.cg --base shop.cg.old",
    "shop.cg.old --base shop.cg --hide vendor/ --by package",
    "shop.cg random.cg --base shop.cg.old --base random.cg.old -e Memory,Time",
    "random.cg --function helper",
    "random.cg --base random.cg.old --by class",
    "random.cg.old --base random.cg --filter log",
    "runs.cg",
    "truncated.cg --base runs.cg --per-run",
    "sums.cg",
    "sums.cg --base sums.cg.old --by line",
    "sums.cg mail.cg --names full",
    "sums.cg mail.cg --base sums.cg.old --base mail.cg --hide malloc",
    "shop.cg --base shop.cg.old --source source --trim-path /srv/app",
    "parts.cg --base parts.cg.old",
    "parts.cg.old --by part",
    "wide.cg --base wide.cg.old",
    "wide.cg --source-url https://host/{file}#L{line}",
    "deep.cg --base nothing.cg",
    "nothing.cg --base deep.cg",
    "chains.cg",
    "cachegrind.out --max-cost 1 --max-cost 1000 --strict",
    "features.cg",
    "fibers.cg",
    "shop.cg shop.cg.old --hide php:: --max-calls fib=1",
    "wide.cg.old --base wide.cg --by file",
];

const STEPS: u32 = 100;

/// A directory with the inputs of the matrix, and others.
fn inputs() -> TempDir {
    let directory = TempDir::new().expect("a temporary directory");
    let matrix = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/program/matrix");
    let mut files = fixtures::files_below(&matrix);
    files.extend(["xdebug3/features.cg", "xdebug3/fibers.cg"].map(fixtures::path));
    for file in files {
        let name = file.file_name().expect("a name");
        let to = directory.path().join(name);
        fs::copy(&file, to).expect("a file");
    }
    for (name, text) in profiles::all() {
        fs::write(directory.path().join(name), text).expect("a file");
    }
    // Reports say when their input was recorded.
    for file in fixtures::files_below(directory.path()) {
        let file = fs::File::options().write(true).open(file).expect("a file");
        file.set_modified(UNIX_EPOCH + Duration::from_secs(1 << 30))
            .expect("a time");
    }
    let source = directory.path().join("source/src");
    fs::create_dir_all(&source).expect("a directory");
    for (name, lines) in [("Shop.php", 60), ("helpers.php", 20)] {
        let lines = (1..=lines).map(|line| format!("line {line};\n"));
        fs::write(source.join(name), lines.collect::<String>()).expect("a file");
    }
    directory
}

#[test]
fn every_walk_has_its_digest() {
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join("walks");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/live/page/walks.txt");
    let digests = Digests::read(file, &kept);
    let next = AtomicUsize::new(0);
    let walk_some = || {
        let (browser, directory) = (Browser::start(), inputs());
        browser.show_at(1440, "light");
        let mut checked = Vec::new();
        loop {
            let at = next.fetch_add(1, Relaxed);
            let Some(report) = REPORTS.get(at) else { break };
            let options: Vec<_> = report.split(' ').collect();
            let page = make(directory.path(), &options);
            browser.open(&page, "");
            let seed = number(report.as_bytes()) % 1_000_000;
            const WALK: &str = include_str!("walk.js");
            let seen = browser.run(&format!("{WALK} return walk({seed}, {STEPS});"));
            let seen = seen.as_str().expect("a text");
            checked.push((at, digests.check(report, seen)));
            browser.check_quiet(&page);
        }
        checked
    };
    let mut checked: Vec<_> = thread::scope(|scope| {
        let threads = [(); 2].map(|()| scope.spawn(walk_some));
        let checked = threads.map(|thread| thread.join().expect("a walk"));
        checked.into_iter().flatten().collect()
    });
    checked.sort_by_key(|&(at, _)| at);
    let checked: Vec<_> = checked.into_iter().map(|(_, checked)| checked).collect();
    digests.finish(&checked);
}
