//! The functions of the report, or groups of functions: the costliest that fit.

use indexmap::IndexSet;

use super::costs::SideCosts;
use super::table::{Room, Table, TableRow, WholeNumber, by_share, cut, position, shown, text_size};
use crate::compare::{Side, Sides, Transition};
use crate::names::{SHORT, parted, short_name};
use crate::output::Names;
use crate::profile::FunctionId;

/// The most functions in a report: the browser has to sort and search them at once.
const MAX_FUNCTIONS: usize = 20_000;

/// The most bytes of the text that says how a function was renamed or moved.
const MAX_BECAME: usize = 1_000;

/// The column that marks inclusive costs as estimates.
pub(super) const ESTIMATED: &str = "estimated";

/// A row of the report: the functions of both sides that it shows as one, or a group.
pub(super) struct FunctionRow<'a> {
    pub object: &'a [u8],
    pub file: &'a [u8],
    pub name: &'a [u8],
    pub line: u64,
    /// How it was renamed or moved since the base.
    became: Option<String>,
    /// The function with this name and location.
    pub first: Option<(Side, FunctionId)>,
    /// Its functions in the profile of each side.
    pub ids: Sides<Vec<FunctionId>>,
}

/// All functions or groups, and the positions of those that are shown.
pub(super) struct Functions<'a> {
    pub all: Vec<FunctionRow<'a>>,
    /// For each side, the index in `all` of each function of its profile.
    of: Sides<Vec<usize>>,
    /// For each of `all`, its position in the report if it is shown.
    places: Vec<Option<usize>>,
    /// The positions in the report, the costliest first.
    pub order: Vec<usize>,
}

/// The names of files, to which functions and lines refer by position.
#[derive(Default)]
pub(super) struct Files<'a> {
    pub names: IndexSet<&'a [u8]>,
}

impl<'a> Files<'a> {
    /// The position of a name, which is added if it is new.
    pub fn place(&mut self, file: &'a [u8]) -> usize {
        self.names.insert_full(file).0
    }

    /// The bytes that a name takes if it is new.
    pub fn size(&self, file: &[u8]) -> usize {
        match self.names.contains(file) {
            true => 0,
            // Six more for its position, in case that it is outside of the source root.
            false => text_size(&shown(file)) + 6,
        }
    }

    /// The name at a position.
    pub fn name(&self, place: usize) -> &'a [u8] {
        self.names.get_index(place).copied().unwrap_or_default()
    }
}

impl<'a> Functions<'a> {
    pub fn new(costs: &SideCosts<'a>) -> Self {
        let mut all: Vec<FunctionRow<'a>> = match costs.comparison {
            None => {
                let functions = costs.new.functions();
                let ids = functions.map(|(id, _)| Sides {
                    base: Vec::new(),
                    new: vec![id],
                });
                ids.map(|ids| FunctionRow::of(costs, ids)).collect()
            }
            Some(comparison) => {
                let rows = comparison.functions().map(|change| FunctionRow {
                    name: change.name,
                    became: change.transition.as_ref().map(Transition::to_string),
                    ..FunctionRow::of(costs, change.functions.clone())
                });
                rows.collect()
            }
        };
        all.sort_by_key(|function| {
            let Sides { base, new } = function.ids.as_ref().map(|ids| ids.first().copied());
            (new.is_none(), new, base)
        });
        let of = Sides::EACH.map(|side| {
            let mut of = vec![0; costs.profile(side).functions().len()];
            for (at, function) in all.iter().enumerate() {
                function.ids[side].iter().for_each(|id| of[id.index()] = at);
            }
            of
        });
        Functions {
            places: vec![None; all.len()],
            all,
            of,
            order: Vec::new(),
        }
    }

    /// The index in `all` of a function of a side.
    pub fn index(&self, side: Side, id: FunctionId) -> usize {
        self.of[side][id.index()]
    }

    /// The position in the report of one of `all`, if it is shown.
    pub fn place(&self, index: usize) -> Option<usize> {
        self.places[index]
    }

    /// Those that are shown, or those that were omitted.
    pub fn are_shown(&self, wanted: bool) -> impl Iterator<Item = &FunctionRow<'a>> {
        let all = self.all.iter().zip(&self.places);
        all.filter(move |(_, place)| place.is_some() == wanted)
            .map(|(function, _)| function)
    }

    /// Chooses the costliest that fit, and makes a table of them. Functions have `files`, and `reserved`
    /// grows by the bytes that the sums of their omitted calls may take; groups have neither.
    pub fn table(
        &mut self,
        costs: &SideCosts<'a>,
        names: Names,
        room: &mut Room,
        mut files: Option<&mut Files<'a>>,
        reserved: &mut usize,
    ) -> Table {
        let sides = costs.sides().len();
        let numbers = ["calls", "base_calls", "sides"];
        let numbers = &numbers[..if sides > 1 { 3 } else { 1 }];
        let places = ["object", "file", "line"];
        let places = files.as_ref().map_or(&[][..], |_| &places);
        let columns = ["self", "inclusive", "base_self", "base_inclusive"];
        let table = costs.table(&[numbers, places].concat(), &columns);
        let mut table = table.with_digits(ESTIMATED);
        let shares: Vec<f64> = self.all.iter().map(|of| of.share(costs)).collect();
        let mut chosen = Vec::new();
        for index in by_share(&shares).into_iter().take(MAX_FUNCTIONS) {
            let of = &self.all[index];
            let texts = of.texts(names);
            let mut row = of.row(costs);
            let mut size: usize = texts[..=sides].iter().map(|text| text_size(text)).sum();
            let mut size_of_sums = 0;
            if let Some(files) = &mut files {
                size += files.size(of.object) + files.size(of.file);
                let places = [of.object, of.file].map(|file| position(files.place(file)));
                row.numbers.extend(places);
                row.numbers.push(of.line.into());
                // The sums of omitted calls to and from it take two rows, neither of which costs more.
                size_of_sums = 2 * (table.size(&row) + 20);
            }
            if !room.take(size + table.size(&row) + size_of_sums) {
                break;
            }
            *reserved += size_of_sums;
            chosen.push((index, row, texts));
        }
        let indices = chosen.iter().map(|&(index, ..)| index);
        let by_cost: Vec<usize> = indices.collect();
        chosen.sort_by_key(|&(index, ..)| index);
        let mut texts = [Vec::new(), Vec::new(), Vec::new()];
        for (place, (index, row, own)) in chosen.into_iter().enumerate() {
            table.push(&row);
            for (column, text) in texts.iter_mut().zip(own) {
                column.push(text);
            }
            self.places[index] = Some(place);
        }
        let places = by_cost.into_iter().filter_map(|index| self.places[index]);
        self.order = places.collect();
        let columns = ["name", "parts", "became"].into_iter().zip(texts);
        table.texts = columns.take(sides + 1).collect();
        table
    }
}

