//! Limits on costs, calls and growth, and the verdicts on them.

use std::fmt;

use thiserror::Error;

use super::{Comparison, PartChange};
use crate::display::MAX_LISTED;
use crate::display::numbers::{counted, grouped, percent};
use crate::display::text::{excerpt, printable};
use crate::display::units::{NamedUnit, Quantity, Unit, in_units};
use crate::names::{FunctionName, NameQuery};
use crate::profile::{FunctionId, Profile, split_scale};
use crate::tables::first_cost;

/// What a profile, or a comparison, must not exceed.
///
/// A function is that of the given name; if there is none, PHP's own function of that name:
/// `PDO->query` is what Xdebug calls `php::PDO->query`. Functions of one name in several files are
/// summed, and so are the copies of a function that Xdebug (`NAME:{file:line}`) tells apart.
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
    /// The name of a function; none for the total.
    function: Option<Vec<u8>>,
    bound: Bound,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bound {
    /// By how many percent a total, or an inclusive cost, may exceed that of the base.
    Growth(Decimal),
    /// What a total, or an inclusive cost, may be.
    Cost(Amount),
    /// How often a function may be called.
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

/// Why it cannot be told whether a limit is kept.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "the messages show what the fields are")]
#[non_exhaustive]
pub enum LimitError {
    /// A limit on growth without a comparison.
    #[error("a limit on growth needs a base to compare with")]
    NoBase,
    /// The base is 0 or negative, so growth cannot be expressed as a percentage.
    #[error("the growth of {subject} cannot be given in percent: it was {}, and is {}",
        grouped(*.base), grouped(*.new))]
    NotPositive {
        subject: String,
        base: i128,
        new: i128,
    },
    /// Some sums are wrong, because they do not fit.
    #[error("{0} cannot be checked: some sums do not fit into 64 bits")]
    Saturated(String),
    /// The base has no such function.
    #[error("the base has no function \"{name}\", so its growth cannot be checked{closest}")]
    NoFunction { name: String, closest: String },
    /// Each part is to be checked, but the program has named none.
    #[error(
        "there are no parts with names (CALLGRIND_DUMP_STATS_AT) that limits could be checked for"
    )]
    NoParts,
    /// Each part is to be checked, but there are more than are known.
    #[error("there are too many parts to check each: choose some with --part")]
    TooManyParts,
    /// A limit on calls of a profile that holds none.
    #[error("the profile holds no calls, so limits on them cannot be checked")]
    NoCalls,
    /// The unit of a limit on costs is not one of the event.
    #[error(
        "the limit of {limit} has a unit that the costs of {event} do not have: give {expected}"
    )]
    WrongUnit {
        limit: String,
        event: String,
        expected: &'static str,
    },
}

/// Checks limits as [`Limit::check`] does or, for each part, as [`Limit::check_each_part`] does.
///
/// # Errors
///
/// The first that occurs.
pub fn check_all(
    limits: &[Limit],
    each_part: bool,
    profile: &Profile,
    comparison: Option<&Comparison<'_>>,
) -> Result<Vec<Verdict>, LimitError> {
    let mut closest = Closest::default();
    let mut verdicts = Vec::new();
    for limit in limits {
        match each_part {
            true => verdicts.extend(limit.check_parts(profile, comparison, &mut closest)?),
            false => verdicts.push(limit.check_once(profile, comparison, &mut closest)?),
        }
    }
    Ok(verdicts)
}

/// What came of a limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Whether it passed.
    pub outcome: Outcome,
    /// What was found, and what is allowed.
    pub text: String,
}

/// Whether a limit passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It did.
    Passed,
    /// It did, but only because a side lacks the function or the part: it was not called, was
    /// renamed, or its name is misspelled.
    NotFound,
    /// What was found exceeds it.
    Failed,
}

/// A number in millionths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Decimal(i128);

const DECIMALS: usize = 6;
const MILLION: i128 = 1_000_000;

impl Decimal {
    /// Reads a number that is not negative, with at most so many digits before the point.
    fn parse(text: &str, max_digits: usize) -> Option<Self> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let is_number = |digits: &str, max| {
            (1..=max).contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_digit())
        };
        if !is_number(whole, max_digits) || !is_number(fraction, DECIMALS) {
            return None;
        }
        format!("{whole}{fraction:0<DECIMALS$}")
            .parse()
            .ok()
            .map(Decimal)
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sign, size) = (if self.0 < 0 { "-" } else { "" }, self.0.abs());
        let fraction = format!(".{:0DECIMALS$}", size % MILLION);
        let fraction = fraction.trim_end_matches('0').trim_end_matches('.');
        write!(f, "{sign}{}{fraction}", grouped(size / MILLION))
    }
}

