//! Source files that may be shown: those in directories that the user named.
//!
//! A profile can name any file, and reports are passed around. So a file is read only if it is in
//! one of these directories after all links are followed, is not hidden, and is text.

use std::borrow::Cow;
use std::collections::BTreeSet;
#[cfg(all(not(unix), feature = "files"))]
use std::fs;
use std::fs::{File, Metadata};
use std::io::{self, Read};
#[cfg(all(unix, feature = "files"))]
use std::path::Component;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use thiserror::Error;

use super::source::plain;
use crate::display::text::printable_path;
use crate::maps::IndexMap;

/// The largest source file that is read, in bytes: 64 MiB. Only the requested lines are passed on.
pub const MAX_SOURCE_FILE: u64 = 64 << 20;

/// The most characters of a line that are shown.
const MAX_LINE_LENGTH: usize = 1_000;

/// Where to look for source files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SourceOptions {
    /// The directories whose files may be read.
    pub directories: Vec<PathBuf>,
    /// The path of the directories in the profile. It is stripped from the names of files before they
    /// are looked up in the directories.
    pub root: Option<Vec<u8>>,
}

/// A source file that was read.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct SourceFile {
    /// Whether it was changed after the profile was written, so that lines may have moved.
    pub is_newer: bool,
    /// Whether the text belongs to both sides of a comparison, because it was last changed before
    /// either profile was written.
    pub is_same_for_base: bool,
}

/// Numbers of source files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SourceCounts {
    /// Files that were read.
    pub found: u64,
    /// Files that exist, but must not be shown.
    pub refused: u64,
    /// Files that do not exist.
    pub missing: u64,
}

/// Why a source file is not shown; later reasons are those of files that came closer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Error)]
#[non_exhaustive]
pub enum NoSource {
    /// No directory is given.
    #[error("no directory of source files is given")]
    NoDirectory,
    /// There is no such file.
    #[error("there is no such file")]
    NotFound,
    /// It is outside the directories.
    #[error("it is outside the directories of --source")]
    Outside,
    /// Its name, or that of a directory in its path, begins with a dot.
    #[error("a name in its path below the directory of --source begins with a dot")]
    Hidden,
    /// It is a directory, a pipe or a device.
    #[error("it is not a regular file")]
    NotRegular,
    /// It has more than [`MAX_SOURCE_FILE`] bytes.
    #[error("it is larger than 64 MiB")]
    TooLarge,
    /// It is not UTF-8, or has a NUL in it.
    #[error("it is not UTF-8 text")]
    NotText,
    /// It changed while it was read.
    #[error("it changed while it was read")]
    Changed,
    /// The system does not allow reading it.
    #[error("it cannot be read")]
    Unreadable,
}

/// Reads the source files of a profile, as far as [`SourceOptions`] allow it.
///
/// A file is looked up by its own name, then in each directory after stripping
/// [`root`](SourceOptions::root) from its name. It is read if, after all links, it is a regular
/// file in one of the directories, no name in its path from there begins with a dot, and it is UTF-8
/// text of at most 64 MiB without NUL. Pipes and devices are never read, even if they replace a
/// file meanwhile.
#[derive(Debug, Default)]
pub struct SourceFiles {
    directories: Vec<Directory>,
    root: Option<Vec<u8>>,
    profile_time: Option<SystemTime>,
    base_time: Option<SystemTime>,
    /// The requested files in their order, each with its first result.
    files: IndexMap<Vec<u8>, Result<SourceFile, NoSource>>,
}

/// A directory whose files may be read.
#[derive(Debug)]
struct Directory {
    /// Its path without links.
    path: PathBuf,
    /// Kept open, so that nobody can replace it.
    #[cfg(unix)]
    file: File,
}

#[cfg(feature = "files")]
impl Directory {
    fn open(path: &Path) -> io::Result<Self> {
        let path = path.canonicalize()?;
        if !path.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(Directory {
            #[cfg(unix)]
            file: File::open(&path)?,
            path,
        })
    }
}

impl SourceFiles {
    /// Opens the directories, with the feature `files`. Files that were changed after `profile_time`, when the profile was
    /// written, are [newer](SourceFile::is_newer).
    ///
    /// # Errors
    ///
    /// When a directory cannot be opened.
    #[cfg(feature = "files")]
    pub fn open(options: &SourceOptions, profile_time: Option<SystemTime>) -> io::Result<Self> {
        let open = |path: &PathBuf| {
            Directory::open(path).map_err(|error| {
                let directory = printable_path(path);
                let what = "cannot be opened as a directory of source files";
                let error = plain(error);
                io::Error::new(error.kind(), format!("{directory}: {what}: {error}"))
            })
        };
        let without_end = |root: &Vec<u8>| root.strip_suffix(b"/").unwrap_or(root).to_vec();
        Ok(SourceFiles {
            directories: options
                .directories
                .iter()
                .map(open)
                .collect::<Result<_, _>>()?,
            root: options.root.as_ref().map(without_end),
            profile_time,
            ..SourceFiles::default()
        })
    }

