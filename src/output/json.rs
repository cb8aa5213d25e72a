//! A whole profile, or a comparison, as one JSON document.
//!
//! `docs/schema/profile.json` describes the document of a profile, and
//! `docs/schema/comparison.json` that of a comparison. In short:
//!
//! ```text
//! {
//!   "schema": 2,
//!   "event": the first of the events,
//!   "events": [{"name", "unit", "long_name"}, ...],
//!   "scale": the factor of the first event, such as 1000 for Ir_(x1000),
//!   "kind": "trace", "aggregate" or "mixed",
//!   "complete": whether nothing was truncated, skipped or missing,
//!   "warnings": [text, ...],
//!   "limits": [{"measure", "kind", "name", "event", "unit", "measured", "allowed", "outcome", "text"}, ...],
//!   "runs": the number of runs of the profiled programs,
//!   "headers": [[key, value], ...],
//!   "hidden": {"words", "functions"}, with hidden functions,
//!   "filter", "function": what is looked for,
//!   "total": sums of all self costs,
//!   "summary": the totals or peaks that the inputs' summary: lines state,
//!   "parts": [{"input", "part", "thread", "trigger", "name", "total"}, ...],
//!   "functions": [
//!     {"number", "object", "file", "name", "own_name", "line", "self", "inclusive",
//!      "lines": [{"file", "line", "self"}, ...], "invocations",
//!      "called_from": [{"function", "line", "calls", "cost"}, ...], "sub_calls": [...]},
//!     ...
//!   ],
//!   "groups": [{"name", "function", "self", "inclusive", "invocations"}, ...]
//! }
//! ```
//!
//! Costs (`self`, `inclusive`, `cost` and `total`) are lists in the order of `events`. Functions
//! are in the order of their numbers, from 0; `function` in a call is such a number. Costs and
//! counts are integers of 64 bits. Bytes of names that are not UTF-8 are written as in the text
//! report: `\xff`. Each function is on a line of its own, for `grep` and `diff`.

use std::io::{self, BufWriter, Write};
use std::mem;

use serde_core::Serialize;
use serde_json::Serializer;
use serde_json::ser::Formatter;

use crate::compare::{Comparison, Side, Sides, Transition, Verdict};
use crate::display::text::{is_unseen, printable, utf8};
use crate::maps::HashSet;
use crate::names::{NameQuery, Named};
pub use crate::output::figures::ReportError as Error;
use crate::output::figures::part_count;
use crate::output::figures::report::Report;
use crate::output::{Notes, ReportOptions, Sort};
use crate::profile::{EdgeRef, FunctionId, Line, NameId, split_scale};
use crate::view::{GroupBy, Hidden, View};

/// The version of the layout of profiles.
const SCHEMA: u32 = 2;

/// The version of the layout of comparisons.
const COMPARISON_SCHEMA: u32 = 3;

