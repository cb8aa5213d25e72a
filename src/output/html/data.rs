//! What the tables of the report are made of.

use super::costs::AllCosts;
use super::functions::Functions;
use super::{Compared, HtmlOptions};
use crate::profile::Profile;
use crate::stacks::Stacks;

/// A profile or comparison, and what has been chosen for the report so far.
pub(super) struct Data<'a, 'o> {
    pub stacks: &'o Stacks<'a>,
    pub compared: Option<&'o Compared<'a>>,
    pub options: &'o HtmlOptions,
    pub costs: AllCosts<'a>,
    pub functions: Functions<'a>,
    /// For each function that is shown, the files and lines with costs or calls.
    pub lines_of: Vec<Vec<(usize, u64)>>,
    /// The bytes reserved for the sums of omitted calls.
    pub reserved: usize,
}

impl<'a, 'o> Data<'a, 'o> {
    pub fn new(
        stacks: &'o Stacks<'a>,
        compared: Option<&'o Compared<'a>>,
        options: &'o HtmlOptions,
    ) -> Self {
        let comparison = compared.map(|compared| compared.comparison);
        let costs = AllCosts::new(stacks.profile().folded(), comparison);
        Data {
            stacks,
            compared,
            options,
            functions: Functions::new(&costs),
            costs,
            lines_of: Vec::new(),
            reserved: 0,
        }
    }

    /// Whether numbers of calls, and callers, are known.
    pub fn has_invocations(&self) -> bool {
        let mut sides = self.costs.profiles.into_iter();
        sides.all(Profile::has_invocations)
    }
}
