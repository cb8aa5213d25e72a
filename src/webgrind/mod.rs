//! webgrind's preprocessed formats, v4 to v7.

mod error;
mod invocations;
mod layout;
mod narrow;
mod writer;

pub use error::{WriteError, WriteWarning};
pub use layout::Version;
pub use narrow::OnOverflow;
pub use writer::{Written, write};
