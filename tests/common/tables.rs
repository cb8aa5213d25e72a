//! What a profile holds, as rows to compare: of the library, of JSON and of preprocessed files.

use std::collections::{BTreeMap, BTreeSet};

use cg_preprocess::profile::{EdgeRef, FunctionId, InclusiveCost, Profile};
use cg_preprocess::view::View;
use cg_preprocess::webgrind::Version;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// All that is said of a profile, names spelled as in JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Tables {
    /// `key: value`.
    #[serde(deserialize_with = "headers")]
    pub headers: Vec<String>,
    pub functions: Vec<Row>,
}

/// A function.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Row {
    pub object: String,
    pub file: String,
    pub name: String,
    pub line: u64,
    /// One for each event, here and below.
    #[serde(rename = "self", deserialize_with = "costs")]
    pub self_costs: Vec<i64>,
    #[serde(deserialize_with = "costs")]
    pub inclusive: Vec<i64>,
    #[serde(default)]
    pub invocations: u64,
    pub called_from: Vec<Call>,
    pub sub_calls: Vec<Call>,
}

/// Calls from a line: the other function, and what there is to say.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub struct Call {
    pub function: usize,
    pub line: u64,
    pub calls: u64,
    #[serde(rename = "cost", deserialize_with = "costs")]
    pub costs: Vec<i64>,
    /// The file of the call, if it is another one than the caller's.
    #[serde(default)]
    pub file: Option<String>,
}

impl Call {
    fn add(&mut self, other: &Call) {
        self.calls += other.calls;
        add(&mut self.costs, &other.costs);
    }
}

/// As a list without the file.
impl Serialize for Call {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (self.function, self.line, self.calls, &self.costs).serialize(serializer)
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMany<T> {
    One(T),
    Many(Vec<T>),
}

fn costs<'a, D: Deserializer<'a>>(costs: D) -> Result<Vec<i64>, D::Error> {
    Ok(match OneOrMany::deserialize(costs)? {
        OneOrMany::One(cost) => vec![cost],
        OneOrMany::Many(costs) => costs,
    })
}

fn headers<'a, D: Deserializer<'a>>(headers: D) -> Result<Vec<String>, D::Error> {
    let headers = Vec::<OneOrMany<String>>::deserialize(headers)?.into_iter();
    let lines = headers.map(|header| match header {
        OneOrMany::One(line) => line,
        OneOrMany::Many(pair) => pair.join(": "),
    });
    Ok(lines.collect())
}

/// Bytes that are no UTF-8 as JSON spells them.
pub fn spelled(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        text += chunk.valid();
        text.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
    }
    text
}

/// A number as a preprocessed file holds it.
pub fn narrow(number: i64) -> u32 {
    u32::try_from(number.max(0)).unwrap_or(u32::MAX)
}

impl Tables {
    /// The tables of a profile, with inclusive costs that count recursion once.
    pub fn counted_once(profile: &Profile) -> Self {
        let mut tables = Tables::of(profile);
        let view = View::as_recorded(profile, InclusiveCost::Once);
        for (row, (id, _)) in tables.functions.iter_mut().zip(view.functions()) {
            row.inclusive = view.inclusive_costs(id).to_vec();
        }
        tables
    }

