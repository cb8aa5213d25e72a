//! The tables of a profile: names, functions and call edges, numbered by first appearance, with
//! their rows of costs.
//!
//! They do not depend on file formats. [`profile`](crate::profile) and `trace` are built on them.

mod by_function;
mod calls;
mod column_map;
mod costs;
mod functions;
mod ids;
mod kind;
mod lines;
mod names;
mod numbering;

pub(crate) use by_function::ByFunction;
pub(crate) use calls::CallTable;
pub use calls::{CallEdge, EdgeRef};
pub(crate) use column_map::ColumnMap;
pub use costs::Cost;
pub(crate) use costs::{ANY_WIDTH, CostTable, Costs, first_cost, saturated};
pub use functions::Function;
pub(crate) use functions::{FunctionTable, LineRule, LineSource};
pub(crate) use ids::{EdgeId, next_index, slot};
pub use ids::{FunctionId, NameId};
pub use kind::Kind;
pub(crate) use kind::Kinds;
pub(crate) use lines::{LineKey, LineTable};
pub(crate) use names::NameTable;
