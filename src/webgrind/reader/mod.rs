//! Reads webgrind's formats, v4 to v7.
//!
//! Every number in a file is checked against the file's size before it is used, so the actual bytes
//! bound memory and time. Besides the layout, these rules apply:
//!
//! - A file has at most 4 GiB, which its addresses can reach.
//! - Functions are in the order of their numbers between the table of addresses and the headers;
//!   sub-call records of v4 are between functions and headers. They do not overlap. Gaps are
//!   allowed, although no writer is known to leave any.
//! - Every function that a record names exists, and so does every invocation that a sub-call names.
//! - Every name and every header line ends with `\n`, is not too long, and has no hole.
//!
//! Contradictions are not errors. If called-from and sub-call lists disagree about a call edge, the
//! called-from list counts. An edge that is in only one of them is kept.

mod bytes;
mod calls;
mod table;

use std::io::{Cursor, Read, Seek};

use super::error::{ReadError, ReadWarning, ReadWarningKind};
use super::escape::UNNAMED_EVENT;
use super::layout::{FUNCTION_ADDRESSES_AT, HEADER_ADDRESS_AT, MAX_FILE_SIZE, NUMBER, Version};
use crate::display::text::excerpt;
use crate::profile::{Kind, MAX_EVENT_NAME, ProfileBuilder, is_overlong, words};
use bytes::Bytes;
use table::TableReader;

/// With a larger first number, it is not a webgrind file.
///
/// The first four bytes of a text make at least 0x09090909.
const MAX_PLAUSIBLE_VERSION: u32 = 0xFF;

/// The longest header line, in bytes: a line of a callgrind profile, of 1 MiB, whose characters may
/// have become entities.
const MAX_HEADER_LINE: usize = 8 << 20;

/// The position of the number of functions.
const COUNT_AT: u64 = HEADER_ADDRESS_AT + NUMBER;

/// The result of reading a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadOutcome {
    /// The file's version.
    pub version: Version,
    /// Its size in bytes.
    pub bytes: u64,
    /// Warnings for the user.
    pub warnings: Vec<ReadWarning>,
}

/// Reads a webgrind file of any version from its start and adds it to `builder`.
///
/// `name` is the name of the file in messages. Functions keep their order. Their self costs,
/// inclusive costs and invocations are those that the file states, whatever the sums of its call
/// records are. Functions that differ only in the object, which no version stores, stay separate.
///
/// The result is an aggregate: the single invocations of v4 are added up.
///
/// What a version lacks is derived if possible:
///
/// | version | called-from | sub-calls | function's line |
/// |---|---|---|---|
/// | 4 | derived | summed up over all invocations, each sub-call as one call | 0 |
/// | 5 | as stated | derived | 0 |
/// | 6 | as stated | as stated | 0 |
/// | 7 | as stated | as stated | as stated |
///
/// Objects are empty. Calls come in the order in which they first appear in the file.
///
/// A file contains the costs of one event, the first one of its `events:` header. Without that
/// header, the event is called `Cost`, as [`write`](super::write) would call it.
///
/// Memory grows with the existing functions, call edges and, for v4, invocations with sub-calls,
/// and with the longest line.
///
/// # Errors
///
/// When the version is not 4 to 7; when the file exceeds 4 GiB, has no functions, or is
/// inconsistent; and when reading fails. Drop the builder then: a part of the file was added.
///
/// # Examples
///
/// ```
/// use cg_preprocess::callgrind;
/// use cg_preprocess::profile::{ProfileBuilder, ProfileOptions};
/// use cg_preprocess::webgrind::{self, Version, WriteOptions};
/// use std::io::Cursor;
///
/// let text = "events: Ir\nfl=a.c\nfn=main\n16 20\ncfn=f\ncalls=2 50\n16 400\nfn=f\n51 400\n";
/// let mut builder = ProfileBuilder::new(ProfileOptions::default());
/// callgrind::read(text.as_bytes(), "a.cg", &callgrind::ReadOptions::default(), &mut builder)?;
/// let mut file = Cursor::new(Vec::new());
/// webgrind::write(&builder.finish()?, &WriteOptions::new(Version::V5), &mut file)?;
///
/// let mut builder = ProfileBuilder::new(ProfileOptions::default());
/// let outcome = webgrind::read(file, "a.pre", &mut builder)?;
/// assert_eq!(outcome.version, Version::V5);
/// let profile = builder.finish()?;
/// let (main, _) = profile.functions().next().expect("there are two");
/// assert_eq!(profile.self_costs(main), [20]);
/// assert_eq!(profile.inclusive_costs(main), [420]);
/// assert_eq!(profile.sub_calls(main).next().expect("it calls f").calls, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read(
    input: impl Read + Seek,
    name: &str,
    builder: &mut ProfileBuilder,
) -> Result<ReadOutcome, ReadError> {
    let mut source = Bytes::new(input, name)?;
    let bytes = source.end;
    let start = Start::read(&mut source)?;
    let version = start.version;
    builder.begin_input(Kind::Aggregate);
    source.go_to(start.headers_at)?;
    let (event, has_summary) = headers(&mut source, builder)?;
    let map = builder.select_columns(std::slice::from_ref(&event));
    let absent = map.absent().map(|at| ReadWarningKind::EventAbsent {
        event: builder.wanted_event(at).to_vec(),
        available: excerpt(&event),
        is_first: builder.may_be_first(at),
    });
    let mut warnings: Vec<_> = absent.collect();
    let is_single = start.function_count == 1;
    source.end = start.headers_at;
    let (sums, largest_cost) = TableReader::new(source, start, builder).read()?;
    builder.set_sums(sums, &map, name);
    if builder.is_incomplete() {
        warnings.push(ReadWarningKind::Incomplete);
    } else if !has_summary {
        warnings.push(ReadWarningKind::NoSummary);
    }
    match largest_cost {
        u32::MAX => warnings.push(ReadWarningKind::Saturated),
        0 if is_single => warnings.push(ReadWarningKind::OnlyBegun),
        _ => {}
    }
    let warning = |kind| ReadWarning {
        input: name.to_owned(),
        kind,
    };
    let warnings = warnings.into_iter().map(warning).collect();
    Ok(ReadOutcome {
        version,
        bytes,
        warnings,
    })
}

