//! The values of options: one of a few words, or a number.

use std::ffi::OsStr;

use cg_preprocess::callgrind::KindChoice;
use cg_preprocess::convert::Format;
use cg_preprocess::profile::{InclusiveCost, Kind};
use cg_preprocess::report::text::Sort;
use cg_preprocess::webgrind::{OnOverflow, Version};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, Command, Error};
use clap_complete::Shell;

use crate::packaging::Generate;
use crate::progress_bar::When;

/// One of the words that an option takes.
#[derive(Clone, Debug)]
pub struct Choice<T> {
    /// How it is typed.
    pub name: &'static str,
    /// What it means, for the manual and the completions.
    pub meaning: &'static str,
    /// The value that it stands for.
    pub value: T,
}

impl<T> Choice<T> {
    fn possible_value(&self) -> PossibleValue {
        let value = PossibleValue::new(self.name).help(self.meaning);
        // webgrind's formats can also be named by their numbers alone.
        match self.name.strip_prefix('v') {
            Some(number) => value.alias(number),
            None => value,
        }
    }
}

/// All the words that an option takes, and what they stand for.
#[derive(Clone, Debug)]
pub struct Choices<T: 'static>(pub &'static [Choice<T>]);

impl<T: Clone + Send + Sync> TypedValueParser for Choices<T> {
    type Value = T;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<T, Error> {
        let names = PossibleValuesParser::new(self.0.iter().map(Choice::possible_value));
        let name = names.parse_ref(command, arg, value)?;
        let mut choices = self.0.iter();
        let choice = choices.find(|choice| choice.possible_value().matches(&name, false));
        let choice = choice.ok_or_else(|| Error::new(ErrorKind::InvalidValue).with_cmd(command))?;
        Ok(choice.value.clone())
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0.iter().map(Choice::possible_value)))
    }
}

/// What `--format` takes.
pub const FORMATS: Choices<Format> = Choices(&[
    Choice {
        name: "v4",
        meaning: "For webgrind 0.4: every invocation",
        value: Format::Preprocessed(Version::V4),
    },
    Choice {
        name: "v5",
        meaning: "For webgrind 0.5",
        value: Format::Preprocessed(Version::V5),
    },
    Choice {
        name: "v6",
        meaning: "For webgrind 0.6 to 1.1",
        value: Format::Preprocessed(Version::V6),
    },
    Choice {
        name: "v7",
        meaning: "For webgrind 1.2 and later",
        value: Format::Preprocessed(Version::V7),
    },
    Choice {
        name: "callgrind",
        meaning: "All functions and calls, for KCachegrind and others, and for merging",
        value: Format::Callgrind,
    },
    Choice {
        name: "text",
        meaning: "A table of the most expensive functions",
        value: Format::Text,
    },
    Choice {
        name: "tree",
        meaning: "The call tree of a trace",
        value: Format::Tree,
    },
    Choice {
        name: "collapsed",
        meaning: "The stacks of a trace, for flame graphs",
        value: Format::Collapsed,
    },
    Choice {
        name: "json",
        meaning: "All functions and calls, for scripts",
        value: Format::Json,
    },
]);

/// What `--sort` takes.
pub const SORTS: Choices<Sort> = Choices(&[
    Choice {
        name: "self",
        meaning: "By self cost, without calls",
        value: Sort::SelfCost,
    },
    Choice {
        name: "inclusive",
        meaning: "By inclusive cost, with calls",
        value: Sort::Inclusive,
    },
    Choice {
        name: "calls",
        meaning: "By number of calls",
        value: Sort::Calls,
    },
]);

/// What `--inclusive` takes.
pub const INCLUSIVE: Choices<InclusiveCost> = Choices(&[
    Choice {
        name: "summed",
        meaning: "Self cost plus the cost of all calls, as in webgrind; recursion counts twice",
        value: InclusiveCost::Summed,
    },
    Choice {
        name: "outermost",
        meaning: "No cost counts twice; in an aggregate, calls of a function to itself are left out",
        value: InclusiveCost::Outermost,
    },
]);

/// What `--on-overflow` takes.
pub const ON_OVERFLOW: Choices<OnOverflow> = Choices(&[
    Choice {
        name: "scale",
        meaning: "Divide all costs by a power of ten and rename the event",
        value: OnOverflow::Scale,
    },
    Choice {
        name: "saturate",
        meaning: "Write 4294967295",
        value: OnOverflow::Saturate,
    },
    Choice {
        name: "error",
        meaning: "Write nothing",
        value: OnOverflow::Error,
    },
]);

/// What `--kind` takes.
pub const KINDS: Choices<KindChoice> = Choices(&[
    Choice {
        name: "auto",
        meaning: "Decide by the header: Xdebug writes traces, all others aggregates",
        value: KindChoice::Auto,
    },
    Choice {
        name: "trace",
        meaning: "Every block is one invocation of its function",
        value: KindChoice::Fixed(Kind::Trace),
    },
    Choice {
        name: "aggregate",
        meaning: "Blocks hold the sums of all invocations",
        value: KindChoice::Fixed(Kind::Aggregate),
    },
]);

/// What `--progress` takes.
pub const PROGRESS: Choices<When> = Choices(&[
    Choice {
        name: "auto",
        meaning: "A bar on a terminal, after half a second",
        value: When::Auto,
    },
    Choice {
        name: "always",
        meaning: "Immediately; without a terminal, a line per second",
        value: When::Always,
    },
    Choice {
        name: "never",
        meaning: "Nothing",
        value: When::Never,
    },
]);

/// What `--generate` takes.
pub const GENERATE: Choices<Generate> = Choices(&[
    Choice {
        name: "man",
        meaning: "The manual page",
        value: Generate::ManualPage,
    },
    Choice {
        name: "complete-bash",
        meaning: "Completions for bash",
        value: Generate::BashCompletion,
    },
    Choice {
        name: "complete-zsh",
        meaning: "Completions for zsh",
        value: Generate::Completion(Shell::Zsh),
    },
    Choice {
        name: "complete-fish",
        meaning: "Completions for fish",
        value: Generate::Completion(Shell::Fish),
    },
    Choice {
        name: "complete-powershell",
        meaning: "Completions for PowerShell",
        value: Generate::Completion(Shell::PowerShell),
    },
]);

/// Reads a number of rows; none for 0, which stands for all.
pub fn rows(value: &str) -> Result<Rows, &'static str> {
    if value.is_empty() || !value.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err("expected a whole number: how many rows, or 0 for all");
    }
    // No output has more rows than fit into a `usize`.
    let rows = value.parse().unwrap_or(usize::MAX);
    Ok(Rows((rows > 0).then_some(rows)))
}

/// How many rows a report has; none: all.
#[derive(Clone, Copy, Debug)]
pub struct Rows(pub Option<usize>);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_whole_numbers_from_0() {
        assert_eq!(rows("30").unwrap().0, Some(30));
        assert_eq!(rows("0").unwrap().0, None);
        assert_eq!(rows("99999999999999999999").unwrap().0, Some(usize::MAX));
        for wrong in ["", "-1", "+1", "1.5", "many", "0x10"] {
            assert!(rows(wrong).is_err(), "{wrong}");
        }
    }
}
