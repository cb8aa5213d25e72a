//! The stacks of traces: what a walk over all invocations finds.

use std::collections::BTreeMap;

use cg_preprocess::output::collapsed;
use cg_preprocess::profile::{EventChoice, Kind, Profile, ProfileOptions};
use cg_preprocess::stacks::Stacks;
use cg_preprocess::webgrind::{OnOverflow, Version};

use crate::common::fixtures;
use crate::common::preprocessed::decode;
use crate::common::tables::{Tables, stack_costs};
use crate::library::{linked, profile_options, read, write_with};

/// The stacks of a profile with their costs, and the warnings.
pub fn collapsed(profile: &Profile) -> (BTreeMap<String, i64>, Vec<collapsed::CollapsedWarning>) {
    let mut output = Vec::new();
    let warnings = collapsed::write(&Stacks::new(profile), &mut output).expect("memory takes it");
    (
        stack_costs(str::from_utf8(&output).expect("UTF-8")),
        warnings,
    )
}

/// The paths of the nodes of a tree, in their order.
pub fn paths(stacks: &Stacks<'_>) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    for node in stacks.nodes() {
        let above = stacks.parent(node);
        let above = above.map_or(String::new(), |above| format!("{};", paths[above.index()]));
        paths.push(above + &String::from_utf8_lossy(stacks.frame(node)));
    }
    paths
}

fn stacked() -> ProfileOptions {
    profile_options(|options| {
        options.contexts = true;
    })
}

/// The stacks that a walk over the invocations of a v4 file finds.
fn walk_over(profile: &Profile) -> BTreeMap<String, i64> {
    decode(&write_with(profile, Version::V4, OnOverflow::Error).0).stacks()
}

const TRACES: &str = "xdebug2/chain.cg xdebug2/small.cg xdebug2/composer.cg xdebug3/chain.cg \
                      xdebug3/small.cg xdebug3/composer.cg xdebug3/features.cg xdebug3/fibers.cg \
                      xdebug3/proxies.cg";

#[test]
fn stacks_of_every_event_are_those_of_a_walk_over_its_v4_file() {
    for trace in TRACES.split(' ') {
        let text = fixtures::bytes(trace);
        let mut options = stacked();
        options.events = EventChoice::All;
        let profile = read(&text, options);
        let stacks = Stacks::new(&profile);
        for (at, event) in profile.events().iter().enumerate() {
            let mut found = BTreeMap::new();
            for (node, path) in stacks.nodes().zip(paths(&stacks)) {
                *found.entry(path).or_default() += stacks.self_costs(node)[at];
            }
            found.retain(|_, cost| *cost != 0);
            let mut wanted = linked();
            wanted.events = EventChoice::Named(vec![event.name().to_vec()]);
            assert_eq!(found, walk_over(&read(&text, wanted)), "{trace}");
        }
    }
}

/// What a table says is what a flame graph says, to the unit.
#[test]
fn functions_of_traces_cost_what_the_stacks_with_them_do() {
    let mut traces = 0;
    for (name, text) in fixtures::profiles() {
        let mut options = stacked();
        options.call_sites = traces % 2 == 0;
        let profile = read(text, options);
        let (stacks, warnings) = collapsed(&profile);
        if profile.kind() == Some(Kind::Trace) && warnings.is_empty() {
            eprintln!("{name}");
            Tables::counted_once(&profile).assert_outermost(&stacks, |_| 0);
            traces += 1;
        }
    }
    assert!(traces > 10, "{traces}");
}
