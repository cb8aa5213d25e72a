//! The parts of aggregates that are read.

use std::fmt;

use crate::display::MAX_LISTED;
use crate::display::text::excerpt;
use crate::profile::PartHeader;

/// Chooses parts of aggregates: by the name that the program gave them in a client request, by a
/// piece of such a name, or by their number, also with their thread (`6-02`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartFilter {
    name: Vec<u8>,
    /// Whether only a whole name matches.
    is_whole: bool,
}

impl PartFilter {
    /// A filter by this name, piece of a name, or number. A number also chooses a part of that
    /// name.
    pub fn new(name: impl Into<Vec<u8>>) -> Self {
        PartFilter {
            name: name.into(),
            is_whole: false,
        }
    }

    /// The requested text, printable.
    pub fn name(&self) -> String {
        excerpt(&self.name)
    }

    /// Whether it is the number of a part, or of a part and a thread.
    fn is_number_of(&self, part: &PartHeader) -> bool {
        let number = |text: &[u8]| -> Option<u64> {
            let is_number = text.iter().all(u8::is_ascii_digit);
            is_number.then(|| str::from_utf8(text).ok()?.parse().ok())?
        };
        let numbers: Option<Vec<u64>> = self.name.split(|&byte| byte == b'-').map(number).collect();
        match numbers.as_deref() {
            Some(&[number]) => part.number == Some(number),
            Some(&[number, thread]) => (part.number, part.thread) == (Some(number), Some(thread)),
            _ => false,
        }
    }

    fn find(&self, part: &PartHeader) -> Match {
        let trigger = part.name().unwrap_or(&part.trigger);
        let is_number = self.name.iter().all(u8::is_ascii_digit);
        if trigger == self.name || self.is_number_of(part) {
            Match::Whole
        } else if !self.is_whole
            && !is_number
            && memchr::memmem::find(trigger, &self.name).is_some()
        {
            Match::Contained
        } else {
            Match::None
        }
    }
}

/// The name of a part in messages: as a filter finds it.
fn label(part: &PartHeader) -> String {
    let number = part.number.unwrap_or(0);
    match (part.name(), part.thread) {
        (Some(name), _) => excerpt(name),
        (None, Some(thread)) => format!("{number}-{thread:02}"),
        (None, None) => number.to_string(),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Match {
    None,
    Contained,
    Whole,
}

/// The parts that filters have found so far.
#[derive(Clone, Debug, Default)]
pub struct FoundParts {
    /// For each filter, whether it has found parts by a piece of their name, and by a whole name.
    found: Vec<[bool; 2]>,
    /// The names of the first parts in messages, requested or not.
    names: Vec<String>,
    /// The number of other parts.
    others: u64,
}

impl FoundParts {
    /// Adds a part, and returns whether it is requested.
    pub(super) fn add(&mut self, filters: &[PartFilter], part: &PartHeader) -> bool {
        self.add_name(label(part));
        self.found.resize(filters.len(), [false; 2]);
        let mut is_wanted = false;
        for (filter, [contained, whole]) in filters.iter().zip(&mut self.found) {
            let found = filter.find(part);
            *contained |= found == Match::Contained;
            *whole |= found == Match::Whole;
            is_wanted |= found != Match::None;
        }
        is_wanted
    }

    fn add_name(&mut self, name: String) {
        if self.names.contains(&name) {
            return;
        }
        if self.names.len() < MAX_LISTED {
            self.names.push(name);
        } else {
            self.others = self.others.saturating_add(1);
        }
    }

    /// Adds the matches in other inputs.
    pub(crate) fn merge(&mut self, other: FoundParts) {
        let filters = self.found.len().max(other.found.len());
        self.found.resize(filters, [false; 2]);
        for (own, other) in self.found.iter_mut().zip(other.found) {
            *own = [own[0] | other[0], own[1] | other[1]];
        }
        self.others = self.others.saturating_add(other.others);
        other.names.into_iter().for_each(|name| self.add_name(name));
    }

    /// The first filter without a match.
    pub(crate) fn missing<'a>(&self, filters: &'a [PartFilter]) -> Option<&'a PartFilter> {
        let found = |at: usize| self.found.get(at).is_some_and(|found| *found != [false; 2]);
        let mut filters = filters.iter().enumerate();
        filters
            .find(|(at, _)| !found(*at))
            .map(|(_, filter)| filter)
    }

    /// The filters, with those that found a whole name restricted to whole names; `None` if this
    /// changes nothing.
    pub(crate) fn narrowed(&self, filters: &[PartFilter]) -> Option<Vec<PartFilter>> {
        let is_ambiguous = |at: usize| self.found.get(at) == Some(&[true; 2]);
        if !(0..filters.len()).any(is_ambiguous) {
            return None;
        }
        let mut narrowed = filters.to_vec();
        for (at, filter) in narrowed.iter_mut().enumerate() {
            filter.is_whole |= is_ambiguous(at);
        }
        Some(narrowed)
    }
}

impl fmt::Display for FoundParts {
    /// Lists the existing parts in a sentence.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.names.is_empty() {
            return f.write_str("there are no parts");
        }
        write!(f, "--part can choose: {}", self.names.join(", "))?;
        match self.others {
            0 => Ok(()),
            others => write!(f, " and {others} more"),
        }
    }
}
