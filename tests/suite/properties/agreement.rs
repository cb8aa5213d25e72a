//! What two outputs say about the same fact is the same, whatever was read and chosen.

use std::collections::BTreeMap;
use std::fs;

use cg_preprocess::compare::{Limit, Outcome};
use cg_preprocess::io::{Source, Target};
use cg_preprocess::output::{Names, Sort};
use cg_preprocess::profile::{EventChoice, InclusiveCost};
use cg_preprocess::run::{ConvertOptions, Converted, Format, convert};
use cg_preprocess::view::GroupBy;
use proptest::prelude::*;
use serde_json::Value;
use tempfile::TempDir;

use super::small::Profiles;
use crate::common::{Random, get_on};

const ROWS: [GroupBy; 7] = [
    GroupBy::Function,
    GroupBy::Line,
    GroupBy::Class,
    GroupBy::File,
    GroupBy::Object,
    GroupBy::Package,
    GroupBy::Part,
];

/// Words to hide or to look for.
const WORDS: [&str; 5] = ["php::", "run", "vendor/", "a.php", "B::"];

/// A row of a table, by heading.
type Cells = BTreeMap<String, String>;

/// Profiles with a base, and how they are looked at.
struct Case {
    has_sums: bool,
    directory: TempDir,
    inputs: Vec<Source>,
    base: Vec<Source>,
    options: ConvertOptions,
    random: Random,
}

