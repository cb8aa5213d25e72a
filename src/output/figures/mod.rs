//! What outputs share: events with their units, changes, parts, rows, tables and summaries.

pub mod calls;
pub mod heading;
pub mod line;
pub mod repeated;
pub mod report;
pub mod row;
pub mod table;

use std::cmp::Reverse;
use std::io;

use thiserror::Error;

use self::line::TextLine;
use crate::compare::{Comparison, Side, SideEvent, Sides};
pub(crate) use crate::display::numbers::marked;
use crate::display::numbers::{counted, grouped, percent};
use crate::display::text::printable;
use crate::display::units::{Notation, Unit, in_units};
use crate::maps::IndexMap;
use crate::names::UnknownFunction;
use crate::profile::{Cost, Profile};

/// The reason why a report cannot be written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReportError {
    /// The output failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// No function has the requested name.
    #[error(transparent)]
    UnknownFunction(#[from] UnknownFunction),
}

/// An event with the format of its costs.
#[derive(Default)]
pub(crate) struct EventFormat<'a> {
    pub name: &'a [u8],
    pub long_name: &'a [u8],
    /// The name of the unit; empty if it is unknown.
    pub unit_name: &'static str,
    pub unit: Unit,
    /// The totals of both sides; without a comparison, that of the base is 0.
    pub totals: Sides<i128>,
    /// The peak that the profile states, if that is not the total.
    pub peak: Option<Cost>,
    /// The notation for costs of about the size of the total.
    pub notation: Notation,
    /// The total that shares are relative to: in a comparison, that of the base.
    pub whole: i128,
    /// The event of both sides; without a comparison, that of the base has no costs.
    pub columns: Sides<SideEvent<'a>>,
}

impl<'a> EventFormat<'a> {
    /// The events of a profile.
    pub fn of(profile: &'a Profile) -> Vec<Self> {
        let sums = profile.totals().into_iter().zip(profile.summaries());
        let events = profile.events().iter().enumerate().zip(sums);
        let figures = events.map(|((at, event), (total, stated))| {
            let column = SideEvent::new(profile, at, 1);
            let unit = Unit::of(column.unit, column.scale);
            EventFormat {
                name: event.name(),
                long_name: column.long_name,
                unit_name: column.unit,
                unit,
                totals: Sides {
                    base: 0,
                    new: total.into(),
                },
                peak: stated.filter(|&peak| profile.states_peak(event) && peak != total),
                notation: unit.notation(total),
                whole: total.into(),
                columns: Sides {
                    base: SideEvent::default(),
                    // The unit has the scale.
                    new: SideEvent { scale: 1, ..column },
                },
            }
        });
        figures.collect()
    }

    /// The events of a comparison, whose costs have no scales.
    pub fn compared(comparison: &Comparison<'a>) -> Vec<Self> {
        let figures = comparison.events.iter().map(|event| {
            let unit = Unit::of(event.unit, 1);
            EventFormat {
                name: event.name,
                long_name: event.long_name,
                unit_name: event.unit,
                unit,
                totals: event.totals,
                notation: unit.notation(event.totals.new.abs().max(event.totals.base.abs())),
                peak: None,
                whole: event.totals.base,
                columns: event.columns,
            }
        });
        figures.collect()
    }

    /// Its cost in a row of a side, not divided by runs. Zeros at the end of a row may be missing.
    pub fn cost(&self, side: Side, costs: &[Cost]) -> i128 {
        self.columns[side].cost(costs)
    }

    /// A cost of a side as it is shown: per run, if that is compared.
    pub fn per_run(&self, side: Side, cost: i128) -> i128 {
        self.columns[side].per_run(cost)
    }

    /// The total, also in a unit of its size.
    pub fn total(&self) -> String {
        in_units(self.totals.new, self.unit)
    }

    /// The peak, likewise.
    pub fn peak(&self) -> Option<String> {
        self.peak.map(|peak| in_units(peak, self.unit))
    }

    /// A cost with its unit, and its share of something; without the share if that is not positive.
    pub fn with_share_of(&self, cost: i128, whole: i128) -> String {
        let shown = self.notation.with_unit(cost);
        match whole {
            1.. => format!("{shown} ({} %)", percent(cost, whole)),
            _ => shown,
        }
    }

    /// A change with its sign, for a column with the unit in its heading.
    pub fn change(&self, by: i128) -> String {
        signed(by, self.notation.cost(by))
    }

    /// The same with its unit.
    pub fn change_in_unit(&self, by: i128) -> String {
        signed(by, self.notation.with_unit(by))
    }

    /// The name with the unit of the column instead of its own: `Time ms` for `Time_(10ns)`.
    pub fn heading(&self) -> String {
        let name = printable(self.name);
        match (self.notation.name, name.split_once('(')) {
            ("", _) => name,
            (unit, Some((name, _))) if !name.is_empty() => {
                format!("{} {unit}", name.trim_end_matches('_'))
            }
            (unit, _) => format!("{name} {unit}"),
        }
    }
}

