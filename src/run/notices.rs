//! Warnings about a conversion, and what they are about.

use std::error::Error as _;
use std::mem::discriminant;

use thiserror::Error;

use super::ConvertError;
use crate::callgrind::{self, WarningKind};
use crate::display::MAX_LISTED;
use crate::display::numbers::counted;
use crate::display::text::excerpt;
use crate::io::{Compression, NoSource, ResolvedSource, Source};
use crate::maps::{HashMap, HashSet};
use crate::output::collapsed;
use crate::profile::{EventError, Producer, Profile, ProfileKind};
use crate::stacks::Stacks;
use crate::tables::first_cost;
use crate::warnings::Kind;
use crate::webgrind::{self, ReadWarning};

/// What webgrind appends to the name of a profile to name the converted file.
const WEBGRINDS_ENDING: &str = ".webgrind";

/// Something that a user should know about a conversion that succeeded.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "the messages show what the fields are")]
#[non_exhaustive]
pub enum Warning {
    /// About a callgrind profile.
    #[error(transparent)]
    Callgrind(callgrind::Warning),
    /// About a preprocessed file that was read.
    #[error(transparent)]
    Preprocessed(webgrind::ReadWarning),
    /// Compressed data end too early.
    #[error(
        "{input}: the {compression} data are cut off after {bytes} bytes and were converted up to there; their writer was killed or is still running"
    )]
    Cut {
        input: Source,
        compression: Compression,
        bytes: u64,
    },
    /// One of several inputs has no data.
    #[error("{0}: no profile data, so it adds nothing")]
    Empty(Source),
    /// An input cannot be opened or read, and is left out.
    #[error("{0}: the input is left out")]
    LeftOut(String),
    /// Proxy functions were named, but this input is no trace.
    #[error("{0}: proxy functions are ignored: only in a trace can calls be replaced")]
    ProxiesIgnored(Source),
    /// A proxy function was named, but no trace has a function of that name.
    #[error(
        "no trace has a function \"{0}\", so none is stepped over; the text report lists the names"
    )]
    UnknownProxy(String),
    /// An input was converted by webgrind from another input.
    #[error(
        "{input}: was converted from another input, {original}, whose costs are now counted twice"
    )]
    CountedTwice { input: Source, original: Source },
    /// An input was summed up by this program, maybe from inputs that stand beside it.
    #[error(
        "{input}: is a sum that this program has made, and {other} stands beside it; if it is a part of that sum, its costs are now counted twice"
    )]
    SumBeside { input: Source, other: Source },
    /// An input is the last part of a run, and parts before it lie beside it.
    #[error(
        "{input}: is part {part} of a run, and earlier parts lie beside it that are not among the inputs: {}",
        .beside.join(", ")
    )]
    PartsBeside {
        input: Source,
        part: u64,
        beside: Vec<String>,
    },
    /// All events are wanted, but some inputs lack some.
    #[error("not every input has {}: where it is missing, its cost counts as 0", .0.join(", "))]
    MissingEvents(Vec<String>),
    /// The formula of a derived event cannot be worked out, and the output holds all events that can.
    #[error("a derived event is left out: {0}")]
    Underived(EventError),
    /// Nothing costs anything, but there are other events.
    #[error("all costs of \"{event}\" are 0; the profile also has {others}")]
    AllZero { event: String, others: String },
    /// A profile of Cachegrind, which records no calls.
    #[error(
        "the profile holds no calls, because Cachegrind records none, and inclusive costs are the same as self costs; use valgrind --tool=callgrind to record calls"
    )]
    NoCalls,
    /// An input was named more than once.
    #[error("{0}: is named more than once, and its costs are counted each time")]
    NamedTwice(Source),
    /// Two inputs are the same file under two names.
    #[error("{input}: is the same file as {first}, and its costs are counted twice")]
    SameFile { input: Source, first: Source },
    /// The two sides of a comparison have costs in different units, as far as they are known.
    #[error("\"{event}\" is in {base} in the base, but in {new} in the new profile")]
    Units {
        event: String,
        base: &'static str,
        new: &'static str,
    },
    /// The two sides of a comparison sum different numbers of runs.
    #[error(
        "the base sums {}, the new profile {}: costs are compared as sums, not per run",
        counted(*.base, "run"),
        counted(*.new, "run")
    )]
    Runs { base: u64, new: u64 },
    /// A limit is on a function, or on a part of the base, that the profile does not have.
    #[error("{0}")]
    LimitOnNothing(String),
    /// An input is its own base.
    #[error("{0}: is compared with itself: it is also named as the base")]
    OnBothSides(Source),
    /// An input has a name that begins with that of the base, as if a pattern had matched both.
    #[error(
        "{input}: is compared with {base}: if it is to be part of the base, repeat --base before it, as for each file of the base"
    )]
    MaybeBase { input: Source, base: Source },
    /// A source file that is shown is newer than the profile.
    #[error(
        "{0}: the source file was changed after the profile was written, so costs may stand at wrong lines"
    )]
    NewerSource(String),
    /// Source was to be shown, but none of the files was found.
    #[error(
        "no source file of the profile was found by --source, the first of them being {first}: {reason}; if the folder has another name in the profile, say that with --trim-path"
    )]
    NoSource { first: String, reason: NoSource },
    /// A sum reached an end of the 64 bits.
    #[error("some sums do not fit into 64 bits and stay at their limit")]
    Saturated,
    /// Stacks of sums are estimated.
    #[error(
        "the stacks of {} % of the cost are estimated{}",
        tenths(1.0 - *exact),
        hint(*exact, *can_be_told)
    )]
    Estimated {
        /// The share that has one possible stack, from 0 to 1.
        exact: f64,
        /// Whether the profiler can tell more.
        can_be_told: bool,
    },
    /// About the stacks that were written.
    #[error(transparent)]
    Collapsed(collapsed::Warning),
    /// Likewise, for pprof.
    #[cfg(feature = "compression")]
    #[error(transparent)]
    Pprof(crate::output::pprof::Warning),
    /// About the file that was written.
    #[error(transparent)]
    Webgrind(webgrind::WriteWarning),
    /// About the callgrind profile that was written.
    #[error(transparent)]
    Written(callgrind::WriteWarning),
}

