//! The arguments, and the options of the library that follow from them.

use std::io::{self, IsTerminal};
use std::path::PathBuf;

use anyhow::Result;
use cg_preprocess::callgrind::{KindChoice, PartFilter};
use cg_preprocess::compare::{Limit, LimitSyntaxError};
use cg_preprocess::io::{Source, Target};
use cg_preprocess::output::{self, Names, Sort};
use cg_preprocess::profile::{EventChoice, GroupBy, InclusiveCost};
use cg_preprocess::run::{Capabilities, ConvertOptions, EventSupport, Format, RowSupport};
use cg_preprocess::webgrind::OnOverflow;
use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Args, CommandFactory, Parser, ValueEnum, ValueHint};

use super::generate::Generate;
use super::help::{EXAMPLES, EXIT_STATUS};
use super::inputs::{Name, from_list, name, source, target};
use super::output_format::{self, FormatParser};
use super::progress::When;
use super::webgrind_files::WebgrindFiles;

/// The number of rows in a report without `--top`.
const DEFAULT_ROWS: usize = 30;

/// That in a report that stands above the rest of a page.
const DEFAULT_MARKDOWN_ROWS: usize = 10;

/// The number of functions in a call graph without it.
const DEFAULT_NODES: usize = 100;

/// Converts, merges and compares callgrind profiles
///
/// Reads the profiles of Xdebug, Valgrind and other writers of the callgrind format, plain or
/// compressed with gzip or zstd, as well as preprocessed files of webgrind. Writes files for
/// webgrind, tables, call trees, stacks for flame graphs and for pprof, JSON, and merged callgrind
/// profiles.
/// Inputs are recognised by their content.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 80)]
#[command(after_help = format!("Examples:\n{EXAMPLES}"))]
#[command(after_long_help = format!("Examples:\n{EXAMPLES}\n\nExit status: {EXIT_STATUS}"))]
pub struct Arguments {
    /// Profiles; several are merged into one output [none or `-`: standard input]
    #[arg(value_name = "INPUT", value_parser = source(), value_hint = ValueHint::AnyPath)]
    pub inputs: Vec<Source>,

    #[command(flatten)]
    pub output: OutputArguments,

    #[command(flatten)]
    reports: ReportArguments,

    #[command(flatten)]
    pub page: PageArguments,

    #[command(flatten)]
    source: SourceArguments,

    #[command(flatten)]
    pub comparison: ComparisonArguments,

    #[command(flatten)]
    limits: LimitArguments,

    #[command(flatten)]
    pub figures: FigureArguments,

    #[command(flatten)]
    pub reading: ReadingArguments,

    #[command(flatten)]
    pub messages: MessageArguments,

    /// Write a manual page or shell completions to standard output
    ///
    /// For bash, put them into ~/.local/share/bash-completion/completions/cg-preprocess; for zsh,
    /// into _cg-preprocess in a folder of $fpath; for fish, into
    /// ~/.config/fish/completions/cg-preprocess.fish.
    #[arg(
        long,
        value_name = "WHAT",
        value_enum,
        exclusive = true,
        help_heading = "Packaging"
    )]
    pub generate: Option<Generate>,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub struct OutputArguments {
    /// Where to write [none or `-`: standard output]
    ///
    /// A file appears complete or not at all. It must not be one of the inputs.
    #[arg(short, long, value_name = "FILE", value_parser = target(), value_hint = ValueHint::AnyPath)]
    pub output: Option<Target>,

    /// Replace even a profile that another program made
    #[arg(long)]
    force: bool,

    /// What to write [default: what the name of FILE says; text at a terminal, or with --base, a
    /// limit or an option of reports; else v7]
    ///
    /// Names that say it end in .html, .json, .txt, .md, .folded (collapsed), .pb.gz (pprof), .cg or
    /// .callgrind, or begin with callgrind.out or cachegrind.out. v4 to v7 are webgrind's formats:
    /// 0.4 reads v4, 0.5 v5, 0.6 to 1.1 v6, and every version since 1.2 v7.
    #[arg(short, long, value_parser = FormatParser, ignore_case = true)]
    format: Option<Format>,

    /// Write `&` and `<` in names as entities, for webgrind's page (v4 to v7)
    ///
    /// The page treats names as HTML. As webgrind's preprocessor, the program always does this.
    #[arg(long)]
    escape_html: bool,

    /// Put the profile where webgrind shows it: as cachegrind.out.NAME, in the folder for temporary
    /// files
    ///
    /// Writes two files: the profile, in the callgrind format, and the converted file that webgrind
    /// shows. NAME may include a folder: /srv/profiles/all.
    #[arg(
        long,
        value_name = "NAME",
        conflicts_with_all = ["output", "format", "escape_html", "base"]
    )]
    webgrind: Option<PathBuf>,

    /// Folder for webgrind's converted files, if not that of the profiles ($storageDir)
    #[arg(long, value_name = "FOLDER", requires = "webgrind")]
    webgrind_storage: Option<PathBuf>,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Reports (text, markdown, tree and dot)")]
