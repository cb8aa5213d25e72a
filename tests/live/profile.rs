//! What `cg-preprocess` makes of profiles: its JSON, and every other format by way of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::all_events;
use crate::producer::Bench;

/// A profile as the program tells it.
#[derive(Debug)]
pub struct Profile {
    pub event: String,
    pub total: i64,
    pub headers: Vec<(String, String)>,
    pub functions: Vec<Function>,
    /// What the program had to say about it.
    pub messages: String,
}

#[derive(Debug)]
pub struct Function {
    pub file: String,
    pub name: String,
    pub line: u64,
    pub self_cost: i64,
    pub inclusive: i64,
    pub invocations: i64,
    pub sub_calls: Vec<Call>,
}

/// Calls from a line of one function to another one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Call {
    /// Index of the callee.
    pub function: usize,
    pub line: u64,
    pub calls: i64,
    pub cost: i64,
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
        let bench = Bench::new();
        all_events::assert_held_by_callgrind_format(inputs);
        let profile = Profile::read(&bench, inputs, options);
        for format in ["v5", "v6", "v7"] {
            let file = bench.path(format);
            let options = [options, &["-q", "-f", format]].concat();
            convert(inputs, &file, &options);
            let again = Profile::read(&bench, &[file], &[]);
            profile.assert_same(&again, format);
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
        Profile::read(&Bench::new(), inputs, options)
    }

    fn read(bench: &Bench, inputs: &[PathBuf], options: &[&str]) -> Self {
        let file = bench.path("json");
        let messages = convert(inputs, &file, &[options, &["-f", "json"]].concat());
        let text = std::fs::read_to_string(&file).expect("JSON");
        let document: Value = serde_json::from_str(&text).expect("JSON");
        Profile {
            event: text_of(&document["event"]),
            total: number(&document["total"][0]),
            headers: list(&document["headers"], |header| {
                (text_of(&header[0]), text_of(&header[1]))
            }),
            functions: list(&document["functions"], Function::from_json),
            messages,
        }
    }

    /// Sees that a format holds the same functions, figures and headers.
    fn assert_same(&self, other: &Profile, format: &str) {
        assert_eq!(self.total, other.total, "total in {format}");
        assert_eq!(self.headers, other.headers, "headers in {format}");
        let counts = [self, other].map(|profile| profile.functions.len());
        assert_eq!(counts[0], counts[1], "functions in {format}");
        for (ours, theirs) in self.functions.iter().zip(&other.functions) {
            ours.assert_same(theirs, format);
        }
    }

    /// First number of all `summary:` lines, added up.
    pub fn summary(&self) -> i64 {
        let lines = self.headers.iter().filter(|(key, _)| key == "summary");
        lines
            .map(|(_, value)| first_number(value).expect("a number in summary:"))
            .sum()
    }

    /// Sum of some figure of all functions of a name, without zeros.
    pub fn by_name(&self, figure: impl Fn(&Function) -> i64) -> BTreeMap<String, i64> {
        let functions = self.functions.iter();
        sums(functions.map(|function| (function.name.clone(), figure(function))))
    }

    /// Sum of some figure of all functions of a file and name, without zeros.
    pub fn by_place(&self, figure: impl Fn(&Function) -> i64) -> BTreeMap<(String, String), i64> {
        let functions = self.functions.iter();
        sums(functions.map(|function| (function.place(), figure(function))))
    }

    /// What all calls of the functions of a file and name cost, without zeros.
    pub fn call_costs(&self) -> BTreeMap<(String, String), i64> {
        let functions = self.functions.iter();
        let calls = functions.flat_map(|function| &function.sub_calls);
        sums(calls.map(|call| (self.functions[call.function].place(), call.cost)))
    }

    /// Inclusive cost of the functions of a name.
    pub fn inclusive(&self, name: &str) -> i64 {
        let inclusive = self.by_name(|function| function.inclusive);
        inclusive.get(name).copied().unwrap_or(0)
    }
}

impl Function {
    fn from_json(value: &Value) -> Self {
        Function {
            file: text_of(&value["file"]),
            name: text_of(&value["name"]),
            line: value["line"].as_u64().expect("a line"),
            self_cost: number(&value["self"][0]),
            inclusive: number(&value["inclusive"][0]),
            invocations: number(&value["invocations"]),
            sub_calls: joined(list(&value["sub_calls"], Call::from_json)),
        }
    }

