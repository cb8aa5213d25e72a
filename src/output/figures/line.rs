//! The lines of reports for a terminal or a log. Only here they are cut and coloured.

use std::io::{self, Write};

use crate::names::cut_end;
use crate::output::ReportOptions;

/// A line of a report.
#[derive(Clone, Debug)]
pub(crate) enum TextLine {
    /// A fact, a title, a note, source code; or nothing, between these.
    Plain(String),
    /// A row of a table. Its first column, of this number of bytes, is a change: of more than 0, which is
    /// growth, or of less.
    Change {
        text: String,
        column: usize,
        change: i128,
    },
}

impl TextLine {
    pub fn empty() -> Self {
        TextLine::Plain(String::new())
    }

    fn text(&self) -> &str {
        match self {
            TextLine::Plain(text) | TextLine::Change { text, .. } => text,
        }
    }

    /// What is written of it: growth is red, decline is green.
    pub fn shown(&self, options: &ReportOptions) -> String {
        let text = cut_end(self.text(), options.room());
        match *self {
            TextLine::Change { column, change, .. } if options.color && change != 0 => {
                let colour = if change > 0 { 31 } else { 32 };
                match text.split_at_checked(column) {
                    Some((change, rest)) => format!("\x1b[{colour}m{change}\x1b[0m{rest}"),
                    None => text,
                }
            }
            _ => text,
        }
    }
}

/// Writes lines, cut to the width of a terminal.
pub(crate) fn write_lines(
    lines: impl IntoIterator<Item = TextLine>,
    options: &ReportOptions,
    mut output: impl Write,
) -> io::Result<()> {
    for line in lines {
        writeln!(output, "{}", line.shown(options))?;
    }
    output.flush()
}
