//! The stacks of sums: exact where only one is possible, otherwise estimated.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use cg_preprocess::profile::{EventChoice, Profile, ProfileOptions, Stacks};
use cg_preprocess::report::collapsed;

use crate::common::fixtures;
use crate::library::{Reading, profile_options, read};

fn all_events() -> ProfileOptions {
    profile_options(|options| {
        options.contexts = true;
        options.events = EventChoice::All;
    })
}

/// Every stack that costs anything, `~` before costs that are estimated, and how much is not.
pub fn shown(profile: &Profile) -> String {
    assert_adds_up(profile, "shown");
    let stacks = Stacks::new(profile);
    let mut paths: Vec<String> = Vec::new();
    let mut lines = String::new();
    for node in stacks.nodes() {
        let frame = String::from_utf8_lossy(stacks.frame(node)).into_owned();
        let above = stacks.parent(node);
        paths.push(above.map_or(frame.clone(), |above| {
            paths[above.index()].clone() + ";" + &frame
        }));
        let costs = stacks.self_costs(node).iter().map(ToString::to_string);
        let costs = costs.collect::<Vec<_>>().join(" ");
        let mark = if stacks.is_estimated(node) { "~" } else { "" };
        let (path, calls) = (&paths[node.index()], stacks.calls(node));
        lines += &format!("{path} | self {mark}{costs} | calls {calls}\n");
    }
    lines + &format!("{:.2} % are exact\n", 100.0 * stacks.exact_share())
}

/// Sees that nodes come after their parents, and that for every event they add up to the totals and
/// to the self costs of each function.
#[track_caller]
pub fn assert_adds_up(profile: &Profile, name: impl std::fmt::Display) {
    let stacks = Stacks::new(profile);
    let mut sums: BTreeMap<usize, Vec<i64>> = BTreeMap::new();
    let mut order = Vec::new();
    // Zeros at the end may be missing.
    let whole = |costs: &[i64]| {
        let mut costs = costs.to_vec();
        costs.resize(profile.events().len(), 0);
        costs
    };
    for node in stacks.nodes() {
        assert!(stacks.parent(node).is_none_or(|above| above < node));
        let costs = stacks.self_costs(node);
        let mut inclusive = whole(costs);
        for child in stacks.children(node) {
            assert_eq!(stacks.parent(child), Some(node));
            for (sum, cost) in inclusive.iter_mut().zip(stacks.inclusive_costs(child)) {
                *sum += cost;
            }
        }
        assert_eq!(whole(stacks.inclusive_costs(node)), inclusive);
        match stacks.function(node) {
            None => assert!(costs.iter().all(|&cost| cost == 0)),
            Some(id) => {
                let row = sums.entry(id.index()).or_insert(whole(&[]));
                row.iter_mut()
                    .zip(costs)
                    .for_each(|(sum, cost)| *sum += cost);
            }
        }
        let above = stacks
            .parent(node)
            .map_or(usize::MAX, |above| above.index());
        order.push((above, stacks.frame(node)));
    }
    order.sort_by_key(|&(above, _)| above);
    assert!(order.is_sorted(), "{name}: siblings by frame");
    for (id, _) in profile.functions() {
        let found = sums.remove(&id.index()).unwrap_or(whole(&[]));
        assert_eq!(
            found,
            whole(profile.self_costs(id)),
            "{name}: {}",
            id.index()
        );
    }
}

fn sums_below(folder: &str) -> Vec<std::path::PathBuf> {
    let mut files = fixtures::files_below(&fixtures::folder().join(folder));
    files.retain(|file| file.extension().is_some_and(|extension| extension == "cg"));
    files
}

#[test]
fn stacks_of_every_producer_add_up_for_every_event() {
    let files = ["valgrind", "producers", "stacks", "xdebug2", "xdebug3"]
        .map(sums_below)
        .concat();
    assert!(files.len() > 20);
    for file in files {
        let data = std::fs::read(&file).unwrap();
        let profile = read(data, all_events());
        assert_adds_up(&profile, fixtures::short(&file));
    }
}

/// The lines of the stacks of inputs that are read one after the other.
fn lines(inputs: &[&[u8]]) -> String {
    let reading = Reading {
        profile: profile_options(|options| options.contexts = true),
        ..Reading::default()
    };
    let (profile, _) = reading.read(inputs.iter().copied()).unwrap();
    assert_adds_up(&profile, "merged");
    let mut output = Vec::new();
    collapsed::write(&Stacks::new(&profile), &mut output).unwrap();
    String::from_utf8(output).unwrap()
}

#[test]
fn the_order_of_inputs_does_not_matter() {
    let names = [
        "stacks/sums-plain.cg",
        "valgrind/plain.cg",
        "valgrind/combine.cg",
    ];
    let [a, b, c] = names.map(fixtures::bytes);
    assert_eq!(lines(&[&a, &b, &c]), lines(&[&c, &a, &b]));
}

#[test]
fn exact_stacks_are_those_that_separate_callers_recorded() {
    let [plain, callers] = ["plain", "callers"].map(|name| {
        let text = fixtures::bytes(&format!("stacks/sums-{name}.cg"));
        let shown = shown(&read(text, all_events()));
        let lines = shown.lines().filter(|line| !line.contains("| self 0 |"));
        let lines = lines.filter_map(|line| line.split(" | calls").next());
        lines.map(str::to_owned).collect::<Vec<_>>()
    });
    let exact: Vec<_> = plain
        .iter()
        .filter(|line| line.contains("| self ") && !line.contains('~'))
        .collect();
    assert_eq!(exact.len(), 28, "{exact:?}");
    for line in exact {
        assert!(callers.contains(line), "{line}");
    }
    assert!(
        callers
            .iter()
            .any(|line| line.contains("work;qsort;qsort_r;msort"))
    );
}

#[test]
fn deep_chains_and_complete_graphs_end() {
    let mut chain = "events: Ir\nfl=a.c\n".to_owned();
    for depth in 0..20_000 {
        let below = 20_000 - depth;
        write!(
            chain,
            "fn=f{depth}\n1 1\ncfn=f{}\ncalls=1 1\n1 {below}\n",
            depth + 1
        )
        .unwrap();
    }
    chain.push_str("fn=f20000\n1 1\n");
    let profile = read(chain, all_events());
    assert_adds_up(&profile, "chain");
    assert_eq!(Stacks::new(&profile).exact_share(), 1.0);

    let mut complete = "events: Ir\nfl=a.c\nfn=main\n1 1\ncfn=f0\ncalls=1 1\n1 150000\n".to_owned();
    for caller in 0..150 {
        write!(complete, "fn=f{caller}\n1 1000\n").unwrap();
        for callee in 0..150 {
            write!(complete, "cfn=f{callee}\ncalls=1 1\n1 1000\n").unwrap();
        }
    }
    let profile = read(complete, all_events());
    let stacks = Stacks::new(&profile);
    let estimated = stacks
        .nodes()
        .filter(|&node| stacks.is_estimated(node))
        .count();
    assert!((10_000..=200_001).contains(&estimated), "{estimated}");
    assert_adds_up(&profile, "complete graph");
}

#[test]
fn what_records_no_calls_is_flat() {
    let path = Path::new("valgrind/cachegrind.out");
    let profile = read(fixtures::bytes(path.to_str().unwrap()), all_events());
    let stacks = Stacks::new(&profile);
    assert!(stacks.nodes().all(|node| stacks.parent(node).is_none()));
    assert!(stacks.nodes().all(|node| !stacks.is_estimated(node)));
}
