//! The parts of a line: numbers, positions and names. No I/O, and no state except a position in the
//! bytes, which only moves forwards.

use super::digits::{Digits, eight_digits, equal, mask, no_digits, word};
use super::error::{Problem, ProblemKind};
use crate::display::text::excerpt;
use crate::profile::words;

/// A position in bytes that consist of whole lines, each with its `\n`.
///
/// What cannot be read moves it no further than to where the problem is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'a> {
    pub data: &'a [u8],
    pub pos: usize,
}

impl<'a> Cursor<'a> {
    #[inline]
    pub fn new(data: &'a [u8], pos: usize) -> Self {
        Cursor { data, pos }
    }

    /// The bytes from here on.
    #[inline]
    pub fn rest(&self) -> &'a [u8] {
        self.data.get(self.pos..).unwrap_or_default()
    }

    /// Reads the rest of the line, and returns it without the line end.
    pub fn take_line(&mut self) -> &'a [u8] {
        let rest = self.rest();
        let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        self.pos += end + 1;
        rest[..end].strip_suffix(b"\r").unwrap_or(&rest[..end])
    }

    /// Reads this text, if it is next.
    #[inline]
    pub fn take(&mut self, text: &[u8]) -> bool {
        let is_next = self.rest().starts_with(text);
        self.pos += if is_next { text.len() } else { 0 };
        is_next
    }

    /// A problem at this place in a line.
    #[cold]
    pub fn problem(mut self, kind: ProblemKind) -> Problem {
        let found = Some(excerpt(self.take_line()));
        Problem { kind, found }
    }

    /// The current byte; `\n` after the last one.
    #[inline]
    pub fn peek(&self) -> u8 {
        self.data.get(self.pos).copied().unwrap_or(b'\n')
    }

    fn peek_second(&self) -> u8 {
        self.data.get(self.pos + 1).copied().unwrap_or(b'\n')
    }

    /// The digits at the position, if they can be recognised at once.
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

    /// Reads a line end, if it is next.
    #[inline]
    pub fn end_of_line(&mut self) -> bool {
        match self.peek() {
            b'\n' => self.pos += 1,
            b'\r' if self.peek_second() == b'\n' => self.pos += 2,
            _ => return false,
        }
        true
    }

    /// Whether the number before this place has ended.
    fn is_after_number(&self) -> bool {
        matches!(self.peek(), b' ' | b'\n' | b'\t' | b'\r')
    }

    /// Reads a decimal number, or a hexadecimal one with `0x`.
    #[inline(always)]
    pub fn number(&mut self) -> Result<u64, ProblemKind> {
        if let Some(digits) = self.digits()
            && digits.count() > 0
            && matches!(digits.end(), b' ' | b'\n')
        {
            self.pos += digits.count();
            return Ok(digits.number());
        }
        // The slow path gets a copy, so that this cursor stays in registers.
        let (number, rest) = self.any_number()?;
        *self = rest;
        Ok(number)
    }

    #[inline(never)]
    fn any_number(mut self) -> Result<(u64, Self), ProblemKind> {
        match self.any_digits()? {
            Some(number) if self.is_after_number() => Ok((number, self)),
            _ => Err(ProblemKind::NotANumber),
        }
    }

    /// Reads digits, which are hexadecimal after `0x`; `None` without any.
    fn any_digits(&mut self) -> Result<Option<u64>, ProblemKind> {
        if self.take(b"0x") || self.take(b"0X") {
            self.digits_of::<16>()
        } else {
            self.digits_of::<10>()
        }
    }

    fn digits_of<const RADIX: u32>(&mut self) -> Result<Option<u64>, ProblemKind> {
        let (start, mut value) = (self.pos, 0_u64);
        while let Some(digit) = char::from(self.peek()).to_digit(RADIX) {
            let shifted = value.checked_mul(RADIX.into());
            let Some(sum) = shifted.and_then(|value| value.checked_add(digit.into())) else {
                return Err(ProblemKind::NumberTooLarge);
            };
            value = sum;
            self.pos += 1;
        }
        Ok((self.pos > start).then_some(value))
    }

    /// Reads a subposition: absolute, or `+n`, `-n` and `*` relative to `base`. One that leads below
    /// 0 is read, too.
    #[inline(always)]
    pub fn subposition(&mut self, base: u64) -> Result<u64, ProblemKind> {
        let mut after = *self;
        after.pos += 1;
        let position = match self.peek() {
            b'+' => match base.checked_add(after.number()?) {
                Some(sum) => sum,
                None => return Err(ProblemKind::NumberTooLarge),
            },
            b'-' => match base.checked_sub(after.number()?) {
                Some(difference) => difference,
                None => {
                    *self = after;
                    return Err(ProblemKind::NegativePosition(base));
                }
            },
            b'*' if after.is_after_number() => base,
            _ => return self.number(),
        };
        *self = after;
        Ok(position)
    }

    /// Whether the bytes before this place are `text`.
    pub fn follows(&self, text: &[u8]) -> bool {
        self.data[..self.pos].ends_with(text)
    }

    /// Reads a number of calls. reli writes -1 for "unknown", which becomes 0.
    pub fn count(&mut self) -> Result<u64, ProblemKind> {
        let mut number = *self;
        if !number.take(b"-") {
            return self.number();
        }
        match number.number()? {
            0 | 1 => *self = number,
            _ => return Err(ProblemKind::NegativeCalls),
        }
        Ok(0)
    }

    /// Reads a cost: a sign, and digits of up to 64 bits.
    #[inline(always)]
    pub fn cost(&mut self) -> Result<i128, ProblemKind> {
        if self.peek() == b'-' {
            let mut number = *self;
            number.pos += 1;
            let cost = -i128::from(number.number()?);
            *self = number;
            return Ok(cost);
        }
        Ok(self.number()?.into())
    }

    /// Reads costs, each after a blank, to the end of the line, and returns the start of the next
    /// line.
    ///
    /// `places` has the index of each column in `row`, and any other for one that is not requested;
    /// `needed` is the number of columns up to the last requested one.
    ///
    /// `None` for a line of more than `PARTS` times 16 bytes, for requested costs of more than 8
    /// digits, and for anything but plain numbers.
    #[inline(always)]
    pub fn plain_costs<const PARTS: usize>(
        &self,
        places: &[usize],
        needed: usize,
        row: &mut [i64],
    ) -> Option<usize> {
        let bytes: &[u8; 80] = self.data.get(self.pos..)?.first_chunk()?;
        // The ends of the numbers, and the end of the parts.
        let end = if PARTS < 4 { 1 << (16 * PARTS) } else { 0 };
        let all = mask(bytes, PARTS, no_digits) | end;
        if all & 1 == 0 {
            return None;
        }
        let (mut ends, mut column) = (all, 0);
        loop {
            let at = ends.trailing_zeros() as usize;
            match bytes[at] {
                b'\n' => return Some(self.pos + at + 1),
                b' ' => {}
                _ => return None,
            }
            if PARTS > 2 && column >= needed {
                let rest = all & (u64::MAX << at);
                return Some(self.pos + plain_rest(bytes, rest, places.len() - column)?);
            }
            ends &= ends.wrapping_sub(1);
            let digits = (ends.trailing_zeros() as usize).wrapping_sub(at + 1);
            match row.get_mut(*places.get(column)?) {
                Some(cost) if digits.wrapping_sub(1) < 8 => {
                    *cost = eight_digits(word(bytes, at + 1), digits).cast_signed();
                }
                None if digits.wrapping_sub(1) < 15 => {}
                _ => return None,
            }
            column += 1;
        }
    }

    /// Reads the name in a position line, to the end of the line (section 3.1.5).
    ///
    /// `(` without a digit after it begins a plain name, such as `(below main)`.
    #[inline(always)]
    pub fn name(&mut self) -> Result<CompressedName<'a>, ProblemKind> {
        if let Some(id) = self.plain_reference() {
            return Ok(CompressedName::Reference(id));
        }
        let (name, rest) = self.any_name()?;
        *self = rest;
        Ok(name)
    }

    /// Reads `(id)` and the line end, which is the form of nearly all names.
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
    fn any_name(mut self) -> Result<(CompressedName<'a>, Self), ProblemKind> {
        self.skip_blanks();
        let id = self.id()?;
        self.skip_blanks();
        let name = match id {
            None => CompressedName::Plain(self.take_line()),
            Some(id) if self.end_of_line() => CompressedName::Reference(id),
            Some(id) => CompressedName::Definition(id, self.take_line()),
        };
        Ok((name, self))
    }

    /// Reads `(id)`, if it is next.
    pub fn id(&mut self) -> Result<Option<u64>, ProblemKind> {
        let mut rest = *self;
        if !rest.take(b"(") {
            return Ok(None);
        }
        let id = rest.any_digits()?.filter(|_| rest.take(b")"));
        if id.is_some() {
            *self = rest;
        }
        Ok(id)
    }
}

