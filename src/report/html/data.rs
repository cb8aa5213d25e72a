//! What the page knows: as much of a profile as there is room for.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::Hash;

use serde::{Serialize, Serializer};

use super::{Compared, Options};
use crate::profile::{
    Cost, EdgeRef, FunctionId, NameId, Profile, ProfileKind, StackId, Stacks, split_scale,
};
use crate::report::json::Notes;
use crate::report::text::command;
use crate::report::text::figures::{Notation, Unit, in_units};
use crate::shown::names::{SHORT, short_names};
use crate::shown::numbers::{grouped, percent};
use crate::shown::text::printable;

/// The version of the layout.
const SCHEMA: u32 = 2;

/// The most functions.
const MOST_FUNCTIONS: usize = 20_000;

/// A stack is shown if it has at least this share of the total of some event, with all that begin
/// with it.
const LEAST_SHARE: f64 = 1.0 / 20_000.0;

/// How many bytes the parts may take. Together with the page itself and the heading they stay under
/// 8 MB.
const FUNCTION_BYTES: usize = 3_800_000;
const CALL_BYTES: usize = 1_400_000;
const STACK_BYTES: usize = 1_750_000;
const CHANGE_BYTES: usize = 700_000;

/// How many bytes the other figures of a row take, at most: for a function, also those of the calls
/// that are summed up for it.
const FUNCTION_FIGURES: usize = 70;
const ROW_FIGURES: usize = 24;
const CHANGE_FIGURES: usize = 130;

/// The most warnings, and the longest text of a name or a warning.
const MOST_WARNINGS: usize = 100;
const LONGEST_TEXT: usize = 12_000;
const LONGEST_WARNING: usize = 1_000;

/// Stands in the place of a function or a node where there is none.
const NONE: i64 = -1;

/// Stands for stacks that are left out.
const REST: &str = "…";

/// The data of a page.
#[derive(Serialize)]
pub(super) struct Document {
    schema: u32,
    program: &'static str,
    command: String,
    creator: String,
    event: String,
    scale: u64,
    kind: &'static str,
    complete: bool,
    runs: Number,
    warnings: Vec<String>,
    events: Vec<EventRecord>,
    total: Vec<Number>,
    function_count: usize,
    edge_count: usize,
    call_count: Number,
    files: Vec<String>,
    functions: Functions,
    rest: Rest,
    calls: Calls,
    stacks: Option<StackColumns>,
    comparison: Option<Comparison>,
    source_url: Option<String>,
}

#[derive(Serialize)]
struct EventRecord {
    name: String,
    unit: &'static str,
    long_name: String,
    /// The total, as people read it.
    shown: String,
    notation: Notation,
}

/// The functions that are shown, as columns. Costs have a column for each event.
#[derive(Default, Serialize)]
struct Functions {
    number: Vec<u32>,
    object: Vec<usize>,
    file: Vec<usize>,
    name: Vec<String>,
    short: Vec<String>,
    line: Vec<Number>,
    #[serde(rename = "self")]
    self_costs: Vec<Vec<Number>>,
    inclusive: Vec<Vec<Number>>,
    invocations: Vec<Number>,
}

/// The functions that are not.
#[derive(Serialize)]
struct Rest {
    functions: usize,
    #[serde(rename = "self")]
    self_costs: Vec<Number>,
    invocations: Number,
}

/// Calls as columns.
#[derive(Default, Serialize)]
struct Calls {
    caller: Vec<i64>,
    callee: Vec<i64>,
    file: Vec<i64>,
    line: Vec<Number>,
    calls: Vec<Number>,
    cost: Vec<Vec<Number>>,
}

/// What changed since a base.
#[derive(Serialize)]
struct Comparison {
    /// What came of it, in a few words.
    verdict: String,
    /// The base and the new profile.
    sides: [Side; 2],
    changes: Changes,
    unchanged: usize,
    rest: RestOfChanges,
}

#[derive(Serialize)]
struct Side {
    total: Number,
    shown: String,
    functions: usize,
    complete: bool,
}

