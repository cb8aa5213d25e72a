//! Inputs: where bytes come from, and what they contain.
//!
//! An input is recognised by its first bytes, never by its name: callgrind text, the same under
//! gzip or zstd, or a preprocessed file. Other files that people mistake for profiles are
//! recognised too, so that messages can say what to do. Compressed inputs are decompressed on a
//! thread of their own.

#[cfg(feature = "compression")]
mod compression;
mod content;
mod progress;
mod seekable;

use std::fmt;
use std::fs::{self, File, Metadata};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use same_file::Handle;

pub use content::Compression;
pub use progress::Progress;

pub(crate) use seekable::Seekable;

use crate::text::printable_path;
#[cfg(feature = "compression")]
use compression::Decompressed;
#[cfg(feature = "compression")]
use content::Foreign;
use content::{Content, Recognised};
use progress::Counted;

/// How many bytes of a file are read at a time: few enough to stay in a core's cache, and not a
/// multiple of a page, which some processors are slow to copy.
const BUFFER: usize = (128 << 10) - 320;

/// The same for small files: a buffer is filled with zeros before it is used.
const SMALL_BUFFER: usize = (4 << 10) - 320;

/// How many bytes are decompressed at most just to find corrupt data: this takes a fraction of a
/// second.
#[cfg(feature = "compression")]
const MOST_CHECKED: u64 = 256 << 20;

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
    /// Checks, as far as possible without reading, that it can be read.
    pub(crate) fn check(&self) -> io::Result<Metadata> {
        let metadata = match self {
            Source::Stdin => stdin()?.metadata()?,
            Source::File(path) => fs::metadata(path)?,
        };
        if metadata.is_dir() {
            let advice = "is a directory: name the profiles in it";
            return Err(io::Error::new(io::ErrorKind::IsADirectory, advice));
        }
        if let (Source::File(path), true) = (self, metadata.is_file()) {
            File::open(path)?;
        }
        Ok(metadata)
    }

    /// The identity of the file, if it is a regular one. The file stays open as long as this is
    /// kept.
    pub(crate) fn handle(&self) -> Option<Handle> {
        let handle = match self {
            Source::Stdin => Handle::stdin().ok()?,
            // Opening a pipe would wait for its writer.
            Source::File(path) if !path.is_file() => return None,
            Source::File(path) => Handle::from_path(path).ok()?,
        };
        let is_file = handle.as_file().metadata().ok()?.is_file();
        is_file.then_some(handle)
    }

    /// Opens it and looks at its first bytes.
    pub(crate) fn open(&self, progress: &Progress) -> io::Result<Input> {
        let (file, size) = match self {
            Source::Stdin => (stdin()?, None),
            Source::File(path) => {
                let file = File::open(path)?;
                let metadata = file.metadata()?;
                let size = metadata.is_file().then_some(metadata.len());
                (file, size)
            }
        };
        let plain = Recognised::read(Counted::new(file, progress.clone()))?;
        let stream = match plain.content() {
            Content::Compressed(compression) => decompress(compression, plain)?,
            Content::Foreign(foreign) => return Err(unsupported(foreign)),
            Content::Empty | Content::Text | Content::Preprocessed => {
                let size = size.and_then(|size| usize::try_from(size).ok());
                let buffer = size.map_or(BUFFER, |size| size.clamp(SMALL_BUFFER, BUFFER));
                let plain = BufReader::with_capacity(buffer, plain);
                let seeks = size.is_some();
                Stream::Plain { plain, seeks }
            }
        };
        Ok(Input { stream })
    }
}

/// Whether a file holds a callgrind profile, plain or compressed, that another program wrote.
///
/// A profile that this program wrote can be made again.
pub(crate) fn is_profile(path: &Path) -> bool {
    if !path.is_file() {
        return false;
    }
    let input = Source::File(path.to_owned()).open(&Progress::default());
    input.is_ok_and(|input| input.content() == Content::Text && content::is_profile(input.head()))
}

fn unsupported(what: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, what)
}

