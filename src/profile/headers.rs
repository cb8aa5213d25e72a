//! Header lines, and the summary that every output needs.

use std::borrow::Cow;
use std::collections::HashMap;

use foldhash::fast::RandomState;
use indexmap::IndexSet;

use super::ModelError;
use super::column_map::ColumnMap;
use super::costs::Cost;
use super::ids::next_index;

/// The kind of a header line: some change with the selected event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderKind {
    /// `events:`; the selected event comes first.
    Events,
    /// `summary:`; the total of the selected event comes first.
    Summary(Cost),
    /// Any other line.
    Other,
}

/// A header line of a profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header<'a> {
    text: Cow<'a, [u8]>,
    kind: HeaderKind,
}

impl Header<'_> {
    /// The whole line, `key: value`, without its end.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// What it says.
    pub fn kind(&self) -> HeaderKind {
        self.kind
    }

    /// The text before the first colon.
    pub fn key(&self) -> &[u8] {
        &self.text[..self.colon()]
    }

    /// The text after the first colon and the space that follows it.
    pub fn value(&self) -> &[u8] {
        let rest = self.text.get(self.colon() + 1..).unwrap_or_default();
        rest.strip_prefix(b" ").unwrap_or(rest)
    }

    fn colon(&self) -> usize {
        memchr::memchr(b':', &self.text).unwrap_or(self.text.len())
    }

    fn summary(total: Cost) -> Self {
        Header {
            text: Cow::Owned(format!("summary: {total}").into_bytes()),
            kind: HeaderKind::Summary(total),
        }
    }
}

/// A line that waits for the columns of its part.
#[derive(Debug)]
enum Waiting {
    Events,
    /// A `summary:` line with its numbers.
    Summary(Vec<Cost>),
}

/// The costs in the value of a `summary:` line, up to the first word that is not a number.
///
/// As in cost lines, numbers may be hexadecimal, and those outside the range of a signed 64-bit
/// number stay at its limits. Digits that exceed 64 bits do not count as a number.
pub(crate) fn summary_costs(value: &[u8]) -> Vec<Cost> {
    let words = value.split(u8::is_ascii_whitespace);
    let words = words.filter(|word| !word.is_empty());
    words.map_while(summary_cost).collect()
}

fn summary_cost(word: &[u8]) -> Option<Cost> {
    let (is_negative, number) = match word {
        [b'-', number @ ..] => (true, number),
        _ => (false, word),
    };
    let (radix, digits) = match number {
        [b'0', b'x' | b'X', digits @ ..] => (16, digits),
        _ => (10, number),
    };
    let digits = std::str::from_utf8(digits).ok()?;
    let digits = (!digits.starts_with('+')).then_some(digits)?;
    let number = u64::from_str_radix(digits, radix).ok()?;
    Some(if is_negative {
        Cost::saturating_sub_unsigned(0, number)
    } else {
        Cost::saturating_add_unsigned(0, number)
    })
}

/// A run, a part, or an input.
#[derive(Clone, Debug, Default)]
struct Section {
    summaries: Vec<Summary>,
    /// Whether an event other than that of the first column is selected. The numbers of its
    /// summaries cannot be used then: Xdebug's summary of memory, for example, is a peak.
    is_rewritten: bool,
    /// Sum of its self costs.
    own: Cost,
}

impl Section {
    /// What its `summary:` lines add up to as they are written.
    fn total(&self) -> Cost {
        if self.is_rewritten {
            self.own
        } else {
            self.stated()
        }
    }

    /// What its `summary:` lines add up to as they were read.
    fn stated(&self) -> Cost {
        let stated = self.summaries.iter().map(|summary| summary.stated);
        stated.fold(0, Cost::saturating_add)
    }

    fn first_line(&self) -> Option<u32> {
        self.summaries.first().map(|summary| summary.line)
    }
}

/// A `summary:` line.
#[derive(Clone, Copy, Debug)]
struct Summary {
    line: u32,
    /// Its number for the selected event.
    stated: Cost,
}

