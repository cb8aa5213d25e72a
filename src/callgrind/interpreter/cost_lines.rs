//! Cost lines, and the calls that they belong to.

use super::columns::NegativeCosts;
use super::current_names::CurrentNames;
use super::{Interpreter, line_end};
use crate::callgrind::error::{Problem, ProblemKind, WarningKind};
use crate::callgrind::line::{Cursor, NumberError, PendingCall, Position};
use crate::profile::{ANY_WIDTH, Call, Cost, Costs, NameId, ProfileBuilder};

/// What the next cost line means.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Expect {
    /// Self cost of the function.
    #[default]
    OwnCost,
    /// Position and inclusive cost of a call.
    CallCost(PendingCall),
    /// The same, of a call whose `calls=` line was skipped.
    SkippedCall,
    /// Position of a jump, without a cost.
    JumpSource,
}

/// Adds self costs of the open block, on a line of the current file.
#[inline(always)]
pub(super) fn add_own_cost<const WIDTH: usize>(
    current: &CurrentNames,
    builder: &mut ProfileBuilder,
    line: u64,
    costs: Costs<'_>,
) {
    if builder.keeps_lines() {
        let file = current.call_file();
        builder.add_line_cost::<WIDTH>(file, line, costs);
    } else {
        // Only a line of its own file can become the line of the function.
        let is_elsewhere = builder.lacks_line() && current.call_file() != NameId::EMPTY;
        builder.add_cost::<WIDTH>((!is_elsewhere).then_some(line), costs);
    }
}

