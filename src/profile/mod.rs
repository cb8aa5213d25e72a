//! The model: functions, call edges, headers, and for traces the invocation tree.
//!
//! It knows no file format. A reader feeds a [`ProfileBuilder`], which sums in 64 bits; the
//! finished [`Profile`] is what writers and reports take.

mod builder;
mod calls;
mod events;
mod function;
mod headers;
mod ids;
mod linking;
mod names;
mod outermost;
mod proxies;
mod scale;
mod trace;
mod tree;

pub(crate) use builder::TableFunction;
pub use builder::{Call, Kind, ModelError, ProfileBuilder, ProfileOptions};
pub use calls::CallEdge;
pub use events::{EventError, Events, Selection};
pub use function::Function;
pub use headers::{Header, HeaderKind, RawHeader};
pub use ids::{EdgeId, FunctionId, NameId};
pub use names::NameTable;
pub use scale::split_scale;
pub use tree::{Invocation, InvocationCall, InvocationTree};

use calls::EdgeLists;

/// A cost, in the unit of its event.
///
/// Signed, since Xdebug 2.6 to 2.9 write memory differences. Numbers and sums outside of 64 bits
/// with a sign stay at its ends; [`Profile::has_saturated`] tells.
pub type Cost = i64;

/// How inclusive costs treat recursion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InclusiveCost {
    /// Self cost plus the cost of all calls made, as webgrind defines it: recursion counts twice.
    #[default]
    Summed,
    /// No cost counts twice. In a trace: the cost of those invocations that have no invocation of
    /// the same function above them. In an aggregate: calls from a function to itself are left out.
    Outermost,
}

/// A profile: one or more inputs, read to their ends and summed.
#[derive(Debug)]
pub struct Profile {
    names: NameTable,
    functions: Vec<Function>,
    edges: Vec<CallEdge>,
    called_from: EdgeLists,
    sub_calls: EdgeLists,
    headers: Vec<Header>,
    event: Vec<u8>,
    events: Vec<Vec<u8>>,
    invocations: Option<InvocationTree>,
}

impl Profile {
    /// All functions in number order.
    pub fn functions(&self) -> impl ExactSizeIterator<Item = (FunctionId, &Function)> {
        let numbered = self.functions.iter().enumerate();
        numbered.map(|(index, function)| (self.id(index), function))
    }

    /// One function.
    ///
    /// # Panics
    ///
    /// If the number is not of this profile.
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.index()]
    }

    /// The bytes of a name.
    pub fn name(&self, id: NameId) -> &[u8] {
        self.names.get(id)
    }

    /// All call edges in order of their first appearance.
    pub fn edges(&self) -> &[CallEdge] {
        &self.edges
    }

    /// Who calls a function, in order of first appearance.
    pub fn called_from(
        &self,
        id: FunctionId,
    ) -> impl DoubleEndedIterator<Item = &CallEdge> + ExactSizeIterator {
        let positions = self.called_from.of(id).iter();
        positions.map(|&position| &self.edges[position as usize])
    }

    /// Whom a function calls, in order of first appearance.
    pub fn sub_calls(
        &self,
        id: FunctionId,
    ) -> impl DoubleEndedIterator<Item = &CallEdge> + ExactSizeIterator {
        let positions = self.sub_calls.of(id).iter();
        positions.map(|&position| &self.edges[position as usize])
    }

    /// The header lines, in order.
    pub fn headers(&self) -> &[Header] {
        &self.headers
    }

    /// Name of the event whose costs these are.
    pub fn event(&self) -> &[u8] {
        &self.event
    }

    /// Names of all events of the inputs, derived ones last.
    pub fn events(&self) -> impl Iterator<Item = &[u8]> {
        self.events.iter().map(Vec::as_slice)
    }

    /// Sum of all self costs.
    pub fn total(&self) -> Cost {
        let costs = self.functions.iter().map(|function| function.self_cost);
        costs.fold(0, Cost::saturating_add)
    }

    /// Every invocation of the traces, if [`ProfileOptions::invocations`] wanted them.
    pub fn invocations(&self) -> Option<&InvocationTree> {
        self.invocations.as_ref()
    }

    /// Whether a sum reached an end of the 64 bits, and is therefore wrong.
    pub fn has_saturated(&self) -> bool {
        let at_end = |cost: Cost| cost == Cost::MAX || cost == Cost::MIN;
        let in_functions = self.functions.iter().any(|function| {
            at_end(function.self_cost) || at_end(function.inclusive) || at_end(function.call_cost)
        });
        let in_summaries = self.headers.iter().any(|header| match header.kind {
            HeaderKind::Summary(cost) => at_end(cost),
            _ => false,
        });
        in_functions
            || in_summaries
            || at_end(self.total())
            || self.edges.iter().any(|edge| at_end(edge.cost))
    }

    fn id(&self, index: usize) -> FunctionId {
        FunctionId(u32::try_from(index).unwrap_or(u32::MAX))
    }
}
