//! Numbers within a word of 8 bytes, all of them at once.
//!
//! The first byte of a text is the lowest of its word.

/// A byte of 1 in each byte.
const ONES: u64 = u64::MAX / 0xff;

/// The 8 bytes at a place; panics beyond the end.
#[inline(always)]
pub(super) fn at(bytes: &[u8], place: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[place..place + 8]);
    u64::from_le_bytes(word)
}

/// Up to 8 bytes, with zeros behind.
#[inline(always)]
pub(super) fn padded<const LENGTH: usize>(text: &[u8; LENGTH]) -> u64 {
    let mut word = [0; 8];
    word[..LENGTH].copy_from_slice(text);
    u64::from_le_bytes(word)
}

/// The number that the first `digits` (1 to 8) bytes of `word` spell.
#[inline(always)]
pub(super) fn eight_digits(word: u64, digits: usize) -> u64 {
    // Leading zeros come in from below; what lies behind the number falls out above.
    join((word & (ONES * 0x0f)) << ((64 - 8 * digits) % 64))
}

/// The number that the first `digits` (0 to 4) bytes of `word` spell.
#[inline(always)]
pub(super) fn four_digits(word: u64, digits: usize) -> u64 {
    // The same within the lower half; without any digit nothing is left in it.
    let digits = (word & 0xffff_ffff) << ((32 - 8 * digits) % 64) & 0x0f0f_0f0f;
    let pairs = (digits.wrapping_mul(10 << 8 | 1) >> 8) & 0x00ff_00ff;
    (pairs.wrapping_mul(100 << 16 | 1) >> 16) & 0xffff
}

/// The number whose 8 digits are the bytes of a word.
#[inline(always)]
fn join(digits: u64) -> u64 {
    // Each step joins neighbours: the lower one, which comes first, is worth more.
    let pairs = (digits.wrapping_mul(10 << 8 | 1) >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul(100 << 16 | 1) >> 16) & 0x0000_ffff_0000_ffff;
    fours.wrapping_mul(10_000 << 32 | 1) >> 32
}

/// The digits that a word begins with: none to 7, for one of 8 counts as none.
#[derive(Clone, Copy)]
pub(super) struct Digits {
    word: u64,
    /// What each digit is worth; nonsense behind them.
    values: u64,
    /// Eight for each digit.
    bits: u32,
}

impl Digits {
    /// Finds their end.
    #[inline(always)]
    pub fn of(word: u64) -> Self {
        // Digits become 0 to 9. All other bytes have the top bit set in the sum, or have it
        // already; what a sum carries over goes to bytes behind the first of these.
        let values = word ^ (ONES * 0x30);
        let others = (values.wrapping_add(ONES * (0x7f - 9)) | values) & (ONES << 7);
        let bits = others.trailing_zeros() & 0x38;
        Digits { word, values, bits }
    }

    /// The number that they spell; 0 for none.
    #[inline(always)]
    pub fn number(self) -> u64 {
        // In two steps, for there may be none, and then nothing must be left.
        join(self.values << 8 << (56 - self.bits))
    }

    /// How many there are.
    #[inline(always)]
    pub fn count(self) -> usize {
        self.bits as usize / 8
    }

    /// Whether `byte` stands behind them.
    #[inline(always)]
    pub fn end_before(self, byte: u8) -> bool {
        (self.word >> self.bits) & 0xff == u64::from(byte)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_length() {
        for digits in 1..=8 {
            let text = format!("{:<8}", &"98765432"[..digits]);
            let word = at(text.as_bytes(), 0);
            let expected: u64 = text.trim().parse().unwrap();
            assert_eq!(eight_digits(word, digits), expected);
            if digits <= 4 {
                assert_eq!(four_digits(word, digits), expected);
            }
            let found = Digits::of(word);
            if digits <= 7 {
                assert_eq!((found.count(), found.number()), (digits, expected));
                assert!(found.end_before(b' ') && !found.end_before(b'\n'));
            } else {
                assert_eq!((found.count(), found.number()), (0, 0));
            }
        }
        assert_eq!(four_digits(u64::MAX, 0), 0);
    }

    #[test]
    fn every_byte_but_a_digit_ends_a_number() {
        for byte in 0..=u8::MAX {
            let digits = Digits::of(padded(&[b'1', byte, b'3', 0xff, b'5', b'6', 0x80, b':']));
            if byte.is_ascii_digit() {
                assert_eq!(digits.count(), 3);
                assert!(digits.end_before(0xff));
            } else {
                assert_eq!((digits.count(), digits.number()), (1, 1));
                assert!(digits.end_before(byte));
            }
        }
    }
}
