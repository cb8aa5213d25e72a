//! Checks limits.

use std::collections::{BTreeMap, BTreeSet};

use super::limits::{Limit, LimitError, Measure};
use super::quotient::Quotient;
use super::sums::{FunctionSums, SideEvent};
use super::verdict::{LimitTarget, Outcome, Verdict, shown};
use super::{Comparison, PartChange, Side, Sides, Subject, Views, ViewsError};
use crate::display::MAX_LISTED;
use crate::display::numbers::grouped;
use crate::display::text::printable;
use crate::maps::HashSet;
use crate::names::{Fit, NameQuery, SHORT, is_called, short_name, without_place};
use crate::profile::{FunctionId, Profile};
use crate::view::{GroupBy, View};

impl Limit {
    /// Checks a profile or a comparison in the first event, without rounding, and per run if that is
    /// compared. Limits on groups of functions need rows of their kind.
    ///
    /// A profile that is not [complete](Profile::is_complete) can fail a limit, but not pass it.
    ///
    /// # Errors
    ///
    /// If the limit cannot be checked: see [`LimitError`].
    pub fn check<'a>(&self, subject: impl Into<Subject<'a>>) -> Result<Verdict, LimitError> {
        let subject = subject.into();
        let target = self.target(subject)?;
        if let LimitTarget::Named(by, _) = target
            && by != subject.view().by()
        {
            return Err(LimitError::Group(by.name()));
        }
        let base = subject
            .comparison()
            .map(|comparison| comparison.views.base.profile());
        let are_complete = Sides {
            base: base.is_none_or(Profile::is_complete),
            new: subject.view().profile().is_complete(),
        };
        Check::of(self, target, are_complete, subject)?.verdict(true)
    }

    /// What it is on. `functions` are the functions of the profile.
    fn target(&self, functions: Subject<'_>) -> Result<LimitTarget, LimitError> {
        let Some(name) = self.name.as_deref() else {
            return Ok(LimitTarget::Total);
        };
        let names = || views(functions).flat_map(names);
        if let Some(kind) = self.unknown_kind() {
            let query = query(name);
            if !names().any(|name| query.fit(name).is_some()) {
                return Err(LimitError::UnknownKind {
                    kind: kind.to_owned(),
                    name: shown(name),
                });
            }
        }
        Ok(match self.group() {
            Some((by, group)) if !names().any(|function| is_called(function, name)) => {
                LimitTarget::Named(by, group.to_vec())
            }
            _ => LimitTarget::Named(GroupBy::Function, name.to_vec()),
        })
    }
}

/// Checks limits as [`Limit::check`] does. If `each_part` is set, limits on totals apply to each part that
/// the profiled program has named, instead of to their sum.
///
/// `are_complete`: whether no costs of the first event are missing.
///
/// The growth of a part that only one side has is unknown: see [`Outcome::NotFound`].
///
/// # Errors
///
/// The first that occurs; also if there are no such parts, or too many to know all of them.
pub(crate) fn check_all(
    limits: &[Limit],
    each_part: bool,
    are_complete: Sides<bool>,
    all: &Views<'_>,
) -> Result<Vec<Verdict>, CheckError> {
    let mut verdicts = Vec::new();
    let mut missing = 0;
    for limit in limits {
        let functions = all.by(GroupBy::Function)?;
        let target = limit.target(functions.subject())?;
        let is_by_part = each_part && limit.name.is_none();
        let rows = match target {
            LimitTarget::Named(by, _) => all.by(by)?,
            _ if is_by_part => all.by(GroupBy::Part)?,
            _ => functions,
        };
        let check = Check::of(limit, target, are_complete, rows.subject())?;
        if is_by_part {
            verdicts.extend(check.parts()?);
            continue;
        }
        // Each search for similar names goes through all functions.
        let verdict = check.verdict(missing < MAX_LISTED)?;
        missing += usize::from(verdict.outcome == Outcome::NotFound);
        verdicts.push(verdict);
    }
    Ok(verdicts)
}

/// The reason why limits cannot be checked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CheckError {
    #[error(transparent)]
    Limit(#[from] LimitError),
    #[error(transparent)]
    Views(#[from] ViewsError),
}

/// The base, if there is one, and the profile.
fn views<'a>(subject: Subject<'a>) -> impl Iterator<Item = &'a View<'a>> {
    let base = subject
        .comparison()
        .map(|comparison| &comparison.views.base);
    base.into_iter().chain([subject.view()])
}

