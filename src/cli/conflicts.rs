//! Arguments that contradict each other, and options that a format does not take.

use std::error::Error;
use std::io::{self, IsTerminal};

use cg_preprocess::io::{Source, Target};
use cg_preprocess::run::{Feature, Format};
use cg_preprocess::view::GroupBy;
use clap::ArgMatches;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::arguments::Arguments;

/// Checks that inputs are on one side of each `--base`. A shell replaces `old/*` in `--base old/*` by
/// several names, of which only the first is the base's.
///
/// # Errors
///
/// If they are on both sides.
pub fn check_order(matches: &ArgMatches) -> Result<(), clap::Error> {
    let places = |id| matches.indices_of(id).into_iter().flatten();
    let inputs = || places("inputs");
    let is_between =
        |at: usize| inputs().any(|input| input < at) && inputs().any(|input| at < input);
    let bases = places("base").zip(matches.get_many::<Source>("base").into_iter().flatten());
    let Some((_, base)) = { bases }.find(|&(at, _)| is_between(at)) else {
        return Ok(());
    };
    Err(wrong_usage(format!(
        "inputs are before and after --base {base}: put --base before each profile of the base, \
         or name their directory (--base DIR), because a shell makes --base DIR/* a base and several inputs"
    )))
}

/// What people try that other programs have, and what it is here.
const UNKNOWN: &[(&str, &str)] = &[
    (
        "--html --json --text --markdown --tree --dot --pprof",
        "use -f, such as -f html or -f json",
    ),
    (
        "--color --colour --colors --no-color",
        "only terminals get colours, and with NO_COLOR=1 in the environment not even these",
    ),
    ("--jobs --threads -j", "it uses all cores"),
    ("--regex --regexp --grep", "use --filter with words and `*`"),
];

/// The error in the program's own words, if it is about an unknown option that other programs have, or
/// about a wrong value.
pub fn in_own_words(error: &clap::Error) -> Option<clap::Error> {
    let Some(ContextValue::String(argument)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let message = match error.kind() {
        ErrorKind::UnknownArgument => known_elsewhere(argument)?,
        ErrorKind::ValueValidation | ErrorKind::InvalidValue => wrong_value(argument, error)?,
        _ => return None,
    };
    Some(wrong_usage(message))
}

fn known_elsewhere(option: &str) -> Option<String> {
    let (_, advice) = UNKNOWN
        .iter()
        .find(|(options, _)| options.split(' ').any(|known| known == option))?;
    Some(format!("there is no option {option}: {advice}"))
}

/// The message for a wrong value of an argument such as `--top <N>` or `[INPUT]...`.
fn wrong_value(argument: &str, error: &clap::Error) -> Option<String> {
    let name = argument.split(' ').next()?;
    let name = name.trim_matches(['[', ']', '.']);
    let value = match error.get(ContextKind::InvalidValue) {
        Some(ContextValue::String(value)) => value.as_str(),
        // It is not Unicode.
        _ => "",
    };
    let expected = match (error.source(), error.get(ContextKind::ValidValue)) {
        (Some(reason), _) => reason.to_string(),
        (None, Some(ContextValue::Strings(values))) if !values.is_empty() => {
            format!("expected {}", values.join(", "))
        }
        _ => "expected a value".to_owned(),
    };
    let arrow = lost_arrow(value.as_bytes()).unwrap_or_default();
    Some(match value {
        "" => format!("{name}: {expected}"),
        value => format!("{name} {}: {expected}{arrow}", quoted(value)),
    })
}

/// A value as one would type it.
fn quoted(value: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_.,:/=%@+".contains(c);
    if value.chars().all(is_plain) {
        value.to_owned()
    } else {
        format!("'{value}'")
    }
}

/// What may have happened to a name that ends like the first part of `PDO->query`.
fn lost_arrow(name: &[u8]) -> Option<&'static str> {
    name.ends_with(b"-").then_some(LOST_ARROW)
}

const LOST_ARROW: &str = "; if -> came after it, the shell took the > and what follows as the name of a file: \
    quote the name, as in 'PDO->query'";

/// The error for a message that says what to do, so that the usage need not be shown.
fn wrong_usage(message: String) -> clap::Error {
    clap::Error::raw(ErrorKind::ArgumentConflict, message + "\n")
}

