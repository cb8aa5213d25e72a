//! Inputs that are read in any order: preprocessed files.

use std::io::{self, Read, Seek, SeekFrom};

use super::progress::Counted;
use crate::temporary::Temporary;

/// One byte more than 32-bit addresses can reach. The reader of preprocessed files refuses an input
/// of that size, so the rest need not be copied.
const MOST_COPIED: u64 = 1 << 32;

/// An input that can seek. It has no buffer: its reader has one.
pub(crate) enum Seekable {
    /// A file as it is.
    File(Counted),
    /// A copy, in memory or in a temporary file without a name.
    Copy(Temporary),
}

impl Seekable {
    /// Uses a file that can seek.
    pub fn file(mut file: Counted) -> io::Result<Self> {
        file.rewind()?;
        Ok(Seekable::File(file))
    }

    /// Copies an input that cannot seek, up to the size that its reader refuses.
    pub fn copy(input: impl Read) -> io::Result<Self> {
        let mut copy = Temporary::new();
        io::copy(&mut input.take(MOST_COPIED), &mut copy)?;
        copy.rewind()?;
        Ok(Seekable::Copy(copy))
    }
}

impl Read for Seekable {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        match self {
            Seekable::File(file) => file.read(room),
            Seekable::Copy(copy) => copy.read(room),
        }
    }
}

impl Seek for Seekable {
    fn seek(&mut self, place: SeekFrom) -> io::Result<u64> {
        match self {
            Seekable::File(file) => file.seek(place),
            Seekable::Copy(copy) => copy.seek(place),
        }
    }
}
