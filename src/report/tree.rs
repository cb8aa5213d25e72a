//! Stacks as a tree, for a terminal or a log.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};
use std::io::{self, Write};

use super::text::figures::Notation;
use super::text::table::{GAP, aligned};
use super::text::{Options, Report};
use crate::profile::{Cost, StackId, Stacks, first_cost};
use crate::shown::names::{cut_end, short_name, width_of};
use crate::shown::numbers::{grouped, percent};
use crate::shown::text::printable;

/// How many columns of figures there are.
const FIGURES: usize = 4;

/// Blanks for each level.
const INDENT: usize = 2;

/// At least this much of a terminal's width is left for names, at any depth.
const LEAST_NAME: usize = 30;

/// Stacks that are deeper are left out: the indentation of recursion would make the
/// output grow with its square.
const MOST_LEVELS: usize = 1024;

/// Stands before the percentage of an estimated row.
const ESTIMATED: &str = "~";

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
pub fn write(stacks: &Stacks<'_>, options: &Options, mut output: impl Write) -> io::Result<()> {
    let mut put = |line: &str| writeln!(output, "{}", cut_end(line, options.room()));
    let report = Report::new(stacks.profile(), options);
    for line in report.heading() {
        put(&line)?;
    }
    put("")?;
    let tree = Tree::new(stacks, report.notation());
    let rows = tree.rows(options.top.unwrap_or(usize::MAX));
    let table = Table::new(&tree, &rows, options);
    put(&table.headings())?;
    let mut columns = Vec::new();
    for row in &rows {
        put(&table.line(row, &mut columns))?;
    }
    output.flush()
}

/// Stacks, and how their costs are written.
struct Tree<'a> {
    stacks: &'a Stacks<'a>,
    total: Cost,
    notation: Notation,
}

#[derive(Clone, Copy)]
struct Row {
    what: Shown,
    level: usize,
    /// Whether it is the only one below the row before it.
    is_only: bool,
}

#[derive(Clone, Copy)]
enum Shown {
    Node(StackId),
    /// What is left out below a node.
    Rest(Rest),
}

#[derive(Clone, Copy, Default)]
struct Rest {
    nodes: u64,
    inclusive: Cost,
    is_estimated: bool,
}

impl<'a> Tree<'a> {
    fn new(stacks: &'a Stacks<'a>, notation: Notation) -> Self {
        Tree {
            stacks,
            total: stacks.profile().total(),
            notation,
        }
    }

