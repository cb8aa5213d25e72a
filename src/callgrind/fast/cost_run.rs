//! Runs of short cost lines, which most lines of an aggregate are. With `--dump-instr=yes` they begin
//! with an address:
//!
//! ```text
//! +4 * 1
//! +2 0 125
//! +7 -3 4
//! jcnd=1/1 +33 +8
//! * *
//! ```
//!
//! Calls have such cost lines, too. Numbers are read in words of 8 bytes.

use crate::callgrind::digits::{Digits, equal, mask, no_digits, outside, word};
use crate::callgrind::line::{PendingCall, Position};

/// The index of the line number: as the only column, or after an address.
pub(in crate::callgrind) const ALONE: usize = 0;
pub(in crate::callgrind) const AFTER_ADDRESS: usize = 1;

/// The sum of the lines of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::callgrind) struct CostRun {
    /// The position of the last line.
    pub position: Position,
    /// The line number of the first line that is not a jump.
    pub first_line: Option<u64>,
    /// Sum of the costs; none is negative.
    pub cost: i64,
    /// The number of lines.
    pub lines: u64,
    /// Where the next line begins.
    pub next: usize,
}

impl CostRun {
    /// Reads short lines as long as there are any; `base` is the position of the line before.
    ///
    /// With `by_line`, reads only up to the last line with the line number of the first cost.
    ///
    /// The costs in a buffer cannot overflow, so the order of adding them does not matter.
    #[inline(always)]
    pub fn read<const LINE: usize>(
        data: &[u8],
        pos: usize,
        base: &Position,
        by_line: bool,
    ) -> CostRun {
        let mut run = CostRun {
            position: *base,
            first_line: None,
            cost: 0,
            lines: 0,
            next: pos,
        };
        let mut last = LastCost::NONE;
        loop {
            if LINE == AFTER_ADDRESS {
                same_line(data, &mut run, &mut last);
            }
            if by_line && run.first_line.is_some() {
                return run;
            }
            let (source, is_jump) = match jump(data, run.next) {
                Some(source) => (source, true),
                None => (run.next, false),
            };
            let Some(line) = short_line::<LINE>(data, source, &run.position) else {
                return run;
            };
            run.position = line.position;
            run.lines += 1 + u64::from(is_jump);
            run.next = line.next;
            if !is_jump {
                run.first_line = run.first_line.or(Some(line.position.0[LINE]));
                run.cost += line.cost;
            }
        }
    }
}

/// The start of the line after a `jump=` or `jcnd=` line.
#[inline(always)]
fn jump(data: &[u8], pos: usize) -> Option<usize> {
    let bytes: &[u8; MAX_LINE_LENGTH] = data.get(pos..)?.first_chunk()?;
    if bytes[0] != b'j' || !(bytes.starts_with(b"jcnd=") || bytes.starts_with(b"jump=")) {
        return None;
    }
    let ends = mask(bytes, MAX_LINE_LENGTH / 16, |part| equal(part, b'\n'));
    (ends != 0).then(|| pos + ends.trailing_zeros() as usize + 1)
}

/// Reads `calls=12 0x858a0 +40 `, or `calls=12 40 `, and a short cost line.
#[inline(always)]
pub(in crate::callgrind) fn short_call<const LINE: usize>(
    data: &[u8],
    pos: usize,
    base: &Position,
) -> Option<(PendingCall, ShortLine)> {
    let bytes: &[u8; MAX_LINE_LENGTH] = data.get(pos..)?.first_chunk()?;
    let rest = bytes.strip_prefix(b"calls=")?;
    let calls = Digits::of(u64::from_le_bytes(*rest.first_chunk()?));
    if calls.count() == 0 || calls.end() != b' ' {
        return None;
    }
    let mut at = bytes.len() - rest.len() + calls.count() + 1;
    if LINE == AFTER_ADDRESS {
        (_, at) = hexadecimal(bytes, at)?;
    }
    let (target_line, end) = subposition(bytes, at, base.0[LINE])?;
    let end = match bytes[end..] {
        [b'\n', ..] => end,
        [b' ', b'\n', ..] => end + 1,
        _ => return None,
    };
    let calls = calls.number();
    let line = short_line::<LINE>(data, pos + end + 1, base)?;
    Some((PendingCall { calls, target_line }, line))
}