impl Case {
    fn new(seed: u64) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let mut random = Random(seed);
        let [has_traces, has_sums] = *random.pick(&[&[true, false], &[false, true], &[true, true]]);
        let shape = Random(random.below(1 << 40));
        let [inputs, base] = ["new", "base"].map(|side| {
            let (shape, noise) = (shape.clone(), Random(random.below(1 << 40)));
            let mut profiles = Profiles {
                shape,
                noise,
                has_traces,
                has_sums,
                functions: 0,
            };
            let texts = profiles.texts();
            let paths = texts.into_iter().enumerate().map(|(at, text)| {
                let path = directory.path().join(format!("{side}.{at}"));
                fs::write(&path, text).unwrap();
                Source::File(path)
            });
            paths.collect()
        });
        let mut options = ConvertOptions::default();
        options.text.names = Names::Full;
        options.inclusive = match random.below(4) {
            0 => Some(InclusiveCost::Summed),
            _ => Some(InclusiveCost::Once),
        };
        options.events = match random.below(3) {
            0 => EventChoice::Named(vec![b"Dr".to_vec()]),
            1 => EventChoice::First,
            _ => EventChoice::All,
        };
        Case {
            has_sums,
            directory,
            inputs,
            base,
            options,
            random,
        }
    }

    /// What a format says, and what there is to say about it.
    fn converted(
        &self,
        format: Format,
        change: impl FnOnce(&mut ConvertOptions),
    ) -> Result<(String, Converted), String> {
        get_on();
        let path = self.directory.path().join("output");
        let mut options = self.options.clone();
        options.format = format;
        change(&mut options);
        options.output.overwrite_profiles = true;
        let converted = convert(&self.inputs, &Target::File(path.clone()), &options);
        let converted = converted.map_err(|error| error.to_string())?;
        Ok((fs::read_to_string(path).unwrap(), converted))
    }

    fn text(&self, format: Format) -> String {
        self.converted(format, |_| {}).unwrap().0
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.text(Format::Json)).unwrap()
    }

    /// The data of the HTML report.
    fn report(&self) -> Value {
        data_of(&self.text(Format::Html))
    }

    /// Tables have the rows of JSON, the highest first, and sums of those that are left out.
    fn rows_agree(&mut self) {
        let by = *self.random.pick(&ROWS.each_ref());
        let sort = *self
            .random
            .pick(&[&Sort::SelfCost, &Sort::Inclusive, &Sort::Calls]);
        let words = self.random.pick(&WORDS).as_bytes().to_vec();
        self.options.text.by = by;
        self.options.text.sort = sort;
        match self.random.below(3) {
            0 => self.options.text.hide = vec![words],
            1 => self.options.text.filter = Some(words),
            _ => {}
        }
        let [text, markdown] = [Format::Text, Format::Markdown]
            .map(|format| self.converted(format, |_| {}).map(|(text, _)| text));
        let markdown = match markdown {
            Err(_) => return assert_eq!(markdown, text),
            Ok(markdown) => markdown,
        };
        let json = self.json();
        let rows = &json[if by == GroupBy::Function {
            "functions"
        } else {
            "groups"
        }];
        let mut expected: Vec<_> = list(rows).iter().map(|row| cells(row, &json)).collect();
        let (noun, value) = (by.to_string(), heading(sort));
        let rows = listed(markdown_tables(&markdown), &noun);
        let mut found: Vec<_> = rows.iter().map(|row| known(row, &noun)).collect();
        let order: Vec<_> = found.iter().map(|row| figure(row, value)).collect();
        assert!(
            order.is_sorted_by(|one, next| one >= next),
            "{value}: {markdown}"
        );
        expected.sort();
        found.sort();
        assert_eq!(found, expected, "{markdown}");
        // A table of text has some of them.
        for top in [1, rows.len().saturating_sub(1), rows.len(), rows.len() + 1] {
            self.options.text.top = Some(top);
            let text = self.text(Format::Text);
            let (shown, omitted) = rows.split_at(top.min(rows.len()));
            let table = listed(text_tables(&text), &noun);
            let same = |row: &Cells| known(row, &noun);
            let [found, expected] =
                [&table[..], shown].map(|rows| rows.iter().map(same).collect::<Vec<_>>());
            assert_eq!(found, expected, "{top}: {text}");
            // Calls can contain each other.
            let sum: Option<i128> = omitted.iter().map(|row| figure(row, "self")).sum();
            let more = format!("{} more {noun}", omitted.len());
            let rest = text.lines().find(|line| line.contains(&more));
            assert_eq!(rest.is_some(), !omitted.is_empty(), "{top}: {text}");
            if let (Some(rest), Some(sum)) = (rest, sum) {
                let share = match number(&json["total"][0]) {
                    0 => String::new(),
                    total => format!(" ({} %)", percent(sum, total)),
                };
                let sum = format!(" of {}{share}", grouped(sum));
                assert!(rest.ends_with(&sum), "{sum}: {text}");
            }
        }
        self.options.text.top = None;
    }

    /// The HTML report has the functions, groups and stacks of other formats.
    fn report_agrees(&mut self) {
        let report = self.report();
        if report["has_invocations"] == false {
            return;
        }
        for (by, place) in [
            (GroupBy::Function, "/functions".to_owned()),
            (GroupBy::Class, "/groups/class".to_owned()),
            (GroupBy::Package, "/groups/package".to_owned()),
        ] {
            self.options.text.by = by;
            let json = self.json();
            let rows = &json[if by == GroupBy::Function {
                "functions"
            } else {
                "groups"
            }];
            let table = &report.pointer(&place).unwrap();
            let of_report = 0..list(&table["name"]).len();
            let mut of_report: Vec<_> = of_report.map(|at| Figures::of_report(table, at)).collect();
            let mut of_json: Vec<_> = list(rows).iter().map(Figures::of_json).collect();
            of_report.sort();
            of_json.sort();
            assert_eq!(of_report, of_json, "{by}");
        }
        self.options.text.by = GroupBy::Function;
        let mut nodes = nodes(&report);
        let mut costs: BTreeMap<String, i128> = BTreeMap::new();
        for node in &nodes {
            *costs.entry(node.path.join(";")).or_default() += node.own;
        }
        costs.retain(|_, cost| *cost != 0);
        let collapsed = self.text(Format::Collapsed);
        let lines = collapsed.lines().map(|line| line.rsplit_once(' ').unwrap());
        let lines = lines.map(|(path, cost)| (path.to_owned(), cost.parse().unwrap()));
        assert_eq!(lines.collect::<BTreeMap<_, _>>(), costs);
        let mut of_tree = tree(&self.text(Format::Tree));
        of_tree.sort();
        nodes.sort();
        assert_eq!(of_tree, nodes);
    }

    /// What callers call a function for is what the stacks say.
    fn callers_agree(&mut self) {
        self.options.inclusive = Some(InclusiveCost::Once);
        self.options.events = EventChoice::First;
        let (json, report) = (self.json(), self.report());
        if report["has_invocations"] == false {
            return;
        }
        let (nodes, functions) = (nodes(&report), list(&json["functions"]));
        let calls = &report["calls"];
        let ends = |at: usize| {
            ["caller", "callee"].map(|end| name_in(&report["functions"], index(&calls[end][at])))
        };
        let recursive = 0..list(&calls["caller"]).len();
        let recursive = recursive.filter(|&at| digit(&calls["recursive"], at) % 2 == 1);
        let recursive: Vec<_> = recursive.map(ends).collect();
        let mut callees: Vec<_> = functions.iter().collect();
        callees.retain(|row| is_alone(row, functions));
        self.random.shuffle(&mut callees);
        for callee in callees.into_iter().take(3) {
            let name = callee["name"].as_str().unwrap();
            self.options.text.function = Some(name.into());
            let text = self.text(Format::Text);
            let shown = text_tables(&text).into_iter();
            let shown =
                shown.filter(|row| row.contains_key("caller") && row.contains_key("called at"));
            let shown: Vec<Cells> = shown
                .filter(|row| !row["caller"].contains("php::"))
                .collect();
            let mut expected = Vec::new();
            let callers = list(&callee["called_from"]).iter();
            let callers: Vec<_> = callers
                .map(|call| (call, &functions[index(&call["function"])]))
                .filter(|(_, caller)| caller["file"] != "php:internal")
                .collect();
            for (call, caller) in &callers {
                let (calls, line) = (number(&call["calls"]), number(&call["line"]));
                let caller_name = caller["name"].as_str().unwrap();
                expected.push(format!("{calls} {caller_name} {line}"));
                let sites = callers
                    .iter()
                    .filter(|(_, other)| *other == *caller)
                    .count();
                let place = format!(":{line}");
                let row = shown
                    .iter()
                    .find(|row| row["caller"] == caller_name && row["called at"].ends_with(&place));
                if sites > 1 || !is_alone(caller, functions) {
                    continue;
                }
                let row = row.unwrap_or_else(|| panic!("{caller_name}:{line} {text}"));
                if row["% of incl"] == "recursive" {
                    continue;
                }
                let pair = nodes.iter().filter(|node| {
                    node.path
                        .ends_with(&[caller_name.to_owned(), name.to_owned()])
                        && node.path.iter().filter(|frame| *frame == name).count() == 1
                });
                let cost: i128 = pair.clone().map(|node| node.inclusive).sum();
                let is_estimated = pair.clone().any(|node| node.is_estimated);
                let found = (figure(row, "cost"), row["% of incl"].starts_with('~'));
                let is_recursive = recursive.contains(&[caller_name, name].map(str::to_owned));
                if is_recursive || !self.has_sums {
                    assert_eq!(found, (Some(cost), is_estimated), "{caller_name}: {text}");
                }
            }
            let mut found: Vec<_> = shown
                .iter()
                .map(|row| {
                    format!(
                        "{} {} {}",
                        row["calls"],
                        row["caller"],
                        row["called at"].rsplit(':').next().unwrap()
                    )
                })
                .collect();
            found.sort();
            expected.sort();
            assert_eq!(found, expected, "{text}");
        }
        self.options.text.function = None;
    }

    /// A limit passes at the cost and at the calls of a function, and fails one below.
    fn limits_agree(&mut self) {
        self.options.inclusive = None;
        let json = self.json();
        let functions = list(&json["functions"]);
        let mut expected = vec![(String::new(), number(&json["total"][0]), "cost")];
        for row in functions.iter().filter(|row| is_alone(row, functions)) {
            let name = row["name"].as_str().unwrap();
            expected.push((format!("{name}="), number(&row["inclusive"][0]), "cost"));
            if !row["invocations"].is_null() {
                expected.push((format!("{name}="), number(&row["invocations"]), "calls"));
            }
        }
        expected.retain(|&(_, value, _)| value > 0);
        let limits = expected.iter().flat_map(|(name, value, measure)| {
            [*value, value - 1].map(|most| {
                let text = format!("{name}{most}").into_bytes();
                if *measure == "calls" {
                    Limit::calls(&text)
                } else {
                    Limit::cost(&text)
                }
                .unwrap()
            })
        });
        let limits: Vec<_> = limits.collect();
        let (json, converted) = self
            .converted(Format::Json, |options| options.limits = limits)
            .unwrap();
        let json: Value = serde_json::from_str(&json).unwrap();
        let is_complete = json["complete"] == true;
        assert_eq!(is_complete, converted.is_complete());
        let passed = [Outcome::Incomplete, Outcome::Passed][usize::from(is_complete)];
        for (at, (name, value, measure)) in expected.iter().enumerate() {
            for (at, outcome) in [(2 * at, passed), (2 * at + 1, Outcome::Failed)] {
                let (verdict, of_json) = (&converted.verdicts[at], &json["limits"][at]);
                assert_eq!(verdict.outcome, outcome, "{verdict}");
                assert_eq!(of_json["outcome"], outcome.name());
                assert_eq!(
                    (number(&of_json["measured"]), &of_json["measure"]),
                    (*value, &Value::from(*measure)),
                    "{name}"
                );
                assert!(verdict.to_string().contains(&grouped(*value)), "{verdict}");
                assert_eq!(of_json["text"], verdict.to_string());
            }
        }
    }

    /// Tables of a comparison have the changes of JSON, the largest first.
    fn changes_agree(&mut self) {
        let by = *self.random.pick(&ROWS.each_ref());
        let sort = *self
            .random
            .pick(&[&Sort::SelfCost, &Sort::Inclusive, &Sort::Calls]);
        self.options.text.by = by;
        self.options.text.sort = sort;
        self.options.base = self.base.clone();
        let json = self.json();
        let rows = &json[if by == GroupBy::Function {
            "functions"
        } else {
            "groups"
        }];
        let mut expected: Vec<_> = list(rows)
            .iter()
            .map(|row| Change::of_json(row, sort, &json))
            .collect();
        expected.sort();
        for (format, read) in [
            (
                Format::Markdown,
                changes_in_markdown as fn(&str, &str) -> Vec<Change>,
            ),
            (Format::Text, changes_in_text),
        ] {
            let text = self.text(format);
            let mut found = read(&text, &by.to_string());
            let amount = |change: &Change| {
                let amount = change.change.replace([',', '~'], "");
                let amount: i128 = amount
                    .parse()
                    .unwrap_or_else(|_| panic!("{change:?} {text}"));
                amount.abs()
            };
            assert!(
                found
                    .iter()
                    .map(amount)
                    .is_sorted_by(|one, next| one >= next),
                "{text}"
            );
            found.sort();
            assert_eq!(found, expected, "{text}");
        }
        self.options.base.clear();
        self.options.text.by = GroupBy::Function;
        self.options.text.sort = Sort::default();
    }

    /// The sides of a comparison are what each profile is alone, and change places.
    fn sides_agree(&mut self) {
        let is_per_run = self.random.below(2) == 0;
        let noted = |rows: &Value| -> BTreeMap<String, Value> {
            let rows = list(rows).iter().filter(|row| row["transition"].is_null());
            rows.map(|row| {
                (
                    ["object", "file", "name"]
                        .map(|field| row[field].as_str().unwrap())
                        .join(" "),
                    row.clone(),
                )
            })
            .collect()
        };
        let mut alone = Vec::new();
        let mut compared = Vec::new();
        for _ in 0..2 {
            alone.push(noted(&self.json()["functions"]));
            let base = self.base.clone();
            let change =
                |options: &mut ConvertOptions| (options.base, options.per_run) = (base, is_per_run);
            let (json, _) = self.converted(Format::Json, change).unwrap();
            compared.push(serde_json::from_str::<Value>(&json).unwrap());
            (self.inputs, self.base) = (self.base.clone(), self.inputs.clone());
        }
        let base = self.base.clone();
        let change =
            |options: &mut ConvertOptions| (options.base, options.per_run) = (base, is_per_run);
        let (page, _) = self.converted(Format::Html, change).unwrap();
        assert_has_changes(&data_of(&page), &compared[0]);
        let [of_new, of_base] = &alone[..] else {
            panic!("two")
        };
        let (json, swapped) = (&compared[0], &compared[1]);
        for (side, other) in [("base", "new"), ("new", "base")] {
            assert_eq!(json[side], swapped[other]);
        }
        let (rows, other) = (noted(&json["functions"]), noted(&swapped["functions"]));
        assert!(rows.keys().eq(other.keys()), "{rows:?}\n{other:?}");
        assert_eq!(json["unchanged"], swapped["unchanged"]);
        for (key, row) in &rows {
            for (side, other_side, of_side) in [("base", "new", of_base), ("new", "base", of_new)] {
                assert_eq!(row[side], other[key][other_side], "{key}");
                let runs = number(&json[side]["runs"]);
                if is_per_run && runs > 1 {
                    continue;
                }
                for field in ["self", "inclusive", "inclusive_estimated", "invocations"] {
                    let found = &row[side][field];
                    assert_eq!(
                        found,
                        of_side.get(key).map_or(&Value::Null, |row| &row[field]),
                        "{key}"
                    );
                }
            }
        }
    }
}

