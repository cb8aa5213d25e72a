//! Several inputs: the same figures in any order, and the same as one text after the other.

use std::collections::{BTreeMap, BTreeSet};
use std::slice::from_ref;

use cg_preprocess::callgrind;
use cg_preprocess::output::{ReportOptions, collapsed, tree};
use cg_preprocess::profile::{CallEdge, Cost, EventChoice, Kind, Profile};
use cg_preprocess::stacks::Stacks;
use cg_preprocess::view::View;
use cg_preprocess::webgrind::Version;
use proptest::prelude::*;

use super::document::{Document, EVENTS};
use super::spelling::{Start, Style, spell};
use super::strategies::{PROXIES, Size, document, style};
use crate::common::tables::Tables;
use crate::library::{Reading, all_events, headers, listing, merged, text_of, write};

/// What a profile says of functions, apart from numbers, orders and lines.
fn figures(profile: &Profile) -> Tables {
    let mut tables = Tables::of(profile).sums();
    tables.functions.iter_mut().for_each(|row| row.line = 0);
    tables
}

/// A text for each part of a document that holds something.
fn texts(document: &Document, style: &Style) -> Vec<Vec<u8>> {
    let parts = document.parts.iter().filter(|part| part.holds_something());
    let documents = parts.map(|part| Document {
        parts: vec![part.clone()],
        ..document.clone()
    });
    documents.map(|part| spell(&part, style).text).collect()
}

/// The document with the same columns in every part, so that there is no first event to depend on.
fn with_same_columns(mut document: Document) -> Document {
    let columns = document.parts[0].columns.clone();
    let parts = document.parts.iter_mut();
    parts.for_each(|part| part.columns.clone_from(&columns));
    document
}

fn assert_any_order(document: Document, style: &Style, linked: bool) {
    let texts = texts(&with_same_columns(document), style);
    let mut reading = Reading::default();
    reading.profile.invocations = linked;
    let read = |texts: Vec<&Vec<u8>>| {
        let inputs = texts.into_iter().map(Vec::as_slice);
        reading.read(inputs).expect("sound profiles are read").0
    };
    let forward = read(texts.iter().collect());
    let backward = read(texts.iter().rev().collect());
    let profiles = texts.iter().map(|text| reading.sound(text));
    let from_the_right = profiles.rev().reduce(|right, left| merged([left, right]));
    let from_the_right = from_the_right.expect("there is a part");
    for other in [&backward, &from_the_right] {
        assert_eq!(figures(&forward), figures(other));
        assert_eq!(forward.total(), other.total());
    }
    // In the same order even the numbers are the same, however the inputs are grouped.
    assert_eq!(listing(&forward), listing(&from_the_right));
    assert_eq!(headers(&forward), headers(&from_the_right));
}