impl Interpreter<'_> {
    /// Reads positions and costs, whose meaning follows from the line before.
    #[inline]
    pub(super) fn cost_line(&mut self, data: &[u8], pos: usize) -> Result<usize, Problem> {
        if !self.is_wanted() {
            return Ok(self.left_out_line(data, pos));
        }
        let expect = std::mem::take(&mut self.expect);
        if !self.columns.are_resolved() && !self.resolve_columns() {
            return Err(Problem::at(ProblemKind::CostBeforeEvents, data, pos));
        }
        let negative = match expect {
            Expect::OwnCost if self.section.is_trace() => NegativeCosts::Wrapped,
            _ => NegativeCosts::Plain,
        };
        let mut cursor = Cursor::new(data, pos);
        let positions = self.columns.positions();
        let position = match self.position.read(positions, &mut cursor) {
            Ok(position) => position,
            Err(error) => self.unknown_line(data, pos, cursor, error)?,
        };
        let start = cursor.pos();
        let costs = self
            .columns
            .costs(data, pos, start, negative, &mut self.row)
            .map_err(|(kind, at)| Problem::at(kind, data, at))?;
        if let Expect::OwnCost | Expect::CallCost(_) = expect {
            self.ensure_block(data, pos)?;
        }
        self.position = position;
        self.diagnostics.unwrapped_costs += u64::from(costs.is_unwrapped);
        match expect {
            Expect::OwnCost => {
                let (row, matching) = (&self.row[..], costs.matching);
                let line = position.line(self.columns.positions());
                let costs = Costs { row, matching };
                add_own_cost::<ANY_WIDTH>(&self.current, self.builder, line, costs);
            }
            Expect::CallCost(call) => self.add_call(call, costs.matching),
            Expect::SkippedCall => self.diagnostics.warn(WarningKind::SkippedCallCost),
            Expect::JumpSource => {}
        }
        Ok(costs.next)
    }

    /// Reads only the position of a cost line: its section is not requested, and may lack the events.
    #[cold]
    fn left_out_line(&mut self, data: &[u8], pos: usize) -> usize {
        self.section.open_block(false);
        self.expect = Expect::OwnCost;
        self.current.end_call();
        let mut cursor = Cursor::new(data, pos);
        let position = self.position.read(self.columns.positions(), &mut cursor);
        self.position = position.unwrap_or(self.position);
        line_end(data, pos)
    }

    /// The position of an unknown line: phpspy and reli write -1 as the line of PHP's own functions.
    /// As a relative position it leads below 0 if the previous line is 0.
    #[cold]
    fn unknown_line(
        &mut self,
        data: &[u8],
        pos: usize,
        cursor: Cursor<'_>,
        (column, error): (usize, NumberError),
    ) -> Result<Position, Problem> {
        let positions = self.columns.positions();
        let kind = match error {
            NumberError::Negative if positions.is_line_alone() && cursor.follows(b"-1") => {
                self.diagnostics.unknown_lines += 1;
                return Ok(Position::default());
            }
            NumberError::NotANumber if matches!(cursor.peek(), b'\n' | b'\r') => {
                ProblemKind::MissingPosition(positions.count())
            }
            NumberError::Negative => ProblemKind::NegativePosition(self.position.0[column]),
            _ => error.into(),
        };
        Err(Problem::at(kind, data, pos))
    }

    /// Reads a `calls=` line; `key` is the length of the text before its numbers.
    pub(super) fn calls_line(
        &mut self,
        data: &[u8],
        pos: usize,
        key: usize,
    ) -> Result<usize, Problem> {
        match self.pending_call(data, pos, key) {
            Ok((call, next)) => {
                self.expect = Expect::CallCost(call);
                Ok(next)
            }
            Err(problem) => {
                self.current.end_call();
                self.expect = Expect::SkippedCall;
                Err(problem)
            }
        }
    }

    #[inline]
    fn pending_call(
        &self,
        data: &[u8],
        pos: usize,
        key: usize,
    ) -> Result<(PendingCall, usize), Problem> {
        if !self.current.has_function() {
            return Err(Problem::at(ProblemKind::CostOutsideFunction, data, pos));
        }
        if !self.current.has_callee() {
            return Err(Problem::at(ProblemKind::CallWithoutCallee, data, pos));
        }
        let mut cursor = Cursor::new(data, pos + key);
        cursor.skip_blanks();
        let start = cursor.pos();
        let calls = cursor.count().map_err(|error| {
            let kind = match error {
                NumberError::Negative => ProblemKind::NegativeCalls,
                _ => error.into(),
            };
            Problem::at(kind, data, start)
        })?;
        let start = cursor.pos();
        let target_line = self
            .position
            .read_target(self.columns.positions(), &mut cursor)
            .map_err(|error| Problem::at(error.into(), data, start))?;
        let call = PendingCall { calls, target_line };
        Ok((call, cursor.pos()))
    }

    /// Adds calls from the open block to the current callee, with the costs that were read last.
    #[inline(always)]
    pub(super) fn add_call(&mut self, call: PendingCall, matching: Cost) {
        let file = if self.builder.keeps_call_files() {
            self.current.call_file()
        } else {
            NameId::EMPTY
        };
        let Some(callee) = self.current.callee(&mut self.ids, self.builder) else {
            return;
        };
        let call = Call {
            callee,
            target_line: call.target_line,
            file,
            line: self.position.line(self.columns.positions()),
            calls: call.calls,
        };
        let costs = Costs {
            row: &self.row,
            matching,
        };
        self.builder.add_call::<ANY_WIDTH>(call, costs);
    }

    /// Opens the block of the current function, unless it is open.
    #[inline]
    pub(super) fn ensure_block(&mut self, data: &[u8], pos: usize) -> Result<(), Problem> {
        if self.current.is_in_block() {
            return Ok(());
        }
        self.open_block(data, pos)
    }

    #[inline(never)]
    fn open_block(&mut self, data: &[u8], pos: usize) -> Result<(), Problem> {
        if !self.current.has_function() {
            return Err(Problem::at(ProblemKind::CostOutsideFunction, data, pos));
        }
        if !self.section.has_body() {
            self.builder.set_begins_run(self.section.begins_run());
        }
        let name = self.current.open_block(&mut self.ids, self.builder);
        if let Some(more) = self.more_invocations.take() {
            self.builder.state_more_invocations(more);
        }
        self.section.open_block(name == Some(NameId::MAIN));
        Ok(())
    }
}
