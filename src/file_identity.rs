//! Which file it is, whatever its path: to tell that an input is named twice, or that the output
//! would replace one.

use std::fs::{File, Metadata};
use std::path::Path;

/// The identity of a regular file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FileIdentity(platform::Identity);

impl FileIdentity {
    /// That of the file at a path, which has these metadata; none if it is no regular file.
    pub fn of_path(path: &Path, metadata: &Metadata) -> Option<Self> {
        let identity = || platform::of_path(path, metadata).map(FileIdentity);
        metadata.is_file().then(identity).flatten()
    }

    /// That of an open file; none if it is no regular file.
    pub fn of_file(file: &File) -> Option<Self> {
        let metadata = file.metadata().ok()?;
        let identity = || platform::of_file(file, &metadata).map(FileIdentity);
        metadata.is_file().then(identity).flatten()
    }
}

#[cfg(unix)]
mod platform {
    use std::fs::{File, Metadata};
    use std::os::unix::fs::MetadataExt;
    use std::path::Path;

    /// Device and inode. This takes no file that stays open, of which there could be too many.
    pub type Identity = (u64, u64);

    pub fn of_path(_: &Path, metadata: &Metadata) -> Option<Identity> {
        Some((metadata.dev(), metadata.ino()))
    }

    pub fn of_file(_: &File, metadata: &Metadata) -> Option<Identity> {
        Some((metadata.dev(), metadata.ino()))
    }
}

#[cfg(not(unix))]
mod platform {
    use std::fs::{File, Metadata};
    use std::path::Path;
    use std::sync::Arc;

    use same_file::Handle;

    /// The file itself, which stays open as long as this is kept.
    pub type Identity = Arc<Handle>;

    pub fn of_path(path: &Path, _: &Metadata) -> Option<Identity> {
        Handle::from_path(path).ok().map(Arc::new)
    }

    pub fn of_file(file: &File, _: &Metadata) -> Option<Identity> {
        let file = file.try_clone().ok()?;
        Handle::from_file(file).ok().map(Arc::new)
    }
}
