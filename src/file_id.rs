//! Which file it is, whatever path leads to it.

use std::fs::Metadata;
use std::path::Path;

/// Tells regular files apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileId {
    #[cfg(unix)]
    device_and_inode: (u64, u64),
    #[cfg(not(unix))]
    path: std::path::PathBuf,
}

impl FileId {
    /// Identifies a regular file; `path` is none where it was opened by somebody else.
    #[cfg(unix)]
    pub fn new(metadata: &Metadata, _path: Option<&Path>) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        metadata.is_file().then(|| FileId {
            device_and_inode: (metadata.dev(), metadata.ino()),
        })
    }

    /// Identifies a regular file; `path` is none where it was opened by somebody else.
    #[cfg(not(unix))]
    pub fn new(metadata: &Metadata, path: Option<&Path>) -> Option<Self> {
        let path = path?.canonicalize().ok()?;
        metadata.is_file().then_some(FileId { path })
    }
}