/// A row of a comparison: how much its sort column changed, absolutely and as a share, and both sides.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Change {
    name: String,
    change: String,
    share: String,
    /// `new`, `gone`, or nothing.
    side: String,
    own: String,
    inclusive: String,
    calls: String,
}

impl Change {
    fn of_json(row: &Value, sort: Sort, json: &Value) -> Self {
        let sides = [&row["base"], &row["new"]];
        let side = match sides.map(Value::is_null) {
            [true, _] => "new",
            [_, true] => "gone",
            _ => "",
        };
        let value = |side: &Value, field: &str| match &side[field] {
            Value::Array(costs) => number(&costs[0]),
            calls => number(calls),
        };
        let is_known = |field: &str| sides.iter().any(|side| !side[field].is_null());
        let pair = |field: &str| {
            if !is_known(field) {
                return String::new();
            }
            let shown = |side: &Value| {
                let is_estimated = side[format!("{field}_estimated")] == true;
                let mark = if is_estimated { "~" } else { "" };
                format!("{mark}{}", grouped(value(side, field)))
            };
            let [base, new] = sides.map(shown);
            match side {
                "new" => new,
                "gone" => base,
                _ if base == new => new,
                _ => format!("{base} → {new}"),
            }
        };
        let field = match sort {
            Sort::Inclusive if is_known("inclusive") => "inclusive",
            Sort::Calls if is_known("invocations") => "invocations",
            _ if is_known("self") => "self",
            _ => "inclusive",
        };
        let change = value(sides[1], field) - value(sides[0], field);
        let whole = match field {
            "invocations" => value(sides[0], field),
            _ => number(&json["base"]["total"][0]),
        };
        let is_estimated = |side: &Value| side[format!("{field}_estimated")] == true;
        let mark = if sides.into_iter().any(is_estimated) {
            "~"
        } else {
            ""
        };
        let difference = value(sides[1], "invocations") - value(sides[0], "invocations");
        let mut calls = pair("invocations");
        if side.is_empty() && difference != 0 {
            calls += &format!(" ({})", signed(difference, grouped));
        }
        Change {
            name: row["name"].as_str().unwrap().to_owned(),
            change: format!("{mark}{}", signed(change, grouped)),
            share: signed(change, |change| percent(change, whole)),
            side: side.to_owned(),
            own: pair("self"),
            inclusive: pair("inclusive"),
            calls,
        }
    }
}