    /// Sets the time when the base of a comparison was written.
    pub fn set_base_time(&mut self, time: Option<SystemTime>) {
        self.base_time = time;
    }

    /// Whether there are no directories, and so no files.
    pub fn is_empty(&self) -> bool {
        self.directories.is_empty()
    }

    /// The number of requested files for each result.
    pub fn counts(&self) -> SourceCounts {
        let mut counts = SourceCounts::default();
        for file in self.files.values() {
            match file {
                Ok(_) => counts.found += 1,
                Err(NoSource::NotFound) => counts.missing += 1,
                Err(_) => counts.refused += 1,
            }
        }
        counts
    }

    /// The names of the found files that are newer than the profile, in the order of requests.
    pub fn newer(&self) -> impl Iterator<Item = &[u8]> {
        let is_newer = |file: &Result<SourceFile, _>| file.is_ok_and(|file| file.is_newer);
        let newer = self.files.iter().filter(move |(_, file)| is_newer(file));
        newer.map(|(name, _)| name.as_slice())
    }

    /// If no file was found: the first requested one, and why it is not shown.
    pub fn first_missing(&self) -> Option<(&[u8], NoSource)> {
        let (name, file) = self.files.first()?;
        let reason = file.err().filter(|_| self.counts().found == 0)?;
        Some((name, reason))
    }

    /// Reads the file that has this name in the profile, and passes the requested lines to `keep`
    /// in their order, with their numbers from 1 and without line ends. A long line is cut and ends
    /// with `…`.
    ///
    /// # Errors
    ///
    /// When it is not found, or must not be shown. No line is passed on then.
    pub fn read(
        &mut self,
        name: &[u8],
        wanted: &BTreeSet<u64>,
        keep: impl FnMut(u64, &str),
    ) -> Result<SourceFile, NoSource> {
        if self.is_empty() {
            return Err(NoSource::NoDirectory);
        }
        // Profilers write these where there is no file.
        if matches!(name, b"" | b"???") || name.starts_with(b"php:") {
            return Err(NoSource::NotFound);
        }
        let outcome = self
            .find(name)
            .and_then(|file| self.read_file(&file, wanted, keep));
        // A file that was found once counts as found.
        self.files.entry(name.to_vec()).or_insert(outcome);
        outcome
    }

    fn read_file(
        &self,
        file: &File,
        wanted: &BTreeSet<u64>,
        mut keep: impl FnMut(u64, &str),
    ) -> Result<SourceFile, NoSource> {
        let state = || -> Result<(u64, Option<SystemTime>), NoSource> {
            let metadata = file.metadata().map_err(|_| NoSource::Unreadable)?;
            Ok((metadata.len(), metadata.modified().ok()))
        };
        let (length, modified) = state()?;
        if length > MAX_SOURCE_FILE {
            return Err(NoSource::TooLarge);
        }
        let mut bytes = Vec::new();
        file.take(length + 1)
            .read_to_end(&mut bytes)
            .map_err(|_| NoSource::Unreadable)?;
        if bytes.len() as u64 != length || state()? != (length, modified) {
            return Err(NoSource::Changed);
        }
        let text = String::from_utf8(bytes).map_err(|_| NoSource::NotText)?;
        if text.contains('\0') {
            return Err(NoSource::NotText);
        }
        let mut wanted = wanted.range(1..).peekable();
        for (number, line) in (1..).zip(text.split_inclusive('\n')) {
            if wanted.next_if(|&&wanted| wanted == number).is_some() {
                keep(number, &shown(line));
            } else if wanted.peek().is_none() {
                break;
            }
        }
        let is_later = |time: Option<SystemTime>| Some(modified? > time?);
        let is_newer = is_later(self.profile_time).unwrap_or(false);
        Ok(SourceFile {
            is_newer,
            is_same_for_base: is_later(self.base_time) == Some(false) && !is_newer,
        })
    }

    /// Looks for a file everywhere. If it is not shown, the reason is that of the place where it came
    /// closest.
    fn find(&self, name: &[u8]) -> Result<File, NoSource> {
        let mut reason = NoSource::NotFound;
        let own = path_of(name).ok_or(NoSource::NotFound)?;
        let below = path_of(self.below_root(name)).filter(|below| below.is_relative());
        let in_directories = self
            .directories
            .iter()
            .filter_map(|directory| Some(directory.path.join(below?)));
        for path in std::iter::once(own.to_owned()).chain(in_directories) {
            match self.open_path(&path) {
                Ok(file) => return Ok(file),
                Err(other) => reason = reason.max(other),
            }
        }
        Err(reason)
    }

