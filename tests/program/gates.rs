//! Gates: for every pair of complete and incomplete sides, the exit status and the reason.

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

use crate::runner::{messages, program, run, written};

/// A profile that costs 100, as most others here.
const WHOLE: &str = "events: Ir\nfn=a\n1 100\n";

/// Files by what is wrong with them.
struct Sides(TempDir);

impl Sides {
    fn new() -> Self {
        let sides = Sides(TempDir::new().unwrap());
        let put = |name: &str, bytes: &[u8]| fs::write(sides.path(name), bytes).unwrap();
        put("whole", WHOLE.as_bytes());
        put("second", WHOLE.as_bytes());
        put("other side", WHOLE.as_bytes());
        put("cut", WHOLE.trim_end().as_bytes());
        put("empty", b"");
        put("zero", b"events: Ir\nfn=a\n1 0\n");
        put("other event", b"events: Dr\nfn=a\n1 100\n");
        put(
            "microseconds",
            b"creator: xdebug 2.9.0\nevents: Time\n\nfl=a\nfn={main}\n1 100\n\nsummary: 100\n\n",
        );
        put("some time", b"events: Time\nfn={main}\n1 100\n");
        let huge = b"events: Ir\nfn=a\n1 5000000000\n";
        let saturated = run(["-f", "v7", "--on-overflow", "saturate"], huge);
        put("saturated", &saturated.stdout);
        put(
            "only headers",
            b"version: 1\ncreator: xdebug 3.4.0\nevents: Ir\n",
        );
        sides.preprocess("only headers", "begun");
        sides
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Converts as webgrind does.
    #[cfg(unix)]
    fn preprocess(&self, from: &str, to: &str) {
        let link = self.path("preprocessor");
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_cg-preprocess"), &link).unwrap();
        let mut command = std::process::Command::new(link);
        let output = command.arg(self.path(from)).arg(self.path(to)).output();
        written(output.unwrap());
    }

    /// The exit status, and what is said, of a comparison.
    fn compare(&self, base: &[&str], new: &[&str], options: &[&str]) -> (i32, String) {
        let mut command = program();
        for base in base {
            command.arg("--base").arg(self.path(base));
        }
        command.args(new.iter().map(|new| self.path(new)));
        let output = command.args(["-f", "text"]).args(options).output().unwrap();
        let status = output.status.code().unwrap();
        // All or nothing.
        assert_eq!(output.stdout.is_empty(), status == 1);
        (status, messages(&output))
    }

    /// Compares both ways, without a gate, with one that everything passes, and with `--strict`.
    fn check(&self, side: &[&str], expected: [i32; 3], message: &str) {
        for is_base in [false, true] {
            let name = format!("{side:?}, as the base: {is_base}");
            let (base, new) = if is_base {
                (side, &["other side"][..])
            } else {
                (&["other side"][..], side)
            };
            let gate = ["--max-growth", "999999999"];
            for (options, status) in [&[][..], &gate, &["--strict"]].into_iter().zip(expected) {
                let (found, said) = self.compare(base, new, &[&["-e", "Ir"], options].concat());
                // One file more is one run more.
                let about_runs = |line: &&str| !line.contains("costs are compared as sums");
                let said: String = said.split_inclusive('\n').filter(about_runs).collect();
                assert_eq!(found, status, "{name}, {options:?}: {said}");
                assert!(said.contains(message), "{name}, {options:?}: {said}");
                assert_eq!(
                    said.contains("warning"),
                    found != 1 && !message.is_empty(),
                    "{said}"
                );
                let is_refused = options == gate && status == 1 && expected[0] == 0;
                assert_eq!(
                    said.contains("so --max-growth cannot be checked"),
                    is_refused,
                    "{said}"
                );
            }
        }
    }
}

#[test]
#[cfg(unix)]
fn no_gate_passes_over_what_is_missing_on_either_side() {
    let sides = Sides::new();
    for (side, alone, beside, message) in [
        ("whole", [0, 0, 0], [0, 0, 0], ""),
        ("cut", [0, 0, 3], [0, 0, 3], "the last line has no end"),
        (
            "saturated",
            [0, 1, 0],
            [0, 1, 0],
            "some costs are 4294967295",
        ),
        (
            "begun",
            [0, 1, 3],
            [0, 1, 3],
            "of a profile that had only begun",
        ),
        ("empty", [1, 1, 1], [0, 1, 3], ""),
        ("only headers", [1, 1, 1], [0, 1, 3], "no profile data"),
        ("other event", [1, 1, 1], [0, 1, 3], "Ir"),
        ("missing", [1, 1, 1], [1, 1, 1], "missing: cannot be opened"),
    ] {
        let messages = match side {
            "empty" => ["is empty", "no profile data"],
            "other event" => ["no event \"Ir\"", "no event \"Ir\""],
            _ => [message; 2],
        };
        sides.check(&[side], alone, messages[0]);
        sides.check(&[side, "second"], beside, messages[1]);
    }
}

#[test]
#[cfg(unix)]
fn no_gate_passes_where_there_is_nothing_to_check() {
    let sides = Sides::new();
    let gate = ["--max-growth", "999999999"];
    for (base, new) in [("zero", "whole"), ("whole", "zero")] {
        assert_eq!(sides.compare(&[base], &[new], &[]), (0, String::new()));
        let (status, said) = sides.compare(&[base], &[new], &gate);
        let zero = sides.path("zero").display().to_string();
        let expected = format!(
            "error: {zero}: all costs of \"Ir\" are 0; so --max-growth cannot be checked\n"
        );
        assert_eq!((status, said), (1, expected));
    }
    let (status, _) = sides.compare(&["whole"], &["zero", "other side"], &gate);
    assert_eq!(status, 0);
}

#[test]
#[cfg(unix)]
fn units_have_to_be_the_same_as_far_as_they_are_known() {
    let sides = Sides::new();
    let gate = ["--max-growth", "-1%"];
    for (base, new, said) in [
        (
            "microseconds",
            "some time",
            "us in the base, but in an unknown unit in the new profile",
        ),
        (
            "some time",
            "microseconds",
            "an unknown unit in the base, but in us in the new profile",
        ),
    ] {
        let expected = format!("\"Time\" is in {said}");
        let warning = format!("warning: {expected}\n");
        assert_eq!(sides.compare(&[base], &[new], &[]), (0, warning));
        let error = format!("error: {expected}; so --max-growth cannot be checked\n");
        assert_eq!(sides.compare(&[base], &[new], &gate), (1, error));
    }
    let (status, said) = sides.compare(&["whole"], &["other side"], &gate);
    assert_eq!(
        (status, said.contains("more than the -1 % that")),
        (3, true),
        "{said}"
    );
}

#[test]
fn every_gate_is_checked_and_each_that_fails_has_its_line() {
    let sides = Sides::new();
    let put = |name: &str, [main, f, op]: [u64; 3]| {
        let text = format!(
            "events: Ir Dr\nfn=main\n1 {main} 0\ncfn=f\ncalls=1 1\n2 {f} 0\nfn=f\n1 {f} 1\nfn=op=\n1 {op} 2\n"
        );
        fs::write(sides.path(name), text).unwrap();
    };
    put("old", [50, 40, 10]);
    put("new", [50, 60, 11]);
    fs::write(sides.path("renamed"), "events: Ir Dr\nfn=g\n1 100 3\n").unwrap();
    let check = |new: &str, gates: &[&str]| {
        let gates = gates.iter().flat_map(|gate| ["--max-growth", gate]);
        sides.compare(&["old"], &[new], &gates.collect::<Vec<_>>())
    };
    assert_eq!(
        check("new", &["21", "f=50", "op==10%", "main=22.3"]),
        (0, String::new())
    );
    let (status, said) = check("new", &["f=49", "5%", "op==10", "main=-1"]);
    let expected = "\
failed: the inclusive Ir of f grew by 50.00 %, from 40 to 60: more than the 49 % that are allowed
failed: the total of Ir grew by 21.00 %, from 100 to 121: more than the 5 % that are allowed; most grew f by 20, op= by 1
failed: the inclusive Ir of main grew by 22.22 %, from 90 to 110: more than the -1 % that are allowed
";
    assert_eq!((status, said.as_str()), (3, expected));
    // What is gone costs nothing; what the base lacks cannot be told.
    assert_eq!(check("renamed", &["f=0"]), (0, String::new()));
    let (status, said) = check("renamed", &["0", "g=0"]);
    let end = "old: the base has no function \"g\"; so --max-growth cannot be checked\n";
    assert!(status == 1 && said.ends_with(end), "{said}");
    for wrong in ["f=", "f=five", "=", "f"] {
        assert_eq!(
            run(["--base", "x", "-f", "text", "--max-growth", wrong], b"")
                .status
                .code(),
            Some(2),
            "{wrong}"
        );
    }
}

#[test]
fn the_totals_of_several_events_are_shown_and_the_gate_is_about_the_first() {
    let sides = Sides::new();
    fs::write(sides.path("old"), "events: Ir Dr Dw\nfn=f\n1 100 10 0\n").unwrap();
    fs::write(sides.path("new"), "events: Ir Dr Dw\nfn=f\n1 100 1234 5\n").unwrap();
    let table = |events: &[&str], status| {
        let mut command = program();
        command
            .arg("--base")
            .arg(sides.path("old"))
            .arg(sides.path("new"));
        let options = ["-q", "-f", "text", "--max-growth", "50"];
        let output = command.args(options).args(events).output().unwrap();
        assert_eq!(output.status.code(), Some(status));
        String::from_utf8(output.stdout).unwrap()
    };
    let found = table(&["-e", "Ir", "-e", "Dr", "-e", "Dw"], 0);
    let expected = "
change     0, 0.00 %
also       Dr: 10 → 1,234, +1,224, +12,240.00 %
also       Dw: 0 → 5, +5, of no cost in the base
";
    assert!(found.contains(expected), "{found}");
    let found = table(&["-e", "Dr", "-e", "Ir"], 3);
    assert!(
        found.contains("\nalso       Ir: 100 → 100, 0, 0.00 %\n"),
        "{found}"
    );
}

#[test]
fn one_bad_file_of_many_stops_nothing_but_a_gate() {
    let sides = Sides::new();
    fs::write(sides.path("bad"), "events: Ir\nfn=a\n1 7\nnonsense\n").unwrap();
    let missing: Vec<_> = (0..11)
        .map(|number| sides.path(&format!("missing{number}")))
        .collect();
    let convert = |options: &[&str], inputs: &[PathBuf]| {
        let mut command = program();
        command.args(["-f", "json"]).args(options).args(inputs);
        command.output().unwrap()
    };
    let inputs = [
        vec![sides.path("whole"), sides.path("bad")],
        missing.clone(),
        vec![sides.path("second")],
    ];
    let inputs = inputs.concat();
    assert_eq!(convert(&[], &inputs).status.code(), Some(1));
    let output = convert(&["--keep-going"], &inputs);
    assert!(output.status.success());
    // Nothing is left of what comes before the bad line.
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&json["total"][0], &json["complete"]),
        (&200.into(), &false.into())
    );
    let said = messages(&output);
    let lines: Vec<_> = said.lines().collect();
    assert_eq!(lines.len(), 11, "{said}");
    let first = format!("warning: {}: cannot be opened: ", missing[0].display());
    assert!(
        lines[0].starts_with(&first) && lines[0].ends_with(": the input is left out"),
        "{said}"
    );
    assert_eq!(
        lines[10], "warning: 2 more warnings like the one before",
        "{said}"
    );
    // One more than are listed takes no more room than its number.
    let output = convert(&["--keep-going"], &inputs[2..]);
    let last = messages(&output).lines().last().map(str::to_owned);
    let expected = format!("warning: {}: ", missing[10].display());
    assert!(last.unwrap().starts_with(&expected));
    let output = convert(&["--keep-going"], &inputs[..2]);
    let expected = format!("warning: {}:4: ", inputs[1].display());
    assert!(
        messages(&output).starts_with(&expected),
        "{}",
        messages(&output)
    );
    assert_eq!(
        convert(&["--keep-going", "--strict"], &inputs[..3])
            .status
            .code(),
        Some(3)
    );
    // The first of them, and nothing at all.
    for several in [&inputs[1..3], &inputs[2..4]] {
        let output = convert(&["--keep-going"], several);
        assert_eq!(output.status.code(), Some(1));
        assert!(
            messages(&output).starts_with("error: "),
            "{}",
            messages(&output)
        );
    }
    let gate = ["--keep-going", "--max-growth", "5"];
    for bad in ["bad", "missing0"] {
        assert_eq!(sides.compare(&["other side"], &["whole", bad], &gate).0, 1);
        assert_eq!(
            sides
                .compare(&["whole", bad], &["other side"], &gate[..1])
                .0,
            1
        );
    }
}

