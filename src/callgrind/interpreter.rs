//! What the lines mean: a state machine from lines to calls of a [`ProfileBuilder`].

mod costs;
mod header;
mod scope;
mod shortcuts;
mod trouble;

use super::error::{Problem, Warning, WarningKind};
use super::fast::heads::Heads;
use super::lexer::Cursor;
use super::names::IdTables;
use super::position::{Position, Positions};
use super::{Error, KindChoice, Options};
use crate::profile::{Cost, CostSource, Kind, NameId, ProfileBuilder, Selection};
use crate::text::excerpt;
use header::{Run, Tail};
use scope::Table;
use shortcuts::Shortcut;

/// How the line begins that Xdebug's append mode writes between runs.
const NEW_RUN: &[u8] = b"==== NEW PROFILING FILE";

/// How many skipped lines, undefined ids and the like get a warning of their own.
const LISTED: usize = 10;

/// What the next cost line means.
#[derive(Clone, Copy, Debug)]
enum Expect {
    /// Self cost of the function.
    OwnCost,
    /// Where a call was made, and its inclusive cost.
    CallCost(PendingCall),
    /// Where a jump was made; no cost at all.
    JumpSource,
}

/// A `calls=` line.
#[derive(Clone, Copy, Debug)]
struct PendingCall {
    callee: NameId,
    calls: u64,
    target_line: u64,
}

/// Whose costs the next lines hold.
#[derive(Clone, Copy, Debug)]
enum Function {
    /// No `fn=` so far.
    None,
    /// `fn=` was read, but neither a cost nor a call: such a function does not exist yet.
    Named { name: NameId, file: NameId },
    /// Its block is open in the builder.
    Open { name: NameId },
}

/// Reads lines into a builder.
pub(super) struct Interpreter<'a> {
    builder: &'a mut ProfileBuilder,
    input: &'a str,
    options: Options,
    /// Number of the line that is being read, from 1.
    line: u64,
    ids: IdTables,
    positions: Positions,
    position: Position,
    columns: Option<Vec<Vec<u8>>>,
    selection: Selection,
    /// Whether there were headers since the last cost line that speak of the columns.
    unsettled: bool,
    /// Whether these may have changed where the selected event is found.
    reselect: bool,
    /// Which lines can be read the short way, as things stand.
    shortcut: Shortcut,
    heads: Heads,
    /// Whether lines may be read the short way at all.
    shortcuts: bool,
    expect: Expect,
    function: Function,
    object: NameId,
    /// File of the last `fl=`.
    file: Option<NameId>,
    /// File in force: that, or the one of a later `fi=` or `fe=`.
    current_file: NameId,
    callee: Option<NameId>,
    callee_object: Option<NameId>,
    callee_file: Option<NameId>,
    /// Whether there was any block, and any in this section.
    has_data: bool,
    section_has_body: bool,
    run: Run,
    /// The name of the function that spans a run.
    main: NameId,
    /// The costs of the line that is being read, and those of further events among them.
    numbers: Vec<Cost>,
    more: Vec<Cost>,
    undefined_ids: usize,
    /// Runs and parts that are cut off, and those without the selected event.
    cuts: usize,
    absences: usize,
    unknown_lines: u64,
    skipped: u64,
    /// An error that is none if a new run begins right after it.
    held: Option<Error>,
    warnings: Vec<Warning>,
}

impl<'a> Interpreter<'a> {
    pub fn new(builder: &'a mut ProfileBuilder, input: &'a str, options: Options) -> Self {
        builder.begin_input(match options.kind {
            KindChoice::Auto => Kind::Aggregate,
            KindChoice::Fixed(kind) => kind,
        });
        let main = builder.intern(header::MAIN);
        Interpreter {
            builder,
            input,
            options,
            line: 1,
            ids: IdTables::default(),
            positions: Positions::default(),
            position: Position::default(),
            columns: None,
            // So that an input which lacks the event from its beginning is noticed.
            selection: Selection::FIRST_COLUMN,
            unsettled: true,
            reselect: true,
            shortcut: Shortcut::None,
            heads: Heads::default(),
            shortcuts: true,
            expect: Expect::OwnCost,
            function: Function::None,
            object: NameId::EMPTY,
            file: None,
            current_file: NameId::EMPTY,
            callee: None,
            callee_object: None,
            callee_file: None,
            has_data: false,
            section_has_body: false,
            run: Run::default(),
            main,
            numbers: Vec::new(),
            more: Vec::new(),
            undefined_ids: 0,
            cuts: 0,
            absences: 0,
            unknown_lines: 0,
            skipped: 0,
            held: None,
            warnings: Vec::new(),
        }
    }