/// A short cost line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::callgrind) struct ShortLine {
    /// Its position.
    pub position: Position,
    /// The cost; 0 if it is missing.
    pub cost: i64,
    /// Where the next line begins.
    pub next: usize,
}

/// The bytes that must follow the start of a line like `+4 * 1`.
const BYTES: usize = 16;

/// The bytes that must follow the start of any other line.
const MAX_LINE_LENGTH: usize = 48;

/// `+d l ` without the digit, for a line number of one byte.
const fn shape(line: u8) -> u64 {
    u64::from_le_bytes([b'+', 0, b' ', line, b' ', 0, 0, 0])
}

/// Its length, and a mask of the bytes that are compared.
const SHAPE: usize = 5;
const SHAPE_MASK: u64 = u64::from_le_bytes([0xff, 0, 0xff, 0xff, 0xff, 0, 0, 0]);

/// Reads a cost line whose numbers have up to 7 decimal digits, except an address like `0x858a0`.
#[inline(always)]
fn short_line<const LINE: usize>(data: &[u8], pos: usize, base: &Position) -> Option<ShortLine> {
    let bytes: &[u8; MAX_LINE_LENGTH] = data.get(pos..)?.first_chunk()?;
    let (mut position, mut at) = (*base, 0);
    if LINE == AFTER_ADDRESS {
        let address = if bytes[1] == b'x' {
            hexadecimal(bytes, 0)?
        } else {
            let (address, end) = subposition(bytes, 0, base.0[0])?;
            (bytes[end] == b' ').then_some((address, end + 1))?
        };
        position.0[0] = address.0;
        at = address.1;
    }
    let (line, end) = subposition(bytes, at, base.0[LINE])?;
    let (cost, length) = cost(word(bytes, end + 1)).filter(|_| bytes[end] == b' ')?;
    position.0[LINE] = line;
    Some(ShortLine {
        position,
        cost,
        next: pos + end + 1 + length,
    })
}

/// Reads `0x858a0` and the blank after it, and returns the number and its end.
#[inline(always)]
fn hexadecimal(bytes: &[u8; MAX_LINE_LENGTH], at: usize) -> Option<(u64, usize)> {
    let digits: &[u8; 16] = bytes.get(at..)?.strip_prefix(b"0x")?.first_chunk()?;
    let others = no_digits(digits) & outside::<6>(&digits.map(|digit| digit | 0x20), b'a');
    let count = others.trailing_zeros() as usize;
    let (digits, rest) = digits.split_at_checked(count)?;
    if digits.is_empty() || rest.first() != Some(&b' ') {
        return None;
    }
    let value = |digit: u8| u64::from(digit & 0xf) + 9 * u64::from(digit >> 6);
    let number = digits.iter().fold(0, |sum, &digit| sum << 4 | value(digit));
    Some((number, at + 2 + count + 1))
}

/// Reads a decimal subposition, and returns the number and its end.
#[inline(always)]
fn subposition(bytes: &[u8; MAX_LINE_LENGTH], at: usize, base: u64) -> Option<(u64, usize)> {
    let (first, second) = (*bytes.get(at)?, *bytes.get(at + 1)?);
    if second <= b' ' {
        let digit = || char::from(first).to_digit(10).map(u64::from);
        let number = if first == b'*' { base } else { digit()? };
        return Some((number, at + 1));
    }
    let start = at + usize::from(matches!(first, b'+' | b'-'));
    let digits = Digits::of(word(bytes, start));
    if digits.count() == 0 {
        return None;
    }
    let number = match first {
        b'+' => base.checked_add(digits.number())?,
        b'-' => base.checked_sub(digits.number())?,
        _ => digits.number(),
    };
    Some((number, start + digits.count()))
}

