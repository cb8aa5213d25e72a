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
