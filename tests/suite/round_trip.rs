//! What is written as a preprocessed file is read back as it was.

use std::io::Cursor;

use cg_preprocess::callgrind;
use cg_preprocess::profile::{InclusiveCost, Profile, ProfileBuilder, ProfileKind, ProfileOptions};
use cg_preprocess::webgrind::{self, OnOverflow, ReadOutcome, ReadWarning, Version, WriteWarning};
use proptest::prelude::*;

use crate::common::fixtures;
use crate::common::preprocessed::numbers;
use crate::common::tables::{self, Tables, assert_same};
use crate::library::{self, linked, text_of, write, write_with};
use crate::properties;
use crate::properties::spelling::spell;
use crate::properties::strategies::{PROXIES, Size, document, style};

/// Reads callgrind text, with its invocations.
fn read_text(text: &[u8]) -> Profile {
    library::read(text, linked())
}

fn read_files(files: &[&[u8]]) -> (Profile, Vec<ReadOutcome>) {
    library::read_files(files).unwrap()
}

fn read_file(file: &[u8]) -> Profile {
    let (profile, outcomes) = read_files(&[file]);
    assert_eq!(outcomes[0].bytes, file.len() as u64);
    let is_absent = |warning: &ReadWarning| matches!(warning, ReadWarning::EventAbsent { .. });
    assert!(!outcomes[0].warnings.iter().any(is_absent));
    profile
}

/// What comes back from a file of some version. The lists of calls are sorted: their order is lost.
fn held_by(profile: &Profile, version: Version, is_trace: bool) -> Tables {
    let mut tables = Tables::of(profile);
    tables.headers.push(tables::spelled(profile.event()));
    for row in &mut tables.functions {
        row.object.clear();
        if version != Version::V7 {
            row.line = 0;
        }
        let is_sum = version == Version::V4 && !is_trace;
        if is_sum {
            row.invocations = 1;
        }
        for list in [&mut row.called_from, &mut row.sub_calls] {
            list.sort();
            if is_sum {
                list.iter_mut().for_each(|call| call.calls = 1);
            }
        }
    }
    tables
}

/// Checks all that must hold of any profile.
fn check(profile: &Profile, policy: OnOverflow) {
    for version in Version::ALL {
        let (file, warnings) = write_with(profile, version, policy);
        let read = read_file(&file);
        // Of equally expensive callers, v4 names the first.
        if version != Version::V4 {
            let again = write(&read, version);
            let third = write(&read_file(&again), version);
            assert!(third == again, "{version:?}: not the same bytes");
        }
        let is_exact = warnings
            .iter()
            .all(|warning| matches!(warning, WriteWarning::SumsAsInvocations(_)));
        if is_exact {
            let is_trace = profile.kind() == ProfileKind::Trace;
            let [found, expected] = [&read, profile].map(|one| held_by(one, version, is_trace));
            assert_same(&found, &expected, version.number());
        }
    }
}

#[test]
fn every_fixture_comes_back_from_every_version() {
    for (name, text) in fixtures::profiles() {
        println!("{name}");
        check(&read_text(&text), OnOverflow::Error);
    }
}

/// Tables in which several functions differ by their object alone, which no version holds.
const TWINS: &str = "events: Ir\nob=a.so\nfl=\nfn=???\n1 10\ncob=b.so\ncfi=\ncfn=???\ncalls=3 0\n\
                     1 70\nob=b.so\nfl=\nfn=???\n1 70\n";

#[test]
fn functions_that_differ_by_their_object_alone_stay_apart() {
    let profile = read_text(TWINS.as_bytes());
    assert_eq!(profile.functions().len(), 2);
    check(&profile, OnOverflow::Error);

    // A second file has the same two, in this order.
    for version in Version::ALL {
        let file = write(&profile, version);
        let (both, _) = read_files(&[&file, &file]);
        let functions = both.functions();
        let self_costs: Vec<_> = functions.map(|(id, _)| both.self_costs(id)[0]).collect();
        assert_eq!(self_costs, [20, 140], "{version:?}");
        assert_eq!(both.edges().len(), 1);
        assert_eq!(both.edges().next().unwrap().costs(), [140]);
    }
}

/// A v7 file with a function `f` of self cost 5, and these headers.
fn file_with_headers(headers: &str) -> Vec<u8> {
    let start = numbers(&[7, 45, 1, 16, 0, 5, 5, 1, 0, 0]);
    [
        &start,
        &b"a.c\nf"[..45 - 1 - start.len()],
        b"\n",
        headers.as_bytes(),
    ]
    .concat()
}

#[test]
fn the_event_is_the_first_of_the_headers() {
    let read = |headers: &str, options: ProfileOptions| {
        let mut builder = ProfileBuilder::new(options);
        let file = Cursor::new(file_with_headers(&format!("{headers}summary: 5\n")));
        let outcome = webgrind::read(file, "old.pre", &mut builder).unwrap();
        (builder.finish(), outcome.warnings)
    };
    let first = ProfileOptions::default;
    let (profile, warnings) = read("events: \nevents: Ir_(x1000) Dr\nevents: Dr\n", first());
    assert_eq!(profile.unwrap().event(), b"Ir_(x1000)");
    assert_eq!(warnings, []);

    // Without a header it is called what it would be written as.
    let (profile, warnings) = read("cmd: a\n", first());
    let profile = profile.unwrap();
    assert_eq!((profile.event(), profile.total()), (&b"Cost"[..], 5));
    assert_eq!(warnings, []);
    let sums = text_of(|output| callgrind::write(&profile, output));
    assert_eq!(library::profile(&sums).total(), 5);

    let (profile, warnings) = read("events: Ir Dr\n", library::event("Dr"));
    let error = profile.unwrap_err().to_string();
    assert_eq!(error, "no event \"Dr\"; the profile has Ir");
    let told = "old.pre: no event \"Dr\", only \"Ir\": all its costs count as 0";
    assert_eq!(warnings[0].to_string(), told);
}

#[test]
fn headers_are_kept_and_the_summary_is_right() {
    let headers = |headers: &str| Tables::of(&read_file(&file_with_headers(headers))).headers;
    // A summary is not added to one that is there; blank lines would hide what follows them.
    let found = headers("cmd: a\r\n\nevents: Ir\nsummary: 7 8\npart:1\n");
    assert_eq!(found, ["cmd: a", "events: Ir", "summary: 7 8", "part: 1"]);
    assert_eq!(headers("events: Ir\n"), ["events: Ir", "summary: 5"]);
    let found = headers("summary: 0x5\nevents: Ir\n");
    assert_eq!(found, ["summary: 5", "events: Ir"]);
    assert!(headers("").ends_with(&["events: Cost".into(), "summary: 5".into()]));
}

proptest! {
    #![proptest_config(properties::config(256))]

    #[test]
    fn made_up_profiles_come_back(
        document in document(Size::Large),
        style in style(),
        [is_outermost, steps_over, saturates]: [bool; 3],
    ) {
        let mut options = linked();
        if is_outermost {
            options.inclusive = InclusiveCost::Once;
        }
        if steps_over {
            options.proxies = PROXIES.map(Vec::from).to_vec();
        }
        let policy = if saturates { OnOverflow::Saturate } else { OnOverflow::Scale };
        check(&library::read(spell(&document, &style).text, options), policy);
    }
}
