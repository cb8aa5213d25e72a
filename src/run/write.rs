//! Writes a profile to the output.

use std::io::{self, Write};

use super::format::Material;
use super::loaded::LoadedProfile;
use super::{ConvertError, ConvertOptions, Converted, Feature, FormatError, Warning, notices};
use crate::compare::{CheckError, Limit, Sides, Verdict, Views, ViewsError, check_all};
use crate::display::text::excerpt;
use crate::io::{Output, SourceFiles, plain};
use crate::output::Notes;
use crate::profile::{InclusiveCost, Profile};
use crate::view::{GroupBy, Hidden, View};
use crate::warnings::Warnings;

/// A conversion whose inputs have been read.
#[derive(Debug)]
pub struct Loaded<'a> {
    pub(super) new: LoadedProfile,
    pub(super) base: Option<LoadedProfile>,
    pub(super) converted: Converted,
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
    pub fn write(mut self) -> Result<Converted, ConvertError> {
        let (options, converted) = (self.options, &mut self.converted);
        if options.inclusive == Some(InclusiveCost::Once) && options.format.has(Feature::Recorded) {
            self.new.profile = View::as_recorded(&self.new.profile, InclusiveCost::Once).counted();
        }
        let sides = BothSides {
            new: &self.new,
            base: self.base.as_ref(),
            options,
        };
        let hidden = sides.hidden(&mut converted.warnings)?;
        let whole = sides.views(None);
        let shown = hidden.as_ref().map(|hidden| sides.views(Some(hidden)));
        let views = shown.as_ref().unwrap_or(&whole);
        sides.judge(views, converted)?;
        let warnings: Vec<_> = converted.warnings.iter().map(|it| it.to_string()).collect();
        let mut material = Material {
            views: if options.format.has(Feature::Hidden) {
                views
            } else {
                &whole
            },
            whole: &whole,
            notes: sides.notes(&warnings, &converted.verdicts),
            sources: &mut self.sources,
            options,
            to_terminal: self.output.target.is_terminal(),
            output: &self.output.target,
            estimates: None,
            found: Vec::new(),
        };
        converted.bytes_out = write_to(&self.output, |to| options.format.write(&mut material, to))?;
        let found = material.found;
        converted.warnings.extend(found);
        if !self.sources.is_empty() {
            converted.source_files = Some(self.sources.counts());
            let warnings = notices::about_sources(&self.sources);
            converted.warnings.extend(warnings);
        }
        Ok(self.converted)
    }
}

/// What was read, of both sides if there is a base.
struct BothSides<'a> {
    new: &'a LoadedProfile,
    base: Option<&'a LoadedProfile>,
    options: &'a ConvertOptions,
}

