//! Checks limits.

use std::fmt;

use super::amounts::{Amount, Decimal, MILLION, unit_of};
use super::limit_error::LimitError;
use super::limits::{Bound, Limit, Outcome, Verdict};
use super::{Column, Comparison, InclusiveSum, Sides};
use crate::display::MAX_LISTED;
use crate::display::numbers::{counted, grouped, percent};
use crate::display::text::{excerpt, printable};
use crate::display::units::{Unit, in_units};
use crate::names::{FunctionName, NameQuery};
use crate::profile::{GroupBy, Profile, split_scale};

impl Limit {
    /// Checks a profile in the first event, without rounding, and per run if the comparison is.
    /// Limits on groups of functions are not supported.
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
        let check = Check::new(self.bound, GroupBy::Function, name, (profile, comparison));
        check.once(&mut closest)
    }
}

/// The sides of a check: a profile, and its comparison with a base, if any.
pub(crate) type Checked<'a> = (&'a Profile, Option<&'a Comparison<'a>>);

/// Checks limits as [`Limit::check`] does. If `each_part` is set, limits on totals apply to each part that
/// the profiled program has named, instead of to their sum.
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
        let mut check = Check::new(
            limit.bound,
            GroupBy::Function,
            name,
            rows(GroupBy::Function),
        );
        if let Some((by, name)) = limit.group().filter(|_| !check.finds_anything()) {
            check = Check::new(limit.bound, by, Some(name), rows(by));
        }
        match each_part && name.is_none() {
            true => verdicts.extend(check.parts()?),
            false => verdicts.push(check.once(&mut closest)?),
        }
    }
    Ok(verdicts)
}

/// The inclusive costs of functions, not divided by the numbers of runs, and their calls.
type Found = (Sides<Option<InclusiveSum>>, u64);

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
    runs: u64,
}

impl<'l, 'a> Check<'l, 'a> {
    pub fn new(
        bound: Bound,
        by: GroupBy,
        name: Option<&'l [u8]>,
        (profile, comparison): Checked<'a>,
    ) -> Self {
        Check {
            bound,
            by,
            name,
            profile: profile.folded(),
            comparison,
            runs: comparison.map_or(1, |comparison| comparison.divisors().new),
        }
    }

    pub fn once(&self, closest: &mut Closest) -> Result<Verdict, LimitError> {
        match (self.bound, self.comparison) {
            (Bound::Growth(_), None) => return Err(LimitError::NoBase),
            (Bound::Calls(_), _) if !self.profile.has_invocations() => {
                return Err(LimitError::NoCalls);
            }
            _ => {}
        }
        match self.name {
            None => self.total(),
            Some(name) => self.named(name, closest),
        }
    }

    fn total(&self) -> Result<Verdict, LimitError> {
        let base = self.comparison.map(|of| of.first().exact.base);
        let new = Some(Column::first(self.profile).cost(&self.profile.totals()));
        let sums = Sides { base, new }.map(|sum| sum.map(InclusiveSum::exact));
        let subject = format!("the total of {}", self.event());
        let mut verdict = self.judge(&subject, "", sums)?;
        if let (Bound::Growth(_), Some(comparison)) = (self.bound, self.comparison)
            && verdict.outcome == Outcome::Failed
        {
            verdict.text += &largest_increases(comparison);
        }
        Ok(verdict)
    }

    /// Checks functions or a group.
    fn named(&self, name: &[u8], closest: &mut Closest) -> Result<Verdict, LimitError> {
        let label = match self.by {
            GroupBy::Function => shown(name),
            by => format!("{} {}", by.name(), shown(name)),
        };
        let quoted = format!("{} \"{}\"", self.by.name(), shown(name));
        let (sums, calls) = match (self.find(name)?, self.compared()) {
            (Some(found), _) => found,
            (None, Some(comparison)) => {
                return Err(LimitError::NoFunction {
                    name: quoted,
                    closest: closest.to(name, comparison.profiles.base),
                });
            }
            (None, None) => Default::default(),
        };
        if let (Bound::Calls(limit), Some(_)) = (self.bound, sums.new) {
            let passed = u128::from(calls) <= u128::from(limit) * u128::from(self.runs);
            let (has, what) = match self.by {
                GroupBy::Line => ("has", "call"),
                _ => ("was called", "time"),
            };
            let calls = in_runs(counted(calls, what), self.runs);
            let outcome = outcome(passed, grouped(limit), self.runs);
            let text = format!("{label} {has} {calls}: {outcome}");
            return Ok(Verdict::new(passed, text));
        }
        let inclusive = match self.by {
            GroupBy::Line => "",
            _ => "inclusive ",
        };
        let subject = format!("the {inclusive}{} of {label}", self.event());
        let mut verdict = self.judge(&subject, &quoted, sums)?;
        if verdict.outcome == Outcome::NotFound {
            verdict.text += &closest.to(name, self.profile);
        }
        Ok(verdict)
    }

    /// The comparison, if the limit is on growth.
    fn compared(&self) -> Option<&'a Comparison<'a>> {
        let is_growth = matches!(self.bound, Bound::Growth(_));
        self.comparison.filter(|_| is_growth)
    }

