//! The text of a Markdown report, whose size is limited: lines, tables, and code spans.

use std::borrow::Borrow;
use std::io::{self, Write};
use std::ops::Range;

use crate::compare::{Outcome, Verdict};
use crate::display::numbers::{counted, grouped};
use crate::names::SHORT;
use crate::output::figures::table::{TextRow, TextTable};
use crate::output::{Names, ReportOptions};

/// GitHub accepts 65,536 characters, and others at least as many.
pub const MAX_CHARACTERS: usize = 60_000;

/// The number of characters that are reserved for the text after the tables.
const RESERVED_CHARACTERS: usize = 1_000;

/// The most characters of a code span, whatever their width.
const MAX_SPAN_LENGTH: usize = 250;

/// The most columns of a path.
pub(super) const PATH: usize = 50;

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

    /// Lists verdicts on limits, failed ones first, in at most a third of the text.
    pub fn verdicts(&mut self, verdicts: &[Verdict]) {
        self.gap();
        for (outcome, word) in [
            (Outcome::Failed, "**failed**"),
            (Outcome::NotFound, "**not checked**"),
            (Outcome::Passed, "passed"),
        ] {
            let mut lines = verdicts
                .iter()
                .filter(|verdict| verdict.outcome == outcome)
                .map(|verdict| format!("- {word}: {}", span(&verdict.text)))
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
        self.characters + line.chars().count() <= MAX_CHARACTERS - left
    }

    /// Adds a line about the parts without a row, if there are any.
    pub fn more_parts(&mut self, count: usize) {
        if count > 0 {
            self.paragraph(&format!("{}.", counted(count as u64, "more part")));
        }
    }

    /// Adds a note if profiles are incomplete; `what` is the beginning of its sentence.
    pub fn completeness(&mut self, what: Option<&str>) {
        if let Some(what) = what {
            self.paragraph(&format!(
                "**The {what} not complete**: parts were truncated, skipped or missing."
            ));
        }
    }

    /// Adds a table with the rows that fit. Returns their number. The columns `texts` are aligned to the
    /// left; the others contain numbers.
    pub fn table(
        &mut self,
        headings: &[&str],
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

    /// Adds a table of the first functions and a folded one of the others. `after` returns what follows
    /// the name of a function. Returns the number of functions that fit.
    pub fn functions<T>(
        &mut self,
        mut table: TextTable<'_, T>,
        options: &ReportOptions,
        after: impl Fn(&T) -> String,
    ) -> usize {
        if options.names != Names::Full {
            table.shorten_names(SHORT);
        }
        let cells = |row: TextRow, cell: fn(&str) -> String, after: String| {
            let place = match row.place.short(PATH) {
                place if place.is_empty() => place,
                place => cell(&place),
            };
            [row.figures, vec![cell(&row.name) + &after, place]].concat()
        };
        let things = table.things;
        let (headings, rows) = table.into_rows();
        let names = headings.figures.len();
        let names = names..names + 2;
        let headings = cells(headings, str::to_owned, String::new());
        let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
        let rows = rows.into_iter().zip(things);
        let rows = rows.map(|(row, thing)| cells(row, cell, after(thing)));
        let mut top: Vec<_> = rows.collect();
        let folded = top.split_off(options.top.unwrap_or(usize::MAX).min(top.len()));
        let (count, mut shown) = (top.len(), 0);
        if count > 0 {
            shown = self.table(&headings, names.clone(), top);
        }
        if shown == count && !folded.is_empty() {
            let more = grouped(folded.len() as u64);
            self.paragraph(&format!("<details><summary>{more} more</summary>"));
            shown += self.table(&headings, names, folded);
            self.paragraph("</details>");
        }
        shown
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

/// A text as a code span in a cell of a table, which ends at a `|` even within code.
pub(super) fn cell(text: &str) -> String {
    // Behind a backslash, `|` cannot be escaped.
    span(&text.replace(r"\|", r"\¦")).replace('|', r"\|")
}
