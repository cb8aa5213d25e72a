//! The command line: arguments to options, reports to messages.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Result, anyhow};
use cg_preprocess::callgrind::{self, KindChoice};
use cg_preprocess::convert::{Conversion, ConvertError, Format, Options, Report};
use cg_preprocess::input::Source;
use cg_preprocess::output::{Links, Target};
use cg_preprocess::profile::{EventChoice, InclusiveCost, Kind, MaxGrowth};
use cg_preprocess::report::text::{self, Sort};
use cg_preprocess::webgrind::{OnOverflow, Version};
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, ValueEnum};

use crate::generate::Generate;
use crate::progress::{Bar, When};
use crate::standard_output;

/// Examples, as `--help` and the manual page show them.
pub const EXAMPLES: &str = "  cg-preprocess -o out.pre cachegrind.out.1234.gz
          Convert a profile for webgrind
  cg-preprocess -f text cachegrind.out.1234
          Show where the time goes
  cg-preprocess -f json -o profile.json callgrind.out.*
          Merge the profiles of several processes into one JSON document
  cg-preprocess -e 'Memory_(bytes)' -f text cachegrind.out.1234
          Show memory instead of time
  ssh web1 cat cachegrind.out.1234.gz | cg-preprocess -o out.pre
          Convert in a pipe
  install -m 755 \"$(command -v cg-preprocess)\" webgrind/bin/preprocessor
          Have webgrind use it: called as `preprocessor`, it takes webgrind's
          own arguments, IN OUT [PROXY_FUNCTION...]";

/// What the program ends with.
pub const EXIT_STATUS: &str =
    "0 written, 1 not converted, 2 wrong usage, 3 written, but --max-growth or --strict failed.";

/// The exit status where the output was written, and what was asked of it does not hold.
const GATE_FAILED: u8 = 3;

/// Converts callgrind profiles into webgrind's preprocessed format
///
/// Reads the profiles of Xdebug, Valgrind and other writers of the callgrind format, plain or
/// compressed with gzip or zstd, as well as preprocessed files, and writes them for webgrind, as
/// JSON, or as a table. Which of these an input is, its content tells.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 80, after_help = format!("Examples:\n{EXAMPLES}"))]
#[command(after_long_help = format!("Examples:\n{EXAMPLES}\n\nExit status: {EXIT_STATUS}"))]
struct Arguments {
    /// Profiles; several are merged into one output [none or `-`: standard input]
    #[arg(value_name = "INPUT")]
    inputs: Vec<PathBuf>,

    /// Where to write [none or `-`: standard output]
    ///
    /// A file appears whole or not at all, and must not be one of the inputs.
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,

    /// Write even over a profile that another program made
    #[arg(long, help_heading = "Output")]
    force: bool,

    /// What to write
    ///
    /// v4 to v7 are webgrind's formats: 0.4 reads v4, 0.5 v5, 0.6 to 1.1 v6, and every version
    /// since 1.2 v7. Collapsed holds the stacks of a trace for flame graphs, tree shows them. Text is a
    /// table of the top functions; JSON holds everything.
    #[arg(short, long, value_enum, default_value = "v7", help_heading = "Output")]
    format: FormatArgument,

    /// Rows of the text and tree reports; 0 for all
    #[arg(long, value_name = "N", default_value_t = 30, help_heading = "Output")]
    top: usize,

