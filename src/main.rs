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
        let message = format!("error: {error:#}\n");
        // If this fails, nobody can be told.
        let _ = io::stderr().write_all(message.as_bytes());
        ExitCode::FAILURE
    })
}
