//! Source files that may be shown: those in folders that the user has named.
//!
//! A profile can name any file, and reports are passed around. So no file is read unless it is in
//! such a folder after all links have been followed, and even there only text that is not hidden.

#[cfg(not(unix))]
use std::fs;
use std::fs::{File, Metadata};
use std::io::{self, Read};
#[cfg(unix)]
use std::path::Component;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use thiserror::Error;

use crate::display::text::printable_path;
use crate::maps::HashMap;

/// The size of the largest source file that is read, in bytes: 2 MiB.
pub const MAX_SOURCE_FILE: u64 = 2 << 20;

/// How many bytes of source files are kept in memory, in case they are asked for again.
const MAX_CACHED: usize = 64 << 20;

/// Where source files may be looked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SourceOptions {
    /// The folders whose files may be read. If there are none, nothing is.
    pub folders: Vec<PathBuf>,
    /// What the folders are called in the profile: a path that is cut off the names of files before
    /// they are looked for in the folders.
    pub root: Option<Vec<u8>>,
}

/// A source file that was read.
#[derive(Debug)]
pub struct SourceFile {
    text: String,
    /// Where lines begin.
    starts: Vec<usize>,
    is_newer: bool,
    was_there_for_base: bool,
}

impl SourceFile {
    fn new(text: String, is_newer: bool, was_there_for_base: bool) -> Self {
        let after = memchr::memchr_iter(b'\n', text.as_bytes()).map(|end| end + 1);
        let starts = std::iter::once(0).chain(after);
        let starts = starts.filter(|&start| start < text.len()).collect();
        SourceFile {
            text,
            starts,
            is_newer,
            was_there_for_base,
        }
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// A line without its end. The first one has the number 1.
    pub fn line(&self, number: u64) -> Option<&str> {
        let index = usize::try_from(number).ok()?.checked_sub(1)?;
        let start = *self.starts.get(index)?;
        let end = self.starts.get(index + 1).copied();
        let line = &self.text[start..end.unwrap_or(self.text.len())];
        let line = line.strip_suffix('\n').unwrap_or(line);
        Some(line.strip_suffix('\r').unwrap_or(line))
    }

    /// Whether it was changed after the profile was written, so that lines may not be those that
    /// were measured.
    pub fn is_newer(&self) -> bool {
        self.is_newer
    }

    /// Whether both sides of a comparison were measured with this text: it was changed before the
    /// profile and before its base were written.
    pub fn is_same_for_base(&self) -> bool {
        self.was_there_for_base && !self.is_newer
    }
}

/// Why a source file is not shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NoSource {
    /// No folder was named.
    #[error("no folder of source files is named")]
    NoFolder,
    /// There is no such file.
    #[error("there is no such file")]
    NotFound,
    /// It is outside of the folders.
    #[error("it is outside of the folders of --source")]
    Outside,
    /// Its name, or that of a folder on the way to it, begins with a dot.
    #[error("its path below the folder of --source has a name that begins with a dot")]
    Hidden,
    /// It is a folder, a pipe or a device.
    #[error("it is not a regular file")]
    NotRegular,
    /// It has more than [`MAX_SOURCE_FILE`] bytes.
    #[error("it is larger than 2 MiB")]
    TooLarge,
    /// It is not UTF-8, or has a NUL in it.
    #[error("it is not UTF-8 text")]
    NotText,
    /// It was changed while it was read.
    #[error("it was changed while it was read")]
    Changed,
    /// The system does not let it be read.
    #[error("it cannot be read")]
    Unreadable,
}

/// A folder of source files cannot be opened.
#[derive(Debug, Error)]
#[error("{folder}: cannot be opened as a folder of source files")]
pub struct SourceFolderError {
    folder: String,
    source: io::Error,
}

/// Reads source files that a profile names, as far as [`SourceOptions`] allow it.
///
/// A file is looked for under its own name, and in each folder, with
/// [`root`](SourceOptions::root) cut off its name. It is read if, after all links, it is a regular
/// file in one of the folders, no name on the way from there begins with a dot, and it is UTF-8
/// text without NUL of at most 2 MiB. Pipes and devices are never read, also if they are put in place
/// of a file meanwhile.
#[derive(Debug, Default)]
pub struct SourceFiles {
    folders: Vec<Folder>,
    root: Option<Vec<u8>>,
    profile_time: Option<SystemTime>,
    base_time: Option<SystemTime>,
    files: HashMap<Vec<u8>, Outcome>,
    /// Bytes of the files that are kept.
    cached: usize,
    found: u64,
    /// The names of files that are newer than the profile.
    newer: Vec<Vec<u8>>,
}

/// What came of looking for a file.
#[derive(Debug)]
enum Outcome {
    Read(Arc<SourceFile>),
    /// It was read, and can be read again.
    Forgotten,
    Refused(NoSource),
}

/// A folder whose files may be read.
#[derive(Debug)]
struct Folder {
    /// Its path without links.
    path: PathBuf,
    /// Held open, so that nobody can put another one in its place.
    #[cfg(unix)]
    file: File,
}

