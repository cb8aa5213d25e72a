//! Writes the preprocessed formats, v4 to v7.

use std::io::{Seek, SeekFrom, Write};

use byteorder::{ByteOrder, LittleEndian, WriteBytesExt};

use super::error::{WriteError, WriteWarning};
use super::invocations::InvocationLists;
use super::layout::{
    CallRecord, FUNCTION_ADDRESSES_AT, FunctionField, HEADER_ADDRESS_AT, InvocationRecord, NUMBER,
    SubCallRecord, Version,
};
use super::narrow::{Narrowing, OnOverflow, Survey};
use crate::profile::{CallEdge, FunctionId, Header, HeaderKind, Profile};
use crate::text::excerpt;

/// What there is to say about a file that was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Its size.
    pub bytes: u64,
    /// What the user should know.
    pub warnings: Vec<WriteWarning>,
}

/// Writes `profile` to `output`, which is at its start.
///
/// Nothing is written before it is known that everything fits. The header address and the function
/// addresses are patched on completion, which is why the output must seek.
///
/// # Errors
///
/// When the file would pass 4 GiB, when a number does not fit and `policy` is
/// [`OnOverflow::Error`], and when the output fails.
pub fn write<W: Write + Seek>(
    profile: &Profile,
    version: Version,
    policy: OnOverflow,
    output: W,
) -> Result<Written, WriteError> {
    let lists = (version == Version::V4).then(|| InvocationLists::new(profile));
    let mut survey = Survey::default();
    survey_profile(profile, version, lists.as_ref(), &mut survey);
    let narrowing = survey.decide(policy, profile.event())?;
    let mut plan = Plan {
        profile,
        version,
        narrowing,
        lists,
        sub_calls_at: 0,
    };
    plan.sub_calls_at = plan.functions_end();
    let bytes = plan.size();
    if bytes > u64::from(u32::MAX) {
        return Err(WriteError::TooLarge { bytes });
    }
    let warnings = plan.warnings(&survey);
    let mut writer = Writer {
        output,
        position: 0,
        function_addresses: Vec::new(),
    };
    writer.write(&plan)?;
    Ok(Written { bytes, warnings })
}

/// Looks at every number that will be written.
fn survey_profile(
    profile: &Profile,
    version: Version,
    lists: Option<&InvocationLists<'_>>,
    survey: &mut Survey,
) {
    for (_, function) in profile.functions() {
        survey.cost(function.self_cost);
        survey.cost(function.inclusive);
        survey.count(function.invocations);
        if version.function_fields().contains(&FunctionField::Line) {
            survey.count(function.line);
        }
    }
    match lists {
        Some(lists) => lists.survey(survey),
        None => {
            for edge in profile.edges() {
                survey.cost(edge.cost);
                survey.count(edge.calls);
                survey.count(edge.line);
            }
        }
    }
}

/// All that is decided before the first byte is written.
struct Plan<'a> {
    profile: &'a Profile,
    version: Version,
    narrowing: Narrowing,
    /// The invocations, for v4.
    lists: Option<InvocationLists<'a>>,
    /// Where the function records end, and the sub-call records of v4 begin.
    sub_calls_at: u64,
}

