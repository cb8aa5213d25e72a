//! The section that is being read, a run or a part: what it has had, and whether it is whole.

use crate::callgrind::error::WarningKind;
use crate::profile::Kind;
use crate::shown::text::excerpt;

/// The section that is being read.
#[derive(Debug, Default)]
pub(super) struct Section {
    /// What its blocks are, as the caller says.
    fixed_kind: Option<Kind>,
    /// What its blocks are, as its header says.
    told_kind: Option<Kind>,
    /// Whether Valgrind writes it, who ends each part with a `totals:` line.
    expects_totals: bool,
    /// Whether yappi writes it, which never ends its last line.
    leaves_last_line_open: bool,
    has_totals: bool,
    has_events: bool,
    has_summary: bool,
    /// Whether a `summary:` line says that its last block has ended.
    is_summed_up: bool,
    /// Whether a section before it had any block.
    had_body: bool,
    /// Whether there was any block, and one of `{main}`.
    has_body: bool,
    has_main: bool,
    /// Whether a warning has said already where it is cut off.
    is_cut: bool,
}

impl Section {
    /// The first section of an input.
    pub fn first(fixed_kind: Option<Kind>) -> Self {
        Section {
            fixed_kind,
            ..Section::default()
        }
    }

    /// Begins the next section, which has the same writer until another one is named.
    pub fn begin_next(&mut self) {
        *self = Section {
            told_kind: self.told_kind,
            expects_totals: self.expects_totals,
            leaves_last_line_open: self.leaves_last_line_open,
            had_body: self.has_data(),
            ..Section::first(self.fixed_kind)
        };
    }

    /// Whether blocks are single invocations.
    #[inline]
    pub fn is_trace(&self) -> bool {
        self.fixed_kind.or(self.told_kind) == Some(Kind::Trace)
    }

    /// Takes in what the header says of the kind; true if that decides.
    pub fn tell_kind(&mut self, kind: Kind) -> bool {
        self.told_kind = Some(kind);
        self.fixed_kind.is_none()
    }

    /// Takes in the value of a `creator:` line, and returns the kind of profile that it writes.
    pub fn creator(&mut self, value: &[u8]) -> Kind {
        let value = value.trim_ascii();
        self.expects_totals = value.starts_with(b"callgrind-");
        self.leaves_last_line_open = value.starts_with(b"yappi");
        if value.starts_with(b"xdebug") {
            Kind::Trace
        } else {
            Kind::Aggregate
        }
    }

    /// Whether the writer never ends its last line.
    pub fn leaves_last_line_open(&self) -> bool {
        self.leaves_last_line_open
    }

    /// Takes in an `events:` line; true if headers before it may speak of the columns before.
    pub fn events(&mut self) -> bool {
        let follows_others = self.has_body || self.has_events;
        self.has_events = true;
        follows_others
    }

    /// Takes in a `summary:` line.
    ///
    /// Since 2.8, Xdebug writes the summary after the last block; before, within it.
    pub fn summary(&mut self, is_in_block: bool) {
        self.has_summary = true;
        self.is_summed_up |= is_in_block;
    }

    /// Takes in a `totals:` line.
    pub fn totals(&mut self) {
        self.has_totals = true;
    }

    /// Takes in a block.
    #[inline]
    pub fn open_block(&mut self, is_main: bool) {
        self.has_body = true;
        self.has_main |= is_main;
    }

    /// Whether it has any block.
    pub fn has_body(&self) -> bool {
        self.has_body
    }

    /// Whether it, or any before it, has a block.
    pub fn has_data(&self) -> bool {
        self.had_body || self.has_body
    }

    /// Whether a `summary:` line says that its last block has ended.
    pub fn is_summed_up(&self) -> bool {
        self.is_summed_up
    }

    /// Notes that it is cut off; true if nobody has said so before.
    pub fn cut(&mut self) -> bool {
        !std::mem::replace(&mut self.is_cut, true)
    }

    /// Notes that its last line has no end; true if nobody has said before that it is cut off.
    pub fn end_within_line(&mut self) -> bool {
        let is_first = !self.is_cut;
        // What Valgrind ends its parts with tells more, if that is missing.
        self.is_cut |= !self.expects_totals;
        is_first
    }

    /// What it lacks that its writer would have written, unless that has been said.
    ///
    /// `open` is the function in whose block it ends, if nothing shows that the block has ended.
    pub fn lacks(&self, open: Option<&[u8]>) -> Option<WarningKind> {
        if !self.is_trace() {
            let lacks_totals = self.expects_totals && !self.has_totals && !self.is_cut;
            return lacks_totals.then_some(WarningKind::CutPart);
        }
        let is_whole = self.has_main || self.has_summary;
        match self.told_kind {
            Some(Kind::Aggregate) => Some(WarningKind::NoTrace),
            None if !is_whole => Some(WarningKind::NoTrace),
            Some(_) if !is_whole => Some(WarningKind::CutRun),
            _ if self.is_cut => None,
            _ => open.map(|name| WarningKind::CutBlock(excerpt(name))),
        }
    }
}
