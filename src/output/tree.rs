//! Stacks as a tree, for a terminal or a log.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{self, Write};

use super::ReportOptions;
use super::figures::summary::ProfileSummary;
use super::figures::table::{SourceLocation, Table};
use crate::display::numbers::grouped;
use crate::display::text::printable;
use crate::maps::HashSet;
use crate::names::{cut_end, short_name, width_of};
use crate::output::figures::{EventFormat, estimate_mark};
use crate::profile::Cost;
use crate::stacks::{StackId, Stacks};
use crate::tables::first_cost;

/// Blanks for each level.
const INDENT: usize = 2;

/// At least this much of a terminal's width is left for names, at any depth.
const MIN_NAME: usize = 30;

/// Stacks that are deeper are left out: the indentation of recursion would make the
/// output grow with its square.
const MAX_LEVELS: usize = 1024;

/// Stands before an only child that is not indented any further.
const CHAINED: &str = "└ ";

/// Writes what was profiled, and the most expensive stacks, in lines of UTF-8.
///
/// A row is always shown with its callers. What is left out below one is summed up in a row of its
/// own. The percentages of estimated rows begin with `~`. If the width of a terminal is given, names
/// are shortened to fit. If there is no room for names, chains of rows with a single child are not
/// indented further.
///
/// # Errors
///
/// When the output fails.
pub fn write(
    stacks: &Stacks<'_>,
    options: &ReportOptions,
    mut output: impl Write,
) -> io::Result<()> {
    let mut put = |line: &str| writeln!(output, "{}", cut_end(line, options.room()));
    let report = ProfileSummary::new(stacks.profile(), options);
    for line in report.heading() {
        put(&line)?;
    }
    put("")?;
    let tree = Tree {
        stacks,
        event: report.first(),
    };
    let rows = tree.rows(options.top.unwrap_or(usize::MAX));
    for line in tree.lines(&rows, options) {
        put(&line)?;
    }
    output.flush()
}

/// Stacks, and how their costs are written.
struct Tree<'a> {
    stacks: &'a Stacks<'a>,
    event: &'a EventFormat<'a>,
}

/// A node, or what is left out below one.
#[derive(Clone, Copy)]
struct Row {
    /// None for nodes that are left out.
    node: Option<StackId>,
    /// How many nodes it stands for.
    nodes: u64,
    inclusive: Cost,
    is_estimated: bool,
    level: usize,
    /// Whether it is the only one below the row before it.
    is_only: bool,
}

impl Tree<'_> {
    /// The most expensive nodes, each after the one above it.
    fn rows(&self, top: usize) -> Vec<Row> {
        let shown = self.most_expensive(top);
        let mut rows = Vec::new();
        // The next one last.
        let mut pending = self.siblings(self.stacks.roots(), &shown, 0);
        while let Some(row) = pending.pop() {
            rows.push(row);
            if let Some(id) = row.node {
                let below = self.stacks.children(id);
                pending.extend(self.siblings(below, &shown, row.level + 1));
            }
        }
        rows
    }

    /// What is shown of some siblings, the last one first.
    fn siblings(
        &self,
        siblings: impl Iterator<Item = StackId>,
        shown: &HashSet<StackId>,
        level: usize,
    ) -> Vec<Row> {
        let (mut nodes, others): (Vec<_>, Vec<_>) = siblings.partition(|id| shown.contains(id));
        nodes.sort_by_key(|&id| (self.inclusive(id), Reverse(self.stacks.frame(id)), id));
        let row = |node| Row {
            node: Some(node),
            nodes: 1,
            inclusive: self.inclusive(node),
            is_estimated: self.stacks.is_inclusive_estimated(node),
            level,
            is_only: false,
        };
        let others = others.into_iter().map(|id| Row {
            node: None,
            ..row(id)
        });
        let rest = others.reduce(|rest, other| Row {
            nodes: rest.nodes + 1,
            inclusive: rest.inclusive.saturating_add(other.inclusive),
            is_estimated: rest.is_estimated | other.is_estimated,
            ..rest
        });
        let rows = rest.into_iter().chain(nodes.into_iter().map(row));
        let mut rows: Vec<Row> = rows.collect();
        if let [only] = rows.as_mut_slice() {
            only.is_only = true;
        }
        rows
    }

    /// The nodes with the highest inclusive costs, and none without the one above it.
    fn most_expensive(&self, top: usize) -> HashSet<StackId> {
        let candidate = |id: StackId, level: usize| {
            let (inclusive, name) = (self.inclusive(id), self.stacks.frame(id));
            (inclusive, Reverse((level, name, id)))
        };
        let roots = self.stacks.roots().map(|id| candidate(id, 0));
        let mut candidates: BinaryHeap<_> = roots.collect();
        let mut shown = HashSet::default();
        while shown.len() < top
            && let Some((_, Reverse((level, _, id)))) = candidates.pop()
        {
            shown.insert(id);
            if level + 1 < MAX_LEVELS {
                let below = self.stacks.children(id);
                candidates.extend(below.map(|id| candidate(id, level + 1)));
            }
        }
        shown
    }

    fn inclusive(&self, id: StackId) -> Cost {
        first_cost(self.stacks.inclusive_costs(id))
    }

    fn name(&self, row: &Row) -> String {
        match row.node.map(|id| self.stacks.frame(id)) {
            None => format!("… {} more", grouped(row.nodes)),
            Some(b"") => "???".to_owned(),
            Some(name) => printable(name),
        }
    }

    /// The headings, and a line for each row.
    fn lines(&self, rows: &[Row], options: &ReportOptions) -> Vec<String> {
        let (stacks, notation) = (self.stacks, self.event.notation);
        let self_cost = |id| notation.cost(first_cost(stacks.self_costs(id)));
        let calls = |id| grouped(stacks.calls(id));
        let about = |row: &Row| (self.name(row), SourceLocation::default());
        // What is left out has no self cost and no calls of its own.
        let table = Table::new(["function", ""], rows, about)
            .with("incl %", |row| {
                estimate_mark(row.is_estimated).to_owned() + &self.event.share(row.inclusive)
            })
            .with(notation.heading("incl", "inclusive"), |row| {
                notation.cost(row.inclusive)
            })
            .with(notation.heading("self", "self"), |row| {
                row.node.map_or_else(String::new, self_cost)
            })
            .with_known(stacks.profile().has_invocations(), "calls", |row| {
                row.node.map_or_else(String::new, calls)
            });
        let (figures, room) = table.figures(options);
        let most = room.map(|room| room.saturating_sub(MIN_NAME) / INDENT);
        let most = most.filter(|&most| rows.iter().any(|row| row.level > most));
        // The indentations of the rows above the next one.
        let mut columns = Vec::new();
        let mut figures = figures.into_iter();
        let headings = figures.next().map(|figures| figures + &table.headings.name);
        let names = rows.iter().zip(table.rows).map(|(row, line)| {
            let prefix = prefix(row, most, &mut columns);
            let room = room.map(|room| room.saturating_sub(width_of(&prefix)));
            match room.or(options.name_width()) {
                Some(room) => prefix + &short_name(&line.name, room),
                None => prefix + &line.name,
            }
        });
        let lines = figures.zip(names).map(|(figures, name)| figures + &name);
        headings.into_iter().chain(lines).collect()
    }
}

/// What stands before the name of a row. If there is no room for names otherwise, rows are indented
/// only so far as `most` says; `columns` has the indentations of those above it, and gets its own.
fn prefix(row: &Row, most: Option<usize>, columns: &mut Vec<usize>) -> String {
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
