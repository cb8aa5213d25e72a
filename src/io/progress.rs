//! The progress of reading.

use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts the bytes that were read. Another thread can watch it.
///
/// For compressed inputs, it counts compressed bytes.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    bytes: Arc<AtomicU64>,
}

impl Progress {
    /// The bytes read so far from all inputs.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    pub(crate) fn add(&self, count: u64) {
        self.bytes.fetch_add(count, Ordering::Relaxed);
    }
}

/// A file that counts its bytes as they are read.
pub(crate) struct ProgressReader(pub Arc<File>, pub Progress);

impl Read for ProgressReader {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let count = self.0.read(room)?;
        self.1.add(count as u64);
        Ok(count)
    }
}

/// A file from some offset on. Several can be read at once. Nothing is counted.
pub(crate) struct FileFrom<'a>(pub &'a File, pub u64);

#[cfg(unix)]
fn read_at(file: &File, room: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, room, at)
}

/// On other systems, this would move the offset of other readers.
#[cfg(not(unix))]
fn read_at(_: &File, _: &mut [u8], _: u64) -> io::Result<usize> {
    Err(io::ErrorKind::Unsupported.into())
}

impl Read for FileFrom<'_> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let count = read_at(self.0, room, self.1)?;
        self.1 += count as u64;
        Ok(count)
    }
}