fn assert_appended(document: Document, style: &Style) {
    // Ids, names in force and positions do not outlive an input, but for a text they would.
    let mut style = style.clone();
    style.start = Start::Run;
    style.quirks &= !(1 << super::dice::Quirk::NoLastNewline as u32);
    let mut reading = Reading::default().kind(document.kind);
    reading.profile.invocations = true;
    let kind = document.kind;
    let texts = texts(&with_same_columns(document), &style);
    let several = reading.read(texts.iter().map(Vec::as_slice));
    let (several, _) = several.expect("sound profiles are read");
    let one = reading.sound(&texts.concat());
    match kind {
        // The header of one input with a single run, such as several parts of a process, is kept.
        Kind::Trace if several.runs() == texts.len() as u64 => {
            // Of the lines that inputs give the least counts, of those of runs the first; only v7
            // holds any.
            let versions = [Version::V4, Version::V5, Version::V6];
            let written = |profile: &Profile| versions.map(|version| write(profile, version));
            assert_eq!(written(&several), written(&one));
        }
        // A function that nobody calls was invoked once in each input, and of the lines that
        // inputs give the least counts.
        _ => assert_eq!(costs(&several), costs(&one)),
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
    let mut reading = Reading {
        profile: all_events(),
        ..Reading::default()
    };
    // What was merged is no trace any more, and its proxies are stepped over already.
    reading.profile.proxies = proxies.iter().map(|&name| name.into()).collect();
    let merged = |texts: &[Vec<u8>]| sums_of(&reading, texts);
    let mut texts = texts(&with_same_columns(document), style);
    let expected = merged(&texts);
    let invocations = |texts: &[Vec<u8>]| {
        let inputs = texts.iter().map(Vec::as_slice);
        let (profile, _) = reading.read(inputs).expect("sound profiles are read");
        let rows = figures(&profile).functions.into_iter();
        let rows = rows.map(|row| ((row.object, row.file, row.name), row.invocations));
        rows.collect::<BTreeMap<_, _>>()
    };
    assert_eq!(invocations(from_ref(&expected)), invocations(&texts));
    assert_eq!(merged(from_ref(&expected)), expected);
    let turned = turned % texts.len();
    texts.rotate_left(turned);
    assert_eq!(merged(&texts), expected);
    let (one, other) = texts.split_at(cut % texts.len());
    let groups = [one, other].into_iter().filter(|group| !group.is_empty());
    let groups: Vec<_> = groups.map(merged).collect();
    assert_eq!(merged(&groups), expected);
    let each: Vec<_> = texts.iter().map(|text| merged(from_ref(text))).collect();
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
fn assert_any_order_of_events(document: &Document, style: &Style, turned: usize) {
    let parts = document.parts.iter().filter(|part| part.holds_something());
    let columns = BTreeSet::from_iter(parts.flat_map(|part| part.columns.iter().copied()));
    let names = columns.iter().map(|&column| EVENTS[column].into());
    let [chosen, all] = [EventChoice::Named(names.collect()), EventChoice::All].map(|events| {
        let mut reading = Reading {
            profile: all_events(),
            ..Reading::default()
        };
        reading.profile.events = events;
        move |texts: &[Vec<u8>]| sums_of(&reading, texts)
    });
    let mut texts = texts(document, style);
    let expected = chosen(&texts);
    let turned = turned % texts.len();
    texts.rotate_left(turned);
    assert_eq!(chosen(&texts), expected);
    assert_eq!(chosen(&[all(&texts)]), expected);
    let each: Vec<_> = texts.iter().map(|text| all(from_ref(text))).collect();
    assert_eq!(chosen(&each), expected);
}

/// What is known of stacks: the tree, the lines, and what each function costs by them.
fn stacks(profile: &Profile) -> (String, Vec<String>) {
    let (stacks, view) = (Stacks::new(profile), View::of(profile));
    let options = ReportOptions::default();
    let tree = text_of(|output| tree::write(&view, &stacks, None, &options, output));
    let lines = tree + &text_of(|output| collapsed::write(&stacks, output));
    let rows = view.functions().map(|(row, function)| {
        let names = [function.object, function.file, function.name];
        let names = names.map(|name| String::from_utf8_lossy(view.name(name)).into_owned());
        let costs = view.inclusive_costs(row);
        format!("{names:?} {costs:?} {}", view.is_inclusive_estimated(row))
    });
    let mut rows: Vec<String> = rows.collect();
    rows.sort();
    (lines, rows)
}

/// Each thread has a call graph of its own, whoever merges which inputs first.
fn assert_any_order_of_threads(document: Document, style: &Style, threads: u64, turned: usize) {
    let mut reading = Reading {
        profile: all_events(),
        ..Reading::default()
    };
    reading.profile.contexts = true;
    let texts = texts(&with_same_columns(document), style).into_iter();
    let texts = texts.zip((0..threads).cycle());
    let mut texts: Vec<_> = texts
        .map(|(text, thread)| [format!("thread: {thread}\n").into_bytes(), text].concat())
        .collect();
    let read = |texts: &[Vec<u8>]| {
        let inputs = texts.iter().map(Vec::as_slice);
        reading.read(inputs).expect("sound profiles are read").0
    };
    let expected = read(&texts);
    let total: Vec<Cost> = expected.totals();
    let nodes = Stacks::new(&expected);
    let sums = nodes
        .nodes()
        .map(|node| i128::from(nodes.self_costs(node)[0]));
    assert_eq!(sums.sum::<i128>(), i128::from(total[0]));
    let expected = stacks(&expected);
    let turned = turned % texts.len();
    texts.rotate_left(turned);
    assert_eq!(stacks(&read(&texts)), expected);
    let (one, other) = texts.split_at(turned);
    let groups = [other, one].into_iter().filter(|group| !group.is_empty());
    assert_eq!(stacks(&merged(groups.map(read))), expected);
}

proptest! {
    #![proptest_config(super::config(96))]

    #[test]
    fn different_events_merge_in_any_order(
        document in document(Size::Signed),
        style in style(),
        turned: usize,
    ) {
        assert_any_order_of_events(&document, &style, turned);
    }

    #[test]
    fn profiles_merge_in_any_grouping(
        document in prop_oneof![document(Size::Signed), document(Size::Cancelling)],
        style in style(),
        turned: usize,
        cut: usize,
        steps_over: bool,
    ) {
        let proxies = if steps_over { &PROXIES[..] } else { &[] };
        assert_any_grouping(document, &style, (turned, cut), proxies);
    }

    #[test]
    fn profiles_merge_in_any_order(
        document in document(Size::Small),
        style in style(),
        linked: bool,
    ) {
        assert_any_order(document, &style, linked);
    }

    #[test]
    fn stacks_of_threads_merge_in_any_order(
        document in document(Size::Small),
        style in style(),
        threads in 1..4u64,
        turned: usize,
    ) {
        prop_assume!(document.kind == Kind::Aggregate);
        assert_any_order_of_threads(document, &style, threads, turned);
    }

    #[test]
    fn profiles_merge_as_if_appended(document in document(Size::Small), style in style()) {
        assert_appended(document, &style);
    }
}
