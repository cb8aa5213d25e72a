//! webgrind's preprocessed formats, v4 to v7.

mod error;
mod invocations;
mod layout;
mod narrow;
mod reader;
mod writer;

pub use error::{WriteError, WriteWarning};
pub use layout::Version;
pub use narrow::OnOverflow;
pub use reader::{ReadError, ReadOutcome, ReadProblem, ReadWarning, ReadWarningKind, Reader, read};
pub use writer::{Written, write};