/// Writes a profile as JSON, with a newline at the end. Its functions are those of the view.
/// `groups` are its functions by group, if requested.
///
/// Of the options, `filter` and `function` choose functions, and `filter` groups, too. Only calls between
/// those with the words are listed, or those of the function, with the other ends.
///
/// # Errors
///
/// When the output fails, or if no function has the requested name or words; nothing is written then.
pub fn write(
    view: &View<'_>,
    groups: Option<&View<'_>>,
    notes: &Notes<'_>,
    options: &ReportOptions,
    mut output: impl Write,
) -> Result<(), Error> {
    let recorded = view.functions_of_rows();
    let names = (0..recorded.len()).map(|at| {
        let id = FunctionId::at(at);
        Named {
            name: own_name(view, id, recorded[at]),
            ..view.named(id)
        }
    });
    let chosen = Chosen::new(options, names)?.with_calls(view);
    let (report, profile) = (&Report::new(view, options), view.profile());
    let (_, scale) = split_scale(profile.event());
    let mut document = begin(SCHEMA, &mut output)?;
    document.field("event", &utf8(profile.event()))?;
    write_events(&mut document, report)?;
    document.field("scale", &scale)?;
    document.field("kind", profile.kind_name())?;
    document.field("complete", &profile.is_complete())?;
    document.list("warnings", notes.warnings, Document::value)?;
    write_limits(&mut document, notes.limits)?;
    document.field("runs", &profile.runs())?;
    document.list("headers", profile.headers(), |document, header| {
        document.value(&[header.key(), header.value()].map(utf8))
    })?;
    write_hidden(&mut document, [view])?;
    chosen.write(&mut document)?;
    document.field("total", &profile.totals())?;
    document.field("summary", &profile.summaries())?;
    if part_count(profile) > 1 {
        document.records("parts", profile.parts(), |record, part| {
            record.field("input", part.input)?;
            record.field("part", &part.header.number)?;
            record.field("thread", &part.header.thread)?;
            record.field("trigger", &utf8(&part.header.trigger))?;
            record.field("name", &part.header.name().map(utf8))?;
            record.field("command", &utf8(part.command))?;
            record.field("calls", &part.calls)?;
            record.field("total", part.totals)
        })?;
    }
    let functions = view.functions().zip(recorded.iter().copied());
    let listed = functions.filter(|((id, _), _)| chosen.lists(id.index()));
    document.records("functions", listed, |record, ((id, _), recorded)| {
        write_function(record, report, id, recorded, &chosen)
    })?;
    if let Some(groups) = groups {
        let groups = &Report::new(groups, options);
        let listed = (0..groups.len()).filter(|&at| chosen.fits_group(&groups.named(at)));
        document.records("groups", listed, |record, at| {
            write_group(record, groups, at)?;
            write_side(record, groups, at, Side::New)
        })?;
    }
    Ok(document.end()?)
}

/// The functions that are listed: all, or those that are looked for.
struct Chosen<'o> {
    options: &'o ReportOptions,
    /// The positions of those that are looked for.
    found: Option<HashSet<usize>>,
    /// With those that call them or that they call.
    listed: HashSet<usize>,
}

impl<'o> Chosen<'o> {
    fn new<'n>(
        options: &'o ReportOptions,
        names: impl Iterator<Item = Named<'n>> + Clone,
    ) -> Result<Self, Error> {
        let found = options.wanted(names)?;
        let found: Option<HashSet<usize>> = found.map(|wanted| wanted.found.into_iter().collect());
        Ok(Chosen {
            options,
            listed: found.clone().unwrap_or_default(),
            found,
        })
    }

    /// A function is listed with its callers and callees.
    fn with_calls(mut self, view: &View<'_>) -> Self {
        if self.options.function.is_some() {
            let calls = view.edges().filter(|edge| self.has_call(edge));
            let ends = calls.flat_map(|edge| [edge.caller, edge.callee].map(FunctionId::index));
            let ends: Vec<usize> = ends.collect();
            self.listed.extend(ends);
        }
        self
    }

    fn lists(&self, at: usize) -> bool {
        self.found.is_none() || self.listed.contains(&at)
    }

    /// Whether a call is listed: both of its ends have the words, or one is the function.
    fn has_call(&self, edge: &EdgeRef<'_>) -> bool {
        let Some(found) = &self.found else {
            return true;
        };
        let [caller, callee] = [edge.caller, edge.callee].map(|id| found.contains(&id.index()));
        match self.options.function {
            None => caller && callee,
            Some(_) => caller || callee,
        }
    }

    /// Whether a group is listed.
    fn fits_group(&self, group: &Named<'_>) -> bool {
        let words = self.options.filter.as_deref().map(NameQuery::new);
        words.is_none_or(|words| words.fits(group))
    }

    /// Writes what is looked for.
    fn write(&self, document: &mut Document<'_>) -> io::Result<()> {
        let text = |text: &Option<Vec<u8>>| text.as_ref().map(|text| printable(text));
        document.known_field("filter", text(&self.options.filter))?;
        document.known_field("function", text(&self.options.function))
    }
}

