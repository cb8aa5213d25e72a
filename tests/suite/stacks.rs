//! The stacks of traces: what a walk over all invocations finds.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use cg_preprocess::output::{Names, collapsed, markdown, tree};
use cg_preprocess::profile::{EventChoice, InclusiveCost, Profile, ProfileOptions};
use cg_preprocess::stacks::Stacks;
use cg_preprocess::webgrind::{OnOverflow, Version};
use serde_json::Value;

use crate::common::fixtures;
use crate::common::preprocessed::decode;
use crate::common::tables::stack_costs;
use crate::library::{linked, profile_options, read, text_of, text_options, write_with};
use crate::page;

/// The stacks of a profile with their costs, and the warnings.
pub fn collapsed(profile: &Profile) -> (BTreeMap<String, i64>, Vec<collapsed::Warning>) {
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
        options.inclusive = InclusiveCost::Once;
    })
}

/// The stacks that a walk over the invocations of a v4 file finds.
fn walk_over(profile: &Profile) -> BTreeMap<String, i64> {
    decode(&write_with(profile, Version::V4, OnOverflow::Error).0).stacks()
}

/// The stacks of a tree with everything in it, with their costs.
fn stacks_of_tree(text: &str) -> BTreeMap<String, i64> {
    let mut lines = text.lines().skip_while(|line| !line.contains("incl %"));
    let start = lines.next().unwrap().find("function").unwrap();
    let (mut stack, mut costs) = (Vec::new(), BTreeMap::new());
    for line in lines {
        let name = line[start..].trim_start();
        stack.truncate((line.len() - name.len() - start) / 2);
        stack.push(name);
        let own = line.split_whitespace().nth(2).unwrap().replace(',', "");
        *costs.entry(stack.join(";")).or_default() += own.parse::<i64>().unwrap();
    }
    costs
}

/// Those in the data of a report.
fn stacks_of_page(page: &Value) -> BTreeMap<String, i64> {
    let column = |path: &str| page.pointer(path).unwrap().as_array().unwrap();
    let place = |value: &Value| usize::try_from(value.as_i64().unwrap()).ok();
    let name = |of: &Value, at: usize| match of["name"][at].as_str().unwrap() {
        "" => of["parts"][at].as_str().unwrap().replace('\n', ""),
        name => name.to_owned(),
    };
    let functions = column("/stacks/frames/function").iter().enumerate();
    let names = functions.map(|(at, function)| match place(function) {
        Some(function) => name(&page["functions"], function),
        None => name(&page["stacks"]["frames"], at),
    });
    let names: Vec<String> = names.collect();
    let (mut stack, mut costs) = (Vec::new(), BTreeMap::new());
    let nodes = column("/stacks/depth").iter().zip(column("/stacks/frame"));
    for ((depth, frame), own) in nodes.zip(column("/stacks/self/0")) {
        stack.truncate(place(depth).unwrap());
        // Without what Valgrind adds: the callers, which are above.
        let frame = &names[place(frame).unwrap()];
        stack.push(frame.split('\'').next().unwrap().to_owned());
        *costs.entry(stack.join(";")).or_default() += own.as_i64().unwrap();
    }
    costs
}

/// The heaviest stacks in Markdown.
fn stacks_of_markdown(text: &str) -> Vec<(String, i64)> {
    let (_, table) = text.split_once("### Heaviest stacks").unwrap();
    let rows = table.lines().skip(4).take_while(|row| row.starts_with('|'));
    let cells = rows.map(|row| row.split(" | ").collect::<Vec<_>>());
    let paths = cells.map(|cells| {
        let path = cells[2].trim_end_matches(" |").replace(" → ", ";");
        (
            path.replace('`', ""),
            cells[1].replace(',', "").parse().unwrap(),
        )
    });
    paths.collect()
}

/// The tree, the page, Markdown and collapsed stacks say the same, of traces and of sums.
#[test]
fn all_outputs_have_the_same_stacks() {
    for source in [
        "xdebug3/small.cg",
        "xdebug3/chain.cg",
        "comparison/valgrind-base.cg",
        "stacks/estimated-inclusive.cg",
    ] {
        let text = String::from_utf8(fixtures::bytes(source)).unwrap();
        // Of no unit that would be rounded.
        let profile = read(text.replace("Time_(10ns)", "Time"), stacked());
        let (expected, warnings) = collapsed(&profile);
        assert!(expected.len() > 3 && warnings.is_empty(), "{source}");
        let positive = |mut costs: BTreeMap<String, i64>| {
            costs.retain(|_, cost| *cost > 0);
            costs
        };
        let options = text_options(|options| options.names = Names::Full);
        let stacks = Stacks::new(&profile);
        let tree = text_of(|output| tree::write(&stacks, &options, output));
        assert_eq!(positive(stacks_of_tree(&tree)), expected, "{source}");
        let (_, page) = page::page(&profile);
        let found = positive(stacks_of_page(&page));
        assert_eq!(
            found.values().sum::<i64>(),
            expected.values().sum::<i64>(),
            "{source}"
        );
        for (path, cost) in found.iter().filter(|(path, _)| !path.ends_with('…')) {
            assert_eq!(expected.get(path), Some(cost), "{source}: {path}");
        }
        let markdown = text_of(|output| markdown::write(&stacks, None, &[], &options, output));
        let found = stacks_of_markdown(&markdown);
        let mut heaviest: Vec<i64> = expected.values().copied().collect();
        heaviest.sort_by_key(|&cost| Reverse(cost));
        heaviest.truncate(10);
        assert_eq!(
            found.iter().map(|(_, cost)| *cost).collect::<Vec<_>>(),
            heaviest
        );
        for (path, cost) in found.iter().filter(|(path, _)| !path.contains('…')) {
            let is_short = path.contains(" more;") || expected.get(path) == Some(cost);
            assert!(is_short, "{source}: {path} {cost}");
        }
    }
}

const TRACES: &str = "xdebug2/chain.cg xdebug2/small.cg xdebug2/composer.cg xdebug3/chain.cg \
                      xdebug3/small.cg xdebug3/composer.cg xdebug3/features.cg xdebug3/fibers.cg \
                      xdebug3/proxies.cg";

#[test]
fn every_event_equals_a_walk_over_v4_of_that_event() {
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
