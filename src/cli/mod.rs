//! The command line: turns arguments into options, and reports into messages.

mod arguments;
mod browser;
mod conflicts;
mod generate;
mod help;
mod inputs;
mod output_format;
pub mod preprocessor;
mod progress;
#[cfg(unix)]
mod signals;
mod webgrind_files;

use std::env;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Result, anyhow};
use cg_preprocess::compare::{Outcome, Verdict};
use cg_preprocess::io::{Source, Target};
use cg_preprocess::run::{
    self, Conversion, ConvertError, ConvertOptions, Converted, Format, Loaded, Warning,
};
use clap::{CommandFactory, FromArgMatches};
use same_file::Handle;

use arguments::Arguments;
use progress::Bar;
use webgrind_files::WebgrindFiles;

/// The exit status if the output was written, but a limit or --strict failed.
const FAILED: u8 = 3;

/// The most failures that are listed.
const MAX_FAILURES: usize = 10;

/// Runs the program with the arguments it was called with.
pub fn run() -> Result<ExitCode> {
    let arguments = parse();
    if let Some(what) = arguments.rare.generate {
        what.write(Arguments::command())?;
        return Ok(ExitCode::SUCCESS);
    }
    arguments.check();
    let start = Instant::now();
    #[cfg(unix)]
    signals::handle();
    let target = if arguments.opens_new_page() {
        browser::temporary_page()?
    } else {
        arguments.target()
    };
    let files = arguments.webgrind_files()?;
    let converted = match &files {
        Some(files) => show_in_webgrind(files, &arguments)?,
        None => convert(&target, &arguments)?,
    };
    if arguments.opens_new_page() {
        writeln!(io::stdout(), "{target}")?;
    }
    let mut messages = io::stderr().lock();
    // If this fails, nobody can be told, and the output is written.
    let mut say = |line: String| drop(messages.write_all((line + "\n").as_bytes()));
    let (quiet, strict) = (arguments.messages.quiet, arguments.reading.strict);
    for listed in converted.warnings.iter() {
        // A misspelled name must not go unnoticed; with --strict it is listed below.
        let is_said = match listed.warning {
            Warning::LimitOnNothing(_) => !strict,
            _ => !quiet,
        };
        if is_said {
            say(format!("warning: {listed}"));
        }
    }
    if let Some(lost) = arguments.lost_arrow()
        && !quiet
        && is_redirected()
    {
        say(format!("warning: a name ends with -{lost}"));
    }
    if let Some(files) = files.filter(|_| !quiet) {
        say(files.advice());
    }
    let failures = failures(&converted, strict);
    let (listed, others) = failures.split_at(failures.len().min(MAX_FAILURES));
    for failure in listed {
        say(format!("failed: {failure}"));
    }
    if !others.is_empty() {
        say(format!("failed: {} more like these", others.len()));
    }
    if arguments.messages.verbose {
        say(statistics(&converted, start));
    }
    if let Target::File(page) = &target
        && arguments.output.open
        && let Some(failure) = browser::open(page)
    {
        say(format!("warning: {failure}"));
    }
    Ok(if failures.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(FAILED)
    })
}

/// Reads the arguments, or ends the program, also if they contradict each other.
///
/// Error messages repeat wrong arguments. These are made printable first, because scripts pass on
/// names that others chose.
fn parse() -> Arguments {
    let read = |arguments: &mut dyn Iterator<Item = OsString>| {
        let matches = Arguments::command().try_get_matches_from(arguments);
        let mut matches =
            matches.map_err(|error| conflicts::in_own_words(&error).unwrap_or(error))?;
        conflicts::check_order(&matches)?;
        Arguments::from_arg_matches_mut(&mut matches)
    };
    read(&mut env::args_os()).unwrap_or_else(|error| {
        let shown = |argument: OsString| Source::File(argument.into()).to_string();
        let again = read(&mut env::args_os().map(shown).map(OsString::from));
        // If they are valid now, a byte that is escaped was wrong. No message repeats it.
        again.err().unwrap_or(error).exit()
    })
}

fn convert(target: &Target, arguments: &Arguments) -> Result<Converted> {
    let (sources, mut options) = (arguments.sources()?, arguments.options()?);
    options.output.is_private = arguments.opens_new_page();
    let read = || {
        let conversion = Conversion::prepare(&sources, target, &options)?;
        let progress = conversion.progress().clone();
        // The bar disappears before any message.
        let _bar = Bar::start(arguments.rare.progress, progress, conversion.bytes());
        conversion.read()
    };
    let written = read().and_then(Loaded::write);
    written.map_err(|error| with_advice(error, arguments, sources.len()))
}

