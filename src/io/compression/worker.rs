//! A thread that decompresses while another one reads its output.

use std::io::{self, BufRead, BufWriter, Cursor, Read, Write};
use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle};

use crate::io::plain;

/// The size of a chunk. With smaller ones, the threads wake each other too often.
const CHUNK: usize = 512 << 10;

/// The most chunks that wait to be read.
const QUEUED_CHUNKS: usize = 2;

/// The destination of a decompressor.
pub(in crate::io) type Plain = BufWriter<Chunks>;

/// Sends everything written to the reader. It fails when the reader is gone.
pub(in crate::io) struct Chunks(SyncSender<Vec<u8>>);

impl Write for Chunks {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let sent = self.0.send(bytes.to_vec());
        sent.map_err(|_| io::ErrorKind::BrokenPipe)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The output of a decompressor, read while it is produced.
///
/// A separate thread decompresses. It waits for its reader, which bounds memory; when the reader is
/// gone, it ends with its next chunk.
pub(in crate::io) struct Decompressed {
    chunks: Receiver<Vec<u8>>,
    /// `None` after the end.
    thread: Option<JoinHandle<io::Result<()>>>,
    chunk: Cursor<Vec<u8>>,
}

impl Decompressed {
    pub fn start(
        decompress: impl FnOnce(&mut Plain) -> io::Result<()> + Send + 'static,
    ) -> io::Result<Self> {
        let (sender, chunks) = sync_channel(QUEUED_CHUNKS);
        let work = move || {
            let mut plain = BufWriter::with_capacity(CHUNK, Chunks(sender));
            let end = decompress(&mut plain);
            // The data before an error are still good.
            plain.flush()?;
            end
        };
        let thread = Builder::new()
            .name("decompressor".to_owned())
            .spawn(work)
            .map_err(|error| {
                let kind = error.kind();
                let text = format!(
                    "no thread can be started that decompresses it: {}",
                    plain(error)
                );
                io::Error::new(kind, text)
            })?;
        Ok(Decompressed {
            chunks,
            thread: Some(thread),
            chunk: Cursor::default(),
        })
    }
}

impl BufRead for Decompressed {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.chunk.fill_buf()?.is_empty() {
            self.chunk = Cursor::new(self.chunks.recv().unwrap_or_default());
            if self.chunk.get_ref().is_empty()
                && let Some(thread) = self.thread.take()
            {
                thread.join().unwrap_or_else(|panic| resume_unwind(panic))?;
            }
        }
        self.chunk.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        self.chunk.consume(count);
    }
}

impl Read for Decompressed {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(room)?;
        self.consume(count);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::mpsc::{Sender, channel};

    use super::*;

    /// Makes this many bytes, then ends in this way; also returns what is closed when the thread has
    /// ended.
    fn make(length: u64, end: fn() -> io::Result<()>) -> (Decompressed, Receiver<()>) {
        let (alive, ended) = channel();
        let decompressed = Decompressed::start(move |plain| {
            let _alive: Sender<()> = alive;
            io::copy(&mut io::repeat(b'x').take(length), plain)?;
            end()
        });
        (decompressed.unwrap(), ended)
    }

    #[test]
    fn all_bytes_come_through_and_then_how_it_ended() {
        let ends: [fn() -> io::Result<()>; 2] = [|| Ok(()), || Err(io::Error::other("broken"))];
        let message = |end: io::Result<()>| end.map_err(|error| error.to_string());
        for length in [0, 1, CHUNK, CHUNK + 1, 3 * QUEUED_CHUNKS * CHUNK + 7] {
            for end in ends {
                let (mut decompressed, _) = make(length as u64, end);
                let mut all = Vec::new();
                let outcome = decompressed.read_to_end(&mut all);
                assert!(all == vec![b'x'; length]);
                assert_eq!(message(outcome.map(drop)), message(end()));
                assert_eq!(decompressed.read(&mut [0; 10]).unwrap(), 0);
            }
        }
    }

    #[test]
    fn a_panic_is_carried_over() {
        let (mut decompressed, _) = make(5, || panic!("on the other thread"));
        let read = catch_unwind(AssertUnwindSafe(|| {
            decompressed.read_to_end(&mut Vec::new())
        }));
        let panic = read.unwrap_err();
        assert_eq!(panic.downcast_ref(), Some(&"on the other thread"));
    }

    #[test]
    fn the_thread_ends_when_nobody_reads_any_more() {
        for read in [0, 1, 2 * CHUNK] {
            let (mut decompressed, ended) = make(u64::MAX, || Ok(()));
            decompressed.read_exact(&mut vec![0; read]).unwrap();
            drop(decompressed);
            // Waits for ever if the thread does.
            assert!(ended.recv().is_err());
        }
    }
}
