//! The briefest lines with an address, which are most of a profile with `--dump-instr=yes`:
//!
//! ```text
//! +4 * 1
//! +2 0 125
//! +7 -3 4
//! * *
//! ```
//!
//! They are read in two words of 8 bytes, one for the position and one for the cost.

use super::super::position::Position;
use super::run::Run;
use super::sums::CostLine;
use super::word::{self, Digits};

/// Bytes that are looked at.
const BYTES: usize = 16;

/// `+d l ` without the digit and the line number.
const SHAPE: u64 = u64::from_le_bytes([b'+', 0, b' ', 0, b' ', 0, 0, 0]);

/// The bytes that belong to it.
const SHAPE_MASK: u64 = u64::from_le_bytes([0xff, 0, 0xff, 0, 0xff, 0, 0, 0]);

/// Reads a cost line whose address is up to two digits away from that of `base`, whose line number
/// has a digit at most, and whose one cost has up to 7.
#[inline(always)]
pub(super) fn cost_line(data: &[u8], pos: usize, base: &Position) -> Option<CostLine> {
    let bytes: &[u8; BYTES] = data.get(pos..)?.first_chunk()?;
    let (sign, step, at) = match *bytes {
        [b'*', b' ', ..] => (b'+', 0, 2),
        [sign @ (b'+' | b'-'), step, b' ', ..] => (sign, digit(step)?, 3),
        [sign @ (b'+' | b'-'), tens, step, b' ', ..] => (sign, 10 * digit(tens)? + digit(step)?, 4),
        _ => return None,
    };
    let address = match sign {
        b'-' => base.base(0).checked_sub(step)?,
        _ => base.base(0).checked_add(step)?,
    };
    let (line, at) = line_number(bytes, at, base.base(1))?;
    let (cost, length) = cost(word::at(bytes, at))?;
    let mut position = *base;
    position.set(0, address);
    position.set(1, line);
    Some(CostLine {
        position,
        cost,
        next: pos + at + length,
    })
}

/// Goes on with a run for as long as there are lines like `+4 * 1` that keep the line number:
/// straight code.
///
/// The address is a digit further on in each, and costs have up to 7 digits.
#[inline(always)]
pub(super) fn straight(data: &[u8], run: &mut Run, last: &mut LastCost) {
    let line = run.position.base(1);
    // How the line number may be spelled beside `*`.
    let spelled = u8::try_from(line).ok().filter(|&line| line <= 9);
    let spelled = spelled.map_or(b'*', |line| b'0' + line);
    let before = run.lines;
    while let Some(bytes) = data.get(run.next..).and_then(<[u8]>::first_chunk::<BYTES>) {
        let [_, step, _, number, ..] = *bytes;
        let is_shape = word::at(bytes, 0) & SHAPE_MASK == SHAPE;
        if !is_shape || !step.is_ascii_digit() || (number != spelled && number != b'*') {
            break;
        }
        let text = word::at(bytes, 5);
        // Instructions that follow one another are mostly run equally often. If so, the next line
        // is found without waiting for this one to be read.
        if text & last.mask != last.text {
            match cost(text) {
                Some((cost, length)) => *last = LastCost::new(text, cost, length),
                None => break,
            }
        }
        let Some(address) = run.position.base(0).checked_add(u64::from(step - b'0')) else {
            break;
        };
        run.position.set(0, address);
        run.cost += last.cost;
        run.lines += 1;
        run.next += 5 + last.length;
    }
    if run.lines > before {
        run.first_line = run.first_line.or(Some(line));
    }
}

/// The cost of the line before.
#[derive(Clone, Copy, Debug)]
pub(super) struct LastCost {
    /// Its bytes, up to the end of the line.
    text: u64,
    /// The bits of a word that they are.
    mask: u64,
    cost: i64,
    /// How many bytes there are.
    length: usize,
}

impl LastCost {
    /// No word is like this.
    pub const NONE: LastCost = LastCost {
        text: 1,
        mask: 0,
        cost: 0,
        length: 0,
    };

    #[inline(always)]
    fn new(word: u64, cost: i64, length: usize) -> Self {
        let mask = u64::MAX >> (64 - 8 * length);
        LastCost {
            text: word & mask,
            mask,
            cost,
            length,
        }
    }
}

/// Reads the line number at `at`, and returns where the cost begins.
#[inline(always)]
fn line_number(bytes: &[u8; BYTES], at: usize, base: u64) -> Option<(u64, usize)> {
    let (first, second) = (bytes[at], bytes[at + 1]);
    if second == b' ' {
        let line = if first == b'*' { base } else { digit(first)? };
        return Some((line, at + 2));
    }
    let step = digit(second)?.cast_signed();
    let step = match first {
        b'+' => step,
        b'-' => -step,
        _ => return None,
    };
    let line = base.checked_add_signed(step)?;
    (bytes[at + 2] == b' ').then_some((line, at + 3))
}

/// Reads the cost that a word begins with, 0 if there is none, and its length up to the next line.
#[inline(always)]
fn cost(word: u64) -> Option<(i64, usize)> {
    let digits = Digits::of(word);
    let cost = digits.number().cast_signed();
    digits
        .end_before(b'\n')
        .then_some((cost, digits.count() + 1))
}

#[inline(always)]
fn digit(byte: u8) -> Option<u64> {
    let digit = byte.wrapping_sub(b'0');
    (digit <= 9).then_some(u64::from(digit))
}
