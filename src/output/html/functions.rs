//! The functions of the report, or groups of functions: the costliest that fit.

use std::cmp::Reverse;

use super::costs::{AllCosts, Share};
use super::table::{Column, Row, cut, shown};
use crate::compare::{Side, Sides, Transition};
use crate::names::{SHORT, parted, short_name};
use crate::output::Names;
use crate::profile::FunctionId;

/// The most bytes of the text that says how a function was renamed or moved.
const MAX_BECAME: usize = 1_000;

/// The columns that [`FunctionRow::row`] fills: in a comparison which sides have it (1: base,
/// 2: new, 3: both), which
/// inclusive costs are estimates (1: new, 2: base, 3: both), its calls and self costs.
pub(super) const COSTS: [Column; 4] = [
    Column::Digit("sides"),
    Column::Digit("estimated"),
    Column::Count("calls"),
    Column::Cost("self"),
];

/// The columns that [`FunctionRow::add_inclusive`] and [`FunctionRow::add_names`] fill.
pub(super) const NAMES: [Column; 4] = [
    Column::Cost("inclusive"),
    Column::Value("name"),
    Column::Value("parts"),
    Column::Value("became"),
];

/// A row of the report: the functions of both sides that it shows as one, or a group.
pub(super) struct FunctionRow<'a> {
    pub object: &'a [u8],
    pub file: &'a [u8],
    pub name: &'a [u8],
    pub line: u64,
    /// How it was renamed or moved since the base.
    transition: Option<&'a Transition>,
    /// The function with this name and location.
    pub first: Option<(Side, FunctionId)>,
    /// Its functions in the profile of each side.
    pub ids: Sides<Vec<FunctionId>>,
}

/// All functions or groups, the costliest first. The first ones are shown, and their positions in the
/// report are those in `all`.
pub(super) struct Functions<'a> {
    pub all: Vec<FunctionRow<'a>>,
    shown: usize,
    /// For each side, the position in `all` of each function of its profile.
    of: Sides<Vec<usize>>,
}

impl<'a> Functions<'a> {
    /// Sorts all functions. None is shown before [`choose`](Self::choose).
    pub fn new(costs: &AllCosts<'a>) -> Self {
        let mut all: Vec<FunctionRow<'a>> = match costs.comparison {
            None => {
                let functions = costs.views.new.functions();
                let ids = functions.map(|(id, _)| Sides {
                    base: Vec::new(),
                    new: vec![id],
                });
                ids.map(|ids| FunctionRow::of(costs, ids)).collect()
            }
            Some(comparison) => {
                let rows = comparison.functions().map(|change| FunctionRow {
                    name: comparison.names_of(change)[2],
                    transition: change.transition.as_ref(),
                    ..FunctionRow::of(costs, change.functions.clone())
                });
                rows.collect()
            }
        };
        all.sort_by_cached_key(|function| {
            let Sides { base, new } = function.ids.as_ref().map(|ids| ids.first().copied());
            (Reverse(function.share(costs)), new.is_none(), new, base)
        });
        let of = Sides::EACH.map(|side| {
            let mut of = vec![0; costs.views[side].functions().len()];
            for (at, function) in all.iter().enumerate() {
                function.ids[side].iter().for_each(|id| of[id.index()] = at);
            }
            of
        });
        Functions { all, shown: 0, of }
    }

    /// Shows the costliest functions up to the first one that `add` has no room for.
    pub fn choose(&mut self, most: usize, add: impl FnMut(&FunctionRow<'a>) -> bool) {
        let costliest = self.all.iter().take(most);
        self.shown = costliest.map(add).take_while(|has_room| *has_room).count();
    }

    /// The position in `all` of a function of a side.
    pub fn index(&self, side: Side, id: FunctionId) -> usize {
        self.of[side][id.index()]
    }

    /// The position in the report of one of `all`, if it is shown.
    pub fn place(&self, index: usize) -> Option<usize> {
        (index < self.shown).then_some(index)
    }

    pub fn shown(&self) -> &[FunctionRow<'a>] {
        &self.all[..self.shown]
    }

    pub fn omitted(&self) -> &[FunctionRow<'a>] {
        &self.all[self.shown..]
    }
}

impl<'a> FunctionRow<'a> {
    /// A row of functions, which has the name and location of the first one by object, file and name, on
    /// the new side if there is one.
    fn of(costs: &AllCosts<'a>, ids: Sides<Vec<FunctionId>>) -> Self {
        let side = if ids.new.is_empty() {
            Side::Base
        } else {
            Side::New
        };
        let view = costs.views[side];
        let texts = |id: FunctionId| view.names_of(id);
        let first = ids[side].iter().copied().min_by_key(|&id| texts(id));
        let [object, file, name] = first.map_or([&b""[..]; 3], texts);
        FunctionRow {
            object,
            file,
            name,
            line: first.map_or(0, |id| view.function(id).line),
            transition: None,
            first: first.map(|id| (side, id)),
            ids,
        }
    }

    /// Its largest share of the total of an event, on either side.
    fn share(&self, costs: &AllCosts<'_>) -> Share {
        let shares = costs.sums(&self.ids).map(|sums| costs.share(&sums.costs));
        shares[0].max(shares[1])
    }

    /// The values of the columns [`COSTS`].
    pub fn row(&self, costs: &AllCosts<'_>) -> Row {
        let is_there = self.ids.as_ref().map(|ids| u8::from(!ids.is_empty()));
        let sides = match costs.comparison {
            Some(_) => is_there.base + 2 * is_there.new,
            None => 0,
        };
        let is_estimated = Sides::EACH.map(|side| {
            let mut ids = self.ids[side].iter();
            u8::from(ids.any(|&id| costs.views[side].is_inclusive_estimated(id)))
        });
        let [own, _] = costs.sums(&self.ids);
        let row = costs.row().number(sides);
        let row = row.number(is_estimated.new + 2 * is_estimated.base);
        row.counts(own.counts).costs(&costs.per_run(&own.costs))
    }

    pub fn add_inclusive(&self, row: Row, costs: &AllCosts<'_>) -> Row {
        let [_, inclusive] = costs.sums(&self.ids);
        row.costs(&costs.per_run(&inclusive.costs))
    }

    /// Adds its name and the parts of its name, as `names` returns them, and how it was renamed or moved.
    pub fn add_names(&self, row: Row, names: Names) -> Row {
        let [name, parts] = self::names(self.name, names);
        let transition = self
            .transition
            .map(Transition::to_string)
            .unwrap_or_default();
        row.text(&name)
            .text(&parts)
            .text(&cut(transition, MAX_BECAME))
    }
}

/// The whole name, empty if lists do not shorten it, and the parts of the name in lists, by lines.
pub(super) fn names(name: &[u8], how: Names) -> [String; 2] {
    let name = shown(name);
    let short = match how {
        Names::Full => name.clone(),
        _ => short_name(&name, SHORT),
    };
    let parts = parted(&short);
    [if short == name { String::new() } else { name }, parts]
}
