//! A profile into the output.

use std::io::{self, Write};

use super::notices::estimated;
use super::{ConvertError, Format, FormatError, Options, Report, Warning, allow_limits};
use crate::compare::{self, Comparison, Outcome};
use crate::display::text::{excerpt, printable};
use crate::io::{Output, SourceFiles};
#[cfg(feature = "compression")]
use crate::output::pprof;
use crate::output::{self, Names, html, markdown, text, tree};
use crate::output::{collapsed, dot, json};
use crate::profile::Profile;
use crate::stacks::Stacks;
use crate::warnings::Warnings;
use crate::webgrind::WriteOptions;
use crate::{callgrind, webgrind};

/// A conversion whose inputs have been read.
#[derive(Debug)]
pub struct Loaded<'a> {
    pub(super) profile: Profile,
    pub(super) report: Report,
    pub(super) base: Option<Base>,
    pub(super) output: Output,
    pub(super) sources: SourceFiles,
    pub(super) options: &'a Options,
}

/// What the inputs are compared with.
#[derive(Debug)]
pub(super) struct Base {
    /// Where it comes from.
    pub inputs: String,
    pub profile: Profile,
}

impl Base {
    /// Compares a profile with it. The report gets what there is to say about that.
    fn compare<'a>(
        &'a self,
        new: &'a Profile,
        options: &Options,
        report: &mut Report,
    ) -> Result<Comparison<'a>, ConvertError> {
        let compare = match options.comparison.per_run {
            true => Comparison::per_run,
            false => Comparison::new,
        };
        let comparison = compare(&self.profile, new).map_err(|error| ConvertError::Compare {
            inputs: self.inputs.clone(),
            error,
        })?;
        let mut warnings = Warnings::default();
        if let Some(units) = comparison.first().unequal_units {
            let [base, new] = units.map(|unit| match unit {
                "" => "an unknown unit",
                unit => unit,
            });
            let event = excerpt(comparison.first().name);
            warnings.push(Warning::Units { event, base, new });
        }
        let [base, new] = comparison.runs();
        if base != new && !options.comparison.per_run {
            warnings.push(Warning::Runs { base, new });
        }
        allow_limits(options, comparison.first().name, &warnings)?;
        report.warnings.append(warnings, |warning| warning);
        Ok(comparison)
    }
}

