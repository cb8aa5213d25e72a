//! Compares what comes out of the library with tables.

use cg_preprocess::profile::Profile;
use cg_preprocess::webgrind::Version;
use serde_json::Value;

use super::document::{CallRow, Document, Tables, Wanted};
use super::spelling::Spelled;
use super::tree::narrow;
use crate::library::{self, Reading, write};
use crate::preprocessed::{Decoded, decode};

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

/// Compares v5, v6, v7 and JSON with the tables.
pub fn assert_tables(profile: &Profile, tables: &Tables) {
    assert_json(profile, tables);
    for version in [Version::V5, Version::V6, Version::V7] {
        let decoded = decode(&write(profile, version));
        assert_eq!(decoded.version, version.number());
        assert_sums(&decoded, tables);
    }
}

fn assert_sums(decoded: &Decoded, tables: &Tables) {
    assert_eq!(decoded.functions.len(), tables.rows.len());
    for (function, row) in decoded.functions.iter().zip(&tables.rows) {
        assert_eq!(function.file, row.key.file);
        assert_eq!(function.name, row.key.name);
        assert_eq!(function.self_cost, narrow(row.self_cost), "{row:?}");
        assert_eq!(function.inclusive, narrow(row.inclusive), "{row:?}");
        assert_eq!(
            u64::from(function.invocation_count),
            row.invocations,
            "{row:?}"
        );
        assert_eq!(function.called_from, records(&row.called_from));
        if decoded.version > 5 {
            assert_eq!(function.sub_calls, records(&row.sub_calls));
        }
        if decoded.version > 6 {
            assert_eq!(u64::from(function.line), row.line, "{row:?}");
        }
    }
}

fn records(calls: &[CallRow]) -> Vec<[u32; 4]> {
    let records = calls.iter().map(|call| {
        let numbers = [call.function as i64, call.line as i64, call.calls as i64];
        let [function, line, calls] = numbers.map(narrow);
        [function, line, calls, narrow(call.cost)]
    });
    records.collect()
}

fn assert_json(profile: &Profile, tables: &Tables) {
    let document: Value = serde_json::from_str(&library::json(profile)).expect("JSON");
    assert_eq!(document["total"][0], tables.total());
    let functions = document["functions"].as_array().expect("a list");
    assert_eq!(functions.len(), tables.rows.len());
    for (function, row) in functions.iter().zip(&tables.rows) {
        let text = spelled;
        assert_eq!(function["object"], text(&row.key.object));
        assert_eq!(function["file"], text(&row.key.file));
        assert_eq!(function["name"], text(&row.key.name));
        assert_eq!(function["line"], row.line);
        assert_eq!(function["self"][0], row.self_cost);
        assert_eq!(function["inclusive"][0], row.inclusive);
        assert_eq!(function["invocations"], row.invocations);
        assert_eq!(json_calls(&function["called_from"]), row.called_from);
        assert_eq!(json_calls(&function["sub_calls"]), row.sub_calls);
    }
}

/// Bytes that are no UTF-8 as JSON spells them.
fn spelled(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        text += chunk.valid();
        text.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
    }
    text
}

fn json_calls(calls: &Value) -> Vec<CallRow> {
    let calls = calls.as_array().expect("a list").iter();
    let number = |call: &Value, key| call[key].as_u64().expect("a number");
    let rows = calls.map(|call| CallRow {
        function: number(call, "function") as usize,
        line: number(call, "line"),
        calls: number(call, "calls"),
        cost: call["cost"][0].as_i64().expect("a number"),
    });
    rows.collect()
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
    assert_eq!(others, spelled.headers);
    assert_eq!(total, document.tables(wanted).total());
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
