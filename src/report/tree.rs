//! The calling contexts of a trace as a tree, for a terminal or a log.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};
use std::io::{self, Write};

use super::text::figures::{grouped, percent};
use super::text::names::{cut_end, shorten_name};
use super::text::{Options, heading};
use crate::profile::{ContextId, ContextTree, Cost, Profile};
use crate::text::printable;

/// Headings of the figures, which stand at the right of their columns.
const FIGURES: [&str; 4] = ["incl %", "inclusive", "self", "calls"];

/// What stands between columns.
const GAP: &str = "  ";

/// Blanks for each level.
const INDENT: usize = 2;

/// So much of a terminal's width is left to names, however deep they stand.
const LEAST_NAME: usize = 30;

/// Stands before an only child that is not indented any further.
const CHAINED: &str = "└ ";

/// Writes what was profiled, and its most expensive calling contexts, in lines of UTF-8.
///
/// A context's callers always come with it. What is left out below one is summed up in a row of its
/// own. Where the width of a terminal is given, names are shortened to it, and chains of contexts
/// of which each has but one below it stop being indented, if there is no room for names otherwise.
///
/// The profile has to have been read with
/// [`ProfileOptions::contexts`](crate::profile::ProfileOptions::contexts): without them there are
/// no rows.
///
/// # Errors
///
/// When the output fails.
pub fn write(profile: &Profile, options: Options, mut output: impl Write) -> io::Result<()> {
    let mut lines = heading(profile, profile.total());
    lines.push(String::new());
    if let Some(contexts) = profile.contexts() {
        let rows = Tree::new(profile, contexts).rows(options.top.unwrap_or(usize::MAX));
        lines.extend(table(&rows, profile.total(), options.width));
    }
    for line in lines {
        let line = match options.width {
            Some(width) => cut_end(&line, width),
            None => line,
        };
        writeln!(output, "{line}")?;
    }
    output.flush()
}

/// Contexts with what their order follows from.
struct Tree<'a> {
    profile: &'a Profile,
    contexts: &'a ContextTree,
    inclusive: Vec<Cost>,
}

/// A context or, without one, the rest of those below one.
struct Row {
    name: String,
    inclusive: Cost,
    /// Its self cost and calls.
    own: Option<(Cost, u64)>,
    level: usize,
    /// Whether it is the only one below the row before it.
    is_only: bool,
}

impl<'a> Tree<'a> {
    fn new(profile: &'a Profile, contexts: &'a ContextTree) -> Self {
        Tree {
            profile,
            contexts,
            inclusive: contexts.inclusive_costs(),
        }
    }

    /// The most expensive contexts, each after the one above it.
    fn rows(&self, top: usize) -> Vec<Row> {
        let shown = self.most_expensive(top);
        let mut rows = Vec::new();
        // The next one last.
        let mut pending: Vec<(Pending, usize, bool)> = Vec::new();
        pending.extend(self.pending(self.contexts.roots(), &shown, 0));
        while let Some((next, level, is_only)) = pending.pop() {
            match next {
                Pending::Rest(count, inclusive) => rows.push(Row {
                    name: format!("… {} more", grouped(count)),
                    inclusive,
                    own: None,
                    level,
                    is_only,
                }),
                Pending::Context(id) => {
                    let context = self.contexts.context(id);
                    rows.push(Row {
                        name: self.name(id),
                        inclusive: self.inclusive[id.index()],
                        own: Some((context.self_cost, context.calls)),
                        level,
                        is_only,
                    });
                    let below = self.contexts.children(id);
                    pending.extend(self.pending(below, &shown, level + 1));
                }
            }
        }
        rows
    }

    /// What is shown of some siblings, the last one first.
    fn pending(
        &self,
        siblings: impl Iterator<Item = ContextId>,
        shown: &HashSet<ContextId>,
        level: usize,
    ) -> Vec<(Pending, usize, bool)> {
        let (mut contexts, others): (Vec<_>, Vec<_>) = siblings.partition(|id| shown.contains(id));
        contexts.sort_by_cached_key(|&id| (self.inclusive[id.index()], Reverse(self.name(id)), id));
        let costs = others.iter().map(|id| self.inclusive[id.index()]);
        let rest = costs.fold(0, Cost::saturating_add);
        let count = others.len() as u64;
        let rest = (count > 0).then_some(Pending::Rest(count, rest));
        let is_only = contexts.len() + usize::from(rest.is_some()) == 1;
        let contexts = contexts.into_iter().map(Pending::Context);
        let siblings = rest.into_iter().chain(contexts);
        siblings.map(|next| (next, level, is_only)).collect()
    }

