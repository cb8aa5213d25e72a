//! PHP with Xdebug.
//!
//! The profiled programs count the calls of their own functions under the names that Xdebug gives
//! them, and print these counts as one line of JSON.

mod function_trace;
mod killed;
mod session;

use std::slice::from_ref;

use crate::invocations;
use crate::producer::sources;
use crate::profile::{Profile, assert_figures, number, place, signed, stacks, sums};
pub use session::{PHP, Session};
use session::{PHPUNIT, own_invocations};

#[test]
fn calls_and_roots() {
    for (script, roots) in [
        ("recursion.php", &["{main}"][..]),
        ("closures.php", &["{main}"]),
        ("generators.php", &["{main}"]),
        ("evals.php", &["{main}"]),
        ("exits.php", &["{main}"]),
        // What runs after an uncaught exception is called by nobody.
        (
            "exceptions.php",
            &["php::Exception->__toString", "report", "{main}"],
        ),
    ] {
        println!("{script}");
        let session = Session::of(script);
        session.check();
        invocations::assert_costs_agree(&session.check_invocations(roots));
    }
}

/// Times that look like those of short functions: many are equal, none by chance.
pub fn alike(block: usize) -> u64 {
    20 + 30 * (block as u64 % 7)
}

/// Times that no two invocations share, neither by themselves nor with what they called.
fn apart(block: usize) -> u64 {
    // Squares, so that sums of them differ, too.
    (block as u64 + 1).pow(2) % 2_147_483_647 * 1_234_567_891 % 2_147_483_647
}

/// Sees that who called whom is what Xdebug's own function trace of the run says, if times are
/// measured in 10 ns or, as by Xdebug 2, in microseconds: then most calls cost 0 or 1.
fn check_links(session: &Session) {
    for unit in [10, 1_000] {
        let profile = session.with_times(unit, alike);
        let [found, expected] = session.links(&profile);
        assert_figures(&found, &expected);
    }
}

#[test]
fn links() {
    let scripts = [
        "recursion",
        "closures",
        "generators",
        "evals",
        "exceptions",
        "exits",
        "loops",
    ];
    for script in scripts.map(|name| format!("{name}.php")) {
        let mut session = Session::new();
        session.trace(&script);
        check_links(&session);
        session.check_stacks();
        check_stacks(&session);
    }
}

/// A program of many classes.
#[test]
fn links_of_a_test_runner() {
    let tests = sources().join("php/tests");
    let tests = tests.to_str().expect("UTF-8");
    let arguments = ["--no-configuration", "--do-not-cache-result", tests];
    let mut session = Session::new();
    session.trace_program(&PHPUNIT.path(), &arguments);
    check_links(&session);
}

/// Sees that stacks are those of the trace, where times tell whom each call made, and that functions
/// cost what their stacks do.
fn check_stacks(session: &Session) {
    let profile = session.with_times(1, apart);
    let [found, expected] = session.links(&profile);
    assert_figures(&found, &expected);
    let (stacks, said) = stacks(from_ref(&profile), &[]);
    assert_eq!(said, "");
    assert_figures(&stacks, &session.stacks(apart));
    let functions = Profile::json(&[profile], &["--inclusive", "outermost"]);
    functions.assert_outermost(&stacks, |_| 0);
}

/// Where many times are equal, calls of several fibers may change places, but hardly any stack does.
#[test]
fn links_of_fibers() {
    for (script, arguments) in [
        ("fibers.php", &[][..]),
        ("fibers/turns.php", &["3"]),
        ("fibers/turns.php", &["20"]),
        ("fibers/generators.php", &[]),
        ("fibers/nested.php", &[]),
        ("fibers/exceptions.php", &[]),
        ("fibers/unfinished.php", &[]),
    ] {
        let mut session = Session::new();
        session.trace_program(&sources().join("php").join(script), arguments);
        session.check_stacks();
        check_stacks(&session);
        let (found, _) = stacks(&[session.with_times(1, alike)], &[]);
        let expected = session.stacks(alike);
        assert!(found.keys().eq(expected.keys()), "{script}");
        let both = found.values().zip(expected.values());
        let moved: u64 = both
            .map(|(found, expected)| found.abs_diff(*expected))
            .sum();
        let total = expected.values().sum::<i64>().unsigned_abs();
        assert!(moved / 2 * 50 <= total, "{script}: {moved} of {total}");
    }
}

/// A fiber's function is called by nobody: it has a stack of its own.
#[test]
fn fibers() {
    let session = Session::of("fibers.php");
    session.check();
    session.check_invocations(&["task", "{main}"]);
}

/// Recursion that is not counted twice: `{main}` is the sum of everything.
#[test]
fn outermost() {
    let session = Session::of("recursion.php");
    let profile = Profile::silently(&[session.profile()], &["--inclusive", "outermost"]);
    let main = profile.inclusive("{main}");
    let most = profile.functions.iter().map(|row| row.inclusive[0]);
    assert_eq!(most.max(), Some(main));
    session.check_counts(&profile);
}

