//! Warnings: the first of each kind are stored, the others are counted.

use std::{fmt, iter};

use crate::display::MAX_LISTED;
use crate::display::numbers::counted;

/// Distinguishes kinds of warnings.
pub trait Alike {
    /// Whether another one is of the same kind.
    fn is_like(&self, other: &Self) -> bool;

    /// Whether each one names data that the user chose to leave out. More of them are listed.
    fn is_omission(&self) -> bool {
        false
    }
}

/// How many warnings of a kind are listed, as examples.
const EXAMPLES: usize = 3;

/// The first warnings of each kind, and the number of others: a fault in one line or input may
/// occur in millions.
#[derive(Debug)]
pub struct Warnings<W> {
    /// The first ones of each kind, and the number of others after the last of these.
    first: Vec<(W, u64)>,
}

/// A warning as it is shown.
#[derive(Clone, Copy, Debug)]
pub struct Listed<'a, W> {
    /// The warning, or one of those that are not listed.
    pub warning: &'a W,
    /// The number of warnings that are not listed, if this stands for them.
    pub more: u64,
}

impl<W: fmt::Display> fmt::Display for Listed<'_, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.more {
            0 => self.warning.fmt(f),
            more => write!(f, "{} like the one before", counted(more, "more warning")),
        }
    }
}

impl<W: Alike> Warnings<W> {
    /// Adds a warning.
    pub fn push(&mut self, warning: W) {
        self.add(warning, 0);
    }

    /// Adds other warnings.
    pub fn append<V: Into<W>>(&mut self, others: Warnings<V>) {
        for (warning, after) in others.first {
            self.add(warning.into(), after);
        }
    }

    /// Adds a warning, and counts others of its kind after it.
    fn add(&mut self, warning: W, after: u64) {
        let most = if warning.is_omission() {
            MAX_LISTED
        } else {
            EXAMPLES
        };
        let mut alike = self
            .first
            .iter_mut()
            .filter(|(first, _)| first.is_like(&warning));
        match alike.nth(most - 1) {
            Some((_, counted)) => *counted = counted.saturating_add(after).saturating_add(1),
            None => self.first.push((warning, after)),
        }
    }
}

impl<W> Warnings<W> {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.first.is_empty()
    }

    /// The number of warnings of a kind.
    pub(crate) fn count(&self, is_meant: impl Fn(&W) -> bool) -> u64 {
        let meant = self.first.iter().filter(|(warning, _)| is_meant(warning));
        let counts = meant.map(|(_, after)| after.saturating_add(1));
        counts.fold(0, u64::saturating_add)
    }

    /// The warnings to show, in the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = Listed<'_, W>> {
        self.first.iter().flat_map(|&(ref warning, after)| {
            let counted = (after > 0).then_some(after);
            let all = iter::once(0).chain(counted);
            all.map(move |more| Listed { warning, more })
        })
    }
}

impl<W> Default for Warnings<W> {
    fn default() -> Self {
        let first = Vec::new();
        Warnings { first }
    }
}

impl<W: Alike> Extend<W> for Warnings<W> {
    fn extend<I: IntoIterator<Item = W>>(&mut self, warnings: I) {
        warnings.into_iter().for_each(|warning| self.push(warning));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers are of the kind of their last digit. Those that end with 0 are omissions.
    impl Alike for u64 {
        fn is_like(&self, other: &u64) -> bool {
            self % 10 == other % 10
        }

        fn is_omission(&self) -> bool {
            self.is_multiple_of(10)
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
    fn three_of_each_kind_are_listed_and_ten_omissions() {
        assert!(shown(&of([])).is_empty() && of([]).is_empty() && !of([1]).is_empty());
        assert_eq!(shown(&of([2, 1, 12])), ["2", "1", "12"]);
        let three = [1, 2, 11, 21, 12];
        assert_eq!(shown(&of(three)), ["1", "2", "11", "21", "12"]);
        let four = shown(&of(three.into_iter().chain([31])));
        let more = "1 more warning like the one before";
        assert_eq!(four, ["1", "2", "11", "21", more, "12"]);
        let ten = (0..10).map(|number| 10 * number);
        let twelve = shown(&of(ten.clone().chain([7, 990, 17, 980])));
        assert_eq!(
            twelve[9..],
            ["90", "2 more warnings like the one before", "7", "17"]
        );
        assert_eq!(shown(&of(ten)).len(), 10);
    }

    #[test]
    fn merged_ones_are_as_if_they_had_been_added_one_by_one() {
        let all: Vec<u64> = (0..60).map(|number| number * 7 % 50).collect();
        for cuts in [[0, 0], [3, 40], [30, 31], [12, 60]] {
            let mut merged = of(all[..cuts[0]].iter().copied());
            merged.append(of(all[cuts[0]..cuts[1]].iter().copied()));
            merged.append(of(all[cuts[1]..].iter().copied()));
            assert_eq!(shown(&merged), shown(&of(all.iter().copied())));
        }
        let mut many = of((0..30).map(|number| 10 * number));
        many.append(of((0..30).map(|number| 10 * number + 1)));
        many.append(of((0..30).map(|number| 10 * number)));
        assert_eq!(many.count(|number| number % 10 == 0), 60);
        assert_eq!(many.count(|_| true), 90);
        assert_eq!(shown(&many)[10], "50 more warnings like the one before");
        assert_eq!(shown(&many)[14], "27 more warnings like the one before");
    }
}
