//! Writes webgrind's formats, v4 to v7.
//!
//! A first pass finds out what does not fit, the size of the file and all addresses; the second one
//! writes. So nothing is written before everything is known to fit, and the file is written from
//! beginning to end.

use std::borrow::Cow;
use std::hint::black_box;
use std::io::{self, BufWriter, Write};

use byteorder::{ByteOrder, LittleEndian};

use super::error::{WebgrindWriteError, WebgrindWriteWarning};
use super::escape::{IN_NAMES, escaped, header_lines};
use super::invocation_lists::InvocationLists;
use super::layout::{
    CALL_RECORD, FUNCTION_ADDRESSES_AT, FunctionField, INVOCATION_RECORD, MAX_FILE_SIZE, NO_CALLER,
    NUMBER, SUB_CALL_RECORD, Version,
};
use super::narrow::{Narrowing, OnOverflow, RangeStats};
use crate::profile::{Cost, EdgeRef, Function, FunctionId, Profile};
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
) -> Result<Vec<WebgrindWriteWarning>, WebgrindWriteError> {
    let version = options.version;
    let contents = FileContents {
        profile,
        version,
        escape_html: options.escape_html,
        lists: (version == Version::V4).then(|| InvocationLists::new(profile)),
    };
    let ranges = contents.ranges();
    let narrowing = ranges.decide(options.on_overflow, profile.event())?;
    let mut warnings = ranges.warnings(&narrowing, profile.event());
    let lists = contents.lists.iter();
    if let sums @ 1.. = lists.flat_map(InvocationLists::sums).count() {
        warnings.push(WebgrindWriteWarning::SumsAsInvocations(sums as u64));
    }
    let addresses = contents.addresses();
    let mut headers = header_lines(profile, &narrowing, options.escape_html).join(&b'\n');
    headers.push(b'\n');
    let size = addresses.headers + headers.len() as u64;
    if size > MAX_FILE_SIZE {
        return Err(WebgrindWriteError::TooLarge(size));
    }
    let mut writer = FileWriter {
        contents: &contents,
        narrowing,
        sub_calls_at: addresses.sub_calls,
        output: BufWriter::with_capacity(BUFFER, output),
    };
    writer.start(&addresses)?;
    writer.functions()?;
    writer.sub_calls()?;
    writer.output.write_all(&headers)?;
    writer.output.flush()?;
    Ok(warnings)
}

/// What a file contains.
struct FileContents<'a> {
    profile: &'a Profile,
    version: Version,
    escape_html: bool,
    /// The invocations, for v4.
    lists: Option<InvocationLists<'a>>,
}

/// Where the contents of a file are.
struct Addresses {
    functions: Vec<u64>,
    /// The sub-call records of v4, to which its invocations point.
    sub_calls: u64,
    headers: u64,
}

/// A number at the beginning of a function record.
enum Figure {
    Cost(Cost),
    /// A count or a line.
    Count(u64),
}

impl FileContents<'_> {
    #[inline(always)]
    fn figure(&self, id: FunctionId, function: &Function, field: FunctionField) -> Figure {
        let profile = self.profile;
        match field {
            FunctionField::Line => Figure::Count(function.line),
            FunctionField::SelfCost => Figure::Cost(first_cost(profile.self_costs(id))),
            FunctionField::InclusiveCost => Figure::Cost(first_cost(profile.inclusive_costs(id))),
            FunctionField::CallCost => Figure::Cost(profile.call_cost(id)),
            FunctionField::Invocations => {
                let lists = self.lists.as_ref();
                Figure::Count(lists.map_or(function.invocations, |lists| lists.count_of(id)))
            }
            FunctionField::CalledFromCount => Figure::Count(profile.called_from(id).len() as u64),
            FunctionField::SubCallCount => Figure::Count(profile.sub_calls(id).len() as u64),
        }
    }

    /// The function's name as it is written.
    fn name(&self, function: &Function) -> Cow<'_, [u8]> {
        let name = self.profile.name(function.name);
        if self.escape_html {
            escaped(name, IN_NAMES)
        } else {
            name.into()
        }
    }

    /// The numbers of all records, in the order of their tables; by function, they are far apart in
    /// memory.
    fn ranges(&self) -> RangeStats {
        let mut ranges = RangeStats::default();
        if let Some(lists) = &self.lists {
            lists.add_to(&mut ranges);
        }
        if self.version.has_called_from() {
            for edge in self.profile.edges() {
                ranges.count(edge.line);
                ranges.count(edge.calls);
                ranges.cost(first_cost(edge.costs()));
            }
        }
        for (id, function) in self.profile.functions() {
            for &field in self.version.function_fields() {
                match self.figure(id, function, field) {
                    Figure::Cost(cost) => ranges.cost(cost),
                    Figure::Count(count) => ranges.count(count),
                }
            }
        }
        ranges
    }

    fn addresses(&self) -> Addresses {
        let functions = self.profile.functions();
        let count = functions.len().max(1) as u64;
        let mut position = FUNCTION_ADDRESSES_AT + count * NUMBER;
        let fields = self.version.function_fields().len() as u64 * NUMBER;
        let mut addresses = Vec::with_capacity(functions.len());
        for (id, function) in functions {
            addresses.push(position);
            let lists = self.lists.as_ref();
            let invocations = lists.map_or(0, |lists| lists.count_of(id));
            let calls = self.called_from(id).len() + self.sub_calls(id).len();
            let names = self.profile.name(function.file).len() + self.name(function).len() + 2;
            position += fields + names as u64;
            position += invocations * INVOCATION_RECORD + calls as u64 * CALL_RECORD;
        }
        if addresses.is_empty() {
            addresses.push(position);
            position += self.empty_main(0).len() as u64;
        }
        let sub_calls = self.lists.as_ref().map_or(0, |lists| lists.sub_call_count);
        Addresses {
            functions: addresses,
            sub_calls: position,
            headers: position + sub_calls * SUB_CALL_RECORD,
        }
    }

    /// The called-from records of a function, if the version has them.
    fn called_from(&self, id: FunctionId) -> impl ExactSizeIterator<Item = EdgeRef<'_>> {
        let edges = self.profile.called_from(id);
        let count = if self.version.has_called_from() {
            edges.len()
        } else {
            0
        };
        edges.take(count)
    }

    /// The sub-call records of a function, likewise.
    fn sub_calls(&self, id: FunctionId) -> impl ExactSizeIterator<Item = EdgeRef<'_>> {
        let edges = self.profile.sub_calls(id);
        let count = if self.version.has_sub_calls() {
            edges.len()
        } else {
            0
        };
        edges.take(count)
    }

    /// The record of `{main}`, for a profile without functions: nothing else is known of a script that
    /// has just started.
    fn empty_main(&self, sub_calls_at: u32) -> Vec<u8> {
        let fields = self.version.function_fields().iter();
        let figures = fields.map(|&field| u32::from(field == FunctionField::Invocations));
        let mut numbers: Vec<u32> = figures.collect();
        if self.version == Version::V4 {
            numbers.extend([0; 2].iter().chain(&NO_CALLER).chain(&[0, sub_calls_at]));
        }
        let bytes = numbers.into_iter().flat_map(u32::to_le_bytes);
        bytes.chain(*b"\n{main}\n").collect()
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
}

