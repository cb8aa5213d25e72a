//! Tables: columns of figures, then names and locations, which share the remaining width.

use std::mem;

use anstyle::{AnsiColor, Style};

use super::EventFormat;
use crate::display::text::printable;
use crate::names::{Named, cut_end, is_known, pad, short_name, shorten_path, width_of};
use crate::output::ReportOptions;

/// The gap between columns.
const GAP: &str = "  ";

/// If there is less room than this, locations are omitted: cut further, neither would be useful.
const MIN_NAME: usize = 30;
const MIN_PLACE: usize = 20;

/// A table of things, one per row.
pub(crate) struct TextTable<'a, T> {
    pub things: &'a [T],
    /// The headings, then a row for each thing.
    rows: Vec<TextRow>,
}

#[derive(Default)]
pub(crate) struct TextRow {
    /// One for each column.
    pub figures: Vec<String>,
    /// The name of the thing, printable.
    pub name: String,
    pub place: SourceLocation,
    /// The lines below it.
    below: Vec<String>,
    /// Whether its first figure means growth (more than 0) or decline, which have colours.
    growth: i128,
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
    pub fn new<'s>(
        [name, place]: [&str; 2],
        things: &'a [T],
        about: impl Fn(&T) -> Named<'s>,
    ) -> Self {
        let mut table = TextTable::named(name, things, |thing| about(thing).shown());
        table.rows[0].place = SourceLocation::in_file(place.as_bytes(), 0);
        table.with_each(|row, thing| row.place = SourceLocation::of(&about(thing)))
    }

    /// The same without locations.
    pub fn named(heading: &str, things: &'a [T], name: impl Fn(&T) -> String) -> Self {
        let names = things.iter().map(name);
        let rows = [heading.to_owned()].into_iter().chain(names);
        let row = |name| TextRow {
            name,
            ..TextRow::default()
        };
        TextTable {
            things,
            rows: rows.map(row).collect(),
        }
    }

    /// Changes the row of each thing.
    fn with_each(mut self, mut change: impl FnMut(&mut TextRow, &'a T)) -> Self {
        let rows = self.rows[1..].iter_mut().zip(self.things);
        rows.for_each(|(row, thing)| change(row, thing));
        self
    }

    /// Adds a column: its heading, and the figure of a thing.
    pub fn with(mut self, heading: impl Into<String>, figure: impl Fn(&'a T) -> String) -> Self {
        self.rows[0].figures.push(heading.into());
        self.with_each(|row, thing| row.figures.push(figure(thing)))
    }

    /// Likewise, if its figures are known.
    pub fn with_known(
        self,
        is_known: bool,
        heading: &str,
        figure: impl Fn(&'a T) -> String,
    ) -> Self {
        match is_known {
            true => self.with(heading, figure),
            false => self,
        }
    }

    /// Adds a column for each event.
    pub fn with_events<'c, C: Copy + Into<i128> + 'c>(
        self,
        events: &[EventFormat<'_>],
        costs: impl Fn(&'a T) -> &'c [C],
    ) -> Self {
        events.iter().fold(self, |table, event| {
            table.with(event.heading(), |thing| event.shown(costs(thing)))
        })
    }

    /// Adds lines below the rows.
    pub fn with_below(self, below: impl Fn(&T) -> Vec<String>) -> Self {
        self.with_each(|row, thing| row.below = below(thing))
    }

    /// Colours the first figure of each row if colours are requested: growth is red, decline is green.
    pub fn with_growth(self, growth: impl Fn(&T) -> i128) -> Self {
        self.with_each(|row, thing| row.growth = growth(thing))
    }

    /// The headings and rows as lines after an empty one, cut to the width of a terminal. Without a
    /// terminal, only names that are wider than `aligned` push their locations to the right: one name of
    /// hundreds of columns must not move all locations.
    pub fn lines(mut self, options: &ReportOptions, aligned: usize) -> Vec<String> {
        if let Some(width) = options.name_width() {
            self.shorten_names(width);
        }
        let widths = self.room(options).map(|room| self.share_out(room));
        if let Some((name_width, _)) = widths {
            self.shorten_names(name_width);
        }
        let name_width =
            widths.map_or(self.name_width().min(aligned), |(name_width, _)| name_width);
        for row in &mut self.rows {
            let place = match widths {
                None => row.place.full(),
                Some((_, None)) => continue,
                Some((_, Some(width))) => {
                    row.place.short(width.saturating_sub(row.place.line.len()))
                }
            };
            row.name = pad(mem::take(&mut row.name), name_width) + GAP + &place;
        }
        let mut lines = vec![String::new()];
        lines.extend(self.joined(options));
        lines
    }

    /// The headings and rows as lines: figures aligned to the right of their columns, and names.
    pub fn joined(self, options: &ReportOptions) -> Vec<String> {
        let widths = self.figure_widths();
        let lines = self.rows.into_iter().flat_map(|row| {
            let figures = row.figures.iter().zip(&widths).map(|(figure, width)| {
                let missing = width.saturating_sub(width_of(figure));
                " ".repeat(missing) + figure + GAP
            });
            let line = figures.collect::<String>() + &row.name;
            let line = cut_end(line.trim_end(), options.room());
            let growth = if options.color { row.growth } else { 0 };
            let line = coloured(line, widths.first().copied(), growth);
            [line].into_iter().chain(row.below)
        });
        lines.collect()
    }

    /// The rows, without the headings.
    pub fn rows_mut(&mut self) -> &mut [TextRow] {
        &mut self.rows[1..]
    }

    /// The headings and the rows.
    pub fn into_rows(mut self) -> (TextRow, Vec<TextRow>) {
        let rows = self.rows.split_off(1);
        (self.rows.remove(0), rows)
    }

    /// Shortens the names in all rows to this width.
    pub fn shorten_names(&mut self, width: usize) {
        for row in self.rows_mut() {
            row.name = short_name(&row.name, width);
            if row.place.is_name {
                row.place.full = short_name(&row.place.full, width);
            }
        }
    }

    /// The width of a terminal that remains for names and locations.
    pub fn room(&self, options: &ReportOptions) -> Option<usize> {
        let widths = self.figure_widths().into_iter();
        let taken = widths.map(|width| width + GAP.len()).sum();
        options.room().map(|width| width.saturating_sub(taken))
    }

    fn figure_widths(&self) -> Vec<usize> {
        let width = |column: usize| self.widest(|row| width_of(&row.figures[column]));
        (0..self.rows[0].figures.len()).map(width).collect()
    }

    fn name_width(&self) -> usize {
        self.widest(|row| width_of(&row.name))
    }

    /// The largest width of the headings and all rows.
    fn widest(&self, width: impl Fn(&TextRow) -> usize) -> usize {
        self.rows.iter().map(width).max().unwrap_or(0)
    }

    /// The widths of names and of locations; `None` if locations are omitted.
    fn share_out(&self, room: usize) -> (usize, Option<usize>) {
        let name = self.name_width();
        let place = self.widest(|row| width_of(&row.place.short) + row.place.line.len());
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
    /// The file and line of a function, or its object if it has no file. Instead of a location, a group
    /// has its costliest function.
    pub fn of(named: &Named<'_>) -> Self {
        if let Some(function) = named.costliest {
            return SourceLocation {
                is_name: true,
                ..SourceLocation::in_file(function, 0)
            };
        }
        if is_known(named.file) || !is_known(named.object) {
            return SourceLocation::in_file(named.file, named.line);
        }
        let path = printable(named.object);
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

    /// The whole path, and the line.
    pub fn full(&self) -> String {
        self.full.clone() + &self.line
    }

    /// The file, shortened to a width, and the line.
    pub fn short(&self, width: usize) -> String {
        match self.is_name {
            true => short_name(&self.short, width),
            false => shorten_path(&self.short, width) + &self.line,
        }
    }
}

/// Colours the first column of a line by the sign of a growth.
fn coloured(line: String, column: Option<usize>, growth: i128) -> String {
    let colour = match growth {
        1.. => AnsiColor::Red,
        0 => return line,
        _ => AnsiColor::Green,
    };
    let Some((figure, rest)) = column.and_then(|column| line.split_at_checked(column)) else {
        return line;
    };
    let style = Style::new().fg_color(Some(colour.into()));
    format!("{style}{figure}{style:#}{rest}")
}
