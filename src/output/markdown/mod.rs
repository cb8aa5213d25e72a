//! Reports and comparisons as Markdown, for pull requests and summaries of CI jobs.
//!
//! A report contains a heading with the verdict on limits, the totals of all requested events, a
//! table of the top functions, and more functions in a folded section. Names are short, in code spans
//! that no name can end. The text has at most [`MAX_CHARACTERS`], so it always fits into a comment.

mod body;

use std::cmp::Reverse;
use std::io::Write;
use std::iter;

pub use self::body::MAX_CHARACTERS;
use self::body::{Body, cell, place_cell, span};
pub use super::figures::ReportError as Error;
use super::figures::report::{Column, Columns, Report};
use super::figures::row::Row;
use super::figures::table::SourceLocation;
use super::figures::{absence, change, command, per_run, signed, signed_percent};
use super::options::Wanted;
use super::{Names, ReportOptions, Sort};
use crate::compare::{Comparison, Outcome, Side, Transition, Verdict};
use crate::display::numbers::{counted, grouped, percent};
use crate::display::text::printable;
use crate::display::units::in_units;
use crate::io::SourceFiles;
use crate::names::{Named, SHORT, cut_end, short_name};
use crate::profile::{Cost, FunctionId, Line};
use crate::stacks::{StackId, Stacks};
use crate::tables::first_cost;
use crate::view::View;

/// The most stacks, and the most lines, among the costliest.
const MAX_COSTLIEST: usize = 10;

/// The most frames of a stack, half of them from its beginning.
const MAX_FRAMES: usize = 12;

/// The most rows of the folded table.
const MAX_FOLDED_ROWS: usize = 50;

/// The most rows that can fit.
const MAX_ROWS: usize = 4_000;

/// The most columns of a command.
const COMMAND: usize = 120;

/// Writes the report of a profile, with the verdicts on its limits: the totals, the costliest
/// functions, the costliest stacks, the costliest lines, and the command for more details.
///
/// `rows` are the functions or groups that are listed.
///
/// Of the options, [`top`](ReportOptions::top), [`sort`](ReportOptions::sort),
/// [`filter`](ReportOptions::filter) and [`names`](ReportOptions::names) have an effect, and
/// [`function`](ReportOptions::function): that is shown as in [text](super::text), with the source code
/// that `sources` contains.
///
/// # Errors
///
/// When the output fails, or if nothing has the requested name or words; nothing is written then.
pub fn write(
    stacks: &Stacks<'_>,
    functions: &View<'_>,
    rows: &View<'_>,
    verdicts: &[Verdict],
    options: &ReportOptions,
    sources: &mut SourceFiles,
    output: impl Write,
) -> Result<(), Error> {
    let options = &for_no_terminal(options);
    let report = Report::new(functions, options);
    let rows = Report::new(rows, options);
    let command = cut_end(&command(stacks.profile()), Some(COMMAND));
    let title = format!("Profile of {}", span(&command));
    let body = body(title, &report, &rows, verdicts, sources, Some(stacks))?;
    Ok(body.write(output)?)
}

/// Writes a comparison, with the verdicts on its limits.
///
/// The same options as of [`write()`] have an effect.
///
/// # Errors
///
/// When the output fails, or if nothing has the requested name or words; nothing is written then.
pub fn write_comparison(
    comparison: &Comparison<'_>,
    verdicts: &[Verdict],
    options: &ReportOptions,
    sources: &mut SourceFiles,
    output: impl Write,
) -> Result<(), Error> {
    let options = &for_no_terminal(options);
    let report = Report::new(comparison, options);
    let title = growth(&report, comparison);
    let body = body(title, &report, &report, verdicts, sources, None)?;
    Ok(body.write(output)?)
}

/// Options for tables in text that is not a terminal's.
fn for_no_terminal(options: &ReportOptions) -> ReportOptions {
    ReportOptions {
        width: None,
        color: false,
        ..options.clone()
    }
}

