//! Lines of common shape, recognised without looking at every byte. Pure, as the lexer is.
//!
//! In a trace nearly all lines belong to [records](record_memo) of several lines each, most of
//! which were read before; in an aggregate with addresses to [runs](cost_run) of short lines. What
//! is recognised comes back as numbers; whatever differs by a byte is left to the general path,
//! which gives the same result for both.

pub(super) mod cost_run;
pub(super) mod record_memo;
