//! Reads one trace on several threads: each reads ranges of its bytes, which are joined in order.

use std::io::{BufRead, BufReader, Read};
use std::ops::Range;

use memchr::memmem;

use super::interpreter::Interpreter;
use super::reader::LineReader;
use super::{ParseError, Parsed, ReadOptions};
use crate::in_order::in_order;
use crate::io::BUFFER;
use crate::profile::{Kind, ProfileBuilder};

/// A file that can be read on several threads.
pub struct Ranges<'a> {
    /// Its size in bytes. If it grows while it is read, the rest is read, too.
    pub length: u64,
    /// The number of threads.
    pub threads: usize,
    /// The smallest size of a range in bytes. Each range builds its own tables, and keeps the blocks
    /// that are to be linked.
    pub range: u64,
    /// Opens a range of bytes.
    pub open: &'a (dyn Fn(Range<u64>) -> Box<dyn Read + 'a> + Sync),
    /// Counts bytes that were read, except those from the input.
    pub passed: &'a (dyn Fn(u64) + Sync),
}

/// The bytes that are read before the input is recognised as a trace.
const HEAD: u64 = 64 << 10;

/// The largest distance from the intended start of a range to a block.
const MAX_SEARCHED: u64 = 64 << 10;

/// How many times as long as intended a range may be to be kept until it is joined. Where no block is
/// found for longer, the lines are read in order.
const MAX_LENGTH: u64 = 4;

/// Does the same as [`read`](super::read), with the buffer of the input, which must be smaller than
/// the longest line; on several threads if `file` is a trace. `input` must be at its beginning.
pub fn read_ranges(
    input: impl BufRead,
    file: Option<&Ranges<'_>>,
    name: &str,
    options: &ReadOptions,
    builder: &mut ProfileBuilder,
) -> Result<Parsed, ParseError> {
    let mut reading = LineReader::new(Interpreter::new(builder, name, options));
    match file {
        Some(file) => file.read(input, &mut reading)?,
        None => reading.read(input)?,
    }
    reading.finish()
}

impl Ranges<'_> {
    fn read(
        &self,
        mut input: impl BufRead,
        reading: &mut LineReader<'_>,
    ) -> Result<(), ParseError> {
        let head = self.range.min(HEAD);
        reading.read((&mut input).take(head))?;
        let Some(first) = self.block(head) else {
            return reading.read(input);
        };
        reading.read((&mut input).take(first - head))?;
        let Some(profile) = reading.interpreter.range_options() else {
            return reading.read(input);
        };
        // The input has read and counted bytes that are still in its buffer.
        let counted = first + input.fill_buf().map_or(0, |bytes| bytes.len() as u64);
        let passed = |from: u64, to: u64| (self.passed)(to.saturating_sub(from.max(counted)));
        let starts = self.blocks(first);
        let columns = reading.interpreter.columns.clone();
        let mut options = reading.interpreter.options.clone();
        options.kind = Some(Kind::Trace);
        let mut ranges = starts.windows(2).map(|ends| ends[0]..ends[1]);
        in_order(
            self.threads,
            &mut *reading,
            || ranges.next(),
            |range| {
                if range.end - range.start > self.range.saturating_mul(MAX_LENGTH) {
                    return (range, None);
                }
                let mut sums = ProfileBuilder::new(profile.clone());
                let interpreter = Interpreter::of_range(&mut sums, &options, columns.clone());
                let mut own = LineReader::new(interpreter);
                let outcome = own.read(self.buffered(&range));
                let is_read = outcome.is_ok() && own.bytes == range.end - range.start;
                let ended = own.interpreter.end_range().filter(|_| is_read);
                (range, ended.map(|ended| (ended, sums)))
            },
            |reading, (range, read)| {
                let interpreter = &mut reading.interpreter;
                if read.is_some_and(|(ended, sums)| interpreter.join(ended, &columns, sums)) {
                    reading.bytes += range.end - range.start;
                } else {
                    // It depends on the lines before it, so it is read again after them.
                    reading.read(self.buffered(&range))?;
                }
                passed(range.start, range.end);
                Ok(reading)
            },
        )?;
        let last = starts[starts.len() - 1];
        passed(last, self.length);
        reading.read(self.buffered(&(last..u64::MAX)))
    }

    fn buffered(&self, range: &Range<u64>) -> impl BufRead {
        BufReader::with_capacity(BUFFER, (self.open)(range.clone()))
    }

    /// The starts of blocks that are about a range apart, from this one on, and of one near the
    /// end, after which the rest is read alone.
    fn blocks(&self, first: u64) -> Vec<u64> {
        let end = self.length.saturating_sub(MAX_SEARCHED.min(self.range));
        let count = end.saturating_sub(first) / self.range;
        let mut starts = vec![first];
        for next in (1..=count).map(|range| first + range * self.range) {
            starts.extend(self.block(next));
        }
        starts.extend(self.block(end.max(first)));
        starts.dedup();
        starts
    }

    /// The start of the first block after the line at `from`, unless it is far away.
    fn block(&self, from: u64) -> Option<u64> {
        let mut text = Vec::new();
        let searched = from..from + MAX_SEARCHED.min(self.range);
        (self.open)(searched).read_to_end(&mut text).ok()?;
        let mut starts = memmem::find_iter(&text, b"\nfn=(")
            .filter_map(|end| Some(memchr::memrchr(b'\n', &text[..end])? + 1));
        let start = starts.find(|&start| text[start..].starts_with(b"fl=("))?;
        Some(from + start as u64)
    }
}
