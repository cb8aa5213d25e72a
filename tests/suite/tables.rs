//! Every profile in fixtures/ becomes the tables next to it: as JSON, and in v5, v6 and v7.
//!
//! `X.tables.json` holds the tables of the profile `X`: its functions in number order, call records
//! as `[function, line, calls, cost]`, headers in order. Before `.tables.json` may stand with which
//! options they were made: `.event-NAME`, where negative sums are given as the 0 that the
//! preprocessed formats show, or `.with-proxies`.
//!
//! `BLESS=1 cargo test --test suite tables` rewrites those in fixtures/producers/, and fills any that
//! are empty. All others come from elsewhere (webgrind, KCachegrind) and are never written.

use std::fs;
use std::path::PathBuf;

use cg_preprocess::profile::{EventChoice, ProfileOptions};
use cg_preprocess::webgrind::{OnOverflow, Version};

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

    /// The tables; none where the file is empty.
    fn expected(&self) -> Option<Tables> {
        let text = fs::read_to_string(&self.tables).unwrap();
        let mut tables: Tables = serde_json::from_str(&text).ok()?;
        let (profile, summary) = WITHOUT_SUMMARY;
        if fixtures::short(&self.profile) == profile {
            assert!(!tables.headers.iter().any(|header| header == summary));
            tables.headers.push(summary.to_owned());
        }
        Some(tables)
    }

    fn is_ours(&self) -> bool {
        let is_empty = fs::metadata(&self.tables).unwrap().len() == 0;
        is_empty || fixtures::short(&self.tables).starts_with("producers/")
    }
}

fn cases() -> Vec<Case> {
    let files = fixtures::files_below(&fixtures::directory());
    files.into_iter().filter_map(Case::of).collect()
}

fn check(case: &Case) {
    let profile = library::read(fs::read(&case.profile).unwrap(), case.options.clone());
    let json = library::json(&profile);
    let name = fixtures::short(&case.tables);
    let tables = Tables::of(&profile);
    assert_same(&Tables::from_json(&json, &profile), &tables, &name);
    let mut shown = tables.clone();
    if case.is_clamped {
        shown = shown.map_costs(|cost| cost.max(0));
    }
    if fixtures::are_blessed() && case.is_ours() && case.expected().as_ref() != Some(&shown) {
        let text = serde_json::to_string(&shown).unwrap();
        fs::write(&case.tables, text + "\n").unwrap();
    }
    assert_same(&shown, &case.expected().expect("tables"), &name);
    for version in [Version::V5, Version::V6, Version::V7] {
        let (file, _) = write_with(&profile, version, OnOverflow::Error);
        let file = decode(&file);
        assert_eq!(file.version, version.number());
        let held = tables.clone().held_by(version);
        assert_same(&file.tables(), &held, format!("{name} in {version:?}"));
    }
}

/// Each profile of a producer has some.
#[test]
fn every_profile_becomes_the_tables_beside_it() {
    let cases = cases();
    cases.iter().for_each(check);
    assert!(cases.len() >= 40, "only {} tables found", cases.len());
    let producers = fixtures::files_below(&fixtures::path("producers"));
    for profile in producers {
        let is_checked = cases.iter().any(|case| case.profile == profile);
        let is_profile = profile.extension().is_some_and(|end| end == "cg");
        assert!(is_checked || !is_profile, "no tables for {profile:?}");
    }
}
