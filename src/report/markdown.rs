//! The report and the comparison as Markdown, for pull requests and summaries of CI jobs.
//!
//! A heading with the verdict, the totals of all wanted events, the top functions as a table, and
//! some more of them in a section that is folded. Names are short, and stand in code spans that
//! nothing in a name can end. The text never has more than [`MOST_CHARACTERS`], so that it always
//! fits into a comment.

use std::io::{self, Write};

use serde::Serialize;

use super::json::Completeness;
use super::text::figures::{Unit, counted, in_units, signed, signed_percent};
use super::text::{EventFigures, Names, Options, Report, command, per_run};
use crate::profile::{ComparedEvent, Comparison, FunctionChange, FunctionSums, Profile};
use crate::shown::names::{SHORT, cut_end, short_names, shorten_path};
use crate::shown::numbers::{grouped, percent};
use crate::shown::text::printable;

/// What GitHub takes are 65,536 characters, and others as many or more.
pub const MOST_CHARACTERS: usize = 60_000;

/// This many characters are left for what stands after the tables.
const RESERVE: usize = 1_000;

/// Rows of the folded table.
const FOLDED: usize = 50;

/// There is no room for more rows than these.
const MOST_ROWS: usize = 4_000;

/// Characters of a code span at most, whatever their width.
const LONGEST_SPAN: usize = 250;

/// The widest command that is shown.
const COMMAND: usize = 120;

/// The widest path of a file that is shown.
const PATH: usize = 50;

/// What was found of a limit on growth.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// Whether it is kept.
    pub kept: bool,
    /// The limit, or by how much it is exceeded.
    pub text: String,
}

/// Writes the report of a profile.
///
/// Of the options, [`top`](Options::top) and [`sort`](Options::sort) have an effect.
///
/// # Errors
///
/// When the output fails.
pub fn write(
    profile: &Profile,
    options: &Options,
    complete: bool,
    mut output: impl Write,
) -> io::Result<()> {
    output.write_all(report(profile, options, complete).as_bytes())?;
    output.flush()
}

/// Writes a comparison, with the verdicts on its limits.
///
/// Of the options, [`top`](Options::top) has an effect.
///
/// # Errors
///
/// When the output fails.
pub fn write_comparison(
    comparison: &Comparison<'_>,
    verdicts: &[Verdict],
    options: &Options,
    complete: Completeness,
    mut output: impl Write,
) -> io::Result<()> {
    output.write_all(changes(comparison, verdicts, options, complete).as_bytes())?;
    output.flush()
}

/// A column's heading, and where its cells stand.
type Column<'a> = (&'a str, &'static str);

const LEFT: &str = "---";
const RIGHT: &str = "--:";

fn report(profile: &Profile, options: &Options, complete: bool) -> String {
    let mut page = Page::default();
    let command = cut_end(&command(profile), Some(COMMAND));
    page.line(&format!("## Profile of {}", span(&command)));
    page.gap();
    let calls = counted(profile.calls(), "call");
    let functions = counted(profile.functions().len() as u64, "function");
    page.line(&format!("{functions}, {calls}"));
    page.completeness((!complete).then_some("profiles are"));
    let report = Report::new(profile, options);
    let total = |event: &EventFigures| vec![cell(&event.name), in_units(event.total, event.unit)];
    page.table(
        &[("event", LEFT), ("total", RIGHT)],
        report.events().map(total),
    );
    let functions = report.functions(|_| true);
    let file = |id| profile.name(profile.function(id).file);
    let rows = functions.iter().take(MOST_ROWS).map(|&id| Row {
        figures: report.first_figures(id).into(),
        name: report.name(id),
        place: place(file(id), profile.function(id).line),
    });
    let headings = report.first_headings();
    let figures = headings.iter().map(|heading| (heading.as_str(), RIGHT));
    let names = [("function", LEFT), ("file:line", LEFT)];
    let columns: Vec<Column<'_>> = figures.chain(names).collect();
    let shown = page.rows(&columns, rows.collect(), options);
    if let Some(rest) = report.rest(&functions[shown..]) {
        page.gap();
        page.line(&rest);
    }
    page.text
}