struct ReportArguments {
    /// Show this many rows; 0 for all [default: 30; markdown: 10; dot: 100]
    #[arg(
        long,
        value_name = "N",
        value_parser = rows,
        allow_negative_numbers = true,
        value_hint = ValueHint::Other
    )]
    top: Option<usize>,

    /// What a row is [default: function]
    ///
    /// What has no class is listed by its namespace, else by its file. A package is one of Composer, npm or
    /// Python, a crate, or a shared library; else the first folder that tells files apart. For -f json: what
    /// `groups` are.
    #[arg(long, value_name = "WHAT", value_enum)]
    by: Option<GroupBy>,

    /// Sort functions by this, highest first [default: self]
    #[arg(long, value_name = "BY", value_enum)]
    sort: Option<Sort>,

    /// How long names are shown [default: auto]
    #[arg(long, value_name = "HOW", value_enum)]
    names: Option<Names>,

    /// Show only functions that have these words in their name, file or object, ignoring case
    ///
    /// All words have to fit; `*` and `…` stand for anything.
    #[arg(long, value_name = "TEXT", value_parser = name(), value_hint = ValueHint::Other)]
    filter: Option<Name>,

    /// Show only this function, with its callers and callees; in dot, with all that leads to or from it
    ///
    /// The whole name, as it is shown where it is shortened, its last component (`fib` finds `Shop\fib`),
    /// or words of its name, file or object. `*` and `…` stand for anything.
    #[arg(long, value_name = "NAME", value_parser = name(), value_hint = ValueHint::Other, conflicts_with = "filter")]
    function: Option<Name>,
}

impl ReportArguments {
    /// Whether any is given.
    fn are_given(&self) -> bool {
        let chooses = self.sort.is_some() || self.filter.is_some() || self.function.is_some();
        self.top.is_some() || self.names.is_some() || chooses
    }
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Page (html)")]
pub struct PageArguments {
    /// Show the page in the browser; without -o, it is a new file among the temporary ones
    ///
    /// The name of that file is printed.
    #[arg(long)]
    pub open: bool,

    /// Make places in the source links: an address with {file} and {line} in it
    ///
    /// For example https://git.example/app/blob/main/{file}#L{line}, or
    /// phpstorm://open?file={file}&line={line} for an editor.
    #[arg(
        long,
        value_name = "ADDRESS",
        value_parser = source_url,
        value_hint = ValueHint::Other
    )]
    source_url: Option<String>,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Source files (html, and text with --function)")]
pub struct SourceArguments {
    /// Show lines of the source files in this folder, with their costs; repeatable
    ///
    /// A file is looked for under the name that the profile has for it, and below DIR. It is shown
    /// only if it is in DIR after all links, is UTF-8 text of at most 64 MiB, and no name below DIR on
    /// the way to it begins with a dot. Whoever makes a profile chooses which of these files are
    /// shown, so do not name a folder that holds secrets.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    source: Vec<PathBuf>,