/// The change of a cost, which is 0 on a side that lacks it. Without a base, it is the cost itself.
pub(crate) fn change(costs: Sides<Option<i128>>) -> i128 {
    let Sides { base, new } = costs.map(Option::unwrap_or_default);
    new.saturating_sub(base)
}

/// Adds a `+` to the text of a change that is positive: `+5`, `-5`, `0`.
pub(crate) fn signed(change: i128, figures: String) -> String {
    if change > 0 {
        format!("+{figures}")
    } else {
        figures
    }
}

/// A value on both sides, or once if both are equal: `5 → 6`, `5`.
pub(crate) fn both_sides<T: PartialEq>(sides: Sides<T>, shown: impl Fn(T) -> String) -> String {
    if sides.base == sides.new {
        shown(sides.new)
    } else {
        let Sides { base, new } = sides.map(shown);
        format!("{base} → {new}")
    }
}

/// The text in place of a value on the side that lacks a row: if the base lacks it, it is new.
pub(crate) const MISSING: Sides<&str> = Sides {
    base: "new",
    new: "gone",
};

/// The word for a row that one side lacks.
pub(crate) fn absence<T>(sides: Sides<Option<T>>) -> Option<&'static str> {
    let mut sides = sides.zip(MISSING).into_iter();
    sides.find_map(|(side, word)| side.is_none().then_some(word))
}

/// The values of a row on both sides; on a side that lacks it, that of the other.
pub(crate) fn either<T: Copy + Default>(sides: Sides<Option<T>>) -> Sides<T> {
    let either = sides.base.or(sides.new).unwrap_or_default();
    sides.map(|side| side.unwrap_or(either))
}

/// A change in percent of a base; `-` if the base is not positive.
pub(crate) fn signed_percent(change: i128, base: i128) -> String {
    match base {
        1.. => signed(change, percent(change, base)),
        _ => "-".to_owned(),
    }
}

/// The same with its sign, or a text if there is no percentage.
pub(crate) fn share_of_base(change: i128, base: i128) -> String {
    match base {
        1.. => signed_percent(change, base) + " %",
        0 => "from no cost in the base".to_owned(),
        _ => "from a negative cost in the base".to_owned(),
    }
}

/// A cost on both sides and its change: `100 → 150, +50, +50.00 %`.
pub(crate) fn sides_and_change(costs: Sides<i128>, shown: impl Fn(i128) -> String) -> String {
    let change = costs.new.saturating_sub(costs.base);
    let by = signed(change, grouped(change));
    let share = share_of_base(change, costs.base);
    let Sides { base, new } = costs.map(shown);
    format!("{base} → {new}, {by}, {share}")
}

/// The rows of a table of parts, the costliest first: their names and their totals, one for each event.
///
/// Parts of the same thread with the same name, which the profiled program gave them, are one row.
/// There are no rows if all parts have the same thread and no name.
pub(crate) fn part_rows(profile: &Profile) -> Vec<(String, Vec<Cost>)> {
    let mut rows: IndexMap<_, Vec<Cost>> = IndexMap::default();
    for part in profile.parts() {
        let key = (part.header.name(), part.header.thread);
        let sums = rows.entry(key).or_default();
        sums.resize(sums.len().max(part.totals.len()), 0);
        for (sum, &cost) in sums.iter_mut().zip(part.totals) {
            *sum = sum.saturating_add(cost);
        }
    }
    if rows.len() < 2 && !rows.keys().any(|(name, _)| name.is_some()) {
        return Vec::new();
    }
    let mut rows: Vec<_> = rows.into_iter().collect();
    rows.sort_by_key(|(_, totals)| Reverse(totals.first().copied()));
    let rows = rows.into_iter().map(|((name, thread), totals)| {
        let name = name.map(printable);
        let thread = thread.map(|thread| format!("(thread {thread})"));
        let label: Vec<String> = name.into_iter().chain(thread).collect();
        match label[..] {
            [] => ("(unnamed)".to_owned(), totals),
            _ => (label.join(" "), totals),
        }
    });
    rows.collect()
}

/// The number of parts in the inputs.
pub(crate) fn part_count(profile: &Profile) -> u64 {
    profile.unlisted_parts() + profile.parts().len() as u64
}

/// The profiled command; of several, the first one and the number of others.
pub(crate) fn command(profile: &Profile) -> String {
    let mut commands = profile.commands();
    let Some(first) = commands.next() else {
        return "unknown".to_owned();
    };
    match commands.count() {
        0 => printable(first),
        count => format!("{} and {count} more", printable(first)),
    }
}

/// The note about costs and calls per run, with the numbers of runs.
pub(crate) fn per_run(runs: Sides<u64>) -> String {
    let Sides { base, new } = runs.map(|runs| counted(runs, "run"));
    format!("costs and calls are divided: by {base} in the base, {new} in the new profile")
}

/// A line of a heading.
pub(crate) fn fact(what: &str, text: &str) -> TextLine {
    TextLine::Plain(format!("{what:<11}{text}"))
}
