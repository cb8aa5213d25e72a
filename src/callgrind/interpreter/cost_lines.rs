//! Cost lines, and the calls that they belong to.

use super::Interpreter;
use super::columns::NegativeCosts;
use crate::callgrind::error::{Problem, ProblemKind, WarningKind};
use crate::callgrind::id_tables::ObjectAndFile;
use crate::callgrind::line::{Cursor, PendingCall, Position};
use crate::profile::{ANY_WIDTH, Call, Cost, Costs, FunctionId, NameId};
use crate::tables::first_cost;

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

impl Interpreter<'_> {
    /// Reads positions and costs, whose meaning follows from the line before.
    #[inline]
    pub(super) fn cost_line(&mut self, start: Cursor<'_>) -> Result<usize, Problem> {
        if !self.is_wanted() {
            return Ok(self.left_out_line(start));
        }
        let expect = std::mem::take(&mut self.expect);
        if !self.columns.are_resolved() && !self.resolve_columns() {
            return Err(start.problem(ProblemKind::CostBeforeEvents));
        }
        let negative = match expect {
            Expect::OwnCost if self.section.is_trace() => NegativeCosts::Wrapped,
            _ => NegativeCosts::Plain,
        };
        let mut text = start;
        let position = match self.position.read(self.columns.positions(), &mut text) {
            Ok(position) => position,
            Err(kind) => self
                .unknown_line(kind, text)
                .map_err(|kind| start.problem(kind))?,
        };
        let Cursor { data, pos } = start;
        let costs = self
            .columns
            .costs(data, pos, text.pos, negative, &mut self.row)
            .map_err(|(kind, at)| Cursor::new(data, at).problem(kind))?;
        if let Expect::OwnCost | Expect::CallCost(_) = expect {
            self.ensure_block().map_err(|kind| start.problem(kind))?;
        }
        self.position = position;
        if costs.is_unwrapped {
            self.messages.unwrapped_costs += 1;
        }
        match expect {
            Expect::OwnCost => {
                let (row, matching) = (&self.row[..], costs.matching);
                let line = position.line(self.columns.positions());
                let costs = Costs { row, matching };
                self.section
                    .add_self_cost(first_cost(row), self.messages.line);
                let file = self.current.current_file();
                self.builder.add_cost::<ANY_WIDTH>(file, line, costs);
            }
            Expect::CallCost(call) => self.add_call(call, costs.matching),
            Expect::SkippedCall => self.messages.warn(WarningKind::SkippedCallCost),
            Expect::JumpSource => {}
        }
        Ok(costs.next)
    }

    /// Reads only the position of a cost line: its section is not requested, and may lack the events.
    #[cold]
    fn left_out_line(&mut self, mut text: Cursor<'_>) -> usize {
        self.section.open_block(false);
        self.expect = Expect::OwnCost;
        self.current.end_call();
        let position = self.position.read(self.columns.positions(), &mut text);
        self.position = position.unwrap_or(self.position);
        text.take_line();
        text.pos
    }

    /// The position of an unknown line: phpspy and reli write -1 as the line of PHP's own functions.
    /// As a relative position it leads below 0 if the previous line is 0.
    #[cold]
    fn unknown_line(
        &mut self,
        error: ProblemKind,
        text: Cursor<'_>,
    ) -> Result<Position, ProblemKind> {
        let positions = self.columns.positions();
        match error {
            ProblemKind::NegativePosition(_)
                if positions.is_line_alone() && text.follows(b"-1") =>
            {
                self.messages.unknown_lines += 1;
                Ok(Position::default())
            }
            ProblemKind::NotANumber if matches!(text.peek(), b'\n' | b'\r') => {
                Err(ProblemKind::MissingPosition(positions.count()))
            }
            error => Err(error),
        }
    }

    /// Reads the rest of a `calls=` line from its numbers on.
    pub(super) fn calls_line(
        &mut self,
        start: Cursor<'_>,
        mut text: Cursor<'_>,
    ) -> Result<usize, Problem> {
        let lack = match (self.current.function, self.current.callee) {
            (None, _) => Some(ProblemKind::CostOutsideFunction),
            (_, None) => Some(ProblemKind::CallWithoutCallee),
            _ => None,
        };
        let call = match lack {
            Some(kind) => Err(start.problem(kind)),
            None => {
                let call = self.position.read_call(self.columns.positions(), &mut text);
                call.map_err(|kind| text.problem(kind))
            }
        };
        match call {
            Ok(call) => {
                self.expect = Expect::CallCost(call);
                Ok(text.pos)
            }
            Err(problem) => {
                self.current.end_call();
                self.expect = Expect::SkippedCall;
                Err(problem)
            }
        }
    }

    /// Adds calls from the open block to the current callee, with the costs that were read last.
    #[inline(always)]
    pub(super) fn add_call(&mut self, call: PendingCall, matching: Cost) {
        let file = self.current.current_file();
        let place = self.current.end_call();
        let Some(callee) = &self.current.callee else {
            debug_assert!(false, "a call without a callee");
            return;
        };
        let call = Call {
            callee: self.ids.function(callee, place, self.builder),
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
    pub(super) fn ensure_block(&mut self) -> Result<(), ProblemKind> {
        if self.is_in_block() {
            return Ok(());
        }
        self.open_current_block()
    }

    #[inline(never)]
    fn open_current_block(&mut self) -> Result<(), ProblemKind> {
        let function = self.current.function;
        let function = function.ok_or(ProblemKind::CostOutsideFunction)?;
        if !self.section.has_body() {
            self.builder.set_begins_run(self.section.begins_run());
        }
        let place = self.current.block_place();
        let found = self.ids.function(&function, place, self.builder);
        self.open_block(found, function.name, place);
        if let Some(more) = self.more_invocations.take() {
            self.builder.state_more_invocations(more);
        }
        Ok(())
    }

    /// Opens a block of a function, which has this name.
    #[inline(always)]
    pub(super) fn open_block(&mut self, function: FunctionId, name: NameId, place: ObjectAndFile) {
        self.builder.open_block(function, place.object, place.file);
        self.section.open_block(name == NameId::MAIN);
    }
}