/// Writes what is hidden on each side, if anything is.
fn write_hidden<'v, const SIDES: usize>(
    document: &mut Document<'_>,
    views: [&'v View<'v>; SIDES],
) -> io::Result<()> {
    let hidden = views.map(View::hidden);
    let Some(one) = hidden[0] else {
        return Ok(());
    };
    let counts = hidden.map(|hidden| hidden.map_or(0, Hidden::count));
    document.record("hidden", |record| {
        record.field("words", &one.words().collect::<Vec<_>>())?;
        match &counts[..] {
            [one] => record.field("functions", one),
            several => record.field("functions", several),
        }
    })
}

/// Writes the name and the costliest function of a group.
fn write_group(record: &mut Document<'_>, groups: &Report<'_>, at: usize) -> io::Result<()> {
    let (side, id) = groups.named_function(at);
    let (view, group) = (groups.on(side), groups.on(side).named(id));
    record.field("name", &utf8(group.name))?;
    if view.by() == GroupBy::Line {
        record.field("file", &utf8(group.file))?;
        record.field("line", &group.line)?;
    }
    if let Some(part) = view.part(id) {
        record.field("input", part.input)?;
        return record.field("command", &utf8(part.command));
    }
    record.field("function", &utf8(group.costliest.unwrap_or_default()))
}

/// The name of the function of the program that a row is, which is `recorded` in the profile.
fn own_name<'v>(view: &'v View<'_>, id: FunctionId, recorded: FunctionId) -> &'v [u8] {
    let folded = view.profile().folded();
    if view.row(recorded) == Some(id) {
        folded.name(
            folded
                .function(view.profile().folded_function(recorded))
                .name,
        )
    } else {
        view.name(view.function(id).name)
    }
}

/// Writes a function, which is `recorded` in the profile under this number.
fn write_function(
    record: &mut Document<'_>,
    report: &Report<'_>,
    id: FunctionId,
    recorded: FunctionId,
    chosen: &Chosen<'_>,
) -> io::Result<()> {
    let view = report.view;
    let function = view.function(id);
    let name = |id: NameId| utf8(view.name(id));
    record.field("number", &id.number())?;
    record.field("object", &name(function.object))?;
    record.field("file", &name(function.file))?;
    record.field("name", &name(function.name))?;
    let own_name = own_name(view, id, recorded);
    let is_other = own_name != view.name(function.name);
    record.known_field("own_name", is_other.then(|| utf8(own_name)))?;
    record.field("line", &function.line)?;
    write_costs(record, report, id.index(), Side::New)?;
    let is_implied = |line: &Line<'_>| line.file.is_none() && line.line == function.line;
    if !view.lines(id).all(|line| is_implied(&line)) {
        record.records("lines", view.lines(id), |record, line| {
            record.known_field("file", line.file.map(name))?;
            record.field("line", &line.line)?;
            record.field("self", line.costs)
        })?;
    }
    write_calls(record, report, id.index(), Side::New)?;
    let write_call = |call: &mut Document<'_>, other: FunctionId, edge: EdgeRef<'_>| {
        call.field("function", &other.number())?;
        // Without this field, the file is the caller's.
        call.known_field("file", edge.file().map(name))?;
        call.field("line", &edge.line)?;
        call.field("calls", &edge.calls)?;
        call.field("cost", edge.costs())?;
        let is_estimated = view.is_call_estimated(&edge);
        call.known_field("estimated", is_estimated.then_some(true))
    };
    let listed = view.called_from(id).filter(|edge| chosen.has_call(edge));
    record.records("called_from", listed, |call, edge| {
        write_call(call, edge.caller, edge)
    })?;
    let listed = view.sub_calls(id).filter(|edge| chosen.has_call(edge));
    record.records("sub_calls", listed, |call, edge| {
        write_call(call, edge.callee, edge)
    })
}

