//! Signals: a program that is told to end removes its unfinished output first.

use std::fs;
use std::io;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use cg_preprocess::io::Unfinished;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU, SIGXFSZ};
use signal_hook::iterator::Signals;
use signal_hook::{flag, low_level};

/// The signals with which users, terminals and limits end a program.
const TOLD_TO_END: [i32; 5] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU];

/// Stack size; enough for a thread that waits and removes a file.
const STACK: usize = 64 << 10;

/// The outputs that have been begun.
static OUTPUTS: Mutex<Vec<Unfinished>> = Mutex::new(Vec::new());

/// Removes an unfinished output when the program is told to end. The program still ends by the
/// signal, so a shell sees 128 plus the number of the signal.
///
/// If this cannot be set up, signals have their default effect.
pub fn handle(unfinished: Unfinished) {
    let mut outputs = outputs();
    outputs.push(unfinished);
    if outputs.len() > 1 {
        return;
    }
    // Then writing past a limit on file sizes fails with an error.
    let _ = flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
    let thread = thread::Builder::new()
        .name("signals".to_owned())
        .stack_size(STACK);
    let _ = thread.spawn(wait);
}

fn outputs() -> MutexGuard<'static, Vec<Unfinished>> {
    OUTPUTS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn wait() -> io::Result<()> {
    let ignored = ignored();
    let wanted = TOLD_TO_END.into_iter();
    let wanted = wanted.filter(|signal| ignored >> (signal - 1) & 1 == 0);
    let mut signals = Signals::new(wanted)?;
    if let Some(signal) = signals.forever().next() {
        outputs().iter().for_each(Unfinished::remove);
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
