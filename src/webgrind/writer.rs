//! Writes the preprocessed formats, v4 to v7.
//!
//! One walk over the profile defines the contents of a file and their order ([`Document`]). It is
//! done twice: as a survey, which finds out what does not fit and how large the file will be, and to
//! write. So nothing is written before it is known that everything fits.

use std::io::{self, Seek, SeekFrom, Write};

use byteorder::{LittleEndian, WriteBytesExt};

use super::error::{WriteError, WriteWarning};
use super::invocation_lists::InvocationLists;
use super::layout::{
    CallRecord, FUNCTION_ADDRESSES_AT, FunctionField, HEADER_ADDRESS_AT, InvocationRecord,
    LARGEST_FILE, NUMBER, Record, Start, SubCallRecord, Version,
};
use super::narrow::{Narrowing, OnOverflow, Survey};
use super::page::{IN_NAMES, escaped, header_lines};
use crate::profile::{CallEdge, Cost, EdgeRef, Function, FunctionId, Profile, first_cost};

/// How a profile is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct WriteOptions {
    /// Version of the format.
    pub version: Version,
    /// What happens to numbers of more than 32 bits.
    pub on_overflow: OnOverflow,
    /// Whether function names and the `cmd:` header are written for webgrind's page, which puts
    /// them into its HTML as they are: `&`, `<` and, in function names, `"` become entities.
    ///
    /// Names of files stay as they are, since the page encodes them itself.
    pub escape_html: bool,
}

impl WriteOptions {
    /// Writes this version, scales costs that do not fit, and leaves names as they are.
    pub fn new(version: Version) -> Self {
        WriteOptions {
            version,
            ..WriteOptions::default()
        }
    }
}

/// The outcome of writing a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Written {
    /// Its size.
    pub bytes: u64,
    /// Warnings for the user.
    pub warnings: Vec<WriteWarning>,
}

/// Writes `profile` to `output`, which is at its start.
///
/// Nothing is written before it is known that everything fits. The header address and the function
/// addresses are patched on completion, which is why the output must seek.
///
/// Two rules are for webgrind's reader, which would otherwise fail or warn. A profile
/// without functions becomes a file with a function `{main}` that was called once and cost
/// nothing. Header lines without a value are left out, and an `events:` line is never missing.
///
/// # Errors
///
/// When the file would pass 4 GiB, when a number does not fit and the policy is
/// [`OnOverflow::Error`], and when the output fails.
pub fn write<W: Write + Seek>(
    profile: &Profile,
    options: &WriteOptions,
    output: W,
) -> Result<Written, WriteError> {
    let mut document = Document::new(profile, options);
    let mut survey = Walk::new(io::sink(), true, Narrowing::EXACT);
    document.survey_records(&mut survey.survey);
    document.functions(&mut survey)?;
    document.sub_calls_at = survey.position;
    document.sub_calls(&mut survey)?;

    let narrowing = survey.survey.decide(options.on_overflow, profile.event())?;
    let mut warnings = survey.survey.warnings(&narrowing, profile.event());
    let sums = document.lists.iter().flat_map(InvocationLists::sums);
    let sums = sums.count() as u64;
    if sums > 0 {
        warnings.push(WriteWarning::SumsAsInvocations(sums));
    }
    survey.narrowing = narrowing;
    document.headers(&mut survey)?;
    let bytes = survey.position;
    if bytes > LARGEST_FILE {
        return Err(WriteError::TooLarge(bytes));
    }

    let mut writer = Walk::new(output, false, narrowing);
    document.functions(&mut writer)?;
    document.sub_calls(&mut writer)?;
    let header_address = writer.address()?;
    document.headers(&mut writer)?;
    writer.patch(header_address)?;
    Ok(Written { bytes, warnings })
}

/// The contents of a file, and their order.
struct Document<'a> {
    profile: &'a Profile,
    version: Version,
    escape_html: bool,
    /// The invocations, for v4.
    lists: Option<InvocationLists<'a>>,
    /// Where the sub-call records of v4 begin, which its invocations point to.
    sub_calls_at: u64,
}

impl<'a> Document<'a> {
    fn new(profile: &'a Profile, options: &WriteOptions) -> Self {
        let version = options.version;
        Document {
            profile,
            version,
            escape_html: options.escape_html,
            lists: (version == Version::V4).then(|| InvocationLists::new(profile)),
            sub_calls_at: 0,
        }
    }