/// A report with a title and the sections at its end. `groups` has the functions or groups that are listed.
fn body(
    title: String,
    report: &Report<'_>,
    groups: &Report<'_>,
    verdicts: &[Verdict],
    sources: &mut SourceFiles,
    stacks: Option<&Stacks<'_>>,
) -> Result<Body, Error> {
    let function = groups.options.function.as_ref();
    let found = function.map(|_| groups.found(sources)).transpose()?;
    let mut wanted = None;
    let mut end = Body {
        reserve: MAX_CHARACTERS / 2,
        ..Body::default()
    };
    if found.is_none() {
        wanted = groups.wanted()?;
        repeated(&mut end, groups, wanted.as_ref().map(Wanted::shown));
    }
    if let Some(stacks) = stacks.filter(|_| groups.options.shows_all()) {
        digest(&mut end, report, stacks);
    }
    let mut body = Body {
        reserve: end.characters,
        ..Body::default()
    };
    heading(&mut body, &title, report, verdicts);
    totals(&mut body, report);
    parts(&mut body, report);
    if let Some(tables) = found {
        body.code(tables, groups.options);
        return Ok(body);
    }
    let top = groups.options.most(groups.len()).min(MAX_ROWS);
    let most = top + MAX_FOLDED_ROWS;
    let listed = match (&wanted, &groups.options.filter) {
        (Some(found), Some(words)) => {
            let found = found.shown();
            let count = counted(found.len() as u64, groups.kind.by.name());
            body.paragraph(&format!(
                "Filter: {} matches {count}",
                span(&printable(words))
            ));
            groups.listed(found.iter().copied(), most)
        }
        _ => groups.listed(0..groups.len(), most),
    };
    let shown = functions(&mut body, groups, &listed.rows, top);
    body.gap();
    for line in groups.rest(&listed, shown) {
        body.line(&format!("{line}."));
    }
    if !end.text.is_empty() {
        body.gap();
        body.text += &end.text;
    }
    Ok(body)
}

/// Adds the title, the verdicts, and what to know about the profiles.
fn heading(body: &mut Body, title: &str, report: &Report<'_>, verdicts: &[Verdict]) {
    body.line(&format!("## {title}{}", outcome(verdicts)));
    body.verdicts(verdicts);
    match report.comparison {
        None => {
            let counts = report.counts().into_iter();
            let counts: Vec<_> = counts
                .map(|(what, count)| format!("{what}: {count}"))
                .collect();
            body.paragraph(&counts.join(", "));
        }
        Some(comparison) if comparison.is_per_run => {
            body.paragraph(&format!("Per run: {}", per_run(comparison.runs())));
        }
        Some(_) => {}
    }
    if let Some(hidden) = report.hidden() {
        body.paragraph(&format!("Hidden: {}", span(&hidden)));
    }
    let incomplete = report.sides();
    let incomplete = incomplete.filter(|(_, view)| !view.profile().is_complete());
    let incomplete: Vec<Side> = incomplete.map(|(side, _)| side).collect();
    let what = match (report.comparison, &incomplete[..]) {
        (_, []) => None,
        (None, _) => Some("profiles are"),
        (_, [Side::Base]) => Some("base is"),
        (_, [Side::New]) => Some("new profile is"),
        _ => Some("base and the new profile are"),
    };
    if let Some(what) = what {
        body.paragraph(&format!(
            "**The {what} not complete**: parts were truncated, skipped or missing."
        ));
    }
    if let Some(caution) = report.caution(report.first()) {
        body.paragraph(&format!("Caution: {caution}."));
    }
}

/// Adds a table of the totals of all events.
fn totals(body: &mut Body, report: &Report<'_>) {
    let headings: &[&str] = match report.comparison {
        None => &["event", "total"],
        Some(_) => &["event", "base", "new", "change", "change %"],
    };
    let rows = report.events.iter().map(|event| {
        let change = change(event.totals.map(Some));
        let total = match event.peak() {
            Some(peak) => format!("{} allocated, {peak} at the peak", event.total()),
            None => event.total(),
        };
        let name = cell(&printable(event.name));
        if report.comparison.is_none() {
            return vec![name, total];
        }
        let base = in_units(event.totals.base, event.unit);
        let share = signed_percent(change, event.totals.base);
        let change = signed(change, in_units(change, event.unit));
        vec![name, base, total, change, share]
    });
    body.rows(headings, 0..1, rows);
}

/// Adds a table of the named parts, if there are any.
fn parts(body: &mut Body, report: &Report<'_>) {
    let parts = report.parts();
    let (top, _) = report.options.split(&parts);
    let table = report.table(["part", ""], &report.part_columns());
    let shown = body.table(table, top, |_, name| cell(name));
    if shown < parts.len() {
        let more = counted((parts.len() - shown) as u64, "more part");
        body.paragraph(&format!("{more}."));
    }
}

