//! Inputs: where bytes come from, and what they contain.
//!
//! An input is recognised by its first bytes, never by its name: callgrind text, the same under
//! gzip or zstd, or a preprocessed file. Other files that people mistake for profiles are
//! recognised too, so that messages can say what to do. Compressed inputs are decompressed on a
//! thread of their own.

use std::fs::{self, File, Metadata};
use std::io::{self, BufRead, BufReader, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use std::{env, fmt};

use tempfile::SpooledTempFile;

#[cfg(feature = "compression")]
use super::compression::Decompressed;
use super::content::{Compression, Content, Recognised, fill, recognise};
use super::identity::{self, FileIdentity};
use super::progress::{Progress, ProgressReader};
use crate::display::text::printable_path;

/// How many bytes of a file are read at a time: few enough to stay in a core's cache, and not a
/// multiple of a page, which some processors are slow to copy.
const BUFFER: usize = (128 << 10) - 320;

/// The same for small files: a buffer is filled with zeros before it is used.
const SMALL_BUFFER: usize = (4 << 10) - 320;

/// How many bytes are decompressed at most just to find corrupt data: this takes a fraction of a
/// second.
const MAX_CHECKED: u64 = 256 << 20;

/// One byte more than 32-bit addresses can reach. The reader of preprocessed files refuses an input
/// of that size, so the rest need not be copied.
const MAX_COPIED: u64 = 1 << 32;

/// How much of a copy is held in memory; more goes to a file without a name in the system's folder
/// for temporary files.
const IN_MEMORY: usize = 8 << 20;

/// An input that can be read in any order, as preprocessed files are.
pub(crate) trait ReadSeek: Read + Seek {}
impl<T: Read + Seek> ReadSeek for T {}

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
    /// Looks for it, and opens nothing: a pipe would wait for its writer, and there may be more
    /// files than can be open.
    pub(crate) fn find(&self) -> io::Result<ResolvedSource<'_>> {
        let (metadata, identity) = match self {
            Source::Stdin => {
                let stdin = identity::stream(&io::stdin())?;
                let metadata = match stdin.metadata() {
                    // There, a pipe has none.
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
            let advice = "is a folder: name the profiles in it";
            return Err(io::Error::new(io::ErrorKind::IsADirectory, advice));
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

/// A source as it was found before anything was read.
#[derive(Clone, Debug)]
pub(crate) struct ResolvedSource<'a> {
    pub source: &'a Source,
    /// How many bytes it has, if it is a regular file.
    pub length: Option<u64>,
    /// Which file it is, if it is a regular one.
    pub identity: Option<FileIdentity>,
    /// When it was last changed, if it is a regular file and the system knows.
    pub modified: Option<SystemTime>,
}

impl ResolvedSource<'_> {
    /// Opens it and looks at its first bytes.
    pub fn open(&self, progress: &Progress) -> io::Result<Input> {
        let (file, length) = match self.source {
            // It may be open at another place than its beginning.
            Source::Stdin => (identity::stream(&io::stdin())?, None),
            Source::File(path) => (File::open(path)?, self.length),
        };
        let buffer = length.map_or(BUFFER, buffer_for);
        let counted = ProgressReader::new(file, length, progress.clone());
        let (content, plain) = recognise(BufReader::with_capacity(buffer, counted))?;
        match content {
            Content::Compressed(compression) => decompress(compression, plain),
            Content::Packed { name, command } => Err(unsupported(format!(
                "it is {name} data: decompress it first, as with \"{command}\""
            ))),
            Content::Foreign(advice) => Err(unsupported(advice)),
            Content::Empty | Content::Text | Content::Preprocessed => Ok(Input {
                content,
                stream: Stream::Plain {
                    plain,
                    seeks: length.is_some(),
                },
            }),
        }
    }
}

/// The size of a buffer that holds a small file at once, and shows that it has ended.
fn buffer_for(length: u64) -> usize {
    let length = usize::try_from(length).unwrap_or(BUFFER);
    length.saturating_add(1).clamp(SMALL_BUFFER, BUFFER)
}

/// Whether a file holds a callgrind profile, plain or compressed, that another program wrote.
///
/// A profile that this program wrote can be made again.
pub(crate) fn is_profile(path: &Path) -> bool {
    if !path.is_file() {
        return false;
    }
    let source = Source::File(path.to_owned());
    let input = source
        .find()
        .and_then(|found| found.open(&Progress::default()));
    input.is_ok_and(|mut input| {
        input.content == Content::Text && input.fill_buf().is_ok_and(super::content::is_profile)
    })
}

fn unsupported(what: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, what)
}

#[cfg(feature = "compression")]
fn decompress(
    compression: Compression,
    compressed: Recognised<BufReader<ProgressReader>>,
) -> io::Result<Input> {
    let decompressed = super::compression::decompress(compression, compressed)?;
    let (content, decompressed) = recognise(decompressed)?;
    let twice = |inner: &dyn fmt::Display| {
        let advice = format!("it is {inner} data within {compression} data: decompress it once");
        Err(unsupported(advice))
    };
    match content {
        Content::Compressed(inner) => twice(&inner),
        Content::Packed { name, .. } => twice(&name),
        Content::Foreign(advice) => Err(unsupported(advice)),
        Content::Empty | Content::Text | Content::Preprocessed => Ok(Input {
            content,
            stream: Stream::Decompressed {
                decompressed,
                compression,
            },
        }),
    }
}

#[cfg(not(feature = "compression"))]
fn decompress(
    compression: Compression,
    _: Recognised<BufReader<ProgressReader>>,
) -> io::Result<Input> {
    Err(unsupported(format!(
        "it is {compression} data, and this program was built without the feature \"compression\""
    )))
}

/// An input that is being read.
pub(crate) struct Input {
    content: Content,
    stream: Stream,
}

enum Stream {
    /// Read as it is stored.
    Plain {
        plain: Recognised<BufReader<ProgressReader>>,
        /// Whether it is a file that can be read in any order.
        seeks: bool,
    },
    /// Read through a decompressor.
    #[cfg(feature = "compression")]
    Decompressed {
        decompressed: Recognised<Decompressed>,
        compression: Compression,
    },
}

impl Input {
    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.content == Content::Empty && self.cut().is_none()
    }

    /// Whether it is a preprocessed file, or at least looks like one.
    pub fn is_preprocessed(&self) -> bool {
        self.content == Content::Preprocessed
    }

    fn bytes(&mut self) -> &mut dyn BufRead {
        match &mut self.stream {
            Stream::Plain { plain, .. } => plain,
            #[cfg(feature = "compression")]
            Stream::Decompressed { decompressed, .. } => decompressed,
        }
    }

    /// Makes it readable in any order. An input that cannot seek is copied to a temporary file.
    ///
    /// It has no buffer then: its reader has one.
    pub fn into_seekable(self) -> io::Result<Box<dyn ReadSeek>> {
        match self.stream {
            Stream::Plain { plain, seeks: true } => {
                let mut file = plain.into_inner().1.into_inner();
                file.rewind()?;
                Ok(Box::new(file))
            }
            Stream::Plain { plain, .. } => Ok(Box::new(copy(plain)?)),
            #[cfg(feature = "compression")]
            Stream::Decompressed { decompressed, .. } => Ok(Box::new(copy(decompressed)?)),
        }
    }

    /// The file, if parts of it can be read.
    pub fn file(&self) -> Option<File> {
        match &self.stream {
            Stream::Plain { plain, seeks: true } => plain.get_ref().1.get_ref().again(),
            _ => None,
        }
    }

    /// Reads on, if it is compressed, to find out whether the data are corrupt. This may show only
    /// later, at the latest in the checksum.
    pub fn check_rest(&mut self) -> io::Result<()> {
        if matches!(self.stream, Stream::Plain { .. }) {
            return Ok(());
        }
        io::copy(&mut self.take(MAX_CHECKED), &mut io::sink()).map(drop)
    }

    /// Where the compressed bytes ended too early, if they did. Known after everything has been
    /// read.
    pub fn cut(&self) -> Option<(Compression, u64)> {
        match &self.stream {
            Stream::Plain { .. } => None,
            #[cfg(feature = "compression")]
            Stream::Decompressed {
                decompressed,
                compression,
            } => Some((*compression, decompressed.get_ref().1.cut()?)),
        }
    }
}

