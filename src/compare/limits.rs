//! Limits on costs, calls and growth, and the verdicts on them.

use std::fmt;

use thiserror::Error;

use super::amounts::{Amount, Decimal, MILLION, unit_of};
use super::limit_error::LimitError;
use super::{Comparison, InclusiveSum, Sides};
use crate::display::MAX_LISTED;
use crate::display::numbers::{counted, grouped, percent};
use crate::display::text::{excerpt, printable};
use crate::display::units::{Unit, in_units};
use crate::names::{FunctionName, NameQuery};
use crate::profile::{GroupBy, Profile, split_scale};
use crate::tables::first_cost;

/// What a profile, or a comparison, must not exceed.
///
/// The function has the given name; if there is none, it is PHP's own function of that name:
/// `PDO->query` is what Xdebug calls `php::PDO->query`. Functions of one name in several files are
/// added up, and so are the copies of a function that Xdebug distinguishes (`NAME:{file:line}`).
///
/// `class:`, `package:`, `file:`, `object:` and `line:` before a name select a group of functions,
/// unless there is a function of the whole name. The first folders of files and objects can be
/// omitted.
///
/// ```
/// use cg_preprocess::compare::Limit;
///
/// let growth = Limit::growth(r"App\Kernel->boot=5%".as_bytes())?;
/// let cost = Limit::cost(b"250ms")?;
/// let calls = Limit::calls(b"PDO->query=10")?;
/// # Ok::<(), cg_preprocess::compare::LimitSyntaxError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    /// The name of a function or group; `None` for the total.
    name: Option<Vec<u8>>,
    bound: Bound,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    /// The largest growth of a total, or of an inclusive cost, in percent of the base.
    Growth(Decimal),
    /// The largest total, or inclusive cost.
    Cost(Amount),
    /// The most calls of a function.
    Calls(u64),
}

/// The error for text that is not a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "the messages show what is expected")]
#[non_exhaustive]
pub enum LimitSyntaxError {
    #[error(
        "expected a number of percent with up to 12 digits and 6 decimals, such as 5, 2.5 or 2.5%"
    )]
    Growth,
    #[error(
        "expected a cost with up to 18 digits and 6 decimals, such as 20000, 20M, 250ms or 64MiB (k, M, G; ns, us, ms, s; B, KiB, MiB, GiB)"
    )]
    Cost,
    #[error("expected the name of a function and a whole number of calls, such as PDO->query=10")]
    Calls,
}

/// The result of checking a limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Whether it passed.
    pub outcome: Outcome,
    /// What was found, and the limit.
    pub text: String,
}

/// Whether a limit passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It passed.
    Passed,
    /// It passed because a profile lacks the function or part: it was not called, was renamed, or its
    /// name is misspelled.
    NotFound,
    /// It failed.
    Failed,
}

impl Limit {
    /// Reads a limit on growth: `PERCENT` of the total, or `NAME=PERCENT` of a function's inclusive
    /// cost. Below 0, the cost has to shrink.
    ///
    /// # Errors
    ///
    /// If there is no number of percent at the end.
    pub fn growth(text: &[u8]) -> Result<Self, LimitSyntaxError> {
        let bound = |number: &str| {
            let number = number.strip_suffix('%').unwrap_or(number).trim_end();
            let Decimal(size) = Decimal::parse(number.strip_prefix('-').unwrap_or(number), 12)?;
            let sign = if number.starts_with('-') { -1 } else { 1 };
            Some(Bound::Growth(Decimal(sign * size)))
        };
        Limit::parse(text, bound).ok_or(LimitSyntaxError::Growth)
    }

    /// Reads a limit on costs: `AMOUNT` for the total, or `NAME=AMOUNT` for a function's inclusive
    /// cost, in the unit of the first event or in another one: `250ms`, `64MiB`, `20M`.
    ///
    /// # Errors
    ///
    /// If there is no such amount at the end.
    pub fn cost(text: &[u8]) -> Result<Self, LimitSyntaxError> {
        let bound = |amount: &str| Some(Bound::Cost(Amount::parse(amount)?));
        Limit::parse(text, bound).ok_or(LimitSyntaxError::Cost)
    }