/// Finds the end of a line that contains only blanks and plain costs, at most `most`, from the first
/// of `ends` on. `ends` are the positions without a digit.
#[inline(always)]
fn plain_rest(bytes: &[u8; 80], ends: u64, most: usize) -> Option<usize> {
    let blanks = mask(bytes, 4, |part| equal(part, b' '));
    let stop = ends & !blanks;
    let end = stop.trailing_zeros() as usize;
    if stop == 0 || bytes[end] != b'\n' {
        return None;
    }
    let from = u64::MAX << ends.trailing_zeros();
    let digits = !ends & from & ((stop & stop.wrapping_neg()) - 1);
    let first_digits = digits & !(digits << 1);
    // Bits remain only of 16 or more digits in a row.
    let mut long = digits & digits >> 1;
    for step in [2, 4, 8] {
        long &= long >> step;
    }
    (long == 0 && first_digits.count_ones() as usize <= most).then_some(end + 1)
}

/// The text after the `=` of a position line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CompressedName<'a> {
    /// A name without an id.
    Plain(&'a [u8]),
    /// `(id) name`
    Definition(u64, &'a [u8]),
    /// `(id)`
    Reference(u64),
}

/// What a position line names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameKind {
    Object,
    File,
    /// `fi=` and `fe=`
    InlineFile,
    Function,
    CalleeObject,
    CalleeFile,
    Callee,
    /// The target of a jump, which has no costs. Its line may define an id.
    OtherFile,
    /// The same, or a caller, which Valgrind's `--mangle-names=no` writes.
    OtherFunction,
}

