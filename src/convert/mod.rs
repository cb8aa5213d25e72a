//! Converts inputs into an output: the only module that uses both formats, the model and the
//! reports.
//!
//! [`convert`] does everything at once. [`Conversion`] does it in steps, for callers who want to show
//! progress or need the [`Profile`] itself.

mod error;
mod load;

use std::collections::HashSet;
use std::io::{self, Write};

use crate::io::{Found, Progress, Source, is_profile};
use crate::io::{OutputOptions, Place, Target, Unfinished};
use crate::profile::{
    Comparison, EventChoice, GrowthFailure, InclusiveCost, MaxGrowth, Profile, ProfileKind,
};
use crate::report::json::{self, Completeness};
use crate::report::{collapsed, text, tree};
use crate::shown::text::excerpt;
use crate::{callgrind, webgrind};
pub use error::{ConvertError, FormatError, Warning};
use webgrind::{OnOverflow, Version, WriteOptions};

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// webgrind's preprocessed format.
    Preprocessed(Version),
    /// The stacks of traces, one per line.
    Collapsed,
    /// The stacks of traces as a tree, for people.
    Tree,
    /// The top functions, for people.
    Text,
    /// Everything, for machines.
    Json,
    /// A summed profile in the callgrind format.
    Callgrind,
}

impl Default for Format {
    fn default() -> Self {
        Format::Preprocessed(Version::V7)
    }
}

impl Format {
    /// Whether it holds the costs of all events, unless some are chosen.
    pub fn holds_all_events(self) -> bool {
        matches!(self, Format::Json | Format::Callgrind)
    }

    /// Whether it can hold the costs of several events.
    pub fn holds_events(self) -> bool {
        self.holds_all_events() || self == Format::Text
    }

    /// Whether it can hold a comparison.
    pub fn has_comparison(self) -> bool {
        matches!(self, Format::Text | Format::Json | Format::Collapsed)
    }

    /// Whether it has rows, whose number [`text::Options::top`] limits.
    pub fn has_rows(self) -> bool {
        matches!(self, Format::Text | Format::Tree)
    }

    /// Whether it shows stacks, which only traces have.
    fn shows_stacks(self) -> bool {
        matches!(self, Format::Collapsed | Format::Tree)
    }

    /// Whether it must not go to a terminal.
    pub fn is_binary(self) -> bool {
        matches!(self, Format::Preprocessed(_))
    }
}

/// How to convert.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// What is written.
    pub format: Format,
    /// How tables and trees for people look.
    pub text: text::Options,
    /// How inputs are read.
    pub read: callgrind::Options,
    /// The events whose costs are read.
    pub events: EventChoice,
    /// How inclusive costs treat recursion.
    pub inclusive: InclusiveCost,
    /// Proxy functions of traces, which are stepped over.
    pub proxies: Vec<Vec<u8>>,
    /// What happens to numbers of more than 32 bits.
    pub on_overflow: OnOverflow,
    /// What the output may replace.
    pub output: OutputOptions,
    /// Whether a profile that has only just begun, with headers but without any block, is written
    /// as one without functions instead of being refused.
    pub allow_empty: bool,
    /// Whether preprocessed files are written for webgrind's page, which treats names as HTML; see
    /// [`WriteOptions::escape_html`].
    pub escape_html: bool,
    /// The profiles that the inputs are compared with, by their first event. If there are none, the
    /// inputs are converted.
    pub base: Vec<Source>,
    /// By how much the total of the inputs may exceed that of the base.
    pub max_growth: Option<MaxGrowth>,
}

/// The outcome of a conversion.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// Warnings for the user.
    pub warnings: Vec<Warning>,
    /// Functions in the profile.
    pub functions: usize,
    /// Calls in the profile.
    pub calls: u64,
    /// Bytes read, as stored.
    pub bytes_in: u64,
    /// Bytes of the profiles after decompression.
    pub bytes_decompressed: u64,
    /// Bytes written.
    pub bytes_out: u64,
    /// Why the inputs do not keep to [`Options::max_growth`], if they do not.
    pub growth: Option<GrowthFailure>,
}

impl Report {
    /// Whether no part of the inputs was cut off, skipped or missing.
    pub fn is_complete(&self) -> bool {
        !self.warnings.iter().any(Warning::is_loss)
    }
}

/// Reads `inputs` into one profile and writes it to `output`.
///
/// # Errors
///
/// See [`ConvertError`]; nothing appears at `output` then.
pub fn convert(
    inputs: &[Source],
    output: &Target,
    options: &Options,
) -> Result<Report, ConvertError> {
    Conversion::prepare(inputs, output, options)?
        .read()?
        .write()
}

