//! Signals: told to end, the program ends, but leaves nothing behind.

use std::fs;
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;

use cg_preprocess::output::Unfinished;
use signal_hook::consts::{SIGABRT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU, SIGXFSZ};
use signal_hook::iterator::Signals;
use signal_hook::{flag, low_level};

/// What users, terminals and limits end a program with.
const TOLD_TO_END: [i32; 5] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU];

/// Enough for a thread that waits and removes a file.
const STACK: usize = 64 << 10;

/// Has an unfinished output removed when the program is told to end; it still ends by the signal,
/// so that a shell sees 128 and the signal's number.
///
/// Where that cannot be had, signals do what they always do.
pub fn handle(unfinished: Unfinished) {
    // Past a limit on the size of files, writing fails then.
    let _ = flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
    // Without memory Rust says so and aborts: nothing was converted.
    let _ = flag::register_conditional_shutdown(SIGABRT, 1, Arc::new(AtomicBool::new(true)));
    let thread = thread::Builder::new()
        .name("signals".to_owned())
        .stack_size(STACK);
    let _ = thread.spawn(move || wait(&unfinished));
}

fn wait(unfinished: &Unfinished) -> io::Result<()> {
    let ignored = ignored();
    let wanted = TOLD_TO_END.into_iter();
    let wanted = wanted.filter(|signal| ignored >> (signal - 1) & 1 == 0);
    let mut signals = Signals::new(wanted)?;
    if let Some(signal) = signals.forever().next() {
        unfinished.remove();
        low_level::emulate_default_handler(signal)?;
    }
    Ok(())
}

/// The signals that are to be ignored, as after `nohup`: a bit for each, where the system tells.
fn ignored() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mut lines = status.lines();
    let bits = lines.find_map(|line| line.strip_prefix("SigIgn:"));
    bits.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok())
        .unwrap_or(0)
}
