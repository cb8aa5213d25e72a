//! What the report knows: as much of a profile as there is room for.

use std::io::{self, Write};
use std::iter;

use indexmap::IndexSet;

use super::rows::{Function, Functions};
use super::table::{Number, Room, cut, ends_data, shown, text_size};
use super::{Compared, HtmlOptions, Notes};
use crate::display::numbers::{divided, grouped, percent};
use crate::display::text::printable;
use crate::display::units::{Unit, in_units};
use crate::io::SourceFiles;
use crate::output::figures::{EventFormat, command, parts, per_run};
use crate::output::json::Document;
use crate::profile::{Cost, FunctionId, Profile};
use crate::stacks::Stacks;

/// The version of the layout.
const SCHEMA: u32 = 3;

/// How many bytes a report has at most, without its style and its script, and what is kept back for the
/// names of columns.
const MAX_BYTES: usize = 7_900_000;
const KEPT_BACK: usize = 20_000;

/// The most warnings, limits and parts, and the longest texts.
const MAX_TEXTS: usize = 100;
const MAX_WARNING_LENGTH: usize = 1_000;
const MAX_EVENT_LENGTH: usize = 300;
const MAX_COMMAND_LENGTH: usize = 12_000;

/// The sides of a comparison; what is not compared is new.
pub(super) const BASE: usize = 0;
pub(super) const NEW: usize = 1;
pub(super) const SIDES: [usize; 2] = [BASE, NEW];

/// Chooses what is shown, and makes columns of it.
pub(super) struct Data<'a, 'o> {
    pub stacks: &'o Stacks<'a>,
    pub compared: Option<&'o Compared<'a>>,
    pub options: &'o HtmlOptions,
    /// What one unit of cost stands for, for each side and event: in a comparison, scales differ.
    scales: [Vec<i128>; 2],
    /// What costs and calls of the sides are divided by.
    runs: [i128; 2],
    /// The larger totals of both sides, before they are divided.
    pub totals: Vec<i128>,
    files: IndexSet<&'a [u8]>,
    pub functions: Functions<'a>,
    /// For each function that is shown, the lines of which it shows something.
    pub lines_of: Vec<Vec<(usize, u64)>>,
}

/// A text in a list of so many.
fn limited(texts: impl Iterator<Item = String>, noun: &str) -> Vec<String> {
    let mut texts = texts.map(|text| cut(text, MAX_WARNING_LENGTH));
    let mut shown: Vec<String> = texts.by_ref().take(MAX_TEXTS).collect();
    let rest = texts.count();
    if rest > 0 {
        shown.push(format!("{} more {noun}", grouped(rest as u64)));
    }
    shown
}

