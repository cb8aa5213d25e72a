//! Errors and warnings of a conversion.

use std::io;

use thiserror::Error;

use crate::callgrind;
use crate::compare::{CompareError, LimitError};
use crate::io::{Compression, ResolvedSource, Source, SourceFolderError, Target};
use crate::output::text;
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
    #[error("{0}: is empty; expected a callgrind profile or a preprocessed file of webgrind")]
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
    /// The inputs do not make a profile.
    #[error("{inputs}: {error}")]
    Model { inputs: String, error: ModelError },
    /// The output cannot be written.
    #[error("{output}: cannot be written")]
    Output { output: Target, source: io::Error },
    /// The profile does not have the function that was to be shown.
    #[error(transparent)]
    Report(text::Error),
    /// A folder of source files cannot be opened.
    #[error(transparent)]
    SourceFolder(#[from] SourceFolderError),
    /// There is no report of a comparison in the format, or of costs per run.
    #[error("this format has no such comparison")]
    NoComparison,
    /// More than one input is to come from standard input.
    #[error("standard input can be read only once")]
    StandardInputTwice,
    /// There is a limit, but whether it is kept cannot be told: why.
    #[error("{0}; so the limit cannot be checked")]
    CannotCheck(String),
    /// It cannot be told whether a limit is kept.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// A part was asked for that no input has.
    #[error("{inputs}: no part \"{name}\"; {available}")]
    NoPart {
        inputs: String,
        name: String,
        available: String,
    },
    /// The name of a part that was asked for is also a part of another one's name, and the input would
    /// have to be read twice.
    #[error(
        "{input}: cannot be read again to tell parts apart: choose them by their numbers, or name a file; {available}"
    )]
    AmbiguousPart { input: Source, available: String },
    /// The parts that were asked for hold nothing to convert.
    #[error("{0}: no profile data: the parts that were chosen hold no cost")]
    EmptyPart(String),
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
    /// As a text report, or as a graph.
    #[error(transparent)]
    Text(#[from] text::Error),
}

impl ConvertError {
    /// An error in the profile read from these inputs.
    pub(super) fn model(inputs: &[ResolvedSource<'_>], error: ModelError) -> Self {
        let inputs = input_names(inputs);
        ConvertError::Model { inputs, error }
    }

    /// Whether it is about a single input, without which the others could be converted.
    pub fn is_about_one_input(&self) -> bool {
        match self {
            ConvertError::Open { .. } | ConvertError::Read { .. } => true,
            // Where one has no data, only all of them together are an error.
            ConvertError::Callgrind(_) | ConvertError::Preprocessed(_) => !self.is_no_data(),
            _ => false,
        }
    }

    /// Whether the input is valid, but holds nothing to convert.
    pub(super) fn is_no_data(&self) -> bool {
        match self {
            ConvertError::Callgrind(error) => error.kind().is_no_data(),
            ConvertError::Preprocessed(error) => error.is_no_data(),
            ConvertError::Empty(_) | ConvertError::CutBeforeData { .. } => true,
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
