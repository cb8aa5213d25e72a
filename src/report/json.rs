//! The whole profile as one JSON document.
//!
//! `docs/profile.schema.json` describes it, and `docs/comparison.schema.json` that of a comparison.
//! In short:
//!
//! ```text
//! {
//!   "schema": 2,
//!   "event": the first of the events,
//!   "events": [{"name", "unit", "long_name"}, ...],
//!   "scale": what one unit of cost stands for, such as 1000 for the event Ir_(x1000),
//!   "kind": "trace", "aggregate" or "mixed",
//!   "complete": whether nothing was cut off, skipped or missing,
//!   "warnings": [text, ...],
//!   "runs": how many runs of the profiled programs were summed up,
//!   "headers": [[key, value], ...],
//!   "total": sums of all self costs,
//!   "functions": [
//!     {"number", "object", "file", "name", "line", "self", "inclusive", "invocations",
//!      "called_from": [{"function", "line", "calls", "cost"}, ...], "sub_calls": [...]},
//!     ...
//!   ]
//! }
//! ```
//!
//! Costs (`self`, `inclusive`, `cost` and `total`) are lists in the order of `events`. Functions
//! stand in the order of their numbers, which count from 0; `function` in a call is such a number.
//! Costs and counts are integers of 64 bits, as they were summed. Bytes of names that are not UTF-8
//! are spelled as in the text report: `\xff`. Each function stands on a line of its own, for `grep`
//! and `diff`.

use std::borrow::Cow;
use std::io::{self, BufWriter, Write};

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::Formatter;

use super::figures::EventFigures;
use crate::profile::{
    ComparedEvent, Comparison, Cost, EdgeRef, Function, FunctionChange, FunctionId, FunctionSums,
    Profile, Side, split_scale,
};
use crate::shown::text::utf8;

/// The version of the layout of profiles.
const SCHEMA: u32 = 2;

/// That of comparisons.
const COMPARISON_SCHEMA: u32 = 3;

/// Writes a profile as JSON, as a stream, with a newline at its end. `warnings` are those about its
/// inputs.
///
/// # Errors
///
/// When the output fails.
pub fn write(profile: &Profile, warnings: &[String], output: impl Write) -> io::Result<()> {
    let (_, scale) = split_scale(profile.event());
    let mut document = begin(SCHEMA, output)?;
    document.field("event", &utf8(profile.event()))?;
    document.list("events", events(EventFigures::of(profile)))?;
    document.field("scale", &scale)?;
    document.field("kind", &profile.kind())?;
    document.field("complete", &profile.is_complete())?;
    document.list("warnings", warnings.iter())?;
    document.field("runs", &profile.runs())?;
    let headers = profile.headers();
    let headers = headers.map(|header| {
        let text = |text| utf8(text).into_owned();
        (text(header.key()), text(header.value()))
    });
    document.list("headers", headers)?;
    document.field("total", &profile.totals())?;
    let functions = profile.functions();
    let functions = functions.map(|(id, function)| FunctionRecord::new(profile, id, function));
    document.list("functions", functions)?;
    document.end("\n}\n")
}

/// Writes a comparison as JSON, with a newline at its end.
///
/// # Errors
///
/// When the output fails.
pub fn write_comparison(comparison: &Comparison<'_>, output: impl Write) -> io::Result<()> {
    let [base_runs, new_runs] = comparison.runs();
    let side = |side: &Side<'_>, total: fn(&ComparedEvent<'_>) -> i128, runs| SideRecord {
        total: comparison.events.iter().map(total).collect(),
        functions: side.functions(),
        runs,
        complete: side.is_complete(),
    };
    let base = side(&comparison.base, |event| event.base, base_runs);
    let new = side(&comparison.new, |event| event.new, new_runs);
    let mut document = begin(COMPARISON_SCHEMA, output)?;
    document.field("event", &utf8(comparison.first().name))?;
    document.list("events", events(EventFigures::compared(comparison)))?;
    document.field("per_run", &comparison.is_per_run)?;
    document.field("base", &base)?;
    document.field("new", &new)?;
    let changes = comparison.changes.iter();
    let changes = changes.map(|change| ChangeRecord::new(comparison, change));
    document.list("functions", changes)?;
    document.field("unchanged", &comparison.unchanged())?;
    document.end("\n}\n")
}

#[derive(Serialize)]
struct EventRecord<'a> {
    name: Cow<'a, str>,
    unit: &'static str,
    long_name: Cow<'a, str>,
}

fn events<'a>(events: Vec<EventFigures<'a>>) -> impl Iterator<Item = EventRecord<'a>> {
    events.into_iter().map(|event| EventRecord {
        name: utf8(event.name),
        unit: event.unit_name,
        long_name: utf8(event.long_name),
    })
}

#[derive(Serialize)]
struct FunctionRecord<'a> {
    number: u32,
    object: Cow<'a, str>,
    file: Cow<'a, str>,
    name: Cow<'a, str>,
    line: u64,
    #[serde(rename = "self")]
    self_costs: Row<'a>,
    inclusive: Row<'a>,
    invocations: u64,
    called_from: Vec<CallRecord<'a>>,
    sub_calls: Vec<CallRecord<'a>>,
}

/// A call edge, as one of its two functions sees it.
#[derive(Serialize)]
struct CallRecord<'a> {
    /// The other one.
    function: u32,
    /// Unless it is the caller's.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<Cow<'a, str>>,
    line: u64,
    calls: u64,
    cost: Row<'a>,
}

