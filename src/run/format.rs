//! The formats of the output, and what each can contain and show.

use crate::named::by_name;

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
    #[cfg_attr(feature = "cli", value(alias = "7"))]
    V7,
    /// All functions and calls, for KCachegrind, and for merging again.
    Callgrind,
    /// All stacks, for `go tool pprof`, Pyroscope and Parca.
    Pprof,
    /// A table of the most expensive functions.
    #[default]
    #[cfg_attr(feature = "cli", value(alias = "table"))]
    Text,
    /// Tables for pull requests, CI summaries and AI coding assistants.
    #[cfg_attr(feature = "cli", value(alias = "md"))]
    Markdown,
    /// The most expensive stacks as a tree.
    Tree,
    /// All stacks, for flame graphs.
    #[cfg_attr(feature = "cli", value(alias = "folded"))]
    Collapsed,
    /// The call graph of the most expensive functions, for Graphviz.
    #[cfg_attr(feature = "cli", value(alias = "graphviz"))]
    Dot,
    /// When each call of a trace ran, for Perfetto, speedscope and the Firefox Profiler.
    Timeline,
    /// All functions and calls, for scripts.
    Json,
    /// The HTML report: functions, calls, flame graph and tree.
    Html,
}

by_name!(Format {
    V4: "v4" | "4",
    V5: "v5" | "5",
    V6: "v6" | "6",
    V7: "v7" | "7",
    Callgrind: "callgrind",
    Pprof: "pprof",
    Text: "text" | "table",
    Markdown: "markdown" | "md",
    Tree: "tree",
    Collapsed: "collapsed" | "folded",
    Dot: "dot" | "graphviz",
    Timeline: "timeline",
    Json: "json",
    Html: "html",
});

/// Something that a format contains or shows, or an option that it takes. This decides what has to be
/// read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Feature {
    /// The costs of several events, if several are chosen.
    Events,
    /// The costs of all events, unless some are chosen.
    AllEvents,
    /// Stacks.
    Stacks,
    /// Every call of a trace.
    EveryCall,
    /// When calls ran.
    Timeline,
    /// The files of call sites.
    CallFiles,
    /// Self costs by line. Text shows them with `--function`.
    Lines,
    /// Groups of functions, such as classes.
    Groups,
    /// Inclusive costs that count recursion once.
    CountsOnce,
    /// Functions and their inclusive costs as the inputs contain them.
    Recorded,
    /// Comparisons.
    Comparison,
    /// Comparisons per run.
    PerRun,
    /// Binary data, which must not go to a terminal.
    Binary,
    /// A number of rows: see [`output::ReportOptions::top`](crate::output::ReportOptions::top).
    Top,
    /// Short or full names.
    Names,
    /// Rows that are chosen and sorted.
    Sort,
    /// The view of a function.
    Function,
    /// Hidden functions.
    Hidden,
    /// Source lines.
    Source,
    /// Links to source lines, in a file for a browser.
    Links,
    /// Limits.
    Limits,
    /// HTML entities in names.
    Entities,
}

impl Format {
    /// Whether it contains, shows or takes something.
    pub fn has(self, feature: Feature) -> bool {
        feature.formats().contains(&self)
    }
}

impl Feature {
    /// The formats that contain, show or take it.
    pub fn formats(self) -> &'static [Format] {
        use Format::{
            Callgrind, Collapsed, Dot, Html, Json, Markdown, Pprof, Text, Timeline, Tree, V4, V5,
            V6, V7,
        };
        match self {
            Feature::Events | Feature::Lines => &[Callgrind, Pprof, Text, Markdown, Json, Html],
            Feature::AllEvents => &[Callgrind, Pprof, Json, Html],
            Feature::Stacks => &[Pprof, Markdown, Tree, Collapsed, Html],
            Feature::EveryCall => &[V4],
            Feature::Timeline => &[Timeline, Html],
            Feature::CallFiles => &[Callgrind, Pprof, Text, Json, Html],
            Feature::Groups => &[Text, Markdown, Json, Html],
            Feature::Recorded => &[V4, V5, V6, V7, Callgrind],
            Feature::CountsOnce => &[Text, Markdown, Dot, Json, Html],
            Feature::Comparison => &[Pprof, Text, Markdown, Tree, Collapsed, Dot, Json, Html],
            Feature::PerRun => &[Pprof, Text, Markdown, Tree, Dot, Json, Html],
            Feature::Limits => &[
                Callgrind, Pprof, Text, Markdown, Tree, Collapsed, Dot, Json, Html,
            ],
            Feature::Binary => &[V4, V5, V6, V7, Pprof],
            Feature::Top => &[Text, Markdown, Tree, Dot],
            Feature::Names => &[Text, Markdown, Tree, Dot, Html],
            Feature::Sort => &[Text],
            Feature::Function => &[Text, Dot],
            Feature::Hidden => &[Text, Markdown, Tree, Collapsed, Dot, Json],
            Feature::Source => &[Text, Html],
            Feature::Links => &[Html],
            Feature::Entities => &[V4, V5, V6, V7],
        }
    }
}
