//! A few dozen bytes at once: where the numbers in them end, and what they are.

use wide::u8x16;

use super::word;

/// Bytes that a shape may span.
const SPAN: usize = 64;

/// What must be there to look at a shape: words of 8 bytes are read from anywhere in the span.
const WINDOW: usize = SPAN + 16;

/// The most digits of a number that is sure to have no more than 64 bits.
const MOST_DIGITS: usize = 16;

/// Bytes of a text that can be compared at once.
pub(super) const TEXT: usize = 48;

/// The bytes that a window begins with.
pub(in crate::callgrind) type Text = [u8; TEXT];

/// A walk through the bytes at one place, from number to number.
///
/// Steps beyond the span wrap around rather than check each time. Nothing is read from there: a
/// number has to begin where digits were looked for, and no shape is long without numbers.
#[derive(Clone, Copy)]
pub(in crate::callgrind) struct Window<'a> {
    bytes: &'a [u8; WINDOW],
    /// Bit `i` is set where byte `i` is no digit, or was not looked at.
    no_digits: u64,
    at: usize,
}

impl<'a> Window<'a> {
    /// Looks at the bytes from `pos` on, for numbers in the first `PARTS` times 16 of them.
    ///
    /// None close to the end of the data.
    #[inline(always)]
    pub fn new<const PARTS: usize>(data: &'a [u8], pos: usize) -> Option<Self> {
        let bytes = data.get(pos..)?.first_chunk()?;
        Some(Window {
            bytes,
            no_digits: mask::<PARTS>(bytes, no_digit_mask) | beyond::<PARTS>(),
            at: 0,
        })
    }

    /// Looks at the bytes from `pos` on, but not for numbers.
    #[inline(always)]
    pub fn unread(data: &'a [u8], pos: usize) -> Option<Self> {
        Some(Window {
            bytes: data.get(pos..)?.first_chunk()?,
            no_digits: u64::MAX,
            at: 0,
        })
    }

    /// Where the first, second … blank stands, if it is within a [`Text`].
    #[inline(always)]
    pub fn blank<const NUMBER: u32>(&self) -> Option<usize> {
        let mut blanks = mask::<{ TEXT / 16 }>(self.bytes, blank_mask);
        for _ in 1..NUMBER {
            blanks &= blanks.wrapping_sub(1);
        }
        (blanks != 0).then(|| blanks.trailing_zeros() as usize)
    }

    /// The bytes that the window begins with.
    pub fn text(&self) -> Text {
        let mut text = [0; TEXT];
        text.copy_from_slice(&self.bytes[..TEXT]);
        text
    }

    /// Whether the first `length` bytes are those of `text`.
    #[inline(always)]
    pub fn begins_with(&self, text: &Text, length: usize) -> bool {
        let mut differ = 0;
        for (part, (a, b)) in self
            .bytes
            .as_chunks()
            .0
            .iter()
            .zip(text.as_chunks().0)
            .enumerate()
        {
            let same = u8x16::new(*a).simd_eq(u8x16::new(*b)).to_bitmask();
            differ |= u64::from(same ^ 0xffff) << (16 * part);
        }
        differ.trailing_zeros() as usize >= length
    }

