//! Errors about events.

use thiserror::Error;

use super::{MAX_EVENTS, MAX_FORMULAS, MAX_TERMS};

/// Why an event cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "the messages show what the fields are")]
#[non_exhaustive]
pub enum EventError {
    /// No part of any input has the requested event.
    #[error("no event \"{name}\"; the profile has {available}")]
    Unknown { name: String, available: String },
    /// A built-in event whose columns Valgrind writes only on request.
    #[error(
        "event \"{event}\" cannot be derived: its parts were not recorded; use valgrind --tool=callgrind {option}"
    )]
    NotSimulated { event: String, option: &'static str },
    /// The formula of a derived event names an event that no input has.
    #[error(
        "the formula of event \"{event}\" names \"{name}\", which is not an event; the profile has {available}"
    )]
    UnknownInFormula {
        event: String,
        name: String,
        available: String,
    },
    /// The formula of a derived event is not a sum of products.
    #[error(
        "the formula of event \"{event}\" cannot be read at \"{term}\": expected terms such as Ir, 2 Ir or 2 * Ir, joined by +"
    )]
    BadFormula { event: String, term: String },
    /// The formula of a derived event is longer than any that a profiler writes.
    #[error("formula of more than {MAX_TERMS} terms")]
    TooManyTerms,
    /// There are more derived events than any profiler defines.
    #[error("more than {MAX_FORMULAS} derived events")]
    TooManyFormulas,
    /// Several events begin with the requested name, and no event has exactly this name.
    #[error("no event \"{name}\", but several begin with it: {matches}")]
    Ambiguous { name: String, matches: String },
    /// A derived event is defined in terms of itself.
    #[error("event \"{0}\" is defined in terms of itself")]
    Cycle(String),
    /// All events are requested, and there are too many.
    #[error("the profile has more than {MAX_EVENTS} events; choose some of them with --event")]
    TooMany,
}
