//! Where calls and self costs stand: on lines of the file in force.

use std::collections::BTreeMap;

use cg_preprocess::callgrind;
use cg_preprocess::profile::Profile;

use crate::common::fixtures;
use crate::common::lines::{Line, Lines, Site};
use crate::common::tables::Tables;
use crate::library::{all_events, json, lines, merged, read, text_of};

fn with_call_files(text: impl AsRef<[u8]>) -> Profile {
    read(text, all_events())
}

/// The self costs by line of a profile that was read.
fn lines_of(profile: &Profile) -> BTreeMap<Line, Vec<i64>> {
    let text = |name| String::from_utf8_lossy(profile.name(name)).into_owned();
    let functions = profile.functions().flat_map(|(id, function)| {
        lines(profile, id).into_iter().map(move |line| {
            let names = [function.file, function.name].map(text);
            assert_ne!(line.file, Some(function.file));
            let file = text(line.file.unwrap_or(function.file));
            ((names, (file, line.line)), line.costs.to_vec())
        })
    });
    functions.collect()
}

/// The call sites of a profile that was read.
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
fn calls_and_costs_in_inlined_code_stand_in_the_file_in_force() {
    let text = String::from_utf8(fixtures::bytes("valgrind/inlined.cg")).unwrap();
    let told = Lines::read(&text);
    let (expected, expected_lines) = (told.calls.clone(), told.costs.clone());
    let all = expected.keys();
    let elsewhere = all.filter(|(own, _, (file, _))| own[0] != *file);
    assert_eq!((expected.len(), elsewhere.count()), (105, 48));
    let all = expected_lines.keys();
    let elsewhere = all.filter(|(own, (file, _))| own[0] != *file);
    assert_eq!((expected_lines.len(), elsewhere.count()), (1422, 315));
    let profile = with_call_files(&text);
    assert!(lines_of(&profile) == expected_lines);
    assert_eq!(sites_of(&Tables::of(&profile)), expected);
    assert_eq!(
        sites_of(&Tables::from_json(&json(&profile), &profile)),
        expected
    );
    let own = text_of(|output| callgrind::write(&profile, output));
    assert!(Lines::read(&own) == told);

    let first = "events: Ir\nfl=a.c\nfn=f\n1 1\nfi=b.c\nfn=g\n2 2\n";
    let merged = merged([first, &text, &text].map(with_call_files));
    let more = ["f", "g"].map(|name| ["a.c", name].map(String::from));
    let [f, g] = more;
    let mut twice = told.clone().plus(&told);
    twice.costs.insert((f, ("a.c".into(), 1)), vec![1]);
    twice.costs.insert((g, ("a.c".into(), 2)), vec![2]);
    assert_eq!(sites_of(&Tables::of(&merged)), twice.calls);
    assert!(lines_of(&merged) == twice.costs);
}
