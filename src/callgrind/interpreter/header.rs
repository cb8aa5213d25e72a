//! Header lines, which change the state and begin runs and parts.

use super::{CurrentNames, Interpreter};
use crate::callgrind::error::{ProblemKind, WarningKind};
use crate::callgrind::line::{Position, Positions};
use crate::profile::{
    Definition, INCOMPLETE, MAX_COLUMNS, Producer, ProfileBuilder, is_overlong, summary_costs,
    words,
};

impl Interpreter<'_> {
    /// Reads a line that is not a known line of the body.
    pub(super) fn header_line(&mut self, line: &[u8]) -> Result<(), ProblemKind> {
        let Some((key, value)) = split_header(line) else {
            if !line.starts_with(b"====") {
                return Err(ProblemKind::UnknownLine);
            }
            // Xdebug's append mode: ==== NEW PROFILING FILE ====...
            self.begin_header(ProfileBuilder::begin_run);
            return Ok(());
        };
        let text = value.trim_ascii();
        self.is_profile |= match key {
            b"creator" | b"events" | b"positions" => true,
            b"version" => text.first().is_some_and(u8::is_ascii_digit),
            _ => false,
        };
        match key {
            b"version" if !is_supported(text) => return Err(ProblemKind::UnsupportedVersion),
            b"version" | b"creator" => self.begin_header(if self.section.is_trace() {
                ProfileBuilder::begin_run
            } else {
                ProfileBuilder::begin_section
            }),
            // It ends a part even if that has no cost.
            b"part" if self.section.has_body() || self.section.is_dump() => {
                self.next_section(ProfileBuilder::begin_section);
            }
            b"events" => {
                let names = event_names(value)?;
                if self.section.has_columns() {
                    // Earlier headers are about the earlier columns.
                    self.resolve_columns();
                }
                self.columns.set_events(names);
            }
            b"positions" => {
                let positions = Positions::parse(value).ok_or(ProblemKind::UnknownPositions)?;
                self.columns.set_positions(positions);
                // Relative numbers begin at 0 again.
                self.position = Position::default();
            }
            b"event" => {
                let too_many = |error| ProblemKind::TooManyFormulas(Box::new(error));
                match self.builder.define_event(value).map_err(too_many)? {
                    Definition::Known => {}
                    Definition::New => self.columns.unresolve(),
                    Definition::Ignored(event) => {
                        self.messages.warn(WarningKind::FormulaIgnored(event));
                    }
                }
            }
            b"desc" if text.starts_with(INCOMPLETE) => self.messages.warn(WarningKind::Incomplete),
            _ => {}
        }
        if let Some(producer) = Producer::of_header(key, value) {
            self.set_producer(producer);
        }
        let is_in_block = self.is_in_block();
        self.section.header(key, value, is_in_block);
        self.first_part = self.first_part.or(self.section.part_number());
        self.builder.add_header(line);
        Ok(())
    }

    /// Begins the header of a run or a part, which forgets all names. It begins a section unless the
    /// current one has no block yet.
    fn begin_header(&mut self, begin: fn(&mut ProfileBuilder)) {
        if self.section.has_body() {
            self.next_section(begin);
        }
        self.current = CurrentNames::default();
    }

    /// Sets the producer, and the kind of its blocks unless the caller has chosen one.
    fn set_producer(&mut self, producer: Producer) {
        let kind = self.options.kind.unwrap_or(producer.kind());
        self.section.set_producer(producer, kind);
        self.needs = self.builder.set_kind(kind);
        self.ids.set_kind(kind);
    }

    /// Whether the last line is a `summary:` line that is truncated: the number is less than the sum of
    /// the self costs (section 3.2.2).
    pub(super) fn is_cut_summary(&self, line: &[u8]) -> bool {
        match split_header(line) {
            Some((b"summary", value)) => {
                self.columns.selected(&summary_costs(value)) < self.builder.section_self_total()
            }
            _ => false,
        }
    }
}

/// Whether a version of the format is 0 or 1, or not that of a format: Xdebug writes its own.
fn is_supported(version: &[u8]) -> bool {
    let digits = version.iter().take_while(|byte| byte.is_ascii_digit());
    matches!(&version[..digits.count()], b"" | b"0" | b"1")
}

/// The names in the value of an `events:` line.
fn event_names(value: &[u8]) -> Result<Vec<Vec<u8>>, ProblemKind> {
    let names = words(value);
    if names.clone().count() > MAX_COLUMNS {
        return Err(ProblemKind::TooManyEvents);
    }
    if names.clone().any(is_overlong) {
        return Err(ProblemKind::EventNameTooLong);
    }
    Ok(names.map(<[u8]>::to_vec).collect())
}

/// Splits `key: value`; the key is made of letters, digits, `_` and `-`.
fn split_header(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let is_key = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
    let length = line.iter().take_while(|b| is_key(b)).count();
    match line.get(length) {
        Some(b':') if length > 0 && line[0].is_ascii_alphabetic() => {
            Some((&line[..length], &line[length + 1..]))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_told_by_their_key() {
        assert_eq!(
            split_header(b"desc: Trigger: x"),
            Some((&b"desc"[..], &b" Trigger: x"[..]))
        );
        assert_eq!(
            split_header(b"events:Ir"),
            Some((&b"events"[..], &b"Ir"[..]))
        );
        assert_eq!(split_header(b"a b: c"), None);
        assert_eq!(split_header(b": c"), None);
        assert_eq!(split_header(b"xyz=a: b"), None);
    }
}
