//! The functions of the report, as far as there is room for them.

use std::collections::HashSet;

use super::data::{BASE, Data, NEW, SIDES};
use super::table::{Number, Room, Row, Table, by_share, cut, position, shown, text_size};
use crate::compare::{Comparison, Transition};
use crate::names::{SHORT, parted, short_name};
use crate::output::Names;
use crate::profile::{FunctionId, Profile};

/// The most functions, so that their table stays fast.
const MAX_FUNCTIONS: usize = 20_000;

/// The longest text about what has become of a function.
const MAX_BECAME: usize = 1_000;

/// What is one function in the report.
pub(super) struct Function<'a> {
    object: &'a [u8],
    pub file: &'a [u8],
    pub name: &'a [u8],
    pub line: u64,
    /// What has become of it since the base, if there is something to say.
    became: Option<String>,
    /// What it is in the base and in the new profile.
    pub ids: [Vec<FunctionId>; 2],
}

/// The functions, and which of them are shown.
pub(super) struct Functions<'a> {
    pub all: Vec<Function<'a>>,
    /// For each side, which of all a function of its profile is.
    of: [Vec<usize>; 2],
    /// For each of all its position in the report, if it is there.
    places: Vec<Option<usize>>,
    /// Those that are shown, the costliest first.
    pub order: Vec<usize>,
    /// The bytes that are reserved for the sums of their calls that are left out.
    pub reserved: usize,
}

impl<'a> Functions<'a> {
    pub fn new(profile: &'a Profile, comparison: Option<&Comparison<'a>>) -> Self {
        let mut all: Vec<Function<'a>> = match comparison {
            None => profile
                .functions()
                .map(|(id, _)| Function::of(profile, [vec![], vec![id]]))
                .collect(),
            Some(comparison) => comparison
                .functions()
                .map(|change| {
                    let ids = change.functions().map(<[FunctionId]>::to_vec);
                    let profile = if ids[NEW].is_empty() {
                        comparison.base
                    } else {
                        profile
                    };
                    Function {
                        object: change.object,
                        file: change.file,
                        name: change.name,
                        became: change.transition.as_ref().map(Transition::to_string),
                        ..Function::of(profile, ids)
                    }
                })
                .collect(),
        };
        all.sort_by_key(|function| {
            let [base, new] = function.ids.each_ref().map(|ids| ids.first().copied());
            (new.is_none(), new, base)
        });
        let profiles = [comparison.map(|comparison| comparison.base), Some(profile)];
        let of = SIDES.map(|side| {
            let count = profiles[side].map_or(0, |profile| profile.functions().len());
            let mut of = vec![0; count];
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
            reserved: 0,
        }
    }

    /// Which of all a function of a side is.
    pub fn index(&self, side: usize, id: FunctionId) -> usize {
        self.of[side][id.index()]
    }

    /// The position of one of all, if it is shown.
    pub fn place(&self, index: usize) -> Option<usize> {
        self.places[index]
    }

    /// Those that are shown.
    pub fn shown(&self) -> impl Iterator<Item = &Function<'a>> {
        self.are_shown(true)
    }

    pub fn are_shown(&self, wanted: bool) -> impl Iterator<Item = &Function<'a>> {
        let all = self.all.iter().zip(&self.places);
        all.filter(move |(_, place)| place.is_some() == wanted)
            .map(|(function, _)| function)
    }
}

