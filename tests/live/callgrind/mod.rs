//! Valgrind's callgrind, with the options that change what it writes.

mod session;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::common::lines::Lines;
use crate::producer::Bench;
use crate::profile::{Place, Profile, assert_figures, convert, signed, stacks, sums, text_in};
pub use session::Session;

/// The functions of `calls.c` that do not call themselves or each other in a circle.
const PLAIN_C: &[&str] = &["main", "sort_numbers", "sum_squares", "copy_texts"];

fn check_c(options: &[&str]) {
    let session = Session::c(options);
    let profile = session.check();
    session.check_inclusive(&profile, "calls.c", PLAIN_C);
    session.check_places(&profile, "calls.c");
}

const IN_FULL: [&str; 2] = ["--compress-strings=no", "--compress-pos=no"];
const INSTRUCTIONS: [&str; 2] = ["--dump-instr=yes", "--collect-jumps=yes"];

#[test]
fn plain() {
    check_c(&[]);
    check_c(&IN_FULL);
}

#[test]
fn instructions() {
    check_c(&INSTRUCTIONS);
    check_c(&[INSTRUCTIONS, IN_FULL].concat());
    check_c(&["--dump-instr=yes", "--dump-line=no"]);
}

/// Self costs of functions of `calls.c`, and how often they call what from which line.
type Told = (BTreeMap<Place, i64>, BTreeMap<(String, String, u64), i64>);

fn told(options: &[&str]) -> Told {
    let session = Session::c(options);
    let profile = Profile::silently(&session.files, &[]);
    session.check_totals(&profile);
    let mut costs = profile.by_place(|row| row.self_costs[0]);
    costs.retain(|(file, _), _| file.ends_with("calls.c"));
    let calls = profile.calls();
    let calls = calls.filter(|(caller, ..)| caller.file.ends_with("calls.c"));
    let calls = calls.map(|(caller, callee, call)| {
        let names = (caller.name.clone(), callee.name.clone(), call.line);
        (names, signed(call.calls))
    });
    (costs, sums(calls))
}

fn assert_same(one: &[&str], other: &[&str]) {
    let [one, other] = [one, other].map(told);
    assert_figures(&one.0, &other.0);
    assert_figures(&one.1, &other.1);
}

/// Costs and calls are the same, however names and positions are written.
/// `callgrind_annotate` does not know positions of basic blocks.
#[test]
fn spellings() {
    for columns in ["--dump-instr=no", "--dump-instr=yes", "--dump-bb=yes"] {
        let full = [&[columns][..], &IN_FULL].concat();
        assert_same(&full, &[columns]);
    }
    assert_same(&["--dump-bb=yes"], &[]);
}

/// Names are the same if they are made of the ids of others.
#[test]
fn names_of_callers() {
    let apart = ["--separate-callers=3", "--separate-recs=2"];
    let made_of_ids = [&apart[..], &["--compress-mangled=yes"]].concat();
    assert_same(&made_of_ids, &apart);
}

#[test]
fn functions_apart_by_callers() {
    let session = Session::c(&["--separate-callers=2"]);
    let profile = session.check();
    let names = profile.functions.iter().map(|row| &*row.name);
    let is_plain = |name: &&str| {
        let mut plain = PLAIN_C.iter();
        plain.any(|plain| name.starts_with(&format!("{plain}'")))
    };
    let names: Vec<&str> = names.filter(is_plain).collect();
    assert_eq!(names.len(), PLAIN_C.len());
    session.check_inclusive(&profile, "calls.c", &names);
}

#[test]
fn functions_apart_by_recursion() {
    let session = Session::c(&["--separate-recs=3"]);
    let profile = session.check();
    session.check_inclusive(&profile, "calls.c", PLAIN_C);
    let names = profile.by_name(|row| signed(row.invocations));
    assert!(names.contains_key("fibonacci'3"));
}

#[test]
fn parts_in_one_file() {
    for more in [&[][..], &INSTRUCTIONS] {
        let options = ["--combine-dumps=yes", "--dump-every-bb=5000"];
        let session = Session::c(&[&options, more].concat());
        assert!(session.parts("Ir").len() > 2);
        session.check();
    }
}

#[test]
fn parts_in_many_files() {
    for (options, count) in [
        (&["--dump-before=copy_texts"][..], 4),
        (
            &["--zero-before=copy_texts", "--dump-after=sort_numbers"],
            2,
        ),
    ] {
        let session = Session::c(options);
        assert_eq!(session.files.len(), count);
        session.check();
    }
}

#[test]
fn only_within_a_function() {
    let session = Session::c(&["--toggle-collect=copy_texts"]);
    let profile = session.check();
    let costs = profile.by_name(|row| row.self_costs[0]);
    assert!(!costs.contains_key("fibonacci"));
}

#[test]
fn several_events() {
    let caches = ["Ir", "Dr", "Dw", "I1mr", "D1mr", "Bc", "Bcm", "Bi", "Bim"];
    for (options, events) in [
        (["--cache-sim=yes", "--branch-sim=yes"], &caches[..]),
        (
            ["--collect-bus=yes", "--collect-systime=yes"],
            &["Ir", "Ge", "sysCount"],
        ),
    ] {
        let session = Session::c(&options);
        for event in events {
            session.check_event(event);
        }
    }
}

