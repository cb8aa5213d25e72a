//! The arguments, and the library options that follow from them.

use std::io;
use std::path::PathBuf;

use anyhow::Result;
use cg_preprocess::callgrind::PartFilter;
use cg_preprocess::compare::{Limit, LimitSyntaxError};
use cg_preprocess::io::{Source, Target};
use cg_preprocess::output::{self, Names, Sort};
use cg_preprocess::profile::{EventChoice, InclusiveCost, Kind};
use cg_preprocess::run::{ConvertOptions, Feature, Format};
use cg_preprocess::view::GroupBy;
use cg_preprocess::webgrind::OnOverflow;
use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Arg, ArgAction, Args, Parser, ValueEnum, ValueHint};

use super::generate::Generate;
use super::help::{EXAMPLES, EXIT_STATUS, FIRST_EXAMPLES, MORE};
use super::inputs::{Name, from_list, input, name, path_or, with_directories};
use super::output_format;
use super::progress::When;
use super::webgrind_files::WebgrindFiles;

/// The groups of arguments, in the order in which they are shown.
const INPUT: &str = "Input";
const OUTPUT: &str = "Output";
const VIEW: &str = "What to show";
const COMPARISON: &str = "Compare and limit (exit status 3 if a limit fails)";
const MESSAGES: &str = "Messages";
const WEBGRIND: &str = "webgrind";
const RARE: &str = "Rarely needed";

/// Hides options from `-h` that are not marked as common, and from `--help` those that few people ever
/// need: the manual has all of them. Where any text may be given, shells do not complete it to the name
/// of a file.
fn with_common_settings(argument: Arg) -> Arg {
    let is_rare = argument.get_help_heading() == Some(RARE);
    let argument = argument.hide_long_help(is_rare);
    let is_hidden = argument.is_hide_short_help_set() || is_rare;
    let argument = argument.hide_short_help(is_hidden);
    let takes_text =
        argument.get_action().takes_values() && argument.get_possible_values().is_empty();
    match argument.get_value_hint() {
        ValueHint::Unknown if takes_text => argument.value_hint(ValueHint::Other),
        _ => argument,
    }
}

/// See what is slow in PHP, C, C++ and Rust, and fail CI when it gets slower
///
/// Reads the profiles of Xdebug, Valgrind (Callgrind, Cachegrind) and other writers of the callgrind
/// format. Makes an HTML report, tables, flame graphs, call graphs, JSON, and files for webgrind,
/// KCachegrind and pprof. Merges and compares profiles, and checks limits on costs and calls.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 80, mut_args(with_common_settings))]
#[command(disable_help_flag = true, disable_version_flag = true)]
#[command(after_help = format!("Examples:\n{FIRST_EXAMPLES}"))]
#[command(after_long_help = format!("Exit status:\n{EXIT_STATUS}\n\nExamples:\n{EXAMPLES}\n\n{MORE}"))]
pub struct Arguments {
    /// Profiles (.gz, .zst too) or directories [default: standard input]
    ///
    /// Several are merged; `-` is standard input. Files are recognised by their content: callgrind profiles, plain or compressed with gzip or zstd,
    /// and files for webgrind. A directory stands for the files in it whose names begin with
    /// cachegrind.out or callgrind.out, without those that webgrind keeps beside them.
    #[arg(value_name = "INPUT", value_parser = input(), value_hint = ValueHint::AnyPath)]
    pub inputs: Vec<Source>,

    #[command(flatten)]
    pub reading: ReadingArguments,

    #[command(flatten)]
    pub output: OutputArguments,

    #[command(flatten)]
    pub view: ViewArguments,

    #[command(flatten)]
    pub source: SourceArguments,

    #[command(flatten)]
    pub comparison: ComparisonArguments,

    #[command(flatten)]
    pub webgrind: WebgrindArguments,

    #[command(flatten)]
    pub rare: RareArguments,

    #[command(flatten)]
    pub messages: MessageArguments,
}

#[derive(Args, Debug)]
#[command(next_help_heading = OUTPUT)]
pub struct OutputArguments {
    /// Open an HTML report in the browser
    ///
    /// Without -o, the report is a new temporary file, whose name is printed.
    #[arg(long)]
    pub open: bool,

