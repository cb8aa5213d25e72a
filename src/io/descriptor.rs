//! Files that are already open, to which paths of the system lead.

use std::fs::File;
use std::io;
use std::path::Path;
use std::process;

use super::identity::stream;

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
                if is_regular && cfg!(target_os = "linux") {
                    Err(error)
                } else {
                    File::options().write(true).open(path)
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
