//! Errors and warnings of reading and writing preprocessed files.

use std::error::Error as StdError;
use std::{fmt, io};

use thiserror::Error;

use super::layout::{LARGEST_FILE, NOBODY};

/// Why a profile cannot be written.
#[derive(Debug, Error)]
#[error(transparent)]
pub struct WriteError(#[from] WriteErrorKind);

impl WriteError {
    /// What is wrong.
    pub fn kind(&self) -> &WriteErrorKind {
        &self.0
    }

    /// What is wrong, by value, for callers that need the cause itself.
    pub fn into_kind(self) -> WriteErrorKind {
        self.0
    }
}

impl From<io::Error> for WriteError {
    fn from(error: io::Error) -> Self {
        WriteError(WriteErrorKind::Io(error))
    }
}

/// What a [`WriteError`] says.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WriteErrorKind {
    /// Addresses have 32 bits.
    #[error(
        "the file would have {bytes} bytes, but the format cannot address more than {LARGEST_FILE}"
    )]
    TooLarge {
        /// Size that the file would have.
        bytes: u64,
    },
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
    Io(#[source] io::Error),
}

/// Something that a user should know about a file that was written.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum WriteWarning {
    /// Costs were divided to fit.
    #[error(
        "costs of \"{event}\" do not fit into 32 bits: all were divided by {divisor} and the event is now \"{renamed}\""
    )]
    Scaled {
        /// The event.
        event: String,
        /// What its costs were divided by.
        divisor: u64,
        /// Its name in the file.
        renamed: String,
    },
    /// Costs were cut to fit.
    #[error("{count} costs do not fit into 32 bits and were written as 4294967295")]
    SaturatedCosts {
        /// How many.
        count: u64,
    },
    /// Counts or lines were cut to fit.
    #[error(
        "{count} counts or line numbers do not fit into 32 bits and were written as 4294967295"
    )]
    SaturatedCounts {
        /// How many.
        count: u64,
    },
    /// Costs below 0 cannot be written.
    #[error("{count} costs are negative and were written as 0")]
    NegativeCosts {
        /// How many.
        count: u64,
    },
    /// v4 needs single invocations, which an aggregate does not have.
    #[error(
        "v4 stores single invocations, but the input holds sums: {functions} functions were written as one invocation each"
    )]
    SumsAsInvocations {
        /// How many functions.
        functions: u64,
    },
}

/// Why a preprocessed file cannot be read, with the place where that shows.
#[derive(Debug)]
pub struct ReadError {
    input: String,
    offset: u64,
    kind: ReadErrorKind,
}

impl ReadError {
    /// An error at a place of an input, in bytes from its start.
    pub(super) fn new(input: &str, offset: u64, kind: ReadErrorKind) -> Self {
        ReadError {
            input: input.to_owned(),
            offset,
            kind,
        }
    }

    /// What is wrong there.
    pub fn kind(&self) -> &ReadErrorKind {
        &self.kind
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: at byte {}: {}", self.input, self.offset, self.kind)
    }
}

impl StdError for ReadError {
    /// The cause of the kind; the message already contains the kind itself.
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.kind.source()
    }
}

