//! Preprocessed files that are not sound: each is refused with a message that helps.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Cursor, Read, Seek, SeekFrom};

use cg_preprocess::profile::ProfileBuilder;
use cg_preprocess::webgrind::{self, ReadError, Version, WriteOptions};

use crate::common::Random;
use crate::common::fixtures;
use crate::library;

/// The fixtures, and what is said of them after their names.
///
/// The fixtures' README shows which bytes of them are bad.
const MESSAGES: [(&str, &str); 28] = [
    (
        "empty.pre",
        "at byte 0: the file is cut off: expected 4 bytes for the version (found 0)",
    ),
    (
        "text.pre",
        "at byte 0: no preprocessed file: expected a version from 4 to 7 as its first number \
         (found 1936876918)",
    ),
    (
        "version-0.pre",
        "at byte 0: no preprocessed file: expected a version from 4 to 7 as its first number \
         (found 0)",
    ),
    (
        "too-old.pre",
        "at byte 0: version 3 of the preprocessed format is too old: expected 4 to 7; convert the \
         profile itself instead",
    ),
    (
        "too-new.pre",
        "at byte 0: version 8 of the preprocessed format is too new: expected 4 to 7; a newer \
         release may read it",
    ),
    (
        "cut-off-start.pre",
        "at byte 4: the file is cut off: expected 8 bytes for the header address and function \
         count (found 6)",
    ),
    (
        "cut-off.pre",
        "at byte 4: header address out of place: expected 20 to 60 (found 115); the file is cut \
         off",
    ),
    (
        "header-address.pre",
        "at byte 4: header address out of place: expected 20 to 138 (found 16)",
    ),
    (
        "function-count.pre",
        "at byte 8: function count too large for the file: expected at most 31 (found 1073741824)",
    ),
    (
        "no-functions.pre",
        "at byte 8: no functions: there is nothing to convert",
    ),
    (
        "function-address.pre",
        "at byte 16: address of function 1 out of place: expected 69 to 115, after what stands \
         before it and before the headers (found 121)",
    ),
    (
        "overlap.pre",
        "at byte 16: address of function 1 out of place: expected 69 to 115, after what stands \
         before it and before the headers (found 61)",
    ),
    (
        "function-record.pre",
        "at byte 107: the record of function 1 does not fit: expected 24 bytes before the headers \
         (found 8)",
    ),
    (
        "called-from-count.pre",
        "at byte 93: the called-from list of function 1 does not fit before the headers: expected \
         at most 1 records (found 4294967295)",
    ),
    (
        "sub-call-count.pre",
        "at byte 109: the sub-call list of function 1 does not fit before the headers: expected \
         at most 0 records (found 1)",
    ),
    (
        "called-from-function.pre",
        "at byte 93: the called-from list of function 1 names a function that is not there: \
         expected a number below 2 (found 2)",
    ),
    (
        "sub-call-function.pre",
        "at byte 44: the sub-call list of function 0 names a function that is not there: expected \
         a number below 2 (found 4294967295)",
    ),
    (
        "file-name.pre",
        "at byte 109: the file name of function 1 is not ended: expected \"\\n\" before the \
         headers at byte 115",
    ),
    (
        "function-name.pre",
        "at byte 113: the function name of function 1 is not ended: expected \"\\n\" before the \
         headers at byte 114",
    ),
    (
        "header-not-ended.pre",
        "at byte 126: the last header line is not ended: expected \"\\n\" at the end of the file \
         (found \"summary: 3\"); it may be cut off",
    ),
    (
        "event-name-too-long.pre",
        "at byte 381: the name of the event has over 256 bytes (found \
         \"IIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIII…\")",
    ),
    (
        "v4-invocation-count.pre",
        "at byte 93: the invocation list of function 1 does not fit before the headers: expected \
         at most 1 records (found 268435456)",
    ),
    (
        "v4-caller.pre",
        "at byte 93: the invocation list of function 1 names a function that is not there: \
         expected a number below 2 (found 9)",
    ),
    (
        "v4-sub-calls-overlap.pre",
        "at byte 131: sub-calls of invocation 0 of function 1 out of place: expected 1 between \
         bytes 147 and 147, after functions and other sub-calls and before the headers",
    ),
    (
        "v4-sub-calls-inside.pre",
        "at byte 111: sub-calls of invocation 0 of function 0 out of place: expected 1 between \
         bytes 131 and 147, after functions and other sub-calls and before the headers",
    ),
    (
        "v4-sub-calls-outside.pre",
        "at byte 131: sub-calls of invocation 0 of function 0 out of place: expected 268435455 \
         between bytes 131 and 147, after functions and other sub-calls and before the headers",
    ),
    (
        "v4-sub-call-function.pre",
        "at byte 131: a sub-call names a function that is not there: expected a number below 2 \
         (found 2)",
    ),
    (
        "v4-sub-call-invocation.pre",
        "at byte 131: a sub-call names an invocation that function 1 does not have: expected a \
         number below 1, or 4294967295 for none (found 1)",
    ),
];