/// A conversion that has not begun.
#[derive(Debug)]
pub struct Conversion<'a> {
    inputs: Vec<Found<'a>>,
    base: Vec<Found<'a>>,
    output: Destination<'a>,
    options: &'a Options,
    progress: Progress,
}

/// Where the output goes, by its name and as it was found.
#[derive(Debug)]
struct Destination<'a> {
    target: &'a Target,
    place: Place,
}

impl<'a> Conversion<'a> {
    /// Checks everything that can be checked without reading: that the inputs exist, and that the
    /// output can be written and is not one of them.
    ///
    /// # Errors
    ///
    /// [`ConvertError::Open`], [`ConvertError::Output`], [`ConvertError::OverInput`],
    /// [`ConvertError::OverProfile`], [`ConvertError::NoComparison`] and
    /// [`ConvertError::StandardInputTwice`].
    pub fn prepare(
        inputs: &'a [Source],
        output: &'a Target,
        options: &'a Options,
    ) -> Result<Self, ConvertError> {
        let place = output.check(options.output.links);
        let place = place.map_err(|source| ConvertError::Output {
            output: output.clone(),
            source,
        })?;
        let base = options.base.as_slice();
        if !base.is_empty() && !options.format.has_comparison() {
            return Err(ConvertError::NoComparison);
        }
        let all = inputs.iter().chain(base);
        if all.filter(|&input| *input == Source::Stdin).count() > 1 {
            return Err(ConvertError::StandardInputTwice);
        }
        let overwritten = place.identity();
        let find = |input: &'a Source| {
            let found = input.find().map_err(|source| ConvertError::Open {
                input: input.clone(),
                source,
            })?;
            if overwritten.is_some() && found.identity == overwritten {
                return Err(ConvertError::OverInput {
                    output: output.clone(),
                    input: input.clone(),
                });
            }
            Ok(found)
        };
        let inputs: Vec<_> = inputs.iter().map(find).collect::<Result<_, _>>()?;
        let base: Vec<_> = base.iter().map(find).collect::<Result<_, _>>()?;
        let is_profile = || place.path().is_some_and(is_profile);
        if !options.output.overwrite_profiles && is_profile() {
            return Err(ConvertError::OverProfile(output.clone()));
        }
        Ok(Conversion {
            inputs,
            base,
            output: Destination {
                target: output,
                place,
            },
            options,
            progress: Progress::default(),
        })
    }

    /// The progress of reading, which another thread can watch.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// The file that is being written, if any, so that a signal handler can remove it.
    pub fn unfinished(&self) -> Unfinished {
        self.output.place.unfinished()
    }

    /// How many bytes there are to read, if all inputs are files.
    pub fn bytes(&self) -> Option<u64> {
        let all = self.inputs.iter().chain(&self.base);
        let mut lengths = all.map(|found| found.length);
        lengths.try_fold(0u64, |all, one| Some(all.saturating_add(one?)))
    }

    /// Reads all inputs to their ends.
    ///
    /// # Errors
    ///
    /// When an input cannot be read, or when there is nothing to convert.
    pub fn read(self) -> Result<Loaded<'a>, ConvertError> {
        let (mut profile, mut report) = self.load(&self.inputs)?;
        if self.options.format == Format::Json && self.options.events == EventChoice::All {
            profile.derive_events();
        }
        let warnings = &mut report.warnings;
        warnings.extend(unknown_proxies(&profile, self.options));
        warnings.extend(all_zero(&profile));
        warnings.extend(is_of_cachegrind(&profile).then_some(Warning::NoCalls));
        warnings.extend(profile.has_saturated().then_some(Warning::Saturated));
        warnings.extend(on_both_sides(&self.inputs, &self.base));
        let comparison = match self.base.as_slice() {
            [] => None,
            _ => Some(self.compare(&profile, &mut report)?),
        };
        report.bytes_in = self.progress.bytes();
        Ok(Loaded {
            profile,
            report,
            comparison,
            output: self.output,
            options: self.options,
        })
    }

    /// Reads one side.
    fn load(&self, inputs: &[Found<'_>]) -> Result<(Profile, Report), ConvertError> {
        let (profile, mut report) = load::load(inputs, self.options, &self.progress)?;
        let events = profile.check_events();
        events.map_err(|error| ConvertError::model(inputs, error.into()))?;
        self.allow_gates(&mut report.warnings)?;
        if self.options.max_growth.is_some() && costs_nothing(&profile) {
            return Err(ConvertError::NothingToCheck {
                inputs: error::together(inputs),
                event: excerpt(profile.event()),
            });
        }
        report.warnings.extend(named_twice(inputs));
        report.warnings.extend(counted_twice(inputs));
        Ok((profile, report))
    }

    /// Makes an error of the first warning with which a limit cannot be checked, if there is one.
    fn allow_gates(&self, warnings: &mut Vec<Warning>) -> Result<(), ConvertError> {
        let mut forbidding = warnings.iter().map(Warning::forbids_gates);
        match forbidding.position(|forbids| forbids) {
            Some(at) if self.options.max_growth.is_some() => Err(ConvertError::CannotCheck(
                Box::new(warnings.swap_remove(at)),
            )),
            _ => Ok(()),
        }
    }

    /// Compares the inputs with the base. Warnings about the base come first.
    fn compare(&self, new: &Profile, report: &mut Report) -> Result<Compared, ConvertError> {
        let (profile, mut base_report) = self.load(&self.base)?;
        let comparison = Comparison::new(&profile, new).map_err(|error| {
            let inputs = error::together(&self.base);
            ConvertError::Compare { inputs, error }
        })?;
        let complete = Completeness {
            base: base_report.is_complete(),
            new: report.is_complete(),
        };
        let units = comparison.unequal_units.map(|units| {
            let known = |unit: &'static str| {
                if unit.is_empty() {
                    "an unknown unit"
                } else {
                    unit
                }
            };
            Warning::Units {
                event: excerpt(&comparison.event),
                base: known(units[0]),
                new: known(units[1]),
            }
        });
        base_report.warnings.append(&mut report.warnings);
        base_report.warnings.extend(units);
        self.allow_gates(&mut base_report.warnings)?;
        report.warnings = base_report.warnings;
        report.bytes_decompressed += base_report.bytes_decompressed;
        Ok(Compared {
            base: profile,
            comparison,
            complete,
        })
    }
}

