//! The meaning of lines: a state machine that turns them into calls of a [`ProfileBuilder`].
//!
//! Its state has five owners: the [current names](current_names), the [columns], the
//! [section](sections), the [diagnostics], and the builder.

mod columns;
mod cost_lines;
mod current_names;
mod diagnostics;
mod header;
mod range;
mod records;
mod sections;

use super::error::{Problem, ProblemKind, Warning, WarningKind};
use super::fast::record_memo::RecordMemo;
use super::id_tables::{IdTables, NameAndId};
use super::line::{CompressedName, Cursor, NameKind, Position};
use super::{Error, FoundParts, KindChoice, PartFilter, ReadOptions};
use crate::display::text::excerpt;
use crate::profile::{BlockKind, Cost, MAX_NAME, NameId, ProfileBuilder};
use crate::warnings::Warnings;
use columns::Columns;
use cost_lines::Expect;
use current_names::CurrentNames;
use diagnostics::Diagnostics;
use range::RangeIds;
use sections::Section;

/// The beginning of the line that Xdebug's append mode writes between runs.
const NEW_RUN: &[u8] = b"==== NEW PROFILING FILE";

/// The beginning of a comment that this program writes before the block of a function: the number of
/// invocations minus the number of calls, if it is not 0. Every other reader skips it, even one that
/// treats any line with a colon as a header, or the line after `fn=` as a cost.
pub(super) const MORE_INVOCATIONS: &[u8] = b"# more-invocations=";

/// The beginnings of lines with the number of calls to the current callee, and its line.
const CALLS: [&[u8]; 2] = [b"calls=", b"rcalls="];

/// The beginnings of lines of the body that are ignored.
const IGNORED_LINES: [&[u8]; 5] = [b"bb=", b"ln=", b"rec=", b"total=", b"totals="];

/// Reads lines into a builder.
pub(super) struct Interpreter<'a> {
    builder: &'a mut ProfileBuilder,
    ids: IdTables,
    current: CurrentNames,
    pub columns: Columns,
    /// The position of the last cost line, to which relative positions refer.
    position: Position,
    section: Section,
    diagnostics: Diagnostics,
    /// What the next cost line means.
    expect: Expect,
    /// The requested costs of the last cost line.
    row: Vec<Cost>,
    /// The records of traces that were read before; `None` to read each line by itself.
    memo: Option<RecordMemo>,
    /// The number of [`MORE_INVOCATIONS`] for the next block.
    more_invocations: Option<i128>,
    /// Whether the last line is blank.
    ends_blank: bool,
    /// Whether any line so far is typical of a profile.
    is_profile: bool,
    /// The ids of a range of a trace, while one is read.
    range: Option<RangeIds>,
    /// The requested parts of aggregates; empty for all.
    part_filters: &'a [PartFilter],
    pub found_parts: FoundParts,
    /// The number of the first `part:` line.
    pub first_part: Option<u64>,
}

impl<'a> Interpreter<'a> {
    pub fn new(builder: &'a mut ProfileBuilder, input: &str, options: &'a ReadOptions) -> Self {
        let fixed = match options.kind {
            KindChoice::Auto => None,
            KindChoice::Trace => Some(BlockKind::Trace),
            KindChoice::Aggregate => Some(BlockKind::Aggregate),
        };
        builder.begin_input(fixed.unwrap_or(BlockKind::Aggregate));
        let mut ids = IdTables::default();
        if fixed == Some(BlockKind::Trace) {
            ids.forget_functions();
        }
        Interpreter {
            builder,
            ids,
            current: CurrentNames::default(),
            columns: Columns::default(),
            position: Position::default(),
            section: Section::first(fixed),
            diagnostics: Diagnostics::new(input, options.lenient),
            expect: Expect::OwnCost,
            row: Vec::new(),
            memo: (!options.line_by_line).then(RecordMemo::default),
            more_invocations: None,
            ends_blank: false,
            is_profile: false,
            range: None,
            part_filters: &options.parts,
            found_parts: FoundParts::default(),
            first_part: None,
        }
    }

