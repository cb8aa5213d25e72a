//! The values of options: one of a few words, or a number.

use cg_preprocess::callgrind::KindChoice;
use cg_preprocess::convert::Format::{self, Preprocessed};
use cg_preprocess::profile::{InclusiveCost, Kind};
use cg_preprocess::report::text::Sort;
use cg_preprocess::webgrind::OnOverflow;
use cg_preprocess::webgrind::Version::{V4, V5, V6, V7};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap_complete::Shell;

use super::generate::Generate;
use super::progress::When;

/// One of the words that an option takes: how it is typed, the value that it stands for, and what it
/// means, for the manual and the completions.
type Choice<T> = (&'static str, T, &'static str);

fn possible_value<T>((name, _, meaning): &Choice<T>) -> PossibleValue {
    let value = PossibleValue::new(*name).help(*meaning);
    // webgrind's formats can also be named by their numbers alone.
    match name.strip_prefix('v') {
        Some(number) => value.alias(number),
        None => value,
    }
}

/// Reads one of the words.
pub fn one_of<T: Clone + Send + Sync>(
    choices: &'static [Choice<T>],
) -> impl TypedValueParser<Value = T> {
    let names = PossibleValuesParser::new(choices.iter().map(possible_value));
    names.try_map(|name| {
        let mut choices = choices.iter();
        let choice = choices.find(|choice| possible_value(choice).matches(&name, false));
        choice.map(|(_, value, _)| value.clone()).ok_or("unknown")
    })
}

pub const FORMATS: &[Choice<Format>] = &[
    ("v4", Preprocessed(V4), "For webgrind 0.4: every invocation"),
    ("v5", Preprocessed(V5), "For webgrind 0.5"),
    ("v6", Preprocessed(V6), "For webgrind 0.6 to 1.1"),
    ("v7", Preprocessed(V7), "For webgrind 1.2 and later"),
    (
        "callgrind",
        Format::Callgrind,
        "All functions and calls, for KCachegrind and others, and for merging",
    ),
    (
        "text",
        Format::Text,
        "A table of the most expensive functions",
    ),
    ("tree", Format::Tree, "The call tree of a trace"),
    (
        "collapsed",
        Format::Collapsed,
        "The stacks of a trace, for flame graphs",
    ),
    ("json", Format::Json, "All functions and calls, for scripts"),
];

pub const SORTS: &[Choice<Sort>] = &[
    ("self", Sort::SelfCost, "By self cost, without calls"),
    (
        "inclusive",
        Sort::Inclusive,
        "By inclusive cost, with calls",
    ),
    ("calls", Sort::Calls, "By number of calls"),
];

pub const INCLUSIVE: &[Choice<InclusiveCost>] = &[
    (
        "summed",
        InclusiveCost::Summed,
        "Self cost plus the cost of all calls, as in webgrind; recursion counts twice",
    ),
    (
        "outermost",
        InclusiveCost::Outermost,
        "No cost counts twice; in an aggregate, calls of a function to itself are left out",
    ),
];

pub const ON_OVERFLOW: &[Choice<OnOverflow>] = &[
    (
        "scale",
        OnOverflow::Scale,
        "Divide all costs by a power of ten and rename the event",
    ),
    ("saturate", OnOverflow::Saturate, "Write 4294967295"),
    ("error", OnOverflow::Error, "Write nothing"),
];

pub const KINDS: &[Choice<KindChoice>] = &[
    (
        "auto",
        KindChoice::Auto,
        "Decide by the header: Xdebug writes traces, all others aggregates",
    ),
    (
        "trace",
        KindChoice::Fixed(Kind::Trace),
        "Every block is one invocation of its function",
    ),
    (
        "aggregate",
        KindChoice::Fixed(Kind::Aggregate),
        "Blocks hold the sums of all invocations",
    ),
];

pub const PROGRESS: &[Choice<When>] = &[
    (
        "auto",
        When::Auto,
        "A bar on a terminal, after half a second",
    ),
    (
        "always",
        When::Always,
        "Immediately; without a terminal, a line per second",
    ),
    ("never", When::Never, "Nothing"),
];

pub const GENERATE: &[Choice<Generate>] = &[
    ("man", Generate::ManualPage, "The manual page"),
    (
        "complete-bash",
        Generate::BashCompletion,
        "Completions for bash",
    ),
    (
        "complete-zsh",
        Generate::Completion(Shell::Zsh),
        "Completions for zsh",
    ),
    (
        "complete-fish",
        Generate::Completion(Shell::Fish),
        "Completions for fish",
    ),
    (
        "complete-powershell",
        Generate::Completion(Shell::PowerShell),
        "Completions for PowerShell",
    ),
];

/// Reads a number of rows; 0 stands for all.
pub fn rows(value: &str) -> Result<usize, &'static str> {
    if value.is_empty() || !value.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err("expected a whole number: how many rows, or 0 for all");
    }
    // No output has more rows than fit into a `usize`.
    let rows = value.parse().unwrap_or(usize::MAX);
    Ok(if rows == 0 { usize::MAX } else { rows })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_whole_numbers_from_0() {
        assert_eq!(rows("30"), Ok(30));
        assert_eq!(rows("0"), Ok(usize::MAX));
        assert_eq!(rows("99999999999999999999"), Ok(usize::MAX));
        for wrong in ["", "-1", "+1", "1.5", "many", "0x10"] {
            assert!(rows(wrong).is_err(), "{wrong}");
        }
    }
}
