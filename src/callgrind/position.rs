//! Subpositions: what the first numbers of a cost line are (sections 3.1.6 and 3.2.2).

use super::lexer::{Cursor, NumberError};

/// The columns before the costs, as `positions:` names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Positions {
    count: usize,
    /// Which column is the line.
    line: Option<usize>,
}

impl Default for Positions {
    /// Without a `positions:` header there is a line and nothing else.
    fn default() -> Self {
        Positions {
            count: 1,
            line: Some(0),
        }
    }
}

impl Positions {
    /// The most columns there can be: `instr`, `bb` and `line`.
    pub const MOST: usize = 3;

    /// Reads the value of a `positions:` header; none if it is not one.
    ///
    /// Writers have been seen to order the columns either way.
    pub fn parse(value: &[u8]) -> Option<Self> {
        let mut names: Vec<&[u8]> = Vec::new();
        for name in value.split(u8::is_ascii_whitespace) {
            match name {
                b"" => {}
                b"instr" | b"bb" | b"line" if !names.contains(&name) => names.push(name),
                _ => return None,
            }
        }
        Some(Positions {
            count: names.len(),
            line: names.iter().position(|name| *name == b"line"),
        })
    }

    /// How many numbers stand before the costs.
    #[inline]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Whether the line comes last, as nearly all writers have it.
    pub fn is_line_last(&self) -> bool {
        self.line.is_some_and(|column| column + 1 == self.count)
    }

    /// Whether the line is the only one.
    pub fn is_line_alone(&self) -> bool {
        *self == Positions::default()
    }
}

/// A source position: one number for each column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Position([u64; Positions::MOST]);

impl Position {
    /// A position of which only the line is known.
    pub fn of_line(line: u64) -> Self {
        Position([line, 0, 0])
    }

    /// The line; 0 without such a column.
    #[inline]
    pub fn line(&self, positions: Positions) -> u64 {
        // Not by index, which would keep positions from staying in registers.
        let [first, second, third] = self.0;
        match positions.line {
            None => 0,
            Some(0) => first,
            Some(1) => second,
            Some(_) => third,
        }
    }

    /// Reads a position relative to this one.
    ///
    /// The error says which column is missing or wrong.
    #[inline]
    pub fn read(
        &self,
        positions: Positions,
        cursor: &mut Cursor<'_>,
    ) -> Result<Position, (usize, NumberError)> {
        let mut position = *self;
        for column in 0..positions.count.min(Positions::MOST) {
            cursor.skip_blanks();
            position.0[column] = cursor
                .subposition(self.0[column])
                .map_err(|error| (column, error))?;
        }
        Ok(position)
    }

    /// What a relative number in this column refers to.
    #[inline]
    pub fn base(&self, column: usize) -> u64 {
        self.0[column]
    }

    /// Sets the number of a column.
    #[inline]
    pub fn set(&mut self, column: usize, number: u64) {
        self.0[column] = number;
    }

    /// Reads the target of a call: as many numbers as there are, and none is fine too.
    ///
    /// Xdebug writes two zeros for its one column; some converters write nothing. A line that is
    /// not there is 0, and so is one that leads below 0: Go's pprof has its target addresses
    /// relative to something else, and nothing here depends on them.
    pub fn read_target(
        &self,
        positions: Positions,
        cursor: &mut Cursor<'_>,
    ) -> Result<u64, NumberError> {
        let mut line = 0;
        let mut column = 0;
        loop {
            cursor.skip_blanks();
            if matches!(cursor.peek(), b'\n' | b'\r') {
                return Ok(line);
            }
            let base = self.0.get(column).copied().unwrap_or(0);
            let number = match cursor.subposition(base) {
                Err(NumberError::Negative) => 0,
                number => number?,
            };
            if positions.line == Some(column) {
                line = number;
            }
            column += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_come_in_any_combination() {
        let line = |text: &str| Positions::parse(text.as_bytes()).map(|p| (p.count, p.line));
        assert_eq!(line("line"), Some((1, Some(0))));
        assert_eq!(line(" instr  bb\tline "), Some((3, Some(2))));
        assert_eq!(line("line instr"), Some((2, Some(0))));
        assert_eq!(line("instr"), Some((1, None)));
        assert_eq!(line(""), Some((0, None)));
        assert_eq!(line("line line"), None);
        assert_eq!(line("address"), None);
    }

    #[test]
    fn targets_may_have_too_many_or_too_few_numbers() {
        let positions = Positions::parse(b"instr line").unwrap();
        let base = Position([0x100, 7, 0]);
        let target = |text: &str| base.read_target(positions, &mut Cursor::new(text.as_bytes(), 0));
        assert_eq!(target("0x858a0 +40 \n"), Ok(47));
        assert_eq!(target("0 0 0\n"), Ok(0));
        assert_eq!(target("5\n"), Ok(0));
        assert_eq!(target("\r\n"), Ok(0));
        assert_eq!(target("* -8\n"), Ok(0));
        assert_eq!(target("* x\n"), Err(NumberError::NotANumber));
    }
}
