//! Whether there was a standard output when the program began.
//!
//! Before `main`, Rust's runtime opens `/dev/null` in place of a closed one. Output would be lost
//! without an error.

use std::io;

#[cfg(unix)]
mod before_main {
    use std::sync::atomic::{AtomicBool, Ordering};

    static IS_CLOSED: AtomicBool = AtomicBool::new(false);

    // The attribute of the same name would build a parser of Rust, for this one use of it.
    ctor::declarative::ctor! {
        /// Runs before the runtime, and so without it.
        #[ctor(unsafe)]
        fn look() {
            let outcome = rustix::io::fcntl_getfd(rustix::stdio::stdout());
            IS_CLOSED.store(outcome.is_err(), Ordering::Relaxed);
        }
    }

    pub fn is_closed() -> bool {
        IS_CLOSED.load(Ordering::Relaxed)
    }
}

/// Finds out whether standard output can be written at all.
///
/// # Errors
///
/// The system's error for a closed file, if it was closed.
pub fn check() -> io::Result<()> {
    #[cfg(unix)]
    if before_main::is_closed() {
        return Err(rustix::io::Errno::BADF.into());
    }
    Ok(())
}