    /// Takes in the numbers of the records of calls and invocations, in the order of their tables:
    /// by function they are far apart in memory.
    fn survey_records(&self, survey: &mut Survey) {
        if let Some(lists) = &self.lists {
            lists.survey(survey);
        }
        if self.version.has_called_from() {
            for edge in self.profile.edges() {
                survey.count(edge.line);
                survey.count(edge.calls);
                survey.cost(first_cost(edge.costs()));
            }
        }
    }

    /// All up to the end of the function records; addresses are 0 yet.
    fn functions(&self, walk: &mut Walk<impl Write>) -> Result<(), WriteError> {
        let functions = self.profile.functions();
        let count = functions.len().max(1);
        let start = Start {
            version: self.version.number(),
            header_address: 0,
            function_count: walk.count(count as u64),
        };
        walk.put_record(start)?;
        for _ in 0..count {
            walk.put_number(0)?;
        }
        if functions.len() == 0 {
            walk.begin_function()?;
            return self.stand_in(walk);
        }
        for (id, function) in functions {
            walk.begin_function()?;
            self.function(id, function, walk)?;
        }
        Ok(())
    }

    fn function(
        &self,
        id: FunctionId,
        function: &Function,
        walk: &mut Walk<impl Write>,
    ) -> Result<(), WriteError> {
        let (called_from, sub_calls) = (self.profile.called_from(id), self.profile.sub_calls(id));
        for field in self.version.function_fields() {
            let number = match field {
                FunctionField::Line => walk.count(function.line),
                FunctionField::SelfCost => walk.cost(first_cost(self.profile.self_costs(id))),
                FunctionField::InclusiveCost => {
                    walk.cost(first_cost(self.profile.inclusive_costs(id)))
                }
                FunctionField::CallCost => walk.cost(self.profile.call_cost(id)),
                FunctionField::Invocations => {
                    let lists = self.lists.as_ref();
                    walk.count(lists.map_or(function.invocations, |lists| lists.count_of(id)))
                }
                FunctionField::CalledFromCount => walk.count(called_from.len() as u64),
                FunctionField::SubCallCount => walk.count(sub_calls.len() as u64),
            };
            walk.put_number(number)?;
        }
        if let Some(lists) = &self.lists {
            walk.put_invocations(lists, id, self.sub_calls_at)?;
        }
        if self.version.has_called_from() {
            walk.put_calls(called_from, |edge| edge.caller)?;
        }
        if self.version.has_sub_calls() {
            walk.put_calls(sub_calls, |edge| edge.callee)?;
        }
        walk.put(self.profile.name(function.file))?;
        walk.put(b"\n")?;
        let name = self.profile.name(function.name);
        if self.escape_html {
            walk.put(&escaped(name, IN_NAMES))?;
        } else {
            walk.put(name)?;
        }
        walk.put(b"\n")
    }

    /// The record of `{main}`, for a profile without functions.
    ///
    /// Of a script that has only just begun, nothing else is known.
    fn stand_in(&self, walk: &mut Walk<impl Write>) -> Result<(), WriteError> {
        for field in self.version.function_fields() {
            let number = u32::from(*field == FunctionField::Invocations);
            walk.put_number(number)?;
        }
        if self.version == Version::V4 {
            let address = walk.narrowing.count(self.sub_calls_at);
            walk.put_record(InvocationRecord::uncalled(address))?;
        }
        walk.put(b"\n{main}\n")
    }

    fn sub_calls(&self, walk: &mut Walk<impl Write>) -> Result<(), WriteError> {
        let Some(lists) = &self.lists else {
            return Ok(());
        };
        for (call, cost) in lists.calls() {
            let record = SubCallRecord {
                function: call.callee.number(),
                invocation: lists.number_of_called(call),
                line: walk.count(call.line),
                cost: walk.cost(cost),
            };
            walk.put_record(record)?;
        }
        for id in lists.sums() {
            for edge in self.profile.sub_calls(id) {
                let record = SubCallRecord {
                    function: edge.callee.number(),
                    invocation: 0,
                    line: walk.count(edge.line),
                    cost: walk.cost(first_cost(edge.costs())),
                };
                walk.put_record(record)?;
            }
        }
        Ok(())
    }

