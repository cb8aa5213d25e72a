//! The fields of the report that describe the profile as a whole.

use std::cmp::Reverse;
use std::io;

use super::data::Data;
use super::table::{WholeNumber, cut};
use crate::compare::{Comparison, Outcome, Side, Sides, Verdict};
use crate::display::numbers::{counted, grouped, percent};
use crate::display::text::printable;
use crate::display::units::Unit;
use crate::names::last_component;
use crate::output::Notes;
use crate::output::figures::heading::{Excess, excess};
use crate::output::figures::{EventFormat, command, part_count, part_rows, per_run};
use crate::output::json::Document;
use crate::profile::Profile;
use crate::view::{MIN_PERCENT, MIN_TIMES};

/// The most warnings, limits and parts, and the most bytes of their texts.
const MAX_TEXTS: usize = 100;
const MAX_WARNING_LENGTH: usize = 1_000;
/// The most parts of the inputs, and the most bytes of each of their texts.
const MAX_PARTS: usize = 500;
const MAX_PART_TEXT: usize = 300;
const MAX_EVENT_LENGTH: usize = 300;
const MAX_COMMAND_LENGTH: usize = 12_000;

/// The first of many texts; the last one counts the others.
fn limited(texts: impl Iterator<Item = String>, noun: &str) -> Vec<String> {
    let mut texts = texts.map(|text| cut(text, MAX_WARNING_LENGTH));
    let mut shown: Vec<String> = texts.by_ref().take(MAX_TEXTS).collect();
    let rest = texts.count() as u64;
    shown.extend((rest > 0).then(|| counted(rest, noun)));
    shown
}

