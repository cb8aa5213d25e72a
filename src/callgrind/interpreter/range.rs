//! A range of a trace that is read before it is known what precedes it.
//!
//! It begins with a block, and holds nothing but blocks. Ids that it does not define stand for
//! placeholders, until it is joined with what precedes it.

use std::collections::HashMap;

use super::columns::FastPath;
use super::cost_lines::Expect;
use super::{Interpreter, line_end};
use crate::callgrind::line::Named;
use crate::callgrind::{KindChoice, Options};
use crate::profile::{NameId, ProfileBuilder, ProfileOptions};

/// What the ids of a range stand for.
#[derive(Debug, Default)]
pub(super) struct RangeIds {
    /// Those that are defined before the range, each with its placeholder.
    inherited: Vec<(Named, u64, Placeholder)>,
    /// Definitions, in their order.
    pub defined: Vec<(Named, u64, NameId)>,
}

/// The name that an id has in a range until it is known what it stands for before the range.
#[derive(Clone, Copy, Debug)]
struct Placeholder(NameId);

impl Placeholder {
    fn new(named: Named, id: u64, builder: &mut ProfileBuilder) -> Self {
        // No name that is read holds the end of a line.
        let text = format!("\n{} {id}", named.is_function());
        Placeholder(builder.intern(text.as_bytes()))
    }
}

impl RangeIds {
    /// Notes an id that the range does not define, and returns the name that stands for its own.
    pub fn inherit(&mut self, named: Named, id: u64, builder: &mut ProfileBuilder) -> NameId {
        let placeholder = Placeholder::new(named, id, builder);
        self.inherited.push((named, id, placeholder));
        placeholder.0
    }
}

impl Interpreter<'_> {
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

    /// Begins a range that follows.
    pub fn for_range<'b>(&self, builder: &'b mut ProfileBuilder) -> Interpreter<'b> {
        static OPTIONS: Options = Options {
            kind: KindChoice::Trace,
            lenient: false,
            parts: Vec::new(),
            line_by_line: false,
        };
        let mut range = Interpreter::new(builder, "", &OPTIONS);
        range.columns = self.columns.clone();
        range.row.resize(range.columns.width(), 0);
        range.builder.widen(range.columns.width());
        range.range = Some(RangeIds::default());
        range
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

    /// Takes in the range that comes next, unless it depends on what precedes it by more than ids,
    /// or was not read to its end: then it has to be read again.
    pub fn join(&mut self, mut range: Interpreter<'_>, is_read: bool) -> bool {
        // Either way its sums are not needed any more, and there may be many ranges.
        let options = ProfileOptions::default();
        let sums = std::mem::replace(range.builder, ProfileBuilder::new(options));
        let is_plain = is_read && range.can_join() && !range.diagnostics.has_warnings();
        if !is_plain || !self.can_join() || !self.columns.are_like(&range.columns) {
            return false;
        }
        let ids = range.range.unwrap_or_default();
        let inherited = ids.inherited.iter().map(|&(named, id, Placeholder(name))| {
            let known = self.ids.of(named).get(id)?;
            Some((name, known))
        });
        let known: Option<HashMap<NameId, NameId>> = inherited.collect();
        let Some(names) = known.and_then(|known| self.builder.join(sums, &known)) else {
            return false;
        };
        for (named, id, name) in ids.defined {
            self.define_as(named, id, names[name.index()]);
        }
        range.current.close_block();
        range.current.rename(|name| names[name.index()]);
        self.current = range.current;
        self.position = range.position;
        self.section.open_block(range.section.has_main());
        self.diagnostics.join(&range.diagnostics);
        true
    }
}
