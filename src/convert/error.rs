//! Errors and warnings of a conversion.

use std::io;

use thiserror::Error;

use crate::callgrind::{self, WarningKind};
use crate::io::Target;
use crate::io::{Compression, Found, Source};
use crate::profile::{CompareError, ModelError};
use crate::report::{collapsed, text};
use crate::webgrind::{self, ReadErrorKind, ReadWarning};

/// Why nothing was converted.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "the messages show what the fields are")]
#[non_exhaustive]
pub enum ConvertError {
    /// An input cannot be opened.
    #[error("{input}: cannot be opened")]
    Open { input: Source, source: io::Error },
    /// The output is one of the inputs.
    #[error("{output}: is the same file as the input {input}; choose another output")]
    OverInput { output: Target, input: Source },
    /// The output would replace a profile.
    #[error("{0}: is itself a profile, which would be lost; choose another output")]
    OverProfile(Target),
    /// A callgrind profile cannot be read.
    #[error(transparent)]
    Callgrind(#[from] callgrind::Error),
    /// A preprocessed file cannot be read.
    #[error(transparent)]
    Preprocessed(#[from] webgrind::ReadError),
    /// An input has no bytes.
    #[error("{0}: is empty")]
    Empty(Source),
    /// A compressed input ends before there are any data.
    #[error("{input}: no profile data: the {compression} data are cut off after {bytes} bytes")]
    CutBeforeData {
        input: Source,
        compression: Compression,
        bytes: u64,
    },
    /// An input cannot be read.
    #[error("{input}: cannot be read")]
    Read { input: Source, source: io::Error },
    /// There are no inputs.
    #[error("there is no input")]
    NoInput,
    /// Stacks are wanted, but an input has none.
    #[error(
        "{0}: holds sums, not single calls, so its stacks are not known, and an estimate would put costs where they never were; -f callgrind and -f text show what it holds"
    )]
    NoStacks(Source),
    /// The inputs do not make a profile.
    #[error("{inputs}: {error}")]
    Model { inputs: String, error: ModelError },
    /// The output cannot be written.
    #[error("{output}: cannot be written")]
    Output { output: Target, source: io::Error },
    /// The profile does not have the function that was to be shown.
    #[error(transparent)]
    Report(text::Error),
    /// There is no report of a comparison in the format.
    #[error("this format has no comparisons; text, json and collapsed have")]
    NoComparison,
    /// More than one input is to come from standard input.
    #[error("standard input can be read only once")]
    StandardInputTwice,
    /// A limit on growth was set, but something is wrong that the inputs might keep to it by accident.
    #[error("{0}; so --max-growth cannot be checked")]
    CannotCheck(Box<Warning>),
    /// Likewise, one side costs nothing.
    #[error("{inputs}: all costs of \"{event}\" are 0; so --max-growth cannot be checked")]
    NothingToCheck { inputs: String, event: String },
    /// The profiles cannot be compared.
    #[error("{inputs}: {error}")]
    Compare { inputs: String, error: CompareError },
    /// The profile does not fit into the format.
    #[error("{output}: cannot be written")]
    Format { output: Target, source: FormatError },
}

