//! Graphviz, as it reads our call graphs: the same figures as in our JSON.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::slice::from_ref;

use serde_json::Value;

use crate::callgrind;
use crate::producer::{Bench, Tool};
use crate::profile::{Profile, convert};

const DOT: Tool = Tool::new("dot", "graphviz");

/// A share of the total as the graph shows it.
fn share(cost: i64, total: i64) -> String {
    format!("{:.2} %", 100.0 * cost as f64 / total as f64)
}

/// Without the marks that group digits. Graphviz gives labels as they stand in the file.
fn lines(label: &Value) -> Vec<String> {
    let label = label.as_str().expect("a label").replace(',', "");
    let label = label.replace(r"\\", "\0");
    let lines = label.split(r"\n").map(|line| line.replace('\0', r"\"));
    lines.map(|line| line.replace("&amp;", "&")).collect()
}

fn check(input: &Path) {
    let bench = Bench::new();
    let (graph, json) = (
        bench.path("graph.dot"),
        from_ref(&input.to_owned()).to_vec(),
    );
    convert(&json, &graph, &["-q", "--top", "0", "--names", "full"]);
    let drawn: Value = serde_json::from_str(&DOT.run(DOT.command().arg("-Tjson0").arg(&graph)))
        .expect("Graphviz writes JSON");
    let profile = Profile::json(&json, &["-q"]);
    let total: i64 = profile.functions.iter().map(|row| row.self_costs[0]).sum();

    let functions = profile.functions.iter();
    let shown = functions.filter(|row| row.inclusive[0] * 1000 >= total * 5);
    let mut expected: Vec<_> = shown
        .map(|row| {
            let calls = match row.invocations {
                1 => "1 call".to_owned(),
                calls => format!("{calls} calls"),
            };
            let [inclusive, own] = [row.inclusive[0], row.self_costs[0]];
            let inclusive = format!("incl {}", share(inclusive, total));
            vec![
                row.name.replace(',', ""),
                inclusive,
                format!("self {}", share(own, total)),
                calls,
            ]
        })
        .collect();
    let nodes = drawn["objects"].as_array().expect("nodes");
    let mut found: Vec<_> = nodes.iter().map(|node| lines(&node["label"])).collect();
    found.sort();
    expected.sort();
    assert_eq!(found, expected, "{}", input.display());

    let mut calls: BTreeMap<(usize, usize), [i64; 2]> = BTreeMap::new();
    for (caller, row) in profile.functions.iter().enumerate() {
        for call in &row.sub_calls {
            let sums = calls.entry((caller, call.function)).or_default();
            sums[0] += call.costs[0];
            sums[1] += i64::try_from(call.calls).expect("few calls");
        }
    }
    let is_shown = |at: usize| profile.functions[at].inclusive[0] * 1000 >= total * 5;
    let name = |at: usize| profile.functions[at].name.replace(',', "");
    calls.retain(|&(caller, callee), [cost, _]| {
        *cost * 1000 >= total && is_shown(caller) && is_shown(callee)
    });
    let mut expected: Vec<_> = calls
        .into_iter()
        .map(|((caller, callee), [cost, calls])| {
            let figures = vec![share(cost, total), format!("{calls}×")];
            (name(caller), name(callee), figures)
        })
        .collect();
    let end = |edge: &Value, end: &str| {
        let node = usize::try_from(edge[end].as_u64().expect("a number")).expect("a small one");
        lines(&nodes[node]["label"])[0].clone()
    };
    let edges = drawn["edges"].as_array().expect("edges").iter();
    let mut found: Vec<_> = edges
        .map(|edge| (end(edge, "tail"), end(edge, "head"), lines(&edge["label"])))
        .collect();
    found.sort();
    expected.sort();
    assert!(found.len() > 10);
    assert_eq!(found, expected, "{}", input.display());
}

#[test]
fn nodes_and_edges_have_the_figures_of_the_json() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let fixtures = ["xdebug3/composer.cg", "valgrind/inlined.cg"].map(|name| folder.join(name));
    let session = callgrind::Session::c(&[]);
    let inputs: Vec<PathBuf> = fixtures.into_iter().chain(session.files.clone()).collect();
    inputs.iter().for_each(|input| check(input));
}

/// Names are text, whatever is in them.
#[test]
fn hostile_names_are_read_as_text() {
    let bench = Bench::new();
    let (input, graph) = (bench.path("a.cg"), bench.path("a.dot"));
    let name = r#"a"];n9[label="x\N\ &lt;<b>"#;
    let text = format!("events: Ir\nfl=f\nfn={name}\n1 1\n");
    std::fs::write(&input, text).expect("a file is written");
    convert(from_ref(&input), &graph, &["-q"]);
    let svg = DOT.run(DOT.command().arg("-Tsvg").arg(&graph));
    let shown = name.replace('&', "&amp;").replace('"', "&quot;");
    let shown = shown.replace('<', "&lt;").replace('>', "&gt;");
    assert!(svg.contains(&format!(">{shown}</text>")), "{svg}");
    assert_eq!(svg.matches("class=\"node\"").count(), 1, "{svg}");
}
