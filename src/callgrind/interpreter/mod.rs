//! The meaning of lines: a state machine that turns them into calls of a [`ProfileBuilder`].
//!
//! Its state has five owners: the [current names](names), the [columns], the
//! [section](sections), the [messages], and the builder.

mod columns;
mod cost_lines;
mod header;
mod messages;
mod names;
mod range;
mod records;
mod sections;

use super::error::{ParseWarning, Problem, ProblemKind, WarningKind};
use super::fast::record_memo::RecordMemo;
use super::id_tables::IdTables;
use super::line::{Cursor, NameKind, Position};
use super::{FoundParts, ParseError, ReadOptions};
use crate::display::text::excerpt;
use crate::profile::{Cost, Kind, Needs, ProfileBuilder};
use crate::warnings::Warnings;
use columns::Columns;
use cost_lines::Expect;
use messages::Messages;
use names::CurrentNames;
use range::RangeIds;
use sections::Section;

/// The beginning of the line that Xdebug's append mode writes between runs.
const NEW_RUN: &[u8] = b"==== NEW PROFILING FILE";

/// The beginning of a comment that this program writes before the block of a function: the number of
/// invocations minus the number of calls, if it is not 0. Every other reader skips it, even one that
/// treats any line with a colon as a header, or the line after `fn=` as a cost.
pub(super) const MORE_INVOCATIONS: &[u8] = b"# more-invocations=";

/// The beginnings of lines of the body that are ignored.
const IGNORED_LINES: [&[u8]; 5] = [b"bb=", b"ln=", b"rec=", b"total=", b"totals="];

/// Reads lines into a builder.
pub(super) struct Interpreter<'a> {
    builder: &'a mut ProfileBuilder,
    needs: Needs,
    pub options: &'a ReadOptions,
    ids: IdTables,
    current: CurrentNames,
    pub columns: Columns,
    /// The position of the last cost line, to which relative positions refer.
    position: Position,
    section: Section,
    messages: Messages,
    /// What the next cost line means.
    expect: Expect,
    /// The requested costs of the last cost line.
    row: Vec<Cost>,
    /// The records of traces that were read before; `None` to read each line by itself.
    memo: Option<RecordMemo>,
    /// The number of [`MORE_INVOCATIONS`] for the next block.
    more_invocations: Option<i128>,
    /// An error in the previous line, which becomes a warning if the current line begins a run.
    held: Option<ParseError>,
    /// Whether the last line is blank.
    ends_blank: bool,
    /// Whether any line so far is typical of a profile.
    is_profile: bool,
    /// The first line that is not blank, while that is not known.
    first_line: Option<String>,
    /// The ids of a range of a trace, while one is read.
    range: Option<RangeIds>,
    pub found_parts: FoundParts,
    /// The number of the first `part:` line.
    pub first_part: Option<u64>,
}

impl<'a> Interpreter<'a> {
    pub fn new(builder: &'a mut ProfileBuilder, input: &str, options: &'a ReadOptions) -> Self {
        let kind = options.kind.unwrap_or(Kind::Aggregate);
        Interpreter {
            needs: builder.begin_input(kind),
            builder,
            options,
            ids: IdTables::new(kind),
            current: CurrentNames::default(),
            columns: Columns::default(),
            position: Position::default(),
            section: Section::first(kind),
            messages: Messages::new(input),
            expect: Expect::OwnCost,
            row: Vec::new(),
            memo: (!options.line_by_line).then(RecordMemo::default),
            more_invocations: None,
            held: None,
            ends_blank: false,
            is_profile: false,
            first_line: None,
            range: None,
            found_parts: FoundParts::default(),
            first_part: None,
        }
    }

