//! Warnings: the first of each kind are stored, the others are counted.

use std::fmt;
use std::mem;

use crate::display::MAX_LISTED;

/// Distinguishes kinds of warnings.
pub trait Kind {
    /// Whether another one is of the same kind.
    fn is_like(&self, other: &Self) -> bool;
}

/// The first warnings of each kind, and the number of others: a fault in one line or input may
/// occur in millions.
#[derive(Debug)]
pub struct Warnings<W> {
    kinds: Vec<OfKind<W>>,
    /// The number of stored warnings.
    kept: usize,
}

#[derive(Debug)]
struct OfKind<W> {
    /// With their positions among all kinds. Never empty.
    first: Vec<(usize, W)>,
    others: u64,
}

/// A warning as it is shown.
#[derive(Clone, Copy, Debug)]
pub struct Listed<'a, W> {
    /// The warning, or the last of its kind that is listed.
    pub warning: &'a W,
    /// The number of warnings that are not listed, if this stands for them.
    pub more: u64,
}

impl<W: fmt::Display> fmt::Display for Listed<'_, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.more {
            0 => self.warning.fmt(f),
            more => write!(f, "{more} more warnings like the one before"),
        }
    }
}

impl<W: Kind> Warnings<W> {
    /// Adds a warning.
    pub fn push(&mut self, warning: W) {
        self.add(warning, 0);
    }

    /// Adds warnings, each wrapped by `wrap`, and the numbers of others.
    pub fn append<V>(&mut self, others: Warnings<V>, wrap: impl Fn(V) -> W) {
        let kinds = others.kinds.into_iter().flat_map(|kind| {
            let mut others = kind.others;
            let first = kind.first.into_iter();
            first.map(move |(at, warning)| (at, warning, mem::take(&mut others)))
        });
        let mut all: Vec<_> = kinds.collect();
        all.sort_by_key(|&(at, ..)| at);
        for (_, warning, others) in all {
            self.add(wrap(warning), others);
        }
    }

    /// Adds a warning, and counts others of its kind.
    fn add(&mut self, warning: W, others: u64) {
        let mut kinds = self.kinds.iter();
        let known = kinds.position(|kind| kind.first[0].1.is_like(&warning));
        let kind = known.unwrap_or_else(|| {
            self.kinds.push(OfKind {
                first: Vec::new(),
                others: 0,
            });
            self.kinds.len() - 1
        });
        let kind = &mut self.kinds[kind];
        kind.others = kind.others.saturating_add(others);
        // One more warning is as short as a line that counts it.
        if kind.first.len() <= MAX_LISTED {
            kind.first.push((self.kept, warning));
            self.kept += 1;
        } else {
            kind.others = kind.others.saturating_add(1);
        }
    }
}

impl<W> Warnings<W> {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.kept == 0
    }

    /// The number of warnings of the kind whose first one `is_meant`.
    pub(crate) fn count(&self, is_meant: impl Fn(&W) -> bool) -> u64 {
        let kinds = self.kinds.iter();
        let meant = kinds.filter(|kind| is_meant(&kind.first[0].1));
        let counts = meant.map(|kind| kind.others.saturating_add(kind.first.len() as u64));
        counts.fold(0, u64::saturating_add)
    }

    /// The warnings to show, in the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = Listed<'_, W>> {
        let kinds = self.kinds.iter().flat_map(|kind| {
            let rest = (kind.others > 0).then(|| kind.others.saturating_add(1));
            let listed = match rest {
                Some(_) => &kind.first[..MAX_LISTED],
                None => &kind.first,
            };
            let more = listed.last().zip(rest);
            let listed = listed.iter().map(|warning| (warning, 0));
            listed.chain(more)
        });
        let mut all: Vec<_> = kinds.collect();
        all.sort_by_key(|((at, _), _)| *at);
        let all = all.into_iter();
        all.map(|((_, warning), more)| Listed { warning, more })
    }
}

impl<W> Default for Warnings<W> {
    fn default() -> Self {
        Warnings {
            kinds: Vec::new(),
            kept: 0,
        }
    }
}

impl<W: Kind> Extend<W> for Warnings<W> {
    fn extend<I: IntoIterator<Item = W>>(&mut self, warnings: I) {
        warnings.into_iter().for_each(|warning| self.push(warning));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers are of the kind of their last digit.
    impl Kind for u64 {
        fn is_like(&self, other: &u64) -> bool {
            self % 10 == other % 10
        }
    }

    fn shown(warnings: &Warnings<u64>) -> Vec<String> {
        warnings.iter().map(|listed| listed.to_string()).collect()
    }

    fn of(numbers: impl IntoIterator<Item = u64>) -> Warnings<u64> {
        let mut warnings = Warnings::default();
        warnings.extend(numbers);
        warnings
    }

    #[test]
    fn ten_of_each_kind_are_listed() {
        assert!(shown(&of([])).is_empty() && of([]).is_empty() && !of([1]).is_empty());
        assert_eq!(shown(&of([2, 1, 12])), ["2", "1", "12"]);
        let eleven = (0..11).map(|number| 10 * number);
        assert_eq!(shown(&of(eleven.clone())).last().unwrap(), "100");
        let twelve = shown(&of(eleven.chain([7, 990, 17])));
        assert_eq!(
            twelve[9..],
            ["90", "2 more warnings like the one before", "7", "17"]
        );
    }

    #[test]
    fn merged_ones_are_as_if_they_had_been_added_one_by_one() {
        let all: Vec<u64> = (0..60).map(|number| number * 7 % 50).collect();
        for cuts in [[0, 0], [3, 40], [30, 31], [12, 60]] {
            let mut merged = of(all[..cuts[0]].iter().copied());
            merged.append(of(all[cuts[0]..cuts[1]].iter().copied()), |number| number);
            merged.append(of(all[cuts[1]..].iter().copied()), |number| number);
            assert_eq!(shown(&merged), shown(&of(all.iter().copied())));
        }
        let mut many = of((0..30).map(|number| 10 * number));
        many.append(of((0..30).map(|number| 10 * number)), |number| number + 1);
        many.append(of((0..30).map(|number| 10 * number)), |number| number);
        assert_eq!(many.count(|number| number % 10 == 0), 60);
        assert_eq!(many.count(|_| true), 90);
        assert_eq!(shown(&many)[10], "50 more warnings like the one before");
        assert_eq!(shown(&many)[21], "20 more warnings like the one before");
    }
}
