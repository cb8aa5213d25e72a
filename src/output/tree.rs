//! Stacks as a tree, for a terminal or a log.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::Write;
use std::iter;

use super::figures::change;
use super::figures::line::{TextLine, write_lines};
use super::figures::report::{Column, Columns, Report};
use super::figures::row::Row;
use super::joined_stacks::JoinedStacks;
use super::{MAX_FRAMES, ReportOptions, Sort};
use crate::compare::{CallCount, FunctionSums, Side, Sides, Subject};
use crate::display::numbers::grouped;
use crate::display::text::printable;
use crate::maps::{HashMap, HashSet};
use crate::names::{Named, short_name, width_of};
pub use crate::output::figures::ReportError as Error;
use crate::output::options::Wanted;
use crate::profile::{Cost, NameId};
use crate::stacks::{StackId, Stacks};
use crate::tables::next_index;

/// The number of blanks per level.
const INDENT: usize = 2;

/// The columns of a terminal that are reserved for names, at any depth.
const MIN_NAME: usize = 30;

const SELF: Column = Column::new(Sort::SelfCost, ["self", "", ""]);

/// The mark of an only child that is not indented further than its parent.
const CHAINED: &str = "└ ";

/// Writes the command, the totals and the most expensive stacks, in lines of UTF-8; with a base, the
/// totals of both sides and the stacks that changed most. Functions that are one in the comparison are
/// one row, if their callers are the same.
///
/// The stacks are those of the `functions`, and of their base if they are compared.
///
/// A row is always shown with its callers. The omitted children of a row are summed in one more row.
/// The percentages of estimated rows begin with `~`. If the width of a terminal is given, names are
/// shortened to fit. If there is no room for names, an only child is not indented further than its
/// parent.
///
/// With [`ReportOptions::filter`], the stacks are those that contain a function with these words, and
/// callers have their costs. With [`ReportOptions::function`], there are two trees: of what leads to the
/// function, and of what it calls.
///
/// # Errors
///
/// When the output fails, or if no function has the requested name or words; nothing is written then.
pub fn write<'a>(
    functions: impl Into<Subject<'a>>,
    stacks: &Stacks<'_>,
    base: Option<&Stacks<'_>>,
    options: &ReportOptions,
    mut output: impl Write,
) -> Result<(), Error> {
    let functions = functions.into();
    let report = &Report::new(functions, options);
    let wanted = report.wanted()?;
    let rows = wanted.iter().flat_map(Wanted::shown);
    let rows: HashSet<usize> = rows.copied().collect();
    let is_wanted = |side: Side, stacks: &Stacks<'_>, node: StackId| {
        let row = report.on(side).node_row(stacks, node);
        row.is_some_and(|row| rows.contains(&report.position(side, row)))
    };
    let mut lines = report.heading();
    lines.extend(wanted.as_ref().and_then(|wanted| report.filtered(wanted)));
    // A tree can have many lines, so each is written when it is made.
    let mut add = |title: Option<&str>, stacks: Sides<Option<&Stacks<'_>>>| {
        let Sides {
            base,
            new: Some(new),
        } = stacks
        else {
            return Ok(());
        };
        lines.push(TextLine::empty());
        lines.extend(title.map(|title| TextLine::Plain(title.to_owned())));
        let tree = ShownTree {
            stacks: JoinedStacks::new(new, base.zip(functions.comparison())),
            report,
        };
        let rows = tree.rows(options.top.unwrap_or(usize::MAX));
        let lines = lines.drain(..).chain(tree.lines(&rows));
        write_lines(lines, options, &mut output)
    };
    let new = Some(stacks);
    let sides = Sides { base, new }.zip(Sides::EACH);
    if wanted.is_none() {
        add(None, Sides { base, new })?;
    } else if options.function.is_none() {
        let made = sides.map(|(stacks, side)| {
            stacks.map(|stacks| stacks.containing(|node| is_wanted(side, stacks, node)))
        });
        add(None, made.as_ref().map(Option::as_ref))?;
    } else {
        let above = sides.map(|(stacks, side)| {
            stacks.map(|stacks| stacks.above(|node| is_wanted(side, stacks, node), MAX_FRAMES))
        });
        let title = "Callers, each below what it calls, with the cost of these calls:";
        add(Some(title), above.as_ref().map(Option::as_ref))?;
        let below = sides.map(|(stacks, side)| {
            stacks.map(|stacks| stacks.below(|node| is_wanted(side, stacks, node)))
        });
        add(Some("Callees:"), below.as_ref().map(Option::as_ref))?;
    }
    Ok(())
}