/// The beginning of a file, up to the table of addresses.
struct Start {
    version: Version,
    /// The address of the headers, which is within the file.
    headers_at: u64,
    function_count: u32,
    /// The table of addresses, up to the first impossible one, so that garbage takes no memory.
    addresses: Vec<u32>,
}

/// Checks the first bytes of a file, before it is copied to be read in any order.
pub(crate) fn check_beginning(head: &[u8], name: &str) -> Result<(), ReadError> {
    if (head.len() as u64) < FUNCTION_ADDRESSES_AT {
        return Ok(());
    }
    Start::numbers(&mut Bytes::new(Cursor::new(head), name)?).map(drop)
}

impl Start {
    /// The version, the address of the headers, and the number of functions.
    fn numbers<R: Read + Seek>(source: &mut Bytes<R>) -> Result<(Version, u64, u32), ReadError> {
        source.expect_bytes(NUMBER, || "the version".to_owned())?;
        let [found] = source.numbers()?;
        let number = u8::try_from(found).ok();
        let Some(version) = number.and_then(|number| Version::try_from(number).ok()) else {
            let problem = match found {
                1..=3 => format!(
                    "version {found} of the webgrind format is too old: expected 4 to 7; \
                     convert the profile itself"
                ),
                8..=MAX_PLAUSIBLE_VERSION => format!(
                    "version {found} of the webgrind format is too new: expected 4 to 7; \
                     a newer release may read it"
                ),
                _ => format!(
                    "not a webgrind file: expected a version from 4 to 7 as its first number \
                     (found {found})"
                ),
            };
            return Err(source.error(0, problem));
        };
        source.expect(0, 0..=MAX_FILE_SIZE, source.end, || {
            "too many bytes for a webgrind file".to_owned()
        })?;
        source.expect_bytes(2 * NUMBER, || "the start of the file".to_owned())?;
        let [headers_at, count] = source.numbers()?;
        if count == 0 {
            return Err(ReadError {
                is_no_data: true,
                ..source.error(COUNT_AT, "no functions: there is nothing to convert")
            });
        }
        Ok((version, headers_at.into(), count))
    }

    fn read<R: Read + Seek>(source: &mut Bytes<R>) -> Result<Self, ReadError> {
        let (version, headers_at, count) = Start::numbers(source)?;
        let size = source.end;
        source.expect(COUNT_AT, 0..=source.room() / NUMBER, count, || {
            "function count too large for the file".to_owned()
        })?;
        let mut lowest = FUNCTION_ADDRESSES_AT + u64::from(count) * NUMBER;
        source.expect(HEADER_ADDRESS_AT, lowest..=size, headers_at, || {
            let is_cut = headers_at > size;
            let cut = if is_cut {
                "; the file is truncated"
            } else {
                ""
            };
            format!("header address out of place{cut}")
        })?;
        let mut addresses = Vec::new();
        for _ in 0..count {
            let [address] = source.numbers()?;
            addresses.push(address);
            let address = u64::from(address);
            if !(lowest..=headers_at).contains(&address) {
                break;
            }
            lowest = address + 1;
        }
        Ok(Start {
            version,
            headers_at,
            function_count: count,
            addresses,
        })
    }
}

/// Reads the header lines. Returns the name of the event, and whether there is a `summary:` line.
/// Profilers and this program write one, mostly as the last line.
fn headers<R: Read + Seek>(
    source: &mut Bytes<R>,
    builder: &mut ProfileBuilder,
) -> Result<(Vec<u8>, bool), ReadError> {
    let mut event = None;
    let mut has_summary = false;
    let mut line = Vec::new();
    while source.room() > 0 {
        if !source.line("header line", MAX_HEADER_LINE, &mut line)? {
            let found = excerpt(&line);
            return Err(source.corrupt(format!(
                "the last header line does not end: expected \"\\n\" at the end of the file \
                 (found \"{found}\"); it may be truncated"
            )));
        }
        // All of them, so that the headers stay the same however often a file is written again.
        while line.pop_if(|last| *last == b'\r').is_some() {}
        // webgrind stops reading at a blank line; it must not get one.
        if line.is_empty() {
            continue;
        }
        if let Some(value) = line.strip_prefix(b"events:") {
            event = event.or_else(|| words(value).next().map(<[u8]>::to_vec));
            if let Some(event) = event.as_deref().filter(|event| is_overlong(event)) {
                let found = excerpt(event);
                return Err(source.corrupt(format!(
                    "the name of the event has over {MAX_EVENT_NAME} bytes (found \"{found}\")"
                )));
            }
        }
        has_summary |= line.starts_with(b"summary:");
        builder.add_header(&line);
    }
    let event = event.unwrap_or_else(|| UNNAMED_EVENT.to_vec());
    Ok((event, has_summary))
}
