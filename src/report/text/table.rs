//! A table: figures, then names and places, which share the remaining width.

use super::Options;
use crate::shown::names::{pad, short_names, shorten_path, width_of};
use crate::shown::text::printable;

/// What stands between columns.
pub(in crate::report) const GAP: &str = "  ";

/// Without a given width, only longer names push their places to the right: one name of hundreds of
/// columns must not move all places.
pub(super) const ALIGNED_NAME: usize = 60;

/// If there is less room than this for both, names get all of it: cut further, neither would be
/// useful.
const LEAST_NAME: usize = 30;
const LEAST_PLACE: usize = 20;

/// Rows in the order in which they are shown.
pub(super) struct Table {
    /// Headings of the figures, which stand at the right of their columns.
    pub figures: Vec<String>,
    /// Headings of names and places, which stand at the left.
    pub names: [&'static str; 2],
    pub rows: Vec<Row>,
    /// Names up to this width have their places below each other, where no width is to be kept to.
    pub aligned_name: usize,
}

pub(super) struct Row {
    /// As many as there are headings of figures.
    pub figures: Vec<String>,
    /// What the row is about, printable.
    pub name: String,
    pub place: Place,
}

/// Where something is, all printable.
pub(super) enum Place {
    /// A file, and what is kept of it whatever is cut: `:12`.
    File { path: String, line: String },
    /// The object of a function whose file is unknown.
    Object(String),
}

/// How wide the columns of names are; none: that column is left out.
struct Widths {
    name: usize,
    place: Option<usize>,
}

impl Table {
    /// The headings and rows as lines, cut to a width if there is one.
    pub fn lines(mut self, options: &Options) -> Vec<String> {
        if let Some(width) = options.name_width() {
            self.shorten_names(width);
        }
        let figures = self.figure_widths();
        let taken: usize = figures.iter().map(|width| width + GAP.len()).sum();
        let room = options.room().map(|width| width.saturating_sub(taken));
        let widths = self.name_widths(room);
        let names = self.names.map(str::to_owned);
        let headings = line(&figures, &self.figures, &widths, names);
        if room.is_some() {
            self.shorten_names(widths.name);
        }
        let rows = self.rows.into_iter().map(|row| {
            let place = match (room, widths.place) {
                (Some(_), place) => place.map(|width| row.place.cut(width)).unwrap_or_default(),
                (None, _) => row.place.in_full(),
            };
            line(&figures, &row.figures, &widths, [row.name, place])
        });
        std::iter::once(headings).chain(rows).collect()
    }

    fn shorten_names(&mut self, width: usize) {
        let names: Vec<_> = self.rows.iter().map(|row| row.name.as_str()).collect();
        let names = short_names(&names, width);
        for (row, name) in self.rows.iter_mut().zip(names) {
            row.name = name;
        }
    }

    /// How wide the first column is.
    pub fn first_figure_width(&self) -> usize {
        self.figure_widths().first().copied().unwrap_or(0)
    }

    fn figure_widths(&self) -> Vec<usize> {
        let headings = self.figures.iter().enumerate();
        headings
            .map(|(column, heading)| {
                let figures = self.rows.iter().map(|row| width_of(&row.figures[column]));
                figures.fold(width_of(heading), usize::max)
            })
            .collect()
    }

    /// Shares `room` out between names and places.
    fn name_widths(&self, room: Option<usize>) -> Widths {
        let names = self.rows.iter().map(|row| width_of(&row.name));
        let name = names.fold(self.names[0].len(), usize::max);
        let Some(room) = room else {
            return Widths {
                name: name.min(self.aligned_name),
                place: Some(0),
            };
        };
        let places = self.rows.iter().map(|row| width_of(&row.place.in_short()));
        let place = places.fold(self.names[1].len(), usize::max);
        if room < LEAST_NAME.min(name) + GAP.len() + LEAST_PLACE.min(place) {
            return Widths {
                name: room,
                place: None,
            };
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

impl Place {
    /// File and line of a function; for one without a file, its object.
    pub fn of(object: &[u8], file: &[u8], line: u64) -> Self {
        if matches!(file, b"" | b"???") && !object.is_empty() {
            return Place::Object(printable(object));
        }
        Place::in_file(file, line)
    }

    /// A line of a file; 0 is none.
    pub fn in_file(file: &[u8], line: u64) -> Self {
        let line = match line {
            line if line > 0 && !file.is_empty() => format!(":{line}"),
            _ => String::new(),
        };
        Place::File {
            path: printable(file),
            line,
        }
    }

    fn in_full(&self) -> String {
        match self {
            Place::File { path, line } => path.clone() + line,
            Place::Object(path) => format!("[{path}]"),
        }
    }

    /// With no more of an object than its own name.
    fn in_short(&self) -> String {
        match self {
            Place::File { path, line } => path.clone() + line,
            Place::Object(path) => {
                let name = path.rsplit('/').next().unwrap_or(path);
                format!("[{name}]")
            }
        }
    }

    fn cut(&self, width: usize) -> String {
        match self {
            Place::File { path, line } => {
                shorten_path(path, width.saturating_sub(line.len())) + line
            }
            Place::Object(_) => shorten_path(&self.in_short(), width),
        }
    }
}

fn line(
    figure_widths: &[usize],
    figures: &[String],
    name_widths: &Widths,
    [name, place]: [String; 2],
) -> String {
    let mut line = aligned(figures, figure_widths);
    match name_widths.place {
        Some(_) => line += &(pad(name, name_widths.name) + GAP + &place),
        None => line += &name,
    }
    line.truncate(line.trim_end().len());
    line
}

/// Figures at the right of their columns, and the gap after each of them.
pub(in crate::report) fn aligned(figures: &[String], widths: &[usize]) -> String {
    let mut line = String::new();
    for (figure, &width) in figures.iter().zip(widths) {
        line += &" ".repeat(width.saturating_sub(width_of(figure)));
        line += figure;
        line += GAP;
    }
    line
}
