//! A profile into the output.

use std::io::{self, Write};

use super::warning::estimated;
use super::{ConvertError, Format, FormatError, Options, Report, Warning, allow_gates};
use crate::io::{Place, Target};
use crate::profile::{Comparison, GrowthFailure, Profile, Stacks};
use crate::report::json::{self, Completeness};
#[cfg(feature = "compression")]
use crate::report::pprof;
use crate::report::{collapsed, html, markdown, text, tree};
use crate::shown::text::excerpt;
use crate::webgrind::WriteOptions;
use crate::{callgrind, webgrind};

/// A conversion whose inputs have been read.
#[derive(Debug)]
pub struct Loaded<'a> {
    pub(super) profile: Profile,
    pub(super) report: Report,
    pub(super) base: Option<Base>,
    pub(super) output: Destination<'a>,
    pub(super) options: &'a Options,
}

/// What the inputs are compared with.
#[derive(Debug)]
pub(super) struct Base {
    /// Where it comes from.
    pub inputs: String,
    pub profile: Profile,
    pub complete: Completeness,
}

impl Base {
    /// Compares a profile with it; also what there is to say about the comparison.
    fn compare<'a>(
        &'a self,
        new: &'a Profile,
        options: &Options,
    ) -> Result<(Comparison<'a>, Vec<Warning>), ConvertError> {
        let compare = match options.per_run {
            true => Comparison::per_run,
            false => Comparison::new,
        };
        let inputs = || self.inputs.clone();
        let comparison = compare(&self.profile, new);
        let comparison = comparison.map_err(|error| ConvertError::Compare {
            inputs: inputs(),
            error,
        })?;
        let lacking = options.max_growth.iter().find_map(|gate| {
            let failure = comparison.check(gate).err()?;
            matches!(failure, GrowthFailure::NoFunction(_)).then_some(failure)
        });
        if let Some(failure) = lacking {
            return Err(ConvertError::NoFunctionToCheck {
                inputs: inputs(),
                failure: Box::new(failure),
            });
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
        if base != new && !options.per_run {
            warnings.push(Warning::Runs { base, new });
        }
        allow_gates(options, comparison.first().name, &mut warnings)?;
        Ok((comparison, warnings))
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
        let (profile, text) = (&self.profile, &self.options.text);
        self.report.count(profile);
        let comparison = match &self.base {
            None => None,
            Some(base) => {
                let (comparison, warnings) = base.compare(profile, self.options)?;
                self.report.warnings.extend(warnings);
                Some((base, comparison))
            }
        };
        let stacks_of_base = || {
            comparison
                .as_ref()
                .map(|(base, _)| Stacks::new(&base.profile))
        };
        let written = match (self.options.format, &comparison) {
            (Format::V4 | Format::V5 | Format::V6 | Format::V7, _) => self.stream(|to| {
                let mut options =
                    WriteOptions::new(self.options.format.version().unwrap_or_default());
                options.on_overflow = self.options.on_overflow;
                options.escape_html = self.options.escape_html;
                let found = webgrind::write(profile, &options, to)?;
                Ok(about(found, Warning::Webgrind))
            }),
            (Format::Callgrind, _) => {
                self.stream(|to| Ok(about(callgrind::write(profile, to)?, Warning::Written)))
            }
            (Format::Collapsed, _) => self.stream(|to| {
                let (base, new) = (stacks_of_base(), Stacks::new(profile));
                let found = match &base {
                    None => collapsed::write(&new, to)?,
                    Some(base) => collapsed::write_comparison(base, &new, to)?,
                };
                let estimated = estimated(base.as_ref(), &new);
                let found = about(found, Warning::Collapsed);
                Ok(estimated.into_iter().chain(found).collect())
            }),
            (Format::Tree, _) => self.stream(|to| {
                let stacks = Stacks::new(profile);
                tree::write(&stacks, text, to)?;
                Ok(estimated(None, &stacks).into_iter().collect())
            }),
            (Format::Text, None) => self.stream(|to| Ok(nothing(text::write(profile, text, to)?))),
            (Format::Text, Some((_, comparison))) => {
                self.stream(|to| Ok(nothing(text::write_comparison(comparison, text, to)?)))
            }
            (Format::Markdown, None) => {
                let complete = self.report.is_complete();
                self.stream(|to| Ok(nothing(markdown::write(profile, text, complete, to)?)))
            }
            (Format::Markdown, Some((base, comparison))) => self.stream(|to| {
                let (verdicts, complete) = (self.verdicts(comparison), base.complete);
                Ok(nothing(markdown::write_comparison(
                    comparison, &verdicts, text, complete, to,
                )?))
            }),
            #[cfg(feature = "compression")]
            (Format::Pprof, _) => self.stream(|to| {
                let (base, new) = (stacks_of_base(), Stacks::new(profile));
                let estimated = estimated(base.as_ref(), &new);
                let mut notes = self.notes().warnings;
                notes.extend(estimated.as_ref().map(Warning::to_string));
                let found = pprof::write(&new, base.as_ref(), self.options.per_run, &notes, to)?;
                let found = about(found, Warning::Pprof);
                Ok(estimated.into_iter().chain(found).collect())
            }),
            (Format::Json, None) => {
                let notes = self.notes();
                self.stream(|to| Ok(nothing(json::write(profile, &notes, to)?)))
            }
            (Format::Json, Some((base, comparison))) => self.stream(|to| {
                let complete = &base.complete;
                Ok(nothing(json::write_comparison(comparison, complete, to)?))
            }),
            (Format::Html, compared) => {
                let (mut notes, options) = (self.notes(), &self.options.html);
                self.stream(|to| {
                    let (stacks, new) = (stacks_of_base(), Stacks::new(profile));
                    let estimated = estimated(stacks.as_ref(), &new);
                    let told = estimated.as_ref().map(Warning::to_string);
                    notes.warnings.extend(told);
                    let sides = compared.as_ref().zip(stacks.as_ref());
                    let limits = compared
                        .as_ref()
                        .map(|(_, comparison)| self.verdicts(comparison));
                    let limits = limits.unwrap_or_default();
                    let compared = sides.map(|((base, comparison), stacks)| html::Compared {
                        base: stacks,
                        comparison,
                        complete: base.complete,
                        limits: &limits,
                    });
                    html::write(&new, compared.as_ref(), &notes, options, to)?;
                    Ok(estimated.into_iter().collect())
                })
            }
        };
        let written = written?;
        self.report.bytes_out = written.bytes;
        self.report.warnings.extend(written.warnings);
        if let Some((_, comparison)) = &comparison {
            let gates = self.options.max_growth.iter();
            let failures = gates.filter_map(|gate| comparison.check(gate).err());
            self.report.growth = failures.collect();
        }
        Ok(self.report)
    }

    /// What comes of the limits.
    fn verdicts(&self, comparison: &Comparison<'_>) -> Vec<markdown::Verdict> {
        let verdicts = self.options.max_growth.iter().map(|gate| {
            let failure = comparison.check(gate).err();
            markdown::Verdict {
                kept: failure.is_none(),
                text: failure.map_or_else(|| gate.to_string(), |failure| failure.to_string()),
            }
        });
        verdicts.collect()
    }

    /// What readers of the output should know about the inputs.
    fn notes(&self) -> json::Notes {
        let warnings = self.report.warnings.iter();
        json::Notes {
            complete: self.report.is_complete(),
            warnings: warnings.map(Warning::to_string).collect(),
        }
    }

    /// Writes from beginning to end.
    fn stream(
        &self,
        fill: impl FnOnce(&mut dyn Write) -> Result<Vec<Warning>, FormatError>,
    ) -> Result<Written, ConvertError> {
        let place = &self.output.place;
        self.output.outcome(place.write(|output| {
            let mut output = Counting { output, bytes: 0 };
            let warnings = fill(&mut output)?;
            let bytes = output.bytes;
            Ok::<_, FormatError>(Written { bytes, warnings })
        }))
    }
}

