//! What people choose about a report.

use crate::names::SHORT;
use crate::profile::GroupBy;

/// Options of the text report and the tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReportOptions {
    /// How many rows are shown at most; the rest is summed up in one line.
    pub top: Option<usize>,
    /// What a row is.
    pub by: GroupBy,
    /// What functions are sorted by, highest first.
    pub sort: Sort,
    /// Only functions that have these words in their name, file or object are shown, ignoring case.
    /// `*` and `…` stand for anything.
    pub filter: Option<Vec<u8>>,
    /// Only the functions of this name are shown, each with its callers and callees. If there is
    /// none, those whose last component it is; if there is none, ten at most of those that have its
    /// words in their name, file or object. `*` and `…` stand for anything.
    pub function: Option<Vec<u8>>,
    /// The columns of a terminal, to which lines are cut.
    pub width: Option<usize>,
    /// How long names are shown.
    pub names: Names,
    /// Whether changes are coloured.
    pub color: bool,
}

impl ReportOptions {
    /// The columns that lines are cut to.
    pub(crate) fn room(&self) -> Option<usize> {
        self.width.filter(|_| self.names != Names::Full)
    }

    /// The columns that names are shortened to where there is no terminal.
    pub(crate) fn name_width(&self) -> Option<usize> {
        (self.width.is_none() && self.names == Names::Short).then_some(SHORT)
    }

    /// The rows that are shown, and those that are only counted.
    pub(crate) fn split<'a, T>(&self, rows: &'a [T]) -> (&'a [T], &'a [T]) {
        rows.split_at_checked(self.top.unwrap_or(usize::MAX))
            .unwrap_or((rows, &[]))
    }
}

/// How long names are shown.
///
/// Short names leave out template arguments, parameter lists, the folders of paths and outer
/// namespaces, as far as they have to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[non_exhaustive]
pub enum Names {
    /// Fit the terminal; full names otherwise.
    #[default]
    Auto,
    /// Fit the terminal, or at most 80 columns per name.
    Short,
    /// Full names.
    Full,
}

/// How a table is sorted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[non_exhaustive]
pub enum Sort {
    /// By self cost, without calls.
    #[default]
    #[cfg_attr(feature = "cli", value(name = "self"))]
    SelfCost,
    /// By inclusive cost, with calls.
    Inclusive,
    /// By number of calls.
    Calls,
}