    /// Reads whole lines, each with its `\n`.
    pub fn lines(&mut self, data: &[u8]) -> Result<(), Error> {
        self.diagnostics.note_beginning(data);
        let mut pos = 0;
        if !data.is_empty() {
            let line = data.strip_suffix(b"\n").unwrap_or(data);
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            self.ends_blank = matches!(line, [] | [.., b'\n']);
        }
        while pos < data.len() {
            if self.diagnostics.holds_error() {
                self.release(&data[pos..])?;
            }
            pos = self.fast_path(data, pos);
            if pos == data.len() {
                break;
            }
            if self.range.is_some() && !self.is_self_contained(&data[pos..]) {
                return Err(self.error(ProblemKind::UnknownLine.into()));
            }
            pos = match self.any_line(data, pos) {
                Ok(next) => next,
                Err(problem) => {
                    let lacks_cost = matches!(problem.kind, ProblemKind::CallWithoutCost);
                    if lacks_cost && data[pos..].starts_with(NEW_RUN) {
                        self.warn_cut(WarningKind::CutCall);
                    } else {
                        self.bad_line(problem)?;
                    }
                    // The problem is the `calls=` line before; this one is still to be read.
                    if lacks_cost && !self.diagnostics.holds_error() {
                        continue;
                    }
                    line_end(data, pos)
                }
            };
            self.diagnostics.pass_lines(1);
        }
        Ok(())
    }

    /// Reads the text after the last `\n` of the input.
    ///
    /// A line that is cut off is not an error, because the profiles of killed scripts end like this.
    pub fn last_line(&mut self, line: &[u8]) {
        self.diagnostics.note_beginning(line);
        self.ends_blank = false;
        let whole = [line, b"\n"].concat();
        let found = excerpt(line);
        if self.is_cut_summary(line) || self.any_line(&whole, 0).is_err() {
            self.expect = Expect::OwnCost;
            self.warn_cut(WarningKind::CutLine(found));
        } else if !found.is_empty() && self.section.end_within_line() {
            self.diagnostics.warn(WarningKind::UnendedLine(found));
        }
        self.diagnostics.pass_lines(1);
    }

    /// Ends the input.
    pub fn finish(&mut self) -> Result<Warnings<Warning>, Error> {
        self.diagnostics.take_held()?;
        self.diagnostics.go_to_last_line();
        if !self.section.has_data() {
            // The caller may use its headers, and the event that they name.
            self.resolve_columns();
            return Err(if self.is_profile {
                self.diagnostics.no_data()
            } else {
                self.diagnostics.no_profile()
            });
        }
        if matches!(self.expect, Expect::CallCost(_)) {
            self.warn_cut(WarningKind::CutCall);
        }
        let is_ended = self.ends_blank || self.section.is_summed_up();
        // A block without a cost has not ended.
        self.end_section(!(is_ended && self.current.is_in_block()));
        Ok(self.diagnostics.finish())
    }

    /// An error in the current line.
    pub fn error(&self, problem: Problem) -> Error {
        self.diagnostics.error(problem)
    }

    /// Skips an unreadable line, holds the error until the next line, or fails.
    #[cold]
    fn bad_line(&mut self, problem: Problem) -> Result<(), Error> {
        if problem.kind.is_excess() {
            return Err(self.error(problem));
        }
        let is_of_a_profile = matches!(
            problem.kind,
            ProblemKind::UnsupportedVersion
                | ProblemKind::UnknownPositions
                | ProblemKind::EventNameTooLong
        );
        self.diagnostics.skip_or_hold(problem);
        if self.diagnostics.holds_error() && !is_of_a_profile && !self.is_profile {
            return Err(self.diagnostics.no_profile());
        }
        Ok(())
    }

    /// Fails with the held error, unless the next line begins a run: then the run before is cut off.
    #[cold]
    fn release(&mut self, next: &[u8]) -> Result<(), Error> {
        match self.diagnostics.take_held() {
            Err(error) if next.starts_with(NEW_RUN) => {
                if self.section.cut() {
                    self.diagnostics.warn_cut_line(error);
                }
                Ok(())
            }
            outcome => outcome,
        }
    }

    /// Reads the line at `pos`, and returns the start of the next one.
    fn any_line(&mut self, data: &[u8], pos: usize) -> Result<usize, Problem> {
        let mut cursor = Cursor::new(data, pos);
        cursor.skip_blanks();
        match cursor.peek() {
            b'0'..=b'9' | b'+' | b'-' | b'*' => self.cost_line(data, cursor.pos()),
            b'\n' | b'\r' if cursor.end_of_line() => Ok(cursor.pos()),
            b'#' => Ok(self.comment(data, cursor.pos())),
            _ => self.text_line(data, cursor.pos()),
        }
    }

