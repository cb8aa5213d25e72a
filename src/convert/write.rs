//! A profile into the output.

use std::io::{self, Write};

use super::warning::estimated;
use super::{ConvertError, Format, FormatError, Options, Report, Warning, allow_gates};
use crate::io::Output;
use crate::profile::{Comparison, GrowthFailure, Profile, Stacks};
#[cfg(feature = "compression")]
use crate::report::pprof;
use crate::report::{collapsed, html, json, markdown, text, tree};
use crate::shown::text::excerpt;
use crate::webgrind::WriteOptions;
use crate::{callgrind, webgrind};

/// A conversion whose inputs have been read.
#[derive(Debug)]
pub struct Loaded<'a> {
    pub(super) profile: Profile,
    pub(super) report: Report,
    pub(super) base: Option<Base>,
    pub(super) output: Output,
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
    /// Compares a profile with it, and tells what comes of the limits. The report gets what there is to
    /// say about the comparison, and the limits that are not kept.
    fn compare<'a>(
        &'a self,
        new: &'a Profile,
        options: &Options,
        report: &mut Report,
    ) -> Result<(Comparison<'a>, Vec<markdown::Verdict>), ConvertError> {
        let compare = match options.comparison.per_run {
            true => Comparison::per_run,
            false => Comparison::new,
        };
        let comparison = compare(&self.profile, new);
        let comparison = comparison.map_err(|error| ConvertError::Compare {
            inputs: self.inputs.clone(),
            error,
        })?;
        let mut limits = Vec::new();
        for gate in &options.comparison.max_growth {
            let failure = comparison.check(gate).err();
            if let Some(failure @ GrowthFailure::NoFunction(_)) = failure {
                let reason = format!("{}: {failure}", self.inputs);
                return Err(ConvertError::CannotCheck(reason));
            }
            limits.push(markdown::Verdict {
                kept: failure.is_none(),
                text: (failure.as_ref()).map_or_else(|| gate.to_string(), GrowthFailure::to_string),
            });
            report.growth.extend(failure);
        }
        let mut warnings = Vec::new();
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
        allow_gates(options, comparison.first().name, &warnings)?;
        report.warnings.extend(warnings);
        Ok((comparison, limits))
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
        let warnings = &self.report.warnings;
        // What readers of the output should know about the inputs.
        let notes = |found: &[Warning]| -> Vec<String> {
            let all = warnings.iter().chain(found);
            all.map(Warning::to_string).collect()
        };
        let mut found = Vec::new();
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
                        version: options.format.needs().version.unwrap_or_default(),
                        ..options.webgrind
                    };
                    let warnings = webgrind::write(profile, &write, to)?;
                    found.extend(warnings.into_iter().map(Warning::Webgrind));
                }
                (Format::Callgrind, _) => {
                    let warnings = callgrind::write(profile, to)?;
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
                (Format::Text, None) => text::write(profile, text, to)?,
                (Format::Text, Some((comparison, _))) => {
                    text::write_comparison(comparison, text, to)?;
                }
                (Format::Markdown, None) => markdown::write(profile, text, to)?,
                (Format::Markdown, Some((comparison, limits))) => {
                    markdown::write_comparison(comparison, limits, text, to)?;
                }
                #[cfg(feature = "compression")]
                (Format::Pprof, _) => {
                    let (base, new) = stacks(&mut found);
                    let notes = notes(&found);
                    let warnings =
                        pprof::write(&new, base.as_ref(), options.comparison.per_run, &notes, to)?;
                    found.extend(warnings.into_iter().map(Warning::Pprof));
                }
                (Format::Json, None) => json::write(profile, &notes(&[]), to)?,
                (Format::Json, Some((comparison, _))) => json::write_comparison(comparison, to)?,
                (Format::Html, compared) => {
                    let (base, new) = stacks(&mut found);
                    let sides = compared.as_ref().zip(base.as_ref());
                    let compared = sides.map(|((comparison, limits), base)| html::Compared {
                        base,
                        comparison,
                        limits,
                    });
                    html::write(&new, compared.as_ref(), &notes(&found), &options.html, to)?;
                }
            }
            Ok(())
        })?;
        self.report.bytes_out = bytes;
        self.report.warnings.extend(found);
        Ok(self.report)
    }
}

/// Writes with `fill`; how many bytes. A reader that has closed the pipe is no error.
fn write_to(
    output: &Output,
    fill: impl FnOnce(&mut dyn Write) -> Result<(), FormatError>,
) -> Result<u64, ConvertError> {
    let written = output.write(|output| {
        let mut output = Counting { output, bytes: 0 };
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

/// A writer that counts its bytes.
struct Counting<W> {
    output: W,
    bytes: u64,
}

impl<W: Write> Write for Counting<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.output.write(bytes)?;
        self.bytes += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}
