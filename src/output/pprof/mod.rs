//! The stacks of a profile in the format of pprof: the message `perftools.profiles.Profile`,
//! compressed with gzip, as `go tool pprof`, Pyroscope, Parca, speedscope and others read it.
//!
//! - Sample types are the requested events, then `calls/count` for traces. Times are in nanoseconds
//!   and memory is in bytes; other events keep their names, and their unit is `count`.
//! - A sample is a stack with its self costs, so all samples add up to the profile's totals. Stacks
//!   without costs are omitted. Sums of memory may be negative.
//! - The line of a caller is that of its call, and the line of the last frame is that of the cost. In
//!   inlined code, both have its file. If there are several lines and several stacks, sums by stack
//!   and by line are exact, but their pairs are not: see `line_samples` and `call_sites`.
//! - Locations have no address and belong to no mapping. Otherwise, readers that find the program
//!   would look for instructions at address 0.
//! - A function begins at its first line with a cost or a call, because readers list no lines before
//!   it.
//! - In a comparison, the samples of the base are negated and have the label `pprof::base`, like
//!   those of `go tool pprof -diff_base`.
//! - Per run, each side is divided by its number of runs. Samples are rounded so that their sum, and
//!   the sum of all below any stack, is off by less than 1.
//! - Comments contain the command, the program's version, and notes about estimates and missing
//!   data.
//!
//! The same profile always gives the same bytes.

mod call_sites;
mod line_samples;
mod message;

use std::io::{self, BufWriter, Write};
use std::mem;
use std::ptr;

use flate2::{Compression, GzBuilder};
use thiserror::Error;

use self::call_sites::CallSites;
use self::line_samples::{LinePlace, LineSamples, first_lines};
use self::message::Message;
use crate::compare::Sides;
use crate::display::numbers::{counted, divided};
use crate::display::units::Quantity;
use crate::maps::{HashMap, IndexSet};
use crate::output::MAX_FRAMES;
use crate::output::figures::{EventFormat, command, per_run};
use crate::profile::{Cost, FunctionId, Kind, NameId, Profile, split_scale, words};
use crate::stacks::{StackId, Stacks};
use crate::tables::first_cost;

/// The frame for all deeper frames.
const DEEPER: &[u8] = b"(deeper)";

/// The label of the base's samples.
const BASE_LABEL: &[u8] = b"pprof::base";

/// Warnings about what was written.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PprofWarning {
    /// The number of stacks with a negative cost: a function can free memory that others allocated.
    #[error("stacks with a negative cost: {0}; some programs omit them")]
    Negative(u64),
    /// The number of stacks that were cut, because of deep recursion.
    #[error(
        "{} of more than {MAX_FRAMES} frames: deeper frames are merged into (deeper)",
        counted(*.0, "stack")
    )]
    Deeper(u64),
}

/// Writes the stacks of a profile; see the [module](self)'s documentation.
///
/// In a comparison, `base` contains the stacks of the base, which has the same events. With `per_run`,
/// costs are divided by the numbers of runs. `notes` are additional comments.
///
/// # Errors
///
/// When the output fails.
pub fn write(
    stacks: &Stacks<'_>,
    base: Option<&Stacks<'_>>,
    per_run: bool,
    notes: &[String],
    output: impl Write,
) -> io::Result<Vec<PprofWarning>> {
    let profile = stacks.profile();
    // Without time and name, so that the same input gives the same bytes.
    let output = GzBuilder::new().write(output, Compression::default());
    let mut writer = ProfileWriter {
        per_run,
        counts_calls: profile.kind() != Some(Kind::Aggregate),
        output: BufWriter::new(output),
        strings: IndexSet::default(),
        functions: IndexSet::default(),
        locations: IndexSet::default(),
        body: Message::default(),
        negative: 0,
        deeper: 0,
        paired: 0,
        divided: 0,
    };
    writer.string(b"");
    writer.types(profile)?;
    if let Some(base) = base {
        writer.samples(base, true)?;
    }
    writer.samples(stacks, false)?;
    writer.comments(profile, base.map(Stacks::profile), notes)?;
    writer.tables(profile)?;
    writer.output.into_inner()?.finish()?.flush()?;
    let negative = (writer.negative > 0).then_some(PprofWarning::Negative(writer.negative));
    let deeper = (writer.deeper > 0).then_some(PprofWarning::Deeper(writer.deeper));
    Ok(negative.into_iter().chain(deeper).collect())
}

