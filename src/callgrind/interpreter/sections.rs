//! The section that is being read, a run or a part: what it has had, and whether it is whole.

use crate::callgrind::error::WarningKind;
use crate::display::text::excerpt;
use crate::profile::{BlockKind, Cost, PartHeader, Producer, RUNS, summary_costs};

/// How the value of a `desc:` line begins that says why a part was written.
const TRIGGER: &[u8] = b"Trigger:";

/// The section that is being read.
#[derive(Debug, Default)]
pub(super) struct Section {
    /// What its blocks are, as the caller says.
    fixed_kind: Option<BlockKind>,
    /// What its blocks are, as its header says.
    declared_kind: Option<BlockKind>,
    producer: Producer,
    body: Body,
    /// What its header says of it as a part, and whether it is one.
    part: PartHeader,
    is_part: bool,
    /// Whether it is wanted, as soon as this is known: at its first cost.
    pub is_wanted: Option<bool>,
    /// What its last `summary:` line states, and its last `totals:` line, if there is one.
    stated: Option<Vec<Cost>>,
    totals: Option<Vec<Cost>>,
    /// Whether a `summary:` line stands after its last block, which has ended by this.
    is_summed_up: bool,
    /// Whether it says how many runs there are. Whoever writes that ends with `totals:`.
    has_runs: bool,
    has_events: bool,
    /// Whether a section before it had any block.
    had_body: bool,
    /// Whether a warning has said already where it is cut off.
    is_cut: bool,
}

/// The blocks of a section.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Body {
    #[default]
    None,
    /// There are some, but none of `{main}`.
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

    /// Begins the next section, which has the same producer until another one is named.
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

    /// Takes in what the header says of the kind; true if that decides.
    pub fn declare_kind(&mut self, kind: BlockKind) -> bool {
        self.declared_kind = Some(kind);
        self.fixed_kind.is_none()
    }

    /// Takes in who writes it: this decides where it ends.
    pub fn set_producer(&mut self, producer: Producer) {
        self.producer = producer;
    }

    /// Reads a header line that is about this section alone.
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

    /// Whether a run of the program begins with it, not with an earlier section or another file.
    pub fn begins_run(&self) -> bool {
        match self.part.number {
            Some(number) => number <= 1,
            None => !self.had_body || self.is_own(),
        }
    }

    /// Whether this program has written it.
    pub fn is_own(&self) -> bool {
        self.producer.is_own()
    }

    /// The number of its `part:` line.
    pub fn part_number(&self) -> Option<u64> {
        self.part.number
    }

    /// What its header says of it, if it is a part of sums.
    pub fn part_header(&self) -> Option<&PartHeader> {
        (self.is_part && !self.is_trace()).then_some(&self.part)
    }

    /// Reads an `events:` line; true if headers before it may speak of the columns before.
    pub fn events(&mut self) -> bool {
        let follows_others = self.has_body() || self.has_events;
        self.has_events = true;
        follows_others
    }

    /// Reads a `summary:` line.
    ///
    /// Since 2.8, Xdebug writes the summary after the last block; before, within it.
    pub fn summary(&mut self, value: &[u8], is_in_block: bool) {
        self.is_summed_up |= is_in_block;
        self.stated = Some(summary_costs(value));
    }

    /// Reads a block.
    #[inline]
    pub fn open_block(&mut self, is_main: bool) {
        let body = if is_main { Body::WithMain } else { Body::Begun };
        self.body = self.body.max(body);
    }

    /// Whether it has any block.
    pub fn has_body(&self) -> bool {
        self.body != Body::None
    }

    /// Whether it has a block of `{main}`.
    pub fn has_main(&self) -> bool {
        self.body == Body::WithMain
    }

    /// Whether it, or any before it, has a block.
    pub fn has_data(&self) -> bool {
        self.had_body || self.has_body()
    }

    /// Whether a `summary:` line says that its last block has ended.
    pub fn is_summed_up(&self) -> bool {
        self.is_summed_up
    }

    /// Notes that it is cut off; true if nobody has said so before, and its end will not tell more.
    pub fn cut(&mut self) -> bool {
        let lacks_main =
            self.has_body() && self.is_trace() && self.declared_kind == Some(BlockKind::Trace);
        !std::mem::replace(&mut self.is_cut, true) && (!lacks_main || self.is_whole())
    }

    /// Whether a run of a trace has come to its end.
    fn is_whole(&self) -> bool {
        self.has_main() || self.stated.is_some()
    }

    /// Notes that its last line has no end; true if that may be worth a warning.
    pub fn end_within_line(&mut self) -> bool {
        match self.producer {
            Producer::Yappi => false,
            // What Valgrind ends its parts with tells more, if that is missing.
            Producer::Callgrind => !self.is_cut,
            _ => self.cut(),
        }
    }

    /// What it lacks that its writer would have written, unless that has been said.
    ///
    /// `open` is the function in whose block it ends, if nothing shows that the block has ended.
    /// `own` is the sum of its self costs; `selected` finds in stated sums the one to compare.
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

/// The number that a header line gives, if it is one.
fn number(value: &[u8]) -> Option<u64> {
    str::from_utf8(value.trim_ascii()).ok()?.parse().ok()
}
