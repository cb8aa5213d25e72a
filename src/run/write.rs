//! Writes a profile to the output.

use std::cell::OnceCell;
use std::io::{self, Write};

use super::{ConvertError, ConvertOptions, FormatError, Report, Warning, allow_limits, notices};
use crate::compare::{self, Checked, Comparison, Sides, Verdict};
use crate::display::text::printable;
use crate::io::{Output, SourceFiles};
#[cfg(feature = "compression")]
use crate::output::pprof;
use crate::output::{collapsed, dot, html, json, markdown, text, tree};
use crate::profile::{GroupBy, InclusiveCost, Profile, ProfileKind};
use crate::stacks::{Stacks, count_groups_once, count_once_by};
use crate::warnings::Warnings;
use crate::webgrind::WriteOptions;
use crate::{callgrind, webgrind};

/// A conversion whose inputs have been read.
#[derive(Debug)]
pub struct Loaded<'a> {
    /// How messages name the inputs.
    pub(super) inputs: String,
    pub(super) profile: Profile,
    pub(super) report: Report,
    pub(super) base: Option<Base>,
    pub(super) output: Output,
    pub(super) sources: SourceFiles,
    pub(super) options: &'a ConvertOptions,
}

/// The base of a comparison.
#[derive(Debug)]
pub(super) struct Base {
    /// Its inputs.
    pub inputs: String,
    pub profile: Profile,
}

impl Loaded<'_> {
    /// What was read.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// Writes it.
    ///
    /// It is not an error if the reader closes a pipe early.
    ///
    /// # Errors
    ///
    /// When the output fails, or when the profile does not fit the format.
    pub fn write(mut self) -> Result<Report, ConvertError> {
        let (profile, options) = (&self.profile, self.options);
        self.report.count(profile);
        let new = &StackedProfile::new(profile);
        let base_profile = self.base.as_ref().map(|base| &base.profile);
        let stacked_base = base_profile.map(StackedProfile::new);
        let base = stacked_base.as_ref();
        if options.inclusive() == InclusiveCost::Once {
            for side in base.into_iter().chain([new]) {
                count_once_by(side.profile, || side.stacks());
            }
        }
        let comparison = match &self.base {
            None => None,
            Some(base) => Some(compare(base, profile, options, &mut self.report)?),
        };
        let grouped = grouped(new, base, options);
        let groups: Vec<_> = grouped
            .iter()
            .map(|(by, new, base)| {
                // This succeeds if they can be compared by function.
                let base = base.as_ref();
                let comparison =
                    base.and_then(|base| Comparison::of(base, new, options.per_run).ok());
                (*by, new, comparison)
            })
            .collect();
        let groups_by = |by| {
            let mut groups = groups.iter();
            let (_, profile, comparison) = groups.find(|(of, ..)| *of == by)?;
            Some((*profile, comparison.as_ref()))
        };
        let rows = |by| groups_by(by).unwrap_or((profile, comparison.as_ref()));
        let verdicts = compare::check_all(&options.limits, options.limit_each_part, rows)?;
        self.report.warnings.extend(notices::not_found(&verdicts));
        self.report.verdicts = verdicts;
        let notes = self.report.warnings.iter();
        let mut view = View {
            base,
            new,
            comparison: comparison.as_ref(),
            groups: groups_by(options.text.by),
            verdicts: &self.report.verdicts,
            notes: notes.map(|listed| listed.to_string()).collect(),
            inputs: Sides {
                base: self.base.as_ref().map_or("", |base| &base.inputs),
                new: &self.inputs,
            },
            sources: &mut self.sources,
            options,
            to_terminal: self.output.target.is_terminal(),
            found: Vec::new(),
        };
        let writer = options.format.writer();
        let bytes = write_to(&self.output, |to| writer(&mut view, to))?;
        let found = view.found;
        self.report.bytes_out = bytes;
        self.report.warnings.extend(found);
        if !self.sources.is_empty() {
            self.report.source_files = Some(self.sources.counts());
            let warnings = notices::about_sources(&self.sources);
            self.report.warnings.extend(warnings);
        }
        Ok(self.report)
    }
}

