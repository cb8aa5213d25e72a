//! One run of callgrind: its files, its own figures, and their comparison with the conversion.

use std::path::PathBuf;
use std::slice::from_ref;

use crate::annotate::{self, Cost, Row};
use crate::common::lines::Lines;
use crate::producer::{Bench, Tool};
use crate::profile::{
    Profile, assert_figures, convert, first_number, place, signed, sums, text_in,
};

const VALGRIND: Tool = Tool::new("valgrind", "valgrind");

/// What callgrind profiled.
pub struct Session {
    _bench: Bench,
    /// The files that it wrote, those without a byte left out.
    pub files: Vec<PathBuf>,
}

/// A part's own figures for one event.
#[derive(Debug)]
pub struct Part {
    pub summary: i64,
    pub totals: i64,
}

impl Part {
    /// What its `summary:` should say: callgrind itself writes 0 when its counting is switched
    /// on and off by the program.
    fn right_summary(&self) -> i64 {
        match self.summary {
            0 => self.totals,
            summary => summary,
        }
    }
}

impl Session {
    pub fn of(source: &str, compiler: &[&str], options: &[&str]) -> Self {
        let bench = Bench::new();
        let program = bench.compile(source, compiler);
        Session::running(bench, &[&program.to_string_lossy()], options)
    }

    /// Profiles a command.
    pub fn running(bench: Bench, program: &[&str], options: &[&str]) -> Self {
        let mut command = VALGRIND.command();
        command.args(["-q", "--tool=callgrind"]).args(options);
        let out = bench.path("out.cg");
        command.arg(format!("--callgrind-out-file={}", out.display()));
        VALGRIND.run(command.args(program));
        let mut files = bench.files("out.cg");
        files.retain(|file| file.metadata().expect("a file").len() > 0);
        let _bench = bench;
        Session { _bench, files }
    }

    pub fn c(options: &[&str]) -> Self {
        Session::of("calls.c", &[], options)
    }

    /// All parts' figures for an event.
    pub fn parts(&self, event: &str) -> Vec<Part> {
        let files = self.files.iter();
        files
            .flat_map(|file| parts(&text_in(file), event))
            .collect()
    }

    fn rows(&self, event: &str, cost: Cost) -> Vec<Row> {
        let files = self.files.iter();
        files
            .flat_map(|file| annotate::callgrind(file, event, cost))
            .collect()
    }

    /// Compares everything that callgrind says about an event with the conversion.
    pub fn check_event(&self, event: &str) -> Profile {
        let profile = Profile::silently(&self.files, &["--event", event]);
        self.check_totals(&profile);
        self.check_self_costs(&profile);
        profile
    }

    pub fn check(&self) -> Profile {
        for file in &self.files {
            check_calls(file, "Ir");
        }
        self.check_event("Ir")
    }

    /// Self costs add up to `totals:`, which callgrind sums from the lines that it writes.
    ///
    /// Its `summary:` counts from another place and can differ by a few units, or by more after
    /// `--zero-before`.
    pub fn check_totals(&self, profile: &Profile) {
        let parts = self.parts(&profile.event);
        let totals: i64 = parts.iter().map(|part| part.totals).sum();
        assert!(totals > 0, "nothing was counted");
        assert_eq!(profile.total(), totals);
        let summary: i64 = parts.iter().map(Part::right_summary).sum();
        assert_eq!(profile.summary(), summary);
    }

    /// `callgrind_annotate` gives inlined code to its own file, so names are what can be compared.
    fn check_self_costs(&self, profile: &Profile) {
        let rows = self.rows(&profile.event, Cost::SelfCost);
        let expected = sums(rows.into_iter().map(|row| (row.name, row.cost)));
        let found = profile.by_name(|row| row.self_costs[0]);
        assert_figures(&found, &expected);
    }

    /// Sees that a profile of ours has the same lines as callgrind's, for an independent reader and
    /// for `callgrind_annotate`.
    pub fn check_lines(&self) -> Lines {
        let bench = Bench::new();
        let written = bench.path("callgrind");
        convert(&self.files, &written, &["-q", "-f", "callgrind"]);
        let [file] = &self.files[..] else {
            panic!("several files: {:?}", self.files);
        };
        let [expected, found] = [file, &written].map(|file| Lines::read(&text_in(file)).costs);
        assert_figures(&found, &expected);
        let [expected, found] = [file, &written].map(|file| annotate::source(file));
        assert_figures(&found, &expected);
        assert!(found.is_empty() == expected.is_empty());
        Lines::read(&text_in(&written))
    }

    /// Compares inclusive costs of functions without recursion.
    pub fn check_inclusive(&self, profile: &Profile, file: &str, names: &[&str]) {
        let rows = self.rows(&profile.event, Cost::Inclusive);
        for &name in names {
            let own = rows
                .iter()
                .filter(|row| row.name == name && row.file.ends_with(file));
            let expected: i64 = own.map(|row| row.cost).sum();
            assert!(expected > 0, "callgrind_annotate does not know {name}");
            assert_eq!(
                profile.inclusive(name),
                expected,
                "inclusive cost of {name}"
            );
        }
    }

    /// Compares self costs of one source file's functions, file and name together.
    pub fn check_places(&self, profile: &Profile, file: &str) {
        let is_own = |name: &str| name.ends_with(file);
        let rows = self.rows(&profile.event, Cost::SelfCost).into_iter();
        let own = rows.filter(|row| is_own(&row.file));
        let expected = sums(own.map(|row| ((row.file, row.name), row.cost)));
        let mut found = profile.by_place(|row| row.self_costs[0]);
        found.retain(|(file, _), _| is_own(file));
        assert!(!expected.is_empty(), "no functions of {file}");
        assert_figures(&found, &expected);
    }
}

/// Compares the calls of all functions of a file.
fn check_calls(file: &PathBuf, event: &str) {
    let profile = Profile::json(from_ref(file), &["--event", event]);
    // How often functions of a name call each function.
    let calls = profile.calls();
    let calls = calls
        .map(|(caller, callee, call)| ((caller.name.clone(), place(callee)), signed(call.calls)));
    let found = sums(calls);
    assert!(!found.is_empty(), "no calls");
    assert_figures(&found, &sums(annotate::calls(file, event).into_iter()));
    // What the calls of each function cost, recursive ones included: that is what
    // `callgrind_annotate` calls inclusive, except where a function is never called.
    let found = sums(
        profile
            .calls()
            .map(|(_, callee, call)| (place(callee), call.costs[0])),
    );
    let rows = annotate::callgrind(file, event, Cost::Inclusive).into_iter();
    let mut expected = sums(rows.map(|row| ((row.file, row.name), row.cost)));
    expected.retain(|place, _| found.contains_key(place));
    assert_figures(&found, &expected);
}

/// Reads the figures of each part of a profile.
fn parts(text: &str, event: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut column = 0;
    let mut summary = 0;
    for line in text.lines() {
        let Some((key, value)) = line.split_once(": ") else {
            continue;
        };
        let mut values = value.split_whitespace();
        match key {
            "events" => column = values.position(|name| name == event).expect("the event"),
            // That of another event is written again: it need not be a sum.
            "summary" if column > 0 => summary = 0,
            "summary" => summary = figure(value, column),
            "totals" => parts.push(Part {
                summary,
                totals: figure(value, column),
            }),
            _ => {}
        }
    }
    parts
}

/// A column of a `summary:` or `totals:` line; trailing zeros are not written.
fn figure(value: &str, column: usize) -> i64 {
    let figure = value.split_whitespace().nth(column);
    figure.map_or(0, |text| first_number(text).expect("a number"))
}