/// Adds a table of the first rows, and a folded one of the others. Returns the number of rows that fit.
fn functions(body: &mut Body, report: &Report<'_>, rows: &[Row<'_>], top: usize) -> usize {
    let (top, folded) = rows.split_at(top.min(rows.len()));
    let notation = report.first().notation;
    let mut values = report.values();
    values.retain(|_| report.comparison.is_some());
    let add = |body: &mut Body, rows| {
        let table = report.function_table();
        let table = values.iter().fold(table, |table, column| {
            let heading = match column.value {
                Sort::Calls => column.name.to_owned(),
                _ => notation.heading(column.name),
            };
            table.with(heading, |row| report.on_sides(row, column.value))
        });
        body.table(table, rows, |row, name| {
            let change = row.change;
            let word = change
                .and_then(|change| absence(change.sums))
                .map(str::to_owned);
            let transition = change.and_then(|change| change.transition.as_ref());
            let transition = transition
                .map(|Transition { word, what }| format!("{word} {}", name_cell(report, what)));
            let name = [Some(name_cell(report, name)), word, transition];
            name.into_iter().flatten().collect::<Vec<_>>().join(", ")
        })
    };
    let mut shown = add(body, top);
    if shown == top.len() && !folded.is_empty() {
        let more = grouped(folded.len() as u64);
        body.paragraph(&format!("<details><summary>{more} more</summary>"));
        shown += add(body, folded);
        body.paragraph("</details>");
    }
    shown
}

/// Adds a table of the calls that one line makes repeatedly, if there are any.
fn repeated(body: &mut Body, report: &Report<'_>, wanted: Option<&[usize]>) {
    let calls = report.repeated_calls(wanted);
    let top = report.options.most(calls.len()).min(MAX_COSTLIEST);
    if top == 0 {
        return;
    }
    let has_places = report.comparison.is_none();
    let figures = report.repeated_headings();
    let mut headings: Vec<&str> = figures.iter().map(String::as_str).collect();
    headings.extend(["callee", "caller"]);
    headings.extend(has_places.then_some("called at"));
    let rows = calls[..top].iter().map(|calls| {
        let callee = name_cell(report, &calls.callee.shown());
        let callee = [Some(callee.as_str()), calls.absence(report)];
        let callee: Vec<&str> = callee.into_iter().flatten().collect();
        let mut cells = report.repeated_figures(calls);
        cells.extend([callee.join(", "), name_cell(report, &calls.caller.shown())]);
        cells.extend(has_places.then(|| place_cell(&SourceLocation::of(&calls.place))));
        cells
    });
    body.paragraph("### Repeated calls");
    body.paragraph(report.about_repeated());
    body.rows(&headings, figures.len()..headings.len(), rows);
}

fn name_cell(report: &Report<'_>, name: &str) -> String {
    match report.options.names {
        Names::Full => cell(name),
        _ => cell(&report.kind.short_name(name, SHORT)),
    }
}

