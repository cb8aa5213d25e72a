//! Outputs: files that appear complete or not at all, and streams.

use std::fs::{self, File, Metadata};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::NamedTempFile;

use super::descriptor::Descriptor;
use super::identity::{FileIdentity, stream};
use super::source::plain;
use super::target::{Links, OutputOptions, Target};
use crate::display::text::printable_path;

/// The size of the buffer between a writer and the system.
const BUFFER: usize = 64 << 10;

/// The most links that are followed from a path.
const MAX_LINKS: usize = 40;

impl Target {
    /// Whether it is a terminal.
    pub fn is_terminal(&self) -> bool {
        match self {
            Target::Stdout => io::stdout().is_terminal(),
            Target::File(path) => {
                path.metadata().is_ok_and(|metadata| is_device(&metadata))
                    && File::open(path).is_ok_and(|file| file.is_terminal())
            }
        }
    }

    /// Whether it is no regular file, and none that will be created: standard output, another open
    /// file such as `/dev/fd/3`, a pipe, or a device.
    pub fn is_stream(&self) -> bool {
        match self {
            Target::Stdout => true,
            Target::File(path) => {
                let opened =
                    || locate(path, Links::default()).is_ok_and(|at| Descriptor::of(&at).is_some());
                fs::metadata(path).is_ok_and(|found| !found.is_file()) || opened()
            }
        }
    }

    /// Checks, as far as possible without writing, that it can be written.
    pub(crate) fn check(&self, options: &OutputOptions) -> io::Result<Output> {
        let place = match self {
            // The standard library converts text for a console.
            Target::Stdout if cfg!(windows) && self.is_terminal() => Place::Console,
            Target::Stdout => Place::Open(stream(&io::stdout())?),
            Target::File(path) => place(path, options.links)?,
        };
        Ok(Output {
            target: self.clone(),
            place,
            is_private: options.is_private,
        })
    }
}

/// Finds out what is at a path. A regular file need not exist, but its directory must be writable.
fn place(path: &Path, links: Links) -> io::Result<Place> {
    // This follows links as well, if the system allows it.
    let found = fs::metadata(path);
    let path = locate(path, links)?;
    if let Some(descriptor) = Descriptor::of(&path) {
        return descriptor.duplicate(&path).map(Place::Open);
    }
    match found {
        Ok(metadata) if metadata.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        Ok(metadata) if !metadata.is_file() => {
            if is_foreign(&path, &metadata)? {
                return Err(denied(
                    "it belongs to another user, in a directory that everyone may write to",
                ));
            }
            return Ok(Place::Stream(path));
        }
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    if path.file_name().is_none() || ends_with_separator(&path) {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    try_directory(directory(&path))?;
    Ok(Place::File(path))
}

#[cfg(unix)]
fn is_own(metadata: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    metadata.uid() == rustix::process::geteuid().as_raw()
}

/// Whether something in a directory like `/tmp` belongs neither to the user nor to the directory's owner.
/// Everyone may create files there, which only they can remove.
#[cfg(unix)]
fn is_foreign(path: &Path, metadata: &Metadata) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    const STICKY: u32 = 0o1000;
    /// The bits for the group and for everyone.
    const WRITABLE: u32 = 0o022;

    if is_own(metadata) {
        return Ok(false);
    }
    let directory = fs::metadata(directory(path))?;
    let is_shared = directory.mode() & STICKY != 0 && directory.mode() & WRITABLE != 0;
    Ok(is_shared && directory.uid() != metadata.uid())
}

/// On other systems, owners are unknown.
#[cfg(not(unix))]
fn is_own(_: &Metadata) -> bool {
    true
}

#[cfg(not(unix))]
fn is_foreign(_: &Path, _: &Metadata) -> io::Result<bool> {
    Ok(false)
}

fn denied(reason: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, reason.into())
}

/// Follows the links of a path and of its directories, whether or not the file exists. A path to an
/// open file, such as `/dev/stdout`, is not followed.
///
/// In directories, the links of [`Links::Protected`] are followed, because systems have some there.
///
/// # Errors
///
/// If a link must not be followed, or if there are too many links.
pub fn locate(path: &Path, links: Links) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        let Some(at) = path.ancestors().filter(|at| at.is_symlink()).last() else {
            return Ok(path);
        };
        let (link, is_last) = (fs::symlink_metadata(at)?, at == path);
        if is_last && Descriptor::of(at).is_some() {
            return Ok(path);
        }
        let may_follow = match links {
            Links::Own if is_last => is_own(&link),
            _ => !is_foreign(at, &link)?,
        };
        // Nobody can replace this link meanwhile: in a shared directory, it belongs to the user or to
        // the directory's owner.
        if !may_follow {
            let at = printable_path(at);
            return Err(denied(format!("the link {at} belongs to another user")));
        }
        let mut target = directory(at).join(fs::read_link(at)?);
        if let Ok(rest) = path.strip_prefix(at)
            && !is_last
        {
            target.push(rest);
        }
        path = target;
    }
    Err(io::Error::other("too many links"))
}

/// Whether it is a device, which can be opened for a check. Opening a pipe would wait.
fn is_device(metadata: &Metadata) -> bool {
    #[cfg(unix)]
    return std::os::unix::fs::FileTypeExt::is_char_device(&metadata.file_type());
    #[cfg(not(unix))]
    return !metadata.is_file() && !metadata.is_dir();
}

/// An output that is probably writable.
#[derive(Debug)]
pub(crate) struct Output {
    pub target: Target,
    place: Place,
    is_private: bool,
}

