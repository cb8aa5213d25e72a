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
use super::{Columns, Window, costs};

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
    /// Where the callee is.
    pub target: Position,
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
    match [window.byte(), window.byte(), window.byte(), window.byte()] {
        [b'j', b'c', b'n', b'd'] | [b'j', b'u', b'm', b'p'] => window.expect(b"=")?,
        _ => return None,
    }
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
    window.expect(b"calls=")?;
    let calls = window.short_number()?;
    let mut target = *base;
    for column in 0..POSITIONS {
        window.expect(b" ")?;
        target.set(column, window.subposition(base.base(column))?);
    }
    window.skip(b' ');
    window.expect(b"\n")?;
    Some(Calls {
        calls,
        target,
        next: pos + window.length(),
    })
}

/// Reads `fn=(id)` and its like.
#[inline(always)]
pub(in crate::callgrind) fn reference(data: &[u8], pos: usize) -> Option<Reference> {
    let mut window = Window::new::<1>(data, pos)?;
    let of_callee = window.skip(b'c');
    let key = [window.byte(), window.byte()];
    window.expect(b"=(")?;
    let id = window.short_number()?;
    window.expect(b")\n")?;
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
            window.expect(b" ")?;
            window.small_subposition(base.base(column))?
        };
        position.set(column, number);
    }
    Some((position, costs(window, columns, Window::short_number)?))
}