    /// Reads a limit on the calls of a function: `NAME=N`.
    ///
    /// # Errors
    ///
    /// If there is no name, or no whole number at the end.
    pub fn calls(text: &[u8]) -> Result<Self, LimitSyntaxError> {
        let bound = |number: &str| {
            let is_number = number.bytes().all(|digit| digit.is_ascii_digit());
            Some(Bound::Calls(is_number.then(|| number.parse())?.ok()?))
        };
        let limit = Limit::parse(text, bound).filter(|limit| limit.name.is_some());
        limit.ok_or(LimitSyntaxError::Calls)
    }

    /// Splits `NAME=NUMBER`. A name may contain `=`, and blanks are part of it.
    fn parse(text: &[u8], bound: impl FnOnce(&str) -> Option<Bound>) -> Option<Self> {
        let (name, number) = match memchr::memrchr(b'=', text) {
            Some(at) => (Some(text[..at].to_vec()), &text[at + 1..]),
            None => (None, text),
        };
        let bound = bound(str::from_utf8(number).ok()?)?;
        Some(Limit { name, bound })
    }

    /// Whether it is about growth, which needs a base.
    pub fn needs_base(&self) -> bool {
        matches!(self.bound, Bound::Growth(_))
    }

    /// The kind of its name: `class:A` is a class, unless there is a function of that name.
    pub(crate) fn group_by(&self) -> GroupBy {
        self.group().map_or(GroupBy::Function, |(by, _)| by)
    }

    /// The kind and the name of a group.
    fn group(&self) -> Option<(GroupBy, &[u8])> {
        let name = self.name.as_deref()?;
        GroupBy::GROUPS.into_iter().find_map(|by| {
            let name = name.strip_prefix(by.name().as_bytes())?;
            let name = name.strip_prefix(b":")?;
            (!name.starts_with(b":")).then_some((by, name))
        })
    }

    /// Checks a profile, exactly: in the first event, and if it was compared per run, per run. Groups
    /// of functions are not known.
    ///
    /// # Errors
    ///
    /// If the limit cannot be checked: see [`LimitError`].
    pub fn check(
        &self,
        profile: &Profile,
        comparison: Option<&Comparison<'_>>,
    ) -> Result<Verdict, LimitError> {
        let name = self.name.as_deref();
        let mut closest = Closest::default();
        Check::new(self, GroupBy::Function, name, (profile, comparison)).once(&mut closest)
    }
}

/// The sides of a check: a profile, and its comparison with a base, if any.
pub(crate) type Checked<'a> = (&'a Profile, Option<&'a Comparison<'a>>);

/// Checks limits as [`Limit::check`] does; if `each_part` is set, those on totals for each part that the
/// profiled program has named, instead of all together.
///
/// `rows` has the profile by function and by the groups that limits are on.
///
/// The growth of a part that only one side has is unknown: see [`Outcome::NotFound`].
///
/// # Errors
///
/// The first that occurs; also if there are no such parts, or too many to know all of them.
pub(crate) fn check_all<'a>(
    limits: &[Limit],
    each_part: bool,
    rows: impl Fn(GroupBy) -> Checked<'a>,
) -> Result<Vec<Verdict>, LimitError> {
    let mut closest = Closest::default();
    let mut verdicts = Vec::new();
    for limit in limits {
        let name = limit.name.as_deref();
        let mut check = Check::new(limit, GroupBy::Function, name, rows(GroupBy::Function));
        if let Some((by, name)) = limit.group().filter(|_| !check.finds_anything()) {
            check = Check::new(limit, by, Some(name), rows(by));
        }
        match each_part && name.is_none() {
            true => verdicts.extend(check.parts()?),
            false => verdicts.push(check.once(&mut closest)?),
        }
    }
    Ok(verdicts)
}

/// A limit and the profiles to check.
pub(super) struct Check<'l, 'a> {
    pub bound: Bound,
    /// The kind of its name.
    by: GroupBy,
    /// `None` for the total.
    name: Option<&'l [u8]>,
    pub profile: &'a Profile,
    pub comparison: Option<&'a Comparison<'a>>,
    /// The number of runs for a limit on the new profile.
    pub runs: u64,
}