/// What came of writing.
#[derive(Debug, Default)]
struct Written {
    bytes: u64,
    warnings: Vec<Warning>,
}

fn about<W>(found: Vec<W>, warning: fn(W) -> Warning) -> Vec<Warning> {
    found.into_iter().map(warning).collect()
}

/// The warnings of what gives none.
fn nothing((): ()) -> Vec<Warning> {
    Vec::new()
}

/// Where the output goes, by its name and as it was found.
#[derive(Debug)]
pub(super) struct Destination<'a> {
    pub target: &'a Target,
    pub place: Place,
}

impl Destination<'_> {
    /// Turns a failure of the output into an error, except if its reader has closed the pipe.
    fn outcome(&self, written: Result<Written, FormatError>) -> Result<Written, ConvertError> {
        let output = self.target.clone();
        match written {
            Ok(written) => Ok(written),
            Err(
                FormatError::Io(source)
                | FormatError::Webgrind(webgrind::WriteError::Io(source))
                | FormatError::Callgrind(callgrind::WriteError::Io(source))
                | FormatError::Text(text::Error::Io(source)),
            ) => match source.kind() {
                io::ErrorKind::BrokenPipe => Ok(Written::default()),
                _ => Err(ConvertError::Output { output, source }),
            },
            Err(FormatError::Text(error)) => Err(ConvertError::Report(error)),
            Err(source) => Err(ConvertError::Format { output, source }),
        }
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