    /// The output
    #[arg(
        short,
        long,
        value_name = "FILE",
        value_parser = path_or(Target::Stdout, Target::File),
        value_hint = ValueHint::AnyPath,
        help = output_format::FILE_HELP,
        long_help = output_format::long_file_help()
    )]
    pub output: Option<Target>,

    /// The format
    #[arg(
        short,
        long,
        value_parser = output_format::parser(),
        ignore_case = true,
        hide_possible_values = true,
        help = output_format::help(),
        long_help = output_format::long_help()
    )]
    pub format: Option<Format>,

    /// Overwrite profiles written by other programs
    ///
    /// Without it, an output that would replace such a profile is refused.
    #[arg(long, hide_short_help = true)]
    pub force: bool,
}

#[derive(Args, Debug)]
#[command(next_help_heading = VIEW)]
pub struct ViewArguments {
    /// What to count: memory (Xdebug), Ir, CEst, D1mr, …
    ///
    /// The beginning of a name is enough if it fits one event only, in any case of letters. Events that
    /// are derived are available too: those of `event:` lines, and CEst, L1m, LLm and Bm as in
    /// KCachegrind. Repeatable, or joined by commas (Ir,D1mr), for text, markdown, html, json, callgrind
    /// and pprof. Default: all events for html, json, callgrind and pprof, else the first one.
    #[arg(short, long, value_name = "EVENT", value_parser = name(), value_delimiter = ',')]
    pub event: Vec<Name>,

    /// Show one function: its callers, callees and lines
    ///
    /// In tree and dot, what leads to it and what it leads to; html opens there. NAME is a whole name, a
    /// name as tables shorten it, a last component (`fib` finds `Shop\fib`), or words of the name, file
    /// or object. `*` and `…` match any text. Quote names: the shell takes the > of 'PDO->query'.
    #[arg(long, value_name = "NAME", value_parser = name(), conflicts_with = "filter", allow_hyphen_values = true)]
    pub function: Option<Name>,

    /// Show functions with all these words in name or file
    ///
    /// In tree, the stacks that contain one; html opens with the search. Upper and lower case are the
    /// same. `*` and `…` match any text; this is no regular expression.
    #[arg(long, value_name = "WORDS", value_parser = name(), allow_hyphen_values = true)]
    pub filter: Option<Name>,

    /// Hide functions with any word in name, file or object
    ///
    /// The costs of hidden functions are their callers', and so are their calls, also for limits. Words
    /// are such as `vendor/`, `php::`, `std::` or `libc.so`; one with `::` must begin a component of a
    /// name. A word that matches nothing causes a warning. Repeatable.
    #[arg(long, value_name = "WORDS", value_parser = name(), allow_hyphen_values = true)]
    pub hide: Vec<Name>,

    /// Group by line, class, file, package, object or part
    ///
    /// class: classes; functions without one by namespace, else by file. package: packages of Composer
    /// or npm, crates, shared libraries; else directories. object: programs and shared libraries. part:
    /// dumps, threads and runs, or inputs that have none of these. With -f json, these are the `groups`.
    /// Also --group-by. Default: function.
    #[arg(
        long,
        value_name = "GROUP",
        alias = "group-by",
        hide_possible_values = true
    )]
    pub by: Option<GroupBy>,

    /// Sort by self, inclusive or calls [default: self]
    ///
    /// The highest comes first. incl, cum and total stand for inclusive.
    #[arg(long, value_name = "COLUMN", hide_possible_values = true)]
    pub sort: Option<Sort>,

    /// Show at most N rows; 0: all [default: 30]
    ///
    /// The default for markdown is 10, for dot 100. Also -n, --limit.
    #[arg(
        long,
        value_name = "N",
        short_alias = 'n',
        alias = "limit",
        value_parser = rows,
        allow_negative_numbers = true
    )]
    pub top: Option<usize>,
}

