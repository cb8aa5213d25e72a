//! What the fuzz targets and these tests have found: once each, for good.

use std::fs;

use cg_preprocess::profile::{InclusiveCost, Kind};
use cg_preprocess::webgrind::Version;

use super::document::Wanted;
use super::hostile::assert_harmless;
use super::splits::assert_same_in_pieces;
use crate::common::fixtures;
use crate::library::{Reading, headers, read_file, write};

fn finding(name: &str) -> Vec<u8> {
    fixtures::bytes(&format!("fuzz-findings/{name}"))
}

#[test]
fn all_are_harmless_with_any_options() {
    let mut count = 0;
    for path in fixtures::files_below(&fixtures::path("fuzz-findings")) {
        let data = fs::read(&path).unwrap();
        match path.extension().and_then(|end| end.to_str()) {
            Some("cg") => {
                assert_same_in_pieces(&data, 0);
                assert_same_in_pieces(&data, 1);
                any_options().for_each(|reading| assert_harmless(&reading, &data));
            }
            Some("pre") => assert_lasting(&data),
            _ => continue,
        }
        count += 1;
    }
    assert!(count > 0);
}

fn any_options() -> impl Iterator<Item = Reading> {
    (0..16u8).map(|bits| {
        let mut reading = Reading::default();
        reading.read.lenient = bits & 1 != 0;
        reading.profile.invocations = bits & 2 != 0;
        if bits & 4 != 0 {
            reading.profile.inclusive = InclusiveCost::Outermost;
        }
        if bits & 8 != 0 {
            reading.profile.proxies = vec![b"php::call_user_func".to_vec()];
            reading = reading.kind(Kind::Trace);
        }
        reading
    })
}

/// What was read from a preprocessed file and written is the same file when that is done again.
fn assert_lasting(data: &[u8]) {
    let Ok(profile) = read_file(data) else { return };
    for version in Version::ALL {
        let once = write(&profile, version);
        let again = write(&read_file(&once).unwrap(), version);
        assert!(again == once, "{version:?}");
    }
}

/// A line among the headers that is none got one more blank at its end each time.
#[test]
fn header_without_colon() {
    let profile = read_file(&finding("header-without-colon.pre")).unwrap();
    assert_eq!(headers(&profile)[1], "no colon here");
}

/// What a file begins with, when it is no profile, was the next line if that was read at once.
#[test]
fn form_feed_before_garbage() {
    let data = finding("form-feed-before-garbage.cg");
    for first in ["", " \n", "\t\r\n"] {
        let data = [first.as_bytes(), &data].concat();
        assert_same_in_pieces(&data, 1);
        let error = Reading::default().read([&data[..]]).unwrap_err();
        assert!(error.contains("this is no callgrind profile"), "{error}");
        assert!(error.ends_with("(found \"\")"), "{error}");
    }
}

/// Costs after `part:` without an `fn=` were lost without a word.
#[test]
fn costs_after_part() {
    let profile = Reading::default().sound(&finding("costs-after-part.cg"));
    let (id, _) = profile.functions().next().unwrap();
    assert_eq!(profile.self_costs(id), [23]);
    assert_eq!(profile.inclusive_costs(id), [28]);
    assert_eq!(profile.sub_calls(id).len(), 1);
}

/// Parts of which none has all columns of a formula: what they have of it is not the event.
#[test]
fn formula_of_later_columns() {
    let sum = Reading::of(&Wanted::Named("Sum"));
    let profile = sum.sound(&finding("formula-of-later-columns.cg"));
    assert_eq!(profile.total(), 0);
}

/// The `events:` of a part without costs was taken for that of the next part.
#[test]
fn events_of_empty_part() {
    let profile = Reading::default().sound(&finding("events-of-empty-part.cg"));
    let headers = headers(&profile);
    let events: Vec<_> = headers
        .iter()
        .filter(|text| text.starts_with("events"))
        .collect();
    assert_eq!(events, ["events: Ir"; 3]);
    let totals = headers
        .iter()
        .filter_map(|text| text.strip_prefix("summary: "));
    let totals: i64 = totals.map(|total| total.parse::<i64>().unwrap()).sum();
    assert_eq!(totals, 23);
}

/// Names of a run without costs stayed in force in the next one.
#[test]
fn names_of_empty_run() {
    let profile = Reading::default().sound(&finding("names-of-empty-run.cg"));
    let (_, function) = profile.functions().next().unwrap();
    let names = [function.object, function.file, function.name];
    assert_eq!(
        names.map(|name| profile.name(name)),
        [&b""[..], b"b.c", b"f"]
    );
}
