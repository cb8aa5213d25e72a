//! The inputs, given as arguments or in a list.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use cg_preprocess::io::{Source, Target, path_of, plain};
use cg_preprocess::webgrind::FILE_ENDING;
use clap::builder::{OsStringValueParser, PathBufValueParser, TypedValueParser};

/// Parses the path of an input or output; `-` is a standard stream.
pub fn path_or<T: Clone + Send + Sync + 'static>(
    standard: T,
    file: fn(PathBuf) -> T,
) -> impl TypedValueParser<Value = T> {
    PathBufValueParser::new().map(move |path| {
        if path.as_os_str() == "-" {
            standard.clone()
        } else {
            file(path)
        }
    })
}

/// Parses the name of an input.
pub fn input() -> impl TypedValueParser<Value = Source> {
    OsStringValueParser::new().try_map(|name| match name.as_encoded_bytes() {
        b"" => Err("the name is empty; if it comes from \"$(ls …)\", that found no file"),
        b"-" => Ok(Source::Stdin),
        _ => Ok(Source::File(name.into())),
    })
}

/// Beginnings of the names that Valgrind and Xdebug give to profiles.
pub const PROFILES: [&str; 2] = ["cachegrind.out", "callgrind.out"];

/// Endings of files that webgrind puts beside profiles: its own, and pictures of call graphs.
const NO_PROFILES: [&str; 3] = [FILE_ENDING, ".webgrind.svg", ".webgrind.png"];

/// Replaces each directory by the profiles in it, sorted by name.
///
/// # Errors
///
/// When a directory cannot be read or has no profiles. If inputs may be `skipped`, the directory
/// remains an input, which cannot be read either.
pub fn with_directories(sources: &[Source], skipped: bool) -> Result<Vec<Source>> {
    let mut all = Vec::new();
    for source in sources {
        match source {
            Source::File(path) if path.is_dir() => match profiles_in(path) {
                Err(_) if skipped => all.push(source.clone()),
                profiles => all.extend(profiles.with_context(|| source.to_string())?),
            },
            _ => all.push(source.clone()),
        }
    }
    Ok(all)
}

/// The profiles directly in a directory.
fn profiles_in(directory: &Path) -> Result<Vec<Source>> {
    let entries = directory.read_dir().map_err(plain)?;
    let mut profiles = Vec::new();
    for entry in entries {
        let path = entry.map_err(plain)?.path();
        let name = path.file_name().unwrap_or_default().as_encoded_bytes();
        let has_beginning = PROFILES.iter().any(|of| name.starts_with(of.as_bytes()));
        let is_other = NO_PROFILES.iter().any(|of| name.ends_with(of.as_bytes()));
        if has_beginning && !is_other && path.is_file() {
            profiles.push(path);
        }
    }
    if profiles.is_empty() {
        let [one, other] = PROFILES;
        bail!("the directory contains no profile: no file whose name begins with {one} or {other}");
    }
    profiles.sort();
    Ok(profiles.into_iter().map(Source::File).collect())
}

/// A name in bytes, which need not be Unicode.
pub type Name = Vec<u8>;

/// Parses a name, or a part of one.
pub fn name() -> impl TypedValueParser<Value = Name> {
    OsStringValueParser::new().map(OsString::into_encoded_bytes)
}

/// Reads names of inputs from a file, or from standard input.
///
/// The list must not be the output, which would overwrite it.
pub fn from_list(list: &Source, output: &Target) -> Result<Vec<Source>> {
    let mut bytes = Vec::new();
    let read = match (list, output) {
        (Source::Stdin, _) => io::stdin().lock().read_to_end(&mut bytes),
        (Source::File(list), Target::File(path))
            if same_file::is_same_file(list, path).unwrap_or(false) && path.is_file() =>
        {
            bail!("{output}: is the list of the inputs; choose another output")
        }
        (Source::File(list), _) => {
            File::open(list).and_then(|mut file| file.read_to_end(&mut bytes))
        }
    };
    read.map_err(plain)
        .with_context(|| format!("{list}: cannot be read"))?;
    let paths = lines(&bytes).map(|name| path_of(name).map(Path::to_owned));
    let paths: Option<Vec<_>> = paths.collect();
    let paths = paths.with_context(|| format!("{list}: has a name that is no path"))?;
    if paths.is_empty() {
        bail!("{list}: names no input");
    }
    Ok(paths.into_iter().map(Source::File).collect())
}

/// The names in a list: one per line, or, if the list contains a NUL, each ended by one.
///
/// Lines may end as on Windows. Names that end with a carriage return need a list with NULs.
fn lines(list: &[u8]) -> impl Iterator<Item = &[u8]> {
    let end = if list.contains(&0) { 0 } else { b'\n' };
    list.split(move |&byte| byte == end)
        .map(move |name| match name {
            [line @ .., b'\r'] if end == b'\n' => line,
            name => name,
        })
        .filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_end_at_lines_unless_there_is_a_nul() {
        let all = |list| lines(list).collect::<Vec<_>>();
        assert_eq!(all(b"a\nb c\n\nd"), [&b"a"[..], b"b c", b"d"]);
        assert_eq!(all(b"a\r\n\r\nb c\r\r\n"), [&b"a"[..], b"b c\r"]);
        assert_eq!(all(b"a\0b\nc\r\0"), [&b"a"[..], b"b\nc\r"]);
        assert!(all(b"").is_empty() && all(b"\n\n").is_empty());
    }
}
