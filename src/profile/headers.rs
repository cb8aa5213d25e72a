//! The header lines of a single input, or the common facts of several.

use std::borrow::Cow;

use super::producer::Producer;
use super::runs::{COMMAND, PROCESS, RUNS, Runs};
use super::stated::{Stated, split_number, summary_costs, words};
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
        Header::new([b"summary:", numbers.collect::<String>().as_bytes()].concat())
    }

    /// Whether webgrind's reader finds the total in this `summary:` line: in decimal digits, after
    /// a single space.
    fn is_plain_summary(&self) -> bool {
        let total = self.total().unwrap_or(0).to_string();
        let rest = self.value().strip_prefix(total.as_bytes());
        rest.is_some_and(|rest| !rest.first().is_some_and(u8::is_ascii_digit))
    }
}

/// What the headers of one or more inputs state.
#[derive(Clone, Debug, Default)]
pub(super) struct Headers {
    /// The lines of the only input, unchanged, with their ends.
    lines: Vec<u8>,
    /// The first `creator:` line.
    pub creator: Option<Box<[u8]>>,
    /// All programs that wrote it, each once.
    pub producers: Vec<Producer>,
    pub runs: Runs,
    pub stated: Stated,
    pub is_incomplete: bool,
}

impl Headers {
    /// Adds the facts of other inputs, and drops all lines: they are stored for a single input
    /// only.
    pub fn append(&mut self, other: Headers) {
        self.lines = Vec::new();
        self.creator = self.creator.take().or(other.creator);
        for producer in other.producers {
            self.add_producer(producer);
        }
        self.runs.append(other.runs);
        self.stated.merge(&other.stated);
        self.is_incomplete |= other.is_incomplete;
    }

    fn add_producer(&mut self, producer: Producer) {
        if !self.producers.contains(&producer) {
            self.producers.push(producer);
        }
    }