impl NameKind {
    /// Whether it names a function.
    pub fn is_function(self) -> bool {
        use NameKind::{Callee, Function, OtherFunction};
        matches!(self, Function | Callee | OtherFunction)
    }

    /// The kind of a position line, and the start of its name.
    #[inline(always)]
    pub fn by(line: &[u8]) -> Option<(NameKind, usize)> {
        // With its line end, even a line without a name has four bytes.
        Some(match line.first_chunk()? {
            [b'f', b'n', b'=', _] => (NameKind::Function, 3),
            [b'f', b'l', b'=', _] => (NameKind::File, 3),
            [b'f', b'i' | b'e', b'=', _] => (NameKind::InlineFile, 3),
            [b'o', b'b', b'=', _] => (NameKind::Object, 3),
            [b'c', b'f', b'n', b'='] => (NameKind::Callee, 4),
            [b'c', b'f', b'i' | b'l', b'='] => (NameKind::CalleeFile, 4),
            [b'c', b'o', b'b', b'='] => (NameKind::CalleeObject, 4),
            [b'j', b'f', b'i', b'='] => (NameKind::OtherFile, 4),
            [b'j', b'f', b'n', b'='] => (NameKind::OtherFunction, 4),
            b"frfn" if line.get(4) == Some(&b'=') => (NameKind::OtherFunction, 5),
            _ => return None,
        })
    }
}

/// The columns before the costs, as `positions:` names them (section 3.1.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Positions {
    count: usize,
    /// The index of the line.
    line: Option<usize>,
}

impl Default for Positions {
    /// The columns without a `positions:` header: a line.
    fn default() -> Self {
        Positions {
            count: 1,
            line: Some(0),
        }
    }
}

impl Positions {
    /// The largest number of columns: `instr`, `bb` and `line`.
    const MAX_COLUMNS: usize = 3;

    /// Reads the value of a `positions:` header, with the columns in any order. `None` if it is invalid.
    pub fn parse(value: &[u8]) -> Option<Self> {
        let mut names: Vec<&[u8]> = Vec::new();
        for name in words(value) {
            match name {
                b"instr" | b"bb" | b"line" if !names.contains(&name) => names.push(name),
                _ => return None,
            }
        }
        Some(Positions {
            count: names.len(),
            line: names.iter().position(|name| *name == b"line"),
        })
    }

    /// The number of numbers before the costs.
    #[inline]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Whether there are two columns, of which the second is the line.
    pub fn are_address_and_line(&self) -> bool {
        self.count == 2 && self.line == Some(1)
    }

    /// Whether the line is the only column.
    pub fn is_line_alone(&self) -> bool {
        *self == Positions::default()
    }
}

/// A source position: one number for each column (section 3.2.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Position(pub [u64; Positions::MAX_COLUMNS]);

impl Position {
    /// Sets the line, where that is the only column.
    #[inline]
    pub fn set_line(&mut self, line: u64) {
        self.0[0] = line;
    }

