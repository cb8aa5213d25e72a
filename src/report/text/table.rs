//! The table of functions: its columns, and how they share the width there is.

use super::figures::{grouped, percent};
use super::names::{pad, shorten_name, shorten_path, width_of};
use crate::profile::{Cost, Function, FunctionId, Profile};
use crate::text::printable;

/// Headings of the figures, which stand at the right of their columns.
const FIGURES: [&str; 5] = ["self %", "self", "incl %", "inclusive", "calls"];

/// Headings of the names, which stand at the left.
const NAMES: [&str; 2] = ["function", "file:line"];

/// What stands between columns.
const GAP: &str = "  ";

/// Without a width to keep to, names that are longer push their places aside: one name of hundreds
/// of columns must not push away all.
const ALIGNED_NAME: usize = 60;

/// Where there is not this much room for both, names have it all: cut further, neither says much.
const LEAST_NAME: usize = 30;
const LEAST_PLACE: usize = 20;

/// Rows in the order in which they are shown.
pub(super) struct Table {
    rows: Vec<Row>,
}

struct Row {
    figures: [String; FIGURES.len()],
    name: String,
    place: Place,
}

/// File and line; for a function without a file, the name of its object.
struct Place {
    path: String,
    /// What is kept whatever is cut: `:12`.
    line: String,
}

/// How wide the columns of names are; none: that column is left out.
struct Widths {
    name: usize,
    place: Option<usize>,
}

impl Table {
    /// The figures of these functions.
    pub fn new(profile: &Profile, total: Cost, functions: &[FunctionId]) -> Self {
        let row = |&id| {
            let function = profile.function(id);
            Row {
                figures: [
                    percent(function.self_cost, total),
                    grouped(function.self_cost),
                    percent(function.inclusive, total),
                    grouped(function.inclusive),
                    grouped(function.invocations),
                ],
                name: printable(profile.name(function.name)),
                place: Place::of(profile, function),
            }
        };
        Table {
            rows: functions.iter().map(row).collect(),
        }
    }

    /// The headings and rows as lines, cut to a width if there is one.
    pub fn lines(&self, width: Option<usize>) -> Vec<String> {
        let figures = self.figure_widths();
        let taken: usize = figures.iter().map(|width| width + GAP.len()).sum();
        let room = width.map(|width| width.saturating_sub(taken));
        let widths = self.name_widths(room);
        let headings = line(&figures, &FIGURES, &widths, NAMES.map(str::to_owned));
        let rows = self.rows.iter().map(|row| {
            let names = match room {
                Some(_) => row.cut_names(&widths),
                None => row.names(),
            };
            line(&figures, &row.figures, &widths, names)
        });
        std::iter::once(headings).chain(rows).collect()
    }

    fn figure_widths(&self) -> [usize; FIGURES.len()] {
        std::array::from_fn(|column| {
            let figures = self.rows.iter().map(|row| row.figures[column].len());
            figures.fold(FIGURES[column].len(), usize::max)
        })
    }

    /// Shares `room` out between names and places.
    fn name_widths(&self, room: Option<usize>) -> Widths {
        let names = self.rows.iter().map(|row| width_of(&row.name));
        let name = names.fold(NAMES[0].len(), usize::max);
        let places = self.rows.iter().map(|row| row.place.width());
        let place = places.fold(NAMES[1].len(), usize::max);
        let Some(room) = room else {
            return Widths {
                name: name.min(ALIGNED_NAME),
                place: Some(place),
            };
        };
        if room < LEAST_NAME.min(name) + GAP.len() + LEAST_PLACE.min(place) {
            let name = room;
            return Widths { name, place: None };
        }
        // Three fifths for names, unless the others need less than their share.
        let both = room - GAP.len();
        let name = name.min((both * 3 / 5).max(both.saturating_sub(place)));
        Widths {
            name,
            place: Some(place.min(both - name)),
        }
    }
}

impl Row {
    fn names(&self) -> [String; 2] {
        [
            self.name.clone(),
            self.place.path.clone() + &self.place.line,
        ]
    }

    fn cut_names(&self, widths: &Widths) -> [String; 2] {
        let place = widths.place.map(|width| self.place.cut(width));
        let name = shorten_name(&self.name, widths.name);
        [name, place.unwrap_or_default()]
    }
}

impl Place {
    fn of(profile: &Profile, function: &Function) -> Self {
        let file = profile.name(function.file);
        let object = profile.name(function.object);
        if matches!(file, b"" | b"???") && !object.is_empty() {
            let object = object.rsplit(|&byte| byte == b'/').next().unwrap_or(object);
            let path = format!("[{}]", printable(object));
            let line = String::new();
            return Place { path, line };
        }
        let line = match function.line {
            line if line > 0 && !file.is_empty() => format!(":{line}"),
            _ => String::new(),
        };
        Place {
            path: printable(file),
            line,
        }
    }

    fn width(&self) -> usize {
        width_of(&self.path) + self.line.len()
    }

    fn cut(&self, width: usize) -> String {
        let path = shorten_path(&self.path, width.saturating_sub(self.line.len()));
        path + &self.line
    }
}

fn line(
    figure_widths: &[usize],
    figures: &[impl AsRef<str>],
    name_widths: &Widths,
    [name, place]: [String; 2],
) -> String {
    let mut line = String::new();
    for (figure, &width) in figures.iter().zip(figure_widths) {
        line += &format!("{:>width$}{GAP}", figure.as_ref());
    }
    match name_widths.place {
        Some(_) => line += &(pad(name, name_widths.name) + GAP + &place),
        None => line += &name,
    }
    line.truncate(line.trim_end().len());
    line
}
