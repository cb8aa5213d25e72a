//! The report and the comparison as Markdown, for pull requests and summaries of CI jobs.
//!
//! A heading with the verdict, the totals of all wanted events, the top functions as a table, and
//! some more of them in a section that is folded. Names are short, and stand in code spans that
//! nothing in a name can end. The text never has more than [`MOST_CHARACTERS`], so that it always
//! fits into a comment.

use std::borrow::Borrow;
use std::io::{self, Write};

use super::figures::{Unit, counted, in_units, signed, signed_percent};
use super::table::{Place, Row, Table};
use super::text::{ComparisonReport, Names, Options, Report, command, per_run};
use crate::profile::{Comparison, FunctionChange, FunctionSums, Profile};
use crate::shown::names::{SHORT, cut_end};
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

/// The headings of columns that stand at the left; those of figures stand at the right.
const TEXTS: [&str; 4] = ["event", "function", "file", "file:line"];

/// The widest command that is shown.
const COMMAND: usize = 120;

/// The widest path of a file that is shown.
const PATH: usize = 50;

/// What was found of a limit on growth.
#[derive(Clone, Debug, PartialEq, Eq)]
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
pub fn write(profile: &Profile, options: &Options, output: impl Write) -> io::Result<()> {
    let mut page = Page::default();
    let command = cut_end(&command(profile), Some(COMMAND));
    page.line(&format!("## Profile of {}", span(&command)));
    page.gap();
    let calls = counted(profile.calls(), "call");
    let functions = counted(profile.functions().len() as u64, "function");
    page.line(&format!("{functions}, {calls}"));
    page.completeness((!profile.is_complete()).then_some("profiles are"));
    let report = Report::new(profile, options);
    let totals = report.events.iter();
    let totals = totals.map(|event| vec![cell(&printable(event.name)), event.total()]);
    page.table(&["event", "total"], totals);
    let functions = report.functions(&|_| true);
    let table = report.table(first_rows(&functions, options), |function| {
        Place::in_file(profile.name(function.file), function.line)
    });
    let shown = page.functions(table, options);
    if let Some(rest) = report.rest(&functions[shown..]) {
        page.gap();
        page.line(&rest);
    }
    page.write(output)
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
    output: impl Write,
) -> io::Result<()> {
    let mut page = Page::default();
    page.line(&format!("## {}{}", growth(comparison), outcome(verdicts)));
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
    page.completeness(
        match [comparison.base, comparison.new].map(Profile::is_complete) {
            [true, true] => None,
            [false, true] => Some("base is"),
            [true, false] => Some("new profile is"),
            [false, false] => Some("base and the new profile are"),
        },
    );
    let totals = comparison.events.iter().map(|event| {
        let unit = Unit::of(event.unit, 1);
        vec![
            cell(&printable(event.name)),
            in_units(event.base, unit),
            in_units(event.new, unit),
            signed(event.change(), in_units(event.change(), unit)),
            signed_percent(event.change(), event.base),
        ]
    });
    page.table(&["event", "base", "new", "change", "change %"], totals);
    let report = ComparisonReport::new(comparison);
    let notation = report.first.notation;
    let changes = first_rows(&comparison.changes, options);
    let table = report
        .table(changes, |change| Place::in_file(change.file, 0))
        .with(notation.heading("self", "self"), |change| {
            both_sides(change, |sums| notation.cost(sums.self_cost))
        })
        .with(notation.heading("incl", "inclusive"), |change| {
            both_sides(change, |sums| notation.cost(sums.inclusive))
        })
        .with("calls", |change| {
            both_sides(change, |sums| grouped(sums.invocations))
        });
    let shown = page.functions(table, options);
    page.gap();
    if let Some((rest, _)) = report.rest(&comparison.changes[shown..]) {
        page.line(&format!("{rest}."));
    }
    if let Some(unchanged) = report.unchanged() {
        page.line(&format!("{unchanged}."));
    }
    page.write(output)
}

