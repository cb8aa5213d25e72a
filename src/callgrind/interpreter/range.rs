//! A range of a trace that is read before it is known what precedes it.
//!
//! It begins with a block, and holds nothing but blocks. Ids that it does not define stand for
//! names of their own, until it is joined with what precedes it. To look for definitions in a first pass
//! over the file would take a fifth of the time that reading takes.

use super::columns::{Columns, FastPath};
use super::cost_lines::Expect;
use super::current_names::CurrentNames;
use super::diagnostics::Diagnostics;
use super::{Interpreter, line_end};
use crate::callgrind::line::{Named, Position};
use crate::callgrind::{KindChoice, ReadOptions};
use crate::maps::HashMap;
use crate::profile::{NameId, ProfileBuilder};

/// How ranges are read.
static OPTIONS: ReadOptions = ReadOptions {
    kind: KindChoice::Trace,
    lenient: false,
    parts: Vec::new(),
    line_by_line: false,
};

/// The columns of a range, according to the lines before it.
#[derive(Clone)]
pub(in crate::callgrind) struct RangeColumns(Columns);

/// What the ids of a range stand for.
#[derive(Debug, Default)]
pub(super) struct RangeIds {
    /// Those that are defined before the range, each with the name that stands for its own.
    inherited: Vec<(Named, u64, NameId)>,
    /// Definitions, in their order.
    pub defined: Vec<(Named, u64, NameId)>,
}

impl RangeIds {
    /// Notes an id that the range does not define, and returns the name that stands for its own.
    pub fn inherit(&mut self, named: Named, id: u64, builder: &mut ProfileBuilder) -> NameId {
        // No name that is read holds the end of a line.
        let text = format!("\n{} {id}", named.is_function());
        let name = builder.intern(text.as_bytes());
        self.inherited.push((named, id, name));
        name
    }
}

/// How a range ends that depends on what precedes it by nothing but ids.
pub(in crate::callgrind) struct EndedRange {
    ids: RangeIds,
    current: CurrentNames,
    position: Position,
    has_main: bool,
    diagnostics: Diagnostics,
}

impl RangeColumns {
    /// Begins a range that follows.
    pub fn begin_range<'b>(&self, sums: &'b mut ProfileBuilder) -> Interpreter<'b> {
        let mut range = Interpreter::new(sums, "", &OPTIONS);
        range.columns = self.0.clone();
        range.row.resize(range.columns.width(), 0);
        range.builder.widen(range.columns.width());
        range.range = Some(RangeIds::default());
        range
    }
}

impl Interpreter<'_> {
    /// The columns of ranges that follow the lines so far.
    pub fn range_columns(&self) -> RangeColumns {
        RangeColumns(self.columns.clone())
    }

    /// Whether ranges that follow the lines so far can be joined with them.
    pub fn can_join(&self) -> bool {
        self.memo.is_some()
            && self.section.is_trace()
            && self.part_filters.is_empty()
            && matches!(
                self.columns.fast_path(),
                FastPath::Records | FastPath::ShortLines
            )
            && !self.builder.matches_calls()
            && self.current.is_plain()
            && matches!(self.expect, Expect::OwnCost)
            && !self.diagnostics.holds_error()
    }

    /// Whether a line of a range means the same whatever precedes the range.
    pub(super) fn is_self_contained(&self, line: &[u8]) -> bool {
        const KEYS: [&[u8]; 5] = [b"fl=(", b"fn=(", b"cfl=(", b"cfn=(", b"calls=1 0 0\n"];
        match line[0] {
            b'\n' => true,
            b'0'..=b'9' => self.current.calls_from_own_file(),
            // Composed names need the ids of others.
            _ => {
                let line = &line[..line_end(line, 0)];
                let name = line.split(|&byte| byte == b')').nth(1).unwrap_or_default();
                KEYS.iter().any(|key| line.starts_with(key))
                    && !name.trim_ascii_start().starts_with(b"(")
            }
        }
    }

    /// Ends a range, if it depends on what precedes it by nothing but ids.
    pub fn end_range(mut self) -> Option<EndedRange> {
        let is_plain = self.can_join() && !self.diagnostics.has_warnings();
        self.builder.close_block();
        self.current.close_block();
        Some(EndedRange {
            ids: self.range.filter(|_| is_plain)?,
            current: self.current,
            position: self.position,
            has_main: self.section.has_main(),
            diagnostics: self.diagnostics,
        })
    }

    /// Reads the range that comes next, unless what precedes it has other columns, or lacks an id.
    pub fn join(
        &mut self,
        mut range: EndedRange,
        columns: &RangeColumns,
        sums: ProfileBuilder,
    ) -> bool {
        if !self.can_join() || !self.columns.are_like(&columns.0) {
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
        self.diagnostics.join(&range.diagnostics);
        true
    }
}