/// Counts what is written.
struct Counter(usize);

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a, 'o> Data<'a, 'o> {
    pub fn new(
        stacks: &'o Stacks<'a>,
        compared: Option<&'o Compared<'a>>,
        options: &'o HtmlOptions,
    ) -> Self {
        let profile = stacks.profile().folded();
        let comparison = compared.map(|compared| compared.comparison);
        let scales = SIDES.map(|side| match comparison {
            None => vec![1; profile.totals().len()],
            Some(comparison) => {
                let scales = comparison.events.iter().map(|event| event.scales()[side]);
                scales.map(i128::from).collect()
            }
        });
        let runs = comparison.map_or([1; 2], |comparison| comparison.divisors());
        let mut data = Data {
            stacks,
            compared,
            options,
            scales,
            runs: runs.map(i128::from),
            totals: Vec::new(),
            files: IndexSet::new(),
            functions: Functions::new(profile, comparison),
            lines_of: Vec::new(),
        };
        let totals = data.sides().into_iter().map(|side| data.side_totals(side));
        data.totals = totals.fold(Vec::new(), |sums, totals| {
            let sums = sums.into_iter().chain(iter::repeat(0));
            let larger = totals.into_iter().zip(sums).map(|(a, b)| a.abs().max(b));
            larger.collect()
        });
        data
    }

    /// Writes the data of a report as one line of JSON.
    pub fn write(
        mut self,
        notes: &Notes<'_>,
        sources: &mut SourceFiles,
        output: &mut dyn Write,
    ) -> io::Result<()> {
        let mut counter = Counter(KEPT_BACK);
        let mut header = Document::begin(SCHEMA, false, ends_data, &mut counter)?;
        self.write_header(notes, &mut header)?;
        header.end()?;
        let mut room = Room::new(MAX_BYTES.saturating_sub(counter.0));
        let functions = room.lend(60, |room| self.functions(room));
        self.lines_of = vec![Vec::new(); functions.rows()];
        for (place, function) in self.functions.shown().enumerate() {
            self.lines_of[place].extend(
                self.files
                    .get_index_of(function.file)
                    .map(|file| (file, function.line)),
            );
        }
        let calls = room.lend(35, |room| self.calls(room));
        room.give_back(self.functions.reserved);
        let lines = room.lend(20, |room| self.lines(sources, room));
        let places = room.lend(10, |room| self.places(room));
        let source = room.lend(40, |room| self.source(sources, room));
        let mut data = Document::begin(SCHEMA, false, ends_data, output)?;
        self.write_header(notes, &mut data)?;
        self.write_files(&mut data)?;
        data.record("functions", |record| functions.write(record))?;
        self.write_rest(&mut data)?;
        data.record("calls", |record| calls.write(record))?;
        data.record("lines", |record| lines.write(record))?;
        data.record("places", |record| places.write(record))?;
        match sources.is_empty() {
            true => data.field("source", &())?,
            false => data.record("source", |record| source.write(record))?,
        }
        self.write_stacks(&mut data, &mut room)?;
        data.end()
    }

    /// Writes what does not depend on the room.
    fn write_header(&self, notes: &Notes<'_>, data: &mut Document<'_>) -> io::Result<()> {
        let profile = self.profile(NEW);
        let creator = profile.creator().unwrap_or_default();
        let creator = cut(printable(creator), MAX_WARNING_LENGTH);
        let is_complete = self
            .sides()
            .into_iter()
            .all(|side| self.profile(side).is_complete());
        let program = concat!("cg-preprocess ", env!("CARGO_PKG_VERSION"));
        data.field("program", program)?;
        data.field("command", &cut(command(profile), MAX_COMMAND_LENGTH))?;
        data.field("creator", &creator)?;
        data.field("kind", profile.kind().name())?;
        data.field("complete", &is_complete)?;
        data.field("runs", &Number::from(profile.runs()))?;
        // Those that failed come first, so that they are shown.
        let limits = [false, true].into_iter().flat_map(|kept| {
            let limits = notes
                .limits
                .iter()
                .filter(|verdict| verdict.passed() == kept);
            let noun = if kept {
                "limits passed"
            } else {
                "limits failed"
            };
            let texts = limited(limits.map(|verdict| verdict.text.clone()), noun);
            texts.into_iter().map(move |text| (kept, text))
        });
        data.records("limits", limits, |record, (kept, text)| {
            record.field("kept", &kept)?;
            record.field("text", &text)
        })?;
        data.field(
            "warnings",
            &limited(notes.warnings.iter().cloned(), "warnings"),
        )?;
        data.field(
            "estimates",
            &notes
                .estimates
                .map(|text| cut(text.to_owned(), MAX_WARNING_LENGTH)),
        )?;
        self.write_events(data)?;
        data.record("parts", |record| self.write_parts(record))?;
        data.field("total", &self.shown_totals(NEW))?;
        data.field("peak", &self.peaks())?;
        data.field("has_invocations", &self.has_invocations())?;
        data.field("function_count", &profile.functions().len())?;
        data.field("edge_count", &profile.edges().len())?;
        data.field("call_count", &Number::from(profile.calls()))?;
        match self.compared {
            Some(compared) => data.record("comparison", |record| {
                self.write_comparison(compared, record)
            })?,
            None => data.field("comparison", &())?,
        }
        data.field("source_url", &self.options.source_url)
    }

    fn write_comparison(
        &self,
        compared: &Compared<'_>,
        record: &mut Document<'_>,
    ) -> io::Result<()> {
        let comparison = compared.comparison;
        let per_run = comparison.is_per_run.then(|| per_run(comparison.runs()));
        record.field("per_run", &per_run)?;
        // Calls and the costs of stacks have yet to be divided by these.
        record.field("runs", &comparison.divisors())?;
        record.field(
            "functions",
            &[comparison.base, comparison.new].map(|side| side.functions().len()),
        )?;
        record.field("total", &self.shown_totals(BASE))?;
        record.records("events", &comparison.events, |record, event| {
            let unit = Unit::of(event.unit, 1);
            let totals = [event.base, event.new];
            record.field("verdict", &verdict(event.change(), event.base, unit))?;
            record.field("shown", &totals.map(|total| in_units(total, unit)))
        })
    }

    /// The sides that there are.
    pub fn sides(&self) -> Vec<usize> {
        match self.compared {
            Some(_) => SIDES.to_vec(),
            None => vec![NEW],
        }
    }

    /// The profile of a side.
    pub fn profile(&self, side: usize) -> &'a Profile {
        match self.compared {
            Some(compared) if side == BASE => compared.comparison.base,
            _ => self.stacks.profile().folded(),
        }
    }

    /// Whether it is known how often functions were called, and by whom.
    pub fn has_invocations(&self) -> bool {
        match self.compared {
            Some(compared) => compared.comparison.has_invocations(),
            None => self.profile(NEW).has_invocations(),
        }
    }

    /// The events, and how their costs are written.
    fn events(&self) -> Vec<EventFormat<'a>> {
        match self.compared {
            Some(compared) => EventFormat::compared(compared.comparison),
            None => EventFormat::of(self.profile(NEW)),
        }
    }

    /// For events of which the summaries state a peak: that, if it is not the total. Costs per run have
    /// none.
    fn peaks(&self) -> Vec<Option<Number>> {
        let profile = self.profile(NEW);
        let stated = profile.summaries().into_iter().chain(iter::repeat(None));
        let events = profile.events().iter().zip(stated).zip(profile.totals());
        let peaks = events.map(|((event, stated), total)| {
            let is_peak = self.runs[NEW] == 1 && profile.states_peak(event);
            stated.filter(|&peak| is_peak && peak != total)
        });
        peaks.map(|peak| peak.map(Number::from)).collect()
    }

    /// Writes the totals of the parts that have names, the costliest first.
    fn write_parts(&self, record: &mut Document<'_>) -> io::Result<()> {
        let mut parts = match self.compared {
            None => parts(self.profile(NEW)),
            Some(_) => Vec::new(),
        };
        let left_out = parts.len().saturating_sub(MAX_TEXTS);
        parts.truncate(MAX_TEXTS);
        record.records("shown", parts, |record, (name, totals)| {
            let totals: Vec<Number> = totals.into_iter().map(Number).collect();
            record.field("name", &cut(name, MAX_WARNING_LENGTH))?;
            record.field("total", &totals)
        })?;
        record.field("left_out", &left_out)
    }

    /// Writes the events, with how their costs are written.
    fn write_events(&self, data: &mut Document<'_>) -> io::Result<()> {
        data.records("events", self.events(), |record, event| {
            record.field("name", &cut(printable(event.name), MAX_EVENT_LENGTH))?;
            record.field(
                "long_name",
                &cut(printable(event.long_name), MAX_EVENT_LENGTH),
            )?;
            record.field("shown", &event.total())?;
            record.records("units", event.unit.sizes(), |record, unit| {
                record.field("name", unit.name)?;
                record.field("size", &Number(unit.count))
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

    pub fn scaled(&self, side: usize, costs: &[Cost]) -> impl Iterator<Item = i128> {
        let scales = &self.scales[side];
        let costs = costs.iter().zip(scales);
        costs.map(|(&cost, scale)| i128::from(cost).saturating_mul(*scale))
    }

    fn side_totals(&self, side: usize) -> Vec<i128> {
        self.scaled(side, &self.profile(side).totals()).collect()
    }

    fn shown_totals(&self, side: usize) -> Vec<Number> {
        let totals = self.per_run(side, self.side_totals(side));
        totals.into_iter().map(Number).collect()
    }

    /// Costs of a side as they are shown.
    pub fn per_run(&self, side: usize, costs: Vec<i128>) -> Vec<i128> {
        let costs = costs.into_iter();
        costs.map(|cost| divided(cost, self.runs[side])).collect()
    }

    /// The largest share that costs have of the total of their event.
    pub fn share(&self, side: usize, costs: &[Cost]) -> f64 {
        self.largest_share(self.scaled(side, costs))
    }

    /// The same of costs without scales.
    pub fn share_of(&self, costs: &[i128]) -> f64 {
        self.largest_share(costs.iter().copied())
    }

    fn largest_share(&self, costs: impl Iterator<Item = i128>) -> f64 {
        let shares = costs.zip(&self.totals).map(|(cost, total)| {
            let [cost, total] = [cost, *total].map(|cost| cost.unsigned_abs() as f64);
            cost / total.max(1.0)
        });
        shares.fold(0.0, f64::max)
    }

    /// The place of the name of a file.
    pub fn file(&mut self, file: &'a [u8]) -> usize {
        self.files.insert_full(file).0
    }

    /// How many bytes the name of a file takes that is not there yet.
    pub fn file_size(&self, file: &[u8]) -> usize {
        match self.files.contains(file) {
            true => 0,
            // And its position, if it has no address.
            false => text_size(&shown(file)) + 6,
        }
    }

    /// The name at a place.
    pub fn file_name(&self, place: usize) -> &'a [u8] {
        self.files.get_index(place).copied().unwrap_or_default()
    }

    /// Writes the names of files, from the source root on, and which of them are outside of it:
    /// these have no address.
    fn write_files(&self, data: &mut Document<'_>) -> io::Result<()> {
        let root = self.options.source_root.as_deref();
        let root = root.map(|root| root.strip_suffix(b"/").unwrap_or(root));
        let inner = |file: &'a [u8]| file.strip_prefix(root?)?.strip_prefix(b"/");
        let names = (self.files.iter()).map(|file| shown(inner(file).unwrap_or(file)));
        data.field("files", &names.collect::<Vec<_>>())?;
        let is_outside =
            |file: &'a [u8]| root.is_some() && is_absolute(file) && inner(file).is_none();
        let outside = (0..).zip(&self.files).filter(|(_, file)| is_outside(file));
        data.field("outside", &outside.map(|(at, _)| at).collect::<Vec<u32>>())
    }

    /// Writes what the functions that are not shown add up to, and in a comparison what has changed of
    /// them.
    fn write_rest(&self, data: &mut Document<'_>) -> io::Result<()> {
        let costs = |side: usize, of: &Function<'_>| {
            self.per_run(side, self.summed(side, &of.ids[side], Profile::self_costs))
        };
        let width = self.totals.len();
        let mut sums = vec![0_i128; width];
        let (mut changes, mut changed) = (vec![0_i128; width], vec![0_u64; width]);
        let mut count = 0;
        for of in self.functions.are_shown(false) {
            count += 1;
            let new = costs(NEW, of);
            for (sum, cost) in sums.iter_mut().zip(&new) {
                *sum = sum.saturating_add(*cost);
            }
            if self.compared.is_none() {
                continue;
            }
            let base = costs(BASE, of);
            for at in 0..width {
                let [base, new] = [&base, &new].map(|side| side.get(at).copied().unwrap_or(0));
                changes[at] = changes[at].saturating_add(new - base);
                changed[at] += u64::from(new != base);
            }
        }
        let numbers = |sums: Vec<i128>| sums.into_iter().map(Number).collect::<Vec<_>>();
        data.record("rest", |rest| {
            rest.field("functions", &count)?;
            rest.field("self", &numbers(sums))?;
            rest.field("changed", &changed)?;
            rest.field("change", &numbers(changes))
        })
    }

    /// What functions of a side that are one cost together, not divided.
    pub fn summed(
        &self,
        side: usize,
        ids: &[FunctionId],
        which: for<'p> fn(&'p Profile, FunctionId) -> &'p [Cost],
    ) -> Vec<i128> {
        let profile = self.profile(side);
        let mut sums = vec![0_i128; self.totals.len()];
        for &id in ids {
            for (sum, cost) in sums.iter_mut().zip(self.scaled(side, which(profile, id))) {
                *sum = sum.saturating_add(cost);
            }
        }
        sums
    }
}

/// Whether the name of a file says where it is: on Unix or on Windows.
fn is_absolute(file: &[u8]) -> bool {
    file.starts_with(b"/") || matches!(file, [b'A'..=b'Z' | b'a'..=b'z', b':', ..])
}

/// By how much a total has changed.
fn verdict(change: i128, base: i128, unit: Unit) -> String {
    let size = change.abs();
    let share = match base {
        1.. => format!("{} %", percent(size, base)),
        _ => "it cost nothing before".to_owned(),
    };
    let size = unit.converted(size).unwrap_or_else(|| grouped(size));
    match change {
        1.. => format!("grew by {size} ({share})"),
        0 => "did not change".to_owned(),
        _ => format!("shrank by {size} ({share})"),
    }
}
