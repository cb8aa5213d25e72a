//! Progress on standard error.
//!
//! A separate thread polls a counter, so reading is not slowed down.

use std::io::{self, IsTerminal};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use cg_preprocess::io::Progress;
use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// By default, shorter work shows no progress.
const DELAY: Duration = Duration::from_millis(500);

/// The interval of polling.
const TICK: Duration = Duration::from_millis(100);

const WITH_TOTAL: &str = "{wide_bar} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left";
const WITHOUT_TOTAL: &str = "{spinner} {bytes}, {bytes_per_sec}";

/// When to show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// A bar on a terminal, after half a second.
    Auto,
    /// A bar on a terminal, immediately.
    Always,
    /// Nothing.
    Never,
}

/// A progress bar that is shown until it is dropped.
///
/// If no thread can be started, there is no bar; the conversion goes on.
pub struct Bar(Option<(Sender<()>, JoinHandle<()>)>);

impl Bar {
    /// Starts to show how many of `total` bytes were read.
    pub fn start(when: When, progress: Progress, total: Option<u64>) -> Self {
        let delay = match (when, io::stderr().is_terminal()) {
            (When::Never, _) | (_, false) => return Bar(None),
            (When::Auto, true) => DELAY,
            (When::Always, true) => Duration::ZERO,
        };
        let (stop, stopped) = channel::<()>();
        // Waits until the work ends, at most for this long.
        let goes_on_for = move |time| stopped.recv_timeout(time) == Err(RecvTimeoutError::Timeout);
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden());
        let template = total.map_or(WITHOUT_TOTAL, |_| WITH_TOTAL);
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        let show = move || {
            if goes_on_for(delay) {
                // Drawn once there is a rate.
                bar.set_position(progress.bytes());
                bar.set_draw_target(ProgressDrawTarget::stderr());
                while goes_on_for(TICK) {
                    bar.set_position(progress.bytes());
                }
                bar.finish_and_clear();
            }
        };
        let thread = Builder::new().name("progress".to_owned()).spawn(show);
        Bar(thread.ok().map(|thread| (stop, thread)))
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.0.take() {
            drop(stop);
            // A panic in the bar must not stop the conversion.
            let _ = thread.join();
        }
    }
}
