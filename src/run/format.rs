//! The formats in which a profile can be written, and what each can hold and show.

use super::write::{self, Writer};
use crate::webgrind::Version;

/// What is written. The first sentence about each is its line in `--help`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[non_exhaustive]
pub enum Format {
    /// For webgrind 0.4: every invocation.
    #[cfg_attr(feature = "cli", value(alias = "4"))]
    V4,
    /// For webgrind 0.5.
    #[cfg_attr(feature = "cli", value(alias = "5"))]
    V5,
    /// For webgrind 0.6 to 1.1.
    #[cfg_attr(feature = "cli", value(alias = "6"))]
    V6,
    /// For webgrind 1.2 and later.
    #[default]
    #[cfg_attr(feature = "cli", value(alias = "7"))]
    V7,
    /// All functions and calls, for KCachegrind and others, and for merging.
    Callgrind,
    /// All stacks, for `go tool pprof`, Pyroscope, Parca and others.
    #[cfg(feature = "compression")]
    Pprof,
    /// A table of the most expensive functions.
    Text,
    /// Likewise, for pull requests and summaries of CI jobs.
    Markdown,
    /// The most expensive call stacks as a tree.
    Tree,
    /// The call stacks, for flame graphs.
    Collapsed,
    /// The most expensive functions and calls as a graph, for Graphviz.
    Dot,
    /// All functions and calls, for scripts.
    Json,
    /// A page for a browser: functions, calls, flame graph and tree.
    Html,
}

/// What a format holds and shows, and so what is needed of the inputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Capabilities {
    /// The version of webgrind's preprocessed format, if it is one.
    pub version: Option<Version>,
    /// The events whose costs it holds.
    pub events: EventSupport,
    /// Whether it shows stacks.
    pub stacks: bool,
    /// The rows that it can be told to show.
    pub rows: RowSupport,
    /// Whether it shows inclusive costs of functions, in which nothing counts twice.
    pub inclusive_once: bool,
    /// Whether it lists groups of functions, such as classes.
    pub groups: bool,
    /// Whether it holds single invocations.
    pub invocations: bool,
    /// Whether it says in which files calls stand.
    pub call_files: bool,
    /// Whether it shows self costs by line; text does so of the functions that it is told to show.
    pub lines: bool,
    /// Whether it can hold a comparison.
    pub comparison: bool,
    /// Whether this can be of costs per run.
    pub per_run: bool,
    /// Whether it must not go to a terminal.
    pub binary: bool,
}

/// The events whose costs a format holds.
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

/// The rows that a format can be told to show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RowSupport {
    /// It has no rows for people.
    #[default]
    No,
    /// Always all: it is a page.
    All,
    /// Only so many: see [`output::ReportOptions::top`](crate::output::ReportOptions::top).
    Top,
    /// Only so many, and those that lead to a function or from it.
    Graph,
    /// Only so many, and functions can be chosen and sorted.
    Functions,
}

impl Format {
    /// What it holds and shows.
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
                    ..none
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
                    inclusive_once: true,
                    ..compared
                },
                write::html,
            ),
        }
    }
}
