//! Cuts an input into chunks of whole lines.

use std::io::{BufRead, BufReader, ErrorKind, Read};

use super::error::ProblemKind;
use super::interpreter::Interpreter;
use super::{FoundParts, ParseError, ParseWarning, ReadOptions};
use crate::io::BUFFER;
use crate::profile::ProfileBuilder;
use crate::warnings::Warnings;

/// The longest line that is read.
const MAX_LINE_LENGTH: usize = 1 << 20;

/// The result of reading an input.
#[derive(Debug, Default)]
pub struct Parsed {
    /// Bytes of text.
    pub bytes: u64,
    /// Warnings for the user.
    pub warnings: Warnings<ParseWarning>,
    /// The matches of [`ReadOptions::parts`].
    pub parts: FoundParts,
    /// The number of the first part, if it has one.
    pub(crate) first_part: Option<u64>,
}

/// Reads a callgrind profile to its end and adds it to `builder`.
///
/// The input is text: [`run::read`](crate::run::read) also reads what is compressed. `name` is
/// its name in messages. The result does not depend on the sizes of reads. Memory grows with the
/// names, functions and call edges of the input, and with its longest line of up to 1 MiB, not with
/// its size.
///
/// # Errors
///
/// When a line cannot be read, unless [`ReadOptions::lenient`] skips it; when a line is too long;
/// when the input contains no cost line; and when the input fails. The lines before have been added
/// to the builder, which should then be dropped; only an input without cost lines adds nothing.
pub fn read(
    input: impl Read,
    name: &str,
    options: &ReadOptions,
    builder: &mut ProfileBuilder,
) -> Result<Parsed, ParseError> {
    let input = BufReader::with_capacity(BUFFER, input);
    let mut reading = LineReader::new(Interpreter::new(builder, name, options));
    reading.read(input)?;
    reading.finish()
}

/// The state of reading an input.
pub(super) struct LineReader<'a> {
    pub interpreter: Interpreter<'a>,
    /// The number of bytes that were read.
    pub bytes: u64,
    /// An incomplete line.
    begun: Vec<u8>,
}

impl<'a> LineReader<'a> {
    pub fn new(interpreter: Interpreter<'a>) -> Self {
        LineReader {
            interpreter,
            bytes: 0,
            begun: Vec::new(),
        }
    }

    /// Reads the next bytes.
    pub fn read(&mut self, mut input: impl BufRead) -> Result<(), ParseError> {
        let (interpreter, begun) = (&mut self.interpreter, &mut self.begun);
        loop {
            let mut chunk = match input.fill_buf() {
                Ok([]) => return Ok(()),
                Ok(chunk) => chunk,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(interpreter.error(ProblemKind::Io(error))),
            };
            let count = chunk.len();
            if !begun.is_empty()
                && let Some(end) = memchr::memchr(b'\n', chunk)
            {
                begun.extend_from_slice(&chunk[..=end]);
                check_length(begun, interpreter)?;
                interpreter.lines(begun)?;
                begun.clear();
                chunk = &chunk[end + 1..];
            }
            let end = memchr::memrchr(b'\n', chunk).map_or(0, |end| end + 1);
            let (whole, rest) = chunk.split_at(end);
            interpreter.lines(whole)?;
            begun.extend_from_slice(rest);
            check_length(begun, interpreter)?;
            self.bytes += count as u64;
            input.consume(count);
        }
    }

    /// Ends the input.
    pub fn finish(mut self) -> Result<Parsed, ParseError> {
        if self.bytes == 0 {
            return Err(self.interpreter.error(ProblemKind::Empty));
        }
        if !self.begun.is_empty() {
            self.interpreter.last_line(&self.begun);
        }
        Ok(Parsed {
            bytes: self.bytes,
            warnings: self.interpreter.finish()?,
            first_part: self.interpreter.first_part,
            parts: self.interpreter.found_parts,
        })
    }
}

fn check_length(line: &[u8], interpreter: &Interpreter<'_>) -> Result<(), ParseError> {
    if line.strip_suffix(b"\n").unwrap_or(line).len() > MAX_LINE_LENGTH {
        return Err(interpreter.error(ProblemKind::LineTooLong));
    }
    Ok(())
}
