//! What `cg-preprocess` makes of profiles: its JSON, and every other format by way of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::fs;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::slice::from_ref;

use cg_preprocess::webgrind::Version;
use serde::Deserialize;
use serde_json::Value;

use crate::annotate;
use crate::common::tables::stack_costs;
pub use crate::common::tables::{Call, Row, Tables, assert_same, sums};
use crate::producer::Bench;

/// A profile as the program tells it.
#[derive(Debug, Deserialize)]
pub struct Profile {
    pub event: String,
    /// Names, units and long names.
    events: Value,
    total: Vec<i64>,
    #[serde(flatten)]
    tables: Tables,
    /// What the program had to say about it.
    #[serde(skip)]
    pub messages: String,
}

impl Deref for Profile {
    type Target = Tables;

    fn deref(&self) -> &Tables {
        &self.tables
    }
}

/// Runs the program, which must succeed, and returns its messages.
pub fn convert(inputs: &[PathBuf], output: &Path, options: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cg-preprocess"));
    command.args(options).arg("-o").arg(output).args(inputs);
    let result = command.output().expect("the program runs");
    let messages = String::from_utf8_lossy(&result.stderr).into_owned();
    assert!(result.status.success(), "{command:?}\n{messages}");
    messages
}

impl Profile {
    /// Converts profiles, and sees that webgrind's formats hold the same, and the callgrind format
    /// as much as it can.
    pub fn of(inputs: &[PathBuf], options: &[&str]) -> Self {
        assert_held_by_callgrind_format(inputs);
        let bench = Bench::new();
        let profile = Profile::json(inputs, options);
        for (format, version) in [
            ("v5", Version::V5),
            ("v6", Version::V6),
            ("v7", Version::V7),
        ] {
            let file = bench.path(format);
            convert(inputs, &file, &[options, &["-q", "-f", format]].concat());
            let again = Profile::json(&[file], &[]);
            // Calls are read back from lists by function, in another order.
            let [again, whole] = [&again, &profile].map(|profile| {
                let first = profile.tables.clone().first_event();
                let mut held = first.held_by(version.max(Version::V6));
                for row in &mut held.functions {
                    row.called_from.sort();
                    row.sub_calls.sort();
                }
                held
            });
            assert_same(&again, &whole, format);
        }
        profile
    }

    /// Converts profiles that must not give any cause for warnings.
    pub fn silently(inputs: &[PathBuf], options: &[&str]) -> Self {
        let profile = Profile::of(inputs, options);
        assert_eq!(profile.messages, "");
        profile
    }

    /// Converts profiles to JSON alone.
    pub fn json(inputs: &[PathBuf], options: &[&str]) -> Self {
        let bench = Bench::new();
        let file = bench.path("json");
        // What webgrind's formats hold by default.
        let summed: &[&str] = if options.contains(&"--inclusive") {
            &[]
        } else {
            &["--inclusive", "summed"]
        };
        let messages = convert(inputs, &file, &[options, summed, &["-f", "json"]].concat());
        let profile: Profile = serde_json::from_str(&text_in(&file)).expect("a profile");
        Profile {
            messages,
            ..profile
        }
    }

    /// The total of the first event.
    pub fn total(&self) -> i64 {
        self.total[0]
    }

    /// First number of all `summary:` lines, added up.
    pub fn summary(&self) -> i64 {
        let lines = self.headers.iter();
        let values = lines.filter_map(|line| line.strip_prefix("summary: "));
        values
            .map(|value| first_number(value).expect("a number in summary:"))
            .sum()
    }

    /// Sum of some figure of all functions of a name, without zeros.
    pub fn by_name(&self, figure: impl Fn(&Row) -> i64) -> BTreeMap<String, i64> {
        sums(
            self.functions
                .iter()
                .map(|row| (row.name.clone(), figure(row))),
        )
    }

    /// Sum of some figure of all functions of a file and name, without zeros.
    pub fn by_place(&self, figure: impl Fn(&Row) -> i64) -> BTreeMap<Place, i64> {
        sums(self.functions.iter().map(|row| (place(row), figure(row))))
    }

    /// Inclusive cost of the functions of a name.
    pub fn inclusive(&self, name: &str) -> i64 {
        let inclusive = self.by_name(|row| row.inclusive[0]);
        inclusive.get(name).copied().unwrap_or(0)
    }

    /// All calls, with the functions that make them and those that are called.
    pub fn calls(&self) -> impl Iterator<Item = (&Row, &Row, &Call)> {
        self.functions.iter().flat_map(move |caller| {
            let calls = caller.sub_calls.iter();
            calls.map(move |call| (caller, &self.functions[call.function], call))
        })
    }
}