/// Writes a comparison as JSON, with a newline at the end. `groups` is the comparison by group, if
/// requested.
///
/// Of the options, `filter` and `function` choose functions, and `filter` groups, too. Only calls between
/// those with the words are listed, or those of the function, with the other ends.
///
/// # Errors
///
/// When the output fails, or if no function has the requested name or words; nothing is written then.
pub fn write_comparison(
    comparison: &Comparison<'_>,
    groups: Option<&Comparison<'_>>,
    notes: &Notes<'_>,
    options: &ReportOptions,
    mut output: impl Write,
) -> Result<(), Error> {
    let report = &Report::new(comparison, options);
    let chosen = Chosen::new(options, report.names())?;
    let changed = comparison.changes.len();
    let mut document = begin(COMPARISON_SCHEMA, &mut output)?;
    document.field("event", &utf8(comparison.first().name))?;
    write_events(&mut document, report)?;
    document.field("per_run", &comparison.is_per_run)?;
    let Sides { base, new } = comparison.views.as_ref();
    write_hidden(&mut document, [base, new])?;
    chosen.write(&mut document)?;
    for (side, view) in Sides::EACH.zip(comparison.views.as_ref()) {
        let profile = view.profile();
        let totals = comparison.events.iter().map(|event| event.totals[side]);
        document.record(side.name(), |record| {
            record.field("total", &totals.collect::<Vec<_>>())?;
            record.field("functions", &view.functions().len())?;
            record.field("runs", &profile.runs())?;
            record.field("complete", &profile.is_complete())
        })?;
    }
    write_limits(&mut document, notes.limits)?;
    let parts: Vec<_> = (0..comparison.events.len())
        .map(|event| comparison.parts(event))
        .collect();
    if !parts[0].is_empty() {
        document.records("parts", 0..parts[0].len(), |record, at| {
            record.field("name", &utf8(parts[0][at].name))?;
            for side in Sides::EACH {
                let costs = parts.iter().map(|event| event[at].costs[side]);
                record.field(side.name(), &costs.collect::<Option<Vec<i128>>>())?;
            }
            Ok(())
        })?;
    }
    let listed = comparison.changes.iter().enumerate();
    let listed = listed.filter(|&(at, _)| chosen.lists(at));
    document.records("functions", listed, |record, (at, change)| {
        let [object, file, name] = comparison.names_of(change).map(utf8);
        record.field("object", &object)?;
        record.field("file", &file)?;
        record.field("name", &name)?;
        let transition = change.transition.as_ref();
        record.known_field("transition", transition.map(Transition::to_string))?;
        write_sides(record, report, at)
    })?;
    let unchanged = changed..report.len();
    let unchanged = unchanged.filter(|&at| chosen.lists(at)).count();
    document.field("unchanged", &unchanged)?;
    if let Some(groups) = groups {
        let changed = groups.changes.len();
        let groups = &Report::new(groups, options);
        let listed = (0..changed).filter(|&at| chosen.fits_group(&groups.named(at)));
        document.records("groups", listed, |record, at| {
            write_group(record, groups, at)?;
            write_sides(record, groups, at)
        })?;
    }
    Ok(document.end()?)
}

/// Writes what a row costs on both sides; `null` for a side that lacks it.
fn write_sides(record: &mut Document<'_>, report: &Report<'_>, at: usize) -> io::Result<()> {
    for (side, sums) in Sides::EACH.zip(report.sums(at)) {
        match sums {
            None => record.field(side.name(), &())?,
            Some(_) => record.record(side.name(), |record| write_side(record, report, at, side))?,
        }
    }
    Ok(())
}

/// Writes the costs and the calls of a row on a side.
fn write_side(
    record: &mut Document<'_>,
    report: &Report<'_>,
    at: usize,
    side: Side,
) -> io::Result<()> {
    write_costs(record, report, at, side)?;
    write_calls(record, report, at, side)
}

