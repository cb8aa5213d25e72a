//! The current line, and warnings about lines that are wrong, missing or cut off.

use std::collections::HashMap;
use std::mem::Discriminant;

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
    /// Whether the input begins as gzip and zstd do.
    is_compressed: bool,
    /// An error that is none if a new run begins right after it.
    held: Option<Error>,
    warnings: Vec<Warning>,
    /// How many warnings of each kind there were, those included that are not listed.
    counts: HashMap<Discriminant<WarningKind>, u64>,
    unknown_lines: u64,
    unwrapped_costs: u64,
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
            self.is_compressed =
                data.starts_with(b"\x1f\x8b") || data.starts_with(b"\x28\xb5\x2f\xfd");
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
        self.unknown_lines += others.unknown_lines;
        self.unwrapped_costs += others.unwrapped_costs;
    }

    /// Fails with the error that is held, if there is one.
    pub fn take_held(&mut self) -> Result<(), Error> {
        self.held.take().map_or(Ok(()), Err)
    }

    /// Says that a run is cut off where there was an error.
    pub fn warn_cut_line(&mut self, error: Error) {
        let line = std::mem::replace(&mut self.line, error.line);
        self.warn(WarningKind::CutLine(error.problem.into_found()));
        self.line = line;
    }

    /// Says something about the line that is being read, unless that has been said often enough: a
    /// file can have any number of lines that are wrong, of ids, runs and parts.
    #[cold]
    pub fn warn(&mut self, kind: WarningKind) {
        let (of_kind, _) = kind.kind_and_count();
        let count = self.counts.entry(of_kind).or_insert(0);
        *count += 1;
        let most = match kind {
            WarningKind::NoTrace => 1,
            _ => MOST_LISTED,
        };
        if *count <= most {
            self.list(kind);
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

    fn list(&mut self, kind: WarningKind) {
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
            problem: match self.is_compressed {
                true => ProblemKind::Compressed.into(),
                false => problem,
            },
        }
    }

    /// The error that the input is no profile at all.
    pub fn no_profile(&self) -> Error {
        let found = self.first_line.clone().unwrap_or_default();
        let line = 1;
        let problem = Problem::with(ProblemKind::NotAProfile, found);
        Error {
            line,
            ..self.error(problem)
        }
    }

    /// The error that the input has no data.
    pub fn no_data(&self) -> Error {
        self.error(ProblemKind::NoData(self.count(&WarningKind::SkippedCallCost)).into())
    }

    /// How many warnings of the kind of this one there were.
    fn count(&self, kind: &WarningKind) -> u64 {
        let (of_kind, _) = kind.kind_and_count();
        self.counts.get(&of_kind).copied().unwrap_or(0)
    }

    /// Returns all warnings, with those that count others.
    pub fn finish(&mut self) -> Vec<Warning> {
        let some = |count: u64| Some(count).filter(|&count| count > 0);
        let more = |kind: fn(u64) -> WarningKind| {
            let count = self.count(&kind(0)).saturating_sub(MOST_LISTED);
            some(count).map(kind)
        };
        let counts = [
            more(WarningKind::MoreUndefinedIds),
            more(WarningKind::MoreCuts),
            more(WarningKind::MoreAbsences),
            some(self.unknown_lines).map(WarningKind::UnknownLines),
            some(self.unwrapped_costs).map(WarningKind::UnwrappedCosts),
            more(|more| WarningKind::SkippedInAll(more + MOST_LISTED)),
        ];
        for kind in counts.into_iter().flatten() {
            self.list(kind);
        }
        std::mem::take(&mut self.warnings)
    }
}
