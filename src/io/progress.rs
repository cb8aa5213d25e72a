//! The progress of reading.

use std::fs::File;
use std::io::{self, Read, Seek};
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
pub(crate) struct ProgressReader {
    file: File,
    progress: Progress,
    counted: u64,
    /// The size, if it is a regular file.
    length: Option<u64>,
    /// Whether the end was reached.
    has_ended: bool,
}

impl ProgressReader {
    /// Counts the bytes of a file. `length` is the size of a regular file.
    pub fn new(file: File, length: Option<u64>, progress: Progress) -> Self {
        ProgressReader {
            file,
            progress,
            counted: 0,
            length,
            has_ended: false,
        }
    }

    /// Whether it is a regular file, which can be read in any order.
    pub fn is_regular(&self) -> bool {
        self.length.is_some()
    }

    /// The file from its beginning, to be read in any order. All of it counts as read.
    pub fn into_whole(mut self) -> io::Result<File> {
        let rest = self.length.unwrap_or(0).saturating_sub(self.counted);
        self.progress.add(rest);
        self.file.rewind()?;
        Ok(self.file)
    }

    /// The same file, if ranges of it can be read.
    pub fn again(&self) -> Option<File> {
        let is_possible = self.is_regular() && cfg!(unix);
        is_possible.then(|| self.file.try_clone().ok())?
    }
}

impl Read for ProgressReader {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        if self.has_ended {
            return Ok(0);
        }
        let count = self.file.read(room)?;
        self.counted += count as u64;
        self.progress.add(count as u64);
        // A regular file returns less than requested only at its end. With 10,000 small files,
        // skipping the last read matters. A file that has grown meanwhile is read further.
        self.has_ended = count < room.len() && self.length == Some(self.counted);
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

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_that_grows_or_shrinks_is_read_to_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.cg");
        for room in [1, 5, 6, 7, 100] {
            for length in [None, Some(0), Some(3), Some(6), Some(9)] {
                fs::write(&path, "123456").unwrap();
                let progress = Progress::default();
                let file = File::open(&path).unwrap();
                let mut counted = ProgressReader::new(file, length, progress.clone());
                let mut room = vec![0; room];
                let mut all: Vec<u8> = Vec::new();
                loop {
                    match counted.read(&mut room).unwrap() {
                        0 => break,
                        count => all.extend(&room[..count]),
                    }
                }
                assert_eq!(all, b"123456");
                assert_eq!(progress.bytes(), 6);
                let mut whole = counted.into_whole().unwrap();
                assert_eq!(whole.read(&mut room[..1]).unwrap(), 1);
                assert_eq!(progress.bytes(), length.unwrap_or(0).max(6));
            }
        }
    }
}