impl<'a> Function<'a> {
    /// What such functions are, of which the last side that has one says how it is called.
    fn of(profile: &'a Profile, ids: [Vec<FunctionId>; 2]) -> Self {
        let [base, new] = ids.each_ref().map(|ids| ids.last());
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
}

impl<'a> Data<'a, '_> {
    /// Chooses functions, the costliest first, and makes columns of them.
    pub fn functions(&mut self, room: &mut Room) -> Table {
        let shares: Vec<f64> = self
            .functions
            .all
            .iter()
            .map(|of| self.function_share(of))
            .collect();
        let sides = self.sides();
        let numbers = ["object", "file", "line", "calls", "base_calls", "sides"];
        let costs = ["self", "inclusive", "base_self", "base_inclusive"];
        let numbers = &numbers[..if sides.len() > 1 { 6 } else { 4 }];
        let mut table = Table::new(numbers, &costs[..2 * sides.len()], self.totals.len());
        let mut known = HashSet::new();
        let mut chosen = Vec::new();
        for index in by_share(&shares) {
            let of = &self.functions.all[index];
            let row = self.function_row(of);
            let texts = self.texts_of(of);
            let files = [of.object, of.file].map(|file| match known.contains(file) {
                true => 0,
                false => text_size(&shown(file)),
            });
            // What its calls cost that are left out has two rows, of which each costs no more.
            let rest = 2 * (table.size(&row) + 20);
            let size = table.size(&row)
                + texts
                    .iter()
                    .take(1 + sides.len())
                    .map(|text| text_size(text))
                    .sum::<usize>();
            if chosen.len() == MAX_FUNCTIONS
                || !room.take(size + rest + files.iter().sum::<usize>())
            {
                break;
            }
            known.extend([of.object, of.file]);
            self.functions.reserved += rest;
            chosen.push((index, row, texts));
        }
        let indices = chosen.iter().map(|&(index, ..)| index);
        let mut order: Vec<usize> = indices.collect();
        chosen.sort_by_key(|&(index, ..)| index);
        let mut texts = [Vec::new(), Vec::new(), Vec::new()];
        for (place, (index, mut row, own)) in chosen.into_iter().enumerate() {
            let (object, file) = (
                self.functions.all[index].object,
                self.functions.all[index].file,
            );
            row.numbers[0] = position(self.file(object));
            row.numbers[1] = position(self.file(file));
            table.push(&row);
            for (column, text) in texts.iter_mut().zip(own) {
                column.push(text);
            }
            self.functions.places[index] = Some(place);
        }
        order
            .iter_mut()
            .for_each(|index| *index = self.functions.places[*index].unwrap_or(0));
        self.functions.order = order;
        let columns = ["name", "parts", "became"].into_iter().zip(texts);
        table.texts = columns.take(sides.len() + 1).collect();
        table
    }

    /// The largest share that a function has of anything, on either side.
    fn function_share(&self, of: &Function<'_>) -> f64 {
        let shares = self.sides().into_iter().flat_map(|side| {
            let profile = self.profile(side);
            of.ids[side].iter().flat_map(move |&id| {
                let costs = [profile.inclusive_costs(id), profile.self_costs(id)];
                costs.map(|costs| self.share(side, costs))
            })
        });
        shares.fold(0.0, f64::max)
    }

    /// The numbers of a function; those of its names have to be added.
    fn function_row(&self, of: &Function<'_>) -> Row {
        let calls = SIDES.map(|side| Number(self.invocations(side, of)));
        let is_there = SIDES.map(|side| i128::from(!of.ids[side].is_empty()));
        // As wide as a position can be.
        let file = position(99_999);
        let numbers = [
            file,
            file,
            of.line.into(),
            calls[NEW],
            calls[BASE],
            Number(is_there[BASE] + 2 * is_there[NEW]),
        ];
        let sides = self.sides().into_iter().rev();
        let costs = sides.flat_map(|side| {
            [Profile::self_costs, Profile::inclusive_costs].map(|which| {
                let costs = self.summed(side, &of.ids[side], which);
                self.per_run(side, costs)
            })
        });
        Row {
            numbers: numbers[..if self.compared.is_some() { 6 } else { 4 }].to_vec(),
            costs: costs.collect(),
        }
    }

    /// How often a function was called on a side.
    pub fn invocations(&self, side: usize, of: &Function<'_>) -> i128 {
        let ids = of.ids[side].iter();
        ids.map(|&id| i128::from(self.profile(side).function(id).invocations))
            .sum()
    }

    /// The name of a function where lists cut it, the parts of what lists show, and what has become of
    /// it.
    fn texts_of(&self, of: &Function<'_>) -> [String; 3] {
        let [name, parts] = names(of.name, self.options.names);
        let became = of.became.as_deref().unwrap_or_default();
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