    /// Reads each line for itself, whatever its shape.
    pub fn without_shortcuts(self) -> Self {
        Interpreter {
            shortcuts: false,
            ..self
        }
    }

    /// Reads bytes that consist of whole lines, each with its `\n`.
    pub fn lines(&mut self, data: &[u8]) -> Result<(), Error> {
        let mut pos = 0;
        while pos < data.len() {
            if self.held.is_some() {
                self.release(&data[pos..])?;
            }
            pos = self.take_shortcut(data, pos);
            if pos == data.len() {
                break;
            }
            match self.any_line(data, pos) {
                Ok(next) => pos = next,
                Err(problem) => {
                    // The line after a `calls=` that has no cost is sound in itself.
                    let again = matches!(problem, Problem::CallWithoutCost { .. });
                    self.expect = Expect::OwnCost;
                    if self.options.lenient {
                        self.skip(problem)?;
                    } else if again && data[pos..].starts_with(NEW_RUN) {
                        self.warn_cut(WarningKind::CutCall);
                    } else {
                        self.held = Some(self.error(problem));
                    }
                    if again && self.held.is_none() {
                        continue;
                    }
                    pos = line_end(data, pos) + 1;
                }
            }
            self.line += 1;
        }
        Ok(())
    }

    /// Reads what follows the last `\n` of the input, if anything does.
    ///
    /// A line that was cut off is no error: killed scripts end like this.
    pub fn last_line(&mut self, line: &[u8]) {
        let whole = [line, b"\n"].concat();
        if self.is_cut_summary(line) || self.any_line(&whole, 0).is_err() {
            let found = excerpt(line);
            self.expect = Expect::OwnCost;
            self.warn_cut(WarningKind::CutLine { found });
        }
        self.line += 1;
    }

    /// Ends the input; `ends_blank` says whether its last line is a blank one.
    pub fn finish(&mut self, ends_blank: bool) -> Result<Vec<Warning>, Error> {
        if let Some(error) = self.held.take() {
            return Err(error);
        }
        // What follows is said of the last line.
        self.line = self.line.saturating_sub(1).max(1);
        if matches!(self.expect, Expect::CallCost(_)) {
            self.warn_cut(WarningKind::CutCall);
        }
        if !self.has_data {
            // What there is of it may be wanted: its headers, and the event that they name.
            self.settle();
            let skipped = self.skipped;
            return Err(self.error(Problem::NoData { skipped }));
        }
        let tail = match self.function {
            Function::None => Tail::Closed,
            Function::Named { .. } => Tail::Begun,
            Function::Open { .. } if ends_blank || self.run.is_summed_up => Tail::Closed,
            Function::Open { name } => Tail::Open(name),
        };
        self.end_section(tail);
        self.builder.close_block();
        if self.unsettled && self.columns.is_some() {
            self.settle();
        }
        self.count_warnings();
        Ok(std::mem::take(&mut self.warnings))
    }

    /// Reads the line at `pos` and returns where the next one begins.
    fn any_line(&mut self, data: &[u8], pos: usize) -> Result<usize, Problem> {
        match data[pos] {
            b'0'..=b'9' | b'+' | b'-' | b'*' => self.cost_line(data, pos),
            b'\n' => Ok(pos + 1),
            b' ' | b'\t' | b'\r' => self.indented_line(data, pos),
            _ => {
                let end = line_end(data, pos);
                let line = &data[pos..end];
                self.text_line(line.strip_suffix(b"\r").unwrap_or(line))?;
                Ok(end + 1)
            }
        }
    }

