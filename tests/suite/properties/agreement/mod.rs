//! What two outputs say about the same fact is the same, whatever was read and chosen.

mod outputs;

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
use outputs::*;

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

    /// A call graph has the functions of JSON that cost enough, and the calls of the stacks.
    fn graph_agrees(&self) {
        let (json, report) = (self.json(), self.report());
        if report["has_invocations"] == false {
            return;
        }
        let (rows, total) = (list(&json["functions"]), number(&json["total"][0]));
        let dot = self.text(Format::Dot);
        let names: Vec<_> = rows
            .iter()
            .map(|row| row["name"].as_str().unwrap())
            .collect();
        let (mut found, edges) = graph(&dot);
        let shown = |row: &&Value| number(&row["inclusive"][0]) * 200 >= total && total > 0;
        let label = |row: &Value| {
            let share = |field: &str| percent(number(&row[field][0]), total);
            let mark = if row["inclusive_estimated"] == true {
                "~"
            } else {
                ""
            };
            let calls = number(&row["invocations"]);
            let noun = if calls == 1 { "call" } else { "calls" };
            vec![
                row["name"].as_str().unwrap().to_owned(),
                format!("incl {mark}{} %", share("inclusive")),
                format!("self {} %", share("self")),
                format!("{} {noun}", grouped(calls)),
            ]
        };
        let mut expected: Vec<_> = rows.iter().filter(shown).map(label).collect();
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "{dot}");
        // Sums of recursive calls are no costs of stacks.
        if self.has_sums || self.options.inclusive == Some(InclusiveCost::Summed) {
            return;
        }
        let nodes = nodes(&report);
        for (caller, callee) in rows.iter().flat_map(|callee| {
            let calls = list(&callee["called_from"]).iter();
            calls.map(move |call| (&rows[index(&call["function"])], callee))
        }) {
            let pair = [caller, callee].map(|row| row["name"].as_str().unwrap().to_owned());
            if pair
                .iter()
                .any(|end| names.iter().filter(|name| *name == end).count() > 1)
            {
                continue;
            }
            // Where the calls are nested, only the outermost count.
            let pairs = |node: &Node| node.path.windows(2).filter(|ends| **ends == pair).count();
            let calls = nodes.iter().filter(|node| node.path.ends_with(&pair));
            let outermost = calls.clone().filter(|node| pairs(node) == 1);
            let cost: i128 = outermost.map(|node| node.inclusive).sum();
            let number: i128 = calls.map(|node| node.calls).sum();
            let label = vec![format!("{} %", percent(cost, total)), format!("{number}×")];
            let is_shown = shown(&caller) && shown(&callee) && cost * 1000 >= total;
            assert_eq!(
                edges.get(&pair),
                is_shown.then_some(&label),
                "{pair:?} {dot}"
            );
        }
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

proptest! {
    // A seed says all: there is nothing to make smaller.
    #![proptest_config(ProptestConfig { max_shrink_iters: 0, ..super::config(40) })]

    #[test]
    fn outputs_agree(seed in any::<u64>()) {
        let mut case = Case::new(seed);
        case.report_agrees();
        case.graph_agrees();
        case.sides_agree();
        case.changes_agree();
        case.limits_agree();
        case.callers_agree();
        case.rows_agree();
    }
}