    /// Leave this folder out of the names of the files in it
    ///
    /// With --source, it is what DIR was called where the profile was made.
    #[arg(long, value_name = "FOLDER", value_parser = name())]
    source_root: Option<Name>,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Comparison")]
pub struct ComparisonArguments {
    /// Compare the inputs with this profile; repeatable
    ///
    /// Shows the totals, and the functions or stacks that differ, as text, Markdown, JSON, a page,
    /// collapsed stacks or for pprof.
    #[arg(long, value_name = "FILE", value_parser = source(), value_hint = ValueHint::AnyPath)]
    pub base: Vec<Source>,

    /// Compare costs and calls per run of the profiled program, not their sums
    ///
    /// Those of each side are divided by the number of runs that it sums, and rounded. Not for
    /// collapsed stacks.
    #[arg(long, requires = "base")]
    per_run: bool,
}

/// What must not be exceeded.
#[derive(Args, Debug)]
#[command(next_help_heading = "Limits (exit status 3 if one is not kept; not for v4 to v7)")]
struct LimitArguments {
    /// How often a function may be called; repeatable
    ///
    /// Calls do not depend on the machine. A function that is not there was not called: its limit is
    /// kept, with a warning, and --strict fails.
    #[arg(
        long,
        value_name = "NAME=N",
        value_parser = limit(Limit::calls),
        value_hint = ValueHint::Other
    )]
    max_calls: Vec<Limit>,

    /// What the total may cost, or a function with its calls; repeatable
    ///
    /// In the first event that is written (-e), in its units or in one that is given: 250ms, 1.5s,
    /// 64MiB, 20M.
    #[arg(
        long,
        value_name = "[NAME=]AMOUNT",
        value_parser = limit(Limit::cost),
        value_hint = ValueHint::Other
    )]
    max_cost: Vec<Limit>,

    /// By how much the total, or the cost of a function with its calls, may exceed that of the base;
    /// repeatable
    ///
    /// All limits are checked. A function that the base does not have is an error.
    #[arg(
        long,
        value_name = "[NAME=]PERCENT",
        value_parser = limit(Limit::growth),
        requires = "base",
        allow_hyphen_values = true,
        value_hint = ValueHint::Other
    )]
    max_growth: Vec<Limit>,

    /// Limits on the total hold for each named part of the profiles, instead
    ///
    /// Valgrind writes a part with a name for each CALLGRIND_DUMP_STATS_AT("name"), as benchmarks do.
    #[arg(long)]
    each_part: bool,
}

impl LimitArguments {
    fn all(&self) -> Vec<Limit> {
        [&self.max_growth[..], &self.max_cost, &self.max_calls].concat()
    }
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Figures")]
pub struct FigureArguments {
    /// Event whose costs are written; several, as in Ir,D1mr, for callgrind, pprof, text, markdown, json
    /// and html
    ///
    /// Default: all events for callgrind, pprof, json and html, the first one for others. The beginning
    /// of a name will do, in any case of letters, if only one event has it. Derived events, which
    /// `event:` lines define, can be named too.
    #[arg(
        short,
        long,
        value_name = "NAME",
        value_parser = name(),
        value_delimiter = ',',
        value_hint = ValueHint::Other
    )]
    event: Vec<Name>,

    /// How inclusive costs treat recursion
    ///
    /// Default: `summed` in webgrind's formats, because their readers define it so, `once` in others.
    #[arg(long, value_name = "HOW", value_enum)]
    inclusive: Option<InclusiveCost>,

    /// Step over this function in the call lists of a trace; repeatable
    ///
    /// A call to it is replaced by the calls that it made. Useful for php::call_user_func and the
    /// like.
    #[arg(long, value_name = "NAME", value_parser = name(), value_hint = ValueHint::Other)]
    proxy_function: Vec<Name>,

    /// What to do with numbers of more than 32 bits, which webgrind's formats cannot hold
    #[arg(long, value_name = "POLICY", value_enum, default_value = "scale")]
    pub on_overflow: OnOverflow,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Reading")]
