//! Xdebug's blocks, read several lines at a time.
//!
//! In a trace nearly all lines belong to one of two shapes:
//!
//! ```text
//! fl=(2)                cfl=(1)
//! fn=(3)                cfn=(1)
//! 9 222 432             calls=1 0 0
//!                       5 1707 0
//! ```
//!
//! Whatever differs by a byte is left to the general path, which gives the same result. The gain
//! lies in finding the ends of all numbers of a shape at once, in a bit mask of its first 64
//! bytes, instead of from byte to byte.

use wide::u8x16;

/// Bytes that a shape may span.
const SPAN: usize = 64;

/// What must be there to look at a shape: words of 8 bytes are read from anywhere in the span.
const WINDOW: usize = SPAN + 16;

/// The most digits of a number; longer ones are left to the general path.
const MOST_DIGITS: usize = 16;

/// The numbers of one of the two shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// Id of the file.
    pub file: u64,
    /// Id of the function.
    pub function: u64,
    /// Line, and up to two costs; 0 where missing.
    pub line: u64,
    /// The costs; 0 where missing.
    pub costs: [u64; 2],
    /// How many costs there are.
    pub cost_count: usize,
    /// Bytes that the shape takes.
    pub length: usize,
}

/// Reads `fl=(id)`, `fn=(id)` and a cost line.
#[inline]
pub(super) fn block(data: &[u8], pos: usize) -> Option<Shape> {
    let mut scan = Scan::new(data, pos)?;
    scan.expect(b"fl=(")?;
    let file = scan.number()?;
    scan.expect(b")\nfn=(")?;
    let function = scan.number()?;
    scan.expect(b")\n")?;
    scan.cost_line(file, function)
}

/// Reads `cfl=(id)`, `cfn=(id)`, `calls=1 0 0` and the call's cost line.
#[inline]
pub(super) fn call(data: &[u8], pos: usize) -> Option<Shape> {
    let mut scan = Scan::new(data, pos)?;
    scan.expect(b"cfl=(")?;
    let file = scan.number()?;
    scan.expect(b")\ncfn=(")?;
    let function = scan.number()?;
    scan.expect(b")\ncalls=")?;
    scan.expect(b"1 0 0\n")?;
    scan.cost_line(file, function)
}

/// A walk through a window, from number to number.
struct Scan<'a> {
    window: &'a [u8; WINDOW],
    /// Bit `i` is set where byte `i` of the window is no digit.
    no_digit: u64,
    at: usize,
}

impl<'a> Scan<'a> {
    #[inline]
    fn new(data: &'a [u8], pos: usize) -> Option<Self> {
        let window: &[u8; WINDOW] = data.get(pos..pos + WINDOW)?.try_into().ok()?;
        Some(Scan {
            window,
            no_digit: no_digit_mask(window),
            at: 0,
        })
    }

    /// The 8 bytes at `at`; wraps around at the end of the span, where nobody looks any more.
    #[inline]
    fn word(&self, at: usize) -> u64 {
        let at = at % SPAN;
        let mut word = [0; 8];
        word.copy_from_slice(&self.window[at..at + 8]);
        u64::from_le_bytes(word)
    }

    /// Steps over a fixed text of up to 8 bytes.
    #[inline]
    fn expect<const N: usize>(&mut self, text: &[u8; N]) -> Option<()> {
        let mut wanted = [0; 8];
        let mut mask = [0; 8];
        wanted[..N].copy_from_slice(text);
        mask[..N].fill(0xff);
        let word = self.word(self.at) & u64::from_le_bytes(mask);
        self.at += N;
        (word == u64::from_le_bytes(wanted)).then_some(())
    }

    /// Reads a number that ends within the span.
    #[inline]
    fn number(&mut self) -> Option<u64> {
        if self.at >= SPAN {
            return None;
        }
        let ends = self.no_digit >> self.at;
        let digits = ends.trailing_zeros() as usize;
        let start = self.at;
        self.at += digits;
        match digits {
            1..=8 => Some(decimal(self.word(start), digits)),
            9..=MOST_DIGITS => {
                let high = decimal(self.word(start), digits - 8);
                let low = decimal(self.word(self.at - 8), 8);
                Some(high * 100_000_000 + low)
            }
            _ => None,
        }
    }