/// A limit, and the sides that it compares. If it is not on growth, both are the profile.
struct Check<'l, 'a> {
    limit: &'l Limit,
    /// See [`Limit::allowed`].
    allowed: Quotient,
    target: LimitTarget,
    views: Sides<&'a View<'a>>,
    /// The first event of each side, not divided by runs.
    columns: Sides<SideEvent<'a>>,
    runs: Sides<u64>,
    /// The incomplete side among those that are compared. The limit may pass only because costs are
    /// missing.
    incomplete: Option<Side>,
    /// The comparison of the sides, if the limit is on growth.
    comparison: Option<&'a Comparison<'a>>,
}

impl<'l, 'a> Check<'l, 'a> {
    fn of(
        limit: &'l Limit,
        target: LimitTarget,
        are_complete: Sides<bool>,
        subject: Subject<'a>,
    ) -> Result<Self, LimitError> {
        let (view, comparison) = (subject.view(), subject.comparison());
        let new = match comparison {
            Some(comparison) => comparison.first().columns.new,
            None => SideEvent::new(view.profile(), 0, 1),
        };
        let comparison = comparison.filter(|_| limit.needs_base());
        match limit.measure {
            Measure::Growth if comparison.is_none() => return Err(LimitError::NoBase),
            Measure::Calls if !view.has_invocations() => {
                return Err(if view.profile().has_invocations() {
                    LimitError::NoCallsByLine
                } else {
                    LimitError::NoCalls
                });
            }
            _ => {}
        }
        let base = comparison.map_or(new, |comparison| comparison.first().columns.base);
        let columns = Sides { base, new };
        let views = comparison.map(|comparison| comparison.views.as_ref());
        Ok(Check {
            limit,
            allowed: limit.allowed(&new)?,
            target,
            views: views.unwrap_or(Sides {
                base: view,
                new: view,
            }),
            columns: columns.map(|column| SideEvent { runs: 1, ..column }),
            runs: columns.map(|column| column.runs),
            incomplete: match are_complete {
                Sides { new: false, .. } => Some(Side::New),
                Sides { base: false, .. } if comparison.is_some() => Some(Side::Base),
                _ => None,
            },
            comparison,
        })
    }

    /// Checks it. If its name is not found, similar names are searched for on request.
    fn verdict(&self, searches: bool) -> Result<Verdict, LimitError> {
        let LimitTarget::Named(by, name) = &self.target else {
            let totals = self.columns.zip(self.views).map(|(column, view)| {
                let total = column.cost(&view.profile().totals());
                Some(exact(total))
            });
            let mut verdict = self.judge(totals)?;
            if let (Some(comparison), Outcome::Failed) = (self.comparison, verdict.outcome) {
                verdict.increases = largest_increases(comparison);
            }
            return Ok(verdict);
        };
        let closest = |view: &View<'_>| query(name).closest(names(view).map(printable));
        let found = self.find(*by, name)?;
        if self.comparison.is_some() && found.base.is_none() {
            return Err(LimitError::NoFunction {
                name: self.target.quoted(),
                closest: closest(self.views.base),
            });
        }
        let mut verdict = self.judge(found)?;
        if searches && verdict.outcome == Outcome::NotFound {
            verdict.closest = closest(self.views.new);
        }
        Ok(verdict)
    }

    /// Checks each part that the profiled program has named, and of inputs in which it has named none, each
    /// part. For growth, parts that only one side has get a verdict, too.
    fn parts(&self) -> Result<Vec<Verdict>, LimitError> {
        let profiles = self.views.map(View::profile);
        if profiles
            .into_iter()
            .any(|profile| profile.unlisted_parts() > 0)
        {
            return Err(LimitError::TooManyParts);
        }
        let mut parts = PartChange::between(self.views, self.columns);
        parts.extend(self.unnamed_parts());
        let is_on_both = |part: &PartChange<'_>| part.costs.base.and(part.costs.new).is_some();
        if !parts.iter().any(is_on_both) {
            let names = Sides::EACH.map(|side| {
                let parts = parts.iter().filter(|part| part.costs[side].is_some());
                let names = parts.map(|part| LimitTarget::Part(part.name.to_vec()).quoted());
                listed(names.collect::<Vec<_>>().into_iter())
            });
            return Err(LimitError::NoParts(names));
        }
        let verdicts = parts.iter().map(|part| {
            let target = LimitTarget::Part(part.name.to_vec());
            let sums = part.costs.map(|cost| cost.map(exact));
            Check { target, ..*self }.judge(sums)
        });
        verdicts.collect()
    }