/// A change with its sign, as this shows it without.
fn signed(change: i128, shown: impl Fn(i128) -> String) -> String {
    let digits = shown(change.abs());
    match change {
        _ if !digits.contains(|digit| ('1'..='9').contains(&digit)) => digits,
        ..0 => format!("-{digits}"),
        _ => format!("+{digits}"),
    }
}

fn changes_in_markdown(text: &str, noun: &str) -> Vec<Change> {
    let rows = listed(markdown_tables(text), noun).into_iter();
    let changes = rows.map(|row| {
        let cell = |heading: &str| row.get(heading).cloned().unwrap_or_default();
        let of_sort = |suffix: &str| {
            let cell = row.iter().find(|(heading, _)| heading.ends_with(suffix));
            cell.unwrap().1.clone()
        };
        let name = cell(noun);
        let (name, side) = name.rsplit_once("`, ").unwrap_or((&name, ""));
        Change {
            name: name.to_owned(),
            change: of_sort("change"),
            share: of_sort("%"),
            side: side.to_owned(),
            own: cell("self"),
            inclusive: cell("incl") + &cell("cost"),
            calls: cell("calls"),
        }
    });
    changes.collect()
}

fn changes_in_text(text: &str, noun: &str) -> Vec<Change> {
    let mut changes = Vec::new();
    let mut headings: Vec<String> = Vec::new();
    let mut row: Option<Vec<String>> = None;
    for line in text.lines() {
        let cells = line
            .split("  ")
            .map(str::trim)
            .filter(|cell| !cell.is_empty());
        let cells: Vec<_> = cells.map(str::to_owned).collect();
        if cells.iter().any(|cell| cell == noun)
            && cells.iter().any(|cell| cell.ends_with("change"))
        {
            headings = cells;
        } else if let (Some(row), true) = (row.take(), line.starts_with("    ")) {
            let cell = |at: Option<usize>| row[at.unwrap()].clone();
            let (side, figures) = line.trim().split_once(": ").unwrap_or(("", line.trim()));
            let figure = |heading: &str| {
                let mut figures = figures.split(", ");
                let figure = figures.find_map(|figure| figure.strip_prefix(heading));
                figure.unwrap_or_default().trim().to_owned()
            };
            changes.push(Change {
                name: cell(headings.iter().position(|heading| heading == noun)),
                change: cell(Some(0)),
                share: cell(Some(1)),
                side: side.to_owned(),
                own: figure("self"),
                inclusive: figure("incl") + &figure("cost"),
                calls: figure("calls"),
            });
        } else if !headings.is_empty() {
            row = Some(cells).filter(|cells| cells.len() >= 3);
        }
    }
    changes
}

