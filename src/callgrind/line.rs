//! What a line is made of: numbers, positions and names. Pure: no I/O, no state but a place in
//! the bytes, and read forwards only.

use super::digits::{Digits, eight_digits, equal, mask, no_digits, word};

/// Why a number cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NumberError {
    /// Something else stands there.
    NotANumber,
    /// More than 64 bits.
    TooLarge,
    /// A relative position below 0.
    Negative,
}

/// A place in bytes that consist of whole lines, each with its `\n`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'a> {
    data: &'a [u8],
    pos: usize,
}

impl<'a> Cursor<'a> {
    #[inline]
    pub fn new(data: &'a [u8], pos: usize) -> Self {
        Cursor { data, pos }
    }

    #[inline]
    pub fn pos(&self) -> usize {
        self.pos
    }

    /// The bytes from this place to the end of the line.
    pub fn rest_of_line(&self) -> &'a [u8] {
        let rest = self.data.get(self.pos..).unwrap_or_default();
        let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        &rest[..end]
    }

    /// Steps over the rest of the line, and returns it without its end.
    pub fn take_line(&mut self) -> &'a [u8] {
        let line = self.rest_of_line();
        self.pos += line.len() + 1;
        line.strip_suffix(b"\r").unwrap_or(line)
    }

    /// The byte at this place; `\n` past the end.
    #[inline]
    pub fn peek(&self) -> u8 {
        self.data.get(self.pos).copied().unwrap_or(b'\n')
    }

    fn peek_second(&self) -> u8 {
        self.data.get(self.pos + 1).copied().unwrap_or(b'\n')
    }

    /// The digits that stand here, if that can be told at once.
    #[inline(always)]
    fn digits(&self) -> Option<Digits> {
        let word = self.data.get(self.pos..)?.first_chunk()?;
        Some(Digits::of(u64::from_le_bytes(*word)))
    }

    #[inline]
    pub fn skip_blanks(&mut self) {
        while matches!(self.peek(), b' ' | b'\t') {
            self.pos += 1;
        }
    }

    /// Steps over the end of the line, if this is it.
    #[inline]
    pub fn end_of_line(&mut self) -> bool {
        match self.peek() {
            b'\n' => self.pos += 1,
            b'\r' if self.peek_second() == b'\n' => self.pos += 2,
            _ => return false,
        }
        true
    }

    /// Reads a decimal number, or a hexadecimal one with `0x`.
    #[inline(always)]
    pub fn number(&mut self) -> Result<u64, NumberError> {
        if let Some(digits) = self.digits()
            && digits.count() > 0
            && matches!(digits.end(), b' ' | b'\n')
        {
            self.pos += digits.count();
            return Ok(digits.number());
        }
        self.any_number()
    }

    #[inline(never)]
    fn any_number(&mut self) -> Result<u64, NumberError> {
        match (self.any_digits()?, self.peek()) {
            (Some(number), b' ' | b'\n' | b'\t' | b'\r') => Ok(number),
            _ => Err(NumberError::NotANumber),
        }
    }

    /// Steps over all digits, which are hexadecimal after `0x`, and returns the number that they
    /// spell; none without any.
    fn any_digits(&mut self) -> Result<Option<u64>, NumberError> {
        let is_hexadecimal = self.peek() == b'0' && matches!(self.peek_second(), b'x' | b'X');
        self.pos += if is_hexadecimal { 2 } else { 0 };
        let radix = if is_hexadecimal { 16 } else { 10 };
        let start = self.pos;
        let mut value: u64 = 0;
        while let Some(digit) = char::from(self.peek()).to_digit(radix) {
            let shifted = value.checked_mul(radix.into());
            let sum = shifted.and_then(|value| value.checked_add(digit.into()));
            value = sum.ok_or(NumberError::TooLarge)?;
            self.pos += 1;
        }
        Ok((self.pos > start).then_some(value))
    }

    /// Reads a subposition: absolute, or `+n`, `-n` and `*` relative to `base`.
    #[inline(always)]
    fn subposition(&mut self, base: u64) -> Result<u64, NumberError> {
        match self.peek() {
            b'+' => {
                self.pos += 1;
                let step = self.number()?;
                base.checked_add(step).ok_or(NumberError::TooLarge)
            }
            b'*' => {
                self.pos += 1;
                match self.peek() {
                    b' ' | b'\n' | b'\t' | b'\r' => Ok(base),
                    _ => Err(NumberError::NotANumber),
                }
            }
            b'-' => {
                self.pos += 1;
                let step = self.number()?;
                base.checked_sub(step).ok_or(NumberError::Negative)
            }
            _ => self.number(),
        }
    }

    /// Whether the bytes before this place are `text`.
    pub fn follows(&self, text: &[u8]) -> bool {
        self.data[..self.pos].ends_with(text)
    }

    /// Reads a number of calls. Negative ones, which reli writes for "unknown", are 0.
    pub fn count(&mut self) -> Result<u64, NumberError> {
        if self.peek() == b'-' {
            self.pos += 1;
            return self.number().map(|_| 0);
        }
        self.number()
    }

    /// Reads a cost. Outside the range of a signed 64-bit number it stays at the limits.
    #[inline(always)]
    pub fn cost(&mut self) -> Result<i64, NumberError> {
        if self.peek() == b'-' {
            self.pos += 1;
            let cost = self.number()?;
            return Ok(0i64.saturating_sub_unsigned(cost));
        }
        let cost = self.number()?;
        Ok(i64::try_from(cost).unwrap_or(i64::MAX))
    }

    /// Steps over one blank, if one stands here.
    #[inline(always)]
    pub fn skip_blank(&mut self) {
        self.pos += usize::from(self.data.get(self.pos) == Some(&b' '));
    }

    /// Reads a decimal number of up to 7 digits and the byte after it, a blank or the end of the
    /// line; nothing else is stepped over.
    #[inline(always)]
    pub fn plain_cost(&mut self) -> Option<(i64, bool)> {
        let digits = self.digits().filter(|digits| digits.count() > 0)?;
        let ends_line = match digits.end() {
            b'\n' => true,
            b' ' => false,
            _ => return None,
        };
        self.pos += digits.count() + 1;
        Some((digits.number().cast_signed(), ends_line))
    }

    /// Reads the wanted one of up to `most` costs, each behind a blank, to the end of the line; 0
    /// where it is missing. Returns where the next line begins, too.
    ///
    /// None for a long line, or for a wanted cost of more than 8 digits.
    #[inline(always)]
    pub fn plain_cost_among(&self, wanted: usize, most: usize) -> Option<(i64, usize)> {
        let bytes: &[u8; 48] = self.data.get(self.pos..)?.first_chunk()?;
        let (parts, _) = bytes.as_chunks();
        // What ends the numbers, in the first 32 bytes.
        let mut ends = no_digits(&parts[0]) | no_digits(&parts[1]) << 16;
        if ends & 1 == 0 {
            return None;
        }
        let (mut cost, mut column) = (0, 0);
        loop {
            let at = ends.trailing_zeros() as usize;
            match bytes[at] {
                b'\n' => return Some((cost, self.pos + at + 1)),
                b' ' if column < most => {}
                _ => return None,
            }
            ends &= ends.wrapping_sub(1);
            let digits = (ends.trailing_zeros() as usize).wrapping_sub(at + 1);
            if column == wanted {
                if digits.wrapping_sub(1) >= 8 {
                    return None;
                }
                cost = eight_digits(word(bytes, at + 1), digits).cast_signed();
            } else if digits.wrapping_sub(1) >= 16 {
                return None;
            }
            column += 1;
        }
    }

    /// Reads what [`plain_cost`](Self::plain_cost) does, where most costs have one digit: the cost,
    /// and whether the line ends after it.
    #[inline(always)]
    pub fn small_cost(&mut self) -> Option<(i64, bool)> {
        if let Some(&[digit @ b'0'..=b'9', end @ (b' ' | b'\n')]) =
            self.data.get(self.pos..)?.first_chunk()
        {
            self.pos += 2;
            return Some((i64::from(digit - b'0'), end == b'\n'));
        }
        self.plain_cost()
    }

    /// Steps over the rest of the line, if it consists of so many costs at most, none of which is
    /// negative or long.
    #[inline(always)]
    pub fn skip_plain_costs(&mut self, most: usize) -> bool {
        let Some(rest) = self
            .data
            .get(self.pos..)
            .and_then(<[u8]>::first_chunk::<32>)
        else {
            return false;
        };
        let ends = mask(rest, 2, |part| equal(part, b'\n'));
        let blanks = mask(rest, 2, |part| equal(part, b' '));
        let others = mask(rest, 2, no_digits);
        if ends == 0 {
            return false;
        }
        let line = (ends & ends.wrapping_neg()) - 1;
        let digits = !others & line;
        let first_digits = digits & !(digits << 1);
        // Of 16 digits in a row something is left.
        let mut long = digits & digits >> 1;
        for step in [2, 4, 8] {
            long &= long >> step;
        }
        let is_plain = others & !blanks & line == 0 && long == 0;
        if !is_plain || first_digits.count_ones() as usize > most {
            return false;
        }
        self.pos += ends.trailing_zeros() as usize + 1;
        true
    }

    /// Reads what stands after the `=` of a position line, to the end of the line (section 3.1.5).
    ///
    /// `(` with anything but a digit after it begins a plain name, such as `(below main)`.
    #[inline(always)]
    pub fn name(&mut self) -> Result<NameSpec<'a>, NumberError> {
        match self.plain_reference() {
            Some(id) => Ok(NameSpec::Reference(id)),
            None => self.any_name(),
        }
    }

    /// Reads `(id)` and the end of the line, as nearly all names are.
    #[inline(always)]
    fn plain_reference(&mut self) -> Option<u64> {
        let [b'(', word @ ..] = self.data.get(self.pos..)?.first_chunk::<9>()? else {
            return None;
        };
        let digits = Digits::of(u64::from_le_bytes(*word));
        let end = self.pos + digits.count() + 2;
        if digits.count() == 0 || digits.end() != b')' || self.data.get(end) != Some(&b'\n') {
            return None;
        }
        self.pos = end + 1;
        Some(digits.number())
    }

    #[inline(never)]
    fn any_name(&mut self) -> Result<NameSpec<'a>, NumberError> {
        self.skip_blanks();
        let Some(id) = self.id()? else {
            return Ok(NameSpec::Plain(self.take_line()));
        };
        self.skip_blanks();
        if self.end_of_line() {
            return Ok(NameSpec::Reference(id));
        }
        Ok(NameSpec::Definition(id, self.take_line()))
    }

    /// Steps over `(id)`, if it stands here.
    fn id(&mut self) -> Result<Option<u64>, NumberError> {
        if self.peek() != b'(' {
            return Ok(None);
        }
        let mut rest = *self;
        rest.pos += 1;
        let Some(id) = rest.any_digits()?.filter(|_| rest.peek() == b')') else {
            return Ok(None);
        };
        self.pos = rest.pos + 1;
        Ok(Some(id))
    }
}