/// The functions that have changed, as columns. Figures have one for the base and one for the new
/// profile.
#[derive(Default, Serialize)]
struct Changes {
    object: Vec<usize>,
    file: Vec<usize>,
    name: Vec<String>,
    short: Vec<String>,
    /// `new`, `gone` or empty.
    is: Vec<&'static str>,
    #[serde(rename = "self")]
    self_cost: [Vec<Number>; 2],
    inclusive: [Vec<Number>; 2],
    invocations: [Vec<Number>; 2],
}

/// The changes for which there is no room.
#[derive(Default, Serialize)]
struct RestOfChanges {
    functions: usize,
    change: Number,
}

/// Stacks as columns: nodes of a tree, each after its parent.
#[derive(Default, Serialize)]
struct StackColumns {
    parent: Vec<i64>,
    function: Vec<i64>,
    /// The name of a frame that is not that of its function, by its place in `frames`.
    frame: Vec<i64>,
    frames: Vec<String>,
    calls: Vec<Number>,
    #[serde(rename = "self")]
    self_costs: Vec<Vec<Number>>,
    /// The self costs in the base of a comparison.
    base: Option<Vec<Vec<Number>>>,
    estimated: Vec<u8>,
    left_out: usize,
}

/// A whole number. A script knows such up to 2⁵³ exactly; larger ones are written as strings.
#[derive(Clone, Copy, Debug, Default)]
struct Number(i128);

impl Number {
    const MOST_EXACT: u64 = (1 << 53) - 1;

    /// The bytes it takes in a list.
    fn bytes(self) -> usize {
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

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match i64::try_from(self.0) {
            Ok(number) if self.is_exact() => serializer.serialize_i64(number),
            _ => serializer.collect_str(&self.0),
        }
    }
}

impl Document {
    pub fn new(
        stacks: &Stacks<'_>,
        compared: Option<&Compared<'_>>,
        notes: &Notes,
        options: &Options,
    ) -> Self {
        let profile = stacks.profile();
        let totals = profile.totals();
        let events = profile.events().iter().zip(&totals);
        let events = events.map(|(event, &total)| {
            let (_, scale) = split_scale(event.name());
            let unit = Unit::of(profile.unit(event), scale);
            EventRecord {
                name: printable(event.name()),
                unit: profile.unit(event),
                long_name: printable(event.long_name()),
                shown: in_units(total, unit),
                notation: unit.notation(total),
            }
        });
        let creator = profile.headers().find(|header| header.key() == b"creator");
        let calls = profile.edges().map(|edge| edge.calls);
        let mut tables = Tables::new(profile, &totals, options);
        let functions = tables.functions();
        let calls_columns = tables.calls();
        let stacks = tables.stacks(stacks, compared.map(|compared| compared.base));
        let comparison = compared.map(|compared| tables.comparison(compared));
        Document {
            schema: SCHEMA,
            program: concat!("cg-preprocess ", env!("CARGO_PKG_VERSION")),
            command: cut(command(profile), LONGEST_TEXT),
            creator: creator.map_or_else(String::new, |header| {
                cut(printable(header.value().trim_ascii()), LONGEST_WARNING)
            }),
            event: printable(profile.event()),
            scale: split_scale(profile.event()).1,
            kind: match profile.kind() {
                ProfileKind::Trace => "trace",
                ProfileKind::Aggregate => "aggregate",
                ProfileKind::Mixed => "mixed",
            },
            complete: notes.complete,
            runs: profile.runs().into(),
            warnings: warnings(&notes.warnings),
            events: events.collect(),
            total: totals.iter().map(|&total| total.into()).collect(),
            function_count: profile.functions().len(),
            edge_count: profile.edges().len(),
            call_count: calls.fold(0, u64::saturating_add).into(),
            rest: tables.rest(),
            files: tables.files.texts,
            functions,
            calls: calls_columns,
            stacks,
            comparison,
            source_url: options.source_url.clone(),
        }
    }
}

