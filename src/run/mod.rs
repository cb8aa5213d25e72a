//! Converts inputs into an output. Only this module uses both formats, the model and the outputs.
//!
//! [`convert`] does everything at once, and [`read`] everything except the output. [`Conversion`] works
//! in steps, for callers who show progress or need the [`Profile`] itself.

mod error;
mod format;
mod load;
mod notices;
mod write;

use std::path::PathBuf;

use crate::callgrind;
use crate::compare::{CompareError, Comparison, Limit, Sides, Verdict, keep_common_events};
use crate::display::text::excerpt;
use crate::io::{
    Output, OutputOptions, Progress, ResolvedSource, Source, SourceCounts, SourceFiles,
    SourceOptions, Target, is_profile,
};
use crate::maps::HashSet;
use crate::output::{self, html};
use crate::profile::{EventChoice, GroupBy, InclusiveCost, Profile};
use crate::stacks::count_once;
use crate::warnings::Warnings;
use crate::webgrind::WriteOptions;
pub use error::{ConvertError, FormatError};
pub use format::{Feature, Format};
use load::load;
pub use notices::Warning;
use write::Base;
pub use write::Loaded;

/// How to convert.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ConvertOptions {
    /// The format of the output.
    pub format: Format,
    /// Options of tables and trees.
    pub text: output::ReportOptions,
    /// Options of the HTML report.
    pub html: html::HtmlOptions,
    /// How inputs are read.
    pub read: callgrind::ReadOptions,
    /// The events whose costs are read.
    pub events: EventChoice,
    /// How inclusive costs count recursion. Default: once where inclusive costs of functions are
    /// shown or limited, summed in webgrind's formats.
    pub inclusive: Option<InclusiveCost>,
    /// Proxy functions, which are left out of the call lists of traces.
    pub proxies: Vec<Vec<u8>>,
    /// How webgrind files are written. Their version is that of the format.
    pub webgrind: WriteOptions,
    /// The source files that may be shown.
    pub source: SourceOptions,
    /// What the output may replace.
    pub output: OutputOptions,
    /// Whether a profile with headers but without records is written without functions instead of
    /// being refused.
    pub allow_empty: bool,
    /// What the inputs are compared with.
    pub comparison: ComparisonOptions,
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

    fn inclusive(&self) -> InclusiveCost {
        let counts_once = self.format.has(Feature::CountsOnce) || !self.limits.is_empty();
        self.inclusive.unwrap_or(match counts_once {
            true => InclusiveCost::Once,
            false => InclusiveCost::Summed,
        })
    }
}

/// What profiles are compared with, and how.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ComparisonOptions {
    /// The profiles of the base, which are merged. If there are none, nothing is compared.
    pub base: Vec<Source>,
    /// Whether averages per run are compared, as with
    /// [`Comparison::per_run`](crate::compare::Comparison::per_run).
    pub per_run: bool,
}

impl ComparisonOptions {
    fn compare<'a>(&self, profiles: Sides<&'a Profile>) -> Result<Comparison<'a>, CompareError> {
        match self.per_run {
            true => Comparison::per_run(profiles.base, profiles.new),
            false => Comparison::new(profiles.base, profiles.new),
        }
    }
}

/// The result of a conversion.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Report {
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
    /// The numbers of source files by result; `None` without folders of source files.
    pub source_files: Option<SourceCounts>,
    /// The verdicts on [`ConvertOptions::limits`], in their order.
    pub verdicts: Vec<Verdict>,
}

impl Report {
    /// Counts the functions and calls of a profile.
    fn count(&mut self, profile: &Profile) {
        self.functions = profile.functions().len();
        self.calls = profile.calls();
    }

