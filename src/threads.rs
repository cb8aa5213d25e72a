//! Threads that are worth having only where a core is free for them.

use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle, available_parallelism};

/// A thread that works off what it is sent, beside the one that sends.
///
/// When it is dropped, the thread ends once it has worked off the rest.
#[derive(Debug)]
pub(crate) struct Beside<T, R> {
    sender: SyncSender<T>,
    thread: JoinHandle<R>,
}

impl<T: Send + 'static, R: Send + 'static> Beside<T, R> {
    /// Starts it; `waiting` things may wait to be worked off.
    ///
    /// None, if there is no core for it beside the present one, or no thread to be had.
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
        Some(Beside { sender, thread })
    }

    /// Sends something, once there is room; false if the thread has ended already.
    pub fn send(&self, thing: T) -> bool {
        self.sender.send(thing).is_ok()
    }

    /// Waits until everything is worked off.
    pub fn finish(self) -> R {
        // The thread ends when there is nobody to send more.
        drop(self.sender);
        self.thread
            .join()
            .unwrap_or_else(|panic| resume_unwind(panic))
    }
}
