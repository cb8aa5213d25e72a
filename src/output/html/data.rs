//! What the page knows: as much of a profile as there is room for.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::{iter, mem};

use serde_core::{Serialize, Serializer};

use super::{Compared, Notes, Options};
use crate::compare::Comparison;
use crate::display::numbers::divided;
use crate::display::short_names::{SHORT, short_name};
use crate::display::text::printable;
use crate::io::SourceFiles;
use crate::maps::{HashMap, HashSet, IndexMap, IndexSet};
use crate::output::Names;
use crate::output::figures::{EventFormat, command, named_parts};
use crate::output::json::Document;
use crate::profile::{Cost, EdgeRef, FunctionId, Profile, ProfileKind};
use crate::stacks::Stacks;

/// A line of a file, by the position of its name.
type SourceLocation = (usize, u64);

/// The version of the layout.
const SCHEMA: u32 = 2;

/// The limits that keep a page at about 8 MB: how many numbers the columns of a table have, how many
/// functions there are, and how long names are together.
const MAX_FUNCTIONS: usize = 20_000;
const MAX_FUNCTION_NUMBERS: usize = 300_000;
const MAX_FUNCTION_TEXT: usize = 1_800_000;
const MAX_FILE_TEXT: usize = 1_500_000;
const MAX_CALL_NUMBERS: usize = 200_000;
const MAX_LINE_NUMBERS: usize = 100_000;

/// The most warnings and parts, and the longest text of a name or a warning.
const MAX_WARNINGS: usize = 100;
const MAX_PARTS: usize = 100;
const MAX_TEXT_LENGTH: usize = 12_000;
const MAX_WARNING_LENGTH: usize = 1_000;

/// Stands in the place of a function or a node where there is none.
const NONE: i64 = -1;

/// A table as columns. Costs have several.
#[derive(Default)]
pub(super) struct Table {
    pub texts: IndexMap<&'static str, Vec<String>>,
    numbers: IndexMap<&'static str, Vec<Number>>,
    costs: IndexMap<&'static str, Vec<Vec<Number>>>,
}

impl Table {
    pub fn new(numbers: &[&'static str], costs: &[&'static str], width: usize) -> Self {
        let numbers = numbers.iter().map(|&name| (name, Vec::new()));
        let costs = costs.iter().map(|&name| (name, vec![Vec::new(); width]));
        Table {
            texts: IndexMap::default(),
            numbers: numbers.collect(),
            costs: costs.collect(),
        }
    }

    /// Adds a row. Costs that are missing are 0.
    pub fn push(&mut self, numbers: impl IntoIterator<Item = Number>, costs: &[Vec<i128>]) {
        for (column, number) in self.numbers.values_mut().zip(numbers) {
            column.push(number);
        }
        for (columns, row) in self.costs.values_mut().zip(costs) {
            let row = row.iter().copied().chain(iter::repeat(0));
            for (column, cost) in columns.iter_mut().zip(row) {
                column.push(Number(cost));
            }
        }
    }

    pub fn rows(&self) -> usize {
        self.numbers.values().next().map_or(0, Vec::len)
    }

    /// Gives the rows names, also as lists show them: empty where these are the names.
    pub fn name(&mut self, names: Vec<String>, how: Names) {
        let short = match how {
            Names::Full => vec![String::new(); names.len()],
            _ => names.iter().map(|name| short_name(name, SHORT)).collect(),
        };
        let short = short.into_iter().zip(&names);
        let short = short.map(|(short, name)| if short == *name { String::new() } else { short });
        self.texts = [("short", short.collect()), ("name", names)]
            .into_iter()
            .collect();
    }

    /// Writes its columns as fields of an object.
    pub fn write(&self, record: &mut Document<'_>) -> io::Result<()> {
        (self.texts.iter()).try_for_each(|(name, column)| record.field(name, column))?;
        (self.numbers.iter()).try_for_each(|(name, column)| record.field(name, column))?;
        (self.costs.iter()).try_for_each(|(name, columns)| record.field(name, columns))
    }
}

/// A whole number. A script knows such up to 2⁵³ exactly; larger ones are written as strings.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Number(pub i128);

impl Number {
    const MAX_EXACT: u64 = (1 << 53) - 1;