fn builder() -> ProfileBuilder {
    ProfileBuilder::new(library::linked())
}

fn read_error(input: impl Read + Seek, name: &str) -> ReadError {
    webgrind::read(input, name, &mut builder()).unwrap_err()
}

#[test]
fn every_fault_has_its_message() {
    for (name, message) in MESSAGES {
        let file = fixtures::bytes(&format!("bad-preprocessed/{name}"));
        let error = read_error(Cursor::new(file), name);
        assert_eq!(error.to_string(), format!("{name}: {message}"));
    }
}

#[test]
fn every_fixture_is_tested_and_described() {
    let folder = fixtures::path("bad-preprocessed");
    let readme = fs::read_to_string(folder.join("README.md")).unwrap();
    let files = fs::read_dir(folder).unwrap();
    let mut files: BTreeSet<_> = files
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    assert!(files.remove("README.md"));
    let tested = MESSAGES.map(|(name, _)| name.to_owned());
    assert_eq!(files, BTreeSet::from(tested));
    for file in files {
        assert!(readme.contains(&format!("| `{file}` |")), "{file}");
    }
}

/// A file that cannot be read beyond a place.
struct Failing {
    file: Cursor<Vec<u8>>,
    limit: u64,
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
    let file = Cursor::new(file);
    let failing = Failing { file, limit: 100 };
    let error = read_error(failing, "a.pre");
    let message = format!("a.pre: at byte {headers_at}: cannot read on from here");
    assert_eq!(error.to_string(), message);
    let cause = std::error::Error::source(&error).unwrap();
    assert_eq!(cause.to_string(), "the disk is broken");
}

/// A file of which nearly all is a hole.
struct Sparse {
    /// What is there, and where it begins.
    pieces: Vec<(u64, Vec<u8>)>,
    size: u64,
    position: u64,
}

impl Sparse {
    fn new(size: u64, pieces: impl IntoIterator<Item = (u64, Vec<u8>)>) -> Self {
        Sparse {
            pieces: pieces.into_iter().collect(),
            size,
            position: 0,
        }
    }
}

impl Read for Sparse {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // A piece, or the zeros before the next one.
        let mut end = self.size;
        for (start, bytes) in &self.pieces {
            match self.position.checked_sub(*start) {
                None => end = end.min(*start),
                Some(passed) => {
                    let mut rest = bytes.get(passed as usize..).unwrap_or_default();
                    if !rest.is_empty() {
                        let count = rest.read(buffer)?;
                        self.position += count as u64;
                        return Ok(count);
                    }
                }
            }
        }
        let room = end.saturating_sub(self.position);
        let count = buffer.len().min(usize::try_from(room).unwrap());
        buffer[..count].fill(0);
        self.position += count as u64;
        Ok(count)
    }
}

