//! Warnings about a conversion.

use std::error::Error as _;
use std::mem::discriminant;
use std::path::Path;
use std::ptr;

use thiserror::Error;

use super::ConvertError;
use crate::callgrind::{self, WarningKind};
use crate::compare::{Comparison, Outcome, Sides, Verdict};
use crate::display::MAX_LISTED;
use crate::display::numbers::counted;
use crate::display::text::{excerpt, printable};
use crate::io::{Compression, NoSource, ResolvedSource, Source, SourceFiles};
use crate::maps::{HashMap, HashSet};
use crate::output::collapsed;
use crate::profile::{Event, EventError, Producer, Profile, ProfileKind};
use crate::stacks::Stacks;
use crate::tables::first_cost;
use crate::warnings::Kind;
use crate::webgrind::{self, ReadWarning};

/// Something that a user should know about a conversion that succeeded.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "the messages show what the fields are")]
#[non_exhaustive]
pub enum Warning {
    /// About a callgrind profile.
    #[error(transparent)]
    Callgrind(#[from] callgrind::Warning),
    /// About a webgrind file that was read.
    #[error(transparent)]
    Preprocessed(webgrind::ReadWarning),
    /// Compressed data are cut off.
    #[error(
        "{input}: the {compression} data are cut off after {bytes} bytes; what came before was converted; their writer was killed or is still running"
    )]
    Cut {
        input: Source,
        compression: Compression,
        bytes: u64,
    },
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
    /// Webgrind converted an input from another input.
    #[error(
        "{input}: converted from {original}, which is also an input; its costs are counted twice"
    )]
    CountedTwice { input: Source, original: Source },
    /// An input is a merged profile, maybe of other inputs.
    #[error("{input}: a merged profile; if {other} is part of it, {other} is counted twice")]
    SumBeside { input: Source, other: Source },
    /// An input is a later part of a run, and earlier parts are in its folder.
    #[error(
        "{input}: part {part} of a run; earlier parts are in its folder, but not among the inputs: {}",
        .beside.join(", ")
    )]
    PartsBeside {
        input: Source,
        part: u64,
        beside: Vec<String>,
    },
    /// All events are requested, but some inputs lack some.
    #[error("not every input has {}: where it is missing, its cost counts as 0", .0.join(", "))]
    MissingEvents(Vec<String>),
    /// Inputs define a derived event differently.
    #[error(
        "the inputs define event \"{0}\" differently: -e {0} uses the formula of each input; otherwise the event is omitted"
    )]
    Conflicting(String),
    /// The formula of a derived event cannot be computed; the output contains all other events.
    #[error("a derived event is omitted: {0}")]
    Underived(EventError),
    /// All costs are 0, but there are other events.
    #[error("all costs of \"{event}\" are 0; the profile also has {others}")]
    AllZero { event: String, others: String },
    /// The profile is one of Cachegrind, which records no calls.
    #[error(
        "Cachegrind records no calls, so inclusive costs equal self costs; to record calls, use valgrind --tool=callgrind"
    )]
    NoCalls,
    /// An input was named more than once.
    #[error("{0}: named more than once; its costs are counted each time")]
    NamedTwice(Source),
    /// Two inputs are the same file under two names.
    #[error("{input}: the same file as {first}; its costs are counted twice")]
    SameFile { input: Source, first: Source },
    /// Base and new profile have costs in different known units.
    #[error("\"{event}\" is in {base} in the base, but in {new} in the new profile")]
    Units {
        event: String,
        base: &'static str,
        new: &'static str,
    },
    /// Base and new profile contain different numbers of runs.
    #[error(
        "the base contains {}, the new profile {}: totals are compared, not averages per run",
        counted(*.base, "run"),
        counted(*.new, "run")
    )]
    Runs { base: u64, new: u64 },
    /// The profile lacks the function or part that a limit names.
    #[error("{0}")]
    LimitOnNothing(String),
    /// An input is its own base.
    #[error("{0}: compared with itself, because it is also the base")]
    OnBothSides(Source),
    /// The name of an input begins with the base's, as if a pattern had matched both.
    #[error("{input}: compared with {base}; if it belongs to the base, put --base before it, too")]
    MaybeBase { input: Source, base: Source },
    /// A source file that is shown is newer than the profile.
    #[error(
        "{0}: the source file was changed after the profile was written, so costs may be at wrong lines"
    )]
    NewerSource(String),
    /// Source is requested, but none of the files was found.
    #[error(
        "--source found none of the profile's files; the first one, {first}: {reason}; if the profile was made in another folder, name that folder with --trim-path"
    )]
    NoSource { first: String, reason: NoSource },
    /// A sum reached an end of the 64 bits.
    #[error("some sums exceed 64 bits; they stay at the largest number")]
    Saturated,
    /// Stacks of sums are estimated.
    #[error("the stacks of {percent} % of the cost are estimated{hint}")]
    Estimated { percent: String, hint: &'static str },
    /// About the stacks that were written.
    #[error(transparent)]
    Collapsed(collapsed::Warning),
    /// About the pprof profile that was written.
    #[cfg(feature = "compression")]
    #[error(transparent)]
    Pprof(crate::output::pprof::Warning),
    /// About the webgrind file that was written.
    #[error(transparent)]
    Webgrind(webgrind::WriteWarning),
    /// About the callgrind profile that was written.
    #[error(transparent)]
    Written(callgrind::WriteWarning),
}

