//! The current section, a run or a part: its header, and whether it is complete.

use crate::callgrind::error::WarningKind;
use crate::display::text::excerpt;
use crate::profile::{BlockKind, Cost, PartHeader, Producer, RUNS, summary_costs};

/// The beginning of the value of a `desc:` line with the reason why a part was written.
const TRIGGER: &[u8] = b"Trigger:";

/// The current section.
#[derive(Debug, Default)]
pub(super) struct Section {
    /// The kind of its blocks that the caller has chosen.
    fixed_kind: Option<BlockKind>,
    /// The kind of its blocks that follows from its header.
    declared_kind: Option<BlockKind>,
    producer: Producer,
    body: Blocks,
    /// Its header as a part, and whether it is one.
    part: PartHeader,
    is_part: bool,
    /// Whether it is requested; known from its first cost on.
    pub is_wanted: Option<bool>,
    /// The values of its last `summary:` and `totals:` lines.
    stated: Option<Vec<Cost>>,
    totals: Option<Vec<Cost>>,
    /// Whether a `summary:` line has ended its last block.
    is_summed_up: bool,
    /// Whether it has a line with the number of runs. A writer of such a line also writes `totals:`.
    has_runs: bool,
    has_events: bool,
    /// Whether an earlier section has any block.
    had_body: bool,
    /// Whether there was a warning that it is cut off.
    is_cut: bool,
}

/// The blocks of a section.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Blocks {
    #[default]
    None,
    /// Some, but not of `{main}`.
    Begun,
    WithMain,
}

impl Section {
    /// The first section of an input.
    pub fn first(fixed_kind: Option<BlockKind>) -> Self {
        Section {
            fixed_kind,
            ..Section::default()
        }
    }

    /// Begins the next section, which has the same producer until a header names another one.
    pub fn begin_next(&mut self) {
        *self = Section {
            declared_kind: self.declared_kind,
            producer: self.producer,
            had_body: self.has_data(),
            ..Section::first(self.fixed_kind)
        };
    }

    /// Whether blocks are single invocations.
    #[inline]
    pub fn is_trace(&self) -> bool {
        self.fixed_kind.or(self.declared_kind) == Some(BlockKind::Trace)
    }

    /// Sets the producer, which determines how a section ends, and the kind of its blocks; false if
    /// the caller has chosen a kind.
    pub fn set_producer(&mut self, producer: Producer) -> bool {
        self.producer = producer;
        self.declared_kind = Some(producer.kind());
        self.fixed_kind.is_none()
    }

    /// Reads a header line that concerns only this section.
    pub fn header(&mut self, key: &[u8], value: &[u8]) {
        let text = value.trim_ascii_start();
        match key {
            b"part" => (self.is_part, self.part.number) = (true, number(text)),
            b"thread" => (self.is_part, self.part.thread) = (true, number(text)),
            b"totals" => self.totals = Some(summary_costs(value)),
            b"desc" if text.starts_with(RUNS) => self.has_runs = true,
            b"desc" if text.starts_with(TRIGGER) => {
                self.part.trigger = text[TRIGGER.len()..].trim_ascii().into();
            }
            _ => {}
        }
    }

    /// Whether a run of the program begins here, not in an earlier section or another file.
    pub fn begins_run(&self) -> bool {
        match self.part.number {
            Some(number) => number <= 1,
            None => !self.had_body || self.is_own(),
        }
    }

    /// Whether cg-preprocess wrote it.
    pub fn is_own(&self) -> bool {
        self.producer.is_own()
    }

    /// The number of its `part:` line.
    pub fn part_number(&self) -> Option<u64> {
        self.part.number
    }

    /// Its header as a part, if it is a part of an aggregate.
    pub fn part_header(&self) -> Option<&PartHeader> {
        (self.is_part && !self.is_trace()).then_some(&self.part)
    }

    /// Reads an `events:` line; true if earlier headers may be about earlier columns.
    pub fn events(&mut self) -> bool {
        let follows_others = self.has_body() || self.has_events;
        self.has_events = true;
        follows_others
    }

    /// Reads a `summary:` line.
    ///
    /// Xdebug writes it after the last block, and before 2.8 within a block.
    pub fn summary(&mut self, value: &[u8], is_in_block: bool) {
        self.is_summed_up |= is_in_block;
        self.stated = Some(summary_costs(value));
    }

    /// Reads a block.
    #[inline]
    pub fn open_block(&mut self, is_main: bool) {
        let body = if is_main {
            Blocks::WithMain
        } else {
            Blocks::Begun
        };
        self.body = self.body.max(body);
    }

    /// Whether it has any block.
    pub fn has_body(&self) -> bool {
        self.body != Blocks::None
    }

    /// Whether it has a block of `{main}`.
    pub fn has_main(&self) -> bool {
        self.body == Blocks::WithMain
    }

    /// Whether it, or an earlier section, has any block.
    pub fn has_data(&self) -> bool {
        self.had_body || self.has_body()
    }

    /// Whether a `summary:` line says that its last block has ended.
    pub fn is_summed_up(&self) -> bool {
        self.is_summed_up
    }

    /// Marks it as cut off; true if a warning is due, because there was none and its end will not cause
    /// a better one.
    pub fn cut(&mut self) -> bool {
        let lacks_main =
            self.has_body() && self.is_trace() && self.declared_kind == Some(BlockKind::Trace);
        !std::mem::replace(&mut self.is_cut, true) && (!lacks_main || self.is_whole())
    }

    /// Whether a run of a trace is complete.
    fn is_whole(&self) -> bool {
        self.has_main() || self.stated.is_some()
    }

    /// Marks that its last line does not end; true if a warning is due.
    pub fn end_within_line(&mut self) -> bool {
        match self.producer {
            Producer::Yappi => false,
            // A missing `totals:` line causes a better warning.
            Producer::Callgrind => !self.is_cut,
            _ => self.cut(),
        }
    }

    /// A warning about what is missing at its end, unless there was one.
    ///
    /// `open` is the function whose block may be incomplete. `own` is the sum of the self costs;
    /// `selected` finds the sum to compare among stated ones.
    pub fn lacks(
        &self,
        open: Option<&[u8]>,
        own: Cost,
        selected: impl Fn(&[Cost]) -> Cost,
    ) -> Option<WarningKind> {
        let expects_totals = self.producer == Producer::Callgrind || self.is_own() && self.has_runs;
        if !self.is_cut && expects_totals && self.totals.is_none() && !self.is_trace() {
            return Some(WarningKind::CutPart);
        }
        let stated = self.stated.as_deref().unwrap_or_default();
        let is_repeated = self.totals.as_ref().is_none_or(|totals| totals == stated);
        let stated = selected(stated);
        if !self.is_cut && self.is_own() && (stated != own || !is_repeated) {
            return Some(WarningKind::OtherSum { stated, found: own });
        }
        if !self.is_trace() {
            return None;
        }
        match self.declared_kind {
            Some(BlockKind::Aggregate) => Some(WarningKind::NoTrace),
            None if !self.is_whole() => Some(WarningKind::NoTrace),
            Some(_) if !self.is_whole() => Some(WarningKind::CutRun),
            _ if self.is_cut => None,
            _ => open.map(|name| WarningKind::CutBlock(excerpt(name))),
        }
    }
}

/// The value of a header line, if it is a number.
fn number(value: &[u8]) -> Option<u64> {
    str::from_utf8(value.trim_ascii()).ok()?.parse().ok()
}
