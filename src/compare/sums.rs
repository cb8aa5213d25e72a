//! What functions cost on one side of a comparison, in one event.

use std::fmt;
use std::ops::Sub;

use serde_core::{Serialize, Serializer};

use crate::display::numbers::{divided, grouped, rounded};
use crate::display::units::Unit;
use crate::profile::{Cost, EdgeRef, Event, FunctionId, Profile, split_scale};
use crate::view::View;

/// The costs of a function on one side of a comparison, in one event without its scale.
///
/// Functions with the same name and file count as one here, so the sums of a side may need more
/// than 64 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FunctionSums {
    /// Sum of the self costs.
    pub self_cost: i128,
    /// Sum of the inclusive costs.
    pub inclusive: i128,
    /// Whether they contain an estimate; see
    /// [`View::is_inclusive_estimated`](crate::view::View::is_inclusive_estimated).
    pub is_inclusive_estimated: bool,
    /// Whether the self costs do; see
    /// [`View::is_self_estimated`](crate::view::View::is_self_estimated).
    pub is_self_estimated: bool,
    /// The number of its invocations.
    pub invocations: CallCount,
}

impl FunctionSums {
    /// Adds the costs and invocations of other functions.
    pub(super) fn add(&mut self, other: FunctionSums) {
        self.self_cost = self.self_cost.saturating_add(other.self_cost);
        self.inclusive = self.inclusive.saturating_add(other.inclusive);
        self.is_inclusive_estimated |= other.is_inclusive_estimated;
        self.is_self_estimated |= other.is_self_estimated;
        self.invocations.tenths += other.invocations.tenths;
    }
}

/// A number of calls, per run of the profiled program where that is compared: below ten rounded to
/// one decimal, else to a whole number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct CallCount {
    pub(crate) tenths: i128,
}

impl CallCount {
    pub(crate) fn per_run(calls: i128, runs: u64) -> Self {
        let tenths = divided(calls.saturating_mul(10), runs.into());
        CallCount {
            tenths: match tenths {
                ..100 => tenths,
                _ => divided(calls, runs.into()).saturating_mul(10),
            },
        }
    }

    /// The nearest whole number.
    pub fn rounded(self) -> i128 {
        divided(self.tenths, 10)
    }

    fn is_whole(self) -> bool {
        self.tenths % 10 == 0
    }
}

impl Sub for CallCount {
    type Output = CallCount;

    fn sub(self, other: CallCount) -> CallCount {
        CallCount {
            tenths: self.tenths - other.tenths,
        }
    }
}

impl fmt::Display for CallCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&if self.is_whole() {
            grouped(self.rounded())
        } else {
            rounded(self.tenths, 10, 1)
        })
    }
}

impl Serialize for CallCount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.is_whole() {
            serializer.serialize_i128(self.rounded())
        } else {
            serializer.serialize_f64(self.tenths as f64 / 10.0)
        }
    }
}

/// An event of one side.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SideEvent<'a> {
    /// Its position among the events of the profile.
    pub at: usize,
    /// Its name, without a scale.
    pub name: &'a [u8],
    /// The long name; empty if it is unknown.
    pub long_name: &'a [u8],
    pub scale: u64,
    /// The name of its unit; empty if it is unknown.
    pub unit: &'static str,
    /// The number that costs and calls are divided by.
    pub runs: u64,
}

impl Default for SideEvent<'_> {
    fn default() -> Self {
        SideEvent {
            at: 0,
            name: b"",
            long_name: b"",
            scale: 1,
            unit: "",
            runs: 1,
        }
    }
}

impl<'a> SideEvent<'a> {
    /// An event by its position. If the profile has no events, all costs are 0.
    pub fn new(profile: &'a Profile, at: usize, runs: u64) -> Self {
        let event = profile.events().get(at);
        let (name, scale) = split_scale(event.map_or(b"", Event::name));
        SideEvent {
            at,
            name,
            long_name: event.map_or(b"", Event::long_name),
            scale,
            unit: event.map_or("", |event| profile.unit(event)),
            runs,
        }
    }

    /// The sums of functions that are one here; `None` if there are no functions.
    pub fn sums(&self, view: &View<'_>, functions: &[FunctionId]) -> Option<FunctionSums> {
        functions.first()?;
        let (mut own, mut inclusive) = (0i128, 0i128);
        for &id in functions {
            own = own.saturating_add(self.cost(view.self_costs(id)));
            inclusive = inclusive.saturating_add(self.cost(view.inclusive_costs(id)));
        }
        for edge in calls_within(view, functions) {
            inclusive = inclusive.saturating_sub(self.cost(edge.costs()));
        }
        Some(FunctionSums {
            self_cost: self.per_run(own),
            inclusive: self.per_run(inclusive),
            is_inclusive_estimated: functions.iter().any(|&id| view.is_inclusive_estimated(id)),
            is_self_estimated: functions.iter().any(|&id| view.is_self_estimated(id)),
            invocations: CallCount::per_run(calls_of(view, functions), self.runs),
        })
    }

    /// The cost in a row, without its scale and not divided by runs.
    pub fn cost(&self, costs: &[Cost]) -> i128 {
        let cost = costs.get(self.at).copied().unwrap_or(0);
        i128::from(cost).saturating_mul(self.scale.into())
    }

    /// A cost as it is shown.
    pub fn per_run(&self, cost: i128) -> i128 {
        divided(cost, self.runs.into())
    }

    /// The unit of costs without their scale.
    pub fn unit(&self) -> Unit {
        Unit::of(self.unit, 1)
    }
}

/// The calls of functions that are one.
pub(super) fn calls_of(view: &View<'_>, functions: &[FunctionId]) -> i128 {
    let calls = functions.iter().map(|&id| view.function(id).invocations);
    let within = calls_within(view, functions).map(|edge| edge.calls);
    calls.map(i128::from).sum::<i128>() - within.map(i128::from).sum::<i128>()
}

/// The calls between a function and its clones. If these are one function, such calls do not count.
fn calls_within<'a>(
    view: &'a View<'_>,
    functions: &'a [FunctionId],
) -> impl Iterator<Item = EdgeRef<'a>> {
    let callers = functions.iter().filter(|_| functions.len() > 1);
    let calls = callers.flat_map(|&id| view.sub_calls(id));
    let name = |id: FunctionId| view.function(id).name;
    calls.filter(move |edge| {
        functions.binary_search(&edge.callee).is_ok() && name(edge.caller) != name(edge.callee)
    })
}
