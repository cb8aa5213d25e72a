//! Writes a profile to the output.

use std::io::{self, Write};

use super::format::Writer;
use super::load::Side;
use super::{
    ConvertError, ConvertOptions, Feature, Format, FormatError, Report, allow_limits, notices,
};
use crate::compare::{CheckError, Sides, check_all};
use crate::compare::{Views, ViewsError};
use crate::io::{Output, SourceFiles, plain};
use crate::output::{Notes, text, timeline};
use crate::profile::{InclusiveCost, Profile};
use crate::view::{GroupBy, Hidden, View};
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
        if options.inclusive == Some(InclusiveCost::Once) && options.format.has(Feature::Recorded) {
            self.new.profile = View::as_recorded(&self.new.profile, InclusiveCost::Once).counted();
        }
        let base = self.base.as_ref();
        let (inclusive, per_run) = (options.inclusive(), options.per_run);
        let profiles = (&self.new.profile, base.map(|base| &base.profile));
        let whole = Views::new(profiles.0, profiles.1, inclusive, per_run);
        let failed = |error| match (error, base) {
            (ViewsError::Compare(error), Some(base)) => base.incomparable(error),
            (error, _) => ConvertError::CannotCheck(error.to_string()),
        };
        let words = &options.text.hide;
        let hide = |profile| Hidden::new(profile, words).map_err(|error| failed(error.into()));
        let hidden = if words.is_empty() {
            None
        } else {
            Some((hide(profiles.0)?, profiles.1.map(hide).transpose()?))
        };
        if let Some((new, base)) = &hidden {
            let warnings = notices::hiding_nothing(new, base.as_ref());
            report.warnings.extend(warnings);
        }
        let shown = hidden
            .as_ref()
            .map(|(new, base)| Views::without(new, base.as_ref(), inclusive, per_run));
        let views = shown.as_ref().unwrap_or(&whole);
        let mut event = self.new.profile.event().to_vec();
        if base.is_some() {
            let functions = views.by(GroupBy::Function).map_err(failed)?;
            if let Some(comparison) = functions.subject().comparison() {
                let warnings = notices::about_comparison(comparison, &self.new.inputs);
                report.warnings.extend(warnings);
                event = comparison.first().name.to_vec();
            }
        }
        let sides = base.into_iter().chain([&self.new]);
        allow_limits(options, &event, &report.warnings, sides)?;
        let are_complete = Sides {
            base: base.is_none_or(|base| base.has_all_costs),
            new: self.new.has_all_costs,
        };
        let each_part = options.limit_each_part;
        let verdicts = check_all(&options.limits, each_part, are_complete, views);
        report.verdicts = verdicts.map_err(|error| match error {
            CheckError::Limit(error) => error.into(),
            CheckError::Views(error) => failed(error),
        })?;
        let not_found = notices::not_found(&report.verdicts);
        report.warnings.extend(not_found);
        let warnings: Vec<_> = report.warnings.iter().map(|it| it.to_string()).collect();
        let mut writer = Writer {
            // The HTML report hides by itself, so that readers can show what is hidden.
            views: match options.format {
                Format::Html => &whole,
                format if !format.has(Feature::Hidden) => &whole,
                _ => views,
            },
            notes: Notes {
                warnings: &warnings,
                limits: &report.verdicts,
                estimates: None,
                inputs: Sides {
                    base: base.map_or("", |base| &base.inputs),
                    new: &self.new.inputs,
                },
                recorded: self.new.recorded,
            },
            sources: &mut self.sources,
            options,
            to_terminal: self.output.target.is_terminal(),
            output: &self.output.target,
            estimates: None,
            found: Vec::new(),
        };
        report.bytes_out = write_to(&self.output, |to| options.format.write(&mut writer, to))?;
        let found = writer.found;
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
            | FormatError::Text(text::Error::Io(source))
            | FormatError::Timeline(timeline::Error::Io(source)),
        ) => match source.kind() {
            io::ErrorKind::BrokenPipe => return Ok(0),
            _ => plain(source).into(),
        },
        Err(FormatError::Text(error)) => return Err(ConvertError::Report(error)),
        Err(FormatError::Timeline(error)) => return Err(ConvertError::Timeline(error)),
        Err(source) => source,
        Ok(bytes) => return Ok(bytes),
    };
    let output = output.target.clone();
    Err(ConvertError::Output { output, source })
}
