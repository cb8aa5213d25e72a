//! Preprocessed files that are not sound: each is refused with a message that helps.

use std::fs;
use std::io::{self, Cursor, Read, Seek, SeekFrom};

use cg_preprocess::profile::ProfileBuilder;
use cg_preprocess::webgrind::{self, ReadError, Version, WriteOptions};

use crate::common::Random;
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
    let folder = fixtures::path("bad-preprocessed");
    let readme = fs::read_to_string(folder.join("README.md")).unwrap();
    let mut files = fixtures::files_below(&folder);
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