/// Stacks with the format of their costs.
struct ShownTree<'t, 'a> {
    stacks: JoinedStacks<'t, 'a>,
    report: &'t Report<'t>,
}

/// A node, or the sum of omitted siblings.
struct TreeRow<'a> {
    node: TreeNode<'a>,
    level: usize,
    /// Whether its name needs its file, because siblings have this name, too.
    has_file: bool,
    /// Whether it is the only child of its parent.
    is_only: bool,
}

enum TreeNode<'a> {
    Shown(usize),
    /// The sum of omitted ones.
    Rest(Box<Row<'a>>),
}

impl ShownTree<'_, '_> {
    /// The rows in their order: each is followed by those below it.
    fn rows(&self, top: usize) -> Vec<TreeRow<'_>> {
        let shown = self.most_expensive(top);
        // By node, the siblings before its last child; the last root is that of the end.
        let count = self.stacks.len();
        let (mut last_child, mut before) = (vec![None; count + 1], vec![None; count]);
        for (at, before) in before.iter_mut().enumerate() {
            let parent = self.stacks.parent(at);
            if parent.is_none_or(|parent| shown[parent]) {
                *before = last_child[parent.unwrap_or(count)].replace(next_index(at));
            }
        }
        let rows_below = |parent: usize| {
            let before = |&at: &u32| before[at as usize];
            let siblings = iter::successors(last_child[parent], before);
            let siblings = siblings.map(|at| at as usize).collect();
            self.siblings(siblings, &shown)
        };
        let mut rows = Vec::new();
        // The next row is the last one.
        let mut pending = rows_below(count);
        while let Some(row) = pending.pop() {
            if let TreeNode::Shown(at) = row.node {
                pending.extend(rows_below(at));
            }
            rows.push(row);
        }
        rows
    }

    /// The rows for siblings, the last one first.
    fn siblings(&self, siblings: Vec<usize>, shown: &[bool]) -> Vec<TreeRow<'_>> {
        let (mut nodes, others): (Vec<usize>, Vec<usize>) =
            siblings.into_iter().partition(|&at| shown[at]);
        nodes.sort_by_cached_key(|&at| {
            let cost = self.sums(&[at]);
            let cost = self.report.rank(Sort::Inclusive.change(cost));
            (cost, Reverse((self.named(at).name, at)))
        });
        let mut files: HashMap<&[u8], HashSet<&[u8]>> = HashMap::default();
        for Named { name, file, .. } in nodes.iter().map(|&at| self.named(at)) {
            files.entry(name).or_default().insert(file);
        }
        let level = |at| self.stacks.depth(at) as usize;
        let rest = others.last().map(|&first| TreeRow {
            node: TreeNode::Rest(Box::new(Row {
                text: Some(format!("… {} more", grouped(others.len() as u64))),
                sums: self.sums(&others),
                ..Row::default()
            })),
            level: level(first),
            has_file: false,
            is_only: false,
        });
        let nodes = nodes.into_iter().map(|at| TreeRow {
            node: TreeNode::Shown(at),
            level: level(at),
            has_file: files[self.named(at).name].len() > 1,
            is_only: false,
        });
        let mut rows: Vec<TreeRow<'_>> = rest.into_iter().chain(nodes).collect();
        if let [only] = rows.as_mut_slice() {
            only.is_only = true;
        }
        rows
    }

    /// What a row shows.
    fn row<'r>(&'r self, row: &'r TreeRow<'r>) -> Cow<'r, Row<'r>> {
        match &row.node {
            TreeNode::Rest(rest) => Cow::Borrowed(rest),
            &TreeNode::Shown(at) => {
                let named = self.named(at);
                let with_file = || format!("{} ({})", named.shown(), printable(named.file));
                Cow::Owned(Row {
                    named,
                    text: row.has_file.then(with_file),
                    sums: self.sums(&[at]),
                    ..Row::default()
                })
            }
        }
    }

    /// The sums of nodes. Only the new side has calls.
    fn sums(&self, nodes: &[usize]) -> Sides<Option<FunctionSums>> {
        let is_inclusive_estimated = nodes.iter().any(|&at| self.stacks.estimated(at) > 0);
        let calls = nodes.iter().map(|&at| self.stacks.calls(at));
        let calls = calls.fold(0, u64::saturating_add);
        Sides::EACH.map(|side| {
            Some(FunctionSums {
                self_cost: self.sum(side, nodes, |stacks, id| stacks.self_costs(id))?,
                inclusive: self.sum(side, nodes, |stacks, id| stacks.inclusive_costs(id))?,
                is_inclusive_estimated,
                is_self_estimated: false,
                invocations: CallCount::per_run(calls.into(), 1),
            })
        })
    }

    /// The sum of a cost of nodes; `None` on a side that lacks them.
    fn sum(
        &self,
        side: Side,
        nodes: &[usize],
        costs: for<'s> fn(&'s Stacks<'_>, StackId) -> &'s [Cost],
    ) -> Option<i128> {
        let event = self.report.first();
        let nodes = nodes.iter().flat_map(|&at| self.stacks.stacks(side, at));
        let costs = nodes.map(|(stacks, id)| event.cost(side, costs(stacks, id)));
        Some(event.per_run(side, costs.reduce(i128::saturating_add)?))
    }

    /// By node, whether it is one of those with the highest inclusive costs or the largest changes, or
    /// above one of these.
    fn most_expensive(&self, top: usize) -> Vec<bool> {
        let candidates = (0..self.stacks.len()).filter_map(|at| {
            let inclusive = Sides::EACH
                .map(|side| self.sum(side, &[at], |stacks, id| stacks.inclusive_costs(id)));
            let rank = self.report.rank(change(inclusive));
            let is_wanted = rank != 0 || self.report.comparison.is_none();
            let level = self.stacks.depth(at) as usize;
            (is_wanted && level < MAX_FRAMES)
                .then(|| (rank, Reverse((level, self.named(at).name, at))))
        });
        let mut candidates: BinaryHeap<_> = candidates.collect();
        let (mut shown, mut count) = (vec![false; self.stacks.len()], 0);
        while count < top
            && let Some((_, Reverse((_, _, at)))) = candidates.pop()
        {
            let above = iter::successors(Some(at), |&at| self.stacks.parent(at));
            let missing: Vec<usize> = above.take_while(|&at| !shown[at]).collect();
            if missing.len() <= top - count {
                count += missing.len();
                missing.into_iter().for_each(|at| shown[at] = true);
            }
        }
        shown
    }

    /// The function of a node, with the name of its frame.
    fn named(&self, at: usize) -> Named<'_> {
        let (_, stacks, id) = self.stacks.one(at);
        let profile = stacks.profile();
        let function = stacks.function(id).map(|id| profile.function(id));
        let name = |name: Option<NameId>| name.map_or(&b""[..], |name| profile.name(name));
        Named {
            name: stacks.frame(id),
            object: name(function.map(|function| function.object)),
            file: name(function.map(|function| function.file)),
            line: function.map_or(0, |function| function.line),
            costliest: None,
        }
    }

    /// The headings, and a line for each row.
    fn lines<'r>(&'r self, rows: &'r [TreeRow<'r>]) -> impl Iterator<Item = TextLine> + use<'r> {
        let (report, options) = (self.report, self.report.options);
        let costs = [Column::INCLUSIVE, SELF];
        let columns = Columns {
            values: match report.comparison {
                None => report.with_calls(&costs),
                // Stacks of a base have no calls.
                Some(_) => costs.to_vec(),
            },
            whole: Some(report.first().whole),
            has_sides: true,
        };
        let mut table = report.table(["function", ""], &columns);
        rows.iter().for_each(|row| table.fit(&self.row(row)));
        let room = table.room(options);
        let most = room
            .map(|room| room.saturating_sub(MIN_NAME) / INDENT)
            .filter(|&most| rows.iter().any(|row| row.level > most));
        // The indentations of the rows above the current one.
        let mut columns = Vec::new();
        let edit = move |row: &&TreeRow<'_>, name: &mut String| {
            let prefix = prefix(row, most, &mut columns);
            let room = room.map(|room| room.saturating_sub(width_of(&prefix)));
            let room = room.map(|room| room.min(options.name_width().unwrap_or(room)));
            let short = room.map(|room| short_name(name, room));
            *name = prefix + short.as_ref().unwrap_or(name);
        };
        table.lines_of(rows.iter(), |&row| self.row(row), edit)
    }
}

/// The indentation of a row. `most` is the deepest one, if names would have no room otherwise.
/// `columns` contains the indentations of the rows above; that of the row is added.
fn prefix(row: &TreeRow<'_>, most: Option<usize>, columns: &mut Vec<usize>) -> String {
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