    /// Reads whole lines, each with its `\n`.
    pub fn lines(&mut self, data: &[u8]) -> Result<(), ParseError> {
        if !data.is_empty() {
            let before = data.strip_suffix(b"\n").unwrap_or(data);
            let before = before.strip_suffix(b"\r").unwrap_or(before);
            self.ends_blank = matches!(before, [] | [.., b'\n']);
        }
        let mut text = Cursor::new(data, 0);
        while text.pos < data.len() {
            if self.held.is_some() {
                self.release(text)?;
            }
            text.pos = self.fast_path(data, text.pos);
            if text.pos == data.len() {
                break;
            }
            if self.range.is_some() && !self.is_self_contained(text) {
                return Err(self.error(ProblemKind::UnknownLine));
            }
            match self.line(text) {
                Ok(next) => text.pos = next,
                Err(problem) => {
                    self.bad_line(problem)?;
                    text.take_line();
                }
            }
            self.messages.line += 1;
        }
        Ok(())
    }

    /// Reads the text after the last `\n` of the input.
    ///
    /// A line that is truncated is not an error, because the profiles of killed scripts end like this.
    pub fn last_line(&mut self, line: &[u8]) {
        self.ends_blank = false;
        let whole = [line, b"\n"].concat();
        let found = excerpt(line);
        if self.is_cut_summary(line) || self.line(Cursor::new(&whole, 0)).is_err() {
            self.expect = Expect::OwnCost;
            self.warn_cut(self.messages.line, WarningKind::CutLine(found));
        } else if !found.is_empty() && self.section.end_within_line() {
            self.messages.warn(WarningKind::UnendedLine(found));
        }
        self.messages.line += 1;
    }

    /// Ends the input.
    pub fn finish(&mut self) -> Result<Warnings<ParseWarning>, ParseError> {
        self.held.take().map_or(Ok(()), Err)?;
        // Messages at the end are about the last line.
        self.messages.line = self.messages.line.saturating_sub(1).max(1);
        if !self.section.has_data() {
            // The caller may use its headers, and the event that they name.
            self.resolve_columns();
            if !self.is_profile {
                return Err(self.no_profile());
            }
            let is_skipped = |warning: &ParseWarning| warning.kind.is_skipped();
            return Err(self.error(match self.messages.warnings.count(is_skipped) {
                0 if self.section.measured_nothing() => ProblemKind::NothingMeasured,
                skipped => ProblemKind::NoData(skipped),
            }));
        }
        if matches!(self.expect, Expect::CallCost(_)) {
            self.warn_cut(self.messages.line, WarningKind::CutCall);
        }
        let is_ended = self.ends_blank || self.section.is_summed_up();
        // A block without a cost has not ended.
        let is_in_block = self.builder.open_file().is_some();
        self.end_section(!(is_ended && is_in_block));
        Ok(self.messages.finish())
    }

    /// An error in the current line.
    pub fn error(&self, problem: impl Into<Problem>) -> ParseError {
        self.messages.error(problem)
    }

    /// Skips an unreadable line with a warning, if the caller is lenient. Otherwise holds the error
    /// until the next line: a killed run may end within any line, and in Xdebug's append mode the next
    /// run follows.
    #[cold]
    fn bad_line(&mut self, problem: Problem) -> Result<(), ParseError> {
        if problem.kind.is_excess() {
            return Err(self.error(problem));
        }
        if self.options.lenient {
            self.messages.warn(WarningKind::Skipped(problem));
            return Ok(());
        }
        if !self.is_profile {
            return Err(self.no_profile());
        }
        self.held = Some(self.error(problem));
        Ok(())
    }

    /// The error for an input that is not a profile.
    fn no_profile(&mut self) -> ParseError {
        self.messages.line = 1;
        let (kind, found) = (ProblemKind::NotAProfile, self.first_line.take());
        self.error(Problem { kind, found })
    }

