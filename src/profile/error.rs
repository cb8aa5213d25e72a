//! Why data are no profile.

use thiserror::Error;

use super::EventError;

/// The reason why an input cannot become a profile.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ModelError {
    /// A requested event is missing, or its formula is wrong.
    #[error(transparent)]
    Event(#[from] EventError),
    /// More than 2³² − 1 names, functions, call edges or invocations.
    #[error("more than 4294967295 {what}, which webgrind's formats cannot number")]
    TooMany {
        /// The kind of entries.
        what: &'static str,
    },
}

impl ModelError {
    /// Checks that all entries of a table can be numbered.
    pub(super) fn check_count(what: &'static str, count: usize) -> Result<(), ModelError> {
        match u32::try_from(count) {
            Ok(_) => Ok(()),
            Err(_) => Err(ModelError::TooMany { what }),
        }
    }
}
