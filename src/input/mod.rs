//! Inputs: where bytes come from, and what they are.
//!
//! An input is recognised by its first bytes, never by its name: callgrind text, the same under
//! gzip or zstd, or a preprocessed file. Packed inputs are unpacked on a thread of their own.

mod content;
#[cfg(feature = "compression")]
mod gzip;
mod head;
#[cfg(feature = "compression")]
mod packed;
mod progress;
mod spool;
#[cfg(all(test, feature = "compression"))]
mod trickle;
#[cfg(feature = "compression")]
mod unpacker;
#[cfg(feature = "compression")]
mod zstd;

use std::fmt;
use std::fs::{self, File, Metadata};
use std::io::{self, BufRead, BufReader, Read};
use std::path::PathBuf;

pub use content::Packing;
pub use progress::Progress;

pub(crate) use spool::Seekable;

use crate::text::printable_path;
use content::{Content, Foreign};
use head::Head;
use progress::Counted;
#[cfg(feature = "compression")]
use unpacker::Unpacker;

/// Bytes of a file that are read at a time: few enough to stay in a core's cache, and no multiple
/// of a page, which some processors are slow to copy.
const BUFFER: usize = (128 << 10) - 320;

/// The most bytes that are unpacked for no other reason than to find corrupt data: what takes a
/// part of a second.
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
    /// Finds out, as far as that can be known without reading, whether it can be read.
    pub(crate) fn check(&self) -> io::Result<Metadata> {
        let metadata = match self {
            Source::Stdin => stdin()?.metadata()?,
            Source::File(path) => fs::metadata(path)?,
        };
        if metadata.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        if let (Source::File(path), true) = (self, metadata.is_file()) {
            File::open(path)?;
        }
        Ok(metadata)
    }

    /// Opens it and looks at its first bytes.
    pub(crate) fn open(&self, progress: &Progress) -> io::Result<Input> {
        let (file, seeks) = match self {
            Source::Stdin => (stdin()?, false),
            Source::File(path) => {
                let file = File::open(path)?;
                let seeks = file.metadata()?.is_file();
                (file, seeks)
            }
        };
        let plain = Head::read(Counted::new(file, progress.clone()))?;
        let stream = match plain.content() {
            Content::Packed(packing) => unpack(packing, plain)?,
            Content::Foreign(foreign) => return Err(unreadable(foreign)),
            Content::Text | Content::Preprocessed => {
                let plain = BufReader::with_capacity(BUFFER, plain);
                Stream::Plain { plain, seeks }
            }
        };
        Ok(Input { stream })
    }
}

fn unreadable(Foreign { name, unpacker }: Foreign) -> io::Error {
    io::Error::new(
        io::ErrorKind::Unsupported,
        format!("it is {name} data, which have to be unpacked first, as with \"{unpacker}\""),
    )
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
fn unpack(packing: Packing, packed: Head<Counted>) -> io::Result<Stream> {
    let unpacker = match packing {
        Packing::Gzip => Unpacker::start(gzip::Gzip::new(packed)),
        Packing::Zstd => Unpacker::start(zstd::Zstd::new(packed)),
    };
    let unpacked = Head::read(unpacker?)?;
    match unpacked.content() {
        Content::Packed(inner) => Err(packed_twice(packing, inner)),
        Content::Foreign(inner) => Err(packed_twice(packing, inner.name)),
        Content::Text | Content::Preprocessed => Ok(Stream::Unpacked { unpacked, packing }),
    }
}

#[cfg(feature = "compression")]
fn packed_twice(outer: Packing, inner: impl fmt::Display) -> io::Error {
    io::Error::new(
        io::ErrorKind::Unsupported,
        format!("it is {inner} data within {outer} data: unpack it once"),
    )
}

#[cfg(not(feature = "compression"))]
fn unpack(packing: Packing, _: Head<Counted>) -> io::Result<Stream> {
    Err(io::Error::new(
        io::ErrorKind::Unsupported,
        format!(
            "it is {packing} data, and this program was built without the feature \"compression\""
        ),
    ))
}

/// An input that is being read.
pub(crate) struct Input {
    stream: Stream,
}

enum Stream {
    /// As it is stored.
    Plain {
        plain: BufReader<Head<Counted>>,
        /// Whether it is a file that can be read in any order.
        seeks: bool,
    },
    /// Behind a decompressor.
    #[cfg(feature = "compression")]
    Unpacked {
        unpacked: Head<Unpacker>,
        packing: Packing,
    },
}

impl Input {
    /// Whether it is a preprocessed file, or at least looks like one.
    pub fn is_preprocessed(&self) -> bool {
        let content = match &self.stream {
            Stream::Plain { plain, .. } => plain.get_ref().content(),
            #[cfg(feature = "compression")]
            Stream::Unpacked { unpacked, .. } => unpacked.content(),
        };
        content == Content::Preprocessed
    }

    /// Makes it readable in any order; what cannot seek is copied to a temporary file.
    pub fn into_seekable(self) -> io::Result<Seekable> {
        match self.stream {
            Stream::Plain { plain, seeks: true } => Seekable::file(plain.into_inner().into_inner()),
            Stream::Plain { plain, .. } => Seekable::spool(plain),
            #[cfg(feature = "compression")]
            Stream::Unpacked { unpacked, .. } => Seekable::spool(unpacked),
        }
    }

    /// Reads on, if it is packed, to find out whether the data are corrupt: that may show only
    /// further on, at the latest at their checksum.
    pub fn check_rest(&mut self) -> io::Result<()> {
        match &mut self.stream {
            Stream::Plain { .. } => Ok(()),
            #[cfg(feature = "compression")]
            Stream::Unpacked { unpacked, .. } => {
                io::copy(&mut unpacked.take(MOST_CHECKED), &mut io::sink()).map(drop)
            }
        }
    }

    /// Where its packed bytes ended too early, if they did; known once it has been read.
    pub fn cut(&self) -> Option<(Packing, u64)> {
        match &self.stream {
            Stream::Plain { .. } => None,
            #[cfg(feature = "compression")]
            Stream::Unpacked { unpacked, packing } => Some((*packing, unpacked.get_ref().cut()?)),
        }
    }
}

impl BufRead for Input {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        match &mut self.stream {
            Stream::Plain { plain, .. } => plain.fill_buf(),
            #[cfg(feature = "compression")]
            Stream::Unpacked { unpacked, .. } => unpacked.fill_buf(),
        }
    }

    fn consume(&mut self, count: usize) {
        match &mut self.stream {
            Stream::Plain { plain, .. } => plain.consume(count),
            #[cfg(feature = "compression")]
            Stream::Unpacked { unpacked, .. } => unpacked.consume(count),
        }
    }
}

impl Read for Input {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        match &mut self.stream {
            Stream::Plain { plain, .. } => plain.read(room),
            #[cfg(feature = "compression")]
            Stream::Unpacked { unpacked, .. } => unpacked.read(room),
        }
    }
}
