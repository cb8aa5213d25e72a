//! The current run, and the computation of its sums when it ends.

use super::OpenBlock;
use crate::profile::parts::{OpenPart, Parts};
use crate::profile::sums::Sums;
use crate::profile::{BlockKind, InclusiveCost, ProfileKind};
use crate::tables::{
    ANY_WIDTH, CallTable, CostTable, FunctionId, FunctionTable, LineTable, OpenFunctions,
    next_index,
};
use crate::trace::TraceLinks;

/// The current aggregate, or the current run of a trace.
#[derive(Debug, Default)]
pub(super) struct Run {
    pub kind: BlockKind,
    pub functions: OpenFunctions,
    pub calls: CallTable,
    /// The self costs by line, if requested.
    pub lines: Option<LineTable>,
    /// The requested proxies that exist, by position.
    pub proxies: Vec<usize>,
    pub parts: Parts,
    pub part: OpenPart,
    pub block: Option<OpenBlock>,
    /// Whether any function with a block may lack a line, because it has no self cost in its own
    /// file.
    pub may_lack_line: bool,
}

impl Run {
    /// Returns an empty run of the same kind.
    pub fn next(&mut self) -> Run {
        let lines = self.lines.as_ref();
        Run {
            kind: self.kind,
            functions: self.functions.next(),
            calls: self.calls.next(),
            lines: lines.map(|own| LineTable::new(own.costs.width())),
            ..Run::default()
        }
    }

    /// All rows of costs.
    fn tables(&mut self) -> impl Iterator<Item = &mut CostTable> {
        let own = [
            &mut self.functions.self_costs,
            &mut self.functions.unlisted_costs,
            &mut self.calls.costs,
            &mut self.parts.totals,
        ];
        let lines = self.lines.iter_mut().map(|lines| &mut lines.costs);
        own.into_iter().chain(lines)
    }

    /// Resets all tables, which are empty, to rows of one cost.
    pub fn narrow(&mut self) {
        self.tables().for_each(|table| *table = CostTable::new(1));
    }

    /// Makes all rows longer.
    pub fn widen(&mut self, width: usize) {
        self.tables().for_each(|table| table.widen(width));
    }

    /// Ends the run, and computes its sums.
    pub fn finish(self, inclusive: InclusiveCost, links: TraceLinks) -> Sums {
        let is_listed = links.invocations.is_some() || links.contexts.is_some();
        let mut counts_calls = false;
        let mut functions = match self.kind {
            BlockKind::Trace => self
                .functions
                .finish(is_listed, |_, function| (function.blocks, false)),
            BlockKind::Aggregate => {
                let mut called = vec![0u64; self.functions.as_slice().len()];
                for edge in self.calls.edges() {
                    let count = &mut called[edge.callee.index()];
                    *count = count.saturating_add(edge.calls);
                }
                counts_calls =
                    self.part.states_invocations() || called.iter().any(|&calls| calls > 0);
                self.functions.finish(is_listed, |row, function| {
                    let id = FunctionId(next_index(row));
                    match counts_calls {
                        true => self.part.invocations(id, called[row], function.blocks > 0),
                        false => (0, true),
                    }
                })
            }
        };
        let with_self_calls = inclusive == InclusiveCost::Summed;
        match functions.self_costs.width() {
            1 => add_calls::<1>(&mut functions, &self.calls, with_self_calls),
            _ => add_calls::<ANY_WIDTH>(&mut functions, &self.calls, with_self_calls),
        }
        if let Some(outermost) = links.outermost {
            for (at, function) in functions.as_mut_slice().iter_mut().enumerate() {
                function.may_nest = outermost.recurs.get(at).is_some_and(|&recurs| recurs);
            }
            let recurs = outermost.recurs.iter().enumerate();
            for (function, _) in recurs.filter(|&(_, &recurs)| recurs) {
                let costs = outermost.costs.row(function);
                functions.inclusive_costs.set::<ANY_WIDTH>(function, costs);
            }
        }
        Sums {
            kind: Some(match self.kind {
                BlockKind::Trace => ProfileKind::Trace,
                BlockKind::Aggregate => ProfileKind::Aggregate,
            }),
            counts_calls,
            functions,
            calls: self.calls,
            lines: self.lines,
            invocations: links.invocations,
            contexts: links.contexts,
            proxies: self.proxies,
            parts: self.parts,
        }
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