impl Seek for Sparse {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.position = match to {
            SeekFrom::Start(place) => place,
            SeekFrom::End(by) => self.size.saturating_add_signed(by),
            SeekFrom::Current(by) => self.position.saturating_add_signed(by),
        };
        Ok(self.position)
    }
}

fn numbers<const COUNT: usize>(numbers: [u32; COUNT]) -> Vec<u8> {
    numbers
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect()
}

#[test]
fn an_invocation_was_made_by_the_first_of_the_calls_that_name_it() {
    let file = [
        numbers([4, 163, 2, 20, 77]),
        // Function 0 and its invocation, which makes two calls.
        numbers([10, 20, 0, 1]),
        numbers([10, 20, 0, u32::MAX, 0, 0, 2, 131]),
        b"a.c\nmain\n".to_vec(),
        // Function 1 has one invocation, which both calls name.
        numbers([5, 5, 10, 1]),
        numbers([5, 5, 5, 0, 0, 7, 0, 131]),
        b"a.c\nf\n".to_vec(),
        numbers([1, 0, 7, 5]),
        numbers([1, 0, 7, 5]),
        b"events: Ir\n".to_vec(),
    ]
    .concat();
    let mut builder = builder();
    webgrind::read(Cursor::new(file), "a.pre", &mut builder).unwrap();
    let profile = builder.finish().unwrap();
    let tree = profile.invocations().unwrap();
    // In block order the callee stands first.
    let (caller, call) = tree.caller_of(0).unwrap();
    assert_eq!((caller, tree.calls_of(1)), (1, 0..2));
    assert!(std::ptr::eq(&tree.calls()[call], &tree.calls()[0]));
}

const GIB: u32 = 1 << 30;

/// Each takes no more than the bytes of a line, in time and in memory.
#[test]
fn holes_are_refused_at_once() {
    let size = u64::from(4 * (GIB - 1));
    let last = 4 * (GIB - 1) - 1;
    let at = u64::from;
    let hole = "has a hole: expected text (found 4096 or more zero bytes in a row)";

    let headers = Sparse::new(size, [(0, numbers([7, 20, 1, 16]))]);
    let error = read_error(headers, "a.pre").to_string();
    assert_eq!(error, format!("a.pre: at byte 20: the header line {hole}"));

    let end = |text: &[u8]| (at(last) - text.len() as u64 + 1, text.to_vec());
    let start = |version, count| numbers([version, last - 10, 1, 16, 0, 0, 0, count]);
    let file_name = Sparse::new(size, [(0, start(6, 0)), end(b"events: Ir\n")]);
    let error = read_error(file_name, "a.pre").to_string();
    assert_eq!(error, format!("a.pre: at byte 36: the file name {hole}"));

    let calls = "list has a hole: expected calls (found 4096 or more zero bytes in a row)";
    let called_from = Sparse::new(size, [(0, start(6, GIB / 8)), end(b"events: Ir\n")]);
    let error = read_error(called_from, "a.pre").to_string();
    assert_eq!(
        error,
        format!("a.pre: at byte 4132: the called-from {calls}")
    );
    let invocation = numbers([0, 0, 0, u32::MAX, 0, 0, GIB / 8, 68]);
    let with_calls = [&start(4, 1)[..], &invocation, b"a\nf\n"].concat();
    let sub_calls = Sparse::new(size, [(0, with_calls), end(b"events: Ir\n")]);
    let error = read_error(sub_calls, "a.pre").to_string();
    assert_eq!(error, format!("a.pre: at byte 4164: the sub-call {calls}"));

    let invocations = Sparse::new(size, [(0, start(4, GIB / 8 - 10)), end(b"events: Ir\n")]);
    let error = read_error(invocations, "a.pre").to_string();
    assert_eq!(
        error,
        "a.pre: at byte 0: sub-calls of invocation 0 of function 0 out of place: expected 0 \
         between bytes 64 and 4294967281, after functions and other sub-calls and before the \
         headers"
    );
}

