//! The short way through lines of common shape.
//!
//! Each step does what the general path would do with the same lines, or nothing at all.

use super::{Expect, Function, Interpreter, PendingCall};
use crate::callgrind::fast::heads::{Heads, Ids, Meaning};
use crate::callgrind::fast::run::Run;
use crate::callgrind::fast::{Columns, Window, sums, trace};
use crate::callgrind::position::Position;
use crate::profile::{Call, Costs, Kind};

/// Which lines can be read the short way.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shortcut {
    /// None.
    None,
    /// Lines whose one position column is the line; Xdebug's blocks among them.
    Line(Columns),
    /// Lines with two position columns, the line the second, as Valgrind writes them with
    /// `--dump-instr=yes`.
    Two(Columns),
}

impl Interpreter<'_> {
    /// Which lines can be read the short way, now that the columns are known.
    pub(super) fn choose_shortcut(&self) -> Shortcut {
        let (Some(selected), true) = (self.selection.only_column(), self.shortcuts) else {
            return Shortcut::None;
        };
        let columns = Columns {
            count: self.columns.as_ref().map_or(0, Vec::len),
            selected,
        };
        match self.positions.count() {
            1 if self.positions.is_line_last() => Shortcut::Line(columns),
            2 if self.positions.is_line_last() => Shortcut::Two(columns),
            _ => Shortcut::None,
        }
    }

    /// Reads lines for as long as they have a common shape, and returns where the others begin.
    #[inline]
    pub(super) fn take_shortcut(&mut self, data: &[u8], pos: usize) -> usize {
        if !matches!(self.expect, Expect::OwnCost) {
            return pos;
        }
        match self.shortcut {
            Shortcut::None => pos,
            Shortcut::Line(columns) => {
                let pos = self.trace(data, pos, columns);
                self.sums::<1>(data, pos, columns)
            }
            Shortcut::Two(columns) => self.sums::<2>(data, pos, columns),
        }
    }

    /// Reads blocks and calls of a trace.
    fn trace(&mut self, data: &[u8], mut pos: usize, columns: Columns) -> usize {
        if self.builder.kind() != Kind::Trace {
            return pos;
        }
        loop {
            if data.get(pos) == Some(&b'\n') {
                pos += 1;
                self.line += 1;
            }
            let next = match data.get(pos) {
                Some(b'f') => self.trace_block(data, pos, columns),
                Some(b'c') => self.trace_call(data, pos, columns),
                _ => None,
            };
            match next {
                Some(next) => pos = next,
                None => return pos,
            }
        }
    }

    #[inline(always)]
    fn trace_block(&mut self, data: &[u8], pos: usize, columns: Columns) -> Option<usize> {
        let (window, length) = trace::head::<{ trace::BLOCK_BLANKS }>(data, pos)?;
        let cost = trace::cost(data, pos + length, columns)?;
        let place = Heads::place(&window, length);
        let meaning = match self.heads.find(&window, length, place) {
            Some(head) => head.meaning,
            None => self.enter_head(
                &window,
                length,
                place,
                trace::block_head(data, pos, length)?,
            )?,
        };
        self.set_file(meaning.file);
        self.name_function(meaning.name);
        self.builder
            .open_block_of(meaning.function, self.object, meaning.file);
        self.enter_function(meaning.name);
        self.position = Position::of_line(meaning.line);
        self.builder
            .add_cost(meaning.line, Costs::single(cost.cost));
        self.line += 3;
        Some(cost.next)
    }

    #[inline(always)]
    fn trace_call(&mut self, data: &[u8], pos: usize, columns: Columns) -> Option<usize> {
        let (Function::Open { .. }, None) = (self.function, self.callee_object) else {
            return None;
        };
        let (window, length) = trace::head::<{ trace::CALL_BLANKS }>(data, pos)?;
        let cost = trace::cost(data, pos + length, columns)?;
        let place = Heads::place(&window, length);
        let meaning = match self.heads.find(&window, length, place) {
            Some(head) => head.meaning,
            None => {
                self.enter_head(&window, length, place, trace::call_head(data, pos, length)?)?
            }
        };
        let is_known = meaning
            .edge
            .is_some_and(|edge| self.builder.add_call_again(edge, Costs::single(cost.cost)));
        if !is_known {
            let call = Call {
                callee: meaning.function,
                target_line: 0,
                line: meaning.line,
                calls: 1,
            };
            let edge = self.builder.add_call(call, Costs::single(cost.cost));
            self.heads.set_edge(place, edge);
        }
        self.callee = Some(meaning.name);
        self.forget_callee_place();
        self.position = Position::of_line(meaning.line);
        self.line += 4;
        Some(cost.next)
    }

    /// Finds out what a head means, and remembers it.
    fn enter_head(
        &mut self,
        window: &Window<'_>,
        length: usize,
        place: usize,
        ids: Ids,
    ) -> Option<Meaning> {
        let file = self.ids.files.get(ids.file)?;
        let name = self.ids.functions.get(ids.function)?;
        let meaning = Meaning {
            file,
            name,
            function: self.builder.function(self.object, file, name),
            edge: None,
            line: ids.line,
        };
        self.heads.enter(window, length, place, meaning);
        Some(meaning)
    }

    /// Reads cost lines, jumps, calls and references by id.
    fn sums<const POSITIONS: usize>(
        &mut self,
        data: &[u8],
        mut pos: usize,
        columns: Columns,
    ) -> usize {
        loop {
            let next = match data.get(pos) {
                Some(b'*'..=b'9' | b'j') => self.own_costs::<POSITIONS>(data, pos, columns),
                Some(b'c') if data.get(pos + 1) == Some(&b'a') => {
                    self.call::<POSITIONS>(data, pos, columns)
                }
                Some(b'c' | b'f' | b'o') => self.reference(data, pos),
                _ => None,
            };
            match next {
                Some(next) => pos = next,
                None => return pos,
            }
        }
    }

    /// Reads cost lines of the function itself, and jumps among them.
    #[inline(always)]
    fn own_costs<const POSITIONS: usize>(
        &mut self,
        data: &[u8],
        start: usize,
        columns: Columns,
    ) -> Option<usize> {
        if !matches!(self.function, Function::Open { .. }) {
            return self.first_line::<POSITIONS>(data, start, columns);
        }
        let run = Run::read::<POSITIONS>(data, start, &self.position, columns);
        if run.lines == 0 {
            return self.first_line::<POSITIONS>(data, start, columns);
        }
        self.position = run.position;
        if let Some(line) = run.first_line {
            self.builder.add_cost(line, Costs::single(run.cost));
        }
        self.line += run.lines;
        Some(run.next)
    }

    /// Reads one cost line of the function itself, which may open its block, or a jump.
    #[inline(never)]
    fn first_line<const POSITIONS: usize>(
        &mut self,
        data: &[u8],
        pos: usize,
        columns: Columns,
    ) -> Option<usize> {
        if let Some(source) = sums::jump(data, pos) {
            let source = sums::cost_line::<POSITIONS, 2>(data, source, &self.position, columns)?;
            self.position = source.position;
            self.line += 2;
            return Some(source.next);
        }
        let line = sums::cost_line::<POSITIONS, 2>(data, pos, &self.position, columns)?;
        self.ensure_block(data, pos).ok()?;
        self.position = line.position;
        self.builder
            .add_cost(self.position.base(POSITIONS - 1), Costs::single(line.cost));
        self.line += 1;
        Some(line.next)
    }

    /// Reads a call and its cost.
    #[inline(always)]
    fn call<const POSITIONS: usize>(
        &mut self,
        data: &[u8],
        pos: usize,
        columns: Columns,
    ) -> Option<usize> {
        let callee = self.callee?;
        let calls = sums::calls::<POSITIONS>(data, pos, &self.position)?;
        let cost = sums::cost_line::<POSITIONS, 2>(data, calls.next, &self.position, columns)?;
        self.ensure_block(data, pos).ok()?;
        self.position = cost.position;
        let pending = PendingCall {
            callee,
            calls: calls.calls,
            target_line: calls.target_line,
        };
        self.add_call(pending, Costs::single(cost.cost));
        self.line += 2;
        Some(cost.next)
    }

    /// Reads a position line with an id that has a name.
    #[inline(always)]
    fn reference(&mut self, data: &[u8], pos: usize) -> Option<usize> {
        let reference = sums::reference(data, pos)?;
        let id = reference.id;
        match (reference.of_callee, &reference.key) {
            (false, b"fn") => {
                let name = self.ids.functions.get(id)?;
                self.name_function(name);
            }
            (false, b"fl") => {
                let file = self.ids.files.get(id)?;
                self.set_file(file);
            }
            (false, b"fi" | b"fe") => self.current_file = self.ids.files.get(id)?,
            (false, b"ob") => self.object = self.ids.objects.get(id)?,
            (true, b"fn") => self.callee = Some(self.ids.functions.get(id)?),
            (true, b"fi" | b"fl") => self.callee_file = Some(self.ids.files.get(id)?),
            (true, b"ob") => self.callee_object = Some(self.ids.objects.get(id)?),
            _ => return None,
        }
        self.line += 1;
        Some(reference.next)
    }
}
