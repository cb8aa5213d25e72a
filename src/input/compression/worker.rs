//! A worker that decompresses while the other side reads what is decompressed already.

use std::io::{self, BufRead, Read};
use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{Builder, JoinHandle};

use super::Decompressor;

/// Size of a buffer: with fewer bytes the threads wake each other too often.
const BUFFER: usize = 512 << 10;

/// How many buffers go round between the two threads.
const BUFFERS: usize = 4;

/// How decompressing ended: how many compressed bytes there were, if there should have been more.
type End = io::Result<Option<u64>>;

/// Decompressed bytes.
#[derive(Default)]
struct Chunk {
    buffer: Vec<u8>,
    end: usize,
}

/// What a decompressor makes of its input, read as it comes.
pub(in crate::input) struct Decompressed {
    way: Way,
    chunk: Chunk,
    start: usize,
    cut: Option<u64>,
}

/// Who decompresses.
enum Way {
    Worker(Worker),
    /// The reading thread itself, if no other thread can be started.
    InPlace {
        decompressor: Box<dyn Decompressor>,
        /// How it ended, once it has.
        end: Option<End>,
    },
    /// Nobody: it has ended.
    Ended,
}

/// A thread with a few buffers that go back and forth, so memory is bounded and neither side waits
/// for long. When the reader is gone, the thread ends with its next buffer.
struct Worker {
    full: Receiver<Chunk>,
    empty: Sender<Vec<u8>>,
    thread: JoinHandle<End>,
}

impl Decompressed {
    pub fn start(decompressor: impl Decompressor) -> Self {
        Self::start_with(Builder::new(), decompressor)
    }

    fn start_with(thread: Builder, decompressor: impl Decompressor) -> Self {
        let way = match Worker::start(thread, decompressor) {
            Ok(worker) => Way::Worker(worker),
            Err(decompressor) => Way::InPlace {
                decompressor: Box::new(decompressor),
                end: None,
            },
        };
        Decompressed {
            way,
            chunk: Chunk::default(),
            start: 0,
            cut: None,
        }
    }

    /// Once all is read: how many compressed bytes there were, if there should have been more.
    pub fn cut(&self) -> Option<u64> {
        self.cut
    }

    /// Goes on to the next chunk, which is empty at the end.
    fn advance(&mut self) -> io::Result<()> {
        let read = std::mem::take(&mut self.chunk);
        self.start = 0;
        match &mut self.way {
            Way::Ended => return Ok(()),
            Way::Worker(worker) => {
                if read.end > 0 {
                    // The thread may have ended already.
                    let _ = worker.empty.send(read.buffer);
                }
                if let Ok(next) = worker.full.recv() {
                    self.chunk = next;
                    return Ok(());
                }
            }
            Way::InPlace { decompressor, end } => {
                if end.is_none() {
                    self.chunk = read;
                    self.chunk.buffer.resize(BUFFER, 0);
                    *end = self.chunk.fill(decompressor.as_mut());
                }
                if self.chunk.end > 0 {
                    return Ok(());
                }
            }
        }
        self.cut = match std::mem::replace(&mut self.way, Way::Ended) {
            Way::Worker(worker) => worker.end()?,
            Way::InPlace { end, .. } => end.transpose()?.flatten(),
            Way::Ended => None,
        };
        Ok(())
    }
}

impl BufRead for Decompressed {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.start == self.chunk.end {
            self.advance()?;
        }
        Ok(&self.chunk.buffer[self.start..self.chunk.end])
    }

    fn consume(&mut self, count: usize) {
        self.start += count;
    }
}

impl Read for Decompressed {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(room)?;
        self.consume(count);
        Ok(count)
    }
}

impl Worker {
    /// Starts the thread. If it cannot be started, returns the decompressor.
    fn start<D: Decompressor>(thread: Builder, decompressor: D) -> Result<Self, D> {
        let (full_sender, full) = sync_channel(BUFFERS);
        let (empty, empty_receiver) = channel();
        // What a thread takes with it is lost if it cannot be started.
        let (hand_over, handed_over) = channel();
        let work = move || match handed_over.recv() {
            Ok(decompressor) => work(decompressor, &full_sender, &empty_receiver),
            Err(_) => Ok(None),
        };
        let Ok(thread) = thread.name("decompressor".to_owned()).spawn(work) else {
            return Err(decompressor);
        };
        hand_over.send(decompressor).map_err(|unsent| unsent.0)?;
        for _ in 0..BUFFERS {
            // It cannot fail: the thread waits for them.
            let _ = empty.send(vec![0; BUFFER]);
        }
        Ok(Worker {
            full,
            empty,
            thread,
        })
    }

    /// Receives the outcome from the thread.
    fn end(self) -> End {
        let outcome = self.thread.join();
        outcome.unwrap_or_else(|panic| resume_unwind(panic))
    }
}