/// A type of the samples' values.
struct ValueType<'a> {
    name: &'a [u8],
    unit: &'static [u8],
    /// The size of one unit of cost, in this unit.
    factor: Cost,
}

/// The types of the values: costs, then calls if they are counted. Readers show the first one by
/// default.
fn value_types(profile: &Profile, counts_calls: bool) -> Vec<ValueType<'_>> {
    let mut types: Vec<ValueType<'_>> = Vec::new();
    for event in EventFormat::of(profile) {
        let (name, scale) = split_scale(event.name);
        let (kind, unit, factor): (_, &[u8], _) = match event.unit.quantity {
            Quantity::Time => (b"time".as_slice(), b"nanoseconds", event.unit.count.into()),
            Quantity::Memory => (b"memory".as_slice(), b"bytes", event.unit.count.into()),
            Quantity::Count => (name, b"count", Cost::try_from(scale).unwrap_or(Cost::MAX)),
        };
        let is_taken = types.iter().any(|taken| taken.name == kind);
        let name = if is_taken { name } else { kind };
        types.push(ValueType { name, unit, factor });
    }
    types.extend(counts_calls.then_some(ValueType {
        name: b"calls",
        unit: b"count",
        factor: 1,
    }));
    types
}

/// The numbers of the strings of its name and file, and its first line.
type FunctionEntry = (u64, u64, u64);

/// A function's number, and a line in it.
type Location = (u64, u64);

struct ProfileWriter<W: Write> {
    per_run: bool,
    /// Whether the calls of stacks are known.
    counts_calls: bool,
    output: W,
    strings: IndexSet<String>,
    functions: IndexSet<FunctionEntry>,
    locations: IndexSet<Location>,
    /// The buffer for a sample, which is reused.
    body: Message,
    negative: u64,
    deeper: u64,
    /// The number of functions whose stacks and lines are paired by cost.
    paired: u64,
    /// The number of pairs of functions with calls on several lines.
    divided: u64,
}

/// A function, the bytes of its name, and another file with code of it, if any.
///
/// Names are compared by their addresses, which is fast.
type KnownKey = (Option<FunctionId>, *const [u8], Option<NameId>);

/// A visit to the stacks of one side.
struct Walk<'w, 'a, W: Write> {
    writer: &'w mut ProfileWriter<W>,
    stacks: &'a Stacks<'a>,
    types: Vec<ValueType<'a>>,
    /// The sum of all samples so far, for each of their types.
    sums: Vec<i128>,
    /// The divisor of all values.
    runs: i128,
    /// The label of its samples.
    label: Option<Message>,
    /// The keys and lines of functions, or of their parts in other files, that were looked up before.
    known: HashMap<KnownKey, (FunctionEntry, u64)>,
    first_lines: HashMap<(FunctionId, Option<NameId>), u64>,
    calls: CallSites,
    /// The current stack.
    path: Vec<Step>,
}

/// A frame of the current stack.
#[derive(Clone, Copy)]
struct Step {
    node: StackId,
    /// Its location, at the call of the next frame.
    location: u64,
    /// The position of that call.
    call: Option<usize>,
}

impl<W: Write> ProfileWriter<W> {
    /// The number of a text. The number of the empty text is 0.
    fn string(&mut self, text: &[u8]) -> u64 {
        let text = String::from_utf8_lossy(text).into_owned();
        self.strings.insert_full(text).0 as u64
    }

