//! The views of one or two profiles, each made once.

use std::cell::RefCell;
use std::rc::Rc;

use super::{CompareError, Comparison};
use crate::profile::{InclusiveCost, Kind, ModelError, Profile};
use crate::stacks::Stacks;
use crate::view::{GroupBy, Hidden, LazyStacks, View};

/// What a report or a limit is about.
#[derive(Clone, Copy, Debug)]
pub enum Subject<'a> {
    /// A profile.
    View(&'a View<'a>),
    /// A profile against its base.
    Comparison(&'a Comparison<'a>),
}

impl<'a> From<&'a View<'a>> for Subject<'a> {
    fn from(view: &'a View<'a>) -> Self {
        Subject::View(view)
    }
}

impl<'a> From<&'a Comparison<'a>> for Subject<'a> {
    fn from(comparison: &'a Comparison<'a>) -> Self {
        Subject::Comparison(comparison)
    }
}

impl<'a> Subject<'a> {
    /// The comparison with a base.
    pub fn comparison(self) -> Option<&'a Comparison<'a>> {
        match self {
            Subject::View(_) => None,
            Subject::Comparison(comparison) => Some(comparison),
        }
    }

    /// The profile, or the new one of a comparison.
    pub fn view(self) -> &'a View<'a> {
        match self {
            Subject::View(view) => view,
            Subject::Comparison(comparison) => &comparison.views.new,
        }
    }
}

/// A view, or a pair of them.
#[derive(Debug)]
pub(crate) enum OneOrTwo<'a> {
    One(Box<View<'a>>),
    Two(Box<Comparison<'a>>),
}

impl OneOrTwo<'_> {
    pub fn subject(&self) -> Subject<'_> {
        match self {
            OneOrTwo::One(view) => Subject::View(view),
            OneOrTwo::Two(comparison) => Subject::Comparison(comparison),
        }
    }
}

/// The views of a profile, and of the base that it is compared with, each made once.
#[derive(Debug)]
pub struct Views<'a> {
    new: LazyStacks<'a>,
    base: Option<LazyStacks<'a>>,
    inclusive: InclusiveCost,
    /// Whether costs are compared per run.
    per_run: bool,
    made: RefCell<Vec<(GroupBy, Rc<OneOrTwo<'a>>)>>,
}

impl<'a> Views<'a> {
    /// The views of a profile, or of a profile and its base. `per_run`: whether costs are compared
    /// per run of the profiled programs.
    pub fn new(
        new: &'a Profile,
        base: Option<&'a Profile>,
        inclusive: InclusiveCost,
        per_run: bool,
    ) -> Self {
        Views {
            new: LazyStacks::new(new),
            base: base.map(LazyStacks::new),
            inclusive,
            per_run,
            made: RefCell::default(),
        }
    }

    /// The same without hidden functions.
    pub fn without(
        new: &'a Hidden<'a>,
        base: Option<&'a Hidden<'a>>,
        inclusive: InclusiveCost,
        per_run: bool,
    ) -> Self {
        Views {
            new: LazyStacks::without(new),
            base: base.map(LazyStacks::without),
            inclusive,
            per_run,
            made: RefCell::default(),
        }
    }

    /// The view or the comparison by a kind of row.
    pub(crate) fn by(&self, by: GroupBy) -> Result<Rc<OneOrTwo<'a>>, ViewsError> {
        let mut made = self.made.borrow_mut();
        if let Some((_, made)) = made.iter().find(|(known, _)| *known == by) {
            return Ok(Rc::clone(made));
        }
        let mut sides = self.base.iter().chain([&self.new]);
        let are_traces = sides.all(|side| side.profile.kind() == Some(Kind::Trace));
        let view = |side| View::with_stacks(side, by, are_traces, self.inclusive);
        let new = view(&self.new)?;
        let one = Rc::new(match &self.base {
            None => OneOrTwo::One(Box::new(new)),
            Some(base) => {
                let comparison = Comparison::of(view(base)?, new, self.per_run)?;
                OneOrTwo::Two(Box::new(comparison))
            }
        });
        made.push((by, Rc::clone(&one)));
        Ok(one)
    }

    /// The profile, or the new one of a comparison.
    pub(crate) fn profile(&self) -> &'a Profile {
        self.new.profile
    }

    /// The view of the profile by function as recorded; see [`View::joined`].
    pub(crate) fn joined(&self) -> View<'a> {
        View::joined(&self.new, self.inclusive)
    }

    /// The stacks of the base, if there is one, and those of the profile.
    pub(crate) fn stacks(&self) -> (Option<&Stacks<'a>>, &Stacks<'a>) {
        (self.base.as_ref().map(LazyStacks::get), self.new.get())
    }
}

/// The reason why there is no view.
#[derive(Debug, thiserror::Error)]
pub enum ViewsError {
    /// The profiles cannot be compared.
    #[error(transparent)]
    Compare(#[from] CompareError),
    /// There are too many groups.
    #[error(transparent)]
    Model(#[from] ModelError),
}