/// Writes the profile where webgrind lists it, and then the webgrind file, exactly as webgrind
/// would have this program write it.
fn show_in_webgrind(files: &WebgrindFiles, arguments: &Arguments) -> Result<Converted> {
    files.check()?;
    let mut options = ConvertOptions::default();
    options.format = Format::V7;
    options.on_overflow = arguments.rare.on_overflow;
    options.escape_html = true;
    let preprocessed = Target::File(files.preprocessed.clone());
    // The profile must not be replaced if the other file is not writable.
    Conversion::prepare(&[], &preprocessed, &options)?;
    let mut converted = convert(&Target::File(files.profile.clone()), arguments)?;
    let inputs = [Source::File(files.profile.clone())];
    // Another process may replace the profile meanwhile. The process that writes the webgrind file
    // last must have read the latest profile.
    let shown = loop {
        let read = Handle::from_path(&files.profile)?;
        let shown = run::convert(&inputs, &preprocessed, &options)?;
        if Handle::from_path(&files.profile)? == read {
            break shown;
        }
    };
    files.remove_pictures();
    converted.warnings.append(shown.warnings);
    converted.bytes_out += shown.bytes_out;
    Ok(converted)
}

/// Adds advice where arguments are easily confused, such as an output without -o, or a pattern
/// after -o that matched a profile, and where one of many inputs is bad.
fn with_advice(error: ConvertError, arguments: &Arguments, inputs: usize) -> anyhow::Error {
    let is_meant_as_output = |input: &Source| match (arguments.inputs.as_slice(), input) {
        ([_, .., last], Source::File(path)) => {
            arguments.output.output.is_none() && input == last && !path.exists()
        }
        _ => false,
    };
    let advice = match &error {
        ConvertError::OverProfile(_) => ", or use --force",
        ConvertError::Open { input, source }
            if source.kind() == io::ErrorKind::NotFound
                && arguments.comparison.base.contains(input) =>
        {
            "; save a base first: cg-preprocess PROFILE -f callgrind -o base.cg"
        }
        ConvertError::Open { input, .. } if is_meant_as_output(input) => {
            "; to write to it, use -o FILE"
        }
        error if inputs > 1 && arguments.may_keep_going() && error.is_about_one_input() => {
            "; use --keep-going to skip inputs that cannot be read"
        }
        ConvertError::Report(_) => arguments.lost_arrow().unwrap_or_default(),
        _ => return error.into(),
    };
    anyhow!("{:#}{advice}", anyhow::Error::from(error))
}

/// Whether the shell has sent standard output to a file.
fn is_redirected() -> bool {
    Path::new("/dev/stdout")
        .metadata()
        .is_ok_and(|at| at.is_file())
}

/// What failed although the output was written.
fn failures(converted: &Converted, is_strict: bool) -> Vec<String> {
    let is_incomplete = is_strict && !converted.is_complete();
    let incomplete = is_incomplete.then(|| "the input is incomplete".to_owned());
    let has_failed = |verdict: &&Verdict| match verdict.outcome {
        Outcome::Passed => false,
        Outcome::NotFound => is_strict,
        Outcome::Incomplete | Outcome::Failed => true,
    };
    let failed = converted.verdicts.iter().filter(has_failed);
    incomplete
        .into_iter()
        .chain(failed.map(Verdict::to_string))
        .collect()
}

fn statistics(converted: &Converted, start: Instant) -> String {
    let seconds = start.elapsed().as_secs_f64();
    let decompressed = match converted.bytes_decompressed {
        bytes if bytes == converted.bytes_in => String::new(),
        bytes => format!(" ({bytes} decompressed)"),
    };
    let rate = converted.bytes_decompressed as f64 / 1e6 / seconds.max(1e-6);
    let sources = match converted.source_files {
        Some(files) => format!(
            ", source files: {} found, {} refused, {} not found",
            files.found, files.refused, files.missing
        ),
        None => String::new(),
    };
    let plural = |count| if count == 1 { "" } else { "s" };
    let (functions, calls) = (converted.functions, converted.calls);
    let [of_functions, of_calls] = [functions as u64, calls].map(plural);
    format!(
        "{functions} function{of_functions}, {calls} call{of_calls}, {} bytes in{decompressed}, {} bytes out{sources}, {seconds:.3} s, {rate:.1} MB/s",
        converted.bytes_in, converted.bytes_out
    )
}