/// What stands after the `=` of a position line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameSpec<'a> {
    /// A name that is not compressed.
    Plain(&'a [u8]),
    /// `(id) name`
    Definition(u64, &'a [u8]),
    /// `(id)`
    Reference(u64),
}

/// What a position line names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Named {
    /// `ob=`
    Object,
    /// `fl=`
    File,
    /// `fi=` and `fe=`
    InlineFile,
    /// `fn=`
    Function,
    /// `cob=`
    CalleeObject,
    /// `cfi=` and `cfl=`
    CalleeFile,
    /// `cfn=`
    Callee,
    /// `jfi=`
    JumpFile,
    /// `jfn=`
    JumpFunction,
}

impl Named {
    /// What a line that begins like this names, and where the name begins.
    #[inline(always)]
    pub fn by(line: &[u8]) -> Option<(Named, usize)> {
        // With its end, even a line without a name has four bytes.
        Some(match line.first_chunk()? {
            [b'f', b'n', b'=', _] => (Named::Function, 3),
            [b'f', b'l', b'=', _] => (Named::File, 3),
            [b'f', b'i' | b'e', b'=', _] => (Named::InlineFile, 3),
            [b'o', b'b', b'=', _] => (Named::Object, 3),
            [b'c', b'f', b'n', b'='] => (Named::Callee, 4),
            [b'c', b'f', b'i' | b'l', b'='] => (Named::CalleeFile, 4),
            [b'c', b'o', b'b', b'='] => (Named::CalleeObject, 4),
            [b'j', b'f', b'i', b'='] => (Named::JumpFile, 4),
            [b'j', b'f', b'n', b'='] => (Named::JumpFunction, 4),
            _ => return None,
        })
    }
}

