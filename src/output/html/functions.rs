//! The functions of the report, or groups of them, as far as there is room.

use indexmap::IndexSet;

use super::costs::Costs;
use super::table::{Number, Room, Row, Table, by_share, cut, position, shown, text_size};
use crate::compare::{Side, Sides, Transition};
use crate::names::{SHORT, parted, short_name};
use crate::output::Names;
use crate::profile::{FunctionId, Profile};

/// The most functions, so that their table stays fast.
const MAX_FUNCTIONS: usize = 20_000;

/// The longest text about what has become of a function.
const MAX_BECAME: usize = 1_000;

/// The digits that say which inclusive costs are estimates.
const ESTIMATED: &str = "estimated";

/// What is one function in the report, or one group.
pub(super) struct Function<'a> {
    pub object: &'a [u8],
    pub file: &'a [u8],
    pub name: &'a [u8],
    pub line: u64,
    /// What has become of it since the base, if there is something to say.
    became: Option<String>,
    /// What it is in the base and in the new profile.
    pub ids: Sides<Vec<FunctionId>>,
}

/// The functions, and which of them are shown.
pub(super) struct Functions<'a> {
    pub all: Vec<Function<'a>>,
    /// For each side, which of all a function of its profile is.
    of: Sides<Vec<usize>>,
    /// For each of all its position in the report, if it is there.
    places: Vec<Option<usize>>,
    /// The positions of those that are shown, the costliest first.
    pub order: Vec<usize>,
}

/// The names of files, as functions and lines refer to them.
#[derive(Default)]
pub(super) struct Files<'a> {
    pub names: IndexSet<&'a [u8]>,
}

impl<'a> Files<'a> {
    /// The place of the name of a file.
    pub fn place(&mut self, file: &'a [u8]) -> usize {
        self.names.insert_full(file).0
    }

    /// How many bytes the name of a file takes that is not there yet.
    pub fn size(&self, file: &[u8]) -> usize {
        match self.names.contains(file) {
            true => 0,
            // And its position, if it has no address.
            false => text_size(&shown(file)) + 6,
        }
    }

    /// The name at a place.
    pub fn name(&self, place: usize) -> &'a [u8] {
        self.names.get_index(place).copied().unwrap_or_default()
    }
}

impl<'a> Functions<'a> {
    pub fn new(costs: &Costs<'a>) -> Self {
        let mut all: Vec<Function<'a>> = match costs.comparison {
            None => costs
                .new
                .functions()
                .map(|(id, _)| {
                    let base = Vec::new();
                    Function::of(
                        costs.new,
                        Sides {
                            base,
                            new: vec![id],
                        },
                    )
                })
                .collect(),
            Some(comparison) => comparison
                .functions()
                .map(|change| {
                    let ids = change.functions.clone();
                    let side = if ids.new.is_empty() {
                        Side::Base
                    } else {
                        Side::New
                    };
                    Function {
                        object: change.object,
                        file: change.file,
                        name: change.name,
                        became: change.transition.as_ref().map(Transition::to_string),
                        ..Function::of(costs.profile(side), ids)
                    }
                })
                .collect(),
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

    /// Which of all a function of a side is.
    pub fn index(&self, side: Side, id: FunctionId) -> usize {
        self.of[side][id.index()]
    }

    /// The position of one of all, if it is shown.
    pub fn place(&self, index: usize) -> Option<usize> {
        self.places[index]
    }

    /// Those that are shown, or those that are not.
    pub fn are_shown(&self, wanted: bool) -> impl Iterator<Item = &Function<'a>> {
        let all = self.all.iter().zip(&self.places);
        all.filter(move |(_, place)| place.is_some() == wanted)
            .map(|(function, _)| function)
    }

