//! Converts inputs into an output. Only this module uses both formats, the model and the outputs.
//!
//! [`convert`] does everything at once, and [`read`] everything except the output. [`Conversion`] works
//! in steps, for callers who show progress or need the [`Profile`] itself.

mod error;
mod format;
mod load;
mod loaded;
mod notices;
mod reader;
#[cfg(feature = "files")]
mod write;

use std::mem;

use crate::callgrind;
use crate::compare::{Limit, Verdict, keep_common_events};
#[cfg(feature = "files")]
use crate::io::Output;
use crate::io::{
    OutputOptions, Progress, ResolvedSource, Source, SourceCounts, SourceFiles, SourceOptions,
    Target, is_profile, plain,
};
use crate::output;
use crate::profile::{EventChoice, InclusiveCost, Profile};
use crate::view::GroupBy;
use crate::warnings::Warnings;
use crate::webgrind::OnOverflow;
pub use error::{ConvertError, FormatError};
#[doc(hidden)]
pub use format::Feature;
pub use format::Format;
pub use notices::Warning;
pub use reader::{Error, ErrorKind, ProfileReader};
#[cfg(feature = "files")]
pub use write::Loaded;

/// How to convert.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ConvertOptions {
    /// The format of the output.
    pub format: Format,
    /// Options of tables and trees.
    pub text: output::ReportOptions,
    /// How inputs are read.
    pub read: callgrind::ReadOptions,
    /// The events whose costs are read.
    pub events: EventChoice,
    /// How inclusive costs count recursion. Default: once where inclusive costs of functions are
    /// shown or limited, summed in webgrind's formats.
    pub inclusive: Option<InclusiveCost>,
    /// Proxy functions, which are left out of the call lists of traces.
    pub proxies: Vec<Vec<u8>>,
    /// The policy for numbers that exceed the 32 bits of webgrind's formats.
    pub on_overflow: OnOverflow,
    /// Whether names in webgrind's formats have entities; see [`WriteOptions::escape_html`].
    ///
    /// [`WriteOptions::escape_html`]: crate::webgrind::WriteOptions::escape_html
    pub escape_html: bool,
    /// The template of links to source lines in the HTML report; see
    /// [`HtmlOptions`](crate::output::html::HtmlOptions::source_url).
    pub source_url: Option<String>,
    /// The source files that may be shown.
    pub source: SourceOptions,
    /// What the output may replace.
    pub output: OutputOptions,
    /// Whether a profile with headers but without records is written without functions instead of
    /// being refused.
    pub allow_empty: bool,
    /// The profiles of the base, which are merged. If there are none, nothing is compared.
    pub base: Vec<Source>,
    /// Whether averages per run are compared, as with
    /// [`Comparison::is_per_run`](crate::compare::Comparison::is_per_run).
    pub per_run: bool,
    /// The limits to check; not for webgrind's formats.
    pub limits: Vec<Limit>,
    /// Whether limits on the total apply to each named part separately.
    pub limit_each_part: bool,
    /// Whether unreadable inputs are skipped with warnings, except those of a base, and except with
    /// limits.
    pub keep_going: bool,
}

impl ConvertOptions {
    /// Whether rows or limits are about groups of this kind.
    fn groups(&self, by: GroupBy) -> bool {
        self.text.by == by || self.limits.iter().any(|limit| limit.group_by() == by)
    }

    /// Whether there is something to compare with.
    fn has_base(&self) -> bool {
        !self.base.is_empty()
    }

    fn skips_unreadable(&self) -> bool {
        self.keep_going && self.limits.is_empty()
    }

    fn inclusive(&self) -> InclusiveCost {
        let counts_once = self.format.has(Feature::CountsOnce) || !self.limits.is_empty();
        self.inclusive.unwrap_or(if counts_once {
            InclusiveCost::Once
        } else {
            InclusiveCost::Summed
        })
    }
}

/// The result of a conversion.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Converted {
    /// Warnings for the user.
    pub warnings: Warnings<Warning>,
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
    /// The numbers of source files by result; `None` without directories of source files.
    pub source_files: Option<SourceCounts>,
    /// The verdicts on [`ConvertOptions::limits`], in their order.
    pub verdicts: Vec<Verdict>,
}

impl Converted {
    /// Whether no part of the inputs was truncated, skipped or missing.
    pub fn is_complete(&self) -> bool {
        !notices::is_loss(&self.warnings)
    }
}

/// Reads `inputs` into one profile and writes it to `output`.
///
/// # Errors
///
/// See [`ConvertError`]; nothing appears at `output` then.
#[cfg(feature = "files")]
pub fn convert(
    inputs: &[Source],
    output: &Target,
    options: &ConvertOptions,
) -> Result<Converted, ConvertError> {
    Conversion::prepare(inputs, output, options)?
        .read()?
        .write()
}