    /// The contexts with the highest inclusive costs, and none without the one above it.
    fn most_expensive(&self, top: usize) -> HashSet<ContextId> {
        let candidate = |id: ContextId, level: usize| {
            let name = self.function_name(id);
            let cost = self.inclusive[id.index()];
            (cost, Reverse(level), Reverse(name), Reverse(id))
        };
        let roots = self.contexts.roots().map(|id| candidate(id, 0));
        let mut candidates: BinaryHeap<_> = roots.collect();
        let mut shown = HashSet::new();
        while shown.len() < top
            && let Some((_, Reverse(level), _, Reverse(id))) = candidates.pop()
        {
            shown.insert(id);
            candidates.extend(
                self.contexts
                    .children(id)
                    .map(|below| candidate(below, level + 1)),
            );
        }
        shown
    }

    fn name(&self, id: ContextId) -> String {
        match self.function_name(id) {
            b"" => "???".to_owned(),
            name => printable(name),
        }
    }

    fn function_name(&self, id: ContextId) -> &'a [u8] {
        let function = self.contexts.context(id).function;
        self.profile.name(self.profile.function(function).name)
    }
}

/// What is still to be shown.
#[derive(Clone, Copy)]
enum Pending {
    Context(ContextId),
    /// How many are left out, and their inclusive costs.
    Rest(u64, Cost),
}

/// The headings and rows as lines, cut to a width if there is one.
fn table(rows: &[Row], total: Cost, width: Option<usize>) -> Vec<String> {
    let figures: Vec<_> = rows.iter().map(|row| row.figures(total)).collect();
    let widths: [usize; FIGURES.len()] = std::array::from_fn(|column| {
        let figures = figures.iter().map(|figures| figures[column].len());
        figures.fold(FIGURES[column].len(), usize::max)
    });
    let taken: usize = widths.iter().map(|width| width + GAP.len()).sum();
    let room = width.map(|width| width.saturating_sub(taken));
    let names = names(rows, room);
    let headings = line(&widths, &FIGURES, "function");
    let rows = figures.iter().zip(&names);
    let rows = rows.map(|(figures, name)| line(&widths, figures, name));
    std::iter::once(headings).chain(rows).collect()
}

/// The names with their indentation.
fn names(rows: &[Row], room: Option<usize>) -> Vec<String> {
    let indent = |level: usize| " ".repeat(level * INDENT);
    let deepest = rows.iter().map(|row| row.level).max().unwrap_or(0);
    let Some(room) = room else {
        let names = rows.iter().map(|row| indent(row.level) + &row.name);
        return names.collect();
    };
    let most = room.saturating_sub(LEAST_NAME) / INDENT;
    if deepest <= most {
        let name = |row: &Row| {
            let left = room.saturating_sub(row.level * INDENT);
            indent(row.level) + &shorten_name(&row.name, left)
        };
        return rows.iter().map(name).collect();
    }
    // An only child need not stand further right than the one above it to be told as such.
    let mut columns: Vec<usize> = Vec::new();
    let name = |row: &Row| {
        columns.truncate(row.level);
        let above = columns.last().copied();
        let is_chained = row.is_only && above.is_some();
        let column = above.map_or(0, |above| above + usize::from(!is_chained));
        columns.push(column);
        let mark = match column.checked_sub(most) {
            // Further right there is no room for names: it is said how far.
            Some(further @ 1..) => format!("{}+{further} ", indent(most)),
            _ => indent(column),
        };
        let mark = mark + if is_chained { CHAINED } else { "" };
        let left = room.saturating_sub(mark.chars().count());
        mark + &shorten_name(&row.name, left)
    };
    rows.iter().map(name).collect()
}

impl Row {
    fn figures(&self, total: Cost) -> [String; FIGURES.len()] {
        let own = self.own;
        [
            percent(self.inclusive, total),
            grouped(self.inclusive),
            own.map_or(String::new(), |(self_cost, _)| grouped(self_cost)),
            own.map_or(String::new(), |(_, calls)| grouped(calls)),
        ]
    }
}

fn line(widths: &[usize], figures: &[impl AsRef<str>], name: &str) -> String {
    let mut line = String::new();
    for (figure, &width) in figures.iter().zip(widths) {
        line += &format!("{:>width$}{GAP}", figure.as_ref());
    }
    line + name
}
