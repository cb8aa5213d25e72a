//! The short lines of which aggregates mostly consist, Valgrind's above all:
//!
//! ```text
//! fn=(7)
//! 0x858a0 12 3
//! +4 * 1
//! jcnd=1/1 +33 +8
//! * *
//! cfn=(580)
//! calls=1 0x858a0 +40
//! * * 5
//! ```

use super::super::position::Position;
use super::{Columns, Window, brief, costs};

/// A cost line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::callgrind) struct CostLine {
    /// Where the cost was caused.
    pub position: Position,
    /// The selected cost; 0 where missing.
    pub cost: i64,
    /// Where the next line begins.
    pub next: usize,
}

/// A `calls=` line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::callgrind) struct Calls {
    /// How many calls.
    pub calls: u64,
    /// The line where the callee begins.
    pub target_line: u64,
    /// Where the next line begins.
    pub next: usize,
}

/// A position line with an id alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::callgrind) struct Reference {
    /// Whether a `c` for "callee" stands before the key.
    pub of_callee: bool,
    /// The key without it.
    pub key: [u8; 2],
    /// The id.
    pub id: u64,
    /// Where the next line begins.
    pub next: usize,
}

/// Reads a cost line of so many position columns; `base` is the position of the one before.
///
/// It may have `PARTS` times 16 bytes.
#[inline(always)]
pub(in crate::callgrind) fn cost_line<const POSITIONS: usize, const PARTS: usize>(
    data: &[u8],
    pos: usize,
    base: &Position,
    columns: Columns,
) -> Option<CostLine> {
    if POSITIONS == 2
        && columns.count == 1
        && let Some(line) = brief::cost_line(data, pos, base)
    {
        return Some(line);
    }
    let mut window = Window::new::<PARTS>(data, pos)?;
    let (position, cost) = position_and_cost::<POSITIONS>(&mut window, base, columns)?;
    Some(CostLine {
        position,
        cost,
        next: pos + window.length(),
    })
}

/// Finds the end of a `jump=` or `jcnd=` line, of which nothing else is needed.
#[inline(always)]
pub(in crate::callgrind) fn jump(data: &[u8], pos: usize) -> Option<usize> {
    let mut window = Window::unread(data, pos)?;
    window.step_over_either(b"jcnd=", b"jump=")?;
    window.skip_line::<2>()?;
    Some(pos + window.length())
}

/// Reads a `calls=` line with as many target positions as there are columns.
#[inline(always)]
pub(in crate::callgrind) fn calls<const POSITIONS: usize>(
    data: &[u8],
    pos: usize,
    base: &Position,
) -> Option<Calls> {
    let mut window = Window::new::<3>(data, pos)?;
    window.step_over(b"calls=")?;
    let calls = window.short_number()?;
    let mut target_line = 0;
    for column in 0..POSITIONS {
        window.step_over(b" ")?;
        // Only the line counts, which is the last one.
        if column + 1 < POSITIONS && window.skip_hexadecimal() {
            continue;
        }
        target_line = window.subposition(base.base(column))?;
    }
    window.skip(b' ');
    window.step_over(b"\n")?;
    Some(Calls {
        calls,
        target_line,
        next: pos + window.length(),
    })
}

/// Reads `fn=(id)` and its like.
#[inline(always)]
pub(in crate::callgrind) fn reference(data: &[u8], pos: usize) -> Option<Reference> {
    let mut window = Window::new::<1>(data, pos)?;
    let of_callee = window.skip(b'c');
    let key = [window.byte(), window.byte()];
    window.step_over(b"=(")?;
    let id = window.short_number()?;
    window.step_over(b")\n")?;
    Some(Reference {
        of_callee,
        key,
        id,
        next: pos + window.length(),
    })
}

