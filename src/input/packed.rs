//! Packed bytes on their way into a decompressor, and what can be wrong with them.

use std::io::{self, Read};

use thiserror::Error;

use super::{BUFFER, Packing};

/// What is wrong with packed data, and at which of its bytes, counted from 0.
#[derive(Debug, Error)]
pub(super) enum PackedError {
    /// The data contradict themselves.
    #[error("corrupt {packing} data at byte {at}: {what}")]
    Corrupt {
        packing: Packing,
        at: u64,
        what: String,
    },
    /// Something else follows.
    #[error(
        "corrupt {packing} data at byte {at}: expected the end of the input or more {packing} data (found byte {found:#04x})"
    )]
    Garbage {
        packing: Packing,
        at: u64,
        found: u8,
    },
}

impl From<PackedError> for io::Error {
    fn from(error: PackedError) -> Self {
        io::Error::new(io::ErrorKind::InvalidData, error)
    }
}

/// Packed bytes, with the place that the decompressor has come to.
pub(super) struct Packed<R> {
    input: R,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    offset: u64,
    is_cut: bool,
    failure: Option<io::Error>,
}

impl<R: Read> Packed<R> {
    pub fn new(input: R) -> Self {
        Packed {
            input,
            buffer: vec![0; BUFFER],
            start: 0,
            end: 0,
            offset: 0,
            is_cut: false,
            failure: None,
        }
    }

    /// The next bytes; none at the end of the input.
    pub fn fill(&mut self) -> io::Result<&[u8]> {
        while self.start == self.end {
            match self.input.read(&mut self.buffer) {
                Ok(0) => break,
                Ok(count) => (self.start, self.end) = (0, count),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(&self.buffer[self.start..self.end])
    }

    /// Steps over bytes that [`fill`](Self::fill) has returned.
    pub fn consume(&mut self, count: usize) {
        self.start += count;
        self.offset += count as u64;
    }
}

impl<R> Packed<R> {
    /// How many bytes have been stepped over.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Whether the input ended while more was to be read through [`Read`].
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Why the input could not be read, if that was so while it was read through [`Read`].
    pub fn take_failure(&mut self) -> Option<io::Error> {
        self.failure.take()
    }
}

/// For decompressors that read for themselves and wrap what goes wrong into errors of their own.
impl<R: Read> Read for Packed<R> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let mut bytes = match self.fill() {
            Ok(bytes) => bytes,
            Err(error) => {
                let kind = error.kind();
                self.failure = Some(error);
                return Err(kind.into());
            }
        };
        let count = bytes.read(room)?;
        self.consume(count);
        self.is_cut |= count == 0 && !room.is_empty();
        Ok(count)
    }
}