impl Folder {
    fn open(path: &Path) -> io::Result<Self> {
        let path = path.canonicalize()?;
        if !path.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(Folder {
            #[cfg(unix)]
            file: File::open(&path)?,
            path,
        })
    }
}

impl SourceFiles {
    /// Opens the folders. Files that were changed after `profile_time`, when the profile was
    /// written, are [newer](SourceFile::is_newer).
    ///
    /// # Errors
    ///
    /// When a folder cannot be opened.
    pub fn open(
        options: &SourceOptions,
        profile_time: Option<SystemTime>,
    ) -> Result<Self, SourceFolderError> {
        let open = |path: &PathBuf| {
            Folder::open(path).map_err(|source| SourceFolderError {
                folder: printable_path(path),
                source,
            })
        };
        let folders = options.folders.iter().map(open);
        let root = options.root.as_deref();
        let root = root.map(|root| root.strip_suffix(b"/").unwrap_or(root).to_vec());
        Ok(SourceFiles {
            folders: folders.collect::<Result<_, _>>()?,
            root,
            profile_time,
            ..SourceFiles::default()
        })
    }

    /// Sets when the base of a comparison was written.
    pub fn set_base_time(&mut self, time: Option<SystemTime>) {
        self.base_time = time;
    }

    /// Whether no folder is named, so that there are no files.
    pub fn is_empty(&self) -> bool {
        self.folders.is_empty()
    }

    /// How many files were asked for and found.
    pub fn found(&self) -> u64 {
        self.found
    }

    /// How many files were asked for and not found, or refused.
    pub fn missing(&self) -> u64 {
        self.files.len() as u64 - self.found
    }

    /// The names of the files that were found and are newer than the profile, in the order in which
    /// they were asked for.
    pub fn newer(&self) -> &[Vec<u8>] {
        &self.newer
    }

    /// Reads the file that has this name in the profile.
    ///
    /// # Errors
    ///
    /// When it is not found, or not to be shown.
    pub fn read(&mut self, name: &[u8]) -> Result<Arc<SourceFile>, NoSource> {
        if self.is_empty() {
            return Err(NoSource::NoFolder);
        }
        match self.files.get(name) {
            Some(Outcome::Read(file)) => return Ok(Arc::clone(file)),
            Some(&Outcome::Refused(reason)) => return Err(reason),
            Some(Outcome::Forgotten) | None => {}
        }
        let is_first = !self.files.contains_key(name);
        let file = self.find(name).map(Arc::new);
        match &file {
            Ok(file) => {
                if is_first {
                    self.found += 1;
                    self.newer.extend(file.is_newer.then(|| name.to_vec()));
                }
                self.make_room(file.text.len());
                self.cached += file.text.len();
                self.files
                    .insert(name.to_vec(), Outcome::Read(Arc::clone(file)));
            }
            Err(reason) if is_first => {
                self.files.insert(name.to_vec(), Outcome::Refused(*reason));
            }
            // It was there before, and counts as found.
            Err(_) => {}
        }
        file
    }

    /// Forgets the texts of files, if they are too many together with another one.
    fn make_room(&mut self, size: usize) {
        if self.cached + size > MAX_CACHED {
            for outcome in self.files.values_mut() {
                if matches!(outcome, Outcome::Read(_)) {
                    *outcome = Outcome::Forgotten;
                }
            }
            self.cached = 0;
        }
    }

    /// Looks for a file in all places. The reason why it is not shown is that of the first place
    /// where it is, inside of a folder if there is such a place.
    fn find(&self, name: &[u8]) -> Result<SourceFile, NoSource> {
        let mut reason = NoSource::NotFound;
        let own = path_of(name).ok_or(NoSource::NotFound)?;
        let below = path_of(self.below_root(name)).filter(|below| below.is_relative());
        let in_folders = self.folders.iter().map(|folder| &folder.path);
        let in_folders = in_folders.filter_map(|folder| Some(folder.join(below?)));
        for path in std::iter::once(own.to_owned()).chain(in_folders) {
            match self.read_path(&path) {
                Ok(file) => return Ok(file),
                Err(NoSource::NotFound) => {}
                Err(other) if matches!(reason, NoSource::NotFound | NoSource::Outside) => {
                    reason = other;
                }
                Err(_) => {}
            }
        }
        Err(reason)
    }

