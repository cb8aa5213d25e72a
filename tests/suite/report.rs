//! The reports: JSON for programs, text for people.
//!
//! Text reports of some fixtures stand in fixtures/reports/ as `NAME.WIDTH.txt`, `NAME.txt` without
//! a width. `BLESS=1 cargo test --test suite report` writes them anew; look at what changed.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use cg_preprocess::profile::{Profile, ProfileOptions};
use cg_preprocess::report::{self, text};
use cg_preprocess::webgrind::Version;
use serde_json::Value;
use unicode_width::UnicodeWidthChar;

use crate::fixtures;
use crate::library::{json, read, read_file, write};

fn profile(text: impl AsRef<[u8]>) -> Profile {
    read(text, ProfileOptions::default())
}

fn as_text(profile: &Profile, top: Option<usize>, width: Option<usize>) -> String {
    let mut output = Vec::new();
    text::write(profile, text::Options { top, width }, &mut output).unwrap();
    String::from_utf8(output).unwrap()
}

/// The lines of the table without its headings.
fn rows(report: &str) -> Vec<&str> {
    let lines = report
        .lines()
        .skip_while(|line| !line.starts_with("self %"));
    lines.skip(1).take_while(|line| !line.is_empty()).collect()
}

mod in_text {
    use super::*;

    const REPORTS: [(&str, &str, Option<usize>); 8] = [
        ("reports/names.cg", "names", None),
        ("reports/names.cg", "names", Some(80)),
        ("reports/names.cg", "names", Some(200)),
        ("valgrind/instr.cg", "instr", Some(80)),
        ("valgrind/instr.cg", "instr", Some(200)),
        ("xdebug3/features.cg", "features", None),
        ("xdebug3/features.cg", "features", Some(80)),
        ("xdebug3/features.cg", "features", Some(200)),
    ];

    #[test]
    fn reports_look_as_they_did() {
        for (source, name, width) in REPORTS {
            let profile = profile(fixtures::bytes(source));
            let width_part = width.map_or(String::new(), |width| format!(".{width}"));
            let path = fixtures::path(&format!("reports/{name}{width_part}.txt"));
            let found = as_text(&profile, Some(20), width);
            if env::var_os("BLESS").is_some() {
                fs::write(&path, &found).unwrap();
            }
            let expected = fs::read_to_string(&path).unwrap_or_default();
            assert!(
                expected == found,
                "{} would become\n{found}",
                fixtures::short(&path)
            );
        }
    }

    /// Columns as a terminal counts them.
    fn columns(line: &str) -> usize {
        line.chars().map(|c| c.width().unwrap_or(0)).sum()
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        for source in [
            "reports/names.cg",
            "xdebug3/features.cg",
            "valgrind/instr.cg",
        ] {
            let profile = profile(fixtures::bytes(source));
            for width in 0..250 {
                let report = as_text(&profile, Some(15), Some(width));
                let widest = report.lines().map(columns).max();
                assert!(widest <= Some(width), "{width} columns:\n{report}");
            }
        }
    }

    #[test]
    fn a_width_that_suffices_cuts_nothing() {
        let profile = profile(fixtures::bytes("valgrind/instr.cg"));
        assert_eq!(
            as_text(&profile, None, Some(1000)),
            as_text(&profile, None, None)
        );
    }

    #[test]
    fn names_cannot_upset_the_terminal() {
        let profile = profile(fixtures::bytes("reports/names.cg"));
        let report = as_text(&profile, None, None);
        let is_sound = |c: char| c == '\n' || !c.is_control() && c != '\u{202e}';
        assert!(report.chars().all(is_sound), "{report}");
        assert!(report.contains(r"latin1_caf\xe9"), "{report}");
        assert!(report.contains(r"\x1b[31mred\x1b[0m\x07"), "{report}");
    }