/// What `array_map` calls is listed as called by those who call `array_map`.
#[test]
fn proxies() {
    let session = Session::of("closures.php");
    let options = ["--proxy-function", "php::array_map"];
    let profile = Profile::silently(&[session.profile()], &options);
    session.check_counts(&profile);
    let mut functions = profile.functions.iter();
    let proxy = functions.find(|row| row.name == "php::array_map");
    assert_eq!(proxy.expect("array_map").sub_calls, []);
    let calls = profile.calls();
    let mut found = sums(calls.map(|(_, callee, call)| (callee.name.clone(), signed(call.calls))));
    found.retain(|name, _| !name.starts_with("php::"));
    let mut called = session.counts.clone();
    called.remove("{main}");
    assert_figures(&found, &called);
}

/// Costs lie between what the program measures within a function and around its calls.
#[test]
fn costs() {
    let mut session = Session::new();
    let report = session.run("costs.php", &[]);
    let profile = session.convert();
    let nanoseconds = 10 * profile.inclusive("work");
    let [within, around] = [&report["within"], &report["around"]].map(number);
    assert!(within <= nanoseconds, "{within} to {around}: {nanoseconds}");
    assert!(nanoseconds <= around, "{within} to {around}: {nanoseconds}");
    let options = ["--event", "Memory_(bytes)"];
    let memory = Profile::silently(&[session.profile()], &options);
    // Xdebug's own bookkeeping comes between.
    let difference = memory.inclusive("allocate") - number(&report["memory"]);
    assert!(difference.abs() < 1024, "{difference} bytes");
}

/// Names and ids start again with each run.
#[test]
fn append() {
    let mut session = Session::new();
    let names = ["recursion", "closures", "evals", "recursion", "exits"];
    let scripts = names.map(|name| format!("{name}.php"));
    for script in &scripts {
        session.run(script, &["xdebug.profiler_append=1"]);
    }
    let profile = session.check();
    // Two of the runs have the same command.
    let runs = profile.headers.iter();
    let runs: Vec<_> = runs.filter(|line| line.contains("Runs: ")).collect();
    assert_eq!(runs, ["desc: Runs: 5 of 4 commands"]);
    invocations::assert_costs_agree(&session.check_invocations(&["{main}"]));
}

/// Functions of the same names are told apart by their files: what files hold together is what they
/// hold one by one.
#[test]
fn several_files() {
    let namesakes = ["counts", "recurs", "only_main"].map(|name| format!("namesakes/{name}.php"));
    for scripts in [
        &namesakes[..],
        &["recursion.php".into(), "generators.php".into()],
    ] {
        let sessions = scripts.iter().map(|script| Session::of(script));
        let sessions: Vec<Session> = sessions.collect();
        let files: Vec<_> = sessions.iter().map(Session::profile).collect();
        let profile = Profile::silently(&files, &[]);
        let counts = sessions.iter().flat_map(|session| session.counts.clone());
        assert_figures(&own_invocations(&profile), &sums(counts));
        let mains = profile.functions.iter().filter(|row| row.name == "{main}");
        assert_eq!(mains.count(), files.len());
        let apart = files.iter().map(|file| Profile::json(from_ref(file), &[]));
        let apart: Vec<_> = apart.flat_map(|profile| figures(&profile)).collect();
        assert_figures(
            &sums(figures(&profile).into_iter()),
            &sums(apart.into_iter()),
        );
    }
}

/// The figures of functions and calls, by their places.
fn figures(profile: &Profile) -> Vec<(String, i64)> {
    let functions = profile.functions.iter().map(|row| {
        let figures = [
            signed(row.invocations),
            row.self_costs[0],
            row.self_costs[1],
        ];
        (format!("{:?}", place(row)), figures)
    });
    let calls = profile.calls().map(|(caller, callee, call)| {
        let at = format!("{:?} {} {:?}", place(caller), call.line, place(callee));
        (at, [signed(call.calls), call.costs[0], call.costs[1]])
    });
    let figures = functions.chain(calls).flat_map(|(what, figures)| {
        let figures = figures.into_iter().enumerate();
        figures.map(move |(at, figure)| (format!("{what} {at}"), figure))
    });
    figures.collect()
}

/// Xdebug compresses by itself where it was built with zlib, which Debian's is not.
#[test]
fn own_compression() {
    let mut session = Session::new();
    session.run("recursion.php", &["xdebug.use_compression=1"]);
    let [file] = &session.bench.files("out.cg")[..] else {
        panic!("not one profile");
    };
    let profile = Profile::silently(std::slice::from_ref(file), &[]);
    session.check_counts(&profile);
}
