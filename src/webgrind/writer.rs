//! Writes webgrind's formats, v4 to v7.
//!
//! One traversal of the profile defines the contents of a file and their order ([`FileContents`]). The
//! first pass finds out what does not fit, the size of the file and all addresses; the second one
//! writes. So nothing is written before everything is known to fit, and the file is written from
//! beginning to end.

use std::hint::black_box;
use std::io::{BufWriter, Write};

use byteorder::{ByteOrder, LittleEndian};

use super::error::{WriteError, WriteWarning};
use super::escape::{IN_NAMES, escaped, header_lines};
use super::invocation_lists::{InvocationLists, StoredInvocation};
use super::layout::{CALL_RECORD, FunctionField, INVOCATION_RECORD, MAX_FILE_SIZE, Version};
use super::narrow::{Narrowing, OnOverflow, RangeStats};
use crate::profile::{CallEdge, Cost, EdgeRef, Function, FunctionId, Profile};
use crate::tables::first_cost;

/// Bytes that are written at a time: more than the probable size of an output's own buffer, which
/// then need not copy them.
const BUFFER: usize = 128 << 10;

/// The number of functions whose names and calls, far apart in memory, are read together, so that
/// the processor need not wait for each of them.
const FETCHED: usize = 64;

/// The number of functions that fit into a cache with their calls.
const CACHED: usize = 1 << 13;

/// How a profile is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct WriteOptions {
    /// Version of the format.
    pub version: Version,
    /// The policy for numbers of more than 32 bits.
    pub on_overflow: OnOverflow,
    /// Whether `&`, `<` and, in function names, `"` become entities. webgrind inserts function
    /// names and the `cmd:` header into its HTML as they are.
    ///
    /// File names stay unchanged, because webgrind encodes them itself.
    pub escape_html: bool,
}

impl WriteOptions {
    /// Writes this version, scales costs that do not fit, and leaves names unchanged.
    pub fn new(version: Version) -> Self {
        WriteOptions {
            version,
            ..WriteOptions::default()
        }
    }
}

/// Writes `profile` to `output`, and returns warnings for the user.
///
/// Nothing is written before everything is known to fit.
///
/// Two rules keep webgrind's reader from failing. A profile without functions becomes a file with a
/// function `{main}`, called once without cost. Header lines without a value are omitted, and there
/// is always an `events:` line.
///
/// # Errors
///
/// When the file would exceed 4 GiB, when a number does not fit and the policy is
/// [`OnOverflow::Error`], and when the output fails.
pub fn write<W: Write>(
    profile: &Profile,
    options: &WriteOptions,
    output: W,
) -> Result<Vec<WriteWarning>, WriteError> {
    let version = options.version;
    let mut document = FileContents {
        profile,
        version,
        escape_html: options.escape_html,
        lists: (version == Version::V4).then(|| InvocationLists::new(profile)),
        function_addresses: Vec::new(),
        sub_calls_at: 0,
        headers_at: 0,
    };
    let mut first = Pass::<W>::new(None, Narrowing::EXACT);
    document.count_records(&mut first.ranges);
    document.functions(&mut first)?;
    document.sub_calls_at = first.position;
    document.sub_calls(&mut first)?;
    document.headers_at = first.position;

    let narrowing = first.ranges.decide(options.on_overflow, profile.event())?;
    let mut warnings = first.ranges.warnings(&narrowing, profile.event());
    let lists = document.lists.iter();
    if let sums @ 1.. = lists.flat_map(InvocationLists::sums).count() {
        warnings.push(WriteWarning::SumsAsInvocations(sums as u64));
    }
    first.narrowing = narrowing;
    document.headers(&mut first)?;
    if first.position > MAX_FILE_SIZE {
        return Err(WriteError::TooLarge(first.position));
    }

    document.function_addresses = first.function_addresses;
    let mut writer = Pass::new(Some(BufWriter::with_capacity(BUFFER, output)), narrowing);
    document.functions(&mut writer)?;
    document.sub_calls(&mut writer)?;
    document.headers(&mut writer)?;
    if let Some(mut output) = writer.output {
        output.flush()?;
    }
    Ok(warnings)
}

/// The contents of a file, and their order.
struct FileContents<'a> {
    profile: &'a Profile,
    version: Version,
    escape_html: bool,
    /// The invocations, for v4.
    lists: Option<InvocationLists<'a>>,
    /// The addresses, known after the first pass.
    function_addresses: Vec<u32>,
    /// The sub-call records of v4, to which its invocations point.
    sub_calls_at: u64,
    headers_at: u64,
}

