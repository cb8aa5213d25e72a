//! Several bytes at once: masks with a bit for each byte, and decimal digits in words of 8 bytes.
//!
//! The first byte of a text is the lowest bit of its mask, and the lowest byte of its word.

#[cfg(target_arch = "x86_64")]
use safe_arch as sse;

/// A byte of 1 in each byte.
const ONES: u64 = u64::MAX / 0xff;

/// The 8 bytes at a position.
#[inline(always)]
pub(super) fn word<const LENGTH: usize>(bytes: &[u8; LENGTH], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(word)
}

/// The bits of up to four parts of 16 bytes.
#[inline(always)]
pub(super) fn mask(bytes: &[u8], parts: usize, mut bits: impl FnMut(&[u8; 16]) -> u32) -> u64 {
    let mut mask = 0;
    for (part, bytes) in bytes.as_chunks().0.iter().take(parts).enumerate() {
        mask |= u64::from(bits(bytes)) << (16 * part);
    }
    mask
}

/// A bit for each byte that equals `byte`.
#[inline(always)]
pub(super) fn equal(bytes: &[u8; 16], byte: u8) -> u32 {
    same(bytes, &[byte; 16])
}

/// A bit for each position with the same byte in both.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) fn same(bytes: &[u8; 16], others: &[u8; 16]) -> u32 {
    let [bytes, others] = [bytes, others].map(sse::load_unaligned_m128i);
    sse::move_mask_i8_m128i(sse::cmp_eq_mask_i8_m128i(bytes, others)).cast_unsigned()
}

/// A bit for each byte that is not one of the `COUNT` from `first` on.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) fn outside<const COUNT: u8>(bytes: &[u8; 16], first: u8) -> u32 {
    // The bytes in the interval become the smallest signed ones.
    let offset = sse::set_splat_i8_m128i(0x80_u8.wrapping_sub(first).cast_signed());
    let values = sse::add_i8_m128i(sse::load_unaligned_m128i(bytes), offset);
    let last = sse::set_splat_i8_m128i((0x80 + (COUNT - 1)).cast_signed());
    sse::move_mask_i8_m128i(sse::cmp_gt_mask_i8_m128i(values, last)).cast_unsigned()
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) use portable::{outside, same};

/// The same for all other machines.
#[cfg(any(test, not(target_arch = "x86_64")))]
mod portable {
    /// A bit for each byte that is the same in both.
    pub fn same(bytes: &[u8; 16], others: &[u8; 16]) -> u32 {
        let pairs = bytes.iter().zip(others).enumerate();
        pairs.fold(0, |bits, (at, (byte, other))| {
            bits | u32::from(byte == other) << at
        })
    }

    /// A bit for each byte that is not one of the `COUNT` from `first` on.
    pub fn outside<const COUNT: u8>(bytes: &[u8; 16], first: u8) -> u32 {
        let is_outside = |byte: u8| byte.wrapping_sub(first) >= COUNT;
        let bytes = bytes.iter().enumerate();
        bytes.fold(0, |bits, (at, &byte)| {
            bits | u32::from(is_outside(byte)) << at
        })
    }
}

/// A bit for each byte that is not a digit.
#[inline(always)]
pub(super) fn no_digits(bytes: &[u8; 16]) -> u32 {
    outside::<10>(bytes, b'0')
}

/// The number in the first 1 to 8 bytes of a word.
#[inline(always)]
pub(super) fn eight_digits(word: u64, digits: usize) -> u64 {
    join((word ^ (ONES * 0x30)) << ((64 - 8 * digits) % 64))
}

/// The number whose 8 digits are the bytes of a word.
///
/// Leading zeros are shifted in from below; the bytes after the number are shifted out above.
#[inline(always)]
fn join(digits: u64) -> u64 {
    // Each step joins neighbours: the lower one, which comes first, has the higher value.
    let pairs = (digits.wrapping_mul(10 << 8 | 1) >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul(100 << 16 | 1) >> 16) & 0x0000_ffff_0000_ffff;
    fours.wrapping_mul(10_000 << 32 | 1) >> 32
}

/// The 0 to 7 digits at the beginning of a word. A word of 8 digits counts as none.
#[derive(Clone, Copy)]
pub(super) struct Digits {
    word: u64,
    /// The value of each digit, followed by garbage.
    values: u64,
    /// 8 for each digit.
    bits: u32,
}

impl Digits {
    /// Finds their end.
    #[inline(always)]
    pub fn of(word: u64) -> Self {
        // Digits become 0 to 9. Every other byte has its top bit set, in the sum or before it. A carry
        // changes only bytes after the first of these.
        let values = word ^ (ONES * 0x30);
        let others = (values.wrapping_add(ONES * (0x7f - 9)) | values) & (ONES << 7);
        let bits = others.trailing_zeros() & 0x38;
        Digits { word, values, bits }
    }

    /// Their number; 0 without any.
    #[inline(always)]
    pub fn number(self) -> u64 {
        // In two steps, because a shift by 64 bits is not allowed.
        join(self.values << 8 << (56 - self.bits))
    }

    /// Their count.
    #[inline(always)]
    pub fn count(self) -> usize {
        self.bits as usize / 8
    }

    /// The byte after them.
    #[inline(always)]
    pub fn end(self) -> u8 {
        (self.word >> self.bits).to_le_bytes()[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_the_same_on_any_machine() {
        for byte in 0..=u8::MAX {
            let mut bytes = [b'5'; 16];
            (bytes[3], bytes[14]) = (byte, byte);
            let expected = if byte.is_ascii_digit() {
                0
            } else {
                1 << 3 | 1 << 14
            };
            assert_eq!(no_digits(&bytes), expected);
            assert_eq!(portable::outside::<10>(&bytes, b'0'), expected);
            let here = if byte == b'5' {
                0xffff
            } else {
                1 << 3 | 1 << 14
            };
            assert_eq!(
                (equal(&bytes, byte), portable::same(&bytes, &[byte; 16])),
                (here, here)
            );
        }
    }

    #[test]
    fn numbers_of_every_length() {
        for length in 0..=8 {
            let text = format!("{:<8}", &"98765432"[..length]);
            let digits = Digits::of(u64::from_le_bytes(text.as_bytes().try_into().unwrap()));
            if length <= 7 {
                let expected = text.trim().parse().unwrap_or(0);
                assert_eq!((digits.count(), digits.number()), (length, expected));
                assert_eq!(digits.end(), b' ');
            } else {
                assert_eq!((digits.count(), digits.number()), (0, 0));
            }
        }
    }

    #[test]
    fn every_byte_but_a_digit_ends_a_number() {
        for byte in 0..=u8::MAX {
            let word = [b'1', byte, b'3', 0xff, b'5', b'6', 0x80, b':'];
            let digits = Digits::of(u64::from_le_bytes(word));
            if byte.is_ascii_digit() {
                assert_eq!((digits.count(), digits.end()), (3, 0xff));
            } else {
                assert_eq!((digits.count(), digits.number()), (1, 1));
                assert_eq!(digits.end(), byte);
            }
        }
    }
}
