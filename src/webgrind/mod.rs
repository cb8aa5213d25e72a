//! webgrind's formats, v4 to v7.

mod error;
mod escape;
mod invocation_lists;
mod layout;
mod narrow;
mod reader;
mod writer;

pub use error::{
    ReadError, ReadWarning, ReadWarningKind, WebgrindWriteError, WebgrindWriteWarning,
};
pub use layout::Version;
pub use narrow::OnOverflow;
pub(crate) use reader::check_beginning;
pub use reader::{ReadOutcome, read};
pub use writer::{WriteOptions, write};

/// What webgrind appends to the name of a profile for its own file.
#[doc(hidden)]
pub const FILE_ENDING: &str = ".webgrind";
