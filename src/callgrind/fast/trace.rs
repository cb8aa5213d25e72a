//! The two shapes of which Xdebug's traces consist:
//!
//! ```text
//! fl=(2)                cfl=(1)
//! fn=(3)                cfn=(1)
//! 9 222 432             calls=1 0 0
//!                       5 1707 0
//! ```
//!
//! The *head* of a shape goes up to the blank before its first cost.

use super::heads::Ids;
use super::window::TEXT;
use super::{Columns, Window, costs};

/// The cost at the end of a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::callgrind) struct TraceCost {
    /// The selected cost; 0 where missing.
    pub cost: i64,
    /// Where the next line begins.
    pub next: usize,
}

/// The bytes at `pos` and the length of the head that they begin with, if it has so many blanks.
#[inline(always)]
pub(in crate::callgrind) fn head<const BLANKS: u32>(
    data: &[u8],
    pos: usize,
) -> Option<(Window<'_>, usize)> {
    let window = Window::unread(data, pos)?;
    let length = window.blank::<BLANKS>()?;
    Some((window, length))
}

/// Blanks up to the end of a block's head.
pub(in crate::callgrind) const BLOCK_BLANKS: u32 = 1;

/// Blanks up to the end of a call's head.
pub(in crate::callgrind) const CALL_BLANKS: u32 = 3;

/// Reads the head of a block: `fl=(id)`, `fn=(id)` and a line.
pub(in crate::callgrind) fn block_head(data: &[u8], pos: usize, length: usize) -> Option<Ids> {
    let mut window = Window::new::<4>(data, pos)?;
    window.expect(b"fl=(")?;
    let file = window.number()?;
    window.expect(b")\nfn=(")?;
    let function = window.number()?;
    window.expect(b")\n")?;
    let line = window.number()?;
    (window.length() == length).then_some(Ids {
        file,
        function,
        line,
    })
}

/// Reads the head of a call: `cfl=(id)`, `cfn=(id)`, `calls=1 0 0` and a line.
pub(in crate::callgrind) fn call_head(data: &[u8], pos: usize, length: usize) -> Option<Ids> {
    let mut window = Window::new::<4>(data, pos)?;
    window.expect(b"cfl=(")?;
    let file = window.number()?;
    window.expect(b")\ncfn=(")?;
    let function = window.number()?;
    window.expect(b")\ncalls=")?;
    window.expect(b"1 0 0\n")?;
    let line = window.number()?;
    (window.length() == length).then_some(Ids {
        file,
        function,
        line,
    })
}

/// Reads the costs that follow a head.
#[inline(always)]
pub(in crate::callgrind) fn cost(data: &[u8], pos: usize, columns: Columns) -> Option<TraceCost> {
    let mut window = Window::new::<2>(data, pos)?;
    let cost = costs(&mut window, columns, Window::number)?;
    Some(TraceCost {
        cost,
        next: pos + window.length(),
    })
}

const _: () = assert!(TEXT <= 48, "a head must leave room for its costs");
