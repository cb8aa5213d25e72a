//! The bytes of a preprocessed file, with the place in them.

use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};

use byteorder::{ByteOrder, LittleEndian};

use super::super::layout::NUMBER;
use super::error::{ReadError, ReadProblem};

/// How many numbers can be read at once.
const MOST: usize = 8;

/// A file that is read forwards, with few jumps.
pub(super) struct Source<R> {
    input: BufReader<R>,
    name: String,
    position: u64,
    size: u64,
}

impl<R: Read + Seek> Source<R> {
    /// Begins at the start of a file that messages call `name`.
    pub fn new(mut input: R, name: &str) -> Result<Self, ReadError> {
        let io_error = |error| ReadError {
            input: name.to_owned(),
            offset: 0,
            problem: ReadProblem::Io(error),
        };
        let size = input.seek(SeekFrom::End(0)).map_err(io_error)?;
        input.rewind().map_err(io_error)?;
        Ok(Source {
            input: BufReader::new(input),
            name: name.to_owned(),
            position: 0,
            size,
        })
    }

    /// What messages call the file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The present place, in bytes from the start.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Size of the file in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Goes to another place.
    pub fn go_to(&mut self, offset: u64) -> Result<(), ReadError> {
        if offset != self.position {
            let done = self.input.seek(SeekFrom::Start(offset));
            done.map_err(|error| self.error(ReadProblem::Io(error)))?;
            self.position = offset;
        }
        Ok(())
    }

    /// Reads the next `N` numbers.
    pub fn numbers<const N: usize>(&mut self) -> Result<[u32; N], ReadError> {
        const { assert!(N <= MOST) };
        let mut bytes = [0; 4 * MOST];
        let bytes = &mut bytes[..4 * N];
        let done = self.input.read_exact(bytes);
        done.map_err(|error| self.error(ReadProblem::Io(error)))?;
        self.position += N as u64 * NUMBER;
        let mut numbers = [0; N];
        LittleEndian::read_u32_into(bytes, &mut numbers);
        Ok(numbers)
    }

    /// Reads the next number.
    pub fn number(&mut self) -> Result<u32, ReadError> {
        let [number] = self.numbers()?;
        Ok(number)
    }

    /// Reads a line into `line`, without its end; false if it has none before `limit`.
    ///
    /// The place is behind the line then, and else as it was. Memory grows with the bytes that are
    /// really there.
    pub fn line(&mut self, limit: u64, line: &mut Vec<u8>) -> Result<bool, ReadError> {
        line.clear();
        let room = limit.saturating_sub(self.position);
        let done = (&mut self.input).take(room).read_until(b'\n', line);
        let count = done.map_err(|error| self.error(ReadProblem::Io(error)))?;
        if line.pop_if(|last| *last == b'\n').is_none() {
            return Ok(false);
        }
        self.position += count as u64;
        Ok(true)
    }

    /// A problem at the present place.
    pub fn error(&self, problem: ReadProblem) -> ReadError {
        self.error_at(self.position, problem)
    }

    /// A problem at another place.
    pub fn error_at(&self, offset: u64, problem: ReadProblem) -> ReadError {
        ReadError {
            input: self.name.clone(),
            offset,
            problem,
        }
    }
}
