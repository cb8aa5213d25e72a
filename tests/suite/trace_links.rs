//! Who called whom in a trace: every call in v4 is linked to the invocation that it made.

use cg_preprocess::webgrind::{OnOverflow, Version};

use crate::common::fixtures;
use crate::common::preprocessed::decode;
use crate::library::{self, linked, read, write_with};

/// Traces of Xdebug 3.2; by how much the cost of a call and the inclusive cost of the invocation
/// that it made differ at most, since Xdebug rounds them apart; and the functions that nobody
/// called, each once: the script, shutdown functions, destructors.
const TRACES: [(&str, u32, &[&str]); 6] = [
    ("chain", 1, &["{main}"]),
    ("proxies", 1, &["{main}"]),
    (
        "features",
        1,
        &[
            r"App\Models\{closure:/srv/app/features.php:15-15}",
            "{main}",
        ],
    ),
    ("composer", 15, &["{main}"]),
    // A fiber's function is called by nobody.
    ("fibers", 1, &["first", "second", "{main}"]),
    (
        "small",
        1,
        &[
            "A->__destruct",
            "{closure:/srv/app/small.php:6-6}",
            "{main}",
        ],
    ),
];

/// How many calls of a trace, at most, differ by more than a few units.
const ROUNDED_FAR_APART: usize = 2;

#[test]
fn every_call_is_linked_to_the_invocation_that_it_made() {
    for (trace, bound, roots) in TRACES {
        let text = fixtures::bytes(&format!("xdebug3/{trace}.cg"));
        let (file, _) = write_with(&read(text, linked()), Version::V4, OnOverflow::Error);
        let file = decode(&file);
        let differences = file.assert_linked();
        assert!(differences.iter().all(|units| *units <= bound), "{trace}");
        let far_apart = differences.iter().filter(|units| **units > 6).count();
        assert!(far_apart <= ROUNDED_FAR_APART, "{trace}: {far_apart}");
        assert_eq!(file.roots(), roots, "{trace}");
    }
}

/// Three fibers that do the same, and take turns: most calls lead where Xdebug's own function trace of
/// the run says, and the others to an invocation of the same function that cost the same.
#[test]
fn calls_of_fibers_that_take_turns_lead_where_they_led() {
    let links = fixtures::bytes("xdebug3/turns.links");
    let links = str::from_utf8(&links).unwrap().split_whitespace();
    let expected: Vec<usize> = links.map(|block| block.parse().unwrap()).collect();
    assert!(expected.len() > 800);
    let [by_time, by_memory] = ["Time_(10ns)", "Memory_(bytes)"].map(|event| {
        let mut options = library::event(event);
        options.invocations = true;
        let profile = read(fixtures::bytes("xdebug3/turns.cg"), options);
        let tree = profile.invocations().unwrap();
        let calls = tree.calls().iter();
        let found: Vec<_> = calls.map(|call| call.invocation().unwrap()).collect();
        let invocations = tree.invocations().iter();
        let figures = invocations.map(|ended| (ended.function, ended.inclusive));
        (found, figures.collect::<Vec<_>>())
    });
    assert_eq!(by_time.0, by_memory.0);
    let (found, figures) = by_time;
    let both = found.iter().zip(&expected);
    let elsewhere: Vec<_> = both.filter(|(found, expected)| found != expected).collect();
    assert!(elsewhere.len() < expected.len() / 6);
    for (&found, &expected) in elsewhere {
        let [(function, cost), (called, right_cost)] = [found, expected].map(|at| figures[at]);
        assert_eq!(function, called);
        let difference = cost.abs_diff(right_cost);
        assert!(
            difference <= 4 + right_cost.unsigned_abs() / 20,
            "{cost} {right_cost}"
        );
    }
}
