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
use crate::profile::{FunctionId, GroupBy, Profile, split_scale};

impl Limit {
    /// Checks a profile in the first event, without rounding, and per run if the comparison is.
    ///
    /// # Errors
    ///
    /// If the limit cannot be checked: see [`LimitError`]. Those on groups of functions can only be
    /// checked in a [conversion](crate::run::ConvertOptions::limits).
    pub fn check(
        &self,
        profile: &Profile,
        comparison: Option<&Comparison<'_>>,
    ) -> Result<Verdict, LimitError> {
        let sides = (profile, comparison);
        let check = Check::new(self, GroupBy::Function, self.name.as_deref(), sides);
        match self.group().filter(|_| !check.finds_anything()) {
            Some((by, _)) => Err(LimitError::Group(by.name())),
            None => check.once(true),
        }
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
    let mut verdicts = Vec::new();
    let mut missing = 0;
    for limit in limits {
        let name = limit.name.as_deref();
        let mut check = Check::new(limit, GroupBy::Function, name, rows(GroupBy::Function));
        if let Some((by, name)) = limit.group().filter(|_| !check.finds_anything()) {
            check = Check::new(limit, by, Some(name), rows(by));
        }
        if each_part && name.is_none() {
            verdicts.extend(check.parts()?);
            continue;
        }
        // Each search for similar names goes through all functions.
        let verdict = check.once(missing < MAX_LISTED)?;
        missing += usize::from(verdict.outcome == Outcome::NotFound);
        verdicts.push(verdict);
    }
    Ok(verdicts)
}

/// The functions or the group that a limit names.
#[derive(Default)]
struct Found {
    /// Their inclusive costs, not divided by the numbers of runs.
    sums: Sides<Option<InclusiveSum>>,
    /// Their calls in the new profile.
    calls: u64,
    /// The number of functions or groups; those that the sides share are one.
    count: usize,
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
    runs: u64,
}

impl<'l, 'a> Check<'l, 'a> {
    fn new(
        limit: &Limit,
        by: GroupBy,
        name: Option<&'l [u8]>,
        (profile, comparison): Checked<'a>,
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

    /// Checks it. If its name is not found, similar names are searched for on request.
    fn once(&self, searches: bool) -> Result<Verdict, LimitError> {
        match (self.bound, self.comparison) {
            (Bound::Growth(_), None) => return Err(LimitError::NoBase),
            (Bound::Calls(_), _) if !self.profile.has_invocations() => {
                return Err(LimitError::NoCalls);
            }
            _ => {}
        }
        let Some(name) = self.name else {
            return self.total();
        };
        let mut verdict = self.named(name)?;
        if searches && verdict.outcome == Outcome::NotFound {
            verdict.text += &closest(name, self.profile);
        }
        Ok(verdict)
    }

    fn total(&self) -> Result<Verdict, LimitError> {
        let base = self.comparison.map(|of| of.first().columns.base.total());
        let new = Some(Column::first(self.profile).total());
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
    fn named(&self, name: &[u8]) -> Result<Verdict, LimitError> {
        let label = match self.by {
            GroupBy::Function => shown(name),
            by => format!("{} {}", by.name(), shown(name)),
        };
        let quoted = format!("{} \"{}\"", self.by.name(), shown(name));
        let found = match (self.find(name)?, self.compared()) {
            (Some(found), _) => found,
            (None, None) => Found::default(),
            (None, Some(comparison)) => {
                let closest = closest(name, comparison.profiles.base);
                let name = quoted;
                return Err(LimitError::NoFunction { name, closest });
            }
        };
        if let (Bound::Calls(limit), Some(_)) = (self.bound, found.sums.new) {
            let passed = u128::from(found.calls) <= u128::from(limit) * u128::from(self.runs);
            let (has, what) = match self.by {
                GroupBy::Line => ("has", "call"),
                _ => ("was called", "time"),
            };
            let calls = in_runs(counted(found.calls, what), self.runs);
            let outcome = outcome(passed, grouped(limit), self.runs);
            let text = format!("{label} {has} {calls}: {outcome}");
            return Ok(Verdict::new(passed, text));
        }
        let inclusive = match self.by {
            GroupBy::Line => "",
            _ => "inclusive ",
        };
        let subject = format!("the {inclusive}{} of {label}", self.event());
        self.judge(&subject, &quoted, found.sums)
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
        let missing = match (bound, sums.base, sums.new) {
            (Bound::Growth(limit), Some(base), Some(new)) => {
                return self.judge_growth(limit, subject, Sides { base, new });
            }
            (Bound::Cost(limit), _, Some(new)) => return self.judge_cost(limit, subject, new),
            (Bound::Growth(_), _, None) => " not found in the new profile".to_owned(),
            (Bound::Growth(_), None, Some(new)) => {
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

    /// Whether either side has a function with its name.
    fn finds_anything(&self) -> bool {
        let mut names = self.profiles().flat_map(|profile| {
            let functions = profile.functions();
            functions.map(|(_, function)| FunctionName::of(profile.name(function.name)))
        });
        self.name.is_some_and(|name| names.any(|of| of.is(name)))
    }

    /// Adds up the functions whose names pass a test; for growth, those whose names do on either side.
    /// `None` if there are none; for growth, if the base has none.
    fn add_up(&self, is_named: &dyn Fn(&[u8]) -> bool) -> Option<Found> {
        let own = Column::first(self.profile);
        let columns = match self.compared() {
            Some(comparison) => comparison.first().columns,
            None => Sides::EACH.map(|_| own),
        };
        let mut found = Found::default();
        let mut add = |row: Sides<&[FunctionId]>| {
            let sides = columns.zip(row);
            let has_name = |(column, ids): (Column<'_>, &[FunctionId])| {
                let mut names = ids.iter().map(|&id| column.profile.function(id).name);
                names.any(|name| is_named(column.profile.name(name)))
            };
            if !sides.into_iter().any(has_name) {
                return;
            }
            found.count += 1;
            for (side, (column, ids)) in Sides::EACH.zip(sides) {
                if !ids.is_empty() {
                    let sum = found.sums[side].get_or_insert_default();
                    sum.add(column.inclusive(ids));
                }
            }
            for &id in row.new {
                let calls = self.profile.function(id).invocations;
                found.calls = found.calls.saturating_add(calls);
            }
        };
        match self.compared() {
            Some(comparison) => comparison
                .functions()
                .for_each(|row| add(row.functions.as_ref().map(Vec::as_slice))),
            None => self.profile.functions().for_each(|(id, _)| {
                let (base, new) = (&[][..], &[id][..]);
                add(Sides { base, new });
            }),
        }
        let Sides { base, new } = found.sums;
        let required = if self.compared().is_some() { base } else { new };
        required.map(|_| found)
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
        let found = self.add_up(&is_whole).or_else(|| match self.by {
            GroupBy::Function => self.add_up(&is_of_php),
            GroupBy::Class | GroupBy::Package => None,
            _ => self.add_up(&is_below),
        });
        match found {
            Some(Found {
                count: count @ 2.., ..
            }) if self.by != GroupBy::Function => {
                let (kind, name) = (self.by.names(), shown(wanted));
                Err(LimitError::Ambiguous { kind, name, count })
            }
            found => Ok(found),
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

/// The names in a profile that are most similar to a missing one, as the end of a sentence.
fn closest(name: &[u8], profile: &Profile) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::callgrind::{self, ReadOptions};
    use crate::profile::{ProfileBuilder, ProfileOptions};

    #[test]
    fn a_limit_on_a_group_needs_the_profile_by_group() {
        let text = b"events: Ir\nfn=file:a\n1 5\n";
        let mut builder = ProfileBuilder::new(ProfileOptions::default());
        callgrind::read(&text[..], "a", &ReadOptions::default(), &mut builder).unwrap();
        let profile = builder.finish().unwrap();
        let check = |limit: &[u8]| Limit::cost(limit).unwrap().check(&profile, None);
        assert_eq!(check(b"class:A=1"), Err(LimitError::Group("class")));
        // A function has this name.
        assert!(!check(b"file:a=1").unwrap().passed());
    }
}
