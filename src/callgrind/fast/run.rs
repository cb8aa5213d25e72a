//! Runs of cost lines of one function, and of jumps among them.

use super::super::position::Position;
use super::brief::{self, LastCost};
use super::{Columns, sums};

/// What a run adds up to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::callgrind) struct Run {
    /// The position of the last line.
    pub position: Position,
    /// The line number of the first line that has a cost.
    pub first_line: Option<u64>,
    /// Sum of the costs, of which none is negative.
    pub cost: i64,
    /// How many lines there are.
    pub lines: u64,
    /// Where the next line begins.
    pub next: usize,
}

impl Run {
    /// Reads short lines for as long as there are any; `base` is the position of the one before.
    ///
    /// The costs of all lines that fit into the buffer cannot overflow, so that the order in which
    /// they are added does not matter.
    #[inline(always)]
    pub fn read<const POSITIONS: usize>(
        data: &[u8],
        pos: usize,
        base: &Position,
        columns: Columns,
    ) -> Run {
        let mut run = Run {
            position: *base,
            first_line: None,
            cost: 0,
            lines: 0,
            next: pos,
        };
        let are_brief = POSITIONS == 2 && columns.count == 1;
        let mut last = LastCost::NONE;
        loop {
            if are_brief {
                brief::straight(data, &mut run, &mut last);
            }
            let (source, is_jump) = match data.get(run.next) {
                // No letter: a cost line, or nothing that is read here.
                Some(b'*'..=b'9') => (run.next, false),
                Some(b'j') => match sums::jump(data, run.next) {
                    Some(source) => (source, true),
                    None => return run,
                },
                _ => return run,
            };
            let line = sums::cost_line::<POSITIONS, 1>(data, source, &run.position, columns);
            let Some(line) = line.filter(|line| line.cost >= 0) else {
                return run;
            };
            run.position = line.position;
            run.next = line.next;
            run.lines += 1 + u64::from(is_jump);
            if !is_jump {
                run.first_line = run.first_line.or(Some(line.position.base(POSITIONS - 1)));
                run.cost += line.cost;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::callgrind::fast::padded;

    const COLUMNS: Columns = Columns {
        count: 1,
        selected: 0,
    };

    fn base(address: u64, line: u64) -> Position {
        let mut base = Position::of_line(address);
        base.set(1, line);
        base
    }

    /// The last position, the first line, the cost, how many lines, and what is left.
    fn read(text: &str, base: Position) -> ([u64; 2], Option<u64>, i64, u64, &str) {
        let run = Run::read::<2>(&padded(text), 0, &base, COLUMNS);
        let position = [0, 1].map(|column| run.position.base(column));
        let rest = text.get(run.next..).unwrap();
        (position, run.first_line, run.cost, run.lines, rest)
    }

    #[test]
    fn costs_are_summed_and_positions_followed() {
        let text = "+4 0 1\n+2 0 125\n+3 0 125\n+3 * 125\n+7 * 9999999\n-1 0 7\nfn=(1)\n";
        let expected = ([118, 0], Some(0), 10_000_382, 6, "fn=(1)\n");
        assert_eq!(read(text, base(100, 0)), expected);
        let text = "* * \n+4 * 1\n+16 +3 20\n-2 -1 300\n+1 7 4\n+1 +30 5\n\n";
        let expected = ([120, 37], Some(50), 330, 6, "\n");
        assert_eq!(read(text, base(100, 50)), expected);
    }

    #[test]
    fn jumps_cost_nothing() {
        let text = "jcnd=1/1 +33 +8\n* * \n+1 * 5\njump=4 0x7e0fe1 0 \n+2 0 6\n+1 0 2\nx";
        let expected = ([14, 0], Some(8), 7, 6, "x");
        assert_eq!(read(text, base(10, 8)), expected);
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