impl Plan<'_> {
    /// Size of the whole file in bytes.
    fn size(&self) -> u64 {
        let headers = self.profile.headers();
        let headers: u64 = headers
            .map(|header| self.header_line(&header).len() as u64)
            .sum();
        self.sub_calls_at + self.sub_calls_size() + headers
    }

    fn functions_end(&self) -> u64 {
        let functions = self.profile.functions();
        let table = FUNCTION_ADDRESSES_AT + functions.len() as u64 * NUMBER;
        functions.fold(table, |end, (id, _)| end + self.function_size(id))
    }

    fn sub_calls_size(&self) -> u64 {
        let lists = self.lists.as_ref();
        lists.map_or(0, |lists| lists.sub_call_count() * SubCallRecord::SIZE)
    }

    fn function_size(&self, id: FunctionId) -> u64 {
        let function = self.profile.function(id);
        let names = [function.file, function.name].map(|name| self.profile.name(name).len() as u64);
        let numbers = self.version.function_fields().len() as u64 * NUMBER;
        let mut size = numbers + names[0] + 1 + names[1] + 1;
        if let Some(lists) = &self.lists {
            size += lists.count_of(id) * InvocationRecord::SIZE;
        }
        if self.version.has_called_from() {
            size += self.profile.called_from(id).len() as u64 * CallRecord::SIZE;
        }
        if self.version.has_sub_calls() {
            size += self.profile.sub_calls(id).len() as u64 * CallRecord::SIZE;
        }
        size
    }

    fn function_number(&self, id: FunctionId, field: FunctionField) -> u32 {
        let function = self.profile.function(id);
        let narrowing = &self.narrowing;
        match field {
            FunctionField::Line => narrowing.count(function.line),
            FunctionField::SelfCost => narrowing.cost(function.self_cost),
            FunctionField::InclusiveCost => narrowing.cost(function.inclusive),
            FunctionField::CallCost => narrowing.cost(function.call_cost),
            FunctionField::Invocations => match &self.lists {
                Some(lists) => narrowing.count(lists.count_of(id)),
                None => narrowing.count(function.invocations),
            },
            FunctionField::CalledFromCount => {
                narrowing.count(self.profile.called_from(id).len() as u64)
            }
            FunctionField::SubCallCount => narrowing.count(self.profile.sub_calls(id).len() as u64),
        }
    }

    fn call_record(&self, other: FunctionId, edge: &CallEdge) -> CallRecord {
        CallRecord {
            function: other.number(),
            line: self.narrowing.count(edge.line),
            calls: self.narrowing.count(edge.calls),
            cost: self.narrowing.cost(edge.cost),
        }
    }

    /// A header line with its end; scaled where costs are.
    fn header_line(&self, header: &Header<'_>) -> Vec<u8> {
        let scaled = match (header.kind(), self.narrowing.divisor()) {
            (_, 1) | (HeaderKind::Other, _) => None,
            (HeaderKind::Events, _) => Some(self.narrowing.event(self.profile.event())),
            (HeaderKind::Summary(total), _) => {
                Some(self.narrowing.scaled(total).to_string().into_bytes())
            }
        };
        let Some(first) = scaled else {
            return [header.text(), b"\n"].concat();
        };
        let value = header.value().trim_ascii_start();
        let rest = value.iter().position(u8::is_ascii_whitespace);
        let rest = rest.map_or(&b""[..], |at| &value[at..]);
        [header.key(), b": ", &first, rest, b"\n"].concat()
    }

    fn warnings(&self, survey: &Survey) -> Vec<WriteWarning> {
        let mut warnings = Vec::new();
        let divisor = self.narrowing.divisor();
        let event = self.profile.event();
        if divisor > 1 {
            warnings.push(WriteWarning::Scaled {
                event: excerpt(event),
                divisor,
                renamed: excerpt(&self.narrowing.event(event)),
            });
        } else if survey.too_large_costs > 0 {
            let count = survey.too_large_costs;
            warnings.push(WriteWarning::SaturatedCosts { count });
        }
        if survey.too_large_counts > 0 {
            let count = survey.too_large_counts;
            warnings.push(WriteWarning::SaturatedCounts { count });
        }
        if survey.negative_costs > 0 {
            let count = survey.negative_costs;
            warnings.push(WriteWarning::NegativeCosts { count });
        }
        let functions = self.lists.as_ref().map_or(0, InvocationLists::sum_count);
        if functions > 0 {
            warnings.push(WriteWarning::SumsAsInvocations { functions });
        }
        warnings
    }
}

/// The output and where it is.
struct Writer<W> {
    output: W,
    position: u64,
    function_addresses: Vec<u32>,
}

impl<W: Write + Seek> Writer<W> {
    fn write(&mut self, plan: &Plan<'_>) -> Result<(), WriteError> {
        let functions = plan.profile.functions();
        let count = plan.narrowing.count(functions.len() as u64);
        self.numbers([plan.version.number(), 0, count])?;
        for _ in 0..count {
            self.numbers([0])?;
        }
        for (id, _) in functions {
            let address = self.address();
            self.function_addresses.push(address);
            self.function(plan, id)?;
        }
        if let Some(lists) = &plan.lists {
            lists.sub_calls(&plan.narrowing, |record| self.numbers(record.to_numbers()))?;
        }
        let header_address = self.address();
        for header in plan.profile.headers() {
            self.bytes(&plan.header_line(&header))?;
        }
        self.patch(header_address)
    }

    fn function(&mut self, plan: &Plan<'_>, id: FunctionId) -> Result<(), WriteError> {
        for &field in plan.version.function_fields() {
            self.numbers([plan.function_number(id, field)])?;
        }
        if let Some(lists) = &plan.lists {
            lists.of(id, &plan.narrowing, plan.sub_calls_at, |record| {
                self.numbers(record.to_numbers())
            })?;
        }
        if plan.version.has_called_from() {
            for edge in plan.profile.called_from(id) {
                self.numbers(plan.call_record(edge.caller, &edge).to_numbers())?;
            }
        }
        if plan.version.has_sub_calls() {
            for edge in plan.profile.sub_calls(id) {
                self.numbers(plan.call_record(edge.callee, &edge).to_numbers())?;
            }
        }
        let function = plan.profile.function(id);
        for name in [function.file, function.name] {
            self.bytes(plan.profile.name(name))?;
            self.bytes(b"\n")?;
        }
        Ok(())
    }

    /// Writes the addresses, which were not known when their places were.
    fn patch(&mut self, header_address: u32) -> Result<(), WriteError> {
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

    /// Writes numbers at once: looking for room in the output at each takes longer than the rest.
    #[inline]
    fn numbers<const COUNT: usize>(&mut self, numbers: [u32; COUNT]) -> Result<(), WriteError> {
        let mut bytes = [[0; 4]; COUNT];
        LittleEndian::write_u32_into(&numbers, bytes.as_flattened_mut());
        self.bytes(bytes.as_flattened())
    }

    #[inline]
    fn bytes(&mut self, bytes: &[u8]) -> Result<(), WriteError> {
        self.output.write_all(bytes)?;
        self.position += bytes.len() as u64;
        Ok(())
    }

    /// The present place; the whole file is known to fit into 32 bits.
    fn address(&self) -> u32 {
        u32::try_from(self.position).unwrap_or(u32::MAX)
    }
}
