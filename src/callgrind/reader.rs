//! Owns the buffer: reads an input to its end, whole lines at a time.

use std::io::{BufRead, BufReader, ErrorKind, Read};

use super::error::ProblemKind;
use super::interpreter::Interpreter;
use super::{Error, Options, Warning};
use crate::profile::ProfileBuilder;

/// Size of the buffer: small enough to stay in a core's cache, and not a multiple of a page.
/// Otherwise the system would always copy between the same places within a page, and some
/// processors are four times slower at this if the target is just after the source.
const BUFFER: usize = (128 << 10) - 320;

/// The longest line that is read.
const LONGEST_LINE: usize = 16 << 20;

/// The outcome of reading an input.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Bytes of text.
    pub bytes: u64,
    /// Warnings for the user.
    pub warnings: Vec<Warning>,
}

/// Reads a callgrind profile to its end and adds it to what `builder` has.
///
/// The input is text: [`convert::read`](crate::convert::read) also reads what is compressed. `name` is
/// what messages call it. The result does not depend on the sizes of reads. Memory
/// does not grow with the input, but with its names, functions and call edges, and with its longest
/// line, which may have 16 MiB.
///
/// # Errors
///
/// At the first line that cannot be read, unless [`Options::lenient`] skips it; at a line that is
/// too long; where the input
/// holds no cost line at all; and where reading fails. What was read before has been added to the
/// builder, which should then be dropped; only an input without cost lines adds nothing.
pub fn read(
    input: impl Read,
    name: &str,
    options: &Options,
    builder: &mut ProfileBuilder,
) -> Result<Outcome, Error> {
    let input = BufReader::with_capacity(BUFFER, input);
    read_chunks(input, name, options, builder)
}

/// Does what [`read`] does, in the buffer that the input has already.
///
/// Its chunks must be smaller than the longest line.
pub(crate) fn read_chunks(
    input: impl BufRead,
    name: &str,
    options: &Options,
    builder: &mut ProfileBuilder,
) -> Result<Outcome, Error> {
    read_with(input, Interpreter::new(builder, name, options))
}

/// Does what [`read`] does, but without shortcuts: the reference parser, with which tests compare
/// [`read`].
#[doc(hidden)]
pub fn read_line_by_line(
    input: impl Read,
    name: &str,
    options: &Options,
    builder: &mut ProfileBuilder,
) -> Result<Outcome, Error> {
    let interpreter = Interpreter::new(builder, name, options);
    let input = BufReader::with_capacity(BUFFER, input);
    read_with(input, interpreter.line_by_line())
}

fn read_with(input: impl BufRead, interpreter: Interpreter<'_>) -> Result<Outcome, Error> {
    let mut start = Vec::with_capacity(START);
    read_text(input, interpreter, &mut start).map_err(|mut error| {
        if let [0x1f, 0x8b, ..] | [0x28, 0xb5, 0x2f, 0xfd] = start.as_slice() {
            error.problem = ProblemKind::Compressed.into();
        }
        error
    })
}

/// How many bytes tell gzip and zstd.
const START: usize = 4;

/// Reads text; also its first bytes.
fn read_text(
    mut input: impl BufRead,
    mut interpreter: Interpreter<'_>,
    start: &mut Vec<u8>,
) -> Result<Outcome, Error> {
    let mut lines = Lines::default();
    let mut outcome = Outcome::default();
    loop {
        let chunk = match input.fill_buf() {
            Ok([]) => break,
            Ok(chunk) => chunk,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(interpreter.error(ProblemKind::Io(error).into())),
        };
        start.extend(chunk.iter().take(START - start.len()));
        lines.take_in(chunk, &mut interpreter)?;
        let count = chunk.len();
        outcome.bytes += count as u64;
        input.consume(count);
    }
    if outcome.bytes == 0 {
        return Err(interpreter.error(ProblemKind::Empty.into()));
    }
    if !lines.begun.is_empty() {
        interpreter.last_line(&lines.begun);
    }
    outcome.warnings = interpreter.finish(lines.ends_blank())?;
    Ok(outcome)
}

/// Hands on whole lines, and keeps the beginning of one whose end has not come yet.
#[derive(Default)]
struct Lines {
    begun: Vec<u8>,
    /// Whether the last whole line was blank.
    last_is_blank: bool,
}

impl Lines {
    /// Takes in the bytes that come next.
    fn take_in(&mut self, chunk: &[u8], interpreter: &mut Interpreter<'_>) -> Result<(), Error> {
        let Some(end) = memchr::memrchr(b'\n', chunk) else {
            return self.begin(chunk, interpreter);
        };
        let (mut whole, rest) = chunk.split_at(end + 1);
        if !self.begun.is_empty() {
            let end = memchr::memchr(b'\n', whole).unwrap_or(end);
            let (first, others) = whole.split_at(end + 1);
            self.end(first, interpreter)?;
            whole = others;
        }
        self.hand_on(whole, interpreter)?;
        self.begin(rest, interpreter)
    }

    fn hand_on(&mut self, whole: &[u8], interpreter: &mut Interpreter<'_>) -> Result<(), Error> {
        if whole.is_empty() {
            return Ok(());
        }
        self.last_is_blank = matches!(
            whole,
            [.., b'\n', b'\n'] | [.., b'\n', b'\r', b'\n'] | [b'\n'] | [b'\r', b'\n']
        );
        interpreter.lines(whole)
    }

    /// Takes in bytes of a line whose end is not among them.
    fn begin(&mut self, bytes: &[u8], interpreter: &mut Interpreter<'_>) -> Result<(), Error> {
        self.begun.extend_from_slice(bytes);
        if self.begun.len() > LONGEST_LINE {
            return Err(interpreter.error(ProblemKind::LineTooLong.into()));
        }
        Ok(())
    }

    /// Takes in the end of the line that was begun.
    fn end(&mut self, bytes: &[u8], interpreter: &mut Interpreter<'_>) -> Result<(), Error> {
        self.begin(&bytes[..bytes.len() - 1], interpreter)?;
        let mut line = std::mem::take(&mut self.begun);
        line.push(b'\n');
        self.hand_on(&line, interpreter)?;
        line.clear();
        self.begun = line;
        Ok(())
    }

    /// Whether the input's last line is blank.
    fn ends_blank(&self) -> bool {
        self.last_is_blank && self.begun.is_empty()
    }
}
