//! The number of the current line, and warnings about lines that are wrong, missing or truncated.

use crate::callgrind::error::{ParseError, ParseWarning, Problem, WarningKind};
use crate::warnings::Warnings;

/// The messages about an input.
#[derive(Debug, Default)]
pub(super) struct Messages {
    /// The name of the input in messages.
    pub input: String,
    /// Number of the current line, from 1.
    pub line: u64,
    pub warnings: Warnings<ParseWarning>,
    /// The numbers of shortened names, of lines given as -1, and of negative costs given as huge ones.
    pub cut_names: u64,
    pub unknown_lines: u64,
    pub unwrapped_costs: u64,
}

impl Messages {
    pub fn new(input: &str) -> Self {
        Messages {
            input: input.to_owned(),
            line: 1,
            ..Messages::default()
        }
    }

    /// Adds the counts of the lines that follow, which caused no messages.
    pub fn join(&mut self, others: &Messages) {
        self.line += others.line - 1;
        self.cut_names += others.cut_names;
        self.unknown_lines += others.unknown_lines;
        self.unwrapped_costs += others.unwrapped_costs;
    }

    /// Warns about the current line.
    pub fn warn(&mut self, kind: WarningKind) {
        self.warn_at(self.line, kind);
    }

    /// Warns about a line.
    #[cold]
    pub fn warn_at(&mut self, line: u64, kind: WarningKind) {
        let is_no_trace = |kind: &WarningKind| matches!(kind, WarningKind::NoTrace);
        if is_no_trace(&kind) && self.warnings.count(|said| is_no_trace(&said.kind)) > 0 {
            return;
        }
        let input = self.input.clone();
        self.warnings.push(ParseWarning { input, line, kind });
    }

    /// An error in the current line.
    pub fn error(&self, problem: impl Into<Problem>) -> ParseError {
        ParseError {
            input: self.input.clone(),
            line: self.line,
            problem: problem.into(),
        }
    }

    /// Ends the input, and returns all warnings.
    pub fn finish(&mut self) -> Warnings<ParseWarning> {
        let counted = [
            (self.cut_names, WarningKind::CutNames(self.cut_names)),
            (
                self.unknown_lines,
                WarningKind::UnknownLines(self.unknown_lines),
            ),
            (
                self.unwrapped_costs,
                WarningKind::UnwrappedCosts(self.unwrapped_costs),
            ),
        ];
        for (count, warning) in counted {
            if count > 0 {
                self.warn(warning);
            }
        }
        std::mem::take(&mut self.warnings)
    }
}
