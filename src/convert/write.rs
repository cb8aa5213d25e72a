//! A profile into the output.

use std::io::{self, Write};

use super::warning::estimated;
use super::{ConvertError, Format, FormatError, Options, Report, Warning};
use crate::io::{Place, Target};
use crate::profile::{Comparison, Profile, Stacks};
use crate::report::json::{self, Completeness};
#[cfg(feature = "compression")]
use crate::report::pprof;
use crate::report::{collapsed, html, markdown, text, tree};
use crate::webgrind::{Version, WriteOptions};
use crate::{callgrind, webgrind};

/// A conversion whose inputs have been read.
#[derive(Debug)]
pub struct Loaded<'a> {
    pub(super) profile: Profile,
    pub(super) report: Report,
    pub(super) comparison: Option<Compared>,
    pub(super) output: Destination<'a>,
    pub(super) options: &'a Options,
}

/// The inputs and their base.
#[derive(Debug)]
pub(super) struct Compared {
    pub base: Profile,
    pub comparison: Comparison,
    pub complete: Completeness,
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
        let written = match (self.options.format, &self.comparison) {
            (Format::V4, _) => self.preprocessed(Version::V4),
            (Format::V5, _) => self.preprocessed(Version::V5),
            (Format::V6, _) => self.preprocessed(Version::V6),
            (Format::V7, _) => self.preprocessed(Version::V7),
            (Format::Callgrind, _) => {
                self.stream(|to| Ok(about(callgrind::write(profile, to)?, Warning::Written)))
            }
            (Format::Collapsed, None) => self.stream(|to| {
                let stacks = Stacks::new(profile);
                let found = collapsed::write(&stacks, to)?;
                let found = about(found, Warning::Collapsed);
                Ok(estimated(&[&stacks]).into_iter().chain(found).collect())
            }),
            (Format::Collapsed, Some(compared)) => self.stream(|to| {
                let (base, new) = (Stacks::new(&compared.base), Stacks::new(profile));
                let found = collapsed::write_comparison(&base, &new, to)?;
                let found = about(found, Warning::Collapsed);
                Ok(estimated(&[&base, &new]).into_iter().chain(found).collect())
            }),
            (Format::Tree, _) => self.stream(|to| {
                let stacks = Stacks::new(profile);
                tree::write(&stacks, text, to)?;
                Ok(estimated(&[&stacks]).into_iter().collect())
            }),
            (Format::Text, None) => self.stream(|to| Ok(nothing(text::write(profile, text, to)?))),
            (Format::Text, Some(compared)) => self.stream(|to| {
                let comparison = &compared.comparison;
                Ok(nothing(text::write_comparison(comparison, text, to)?))
            }),
            (Format::Markdown, None) => {
                let complete = self.report.is_complete();
                self.stream(|to| Ok(nothing(markdown::write(profile, text, complete, to)?)))
            }
            (Format::Markdown, Some(compared)) => {
                let comparison = &compared.comparison;
                let complete = compared.complete;
                let verdicts: Vec<_> = self
                    .options
                    .max_growth
                    .iter()
                    .map(|gate| {
                        let failure = comparison.check(gate).err();
                        markdown::Verdict {
                            kept: failure.is_none(),
                            text: failure
                                .map_or_else(|| gate.to_string(), |failure| failure.to_string()),
                        }
                    })
                    .collect();
                self.stream(|to| {
                    Ok(nothing(markdown::write_comparison(
                        comparison, &verdicts, text, complete, to,
                    )?))
                })
            }
            #[cfg(feature = "compression")]
            (Format::Pprof, compared) => self.stream(|to| {
                let new = Stacks::new(profile);
                let base = compared
                    .as_ref()
                    .map(|compared| Stacks::new(&compared.base));
                let sides: Vec<_> = base.iter().chain([&new]).collect();
                let estimated = estimated(&sides);
                let mut notes = self.notes().warnings;
                notes.extend(estimated.as_ref().map(Warning::to_string));
                let found = pprof::write(&new, base.as_ref(), &notes, to)?;
                let found = about(found, Warning::Pprof);
                Ok(estimated.into_iter().chain(found).collect())
            }),
            (Format::Json, None) => {
                let notes = self.notes();
                self.stream(|to| Ok(nothing(json::write(profile, &notes, to)?)))
            }
            (Format::Json, Some(compared)) => self.stream(|to| {
                let (comparison, complete) = (&compared.comparison, &compared.complete);
                Ok(nothing(json::write_comparison(comparison, complete, to)?))
            }),
            (Format::Html, compared) => {
                let (mut notes, options) = (self.notes(), &self.options.html);
                self.stream(|to| {
                    let new = Stacks::new(profile);
                    let base = compared
                        .as_ref()
                        .map(|compared| Stacks::new(&compared.base));
                    let sides: Vec<_> = base.iter().chain([&new]).collect();
                    let estimated = estimated(&sides);
                    let told = estimated.as_ref().map(Warning::to_string);
                    notes.warnings.extend(told);
                    let sides = compared.as_ref().zip(base.as_ref());
                    let compared = sides.map(|(compared, base)| html::Compared {
                        base,
                        comparison: &compared.comparison,
                        complete: compared.complete,
                    });
                    html::write(&new, compared.as_ref(), &notes, options, to)?;
                    Ok(estimated.into_iter().collect())
                })
            }
        };
        let written = written?;
        self.report.bytes_out = written.bytes;
        self.report.warnings.extend(written.warnings);
        if let Some(compared) = &self.comparison {
            let gates = self.options.max_growth.iter();
            let failures = gates.filter_map(|gate| compared.comparison.check(gate).err());
            self.report.growth = failures.collect();
        }
        Ok(self.report)
    }

    /// What readers of the output should know about the inputs.
    fn notes(&self) -> json::Notes {
        let warnings = self.report.warnings.iter();
        json::Notes {
            complete: self.report.is_complete(),
            warnings: warnings.map(Warning::to_string).collect(),
        }
    }

    fn preprocessed(&self, version: Version) -> Result<Written, ConvertError> {
        let options = WriteOptions {
            version,
            on_overflow: self.options.on_overflow,
            escape_html: self.options.escape_html,
        };
        let place = &self.output.place;
        self.output.outcome(place.write_seeking(|file| {
            let written = webgrind::write(&self.profile, &options, file)?;
            Ok::<_, FormatError>(Written {
                bytes: written.bytes,
                warnings: about(written.warnings, Warning::Webgrind),
            })
        }))
    }

    /// Writes from beginning to end.
    fn stream(
        &self,
        fill: impl FnOnce(&mut dyn Write) -> Result<Vec<Warning>, FormatError>,
    ) -> Result<Written, ConvertError> {
        let place = &self.output.place;
        self.output.outcome(place.write_streaming(|output| {
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
