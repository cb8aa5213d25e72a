//! The callgrind format, in all variants that programs write.
//!
//! The specification is the chapter "Callgrind Format Specification" of Valgrind's documentation;
//! sections named in this module are of that chapter. Where real writers or readers differ, the
//! code says so.
//!
//! [`read`] owns the buffer and does the I/O; `line` reads numbers, positions and names forwards
//! and is pure; the interpreter turns lines into calls of a
//! [`ProfileBuilder`](crate::profile::ProfileBuilder). Lines of common shapes are
//! recognised as a whole (`fast`), with the same effect as if they were read one by one.

mod digits;
mod error;
mod fast;
mod id_tables;
mod interpreter;
mod line;
mod part_filter;
mod ranges;
mod reader;
mod writer;

pub use error::{ParseError, ParseWarning, Problem, ProblemKind, WarningKind};
pub use part_filter::{FoundParts, PartFilter};
#[doc(hidden)]
pub use ranges::{Ranges, read_ranges};
pub use reader::{Parsed, read};
pub use writer::{CallgrindWriteError, CallgrindWriteWarning, write};

use crate::profile::Kind;

/// How to read an input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadOptions {
    /// The kind of the blocks; `None` to decide by the header: Xdebug's profiles are traces, all others
    /// aggregates.
    pub kind: Option<Kind>,
    /// Skip lines that cannot be read, with a warning, instead of stopping at the first.
    pub lenient: bool,
    /// The parts of aggregates to read; all, if this is empty. Traces have none.
    pub parts: Vec<PartFilter>,
    /// Read each line by itself, whatever its shape. Tests compare with this reference.
    #[doc(hidden)]
    pub line_by_line: bool,
}
