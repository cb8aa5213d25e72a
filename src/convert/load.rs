//! Inputs into one profile.
//!
//! Each input is read into a profile of its own, on as many threads as there are cores, and these
//! are merged in the order of the inputs: so the result is that of reading them one after the
//! other. Where there are many inputs, each thread takes several that follow one another and merges
//! them before its turn comes. Memory holds no more than two profiles for each thread.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;

use super::{ConvertError, Format, Options, Warning};
use crate::callgrind;
use crate::input::{Found, Input, Progress, Source};
use crate::profile::{Event, EventChoice, Profile, ProfileBuilder, ProfileKind, ProfileOptions};
use crate::text::excerpt;
use crate::webgrind::{self, Version};

/// The contents of inputs and the warnings about them, in their order.
pub(super) struct Loaded {
    pub profile: Profile,
    pub warnings: Vec<Warning>,
    pub bytes_decompressed: u64,
}

/// Reads all inputs to their ends.
pub(super) fn load(
    inputs: &[Found<'_>],
    options: &Options,
    progress: &Progress,
) -> Result<Loaded, ConvertError> {
    let mut wanted = ProfileOptions {
        events: options.events.clone(),
        inclusive: options.inclusive,
        proxies: options.proxies.clone(),
        invocations: options.format == Format::Preprocessed(Version::V4),
        contexts: options.format.shows_stacks(),
    };
    let mut merged = Merged::default();
    let mut inputs = inputs.iter();
    if wanted.events == EventChoice::First {
        // The others have to know which event it is.
        for input in inputs.by_ref() {
            merged.add(read(input, &wanted, options, progress))?;
            if let Some(profile) = &merged.profile {
                wanted.events = EventChoice::Named(vec![profile.event().to_vec()]);
                break;
            }
        }
    }
    let mut merged = read_all(inputs.as_slice(), merged, |input| {
        read(input, &wanted, options, progress)
    })?;
    let missing = merged.missing_events(&wanted.events);
    merged.warnings.extend(missing);
    merged.finish(options.allow_empty)
}

/// An input that was read.
struct Read {
    /// Its headers alone, where it has no data.
    profile: Profile,
    /// Why it has no data, if it has none.
    no_data: Option<ConvertError>,
    warnings: Vec<Warning>,
    bytes_decompressed: u64,
}

/// The inputs up to some point.
#[derive(Default)]
struct Merged {
    profile: Option<Profile>,
    warnings: Vec<Warning>,
    bytes_decompressed: u64,
    /// The events that all of them have.
    common_events: Option<Vec<Event>>,
    /// The first input that has no data, and what is wrong with it.
    no_data: Option<(Profile, ConvertError)>,
}

impl Merged {
    /// Adds the next input.
    fn add(&mut self, read: Result<Read, ConvertError>) -> Result<(), ConvertError> {
        let read = read?;
        self.warnings.extend(read.warnings);
        self.bytes_decompressed += read.bytes_decompressed;
        if read.no_data.is_none() {
            self.keep_common_events(read.profile.events());
        }
        match (read.no_data, &mut self.profile) {
            (Some(error), _) => _ = self.no_data.get_or_insert((read.profile, error)),
            (None, None) => self.profile = Some(read.profile),
            (None, Some(merged)) => merged
                .merge(read.profile)
                .map_err(|error| ConvertError::model(&[], error))?,
        }
        Ok(())
    }

    /// Adds the inputs that follow.
    fn append(&mut self, others: Merged) -> Result<(), ConvertError> {
        self.warnings.extend(others.warnings);
        self.bytes_decompressed += others.bytes_decompressed;
        if let Some(events) = &others.common_events {
            self.keep_common_events(events);
        }
        if self.no_data.is_none() {
            self.no_data = others.no_data;
        }
        match (&mut self.profile, others.profile) {
            (_, None) => {}
            (None, others) => self.profile = others,
            (Some(merged), Some(others)) => merged
                .merge(others)
                .map_err(|error| ConvertError::model(&[], error))?,
        }
        Ok(())
    }

    fn keep_common_events(&mut self, events: &[Event]) {
        let is_there = |own: &mut Event| events.iter().any(|event| event.name() == own.name());
        match &mut self.common_events {
            Some(common) => common.retain_mut(is_there),
            None => self.common_events = Some(events.to_vec()),
        }
    }

    /// A warning, if all events are wanted and some inputs lack one: the sums would look as if it
    /// had been measured everywhere.
    fn missing_events(&self, wanted: &EventChoice) -> Option<Warning> {
        let profile = self.profile.as_ref()?;
        let common = self.common_events.as_deref()?;
        let is_missing =
            |event: &&Event| !common.iter().any(|common| common.name() == event.name());
        let missing = profile.events().iter().filter(is_missing);
        let missing: Vec<_> = missing.map(|event| excerpt(event.name())).collect();
        let warns = *wanted == EventChoice::All && !missing.is_empty();
        warns.then(|| Warning::MissingEvents {
            events: missing.join(", "),
        })
    }

    fn finish(self, allow_empty: bool) -> Result<Loaded, ConvertError> {
        let profile = match (self.profile, self.no_data) {
            (Some(profile), _) => profile,
            (None, Some((begun, _))) if allow_empty && !begun.event().is_empty() => begun,
            (None, Some((_, error))) => return Err(error),
            (None, None) => return Err(ConvertError::NoInput),
        };
        Ok(Loaded {
            profile,
            warnings: self.warnings,
            bytes_decompressed: self.bytes_decompressed,
        })
    }
}

/// How many batches of inputs there are for each core, where there are enough inputs, so that all
/// cores are busy to the end.
const BATCHES: usize = 8;

/// The most inputs of a batch.
const MOST_INPUTS: usize = 64;

/// Whose turn it is to add what was read.
struct Turns {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    /// How many batches of inputs have been added.
    added: usize,
    merged: Merged,
    error: Option<ConvertError>,
}

/// Reads inputs on all cores, and adds them to those that were read before, in their order.
fn read_all(
    inputs: &[Found<'_>],
    merged: Merged,
    read: impl Fn(&Found<'_>) -> Result<Read, ConvertError> + Sync,
) -> Result<Merged, ConvertError> {
    let turns = Turns {
        state: Mutex::new(State {
            added: 0,
            merged,
            error: None,
        }),
        changed: Condvar::new(),
    };
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let batch = (inputs.len() / (BATCHES * cores)).clamp(1, MOST_INPUTS);
    let batches: Vec<_> = inputs.chunks(batch).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(inputs) = batches.get(at) else {
                return;
            };
            let mut merged = Merged::default();
            let outcome = inputs.iter().try_for_each(|input| merged.add(read(input)));
            if !turns.add(at, outcome.map(|()| merged)) {
                return;
            }
        }
    };
    thread::scope(|scope| {
        for _ in 1..cores.min(batches.len()) {
            // If no further thread can be started, the others do the work.
            let _ = thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
    let state = turns.state.into_inner();
    let state = state.unwrap_or_else(PoisonError::into_inner);
    match state.error {
        Some(error) => Err(error),
        None => Ok(state.merged),
    }
}

impl Turns {
    /// Adds the batch at a position when those before it have been added; false if one of them
    /// could not be read, so that nothing more is of any use.
    fn add(&self, at: usize, batch: Result<Merged, ConvertError>) -> bool {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let is_waiting = |state: &mut State| state.added < at && state.error.is_none();
        let state = self.changed.wait_while(state, is_waiting);
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        if state.error.is_none() {
            let added = batch.and_then(|batch| state.merged.append(batch));
            state.error = added.err();
            state.added += 1;
        }
        self.changed.notify_all();
        state.error.is_none()
    }
}

/// Reads one input.
fn read(
    found: &Found<'_>,
    wanted: &ProfileOptions,
    options: &Options,
    progress: &Progress,
) -> Result<Read, ConvertError> {
    let source = found.source();
    let mut builder = ProfileBuilder::new(wanted.clone());
    let mut reader = InputReader {
        source,
        options,
        builder: &mut builder,
        warnings: Vec::new(),
        bytes_decompressed: 0,
    };
    let outcome = reader.read(found, progress);
    let (mut warnings, bytes_decompressed) = (reader.warnings, reader.bytes_decompressed);
    let no_data = match outcome {
        Err(error) if !error.is_no_data() => return Err(error),
        outcome => outcome.err(),
    };
    let profile = builder
        .finish_part()
        .map_err(|error| ConvertError::model(std::slice::from_ref(found), error))?;
    let input = source.clone();
    if no_data.is_some() {
        warnings.push(Warning::Empty { input });
    } else if wanted.contexts && profile.kind() != ProfileKind::Trace {
        return Err(ConvertError::NoStacks { input });
    } else if !wanted.proxies.is_empty() && profile.kind() == ProfileKind::Aggregate {
        warnings.push(Warning::ProxiesIgnored { input });
    }
    Ok(Read {
        profile,
        no_data,
        warnings,
        bytes_decompressed,
    })
}

struct InputReader<'a> {
    source: &'a Source,
    options: &'a Options,
    builder: &'a mut ProfileBuilder,
    warnings: Vec<Warning>,
    bytes_decompressed: u64,
}

impl InputReader<'_> {
    fn read(&mut self, found: &Found<'_>, progress: &Progress) -> Result<(), ConvertError> {
        let input = found
            .open(progress)
            .map_err(|error| self.unreadable(error))?;
        if input.is_empty() {
            let input = self.source.clone();
            Err(ConvertError::Empty { input })
        } else if input.is_preprocessed() {
            self.preprocessed(input)
        } else {
            self.text(input)
        }
    }

    fn unreadable(&self, source: std::io::Error) -> ConvertError {
        ConvertError::Read {
            input: self.source.clone(),
            source,
        }
    }

    fn preprocessed(&mut self, input: Input) -> Result<(), ConvertError> {
        let input = input
            .into_seekable()
            .map_err(|error| self.unreadable(error))?;
        let outcome = webgrind::read(input, &self.source.to_string(), self.builder)?;
        self.bytes_decompressed += outcome.bytes;
        let warnings = outcome.warnings.into_iter().map(Warning::Preprocessed);
        self.warnings.extend(warnings);
        Ok(())
    }

    fn text(&mut self, mut input: Input) -> Result<(), ConvertError> {
        let (name, options) = (self.source.to_string(), &self.options.read);
        let outcome = callgrind::read_chunks(&mut input, &name, options, self.builder);
        if outcome.is_err() {
            // What cannot be parsed may be what came out of corrupt data.
            input.check_rest().map_err(|error| self.unreadable(error))?;
        }
        let cut = input.cut();
        let outcome = match (outcome, cut) {
            // The beginning of a first line shows nothing yet.
            (Err(error), Some((compression, bytes)))
                if error.problem.is_no_data()
                    || matches!(error.problem, callgrind::Problem::NotAProfile { .. }) =>
            {
                return Err(ConvertError::CutBeforeData {
                    input: self.source.clone(),
                    compression,
                    bytes,
                });
            }
            (outcome, _) => outcome?,
        };
        self.bytes_decompressed += outcome.bytes;
        let warnings = outcome.warnings.into_iter().map(Warning::Callgrind);
        self.warnings.extend(warnings);
        if let Some((compression, bytes)) = cut {
            self.warnings.push(Warning::Cut {
                input: self.source.clone(),
                compression,
                bytes,
            });
        }
        Ok(())
    }
}