    /// What comes first in the text report
    #[arg(
        long,
        value_enum,
        value_name = "BY",
        default_value = "self",
        help_heading = "Output"
    )]
    sort: SortArgument,

    /// Show in the text report only functions whose names contain this, in upper or lower case
    #[arg(long, value_name = "TEXT", help_heading = "Output")]
    filter: Option<OsString>,

    /// Show in the text report only this function, with its callers and callees
    #[arg(
        long,
        value_name = "NAME",
        conflicts_with = "filter",
        help_heading = "Output"
    )]
    function: Option<OsString>,

    /// Compare with this profile; repeatable
    ///
    /// Shows what the totals are and which functions differ, as text or JSON.
    #[arg(long, value_name = "FILE", help_heading = "Comparison")]
    base: Vec<PathBuf>,

    /// End with status 3 if the total exceeds that of the base by more percent than this
    #[arg(
        long,
        value_name = "PERCENT",
        requires = "base",
        allow_hyphen_values = true,
        help_heading = "Comparison"
    )]
    max_growth: Option<MaxGrowth>,

    /// End with status 3 if anything of the inputs was cut off, skipped or missing
    #[arg(long, help_heading = "Reading")]
    strict: bool,

    /// Event whose cost is written [default: the first of `events:`]
    ///
    /// Derived events, which `event:` lines define, are events too. Repeatable for text, JSON and
    /// callgrind, which hold all events unless some are named.
    #[arg(short, long, value_name = "NAME", help_heading = "Figures")]
    event: Vec<OsString>,

    /// How inclusive costs treat recursion
    ///
    /// Summed is self cost plus the cost of all calls, as webgrind defines it: recursion counts
    /// twice. With outermost no cost of a trace counts twice; sums tell no more than a function's
    /// calls to itself, which are left out.
    #[arg(
        long,
        value_enum,
        value_name = "HOW",
        default_value = "summed",
        help_heading = "Figures"
    )]
    inclusive: InclusiveArgument,

    /// Step over this function in the call lists of a trace; repeatable
    ///
    /// A call to it is replaced by the calls that it made: php::call_user_func, for example.
    #[arg(long, value_name = "NAME", help_heading = "Figures")]
    proxy_function: Vec<OsString>,

    /// What to do about numbers of more than 32 bits
    ///
    /// Webgrind's formats hold no more. Scale divides all costs by a power of ten and renames the
    /// event, saturate writes 4294967295, error writes nothing.
    #[arg(
        long,
        value_enum,
        value_name = "POLICY",
        default_value = "scale",
        help_heading = "Figures"
    )]
    on_overflow: OverflowArgument,

    /// Whether the inputs hold single calls (trace) or sums (aggregate)
    ///
    /// Auto tells by the header: Xdebug writes traces, all others aggregates.
    #[arg(long, value_enum, default_value = "auto", help_heading = "Reading")]
    kind: KindArgument,

    /// Skip lines that cannot be read, instead of stopping at the first
    #[arg(long, help_heading = "Reading")]
    lenient: bool,

    /// Show on standard error how far the reading is
    ///
    /// Auto shows a bar on a terminal, when it takes longer than half a second; always shows it at
    /// once, and a line per second where there is no terminal.
    #[arg(
        long,
        value_enum,
        value_name = "WHEN",
        default_value = "auto",
        help_heading = "Messages"
    )]
    progress: ProgressArgument,

    /// No warnings
    #[arg(short, long, conflicts_with = "verbose", help_heading = "Messages")]
    quiet: bool,

    /// Close with a line of figures: functions, calls, bytes, seconds
    #[arg(short, long, help_heading = "Messages")]
    verbose: bool,

    /// Write a manual page or shell completions to standard output
    #[arg(
        long,
        value_enum,
        value_name = "WHAT",
        exclusive = true,
        help_heading = "Packaging"
    )]
    generate: Option<Generate>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum FormatArgument {
    #[value(alias = "4")]
    V4,
    #[value(alias = "5")]
    V5,
    #[value(alias = "6")]
    V6,
    #[value(alias = "7")]
    V7,
    Collapsed,
    Tree,
    Text,
    Json,
    Callgrind,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum SortArgument {
    #[value(name = "self")]
    SelfCost,
    Inclusive,
    Calls,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum KindArgument {
    Auto,
    Trace,
    Aggregate,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum InclusiveArgument {
    Summed,
    Outermost,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum OverflowArgument {
    Scale,
    Saturate,
    Error,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ProgressArgument {
    Auto,
    Always,
    Never,
}

impl Arguments {
    fn options(&self) -> Options {
        Options {
            format: self.format(),
            read: callgrind::Options {
                kind: match self.kind {
                    KindArgument::Auto => KindChoice::Auto,
                    KindArgument::Trace => KindChoice::Fixed(Kind::Trace),
                    KindArgument::Aggregate => KindChoice::Fixed(Kind::Aggregate),
                },
                lenient: self.lenient,
            },
            events: match self.event.as_slice() {
                [] if self.format().holds_all_events() && self.base.is_empty() => EventChoice::All,
                [] => EventChoice::First,
                events => EventChoice::Named(names(events)),
            },
            inclusive: match self.inclusive {
                InclusiveArgument::Summed => InclusiveCost::Summed,
                InclusiveArgument::Outermost => InclusiveCost::Outermost,
            },
            proxies: names(&self.proxy_function),
            allow_empty: false,
            escape_html: false,
            on_overflow: match self.on_overflow {
                OverflowArgument::Scale => OnOverflow::Scale,
                OverflowArgument::Saturate => OnOverflow::Saturate,
                OverflowArgument::Error => OnOverflow::Error,
            },
            overwrite_profiles: self.force,
            links: Links::default(),
            base: sources(&self.base),
            max_growth: self.max_growth,
        }
    }

    fn format(&self) -> Format {
        match self.format {
            FormatArgument::V4 => Format::Preprocessed(Version::V4),
            FormatArgument::V5 => Format::Preprocessed(Version::V5),
            FormatArgument::V6 => Format::Preprocessed(Version::V6),
            FormatArgument::V7 => Format::Preprocessed(Version::V7),
            FormatArgument::Collapsed => Format::Collapsed,
            FormatArgument::Tree => Format::Tree(self.report_options()),
            FormatArgument::Text => Format::Text(self.report_options()),
            FormatArgument::Json => Format::Json,
            FormatArgument::Callgrind => Format::Callgrind,
        }
    }

    fn report_options(&self) -> text::Options {
        text::Options::default()
            .top((self.top > 0).then_some(self.top))
            .sort(match self.sort {
                SortArgument::SelfCost => Sort::SelfCost,
                SortArgument::Inclusive => Sort::Inclusive,
                SortArgument::Calls => Sort::Calls,
            })
            .filter(self.filter.clone().map(OsString::into_encoded_bytes))
            .function(self.function.clone().map(OsString::into_encoded_bytes))
            .width(self.width())
            .color(self.color())
    }

    /// Columns of the terminal, if that is where the output goes.
    fn width(&self) -> Option<usize> {
        if !self.target().is_terminal() {
            return None;
        }
        let size = terminal_size::terminal_size();
        // Some do not know their own size.
        Some(size.map_or(80, |(width, _)| width.0.into()))
    }

    /// Whether whoever reads the output wants it coloured.
    fn color(&self) -> bool {
        matches!(self.target(), Target::Stdout)
            && anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never
    }

    fn sources(&self) -> Vec<Source> {
        if self.inputs.is_empty() {
            return vec![Source::Stdin];
        }
        sources(&self.inputs)
    }

    fn target(&self) -> Target {
        match &self.output {
            Some(path) if path.as_os_str() != "-" => Target::File(path.clone()),
            _ => Target::Stdout,
        }
    }

    fn progress(&self) -> When {
        match self.progress {
            ProgressArgument::Auto => When::Auto,
            ProgressArgument::Always => When::Always,
            ProgressArgument::Never => When::Never,
        }
    }

    /// Ends the program where arguments that are right in themselves make no sense here.
    fn check_terminals(&self) {
        if self.inputs.is_empty() && io::stdin().is_terminal() {
            usage_error("no INPUT, and standard input is a terminal: name a profile, or `-`");
        }
        if !self.base.is_empty() && !self.format().has_comparison() {
            usage_error("this format has no comparison: choose -f text, -f json or -f collapsed");
        }
        if self.event.len() > 1 && self.format().is_binary() {
            usage_error("this format holds one event: name one, or choose another format");
        }
        if self.format().is_binary() && self.target().is_terminal() {
            usage_error(
                "the output is binary and would go to a terminal: name a file with -o, use a pipe, or choose -f text or -f json",
            );
        }
    }
}

fn sources(paths: &[PathBuf]) -> Vec<Source> {
    let paths = paths.iter();
    paths
        .map(|path| match path.as_os_str() {
            dash if dash == "-" => Source::Stdin,
            _ => Source::File(path.clone()),
        })
        .collect()
}

fn usage_error(message: &str) -> ! {
    Arguments::command()
        .error(ErrorKind::MissingRequiredArgument, message)
        .exit()
}

/// Names as bytes; what is no Unicode stays as it is.
pub fn names(names: &[OsString]) -> Vec<Vec<u8>> {
    let names = names.iter().cloned();
    names.map(OsString::into_encoded_bytes).collect()
}

/// Runs the program with the arguments it was called with.
pub fn run() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    if let Some(what) = arguments.generate {
        what.write(Arguments::command())?;
        return Ok(ExitCode::SUCCESS);
    }
    arguments.check_terminals();
    let start = Instant::now();
    let report = convert(&arguments)?;
    let mut messages = io::stderr().lock();
    if !arguments.quiet {
        for warning in &report.warnings {
            // Nobody is left to hear of it when this fails; the output is written.
            let _ = writeln!(messages, "warning: {warning}");
        }
    }
    if arguments.verbose {
        let _ = writeln!(messages, "{}", figures(&report, start));
    }
    let mut has_failed = false;
    if let Some(failure) = &report.growth {
        let _ = writeln!(messages, "failed: {failure}");
        has_failed = true;
    }
    if arguments.strict && !report.is_complete() {
        let _ = writeln!(messages, "failed: the input is not complete");
        has_failed = true;
    }
    Ok(match has_failed {
        true => ExitCode::from(GATE_FAILED),
        false => ExitCode::SUCCESS,
    })
}

fn convert(arguments: &Arguments) -> Result<Report> {
    let (sources, target) = (arguments.sources(), arguments.target());
    let options = arguments.options();
    if target == Target::Stdout {
        standard_output::check().map_err(|source| ConvertError::Output {
            output: Target::Stdout,
            source,
        })?;
    }
    let conversion = Conversion::prepare(&sources, &target, &options)
        .map_err(|error| with_advice(error, arguments))?;
    #[cfg(unix)]
    crate::signals::handle(conversion.unfinished());
    let progress = conversion.progress().clone();
    let bar = Bar::start(arguments.progress(), progress, conversion.bytes());
    let loaded = conversion.read();
    drop(bar);
    Ok(loaded?.write()?)
}

/// Says what to do where the arguments are easily mistaken: the last input looks as if it were
/// meant as the output, or a pattern behind -o has matched a profile.
fn with_advice(error: ConvertError, arguments: &Arguments) -> anyhow::Error {
    if matches!(error, ConvertError::OverProfile { .. }) {
        return anyhow!("{error}, or say --force");
    }
    let Some((path, [_, ..])) = arguments.inputs.split_last() else {
        return error.into();
    };
    let is_meant_as_output = arguments.output.is_none() && !path.exists();
    match &error {
        ConvertError::Open {
            input: Source::File(input),
            ..
        } if is_meant_as_output && input == path => {
            let error = anyhow::Error::from(error);
            anyhow!("{error:#}; if it is to be written, say -o before it")
        }
        _ => error.into(),
    }
}

fn figures(report: &Report, start: Instant) -> String {
    let Report {
        functions,
        calls,
        bytes_in,
        bytes_unpacked,
        bytes_out,
        ..
    } = report;
    let seconds = start.elapsed().as_secs_f64();
    let unpacked = if bytes_in == bytes_unpacked {
        String::new()
    } else {
        format!(" ({bytes_unpacked} unpacked)")
    };
    // A rate is no exact figure.
    #[allow(clippy::cast_precision_loss)]
    let rate = *bytes_unpacked as f64 / 1e6 / seconds.max(1e-6);
    format!(
        "{functions} functions, {calls} calls, {bytes_in} bytes in{unpacked}, {bytes_out} bytes out, {seconds:.3} s, {rate:.1} MB/s"
    )
}