pub struct ReadingArguments {
    /// Read the names of more inputs from this file [`-`: standard input]
    ///
    /// One name per line. If the file contains a NUL, names end with NULs, as `find -print0` writes
    /// them.
    #[arg(long, value_name = "FILE", value_parser = source(), value_hint = ValueHint::AnyPath)]
    files_from: Option<Source>,

    /// Whether the inputs hold single calls (trace) or sums (aggregate)
    #[arg(long, value_enum, default_value = "auto")]
    kind: KindChoice,

    /// Part of the profiles to read; repeatable
    ///
    /// The name that a program gave it by CALLGRIND_DUMP_STATS_AT, a part of that name, or its number;
    /// with the number of a thread, as in 6-02, only what that thread did. 3 chooses part 3 as well as
    /// a part of the name 3.
    #[arg(long, value_name = "NAME", value_parser = name(), value_hint = ValueHint::Other)]
    part: Vec<Name>,

    /// Skip lines that cannot be read, instead of stopping at the first one
    #[arg(long)]
    lenient: bool,

    /// Leave out inputs that cannot be opened or read, instead of stopping at the first one
    ///
    /// Warns about the first ten. With a limit, they are errors all the same.
    #[arg(long)]
    keep_going: bool,

    /// End with status 3 if any part of the inputs was cut off, skipped or missing
    #[arg(long)]
    pub strict: bool,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Messages")]
pub struct MessageArguments {
    /// Show progress on standard error
    #[arg(long, value_name = "WHEN", value_enum, default_value = "auto")]
    pub progress: When,

    /// Show no warnings
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,

    /// Show figures at the end: functions, calls, bytes, seconds
    #[arg(short, long)]
    pub verbose: bool,
}

impl Arguments {
    pub fn options(&self) -> ConvertOptions {
        let format = self.format();
        let holds_all_events = format.capabilities().events == EventSupport::All;
        let mut options = ConvertOptions::default();
        options.format = format;
        options.text = self.report_options();
        options.html.source_url.clone_from(&self.page.source_url);
        options
            .html
            .source_root
            .clone_from(&self.source.source_root);
        options.source.folders.clone_from(&self.source.source);
        options.source.root.clone_from(&self.source.source_root);
        options.html.names = options.text.names;
        options.read.kind = self.reading.kind;
        options.read.lenient = self.reading.lenient;
        let parts = self
            .reading
            .part
            .iter()
            .map(|name| PartFilter::new(name.clone()));
        options.read.parts = parts.collect();
        options.events = match self.figures.event.as_slice() {
            [] if holds_all_events => EventChoice::All,
            [] => EventChoice::First,
            events => EventChoice::Matching(events.to_vec()),
        };
        options.inclusive = self.figures.inclusive;
        options.proxies.clone_from(&self.figures.proxy_function);
        options.webgrind.on_overflow = self.figures.on_overflow;
        options.webgrind.escape_html = self.output.escape_html;
        let comparison = &mut options.comparison;
        comparison.base.clone_from(&self.comparison.base);
        comparison.per_run = self.comparison.per_run;
        options.limits = self.limits.all();
        options.limit_each_part = self.limits.each_part;
        options.keep_going = self.reading.keep_going;
        options.output.overwrite_profiles = self.output.force;
        options
    }

    /// The format to write: with `--webgrind`, that of the profile, not of the converted file.
    fn format(&self) -> Format {
        match (&self.output.webgrind, self.output.format) {
            (Some(_), _) => Format::Callgrind,
            (None, Some(format)) => format,
            (None, None) if self.page.open => Format::Html,
            (None, None) => self.default_format(),
        }
    }

    /// The format that the name of the output stands for or, where it stands for none, that the other
    /// options ask for.
    fn default_format(&self) -> Format {
        let target = self.target();
        let named = match &target {
            Target::File(path) => output_format::from_name(path).ok().flatten(),
            Target::Stdout => target.is_terminal().then_some(Format::Text),
        };
        let is_report = self.reports.are_given()
            || !self.comparison.base.is_empty()
            || !self.limits.all().is_empty()
            || !self.source.source.is_empty();
        let report = is_report.then_some(Format::Text);
        named.or(report).unwrap_or_default()
    }

