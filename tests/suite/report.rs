//! The reports: JSON for programs, text for people.
//!
//! Text reports of some fixtures stand in fixtures/reports/ as `NAME.WIDTH.txt`, `NAME.txt` without
//! a width. `BLESS=1 cargo test --test suite report` writes them anew; look at what changed.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use cg_preprocess::profile::{EventChoice, Profile, ProfileOptions};
use cg_preprocess::report::json::Notes;
use cg_preprocess::report::{self, text};
use cg_preprocess::webgrind::Version;
use serde_json::{Value, json};
use unicode_width::UnicodeWidthChar;

use crate::common::fixtures;
use crate::library::{json, profile_options, read, read_file, text_options, write};
use crate::schema::Schema;

fn profile(text: impl AsRef<[u8]>) -> Profile {
    read(text, ProfileOptions::default())
}

fn all_events(text: impl AsRef<[u8]>) -> Profile {
    let options = profile_options(|options| {
        options.events = EventChoice::All;
        options.call_files = true;
    });
    read(text, options)
}

fn as_text(profile: &Profile, top: Option<usize>, width: Option<usize>) -> String {
    with(
        profile,
        &text_options(|options| {
            options.top = top;
            options.width = width;
        }),
    )
}

fn with(profile: &Profile, options: &text::Options) -> String {
    let mut output = Vec::new();
    text::write(profile, options, &mut output).unwrap();
    String::from_utf8(output).unwrap()
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
            fixtures::assert_holds(&path, &found);
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
            let first = profile
                .functions()
                .next()
                .map(|(_, function)| function.name);
            let first = first.map(|name| profile.name(name).to_vec());
            for width in (0..100).chain((100..250).step_by(5)) {
                for function in [None, first.clone()] {
                    let options = text_options(|options| {
                        options.top = Some(15);
                        options.width = Some(width);
                        options.function = function;
                    });
                    let report = with(&profile, &options);
                    let widest = report.lines().map(columns).max();
                    assert!(widest <= Some(width), "{width} columns:\n{report}");
                }
            }
        }
    }

    #[test]
    fn a_width_that_suffices_cuts_nothing() {
        let profile = profile(fixtures::bytes("xdebug3/small.cg"));
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
    fn what_is_looked_for_cannot_upset_the_terminal() {
        let message = |options: text::Options| {
            let profile = profile("events: Ir\nfn=work\n1 5\n");
            text::write(&profile, &options, Vec::new())
                .unwrap_err()
                .to_string()
        };
        let text = |name: &str| Some(name.as_bytes().to_vec());
        assert_eq!(
            message(text_options(|options| options.function = text("wrk\n"))),
            "no function's name contains \"wrk\\n\"; closest: work"
        );
        assert_eq!(
            message(text_options(|options| options.filter = text("%\u{1b}"))),
            "no function's name contains \"%\\x1b\""
        );
    }
}

mod in_json {
    use super::*;

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
    fn names_that_are_not_utf_8_are_spelled_as_in_the_text_report() {
        let profile = profile(b"cmd: \xe9\nevents: Ir\nfn=caf\xe9\xff\n1 1\n");
        let document: Value = serde_json::from_str(&json(&profile)).unwrap();
        let mut text = Vec::new();
        text::write(&profile, &text::Options::default(), &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        let name = document["functions"][0]["name"].as_str().unwrap();
        assert_eq!(name, "caf\\xe9\\xff");
        assert!(text.lines().any(|line| line.ends_with(name)), "{text}");
        let command = format!(
            "command    {}\n",
            document["headers"][0][1].as_str().unwrap()
        );
        assert!(text.starts_with(&command), "{text}");
    }

    #[test]
    fn the_kind_is_that_of_the_inputs() {
        let trace = "creator: xdebug 3.4.0\nevents: Time\nfl=a.php\nfn={main}\n1 5\n";
        let sums = "events: Time\nfn=f\n1 5\n";
        let kind = |texts: [&str; 2]| {
            let [mut one, other] = texts.map(profile);
            one.merge(other).unwrap();
            let document: Value = serde_json::from_str(&json(&one)).unwrap();
            document["kind"].clone()
        };
        assert_eq!(kind([trace, trace]), "trace");
        assert_eq!(kind([sums, sums]), "aggregate");
        assert_eq!(kind([trace, sums]), "mixed");
    }

    #[test]
    fn the_scale_comes_out_of_a_preprocessed_file() {
        let profile = profile("events: Ir\nfn=a\n1 4000000000000\n");
        let file = write(&profile, Version::V7);
        let json = json(&read_file(&file).unwrap());
        let document: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(document["event"], "Ir_(x1000)");
        assert_eq!(document["scale"], 1000);
        assert_eq!(document["functions"][0]["self"][0], 4_000_000_000_u64);
    }

    /// An output that notes how much it was given at once.
    #[derive(Default)]
    struct Pieces {
        largest: usize,
        all: usize,
    }

    impl Write for Pieces {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.largest = self.largest.max(bytes.len());
            self.all += bytes.len();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_long_document_is_written_piece_by_piece() {
        let functions = (0..5000).map(|number| format!("fn=f{number}\n1 1\n"));
        let text = format!("events: Ir\n{}", functions.collect::<String>());
        let mut pieces = Pieces::default();
        report::json::write(&profile(text), &Notes::default(), &mut pieces).unwrap();
        assert!(pieces.all > 500_000, "{}", pieces.all);
        assert!(pieces.largest < 20_000, "{}", pieces.largest);
    }

    #[test]
    fn every_fixture_is_a_document_as_the_schema_has_it() {
        let schema = Schema::read("profile");
        let folders = [
            "xdebug2",
            "xdebug3",
            "valgrind",
            "other",
            "producers",
            "reports",
        ];
        for folder in folders {
            let files = fixtures::files_below(&fixtures::path(folder));
            for path in files.iter().filter(|path| is_profile(path)) {
                let mut profile = all_events(fs::read(path).unwrap());
                profile.derive_events();
                let json = json(&profile);
                let document: Value = serde_json::from_str(&json).unwrap();
                let name = fixtures::short(path);
                schema.check(&document, &name);
                let functions = document["functions"].as_array().unwrap();
                assert_eq!(functions.len(), profile.functions().len(), "{name}");
                for costs in functions.iter().map(|function| &function["self"]) {
                    assert_eq!(costs.as_array().unwrap().len(), profile.events().len());
                }
                assert!(json.ends_with("\n}\n"), "{name}");
            }
        }
    }

    #[test]
    fn warnings_and_losses_are_part_of_the_document() {
        let notes = Notes {
            complete: false,
            warnings: vec!["a \"b\"".to_owned(), "c".to_owned()],
        };
        let mut output = Vec::new();
        let profile = profile("events: Ir\nfn=a\n1 1\n");
        report::json::write(&profile, &notes, &mut output).unwrap();
        let document: Value = serde_json::from_slice(&output).unwrap();
        Schema::read("profile").check(&document, "notes");
        assert_eq!(document["complete"], false);
        assert_eq!(document["warnings"], json!(["a \"b\"", "c"]));
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
    for room in [0, 1, 100] {
        let error = report::json::write(&profile, &Notes::default(), Pipe { room }).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
        let error = text::write(&profile, &text::Options::default(), Pipe { room }).unwrap_err();
        let text::Error::Io(error) = error else {
            panic!("{error}")
        };
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }
}