    /// The most expensive nodes, each after the one above it.
    fn rows(&self, top: usize) -> Vec<Row> {
        let shown = self.most_expensive(top);
        let mut rows = Vec::new();
        // The next one last.
        let mut pending = self.siblings(self.stacks.roots(), &shown, 0);
        while let Some(row) = pending.pop() {
            rows.push(row);
            if let Shown::Node(id) = row.what {
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
        let mut siblings = Vec::new();
        if !others.is_empty() {
            siblings.push(Shown::Rest(others.into_iter().fold(
                Rest::default(),
                |rest, id| Rest {
                    nodes: rest.nodes + 1,
                    inclusive: rest.inclusive.saturating_add(self.inclusive(id)),
                    is_estimated: rest.is_estimated | self.stacks.is_estimated(id),
                },
            )));
        }
        siblings.extend(nodes.into_iter().map(Shown::Node));
        let is_only = siblings.len() == 1;
        let row = |what| Row {
            what,
            level,
            is_only,
        };
        siblings.into_iter().map(row).collect()
    }

    /// The nodes with the highest inclusive costs, and none without the one above it.
    fn most_expensive(&self, top: usize) -> HashSet<StackId> {
        let candidate = |id: StackId, level: usize| {
            let name = self.stacks.frame(id);
            (
                self.inclusive(id),
                Reverse(level),
                Reverse(name),
                Reverse(id),
            )
        };
        let roots = self.stacks.roots().map(|id| candidate(id, 0));
        let mut candidates: BinaryHeap<_> = roots.collect();
        let mut shown = HashSet::new();
        while shown.len() < top
            && let Some((_, Reverse(level), _, Reverse(id))) = candidates.pop()
        {
            shown.insert(id);
            if level + 1 < MOST_LEVELS {
                let below = self.stacks.children(id);
                candidates.extend(below.map(|id| candidate(id, level + 1)));
            }
        }
        shown
    }

    fn inclusive(&self, id: StackId) -> Cost {
        first_cost(self.stacks.inclusive_costs(id))
    }

    /// Headings of the figures, which stand at the right of their columns.
    fn headings(&self) -> [String; FIGURES] {
        [
            "incl %".to_owned(),
            self.notation.heading("incl", "inclusive"),
            self.notation.heading("self", "self"),
            "calls".to_owned(),
        ]
    }

    fn figures(&self, row: &Row) -> [String; FIGURES] {
        let (inclusive, self_cost, calls, is_estimated) = match row.what {
            Shown::Node(id) => {
                let self_cost = first_cost(self.stacks.self_costs(id));
                (
                    self.inclusive(id),
                    self.notation.cost(self_cost),
                    grouped(self.stacks.calls(id)),
                    self.stacks.is_estimated(id),
                )
            }
            Shown::Rest(rest) => {
                let none = String::new();
                (rest.inclusive, none.clone(), none, rest.is_estimated)
            }
        };
        let mark = if is_estimated { ESTIMATED } else { "" };
        let share = mark.to_owned() + percent(inclusive, self.total).trim_start();
        [share, self.notation.cost(inclusive), self_cost, calls]
    }

    fn name(&self, row: &Row) -> String {
        match row.what {
            Shown::Rest(rest) => format!("… {} more", grouped(rest.nodes)),
            Shown::Node(id) => match self.stacks.frame(id) {
                b"" => "???".to_owned(),
                name => printable(name),
            },
        }
    }
}

/// How rows become lines.
struct Table<'a> {
    tree: &'a Tree<'a>,
    widths: [usize; FIGURES],
    /// How wide names with their indentation may be; none without a terminal.
    room: Option<usize>,
    /// How wide names may be without a terminal.
    name_width: Option<usize>,
    /// How far rows are indented at most, if otherwise there is no room for names.
    most: Option<usize>,
}

impl<'a> Table<'a> {
    fn new(tree: &'a Tree<'a>, rows: &[Row], options: &Options) -> Self {
        let mut widths = tree.headings().map(|heading| width_of(&heading));
        for row in rows {
            for (width, figure) in widths.iter_mut().zip(tree.figures(row)) {
                *width = figure.len().max(*width);
            }
        }
        let taken: usize = widths.iter().map(|width| width + GAP.len()).sum();
        let room = options.room().map(|width| width.saturating_sub(taken));
        let most = room.map(|room| room.saturating_sub(LEAST_NAME) / INDENT);
        Table {
            tree,
            widths,
            room,
            name_width: options.name_width(),
            most: most.filter(|&most| rows.iter().any(|row| row.level > most)),
        }
    }

    fn headings(&self) -> String {
        aligned(&self.tree.headings(), &self.widths) + "function"
    }

    /// The line of a row; `columns` has the indentations of those above it, and gets its own.
    fn line(&self, row: &Row, columns: &mut Vec<usize>) -> String {
        let mut name = self.tree.name(row);
        let mark = self.mark(row, columns);
        let room = self.room.map(|room| room.saturating_sub(width_of(&mark)));
        if let Some(room) = room.or(self.name_width) {
            name = short_name(&name, room);
        }
        aligned(&self.tree.figures(row), &self.widths) + &mark + &name
    }

    /// What stands before a name.
    fn mark(&self, row: &Row, columns: &mut Vec<usize>) -> String {
        let indentation = |level: usize| " ".repeat(level * INDENT);
        let Some(most) = self.most else {
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
}