/// Copies an input, up to the size that the reader of preprocessed files refuses.
fn copy(input: impl BufRead) -> io::Result<SpooledTempFile> {
    let mut input = input.take(MAX_COPIED);
    let mut copy = SpooledTempFile::new(IN_MEMORY);
    loop {
        let bytes = fill(&mut input)?;
        let count = bytes.len();
        if count == 0 {
            break;
        }
        copy.write_all(bytes).map_err(|error| {
            // Otherwise it would look as if the input were at fault.
            let folder = env::temp_dir();
            let text = format!(
                "cannot create a temporary file in {}: {error}",
                printable_path(&folder)
            );
            io::Error::new(error.kind(), text)
        })?;
        input.consume(count);
    }
    copy.rewind()?;
    Ok(copy)
}

impl BufRead for Input {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.bytes().fill_buf()
    }

    fn consume(&mut self, count: usize) {
        self.bytes().consume(count);
    }
}

impl Read for Input {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        self.bytes().read(room)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_large_does_not_stay_in_memory() {
        for size in [0, 8 << 20, 10 << 20] {
            let all = vec![b'x'; size];
            let mut copied = copy(all.as_slice()).unwrap();
            assert_eq!(copied.is_rolled(), size > 8 << 20);
            let mut read = Vec::new();
            copied.read_to_end(&mut read).unwrap();
            assert!(read == all);
        }
    }
}