    fn headers(&self, walk: &mut Walk<impl Write>) -> Result<(), WriteError> {
        let narrowing = walk.narrowing;
        header_lines(self.profile, &narrowing, self.escape_html, |line| {
            walk.put(line)?;
            walk.put(b"\n")
        })
    }
}

/// A walk over the contents of a file: a survey of what the file will take, or its writing.
struct Walk<W> {
    output: W,
    is_survey: bool,
    survey: Survey,
    narrowing: Narrowing,
    position: u64,
    function_addresses: Vec<u32>,
}

impl<W: Write> Walk<W> {
    fn new(output: W, is_survey: bool, narrowing: Narrowing) -> Self {
        Walk {
            output,
            is_survey,
            survey: Survey::default(),
            narrowing,
            position: 0,
            function_addresses: Vec::new(),
        }
    }

    /// Takes in a cost, and returns it as it is written.
    #[inline]
    fn cost(&mut self, cost: Cost) -> u32 {
        if self.is_survey {
            self.survey.cost(cost);
        }
        self.narrowing.cost(cost)
    }

    /// Takes in a count or a line, and returns it as it is written.
    #[inline]
    fn count(&mut self, count: u64) -> u32 {
        if self.is_survey {
            self.survey.count(count);
        }
        self.narrowing.count(count)
    }

    #[inline]
    fn put(&mut self, bytes: &[u8]) -> Result<(), WriteError> {
        self.output.write_all(bytes)?;
        self.position += bytes.len() as u64;
        Ok(())
    }

    fn put_number(&mut self, number: u32) -> Result<(), WriteError> {
        self.output.write_u32::<LittleEndian>(number)?;
        self.position += NUMBER;
        Ok(())
    }

    #[inline]
    fn put_record<R: Record>(&mut self, record: R) -> Result<(), WriteError> {
        record.write(&mut self.output)?;
        self.position += R::SIZE;
        Ok(())
    }

    /// Puts the call records of a function; `other` is the function that one names.
    ///
    /// A survey counts their size only: [`Document::survey_records`] surveys their numbers.
    fn put_calls<'a>(
        &mut self,
        edges: impl ExactSizeIterator<Item = EdgeRef<'a>>,
        other: impl Fn(&CallEdge) -> FunctionId,
    ) -> Result<(), WriteError> {
        if self.is_survey {
            self.position += edges.len() as u64 * CallRecord::SIZE;
            return Ok(());
        }
        for edge in edges {
            let record = CallRecord {
                function: other(&edge).number(),
                line: self.count(edge.line),
                calls: self.count(edge.calls),
                cost: self.cost(first_cost(edge.costs())),
            };
            self.put_record(record)?;
        }
        Ok(())
    }

    /// Puts the invocation records of a function.
    ///
    /// A survey counts their size only, as with [`put_calls`](Self::put_calls).
    fn put_invocations(
        &mut self,
        lists: &InvocationLists<'_>,
        id: FunctionId,
        sub_calls_at: u64,
    ) -> Result<(), WriteError> {
        if self.is_survey {
            self.position += lists.count_of(id) * InvocationRecord::SIZE;
            return Ok(());
        }
        let narrowing = self.narrowing;
        lists.of(id, &narrowing, sub_calls_at, |record| {
            self.put_record(record)
        })
    }

    /// Takes note that the record of the next function begins.
    fn begin_function(&mut self) -> Result<(), WriteError> {
        if !self.is_survey {
            let address = self.address()?;
            self.function_addresses.push(address);
        }
        Ok(())
    }

    /// The present place.
    fn address(&self) -> Result<u32, WriteError> {
        u32::try_from(self.position).map_err(|_| WriteError::TooLarge(self.position))
    }
}

impl<W: Write + Seek> Walk<W> {
    /// Ends the file: writes the addresses, which were not known when their places were.
    fn patch(mut self, header_address: u32) -> Result<(), WriteError> {
        self.output.seek(SeekFrom::Start(HEADER_ADDRESS_AT))?;
        self.output.write_u32::<LittleEndian>(header_address)?;
        self.output.seek(SeekFrom::Start(FUNCTION_ADDRESSES_AT))?;
        for &address in &self.function_addresses {
            self.output.write_u32::<LittleEndian>(address)?;
        }
        self.output.seek(SeekFrom::Start(self.position))?;
        self.output.flush()?;
        Ok(())
    }
}