/// Reads `inputs` of any format and compression into one profile, on all cores, as [`convert`]
/// does.
///
/// Options about the output and a base have no effect. What is read besides sums depends on
/// [`ConvertOptions::format`]: single invocations for [`Format::V4`], the stacks of traces for
/// formats that show stacks.
///
/// The [`Converted`] contains the warnings, and whether the inputs are [complete](Converted::is_complete).
///
/// # Errors
///
/// When an input cannot be read, or when there are no data.
#[cfg(feature = "files")]
pub fn read(
    inputs: &[Source],
    options: &ConvertOptions,
) -> Result<(Profile, Converted), ConvertError> {
    let options = &ConvertOptions {
        base: Vec::new(),
        source: SourceOptions::default(),
        ..options.clone()
    };
    let loaded = Conversion::prepare(inputs, &Target::Stdout, options)?.read()?;
    Ok((loaded.new.profile, loaded.converted))
}

/// A conversion before it begins.
#[cfg(feature = "files")]
#[derive(Debug)]
pub struct Conversion<'a> {
    inputs: Vec<ResolvedSource<'a>>,
    base: Vec<ResolvedSource<'a>>,
    /// Warnings about the base among the inputs.
    warnings: Warnings<Warning>,
    output: Output,
    sources: SourceFiles,
    options: &'a ConvertOptions,
    progress: Progress,
}

#[cfg(feature = "files")]
impl<'a> Conversion<'a> {
    /// Checks everything that can be checked without reading: that the inputs exist, and that the
    /// output can be written and is not one of them.
    ///
    /// # Errors
    ///
    /// [`ConvertError::Open`], [`ConvertError::Output`], [`ConvertError::OverInput`],
    /// [`ConvertError::OverProfile`], [`ConvertError::NoComparison`],
    /// [`ConvertError::SourceDirectory`] and
    /// [`ConvertError::StandardInputTwice`].
    pub fn prepare(
        inputs: &'a [Source],
        target: &Target,
        options: &'a ConvertOptions,
    ) -> Result<Self, ConvertError> {
        let output = target
            .check(&options.output)
            .map_err(|source| ConvertError::Output {
                output: target.clone(),
                source: plain(source).into(),
            })?;
        let base = options.base.as_slice();
        let lacks = |feature| !options.format.has(feature);
        if !base.is_empty() && lacks(Feature::Comparison)
            || options.per_run && lacks(Feature::PerRun)
        {
            return Err(ConvertError::NoComparison);
        }
        let all = inputs.iter().chain(base);
        if all.filter(|input| **input == Source::Stdin).count() > 1 {
            return Err(ConvertError::StandardInputTwice);
        }
        let mut warnings = Warnings::default();
        let base = load::find(base, false, &mut warnings)?;
        let inputs = load::find(inputs, options.skips_unreadable(), &mut warnings)?;
        let overwritten = output.identity();
        let is_output =
            |found: &&ResolvedSource<'_>| overwritten.is_some() && found.identity == overwritten;
        if let Some(found) = inputs.iter().chain(&base).find(is_output) {
            let (output, input) = (target.clone(), found.source.clone());
            return Err(ConvertError::OverInput { output, input });
        }
        warnings.extend(notices::about_base(&inputs, &base));
        let is_profile = || output.file().is_some_and(is_profile);
        if !options.output.overwrite_profiles && is_profile() {
            return Err(ConvertError::OverProfile(target.clone()));
        }
        // Source lines may have moved since the oldest input was written.
        let oldest = |found: &[ResolvedSource<'_>]| found.iter().filter_map(|it| it.modified).min();
        let mut sources = SourceFiles::open(&options.source, oldest(&inputs))
            .map_err(ConvertError::SourceDirectory)?;
        sources.set_base_time(oldest(&base));
        Ok(Conversion {
            inputs,
            base,
            warnings,
            output,
            sources,
            options,
            progress: Progress::default(),
        })
    }

    /// The progress of reading, which another thread can watch.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// The number of bytes to read, if all inputs are files.
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
        let (options, progress) = (self.options, &self.progress);
        let mut converted = Converted::default();
        let skips_unreadable = options.skips_unreadable();
        let mut new = load::load(
            &self.inputs,
            skips_unreadable,
            options,
            progress,
            &mut converted,
        )?;
        let mut base = None;
        if !self.base.is_empty() {
            // Warnings about the base come first.
            let of_new = mem::take(&mut converted.warnings);
            base = Some(load::load(
                &self.base,
                false,
                options,
                progress,
                &mut converted,
            )?);
            converted.warnings.append(of_new);
        }
        let warnings = notices::about_profile(&new, &options.proxies);
        converted.warnings.extend(warnings);
        converted.warnings.append(self.warnings);
        if let Some(base) = &mut base {
            keep_common_events(&mut base.profile, &mut new.profile)
                .map_err(|error| base.incomparable(error))?;
        }
        converted.functions = new.profile.functions().len();
        converted.calls = new.profile.calls();
        converted.bytes_in = progress.bytes();
        Ok(Loaded {
            new,
            base,
            converted,
            output: self.output,
            sources: self.sources,
            options,
        })
    }
}
