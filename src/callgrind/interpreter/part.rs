//! A part of a trace that is read before it is known what precedes it.
//!
//! It begins with a block, and holds nothing but blocks. Ids that it does not define stand for names
//! of their own, until it is joined with what precedes it.

use std::collections::HashMap;

use super::columns::FastPath;
use super::costs::Expect;
use super::{Interpreter, line_end};
use crate::callgrind::line::Named;
use crate::callgrind::{KindChoice, Options};
use crate::profile::{NameId, ProfileBuilder, ProfileOptions};

/// An id, and what it stands for.
type Id = (Named, u64, NameId);

/// What the ids of a part stand for.
#[derive(Debug, Default)]
pub(super) struct PartIds {
    /// Those of before, with the names that stand for theirs.
    pub before: Vec<Id>,
    /// Definitions, in their order.
    pub defined: Vec<Id>,
}

impl Interpreter<'_> {
    /// Whether parts can be joined that follow the lines so far.
    pub fn can_join(&self) -> bool {
        self.memo.is_some()
            && self.section.is_trace()
            && self.part_filters.is_empty()
            && matches!(
                self.columns.fast_path(),
                FastPath::Records | FastPath::ShortLines
            )
            && !self.builder.matches_calls()
            && self.in_force.is_plain()
            && matches!(self.expect, Expect::OwnCost)
            && !self.diagnostics.holds_error()
    }

    /// Begins a part that follows.
    pub fn part<'b>(&self, builder: &'b mut ProfileBuilder) -> Interpreter<'b> {
        static OPTIONS: Options = Options {
            kind: KindChoice::Trace,
            lenient: false,
            parts: Vec::new(),
            line_by_line: false,
        };
        let mut part = Interpreter::new(builder, "", &OPTIONS);
        part.columns = self.columns.clone();
        part.row.resize(part.columns.width(), 0);
        part.builder.widen(part.columns.width());
        part.part = Some(PartIds::default());
        part
    }

    /// Whether a line of a part means the same whatever precedes the part.
    pub(super) fn is_usual(&self, line: &[u8]) -> bool {
        const KEYS: [&[u8]; 5] = [b"fl=(", b"fn=(", b"cfl=(", b"cfn=(", b"calls=1 0 0\n"];
        match line[0] {
            b'\n' => true,
            b'0'..=b'9' => self.in_force.calls_from_own_file(),
            // Names that are put together need the ids of others.
            _ => {
                let line = &line[..line_end(line, 0)];
                let name = line.split(|&byte| byte == b')').nth(1).unwrap_or_default();
                KEYS.iter().any(|key| line.starts_with(key))
                    && !name.trim_ascii_start().starts_with(b"(")
            }
        }
    }

    /// Takes in the part that comes next, unless there is anything unusual about it: then it has to
    /// be read again.
    pub fn join(&mut self, mut part: Interpreter<'_>) -> bool {
        let options = ProfileOptions::default();
        let sums = std::mem::replace(part.builder, ProfileBuilder::new(options));
        let is_usual = part.can_join() && !part.diagnostics.has_warnings();
        if !is_usual || !self.can_join() || !self.columns.are_like(&part.columns) {
            return false;
        }
        let ids = part.part.unwrap_or_default();
        let before = ids.before.iter().map(|&(named, id, name)| {
            let known = self.ids.of(named).get(id)?;
            Some((name, known))
        });
        let known: Option<HashMap<NameId, NameId>> = before.collect();
        let Some(names) = known.and_then(|known| self.builder.join(sums, &known)) else {
            return false;
        };
        for (named, id, name) in ids.defined {
            self.define_as(named, id, names[name.index()]);
        }
        part.in_force.close_block();
        part.in_force.rename(|name| names[name.index()]);
        self.in_force = part.in_force;
        self.position = part.position;
        self.section.open_block(part.section.has_main());
        self.diagnostics.join(&part.diagnostics);
        true
    }
}
