//! Warnings about a conversion.

use std::error::Error as _;
use std::mem::discriminant;
use std::path::Path;
use std::ptr;

use thiserror::Error;

use super::ConvertError;
use super::loaded::LoadedProfile;
use crate::callgrind::{self, WarningKind};
use crate::compare::{Comparison, Outcome, Sides, Verdict};
use crate::display::MAX_LISTED;
use crate::display::numbers::counted;
use crate::display::text::{excerpt, printable};
use crate::io::{NoSource, ResolvedSource, Source, SourceFiles, Target};
use crate::maps::{HashMap, HashSet};
use crate::profile::{Event, EventChoice, EventError, Kind, Producer, Profile};
use crate::stacks::Stacks;
use crate::tables::first_cost;
use crate::view::Hidden;
use crate::warnings::{Alike, Warnings};
use crate::webgrind::{ReadWarning, ReadWarningKind};

/// Something that a user should know about a conversion that succeeded.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "the messages show what the fields are")]
#[non_exhaustive]
pub enum Warning {
    /// About a callgrind profile.
    #[error(transparent)]
    Callgrind(#[from] callgrind::ParseWarning),
    /// About a webgrind file that was read.
    #[error(transparent)]
    Preprocessed(ReadWarning),
    /// Compressed data are truncated.
    #[error(
        "{input}: {cut}; what came before was converted; their writer was killed or is still running"
    )]
    Cut { input: Source, cut: String },
    /// One of several inputs has no data.
    #[error("{0}: no profile data; the input is ignored")]
    Empty(Source),
    /// An input cannot be opened or read, and is skipped.
    #[error("{0}; the input was skipped")]
    LeftOut(String),
    /// Proxy functions were named, but this input is no trace.
    #[error(
        "{0}: proxy functions are ignored, because the profile contains sums, not single calls"
    )]
    ProxiesIgnored(Source),
    /// A proxy function was named, but no trace has a function of that name.
    #[error("proxy function \"{0}\" not found, so no calls were replaced; -f text lists the names")]
    UnknownProxy(String),
    /// The costs of an input are, or may be, counted more than once.
    #[error("{input}: {why}")]
    CountedTwice { input: Source, why: String },
    /// An input is a webgrind file of another one, and is left out.
    #[error("{input}: left out, because it was converted from {original}, which is an input, too")]
    Converted { input: Source, original: Source },
    /// An input is a later part of a run, and earlier parts are in its directory.
    #[error("{input}: {what}")]
    PartsBeside { input: Source, what: String },
    /// All events are requested, but some inputs lack some.
    #[error("not every input has {}: where it is missing, its cost counts as 0", listed(.0))]
    MissingEvents(Vec<Vec<u8>>),
    /// Inputs define a derived event differently.
    #[error(
        "the inputs define event \"{event}\" differently: -e {event} uses the formula of each input; otherwise the event is omitted",
        event = excerpt(.0)
    )]
    Conflicting(Vec<u8>),
    /// The formula of a derived event cannot be computed; the output contains all other events.
    #[error("a derived event is omitted: {0}")]
    Underived(EventError),
    /// Base and new profile have costs in different known units.
    #[error("{0}")]
    Units(String),
    /// The profile lacks the function or part that a limit names.
    #[error("{0}")]
    LimitOnNothing(String),
    /// No function is hidden by a word.
    #[error("nothing is hidden by \"{0}\": no function has {what}", what = match .0.contains("::") {
        true => "a component that begins with it",
        false => "it in its name, file or object",
    })]
    HidesNothing(String),
    /// An input is its own base.
    #[error("{0}: compared with itself, because it is also the base")]
    OnBothSides(Source),
    /// A source file that is shown is newer than the profile.
    #[error(
        "{0}: the source file was changed after the profile was written, so costs may be at wrong lines"
    )]
    NewerSource(String),
    /// No source file of the profile was found.
    #[error("{0}")]
    NoSource(String),
    /// About all of a profile, such as costs that are all 0, and estimates.
    #[error("{inputs}: {what}")]
    Overall { inputs: String, what: String },
    /// About the output that was written, such as numbers that did not fit.
    #[error("{output}: {what}")]
    Written { output: Target, what: String },
}

