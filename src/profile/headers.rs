//! The header lines of a single input, or the common facts of several.

use std::borrow::Cow;

use super::producer::Producer;
use super::runs::Runs;
use super::stated::{Stated, summary_costs, words};
use crate::tables::{ColumnMap, Cost, first_cost};

/// The beginning of a `desc:` value that marks missing data.
pub(crate) const INCOMPLETE: &[u8] = b"Incomplete: ";

/// The most bytes of header lines that are stored for an input.
const MAX_LINES: usize = 1 << 20;

/// A header line of a profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header<'a> {
    text: Cow<'a, [u8]>,
}

impl<'a> Header<'a> {
    pub(super) fn new(text: impl Into<Cow<'a, [u8]>>) -> Self {
        Header { text: text.into() }
    }

    /// The whole line, `key: value`, without its end.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// The total of the first event, if it is a `summary:` line.
    pub fn total(&self) -> Option<Cost> {
        (self.key() == b"summary").then(|| first_cost(&summary_costs(self.value())))
    }

    /// The text before the first colon.
    pub fn key(&self) -> &[u8] {
        &self.text[..self.colon()]
    }

    /// The text after the first colon and the space that follows it.
    pub fn value(&self) -> &[u8] {
        let rest = self.text.get(self.colon() + 1..).unwrap_or_default();
        rest.strip_prefix(b" ").unwrap_or(rest)
    }

    fn colon(&self) -> usize {
        memchr::memchr(b':', &self.text).unwrap_or(self.text.len())
    }

    /// Creates a `summary:` line with these numbers.
    pub(super) fn summary(numbers: &[Cost]) -> Self {
        let numbers = numbers.iter().map(|number| format!(" {number}"));
        Header::new(
            ["summary:".to_owned(), numbers.collect()]
                .concat()
                .into_bytes(),
        )
    }

    /// Whether webgrind's reader finds the total in this `summary:` line: in decimal digits, after
    /// a single space.
    fn is_plain_summary(&self) -> bool {
        let total = self.total().unwrap_or(0).to_string();
        let rest = self.value().strip_prefix(total.as_bytes());
        rest.is_some_and(|rest| !rest.first().is_some_and(u8::is_ascii_digit))
    }
}

/// The header lines of an input, unchanged.
#[derive(Clone, Debug, Default)]
struct Lines {
    /// The lines with their line ends.
    text: Vec<u8>,
    /// The start of the current section's lines.
    section: usize,
}

impl Lines {
    /// Stores a line, with a space after its colon, because webgrind's reader splits at `: `.
    fn push(&mut self, line: &[u8]) {
        if self.text.len() + line.len() > MAX_LINES {
            return;
        }
        let colon = memchr::memchr(b':', line).map_or(line.len(), |colon| colon + 1);
        let (key, value) = line.split_at(colon);
        let lacks_space = key.ends_with(b":") && !value.starts_with(b" ");
        let space: &[u8] = if lacks_space { b" " } else { b"" };
        self.text.extend([key, space, value, b"\n"].concat());
    }

    fn iter(&self) -> impl Iterator<Item = Header<'_>> {
        let lines = self.text.split_inclusive(|&byte| byte == b'\n');
        lines.map(|line| Header::new(&line[..line.len() - 1]))
    }

    /// Drops the lines of the current section, except those that describe all sections.
    fn leave_out_section(&mut self) {
        const COMMON: [&[u8]; 6] = [
            b"version",
            b"creator",
            b"pid",
            b"cmd",
            b"positions",
            b"events",
        ];
        let text = self.text.split_off(self.section);
        let section = Lines { text, section: 0 };
        let common = section.iter().filter(|line| COMMON.contains(&line.key()));
        common.for_each(|line| self.push(line.text()));
    }
}

/// The facts from the headers of one or more inputs.
#[derive(Clone, Debug, Default)]
pub(super) struct Headers {
    /// The lines of the only input.
    lines: Lines,
    /// The first `creator:` line.
    pub creator: Option<Box<[u8]>>,
    /// All programs that wrote it, each once.
    pub producers: Vec<Producer>,
    pub runs: Runs,
    pub stated: Stated,
    /// The `summary:` lines of the current section, which may be dropped.
    section: Stated,
    /// The `summary:` lines whose columns are not known yet.
    unbound: Stated,
    pub is_incomplete: bool,
}

impl Headers {
    /// Adds a line.
    pub fn push(&mut self, line: &[u8]) {
        let header = Header::new(line);
        let value = header.value().trim_ascii();
        if let Some(producer) = Producer::of_header(header.key(), value) {
            self.add_producer(producer);
        }
        match header.key() {
            b"creator" => drop(self.creator.get_or_insert_with(|| value.into())),
            b"version" if self.lines.text.len() == self.lines.section => self.runs.begin_header(),
            b"summary" => self.unbound.add(&summary_costs(value)),
            b"desc" if value.starts_with(INCOMPLETE) => {
                self.is_incomplete = true;
                return;
            }
            b"desc" if self.is_sum() => self.runs.read_note(value),
            key => self.runs.read(key, value),
        }
        self.lines.push(line);
    }

