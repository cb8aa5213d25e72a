//! Writes a profile to the output.

use std::fmt::Display;
use std::io::{self, Write};
use std::rc::Rc;

use super::load::Side;
use super::{
    ConvertError, ConvertOptions, Feature, Format, FormatError, Report, Warning, allow_limits,
    notices,
};
use crate::compare::{CheckError, Sides, check_all};
use crate::compare::{OneOrTwo, Subject, Views, ViewsError};
use crate::display::text::printable;
use crate::io::{Output, SourceFiles, Target, plain};
#[cfg(feature = "compression")]
use crate::output::pprof;
use crate::output::{Notes, collapsed, dot, html, json, markdown, text, timeline, tree};
use crate::profile::{InclusiveCost, Profile};
use crate::stacks::Stacks;
use crate::view::{GroupBy, Hidden, View};
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
        let hidden = match words.is_empty() {
            true => None,
            false => Some((hide(profiles.0)?, profiles.1.map(hide).transpose()?)),
        };
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
            views: match options.format {
                // The report hides by itself, so that readers can show what is hidden.
                Format::Html => &whole,
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
        report.bytes_out = write_to(&self.output, |to| writer.write(to))?;
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

/// What an output is written from.
struct Writer<'a> {
    views: &'a Views<'a>,
    notes: Notes<'a>,
    sources: &'a mut SourceFiles,
    options: &'a ConvertOptions,
    /// Whether the output goes to a terminal.
    to_terminal: bool,
    output: &'a Target,
    /// What to know about estimated stacks.
    estimates: Option<String>,
    /// Warnings about the output.
    found: Vec<Warning>,
}

