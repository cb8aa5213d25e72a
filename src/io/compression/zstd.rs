//! Zstandard, RFC 8878: frames one after another, some of them to be skipped.

use std::error::Error;
use std::io::{self, BufRead, Read};
use std::iter::successors;

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, StreamingDecoder};

use super::CompressedBytes;
use super::worker::Plain;

/// An empty last block, and a checksum for frames that need one.
const END_OF_FRAME: [u8; 7] = [1, 0, 0, 0, 0, 0, 0];

/// Decodes one frame after another.
///
/// Memory grows with the data up to the window that a frame requires, and never exceeds 128 MiB,
/// the limit of the reference decoder.
pub(super) fn decompress(
    input: &mut CompressedBytes<impl BufRead>,
    plain: &mut Plain,
) -> io::Result<()> {
    use FrameDecoderError::ReadFrameHeaderError as Header;
    use ReadFrameHeaderError::{BadMagicNumber, SkipFrame};

    while let &[found, ..] = input.fill_buf()? {
        let at = input.offset;
        // Too few bytes for a magic number would always count as truncated. This is the first byte of
        // frames with data, and of skippable ones.
        if !matches!(found, 0x28 | 0x50..=0x5f) {
            return Err(input.garbage(at, found));
        }
        let mut frame = match StreamingDecoder::new(&mut *input) {
            Ok(frame) => frame,
            Err(Header(SkipFrame { length, .. })) => {
                io::copy(&mut input.take(length.into()), &mut io::sink())?;
                continue;
            }
            Err(Header(BadMagicNumber(_))) => return Err(input.garbage(at, found)),
            Err(error) => return Err(stopped(input, &error)),
        };
        let outcome = io::copy(&mut frame, plain);
        let (input, mut frame) = frame.into_parts();
        if let Err(error) = outcome {
            let error = stopped(input, &error.downcast()?);
            if error.kind() == io::ErrorKind::UnexpectedEof {
                // The decoder holds back a window until the end of the frame.
                let end = BlockDecodingStrategy::UptoBlocks(1);
                let end = frame.decode_blocks(&END_OF_FRAME[..], end);
                end.map_err(io::Error::other)?;
                io::copy(&mut frame, plain)?;
            }
            return Err(error);
        }
        let wanted = frame.get_checksum_from_data();
        if wanted.is_some() && wanted != frame.get_calculated_checksum() {
            return Err(input.corrupt(input.offset, "its checksum is wrong"));
        }
    }
    Ok(())
}

/// Why a frame cannot be decoded further: an error of reading, or else of the data.
fn stopped(input: &CompressedBytes<impl BufRead>, error: &FrameDecoderError) -> io::Error {
    let mut causes = successors(error.source(), |&cause| cause.source());
    if let Some(cause) = causes.find_map(<dyn Error>::downcast_ref::<io::Error>) {
        return io::Error::new(cause.kind(), cause.to_string());
    }
    let what = match error {
        FrameDecoderError::WindowSizeTooBig { requested, max } => {
            format!("it requires a window of {requested} bytes, more than {max}")
        }
        FrameDecoderError::DictNotProvided { dict_id } => {
            format!("it was compressed with dictionary {dict_id}, which is not supported")
        }
        _ => "it cannot be decoded".to_owned(),
    };
    input.corrupt(input.offset, what)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    use super::super::super::content::Compression;
    use super::super::tests::{all_of, check_pieces};

    const COMPRESSED: &[u8] = include_bytes!("../../../fixtures/compressed/small.cg.zst");
    const PLAIN: &[u8] = include_bytes!("../../../fixtures/xdebug3/small.cg");
    const SKIPPED: &[u8] = b"\x5a\x2a\x4d\x18\x05\x00\x00\x00hello";

    #[test]
    fn it_does_not_matter_how_bytes_come_and_go() {
        let two = [SKIPPED, COMPRESSED, SKIPPED, COMPRESSED].concat();
        check_pieces(Compression::Zstd, &two, &[PLAIN, PLAIN].concat());
    }

    #[test]
    fn a_frame_that_is_cut_off_gives_all_its_whole_blocks() {
        // Blocks of 128 KiB, of which only a window is held back.
        let plain = PLAIN.repeat(70);
        let compressed = compress_to_vec(plain.as_slice(), CompressionLevel::Fastest);
        let mut seen = Vec::new();
        for length in (1..compressed.len()).step_by(compressed.len() / 50) {
            let cut = compressed[..length].to_vec();
            let (decompressed, at) = all_of(Compression::Zstd, Cursor::new(cut));
            assert_eq!(at, Ok(Some(length as u64)));
            assert!(plain.starts_with(&decompressed));
            seen.push(decompressed.len());
        }
        assert!(seen.is_sorted());
        assert!(seen.last() > Some(&(128 << 10)));
    }
}
