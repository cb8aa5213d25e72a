//! The sections of an input, which are runs or parts: their headers, and whether they are complete.

use super::Interpreter;
use crate::callgrind::error::WarningKind;
use crate::display::text::excerpt;
use crate::display::units::{Quantity, Unit, in_units};
use crate::profile::{
    Cost, Kind, PartHeader, Producer, ProfileBuilder, RUNS, summary_costs, unit_of_event,
};

/// The beginning of the value of a `desc:` line with the reason why a part was written.
const TRIGGER: &[u8] = b"Trigger:";

/// The current section.
#[derive(Debug)]
pub(super) struct Section {
    kind: Kind,
    /// The program that wrote it, if a header has named one. It determines how a section ends.
    producer: Option<Producer>,
    earlier: Earlier,
    header: SectionHeader,
    request: Request,
    blocks: Blocks,
    /// The largest self cost of an invocation in the first requested event, and its line.
    largest: (Cost, u64),
    end: End,
}

/// The sections before the current one.
#[derive(Clone, Copy, Debug, Default)]
struct Earlier {
    count: u64,
    have_blocks: bool,
}

/// The header lines of a section that concern only itself.
#[derive(Debug, Default)]
struct SectionHeader {
    /// Its header as a part, and whether an aggregate says that it is one: a number or thread may be
    /// unreadable.
    part: PartHeader,
    is_part: bool,
    has_events: bool,
    /// Whether it has a line with the number of runs. A writer of such a line also writes `totals:`.
    has_runs: bool,
    /// The values of its last `summary:` and `totals:` lines.
    stated: Option<Vec<Cost>>,
    totals: Option<Vec<Cost>>,
}

/// Whether a section is requested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Request {
    /// Its header may go on.
    #[default]
    Unknown,
    Requested,
    LeftOut,
}

/// The blocks of a section.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Blocks {
    #[default]
    None,
    /// There are some, but not of `{main}`.
    Begun,
    WithMain,
}

/// What is known of the end of a section.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum End {
    #[default]
    Unknown,
    /// A `summary:` line has ended its last block.
    SummedUp,
    /// It is truncated, and there was a warning.
    Cut,
}

impl Section {
    /// The first section of an input, with blocks of this kind.
    pub fn first(kind: Kind) -> Self {
        Section {
            kind,
            producer: None,
            earlier: Earlier::default(),
            header: SectionHeader::default(),
            request: Request::default(),
            blocks: Blocks::default(),
            largest: (0, 0),
            end: End::default(),
        }
    }

    /// Begins the next section, which has the same producer until a header names another one.
    fn next(&self) -> Self {
        Section {
            producer: self.producer,
            earlier: Earlier {
                count: self.earlier.count + 1,
                have_blocks: self.has_data(),
            },
            ..Section::first(self.kind)
        }
    }

    /// Sets the producer, and the kind of its blocks.
    pub fn set_producer(&mut self, producer: Producer, kind: Kind) {
        self.producer = Some(producer);
        self.kind = kind;
    }

    /// The kind of its blocks that follows from its header.
    fn declared_kind(&self) -> Option<Kind> {
        self.producer.map(Producer::kind)
    }

    /// Whether blocks are single invocations.
    #[inline]
    pub fn is_trace(&self) -> bool {
        self.kind == Kind::Trace
    }

    /// Whether cg-preprocess wrote it.
    pub fn is_own(&self) -> bool {
        self.producer.is_some_and(Producer::is_own)
    }

    /// Whether it has any block.
    pub fn has_body(&self) -> bool {
        self.blocks != Blocks::None
    }

    /// Whether it has a block of `{main}`.
    pub fn has_main(&self) -> bool {
        self.blocks == Blocks::WithMain
    }

    /// Whether it, or an earlier section, has any block.
    pub fn has_data(&self) -> bool {
        self.has_body() || self.earlier.have_blocks
    }

    /// Whether it has begun: a header that follows belongs to other columns.
    pub fn has_columns(&self) -> bool {
        self.has_body() || self.header.has_events
    }

    /// The number of its `part:` line.
    pub fn part_number(&self) -> Option<u64> {
        self.header.part.number
    }

    /// Whether it is known to be requested.
    #[inline]
    pub fn is_requested(&self) -> bool {
        self.request == Request::Requested
    }

    /// Whether it is known not to be requested.
    pub fn is_left_out(&self) -> bool {
        self.request == Request::LeftOut
    }

    /// Whether a `summary:` line says that its last block has ended.
    pub fn is_summed_up(&self) -> bool {
        self.end == End::SummedUp
    }