fn warnings(all: &[String]) -> Vec<String> {
    let (shown, rest) = all.split_at_checked(MOST_WARNINGS).unwrap_or((all, &[]));
    let shown = shown.iter().cloned();
    let mut shown: Vec<String> = shown.map(|text| cut(text, LONGEST_WARNING)).collect();
    if !rest.is_empty() {
        shown.push(format!("{} more warnings", rest.len()));
    }
    shown
}

/// A text as it is shown; its beginning, if it is too long.
fn shown(text: &[u8]) -> String {
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

/// The bytes that a text takes in a list, at most.
fn text_bytes(text: &str) -> usize {
    let escaped = text.bytes().map(|byte| match byte {
        b'<' => 6,
        b'"' | b'\\' => 2,
        _ => 1,
    });
    escaped.sum::<usize>() + 3
}

/// Chooses what has the largest shares, as far as there is room; all before the first for which
/// there is none.
fn chosen(
    shares: &[f64],
    least: f64,
    most: usize,
    mut room: usize,
    mut bytes: impl FnMut(usize) -> usize,
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

/// Texts that many rows have in common.
struct Texts<K> {
    texts: Vec<String>,
    places: HashMap<K, usize>,
}

impl<K> Default for Texts<K> {
    fn default() -> Self {
        Texts {
            texts: Vec::new(),
            places: HashMap::new(),
        }
    }
}

impl<K: Hash + Eq> Texts<K> {
    fn place(&mut self, key: K, text: impl FnOnce() -> String) -> usize {
        *self.places.entry(key).or_insert_with(|| {
            self.texts.push(text());
            self.texts.len() - 1
        })
    }
}

/// The names as lists show them; empty where these are the names.
fn short_ones(names: &[String]) -> Vec<String> {
    let short = short_names(names, SHORT).into_iter().zip(names);
    let short = short.map(|(short, name)| if short == *name { String::new() } else { short });
    short.collect()
}

/// A column for each event.
fn columns(events: usize) -> Vec<Vec<Number>> {
    vec![Vec::new(); events]
}

/// Adds a row of costs; those that are missing are 0.
fn push(columns: &mut [Vec<Number>], row: impl IntoIterator<Item = impl Into<Number>>) {
    let mut row = row.into_iter();
    for column in columns {
        column.push(row.next().map_or_else(Number::default, Into::into));
    }
}

/// Counts and costs that are summed up, because there is no room for each of them.
#[derive(Clone)]
struct Sums {
    rows: usize,
    count: i128,
    costs: Vec<i128>,
}

impl Sums {
    fn new(events: usize) -> Self {
        Sums {
            rows: 0,
            count: 0,
            costs: vec![0; events],
        }
    }

    fn add(&mut self, count: u64, costs: impl IntoIterator<Item = Cost>) {
        self.rows += 1;
        self.count += i128::from(count);
        for (sum, cost) in self.costs.iter_mut().zip(costs) {
            *sum += i128::from(cost);
        }
    }
}

/// Chooses what is shown, and makes columns of it.
struct Tables<'a> {
    profile: &'a Profile,
    options: &'a Options,
    totals: &'a [Cost],
    files: Texts<&'a [u8]>,
    /// For each function its position in the columns, if it is there.
    places: Vec<Option<usize>>,
}

impl<'a> Tables<'a> {
    fn new(profile: &'a Profile, totals: &'a [Cost], options: &'a Options) -> Self {
        let mut tables = Tables {
            profile,
            options,
            totals,
            files: Texts::default(),
            places: Vec::new(),
        };
        tables.choose_functions();
        tables
    }

    /// The largest share that costs have of the total of their event.
    fn share(&self, costs: impl IntoIterator<Item = Cost>) -> f64 {
        let shares = costs.into_iter().zip(self.totals).map(|(cost, total)| {
            let [cost, total] = [cost, *total].map(|cost| cost.unsigned_abs() as f64);
            cost / total.max(1.0)
        });
        shares.fold(0.0, f64::max)
    }

    fn choose_functions(&mut self) {
        let profile = self.profile;
        let functions = profile.functions();
        let shares = functions.map(|(id, _)| {
            let inclusive = self.share(profile.inclusive_costs(id).iter().copied());
            inclusive.max(self.share(profile.self_costs(id).iter().copied()))
        });
        let shares: Vec<f64> = shares.collect();
        let ids: Vec<FunctionId> = profile.functions().map(|(id, _)| id).collect();
        let mut files = HashSet::new();
        let bytes = |at: usize| {
            let function = profile.function(ids[at]);
            let costs = profile.self_costs(ids[at]).iter().copied();
            let costs = costs.chain(profile.inclusive_costs(ids[at]).iter().copied());
            let costs: usize = costs.map(|cost| Number::from(cost).bytes()).sum();
            let new = [function.file, function.object];
            let new = new.into_iter().filter(|&name| files.insert(name));
            let new = new.map(|name| text_bytes(&shown(profile.name(name))));
            let name = text_bytes(&shown(profile.name(function.name)));
            let short = if name > SHORT { name } else { 0 };
            new.sum::<usize>() + name + short + 2 * costs + FUNCTION_FIGURES
        };
        let chosen = chosen(&shares, 0.0, MOST_FUNCTIONS, FUNCTION_BYTES, bytes);
        let mut count = 0;
        let places = chosen.into_iter().map(|is_shown| {
            count += usize::from(is_shown);
            is_shown.then(|| count - 1)
        });
        self.places = places.collect();
    }

    fn functions(&mut self) -> Functions {
        let profile = self.profile;
        let mut functions = Functions {
            self_costs: columns(self.totals.len()),
            inclusive: columns(self.totals.len()),
            ..Functions::default()
        };
        for (id, function) in profile.functions() {
            if self.places[id.index()].is_none() {
                continue;
            }
            functions.number.push(id.number());
            functions.name.push(shown(profile.name(function.name)));
            functions
                .object
                .push(self.file(profile.name(function.object)));
            functions.file.push(self.file(profile.name(function.file)));
            functions.line.push(function.line.into());
            functions.invocations.push(function.invocations.into());
            push(
                &mut functions.self_costs,
                profile.self_costs(id).iter().copied(),
            );
            push(
                &mut functions.inclusive,
                profile.inclusive_costs(id).iter().copied(),
            );
        }
        functions.short = short_ones(&functions.name);
        functions
    }

    /// The place of the name of a file, which is shown from the source root on.
    fn file(&mut self, file: &'a [u8]) -> usize {
        let root = self.options.source_root.as_deref();
        self.files.place(file, || {
            let root = root.map(|root| root.strip_suffix(b"/").unwrap_or(root));
            let inner = root.and_then(|root| file.strip_prefix(root)?.strip_prefix(b"/"));
            shown(inner.unwrap_or(file))
        })
    }

    fn rest(&self) -> Rest {
        let mut sums = Sums::new(self.totals.len());
        for (id, function) in self.profile.functions() {
            if self.places[id.index()].is_none() {
                sums.add(
                    function.invocations,
                    self.profile.self_costs(id).iter().copied(),
                );
            }
        }
        Rest {
            functions: sums.rows,
            self_costs: sums.costs.into_iter().map(Number::from).collect(),
            invocations: sums.count.into(),
        }
    }

    /// The calls, as far as there is room; the others are summed up by their callers and by their
    /// callees.
    fn calls(&mut self) -> Calls {
        let profile = self.profile;
        let edges = || profile.edges();
        let both = |edge: &EdgeRef<'_>| {
            let [caller, callee] = [edge.caller, edge.callee].map(|id| self.places[id.index()]);
            Some((caller?, callee?))
        };
        let shares = edges().map(|edge| match both(&edge) {
            Some(_) => self.share(edge.costs().iter().copied()),
            None => f64::NEG_INFINITY,
        });
        let shares: Vec<f64> = shares.collect();
        let rows = edges().map(|edge| {
            let bytes = row_bytes(edge.calls, edge.costs().iter().copied());
            (bytes, edge.file())
        });
        let rows: Vec<(usize, Option<NameId>)> = rows.collect();
        let mut files = HashSet::new();
        let bytes = |at: usize| {
            let (bytes, file) = rows[at];
            let new = file.filter(|&file| files.insert(file));
            bytes + new.map_or(0, |file| text_bytes(&shown(profile.name(file))))
        };
        let chosen = chosen(&shares, 0.0, usize::MAX, CALL_BYTES, bytes);
        let mut calls = Calls {
            cost: columns(self.totals.len()),
            ..Calls::default()
        };
        let mut rest: BTreeMap<[Option<usize>; 2], Sums> = BTreeMap::new();
        for (edge, is_chosen) in edges().zip(chosen) {
            let [caller, callee] = [edge.caller, edge.callee].map(|id| self.places[id.index()]);
            if is_chosen {
                let file = position(Some(self.file(profile.call_file(&edge))));
                calls.push(
                    [caller, callee],
                    file,
                    edge.line,
                    edge.calls,
                    edge.costs().iter().copied(),
                );
                continue;
            }
            for ends in [[caller, None], [None, callee]] {
                if ends != [None, None] {
                    let sums = rest.entry(ends);
                    let sums = sums.or_insert_with(|| Sums::new(self.totals.len()));
                    sums.add(edge.calls, edge.costs().iter().copied());
                }
            }
        }
        for (ends, sums) in rest {
            calls.push(ends, NONE, 0, sums.count, sums.costs);
        }
        calls
    }

    /// The stacks that cost enough, as far as there is room; those below one that are left out are
    /// summed up in a node of their own.
    fn stacks(&self, new: &Stacks<'_>, base: Option<&Stacks<'_>>) -> Option<StackColumns> {
        let tree = Tree::new(new, base);
        let mut shares: Vec<f64> = Vec::with_capacity(tree.nodes.len());
        shares.extend((0..tree.nodes.len()).map(|at| {
            let [new, base] = tree.costs(at, Stacks::inclusive_costs);
            self.share(new.iter().copied())
                .max(self.share(base.iter().copied()))
        }));
        // A node is never left out above one that is shown.
        for at in (0..tree.nodes.len()).rev() {
            if let Some(parent) = tree.nodes[at].parent {
                shares[parent] = shares[parent].max(shares[at]);
            }
        }
        let mut seen = HashSet::new();
        let bytes = |at: usize| {
            let frame = tree.frame(at);
            let text = if seen.insert(frame) {
                text_bytes(&shown(frame))
            } else {
                0
            };
            let costs = tree.costs(at, Stacks::self_costs).concat();
            row_bytes(tree.calls(at), costs) + text
        };
        let chosen = chosen(&shares, LEAST_SHARE, usize::MAX, STACK_BYTES, bytes);
        let mut frames = Texts::default();
        let mut columns = StackColumns {
            self_costs: columns(self.totals.len()),
            base: base.map(|_| columns(self.totals.len())),
            ..StackColumns::default()
        };
        let mut places: Vec<Option<usize>> = vec![None; tree.nodes.len()];
        let mut rest: BTreeMap<Option<usize>, [Sums; 2]> = BTreeMap::new();
        for (at, node) in tree.nodes.iter().enumerate() {
            let above = node.parent.and_then(|parent| places[parent]);
            if chosen[at] {
                places[at] = Some(columns.parent.len());
                let (function, frame) = self.frame(&tree, at, &mut frames);
                let row = [position(above), function, frame];
                let costs = tree.costs(at, Stacks::self_costs);
                columns.push(
                    row,
                    tree.calls(at),
                    tree.is_estimated(at),
                    costs.map(|costs| costs.iter().copied()),
                );
                continue;
            }
            columns.left_out += 1;
            if node.parent.is_none_or(|parent| chosen[parent]) {
                let sums = rest.entry(above);
                let sums = sums.or_insert_with(|| [(); 2].map(|()| Sums::new(self.totals.len())));
                let costs = tree.costs(at, Stacks::inclusive_costs);
                for (sums, costs) in sums.iter_mut().zip(costs) {
                    sums.add(tree.calls(at), costs.iter().copied());
                }
            }
        }
        for (above, sums) in rest {
            let frame = frames.place(REST.as_bytes(), || REST.to_owned());
            let row = [position(above), NONE, position(Some(frame))];
            let calls = sums[0].count;
            columns.push(row, calls, false, sums.map(|sums| sums.costs));
        }
        columns.frames = frames.texts;
        Some(columns).filter(|columns| !columns.parent.is_empty())
    }

    /// The function of a node, and its frame if that has another name.
    fn frame<'t>(&self, tree: &Tree<'t>, at: usize, frames: &mut Texts<&'t [u8]>) -> (i64, i64) {
        let function = tree.function(at);
        let place = function.and_then(|id| self.places[id.index()]);
        let function = function.filter(|_| place.is_some());
        let name = function.map(|id| self.profile.name(self.profile.function(id).name));
        let frame = tree.frame(at);
        let own = (name != Some(frame)).then(|| frames.place(frame, || shown(frame)));
        (position(place), position(own))
    }

    fn comparison(&mut self, compared: &Compared<'a>) -> Comparison {
        let comparison = compared.comparison;
        let first = comparison.first();
        let unit = Unit::of(first.unit, 1);
        let side = |functions, total: i128, complete| Side {
            total: total.into(),
            shown: in_units(total, unit),
            functions,
            complete,
        };
        let mut changes = Changes::default();
        let mut rest = RestOfChanges::default();
        let mut room = CHANGE_BYTES;
        for change in &comparison.changes {
            let name = shown(change.name);
            let bytes = 2 * text_bytes(&name) + text_bytes(&shown(change.file)) + CHANGE_FIGURES;
            let Some(left) = room.checked_sub(bytes) else {
                room = 0;
                rest.functions += 1;
                rest.change.0 += change.self_cost();
                continue;
            };
            room = left;
            changes.object.push(self.file(change.object));
            changes.file.push(self.file(change.file));
            changes.name.push(name);
            changes.is.push(match (change.base, change.new) {
                (None, _) => "new",
                (_, None) => "gone",
                _ => "",
            });
            for (at, sums) in [change.base, change.new].into_iter().enumerate() {
                let sums = sums.unwrap_or_default();
                changes.self_cost[at].push(sums.self_cost.into());
                changes.inclusive[at].push(sums.inclusive.into());
                changes.invocations[at].push(sums.invocations.into());
            }
        }
        changes.short = short_ones(&changes.name);
        Comparison {
            verdict: verdict(first.change(), first.base, unit),
            sides: [
                side(
                    comparison.base.functions(),
                    first.base,
                    compared.complete.base,
                ),
                side(comparison.new.functions(), first.new, compared.complete.new),
            ],
            changes,
            unchanged: comparison.unchanged(),
            rest,
        }
    }
}

