//! Errors and warnings of reading and writing preprocessed files.

use std::io;
use std::mem::discriminant;

use thiserror::Error;

use super::layout::MAX_FILE_SIZE;
use crate::warnings::Kind;

/// Why a profile cannot be written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WriteError {
    /// Addresses have 32 bits; so many bytes would be needed.
    #[error(
        "the file would have {0} bytes, but the format cannot address more than {MAX_FILE_SIZE}"
    )]
    TooLarge(u64),
    /// A number has more than 32 bits, and the policy is to refuse it.
    #[error("{what} {value} does not fit into the 32 bits of the format")]
    DoesNotFit {
        /// What kind of number.
        what: &'static str,
        /// The largest one.
        value: u64,
    },
    /// The output failed.
    #[error("writing failed")]
    Io(#[from] io::Error),
}

/// Something that a user should know about a file that was written.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "the messages show what the fields are")]
#[non_exhaustive]
pub enum WriteWarning {
    /// Costs were divided to fit.
    #[error(
        "costs of \"{event}\" do not fit into 32 bits: all were divided by {divisor} and the event is now \"{renamed}\""
    )]
    Scaled {
        event: String,
        divisor: u64,
        renamed: String,
    },
    /// So many costs were cut to fit.
    #[error("{0} costs do not fit into 32 bits and were written as 4294967295")]
    SaturatedCosts(u64),
    /// So many counts or lines were cut to fit.
    #[error("{0} counts or line numbers do not fit into 32 bits and were written as 4294967295")]
    SaturatedCounts(u64),
    /// So many costs are below 0, which cannot be written.
    #[error("{0} costs are negative and were written as 0")]
    NegativeCosts(u64),
    /// v4 needs single invocations, which so many functions of an aggregate do not have.
    #[error(
        "v4 stores single invocations, but the input holds sums: {0} functions were written as one invocation each"
    )]
    SumsAsInvocations(u64),
}

/// Why a preprocessed file cannot be read, with the place where that shows.
#[derive(Debug, Error)]
#[error("{input}: at byte {offset}: {what}")]
pub struct ReadError {
    pub(super) input: String,
    /// In bytes from the start.
    pub(super) offset: u64,
    /// What was expected there, and what was found.
    pub(super) what: String,
    pub(super) is_no_data: bool,
}

impl ReadError {
    /// Whether the file has no functions, so that there is nothing to convert.
    pub fn is_no_data(&self) -> bool {
        self.is_no_data
    }
}

/// Something that a user should know, though the file was read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "the messages show what the fields are")]
#[non_exhaustive]
pub enum ReadWarning {
    /// The file has the costs of another event than the selected one.
    #[error("{input}: no event \"{event}\", only \"{available}\": all its costs count as 0")]
    EventAbsent {
        input: String,
        event: String,
        available: String,
        /// Whether it is the first of the events that are wanted.
        is_first: bool,
    },
    /// What was incomplete when this program wrote the file.
    #[error("{0}: was made from incomplete data, as it says itself")]
    Incomplete(String),
    /// The last header lines may be missing, and with them what they said.
    #[error("{0}: no header line \"summary:\"; the file may be cut off between its header lines")]
    NoSummary(String),
    /// Some costs are the largest that the format holds.
    #[error(
        "{0}: some costs are 4294967295, the largest that the format holds: they may have been more"
    )]
    Saturated(String),
    /// The file holds one function, and that costs nothing.
    #[error("{0}: holds one function without any cost, as of a profile that had only begun")]
    OnlyBegun(String),
}

impl Kind for ReadWarning {
    fn is_like(&self, other: &Self) -> bool {
        use ReadWarning::EventAbsent;
        match (self, other) {
            (
                EventAbsent { is_first, .. },
                EventAbsent {
                    is_first: other, ..
                },
            ) => is_first == other,
            _ => discriminant(self) == discriminant(other),
        }
    }
}
