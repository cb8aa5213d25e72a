//! Signals: before the program ends, it removes its unfinished output.

use std::fs;
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Sender, channel};
use std::thread;

use cg_preprocess::io::remove_unfinished;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU, SIGXFSZ};
use signal_hook::iterator::Signals;
use signal_hook::{flag, low_level};

/// The signals with which users, terminals and limits end a program.
const TOLD_TO_END: [i32; 5] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU];

/// The size of the stack, enough for a thread that waits and removes a file.
const STACK: usize = 64 << 10;

/// Removes unfinished outputs when a signal ends the program from now on. It still ends by the
/// signal, so a shell sees 128 plus its number.
///
/// If this cannot be set up, signals have their default effect.
pub fn handle() {
    // Then writing past a limit on file sizes fails with an error.
    let _ = flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
    let (sender, is_ready) = channel();
    let thread = thread::Builder::new()
        .name("signals".to_owned())
        .stack_size(STACK);
    if thread.spawn(|| wait(sender)).is_ok() {
        // No output begins before the thread runs or has failed.
        let _ = is_ready.recv();
    }
}

fn wait(is_ready: Sender<()>) -> io::Result<()> {
    let ignored = ignored();
    let is_wanted = |signal: &i32| ignored >> (signal - 1) & 1 == 0;
    let mut signals = Signals::new(TOLD_TO_END.into_iter().filter(is_wanted))?;
    drop(is_ready);
    if let Some(signal) = signals.forever().next() {
        remove_unfinished();
        low_level::emulate_default_handler(signal)?;
    }
    Ok(())
}

/// The signals that are ignored, as after `nohup`: one bit each, if the system reports them.
fn ignored() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mut lines = status.lines();
    let bits = lines.find_map(|line| line.strip_prefix("SigIgn:"));
    bits.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok())
        .unwrap_or(0)
}