/// By how much a total has changed.
fn verdict(change: i128, base: i128, unit: Unit) -> String {
    let size = change.abs();
    let share = match base {
        1.. => format!("{} %", percent(size, base)),
        _ => "it cost nothing before".to_owned(),
    };
    let size = unit.told(size).unwrap_or_else(|| grouped(size));
    match change {
        1.. => format!("Grew by {size} ({share})"),
        0 => "The total did not change".to_owned(),
        _ => format!("Shrank by {size} ({share})"),
    }
}

/// The stacks of a profile, and with them those of the base that it is compared with: where both
/// have the same frames, they are one node.
struct Tree<'a> {
    /// The new profile, then the base.
    sides: [Option<&'a Stacks<'a>>; 2],
    /// Each after its parent.
    nodes: Vec<Node>,
}

struct Node {
    parent: Option<usize>,
    of: [Option<StackId>; 2],
}

impl<'a> Tree<'a> {
    fn new(new: &'a Stacks<'a>, base: Option<&'a Stacks<'a>>) -> Self {
        let mut nodes: Vec<Node> = Vec::with_capacity(new.nodes().len());
        nodes.extend(new.nodes().map(|id| Node {
            parent: new.parent(id).map(StackId::index),
            of: [Some(id), None],
        }));
        if let Some(base) = base {
            let keys = new
                .nodes()
                .map(|id| (new.parent(id).map(StackId::index), new.frame(id)));
            let mut found: HashMap<_, usize> = keys.zip(0..).collect();
            let mut places: Vec<usize> = Vec::with_capacity(base.nodes().len());
            for id in base.nodes() {
                let parent = base.parent(id).map(|parent| places[parent.index()]);
                let place = found.entry((parent, base.frame(id))).or_insert(nodes.len());
                // Functions of two files may have one name.
                if nodes.get(*place).is_none_or(|node| node.of[1].is_some()) {
                    *place = nodes.len();
                    nodes.push(Node {
                        parent,
                        of: [None; 2],
                    });
                }
                nodes[*place].of[1] = Some(id);
                places.push(*place);
            }
        }
        Tree {
            sides: [Some(new), base],
            nodes,
        }
    }