    #[test]
    fn the_most_expensive_come_first_and_equals_in_number_order() {
        let profile =
            profile("events: Ir\nfn=a\n1 5\nfn=b\n1 9\nfn=c\n1 5\nfn=d\n1 -2\nfn=e\n1 5\n");
        let report = as_text(&profile, None, None);
        let names: Vec<_> = rows(&report)
            .iter()
            .map(|row| row.split_whitespace().nth(5).unwrap())
            .collect();
        assert_eq!(names, ["b", "a", "c", "e", "d"]);
        assert!(rows(&report)[4].starts_with(" -9.09"), "{report}");
    }

    #[test]
    fn what_is_not_shown_is_summed() {
        let profile = profile("events: Ir\nfn=a\n1 1000\nfn=b\n1 4000\nfn=c\n1 3000\n");
        let report = as_text(&profile, Some(1), None);
        assert_eq!(rows(&report).len(), 1);
        let last = report.lines().last();
        let expected = "2 more functions with a self cost of 4,000 (50.00 %)";
        assert_eq!(last, Some(expected));
        for top in [Some(3), Some(4), Some(usize::MAX), None] {
            let report = as_text(&profile, top, None);
            assert_eq!(rows(&report).len(), 3);
            assert!(!report.contains("more functions"), "{report}");
        }
    }

    #[test]
    fn of_nothing_there_are_no_percentages() {
        let profile = profile("events: Ir\nfn=a\n1 5\nfn=b\n2 -5\n");
        let report = as_text(&profile, None, None);
        assert!(report.contains("\ntotal      0\n"), "{report}");
        let first: Vec<_> = rows(&report)[0].split_whitespace().collect();
        assert_eq!(first, ["-", "5", "-", "5", "1", "a"]);
    }

    #[test]
    fn times_are_told_where_their_unit_is_sure() {
        let total = |event: &str, creator: &str| {
            let text = format!("creator: {creator}\nevents: {event}\nfn=a\n1 3300123\n");
            let report = as_text(&profile(text), None, None);
            let mut lines = report.lines();
            let line = lines.find_map(|line| line.strip_prefix("total"));
            line.unwrap().trim().to_owned()
        };
        assert_eq!(total("Time_(10ns)", "any"), "3,300,123 (33.0 ms)");
        assert_eq!(total("Time_(us)", "any"), "3,300,123 (3.30 s)");
        assert_eq!(total("cpu(ms)", "any"), "3,300,123 (3,300 s)");
        assert_eq!(total("Time", "xdebug 2.9.8"), "3,300,123 (3.30 s)");
        assert_eq!(total("Time", "any"), "3,300,123");
        assert_eq!(total("Memory_(bytes)", "xdebug 3.2.0"), "3,300,123");
    }

    #[test]
    fn every_command_is_counted_once() {
        let command = |commands: &str| {
            let report = as_text(
                &profile(format!("{commands}events: Ir\nfn=a\n1 1\n")),
                None,
                None,
            );
            report.lines().next().unwrap().to_owned()
        };
        assert_eq!(command(""), "command    unknown");
        assert_eq!(command("cmd: a b\n"), "command    a b");
        assert_eq!(command("cmd:  a\ncmd: a\n"), "command    a");
        assert_eq!(
            command("cmd: a\ncmd: b\ncmd: c\n"),
            "command    a and 2 more"
        );
    }
}

mod in_json {
    use super::*;