/// Writes the contents of a file from beginning to end.
struct FileWriter<'a, W: Write> {
    contents: &'a FileContents<'a>,
    narrowing: Narrowing,
    sub_calls_at: u64,
    output: BufWriter<W>,
}

impl<W: Write> FileWriter<'_, W> {
    /// Everything up to the function records.
    fn start(&mut self, addresses: &Addresses) -> io::Result<()> {
        let count = addresses.functions.len() as u64;
        let numbers = [addresses.headers, count].map(|number| self.narrowing.count(number));
        self.put([self.contents.version.number()])?;
        self.put(numbers)?;
        for &address in &addresses.functions {
            self.put([self.narrowing.count(address)])?;
        }
        Ok(())
    }

    fn functions(&mut self) -> io::Result<()> {
        let contents = self.contents;
        let functions = contents.profile.functions();
        if functions.len() == 0 {
            let sub_calls_at = self.narrowing.count(self.sub_calls_at);
            return self.output.write_all(&contents.empty_main(sub_calls_at));
        }
        let is_large = functions.len() > CACHED && contents.version.has_called_from();
        let mut ahead = contents.profile.functions();
        for (number, (id, function)) in functions.enumerate() {
            if is_large && number % FETCHED == 0 {
                contents.fetch(ahead.by_ref().take(FETCHED));
            }
            self.function(id, function)?;
        }
        Ok(())
    }

    fn function(&mut self, id: FunctionId, function: &Function) -> io::Result<()> {
        let (contents, narrowing) = (self.contents, self.narrowing);
        let fields = contents.version.function_fields();
        let mut numbers = [0; FunctionField::COUNT];
        for (number, &field) in numbers.iter_mut().zip(fields) {
            *number = match contents.figure(id, function, field) {
                Figure::Cost(cost) => narrowing.cost(cost),
                Figure::Count(count) => narrowing.count(count),
            };
        }
        (self.output).write_all(encoded(numbers)[..fields.len()].as_flattened())?;
        if let Some(lists) = &contents.lists {
            for invocation in lists.of(id) {
                self.put(invocation.record(&narrowing, self.sub_calls_at))?;
            }
        }
        for edge in contents.called_from(id) {
            self.call(edge.caller, &edge)?;
        }
        for edge in contents.sub_calls(id) {
            self.call(edge.callee, &edge)?;
        }
        for name in [
            contents.profile.name(function.file),
            &contents.name(function),
        ] {
            self.output.write_all(name)?;
            self.output.write_all(b"\n")?;
        }
        Ok(())
    }

    /// Writes a record of a call, which names the `other` function.
    #[inline]
    fn call(&mut self, other: FunctionId, edge: &EdgeRef<'_>) -> io::Result<()> {
        let [line, calls] = [edge.line, edge.calls].map(|count| self.narrowing.count(count));
        let cost = self.narrowing.cost(first_cost(edge.costs()));
        self.put([other.number(), line, calls, cost])
    }

    /// The sub-calls of v4.
    fn sub_calls(&mut self) -> io::Result<()> {
        for record in self
            .contents
            .lists
            .iter()
            .flat_map(InvocationLists::sub_calls)
        {
            let line = self.narrowing.count(record.line);
            let cost = self.narrowing.cost(record.cost);
            self.put([record.callee.number(), record.invocation, line, cost])?;
        }
        Ok(())
    }

    #[inline]
    fn put<const N: usize>(&mut self, numbers: [u32; N]) -> io::Result<()> {
        self.output.write_all(encoded(numbers).as_flattened())
    }
}

/// The bytes of each number.
#[inline]
fn encoded<const N: usize>(numbers: [u32; N]) -> [[u8; size_of::<u32>()]; N] {
    let mut bytes = [[0; size_of::<u32>()]; N];
    LittleEndian::write_u32_into(&numbers, bytes.as_flattened_mut());
    bytes
}