/// Compares a profile with its base, and adds warnings to the report.
fn compare<'a>(
    base: &'a Base,
    new: &'a Profile,
    options: &ConvertOptions,
    report: &mut Report,
) -> Result<Comparison<'a>, ConvertError> {
    let comparison = Comparison::of(&base.profile, new, options.per_run).map_err(|error| {
        let inputs = base.inputs.clone();
        ConvertError::Compare { inputs, error }
    })?;
    let mut warnings = Warnings::default();
    warnings.extend(notices::about_comparison(&comparison));
    allow_limits(options, comparison.first().name, &warnings)?;
    report.warnings.append(warnings);
    Ok(comparison)
}

/// A profile with its stacks, which are made when they are first requested.
struct StackedProfile<'a> {
    profile: &'a Profile,
    stacks: OnceCell<Stacks<'a>>,
}

impl<'a> StackedProfile<'a> {
    fn new(profile: &'a Profile) -> Self {
        let stacks = OnceCell::new();
        StackedProfile { profile, stacks }
    }

    fn stacks(&self) -> &Stacks<'a> {
        self.stacks.get_or_init(|| Stacks::new(self.profile))
    }
}

/// What an output is written from.
pub(super) struct View<'a> {
    base: Option<&'a StackedProfile<'a>>,
    new: &'a StackedProfile<'a>,
    comparison: Option<&'a Comparison<'a>>,
    /// The profile by group and its comparison, if rows are groups.
    groups: Option<Checked<'a>>,
    verdicts: &'a [Verdict],
    /// Notes about the inputs for readers of the output.
    notes: Vec<String>,
    /// How messages name the inputs.
    inputs: Sides<&'a str>,
    sources: &'a mut SourceFiles,
    options: &'a ConvertOptions,
    /// Whether the output goes to a terminal.
    to_terminal: bool,
    /// Warnings about the output.
    found: Vec<Warning>,
}

impl<'a> View<'a> {
    /// The stacks of the base, if there is one, and of the profile.
    fn stacks(&mut self) -> (Option<&'a Stacks<'a>>, &'a Stacks<'a>) {
        let (base, new) = (self.base.map(StackedProfile::stacks), self.new.stacks());
        self.found.extend(notices::estimated(base, new));
        (base, new)
    }

    /// The comparison to show: by group, if rows are groups.
    fn shown_comparison(&self) -> Option<&'a Comparison<'a>> {
        let groups = self.groups.and_then(|(_, comparison)| comparison);
        groups.or(self.comparison)
    }

    fn grouped(&self) -> Option<&'a Profile> {
        self.groups.map(|(profile, _)| profile)
    }
}

/// The profile and the base by every kind of group that rows or limits are about.
fn grouped<'a>(
    new: &StackedProfile<'a>,
    base: Option<&StackedProfile<'a>>,
    options: &ConvertOptions,
) -> Vec<(GroupBy, Profile, Option<Profile>)> {
    let mut sides = base.into_iter().chain([new]);
    let are_traces = sides.all(|side| side.profile.kind() == ProfileKind::Trace);
    let group = |side: &StackedProfile<'a>, by| {
        let mut groups = side.profile.by(by, are_traces)?;
        if options.inclusive() == InclusiveCost::Once {
            count_groups_once(&mut groups, side.profile, || side.stacks());
        }
        Some(groups.profile)
    };
    let wanted = GroupBy::GROUPS.into_iter().filter(|&by| options.groups(by));
    wanted
        .filter_map(|by| Some((by, group(new, by)?, base.and_then(|base| group(base, by)))))
        .collect()
}

/// Writes a format.
pub(super) type WriteFormat = fn(&mut View<'_>, &mut dyn Write) -> Result<(), FormatError>;

pub(super) fn webgrind(view: &mut View<'_>, to: &mut dyn Write) -> Result<(), FormatError> {
    let options = WriteOptions {
        version: view.options.format.version().unwrap_or_default(),
        on_overflow: view.options.on_overflow,
        escape_html: view.options.escape_html,
    };
    let warnings = webgrind::write(view.new.profile, &options, to)?;
    view.found
        .extend(warnings.into_iter().map(Warning::Webgrind));
    Ok(())
}

pub(super) fn callgrind(view: &mut View<'_>, to: &mut dyn Write) -> Result<(), FormatError> {
    let profile = view.new.profile;
    let mut text = Vec::new();
    let warnings = match view.to_terminal {
        true => callgrind::write(profile, &mut text)?,
        false => callgrind::write(profile, &mut *to)?,
    };
    // Names must not control the terminal.
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        writeln!(to, "{}", printable(line))?;
    }
    // Limits made inclusive costs count recursion once, which the format itself would not.
    let of_limits = |warning: &_| {
        view.options.inclusive.is_none()
            && matches!(warning, callgrind::WriteWarning::InclusiveCosts(_))
    };
    let warnings = warnings.into_iter().filter(|warning| !of_limits(warning));
    view.found.extend(warnings.map(Warning::Written));
    Ok(())
}

