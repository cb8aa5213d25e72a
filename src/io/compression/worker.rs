//! A worker that decompresses while the other side reads what is decompressed already.

use std::io::{self, BufRead, Read};
use std::ops::Range;
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

/// What a decompressor makes of its input, read as it comes.
pub(in crate::io) struct Decompressed {
    way: Way,
    chunk: Vec<u8>,
    /// Which of its bytes are decompressed and still to be read.
    unread: Range<usize>,
    cut: Option<u64>,
}

/// Who decompresses.
enum Way {
    Worker(Worker),
    /// The reading thread itself, if no other thread can be started.
    InPlace(Box<dyn Decompressor>),
    /// Nobody: it has ended.
    Ended,
}

/// A thread with a few buffers that go back and forth, so memory is bounded and neither side waits
/// for long. When the reader is gone, the thread ends with its next buffer.
struct Worker {
    full: Receiver<Vec<u8>>,
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
            Err(decompressor) => Way::InPlace(Box::new(decompressor)),
        };
        Decompressed {
            way,
            chunk: Vec::new(),
            unread: 0..0,
            cut: None,
        }
    }

    /// Once all is read: how many compressed bytes there were, if there should have been more.
    pub fn cut(&self) -> Option<u64> {
        self.cut
    }

    /// Goes on to the next chunk, which is empty at the end.
    fn advance(&mut self) -> io::Result<()> {
        let mut read = std::mem::take(&mut self.chunk);
        self.unread = 0..0;
        match std::mem::replace(&mut self.way, Way::Ended) {
            Way::Ended => {}
            Way::Worker(worker) => {
                if !read.is_empty() {
                    // The thread may have ended already.
                    let _ = worker.empty.send(read);
                }
                match worker.full.recv() {
                    Ok(next) => {
                        self.unread = 0..next.len();
                        (self.chunk, self.way) = (next, Way::Worker(worker));
                    }
                    Err(_) => {
                        let end = worker.thread.join();
                        self.cut = end.unwrap_or_else(|panic| resume_unwind(panic))?;
                    }
                }
            }
            Way::InPlace(mut decompressor) => {
                read.resize(BUFFER, 0);
                match decompressor.decompress(&mut read)? {
                    0 => self.cut = decompressor.cut(),
                    count => {
                        self.unread = 0..count;
                        (self.chunk, self.way) = (read, Way::InPlace(decompressor));
                    }
                }
            }
        }
        Ok(())
    }
}

impl BufRead for Decompressed {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.unread.is_empty() {
            self.advance()?;
        }
        Ok(&self.chunk[self.unread.clone()])
    }

    fn consume(&mut self, count: usize) {
        self.unread.start += count;
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
}

/// Fills buffers until the compressed bytes end, or until the reader is gone.
fn work(
    mut decompressor: impl Decompressor,
    full: &SyncSender<Vec<u8>>,
    empty: &Receiver<Vec<u8>>,
) -> End {
    for mut chunk in empty {
        let mut length = 0;
        while length < chunk.len() {
            match decompressor.decompress(&mut chunk[length..]) {
                Ok(count @ 1..) => length += count,
                end => {
                    // What came before an error is still good.
                    if length > 0 {
                        chunk.truncate(length);
                        let _ = full.send(chunk);
                    }
                    return end.map(|_| decompressor.cut());
                }
            }
        }
        if full.send(chunk).is_err() {
            break;
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::mpsc;

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
            let (alive, ended) = mpsc::channel();
            let made = Made {
                left,
                end,
                _alive: alive,
            };
            (made, ended)
        }
    }

    impl Decompressor for Made {
        fn decompress(&mut self, room: &mut [u8]) -> io::Result<usize> {
            if self.left == 0 {
                return (self.end)().map(|_| 0);
            }
            // Not in step with the buffers.
            let count = room.len().min(self.left).min(10_007);
            room[..count].fill(b'x');
            self.left -= count;
            Ok(count)
        }

        fn cut(&self) -> Option<u64> {
            (self.end)().unwrap()
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
        assert!(matches!(ways, [Way::Worker(_), Way::InPlace(_)]));
    }

    #[test]
    fn all_bytes_come_through_and_then_how_it_ended() {
        let ends: [fn() -> End; 2] = [|| Ok(Some(42)), || Err(io::Error::other("broken"))];
        let told = |end: End| end.map_err(|error| error.to_string());
        for (length, end) in LENGTHS
            .iter()
            .flat_map(|&length| ends.map(|end| (length, end)))
        {
            for thread in threads() {
                let (made, _) = Made::new(length, end);
                let mut decompressed = Decompressed::start_with(thread, made);
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