/// A cost in the units of an event, or in a unit of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Amount {
    number: Decimal,
    unit: Option<&'static NamedUnit>,
}

impl Amount {
    fn parse(text: &str) -> Option<Self> {
        let unit = NamedUnit::at_end_of_limit(text);
        let number = text.strip_suffix(unit.map_or("", |unit| unit.name))?;
        let number = Decimal::parse(number.trim_end(), 18)?;
        Some(Amount { number, unit })
    }

    /// What a cost of the first event has to be multiplied by to be comparable, and what it then may
    /// be, in millionths.
    fn in_units_of(&self, profile: &Profile) -> Result<[i128; 2], LimitError> {
        let event = unit_of(profile);
        let expected = match (self.unit, event.quantity) {
            (None, _) => return Ok([1, self.number.0]),
            (Some(unit), quantity) if unit.quantity == quantity => {
                return Ok([event.count.max(1).into(), self.number.0 * unit.count]);
            }
            (_, Quantity::Time) => "ns, us, ms or s",
            (_, Quantity::Memory) => "B, KiB, MiB or GiB",
            (_, Quantity::Count) => "a plain number, or one with k, M or G",
        };
        Err(LimitError::WrongUnit {
            limit: self.to_string(),
            event: excerpt(split_scale(profile.event()).0),
            expected,
        })
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.unit {
            Some(unit) => write!(f, "{} {}", self.number, unit.name),
            None => self.number.fmt(f),
        }
    }
}

/// Splits `NAME=NUMBER`. A name may contain `=`, and blanks are part of it.
fn split(text: &[u8]) -> Option<(Option<Vec<u8>>, &str)> {
    let (function, number) = match memchr::memrchr(b'=', text) {
        Some(at) => (Some(text[..at].to_vec()), &text[at + 1..]),
        None => (None, text),
    };
    Some((function, str::from_utf8(number).ok()?))
}

impl Limit {
    /// Reads a limit on growth: `PERCENT` of the total, or `NAME=PERCENT` of a function's inclusive
    /// cost. Below 0, the cost has to shrink.
    ///
    /// # Errors
    ///
    /// If there is no number of percent at the end.
    pub fn growth(text: &[u8]) -> Result<Self, LimitSyntaxError> {
        let parse = || {
            let (function, number) = split(text)?;
            let number = number.strip_suffix('%').unwrap_or(number).trim_end();
            let Decimal(size) = Decimal::parse(number.strip_prefix('-').unwrap_or(number), 12)?;
            let sign = if number.starts_with('-') { -1 } else { 1 };
            let bound = Bound::Growth(Decimal(sign * size));
            Some(Limit { function, bound })
        };
        parse().ok_or(LimitSyntaxError::Growth)
    }

    /// Reads a limit on costs: `AMOUNT` for the total, or `NAME=AMOUNT` for a function's inclusive
    /// cost, in the units of the first event or in one that is given: `250ms`, `64MiB`, `20M`.
    ///
    /// # Errors
    ///
    /// If there is no such amount at the end.
    pub fn cost(text: &[u8]) -> Result<Self, LimitSyntaxError> {
        let parse = || {
            let (function, amount) = split(text)?;
            let bound = Bound::Cost(Amount::parse(amount)?);
            Some(Limit { function, bound })
        };
        parse().ok_or(LimitSyntaxError::Cost)
    }

    /// Reads a limit on the calls of a function: `NAME=N`.
    ///
    /// # Errors
    ///
    /// If there is no name, or no whole number at the end.
    pub fn calls(text: &[u8]) -> Result<Self, LimitSyntaxError> {
        let parse = || {
            let (function, number) = split(text)?;
            let is_number = number.bytes().all(|digit| digit.is_ascii_digit());
            let calls = is_number.then(|| number.parse())?.ok()?;
            let (function, bound) = (Some(function?), Bound::Calls(calls));
            Some(Limit { function, bound })
        };
        parse().ok_or(LimitSyntaxError::Calls)
    }

    /// Whether it is about growth, for which there has to be a base.
    pub fn needs_base(&self) -> bool {
        matches!(self.bound, Bound::Growth(_))
    }