    fn is_exact(self) -> bool {
        self.0.unsigned_abs() <= Self::MAX_EXACT.into()
    }
}

impl<T: Into<i128>> From<T> for Number {
    fn from(number: T) -> Self {
        Number(number.into())
    }
}

/// A position; -1 where there is none.
pub(super) fn position(place: impl Into<Option<usize>>) -> Number {
    let place = place.into().and_then(|place| i64::try_from(place).ok());
    Number(place.unwrap_or(NONE).into())
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match i64::try_from(self.0) {
            Ok(number) if self.is_exact() => serializer.serialize_i64(number),
            _ => serializer.collect_str(&self.0),
        }
    }
}

/// Whether a character of the data could end their element, or a line of a script.
fn ends_data(character: char) -> bool {
    matches!(character, '<' | '\u{2028}' | '\u{2029}')
}

fn limited(all: &[String]) -> Vec<String> {
    let first = all.iter().take(MAX_WARNINGS).cloned();
    let mut shown: Vec<String> = first.map(|text| cut(text, MAX_WARNING_LENGTH)).collect();
    if let Some(rest @ 1..) = all.len().checked_sub(MAX_WARNINGS) {
        shown.push(format!("{rest} more warnings"));
    }
    shown
}

/// A text as it is shown; its beginning, if it is too long.
pub(super) fn shown(text: &[u8]) -> String {
    cut(printable(text), MAX_TEXT_LENGTH)
}

/// Whether the name of a file says where it is: on Unix or on Windows.
fn is_absolute(file: &[u8]) -> bool {
    file.starts_with(b"/") || matches!(file, [b'A'..=b'Z' | b'a'..=b'z', b':', ..])
}

fn cut(mut text: String, longest: usize) -> String {
    if text.len() > longest {
        let end = (0..=longest).rev().find(|&at| text.is_char_boundary(at));
        text.truncate(end.unwrap_or(0));
        text.push('…');
    }
    text
}

/// Cuts texts to their beginnings from where on there is no more room for them.
pub(super) fn within(mut texts: Vec<String>, mut room: usize) -> Vec<String> {
    for text in &mut texts {
        match room.checked_sub(text.len()) {
            Some(left) => room = left,
            None => *text = cut(mem::take(text), SHORT),
        }
    }
    texts
}

/// Chooses so many of what has the largest shares, those of at least `min`.
pub(super) fn largest(shares: &[f64], min: f64, count: usize) -> Vec<usize> {
    let large = (0..shares.len()).filter(|&at| shares[at] >= min);
    let mut order: Vec<usize> = large.collect();
    order.sort_by(|&a, &b| shares[b].total_cmp(&shares[a]));
    order.truncate(count);
    order
}

/// Which of so many are among those that were chosen.
pub(super) fn flags(chosen: &[usize], count: usize) -> Vec<bool> {
    let mut flags = vec![false; count];
    chosen.iter().for_each(|&at| flags[at] = true);
    flags
}

/// Counts and costs that are summed up, because there is no room for each of them.
#[derive(Default)]
pub(super) struct Sums {
    pub count: u64,
    pub costs: Vec<i128>,
}

impl Sums {
    pub fn add(&mut self, count: u64, costs: impl IntoIterator<Item = i128>) {
        self.count = self.count.saturating_add(count);
        for (at, cost) in costs.into_iter().enumerate() {
            self.costs.resize(self.costs.len().max(at + 1), 0);
            self.costs[at] = self.costs[at].saturating_add(cost);
        }
    }
}

/// Self costs by line.
struct Lines {
    table: Table,
    /// The positions of the functions of which both sides are shown, in the files whose text was
    /// the same.
    compared: Vec<usize>,
    same: BTreeSet<usize>,
    /// For how many functions there is no room.
    left_out: usize,
}

/// The lines of a function, by file and line; as those of the new side of a comparison.
fn line_rows(profile: &Profile, id: FunctionId) -> IndexMap<(&[u8], u64), [&[Cost]; 2]> {
    let file = profile.function(id).file;
    let lines = profile.lines(id).filter(|line| line.line > 0);
    let rows = lines.map(|line| {
        let file = profile.name(line.file.unwrap_or(file));
        ((file, line.line), [&[][..], line.costs])
    });
    rows.collect()
}

