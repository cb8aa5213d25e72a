//! Numbers and blanks within a line. Pure: no I/O, no state but a place in the bytes.

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
    pub fn new(data: &'a [u8], pos: usize) -> Self {
        Cursor { data, pos }
    }

    pub fn pos(&self) -> usize {
        self.pos
    }

    /// The bytes from this place to the end of the line.
    pub fn rest_of_line(&self) -> &'a [u8] {
        let rest = self.data.get(self.pos..).unwrap_or_default();
        let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        &rest[..end]
    }

    /// The byte at this place; `\n` past the end.
    #[inline]
    pub fn peek(&self) -> u8 {
        self.data.get(self.pos).copied().unwrap_or(b'\n')
    }

    fn peek_second(&self) -> u8 {
        self.data.get(self.pos + 1).copied().unwrap_or(b'\n')
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
    #[inline]
    pub fn number(&mut self) -> Result<u64, NumberError> {
        let digit = self.peek().wrapping_sub(b'0');
        if digit > 9 {
            return Err(NumberError::NotANumber);
        }
        if digit == 0 && matches!(self.peek_second(), b'x' | b'X') {
            return self.hexadecimal();
        }
        let start = self.pos;
        let mut value = u64::from(digit);
        self.pos += 1;
        loop {
            let digit = self.peek().wrapping_sub(b'0');
            if digit > 9 {
                break;
            }
            value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
            self.pos += 1;
        }
        if self.pos - start >= 20 {
            value = checked_decimal(&self.data[start..self.pos])?;
        }
        self.ends_here(value)
    }

    #[cold]
    fn hexadecimal(&mut self) -> Result<u64, NumberError> {
        self.pos += 2;
        let start = self.pos;
        let mut value: u64 = 0;
        while let Some(digit) = char::from(self.peek()).to_digit(16) {
            if value >> 60 != 0 {
                return Err(NumberError::TooLarge);
            }
            value = value << 4 | u64::from(digit);
            self.pos += 1;
        }
        if self.pos == start {
            return Err(NumberError::NotANumber);
        }
        self.ends_here(value)
    }

    #[inline]
    fn ends_here(&self, value: u64) -> Result<u64, NumberError> {
        match self.peek() {
            b' ' | b'\n' | b'\t' | b'\r' => Ok(value),
            _ => Err(NumberError::NotANumber),
        }
    }

    /// Reads a subposition: absolute, or `+n`, `-n` and `*` relative to `base`.
    #[inline]
    pub fn subposition(&mut self, base: u64) -> Result<u64, NumberError> {
        match self.peek() {
            b'+' => {
                self.pos += 1;
                let step = self.number()?;
                base.checked_add(step).ok_or(NumberError::TooLarge)
            }
            b'*' => {
                self.pos += 1;
                self.ends_here(base)
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

    /// Reads a cost. Beyond the 64 bits with a sign it stays at their ends.
    #[inline]
    pub fn cost(&mut self) -> Result<i64, NumberError> {
        if self.peek() == b'-' {
            self.pos += 1;
            let cost = self.number()?;
            return Ok(0i64.saturating_sub_unsigned(cost));
        }
        let cost = self.number()?;
        Ok(i64::try_from(cost).unwrap_or(i64::MAX))
    }
}

fn checked_decimal(digits: &[u8]) -> Result<u64, NumberError> {
    digits.iter().try_fold(0u64, |value, digit| {
        value
            .checked_mul(10)
            .and_then(|value| value.checked_add(u64::from(digit - b'0')))
            .ok_or(NumberError::TooLarge)
    })
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
        assert_eq!(number("18446744073709551615\n"), Ok(u64::MAX));
        assert_eq!(number("000000000000000000000000000007\t"), Ok(7));
        assert_eq!(number("0xffffFFFFffffffff\r\n"), Ok(u64::MAX));
        assert_eq!(number("0X1f\n"), Ok(31));
    }

    #[test]
    fn what_is_no_number() {
        assert_eq!(number("18446744073709551616\n"), Err(NumberError::TooLarge));
        assert_eq!(number("0x10000000000000000\n"), Err(NumberError::TooLarge));
        assert_eq!(number("0x\n"), Err(NumberError::NotANumber));
        assert_eq!(number("12a\n"), Err(NumberError::NotANumber));
        assert_eq!(number("\n"), Err(NumberError::NotANumber));
    }

    #[test]
    fn subpositions_are_relative_to_their_base() {
        let read = |text: &str| Cursor::new(text.as_bytes(), 0).subposition(10);
        assert_eq!(read("+3 \n"), Ok(13));
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
}