    /// Checks a profile, exactly: in the first event, and if it was compared per run, per run.
    ///
    /// # Errors
    ///
    /// If it cannot be told whether the limit is kept: see [`LimitError`].
    pub fn check(
        &self,
        profile: &Profile,
        comparison: Option<&Comparison<'_>>,
    ) -> Result<Verdict, LimitError> {
        self.check_once(profile, comparison, &mut Closest::default())
    }

    fn check_once(
        &self,
        profile: &Profile,
        comparison: Option<&Comparison<'_>>,
        closest: &mut Closest,
    ) -> Result<Verdict, LimitError> {
        let profile = profile.folded();
        let runs = comparison.map_or(1, |comparison| comparison.divisors()[1]);
        match self.bound {
            Bound::Growth(limit) => {
                self.check_growth(limit, comparison.ok_or(LimitError::NoBase)?, closest)
            }
            Bound::Cost(amount) => self.check_cost(amount, profile, runs, closest),
            Bound::Calls(_) if !profile.has_invocations() => Err(LimitError::NoCalls),
            Bound::Calls(calls) => Ok(self.check_calls(calls, profile, runs, closest)),
        }
    }

    /// Checks each part that the profiled program has named, instead of all together. A limit on a
    /// function is checked once.
    ///
    /// The growth of a part that only one side has cannot be told: see [`Outcome::NotFound`].
    ///
    /// # Errors
    ///
    /// As [`check`](Self::check), and if there are no such parts, or too many to know all of them.
    pub fn check_each_part(
        &self,
        profile: &Profile,
        comparison: Option<&Comparison<'_>>,
    ) -> Result<Vec<Verdict>, LimitError> {
        self.check_parts(profile, comparison, &mut Closest::default())
    }