    /// Whether no part of the inputs was truncated, skipped or missing.
    pub fn is_complete(&self) -> bool {
        !self.warnings.iter().any(|listed| listed.warning.is_loss())
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
    options: &ConvertOptions,
) -> Result<Report, ConvertError> {
    Conversion::prepare(inputs, output, options)?
        .read()?
        .write()
}

/// Reads `inputs` of any format and compression into one profile, on all cores, as [`convert`]
/// does.
///
/// Only options about reading have an effect. What is read besides sums depends on
/// [`ConvertOptions::format`]: single invocations for [`Format::V4`], the stacks of traces for
/// formats that show stacks.
///
/// The report contains the warnings, and whether the inputs are [complete](Report::is_complete).
///
/// # Errors
///
/// When an input cannot be read, or when there are no data.
pub fn read(
    inputs: &[Source],
    options: &ConvertOptions,
) -> Result<(Profile, Report), ConvertError> {
    let progress = Progress::default();
    check_standard_input(inputs.iter())?;
    let (inputs, left_out) = find_all(inputs, options, find)?;
    let (profile, mut report) = load(&inputs, left_out, options, &progress)?;
    let warnings = notices::about_profile(&profile, &options.proxies);
    report.warnings.extend(warnings);
    report.bytes_in = progress.bytes();
    report.count(&profile);
    if options.inclusive() == InclusiveCost::Once {
        count_once(&profile);
    }
    Ok((profile, report))
}

fn find(input: &Source) -> Result<ResolvedSource<'_>, ConvertError> {
    input.find().map_err(|source| ConvertError::Open {
        input: input.clone(),
        source,
    })
}

/// Finds inputs. If unreadable inputs may be skipped, also returns the errors of those; otherwise the
/// first one is returned as an error.
fn find_all<'a>(
    inputs: &'a [Source],
    options: &ConvertOptions,
    find: impl Fn(&'a Source) -> Result<ResolvedSource<'a>, ConvertError>,
) -> Result<(Vec<ResolvedSource<'a>>, Option<Vec<ConvertError>>), ConvertError> {
    let mut found = Vec::new();
    let may_leave_out = options.keep_going && options.limits.is_empty();
    let mut left_out = may_leave_out.then(Vec::new);
    for input in inputs {
        match (find(input), &mut left_out) {
            (Ok(input), _) => found.push(input),
            (Err(error @ ConvertError::Open { .. }), Some(left_out)) => left_out.push(error),
            (Err(error), _) => return Err(error),
        }
    }
    Ok((without_empty_bases(found), left_out))
}

/// Ignores the empty file that Valgrind's `--separate-threads` writes beside those of the threads:
/// `callgrind.out.7` beside `callgrind.out.7-01` or, in the third dump, `callgrind.out.7.3-01`. It
/// is always empty, so nothing is missing.
fn without_empty_bases(mut inputs: Vec<ResolvedSource<'_>>) -> Vec<ResolvedSource<'_>> {
    fn without_number(name: &str, separator: char) -> Option<&str> {
        let (base, number) = name.rsplit_once(separator)?;
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then_some(base)
    }
    let paths = inputs.iter().filter_map(|found| found.source.path());
    let bases: HashSet<PathBuf> = paths
        .filter_map(|path| without_number(path.to_str()?, '-'))
        .flat_map(|name| [Some(name), without_number(name, '.')])
        .flatten()
        .map(PathBuf::from)
        .collect();
    let is_base = |found: &ResolvedSource<'_>| {
        found.length == Some(0) && found.source.path().is_some_and(|path| bases.contains(path))
    };
    inputs.retain(|found| !is_base(found));
    inputs
}

fn check_standard_input<'a>(inputs: impl Iterator<Item = &'a Source>) -> Result<(), ConvertError> {
    match inputs.filter(|input| **input == Source::Stdin).count() {
        0 | 1 => Ok(()),
        _ => Err(ConvertError::StandardInputTwice),
    }
}

/// A conversion before it begins.
#[derive(Debug)]
pub struct Conversion<'a> {
    inputs: Vec<ResolvedSource<'a>>,
    /// The errors of inputs that could not be opened; `None` if inputs must not be skipped.
    left_out: Option<Vec<ConvertError>>,
    base: Vec<ResolvedSource<'a>>,
    output: Output,
    sources: SourceFiles,
    options: &'a ConvertOptions,
    progress: Progress,
}

