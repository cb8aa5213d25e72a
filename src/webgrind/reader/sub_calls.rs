//! The invocations of v4, their sub-calls, and who called them.

use std::io::{Read, Seek};

use super::super::error::ReadError;
use super::super::layout::{NOBODY, SUB_CALL_RECORD, UNCALLED};
use super::bytes::Bytes;
use crate::profile::{CallEdge, Cost, FunctionId, InvocationCall, InvocationTree, ProfileBuilder};

/// Where the sub-calls of an invocation stand.
#[derive(Clone, Copy, Debug)]
struct SubCalls {
    count: u32,
    address: u32,
}

impl SubCalls {
    fn end(self) -> u64 {
        u64::from(self.address) + u64::from(self.count) * SUB_CALL_RECORD
    }
}

/// A call as both sides of it state it: cost, caller, which invocation of it, and line. [`UNCALLED`]
/// if that is known already, or if there was none.
type Call = [u32; 4];

/// The invocation records of a file, in its order: those of one function together.
#[derive(Debug)]
pub(super) struct Invocations {
    /// Where those of each function begin.
    starts: Vec<u32>,
    sub_calls: Vec<SubCalls>,
    /// Self and inclusive costs, and the calls that made the invocations, if the tree is wanted.
    stated: Option<(Vec<[u32; 2]>, Vec<Call>)>,
}

impl Invocations {
    /// Begins with none; `keep` says if more is wanted than the sums of their calls.
    pub fn new(keep: bool) -> Self {
        Invocations {
            starts: Vec::new(),
            sub_calls: Vec::new(),
            stated: keep.then(Default::default),
        }
    }

    /// Says that the next records are those of the next function.
    pub fn begin_function(&mut self) {
        self.starts.push(self.len());
    }

    /// Adds an invocation record.
    pub fn push(&mut self, record: [u32; 8]) {
        let [self_cost, inclusive, call @ .., count, address] = record;
        self.sub_calls.push(SubCalls { count, address });
        if let Some((costs, calls)) = &mut self.stated {
            costs.push([self_cost, inclusive]);
            calls.push(call);
        }
    }

    /// Reads the sub-calls of all invocations, which stand between `source` and the headers.
    ///
    /// They are taken in the order of their addresses, in which the blocks of the profile ended.
    pub fn read_sub_calls<R: Read + Seek>(
        mut self,
        source: &mut Bytes<R>,
        builder: &mut ProfileBuilder,
    ) -> Result<(), ReadError> {
        let order = self.block_order();
        self.check_ranges(&order, source)?;
        let stated = self.stated.take();
        let mut kept = stated.map(|(costs, calls)| (self.tree(&order, &costs), calls));
        for (position, &index) in (0u32..).zip(&order) {
            let SubCalls { count, address } = self.sub_calls[index as usize];
            if count == 0 {
                continue;
            }
            source.go_to(u64::from(address))?;
            let (caller, invocation) = self.number_of(index);
            let mut zeros = 0;
            for _ in 0..count {
                let ([callee, _, line, cost], called) = self.sub_call(source, &mut zeros)?;
                let edge = CallEdge {
                    caller: FunctionId(caller),
                    callee: FunctionId(callee),
                    line: u64::from(line),
                    calls: 1,
                };
                let callee = edge.callee;
                builder.add_table_edge(edge, cost.into());
                let Some(((tree, positions), calls)) = &mut kept else {
                    continue;
                };
                let made = called.map(|called| positions[called]);
                tree.add_call(InvocationCall::new(callee, made, line.into(), cost.into()));
                // The callee has to agree.
                if let (Some(called), Some(made)) = (called, made)
                    && calls[called] == [cost, caller, invocation, line]
                {
                    calls[called] = UNCALLED;
                    tree.claim(made, position);
                }
            }
        }
        if let Some(((tree, _), _)) = kept {
            builder.add_invocations(tree);
        }
        Ok(())
    }

    /// All invocations in block order, without their calls, and where the records are among them.
    fn tree(&self, block_order: &[u32], costs: &[[u32; 2]]) -> (InvocationTree, Vec<u32>) {
        let mut positions = vec![0; block_order.len()];
        // The file has a record for each.
        let calls = self.sub_calls.iter().map(|range| range.count as usize);
        let mut tree = InvocationTree::with_capacity(block_order.len(), calls.sum());
        let mut first_call = 0;
        for (position, &index) in (0u32..).zip(block_order) {
            positions[index as usize] = position;
            let (function, _) = self.number_of(index);
            let costs = costs[index as usize].map(Cost::from);
            tree.add_invocation(FunctionId(function), costs, first_call);
            first_call += self.sub_calls[index as usize].count;
        }
        (tree, positions)
    }

    /// Number of the function that a record belongs to, and of the invocation among its.
    fn number_of(&self, index: u32) -> (u32, u32) {
        let after = self.starts.partition_point(|&start| start <= index);
        let function = after.saturating_sub(1);
        let number = u32::try_from(function).unwrap_or(u32::MAX);
        (number, index - self.starts[function])
    }

    /// Positions of all records in the order of their sub-calls.
    ///
    /// Of those at one place a single one can have any, and it ended last.
    fn block_order(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.len()).collect();
        order.sort_unstable_by_key(|&index| {
            let range = self.sub_calls[index as usize];
            (range.address, range.count > 0, index)
        });
        order
    }

    /// Checks that sub-calls stand after the functions, before the headers and nowhere twice.
    fn check_ranges<R: Read + Seek>(
        &self,
        block_order: &[u32],
        source: &Bytes<R>,
    ) -> Result<(), ReadError> {
        let mut lowest = source.position();
        for &index in block_order {
            let range = self.sub_calls[index as usize];
            let address = u64::from(range.address);
            let is_in_place = address >= lowest && range.end() <= source.end;
            source.expect(is_in_place, address, || {
                let (function, invocation) = self.number_of(index);
                format!(
                    "sub-calls of invocation {invocation} of function {function} out of place: \
                     expected {} between bytes {lowest} and {}, after functions and \
                     other sub-calls and before the headers",
                    range.count, source.end
                )
            })?;
            lowest = range.end();
        }
        Ok(())
    }

    /// Reads a sub-call, and finds the record of the invocation that it names.
    fn sub_call<R: Read + Seek>(
        &self,
        source: &mut Bytes<R>,
        zeros: &mut usize,
    ) -> Result<([u32; 4], Option<usize>), ReadError> {
        let offset = source.position();
        let record @ [function, invocation, ..] = source.listed::<4>("sub-call", zeros)?;
        let functions = self.starts.len();
        source.expect((function as usize) < functions, offset, || {
            no_function("a sub-call", functions, function)
        })?;
        let start = self.starts[function as usize];
        if invocation == NOBODY {
            return Ok((record, None));
        }
        let end = self.starts.get(function as usize + 1).copied();
        let invocations = end.unwrap_or(self.len()) - start;
        source.expect(invocation < invocations, offset, || {
            format!(
                "a sub-call names an invocation that function {function} does not have: expected \
                 a number below {invocations}, or {NOBODY} for none (found {invocation})"
            )
        })?;
        Ok((record, Some((start + invocation) as usize)))
    }

    /// How many records there are; a file of 4 GiB holds far fewer than a number can count.
    fn len(&self) -> u32 {
        u32::try_from(self.sub_calls.len()).unwrap_or(u32::MAX)
    }
}

/// The message about a record that names a function which the file does not have.
pub(super) fn no_function(record: &str, functions: usize, found: u32) -> String {
    format!(
        "{record} names a function that is not there: expected a number below {functions} \
         (found {found})"
    )
}
