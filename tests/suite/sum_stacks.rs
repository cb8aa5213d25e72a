//! The stacks of sums: exact where only one is possible, otherwise estimated.

use std::collections::BTreeMap;

use cg_preprocess::output::{Notes, ReportOptions, json};
use cg_preprocess::profile::{EventChoice, FunctionId, InclusiveCost, Profile, ProfileOptions};
use cg_preprocess::stacks::Stacks;
use cg_preprocess::view::View;
use serde_json::Value;

use crate::common::fixtures;
use crate::library::{profile_options, read, text_of};
use crate::stacks::paths;

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
    let mut lines = String::new();
    for (node, path) in stacks.nodes().zip(paths(&stacks)) {
        let costs = stacks.self_costs(node).iter().map(ToString::to_string);
        let costs = costs.collect::<Vec<_>>().join(" ");
        let mark = if stacks.is_estimated(node) { "~" } else { "" };
        let calls = stacks.calls(node);
        lines += &format!("{path} | self {mark}{costs} | calls {calls}\n");
    }
    lines + &format!("{:.2} % are exact\n", 100.0 * stacks.exact_share())
}

/// Sees that nodes come after their parents, and that for every event they add up to the totals and
/// to the self costs of each function.
#[track_caller]
pub fn assert_adds_up(profile: &Profile, name: impl std::fmt::Display) {
    let stacks = Stacks::new(profile);
    let mut sums: BTreeMap<Vec<u8>, Vec<i64>> = BTreeMap::new();
    let mut order = Vec::new();
    let zeros = || vec![0; profile.events().len()];
    for node in stacks.nodes() {
        assert!(stacks.parent(node).is_none_or(|above| above < node));
        let costs = stacks.self_costs(node);
        let mut inclusive = costs.to_vec();
        for child in stacks.children(node) {
            assert_eq!(stacks.parent(child), Some(node));
            for (sum, cost) in inclusive.iter_mut().zip(stacks.inclusive_costs(child)) {
                *sum += cost;
            }
        }
        assert_eq!(stacks.inclusive_costs(node), inclusive);
        if stacks.function(node).is_none() {
            assert!(costs.iter().all(|&cost| cost == 0));
        }
        let row = sums.entry(stacks.frame(node).to_vec());
        let row = row.or_insert_with(zeros);
        row.iter_mut()
            .zip(costs)
            .for_each(|(sum, cost)| *sum += cost);
        let above = stacks.parent(node);
        let above = above.map_or(usize::MAX, |above| above.index());
        order.push((above, stacks.frame(node)));
    }
    order.sort_by_key(|&(above, _)| above);
    assert!(order.is_sorted(), "{name}: siblings by frame");
    let mut expected: BTreeMap<Vec<u8>, Vec<i64>> = BTreeMap::new();
    let functions = View::as_recorded(profile, InclusiveCost::Once);
    for (id, own_name) in own_names(&functions) {
        let row = expected.entry(own_name).or_insert_with(zeros);
        row.iter_mut()
            .zip(functions.self_costs(id))
            .for_each(|(sum, cost)| *sum += cost);
    }
    for sums in [&mut sums, &mut expected] {
        sums.retain(|_, row| row.iter().any(|&cost| cost != 0));
    }
    assert_eq!(sums, expected, "{name}");
}

/// What functions are called without their callers and recursion levels.
fn own_names(functions: &View<'_>) -> Vec<(FunctionId, Vec<u8>)> {
    let document = text_of(|output| {
        json::write(
            functions,
            None,
            &Notes::default(),
            &ReportOptions::default(),
            output,
        )
    });
    let document: Value = serde_json::from_str(&document).expect("JSON");
    let rows = document["functions"].as_array().expect("a list").iter();
    let functions_and_rows = functions.functions().zip(rows);
    let names = functions_and_rows.map(|((id, function), row)| match row["own_name"].as_str() {
        Some(own_name) => (id, own_name.as_bytes().to_vec()),
        None => (id, functions.name(function.name).to_vec()),
    });
    names.collect()
}

#[test]
fn stacks_of_every_producer_add_up_for_every_event() {
    for (name, text) in fixtures::profiles() {
        assert_adds_up(&read(text, all_events()), name);
    }
}

/// The costs of every stack that is not marked are what the deep recording says.
#[test]
fn exact_costs_are_those_that_separate_callers_recorded() {
    let [plain, callers] = ["plain", "callers"].map(|name| {
        read(
            fixtures::bytes(&format!("stacks/sums-{name}.cg")),
            all_events(),
        )
    });
    let [plain, callers] = [&plain, &callers].map(Stacks::new);
    let recorded = paths(&callers).into_iter().zip(callers.nodes());
    let recorded: Vec<_> = recorded.collect();
    let (mut exact, mut above_estimates) = (0, 0);
    for (node, path) in plain.nodes().zip(paths(&plain)) {
        if !plain.is_inclusive_estimated(node) {
            exact += 1;
            let (_, same) = recorded.iter().rfind(|(other, _)| *other == path).unwrap();
            let inclusive = callers.inclusive_costs(*same);
            assert_eq!(plain.inclusive_costs(node), inclusive, "{path}");
        } else if !plain.is_estimated(node) {
            above_estimates += 1;
        }
        if !plain.is_estimated(node) {
            let mut named = recorded.iter().filter(|(other, _)| *other == path);
            let own = plain.self_costs(node);
            let is_recorded = named.any(|&(_, node)| callers.self_costs(node) == own);
            // There, all levels of recursion are at one place.
            assert!(
                is_recorded || own == [0] || path.ends_with(";fib"),
                "{path}"
            );
        }
    }
    assert!(
        exact > 10 && above_estimates > 3,
        "{exact} {above_estimates}"
    );
}

#[test]
fn deep_chains_and_complete_graphs_end() {
    let mut chain = "events: Ir\nfl=a.c\n".to_owned();
    for depth in 0..20_000 {
        let (callee, below) = (depth + 1, 20_000 - depth);
        chain += &format!("fn=f{depth}\n1 1\ncfn=f{callee}\ncalls=1 1\n1 {below}\n");
    }
    chain.push_str("fn=f20000\n1 1\n");
    let profile = read(chain, all_events());
    assert_adds_up(&profile, "chain");
    assert_eq!(Stacks::new(&profile).exact_share(), 1.0);

    let mut complete = "events: Ir\nfl=a.c\nfn=main\n1 1\ncfn=f0\ncalls=1 1\n1 150000\n".to_owned();
    for caller in 0..150 {
        complete += &format!("fn=f{caller}\n1 1000\n");
        for callee in 0..150 {
            complete += &format!("cfn=f{callee}\ncalls=1 1\n1 1000\n");
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