/// Collects header lines in order, and settles them when the columns of their part are known.
///
/// Repeated lines are kept once.
#[derive(Debug, Default)]
pub(super) struct Headers {
    texts: IndexSet<Box<[u8]>, RandomState>,
    /// The lines in order, as positions in `texts`.
    lines: Vec<u32>,
    unsettled: Vec<(u32, Waiting)>,
    sections: Vec<Section>,
    /// The section that is being read.
    section: Section,
    is_full: bool,
}

impl Headers {
    /// Fails if there are more lines than can be numbered.
    pub fn check(&self) -> Result<(), ModelError> {
        let what = "header lines";
        if self.is_full {
            return Err(ModelError::TooMany { what });
        }
        Ok(())
    }

    /// Ends a section whose self costs add up to `own`.
    pub fn end_section(&mut self, own: Cost) {
        let mut section = std::mem::take(&mut self.section);
        section.own = own;
        if own != 0 || !section.summaries.is_empty() {
            self.sections.push(section);
        }
    }

    /// Takes a line. If there is no space after its colon, one is added, because webgrind's reader
    /// splits at `: `.
    pub fn push(&mut self, line: &[u8]) {
        let waiting = if line.starts_with(b"events:") {
            Some(Waiting::Events)
        } else {
            let value = line.strip_prefix(b"summary:");
            value.map(|value| Waiting::Summary(summary_costs(value)))
        };
        let colon = memchr::memchr(b':', line).filter(|colon| line.get(colon + 1) != Some(&b' '));
        let line: Cow<'_, [u8]> = match colon {
            Some(colon) => {
                let (key, value) = line.split_at(colon + 1);
                Cow::Owned([key, b" ", value].concat())
            }
            None => Cow::Borrowed(line),
        };
        let (Some(at), Some(text)) = (next_index(self.lines.len()), self.enter(&line)) else {
            self.is_full = true;
            return;
        };
        self.lines.push(text);
        self.unsettled.extend(waiting.map(|waiting| (at, waiting)));
    }

    /// The position of a line in `texts`.
    fn enter(&mut self, line: &[u8]) -> Option<u32> {
        if let Some(text) = self.texts.get_index_of(line) {
            return next_index(text);
        }
        let text = next_index(self.texts.len())?;
        self.texts.insert(line.into());
        Some(text)
    }

    fn replace(&mut self, at: u32, line: &[u8]) {
        match self.enter(line) {
            Some(text) => self.lines[at as usize] = text,
            None => self.is_full = true,
        }
    }

    /// Settles the waiting lines, which refer to these columns.
    ///
    /// If the selected event is not that of the first column, they are rewritten to hold that event
    /// alone. If several events are wanted, they stay as they were read.
    pub fn settle(&mut self, map: &ColumnMap, event: &[u8], is_whole: bool) {
        let alone = !is_whole;
        for (at, waiting) in std::mem::take(&mut self.unsettled) {
            match waiting {
                Waiting::Events if alone => self.replace(at, &[b"events: ", event].concat()),
                Waiting::Events => {}
                Waiting::Summary(numbers) => {
                    let stated = map.cost(0, &numbers);
                    self.section.is_rewritten |= alone && !map.is_absent(0);
                    if !alone && !begins_with(self.line(at), stated) {
                        self.replace(at, &summary_line(&numbers));
                    }
                    self.section.summaries.push(Summary { line: at, stated });
                }
            }
        }
    }

    fn line(&self, at: u32) -> &[u8] {
        let text = self.lines.get(at as usize).copied().unwrap_or(u32::MAX);
        self.texts.get_index(text as usize).map_or(b"", |text| text)
    }

    /// Appends the lines of another profile.
    pub fn append(&mut self, other: Headers) {
        let before = self.lines.len();
        let (Some(first), Some(_)) = (next_index(before), next_index(before + other.lines.len()))
        else {
            self.is_full = true;
            return;
        };
        let texts: Vec<_> = other.texts.iter().map(|text| self.enter(text)).collect();
        let lines = other.lines.iter().map(|&text| texts[text as usize]);
        self.lines.extend(lines.flatten());
        self.is_full |= other.is_full || self.lines.len() < before + other.lines.len();
        for mut section in other.sections {
            for summary in &mut section.summaries {
                summary.line = summary.line.saturating_add(first);
            }
            self.sections.push(section);
        }
    }

    /// All lines, with correct summaries where they were missing or 0.
    ///
    /// If the profile has no valid summary, a single line is added with the total. If only some
    /// sections lack theirs (because the last run was cut off), each of these gets its own.
    pub fn lines(&self) -> impl Iterator<Item = Header<'_>> {
        let corrections = self.corrections();
        let lines = (0u32..).zip(&self.lines).filter_map(move |(at, &text)| {
            let text = self.texts.get_index(text as usize)?;
            let kind = match corrections.lines.get(&at) {
                Some(Some(total)) if begins_with(text, *total) => HeaderKind::Summary(*total),
                Some(Some(total)) => return Some(Header::summary(*total)),
                Some(None) => return None,
                None if text.starts_with(b"events:") => HeaderKind::Events,
                None => HeaderKind::Other,
            };
            Some(Header {
                text: Cow::Borrowed(text),
                kind,
            })
        });
        lines.chain(corrections.added.into_iter().map(Header::summary))
    }

    /// What the `summary:` lines add up to as they were read, if there are any; a section whose
    /// lines are missing or say 0 counts with its self costs.
    pub fn stated(&self) -> Option<Cost> {
        self.summaries().next()?;
        let totals = self.sections.iter().map(|section| match section.stated() {
            0 => section.own,
            stated => stated,
        });
        Some(totals.fold(0, Cost::saturating_add))
    }

    /// All numbers that `summary:` lines state.
    pub fn summaries(&self) -> impl Iterator<Item = Cost> {
        let summaries = self.sections.iter().flat_map(|section| &section.summaries);
        summaries.map(|summary| summary.stated)
    }

    fn corrections(&self) -> Corrections {
        let mut corrections = Corrections::default();
        let (mut all, mut own): (Cost, Cost) = (0, 0);
        for section in &self.sections {
            for (number, summary) in section.summaries.iter().enumerate() {
                let total = match (section.is_rewritten, number) {
                    (false, _) => Some(summary.stated),
                    (true, 0) => Some(section.own),
                    (true, _) => None,
                };
                corrections.lines.insert(summary.line, total);
            }
            all = all.saturating_add(section.total());
            own = own.saturating_add(section.own);
        }
        if all == 0 {
            let first = self.sections.iter().find_map(Section::first_line);
            if first.is_none() || own != 0 {
                corrections.put(first, own);
            }
            return corrections;
        }
        let missing = self.sections.iter();
        for section in missing.filter(|section| section.total() == 0 && section.own != 0) {
            corrections.put(section.first_line(), section.own);
        }
        corrections
    }
}