/// Continues a run as long as there are lines like `+4 * 1` with the same line number, which Valgrind
/// writes as `0` if it is unknown, otherwise as `*`.
///
/// The address grows by one digit, and costs have up to 7 digits.
#[inline(always)]
fn same_line(data: &[u8], run: &mut CostRun, last: &mut LastCost) {
    let [address, line, _] = run.position.0;
    // Then the lines in a buffer cannot make it exceed 64 bits.
    if address > u64::MAX / 2 {
        return;
    }
    let shape = shape(if line == 0 { b'0' } else { b'*' });
    let (mut steps, before) = (0, run.lines);
    let Some(mut rest) = data.get(run.next..) else {
        return;
    };
    while let Some(bytes) = rest.first_chunk::<BYTES>() {
        let step = bytes[1].wrapping_sub(b'0');
        if step > 9 || word(bytes, 0) & SHAPE_MASK != shape {
            break;
        }
        let text = word(bytes, SHAPE);
        // Consecutive instructions mostly have equal costs. Then the processor finds the next line
        // without waiting for the cost of this one.
        if text & last.mask != last.text {
            match cost(text) {
                Some((cost, length)) => *last = LastCost::new(text, cost, length),
                None => break,
            }
        }
        let Some(others) = rest.get(last.line_length..) else {
            break;
        };
        rest = others;
        steps += u64::from(step);
        run.cost += last.cost;
        run.lines += 1;
    }
    if run.lines > before {
        run.position.0[0] = address + steps;
        run.first_line = run.first_line.or(Some(line));
        run.next = data.len() - rest.len();
    }
}

/// The cost of the line before.
#[derive(Clone, Copy, Debug)]
struct LastCost {
    /// Its text, with the line end.
    text: u64,
    /// The bits of that text in a word.
    mask: u64,
    cost: i64,
    /// The number of bytes of its line.
    line_length: usize,
}

impl LastCost {
    /// Equals no word.
    const NONE: LastCost = LastCost {
        text: 1,
        mask: 0,
        cost: 0,
        line_length: 0,
    };

    #[inline(always)]
    fn new(word: u64, cost: i64, length: usize) -> Self {
        let mask = u64::MAX >> (64 - 8 * length);
        LastCost {
            text: word & mask,
            mask,
            cost,
            line_length: SHAPE + length,
        }
    }
}

