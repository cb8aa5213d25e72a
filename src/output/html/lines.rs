//! The costs of lines: of each function, and of the whole program.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::{io, mem};

use indexmap::IndexMap;

use super::costs::SideSums;
use super::data::Data;
use super::functions::ESTIMATED;
use super::table::{Room, Table, TableRow, WholeNumber, by_share, position};
use crate::compare::{Side, Sides};
use crate::io::SourceFiles;
use crate::maps::HashMap;
use crate::names::last_component;
use crate::output::json::Document;
use crate::profile::{Cost, GroupBy, InclusiveCost, ProfileKind};
use crate::stacks::count_groups_once;

/// A line of a file.
type FileLine<'a> = (&'a [u8], u64);

/// The self costs of functions by line.
pub(super) struct FunctionLines {
    table: Table,
    /// The functions whose lines are compared, and the files whose text is the same on both sides:
    /// only lines of these are compared.
    compared: Vec<usize>,
    same: BTreeSet<usize>,
    /// The number of functions whose lines were omitted.
    omitted: usize,
}

impl FunctionLines {
    pub fn write(&self, record: &mut Document<'_>) -> io::Result<()> {
        self.table.write(record)?;
        record.field("compared", &self.compared)?;
        record.field("same", &self.same)?;
        record.field("omitted", &self.omitted)
    }
}

/// The most lines in the list of the whole program.
const MAX_PLACES: usize = 2_000;

/// The costliest lines of the whole program; for traces, the lines with the costliest calls.
pub(super) struct ProgramLines {
    /// Whether costs are those of the calls on a line.
    are_calls: bool,
    table: Table,
    /// For each event, the function with the largest part of each line.
    functions: Vec<Vec<WholeNumber>>,
    omitted: usize,
}

impl ProgramLines {
    pub fn write(&self, record: &mut Document<'_>) -> io::Result<()> {
        record.field("are_calls", &self.are_calls)?;
        self.table.write(record)?;
        record.field("function", &self.functions)?;
        record.field("omitted", &self.omitted)
    }
}

/// All lines of both sides.
type AllLines<'a> = IndexMap<FileLine<'a>, LineSums>;

/// The costs of a line of the program.
#[derive(Default)]
struct LineSums {
    sums: SideSums,
    /// For each event, the largest part.
    largest: Vec<Part>,
    /// Which costs are estimates: 1 for the new side, 2 for the base.
    estimated: u8,
}

/// The part of a function in the cost of a line, in one event.
#[derive(Clone, Copy)]
struct Part {
    is_new: bool,
    cost: u64,
    function: usize,
}

