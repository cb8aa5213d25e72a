//! Python's profilers: yappi, and cProfile by way of pyprof2calltree.
//!
//! The profiling programs print the figures that the profiler itself has, in whole units as the
//! converters write them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;

use crate::producer::{Bench, Tool, sources};
use crate::profile::{
    Call, Place, Profile, Row, assert_figures, list, number, place, signed, sums, text_of,
};

const PYTHON: Tool = Tool::new("python3", "python3, and with pip yappi and pyprof2calltree");

/// What a profiler knows of a program that it profiled.
struct Statistics {
    functions: Value,
    edges: Value,
}

impl Statistics {
    /// Profiles with one of the programs, which writes these profiles.
    fn of(script: &str, profiles: &[&PathBuf]) -> Self {
        let mut command = PYTHON.command();
        command.arg("-B").arg(sources().join("python").join(script));
        let text = PYTHON.run(command.args(profiles));
        let mut statistics: Value = serde_json::from_str(&text).expect("JSON");
        Statistics {
            functions: statistics["functions"].take(),
            edges: statistics["edges"].take(),
        }
    }

    fn of_functions(&self, figure: &str) -> BTreeMap<Place, i64> {
        let figures = list(&self.functions, |function| {
            (place_of(&function["place"]), number(&function[figure]))
        });
        sums(figures.into_iter())
    }

    fn of_edges(&self, figure: &str) -> BTreeMap<(Place, Place), i64> {
        let figures = list(&self.edges, |edge| {
            let key = (place_of(&edge["caller"]), place_of(&edge["callee"]));
            (key, number(&edge[figure]))
        });
        sums(figures.into_iter())
    }

    /// Compares self costs, and what the calls cost and how many they are.
    fn check(&self, profile: &Profile) {
        self.check_lines(profile);
        let self_costs = profile.by_place(|row| row.self_costs[0]);
        assert_figures(&self_costs, &self.of_functions("self"));
        assert_figures(
            &edges(profile, |call| signed(call.calls)),
            &self.of_edges("calls"),
        );
        assert_figures(
            &edges(profile, |call| call.costs[0]),
            &self.of_edges("cost"),
        );
    }

    /// Compares the lines where functions are defined.
    fn check_lines(&self, profile: &Profile) {
        let lines = list(&self.functions, |function| {
            (place_of(&function["place"]), function["line"].as_u64())
        });
        let expected = BTreeMap::from_iter(lines);
        let functions = profile.functions.iter();
        let found = functions.map(|row| (place(row), Some(row.line)));
        assert_figures(&found.collect(), &expected);
    }
}

fn place_of(value: &Value) -> Place {
    (text_of(&value[0]), text_of(&value[1]))
}

/// Sums of some figure of the calls from place to place.
fn edges(profile: &Profile, figure: impl Fn(&Call) -> i64) -> BTreeMap<(Place, Place), i64> {
    let calls = profile.calls();
    sums(calls.map(|(caller, callee, call)| ((place(caller), place(callee)), figure(call))))
}

/// Has yappi write a profile.
pub fn with_yappi(file: &PathBuf) {
    Statistics::of("with_yappi.py", &[file]);
}

#[test]
fn yappi() {
    let bench = Bench::new();
    let file = bench.path("yappi.cg");
    let statistics = Statistics::of("with_yappi.py", &[&file]);
    let profile = Profile::of(&[file], &[]);
    assert_eq!(profile.messages, "");
    statistics.check(&profile);
}

#[test]
fn pyprof2calltree() {
    let bench = Bench::new();
    let files = ["pstats.cg", "entries.cg"].map(|name| bench.path(name));
    let statistics = Statistics::of("with_cprofile.py", &files.each_ref());
    for file in files {
        let inputs = [file];
        let profile = Profile::silently(&inputs, &[]);
        statistics.check(&profile);
        let profile = Profile::silently(&inputs, &["--inclusive", "outermost"]);
        check_inclusive(&profile, &statistics);
    }
}

/// Compares inclusive costs, which cProfile does not count twice in recursion.
///
/// The two functions that call each other are left out: only calls of a function to itself can be
/// told in a profile without single invocations.
fn check_inclusive(profile: &Profile, statistics: &Statistics) {
    let expected = statistics.of_functions("inclusive");
    // Two functions call each other.
    let is_mutual = |row: &&Row| ["is_even", "is_odd"].contains(&row.name.as_str());
    for row in profile.functions.iter().filter(|row| !is_mutual(row)) {
        let expected = expected[&place(row)];
        // The converter cuts off a fraction at each of the costs that are added up here.
        let cuts = i64::try_from(row.sub_calls.len()).expect("a count");
        let difference = expected - row.inclusive[0];
        assert!((0..=cuts + 1).contains(&difference), "{row:?}: {expected}");
    }
}
