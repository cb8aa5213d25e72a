//! Where calls stand: in the file in force.

use std::collections::{BTreeMap, HashMap};

use cg_preprocess::callgrind;
use cg_preprocess::profile::Profile;

use crate::common::fixtures;
use crate::common::tables::Tables;
use crate::library::{json, merged, profile_options, read, text_of};

fn with_call_files(text: impl AsRef<[u8]>) -> Profile {
    read(text, profile_options(|options| options.call_files = true))
}

/// Caller, callee, and where: each with its file.
type Site = ([String; 2], [String; 2], (String, u64));

/// How often and at what cost, by call site, as a profile without objects and jumps says it that
/// names the file of each callee that is not in the current one: read word by word.
fn sites(text: &str) -> BTreeMap<Site, (u64, i64)> {
    let mut names = HashMap::new();
    let (mut file, mut own, mut function) = (String::new(), String::new(), String::new());
    let (mut callee, mut callee_file) = (String::new(), None);
    let (mut at, mut calls) = (0, None);
    let mut sites = BTreeMap::<Site, (u64, i64)>::new();
    for line in text.lines() {
        if let Some((key @ ("fl" | "fi" | "fe" | "cfi" | "fn" | "cfn"), value)) =
            line.split_once('=')
        {
            let id = value.split(' ').next().unwrap();
            let key_of_id = (key.contains('n'), id.to_owned());
            if let Some((_, name)) = value.split_once(' ') {
                names.insert(key_of_id.clone(), name.to_owned());
            }
            let name = names[&key_of_id].clone();
            match key {
                "fl" => (file, own) = (name.clone(), name),
                "fi" | "fe" => file = name,
                "fn" => (function, file) = (name, own.clone()),
                "cfi" => callee_file = Some(name),
                _ => callee = name,
            }
        } else if let Some(count) = line.strip_prefix("calls=") {
            calls = Some(count.split(' ').next().unwrap().parse::<u64>().unwrap());
        } else if line.starts_with(|first: char| "0123456789+-*".contains(first)) {
            let (position, cost) = line.split_once(' ').unwrap();
            at = match position.split_at(1) {
                ("*", _) => at,
                ("+", more) => at + more.parse::<u64>().unwrap(),
                ("-", less) => at - less.parse::<u64>().unwrap(),
                _ => position.parse().unwrap(),
            };
            let Some(count) = calls.take() else { continue };
            let called = callee_file.take().unwrap_or_else(|| file.clone());
            let site = (
                [own.clone(), function.clone()],
                [called, callee.clone()],
                (file.clone(), at),
            );
            let sums = sites.entry(site).or_default();
            sums.0 += count;
            sums.1 += cost.parse::<i64>().unwrap();
        }
    }
    sites
}

/// The same of a profile that was read.
fn sites_of(tables: &Tables) -> BTreeMap<Site, (u64, i64)> {
    let mut sites = BTreeMap::new();
    for row in &tables.functions {
        for call in &row.sub_calls {
            assert_ne!(call.file.as_ref(), Some(&row.file));
            let callee = &tables.functions[call.function];
            let file = call.file.as_ref().unwrap_or(&row.file).clone();
            let names = |file: &String, name: &String| [file.clone(), name.clone()];
            let site = (
                names(&row.file, &row.name),
                names(&callee.file, &callee.name),
                (file, call.line),
            );
            assert_eq!(sites.insert(site, (call.calls, call.costs[0])), None);
        }
    }
    sites
}

#[test]
fn calls_in_inlined_code_stand_in_the_file_in_force() {
    let text = String::from_utf8(fixtures::bytes("valgrind/inlined.cg")).unwrap();
    let expected = sites(&text);
    let all = expected.keys();
    let elsewhere = all.filter(|(own, _, (file, _))| own[0] != *file);
    assert_eq!((expected.len(), elsewhere.count()), (105, 48));
    let profile = with_call_files(&text);
    assert_eq!(sites_of(&Tables::of(&profile)), expected);
    assert_eq!(sites_of(&Tables::from_json(&json(&profile))), expected);
    let own = text_of(|output| callgrind::write(&profile, output));
    assert_eq!(self::sites(&own), expected);

    let first = "events: Ir\nfl=a.c\nfn=f\n1 1\nfi=b.c\nfn=g\n2 2\n";
    let merged = merged([first, &text, &text].map(with_call_files));
    let mut twice = expected;
    for (calls, cost) in twice.values_mut() {
        (*calls, *cost) = (2 * *calls, 2 * *cost);
    }
    assert_eq!(sites_of(&Tables::of(&merged)), twice);
}