impl Warning {
    /// Whether limits on an event cannot be checked: costs are missing or unknown, or an input is its own
    /// base.
    pub(super) fn forbids_limits(&self, first: &str) -> bool {
        if let Some(event) = self.absent_event() {
            return event == first;
        }
        match self {
            Warning::Conflicting(event) => event == first,
            Warning::MissingEvents(events) => events.iter().any(|event| event == first),
            Warning::Preprocessed(ReadWarning::Incomplete(_) | ReadWarning::NoSummary(_)) => false,
            Warning::Preprocessed(_)
            | Warning::Empty(_)
            | Warning::Units { .. }
            | Warning::OnBothSides(_) => true,
            _ => false,
        }
    }

    /// Whether a part of the inputs was truncated, skipped or missing.
    pub fn is_loss(&self) -> bool {
        match self {
            Warning::Callgrind(warning) => warning.kind.is_loss(),
            Warning::Preprocessed(ReadWarning::Saturated(_)) => false,
            Warning::Preprocessed(_)
            | Warning::Cut { .. }
            | Warning::Empty(_)
            | Warning::LeftOut(_)
            | Warning::MissingEvents(_) => true,
            _ => false,
        }
    }

    /// The event that a part of the inputs lacks, if it is about one.
    pub(super) fn absent_event(&self) -> Option<&str> {
        match self {
            Warning::Callgrind(callgrind::Warning {
                kind: WarningKind::EventAbsent { event, .. },
                ..
            })
            | Warning::Preprocessed(ReadWarning::EventAbsent { event, .. }) => Some(event),
            _ => None,
        }
    }
}

impl Kind for Warning {
    fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Warning::Callgrind(own), Warning::Callgrind(other)) => own.is_like(other),
            (Warning::Preprocessed(own), Warning::Preprocessed(other)) => own.is_like(other),
            _ => discriminant(self) == discriminant(other),
        }
    }
}

