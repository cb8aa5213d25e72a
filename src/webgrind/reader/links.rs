//! Links the invocations of v4 to the calls that made them.

use super::super::layout::{InvocationRecord, NOBODY, SubCallRecord};
use super::invocations::Invocations;
use super::table::Destination;
use crate::profile::{InvocationCall, InvocationTree};

/// A call as both sides of it state it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Claim {
    pub caller: u32,
    pub caller_invocation: u32,
    pub line: u32,
    pub cost: u32,
}

impl Claim {
    /// Of an invocation whose caller is known already, or that has none.
    const SETTLED: Claim = Claim {
        caller: NOBODY,
        caller_invocation: 0,
        line: 0,
        cost: 0,
    };
}

/// What invocation records say beyond the places of their sub-calls, in the order of the file.
#[derive(Debug, Default)]
pub(super) struct Stated {
    /// Self and inclusive costs.
    costs: Vec<[u32; 2]>,
    claims: Vec<Claim>,
}

impl Stated {
    /// Takes in a record.
    pub fn push(&mut self, record: &InvocationRecord) {
        self.costs.push([record.self_cost, record.inclusive]);
        self.claims.push(Claim {
            caller: record.caller,
            caller_invocation: record.caller_invocation,
            line: record.line,
            cost: record.call_cost,
        });
    }
}

/// Builds the tree.
pub(super) struct Links {
    tree: InvocationTree,
    /// Who called the invocations, in the order of the file.
    claims: Vec<Claim>,
    /// Where they are in the tree.
    positions: Vec<u32>,
}

impl Links {
    /// Begins with all invocations, in block order, but without their calls.
    pub fn new(
        invocations: &Invocations,
        stated: Stated,
        block_order: &[u32],
        into: &Destination<'_>,
    ) -> Self {
        let mut positions = vec![0; block_order.len()];
        let calls = invocations.all_sub_calls();
        let mut tree = InvocationTree::with_capacity(block_order.len(), calls);
        let mut first_call = 0;
        for (position, &index) in (0u32..).zip(block_order) {
            positions[index as usize] = position;
            let [self_cost, inclusive] = stated.costs[index as usize];
            tree.add_invocation(
                into.function(invocations.function_of(index)),
                into.cost(u64::from(self_cost)),
                into.cost(u64::from(inclusive)),
                first_call,
            );
            first_call += invocations.sub_call_count(index);
        }
        Links {
            tree,
            claims: stated.claims,
            positions,
        }
    }

    /// Adds the next call in block order: of the invocation at `caller` in the tree, to the one
    /// whose record is `called`, if the file has it.
    ///
    /// Whether the callee agrees is told by `claim`, which is what it would have to state.
    pub fn add_call(
        &mut self,
        caller: u32,
        record: &SubCallRecord,
        called: Option<u32>,
        claim: Claim,
        into: &Destination<'_>,
    ) {
        let invocation = called.map(|index| self.positions[index as usize]);
        let (line, cost) = (u64::from(record.line), into.cost(u64::from(record.cost)));
        let callee = into.function(record.function);
        let call = InvocationCall::new(callee, invocation, line, cost);
        self.tree.add_call(call);
        let Some(index) = called else { return };
        let stated = &mut self.claims[index as usize];
        if *stated == claim {
            *stated = Claim::SETTLED;
            self.tree.claim(self.positions[index as usize], caller);
        }
    }

    /// The tree, once all calls have been added.
    pub fn finish(self) -> InvocationTree {
        self.tree
    }
}
