//! Checks limits.

use std::collections::{BTreeMap, BTreeSet};

use super::column::{Column, FunctionSums};
use super::limits::{Limit, LimitError, Measure, Outcome, Verdict};
use super::{Comparison, PartChange, Side, Sides};
use crate::display::MAX_LISTED;
use crate::display::numbers::{counted, grouped, marked, percent};
use crate::display::text::{excerpt, printable};
use crate::display::units::in_units;
use crate::names::{Fit, NameQuery, SHORT, is_called, short_name, without_place};
use crate::profile::{FunctionId, GroupBy, Profile};

impl Limit {
    /// Checks a profile in the first event, without rounding, and per run if the comparison is. The
    /// comparison is that of the profile with a base.
    ///
    /// A profile that is not [complete](Profile::is_complete) can fail a limit, but not pass it.
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
        let base = comparison.map(|comparison| comparison.profiles.base);
        let are_complete = Sides {
            base: base.is_none_or(Profile::is_complete),
            new: profile.is_complete(),
        };
        Check::of(self, are_complete, |_| (profile, comparison))?.verdict(true)
    }
}

/// What is checked: a profile, and its comparison with a base, if any.
pub(crate) type Checked<'a> = (&'a Profile, Option<&'a Comparison<'a>>);

/// Checks limits as [`Limit::check`] does. If `each_part` is set, limits on totals apply to each part that
/// the profiled program has named, instead of to their sum.
///
/// `rows` has the profile by function and by the groups that limits are on; `are_complete`, whether no
/// costs of the first event are missing.
///
/// The growth of a part that only one side has is unknown: see [`Outcome::NotFound`].
///
/// # Errors
///
/// The first that occurs; also if there are no such parts, or too many to know all of them.
pub(crate) fn check_all<'a>(
    limits: &[Limit],
    each_part: bool,
    are_complete: Sides<bool>,
    rows: impl Fn(GroupBy) -> Checked<'a>,
) -> Result<Vec<Verdict>, LimitError> {
    let mut verdicts = Vec::new();
    let mut missing = 0;
    for limit in limits {
        let check = Check::of(limit, are_complete, &rows)?;
        if each_part && limit.name.is_none() {
            if profiles(rows(GroupBy::Function)).any(|profile| profile.unlisted_parts() > 0) {
                return Err(LimitError::TooManyParts);
            }
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

/// The base, if there is one, and the profile.
fn profiles<'a>((profile, comparison): Checked<'a>) -> impl Iterator<Item = &'a Profile> {
    let base = comparison.map(|comparison| comparison.profiles.base);
    base.into_iter().chain([profile.folded()])
}

/// What a limit is on.
#[derive(Clone, Copy)]
enum Subject<'l> {
    Total,
    /// The parts that the profiled program has given this name.
    Part(&'l [u8]),
    /// The functions, or the group of functions, with this name.
    Named(GroupBy, &'l [u8]),
}

impl Subject<'_> {
    /// Its name within a sentence.
    fn label(self) -> String {
        match self {
            Subject::Named(GroupBy::Function, name) => shown(name),
            Subject::Named(by, name) => format!("{} {}", by.name(), shown(name)),
            Subject::Total | Subject::Part(_) => self.quoted(),
        }
    }

    /// Its name at the beginning of a message.
    fn quoted(self) -> String {
        match self {
            Subject::Total => "the total".to_owned(),
            Subject::Part(name) => format!("part \"{}\"", shown(name)),
            Subject::Named(by, name) => format!("{} \"{}\"", by.name(), shown(name)),
        }
    }

    /// What is limited of it, unless that is its calls.
    fn cost(self, event: &str) -> String {
        let inclusive = match self {
            Subject::Total => return format!("the total of {event}"),
            Subject::Part(_) | Subject::Named(GroupBy::Line, _) => "",
            Subject::Named(..) => "inclusive ",
        };
        format!("the {inclusive}{event} of {}", self.label())
    }

    fn calls(self, count: i128) -> String {
        let label = self.label();
        match self {
            Subject::Named(GroupBy::Line, _) => format!("{label} has {}", counted(count, "call")),
            _ => format!("{label} was called {}", counted(count, "time")),
        }
    }
}

/// A limit, and the sides that it compares. If it is not on growth, both are the profile.
struct Check<'l, 'a> {
    limit: &'l Limit,
    /// See [`Limit::scaled`].
    scaled: [i128; 2],
    subject: Subject<'l>,
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
    /// Finds out what a limit is on.
    fn of(
        limit: &'l Limit,
        are_complete: Sides<bool>,
        rows: impl Fn(GroupBy) -> Checked<'a>,
    ) -> Result<Self, LimitError> {
        let mut checked = rows(GroupBy::Function);
        let is_function = |name: &[u8]| {
            let mut names = profiles(checked).flat_map(names);
            names.any(|of| is_called(of, name))
        };
        let kind = limit.unknown_kind().filter(|_| {
            let mut names = profiles(checked).flat_map(names);
            let query = query(limit.name.as_deref().unwrap_or_default());
            !names.any(|name| query.fit(name).is_some())
        });
        if let Some(kind) = kind {
            return Err(LimitError::UnknownKind {
                kind: kind.to_owned(),
                name: shown(limit.name.as_deref().unwrap_or_default()),
            });
        }
        let subject = match (limit.name.as_deref(), limit.group()) {
            (None, _) => Subject::Total,
            (Some(name), Some((by, group))) if !is_function(name) => {
                checked = rows(by);
                if checked.0.grouped_by() != by {
                    return Err(LimitError::Group(by.name()));
                }
                Subject::Named(by, group)
            }
            (Some(name), _) => Subject::Named(GroupBy::Function, name),
        };
        let (profile, comparison) = checked;
        let new = match comparison {
            Some(comparison) => comparison.first().columns.new,
            None => Column::new(profile.folded(), 0, 1),
        };
        let comparison = comparison.filter(|_| limit.needs_base());
        match limit.measure {
            Measure::Growth if comparison.is_none() => return Err(LimitError::NoBase),
            Measure::Calls if !profile.has_invocations() => {
                let has_calls = rows(GroupBy::Function).0.has_invocations();
                return Err(match has_calls {
                    true => LimitError::NoCallsByLine,
                    false => LimitError::NoCalls,
                });
            }
            _ => {}
        }
        let base = comparison.map_or(new, |comparison| comparison.first().columns.base);
        let columns = Sides { base, new };
        Ok(Check {
            limit,
            scaled: limit.scaled(&new)?,
            subject,
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
        let Subject::Named(by, name) = self.subject else {
            let mut verdict = self.judge(self.columns.map(|column| Some(exact(column.total()))))?;
            if let (Some(comparison), Outcome::Failed) = (self.comparison, verdict.outcome) {
                verdict.text += &largest_increases(comparison);
            }
            return Ok(verdict);
        };
        let closest =
            |column: &Column<'_>| query(name).closest(names(column.profile).map(printable));
        let found = self.find(by, name)?;
        if self.comparison.is_some() && found.base.is_none() {
            return Err(LimitError::NoFunction {
                name: self.subject.quoted(),
                closest: closest(&self.columns.base),
            });
        }
        let mut verdict = self.judge(found)?;
        if searches && verdict.outcome == Outcome::NotFound {
            verdict.text += &closest(&self.columns.new);
        }
        Ok(verdict)
    }

    /// Checks each part that the profiled program has named. For growth, parts that only one side has
    /// get a verdict, too.
    fn parts(&self) -> Result<Vec<Verdict>, LimitError> {
        let parts = PartChange::between(self.columns);
        let is_on_both = |part: &PartChange<'_>| part.costs.base.and(part.costs.new).is_some();
        if !parts.iter().any(is_on_both) {
            return Err(LimitError::NoParts);
        }
        let verdicts = parts.iter().map(|part| {
            let subject = Subject::Part(part.name);
            let sums = part.costs.map(|cost| cost.map(exact));
            Check { subject, ..*self }.judge(sums)
        });
        verdicts.collect()
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
            let sides = self.columns.zip(row);
            let fits = sides.into_iter().flat_map(|(Column { profile, .. }, ids)| {
                let names = ids.iter().map(|&id| profile.names_of(id)[2]);
                names.filter_map(|name| Some((query.fit(name)?, without_place(name))))
            });
            let Some((fit, name)) = fits.min() else {
                return;
            };
            let found = found.entry(fit).or_default();
            found.names.insert(printable(name));
            for (side, (column, ids)) in Sides::EACH.zip(sides) {
                if let Some(sums) = column.sums(ids) {
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
                let functions = self.columns.new.profile.functions();
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
        let cost = self.subject.cost(&excerpt(self.columns.new.name));
        if measure == Measure::Growth && base.inclusive <= 0 {
            return Err(LimitError::NotPositive {
                subject: cost,
                base: base.inclusive,
                new: new.inclusive,
            });
        }
        let mut profiles = self.columns.into_iter().map(|column| column.profile);
        let is_wrong = measure != Measure::Calls && profiles.any(Profile::has_saturated);
        let compared = self.compared(base, new).filter(|_| !is_wrong);
        let Some((measured, per, is_kept)) = compared else {
            return Err(LimitError::Saturated(cost));
        };
        let shown = Sides { base, new }.zip(Sides::EACH);
        let Sides { base, new } = shown.map(|(sums, side)| self.shown(side, sums));
        let figures = match measure {
            Measure::Cost => format!("{cost} is {new}"),
            Measure::Calls => in_runs(self.subject.calls(measured), self.runs.new),
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
        let (name, limit) = (self.subject.quoted(), self.limit);
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
fn names(profile: &Profile) -> impl Iterator<Item = &[u8]> {
    let functions = profile.functions();
    functions.map(|(id, _)| profile.names_of(id)[2])
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
