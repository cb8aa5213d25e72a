//! The functions of the report, or groups of functions: the costliest that fit.

use std::cmp::Reverse;

use super::table::{DataColumn, DataRow, cut, shown};
use crate::compare::{Side, Transition};
use crate::names::{SHORT, parted};
use crate::output::figures::report::Report;
use crate::output::{Names, Sort};

/// The most bytes of the text that says how a function was renamed or moved.
const MAX_BECAME: usize = 1_000;

/// The columns that [`with_costs`](DataRow::with_costs) fills: in a comparison which sides have it (1: base,
/// 2: new, 3: both), which inclusive costs are estimates (1: new, 2: base, 3: both), its calls and self
/// costs.
pub(super) const COSTS: [DataColumn; 4] = [
    DataColumn::Digit("sides"),
    DataColumn::Digit("estimated"),
    DataColumn::Count("calls"),
    DataColumn::Cost("self"),
];

/// The columns that [`with_inclusive`](DataRow::with_inclusive) and [`with_names`](DataRow::with_names) fill.
pub(super) const NAMES: [DataColumn; 4] = [
    DataColumn::Cost("inclusive"),
    DataColumn::Value("name"),
    DataColumn::Value("parts"),
    DataColumn::Value("became"),
];

/// All functions or groups, the costliest first, by their positions in a report. The first ones are shown:
/// there, a row's rank is its position.
pub(super) struct RankedRows {
    /// The positions, by rank.
    pub all: Vec<usize>,
    shown: usize,
    /// The ranks, by position.
    pub ranks: Vec<usize>,
}

impl RankedRows {
    /// Sorts all functions. None is shown before [`choose`](Self::choose).
    pub fn new(report: &Report<'_>) -> Self {
        let mut all: Vec<usize> = (0..report.len()).collect();
        all.sort_by_cached_key(|&position| {
            let functions = report.functions(position);
            let first = |side: Side| functions[side].first().copied();
            let (base, new) = (first(Side::Base), first(Side::New));
            (
                Reverse(report.share_of_row(position)),
                new.is_none(),
                new,
                base,
            )
        });
        let mut ranks = vec![0; all.len()];
        for (rank, &position) in all.iter().enumerate() {
            ranks[position] = rank;
        }
        RankedRows {
            all,
            shown: 0,
            ranks,
        }
    }

    /// Shows the costliest functions up to the first position that `add` has no room for.
    pub fn choose(&mut self, most: usize, add: impl FnMut(usize) -> bool) {
        let costliest = self.all.iter().take(most).copied();
        self.shown = costliest.map(add).take_while(|has_room| *has_room).count();
    }

    /// The position in the report of the one of a rank, if it is shown.
    pub fn place(&self, rank: usize) -> Option<usize> {
        (rank < self.shown).then_some(rank)
    }

    pub fn shown(&self) -> &[usize] {
        &self.all[..self.shown]
    }

    pub fn omitted(&self) -> &[usize] {
        &self.all[self.shown..]
    }
}

impl DataRow<'_> {
    /// Adds the values of the columns [`COSTS`] of a function or group.
    pub fn with_costs(self, report: &Report<'_>, position: usize) -> Self {
        let sums = report.sums(position);
        let sides = match report.comparison {
            Some(_) => u8::from(sums.base.is_some()) + 2 * u8::from(sums.new.is_some()),
            None => 0,
        };
        let estimated = sums.map(|sums| sums.is_some_and(|sums| sums.is_inclusive_estimated));
        self.number(sides)
            .number(u8::from(estimated.new) + 2 * u8::from(estimated.base))
            .counts(report.calls(position))
            .costs(&report.costs(position, Sort::SelfCost))
    }

    pub fn with_inclusive(self, report: &Report<'_>, position: usize) -> Self {
        self.costs(&report.costs(position, Sort::Inclusive))
    }

    /// Adds a name and its parts, as `names` returns them, and how the row was renamed or moved.
    pub fn with_names(self, report: &Report<'_>, position: usize, name: &[u8]) -> Self {
        let [name, parts] = names(name, report.options.names);
        let change = report
            .comparison
            .map(|comparison| comparison.function(position));
        let transition = change.and_then(|change| change.transition.as_ref());
        let transition = transition.map(Transition::to_string).unwrap_or_default();
        self.text(&name)
            .text(&parts)
            .text(&cut(transition, MAX_BECAME))
    }
}

/// The whole name (`???` if there is none), empty if lists do not shorten it, and the parts of the name in lists, by lines.
pub(super) fn names(name: &[u8], how: Names) -> [String; 2] {
    let name = match shown(name) {
        name if name.is_empty() => "???".to_owned(),
        name => name,
    };
    let short = how.of(&name, SHORT);
    let parts = parted(&short);
    [if short == name { String::new() } else { name }, parts]
}
