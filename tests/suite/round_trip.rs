//! What is written as a preprocessed file is read back as it was.

use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};

use cg_preprocess::callgrind;
use cg_preprocess::profile::{
    EventChoice, InclusiveCost, Profile, ProfileBuilder, ProfileKind, ProfileOptions,
};
use cg_preprocess::webgrind::{self, OnOverflow, ReadOutcome, ReadWarning, Version, WriteWarning};
use proptest::prelude::*;

use crate::common::fixtures;
use crate::common::tables::{self, Tables, assert_same};
use crate::library::{self, profile_options, write, write_with};
use crate::properties;
use crate::properties::spelling::spell;
use crate::properties::strategies::{PROXIES, Size, aggregate, style, trace};

/// Reads callgrind text, with its invocations.
fn read_text(text: &[u8], mut options: ProfileOptions) -> Profile {
    options.invocations = true;
    library::read(text, options)
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

/// All profiles among the fixtures that are sound.
fn profiles() -> Vec<(PathBuf, Vec<u8>)> {
    files(|path| path.extension().is_some_and(|e| e == "cg" || e == "out"))
}

/// All files among the fixtures that webgrind's own preprocessors wrote.
fn golden_files() -> Vec<(PathBuf, Vec<u8>)> {
    files(|path| path.extension().is_some_and(|e| e == "pre"))
}

fn files(wanted: impl Fn(&Path) -> bool) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    for folder in ["xdebug2", "xdebug3", "valgrind", "other", "producers"] {
        let mut paths = fixtures::files_below(&fixtures::path(folder));
        paths.retain(|path| wanted(path));
        let contents = paths.iter().map(|path| fs::read(path).unwrap());
        files.extend(paths.iter().cloned().zip(contents));
    }
    assert!(files.len() >= 9, "only {} fixtures", files.len());
    files
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
    for (path, text) in profiles() {
        println!("{}", path.display());
        check(
            &read_text(&text, ProfileOptions::default()),
            OnOverflow::Error,
        );
    }
}

#[test]
fn files_of_webgrind_itself_are_written_again_byte_for_byte() {
    for (path, file) in golden_files() {
        let version = Version::from_number(u32::from(file[0])).unwrap();
        let written = write(&read_file(&file), version);
        assert!(written == file, "{}", path.display());
    }
}

/// Costs of `text` times a million, as a derived event.
fn in_millions(text: &[u8], event: &str) -> Profile {
    let header = format!("event: Scaled = 1000000 {event}\n");
    let options =
        profile_options(|options| options.events = EventChoice::Named(vec![b"Scaled".to_vec()]));
    read_text(&[header.as_bytes(), text].concat(), options)
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
        assert!(
            matches!(warnings[..], [WriteWarning::Scaled { .. }]),
            "{warnings:?}"
        );
        check(&profile, OnOverflow::Scale);
        check(&profile, OnOverflow::Saturate);
    }
}

#[test]
fn inclusive_costs_are_those_of_the_file_and_not_summed_up() {
    let proxies = ["php::call_user_func", "php::call_user_func_array"];
    let proxies = proxies.map(|name| name.as_bytes().to_vec()).to_vec();
    let text = fixtures::bytes("xdebug3/proxies.cg");
    let plain = read_text(&text, ProfileOptions::default());
    let options = profile_options(|options| options.proxies = proxies);
    let stepped_over = read_text(&text, options);
    assert_ne!(Tables::of(&plain), Tables::of(&stepped_over));
    check(&stepped_over, OnOverflow::Error);

    let options = profile_options(|options| options.inclusive = InclusiveCost::Outermost);
    let text = fixtures::bytes("xdebug3/features.cg");
    let outermost = read_text(&text, options);
    let plain = read_text(&text, ProfileOptions::default());
    assert_ne!(Tables::of(&plain), Tables::of(&outermost));
    check(&outermost, OnOverflow::Error);
}

/// Tables in which several functions differ by their object alone, which no version holds.
const TWINS: &str = "events: Ir\nob=a.so\nfl=\nfn=???\n1 10\ncob=b.so\ncfi=\ncfn=???\ncalls=3 0\n\
                     1 70\nob=b.so\nfl=\nfn=???\n1 70\n";

#[test]
fn functions_that_differ_by_their_object_alone_stay_apart() {
    let profile = read_text(TWINS.as_bytes(), ProfileOptions::default());
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
fn several_files_are_summed() {
    let text = fixtures::bytes("xdebug3/small.cg");
    let once = read_text(&text, ProfileOptions::default());
    let file = write(&once, Version::V7);
    let (both, _) = read_files(&[&file, &file]);
    let mut expected = held_by(&once, Version::V7, true).map_costs(|cost| 2 * cost);
    for row in &mut expected.functions {
        row.invocations *= 2;
        let calls = row.called_from.iter_mut().chain(&mut row.sub_calls);
        calls.for_each(|call| call.calls *= 2);
    }
    let mut found = Tables::of(&both);
    found.headers = expected.headers.clone();
    assert_same(&found, &expected, "twice");
}

#[test]
fn a_line_that_one_version_lacks_is_taken_from_another() {
    let profile = read_text(
        &fixtures::bytes("xdebug3/small.cg"),
        ProfileOptions::default(),
    );
    let lines =
        |profile: &Profile| -> Vec<u64> { profile.functions().map(|(_, f)| f.line).collect() };
    let (v6, v7) = (write(&profile, Version::V6), write(&profile, Version::V7));
    let (both, _) = read_files(&[&v6, &v7]);
    assert_eq!(lines(&both), lines(&profile));
    assert!(lines(&both).iter().all(|&line| line > 0));
}

#[test]
fn the_invocations_of_several_files_are_kept() {
    let traces = ["xdebug2/chain.cg", "xdebug3/features.cg"];
    let profiles = traces.map(|path| read_text(&fixtures::bytes(path), ProfileOptions::default()));
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
            assert_eq!(
                tree.invocations()[called].function,
                tree.calls()[call].callee
            );
            assert_eq!(tree.caller_of(called).unwrap().0, position);
        }
    }
    let written = write(&both, Version::V4);
    assert!(write(&read_file(&written), Version::V4) == written);
}

