//! What the page knows: as much of a profile as there is room for.

use std::collections::{BTreeMap, HashSet};
use std::io::{self, Write};
use std::iter;

use indexmap::{IndexMap, IndexSet};
use serde_core::{Serialize, Serializer};

use super::{Compared, Options};
use crate::profile::{Cost, EdgeRef, FunctionId, Profile, Stacks};
use crate::report::figures::EventFigures;
use crate::report::json::Document;
use crate::report::text::{Names, command};
use crate::shown::names::{SHORT, short_names};
use crate::shown::numbers::divided;
use crate::shown::text::printable;

/// The version of the layout.
const SCHEMA: u32 = 2;

/// The most functions.
const MOST_FUNCTIONS: usize = 20_000;

/// How many bytes the parts may take. Together with stacks, changes, the heading and the page itself,
/// they stay under 8 MB.
const FUNCTION_BYTES: usize = 3_800_000;
const CALL_BYTES: usize = 1_400_000;

/// How many bytes the other figures of a row take, at most: for a function, also those of the calls
/// that are summed up for it.
const FUNCTION_FIGURES: usize = 70;
pub(super) const ROW_FIGURES: usize = 24;

/// The most warnings, and the longest text of a name or a warning.
const MOST_WARNINGS: usize = 100;
const LONGEST_TEXT: usize = 12_000;
const LONGEST_WARNING: usize = 1_000;

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
            texts: IndexMap::new(),
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

    /// The bytes that the numbers take.
    pub fn bytes(&self) -> usize {
        let costs = self.costs.values().flatten();
        let columns = self.numbers.values().chain(costs);
        columns.flatten().map(|number| number.bytes()).sum()
    }

    /// Gives the rows names, also as lists show them: empty where these are the names.
    pub fn name(&mut self, names: Vec<String>, how: Names) {
        let short = match how {
            Names::Full => vec![String::new(); names.len()],
            _ => short_names(&names, SHORT),
        };
        let short = short.into_iter().zip(&names);
        let short = short.map(|(short, name)| if short == *name { String::new() } else { short });
        self.texts = [("short", short.collect()), ("name", names)].into();
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
    const MOST_EXACT: u64 = (1 << 53) - 1;

    /// The bytes it takes in a list.
    pub fn bytes(self) -> usize {
        let digits = self.0.unsigned_abs().checked_ilog10().unwrap_or(0) as usize + 1;
        digits + usize::from(self.0 < 0) + if self.is_exact() { 1 } else { 3 }
    }

    fn is_exact(self) -> bool {
        self.0.unsigned_abs() <= Self::MOST_EXACT.into()
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
    let first = all.iter().take(MOST_WARNINGS).cloned();
    let mut shown: Vec<String> = first.map(|text| cut(text, LONGEST_WARNING)).collect();
    if let Some(rest @ 1..) = all.len().checked_sub(MOST_WARNINGS) {
        shown.push(format!("{rest} more warnings"));
    }
    shown
}

/// A text as it is shown; its beginning, if it is too long.
pub(super) fn shown(text: &[u8]) -> String {
    cut(printable(text), LONGEST_TEXT)
}

fn cut(mut text: String, longest: usize) -> String {
    if text.len() > longest {
        let end = (0..=longest).rev().find(|&at| text.is_char_boundary(at));
        text.truncate(end.unwrap_or(0));
        text.push('…');
    }
    text
}

/// The bytes that a text takes in a list as it is shown, at most.
pub(super) fn text_bytes(text: &[u8]) -> usize {
    let text = shown(text);
    let escaped = text.bytes().map(|byte| match byte {
        b'<' => 6,
        b'"' | b'\\' => 2,
        _ => 1,
    });
    escaped.sum::<usize>() + 3
}

/// The bytes that numbers take in lists.
pub(super) fn number_bytes(numbers: impl IntoIterator<Item = i128>) -> usize {
    let bytes = numbers.into_iter().map(|number| Number(number).bytes());
    bytes.sum()
}

/// Chooses what has the largest shares, as far as there is room; all before the first for which
/// there is none.
pub(super) fn chosen(
    shares: &[f64],
    least: f64,
    most: usize,
    mut room: usize,
    bytes: &mut dyn FnMut(usize) -> usize,
) -> Vec<bool> {
    let large = (0..shares.len()).filter(|&at| shares[at] >= least);
    let mut order: Vec<usize> = large.collect();
    order.sort_by(|&a, &b| shares[b].total_cmp(&shares[a]));
    let mut chosen = vec![false; shares.len()];
    for at in order.into_iter().take(most) {
        let Some(left) = room.checked_sub(bytes(at)) else {
            break;
        };
        room = left;
        chosen[at] = true;
    }
    chosen
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
            files: IndexSet::new(),
            places: Vec::new(),
        };
        tables.totals = tables.scaled(NEW, &totals).collect();
        tables.choose_functions();
        tables
    }

    /// Writes the data of a page as one line of JSON.
    pub fn write(mut self, warnings: &[String], output: &mut dyn Write) -> io::Result<()> {
        let profile = self.profile;
        let creator = profile.headers().find(|header| header.key() == b"creator");
        let creator = creator.map_or_else(String::new, |header| {
            cut(printable(header.value().trim_ascii()), LONGEST_WARNING)
        });
        let functions = self.functions();
        let calls = self.calls();
        let changes = (self.compared).map(|compared| (compared, self.changes(compared.comparison)));
        let base = self.compared.map(|compared| compared.comparison.base);
        let is_complete = profile.is_complete() && base.is_none_or(Profile::is_complete);
        let total: Vec<Number> = self.costs(&profile.totals()).map(Number).collect();
        let mut data = Document::begin(SCHEMA, false, ends_data, output)?;
        let program = concat!("cg-preprocess ", env!("CARGO_PKG_VERSION"));
        data.field("program", program)?;
        data.field("command", &cut(command(profile), LONGEST_TEXT))?;
        data.field("creator", &creator)?;
        data.field("kind", profile.kind().name())?;
        data.field("complete", &is_complete)?;
        data.field("runs", &Number::from(profile.runs()))?;
        data.field("warnings", &limited(warnings))?;
        self.write_events(&mut data)?;
        data.field("total", &total)?;
        data.field("function_count", &profile.functions().len())?;
        data.field("edge_count", &profile.edges().len())?;
        data.field("call_count", &self.per_run(profile.calls()))?;
        data.field("files", &self.files())?;
        data.record("functions", |record| functions.write(record))?;
        self.write_rest(&mut data)?;
        data.record("calls", |record| calls.write(record))?;
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

    /// Writes the events, with how their costs are written.
    fn write_events(&self, data: &mut Document<'_>) -> io::Result<()> {
        let events = match self.compared {
            Some(compared) => EventFigures::compared(compared.comparison),
            None => EventFigures::of(self.profile),
        };
        data.records("events", events, |record, event| {
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

    fn per_run(&self, count: u64) -> Number {
        Number(divided(count.into(), self.runs))
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
        let mut files = HashSet::new();
        let mut bytes = |at: usize| {
            let function = profile.function(ids[at]);
            let costs = of(ids[at]).map(|costs| number_bytes(self.costs(costs)));
            let new = [function.file, function.object];
            let new = new.into_iter().filter(|&name| files.insert(name));
            let new = new.map(|name| text_bytes(profile.name(name)));
            let name = text_bytes(profile.name(function.name));
            let short = if name > SHORT { name } else { 0 };
            new.sum::<usize>() + name + short + 2 * (costs[0] + costs[1]) + FUNCTION_FIGURES
        };
        let chosen = chosen(&shares, 0.0, MOST_FUNCTIONS, FUNCTION_BYTES, &mut bytes);
        let mut places = 0..;
        let place = |is_shown: bool| is_shown.then(|| places.next()).flatten();
        self.places = chosen.into_iter().map(place).collect();
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
            names.push(shown(profile.name(function.name)));
            let [object, file] = [function.object, function.file];
            let numbers = [
                id.number().into(),
                self.file(profile.name(object)),
                self.file(profile.name(file)),
                function.line.into(),
                self.per_run(function.invocations),
            ];
            let costs = [profile.self_costs(id), profile.inclusive_costs(id)];
            table.push(numbers, &costs.map(|costs| self.costs(costs).collect()));
        }
        table.name(names, self.options.names);
        table
    }

    /// The place of the name of a file.
    pub fn file(&mut self, file: &'a [u8]) -> Number {
        position(self.files.insert_full(file).0)
    }

    /// The names of files, from the source root on.
    fn files(&self) -> Vec<String> {
        let root = self.options.source_root.as_deref();
        let root = root.map(|root| root.strip_suffix(b"/").unwrap_or(root));
        let inner = |file: &'a [u8]| file.strip_prefix(root?)?.strip_prefix(b"/");
        let files = self.files.iter();
        files
            .map(|file| shown(inner(file).unwrap_or(file)))
            .collect()
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
            rest.field("invocations", &self.per_run(sums.count))
        })
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
        let mut files = HashSet::new();
        let mut bytes = |at: usize| {
            let edge: &EdgeRef<'_> = &edges[at];
            let numbers = self.costs(edge.costs()).chain([edge.calls.into()]);
            let new = edge.file().filter(|&file| files.insert(file));
            let new = new.map_or(0, |file| text_bytes(profile.name(file)));
            number_bytes(numbers) + new + ROW_FIGURES
        };
        let chosen = chosen(&shares, 0.0, usize::MAX, CALL_BYTES, &mut bytes);
        let numbers = ["caller", "callee", "file", "line", "calls"];
        let mut table = Table::new(&numbers, &["cost"], self.totals.len());
        let mut rest: BTreeMap<[Option<usize>; 2], Sums> = BTreeMap::new();
        for (edge, is_chosen) in edges.iter().zip(chosen) {
            let [caller, callee] = ends(edge);
            if is_chosen {
                let file = self.file(profile.call_file(edge));
                let [line, calls] = [edge.line.into(), self.per_run(edge.calls)];
                let numbers = [position(caller), position(callee), file, line, calls];
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
            let calls = self.per_run(sums.count);
            table.push([caller, callee, nowhere, 0.into(), calls], &[sums.costs]);
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_of_numbers_are_those_they_take() {
        let most = i128::from(Number::MOST_EXACT);
        for number in [0, 9, 10, most - 1, most, most + 1, i128::from(u64::MAX)] {
            for number in [number, -number].map(Number) {
                let text = serde_json::to_string(&number).unwrap();
                assert_eq!(number.bytes(), text.len() + 1, "{text}");
            }
        }
    }
}
