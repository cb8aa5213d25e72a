//! The formats of the output. Each has a file: its names, what it takes and needs, how it is written.

mod callgrind;
mod collapsed;
mod dot;
mod html;
mod json;
mod markdown;
mod material;
mod pprof;
mod text;
mod timeline;
mod tree;
mod webgrind;

use std::fmt;
use std::io::Write;
use std::str::FromStr;

pub(super) use self::material::Material;
use super::{ConvertOptions, FormatError};
use crate::named::UnknownName;
use crate::profile::ProfileOptions;

/// A format: its names, what it can do, and how it is written.
struct Spec {
    /// Its name, then its aliases.
    names: &'static [&'static str],
    help: &'static str,
    /// Endings of file names that choose it.
    endings: &'static [&'static str],
    /// The number of rows that are shown by default, if it takes another number (`--top`).
    rows: Option<usize>,
    features: &'static [Feature],
    /// What has to be read for it, besides sums.
    needs: fn(&ConvertOptions, &mut ProfileOptions),
    write: fn(&mut Material<'_>, &mut dyn Write) -> Result<(), FormatError>,
}

/// Makes the list of formats.
macro_rules! formats {
    ($($(#[$attribute:meta])* $format:ident: $spec:path),+ $(,)?) => {
        /// The format of the output.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        #[allow(missing_docs, reason = "`help` describes each")]
        #[non_exhaustive]
        pub enum Format {
            $($(#[$attribute])* $format),+
        }

        impl Format {
            /// All formats, in the order of the help.
            pub const ALL: &[Format] = &[$(Format::$format),+];

            fn spec(self) -> &'static Spec {
                match self {
                    $(Format::$format => &$spec),+
                }
            }
        }
    };
}

formats! {
    Html: html::HTML,
    #[default]
    Text: text::TEXT,
    Tree: tree::TREE,
    Markdown: markdown::MARKDOWN,
    Json: json::JSON,
    Collapsed: collapsed::COLLAPSED,
    Dot: dot::DOT,
    Pprof: pprof::PPROF,
    Callgrind: callgrind::CALLGRIND,
    Timeline: timeline::TIMELINE,
    V7: webgrind::V7,
    V6: webgrind::V6,
    V5: webgrind::V5,
    V4: webgrind::V4,
}

/// Something that a format contains or shows, or an option that it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Feature {
    /// The costs of several events, if several are chosen.
    Events,
    /// The costs of all events, unless some are chosen.
    AllEvents,
    /// The formulas of events that readers derive.
    Formulas,
    /// The costs of derived events, too.
    DerivedEvents,
    /// Also of those that KCachegrind knows.
    KnownEvents,
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
    /// Functions with some words.
    Filter,
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
    /// Its name, then its aliases.
    pub fn names(self) -> &'static [&'static str] {
        self.spec().names
    }

    /// What it is for.
    pub fn help(self) -> &'static str {
        self.spec().help
    }

    /// Endings of file names that choose it, in lower case.
    pub fn endings(self) -> &'static [&'static str] {
        self.spec().endings
    }

    /// The number of rows that the program shows by default; `None` if it takes none.
    pub fn default_rows(self) -> Option<usize> {
        self.spec().rows
    }

    /// Whether it contains, shows or takes something.
    pub fn has(self, feature: Feature) -> bool {
        let spec = self.spec();
        match feature {
            Feature::Top => spec.rows.is_some(),
            _ => spec.features.contains(&feature),
        }
    }

    /// Adds what has to be read for it, besides sums.
    pub(super) fn add_needs(self, options: &ConvertOptions, wanted: &mut ProfileOptions) {
        (self.spec().needs)(options, wanted);
    }

    pub(super) fn write(
        self,
        material: &mut Material<'_>,
        to: &mut dyn Write,
    ) -> Result<(), FormatError> {
        (self.spec().write)(material, to)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.names()[0])
    }
}

impl FromStr for Format {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let name = text.to_ascii_lowercase();
        let mut formats = Format::ALL.iter();
        let format = formats.find(|format| format.names().contains(&name.as_str()));
        format.copied().ok_or_else(|| {
            let names: Vec<String> = Format::ALL.iter().map(Format::to_string).collect();
            UnknownName::new(text, names.join(", "))
        })
    }
}

#[cfg(feature = "cli")]
impl clap::ValueEnum for Format {
    fn value_variants<'a>() -> &'a [Self] {
        Format::ALL
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        let (name, aliases) = self.names().split_first()?;
        let value = clap::builder::PossibleValue::new(*name).help(self.help());
        Some(value.aliases(aliases))
    }
}

impl Feature {
    /// The formats that contain, show or take it.
    pub fn formats(self) -> impl Iterator<Item = Format> {
        let formats = Format::ALL.iter().copied();
        formats.filter(move |format| format.has(self))
    }
}
