//! Errors and warnings of the callgrind reader, with their places.

use std::fmt;
use std::io;

use thiserror::Error;

/// A profile that cannot be read, with the place where that shows.
#[derive(Debug)]
pub struct Error {
    /// Name of the input, as the user knows it.
    pub input: String,
    /// Number of the line, from 1.
    pub line: u64,
    /// What is wrong there.
    pub problem: Problem,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.problem {
            Problem::Empty => write!(f, "{}: {}", self.input, self.problem),
            _ => write!(f, "{}:{}: {}", self.input, self.line, self.problem),
        }
    }
}

impl std::error::Error for Error {
    /// The cause of the problem; the message already contains that of the problem itself.
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.problem.source()
    }
}

/// What is wrong with a line.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Problem {
    /// A cost line where no columns are known yet.
    #[error("cost line before any \"events:\" header (found \"{found}\")")]
    CostBeforeEvents {
        /// The line.
        found: String,
    },
    /// A cost or `calls=` line before any `fn=`.
    #[error("cost outside of any function: expected \"fn=\" before it (found \"{found}\")")]
    CostOutsideFunction {
        /// The line.
        found: String,
    },
    /// A line has more costs than there are events.
    #[error(
        "more costs than events: expected at most {events} after the position (found \"{found}\")"
    )]
    TooManyCosts {
        /// Number of events.
        events: usize,
        /// The line.
        found: String,
    },
    /// A cost line has fewer numbers than there are positions.
    #[error(
        "cost line without its position: expected {positions} position numbers (found \"{found}\")"
    )]
    MissingPosition {
        /// Number of positions that `positions:` names.
        positions: usize,
        /// The line.
        found: String,
    },
    /// Something else stands where a number belongs.
    #[error("expected a number (found \"{found}\")")]
    NotANumber {
        /// The line, from the offending place on.
        found: String,
    },
    /// A number of more than 64 bits.
    #[error("number over 64 bits: expected at most 18446744073709551615 (found \"{found}\")")]
    NumberTooLarge {
        /// The line, from the offending place on.
        found: String,
    },
    /// A relative position that leads below 0.
    #[error("negative position: the position before it is only {base} (found \"{found}\")")]
    NegativePosition {
        /// What the number is relative to.
        base: u64,
        /// The line, from the offending place on.
        found: String,
    },
    /// A `version:` header above 1.
    #[error("unsupported version of the callgrind format: expected 0 or 1 (found \"{found}\")")]
    UnsupportedVersion {
        /// The header.
        found: String,
    },
    /// A `positions:` header that names something else than `instr`, `bb` and `line`, or twice.
    #[error(
        "unknown positions: expected instr, bb and line, each at most once (found \"{found}\")"
    )]
    UnknownPositions {
        /// The header.
        found: String,
    },
    /// Something else than a cost line after `calls=`.
    #[error("calls= is not followed by a cost line (found \"{found}\")")]
    CallWithoutCost {
        /// The line after it.
        found: String,
    },
    /// A `calls=` line with no callee ever named.
    #[error("call without a callee: expected \"cfn=\" before it (found \"{found}\")")]
    CallWithoutCallee {
        /// The line.
        found: String,
    },
    /// A line of no known form.
    #[error(
        "unknown line: expected a cost line, a position such as \"fn=\" or a header such as \"events:\" (found \"{found}\")"
    )]
    UnknownLine {
        /// The line.
        found: String,
    },
    /// A line of more than 16 MiB.
    #[error("line over 16 MiB: this is no callgrind profile")]
    LineTooLong,
    /// Nothing in the input, as far as it was read, is a line of a profile.
    #[error(
        "this is no callgrind profile: expected a header such as \"events: Ir\", then lines such as \"fn=main\" and costs (found \"{found}\")"
    )]
    NotAProfile {
        /// The first line.
        found: String,
    },
    /// The input has no bytes.
    #[error("is empty")]
    Empty,
    /// The input has no cost line at all, or none that can be read.
    #[error(
        "no profile data: the input ends before any cost line{}",
        why_no_data(*.skipped)
    )]
    NoData {
        /// How many lines were left out because the caller is lenient.
        skipped: u64,
    },
    /// The input could not be read further.
    #[error("cannot read on from here")]
    Io(#[source] io::Error),
}

impl Problem {
    /// Whether there is nothing wrong but that the input holds no data.
    ///
    /// Valgrind's `--separate-threads=yes` leaves such a file next to those with data.
    pub fn is_no_data(&self) -> bool {
        matches!(self, Problem::Empty | Problem::NoData { .. })
    }

    /// What was found, where there is something to show.
    pub(super) fn found(&self) -> Option<&str> {
        match self {
            Problem::CostBeforeEvents { found }
            | Problem::CostOutsideFunction { found }
            | Problem::TooManyCosts { found, .. }
            | Problem::MissingPosition { found, .. }
            | Problem::NotANumber { found }
            | Problem::NumberTooLarge { found }
            | Problem::NegativePosition { found, .. }
            | Problem::UnsupportedVersion { found }
            | Problem::UnknownPositions { found }
            | Problem::CallWithoutCost { found }
            | Problem::CallWithoutCallee { found }
            | Problem::UnknownLine { found }
            | Problem::NotAProfile { found } => Some(found),
            Problem::LineTooLong | Problem::Empty | Problem::NoData { .. } | Problem::Io(_) => None,
        }
    }
}

