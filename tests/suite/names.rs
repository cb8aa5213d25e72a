//! What functions are called, whatever is added to their names.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use cg_preprocess::output::Names;

use crate::common::Random;
use crate::library::{profile, text_of, text_options, write_text};

const PIECES: [&str; 12] = [
    "f",
    "operator()",
    "operator->",
    "vector<map<int, char>>",
    "<app::Foo<'a> as Iter<'_>>",
    "{closure#0}",
    "{lambda(char)#1}",
    "run<1'000>",
    "_x",
    "push_back(char const*, std::allocator<char>)",
    "(anonymous namespace)",
    "ünïcödé",
];

/// A name of up to so many pieces.
fn name(random: &mut Random, most: u64) -> String {
    let pieces = (0..=random.small(most)).map(|_| random.pick(&PIECES));
    let name = pieces.collect::<Vec<_>>().join("::");
    // It ends in brackets that do not pair.
    let operator = ["", "operator<", "operator<<"][random.index(3)];
    if name.contains('\'') {
        name
    } else {
        name + operator
    }
}

/// Whether a name can be shown so: `…` stands for what was left out.
fn is_shown_as(name: &str, shown: &str) -> bool {
    let (first, rest) = shown.split_once('…').unwrap_or((shown, ""));
    let (middle, last) = rest.rsplit_once('…').unwrap_or(("", rest));
    let Some(left) = name.strip_prefix(first) else {
        return false;
    };
    let Some(left) = left.strip_suffix(last) else {
        return false;
    };
    let mut pieces = middle.split('…');
    let rest = pieces.try_fold(left, |rest, piece| Some(rest.split_once(piece)?.1));
    rest.is_some() && (shown.contains('…') || left.is_empty())
}

#[test]
fn no_function_is_shown_under_the_name_of_another() {
    let mut random = Random(46);
    for case in 0..120 {
        let own: BTreeSet<String> = (0..6)
            .map(|_| name(&mut random, [3, 80][case % 2]))
            .collect();
        let own: Vec<&String> = own.iter().collect();
        let mut text = "creator: callgrind-3.22.0\nevents: Ir\nfl=a.c\n".to_owned();
        let mut costs: BTreeMap<&str, u64> = BTreeMap::new();
        let mut seen = BTreeSet::new();
        for _ in 0..12 {
            let function = own[random.index(own.len())];
            let level = ["", "'2"][random.index(2)];
            let callers = (0..random.small(4)).map(|_| own[random.index(own.len())].as_str());
            let callers = callers
                .map(|caller| format!("'{caller}"))
                .collect::<String>();
            let name = format!("{function}{level}{callers}");
            let cost = 1 << costs.values().sum::<u64>().count_ones();
            if seen.insert(name.clone()) {
                writeln!(text, "fn={name}\n1 {cost}").unwrap();
                *costs.entry(function).or_default() += cost;
            }
        }
        let profile = profile(text);
        for names in [Names::Full, Names::Short] {
            let options = text_options(|options| options.names = names);
            let report = text_of(|output| write_text(&profile, &options, output));
            let rows = report
                .lines()
                .skip_while(|line| !line.starts_with("self %"))
                .skip(1);
            let mut shown = BTreeMap::new();
            for row in rows {
                let row = row.trim_start();
                let mut figures = row
                    .split("  ")
                    .map(str::trim)
                    .filter(|word| !word.is_empty());
                let cost = figures
                    .nth(1)
                    .unwrap()
                    .replace(',', "")
                    .parse::<u64>()
                    .unwrap();
                let place = row.rfind("a.c:1").unwrap();
                let name = figures.nth(2).unwrap();
                assert!(row[..place].contains(name), "{row}");
                shown.insert(cost, name);
            }
            assert_eq!(shown.len(), costs.len(), "{report}");
            for (name, cost) in &costs {
                assert!(is_shown_as(name, shown[cost]), "{name}: {report}");
            }
        }
    }
}
