//! Several inputs: the same figures in any order, and the same as one text after the other.

use std::collections::BTreeSet;

use cg_preprocess::callgrind;
use cg_preprocess::profile::{CallEdge, Cost, EventChoice, Kind, Profile};
use cg_preprocess::webgrind::Version;
use proptest::prelude::*;

use super::document::{Document, EVENTS, Part};
use super::spelling::{Start, Style, spell};
use super::strategies::{PROXIES, Size, aggregate, style, trace};
use crate::common::tables::Tables;
use crate::library::{Reading, headers, listing, write};

/// What a profile says of functions, apart from numbers, orders and lines.
fn figures(profile: &Profile) -> Tables {
    let mut tables = Tables::of(profile).sums();
    tables.functions.iter_mut().for_each(|row| row.line = 0);
    tables
}

/// Splits a document into one for each part.
fn split(document: &Document) -> Vec<Document> {
    let parts = document.parts.iter().map(|part| Document {
        parts: vec![part.clone()],
        ..document.clone()
    });
    parts.collect()
}

/// The document with the same columns in every part, so that there is no first event to depend on.
fn with_same_columns(mut document: Document) -> Document {
    let columns = document.parts[0].columns.clone();
    document
        .parts
        .iter_mut()
        .for_each(|part| part.columns.clone_from(&columns));
    document.parts.retain(Part::holds_something);
    document
}

fn assert_any_order(document: Document, style: &Style, linked: bool) {
    let document = with_same_columns(document);
    let texts: Vec<_> = split(&document)
        .iter()
        .map(|document| spell(document, style).text)
        .collect();
    let mut reading = Reading::default();
    reading.profile.invocations = linked;
    let read = |texts: Vec<&Vec<u8>>| {
        let inputs = texts.into_iter().map(Vec::as_slice);
        reading.read(inputs).expect("sound profiles are read").0
    };
    let forward = read(texts.iter().collect());
    let backward = read(texts.iter().rev().collect());
    assert_eq!(figures(&forward), figures(&backward));
    assert_eq!(forward.total(), backward.total());
    let profiles = || texts.iter().map(|text| reading.sound(text));
    let from_the_right = profiles().rev().reduce(|right, mut left| {
        left.merge(right).expect("there are few of everything");
        left
    });
    let from_the_right = from_the_right.expect("there is a part");
    assert_eq!(figures(&forward), figures(&from_the_right));
    assert_eq!(forward.total(), from_the_right.total());
    // In the same order even the numbers are the same, however the inputs are grouped.
    assert_eq!(listing(&forward), listing(&from_the_right));
    assert_eq!(headers(&forward), headers(&from_the_right));
}

fn assert_appended(document: Document, style: &Style) {
    // Ids, names in force and positions do not outlive an input, but for a text they would.
    let mut style = style.clone();
    style.start = Start::Run;
    style.quirks &= !(1 << super::dice::Quirk::NoLastNewline as u32);
    let document = with_same_columns(document);
    let mut reading = Reading::default().kind(document.kind);
    reading.profile.invocations = true;
    let texts: Vec<_> = split(&document)
        .iter()
        .map(|document| spell(document, &style).text)
        .collect();
    let several = reading.read(texts.iter().map(Vec::as_slice));
    let one = reading.read([texts.concat().as_slice()]);
    let [(several, _), (one, _)] =
        [several, one].map(|read| read.expect("sound profiles are read"));
    match document.kind {
        Kind::Trace => {
            // Of the lines that inputs give the least counts, of those of runs the first; only v7
            // holds any.
            let versions = [Version::V4, Version::V5, Version::V6];
            let written = |profile: &Profile| versions.map(|version| write(profile, version));
            assert_eq!(written(&several), written(&one));
        }
        // A function that nobody calls was invoked once in each input, and of the lines that
        // inputs give the least counts.
        Kind::Aggregate => assert_eq!(costs(&several), costs(&one)),
    }
}

/// What functions and calls cost.
fn costs(profile: &Profile) -> (Vec<[Cost; 2]>, Vec<(CallEdge, Cost)>) {
    let functions = profile.functions();
    let functions = functions
        .map(|(id, _)| [profile.self_costs(id), profile.inclusive_costs(id)].map(|costs| costs[0]));
    let edges = profile.edges().map(|edge| (*edge, edge.costs()[0]));
    (functions.collect(), edges.collect())
}