#[test]
fn names_of_cpp() {
    let session = Session::of("shapes.cpp", &[], &INSTRUCTIONS);
    let profile = session.check();
    session.check_inclusive(&profile, "shapes.cpp", &["main", "count_failures(int)"]);
    session.check_places(&profile, "shapes.cpp");
}

#[test]
fn inlined_cpp() {
    let session = Session::of("shapes.cpp", &["-O2", "-finline"], &[]);
    let profile = session.check();
    session.check_inclusive(&profile, "shapes.cpp", &["main"]);
}

#[test]
fn threads() {
    for (options, are_apart) in [(&[][..], false), (&["--separate-threads=yes"], true)] {
        let session = Session::of("threads.c", &["-pthread"], options);
        assert_eq!(
            session.files.len() > 1,
            are_apart,
            "threads with files of their own"
        );
        let profile = session.check();
        session.check_inclusive(&profile, "threads.c", &["main", "work"]);
    }
}

/// Each thread has a call graph of its own, so what two of them share is in no cycle.
#[test]
fn functions_that_threads_share() {
    let session = Session::of("pool.c", &["-pthread"], &["--separate-threads=yes"]);
    assert_eq!(session.files.len(), 2);
    let profile = session.check();
    let names = ["main", "app", "begin", "step", "start", "work"];
    session.check_inclusive(&profile, "pool.c", &names);
    let (stacks, _) = stacks(&session.files, &[]);
    let of_thread = |names: &str| stacks.keys().filter(|stack| stack.ends_with(names)).count();
    assert_eq!(of_thread("start;step;begin;work"), 1);
    assert_eq!(of_thread("main;begin;app;step"), 1);
    assert_eq!(of_thread("app;step;begin"), 0);
}

#[test]
fn dumps_that_the_program_asks_for() {
    let session = Session::of("requests.c", &[], &[]);
    assert_eq!(session.files.len(), 3);
    let profile = session.check();
    session.check_places(&profile, "requests.c");
    let session = Session::of("requests.c", &[], &["--combine-dumps=yes"]);
    assert_eq!(session.parts("Ir").len(), 3);
    session.check();
}

/// Callgrind writes `summary: 0` for such parts: they get the right one, and others keep theirs.
#[test]
fn counting_that_the_program_switches() {
    let session = Session::of("instrumentation.c", &[], &["--instr-atstart=no"]);
    let parts = session.parts("Ir");
    assert!(parts.iter().all(|part| part.summary == 0), "{parts:?}");
    let profile = session.check();
    let costs = profile.by_name(|row| row.self_costs[0]);
    assert!(!costs.contains_key("uncounted"));
    let other = Session::of("requests.c", &[], &[]);
    let both = Profile::silently(&[&session.files[..], &other.files].concat(), &[]);
    assert_eq!(both.summary(), profile.total() + other.check().summary());
}

/// The stacks of a profile with callers are those that its names say, all exact.
#[test]
fn stacks_of_separate_callers() {
    let deep = Session::c(&["--separate-callers=100"]);
    let profile = Profile::silently(&deep.files, &[]);
    let of_names = profile.functions.iter().map(|row| {
        let mut parts: Vec<&str> = row.name.split('\'').collect();
        // A level of recursion is no caller.
        parts.retain(|part| !part.bytes().all(|byte| byte.is_ascii_digit()));
        parts.reverse();
        (parts.join(";"), row.self_costs[0])
    });
    let (found, said) = stacks(&deep.files, &[]);
    assert_eq!(said, "");
    assert_figures(&found, &sums(of_names));
}

/// Self costs stand on their lines, also those of inlined code, in a profile of ours and in one of
/// several that were merged, in whatever order.
#[test]
fn lines() {
    let caches = ["--cache-sim=yes", "--branch-sim=yes"];
    let cpp = |options: &[&str]| Session::of("shapes.cpp", &["-O2", "-finline"], options);
    let perl = [
        "perl",
        "-e",
        "print join ',', map { $_ * 2 } grep { /7/ } 1 .. 500",
    ];
    let sessions = [
        [Session::c(&[]), cpp(&[]), Session::c(&IN_FULL)],
        [
            Session::c(&INSTRUCTIONS),
            cpp(&INSTRUCTIONS),
            Session::c(&["--compress-pos=no"]),
        ],
        [
            cpp(&caches),
            Session::c(&caches),
            Session::running(Bench::new(), &perl, &caches),
        ],
    ];
    for sessions in sessions {
        let expected = sessions.iter().map(Session::check_lines);
        let expected = expected
            .reduce(|all, lines| all.plus(&lines))
            .expect("some")
            .costs;
        let files = sessions.each_ref().map(|session| session.files[0].clone());
        let bench = Bench::new();
        let [together, two, three] = ["together", "two", "three"].map(|name| bench.path(name));
        let merge = |files: &[PathBuf], to: &Path| {
            convert(files, to, &["-q", "-f", "callgrind"]);
            text_in(to)
        };
        let merged = merge(&files, &together);
        assert_figures(&Lines::read(&merged).costs, &expected);
        let [one, other, last] = files;
        merge(&[last, one], &two);
        assert!(merge(&[other, two], &three) == merged);
    }
}