/// The totals of an event on both sides.
fn totals_row(event: &ComparedEvent<'_>) -> Vec<String> {
    let unit = Unit::of(event.unit, 1);
    vec![
        cell(&printable(event.name)),
        in_units(event.base, unit),
        in_units(event.new, unit),
        signed(event.change(), in_units(event.change(), unit)),
        signed_percent(event.change(), event.base),
    ]
}

fn changes(
    comparison: &Comparison<'_>,
    verdicts: &[Verdict],
    options: &Options,
    complete: Completeness,
) -> String {
    let mut page = Page::default();
    let complete = match [complete.base, complete.new] {
        [true, true] => None,
        [false, true] => Some("base is"),
        [true, false] => Some("new profile is"),
        [false, false] => Some("base and the new profile are"),
    };
    let first = comparison.first();
    let (base, change) = (first.base, first.change());
    let notation = Unit::of(first.unit, 1).notation(base.max(first.new));
    let event = span(&printable(first.name));
    let verdict = match change {
        0 => format!("{event} is unchanged"),
        1.. if base > 0 => format!("{event} grew by {} %", percent(change, base)),
        1.. => format!("{event} grew from nothing"),
        _ => format!(
            "{event} shrank by {} %",
            percent(change.saturating_neg(), base)
        ),
    };
    let broken = verdicts.iter().filter(|verdict| !verdict.kept).count();
    let outcome = match (verdicts, broken) {
        ([], _) => "",
        ([_], 0) => ": the limit is kept",
        (_, 0) => ": all limits are kept",
        ([_], _) => ": the limit is **not** kept",
        (_, 1) => ": a limit is **not** kept",
        _ => ": limits are **not** kept",
    };
    page.line(&format!("## {verdict}{outcome}"));
    page.gap();
    for verdict in verdicts {
        let kept = if verdict.kept { "kept" } else { "**not kept**" };
        page.line(&format!("- {kept}: {}", span(&verdict.text)));
    }
    if comparison.is_per_run {
        // Otherwise it would go on with the list.
        page.gap();
        page.line(&format!("Per run: {}", per_run(comparison.runs())));
    }
    page.completeness(complete);
    page.table(
        &[
            ("event", LEFT),
            ("base", RIGHT),
            ("new", RIGHT),
            ("change", RIGHT),
            ("change %", RIGHT),
        ],
        comparison.events.iter().map(totals_row),
    );
    let changes = &comparison.changes;
    let both = |before: String, after: String| match before == after {
        true => before,
        false => format!("{before} → {after}"),
    };
    let rows = changes.iter().take(MOST_ROWS).map(|change| {
        let cost = change.self_cost();
        let figures = |figure: &dyn Fn(&FunctionSums) -> String| match (&change.base, &change.new) {
            (Some(base), Some(new)) => both(figure(base), figure(new)),
            (None, Some(new)) => format!("new: {}", figure(new)),
            (base, None) => format!("gone: {}", base.as_ref().map_or_else(String::new, figure)),
        };
        Row {
            figures: vec![
                signed(cost, notation.cost(cost)),
                signed_percent(cost, base),
                figures(&|sums| notation.cost(sums.self_cost)),
                figures(&|sums| notation.cost(sums.inclusive)),
                figures(&|sums| grouped(sums.invocations)),
            ],
            name: printable(change.name),
            place: place(change.file, 0),
        }
    });
    let columns = [
        (&*notation.heading("change", "change"), RIGHT),
        ("base %", RIGHT),
        (&notation.heading("self", "self"), RIGHT),
        (&notation.heading("incl", "inclusive"), RIGHT),
        ("calls", RIGHT),
        ("function", LEFT),
        ("file", LEFT),
    ];
    let shown = page.rows(&columns, rows.collect(), options);
    page.gap();
    let rest = &changes[shown..];
    if !rest.is_empty() {
        let count = grouped(rest.len() as u64);
        let change = rest.iter().map(FunctionChange::self_cost);
        let change = change.fold(0, i128::saturating_add);
        let cost = signed(change, notation.with_unit(change));
        page.line(&format!("{count} more changed by {cost} together."));
    }
    let unchanged = counted(comparison.unchanged() as u64, "function");
    page.line(&format!("{unchanged} did not change."));
    page.text
}

