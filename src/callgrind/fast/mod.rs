//! Lines of common shape, read without looking at every byte. Pure, as the lexer is.
//!
//! In a trace nearly all lines belong to one of two [shapes](trace) of several lines each, in an
//! aggregate to a few [short lines](sums), which come in [runs](run). Where all of a shape stands
//! in the bytes exactly as expected, its numbers come back; whatever differs by a byte is left to
//! the general path, which gives the same result for both.
//!
//! The gain lies in finding the ends of all numbers at once, in a bit mask of a [`Window`] or in a
//! [`word`], and in reading each number without a loop over its digits.

mod brief;
pub(super) mod heads;
pub(super) mod run;
pub(super) mod sums;
pub(super) mod trace;
mod window;
mod word;

pub(super) use window::Window;

/// Which of the cost columns counts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Columns {
    /// How many there are.
    pub count: usize,
    /// The selected one.
    pub selected: usize,
}

/// Reads costs to the end of the line, and returns the selected one; 0 where it is missing.
///
/// `number` reads it.
#[inline(always)]
fn costs<'a>(
    window: &mut Window<'a>,
    columns: Columns,
    number: impl Fn(&mut Window<'a>) -> Option<u64>,
) -> Option<i64> {
    let mut selected = 0;
    let mut column = 0;
    loop {
        match window.byte() {
            b'\n' => return Some(selected),
            b' ' => {}
            _ => return None,
        }
        if column == columns.count || window.peek() < b'0' {
            if window.skip(b'\n') {
                return Some(selected);
            }
            return rare_costs(window, columns, column, selected);
        }
        if column == columns.selected {
            selected = number(window)?.cast_signed();
        } else {
            window.skip_number()?;
        }
        column += 1;
    }
}

/// Reads costs as [`costs`] does where one is negative, or a blank ends the line.
#[inline(never)]
fn rare_costs(
    window: &mut Window<'_>,
    columns: Columns,
    mut column: usize,
    mut selected: i64,
) -> Option<i64> {
    loop {
        if window.skip(b'\n') {
            return Some(selected);
        }
        if column == columns.count {
            return None;
        }
        let is_negative = window.skip(b'-');
        if column == columns.selected {
            let cost = window.number()?.cast_signed();
            selected = if is_negative { -cost } else { cost };
        } else {
            window.skip_number()?;
        }
        column += 1;
        if window.skip(b'\n') {
            return Some(selected);
        }
        window.step_over(b" ")?;
    }
}

/// A text with as much behind it as a [`Window`] wants.
#[cfg(test)]
fn padded(text: &str) -> Vec<u8> {
    let mut data = text.as_bytes().to_vec();
    data.resize(data.len() + 80, b'#');
    data
}
