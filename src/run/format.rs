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

/// What a format contains and shows, which decides what has to be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Capabilities {
    /// The version of webgrind's format, if it is one.
    pub version: Option<Version>,
    /// The events whose costs it contains.
    pub events: EventSupport,
    /// Whether it shows stacks.
    pub stacks: bool,
    /// The rows that options can choose.
    pub rows: RowSupport,
    /// Whether inclusive costs count recursion once.
    pub inclusive_once: bool,
    /// Whether it lists groups of functions, such as classes.
    pub groups: bool,
    /// Whether it contains single calls.
    pub invocations: bool,
    /// Whether it contains the files of call sites.
    pub call_files: bool,
    /// Whether it shows self costs by line. Text does so with `--function`.
    pub lines: bool,
    /// Whether it shows comparisons.
    pub comparison: bool,
    /// Whether it shows comparisons per run.
    pub per_run: bool,
    /// Whether it must not go to a terminal.
    pub binary: bool,
}

/// The events whose costs a format contains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EventSupport {
    /// One.
    #[default]
    One,
    /// The first one, unless others are chosen.
    Several,
    /// All, unless some are chosen.
    All,
}

/// The rows of a format that options can choose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RowSupport {
    /// None.
    #[default]
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
    /// What it contains and shows.
    pub fn capabilities(self) -> Capabilities {
        self.entry().0
    }

    /// How it is written.
    pub(super) fn writer(self) -> Writer {
        self.entry().1
    }

    fn entry(self) -> (Capabilities, Writer) {
        let none = Capabilities::default();
        let compared = Capabilities {
            comparison: true,
            per_run: true,
            ..none
        };
        let webgrind = |version| Capabilities {
            version: Some(version),
            invocations: version == Version::V4,
            binary: true,
            ..none
        };
        match self {
            Format::V4 => (webgrind(Version::V4), write::webgrind),
            Format::V5 => (webgrind(Version::V5), write::webgrind),
            Format::V6 => (webgrind(Version::V6), write::webgrind),
            Format::V7 => (webgrind(Version::V7), write::webgrind),
            Format::Callgrind => (
                Capabilities {
                    events: EventSupport::All,
                    call_files: true,
                    lines: true,
                    ..none
                },
                write::callgrind,
            ),
            Format::Text => (
                Capabilities {
                    events: EventSupport::Several,
                    rows: RowSupport::Functions,
                    call_files: true,
                    lines: true,
                    inclusive_once: true,
                    groups: true,
                    ..compared
                },
                write::text,
            ),
            Format::Markdown => (
                Capabilities {
                    events: EventSupport::Several,
                    stacks: true,
                    rows: RowSupport::Top,
                    lines: true,
                    inclusive_once: true,
                    groups: true,
                    ..compared
                },
                write::markdown,
            ),
            #[cfg(feature = "compression")]
            Format::Pprof => (
                Capabilities {
                    events: EventSupport::All,
                    stacks: true,
                    binary: true,
                    call_files: true,
                    lines: true,
                    ..compared
                },
                write::pprof,
            ),
            Format::Tree => (
                Capabilities {
                    stacks: true,
                    rows: RowSupport::Top,
                    ..compared
                },
                write::tree,
            ),
            Format::Collapsed => (
                Capabilities {
                    stacks: true,
                    comparison: true,
                    ..none
                },
                write::collapsed,
            ),
            Format::Dot => (
                Capabilities {
                    rows: RowSupport::Graph,
                    inclusive_once: true,
                    ..compared
                },
                write::dot,
            ),
            Format::Json => (
                Capabilities {
                    events: EventSupport::All,
                    call_files: true,
                    lines: true,
                    inclusive_once: true,
                    groups: true,
                    ..compared
                },
                write::json,
            ),
            Format::Html => (
                Capabilities {
                    events: EventSupport::All,
                    stacks: true,
                    rows: RowSupport::All,
                    call_files: true,
                    lines: true,
                    groups: true,
                    inclusive_once: true,
                    ..compared
                },
                write::html,
            ),
        }
    }
}
