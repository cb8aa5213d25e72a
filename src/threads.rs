//! Threads that are worth having only where a core is free for them.

use std::thread::{Builder, JoinHandle, available_parallelism};

/// Starts a thread; none, if there is no core for it beside the present one, or no thread to be had.
pub(crate) fn spawn_beside<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<JoinHandle<T>> {
    let has_core = available_parallelism().is_ok_and(|cores| cores.get() > 1);
    let thread = has_core.then(|| Builder::new().name(name.to_owned()).spawn(work));
    thread?.ok()
}