impl<'a> Conversion<'a> {
    /// Checks everything that can be checked without reading: that the inputs exist, and that the
    /// output can be written and is not one of them.
    ///
    /// # Errors
    ///
    /// [`ConvertError::Open`], [`ConvertError::Output`], [`ConvertError::OverInput`],
    /// [`ConvertError::OverProfile`], [`ConvertError::NoComparison`],
    /// [`ConvertError::SourceFolder`] and
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
                source: source.into(),
            })?;
        let base = options.comparison.base.as_slice();
        let lacks = |feature| !options.format.has(feature);
        if !base.is_empty() && lacks(Feature::Comparison)
            || options.comparison.per_run && lacks(Feature::PerRun)
        {
            return Err(ConvertError::NoComparison);
        }
        check_standard_input(inputs.iter().chain(base))?;
        let overwritten = output.identity();
        let find_other = |input: &'a Source| {
            let found = find(input)?;
            if overwritten.is_some() && found.identity == overwritten {
                return Err(ConvertError::OverInput {
                    output: target.clone(),
                    input: input.clone(),
                });
            }
            Ok(found)
        };
        let (inputs, left_out) = find_all(inputs, options, find_other)?;
        let found = base.iter().map(find_other).collect::<Result<_, _>>()?;
        let base = without_empty_bases(found);
        let mut on_both_sides = Warnings::default();
        on_both_sides.extend(notices::on_both_sides(&inputs, &base));
        allow_limits(options, b"", &on_both_sides)?;
        let is_profile = || output.file().is_some_and(is_profile);
        if !options.output.overwrite_profiles && is_profile() {
            return Err(ConvertError::OverProfile(target.clone()));
        }
        // Source lines may have moved since the oldest input was written.
        let oldest = inputs.iter().filter_map(|input| input.modified).min();
        let mut sources = SourceFiles::open(&options.source, oldest)?;
        sources.set_base_time(base.iter().filter_map(|input| input.modified).min());
        Ok(Conversion {
            inputs,
            left_out,
            base,
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
    pub fn read(mut self) -> Result<Loaded<'a>, ConvertError> {
        let left_out = self.left_out.take();
        let (mut profile, mut report) = load(&self.inputs, left_out, self.options, &self.progress)?;
        let warnings = &mut report.warnings;
        warnings.extend(notices::about_profile(&profile, &self.options.proxies));
        warnings.extend(notices::on_both_sides(&self.inputs, &self.base));
        warnings.extend(notices::maybe_base(&self.inputs, &self.base));
        let base = match self.base.as_slice() {
            [] => None,
            _ => Some(self.read_base(&mut profile, &mut report)?),
        };
        report.bytes_in = self.progress.bytes();
        Ok(Loaded {
            profile,
            report,
            base,
            output: self.output,
            sources: self.sources,
            options: self.options,
        })
    }

    /// Reads the base, and reduces both sides to their common events. Warnings about the base come
    /// first.
    fn read_base(&self, new: &mut Profile, report: &mut Report) -> Result<Base, ConvertError> {
        let inputs = error::input_names(&self.base);
        let (mut profile, base_report) = load(&self.base, None, self.options, &self.progress)?;
        let warnings = std::mem::replace(&mut report.warnings, base_report.warnings);
        report.warnings.append(warnings, |warning| warning);
        report.bytes_decompressed += base_report.bytes_decompressed;
        match keep_common_events(&mut profile, new) {
            Ok(()) => Ok(Base { inputs, profile }),
            Err(error) => Err(ConvertError::Compare { inputs, error }),
        }
    }
}

/// Turns the first warning that keeps a limit from being checked into an error.
fn allow_limits(
    options: &ConvertOptions,
    event: &[u8],
    warnings: &Warnings<Warning>,
) -> Result<(), ConvertError> {
    let event = excerpt(event);
    // If all events are requested, their order is known only at the end.
    let may_hide_event =
        |warning: &Warning| options.events == EventChoice::All && warning.is_absence();
    let mut warnings = warnings.iter().filter(|_| !options.limits.is_empty());
    let forbids = warnings.find(|listed| {
        listed.warning.forbids_limits(&event) || listed.more > 0 && may_hide_event(listed.warning)
    });
    match forbids {
        Some(listed) => Err(ConvertError::CannotCheck(listed.warning.to_string())),
        None => Ok(()),
    }
}
