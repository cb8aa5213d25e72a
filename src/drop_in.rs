//! webgrind's preprocessor: called by that name, the program takes webgrind's own arguments.
//!
//! webgrind runs `bin/preprocessor IN OUT [PROXY_FUNCTION...]` and takes exit status 0 for "OUT is
//! there"; after any other it converts the profile itself, slowly, in PHP.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use cg_preprocess::callgrind;
use cg_preprocess::convert::{ConvertError, Options, convert};
use cg_preprocess::input::Source;
use cg_preprocess::output::Target;

use crate::cli;

const NAME: &str = "preprocessor";

/// The arguments, if the program was called by webgrind's name for it.
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
            .is_some_and(|stem| stem.eq_ignore_ascii_case(NAME))
}

/// Converts as webgrind wants it: v7, as far as the profile can be read, and without a word.
pub fn run(arguments: Vec<OsString>) -> Result<ExitCode> {
    let [input, output, proxies @ ..] = arguments.as_slice() else {
        let _ = writeln!(
            io::stderr(),
            "error: two arguments are required\n\nUsage: {NAME} IN OUT [PROXY_FUNCTION...]"
        );
        return Ok(ExitCode::from(2));
    };
    let input = Source::File(PathBuf::from(input));
    let target = Target::File(PathBuf::from(output));
    let options = Options {
        read: callgrind::Options {
            lenient: true,
            ..callgrind::Options::default()
        },
        proxies: cli::names(proxies),
        ..Options::default()
    };
    if let Err(error) = convert(&[input], &target, &options) {
        // webgrind takes whatever is there for the answer. OUT of an earlier run is stale, or
        // webgrind would not have asked.
        if !matches!(error, ConvertError::OverInput { .. }) {
            remove(Path::new(output));
        }
        return Err(error.into());
    }
    Ok(ExitCode::SUCCESS)
}

/// Removes a preprocessed file, if there is one.
///
/// Nothing else: with its arguments swapped, OUT is a profile that somebody wants to keep.
fn remove(path: &Path) {
    if is_preprocessed(path).unwrap_or(false) {
        // The error that led here says more than one about this could.
        let _ = fs::canonicalize(path).and_then(fs::remove_file);
    }
}

/// Whether it is a regular file that begins like a preprocessed one, or is too short to tell.
fn is_preprocessed(path: &Path) -> io::Result<bool> {
    if !path.is_file() {
        return Ok(false);
    }
    let mut head = Vec::new();
    File::open(path)?.take(4).read_to_end(&mut head)?;
    Ok(matches!(
        head.as_slice(),
        [_, 0, 0, 0] | [] | [_] | [_, _] | [_, _, _]
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_is_told_whatever_folder_and_system_it_is_in() {
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
