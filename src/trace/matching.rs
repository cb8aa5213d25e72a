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

/// An unclaimed invocation.
#[derive(Clone, Copy, Debug)]
pub(super) struct UnmatchedInvocation<T> {
    /// Its inclusive cost in the first column, which is the sum of its block.
    pub cost: Cost,
    /// The stretch in which it ended.
    pub stretch: u32,
    /// Its data.
    pub what: T,
}

impl<T> UnmatchedInvocation<T> {
    #[inline]
    fn fits(&self, cost: Cost, calls: &CallCounts<impl Fn(&T) -> u32>) -> bool {
        // Xdebug rounds the costs of all calls that it made, and that of the call to it.
        let difference = self.cost.abs_diff(cost);
        let is_within = |calls: u32| difference <= u64::from(calls) + 1;
        difference <= 1 || is_within(calls.most) && is_within((calls.of)(&self.what))
    }
}

/// How many calls invocations made.
pub(super) struct CallCounts<F> {
    /// The number of one of them.
    pub of: F,
    /// The most that any of them made: most of those that are searched differ by more.
    pub most: u32,
}

/// Removes the invocation of a function that was made by a call of this cost, from a block in this
/// stretch. `unclaimed` are all of the function, the latest last.
#[inline]
pub(super) fn claim<T>(
    unclaimed: &mut Vec<UnmatchedInvocation<T>>,
    cost: Cost,
    stretch: u32,
    calls: CallCounts<impl Fn(&T) -> u32>,
) -> Option<UnmatchedInvocation<T>> {
    let latest = unclaimed.last()?;
    if latest.stretch == stretch && latest.fits(cost, &calls) {
        return unclaimed.pop();
    }
    search(unclaimed, cost, stretch, calls)
}

/// Searches for it. If none matches, because of truncation or another writer, takes the latest.
#[cold]
fn search<T>(
    unclaimed: &mut Vec<UnmatchedInvocation<T>>,
    cost: Cost,
    stretch: u32,
    calls: CallCounts<impl Fn(&T) -> u32>,
) -> Option<UnmatchedInvocation<T>> {
    let mut found = None;
    for (back, ended) in unclaimed.iter().rev().take(MAX_SEARCHED).enumerate() {
        if !ended.fits(cost, &calls) {
            continue;
        }
        if ended.stretch == stretch {
            found = Some(back);
            break;
        }
        found.get_or_insert(back);
    }
    let back = found.unwrap_or(0);
    let last = unclaimed.len().checked_sub(1)?;
    Some(unclaimed.remove(last - back))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An invocation with a number, and its number of calls.
    type Numbered = UnmatchedInvocation<(usize, u32)>;

    /// Invocations by their cost and calls, numbered from 0.
    fn unclaimed(invocations: &[(Cost, u32)]) -> Vec<Numbered> {
        (0..)
            .zip(invocations)
            .map(|(number, &(cost, calls))| UnmatchedInvocation {
                cost,
                stretch: 0,
                what: (number, calls),
            })
            .collect()
    }

    fn claim(all: &mut Vec<Numbered>, cost: Cost) -> Option<usize> {
        claim_in(all, cost, 0)
    }

    fn claim_in(all: &mut Vec<Numbered>, cost: Cost, stretch: u32) -> Option<usize> {
        let calls = CallCounts {
            of: |what: &(usize, u32)| what.1,
            most: all.iter().map(|ended| ended.what.1).max().unwrap_or(0),
        };
        super::claim(all, cost, stretch, calls).map(|claimed| claimed.what.0)
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
            let ended = |(number, (cost, stretch))| UnmatchedInvocation {
                cost,
                stretch,
                what: (number, 0),
            };
            let mut unclaimed: Vec<_> = (0..).zip(all).map(ended).collect();
            let claimed = order.map(|_| claim_in(&mut unclaimed, 50, stretch).unwrap());
            assert_eq!(claimed, order, "{stretch}");
        }
    }
}