/// What `summary:` lines say, or that they are left out, and those that are to be added.
#[derive(Default)]
struct Corrections {
    lines: HashMap<u32, Option<Cost>, RandomState>,
    added: Vec<Cost>,
}

impl Corrections {
    fn put(&mut self, line: Option<u32>, total: Cost) {
        match line {
            Some(line) => _ = self.lines.insert(line, Some(total)),
            None => self.added.push(total),
        }
    }
}

/// Whether webgrind's reader will find this number in a `summary:` line: decimal, after a single
/// space.
fn begins_with(line: &[u8], number: Cost) -> bool {
    let rest = line.strip_prefix(b"summary: ");
    let rest = rest.and_then(|rest| rest.strip_prefix(number.to_string().as_bytes()));
    rest.is_some_and(|rest| !rest.first().is_some_and(u8::is_ascii_digit))
}

/// A `summary:` line of these numbers, of which there may be millions.
fn summary_line(numbers: &[Cost]) -> Vec<u8> {
    let mut line = b"summary:".to_vec();
    for number in numbers {
        line.push(b' ');
        line.extend_from_slice(number.to_string().as_bytes());
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_are_read_as_far_as_they_are_numbers() {
        assert_eq!(summary_costs(b" 36163 -433456"), [36163, -433_456]);
        assert_eq!(summary_costs(b" 0x10\t7 x 8"), [16, 7]);
        assert_eq!(summary_costs(b"1 +2"), [1]);
        assert_eq!(summary_costs(b"1 -"), [1]);
        assert_eq!(summary_costs(b""), [0; 0]);
        let ends = b"18446744073709551615 -18446744073709551615 18446744073709551616 1";
        assert_eq!(summary_costs(ends), [Cost::MAX, Cost::MIN]);
    }
}
