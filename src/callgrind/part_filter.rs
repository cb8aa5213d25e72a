//! The parts of aggregates that are read.

use std::fmt;

use crate::display::MAX_LISTED;
use crate::display::text::excerpt;
use crate::profile::PartHeader;

/// Chooses parts of aggregates: by the name that the program gave them in a client request, by a
/// piece of such a name, or by their number, also with their thread (`6-02`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartFilter(Vec<u8>);

impl PartFilter {
    /// A filter by this name, piece of a name, or number. A number also chooses parts of that name,
    /// but not those whose names only contain it.
    pub fn new(name: impl Into<Vec<u8>>) -> Self {
        PartFilter(name.into())
    }

    /// The requested text, printable.
    pub fn name(&self) -> String {
        excerpt(&self.0)
    }

    /// Whether it chooses a part.
    fn matches(&self, part: &PartHeader) -> bool {
        let trigger = part.name().unwrap_or(&part.trigger);
        let is_number = self.0.iter().all(u8::is_ascii_digit);
        let is_named = if is_number {
            trigger == self.0
        } else {
            memchr::memmem::find(trigger, &self.0).is_some()
        };
        let number = part.number.map(|number| number.to_string());
        let mut numbers: Vec<String> = number.into_iter().collect();
        if let (Some(number), Some(thread)) = (part.number, part.thread) {
            numbers.push(format!("{number}-{thread}"));
            numbers.push(format!("{number}-{thread:02}"));
        }
        is_named || numbers.iter().any(|number| number.as_bytes() == self.0)
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

/// The parts that filters have found so far.
#[derive(Clone, Debug, Default)]
pub struct FoundParts {
    /// Whether each filter has found parts.
    found: Vec<bool>,
    /// The names of the first parts in messages, requested or not.
    names: Vec<String>,
    /// The number of other parts.
    others: u64,
}

impl FoundParts {
    /// Adds a part, and returns whether it is requested.
    pub(super) fn add(&mut self, filters: &[PartFilter], part: &PartHeader) -> bool {
        self.add_name(label(part));
        self.found.resize(filters.len(), false);
        let mut is_wanted = false;
        for (filter, found) in filters.iter().zip(&mut self.found) {
            let matches = filter.matches(part);
            *found |= matches;
            is_wanted |= matches;
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
        self.found.resize(filters, false);
        for (own, other) in self.found.iter_mut().zip(other.found) {
            *own |= other;
        }
        self.others = self.others.saturating_add(other.others);
        other.names.into_iter().for_each(|name| self.add_name(name));
    }

    /// The first filter without a match.
    pub(crate) fn missing<'a>(&self, filters: &'a [PartFilter]) -> Option<&'a PartFilter> {
        let mut filters = filters.iter().enumerate();
        filters
            .find(|&(at, _)| self.found.get(at) != Some(&true))
            .map(|(_, filter)| filter)
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
