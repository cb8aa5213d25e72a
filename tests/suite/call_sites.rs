//! Where calls stand: in the file in force.

use std::collections::{BTreeMap, HashMap};

use cg_preprocess::callgrind;
use cg_preprocess::profile::{Profile, ProfileOptions};
use cg_preprocess::webgrind::Version;

use crate::common::fixtures;
use crate::common::tables::Tables;
use crate::library::{json, profile_options, read, write};

const TRACE: &str = "version: 1\ncreator: xdebug 3.2.0\nevents: Time Memory\n\n";

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
    let elsewhere = expected
        .keys()
        .filter(|(own, _, (file, _))| own[0] != *file);
    assert_eq!((expected.len(), elsewhere.count()), (105, 48));
    let profile = with_call_files(&text);
    assert_eq!(sites_of(&Tables::of(&profile)), expected);
    assert_eq!(sites_of(&Tables::from_json(&json(&profile))), expected);
    let mut own = Vec::new();
    callgrind::write(&profile, &mut own).unwrap();
    assert_eq!(sites(&String::from_utf8(own).unwrap()), expected);

    let mut merged = with_call_files("events: Ir\nfl=a.c\nfn=f\n1 1\nfi=b.c\nfn=g\n2 2\n");
    merged.merge(with_call_files(&text)).unwrap();
    merged.merge(with_call_files(&text)).unwrap();
    let mut twice = expected;
    for (calls, cost) in twice.values_mut() {
        (*calls, *cost) = (2 * *calls, 2 * *cost);
    }
    assert_eq!(sites_of(&Tables::of(&merged)), twice);
}

#[test]
fn edges_differ_in_their_files_where_these_are_wanted() {
    let text = "events: Ir\nfl=a.c\nfn=f\n1 1\ncfn=g\ncalls=1 0\n2 10\n\
                fi=b.h\ncfi=a.c\ncalls=2 0\n2 20\nfi=c.h\ncfi=a.c\ncalls=4 0\n2 40\n\
                fe=a.c\ncalls=8 0\n2 80\nfn=h\ncfn=g\ncalls=1 0\n3 5\nfl=d.c\ncfi=a.c\ncalls=1 0\n3 7\n";
    let profile = with_call_files(text);
    let calls = Tables::of(&profile).functions.into_iter();
    let calls = calls.flat_map(|row| row.sub_calls);
    let calls: Vec<_> = calls
        .map(|call| (call.file.unwrap_or_default(), call.line, call.calls))
        .collect();
    let expected = [
        ("", 2, 9),
        ("b.h", 2, 2),
        ("c.h", 2, 4),
        ("", 3, 1),
        ("d.c", 3, 1),
    ];
    assert_eq!(
        calls,
        expected.map(|(file, line, calls)| (file.to_owned(), line, calls))
    );

    // Where nobody asks for files, a line is one place.
    let plain = read(text, ProfileOptions::default());
    let joined = plain
        .edges()
        .map(|edge| (edge.line, edge.calls, edge.file()));
    assert_eq!(joined.collect::<Vec<_>>(), [(2, 15, None), (3, 2, None)]);
    assert_eq!(write(&plain, Version::V7), {
        let other = text
            .replace("fi=b.h\n", "")
            .replace("fi=c.h\n", "")
            .replace("fl=d.c\n", "");
        write(&read(other, ProfileOptions::default()), Version::V7)
    });
}

#[test]
fn a_trace_has_calls_in_other_files_too() {
    // The second block of `f` has its calls in the same record, but from another file.
    let block = |file: &str| {
        format!(
            "fl=(1)\nfn=(2)\n1 1 0\n\nfl=(1)\nfn=(1)\n1 1 0\n{file}cfl=(1)\ncfn=(2)\ncalls=1 0 0\n2 1 0\n\n"
        )
    };
    let start = "fl=(1) a.php\nfn=(2) g\n1 1 0\n\nfl=(1)\nfn=(1) f\n1 1 0\nfi=(2) b.php\n\n";
    let text = [
        TRACE,
        start,
        &block(""),
        &block("fi=(2)\n"),
        &block(""),
        &block("fl=(2)\n"),
        // Of a function of `a.php`, a block in another file that goes back there.
        &block("fi=(1)\n").replace("fl=(1)\nfn=(1)", "fl=(2)\nfn=(1)"),
    ];
    for options in [
        profile_options(|options| options.call_files = true),
        profile_options(|options| {
            options.call_files = true;
            options.proxies = vec![b"none".to_vec()];
        }),
    ] {
        let profile = read(
            text.concat() + "# the end, so that all is read by shortcuts #############",
            options,
        );
        let edges = profile.edges();
        let edges = edges.map(|edge| (edge.file().map(|file| profile.name(file)), edge.calls));
        assert_eq!(
            edges.collect::<Vec<_>>(),
            [(None, 3), (Some(&b"b.php"[..]), 2)]
        );
    }
}