#[test]
fn an_aggregate_beside_a_trace_in_v4_keeps_its_sums() {
    let trace = read_text(
        &fixtures::bytes("xdebug2/chain.cg"),
        ProfileOptions::default(),
    );
    let aggregate = read_text(
        &fixtures::bytes("other/gperf.cg"),
        ProfileOptions::default(),
    );
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
        let profile = read_text(text, ProfileOptions::default());
        let file = write(&profile, version);
        let mut builder = ProfileBuilder::new(ProfileOptions::default());
        webgrind::read(Cursor::new(file), "test.pre", &mut builder).unwrap();
        builder.finish().unwrap().kind()
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
    let numbers: [u32; 10] = [7, 45, 1, 16, 0, 5, 5, 1, 0, 0];
    let numbers = numbers.iter().flat_map(|number| number.to_le_bytes());
    numbers
        .chain(*b"a.c\nf")
        .take(45 - 1)
        .chain(*b"\n")
        .chain(headers.bytes())
        .collect()
}

#[test]
fn the_event_is_the_first_of_the_headers() {
    let read = |headers: &str, event: Option<&[u8]>| {
        let mut builder = ProfileBuilder::new(profile_options(|options| {
            options.events = event.map_or(EventChoice::First, |name| {
                EventChoice::Named(vec![name.to_vec()])
            })
        }));
        let file = Cursor::new(file_with_headers(headers));
        let outcome = webgrind::read(file, "old.pre", &mut builder).unwrap();
        (builder.finish(), outcome.warnings)
    };
    let (profile, warnings) = read("events: \nevents: Ir_(x1000) Dr\nevents: Dr\n", None);
    assert_eq!(
        (profile.unwrap().event(), warnings),
        (&b"Ir_(x1000)"[..], vec![])
    );

    // Without a header it is called what it would be written as.
    let (profile, warnings) = read("cmd: a\n", None);
    let profile = profile.unwrap();
    assert_eq!(
        (profile.event(), profile.total(), warnings),
        (&b"Cost"[..], 5, vec![])
    );
    let mut sums = Vec::new();
    callgrind::write(&profile, &mut sums).unwrap();
    assert_eq!(library::read(&sums, ProfileOptions::default()).total(), 5);

    let (profile, warnings) = read("events: Ir Dr\n", Some(b"Dr"));
    assert_eq!(
        profile.unwrap_err().to_string(),
        "no event \"Dr\"; the profile has Ir"
    );
    assert_eq!(
        warnings[0].to_string(),
        "old.pre: no event \"Dr\", only \"Ir\": all its costs count as 0"
    );
}

#[test]
fn headers_are_kept_and_the_summary_is_right() {
    let headers = |headers: &str| Tables::of(&read_file(&file_with_headers(headers))).headers;
    // A summary is not added to one that is there; blank lines would hide what follows them.
    assert_eq!(
        headers("cmd: a\r\n\nevents: Ir\nsummary: 7 8\npart:1\n"),
        ["cmd: a", "events: Ir", "summary: 7 8", "part: 1"]
    );
    assert_eq!(headers("events: Ir\n"), ["events: Ir", "summary: 5"]);
    assert_eq!(
        headers("summary: 0x5\nevents: Ir\n"),
        ["summary: 5", "events: Ir"]
    );
    assert_eq!(headers(""), ["summary: 5"]);
}

fn made_options() -> impl Strategy<Value = ProfileOptions> {
    (any::<bool>(), any::<bool>()).prop_map(|(outermost, with_proxy)| {
        profile_options(|options| {
            if outermost {
                options.inclusive = InclusiveCost::Outermost;
            }
            if with_proxy {
                options.proxies = PROXIES.map(Vec::from).to_vec();
            }
        })
    })
}

fn made_policy() -> impl Strategy<Value = OnOverflow> {
    prop_oneof![Just(OnOverflow::Scale), Just(OnOverflow::Saturate)]
}

proptest! {
    #![proptest_config(properties::config(128))]

    #[test]
    fn made_up_traces_come_back(
        trace in trace(Size::Large),
        style in style(),
        options in made_options(),
        policy in made_policy(),
    ) {
        check(&read_text(&spell(&trace.document, &style).text, options), policy);
    }

    #[test]
    fn made_up_aggregates_come_back(
        document in aggregate(Size::Large),
        style in style(),
        options in made_options(),
        policy in made_policy(),
    ) {
        check(&read_text(&spell(&document, &style).text, options), policy);
    }
}
