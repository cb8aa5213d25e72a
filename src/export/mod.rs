//! Outputs for programs: JSON, pprof's protobuf, collapsed stacks and Graphviz's call graphs.

pub mod collapsed;
pub mod dot;
pub mod json;
#[cfg(feature = "compression")]
mod line_samples;
#[cfg(feature = "compression")]
pub mod pprof;