/// A function's file and name.
pub type Place = (String, String);

pub fn place(row: &Row) -> Place {
    (row.file.clone(), row.name.clone())
}

pub fn signed(count: u64) -> i64 {
    i64::try_from(count).expect("a count")
}

/// Sees that the callgrind format holds the functions, lines, costs and calls of all events, that
/// the same bytes are written when it is read, and that `callgrind_annotate` finds the self costs.
fn assert_held_by_callgrind_format(inputs: &[PathBuf]) {
    let bench = Bench::new();
    let [written, again] = ["written", "again"].map(|name| bench.path(name));
    convert(inputs, &written, &["-q", "-f", "callgrind"]);
    let said = convert(from_ref(&written), &again, &["-f", "callgrind"]);
    let bytes = [&written, &again].map(|file| fs::read(file).expect("a profile"));
    if memchr::memmem::find(&bytes[0], b"\ndesc: Incomplete:").is_some() {
        assert!(
            said.ends_with(
                ": the profile was made from incomplete data, according to its header\n"
            )
        );
        assert_eq!(said.lines().count(), 1, "{said}");
    } else {
        assert_eq!(said, "");
    }
    let text = String::from_utf8_lossy(&bytes[0]);
    assert!(
        bytes[0] == bytes[1],
        "other bytes when it is written again:\n{text}"
    );
    let [before, after] = [inputs, from_ref(&written)].map(|inputs| Profile::json(inputs, &["-q"]));
    assert_eq!(before.events, after.events);
    assert_eq!(before.total, after.total);
    let [held, sums_of] = [&after, &before].map(|profile| {
        let mut sums = profile.tables.clone().sums();
        // How often a function is invoked follows from its calls.
        sums.functions
            .iter_mut()
            .for_each(|row| row.invocations = 0);
        sums
    });
    assert_same(&held, &sums_of, "callgrind");

    // Inlined code stands under its own file.
    let is_inlined = text.contains("\nfi=") || text.contains("\nfe=");
    let events = list(&before.events, |event| text_of(&event["name"]));
    for (column, event) in events.iter().enumerate() {
        let rows = annotate::self_costs(&written, event).into_iter();
        // Both files and names may hold colons.
        let found = sums(rows.map(|row| (format!("{}:{}", row.file, row.name), row.cost)));
        let own = before.by_place(|row| row.self_costs[column]).into_iter();
        let own = sums(own.map(|((file, name), cost)| (format!("{file}:{name}"), cost)));
        if !is_inlined {
            assert_figures(&found, &own);
        }
    }
}

/// The stacks of profiles with their costs, and what is said of them.
pub fn stacks(inputs: &[PathBuf], options: &[&str]) -> (BTreeMap<String, i64>, String) {
    let bench = Bench::new();
    stacks_in(&bench.path("collapsed"), inputs, options)
}

/// The same, written to this file.
pub fn stacks_in(
    file: &Path,
    inputs: &[PathBuf],
    options: &[&str],
) -> (BTreeMap<String, i64>, String) {
    let said = convert(inputs, file, &[options, &["-f", "collapsed"]].concat());
    (stack_costs(&text_in(file)), said)
}

/// Sees that figures are the same, and shows those that are not.
pub fn assert_figures<K, V>(found: &BTreeMap<K, V>, expected: &BTreeMap<K, V>)
where
    K: Ord + Debug,
    V: PartialEq + Debug,
{
    let keys: BTreeSet<&K> = found.keys().chain(expected.keys()).collect();
    let keys = keys.into_iter();
    let pairs = keys.map(|key| (key, found.get(key), expected.get(key)));
    let wrong: Vec<_> = pairs
        .filter(|(_, found, expected)| found != expected)
        .collect();
    assert!(wrong.is_empty(), "(of what, found, expected): {wrong:#?}");
}

/// The number with which a header's value begins.
pub fn first_number(value: &str) -> Option<i64> {
    value.split_whitespace().next()?.parse().ok()
}

/// The text of a file.
pub fn text_in(file: &Path) -> String {
    fs::read_to_string(file).expect("a text")
}

/// The elements of a JSON array.
pub fn list<T>(value: &Value, element: impl Fn(&Value) -> T) -> Vec<T> {
    let values = value.as_array().expect("an array").iter();
    values.map(element).collect()
}

pub fn number(value: &Value) -> i64 {
    value.as_i64().expect("an integer")
}

pub fn text_of(value: &Value) -> String {
    value.as_str().expect("a string").to_owned()
}
