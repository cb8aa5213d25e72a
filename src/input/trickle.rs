//! For tests: bytes that come one at a time, and decompressors that get little room.

use std::io::{self, Read};

use super::unpacker::Unpack;

/// A reader that never gives more than one byte.
pub(super) struct Trickle(pub io::Cursor<Vec<u8>>);

impl Read for Trickle {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let end = room.len().min(1);
        self.0.read(&mut room[..end])
    }
}

/// Unpacks everything, with so much room at a time.
pub(super) fn unpack_all(mut decompressor: impl Unpack, room: usize) -> (Vec<u8>, Option<u64>) {
    let mut all = Vec::new();
    let mut room = vec![0; room];
    loop {
        match decompressor.unpack(&mut room).unwrap() {
            0 => return (all, decompressor.cut()),
            count => all.extend(&room[..count]),
        }
    }
}
