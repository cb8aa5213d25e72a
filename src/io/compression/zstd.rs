//! Zstandard, RFC 8878: frames one after another, some of them to be skipped.

use std::io::{self, BufRead, Read};

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::{CompressedBytes, Compression, Decompressor};

/// An empty last block, and a checksum for frames that want one.
const END_OF_FRAME: [u8; 7] = [1, 0, 0, 0, 0, 0, 0];

/// Decodes one frame after another.
///
/// Memory follows the data, up to the window that a frame asks for, and never more than the
/// 128 MiB that the reference decoder allows as well.
pub(super) struct Zstd<R> {
    input: CompressedBytes<R>,
    /// The frame that is being read.
    frame: Option<FrameDecoder>,
    cut: Option<u64>,
}

impl<R: BufRead> Zstd<R> {
    pub fn new(input: R) -> Self {
        Zstd {
            input: CompressedBytes::new(Compression::Zstd, input),
            frame: None,
            cut: None,
        }
    }

    /// Begins the next frame, or skips one; false at the end.
    fn begin_frame(&mut self) -> io::Result<bool> {
        let at = self.input.offset;
        let &[found, ..] = self.input.fill()? else {
            return Ok(false);
        };
        // Too few bytes for a magic number would count as cut off, whatever they are. This is the
        // first one of frames with data, and of those to be skipped.
        if !matches!(found, 0x28 | 0x50..=0x5f) {
            return Err(self.input.garbage(at, found));
        }
        let mut frame = FrameDecoder::new();
        match frame.init(&mut self.input) {
            Ok(()) => self.frame = Some(frame),
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                length,
                ..
            })) => {
                let mut content = self.input.by_ref().take(length.into());
                io::copy(&mut content, &mut io::sink())?;
            }
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::BadMagicNumber(
                _,
            ))) => {
                return Err(self.input.garbage(at, found));
            }
            Err(error) => self.stopped(&error)?,
        }
        Ok(self.cut.is_none())
    }

    /// Decides about a frame that cannot be decoded further: where the input ends, that is all.
    fn stopped(&mut self, error: &FrameDecoderError) -> io::Result<()> {
        if let Some(failure) = self.input.failure.take() {
            return Err(failure);
        }
        if !self.input.is_cut {
            return Err(self.input.corrupt(&describe(error)));
        }
        self.cut = Some(self.input.offset);
        // The decoder keeps a window back until it has seen the end of the frame.
        if let Some(frame) = &mut self.frame {
            let end = frame.decode_blocks(&END_OF_FRAME[..], BlockDecodingStrategy::UptoBlocks(1));
            end.map_err(io::Error::other)?;
        }
        Ok(())
    }

    fn end_frame(&mut self) -> io::Result<()> {
        let Some(frame) = self.frame.take() else {
            return Ok(());
        };
        let wanted = frame.get_checksum_from_data();
        if self.cut.is_none() && wanted.is_some() && wanted != frame.get_calculated_checksum() {
            return Err(self.input.corrupt("its checksum is wrong"));
        }
        Ok(())
    }
}

impl<R: BufRead> Read for Zstd<R> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        loop {
            let Some(frame) = &mut self.frame else {
                if self.cut.is_some() || !self.begin_frame()? {
                    return Ok(0);
                }
                continue;
            };
            let count = frame.read(room)?;
            if count > 0 {
                return Ok(count);
            }
            if frame.is_finished() {
                self.end_frame()?;
                continue;
            }
            let strategy = BlockDecodingStrategy::UptoBlocks(1);
            if let Err(error) = frame.decode_blocks(&mut self.input, strategy) {
                self.stopped(&error)?;
            }
        }
    }
}

impl<R: BufRead + Send + 'static> Decompressor for Zstd<R> {
    fn cut(&self) -> Option<u64> {
        self.cut
    }
}

fn describe(error: &FrameDecoderError) -> String {
    match error {
        FrameDecoderError::WindowSizeTooBig { requested, max } => {
            format!("it asks for a window of {requested} bytes, more than {max}")
        }
        FrameDecoderError::DictNotProvided { dict_id } => {
            format!("it was compressed with dictionary {dict_id}, which is not supported")
        }
        _ => "it cannot be decoded".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    use super::super::tests::{all_of, check_pieces};
    use super::*;

    const COMPRESSED: &[u8] = include_bytes!("../../../fixtures/compressed/small.cg.zst");
    const PLAIN: &[u8] = include_bytes!("../../../fixtures/xdebug3/small.cg");
    const SKIPPED: &[u8] = b"\x5a\x2a\x4d\x18\x05\x00\x00\x00hello";

    #[test]
    fn it_does_not_matter_how_bytes_come_and_go() {
        let two = [SKIPPED, COMPRESSED, SKIPPED, COMPRESSED].concat();
        check_pieces(Zstd::new, &two, &[PLAIN, PLAIN].concat());
    }

    #[test]
    fn a_frame_that_is_cut_off_gives_all_its_whole_blocks() {
        // Blocks of 128 KiB, of which only a window is kept back.
        let plain = PLAIN.repeat(70);
        let compressed = compress_to_vec(plain.as_slice(), CompressionLevel::Fastest);
        let mut seen = Vec::new();
        for length in (1..compressed.len()).step_by(compressed.len() / 50) {
            let cut = compressed[..length].to_vec();
            let (decompressed, at) = all_of(Zstd::new(Cursor::new(cut)), 1000);
            assert_eq!(at, Ok(Some(length as u64)));
            assert!(plain.starts_with(&decompressed));
            seen.push(decompressed.len());
        }
        assert!(seen.is_sorted());
        assert!(seen.last() > Some(&(128 << 10)));
    }
}