    /// The rows, which are parts, of inputs without a named part.
    fn unnamed_parts(&self) -> Vec<PartChange<'a>> {
        let named = self.views.map(|view| {
            let parts = view.profile().parts();
            let named = parts.filter(|part| part.header.name().is_some());
            named.map(|part| part.input).collect::<HashSet<&str>>()
        });
        let is_unnamed = |ids: &Sides<Option<FunctionId>>| {
            let sides = self.views.zip(named.as_ref()).zip(*ids);
            let mut parts = sides.into_iter().filter_map(|((view, named), id)| {
                let input = view.part(id?)?.input;
                Some(named.contains(input))
            });
            parts.all(|is_named| !is_named)
        };
        let part = |ids: Sides<Option<FunctionId>>| {
            let sides = self.views.zip(self.columns).zip(ids);
            let name = sides.into_iter().rev().find_map(|((view, _), id)| {
                let [.., name] = view.names_of(id?);
                Some(name)
            });
            PartChange {
                name: name.unwrap_or_default(),
                costs: sides.map(|((view, column), id)| Some(column.cost(view.self_costs(id?)))),
            }
        };
        let rows: Vec<Sides<Option<FunctionId>>> = match self.comparison {
            None => {
                let rows = self.views.new.functions();
                rows.map(|(id, _)| Sides {
                    base: Some(id),
                    new: Some(id),
                })
                .collect()
            }
            Some(comparison) => {
                let rows = comparison.functions();
                let first = |ids: &Vec<FunctionId>| ids.first().copied();
                rows.map(|row| row.functions.as_ref().map(first)).collect()
            }
        };
        rows.into_iter().filter(is_unnamed).map(part).collect()
    }

    /// Adds up the functions that a name fits best, if they have one name; of groups, there must be one.
    /// For growth, either side may have the name; it is found if the base has something.
    fn find(&self, by: GroupBy, wanted: &[u8]) -> Result<Sides<Option<FunctionSums>>, LimitError> {
        /// The functions or the groups whose names fit equally well.
        #[derive(Default)]
        struct Found {
            sums: Sides<Option<FunctionSums>>,
            /// What they are called.
            names: BTreeSet<String>,
        }
        let query = query(wanted);
        let mut found: BTreeMap<Fit, Found> = BTreeMap::new();
        let mut add = |row: Sides<&[FunctionId]>| {
            let sides = self.views.zip(row);
            let fits = sides.into_iter().flat_map(|(view, ids)| {
                let names = ids.iter().map(|&id| view.names_of(id)[2]);
                names.filter_map(|name| Some((query.fit(name)?, without_place(name))))
            });
            let Some((fit, name)) = fits.min() else {
                return;
            };
            let found = found.entry(fit).or_default();
            found.names.insert(printable(name));
            for (side, (view, ids)) in Sides::EACH.zip(sides) {
                if let Some(sums) = self.columns[side].sums(view, ids) {
                    found.sums[side].get_or_insert_default().add(sums);
                }
            }
        };
        match self.comparison {
            Some(comparison) => {
                let rows = comparison.functions();
                rows.for_each(|row| add(row.functions.as_ref().map(Vec::as_slice)));
            }
            None => {
                let functions = self.views.new.functions();
                functions.for_each(|(id, _)| {
                    let of = &[id][..];
                    add(Sides { base: of, new: of });
                });
            }
        }
        let best = found.keys().find(|fit| found[fit].sums.base.is_some());
        let best = best.or(found.keys().next()).copied();
        // What is hidden has no costs of its own.
        let hidden = self.views.into_iter().flat_map(View::hidden_names);
        let hidden = hidden.filter_map(|name| query.fit(name.as_bytes())).min();
        if hidden.is_some_and(|hidden| best.is_none_or(|best| hidden < best)) {
            return Err(LimitError::Hidden(self.target.quoted()));
        }
        let Found { sums, names } = best.and_then(|fit| found.remove(&fit)).unwrap_or_default();
        match names.len() {
            0 | 1 => Ok(sums),
            count => Err(LimitError::Ambiguous {
                kind: by.names(),
                name: shown(wanted),
                count,
                names: listed(names.iter().map(|name| short_name(name, SHORT))),
            }),
        }
    }

    /// Compares sums of both sides with the limit.
    fn judge(&self, sums: Sides<Option<FunctionSums>>) -> Result<Verdict, LimitError> {
        let (Some(base), Some(new)) = (sums.base, sums.new) else {
            let outcome = match self.incomplete {
                None => Outcome::NotFound,
                Some(_) => Outcome::Incomplete,
            };
            return Ok(self.verdict_on(sums, None, outcome));
        };
        let (measure, event) = (self.limit.measure, self.columns.new.name);
        let costs_nothing = base.inclusive == 0 && new.inclusive == 0;
        if measure == Measure::Growth && base.inclusive <= 0 && !costs_nothing {
            return Err(LimitError::NotPositive {
                subject: self.target.cost(event),
                base: base.inclusive,
                new: new.inclusive,
            });
        }
        let mut profiles = self.views.into_iter().map(View::profile);
        let is_wrong = measure != Measure::Calls && profiles.any(Profile::has_saturated);
        let measured = self.measured(base, new).filter(|_| !is_wrong);
        let is_within = measured.and_then(|measured| measured.is_within(self.allowed));
        let Some(is_within) = is_within else {
            return Err(LimitError::Saturated(self.target.cost(event)));
        };
        let outcome = match (is_within, self.incomplete) {
            (true, None) => Outcome::Passed,
            (true, Some(_)) => Outcome::Incomplete,
            (false, _) => Outcome::Failed,
        };
        Ok(self.verdict_on(sums, measured, outcome))
    }

    /// What is limited; `None` if a number exceeds 128 bits.
    fn measured(&self, base: FunctionSums, new: FunctionSums) -> Option<Quotient> {
        let runs = self.runs.map(i128::from);
        let (number, divisor) = match self.limit.measure {
            Measure::Cost => (new.inclusive, runs.new),
            Measure::Calls => (new.invocations.rounded(), runs.new),
            // 0 on both sides is no growth.
            Measure::Growth if base.inclusive == 0 && new.inclusive == 0 => (0, 1),
            Measure::Growth => {
                // Each side is multiplied by the runs of the other one, so that nothing is rounded.
                let base = base.inclusive.checked_mul(runs.new)?;
                let new = new.inclusive.checked_mul(runs.base)?;
                (new.checked_sub(base)?.checked_mul(100)?, base)
            }
        };
        Some(Quotient { number, divisor })
    }

    fn verdict_on(
        &self,
        sums: Sides<Option<FunctionSums>>,
        measured: Option<Quotient>,
        outcome: Outcome,
    ) -> Verdict {
        let column = self.columns.new;
        Verdict {
            outcome,
            limit: self.limit.clone(),
            target: self.target.clone(),
            event: column.name.to_vec(),
            unit: match self.limit.measure {
                Measure::Cost => column.unit,
                Measure::Calls => "calls",
                Measure::Growth => "%",
            },
            measured,
            allowed: self.allowed,
            sums,
            runs: self.runs,
            shown_unit: column.unit(),
            has_base: self.comparison.is_some(),
            incomplete: self.incomplete,
            increases: Vec::new(),
            closest: String::new(),
        }
    }
}