    /// Something of both sides of a node.
    fn both<'t, T>(
        &'t self,
        at: usize,
        what: impl Fn(&'t Stacks<'a>, StackId) -> T,
    ) -> [Option<T>; 2] {
        let of = self.nodes[at].of;
        [0, 1].map(|side| Some(what(self.sides[side]?, of[side]?)))
    }

    /// The costs of a node on both sides; none on a side that does not have it.
    fn costs<'t>(
        &'t self,
        at: usize,
        which: impl Fn(&'t Stacks<'a>, StackId) -> &'t [Cost],
    ) -> [&'t [Cost]; 2] {
        self.both(at, which).map(Option::unwrap_or_default)
    }

    fn function(&self, at: usize) -> Option<FunctionId> {
        self.both(at, Stacks::function)[0].flatten()
    }

    fn frame(&self, at: usize) -> &'a [u8] {
        let frames = self.both(at, Stacks::frame);
        frames.into_iter().flatten().next().unwrap_or_default()
    }

    fn calls(&self, at: usize) -> u64 {
        self.both(at, Stacks::calls)[0].unwrap_or(0)
    }

    fn is_estimated(&self, at: usize) -> bool {
        self.both(at, Stacks::is_estimated).contains(&Some(true))
    }
}

/// A position as the page knows it.
fn position(place: Option<usize>) -> i64 {
    let place = place.and_then(|place| i64::try_from(place).ok());
    place.unwrap_or(NONE)
}