impl Arguments {
    /// Ends the program if arguments contradict each other.
    pub fn check(&self) {
        if let Some(message) = self.contradiction() {
            wrong_usage(message).exit();
        }
    }

    /// What to say if the shell may have taken the > of a name.
    pub fn lost_arrow(&self) -> Option<&'static str> {
        let view = &self.view;
        let mut names = view.function.iter().chain(&view.filter).chain(&view.hide);
        names.find_map(|name| lost_arrow(name))
    }

    fn contradiction(&self) -> Option<String> {
        let format = match self.chosen_format() {
            Ok(format) => format,
            Err(advice) => return Some(advice),
        };
        let output = &self.output;
        let (view, comparison) = (&self.view, &self.comparison);
        let list = self.reading.files_from.as_ref();
        let to_terminal = self.target().is_terminal();
        let shows_source = !self.source.source.is_empty() && view.function.is_none();
        let by_line = view.by == Some(GroupBy::Line);
        let limits_total = !comparison.max_cost.is_empty() || !comparison.max_growth.is_empty();
        let message = if list == Some(&Source::Stdin) && self.inputs.contains(&Source::Stdin) {
            "standard input cannot be both a profile and the list of --files-from"
        } else if list.is_none() && self.inputs.is_empty() && io::stdin().is_terminal() {
            "no INPUT, and standard input is a terminal: name a profile, or use `-`"
        } else if shows_source && format == Format::Text && !by_line {
            "--source shows lines: use --by line, --function or -f html"
        } else if shows_source && format == Format::Markdown {
            "--source shows lines: use --function, or -f text with --by line"
        } else if comparison.each_part && !limits_total {
            "--each-part needs a limit on costs: use --max-cost or --max-growth"
        } else if output.open && output.output == Some(Target::Stdout) {
            "--open needs a file: name one with -o, or omit -o"
        } else if format == Format::Html && !output.open && to_terminal {
            "HTML is not for a terminal: use --open, or name a file with -o"
        } else if format.has(Feature::Binary) && to_terminal {
            "binary output is not for a terminal: name a file with -o, use a pipe, or use -f text or -f json"
        } else {
            return self.unfit_option(format);
        };
        Some(message.to_owned())
    }

    /// The message for a given option that the format does not take.
    fn unfit_option(&self, format: Format) -> Option<String> {
        let (view, source) = (&self.view, &self.source);
        let has_base = !self.comparison.base.is_empty();
        let has_limit = !self.comparison.limits().is_empty();
        let escapes = self.rare.escape_html;
        // Whether an option is given, and what a format needs for it.
        let options = [
            (view.top.is_some(), "--top", Feature::Top),
            (self.rare.names.is_some(), "--names", Feature::Names),
            (view.sort.is_some(), "--sort", Feature::Sort),
            (view.filter.is_some(), "--filter", Feature::Filter),
            (!view.hide.is_empty(), "--hide", Feature::Hidden),
            (view.by.is_some(), "--by", Feature::Groups),
            (view.function.is_some(), "--function", Feature::Function),
            (has_base, "--base", Feature::Comparison),
            (self.comparison.per_run, "--per-run", Feature::PerRun),
            (has_limit, "a limit", Feature::Limits),
            (view.event.len() > 1, "more than one -e", Feature::Events),
            (escapes, "--escape-html", Feature::Entities),
            (self.output.open, "--open", Feature::Links),
            (source.source_url.is_some(), "--source-url", Feature::Links),
            (!source.source.is_empty(), "--source", Feature::Source),
            (source.trim_path.is_some(), "--trim-path", Feature::Source),
        ];
        let (_, option, feature) = options
            .into_iter()
            .find(|&(is_given, _, feature)| is_given && !format.has(feature))?;
        let suitable: Vec<_> = feature.formats().map(flag).collect();
        let choice = match suitable.split_last()? {
            (last, []) => last.clone(),
            (last, others) => format!("{} or {last}", others.join(", ")),
        };
        let chosen = flag(format);
        let reason = match self.reason_for_format() {
            Some(reason) => format!(" ({reason})"),
            None => String::new(),
        };
        Some(format!(
            "{option} cannot be used with {chosen}{reason}: use {choice}"
        ))
    }
}

/// The option that chooses a format: `-f text`.
fn flag(format: Format) -> String {
    format!("-f {format}")
}
