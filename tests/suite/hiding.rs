//! Hidden functions: their costs and calls are their callers', by the stacks.

use std::collections::BTreeMap;

use cg_preprocess::output::collapsed;
use cg_preprocess::profile::{EventChoice, InclusiveCost, Profile};
use cg_preprocess::stacks::Stacks;
use cg_preprocess::view::{GroupBy, Hidden, View};
use serde_json::json;

use crate::common::fixtures;
use crate::library::{profile_options, read};
use crate::page::page;

/// What is hidden costs that nobody calls who is shown.
const REST: &str = "(hidden)";

type Sums = BTreeMap<String, Vec<i128>>;

fn add(sums: &mut Sums, key: String, costs: &[i64]) {
    let sums = sums.entry(key).or_default();
    sums.resize(costs.len(), 0);
    for (sum, &cost) in sums.iter_mut().zip(costs) {
        *sum += i128::from(cost);
    }
}

fn without_zeros(mut sums: Sums) -> Sums {
    sums.retain(|_, sums| sums.iter().any(|&sum| sum != 0));
    sums
}

/// Words of nothing, of roots and a directory, of a few functions, of all functions.
fn words(profile: &Profile) -> Vec<String> {
    let mut functions: Vec<_> = profile.functions().collect();
    functions.sort_by_key(|&(id, _)| profile.self_costs(id).first().map(|&cost| -cost));
    let names = [0, 1, functions.len() / 2].into_iter();
    let names = names.filter_map(|at| functions.get(at));
    let names = names.map(|(_, function)| profile.name(function.name));
    let names = names.filter_map(|name| str::from_utf8(name).ok());
    // A part of a name with `::` hides less, and blanks separate words.
    let plain = names.filter_map(|name| name.split([' ', ':']).max_by_key(|word| word.len()));
    let plain = plain.filter(|word| !word.contains(['*', '…']));
    let fixed = ["no such function", "main vendor/", "*"];
    plain.chain(fixed).map(str::to_owned).collect()
}

/// Whether one of the words is in a name or a place.
fn hides(words: &str, texts: [&[u8]; 3]) -> bool {
    let texts = texts.map(|text| String::from_utf8_lossy(text).to_lowercase());
    let words = words.to_lowercase();
    let mut words = words.split(' ').filter(|word| !word.is_empty());
    words.any(|word| word == "*" || texts.iter().any(|text| text.contains(word)))
}

/// The costs of all stacks without hidden frames, one by one.
fn one_by_one(stacks: &Stacks<'_>, words: &str) -> Sums {
    let profile = stacks.profile();
    let (mut paths, mut sums) = (Vec::<String>::new(), Sums::new());
    for node in stacks.nodes() {
        let above = stacks.parent(node);
        let above = above.map_or(String::new(), |above| paths[above.index()].clone());
        let frame = stacks.frame(node);
        let places = stacks.function(node).map(|id| profile.function(id));
        let places = places.map(|function| [function.file, function.object]);
        let [file, object] = places.map_or([&b""[..]; 2], |of| of.map(|name| profile.name(name)));
        let path = if hides(words, [frame, file, object]) {
            above
        } else {
            format!("{above};{}", String::from_utf8_lossy(frame))
        };
        let key = if path.is_empty() {
            format!(";{REST}")
        } else {
            path.clone()
        };
        add(&mut sums, key, stacks.self_costs(node));
        paths.push(path);
    }
    without_zeros(sums)
}

/// The report's script computes the same from the same stacks: `tests/script/hidden.test.mjs` checks
/// it with these files.
#[test]
fn the_script_of_the_report_has_the_results_of_the_program() {
    let profiles = [
        ("xdebug3/small.cg", ["php::", "fib A->", "{main} leaf"]),
        (
            "xdebug3/features.cg",
            ["php::", "closure", "{main} Models\\ack"],
        ),
        ("stacks/estimated-inclusive.cg", ["g", "main f", "h k"]),
        ("stacks/sums-callers.cg", ["libc", "fib compare", "main .c"]),
    ];
    for (name, cases) in profiles {
        let contexts = profile_options(|options| options.contexts = true);
        let profile = read(fixtures::bytes(name), contexts);
        let all = Stacks::new(&profile);
        let (_, data) = page(&profile);
        let cases = cases.map(|words| {
            let hidden = Hidden::new(&profile, &[words]).unwrap();
            let mut stacks = Vec::new();
            collapsed::write(&hidden.stacks(&all), &mut stacks).unwrap();
            let stacks = String::from_utf8(stacks).unwrap();
            let view = View::without(&hidden, GroupBy::Function, InclusiveCost::Once).unwrap();
            let rows = view.functions().map(|(row, function)| {
                let names = [function.file, function.name];
                let [file, name] = names.map(|name| String::from_utf8_lossy(view.name(name)));
                json!([name, file, view.self_costs(row)[0]])
            });
            json!({
                "hide": words,
                "stacks": stacks.lines().collect::<Vec<_>>(),
                "rows": rows.collect::<Vec<_>>(),
            })
        });
        let tables = ["files", "functions", "frames", "stacks"];
        let tables = tables.map(|table| (table, data[table].clone()));
        let data = json!(BTreeMap::from(tables));
        let cases = cases.map(|case| case.to_string()).join(",\n");
        let text = format!("{{\"data\":{data},\n\"cases\":[\n{cases}\n]}}\n");
        let name = name.replace('/', "-").replace(".cg", ".json");
        let path = fixtures::path("hidden").join(name);
        fixtures::assert_holds(&path, &text);
    }
}