/// A warning for each file that is named more than once, by whatever path.
pub(super) fn named_twice(inputs: &[ResolvedSource<'_>]) -> impl Iterator<Item = Warning> {
    let mut firsts = HashMap::default();
    inputs.iter().filter_map(move |found| {
        let input = found.source;
        match *firsts.entry(found.identity.as_ref()?).or_insert(input) {
            first if ptr::eq(first, input) => None,
            first if first == input => Some(Warning::NamedTwice(input.clone())),
            first => Some(Warning::SameFile {
                input: input.clone(),
                first: first.clone(),
            }),
        }
    })
}

/// A warning if some inputs lack an event that others have: the sums would look as if it had been
/// measured everywhere. `common` are the events that all inputs have, if all are requested.
pub(super) fn missing_events(profile: &Profile, common: Option<&[Event]>) -> Option<Warning> {
    let is_common = |event: &Event| common?.iter().find(|common| common.name() == event.name());
    let missing = profile
        .events()
        .iter()
        .filter(|&event| is_common(event).is_none());
    let missing: Vec<_> = missing.map(|event| excerpt(event.name())).collect();
    (common.is_some() && !missing.is_empty()).then_some(Warning::MissingEvents(missing))
}

/// A warning for each merged profile that may contain other inputs of its folder. Patterns often
/// match both.
pub(super) fn sums_beside(sums: &[Source], inputs: &[ResolvedSource<'_>]) -> Vec<Warning> {
    fn folder(source: &Source) -> Option<&Path> {
        source.path()?.parent()
    }
    let is_sum: HashSet<&Source> = sums.iter().collect();
    let mut others: HashMap<&Path, &Source> = HashMap::default();
    for source in inputs.iter().map(|found| found.source) {
        if let Some(folder) = folder(source)
            && !is_sum.contains(source)
        {
            others.entry(folder).or_insert(source);
        }
    }
    let warnings = sums.iter().filter_map(|input| {
        let other = *others.get(folder(input)?)?;
        Some(Warning::SumBeside {
            input: input.clone(),
            other: other.clone(),
        })
    });
    warnings.collect()
}

/// The most files that are looked up in the folders of all inputs.
const MAX_BESIDE: u64 = 1000;

/// Splits a number off the end of a name: `7` and `01` of `7-01`.
pub(super) fn split_number(name: &str, separator: char) -> Option<(&str, &str)> {
    let parts = name.rsplit_once(separator);
    parts.filter(|(_, number)| {
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// A warning for each input that begins with a later part of its run while earlier parts are in its
/// folder. Valgrind writes `callgrind.out.7.1` first and `callgrind.out.7` at the end; for a thread,
/// `callgrind.out.7.1-02` and `callgrind.out.7-02`.
pub(super) fn parts_beside(later: &[(Source, u64)], inputs: &[ResolvedSource<'_>]) -> Vec<Warning> {
    let given: HashSet<_> = inputs.iter().flat_map(|found| &found.identity).collect();
    let mut left = MAX_BESIDE;
    let warnings = later.iter().filter_map(|(input, part)| {
        let path = input.path()?.to_str()?;
        let thread = split_number(path, '-');
        let count = (part - 1).min(left);
        left -= count;
        let names = (1..=count).flat_map(|part| {
            let of_thread = thread.map(|(base, thread)| format!("{base}.{part}-{thread}"));
            [Some(format!("{path}.{part}")), of_thread]
        });
        let names = names.flatten();
        let mut beside: Vec<String> = names
            .filter(|name| {
                let source = Source::File(name.into());
                let found = source.find().ok();
                let identity = found.and_then(|found| found.identity);
                identity.is_some_and(|identity| !given.contains(&identity))
            })
            .map(|name| excerpt(name.as_bytes()))
            .collect();
        let more = beside.len().saturating_sub(MAX_LISTED);
        if more > 0 {
            beside.truncate(MAX_LISTED);
            beside.push(format!("and {more} more"));
        }
        (!beside.is_empty()).then(|| Warning::PartsBeside {
            input: input.clone(),
            part: *part,
            beside,
        })
    });
    warnings.collect()
}

/// A warning for each file that is compared with itself.
pub(super) fn on_both_sides(
    inputs: &[ResolvedSource<'_>],
    base: &[ResolvedSource<'_>],
) -> impl Iterator<Item = Warning> {
    let base: HashSet<_> = base.iter().flat_map(|found| &found.identity).collect();
    inputs.iter().filter_map(move |found| {
        let is_base = base.contains(found.identity.as_ref()?);
        is_base.then(|| Warning::OnBothSides(found.source.clone()))
    })
}

/// A warning for each input whose name begins with that of a base: if a pattern follows --base, only
/// its first match is a base.
pub(super) fn maybe_base(
    inputs: &[ResolvedSource<'_>],
    base: &[ResolvedSource<'_>],
) -> Vec<Warning> {
    fn name(source: &Source) -> Option<&[u8]> {
        Some(source.path()?.as_os_str().as_encoded_bytes())
    }
    let belongs = |input: &Source, base: &Source| {
        let rest = name(base).and_then(|base| name(input)?.strip_prefix(base));
        rest.is_some_and(|rest| !rest.is_empty())
    };
    let inputs = inputs.iter().map(|found| found.source);
    let warnings = inputs.filter_map(|input| {
        let mut base = base.iter().map(|found| found.source);
        let base = base.find(|base| belongs(input, base))?.clone();
        let input = input.clone();
        Some(Warning::MaybeBase { input, base })
    });
    warnings.collect()
}

/// A warning for each input that webgrind converted from another input. Patterns often match both.
pub(super) fn counted_twice(inputs: &[ResolvedSource<'_>]) -> Vec<Warning> {
    let all: HashSet<&Source> = inputs.iter().map(|found| found.source).collect();
    let warnings = inputs.iter().map(|found| found.source).filter_map(|input| {
        let path = input.path()?.to_str()?;
        let original = Source::File(path.strip_suffix(webgrind::FILE_ENDING)?.into());
        all.contains(&original).then(|| Warning::CountedTwice {
            input: input.clone(),
            original,
        })
    });
    warnings.collect()
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
    events.map(|name| Warning::Conflicting(excerpt(name)))
}

/// Warnings about what was read.
pub(super) fn about_profile(profile: &Profile, proxies: &[Vec<u8>]) -> Vec<Warning> {
    let mut warnings: Vec<_> = unknown_proxies(profile, proxies).collect();
    warnings.extend(all_zero(profile));
    warnings.extend(is_of_cachegrind(profile).then_some(Warning::NoCalls));
    warnings.extend(profile.has_saturated().then_some(Warning::Saturated));
    warnings
}

/// A warning for each proxy function that traces do not contain. Without traces, there is none.
fn unknown_proxies(profile: &Profile, proxies: &[Vec<u8>]) -> impl Iterator<Item = Warning> {
    let has_trace = profile.kind() != ProfileKind::Aggregate;
    let proxies = proxies.iter().enumerate();
    let unknown = proxies.filter(move |&(at, _)| has_trace && !profile.has_proxy(at));
    unknown.map(|(_, proxy)| Warning::UnknownProxy(excerpt(proxy)))
}

/// A warning if all costs are 0 and there are other events.
fn all_zero(profile: &Profile) -> Option<Warning> {
    let event = profile.event();
    let others: Vec<_> = profile
        .available_events()
        .filter(|&other| other != event)
        .map(excerpt)
        .collect();
    let is_free =
        costs_nothing(profile) && profile.edges().all(|edge| first_cost(edge.costs()) == 0);
    (is_free && !others.is_empty()).then(|| Warning::AllZero {
        event: excerpt(event),
        others: others.join(", "),
    })
}

/// Whether all self costs are 0.
pub(super) fn costs_nothing(profile: &Profile) -> bool {
    let mut functions = profile.functions();
    functions.all(|(id, _)| first_cost(profile.self_costs(id)) == 0)
}

/// Warnings about sides that are hard to compare.
pub(super) fn about_comparison(comparison: &Comparison<'_>) -> impl Iterator<Item = Warning> {
    let first = comparison.first();
    let units = first.unequal_units.map(|units| {
        let Sides { base, new } = units.map(|unit| match unit {
            "" => "an unknown unit",
            unit => unit,
        });
        let event = excerpt(first.name);
        Warning::Units { event, base, new }
    });
    let Sides { base, new } = comparison.runs();
    let is_unequal = base != new && !comparison.is_per_run;
    let runs = is_unequal.then_some(Warning::Runs { base, new });
    units.into_iter().chain(runs)
}

/// Warnings about limits on functions or parts that are missing.
pub(super) fn not_found(verdicts: &[Verdict]) -> impl Iterator<Item = Warning> {
    let verdicts = verdicts.iter();
    let not_found = verdicts.filter(|verdict| verdict.outcome == Outcome::NotFound);
    not_found.map(|verdict| Warning::LimitOnNothing(verdict.text.clone()))
}

/// Warnings about the source files of the output.
pub(super) fn about_sources(sources: &SourceFiles) -> impl Iterator<Item = Warning> {
    let missing = sources.first_missing().map(|(name, reason)| {
        let first = printable(name);
        Warning::NoSource { first, reason }
    });
    let is_newer = |name| Warning::NewerSource(printable(name));
    missing.into_iter().chain(sources.newer().map(is_newer))
}

/// A warning if stacks are estimated: about the side with the larger share of estimates.
pub(super) fn estimated(base: Option<&Stacks<'_>>, new: &Stacks<'_>) -> Option<Warning> {
    let sides = base.into_iter().chain([new]);
    let shares = sides.map(|stacks| (stacks.exact_share(), stacks.profile()));
    let estimated = shares.filter(|&(exact, _)| exact < 1.0);
    let (exact, profile) = estimated.min_by(|(a, _), (b, _)| a.total_cmp(b))?;
    let records_callers = profile.producers().contains(&Producer::Callgrind);
    Some(Warning::Estimated {
        // Rounded up, so that only 0 is shown as 0.
        percent: format!("{:.1}", ((1.0 - exact) * 1000.0).ceil() / 10.0),
        hint: match records_callers && exact < MIN_EXACT_SHARE {
            true => "; record with --separate-callers=10 for exact ones",
            false => "",
        },
    })
}

/// Below this share of exact stacks, another option of the profiler is recommended.
const MIN_EXACT_SHARE: f64 = 0.9;

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
