//! The identity of files, whatever their paths: to notice that an input is given twice, or that the
//! output would replace one.

use std::fs::{File, Metadata};
use std::io;
use std::path::Path;

/// The identity of a regular file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FileIdentity(Identity);

/// Device and inode. No file has to stay open for it; there could be too many.
#[cfg(unix)]
type Identity = (u64, u64);

/// The file itself, which stays open.
#[cfg(all(not(unix), feature = "files"))]
type Identity = std::sync::Arc<same_file::Handle>;

/// Unknown: only conversions of files ask.
#[cfg(all(not(unix), not(feature = "files")))]
type Identity = std::convert::Infallible;

impl FileIdentity {
    /// The identity of the file at a path, which has these metadata; `None` if it is not a regular
    /// file.
    pub fn of_path(path: &Path, metadata: &Metadata) -> Option<Self> {
        Self::of(metadata, || File::open(path))
    }

    /// The identity of an open file; `None` if it is not a regular file.
    pub fn of_file(file: &File) -> Option<Self> {
        Self::of(&file.metadata().ok()?, || file.try_clone())
    }

    #[cfg(unix)]
    fn of(metadata: &Metadata, _: impl FnOnce() -> io::Result<File>) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        let identity = || FileIdentity((metadata.dev(), metadata.ino()));
        metadata.is_file().then(identity)
    }

    #[cfg(all(not(unix), feature = "files"))]
    fn of(metadata: &Metadata, open: impl FnOnce() -> io::Result<File>) -> Option<Self> {
        let file = metadata.is_file().then(open)?.ok()?;
        let handle = same_file::Handle::from_file(file).ok()?;
        Some(FileIdentity(handle.into()))
    }

    #[cfg(all(not(unix), not(feature = "files")))]
    fn of(_: &Metadata, _: impl FnOnce() -> io::Result<File>) -> Option<Self> {
        None
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