    fn add_producer(&mut self, producer: Producer) {
        if !self.producers.contains(&producer) {
            self.producers.push(producer);
        }
    }

    /// Whether the current input is a merged profile.
    pub fn is_sum(&self) -> bool {
        self.producers.iter().any(|producer| producer.is_own())
    }

    /// Sets the columns of the `summary:` lines since the last call.
    pub fn bind_columns(&mut self, map: &ColumnMap) {
        let mut bound = std::mem::take(&mut self.unbound);
        bound.map_events(map);
        self.section.merge(&bound);
    }

    /// Ends a section, which is a run or a part, with these sums of self costs.
    pub fn end_section(&mut self, own: &[Cost]) {
        self.unbound = Stated::default();
        let mut section = std::mem::take(&mut self.section);
        section.end_section(own);
        self.stated.merge(&section);
        self.lines.section = self.lines.text.len();
        self.runs.end_section();
    }

    /// Drops the facts of the current section, except those that describe all sections.
    pub fn leave_out_section(&mut self) {
        self.lines.leave_out_section();
        (self.section, self.unbound) = Default::default();
        self.runs.leave_out_section();
    }

    /// Adds the facts of other inputs, and drops all lines: they are stored for a single input
    /// only.
    pub fn append(&mut self, other: Headers) {
        self.lines = Lines::default();
        self.creator = self.creator.take().or(other.creator);
        for producer in other.producers {
            self.add_producer(producer);
        }
        self.runs.append(other.runs);
        self.stated.merge(&other.stated);
        self.is_incomplete |= other.is_incomplete;
    }

    /// Whether everything comes from Xdebug 2.
    pub fn is_of_xdebug_2(&self) -> bool {
        let mut producers = self.producers.iter();
        !self.producers.is_empty() && producers.all(|producer| producer.is_of_xdebug_2())
    }

    /// A line that marks missing data, if there are any.
    fn incomplete_line(&self) -> Option<Header<'static>> {
        const WHY: &[u8] = b"data were cut off, skipped or missing";
        let line = || Header::new([b"desc: ", INCOMPLETE, WHY].concat());
        self.is_incomplete.then(line)
    }

    /// The lines of the only input, if it contains a single run.
    ///
    /// The `events:` and `summary:` lines are rewritten if `event`, the only requested one, is not
    /// in the first column. Summaries are also rewritten if they are missing, incomplete or 0. Then
    /// the first `summary:` line states the total, and all others state 0. `total` returns the self
    /// cost of all functions.
    pub fn lines(&self, event: Option<&[u8]>, total: impl Fn() -> Cost) -> Option<Vec<Header<'_>>> {
        if self.lines.text.is_empty() || self.runs.count() > 1 {
            return None;
        }
        let is_rewritten = self.lines.iter().any(|line| {
            let first = words(line.value()).next();
            line.key() == b"events" && event.is_some_and(|event| first != Some(event))
        });
        let summaries = self.lines.iter().filter(|line| line.total().is_some());
        let are_all_kept = summaries.count() == self.stated.lines;
        let stated = self.stated.total();
        let total = if stated == 0 || is_rewritten {
            total()
        } else {
            stated
        };
        let is_stated = total == stated && are_all_kept && !self.stated.is_partial();
        let mut rest = Some(total);
        let lines = self.lines.iter().map(|line| match line.key() {
            b"summary" => {
                let rest = rest.take().unwrap_or(0);
                match is_stated && !is_rewritten {
                    true if line.is_plain_summary() => line,
                    true => Header::summary(&summary_costs(line.value())),
                    false => Header::summary(&[rest]),
                }
            }
            b"events" if is_rewritten => {
                Header::new([b"events: ", event.unwrap_or_default()].concat())
            }
            _ => line,
        });
        // Truncation of a file does not affect its first line.
        let mut lines: Vec<_> = self.incomplete_line().into_iter().chain(lines).collect();
        lines.extend(rest.map(|total| Header::summary(&[total])));
        Some(lines)
    }

    /// The first lines for several runs. They do not depend on the order of the runs.
    pub fn common_lines(&self) -> impl Iterator<Item = Header<'static>> {
        let creator = Producer::own_line(self.is_of_xdebug_2());
        let command = self.runs.commands().next().unwrap_or_default();
        let first = [
            b"version: 1".to_vec(),
            creator.into_bytes(),
            [b"cmd: ", command].concat(),
        ];
        let first = first.into_iter().map(Header::new);
        let runs = self.runs.lines().map(Header::new);
        first.chain(self.incomplete_line()).chain(runs)
    }
}
