//! `cg-preprocess`: exit status and error chain, nothing else.

mod cli;
mod packaging;
mod progress_bar;
#[cfg(unix)]
mod signals;
mod standard_output;
mod webgrind_mode;
mod webgrind_place;

use std::io::{self, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let outcome = match webgrind_mode::arguments() {
        Some(arguments) => webgrind_mode::run(arguments),
        None => cli::run(),
    };
    outcome.unwrap_or_else(|error| {
        // If this fails, there is nobody to tell.
        let _ = writeln!(io::stderr(), "error: {error:#}");
        ExitCode::FAILURE
    })
}
