//! Finds the invocation that a call made.
//!
//! A trace is in post-order: a block comes after those of all its callees. So at the end of a
//! block, its calls are visited backwards, and each claims the latest unclaimed invocation of its
//! callee.
//!
//! Each fiber has its own stack, and the blocks of fibers are interleaved. So a call claims the
//! latest invocation of the same cost in its own stretch (see [`stretches`](super::stretches)),
//! else the latest of the same cost anywhere, else the latest. Because Xdebug rounds, costs may
//! differ by one unit for each call that the invocation made, and one more. Costs are compared in
//! the profile's first column, whatever event is requested: Xdebug clamps memory differences, so
//! those of calls and invocations need not agree.

use crate::tables::Cost;

/// The number of unclaimed invocations of a function that are searched for one of the right cost.
const MAX_SEARCHED: usize = 1024;

/// What is known of an unclaimed invocation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unclaimed {
    /// Its inclusive cost in the first column, which is the sum of its block.
    pub cost: Cost,
    /// The stretch in which it ended.
    pub stretch: u32,
    /// The number of calls that it made.
    pub calls: u32,
}

/// Whether an invocation of this cost may have been made by a call of another one. `calls` is the
/// number of calls that it made.
#[inline]
pub(super) fn fits(cost: Cost, called: Cost, calls: impl FnOnce() -> u32) -> bool {
    // Xdebug rounds the costs of all calls that it made, and that of the call to it.
    let difference = cost.abs_diff(called);
    difference <= 1 || difference <= u64::from(calls()) + 1
}

/// Removes the invocation of a function that was made by a call of this cost, from a block in this
/// stretch. `all` are the unclaimed ones of the function, the latest last.
#[inline]
pub(super) fn claim<T>(
    all: &mut Vec<T>,
    cost: Cost,
    stretch: u32,
    look: impl Fn(&T) -> Unclaimed,
) -> Option<T> {
    let latest = look(all.last()?);
    if latest.stretch == stretch && fits(latest.cost, cost, || latest.calls) {
        return all.pop();
    }
    search(all, cost, stretch, look)
}

/// Searches for it. If none matches, because of truncation or another writer, takes the latest.
#[cold]
fn search<T>(
    all: &mut Vec<T>,
    cost: Cost,
    stretch: u32,
    look: impl Fn(&T) -> Unclaimed,
) -> Option<T> {
    let mut found = None;
    for (back, ended) in all.iter().rev().take(MAX_SEARCHED).enumerate() {
        let ended = look(ended);
        if !fits(ended.cost, cost, || ended.calls) {
            continue;
        }
        if ended.stretch == stretch {
            found = Some(back);
            break;
        }
        found.get_or_insert(back);
    }
    let back = found.unwrap_or(0);
    let last = all.len().checked_sub(1)?;
    Some(all.remove(last - back))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An invocation with a number.
    type Numbered = (usize, Unclaimed);

    /// Invocations by their cost and calls, numbered from 0.
    fn unclaimed(invocations: &[(Cost, u32)]) -> Vec<Numbered> {
        let ended = |&(cost, calls)| Unclaimed {
            cost,
            stretch: 0,
            calls,
        };
        invocations.iter().map(ended).enumerate().collect()
    }

    fn claim(all: &mut Vec<Numbered>, cost: Cost) -> Option<usize> {
        claim_in(all, cost, 0)
    }

    fn claim_in(all: &mut Vec<Numbered>, cost: Cost, stretch: u32) -> Option<usize> {
        super::claim(all, cost, stretch, |ended| ended.1).map(|claimed| claimed.0)
    }

    #[test]
    fn the_latest_that_fits_is_claimed() {
        let mut all = unclaimed(&[(50, 0), (70, 0), (50, 0), (90, 0)]);
        assert_eq!(claim(&mut all, 50), Some(2));
        assert_eq!(claim(&mut all, 50), Some(0));
        assert_eq!(claim(&mut all, 90), Some(3));
        assert_eq!(claim(&mut all, 70), Some(1));
        assert_eq!(claim(&mut all, 70), None);
    }

    #[test]
    fn the_tolerance_follows_the_calls_that_were_made() {
        for (calls, tolerance) in [(0, 1), (1, 2), (4_000, 4_001)] {
            for sign in [-1, 1] {
                let mut all = unclaimed(&[(10_000, calls), (50_000, 0)]);
                assert_eq!(claim(&mut all, 10_000 + sign * tolerance), Some(0));
                let mut all = unclaimed(&[(10_000, calls), (50_000, 0)]);
                assert_eq!(claim(&mut all, 10_000 + sign * (tolerance + 1)), Some(1));
            }
        }
    }

    #[test]
    fn what_fits_nobody_claims_the_latest() {
        let mut all = unclaimed(&[(1, 0), (2, 0), (3, 0)]);
        assert_eq!(claim(&mut all, 1_000), Some(2));
        assert_eq!(claim(&mut all, Cost::MIN), Some(1));
        assert_eq!(claim(&mut all, Cost::MAX), Some(0));
    }

    #[test]
    fn so_many_are_searched() {
        let costs = |count| (0..count).map(|number| (10 * number, 0)).collect();
        let fits: Vec<_> = costs(1_024);
        assert_eq!(claim(&mut unclaimed(&fits), 0), Some(0));
        let too_many: Vec<_> = costs(1_025);
        assert_eq!(claim(&mut unclaimed(&too_many), 0), Some(1_024));
    }

    #[test]
    fn the_own_stretch_goes_first() {
        // By cost and stretch.
        let all = [(50, 1), (50, 2), (70, 2), (51, 1), (50, 3), (90, 3)];
        for (stretch, order) in [
            (1, [3, 0, 4, 1, 5, 2]),
            (2, [1, 4, 3, 0, 5, 2]),
            (3, [4, 3, 1, 0, 5, 2]),
            (0, [4, 3, 1, 0, 5, 2]),
        ] {
            let ended = |(cost, stretch)| Unclaimed {
                cost,
                stretch,
                calls: 0,
            };
            let mut unclaimed: Vec<_> = all.map(ended).into_iter().enumerate().collect();
            let claimed = order.map(|_| claim_in(&mut unclaimed, 50, stretch).unwrap());
            assert_eq!(claimed, order, "{stretch}");
        }
    }
}