impl Warning {
    /// Whether limits on an event cannot be checked: costs are missing or unknown, or an input is its own
    /// base.
    pub(super) fn forbids_limits(&self, first: &[u8]) -> bool {
        match self {
            Warning::MissingEvents(events) => events.iter().any(|event| event == first),
            Warning::Conflicting(event) => event == first,
            Warning::Preprocessed(ReadWarning {
                kind: ReadWarningKind::Incomplete | ReadWarningKind::NoSummary,
                ..
            }) => false,
            Warning::Preprocessed(_)
            | Warning::Empty(_)
            | Warning::Units(_)
            | Warning::OnBothSides(_) => self.absent_event().is_none_or(|event| event == first),
            _ => self.absent_event() == Some(first),
        }
    }

    /// The file that it is about, as messages name it; `None` if it is about all of them.
    pub fn file(&self) -> Option<String> {
        match self {
            Warning::Callgrind(warning) => Some(warning.input.clone()),
            Warning::Preprocessed(warning) => Some(warning.input.clone()),
            Warning::Cut { input, .. }
            | Warning::Empty(input)
            | Warning::ProxiesIgnored(input)
            | Warning::CountedTwice { input, .. }
            | Warning::PartsBeside { input, .. }
            | Warning::OnBothSides(input) => Some(input.to_string()),
            _ => None,
        }
    }

    /// The number of the line that it is about, from 1, if it is about one.
    pub fn line(&self) -> Option<u64> {
        match self {
            Warning::Callgrind(warning) => Some(warning.line),
            _ => None,
        }
    }

    /// Whether a part of the inputs was truncated, skipped or missing.
    pub fn is_loss(&self) -> bool {
        match self {
            Warning::Callgrind(warning) => warning.kind.is_loss(),
            Warning::Preprocessed(ReadWarning {
                kind: ReadWarningKind::Saturated,
                ..
            }) => false,
            Warning::Preprocessed(_)
            | Warning::Cut { .. }
            | Warning::Empty(_)
            | Warning::LeftOut(_)
            | Warning::MissingEvents(_) => true,
            _ => false,
        }
    }

    /// The event that a part of the inputs lacks, if it is about one.
    pub(super) fn absent_event(&self) -> Option<&[u8]> {
        match self {
            Warning::Callgrind(callgrind::ParseWarning {
                kind: WarningKind::EventAbsent { event, .. },
                ..
            })
            | Warning::Preprocessed(ReadWarning {
                kind: ReadWarningKind::EventAbsent { event, .. },
                ..
            }) => Some(event),
            _ => None,
        }
    }
}

impl Alike for Warning {
    fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Warning::Callgrind(own), Warning::Callgrind(other)) => own.is_like(other),
            (Warning::Preprocessed(own), Warning::Preprocessed(other)) => own.is_like(other),
            _ => discriminant(self) == discriminant(other),
        }
    }

    fn is_omission(&self) -> bool {
        match self {
            Warning::Callgrind(warning) => warning.is_omission(),
            warning => matches!(warning, Warning::LeftOut(_)),
        }
    }
}

/// The names of events, one after the other.
fn listed(events: &[Vec<u8>]) -> String {
    let names: Vec<_> = events.iter().map(|event| excerpt(event)).collect();
    names.join(", ")
}

/// Whether a part of the inputs was truncated, skipped or missing.
pub(super) fn is_loss(warnings: &Warnings<Warning>) -> bool {
    warnings.iter().any(|listed| listed.warning.is_loss())
}

/// Whether costs of the first event are missing. If there are limits, those that an input without the
/// event lacks are an error.
pub(super) fn are_costs_missing(warnings: &Warnings<Warning>) -> bool {
    let is_of_events = |warning: &Warning| {
        matches!(warning, Warning::MissingEvents(_)) || warning.absent_event().is_some()
    };
    let mut warnings = warnings.iter().map(|listed| listed.warning);
    warnings.any(|warning| warning.is_loss() && !is_of_events(warning))
}

