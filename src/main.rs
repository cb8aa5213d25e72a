//! `cg-preprocess`: exit status and error chain, nothing else.

mod cli;
mod drop_in;
mod generate;
mod progress;

use std::io::{self, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let outcome = match drop_in::arguments() {
        Some(arguments) => drop_in::run(arguments),
        None => cli::run(),
    };
    outcome.unwrap_or_else(|error| {
        // Nobody is left to hear of it when this fails.
        let _ = writeln!(io::stderr(), "error: {error:#}");
        ExitCode::FAILURE
    })
}