    /// Chooses the costliest, and makes columns of them: those of functions have `files`. Of each row,
    /// `reserved` gets the size of so many others.
    pub fn table(
        &mut self,
        costs: &Costs<'a>,
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
        let columns = &columns[..2 * sides];
        let mut table = Table::new(&[numbers, places].concat(), columns, costs.totals.len());
        let shares = self.all.iter().map(|of| of.share(costs));
        let mut chosen = Vec::new();
        for index in by_share(&shares.collect::<Vec<_>>()) {
            let of = &self.all[index];
            let texts = of.texts(names);
            let mut row = of.row(costs);
            let mut size = texts[..=sides].iter().map(|text| text_size(text)).sum();
            if let Some(files) = &mut files {
                size += files.size(of.object) + files.size(of.file);
                // As wide as a position can be.
                let file = position(99_999);
                row.numbers.extend([file, file, of.line.into()]);
                // What its calls cost that are left out has two rows, of which each costs no more.
                size += 2 * (table.size(&row) + 20);
            }
            // And a digit.
            size += table.size(&row) + 1;
            if chosen.len() == MAX_FUNCTIONS || !room.take(size) {
                break;
            }
            if let Some(files) = &mut files {
                *reserved += 2 * (table.size(&row) + 20);
                let at = row.numbers.len() - places.len();
                row.numbers[at] = position(files.place(of.object));
                row.numbers[at + 1] = position(files.place(of.file));
            }
            chosen.push((index, row, texts));
        }
        let indices = chosen.iter().map(|&(index, ..)| index);
        let by_cost: Vec<usize> = indices.collect();
        chosen.sort_by_key(|&(index, ..)| index);
        let mut texts = [Vec::new(), Vec::new(), Vec::new()];
        table.digits.insert(ESTIMATED, String::new());
        for (place, (index, row, own)) in chosen.into_iter().enumerate() {
            table.push(&row);
            for (column, text) in texts.iter_mut().zip(own) {
                column.push(text);
            }
            table.push_digit(ESTIMATED, self.all[index].estimates(costs));
            self.places[index] = Some(place);
        }
        let places = by_cost.into_iter().filter_map(|index| self.places[index]);
        self.order = places.collect();
        let columns = ["name", "parts", "became"].into_iter().zip(texts);
        table.texts = columns.take(sides + 1).collect();
        table
    }
}

impl<'a> Function<'a> {
    /// What such functions are, of which the last side that has one says how it is called.
    fn of(profile: &'a Profile, ids: Sides<Vec<FunctionId>>) -> Self {
        let Sides { base, new } = ids.as_ref().map(|ids| ids.last());
        let function = new.or(base).map(|&id| profile.function(id));
        let name = |name| profile.name(name);
        Function {
            object: function.map_or(b"", |function| name(function.object)),
            file: function.map_or(b"", |function| name(function.file)),
            name: function.map_or(b"", |function| name(function.name)),
            line: function.map_or(0, |function| function.line),
            became: None,
            ids,
        }
    }

    /// The largest share that it has of anything, on either side.
    fn share(&self, costs: &Costs<'_>) -> f64 {
        let shares = costs.sides().iter().flat_map(|&side| {
            let ids = &self.ids[side];
            [costs.own(side, ids), costs.inclusive(side, ids)].map(|row| costs.share(&row))
        });
        shares.fold(0.0, f64::max)
    }

    /// Its calls and costs, and on which sides it is.
    fn row(&self, costs: &Costs<'_>) -> Row {
        let Sides { base, new } =
            Sides::EACH.map(|side| Number(costs.invocations(side, &self.ids[side])));
        let is_there = Sides::EACH.map(|side| i128::from(!self.ids[side].is_empty()));
        let sides = Number(is_there.base + 2 * is_there.new);
        let numbers = match costs.comparison {
            Some(_) => vec![new, base, sides],
            None => vec![new],
        };
        let rows = costs.sides().iter().rev().flat_map(|&side| {
            let ids = &self.ids[side];
            [costs.own(side, ids), costs.inclusive(side, ids)].map(|row| costs.per_run(side, row))
        });
        Row {
            numbers,
            costs: rows.collect(),
        }
    }

    /// Which inclusive costs are estimates: 1 stands for the new one, 2 for that of the base, 3 for both.
    fn estimates(&self, costs: &Costs<'_>) -> u8 {
        let Sides { base, new } = Sides::EACH.map(|side| {
            let mut ids = self.ids[side].iter();
            u8::from(ids.any(|&id| costs.profile(side).is_inclusive_estimated(id)))
        });
        new + 2 * base
    }

    /// The name where lists cut it, the parts of what lists show, and what has become of it.
    fn texts(&self, names: Names) -> [String; 3] {
        let [name, parts] = self::names(self.name, names);
        let became = self.became.as_deref().unwrap_or_default();
        [name, parts, cut(became.to_owned(), MAX_BECAME)]
    }
}

/// A name as it is shown in full, empty where lists do not cut it, and the parts of what these show.
pub(super) fn names(name: &[u8], how: Names) -> [String; 2] {
    let name = shown(name);
    let short = match how {
        Names::Full => name.clone(),
        _ => short_name(&name, SHORT),
    };
    let parts = parted(&short);
    [if short == name { String::new() } else { name }, parts]
}
