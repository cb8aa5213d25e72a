//! Reports and comparisons as Markdown, for pull requests and summaries of CI jobs.
//!
//! A report contains a heading with the verdict on limits, the totals of all requested events, a
//! table of the top functions, and more functions in a folded section. Names are short, in code spans
//! that no name can end. The text has at most [`MAX_CHARACTERS`], so it always fits into a comment.

mod body;

use std::cmp::Reverse;
use std::io::{self, Write};
use std::iter;

pub use self::body::MAX_CHARACTERS;
use self::body::{Body, PATH, cell, span};
use super::ReportOptions;
use super::figures::summary::{ComparisonSummary, ProfileSummary};
use super::figures::table::SourceLocation;
use crate::compare::{
    Comparison, FunctionChange, FunctionSums, Outcome, Sides, Transition, Verdict,
};
use crate::display::numbers::{counted, grouped, percent};
use crate::display::text::printable;
use crate::display::units::{Unit, in_units};
use crate::names::{SHORT, cut_end, short_name};
use crate::output::figures::{
    MISSING, absence, both_sides, command, either, marked, part_count, part_rows, per_run, signed,
    signed_percent,
};
use crate::profile::{Cost, FunctionId, Line, Profile};
use crate::stacks::{StackId, Stacks};
use crate::tables::first_cost;

/// The most stacks, and the most lines, among the heaviest.
const MAX_HEAVIEST: usize = 10;

/// The most frames of a stack, half of them from its beginning.
const MAX_FRAMES: usize = 12;

/// The most rows of the folded table.
const MAX_FOLDED_ROWS: usize = 50;

/// The most rows that can fit.
const MAX_ROWS: usize = 4_000;

/// The most columns of a command.
const COMMAND: usize = 120;

/// Writes the report of a profile, with the verdicts on its limits: the totals, the costliest
/// functions, the heaviest stacks, the costliest lines, and the command for more details.
///
/// `groups` are the functions by group, if these are to be listed instead of functions.
///
/// Of the options, [`top`](ReportOptions::top), [`sort`](ReportOptions::sort) and
/// [`names`](ReportOptions::names) have an effect.
///
/// # Errors
///
/// When the output fails.
pub fn write(
    stacks: &Stacks<'_>,
    groups: Option<&Profile>,
    verdicts: &[Verdict],
    options: &ReportOptions,
    output: impl Write,
) -> io::Result<()> {
    let profile = stacks.profile().folded();
    let mut body = Body::default();
    let command = cut_end(&command(profile), Some(COMMAND));
    body.line(&format!(
        "## Profile of {}{}",
        span(&command),
        outcome(verdicts)
    ));
    body.verdicts(verdicts);
    let calls = match (profile.has_invocations(), profile.edges().len() as u64) {
        (false, edges @ 1..) => counted(edges, "call edge"),
        _ => counted(profile.calls(), "call"),
    };
    let functions = counted(profile.functions().len() as u64, "function");
    let runs = match profile.runs() {
        1 => String::new(),
        runs => format!(", {} runs", grouped(runs)),
    };
    let parts = match part_count(profile) {
        0 | 1 => String::new(),
        parts => format!(", {} parts", grouped(parts)),
    };
    body.paragraph(&format!("{functions}, {calls}{runs}{parts}"));
    body.completeness((!profile.is_complete()).then_some("profiles are"));
    let report = ProfileSummary::new(profile, options);
    let functions = report.all_functions();
    let digest = digest(&report, stacks, &functions);
    body.reserve = digest.characters;
    let totals = report.events.iter().map(|event| {
        let total = match event.peak() {
            Some(peak) => format!("{} allocated, {peak} at the peak", event.total()),
            None => event.total(),
        };
        vec![cell(&printable(event.name)), total]
    });
    body.table(&["event", "total"], 0..1, totals);
    let first = report.first();
    let parts = part_rows(profile);
    let (top, _) = options.split(&parts);
    if !top.is_empty() {
        let shown = body.table(
            &["total %", &first.notation.heading("total", "total"), "part"],
            2..3,
            top.iter().map(|(name, totals)| {
                let share = first.share(first.cost(totals));
                vec![share, first.shown(totals), cell(name)]
            }),
        );
        body.more_parts(parts.len() - shown);
    }
    let report = groups.map_or(report, |groups| ProfileSummary::new(groups, options));
    let functions = report.all_functions();
    let table = report.table(first_rows(&functions, options));
    let shown = body.functions(table, options, |_| String::new());
    if let Some(rest) = report.rest(&functions[shown..]) {
        body.paragraph(&rest);
    }
    body.gap();
    body.text += &digest.text;
    body.write(output)
}

