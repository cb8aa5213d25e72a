//! The layout of webgrind's formats: names and orders, nothing else.
//!
//! All numbers are unsigned, of 32 bits, little-endian. Addresses are byte offsets from the start
//! of the file. The source is webgrind's wiki page "Preprocessed Format" and, where that is
//! silent, what webgrind 0.4 (v4), 0.5 (v5), 1.0 (v6) and 1.9.4 (v7) read and write.
//!
//! ```text
//! version
//! header address
//! function count n
//! n function addresses
//! n function records: numbers, call or invocation records, file name \n, function name \n
//! v4 only: sub-call records
//! header address: header lines, each with \n, to the end of the file
//! ```

use std::fmt;
use std::str::FromStr;

use crate::named::UnknownName;

/// Bytes of one number.
pub(super) const NUMBER: u64 = 4;

/// The bytes that addresses can reach, and so the largest file.
pub(super) const MAX_FILE_SIZE: u64 = 0xFFFF_FFFF;

/// The position of the header address.
pub(super) const HEADER_ADDRESS_AT: u64 = NUMBER;

/// The position of the function addresses: after version, header address and function count.
pub(super) const FUNCTION_ADDRESSES_AT: u64 = 3 * NUMBER;

/// Function or invocation number of "nobody".
pub(super) const NO_INDEX: u32 = u32::MAX;

/// The third to sixth number of an [`INVOCATION_RECORD`] without a call that made it.
pub(super) const NO_CALLER: [u32; 4] = [0, NO_INDEX, 0, 0];

/// A version of webgrind's format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Version {
    /// Every invocation with its caller and sub-calls; read by webgrind 0.4.
    V4,
    /// Sums per function, and its callers; read by webgrind 0.5.
    V5,
    /// The same, and its callees; read by webgrind 0.6 to 1.1.
    V6,
    /// The same, and the line of the function; read by webgrind 1.2 and later.
    #[default]
    V7,
}

impl TryFrom<u8> for Version {
    type Error = UnknownName;

    /// The version with this number.
    fn try_from(number: u8) -> Result<Self, UnknownName> {
        let mut all = Version::ALL.into_iter();
        let found = all.find(|version| version.number() == u32::from(number));
        found.ok_or_else(|| UnknownName::new(&number.to_string(), "a version from 4 to 7"))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}", self.number())
    }
}

impl FromStr for Version {
    type Err = UnknownName;

    /// Reads `v7`, or `7`.
    fn from_str(text: &str) -> Result<Self, UnknownName> {
        let number = text.strip_prefix(['v', 'V']).unwrap_or(text).parse::<u8>();
        let version = number
            .ok()
            .and_then(|number| Version::try_from(number).ok());
        version.ok_or_else(|| UnknownName::new(text, "a version from v4 to v7"))
    }
}

/// A number at the beginning of a function record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FunctionField {
    Line,
    SelfCost,
    InclusiveCost,
    /// Sum of the costs of the calls to the function.
    CallCost,
    Invocations,
    CalledFromCount,
    SubCallCount,
}

impl FunctionField {
    pub const COUNT: usize = SubCallCount as usize + 1;
}

use FunctionField::{
    CallCost, CalledFromCount, InclusiveCost, Invocations, Line, SelfCost, SubCallCount,
};

/// Each version from 6 on added one to those of the version before.
const FIELDS_OF_V7: [FunctionField; 6] = [
    Line,
    SelfCost,
    InclusiveCost,
    Invocations,
    CalledFromCount,
    SubCallCount,
];

impl Version {
    /// All versions, the oldest first.
    pub const ALL: [Version; 4] = [Version::V4, Version::V5, Version::V6, Version::V7];

    /// The number at the start of a file.
    pub fn number(self) -> u32 {
        match self {
            Version::V4 => 4,
            Version::V5 => 5,
            Version::V6 => 6,
            Version::V7 => 7,
        }
    }

    /// The numbers at the beginning of a function record, in order.
    pub(super) fn function_fields(self) -> &'static [FunctionField] {
        match self {
            Version::V4 => &[SelfCost, InclusiveCost, CallCost, Invocations],
            Version::V5 => &FIELDS_OF_V7[1..5],
            Version::V6 => &FIELDS_OF_V7[1..],
            Version::V7 => &FIELDS_OF_V7,
        }
    }

    /// Whether function records list the calls to the function.
    pub(super) fn has_called_from(self) -> bool {
        self.function_fields().contains(&CalledFromCount)
    }

    /// Whether function records list the calls that the function makes.
    pub(super) fn has_sub_calls(self) -> bool {
        self.function_fields().contains(&SubCallCount)
    }
}

/// Bytes of a called-from or sub-call record of v5 to v7: function, line, calls, cost.
///
/// The function is the other one: the caller in a called-from record, the callee in a sub-call.
pub(super) const CALL_RECORD: u64 = 4 * NUMBER;

/// Bytes of an invocation of v4, in the record of its function: self cost, inclusive cost; cost of
/// the call that made it, calling function or [`NO_INDEX`], its invocation, line of the call;
/// number of sub-calls, and the address of their records, or where they would begin.
pub(super) const INVOCATION_RECORD: u64 = 8 * NUMBER;

/// Bytes of a sub-call of v4, after all functions: function, its invocation or [`NO_INDEX`] if the
/// profile was truncated before its block, line, cost.
///
/// They are in the order in which the blocks of the input end.
pub(super) const SUB_CALL_RECORD: u64 = 4 * NUMBER;
