//! Header lines and names as webgrind's reader and page need them.

use std::borrow::Cow;

use super::narrow::Narrowing;
use crate::profile::{Header, Profile, words};

/// Characters in function names that the page would treat as HTML.
///
/// They appear in text, and in an attribute between `"`.
pub(super) const IN_NAMES: &[u8] = b"&<\"";

/// Characters in the `cmd:` header that the page would treat as HTML. It appears in text.
const IN_COMMAND: &[u8] = b"&<";

/// Name of an event that has none.
pub(super) const UNNAMED_EVENT: &[u8] = b"Cost";

/// The most runs that are written for the page.
const MAX_RUNS: u64 = 1000;

/// The header lines to write, without line ends.
///
/// webgrind's reader trims them and splits them at `: ` without a check, so lines without a value
/// are omitted. It looks up `events` for every cost, so this one is always written. It counts the
/// `summary:` lines as runs.
///
/// If costs are scaled, so are the event and the summaries. If all summaries became 0, so would all
/// percentages; then the total of the self costs replaces the first summary.
pub(super) fn header_lines(
    profile: &Profile,
    narrowing: &Narrowing,
    escape_html: bool,
) -> Vec<Vec<u8>> {
    let mut lines = Vec::new();
    let is_scaled = narrowing.divisor() > 1;
    let vanishes = |total| narrowing.scaled(total) == 0;
    let vanishes = |header: Header<'_>| header.total().is_none_or(vanishes);
    let mut lost_total =
        (is_scaled && profile.headers().all(vanishes)).then(|| narrowing.scaled(profile.total()));
    let mut has_events = false;
    let mut summaries = 0;
    for header in profile.headers().filter(|header| has_value(header)) {
        has_events |= header.key() == b"events";
        summaries += u64::from(header.total().is_some());
        lines.push(match header.total() {
            _ if is_scaled && header.key() == b"events" => {
                let event = narrowing.scaled_name(profile.event());
                with_first_word(&header, &event)
            }
            Some(total) if is_scaled => {
                let total = lost_total.take().unwrap_or(narrowing.scaled(total));
                with_first_word(&header, total.to_string().as_bytes())
            }
            _ if escape_html && header.key() == b"cmd" => {
                escaped(header.text(), IN_COMMAND).into_owned()
            }
            _ => header.text().to_vec(),
        });
    }
    if !has_events {
        let event = narrowing.scaled_name(profile.event());
        let event = if event.is_empty() {
            UNNAMED_EVENT
        } else {
            &event
        };
        lines.push([b"events: ", event].concat());
    }
    for _ in summaries..profile.runs().min(MAX_RUNS) {
        lines.push(b"summary: 0".to_vec());
    }
    lines
}

/// Whether webgrind's reader finds a value in a line.
fn has_value(header: &Header<'_>) -> bool {
    // What PHP's trim() removes.
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'\x0b' | b'\0');
    let mut text = header.text();
    while let [rest @ .., last] = text
        && is_blank(last)
    {
        text = rest;
    }
    memchr::memmem::find(text, b": ").is_some()
}

/// A header line with another first word in its value.
fn with_first_word(header: &Header<'_>, first: &[u8]) -> Vec<u8> {
    let value = header.value().trim_ascii_start();
    let word = words(value).next().map_or(0, <[u8]>::len);
    [header.key(), b": ", first, &value[word..]].concat()
}

/// Text for HTML: the `special` ones of `&`, `<` and `"` as entities.
pub(super) fn escaped<'a>(text: &'a [u8], special: &[u8]) -> Cow<'a, [u8]> {
    if !text.iter().any(|byte| special.contains(byte)) {
        return Cow::Borrowed(text);
    }
    let mut escaped = Vec::with_capacity(text.len() + 8);
    for byte in text {
        match byte {
            byte if !special.contains(byte) => escaped.push(*byte),
            b'&' => escaped.extend_from_slice(b"&amp;"),
            b'<' => escaped.extend_from_slice(b"&lt;"),
            _ => escaped.extend_from_slice(b"&quot;"),
        }
    }
    Cow::Owned(escaped)
}