impl<'l, 'a> Check<'l, 'a> {
    fn new(
        limit: &Limit,
        by: GroupBy,
        name: Option<&'l [u8]>,
        (profile, comparison): (&'a Profile, Option<&'a Comparison<'_>>),
    ) -> Self {
        Check {
            bound: limit.bound,
            by,
            name,
            profile: profile.folded(),
            comparison,
            runs: comparison.map_or(1, |comparison| comparison.divisors().new),
        }
    }

    fn once(&self, closest: &mut Closest) -> Result<Verdict, LimitError> {
        match self.bound {
            Bound::Growth(limit) => self.growth(limit, closest),
            Bound::Cost(amount) => self.cost(amount, closest),
            Bound::Calls(_) if !self.profile.has_invocations() => Err(LimitError::NoCalls),
            Bound::Calls(calls) => self.calls(calls, closest),
        }
    }

    fn growth(&self, limit: Decimal, closest: &mut Closest) -> Result<Verdict, LimitError> {
        let comparison = self.comparison.ok_or(LimitError::NoBase)?;
        let first = comparison.first();
        let subject = self.subject(first.name);
        let Some(name) = self.name else {
            let sides = first.exact.map(InclusiveSum::exact);
            let mut verdict = judge_growth(limit, comparison, &subject, sides)?;
            if verdict.outcome == Outcome::Failed {
                verdict.text += &largest_increases(comparison);
            }
            return Ok(verdict);
        };
        let found = self.find(name, |is_named| {
            let (sums, rows) = comparison.inclusive_sums(is_named);
            Some(((sums.base?, sums.new), rows))
        });
        let kind = self.by.name();
        match found? {
            Some((base, Some(new))) => {
                judge_growth(limit, comparison, &subject, Sides { base, new })
            }
            Some(_) => {
                let (name, closest) = (shown(name), closest.to(name, comparison.profiles.new));
                Ok(Verdict::not_found(format!(
                    "{kind} \"{name}\" not found in the new profile, so its limit of {limit} % was not checked{closest}"
                )))
            }
            None => Err(LimitError::NoFunction {
                kind,
                name: shown(name),
                closest: closest.to(name, comparison.profiles.base),
            }),
        }
    }

    fn cost(&self, limit: Amount, closest: &mut Closest) -> Result<Verdict, LimitError> {
        let (event, scale) = split_scale(self.profile.event());
        let mut sum = match self.name {
            None => InclusiveSum::exact(self.profile.total().into()),
            Some(name) => match self.find_in_profile(name)? {
                Some((sum, _)) => sum,
                None => {
                    limit.in_units_of(self.profile)?;
                    return Ok(self.not_found(name, &limit.to_string(), closest));
                }
            },
        };
        sum.cost = sum.cost.saturating_mul(scale.into());
        self.judge_cost(limit, &self.subject(event), sum)
    }

    fn calls(&self, limit: u64, closest: &mut Closest) -> Result<Verdict, LimitError> {
        let name = self.name.unwrap_or_default();
        let Some((_, calls)) = self.find_in_profile(name)? else {
            return Ok(self.not_found(name, &counted(limit, "call"), closest));
        };
        let passed = u128::from(calls) <= u128::from(limit) * u128::from(self.runs);
        let (has, what) = match self.by {
            GroupBy::Line => ("has", "call"),
            _ => ("was called", "time"),
        };
        let calls = in_runs(counted(calls, what), self.runs);
        let (label, outcome) = (self.label(name), outcome(passed, grouped(limit), self.runs));
        Ok(Verdict::new(
            passed,
            format!("{label} {has} {calls}: {outcome}"),
        ))
    }

    /// The base, if there is one, and the profile.
    pub fn profiles(&self) -> impl Iterator<Item = &'a Profile> {
        let base = self.comparison.map(|comparison| comparison.profiles.base);
        base.into_iter().chain([self.profile])
    }

    /// Whether either side has anything of its name.
    fn finds_anything(&self) -> bool {
        let mut names = self.profiles().flat_map(|profile| {
            let functions = profile.functions();
            functions.map(|(_, function)| FunctionName::of(profile.name(function.name)))
        });
        self.name.is_some_and(|name| names.any(|of| of.is(name)))
    }