/// The data of an HTML report.
fn data_of(page: &str) -> Value {
    let (_, data) = page.split_once(r#"id="data">"#).unwrap();
    serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap()
}

/// Sees that an HTML report has both sides of the functions that changed.
fn assert_has_changes(report: &Value, json: &Value) {
    let table = &report["functions"];
    let rows = list(&json["functions"]).iter();
    for row in rows.filter(|row| row["transition"].is_null()) {
        let is_it = |&at: &usize| {
            let file = &report["files"][index(&table["file"][at])];
            *file == row["file"] && row["name"] == name_in(table, at)
        };
        let mut places = (0..list(&table["name"]).len()).filter(is_it);
        let (Some(at), None) = (places.next(), places.next()) else {
            continue;
        };
        let digits = |is: &dyn Fn(&Value) -> bool| {
            [&row["base"], &row["new"]].map(|side| u32::from(is(side)))
        };
        let [base, new] = digits(&|side| !side.is_null());
        assert_eq!(digit(&table["sides"], at), base + 2 * new, "{row}");
        let [base, new] = digits(&|side| side["inclusive_estimated"] == true);
        assert_eq!(digit(&table["estimated"], at), new + 2 * base, "{row}");
        for (column, side) in [("self", "new"), ("base_self", "base")] {
            let cost = &table[column][0][at];
            assert_eq!(number(cost), number(&row[side]["self"][0]), "{row}");
        }
    }
}

/// What a row of a report costs.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Figures {
    name: String,
    calls: i128,
    own: Vec<i128>,
    inclusive: Vec<i128>,
    is_estimated: bool,
}

