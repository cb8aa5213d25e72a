//! Checks limits.

use std::collections::{BTreeMap, BTreeSet};

use super::column::{Column, FunctionSums};
use super::limits::{Limit, LimitError, Measure, Outcome, Verdict};
use super::{Comparison, PartChange, Side, Sides, Subject, Views, ViewsError};
use crate::display::MAX_LISTED;
use crate::display::numbers::{counted, grouped, marked, percent};
use crate::display::text::{excerpt, printable};
use crate::display::units::in_units;
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
        if let Target::Named(by, _) = target
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
    fn target(&self, functions: Subject<'_>) -> Result<Target<'_>, LimitError> {
        let Some(name) = self.name.as_deref() else {
            return Ok(Target::Total);
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
                Target::Named(by, group)
            }
            _ => Target::Named(GroupBy::Function, name),
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
            Target::Named(by, _) => all.by(by)?,
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

/// What a limit is on.
#[derive(Clone, Copy)]
enum Target<'l> {
    Total,
    /// The parts that the profiled program has given this name.
    Part(&'l [u8]),
    /// The functions, or the group of functions, with this name.
    Named(GroupBy, &'l [u8]),
}

impl Target<'_> {
    /// Its name within a sentence.
    fn label(self) -> String {
        match self {
            Target::Named(GroupBy::Function, name) => shown(name),
            Target::Named(by, name) => format!("{} {}", by.name(), shown(name)),
            Target::Total | Target::Part(_) => self.quoted(),
        }
    }

    /// Its name at the beginning of a message.
    fn quoted(self) -> String {
        match self {
            Target::Total => "the total".to_owned(),
            Target::Part(name) => format!("part \"{}\"", shown(name)),
            Target::Named(by, name) => format!("{} \"{}\"", by.name(), shown(name)),
        }
    }

    /// What is limited of it, unless that is its calls.
    fn cost(self, event: &str) -> String {
        let inclusive = match self {
            Target::Total => return format!("the total of {event}"),
            Target::Part(_) | Target::Named(GroupBy::Line, _) => "",
            Target::Named(..) => "inclusive ",
        };
        format!("the {inclusive}{event} of {}", self.label())
    }

    fn calls(self, count: i128) -> String {
        let label = self.label();
        match self {
            Target::Named(GroupBy::Line, _) => format!("{label} has {}", counted(count, "call")),
            _ => format!("{label} was called {}", counted(count, "time")),
        }
    }
}

/// A limit, and the sides that it compares. If it is not on growth, both are the profile.
struct Check<'l, 'a> {
    limit: &'l Limit,
    /// See [`Limit::scaled`].
    scaled: [i128; 2],
    target: Target<'l>,
    views: Sides<&'a View<'a>>,
    /// The first event of each side, not divided by runs.
    columns: Sides<Column<'a>>,
    runs: Sides<u64>,
    /// The incomplete side among those that are compared, for people. The limit may pass only because
    /// costs are missing.
    incomplete: Option<&'static str>,
    /// The comparison of the sides, if the limit is on growth.
    comparison: Option<&'a Comparison<'a>>,
}

impl<'l, 'a> Check<'l, 'a> {
    fn of(
        limit: &'l Limit,
        target: Target<'l>,
        are_complete: Sides<bool>,
        subject: Subject<'a>,
    ) -> Result<Self, LimitError> {
        let (view, comparison) = (subject.view(), subject.comparison());
        let new = match comparison {
            Some(comparison) => comparison.first().columns.new,
            None => Column::new(view.profile(), 0, 1),
        };
        let comparison = comparison.filter(|_| limit.needs_base());
        match limit.measure {
            Measure::Growth if comparison.is_none() => return Err(LimitError::NoBase),
            Measure::Calls if !view.has_invocations() => {
                return Err(match view.profile().has_invocations() {
                    true => LimitError::NoCallsByLine,
                    false => LimitError::NoCalls,
                });
            }
            _ => {}
        }
        let base = comparison.map_or(new, |comparison| comparison.first().columns.base);
        let columns = Sides { base, new };
        let views = comparison.map(|comparison| comparison.views.as_ref());
        Ok(Check {
            limit,
            scaled: limit.scaled(&new)?,
            target,
            views: views.unwrap_or(Sides {
                base: view,
                new: view,
            }),
            columns: columns.map(|column| Column { runs: 1, ..column }),
            runs: columns.map(|column| column.runs),
            incomplete: match are_complete {
                Sides { new: false, .. } => Some("the profile is incomplete"),
                Sides { base: false, .. } if comparison.is_some() => Some("the base is incomplete"),
                _ => None,
            },
            comparison,
        })
    }

    /// Checks it. If its name is not found, similar names are searched for on request.
    fn verdict(&self, searches: bool) -> Result<Verdict, LimitError> {
        let Target::Named(by, name) = self.target else {
            let totals = self.columns.zip(self.views).map(|(column, view)| {
                let total = column.cost(&view.profile().totals());
                Some(exact(column.per_run(total)))
            });
            let mut verdict = self.judge(totals)?;
            if let (Some(comparison), Outcome::Failed) = (self.comparison, verdict.outcome) {
                verdict.text += &largest_increases(comparison);
            }
            return Ok(verdict);
        };
        let closest = |view: &View<'_>| query(name).closest(names(view).map(printable));
        let found = self.find(by, name)?;
        if self.comparison.is_some() && found.base.is_none() {
            return Err(LimitError::NoFunction {
                name: self.target.quoted(),
                closest: closest(self.views.base),
            });
        }
        let mut verdict = self.judge(found)?;
        if searches && verdict.outcome == Outcome::NotFound {
            verdict.text += &closest(self.views.new);
        }
        Ok(verdict)
    }

    /// Checks each part that the profiled program has named; if it has named none, each part. For growth,
    /// parts that only one side has get a verdict, too.
    fn parts(&self) -> Result<Vec<Verdict>, LimitError> {
        let profiles = self.views.map(View::profile);
        if profiles
            .into_iter()
            .any(|profile| profile.unlisted_parts() > 0)
        {
            return Err(LimitError::TooManyParts);
        }
        let mut parts = PartChange::between(self.views, self.columns);
        if parts.is_empty() {
            parts = self.unnamed_parts();
        }
        let is_on_both = |part: &PartChange<'_>| part.costs.base.and(part.costs.new).is_some();
        if !parts.iter().any(is_on_both) {
            return Err(LimitError::NoParts);
        }
        let verdicts = parts.iter().map(|part| {
            let target = Target::Part(part.name);
            let sums = part.costs.map(|cost| cost.map(exact));
            Check { target, ..*self }.judge(sums)
        });
        verdicts.collect()
    }

    /// The rows, which are parts. None if there is only one, which nothing is told apart from.
    fn unnamed_parts(&self) -> Vec<PartChange<'a>> {
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
        let parts: Vec<PartChange<'a>> = match self.comparison {
            None => {
                let rows = self.views.new.functions();
                rows.map(|(id, _)| {
                    part(Sides {
                        base: Some(id),
                        new: Some(id),
                    })
                })
                .collect()
            }
            Some(comparison) => {
                let rows = comparison.functions();
                rows.map(|row| part(row.functions.as_ref().map(|ids| ids.first().copied())))
                    .collect()
            }
        };
        if parts.len() > 1 { parts } else { Vec::new() }
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
        let Found { sums, names } = best.and_then(|fit| found.remove(&fit)).unwrap_or_default();
        match names.len() {
            0 | 1 => Ok(sums),
            count => Err(LimitError::Ambiguous {
                kind: by.names(),
                name: shown(wanted),
                count,
                names: listed(names),
            }),
        }
    }

    /// Compares sums of both sides with the limit.
    fn judge(&self, sums: Sides<Option<FunctionSums>>) -> Result<Verdict, LimitError> {
        let (Some(base), Some(new)) = (sums.base, sums.new) else {
            return Ok(self.not_found(sums));
        };
        let measure = self.limit.measure;
        let cost = self.target.cost(&excerpt(self.columns.new.name));
        if measure == Measure::Growth && base.inclusive <= 0 {
            return Err(LimitError::NotPositive {
                subject: cost,
                base: base.inclusive,
                new: new.inclusive,
            });
        }
        let mut profiles = self.views.into_iter().map(View::profile);
        let is_wrong = measure != Measure::Calls && profiles.any(Profile::has_saturated);
        let compared = self.compared(base, new).filter(|_| !is_wrong);
        let Some((measured, per, is_kept)) = compared else {
            return Err(LimitError::Saturated(cost));
        };
        let shown = Sides { base, new }.zip(Sides::EACH);
        let Sides { base, new } = shown.map(|(sums, side)| self.shown(side, sums));
        let figures = match measure {
            Measure::Cost => format!("{cost} is {new}"),
            Measure::Calls => in_runs(self.target.calls(measured), self.runs.new),
            Measure::Growth => {
                let percent = percent(measured, per);
                // If it had to shrink by more, it "grew by -5 %".
                let growth = match percent.strip_prefix('-') {
                    Some(percent) if is_kept => format!("shrank by {percent}"),
                    _ => format!("grew by {percent}"),
                };
                format!("{cost} {growth} %, from {base} to {new}")
            }
        };
        let (outcome, within) = match (is_kept, self.incomplete) {
            (true, None) => (Outcome::Passed, "within"),
            (true, Some(_)) => (Outcome::Incomplete, "within"),
            (false, _) => (Outcome::Failed, "more than"),
        };
        let per_run = match measure {
            Measure::Cost | Measure::Calls if self.runs.new != 1 => " per run",
            _ => "",
        };
        let mut text = format!("{figures}: {within} the limit of {}{per_run}", self.limit);
        if let (Outcome::Incomplete, Some(incomplete)) = (outcome, self.incomplete) {
            text += &format!(", but {incomplete}");
        }
        Ok(Verdict { outcome, text })
    }

    /// What is limited, what it is limited per, and whether the limit is kept; `None` if a number exceeds
    /// 128 bits.
    fn compared(&self, base: FunctionSums, new: FunctionSums) -> Option<(i128, i128, bool)> {
        let runs = self.runs.map(i128::from);
        let (measured, per) = match self.limit.measure {
            Measure::Cost => (new.inclusive, runs.new),
            Measure::Calls => (new.invocations.rounded(), runs.new),
            Measure::Growth => {
                // Each side is multiplied by the runs of the other one, so that nothing is rounded.
                let base = base.inclusive.checked_mul(runs.new)?;
                let new = new.inclusive.checked_mul(runs.base)?;
                (new.checked_sub(base)?, base)
            }
        };
        let [factor, limit] = self.scaled;
        let is_kept = measured.checked_mul(factor)? <= per.checked_mul(limit)?;
        Some((measured, per, is_kept))
    }

    /// What is said of a limit that names something which a side lacks.
    fn not_found(&self, sums: Sides<Option<FunctionSums>>) -> Verdict {
        let missing = match (self.comparison, sums.new) {
            (None, _) => " not found".to_owned(),
            (Some(_), None) => " not found in the new profile".to_owned(),
            (Some(_), Some(new)) => {
                format!(", at {}, not found in the base", self.shown(Side::New, new))
            }
        };
        let (name, limit) = (self.target.quoted(), self.limit);
        let text = format!("{name}{missing}, so its limit of {limit} was not checked");
        match self.incomplete {
            None => Verdict {
                outcome: Outcome::NotFound,
                text,
            },
            Some(incomplete) => Verdict {
                outcome: Outcome::Incomplete,
                text: format!("{text}, and {incomplete}"),
            },
        }
    }

    /// An inclusive cost with its number of runs.
    fn shown(&self, side: Side, sums: FunctionSums) -> String {
        let cost = in_units(sums.inclusive, self.columns[side].unit());
        in_runs(marked(sums.is_inclusive_estimated, cost), self.runs[side])
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
fn listed(names: BTreeSet<String>) -> String {
    let more = names.len().saturating_sub(MAX_LISTED);
    let names = names.iter().map(|name| short_name(name, SHORT));
    let mut listed: Vec<String> = names.take(MAX_LISTED).collect();
    listed.extend((more > 0).then(|| format!("{} more", grouped(more as u64))));
    listed.join(", ")
}

/// The names of all functions.
fn names<'v>(view: &'v View<'_>) -> impl Iterator<Item = &'v [u8]> {
    let functions = view.functions();
    functions.map(|(id, _)| view.names_of(id)[2])
}

/// A printable name, with the blanks at its end.
fn shown(name: &[u8]) -> String {
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

/// The functions whose self costs grew most, as the end of a sentence.
fn largest_increases(comparison: &Comparison<'_>) -> String {
    let changes = comparison.changes.iter();
    let grown = changes.filter(|change| change.self_cost() > 0);
    let named = grown.take(3).map(|change| {
        let cost = in_units(change.self_cost(), comparison.first().columns.new.unit());
        format!("{} +{cost}", shown(comparison.names_of(change)[2]))
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
        let view = View::of(&profile);
        let check = |limit: &[u8]| Limit::cost(limit).unwrap().check(&view);
        assert_eq!(check(b"class:A=1"), Err(LimitError::Group("class")));
        // A function has this name.
        assert!(!check(b"file:a=1").unwrap().passed());
    }
}
