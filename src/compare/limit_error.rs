//! The error for limits that cannot be checked.

use thiserror::Error;

use crate::display::numbers::grouped;

/// The error for a limit that cannot be checked.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "the messages show what the fields are")]
#[non_exhaustive]
pub enum LimitError {
    /// A limit on growth without a comparison.
    #[error("a limit on growth needs a base to compare with")]
    NoBase,
    /// The base is 0 or negative, so growth cannot be expressed as a percentage.
    #[error("the growth of {subject} cannot be expressed in percent: from {} to {}",
        grouped(*.base), grouped(*.new))]
    NotPositive {
        subject: String,
        base: i128,
        new: i128,
    },
    /// Some sums exceed 64 bits.
    #[error("{0} cannot be checked: some sums exceed 64 bits")]
    Saturated(String),
    /// The base has no such function or group.
    #[error("the base has no {name}, so its growth cannot be checked{closest}")]
    NoFunction { name: String, closest: String },
    /// The end of a path matches several files.
    #[error("there are {count} {kind} \"{name}\": add folders to the name")]
    Ambiguous {
        kind: &'static str,
        name: String,
        count: usize,
    },
    /// The limit is on a group of functions of this kind, which a single profile does not contain.
    #[error("a limit on a {0} can only be checked in a conversion")]
    Group(&'static str),
    /// Each part is to be checked, but none has a name.
    #[error("no named parts (CALLGRIND_DUMP_STATS_AT) to check limits for")]
    NoParts,
    /// Each part is to be checked, but there are more than are known.
    #[error("too many parts to check each of them: choose some with --part")]
    TooManyParts,
    /// A limit on calls, but the profile contains none.
    #[error("the profile contains no calls, so limits on calls cannot be checked")]
    NoCalls,
    /// The unit of a limit on costs is not one of the event.
    #[error("the limit of {limit} has a unit that {event} does not have: use {expected}")]
    WrongUnit {
        limit: String,
        event: String,
        expected: &'static str,
    },
}