    /// The number of a line in a function. Functions and locations are numbered from 1.
    fn location(&mut self, function: FunctionEntry, line: u64) -> u64 {
        let function = self.functions.insert_full(function).0 as u64 + 1;
        self.locations.insert_full((function, line)).0 as u64 + 1
    }

    fn write(&mut self, field: u64, message: &Message) -> io::Result<()> {
        let head = Message::default().head(field, message.0.len() as u64);
        self.output.write_all(&head.0)?;
        self.output.write_all(&message.0)
    }

    fn types(&mut self, profile: &Profile) -> io::Result<()> {
        let types = value_types(profile, self.counts_calls);
        let default = types.first().map_or(0, |first| self.string(first.name));
        for of in types {
            let value_type = Message::of([self.string(of.name), self.string(of.unit)]);
            self.write(field::SAMPLE_TYPE, &value_type)?;
        }
        let default = Message::default().number(field::DEFAULT_SAMPLE_TYPE, default);
        self.output.write_all(&default.0)
    }

    fn samples(&mut self, stacks: &Stacks<'_>, is_base: bool) -> io::Result<()> {
        let profile = stacks.profile();
        let types = value_types(profile, self.counts_calls);
        let mut walk = Walk {
            stacks,
            sums: vec![0; types.len()],
            types,
            runs: if self.per_run {
                profile.runs().into()
            } else {
                1
            },
            label: is_base.then(|| Message::of([self.string(BASE_LABEL), self.string(b"true")])),
            known: HashMap::default(),
            first_lines: first_lines(profile.folded()),
            calls: CallSites::new(profile.folded()),
            path: Vec::new(),
            writer: self,
        };
        walk.samples()
    }

    fn comments(
        &mut self,
        profile: &Profile,
        base: Option<&Profile>,
        notes: &[String],
    ) -> io::Result<()> {
        let version = concat!("written by cg-preprocess ", env!("CARGO_PKG_VERSION"));
        let base = base.filter(|_| self.per_run);
        let mut texts = vec![format!("command: {}", command(profile)), version.to_owned()];
        if let Some(base) = base {
            let sides = Sides { base, new: profile };
            texts.push(per_run(sides.map(Profile::runs)));
        }
        if self.paired > 0 {
            texts.push(format!(
                "lines and stacks of {} are paired by their costs: sums by line and by \
                 stack are exact, but not which line of a function belongs to which of its stacks",
                counted(self.paired, "function")
            ));
        }
        if self.divided > 0 {
            texts.push(format!(
                "{} of functions with calls on several lines: each line has what its calls cost, \
                 but which stacks belong to it is not known",
                counted(self.divided, "pair")
            ));
        }
        let texts = texts.iter().chain(notes);
        let numbers: Vec<u64> = texts.map(|text| self.string(text.as_bytes())).collect();
        let comments = Message::default().packed(field::COMMENT, numbers.into_iter());
        self.output.write_all(&comments.0)
    }

    /// Writes the mapping, locations, functions and strings.
    fn tables(&mut self, profile: &Profile) -> io::Result<()> {
        // Readers show the name of the mapping as that of the program.
        let command = profile.commands().next().unwrap_or_default();
        let program = words(command).next().unwrap_or(b"unknown");
        let mapping = Message::of([1]).number(5, self.string(program));
        self.write(
            field::MAPPING,
            &mapping.number(7, 1).number(8, 1).number(9, 1),
        )?;
        for (id, &(function, line)) in (1..).zip(&mem::take(&mut self.locations)) {
            let location = Message::of([id]).message(4, &Message::of([function, line]));
            self.write(field::LOCATION, &location)?;
        }
        for (id, &(name, file, line)) in (1..).zip(&mem::take(&mut self.functions)) {
            self.write(field::FUNCTION, &Message::of([id, name, name, file, line]))?;
        }
        for text in mem::take(&mut self.strings) {
            self.write(field::STRING_TABLE, &Message(text.into_bytes()))?;
        }
        Ok(())
    }
}

