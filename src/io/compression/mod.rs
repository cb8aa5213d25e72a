//! Compressed inputs, which are decompressed on a separate thread.

mod gzip;
mod worker;
mod zstd;

use std::fmt;
use std::io::{self, BufRead, Read};

use super::content::{Compression, Cut, fill};
use worker::Decompressed;

/// Decompresses `input` on a separate thread. At the end, it sets `cut` if the input ends too early.
pub(super) fn decompress(
    compression: Compression,
    input: impl BufRead + Send + 'static,
    cut: Cut,
) -> io::Result<Decompressed> {
    let mut input = CompressedBytes {
        compression,
        input,
        offset: 0,
    };
    Decompressed::start(move |plain| {
        let outcome = match compression {
            Compression::Gzip => gzip::decompress(&mut input, plain),
            Compression::Zstd => zstd::decompress(&mut input, plain),
        };
        match outcome {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                cut.get_or_init(|| (compression, input.offset));
                Ok(())
            }
            outcome => outcome,
        }
    })
}

/// Compressed bytes, with the position of the decompressor.
struct CompressedBytes<R> {
    compression: Compression,
    input: R,
    /// The number of bytes before the current ones.
    offset: u64,
}

impl<R: BufRead> CompressedBytes<R> {
    /// The error for corrupt data at a byte, counted from 0.
    fn corrupt(&self, at: u64, what: impl fmt::Display) -> io::Error {
        let text = format!("corrupt {} data at byte {at}: {what}", self.compression);
        io::Error::new(io::ErrorKind::InvalidData, text)
    }

    /// The error for unexpected bytes after the data.
    fn garbage(&self, at: u64, found: u8) -> io::Error {
        let end = format!("the end of the input or more {} data", self.compression);
        self.corrupt(at, format!("expected {end} (found byte {found:#04x})"))
    }
}

impl<R: BufRead> BufRead for CompressedBytes<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        fill(&mut self.input)
    }

    fn consume(&mut self, count: usize) {
        self.input.consume(count);
        self.offset += count as u64;
    }
}

impl<R: BufRead> Read for CompressedBytes<R> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(room)?;
        self.consume(count);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Cursor};

    use super::*;

    /// Checks what comes out, however few bytes go in at a time.
    pub(super) fn check_pieces(compression: Compression, compressed: &[u8], plain: &[u8]) {
        for buffer in [1, 7, compressed.len()] {
            let input = BufReader::with_capacity(buffer, Cursor::new(compressed.to_vec()));
            assert_eq!(all_of(compression, input), (plain.to_vec(), Ok(None)));
        }
    }

    /// Decompresses everything; returns how it ended, too.
    pub(super) fn all_of(
        compression: Compression,
        input: impl BufRead + Send + 'static,
    ) -> (Vec<u8>, Result<Option<u64>, String>) {
        let (mut all, cut) = (Vec::new(), Cut::default());
        let mut decompressed = decompress(compression, input, cut.clone()).unwrap();
        let end = match decompressed.read_to_end(&mut all) {
            Ok(_) => Ok(cut.get().map(|&(_, at)| at)),
            Err(error) => Err(error.to_string()),
        };
        (all, end)
    }
}