    /// Fails with the error in the line before, unless the next line begins a run: then the run before
    /// is truncated.
    #[cold]
    fn release(&mut self, next: Cursor<'_>) -> Result<(), ParseError> {
        match self.held.take() {
            Some(error) if next.rest().starts_with(NEW_RUN) => {
                let found = error.problem.found.unwrap_or_default();
                self.warn_cut(error.line, WarningKind::CutLine(found));
                Ok(())
            }
            held => held.map_or(Ok(()), Err),
        }
    }

    /// Reads a line, and returns the start of the next one, as the methods for each kind of line do.
    fn line(&mut self, mut text: Cursor<'_>) -> Result<usize, Problem> {
        text.skip_blanks();
        if !self.is_profile && !matches!(text.peek(), b'\n' | b'\r') {
            let mut line = text;
            self.first_line
                .get_or_insert_with(|| excerpt(line.take_line()));
        }
        match text.peek() {
            b'0'..=b'9' | b'+' | b'-' | b'*' => self.cost_line(text),
            b'\n' | b'\r' if text.end_of_line() => Ok(text.pos),
            b'#' => {
                self.comment(text.take_line());
                Ok(text.pos)
            }
            _ => self.text_line(text),
        }
    }

    /// Reads a line that begins with a letter or a sign.
    #[inline]
    fn text_line(&mut self, start: Cursor<'_>) -> Result<usize, Problem> {
        let mut text = start;
        if let Expect::CallCost(_) = std::mem::take(&mut self.expect) {
            self.call_without_cost(start)?;
        }
        if let Some((named, length)) = NameKind::by(text.rest()) {
            self.is_profile = true;
            text.pos += length;
            self.name_line(named, &mut text)?;
            return Ok(text.pos);
        }
        if text.take(b"calls=") || text.take(b"rcalls=") {
            return self.calls_line(start, text);
        }
        let line = text.take_line();
        if line.starts_with(b"jcnd=") || line.starts_with(b"jump=") {
            self.expect = Expect::JumpSource;
        } else if !IGNORED_LINES.iter().any(|key| line.starts_with(key)) {
            self.header_line(line).map_err(|kind| start.problem(kind))?;
        }
        Ok(text.pos)
    }

    /// Handles a `calls=` line without a cost line after it. If it is skipped, the next line, which
    /// begins here, is still to be read.
    #[cold]
    fn call_without_cost(&mut self, next: Cursor<'_>) -> Result<(), Problem> {
        let problem = next.problem(ProblemKind::CallWithoutCost);
        if next.rest().starts_with(NEW_RUN) {
            self.warn_cut(self.messages.line, WarningKind::CutCall);
        } else if self.options.lenient {
            self.messages.warn(WarningKind::Skipped(problem));
        } else {
            return Err(problem);
        }
        Ok(())
    }

    #[cold]
    fn comment(&mut self, line: &[u8]) {
        self.is_profile |= line.starts_with(b"# callgrind format");
        if let Some(more) = line.strip_prefix(MORE_INVOCATIONS)
            && self.section.is_own()
        {
            let more = str::from_utf8(more.trim_ascii()).ok();
            self.more_invocations = more.and_then(|more| more.parse().ok());
        }
    }

    /// Finds the requested columns, and makes room for their costs; false without an `events:` line.
    #[cold]
    fn resolve_columns(&mut self) -> bool {
        if self.section.is_left_out() {
            return true;
        }
        let Some(gone) = self.columns.resolve(self.builder, self.needs) else {
            return false;
        };
        self.row.resize(self.columns.width(), 0);
        if gone.is_empty() {
            return true;
        }
        let events = self.columns.events().iter().map(|name| excerpt(name));
        let available = match &events.collect::<Vec<_>>()[..] {
            [] => String::new(),
            events => format!(", only {}", events.join(", ")),
        };
        for at in gone {
            self.messages.warn(WarningKind::EventAbsent {
                event: self.builder.wanted_event(at).to_vec(),
                available: available.clone(),
                is_first: self.builder.may_be_first(at),
            });
        }
        true
    }
}
