//! Stacks as a tree, for a terminal or a log.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{self, Write};
use std::iter;

use super::figures::summary::{ComparisonSummary, ProfileSummary};
use super::figures::table::TextTable;
use super::figures::{EventFormat, MISSING, marked, signed, signed_percent, write_lines};
use super::joined_stacks::JoinedStacks;
use super::{MAX_FRAMES, ReportOptions};
use crate::compare::{Comparison, Side, Sides};
use crate::display::numbers::grouped;
use crate::display::text::printable;
use crate::maps::{HashMap, HashSet};
use crate::names::{Named, short_name, width_of};
use crate::stacks::Stacks;

/// The number of blanks per level.
const INDENT: usize = 2;

/// The columns of a terminal that are reserved for names, at any depth.
const MIN_NAME: usize = 30;

/// The mark of an only child that is not indented further than its parent.
const CHAINED: &str = "└ ";

/// Writes the command, the totals and the most expensive stacks, in lines of UTF-8.
///
/// A row is always shown with its callers. The omitted children of a row are summed in one more row.
/// The percentages of estimated rows begin with `~`. If the width of a terminal is given, names are
/// shortened to fit. If there is no room for names, an only child is not indented further than its
/// parent.
///
/// # Errors
///
/// When the output fails.
pub fn write(stacks: &Stacks<'_>, options: &ReportOptions, output: impl Write) -> io::Result<()> {
    let report = ProfileSummary::new(stacks.profile(), options);
    let tree = ShownTree {
        stacks: JoinedStacks::new(stacks, None, |_, id| id.index()),
        event: report.first(),
    };
    tree.write(report.heading(), options, output)
}

/// Writes the totals of both sides and the stacks that changed most, likewise. Functions that are one
/// in the comparison are one row, if their callers are the same.
///
/// # Errors
///
/// When the output fails.
pub fn write_comparison(
    base: &Stacks<'_>,
    new: &Stacks<'_>,
    comparison: &Comparison<'_>,
    options: &ReportOptions,
    output: impl Write,
) -> io::Result<()> {
    let report = ComparisonSummary::new(comparison, options);
    let positions = comparison.positions();
    let tree = ShownTree {
        stacks: JoinedStacks::new(new, Some(base), |side, id| positions[side][id.index()]),
        event: &report.first,
    };
    tree.write(report.heading(), options, output)
}

/// Stacks with the format of their costs.
struct ShownTree<'t, 'a> {
    stacks: JoinedStacks<'t, 'a>,
    event: &'t EventFormat<'t>,
}

/// A node, or the sum of omitted siblings.
#[derive(Clone, Copy)]
struct TreeRow {
    /// `None` for omitted nodes.
    node: Option<usize>,
    /// The number of nodes that it sums.
    nodes: u64,
    /// The inclusive costs of both sides; `None` on a side that lacks it.
    inclusive: Sides<Option<i128>>,
    is_estimated: bool,
    level: usize,
    /// Whether it is the only child of its parent.
    is_only: bool,
    /// Whether a sibling has the same name, but another file.
    has_namesake: bool,
}

impl TreeRow {
    /// The change of its inclusive cost; without a base, the cost itself.
    fn change(&self) -> i128 {
        let Sides { base, new } = self.inclusive.map(Option::unwrap_or_default);
        new.saturating_sub(base)
    }

    /// The sum of two rows.
    fn with(self, other: TreeRow) -> TreeRow {
        let sums = self.inclusive.zip(other.inclusive);
        let inclusive = sums.map(|sides| match sides {
            (Some(one), Some(other)) => Some(one.saturating_add(other)),
            (one, other) => one.or(other),
        });
        TreeRow {
            nodes: self.nodes + other.nodes,
            inclusive,
            is_estimated: self.is_estimated | other.is_estimated,
            ..self
        }
    }
}

impl ShownTree<'_, '_> {
    fn write(
        &self,
        heading: Vec<String>,
        options: &ReportOptions,
        output: impl Write,
    ) -> io::Result<()> {
        let rows = self.rows(options.top.unwrap_or(usize::MAX));
        let lines = heading.into_iter().chain([String::new()]);
        write_lines(lines.chain(self.lines(&rows, options)), options, output)
    }