#[derive(Args, Debug)]
#[command(next_help_heading = VIEW)]
pub struct SourceArguments {
    /// Show source lines from DIR
    ///
    /// In html, and in text and Markdown with --function or --by line; repeatable. Files are looked up in DIR by the
    /// names in the profile. A file is shown only if it is in DIR after all links are followed, is UTF-8
    /// text of at most 64 MiB, and no name in its path below DIR begins with a dot. The author of a
    /// profile chooses which of these files are shown: do not use a directory with secrets in it. Also
    /// -I, --include.
    #[arg(
        long,
        value_name = "DIR",
        short_alias = 'I',
        alias = "include",
        value_hint = ValueHint::DirPath
    )]
    pub source: Vec<PathBuf>,

    /// Strip this prefix from file names
    ///
    /// With --source, this is the name of DIR on the machine where the profile was made.
    #[arg(
        long,
        value_name = "DIR",
        value_parser = name(),
        value_hint = ValueHint::DirPath,
        alias = "source-root",
        hide_short_help = true
    )]
    pub trim_path: Option<Name>,

    /// Link source locations in the HTML report, using this template
    ///
    /// For example https://git.example/app/blob/main/{file}#L{line}, or
    /// phpstorm://open?file={file}&line={line} for an editor.
    #[arg(long, value_name = "URL", value_parser = source_url, hide_short_help = true)]
    pub source_url: Option<String>,
}

#[derive(Args, Debug)]
#[command(next_help_heading = COMPARISON)]
pub struct ComparisonArguments {
    /// Compare with an older profile
    ///
    /// Shows the totals and the functions or stacks that differ, in every format except callgrind and
    /// webgrind's. Repeat it to merge several profiles, or name their directory. Also --baseline,
    /// --diff-base.
    #[arg(
        long,
        value_name = "PROFILE",
        value_parser = input(),
        value_hint = ValueHint::AnyPath,
        aliases = ["baseline", "diff-base", "diff"]
    )]
    pub base: Vec<Source>,

    /// Limit growth of the total, or of NAME
    ///
    /// All limits are repeatable, are for every format except timeline and v4 to v7, and are on the
    /// first event (-e).
    /// NAME is a function, as for --function, or a group: class:A, package:a/b, file:src/a.c,
    /// object:libz.so.1, line:src/a.c:12; quote names. If the profile does not contain NAME, its limit
    /// passes with a warning, and --strict fails. An incomplete profile passes no limit. --max-growth
    /// needs --base, which must contain NAME; the limit is on NAME's inclusive cost.
    #[arg(
        long,
        value_name = "[NAME=]PERCENT",
        value_parser = limit(Limit::growth),
        requires = "base",
        allow_hyphen_values = true
    )]
    pub max_growth: Vec<Limit>,

    /// Limit the cost: 250ms, 64MiB, 20M
    ///
    /// Of the total, or NAME's inclusive cost. A plain number is in the event's unit.
    #[arg(
        long,
        value_name = "[NAME=]COST",
        value_parser = limit(Limit::cost),
        allow_hyphen_values = true
    )]
    pub max_cost: Vec<Limit>,

    /// Limit how often NAME is called
    ///
    /// Numbers of calls do not depend on the machine.
    #[arg(
        long,
        value_name = "NAME=N",
        value_parser = limit(Limit::calls),
        allow_hyphen_values = true
    )]
    pub max_calls: Vec<Limit>,

    /// Apply limits on the total cost to each part separately
    ///
    /// Limits on calls or NAME apply to the sum of all parts. Parts are the named ones, each with all
    /// its threads: Valgrind writes a named part for each CALLGRIND_DUMP_STATS_AT("name"), as
    /// benchmarks do. Of inputs without named parts, each dump, thread or run is one, or the whole
    /// input. Inputs are compared with those of the same path below another directory, or of the same
    /// name; X with X.old.
    #[arg(long, hide_short_help = true)]
    pub each_part: bool,

    /// Compare costs and calls per run of the profiled program
    ///
    /// Divides both profiles by the numbers of their runs, and rounds; limits are exact. Not for
    /// collapsed stacks.
    #[arg(long, requires = "base", hide_short_help = true)]
    pub per_run: bool,
}

impl ComparisonArguments {
    pub fn limits(&self) -> Vec<Limit> {
        [&self.max_growth[..], &self.max_cost, &self.max_calls].concat()
    }
}

