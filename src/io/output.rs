//! Outputs: a file that appears complete or not at all, or a stream.

use std::fmt;
use std::fs::{self, File, Metadata};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tempfile::NamedTempFile;

use super::identity::{self, FileIdentity};
use crate::shown::text::printable_path;

/// Size of the buffer between a writer and the system.
const BUFFER: usize = 64 << 10;

/// How many links are followed from a path.
const MOST_LINKS: usize = 40;

/// Where the output goes.
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

    /// Checks, as far as possible without writing, that it can be written.
    pub(crate) fn check(&self, links: Links) -> io::Result<Output> {
        Ok(Output {
            target: self.clone(),
            file: self.file(links)?,
            unfinished: Unfinished::default(),
        })
    }

    /// The regular file that it is after following all links, if it is one. It may not exist yet;
    /// its folder can be written.
    fn file(&self, links: Links) -> io::Result<Option<PathBuf>> {
        let Target::File(path) = self else {
            return Ok(None);
        };
        // This follows links as well, if the system allows it.
        let found = fs::metadata(path);
        let path = locate(path, links)?;
        match found {
            Ok(metadata) if metadata.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(metadata) if !metadata.is_file() => {
                if is_foreign(&path, &metadata)? {
                    return Err(denied(
                        "it is another user's, in a folder that everybody may write to",
                    ));
                }
                return Ok(None);
            }
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        if path.file_name().is_none() || ends_with_separator(&path) {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        try_folder(folder(&path))?;
        Ok(Some(path))
    }
}

/// What an output may replace.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// Whether it may replace a callgrind profile that this program has not written.
    pub overwrite_profiles: bool,
    /// Which links are followed to it.
    pub links: Links,
}

/// Which links are followed to an output.
///
/// In a folder that everybody may write to, another user can put a link where an output is
/// expected. If it were followed, this would replace a file that they could not write themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Links {
    /// In folders like `/tmp` the user's own and those of the folder's owner, elsewhere all: what
    /// Linux follows with `fs.protected_symlinks`.
    #[default]
    Protected,
    /// The user's own.
    Own,
}

#[cfg(unix)]
fn is_own(metadata: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    metadata.uid() == rustix::process::geteuid().as_raw()
}

/// Whether something is another user's in a folder like `/tmp`, where everybody may put things
/// that they alone can remove. What belongs to the folder's owner is not.
#[cfg(unix)]
fn is_foreign(path: &Path, metadata: &Metadata) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    const STICKY: u32 = 0o1000;
    /// The group, or everybody.
    const WRITABLE: u32 = 0o022;

    if is_own(metadata) {
        return Ok(false);
    }
    let folder = fs::metadata(folder(path))?;
    let is_shared = folder.mode() & STICKY != 0 && folder.mode() & WRITABLE != 0;
    Ok(is_shared && folder.uid() != metadata.uid())
}

/// On other systems, owners are not known.
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

/// Where the links of a path lead, those among its folders as well, whether or not the file exists.
///
/// Among the folders, the links that [`Links::Protected`] names are followed: the system itself has
/// some there.
///
/// # Errors
///
/// If there is a link that is not to be followed, or if there are too many links.
pub fn locate(path: &Path, links: Links) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Some((at, rest, link)) = first_link(&path) else {
            return Ok(path);
        };
        let is_last = rest.as_os_str().is_empty();
        let may_follow = match links {
            Links::Own if is_last => is_own(&link),
            _ => !is_foreign(&at, &link)?,
        };
        // Nobody can put another link there in between: in a shared folder this one belongs to the
        // user or the folder's owner.
        if !may_follow {
            let at = printable_path(&at);
            return Err(denied(format!("the link {at} is another user's")));
        }
        let mut target = folder(&at).join(fs::read_link(&at)?);
        if !is_last {
            target.push(rest);
        }
        path = target;
    }
    Err(io::Error::other("too many links"))
}

/// The first link on the way along a path, and the path from there.
fn first_link(path: &Path) -> Option<(PathBuf, PathBuf, Metadata)> {
    let mut before = PathBuf::new();
    let mut components = path.components();
    while let Some(component) = components.next() {
        before.push(component);
        let metadata = fs::symlink_metadata(&before).ok()?;
        if metadata.is_symlink() {
            return Some((before, components.as_path().to_owned(), metadata));
        }
    }
    None
}

