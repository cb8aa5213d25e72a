//! Programs before and after one of their functions became slower.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::annotate::{self, Cost};
use crate::callgrind::Session as Valgrind;
use crate::profile::{list, number, text_of};
use crate::xdebug::{PHP, Session as Xdebug};

fn compare(base: &Path, new: &Path, options: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cg-preprocess"));
    command.arg("--base").arg(base).arg(new).args(options);
    command.output().expect("the program runs")
}

/// The functions that differ, by change of self cost.
fn changes(base: &Path, new: &Path) -> Vec<Value> {
    let output = compare(base, new, &["-f", "json"]);
    assert!(output.status.success(), "{output:?}");
    let document: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    list(&document["functions"], Value::clone)
}

#[test]
fn a_slower_function_is_named_first_with_the_figures_of_callgrind_annotate() {
    let [before, after] =
        [&[][..], &["-DROUNDS=9"]].map(|options| Valgrind::of("calls.c", options, &[]));
    let [base, new] = [&before.files[0], &after.files[0]];
    let changes = changes(base, new);
    let first = &changes[0];
    assert_eq!(text_of(&first["name"]), "sum_squares");
    for (side, file) in [("base", base), ("new", new)] {
        for (figure, cost) in [("self", Cost::SelfCost), ("inclusive", Cost::Inclusive)] {
            let rows = annotate::callgrind(file, "Ir", cost);
            let row = rows.iter().find(|row| row.name == "sum_squares");
            let expected = row.expect("the function").cost;
            assert_eq!(number(&first[side][figure][0]), expected, "{side} {figure}");
        }
    }
    // What calls it became slower by as much, and not itself.
    let main = changes
        .iter()
        .find(|change| change["name"] == "main")
        .expect("main");
    let grown = |change: &Value, figure: &str| {
        number(&change["new"][figure][0]) - number(&change["base"][figure][0])
    };
    assert_eq!(grown(main, "self"), 0);
    assert!(grown(main, "inclusive") >= grown(first, "self"));
}

/// Times are noise, calls are not.
#[test]
fn a_longer_loop_is_told_by_its_calls() {
    let [before, after] = ["3", "4"].map(|passes| {
        let session = Xdebug::new();
        let mut command = session.command("loops.php", &[]);
        let output = PHP.output(command.env("PASSES", passes));
        session.require_profile(&output.stderr);
        session
    });
    let changes = changes(&before.profile(), &after.profile());
    let invocations = changes.iter().map(|change| {
        let [base, new] = ["base", "new"].map(|side| number(&change[side]["invocations"]));
        (text_of(&change["name"]), base, new)
    });
    let mut changed: Vec<_> = invocations.filter(|(_, base, new)| base != new).collect();
    changed.sort();
    let expected = [("batch", 3, 4), ("php::md5", 12_003, 16_003)];
    let expected = expected.map(|(name, base, new)| (name.to_owned(), base, new));
    assert_eq!(changed, expected);
}