impl<'a, W: Write> Walk<'_, 'a, W> {
    /// Writes the samples of all stacks.
    fn samples(&mut self) -> io::Result<()> {
        let stacks = self.stacks;
        let lines = LineSamples::new(stacks);
        self.writer.paired += lines.paired;
        self.writer.divided += self.calls.divided();
        let counts_calls = self.writer.counts_calls;
        let calls_of =
            |node| counts_calls.then(|| Cost::try_from(stacks.calls(node)).unwrap_or(Cost::MAX));
        let mut nodes = stacks.nodes().peekable();
        while let Some(node) = nodes.next() {
            self.descend(node);
            let mut calls = calls_of(node);
            if self.path.len() > MAX_FRAMES {
                // A node is followed by all nodes below it.
                let last = Some(self.path[MAX_FRAMES - 1].node);
                let mut values = self.values(stacks.self_costs(node), calls);
                while let Some(node) = nodes.next_if(|&node| stacks.parent(node) >= last) {
                    let others = self.values(stacks.self_costs(node), calls_of(node));
                    for (value, other) in values.iter_mut().zip(others) {
                        *value = value.saturating_add(other);
                    }
                }
                self.writer.deeper += 1;
                let name = self.writer.string(DEEPER);
                let leaf = self.writer.location((name, 0, 0), 0);
                self.sample(MAX_FRAMES, leaf, &values)?;
                continue;
            }
            let by_line = lines.of(node).map(|(place, costs)| (Some(place), costs));
            let mut parts: Vec<_> = by_line.collect();
            if parts.is_empty() {
                parts.push((None, stacks.self_costs(node)));
            }
            for (place, costs) in parts {
                let values = self.values(costs, calls);
                // The calls of a stack count once.
                calls = calls.and(Some(0));
                let leaf = self.frame(node, place);
                self.add(leaf, first_cost(costs), values)?;
            }
        }
        Ok(())
    }

    /// The values of a sample. The sum of all samples so far is rounded; a sample is its growth.
    fn values(&mut self, costs: &[Cost], calls: Option<Cost>) -> Vec<Cost> {
        let events = self.stacks.profile().events().len();
        let figures = costs.iter().copied().take(events).chain(calls);
        let columns = self.types.iter().zip(&mut self.sums);
        let values = figures.zip(columns).map(|(figure, (of, sum))| {
            let value = figure.saturating_mul(of.factor);
            let before = divided(*sum, self.runs);
            *sum += i128::from(value);
            Cost::try_from(divided(*sum, self.runs) - before).unwrap_or(value)
        });
        let values: Vec<Cost> = values.collect();
        self.writer.negative += u64::from(values.iter().any(|value| *value < 0));
        values
    }

    /// Makes a node the last frame of the current stack.
    fn descend(&mut self, node: StackId) {
        let parent = self.stacks.parent(node);
        while self.path.pop_if(|last| Some(last.node) != parent).is_some() {}
        if let Some(last) = self.path.len().checked_sub(1) {
            let function = |node| self.stacks.folded_function(node);
            let caller = function(self.path[last].node);
            self.path[last].call = self.calls.find(caller, function(node));
            self.locate(last);
        }
        self.path.push(Step {
            node,
            location: 0,
            call: None,
        });
    }

    /// Sets the location of a caller to the current line of its calls.
    fn locate(&mut self, at: usize) {
        let Step { node, call, .. } = self.path[at];
        let place = call.and_then(|call| self.calls.place(call));
        self.path[at].location = self.frame(node, place);
    }

    /// Adds a sample of the current stack with this last location. It is divided if a line of calls
    /// cannot take all of its cost.
    fn add(&mut self, leaf: u64, mut cost: Cost, mut values: Vec<Cost>) -> io::Result<()> {
        let callers = self.path.len() - 1;
        loop {
            let calls = self.path.iter().filter_map(|step| step.call);
            let rooms = calls.clone().filter_map(|call| self.calls.room(call));
            let piece = rooms.fold(cost, Cost::min);
            let moved = calls.filter(|&call| self.calls.take(call, piece));
            let moved: Vec<usize> = moved.collect();
            let part: Vec<Cost> = values.iter().map(|&of| share(of, piece, cost)).collect();
            self.sample(callers, leaf, &part)?;
            for at in 0..callers {
                if self.path[at].call.is_some_and(|call| moved.contains(&call)) {
                    self.locate(at);
                }
            }
            if piece == cost {
                return Ok(());
            }
            for (value, part) in values.iter_mut().zip(part) {
                *value -= part;
            }
            cost -= piece;
        }
    }

    /// Writes a sample of the first `callers` frames and the last one, which comes first, unless all
    /// values are 0.
    fn sample(&mut self, callers: usize, leaf: u64, values: &[Cost]) -> io::Result<()> {
        if values.iter().all(|&value| value == 0) {
            return Ok(());
        }
        // Only the samples of the base have a label. They are subtracted.
        let sign = if self.label.is_some() { -1 } else { 1 };
        let callers = self.path[..callers].iter().rev();
        let frames = [leaf].into_iter().chain(callers.map(|step| step.location));
        let values = values.iter();
        let values = values.map(|value| value.saturating_mul(sign).cast_unsigned());
        let mut body = mem::take(&mut self.writer.body);
        body.0.clear();
        body = body.packed(1, frames).packed(2, values);
        if let Some(label) = &self.label {
            body = body.message(3, label);
        }
        self.writer.write(field::SAMPLE, &body)?;
        self.writer.body = body;
        Ok(())
    }

    /// The number of the location of a frame: at `place`, or else at the line of its function.
    fn frame(&mut self, node: StackId, place: Option<LinePlace>) -> u64 {
        let (stacks, writer) = (self.stacks, &mut *self.writer);
        let (id, name) = (stacks.folded_function(node), stacks.frame(node));
        let other_file = place.and_then(|(file, _)| file);
        let key = (id, ptr::from_ref(name), other_file);
        let (function, own_line) = *self.known.entry(key).or_insert_with(|| {
            let profile = stacks.profile().folded();
            let own = id.map(|id| profile.function(id));
            let own_line = own.map_or(0, |own| own.line);
            let file = other_file.or(own.map(|own| own.file));
            let file = file.map_or(&b""[..], |file| profile.name(file));
            let first = id.and_then(|id| self.first_lines.get(&(id, other_file)).copied());
            let own_first = (own_line > 0 && other_file.is_none()).then_some(own_line);
            let first = first.into_iter().chain(own_first).min().unwrap_or(own_line);
            let name = if name.is_empty() { b"???" } else { name };
            ((writer.string(name), writer.string(file), first), own_line)
        });
        writer.location(function, place.map_or(own_line, |(_, line)| line))
    }
}

/// The same share of a value as `part` is of `whole`.
fn share(value: Cost, part: Cost, whole: Cost) -> Cost {
    if part == whole {
        return value;
    }
    let share = i128::from(value) * i128::from(part) / i128::from(whole);
    Cost::try_from(share).unwrap_or(value)
}

/// Fields of the message `Profile`.
mod field {
    pub const SAMPLE_TYPE: u64 = 1;
    pub const SAMPLE: u64 = 2;
    pub const MAPPING: u64 = 3;
    pub const LOCATION: u64 = 4;
    pub const FUNCTION: u64 = 5;
    pub const STRING_TABLE: u64 = 6;
    pub const COMMENT: u64 = 13;
    pub const DEFAULT_SAMPLE_TYPE: u64 = 14;
}