/// The inputs and their base.
#[derive(Debug)]
struct Compared {
    base: Profile,
    comparison: Comparison,
    complete: Completeness,
}

/// What webgrind appends to the name of a profile to name the converted file.
const WEBGRINDS_ENDING: &str = ".webgrind";

/// A warning for each file that is named more than once, by whatever path.
fn named_twice(inputs: &[Found<'_>]) -> impl Iterator<Item = Warning> {
    let mut seen = HashSet::new();
    inputs.iter().filter_map(move |found| {
        let is_again = !seen.insert(found.identity.as_ref()?);
        is_again.then(|| Warning::NamedTwice(found.source.clone()))
    })
}

/// A warning for each file that is compared with itself: after such a mistake, a gate would always
/// pass.
fn on_both_sides(inputs: &[Found<'_>], base: &[Found<'_>]) -> impl Iterator<Item = Warning> {
    let base: HashSet<_> = base.iter().flat_map(|found| &found.identity).collect();
    inputs.iter().filter_map(move |found| {
        let is_base = base.contains(found.identity.as_ref()?);
        is_base.then(|| Warning::OnBothSides(found.source.clone()))
    })
}

/// A warning for each input that webgrind has converted from another input: a pattern easily
/// matches both.
fn counted_twice(inputs: &[Found<'_>]) -> Vec<Warning> {
    let all: HashSet<&Source> = inputs.iter().map(|found| found.source).collect();
    let warnings = inputs.iter().map(|found| found.source).filter_map(|input| {
        let Source::File(path) = input else {
            return None;
        };
        let original = Source::File(path.to_str()?.strip_suffix(WEBGRINDS_ENDING)?.into());
        all.contains(&original).then(|| Warning::CountedTwice {
            input: input.clone(),
            original,
        })
    });
    warnings.collect()
}

/// A warning for each proxy that no trace has; none if there is no trace.
fn unknown_proxies(profile: &Profile, options: &Options) -> impl Iterator<Item = Warning> {
    let has_trace = profile.kind() != ProfileKind::Aggregate;
    let proxies = options.proxies.iter().enumerate();
    let unknown = proxies.filter(move |&(at, _)| has_trace && !profile.has_proxy(at));
    unknown.map(|(_, proxy)| Warning::UnknownProxy(excerpt(proxy)))
}

/// A warning, if another event would have been the better choice.
fn all_zero(profile: &Profile) -> Option<Warning> {
    let event = profile.event();
    let others = profile.available_events().filter(|&other| other != event);
    let others: Vec<_> = others.map(excerpt).collect();
    let is_free = costs_nothing(profile) && profile.edges().all(|edge| edge.cost == 0);
    (is_free && !others.is_empty()).then(|| Warning::AllZero {
        event: excerpt(event),
        others: others.join(", "),
    })
}

/// Whether all self costs are 0.
fn costs_nothing(profile: &Profile) -> bool {
    let mut functions = profile.functions();
    functions.all(|(_, function)| function.self_cost == 0)
}

/// Whether a profile is one of Cachegrind: a command and a summary, but no creator and no calls.
fn is_of_cachegrind(profile: &Profile) -> bool {
    let has = |key: &[u8]| profile.headers().any(|header| header.key() == key);
    let has_calls = profile.edges().next().is_some();
    let is_summed_up = profile.stated_total().is_some();
    !has_calls && is_summed_up && has(b"cmd") && !has(b"creator")
}

/// A conversion whose inputs have been read.
#[derive(Debug)]
pub struct Loaded<'a> {
    profile: Profile,
    report: Report,
    comparison: Option<Compared>,
    output: Destination<'a>,
    options: &'a Options,
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
        let profile = &self.profile;
        self.report.functions = profile.functions().len();
        let calls = profile.edges().map(|edge| edge.calls);
        self.report.calls = calls.fold(0, u64::saturating_add);
        let (output, text) = (&self.output, &self.options.text);
        let mut warnings = Vec::new();
        self.report.bytes_out = match (self.options.format, &self.comparison) {
            (Format::Preprocessed(version), _) => {
                let options = WriteOptions {
                    version,
                    on_overflow: self.options.on_overflow,
                    escape_html: self.options.escape_html,
                };
                let place = &output.place;
                let written = place.write_seeking(|file| webgrind::write(profile, &options, file));
                let written = output.outcome(written)?.unwrap_or_default();
                warnings.extend(written.warnings.into_iter().map(Warning::Webgrind));
                written.bytes
            }
            (Format::Callgrind, _) => output.stream(|to| {
                let found = callgrind::write(profile, to)?;
                warnings.extend(found.into_iter().map(Warning::Written));
                Ok(())
            })?,
            (Format::Collapsed, compared) => output.stream(|to| {
                let found = match compared {
                    None => collapsed::write(profile, to)?,
                    Some(compared) => collapsed::write_comparison(&compared.base, profile, to)?,
                };
                warnings.extend(found.into_iter().map(Warning::Collapsed));
                Ok(())
            })?,
            (Format::Tree, _) => output.stream(|to| Ok(tree::write(profile, text, to)?))?,
            (Format::Text, None) => output.stream(|to| Ok(text::write(profile, text, to)?))?,
            (Format::Text, Some(compared)) => output.stream(|to| {
                let comparison = &compared.comparison;
                Ok(text::write_comparison(comparison, text, to)?)
            })?,
            (Format::Json, None) => {
                let notes = json::Notes {
                    complete: self.report.is_complete(),
                    warnings: self
                        .report
                        .warnings
                        .iter()
                        .map(Warning::to_string)
                        .collect(),
                };
                output.stream(|to| Ok(json::write(profile, &notes, to)?))?
            }
            (Format::Json, Some(compared)) => output.stream(|to| {
                let (comparison, complete) = (&compared.comparison, &compared.complete);
                Ok(json::write_comparison(comparison, complete, to)?)
            })?,
        };
        self.report.warnings.extend(warnings);
        if let (Some(compared), Some(limit)) = (&self.comparison, self.options.max_growth) {
            self.report.growth = compared.comparison.check_growth(limit).err();
        }
        Ok(self.report)
    }
}

impl Destination<'_> {
    /// Writes from beginning to end, and returns the number of bytes.
    fn stream(
        &self,
        fill: impl FnOnce(&mut dyn Write) -> Result<(), FormatError>,
    ) -> Result<u64, ConvertError> {
        let written = self.place.write_streaming(|output| {
            let mut output = Counting { output, bytes: 0 };
            fill(&mut output)?;
            Ok::<_, FormatError>(output.bytes)
        });
        Ok(self.outcome(written)?.unwrap_or(0))
    }

    /// Turns a failure of the output into an error, except if its reader has closed the pipe.
    fn outcome<T>(
        &self,
        written: Result<T, impl Into<FormatError>>,
    ) -> Result<Option<T>, ConvertError> {
        let output = self.target.clone();
        match written.map_err(Into::into) {
            Ok(written) => Ok(Some(written)),
            Err(
                FormatError::Io(source)
                | FormatError::Webgrind(webgrind::WriteError::Io(source))
                | FormatError::Callgrind(callgrind::WriteError::Io(source))
                | FormatError::Text(text::Error::Io(source)),
            ) => match source.kind() {
                io::ErrorKind::BrokenPipe => Ok(None),
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
