//! Inputs that are read in any order: preprocessed files.

use std::io::{self, BufReader, Read, Seek, SeekFrom};

use super::progress::Counted;
use crate::temporary::Temporary;

/// An input that can seek.
pub(crate) enum Seekable {
    /// A file as it is.
    File(BufReader<Counted>),
    /// A copy, in memory or in a temporary file without a name.
    Spool(BufReader<Temporary>),
}

impl Seekable {
    /// Takes a file that can seek.
    pub fn file(mut file: Counted) -> io::Result<Self> {
        file.rewind()?;
        Ok(Seekable::File(BufReader::new(file)))
    }

    /// Copies what cannot seek.
    pub fn spool(mut input: impl Read) -> io::Result<Self> {
        let mut spool = Temporary::new();
        io::copy(&mut input, &mut spool)?;
        spool.rewind()?;
        Ok(Seekable::Spool(BufReader::new(spool)))
    }
}

impl Read for Seekable {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        match self {
            Seekable::File(file) => file.read(room),
            Seekable::Spool(spool) => spool.read(room),
        }
    }
}

impl Seek for Seekable {
    fn seek(&mut self, place: SeekFrom) -> io::Result<u64> {
        match self {
            Seekable::File(file) => file.seek(place),
            Seekable::Spool(spool) => spool.seek(place),
        }
    }
}