    /// Reads a line that begins with a letter or a sign.
    #[inline]
    fn text_line(&mut self, data: &[u8], pos: usize) -> Result<usize, Problem> {
        let line = &data[pos..];
        if let Expect::CallCost(_) = std::mem::take(&mut self.expect) {
            return Err(Problem::at(ProblemKind::CallWithoutCost, data, pos));
        }
        if let Some((named, length)) = NameKind::by(line) {
            return self.name_line(named, data, pos + length);
        }
        if let Some(key) = CALLS.iter().find(|key| line.starts_with(key)) {
            return self.calls_line(data, pos, key.len());
        }
        if line.starts_with(b"jcnd=") || line.starts_with(b"jump=") {
            self.expect = Expect::JumpSource;
            return Ok(line_end(data, pos));
        }
        if line.starts_with(b"frfn=") {
            return self.caller_line(data, pos + b"frfn=".len());
        }
        let mut cursor = Cursor::new(data, pos);
        let line = cursor.take_line();
        if !IGNORED_LINES.iter().any(|key| line.starts_with(key)) {
            self.header_line(line)
                .map_err(|kind| Problem::at(kind, line, 0))?;
        }
        Ok(cursor.pos())
    }

    #[cold]
    fn comment(&mut self, data: &[u8], pos: usize) -> usize {
        let end = line_end(data, pos);
        self.is_profile |= data[pos..].starts_with(b"# callgrind format");
        if self.section.is_own()
            && let Some(more) = data[pos..end].strip_prefix(MORE_INVOCATIONS)
            && let Some(more) = str::from_utf8(more.trim_ascii()).ok()
        {
            self.more_invocations = more.parse().ok();
        }
        end
    }

    /// Reads a line that names something; `start` is the start of the name.
    #[inline(always)]
    fn name_line(&mut self, named: NameKind, data: &[u8], start: usize) -> Result<usize, Problem> {
        let mut cursor = Cursor::new(data, start);
        let name = match cursor.name() {
            Ok(CompressedName::Reference(id)) => Ok(NameAndId {
                name: match self.ids.of(named).get(id) {
                    Some(name) => name,
                    None => self.undefined(named, id),
                },
                id: Some(id),
            }),
            Ok(CompressedName::Definition(id, name)) => {
                let (name, id) = (self.define(named, id, name), Some(id));
                name.map(|name| NameAndId { name, id })
            }
            Ok(CompressedName::Plain(name)) => self.plain_name(name).map(NameAndId::from),
            Err(error) => Err(error.into()),
        };
        let name = name.map_err(|kind| Problem::at(kind, data, start))?;
        if named == NameKind::Function {
            self.builder.close_block();
            if let Some(id) = name.id {
                self.ids.prefetch_block(id, self.builder);
            }
        }
        self.current.set(named, name);
        Ok(cursor.pos())
    }

    /// Reads a name without an id.
    #[inline(never)]
    fn plain_name(&mut self, name: &[u8]) -> Result<NameId, ProblemKind> {
        self.is_profile = true;
        let name = self.checked_length(name)?;
        Ok(self.builder.intern(name))
    }

