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

/// A cost line, or another line and the cost line after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::callgrind) struct CostLine {
    /// Where the cost was caused.
    pub position: Position,
    /// The selected cost; 0 where missing.
    pub cost: i64,
    /// Bytes that the lines take.
    pub length: usize,
}

/// A call and its cost line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::callgrind) struct Call {
    /// How many calls.
    pub calls: u64,
    /// Where the callee is.
    pub target: Position,
    /// Its cost.
    pub cost_line: CostLine,
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
    /// Bytes that the line takes.
    pub length: usize,
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
        length: window.length(),
    })
}

/// Reads a `jump=` or `jcnd=` line and the source position after it.
#[inline(always)]
pub(in crate::callgrind) fn jump<const POSITIONS: usize>(
    data: &[u8],
    pos: usize,
    base: &Position,
    columns: Columns,
) -> Option<CostLine> {
    let mut window = Window::new::<4>(data, pos)?;
    window.expect(b"j")?;
    match [window.byte(), window.byte(), window.byte()] {
        [b'c', b'n', b'd'] | [b'u', b'm', b'p'] => window.expect(b"=")?,
        _ => return None,
    }
    window.skip_line::<2>()?;
    let (position, cost) = position_and_cost::<POSITIONS>(&mut window, base, columns)?;
    Some(CostLine {
        position,
        cost,
        length: window.length(),
    })
}

/// Reads a `calls=` line and the cost line after it.
#[inline(always)]
pub(in crate::callgrind) fn call<const POSITIONS: usize>(
    data: &[u8],
    pos: usize,
    base: &Position,
    columns: Columns,
) -> Option<Call> {
    let mut window = Window::new::<4>(data, pos)?;
    window.expect(b"calls=")?;
    let calls = window.number()?;
    let mut target = *base;
    for column in 0..POSITIONS {
        window.expect(b" ")?;
        target.set(column, window.subposition(base.base(column))?);
    }
    window.skip(b' ');
    window.expect(b"\n")?;
    let (position, cost) = position_and_cost::<POSITIONS>(&mut window, base, columns)?;
    Some(Call {
        calls,
        target,
        cost_line: CostLine {
            position,
            cost,
            length: window.length(),
        },
    })
}

/// Reads `fn=(id)` and its like.
#[inline(always)]
pub(in crate::callgrind) fn reference(data: &[u8], pos: usize) -> Option<Reference> {
    let mut window = Window::new::<1>(data, pos)?;
    let of_callee = window.skip(b'c');
    let key = [window.byte(), window.byte()];
    window.expect(b"=(")?;
    let id = window.number()?;
    window.expect(b")\n")?;
    Some(Reference {
        of_callee,
        key,
        id,
        length: window.length(),
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
            window.subposition(base.base(column))?
        };
        position.set(column, number);
    }
    Some((position, costs(window, columns)?))
}