    /// File and name.
    pub fn place(&self) -> (String, String) {
        (self.file.clone(), self.name.clone())
    }

    /// v5 has no sub-calls, so that their order is lost, and only v7 has lines.
    fn assert_same(&self, other: &Function, format: &str) {
        assert_eq!(self.figures(), other.figures(), "in {format}");
        let calls = [self, other].map(|function| {
            let mut calls = function.sub_calls.clone();
            if format == "v5" {
                calls.sort();
            }
            calls
        });
        assert_eq!(calls[0], calls[1], "calls of {} in {format}", self.name);
        if format == "v7" {
            assert_eq!(self.line, other.line, "line of {} in {format}", self.name);
        }
    }

    fn figures(&self) -> (&str, &str, [i64; 3]) {
        let figures = [self.self_cost, self.inclusive, self.invocations];
        (&self.file, &self.name, figures)
    }
}

impl Call {
    fn from_json(value: &Value) -> Self {
        let function = value["function"].as_u64().expect("a function's number");
        Call {
            function: usize::try_from(function).expect("an index"),
            line: value["line"].as_u64().expect("a line"),
            calls: number(&value["calls"]),
            cost: number(&value["cost"][0]),
        }
    }
}

/// Calls as webgrind's formats have them, which hold no files of calls in inlined code.
fn joined(calls: Vec<Call>) -> Vec<Call> {
    let mut joined: Vec<Call> = Vec::new();
    for call in calls {
        let is_same =
            |other: &&mut Call| (other.function, other.line) == (call.function, call.line);
        match joined.iter_mut().find(is_same) {
            Some(other) => {
                other.calls += call.calls;
                other.cost += call.cost;
            }
            None => joined.push(call),
        }
    }
    joined
}

/// The stacks of traces with their costs.
pub fn stacks(inputs: &[PathBuf]) -> BTreeMap<String, i64> {
    let bench = Bench::new();
    let file = bench.path("collapsed");
    assert_eq!(convert(inputs, &file, &["-f", "collapsed"]), "");
    let text = std::fs::read_to_string(&file).expect("stacks");
    let lines = text
        .lines()
        .map(|line| line.rsplit_once(' ').expect("a cost"));
    let stacks = lines.map(|(stack, cost)| (stack.to_owned(), cost.parse().expect("a number")));
    stacks.collect()
}

/// Sees that functions cost what the stacks with them do, each once.
pub fn assert_outermost(inputs: &[PathBuf], stacks: &BTreeMap<String, i64>) {
    let profile = Profile::json(inputs, &["--inclusive", "outermost"]);
    let frames = stacks.iter().flat_map(|(stack, &cost)| {
        let frames: BTreeSet<&str> = stack.split(';').collect();
        frames
            .into_iter()
            .map(move |frame| (frame.to_owned(), cost))
    });
    assert_figures(
        &profile.by_name(|function| function.inclusive),
        &sums(frames),
    );
    assert_eq!(stacks.values().sum::<i64>(), profile.total);
}

/// Adds up the figures of each key and drops those that are 0.
pub fn sums<K: Ord>(figures: impl Iterator<Item = (K, i64)>) -> BTreeMap<K, i64> {
    let mut sums = BTreeMap::new();
    for (key, figure) in figures {
        *sums.entry(key).or_default() += figure;
    }
    sums.retain(|_, sum| *sum != 0);
    sums
}

/// Sees that figures are the same, and shows those that are not.
pub fn assert_figures<K, V>(found: &BTreeMap<K, V>, expected: &BTreeMap<K, V>)
where
    K: Ord + Debug,
    V: PartialEq + Debug,
{
    let keys: BTreeSet<&K> = found.keys().chain(expected.keys()).collect();
    let pairs = keys
        .iter()
        .map(|key| (key, found.get(key), expected.get(key)));
    let wrong: Vec<_> = pairs
        .filter(|(_, found, expected)| found != expected)
        .collect();
    assert!(wrong.is_empty(), "(of what, found, expected): {wrong:#?}");
}

/// The number with which a header's value begins.
pub fn first_number(value: &str) -> Option<i64> {
    value.split_whitespace().next()?.parse().ok()
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