impl Figures {
    fn of_json(row: &Value) -> Self {
        Figures {
            name: row["name"].as_str().unwrap().to_owned(),
            calls: number(&row["invocations"]),
            own: list(&row["self"]).iter().map(number).collect(),
            inclusive: list(&row["inclusive"]).iter().map(number).collect(),
            is_estimated: row["inclusive_estimated"] == true,
        }
    }

    fn of_report(table: &Value, at: usize) -> Self {
        let costs = |column: &str| {
            list(&table[column])
                .iter()
                .map(|costs| number(&costs[at]))
                .collect()
        };
        Figures {
            name: name_in(table, at),
            calls: number(&table["calls"][at]),
            own: costs("self"),
            inclusive: costs("inclusive"),
            is_estimated: digit(&table["estimated"], at) > 0,
        }
    }
}

/// A name of the HTML report.
fn name_in(table: &Value, at: usize) -> String {
    let [name, parts] = ["name", "parts"].map(|column| table[column][at].as_str().unwrap());
    if name.is_empty() {
        parts.replace('\n', "")
    } else {
        name.to_owned()
    }
}

/// A digit of a column, which ends at its last one that is not 0.
fn digit(column: &Value, at: usize) -> u32 {
    let digit = column.as_str().unwrap().chars().nth(at);
    digit.map_or(0, |digit| digit.to_digit(10).unwrap())
}

