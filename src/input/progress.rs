//! The progress of reading.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts the bytes that have been read; another thread can watch it.
///
/// Of a compressed input, these are the compressed bytes.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    bytes: Arc<AtomicU64>,
}

impl Progress {
    /// Bytes read so far, of all inputs.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    fn add(&self, count: u64) {
        self.bytes.fetch_add(count, Ordering::Relaxed);
    }
}

/// A file whose bytes are counted as they are read.
pub(crate) struct Counted {
    file: File,
    progress: Progress,
    counted: u64,
    /// How many bytes are left to count, if the file is read in any order and parts of it twice.
    most: u64,
}

impl Counted {
    pub fn new(file: File, progress: Progress) -> Self {
        Counted {
            file,
            progress,
            counted: 0,
            most: u64::MAX,
        }
    }
}

impl Read for Counted {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(room)?;
        let new = (count as u64).min(self.most.saturating_sub(self.counted));
        self.counted += new;
        self.progress.add(new);
        Ok(count)
    }
}

impl Seek for Counted {
    fn seek(&mut self, place: SeekFrom) -> io::Result<u64> {
        if self.most == u64::MAX {
            self.most = self.file.metadata()?.len();
        }
        self.file.seek(place)
    }
}
