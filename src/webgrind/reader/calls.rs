//! Call edges from called-from and sub-call lists, and from the sub-calls of v4.

use std::io::{Read, Seek};

use super::super::error::ReadError;
use super::super::layout::{NO_INDEX, SUB_CALL_RECORD};
use super::bytes::Bytes;
use crate::maps::IndexMap;
use crate::profile::{CallEdge, Cost, FunctionId, NameId, Sums};

/// The list of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ListKind {
    CalledFrom,
    SubCalls,
}

impl ListKind {
    /// The name of its records in messages.
    pub fn name(self) -> &'static str {
        match self {
            ListKind::CalledFrom => "called-from",
            ListKind::SubCalls => "sub-call",
        }
    }
}

/// The edges in the lists of v5 to v7, each once, in the order of their first records.
///
/// An edge is in the called-from list of its callee, in the sub-call list of its caller, or in
/// both: v5 has no sub-calls.
#[derive(Debug, Default)]
pub(super) struct StatedEdges {
    /// By caller, callee and line: calls, costs and their list.
    edges: IndexMap<(u32, u32, u32), (u64, Cost, ListKind)>,
}

impl StatedEdges {
    /// Adds a record of the list of `function`: the other function, line, calls and cost.
    ///
    /// Records of the same edge in a list are added up. If both lists have the edge, the
    /// called-from list counts.
    pub fn add(&mut self, list: ListKind, function: u32, [other, line, calls, cost]: [u32; 4]) {
        let key = match list {
            ListKind::CalledFrom => (other, function, line),
            ListKind::SubCalls => (function, other, line),
        };
        let stated = self.edges.entry(key).or_insert((0, 0, list));
        if stated.2 == ListKind::SubCalls && list == ListKind::CalledFrom {
            *stated = (0, 0, list);
        }
        if stated.2 == list {
            stated.0 += u64::from(calls);
            stated.1 += Cost::from(cost);
        }
    }

    pub fn add_to(self, sums: &mut Sums) {
        for ((caller, callee, line), (calls, cost, _)) in self.edges {
            add_edge(sums, [caller, callee], line, calls, cost);
        }
    }
}

/// Adds a call record between the functions of these numbers. The sums of functions are those that
/// the file states.
fn add_edge(sums: &mut Sums, ends: [u32; 2], line: u32, calls: u64, cost: Cost) {
    let [caller, callee] = ends.map(FunctionId);
    let edge = CallEdge {
        caller,
        callee,
        file: NameId::EMPTY,
        line: line.into(),
        calls,
    };
    sums.counts_calls |= calls > 0;
    sums.calls.add::<1>(edge, &[cost]);
}

/// The sub-calls of v4, which come after all functions in the order in which blocks ended. They are
/// added up by caller, callee and line.
#[derive(Debug, Default)]
pub(super) struct SubCalls {
    /// The number of invocations of each function.
    invocations: Vec<u32>,
    /// For each invocation with sub-calls: their address, their number, and the function.
    ranges: Vec<(u32, u32, u32)>,
}

impl SubCalls {
    /// Begins the next function, which has this number of invocations.
    pub fn begin_function(&mut self, invocations: u32) {
        self.invocations.push(invocations);
    }

    /// Adds the record of an invocation of a function.
    pub fn add(&mut self, function: u32, [.., count, address]: [u32; 8]) {
        if count > 0 {
            self.ranges.push((address, count, function));
        }
    }

    /// Reads the sub-calls of all invocations, which are between the current position and the
    /// headers and do not overlap.
    pub fn read<R: Read + Seek>(
        mut self,
        source: &mut Bytes<R>,
        sums: &mut Sums,
    ) -> Result<(), ReadError> {
        self.ranges.sort_unstable();
        for &(address, count, caller) in &self.ranges {
            let (address, lowest) = (u64::from(address), source.position());
            let size = u64::from(count) * SUB_CALL_RECORD;
            if address < lowest || address + size > source.end {
                let message = format!(
                    "sub-calls of function {caller} out of place: expected {count} between bytes \
                     {lowest} and {}, after functions and other sub-calls and before the headers",
                    source.end
                );
                return Err(source.error(address, message));
            }
            source.go_to(address)?;
            for _ in 0..count {
                let [callee, line, cost] = self.sub_call(source)?;
                add_edge(sums, [caller, callee], line, 1, cost.into());
            }
        }
        Ok(())
    }

    /// Reads the callee, the line and the cost of a sub-call.
    fn sub_call<R: Read + Seek>(&self, source: &mut Bytes<R>) -> Result<[u32; 3], ReadError> {
        let offset = source.position();
        let [function, invocation, line, cost] = source.numbers()?;
        let last = self.invocations.len() as u64 - 1;
        source.expect(offset, 0..=last, function, || {
            "a sub-call names a function that is not there".to_owned()
        })?;
        let invocations = self.invocations[function as usize];
        if invocation >= invocations && invocation != NO_INDEX {
            return Err(source.error(
                offset,
                format!(
                    "a sub-call names an invocation that function {function} does not have: \
                     expected a number below {invocations}, or {NO_INDEX} for none (found {invocation})"
                ),
            ));
        }
        Ok([function, line, cost])
    }
}

#[cfg(test)]
mod tests {
    use super::ListKind::{CalledFrom, SubCalls};
    use super::*;

    #[test]
    fn called_from_figures_win_and_duplicates_add_up() {
        let mut edges = StatedEdges::default();
        edges.add(SubCalls, 0, [1, 3, 9, 90]);
        edges.add(SubCalls, 0, [1, 3, 1, 10]);
        edges.add(SubCalls, 0, [2, 4, 1, 11]);
        edges.add(CalledFrom, 1, [0, 3, 2, 20]);
        edges.add(CalledFrom, 1, [0, 3, 2, 21]);
        edges.add(SubCalls, 0, [1, 3, 7, 70]);
        let found: Vec<_> = edges.edges.into_iter().collect();
        let expected = [
            ((0, 1, 3), (4, 41, CalledFrom)),
            ((0, 2, 4), (1, 11, SubCalls)),
        ];
        assert_eq!(found, expected);
    }
}
