//! How far it is, on standard error.
//!
//! A thread of its own looks at a counter now and then, so that reading pays nothing for it.

use std::io::{self, IsTerminal, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use cg_preprocess::input::Progress;
use indicatif::{HumanBytes, ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Work that takes less is not shown, unless it always is.
const PATIENCE: Duration = Duration::from_millis(500);

/// Time between two looks at the counter.
const TICK: Duration = Duration::from_millis(100);

/// Time between two lines where there is no terminal.
const LINE_TICK: Duration = Duration::from_secs(1);

const WITH_TOTAL: &str = "{wide_bar} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left";
const WITHOUT_TOTAL: &str = "{spinner} {bytes}, {bytes_per_sec}";

/// When to show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// On a terminal, if it takes long.
    Auto,
    /// Also where it ends up in a file.
    Always,
    /// Not at all.
    Never,
}

/// A bar that is there until it is dropped.
pub struct Bar {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Bar {
    /// Begins to show how much of `total` bytes has been read.
    pub fn start(when: When, progress: Progress, total: Option<u64>) -> Self {
        let on_terminal = io::stderr().is_terminal();
        let (stop, stopped) = channel();
        let view = View {
            progress,
            total,
            start: Instant::now(),
            stopped,
        };
        let thread = match (when, on_terminal) {
            (When::Never, _) | (When::Auto, false) => None,
            (When::Auto, true) => Some(thread::spawn(move || {
                if view.goes_on_for(PATIENCE) {
                    view.draw();
                }
            })),
            (When::Always, true) => Some(thread::spawn(move || view.draw())),
            (When::Always, false) => Some(thread::spawn(move || view.print())),
        };
        Bar {
            stop: Some(stop),
            thread,
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A bar that panicked is no reason to lose the conversion.
            let _ = thread.join();
        }
    }
}

/// What the thread works with.
struct View {
    progress: Progress,
    total: Option<u64>,
    start: Instant,
    stopped: Receiver<()>,
}

impl View {
    /// Waits, unless the work ends before.
    fn goes_on_for(&self, time: Duration) -> bool {
        self.stopped.recv_timeout(time) == Err(RecvTimeoutError::Timeout)
    }

    fn draw(&self) {
        // Drawn only when there is a rate: what was read before must not count as if it had come
        // at once.
        let bar = ProgressBar::with_draw_target(self.total, ProgressDrawTarget::hidden());
        bar.set_position(self.progress.bytes());
        bar.reset_eta();
        let template = match self.total {
            Some(_) => WITH_TOTAL,
            None => WITHOUT_TOTAL,
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_draw_target(ProgressDrawTarget::stderr());
        while self.goes_on_for(TICK) {
            bar.set_position(self.progress.bytes());
        }
        bar.finish_and_clear();
    }

    fn print(&self) {
        while self.goes_on_for(LINE_TICK) {
            self.print_line();
        }
        self.print_line();
    }

    fn print_line(&self) {
        let bytes = self.progress.bytes();
        let millis = self.start.elapsed().as_millis().max(1);
        let rate = u128::from(bytes) * 1000 / millis;
        let rate = u64::try_from(rate).unwrap_or(u64::MAX);
        let mut line = format!("{}", HumanBytes(bytes));
        if let Some(total) = self.total {
            line += &format!(" of {}", HumanBytes(total));
        }
        line += &format!(" read, {}/s", HumanBytes(rate));
        if let Some(left) = self.total.and_then(|total| total.checked_sub(bytes)) {
            line += &format!(", {} s left", left.div_ceil(rate.max(1)));
        }
        let _ = writeln!(io::stderr(), "{line}");
    }
}