    fn check_parts(
        &self,
        profile: &Profile,
        comparison: Option<&Comparison<'_>>,
        closest: &mut Closest,
    ) -> Result<Vec<Verdict>, LimitError> {
        if self.function.is_some() {
            return Ok(vec![self.check_once(profile, comparison, closest)?]);
        }
        let sides = [comparison.map(|comparison| comparison.base), Some(profile)];
        if sides
            .into_iter()
            .flatten()
            .any(|side| side.unlisted_parts() > 0)
        {
            return Err(LimitError::TooManyParts);
        }
        let parts = match comparison {
            Some(comparison) => comparison.parts(0),
            None => PartChange::between([None, Some((profile, 0))], [1; 2]),
        };
        let is_checked = |part: &PartChange<'_>| match self.needs_base() {
            true => part.exact.iter().all(Option::is_some),
            false => part.new.is_some(),
        };
        if !parts.iter().any(is_checked) {
            return Err(LimitError::NoParts);
        }
        let runs = comparison.map_or(1, |comparison| comparison.divisors()[1]);
        let event = excerpt(split_scale(profile.event()).0);
        let verdicts = parts.iter().filter_map(|part| {
            let part_name = format!("part \"{}\"", shown(part.name));
            let subject = format!("the {event} of {part_name}");
            Some(match (self.bound, part.exact) {
                (Bound::Growth(limit), [_, None]) => Ok(Verdict::not_found(format!(
                    "{part_name} not found in the new profile, so its limit of {limit} % was not checked"
                ))),
                (Bound::Growth(limit), [None, Some(new)]) => {
                    let new = in_runs(in_units(new, unit_of(profile)), runs);
                    Ok(Verdict::not_found(format!(
                        "{part_name}, at {new}, not found in the base, so its limit of {limit} % was not checked"
                    )))
                }
                (Bound::Growth(limit), [Some(base), Some(new)]) => {
                    judge_growth(limit, comparison?, &subject, [base, new])
                }
                (Bound::Cost(limit), [_, new]) => judge_cost(limit, profile, runs, &subject, new?),
                (Bound::Calls(_), _) => return None,
            })
        });
        verdicts.collect()
    }

    fn check_growth(
        &self,
        limit: Decimal,
        comparison: &Comparison<'_>,
        closest: &mut Closest,
    ) -> Result<Verdict, LimitError> {
        let first = comparison.first();
        let subject = self.subject(first.name);
        let Some(name) = &self.function else {
            let mut verdict = judge_growth(limit, comparison, &subject, first.exact)?;
            if verdict.outcome == Outcome::Failed {
                verdict.text += &grown_most(comparison);
            }
            return Ok(verdict);
        };
        let find = |is_named: &dyn Fn(&[u8]) -> bool| {
            let [base, new] = comparison.inclusive_costs(is_named);
            Some((base?, new))
        };
        match find_function(name, find) {
            Some((base, Some(new))) => judge_growth(limit, comparison, &subject, [base, new]),
            Some(_) => {
                let (name, closest) = (shown(name), closest.to(name, comparison.new));
                Ok(Verdict::not_found(format!(
                    "function \"{name}\" not found in the new profile, so its limit of {limit} % was not checked{closest}"
                )))
            }
            None => Err(LimitError::NoFunction {
                name: shown(name),
                closest: closest.to(name, comparison.base),
            }),
        }
    }

    fn check_cost(
        &self,
        limit: Amount,
        profile: &Profile,
        runs: u64,
        closest: &mut Closest,
    ) -> Result<Verdict, LimitError> {
        let (event, scale) = split_scale(profile.event());
        let cost: i128 = match &self.function {
            None => profile.totals().first().copied().unwrap_or(0).into(),
            Some(name) => match self.find_functions(name, profile) {
                None => {
                    limit.in_units_of(profile)?;
                    return Ok(closest.instead_of(name, &limit.to_string(), profile));
                }
                Some(functions) => {
                    let costs = functions.iter().map(|&id| profile.inclusive_costs(id));
                    costs.map(|costs| i128::from(first_cost(costs))).sum()
                }
            },
        };
        let cost = cost.saturating_mul(scale.into());
        judge_cost(limit, profile, runs, &self.subject(event), cost)
    }

    fn check_calls(
        &self,
        limit: u64,
        profile: &Profile,
        runs: u64,
        closest: &mut Closest,
    ) -> Verdict {
        let name = self.function.as_deref().unwrap_or_default();
        let Some(functions) = self.find_functions(name, profile) else {
            return closest.instead_of(name, &counted(limit, "call"), profile);
        };
        let calls = functions.iter().map(|&id| profile.function(id).invocations);
        let calls = calls.fold(0, u64::saturating_add);
        let kept = u128::from(calls) <= u128::from(limit) * u128::from(runs);
        let (name, times) = (shown(name), in_runs(counted(calls, "time"), runs));
        let outcome = outcome(kept, grouped(limit), runs);
        Verdict::new(kept, format!("{name} was called {times}: {outcome}"))
    }

    fn find_functions(&self, wanted: &[u8], profile: &Profile) -> Option<Vec<FunctionId>> {
        find_function(wanted, |is_wanted| {
            let functions = profile.functions();
            let named = functions.filter(|(_, function)| is_wanted(profile.name(function.name)));
            let named: Vec<_> = named.map(|(id, _)| id).collect();
            (!named.is_empty()).then_some(named)
        })
    }

    fn subject(&self, event: &[u8]) -> String {
        let event = excerpt(event);
        match &self.function {
            None => format!("the total of {event}"),
            Some(name) => format!("the inclusive {event} of {}", shown(name)),
        }
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

    fn not_found(text: String) -> Self {
        let outcome = Outcome::NotFound;
        Verdict { outcome, text }
    }

    /// Whether what was found does not exceed the limit.
    pub fn passed(&self) -> bool {
        self.outcome != Outcome::Failed
    }
}

/// Finds functions by a test of their names: of the given name or, if that finds nothing, PHP's own
/// of that name.
fn find_function<T>(
    wanted: &[u8],
    find: impl Fn(&dyn Fn(&[u8]) -> bool) -> Option<T>,
) -> Option<T> {
    let is_of_php = |name: &[u8]| {
        let name = FunctionName::of(name).in_php();
        name.is_some_and(|name| name.is(wanted))
    };
    find(&|name| FunctionName::of(name).is(wanted)).or_else(|| find(&is_of_php))
}

/// The unit of the costs of the first event, without their scale.
fn unit_of(profile: &Profile) -> Unit {
    let unit = profile.events().first().map(|event| profile.unit(event));
    Unit::of(unit.unwrap_or_default(), 1)
}

