//! The command line: arguments to options, reports to messages.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Result;
use cg_preprocess::callgrind::{self, KindChoice};
use cg_preprocess::convert::{Format, Options, Report, convert};
use cg_preprocess::input::Source;
use cg_preprocess::output::Target;
use cg_preprocess::profile::{InclusiveCost, Kind, ProfileOptions};
use cg_preprocess::webgrind::{OnOverflow, Version};
use clap::{Parser, ValueEnum};

/// Converts callgrind profiles into webgrind's preprocessed format.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    /// Profiles; several are merged into one output. `-` or none: standard input
    #[arg(value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// Where to write; `-` or none: standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// What to write: v4, v5, v6 or v7
    #[arg(short, long, default_value = "v7", value_parser = parse_format)]
    format: Format,
    /// Event whose cost is written [default: the first of `events:`]
    #[arg(short, long, value_name = "NAME")]
    event: Option<String>,
    /// What the blocks of the inputs are
    #[arg(long, value_enum, default_value = "auto")]
    kind: KindArgument,
    /// How inclusive costs treat recursion
    #[arg(long, value_enum, default_value = "summed")]
    inclusive: InclusiveArgument,
    /// Step over this function in the call lists of a trace; repeatable
    #[arg(long, value_name = "NAME")]
    proxy_function: Vec<String>,
    /// What to do about numbers of more than 32 bits
    #[arg(long, value_enum, default_value = "scale")]
    on_overflow: OverflowArgument,
    /// Skip lines that cannot be read
    #[arg(long)]
    lenient: bool,
    /// No warnings
    #[arg(short, long, conflicts_with = "verbose")]
    quiet: bool,
    /// One closing line with figures
    #[arg(short, long)]
    verbose: bool,
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

fn parse_format(text: &str) -> Result<Format, String> {
    text.parse::<Version>()
        .map(Format::Preprocessed)
        .map_err(|()| "expected v4, v5, v6 or v7".to_owned())
}

impl Arguments {
    fn options(&self) -> Options {
        Options {
            format: self.format,
            read: callgrind::Options {
                kind: match self.kind {
                    KindArgument::Auto => KindChoice::Auto,
                    KindArgument::Trace => KindChoice::Fixed(Kind::Trace),
                    KindArgument::Aggregate => KindChoice::Fixed(Kind::Aggregate),
                },
                lenient: self.lenient,
            },
            profile: ProfileOptions {
                event: self.event.clone().map(String::into_bytes),
                inclusive: match self.inclusive {
                    InclusiveArgument::Summed => InclusiveCost::Summed,
                    InclusiveArgument::Outermost => InclusiveCost::Outermost,
                },
                proxies: self
                    .proxy_function
                    .iter()
                    .map(|name| name.clone().into_bytes())
                    .collect(),
                invocations: false,
            },
            on_overflow: match self.on_overflow {
                OverflowArgument::Scale => OnOverflow::Scale,
                OverflowArgument::Saturate => OnOverflow::Saturate,
                OverflowArgument::Error => OnOverflow::Error,
            },
        }
    }

    fn sources(&self) -> Vec<Source> {
        if self.inputs.is_empty() {
            return vec![Source::Stdin];
        }
        let inputs = self.inputs.iter();
        inputs
            .map(|path| match path.as_os_str() {
                dash if dash == "-" => Source::Stdin,
                _ => Source::File(path.clone()),
            })
            .collect()
    }

    fn target(&self) -> Target {
        match &self.output {
            Some(path) if path.as_os_str() != "-" => Target::File(path.clone()),
            _ => Target::Stdout,
        }
    }
}

/// Runs the program with the arguments it was called with.
pub fn run() -> Result<()> {
    let arguments = Arguments::parse();
    let start = Instant::now();
    let report = convert(
        &arguments.sources(),
        &arguments.target(),
        &arguments.options(),
    )?;
    if !arguments.quiet {
        for warning in &report.warnings {
            eprintln!("warning: {warning}");
        }
    }
    if arguments.verbose {
        print_figures(&report, start);
    }
    Ok(())
}

fn print_figures(report: &Report, start: Instant) {
    let seconds = start.elapsed().as_secs_f64();
    eprintln!(
        "{} functions, {} call edges, {} bytes in, {} bytes out, {seconds:.3} s",
        report.functions, report.edges, report.bytes_in, report.bytes_out,
    );
}
