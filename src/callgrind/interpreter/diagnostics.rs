//! The current line, and warnings about lines that are wrong, missing or cut off.

use crate::callgrind::error::{Error, Problem, ProblemKind, Warning, WarningKind};
use crate::display::text::excerpt;
use crate::warnings::Warnings;

/// Everything that is said about an input.
#[derive(Debug, Default)]
pub(super) struct Diagnostics {
    input: String,
    /// Number of the line that is being read, from 1.
    line: u64,
    is_lenient: bool,
    /// The first line that is not blank; `None` before it.
    first_line: Option<String>,
    /// An error that is none if a new run begins right after it.
    held: Option<Error>,
    warnings: Warnings<Warning>,
    /// How many names were cut, lines given as -1, and self costs as huge numbers.
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

    /// What messages call the input.
    pub fn input(&self) -> &str {
        &self.input
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

    /// Whether lines that cannot be read are left out.
    pub fn is_lenient(&self) -> bool {
        self.is_lenient
    }

    /// Goes back to the last line: what is said from here on is said of it.
    pub fn go_to_last_line(&mut self) {
        self.line = self.line.saturating_sub(1).max(1);
    }

    /// Leaves a line out or, if the caller is not lenient, keeps the error for the line after it to
    /// decide: a run that was killed may end within any line, and in Xdebug's append mode the next
    /// run follows it.
    #[cold]
    pub fn skip_or_hold(&mut self, problem: Problem) {
        if self.is_lenient {
            self.warn(WarningKind::Skipped(problem));
        } else {
            self.held = Some(self.error(problem));
        }
    }

    /// Whether there is an error that the next line decides on.
    #[inline]
    pub fn holds_error(&self) -> bool {
        self.held.is_some()
    }

    pub fn has_warnings(&self) -> bool {
        !self.warnings.is_empty()
    }

    /// Counts what others, about which nothing was said, have counted in the lines that follow.
    pub fn join(&mut self, others: &Diagnostics) {
        self.line += others.line - 1;
        self.cut_names += others.cut_names;
        self.unknown_lines += others.unknown_lines;
        self.unwrapped_costs += others.unwrapped_costs;
    }

    /// Fails with the error that is held, if there is one.
    pub fn take_held(&mut self) -> Result<(), Error> {
        self.held.take().map_or(Ok(()), Err)
    }

    /// Marks that a run is cut off where there was an error.
    pub fn warn_cut_line(&mut self, error: Error) {
        let line = std::mem::replace(&mut self.line, error.line);
        let found = error.problem.found.unwrap_or_default();
        self.warn(WarningKind::CutLine(found));
        self.line = line;
    }

    /// Says something about the line that is being read.
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
        let problem = Problem {
            kind: ProblemKind::NotAProfile,
            found: Some(self.first_line.clone().unwrap_or_default()),
        };
        Error {
            line: 1,
            ..self.error(problem)
        }
    }

    /// The error that the input has no data.
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
