//! How far the reading has come.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many bytes have been read, for whoever watches from another thread.
///
/// These are bytes as they are stored: compressed ones for a compressed input.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    bytes: Arc<AtomicU64>,
}

impl Progress {
    /// Bytes read so far, of all inputs.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    fn add(&self, count: usize) {
        self.bytes.fetch_add(count as u64, Ordering::Relaxed);
    }
}

/// A file whose bytes are counted as they are read.
pub(crate) struct Counted {
    file: File,
    progress: Progress,
}

impl Counted {
    pub fn new(file: File, progress: Progress) -> Self {
        Counted { file, progress }
    }
}

impl Read for Counted {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(room)?;
        self.progress.add(count);
        Ok(count)
    }
}

impl Seek for Counted {
    fn seek(&mut self, place: SeekFrom) -> io::Result<u64> {
        self.file.seek(place)
    }
}