impl<'a> BothSides<'a> {
    /// What is hidden on each side, if anything is to be.
    fn hidden(
        &self,
        warnings: &mut Warnings<Warning>,
    ) -> Result<Option<(Hidden<'a>, Option<Hidden<'a>>)>, ConvertError> {
        let words = &self.options.text.hide;
        if words.is_empty() {
            return Ok(None);
        }
        let hide = |side: &'a LoadedProfile| {
            Hidden::new(&side.profile, words).map_err(|error| self.failed(error.into()))
        };
        let (new, base) = (hide(self.new)?, self.base.map(hide).transpose()?);
        warnings.extend(notices::hiding_nothing(&new, base.as_ref()));
        Ok(Some((new, base)))
    }

    /// The views of both sides, perhaps without what is hidden.
    fn views<'h>(&'h self, hidden: Option<&'h (Hidden<'h>, Option<Hidden<'h>>)>) -> Views<'h> {
        let (inclusive, per_run) = (self.options.inclusive(), self.options.per_run);
        match hidden {
            Some((new, base)) => Views::without(new, base.as_ref(), inclusive, per_run),
            None => {
                let base = self.base.map(|base| &base.profile);
                Views::new(&self.new.profile, base, inclusive, per_run)
            }
        }
    }

    /// Checks the limits, and warns about what is compared and about what they do not find.
    fn judge(&self, views: &Views<'_>, converted: &mut Converted) -> Result<(), ConvertError> {
        let failed = |error| self.failed(error);
        let mut event = self.new.profile.event().to_vec();
        if self.base.is_some() {
            let functions = views.by(GroupBy::Function).map_err(failed)?;
            if let Some(comparison) = functions.subject().comparison() {
                let warnings = notices::about_comparison(comparison, &self.new.inputs);
                converted.warnings.extend(warnings);
                event = comparison.first().name.to_vec();
            }
        }
        let sides = self.base.into_iter().chain([self.new]);
        allow_limits(self.options, &event, &converted.warnings, sides)?;
        let are_complete = Sides {
            base: self.base.is_none_or(|base| base.has_all_costs),
            new: self.new.has_all_costs,
        };
        let each_part = self.options.limit_each_part;
        let verdicts = check_all(&self.options.limits, each_part, are_complete, views);
        converted.verdicts = verdicts.map_err(|error| match error {
            CheckError::Limit(error) => error.into(),
            CheckError::Views(error) => failed(error),
        })?;
        let not_found = notices::not_found(&converted.verdicts);
        converted.warnings.extend(not_found);
        Ok(())
    }

    /// What readers of the output should know.
    fn notes<'n>(&'n self, warnings: &'n [String], limits: &'n [Verdict]) -> Notes<'n> {
        Notes {
            warnings,
            limits,
            estimates: None,
            inputs: Sides {
                base: self.base.map_or("", |base| &base.inputs),
                new: &self.new.inputs,
            },
            recorded: self.new.recorded,
        }
    }

    fn failed(&self, error: ViewsError) -> ConvertError {
        match (error, self.base) {
            (ViewsError::Compare(error), Some(base)) => base.incomparable(error),
            (error, _) => ConvertError::CannotCheck(error.to_string()),
        }
    }
}

/// Checks that the limits on an event can be checked: that no warning about it says that costs are
/// missing or unknown, and that there are any where growth is measured.
fn allow_limits<'a>(
    options: &ConvertOptions,
    event: &[u8],
    warnings: &Warnings<Warning>,
    sides: impl IntoIterator<Item = &'a LoadedProfile>,
) -> Result<(), ConvertError> {
    if options.limits.is_empty() {
        return Ok(());
    }
    let mut listed = warnings.iter();
    if let Some(listed) = listed.find(|listed| listed.warning.forbids_limits(event)) {
        return Err(ConvertError::CannotCheck(listed.warning.to_string()));
    }
    let mut sides = sides
        .into_iter()
        .filter(|_| options.limits.iter().any(Limit::needs_base));
    match sides.find(|side| notices::costs_nothing(&side.profile)) {
        Some(LoadedProfile { inputs, .. }) => {
            let event = excerpt(event);
            let reason = format!("{inputs}: all costs of \"{event}\" are 0");
            Err(ConvertError::CannotCheck(reason))
        }
        None => Ok(()),
    }
}

/// Writes with `fill`, and returns the number of bytes. It is not an error if the reader has closed
/// the pipe.
fn write_to(
    output: &Output,
    fill: impl FnOnce(&mut dyn Write) -> Result<(), FormatError>,
) -> Result<u64, ConvertError> {
    let source = match output.write(fill).map_err(FormatError::of_output) {
        Ok(bytes) => return Ok(bytes),
        Err(Ok(error)) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(0),
        Err(Ok(error)) => plain(error).into(),
        Err(Err(FormatError::Text(error))) => return Err(ConvertError::Report(error)),
        Err(Err(FormatError::Timeline(error))) => return Err(ConvertError::Timeline(error)),
        Err(Err(error)) => error,
    };
    let output = output.target.clone();
    Err(ConvertError::Output { output, source })
}
