//! Inputs: where bytes come from, and what they contain.
//!
//! Inputs are recognised by their first bytes, never by their names: callgrind text, the same
//! compressed with gzip or zstd, or a webgrind file. Files that people mistake for profiles are
//! recognised, too, so that messages can give advice. Compressed inputs are decompressed on a
//! separate thread.

use std::fs::{self, File, Metadata};
use std::io::{self, BufRead, BufReader, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};
use std::{env, fmt};

use super::content::{Content, Cut, fill, recognise};
use super::identity::{self, FileIdentity};
use super::progress::{Progress, ProgressReader};
use crate::display::text::printable_path;

/// The number of bytes read at a time: few enough for a core's cache, and not a multiple of a page. With
/// multiples, the system always copies between equal offsets of pages, and some processors are
/// four times slower if the target is just after the source.
pub(crate) const BUFFER: usize = (128 << 10) - 320;

/// The same for small files, because a buffer is filled with zeros first.
const SMALL_BUFFER: usize = (4 << 10) - 320;

/// The most bytes that are decompressed only to find corrupt data, which takes a fraction of a
/// second.
const MAX_CHECKED: u64 = 256 << 20;

/// One byte more than 32-bit addresses can reach. The reader of webgrind files refuses inputs of
/// that size, so the rest need not be copied.
const MAX_COPIED: u64 = 1 << 32;

/// A copy. With more than 8 MiB, it goes to a file without a name in the system's directory for temporary
/// files.
#[cfg(feature = "files")]
type Copy = tempfile::SpooledTempFile;

/// A copy. Without the feature `files`, it stays in memory.
#[cfg(not(feature = "files"))]
type Copy = std::io::Cursor<Vec<u8>>;

fn empty_copy() -> Copy {
    #[cfg(feature = "files")]
    return Copy::new(8 << 20);
    #[cfg(not(feature = "files"))]
    return Copy::default();
}

/// An input that can be read in any order, as webgrind files are.
pub(crate) trait ReadSeek: Read + Seek {}
impl<T: Read + Seek> ReadSeek for T {}

/// An error of the system in plain words, without its number.
pub fn plain(error: io::Error) -> io::Error {
    let Some(number) = error.raw_os_error() else {
        return error;
    };
    let text = match error.kind() {
        io::ErrorKind::NotFound => "no such file or directory".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::IsADirectory => "is a directory".to_owned(),
        io::ErrorKind::NotADirectory => "not a directory".to_owned(),
        _ => {
            let text = error.to_string();
            let suffix = format!(" (os error {number})");
            text.strip_suffix(&suffix).unwrap_or(&text).to_owned()
        }
    };
    io::Error::new(error.kind(), text)
}

/// Where an input comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// Standard input.
    Stdin,
    /// A file.
    File(PathBuf),
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Stdin => f.write_str("standard input"),
            Source::File(path) => printable_path(path).fmt(f),
        }
    }
}

impl Source {
    /// The path of a file.
    pub(crate) fn path(&self) -> Option<&Path> {
        match self {
            Source::Stdin => None,
            Source::File(path) => Some(path),
        }
    }

    /// Finds it without opening it: a pipe would wait for its writer, and there may be more files
    /// than can be open.
    pub(crate) fn find(&self) -> io::Result<ResolvedSource<'_>> {
        let (metadata, identity) = match self {
            Source::Stdin => {
                let stdin = identity::stream(&io::stdin())?;
                let metadata = match stdin.metadata() {
                    // On Windows, a pipe has no metadata.
                    Err(_) if cfg!(windows) => None,
                    metadata => Some(metadata?),
                };
                (metadata, FileIdentity::of_file(&stdin))
            }
            Source::File(path) => {
                let metadata = fs::metadata(path)?;
                let identity = FileIdentity::of_path(path, &metadata);
                (Some(metadata), identity)
            }
        };
        if metadata.as_ref().is_some_and(Metadata::is_dir) {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        let regular = metadata.filter(Metadata::is_file);
        Ok(ResolvedSource {
            source: self,
            length: regular.as_ref().map(Metadata::len),
            identity,
            modified: regular.and_then(|metadata| metadata.modified().ok()),
        })
    }
}

