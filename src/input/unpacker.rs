//! A thread that unpacks while another one reads what is unpacked already.

use std::io::{self, BufRead, Read};
use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{Builder, JoinHandle};

/// Size of a buffer: with fewer bytes the threads wake each other too often.
const BUFFER: usize = 512 << 10;

/// How many buffers go round between the two threads.
const BUFFERS: usize = 4;

/// A decompressor.
pub(super) trait Unpack: Send + 'static {
    /// Unpacks into `room`, from its start, and returns how many bytes; none at the end.
    fn unpack(&mut self, room: &mut [u8]) -> io::Result<usize>;

    /// After the end: how many packed bytes there were, if there should have been more.
    fn cut(&self) -> Option<u64>;
}

/// Unpacked bytes.
#[derive(Default)]
struct Chunk {
    buffer: Vec<u8>,
    end: usize,
}

/// What a decompressor on a thread of its own unpacks.
///
/// A few buffers go round, so that memory is bounded and neither side waits for long. When the
/// unpacker is dropped, the thread ends with its next buffer.
pub(super) struct Unpacker {
    full: Receiver<Chunk>,
    empty: Sender<Vec<u8>>,
    chunk: Chunk,
    start: usize,
    thread: Option<JoinHandle<io::Result<Option<u64>>>>,
    cut: Option<u64>,
}

impl Unpacker {
    /// Starts the thread.
    pub fn start(decompressor: impl Unpack) -> io::Result<Self> {
        let (full_sender, full) = sync_channel(BUFFERS);
        let (empty, empty_receiver) = channel();
        for _ in 0..BUFFERS {
            // It cannot fail: the receiver is at hand.
            let _ = empty.send(vec![0; BUFFER]);
        }
        let thread = Builder::new()
            .name("unpacker".to_owned())
            .spawn(move || work(decompressor, &full_sender, &empty_receiver))?;
        Ok(Unpacker {
            full,
            empty,
            chunk: Chunk::default(),
            start: 0,
            thread: Some(thread),
            cut: None,
        })
    }

    /// Once all is read: how many packed bytes there were, if there should have been more.
    pub fn cut(&self) -> Option<u64> {
        self.cut
    }

    /// Hears from the thread how it ended.
    fn end(&mut self) -> io::Result<()> {
        let Some(thread) = self.thread.take() else {
            return Ok(());
        };
        match thread.join() {
            Ok(outcome) => {
                self.cut = outcome?;
                Ok(())
            }
            Err(panic) => resume_unwind(panic),
        }
    }
}

impl BufRead for Unpacker {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.start == self.chunk.end {
            let Ok(next) = self.full.recv() else {
                self.end()?;
                return Ok(&[]);
            };
            let read = std::mem::replace(&mut self.chunk, next);
            self.start = 0;
            if read.end > 0 {
                // The thread may have ended already.
                let _ = self.empty.send(read.buffer);
            }
        }
        Ok(&self.chunk.buffer[self.start..self.chunk.end])
    }

    fn consume(&mut self, count: usize) {
        self.start += count;
    }
}

impl Read for Unpacker {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(room)?;
        self.consume(count);
        Ok(count)
    }
}

/// Fills buffers until the packed bytes end, or until nobody wants them any more.
fn work(
    mut decompressor: impl Unpack,
    full: &SyncSender<Chunk>,
    empty: &Receiver<Vec<u8>>,
) -> io::Result<Option<u64>> {
    for mut buffer in empty {
        let mut end = 0;
        let outcome = loop {
            match decompressor.unpack(&mut buffer[end..]) {
                Ok(0) => break Some(Ok(decompressor.cut())),
                Ok(count) => end += count,
                Err(error) => break Some(Err(error)),
            }
            if end == buffer.len() {
                break None;
            }
        };
        // What was unpacked before an error is still good.
        let is_wanted = end == 0 || full.send(Chunk { buffer, end }).is_ok();
        match outcome {
            Some(outcome) => return outcome,
            None if !is_wanted => break,
            None => {}
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

    impl Unpack for Made {
        fn unpack(&mut self, room: &mut [u8]) -> io::Result<usize> {
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

    #[test]
    fn all_bytes_come_through_and_then_how_it_ended() {
        for length in LENGTHS {
            let (made, _) = Made::new(length, || Ok(Some(42)));
            let mut unpacker = Unpacker::start(made).unwrap();
            let mut all = Vec::new();
            unpacker.read_to_end(&mut all).unwrap();
            assert_eq!(all.len(), length);
            assert_eq!(unpacker.cut(), Some(42));
            assert_eq!(unpacker.read(&mut [0; 10]).unwrap(), 0);
        }
    }

    #[test]
    fn an_error_comes_after_the_bytes_before_it() {
        for length in LENGTHS {
            let (made, _) = Made::new(length, || Err(io::Error::other("broken")));
            let mut unpacker = Unpacker::start(made).unwrap();
            let mut all = Vec::new();
            let error = unpacker.read_to_end(&mut all).unwrap_err();
            assert_eq!(error.to_string(), "broken");
            assert_eq!(all.len(), length);
        }
    }

    #[test]
    fn a_panic_is_carried_over() {
        let (made, _) = Made::new(5, || panic!("on the other thread"));
        let mut unpacker = Unpacker::start(made).unwrap();
        let read = catch_unwind(AssertUnwindSafe(|| unpacker.read_to_end(&mut Vec::new())));
        let panic = read.unwrap_err();
        assert_eq!(panic.downcast_ref(), Some(&"on the other thread"));
    }

    #[test]
    fn the_thread_ends_when_nobody_reads_any_more() {
        for read in [0, 1, 2 * BUFFER] {
            let (made, ended) = Made::new(usize::MAX, || Ok(None));
            let mut unpacker = Unpacker::start(made).unwrap();
            unpacker.read_exact(&mut vec![0; read]).unwrap();
            drop(unpacker);
            // Waits for ever if the thread does.
            assert!(ended.recv().is_err());
        }
    }
}