    /// What to say of an error that comes of a format that nobody has asked for.
    pub fn of_default_format(&self) -> Option<&'static str> {
        let is_default = self.output.format.is_none() && self.format() == Format::default();
        is_default.then_some("-f v7 is the default; -f text is for people")
    }

    /// What to do instead, if the name of the output is to say the format, but promises one that is
    /// not written.
    fn unsupported_output(&self) -> Option<String> {
        let says_format =
            self.output.format.is_none() && self.output.webgrind.is_none() && !self.page.open;
        match self.output.output.as_ref().filter(|_| says_format)? {
            Target::Stdout => None,
            target @ Target::File(path) => {
                let advice = output_format::from_name(path).err()?;
                Some(format!("{target}: {advice}"))
            }
        }
    }

    fn report_options(&self) -> output::ReportOptions {
        let reports = &self.reports;
        let mut options = output::ReportOptions::default();
        options.top = Some(reports.top.unwrap_or(match self.format() {
            Format::Markdown => DEFAULT_MARKDOWN_ROWS,
            Format::Dot => DEFAULT_NODES,
            _ => DEFAULT_ROWS,
        }));
        options.by = reports.by.unwrap_or_default();
        options.sort = reports.sort.unwrap_or_default();
        options.filter.clone_from(&reports.filter);
        options.function.clone_from(&reports.function);
        options.width = self.width();
        options.names = reports.names.unwrap_or_default();
        options.color = self.color();
        options
    }

    /// Columns of the terminal, if the output goes to one.
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

    /// Where to put the profile for webgrind, with `--webgrind`.
    ///
    /// # Errors
    ///
    /// When webgrind would not list it there.
    pub fn webgrind_files(&self) -> Result<Option<WebgrindFiles>> {
        let storage = self.output.webgrind_storage.as_deref();
        let place = self.output.webgrind.as_deref();
        place
            .map(|name| WebgrindFiles::new(name, storage))
            .transpose()
    }

    /// The inputs.
    ///
    /// # Errors
    ///
    /// When the list of inputs cannot be read, or is also the output.
    pub fn sources(&self) -> Result<Vec<Source>> {
        let mut sources = self.inputs.clone();
        if let Some(list) = &self.reading.files_from {
            sources.extend(from_list(list, &self.target())?);
        }
        if sources.is_empty() {
            sources.push(Source::Stdin);
        }
        Ok(sources)
    }

    /// Whether --keep-going was not given and would leave out an input that cannot be read, which is
    /// none of the base.
    pub fn may_keep_going(&self) -> bool {
        !self.reading.keep_going && self.comparison.base.is_empty()
    }

    pub fn target(&self) -> Target {
        self.output.output.clone().unwrap_or(Target::Stdout)
    }

    /// Ends the program if arguments contradict each other.
    pub fn check(&self) {
        if let Some(message) = self.contradiction() {
            Arguments::command()
                .error(ErrorKind::ArgumentConflict, message)
                .exit();
        }
    }

    fn contradiction(&self) -> Option<String> {
        let (format, reports, page) = (self.format(), &self.reports, &self.page);
        let list = self.reading.files_from.as_ref();
        let is_list_or_profile = list.is_some() || !self.inputs.is_empty();
        let fills_terminal = || self.target().is_terminal();
        if let Some(message) = self.unsupported_output() {
            return Some(message);
        }
        let message = if list == Some(&Source::Stdin) && self.inputs.contains(&Source::Stdin) {
            "standard input cannot be both a profile and the list of --files-from"
        } else if !is_list_or_profile && io::stdin().is_terminal() {
            "no INPUT, and standard input is a terminal: name a profile, or `-`"
        } else if !self.source.source.is_empty()
            && format == Format::Text
            && reports.function.is_none()
        {
            "--source shows lines of one function: name it with --function, or choose -f html"
        } else if self.limits.each_part
            && self.limits.max_cost.is_empty()
            && self.limits.max_growth.is_empty()
        {
            "--each-part is about limits on costs: say --max-cost or --max-growth, too"
        } else if page.open && self.output.output == Some(Target::Stdout) {
            "--open needs a file: name one with -o, or leave -o out"
        } else if format == Format::Html && !page.open && fills_terminal() {
            "the page would go to a terminal: name a file with -o, or say --open"
        } else if format.capabilities().binary && fills_terminal() {
            "the output is binary and would go to a terminal: name a file with -o, use a pipe, or choose -f text or -f json"
        } else {
            return self.unfit_option(format);
        };
        Some(message.to_owned())
    }

