//! Graphviz, as it reads our call graphs: the same figures as in our JSON.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::slice::from_ref;

use serde_json::Value;

use crate::callgrind;
use crate::producer::{Bench, Tool};
use crate::profile::{Profile, Row, convert, list, number, signed};

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

/// What nodes and edges say, in order.
fn sorted<T: Ord>(rows: impl Iterator<Item = T>) -> Vec<T> {
    let mut rows: Vec<_> = rows.collect();
    rows.sort();
    rows
}

fn check(input: &PathBuf) {
    let bench = Bench::new();
    let graph = bench.path("graph.dot");
    let options = ["-q", "--top", "0", "--names", "full"];
    convert(from_ref(input), &graph, &options);
    let drawn = DOT.run(DOT.command().arg("-Tjson0").arg(&graph));
    let drawn: Value = serde_json::from_str(&drawn).expect("Graphviz writes JSON");
    let profile = Profile::json(from_ref(input), &["-q", "--inclusive", "once"]);
    let total = profile.total();
    // Levels of recursion (`f'2`) are `f`, which has called them.
    let mut rows = profile.functions.clone();
    let folded = |at: usize, rows: &[Row]| {
        let name = rows[at].name.trim_end_matches(|c: char| c.is_ascii_digit());
        let outer = name.strip_suffix('\'');
        let found = outer.and_then(|outer| rows.iter().position(|row| row.name == outer));
        found.unwrap_or(at)
    };
    for at in 0..rows.len() {
        let outer = folded(at, &rows);
        if outer != at {
            rows[outer].self_costs[0] += rows[at].self_costs[0];
            rows[outer].invocations += rows[at].invocations;
            let calls = std::mem::take(&mut rows[at].sub_calls);
            rows[outer].sub_calls.extend(calls);
            rows[at].inclusive[0] = 0;
        }
        for call in 0..rows[outer].sub_calls.len() {
            let callee = folded(rows[outer].sub_calls[call].function, &rows);
            rows[outer].sub_calls[call].function = callee;
        }
    }

    let name = |row: &Row| row.name.replace(',', "");
    let is_shown = |row: &Row| row.inclusive[0] * 1000 >= total * 5;
    let shown = rows.iter().filter(|row| is_shown(row));
    let expected = shown.map(|row| {
        let calls = match row.invocations {
            1 => "1 call".to_owned(),
            calls => format!("{calls} calls"),
        };
        let [inclusive, own] = [row.inclusive[0], row.self_costs[0]].map(|cost| share(cost, total));
        let [inclusive, own] = [format!("incl {inclusive}"), format!("self {own}")];
        vec![name(row), inclusive, own, calls]
    });
    let nodes = list(&drawn["objects"], |node| lines(&node["label"]));
    assert_eq!(sorted(nodes.iter().cloned()), sorted(expected));

    let mut calls: BTreeMap<[usize; 2], [i64; 2]> = BTreeMap::new();
    for (caller, row) in rows.iter().enumerate() {
        for call in &row.sub_calls {
            let sums = calls.entry([caller, call.function]).or_default();
            sums[0] += call.costs[0];
            sums[1] += signed(call.calls);
        }
    }
    let calls = calls.into_iter().filter_map(|(ends, [cost, calls])| {
        let ends = ends.map(|end| &rows[end]);
        // Recursive calls, whose costs contain each other, cost no more than their functions.
        let [caller, callee] = ends.map(|end| end.inclusive[0]);
        let cost = cost.min(caller).min(callee);
        let is_drawn = cost * 1000 >= total && ends.iter().all(|row| is_shown(row));
        let figures = vec![share(cost, total), format!("{calls}×")];
        is_drawn.then(|| (ends.map(name), figures))
    });
    let edges = list(&drawn["edges"], |edge| {
        let ends = ["tail", "head"].map(|end| usize::try_from(number(&edge[end])));
        let ends = ends.map(|end| nodes[end.expect("a node")][0].clone());
        (ends, lines(&edge["label"]))
    });
    assert!(edges.len() > 10);
    assert_eq!(sorted(edges.into_iter()), sorted(calls));
}

#[test]
fn nodes_and_edges_have_the_figures_of_the_json() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let fixtures = ["xdebug3/composer.cg", "valgrind/inlined.cg"].map(|name| directory.join(name));
    let session = callgrind::Session::c(&[]);
    let inputs: Vec<PathBuf> = fixtures.into_iter().chain(session.files.clone()).collect();
    inputs.iter().for_each(check);
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
