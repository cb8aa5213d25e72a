//! Tables: columns of figures, then names and locations, which share the remaining width.

use std::borrow::Borrow;
use std::mem;

use super::line::TextLine;
use super::row::{Row, RowKind};
use crate::display::text::printable;
use crate::names::{
    Named, cut_end, is_internal, is_known, pad, short_name, shorten_path, width_of,
};
use crate::output::ReportOptions;
use crate::view::GroupBy;

/// The gap between columns.
const GAP: &str = "  ";

/// If there is less room than this, locations are omitted: cut further, neither would be useful.
const MIN_NAME: usize = 30;
const MIN_PLACE: usize = 20;

/// What a table makes of a row.
type OfRow<'t, T> = Box<dyn Fn(&Row<'_>) -> T + 't>;

/// A table with a line for each row. Rows are needed only while they are added.
pub(crate) struct TextTable<'t> {
    columns: Vec<OfRow<'t, String>>,
    growth: Option<OfRow<'t, i128>>,
    below: Option<OfRow<'t, Vec<String>>>,
    /// Whether locations are shown, and whether these have lines.
    has_places: bool,
    has_lines: bool,
    kind: RowKind,
    /// The headings, then a line for each row and what separates these.
    lines: Vec<TextRow>,
    /// The widths of columns that rows need which are not added.
    needed: Vec<usize>,
}

pub(crate) struct TextRow {
    /// One for each column.
    pub figures: Vec<String>,
    /// The name of the thing, printable.
    pub name: String,
    pub place: SourceLocation,
    /// The lines below it.
    below: Vec<String>,
    /// The growth that its first figure shows; less than 0 is a decline.
    growth: Option<i128>,
}

/// What is shown beside a name, printable.
pub(crate) enum SourceLocation {
    /// A file, and a line if it is known: `a.c:12`.
    File(String),
    Object(String),
    /// The costliest function of a group.
    Function(String),
    /// What the locations of the rows below are.
    Heading(String),
}

impl<'t> TextTable<'t> {
    /// A table without columns and rows.
    pub fn new([name, place]: [&str; 2], has_lines: bool, kind: RowKind) -> Self {
        TextTable {
            columns: Vec::new(),
            growth: None,
            below: None,
            has_places: !place.is_empty(),
            has_lines,
            kind,
            lines: vec![TextRow {
                figures: Vec::new(),
                name: name.to_owned(),
                place: SourceLocation::Heading(place.to_owned()),
                below: Vec::new(),
                growth: None,
            }],
            needed: Vec::new(),
        }
    }

    /// Sets the headings of columns whose figures are known.
    pub fn with_headings(mut self, headings: Vec<String>) -> Self {
        self.lines[0].figures = headings;
        self
    }

