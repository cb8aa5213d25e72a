//! Who called whom in a trace: every call in v4 is linked to the invocation that it made.

use cg_preprocess::profile::InvocationCall;
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

/// Three fibers that do the same, and take turns: every call leads where Xdebug's own function trace
/// of the run says.
#[test]
fn calls_of_fibers_that_take_turns_lead_where_they_led() {
    let links = fixtures::bytes("xdebug3/turns.links");
    let links = str::from_utf8(&links).unwrap().split_whitespace();
    let expected: Vec<_> = links.map(|block| block.parse().ok()).collect();
    assert!(expected.len() > 800);
    for event in ["Time_(10ns)", "Memory_(bytes)"] {
        let mut options = library::event(event);
        options.invocations = true;
        let profile = read(fixtures::bytes("xdebug3/turns.cg"), options);
        let calls = profile.invocations().unwrap().calls().iter();
        let found: Vec<_> = calls.map(InvocationCall::invocation).collect();
        assert_eq!(found, expected, "{event}");
    }
}

/// Fibers that have begun one after the other end in any order: each call looks for its own
/// invocation among all that nobody has claimed.
#[test]
fn fibers_may_be_nested_to_any_depth() {
    const FIBERS: u32 = 60;
    let cost = |fiber: u32| 1000 * (1 + fiber);
    let mut text = String::from("version: 1\ncreator: xdebug 3.2.0\nevents: Time\n\n");
    for fiber in 0..FIBERS {
        text += &format!("fl=a.php\nfn=step\n5 {}\n\n", cost(fiber));
    }
    for number in 0..FIBERS {
        let fiber = number * 7 % FIBERS;
        text += &format!(
            "fl=a.php\nfn=fiber{fiber}\n1 1\ncfl=a.php\ncfn=step\ncalls=1 0 0\n2 {}\n\n",
            cost(fiber)
        );
    }
    text += "fl=a.php\nfn={main}\n1 1\n\n";
    let (file, _) = write_with(&read(text, linked()), Version::V4, OnOverflow::Error);
    let functions = decode(&file).functions;
    assert_eq!(functions[0].invocations.len(), FIBERS as usize);
    for step in &functions[0].invocations {
        let caller = &functions[step.caller as usize];
        let fiber = step.inclusive / 1000 - 1;
        assert_eq!(caller.name, format!("fiber{fiber}").into_bytes());
        assert_eq!(step.call_cost, step.inclusive);
    }
}
