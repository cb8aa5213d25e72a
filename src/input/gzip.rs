//! gzip, RFC 1952: members one after another.

use std::io::{self, Read};

use flate2::{Decompress, FlushDecompress, Status};

use super::Packing;
use super::packed::{Packed, PackedError};
use super::unpacker::Unpack;

/// The first byte of a member.
const MAGIC: u8 = 0x1f;

/// The largest window that deflate has, as a power of two.
const WINDOW_BITS: u8 = 15;

/// Inflates one member after another.
pub(super) struct Gzip<R> {
    input: Packed<R>,
    /// The member that is being read.
    member: Option<Decompress>,
    is_first: bool,
    cut: Option<u64>,
    /// What is wrong with the data behind those that were given out last.
    failure: Option<io::Error>,
}

impl<R: Read> Gzip<R> {
    pub fn new(input: R) -> Self {
        Gzip {
            input: Packed::new(input),
            member: None,
            is_first: true,
            cut: None,
            failure: None,
        }
    }

    /// Begins the next member; false at the end.
    fn begin_member(&mut self) -> io::Result<bool> {
        loop {
            let &[found, ..] = self.input.fill()? else {
                return Ok(false);
            };
            match found {
                MAGIC => break,
                // Tapes and some file systems fill up with zeros.
                0 if !self.is_first => self.input.consume(1),
                _ => {
                    return Err(PackedError::Garbage {
                        packing: Packing::Gzip,
                        at: self.input.offset(),
                        found,
                    }
                    .into());
                }
            }
        }
        self.is_first = false;
        self.member = Some(Decompress::new_gzip(WINDOW_BITS));
        Ok(true)
    }

    fn corrupt(&self, what: &str) -> io::Error {
        PackedError::Corrupt {
            packing: Packing::Gzip,
            at: self.input.offset(),
            what: what.to_owned(),
        }
        .into()
    }
}

impl<R: Read + Send + 'static> Unpack for Gzip<R> {
    fn unpack(&mut self, room: &mut [u8]) -> io::Result<usize> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        loop {
            if self.member.is_none() && !self.begin_member()? {
                return Ok(0);
            }
            let Some(member) = &mut self.member else {
                continue;
            };
            let packed = self.input.fill()?;
            let at_end = packed.is_empty();
            let (read, written) = (member.total_in(), member.total_out());
            let outcome = member.decompress(packed, room, FlushDecompress::None);
            let read = count(member.total_in() - read);
            let written = count(member.total_out() - written);
            self.input.consume(read);
            match outcome {
                Err(error) => {
                    let message = error.message().unwrap_or("it cannot be inflated");
                    let failure = self.corrupt(message);
                    if written == 0 {
                        return Err(failure);
                    }
                    // What came out so far is good.
                    self.failure = Some(failure);
                }
                Ok(Status::StreamEnd) => self.member = None,
                Ok(Status::Ok | Status::BufError) if written > 0 => {}
                Ok(Status::Ok | Status::BufError) if at_end => {
                    self.cut = Some(self.input.offset());
                    return Ok(0);
                }
                Ok(Status::Ok | Status::BufError) if read == 0 => {
                    return Err(self.corrupt("it cannot be inflated"));
                }
                Ok(Status::Ok | Status::BufError) => {}
            }
            if written > 0 {
                return Ok(written);
            }
        }
    }

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
    use std::io::Cursor;

    use super::super::trickle::{Trickle, unpack_all};
    use super::*;

    const PACKED: &[u8] = include_bytes!("../../fixtures/packed/small.cg.gz");
    const PLAIN: &[u8] = include_bytes!("../../fixtures/xdebug3/small.cg");

    #[test]
    fn it_does_not_matter_how_bytes_come_and_go() {
        let two = [PACKED, PACKED, &[0; 5]].concat();
        let expected = [PLAIN, PLAIN].concat();
        for room in [1, 7, 1 << 16] {
            let at_once = unpack_all(Gzip::new(Cursor::new(two.clone())), room);
            assert_eq!(at_once, (expected.clone(), None));
            let trickling = unpack_all(Gzip::new(Trickle(Cursor::new(two.clone()))), room);
            assert_eq!(trickling, (expected.clone(), None));
        }
    }

    #[test]
    fn it_can_be_cut_anywhere_and_gives_what_was_there() {
        let mut before = 0;
        for length in 1..PACKED.len() {
            let cut = PACKED[..length].to_vec();
            let (plain, at) = unpack_all(Gzip::new(Cursor::new(cut)), 1000);
            assert_eq!(at, Some(length as u64));
            assert!(PLAIN.starts_with(&plain) && plain.len() >= before);
            before = plain.len();
        }
        // Only the checksum and the length were missing then.
        assert_eq!(before, PLAIN.len());
    }
}