/// A row of costs of a profile.
struct Row<'a>(&'a Profile, &'a [Cost]);

impl Serialize for Row<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.with_derived(self.1))
    }
}

impl<'a> FunctionRecord<'a> {
    fn new(profile: &'a Profile, id: FunctionId, function: &Function) -> Self {
        let call = |other: FunctionId, edge: EdgeRef<'a>| CallRecord {
            function: other.number(),
            file: edge.file().map(|file| utf8(profile.name(file))),
            line: edge.line,
            calls: edge.calls,
            cost: Row(profile, edge.costs()),
        };
        let called_from = profile.called_from(id);
        let sub_calls = profile.sub_calls(id);
        FunctionRecord {
            number: id.number(),
            object: utf8(profile.name(function.object)),
            file: utf8(profile.name(function.file)),
            name: utf8(profile.name(function.name)),
            line: function.line,
            self_costs: Row(profile, profile.self_costs(id)),
            inclusive: Row(profile, profile.inclusive_costs(id)),
            invocations: function.invocations,
            called_from: called_from.map(|edge| call(edge.caller, edge)).collect(),
            sub_calls: sub_calls.map(|edge| call(edge.callee, edge)).collect(),
        }
    }
}

#[derive(Serialize)]
struct SideRecord {
    total: Vec<i128>,
    functions: usize,
    runs: u64,
    complete: bool,
}

#[derive(Serialize)]
struct ChangeRecord<'a> {
    object: Cow<'a, str>,
    file: Cow<'a, str>,
    name: Cow<'a, str>,
    base: Option<SumsRecord>,
    new: Option<SumsRecord>,
}

#[derive(Serialize)]
struct SumsRecord {
    #[serde(rename = "self")]
    self_costs: Vec<i128>,
    inclusive: Vec<i128>,
    invocations: i128,
}

impl<'a> ChangeRecord<'a> {
    fn new(comparison: &Comparison<'_>, change: &FunctionChange<'a>) -> Self {
        let events = 0..comparison.events.len();
        let sums: Vec<_> = events.map(|event| comparison.sums(change, event)).collect();
        let side = |side: usize| {
            let sums = sums.iter().map(|sums| sums[side]);
            let sums: Vec<FunctionSums> = sums.collect::<Option<_>>()?;
            Some(SumsRecord {
                self_costs: sums.iter().map(|sums| sums.self_cost).collect(),
                inclusive: sums.iter().map(|sums| sums.inclusive).collect(),
                invocations: sums.first()?.invocations,
            })
        };
        ChangeRecord {
            object: utf8(change.object),
            file: utf8(change.file),
            name: utf8(change.name),
            base: side(0),
            new: side(1),
        }
    }
}

/// Begins a document whose fields, and the elements of lists among them, stand on lines of their own.
/// DEL and the controls from U+0080 on would reach a terminal otherwise.
fn begin<W: Write>(
    schema: u32,
    output: W,
) -> io::Result<Document<BufWriter<W>, impl Fn(char) -> bool>> {
    Document::begin(schema, "\n  ", char::is_control, BufWriter::new(output))
}

/// JSON without blanks, in which some characters are escaped that could stand as they are.
struct Escaping<F>(F);

impl<F: Fn(char) -> bool> Formatter for Escaping<F> {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        output: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        for piece in fragment.split_inclusive(&self.0) {
            let plain = piece.trim_end_matches(&self.0);
            output.write_all(plain.as_bytes())?;
            for escaped in piece[plain.len()..].chars() {
                write!(output, "\\u{:04x}", u32::from(escaped))?;
            }
        }
        Ok(())
    }
}

/// An object that is written field by field.
pub(super) struct Document<W, F> {
    output: W,
    /// What stands before each field.
    before: &'static str,
    /// Which characters are escaped.
    escapes: F,
}

impl<W: Write, F: Fn(char) -> bool> Document<W, F> {
    pub fn begin(schema: u32, before: &'static str, escapes: F, mut output: W) -> io::Result<Self> {
        write!(output, "{{{before}\"schema\":{schema}")?;
        Ok(Document {
            output,
            before,
            escapes,
        })
    }

    pub fn field(&mut self, name: &str, value: &(impl Serialize + ?Sized)) -> io::Result<()> {
        self.name(name)?;
        self.value(value)
    }

    /// A field of many lines, written as they come.
    fn list(&mut self, name: &str, elements: impl Iterator<Item: Serialize>) -> io::Result<()> {
        self.name(name)?;
        let (mut before, mut end) = ("[\n    ", "[]");
        for element in elements {
            self.output.write_all(before.as_bytes())?;
            self.value(&element)?;
            (before, end) = (",\n    ", "\n  ]");
        }
        self.output.write_all(end.as_bytes())
    }

    fn name(&mut self, name: &str) -> io::Result<()> {
        write!(self.output, ",{}\"{name}\":", self.before)
    }

    fn value(&mut self, value: &(impl Serialize + ?Sized)) -> io::Result<()> {
        let escaping = Escaping(&self.escapes);
        let mut serializer = Serializer::with_formatter(&mut self.output, escaping);
        Ok(value.serialize(&mut serializer)?)
    }

    /// Ends it with a brace, and what stands around that.
    pub fn end(mut self, end: &str) -> io::Result<()> {
        self.output.write_all(end.as_bytes())?;
        self.output.flush()
    }
}