    /// Shortens a name that is too long, if the caller is lenient.
    #[inline]
    fn checked_length<'n>(&mut self, name: &'n [u8]) -> Result<&'n [u8], ProblemKind> {
        match name.get(..MAX_NAME) {
            Some(cut) if cut.len() < name.len() => {
                if !self.diagnostics.is_lenient() {
                    return Err(ProblemKind::NameTooLong);
                }
                self.diagnostics.cut_names += 1;
                Ok(cut)
            }
            _ => Ok(name),
        }
    }

    /// Reads the name of a caller, which Valgrind's `--mangle-names=no` writes. It may define an id.
    fn caller_line(&mut self, data: &[u8], start: usize) -> Result<usize, Problem> {
        if let Ok(CompressedName::Definition(id, name)) = Cursor::new(data, start).name() {
            let defined = self.define(NameKind::Function, id, name);
            defined.map_err(|kind| Problem::at(kind, data, start))?;
        }
        Ok(line_end(data, start))
    }

    #[inline(never)]
    fn define(&mut self, named: NameKind, id: u64, name: &[u8]) -> Result<NameId, ProblemKind> {
        self.is_profile = true;
        let expanded = if named.is_function() {
            self.ids
                .expand_composed_name(name, |id| self.builder.name(id))
        } else {
            None
        };
        let name = self.checked_length(expanded.as_deref().unwrap_or(name))?;
        let ids = self.ids.of(named);
        // Valgrind redefines its ids in each part.
        if let Some(known) = ids.get(id)
            && self.builder.name(known) == name
        {
            return Ok(known);
        }
        let name = self.builder.intern(name);
        self.define_as(named, id, name);
        Ok(name)
    }

    fn define_as(&mut self, named: NameKind, id: u64, name: NameId) {
        let is_renamed = self.ids.of(named).define(id, name);
        if let Some(range) = &mut self.range {
            range.defined.push((named, id, name));
        }
        if let Some(memo) = &mut self.memo
            && is_renamed
        {
            memo.forget();
        }
    }

    /// Names an id that no line so far defines: by itself, because Valgrind has written such; in a
    /// range of a trace, by a placeholder for its name before the range.
    #[cold]
    fn undefined(&mut self, named: NameKind, id: u64) -> NameId {
        self.is_profile = true;
        let name = match &mut self.range {
            Some(range) => range.inherit(named, id, self.builder),
            None => {
                let text = format!("({id})");
                let name = self.builder.intern(text.as_bytes());
                self.diagnostics.warn(WarningKind::UndefinedId(text));
                name
            }
        };
        self.ids.of(named).define(id, name);
        name
    }

    /// Finds the requested columns, and makes room for their costs; false without an `events:` line.
    #[cold]
    fn resolve_columns(&mut self) -> bool {
        if self.section.is_wanted == Some(false) {
            return true;
        }
        let Some(gone) = self.columns.resolve(self.builder) else {
            return false;
        };
        self.row.resize(self.columns.width(), 0);
        if !gone.is_empty() {
            let events = self.columns.events().iter().map(|name| excerpt(name));
            let available = events.collect::<Vec<_>>().join(", ");
            for at in gone {
                self.diagnostics.warn(WarningKind::EventAbsent {
                    event: excerpt(self.builder.wanted_event(at)),
                    available: available.clone(),
                    is_first: at == 0,
                });
            }
        }
        true
    }

    /// Begins a section, with its header, at a line that may begin one: a run of a trace, or a part
    /// of an aggregate.
    ///
    /// Names before it are forgotten.
    fn begin_header(&mut self) {
        self.begin_section(match self.section.is_trace() {
            true => ProfileBuilder::begin_run,
            false => ProfileBuilder::begin_section,
        });
        self.current.forget();
    }

    /// Reads a `part:` line, which ends a part even if that has no cost.
    fn begin_part(&mut self) {
        if self.section.part_header().is_some() || self.section.has_body() {
            self.next_section(ProfileBuilder::begin_section);
        }
    }

    /// Begins a section, unless the current one has no body yet.
    fn begin_section(&mut self, begin: fn(&mut ProfileBuilder)) {
        if self.section.has_body() {
            self.next_section(begin);
        }
    }

    fn next_section(&mut self, begin: fn(&mut ProfileBuilder)) {
        self.end_section(false);
        begin(self.builder);
        if let Some(memo) = &mut self.memo {
            memo.forget();
        }
        self.current.close_block();
        self.section.begin_next();
    }

    /// Whether the section is requested, which must not be asked before the end of its header.
    fn is_wanted(&mut self) -> bool {
        if self.part_filters.is_empty() {
            return true;
        }
        if let Some(is_wanted) = self.section.is_wanted {
            return is_wanted;
        }
        let part = self.section.part_header();
        let found = &mut self.found_parts;
        let is_wanted = part.is_some_and(|part| found.add(self.part_filters, part));
        self.section.is_wanted = Some(is_wanted);
        is_wanted
    }

    /// Ends a section. `is_open`: it may end within the block of the current function.
    fn end_section(&mut self, is_open: bool) {
        if !self.is_wanted() {
            self.builder.leave_out_section();
            return;
        }
        self.check_section(is_open);
        self.builder.close_block();
        self.resolve_columns();
        if let Some(part) = self.section.part_header() {
            self.builder.end_part(self.diagnostics.input(), part);
        }
    }

    /// Warns about a section that is incomplete.
    fn check_section(&mut self, is_open: bool) {
        let open = is_open
            .then(|| self.current.function_name(self.builder))
            .flatten();
        let own = self.builder.section_self_total();
        let selected = |stated: &[Cost]| self.columns.selected(stated);
        if let Some(kind) = self.section.lacks(open, own, selected) {
            self.diagnostics.warn(kind);
        }
    }

    /// Warns that a section is cut off at the current line, unless there was such a warning.
    fn warn_cut(&mut self, kind: WarningKind) {
        if self.section.cut() {
            self.diagnostics.warn(kind);
        }
    }
}

/// The start of the line after the one at `pos`.
fn line_end(data: &[u8], pos: usize) -> usize {
    memchr::memchr(b'\n', &data[pos..]).map_or(data.len(), |at| pos + at + 1)
}
