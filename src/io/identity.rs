//! The identity of files, whatever their paths: to notice that an input is given twice, or that the
//! output would replace one. Also, files that are already open.

use std::fs::{File, Metadata};
use std::io;
use std::path::Path;
use std::process;

/// The identity of a regular file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FileIdentity(Identity);

/// Device and inode. No file has to stay open for it; there could be too many.
#[cfg(unix)]
type Identity = (u64, u64);

/// The file itself, which stays open.
#[cfg(not(unix))]
type Identity = std::sync::Arc<same_file::Handle>;

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

/// An open file of some process, to which a path of the system leads: `/dev/stdout`, `/proc/7/fd/1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Descriptor {
    process: u32,
    number: i32,
}

impl Descriptor {
    /// The open file that a path leads to, after following all links.
    pub fn of(path: &Path) -> Option<Self> {
        let names: Vec<_> = path.to_str()?.split('/').collect();
        let (process, number) = match names[..] {
            ["", "proc", process, "fd", number]
            | ["", "proc", process, "task", _, "fd", number] => (process.parse().ok()?, number),
            // On systems where this is not a link to `/proc/self/fd`.
            ["", "dev", "fd", number] => (process::id(), number),
            _ => return None,
        };
        let number = number.parse().ok()?;
        Some(Descriptor { process, number })
    }

    /// Another descriptor of the same open file, at the same position and in the same mode. `path`
    /// is its path.
    pub fn duplicate(self, path: &Path) -> io::Result<File> {
        match self.number {
            1 if self.process == process::id() => stream(&io::stdout()),
            2 if self.process == process::id() => stream(&io::stderr()),
            _ => self.fetch().or_else(|error| {
                // On Linux, opening a regular file again would start at its beginning.
                let is_regular = path.metadata()?.is_file();
                match is_regular && cfg!(target_os = "linux") {
                    true => Err(error),
                    false => File::options().write(true).open(path),
                }
            }),
        }
    }

    #[cfg(target_os = "linux")]
    fn fetch(self) -> io::Result<File> {
        use rustix::process::{Pid, PidfdFlags, PidfdGetfdFlags, pidfd_getfd, pidfd_open};
        let pid = i32::try_from(self.process).ok().and_then(Pid::from_raw);
        let pidfd = pidfd_open(pid.ok_or(io::ErrorKind::NotFound)?, PidfdFlags::empty())?;
        Ok(pidfd_getfd(pidfd, self.number, PidfdGetfdFlags::empty())?.into())
    }

    #[cfg(not(target_os = "linux"))]
    fn fetch(self) -> io::Result<File> {
        Err(io::ErrorKind::Unsupported.into())
    }
}
