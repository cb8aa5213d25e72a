//! Valgrind's cachegrind: self costs by file and function, and nothing else.

use crate::annotate;
use crate::producer::{Bench, Tool};
use crate::profile::{Profile, assert_figures, sums, text_in};

const VALGRIND: Tool = Tool::new("valgrind", "valgrind");

/// Compares each event's sums and functions with cachegrind's own.
fn check(source: &str, options: &[&str], events: &[&str]) {
    let bench = Bench::new();
    let program = bench.compile(source, &[]);
    let out = bench.path("out.cg");
    let mut command = VALGRIND.command();
    command.args(["-q", "--tool=cachegrind"]).args(options);
    command.arg(format!("--cachegrind-out-file={}", out.display()));
    VALGRIND.run(command.arg(program));
    let text = text_in(&out);
    for &event in events {
        let profile = Profile::of(std::slice::from_ref(&out), &["--event", event]);
        let warnings: Vec<&str> = profile.messages.lines().collect();
        assert!(
            matches!(warnings[..], [only] if only.contains("Cachegrind records no calls")),
            "{warnings:#?}"
        );
        let total = summary(&text, event);
        assert!(total > 0, "no {event} at all");
        assert_eq!(profile.total(), total, "{event}");
        assert_eq!(profile.summary(), total, "{event}");
        let rows = annotate::cachegrind(&out, event).into_iter();
        let expected = sums(rows.map(|row| ((row.file, row.name), row.cost)));
        let found = profile.by_place(|row| row.self_costs[0]);
        assert_figures(&found, &expected);
    }
}

/// Cachegrind's own sum of an event.
fn summary(text: &str, event: &str) -> i64 {
    let line = |key: &str| {
        let found = text.lines().find_map(|line| line.strip_prefix(key));
        found.expect("a line").split_whitespace()
    };
    let column = line("events:").position(|name| name == event);
    let figure = line("summary:").nth(column.expect("the event"));
    figure.expect("a figure").parse().expect("a number")
}

#[test]
fn caches_branches_and_names_of_cpp() {
    let caches = ["Ir", "I1mr", "Dr", "D1mr", "Dw", "DLmw"];
    check("calls.c", &["--cache-sim=yes"], &caches);
    let branches = ["--cache-sim=no", "--branch-sim=yes"];
    check("calls.c", &branches, &["Ir", "Bc", "Bcm", "Bi", "Bim"]);
    check("shapes.cpp", &["--cache-sim=yes"], &["Ir", "Dw"]);
}
