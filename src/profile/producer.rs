//! The program that wrote a profile.

use crate::tables::Kind;

/// The name of this program in `creator:` lines.
const OWN_NAME: &str = "cg-preprocess ";

/// The end of our own `creator:` line if everything comes from Xdebug 2, whose units only the
/// creator reveals.
const OF_XDEBUG_2: &str = " (from Xdebug 2)";

/// The program that wrote a profile. Only the relevant ones are distinguished.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Producer {
    /// Valgrind's Callgrind itself. It ends each part with a `totals:` line.
    Callgrind,
    Xdebug,
    /// Xdebug 2, which called its events `Time` and `Memory`.
    Xdebug2,
    /// A program that never ends its last line.
    Yappi,
    /// This program. Its header states the sums of the costs. Except in version 0.2.0, so does a
    /// `totals:` line at the end.
    Own {
        is_of_xdebug_2: bool,
    },
    #[default]
    Other,
}

impl Producer {
    /// The producer that a header line names, if any.
    pub fn of_header(key: &[u8], value: &[u8]) -> Option<Self> {
        match key {
            b"creator" => Some(Producer::of_creator(value.trim_ascii())),
            // Xdebug wrote no `creator:` line before 2.1.1.
            b"version" if value.trim_ascii() == b"0.9.6" => Some(Producer::Xdebug2),
            _ => None,
        }
    }

    fn of_creator(creator: &[u8]) -> Self {
        let is_of_xdebug_2 = creator.ends_with(OF_XDEBUG_2.as_bytes());
        let names = [
            ("callgrind-", Producer::Callgrind),
            ("xdebug 2.", Producer::Xdebug2),
            ("xdebug", Producer::Xdebug),
            ("yappi", Producer::Yappi),
            (OWN_NAME, Producer::Own { is_of_xdebug_2 }),
        ];
        let mut names = names.into_iter();
        let found = names.find(|(name, _)| creator.starts_with(name.as_bytes()));
        found.map_or(Producer::Other, |(_, producer)| producer)
    }

    /// Whether it is this program.
    pub fn is_own(self) -> bool {
        matches!(self, Producer::Own { .. })
    }

    /// Whether everything comes from Xdebug 2.
    pub fn is_of_xdebug_2(self) -> bool {
        match self {
            Producer::Own { is_of_xdebug_2 } => is_of_xdebug_2,
            _ => self == Producer::Xdebug2,
        }
    }

    /// The kind of the blocks that it writes.
    pub fn kind(self) -> Kind {
        match self {
            Producer::Xdebug | Producer::Xdebug2 => Kind::Trace,
            _ => Kind::Aggregate,
        }
    }

    /// The `creator:` line of this program.
    pub fn own_line(is_of_xdebug_2: bool) -> String {
        let origin = if is_of_xdebug_2 { OF_XDEBUG_2 } else { "" };
        format!("creator: {OWN_NAME}{}{origin}", env!("CARGO_PKG_VERSION"))
    }
}
