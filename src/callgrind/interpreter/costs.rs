//! Lines with costs, and the calls that they belong to.

use super::{Expect, Function, Interpreter, PendingCall, line_end};
use crate::callgrind::error::Problem;
use crate::callgrind::lexer::{Cursor, NumberError};
use crate::callgrind::position::Position;
use crate::profile::{Call, Costs, NameId};
use crate::text::excerpt;

impl Interpreter<'_> {
    /// Reads position numbers and costs: what they mean, the line before has said.
    pub(super) fn cost_line(&mut self, data: &[u8], pos: usize) -> Result<usize, Problem> {
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
        let mut numbers = std::mem::take(&mut self.numbers);
        let outcome = self.read_costs(&mut cursor, &mut numbers);
        self.numbers = numbers;
        outcome.map_err(|problem| problem.unwrap_or_else(|| self.too_many_costs(data, pos)))?;
        let mut more = std::mem::take(&mut self.more);
        let costs = self.selection.costs(&self.numbers, &mut more);
        let outcome = self.put_costs(data, pos, position, costs);
        self.more = more;
        outcome?;
        self.expect = Expect::OwnCost;
        Ok(cursor.pos())
    }

    fn put_costs(
        &mut self,
        data: &[u8],
        pos: usize,
        position: Position,
        costs: Costs<'_>,
    ) -> Result<(), Problem> {
        match self.expect {
            Expect::OwnCost => {
                self.ensure_block(data, pos)?;
                self.position = position;
                self.builder.add_cost(position.line(self.positions), costs);
            }
            Expect::CallCost(call) => {
                self.ensure_block(data, pos)?;
                self.position = position;
                self.add_call(call, costs);
            }
            Expect::JumpSource => self.position = position,
        }
        Ok(())
    }

    /// Reads the costs to the end of the line; no problem in the error: there are too many.
    #[inline]
    fn read_costs(
        &self,
        cursor: &mut Cursor<'_>,
        numbers: &mut Vec<i64>,
    ) -> Result<(), Option<Problem>> {
        let columns = self.columns.as_ref().map_or(0, Vec::len);
        numbers.clear();
        loop {
            cursor.skip_blanks();
            if cursor.end_of_line() {
                return Ok(());
            }
            if numbers.len() == columns {
                return Err(None);
            }
            let start = *cursor;
            let cost = cursor
                .cost()
                .map_err(|error| Some(number_problem(start, error)))?;
            numbers.push(cost);
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

    pub(super) fn calls_line(&mut self, line: &[u8], value: &[u8]) -> Result<(), Problem> {
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

    #[inline]
    pub(super) fn add_call(&mut self, call: PendingCall, costs: Costs<'_>) {
        let callee = self.resolve_callee(call.callee);
        let call = Call {
            callee,
            target_line: call.target_line,
            line: self.position.line(self.positions),
            calls: call.calls,
        };
        self.builder.add_call(call, costs);
        self.forget_callee_place();
    }

    /// Opens the block of the function that `fn=` named, unless it is open.
    #[inline]
    pub(super) fn ensure_block(&mut self, data: &[u8], pos: usize) -> Result<(), Problem> {
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
    pub(super) fn enter_function(&mut self, name: NameId) {
        self.function = Function::Open { name };
        self.run.mains += u64::from(name == self.main);
        self.has_data = true;
        self.section_has_body = true;
    }
}

fn number_problem(start: Cursor<'_>, error: NumberError) -> Problem {
    let found = excerpt(start.rest_of_line());
    match error {
        NumberError::TooLarge => Problem::NumberTooLarge { found },
        NumberError::NotANumber | NumberError::Negative => Problem::NotANumber { found },
    }
}