#[test]
fn different_numbers_of_runs_are_told() {
    let sides = Sides::new();
    let (status, said) = sides.compare(&["whole"], &["second", "other side"], &[]);
    let expected = "warning: the base sums 1 run, the new profile 2 runs: costs are compared as sums, not per run\n";
    assert_eq!((status, said.as_str()), (0, expected));
    let (_, said) = sides.compare(&["whole"], &["second"], &[]);
    assert_eq!(said, "");
}

#[test]
fn costs_per_run_are_compared_and_limited_on_demand() {
    let sides = Sides::new();
    let put = |name: &str, main: u64, f: u64| {
        let text = format!(
            "events: Ir Dr\nfn=main\n1 {main} 3\ncfn=f\ncalls=4 1\n2 {f} 0\nfn=f\n1 {f} 0\n"
        );
        fs::write(sides.path(name), text).unwrap();
    };
    // Their sums are 100 and 221; per run, 100 and 111.
    put("old", 60, 40);
    put("new", 61, 50);
    put("new again", 60, 50);
    let compare = |base: &[&str], new: &[&str], options: &[&str]| {
        let options = [&["--per-run", "-e", "Ir", "-e", "Dr"], options].concat();
        sides.compare(base, new, &options)
    };
    let (new, gates) = (
        ["new", "new again"],
        ["--max-growth", "11", "--max-growth", "f=25"],
    );
    assert_eq!(compare(&["old"], &new, &gates), (0, String::new()));
    let gates = ["--max-growth", "10", "--max-growth", "f=24"];
    let expected = "\
failed: the total of Ir grew by 11.00 %, from 100 to 111: more than the 10 % that are allowed; most grew f by 10, main by 1
failed: the inclusive Ir of f grew by 25.00 %, from 40 to 50: more than the 24 % that are allowed
";
    assert_eq!(compare(&["old"], &new, &gates), (3, expected.to_owned()));
    let write = |format: &str, more: &[&str]| {
        let mut command = program();
        command.arg("--base").arg(sides.path("old"));
        command.args(new.map(|new| sides.path(new))).args(more);
        command.args(["-f", format]).output().unwrap()
    };
    let both = ["--per-run", "-e", "Ir", "-e", "Dr"];
    let text = written(write("text", &both));
    let expected = "\
event      Ir
base       100 in 2 functions
new        111 in 2 functions
change     +11, +11.00 %
per run    costs and calls are divided: by 1 run in the base, 2 runs in the new profile
also       Dr: 3 → 3, 0, 0.00 %

change  base %  function  file
   +10  +10.00  f
    self 40 → 50, inclusive 40 → 50, calls 4
    +1   +1.00  main
    self 60 → 61, inclusive 100 → 111, calls 1

0 functions did not change
";
    assert_eq!(String::from_utf8(text).unwrap(), expected);
    let markdown = String::from_utf8(written(write("markdown", &both))).unwrap();
    assert!(
        markdown.contains("\nPer run: costs and calls are divided: by 1 run in the base, 2 runs"),
        "{markdown}"
    );
    let json = |more: &[&str]| {
        let bytes = written(write("json", more));
        serde_json::from_slice::<serde_json::Value>(&bytes).unwrap()
    };
    let found = json(&["--per-run"]);
    let sides_found = |json: &serde_json::Value| {
        let side = |side: &str| [&json[side]["total"][0], &json[side]["runs"]].map(|n| n.as_u64());
        (json["per_run"].as_bool(), side("base"), side("new"))
    };
    assert_eq!(
        sides_found(&found),
        (Some(true), [Some(100), Some(1)], [Some(111), Some(2)])
    );
    let sums = json(&["-q"]);
    assert_eq!(
        sides_found(&sums),
        (Some(false), [Some(100), Some(1)], [Some(221), Some(2)])
    );
    for (format, more) in [("html", &["-o", "page.html"][..]), ("collapsed", &[])] {
        let output = write(format, &[&["--per-run"], more].concat());
        assert_eq!(output.status.code(), Some(2));
        let said = messages(&output);
        assert!(
            said.contains("--per-run is for -f pprof, -f text, -f markdown and -f json"),
            "{said}"
        );
    }
    let alone = run(["-f", "text", "--per-run"], WHOLE.as_bytes());
    assert_eq!(alone.status.code(), Some(2));
}