/// Splits a number off the end of a name: `7` and `01` of `7-01`.
pub(super) fn split_number(name: &str, separator: char) -> Option<(&str, &str)> {
    let parts = name.rsplit_once(separator);
    parts.filter(|(_, number)| {
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// Warnings about inputs that are counted twice: the same file, by whatever path; a merged profile, one of `sums`, beside others in its
/// directory. Patterns often match both.
pub(super) fn counted_twice(inputs: &[ResolvedSource<'_>], sums: &[Source]) -> Vec<Warning> {
    fn directory(source: &Source) -> Option<&Path> {
        source.path()?.parent()
    }
    let sums: HashSet<_> = sums.iter().collect();
    let mut others: HashMap<&Path, &Source> = HashMap::default();
    for &input in inputs.iter().map(|found| &found.source) {
        if let Some(directory) = directory(input).filter(|_| !sums.contains(input)) {
            others.entry(directory).or_insert(input);
        }
    }
    let mut firsts = HashMap::default();
    let mut warnings = Vec::new();
    for found in inputs {
        let input = found.source;
        let mut warn = |why: String| {
            let input = input.clone();
            warnings.push(Warning::CountedTwice { input, why });
        };
        if let Some(identity) = &found.identity {
            match *firsts.entry(identity).or_insert(input) {
                first if ptr::eq(first, input) => {}
                first if first == input => {
                    warn("named more than once; its costs are counted each time".to_owned());
                }
                first => warn(format!(
                    "the same file as {first}; its costs are counted twice"
                )),
            }
        }
        if sums.contains(input)
            && let Some(other) = directory(input).and_then(|directory| others.get(directory))
        {
            warn(format!(
                "a merged profile; if {other} is part of it, {other} is counted twice"
            ));
        }
    }
    warnings
}

/// The most parts that are looked for beside an input.
const MAX_BESIDE: u64 = 100;

/// The most parts that are looked for beside all inputs, which may be thousands of later parts.
const MAX_BESIDE_ALL: u64 = 1000;

/// A warning for each input that begins with a later part of its run while earlier parts are in its
/// directory. Valgrind writes `callgrind.out.7.1` first and `callgrind.out.7` at the end; for a thread,
/// `callgrind.out.7.1-02` and `callgrind.out.7-02`.
pub(super) fn parts_beside(later: &[(Source, u64)], inputs: &[ResolvedSource<'_>]) -> Vec<Warning> {
    let given: HashSet<_> = inputs.iter().flat_map(|found| &found.identity).collect();
    let is_forgotten = |name: &String| {
        let source = Source::File(name.into());
        let identity = source.find().ok().and_then(|found| found.identity);
        identity.is_some_and(|identity| !given.contains(&identity))
    };
    let mut left = MAX_BESIDE_ALL;
    let warnings = later.iter().filter_map(|&(ref input, part)| {
        let path = input.path()?.to_str()?;
        let thread = split_number(path, '-');
        let count = part.saturating_sub(1).min(MAX_BESIDE).min(left);
        left -= count;
        let names = (1..=count).flat_map(|part| {
            let of_thread = thread.map(|(base, thread)| format!("{base}.{part}-{thread}"));
            [Some(format!("{path}.{part}")), of_thread]
        });
        let forgotten: Vec<_> = names.flatten().filter(is_forgotten).collect();
        let shown = forgotten.iter().take(MAX_LISTED);
        let mut shown: Vec<_> = shown.map(|name| excerpt(name.as_bytes())).collect();
        match forgotten.len().saturating_sub(MAX_LISTED) {
            0 => {}
            more => shown.push(format!("and {more} more")),
        }
        let what = format!(
            "part {part} of a run; earlier parts are in its directory, but not among the inputs: {}",
            shown.join(", ")
        );
        let input = input.clone();
        (!shown.is_empty()).then_some(Warning::PartsBeside { input, what })
    });
    warnings.collect()
}

/// Warnings about inputs that are their own base.
pub(super) fn about_base(
    inputs: &[ResolvedSource<'_>],
    base: &[ResolvedSource<'_>],
) -> impl Iterator<Item = Warning> {
    let given: HashSet<_> = base.iter().flat_map(|found| &found.identity).collect();
    let is_base = move |found: &&ResolvedSource<'_>| {
        let identity = found.identity.as_ref();
        identity.is_some_and(|file| given.contains(file))
    };
    let both = inputs.iter().filter(is_base);
    both.map(|found| Warning::OnBothSides(found.source.clone()))
}

/// A warning if some inputs lack an event that others have: the sums would look as if it had been
/// measured everywhere. `common` are the events that all inputs have, if all are requested.
pub(super) fn missing_events(profile: &Profile, common: Option<&[Event]>) -> Option<Warning> {
    let common = common?;
    let is_missing = |event: &&Event| common.iter().all(|common| common.name() != event.name());
    let missing = profile.events().iter().filter(is_missing);
    let missing: Vec<_> = missing.map(|event| event.name().to_vec()).collect();
    (!missing.is_empty()).then_some(Warning::MissingEvents(missing))
}

/// A warning if inputs have taken other events for the requested ones than those that all of them
/// together stand for: their costs do not count.
pub(super) fn completed_differently(
    profile: &Profile,
    choice: &EventChoice,
    completed: &HashSet<Vec<Event>>,
) -> Option<Warning> {
    let EventChoice::Matching(requested) = choice else {
        return None;
    };
    let is_in = |events: &[Event], name: &[u8]| events.iter().any(|event| event.name() == name);
    // An input that has nothing of a requested name has a warning of its own.
    let has_other = |events: &&Vec<Event>| {
        let mut names = events.iter().map(Event::name);
        names.any(|name| {
            !is_in(profile.events(), name) && requested.iter().all(|requested| requested != name)
        })
    };
    let others: Vec<_> = completed.iter().filter(has_other).collect();
    let wanted = profile.events().iter();
    let missing = wanted.filter(|event| others.iter().any(|events| !is_in(events, event.name())));
    let missing: Vec<_> = missing.map(|event| event.name().to_vec()).collect();
    (!missing.is_empty()).then_some(Warning::MissingEvents(missing))
}

/// Warnings about derived events that inputs define differently, as far as they are wanted.
pub(super) fn conflicting(
    profile: &Profile,
    are_all_wanted: bool,
) -> impl Iterator<Item = Warning> {
    let is_wanted = move |name: &&[u8]| {
        are_all_wanted || profile.events().iter().any(|event| event.name() == *name)
    };
    let events = profile.conflicting_events().filter(is_wanted);
    events.map(|name| Warning::Conflicting(name.to_vec()))
}

/// Warnings about what was read.
pub(super) fn about_profile(new: &LoadedProfile, proxies: &[Vec<u8>]) -> Vec<Warning> {
    let (profile, inputs) = (&new.profile, &new.inputs);
    let mut warnings = Vec::new();
    if profile.kind() != Some(Kind::Aggregate) {
        let unknown = (0..).zip(proxies).filter(|&(at, _)| !profile.has_proxy(at));
        warnings.extend(unknown.map(|(_, proxy)| Warning::UnknownProxy(excerpt(proxy))));
    }
    let mut warn = |what: String| {
        let inputs = inputs.clone();
        warnings.push(Warning::Overall { inputs, what });
    };
    let event = profile.event();
    let others = profile.available_events().filter(|&other| other != event);
    let others: Vec<_> = others.map(excerpt).collect();
    let are_calls_free = || profile.edges().all(|edge| first_cost(edge.costs()) == 0);
    if !others.is_empty() && costs_nothing(profile) && are_calls_free() {
        warn(format!(
            "all costs of \"{}\" are 0; the profile also has {}",
            excerpt(event),
            others.join(", ")
        ));
    }
    if is_of_cachegrind(profile) {
        warn(
            "Cachegrind records no calls, so inclusive costs equal self costs; to record calls, use valgrind --tool=callgrind"
                .to_owned(),
        );
    }
    if profile.has_saturated() {
        warn("some sums exceed 64 bits; they stay at the largest number".to_owned());
    }
    warnings
}

/// Whether all self costs are 0.
pub(super) fn costs_nothing(profile: &Profile) -> bool {
    let mut functions = profile.functions();
    functions.all(|(id, _)| first_cost(profile.self_costs(id)) == 0)
}

/// Warnings about sides that are hard to compare.
pub(super) fn about_comparison(
    comparison: &Comparison<'_>,
    inputs: &str,
) -> impl Iterator<Item = Warning> {
    let first = comparison.first();
    let units = first.unequal_units.map(|units| {
        let Sides { base, new } = units.map(|unit| match unit {
            "" => "an unknown unit",
            unit => unit,
        });
        let event = excerpt(first.name);
        Warning::Units(format!(
            "\"{event}\" is in {base} in the base, but in {new} in the new profile"
        ))
    });
    let Sides { base, new } = comparison.runs();
    let is_unequal = base != new && !comparison.is_per_run;
    let runs = is_unequal.then(|| Warning::Overall {
        inputs: inputs.to_owned(),
        what: format!(
            "{} against {} in the base: totals are compared, not averages per run",
            counted(new, "run"),
            counted(base, "run")
        ),
    });
    units.into_iter().chain(runs)
}

/// Warnings about words by which nothing is hidden, in the new profile or its base.
pub(super) fn hiding_nothing(new: &Hidden<'_>, base: Option<&Hidden<'_>>) -> Vec<Warning> {
    let of_base = base.map(Hidden::unmatched_words);
    let words = new.unmatched_words().into_iter();
    let words = words.filter(|word| of_base.as_ref().is_none_or(|base| base.contains(word)));
    words
        .map(|word| Warning::HidesNothing(excerpt(word.as_bytes())))
        .collect()
}

/// Warnings about limits on functions or parts that are missing.
pub(super) fn not_found(verdicts: &[Verdict]) -> impl Iterator<Item = Warning> {
    let verdicts = verdicts.iter();
    let not_found = verdicts.filter(|verdict| verdict.outcome == Outcome::NotFound);
    not_found.map(|verdict| Warning::LimitOnNothing(verdict.to_string()))
}

/// Warnings about the source files of the output.
pub(super) fn about_sources(sources: &SourceFiles) -> impl Iterator<Item = Warning> {
    let missing = sources.first_missing().map(|(name, reason)| {
        let advice = match reason {
            NoSource::NotFound => {
                "; if the profile was made in another directory, name that one with --trim-path"
            }
            _ => "",
        };
        Warning::NoSource(format!(
            "--source found none of the profile's files; the first one, {}: {reason}{advice}",
            printable(name)
        ))
    });
    let is_newer = |name| Warning::NewerSource(printable(name));
    missing.into_iter().chain(sources.newer().map(is_newer))
}

/// Below this share of exact stacks, another option of the profiler is recommended.
const MIN_EXACT_SHARE: f64 = 0.9;

/// What to know about estimated stacks, with the inputs of the side that has the larger share of them.
pub(super) fn estimated<'i>(
    sides: impl IntoIterator<Item = (&'i str, &'i Stacks<'i>)>,
) -> Option<(&'i str, String)> {
    let shares = { sides }.into_iter();
    let shares = shares.map(|(inputs, stacks)| (stacks.exact_share(), inputs, stacks.profile()));
    let estimated = shares.filter(|&(exact, ..)| exact < 1.0);
    let (exact, inputs, profile) = estimated.min_by(|(a, ..), (b, ..)| a.total_cmp(b))?;
    let records_callers = profile.producers().contains(&Producer::Callgrind);
    // Rounded up, so that only 0 is shown as 0.
    let percent = ((1.0 - exact) * 1000.0).ceil() / 10.0;
    let hint = if records_callers && exact < MIN_EXACT_SHARE {
        "; record with --separate-callers=10 for exact ones"
    } else {
        ""
    };
    let what = format!("the stacks of {percent:.1} % of the cost are estimated{hint}");
    Some((inputs, what))
}

/// Whether Cachegrind wrote a profile: it has a command and a summary, but no creator and no calls.
fn is_of_cachegrind(profile: &Profile) -> bool {
    let has_command = profile.commands().next().is_some();
    let has_calls = profile.edges().next().is_some();
    let is_summed_up = profile.stated_total().is_some();
    !has_calls && is_summed_up && has_command && profile.producers().is_empty()
}

/// A warning about an input that was skipped because of an error.
pub(super) fn skipped(error: &ConvertError) -> Warning {
    let causes = std::iter::successors(error.source(), |&cause| cause.source());
    let all = causes.fold(error.to_string(), |all, cause| format!("{all}: {cause}"));
    Warning::LeftOut(all)
}