#[derive(Args, Debug)]
#[command(next_help_heading = INPUT)]
pub struct ReadingArguments {
    /// Read only these parts of the profiles; repeatable
    ///
    /// NAME is the name of a part (CALLGRIND_DUMP_STATS_AT), a piece of such names, or a number: 6 is
    /// part 6, 6-02 is thread 2 of part 6.
    #[arg(long, value_name = "NAME", value_parser = name(), hide_short_help = true)]
    pub part: Vec<Name>,

    /// Read the names of more inputs from this file [`-`: standard input]
    ///
    /// One name per line. If the file contains a NUL, names end with NULs, as `find -print0` writes
    /// them.
    #[arg(long, value_name = "FILE", value_parser = path_or(Source::Stdin, Source::File), value_hint = ValueHint::AnyPath, hide_short_help = true)]
    pub files_from: Option<Source>,

    /// Skip lines that cannot be read, instead of stopping at the first one
    ///
    /// Warnings name the first lines and count the others.
    #[arg(long, hide_short_help = true)]
    pub lenient: bool,

    /// Skip inputs that cannot be read, instead of stopping at the first one
    ///
    /// Has no effect with a limit.
    #[arg(long, hide_short_help = true)]
    pub keep_going: bool,

    /// Exit with status 3 if any part of the inputs was truncated, skipped or missing
    ///
    /// Also if a limit names something that the profile does not contain.
    #[arg(long, hide_short_help = true)]
    pub strict: bool,
}

#[derive(Args, Debug)]
#[command(next_help_heading = MESSAGES)]
pub struct MessageArguments {
    /// Hide warnings
    ///
    /// Errors and failed limits are still shown.
    #[arg(short, long, conflicts_with = "verbose", hide_short_help = true)]
    pub quiet: bool,

    /// Show statistics at the end
    ///
    /// The numbers of functions, calls, bytes and seconds.
    #[arg(short, long, hide_short_help = true)]
    pub verbose: bool,

    /// Show this help; --help: all options
    ///
    /// -h shows what most people need, --help more, and the manual (man cg-preprocess, or --generate
    /// man) everything.
    #[arg(short, long, action = ArgAction::Help)]
    pub help: Option<bool>,

    /// Show the version
    #[arg(short = 'V', long, action = ArgAction::Version)]
    pub version: Option<bool>,
}

#[derive(Args, Debug)]
#[command(next_help_heading = WEBGRIND)]
pub struct WebgrindArguments {
    /// Show it in webgrind, as cachegrind.out.NAME
    ///
    /// Writes two files into the directory for temporary files: the profile cachegrind.out.NAME, in the
    /// callgrind format, and the file for webgrind that belongs to it. NAME may include a directory:
    /// /srv/profiles/all.
    #[arg(
        long,
        value_name = "NAME",
        conflicts_with_all = ["output", "format", "escape_html", "base"],
        hide_short_help = true
    )]
    pub webgrind: Option<PathBuf>,

    /// The directory for the files of --webgrind: webgrind's $storageDir
    ///
    /// Default: the directory of the profile.
    #[arg(
        long,
        value_name = "DIR",
        requires = "webgrind",
        hide_short_help = true
    )]
    pub webgrind_storage: Option<PathBuf>,
}

/// Options that few people need. Only the manual describes them.
#[derive(Args, Debug)]
#[command(next_help_heading = RARE)]
pub struct RareArguments {
    /// Show names short or in full
    ///
    /// Default: short. Lines then fit the terminal; in a pipe or a file, names have at most 80 columns,
    /// and lines 200.
    #[arg(long, value_name = "HOW")]
    pub names: Option<Names>,

    /// Choose how inclusive costs count recursion
    ///
    /// Default: `summed` in webgrind's formats, because webgrind defines it so; `once` in others.
    #[arg(long, value_name = "HOW")]
    pub inclusive: Option<InclusiveCost>,

    /// Read the inputs as profiles of this kind
    ///
    /// By default, the header of each input says whether it contains single calls, as Xdebug's do, or
    /// sums.
    #[arg(long, default_value = "auto")]
    pub kind: KindChoice,

    /// Leave this function out of the call lists of a trace; repeatable
    ///
    /// Replaces each call to it by the calls that it made. Useful for php::call_user_func and the
    /// like.
    #[arg(long, value_name = "NAME", value_parser = name())]
    pub proxy_function: Vec<Name>,