/// The sections after the table of functions: the heaviest stacks, the costliest lines, and the command
/// that shows more about the first function.
fn digest(report: &ProfileSummary<'_>, stacks: &Stacks<'_>, functions: &[FunctionId]) -> Body {
    let mut body = Body::default();
    let first = report.first();
    let figures = |costs: &[Cost]| [first.share(first.cost(costs)), first.shown(costs)];
    let heading = first.notation.heading("self", "self");
    let paths = heaviest(stacks.nodes(), |&id| first_cost(stacks.self_costs(id)));
    if report.profile.edges().len() > 0 && !paths.is_empty() {
        body.paragraph("### Heaviest stacks");
        let is_estimated = paths.iter().any(|&id| stacks.is_estimated(id));
        body.table(
            &["self %", &heading, "stack"],
            2..3,
            paths.into_iter().map(|id| {
                let [share, cost] = figures(stacks.self_costs(id));
                let share = marked(stacks.is_estimated(id), share);
                vec![share, cost, path(stacks, id)]
            }),
        );
        if is_estimated {
            body.paragraph("`~`: an estimate, because the profile does not record which caller the cost belongs to.");
        }
    }
    let profile = report.profile;
    let (known, unknown): (Vec<_>, Vec<_>) = profile
        .functions()
        .flat_map(|(id, _)| profile.lines(id).map(move |line| (id, line)))
        .partition(|(_, line)| line.line > 0);
    let costs = unknown.iter().map(|(_, line)| first.cost(line.costs));
    let unknown: i128 = costs.sum();
    let lines = heaviest(known.into_iter(), |(_, line)| first_cost(line.costs));
    let is_elsewhere = |(id, line): &(FunctionId, Line<'_>)| {
        line.file.is_some() || line.line != profile.function(*id).line
    };
    let has_lines = lines.iter().any(is_elsewhere);
    if has_lines {
        body.paragraph("### Costliest lines");
        body.table(
            &["self %", &heading, "line", "function"],
            2..4,
            lines.into_iter().map(|(id, line)| {
                let file = line.file.unwrap_or(profile.function(id).file);
                let place = SourceLocation::in_file(profile.name(file), line.line).short(PATH);
                let name = short_name(&report.named(id).shown(), SHORT);
                let [share, cost] = figures(line.costs);
                vec![share, cost, cell(&place), cell(&name)]
            }),
        );
        if unknown != 0 {
            let cost = first.with_share(unknown);
            body.paragraph(&format!("Not on any known line: {cost}."));
        }
    }
    if let Some(&id) = functions.first() {
        let name = short_name(&report.named(id).shown(), COMMAND).replace('\'', r"'\''");
        let source = if has_lines { " --source DIR" } else { "" };
        body.paragraph("### Next");
        body.paragraph("The callers, callees and lines of the first function:");
        body.paragraph(&format!(
            "    cg-preprocess PROFILE -f text --function '{name}'{source}"
        ));
    }
    body
}

/// The most expensive items with a positive cost.
fn heaviest<T>(all: impl Iterator<Item = T>, cost: impl Fn(&T) -> Cost) -> Vec<T> {
    let mut all: Vec<T> = all.filter(|one| cost(one) > 0).collect();
    all.sort_by_key(|one| Reverse(cost(one)));
    all.truncate(MAX_HEAVIEST);
    all
}

/// The frames of a stack as code spans, from the root on.
fn path(stacks: &Stacks<'_>, id: StackId) -> String {
    let mut frames: Vec<StackId> = iter::successors(Some(id), |&id| stacks.parent(id)).collect();
    frames.reverse();
    let left_out = frames.len().saturating_sub(MAX_FRAMES);
    let (begin, end) = frames.split_at(frames.len().min(MAX_FRAMES) / 2);
    let frame = |&id: &StackId| cell(&short_name(&printable(stacks.frame(id)), SHORT));
    let more = (left_out > 0).then(|| format!("{} more", grouped(left_out as u64)));
    let begin = begin.iter().map(frame).chain(more);
    let shown: Vec<String> = begin.chain(end[left_out..].iter().map(frame)).collect();
    shown.join(" → ")
}