/// What many inputs become in the callgrind format, whoever merges which of them first.
fn assert_any_grouping(
    document: Document,
    style: &Style,
    (turned, cut): (usize, usize),
    proxies: &[&str],
) {
    let document = with_same_columns(document);
    let mut reading = Reading::default();
    reading.profile.events = EventChoice::All;
    // What was merged is no trace any more, and its proxies are stepped over already.
    reading.profile.proxies = proxies.iter().map(|&name| name.into()).collect();
    let merged = |texts: &[Vec<u8>]| sums_of(&reading, texts);
    let mut texts: Vec<_> = split(&document)
        .iter()
        .map(|document| spell(document, style).text)
        .collect();
    let expected = merged(&texts);
    assert_eq!(merged(std::slice::from_ref(&expected)), expected);
    let turned = turned % texts.len();
    texts.rotate_left(turned);
    assert_eq!(merged(&texts), expected);
    let (one, other) = texts.split_at(cut % texts.len());
    let groups = [one, other].into_iter().filter(|group| !group.is_empty());
    let groups: Vec<_> = groups.map(merged).collect();
    assert_eq!(merged(&groups), expected);
    let each: Vec<_> = texts
        .iter()
        .map(|text| merged(std::slice::from_ref(text)))
        .collect();
    assert_eq!(merged(&each), expected);
}

/// The sums of these profiles, as a callgrind profile.
fn sums_of(reading: &Reading, texts: &[Vec<u8>]) -> Vec<u8> {
    let inputs = texts.iter().map(Vec::as_slice);
    let (profile, _) = reading.read(inputs).expect("sound profiles are read");
    let mut output = Vec::new();
    callgrind::write(&profile, &mut output).expect("memory takes it");
    output
}

/// The same where inputs have different events, which `--event` puts into one order.
fn assert_any_order_of_events(mut document: Document, style: &Style, turned: usize) {
    document.parts.retain(Part::holds_something);
    let columns = document.parts.iter().flat_map(|part| &part.columns);
    let columns = BTreeSet::from_iter(columns.copied());
    let names = columns.iter().map(|&column| EVENTS[column].into());
    let chosen = EventChoice::Named(names.collect());
    let merged = |events: &EventChoice, texts: &[Vec<u8>]| {
        let mut reading = Reading::default();
        reading.profile.events = events.clone();
        sums_of(&reading, texts)
    };
    let mut texts: Vec<_> = split(&document)
        .iter()
        .map(|document| spell(document, style).text)
        .collect();
    let expected = merged(&chosen, &texts);
    let turned = turned % texts.len();
    texts.rotate_left(turned);
    assert_eq!(merged(&chosen, &texts), expected);
    let all = merged(&EventChoice::All, &texts);
    assert_eq!(merged(&chosen, std::slice::from_ref(&all)), expected);
    let each: Vec<_> = texts
        .iter()
        .map(|text| merged(&EventChoice::All, std::slice::from_ref(text)))
        .collect();
    assert_eq!(merged(&chosen, &each), expected);
}

proptest! {
    #![proptest_config(super::config(48))]

    #[test]
    fn aggregates_of_different_events_merge_in_any_order(
        document in aggregate(Size::Signed),
        style in style(),
        turned: usize,
    ) {
        assert_any_order_of_events(document, &style, turned);
    }

    #[test]
    fn traces_of_different_events_merge_in_any_order(
        trace in trace(Size::Small),
        style in style(),
        turned: usize,
    ) {
        assert_any_order_of_events(trace.document, &style, turned);
    }

    #[test]
    fn aggregates_merge_in_any_grouping(
        document in aggregate(Size::Signed),
        style in style(),
        turned: usize,
        cut: usize,
    ) {
        assert_any_grouping(document, &style, (turned, cut), &[]);
    }

    #[test]
    fn traces_merge_in_any_grouping(
        trace in trace(Size::Small),
        style in style(),
        turned: usize,
        cut: usize,
        steps_over: bool,
    ) {
        let proxies = if steps_over { &PROXIES[..] } else { &[] };
        assert_any_grouping(trace.document, &style, (turned, cut), proxies);
    }

    #[test]
    fn aggregates_merge_in_any_order(document in aggregate(Size::Small), style in style()) {
        assert_any_order(document, &style, false);
    }

    #[test]
    fn traces_merge_in_any_order(trace in trace(Size::Small), style in style(), linked: bool) {
        assert_any_order(trace.document, &style, linked);
    }

    #[test]
    fn aggregates_merge_as_if_appended(document in aggregate(Size::Small), style in style()) {
        assert_appended(document, &style);
    }

    #[test]
    fn traces_merge_as_if_appended(trace in trace(Size::Small), style in style()) {
        assert_appended(trace.document, &style);
    }
}
