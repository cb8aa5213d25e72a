//! Compares what comes out of the library with tables.

use cg_preprocess::profile::Profile;
use cg_preprocess::webgrind::Version;

use super::document::{Document, Wanted};
use super::spelling::Spelled;
use crate::common::preprocessed::decode;
use crate::common::tables::{Tables, assert_same};
use crate::library::{self, Reading, write};

impl Reading {
    /// Reads the wanted event.
    pub fn of(wanted: &Wanted) -> Self {
        let mut reading = Reading::default();
        if let Wanted::Named(name) = wanted {
            reading.profile = library::event(name);
        }
        reading
    }
}

/// Compares functions and calls of v5, v6, v7, JSON and the library with the tables.
pub fn assert_tables(profile: &Profile, tables: &Tables) {
    let without_headers = |tables: Tables| Tables {
        headers: Vec::new(),
        ..tables
    };
    let json = Tables::from_json(&library::json(profile), profile);
    assert_same(&without_headers(json), tables, "JSON");
    assert_same(&without_headers(Tables::of(profile)), tables, "library");
    for version in [Version::V5, Version::V6, Version::V7] {
        let decoded = decode(&write(profile, version));
        assert_eq!(decoded.version, version.number());
        let held = tables.clone().held_by(version);
        assert_same(&without_headers(decoded.tables()), &held, version.number());
    }
}

/// The sum of all self costs.
pub fn total(tables: &Tables) -> i64 {
    tables.functions.iter().map(|row| row.self_costs[0]).sum()
}

/// Compares the headers with what was spelled, and their summaries with the total.
pub fn assert_headers(profile: &Profile, document: &Document, wanted: &Wanted, spelled: &Spelled) {
    let decoded = decode(&write(profile, Version::V7));
    let mut others = Vec::new();
    let mut total = 0;
    for header in &decoded.headers {
        if let Some(value) = header.strip_prefix(b"summary: ") {
            total += first_number(value);
        } else if let Some(value) = header.strip_prefix(b"events: ") {
            let first = value.split(|&b| b == b' ').next().unwrap_or_default();
            assert_eq!(first, wanted_name(document, wanted).as_bytes());
        } else {
            others.push(String::from_utf8_lossy(header).into_owned());
        }
    }
    match profile.runs() {
        1 => assert_eq!(others, spelled.headers),
        runs => assert!(
            others.contains(&format!("desc: Runs: {runs}")),
            "{others:?}"
        ),
    }
    assert_eq!(total, self::total(&document.tables(wanted)));
    assert_eq!(total, profile.total());
}

fn wanted_name(document: &Document, wanted: &Wanted) -> &'static str {
    match wanted {
        Wanted::Named(name) => name,
        Wanted::First => super::document::EVENTS[document.parts[0].columns[0]],
    }
}

fn first_number(value: &[u8]) -> i64 {
    let text = String::from_utf8_lossy(value);
    let first = text.split(' ').next().unwrap_or_default();
    first.parse().expect("a number")
}