impl FileContents<'_> {
    /// Adds the numbers of call and invocation records in the order of their tables; by function,
    /// they are far apart in memory.
    fn count_records(&self, ranges: &mut RangeStats) {
        if let Some(lists) = &self.lists {
            lists.add_to(ranges);
        }
        if self.version.has_called_from() {
            for edge in self.profile.edges() {
                ranges.count(edge.line);
                ranges.count(edge.calls);
                ranges.cost(first_cost(edge.costs()));
            }
        }
    }

    /// Everything up to the end of the function records.
    fn functions(&self, pass: &mut Pass<impl Write>) -> Result<(), WriteError> {
        let functions = self.profile.functions();
        let count = functions.len().max(1) as u64;
        let headers_at = pass.narrowing.count(self.headers_at);
        let count = pass.count(count);
        pass.put_numbers([self.version.number(), headers_at, count])?;
        for function in 0..count as usize {
            let address = self.function_addresses.get(function);
            pass.put_numbers([address.copied().unwrap_or(0)])?;
        }
        if functions.len() == 0 {
            pass.begin_function();
            return self.write_empty_main(pass);
        }
        let is_large = functions.len() > CACHED && self.version.has_called_from();
        let mut ahead = self.profile.functions();
        for (number, (id, function)) in functions.enumerate() {
            if is_large && number % FETCHED == 0 && pass.output.is_some() {
                self.fetch(ahead.by_ref().take(FETCHED));
            }
            pass.begin_function();
            self.function(id, function, pass)?;
        }
        Ok(())
    }

    /// Reads the names and calls of functions into the cache.
    fn fetch<'f>(&self, functions: impl Iterator<Item = (FunctionId, &'f Function)>) {
        let profile = self.profile;
        for (id, function) in functions {
            let names = [function.file, function.name].map(|name| profile.name(name).first());
            let edges = profile.called_from(id).chain(profile.sub_calls(id));
            // An edge may span two cache lines.
            black_box(edges.fold(0, |sum, edge| {
                sum ^ edge.line ^ first_cost(edge.costs()).cast_unsigned()
            }));
            black_box(names);
        }
    }

    fn function(
        &self,
        id: FunctionId,
        function: &Function,
        pass: &mut Pass<impl Write>,
    ) -> Result<(), WriteError> {
        let (called_from, sub_calls) = (self.profile.called_from(id), self.profile.sub_calls(id));
        let fields = self.version.function_fields();
        let mut numbers = [0; FunctionField::COUNT];
        for (number, field) in numbers.iter_mut().zip(fields) {
            *number = match field {
                FunctionField::Line => pass.count(function.line),
                FunctionField::SelfCost => pass.cost(first_cost(self.profile.self_costs(id))),
                FunctionField::InclusiveCost => {
                    pass.cost(first_cost(self.profile.inclusive_costs(id)))
                }
                FunctionField::CallCost => pass.cost(self.profile.call_cost(id)),
                FunctionField::Invocations => {
                    let lists = self.lists.as_ref();
                    pass.count(lists.map_or(function.invocations, |lists| lists.count_of(id)))
                }
                FunctionField::CalledFromCount => pass.count(called_from.len() as u64),
                FunctionField::SubCallCount => pass.count(sub_calls.len() as u64),
            };
        }
        pass.put(encoded(numbers)[..fields.len()].as_flattened())?;
        if let Some(lists) = &self.lists {
            pass.put_invocations(lists, id, self.sub_calls_at)?;
        }
        if self.version.has_called_from() {
            pass.put_calls(called_from, |edge| edge.caller)?;
        }
        if self.version.has_sub_calls() {
            pass.put_calls(sub_calls, |edge| edge.callee)?;
        }
        pass.put(self.profile.name(function.file))?;
        pass.put(b"\n")?;
        let name = self.profile.name(function.name);
        if self.escape_html {
            pass.put(&escaped(name, IN_NAMES))?;
        } else {
            pass.put(name)?;
        }
        pass.put(b"\n")
    }

    /// The record of `{main}`, for a profile without functions.
    ///
    /// Nothing else is known of a script that has just started.
    fn write_empty_main(&self, pass: &mut Pass<impl Write>) -> Result<(), WriteError> {
        for field in self.version.function_fields() {
            pass.put_numbers([u32::from(*field == FunctionField::Invocations)])?;
        }
        if self.version == Version::V4 {
            let main = StoredInvocation::default();
            pass.put_numbers(main.record(&pass.narrowing, self.sub_calls_at))?;
        }
        pass.put(b"\n{main}\n")
    }

    fn sub_calls(&self, pass: &mut Pass<impl Write>) -> Result<(), WriteError> {
        let Some(lists) = &self.lists else {
            return Ok(());
        };
        for call in lists.calls() {
            let invocation = lists.number_of_called(call);
            let (line, cost) = (pass.count(call.line), pass.cost(call.cost));
            pass.put_numbers([call.callee.number(), invocation, line, cost])?;
        }
        for id in lists.sums() {
            for edge in self.profile.sub_calls(id) {
                let (line, cost) = (pass.count(edge.line), pass.cost(first_cost(edge.costs())));
                pass.put_numbers([edge.callee.number(), 0, line, cost])?;
            }
        }
        Ok(())
    }

    fn headers(&self, pass: &mut Pass<impl Write>) -> Result<(), WriteError> {
        for line in header_lines(self.profile, &pass.narrowing, self.escape_html) {
            pass.put(&line)?;
            pass.put(b"\n")?;
        }
        Ok(())
    }
}

