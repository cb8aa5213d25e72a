//! Names that contain every character that names give a meaning to: no report fails, and the figures of
//! all reports agree.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use cg_preprocess::io::{Source, Target};
use cg_preprocess::run::{ConvertOptions, Feature, Format, convert};
use cg_preprocess::view::GroupBy;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value;
use tempfile::TempDir;

/// Pieces of names: each special character, what they are used for, and plain words between them.
const PIECES: [&str; 30] = [
    "'",
    ".",
    "[",
    "]",
    "{",
    "}",
    ":",
    "\\",
    "(",
    ")",
    "\"",
    "<",
    ">",
    ";",
    "|",
    "`",
    "/",
    "->",
    "::",
    "@",
    " ",
    "f",
    "g",
    "o",
    "main",
    "'2",
    ".part.0",
    "[clone .cold]",
    "{closure:/a/b.php:2-3}",
    "src",
];

const FORMATS: [Format; 7] = [
    Format::Text,
    Format::Markdown,
    Format::Tree,
    Format::Collapsed,
    Format::Dot,
    Format::Json,
    Format::Html,
];

/// A function: its name, file and object, its self cost, and which function it calls.
type Function = (String, String, String, u64, usize);

fn name() -> impl Strategy<Value = String> {
    let pieces = vec(select(&PIECES[..]), 1..6);
    // Blanks around a name are no part of it, and `(1)` before it is an id.
    pieces.prop_map(|pieces| format!("n{}n", pieces.concat()))
}

fn functions() -> impl Strategy<Value = Vec<Function>> {
    vec((name(), name(), name(), 1..1000u64, 0..12usize), 1..10)
}

/// A profile in which each function calls a later one, or itself.
fn profile(functions: &[Function], is_trace: bool) -> String {
    let mut text = if is_trace {
        "creator: xdebug 3.4.0\nevents: Ir\n".to_owned()
    } else {
        "events: Ir\n".to_owned()
    };
    // Callees come before their callers.
    for (at, (name, file, object, cost, callee)) in functions.iter().enumerate().rev() {
        if !is_trace {
            writeln!(text, "ob={object}").unwrap();
        }
        write!(text, "fl={file}\nfn={name}\n{} {cost}\n", at + 1).unwrap();
        let callee = at + 1 + callee;
        if let Some((name, file, ..)) = functions.get(callee) {
            write!(
                text,
                "cfl={file}\ncfn={name}\ncalls=1 {callee}\n{} {cost}\n",
                at + 2
            )
            .unwrap();
        }
        text.push('\n');
    }
    text
}

/// What is written in a format, by a kind of rows.
fn written(directory: &Path, format: Format, by: GroupBy, has_base: bool) -> String {
    let source = |name: &str| Source::File(directory.join(name));
    let output = directory.join("out");
    let mut options = ConvertOptions::default();
    options.format = format;
    options.text.by = by;
    options.text.top = Some(usize::MAX);
    options.base = Vec::from_iter(has_base.then(|| source("base")));
    convert(&[source("new")], &Target::File(output.clone()), &options)
        .unwrap_or_else(|error| panic!("{format:?} {by:?}: {error}"));
    fs::read_to_string(output).unwrap()
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value}"))
}

/// The sum of the first costs in a column of JSON rows.
fn sum(rows: &Value, cost: impl Fn(&Value) -> u64) -> u64 {
    rows.as_array().unwrap().iter().map(cost).sum()
}

/// The self costs of the rows of a table as text: the number in the second column.
fn self_costs(text: &str) -> u64 {
    let rows = text.split_once("self %").unwrap().1.lines().skip(1);
    let rows = rows.take_while(|row| !row.is_empty());
    let costs = rows.map(|row| row.split_whitespace().nth(1).unwrap().replace(',', ""));
    costs.map(|cost| cost.parse::<u64>().unwrap()).sum()
}