/// Reads the cost at the beginning of a word, which is 0 if it is missing, and returns it with the
/// length of its text and the line end.
#[inline(always)]
fn cost(word: u64) -> Option<(i64, usize)> {
    let digits = Digits::of(word);
    let cost = digits.number().cast_signed();
    (digits.end() == b'\n').then_some((cost, digits.count() + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn padded(text: &str) -> Vec<u8> {
        let mut data = text.as_bytes().to_vec();
        data.resize(data.len() + MAX_LINE_LENGTH, b'#');
        data
    }

    fn base(address: u64, line: u64) -> Position {
        Position([address, line, 0])
    }

    /// The last position, the first line, the cost, how many lines, and what is left.
    fn read(text: &str, base: Position) -> ([u64; 2], Option<u64>, i64, u64, &str) {
        let run = CostRun::read::<AFTER_ADDRESS>(&padded(text), 0, &base, false);
        let [address, line, _] = run.position.0;
        let rest = text.get(run.next..).unwrap();
        ([address, line], run.first_line, run.cost, run.lines, rest)
    }

    #[test]
    fn costs_are_summed_and_positions_followed() {
        let text = "+4 0 1\n+2 0 125\n+3 0 125\n+3 * 125\n+7 * 9999999\n-1 0 7\nfn=(1)\n";
        let expected = ([118, 0], Some(0), 10_000_382, 6, "fn=(1)\n");
        assert_eq!(read(text, base(100, 0)), expected);
        // A colon is the byte after 9.
        let text = "+4 * 1\n+4 : 1\n";
        let expected = ([104, 10], Some(10), 1, 1, "+4 : 1\n");
        assert_eq!(read(text, base(100, 10)), expected);
        let text = "* * \n+4 * 1\n+16 +3 20\n-2 -1 300\n+1 7 4\n+1 +30 5\n-100 1234567 6\n5\n";
        let expected = ([20, 1_234_567], Some(50), 336, 7, "5\n");
        assert_eq!(read(text, base(100, 50)), expected);
        let text = "0x8aF 12 3\n+4 * 1\n0xfedcba987654321 5 4\n7 1 2\n";
        let expected = ([7, 1], Some(12), 10, 4, "");
        assert_eq!(read(text, base(100, 50)), expected);
    }

    #[test]
    fn lines_need_no_address() {
        let base = Position([50, 0, 0]);
        let text = padded("+4 1\n* 125\n12 0\n-3 9999999\njump=4 +7 \n* \n* 7\n+1 2 3\n");
        let run = CostRun::read::<ALONE>(&text, 0, &base, false);
        assert_eq!(run.position, Position([9, 0, 0]));
        assert_eq!(
            (run.first_line, run.cost, run.lines),
            (Some(54), 10_000_132, 7)
        );
        assert!(text[run.next..].starts_with(b"+1 2 3\n"));
        for text in ["0x12 5\n", "-51 5\n", "5\n", "+1 -5\n", "+1  5\n"] {
            let run = CostRun::read::<ALONE>(&padded(text), 0, &base, false);
            assert_eq!((run.lines, run.next), (0, 0), "{text:?}");
        }
        let (call, line) = short_call::<ALONE>(&padded("calls=12 +40 \n-1 5\n"), 0, &base).unwrap();
        assert_eq!((call.calls, call.target_line), (12, 90));
        assert_eq!((line.position, line.cost), (Position([49, 0, 0]), 5));
        let with_address = padded("calls=12 0x10 40\n-1 5\n");
        assert_eq!(short_call::<ALONE>(&with_address, 0, &base), None);
    }

    #[test]
    fn jumps_cost_nothing() {
        let text = "jcnd=1/1 +33 +8\n* * \n+1 * 5\njump=4 0x7e0fe1 0 \n+2 0 6\n+1 0 2\nx";
        let expected = ([14, 0], Some(8), 7, 6, "x");
        assert_eq!(read(text, base(10, 8)), expected);
    }

    #[test]
    fn calls_have_a_target() {
        let read = |text: &str| {
            let (call, line) = short_call::<AFTER_ADDRESS>(&padded(text), 0, &base(0x1000, 50))?;
            let [address, number, _] = line.position.0;
            let position = [address, number];
            Some((call.calls, call.target_line, position, line.cost, line.next))
        };
        let expected = Some((12, 90, [0x1000, 50], 5, 28));
        assert_eq!(read("calls=12 0x858a0 +40 \n* * 5\n"), expected);
        let expected = Some((1, 7, [0x1003, 0], 99, 25));
        assert_eq!(read("calls=1 0xaF09 7\n+3 0 99\n"), expected);
        let expected = Some((1, 50, [0xfff, 50], 0, 25));
        assert_eq!(read("calls=1 0x123456 *\n-1 * \n"), expected);
        for text in [
            "calls=1 0x1 \n* * 5\n",
            "calls=1 0x1 0 0\n* * 5\n",
            "calls=1 0x 0\n* * 5\n",
            "calls=1 0x12345678901234567 0\n* * 5\n",
            "calls=1 0x1g 0\n* * 5\n",
            "calls=1 5 0\n* * 5\n",
            "calls=-1 0x1 0\n* * 5\n",
            "calls= 0x1 0\n* * 5\n",
            "calls=1 0x1 -51\n* * 5\n",
            "calls=1 0x1 +\n* * 5\n",
            "calls=1 0x1 5\n\n* * 5\n",
            "call=1 0x1 0\n* * 5\n",
        ] {
            assert_eq!(read(text), None, "{text:?}");
        }
    }

    #[test]
    fn whatever_differs_is_left_to_the_general_path() {
        let none = ([10, 8], None, 0, 0);
        for text in [
            "+1 * -5\n",
            "+1  * 5\n",
            "+1 * 5 5\n",
            "+1 * 5\r\n",
            "+ * 5\n",
            "+x * 5\n",
            "+1 x 5\n",
            "+1 -9 5\n",
            "-11 * 5\n",
            "+12345678 * 5\n",
            "+1 12345678 5\n",
            "+1\n* 5\n",
            "+1 +5\n5\n",
            "0x * 5\n",
            "0x1g * 5\n",
            "1x1 * 5\n",
            "+0x1 * 5\n",
            "0x1234567890123456 * 5\n",
            "*1 * 5\n",
            "+1 * x\n",
            "+1\n",
            "jcnd=1/1 +33 +8\nfn=(1)\n",
            "jfn=(1)\n",
            "*",
        ] {
            let (position, first_line, cost, lines, rest) = read(text, base(10, 8));
            assert_eq!((position, first_line, cost, lines), none, "{text:?}");
            assert_eq!(rest, text);
        }
    }

    #[test]
    fn no_address_goes_beyond_64_bits() {
        let text = "+4 0 1\n+4 0 1\n+4 0 1\n";
        let expected = ([u64::MAX - 1, 0], Some(0), 2, 2, "+4 0 1\n");
        assert_eq!(read(text, base(u64::MAX - 9, 0)), expected);
    }
}