    /// What to say if the format does not take an option that was given.
    fn unfit_option(&self, format: Format) -> Option<String> {
        let (reports, page) = (&self.reports, &self.page);
        let compares = !self.comparison.base.is_empty();
        let source = &self.source;
        let shows = page.open || page.source_url.is_some();
        let shows_source = !source.source.is_empty() || source.source_root.is_some();
        // What was given, and what formats take it.
        let options: [(bool, &str, Takes); 12] = [
            (reports.top.is_some(), "--top", |format| {
                !matches!(format.rows, RowSupport::No | RowSupport::All)
            }),
            (reports.names.is_some(), "--names", |format| {
                format.rows != RowSupport::No
            }),
            (
                reports.sort.is_some() || reports.filter.is_some(),
                "--sort and --filter",
                |format| format.rows == RowSupport::Functions,
            ),
            (reports.by.is_some(), "--by", |format| format.groups),
            (reports.function.is_some(), "--function", |format| {
                matches!(format.rows, RowSupport::Functions | RowSupport::Graph)
            }),
            (compares, "--base", |format| format.comparison),
            (self.comparison.per_run, "--per-run", |format| {
                format.per_run
            }),
            (!self.limits.all().is_empty(), "a limit", |format| {
                format.version.is_none()
            }),
            (self.figures.event.len() > 1, "more than one -e", |format| {
                format.events != EventSupport::One
            }),
            (self.output.escape_html, "--escape-html", |format| {
                format.version.is_some()
            }),
            (shows, "--open and --source-url", |format| {
                format.rows == RowSupport::All
            }),
            (shows_source, "--source and --source-root", |format| {
                matches!(format.rows, RowSupport::All | RowSupport::Functions)
            }),
        ];
        let mut options = options.iter();
        let (_, option, takes) =
            options.find(|(is_given, _, takes)| *is_given && !takes(format.capabilities()))?;
        let all = Format::value_variants().iter().copied();
        let those = all.filter(|format| takes(format.capabilities()));
        let mut those: Vec<_> = those.map(flag).collect();
        let mut choice = those.pop()?;
        if !those.is_empty() {
            choice = format!("{} or {choice}", those.join(", "));
        }
        let this = flag(format);
        let default = self.of_default_format();
        let default = default.map_or_else(String::new, |default| format!(" ({default})"));
        Some(format!(
            "{option} cannot be used with {this}: choose {choice}{default}"
        ))
    }
}

/// Whether a format takes something.
type Takes = fn(Capabilities) -> bool;

/// How a format is chosen: `-f text`.
fn flag(format: Format) -> String {
    let value = format.to_possible_value();
    value.map_or_else(String::new, |value| format!("-f {}", value.get_name()))
}

/// Reads the address of a line of source. It must not be able to run anything, whatever the name of
/// a file is.
fn source_url(template: &str) -> Result<String, &'static str> {
    let scheme = template.split_once(':').map_or("", |(scheme, _)| scheme);
    let scheme = scheme.to_ascii_lowercase();
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    if !is_scheme || ["javascript", "data", "vbscript"].contains(&scheme.as_str()) {
        return Err("expected an address, such as https://host/{file}#L{line}");
    }
    if !template.contains("{file}") {
        return Err("expected {file} in the address, where the name of a file is to stand");
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