impl<'a> FunctionRow<'a> {
    /// A row of functions, which has the name and location of the first one by object, file and name, on
    /// the new side if there is one.
    fn of(costs: &SideCosts<'a>, ids: Sides<Vec<FunctionId>>) -> Self {
        let side = if ids.new.is_empty() {
            Side::Base
        } else {
            Side::New
        };
        let profile = costs.profile(side);
        let first = ids[side].iter().min_by_key(|&&id| {
            let of = profile.function(id);
            [of.object, of.file, of.name].map(|name| profile.name(name))
        });
        let function = first.map(|&id| profile.function(id));
        let text = |name: Option<_>| name.map_or(&b""[..], |name| profile.name(name));
        FunctionRow {
            object: text(function.map(|function| function.object)),
            file: text(function.map(|function| function.file)),
            name: text(function.map(|function| function.name)),
            line: function.map_or(0, |function| function.line),
            became: None,
            first: first.map(|&id| (side, id)),
            ids,
        }
    }

    /// Its largest share of the total of an event, on either side.
    fn share(&self, costs: &SideCosts<'_>) -> f64 {
        let shares = costs.sides().iter().flat_map(|&side| {
            let ids = &self.ids[side];
            [costs.own(side, ids), costs.inclusive(side, ids)].map(|row| costs.share(&row))
        });
        shares.fold(0.0, f64::max)
    }

    /// Its calls and costs, and which of these are estimates; in a comparison also which sides have it
    /// (1: base, 2: new, 3: both).
    fn row(&self, costs: &SideCosts<'_>) -> TableRow {
        let Sides { base, new } =
            Sides::EACH.map(|side| WholeNumber(costs.invocations(side, &self.ids[side])));
        let is_there = Sides::EACH.map(|side| i128::from(!self.ids[side].is_empty()));
        let sides = WholeNumber(is_there.base + 2 * is_there.new);
        let numbers = match costs.comparison {
            Some(_) => vec![new, base, sides],
            None => vec![new],
        };
        let rows = costs.sides().iter().rev().flat_map(|&side| {
            let ids = &self.ids[side];
            [costs.own(side, ids), costs.inclusive(side, ids)].map(|row| costs.per_run(side, row))
        });
        TableRow {
            numbers,
            costs: rows.collect(),
            digit: self.estimates(costs),
        }
    }

    /// Which inclusive costs are estimates (1: new, 2: base, 3: both).
    fn estimates(&self, costs: &SideCosts<'_>) -> u8 {
        let Sides { base, new } = Sides::EACH.map(|side| {
            let mut ids = self.ids[side].iter();
            u8::from(ids.any(|&id| costs.profile(side).is_inclusive_estimated(id)))
        });
        new + 2 * base
    }

    /// Its name and the parts of its name, as `names` returns them, and how it was renamed or moved.
    fn texts(&self, names: Names) -> [String; 3] {
        let [name, parts] = self::names(self.name, names);
        let became = self.became.as_deref().unwrap_or_default();
        [name, parts, cut(became.to_owned(), MAX_BECAME)]
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
