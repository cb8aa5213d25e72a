//! Choices of a writer: which quirks it has at all, and when they show.

use crate::common::Random;

/// Something that some writers of the format do and others do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quirk {
    /// CR LF at the ends of lines.
    WindowsLines,
    /// Comments and blank lines anywhere.
    Comments,
    /// Names that are not compressed.
    PlainNames,
    /// Ids that are neither dense nor small, or hexadecimal.
    FarIds,
    /// Ids given to other names, and several ids for one name.
    Redefinitions,
    /// Relative positions.
    Relative,
    /// Hexadecimal numbers.
    Hexadecimal,
    /// Tabs, several spaces, spaces at the ends of lines.
    Blanks,
    /// Trailing zero costs left out.
    ShortCosts,
    /// `cfn=`, `cfi=` and `cob=` in any order.
    AnyOrder,
    /// What is in force already is not written again.
    OmitInForce,
    /// `fl=` after `fn=`, or `fi=` where no `fl=` was.
    LateFiles,
    /// `fi=` and `fe=` within functions.
    InlinedFiles,
    /// `jump=` and `jcnd=` with their position lines.
    Jumps,
    /// Headers that nobody knows, in the header and in the body.
    UnknownHeaders,
    /// Body lines without costs: `bb=`, `rec=` and others.
    IdleLines,
    /// `rcalls=` for `calls=`.
    RecursiveCalls,
    /// Columns other than the line.
    MorePositions,
    /// No newline at the end.
    NoLastNewline,
    /// `event:` lines everywhere, and `events:` lines that repeat.
    RepeatedEvents,
}

/// The choices of a writer.
#[derive(Clone, Debug)]
pub struct Dice {
    pub random: Random,
    quirks: u32,
}

impl Dice {
    /// Choices of a writer that has the quirks of these bits.
    pub fn new(seed: u64, quirks: u32) -> Self {
        let random = Random(seed);
        Dice { random, quirks }
    }

    /// Whether the writer has this quirk at all.
    pub fn has(&self, quirk: Quirk) -> bool {
        self.quirks >> quirk as u32 & 1 == 1
    }

    /// Whether a quirk shows, once in so many times.
    pub fn shows(&mut self, quirk: Quirk, once_in: u64) -> bool {
        self.has(quirk) && self.random.below(once_in) == 0
    }
}