/// Standard input without a buffer in between.
fn stdin() -> io::Result<File> {
    #[cfg(unix)]
    let handle = std::os::fd::AsFd::as_fd(&io::stdin()).try_clone_to_owned()?;
    #[cfg(windows)]
    let handle = std::os::windows::io::AsHandle::as_handle(&io::stdin()).try_clone_to_owned()?;
    Ok(File::from(handle))
}

#[cfg(feature = "compression")]
fn decompress(compression: Compression, compressed: Recognised<Counted>) -> io::Result<Stream> {
    let decompressed = Recognised::read(compression::decompress(compression, compressed))?;
    let twice = |inner: &dyn fmt::Display| {
        unsupported(format!(
            "it is {inner} data within {compression} data: decompress it once"
        ))
    };
    match decompressed.content() {
        Content::Compressed(inner) => Err(twice(&inner)),
        Content::Foreign(Foreign::Compressed { name, .. }) => Err(twice(&name)),
        Content::Foreign(inner) => Err(unsupported(inner)),
        Content::Empty | Content::Text | Content::Preprocessed => Ok(Stream::Decompressed {
            decompressed,
            compression,
        }),
    }
}

#[cfg(not(feature = "compression"))]
fn decompress(compression: Compression, _: Recognised<Counted>) -> io::Result<Stream> {
    Err(unsupported(format!(
        "it is {compression} data, and this program was built without the feature \"compression\""
    )))
}

/// An input that is being read.
pub(crate) struct Input {
    stream: Stream,
}

enum Stream {
    /// Read as it is stored.
    Plain {
        plain: BufReader<Recognised<Counted>>,
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
        self.content() == Content::Empty && self.cut().is_none()
    }

    /// Whether it is a preprocessed file, or at least looks like one.
    pub fn is_preprocessed(&self) -> bool {
        self.content() == Content::Preprocessed
    }

    fn content(&self) -> Content {
        match &self.stream {
            Stream::Plain { plain, .. } => plain.get_ref().content(),
            #[cfg(feature = "compression")]
            Stream::Decompressed { decompressed, .. } => decompressed.content(),
        }
    }

    /// Its first bytes, before anything has been read.
    fn head(&self) -> &[u8] {
        match &self.stream {
            Stream::Plain { plain, .. } => plain.get_ref().head(),
            #[cfg(feature = "compression")]
            Stream::Decompressed { decompressed, .. } => decompressed.head(),
        }
    }

    /// Makes it readable in any order. An input that cannot seek is copied to a temporary file.
    pub fn into_seekable(self) -> io::Result<Seekable> {
        match self.stream {
            Stream::Plain { plain, seeks: true } => Seekable::file(plain.into_inner().into_inner()),
            Stream::Plain { plain, .. } => Seekable::copy(plain),
            #[cfg(feature = "compression")]
            Stream::Decompressed { decompressed, .. } => Seekable::copy(decompressed),
        }
    }

    /// Reads on, if it is compressed, to find out whether the data are corrupt. This may show only
    /// later, at the latest in the checksum.
    pub fn check_rest(&mut self) -> io::Result<()> {
        match &mut self.stream {
            Stream::Plain { .. } => Ok(()),
            #[cfg(feature = "compression")]
            Stream::Decompressed { decompressed, .. } => {
                io::copy(&mut decompressed.take(MOST_CHECKED), &mut io::sink()).map(drop)
            }
        }
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
            } => Some((*compression, decompressed.get_ref().cut()?)),
        }
    }
}

impl BufRead for Input {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        match &mut self.stream {
            Stream::Plain { plain, .. } => plain.fill_buf(),
            #[cfg(feature = "compression")]
            Stream::Decompressed { decompressed, .. } => decompressed.fill_buf(),
        }
    }

    fn consume(&mut self, count: usize) {
        match &mut self.stream {
            Stream::Plain { plain, .. } => plain.consume(count),
            #[cfg(feature = "compression")]
            Stream::Decompressed { decompressed, .. } => decompressed.consume(count),
        }
    }
}

impl Read for Input {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        match &mut self.stream {
            Stream::Plain { plain, .. } => plain.read(room),
            #[cfg(feature = "compression")]
            Stream::Decompressed { decompressed, .. } => decompressed.read(room),
        }
    }
}
