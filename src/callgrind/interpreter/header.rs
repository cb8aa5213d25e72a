//! Header lines, which change the state and begin runs and parts.

use super::Interpreter;
use crate::callgrind::error::{ProblemKind, WarningKind};
use crate::callgrind::line::{Position, Positions};
use crate::profile::{
    BlockKind, Definition, INCOMPLETE, MAX_COLUMNS, Producer, ProfileBuilder, is_overlong,
    summary_costs,
};

impl Interpreter<'_> {
    /// Reads a line that is not a known line of the body.
    pub(super) fn header_line(&mut self, line: &[u8]) -> Result<(), ProblemKind> {
        let Some((key, value)) = split_header(line) else {
            if line.starts_with(b"====") {
                // Xdebug's append mode: ==== NEW PROFILING FILE ====...
                self.begin_header(ProfileBuilder::begin_run);
                return Ok(());
            }
            return Err(ProblemKind::UnknownLine);
        };
        // A run of a trace, or a part of an aggregate.
        let begin = match self.section.is_trace() {
            true => ProfileBuilder::begin_run,
            false => ProfileBuilder::begin_section,
        };
        match key {
            b"events" => {
                check_events(value)?;
                if self.section.events() {
                    // Earlier headers are about the earlier columns.
                    self.resolve_columns();
                }
                self.columns.set_events(value);
                self.is_profile = true;
            }
            b"summary" => {
                self.section.summary(value, self.current.is_in_block());
            }
            b"positions" => {
                let positions = Positions::parse(value).ok_or(ProblemKind::UnknownPositions)?;
                self.columns.set_positions(positions);
                // Relative numbers begin at 0 again.
                self.position = Position::default();
                self.is_profile = true;
            }
            b"event" => {
                let too_many = |error| ProblemKind::TooManyFormulas(Box::new(error));
                match self.builder.define_event(value).map_err(too_many)? {
                    Definition::Known => {}
                    Definition::New => self.columns.unresolve(),
                    Definition::Ignored(event) => {
                        self.diagnostics.warn(WarningKind::FormulaIgnored(event));
                    }
                }
            }
            b"version" => {
                let is_numbered = check_version(value)?;
                self.is_profile |= is_numbered;
                self.begin_header(begin);
            }
            b"creator" => {
                self.begin_header(begin);
                self.is_profile = true;
            }
            b"part" => self.begin_part(),
            b"desc" if value.trim_ascii_start().starts_with(INCOMPLETE) => {
                self.diagnostics.warn(WarningKind::Incomplete);
            }
            _ => {}
        }
        if let Some(producer) = Producer::of_header(key, value) {
            self.set_producer(producer);
        }
        self.section.header(key, value);
        self.first_part = self.first_part.or(self.section.part_number());
        self.builder.add_header(line);
        Ok(())
    }

    /// Sets the producer, and the kind of its blocks unless the caller has chosen one.
    fn set_producer(&mut self, producer: Producer) {
        let kind = producer.kind();
        if self.section.set_producer(producer) {
            self.builder.set_kind(kind);
            if kind == BlockKind::Trace {
                self.ids.forget_functions();
            }
        }
    }

    /// Whether the last line is a `summary:` line that is cut off: the number is less than the sum of
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

/// Checks the value of an `events:` line.
fn check_events(value: &[u8]) -> Result<(), ProblemKind> {
    let mut names = value
        .split(u8::is_ascii_whitespace)
        .filter(|name| !name.is_empty());
    if names.clone().count() > MAX_COLUMNS {
        return Err(ProblemKind::TooManyEvents);
    }
    if names.any(is_overlong) {
        return Err(ProblemKind::EventNameTooLong);
    }
    Ok(())
}

/// Checks the value of a `version:` line, and returns whether it is a number.
fn check_version(value: &[u8]) -> Result<bool, ProblemKind> {
    let mut parts = value.trim_ascii().split(|byte| !byte.is_ascii_digit());
    match parts.next().unwrap_or_default() {
        b"" => Ok(false),
        b"0" | b"1" => Ok(true),
        _ => Err(ProblemKind::UnsupportedVersion),
    }
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
