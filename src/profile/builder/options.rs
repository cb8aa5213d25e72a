//! What is wanted of a profile.

use crate::profile::{EventChoice, InclusiveCost};
use crate::trace::LinkOptions;

/// What is wanted of a profile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProfileOptions {
    /// The events whose costs are read.
    pub events: EventChoice,
    /// How inclusive costs treat recursion.
    pub inclusive: InclusiveCost,
    /// Functions of traces that are stepped over in the call lists.
    pub proxies: Vec<Vec<u8>>,
    /// Whether to keep every invocation of traces, which v4 stores: with its costs in the first event.
    pub invocations: bool,
    /// Whether to keep the calling contexts of traces, which reports of stacks show.
    pub contexts: bool,
    /// Whether to keep the files of calls that stand in inlined code. Preprocessed formats cannot
    /// hold them: to write such a format, calls that differ only in their files have to be summed.
    pub call_files: bool,
    /// Whether to keep the self costs by line: of sums, for traces hold one line for each function.
    pub lines: bool,
    /// Whether to list the parts of sums with their totals.
    pub parts: bool,
}

impl From<&ProfileOptions> for LinkOptions {
    fn from(options: &ProfileOptions) -> Self {
        LinkOptions {
            invocations: options.invocations,
            contexts: options.contexts,
            outermost: options.inclusive == InclusiveCost::Once,
        }
    }
}
