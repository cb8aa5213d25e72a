//! gzip, RFC 1952: members one after another.

use std::io::{self, BufRead, Read};

use flate2::{Decompress, FlushDecompress, Status};

use super::{CompressedBytes, Compression, Decompressor};

/// The first byte of a member.
const MAGIC: u8 = 0x1f;

/// The largest window of deflate, as a power of two. flate2 asks for it, though zlib-rs always has
/// room for the largest.
const WINDOW_BITS: u8 = 15;

/// What zlib-rs says where its fast loop has found the fault. That is no cause; the cause is lost.
const NO_CAUSE: &str = "repeated call with bad state";

/// Inflates one member after another.
pub(super) struct Gzip<R> {
    input: CompressedBytes<R>,
    /// The member that is being read.
    member: Option<Decompress>,
    cut: Option<u64>,
}

impl<R: BufRead> Gzip<R> {
    pub fn new(input: R) -> Self {
        Gzip {
            input: CompressedBytes::new(Compression::Gzip, input),
            member: None,
            cut: None,
        }
    }
}

impl<R: BufRead> Read for Gzip<R> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        loop {
            let compressed = self.input.fill()?;
            let Some(member) = &mut self.member else {
                match *compressed {
                    [] => return Ok(0),
                    [MAGIC, ..] => self.member = Some(Decompress::new_gzip(WINDOW_BITS)),
                    // Tapes and some file systems fill up with zeros.
                    [0, ..] => self.input.consume(1),
                    [found, ..] => return Err(self.input.garbage(self.input.offset, found)),
                }
                continue;
            };
            let at_end = compressed.is_empty();
            let (read, written) = (member.total_in(), member.total_out());
            let outcome = member.decompress(compressed, room, FlushDecompress::None);
            let read = count(member.total_in() - read);
            let written = count(member.total_out() - written);
            self.input.consume(read);
            match outcome {
                Ok(Status::StreamEnd) => self.member = None,
                Ok(_) if read + written > 0 => {}
                Ok(_) if at_end => {
                    self.cut = Some(self.input.offset);
                    return Ok(0);
                }
                outcome => {
                    let error = outcome.err();
                    let cause = error.as_ref().and_then(|error| error.message());
                    let cause = cause.filter(|&cause| cause != NO_CAUSE);
                    let cause = cause.unwrap_or("it cannot be inflated");
                    return Err(self.input.corrupt(cause));
                }
            }
            if written > 0 {
                return Ok(written);
            }
        }
    }
}

impl<R: BufRead + Send + 'static> Decompressor for Gzip<R> {
    fn cut(&self) -> Option<u64> {
        self.cut
    }
}

/// A number of bytes within a buffer.
fn count(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use flate2::write::GzEncoder;

    use super::super::tests::{all_of, check_pieces};
    use super::*;

    const COMPRESSED: &[u8] = include_bytes!("../../../fixtures/compressed/small.cg.gz");
    const PLAIN: &[u8] = include_bytes!("../../../fixtures/xdebug3/small.cg");

    #[test]
    fn it_does_not_matter_how_bytes_come_and_go() {
        let two = [COMPRESSED, COMPRESSED, &[0; 5]].concat();
        check_pieces(Gzip::new, &two, &[PLAIN, PLAIN].concat());
    }

    #[test]
    fn it_can_be_cut_anywhere_and_gives_what_was_there() {
        let mut before = 0;
        for length in 1..COMPRESSED.len() {
            let cut = COMPRESSED[..length].to_vec();
            let (plain, at) = all_of(Gzip::new(Cursor::new(cut)), 1000);
            assert_eq!(at, Ok(Some(length as u64)));
            assert!(PLAIN.starts_with(&plain) && plain.len() >= before);
            before = plain.len();
        }
        // Only the checksum and the length were missing then.
        assert_eq!(before, PLAIN.len());
    }

    #[test]
    fn a_wrong_checksum_is_corrupt_data() {
        let plain: Vec<u8> = PLAIN.repeat(100);
        let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::none());
        encoder.write_all(&plain).unwrap();
        let mut compressed = encoder.finish().unwrap();
        // Only the checksum tells.
        let at = compressed.len() - 6;
        compressed[at] ^= 1;
        for room in [1000, 2 * plain.len()] {
            let (_, end) = all_of(Gzip::new(Cursor::new(compressed.clone())), room);
            let error = end.unwrap_err();
            assert!(error.starts_with("corrupt gzip data at byte "), "{error}");
            assert!(error.ends_with(": incorrect data check"), "{error}");
        }
    }

    #[test]
    fn what_is_said_of_corrupt_data_is_about_the_data() {
        let mut failures = 0;
        for at in 12..COMPRESSED.len() - 8 {
            let mut compressed = COMPRESSED.to_vec();
            compressed[at] ^= 0x55;
            let (_, end) = all_of(Gzip::new(Cursor::new(compressed)), 2 * PLAIN.len());
            if let Err(error) = end {
                assert!(!error.contains("repeated call"), "{at}: {error}");
                failures += 1;
            }
        }
        assert!(failures > COMPRESSED.len() / 2);
    }

    #[test]
    fn repetitions_may_be_as_far_apart_as_the_format_allows() {
        const FAR: usize = 32 << 10;
        // Nothing that repeats earlier.
        let mut state = 1_u32;
        let noise = std::iter::repeat_with(|| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state.to_be_bytes()[0]
        });
        let noise: Vec<u8> = noise.take(FAR - 300).collect();
        let plain = noise.repeat(4);
        let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(&plain).unwrap();
        let compressed = encoder.finish().unwrap();
        assert!(compressed.len() < 2 * FAR, "no repetition was found");
        for room in [1000, FAR, 8 * FAR] {
            let (all, _) = all_of(Gzip::new(Cursor::new(compressed.clone())), room);
            assert!(all == plain);
        }
    }
}