/// Why a profile cannot be written in some format.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FormatError {
    /// The output fails.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// As one of webgrind's.
    #[error(transparent)]
    Webgrind(#[from] webgrind::WriteError),
    /// As callgrind's.
    #[error(transparent)]
    Callgrind(#[from] callgrind::WriteError),
    /// As a text report.
    #[error(transparent)]
    Text(#[from] text::Error),
}

impl ConvertError {
    /// An error in the profile read from these inputs.
    pub(super) fn model(inputs: &[Found<'_>], error: ModelError) -> Self {
        let inputs = together(inputs);
        ConvertError::Model { inputs, error }
    }

    /// Whether the input is valid, but holds nothing to convert.
    pub(super) fn is_no_data(&self) -> bool {
        match self {
            ConvertError::Callgrind(error) => error.kind().is_no_data(),
            ConvertError::Preprocessed(error) => matches!(error.kind(), ReadErrorKind::NoFunctions),
            ConvertError::Empty(_) | ConvertError::CutBeforeData { .. } => true,
            _ => false,
        }
    }
}

/// Several inputs by the name of the first.
pub(super) fn together(inputs: &[Found<'_>]) -> String {
    match inputs {
        [] => String::new(),
        [input] => input.source.to_string(),
        [first, others @ ..] => format!("{} and {} more", first.source, others.len()),
    }
}

/// Something that a user should know about a conversion that succeeded.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "the messages show what the fields are")]
#[non_exhaustive]
pub enum Warning {
    /// About a callgrind profile.
    #[error(transparent)]
    Callgrind(callgrind::Warning),
    /// About a preprocessed file that was read.
    #[error(transparent)]
    Preprocessed(webgrind::ReadWarning),
    /// Compressed data end too early.
    #[error(
        "{input}: the {compression} data are cut off after {bytes} bytes and were converted up to there; their writer was killed or is still running"
    )]
    Cut {
        input: Source,
        compression: Compression,
        bytes: u64,
    },
    /// One of several inputs has no data.
    #[error("{0}: no profile data, so it adds nothing")]
    Empty(Source),
    /// Proxy functions were named, but this input is no trace.
    #[error("{0}: proxy functions are ignored: only in a trace can calls be replaced")]
    ProxiesIgnored(Source),
    /// A proxy function was named, but no trace has a function of that name.
    #[error(
        "no trace has a function \"{0}\", so that none is stepped over; the text report lists the names"
    )]
    UnknownProxy(String),
    /// An input was converted by webgrind from another input.
    #[error(
        "{input}: was converted from another input, {original}, whose costs are now counted twice"
    )]
    CountedTwice { input: Source, original: Source },
    /// All events are wanted, but some inputs lack some.
    #[error("not every input has {0}: where it is missing, its cost counts as 0")]
    MissingEvents(String),
    /// Nothing costs anything, but there are other events.
    #[error("all costs of \"{event}\" are 0; the profile also has {others}")]
    AllZero { event: String, others: String },
    /// A profile of Cachegrind, which records no calls.
    #[error(
        "the profile holds no calls, because Cachegrind records none, and inclusive costs are the same as self costs; use valgrind --tool=callgrind to record calls"
    )]
    NoCalls,
    /// An input was named more than once.
    #[error("{0}: is named more than once, and its costs are counted as often")]
    NamedTwice(Source),
    /// The two sides of a comparison have costs in different units, as far as they are known.
    #[error("\"{event}\" is in {base} in the base, but in {new} in the new profile")]
    Units {
        event: String,
        base: &'static str,
        new: &'static str,
    },
    /// An input is its own base.
    #[error("{0}: is compared with itself: it is also named as the base")]
    OnBothSides(Source),
    /// A sum reached an end of the 64 bits.
    #[error("some sums do not fit into 64 bits and stay at their limit")]
    Saturated,
    /// About the stacks that were written.
    #[error(transparent)]
    Collapsed(collapsed::Warning),
    /// About the file that was written.
    #[error(transparent)]
    Webgrind(webgrind::WriteWarning),
    /// About the callgrind profile that was written.
    #[error(transparent)]
    Written(callgrind::WriteWarning),
}

impl Warning {
    /// Whether it makes the outcome of a comparison with a limit unsafe: costs are missing, or are
    /// not known.
    pub(super) fn forbids_gates(&self) -> bool {
        match self {
            Warning::Callgrind(warning) => {
                matches!(warning.kind, WarningKind::EventAbsent { .. })
            }
            Warning::Preprocessed(_) | Warning::Empty(_) | Warning::Units { .. } => true,
            _ => false,
        }
    }

    /// Whether a part of the inputs was cut off, skipped or missing.
    pub fn is_loss(&self) -> bool {
        match self {
            Warning::Callgrind(warning) => warning.kind.is_loss(),
            Warning::Preprocessed(ReadWarning::Saturated { .. }) => false,
            Warning::Preprocessed(_)
            | Warning::Cut { .. }
            | Warning::Empty(_)
            | Warning::MissingEvents(_) => true,
            Warning::ProxiesIgnored(_)
            | Warning::UnknownProxy(_)
            | Warning::CountedTwice { .. }
            | Warning::NamedTwice(_)
            | Warning::OnBothSides(_)
            | Warning::Units { .. }
            | Warning::AllZero { .. }
            | Warning::NoCalls
            | Warning::Saturated
            | Warning::Collapsed(_)
            | Warning::Webgrind(_)
            | Warning::Written(_) => false,
        }
    }
}
