//! What outputs say: rows, stacks and figures, read back.

use std::collections::BTreeMap;

use cg_preprocess::output::Sort;
use serde_json::Value;

/// A row of a table, by heading.
pub type Cells = BTreeMap<String, String>;

/// A row of a comparison: how much its sort column changed, absolutely and as a share, and both sides.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Change {
    pub name: String,
    pub change: String,
    pub share: String,
    /// `new`, `gone`, or nothing.
    pub side: String,
    pub own: String,
    pub inclusive: String,
    pub calls: String,
}

impl Change {
    pub fn of_json(row: &Value, sort: Sort, json: &Value) -> Self {
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
pub fn signed(change: i128, shown: impl Fn(i128) -> String) -> String {
    let digits = shown(change.abs());
    match change {
        _ if !digits.contains(|digit| ('1'..='9').contains(&digit)) => digits,
        ..0 => format!("-{digits}"),
        _ => format!("+{digits}"),
    }
}

pub fn changes_in_markdown(text: &str, noun: &str) -> Vec<Change> {
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

pub fn changes_in_text(text: &str, noun: &str) -> Vec<Change> {
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
pub fn data_of(page: &str) -> Value {
    let (_, data) = page.split_once(r#"id="data">"#).unwrap();
    serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap()
}

/// Sees that an HTML report has both sides of the functions that changed.
pub fn assert_has_changes(report: &Value, json: &Value) {
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
pub struct Figures {
    pub name: String,
    pub calls: i128,
    pub own: Vec<i128>,
    pub inclusive: Vec<i128>,
    pub is_estimated: bool,
}

impl Figures {
    pub fn of_json(row: &Value) -> Self {
        Figures {
            name: row["name"].as_str().unwrap().to_owned(),
            calls: number(&row["invocations"]),
            own: list(&row["self"]).iter().map(number).collect(),
            inclusive: list(&row["inclusive"]).iter().map(number).collect(),
            is_estimated: row["inclusive_estimated"] == true,
        }
    }

    pub fn of_report(table: &Value, at: usize) -> Self {
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
pub fn name_in(table: &Value, at: usize) -> String {
    let [name, parts] = ["name", "parts"].map(|column| table[column][at].as_str().unwrap());
    if name.is_empty() {
        parts.replace('\n', "")
    } else {
        name.to_owned()
    }
}

/// A digit of a column, which ends at its last one that is not 0.
pub fn digit(column: &Value, at: usize) -> u32 {
    let digit = column.as_str().unwrap().chars().nth(at);
    digit.map_or(0, |digit| digit.to_digit(10).unwrap())
}

/// A node of the stacks.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Node {
    pub path: Vec<String>,
    pub calls: i128,
    pub own: i128,
    pub inclusive: i128,
    pub is_estimated: bool,
}

/// The stacks of the HTML report.
pub fn nodes(report: &Value) -> Vec<Node> {
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
pub fn tree(text: &str) -> Vec<Node> {
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

/// The lines of a label.
pub type Label = Vec<String>;

/// The lines of the labels of a call graph's functions, and of the calls between two.
pub fn graph(dot: &str) -> (Vec<Label>, BTreeMap<[String; 2], Label>) {
    let (mut functions, mut edges) = (Vec::new(), BTreeMap::new());
    let mut names: BTreeMap<&str, String> = BTreeMap::new();
    for line in dot.lines() {
        let Some((ends, label)) = line.trim().split_once(" [label=\"") else {
            continue;
        };
        let label = label.split("\", ").next().unwrap();
        let label: Vec<_> = label.split("\\n").map(str::to_owned).collect();
        if let Some((caller, callee)) = ends.split_once(" -> ") {
            edges.insert([caller, callee].map(|id| names[id].clone()), label);
        } else if ends != "graph" {
            names.insert(ends, label[0].clone());
            functions.push(label);
        }
    }
    (functions, edges)
}

/// Whether no other function has the name of a row.
pub fn is_alone(row: &Value, rows: &[Value]) -> bool {
    rows.iter()
        .filter(|other| other["name"] == row["name"])
        .count()
        == 1
}

/// What a table calls what it is sorted by.
pub fn heading(sort: Sort) -> &'static str {
    match sort {
        Sort::SelfCost => "self",
        Sort::Inclusive => "incl",
        _ => "calls",
    }
}

/// The cells of a row of JSON.
pub fn cells(row: &Value, json: &Value) -> Cells {
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
pub fn known(row: &Cells, noun: &str) -> Cells {
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

pub fn figure(row: &Cells, heading: &str) -> Option<i128> {
    row.get(heading)?.replace([',', '~'], "").parse().ok()
}

pub fn percent(part: i128, whole: i128) -> String {
    if whole == 0 {
        return "-".to_owned();
    }
    let hundredths = (part * 20_000 + whole) / (2 * whole);
    format!("{}.{:02}", grouped(hundredths / 100), hundredths % 100)
}

pub fn grouped(number: i128) -> String {
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
pub fn markdown_tables(text: &str) -> Vec<Cells> {
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
pub fn listed(mut tables: Vec<Cells>, noun: &str) -> Vec<Cells> {
    let first = tables
        .iter()
        .find(|row| row.contains_key(noun) && !row.contains_key("total"));
    let headings: Vec<_> = first.into_iter().flat_map(Cells::keys).cloned().collect();
    // A last cell may be empty.
    tables.retain(|row| row.contains_key(noun) && row.keys().all(|key| headings.contains(key)));
    tables
}

/// The rows of all tables in a text.
pub fn text_tables(text: &str) -> Vec<Cells> {
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

pub fn index(value: &Value) -> usize {
    usize::try_from(number(value)).unwrap()
}

pub fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// A number; 0 for what is not known.
pub fn number(value: &Value) -> i128 {
    match value {
        Value::Null => 0,
        _ => value.as_i64().map_or_else(|| panic!("{value}"), i128::from),
    }
}
