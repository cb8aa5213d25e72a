//! The formats of the output, and what each can contain and show.

use super::write::{self, Writer};
use crate::webgrind::Version;

/// The format of the output. The first sentence of each is shown in `--help`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[non_exhaustive]
pub enum Format {
    /// webgrind 0.4: every call.
    #[cfg_attr(feature = "cli", value(alias = "4"))]
    V4,
    /// webgrind 0.5.
    #[cfg_attr(feature = "cli", value(alias = "5"))]
    V5,
    /// webgrind 0.6 to 1.1.
    #[cfg_attr(feature = "cli", value(alias = "6"))]
    V6,
    /// webgrind 1.2 and later.
    #[default]
    #[cfg_attr(feature = "cli", value(alias = "7"))]
    V7,
    /// All functions and calls, for KCachegrind, and for merging again.
    Callgrind,
    /// All stacks, for `go tool pprof`, Pyroscope and Parca.
    #[cfg(feature = "compression")]
    Pprof,
    /// A table of the most expensive functions.
    Text,
    /// Tables for pull requests, CI summaries and AI coding assistants.
    Markdown,
    /// The most expensive stacks as a tree.
    Tree,
    /// All stacks, for flame graphs.
    Collapsed,
    /// The call graph of the most expensive functions, for Graphviz.
    Dot,
    /// All functions and calls, for scripts.
    Json,
    /// The HTML report: functions, calls, flame graph and tree.
    Html,
}

/// Something that a format can contain or show, which decides what has to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Feature {
    /// Stacks.
    Stacks,
    /// Single calls.
    Invocations,
    /// The files of call sites.
    CallFiles,
    /// Self costs by line. Text shows them with `--function`.
    Lines,
    /// Groups of functions, such as classes.
    Groups,
    /// Inclusive costs that count recursion once.
    InclusiveOnce,
    /// Comparisons.
    Comparison,
    /// Comparisons per run.
    PerRun,
    /// Binary data, which must not go to a terminal.
    Binary,
}

/// The events whose costs a format contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventSupport {
    /// One.
    One,
    /// The first one, unless others are chosen.
    Several,
    /// All, unless some are chosen.
    All,
}

/// The rows of a format that options can choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowSupport {
    /// None.
    No,
    /// Always all, as in the HTML report.
    All,
    /// A number of rows: see [`output::ReportOptions::top`](crate::output::ReportOptions::top).
    Top,
    /// A number of rows, or those that lead to or from a function.
    Graph,
    /// A number of rows, chosen and sorted.
    Functions,
}

impl Format {
    /// The version of webgrind's format, if it is one.
    pub fn version(self) -> Option<Version> {
        match self {
            Format::V4 => Some(Version::V4),
            Format::V5 => Some(Version::V5),
            Format::V6 => Some(Version::V6),
            Format::V7 => Some(Version::V7),
            _ => None,
        }
    }

    /// The events whose costs it contains.
    pub fn events(self) -> EventSupport {
        self.entry().0
    }

    /// The rows that options can choose.
    pub fn rows(self) -> RowSupport {
        self.entry().1
    }

    /// Whether it contains or shows something.
    pub fn has(self, feature: Feature) -> bool {
        self.entry().2.contains(&feature)
    }

    /// How it is written.
    pub(super) fn writer(self) -> Writer {
        self.entry().3
    }

    /// Everything about a format except its name.
    fn entry(self) -> (EventSupport, RowSupport, &'static [Feature], Writer) {
        use EventSupport::{One, Several};
        use Feature::{
            Binary, CallFiles, Comparison, Groups, InclusiveOnce, Invocations, Lines, PerRun,
            Stacks,
        };
        use RowSupport::{Functions, Graph, No, Top};
        match self {
            Format::V4 => (One, No, &[Invocations, Binary], write::webgrind),
            Format::V5 | Format::V6 | Format::V7 => (One, No, &[Binary], write::webgrind),
            Format::Callgrind => (EventSupport::All, No, &[CallFiles, Lines], write::callgrind),
            #[cfg(feature = "compression")]
            Format::Pprof => (
                EventSupport::All,
                No,
                &[Stacks, CallFiles, Lines, Comparison, PerRun, Binary],
                write::pprof,
            ),
            Format::Text => (
                Several,
                Functions,
                &[CallFiles, Lines, Groups, InclusiveOnce, Comparison, PerRun],
                write::text,
            ),
            Format::Markdown => (
                Several,
                Top,
                &[Stacks, Lines, Groups, InclusiveOnce, Comparison, PerRun],
                write::markdown,
            ),
            Format::Tree => (One, Top, &[Stacks, Comparison, PerRun], write::tree),
            Format::Collapsed => (One, No, &[Stacks, Comparison], write::collapsed),
            Format::Dot => (One, Graph, &[InclusiveOnce, Comparison, PerRun], write::dot),
            Format::Json => (
                EventSupport::All,
                No,
                &[CallFiles, Lines, Groups, InclusiveOnce, Comparison, PerRun],
                write::json,
            ),
            Format::Html => (
                EventSupport::All,
                RowSupport::All,
                &[
                    Stacks,
                    CallFiles,
                    Lines,
                    Groups,
                    InclusiveOnce,
                    Comparison,
                    PerRun,
                ],
                write::html,
            ),
        }
    }
}
