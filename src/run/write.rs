//! Writes a profile to the output.

use std::cell::OnceCell;
use std::fmt::Display;
use std::io::{self, Write};

use super::load::Side;
use super::{
    ConvertError, ConvertOptions, Format, FormatError, Report, Warning, allow_limits, notices,
};
use crate::compare::{Checked, Comparison, Sides, Verdict, check_all};
use crate::display::text::printable;
use crate::io::{Output, SourceFiles, plain};
#[cfg(feature = "compression")]
use crate::output::pprof;
use crate::output::{collapsed, dot, html, json, markdown, text, tree};
use crate::profile::{GroupBy, InclusiveCost, Profile, ProfileKind};
use crate::stacks::{Stacks, count_groups_once, count_once_by};
use crate::webgrind::{Version, WriteOptions};
use crate::{callgrind, webgrind};

/// A conversion whose inputs have been read.
#[derive(Debug)]
pub struct Loaded<'a> {
    pub(super) new: Side,
    pub(super) base: Option<Side>,
    pub(super) report: Report,
    pub(super) output: Output,
    pub(super) sources: SourceFiles,
    pub(super) options: &'a ConvertOptions,
}

impl Loaded<'_> {
    /// What was read.
    pub fn profile(&self) -> &Profile {
        &self.new.profile
    }

    /// Writes it.
    ///
    /// It is not an error if the reader closes a pipe early.
    ///
    /// # Errors
    ///
    /// When the output fails, or when the profile does not fit the format.
    pub fn write(mut self) -> Result<Report, ConvertError> {
        let (options, report) = (self.options, &mut self.report);
        let new = &StackedSide::new(&self.new);
        let stacked_base = self.base.as_ref().map(StackedSide::new);
        let base = stacked_base.as_ref();
        if options.inclusive() == InclusiveCost::Once {
            for side in base.into_iter().chain([new]) {
                count_once_by(side.profile(), || side.stacks());
            }
        }
        let comparison = match &self.base {
            None => None,
            Some(base) => {
                let comparison = Comparison::of(&base.profile, new.profile(), options.per_run);
                let comparison = comparison.map_err(|error| base.incomparable(error))?;
                let warnings = notices::about_comparison(&comparison);
                report.warnings.extend(warnings);
                Some(comparison)
            }
        };
        let compared = comparison
            .as_ref()
            .map(|comparison| comparison.first().name);
        let event = compared.unwrap_or(new.profile().event());
        let sides = self.base.iter().chain([&self.new]);
        allow_limits(options, event, &report.warnings, sides)?;
        let groups = groups(new, base, options);
        let comparisons: Vec<_> = groups
            .iter()
            // This succeeds if they can be compared by function.
            .map(|(_, new, base)| Comparison::of(base.as_ref()?, new, options.per_run).ok())
            .collect();
        let groups_by = |by| {
            let at = groups.iter().position(|&(of, ..)| of == by)?;
            Some((&groups[at].1, comparisons[at].as_ref()))
        };
        let rows = |by| groups_by(by).unwrap_or((new.profile(), comparison.as_ref()));
        let are_complete = Sides {
            base: (self.base.as_ref()).is_none_or(|base| base.has_all_costs),
            new: self.new.has_all_costs,
        };
        report.verdicts = check_all(&options.limits, options.limit_each_part, are_complete, rows)?;
        let not_found = notices::not_found(&report.verdicts);
        report.warnings.extend(not_found);
        let notes = report.warnings.iter();
        let mut view = View {
            base,
            new,
            comparison: comparison.as_ref(),
            groups: groups_by(options.text.by),
            verdicts: &report.verdicts,
            notes: notes.map(|listed| listed.to_string()).collect(),
            sources: &mut self.sources,
            options,
            to_terminal: self.output.target.is_terminal(),
            found: Vec::new(),
        };
        report.bytes_out = write_to(&self.output, |to| view.write(to))?;
        let found = view.found;
        report.warnings.extend(found);
        if !self.sources.is_empty() {
            report.source_files = Some(self.sources.counts());
            report
                .warnings
                .extend(notices::about_sources(&self.sources));
        }
        Ok(self.report)
    }
}