    /// Whether this program wrote any of it, as a merged profile.
    pub fn are_of_sum(&self) -> bool {
        self.producers.iter().any(|producer| producer.is_own())
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
        if self.lines.is_empty() || self.runs.count() > 1 {
            return None;
        }
        let is_rewritten = lines_of(&self.lines).any(|line| {
            let first = words(line.value()).next();
            line.key() == b"events" && event.is_some_and(|event| first != Some(event))
        });
        let summaries = lines_of(&self.lines).filter(|line| line.total().is_some());
        let are_all_kept = summaries.count() == self.stated.lines;
        let stated = self.stated.total();
        let total = if stated == 0 || is_rewritten {
            total()
        } else {
            stated
        };
        let are_whole = first_cost(&self.stated.unstated) == 0;
        let is_stated = total == stated && are_all_kept && are_whole;
        let mut rest = Some(total);
        let lines = lines_of(&self.lines).map(|line| match line.key() {
            b"summary" => {
                let rest = rest.take().unwrap_or(0);
                if !is_stated || is_rewritten {
                    Header::summary(&[rest])
                } else if line.is_plain_summary() {
                    line
                } else {
                    Header::summary(&summary_costs(line.value()))
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

fn lines_of(text: &[u8]) -> impl Iterator<Item = Header<'_>> {
    let lines = text.split_inclusive(|&byte| byte == b'\n');
    lines.map(|line| Header::new(&line[..line.len() - 1]))
}

/// Reads the headers of an input.
#[derive(Debug, Default)]
pub(super) struct HeaderReader {
    /// What they state so far.
    pub found: Headers,
    /// The lines of the current section, which is a run or a part.
    section: Vec<u8>,
    /// Its `summary:` lines.
    summaries: Stated,
    /// Those whose columns are not known yet.
    unbound: Stated,
    /// The commands in the lines of the current section.
    commands: Vec<Vec<u8>>,
    /// Whether the current run is not requested.
    is_left_out: bool,
    /// The process that it describes, and whether it describes a part.
    command: Vec<u8>,
    pid: Vec<u8>,
    is_part: bool,
    /// The number of runs that a merged profile states, if any.
    stated_runs: Option<u64>,
    /// The number of processes that the current run or merged profile names.
    named: u64,
}

impl HeaderReader {
    /// Reads a line.
    pub fn push(&mut self, line: &[u8]) {
        let header = Header::new(line);
        let (key, value) = (header.key(), header.value().trim_ascii());
        let found = &mut self.found;
        if let Some(producer) = Producer::of_header(key, value) {
            found.add_producer(producer);
        }
        match key {
            b"version" if self.section.is_empty() => self.forget_process(),
            b"creator" => drop(found.creator.get_or_insert_with(|| value.into())),
            b"cmd" => {
                self.command = value.to_vec();
                self.commands.push(value.to_vec());
            }
            b"pid" => self.pid = value.to_vec(),
            b"part" | b"thread" => self.is_part = true,
            b"summary" => self.unbound.add(&summary_costs(value)),
            b"desc" if value.starts_with(INCOMPLETE) => {
                found.is_incomplete = true;
                return;
            }
            b"desc" if found.are_of_sum() => self.read_note(value),
            _ => {}
        }
        self.keep(line);
    }

    /// Reads the value of one of our own lines about [`Runs`].
    fn read_note(&mut self, value: &[u8]) {
        let runs = &mut self.found.runs;
        if let Some(command) = value.strip_prefix(COMMAND) {
            runs.commands.insert(command.to_vec());
        } else if let Some(process) = value.strip_prefix(PROCESS) {
            if process.first().is_some_and(u8::is_ascii_digit) {
                runs.processes.insert(process.to_vec());
                self.named += 1;
            }
        } else if let Some((stated @ 1.., rest)) = value.strip_prefix(RUNS).and_then(split_number) {
            let before = self.stated_runs.unwrap_or(0);
            self.stated_runs = Some(before.saturating_add(stated));
            runs.has_more_commands |= rest.starts_with(b" of over ");
        }
    }

    /// Stores a line, with a space after its colon, because webgrind's reader splits at `: `.
    fn keep(&mut self, line: &[u8]) {
        if self.found.lines.len() + self.section.len() + line.len() > MAX_LINES {
            return;
        }
        let colon = memchr::memchr(b':', line).map_or(line.len(), |colon| colon + 1);
        let (key, value) = line.split_at(colon);
        let lacks_space = key.ends_with(b":") && !value.starts_with(b" ");
        let space: &[u8] = if lacks_space { b" " } else { b"" };
        self.section.extend([key, space, value, b"\n"].concat());
    }

    /// Sets the columns of the `summary:` lines since the last call.
    pub fn bind_columns(&mut self, map: &ColumnMap) {
        let mut bound = std::mem::take(&mut self.unbound);
        bound.map_events(map);
        self.summaries.merge(&bound);
    }

    /// Drops what the current section states, except lines that describe all sections.
    pub fn leave_out_section(&mut self) {
        let section = std::mem::take(&mut self.section);
        let is_common = |key: &[u8]| {
            matches!(
                key,
                b"version" | b"creator" | b"pid" | b"cmd" | b"positions" | b"events"
            )
        };
        let common = lines_of(&section).filter(|line| is_common(line.key()));
        common.for_each(|line| self.keep(line.text()));
        (self.summaries, self.unbound) = Default::default();
        self.is_part = false;
    }

    /// The command of the current section, or that of the sections before it; empty if unknown.
    pub fn command(&self) -> &[u8] {
        &self.command
    }

    /// Drops what the current run of a trace states.
    pub fn leave_out_run(&mut self) {
        self.section.clear();
        self.commands.clear();
        (self.summaries, self.unbound) = Default::default();
        self.is_left_out = true;
    }

    /// Ends a section with these sums of self costs.
    pub fn end_section(&mut self, own: &[Cost]) {
        self.found.runs.commands.extend(self.commands.drain(..));
        self.unbound = Stated::default();
        let mut summaries = std::mem::take(&mut self.summaries);
        summaries.end_section(own);
        self.found.stated.merge(&summaries);
        self.found.lines.append(&mut self.section);
        let is_number = !self.pid.is_empty() && self.pid.iter().all(u8::is_ascii_digit);
        if self.is_part && is_number && !self.command.is_empty() {
            let process = [&self.pid, &b" "[..], &self.command].concat();
            self.found.runs.processes.insert(process);
            self.named = self.named.max(1);
        }
    }

    /// Ends a run, or a merged profile of several.
    pub fn end_run(&mut self) {
        let is_left_out = std::mem::take(&mut self.is_left_out);
        let runs = self.stated_runs.take().unwrap_or(u64::from(!is_left_out));
        let unnamed = runs.saturating_sub(std::mem::take(&mut self.named));
        self.found.runs.add_unnamed(unnamed);
        self.forget_process();
    }

    fn forget_process(&mut self) {
        (self.command, self.pid, self.is_part) = Default::default();
    }
}