/// Writes the self costs and the inclusive costs of a row for each event. Call sites have no self costs,
/// and other lines no inclusive costs.
fn write_costs(
    record: &mut Document<'_>,
    report: &Report<'_>,
    at: usize,
    side: Side,
) -> io::Result<()> {
    let is_call_site = report.kind.is_call_site;
    let sums = report.sums(at)[side].unwrap_or_default();
    for (value, [name, estimated], is_known) in [
        (Sort::SelfCost, ["self", "self_estimated"], !is_call_site),
        (
            Sort::Inclusive,
            ["inclusive", "inclusive_estimated"],
            report.kind.has_inclusive() || is_call_site,
        ),
    ] {
        if is_known {
            record.field(name, &report.costs(at, value)[side])?;
        }
        let is_estimated = sums.is_estimated(value).then_some(true);
        record.known_field(estimated, is_estimated)?;
    }
    Ok(())
}

/// Writes the number of calls of a row on a side, and what the costliest one costs, if they are known.
fn write_calls(
    record: &mut Document<'_>,
    report: &Report<'_>,
    at: usize,
    side: Side,
) -> io::Result<()> {
    let sums = report.sums(at)[side].unwrap_or_default();
    let invocations = report.has_invocations().then_some(sums.invocations);
    record.known_field("invocations", invocations)?;
    let costliest = report.costliest_calls(side, &report.functions(at)[side]);
    let is_known = costliest.iter().any(|&cost| cost > 0);
    record.known_field("costliest_call", is_known.then_some(costliest))
}

fn write_events(document: &mut Document<'_>, report: &Report<'_>) -> io::Result<()> {
    document.records("events", report.known_events(), |record, event| {
        record.field("name", &utf8(event.name))?;
        record.field("unit", event.unit_name)?;
        record.field("long_name", &utf8(event.long_name))
    })
}

/// Writes the verdicts on limits, if there are any.
fn write_limits(document: &mut Document<'_>, verdicts: &[Verdict]) -> io::Result<()> {
    if verdicts.is_empty() {
        return Ok(());
    }
    document.records("limits", verdicts, |record, verdict| {
        let measure = verdict.limit.measure();
        record.field("measure", measure)?;
        record.field("kind", verdict.target.kind())?;
        record.field("name", &verdict.target.name().map(utf8))?;
        let event = (measure != "calls").then(|| utf8(&verdict.event));
        record.field("event", &event)?;
        record.field("unit", verdict.unit)?;
        record.field("measured", &verdict.measured)?;
        record.field("allowed", &verdict.allowed)?;
        record.field("outcome", verdict.outcome.name())?;
        record.field("text", &verdict.to_string())
    })
}

/// Begins a document with one field, or one element of a list, per line. All invisible characters are
/// escaped, because DEL and the controls from U+0080 on would reach a terminal.
pub(super) fn begin(schema: u32, output: &mut dyn Write) -> io::Result<Document<'_>> {
    Document::begin(schema, true, is_escaped, output)
}

/// Appends a value of such a document.
pub(super) fn append(json: &mut Vec<u8>, value: &(impl Serialize + ?Sized)) {
    // Writing to memory does not fail.
    let _ = write_value(value, is_escaped, json);
}

fn is_escaped(character: char) -> bool {
    is_unseen(character, None)
}

/// Formats JSON without blanks, and escapes the characters that the function selects, too.
struct Escaping(fn(char) -> bool);

impl Formatter for Escaping {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        output: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        for piece in fragment.split_inclusive(self.0) {
            let plain = piece.trim_end_matches(self.0);
            output.write_all(plain.as_bytes())?;
            for escaped in piece[plain.len()..].encode_utf16() {
                write!(output, "\\u{escaped:04x}")?;
            }
        }
        Ok(())
    }
}

/// Writes a value, and escapes the characters that `escapes` selects, too.
pub(crate) fn write_value(
    value: &(impl Serialize + ?Sized),
    escapes: fn(char) -> bool,
    output: &mut impl Write,
) -> io::Result<()> {
    let mut serializer = Serializer::with_formatter(output, Escaping(escapes));
    Ok(value.serialize(&mut serializer)?)
}

