//! Compressed inputs: bytes on their way into a decompressor, and what can be wrong with them.

mod gzip;
mod worker;
mod zstd;

use std::io::{self, BufRead, Read};

use super::Compression;
use super::content::fill;
use gzip::Gzip;
pub(super) use worker::Decompressed;
use zstd::Zstd;

/// Decompresses `input` on a thread of its own.
pub(super) fn decompress(
    compression: Compression,
    input: impl BufRead + Send + 'static,
) -> io::Result<Decompressed> {
    match compression {
        Compression::Gzip => Decompressed::start(Gzip::new(input)),
        Compression::Zstd => Decompressed::start(Zstd::new(input)),
    }
}

/// Reads what it decompresses. After an error, there is nothing more to be read.
pub(super) trait Decompressor: Read + Send + 'static {
    /// After the end: how many compressed bytes there were, if there should have been more.
    fn cut(&self) -> Option<u64>;
}

/// Compressed bytes, with the place that the decompressor has come to.
struct CompressedBytes<R> {
    compression: Compression,
    input: R,
    /// How many bytes have been stepped over.
    offset: u64,
    /// Whether the input ended while more was to be read through [`Read`].
    is_cut: bool,
    /// Why the input could not be read through [`Read`], if it failed.
    failure: Option<io::Error>,
}

impl<R: BufRead> CompressedBytes<R> {
    fn new(compression: Compression, input: R) -> Self {
        CompressedBytes {
            compression,
            input,
            offset: 0,
            is_cut: false,
            failure: None,
        }
    }

    /// The next bytes; none at the end of the input.
    fn fill(&mut self) -> io::Result<&[u8]> {
        fill(&mut self.input)
    }

    /// Steps over bytes that [`fill`](Self::fill) has returned.
    fn consume(&mut self, count: usize) {
        self.input.consume(count);
        self.offset += count as u64;
    }

    /// The error for data that contradict themselves at the present place.
    fn corrupt(&self, what: &str) -> io::Error {
        self.corrupt_at(self.offset, what)
    }

    /// The same at a byte, counted from 0.
    fn corrupt_at(&self, at: u64, what: &str) -> io::Error {
        let text = format!("corrupt {} data at byte {at}: {what}", self.compression);
        io::Error::new(io::ErrorKind::InvalidData, text)
    }

    /// The error for something else that follows.
    fn garbage(&self, at: u64, found: u8) -> io::Error {
        let end = format!("the end of the input or more {} data", self.compression);
        self.corrupt_at(at, &format!("expected {end} (found byte {found:#04x})"))
    }
}

/// For decompressors that read for themselves and wrap what goes wrong into errors of their own.
impl<R: BufRead> Read for CompressedBytes<R> {
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
        self.is_cut |= count == 0;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Cursor};

    use super::*;

    /// Checks what comes out, however few bytes go in or come out at a time.
    pub(super) fn check_pieces<D: Decompressor>(
        new: impl Fn(BufReader<Cursor<Vec<u8>>>) -> D,
        compressed: &[u8],
        plain: &[u8],
    ) {
        for buffer in [1, compressed.len()] {
            for room in [1, 7, 1 << 16] {
                let input = BufReader::with_capacity(buffer, Cursor::new(compressed.to_vec()));
                assert_eq!(all_of(new(input), room), (plain.to_vec(), Ok(None)));
            }
        }
    }

    /// Decompresses everything, with so much room at a time; returns how it ended, too.
    pub(super) fn all_of(
        mut decompressor: impl Decompressor,
        room: usize,
    ) -> (Vec<u8>, Result<Option<u64>, String>) {
        let mut all = Vec::new();
        let mut room = vec![0; room];
        loop {
            match decompressor.read(&mut room) {
                Ok(0) => return (all, Ok(decompressor.cut())),
                Ok(count) => all.extend(&room[..count]),
                Err(error) => return (all, Err(error.to_string())),
            }
        }
    }
}
