//! Header lines, and the summary that every profile must have.

use super::Cost;
use super::events::Selection;

/// What a header line says, as far as it changes with the selected event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeaderKind {
    /// `events:`; the selected event comes first.
    Events,
    /// `summary:`; the total of the selected event comes first.
    Summary(Cost),
    /// Any other line.
    Other,
}

/// A header line of the profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The line, `key: value`, without its end.
    text: Vec<u8>,
    /// What it says.
    pub kind: HeaderKind,
}

impl Header {
    /// The whole line, `key: value`.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// What stands before the first colon.
    pub fn key(&self) -> &[u8] {
        &self.text[..self.colon()]
    }

    /// What stands after the first colon and the space behind it.
    pub fn value(&self) -> &[u8] {
        let rest = self.text.get(self.colon() + 1..).unwrap_or_default();
        rest.strip_prefix(b" ").unwrap_or(rest)
    }

    fn colon(&self) -> usize {
        memchr::memchr(b':', &self.text).unwrap_or(self.text.len())
    }

    /// Whether webgrind's reader will find this number: decimal, after a single space.
    fn begins_with(&self, number: Cost) -> bool {
        let rest = self.value().strip_prefix(number.to_string().as_bytes());
        rest.is_some_and(|rest| !rest.first().is_some_and(u8::is_ascii_digit))
    }

    fn events(name: &[u8]) -> Self {
        Header {
            text: [b"events: ", name].concat(),
            kind: HeaderKind::Events,
        }
    }

    fn summary(total: Cost) -> Self {
        Header {
            text: format!("summary: {total}").into_bytes(),
            kind: HeaderKind::Summary(total),
        }
    }
}

fn joined(numbers: &[Cost]) -> Vec<u8> {
    let mut text = Vec::new();
    for number in numbers {
        if !text.is_empty() {
            text.push(b' ');
        }
        text.extend_from_slice(number.to_string().as_bytes());
    }
    text
}

/// What a reader says of a header line when it hands it over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RawHeader {
    /// An `events:` line.
    Events,
    /// A `summary:` line with its numbers.
    Summary(Vec<Cost>),
    /// Any other line.
    Other,
}

/// The headers of a section: a run, a part, or an input.
#[derive(Debug, Default)]
struct Section {
    /// Sum of all self costs before it began.
    self_before: Cost,
    /// Its first `summary:` line.
    summary: Option<usize>,
    /// What its `summary:` lines add up to, for the selected event.
    total: Cost,
}

/// Collects header lines in order, and settles them when the columns of their part are known.
#[derive(Debug, Default)]
pub(super) struct Headers {
    lines: Vec<Header>,
    /// Lines that wait for the columns, with what they say.
    unsettled: Vec<(usize, RawHeader)>,
    sections: Vec<Section>,
}

/// How many headers there were at some point.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mark {
    lines: usize,
    sections: usize,
}

impl Headers {
    /// Notes how many headers there are.
    pub fn mark(&self) -> Mark {
        Mark {
            lines: self.lines.len(),
            sections: self.sections.len(),
        }
    }

    /// Drops what came after a mark.
    pub fn go_back(&mut self, mark: Mark) {
        self.lines.truncate(mark.lines);
        self.sections.truncate(mark.sections);
        self.unsettled.retain(|&(at, _)| at < mark.lines);
    }

    /// Begins a section, at a point where the self costs add up to `self_total`.
    pub fn begin_section(&mut self, self_total: Cost) {
        self.sections.push(Section {
            self_before: self_total,
            ..Section::default()
        });
    }

    /// What the self costs added up to where the section began.
    pub fn self_before_section(&self) -> Cost {
        self.sections
            .last()
            .map_or(0, |section| section.self_before)
    }

    /// Whether the section that was begun last has a `summary:` line.
    pub fn section_has_summary(&self) -> bool {
        self.sections.last().is_some_and(|section| {
            section.summary.is_some()
                || self
                    .unsettled
                    .iter()
                    .any(|(_, raw)| matches!(raw, RawHeader::Summary(_)))
        })
    }

    /// Takes in a line; one without a space after its colon gets one.
    ///
    /// webgrind's reader splits at `: `.
    pub fn push(&mut self, line: &[u8], raw: RawHeader) {
        let mut text = line.to_vec();
        if let Some(colon) = memchr::memchr(b':', line)
            && text.get(colon + 1) != Some(&b' ')
        {
            text.insert(colon + 1, b' ');
        }
        if raw != RawHeader::Other {
            self.unsettled.push((self.lines.len(), raw));
        }
        let kind = HeaderKind::Other;
        self.lines.push(Header { text, kind });
    }

    /// Settles the lines that waited: these are the columns that they speak of.
    ///
    /// Unless the selected event is the first column, they are written anew to hold it alone.
    pub fn settle(&mut self, selection: &Selection, event: &[u8]) {
        let alone = *selection != Selection::Column(0);
        for (at, raw) in self.unsettled.drain(..) {
            let line = &mut self.lines[at];
            match raw {
                RawHeader::Events if alone => *line = Header::events(event),
                RawHeader::Events => line.kind = HeaderKind::Events,
                RawHeader::Summary(numbers) => {
                    let cost = selection.cost(&numbers);
                    if alone {
                        *line = Header::summary(cost);
                    } else if !line.begins_with(cost) {
                        line.text = [&b"summary: "[..], &joined(&numbers)].concat();
                    }
                    line.kind = HeaderKind::Summary(cost);
                    if let Some(section) = self.sections.last_mut() {
                        section.summary.get_or_insert(at);
                        section.total = section.total.saturating_add(cost);
                    }
                }
                RawHeader::Other => {}
            }
        }
    }

    /// Returns all lines, with right summaries where they were missing or 0.
    ///
    /// Without any sound one in the profile a single line gives the total. Where only some
    /// sections lack theirs (the last run was cut off), each of these gets its own.
    pub fn finish(mut self, self_total: Cost) -> Vec<Header> {
        let all = self.sections.iter().map(|section| section.total);
        if all.fold(0, Cost::saturating_add) == 0 {
            let first = self.sections.iter().find_map(|section| section.summary);
            if first.is_none() || self_total != 0 {
                self.put_summary(first, self_total);
            }
            return self.lines;
        }
        let mut end = self_total;
        let mut missing = Vec::new();
        for section in self.sections.iter().rev() {
            let own = end.saturating_sub(section.self_before);
            if section.total == 0 && own != 0 {
                missing.push((section.summary, own));
            }
            end = section.self_before;
        }
        for (line, own) in missing.into_iter().rev() {
            self.put_summary(line, own);
        }
        self.lines
    }

    fn put_summary(&mut self, line: Option<usize>, total: Cost) {
        let header = Header::summary(total);
        match line {
            Some(at) => self.lines[at] = header,
            None => self.lines.push(header),
        }
    }
}