    /// Whether a run of the program begins at its first block, not in an earlier section or another
    /// file.
    pub fn begins_run(&self) -> bool {
        match self.header.part.number {
            Some(number) => number <= 1,
            None => !self.has_data() || self.is_own(),
        }
    }

    /// Whether its header says that it is a part of an aggregate.
    pub fn is_dump(&self) -> bool {
        self.header.is_part && !self.is_trace()
    }

    /// Its header as a part. The runs of a trace are numbered.
    fn part_header(&self) -> PartHeader {
        if self.is_trace() {
            PartHeader {
                number: Some(self.earlier.count + 1),
                ..PartHeader::default()
            }
        } else {
            self.header.part.clone()
        }
    }

    /// Reads a block.
    #[inline]
    pub fn open_block(&mut self, is_main: bool) {
        let blocks = if is_main {
            Blocks::WithMain
        } else {
            Blocks::Begun
        };
        self.blocks = self.blocks.max(blocks);
    }

    /// Reads the self cost of an invocation in the first requested event, on this line.
    #[inline]
    pub fn add_self_cost(&mut self, cost: Cost, line: u64) {
        if cost > self.largest.0 {
            self.largest = (cost, line);
        }
    }

    /// Adds the largest self cost of the lines that follow, whose numbers begin at 1, after this one.
    pub fn join_largest(&mut self, (cost, line): (Cost, u64), before: u64) {
        self.add_self_cost(cost, line + before);
    }

    /// The largest self cost of an invocation, and its line.
    pub fn largest(&self) -> (Cost, u64) {
        self.largest
    }

    /// Reads a header line that concerns only this section.
    ///
    /// Xdebug writes `summary:` after the last block, and before 2.8 within a block.
    pub fn header(&mut self, key: &[u8], value: &[u8], is_in_block: bool) {
        let text = value.trim_ascii();
        let number = || str::from_utf8(text).ok()?.parse().ok();
        let header = &mut self.header;
        match key {
            b"part" => (header.is_part, header.part.number) = (true, number()),
            b"thread" => (header.is_part, header.part.thread) = (true, number()),
            b"events" => header.has_events = true,
            b"summary" => {
                header.stated = Some(summary_costs(value));
                if is_in_block && self.end == End::Unknown {
                    self.end = End::SummedUp;
                }
            }
            b"totals" => header.totals = Some(summary_costs(value)),
            b"desc" if text.starts_with(RUNS) => header.has_runs = true,
            b"desc" if text.starts_with(TRIGGER) => {
                header.part.trigger = text[TRIGGER.len()..].trim_ascii_start().into();
            }
            _ => {}
        }
    }

    /// Whether it ends as a complete section does, with sums that are all 0.
    pub fn measured_nothing(&self) -> bool {
        let sums: Vec<_> = [&self.header.stated, &self.header.totals]
            .into_iter()
            .flatten()
            .collect();
        let is_ended =
            self.header.totals.is_some() || !self.expects_totals() && self.header.stated.is_some();
        is_ended && sums.into_iter().flatten().all(|&cost| cost == 0)
    }

    /// Whether its end is a `totals:` line.
    fn expects_totals(&self) -> bool {
        self.producer == Some(Producer::Callgrind) || self.is_own() && self.header.has_runs
    }

    /// Whether a run of a trace is complete.
    fn is_whole(&self) -> bool {
        self.has_main() || self.header.stated.is_some()
    }

    /// The cost in its `summary:` line that `selected` chooses; `None` if it states none.
    fn stated_total(&self, selected: impl Fn(&[Cost]) -> Cost) -> Option<Cost> {
        let total = selected(self.header.stated.as_ref()?);
        (total != 0).then_some(total)
    }

    fn is_of_xdebug_2(&self) -> bool {
        self.producer.is_some_and(Producer::is_of_xdebug_2)
    }

    /// Marks it as truncated; true if a warning is due, because there was none and its end will not cause
    /// a better one.
    fn cut(&mut self) -> bool {
        let is_run = self.is_trace() && self.declared_kind() == Some(Kind::Trace);
        let will_lack_main = is_run && self.has_body() && !self.is_whole();
        std::mem::replace(&mut self.end, End::Cut) != End::Cut && !will_lack_main
    }

    /// Marks that its last line does not end; true if a warning is due.
    pub fn end_within_line(&mut self) -> bool {
        match self.producer {
            Some(Producer::Yappi) => false,
            // A missing `totals:` line causes a better warning.
            Some(Producer::Callgrind) => self.end != End::Cut,
            _ => self.cut(),
        }
    }