/// A side with its stacks, which are made when they are first requested.
struct StackedSide<'a> {
    side: &'a Side,
    stacks: OnceCell<Stacks<'a>>,
}

impl<'a> StackedSide<'a> {
    fn new(side: &'a Side) -> Self {
        let stacks = OnceCell::new();
        StackedSide { side, stacks }
    }

    fn profile(&self) -> &'a Profile {
        &self.side.profile
    }

    fn stacks(&self) -> &Stacks<'a> {
        self.stacks.get_or_init(|| Stacks::new(self.profile()))
    }
}

/// The profile and the base by every kind of group that rows or limits are about.
fn groups<'a>(
    new: &StackedSide<'a>,
    base: Option<&StackedSide<'a>>,
    options: &ConvertOptions,
) -> Vec<(GroupBy, Profile, Option<Profile>)> {
    let mut sides = base.into_iter().chain([new]);
    let are_traces = sides.all(|side| side.profile().kind() == ProfileKind::Trace);
    let group = |side: &StackedSide<'a>, by| {
        let mut groups = side.profile().by(by, are_traces)?;
        if options.inclusive() == InclusiveCost::Once {
            count_groups_once(&mut groups, side.profile(), || side.stacks());
        }
        Some(groups.profile)
    };
    let wanted = GroupBy::GROUPS.into_iter().filter(|&by| options.groups(by));
    wanted
        .filter_map(|by| Some((by, group(new, by)?, base.and_then(|base| group(base, by)))))
        .collect()
}

/// What an output is written from.
struct View<'a> {
    base: Option<&'a StackedSide<'a>>,
    new: &'a StackedSide<'a>,
    comparison: Option<&'a Comparison<'a>>,
    /// The profile by group and its comparison, if rows are groups.
    groups: Option<Checked<'a>>,
    verdicts: &'a [Verdict],
    /// Notes about the inputs for readers of the output.
    notes: Vec<String>,
    sources: &'a mut SourceFiles,
    options: &'a ConvertOptions,
    /// Whether the output goes to a terminal.
    to_terminal: bool,
    /// Warnings about the output.
    found: Vec<Warning>,
}

impl<'a> View<'a> {
    fn write(&mut self, to: &mut dyn Write) -> Result<(), FormatError> {
        let (profile, options) = (self.new.profile(), &self.options.text);
        let grouped = self.groups.map(|(profile, _)| profile);
        // By group, if rows are groups.
        let of_groups = self.groups.and_then(|(_, comparison)| comparison);
        let shown = of_groups.or(self.comparison);
        match self.options.format {
            Format::V4 => self.write_webgrind(Version::V4, to)?,
            Format::V5 => self.write_webgrind(Version::V5, to)?,
            Format::V6 => self.write_webgrind(Version::V6, to)?,
            Format::V7 => self.write_webgrind(Version::V7, to)?,
            Format::Callgrind => self.write_callgrind(to)?,
            Format::Pprof => self.write_pprof(to)?,
            Format::Html => self.write_html(to)?,
            Format::Text => match shown {
                None => text::write(grouped.unwrap_or(profile), options, self.sources, to)?,
                Some(comparison) => text::write(comparison, options, self.sources, to)?,
            },
            Format::Markdown => match shown {
                None => markdown::write(self.new.stacks(), grouped, self.verdicts, options, to)?,
                Some(comparison) => {
                    markdown::write_comparison(comparison, self.verdicts, options, to)?;
                }
            },
            Format::Tree => {
                let (base, new) = self.stacks();
                tree::write(new, base.zip(self.comparison), options, to)?;
            }
            Format::Collapsed => {
                let (base, new) = self.stacks();
                self.warn(match base {
                    None => collapsed::write(new, to)?,
                    Some(base) => collapsed::write_comparison(base, new, to)?,
                });
            }
            Format::Dot => match self.comparison {
                None => dot::write(profile, options, to)?,
                Some(comparison) => dot::write(comparison, options, to)?,
            },
            Format::Json => match self.comparison {
                None => json::write(profile, grouped, &self.notes, to)?,
                Some(comparison) => json::write_comparison(comparison, of_groups, to)?,
            },
        }
        Ok(())
    }

