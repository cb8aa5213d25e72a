//! A file that a thread of its own writes, so that its writer need not wait for the system.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};

use crate::threads::Beside;

/// How much is written before a thread is worth its start.
const SMALL: usize = 1 << 20;

/// How much is handed over at once.
const PIECE: usize = 64 << 10;

/// How many pieces may wait to be written.
const PIECES: usize = 16;

/// A file, written behind its writer's back where there is much to write.
///
/// An error may come to light with a later call, at the latest with [`flush`](Write::flush) or
/// [`seek`](Seek::seek), which wait until everything is written.
#[derive(Debug)]
pub(super) struct Behind<'a> {
    file: &'a mut File,
    way: Way,
}

#[derive(Debug)]
enum Way {
    /// Directly; so many bytes up to now, which may be all.
    Begun(usize),
    /// By a thread.
    Beside(Beside<Vec<u8>, io::Result<()>>),
    /// Directly, whatever may come.
    Direct,
}

impl<'a> Behind<'a> {
    pub fn new(file: &'a mut File) -> Self {
        Behind {
            file,
            way: Way::Begun(0),
        }
    }

    /// Waits until everything is written.
    fn wait(&mut self) -> io::Result<()> {
        match std::mem::replace(&mut self.way, Way::Direct) {
            Way::Begun(_) | Way::Direct => Ok(()),
            Way::Beside(thread) => thread.finish(),
        }
    }
}

impl Way {
    fn start(file: &File) -> io::Result<Self> {
        let mut file = file.try_clone()?;
        let thread = Beside::start("writer", PIECES, move |pieces| {
            pieces
                .iter()
                .try_for_each(|piece: Vec<u8>| file.write_all(&piece))
        });
        Ok(thread.map_or(Way::Direct, Way::Beside))
    }
}

impl Write for Behind<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Way::Begun(written) = &mut self.way {
            *written += bytes.len();
            if *written > SMALL {
                self.way = Way::start(self.file)?;
            }
        }
        if let Way::Beside(thread) = &self.way {
            let piece = &bytes[..bytes.len().min(PIECE)];
            if thread.send(piece.to_vec()) {
                return Ok(piece.len());
            }
            // The thread has ended, which it does early for an error alone.
            self.wait()?;
        }
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.wait()?;
        self.file.flush()
    }
}

impl Seek for Behind<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.wait()?;
        self.file.seek(to)
    }
}

impl Drop for Behind<'_> {
    fn drop(&mut self) {
        // Nobody who drops it without having flushed it wants to know.
        let _ = self.wait();
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    /// Bytes that are not the same anywhere.
    fn bytes(count: u32) -> Vec<u8> {
        (0..count / 4).flat_map(u32::to_le_bytes).collect()
    }

    #[test]
    fn much_is_written_as_little_is() {
        for count in [0, 4, 1 << 20, 5 << 20] {
            let mut file = tempfile::tempfile().unwrap();
            let mut behind = Behind::new(&mut file);
            let mut expected = bytes(count);
            for piece in expected.chunks(70_000) {
                behind.write_all(piece).unwrap();
            }
            behind.seek(SeekFrom::Start(8)).unwrap();
            behind.write_all(b"patch").unwrap();
            behind.flush().unwrap();
            drop(behind);

            expected.resize(expected.len().max(13), 0);
            expected[8..13].copy_from_slice(b"patch");
            let mut written = Vec::new();
            file.rewind().unwrap();
            file.read_to_end(&mut written).unwrap();
            assert!(written == expected, "{count} bytes");
        }
    }

    #[test]
    fn an_error_of_the_thread_comes_to_light() {
        let path = tempfile::NamedTempFile::new().unwrap();
        let mut file = File::open(path.path()).unwrap();
        let mut behind = Behind {
            way: Way::start(&file).unwrap(),
            file: &mut file,
        };
        let outcome = (0..2 * PIECES)
            .try_for_each(|_| behind.write_all(&[0; 1000]))
            .and_then(|()| behind.flush());
        assert!(outcome.is_err(), "the file was opened for reading");
    }
}
