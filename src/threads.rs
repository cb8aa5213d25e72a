//! Threads that pay off only if there is a free core for them.

use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle, available_parallelism};

/// A thread that processes what it is sent, while the sender goes on.
///
/// When this is dropped, the thread processes what is left, and ends.
#[derive(Debug)]
pub(crate) struct WorkerThread<T, R> {
    sender: SyncSender<T>,
    thread: JoinHandle<R>,
}

impl<T: Send + 'static, R: Send + 'static> WorkerThread<T, R> {
    /// Starts the thread; up to `waiting` items may be queued.
    ///
    /// None, if there is only one core, or if no thread can be started.
    pub fn start(
        name: &str,
        waiting: usize,
        work: impl FnOnce(Receiver<T>) -> R + Send + 'static,
    ) -> Option<Self> {
        if available_parallelism().map_or(1, usize::from) < 2 {
            return None;
        }
        let (sender, receiver) = sync_channel(waiting);
        let thread = Builder::new().name(name.to_owned());
        let thread = thread.spawn(move || work(receiver)).ok()?;
        Some(WorkerThread { sender, thread })
    }

    /// Sends an item as soon as there is room; false if the thread has already ended.
    pub fn send(&self, thing: T) -> bool {
        self.sender.send(thing).is_ok()
    }

    /// Waits until everything is processed.
    pub fn finish(self) -> R {
        // The thread ends when its sender is gone.
        drop(self.sender);
        self.thread
            .join()
            .unwrap_or_else(|panic| resume_unwind(panic))
    }
}