    /// A number of so many bits that follows from 8 bytes at each of two places.
    #[inline(always)]
    pub fn hash(&self, a: usize, b: usize, bits: u32) -> usize {
        let mixed = self.word(a).rotate_left(20) ^ self.word(b);
        let hash = mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - bits);
        usize::try_from(hash).unwrap_or(0)
    }

    /// Steps over one byte and returns it.
    #[inline(always)]
    pub fn byte(&mut self) -> u8 {
        let byte = self.peek();
        self.at += 1;
        byte
    }

    /// Steps over `byte` if it stands here.
    #[inline(always)]
    pub fn skip(&mut self, byte: u8) -> bool {
        let found = self.peek() == byte;
        if found {
            self.at += 1;
        }
        found
    }

    /// Steps over a fixed text of up to 8 bytes.
    #[inline(always)]
    pub fn step_over<const N: usize>(&mut self, text: &[u8; N]) -> Option<()> {
        self.step_over_either(text, text)
    }

    /// Steps over one of two fixed texts of up to 8 bytes, without a branch for which it is.
    #[inline(always)]
    pub fn step_over_either<const N: usize>(&mut self, a: &[u8; N], b: &[u8; N]) -> Option<()> {
        let word = self.word(self.at) & word::padded(&[0xff; N]);
        self.at += N;
        ((word == word::padded(a)) | (word == word::padded(b))).then_some(())
    }

    /// Reads a number of up to 8 digits.
    #[inline(always)]
    pub fn number(&mut self) -> Option<u64> {
        let start = self.at;
        match self.digits() {
            digits @ 1..=8 => Some(word::eight_digits(self.word(start), digits)),
            _ => None,
        }
    }

    /// Reads a number of up to 8 digits that seldom has more than 4.
    #[inline(always)]
    pub fn short_number(&mut self) -> Option<u64> {
        let start = self.at;
        match self.digits() {
            digits @ 1..=4 => Some(word::four_digits(self.word(start), digits)),
            digits @ 5..=8 => Some(word::eight_digits(self.word(start), digits)),
            _ => None,
        }
    }

    /// Steps over a number that is sure to be one of 64 bits.
    #[inline(always)]
    pub fn skip_number(&mut self) -> Option<()> {
        (1..=MOST_DIGITS).contains(&self.digits()).then_some(())
    }

    /// Reads a subposition: a number, or `+n`, `-n` and `*` relative to `base`.
    #[inline(always)]
    pub fn subposition(&mut self, base: u64) -> Option<u64> {
        let sign = self.peek();
        if sign.is_ascii_digit() {
            return self.absolute();
        }
        // The signs follow no pattern: so no branch depends on which of the three it is.
        self.at += 1;
        let start = self.at;
        let digits = self.digits();
        if digits > 4 || !matches!(sign, b'+' | b'-' | b'*') || (sign == b'*') != (digits == 0) {
            return None;
        }
        let step = word::four_digits(self.word(start), digits).cast_signed();
        base.checked_add_signed(if sign == b'-' { -step } else { step })
    }

    /// Reads a subposition that mostly is `+n`.
    #[inline(always)]
    pub fn rising_subposition(&mut self, base: u64) -> Option<u64> {
        if self.peek() != b'+' {
            return self.subposition(base);
        }
        self.at += 1;
        base.checked_add(self.short_number()?)
    }

    /// Reads a subposition that often is `*` or a digit alone.
    #[inline(always)]
    pub fn small_subposition(&mut self, base: u64) -> Option<u64> {
        if self.bytes[(self.at + 1) % SPAN] > b' ' {
            return self.subposition(base);
        }
        match self.byte() {
            b'*' => Some(base),
            digit @ b'0'..=b'9' => Some(u64::from(digit - b'0')),
            _ => None,
        }
    }

    #[inline(always)]
    fn absolute(&mut self) -> Option<u64> {
        if self.bytes[(self.at + 1) % SPAN] == b'x' {
            return self.hexadecimal();
        }
        self.short_number()
    }

    /// Reads a number with `0x`.
    fn hexadecimal(&mut self) -> Option<u64> {
        self.step_over(b"0x")?;
        let mut value = 0;
        let start = self.at;
        while let Some(digit) = char::from(self.peek()).to_digit(16) {
            value = value << 4 | u64::from(digit);
            self.at += 1;
            if self.at - start > MOST_DIGITS {
                return None;
            }
        }
        (self.at > start).then_some(value)
    }

    /// Steps over a number with `0x` that is sure to have no more than 64 bits, if one is here.
    #[inline(always)]
    pub fn skip_hexadecimal(&mut self) -> bool {
        let start = self.at % SPAN;
        let Some([b'0', b'x', digits @ ..]) = self.bytes[start..].first_chunk::<18>() else {
            return false;
        };
        let digits = (no_hexadecimal_mask(u8x16::new(*digits)) | 1 << 16).trailing_zeros() as usize;
        let ends = digits > 0 && self.bytes[(start + 2 + digits) % WINDOW] <= b' ';
        if ends {
            self.at = start + 2 + digits;
        }
        ends
    }

    /// Steps over the rest of the line, if its end is among the next `PARTS` times 16 bytes.
    #[inline(always)]
    pub fn skip_line<const PARTS: usize>(&mut self) -> Option<()> {
        let rest = self.bytes.get(self.at..)?;
        let newlines = mask::<PARTS>(rest, newline_mask);
        self.at += newlines.trailing_zeros() as usize + 1;
        (newlines != 0).then_some(())
    }

    /// How many bytes were stepped over.
    #[inline(always)]
    pub fn length(&self) -> usize {
        self.at
    }

    /// Steps over digits, and returns how many there are.
    #[inline(always)]
    fn digits(&mut self) -> usize {
        let digits = (self.no_digits >> (self.at % SPAN)).trailing_zeros() as usize;
        self.at += digits;
        digits
    }

    /// The byte at this place.
    #[inline(always)]
    pub fn peek(&self) -> u8 {
        self.bytes[self.at % SPAN]
    }

    /// The 8 bytes at `at`; wraps around at the end of the span, where nobody looks any more.
    #[inline(always)]
    fn word(&self, at: usize) -> u64 {
        word::at(self.bytes, at % SPAN)
    }
}

