//! Errors of a conversion.

use std::io;

use thiserror::Error;

use crate::callgrind;
use crate::compare::ViewsError;
use crate::compare::{CompareError, LimitError};
use crate::io::{ResolvedSource, Source, Target};
use crate::output::{text, timeline};
use crate::profile::ModelError;
use crate::webgrind;

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
    /// The output would overwrite a profile.
    #[error("{0}: is a profile, which would be overwritten; choose another output")]
    OverProfile(Target),
    /// A callgrind profile cannot be read.
    #[error(transparent)]
    Callgrind(#[from] callgrind::ParseError),
    /// A preprocessed file cannot be read.
    #[error(transparent)]
    Preprocessed(#[from] webgrind::ReadError),
    /// A compressed input ends before any data.
    #[error("{input}: no profile data: {cut}")]
    CutBeforeData { input: Source, cut: String },
    /// An input cannot be read.
    #[error("{input}: cannot be read")]
    Read { input: Source, source: io::Error },
    /// There are no inputs.
    #[error("there is no input")]
    NoInput,
    /// The costs of an input are those of other events than the others have.
    #[error(
        "{input}: has costs in {events}, but {first} in {others}: they cannot be added up; name profiles of one kind, or choose an event with -e"
    )]
    DifferentEvents {
        input: Source,
        events: String,
        first: Source,
        others: String,
    },
    /// The inputs do not make a profile.
    #[error("{inputs}: {error}")]
    Model { inputs: String, error: ModelError },
    /// The output cannot be written, or the profile does not fit into the format.
    #[error("{output}: cannot be written")]
    Output { output: Target, source: FormatError },
    /// The profile lacks the function to show.
    #[error(transparent)]
    Report(text::ReportError),
    /// The profile has no timeline.
    #[error(transparent)]
    Timeline(timeline::TimelineError),
    /// A directory of source files cannot be opened.
    #[error(transparent)]
    SourceDirectory(io::Error),
    /// The format does not show comparisons, or not per run.
    #[error("this format does not support this comparison")]
    NoComparison,
    /// Standard input is used more than once.
    #[error("standard input can be read only once")]
    StandardInputTwice,
    /// A limit cannot be checked, for this reason.
    #[error("{0}, so the limit cannot be checked")]
    CannotCheck(String),
    /// A limit cannot be checked.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// No input has a requested part.
    #[error("{0}")]
    NoPart(String),
    /// The requested parts contain nothing to convert.
    #[error("{0}: no profile data: the chosen parts contain no costs")]
    EmptyPart(String),
    /// The profiles cannot be compared.
    #[error("{inputs}: {error}")]
    Compare { inputs: String, error: CompareError },
}

/// Why a profile cannot be written in some format.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FormatError {
    /// The output failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The error of webgrind's formats.
    #[error(transparent)]
    Webgrind(#[from] webgrind::WebgrindWriteError),
    /// The error of the callgrind format.
    #[error(transparent)]
    Callgrind(#[from] callgrind::CallgrindWriteError),
    /// The profile cannot be grouped or compared.
    #[error(transparent)]
    Views(#[from] ViewsError),
    /// The error of timelines.
    #[error(transparent)]
    Timeline(#[from] timeline::TimelineError),
    /// The error of text and call graphs.
    #[error(transparent)]
    Text(#[from] text::ReportError),
}

impl FormatError {
    /// The error of the output, if that failed, or this one.
    #[cfg(feature = "files")]
    pub(super) fn of_output(self) -> Result<io::Error, Self> {
        match self {
            FormatError::Io(error)
            | FormatError::Webgrind(webgrind::WebgrindWriteError::Io(error))
            | FormatError::Callgrind(callgrind::CallgrindWriteError::Io(error))
            | FormatError::Text(text::ReportError::Io(error))
            | FormatError::Timeline(timeline::TimelineError::Io(error)) => Ok(error),
            FormatError::Webgrind(_)
            | FormatError::Callgrind(_)
            | FormatError::Text(_)
            | FormatError::Timeline(_)
            | FormatError::Views(_) => Err(self),
        }
    }
}

impl ConvertError {
    /// An error in the profile read from these inputs.
    pub(super) fn model(inputs: &[ResolvedSource<'_>], error: ModelError) -> Self {
        let inputs = input_names(inputs);
        ConvertError::Model { inputs, error }
    }

    /// Whether it is about one input, without which the others could be converted.
    pub fn is_about_one_input(&self) -> bool {
        match self {
            ConvertError::Open { .. }
            | ConvertError::Read { .. }
            | ConvertError::DifferentEvents { .. } => true,
            // It is an error only if no input has data.
            ConvertError::Callgrind(_) | ConvertError::Preprocessed(_) => !self.is_no_data(),
            _ => false,
        }
    }

    /// Whether the input is valid, but contains nothing to convert.
    pub(super) fn is_no_data(&self) -> bool {
        match self {
            ConvertError::Callgrind(error) => error.kind().is_no_data(),
            ConvertError::Preprocessed(error) => error.is_no_data(),
            ConvertError::CutBeforeData { .. } => true,
            _ => false,
        }
    }
}

/// Several inputs by the name of the first.
pub(super) fn input_names(inputs: &[ResolvedSource<'_>]) -> String {
    match inputs {
        [] => String::new(),
        [input] => input.source.to_string(),
        [first, others @ ..] => format!("{} and {} more", first.source, others.len()),
    }
}