impl Loaded<'_> {
    /// What was read.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// Writes it.
    ///
    /// A reader that closes a pipe before it has read everything is no error.
    ///
    /// # Errors
    ///
    /// When the output fails, or when the format cannot hold the profile.
    pub fn write(mut self) -> Result<Report, ConvertError> {
        let (profile, options, text) = (&self.profile, self.options, &self.options.text);
        self.report.count(profile);
        let compared = match &self.base {
            None => None,
            Some(base) => Some(base.compare(profile, options, &mut self.report)?),
        };
        let (limits, each_part) = (&options.limits, options.limit_each_part);
        let verdicts = compare::check_all(limits, each_part, profile, compared.as_ref())?;
        let not_found = verdicts.iter();
        let not_found = not_found.filter(|verdict| verdict.outcome == Outcome::NotFound);
        let not_found = not_found.map(|verdict| Warning::LimitOnNothing(verdict.text.clone()));
        self.report.warnings.extend(not_found);
        self.report.verdicts = verdicts;
        let verdicts = &self.report.verdicts[..];
        let warnings = &self.report.warnings;
        // What readers of the output should know about the inputs.
        let notes = |found: &[Warning]| -> Vec<String> {
            let listed = warnings.iter().map(|listed| listed.to_string());
            listed.chain(found.iter().map(Warning::to_string)).collect()
        };
        let mut found = Vec::new();
        let sources = &mut self.sources;
        let stacks = |found: &mut Vec<Warning>| {
            let base = self.base.as_ref().map(|base| Stacks::new(&base.profile));
            let new = Stacks::new(profile);
            found.extend(estimated(base.as_ref(), &new));
            (base, new)
        };
        let bytes = write_to(&self.output, |to| {
            match (options.format, &compared) {
                (Format::V4 | Format::V5 | Format::V6 | Format::V7, _) => {
                    let write = WriteOptions {
                        version: options.format.capabilities().version.unwrap_or_default(),
                        ..options.webgrind
                    };
                    let warnings = webgrind::write(profile, &write, to)?;
                    found.extend(warnings.into_iter().map(Warning::Webgrind));
                }
                (Format::Callgrind, _) => {
                    let warnings = match self.output.target.is_terminal() {
                        true => callgrind::write(profile, &mut LineShower::new(to))?,
                        false => callgrind::write(profile, to)?,
                    };
                    found.extend(warnings.into_iter().map(Warning::Written));
                }
                (Format::Collapsed, _) => {
                    let (base, new) = stacks(&mut found);
                    let warnings = match &base {
                        None => collapsed::write(&new, to)?,
                        Some(base) => collapsed::write_comparison(base, &new, to)?,
                    };
                    found.extend(warnings.into_iter().map(Warning::Collapsed));
                }
                (Format::Tree, _) => tree::write(&stacks(&mut found).1, text, to)?,
                (Format::Text, None) => text::write(profile, text, sources, to)?,
                (Format::Text, Some(comparison)) => {
                    text::write_comparison(comparison, text, sources, to)?;
                }
                (Format::Markdown, None) => {
                    markdown::write(&Stacks::new(profile), verdicts, text, to)?
                }
                (Format::Markdown, Some(comparison)) => {
                    markdown::write_comparison(comparison, verdicts, text, to)?;
                }
                #[cfg(feature = "compression")]
                (Format::Pprof, _) => {
                    let (base, new) = stacks(&mut found);
                    let notes = notes(&found);
                    let warnings =
                        pprof::write(&new, base.as_ref(), options.comparison.per_run, &notes, to)?;
                    found.extend(warnings.into_iter().map(Warning::Pprof));
                }
                (Format::Dot, None) => dot::write(profile, &graph_options(text), to)?,
                (Format::Dot, Some(comparison)) => {
                    dot::write_comparison(comparison, &graph_options(text), to)?;
                }
                (Format::Json, None) => json::write(profile, &notes(&[]), to)?,
                (Format::Json, Some(comparison)) => json::write_comparison(comparison, to)?,
                (Format::Html, compared) => {
                    let (base, new) = stacks(&mut found);
                    let sides = compared.as_ref().zip(base.as_ref());
                    let compared =
                        sides.map(|(comparison, base)| html::Compared { base, comparison });
                    let estimates = found.first().map(Warning::to_string);
                    let notes = html::Notes {
                        warnings: &notes(&[]),
                        estimates: estimates.as_deref(),
                        limits: verdicts,
                    };
                    let compared = compared.as_ref();
                    html::write(&new, compared, &notes, sources, &options.html, to)?;
                }
            }
            Ok(())
        })?;
        self.report.bytes_out = bytes;
        self.report.warnings.extend(found);
        if !self.sources.is_empty() {
            self.report.source_files = Some(self.sources.counts());
            let first = self
                .sources
                .first_missing()
                .map(|(name, reason)| Warning::NoSource {
                    first: printable(name),
                    reason,
                });
            self.report.warnings.extend(first);
            let newer = self
                .sources
                .newer()
                .map(|name| Warning::NewerSource(printable(name)));
            self.report.warnings.extend(newer);
        }
        Ok(self.report)
    }
}

/// What is chosen about a graph.
fn graph_options(chosen: &output::Options) -> dot::Options {
    dot::Options {
        top: chosen.top,
        function: chosen.function.clone(),
        full_names: chosen.names == Names::Full,
    }
}

/// Writes with `fill`; how many bytes. A reader that has closed the pipe is no error.
fn write_to(
    output: &Output,
    fill: impl FnOnce(&mut dyn Write) -> Result<(), FormatError>,
) -> Result<u64, ConvertError> {
    let written = output.write(|output| {
        let mut output = CountingWriter { output, bytes: 0 };
        fill(&mut output)?;
        Ok(output.bytes)
    });
    let output = output.target.clone();
    match written {
        Ok(bytes) => Ok(bytes),
        Err(
            FormatError::Io(source)
            | FormatError::Webgrind(webgrind::WriteError::Io(source))
            | FormatError::Callgrind(callgrind::WriteError::Io(source))
            | FormatError::Text(text::Error::Io(source)),
        ) => match source.kind() {
            io::ErrorKind::BrokenPipe => Ok(0),
            _ => Err(ConvertError::Output { output, source }),
        },
        Err(FormatError::Text(error)) => Err(ConvertError::Report(error)),
        Err(source) => Err(ConvertError::Format { output, source }),
    }
}

/// A writer to a terminal, which must not obey what names contain.
struct LineShower<W> {
    output: W,
    line: Vec<u8>,
}

impl<W: Write> LineShower<W> {
    fn new(output: W) -> Self {
        let line = Vec::new();
        LineShower { output, line }
    }
}

impl<W: Write> Write for LineShower<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for piece in bytes.split_inclusive(|&byte| byte == b'\n') {
            let whole = piece.strip_suffix(b"\n");
            self.line.extend_from_slice(whole.unwrap_or(piece));
            if whole.is_some() {
                writeln!(self.output, "{}", printable(&self.line))?;
                self.line.clear();
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

/// A writer that counts its bytes.
struct CountingWriter<W> {
    output: W,
    bytes: u64,
}

impl<W: Write> Write for CountingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.output.write(bytes)?;
        self.bytes += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}
