//! Header lines: what they change, and which runs and parts they begin.

use super::Interpreter;
use crate::callgrind::error::{Problem, WarningKind};
use crate::callgrind::lexer::Cursor;
use crate::callgrind::position::Positions;
use crate::profile::{Cost, Kind, NameId, RawHeader};
use crate::text::excerpt;

/// The function that spans a whole run in Xdebug's traces.
pub(super) const MAIN: &[u8] = b"{main}";

/// What is known of the section that is being read: a run, or a part.
#[derive(Debug, Default)]
pub(super) struct Run {
    /// Whether a warning has said already that it is cut off.
    pub is_cut: bool,
    /// Whether a `summary:` line says that its last block has ended.
    pub is_summed_up: bool,
    /// Whether Valgrind writes it, who ends each part with a `totals:` line.
    expects_totals: bool,
    has_totals: bool,
    /// Whether there was an `events:` line.
    has_events: bool,
    has_summary: bool,
    /// Blocks of `{main}`.
    pub mains: u64,
}

/// How a section ends.
#[derive(Clone, Copy, Debug)]
pub(super) enum Tail {
    /// After a whole block, as far as one can see.
    Closed,
    /// After the `fn=` of a block that did not begin.
    Begun,
    /// Within the block of this function, perhaps: nothing shows that it has ended.
    Open(NameId),
}

impl Interpreter<'_> {
    /// Reads a line that is no known body line.
    pub(super) fn header_line(&mut self, line: &[u8]) -> Result<(), Problem> {
        let Some((key, value)) = split_header(line) else {
            if line.starts_with(b"====") {
                // Xdebug's append mode: ==== NEW PROFILING FILE ====...
                self.begin_run();
                return Ok(());
            }
            let found = excerpt(line);
            return Err(Problem::UnknownLine { found });
        };
        let raw = match key {
            b"events" => {
                self.set_columns(value);
                RawHeader::Events
            }
            b"summary" => {
                // Since 2.8 Xdebug sums up behind the last block; before, within it.
                self.run.is_summed_up |= self.is_in_block();
                self.run.has_summary = true;
                self.unsettle();
                RawHeader::Summary(numbers(value))
            }
            b"positions" => {
                let positions = Positions::parse(value).ok_or_else(|| {
                    let found = excerpt(line);
                    Problem::UnknownPositions { found }
                })?;
                self.set_positions(positions);
                RawHeader::Other
            }
            b"event" => {
                self.reselect |= self.builder.define_event(value);
                self.unsettle();
                RawHeader::Other
            }
            b"version" => {
                self.version(line, value)?;
                RawHeader::Other
            }
            b"creator" => {
                self.creator(value);
                RawHeader::Other
            }
            b"part" => {
                self.begin_part();
                RawHeader::Other
            }
            b"totals" => {
                self.run.has_totals = true;
                RawHeader::Other
            }
            _ => RawHeader::Other,
        };
        self.builder.add_header(line, raw);
        Ok(())
    }

    fn set_columns(&mut self, value: &[u8]) {
        // Headers that came before speak of the columns before.
        let follows_others = self.section_has_body || self.run.has_events;
        if self.unsettled && self.columns.is_some() && follows_others {
            self.settle();
        }
        self.run.has_events = true;
        let names = value.split(u8::is_ascii_whitespace);
        let names = names.filter(|name| !name.is_empty());
        self.columns = Some(names.map(<[u8]>::to_vec).collect());
        self.reselect = true;
        self.unsettle();
    }

    fn version(&mut self, line: &[u8], value: &[u8]) -> Result<(), Problem> {
        let value = value.trim_ascii();
        let digits = value.iter().take_while(|b| b.is_ascii_digit()).count();
        let major = value[..digits].trim_ascii_start();
        if !matches!(major, b"" | b"0" | b"1") {
            let found = excerpt(line);
            return Err(Problem::UnsupportedVersion { found });
        }
        self.begin_run();
        if value == b"0.9.6" {
            // Xdebug up to 2.1.0, which names no creator.
            self.tell_kind(Kind::Trace);
        }
        Ok(())
    }

    fn creator(&mut self, value: &[u8]) {
        self.begin_run();
        let value = value.trim_ascii();
        self.run.expects_totals = value.starts_with(b"callgrind-");
        self.tell_kind(if value.starts_with(b"xdebug") {
            Kind::Trace
        } else {
            Kind::Aggregate
        });
    }

    /// Begins a run, in a section of its own unless the one that there is has no body yet.
    ///
    /// Names that were in force, even without a cost, are not those of this run.
    fn begin_run(&mut self) {
        self.begin_part();
        self.forget_names();
    }

    fn begin_part(&mut self) {
        if !self.section_has_body {
            return;
        }
        self.end_section(Tail::Closed);
        if self.unsettled && self.columns.is_some() {
            self.settle();
        }
        self.builder.begin_section();
        self.heads.forget();
        self.close_block();
        self.section_has_body = false;
        self.run = Run {
            expects_totals: self.run.expects_totals,
            ..Run::default()
        };
    }

    /// Says if a section was cut off.
    pub(super) fn end_section(&mut self, tail: Tail) {
        if self.run.is_cut {
            return;
        }
        if self.builder.kind() == Kind::Aggregate {
            if self.run.expects_totals && !self.run.has_totals {
                self.warn(WarningKind::CutPart);
            }
            return;
        }
        match tail {
            Tail::Open(name) => {
                let function = self.function_text(name);
                self.warn(WarningKind::CutBlock { function });
            }
            Tail::Begun => self.warn(WarningKind::CutRun),
            Tail::Closed => {
                let has_main = self.run.mains > 0;
                if !has_main && !self.run.has_summary {
                    self.warn(WarningKind::CutRun);
                }
            }
        }
    }

    /// Whether the input ends within a `summary:` line, so that its number is too small.
    ///
    /// A summary is never less than the self costs that it sums up (section 3.2.2).
    pub(super) fn is_cut_summary(&mut self, line: &[u8]) -> bool {
        let Some((b"summary", value)) = split_header(line) else {
            return false;
        };
        self.builder.close_block();
        let total = self.builder.section_self_total();
        self.selected_cost(&numbers(value)) < total
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

/// The numbers of a `summary:` line, up to the first that is none.
fn numbers(value: &[u8]) -> Vec<Cost> {
    let value = [value, b"\n"].concat();
    let mut cursor = Cursor::new(&value, 0);
    let mut numbers = Vec::new();
    loop {
        cursor.skip_blanks();
        match cursor.cost() {
            Ok(number) => numbers.push(number),
            Err(_) => return numbers,
        }
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

    #[test]
    fn summaries_are_read_as_far_as_they_are_numbers() {
        assert_eq!(numbers(b" 36163 -433456"), [36163, -433_456]);
        assert_eq!(numbers(b" 0x10 7 x 8"), [16, 7]);
        assert_eq!(numbers(b""), [0; 0]);
    }
}
