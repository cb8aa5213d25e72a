//! The tables of Valgrind's `callgrind_annotate` and `cg_annotate`.

use std::collections::BTreeMap;
use std::path::Path;

use tempfile::NamedTempFile;

use crate::producer::Tool;
use crate::profile::{Place, text_in};

/// Where the table of functions begins.
const TABLE: &str = "file:function";

/// A function's row.
#[derive(Debug)]
pub struct Row {
    pub cost: i64,
    pub file: String,
    pub name: String,
}

/// Which cost a function's row holds.
#[derive(Clone, Copy)]
pub enum Cost {
    /// Its own.
    SelfCost,
    /// Its own and that of its calls.
    Inclusive,
}

/// Has `callgrind_annotate` tell the costs of all functions.
pub fn callgrind(profile: &Path, event: &str, cost: Cost) -> Vec<Row> {
    rows(&text(profile, event, cost))
        .map(Row::without_object)
        .collect()
}

/// Has it tell the self costs, and sees that they add up to its total.
pub fn self_costs(profile: &Path, event: &str) -> Vec<Row> {
    let text = text(profile, event, Cost::SelfCost);
    let rows: Vec<_> = rows(&text).map(Row::without_object).collect();
    let total = text.lines().find(|line| line.ends_with("PROGRAM TOTALS"));
    let (total, _) = cost_and_place(total.expect("a total")).expect("a number");
    let sum: i64 = rows.iter().map(|row| row.cost).sum();
    assert_eq!(sum, read_number(total), "{event}");
    rows
}

fn text(profile: &Path, event: &str, cost: Cost) -> String {
    let inclusive = match cost {
        Cost::SelfCost => "--inclusive=no",
        Cost::Inclusive => "--inclusive=yes",
    };
    let options = ["--threshold=100", "--auto=no", inclusive];
    let profile = with_counted_calls(profile);
    annotate("callgrind_annotate", profile.path(), event, &options)
}

/// Copies a profile for `callgrind_annotate`, which takes the cost of `calls=0` for the caller's own.
///
/// Such calls are in dumps that were written while the call lasted.
fn with_counted_calls(profile: &Path) -> NamedTempFile {
    let text = text_in(profile);
    let copy = NamedTempFile::new().expect("a temporary file");
    std::fs::write(&copy, text.replace("\ncalls=0 ", "\ncalls=1 ")).expect("a file");
    copy
}

/// Has `cg_annotate` tell the self costs of all functions.
pub fn cachegrind(profile: &Path, event: &str) -> Vec<Row> {
    let options = ["--threshold=0", "--auto=no"];
    let text = annotate("cg_annotate", profile, event, &options);
    rows(&text).collect()
}

/// Has `callgrind_annotate` tell the source lines with their costs, and how often each stands there.
///
/// Rows of calls are left out: of several calls on one line, it knows the last.
pub fn source(profile: &Path) -> BTreeMap<String, i64> {
    let tool = Tool::new("callgrind_annotate", "valgrind");
    let mut command = tool.command();
    let options = [
        "--auto=yes",
        "--threshold=100",
        "--context=0",
        "--show-percs=no",
    ];
    let text = tool.run(command.args(options).arg(profile));
    let lines = text
        .lines()
        .skip_while(|line| !line.starts_with("-- Auto-annotated"));
    let lines = lines.take_while(|line| !line.starts_with("The following files"));
    let lines = lines.filter(|line| !line.contains(" => ") && !line.starts_with("--"));
    crate::profile::sums(
        lines.map(|line| (line.split_whitespace().collect::<Vec<_>>().join(" "), 1)),
    )
}

/// Runs a tool from `/`, since both strip the current directory from names.
fn annotate(name: &'static str, profile: &Path, event: &str, options: &[&str]) -> String {
    let tool = Tool::new(name, "valgrind");
    let mut command = tool.command();
    command.current_dir("/").args(options).arg(profile);
    command.arg(format!("--show={event}"));
    command.arg(format!("--sort={event}"));
    tool.run(&mut command)
}

/// Reads rows such as `1,234 (12.34%)  file.c:function [object]`.
fn rows(text: &str) -> impl Iterator<Item = Row> {
    table(text).skip(1).map_while(Row::read)
}

/// The lines after the heading of the table of functions.
fn table(text: &str) -> impl Iterator<Item = &str> {
    let mut table = text.lines().skip_while(|line| !line.ends_with(TABLE));
    assert!(table.next().is_some(), "no table of functions in:\n{text}");
    table
}

impl Row {
    /// Reads a row; the empty line after the table is none.
    fn read(line: &str) -> Option<Self> {
        let (cost, place) = cost_and_place(line)?;
        let (file, name) = file_and_name(place);
        Some(Row {
            cost: read_number(cost),
            file,
            name,
        })
    }

    fn without_object(self) -> Self {
        let name = without_object(&self.name).to_owned();
        Row { name, ..self }
    }
}

/// Splits a row before the place, and leaves out the percentage between, if there is one.
fn cost_and_place(line: &str) -> Option<(&str, &str)> {
    let (cost, rest) = line.trim_start().split_once(' ')?;
    let rest = rest.trim_start();
    let place = if rest.starts_with('(') {
        rest.split_once(')').expect("a percentage").1
    } else {
        rest
    };
    Some((cost, place.trim_start()))
}

fn file_and_name(place: &str) -> (String, String) {
    let (file, name) = place.split_once(':').expect("file:function");
    (file.to_owned(), name.to_owned())
}

/// Removes the object after a name: a path, or `???`.
fn without_object(name: &str) -> &str {
    match name.rsplit_once(" [") {
        Some((name, object)) if object.starts_with(['/', '?']) => name,
        _ => name,
    }
}

/// Reads `1,234`; a dot stands for no cost at all.
fn read_number(text: &str) -> i64 {
    match text {
        "." => 0,
        _ => text.replace(',', "").parse().expect("a number"),
    }
}

/// A caller's name, the callee, and how often it is called.
pub type Calls = ((String, Place), i64);

/// Has `callgrind_annotate` tell who calls whom how often.
pub fn calls(profile: &Path, event: &str) -> Vec<Calls> {
    let options = ["--threshold=100", "--auto=no", "--tree=calling"];
    let text = annotate("callgrind_annotate", profile, event, &options);
    let mut caller = String::new();
    let mut calls = Vec::new();
    for line in table(&text) {
        let Some((_, place)) = cost_and_place(line) else {
            continue;
        };
        if let Some(place) = place.strip_prefix("*  ") {
            caller = file_and_name(without_object(place)).1;
        } else if let Some(place) = place.strip_prefix(">   ") {
            // `file.c:function (12x) [object]`
            let (place, count) = without_object(place).rsplit_once(" (").expect("a count");
            let count = read_number(count.trim_end_matches("x)"));
            calls.push(((caller.clone(), file_and_name(place)), count));
        }
    }
    calls
}