/// The kind of an output, after following all links.
#[derive(Debug)]
enum Place {
    /// A regular file.
    File(PathBuf),
    /// A pipe or a device.
    Stream(PathBuf),
    /// A file that is already open, such as standard output. It is continued through a duplicate,
    /// because the standard library hides errors of standard output itself.
    Open(File),
    /// Standard output, if it is a console of Windows.
    Console,
}

impl Output {
    /// The regular file that will be replaced, if any.
    pub fn file(&self) -> Option<&Path> {
        match &self.place {
            Place::File(path) => Some(path),
            _ => None,
        }
    }

    /// The identity of the regular file that exists now, if any.
    pub fn identity(&self) -> Option<FileIdentity> {
        match &self.place {
            Place::File(path) => FileIdentity::of_path(path, &path.metadata().ok()?),
            Place::Open(file) => FileIdentity::of_file(file),
            Place::Stream(_) | Place::Console => None,
        }
    }

    /// Writes with `fill`, and returns the number of bytes. A file only appears if this succeeds.
    pub fn write<E: From<io::Error>>(
        &self,
        fill: impl FnOnce(&mut dyn Write) -> Result<(), E>,
    ) -> Result<u64, E> {
        let buffered = |output: &mut dyn Write| {
            let mut buffer = BufWriter::with_capacity(BUFFER, CountingWriter { output, bytes: 0 });
            fill(&mut buffer)?;
            buffer.flush()?;
            Ok(buffer.get_ref().bytes)
        };
        match &self.place {
            Place::File(path) => replace(path, self.is_private, |file| buffered(file)),
            Place::Stream(path) => buffered(&mut File::options().write(true).open(path)?),
            Place::Open(file) => buffered(&mut &*file),
            Place::Console => buffered(&mut io::stdout().lock()),
        }
    }
}

/// A writer that counts its bytes.
struct CountingWriter<W> {
    output: W,
    bytes: u64,
}

impl<W: Write> Write for CountingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.output.write(bytes)?;
        self.bytes += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

/// Checks that files can be created in a directory.
fn try_directory(directory: &Path) -> io::Result<()> {
    // A file without a name, which disappears when it is closed.
    let outcome = tempfile::tempfile_in(directory);
    outcome.map(drop).map_err(|error| {
        let directory = printable_path(directory);
        let kind = error.kind();
        let text = format!("no file can be created in {directory}: {}", plain(error));
        io::Error::new(kind, text)
    })
}

fn directory(path: &Path) -> &Path {
    match path.parent() {
        Some(directory) if !directory.as_os_str().is_empty() => directory,
        _ => Path::new("."),
    }
}

/// Whether a path ends with a separator, as only the path of a directory does.
pub fn ends_with_separator(path: &Path) -> bool {
    let last = path.as_os_str().as_encoded_bytes().last();
    last.is_some_and(|&byte| std::path::is_separator(char::from(byte)))
}

/// The files that are being written and do not have their names yet. Some may be gone.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn lock_unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the files that are being written, before the program ends.
///
/// Afterwards, a thread that begins or finishes a file waits forever.
pub fn remove_unfinished() {
    let unfinished = lock_unfinished();
    for path in unfinished.iter() {
        // There is nobody to report it to.
        let _ = fs::remove_file(path);
    }
    std::mem::forget(unfinished);
}

/// Writes a file in the directory of `path`, then renames it to `path`.
///
/// The data are on the disk before the file gets its name. It gets the owner and mode of the file
/// that it replaces.
fn replace<E: From<io::Error>>(
    path: &Path,
    is_private: bool,
    fill: impl FnOnce(&mut File) -> Result<u64, E>,
) -> Result<u64, E> {
    let old = fs::symlink_metadata(path).ok().filter(Metadata::is_file);
    // The mode of a file that somebody else created must not decide who may read this one.
    let old = old.filter(|old| !is_foreign(path, old).unwrap_or(true));
    let mut unfinished = begin(path, is_private || old.is_some())?;
    let file = unfinished.as_file_mut();
    let bytes = fill(file)?;
    file.sync_all()?;
    #[cfg(unix)]
    if let Some(old) = old {
        replace_owner(file, &old);
    }
    // After a signal, this waits for the end of the program.
    let _lock = lock_unfinished();
    unfinished.persist(path).map_err(|error| error.error)?;
    Ok(bytes)
}

/// A new file in the directory of `path`, which is removed if the program ends before it has its name.
fn begin(path: &Path, is_private: bool) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".cg-preprocess-").suffix(".tmp");
    // From the mode of a file for everyone, the system removes the umask.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(
        if is_private { 0o600 } else { 0o666 },
    ));
    #[cfg(not(unix))]
    let _ = is_private;
    // A signal waits until the file is in the list.
    let mut unfinished = lock_unfinished();
    unfinished.retain(|path| path.exists());
    let file = builder.tempfile_in(directory(path))?;
    unfinished.push(file.path().to_owned());
    Ok(file)
}

/// Gives a file the mode and, if possible, the owner of the file that it replaces.
#[cfg(unix)]
fn replace_owner(file: &File, old: &Metadata) {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};

    let mut mode = old.mode() & 0o777;
    let (owner, group) = (Some(old.uid()), Some(old.gid()));
    let is_given = fchown(file, owner, group).or_else(|_| fchown(file, None, group));
    if is_given.is_err() {
        // The file has another group now, which must not get more rights than everyone has.
        let others = mode & 0o007;
        mode = mode & 0o707 | others << 3;
    }
    // This may fail on file systems without modes.
    let _ = file.set_permissions(fs::Permissions::from_mode(mode));
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use super::*;

    #[test]
    fn what_replaces_a_file_is_for_the_owner_alone_until_it_is_finished() {
        let directory = tempfile::tempdir().unwrap();
        let unfinished = begin(&directory.path().join("out"), true).unwrap();
        let mode = unfinished.as_file().metadata().unwrap().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}
