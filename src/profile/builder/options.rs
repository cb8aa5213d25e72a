//! Options for building a profile.

use crate::profile::EventChoice;

/// Options for building a profile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProfileOptions {
    /// The events whose costs are read.
    pub events: EventChoice,
    /// Functions of traces to step over in the call lists.
    pub proxies: Vec<Vec<u8>>,
    /// Whether to keep every invocation of traces, with its costs in the first event. Format v4
    /// stores them.
    pub invocations: bool,
    /// Whether to keep the calling contexts of traces, and the call graphs of several threads and
    /// programs apart. Reports of stacks show them.
    pub contexts: bool,
    /// Whether calling contexts differ by call site, too: by the file and line of the call.
    pub call_sites: bool,
    /// The most invocations of traces to keep with their times: the longest.
    pub timeline: usize,
    /// Whether to keep the files of calls in inlined code. webgrind files cannot store them. Before
    /// writing one, sum the calls that differ only in their files.
    pub call_files: bool,
    /// Whether to keep the self costs of aggregates by line. Traces have only one line for each
    /// function.
    pub lines: bool,
    /// Whether to list the parts of the inputs with their totals.
    pub parts: bool,
}

impl ProfileOptions {
    /// Whether single invocations of traces are needed, for proxies or links.
    pub(super) fn follows_invocations(&self) -> bool {
        self.invocations || self.contexts || self.timeline > 0 || !self.proxies.is_empty()
    }
}
