//! Where an output goes, and what it may replace there.

use std::fmt;
use std::path::PathBuf;

use crate::display::text::printable_path;

/// The destination of the output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// Standard output.
    Stdout,
    /// A file.
    File(PathBuf),
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::Stdout => f.write_str("standard output"),
            Target::File(path) => printable_path(path).fmt(f),
        }
    }
}

/// What an output may replace.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct OutputOptions {
    /// Whether it may replace a callgrind profile that another program wrote.
    pub overwrite_profiles: bool,
    /// The links that are followed to it.
    pub links: Links,
    /// Whether only the owner may read a new file.
    pub is_private: bool,
}

/// The links that are followed to an output.
///
/// In a directory that everyone may write to, another user can put a link where an output is
/// expected. If it were followed, this would replace a file that they could not write themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Links {
    /// All links, except that in directories like `/tmp` they must belong to the user or to the
    /// directory's owner. Linux does the same with `fs.protected_symlinks`.
    #[default]
    Protected,
    /// Links of the user.
    Own,
}
