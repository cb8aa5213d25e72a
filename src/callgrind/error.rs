//! Errors and warnings of the callgrind reader, with their locations.

use std::mem::{Discriminant, discriminant};
use std::{fmt, io};

use thiserror::Error;

use crate::display::numbers::counted;
use crate::display::text::excerpt;
use crate::profile::{Cost, EventError, MAX_COLUMNS, MAX_EVENT_NAME, MAX_NAME};
use crate::warnings::Alike;

const MAX_NAME_KIB: usize = MAX_NAME >> 10;

/// Why a profile cannot be read, and where.
#[derive(Debug)]
pub struct ParseError {
    /// Name of the input, as the user knows it.
    pub input: String,
    /// Number of the line, from 1.
    pub line: u64,
    /// The problem in that line.
    pub problem: Problem,
}

impl ParseError {
    /// The kind of the problem.
    pub fn kind(&self) -> &ProblemKind {
        &self.problem.kind
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.problem.kind {
            ProblemKind::Empty => write!(f, "{}: {}", self.input, self.problem),
            _ => write!(f, "{}:{}: {}", self.input, self.line, self.problem),
        }
    }
}

impl std::error::Error for ParseError {
    /// The cause of the problem, whose own message is part of this error's.
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.problem.kind.source()
    }
}

/// A problem in a line, and the text found there.
#[derive(Debug, Error)]
#[error("{kind}{}", found.as_ref().map(|found| format!(" (found \"{found}\")")).unwrap_or_default())]
pub struct Problem {
    pub(super) kind: ProblemKind,
    /// The rest of the line, from the problem on.
    pub(super) found: Option<String>,
}

impl From<ProblemKind> for Problem {
    fn from(kind: ProblemKind) -> Self {
        Problem { kind, found: None }
    }
}

/// The kinds of a [`Problem`].
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ProblemKind {
    /// A cost line before `events:`.
    #[error("cost line before any \"events:\" header")]
    CostBeforeEvents,
    /// A cost or `calls=` line before any `fn=`.
    #[error("cost outside of any function: expected \"fn=\" before it")]
    CostOutsideFunction,
    /// A line has more costs than this number of events.
    #[error("more costs than events: expected at most {0} after the position")]
    TooManyCosts(usize),
    /// A cost line has fewer numbers than `positions:` names, which is this number.
    #[error("cost line without its position: expected {0} position numbers")]
    MissingPosition(usize),
    /// Text that is not a number.
    #[error("expected a number")]
    NotANumber,
    /// A number of more than 64 bits.
    #[error("number over 64 bits: expected at most 18446744073709551615")]
    NumberTooLarge,
    /// A number of calls below 0, except -1, which means "unknown".
    #[error("negative number of calls: expected 0 or more, or -1 if it is unknown")]
    NegativeCalls,
    /// A relative position that leads below 0, and its base.
    #[error("position below 0: it is relative to {0}")]
    NegativePosition(u64),
    /// A `version:` header above 1.
    #[error("unsupported version of the callgrind format: expected 0 or 1")]
    UnsupportedVersion,
    /// A `positions:` header with other names than `instr`, `bb` and `line`, or with a name twice.
    #[error("unknown positions: expected instr, bb and line, each at most once")]
    UnknownPositions,
    /// An `events:` header with a name that is too long.
    #[error("name of an event over {MAX_EVENT_NAME} bytes")]
    EventNameTooLong,
    /// An `events:` header with more names than any profile has.
    #[error("more than {MAX_COLUMNS} events: this is not a callgrind profile")]
    TooManyEvents,
    /// An `event:` header whose formula is too long, or one too many of them.
    #[error("{0}: this is not a callgrind profile")]
    TooManyFormulas(Box<EventError>),
    /// A name that is longer than any real one. Outputs repeat names.
    #[error("name over {MAX_NAME_KIB} KiB: use --lenient to shorten it")]
    NameTooLong,
    /// A `calls=` line without a cost line after it.
    #[error("calls= is not followed by a cost line")]
    CallWithoutCost,
    /// A `calls=` line without any `cfn=` before it.
    #[error("call without a callee: expected \"cfn=\" before it")]
    CallWithoutCallee,
    /// A line of an unknown form.
    #[error(
        "unknown line: expected a cost line, a position such as \"fn=\" or a header such as \"events:\""
    )]
    UnknownLine,
    /// A line of more than 1 MiB.
    #[error("line over 1 MiB: this is not a callgrind profile")]
    LineTooLong,
    /// An input without any line of a profile.
    #[error(
        "this is not a callgrind profile: expected a header such as \"events: Ir\", then lines such as \"fn=main\" and costs"
    )]
    NotAProfile,
    /// An input without any bytes.
    #[error("is empty; expected a callgrind profile or a webgrind file")]
    Empty,
    /// An input without any readable cost line; this number of lines was skipped.
    #[error(
        "no profile data: the input ends before any cost line{}",
        why_no_data(*.0)
    )]
    NoData(u64),
    /// A complete input whose sums are 0, and which has no cost line.
    #[error("no profile data: the profile is complete and contains no costs; it measured nothing")]
    NothingMeasured,
    /// An error of the input.
    #[error("cannot read further")]
    Io(#[source] io::Error),
}

