//! Scripts that define functions of the same names, merged, and held against a table that is summed
//! here, directly from what Xdebug wrote.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::slice::from_ref;

use super::session::{Session, own_invocations};
use crate::producer::Bench;
use crate::profile::{Place, Profile, assert_figures, convert, place, signed, sums, text_in};

const SCRIPTS: [&str; 3] = [
    "namesakes/counts.php",
    "namesakes/recurs.php",
    "namesakes/only_main.php",
];

/// Time and memory.
type Costs = [i64; 2];

/// What a function costs, and its calls by callee and line.
#[derive(Debug, Default, PartialEq)]
struct Row {
    self_costs: Costs,
    invocations: i64,
    calls: BTreeMap<(Place, u64), (i64, Costs)>,
}

/// Sums by file and name of what several profiles say.
type Table = BTreeMap<Place, Row>;

/// Adds what Xdebug 3 wrote of one run.
fn add_run(rows: &mut Table, profile: &Path) {
    let text = text_in(profile);
    let mut names = HashMap::new();
    let mut name = |kind: &'static str, value: &str| -> String {
        let (id, text) = value.split_once(' ').unwrap_or((value, ""));
        let known = names.entry((kind, id.to_owned()));
        known.or_insert_with(|| text.to_owned()).clone()
    };
    let (mut here, mut callee) = (Place::default(), Place::default());
    let mut is_call = false;
    for line in text.lines() {
        match line.split_once('=') {
            Some(("fl", file)) => here.0 = name("file", file),
            Some(("fn", function)) => {
                here.1 = name("function", function);
                rows.entry(here.clone()).or_default().invocations += 1;
            }
            Some(("cfl", file)) => callee.0 = name("file", file),
            Some(("cfn", function)) => callee.1 = name("function", function),
            Some(("calls", _)) => is_call = true,
            _ => {
                let Some((line, costs)) = numbers(line) else {
                    continue;
                };
                let row = rows.get_mut(&here).expect("a function");
                if std::mem::take(&mut is_call) {
                    let call = row.calls.entry((callee.clone(), line)).or_default();
                    call.0 += 1;
                    add(&mut call.1, costs);
                } else {
                    add(&mut row.self_costs, costs);
                }
            }
        }
    }
}

/// Reads a line and its costs.
fn numbers(line: &str) -> Option<(u64, Costs)> {
    let mut numbers = line.split(' ');
    let at = numbers.next()?.parse().ok()?;
    let costs = [numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?];
    Some((at, costs))
}

fn add(sums: &mut Costs, costs: Costs) {
    sums.iter_mut()
        .zip(costs)
        .for_each(|(sum, cost)| *sum += cost);
}

/// What the program says, as such a table.
fn told(inputs: &[PathBuf]) -> Table {
    let profile = Profile::json(inputs, &[]);
    let pair = |costs: &[i64]| <Costs>::try_from(costs).expect("time and memory");
    let rows = profile.functions.iter().map(|function| {
        let calls = function.sub_calls.iter().map(|call| {
            let callee = place(&profile.functions[call.function]);
            ((callee, call.line), (signed(call.calls), pair(&call.costs)))
        });
        let row = Row {
            self_costs: pair(&function.self_costs),
            invocations: signed(function.invocations),
            calls: calls.collect(),
        };
        (place(function), row)
    });
    rows.collect()
}

#[test]
fn functions_of_the_same_names_are_told_apart_by_their_files() {
    let sessions = SCRIPTS.map(Session::of);
    let files = sessions.each_ref().map(Session::profile);
    let mut table = Table::default();
    files.iter().for_each(|file| add_run(&mut table, file));
    let of_name = |wanted: &str| table.keys().filter(|(_, name)| name == wanted).count();
    let counts = ["{main}", "helper", "run", "seen"].map(of_name);
    assert_eq!(counts, [3, 3, 2, 1]);
    assert_figures(&told(&files), &table);
    let counts = sessions.iter().flat_map(|session| session.counts.clone());
    let profile = Profile::silently(&files, &[]);
    assert_figures(&own_invocations(&profile), &sums(counts));
}

/// Whoever converts what, and in which order.
#[test]
fn any_grouping_gives_the_same_bytes() {
    let sessions = SCRIPTS.map(Session::of);
    let [one, two, three] = sessions.each_ref().map(Session::profile);
    let bench = Bench::new();
    let merged = |name: &str, inputs: &[&PathBuf]| {
        let inputs: Vec<PathBuf> = inputs.iter().map(|&input| input.clone()).collect();
        let file = bench.path(name);
        assert_eq!(convert(&inputs, &file, &["-f", "callgrind"]), "");
        file
    };
    let bytes = |file: &PathBuf| std::fs::read(file).expect("a profile");
    let expected = bytes(&merged("all", &[&one, &two, &three]));
    let alone = [&one, &two, &three].map(|file| {
        let name = file.parent().and_then(Path::file_name).expect("a folder");
        merged(&name.to_string_lossy(), from_ref(&file))
    });
    let pair = merged("pair", &[&three, &one]);
    for (name, inputs) in [
        ("turned", &[&three, &one, &two][..]),
        ("each", &[&alone[1], &alone[2], &alone[0]]),
        ("pair and one", &[&two, &pair]),
        ("one and pair", &[&pair, &alone[1]]),
    ] {
        assert!(bytes(&merged(name, inputs)) == expected, "{name}");
    }
}
