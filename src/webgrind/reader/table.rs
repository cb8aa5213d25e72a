//! The table of functions, with the contents of their records.

use std::io::{Read, Seek};

use super::super::error::ReadError;
use super::super::layout::{FUNCTION_ADDRESSES_AT, FunctionField, NO_INDEX, NUMBER, Version};
use super::Start;
use super::bytes::Bytes;
use super::calls::{ListKind, StatedEdges, SubCalls};
use crate::maps::HashMap;
use crate::profile::{Cost, Function, Kind, MAX_NAME, NameId, ProfileBuilder, Sums};
use crate::tables::LineSource;

/// Reads function records one after the other.
pub(super) struct TableReader<'a, R> {
    source: Bytes<R>,
    start: Start,
    /// It has the names.
    builder: &'a mut ProfileBuilder,
    /// The functions and calls so far, in the file's only column.
    sums: Sums,
    /// The number of functions with each file and name.
    same: HashMap<(NameId, NameId), u32>,
    edges: StatedEdges,
    sub_calls: SubCalls,
    /// The number of the current function.
    function: u32,
    /// The file name and function name of the current record.
    names: [Vec<u8>; 2],
    /// The largest self or inclusive cost of the functions.
    largest_cost: u32,
}

impl<'a, R: Read + Seek> TableReader<'a, R> {
    pub fn new(source: Bytes<R>, start: Start, builder: &'a mut ProfileBuilder) -> Self {
        TableReader {
            source,
            start,
            builder,
            sums: Sums::of_kind(Kind::Aggregate),
            same: HashMap::default(),
            edges: StatedEdges::default(),
            sub_calls: SubCalls::default(),
            function: 0,
            names: Default::default(),
            largest_cost: 0,
        }
    }

    /// Reads all functions with their calls. Returns their sums, and the largest self or inclusive cost
    /// of a function.
    pub fn read(mut self) -> Result<(Sums, u32), ReadError> {
        let mut end = FUNCTION_ADDRESSES_AT + u64::from(self.start.function_count) * NUMBER;
        for function in 0..self.start.function_count {
            self.function = function;
            self.go_to(end)?;
            self.function()?;
            end = self.source.position();
        }
        self.sub_calls.read(&mut self.source, &mut self.sums)?;
        self.edges.add_to(&mut self.sums);
        Ok((self.sums, self.largest_cost))
    }

    /// Goes to the record of the function, which cannot begin before `lowest`.
    fn go_to(&mut self, lowest: u64) -> Result<(), ReadError> {
        let function = self.function;
        let (source, highest) = (&mut self.source, self.start.headers_at);
        let found = u64::from(self.start.addresses[function as usize]);
        let address_at = FUNCTION_ADDRESSES_AT + u64::from(function) * NUMBER;
        source.expect(address_at, lowest..=highest, found, || {
            format!(
                "address of function {function} out of place, after its predecessor and before the \
                 headers"
            )
        })?;
        source.go_to(found)
    }

    fn function(&mut self) -> Result<(), ReadError> {
        let figures = self.figures()?;
        let figure = |field: FunctionField| figures[field as usize];
        let cost = |field| Cost::from(figure(field));
        for field in [FunctionField::SelfCost, FunctionField::InclusiveCost] {
            self.largest_cost = self.largest_cost.max(figure(field));
        }
        let invocations = figure(FunctionField::Invocations);
        if self.start.version == Version::V4 {
            self.sub_calls.begin_function(invocations);
            self.list("invocation", invocations, |reader, record: [u32; 8]| {
                reader.sub_calls.add(reader.function, record);
                let [_, _, _, caller, ..] = record;
                (caller != NO_INDEX).then_some(caller)
            })?;
        }
        for (kind, count) in [
            (ListKind::CalledFrom, FunctionField::CalledFromCount),
            (ListKind::SubCalls, FunctionField::SubCallCount),
        ] {
            self.list(kind.name(), figure(count), |reader, record: [u32; 4]| {
                reader.edges.add(kind, reader.function, record);
                let [other, ..] = record;
                Some(other)
            })?;
        }
        for (name, what) in self.names.iter_mut().zip(["file name", "function name"]) {
            let (function, headers) = (self.function, self.start.headers_at);
            if !self.source.line(what, MAX_NAME, name)? {
                return Err(self.source.corrupt(format!(
                    "the {what} of function {function} does not end: expected \"\\n\" before the \
                     headers at byte {headers}"
                )));
            }
        }
        let [file, name] = self.names.each_ref().map(|name| self.builder.intern(name));
        // The file stores no objects, so it can contain several functions with the same file and name.
        // Their order distinguishes them.
        let same = self.same.entry((file, name)).or_default();
        let functions = &mut self.sums.functions;
        functions.push(Function {
            line: figure(FunctionField::Line).into(),
            line_source: LineSource::OwnCost,
            invocations: invocations.into(),
            before: *same,
            ..Function::new(NameId::EMPTY, file, name)
        });
        *same = same.saturating_add(1);
        let row = self.function as usize;
        functions
            .self_costs
            .add::<1>(row, &[cost(FunctionField::SelfCost)]);
        let inclusive = cost(FunctionField::InclusiveCost);
        functions.inclusive_costs.add::<1>(row, &[inclusive]);
        Ok(())
    }

    /// Reads the numbers at the beginning of a function record; 0 for those that the version lacks.
    fn figures(&mut self) -> Result<[u32; FunctionField::COUNT], ReadError> {
        let (function, source) = (self.function, &mut self.source);
        let fields = self.start.version.function_fields();
        source.expect_bytes(fields.len() as u64 * NUMBER, || {
            format!("the record of function {function}")
        })?;
        let mut figures = [0; FunctionField::COUNT];
        for field in fields {
            [figures[*field as usize]] = source.numbers()?;
        }
        Ok(figures)
    }

    /// Reads a list of the function with this number of records. `take` returns the other function
    /// that a record names, if any; `what` is the name of the list in messages.
    fn list<const N: usize>(
        &mut self,
        what: &str,
        count: u32,
        take: impl Fn(&mut Self, [u32; N]) -> Option<u32>,
    ) -> Result<(), ReadError> {
        let (function, last) = (self.function, u64::from(self.start.function_count) - 1);
        let room = self.source.room() / (N as u64 * NUMBER);
        self.source
            .expect(self.source.position(), 0..=room, count, || {
                format!(
                    "the number of records in the {what} list of function {function} does not fit \
                 before the headers"
                )
            })?;
        for _ in 0..count {
            let at = self.source.position();
            let record = self.source.numbers()?;
            if let Some(found) = take(self, record) {
                self.source.expect(at, 0..=last, found, || {
                    format!(
                        "the {what} list of function {function} names a function that is not there"
                    )
                })?;
            }
        }
        Ok(())
    }
}