    /// The stacks of the base, if there is one, and of the profile.
    fn stacks(&mut self) -> (Option<&'a Stacks<'a>>, &'a Stacks<'a>) {
        let (base, new) = (self.base.map(StackedSide::stacks), self.new.stacks());
        self.found.extend(notices::estimated(base, new));
        (base, new)
    }

    /// Passes the warnings of a writer on.
    fn warn(&mut self, warnings: impl IntoIterator<Item = impl Display>) {
        let warnings = warnings.into_iter().map(|warning| warning.to_string());
        self.found.extend(warnings.map(Warning::Written));
    }

    fn write_webgrind(&mut self, version: Version, to: &mut dyn Write) -> Result<(), FormatError> {
        let options = WriteOptions {
            version,
            on_overflow: self.options.on_overflow,
            escape_html: self.options.escape_html,
        };
        self.warn(webgrind::write(self.new.profile(), &options, to)?);
        Ok(())
    }

    fn write_callgrind(&mut self, to: &mut dyn Write) -> Result<(), FormatError> {
        let profile = self.new.profile();
        let mut text = Vec::new();
        let mut warnings = match self.to_terminal {
            true => callgrind::write(profile, &mut text)?,
            false => callgrind::write(profile, &mut *to)?,
        };
        // Names must not control the terminal.
        for line in text.split_inclusive(|&byte| byte == b'\n') {
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            writeln!(to, "{}", printable(line))?;
        }
        if self.options.inclusive.is_none() {
            // Limits made inclusive costs count recursion once, which the format itself would not.
            warnings.retain(|it| !matches!(it, callgrind::WriteWarning::InclusiveCosts(_)));
        }
        self.warn(warnings);
        Ok(())
    }

    #[cfg(feature = "compression")]
    fn write_pprof(&mut self, to: &mut dyn Write) -> Result<(), FormatError> {
        let (base, new) = self.stacks();
        let estimates = self.found.iter().map(Warning::to_string);
        let notes: Vec<_> = self.notes.iter().cloned().chain(estimates).collect();
        self.warn(pprof::write(new, base, self.options.per_run, &notes, to)?);
        Ok(())
    }

    #[cfg(not(feature = "compression"))]
    fn write_pprof(&mut self, _: &mut dyn Write) -> Result<(), FormatError> {
        let reason = "this program was built without the feature \"compression\"";
        Err(io::Error::new(io::ErrorKind::Unsupported, reason).into())
    }

    fn write_html(&mut self, to: &mut dyn Write) -> Result<(), FormatError> {
        let (base, new) = self.stacks();
        let sides = self.comparison.zip(base);
        let compared = sides.map(|(comparison, base)| html::Compared { base, comparison });
        let estimates = self.found.first().map(Warning::to_string);
        let notes = html::Notes {
            warnings: &self.notes,
            estimates: estimates.as_deref(),
            inputs: Sides {
                base: self.base.map_or("", |base| &base.side.inputs),
                new: &self.new.side.inputs,
            },
            recorded: self.new.side.recorded,
            limits: self.verdicts,
        };
        let mut options = html::HtmlOptions::default();
        options.names = self.options.text.names;
        options.by = self.options.text.by;
        options.inclusive = self.options.inclusive();
        options.source_url.clone_from(&self.options.source_url);
        options.source_root.clone_from(&self.options.source.root);
        html::write(new, compared.as_ref(), &notes, self.sources, &options, to)?;
        Ok(())
    }
}

/// Writes with `fill`, and returns the number of bytes. It is not an error if the reader has closed
/// the pipe.
fn write_to(
    output: &Output,
    fill: impl FnOnce(&mut dyn Write) -> Result<(), FormatError>,
) -> Result<u64, ConvertError> {
    let source = match output.write(fill) {
        Err(
            FormatError::Io(source)
            | FormatError::Webgrind(webgrind::WriteError::Io(source))
            | FormatError::Callgrind(callgrind::WriteError::Io(source))
            | FormatError::Text(text::Error::Io(source)),
        ) => match source.kind() {
            io::ErrorKind::BrokenPipe => return Ok(0),
            _ => plain(source).into(),
        },
        Err(FormatError::Text(error)) => return Err(ConvertError::Report(error)),
        Err(source) => source,
        Ok(bytes) => return Ok(bytes),
    };
    let output = output.target.clone();
    Err(ConvertError::Output { output, source })
}
