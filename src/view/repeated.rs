//! Calls that one line makes again and again, such as a query in a loop.

use super::View;
use crate::profile::EdgeRef;

/// The fewest calls for each call of the caller that are repeated. Two often are two on one line.
pub(crate) const MIN_TIMES: u64 = 3;

/// The least share of the total, in percent, for which reports list them.
pub(crate) const MIN_PERCENT: u64 = 1;

impl View<'_> {
    /// Whether one line makes these calls repeatedly for each call of its function.
    pub(crate) fn is_repeated(&self, call: &EdgeRef<'_>) -> bool {
        let least = MIN_TIMES.saturating_mul(self.caller_runs(call));
        call.calls >= least
    }

    /// How often the caller ran. What nobody calls ran once.
    pub(crate) fn caller_runs(&self, call: &EdgeRef<'_>) -> u64 {
        self.function(call.caller).invocations.max(1)
    }
}