/// The seconds since 1970 in a name: ten digits, which no process has, of a time since 2001.
fn time_in(name: &[u8]) -> Option<u64> {
    let numbers = name.split(|byte| !byte.is_ascii_digit());
    let mut seconds = numbers.filter(|digits| digits.len() == 10 && digits[0] == b'1');
    str::from_utf8(seconds.next()?).ok()?.parse().ok()
}

/// A source as found before anything was read.
#[derive(Clone, Debug)]
pub(crate) struct ResolvedSource<'a> {
    pub source: &'a Source,
    /// Its size, if it is a regular file.
    pub length: Option<u64>,
    /// Its identity, if it is a regular file.
    pub identity: Option<FileIdentity>,
    /// Its modification time, if it is a regular file and the system provides one.
    pub modified: Option<SystemTime>,
}

impl<'a> ResolvedSource<'a> {
    /// A source of which nothing is known.
    pub fn unknown(source: &'a Source) -> Self {
        ResolvedSource {
            source,
            length: None,
            identity: None,
            modified: None,
        }
    }

    /// When it was recorded, in seconds since 1970: the time in its name, as Xdebug's `%t` and `%u`
    /// write it, or else that of its last change.
    pub fn recorded(&self) -> Option<u64> {
        let name = self.source.path().and_then(Path::file_name);
        let named = name.and_then(|name| time_in(name.as_encoded_bytes()));
        named.or_else(|| {
            let since = self.modified?.duration_since(UNIX_EPOCH).ok()?;
            Some(since.as_secs())
        })
    }

    /// Opens it and looks at its first bytes.
    pub fn open(&self, progress: &Progress) -> io::Result<Input<'static>> {
        let (file, length) = match self.source {
            // It may be open at another offset than 0.
            Source::Stdin => (identity::stream(&io::stdin())?, None),
            Source::File(path) => {
                if self.identity.is_none() {
                    // If it was not found, the same reason again.
                    self.source.find()?;
                }
                (File::open(path)?, self.length)
            }
        };
        let file = Arc::new(file);
        let counted = ProgressReader(file.clone(), progress.clone());
        let buffer = length.map_or(BUFFER, buffer_for);
        let (content, stored) = recognise(BufReader::with_capacity(buffer, counted))?;
        if let Content::Compressed(compression) = content {
            return decompressed(compression, stored);
        }
        content.check(None)?;
        Ok(Input {
            content,
            bytes: Box::new(stored),
            regular: length.map(|_| file),
            cut: None,
        })
    }
}

/// The size of a buffer that takes a small file at once and shows its end.
fn buffer_for(length: u64) -> usize {
    let length = usize::try_from(length).unwrap_or(BUFFER);
    length.saturating_add(1).clamp(SMALL_BUFFER, BUFFER)
}

/// Whether a file contains a callgrind profile, plain or compressed, that another program wrote.
///
/// Profiles that this program wrote can be recreated.
pub(crate) fn is_profile(path: &Path) -> bool {
    let source = Source::File(path.to_owned());
    let open = |found: ResolvedSource<'_>| found.open(&Progress::default());
    path.is_file()
        && source.find().and_then(open).is_ok_and(|mut input| {
            let head = input.bytes.fill_buf();
            input.content == Content::Text && head.is_ok_and(super::content::is_profile)
        })
}

/// An input that is decompressed while it is read.
#[cfg(feature = "compression")]
fn decompressed(
    compression: super::content::Compression,
    stored: impl BufRead + Send + 'static,
) -> io::Result<Input<'static>> {
    let cut = Cut::default();
    let (content, bytes) = recognise(super::compression::decompress(
        compression,
        stored,
        cut.clone(),
    )?)?;
    content.check(Some(compression))?;
    Ok(Input {
        content,
        bytes: Box::new(bytes),
        regular: None,
        cut: Some(cut),
    })
}