    /// Choose what happens to numbers that exceed webgrind's 32 bits
    ///
    /// Other formats have no such limit.
    #[arg(long, value_name = "POLICY", default_value = "scale")]
    pub on_overflow: OnOverflow,

    /// Write `&` and `<` in names as HTML entities (v4 to v7)
    ///
    /// webgrind treats names as HTML. As webgrind's preprocessor, and with --webgrind, cg-preprocess
    /// always does this.
    #[arg(long)]
    pub escape_html: bool,

    /// Show progress on standard error
    ///
    /// By default, it is shown at a terminal if the work takes longer than half a second.
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub progress: When,

    /// Write the manual or shell completions to standard output
    ///
    /// For bash, put them into ~/.local/share/bash-completion/completions/cg-preprocess; for zsh,
    /// into _cg-preprocess in a directory of $fpath; for fish, into
    /// ~/.config/fish/completions/cg-preprocess.fish.
    #[arg(long, value_name = "WHAT", exclusive = true)]
    pub generate: Option<Generate>,
}

/// The values of `--kind`.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum KindChoice {
    /// Decide by the header: Xdebug's profiles are traces, all others aggregates.
    Auto,
    /// Each record is a single call.
    Trace,
    /// Each record is the sum of all calls of a function.
    Aggregate,
}

impl KindChoice {
    fn kind(self) -> Option<Kind> {
        match self {
            KindChoice::Auto => None,
            KindChoice::Trace => Some(Kind::Trace),
            KindChoice::Aggregate => Some(Kind::Aggregate),
        }
    }
}

impl Arguments {
    /// # Errors
    ///
    /// When a directory after `--base` has no profiles.
    pub fn options(&self) -> Result<ConvertOptions> {
        let format = self.format();
        let mut options = ConvertOptions::default();
        options.format = format;
        options.text = self.report_options();
        options.source_url.clone_from(&self.source.source_url);
        options.source.directories.clone_from(&self.source.source);
        options.source.root.clone_from(&self.source.trim_path);
        options.read.kind = self.rare.kind.kind();
        options.read.lenient = self.reading.lenient;
        let parts = self.reading.part.iter();
        options.read.parts = parts.cloned().map(PartFilter::new).collect();
        options.events = match self.view.event.as_slice() {
            [] if format.has(Feature::AllEvents) => EventChoice::All,
            [] => EventChoice::First,
            events => EventChoice::Matching(events.to_vec()),
        };
        options.inclusive = self.rare.inclusive;
        options.proxies.clone_from(&self.rare.proxy_function);
        options.on_overflow = self.rare.on_overflow;
        options.escape_html = self.rare.escape_html;
        options.base = with_directories(&self.comparison.base, false)?;
        options.per_run = self.comparison.per_run;
        options.limits = self.comparison.limits();
        options.limit_each_part = self.comparison.each_part;
        options.keep_going = self.reading.keep_going;
        options.output.overwrite_profiles = self.output.force;
        Ok(options)
    }

    /// The format to write. With `--webgrind`, it is that of the profile, not of the webgrind file.
    ///
    /// [`Arguments::check`] has refused outputs whose names choose none.
    pub fn format(&self) -> Format {
        self.chosen_format().unwrap_or_default()
    }

    /// The format that options choose, else the name of the output, else the default.
    ///
    /// # Errors
    ///
    /// What to do instead, if the name of the output chooses none.
    pub fn chosen_format(&self) -> Result<Format, String> {
        match (&self.webgrind.webgrind, self.output.format, &self.target()) {
            (Some(_), ..) => Ok(Format::Callgrind),
            (None, Some(format), _) => Ok(format),
            (None, None, _) if self.output.open => Ok(Format::Html),
            (None, None, target @ Target::File(path)) if !target.is_stream() => {
                output_format::from_name(path).map_err(|advice| format!("{target}: {advice}"))
            }
            (None, None, _) => Ok(Format::default()),
        }
    }