/// The bits of the bytes that are not looked at.
const fn beyond<const PARTS: usize>() -> u64 {
    if PARTS < SPAN / 16 {
        u64::MAX << (16 * PARTS)
    } else {
        0
    }
}

/// A bit for each of the first `PARTS` times 16 bytes.
#[inline(always)]
fn mask<const PARTS: usize>(bytes: &[u8], bits: impl Fn(u8x16) -> u32) -> u64 {
    let mut mask = 0;
    for (part, bytes) in bytes.as_chunks().0.iter().take(PARTS).enumerate() {
        mask |= u64::from(bits(u8x16::new(*bytes))) << (16 * part);
    }
    mask
}

/// Bit `i` is set where byte `i` is no ASCII digit.
#[inline(always)]
fn no_digit_mask(bytes: u8x16) -> u32 {
    // Digits become 0 to 9, and then at most 127; all else has the top bit set.
    let values = bytes - u8x16::splat(b'0');
    values.saturating_add(u8x16::splat(127 - 9)).to_bitmask()
}

/// Bit `i` is set where byte `i` is no hexadecimal digit.
#[inline(always)]
fn no_hexadecimal_mask(bytes: u8x16) -> u32 {
    // As with digits, with the letters in lower case.
    let values = (bytes | u8x16::splat(0x20)) - u8x16::splat(b'a');
    no_digit_mask(bytes) & values.saturating_add(u8x16::splat(127 - 5)).to_bitmask()
}

/// Bit `i` is set where byte `i` is a blank.
#[inline(always)]
fn blank_mask(bytes: u8x16) -> u32 {
    bytes.simd_eq(u8x16::splat(b' ')).to_bitmask()
}

/// Bit `i` is set where byte `i` is `\n`.
#[inline(always)]
fn newline_mask(bytes: u8x16) -> u32 {
    bytes.simd_eq(u8x16::splat(b'\n')).to_bitmask()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_a_digit_or_not() {
        for byte in 0..=u8::MAX {
            let mask = no_digit_mask(u8x16::splat(byte));
            let expected = if byte.is_ascii_digit() { 0 } else { 0xffff };
            assert_eq!(mask, expected, "{byte}");
        }
    }

    #[test]
    fn numbers_end_within_what_was_looked_at() {
        let data = [b'7'; WINDOW];
        let mut window = Window::new::<1>(&data, 0).unwrap();
        assert_eq!(window.number(), None);
        assert_eq!(window.length(), 16);
        assert_eq!(window.number(), None);
        assert!(Window::new::<1>(&data, 1).is_none());
        assert!(Window::new::<1>(&data, usize::MAX).is_none());
    }

    #[test]
    fn texts_are_compared_as_far_as_they_go() {
        let mut data = [b'a'; WINDOW];
        let text = Window::unread(&data, 0).unwrap().text();
        data[40] = b' ';
        let window = Window::unread(&data, 0).unwrap();
        assert!(window.begins_with(&text, 40));
        assert!(!window.begins_with(&text, 41));
        assert_eq!(window.blank::<1>(), Some(40));
        assert_eq!(window.blank::<2>(), None);
    }
}