    /// The rows in their order: each is followed by those below it.
    fn rows(&self, top: usize) -> Vec<TreeRow> {
        let shown = self.most_expensive(top);
        let mut children: HashMap<Option<usize>, Vec<usize>> = HashMap::default();
        for at in 0..self.stacks.len() {
            let parent = self.stacks.parent(at);
            if parent.is_none_or(|parent| shown.contains(&parent)) {
                children.entry(parent).or_default().push(at);
            }
        }
        let mut rows_below = |parent| {
            let siblings = children.remove(&parent).unwrap_or_default();
            self.siblings(&siblings, &shown)
        };
        let mut rows = Vec::new();
        // The next row is the last one.
        let mut pending = rows_below(None);
        while let Some(row) = pending.pop() {
            rows.push(row);
            if row.node.is_some() {
                pending.extend(rows_below(row.node));
            }
        }
        rows
    }

    /// The rows for siblings, the last one first.
    fn siblings(&self, siblings: &[usize], shown: &HashSet<usize>) -> Vec<TreeRow> {
        let (mut rows, others): (Vec<TreeRow>, Vec<TreeRow>) = siblings
            .iter()
            .map(|&at| self.row(at))
            .partition(|row| row.node.is_some_and(|at| shown.contains(&at)));
        rows.sort_by_key(|row| {
            let frame = row.node.map(|at| self.named(at).name);
            (self.rank(row), Reverse((frame, row.node)))
        });
        let mut files: HashMap<&[u8], HashSet<&[u8]>> = HashMap::default();
        for at in rows.iter().filter_map(|row| row.node) {
            let Named { name, file, .. } = self.named(at);
            files.entry(name).or_default().insert(file);
        }
        for row in &mut rows {
            let name = row.node.map(|at| self.named(at).name);
            row.has_namesake = name.is_some_and(|name| files[name].len() > 1);
        }
        if let Some(rest) = others.into_iter().reduce(TreeRow::with) {
            rows.insert(0, TreeRow { node: None, ..rest });
        }
        if let [only] = rows.as_mut_slice() {
            only.is_only = true;
        }
        rows
    }

    fn row(&self, at: usize) -> TreeRow {
        let inclusive = Sides::EACH.map(|side| {
            let costs = self.stacks.stacks(side, at);
            let costs = costs.map(|(of, id)| self.event.cost_on(side, of.inclusive_costs(id)));
            Some(
                self.event
                    .per_run(side, costs.reduce(i128::saturating_add)?),
            )
        });
        TreeRow {
            node: Some(at),
            nodes: 1,
            inclusive,
            is_estimated: self.stacks.estimated(at) > 0,
            level: self.stacks.depth(at) as usize,
            is_only: false,
            has_namesake: false,
        }
    }

    /// The value that rows are sorted by: their cost, or the size of their change.
    fn rank(&self, row: &TreeRow) -> i128 {
        match self.event.is_compared() {
            true => row.change().saturating_abs(),
            false => row.change(),
        }
    }

    /// The nodes with the highest inclusive costs or the largest changes, each with all nodes above
    /// it.
    fn most_expensive(&self, top: usize) -> HashSet<usize> {
        let candidates = (0..self.stacks.len()).filter_map(|at| {
            let row = self.row(at);
            let rank = self.rank(&row);
            let is_wanted = rank != 0 || !self.event.is_compared();
            (is_wanted && row.level < MAX_FRAMES)
                .then(|| (rank, Reverse((row.level, self.named(at).name, at))))
        });
        let mut candidates: BinaryHeap<_> = candidates.collect();
        let mut shown = HashSet::default();
        while shown.len() < top
            && let Some((_, Reverse((_, _, at)))) = candidates.pop()
        {
            let above = iter::successors(Some(at), |&at| self.stacks.parent(at));
            let missing: Vec<usize> = above.take_while(|at| !shown.contains(at)).collect();
            if missing.len() <= top - shown.len() {
                shown.extend(missing);
            }
        }
        shown
    }

