//! Recognises lines of common shapes without looking at every byte. No I/O and no state of a reader.
//!
//! In a trace, nearly all lines belong to [records](record_memo) of several lines, most of which
//! repeat an earlier one; in an aggregate, to [runs](cost_run) of short lines. Anything that differs
//! by a byte is left to the general path, which has the same result for all lines.

pub(super) mod cost_run;
pub(super) mod record_memo;