/// The same without a decompressor.
#[cfg(not(feature = "compression"))]
fn decompressed(
    compression: super::content::Compression,
    _stored: impl BufRead,
) -> io::Result<Input<'static>> {
    Err(super::content::unsupported(format!(
        "it is {compression} data, and this program was built without the feature \"compression\""
    )))
}

/// An input that is being read.
pub(crate) struct Input<'a> {
    content: Content,
    /// Its bytes, decompressed.
    pub bytes: Box<dyn BufRead + 'a>,
    /// The file that the bytes come from as they are, if it is a regular one.
    regular: Option<Arc<File>>,
    /// Set if it is compressed.
    cut: Option<Cut>,
}

impl<'a> Input<'a> {
    /// Looks at the first bytes of a stream. Another thread decompresses, so compressed ones are
    /// copied first.
    pub fn of_stream(stream: impl Read + 'a) -> io::Result<Input<'a>> {
        let (content, bytes) = recognise(BufReader::with_capacity(BUFFER, stream))?;
        if let Content::Compressed(compression) = content {
            return decompressed(compression, BufReader::new(copy(bytes, u64::MAX)?));
        }
        content.check(None)?;
        Ok(Input {
            content,
            bytes: Box::new(bytes),
            regular: None,
            cut: None,
        })
    }

    /// Whether it looks like a webgrind file.
    pub fn is_preprocessed(&self) -> bool {
        self.content == Content::Preprocessed
    }

    /// Makes it readable in any order. An input that cannot seek is copied to a temporary file. All of
    /// a file counts as read.
    ///
    /// It then has no buffer of its own; its reader has one.
    pub fn into_seekable(self, progress: &Progress) -> io::Result<Box<dyn ReadSeek>> {
        let Some(mut file) = self.regular else {
            return Ok(Box::new(copy(self.bytes, MAX_COPIED)?));
        };
        let counted = file.stream_position()?;
        progress.add(file.metadata()?.len().saturating_sub(counted));
        file.rewind()?;
        Ok(Box::new(file))
    }

    /// The file, if ranges of it can be read.
    pub fn file(&self) -> Option<Arc<File>> {
        self.regular.clone().filter(|_| cfg!(unix))
    }

    /// Reads further, if it is compressed, to find out whether the data are corrupt. This may only
    /// show in the checksum at the end.
    pub fn check_rest(&mut self) -> io::Result<()> {
        if self.cut.is_some() {
            io::copy(&mut (&mut self.bytes).take(MAX_CHECKED), &mut io::sink())?;
        }
        Ok(())
    }

    /// Where compressed data end too early, if they do, for people. Known at the end of reading.
    pub fn cut(&self) -> Option<String> {
        let (compression, bytes) = self.cut.as_ref()?.get()?;
        Some(format!(
            "the {compression} data are truncated after {bytes} bytes"
        ))
    }
}

/// Copies an input, up to this size.
fn copy(input: impl BufRead, most: u64) -> io::Result<Copy> {
    let mut input = input.take(most);
    let mut copy = empty_copy();
    while let bytes @ [_, ..] = fill(&mut input)? {
        let count = bytes.len();
        copy.write_all(bytes).map_err(|error| {
            // Otherwise, the error would blame the input.
            let directory = printable_path(&env::temp_dir());
            let kind = error.kind();
            let error = plain(error);
            let text = format!("cannot create a temporary file in {directory}: {error}");
            io::Error::new(kind, text)
        })?;
        input.consume(count);
    }
    copy.rewind()?;
    Ok(copy)
}

#[cfg(all(test, feature = "files"))]
mod tests {
    use super::*;

    #[test]
    fn what_is_large_does_not_stay_in_memory() {
        for size in [0, 8 << 20, 10 << 20] {
            let all = vec![b'x'; size];
            let mut copied = copy(all.as_slice(), MAX_COPIED).unwrap();
            assert_eq!(copied.is_rolled(), size > 8 << 20);
            let mut read = Vec::new();
            copied.read_to_end(&mut read).unwrap();
            assert!(read == all);
        }
    }
}
