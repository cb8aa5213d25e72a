//! A range of a trace that is read independently of the lines before it.
//!
//! It begins with a block, and contains only blocks. An id that it does not define gets a
//! placeholder for its name, until the range is joined with the lines before it. Searching the whole
//! file for definitions first would take a fifth of the time of reading it.

use super::Interpreter;
use super::columns::{Columns, FastPath};
use super::cost_lines::Expect;
use super::messages::Messages;
use super::names::CurrentNames;
use crate::callgrind::ReadOptions;
use crate::callgrind::line::{CompressedName, Cursor, NameKind, Position};
use crate::maps::HashMap;
use crate::profile::{Cost, NameId, ProfileBuilder, ProfileOptions};

/// The ids of a range.
#[derive(Debug, Default)]
pub(super) struct RangeIds {
    /// Ids that must be defined before the range, with their placeholders.
    inherited: Vec<(NameKind, u64, NameId)>,
    /// Definitions, in their order.
    pub defined: Vec<(NameKind, u64, NameId)>,
}

impl RangeIds {
    /// Adds an id that the range does not define, and returns its placeholder.
    pub fn inherit(&mut self, named: NameKind, id: u64, builder: &mut ProfileBuilder) -> NameId {
        let name = builder.reserve_name();
        self.inherited.push((named, id, name));
        name
    }
}

/// The state at the end of a range that depends on the lines before it only by ids.
pub(in crate::callgrind) struct EndedRange {
    ids: RangeIds,
    current: CurrentNames,
    position: Position,
    has_main: bool,
    largest: (Cost, u64),
    messages: Messages,
}

impl<'a> Interpreter<'a> {
    /// Begins a range with the columns that the lines before it set. The options are those of a trace.
    pub fn of_range(
        sums: &'a mut ProfileBuilder,
        options: &'a ReadOptions,
        columns: Columns,
    ) -> Self {
        let mut range = Interpreter::new(sums, "", options);
        range.row.resize(columns.width(), 0);
        range.builder.begin_range(columns.width());
        range.columns = columns;
        range.range = Some(RangeIds::default());
        range
    }

    /// The options for building ranges that can be joined with the lines so far, if there can be any.
    pub fn range_options(&self) -> Option<ProfileOptions> {
        self.builder.range_options().filter(|_| self.can_join())
    }

    /// Whether ranges can be joined with the lines so far.
    fn can_join(&self) -> bool {
        self.memo.is_some()
            && self.section.is_trace()
            && self.options.parts.is_empty()
            && matches!(
                self.columns.fast_path(),
                FastPath::Records | FastPath::ShortLines
            )
            && self.current.is_plain()
            && matches!(self.expect, Expect::OwnCost)
            && self.held.is_none()
    }

    /// Whether a line of a range has the same meaning after any lines.
    pub(super) fn is_self_contained(&self, mut line: Cursor<'_>) -> bool {
        const KEYS: [&[u8]; 4] = [b"fl=", b"fn=", b"cfl=", b"cfn="];
        match line.peek() {
            b'\n' => true,
            b'0'..=b'9' => self.calls_from_own_file(),
            _ if line.take(b"calls=1 0 0\n") => true,
            _ if KEYS.iter().any(|key| line.take(key)) => match line.name() {
                Ok(CompressedName::Reference(_)) => true,
                // Composed names refer to other ids.
                Ok(CompressedName::Definition(_, name)) => !name.starts_with(b"("),
                _ => false,
            },
            _ => false,
        }
    }

    /// Ends a range, if it depends on the lines before it only by ids.
    pub fn end_range(mut self) -> Option<EndedRange> {
        let is_plain = self.can_join() && self.messages.warnings.is_empty();
        self.close_block();
        Some(EndedRange {
            ids: self.range.filter(|_| is_plain)?,
            current: self.current,
            position: self.position,
            has_main: self.section.has_main(),
            largest: self.section.largest(),
            messages: self.messages,
        })
    }

    /// Appends a range, unless the lines so far have other columns, or do not define one of its ids.
    pub fn join(&mut self, mut range: EndedRange, columns: &Columns, sums: ProfileBuilder) -> bool {
        if !self.can_join() || !self.columns.are_like(columns) {
            return false;
        }
        let inherited = range.ids.inherited.iter().map(|&(named, id, name)| {
            let known = self.ids.of(named).get(id)?;
            Some((name, known))
        });
        let known: Option<HashMap<NameId, NameId>> = inherited.collect();
        let Some(names) = known.and_then(|known| self.builder.join(sums, &known)) else {
            return false;
        };
        for (named, id, name) in range.ids.defined {
            self.define_as(named, id, names[name.index()]);
        }
        range.current.rename(|name| names[name.index()]);
        self.current = range.current;
        self.position = range.position;
        self.section.open_block(range.has_main);
        let before = self.messages.line - 1;
        self.section.join_largest(range.largest, before);
        self.messages.join(&range.messages);
        true
    }
}
