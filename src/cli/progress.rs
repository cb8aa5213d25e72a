//! Progress on standard error.
//!
//! A separate thread looks at a counter now and then, so reading is not slowed down.

use std::io::{self, IsTerminal, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use cg_preprocess::io::Progress;
use clap::ValueEnum;
use indicatif::{HumanBytes, ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The progress of shorter work is not shown by default.
const PATIENCE: Duration = Duration::from_millis(500);

/// Time between two looks at the counter.
const TICK: Duration = Duration::from_millis(100);

/// Time between two lines where there is no terminal.
const LINE_TICK: Duration = Duration::from_secs(1);

const WITH_TOTAL: &str = "{wide_bar} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left";
const WITHOUT_TOTAL: &str = "{spinner} {bytes}, {bytes_per_sec}";

/// When to show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// A bar on a terminal, after half a second.
    Auto,
    /// Immediately; without a terminal, a line per second.
    Always,
    /// Nothing.
    Never,
}

/// A progress bar that is shown until it is dropped.
///
/// If no thread can be started for it, there is none: the conversion matters more.
pub struct Bar(Option<(Sender<()>, JoinHandle<()>)>);

impl Bar {
    /// Begins to show how much of `total` bytes has been read.
    pub fn start(when: When, progress: Progress, total: Option<u64>) -> Self {
        Bar::start_with(Builder::new(), when, progress, total)
    }

    fn start_with(thread: Builder, when: When, progress: Progress, total: Option<u64>) -> Self {
        let show: fn(&View) = match (when, io::stderr().is_terminal()) {
            (When::Never, _) | (When::Auto, false) => return Bar(None),
            (When::Auto, true) => |view| {
                if view.goes_on_for(PATIENCE) {
                    view.draw();
                }
            },
            (When::Always, true) => View::draw,
            (When::Always, false) => View::print,
        };
        let (stop, stopped) = channel();
        let view = View {
            progress,
            total,
            start: Instant::now(),
            stopped,
        };
        let thread = thread.name("progress".to_owned());
        let thread = thread.spawn(move || show(&view));
        Bar(thread.ok().map(|thread| (stop, thread)))
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.0.take() {
            drop(stop);
            // A panic in the bar must not lose the conversion.
            let _ = thread.join();
        }
    }
}

/// The state of the thread.
struct View {
    progress: Progress,
    total: Option<u64>,
    start: Instant,
    stopped: Receiver<()>,
}

impl View {
    /// Waits, but not longer than the work takes.
    fn goes_on_for(&self, time: Duration) -> bool {
        self.stopped.recv_timeout(time) == Err(RecvTimeoutError::Timeout)
    }

    fn draw(&self) {
        // Drawn only when there is a rate: the bytes read so far must not count as read all at
        // once.
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
        let line = line(self.progress.bytes(), self.total, self.start.elapsed());
        let _ = writeln!(io::stderr(), "{line}");
    }
}

/// How far the work is after some time.
fn line(bytes: u64, total: Option<u64>, time: Duration) -> String {
    let rate = u128::from(bytes) * 1000 / time.as_millis().max(1);
    let rate = u64::try_from(rate).unwrap_or(u64::MAX);
    let mut line = format!("{}", HumanBytes(bytes));
    if let Some(total) = total {
        line += &format!(" of {}", HumanBytes(total));
    }
    line += &format!(" read, {}/s", HumanBytes(rate));
    if let Some(left) = total.and_then(|total| total.checked_sub(bytes)) {
        line += &format!(", {} s left", left.div_ceil(rate.max(1)));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_how_far_it_is() {
        let second = Duration::from_secs(1);
        for (bytes, total, time, told) in [
            (0, None, Duration::ZERO, "0 B read, 0 B/s"),
            (0, Some(5), 2 * second, "0 B of 5 B read, 0 B/s, 5 s left"),
            (
                1,
                Some(1),
                second / 2000,
                "1 B of 1 B read, 1000 B/s, 0 s left",
            ),
            (
                600,
                Some(1001),
                2 * second,
                "600 B of 1001 B read, 300 B/s, 2 s left",
            ),
            (600, Some(599), 3 * second, "600 B of 599 B read, 200 B/s"),
        ] {
            assert_eq!(line(bytes, total, time), told);
        }
    }

    #[test]
    fn without_a_thread_there_is_no_bar() {
        let start = |thread, when| Bar::start_with(thread, when, Progress::default(), None);
        let threads = [Builder::new(), Builder::new().stack_size(1 << 56)];
        let bars = threads.map(|thread| start(thread, When::Always));
        assert!(matches!(bars, [Bar(Some(_)), Bar(None)]));
    }
}