/// Whether it is a device that can be opened to look at, unlike a pipe, which would wait.
fn is_device(metadata: &Metadata) -> bool {
    #[cfg(unix)]
    return std::os::unix::fs::FileTypeExt::is_char_device(&metadata.file_type());
    #[cfg(not(unix))]
    return !metadata.is_file() && !metadata.is_dir();
}

/// An output that can probably be written.
#[derive(Debug)]
pub(crate) struct Output {
    pub target: Target,
    /// The regular file, after following all links; none if bytes go to standard output, a pipe or a
    /// device in order.
    pub file: Option<PathBuf>,
    /// The file to remove if the program has to end.
    pub unfinished: Unfinished,
}

impl Output {
    /// Which regular file there is at present, if there is one.
    pub fn identity(&self) -> Option<FileIdentity> {
        match (&self.file, &self.target) {
            (Some(path), _) => FileIdentity::of_path(path, &path.metadata().ok()?),
            (None, Target::Stdout) => FileIdentity::of_file(&identity::stream(&io::stdout()).ok()?),
            (None, Target::File(_)) => None,
        }
    }

    /// Writes with `fill`. A file does not appear unless it succeeds.
    pub fn write<T, E: From<io::Error>>(
        &self,
        fill: impl FnOnce(&mut dyn Write) -> Result<T, E>,
    ) -> Result<T, E> {
        let buffered = |output: &mut dyn Write| {
            let mut buffer = BufWriter::with_capacity(BUFFER, output);
            let result = fill(&mut buffer)?;
            buffer.flush()?;
            Ok(result)
        };
        match &self.file {
            Some(path) => self.unfinished.replace(path, |file| buffered(file)),
            None => buffered(&mut open(&self.target)?),
        }
    }
}

fn open(stream: &Target) -> io::Result<Box<dyn Write>> {
    Ok(match stream {
        Target::Stdout => Box::new(io::stdout().lock()),
        Target::File(path) => Box::new(File::options().write(true).open(path)?),
    })
}

/// Finds out whether files can be created in a folder.
fn try_folder(folder: &Path) -> io::Result<()> {
    // A file without a name, which is gone as soon as it is closed.
    let outcome = tempfile::tempfile_in(folder);
    outcome.map(drop).map_err(|error| {
        let folder = printable_path(folder);
        let text = format!("no file can be created in {folder}: {error}");
        io::Error::new(error.kind(), text)
    })
}

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

fn ends_with_separator(path: &Path) -> bool {
    let last = path.as_os_str().as_encoded_bytes().last();
    last.is_some_and(|&byte| std::path::is_separator(char::from(byte)))
}

/// A file that is being written and not yet in its place.
///
/// It lets another thread remove the file when the program is told to end.
#[derive(Clone, Debug, Default)]
pub struct Unfinished(Arc<Mutex<Option<PathBuf>>>);

impl Unfinished {
    /// Removes the file, if there is one, and keeps others from being begun or finished.
    ///
    /// Nothing can be written afterwards: a thread that tries to waits forever.
    pub fn remove(&self) {
        let unfinished = self.lock();
        if let Some(path) = &*unfinished {
            // There is nobody to tell.
            let _ = fs::remove_file(path);
        }
        std::mem::forget(unfinished);
    }

    fn lock(&self) -> MutexGuard<'_, Option<PathBuf>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes a file in the folder of `path`, then renames it to `path`.
    ///
    /// The data are on the disk before the file gets its name.
    fn replace<T, E: From<io::Error>>(
        &self,
        path: &Path,
        fill: impl FnOnce(&mut File) -> Result<T, E>,
    ) -> Result<T, E> {
        let old = fs::symlink_metadata(path).ok().filter(Metadata::is_file);
        // What somebody else may have put there says nothing about who may read this.
        let is_trusted = |old: &Metadata| !is_foreign(path, old).unwrap_or(true);
        let old = old.filter(is_trusted);
        let mut file = self.begin(path, old.is_some())?;
        let filled = fill(file.as_mut()).and_then(|result| {
            file.as_mut().sync_all()?;
            Ok(result)
        });
        let mut unfinished = self.lock();
        let outcome = filled.and_then(move |result| {
            file.finish(path, old.as_ref())?;
            Ok(result)
        });
        *unfinished = None;
        outcome
    }

