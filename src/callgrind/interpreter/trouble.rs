//! What there is to say about lines that are wrong, missing or cut off.

use super::{Interpreter, LISTED, NEW_RUN};
use crate::callgrind::error::{Error, Problem, Warning, WarningKind};
use crate::text::excerpt;

impl Interpreter<'_> {
    /// Decides on an error by the line after it: a run that was killed may end within any line,
    /// and in Xdebug's append mode the next run follows it.
    #[cold]
    pub(super) fn release(&mut self, next: &[u8]) -> Result<(), Error> {
        match self.held.take() {
            Some(error) if next.starts_with(NEW_RUN) => {
                let found = error.problem.found().unwrap_or_default().to_owned();
                let next_line = std::mem::replace(&mut self.line, error.line);
                self.warn_cut(WarningKind::CutLine { found });
                self.line = next_line;
                Ok(())
            }
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    pub(super) fn warn_cut(&mut self, kind: WarningKind) {
        if !self.run.is_cut {
            self.run.is_cut = true;
            self.warn(kind);
        }
    }

    /// Leaves a line out if the caller is lenient.
    pub fn skip(&mut self, problem: Problem) -> Result<(), Error> {
        if !self.options.lenient {
            return Err(self.error(problem));
        }
        self.skipped += 1;
        if self.skipped <= LISTED as u64 {
            self.warn(WarningKind::Skipped(problem));
        }
        Ok(())
    }

    /// Counts a line that was not read.
    pub fn pass_line(&mut self) {
        self.line += 1;
    }

    pub(super) fn count_warnings(&mut self) {
        let beyond = |count: usize| match count.saturating_sub(LISTED) {
            0 => None,
            more => Some(more as u64),
        };
        let more = [
            beyond(self.undefined_ids).map(|count| WarningKind::MoreUndefinedIds { count }),
            beyond(self.cuts).map(|count| WarningKind::MoreCuts { count }),
            beyond(self.absences).map(|count| WarningKind::MoreAbsences { count }),
        ];
        more.into_iter().flatten().for_each(|kind| self.warn(kind));
        if self.unknown_lines > 0 {
            self.warn(WarningKind::UnknownLines {
                count: self.unknown_lines,
            });
        }
        if self.skipped > LISTED as u64 {
            self.warn(WarningKind::SkippedInAll {
                count: self.skipped,
                listed: LISTED,
            });
        }
    }

    pub(super) fn warn_absent(&mut self) {
        let columns = self.columns.iter().flatten();
        let available: Vec<_> = columns.map(|name| excerpt(name)).collect();
        let available = available.join(", ");
        let event = excerpt(self.builder.selected_event());
        self.warn(WarningKind::EventAbsent { event, available });
    }

    pub(super) fn warn(&mut self, kind: WarningKind) {
        // A file can have any number of runs and parts.
        let count = match kind {
            WarningKind::CutLine { .. }
            | WarningKind::CutCall
            | WarningKind::CutBlock { .. }
            | WarningKind::CutRun
            | WarningKind::CutPart => Some(&mut self.cuts),
            WarningKind::EventAbsent { .. } => Some(&mut self.absences),
            _ => None,
        };
        if let Some(count) = count {
            *count += 1;
            if *count > LISTED {
                return;
            }
        }
        self.warnings.push(Warning {
            input: self.input.to_owned(),
            line: self.line,
            kind,
        });
    }

    pub fn error(&self, problem: Problem) -> Error {
        Error {
            input: self.input.to_owned(),
            line: self.line,
            problem,
        }
    }
}
