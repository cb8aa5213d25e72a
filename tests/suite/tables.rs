//! Every profile in fixtures/ becomes the tables next to it: as JSON, and in v5, v6 and v7.
//!
//! `X.tables.json` holds the tables of the profile `X`: its functions in number order, call records
//! as `[function, line, calls, cost]`, headers in order. Before `.tables.json` may stand with which
//! options they were made: `.event-NAME`, where negative sums are given as the 0 that the
//! preprocessed formats show, or `.with-proxies`.
//!
//! `BLESS=1 cargo test --test suite tables` rewrites those in fixtures/producers/, and fills any that
//! are empty. All others come from elsewhere (webgrind, KCachegrind) and are never written.

use std::env;
use std::fs;
use std::path::PathBuf;

use cg_preprocess::profile::{EventChoice, Profile, ProfileOptions};
use cg_preprocess::webgrind::{OnOverflow, Version};
use serde_json::{Value, json};

use crate::fixtures;
use crate::library::{self, write_with};
use crate::preprocessed::decode;

/// The proxies that webgrind names by itself.
const PROXIES: [&str; 2] = ["php::call_user_func", "php::call_user_func_array"];

/// Its tables are what the profile itself holds, without the `summary:` that it lacks.
const WITHOUT_SUMMARY: (&str, &str) = ("other/gperf.cg", "summary: 33");

/// A file of tables, and how it comes about.
struct Case {
    tables: PathBuf,
    profile: PathBuf,
    options: ProfileOptions,
    /// Whether negative sums are given as 0.
    is_clamped: bool,
}

impl Case {
    fn of(tables: PathBuf) -> Option<Self> {
        let stem = tables.to_str()?.strip_suffix(".tables.json")?;
        let mut case = Case {
            profile: stem.into(),
            options: ProfileOptions::default(),
            is_clamped: false,
            tables: tables.clone(),
        };
        if !case.profile.exists() {
            let (profile, variant) = stem.rsplit_once('.')?;
            case.profile = profile.into();
            case.set(variant);
        }
        Some(case)
    }

    fn set(&mut self, variant: &str) {
        if let Some(event) = variant.strip_prefix("event-") {
            self.options.events = EventChoice::Named(vec![event.into()]);
            self.is_clamped = true;
        } else if variant == "with-proxies" {
            self.options.proxies = PROXIES.map(Vec::from).to_vec();
        } else {
            panic!("unknown variant {variant:?} of {}", self.profile.display());
        }
    }

    fn expected(&self) -> Value {
        let text = fs::read(&self.tables).unwrap();
        let mut tables: Value = serde_json::from_slice(&text).unwrap();
        let (profile, summary) = WITHOUT_SUMMARY;
        if fixtures::short(&self.profile) == profile {
            let headers = tables["headers"].as_array_mut().unwrap();
            assert!(!headers.contains(&json!(summary)));
            headers.push(json!(summary));
        }
        tables
    }

    fn is_ours(&self) -> bool {
        let is_empty = fs::metadata(&self.tables).unwrap().len() == 0;
        is_empty || fixtures::short(&self.tables).starts_with("producers/")
    }
}

fn cases() -> Vec<Case> {
    let files = fixtures::files_below(&fixtures::folder());
    files.into_iter().filter_map(Case::of).collect()
}

/// The tables as our JSON report has them.
fn tables_of(profile: &Profile) -> Value {
    let document: Value = serde_json::from_str(&library::json(profile)).unwrap();
    let headers = document["headers"].as_array().unwrap().iter();
    let headers: Vec<Value> = headers
        .map(|pair| format!("{}: {}", text(&pair[0]), text(&pair[1])).into())
        .collect();
    let functions = document["functions"].as_array().unwrap().iter();
    let functions: Vec<Value> = functions.enumerate().map(function_table).collect();
    json!({"functions": functions, "headers": headers})
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn function_table((number, function): (usize, &Value)) -> Value {
    assert_eq!(function["number"], number);
    let mut table = function.as_object().unwrap().clone();
    table.remove("number");
    for costs in ["self", "inclusive"] {
        let first = table[costs][0].clone();
        table.insert(costs.to_owned(), first);
    }
    for list in ["called_from", "sub_calls"] {
        let records = table[list].as_array().unwrap().iter();
        let records: Vec<Value> = records
            .map(|call| {
                json!([
                    call["function"],
                    call["line"],
                    call["calls"],
                    call["cost"][0]
                ])
            })
            .collect();
        table.insert(list.to_owned(), records.into());
    }
    table.into()
}

/// Puts 0 for costs below it.
fn clamp(value: &mut Value) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(clamp),
        Value::Object(fields) => fields.values_mut().for_each(clamp),
        Value::Number(number) if number.as_i64().is_some_and(|number| number < 0) => {
            *value = json!(0)
        }
        _ => {}
    }
}