/// The sides of a comparison; what is not compared is new.
pub(super) const BASE: usize = 0;
pub(super) const NEW: usize = 1;

/// Chooses what is shown, and makes columns of it.
pub(super) struct Tables<'a, 'o> {
    pub stacks: &'o Stacks<'a>,
    pub compared: Option<&'o Compared<'a>>,
    pub options: &'o Options,
    pub profile: &'a Profile,
    /// What one unit of cost stands for, for each side and event: in a comparison, scales differ.
    scales: [Vec<i128>; 2],
    /// What costs and calls are divided by.
    pub runs: i128,
    /// The totals, before they are divided.
    pub totals: Vec<i128>,
    files: IndexSet<&'a [u8]>,
    /// For each function its position in the columns, if it is there.
    pub places: Vec<Option<usize>>,
    /// The positions of functions, the costliest first.
    pub order: Vec<usize>,
    /// For each position, the lines of which the function shows something.
    pub lines_of: Vec<Vec<SourceLocation>>,
}

impl<'a, 'o> Tables<'a, 'o> {
    pub fn new(
        stacks: &'o Stacks<'a>,
        compared: Option<&'o Compared<'a>>,
        options: &'o Options,
    ) -> Self {
        let profile = stacks.profile();
        let totals = profile.totals();
        let comparison = compared.map(|compared| compared.comparison);
        let scales = [BASE, NEW].map(|side| match comparison {
            None => vec![1; totals.len()],
            Some(comparison) => {
                let scales = comparison.events.iter().map(|event| event.scales()[side]);
                scales.map(i128::from).collect()
            }
        });
        let runs = comparison.map_or(1, |comparison| comparison.divisors()[NEW]);
        let mut tables = Tables {
            stacks,
            compared,
            options,
            profile,
            scales,
            runs: runs.into(),
            totals: Vec::new(),
            files: IndexSet::default(),
            places: Vec::new(),
            order: Vec::new(),
            lines_of: Vec::new(),
        };
        tables.totals = tables.scaled(NEW, &totals).collect();
        tables.choose_functions();
        tables
    }

    /// Writes the data of a page as one line of JSON.
    pub fn write(
        mut self,
        notes: &Notes<'_>,
        sources: &mut SourceFiles,
        output: &mut dyn Write,
    ) -> io::Result<()> {
        let profile = self.profile;
        let creator = profile.headers().find(|header| header.key() == b"creator");
        let creator = creator.map_or_else(String::new, |header| {
            cut(printable(header.value().trim_ascii()), MAX_WARNING_LENGTH)
        });
        let functions = self.functions();
        let calls = self.calls();
        let lines = self.lines(sources);
        let changes = (self.compared).map(|compared| (compared, self.changes(compared.comparison)));
        let base = self.compared.map(|compared| compared.comparison.base);
        let is_complete = profile.is_complete() && base.is_none_or(Profile::is_complete);
        let total: Vec<Number> = self.costs(&profile.totals()).map(Number).collect();
        let mut data = Document::begin(SCHEMA, false, ends_data, output)?;
        let program = concat!("cg-preprocess ", env!("CARGO_PKG_VERSION"));
        data.field("program", program)?;
        data.field("command", &cut(command(profile), MAX_TEXT_LENGTH))?;
        data.field("creator", &creator)?;
        data.field("kind", profile.kind().name())?;
        data.field("complete", &is_complete)?;
        data.field("runs", &Number::from(profile.runs()))?;
        data.records("limits", notes.limits, |record, verdict| {
            record.field("kept", &verdict.passed())?;
            record.field("text", &verdict.text)
        })?;
        data.field("warnings", &limited(notes.warnings))?;
        data.field("estimates", &notes.estimates)?;
        self.write_events(&mut data)?;
        data.record("parts", |record| self.write_parts(record))?;
        data.field("total", &total)?;
        data.field("peak", &self.peaks())?;
        data.field("has_invocations", &self.has_invocations())?;
        data.field("function_count", &profile.functions().len())?;
        data.field("edge_count", &profile.edges().len())?;
        data.field("call_count", &Number::from(profile.calls()))?;
        self.write_files(&mut data)?;
        data.record("functions", |record| functions.write(record))?;
        self.write_rest(&mut data)?;
        data.record("calls", |record| calls.write(record))?;
        data.record("lines", |record| {
            lines.table.write(record)?;
            record.field("compared", &lines.compared)?;
            record.field("same", &lines.same)?;
            record.field("left_out", &lines.left_out)
        })?;
        match sources.is_empty() {
            true => data.field("source", &())?,
            false => data.record("source", |record| self.source(sources).write(record))?,
        }
        self.write_stacks(&mut data)?;
        match changes {
            Some((compared, changes)) => {
                data.record("comparison", |record| changes.write(compared, record))?;
            }
            None => data.field("comparison", &())?,
        }
        data.field("source_url", &self.options.source_url)?;
        data.end()
    }

