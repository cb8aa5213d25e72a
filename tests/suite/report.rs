//! The reports: JSON for programs, text for people.

use std::io::{self, Write};

use cg_preprocess::output;
use cg_preprocess::output::json;
use cg_preprocess::profile::Profile;
use cg_preprocess::view::View;
use unicode_width::UnicodeWidthChar;

use crate::common::fixtures;
use crate::library::{profile, text_of, text_options, write_text};

fn as_text(profile: &Profile, change: impl FnOnce(&mut output::ReportOptions)) -> String {
    text_of(|output| write_text(profile, &text_options(change), output))
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    // As a terminal counts.
    let columns = |line: &str| line.chars().map(|c| c.width().unwrap_or(0)).sum();
    for source in [
        "reports/names.cg",
        "xdebug3/features.cg",
        "valgrind/instr.cg",
    ] {
        let profile = profile(fixtures::bytes(source));
        let (_, first) = profile.functions().next().unwrap();
        let first = profile.name(first.name).to_vec();
        for function in [None, Some(first)] {
            let shown = |width| {
                as_text(&profile, |options| {
                    (options.top, options.width) = (Some(15), width);
                    options.function.clone_from(&function);
                })
            };
            for width in (0..70).chain((70..250).step_by(9)) {
                let report = shown(Some(width));
                let widest = report.lines().map(columns).max();
                assert!(widest <= Some(width), "{width} columns:\n{report}");
            }
        }
    }
    let small = profile(fixtures::bytes("xdebug3/small.cg"));
    let [cut, whole] = [Some(1000), None].map(|width| {
        as_text(&small, |options| {
            (options.names, options.width) = (output::Names::Full, width);
        })
    });
    assert_eq!(cut, whole);
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
    json::write(
        &View::of(&profile(text)),
        None,
        &output::Notes::default(),
        &output::ReportOptions::default(),
        &mut pieces,
    )
    .unwrap();
    assert!(pieces.all > 500_000, "{}", pieces.all);
    assert!(pieces.largest < 20_000, "{}", pieces.largest);
}
