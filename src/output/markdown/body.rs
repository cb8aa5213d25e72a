//! The text of a Markdown report, whose size is limited: lines, tables, and code spans.

use std::borrow::Borrow;
use std::io::{self, Write};
use std::ops::Range;

use crate::compare::{Outcome, Verdict};
use crate::display::numbers::counted;
use crate::names::cut_end;
use crate::output::ReportOptions;
use crate::output::figures::line::TextLine;
use crate::output::figures::row::Row;
use crate::output::figures::table::{SourceLocation, TextTable};

/// GitHub accepts 65,536 characters, and others at least as many.
pub const MAX_CHARACTERS: usize = 60_000;

/// The number of characters that are reserved for the text after the tables.
const RESERVED_CHARACTERS: usize = 1_000;

/// The most characters of a code span, whatever their width.
const MAX_SPAN_LENGTH: usize = 250;

/// The most columns of a path.
const PATH: usize = 50;

/// The text so far.
#[derive(Default)]
pub(super) struct Body {
    pub text: String,
    pub characters: usize,
    /// The number of characters to reserve for the text after the tables, in addition to
    /// [`RESERVED_CHARACTERS`].
    pub reserve: usize,
}

impl Body {
    pub fn line(&mut self, line: &str) {
        self.characters += line.chars().count() + 1;
        self.text += line;
        self.text += "\n";
    }

    pub fn write(self, mut output: impl Write) -> io::Result<()> {
        output.write_all(self.text.as_bytes())?;
        output.flush()
    }

    /// Adds an empty line, unless the last one is empty or there is none.
    pub fn gap(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.line("");
        }
    }

    /// Adds a line after an empty one.
    pub fn paragraph(&mut self, line: &str) {
        self.gap();
        self.line(line);
    }

    /// Adds lines of text as they are, as far as there is room.
    pub fn code(&mut self, lines: Vec<TextLine>, options: &ReportOptions) {
        let lines: Vec<String> = lines
            .into_iter()
            .map(|line| cut_end(line.shown(options).trim_end(), Some(MAX_SPAN_LENGTH)))
            .skip_while(String::is_empty)
            .collect();
        // The marks around it are longer than any in it.
        let runs = lines.iter().flat_map(|line| line.split(|c| c != '`'));
        let mark = "`".repeat(runs.map(str::len).max().unwrap_or(0).max(2) + 1);
        self.paragraph(&mark);
        let count = lines.len();
        let mut shown = 0;
        for line in lines {
            if !self.has_room(&line, RESERVED_CHARACTERS) {
                break;
            }
            self.line(&line);
            shown += 1;
        }
        self.line(&mark);
        if shown < count {
            let more = counted((count - shown) as u64, "more line");
            self.paragraph(&format!("{more} of this."));
        }
    }

    /// Lists verdicts on limits, failed ones first, in at most a third of the text.
    pub fn verdicts(&mut self, verdicts: &[Verdict]) {
        self.gap();
        for outcome in Outcome::ALL {
            let word = match outcome {
                Outcome::Failed => "**failed**",
                Outcome::Incomplete => "**incomplete**",
                Outcome::NotFound => "**not checked**",
                Outcome::Passed => "passed",
            };
            let mut lines = verdicts
                .iter()
                .filter(|verdict| verdict.outcome == outcome)
                .map(|verdict| format!("- {word}: {}", span(&verdict.to_string())))
                .peekable();
            while let Some(line) = lines.next_if(|line| self.has_room(line, 2 * MAX_CHARACTERS / 3))
            {
                self.line(&line);
            }
            let rest = lines.count() as u64;
            if rest > 0 {
                self.line(&format!("- {word}: {}", counted(rest, "more limit")));
            }
        }
    }

    /// Whether this number of characters would be left after another line.
    pub fn has_room(&self, line: &str, left: usize) -> bool {
        self.characters + line.chars().count() + left <= MAX_CHARACTERS
    }

    /// Adds a table with the rows that fit, if there are any. `name` returns the cell for a row with
    /// this text. Returns the number of rows.
    pub fn table(
        &mut self,
        table: TextTable<'_>,
        rows: &[Row<'_>],
        name: impl Fn(&Row<'_>, &str) -> String,
    ) -> usize {
        if rows.is_empty() {
            return 0;
        }
        let (headings, lines) = table.with_rows(rows).into_lines();
        let columns = headings.figures.len();
        let mut headings = [headings.figures, vec![headings.name, headings.place.full()]].concat();
        let has_places = headings.pop_if(|place| place.is_empty()).is_none();
        let cells = lines.into_iter().zip(rows).map(|(line, row)| {
            let place = has_places.then(|| place_cell(&line.place));
            let name = name(row, &line.name);
            line.figures
                .into_iter()
                .chain([name])
                .chain(place)
                .collect()
        });
        self.rows(&headings, columns..headings.len(), cells)
    }

    /// Adds a table with the rows that fit. Returns their number. The columns `texts` are aligned to the
    /// left; the others contain numbers.
    pub fn rows<S: Borrow<str>>(
        &mut self,
        headings: &[S],
        texts: Range<usize>,
        rows: impl IntoIterator<Item = Vec<String>>,
    ) -> usize {
        let mut sides = vec!["--:"; headings.len()];
        sides[texts].fill("---");
        self.paragraph(&row(headings));
        self.line(&row(&sides));
        let mut count = 0;
        for cells in rows {
            let line = row(&cells);
            if !self.has_room(&line, RESERVED_CHARACTERS + self.reserve) {
                break;
            }
            self.line(&line);
            count += 1;
        }
        count
    }
}

/// A line of a table.
fn row<S: Borrow<str>>(cells: &[S]) -> String {
    format!("| {} |", cells.join(" | "))
}

/// A text as a code span. The marks around it are longer than any in it.
pub(super) fn span(text: &str) -> String {
    let text = match text.char_indices().nth(MAX_SPAN_LENGTH) {
        Some((end, _)) => &text[..end],
        None if text.trim().is_empty() => "???",
        None => text,
    };
    let runs = text.split(|c| c != '`').map(str::len);
    let mark = "`".repeat(runs.max().unwrap_or(0) + 1);
    // Adjacent marks would be one.
    let blank = if text.starts_with('`') || text.ends_with('`') {
        " "
    } else {
        ""
    };
    [&mark, blank, text, blank, &mark].concat()
}

/// A location in a cell of a table.
pub(super) fn place_cell(place: &SourceLocation) -> String {
    match place.short(PATH) {
        place if place.is_empty() => place,
        place => cell(&place),
    }
}

/// A text as a code span in a cell of a table, which ends at a `|` even within code.
pub(super) fn cell(text: &str) -> String {
    // Behind a backslash, `|` cannot be escaped.
    span(&text.replace(r"\|", r"\¦")).replace('|', r"\|")
}
