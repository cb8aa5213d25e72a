//! The current run, and the computation of its sums when it ends.

use super::table::Table;
use super::{OpenBlock, ProfileOptions};
use crate::profile::parts::OpenPart;
use crate::profile::sums::Sums;
use crate::profile::{BlockKind, InclusiveCost, ProfileKind};
use crate::tables::{ANY_WIDTH, CallTable, FunctionTable, LineTable};
use crate::trace::{LinkOptions, Trace, TraceLinks};

/// The current aggregate, or the current run of a trace.
#[derive(Debug)]
pub(super) struct Run {
    pub kind: BlockKind,
    pub sums: Sums,
    pub part: OpenPart,
    pub block: Option<OpenBlock>,
    /// The single invocations of a trace, if they are needed.
    pub trace: Trace,
    /// The facts about a webgrind file, if it is one.
    pub table: Option<Table>,
}

impl Run {
    /// Begins a run with rows of this many costs.
    pub fn new(kind: BlockKind, options: &ProfileOptions, width: usize) -> Self {
        let mut sums = Sums {
            lines: options.lines.then(LineTable::default),
            ..Sums::default()
        };
        sums.widen(width);
        let links = LinkOptions {
            invocations: options.invocations,
            contexts: options.contexts,
            call_sites: options.call_sites,
            outermost: options.inclusive == InclusiveCost::Once,
        };
        Run {
            kind,
            sums,
            part: OpenPart::default(),
            block: None,
            trace: Trace::new(links, width),
            table: None,
        }
    }

    /// Ends the run, and computes its sums.
    pub fn finish(self, inclusive: InclusiveCost) -> Sums {
        let mut sums = self.sums;
        if let Some(table) = self.table {
            table.finish(&mut sums, inclusive);
            return sums;
        }
        let links = match self.kind {
            BlockKind::Trace => self.trace.finish(),
            BlockKind::Aggregate => TraceLinks::default(),
        };
        let functions = &mut sums.functions;
        match self.kind {
            BlockKind::Trace => {
                sums.kind = Some(ProfileKind::Trace);
                functions.forget_keys();
                let is_listed = links.invocations.is_some() || links.contexts.is_some();
                for function in functions.as_mut_slice() {
                    function.is_listed = is_listed;
                }
            }
            BlockKind::Aggregate => {
                sums.kind = Some(ProfileKind::Aggregate);
                sums.counts_calls = self.part.count_invocations(functions, &sums.calls);
            }
        }
        let with_self_calls = inclusive == InclusiveCost::Summed;
        match functions.self_costs.width() {
            1 => add_calls::<1>(functions, &sums.calls, with_self_calls),
            _ => add_calls::<ANY_WIDTH>(functions, &sums.calls, with_self_calls),
        }
        if let Some(outermost) = links.outermost {
            for function in functions.as_mut_slice() {
                function.may_nest = false;
            }
            for (function, costs, is_in_others) in outermost {
                let at = function.index();
                functions.as_mut_slice()[at].may_nest = true;
                // The cost of a call is less than the self costs below it where memory was freed.
                if is_in_others || !sums.proxies.is_empty() {
                    functions.inclusive_costs.set::<ANY_WIDTH>(at, &costs);
                }
            }
        }
        if self.kind == BlockKind::Trace {
            sums.add_own_lines();
        }
        sums.invocations = links.invocations;
        sums.contexts = links.contexts;
        sums
    }
}

/// Adds self costs and the costs of calls to inclusive costs.
///
/// `with_self_calls`: including calls of a function to itself.
fn add_calls<const WIDTH: usize>(
    functions: &mut FunctionTable,
    calls: &CallTable,
    with_self_calls: bool,
) {
    let inclusive = &mut functions.inclusive_costs;
    for row in 0..functions.self_costs.rows() {
        inclusive.add_row::<WIDTH>(row, &functions.self_costs, row);
    }
    for (position, edge) in calls.edges().iter().enumerate() {
        if with_self_calls || edge.caller != edge.callee {
            inclusive.add_row::<WIDTH>(edge.caller.index(), &calls.costs, position);
        }
    }
}
