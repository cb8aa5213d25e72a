//! The current run, and the computation of its sums when it ends.

use super::{OpenBlock, ProfileOptions};
use crate::profile::parts::OpenPart;
use crate::profile::sums::Sums;
use crate::profile::{BlockKind, ProfileKind};
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
            timeline: options.timeline,
        };
        Run {
            kind,
            sums,
            part: OpenPart::default(),
            block: None,
            trace: Trace::new(links, width),
        }
    }

    /// Ends the run, and computes its sums.
    pub fn finish(self) -> Sums {
        let mut sums = self.sums;
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
        match functions.self_costs.width() {
            1 => add_calls::<1>(functions, &sums.calls),
            _ => add_calls::<ANY_WIDTH>(functions, &sums.calls),
        }
        if self.kind == BlockKind::Trace {
            sums.add_own_lines();
        }
        sums.invocations = links.invocations;
        sums.contexts = links.contexts;
        sums.timeline = links.timeline;
        sums
    }
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