#[test]
fn a_file_beyond_its_addresses_is_refused() {
    let start = || numbers([7, 20, 1, 16]);
    let error = read_error(Sparse::new(1 << 32, [(0, start())]), "a.pre").to_string();
    assert_eq!(
        error,
        "a.pre: at byte 0: too large for a preprocessed file: expected at most 4294967295 bytes \
         (found 4294967296)"
    );
    let largest = Sparse::new((1 << 32) - 1, [(0, start())]);
    let error = read_error(largest, "a.pre");
    assert!(error.to_string().contains("hole"), "{error}");
}

#[test]
fn names_and_headers_have_a_longest_length() {
    let longest = 16 << 20;
    let file = |header: usize| {
        let mut file = numbers([5, 38, 1, 16, 0, 0, 0, 0]);
        file.extend(b"a.c\nf\n");
        file.resize(38 + header, b'a');
        file.push(b'\n');
        Cursor::new(file)
    };
    assert!(webgrind::read(file(longest - 1), "a.pre", &mut builder()).is_ok());
    let error = read_error(file(longest + 1), "a.pre").to_string();
    assert_eq!(
        error,
        "a.pre: at byte 38: the header line is too long: expected at most 16777216 bytes"
    );
}

/// Spoils a file in one to three places, or cuts it off.
fn spoil(file: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..=random.index(3) {
        match random.index(4) {
            0 => {
                let at = random.index(file.len());
                file[at] ^= 1 << random.index(8);
            }
            1 => {
                let at = random.index(file.len());
                file[at] = *b"\n\0\xff:".get(random.index(4)).unwrap();
            }
            2 => {
                // Half of them where the numbers are on which all others depend.
                let last = file.len() - 4;
                let end = if random.index(2) == 0 {
                    last
                } else {
                    last.min(64)
                };
                let at = random.index(end + 1);
                let size = u32::try_from(file.len()).unwrap();
                let numbers = [0, 1, 2, size - 1, size, size + 1, u32::MAX / 8, u32::MAX];
                let number = numbers[random.index(numbers.len())];
                file[at..at + 4].copy_from_slice(&number.to_le_bytes());
            }
            _ => file.truncate(4 + random.index(file.len() - 3)),
        }
    }
}

fn good_files() -> Vec<Vec<u8>> {
    let paths = [
        "xdebug2/chain.cg",
        "xdebug3/features.cg",
        "producers/go-pprof-objects.cg",
        "valgrind/threads-02.cg",
    ];
    let files = paths.iter().flat_map(|path| {
        let profile = library::read(fixtures::bytes(path), library::linked());
        Version::ALL.map(|version| library::write(&profile, version))
    });
    files.collect()
}

#[test]
fn spoilt_files_are_refused_or_read_as_far_as_they_are_sound() {
    let mut random = Random(1);
    let (mut good, mut bad) = (0, 0);
    for file in good_files() {
        for _ in 0..160 {
            let mut file = file.clone();
            spoil(&mut file, &mut random);
            let mut builder = builder();
            if webgrind::read(Cursor::new(&file), "spoilt.pre", &mut builder).is_err() {
                bad += 1;
                continue;
            }
            good += 1;
            let profile = builder.finish().unwrap();
            // Everything has been paid for with bytes.
            assert!(16 * profile.edges().len() <= file.len());
            assert!(20 * profile.functions().len() <= file.len());
            if let Some(tree) = profile.invocations() {
                assert!(32 * tree.invocations().len() + 16 * tree.calls().len() <= file.len());
            }
            // These write all that the others do.
            for version in [Version::V4, Version::V7] {
                let output = Cursor::new(Vec::new());
                webgrind::write(&profile, &WriteOptions::new(version), output).unwrap();
            }
        }
    }
    assert!(good > 400 && bad > 400, "{good} good, {bad} bad");
}
