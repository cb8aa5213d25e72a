//! Tables: columns of figures, then names and locations, which share the remaining width.

use crate::compare::Transition;
use crate::display::text::printable;
use crate::names::{pad, short_name, shorten_path, width_of};
use crate::output::ReportOptions;

/// The gap between columns.
const GAP: &str = "  ";

/// If there is less room than this, locations are omitted: cut further, neither would be useful.
const MIN_NAME: usize = 30;
const MIN_PLACE: usize = 20;

/// A table of things, one per row.
pub(crate) struct TextTable<'a, T> {
    things: &'a [T],
    pub headings: TextRow,
    pub rows: Vec<TextRow>,
}

pub(crate) struct TextRow {
    /// One for each column.
    pub figures: Vec<String>,
    /// The name of the thing, printable.
    pub name: String,
    /// Its change, if it has another name or file in the new profile.
    pub transition: Option<Transition>,
    pub place: SourceLocation,
}

/// A location, all printable.
#[derive(Default)]
pub(crate) struct SourceLocation {
    /// A file, or an object.
    full: String,
    /// Its form if there is little room.
    short: String,
    /// The line, which is never cut: `:12`.
    line: String,
    /// Whether it is the name of a function instead.
    is_name: bool,
}

impl<'a, T> TextTable<'a, T> {
    /// A table with the names and locations of things. `about` returns those of one.
    pub fn new(
        [name, place]: [&str; 2],
        things: &'a [T],
        about: impl Fn(&T) -> (String, SourceLocation),
    ) -> Self {
        let row = |(name, place)| TextRow {
            figures: Vec::new(),
            name,
            transition: None,
            place,
        };
        TextTable {
            things,
            headings: row((
                name.to_owned(),
                SourceLocation::in_file(place.as_bytes(), 0),
            )),
            rows: things.iter().map(about).map(row).collect(),
        }
    }

    /// The same without locations.
    pub fn named(heading: &str, things: &'a [T], name: impl Fn(&T) -> String) -> Self {
        TextTable::new([heading, ""], things, |thing| {
            (name(thing), SourceLocation::default())
        })
    }

    /// Adds the transitions of things, which Markdown appends to their names.
    pub fn with_transitions(mut self, of: impl Fn(&T) -> Option<Transition>) -> Self {
        for (row, thing) in self.rows.iter_mut().zip(self.things) {
            row.transition = of(thing);
        }
        self
    }

    /// Adds a column: its heading, and the figure of a thing.
    pub fn with(mut self, heading: impl Into<String>, figure: impl Fn(&T) -> String) -> Self {
        self.headings.figures.push(heading.into());
        for (row, thing) in self.rows.iter_mut().zip(self.things) {
            row.figures.push(figure(thing));
        }
        self
    }

    /// Likewise, if its figures are known.
    pub fn with_known(self, is_known: bool, heading: &str, figure: impl Fn(&T) -> String) -> Self {
        match is_known {
            true => self.with(heading, figure),
            false => self,
        }
    }

    /// The headings and rows as lines, cut to the width of a terminal. Without a terminal, only names
    /// that are wider than `aligned` push their locations to the right: one name of hundreds of
    /// columns must not move all locations.
    pub fn lines(mut self, options: &ReportOptions, aligned: usize) -> Vec<String> {
        if let Some(width) = options.name_width() {
            self.shorten_names(width);
        }
        let (figures, room) = self.figures(options);
        let widths = room.map(|room| self.share_out(room));
        if let Some((name_width, _)) = widths {
            self.shorten_names(name_width);
        }
        let name_width =
            widths.map_or(self.name_width().min(aligned), |(name_width, _)| name_width);
        let rows = std::iter::once(self.headings).chain(self.rows);
        let lines = figures.into_iter().zip(rows).map(|(figures, row)| {
            let place = match widths {
                None => Some(row.place.full()),
                Some((_, width)) => {
                    width.map(|width| row.place.short(width.saturating_sub(row.place.line.len())))
                }
            };
            let name = match place {
                Some(place) => pad(row.name, name_width) + GAP + &place,
                None => row.name,
            };
            (figures + &name).trim_end().to_owned()
        });
        lines.collect()
    }

