//! Arguments that contradict each other, and options that a format does not take.

use std::io::{self, IsTerminal};

use cg_preprocess::io::{Source, Target};
use cg_preprocess::profile::GroupBy;
use cg_preprocess::run::{EventSupport, Feature, Format, RowSupport};
use clap::error::ErrorKind;
use clap::{CommandFactory, ValueEnum};

use super::arguments::Arguments;
use super::output_format;

impl Arguments {
    /// Ends the program if arguments contradict each other.
    pub fn check(&self) {
        if let Some(message) = self.contradiction() {
            Arguments::command()
                .error(ErrorKind::ArgumentConflict, message)
                .exit();
        }
    }

    fn contradiction(&self) -> Option<String> {
        let format = self.format();
        let list = self.reading.files_from.as_ref();
        let is_list_or_profile = list.is_some() || !self.inputs.is_empty();
        let fills_terminal = || self.target().is_terminal();
        if let Some(message) = self.unsupported_output() {
            return Some(message);
        }
        let message = if list == Some(&Source::Stdin) && self.inputs.contains(&Source::Stdin) {
            "standard input cannot be both a profile and the list of --files-from"
        } else if !is_list_or_profile && io::stdin().is_terminal() {
            "no INPUT, and standard input is a terminal: name a profile, or use `-`"
        } else if !self.source.source.is_empty()
            && format == Format::Text
            && self.view.function.is_none()
            && self.view.by != Some(GroupBy::Line)
        {
            "--source shows lines: use --by line, --function or -f html"
        } else if self.limits.each_part
            && self.limits.max_cost.is_empty()
            && self.limits.max_growth.is_empty()
        {
            "--each-part needs a limit on costs: use --max-cost or --max-growth"
        } else if self.output.open && self.output.output == Some(Target::Stdout) {
            "--open needs a file: name one with -o, or omit -o"
        } else if format == Format::Html && !self.output.open && fills_terminal() {
            "HTML is not for a terminal: use --open, or name a file with -o"
        } else if format.has(Feature::Binary) && fills_terminal() {
            "binary output is not for a terminal: name a file with -o, use a pipe, or use -f text or -f json"
        } else {
            return self.unfit_option(format);
        };
        Some(message.to_owned())
    }

    /// The advice for an output whose name promises a format that is not supported.
    fn unsupported_output(&self) -> Option<String> {
        let says_format =
            self.output.format.is_none() && self.output.webgrind.is_none() && !self.output.open;
        match self.output.output.as_ref().filter(|_| says_format)? {
            Target::Stdout => None,
            target @ Target::File(path) => {
                let advice = output_format::from_name(path).err()?;
                Some(format!("{target}: {advice}"))
            }
        }
    }

    /// The message for a given option that the format does not take.
    fn unfit_option(&self, format: Format) -> Option<String> {
        let (view, source) = (&self.view, &self.source);
        let functions: Takes = |format| format.rows() == RowSupport::Functions;
        let html: Takes = |format| format.rows() == RowSupport::All;
        let lines: Takes =
            |format| matches!(format.rows(), RowSupport::All | RowSupport::Functions);
        // Whether an option is given, and which formats take it.
        let options: [(bool, &str, Takes); 15] = [
            (view.top.is_some(), "--top", |format| {
                !matches!(format.rows(), RowSupport::No | RowSupport::All)
            }),
            (view.names.is_some(), "--names", |format| {
                format.rows() != RowSupport::No
            }),
            (view.sort.is_some(), "--sort", functions),
            (view.filter.is_some(), "--filter", functions),
            (view.by.is_some(), "--by", |format| {
                format.has(Feature::Groups)
            }),
            (view.function.is_some(), "--function", |format| {
                matches!(format.rows(), RowSupport::Functions | RowSupport::Graph)
            }),
            (!self.comparison.base.is_empty(), "--base", |format| {
                format.has(Feature::Comparison)
            }),
            (self.comparison.per_run, "--per-run", |format| {
                format.has(Feature::PerRun)
            }),
            (!self.limits.all().is_empty(), "a limit", |format| {
                format.version().is_none()
            }),
            (view.event.len() > 1, "more than one -e", |format| {
                format.events() != EventSupport::One
            }),
            (self.rare.escape_html, "--escape-html", |format| {
                format.version().is_some()
            }),
            (self.output.open, "--open", html),
            (source.source_url.is_some(), "--source-url", html),
            (!source.source.is_empty(), "--source", lines),
            (source.trim_path.is_some(), "--trim-path", lines),
        ];
        let (_, option, takes) = options
            .into_iter()
            .find(|(is_given, _, takes)| *is_given && !takes(format))?;
        let mut suitable: Vec<_> = Format::value_variants()
            .iter()
            .filter(|&&format| takes(format))
            .map(|&format| flag(format))
            .collect();
        let mut choice = suitable.pop()?;
        if !suitable.is_empty() {
            choice = format!("{} or {choice}", suitable.join(", "));
        }
        let this = flag(format);
        let default = match self.of_default_format() {
            Some(default) => format!(" ({default})"),
            None => String::new(),
        };
        Some(format!(
            "{option} cannot be used with {this}: use {choice}{default}"
        ))
    }
}

/// Whether a format takes an option.
type Takes = fn(Format) -> bool;

/// The option that chooses a format: `-f text`.
fn flag(format: Format) -> String {
    let value = format.to_possible_value();
    value.map_or_else(String::new, |value| format!("-f {}", value.get_name()))
}
