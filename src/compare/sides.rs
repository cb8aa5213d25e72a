//! The two sides of a comparison.

use std::array;
use std::ops::{Index, IndexMut};

/// One side of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The base.
    Base,
    /// The new side.
    New,
}

/// A value for each side of a comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sides<T> {
    /// The base.
    pub base: T,
    /// The new side.
    pub new: T,
}

impl Side {
    /// What messages and documents call it.
    pub fn name(self) -> &'static str {
        match self {
            Side::Base => "base",
            Side::New => "new",
        }
    }
}

impl Sides<Side> {
    /// Each side.
    pub const EACH: Self = Sides {
        base: Side::Base,
        new: Side::New,
    };
}

impl<T> Sides<T> {
    /// Applies a function to both sides, the base first.
    pub fn map<U>(self, mut function: impl FnMut(T) -> U) -> Sides<U> {
        Sides {
            base: function(self.base),
            new: function(self.new),
        }
    }

    /// References to both sides.
    pub fn as_ref(&self) -> Sides<&T> {
        Sides {
            base: &self.base,
            new: &self.new,
        }
    }

    /// Pairs each side with the same side of another value.
    pub fn zip<U>(self, other: Sides<U>) -> Sides<(T, U)> {
        Sides {
            base: (self.base, other.base),
            new: (self.new, other.new),
        }
    }
}

impl<T> Index<Side> for Sides<T> {
    type Output = T;

    fn index(&self, side: Side) -> &T {
        match side {
            Side::Base => &self.base,
            Side::New => &self.new,
        }
    }
}

impl<T> IndexMut<Side> for Sides<T> {
    fn index_mut(&mut self, side: Side) -> &mut T {
        match side {
            Side::Base => &mut self.base,
            Side::New => &mut self.new,
        }
    }
}

impl<T> IntoIterator for Sides<T> {
    type Item = T;
    type IntoIter = array::IntoIter<T, 2>;

    /// The base, then the new side.
    fn into_iter(self) -> Self::IntoIter {
        [self.base, self.new].into_iter()
    }
}
