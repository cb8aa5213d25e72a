//! What can be wrong when a preprocessed file is written.

use std::io;

use thiserror::Error;

/// Why a profile cannot be written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WriteError {
    /// Addresses have 32 bits.
    #[error(
        "the file would have {bytes} bytes, but the format cannot address more than 4294967295"
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
    Io(#[from] io::Error),
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
    /// v4 wants single invocations, which sums do not have.
    #[error(
        "v4 stores single invocations, but the input holds sums: {functions} functions were written as one invocation each"
    )]
    SumsAsInvocations {
        /// How many functions.
        functions: u64,
    },
}
