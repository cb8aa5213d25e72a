//! The bytes of a webgrind file, with the current position.

use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::ops::RangeInclusive;

use byteorder::{ByteOrder, LittleEndian};

use super::super::error::ReadError;
use super::super::layout::NUMBER;

/// More consecutive zeros than a name or header line has. Holes of files are multiples of it.
const MIN_HOLE: usize = 4096;

/// A file that is read forwards, with few jumps.
pub(super) struct Bytes<R> {
    input: BufReader<R>,
    name: String,
    position: u64,
    /// The limit for what is being read: the end of the file, or the headers.
    pub end: u64,
}

impl<R: Read + Seek> Bytes<R> {
    /// Begins at the start of a file that messages call `name`.
    pub fn new(mut input: R, name: &str) -> Result<Self, ReadError> {
        let size = input.seek(SeekFrom::End(0));
        let rewound = input.rewind();
        let mut bytes = Bytes {
            input: BufReader::new(input),
            name: name.to_owned(),
            position: 0,
            end: 0,
        };
        bytes.end = size
            .and_then(|size| rewound.map(|()| size))
            .map_err(|error| bytes.failed(error))?;
        Ok(bytes)
    }

    /// The current position, in bytes from the start.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// The number of bytes from the current position to the end.
    pub fn room(&self) -> u64 {
        self.end.saturating_sub(self.position)
    }

    pub fn go_to(&mut self, offset: u64) -> Result<(), ReadError> {
        if offset != self.position {
            let done = self.input.seek(SeekFrom::Start(offset));
            done.map_err(|error| self.failed(error))?;
            self.position = offset;
        }
        Ok(())
    }

    #[inline(always)]
    pub fn numbers<const N: usize>(&mut self) -> Result<[u32; N], ReadError> {
        let mut bytes = [[0; size_of::<u32>()]; N];
        let done = self.input.read_exact(bytes.as_flattened_mut());
        done.map_err(|error| self.failed(error))?;
        let mut numbers = [0; N];
        LittleEndian::read_u32_into(bytes.as_flattened(), &mut numbers);
        self.position += N as u64 * NUMBER;
        Ok(numbers)
    }

    /// Reads a line into `line`, without its `\n`; returns false if it has none.
    ///
    /// Moves to the end of the line, if there is one. Memory grows with the bytes that exist, up to
    /// `longest`. `what` is the name of the line in messages.
    pub fn line(
        &mut self,
        what: &str,
        longest: usize,
        line: &mut Vec<u8>,
    ) -> Result<bool, ReadError> {
        line.clear();
        let longest = longest as u64;
        let room = self.room().min(longest + 1);
        let done = (&mut self.input).take(room).read_until(b'\n', line);
        let count = done.map_err(|error| self.failed(error))? as u64;
        if line.len() >= MIN_HOLE && memchr::memmem::find(line, &[0; MIN_HOLE]).is_some() {
            return Err(self.corrupt(format!(
                "the {what} has a hole: expected text (found {MIN_HOLE} or more zero bytes in a row)"
            )));
        }
        if line.pop_if(|last| *last == b'\n').is_some() {
            self.position += count;
            return Ok(true);
        }
        if count > longest {
            let message = format!("the {what} is too long: expected at most {longest} bytes");
            return Err(self.corrupt(message));
        }
        Ok(false)
    }

    fn failed(&self, error: io::Error) -> ReadError {
        self.corrupt(format!("cannot read further: {error}"))
    }

    /// Checks that a number at a position is in a range. `what` says what is wrong if it is not.
    #[inline]
    pub fn expect(
        &self,
        at: u64,
        range: RangeInclusive<u64>,
        found: impl Into<u64>,
        what: impl FnOnce() -> String,
    ) -> Result<(), ReadError> {
        let found = found.into();
        if range.contains(&found) {
            return Ok(());
        }
        let expected = match range.into_inner() {
            (0, most) => format!("at most {most}"),
            (least, most) => format!("{least} to {most}"),
        };
        let what = what();
        Err(self.error(at, format!("{what}: expected {expected} (found {found})")))
    }

    /// Checks that there is this number of bytes for something.
    pub fn expect_bytes(
        &self,
        expected: u64,
        what: impl FnOnce() -> String,
    ) -> Result<(), ReadError> {
        match self.room() {
            found if found < expected => Err(self.corrupt(format!(
                "{} is truncated: expected {expected} bytes (found {found})",
                what()
            ))),
            _ => Ok(()),
        }
    }

    /// A problem at the current position.
    pub fn corrupt(&self, what: String) -> ReadError {
        self.error(self.position, what)
    }

    /// A problem at any position.
    pub fn error(&self, offset: u64, what: impl Into<String>) -> ReadError {
        ReadError {
            input: self.name.clone(),
            offset,
            what: what.into(),
            is_no_data: false,
        }
    }
}