/// The bytes that a call or a node takes, at most.
fn row_bytes(calls: u64, costs: impl IntoIterator<Item = Cost>) -> usize {
    let costs = costs.into_iter().map(|cost| Number::from(cost).bytes());
    costs.sum::<usize>() + Number::from(calls).bytes() + ROW_FIGURES
}

impl Calls {
    fn push(
        &mut self,
        [caller, callee]: [Option<usize>; 2],
        file: i64,
        line: u64,
        calls: impl Into<Number>,
        costs: impl IntoIterator<Item = impl Into<Number>>,
    ) {
        self.caller.push(position(caller));
        self.callee.push(position(callee));
        self.file.push(file);
        self.line.push(line.into());
        self.calls.push(calls.into());
        push(&mut self.cost, costs);
    }
}

impl StackColumns {
    fn push(
        &mut self,
        [parent, function, frame]: [i64; 3],
        calls: impl Into<Number>,
        is_estimated: bool,
        [own, base]: [impl IntoIterator<Item = impl Into<Number>>; 2],
    ) {
        self.parent.push(parent);
        self.function.push(function);
        self.frame.push(frame);
        self.calls.push(calls.into());
        self.estimated.push(u8::from(is_estimated));
        push(&mut self.self_costs, own);
        if let Some(columns) = &mut self.base {
            push(columns, base);
        }
    }
}