    /// Adds a column: its heading, and the figure of a row.
    pub fn with(
        mut self,
        heading: impl Into<String>,
        figure: impl Fn(&Row<'_>) -> String + 't,
    ) -> Self {
        self.lines[0].figures.push(heading.into());
        self.columns.push(Box::new(figure));
        self
    }

    /// Adds lines below the rows.
    pub fn with_below(mut self, below: impl Fn(&Row<'_>) -> Vec<String> + 't) -> Self {
        self.below = Some(Box::new(below));
        self
    }

    /// What the first figure of each row shows: growth or decline.
    pub fn with_growth(mut self, growth: impl Fn(&Row<'_>) -> i128 + 't) -> Self {
        self.growth = Some(Box::new(growth));
        self
    }

    /// Adds rows.
    pub fn with_rows<'r, T: Borrow<Row<'r>>>(mut self, rows: impl IntoIterator<Item = T>) -> Self {
        rows.into_iter().for_each(|row| self.add(row.borrow()));
        self
    }

    /// Adds a row whose figures are known, with a name and a location.
    pub fn with_line(mut self, figures: Vec<String>, name: String, place: &Named<'_>) -> Self {
        self.lines.push(TextRow {
            figures,
            name,
            place: SourceLocation::of(place),
            below: Vec::new(),
            growth: None,
        });
        self
    }

    /// Adds a row.
    pub fn add(&mut self, row: &Row<'_>) {
        self.lines.push(self.text_row(row));
    }

    /// Makes columns wide enough for a row that is not added.
    pub fn fit(&mut self, row: &Row<'_>) {
        let widths = self.columns.iter().map(|figure| width_of(&figure(row)));
        let widths: Vec<usize> = widths.collect();
        self.needed.resize(widths.len(), 0);
        for (needed, width) in self.needed.iter_mut().zip(widths) {
            *needed = width.max(*needed);
        }
    }

    /// What a row becomes.
    pub fn text_row(&self, row: &Row<'_>) -> TextRow {
        let line = if self.has_lines { row.named.line } else { 0 };
        TextRow {
            figures: self.columns.iter().map(|figure| figure(row)).collect(),
            name: row.shown(),
            place: if self.has_places {
                SourceLocation::of(&Named { line, ..row.named })
            } else {
                SourceLocation::File(String::new())
            },
            below: self.below.as_ref().map_or(Vec::new(), |below| below(row)),
            growth: self.growth.as_ref().map(|growth| growth(row)),
        }
    }

    /// Adds a line between rows that has no costs: a name, and what is in the last column.
    pub fn add_text(&mut self, name: String, last: &str) {
        let mut figures = vec![String::new(); self.lines[0].figures.len()];
        figures.pop();
        figures.push(last.to_owned());
        self.lines.push(TextRow {
            figures,
            name,
            place: SourceLocation::File(String::new()),
            below: Vec::new(),
            growth: None,
        });
    }

    /// The headings and rows as lines after an empty one, with names and locations that share the room
    /// there is. Without a terminal, names that are wider than `aligned` push their locations to the
    /// right: one long name must not move all locations. The paths of inputs are equally long, so those
    /// of parts are aligned.
    pub fn lines(mut self, options: &ReportOptions, aligned: usize) -> Vec<TextLine> {
        if let Some(width) = options.name_width() {
            self.shorten_names(width);
            for row in &mut self.lines {
                if let SourceLocation::Function(name) = &mut row.place {
                    *name = short_name(name, width);
                }
            }
        }
        let widths = self.room(options).map(|room| self.share_out(room));
        if let Some((name_width, _)) = widths {
            self.shorten_names(name_width);
        }
        let in_terminal = widths.filter(|_| options.width.is_some());
        let aligned = match self.kind.by {
            GroupBy::Part => self.name_width(),
            _ => self.name_width().min(aligned),
        };
        let name_width = in_terminal.map_or(aligned, |(width, _)| width);
        for row in &mut self.lines {
            let place = match widths {
                None => row.place.full(),
                Some((_, None)) => continue,
                Some((_, Some(width))) => row.place.short(width),
            };
            row.name = pad(mem::take(&mut row.name), name_width) + GAP + &place;
        }
        [TextLine::empty()]
            .into_iter()
            .chain(self.joined())
            .collect()
    }

    /// The headings and rows as lines: figures aligned to the right of their columns, and names.
    pub fn joined(self) -> impl Iterator<Item = TextLine> {
        let widths = self.figure_widths();
        let lines = self.lines.into_iter();
        lines.flat_map(move |row| row.joined(&widths))
    }

    /// The headings and these rows as lines, likewise, one after the other. `edit` changes the name of
    /// each. So a table can have any number of rows; all of them have to [`fit`](Self::fit).
    pub fn lines_of<'r, T, R: Borrow<Row<'r>>>(
        mut self,
        rows: impl Iterator<Item = T>,
        row: impl Fn(&T) -> R,
        mut edit: impl FnMut(&T, &mut String),
    ) -> impl Iterator<Item = TextLine> {
        let widths = self.figure_widths();
        let headings = self.lines.remove(0).joined(&widths);
        let lines = rows.flat_map(move |of| {
            let mut line = self.text_row(row(&of).borrow());
            edit(&of, &mut line.name);
            line.joined(&widths)
        });
        headings.chain(lines)
    }

    /// The rows, without the headings.
    fn lines_mut(&mut self) -> &mut [TextRow] {
        &mut self.lines[1..]
    }

    /// The headings and the rows.
    pub fn into_lines(mut self) -> (TextRow, Vec<TextRow>) {
        let lines = self.lines.split_off(1);
        (self.lines.remove(0), lines)
    }

    /// Shortens the names in all rows to this width.
    pub fn shorten_names(&mut self, width: usize) {
        let kind = self.kind;
        for row in self.lines_mut() {
            row.name = kind.short_name(&row.name, width);
        }
    }

    /// The width of a terminal that remains for names and locations.
    pub fn room(&self, options: &ReportOptions) -> Option<usize> {
        let widths = self.figure_widths().into_iter();
        let taken = widths.map(|width| width + GAP.len()).sum();
        options.room().map(|width| width.saturating_sub(taken))
    }

    fn figure_widths(&self) -> Vec<usize> {
        let width = |column: usize| {
            let needed = self.needed.get(column).copied().unwrap_or(0);
            needed.max(self.widest(|row| width_of(&row.figures[column])))
        };
        (0..self.lines[0].figures.len()).map(width).collect()
    }

    fn name_width(&self) -> usize {
        self.widest(|row| width_of(&row.name))
    }

    /// The largest width of the headings and all rows.
    fn widest(&self, width: impl Fn(&TextRow) -> usize) -> usize {
        self.lines.iter().map(width).max().unwrap_or(0)
    }

    /// The widths of names and of locations; `None` if locations are omitted.
    fn share_out(&self, room: usize) -> (usize, Option<usize>) {
        let name = self.name_width();
        let place = self.widest(|row| width_of(&row.place.full()));
        if room < MIN_NAME.min(name) + GAP.len() + MIN_PLACE.min(place) {
            return (room, None);
        }
        // Three fifths for names, unless the others need less than their share.
        let both = room - GAP.len();
        let name = name.min((both * 3 / 5).max(both.saturating_sub(place)));
        (name, Some(place.min(both - name)))
    }
}

impl TextRow {
    /// Its lines, with columns of these widths.
    fn joined(self, widths: &[usize]) -> impl Iterator<Item = TextLine> + use<> {
        let figures = self.figures.iter().zip(widths).map(|(figure, width)| {
            let missing = width.saturating_sub(width_of(figure));
            " ".repeat(missing) + figure + GAP
        });
        let text = figures.collect::<String>() + &self.name;
        let text = text.trim_end().to_owned();
        let line = match (self.growth, widths.first()) {
            (Some(change), Some(&column)) => TextLine::Change {
                text,
                column,
                change,
            },
            _ => TextLine::Plain(text),
        };
        let below = self.below.into_iter().map(TextLine::Plain);
        [line].into_iter().chain(below)
    }
}

impl SourceLocation {
    /// The file and line of a function, or its object if it has no file. Instead of a location, a group
    /// has its costliest function.
    pub fn of(named: &Named<'_>) -> Self {
        if let Some(function) = named.costliest {
            return SourceLocation::Function(printable(function));
        }
        let file = printable(named.file);
        match named.line {
            _ if !is_known(named.file) && is_known(named.object) => {
                SourceLocation::Object(printable(named.object))
            }
            line if line > 0 && !file.is_empty() && !is_internal(named.file) => {
                SourceLocation::File(format!("{file}:{line}"))
            }
            _ => SourceLocation::File(file),
        }
    }

    /// The whole text.
    pub fn full(&self) -> String {
        self.short(usize::MAX)
    }

    /// The text, shortened to a width.
    pub fn short(&self, width: usize) -> String {
        match self {
            SourceLocation::File(file) => shorten_path(file, width),
            SourceLocation::Object(path) => {
                format!("[{}]", shorten_path(path, width.saturating_sub(2)))
            }
            SourceLocation::Function(name) => short_name(name, width),
            SourceLocation::Heading(heading) => cut_end(heading, Some(width)),
        }
    }
}