/// Compares the costs of something on both sides, which are not divided by the numbers of runs.
fn judge_growth(
    limit: Decimal,
    comparison: &Comparison<'_>,
    subject: &str,
    [base, new]: [i128; 2],
) -> Result<Verdict, LimitError> {
    if base <= 0 {
        let subject = subject.to_owned();
        return Err(LimitError::NotPositive { subject, base, new });
    }
    let [base_runs, new_runs] = comparison.divisors();
    // Each side times the runs of the other one, so that nothing is rounded.
    let judge = || {
        let base = base.checked_mul(new_runs.into())?;
        let change = new.checked_mul(base_runs.into())?.checked_sub(base)?;
        let kept = change.checked_mul(100 * MILLION)? <= base.checked_mul(limit.0)?;
        Some((kept, percent(change, base)))
    };
    let judged = judge().filter(|_| !comparison.has_saturated);
    let Some((kept, percent)) = judged else {
        return Err(LimitError::Saturated(format!("the growth of {subject}")));
    };
    // Where it was to shrink by more, it "grew by -5 %".
    let growth = match percent.strip_prefix('-') {
        Some(percent) if kept => format!("shrank by {percent}"),
        _ => format!("grew by {percent}"),
    };
    let unit = Unit::of(comparison.first().unit, 1);
    let sides = [(base, base_runs), (new, new_runs)];
    let [base, new] = sides.map(|(cost, runs)| in_runs(in_units(cost, unit), runs));
    let outcome = outcome(kept, format!("{limit} %"), 1);
    let text = format!("{subject} {growth} %, from {base} to {new}: {outcome}");
    Ok(Verdict::new(kept, text))
}

/// Compares a cost in the first event, without its scale, with a limit per run.
fn judge_cost(
    limit: Amount,
    profile: &Profile,
    runs: u64,
    subject: &str,
    cost: i128,
) -> Result<Verdict, LimitError> {
    let [factor, allowed] = limit.in_units_of(profile)?;
    let judge = || {
        let compared = cost.checked_mul(factor)?.checked_mul(MILLION)?;
        Some(compared <= allowed.checked_mul(runs.into())?)
    };
    let judged = judge().filter(|_| !profile.has_saturated());
    let Some(kept) = judged else {
        return Err(LimitError::Saturated(subject.to_owned()));
    };
    let cost = in_runs(in_units(cost, unit_of(profile)), runs);
    let outcome = outcome(kept, limit, runs);
    Ok(Verdict::new(
        kept,
        format!("{subject} is {cost}: {outcome}"),
    ))
}

/// Finds names like those that are missing, for the first few of these: each search goes through all
/// functions.
#[derive(Default)]
struct Closest {
    searches: usize,
}

impl Closest {
    /// The names in a profile that are most like one that it does not have, as the end of a sentence.
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

    /// The verdict on a limit on a function that is not there.
    fn instead_of(&mut self, name: &[u8], limit: &str, profile: &Profile) -> Verdict {
        let (name, closest) = (shown(name), self.to(name, profile));
        Verdict::not_found(format!(
            "function \"{name}\" not found, so its limit of {limit} was not checked{closest}"
        ))
    }
}

/// A name as it may be shown, with the blanks at its end.
fn shown(name: &[u8]) -> String {
    match name {
        [] => "???".to_owned(),
        [.., last] if last.is_ascii_whitespace() => printable(name),
        _ => excerpt(name),
    }
}

/// A cost or a number of calls, with the number of runs that it is the sum of.
fn in_runs(sum: String, runs: u64) -> String {
    match runs {
        1 => sum,
        _ => format!("{sum} in {} runs", grouped(runs)),
    }
}

/// What came of a limit, as the end of a sentence.
fn outcome(kept: bool, limit: impl fmt::Display, runs: u64) -> String {
    let outcome = if kept { "within" } else { "more than" };
    let per_run = if runs == 1 { "" } else { " per run" };
    format!("{outcome} the limit of {limit}{per_run}")
}

/// How many functions a verdict names.
const MAX_NAMES: usize = 3;

/// The functions whose self costs grew most, as the end of a sentence.
fn grown_most(comparison: &Comparison<'_>) -> String {
    let unit = Unit::of(comparison.first().unit, 1);
    let grown = comparison
        .changes
        .iter()
        .map(|change| (change.name, change.self_cost()));
    let grown = grown.filter(|&(_, cost)| cost > 0).take(MAX_NAMES);
    let named: Vec<_> = grown
        .map(|(name, cost)| format!("{} by {}", shown(name), in_units(cost, unit)))
        .collect();
    match &named[..] {
        [] => String::new(),
        named => format!("; most grew {}", named.join(", ")),
    }
}