/// A node of the stacks.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Node {
    path: Vec<String>,
    calls: i128,
    own: i128,
    inclusive: i128,
    is_estimated: bool,
}

/// The stacks of the HTML report.
fn nodes(report: &Value) -> Vec<Node> {
    let (stacks, frames) = (&report["stacks"], &report["frames"]);
    let mut nodes: Vec<Node> = Vec::new();
    let parents = list(&stacks["parent"])
        .iter()
        .map(|parent| usize::try_from(number(parent)).ok());
    let parents: Vec<_> = parents.collect();
    for (at, &parent) in parents.iter().enumerate() {
        let frame = index(&stacks["frame"][at]);
        let name = match usize::try_from(number(&frames["function"][frame])) {
            Ok(function) if frames["name"][frame] == "" => name_in(&report["functions"], function),
            _ => name_in(frames, frame),
        };
        let above = parent.map_or(&[][..], |parent| &nodes[parent].path);
        let path = [above, &[name]].concat();
        let own = number(&stacks["self"][0][at]);
        nodes.push(Node {
            path,
            calls: number(&stacks["calls"][at]),
            own,
            inclusive: own,
            is_estimated: digit(&stacks["estimated"], at) > 0,
        });
    }
    for (at, parent) in parents.into_iter().enumerate().rev() {
        let inclusive = nodes[at].inclusive;
        parent
            .into_iter()
            .for_each(|parent| nodes[parent].inclusive += inclusive);
    }
    nodes
}

/// The stacks of a tree.
fn tree(text: &str) -> Vec<Node> {
    let Some((_, table)) = text.split_once("\n\n") else {
        return Vec::new();
    };
    let Some(start) = table.lines().next().and_then(|line| line.find("function")) else {
        return Vec::new();
    };
    let mut path: Vec<String> = Vec::new();
    let nodes = table.lines().skip(1).map(|line| {
        let (figures, name) = line.split_at(start);
        let level = (name.len() - name.trim_start().len()) / 2;
        path.truncate(level);
        // The file of one of several siblings.
        path.push(name.trim().split(" (").next().unwrap().to_owned());
        let cells: Vec<_> = figures.split_whitespace().collect();
        let figure = |at: usize| cells[at].replace(',', "").parse().unwrap();
        Node {
            path: path.clone(),
            calls: figure(3),
            own: figure(2),
            inclusive: figure(1),
            is_estimated: cells[0].starts_with('~'),
        }
    });
    nodes.collect()
}

/// Whether no other function has the name of a row.
fn is_alone(row: &Value, rows: &[Value]) -> bool {
    rows.iter()
        .filter(|other| other["name"] == row["name"])
        .count()
        == 1
}

/// What a table calls what it is sorted by.
fn heading(sort: Sort) -> &'static str {
    match sort {
        Sort::SelfCost => "self",
        Sort::Inclusive => "incl",
        _ => "calls",
    }
}

/// The cells of a row of JSON.
fn cells(row: &Value, json: &Value) -> Cells {
    let mut cells = Cells::from([("name".to_owned(), row["name"].as_str().unwrap().to_owned())]);
    for (field, name) in [("self", "self"), ("inclusive", "incl")] {
        let is_estimated = row[format!("{field}_estimated")].as_bool();
        for (at, cost) in list(&row[field]).iter().enumerate() {
            let cost = number(cost);
            if at == 0 {
                let mark = if is_estimated == Some(true) { "~" } else { "" };
                let share = percent(cost, number(&json["total"][0]));
                cells.insert(format!("{name} %"), format!("{mark}{share}"));
                cells.insert(name.to_owned(), grouped(cost));
            } else {
                let event = json["events"][at]["name"].as_str().unwrap();
                cells.insert(format!("{name} {event}"), grouped(cost));
            }
        }
    }
    if !row["invocations"].is_null() {
        cells.insert("calls".to_owned(), grouped(number(&row["invocations"])));
    }
    cells
}

