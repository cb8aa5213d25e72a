//! Options of the outputs for people, and notes for these.

use crate::compare::{Sides, Verdict};
use crate::named::by_name;
use crate::names::{NameQuery, Named, SHORT, UnknownFunction, short_name};
use crate::view::GroupBy;

/// The most columns of a line in a pipe or a file.
const LOG_WIDTH: usize = 200;

/// Options of the text report and the tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReportOptions {
    /// The most rows that are shown; the others are summed in one line.
    pub top: Option<usize>,
    /// The kind of rows, for [`run`](crate::run): a writer shows those of its view.
    pub by: GroupBy,
    /// The order of functions, highest first.
    pub sort: Sort,
    /// Hide the functions with any of these words in their names, files or objects, for
    /// [`run`](crate::run): a writer shows what its view has. A word with `::` must begin a component of
    /// the name. See [`Hidden`](crate::view::Hidden).
    pub hide: Vec<Vec<u8>>,
    /// Show only functions with these words in their name, file or object, ignoring case. `*` and
    /// `…` match any text.
    pub filter: Option<Vec<u8>>,
    /// Show only the functions of this name, each with its callers and callees. If there are none:
    /// those with this last component, or else those with these words in their name, file or object,
    /// of which text and Markdown show the first ten by [`sort`](Self::sort), the tree and dot the ten
    /// costliest (or, in a comparison, those that changed most), and JSON all. `*` and `…` match any text.
    pub function: Option<Vec<u8>>,
    /// The width of the terminal, to which lines are cut if names are short. Without a terminal, lines
    /// have at most 200 columns, and names 80.
    pub width: Option<usize>,
    /// The length of names.
    pub names: Names,
    /// Whether changes are coloured.
    pub color: bool,
}

/// Functions or groups that are looked for, by their positions, and the most of them to show.
pub(crate) struct Wanted {
    pub found: Vec<usize>,
    pub most: usize,
}

impl Wanted {
    pub fn shown(&self) -> &[usize] {
        &self.found[..self.most.min(self.found.len())]
    }
}

impl ReportOptions {
    /// Those of these functions or groups that are looked for by name or by words; `None` if all are.
    pub(crate) fn wanted<'n>(
        &self,
        all: impl Iterator<Item = Named<'n>> + Clone,
    ) -> Result<Option<Wanted>, UnknownFunction> {
        Ok(match (&self.function, &self.filter) {
            (Some(name), _) => {
                let (found, most) = NameQuery::new(name).find(all)?;
                Some(Wanted { found, most })
            }
            (None, Some(words)) => Some(Wanted {
                found: NameQuery::new(words).containing(all)?,
                most: usize::MAX,
            }),
            (None, None) => None,
        })
    }

    /// Whether all functions are shown, not only those that are looked for.
    pub(crate) fn shows_all(&self) -> bool {
        self.function.is_none() && self.filter.is_none()
    }

    /// The width to which lines are cut.
    pub(crate) fn room(&self) -> Option<usize> {
        let width = self.width.unwrap_or(LOG_WIDTH);
        (self.names == Names::Short).then_some(width)
    }

    /// The width to which names are shortened even if there is more room. A wide terminal has room for
    /// what its user wants to see; a log may be read on any.
    pub(crate) fn name_width(&self) -> Option<usize> {
        (self.width.is_none() && self.names == Names::Short).then_some(SHORT)
    }

    /// The number of rows that are shown, from all rows of a table.
    pub(crate) fn most(&self, rows: usize) -> usize {
        self.top.unwrap_or(usize::MAX).min(rows)
    }

    /// The rows that are shown, and the others.
    pub(crate) fn split<'a, T>(&self, rows: &'a [T]) -> (&'a [T], &'a [T]) {
        rows.split_at(self.most(rows.len()))
    }
}

/// The length of names.
///
/// Short names omit template arguments, parameter lists, the directories of paths and outer namespaces,
/// as far as necessary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[non_exhaustive]
pub enum Names {
    /// Fit the terminal. Without one, at most 80 columns per name.
    #[default]
    #[cfg_attr(feature = "cli", value(alias = "auto"))]
    Short,
    /// Full names.
    Full,
}

by_name!(Names {
    Short: "short" | "auto",
    Full: "full",
});

impl Names {
    /// A name, in this width if it is short.
    pub(crate) fn of(self, name: &str, width: usize) -> String {
        match self {
            Names::Full => name.to_owned(),
            Names::Short => short_name(name, width),
        }
    }
}

/// The order of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[non_exhaustive]
pub enum Sort {
    /// By self cost, without calls.
    #[default]
    #[cfg_attr(feature = "cli", value(name = "self"))]
    SelfCost,
    /// By inclusive cost, with calls.
    #[cfg_attr(feature = "cli", value(aliases = ["incl", "cum", "cumulative", "total"]))]
    Inclusive,
    /// By number of calls.
    Calls,
}

by_name!(Sort {
    SelfCost: "self",
    Inclusive: "inclusive" | "incl" | "cum" | "cumulative" | "total",
    Calls: "calls",
});

/// What readers of a report should know.
#[derive(Clone, Copy, Debug, Default)]
pub struct Notes<'a> {
    /// Warnings about the inputs.
    pub warnings: &'a [String],
    /// The limits that passed or failed.
    pub limits: &'a [Verdict],
    /// The warning that stacks are estimated; only views with such stacks show it.
    pub estimates: Option<&'a str>,
    /// How messages name the inputs of each side; empty if unknown.
    pub inputs: Sides<&'a str>,
    /// When the first and the last input of the new side were recorded, in seconds since 1970, if that
    /// is known.
    pub recorded: Option<[u64; 2]>,
}