/// What has become of the total of the first event.
fn growth(comparison: &Comparison<'_>) -> String {
    let first = comparison.first();
    let event = span(&printable(first.name));
    let share = percent(first.change().saturating_abs(), first.base);
    match first.change() {
        0 => format!("{event} is unchanged"),
        1.. if first.base > 0 => format!("{event} grew by {share} %"),
        1.. => format!("{event} grew from nothing"),
        _ => format!("{event} shrank by {share} %"),
    }
}

/// What has become of all limits.
fn outcome(verdicts: &[Verdict]) -> &'static str {
    let broken = verdicts.iter().filter(|verdict| !verdict.kept).count();
    match (verdicts, broken) {
        ([], _) => "",
        ([_], 0) => ": the limit is kept",
        (_, 0) => ": all limits are kept",
        ([_], _) => ": the limit is **not** kept",
        (_, 1) => ": a limit is **not** kept",
        _ => ": limits are **not** kept",
    }
}

/// A figure before and after, or of the side that has the function.
fn both_sides(change: &FunctionChange<'_>, figure: impl Fn(&FunctionSums) -> String) -> String {
    match [&change.base, &change.new].map(|side| side.as_ref().map(&figure)) {
        [Some(base), Some(new)] if base == new => base,
        [Some(base), Some(new)] => format!("{base} → {new}"),
        [None, new] => format!("new: {}", new.unwrap_or_default()),
        [Some(base), None] => format!("gone: {base}"),
    }
}

/// The rows that there may be room for.
fn first_rows<'a, T>(all: &'a [T], options: &Options) -> &'a [T] {
    let top = options.top.unwrap_or(usize::MAX);
    let most = top.saturating_add(FOLDED).min(MOST_ROWS);
    &all[..most.min(all.len())]
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

    fn write(self, mut output: impl Write) -> io::Result<()> {
        output.write_all(self.text.as_bytes())?;
        output.flush()
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
    fn table(&mut self, headings: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> usize {
        let sides = headings
            .iter()
            .map(|heading| match TEXTS.contains(heading) {
                true => "---",
                false => "--:",
            });
        self.gap();
        self.line(&row(headings));
        self.line(&row(&sides.collect::<Vec<_>>()));
        let mut count = 0;
        for cells in rows {
            let line = row(&cells);
            if self.characters + line.chars().count() > MOST_CHARACTERS - RESERVE {
                break;
            }
            self.line(&line);
            count += 1;
        }
        count
    }

    /// Adds the first functions, and folded, the others; tells how many of them there was room for.
    fn functions<T>(&mut self, mut table: Table<'_, T>, options: &Options) -> usize {
        if options.names != Names::Full {
            table.shorten_names(SHORT);
        }
        let cells = |row: Row, cell: fn(&str) -> String| {
            let place = Some(row.place.short(PATH)).filter(|place| !place.is_empty());
            let place = place.map_or_else(String::new, |place| cell(&place));
            [row.figures, vec![cell(&row.name), place]].concat()
        };
        let headings = cells(table.headings, str::to_owned);
        let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
        let cells = table.rows.into_iter().map(|row| cells(row, cell));
        let mut top: Vec<_> = cells.collect();
        let folded = top.split_off(options.top.unwrap_or(usize::MAX).min(top.len()));
        let (count, mut shown) = (top.len(), 0);
        if count > 0 {
            shown = self.table(&headings, top);
        }
        if shown == count && !folded.is_empty() {
            self.gap();
            let more = grouped(folded.len() as u64);
            self.line(&format!("<details><summary>{more} more</summary>"));
            shown += self.table(&headings, folded);
            self.gap();
            self.line("</details>");
        }
        shown
    }
}

/// A line of a table.
fn row<S: Borrow<str>>(cells: &[S]) -> String {
    format!("| {} |", cells.join(" | "))
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