impl ProblemKind {
    /// Whether the input only lacks data.
    ///
    /// Valgrind's `--separate-threads=yes` writes such a file next to those with data.
    pub fn is_no_data(&self) -> bool {
        matches!(
            self,
            ProblemKind::Empty | ProblemKind::NoData(_) | ProblemKind::NothingMeasured
        )
    }

    /// Whether it is an error even with `lenient`: no real profile has such a line, and a few compressed
    /// bytes could expand to it.
    pub(super) fn is_excess(&self) -> bool {
        matches!(
            self,
            ProblemKind::LineTooLong | ProblemKind::TooManyEvents | ProblemKind::TooManyFormulas(_)
        )
    }
}

fn why_no_data(skipped: u64) -> String {
    match skipped {
        0 => "; its writer has just started, or was killed".to_owned(),
        lines => format!("; skipped {}", counted(lines, "unreadable line")),
    }
}

/// A problem that did not stop reading.
#[derive(Debug, Error)]
#[error("{input}:{line}: {kind}")]
pub struct ParseWarning {
    /// Name of the input, as the user knows it.
    pub input: String,
    /// Number of the line, from 1.
    pub line: u64,
    /// The warning itself.
    pub kind: WarningKind,
}

/// The kinds of a [`ParseWarning`].
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "the messages show what the fields are")]
#[non_exhaustive]
pub enum WarningKind {
    /// An id, in parentheses, that no earlier line defines.
    #[error("id {0} is not defined; it is used as the name")]
    UndefinedId(String),
    /// An unreadable line, skipped with `lenient`.
    #[error("line skipped: {0}")]
    Skipped(Problem),
    /// The cost line of a call whose `calls=` line was skipped.
    #[error("line skipped: the cost of a call whose calls= line was skipped")]
    SkippedCallCost,
    /// The last line does not end and cannot be read.
    #[error(
        "the profile is truncated within this line, which was skipped (found \"{0}\"); its writer was killed or is still running"
    )]
    CutLine(String),
    /// The last line does not end, but was read.
    #[error(
        "the last line does not end with a newline: it was read, but a number in it may be truncated (found \"{0}\")"
    )]
    UnendedLine(String),
    /// The input ends between `calls=` and its cost line.
    #[error(
        "the profile is truncated between calls= and the cost of the call, which was skipped; its writer was killed or is still running"
    )]
    CutCall,
    /// The last block of a trace, which is this function's, may be incomplete.
    #[error(
        "the profile is truncated within the block of \"{0}\"; its writer was killed or is still running"
    )]
    CutBlock(String),
    /// A run of a trace ends before `{main}` does.
    #[error(
        "the profile is truncated: functions that had not returned, including {{main}}, are missing; its writer was killed or is still running"
    )]
    CutRun,
    /// The input was read as a trace on request, but may not be one.
    #[error(
        "read as a trace (--kind), although the header does not name Xdebug; if the records are sums, calls and callers are wrong"
    )]
    NoTrace,
    /// A profile of Valgrind ends before its `totals:`.
    #[error(
        "the profile is truncated before its \"totals:\" line; its writer was killed or is still running"
    )]
    CutPart,
    /// The costs of a merged profile do not add up to its stated total.
    #[error(
        "the profile is incomplete: its costs add up to {found}, \"summary:\" says {stated}, and \"totals:\" should say the same"
    )]
    OtherSum { stated: Cost, found: Cost },
    /// A formula of an event differs from an earlier one.
    #[error("the formula of event \"{0}\" changes; the first one is used")]
    FormulaIgnored(String),
    /// The profile was incomplete when this program wrote it.
    #[error("the profile was made from incomplete data, according to its header")]
    Incomplete,
    /// The number of names that were shortened with `lenient`.
    #[error(
        "names over {MAX_NAME_KIB} KiB were shortened, and functions may have the same name now: {0}"
    )]
    CutNames(u64),
    /// The number of lines given as -1, which means "unknown".
    #[error("{0} relative positions of -1 lead below line 0; their lines are unknown (0)")]
    UnknownLines(u64),
    /// The number of negative self costs that Xdebug wrote as numbers near a tenth of 2⁶⁴.
    #[error("Xdebug wrote negative self costs as huge numbers; they were read as negative: {0}")]
    UnwrappedCosts(u64),
    /// The self cost of an invocation exceeds that of its whole run; both with their units.
    #[error(
        "this self cost, {cost}, is larger than that of the whole run, which is {run} according to \"summary:\"; the clock was probably changed meanwhile"
    )]
    ClockJumped { cost: String, run: String },
    /// A part of the profile does not have a requested event.
    #[error(
        "no event \"{}\" from here on{available}: its cost counts as 0",
        excerpt(event)
    )]
    EventAbsent {
        event: Vec<u8>,
        /// What messages say of the others.
        available: String,
        /// Whether it may be the first event of the output, which depends on all inputs.
        is_first: bool,
    },
}