    /// A warning about what is missing at its end, unless there was one.
    ///
    /// `open` is the function whose block may be incomplete. `own` is the sum of the self costs;
    /// `selected` finds the sum to compare among stated ones.
    fn lacks(
        &self,
        open: Option<&[u8]>,
        own: Cost,
        selected: impl Fn(&[Cost]) -> Cost,
    ) -> Option<WarningKind> {
        let is_cut = self.end == End::Cut;
        if !is_cut && self.expects_totals() && self.header.totals.is_none() && !self.is_trace() {
            return Some(WarningKind::CutPart);
        }
        let stated = self.header.stated.as_deref().unwrap_or_default();
        let is_repeated = self
            .header
            .totals
            .as_ref()
            .is_none_or(|totals| totals == stated);
        let stated = selected(stated);
        if !is_cut && self.is_own() && (stated != own || !is_repeated) {
            return Some(WarningKind::OtherSum { stated, found: own });
        }
        if !self.is_trace() {
            return None;
        }
        match self.declared_kind() {
            Some(Kind::Aggregate) => Some(WarningKind::NoTrace),
            None if !self.is_whole() => Some(WarningKind::NoTrace),
            Some(_) if !self.is_whole() => Some(WarningKind::CutRun),
            _ if is_cut => None,
            _ => open.map(|name| WarningKind::CutBlock(excerpt(name))),
        }
    }
}

impl Interpreter<'_> {
    /// Ends the section, and begins the next one.
    pub(super) fn next_section(&mut self, begin: fn(&mut ProfileBuilder)) {
        self.end_section(false);
        begin(self.builder);
        if let Some(memo) = &mut self.memo {
            memo.forget();
        }
        self.section = self.section.next();
    }

    /// Whether the section is requested, which must not be asked before the end of its header.
    #[inline]
    pub(super) fn is_wanted(&mut self) -> bool {
        self.options.parts.is_empty() || self.is_wanted_part()
    }

    #[inline(never)]
    fn is_wanted_part(&mut self) -> bool {
        let (filters, section) = (&self.options.parts, &mut self.section);
        if section.request == Request::Unknown {
            let has_name = section.is_dump() || section.is_trace();
            let is_wanted = has_name && self.found_parts.add(filters, &section.part_header());
            section.request = if is_wanted {
                Request::Requested
            } else {
                Request::LeftOut
            };
        }
        section.is_requested()
    }

    /// Ends the open block, if there is one, but not its function.
    pub(super) fn close_block(&mut self) {
        if self.is_in_block() {
            self.builder.close_block();
            self.current.close_block();
        }
    }

    /// Ends a section. `is_open`: it may end within the block of the current function.
    pub(super) fn end_section(&mut self, is_open: bool) {
        if !self.is_wanted() {
            self.builder.leave_out_section();
            return;
        }
        let open = self.current.function.filter(|_| is_open);
        let open = open.map(|function| self.builder.name(function.name));
        let own = self.builder.section_self_total();
        let lack = self
            .section
            .lacks(open, own, |stated| self.columns.selected(stated));
        if let Some(kind) = lack {
            self.messages.warn(kind);
        }
        self.warn_jump();
        self.close_block();
        self.resolve_columns();
        // One without blocks is nothing, unless it has a name.
        if self.section.has_body() || self.section.is_dump() {
            let part = self.section.part_header();
            self.builder.end_part(&self.messages.input, &part);
        }
    }

    /// Warns of a self cost that exceeds that of its whole run, if costs are times.
    fn warn_jump(&mut self) {
        let ((cost, line), event) = (self.section.largest(), self.builder.wanted_event(0));
        let Some(run) = self
            .section
            .stated_total(|stated| self.columns.selected(stated))
        else {
            return;
        };
        let is_of_xdebug_2 = self.section.is_of_xdebug_2();
        let unit = Unit::of(unit_of_event(event, is_of_xdebug_2), 1);
        if self.section.is_trace() && unit.quantity == Quantity::Time && cost > run {
            let [cost, run] = [cost, run].map(|cost| in_units(cost, unit));
            self.messages
                .warn_at(line, WarningKind::ClockJumped { cost, run });
        }
    }

    /// Warns that a section is truncated at a line, unless there was such a warning.
    pub(super) fn warn_cut(&mut self, line: u64, kind: WarningKind) {
        if self.section.cut() {
            self.messages.warn_at(line, kind);
        }
    }
}