#[inline(always)]
fn position_and_cost<const POSITIONS: usize>(
    window: &mut Window<'_>,
    base: &Position,
    columns: Columns,
) -> Option<(Position, i64)> {
    let mut position = *base;
    for column in 0..POSITIONS {
        let number = if column == 0 {
            window.rising_subposition(base.base(column))?
        } else {
            window.step_over(b" ")?;
            window.small_subposition(base.base(column))?
        };
        position.set(column, number);
    }
    Some((position, costs(window, columns, Window::short_number)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::callgrind::fast::padded;

    const COLUMNS: Columns = Columns {
        count: 2,
        selected: 0,
    };

    fn base() -> Position {
        let mut base = Position::of_line(0x1000);
        base.set(1, 50);
        base
    }

    /// The position, the cost and the length of a cost line.
    fn read(text: &str) -> Option<([u64; 2], i64, usize)> {
        let line = cost_line::<2, 2>(&padded(text), 0, &base(), COLUMNS)?;
        let position = [0, 1].map(|column| line.position.base(column));
        Some((position, line.cost, line.next))
    }

    #[test]
    fn cost_lines_are_read() {
        assert_eq!(read("+7 0 1\n"), Some(([0x1007, 0], 1, 7)));
        assert_eq!(read("+12 * 34 5\n"), Some(([0x100c, 50], 34, 11)));
        assert_eq!(
            read("-1 +123 12345678\n"),
            Some(([0xfff, 173], 12_345_678, 17))
        );
        assert_eq!(read("* -50 -8\n"), Some(([0x1000, 0], -8, 9)));
        assert_eq!(read("* * \n"), Some(([0x1000, 50], 0, 5)));
        assert_eq!(read("0x1fF 12\n"), Some(([0x1ff, 12], 0, 9)));
    }

    #[test]
    fn whatever_differs_is_left_to_the_general_path() {
        for text in [
            "+7\n",
            "+7 *",
            "+7 *x\n",
            "+7 *1 2\n",
            "+7 + 2\n",
            "+7 -51 2\n",
            "+7  0 1\n",
            "+7 0 1 2 3\n",
            "+7 0 1\r\n",
            "+7 0 123456789\n",
            "+7 0x 1\n",
            "+7 0 1 1234567890123456 7\n",
            "-4097 0 1\n",
        ] {
            assert_eq!(read(text), None, "{text:?}");
        }
        assert_eq!(cost_line::<2, 2>(b"+7 0 1\n", 0, &base(), COLUMNS), None);
    }

    #[test]
    fn calls_have_a_target() {
        let text = padded("calls=12 0x858a0 +40 \n");
        let read = calls::<2>(&text, 0, &base()).unwrap();
        assert_eq!((read.calls, read.target_line, read.next), (12, 90, 22));
        let text = padded("calls=1 +5 0\n");
        let read = calls::<2>(&text, 0, &base()).unwrap();
        assert_eq!((read.calls, read.target_line, read.next), (1, 0, 13));
        for text in [
            "calls=1 0\n",
            "calls=1 0 0 0\n",
            "calls=1 0x 0\n",
            "calls=1 0x12345678901234567 0\n",
            "calls=1 0x1g 0\n",
            "calls=-1 0 0\n",
            "call=1 0 0\n",
        ] {
            assert_eq!(calls::<2>(&padded(text), 0, &base()), None, "{text:?}");
        }
    }

    #[test]
    fn jumps_are_stepped_over() {
        assert_eq!(jump(&padded("jcnd=1/2 +3 +4 \n* * \n"), 0), Some(16));
        assert_eq!(jump(&padded("jump=1 +3 +4\n"), 0), Some(13));
        assert_eq!(jump(&padded("jfi=(1)\n"), 0), None);
    }

    #[test]
    fn references_have_an_id_alone() {
        let read = reference(&padded("cfn=(580)\n"), 0).unwrap();
        assert_eq!((read.of_callee, read.key, read.id), (true, *b"fn", 580));
        assert_eq!(read.next, 10);
        let read = reference(&padded("ob=(7)\n"), 0).unwrap();
        assert_eq!((read.of_callee, read.key, read.id), (false, *b"ob", 7));
        for text in ["fn=(7) main\n", "fn=main\n", "fn=()\n", "fn=(7) \n"] {
            assert_eq!(reference(&padded(text), 0), None, "{text:?}");
        }
    }
}