/// What a [`ReadError`] says.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadErrorKind {
    /// Addresses have 32 bits, so a file cannot be larger.
    #[error(
        "too large for a preprocessed file: expected at most {LARGEST_FILE} bytes (found {found})"
    )]
    TooLarge {
        /// Size of the input in bytes.
        found: u64,
    },
    /// The first number is no version.
    #[error(
        "no preprocessed file: expected a version from 4 to 7 as its first number (found {found})"
    )]
    NotPreprocessed {
        /// The number.
        found: u32,
    },
    /// A version that webgrind had before 0.4.
    #[error(
        "version {found} of the preprocessed format is too old: expected 4 to 7; convert the profile itself instead"
    )]
    TooOld {
        /// The version.
        found: u32,
    },
    /// An unknown, newer version.
    #[error(
        "version {found} of the preprocessed format is too new: expected 4 to 7; a newer release may read it"
    )]
    TooNew {
        /// The version.
        found: u32,
    },
    /// The file ends too early.
    #[error("the file is cut off: expected {expected} bytes for the {what} (found {found})")]
    Truncated {
        /// What should be there.
        what: &'static str,
        /// How many bytes it needs.
        expected: u64,
        /// How many there are.
        found: u64,
    },
    /// More functions than the file has room for.
    #[error("function count too large for the file: expected at most {room} (found {found})")]
    FunctionCount {
        /// The count.
        found: u32,
        /// How many addresses there is room for.
        room: u64,
    },
    /// A file without functions.
    #[error("no functions: there is nothing to convert")]
    NoFunctions,
    /// The headers lie outside of the file, or in the table of addresses.
    #[error(
        "header address out of place: expected {lowest} to {highest} (found {found}){}",
        if found > highest { "; the file is cut off" } else { "" }
    )]
    HeaderAddress {
        /// The address.
        found: u64,
        /// Where the function addresses end.
        lowest: u64,
        /// Where the file ends.
        highest: u64,
    },
    /// A function record lies outside of the file, or overlaps the one before.
    #[error(
        "address of function {function} out of place: expected {lowest} to {highest}, after what stands before it and before the headers (found {found})"
    )]
    FunctionAddress {
        /// Number of the function.
        function: u32,
        /// The address.
        found: u64,
        /// Where the record of the function before it ends.
        lowest: u64,
        /// Where the headers begin.
        highest: u64,
    },
    /// Too little room for the numbers at the beginning of a function record.
    #[error(
        "the record of function {function} does not fit: expected {expected} bytes before the headers (found {found})"
    )]
    FunctionRecord {
        /// Number of the function.
        function: u32,
        /// How many bytes it needs.
        expected: u64,
        /// How many there are.
        found: u64,
    },
    /// More records than there is room for.
    #[error(
        "the {what} list of function {function} does not fit before the headers: expected at most {room} records (found {found})"
    )]
    RecordCount {
        /// Number of the function.
        function: u32,
        /// What kind of record.
        what: &'static str,
        /// How many there should be.
        found: u32,
        /// How many there is room for.
        room: u64,
    },
    /// A name without its end.
    #[error(
        "the {what} of function {function} is not ended: expected \"\\n\" before the headers at byte {headers}"
    )]
    NameNotEnded {
        /// Number of the function.
        function: u32,
        /// Which name.
        what: &'static str,
        /// Where the headers begin.
        headers: u64,
    },
    /// A record names a function that is not there.
    #[error(
        "the {what} list of function {function} names a function that is not there: expected a number below {functions} (found {found})"
    )]
    CallFunction {
        /// Number of the function.
        function: u32,
        /// What kind of record.
        what: &'static str,
        /// The number that it names.
        found: u32,
        /// How many functions there are.
        functions: u32,
    },
    /// The sub-calls of an invocation of v4 lie elsewhere than between functions and headers, or
    /// overlap others.
    #[error(
        "sub-calls of invocation {invocation} of function {function} out of place: expected {count} between bytes {lowest} and {highest}, after functions and other sub-calls and before the headers"
    )]
    SubCalls {
        /// Number of the function.
        function: u32,
        /// Which invocation of it.
        invocation: u32,
        /// How many sub-calls it has.
        count: u32,
        /// Where the first can begin.
        lowest: u64,
        /// Where the headers begin.
        highest: u64,
    },
    /// A sub-call of v4 names a function that is not there.
    #[error(
        "a sub-call names a function that is not there: expected a number below {functions} (found {found})"
    )]
    SubCallFunction {
        /// The number that it names.
        found: u32,
        /// How many functions there are.
        functions: usize,
    },
    /// A sub-call names an invocation that is not there.
    #[error(
        "a sub-call names an invocation that function {function} does not have: expected a number below {invocations}, or {NOBODY} for none (found {found})"
    )]
    SubCallInvocation {
        /// Number of the called function.
        function: u32,
        /// The number of the invocation.
        found: u32,
        /// How many invocations the function has.
        invocations: u32,
    },
    /// The last header line has no end.
    #[error(
        "the last header line is not ended: expected \"\\n\" at the end of the file (found \"{found}\"); it may be cut off"
    )]
    HeaderNotEnded {
        /// The line.
        found: String,
    },
    /// A name or a header line is longer than any that this program would read or write.
    #[error("the {what} is too long: expected at most {longest} bytes")]
    LineTooLong {
        /// Which name, or which line.
        what: &'static str,
        /// How many bytes it may have.
        longest: u64,
    },
    /// A name, a header line or a list of calls has a hole, as is left where a disk was full or a
    /// copy broke off.
    #[error(
        "the {what} has a hole: expected {expected} (found {zeros} or more zero bytes in a row)"
    )]
    Hole {
        /// Which name, line or list.
        what: &'static str,
        /// What it consists of.
        expected: &'static str,
        /// How many zeros are taken for a hole.
        zeros: usize,
    },
    /// The file could not be read further.
    #[error("cannot read on from here")]
    Io(#[source] io::Error),
}

/// Something that a user should know, though the file was read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{input}: {kind}")]
pub struct ReadWarning {
    /// Name of the input, as the user knows it.
    pub input: String,
    /// The warning itself.
    pub kind: ReadWarningKind,
}

/// What a [`ReadWarning`] says.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ReadWarningKind {
    /// The file has the costs of another event than the selected one.
    #[error("no event \"{event}\", only \"{available}\": all its costs count as 0")]
    EventAbsent {
        /// The selected event.
        event: String,
        /// The one whose costs it has.
        available: String,
    },
}