/// The cells of a table that are in JSON, too.
fn known(row: &Cells, noun: &str) -> Cells {
    let cells = row.iter().filter_map(|(heading, cell)| {
        let (first, rest) = heading.split_once(' ').unwrap_or((heading, ""));
        let first = match first {
            _ if heading == noun => "name",
            "cost" => "incl",
            "self" | "incl" | "calls" => first,
            _ => return None,
        };
        Some((format!("{first} {rest}").trim().to_owned(), cell.clone()))
    });
    cells.collect()
}

fn figure(row: &Cells, heading: &str) -> Option<i128> {
    row.get(heading)?.replace([',', '~'], "").parse().ok()
}

fn percent(part: i128, whole: i128) -> String {
    if whole == 0 {
        return "-".to_owned();
    }
    let hundredths = (part * 20_000 + whole) / (2 * whole);
    format!("{}.{:02}", grouped(hundredths / 100), hundredths % 100)
}

fn grouped(number: i128) -> String {
    let mut text = number.to_string();
    for at in (1..text.len().saturating_sub(2))
        .rev()
        .step_by(3)
        .filter(|at| *at > 0)
    {
        text.insert(at, ',');
    }
    text
}

/// The rows of all tables in Markdown.
fn markdown_tables(text: &str) -> Vec<Cells> {
    let mut rows = Vec::new();
    for table in text.split("\n\n").filter(|table| table.starts_with("| ")) {
        let mut lines = table.lines().map(|line| {
            let cells = line.trim_matches('|').split(" | ");
            cells
                .map(|cell| cell.trim().trim_matches('`').to_owned())
                .collect::<Vec<_>>()
        });
        let headings = lines.next().unwrap();
        rows.extend(
            lines
                .skip(1)
                .map(|cells| headings.iter().cloned().zip(cells).collect::<Cells>()),
        );
    }
    rows
}

/// The rows of the first table of such rows, and of those that go on with it.
fn listed(mut tables: Vec<Cells>, noun: &str) -> Vec<Cells> {
    let first = tables
        .iter()
        .find(|row| row.contains_key(noun) && !row.contains_key("total"));
    let headings: Vec<_> = first.into_iter().flat_map(Cells::keys).cloned().collect();
    // A last cell may be empty.
    tables.retain(|row| row.contains_key(noun) && row.keys().all(|key| headings.contains(key)));
    tables
}

/// The rows of all tables in a text.
fn text_tables(text: &str) -> Vec<Cells> {
    let mut rows = Vec::new();
    for table in text.split("\n\n") {
        let mut lines = table.lines().map(|line| {
            let cells = line.split("  ").map(str::trim);
            cells
                .filter(|cell| !cell.is_empty())
                .map(str::to_owned)
                .collect::<Vec<_>>()
        });
        let headings = lines.next().unwrap_or_default();
        rows.extend(lines.map(|cells| headings.iter().cloned().zip(cells).collect::<Cells>()));
    }
    rows
}

fn index(value: &Value) -> usize {
    usize::try_from(number(value)).unwrap()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// A number; 0 for what is not known.
fn number(value: &Value) -> i128 {
    match value {
        Value::Null => 0,
        _ => value.as_i64().map_or_else(|| panic!("{value}"), i128::from),
    }
}

proptest! {
    // A seed says all: there is nothing to make smaller.
    #![proptest_config(ProptestConfig { max_shrink_iters: 0, ..super::config(40) })]

    #[test]
    fn outputs_agree(seed in any::<u64>()) {
        let mut case = Case::new(seed);
        case.report_agrees();
        case.sides_agree();
        case.changes_agree();
        case.limits_agree();
        case.callers_agree();
        case.rows_agree();
    }
}