fn why_no_data(skipped: u64) -> String {
    match skipped {
        0 => "; its writer has only begun, or was killed".to_owned(),
        1 => "; 1 line that cannot be read was skipped".to_owned(),
        lines => format!("; {lines} lines that cannot be read were skipped"),
    }
}

/// Something that a user should know, though reading went on.
#[derive(Debug, Error)]
#[error("{input}:{line}: {kind}")]
pub struct Warning {
    /// Name of the input, as the user knows it.
    pub input: String,
    /// Number of the line, from 1.
    pub line: u64,
    /// The warning itself.
    pub kind: WarningKind,
}

/// What a [`Warning`] says.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WarningKind {
    /// An id that no line before has defined.
    #[error("id {name} was never defined; it stands for its name")]
    UndefinedId {
        /// The id in parentheses.
        name: String,
    },
    /// More undefined ids than are worth listing.
    #[error("{count} more ids were never defined; they stand for their names")]
    MoreUndefinedIds {
        /// How many.
        count: u64,
    },
    /// A line that cannot be read, left out because the caller is lenient.
    #[error("line skipped: {0}")]
    Skipped(Problem),
    /// The cost line of a call, left out because its `calls=` line was.
    #[error("line skipped: the cost of a call whose calls= line was skipped")]
    SkippedCallCost,
    /// How many lines were left out, when there were more than are listed.
    #[error("{count} lines skipped in all; the first {listed} are listed")]
    SkippedInAll {
        /// How many there were.
        count: u64,
        /// How many had a warning of their own.
        listed: u64,
    },
    /// The last line has no end and cannot be read.
    #[error(
        "the profile is cut off within this line, which was left out (found \"{found}\"); its writer was killed or is still running"
    )]
    CutLine {
        /// The line.
        found: String,
    },
    /// The last line has no end; it was read as it is.
    #[error(
        "the last line has no end: it was read, but a number in it may be cut off (found \"{found}\")"
    )]
    UnendedLine {
        /// The line.
        found: String,
        /// Whether the profile's writer never ends its last line, so that nothing is missing as far
        /// as one can tell.
        is_usual: bool,
    },
    /// The input ends between `calls=` and its cost line.
    #[error(
        "the profile is cut off after calls=, before the cost of the call, which was left out; its writer was killed or is still running"
    )]
    CutCall,
    /// The last block of a trace may be incomplete.
    #[error(
        "the profile is cut off within the block of \"{function}\"; its writer was killed or is still running"
    )]
    CutBlock {
        /// Its function.
        function: String,
    },
    /// A run of a trace ends before `{main}` does.
    #[error(
        "the profile is cut off: functions that had not returned, {{main}} among them, are missing with their self costs; its writer was killed or is still running"
    )]
    CutRun,
    /// The input should be read as a trace, but is not one, or not known to be one.
    #[error(
        "read as a trace as was asked, but nothing shows that it is one: its header does not name Xdebug, and if its blocks are sums, calls and callers come out wrong"
    )]
    NoTrace,
    /// A profile of Valgrind ends before its `totals:`.
    #[error(
        "the profile is cut off before its \"totals:\" line; its writer was killed or is still running"
    )]
    CutPart,
    /// More runs and parts that are cut off than are worth listing.
    #[error("{count} more runs or parts are cut off; what is there of them was read")]
    MoreCuts {
        /// How many.
        count: u64,
    },
    /// Lines given as -1, which stands for "unknown".
    #[error("{count} positions are -1 and lead below 0: their line counts as unknown (0)")]
    UnknownLines {
        /// How many.
        count: u64,
    },
    /// Negative self costs that Xdebug has written as numbers near a tenth of 2⁶⁴.
    #[error("Xdebug wrote negative self costs as huge numbers; they count as negative: {count}")]
    UnwrappedCosts {
        /// How many.
        count: u64,
    },
    /// A part of the profile does not have the selected event.
    #[error("no event \"{event}\" from here on, only {available}: its cost counts as 0")]
    EventAbsent {
        /// The selected event.
        event: String,
        /// The events that there are.
        available: String,
    },
    /// More parts without the selected event than are worth listing.
    #[error("{count} more times the event is missing; its cost counts as 0")]
    MoreAbsences {
        /// How many.
        count: u64,
    },
}

impl WarningKind {
    /// Whether a part of the profile was cut off, skipped or missing.
    pub fn is_loss(&self) -> bool {
        match self {
            WarningKind::Skipped(_)
            | WarningKind::SkippedCallCost
            | WarningKind::SkippedInAll { .. }
            | WarningKind::CutLine { .. }
            | WarningKind::CutCall
            | WarningKind::CutBlock { .. }
            | WarningKind::CutRun
            | WarningKind::CutPart
            | WarningKind::MoreCuts { .. }
            | WarningKind::EventAbsent { .. }
            | WarningKind::MoreAbsences { .. } => true,
            WarningKind::UnendedLine { is_usual, .. } => !is_usual,
            WarningKind::UndefinedId { .. }
            | WarningKind::MoreUndefinedIds { .. }
            | WarningKind::NoTrace
            | WarningKind::UnwrappedCosts { .. }
            | WarningKind::UnknownLines { .. } => false,
        }
    }
}