    pub fn of(profile: &Profile) -> Self {
        let name = |id| spelled(profile.name(id));
        let call = |other: FunctionId, edge: EdgeRef<'_>| Call {
            function: other.index(),
            file: edge.file().map(name),
            line: edge.line,
            calls: edge.calls,
            costs: edge.costs().to_vec(),
        };
        let functions = profile.functions().map(|(id, function)| Row {
            object: name(function.object),
            file: name(function.file),
            name: name(function.name),
            line: function.line,
            self_costs: profile.self_costs(id).to_vec(),
            inclusive: profile.inclusive_costs(id).to_vec(),
            invocations: function.invocations,
            called_from: (profile.called_from(id))
                .map(|edge| call(edge.caller, edge))
                .collect(),
            sub_calls: (profile.sub_calls(id))
                .map(|edge| call(edge.callee, edge))
                .collect(),
        });
        Tables {
            headers: profile
                .headers()
                .map(|header| spelled(header.text()))
                .collect(),
            functions: functions.collect(),
        }
    }

    /// The tables of a document that the report for programs wrote; with the invocations that it
    /// leaves out where a profile has no calls.
    pub fn from_json(document: &str, profile: &Profile) -> Self {
        let mut tables: Tables = serde_json::from_str(document).expect("a profile as JSON");
        if !profile.has_invocations() {
            for (row, (_, function)) in tables.functions.iter_mut().zip(profile.functions()) {
                row.invocations += function.invocations;
            }
        }
        tables
    }

    /// Sees that functions cost what the stacks with them do, each once, but for what is rounded.
    #[track_caller]
    pub fn assert_outermost(&self, stacks: &BTreeMap<String, i64>, rounded: impl Fn(i64) -> i64) {
        let frames = stacks.iter().flat_map(|(stack, &cost)| {
            let frames: BTreeSet<&str> = stack.split(';').collect();
            frames
                .into_iter()
                .map(move |frame| (frame.to_owned(), cost))
        });
        let rows = self.functions.iter();
        let found = sums(rows.map(|row| (row.name.clone(), row.inclusive[0])));
        let mut expected = sums(frames);
        for (name, &cost) in &found {
            let expected = expected.entry(name.clone()).or_default();
            if expected.abs_diff(cost) <= rounded(cost).unsigned_abs() {
                *expected = cost;
            }
        }
        expected.retain(|name, cost| *cost != 0 || found.contains_key(name));
        assert_eq!(found, expected);
    }

    /// The same with all costs changed.
    pub fn map_costs(mut self, change: impl Fn(i64) -> i64) -> Self {
        for row in &mut self.functions {
            let calls = row.called_from.iter_mut().chain(&mut row.sub_calls);
            let costs = calls.flat_map(|call| &mut call.costs);
            let own = row.self_costs.iter_mut().chain(&mut row.inclusive);
            own.chain(costs).for_each(|cost| *cost = change(*cost));
        }
        self
    }

    /// The same with the costs of the first event alone.
    pub fn first_event(mut self) -> Self {
        for row in &mut self.functions {
            let calls = row.called_from.iter_mut().chain(&mut row.sub_calls);
            let own = [&mut row.self_costs, &mut row.inclusive];
            let costs = calls.map(|call| &mut call.costs).chain(own);
            costs.for_each(|costs| costs.truncate(1));
        }
        // The lines of a single run are as they were; those of several speak of these costs.
        let creator = concat!("creator: ", env!("CARGO_PKG_NAME"));
        if self.headers.iter().any(|line| line.starts_with(creator)) {
            for line in &mut self.headers {
                if line.starts_with("events:") || line.starts_with("summary:") {
                    let words: Vec<_> = line.split(' ').take(2).collect();
                    *line = words.join(" ");
                }
            }
        }
        self
    }

    /// What is left of one event in a file of some version but for v4, which decodes to this: no
    /// objects, and no files of calls.
    pub fn held_by(self, version: Version) -> Self {
        let mut held = self.map_costs(|cost| narrow(cost).into());
        for row in &mut held.functions {
            row.object.clear();
            for calls in [&mut row.called_from, &mut row.sub_calls] {
                let mut joined: Vec<Call> = Vec::new();
                for mut call in calls.drain(..) {
                    call.file = None;
                    let place = |call: &Call| (call.function, call.line);
                    match joined.iter_mut().find(|other| place(other) == place(&call)) {
                        Some(other) => other.add(&call),
                        None => joined.push(call),
                    }
                }
                *calls = joined;
            }
            if version < Version::V7 {
                row.line = 0;
            }
            if version < Version::V6 {
                row.sub_calls.clear();
            }
        }
        held
    }

    /// Functions with their calls, a line for each:
    ///
    /// ```text
    /// main | a.c:3 | lib.so | self 10 | inclusive 30 | invocations 1
    ///   line 4: leaf, calls 2, cost 20
    /// ```
    pub fn listing(&self) -> Vec<String> {
        let list = |costs: &[i64]| {
            let costs: Vec<_> = costs.iter().map(ToString::to_string).collect();
            costs.join(" ")
        };
        let mut lines = Vec::new();
        for row in &self.functions {
            lines.push(format!(
                "{} | {}:{} | {} | self {} | inclusive {} | invocations {}",
                row.name,
                row.file,
                row.line,
                row.object,
                list(&row.self_costs),
                list(&row.inclusive),
                row.invocations,
            ));
            lines.extend(row.sub_calls.iter().map(|call| {
                let callee = &self.functions[call.function].name;
                let file = call
                    .file
                    .as_ref()
                    .map_or(String::new(), |file| format!("{file}:"));
                let (line, calls, cost) = (call.line, call.calls, list(&call.costs));
                format!("  line {file}{line}: {callee}, calls {calls}, cost {cost}")
            }));
        }
        lines
    }

    /// The sums of functions that look alike, in the order of their names and without headers: what
    /// does not depend on the order of inputs.
    pub fn sums(self) -> Self {
        let key = |row: &Row| [&row.object, &row.file, &row.name].map(String::clone);
        let keys: BTreeSet<_> = self.functions.iter().map(key).collect();
        let keys: BTreeMap<_, _> = keys.into_iter().zip(0..).collect();
        let numbers: Vec<usize> = self.functions.iter().map(|row| keys[&key(row)]).collect();
        let mut sums = vec![Row::default(); keys.len()];
        for (row, &number) in self.functions.into_iter().zip(&numbers) {
            let sum = &mut sums[number];
            let lines = [sum.line, row.line].into_iter();
            sum.line = lines.filter(|&line| line > 0).min().unwrap_or(0);
            sum.invocations += row.invocations;
            add(&mut sum.self_costs, &row.self_costs);
            add(&mut sum.inclusive, &row.inclusive);
            for (sums, calls) in [
                (&mut sum.called_from, row.called_from),
                (&mut sum.sub_calls, row.sub_calls),
            ] {
                for mut call in calls {
                    call.function = numbers[call.function];
                    let place = |call: &Call| (call.function, call.file.clone(), call.line);
                    match sums.binary_search_by_key(&place(&call), place) {
                        Err(at) => sums.insert(at, call),
                        Ok(at) => sums[at].add(&call),
                    }
                }
            }
            (sum.object, sum.file, sum.name) = (row.object, row.file, row.name);
        }
        Tables {
            headers: Vec::new(),
            functions: sums,
        }
    }
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

/// What stacks cost, by lines `stack cost`, which stand in the order of their bytes.
pub fn stack_costs(lines: &str) -> BTreeMap<String, i64> {
    let lines = lines.lines().map(|line| line.rsplit_once(' '));
    let lines: Vec<_> = lines.map(|line| line.expect("a cost")).collect();
    assert!(lines.is_sorted_by(|(one, _), (other, _)| one < other));
    let costs = lines.into_iter();
    let costs = costs.map(|(stack, cost)| (stack.to_owned(), cost.parse().expect("a number")));
    costs.collect()
}

fn add(sums: &mut Vec<i64>, costs: &[i64]) {
    sums.resize(costs.len(), 0);
    sums.iter_mut()
        .zip(costs)
        .for_each(|(sum, cost)| *sum += cost);
}

/// Sees that two profiles are the same, and shows the first rows in which they differ.
#[track_caller]
pub fn assert_same(found: &Tables, expected: &Tables, what: impl std::fmt::Display) {
    assert_eq!(found.headers, expected.headers, "{what}");
    for (found, expected) in found.functions.iter().zip(&expected.functions) {
        assert_eq!(found, expected, "{what}");
    }
    assert_eq!(found.functions.len(), expected.functions.len(), "{what}");
}