/// The sums of what has only one cost.
fn exact(cost: i128) -> FunctionSums {
    FunctionSums {
        inclusive: cost,
        ..FunctionSums::default()
    }
}

/// The functions or groups that a name in a limit fits.
fn query(name: &[u8]) -> NameQuery {
    NameQuery::new(if name.is_empty() { b"???" } else { name })
}

/// The first of several names, and how many others there are.
fn listed(names: impl ExactSizeIterator<Item = String>) -> String {
    let more = names.len().saturating_sub(MAX_LISTED);
    let mut listed: Vec<String> = names.take(MAX_LISTED).collect();
    listed.extend((more > 0).then(|| format!("{} more", grouped(more as u64))));
    listed.join(", ")
}

/// The names of all functions.
fn names<'v>(view: &'v View<'_>) -> impl Iterator<Item = &'v [u8]> {
    let functions = view.functions();
    functions.map(|(id, _)| view.names_of(id)[2])
}

/// The functions whose self costs grew most.
fn largest_increases(comparison: &Comparison<'_>) -> Vec<(Vec<u8>, i128)> {
    let changes = comparison.changes.iter();
    let grown = changes.filter(|change| change.self_cost() > 0).take(3);
    let named = grown.map(|change| {
        let [.., name] = comparison.names_of(change);
        (name.to_vec(), change.self_cost())
    });
    named.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A profile of functions with their costs, summed over a number of runs.
    fn profile(runs: u64, functions: &[(&str, u64)]) -> Profile {
        let total: u64 = functions.iter().map(|(_, cost)| cost).sum();
        let functions = functions.iter();
        let blocks = functions.map(|(name, cost)| format!("fl=a.c\nfn={name}\n1 {cost}\n"));
        let text = format!(
            "creator: cg-preprocess 1\ndesc: Runs: {runs}\nevents: Time_(10ns)\nsummary: {total}\n{}totals: {total}\n",
            blocks.collect::<String>()
        );
        Profile::read(text.as_bytes()).unwrap()
    }

    /// The outcome, what was measured and what is allowed, and their unit.
    fn judged(verdict: &Verdict) -> (Outcome, Option<f64>, f64, &'static str) {
        let measured = verdict.measured.map(Quotient::as_f64);
        (
            verdict.outcome,
            measured,
            verdict.allowed.as_f64(),
            verdict.unit,
        )
    }

    #[test]
    fn a_limit_passes_up_to_what_it_allows() {
        let profile = profile(1, &[("f", 300), ("fib", 100)]);
        let check = |limit: &[u8]| {
            let verdict = Limit::cost(limit).unwrap().check(&View::of(&profile));
            judged(&verdict.unwrap())
        };
        let [passed, failed] = [Outcome::Passed, Outcome::Failed];
        assert_eq!(check(b"400"), (passed, Some(400.0), 400.0, "10ns"));
        assert_eq!(check(b"399.5"), (failed, Some(400.0), 399.5, "10ns"));
        assert_eq!(check(b"4us"), (passed, Some(400.0), 400.0, "10ns"));
        assert_eq!(check(b"3999ns"), (failed, Some(400.0), 399.9, "10ns"));
        assert_eq!(check(b"f=300"), (passed, Some(300.0), 300.0, "10ns"));
        assert_eq!(check(b"fib=99"), (failed, Some(100.0), 99.0, "10ns"));
        assert_eq!(check(b"g=0"), (Outcome::NotFound, None, 0.0, "10ns"));
    }

    #[test]
    fn growth_is_measured_per_run_and_not_rounded() {
        let base = profile(3, &[("f", 300), ("gone", 60)]);
        let new = profile(2, &[("f", 201), ("new", 1)]);
        let check = |limit: &[u8], per_run| {
            let [base, new] = [&base, &new].map(View::of);
            let comparison = Comparison::of(base, new, per_run).unwrap();
            let verdict = Limit::growth(limit).unwrap().check(&comparison).unwrap();
            (judged(&verdict), verdict.increases.len())
        };
        let [passed, failed] = [Outcome::Passed, Outcome::Failed];
        assert_eq!(check(b"f=0.5", true), ((passed, Some(0.5), 0.5, "%"), 0));
        assert_eq!(check(b"f=0.4", true), ((failed, Some(0.5), 0.4, "%"), 0));
        assert_eq!(
            check(b"f=-33", false),
            ((passed, Some(-33.0), -33.0, "%"), 0)
        );
        // 202 in two runs after 360 in three: one function grew, and one is new.
        let (total, increases) = check(b"-15.9", true);
        assert_eq!((total.0, total.2, increases), (failed, -15.9, 2));
        assert!((total.1.unwrap() - -15.833_333).abs() < 1e-6);
        assert_eq!(
            check(b"gone=0", true),
            ((Outcome::NotFound, None, 0.0, "%"), 0)
        );
    }

    #[test]
    fn an_incomplete_side_fails_what_it_exceeds_and_passes_nothing() {
        let [mut base, mut new] = [100, 150].map(|cost| profile(1, &[("f", cost)]));
        for (incomplete, expected) in [
            ([false, false], Outcome::Passed),
            ([true, false], Outcome::Incomplete),
            ([true, true], Outcome::Incomplete),
        ] {
            let sides = [&mut base, &mut new].into_iter().zip(incomplete);
            sides.for_each(|(side, incomplete)| {
                if incomplete {
                    side.set_incomplete();
                }
            });
            let comparison = Comparison::new(&base, &new).unwrap();
            let check = |limit: &[u8]| {
                let verdict = Limit::growth(limit).unwrap().check(&comparison).unwrap();
                verdict.outcome
            };
            assert_eq!(check(b"50"), expected);
            assert_eq!(check(b"49"), Outcome::Failed);
        }
    }

    #[test]
    fn a_limit_on_a_group_needs_the_profile_by_group() {
        let profile = profile(1, &[("file:a", 5)]);
        let view = View::of(&profile);
        let check = |limit: &[u8]| Limit::cost(limit).unwrap().check(&view);
        assert_eq!(check(b"class:A=1"), Err(LimitError::Group("class")));
        // A function has this name.
        assert!(!check(b"file:a=1").unwrap().passed());
    }
}