    /// Shortens the names in all rows to this width.
    pub fn shorten_names(&mut self, width: usize) {
        for row in &mut self.rows {
            row.name = short_name(&row.name, width);
            if row.place.is_name {
                row.place.full = short_name(&row.place.full, width);
            }
        }
    }

    /// The figures of all rows, the headings first, aligned to the right of their columns. Also the
    /// remaining width of a terminal.
    pub fn figures(&self, options: &ReportOptions) -> (Vec<String>, Option<usize>) {
        let columns = 0..self.headings.figures.len();
        let widths: Vec<usize> = columns.map(|column| self.figure_width(column)).collect();
        let line = |row: &TextRow| {
            let figures = row.figures.iter().zip(&widths).map(|(figure, width)| {
                let missing = width.saturating_sub(width_of(figure));
                " ".repeat(missing) + figure + GAP
            });
            figures.collect()
        };
        let taken = widths.iter().map(|width| width + GAP.len()).sum();
        let room = options.room().map(|width| width.saturating_sub(taken));
        (self.all().map(line).collect(), room)
    }

    /// The width of a column of figures.
    pub fn figure_width(&self, column: usize) -> usize {
        let figures = self.all().filter_map(|row| row.figures.get(column));
        figures.map(|figure| width_of(figure)).max().unwrap_or(0)
    }

    fn name_width(&self) -> usize {
        let names = self.all().map(|row| width_of(&row.name));
        names.max().unwrap_or(0)
    }

    /// The headings and the rows.
    pub fn all(&self) -> impl Iterator<Item = &TextRow> {
        std::iter::once(&self.headings).chain(&self.rows)
    }

    /// The widths of names and of locations; `None` if locations are omitted.
    fn share_out(&self, room: usize) -> (usize, Option<usize>) {
        let name = self.name_width();
        let places = self
            .all()
            .map(|row| width_of(&row.place.short) + row.place.line.len());
        let place = places.max().unwrap_or(0);
        if room < MIN_NAME.min(name) + GAP.len() + MIN_PLACE.min(place) {
            return (room, None);
        }
        // Three fifths for names, unless the others need less than their share.
        let both = room - GAP.len();
        let name = name.min((both * 3 / 5).max(both.saturating_sub(place)));
        (name, Some(place.min(both - name)))
    }
}

impl SourceLocation {
    /// The file and line of a function, or its object if it has no file.
    pub fn of(object: &[u8], file: &[u8], line: u64) -> Self {
        let is_known = |name: &[u8]| !matches!(name, b"" | b"???");
        if is_known(file) || !is_known(object) {
            return SourceLocation::in_file(file, line);
        }
        let path = printable(object);
        let name = path.rsplit('/').next().unwrap_or(&path);
        SourceLocation {
            full: format!("[{path}]"),
            short: format!("[{name}]"),
            ..SourceLocation::default()
        }
    }

    /// A line of a file; without a line if that is 0.
    pub fn in_file(file: &[u8], line: u64) -> Self {
        let path = printable(file);
        SourceLocation {
            full: path.clone(),
            short: path,
            line: match line {
                line if line > 0 && !file.is_empty() => format!(":{line}"),
                _ => String::new(),
            },
            is_name: false,
        }
    }

    /// The costliest function of a group, instead of a location.
    pub fn of_costliest(function: &[u8]) -> Self {
        SourceLocation {
            is_name: true,
            ..SourceLocation::in_file(function, 0)
        }
    }

    /// The whole path, and the line.
    pub fn full(self) -> String {
        self.full + &self.line
    }

    /// The file, shortened to a width, and the line.
    pub fn short(&self, width: usize) -> String {
        match self.is_name {
            true => short_name(&self.short, width),
            false => shorten_path(&self.short, width) + &self.line,
        }
    }
}