/// The bytes of each number.
#[inline]
fn encoded<const N: usize>(numbers: [u32; N]) -> [[u8; size_of::<u32>()]; N] {
    let mut bytes = [[0; size_of::<u32>()]; N];
    LittleEndian::write_u32_into(&numbers, bytes.as_flattened_mut());
    bytes
}

/// A pass over the contents of a file: the first one, which measures, or the second one, which
/// writes.
struct Pass<W: Write> {
    /// `None` in the first pass.
    output: Option<BufWriter<W>>,
    ranges: RangeStats,
    narrowing: Narrowing,
    position: u64,
    /// In the first pass: the address of each function record.
    function_addresses: Vec<u32>,
}

impl<W: Write> Pass<W> {
    fn new(output: Option<BufWriter<W>>, narrowing: Narrowing) -> Self {
        Pass {
            output,
            ranges: RangeStats::default(),
            narrowing,
            position: 0,
            function_addresses: Vec::new(),
        }
    }

    /// Adds a cost, and returns it as it is written.
    #[inline]
    fn cost(&mut self, cost: Cost) -> u32 {
        if self.output.is_none() {
            self.ranges.cost(cost);
        }
        self.narrowing.cost(cost)
    }

    /// Adds a count or a line, and returns it as it is written.
    #[inline]
    fn count(&mut self, count: u64) -> u32 {
        if self.output.is_none() {
            self.ranges.count(count);
        }
        self.narrowing.count(count)
    }

    #[inline]
    fn put(&mut self, bytes: &[u8]) -> Result<(), WriteError> {
        self.position += bytes.len() as u64;
        if let Some(output) = &mut self.output {
            output.write_all(bytes)?;
        }
        Ok(())
    }

    #[inline]
    fn put_numbers<const N: usize>(&mut self, numbers: [u32; N]) -> Result<(), WriteError> {
        self.put(encoded(numbers).as_flattened())
    }

    /// Puts the call records of a function; `other` is the function that one names.
    ///
    /// The first pass counts their size only: [`FileContents::count_records`] counts their numbers.
    fn put_calls<'a>(
        &mut self,
        edges: impl ExactSizeIterator<Item = EdgeRef<'a>>,
        other: impl Fn(&CallEdge) -> FunctionId,
    ) -> Result<(), WriteError> {
        if self.output.is_none() {
            self.position += edges.len() as u64 * CALL_RECORD;
            return Ok(());
        }
        let narrowing = self.narrowing;
        for edge in edges {
            let [line, calls] = [edge.line, edge.calls].map(|count| narrowing.count(count));
            let cost = narrowing.cost(first_cost(edge.costs()));
            self.put_numbers([other(&edge).number(), line, calls, cost])?;
        }
        Ok(())
    }

    /// Puts the invocation records of a function.
    ///
    /// The first pass counts their size only, as with [`put_calls`](Self::put_calls).
    fn put_invocations(
        &mut self,
        lists: &InvocationLists<'_>,
        id: FunctionId,
        sub_calls_at: u64,
    ) -> Result<(), WriteError> {
        if self.output.is_none() {
            self.position += lists.count_of(id) * INVOCATION_RECORD;
            return Ok(());
        }
        for invocation in lists.of(id) {
            self.put_numbers(invocation.record(&self.narrowing, sub_calls_at))?;
        }
        Ok(())
    }

    /// Begins the record of the next function.
    fn begin_function(&mut self) {
        if self.output.is_none() {
            // A file that is too large is refused before it is written.
            let address = self.narrowing.count(self.position);
            self.function_addresses.push(address);
        }
    }
}