    /// What chose the format, for messages about options that it does not take.
    pub fn reason_for_format(&self) -> Option<&'static str> {
        let output = &self.output;
        match self.target() {
            _ if self.webgrind.webgrind.is_some() || output.format.is_some() => None,
            _ if output.open => Some("--open"),
            Target::File(_) if !self.target().is_stream() => Some("the name of the output"),
            _ => Some("the default"),
        }
    }

    fn report_options(&self) -> output::ReportOptions {
        let view = &self.view;
        let mut options = output::ReportOptions::default();
        options.top = view.top.or(self.format().default_rows());
        options.by = view.by.unwrap_or_default();
        options.sort = view.sort.unwrap_or_default();
        options.filter.clone_from(&view.filter);
        options.function.clone_from(&view.function);
        let hides = |words: &&Name| words.iter().any(|byte| !byte.is_ascii_whitespace());
        options.hide = view.hide.iter().filter(hides).cloned().collect();
        options.width = self.width();
        options.names = self.rare.names.unwrap_or_default();
        options.color = self.color();
        options
    }

    /// The width of the terminal, if the output goes to one.
    fn width(&self) -> Option<usize> {
        if !self.target().is_terminal() {
            return None;
        }
        let size = terminal_size::terminal_size();
        // Some terminals do not report their size.
        Some(size.map_or(80, |(width, _)| width.0.into()))
    }

    fn color(&self) -> bool {
        matches!(self.target(), Target::Stdout)
            && anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never
    }

    /// The files of `--webgrind`.
    ///
    /// # Errors
    ///
    /// When webgrind would not list it there.
    pub fn webgrind_files(&self) -> Result<Option<WebgrindFiles>> {
        let storage = self.webgrind.webgrind_storage.as_deref();
        let name = self.webgrind.webgrind.as_deref();
        name.map(|name| WebgrindFiles::new(name, storage))
            .transpose()
    }

    /// The inputs.
    ///
    /// # Errors
    ///
    /// When the list of inputs cannot be read, or is also the output, or when a directory has no profiles.
    pub fn sources(&self) -> Result<Vec<Source>> {
        let mut sources = self.inputs.clone();
        if let Some(list) = &self.reading.files_from {
            sources.extend(from_list(list, &self.target())?);
        }
        if sources.is_empty() {
            sources.push(Source::Stdin);
        }
        with_directories(&sources, self.reading.keep_going)
    }

    /// Whether to recommend --keep-going, which skips unreadable inputs, but not those of a base.
    pub fn may_keep_going(&self) -> bool {
        !self.reading.keep_going && self.comparison.base.is_empty()
    }

    /// Whether the report is a new temporary file.
    pub fn opens_new_page(&self) -> bool {
        self.output.open && self.output.output.is_none()
    }

    pub fn target(&self) -> Target {
        self.output.output.clone().unwrap_or(Target::Stdout)
    }
}

/// Reads a template of source links. No file name may turn it into something that runs.
fn source_url(template: &str) -> Result<String, &'static str> {
    let (scheme, _) = template.split_once(':').unwrap_or_default();
    let scheme = scheme.to_ascii_lowercase();
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    if !is_scheme || ["javascript", "data", "vbscript"].contains(&scheme.as_str()) {
        return Err("expected a URL, such as https://host/{file}#L{line}");
    }
    if !template.contains("{file}") {
        return Err("expected {file} in the URL, for the name of the file");
    }
    // Otherwise a profile could choose the host: its names may begin with anything.
    let (before, _) = template.split_once("{file}").unwrap_or_default();
    let has_host = before
        .split_once("://")
        .is_some_and(|(_, host)| !host.starts_with(['/', '\\']) && host.contains(['/', '?', '#']));
    if ["http", "https"].contains(&scheme.as_str()) && !has_host {
        return Err("expected a host and a slash before {file}: https://host/{file}#L{line}");
    }
    Ok(template.to_owned())
}

/// Reads a limit.
fn limit(
    parse: fn(&[u8]) -> Result<Limit, LimitSyntaxError>,
) -> impl TypedValueParser<Value = Limit> {
    OsStringValueParser::new().try_map(move |value| parse(value.as_encoded_bytes()))
}

/// Reads a number of rows; 0 stands for all.
fn rows(value: &str) -> Result<usize, &'static str> {
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
