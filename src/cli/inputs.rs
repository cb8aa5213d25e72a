//! The inputs, named by arguments or in a list.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use cg_preprocess::io::{Source, Target};

/// Whether an argument stands for standard input or output.
pub fn is_dash(path: &Path) -> bool {
    path.as_os_str() == "-"
}

pub fn from_arguments(paths: &[PathBuf]) -> Vec<Source> {
    paths.iter().map(|path| source(path)).collect()
}

fn source(path: &Path) -> Source {
    if is_dash(path) {
        Source::Stdin
    } else {
        Source::File(path.to_owned())
    }
}

/// Reads names of inputs from a file, or from standard input.
///
/// The list must not be the output: it would be lost.
pub fn from_list(list: &Path, output: &Target) -> Result<Vec<Source>> {
    let shown = source(list);
    if let Target::File(path) = output
        && same_file::is_same_file(list, path).unwrap_or(false)
        && path.is_file()
    {
        bail!("{output}: is the list of the inputs; choose another output");
    }
    let mut bytes = Vec::new();
    let read = if is_dash(list) {
        io::stdin().lock().read_to_end(&mut bytes)
    } else {
        File::open(list).and_then(|mut file| file.read_to_end(&mut bytes))
    };
    read.with_context(|| format!("{shown}: cannot be read"))?;
    let names: Result<Vec<_>> = names(&bytes).map(path).collect();
    let names = names.with_context(|| format!("{shown}: names no file"))?;
    if names.is_empty() {
        bail!("{shown}: names no input");
    }
    Ok(names.into_iter().map(Source::File).collect())
}

/// The names in a list: one per line, or, if the list contains a NUL, each ended by one.
///
/// Lines may end as on Windows. Names that really end with a carriage return need a list with NULs.
fn names(list: &[u8]) -> impl Iterator<Item = &[u8]> {
    let end = if list.contains(&0) { 0 } else { b'\n' };
    let names = list.split(move |&byte| byte == end);
    let names = names.map(move |name| match name {
        [line @ .., b'\r'] if end == b'\n' => line,
        name => name,
    });
    names.filter(|name| !name.is_empty())
}

#[cfg(unix)]
fn path(name: &[u8]) -> Result<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    Ok(OsString::from_vec(name.to_owned()).into())
}

#[cfg(not(unix))]
fn path(name: &[u8]) -> Result<PathBuf> {
    let name = std::str::from_utf8(name)?;
    Ok(OsString::from(name).into())
}

/// Names as bytes. They need not be Unicode.
pub fn names_as_bytes(names: &[OsString]) -> Vec<Vec<u8>> {
    let names = names.iter().cloned();
    names.map(OsString::into_encoded_bytes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_end_at_lines_unless_there_is_a_nul() {
        let all = |list| names(list).collect::<Vec<_>>();
        assert_eq!(all(b"a\nb c\n\nd"), [&b"a"[..], b"b c", b"d"]);
        assert_eq!(all(b"a\r\n\r\nb c\r\r\n"), [&b"a"[..], b"b c\r"]);
        assert_eq!(all(b"a\0b\nc\r\0"), [&b"a"[..], b"b\nc\r"]);
        assert!(all(b"").is_empty() && all(b"\n\n").is_empty());
    }
}