impl Warning {
    /// Whether limits on an event cannot be checked: costs are missing or are not known, or an input
    /// is its own base.
    pub(super) fn forbids_limits(&self, first: &str) -> bool {
        match self {
            Warning::Callgrind(warning) => match &warning.kind {
                WarningKind::EventAbsent { event, .. } => event == first,
                _ => false,
            },
            Warning::MissingEvents(events) => events.iter().any(|event| event == first),
            Warning::Preprocessed(ReadWarning::EventAbsent { event, .. }) => event == first,
            Warning::Preprocessed(ReadWarning::Incomplete(_) | ReadWarning::NoSummary(_)) => false,
            Warning::Preprocessed(_)
            | Warning::Empty(_)
            | Warning::Units { .. }
            | Warning::OnBothSides(_) => true,
            _ => false,
        }
    }

    /// Whether a part of the inputs was cut off, skipped or missing.
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

    /// Whether it is about a limit that was not checked, because the profile lacks what it is on.
    pub fn is_about_limit(&self) -> bool {
        matches!(self, Warning::LimitOnNothing(_))
    }

    /// Whether it is about an event that a part of the inputs lacks.
    pub(super) fn is_absence(&self) -> bool {
        match self {
            Warning::Callgrind(warning) => {
                matches!(warning.kind, WarningKind::EventAbsent { .. })
            }
            Warning::Preprocessed(warning) => matches!(warning, ReadWarning::EventAbsent { .. }),
            _ => false,
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
    let mut seen = HashMap::default();
    inputs.iter().filter_map(move |found| {
        let first = *seen.entry(found.identity.as_ref()?).or_insert(found);
        let (input, first) = match first {
            first if std::ptr::eq(first, found) => return None,
            first => (found.source.clone(), first.source.clone()),
        };
        Some(match input == first {
            true => Warning::NamedTwice(input),
            false => Warning::SameFile { input, first },
        })
    })
}

/// The most names of files that are looked for beside all inputs.
const MAX_BESIDE: u64 = 1000;

/// A warning for each input that begins with a later part of its run where parts before it lie beside
/// it, as Valgrind names them: `callgrind.out.7.1` beside `callgrind.out.7`, which is written at the
/// end, and `callgrind.out.7.1-02` beside `callgrind.out.7-02`, of a thread.
pub(super) fn parts_beside(later: &[(Source, u64)], inputs: &[ResolvedSource<'_>]) -> Vec<Warning> {
    let given: HashSet<_> = inputs.iter().flat_map(|found| &found.identity).collect();
    let mut left = MAX_BESIDE;
    let warnings = later.iter().filter_map(|(input, part)| {
        let Source::File(path) = input else {
            return None;
        };
        let path = path.to_str()?;
        let thread = path.rsplit_once('-').filter(|(_, thread)| {
            !thread.is_empty() && thread.bytes().all(|byte| byte.is_ascii_digit())
        });
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
) -> Vec<Warning> {
    let base: HashSet<_> = base.iter().flat_map(|found| &found.identity).collect();
    let both = inputs.iter().filter(|found| {
        let identity = found.identity.as_ref();
        identity.is_some_and(|identity| base.contains(identity))
    });
    both.map(|found| Warning::OnBothSides(found.source.clone()))
        .collect()
}

/// A warning for each input whose name is that of a base with something behind it: of the files that
/// a pattern after --base matches, only the first is a base.
pub(super) fn maybe_base(
    inputs: &[ResolvedSource<'_>],
    base: &[ResolvedSource<'_>],
) -> Vec<Warning> {
    fn name(source: &Source) -> Option<&[u8]> {
        match source {
            Source::File(path) => Some(path.as_os_str().as_encoded_bytes()),
            _ => None,
        }
    }
    let inputs = inputs.iter().map(|found| found.source);
    let alike = inputs.filter_map(|input| {
        let mut bases = base.iter().map(|found| found.source);
        let base = bases.find(|&base| {
            let rest = name(base).and_then(|base| name(input)?.strip_prefix(base));
            rest.is_some_and(|rest| !rest.is_empty())
        })?;
        let (input, base) = (input.clone(), base.clone());
        Some(Warning::MaybeBase { input, base })
    });
    alike.collect()
}

/// A warning for each input that webgrind has converted from another input: a pattern easily
/// matches both.
pub(super) fn counted_twice(inputs: &[ResolvedSource<'_>]) -> Vec<Warning> {
    let all: HashSet<&Source> = inputs.iter().map(|found| found.source).collect();
    let warnings = inputs.iter().map(|found| found.source).filter_map(|input| {
        let Source::File(path) = input else {
            return None;
        };
        let original = Source::File(path.to_str()?.strip_suffix(WEBGRINDS_ENDING)?.into());
        all.contains(&original).then(|| Warning::CountedTwice {
            input: input.clone(),
            original,
        })
    });
    warnings.collect()
}

/// Warnings about derived events that are not among all events.
pub(super) fn underived(profile: &Profile) -> impl Iterator<Item = Warning> {
    let errors = profile.unavailable_events();
    errors.map(Warning::Underived)
}

/// Warnings about what was read.
pub(super) fn about_profile(profile: &Profile, proxies: &[Vec<u8>]) -> Vec<Warning> {
    let mut warnings: Vec<_> = unknown_proxies(profile, proxies).collect();
    warnings.extend(all_zero(profile));
    warnings.extend(is_of_cachegrind(profile).then_some(Warning::NoCalls));
    warnings.extend(profile.has_saturated().then_some(Warning::Saturated));
    warnings
}

/// A warning for each proxy that no trace has; none if there is no trace.
fn unknown_proxies(profile: &Profile, proxies: &[Vec<u8>]) -> impl Iterator<Item = Warning> {
    let has_trace = profile.kind() != ProfileKind::Aggregate;
    let proxies = proxies.iter().enumerate();
    let unknown = proxies.filter(move |&(at, _)| has_trace && !profile.has_proxy(at));
    unknown.map(|(_, proxy)| Warning::UnknownProxy(excerpt(proxy)))
}

/// A warning, if another event would have been the better choice.
fn all_zero(profile: &Profile) -> Option<Warning> {
    let event = profile.event();
    let others = profile.available_events().filter(|&other| other != event);
    let others: Vec<_> = others.map(excerpt).collect();
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

/// A warning, if stacks are estimated: about the side of which least is known.
pub(super) fn estimated(base: Option<&Stacks<'_>>, new: &Stacks<'_>) -> Option<Warning> {
    let sides = base.into_iter().chain([new]);
    let shares = sides.map(|stacks| (stacks.exact_share(), stacks.profile()));
    let estimated = shares.filter(|&(exact, _)| exact < 1.0);
    let (exact, profile) = estimated.min_by(|(a, _), (b, _)| a.total_cmp(b))?;
    Some(Warning::Estimated {
        exact,
        can_be_told: is_of_callgrind(profile),
    })
}

/// Whether something comes from Valgrind's Callgrind itself.
fn is_of_callgrind(profile: &Profile) -> bool {
    profile.producers().contains(&Producer::Callgrind)
}

/// A share as a percentage, rounded up: only none of it is 0.
fn tenths(share: f64) -> String {
    format!("{:.1}", (share * 1000.0).ceil() / 10.0)
}

/// Below this share, the profiler had better be asked to tell more.
const MIN_EXACT_SHARE: f64 = 0.9;

fn hint(exact: f64, can_be_told: bool) -> &'static str {
    if can_be_told && exact < MIN_EXACT_SHARE {
        "; record with --separate-callers=10 for exact ones"
    } else {
        ""
    }
}

/// Whether a profile is one of Cachegrind: a command and a summary, but no creator and no calls.
fn is_of_cachegrind(profile: &Profile) -> bool {
    let has_command = profile.commands().next().is_some();
    let has_calls = profile.edges().next().is_some();
    let is_summed_up = profile.stated_total().is_some();
    !has_calls && is_summed_up && has_command && profile.producers().is_empty()
}

/// Warnings about inputs that are left out.
pub(super) fn left_out(errors: &[ConvertError]) -> impl Iterator<Item = Warning> {
    errors.iter().map(|error| {
        let causes = std::iter::successors(error.source(), |&cause| cause.source());
        let all = causes.fold(error.to_string(), |all, cause| format!("{all}: {cause}"));
        Warning::LeftOut(all)
    })
}
