//! The current line, and warnings about lines that are wrong, missing or cut off.

use crate::callgrind::error::{Error, Problem, ProblemKind, Warning, WarningKind};
use crate::shown::MOST_LISTED;
use crate::shown::text::excerpt;

/// Everything that is said about an input.
#[derive(Debug, Default)]
pub(super) struct Diagnostics {
    input: String,
    /// Number of the line that is being read, from 1.
    line: u64,
    is_lenient: bool,
    /// The first line that is not blank; none before it.
    first_line: Option<String>,
    /// An error that is none if a new run begins right after it.
    held: Option<Error>,
    warnings: Vec<Warning>,
    skipped: u64,
    undefined_ids: u64,
    /// Runs and parts that are cut off, and wanted events that runs and parts do not have.
    cuts: u64,
    absences: u64,
    unknown_lines: u64,
    unwrapped_costs: u64,
    is_no_trace: bool,
}

impl Diagnostics {
    pub fn new(input: &str, is_lenient: bool) -> Self {
        Diagnostics {
            input: input.to_owned(),
            line: 1,
            is_lenient,
            ..Diagnostics::default()
        }
    }

    /// Notes how the input begins.
    #[inline]
    pub fn note_beginning(&mut self, data: &[u8]) {
        if self.first_line.is_none() {
            let mut lines = data.split(|&byte| byte == b'\n');
            let first = lines.find(|line| {
                let line = line.strip_suffix(b"\r").unwrap_or(line);
                line.iter().any(|byte| !b" \t".contains(byte))
            });
            self.first_line = first.map(|line| excerpt(line.trim_ascii_start()));
        }
    }

    /// Counts lines that were read or passed over.
    #[inline]
    pub fn pass_lines(&mut self, count: u64) {
        self.line += count;
    }

    /// Goes back to the last line: what is said from here on is said of it.
    pub fn go_to_last_line(&mut self) {
        self.line = self.line.saturating_sub(1).max(1);
    }

    /// Leaves a line out if the caller is lenient.
    pub fn skip(&mut self, problem: Problem) -> Result<(), Error> {
        if !self.is_lenient {
            return Err(self.error(problem));
        }
        self.warn_skipped(WarningKind::Skipped(problem));
        Ok(())
    }

    /// Leaves a line out or, if the caller is not lenient, keeps the error for the line after it to
    /// decide: a run that was killed may end within any line, and in Xdebug's append mode the next
    /// run follows it.
    #[cold]
    pub fn skip_or_hold(&mut self, problem: Problem) {
        if let Err(error) = self.skip(problem) {
            self.held = Some(error);
        }
    }

    /// Says that the cost of a call was left out with the line that names the call.
    #[cold]
    pub fn skip_call_cost(&mut self) {
        self.warn_skipped(WarningKind::SkippedCallCost);
    }

    fn warn_skipped(&mut self, kind: WarningKind) {
        self.skipped += 1;
        if self.skipped <= MOST_LISTED {
            self.warn(kind);
        }
    }

    /// Whether there is an error that the next line decides on.
    #[inline]
    pub fn holds_error(&self) -> bool {
        self.held.is_some()
    }

    /// Fails with the error that is held, if there is one.
    pub fn take_held(&mut self) -> Result<(), Error> {
        self.held.take().map_or(Ok(()), Err)
    }

    /// Says that a run is cut off where there was an error.
    pub fn warn_cut_line(&mut self, error: Error) {
        let line = std::mem::replace(&mut self.line, error.line);
        self.warn_cut(WarningKind::CutLine(error.problem.into_found()));
        self.line = line;
    }

    /// Says that a run or part is cut off.
    pub fn warn_cut(&mut self, kind: WarningKind) {
        // A file can have any number of runs and parts.
        self.cuts += 1;
        if self.cuts <= MOST_LISTED {
            self.warn(kind);
        }
    }

    /// Says that a wanted event is missing from here on.
    pub fn warn_absent(&mut self, event: &[u8], available: &str) {
        self.absences += 1;
        if self.absences <= MOST_LISTED {
            self.warn(WarningKind::EventAbsent {
                event: excerpt(event),
                available: available.to_owned(),
            });
        }
    }

    /// Says that an id was never defined.
    pub fn warn_undefined_id(&mut self, name: String) {
        self.undefined_ids += 1;
        if self.undefined_ids <= MOST_LISTED {
            self.warn(WarningKind::UndefinedId(name));
        }
    }

    /// Says, once, that what is read as a trace is none.
    pub fn warn_no_trace(&mut self) {
        if !std::mem::replace(&mut self.is_no_trace, true) {
            self.warn(WarningKind::NoTrace);
        }
    }

    /// Counts a line number of -1.
    #[cold]
    pub fn count_unknown_line(&mut self) {
        self.unknown_lines += 1;
    }

    /// Counts a negative cost that was spelled as a huge one.
    #[cold]
    pub fn count_unwrapped_cost(&mut self) {
        self.unwrapped_costs += 1;
    }

    fn warn(&mut self, kind: WarningKind) {
        self.warnings.push(Warning {
            input: self.input.clone(),
            line: self.line,
            kind,
        });
    }

    /// An error in the line that is being read.
    pub fn error(&self, problem: Problem) -> Error {
        Error {
            input: self.input.clone(),
            line: self.line,
            problem,
        }
    }

    /// The error that the input is no profile at all.
    pub fn no_profile(&self) -> Error {
        let found = self.first_line.clone().unwrap_or_default();
        Error {
            input: self.input.clone(),
            line: 1,
            problem: Problem::with(ProblemKind::NotAProfile, found),
        }
    }

    /// The error that the input has no data.
    pub fn no_data(&self) -> Error {
        self.error(ProblemKind::NoData(self.skipped).into())
    }

    /// Returns all warnings, with those that count others.
    pub fn finish(&mut self) -> Vec<Warning> {
        let more = |count: u64| Some(count.saturating_sub(MOST_LISTED)).filter(|&more| more > 0);
        let some = |count: u64| Some(count).filter(|&count| count > 0);
        let counts = [
            more(self.undefined_ids).map(WarningKind::MoreUndefinedIds),
            more(self.cuts).map(WarningKind::MoreCuts),
            more(self.absences).map(WarningKind::MoreAbsences),
            some(self.unknown_lines).map(WarningKind::UnknownLines),
            some(self.unwrapped_costs).map(WarningKind::UnwrappedCosts),
            more(self.skipped).map(|_| WarningKind::SkippedInAll {
                count: self.skipped,
                listed: MOST_LISTED,
            }),
        ];
        for kind in counts.into_iter().flatten() {
            self.warn(kind);
        }
        std::mem::take(&mut self.warnings)
    }
}
