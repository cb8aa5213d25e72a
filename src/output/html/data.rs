//! What the tables of the report are made of.

use super::HtmlOptions;
use super::functions::RankedRows;
use crate::compare::{Side, Subject, Views};
use crate::output::figures::report::Report;
use crate::profile::FunctionId;

/// A profile or comparison, and what has been chosen for the report so far.
pub(super) struct Data<'a, 'p> {
    pub views: &'a Views<'p>,
    pub options: &'a HtmlOptions,
    pub report: Report<'a>,
    pub functions: RankedRows,
    /// For each function that is shown, the files and lines with costs or calls.
    pub lines_of: Vec<Vec<(usize, u64)>>,
    /// The bytes reserved for the sums of omitted calls.
    pub reserved: usize,
}

impl<'a, 'p> Data<'a, 'p> {
    pub fn new(functions: Subject<'a>, views: &'a Views<'p>, options: &'a HtmlOptions) -> Self {
        let report = Report::new(functions, &options.report);
        Data {
            views,
            options,
            functions: RankedRows::new(&report),
            report,
            lines_of: Vec::new(),
            reserved: 0,
        }
    }

    /// The rank of a function of a side.
    pub fn rank(&self, side: Side, id: FunctionId) -> usize {
        self.functions.ranks[self.report.position(side, id)]
    }
}