    fn indented_line(&mut self, data: &[u8], pos: usize) -> Result<usize, Problem> {
        let mut cursor = Cursor::new(data, pos);
        cursor.skip_blanks();
        match cursor.peek() {
            b'\n' => Ok(cursor.pos() + 1),
            b'\r' if cursor.end_of_line() => Ok(cursor.pos()),
            b'\r' => Err(Problem::UnknownLine {
                found: excerpt(&data[pos..line_end(data, pos)]),
            }),
            _ => self.any_line(data, cursor.pos()),
        }
    }

    /// Reads a line that begins with a letter or a sign.
    fn text_line(&mut self, line: &[u8]) -> Result<(), Problem> {
        if line.starts_with(b"#") {
            return Ok(());
        }
        if let Expect::CallCost(_) = self.expect {
            let found = excerpt(line);
            return Err(Problem::CallWithoutCost { found });
        }
        self.expect = Expect::OwnCost;
        match line {
            [b'f', b'n', b'=', name @ ..] => {
                let name = self.name(Table::Functions, name)?;
                self.name_function(name);
            }
            [b'f', b'l', b'=', name @ ..] => {
                let file = self.name(Table::Files, name)?;
                self.set_file(file);
            }
            [b'f', b'i' | b'e', b'=', name @ ..] => {
                self.current_file = self.name(Table::Files, name)?;
            }
            [b'o', b'b', b'=', name @ ..] => self.object = self.name(Table::Objects, name)?,
            [b'c', b'f', b'n', b'=', name @ ..] => {
                self.callee = Some(self.name(Table::Functions, name)?);
            }
            [b'c', b'f', b'i' | b'l', b'=', name @ ..] => {
                self.callee_file = Some(self.name(Table::Files, name)?);
            }
            [b'c', b'o', b'b', b'=', name @ ..] => {
                self.callee_object = Some(self.name(Table::Objects, name)?);
            }
            _ => return self.rare_line(line),
        }
        Ok(())
    }

    fn rare_line(&mut self, line: &[u8]) -> Result<(), Problem> {
        let Some((key, value)) = split_key(line) else {
            return self.header_line(line);
        };
        match key {
            b"calls" | b"rcalls" => self.calls_line(line, value)?,
            b"jump" | b"jcnd" => self.expect = Expect::JumpSource,
            b"jfi" => _ = self.name(Table::Files, value)?,
            b"jfn" => _ = self.name(Table::Functions, value)?,
            b"bb" | b"ln" | b"rec" | b"frfn" | b"total" | b"totals" => {}
            _ => return self.header_line(line),
        }
        Ok(())
    }

    /// Learns how to find the selected cost; false when there is no `events:` yet.
    #[cold]
    fn settle(&mut self) -> bool {
        let Some(columns) = &self.columns else {
            return false;
        };
        self.unsettled = false;
        if std::mem::take(&mut self.reselect) {
            let selection = self.builder.select_columns(columns);
            let is_absent = |selection: &Selection| *selection.first() == CostSource::Absent;
            if is_absent(&selection) && !is_absent(&self.selection) && !columns.is_empty() {
                self.warn_absent();
            }
            self.selection = selection;
        } else {
            self.builder.settle_headers(&self.selection);
        }
        self.shortcut = self.choose_shortcut();
        true
    }

    /// Says that headers came: the columns may be others from here on.
    fn unsettle(&mut self) {
        self.unsettled = true;
        self.shortcut = Shortcut::None;
    }

    fn set_positions(&mut self, positions: Positions) {
        self.positions = positions;
        self.position = Position::default();
        self.unsettle();
    }

    /// Sets the kind that a header tells, unless the user has said it.
    fn tell_kind(&mut self, kind: Kind) {
        if self.options.kind == KindChoice::Auto {
            self.builder.set_kind(kind);
        }
    }

    fn selected_cost(&self, numbers: &[Cost]) -> Cost {
        self.selection.first().cost(numbers)
    }
}

/// Where the line at `pos` ends: its `\n`.
fn line_end(data: &[u8], pos: usize) -> usize {
    memchr::memchr(b'\n', &data[pos..]).map_or(data.len(), |at| pos + at)
}

/// Splits `key=value`, where the key is made of letters.
fn split_key(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let letters = line.iter().take_while(|b| b.is_ascii_lowercase()).count();
    match line.get(letters) {
        Some(b'=') => Some((&line[..letters], &line[letters + 1..])),
        _ => None,
    }
}