#[test]
fn hiding_keeps_the_total_and_stacks_agree_with_rows() {
    let mut count = 0;
    for (name, text) in fixtures::profiles() {
        let profile = read(
            &text,
            profile_options(|options| {
                options.contexts = true;
                options.call_sites = true;
                options.call_files = true;
                options.lines = true;
                options.events = EventChoice::All;
            }),
        );
        let (whole, all) = (View::of(&profile), Stacks::new(&profile));
        let place = |view: &View<'_>, row| {
            let function = view.function(row);
            [function.object, function.file, function.name].map(|name| view.name(name).to_vec())
        };
        let rows = whole.functions();
        let rows: BTreeMap<_, _> = rows.map(|(row, _)| (place(&whole, row), row)).collect();
        for words in words(&profile) {
            let name = format!("{name} without {words}");
            let hidden = Hidden::new(&profile, &[&words]).unwrap();
            let shown = View::without(&hidden, GroupBy::Function, InclusiveCost::Once).unwrap();
            count += hidden.count();
            let mut own = Sums::new();
            for (row, function) in shown.functions() {
                let key = place(&shown, row);
                add(&mut own, String::new(), shown.self_costs(row));
                let Some(&before) = rows.get(&key) else {
                    assert_eq!(shown.name(function.name), REST.as_bytes(), "{name}");
                    continue;
                };
                let costs = [&shown, &whole].map(|view| {
                    let row = if std::ptr::eq(view, &shown) {
                        row
                    } else {
                        before
                    };
                    (view.inclusive_costs(row), view.is_inclusive_estimated(row))
                });
                assert_eq!(
                    costs[0],
                    costs[1],
                    "{name}: {:?}",
                    String::from_utf8_lossy(&key[2])
                );
                assert!(!hides(&words, [&key[0], &key[1], &key[2]]), "{name}");
            }
            if profile.is_complete() {
                let mut total = Sums::new();
                add(&mut total, String::new(), &profile.totals());
                assert_eq!(own, total, "{name}");
            }
            let stacks = hidden.stacks(&all);
            let mut found = Sums::new();
            let mut paths: Vec<String> = Vec::new();
            let mut by_frame = Sums::new();
            for node in stacks.nodes() {
                let above = stacks.parent(node);
                let above = above.map_or("", |above| &paths[above.index()]);
                let path = format!("{above};{}", String::from_utf8_lossy(stacks.frame(node)));
                add(&mut found, path.clone(), stacks.self_costs(node));
                let frame = String::from_utf8_lossy(stacks.frame(node)).into_owned();
                add(&mut by_frame, frame, stacks.self_costs(node));
                paths.push(path);
            }
            assert_eq!(without_zeros(found), one_by_one(&all, &words), "{name}");
            let mut by_row = Sums::new();
            for (row, function) in shown.functions() {
                let name = String::from_utf8_lossy(shown.name(function.name)).into_owned();
                add(&mut by_row, name, shown.self_costs(row));
            }
            // Frames that are known only by their names are no rows.
            by_frame.retain(|name, _| by_row.contains_key(name) && name != REST);
            by_row.remove(REST);
            assert_eq!(without_zeros(by_row), without_zeros(by_frame), "{name}");
            for by in [GroupBy::Class, GroupBy::File, GroupBy::Package] {
                let groups = View::without(&hidden, by, InclusiveCost::Once).unwrap();
                let mut sums = Sums::new();
                for (row, _) in groups.functions() {
                    add(&mut sums, String::new(), groups.self_costs(row));
                }
                assert_eq!(sums, own, "{name} by {by:?}");
            }
        }
    }
    assert!(count > 1000, "{count}");
}