/// Fills buffers until the compressed bytes end, or until the reader is gone.
fn work(
    mut decompressor: impl Decompressor,
    full: &SyncSender<Chunk>,
    empty: &Receiver<Vec<u8>>,
) -> End {
    for buffer in empty {
        let mut chunk = Chunk { buffer, end: 0 };
        let end = chunk.fill(&mut decompressor);
        // What came before an error is still good.
        let is_wanted = chunk.end == 0 || full.send(chunk).is_ok();
        match end {
            Some(end) => return end,
            None if !is_wanted => break,
            None => {}
        }
    }
    Ok(None)
}

impl Chunk {
    /// Fills the buffer from its start; returns how it ended, if it did.
    fn fill(&mut self, decompressor: &mut dyn Decompressor) -> Option<End> {
        self.end = 0;
        while self.end < self.buffer.len() {
            match decompressor.decompress(&mut self.buffer[self.end..]) {
                Ok(0) => return Some(Ok(decompressor.cut())),
                Ok(count) => self.end += count,
                Err(error) => return Some(Err(error)),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::mpsc;

    use super::*;

    /// Makes `left` bytes, then ends as it is told to.
    struct Made {
        left: usize,
        end: fn() -> io::Result<Option<u64>>,
        cut: Option<u64>,
        /// Closed when the thread has dropped this.
        _alive: Sender<()>,
    }

    impl Made {
        fn new(left: usize, end: fn() -> io::Result<Option<u64>>) -> (Self, Receiver<()>) {
            let (alive, ended) = mpsc::channel();
            let made = Made {
                left,
                end,
                cut: None,
                _alive: alive,
            };
            (made, ended)
        }
    }

    impl Decompressor for Made {
        fn decompress(&mut self, room: &mut [u8]) -> io::Result<usize> {
            if self.left == 0 {
                self.cut = (self.end)()?;
                return Ok(0);
            }
            // Not in step with the buffers.
            let count = room.len().min(self.left).min(10_007);
            room[..count].fill(b'x');
            self.left -= count;
            Ok(count)
        }

        fn cut(&self) -> Option<u64> {
            self.cut
        }
    }

    const LENGTHS: [usize; 5] = [0, 1, BUFFER, BUFFER + 1, 3 * BUFFERS * BUFFER + 7];

    /// A thread as it should be, and one that no system can start.
    fn threads() -> [Builder; 2] {
        [Builder::new(), Builder::new().stack_size(1 << 56)]
    }

    #[test]
    fn without_a_thread_it_is_done_in_place() {
        let ways = threads().map(|thread| {
            let (made, _) = Made::new(10, || Ok(None));
            Decompressed::start_with(thread, made).way
        });
        assert!(matches!(ways, [Way::Worker(_), Way::InPlace { .. }]));
    }

    #[test]
    fn all_bytes_come_through_and_then_how_it_ended() {
        for length in LENGTHS {
            for thread in threads() {
                let (made, _) = Made::new(length, || Ok(Some(42)));
                let mut decompressed = Decompressed::start_with(thread, made);
                let mut all = Vec::new();
                decompressed.read_to_end(&mut all).unwrap();
                assert!(all == vec![b'x'; length]);
                assert_eq!(decompressed.cut(), Some(42));
                assert_eq!(decompressed.read(&mut [0; 10]).unwrap(), 0);
            }
        }
    }

    #[test]
    fn an_error_comes_after_the_bytes_before_it() {
        for length in LENGTHS {
            for thread in threads() {
                let (made, _) = Made::new(length, || Err(io::Error::other("broken")));
                let mut decompressed = Decompressed::start_with(thread, made);
                let mut all = Vec::new();
                let error = decompressed.read_to_end(&mut all).unwrap_err();
                assert_eq!(error.to_string(), "broken");
                assert_eq!(all.len(), length);
            }
        }
    }

    #[test]
    fn a_panic_is_carried_over() {
        let (made, _) = Made::new(5, || panic!("on the other thread"));
        let mut decompressed = Decompressed::start(made);
        let read = catch_unwind(AssertUnwindSafe(|| {
            decompressed.read_to_end(&mut Vec::new())
        }));
        let panic = read.unwrap_err();
        assert_eq!(panic.downcast_ref(), Some(&"on the other thread"));
    }

    #[test]
    fn the_thread_ends_when_nobody_reads_any_more() {
        for read in [0, 1, 2 * BUFFER] {
            let (made, ended) = Made::new(usize::MAX, || Ok(None));
            let mut decompressed = Decompressed::start(made);
            decompressed.read_exact(&mut vec![0; read]).unwrap();
            drop(decompressed);
            // Waits for ever if the thread does.
            assert!(ended.recv().is_err());
        }
    }
}