    /// The inclusive cost in the profile, without its scale, and the calls.
    fn find_in_profile(&self, name: &[u8]) -> Result<Option<(InclusiveSum, u64)>, LimitError> {
        let profile = self.profile;
        self.find(name, |is_named| {
            let functions = profile.functions();
            let named = functions.filter(|(_, function)| is_named(profile.name(function.name)));
            let (mut sum, mut calls, mut rows) = (InclusiveSum::default(), 0u64, 0);
            for (id, function) in named {
                let cost = first_cost(profile.inclusive_costs(id));
                sum.add(InclusiveSum {
                    cost: cost.into(),
                    is_estimated: profile.is_inclusive_estimated(id),
                });
                calls = calls.saturating_add(function.invocations);
                rows += 1;
            }
            (rows > 0).then_some(((sum, calls), rows))
        })
    }

    /// Finds functions by a test of their names: of the given name or, if that finds nothing, PHP's own
    /// of that name. Groups are found likewise: files also without their first folders.
    fn find<T>(
        &self,
        wanted: &[u8],
        find: impl Fn(&dyn Fn(&[u8]) -> bool) -> Option<(T, usize)>,
    ) -> Result<Option<T>, LimitError> {
        let is_of_php = |name: &[u8]| {
            let name = FunctionName::of(name).in_php();
            name.is_some_and(|name| name.is(wanted))
        };
        let is_below = |name: &[u8]| {
            let folders = name.strip_suffix(wanted);
            folders.is_some_and(|folders| matches!(folders.last(), Some(b'/' | b'\\')))
        };
        let found = match self.by {
            GroupBy::Function => {
                find(&|name| FunctionName::of(name).is(wanted)).or_else(|| find(&is_of_php))
            }
            GroupBy::Class | GroupBy::Package => find(&|name| name == wanted),
            _ => find(&|name| name == wanted).or_else(|| find(&is_below)),
        };
        match found {
            Some((_, count)) if count > 1 && self.by != GroupBy::Function => {
                let (kind, name) = (self.by.names(), shown(wanted));
                Err(LimitError::Ambiguous { kind, name, count })
            }
            found => Ok(found.map(|(found, _)| found)),
        }
    }

    /// The verdict on a limit on a function that is not there.
    fn not_found(&self, name: &[u8], limit: &str, closest: &mut Closest) -> Verdict {
        let (kind, closest) = (self.by.name(), closest.to(name, self.profile));
        let name = shown(name);
        Verdict::not_found(format!(
            "{kind} \"{name}\" not found, so its limit of {limit} was not checked{closest}"
        ))
    }

    fn label(&self, name: &[u8]) -> String {
        match self.by {
            GroupBy::Function => shown(name),
            by => format!("{} {}", by.name(), shown(name)),
        }
    }

    fn subject(&self, event: &[u8]) -> String {
        let event = excerpt(event);
        match (self.name, self.by) {
            (None, _) => format!("the total of {event}"),
            (Some(name), GroupBy::Line) => format!("the {event} of {}", self.label(name)),
            (Some(name), _) => format!("the inclusive {event} of {}", self.label(name)),
        }
    }

    /// Compares a cost in the first event, without its scale, with a limit per run.
    pub fn judge_cost(
        &self,
        limit: Amount,
        subject: &str,
        sum: InclusiveSum,
    ) -> Result<Verdict, LimitError> {
        let [factor, allowed] = limit.in_units_of(self.profile)?;
        let judge = || {
            let compared = sum.cost.checked_mul(factor)?.checked_mul(MILLION)?;
            Some(compared <= allowed.checked_mul(self.runs.into())?)
        };
        let judged = judge().filter(|_| !self.profile.has_saturated());
        let Some(passed) = judged else {
            return Err(LimitError::Saturated(subject.to_owned()));
        };
        let cost = in_runs(sum.shown(unit_of(self.profile)), self.runs);
        let outcome = outcome(passed, limit, self.runs);
        Ok(Verdict::new(
            passed,
            format!("{subject} is {cost}: {outcome}"),
        ))
    }
}

impl Verdict {
    fn new(passed: bool, text: String) -> Self {
        let outcome = if passed {
            Outcome::Passed
        } else {
            Outcome::Failed
        };
        Verdict { outcome, text }
    }

    pub(super) fn not_found(text: String) -> Self {
        let outcome = Outcome::NotFound;
        Verdict { outcome, text }
    }