impl<'a> Writer<'a> {
    fn write(&mut self, to: &mut dyn Write) -> Result<(), FormatError> {
        let options = &self.options.text;
        match self.options.format {
            Format::V4 => self.write_webgrind(Version::V4, to)?,
            Format::V5 => self.write_webgrind(Version::V5, to)?,
            Format::V6 => self.write_webgrind(Version::V6, to)?,
            Format::V7 => self.write_webgrind(Version::V7, to)?,
            Format::Callgrind => self.write_callgrind(to)?,
            Format::Pprof => self.write_pprof(to)?,
            Format::Html => self.write_html(to)?,
            Format::Text => {
                let rows = self.views.by(options.by)?;
                text::write(rows.subject(), options, self.sources, to)?;
            }
            Format::Markdown => {
                let rows = self.views.by(options.by)?;
                match rows.subject() {
                    Subject::View(rows) => {
                        let functions = self.views.by(GroupBy::Function)?;
                        let (functions, (_, stacks)) =
                            (functions.subject().view(), self.views.stacks());
                        markdown::write(stacks, functions, rows, self.notes.limits, options, to)?;
                    }
                    Subject::Comparison(comparison) => {
                        markdown::write_comparison(comparison, self.notes.limits, options, to)?;
                    }
                }
            }
            Format::Tree => {
                let (base, new) = self.stacks();
                let functions = self.views.by(GroupBy::Function)?;
                tree::write(functions.subject(), new, base, options, to)?;
            }
            Format::Collapsed => {
                let (base, new) = self.stacks();
                self.warn(match base {
                    None => collapsed::write(new, to)?,
                    Some(base) => collapsed::write_comparison(base, new, to)?,
                });
            }
            Format::Timeline => {
                let omitted = timeline::write(self.views.profile(), to)?;
                self.warn(omitted);
            }
            Format::Dot => {
                let functions = self.views.by(GroupBy::Function)?;
                dot::write(functions.subject(), options, to)?;
            }
            Format::Json => {
                let groups = match options.by {
                    GroupBy::Function => None,
                    by => Some(self.views.by(by)?),
                };
                let groups = groups.as_ref().map(|groups| groups.subject());
                match self
                    .compared()?
                    .as_ref()
                    .and_then(|it| it.subject().comparison())
                {
                    None => {
                        let groups = groups.map(Subject::view);
                        let functions = self.views.by(GroupBy::Function)?;
                        let shown = functions.subject().view();
                        // What is hidden is a function of the program, however it is recorded.
                        let functions = match shown.hidden() {
                            Some(_) => shown,
                            None => &self.views.as_recorded(),
                        };
                        json::write(functions, groups, &self.notes, to)?;
                    }
                    Some(comparison) => {
                        let groups = groups.and_then(Subject::comparison);
                        json::write_comparison(comparison, groups, &self.notes, to)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The comparison by function, if there is a base.
    fn compared(&self) -> Result<Option<Rc<OneOrTwo<'a>>>, ViewsError> {
        let functions = || self.views.by(GroupBy::Function);
        self.options.has_base().then(functions).transpose()
    }

    /// The stacks of the base, if there is one, and of the profile.
    fn stacks(&mut self) -> (Option<&'a Stacks<'a>>, &'a Stacks<'a>) {
        let (base, new) = self.views.stacks();
        let inputs = self.notes.inputs;
        let sides = base.map(|base| (inputs.base, base));
        if let Some((inputs, what)) =
            notices::estimated(sides.into_iter().chain([(inputs.new, new)]))
        {
            let inputs = inputs.to_owned();
            self.estimates = Some(what.clone());
            self.found.push(Warning::Overall { inputs, what });
        }
        (base, new)
    }

    /// Passes the warnings of a writer on.
    fn warn(&mut self, warnings: impl IntoIterator<Item = impl Display>) {
        let written = |warning: &dyn Display| Warning::Written {
            output: self.output.clone(),
            what: warning.to_string(),
        };
        let warnings = warnings.into_iter();
        self.found.extend(warnings.map(|warning| written(&warning)));
    }

    fn write_webgrind(&mut self, version: Version, to: &mut dyn Write) -> Result<(), FormatError> {
        let options = WriteOptions {
            version,
            on_overflow: self.options.on_overflow,
            escape_html: self.options.escape_html,
        };
        self.warn(webgrind::write(self.views.profile(), &options, to)?);
        Ok(())
    }

    fn write_callgrind(&mut self, to: &mut dyn Write) -> Result<(), FormatError> {
        let profile = self.views.profile();
        let mut text = Vec::new();
        let warnings = match self.to_terminal {
            true => callgrind::write(profile, &mut text)?,
            false => callgrind::write(profile, &mut *to)?,
        };
        // Names must not control the terminal.
        for line in text.split_inclusive(|&byte| byte == b'\n') {
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            writeln!(to, "{}", printable(line))?;
        }
        self.warn(warnings);
        Ok(())
    }

    #[cfg(feature = "compression")]
    fn write_pprof(&mut self, to: &mut dyn Write) -> Result<(), FormatError> {
        let (base, new) = self.stacks();
        let warnings = self.notes.warnings.iter();
        let notes: Vec<_> = warnings.chain(&self.estimates).cloned().collect();
        self.warn(pprof::write(new, base, self.options.per_run, &notes, to)?);
        Ok(())
    }

    #[cfg(not(feature = "compression"))]
    fn write_pprof(&mut self, _: &mut dyn Write) -> Result<(), FormatError> {
        let reason = "this program was built without the feature \"compression\"";
        Err(io::Error::new(io::ErrorKind::Unsupported, reason).into())
    }

    fn write_html(&mut self, to: &mut dyn Write) -> Result<(), FormatError> {
        self.stacks();
        let estimates = self.estimates.take();
        let notes = Notes {
            estimates: estimates.as_deref(),
            ..self.notes
        };
        let mut options = html::HtmlOptions::default();
        options.names = self.options.text.names;
        options.by = self.options.text.by;
        options.source_url.clone_from(&self.options.source_url);
        options.source_root.clone_from(&self.options.source.root);
        html::write(self.views, &notes, self.sources, &options, to)?;
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
