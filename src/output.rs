//! Outputs: a file that appears whole or not at all, or a stream.

mod behind;

use std::fmt;
use std::fs::{self, File, Metadata};
use std::io::{self, BufWriter, IsTerminal, Seek, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::file_id::FileId;
use crate::temporary::Temporary;
use crate::text::printable_path;
use behind::Behind;

/// Size of the buffer between a writer and the system.
const BUFFER: usize = 64 << 10;

/// How many links a path may lead through.
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
    /// Whether somebody would see the bytes on a screen.
    pub fn is_terminal(&self) -> bool {
        match self {
            Target::Stdout => io::stdout().is_terminal(),
            Target::File(path) => {
                path.metadata().is_ok_and(|metadata| is_device(&metadata))
                    && File::open(path).is_ok_and(|file| file.is_terminal())
            }
        }
    }

    /// Finds out, as far as that can be known without writing, whether it can be written.
    pub(crate) fn check(&self) -> io::Result<Place> {
        let path = match self {
            Target::Stdout => return Ok(Place::Stream(self.clone())),
            Target::File(path) => path,
        };
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(metadata) if !metadata.is_file() => return Ok(Place::Stream(self.clone())),
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let path = behind_links(path)?;
        if path.file_name().is_none() || ends_with_separator(&path) {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        try_folder(folder(&path))?;
        Ok(Place::File(path))
    }
}

/// Whether it is a device that can be opened to look at, unlike a pipe, which would wait.
fn is_device(metadata: &Metadata) -> bool {
    #[cfg(unix)]
    return std::os::unix::fs::FileTypeExt::is_char_device(&metadata.file_type());
    #[cfg(not(unix))]
    return !metadata.is_file() && !metadata.is_dir();
}

/// An output that seems fit to be written.
#[derive(Debug)]
pub(crate) enum Place {
    /// A regular file, here or not, behind all links; its folder can be written.
    File(PathBuf),
    /// What takes bytes as they come: standard output, a pipe, a device.
    Stream(Target),
}

/// What binary formats are written to.
pub(crate) trait WriteSeek: Write + Seek {}
impl<T: Write + Seek> WriteSeek for T {}

/// A writer that seeks, behind a buffer.
pub(crate) type Seeking<'a> = BufWriter<&'a mut dyn WriteSeek>;

/// A writer that need not seek, behind a buffer.
pub(crate) type Streaming<'a> = BufWriter<&'a mut dyn Write>;

impl Place {
    /// Which file there is at present, if it is a regular one.
    pub fn id(&self) -> Option<FileId> {
        match self {
            Place::File(path) => FileId::new(&path.metadata().ok()?, Some(path)),
            Place::Stream(Target::Stdout) => FileId::new(&stdout_metadata().ok()?, None),
            Place::Stream(Target::File(_)) => None,
        }
    }

    /// Whether bytes once written are out of our hands.
    pub fn is_stream(&self) -> bool {
        matches!(self, Place::Stream(_))
    }

    /// Writes with `fill`, which may seek; nothing appears unless it succeeds.
    pub fn write_seeking<T, E: From<io::Error>>(
        &self,
        fill: impl FnOnce(&mut Seeking<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        match self {
            Place::File(path) => replace(path, |file| buffered(&mut Behind::new(file), fill)),
            Place::Stream(target) => {
                let mut spool = Temporary::new();
                let result = buffered(&mut spool, fill)?;
                spool.rewind()?;
                let mut stream = BufWriter::with_capacity(BUFFER, open(target)?);
                io::copy(&mut spool, &mut stream)?;
                stream.flush()?;
                Ok(result)
            }
        }
    }

    /// Writes with `fill` from beginning to end; in a file nothing appears unless it succeeds.
    pub fn write_streaming<T, E: From<io::Error>>(
        &self,
        fill: impl FnOnce(&mut Streaming<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let write = |output: &mut dyn Write| {
            let mut buffer = BufWriter::with_capacity(BUFFER, output);
            let result = fill(&mut buffer)?;
            buffer.flush()?;
            Ok(result)
        };
        match self {
            Place::File(path) => replace(path, |file| write(file)),
            Place::Stream(target) => write(&mut *open(target)?),
        }
    }
}

fn buffered<T, E: From<io::Error>>(
    output: &mut dyn WriteSeek,
    fill: impl FnOnce(&mut Seeking<'_>) -> Result<T, E>,
) -> Result<T, E> {
    let mut buffer = BufWriter::with_capacity(BUFFER, output);
    let result = fill(&mut buffer)?;
    buffer.flush()?;
    Ok(result)
}

fn open(stream: &Target) -> io::Result<Box<dyn Write>> {
    Ok(match stream {
        Target::Stdout => Box::new(io::stdout().lock()),
        Target::File(path) => Box::new(File::options().write(true).open(path)?),
    })
}

fn stdout_metadata() -> io::Result<Metadata> {
    #[cfg(unix)]
    let handle = std::os::fd::AsFd::as_fd(&io::stdout()).try_clone_to_owned()?;
    #[cfg(windows)]
    let handle = std::os::windows::io::AsHandle::as_handle(&io::stdout()).try_clone_to_owned()?;
    File::from(handle).metadata()
}

/// Where the links lead that a path may name, there or not.
fn behind_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_symlink() => {
                path = folder(&path).join(fs::read_link(&path)?);
            }
            _ => return Ok(path),
        }
    }
    Err(io::Error::other("too many links"))
}

/// Finds out whether files can be created in a folder.
fn try_folder(folder: &Path) -> io::Result<()> {
    // A file without a name, which is gone as soon as it is closed.
    match tempfile::tempfile_in(folder) {
        Ok(_) => Ok(()),
        Err(error) => Err(io::Error::new(
            error.kind(),
            format!(
                "no file can be created in {}: {error}",
                printable_path(folder)
            ),
        )),
    }
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

/// Writes beside `path`, then renames over it.
///
/// The file gets the permissions of any new file, and is on the disk before it gets its name.
fn replace<T, E: From<io::Error>>(
    path: &Path,
    fill: impl FnOnce(&mut File) -> Result<T, E>,
) -> Result<T, E> {
    let mut file = beside(path)?;
    let result = fill(file.as_file_mut())?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(result)
}

/// A new file in the folder of `path`, removed when it is dropped.
fn beside(path: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".cg-preprocess-").suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The system takes away what the umask says.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder(path))
}