pub(super) fn collapsed(view: &mut View<'_>, to: &mut dyn Write) -> Result<(), FormatError> {
    let (base, new) = view.stacks();
    let warnings = match base {
        None => collapsed::write(new, to)?,
        Some(base) => collapsed::write_comparison(base, new, to)?,
    };
    view.found
        .extend(warnings.into_iter().map(Warning::Collapsed));
    Ok(())
}

pub(super) fn tree(view: &mut View<'_>, to: &mut dyn Write) -> Result<(), FormatError> {
    let (base, new) = view.stacks();
    let options = &view.options.text;
    match base.zip(view.comparison) {
        None => tree::write(new, options, to)?,
        Some((base, comparison)) => tree::write_comparison(base, new, comparison, options, to)?,
    }
    Ok(())
}

pub(super) fn text(view: &mut View<'_>, to: &mut dyn Write) -> Result<(), FormatError> {
    let options = &view.options.text;
    let profile = view.grouped().unwrap_or(view.new.profile);
    match view.shown_comparison() {
        None => text::write(profile, options, view.sources, to)?,
        Some(comparison) => text::write_comparison(comparison, options, view.sources, to)?,
    }
    Ok(())
}

pub(super) fn markdown(view: &mut View<'_>, to: &mut dyn Write) -> Result<(), FormatError> {
    let (options, verdicts) = (&view.options.text, view.verdicts);
    match view.shown_comparison() {
        None => markdown::write(view.new.stacks(), view.grouped(), verdicts, options, to)?,
        Some(comparison) => markdown::write_comparison(comparison, verdicts, options, to)?,
    }
    Ok(())
}

#[cfg(feature = "compression")]
pub(super) fn pprof(view: &mut View<'_>, to: &mut dyn Write) -> Result<(), FormatError> {
    let (base, new) = view.stacks();
    let estimates = view.found.iter().map(Warning::to_string);
    let notes: Vec<_> = view.notes.iter().cloned().chain(estimates).collect();
    let warnings = pprof::write(new, base, view.options.per_run, &notes, to)?;
    view.found.extend(warnings.into_iter().map(Warning::Pprof));
    Ok(())
}

pub(super) fn dot(view: &mut View<'_>, to: &mut dyn Write) -> Result<(), FormatError> {
    let options = &view.options.text;
    match view.comparison {
        None => dot::write(view.new.profile, options, to)?,
        Some(comparison) => dot::write_comparison(comparison, options, to)?,
    }
    Ok(())
}

pub(super) fn json(view: &mut View<'_>, to: &mut dyn Write) -> Result<(), FormatError> {
    let groups = view.groups.and_then(|(_, comparison)| comparison);
    match view.comparison {
        None => json::write(view.new.profile, view.grouped(), &view.notes, to)?,
        Some(comparison) => json::write_comparison(comparison, groups, to)?,
    }
    Ok(())
}

pub(super) fn html(view: &mut View<'_>, to: &mut dyn Write) -> Result<(), FormatError> {
    let (base, new) = view.stacks();
    let sides = view.comparison.zip(base);
    let compared = sides.map(|(comparison, base)| html::Compared { base, comparison });
    let estimates = view.found.first().map(Warning::to_string);
    let notes = html::Notes {
        warnings: &view.notes,
        estimates: estimates.as_deref(),
        inputs: view.inputs,
        limits: view.verdicts,
    };
    let mut options = html::HtmlOptions::default();
    options.names = view.options.text.names;
    options.by = view.options.text.by;
    options.inclusive = view.options.inclusive();
    options.source_url.clone_from(&view.options.source_url);
    options.source_root.clone_from(&view.options.source.root);
    html::write(new, compared.as_ref(), &notes, view.sources, &options, to)?;
    Ok(())
}

/// Writes with `fill`, and returns the number of bytes. It is not an error if the reader has closed
/// the pipe.
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
            _ => Err(ConvertError::Output {
                output,
                source: source.into(),
            }),
        },
        Err(FormatError::Text(error)) => Err(ConvertError::Report(error)),
        Err(source) => Err(ConvertError::Output { output, source }),
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