/// Writes a comparison, with the verdicts on its limits.
///
/// Of the options, [`top`](ReportOptions::top) and [`names`](ReportOptions::names) have an effect.
///
/// # Errors
///
/// When the output fails.
pub fn write_comparison(
    comparison: &Comparison<'_>,
    verdicts: &[Verdict],
    options: &ReportOptions,
    output: impl Write,
) -> io::Result<()> {
    let mut body = Body::default();
    body.line(&format!("## {}{}", growth(comparison), outcome(verdicts)));
    body.verdicts(verdicts);
    if comparison.is_per_run {
        body.paragraph(&format!("Per run: {}", per_run(comparison.runs())));
    }
    let Sides { base, new } = comparison.profiles.map(Profile::is_complete);
    body.completeness(match (base, new) {
        (true, true) => None,
        (false, true) => Some("base is"),
        (true, false) => Some("new profile is"),
        (false, false) => Some("base and the new profile are"),
    });
    let totals = comparison.events.iter().map(|event| {
        let unit = Unit::of(event.unit, 1);
        change_row(event.name, event.totals.map(Some), unit)
    });
    body.table(
        &["event", "base", "new", "change", "change %"],
        0..1,
        totals,
    );
    let report = ComparisonSummary::new(comparison, options);
    let parts = comparison.parts(0);
    let (top, _) = options.split(&parts);
    if !parts.is_empty() {
        let rows = top
            .iter()
            .map(|part| change_row(part.name, part.costs, report.first.unit));
        let shown = body.table(&["part", "base", "new", "change", "change %"], 0..1, rows);
        body.more_parts(parts.len() - shown);
    }
    let (notation, row) = (report.first.notation, report.row);
    let changes: Vec<_> = comparison.changes.iter().collect();
    let table = report
        .table(first_rows(&changes, options))
        .with(notation.heading(row.cost(), row.cost()), |change| {
            values(change, |sums| notation.cost(sums.self_cost))
        })
        .with_known(
            row.has_inclusive(),
            &notation.heading("incl", "inclusive"),
            |change| {
                values(change, |sums| {
                    marked(sums.is_inclusive_estimated, notation.cost(sums.inclusive))
                })
            },
        )
        .with_known(comparison.has_invocations(), "calls", |change| {
            values(change, |sums| sums.invocations.to_string())
        });
    let shown = body.functions(table, options, |change| match &change.transition {
        Some(Transition { word, what }) => format!(", {word} {}", cell(&short_name(what, SHORT))),
        None => String::new(),
    });
    body.gap();
    if let Some(rest) = report.rest(&changes[shown..]) {
        body.line(&format!("{rest}."));
    }
    if let Some(unchanged) = report.unchanged() {
        body.line(&format!("{unchanged}."));
    }
    body.write(output)
}

/// The cells of a row: its cost on both sides, and the change if both have one.
fn change_row(name: &[u8], costs: Sides<Option<i128>>, unit: Unit) -> Vec<String> {
    let Sides { base, new } = costs.zip(MISSING).map(|(cost, missing)| match cost {
        Some(cost) => in_units(cost, unit),
        None => missing.to_owned(),
    });
    let [change, share] = match costs.base.zip(costs.new) {
        Some((base, new)) => {
            let change = new.saturating_sub(base);
            let share = signed_percent(change, base);
            [signed(change, in_units(change, unit)), share]
        }
        None => Default::default(),
    };
    vec![cell(&printable(name)), base, new, change, share]
}

/// The change of the first event's total, for the heading.
fn growth(comparison: &Comparison<'_>) -> String {
    let first = comparison.first();
    let event = span(&printable(first.name));
    let change = first.change().saturating_abs();
    let size = match first.totals.base {
        base @ 1.. => percent(change, base) + " %",
        _ => in_units(change, Unit::of(first.unit, 1)),
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
        (_, 0) if count(Outcome::NotFound) > 0 => ": not all limits were checked",
        ([_], 0) => ": the limit passed",
        (_, 0) => ": all limits passed",
        ([_], _) => ": the limit **failed**",
        (_, 1) => ": a limit **failed**",
        _ => ": limits **failed**",
    }
}

/// A value on both sides: `5 → 6`, or `new: 6` if the base lacks the function.
fn values(change: &FunctionChange<'_>, value: impl Fn(FunctionSums) -> String) -> String {
    let values = both_sides(either(change.sums).map(value), |value| value);
    match absence(change.sums) {
        Some(word) => format!("{word}: {values}"),
        None => values,
    }
}

/// The rows that can be shown, in the table or folded.
fn first_rows<'a, T>(all: &'a [T], options: &ReportOptions) -> &'a [T] {
    let top = options.top.unwrap_or(usize::MAX);
    let most = top.saturating_add(MAX_FOLDED_ROWS).min(MAX_ROWS);
    &all[..most.min(all.len())]
}
