//! Which file it is, whatever its path: to tell that an input is named twice, or that the output
//! would replace one. And standard streams as files.

use std::fs::{File, Metadata};
use std::io;
use std::path::Path;

/// The identity of a regular file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FileIdentity(Identity);

/// Device and inode. This takes no file that stays open, of which there could be too many.
#[cfg(unix)]
type Identity = (u64, u64);

/// The file itself, which stays open as long as this is kept.
#[cfg(not(unix))]
type Identity = std::sync::Arc<same_file::Handle>;

impl FileIdentity {
    /// That of the file at a path, which has these metadata; none if it is not a regular file.
    pub fn of_path(path: &Path, metadata: &Metadata) -> Option<Self> {
        Self::of(metadata, || File::open(path))
    }

    /// That of an open file; none if it is not a regular file.
    pub fn of_file(file: &File) -> Option<Self> {
        Self::of(&file.metadata().ok()?, || file.try_clone())
    }

    #[cfg(unix)]
    fn of(metadata: &Metadata, _: impl FnOnce() -> io::Result<File>) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        let identity = || FileIdentity((metadata.dev(), metadata.ino()));
        metadata.is_file().then(identity)
    }

    #[cfg(not(unix))]
    fn of(metadata: &Metadata, open: impl FnOnce() -> io::Result<File>) -> Option<Self> {
        let file = metadata.is_file().then(open)?.ok()?;
        let handle = same_file::Handle::from_file(file).ok()?;
        Some(FileIdentity(handle.into()))
    }
}

/// A standard stream as a file, without the buffer that the standard library puts in between.
#[cfg(unix)]
pub(crate) fn stream(stream: &impl std::os::fd::AsFd) -> io::Result<File> {
    Ok(File::from(stream.as_fd().try_clone_to_owned()?))
}

/// A standard stream as a file, without the buffer that the standard library puts in between.
#[cfg(windows)]
pub(crate) fn stream(stream: &impl std::os::windows::io::AsHandle) -> io::Result<File> {
    Ok(File::from(stream.as_handle().try_clone_to_owned()?))
}
