//! The invocations of v4, their sub-calls, and who called them.

use std::io::{Read, Seek};

use super::super::error::ReadError;
use super::super::layout::{NOBODY, SUB_CALL_RECORD, UNCALLED};
use super::bytes::Bytes;
use crate::profile::{CallEdge, Cost, FunctionId, InvocationCall, InvocationTree, ProfileBuilder};

/// What an invocation record states.
#[derive(Clone, Copy, Debug)]
struct Invocation {
    self_cost: u32,
    inclusive: u32,
    /// The call that made it, as its caller states it: cost, caller, which invocation of it, and line.
    /// [`UNCALLED`] if that is known already, or if there was none.
    call: [u32; 4],
    /// How many sub-calls it has, and where they stand.
    sub_calls: u32,
    address: u32,
}

impl Invocation {
    /// Where its sub-calls end.
    fn end(&self) -> u64 {
        u64::from(self.address) + u64::from(self.sub_calls) * SUB_CALL_RECORD
    }
}

/// The invocation records of a file, in its order: those of one function together.
#[derive(Debug, Default)]
pub(super) struct Invocations {
    /// Where those of each function begin.
    starts: Vec<u32>,
    records: Vec<Invocation>,
}

impl Invocations {
    /// Says that the next records are those of the next function.
    pub fn begin_function(&mut self) {
        self.starts.push(self.len());
    }

    /// Adds an invocation record.
    pub fn push(&mut self, record: [u32; 8]) {
        let [self_cost, inclusive, call @ .., sub_calls, address] = record;
        self.records.push(Invocation {
            self_cost,
            inclusive,
            call,
            sub_calls,
            address,
        });
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
        let mut tree = builder.keeps_invocations().then(|| self.tree(&order));
        // Where the records are in the tree.
        let mut positions = vec![0; order.len()];
        for (position, &index) in (0u32..).zip(&order) {
            positions[index as usize] = position;
        }
        for (position, &index) in (0u32..).zip(&order) {
            let Invocation {
                sub_calls, address, ..
            } = self.records[index as usize];
            if sub_calls == 0 {
                continue;
            }
            source.go_to(u64::from(address))?;
            let (caller, invocation) = self.number_of(index);
            let mut zeros = 0;
            for _ in 0..sub_calls {
                let ([callee, _, line, cost], called) = self.sub_call(source, &mut zeros)?;
                let edge = CallEdge {
                    caller: FunctionId(caller),
                    callee: FunctionId(callee),
                    line: u64::from(line),
                    calls: 1,
                };
                let callee = edge.callee;
                builder.add_table_edge(edge, cost.into());
                let Some(tree) = &mut tree else { continue };
                let made = called.map(|called| positions[called]);
                let call = InvocationCall::new(callee, made, line.into());
                tree.add_call::<1>(call, &[cost.into()]);
                // The callee has to agree.
                if let (Some(called), Some(made)) = (called, made)
                    && self.records[called].call == [cost, caller, invocation, line]
                {
                    self.records[called].call = UNCALLED;
                    tree.claim(made, position);
                }
            }
        }
        if let Some(tree) = tree {
            builder.add_invocations(tree);
        }
        Ok(())
    }

    /// All invocations in block order, without their calls.
    fn tree(&self, block_order: &[u32]) -> InvocationTree {
        // The file has a record for each.
        let calls = self.records.iter().map(|record| record.sub_calls as usize);
        let mut tree = InvocationTree::with_capacity(block_order.len(), calls.sum());
        let mut first_call = 0;
        for &index in block_order {
            let record = &self.records[index as usize];
            let (function, _) = self.number_of(index);
            let costs = [record.self_cost, record.inclusive].map(|cost| [Cost::from(cost)]);
            let [self_cost, inclusive] = &costs;
            tree.add_invocation::<1>(FunctionId(function), self_cost, inclusive, first_call);
            first_call += record.sub_calls;
        }
        tree
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
            let record = self.records[index as usize];
            (record.address, record.sub_calls > 0, index)
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
            let record = self.records[index as usize];
            let address = u64::from(record.address);
            let is_in_place = address >= lowest && record.end() <= source.end;
            source.expect(is_in_place, address, || {
                let (function, invocation) = self.number_of(index);
                format!(
                    "sub-calls of invocation {invocation} of function {function} out of place: \
                     expected {} between bytes {lowest} and {}, after functions and \
                     other sub-calls and before the headers",
                    record.sub_calls, source.end
                )
            })?;
            lowest = record.end();
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
        u32::try_from(self.records.len()).unwrap_or(u32::MAX)
    }
}

/// The message about a record that names a function which the file does not have.
pub(super) fn no_function(record: &str, functions: usize, found: u32) -> String {
    format!(
        "{record} names a function that is not there: expected a number below {functions} \
         (found {found})"
    )
}