/// The sections after the table of functions: the costliest stacks, the costliest lines, and the command
/// that shows more about the first function.
fn digest(body: &mut Body, report: &Report<'_>, stacks: &Stacks<'_>) {
    let (profile, first) = (report.view, report.first());
    let columns = Columns {
        values: vec![Column::SELF],
        whole: Some(first.whole),
        has_sides: false,
    };
    let paths = costliest(stacks.nodes(), |&id| first_cost(stacks.self_costs(id)));
    if profile.edges().len() > 0 && !paths.is_empty() {
        body.paragraph("### Costliest stacks");
        let rows = paths.iter().map(|&id| {
            let (costs, is_estimated) = (stacks.self_costs(id), stacks.is_estimated(id));
            Row {
                text: Some(path(report, stacks, id)),
                ..report.row_of(Named::default(), costs, is_estimated)
            }
        });
        let rows: Vec<Row<'_>> = rows.collect();
        let table = report.table(["stack", ""], &columns);
        body.table(table, &rows, |_, path| path.to_owned());
        if paths.iter().any(|&id| stacks.is_estimated(id)) {
            body.paragraph("`~`: an estimate, because the profile does not record which caller the cost belongs to.");
        }
    }
    let (known, unknown): (Vec<_>, Vec<_>) = profile
        .functions()
        .flat_map(|(id, _)| profile.lines(id).map(move |line| (id, line)))
        .partition(|(_, line)| line.line > 0);
    let costs = unknown
        .iter()
        .map(|(_, line)| first.cost(Side::New, line.costs));
    let unknown: i128 = costs.sum();
    let lines = costliest(known.into_iter(), |(_, line)| first_cost(line.costs));
    let is_elsewhere = |(id, line): &(FunctionId, Line<'_>)| {
        line.file.is_some() || line.line != profile.function(*id).line
    };
    let has_lines = lines.iter().any(is_elsewhere);
    if has_lines {
        body.paragraph("### Costliest lines");
        let rows = lines.iter().map(|&(id, line)| {
            let own = profile.named(id);
            let named = Named {
                file: line.file.map_or(own.file, |file| profile.name(file)),
                line: line.line,
                ..own
            };
            report.row_of(named, line.costs, false)
        });
        let rows: Vec<Row<'_>> = rows.collect();
        let table = report.table(["function", "line"], &columns);
        body.table(table, &rows, |_, name| name_cell(report, name));
        if unknown != 0 {
            let cost = first.with_share_of(unknown, first.whole);
            body.paragraph(&format!("Not on any known line: {cost}."));
        }
    }
    if let Some(row) = report.listed(0..report.len(), 1).rows.first() {
        let quoted = |text: &str| text.replace('\'', r"'\''");
        let name = quoted(&short_name(&row.shown(), COMMAND));
        let hidden = profile.hidden().map_or_else(String::new, |hidden| {
            let words: Vec<&str> = hidden.words().collect();
            format!(" --hide '{}'", quoted(&words.join(" ")))
        });
        let source = if has_lines { " --source DIR" } else { "" };
        body.paragraph("### Next");
        body.paragraph("The callers, callees and lines of the first function:");
        body.paragraph(&format!(
            "    cg-preprocess PROFILE -f text --function '{name}'{hidden}{source}"
        ));
    }
}

/// The most expensive items with a positive cost.
fn costliest<T>(all: impl Iterator<Item = T>, cost: impl Fn(&T) -> Cost) -> Vec<T> {
    let mut all: Vec<T> = all.filter(|one| cost(one) > 0).collect();
    all.sort_by_key(|one| Reverse(cost(one)));
    all.truncate(MAX_COSTLIEST);
    all
}

/// The frames of a stack as code spans, from the root on.
fn path(report: &Report<'_>, stacks: &Stacks<'_>, id: StackId) -> String {
    let mut frames: Vec<StackId> = iter::successors(Some(id), |&id| stacks.parent(id)).collect();
    frames.reverse();
    let left_out = frames.len().saturating_sub(MAX_FRAMES);
    let (begin, end) = frames.split_at(frames.len().min(MAX_FRAMES) / 2);
    let frame = |&id: &StackId| name_cell(report, &printable(stacks.frame(id)));
    let more = (left_out > 0).then(|| format!("{} more", grouped(left_out as u64)));
    let begin = begin.iter().map(frame).chain(more);
    let shown: Vec<String> = begin.chain(end[left_out..].iter().map(frame)).collect();
    shown.join(" → ")
}

/// The change of the first event's total, for the heading.
fn growth(report: &Report<'_>, comparison: &Comparison<'_>) -> String {
    let first = comparison.first();
    let event = span(&printable(first.name));
    let change = first.change().saturating_abs();
    let size = match first.totals.base {
        base @ 1.. => percent(change, base) + " %",
        _ => in_units(change, report.first().unit),
    };
    match first.change() {
        0 => format!("{event} is unchanged"),
        1.. if first.totals.base == 0 => format!("{event} grew from nothing"),
        1.. => format!("{event} grew by {size}"),
        _ => format!("{event} shrank by {size}"),
    }
}

/// The verdict on all limits, for the heading.
fn outcome(verdicts: &[Verdict]) -> &'static str {
    let count = |outcome| {
        let all = verdicts.iter();
        all.filter(|verdict| verdict.outcome == outcome).count()
    };
    match (verdicts, count(Outcome::Failed)) {
        ([], _) => "",
        (_, 0) if count(Outcome::Incomplete) > 0 => {
            ": a limit **cannot pass**, because data are missing"
        }
        (_, 0) if count(Outcome::NotFound) > 0 => ": not all limits were checked",
        ([_], 0) => ": the limit passed",
        (_, 0) => ": all limits passed",
        ([_], _) => ": the limit **failed**",
        (_, 1) => ": a limit **failed**",
        _ => ": limits **failed**",
    }
}
