//! Errors and warnings of reading and writing webgrind files.

use std::io;
use std::mem::{Discriminant, discriminant};

use thiserror::Error;

use super::layout::MAX_FILE_SIZE;
use crate::display::text::excerpt;
use crate::warnings::Alike;

/// The error for a profile that cannot be written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WebgrindWriteError {
    /// Addresses have 32 bits; the file would have this number of bytes.
    #[error(
        "the file would have {0} bytes, but the format cannot address more than {MAX_FILE_SIZE}"
    )]
    TooLarge(u64),
    /// A number has more than 32 bits, and the policy is to refuse it.
    #[error("{what} {value} does not fit into the 32 bits of the format")]
    DoesNotFit {
        /// The kind of number.
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
pub enum WebgrindWriteWarning {
    /// Costs were divided to fit.
    #[error(
        "costs of \"{event}\" do not fit into 32 bits: all were divided by {divisor} and the event is now \"{renamed}\""
    )]
    Scaled {
        event: String,
        divisor: u64,
        renamed: String,
    },
    /// This number of costs was reduced to fit.
    #[error("{0} costs do not fit into 32 bits and were written as 4294967295")]
    SaturatedCosts(u64),
    /// This number of counts or lines was reduced to fit.
    #[error("{0} counts or line numbers do not fit into 32 bits and were written as 4294967295")]
    SaturatedCounts(u64),
    /// This number of costs is below 0, which cannot be written.
    #[error("{0} costs are negative and were written as 0")]
    NegativeCosts(u64),
    /// v4 needs single calls, which this number of functions of an aggregate does not have.
    #[error(
        "v4 stores single calls, but the input contains sums: {0} functions were written as one call each"
    )]
    SumsAsInvocations(u64),
}

/// The error for a webgrind file that cannot be read.
#[derive(Debug, Error)]
#[error("{input}: at byte {offset}: {what}")]
pub struct ReadError {
    /// Name of the file, as the user knows it.
    pub input: String,
    /// Where it is wrong, in bytes from the start.
    pub offset: u64,
    /// The expected and the actual contents there.
    pub(super) what: String,
    pub(super) is_no_data: bool,
}

impl ReadError {
    /// Whether the file has no functions, so that there is nothing to convert.
    pub fn is_no_data(&self) -> bool {
        self.is_no_data
    }
}

/// Something that a user should know, although the file was read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{input}: {kind}")]
pub struct ReadWarning {
    /// Name of the input, as the user knows it.
    pub input: String,
    /// The warning itself.
    pub kind: ReadWarningKind,
}

/// The kinds of a [`ReadWarning`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "the messages show what the fields are")]
#[non_exhaustive]
pub enum ReadWarningKind {
    /// The file contains another event than the requested one.
    #[error(
        "no event \"{}\", only \"{available}\": all its costs count as 0",
        excerpt(event)
    )]
    EventAbsent {
        event: Vec<u8>,
        available: String,
        /// Whether it may be the first event of the output, which depends on all inputs.
        is_first: bool,
    },
    /// The profile was incomplete when this program wrote the file.
    #[error("made from incomplete data, according to its header")]
    Incomplete,
    /// The last header lines may be missing.
    #[error("no header line \"summary:\"; the file may be truncated between its header lines")]
    NoSummary,
    /// Some costs are the largest number of the format.
    #[error(
        "some costs are 4294967295, the largest number of the format; they may have been larger"
    )]
    Saturated,
    /// The only function of the file has no cost.
    #[error("contains one function without cost; the profiled program had probably just started")]
    OnlyBegun,
}

impl Alike for ReadWarning {
    fn is_like(&self, other: &Self) -> bool {
        self.kind.class() == other.kind.class()
    }
}

impl ReadWarningKind {
    /// What is the same for those that are alike.
    fn class(&self) -> (Discriminant<Self>, &[u8]) {
        match self {
            // Limits apply to the first event, so its absence must be listed.
            ReadWarningKind::EventAbsent {
                event,
                is_first: true,
                ..
            } => (discriminant(self), event),
            _ => (discriminant(self), b""),
        }
    }
}
