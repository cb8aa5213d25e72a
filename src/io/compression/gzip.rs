//! gzip, RFC 1952: members one after another.

use std::io::{self, BufRead};

use flate2::bufread::GzDecoder;

use super::CompressedBytes;
use super::worker::Plain;

/// The first byte of a member.
const MAGIC: u8 = 0x1f;

/// Inflates one member after another.
pub(super) fn decompress(
    input: &mut CompressedBytes<impl BufRead>,
    plain: &mut Plain,
) -> io::Result<()> {
    loop {
        match *input.fill_buf()? {
            [] => return Ok(()),
            [MAGIC, ..] => {
                let outcome = io::copy(&mut GzDecoder::new(&mut *input), plain);
                outcome.map_err(|error| match error.kind() {
                    io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => {
                        input.corrupt(input.offset, error)
                    }
                    _ => error,
                })?;
            }
            // Tapes and some file systems append zeros.
            [0, ..] => input.consume(1),
            [found, ..] => return Err(input.garbage(input.offset, found)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use flate2::write::GzEncoder;

    use super::super::super::content::Compression;
    use super::super::tests::{all_of, check_pieces};

    const COMPRESSED: &[u8] = include_bytes!("../../../fixtures/compressed/small.cg.gz");
    const PLAIN: &[u8] = include_bytes!("../../../fixtures/xdebug3/small.cg");

    #[test]
    fn it_does_not_matter_how_bytes_come_and_go() {
        let two = [COMPRESSED, COMPRESSED, &[0; 5]].concat();
        check_pieces(Compression::Gzip, &two, &[PLAIN, PLAIN].concat());
    }

    #[test]
    fn it_can_be_cut_anywhere_and_gives_what_was_there() {
        let mut before = 0;
        for length in 1..COMPRESSED.len() {
            let cut = COMPRESSED[..length].to_vec();
            let (plain, at) = all_of(Compression::Gzip, Cursor::new(cut));
            assert_eq!(at, Ok(Some(length as u64)));
            assert!(PLAIN.starts_with(&plain) && plain.len() >= before);
            before = plain.len();
        }
        // Then only the checksum and the length are missing.
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
        let (_, end) = all_of(Compression::Gzip, Cursor::new(compressed));
        let error = end.unwrap_err();
        assert!(error.starts_with("corrupt gzip data at byte "), "{error}");
        assert!(error.ends_with("matching checksum"), "{error}");
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
        let (all, _) = all_of(Compression::Gzip, Cursor::new(compressed));
        assert!(all == plain);
    }
}
