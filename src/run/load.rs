//! Reads inputs into one profile.
//!
//! Inputs are read on all cores and merged in their order, so the result is that of reading one
//! after the other. If there are many, each thread reads a batch of consecutive inputs into one
//! profile before its turn to merge comes. There are never more than two profiles per thread.

use std::io::{self, Read};
use std::num::NonZero;
use std::ops::Range;
use std::path::Path;
use std::{iter, slice, thread};

use super::error::input_names;
use super::loaded::LoadedProfile;
use super::{ConvertError, ConvertOptions, Converted, Feature, Warning, notices};
use crate::callgrind::{self, FoundParts, PartFilter, ProblemKind, Ranges};
use crate::display::MAX_LISTED;
use crate::display::text::excerpt;
use crate::in_order::in_order;
use crate::io::{FileFrom, Input, Progress, ResolvedSource, Source, plain};
use crate::maps::HashSet;
use crate::profile::{
    Event, EventChoice, InclusiveCost, Kind, Kinds, Profile, ProfileBuilder, ProfileOptions,
    split_scale,
};
use crate::view::GroupBy;
use crate::warnings::Warnings;
use crate::webgrind;

/// Finds the inputs of one side. If unreadable inputs are not skipped, the first that is missing is an
/// error.
pub(super) fn find<'a>(
    inputs: &'a [Source],
    skips_unreadable: bool,
    warnings: &mut Warnings<Warning>,
) -> Result<Vec<ResolvedSource<'a>>, ConvertError> {
    let find = |source| match Source::find(source) {
        // It cannot be opened either, and is skipped then.
        Err(_) if skips_unreadable => Ok(ResolvedSource::unknown(source)),
        found => found.map_err(|error| ConvertError::Open {
            input: source.clone(),
            source: plain(error),
        }),
    };
    let found: Result<_, _> = inputs.iter().map(find).collect();
    Ok(without_converted(without_empty_bases(found?), warnings))
}

/// Leaves out webgrind files that were made from another input. Patterns often match both.
fn without_converted<'a>(
    mut inputs: Vec<ResolvedSource<'a>>,
    warnings: &mut Warnings<Warning>,
) -> Vec<ResolvedSource<'a>> {
    // What is missing is skipped.
    let present = inputs.iter().filter(|found| found.identity.is_some());
    let present: HashSet<_> = present.map(|found| found.source).collect();
    inputs.retain(|found| {
        let path = found.source.path().and_then(Path::to_str);
        let original = path.and_then(|path| path.strip_suffix(webgrind::FILE_ENDING));
        let original = original.map(|path| Source::File(path.into()));
        let original = original.filter(|original| present.contains(original));
        warnings.extend(original.clone().map(|original| Warning::Converted {
            input: found.source.clone(),
            original,
        }));
        original.is_none()
    });
    inputs
}