    #[inline]
    fn cost_line(mut self, file: u64, function: u64) -> Option<Shape> {
        let mut shape = Shape {
            file,
            function,
            line: self.number()?,
            costs: [0; 2],
            cost_count: 0,
            length: 0,
        };
        loop {
            let end = *self.window.get(self.at)?;
            self.at += 1;
            match end {
                b'\n' => break,
                b' ' => {}
                _ => return None,
            }
            *shape.costs.get_mut(shape.cost_count)? = self.number()?;
            shape.cost_count += 1;
        }
        shape.length = self.at;
        Some(shape)
    }
}

/// The number that the first `digits` (1 to 8) bytes of `word` spell.
#[inline]
fn decimal(word: u64, digits: usize) -> u64 {
    // Leading zeros come in from below; what lies behind the number falls out above.
    let digits_only = (word & 0x0f0f_0f0f_0f0f_0f0f) << (64 - 8 * digits);
    let pairs = digits_only.wrapping_mul(10).wrapping_add(digits_only >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = pairs.wrapping_mul(100).wrapping_add(pairs >> 16) & 0x0000_ffff_0000_ffff;
    fours.wrapping_mul(10_000).wrapping_add(fours >> 32) & 0xffff_ffff
}

/// Bit `i` is set where byte `i` is no ASCII digit.
#[inline]
fn no_digit_mask(window: &[u8; WINDOW]) -> u64 {
    let mut digits = 0;
    for (part, bytes) in window[..SPAN].chunks_exact(16).enumerate() {
        let mut vector = [0; 16];
        vector.copy_from_slice(bytes);
        let values = u8x16::new(vector) - u8x16::splat(b'0');
        let is_digit = values.min(u8x16::splat(9)).simd_eq(values);
        digits |= u64::from(is_digit.to_bitmask()) << (16 * part);
    }
    !digits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn padded(text: &str) -> Vec<u8> {
        let mut data = text.as_bytes().to_vec();
        data.resize(data.len() + WINDOW, b'\n');
        data
    }

    #[test]
    fn both_shapes_are_read() {
        let shape = block(&padded("fl=(2)\nfn=(13)\n9 222 432\n\n"), 0).unwrap();
        assert_eq!((shape.file, shape.function, shape.line), (2, 13, 9));
        assert_eq!((shape.costs, shape.cost_count), ([222, 432], 2));
        assert_eq!(shape.length, 25);
        let text = "cfl=(1)\ncfn=(1)\ncalls=1 0 0\n5 1234567890123456\n";
        let shape = call(&padded(text), 0).unwrap();
        assert_eq!((shape.file, shape.function, shape.line), (1, 1, 5));
        assert_eq!(
            (shape.costs, shape.cost_count),
            ([1_234_567_890_123_456, 0], 1)
        );
        assert_eq!(shape.length, text.len());
    }

    #[test]
    fn whatever_differs_is_left_to_the_general_path() {
        for text in [
            "cfl=(1) x\ncfn=(1)\ncalls=1 0 0\n5 17 0\n",
            "cfl=(1)\ncfn=(1)\ncalls=2 0 0\n5 17 0\n",
            "cfl=(1)\ncfn=(1)\ncalls=1 0 0\n5 17 0 0\n",
            "cfl=(1)\ncfn=(1)\ncalls=1 0 0\n5 17 -3\n",
            "cfl=(1)\ncfn=(1)\ncalls=1 0 0\n5  17\n",
            "cfl=(1)\ncfn=(1)\ncalls=1 0 0\n5 17 \n",
            "cfl=(1)\r\ncfn=(1)\r\ncalls=1 0 0\r\n5 17\r\n",
            "cfl=()\ncfn=(1)\ncalls=1 0 0\n5 17\n",
            "cfl=(1)\ncfn=(1)\ncalls=1 0 0\n5 12345678901234567\n",
        ] {
            assert_eq!(call(&padded(text), 0), None, "{text:?}");
        }
        assert_eq!(call(b"cfl=(1)\ncfn=(1)\ncalls=1 0 0\n5 17\n", 0), None);
    }

    #[test]
    fn decimals_of_every_length() {
        for digits in 1..=8 {
            let text = format!("{:<8}", &"98765432"[..digits]);
            let word = u64::from_le_bytes(text.as_bytes().try_into().unwrap());
            let expected: u64 = text.trim().parse().unwrap();
            assert_eq!(decimal(word, digits), expected);
        }
    }
}
