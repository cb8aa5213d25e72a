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

use cg_preprocess::profile::{EventChoice, ProfileOptions};
use cg_preprocess::webgrind::{OnOverflow, Version};
use serde_json::{Value, json};

use crate::common::fixtures;
use crate::common::preprocessed::decode;
use crate::common::tables::{Tables, assert_same};

use crate::library::{self, write_with};

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

    fn expected(&self) -> Tables {
        let mut tables = Tables::from_json(&fs::read_to_string(&self.tables).unwrap());
        let (profile, summary) = WITHOUT_SUMMARY;
        if fixtures::short(&self.profile) == profile {
            assert!(!tables.headers.iter().any(|header| header == summary));
            tables.headers.push(summary.to_owned());
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

fn check(case: &Case) {
    let profile = library::read(fs::read(&case.profile).unwrap(), case.options.clone());
    let json = library::json(&profile);
    if env::var_os("BLESS").is_some() && case.is_ours() {
        fs::write(&case.tables, blessed(&json, case.is_clamped)).unwrap();
    }
    let name = fixtures::short(&case.tables);
    let tables = Tables::of(&profile);
    assert_same(&Tables::from_json(&json), &tables, &name);
    let mut shown = tables.clone();
    if case.is_clamped {
        shown = shown.map_costs(|cost| cost.max(0));
    }
    assert_same(&shown, &case.expected(), &name);
    for version in [Version::V5, Version::V6, Version::V7] {
        let (file, _) = write_with(&profile, version, OnOverflow::Error);
        let file = decode(&file);
        assert_eq!(file.version, version.number());
        let held = tables.clone().held_by(version);
        assert_same(&file.tables(), &held, format!("{name} in {version:?}"));
    }
}

/// Tables as files hold them: on one line, single costs, fields in order.
fn blessed(json: &str, is_clamped: bool) -> String {
    let document: Value = serde_json::from_str(json).unwrap();
    let cost = |costs: &Value| match costs[0].as_i64().unwrap() {
        cost if is_clamped => cost.max(0),
        cost => cost,
    };
    let calls = |calls: &Value| {
        let calls = calls.as_array().unwrap().iter();
        let calls: Vec<_> = calls
            .map(|call| {
                json!([
                    call["function"],
                    call["line"],
                    call["calls"],
                    cost(&call["cost"])
                ])
            })
            .collect();
        Value::from(calls).to_string()
    };
    let functions = document["functions"].as_array().unwrap().iter();
    let functions: Vec<String> = functions
        .map(|function| {
            let plain = ["object", "file", "name", "line"];
            let mut fields: Vec<_> = plain
                .iter()
                .map(|&key| (key, function[key].to_string()))
                .collect();
            fields.extend(["self", "inclusive"].map(|key| (key, cost(&function[key]).to_string())));
            fields.push(("invocations", function["invocations"].to_string()));
            fields.extend(["called_from", "sub_calls"].map(|key| (key, calls(&function[key]))));
            let fields = fields
                .into_iter()
                .map(|(key, value)| format!("{key:?}:{value}"));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
        })
        .collect();
    let headers = json!(Tables::from_json(json).headers);
    format!(
        "{{\"functions\":[{}],\"headers\":{headers}}}\n",
        functions.join(",")
    )
}

#[test]
fn every_profile_becomes_the_tables_beside_it() {
    let cases = cases();
    cases.iter().for_each(check);
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
