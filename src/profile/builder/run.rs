//! The current run, and the computation of its sums when it ends.

use super::ProfileOptions;
use crate::profile::Kind;
use crate::profile::parts::OpenPart;
use crate::profile::sums::Sums;
use crate::tables::{ANY_WIDTH, CallTable, Cost, CostTable, FunctionTable, Kinds};
use crate::trace::{LinkOptions, Trace};

/// The current run of a trace, or the current aggregate, without its sums.
///
/// It has a tag of its own, because each block tests it several times: one that is hidden in a field
/// takes three times the instructions to test.
#[derive(Debug)]
#[repr(u8)]
pub(super) enum Run {
    /// A run of a trace of which only sums are needed.
    Trace,
    /// One of which single invocations are needed, too, for proxies or links.
    Invocations(Box<Trace>),
    /// An aggregate, with its current part.
    Aggregate(OpenPart),
}

impl Run {
    /// Begins a run with rows of this many costs.
    pub fn new(kind: Kind, options: &ProfileOptions, width: usize) -> Self {
        let links = LinkOptions {
            invocations: options.invocations,
            contexts: options.contexts,
            call_sites: options.call_sites,
            timeline: options.timeline,
        };
        match kind {
            Kind::Trace if options.follows_invocations() => {
                Run::Invocations(Trace::new(links, width).into())
            }
            Kind::Trace => Run::Trace,
            Kind::Aggregate => Run::Aggregate(OpenPart::default()),
        }
    }

    pub fn kind(&self) -> Kind {
        match self {
            Run::Trace | Run::Invocations(_) => Kind::Trace,
            Run::Aggregate(_) => Kind::Aggregate,
        }
    }

    /// Ends the run, and completes its sums. The event at `first_column` has the costs of the first
    /// column.
    pub fn finish(self, mut sums: Sums, first_column: Option<usize>) -> Sums {
        sums.kinds = Kinds::Only(self.kind());
        let functions = &mut sums.functions;
        match self {
            Run::Trace => functions.forget_keys(),
            Run::Invocations(trace) => {
                let links = trace.finish();
                functions.forget_keys();
                let is_listed = links.invocations.is_some() || links.contexts.is_some();
                for function in functions.as_mut_slice() {
                    function.is_listed = is_listed;
                }
                sums.invocations = links.invocations;
                if links.contexts.is_some() {
                    sums.costliest_calls =
                        costliest_calls(functions, &links.costliest, first_column);
                }
                sums.contexts = links.contexts;
                sums.timeline = links.timeline;
            }
            Run::Aggregate(part) => {
                sums.counts_calls = part.count_invocations(functions, &sums.calls);
            }
        }
        match functions.self_costs.width() {
            1 => add_calls::<1>(functions, &sums.calls),
            _ => add_calls::<ANY_WIDTH>(functions, &sums.calls),
        }
        sums
    }
}

/// A row for each function: what its costliest call costs in the event at `at`, and 0 in others.
fn costliest_calls(functions: &FunctionTable, costs: &[Cost], at: Option<usize>) -> CostTable {
    let mut rows = CostTable::new(functions.self_costs.width());
    let mut row = vec![0; rows.width()];
    if let Some(at) = at.filter(|&at| at < row.len()) {
        for &cost in costs {
            row[at] = cost;
            rows.push::<ANY_WIDTH>(&row);
        }
    }
    rows
}

/// Adds self costs and the costs of calls to inclusive costs.
fn add_calls<const WIDTH: usize>(functions: &mut FunctionTable, calls: &CallTable) {
    let inclusive = &mut functions.inclusive_costs;
    for row in 0..functions.self_costs.rows() {
        inclusive.add_row::<WIDTH>(row, &functions.self_costs, row);
    }
    for (position, edge) in calls.edges().iter().enumerate() {
        inclusive.add_row::<WIDTH>(edge.caller.index(), &calls.costs, position);
    }
}