    /// A name without the root; the whole name of a file that is not below the root.
    fn below_root<'a>(&self, name: &'a [u8]) -> &'a [u8] {
        let below = |root: &Vec<u8>| name.strip_prefix(root.as_slice())?.strip_prefix(b"/");
        self.root.as_ref().and_then(below).unwrap_or(name)
    }

    fn open_path(&self, path: &Path) -> Result<File, NoSource> {
        let path = path.canonicalize().map_err(|error| match error.kind() {
            io::ErrorKind::PermissionDenied => NoSource::Unreadable,
            _ => NoSource::NotFound,
        })?;
        let mut inside = self.directories.iter().filter_map(|directory| {
            let below = path.strip_prefix(&directory.path).ok()?;
            Some((directory, below))
        });
        // If directories contain each other, any in which the file is not hidden will do.
        let (directory, below) =
            inside
                .clone()
                .find(|(_, below)| !is_hidden(below))
                .ok_or(match inside.next() {
                    Some(_) => NoSource::Hidden,
                    None => NoSource::Outside,
                })?;
        open_regular(directory, below)
    }
}

/// Whether a name in the path begins with a dot.
fn is_hidden(below: &Path) -> bool {
    below
        .components()
        .any(|name| name.as_os_str().as_encoded_bytes().starts_with(b"."))
}

/// A line without its line end, cut to the allowed length.
fn shown(line: &str) -> Cow<'_, str> {
    let whole = line.strip_suffix('\n').unwrap_or(line);
    let line = whole.strip_suffix('\r').unwrap_or(whole);
    match line.char_indices().nth(MAX_LINE_LENGTH) {
        Some((end, _)) => Cow::Owned(format!("{}…", &line[..end])),
        None => Cow::Borrowed(line),
    }
}

#[cfg(feature = "files")]
fn check_regular(metadata: &Metadata) -> Result<(), NoSource> {
    if metadata.is_file() {
        Ok(())
    } else {
        Err(NoSource::NotRegular)
    }
}

/// Opens a regular file below a directory without following links: the path has none, unless somebody
/// has just created one.
#[cfg(all(unix, feature = "files"))]
fn open_regular(directory: &Directory, below: &Path) -> Result<File, NoSource> {
    use rustix::fs::AtFlags;
    use rustix::fs::{FileType, Mode, OFlags, openat, statat};

    // A pipe that was just created there must not wait for its writer.
    let flags =
        OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let mut names = below.components().peekable();
    let mut parent = directory
        .file
        .try_clone()
        .map_err(|_| NoSource::Unreadable)?;
    while let Some(name) = names.next() {
        let Component::Normal(name) = name else {
            return Err(NoSource::Changed);
        };
        if names.peek().is_none() {
            let found =
                statat(&parent, name, AtFlags::SYMLINK_NOFOLLOW).map_err(|_| NoSource::Changed)?;
            if FileType::from_raw_mode(found.st_mode) != FileType::RegularFile {
                return Err(NoSource::NotRegular);
            }
            let file = File::from(openat(&parent, name, flags, Mode::empty()).map_err(reason)?);
            check_regular(&file.metadata().map_err(|_| NoSource::Unreadable)?)?;
            return Ok(file);
        }
        let directory = openat(&parent, name, flags | OFlags::DIRECTORY, Mode::empty());
        parent = File::from(directory.map_err(reason)?);
    }
    // The directory itself.
    Err(NoSource::NotRegular)
}

#[cfg(all(unix, feature = "files"))]
fn reason(error: rustix::io::Errno) -> NoSource {
    match error {
        rustix::io::Errno::ACCESS | rustix::io::Errno::PERM => NoSource::Unreadable,
        _ => NoSource::Changed,
    }
}

/// Nothing opens a directory.
#[cfg(not(feature = "files"))]
fn open_regular(_: &Directory, _: &Path) -> Result<File, NoSource> {
    Err(NoSource::NoDirectory)
}

#[cfg(all(not(unix), feature = "files"))]
fn open_regular(directory: &Directory, below: &Path) -> Result<File, NoSource> {
    let path = directory.path.join(below);
    let metadata = fs::symlink_metadata(&path).map_err(|_| NoSource::Changed)?;
    check_regular(&metadata)?;
    let file = File::open(&path).map_err(|_| NoSource::Unreadable)?;
    check_regular(&file.metadata().map_err(|_| NoSource::Unreadable)?)?;
    Ok(file)
}

/// The path that a name in bytes stands for; `None` if the system has no such path.
#[cfg(unix)]
pub fn path_of(name: &[u8]) -> Option<&Path> {
    use std::os::unix::ffi::OsStrExt;
    let path = Path::new(std::ffi::OsStr::from_bytes(name));
    (!name.is_empty() && !name.contains(&0)).then_some(path)
}

/// The path that a name in bytes stands for; `None` if the system has no such path.
#[cfg(not(unix))]
pub fn path_of(name: &[u8]) -> Option<&Path> {
    let name = std::str::from_utf8(name).ok()?;
    (!name.is_empty() && !name.contains('\0')).then_some(Path::new(name))
}
