//! The invocations of v4 and their sub-calls.

use std::io::{Read, Seek};

use super::super::layout::{InvocationRecord, NOBODY, SubCallRecord};
use super::edges::Edge;
use super::error::{ReadError, ReadProblem};
use super::links::{Claim, Links, Stated};
use super::source::Source;
use super::table::Destination;

/// Where the sub-calls of an invocation stand.
#[derive(Clone, Copy, Debug)]
struct Place {
    address: u32,
    count: u32,
}

impl Place {
    fn end(self) -> u64 {
        u64::from(self.address) + u64::from(self.count) * SubCallRecord::SIZE
    }
}

/// The invocation records of a file, in its order: those of one function together.
#[derive(Debug)]
pub(super) struct Invocations {
    /// Where those of each function begin.
    starts: Vec<u32>,
    places: Vec<Place>,
    /// The rest, if the tree is wanted.
    stated: Option<Stated>,
}

impl Invocations {
    /// Begins with none; `keep` says if more is wanted than the sums of their calls.
    pub fn new(keep: bool) -> Self {
        Invocations {
            starts: Vec::new(),
            places: Vec::new(),
            stated: keep.then(Stated::default),
        }
    }

    /// Says that the next records are those of the next function.
    pub fn begin_function(&mut self) {
        self.starts.push(self.len());
    }

    /// Takes in a record.
    pub fn push(&mut self, record: &InvocationRecord) {
        self.places.push(Place {
            address: record.sub_call_address,
            count: record.sub_call_count,
        });
        if let Some(stated) = &mut self.stated {
            stated.push(record);
        }
    }

    /// Reads the sub-calls of all invocations, which stand between `source` and the headers.
    ///
    /// They are taken in the order of their addresses, in which the blocks of the profile ended.
    pub fn read_sub_calls<R: Read + Seek>(
        mut self,
        source: &mut Source<R>,
        headers_at: u64,
        mut into: Destination<'_>,
    ) -> Result<(), ReadError> {
        let order = self.block_order();
        self.check_places(&order, source, headers_at)?;
        let stated = self.stated.take();
        let mut links = stated.map(|stated| Links::new(&self, stated, &order, &into));
        for (position, &index) in (0u32..).zip(&order) {
            let place = self.places[index as usize];
            if place.count > 0 {
                source.go_to(u64::from(place.address))?;
            }
            let (caller, caller_invocation) = self.number_of(index);
            for _ in 0..place.count {
                let (record, called) = self.sub_call(source)?;
                let (line, cost) = (record.line, record.cost);
                into.add_edge(&Edge {
                    caller,
                    callee: record.function,
                    line,
                    calls: 1,
                    cost: u64::from(cost),
                });
                if let Some(links) = &mut links {
                    let claim = Claim {
                        caller,
                        caller_invocation,
                        line,
                        cost,
                    };
                    links.add_call(position, &record, called, claim, &into);
                }
            }
        }
        if let Some(links) = links {
            into.builder.add_invocations(links.finish());
        }
        Ok(())
    }

    /// Number of the function that a record belongs to.
    pub fn function_of(&self, index: u32) -> u32 {
        self.number_of(index).0
    }

    /// How many sub-calls the invocation of a record has.
    pub fn sub_call_count(&self, index: u32) -> u32 {
        self.places[index as usize].count
    }

    /// How many sub-calls there are in all; the file has a record for each.
    pub fn all_sub_calls(&self) -> usize {
        let counts = self.places.iter().map(|place| place.count as usize);
        counts.sum()
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
            let place = self.places[index as usize];
            (place.address, place.count > 0, index)
        });
        order
    }

    /// Checks that sub-calls stand after the functions, before the headers and nowhere twice.
    fn check_places<R: Read + Seek>(
        &self,
        block_order: &[u32],
        source: &Source<R>,
        headers_at: u64,
    ) -> Result<(), ReadError> {
        let mut lowest = source.position();
        for &index in block_order {
            let place = self.places[index as usize];
            let address = u64::from(place.address);
            if address < lowest || place.end() > headers_at {
                let (function, invocation) = self.number_of(index);
                let problem = ReadProblem::SubCalls {
                    function,
                    invocation,
                    count: place.count,
                    lowest,
                    highest: headers_at,
                };
                return Err(source.error_at(address, problem));
            }
            lowest = place.end();
        }
        Ok(())
    }

    /// Reads a sub-call, and finds the record of the invocation that it names.
    fn sub_call<R: Read + Seek>(
        &self,
        source: &mut Source<R>,
    ) -> Result<(SubCallRecord, Option<u32>), ReadError> {
        let offset = source.position();
        let record = SubCallRecord::from_numbers(source.numbers()?);
        let functions = self.starts.len();
        let function = record.function;
        let Some(&start) = self.starts.get(function as usize) else {
            let problem = ReadProblem::SubCallFunction {
                found: function,
                functions,
            };
            return Err(source.error_at(offset, problem));
        };
        if record.invocation == NOBODY {
            return Ok((record, None));
        }
        let end = self.starts.get(function as usize + 1).copied();
        let invocations = end.unwrap_or(self.len()) - start;
        if record.invocation >= invocations {
            let problem = ReadProblem::SubCallInvocation {
                function,
                found: record.invocation,
                invocations,
            };
            return Err(source.error_at(offset, problem));
        }
        Ok((record, Some(start + record.invocation)))
    }

    /// How many records there are; a file of 4 GiB holds far fewer than a number can count.
    fn len(&self) -> u32 {
        u32::try_from(self.places.len()).unwrap_or(u32::MAX)
    }
}
