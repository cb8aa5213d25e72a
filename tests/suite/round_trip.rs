//! What is written as a preprocessed file is read back as it was.

use std::io::Cursor;

use cg_preprocess::callgrind;
use cg_preprocess::profile::{InclusiveCost, Profile, ProfileBuilder, ProfileKind, ProfileOptions};
use cg_preprocess::webgrind::{self, OnOverflow, ReadOutcome, ReadWarning, Version, WriteWarning};
use proptest::prelude::*;

use crate::common::fixtures;
use crate::common::preprocessed::numbers;
use crate::common::tables::{self, Tables, assert_same};
use crate::library::{self, linked, read_files_with, text_of, write, write_with};
use crate::properties;
use crate::properties::spelling::spell;
use crate::properties::strategies::{PROXIES, Size, aggregate, style, trace};

/// Reads callgrind text, with its invocations.
fn read_text(text: &[u8]) -> Profile {
    library::read(text, linked())
}

fn fixture(name: &str) -> Profile {
    read_text(&fixtures::bytes(name))
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

/// What comes back from a file of some version, lists of calls in the order that it holds.
fn held_by(profile: &Profile, version: Version, is_trace: bool) -> Tables {
    let mut tables = Tables::of(profile);
    tables.headers.push(tables::spelled(profile.event()));
    for row in &mut tables.functions {
        row.object.clear();
        if version != Version::V7 {
            row.line = 0;
        }
        if version == Version::V4 && !is_trace {
            row.invocations = 1;
            let calls = row.called_from.iter_mut().chain(&mut row.sub_calls);
            calls.for_each(|call| call.calls = 1);
            row.called_from.sort();
        }
        if version == Version::V5 || version == Version::V4 && !is_trace {
            row.sub_calls.sort();
        }
    }
    tables
}

fn is_trace(profile: &Profile) -> bool {
    profile.kind() == ProfileKind::Trace
}

/// Checks all that must hold of any profile.
fn check(profile: &Profile, policy: OnOverflow) {
    for version in Version::ALL {
        let (file, warnings) = write_with(profile, version, policy);
        let read = read_file(&file);
        let written_again = write_with(&read, version, OnOverflow::Error).0;
        assert!(written_again == file, "{version:?}: not the same bytes");
        let is_exact = warnings
            .iter()
            .all(|warning| matches!(warning, WriteWarning::SumsAsInvocations(_)));
        if is_exact {
            let [found, expected] =
                [&read, profile].map(|one| held_by(one, version, is_trace(profile)));
            assert_same(&found, &expected, version.number());
        }
    }
    check_chain(profile, policy);
}

/// Checks that a file converted from version to version is like the one converted directly.
fn check_chain(profile: &Profile, policy: OnOverflow) {
    let (v7, warnings) = write_with(profile, Version::V7, policy);
    let v6 = write(&read_file(&v7), Version::V6);
    assert!(v6 == write_with(profile, Version::V6, policy).0, "v7 to v6");
    let v5 = write(&read_file(&v6), Version::V5);
    assert!(v5 == write_with(profile, Version::V5, policy).0, "v6 to v5");
    assert!(v5 == write(&read_file(&v7), Version::V5), "v7 to v5");
    // v4 has sums of costs that v7 has not: they are exact only if these costs are.
    if warnings.is_empty() && !is_trace(profile) {
        let (v4, warnings) = write_with(profile, Version::V4, policy);
        if matches!(warnings[..], [WriteWarning::SumsAsInvocations(_)]) {
            assert!(v4 == write(&read_file(&v7), Version::V4), "v7 to v4");
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

#[test]
fn files_of_webgrind_itself_are_written_again_byte_for_byte() {
    let mut files = fixtures::files_below(&fixtures::folder());
    let is_golden = |name: &str| name.starts_with("xdebug") && name.ends_with(".pre");
    files.retain(|path| is_golden(&fixtures::short(path)));
    assert!(files.len() > 8);
    for path in files {
        let file = std::fs::read(&path).unwrap();
        let version = Version::from_number(u32::from(file[0])).unwrap();
        assert!(
            write(&read_file(&file), version) == file,
            "{}",
            path.display()
        );
    }
}

/// Costs of `text` times a million, as a derived event.
fn in_millions(text: &[u8], event: &str) -> Profile {
    let header = format!("event: Scaled = 1000000 {event}\n");
    let mut options = library::event("Scaled");
    options.invocations = true;
    library::read([header.as_bytes(), text].concat(), options)
}

#[test]
fn scaled_and_saturated_files_come_back() {
    for (path, event) in [
        ("xdebug3/features.cg", "Time_(10ns)"),
        ("xdebug2/chain.cg", "Time"),
        ("valgrind/threads-02.cg", "Ir"),
    ] {
        println!("{path}");
        let profile = in_millions(&fixtures::bytes(path), event);
        let (_, warnings) = write_with(&profile, Version::V7, OnOverflow::Scale);
        let is_scaled = matches!(warnings[..], [WriteWarning::Scaled { .. }]);
        assert!(is_scaled, "{warnings:?}");
        check(&profile, OnOverflow::Scale);
        check(&profile, OnOverflow::Saturate);
    }
}

#[test]
fn inclusive_costs_are_those_of_the_file_and_not_summed_up() {
    let mut stepping_over = linked();
    stepping_over.proxies = PROXIES.map(Vec::from).to_vec();
    let mut outermost = linked();
    outermost.inclusive = InclusiveCost::Outermost;
    for (name, options) in [("proxies", stepping_over), ("features", outermost)] {
        let text = fixtures::bytes(&format!("xdebug3/{name}.cg"));
        let changed = library::read(&text, options);
        assert_ne!(Tables::of(&read_text(&text)), Tables::of(&changed));
        check(&changed, OnOverflow::Error);
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

#[test]
fn a_line_that_one_version_lacks_is_taken_from_another() {
    let profile = fixture("xdebug3/small.cg");
    let lines = |profile: &Profile| -> Vec<u64> {
        let functions = profile.functions();
        functions.map(|(_, function)| function.line).collect()
    };
    let (v6, v7) = (write(&profile, Version::V6), write(&profile, Version::V7));
    let (both, _) = read_files(&[&v6, &v7]);
    assert_eq!(lines(&both), lines(&profile));
    assert!(lines(&both).iter().all(|&line| line > 0));
}

#[test]
fn the_invocations_of_several_files_are_kept() {
    let profiles = ["xdebug2/chain.cg", "xdebug3/features.cg"].map(fixture);
    let files = profiles
        .each_ref()
        .map(|profile| write(profile, Version::V4));
    let counts = profiles.each_ref().map(|profile| {
        let tree = profile.invocations().unwrap();
        (tree.invocations().len(), tree.calls().len())
    });
    let (both, _) = read_files(&[&files[0], &files[1]]);
    let tree = both.invocations().unwrap();
    assert_eq!(tree.invocations().len(), counts[0].0 + counts[1].0);
    assert_eq!(tree.calls().len(), counts[0].1 + counts[1].1);
    for position in 0..tree.invocations().len() {
        for call in tree.calls_of(position) {
            let called = tree.calls()[call].invocation().unwrap();
            let function = tree.invocations()[called].function;
            assert_eq!(function, tree.calls()[call].callee);
            assert_eq!(tree.caller_of(called).unwrap().0, position);
        }
    }
    let written = write(&both, Version::V4);
    assert!(write(&read_file(&written), Version::V4) == written);
}

#[test]
fn an_aggregate_beside_a_trace_in_v4_keeps_its_sums() {
    let [trace, aggregate] = ["xdebug2/chain.cg", "other/gperf.cg"].map(fixture);
    let files = [write(&trace, Version::V4), write(&aggregate, Version::V7)];
    let (both, _) = read_files(&[&files[0], &files[1]]);
    let (file, warnings) = write_with(&both, Version::V4, OnOverflow::Error);
    let functions = aggregate.functions().len() as u64;
    assert_eq!(warnings, [WriteWarning::SumsAsInvocations(functions)]);
    assert!(write(&read_file(&file), Version::V4) == file);
}

#[test]
fn a_file_of_v4_is_what_it_was_written_from() {
    let [trace, aggregate] = ["xdebug2/chain.cg", "valgrind/threads-02.cg"].map(fixtures::bytes);
    let both = [&trace[..], b"\n", &aggregate].concat();
    let kind = |text: &[u8], version| {
        let file = write(&read_text(text), version);
        let (profile, _) = read_files_with(&[&file], ProfileOptions::default()).unwrap();
        profile.kind()
    };
    assert_eq!(kind(&trace, Version::V4), ProfileKind::Trace);
    assert_eq!(kind(&trace, Version::V7), ProfileKind::Aggregate);
    assert_eq!(kind(&aggregate, Version::V4), ProfileKind::Aggregate);
    assert_eq!(kind(&both, Version::V4), ProfileKind::Mixed);
    // Xdebug up to 2.1.0.
    let old = b"version: 0.9.6\nevents: Time\nfn=a\n1 5\n";
    assert_eq!(kind(old, Version::V4), ProfileKind::Trace);
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
    assert_eq!(headers(""), ["summary: 5"]);
}

proptest! {
    #![proptest_config(properties::config(128))]

    #[test]
    fn made_up_traces_come_back(
        trace in trace(Size::Large),
        style in style(),
        [is_outermost, steps_over, saturates]: [bool; 3],
    ) {
        let mut options = linked();
        if is_outermost {
            options.inclusive = InclusiveCost::Outermost;
        }
        if steps_over {
            options.proxies = PROXIES.map(Vec::from).to_vec();
        }
        let policy = if saturates { OnOverflow::Saturate } else { OnOverflow::Scale };
        check(&library::read(spell(&trace.document, &style).text, options), policy);
    }

    #[test]
    fn made_up_aggregates_come_back(
        document in aggregate(Size::Large),
        style in style(),
        [is_outermost, saturates]: [bool; 2],
    ) {
        let mut options = linked();
        if is_outermost {
            options.inclusive = InclusiveCost::Outermost;
        }
        let policy = if saturates { OnOverflow::Saturate } else { OnOverflow::Scale };
        check(&library::read(spell(&document, &style).text, options), policy);
    }
}
