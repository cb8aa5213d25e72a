//! Lines that are recognised as a whole, with the same effect as if they were read one by one.

use super::Interpreter;
use super::columns::{FastPath, NegativeCosts, ReadCosts};
use super::cost_lines::Expect;
use crate::callgrind::fast::cost_run::{self, AFTER_ADDRESS, ALONE, CostRun};
use crate::callgrind::fast::record_memo::{BLOCK, CALL, Record, RecordKey};
use crate::callgrind::id_tables::{NameAndId, ObjectAndFile};
use crate::callgrind::line::{Cursor, NameKind};
use crate::profile::{ANY_WIDTH, Call, Cost, Costs};
use crate::tables::first_cost;

impl Interpreter<'_> {
    /// Reads lines as long as they can be recognised as a whole, and returns the start of the first
    /// other line.
    ///
    /// The functions for each shape are not inlined, so that no shape slows down another.
    #[inline]
    pub(super) fn fast_path(&mut self, data: &[u8], pos: usize) -> usize {
        match self.columns.fast_path() {
            _ if !self.may_use_fast_path() => pos,
            FastPath::Records | FastPath::ShortLines if self.section.is_trace() => {
                match self.columns.width() {
                    // The memo does not distinguish the files of calls.
                    _ if !self.calls_from_own_file() => pos,
                    1 => self.records::<1>(data, pos),
                    2 => self.records::<2>(data, pos),
                    _ => self.records::<ANY_WIDTH>(data, pos),
                }
            }
            FastPath::ShortLines => self.short_lines::<ALONE>(data, pos),
            FastPath::ShortLinesWithAddress => self.short_lines::<AFTER_ADDRESS>(data, pos),
            FastPath::Records | FastPath::None => pos,
        }
    }

    /// Whether the next lines may be read as a whole, and are known to be requested.
    #[inline]
    fn may_use_fast_path(&self) -> bool {
        self.memo.is_some()
            && matches!(self.expect, Expect::OwnCost)
            && (self.options.parts.is_empty() || self.section.is_requested())
    }

    /// Reads short cost lines, calls, names and blank lines.
    #[inline(never)]
    fn short_lines<const LINE: usize>(&mut self, data: &[u8], mut pos: usize) -> usize {
        loop {
            let next = match data.get(pos) {
                Some(b'\n') => {
                    self.messages.line += 1;
                    Some(pos + 1)
                }
                Some(b'*'..=b'9' | b'j') => self.cost_run::<LINE>(data, pos),
                Some(b'c') => {
                    let next = self.short_call::<LINE>(data, pos);
                    next.or_else(|| self.known_name(data, pos))
                }
                Some(b'f' | b'o') => self.known_name(data, pos),
                _ => None,
            };
            match next {
                Some(next) => pos = next,
                None => return pos,
            }
        }
    }

    /// Reads short lines of self costs, with the jumps between them; only up to the next line number,
    /// if self costs are kept by line.
    #[inline(always)]
    fn cost_run<const LINE: usize>(&mut self, data: &[u8], pos: usize) -> Option<usize> {
        let run = CostRun::read::<LINE>(data, pos, &self.position, self.needs.lines);
        if run.lines == 0 {
            return None;
        }
        if let Some(line) = run.first_line {
            self.ensure_block().ok()?;
            let costs = Costs::of(std::slice::from_ref(&run.cost));
            let file = self.current.current_file();
            self.builder.add_cost::<1>(file, line, costs);
        }
        self.position = run.position;
        self.messages.line += run.lines;
        Some(run.next)
    }

    /// Reads a line that names something, unless it is invalid.
    #[inline(always)]
    fn known_name(&mut self, data: &[u8], pos: usize) -> Option<usize> {
        let (named, key) = NameKind::by(&data[pos..])?;
        let mut text = Cursor::new(data, pos + key);
        self.name_line(named, &mut text).ok()?;
        self.messages.line += 1;
        Some(text.pos)
    }

    /// Reads a `calls=` line and its short cost line.
    #[inline(always)]
    fn short_call<const LINE: usize>(&mut self, data: &[u8], pos: usize) -> Option<usize> {
        if !self.is_in_block() || self.current.callee.is_none() {
            return None;
        }
        let (call, line) = cost_run::short_call::<LINE>(data, pos, &self.position)?;
        self.position = line.position;
        self.row[0] = line.cost;
        self.add_call(call, line.cost);
        self.messages.line += 2;
        Some(line.next)
    }

    /// Reads blocks and calls of a trace with `WIDTH` requested costs.
    #[inline(never)]
    fn records<const WIDTH: usize>(&mut self, data: &[u8], mut pos: usize) -> usize {
        // Rows of a known width stay in registers.
        let mut others = match WIDTH {
            ANY_WIDTH => std::mem::take(&mut self.row),
            _ => Vec::new(),
        };
        let mut few = [0; WIDTH];
        let row = if WIDTH == ANY_WIDTH {
            &mut others[..]
        } else {
            &mut few[..]
        };
        loop {
            if data.get(pos) == Some(&b'\n') {
                pos += 1;
                self.messages.line += 1;
            }
            let next = match data.get(pos) {
                Some(b'f') => self.block::<WIDTH>(data, pos, row),
                Some(b'c') if self.is_in_block() => self.call::<WIDTH>(data, pos, row),
                _ => None,
            };
            match next {
                Some(next) => pos = next,
                None => break,
            }
        }
        if WIDTH == ANY_WIDTH {
            self.row = others;
        }
        pos
    }

    /// Reads the costs after the key of a record, and finds the record.
    #[inline(always)]
    fn record<'d, const NTH: u32>(
        &mut self,
        data: &'d [u8],
        pos: usize,
        negative: NegativeCosts,
        row: &mut [Cost],
    ) -> Option<(RecordKey<'d>, Record, ReadCosts)> {
        let key = RecordKey::up_to_blank::<NTH>(data, pos)?;
        let start = pos + key.length();
        let costs = self.columns.costs(data, pos, start, negative, row).ok()?;
        let record = match self.memo.as_ref()?.find(key) {
            Some(record) => *record,
            None => self.enter_record(key, NTH == CALL)?,
        };
        Some((key, record, costs))
    }

    /// Reads `fl=`, `fn=` and the first cost line of a block.
    #[inline(always)]
    fn block<const WIDTH: usize>(
        &mut self,
        data: &[u8],
        pos: usize,
        row: &mut [Cost],
    ) -> Option<usize> {
        let (_, record, costs) = self.record::<BLOCK>(data, pos, NegativeCosts::Wrapped, row)?;
        self.current.set_file(record.file);
        self.current.set_function(NameAndId::from(record.name));
        let object = self.current.object();
        let place = ObjectAndFile {
            object,
            file: record.file,
        };
        self.open_block(record.function, record.name, place);
        self.position.set_line(record.line.into());
        self.messages.unwrapped_costs += u64::from(costs.is_unwrapped);
        let matching = costs.matching;
        self.section
            .add_self_cost(first_cost(row), self.messages.line + 2);
        let costs_of_line = Costs { row, matching };
        self.builder
            .add_cost::<WIDTH>(record.file, record.line.into(), costs_of_line);
        self.messages.line += 3;
        Some(costs.next)
    }

    /// Reads `cfl=`, `cfn=`, `calls=1 0 0` and the cost line of a call.
    #[inline(always)]
    fn call<const WIDTH: usize>(
        &mut self,
        data: &[u8],
        pos: usize,
        row: &mut [Cost],
    ) -> Option<usize> {
        let (key, record, line) = self.record::<CALL>(data, pos, NegativeCosts::Plain, row)?;
        self.current.set_known_callee(record.name, record.file);
        self.position.set_line(record.line.into());
        let matching = line.matching;
        let costs = Costs { row, matching };
        let is_known = record
            .edge
            .is_some_and(|edge| self.builder.add_call_again::<WIDTH>(edge, costs));
        if !is_known {
            self.add_call_of(key, record, costs);
        }
        self.messages.line += 4;
        Some(line.next)
    }

    /// Adds a call whose edge is not in the memo, and stores the edge there.
    #[cold]
    fn add_call_of(&mut self, key: RecordKey<'_>, record: Record, costs: Costs<'_>) {
        let call = Call {
            callee: record.function,
            target_line: 0,
            file: self.current.current_file(),
            line: record.line.into(),
            calls: 1,
        };
        let edge = self.builder.add_call::<ANY_WIDTH>(call, costs);
        if let Some(memo) = &mut self.memo {
            memo.set_edge(key, edge);
        }
    }

    /// Reads a key, and stores the record in the memo.
    #[cold]
    fn enter_record(&mut self, key: RecordKey<'_>, is_call: bool) -> Option<Record> {
        let ids = key.ids()?;
        let file = self.ids.of(NameKind::File).get(ids.file.into())?;
        let name = self.ids.of(NameKind::Function).get(ids.function.into())?;
        let object = if is_call {
            self.current.callee_object()
        } else {
            self.current.object()
        };
        let record = Record {
            file,
            name,
            function: self.builder.function(object, file, name),
            edge: None,
            line: ids.line,
        };
        self.memo.as_mut()?.enter(key, record);
        Some(record)
    }
}