    /// The line; 0 without such a column.
    #[inline]
    pub fn line(&self, positions: Positions) -> u64 {
        // With an index, positions would not stay in registers.
        let [first, second, third] = self.0;
        match positions.line {
            None => 0,
            Some(0) => first,
            Some(1) => second,
            Some(_) => third,
        }
    }

    /// Reads a position relative to this one.
    #[inline(always)]
    pub fn read(&self, positions: Positions, text: &mut Cursor<'_>) -> Result<Self, ProblemKind> {
        let mut position = *self;
        for column in &mut position.0[..positions.count.min(Positions::MAX_COLUMNS)] {
            text.skip_blanks();
            *column = text.subposition(*column)?;
        }
        Ok(position)
    }

    /// Reads the numbers of a `calls=` line: a count and the target, to the end of the line.
    ///
    /// A target may have any number of numbers: Xdebug writes two for its one column, and some
    /// converters write none. A missing line is 0, and so is a relative one below 0, because Go's pprof
    /// uses another base.
    pub fn read_call(
        &self,
        positions: Positions,
        text: &mut Cursor<'_>,
    ) -> Result<PendingCall, ProblemKind> {
        text.skip_blanks();
        let (calls, mut target_line) = (text.count()?, 0);
        for column in 0.. {
            text.skip_blanks();
            if text.end_of_line() {
                break;
            }
            let base = self.0.get(column).copied().unwrap_or(0);
            let number = match text.subposition(base) {
                Err(ProblemKind::NegativePosition(_)) => 0,
                number => number?,
            };
            if positions.line == Some(column) {
                target_line = number;
            }
        }
        Ok(PendingCall { calls, target_line })
    }
}

