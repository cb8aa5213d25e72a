//! What the tables of the report are made of.

use super::HtmlOptions;
use super::costs::AllCosts;
use super::functions::Functions;
use crate::compare::{Subject, Views};
use crate::view::View;

/// A profile or comparison, and what has been chosen for the report so far.
pub(super) struct Data<'a, 'p> {
    pub views: &'a Views<'p>,
    pub options: &'a HtmlOptions,
    pub costs: AllCosts<'a>,
    pub functions: Functions<'a>,
    /// For each function that is shown, the files and lines with costs or calls.
    pub lines_of: Vec<Vec<(usize, u64)>>,
    /// The bytes reserved for the sums of omitted calls.
    pub reserved: usize,
}

impl<'a, 'p> Data<'a, 'p> {
    pub fn new(functions: Subject<'a>, views: &'a Views<'p>, options: &'a HtmlOptions) -> Self {
        let costs = AllCosts::new(functions);
        Data {
            views,
            options,
            functions: Functions::new(&costs),
            costs,
            lines_of: Vec::new(),
            reserved: 0,
        }
    }

    /// Whether numbers of calls, and callers, are known.
    pub fn has_invocations(&self) -> bool {
        let mut sides = self.costs.views.into_iter();
        sides.all(View::has_invocations)
    }
}