    /// A name from the root on; the whole name of a file that is not below the root.
    fn below_root<'a>(&self, name: &'a [u8]) -> &'a [u8] {
        let below = |root: &Vec<u8>| name.strip_prefix(root.as_slice())?.strip_prefix(b"/");
        self.root.as_ref().and_then(below).unwrap_or(name)
    }

    fn read_path(&self, path: &Path) -> Result<SourceFile, NoSource> {
        let path = path.canonicalize().map_err(|error| match error.kind() {
            io::ErrorKind::PermissionDenied => NoSource::Unreadable,
            _ => NoSource::NotFound,
        })?;
        let mut inside = self.folders.iter().filter_map(|folder| {
            let below = path.strip_prefix(&folder.path).ok()?;
            Some((folder, below))
        });
        // Of folders in each other, any will do in which the file is not hidden.
        let (folder, below) =
            inside
                .clone()
                .find(|(_, below)| !is_hidden(below))
                .ok_or(match inside.next() {
                    Some(_) => NoSource::Hidden,
                    None => NoSource::Outside,
                })?;
        let file = open_regular(folder, below)?;
        let (text, modified) = read_text(file)?;
        let is_newer = modified.zip(self.profile_time);
        let is_newer = is_newer.is_some_and(|(file, profile)| file > profile);
        let of_base = modified.zip(self.base_time);
        let was_there_for_base = of_base.is_some_and(|(file, base)| file <= base);
        Ok(SourceFile::new(text, is_newer, was_there_for_base))
    }
}

/// Whether a name on the way begins with a dot.
fn is_hidden(below: &Path) -> bool {
    below
        .components()
        .any(|name| name.as_os_str().as_encoded_bytes().starts_with(b"."))
}

fn read_text(file: File) -> Result<(String, Option<SystemTime>), NoSource> {
    let state = |file: &File| -> Result<(u64, Option<SystemTime>), NoSource> {
        let metadata = file.metadata().map_err(|_| NoSource::Unreadable)?;
        Ok((metadata.len(), metadata.modified().ok()))
    };
    let before = state(&file)?;
    if before.0 > MAX_SOURCE_FILE {
        return Err(NoSource::TooLarge);
    }
    let mut bytes = Vec::new();
    let mut beginning = (&file).take(MAX_SOURCE_FILE + 1);
    let read = beginning.read_to_end(&mut bytes);
    read.map_err(|_| NoSource::Unreadable)?;
    if bytes.len() as u64 != before.0 || state(&file)? != before {
        return Err(NoSource::Changed);
    }
    match String::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => Ok((text, before.1)),
        _ => Err(NoSource::NotText),
    }
}

fn check_regular(metadata: &Metadata) -> Result<(), NoSource> {
    match metadata.is_file() {
        true => Ok(()),
        false => Err(NoSource::NotRegular),
    }
}

/// Opens a regular file below a folder without following any link: the path has none, unless
/// somebody has just put one there.
#[cfg(unix)]
fn open_regular(folder: &Folder, below: &Path) -> Result<File, NoSource> {
    use rustix::fs::AtFlags;
    use rustix::fs::{FileType, Mode, OFlags, openat, statat};

    // A pipe that has just been put there must not wait for its writer.
    let flags =
        OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let mut names = below.components().peekable();
    let mut parent = folder.file.try_clone().map_err(|_| NoSource::Unreadable)?;
    while let Some(name) = names.next() {
        let Component::Normal(name) = name else {
            return Err(NoSource::Changed);
        };
        if names.peek().is_none() {
            let found = statat(&parent, name, AtFlags::SYMLINK_NOFOLLOW);
            let found = found.map_err(|_| NoSource::Changed)?;
            if FileType::from_raw_mode(found.st_mode) != FileType::RegularFile {
                return Err(NoSource::NotRegular);
            }
            let file = openat(&parent, name, flags, Mode::empty()).map_err(reason)?;
            let file = File::from(file);
            check_regular(&file.metadata().map_err(|_| NoSource::Unreadable)?)?;
            return Ok(file);
        }
        let folder = openat(&parent, name, flags | OFlags::DIRECTORY, Mode::empty());
        parent = File::from(folder.map_err(reason)?);
    }
    // The folder itself.
    Err(NoSource::NotRegular)
}

#[cfg(unix)]
fn reason(error: rustix::io::Errno) -> NoSource {
    match error {
        rustix::io::Errno::ACCESS | rustix::io::Errno::PERM => NoSource::Unreadable,
        _ => NoSource::Changed,
    }
}

#[cfg(not(unix))]
fn open_regular(folder: &Folder, below: &Path) -> Result<File, NoSource> {
    let path = folder.path.join(below);
    let metadata = fs::symlink_metadata(&path).map_err(|_| NoSource::Changed)?;
    check_regular(&metadata)?;
    let file = File::open(&path).map_err(|_| NoSource::Unreadable)?;
    check_regular(&file.metadata().map_err(|_| NoSource::Unreadable)?)?;
    Ok(file)
}

#[cfg(unix)]
fn path_of(name: &[u8]) -> Option<&Path> {
    use std::os::unix::ffi::OsStrExt;
    let path = Path::new(std::ffi::OsStr::from_bytes(name));
    (!name.is_empty() && !name.contains(&0)).then_some(path)
}

#[cfg(not(unix))]
fn path_of(name: &[u8]) -> Option<&Path> {
    let name = std::str::from_utf8(name).ok()?;
    (!name.is_empty() && !name.contains('\0')).then_some(Path::new(name))
}