/// A JSON object that is written field by field.
pub(crate) struct Document<'a> {
    output: BufWriter<&'a mut dyn Write>,
    /// Whether the next value gets a line of its own, like the fields of the outermost object and the
    /// elements of its lists.
    is_lined: bool,
    /// Whether the next field is the first of its object.
    is_first: bool,
    /// Selects the characters to escape.
    escapes: fn(char) -> bool,
}

impl<'a> Document<'a> {
    pub fn begin(
        schema: u32,
        is_lined: bool,
        escapes: fn(char) -> bool,
        output: &'a mut dyn Write,
    ) -> io::Result<Self> {
        let mut document = Document {
            output: BufWriter::new(output),
            is_lined,
            is_first: true,
            escapes,
        };
        document.put("{")?;
        document.field("schema", &schema)?;
        Ok(document)
    }

    pub fn field(&mut self, name: &str, value: &(impl Serialize + ?Sized)) -> io::Result<()> {
        self.name(name)?;
        self.value(value)
    }

    /// Writes a field whose value is JSON already.
    pub fn json_field(&mut self, name: &str, json: &[u8]) -> io::Result<()> {
        self.name(name)?;
        self.output.write_all(json)
    }

    /// Writes fields that are JSON already, with commas between them.
    pub fn json_fields(&mut self, json: &[u8]) -> io::Result<()> {
        let before = if self.is_first { "" } else { "," };
        self.is_first = false;
        self.put(before)?;
        self.output.write_all(json)
    }

    /// Writes a field, if its value is known.
    fn known_field(&mut self, name: &str, value: Option<impl Serialize>) -> io::Result<()> {
        value.map_or(Ok(()), |value| self.field(name, &value))
    }

    /// Writes a field that is an object.
    pub fn record(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut Self) -> io::Result<()>,
    ) -> io::Result<()> {
        self.name(name)?;
        self.object(write)
    }

    /// Writes a field that is a list of objects.
    pub fn records<T>(
        &mut self,
        name: &str,
        elements: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&mut Self, T) -> io::Result<()>,
    ) -> io::Result<()> {
        self.list(name, elements, |list, element| {
            list.object(|record| write(record, element))
        })
    }

    /// Writes a field that is a list.
    fn list<T>(
        &mut self,
        name: &str,
        elements: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&mut Self, T) -> io::Result<()>,
    ) -> io::Result<()> {
        self.name(name)?;
        let is_lined = mem::take(&mut self.is_lined);
        let (first, next, last) = if is_lined {
            ("[\n    ", ",\n    ", "\n  ]")
        } else {
            ("[", ",", "]")
        };
        let (mut before, mut end) = (first, "[]");
        for element in elements {
            self.put(before)?;
            write(self, element)?;
            (before, end) = (next, last);
        }
        self.is_lined = is_lined;
        self.put(end)
    }

    /// Writes an object on one line: the value of a field, or an element of a list.
    fn object(&mut self, write: impl FnOnce(&mut Self) -> io::Result<()>) -> io::Result<()> {
        let is_lined = mem::take(&mut self.is_lined);
        self.put("{")?;
        self.is_first = true;
        write(self)?;
        (self.is_lined, self.is_first) = (is_lined, false);
        self.put("}")
    }

    /// Writes the name of a field. Its value must follow.
    fn name(&mut self, name: &str) -> io::Result<()> {
        let before = match (self.is_first, self.is_lined) {
            (true, true) => "\n  \"",
            (true, false) => "\"",
            (false, true) => ",\n  \"",
            (false, false) => ",\"",
        };
        self.is_first = false;
        self.put(before)?;
        self.put(name)?;
        self.put("\":")
    }

    fn value(&mut self, value: &(impl Serialize + ?Sized)) -> io::Result<()> {
        write_value(value, self.escapes, &mut self.output)
    }

    fn put(&mut self, text: &str) -> io::Result<()> {
        self.output.write_all(text.as_bytes())
    }

    pub fn end(mut self) -> io::Result<()> {
        self.put(if self.is_lined { "\n}\n" } else { "}" })?;
        self.output.flush()
    }
}
