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
    window.step_over(b"fl=(")?;
    let file = window.number()?;
    window.step_over(b")\nfn=(")?;
    let function = window.number()?;
    window.step_over(b")\n")?;
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
    window.step_over(b"cfl=(")?;
    let file = window.number()?;
    window.step_over(b")\ncfn=(")?;
    let function = window.number()?;
    window.step_over(b")\ncalls=")?;
    window.step_over(b"1 0 0\n")?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::callgrind::fast::padded;

    const COLUMNS: Columns = Columns {
        count: 2,
        selected: 0,
    };

    fn read_block(text: &str) -> Option<Ids> {
        let data = padded(text);
        let (_, length) = head::<BLOCK_BLANKS>(&data, 0)?;
        block_head(&data, 0, length)
    }

    fn read_call(text: &str) -> Option<Ids> {
        let data = padded(text);
        let (_, length) = head::<CALL_BLANKS>(&data, 0)?;
        call_head(&data, 0, length)
    }

    #[test]
    fn heads_are_read() {
        let ids = |file, function, line| {
            Some(Ids {
                file,
                function,
                line,
            })
        };
        assert_eq!(read_block("fl=(2)\nfn=(13)\n9 222 432\n"), ids(2, 13, 9));
        let text = "cfl=(12345)\ncfn=(123)\ncalls=1 0 0\n1707 5 0\n";
        assert_eq!(read_call(text), ids(12345, 123, 1707));
    }

    #[test]
    fn costs_are_read_from_the_blank_on() {
        let read =
            |text, columns| cost(&padded(text), 0, columns).map(|read| (read.cost, read.next));
        let second = Columns {
            selected: 1,
            ..COLUMNS
        };
        assert_eq!(read(" 222 -432\n", COLUMNS), Some((222, 10)));
        assert_eq!(read(" 222 -432\n", second), Some((-432, 10)));
        assert_eq!(read(" 222 \n", second), Some((0, 6)));
        assert_eq!(
            read(" 12345678 1234567890123456\n", COLUMNS),
            Some((12_345_678, 27))
        );
        for text in [
            " 1 2 3\n",
            " 1  2\n",
            " 1x\n",
            " --1\n",
            " 123456789\n",
            " 1\r\n",
        ] {
            assert_eq!(read(text, COLUMNS), None, "{text:?}");
        }
    }

    #[test]
    fn whatever_differs_is_left_to_the_general_path() {
        for text in [
            "cfl=(1) x\ncfn=(1)\ncalls=1 0 0\n5 17\n",
            "cfl=(1)\ncfn=(1)\ncalls=2 0 0\n5 17\n",
            "cfl=(1)\ncfn=(1)\ncalls=1 0 0\n+5 17\n",
            "cfl=(1)\ncfn=(1)\ncalls=1 0 0\n0x5 17\n",
            "cfl=(1)\ncfn=(1)\ncalls=1 0 0\n5\n",
            "cfl=(1)\r\ncfn=(1)\r\ncalls=1 0 0\r\n5 17\r\n",
            "cfl=()\ncfn=(1)\ncalls=1 0 0\n5 17\n",
            "cfl=(123456789)\ncfn=(1)\ncalls=1 0 0\n5 17\n",
        ] {
            assert_eq!(read_call(text), None, "{text:?}");
        }
        for text in ["fl=(1)\nfn=(1) f\n5 17\n", "fi=(1)\nfn=(1)\n5 17\n"] {
            assert_eq!(read_block(text), None, "{text:?}");
        }
    }
}