    /// Whether the limit did not fail.
    pub fn passed(&self) -> bool {
        self.outcome != Outcome::Failed
    }
}

/// Compares costs of both sides, which are not divided by the numbers of runs.
pub(super) fn judge_growth(
    limit: Decimal,
    comparison: &Comparison<'_>,
    subject: &str,
    sums: Sides<InclusiveSum>,
) -> Result<Verdict, LimitError> {
    let Sides { base, new } = sums.map(|sum| sum.cost);
    if base <= 0 {
        let subject = subject.to_owned();
        return Err(LimitError::NotPositive { subject, base, new });
    }
    let runs = comparison.divisors();
    // Each side is multiplied by the runs of the other one, so that nothing is rounded.
    let judge = || {
        let base = base.checked_mul(runs.new.into())?;
        let change = new.checked_mul(runs.base.into())?.checked_sub(base)?;
        let passed = change.checked_mul(100 * MILLION)? <= base.checked_mul(limit.0)?;
        Some((passed, percent(change, base)))
    };
    let judged = judge().filter(|_| !comparison.has_saturated);
    let Some((passed, percent)) = judged else {
        return Err(LimitError::Saturated(format!("the growth of {subject}")));
    };
    // If it had to shrink by more, it "grew by -5 %".
    let growth = match percent.strip_prefix('-') {
        Some(percent) if passed => format!("shrank by {percent}"),
        _ => format!("grew by {percent}"),
    };
    let unit = Unit::of(comparison.first().unit, 1);
    let shown = sums
        .zip(runs)
        .map(|(sum, runs)| in_runs(sum.shown(unit), runs));
    let Sides { base, new } = shown;
    let outcome = outcome(passed, format!("{limit} %"), 1);
    let text = format!("{subject} {growth} %, from {base} to {new}: {outcome}");
    Ok(Verdict::new(passed, text))
}

/// Finds names like those that are missing, for the first few of these: each search goes through all
/// functions.
#[derive(Default)]
struct Closest {
    searches: usize,
}

impl Closest {
    /// The names in a profile that are most similar to a missing one, as the end of a sentence.
    fn to(&mut self, name: &[u8], profile: &Profile) -> String {
        if self.searches == MAX_LISTED {
            return String::new();
        }
        self.searches += 1;
        let names = profile
            .functions()
            .map(|(_, function)| excerpt(profile.name(function.name)));
        let names: Vec<_> = names.collect();
        let query = NameQuery::new(name);
        let closest = query.closest(names.iter().map(String::as_str));
        match &closest[..closest.len().min(MAX_NAMES)] {
            [] => String::new(),
            names => format!("; closest: {}", names.join(", ")),
        }
    }
}

/// A printable name, with the blanks at its end.
pub(super) fn shown(name: &[u8]) -> String {
    match name {
        [] => "???".to_owned(),
        [.., last] if last.is_ascii_whitespace() => printable(name),
        _ => excerpt(name),
    }
}

/// A cost or a number of calls, with its number of runs.
pub(super) fn in_runs(sum: String, runs: u64) -> String {
    match runs {
        1 => sum,
        _ => format!("{sum} in {} runs", grouped(runs)),
    }
}

/// Whether a limit passed, as the end of a sentence.
fn outcome(passed: bool, limit: impl fmt::Display, runs: u64) -> String {
    let outcome = if passed { "within" } else { "more than" };
    let per_run = if runs == 1 { "" } else { " per run" };
    format!("{outcome} the limit of {limit}{per_run}")
}

/// The most functions in a verdict.
const MAX_NAMES: usize = 3;

/// The functions whose self costs grew most, as the end of a sentence.
fn largest_increases(comparison: &Comparison<'_>) -> String {
    let unit = Unit::of(comparison.first().unit, 1);
    let grown = comparison
        .changes
        .iter()
        .filter(|change| change.self_cost() > 0);
    let named = grown.take(MAX_NAMES).map(|change| {
        let cost = in_units(change.self_cost(), unit);
        format!("{} +{cost}", shown(change.name))
    });
    match &named.collect::<Vec<_>>()[..] {
        [] => String::new(),
        named => format!("; largest increases: {}", named.join(", ")),
    }
}
