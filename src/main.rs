//! `cg-preprocess`: exit status and error chain, nothing else.

mod cli;

use std::io::{self, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let outcome = match cli::preprocessor::arguments() {
        Some(arguments) => cli::preprocessor::run(arguments),
        None => cli::run(),
    };
    outcome.unwrap_or_else(|error| {
        // If this fails, there is nobody to tell.
        let _ = writeln!(io::stderr(), "error: {error:#}");
        ExitCode::FAILURE
    })
}
