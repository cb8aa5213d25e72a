//! The number of the current line, and warnings about lines that are wrong, missing or cut off.

use crate::callgrind::error::{Error, Problem, ProblemKind, Warning, WarningKind};
use crate::display::text::excerpt;
use crate::warnings::Warnings;

/// The messages about an input.
#[derive(Debug, Default)]
pub(super) struct Diagnostics {
    input: String,
    /// Number of the current line, from 1.
    line: u64,
    is_lenient: bool,
    /// The first line that is not blank; `None` before it.
    first_line: Option<String>,
    /// An error in the previous line, which becomes a warning if the current line begins a run.
    held: Option<Error>,
    warnings: Warnings<Warning>,
    /// The numbers of shortened names, of lines given as -1, and of negative costs given as huge ones.
    pub cut_names: u64,
    pub unknown_lines: u64,
    pub unwrapped_costs: u64,
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

    /// The name of the input in messages.
    pub fn input(&self) -> &str {
        &self.input
    }

    /// Stores the first line that is not blank.
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

    /// Counts lines that were read or skipped.
    #[inline]
    pub fn pass_lines(&mut self, count: u64) {
        self.line += count;
    }

    /// Whether unreadable lines are skipped.
    pub fn is_lenient(&self) -> bool {
        self.is_lenient
    }

    /// Goes back to the last line of the input, for messages at its end.
    pub fn go_to_last_line(&mut self) {
        self.line = self.line.saturating_sub(1).max(1);
    }

    /// Skips a line with a warning, if the caller is lenient. Otherwise holds the error until the next
    /// line: a killed run may end within any line, and in Xdebug's append mode the next run follows.
    #[cold]
    pub fn skip_or_hold(&mut self, problem: Problem) {
        if self.is_lenient {
            self.warn(WarningKind::Skipped(problem));
        } else {
            self.held = Some(self.error(problem));
        }
    }

    /// Whether an error is held until the next line.
    #[inline]
    pub fn holds_error(&self) -> bool {
        self.held.is_some()
    }

    pub fn has_warnings(&self) -> bool {
        !self.warnings.is_empty()
    }

    /// Adds the counts of the lines that follow, which caused no messages.
    pub fn join(&mut self, others: &Diagnostics) {
        self.line += others.line - 1;
        self.cut_names += others.cut_names;
        self.unknown_lines += others.unknown_lines;
        self.unwrapped_costs += others.unwrapped_costs;
    }

    /// Fails with the held error, if any.
    pub fn take_held(&mut self) -> Result<(), Error> {
        self.held.take().map_or(Ok(()), Err)
    }

    /// Warns that a run is cut off at the line of an error.
    pub fn warn_cut_line(&mut self, error: Error) {
        let line = std::mem::replace(&mut self.line, error.line);
        let found = error.problem.found.unwrap_or_default();
        self.warn(WarningKind::CutLine(found));
        self.line = line;
    }

    /// Warns about the current line.
    #[cold]
    pub fn warn(&mut self, kind: WarningKind) {
        let is_no_trace = |kind: &WarningKind| matches!(kind, WarningKind::NoTrace);
        if is_no_trace(&kind) && self.warnings.count(|said| is_no_trace(&said.kind)) > 0 {
            return;
        }
        self.warnings.push(Warning {
            input: self.input.clone(),
            line: self.line,
            kind,
        });
    }

    /// An error in the current line.
    pub fn error(&self, problem: Problem) -> Error {
        Error {
            input: self.input.clone(),
            line: self.line,
            problem,
        }
    }

    /// The error for an input that is not a profile.
    pub fn no_profile(&self) -> Error {
        let problem = Problem {
            kind: ProblemKind::NotAProfile,
            found: Some(self.first_line.clone().unwrap_or_default()),
        };
        Error {
            line: 1,
            ..self.error(problem)
        }
    }

    /// The error for an input without data.
    pub fn no_data(&self) -> Error {
        let skipped = self.warnings.count(|warning| warning.kind.is_skipped());
        self.error(ProblemKind::NoData(skipped).into())
    }

    /// Returns all warnings.
    pub fn finish(&mut self) -> Warnings<Warning> {
        if self.cut_names > 0 {
            self.warn(WarningKind::CutNames(self.cut_names));
        }
        if self.unknown_lines > 0 {
            self.warn(WarningKind::UnknownLines(self.unknown_lines));
        }
        if self.unwrapped_costs > 0 {
            self.warn(WarningKind::UnwrappedCosts(self.unwrapped_costs));
        }
        std::mem::take(&mut self.warnings)
    }
}