    /// A new file in the folder of `path`, for the owner alone if it will replace another.
    fn begin(&self, path: &Path, replaces: bool) -> io::Result<NewFile> {
        let mode = if replaces { PRIVATE } else { ORDINARY };
        #[cfg(target_os = "linux")]
        if let Some(file) = unnamed::create(folder(path), mode) {
            return Ok(NewFile::Unnamed(file));
        }
        let mut unfinished = self.lock();
        let mut builder = named();
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(mode));
        let file = builder.tempfile_in(folder(path))?;
        *unfinished = Some(file.path().to_owned());
        Ok(NewFile::Named(file))
    }
}

/// The mode of a file for the owner alone.
const PRIVATE: u32 = 0o600;

/// That of a file for everybody; the system takes away what the umask says.
const ORDINARY: u32 = 0o666;

/// A file that is gone if it is not finished.
#[derive(Debug)]
enum NewFile {
    /// Without a name: not even a killed program leaves it behind.
    #[cfg(target_os = "linux")]
    Unnamed(File),
    /// Where the system has no such files.
    Named(NamedTempFile),
}

impl AsMut<File> for NewFile {
    fn as_mut(&mut self) -> &mut File {
        match self {
            #[cfg(target_os = "linux")]
            NewFile::Unnamed(file) => file,
            NewFile::Named(file) => file.as_file_mut(),
        }
    }
}

impl NewFile {
    /// Gives it the name of `path`, and the owner and the mode of the old file of that name.
    fn finish(self, path: &Path, old: Option<&Metadata>) -> io::Result<()> {
        let (file, name) = match self {
            #[cfg(target_os = "linux")]
            NewFile::Unnamed(file) => {
                // A file can replace another only by its name.
                let link = |name: &Path| unnamed::link(&file, name);
                let name = named().make_in(folder(path), link)?.into_temp_path();
                (file, name)
            }
            NewFile::Named(file) => file.into_parts(),
        };
        #[cfg(unix)]
        if let Some(old) = old {
            replace_owner(&file, old);
        }
        #[cfg(not(unix))]
        let _ = (file, old);
        name.persist(path).map_err(|error| error.error)
    }
}

/// Gives a file the owner, where that is possible, and the mode of the one that it replaces.
#[cfg(unix)]
fn replace_owner(file: &File, old: &Metadata) {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};

    let mut mode = old.mode() & 0o777;
    let (owner, group) = (Some(old.uid()), Some(old.gid()));
    let is_given = fchown(file, owner, group).or_else(|_| fchown(file, None, group));
    if is_given.is_err() {
        // The file now has another group, which must not get more rights than everybody.
        let others = mode & 0o007;
        mode = mode & 0o707 | others << 3;
    }
    // On file systems without modes, nothing is lost.
    let _ = file.set_permissions(fs::Permissions::from_mode(mode));
}

fn named() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".cg-preprocess-").suffix(".tmp");
    builder
}

/// Files without a name, which get one when they are finished.
#[cfg(target_os = "linux")]
mod unnamed {
    use std::fs::File;
    use std::io;
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::PermissionsExt;
    use std::path::{Path, PathBuf};

    use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, open};

    /// Creates one in a folder; none where it could not be given a name, or would be open to
    /// everybody.
    pub fn create(folder: &Path, mode: u32) -> Option<File> {
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        let file = File::from(open(folder, flags, Mode::from_raw_mode(mode)).ok()?);
        // Linux before 6.0 does not always heed the umask here.
        let is_masked = file.metadata().ok()?.permissions().mode() & 0o777 != super::ORDINARY;
        (is_masked && path_of(&file).exists()).then_some(file)
    }

    /// Gives one a name.
    pub fn link(file: &File, name: &Path) -> io::Result<()> {
        let follow = AtFlags::SYMLINK_FOLLOW;
        Ok(linkat(CWD, path_of(file), CWD, name, follow)?)
    }

    fn path_of(file: &File) -> PathBuf {
        format!("/proc/self/fd/{}", file.as_raw_fd()).into()
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use super::*;

    #[test]
    fn what_replaces_a_file_is_for_the_owner_alone_until_it_is_finished() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = Unfinished::default()
            .begin(&folder.path().join("out"), true)
            .unwrap();
        let mode = file.as_mut().metadata().unwrap().mode();
        assert_eq!(mode & 0o777, PRIVATE);
    }
}