/// The contents of a `calls=` line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PendingCall {
    /// The number of calls.
    pub calls: u64,
    /// The line of the callee.
    pub target_line: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is read of a text, or the name of the problem.
    fn read<'t, T>(
        text: &'t str,
        part: impl Fn(&mut Cursor<'t>) -> Result<T, ProblemKind>,
    ) -> Result<T, String> {
        part(&mut Cursor::new(text.as_bytes(), 0)).map_err(|kind| format!("{kind:?}"))
    }

    fn number(text: &str) -> Result<u64, String> {
        read(text, |text| text.number())
    }

    fn error<T>(kind: ProblemKind) -> Result<T, String> {
        Err(format!("{kind:?}"))
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
        assert_eq!(
            number("18446744073709551616\n"),
            error(ProblemKind::NumberTooLarge)
        );
        assert_eq!(
            number("0x10000000000000000\n"),
            error(ProblemKind::NumberTooLarge)
        );
        for text in ["0x\n", "12a\n", "12a\n      ", "\n", "x", "", "0x1g\n"] {
            assert_eq!(number(text), error(ProblemKind::NotANumber), "{text:?}");
        }
    }

    #[test]
    fn a_number_is_the_same_wherever_the_bytes_end() {
        for end in 0..12 {
            let text = format!("123456\n{}", "7".repeat(end));
            let mut cursor = Cursor::new(text.as_bytes(), 0);
            assert_eq!((cursor.number().ok(), cursor.pos), (Some(123_456), 6));
        }
    }

    #[test]
    fn subpositions_are_relative_to_their_base() {
        let read = |text: &str| read(text, |text| text.subposition(10));
        assert_eq!(read("+3 \n"), Ok(13));
        assert_eq!(read("+12345 7 \n"), Ok(12_355));
        assert_eq!(read("-10\n"), Ok(0));
        assert_eq!(read("*\n"), Ok(10));
        assert_eq!(read("+0x10\n"), Ok(26));
        assert_eq!(read("7\n"), Ok(7));
        assert_eq!(read("-11\n"), error(ProblemKind::NegativePosition(10)));
        assert_eq!(read("*3\n"), error(ProblemKind::NotANumber));
        assert_eq!(
            read("+18446744073709551615\n"),
            error(ProblemKind::NumberTooLarge)
        );
    }

    #[test]
    fn costs_have_signs_and_ends() {
        let read = |text: &str| read(text, |text| text.cost());
        assert_eq!(read("-432\n"), Ok(-432));
        assert_eq!(read("9223372036854775808\n"), Ok(1 << 63));
        assert_eq!(read("-18446744073709551615\n"), Ok(1 - (1 << 64)));
    }

    /// The costs in the requested columns, and the length of the line.
    fn plain<const PARTS: usize>(text: &str, places: &[usize]) -> Option<(Vec<i64>, usize)> {
        let data = format!("{text}{}", "0".repeat(80));
        let wanted = places.iter().filter(|&&place| place < 9).count();
        let needed = places.iter().rposition(|&place| place < 9).unwrap_or(0) + 1;
        let mut row = vec![0; wanted];
        let cursor = Cursor::new(data.as_bytes(), 0);
        let next = cursor.plain_costs::<PARTS>(places, needed, &mut row)?;
        Some((row, next))
    }

    #[test]
    fn plain_costs_are_read_into_their_places() {
        for text in [
            "\n",
            " 12\n",
            " 12 345\n",
            " 0 1234567 89\n",
            " 12345678 12345678 12345678\n",
        ] {
            let costs: Vec<i64> = text
                .split_whitespace()
                .map(|c| c.parse().unwrap())
                .collect();
            let cost = |column: usize| costs.get(column).copied().unwrap_or(0);
            let [first, second, third] = [0, 1, 2].map(cost);
            for (places, row) in [
                ([0, 9, 9], vec![first]),
                ([9, 0, 9], vec![second]),
                ([1, 9, 0], vec![third, first]),
                ([0, 1, 2], vec![first, second, third]),
            ] {
                let expected = Some((row, text.len()));
                assert_eq!(plain::<2>(text, &places), expected, "{text:?}");
                assert_eq!(plain::<4>(text, &places), expected, "{text:?}");
            }
        }
        for text in [
            "1\n",
            "1 2\n",
            " 1 -2\n",
            " 123456789\n",
            " 1 1234567890123456\n",
            " 1 2 3 4\n",
            " 1 2\r\n",
            " 1\t2\n",
            " 1x\n",
            " 1                                                                  \n",
        ] {
            assert_eq!(plain::<2>(text, &[0, 9, 9]), None, "{text:?}");
            assert_eq!(plain::<4>(text, &[0, 9, 9]), None, "{text:?}");
        }
        let long = " 1 234567890 234567890 2345678901\n";
        assert_eq!(plain::<2>(long, &[0, 9, 9, 9]), None);
        assert_eq!(plain::<4>(long, &[0, 9, 9, 9]), Some((vec![1], long.len())));
        assert_eq!(plain::<4>(" 1 2  34 \n", &[0, 9, 9]), Some((vec![1], 10)));
        let mut row = [0];
        assert_eq!(
            Cursor::new(b" 1 2\n", 0).plain_costs::<2>(&[0, 9], 1, &mut row),
            None
        );
    }

    #[test]
    fn names_and_ids_are_told_apart() {
        // With nothing after the line, and with enough to read words.
        for after in ["", "fn=(99)\n"] {
            let parse = |text: &str| {
                let data = format!("{text}\n{after}");
                let mut cursor = Cursor::new(data.as_bytes(), 0);
                let name = cursor.name();
                assert!(name.is_err() || cursor.pos == text.len() + 1, "{text:?}");
                format!("{name:?}")
            };
            let check = |text: &str, expected: CompressedName<'_>| {
                let expected = format!("{:?}", Ok::<_, ProblemKind>(expected));
                assert_eq!(parse(text), expected);
            };
            check("main", CompressedName::Plain(b"main"));
            check(" main\r", CompressedName::Plain(b"main"));
            check("", CompressedName::Plain(b""));
            check("(below main)", CompressedName::Plain(b"(below main)"));
            check("(12 main", CompressedName::Plain(b"(12 main"));
            check("()", CompressedName::Plain(b"()"));
            check("(12)", CompressedName::Reference(12));
            check("(12) ", CompressedName::Reference(12));
            check("(12)\r", CompressedName::Reference(12));
            check("(123456789)", CompressedName::Reference(123_456_789));
            check("(0x1f)", CompressedName::Reference(31));
            check("(12) f(int)", CompressedName::Definition(12, b"f(int)"));
            check("(8)name\r", CompressedName::Definition(8, b"name"));
            assert_eq!(parse("(18446744073709551616) f"), "Err(NumberTooLarge)");
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
        let target = |target: &str| {
            let text = format!("1 {target}");
            read(&text, |text| base.read_call(positions, text)).map(|call| call.target_line)
        };
        assert_eq!(target("0x858a0 +40 \n"), Ok(47));
        assert_eq!(target("0 0 0\n"), Ok(0));
        assert_eq!(target("5\n"), Ok(0));
        assert_eq!(target("\r\n"), Ok(0));
        assert_eq!(target("* -8\n"), Ok(0));
        assert_eq!(target("* x\n"), error(ProblemKind::NotANumber));
        assert_eq!(target("* 8\r9\n"), error(ProblemKind::NotANumber));
    }
}