/// A row of a table of functions.
struct Row {
    figures: Vec<String>,
    name: String,
    /// Markdown.
    place: String,
}

/// The text, as far as there is room for it.
#[derive(Default)]
struct Page {
    text: String,
    characters: usize,
}

impl Page {
    fn line(&mut self, line: &str) {
        self.characters += line.chars().count() + 1;
        self.text += line;
        self.text += "\n";
    }

    /// A line without text, unless there is one.
    fn gap(&mut self) {
        if !self.text.ends_with("\n\n") {
            self.line("");
        }
    }

    /// Says what is not complete, if anything.
    fn completeness(&mut self, what: Option<&str>) {
        if let Some(what) = what {
            self.gap();
            self.line(&format!(
                "**The {what} not complete**: parts were cut off, skipped or missing."
            ));
        }
    }

    /// Adds a table with the rows that there is room for; tells how many.
    fn table(&mut self, columns: &[Column<'_>], rows: impl Iterator<Item = Vec<String>>) -> usize {
        let row = |cells: &mut dyn Iterator<Item = &str>| {
            let cells = cells.map(|cell| format!(" {cell} |"));
            format!("|{}", cells.collect::<String>())
        };
        self.gap();
        self.line(&row(&mut columns.iter().map(|(heading, _)| *heading)));
        self.line(&row(&mut columns.iter().map(|(_, side)| *side)));
        let mut count = 0;
        for cells in rows {
            let line = row(&mut cells.iter().map(String::as_str));
            if self.characters + line.chars().count() > MOST_CHARACTERS - RESERVE {
                break;
            }
            self.line(&line);
            count += 1;
        }
        count
    }

    /// Adds the first rows, and folded, the next ones; tells how many of them there was room for.
    fn rows(&mut self, columns: &[Column<'_>], mut rows: Vec<Row>, options: &Options) -> usize {
        let top = options.top.unwrap_or(usize::MAX).min(rows.len());
        rows.truncate(top.saturating_add(FOLDED));
        if options.names != Names::Full {
            let names: Vec<_> = rows.iter().map(|row| row.name.as_str()).collect();
            let names = short_names(&names, SHORT);
            for (row, name) in rows.iter_mut().zip(names) {
                row.name = name;
            }
        }
        let cells = |row: &Row| {
            let mut cells = row.figures.clone();
            cells.push(cell(&row.name));
            cells.push(row.place.clone());
            cells
        };
        let (top, folded) = rows.split_at(top);
        let mut shown = 0;
        if !top.is_empty() {
            shown = self.table(columns, top.iter().map(cells));
        }
        if shown == top.len() && !folded.is_empty() {
            self.gap();
            let count = grouped(folded.len() as u64);
            self.line(&format!("<details><summary>{count} more</summary>"));
            shown += self.table(columns, folded.iter().map(cells));
            self.gap();
            self.line("</details>");
        }
        shown
    }
}

/// A file, and its line unless that is 0.
fn place(file: &[u8], line: u64) -> String {
    let path = shorten_path(&printable(file), PATH);
    match line {
        _ if path.is_empty() => String::new(),
        0 => cell(&path),
        line => cell(&format!("{path}:{line}")),
    }
}

/// A text as code, whatever it holds: the marks around it are longer than any in it.
fn span(text: &str) -> String {
    let text = match text.char_indices().nth(LONGEST_SPAN) {
        Some((end, _)) => &text[..end],
        None if text.trim().is_empty() => "???",
        None => text,
    };
    let runs = text.split(|c| c != '`').map(str::len);
    let mark = "`".repeat(runs.max().unwrap_or(0) + 1);
    // Marks that touch would be one.
    let blank = if text.starts_with('`') || text.ends_with('`') {
        " "
    } else {
        ""
    };
    [&mark, blank, text, blank, &mark].concat()
}

/// A text as code in a cell of a table, which ends at a `|` even within code.
fn cell(text: &str) -> String {
    // After a backslash, it cannot be escaped with another one.
    span(&text.replace(r"\|", r"\¦")).replace('|', r"\|")
}
