//! The one owner of the buffer: reads an input to its end, whole lines at a time.

use std::io::{ErrorKind, Read};

use super::error::Problem;
use super::interpreter::Interpreter;
use super::{Error, Options, Warning};
use crate::profile::ProfileBuilder;

/// Size of the buffer to begin with; small enough to stay in a core's cache.
const BUFFER: usize = 128 << 10;

/// The longest line that is read.
const LONGEST_LINE: usize = 16 << 20;

/// What there is to say about an input that was read.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Bytes of text.
    pub bytes: u64,
    /// What the user should know.
    pub warnings: Vec<Warning>,
}

/// Reads a callgrind profile to its end and adds it to what `builder` has.
///
/// `name` is what messages call the input. Reads are taken in any sizes, and the result does not
/// depend on them. Memory does not grow with the input, but with its names, functions and call
/// edges, and with its longest line, which may have 16 MiB.
///
/// # Errors
///
/// At the first line that cannot be read, unless [`Options::lenient`] skips it; where the input
/// holds no cost line at all; and where reading fails. What was read before has been added to the
/// builder, which should then be dropped; only an input without cost lines adds nothing.
pub fn read(
    input: impl Read,
    name: &str,
    options: &Options,
    builder: &mut ProfileBuilder,
) -> Result<Outcome, Error> {
    read_with(input, Interpreter::new(builder, name, options.clone()))
}

/// Does what [`read`] does without shortcuts through lines of common shape: for tests, which show
/// that the result is the same.
#[doc(hidden)]
pub fn read_the_long_way(
    input: impl Read,
    name: &str,
    options: &Options,
    builder: &mut ProfileBuilder,
) -> Result<Outcome, Error> {
    let interpreter = Interpreter::new(builder, name, options.clone());
    read_with(input, interpreter.without_shortcuts())
}

fn read_with(mut input: impl Read, mut interpreter: Interpreter<'_>) -> Result<Outcome, Error> {
    let mut lines = Lines::default();
    let mut outcome = Outcome::default();
    loop {
        lines.make_room(&mut interpreter)?;
        let count = match input.read(lines.room()) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(interpreter.error(Problem::Io(error))),
        };
        outcome.bytes += count as u64;
        lines.take_in(count, &mut interpreter)?;
    }
    let last = lines.last();
    if !last.is_empty() {
        interpreter.last_line(last);
    }
    outcome.warnings = interpreter.finish(lines.ends_blank())?;
    Ok(outcome)
}

/// A buffer that hands on whole lines and keeps the beginning of the next one.
struct Lines {
    buffer: Vec<u8>,
    filled: usize,
    /// Whether the last whole line was blank.
    last_is_blank: bool,
    /// Whether the rest of a line that was too long is being passed over.
    passing: bool,
}

impl Default for Lines {
    fn default() -> Self {
        Lines {
            buffer: vec![0; BUFFER],
            filled: 0,
            last_is_blank: true,
            passing: false,
        }
    }
}

impl Lines {
    /// Where the next bytes go.
    fn room(&mut self) -> &mut [u8] {
        &mut self.buffer[self.filled..]
    }

    /// Makes sure that there is room, though a line may fill the whole buffer.
    fn make_room(&mut self, interpreter: &mut Interpreter<'_>) -> Result<(), Error> {
        if self.passing {
            self.filled = 0;
        } else if self.filled > LONGEST_LINE {
            interpreter.skip(Problem::LineTooLong)?;
            self.passing = true;
            self.filled = 0;
        } else if self.filled == self.buffer.len() {
            let larger = (2 * self.buffer.len()).min(LONGEST_LINE + 1);
            self.buffer.resize(larger, 0);
        }
        Ok(())
    }

    /// Takes in `count` bytes that were put into the room, and hands whole lines on.
    fn take_in(&mut self, count: usize, interpreter: &mut Interpreter<'_>) -> Result<(), Error> {
        let mut start = 0;
        let old = self.filled;
        self.filled += count;
        if self.passing {
            let Some(end) = memchr::memchr(b'\n', &self.buffer[..self.filled]) else {
                return Ok(());
            };
            self.passing = false;
            interpreter.pass_line();
            start = end + 1;
        }
        let fresh = start.max(old);
        let Some(end) = memchr::memrchr(b'\n', &self.buffer[fresh..self.filled]) else {
            self.keep_from(start);
            return Ok(());
        };
        let end = fresh + end + 1;
        let whole = &self.buffer[start..end];
        self.last_is_blank = ends_with_blank_line(whole, self.last_is_blank);
        interpreter.lines(whole)?;
        self.keep_from(end);
        Ok(())
    }

    fn keep_from(&mut self, start: usize) {
        if start > 0 {
            self.buffer.copy_within(start..self.filled, 0);
            self.filled -= start;
        }
    }

    /// What follows the last `\n`.
    fn last(&self) -> &[u8] {
        if self.passing {
            &[]
        } else {
            &self.buffer[..self.filled]
        }
    }

    /// Whether the input's last line is blank.
    fn ends_blank(&self) -> bool {
        self.last_is_blank && self.last().is_empty()
    }
}

fn ends_with_blank_line(lines: &[u8], before: bool) -> bool {
    match lines {
        [] => before,
        [.., b'\n', b'\n'] | [.., b'\n', b'\r', b'\n'] | [b'\n'] | [b'\r', b'\n'] => true,
        _ => false,
    }
}