    fn name(&self, row: &TreeRow) -> String {
        let Some(at) = row.node else {
            return format!("… {} more", grouped(row.nodes));
        };
        let named = self.named(at);
        match row.has_namesake {
            true => format!("{} ({})", named.shown(), printable(named.file)),
            false => named.shown(),
        }
    }

    /// The function of a node, with the name of its frame.
    fn named(&self, at: usize) -> Named<'_> {
        let (_, stacks, id) = self.stacks.one(at);
        let function = stacks.function(id);
        Named {
            name: stacks.frame(id),
            ..function.map_or_else(Named::default, |id| Named::of(stacks.profile(), id))
        }
    }

    fn table<'r>(&self, rows: &'r [TreeRow]) -> TextTable<'r, TreeRow> {
        let notation = self.event.notation;
        let table = TextTable::named("function", rows, |row| self.name(row));
        if self.event.is_compared() {
            let side = |row: &TreeRow, side: Side| match row.inclusive[side] {
                Some(cost) => notation.cost(cost),
                None => MISSING[side].to_owned(),
            };
            return table
                .with(notation.heading("change", "change"), |row| {
                    let change = signed(row.change(), notation.cost(row.change()));
                    marked(row.is_estimated, change)
                })
                .with("base %", |row| {
                    signed_percent(row.change(), self.event.totals.base)
                })
                .with(notation.heading("base", "base"), |row| {
                    side(row, Side::Base)
                })
                .with(notation.heading("new", "new"), |row| side(row, Side::New));
        }
        let new = |row: &TreeRow| row.inclusive.new.unwrap_or(0);
        let self_cost = |at: usize| {
            let stacks = self.stacks.stacks(Side::New, at);
            let costs = stacks.map(|(of, id)| self.event.cost(of.self_costs(id)));
            notation.cost(costs.sum::<i128>())
        };
        let profile = self.stacks.sides.new.profile();
        // The sum of omitted nodes shows no self cost and no calls.
        table
            .with("incl %", |row| {
                marked(row.is_estimated, self.event.share(new(row)))
            })
            .with(notation.heading("incl", "inclusive"), |row| {
                notation.cost(new(row))
            })
            .with(notation.heading("self", "self"), |row| {
                row.node.map_or_else(String::new, self_cost)
            })
            .with_known(profile.has_invocations(), "calls", |row| {
                row.node
                    .map_or_else(String::new, |at| grouped(self.stacks.calls(at)))
            })
    }

    /// The headings, and a line for each row.
    fn lines(&self, rows: &[TreeRow], options: &ReportOptions) -> Vec<String> {
        let mut table = self.table(rows);
        let room = table.room(options);
        let most = room
            .map(|room| room.saturating_sub(MIN_NAME) / INDENT)
            .filter(|&most| rows.iter().any(|row| row.level > most));
        // The indentations of the rows above the current one.
        let mut columns = Vec::new();
        for (row, line) in rows.iter().zip(table.rows_mut()) {
            let prefix = prefix(row, most, &mut columns);
            let room = room.map(|room| room.saturating_sub(width_of(&prefix)));
            let room = room.or(options.name_width()).unwrap_or(usize::MAX);
            line.name = prefix + &short_name(&line.name, room);
        }
        table.joined(options)
    }
}

/// The indentation of a row. `most` is the deepest one, if names would have no room otherwise.
/// `columns` contains the indentations of the rows above; that of the row is added.
fn prefix(row: &TreeRow, most: Option<usize>, columns: &mut Vec<usize>) -> String {
    let indentation = |level: usize| " ".repeat(level * INDENT);
    let Some(most) = most else {
        return indentation(row.level);
    };
    // An only child can be recognised without further indentation.
    columns.truncate(row.level);
    let above = columns.last().copied();
    let is_chained = row.is_only && above.is_some();
    let column = above.map_or(0, |above| above + usize::from(!is_chained));
    columns.push(column);
    let mark = match column.checked_sub(most) {
        // There is no room for names further right, so the depth is written as a number.
        Some(further @ 1..) => format!("{}+{further} ", indentation(most)),
        _ => indentation(column),
    };
    mark + if is_chained { CHAINED } else { "" }
}
