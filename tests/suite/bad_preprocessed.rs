//! Preprocessed files that are not sound: each is refused with a message that helps.

use std::fs;
use std::io::{self, Cursor, Read, Seek, SeekFrom};

use cg_preprocess::profile::ProfileBuilder;
use cg_preprocess::webgrind::{self, ReadError};

use crate::common::fixtures;
use crate::library;

fn builder() -> ProfileBuilder {
    ProfileBuilder::new(library::linked())
}

fn read_error(input: impl Read + Seek, name: &str) -> ReadError {
    webgrind::read(input, name, &mut builder()).unwrap_err()
}

/// The fixtures' README shows which bytes of them are bad.
#[test]
fn every_fault_has_its_message_and_is_described() {
    let directory = fixtures::path("bad-preprocessed");
    let readme = fs::read_to_string(directory.join("README.md")).unwrap();
    let mut files = fixtures::files_below(&directory);
    files.retain(|path| path.extension().is_some_and(|end| end == "pre"));
    assert!(files.len() > 27);
    for path in files {
        let name = path.file_name().unwrap().to_str().unwrap();
        let error = read_error(Cursor::new(fs::read(&path).unwrap()), name);
        fixtures::assert_holds(&path.with_extension("message"), &format!("{error}\n"));
        assert!(readme.contains(&format!("| `{name}` |")), "{name}");
    }
}

/// A file that cannot be read beyond a place.
pub struct Failing {
    file: Cursor<Vec<u8>>,
    limit: u64,
}

impl Failing {
    pub fn after(file: Vec<u8>, limit: usize) -> Self {
        let (file, limit) = (Cursor::new(file), limit as u64);
        Failing { file, limit }
    }
}

impl Read for Failing {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.file.position() >= self.limit {
            return Err(io::Error::other("the disk is broken"));
        }
        let room = buffer.len().min(8);
        self.file.read(&mut buffer[..room])
    }
}

impl Seek for Failing {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

#[test]
fn a_file_that_cannot_be_read_on_is_reported_with_the_cause() {
    let file = fixtures::bytes("xdebug3/chain.v7.pre");
    // The headers come first, so that it is them that cannot be read.
    let headers_at = u64::from(u32::from_le_bytes(file[4..8].try_into().unwrap()));
    let error = read_error(Failing::after(file, 100), "a.pre");
    assert_eq!(
        error.to_string(),
        format!("a.pre: at byte {headers_at}: cannot read further: the disk is broken")
    );
}