/// What of the tables a version of the preprocessed format holds.
fn held_by(version: Version, tables: &Value) -> Value {
    let mut held = tables.clone();
    clamp(&mut held);
    for function in held["functions"].as_array_mut().unwrap() {
        let fields = function.as_object_mut().unwrap();
        fields.remove("object");
        if version < Version::V7 {
            fields.remove("line");
        }
        if version < Version::V6 {
            fields.remove("sub_calls");
        }
    }
    held
}

/// A preprocessed file as tables.
fn decoded(profile: &Profile, version: Version) -> Value {
    let (file, _) = write_with(profile, version, OnOverflow::Error);
    let file = decode(&file);
    assert_eq!(file.version, version.number());
    let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let functions = file.functions.iter().map(|function| {
        let mut table = json!({
            "self": function.self_cost,
            "inclusive": function.inclusive,
            "invocations": function.invocation_count,
            "called_from": function.called_from,
            "file": lossy(&function.file),
            "name": lossy(&function.name),
        });
        if version >= Version::V6 {
            table["sub_calls"] = json!(function.sub_calls);
        }
        if version >= Version::V7 {
            table["line"] = json!(function.line);
        }
        table
    });
    let functions: Vec<Value> = functions.collect();
    let headers: Vec<_> = file.headers.iter().map(|line| lossy(line)).collect();
    json!({"functions": functions, "headers": headers})
}

/// Where two documents first differ, and how.
fn difference(expected: &Value, found: &Value, place: &str) -> Option<String> {
    match (expected, found) {
        (Value::Array(a), Value::Array(b)) => {
            let pairs = a.iter().zip(b).enumerate();
            let inner = pairs.map(|(at, (a, b))| difference(a, b, &format!("{place}[{at}]")));
            let lengths = (a.len() != b.len())
                .then(|| format!("{place}: {} expected, {} found", a.len(), b.len()));
            inner.flatten().next().or(lengths)
        }
        (Value::Object(a), Value::Object(b)) if a.keys().eq(b.keys()) => {
            let pairs = a.iter().zip(b.values());
            let inner = pairs.map(|((key, a), b)| difference(a, b, &format!("{place}.{key}")));
            inner.flatten().next()
        }
        _ => (expected != found).then(|| format!("{place}: {expected} expected, {found} found")),
    }
}

fn check(case: &Case) -> Vec<String> {
    let profile = library::read(fs::read(&case.profile).unwrap(), case.options.clone());
    let tables = tables_of(&profile);
    let mut shown = tables.clone();
    if case.is_clamped {
        clamp(&mut shown);
    }
    if env::var_os("BLESS").is_some() && case.is_ours() {
        fs::write(&case.tables, blessed(&shown)).unwrap();
    }
    let name = fixtures::short(&case.tables);
    let mut differences = Vec::new();
    differences.extend(difference(&case.expected(), &shown, &name));
    for version in [Version::V5, Version::V6, Version::V7] {
        let place = format!("{name} in {version:?}");
        let held = held_by(version, &tables);
        differences.extend(difference(&held, &decoded(&profile, version), &place));
    }
    differences
}

/// Tables as files hold them: on one line, fields in order.
fn blessed(tables: &Value) -> String {
    const FIELDS: [&str; 9] = [
        "object",
        "file",
        "name",
        "line",
        "self",
        "inclusive",
        "invocations",
        "called_from",
        "sub_calls",
    ];
    let functions = tables["functions"].as_array().unwrap().iter();
    let functions: Vec<String> = functions
        .map(|function| {
            let fields = FIELDS.map(|field| format!("{field:?}:{}", function[field]));
            format!("{{{}}}", fields.join(","))
        })
        .collect();
    let functions = functions.join(",");
    format!(
        "{{\"functions\":[{functions}],\"headers\":{}}}\n",
        tables["headers"]
    )
}

#[test]
fn every_profile_becomes_the_tables_beside_it() {
    let cases = cases();
    let differences: Vec<String> = cases.iter().flat_map(check).collect();
    assert!(differences.is_empty(), "\n{}", differences.join("\n"));
    assert!(cases.len() >= 40, "only {} tables found", cases.len());
}

#[test]
fn every_profile_of_a_producer_has_tables() {
    let checked: Vec<PathBuf> = cases().into_iter().map(|case| case.profile).collect();
    for profile in fixtures::files_below(&fixtures::path("producers")) {
        let is_profile = profile
            .extension()
            .is_some_and(|extension| extension == "cg");
        assert!(
            !is_profile || checked.contains(&profile),
            "no tables next to {}",
            fixtures::short(&profile)
        );
    }
}