    /// Whether it is known how often functions were called, and by whom.
    pub fn has_invocations(&self) -> bool {
        match self.compared {
            Some(compared) => compared.comparison.has_invocations(),
            None => self.profile.has_invocations(),
        }
    }

    /// The events, and how their costs are written.
    fn events(&self) -> Vec<EventFormat<'a>> {
        match self.compared {
            Some(compared) => EventFormat::compared(compared.comparison),
            None => EventFormat::of(self.profile),
        }
    }

    /// For events of which the summaries state a peak: that, if it is not the total. Costs per run have
    /// none.
    fn peaks(&self) -> Vec<Option<Number>> {
        let profile = self.profile;
        let stated = profile.summaries().into_iter().chain(iter::repeat(None));
        let events = profile.events().iter().zip(stated).zip(profile.totals());
        let peaks = events.map(|((event, stated), total)| {
            let is_peak = self.runs == 1 && profile.states_peak(event);
            stated.filter(|&peak| is_peak && peak != total)
        });
        peaks.map(|peak| peak.map(Number::from)).collect()
    }

    /// Writes the totals of the parts that have names, the costliest first.
    fn write_parts(&self, record: &mut Document<'_>) -> io::Result<()> {
        let parts = named_parts(self.profile).into_iter();
        let mut parts: Vec<_> = parts.filter(|_| self.compared.is_none()).collect();
        parts.sort_by_key(|(_, totals)| Reverse(totals.first().copied()));
        let left_out = parts.len().saturating_sub(MAX_PARTS);
        parts.truncate(MAX_PARTS);
        record.records("shown", parts, |record, (name, totals)| {
            let totals: Vec<Number> = totals.into_iter().map(Number).collect();
            record.field("name", &cut(printable(name), MAX_WARNING_LENGTH))?;
            record.field("total", &totals)
        })?;
        record.field("left_out", &left_out)
    }

    /// Writes the events, with how their costs are written.
    fn write_events(&self, data: &mut Document<'_>) -> io::Result<()> {
        data.records("events", self.events(), |record, event| {
            record.field("name", &printable(event.name))?;
            record.field("unit", event.unit_name)?;
            record.field("long_name", &printable(event.long_name))?;
            record.field("shown", &event.total())?;
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
        let costs = self.profile.with_derived(costs).zip(scales);
        costs.map(|(cost, scale)| i128::from(cost).saturating_mul(*scale))
    }

    /// Costs of the profile as they are shown.
    fn costs(&self, costs: &[Cost]) -> impl Iterator<Item = i128> {
        self.scaled(NEW, costs).map(|cost| divided(cost, self.runs))
    }

    /// The largest share that costs have of the total of their event.
    pub fn share(&self, side: usize, costs: &[Cost]) -> f64 {
        let shares = self.scaled(side, costs).zip(&self.totals);
        let shares = shares.map(|(cost, total)| {
            let [cost, total] = [cost, *total].map(|cost| cost.unsigned_abs() as f64);
            cost / total.max(1.0)
        });
        shares.fold(0.0, f64::max)
    }

    fn choose_functions(&mut self) {
        let profile = self.profile;
        let of = |id| [profile.inclusive_costs(id), profile.self_costs(id)];
        let ids: Vec<FunctionId> = profile.functions().map(|(id, _)| id).collect();
        let shares = ids.iter().map(|&id| {
            let [inclusive, own] = of(id).map(|costs| self.share(NEW, costs));
            inclusive.max(own)
        });
        let shares: Vec<f64> = shares.collect();
        let width = 5 + 2 * self.totals.len();
        let count = MAX_FUNCTIONS.min(MAX_FUNCTION_NUMBERS / width);
        let mut chosen = largest(&shares, 0.0, count);
        let (mut seen, mut text) = (HashSet::default(), 0);
        let is_too_much = |&at: &usize| {
            let function = profile.function(ids[at]);
            for name in [function.name, function.file, function.object] {
                if seen.insert(name) {
                    text += profile.name(name).len().min(MAX_TEXT_LENGTH);
                }
            }
            text > MAX_FUNCTION_TEXT
        };
        let fitting = chosen.iter().position(is_too_much);
        chosen.truncate(fitting.unwrap_or(count));
        let mut places = 0..;
        let place = |is_shown: bool| is_shown.then(|| places.next()).flatten();
        let is_shown = flags(&chosen, ids.len());
        self.places = is_shown.into_iter().map(place).collect();
        self.order = chosen.iter().filter_map(|&at| self.places[at]).collect();
        self.lines_of = vec![Vec::new(); chosen.len()];
    }

    fn functions(&mut self) -> Table {
        let profile = self.profile;
        let numbers = ["number", "object", "file", "line", "invocations"];
        let mut table = Table::new(&numbers, &["self", "inclusive"], self.totals.len());
        let mut names = Vec::new();
        for (id, function) in profile.functions() {
            if self.places[id.index()].is_none() {
                continue;
            }
            let [object, file] = [function.object, function.file];
            let [object, file] = [object, file].map(|name| self.file(profile.name(name)));
            self.lines_of[names.len()].push((file, function.line));
            names.push(shown(profile.name(function.name)));
            let numbers = [
                id.number().into(),
                position(object),
                position(file),
                function.line.into(),
                Number::from(function.invocations),
            ];
            let costs = [profile.self_costs(id), profile.inclusive_costs(id)];
            table.push(numbers, &costs.map(|costs| self.costs(costs).collect()));
        }
        table.name(names, self.options.names);
        table
    }

    /// The place of the name of a file.
    pub fn file(&mut self, file: &'a [u8]) -> usize {
        self.files.insert_full(file).0
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
        data.field("files", &within(names.collect(), MAX_FILE_TEXT))?;
        let is_outside =
            |file: &'a [u8]| root.is_some() && is_absolute(file) && inner(file).is_none();
        let outside = (0..).zip(&self.files).filter(|(_, file)| is_outside(file));
        data.field("outside", &outside.map(|(at, _)| at).collect::<Vec<u32>>())
    }

    /// Writes what the functions that are not shown add up to.
    fn write_rest(&self, data: &mut Document<'_>) -> io::Result<()> {
        let mut sums = Sums::default();
        sums.costs.resize(self.totals.len(), 0);
        for (id, function) in self.profile.functions() {
            if self.places[id.index()].is_none() {
                let costs = self.scaled(NEW, self.profile.self_costs(id));
                sums.add(function.invocations, costs);
            }
        }
        let count = self.places.iter().filter(|place| place.is_none()).count();
        let costs = sums.costs.into_iter();
        let costs = costs.map(|cost| Number(divided(cost, self.runs)));
        data.record("rest", |rest| {
            rest.field("functions", &count)?;
            rest.field("self", &costs.collect::<Vec<_>>())?;
            rest.field("invocations", &Number::from(sums.count))
        })
    }

    /// The self costs by line of the costliest functions, as far as there is room. Traces have none.
    fn lines(&mut self, sources: &mut SourceFiles) -> Lines {
        let profile = self.profile;
        let comparison = self.compared.map(|compared| compared.comparison);
        let sides = if comparison.is_some() { 2 } else { 1 };
        let columns = &["self", "base"][..sides];
        let width = 3 + sides * self.totals.len();
        let mut lines = Lines {
            table: Table::new(&["function", "file", "line"], columns, self.totals.len()),
            compared: Vec::new(),
            same: BTreeSet::new(),
            left_out: 0,
        };
        if profile.kind() == ProfileKind::Trace {
            return lines;
        }
        let changes = comparison.into_iter().flat_map(Comparison::functions);
        let pairs = changes.filter_map(|change| match change.functions() {
            [&[base], &[new]] => Some((new, base)),
            _ => None,
        });
        let bases: HashMap<FunctionId, FunctionId> = pairs.collect();
        let shown = profile.functions().map(|(id, _)| id);
        let shown: Vec<_> = shown
            .filter(|id| self.places[id.index()].is_some())
            .collect();
        // Lines of another text are others.
        let mut texts = HashMap::default();
        let mut is_same = |file| {
            let read = || sources.read(file).is_ok_and(|file| file.is_same_for_base());
            *texts.entry(file).or_insert_with(read)
        };
        for at in self.order.clone() {
            let mut rows = line_rows(profile, shown[at]);
            let base = comparison.zip(bases.get(&shown[at]));
            let mut same = BTreeSet::new();
            if let Some((comparison, &id)) = base {
                let places = line_rows(comparison.base, id);
                let files = rows.keys().chain(places.keys()).map(|&(file, _)| file);
                same = files.filter(|&file| is_same(file)).collect();
                for (place, costs) in places {
                    if same.contains(place.0) {
                        rows.entry(place).or_default()[BASE] = costs[NEW];
                    }
                }
            }
            if (lines.table.rows() + rows.len()) * width > MAX_LINE_NUMBERS {
                lines.left_out += 1;
                continue;
            }
            lines.compared.extend((!same.is_empty()).then_some(at));
            lines
                .same
                .extend(same.into_iter().map(|file| self.file(file)));
            for ((file, line), costs) in rows {
                let file = self.file(file);
                self.lines_of[at].push((file, line));
                let runs = comparison.map_or([1; 2], Comparison::divisors);
                let costs = [NEW, BASE].map(|side| {
                    let costs = self.scaled(side, costs[side]);
                    costs.map(|cost| divided(cost, runs[side].into())).collect()
                });
                lines
                    .table
                    .push([position(at), position(file), line.into()], &costs);
            }
        }
        lines
    }

    /// The calls, as far as there is room; the others are summed up by their callers and by their
    /// callees.
    fn calls(&mut self) -> Table {
        let profile = self.profile;
        let places = self.places.clone();
        let ends = |edge: &EdgeRef<'_>| [edge.caller, edge.callee].map(|id| places[id.index()]);
        let edges: Vec<EdgeRef<'_>> = profile.edges().collect();
        let shares = edges.iter().map(|edge| match ends(edge) {
            [Some(_), Some(_)] => self.share(NEW, edge.costs()),
            _ => f64::NEG_INFINITY,
        });
        let shares: Vec<f64> = shares.collect();
        let count = MAX_CALL_NUMBERS / (5 + self.totals.len());
        let chosen = flags(&largest(&shares, 0.0, count), edges.len());
        let numbers = ["caller", "callee", "file", "line", "calls"];
        let mut table = Table::new(&numbers, &["cost"], self.totals.len());
        let mut rest: BTreeMap<[Option<usize>; 2], Sums> = BTreeMap::new();
        for (edge, is_chosen) in edges.iter().zip(chosen) {
            let [caller, callee] = ends(edge);
            if is_chosen {
                let file = self.file(profile.call_file(edge));
                self.lines_of[caller.unwrap_or_default()].push((file, edge.line));
                let [line, calls] = [edge.line.into(), Number::from(edge.calls)];
                let [caller, callee] = [caller, callee].map(position);
                let numbers = [caller, callee, position(file), line, calls];
                table.push(numbers, &[self.costs(edge.costs()).collect()]);
                continue;
            }
            for ends in [[caller, None], [None, callee]] {
                if ends != [None, None] {
                    let sums = rest.entry(ends).or_default();
                    sums.add(edge.calls, self.costs(edge.costs()));
                }
            }
        }
        for (ends, sums) in rest {
            let ([caller, callee], nowhere) = (ends.map(position), position(None));
            let calls = Number::from(sums.count);
            table.push([caller, callee, nowhere, 0.into(), calls], &[sums.costs]);
        }
        table
    }
}