/// Sees that the JSON document has the total in its functions and in its groups, and that a file costs
/// what its functions do.
fn check_json(text: &str, by: GroupBy, total: u64) {
    let document: Value = text.parse().unwrap();
    let first = |row: &Value| number(&row["self"][0]);
    assert_eq!(number(&document["total"][0]), total);
    assert_eq!(sum(&document["functions"], first), total);
    if matches!(by, GroupBy::Function | GroupBy::Line) {
        return;
    }
    assert_eq!(sum(&document["groups"], first), total, "{by:?}");
    if by == GroupBy::File {
        let mut of_functions: HashMap<&str, u64> = HashMap::new();
        for function in document["functions"].as_array().unwrap() {
            let file = function["file"].as_str().unwrap();
            *of_functions.entry(file).or_default() += first(function);
        }
        let groups = document["groups"].as_array().unwrap();
        let of_groups = groups
            .iter()
            .map(|row| (row["name"].as_str().unwrap(), first(row)));
        assert_eq!(of_groups.collect::<HashMap<_, _>>(), of_functions);
    }
}

/// Sees that the report has the total in its functions and in every kind of groups, and that all numbers
/// of functions and files are such.
fn check_page(text: &str, total: u64) {
    let (_, data) = text.split_once(r#"id="data">"#).unwrap();
    let data: Value = data.split_once("</script>").unwrap().0.parse().unwrap();
    assert_eq!(number(&data["total"][0]), total);
    let functions = data["functions"]["line"].as_array().unwrap().len() as u64;
    let files = data["files"].as_array().unwrap().len() as u64;
    let groups = data["groups"].as_object().unwrap();
    for table in groups.values().chain([&data["functions"]]) {
        assert_eq!(sum(&table["self"][0], number), total);
    }
    for (numbers, count) in [
        (&data["calls"]["caller"], functions),
        (&data["calls"]["callee"], functions),
        (&data["functions"]["file"], files),
        (&data["functions"]["object"], files),
        (&data["lines"]["function"], functions),
    ] {
        assert!(
            numbers
                .as_array()
                .unwrap()
                .iter()
                .all(|at| number(at) < count)
        );
    }
}

fn check(format: Format, by: GroupBy, text: &str, total: u64) {
    match format {
        Format::Text if matches!(by, GroupBy::Line) => {}
        Format::Text => assert_eq!(self_costs(text), total, "{by:?}\n{text}"),
        Format::Json => check_json(text, by, total),
        Format::Html => check_page(text, total),
        Format::Collapsed => {
            let costs = text.lines().map(|line| line.rsplit(' ').next().unwrap());
            assert_eq!(
                costs.map(|cost| cost.parse::<u64>().unwrap()).sum::<u64>(),
                total
            );
        }
        Format::Dot => {
            for line in text.lines() {
                let bare = line.replace("\\\\", "").replace("\\\"", "");
                assert_eq!(bare.matches('"').count() % 2, 0, "{line}");
            }
        }
        _ => assert!(!text.is_empty()),
    }
}

proptest! {
    #![proptest_config(super::config(24))]

    #[test]
    fn reports_agree_whatever_names_contain(
        new in functions(), base in functions(), is_trace: bool, shared in 0..10usize,
    ) {
        let directory = TempDir::new().unwrap();
        let base: Vec<_> = new.iter().take(shared).chain(&base).cloned().collect();
        fs::write(directory.path().join("new"), profile(&new, is_trace)).unwrap();
        fs::write(directory.path().join("base"), profile(&base, is_trace)).unwrap();
        let total = new.iter().map(|(_, _, _, cost, _)| cost).sum();
        for format in FORMATS {
            let kinds: &[GroupBy] = if format.has(Feature::Groups) {
                &[
                    GroupBy::Function, GroupBy::Line, GroupBy::Class, GroupBy::File,
                    GroupBy::Object, GroupBy::Package, GroupBy::Part,
                ]
            } else {
                &[GroupBy::Function]
            };
            for &by in kinds {
                check(format, by, &written(directory.path(), format, by, false), total);
                let compared = written(directory.path(), format, by, true);
                if format == Format::Json {
                    let document: Value = compared.parse().unwrap();
                    prop_assert_eq!(number(&document["new"]["total"][0]), total);
                }
            }
        }
    }
}
