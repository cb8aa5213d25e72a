//! What the report is made of.

use super::costs::Costs;
use super::functions::{Files, Functions};
use super::{Compared, HtmlOptions};
use crate::stacks::Stacks;

/// What is shown, and what columns are made of.
pub(super) struct Data<'a, 'o> {
    pub stacks: &'o Stacks<'a>,
    pub compared: Option<&'o Compared<'a>>,
    pub options: &'o HtmlOptions,
    pub costs: Costs<'a>,
    pub files: Files<'a>,
    pub functions: Functions<'a>,
    /// For each function that is shown, the lines of which it shows something.
    pub lines_of: Vec<Vec<(usize, u64)>>,
    /// The bytes that are reserved for the sums of calls that are left out.
    pub reserved: usize,
}

impl<'a, 'o> Data<'a, 'o> {
    pub fn new(
        stacks: &'o Stacks<'a>,
        compared: Option<&'o Compared<'a>>,
        options: &'o HtmlOptions,
    ) -> Self {
        let comparison = compared.map(|compared| compared.comparison);
        let costs = Costs::new(stacks.profile().folded(), comparison);
        Data {
            stacks,
            compared,
            options,
            files: Files::default(),
            functions: Functions::new(&costs),
            costs,
            lines_of: Vec::new(),
            reserved: 0,
        }
    }

    /// Whether it is known how often functions were called, and by whom.
    pub fn has_invocations(&self) -> bool {
        match self.compared {
            Some(compared) => compared.comparison.has_invocations(),
            None => self.costs.new.has_invocations(),
        }
    }
}