/// The columns before the costs, as `positions:` names them (section 3.1.6).
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
    const MOST: usize = 3;

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

    /// Whether there is an address, or the like, and then the line.
    pub fn are_address_and_line(&self) -> bool {
        self.count == 2 && self.line == Some(1)
    }

    /// Whether the line is the only one.
    pub fn is_line_alone(&self) -> bool {
        *self == Positions::default()
    }
}

/// A source position: one number for each column (section 3.2.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Position(pub [u64; Positions::MOST]);

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
    #[inline(always)]
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

    /// Reads the target of a call, to the end of the line: as many numbers as there are, and none
    /// is fine too.
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
            if cursor.end_of_line() {
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

/// A `calls=` line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PendingCall {
    /// How many calls.
    pub calls: u64,
    /// The line where the callee begins.
    pub target_line: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Result<u64, NumberError> {
        Cursor::new(text.as_bytes(), 0).number()
    }

    #[test]
    fn numbers_to_the_last_of_64_bits() {
        assert_eq!(number("0\n"), Ok(0));
        assert_eq!(number("0012 3\n"), Ok(12));
        assert_eq!(number("99999999\t \n      "), Ok(99_999_999));
        assert_eq!(number("9999999 \n      "), Ok(9_999_999));
        assert_eq!(number("18446744073709551615\n"), Ok(u64::MAX));
        assert_eq!(number("000000000000000000000000000007\t"), Ok(7));
        assert_eq!(number("0xffffFFFFffffffff\r\n"), Ok(u64::MAX));
        assert_eq!(number("0X1f\n       "), Ok(31));
    }

    #[test]
    fn what_is_no_number() {
        assert_eq!(number("18446744073709551616\n"), Err(NumberError::TooLarge));
        assert_eq!(number("0x10000000000000000\n"), Err(NumberError::TooLarge));
        for text in ["0x\n", "12a\n", "12a\n      ", "\n", "x", "", "0x1g\n"] {
            assert_eq!(number(text), Err(NumberError::NotANumber), "{text:?}");
        }
    }

    #[test]
    fn a_number_is_the_same_wherever_the_bytes_end() {
        for end in 0..12 {
            let text = format!("123456\n{}", "7".repeat(end));
            let mut cursor = Cursor::new(text.as_bytes(), 0);
            assert_eq!((cursor.number(), cursor.pos()), (Ok(123_456), 6));
        }
    }

    #[test]
    fn subpositions_are_relative_to_their_base() {
        let read = |text: &str| Cursor::new(text.as_bytes(), 0).subposition(10);
        assert_eq!(read("+3 \n"), Ok(13));
        assert_eq!(read("+12345 7 \n"), Ok(12_355));
        assert_eq!(read("-10\n"), Ok(0));
        assert_eq!(read("*\n"), Ok(10));
        assert_eq!(read("+0x10\n"), Ok(26));
        assert_eq!(read("7\n"), Ok(7));
        assert_eq!(read("-11\n"), Err(NumberError::Negative));
        assert_eq!(read("*3\n"), Err(NumberError::NotANumber));
        assert_eq!(read("+18446744073709551615\n"), Err(NumberError::TooLarge));
    }

    #[test]
    fn costs_have_signs_and_ends() {
        let read = |text: &str| Cursor::new(text.as_bytes(), 0).cost();
        assert_eq!(read("-432\n"), Ok(-432));
        assert_eq!(read("9223372036854775808\n"), Ok(i64::MAX));
        assert_eq!(read("-18446744073709551615\n"), Ok(i64::MIN));
    }

    #[test]
    fn plain_costs_end_at_a_blank_or_the_line() {
        let read = |text: &str| {
            let mut cursor = Cursor::new(text.as_bytes(), 0);
            cursor.skip_blank();
            let read = cursor.plain_cost();
            read.map(|(cost, ends_line)| (cost, ends_line, cursor.pos()))
        };
        assert_eq!(read(" 12 345678"), Some((12, false, 4)));
        assert_eq!(read("12 3456789"), Some((12, false, 3)));
        assert_eq!(read(" 1234567\nx"), Some((1_234_567, true, 9)));
        for text in [
            " 12345678 ",
            "  12 345678",
            " \n12345678",
            " -1 345678",
            " 12\r\n3456",
            " 12\n",
        ] {
            assert_eq!(read(text), None, "{text:?}");
        }
    }

    #[test]
    fn one_of_several_plain_costs_is_read() {
        let read = |text: &str, wanted| {
            let data = format!("{text}{}", "0".repeat(48));
            Cursor::new(data.as_bytes(), 0).plain_cost_among(wanted, 3)
        };
        for text in [
            "\n",
            " 12\n",
            " 12 345\n",
            " 0 1234567 89\n",
            " 12345678 12345678 12345678\n",
        ] {
            let costs = text.split_whitespace().chain(["0"; 2]);
            for (wanted, cost) in costs.take(2).enumerate() {
                let expected = Some((cost.parse().unwrap(), text.len()));
                assert_eq!(read(text, wanted), expected, "{text:?}");
            }
        }
        for text in [
            "1\n",
            "1 2\n",
            " \n",
            " 1 \n",
            " 1  2\n",
            " 1 -2\n",
            " 123456789\n",
            " 1 12345678901234567\n",
            " 1 234567890 234567890 234567890\n",
            " 1 2 3 4\n",
            " 1 2\r\n",
            " 1\t2\n",
            " 1x\n",
        ] {
            assert_eq!(read(text, 0), None, "{text:?}");
        }
        assert_eq!(Cursor::new(b" 1 2\n", 0).plain_cost_among(0, 3), None);
    }

    #[test]
    fn costs_are_stepped_over_to_the_end_of_the_line() {
        let skip = |text: &str| {
            let data = format!("{text}{}", "#".repeat(32));
            let mut cursor = Cursor::new(data.as_bytes(), 0);
            cursor.skip_plain_costs(3).then_some(cursor.pos())
        };
        for text in [
            "1 2 3\n",
            "\n",
            " 12  345 \n",
            "123456789012345 67890123456789\n",
        ] {
            assert_eq!(skip(text), Some(text.len()), "{text:?}");
            assert_eq!(skip(&format!("{text}4 x\n")), Some(text.len()), "{text:?}");
        }
        for text in [
            "1 2 3 4\n",
            "1 -2\n",
            "1\t2\n",
            "1 2\r\n",
            "1 2x\n",
            "1 0x2\n",
            "1234567890123456\n",
            "1 1 1                           \n",
        ] {
            assert_eq!(skip(text), None, "{text:?}");
        }
        assert!(!Cursor::new(b"1 2\n", 0).skip_plain_costs(3));
    }

    #[test]
    fn names_and_ids_are_told_apart() {
        // With nothing after the line, and with enough to read words.
        for after in ["", "fn=(99)\n"] {
            let parse = |text: &str| {
                let data = format!("{text}\n{after}");
                let mut cursor = Cursor::new(data.as_bytes(), 0);
                let name = cursor.name();
                assert!(name.is_err() || cursor.pos() == text.len() + 1, "{text:?}");
                format!("{name:?}")
            };
            let check = |text: &str, expected: NameSpec<'_>| {
                let expected = format!("{:?}", Ok::<_, NumberError>(expected));
                assert_eq!(parse(text), expected);
            };
            check("main", NameSpec::Plain(b"main"));
            check(" main\r", NameSpec::Plain(b"main"));
            check("", NameSpec::Plain(b""));
            check("(below main)", NameSpec::Plain(b"(below main)"));
            check("(12 main", NameSpec::Plain(b"(12 main"));
            check("()", NameSpec::Plain(b"()"));
            check("(12)", NameSpec::Reference(12));
            check("(12) ", NameSpec::Reference(12));
            check("(12)\r", NameSpec::Reference(12));
            check("(123456789)", NameSpec::Reference(123_456_789));
            check("(0x1f)", NameSpec::Reference(31));
            check("(12) f(int)", NameSpec::Definition(12, b"f(int)"));
            check("(8)name\r", NameSpec::Definition(8, b"name"));
            assert_eq!(parse("(18446744073709551616) f"), "Err(TooLarge)");
        }
    }

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
        assert_eq!(target("* 8\r9\n"), Err(NumberError::NotANumber));
    }
}
