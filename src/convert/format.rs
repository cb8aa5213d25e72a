//! The formats in which a profile can be written, and what each needs.

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
    /// All functions and calls, for scripts.
    Json,
    /// A page for a browser: functions, calls, flame graph and tree.
    Html,
}

/// What a format needs of the inputs, and what it can show of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Needs {
    /// The version of webgrind's preprocessed format, if it is one.
    pub version: Option<Version>,
    /// The events whose costs it holds.
    pub events: EventNeed,
    /// Whether it shows stacks.
    pub stacks: bool,
    /// The rows that it can be told to show.
    pub rows: RowChoice,
    /// Whether it holds single invocations.
    pub invocations: bool,
    /// Whether it says in which files calls stand.
    pub call_files: bool,
    /// Whether it can hold a comparison.
    pub comparison: bool,
    /// Whether this can be of costs per run.
    pub per_run: bool,
    /// Whether it must not go to a terminal.
    pub binary: bool,
}

/// The events whose costs a format holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventNeed {
    /// One.
    One,
    /// The first one, unless others are chosen.
    Several,
    /// All, unless some are chosen.
    All,
}

/// The rows that a format can be told to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowChoice {
    /// It has no rows for people.
    No,
    /// Always all: it is a page.
    All,
    /// Only so many: see [`text::Options::top`](crate::report::text::Options::top).
    Top,
    /// Likewise, and functions can be chosen and sorted.
    Functions,
}

impl Format {
    /// What it needs.
    pub fn needs(self) -> Needs {
        const LEAST: Needs = Needs {
            version: None,
            events: EventNeed::One,
            stacks: false,
            rows: RowChoice::No,
            invocations: false,
            call_files: false,
            comparison: false,
            per_run: false,
            binary: false,
        };
        const COMPARED: Needs = Needs {
            comparison: true,
            per_run: true,
            ..LEAST
        };
        let webgrind = |version| Needs {
            version: Some(version),
            invocations: version == Version::V4,
            binary: true,
            ..LEAST
        };
        match self {
            Format::V4 => webgrind(Version::V4),
            Format::V5 => webgrind(Version::V5),
            Format::V6 => webgrind(Version::V6),
            Format::V7 => webgrind(Version::V7),
            Format::Callgrind => Needs {
                events: EventNeed::All,
                call_files: true,
                ..LEAST
            },
            Format::Text => Needs {
                events: EventNeed::Several,
                rows: RowChoice::Functions,
                call_files: true,
                ..COMPARED
            },
            Format::Markdown => Needs {
                events: EventNeed::Several,
                rows: RowChoice::Top,
                ..COMPARED
            },
            #[cfg(feature = "compression")]
            Format::Pprof => Needs {
                events: EventNeed::All,
                stacks: true,
                binary: true,
                call_files: true,
                ..COMPARED
            },
            Format::Tree => Needs {
                stacks: true,
                rows: RowChoice::Top,
                ..LEAST
            },
            Format::Collapsed => Needs {
                stacks: true,
                comparison: true,
                ..LEAST
            },
            Format::Json => Needs {
                events: EventNeed::All,
                call_files: true,
                ..COMPARED
            },
            Format::Html => Needs {
                events: EventNeed::All,
                stacks: true,
                rows: RowChoice::All,
                call_files: true,
                ..COMPARED
            },
        }
    }
}