    #[test]
    fn fields_stand_in_order_and_each_function_on_a_line() {
        let profile = profile(concat!(
            "cmd: x\nevents: Ir Dr\nob=o\nfl=f\nfn=main\n3 10 1\n",
            "cfn=leaf\ncalls=2 9\n4 20 2\nfn=leaf\n9 20 2\n",
        ));
        let expected = r#"{
  "event":"Ir",
  "events":[
    "Ir",
    "Dr"
  ],
  "scale":1,
  "headers":[
    ["cmd","x"],
    ["events","Ir Dr"],
    ["summary","30"]
  ],
  "total":30,
  "functions":[
    {"number":0,"object":"o","file":"f","name":"main","line":3,"self":10,"inclusive":30,"invocations":1,"called_from":[],"sub_calls":[{"function":1,"line":4,"calls":2,"cost":20}]},
    {"number":1,"object":"o","file":"f","name":"leaf","line":9,"self":20,"inclusive":20,"invocations":2,"called_from":[{"function":0,"line":4,"calls":2,"cost":20}],"sub_calls":[]}
  ]
}
"#;
        assert_eq!(json(&profile), expected);
    }

    #[test]
    fn names_that_are_not_utf_8_make_valid_json() {
        let name = b"caf\xe9\xff \"quoted\\\" \0\x1b\x7f".as_slice();
        let text = [b"cmd: \xe9\nevents: Ir\nfn=", name, b"\n1 1\n"].concat();
        let document: Value = serde_json::from_str(&json(&profile(text))).unwrap();
        let expected = "caf\\xe9\\xff \"quoted\\\" \0\u{1b}\u{7f}";
        assert_eq!(document["functions"][0]["name"], expected);
        assert_eq!(document["headers"][0][1], "\\xe9");
    }

    #[test]
    fn numbers_keep_their_64_bits_and_signs() {
        let profile = profile(concat!(
            "events: Ir\nfn=big\n18446744073709551615 9007199254740993\n",
            "cfn=less\ncalls=18446744073709551615 1\n2 4\nfn=less\n1 -9007199254740995\n",
        ));
        let json = json(&profile);
        let document: Value = serde_json::from_str(&json).unwrap();
        let functions = &document["functions"];
        assert_eq!(functions[0]["line"], u64::MAX);
        assert_eq!(functions[0]["self"], 9_007_199_254_740_993_i64);
        assert_eq!(functions[0]["sub_calls"][0]["calls"], u64::MAX);
        assert_eq!(functions[1]["self"], -9_007_199_254_740_995_i64);
        assert_eq!(document["total"], -2);
    }

    #[test]
    fn the_scale_is_that_of_the_event() {
        let scale = |event: &str| -> Value {
            let text = format!("events: {event} Dr\nfn=a\n1 7\n");
            let document: Value = serde_json::from_str(&json(&profile(text))).unwrap();
            assert_eq!(document["event"], event);
            assert_eq!(document["total"], 7);
            document["scale"].clone()
        };
        assert_eq!(scale("Ir"), 1);
        assert_eq!(scale("Ir_(x1000)"), 1000);
        assert_eq!(scale("Time_(10ns)"), 1);
        assert_eq!(scale("Time_(us)_(x10)"), 10);
    }

    #[test]
    fn the_scale_comes_out_of_a_preprocessed_file() {
        let profile = profile("events: Ir\nfn=a\n1 4000000000000\n");
        let file = write(&profile, Version::V7);
        let json = json(&read_file(&file).unwrap());
        let document: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(document["event"], "Ir_(x1000)");
        assert_eq!(document["scale"], 1000);
        assert_eq!(document["functions"][0]["self"], 4_000_000_000_u64);
    }

    #[test]
    fn every_fixture_is_one_document_that_ends_with_a_newline() {
        for folder in ["xdebug2", "xdebug3", "valgrind", "other", "reports"] {
            for path in fixtures::files_below(&fixtures::path(folder)) {
                if !is_profile(&path) {
                    continue;
                }
                let profile = profile(fs::read(&path).unwrap());
                let json = json(&profile);
                let document: Value = serde_json::from_str(&json).unwrap();
                let functions = document["functions"].as_array().unwrap();
                assert_eq!(functions.len(), profile.functions().len());
                assert!(json.ends_with("\n}\n"), "{}", fixtures::short(&path));
            }
        }
    }

    fn is_profile(path: &Path) -> bool {
        path.extension().is_some_and(|extension| extension == "cg")
    }
}

/// An output that takes some bytes, and then nobody reads it any more.
struct Pipe {
    room: usize,
}

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.room == 0 {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let taken = bytes.len().min(self.room);
        self.room -= taken;
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_closed_pipe_is_told_as_such() {
    let profile = profile("events: Ir\nfn=a\n1 1\n");
    let options = text::Options {
        top: None,
        width: None,
    };
    for room in [0, 1, 100] {
        let error = report::json::write(&profile, Pipe { room }).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
        let error = text::write(&profile, options, Pipe { room }).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }
}
