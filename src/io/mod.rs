//! Inputs and outputs: where bytes come from, what they contain, and files that appear complete or
//! not at all.

#[cfg(feature = "compression")]
mod compression;
mod content;
#[cfg(feature = "files")]
mod descriptor;
mod identity;
#[cfg(feature = "files")]
mod output;
mod progress;
mod source;
mod source_files;
mod target;

#[cfg(feature = "files")]
pub(crate) use output::Output;
// What only the program needs.
#[cfg(feature = "files")]
#[doc(hidden)]
pub use output::{ends_with_separator, locate, remove_unfinished};
pub(crate) use progress::FileFrom;
pub use progress::Progress;
pub use source::Source;
#[doc(hidden)]
pub use source::plain;
pub(crate) use source::{BUFFER, Input, ResolvedSource, is_profile};
#[doc(hidden)]
pub use source_files::path_of;
pub use source_files::{
    MAX_SOURCE_FILE, NoSource, SourceCounts, SourceFile, SourceFiles, SourceOptions,
};
pub use target::{Links, OutputOptions, Target};
