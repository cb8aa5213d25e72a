//! One fixture for every error and warning of the callgrind reader, with the exact message.
//!
//! `BLESS=1 cargo test --test suite bad_input` rewrites the messages.

use std::collections::BTreeSet;
use std::fs;
use std::io::{Cursor, Read};

use cg_preprocess::callgrind::{self, ReadOptions};
use cg_preprocess::profile::{ProfileBuilder, ProfileOptions};

use crate::bad_preprocessed::Failing;
use crate::common::fixtures;
use crate::library::read_options;

/// What reading an input says, and the names of the variants that say it.
#[derive(Debug, Default)]
struct Said {
    messages: String,
    variants: BTreeSet<String>,
}

impl Said {
    fn add(&mut self, message: &dyn std::fmt::Display, variant: &dyn std::fmt::Debug) {
        self.messages.push_str(&format!("{message}\n"));
        let variant = format!("{variant:?}");
        let end = variant.find(|c: char| !c.is_alphanumeric());
        self.variants
            .insert(variant[..end.unwrap_or(variant.len())].to_owned());
    }
}

fn read(name: &str, input: impl Read, lenient: bool) -> Said {
    let options = read_options(|options| options.lenient = lenient);
    let mut builder = ProfileBuilder::new(ProfileOptions::default());
    let mut said = Said::default();
    match callgrind::read(input, name, &options, &mut builder) {
        Ok(outcome) => {
            for listed in outcome.warnings.iter() {
                said.add(&format!("warning: {listed}"), &listed.warning.kind);
            }
            builder.finish().expect("what was read makes a profile");
        }
        Err(error) => said.add(&format!("error: {error}"), &error.kind()),
    }
    said
}

/// The variants of `ProblemKind` and `WarningKind`, as their source has them.
fn variants() -> BTreeSet<String> {
    let source = include_str!("../../src/callgrind/error.rs");
    let enums = source.split("Kind {\n").skip(1);
    let enums = enums.filter_map(|rest| rest.split("\n}\n").next());
    let lines = enums.flat_map(|variants| variants.lines());
    let lines = lines.filter_map(|line| line.strip_prefix("    "));
    let names = lines.filter(|line| line.starts_with(char::is_uppercase));
    let names = names.filter_map(|line| line.split(|c: char| !c.is_alphanumeric()).next());
    names.map(str::to_owned).collect()
}

#[test]
fn every_message_has_its_fixture() {
    // These are read in other tests.
    let elsewhere = ["Io", "LineTooLong", "NoTrace"];
    let mut seen: BTreeSet<String> = elsewhere.map(str::to_owned).into();
    let mut files = fixtures::files_below(&fixtures::path("bad-input"));
    files.retain(|path| path.extension().is_some_and(|end| end == "cg"));
    for path in files {
        let name = path.file_name().unwrap().to_str().unwrap();
        let text = fs::read(&path).unwrap();
        let said = read(name, Cursor::new(text), name.starts_with("skipped-"));
        fixtures::assert_holds(&path.with_extension("message"), &said.messages);
        assert!(!said.variants.is_empty(), "{name} is read without a word");
        seen.extend(said.variants);
    }
    assert_eq!(seen, variants());
}

#[test]
fn a_failing_input_is_an_error_with_its_cause() {
    let text = b"events: Ir\nfn=main\n15 90\n";
    let input = Failing::after(text.to_vec(), text.len());
    let mut builder = ProfileBuilder::new(ProfileOptions::default());
    let error = callgrind::read(input, "a.cg", &ReadOptions::default(), &mut builder).unwrap_err();
    assert_eq!(error.to_string(), "a.cg:4: cannot read further");
    let cause = std::error::Error::source(&error).expect("there is a cause");
    assert_eq!(cause.to_string(), "the disk is broken");
}
