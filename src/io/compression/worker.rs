//! A worker that decompresses while the other side reads what is decompressed already.

use std::io::{self, BufRead, Read};
use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle};

use super::Decompressor;

/// Size of a chunk: with fewer bytes the threads wake each other too often.
const CHUNK: usize = 512 << 10;

/// How many chunks may wait to be read.
const WAITING: usize = 2;

/// How decompressing ended: how many compressed bytes there were, if there should have been more.
type End = io::Result<Option<u64>>;

/// What a decompressor makes of its input, read as it comes.
///
/// A thread of its own decompresses. Memory is bounded, since it waits for its reader; when the
/// reader is gone, it ends with its next chunk.
pub(in crate::io) struct Decompressed {
    chunks: Receiver<Vec<u8>>,
    /// None after the end.
    thread: Option<JoinHandle<End>>,
    chunk: Vec<u8>,
    /// How much of it has been read.
    read: usize,
    cut: Option<u64>,
}

impl Decompressed {
    pub fn start(decompressor: impl Decompressor) -> io::Result<Self> {
        let (sender, chunks) = sync_channel(WAITING);
        let thread = Builder::new().name("decompressor".to_owned());
        let thread = thread.spawn(move || work(decompressor, &sender));
        let thread = thread.map_err(|error| {
            let text = format!("no thread can be started that decompresses it: {error}");
            io::Error::new(error.kind(), text)
        })?;
        Ok(Decompressed {
            chunks,
            thread: Some(thread),
            chunk: Vec::new(),
            read: 0,
            cut: None,
        })
    }

    /// Once all is read: how many compressed bytes there were, if there should have been more.
    pub fn cut(&self) -> Option<u64> {
        self.cut
    }
}

impl BufRead for Decompressed {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.read == self.chunk.len() {
            self.read = 0;
            self.chunk = self.chunks.recv().unwrap_or_default();
            if self.chunk.is_empty()
                && let Some(thread) = self.thread.take()
            {
                self.cut = thread.join().unwrap_or_else(|panic| resume_unwind(panic))?;
            }
        }
        Ok(&self.chunk[self.read..])
    }

    fn consume(&mut self, count: usize) {
        self.read += count;
    }
}

impl Read for Decompressed {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(room)?;
        self.consume(count);
        Ok(count)
    }
}

/// Fills chunks until the compressed bytes end, or until the reader is gone.
fn work(mut decompressor: impl Decompressor, chunks: &SyncSender<Vec<u8>>) -> End {
    loop {
        let mut chunk = vec![0; CHUNK];
        let mut length = 0;
        let mut end = None;
        while length < CHUNK && end.is_none() {
            match decompressor.read(&mut chunk[length..]) {
                Ok(0) => end = Some(Ok(decompressor.cut())),
                Ok(count) => length += count,
                Err(error) => end = Some(Err(error)),
            }
        }
        // What came before an error is still good.
        chunk.truncate(length);
        let is_unread = !chunk.is_empty() && chunks.send(chunk).is_err();
        if let Some(end) = end {
            return end;
        } else if is_unread {
            return Ok(None);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::mpsc::{Sender, channel};

    use super::*;

    /// Makes `left` bytes, then ends as it is told to.
    struct Made {
        left: usize,
        end: fn() -> End,
        /// Closed when the thread has dropped this.
        _alive: Sender<()>,
    }

    impl Made {
        fn new(left: usize, end: fn() -> End) -> (Self, Receiver<()>) {
            let (alive, ended) = channel();
            let made = Made {
                left,
                end,
                _alive: alive,
            };
            (made, ended)
        }
    }

    impl Read for Made {
        fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
            if self.left == 0 {
                return (self.end)().map(|_| 0);
            }
            // Not in step with the chunks.
            let count = room.len().min(self.left).min(10_007);
            room[..count].fill(b'x');
            self.left -= count;
            Ok(count)
        }
    }

    impl Decompressor for Made {
        fn cut(&self) -> Option<u64> {
            (self.end)().unwrap()
        }
    }

    #[test]
    fn all_bytes_come_through_and_then_how_it_ended() {
        let ends: [fn() -> End; 2] = [|| Ok(Some(42)), || Err(io::Error::other("broken"))];
        let told = |end: End| end.map_err(|error| error.to_string());
        for length in [0, 1, CHUNK, CHUNK + 1, 3 * WAITING * CHUNK + 7] {
            for end in ends {
                let (made, _) = Made::new(length, end);
                let mut decompressed = Decompressed::start(made).unwrap();
                let mut all = Vec::new();
                let outcome = decompressed.read_to_end(&mut all);
                assert!(all == vec![b'x'; length]);
                assert_eq!(told(outcome.map(|_| decompressed.cut())), told(end()));
                assert_eq!(decompressed.read(&mut [0; 10]).unwrap(), 0);
            }
        }
    }

    #[test]
    fn a_panic_is_carried_over() {
        let (made, _) = Made::new(5, || panic!("on the other thread"));
        let mut decompressed = Decompressed::start(made).unwrap();
        let read = catch_unwind(AssertUnwindSafe(|| {
            decompressed.read_to_end(&mut Vec::new())
        }));
        let panic = read.unwrap_err();
        assert_eq!(panic.downcast_ref(), Some(&"on the other thread"));
    }

    #[test]
    fn the_thread_ends_when_nobody_reads_any_more() {
        for read in [0, 1, 2 * CHUNK] {
            let (made, ended) = Made::new(usize::MAX, || Ok(None));
            let mut decompressed = Decompressed::start(made).unwrap();
            decompressed.read_exact(&mut vec![0; read]).unwrap();
            drop(decompressed);
            // Waits for ever if the thread does.
            assert!(ended.recv().is_err());
        }
    }
}