#[test]
fn no_gate_passes_over_what_is_not_the_first_warning() {
    let sides = Sides::new();
    let gate = ["-e", "Ir", "--max-growth", "999999999"];
    for (bad, message) in [
        ("empty", "no profile data"),
        ("other event", "no event \"Ir\""),
    ] {
        let (status, said) = sides.compare(&["whole"], &["cut", bad], &gate);
        let end = "; so --max-growth cannot be checked\n";
        assert_eq!(status, 1, "{said}");
        assert!(said.contains(message) && said.ends_with(end), "{said}");
    }
    // Of several without data, the first is named.
    let (status, said) = sides.compare(&["whole"], &["empty", "only headers"], &[]);
    let expected = format!("error: {}: ", sides.path("empty").display());
    assert!(status == 1 && said.starts_with(&expected), "{said}");
}

#[test]
fn what_is_said_of_the_base_comes_first_and_its_bytes_count() {
    let sides = Sides::new();
    fs::copy(sides.path("cut"), sides.path("also cut")).unwrap();
    let (status, said) = sides.compare(&["cut"], &["also cut"], &["-v"]);
    assert_eq!(status, 0);
    let lines: Vec<_> = said.lines().collect();
    for (line, name) in lines.iter().zip(["cut", "also cut"]) {
        let beginning = format!("warning: {}:", sides.path(name).display());
        assert!(line.starts_with(&beginning), "{said}");
    }
    let bytes = 2 * (WHOLE.len() - 1);
    assert!(lines[2].contains(&format!(" {bytes} bytes in, ")), "{said}");
}
