//! What the lines mean: a state machine from lines to calls of a [`ProfileBuilder`].

mod shortcuts;

use super::error::{Problem, Warning, WarningKind, excerpt};
use super::fast::heads::Heads;
use super::header::{Run, Tail};
use super::lexer::{Cursor, NumberError};
use super::names::{IdTable, IdTables, NameSpec};
use super::position::{Position, Positions};
use super::{Error, KindChoice, Options};
use crate::profile::{Call, Cost, FunctionId, Kind, NameId, ProfileBuilder, Selection};
use shortcuts::Shortcut;

/// How the line begins that Xdebug's append mode writes between runs.
const NEW_RUN: &[u8] = b"==== NEW PROFILING FILE";

/// How many skipped lines, and how many undefined ids, get a warning of their own.
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

/// Which id table a position line belongs to.
#[derive(Clone, Copy, Debug)]
enum Table {
    Objects,
    Files,
    Functions,
}

/// Reads lines into a builder.
pub(super) struct Interpreter<'a> {
    pub(super) builder: &'a mut ProfileBuilder,
    input: &'a str,
    options: Options,
    /// Number of the line that is being read, from 1.
    line: u64,
    ids: IdTables,
    positions: Positions,
    position: Position,
    pub(super) columns: Option<Vec<Vec<u8>>>,
    selection: Selection,
    /// Whether the headers since the last cost line may have changed the columns.
    pub(super) unsettled: bool,
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
    pub(super) section_has_body: bool,
    pub(super) run: Run,
    undefined_ids: usize,
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
        let run = Run::after(builder);
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
            selection: Selection::Column(0),
            unsettled: true,
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
            run,
            undefined_ids: 0,
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

    /// Decides on an error by the line after it: a run that was killed may end within any line,
    /// and in Xdebug's append mode the next run follows it.
    #[cold]
    fn release(&mut self, next: &[u8]) -> Result<(), Error> {
        match self.held.take() {
            Some(error) if next.starts_with(NEW_RUN) => {
                let found = error.problem.found().unwrap_or_default().to_owned();
                let next_line = std::mem::replace(&mut self.line, error.line);
                self.warn_cut(WarningKind::CutLine { found });
                self.line = next_line;
                Ok(())
            }
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    fn warn_cut(&mut self, kind: WarningKind) {
        if !self.run.is_cut {
            self.run.is_cut = true;
            self.warn(kind);
        }
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
            self.builder.forget_input();
            return Err(self.error(Problem::NoData));
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

    fn count_warnings(&mut self) {
        let more = self.undefined_ids.saturating_sub(LISTED) as u64;
        if more > 0 {
            self.warn(WarningKind::MoreUndefinedIds { count: more });
        }
        if self.unknown_lines > 0 {
            self.warn(WarningKind::UnknownLines {
                count: self.unknown_lines,
            });
        }
        if self.skipped > LISTED as u64 {
            self.warn(WarningKind::SkippedInAll {
                count: self.skipped,
                listed: LISTED,
            });
        }
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

    /// Reads position numbers and costs: what they mean, the line before has said.
    fn cost_line(&mut self, data: &[u8], pos: usize) -> Result<usize, Problem> {
        if self.unsettled && !self.settle() {
            let found = excerpt(&data[pos..line_end(data, pos)]);
            return Err(Problem::CostBeforeEvents { found });
        }
        let mut cursor = Cursor::new(data, pos);
        let position = match self.position.read(self.positions, &mut cursor) {
            Ok(position) => position,
            Err((column, error)) => match self.unknown_line(column, error, &mut cursor) {
                Some(position) => position,
                None => return Err(self.position_problem(data, pos, cursor, column, error)),
            },
        };
        let cost = self
            .costs(&mut cursor)
            .map_err(|problem| problem.unwrap_or_else(|| self.too_many_costs(data, pos)))?;
        match self.expect {
            Expect::OwnCost => {
                self.ensure_block(data, pos)?;
                self.position = position;
                self.builder.add_cost(position.line(self.positions), cost);
            }
            Expect::CallCost(call) => {
                self.ensure_block(data, pos)?;
                self.position = position;
                self.add_call(call, cost);
            }
            Expect::JumpSource => self.position = position,
        }
        self.expect = Expect::OwnCost;
        Ok(cursor.pos())
    }

    /// Reads the costs to the end of the line; no problem in the error: there are too many.
    #[inline]
    fn costs(&self, cursor: &mut Cursor<'_>) -> Result<Cost, Option<Problem>> {
        let columns = self.columns.as_ref().map_or(0, Vec::len);
        let mut selected: Cost = 0;
        let mut column = 0;
        loop {
            cursor.skip_blanks();
            if cursor.end_of_line() {
                return Ok(selected);
            }
            if column == columns {
                return Err(None);
            }
            let start = *cursor;
            let cost = cursor
                .cost()
                .map_err(|error| Some(number_problem(start, error)))?;
            match &self.selection {
                Selection::Column(wanted) if *wanted == column => selected = cost,
                Selection::Weighted(weights) => {
                    let share = cost.saturating_mul(weights[column]);
                    selected = selected.saturating_add(share);
                }
                Selection::Column(_) | Selection::Absent => {}
            }
            column += 1;
        }
    }

    #[cold]
    fn too_many_costs(&self, data: &[u8], pos: usize) -> Problem {
        Problem::TooManyCosts {
            events: self.columns.as_ref().map_or(0, Vec::len),
            found: excerpt(&data[pos..line_end(data, pos)]),
        }
    }

    /// Takes `-1` for "no line", as phpspy and reli write it for PHP's own functions.
    ///
    /// Read as a relative position it leads below 0 wherever the line before is 0.
    #[cold]
    fn unknown_line(
        &mut self,
        column: usize,
        error: NumberError,
        cursor: &mut Cursor<'_>,
    ) -> Option<Position> {
        let is_line_alone = column == 0 && self.positions.is_line_alone();
        if !is_line_alone || error != NumberError::Negative || !cursor.follows(b"-1") {
            return None;
        }
        self.unknown_lines += 1;
        Some(Position::default())
    }

    #[cold]
    fn position_problem(
        &self,
        data: &[u8],
        pos: usize,
        cursor: Cursor<'_>,
        column: usize,
        error: NumberError,
    ) -> Problem {
        let found = excerpt(&data[pos..line_end(data, pos)]);
        match error {
            NumberError::NotANumber if matches!(cursor.peek(), b'\n' | b'\r') => {
                let positions = self.positions.count();
                Problem::MissingPosition { positions, found }
            }
            NumberError::NotANumber => Problem::NotANumber { found },
            NumberError::TooLarge => Problem::NumberTooLarge { found },
            NumberError::Negative => Problem::NegativePosition {
                base: self.position.base(column),
                found,
            },
        }
    }

    /// Opens the block of the function that `fn=` named, unless it is open.
    #[inline]
    fn ensure_block(&mut self, data: &[u8], pos: usize) -> Result<(), Problem> {
        match self.function {
            Function::Open { .. } => Ok(()),
            Function::Named { name, file } => {
                self.open_block(name, self.file.unwrap_or(file));
                Ok(())
            }
            Function::None => Err(Problem::CostOutsideFunction {
                found: excerpt(&data[pos..line_end(data, pos)]),
            }),
        }
    }

    #[inline]
    fn open_block(&mut self, name: NameId, file: NameId) {
        self.builder.open_block(self.object, file, name);
        self.enter_function(name);
    }

    /// Says that the block of a function is open now.
    #[inline]
    fn enter_function(&mut self, name: NameId) {
        self.function = Function::Open { name };
        self.has_data = true;
        self.section_has_body = true;
    }

    #[inline]
    fn add_call(&mut self, call: PendingCall, cost: Cost) {
        let callee = self.resolve_callee(call.callee);
        self.builder.add_call(Call {
            callee,
            target_line: call.target_line,
            line: self.position.line(self.positions),
            calls: call.calls,
            cost,
        });
        self.forget_callee_place();
    }

    /// `cob=` and `cfi=` are of one call only.
    #[inline]
    fn forget_callee_place(&mut self) {
        self.callee_object = None;
        self.callee_file = None;
    }

    /// The function behind `cfn=`, with `cob=` and `cfi=` for this one call.
    #[inline]
    fn resolve_callee(&mut self, name: NameId) -> FunctionId {
        let object = self.callee_object.unwrap_or(self.object);
        let file = self.callee_file.unwrap_or(self.current_file);
        self.builder.function(object, file, name)
    }

    #[inline]
    fn set_file(&mut self, file: NameId) {
        self.file = Some(file);
        self.current_file = file;
    }

    /// `fn=`: whatever was said of the function before it ends here.
    #[inline]
    fn name_function(&mut self, name: NameId) {
        self.builder.close_block();
        let file = self.current_file;
        self.function = Function::Named { name, file };
        self.current_file = self.file.unwrap_or(file);
        self.callee_object = None;
        self.callee_file = None;
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

    fn calls_line(&mut self, line: &[u8], value: &[u8]) -> Result<(), Problem> {
        if let Function::None = self.function {
            let found = excerpt(line);
            return Err(Problem::CostOutsideFunction { found });
        }
        let Some(callee) = self.callee else {
            let found = excerpt(line);
            return Err(Problem::CallWithoutCallee { found });
        };
        let value = [value, b"\n"].concat();
        let mut cursor = Cursor::new(&value, 0);
        cursor.skip_blanks();
        let start = cursor;
        let calls = cursor
            .count()
            .map_err(|error| number_problem(start, error))?;
        let start = cursor;
        let target_line = self
            .position
            .read_target(self.positions, &mut cursor)
            .map_err(|error| number_problem(start, error))?;
        self.expect = Expect::CallCost(PendingCall {
            callee,
            calls,
            target_line,
        });
        Ok(())
    }

    /// Finds the name that a position line gives, defining or looking up its id.
    fn name(&mut self, table: Table, value: &[u8]) -> Result<NameId, Problem> {
        let spec = NameSpec::parse(value).map_err(|_| Problem::NumberTooLarge {
            found: excerpt(value),
        })?;
        Ok(match spec {
            NameSpec::Plain(name) => self.builder.intern(name),
            NameSpec::Definition(id, name) => {
                // Valgrind defines its ids anew in each part.
                if let Some(known) = self.ids(table).get(id)
                    && self.builder.name(known) == name
                {
                    return Ok(known);
                }
                let name = self.builder.intern(name);
                if self.ids(table).define(id, name) {
                    self.heads.forget();
                }
                name
            }
            NameSpec::Reference(id) => match self.ids(table).get(id) {
                Some(name) => name,
                None => self.undefined(table, id),
            },
        })
    }

    /// An id that was never defined: Valgrind has written such. It stands for its name.
    #[cold]
    fn undefined(&mut self, table: Table, id: u64) -> NameId {
        let text = format!("({id})");
        let name = self.builder.intern(text.as_bytes());
        self.ids(table).define(id, name);
        self.undefined_ids += 1;
        if self.undefined_ids <= LISTED {
            self.warn(WarningKind::UndefinedId { name: text });
        }
        name
    }

    fn ids(&mut self, table: Table) -> &mut IdTable {
        match table {
            Table::Objects => &mut self.ids.objects,
            Table::Files => &mut self.ids.files,
            Table::Functions => &mut self.ids.functions,
        }
    }

    /// Learns how to find the selected cost; false when there is no `events:` yet.
    #[cold]
    pub(super) fn settle(&mut self) -> bool {
        let Some(columns) = &self.columns else {
            return false;
        };
        self.unsettled = false;
        let selection = self.builder.select_columns(columns);
        if selection == Selection::Absent && self.selection != selection && !columns.is_empty() {
            self.warn_absent();
        }
        self.selection = selection;
        self.shortcut = self.choose_shortcut();
        true
    }

    fn warn_absent(&mut self) {
        let columns = self.columns.iter().flatten();
        let available: Vec<_> = columns.map(|name| String::from_utf8_lossy(name)).collect();
        let available = available.join(", ");
        let event = String::from_utf8_lossy(self.builder.selected_event()).into_owned();
        self.warn(WarningKind::EventAbsent { event, available });
    }

    /// Says that headers came: the columns may be others from here on.
    pub(super) fn unsettle(&mut self) {
        self.unsettled = true;
        self.shortcut = Shortcut::None;
    }

    pub(super) fn set_positions(&mut self, positions: Positions) {
        self.positions = positions;
        self.position = Position::default();
        self.unsettle();
    }

    /// Ends the block, but not its function: costs that follow without an `fn=` are a new block's.
    pub(super) fn close_block(&mut self) {
        if let Function::Open { name } = self.function {
            let file = self.file.unwrap_or(self.current_file);
            self.function = Function::Named { name, file };
        }
    }

    /// Whether a block is open.
    pub(super) fn is_in_block(&self) -> bool {
        matches!(self.function, Function::Open { .. })
    }

    /// Forgets the names in force: a new run begins.
    pub(super) fn forget_names(&mut self) {
        self.function = Function::None;
        self.object = NameId::EMPTY;
        self.file = None;
        self.current_file = NameId::EMPTY;
        self.callee = None;
        self.callee_object = None;
        self.callee_file = None;
    }

    /// Sets the kind that a header tells, unless the user has said it.
    pub(super) fn tell_kind(&mut self, kind: Kind) {
        if self.options.kind == KindChoice::Auto {
            self.builder.close_block();
            self.builder.set_kind(kind);
        }
    }

    pub(super) fn selected_cost(&self, numbers: &[Cost]) -> Cost {
        self.selection.cost(numbers)
    }

    pub(super) fn function_text(&self, name: NameId) -> String {
        excerpt(self.builder.name(name))
    }

    pub(super) fn warn(&mut self, kind: WarningKind) {
        self.warnings.push(Warning {
            input: self.input.to_owned(),
            line: self.line,
            kind,
        });
    }

    /// Leaves a line out if the caller is lenient.
    pub fn skip(&mut self, problem: Problem) -> Result<(), Error> {
        if !self.options.lenient {
            return Err(self.error(problem));
        }
        self.skipped += 1;
        if self.skipped <= LISTED as u64 {
            self.warn(WarningKind::Skipped(problem));
        }
        Ok(())
    }

    /// Counts a line that was not read.
    pub fn pass_line(&mut self) {
        self.line += 1;
    }

    pub fn error(&self, problem: Problem) -> Error {
        Error {
            input: self.input.to_owned(),
            line: self.line,
            problem,
        }
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

fn number_problem(start: Cursor<'_>, error: NumberError) -> Problem {
    let found = excerpt(start.rest_of_line());
    match error {
        NumberError::TooLarge => Problem::NumberTooLarge { found },
        NumberError::NotANumber | NumberError::Negative => Problem::NotANumber { found },
    }
}
