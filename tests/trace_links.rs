//! Who called whom in a trace: every call in v4 is linked to the invocation that it made.
//!
//! The files are decoded here from their bytes, without the library's reader.

use std::collections::BTreeSet;
use std::fs;
use std::io::Cursor;
use std::path::Path;

use cg_preprocess::callgrind;
use cg_preprocess::profile::{ProfileBuilder, ProfileOptions};
use cg_preprocess::webgrind::{self, OnOverflow, Version};

/// Function or invocation number of "nobody".
const NOBODY: u32 = u32::MAX;

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
            "App\\Models\\{closure:/srv/app/features.php:15-15}",
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

/// A v4 file.
struct File {
    bytes: Vec<u8>,
}

#[derive(Debug, PartialEq, Eq)]
struct Caller {
    function: u32,
    invocation: u32,
    line: u32,
    cost: u32,
}

impl File {
    fn convert(trace: &str) -> Self {
        let path = format!("fixtures/xdebug3/{trace}.cg");
        let text = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(&path)).unwrap();
        let mut builder = ProfileBuilder::new(ProfileOptions {
            invocations: true,
            ..ProfileOptions::default()
        });
        let options = callgrind::Options::default();
        callgrind::read(&*text, &path, &options, &mut builder).unwrap();
        let profile = builder.finish().unwrap();
        let mut file = Cursor::new(Vec::new());
        webgrind::write(&profile, Version::V4, OnOverflow::Error, &mut file).unwrap();
        let bytes = file.into_inner();
        File { bytes }
    }

    fn number(&self, at: u32) -> u32 {
        let at = at as usize;
        u32::from_le_bytes(self.bytes[at..at + 4].try_into().unwrap())
    }

    fn function_count(&self) -> u32 {
        self.number(8)
    }

    fn function(&self, function: u32) -> u32 {
        self.number(12 + 4 * function)
    }

    fn invocation_count(&self, function: u32) -> u32 {
        self.number(self.function(function) + 12)
    }

    /// One of the eight numbers of an invocation.
    fn of_invocation(&self, function: u32, invocation: u32, field: u32) -> u32 {
        self.number(self.function(function) + 16 + 32 * invocation + 4 * field)
    }

    fn inclusive(&self, function: u32, invocation: u32) -> u32 {
        self.of_invocation(function, invocation, 1)
    }

    fn caller(&self, function: u32, invocation: u32) -> Caller {
        let field = |field| self.of_invocation(function, invocation, field);
        Caller {
            cost: field(2),
            function: field(3),
            invocation: field(4),
            line: field(5),
        }
    }

    /// The sub-calls of an invocation: function, invocation, line and cost.
    fn sub_calls(&self, function: u32, invocation: u32) -> impl Iterator<Item = [u32; 4]> {
        let count = self.of_invocation(function, invocation, 6);
        let address = self.of_invocation(function, invocation, 7);
        let record = move |i| [0, 4, 8, 12].map(|at| self.number(address + 16 * i + at));
        (0..count).map(record)
    }

    fn name(&self, function: u32) -> String {
        let names = self.function(function) + 16 + 32 * self.invocation_count(function);
        let mut lines = self.bytes[names as usize..].split(|&b| b == b'\n');
        String::from_utf8(lines.nth(1).unwrap().to_vec()).unwrap()
    }

    /// All invocations, as function and number.
    fn invocations(&self) -> impl Iterator<Item = (u32, u32)> {
        let functions = 0..self.function_count();
        functions.flat_map(|f| (0..self.invocation_count(f)).map(move |i| (f, i)))
    }
}

#[test]
fn every_call_is_linked_to_the_invocation_that_it_made() {
    for (trace, bound, _) in TRACES {
        let file = File::convert(trace);
        let mut called = BTreeSet::new();
        let mut far_apart = 0;
        for (function, invocation) in file.invocations() {
            for [callee, number, line, cost] in file.sub_calls(function, invocation) {
                let name = file.name(callee);
                assert_ne!(number, NOBODY, "{trace}: a call of {name} is not linked");
                assert!(
                    called.insert((callee, number)),
                    "{trace}: {name} {number} twice"
                );
                let caller = Caller {
                    function,
                    invocation,
                    line,
                    cost,
                };
                assert_eq!(
                    file.caller(callee, number),
                    caller,
                    "{trace}: {name} {number}"
                );
                let difference = file.inclusive(callee, number).abs_diff(cost);
                assert!(
                    difference <= bound,
                    "{trace}: {name} {number}: by {difference}"
                );
                far_apart += usize::from(difference > 6);
            }
        }
        assert!(far_apart <= ROUNDED_FAR_APART, "{trace}: {far_apart}");
    }
}

#[test]
fn only_what_nobody_called_has_no_caller() {
    for (trace, _, names) in TRACES {
        let file = File::convert(trace);
        let uncalled = file.invocations().filter_map(|(function, invocation)| {
            let caller = file.caller(function, invocation);
            (caller.function == NOBODY).then(|| {
                let nobody = Caller {
                    function: NOBODY,
                    invocation: 0,
                    line: 0,
                    cost: 0,
                };
                assert_eq!(caller, nobody);
                file.name(function)
            })
        });
        let mut uncalled: Vec<_> = uncalled.collect();
        uncalled.sort();
        assert_eq!(uncalled, names, "{trace}");
    }
}

/// Blocks of fibers stand between each other's: the latest unclaimed invocation is another fiber's.
#[test]
fn fibers_call_what_they_called() {
    let path = "fixtures/xdebug3/fibers.cg";
    let text = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap();
    let mut builder = ProfileBuilder::new(ProfileOptions {
        proxies: vec![b"php::array_map".to_vec()],
        ..ProfileOptions::default()
    });
    let options = callgrind::Options::default();
    callgrind::read(&*text, path, &options, &mut builder).unwrap();
    let profile = builder.finish().unwrap();
    for (caller, expected) in [("first", (4, 2, 258_615)), ("second", (5, 2, 539))] {
        let named = |id| profile.name(profile.function(id).name);
        let mut functions = profile.functions().map(|(id, _)| id);
        let caller = functions
            .find(|&id| named(id) == caller.as_bytes())
            .unwrap();
        // Its own call of the helper, and the one that array_map made for it.
        let calls = profile.sub_calls(caller);
        let helpers: Vec<_> = calls
            .filter(|edge| named(edge.callee) == b"helper")
            .map(|edge| (edge.line, edge.calls, edge.cost))
            .collect();
        assert_eq!(helpers, [expected]);
    }
}