    /// Compares costs in the first event, without its scale and not divided by the numbers of runs.
    /// `subject` is what has these costs, `name` what may be missing.
    pub fn judge(
        &self,
        subject: &str,
        name: &str,
        sums: Sides<Option<InclusiveSum>>,
    ) -> Result<Verdict, LimitError> {
        let bound = self.bound;
        let missing = match (bound, sums.into()) {
            (Bound::Growth(limit), (Some(base), Some(new))) => {
                return self.judge_growth(limit, subject, Sides { base, new });
            }
            (Bound::Cost(limit), (_, Some(new))) => {
                return self.judge_cost(limit, subject, new);
            }
            (Bound::Growth(_), (_, None)) => " not found in the new profile".to_owned(),
            (Bound::Growth(_), (None, Some(new))) => {
                let new = in_runs(new.shown(unit_of(self.profile)), self.runs);
                format!(", at {new}, not found in the base")
            }
            (Bound::Cost(limit), ..) => {
                limit.in_units_of(self.profile)?;
                " not found".to_owned()
            }
            (Bound::Calls(_), ..) => " not found".to_owned(),
        };
        let outcome = Outcome::NotFound;
        let text = format!("{name}{missing}, so its limit of {bound} was not checked");
        Ok(Verdict { outcome, text })
    }

    /// The base, if there is one, and the profile.
    pub fn profiles(&self) -> impl Iterator<Item = &'a Profile> {
        let base = self.comparison.map(|comparison| comparison.profiles.base);
        base.into_iter().chain([self.profile])
    }

    /// Whether either side has a function or group with its name.
    pub fn finds_anything(&self) -> bool {
        let mut names = self.profiles().flat_map(|profile| {
            let functions = profile.functions();
            functions.map(|(_, function)| FunctionName::of(profile.name(function.name)))
        });
        self.name.is_some_and(|name| names.any(|of| of.is(name)))
    }

    /// The inclusive costs and the calls of functions whose names pass a test, and the number of these
    /// functions; `None` if there are none. For growth, the base must have some.
    fn sums(&self, is_named: &dyn Fn(&[u8]) -> bool) -> Option<(Found, usize)> {
        if let Some(comparison) = self.compared() {
            let (sums, rows) = comparison.inclusive_sums(is_named);
            return sums.base.map(|_| ((sums, 0), rows));
        }
        let (profile, column) = (self.profile, Column::first(self.profile));
        let (mut sum, mut calls, mut rows) = (InclusiveSum::default(), 0u64, 0);
        for (id, function) in profile.functions() {
            if is_named(profile.name(function.name)) {
                sum.add(column.inclusive(&[id]));
                calls = calls.saturating_add(function.invocations);
                rows += 1;
            }
        }
        let (base, new) = (None, Some(sum));
        (rows > 0).then_some(((Sides { base, new }, calls), rows))
    }

    /// Finds functions of the given name or, if there are none, PHP's own function of that name. Finds
    /// groups by their whole names or, if there are none, files and objects without their first folders.
    fn find(&self, wanted: &[u8]) -> Result<Option<Found>, LimitError> {
        let is_of_php = |name: &[u8]| {
            let name = FunctionName::of(name).in_php();
            name.is_some_and(|name| name.is(wanted))
        };
        let is_below = |name: &[u8]| {
            let folders = name.strip_suffix(wanted);
            folders.is_some_and(|folders| matches!(folders.last(), Some(b'/' | b'\\')))
        };
        let is_whole = |name: &[u8]| match self.by {
            GroupBy::Function => FunctionName::of(name).is(wanted),
            _ => name == wanted,
        };
        let found = self.sums(&is_whole).or_else(|| match self.by {
            GroupBy::Function => self.sums(&is_of_php),
            GroupBy::Class | GroupBy::Package => None,
            _ => self.sums(&is_below),
        });
        match found {
            Some((_, count)) if count > 1 && self.by != GroupBy::Function => {
                let (kind, name) = (self.by.names(), shown(wanted));
                Err(LimitError::Ambiguous { kind, name, count })
            }
            found => Ok(found.map(|(found, _)| found)),
        }
    }

    pub fn event(&self) -> String {
        excerpt(split_scale(self.profile.event()).0)
    }

    /// Compares a cost in the first event, without its scale, with a limit per run.
    fn judge_cost(
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

    /// Compares costs of both sides, which are not divided by the numbers of runs.
    fn judge_growth(
        &self,
        limit: Decimal,
        subject: &str,
        sums: Sides<InclusiveSum>,
    ) -> Result<Verdict, LimitError> {
        let comparison = self.comparison.ok_or(LimitError::NoBase)?;
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
}

/// Finds names that are similar to missing ones, but only for the first few of these, because each
/// search goes through all functions.
#[derive(Default)]
pub(super) struct Closest {
    searches: usize,
}

impl Closest {
    /// The names in a profile that are most similar to a missing one, as the end of a sentence.
    fn to(&mut self, name: &[u8], profile: &Profile) -> String {
        if self.searches == MAX_LISTED {
            return String::new();
        }
        self.searches += 1;
        let names: Vec<_> = profile
            .functions()
            .map(|(_, function)| excerpt(profile.name(function.name)))
            .collect();
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
fn in_runs(sum: String, runs: u64) -> String {
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