impl<'a> Data<'a, '_> {
    /// Writes the fields whose size does not depend on the size of the profile.
    pub fn write_header(&self, notes: &Notes<'_>, data: &mut Document<'_>) -> io::Result<()> {
        let view = self.report.view;
        let profile = view.profile();
        let creator = profile.creator().unwrap_or_default();
        let creator = cut(printable(creator), MAX_WARNING_LENGTH);
        let mut sides = self.report.sides().map(|(_, view)| view.profile());
        let is_complete = sides.all(Profile::is_complete);
        let program = concat!("cg-preprocess ", env!("CARGO_PKG_VERSION"));
        data.field("program", program)?;
        data.field("command", &cut(command(profile), MAX_COMMAND_LENGTH))?;
        data.field(
            "input",
            &cut(printable(notes.inputs.new.as_bytes()), MAX_WARNING_LENGTH),
        )?;
        data.field("recorded", &notes.recorded)?;
        data.field("creator", &creator)?;
        data.field("kind", profile.kind_name())?;
        data.field("complete", &is_complete)?;
        data.field("runs", &WholeNumber::from(profile.runs()))?;
        // Failed limits come first, so that none is omitted before one that passed.
        let limits = Outcome::ALL.into_iter().flat_map(|outcome| {
            let limits = notes.limits.iter();
            let limits = limits.filter(|verdict| verdict.outcome == outcome);
            let texts = limited(limits.map(Verdict::to_string), "more limit");
            texts.into_iter().map(move |text| (outcome, text))
        });
        data.records("limits", limits, |record, (outcome, text)| {
            record.field("outcome", outcome.name())?;
            record.field("text", &text)
        })?;
        let warnings = limited(notes.warnings.iter().cloned(), "more warning");
        data.field("warnings", &warnings)?;
        let estimates = notes.estimates.map(str::to_owned);
        data.field(
            "estimates",
            &estimates.map(|text| cut(text, MAX_WARNING_LENGTH)),
        )?;
        self.write_events(data)?;
        data.record("parts", |record| self.write_parts(record))?;
        data.field("total", &self.totals(Side::New))?;
        data.field("peak", &self.peaks())?;
        let has_fibers = excess(profile) == Some(Excess::Fibers);
        let is_exceeded = self.report.comparison.is_none() && has_fibers;
        let stated = profile.stated_total().filter(|_| is_exceeded);
        data.field("stated", &stated.map(WholeNumber::from))?;
        data.field("has_invocations", &self.report.has_invocations())?;
        data.record("repeated", |record| {
            record.field("times", &MIN_TIMES)?;
            record.field("percent", &MIN_PERCENT)
        })?;
        data.field("function_count", &view.functions().len())?;
        data.field("edge_count", &view.edges().len())?;
        data.field("call_count", &WholeNumber::from(view.calls()))?;
        match self.report.comparison {
            Some(comparison) => data.record("comparison", |record| {
                self.write_comparison(comparison, notes.inputs, record)
            })?,
            None => data.field("comparison", &())?,
        }
        data.field("by", self.options.report.by.name())?;
        data.field("source_url", &self.options.source_url)
    }

    fn write_comparison(
        &self,
        comparison: &Comparison<'_>,
        inputs: Sides<&str>,
        record: &mut Document<'_>,
    ) -> io::Result<()> {
        let names = side_names(comparison.profiles().map(command), inputs);
        record.field("names", &Vec::from_iter(names))?;
        let per_run = comparison.is_per_run.then(|| per_run(comparison.runs()));
        record.field("per_run", &per_run)?;
        // The script divides numbers of calls and the costs of stacks by these.
        record.field("runs", &Vec::from_iter(comparison.divisors()))?;
        let functions = comparison.views.as_ref().map(|side| side.functions().len());
        record.field("functions", &Vec::from_iter(functions))?;
        record.field("total", &self.totals(Side::Base))?;
        let events = comparison.events.iter().zip(&self.report.events);
        record.records("events", events, |record, (event, format)| {
            let verdict = verdict(event.change(), event.totals.base, format.unit);
            record.field("verdict", &verdict)?;
            record.field("caution", &self.report.caution(format))
        })
    }

    fn totals(&self, side: Side) -> Vec<WholeNumber> {
        let events = self.report.known_events().iter();
        events.map(|event| event.totals[side].into()).collect()
    }

    /// The peak of each event that its summaries state, if that is not the total. Costs per run have no
    /// peak.
    fn peaks(&self) -> Vec<Option<WholeNumber>> {
        let all = EventFormat::of(self.report.view.profile());
        let events = self.report.known_events().iter();
        let peaks = events.map(|event| {
            let new = event.columns.new;
            all[new.at].peak.filter(|_| new.runs == 1)
        });
        peaks.map(|peak| peak.map(WholeNumber::from)).collect()
    }

    /// Writes the totals of the named parts, the costliest first.
    fn write_parts(&self, record: &mut Document<'_>) -> io::Result<()> {
        let mut parts = match self.report.comparison {
            None => part_rows(self.report.view.profile()),
            Some(_) => Vec::new(),
        };
        let omitted = parts.len().saturating_sub(MAX_TEXTS);
        parts.truncate(MAX_TEXTS);
        record.records("shown", parts, |record, (name, totals)| {
            let totals: Vec<WholeNumber> = totals.into_iter().map(WholeNumber::from).collect();
            record.field("name", &cut(name, MAX_WARNING_LENGTH))?;
            record.field("total", &totals)
        })?;
        record.field("omitted", &omitted)?;
        self.write_each_part(record)
    }

    /// Writes what can be told apart in the inputs, such as requests, threads and dumps, the costliest
    /// first, if there are several.
    fn write_each_part(&self, record: &mut Document<'_>) -> io::Result<()> {
        let profile = self.report.view.profile();
        let mut parts: Vec<_> = match self.report.comparison {
            None => profile.parts().collect(),
            Some(_) => Vec::new(),
        };
        if part_count(profile) < 2 {
            parts.clear();
        }
        parts.sort_by_key(|part| Reverse(part.totals.first().copied()));
        let omitted = parts.split_off(parts.len().min(MAX_PARTS)).len() as i128;
        let text = |text: &[u8]| cut(printable(text), MAX_PART_TEXT);
        record.records("each", parts, |record, part| {
            record.field("input", &text(part.input.as_bytes()))?;
            record.field("number", &part.header.number.map(WholeNumber::from))?;
            record.field("thread", &part.header.thread.map(WholeNumber::from))?;
            record.field("name", &part.header.name().map(text))?;
            record.field("command", &text(part.command))?;
            record.field("calls", &WholeNumber::from(part.calls))?;
            let totals = part.totals.iter().copied().map(WholeNumber::from);
            record.field("total", &totals.collect::<Vec<_>>())
        })?;
        let unlisted = i128::from(profile.unlisted_parts());
        record.field("unlisted", &WholeNumber(omitted.saturating_add(unlisted)))
    }

    /// Writes the events with the formats of their costs.
    fn write_events(&self, data: &mut Document<'_>) -> io::Result<()> {
        data.records("events", self.report.known_events(), |record, event| {
            let name = |name: &[u8]| cut(printable(name), MAX_EVENT_LENGTH);
            record.field("name", &name(event.name))?;
            record.field("long_name", &name(event.long_name))?;
            record.field("shown", &event.total())?;
            record.records("units", event.unit.sizes(), |record, unit| {
                record.field("name", unit.name)?;
                record.field("size", &WholeNumber(unit.count))
            })?;
            record.record("notation", |record| {
                let notation = &event.notation;
                record.field("count", &notation.count)?;
                record.field("size", &notation.size)?;
                record.field("unit", notation.name)?;
                record.field("decimals", &notation.decimals)
            })
        })
    }
}

/// The names of both sides: those of their inputs, and their commands if these differ. The directories of
/// inputs are only named if the rest is the same.
fn side_names(commands: Sides<String>, inputs: Sides<&str>) -> Sides<String> {
    let [base, new] = [inputs.base, inputs.new].map(|input| last_component(input.as_bytes()));
    let is_same = commands.base == commands.new;
    commands.zip(inputs).map(|(command, input)| {
        let name = if base == new {
            printable(input.as_bytes())
        } else {
            printable(last_component(input.as_bytes()))
        };
        let name = match (name.is_empty(), is_same) {
            (true, _) => command,
            (false, true) => name,
            (false, false) => format!("{name}, {command}"),
        };
        cut(name, MAX_WARNING_LENGTH)
    })
}

/// Says by how much a total has changed.
fn verdict(change: i128, base: i128, unit: Unit) -> String {
    let size = change.saturating_abs();
    let share = match base {
        1.. => format!(" ({} %)", percent(size, base)),
        0 => " (it cost nothing before)".to_owned(),
        _ => String::new(),
    };
    let size = unit.converted(size).unwrap_or_else(|| grouped(size));
    match change {
        1.. => format!("grew by {size}{share}"),
        0 => "did not change".to_owned(),
        _ => format!("shrank by {size}{share}"),
    }
}