/// Reads all inputs of a side. Adds warnings and sizes to `converted`.
pub(super) fn load(
    found: &[ResolvedSource<'_>],
    skips_unreadable: bool,
    options: &ConvertOptions,
    progress: &Progress,
    converted: &mut Converted,
) -> Result<LoadedProfile, ConvertError> {
    let mut merged = merge(found, skips_unreadable, options, progress)?;
    let mut profile = merged.take_profile(found, &options.read.parts)?;
    let common_events = merged.common_events.as_deref();
    let mut warnings = merged.warnings;
    warnings.extend(notices::missing_events(&profile, common_events));
    warnings.extend(notices::completed_differently(
        &profile,
        &options.events,
        &merged.completed,
    ));
    warnings.extend(notices::parts_beside(&merged.later_parts, found));
    warnings.extend(notices::counted_twice(found, &merged.sums));
    let has_all_events = options.events == EventChoice::All;
    let has = |feature| has_all_events && options.format.has(feature);
    let has_derived = has(Feature::DerivedEvents);
    let wants_all = has_derived || has(Feature::Formulas);
    warnings.extend(notices::conflicting(&profile, wants_all));
    if let EventChoice::All | EventChoice::First = options.events
        && let Some(firsts) = profile.different_first_events()
        && !options.limits.is_empty()
    {
        // By the format, one or the other would be the first event.
        let [first, event] = firsts.map(excerpt);
        return Err(ConvertError::CannotCheck(format!(
            "the inputs list their events in different orders, {first} or {event} first: choose one with -e"
        )));
    }
    let has_all_costs = profile.is_complete() && !notices::are_costs_missing(&warnings);
    if notices::is_loss(&warnings) {
        profile.set_incomplete();
    }
    if has_derived {
        let underived = profile.unavailable_events().into_iter();
        warnings.extend(underived.map(Warning::Underived));
        if has(Feature::KnownEvents) {
            profile.derive_known_events();
        } else {
            profile.derive_events();
        }
    }
    converted.warnings.append(warnings);
    converted.bytes_decompressed += merged.bytes;
    // A merged profile may be much newer than its runs.
    let recorded = merged.sums.is_empty().then(|| recorded(found)).flatten();
    Ok(LoadedProfile {
        inputs: input_names(found),
        recorded,
        profile,
        has_all_costs,
    })
}

/// When the first and the last input were recorded.
fn recorded(found: &[ResolvedSource<'_>]) -> Option<[u64; 2]> {
    let times: Option<Vec<u64>> = found.iter().map(ResolvedSource::recorded).collect();
    let times = times?;
    Some([*times.iter().min()?, *times.iter().max()?])
}

/// Reads inputs on all cores, and merges them in their order. If unreadable ones are skipped, each is
/// read into a profile of its own, so that nothing remains of a skipped one.
fn merge(
    found: &[ResolvedSource<'_>],
    skips_unreadable: bool,
    options: &ConvertOptions,
    progress: &Progress,
) -> Result<Merged, ConvertError> {
    let mut wanted = wanted(options);
    let sum_up = |wanted: &ProfileOptions, inputs: &[ResolvedSource<'_>], threads: usize| {
        let batch = InputBatch {
            options,
            progress,
            threads,
            builder: ProfileBuilder::new(wanted.clone()),
            merged: Merged::default(),
        };
        batch.sum_up(inputs).or_else(|error| {
            if skips_unreadable {
                Ok(Merged::skipped(error))
            } else {
                Err(error)
            }
        })
    };
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let (mut merged, mut others) = (Merged::default(), found);
    if matches!(wanted.events, EventChoice::First | EventChoice::Matching(_)) {
        // The other inputs need to know the events. What a beginning stands for is known at the end.
        let is_open = |merged: &Merged| match wanted.events {
            EventChoice::First => merged.resolved_choice().is_none(),
            _ => merged.profile.is_none(),
        };
        while is_open(&merged)
            && let Some((first, rest)) = others.split_first()
        {
            let first = slice::from_ref(first);
            merged = merged.with(sum_up(&wanted, first, cores)?, first, skips_unreadable)?;
            others = rest;
        }
        wanted.events = merged.resolved_choice().unwrap_or(wanted.events);
    }
    // A single input uses all cores.
    let threads = if others.len() == 1 { cores } else { 1 };
    let most = if skips_unreadable { 1 } else { MAX_INPUTS };
    let batch = (others.len() * threads / (BATCHES * cores)).clamp(1, most);
    let mut batches = others.chunks(batch);
    in_order(
        batches.len().min(cores / threads),
        merged,
        || batches.next(),
        |batch| (batch, sum_up(&wanted, batch, threads)),
        |merged, (batch, summed_up)| merged.with(summed_up?, batch, skips_unreadable),
    )
}

/// Ignores the empty file that Valgrind's `--separate-threads` writes beside those of the threads:
/// `callgrind.out.7` beside `callgrind.out.7-01` or, in the third dump, `callgrind.out.7.3-01`. It
/// is always empty, so nothing is missing.
fn without_empty_bases(mut inputs: Vec<ResolvedSource<'_>>) -> Vec<ResolvedSource<'_>> {
    fn path<'a>(found: &ResolvedSource<'a>) -> Option<&'a str> {
        found.source.path()?.to_str()
    }
    let without_number = |name, separator| Some(notices::split_number(name, separator)?.0);
    let threads = inputs.iter().filter_map(path);
    let bases: HashSet<&str> = threads
        .filter_map(|path| without_number(path, '-'))
        .flat_map(|name| iter::once(name).chain(without_number(name, '.')))
        .collect();
    let is_base = |found: &_| path(found).is_some_and(|path| bases.contains(path));
    inputs.retain(|found| found.length != Some(0) || !is_base(found));
    inputs
}

/// What to read from the inputs.
fn wanted(options: &ConvertOptions) -> ProfileOptions {
    let counts_once = options.inclusive() == InclusiveCost::Once;
    let by_line = options.groups(GroupBy::Line);
    let has_parts = options.format.has(Feature::Comparison);
    let mut wanted = ProfileOptions {
        events: options.events.clone(),
        proxies: options.proxies.clone(),
        contexts: counts_once || !options.text.hide.is_empty(),
        call_sites: by_line,
        lines: by_line,
        parts: has_parts || options.limit_each_part || options.groups(GroupBy::Part),
        ..ProfileOptions::default()
    };
    options.format.add_needs(options, &mut wanted);
    wanted.call_sites &= counts_once;
    wanted
}

/// The result of the inputs so far.
#[derive(Debug, Default)]
struct Merged {
    profile: Option<Profile>,
    warnings: Warnings<Warning>,
    /// The bytes of the inputs, decompressed.
    bytes: u64,
    /// The inputs that are merged profiles.
    sums: Vec<Source>,
    /// The inputs that begin with a later part of their run, with the number of that part.
    later_parts: Vec<(Source, u64)>,
    /// The events that all inputs have, if all events are requested.
    common_events: Option<Vec<Event>>,
    /// The lists of events that inputs have taken for the requested ones.
    completed: HashSet<Vec<Event>>,
    /// The columns that all inputs have, if no events are chosen by name, and the first of these inputs.
    columns: Option<(Source, Vec<Vec<u8>>)>,
    /// The error of the first input that has no data or was skipped.
    error: Option<ConvertError>,
    /// The parts of the inputs, if only some are requested.
    parts: FoundParts,
}

impl Merged {
    /// The result of an input that is skipped because of an error.
    fn skipped(error: ConvertError) -> Self {
        let mut merged = Merged::default();
        merged.warnings.push(notices::skipped(&error));
        merged.error = Some(error);
        merged
    }

    /// The profile of these inputs, if there is one with a usable choice of events.
    fn take_profile(
        &mut self,
        found: &[ResolvedSource<'_>],
        filters: &[PartFilter],
    ) -> Result<Profile, ConvertError> {
        let inputs = input_names(found);
        missing_part(&self.parts, filters, &inputs)?;
        let profile = self.profile.take();
        let profile = profile.ok_or_else(|| match self.error.take() {
            Some(error) => error,
            None if filters.is_empty() => ConvertError::NoInput,
            None => ConvertError::EmptyPart(inputs),
        })?;
        profile
            .check_events()
            .map_err(|error| ConvertError::model(found, error.into()))?;
        Ok(profile)
    }

    /// The events to read from the inputs that follow, once they are known.
    fn resolved_choice(&self) -> Option<EventChoice> {
        self.profile.as_ref()?.resolved_choice()
    }

    /// Adds the result of the next inputs.
    ///
    /// # Errors
    ///
    /// If their costs are those of other events. If unreadable inputs are skipped, so are these.
    fn with(
        mut self,
        others: Merged,
        inputs: &[ResolvedSource<'_>],
        skips_unreadable: bool,
    ) -> Result<Self, ConvertError> {
        if let Some((source, columns)) = &others.columns
            && let Err(error) = self.keep_common_columns(source, columns)
        {
            return if skips_unreadable {
                self.with(Merged::skipped(error), inputs, skips_unreadable)
            } else {
                Err(error)
            };
        }
        self.warnings.append(others.warnings);
        self.completed.extend(others.completed);
        self.bytes += others.bytes;
        self.sums.extend(others.sums);
        self.later_parts.extend(others.later_parts);
        self.parts.merge(others.parts);
        if let Some(events) = &others.common_events {
            self.keep_common_events(events);
        }
        self.error = self.error.or(others.error);
        match (&mut self.profile, others.profile) {
            (_, None) => {}
            (None, others) => self.profile = others,
            (Some(merged), Some(others)) => merged
                .merge(others)
                .map_err(|error| ConvertError::model(inputs, error))?,
        }
        Ok(self)
    }

    /// Keeps the columns that another input, or several, also have. The order of inputs does not matter:
    /// all must have one in common.
    fn keep_common_columns(
        &mut self,
        source: &Source,
        columns: &[Vec<u8>],
    ) -> Result<(), ConvertError> {
        if columns.is_empty() {
            return Ok(());
        }
        let Some((first, known)) = &mut self.columns else {
            self.columns = Some((source.clone(), columns.to_vec()));
            return Ok(());
        };
        let is_shared = |known: &&Vec<u8>| columns.iter().any(|name| are_alike(known, name));
        let shared: Vec<_> = known.iter().filter(is_shared).cloned().collect();
        if shared.is_empty() {
            return Err(ConvertError::DifferentEvents {
                input: source.clone(),
                events: list_events(columns),
                first: first.clone(),
                others: list_events(known),
            });
        }
        *known = shared;
        Ok(())
    }

    fn keep_common_events(&mut self, events: &[Event]) {
        let is_there = |own: &Event| events.iter().any(|event| event.name() == own.name());
        match &mut self.common_events {
            Some(common) => common.retain(is_there),
            None => self.common_events = Some(events.to_vec()),
        }
    }
}

/// The number of batches per core, if there are enough inputs, so that all cores are busy to the
/// end.
const BATCHES: usize = 8;

/// The size of the ranges of a single input, in bytes. Each range builds its own tables, and keeps
/// the blocks that are to be linked.
const RANGE: u64 = 4 << 20;

/// The most inputs of a batch.
const MAX_INPUTS: usize = 64;

/// Consecutive inputs that are read into one profile.
struct InputBatch<'a> {
    options: &'a ConvertOptions,
    progress: &'a Progress,
    /// The number of threads that read an input.
    threads: usize,
    builder: ProfileBuilder,
    /// Everything except the profile.
    merged: Merged,
}

impl InputBatch<'_> {
    /// Reads all inputs into one profile.
    fn sum_up(mut self, inputs: &[ResolvedSource<'_>]) -> Result<Merged, ConvertError> {
        let mut has_data = false;
        for input in inputs {
            has_data |= self.add(input)?;
        }
        self.finish(inputs, has_data)
    }

    fn finish(
        mut self,
        inputs: &[ResolvedSource<'_>],
        has_data: bool,
    ) -> Result<Merged, ConvertError> {
        if has_data {
            match self.builder.finish_batch() {
                Ok(profile) => self.merged.profile = Some(profile),
                Err(error) => return Err(ConvertError::model(inputs, error)),
            }
        }
        Ok(self.merged)
    }

    /// Reads the next input in any format. Returns whether it has data, or need not have any.
    fn add(&mut self, found: &ResolvedSource<'_>) -> Result<bool, ConvertError> {
        let opened = found
            .open(self.progress)
            .map_err(unreadable(found.source))?;
        self.add_opened(found, opened)
    }

    fn add_opened(
        &mut self,
        found: &ResolvedSource<'_>,
        opened: Input<'_>,
    ) -> Result<bool, ConvertError> {
        let input = || found.source.clone();
        let outcome = if !opened.is_preprocessed() {
            self.add_text(found, opened)
        } else if self.options.read.parts.is_empty() {
            self.add_preprocessed(found.source, opened)
        } else {
            // It has no parts.
            Ok(())
        };
        match outcome {
            Err(error) if error.is_no_data() => {
                self.builder.end_input();
                self.merged.error.get_or_insert(error);
                self.merged.warnings.push(Warning::Empty(input()));
                let has_begun = self.builder.events().next().is_some();
                return Ok(has_begun && self.options.allow_empty);
            }
            outcome => outcome?,
        }
        let events: Vec<_> = self.builder.events().collect();
        let columns: Vec<_> = self.builder.columns().map(<[u8]>::to_vec).collect();
        let is_sum = self.builder.is_sum();
        let kinds = self.builder.end_input();
        if kinds == Kinds::None && !self.options.read.parts.is_empty() {
            // It has no requested part.
            return Ok(false);
        }
        if let EventChoice::All | EventChoice::First = self.options.events {
            self.merged.keep_common_columns(found.source, &columns)?;
        }
        match &self.options.events {
            EventChoice::All => self.merged.keep_common_events(&events),
            EventChoice::Matching(_) => drop(self.merged.completed.insert(events)),
            EventChoice::First | EventChoice::Named(_) => {}
        }
        if is_sum {
            self.merged.sums.push(input());
        }
        if !self.options.proxies.is_empty() && kinds == Kinds::Only(Kind::Aggregate) {
            let warning = Warning::ProxiesIgnored(input());
            self.merged.warnings.push(warning);
        }
        Ok(true)
    }

    fn add_preprocessed(
        &mut self,
        source: &Source,
        mut input: Input<'_>,
    ) -> Result<(), ConvertError> {
        let name = source.to_string();
        webgrind::check_beginning(input.bytes.fill_buf().map_err(unreadable(source))?, &name)?;
        let input = input
            .into_seekable(self.progress)
            .map_err(unreadable(source))?;
        let outcome = webgrind::read(input, &name, &mut self.builder)?;
        self.merged.bytes += outcome.bytes;
        let warnings = outcome.warnings.into_iter().map(Warning::Preprocessed);
        self.merged.warnings.extend(warnings);
        Ok(())
    }

    fn add_text(
        &mut self,
        found: &ResolvedSource<'_>,
        mut input: Input<'_>,
    ) -> Result<(), ConvertError> {
        let source = found.source;
        let (name, options) = (source.to_string(), &self.options.read);
        let builder = &mut self.builder;
        let outcome = if self.threads > 1
            && let Some(length) = found.length.filter(|&length| length > 2 * RANGE)
            && let Some(file) = input.file()
        {
            let open = |range: Range<u64>| -> Box<dyn Read + '_> {
                Box::new(FileFrom(&file, range.start).take(range.end - range.start))
            };
            let ranges = Ranges {
                length,
                threads: self.threads,
                range: RANGE,
                open: &open,
                passed: &|bytes| self.progress.add(bytes),
            };
            callgrind::read_ranges(&mut *input.bytes, Some(&ranges), &name, options, builder)
        } else {
            callgrind::read_ranges(&mut *input.bytes, None, &name, options, builder)
        };
        if outcome.is_err() {
            // Unreadable lines may come from corrupt compressed data.
            input.check_rest().map_err(unreadable(source))?;
        }
        let outcome = match (outcome, input.cut()) {
            // The beginning of a first line proves nothing.
            (Err(error), Some(cut))
                if error.kind().is_no_data()
                    || matches!(error.kind(), ProblemKind::NotAProfile) =>
            {
                let input = source.clone();
                return Err(ConvertError::CutBeforeData { input, cut });
            }
            (outcome, _) => outcome?,
        };
        self.merged.bytes += outcome.bytes;
        self.merged.parts.merge(outcome.parts);
        if let Some(part @ 2..) = outcome.first_part {
            self.merged.later_parts.push((source.clone(), part));
        }
        self.merged.warnings.append(outcome.warnings);
        if let Some(cut) = input.cut() {
            let input = source.clone();
            self.merged.warnings.push(Warning::Cut { input, cut });
        }
        Ok(())
    }
}

/// Reads one input with all cores, or from a stream that is called like it. Returns the profile with
/// warnings.
pub(super) fn load_one(
    found: &ResolvedSource<'_>,
    stream: Option<Input<'_>>,
    options: &ConvertOptions,
    wanted: &ProfileOptions,
) -> Result<(Profile, Warnings<Warning>), ConvertError> {
    let mut batch = InputBatch {
        options,
        progress: &Progress::default(),
        threads: thread::available_parallelism().map_or(1, NonZero::get),
        builder: ProfileBuilder::new(wanted.clone()),
        merged: Merged::default(),
    };
    let has_data = match stream {
        Some(stream) => batch.add_opened(found, stream)?,
        None => batch.add(found)?,
    };
    let inputs = slice::from_ref(found);
    let mut merged = batch.finish(inputs, has_data)?;
    let mut profile = merged.take_profile(inputs, &options.read.parts)?;
    if notices::is_loss(&merged.warnings) {
        profile.set_incomplete();
    }
    Ok((profile, merged.warnings))
}

/// The error for the first requested part that no input has, if there is one.
fn missing_part(
    parts: &FoundParts,
    filters: &[PartFilter],
    inputs: &str,
) -> Result<(), ConvertError> {
    match parts.missing(filters) {
        Some(missing) => Err(ConvertError::NoPart(format!(
            "{inputs}: no part \"{}\"; {parts}",
            missing.name()
        ))),
        None => Ok(()),
    }
}

/// Whether two columns count the same, if only in different units.
fn are_alike(one: &[u8], other: &[u8]) -> bool {
    let plain = |name| split_scale(name).0;
    plain(one) == plain(other)
}

/// The names of events for a message.
fn list_events(names: &[Vec<u8>]) -> String {
    let shown = names.iter().take(MAX_LISTED).map(|name| excerpt(name));
    let mut shown: Vec<_> = shown.collect();
    if names.len() > MAX_LISTED {
        shown.push("…".to_owned());
    }
    shown.join(", ")
}

fn unreadable(input: &Source) -> impl Fn(io::Error) -> ConvertError {
    move |source| ConvertError::Read {
        input: input.clone(),
        source: plain(source),
    }
}
