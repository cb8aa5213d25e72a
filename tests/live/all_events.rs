//! What profiles hold for all their events, and what is left of it in the callgrind format.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::slice::from_ref;

use serde_json::Value;

use crate::annotate;
use crate::producer::Bench;
use crate::profile::{assert_figures, convert, list, number, sums, text_of};

/// Object, file and name.
pub type Key = [String; 3];

/// The figures of a profile for all its events.
#[derive(Debug)]
pub struct AllEvents {
    /// Names, units and long names.
    pub events: Value,
    pub total: Vec<i64>,
    pub functions: BTreeMap<Key, Figures>,
}

/// What there is to say of a function.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Figures {
    pub line: u64,
    pub self_costs: Vec<i64>,
    pub inclusive: Vec<i64>,
    /// How often it is called by those functions that the profile has.
    pub calls: i64,
    /// By callee, file if it is another one than the function's, and line: calls and costs.
    pub sub_calls: BTreeMap<(Key, String, u64), (i64, Vec<i64>)>,
}

impl AllEvents {
    pub fn of(inputs: &[PathBuf]) -> Self {
        let bench = Bench::new();
        let file = bench.path("json");
        convert(inputs, &file, &["-q", "-f", "json"]);
        let text = std::fs::read_to_string(&file).expect("JSON");
        let document: Value = serde_json::from_str(&text).expect("JSON");
        let keys = list(&document["functions"], key);
        let figures = list(&document["functions"], |function| {
            Figures::from_json(function, &keys)
        });
        let functions = BTreeMap::from_iter(keys.iter().cloned().zip(figures));
        assert_eq!(functions.len(), keys.len(), "functions that look alike");
        AllEvents {
            events: document["events"].clone(),
            total: list(&document["total"], number),
            functions,
        }
    }
}

impl Figures {
    fn from_json(function: &Value, keys: &[Key]) -> Self {
        let calls = list(&function["sub_calls"], |call| {
            let callee = usize::try_from(number(&call["function"])).expect("an index");
            let file = call["file"].as_str().unwrap_or("").to_owned();
            let line = call["line"].as_u64().expect("a line");
            let place = (keys[callee].clone(), file, line);
            (place, (number(&call["calls"]), list(&call["cost"], number)))
        });
        let count = calls.len();
        let sub_calls = BTreeMap::from_iter(calls);
        assert_eq!(sub_calls.len(), count, "calls that look alike");
        Figures {
            line: function["line"].as_u64().expect("a line"),
            self_costs: list(&function["self"], number),
            inclusive: list(&function["inclusive"], number),
            calls: list(&function["called_from"], |call| number(&call["calls"]))
                .iter()
                .sum(),
            sub_calls,
        }
    }
}

fn key(function: &Value) -> Key {
    ["object", "file", "name"].map(|part| text_of(&function[part]))
}

/// Sees that the callgrind format holds the functions, lines, costs and calls of all events, that
/// the same bytes are written when it is read, and that `callgrind_annotate` finds the self costs.
pub fn assert_held_by_callgrind_format(inputs: &[PathBuf]) {
    let bench = Bench::new();
    let [written, again] = ["written", "again"].map(|name| bench.path(name));
    convert(inputs, &written, &["-q", "-f", "callgrind"]);
    let said = convert(from_ref(&written), &again, &["-f", "callgrind"]);
    let bytes = [&written, &again].map(|file| std::fs::read(file).expect("a profile"));
    if memchr::memmem::find(&bytes[0], b"\ndesc: Incomplete:").is_some() {
        assert!(said.ends_with(": the profile was made from incomplete data, as it says itself\n"));
        assert_eq!(said.lines().count(), 1, "{said}");
    } else {
        assert_eq!(said, "");
    }
    assert!(
        bytes[0] == bytes[1],
        "other bytes when it is written again:\n{}",
        String::from_utf8_lossy(&bytes[0])
    );
    let [before, after] = [inputs, from_ref(&written)].map(AllEvents::of);
    assert_eq!(before.events, after.events);
    assert_eq!(before.total, after.total);
    assert_figures(&after.functions, &before.functions);

    let events = list(&before.events, |event| text_of(&event["name"]));
    for (column, event) in events.iter().enumerate() {
        let rows = annotate::self_costs(&written, event);
        let functions = before.functions.iter();
        let expected = functions.map(|([_, file, name], figures)| {
            (format!("{file}:{name}"), figures.self_costs[column])
        });
        assert_figures(&rows, &sums(expected));
    }
}