impl<'a> Data<'a, '_> {
    fn is_trace(&self) -> bool {
        self.costs.profile(Side::New).kind() == ProfileKind::Trace
    }

    /// The self costs by line of the costliest functions that fit. Traces have none.
    pub fn lines(&mut self, sources: &mut SourceFiles, room: &mut Room) -> FunctionLines {
        let mut lines = FunctionLines {
            table: (self.costs).table(&["function", "file", "line"], &["self", "base"]),
            compared: Vec::new(),
            same: BTreeSet::new(),
            omitted: 0,
        };
        if self.is_trace() {
            return lines;
        }
        // Only lines of files with the same text can be compared.
        let mut texts = HashMap::default();
        let mut is_same = |file| {
            *texts.entry(file).or_insert_with(|| {
                let read = sources.read(file, &BTreeSet::new(), |_, _| {});
                read.is_ok_and(|file| file.is_same_for_base)
            })
        };
        let shown: Vec<usize> = (0..self.functions.all.len())
            .filter(|&index| self.functions.place(index).is_some())
            .collect();
        for at in self.functions.order.clone() {
            let mut rows = self.line_sums(Side::New, shown[at]);
            let mut same = BTreeSet::new();
            if self.compared.is_some() {
                let base = self.line_sums(Side::Base, shown[at]);
                let is_both = !rows.is_empty() && !base.is_empty();
                let files = rows.keys().chain(base.keys()).map(|&(file, _)| file);
                same = files.filter(|&file| is_both && is_same(file)).collect();
                for (place, sums) in base {
                    if same.contains(place.0) || !is_both {
                        rows.entry(place).or_default().costs.base = sums.costs.base.clone();
                    }
                }
            }
            let files: BTreeSet<&[u8]> = rows.keys().map(|&(file, _)| file).collect();
            let new_files: usize = files.into_iter().map(|file| self.files.size(file)).sum();
            let rows: Vec<(FileLine<'a>, TableRow)> = rows
                .into_iter()
                .map(|(place, sums)| {
                    // No position has more digits.
                    let numbers = vec![position(at), position(99_999), place.1.into()];
                    (place, self.costs.row(numbers, &sums, 0))
                })
                .collect();
            let size: usize = rows.iter().map(|(_, row)| lines.table.size(row)).sum();
            if !room.take(size + new_files) {
                lines.omitted += 1;
                continue;
            }
            lines.compared.extend((!same.is_empty()).then_some(at));
            lines
                .same
                .extend(same.into_iter().map(|file| self.files.place(file)));
            for ((file, line), mut row) in rows {
                let file = self.files.place(file);
                self.lines_of[at].push((file, line));
                row.numbers[1] = position(file);
                lines.table.push(&row);
            }
        }
        lines
    }

    /// The costs of a function on one side by file and line. Line 0 means that the line is unknown.
    fn line_sums(&self, side: Side, function: usize) -> IndexMap<FileLine<'a>, SideSums> {
        let profile = self.costs.profile(side);
        let mut rows: IndexMap<FileLine<'a>, SideSums> = IndexMap::new();
        for &id in &self.functions.all[function].ids[side] {
            let file = profile.function(id).file;
            for line in profile.lines(id) {
                let file = profile.name(line.file.unwrap_or(file));
                let sums = rows.entry((file, line.line)).or_default();
                sums.add(side, 0, self.costs.scaled(side, line.costs));
            }
        }
        rows
    }

    /// The costliest lines of the whole program that fit, by self cost or, if all sides are traces, by
    /// the cost of their calls.
    pub fn places(&mut self, room: &mut Room) -> ProgramLines {
        let are_traces = (self.costs.sides().iter())
            .all(|&side| self.costs.profile(side).kind() == ProfileKind::Trace);
        let mut lines = self.all_lines(are_traces);
        if are_traces && self.options.inclusive == InclusiveCost::Once {
            self.count_calls_once(&mut lines);
        }
        self.join_moved(&mut lines);
        let numbers = &["file", "line", "calls", "base_calls"][..2 + self.costs.sides().len()];
        let table = self.costs.table(numbers, &["cost", "base_cost"]);
        let mut places = ProgramLines {
            are_calls: are_traces,
            table: table.with_digits(ESTIMATED),
            functions: vec![Vec::new(); self.costs.totals.len()],
            omitted: 0,
        };
        let shares = lines.values();
        let shares = shares.map(|line| self.costs.share_of_sides(&line.sums.costs));
        let shares: Vec<f64> = shares.collect();
        for index in by_share(&shares).into_iter().take(MAX_PLACES) {
            let Some((&(file, line), of)) = lines.get_index(index) else {
                continue;
            };
            let new_file = self.files.size(file);
            let Sides { base, new } = of.sums.counts.map(WholeNumber);
            let file = position(self.files.place(file));
            let numbers = vec![file, line.into(), new, base];
            let row = self.costs.row(numbers, &of.sums, of.estimated);
            let parts = (0..places.functions.len()).map(|event| {
                let part = of.largest.get(event);
                position(part.and_then(|part| self.functions.place(part.function)))
            });
            let parts: Vec<WholeNumber> = parts.collect();
            let size = parts.iter().map(|part| part.size()).sum::<usize>();
            if !room.take(places.table.size(&row) + size + new_file) {
                break;
            }
            places.table.push(&row);
            for (column, part) in places.functions.iter_mut().zip(parts) {
                column.push(part);
            }
        }
        places.omitted = lines.len() - places.table.rows();
        places
    }

    /// The costs of all lines on both sides: self costs, or those of the calls made there.
    fn all_lines(&self, are_traces: bool) -> AllLines<'a> {
        let mut lines = AllLines::new();
        for &side in self.costs.sides().iter().rev() {
            let mut add = |line, function, count: u64, costs: &[Cost]| {
                let of: &mut LineSums = lines.entry(line).or_default();
                let parts = costs.iter().map(|cost| Part {
                    is_new: side == Side::New,
                    cost: cost.unsigned_abs(),
                    function,
                });
                self.add_parts(&mut of.largest, parts);
                let costs = self.costs.scaled(side, costs);
                of.sums.add(side, count.into(), costs);
            };
            let profile = self.costs.profile(side);
            if are_traces {
                for edge in profile.edges() {
                    let callee = self.functions.index(side, edge.callee);
                    let line = (profile.call_file(&edge), edge.line);
                    add(line, callee, edge.calls, edge.costs());
                }
                continue;
            }
            for (id, function) in profile.functions() {
                let index = self.functions.index(side, id);
                for line in profile.lines(id) {
                    let file = profile.name(line.file.unwrap_or(function.file));
                    add((file, line.line), index, 0, line.costs);
                }
            }
        }
        lines
    }

    /// Subtracts the costs of calls within others on the same line.
    fn count_calls_once(&self, lines: &mut AllLines<'a>) {
        for &side in self.costs.sides() {
            let stacks = match (side, self.compared) {
                (Side::Base, Some(compared)) => compared.base,
                _ => self.stacks,
            };
            let Some(mut groups) = stacks.profile().by(GroupBy::Line, true) else {
                continue;
            };
            count_groups_once(&mut groups, stacks.profile(), || stacks);
            let once = &groups.profile;
            for (id, line) in once.functions() {
                let Some(at) = lines.get_index_of(&(once.name(line.file), line.line)) else {
                    continue;
                };
                let of = &mut lines[at];
                let costs = self.costs.scaled(side, once.self_costs(id));
                of.sums.costs[side] = costs.collect();
                if once.is_inclusive_estimated(id) {
                    of.estimated |= match side {
                        Side::New => 1,
                        Side::Base => 2,
                    };
                }
            }
        }
    }

    /// Joins lines that only one side has with those that only the other one has, if the files have the
    /// same name in other folders, as comparisons of groups do.
    fn join_moved(&self, lines: &mut AllLines<'_>) {
        let mut alone: HashMap<FileLine<'_>, Sides<Vec<usize>>> = HashMap::default();
        for (at, (&(file, line), of)) in lines.iter().enumerate() {
            let Sides { base, new } = of.sums.costs.as_ref().map(|costs| !costs.is_empty());
            if base != new {
                let side = if new { Side::New } else { Side::Base };
                alone.entry((last_component(file), line)).or_default()[side].push(at);
            }
        }
        let mut moved = Vec::new();
        for Sides { base, new } in alone.into_values() {
            let line = |at: &usize| lines.get_index(*at).map(|(&line, _)| line);
            let first = new.iter().copied().min_by_key(line);
            let rest = base.iter().chain(&new).copied();
            if let Some(first) = first.filter(|_| !base.is_empty()) {
                moved.extend(rest.filter(|&at| at != first).map(|at| (at, first)));
            }
        }
        for &(at, first) in &moved {
            let of = mem::take(&mut lines[at]);
            let line = &mut lines[first];
            line.sums.add_all(&of.sums);
            line.estimated |= of.estimated;
            self.add_parts(&mut line.largest, of.largest);
        }
        if !moved.is_empty() {
            lines.retain(|_, of| !of.largest.is_empty());
        }
    }

    /// Adds parts of a line to the `largest` ones, one for each event.
    fn add_parts(&self, largest: &mut Vec<Part>, parts: impl IntoIterator<Item = Part>) {
        // Those of the new side are larger than those of the base; of equal ones, the first by name is.
        let rank = |part: &Part| {
            let name = self.functions.all[part.function].name;
            (part.is_new, part.cost, Reverse(name))
        };
        for (event, part) in parts.into_iter().enumerate() {
            match largest.get_mut(event) {
                None => largest.push(part),
                Some(known) if rank(&part) > rank(known) => *known = part,
                Some(_) => {}
            }
        }
    }
}
