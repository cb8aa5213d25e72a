//! webgrind's preprocessor: called by that name, the program accepts webgrind's arguments.
//!
//! webgrind runs `bin/preprocessor IN OUT [PROXY_FUNCTION...]` and expects OUT if the exit status
//! is 0. Otherwise it converts the profile itself, slowly, in PHP. Some variants of webgrind insert
//! a number before the proxies: 0 for time, 1 for memory.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use cg_preprocess::io::{Links, Source, Target, locate};
use cg_preprocess::profile::EventChoice;
use cg_preprocess::run::{ConvertError, ConvertOptions, Format, convert};

use super::help::PREPROCESSOR;
#[cfg(unix)]
use super::signals;

/// What users ask who try the program by hand.
const QUESTIONS: [&str; 4] = ["--version", "-V", "--help", "-h"];

const ANSWER: &str = concat!(
    env!("CARGO_PKG_NAME"),
    " ",
    env!("CARGO_PKG_VERSION"),
    ", as webgrind's preprocessor: converts the profile IN for webgrind."
);
const USAGE: &str = "Usage: preprocessor IN OUT [PROXY_FUNCTION...]";
const MORE: &str = "Under its own name, it has more options: see cg-preprocess --help.";

/// The arguments, if the program was called by that name.
pub fn arguments() -> Option<Vec<OsString>> {
    let mut arguments = env::args_os();
    let program = arguments.next()?;
    is_preprocessor(Path::new(&program)).then(|| arguments.collect())
}

fn is_preprocessor(program: &Path) -> bool {
    let is_exe = |extension: &OsStr| extension.eq_ignore_ascii_case("exe");
    program.extension().is_none_or(is_exe)
        && program
            .file_stem()
            .is_some_and(|stem| stem.eq_ignore_ascii_case(PREPROCESSOR))
}

/// Converts as webgrind expects: to v7, leniently, and without warnings.
pub fn run(arguments: Vec<OsString>) -> Result<ExitCode> {
    let (input, output, proxies) = match arguments.as_slice() {
        [input, output, proxies @ ..] => (input, output, proxies),
        [question] if QUESTIONS.iter().any(|known| question == known) => {
            writeln!(io::stdout(), "{ANSWER}\n\n{USAGE}\n\n{MORE}")?;
            return Ok(ExitCode::SUCCESS);
        }
        _ => {
            writeln!(io::stderr(), "error: two arguments are required\n\n{USAGE}")?;
            return Ok(ExitCode::from(2));
        }
    };
    #[cfg(unix)]
    signals::handle();
    let inputs = [Source::File(PathBuf::from(input))];
    let (shows_memory, proxies) = match proxies {
        [number, proxies @ ..] if number == "0" || number == "1" => (number == "1", proxies),
        proxies => (false, proxies),
    };
    let target = Target::File(PathBuf::from(output));
    let mut options = ConvertOptions::default();
    options.format = Format::V7;
    options.read.lenient = true;
    options.proxies = proxies
        .iter()
        .map(|proxy| proxy.as_encoded_bytes().to_vec())
        .collect();
    options.output.links = LINKS;
    // webgrind's own code cannot read a profile without records, either.
    options.allow_empty = true;
    options.escape_html = true;
    if shows_memory {
        options.events = EventChoice::Matching(vec![b"Memory".to_vec()]);
    }
    match convert(&inputs, &target, &options) {
        Ok(_) => Ok(ExitCode::SUCCESS),
        Err(error @ ConvertError::OverInput { .. }) => Err(error.into()),
        Err(error) => {
            // webgrind would show the OUT of an earlier run, which is outdated.
            remove(Path::new(output));
            Err(error.into())
        }
    }
}

/// Often, everyone may write to webgrind's directory.
const LINKS: Links = Links::Own;

/// Removes a webgrind file, if there is one.
///
/// It removes nothing else: if the arguments are swapped, OUT is a profile.
fn remove(path: &Path) {
    let Ok(path) = locate(path, LINKS) else {
        return;
    };
    if is_preprocessed(&path).unwrap_or(false) {
        // The error that led here is reported instead.
        let _ = fs::remove_file(path);
    }
}

/// Whether it is a regular file that begins like a webgrind file, or is too short to tell.
fn is_preprocessed(path: &Path) -> io::Result<bool> {
    if !path.is_file() {
        return Ok(false);
    }
    let mut head = Vec::new();
    File::open(path)?.take(4).read_to_end(&mut head)?;
    Ok(head.len() < 4 || head[1..] == [0; 3])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_is_told_whatever_directory_and_system_it_is_in() {
        for path in [
            "preprocessor",
            "/srv/webgrind/bin/preprocessor",
            "./Preprocessor.EXE",
        ] {
            assert!(is_preprocessor(Path::new(path)), "{path}");
        }
        for path in ["cg-preprocess", "preprocessor.old", "preprocessor/cg", ""] {
            assert!(!is_preprocessor(Path::new(path)), "{path}");
        }
    }
}