impl WarningKind {
    /// Whether a part of the profile was truncated, skipped or missing.
    pub fn is_loss(&self) -> bool {
        !matches!(
            self,
            WarningKind::UndefinedId(_)
                | WarningKind::NoTrace
                | WarningKind::UnwrappedCosts(_)
                | WarningKind::ClockJumped { .. }
                | WarningKind::UnknownLines(_)
                | WarningKind::FormulaIgnored(_)
        )
    }

    /// What is the same for those that are alike.
    fn class(&self) -> (Discriminant<Self>, &[u8]) {
        use WarningKind::*;
        match self {
            Skipped(_) => (discriminant(&SkippedCallCost), b""),
            CutLine(_) | UnendedLine(_) | CutCall | CutBlock(_) | CutPart => {
                (discriminant(&CutRun), b"")
            }
            // Limits apply to the first event, so its absence must be listed.
            EventAbsent {
                event,
                is_first: true,
                ..
            } => (discriminant(self), event),
            _ => (discriminant(self), b""),
        }
    }

    /// Whether it is about a skipped line.
    pub(super) fn is_skipped(&self) -> bool {
        matches!(self, WarningKind::Skipped(_) | WarningKind::SkippedCallCost)
    }
}

impl Alike for ParseWarning {
    fn is_like(&self, other: &Self) -> bool {
        self.kind.class() == other.kind.class()
    }

    fn is_omission(&self) -> bool {
        self.kind.is_skipped()
    }
}
